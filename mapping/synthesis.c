/* Starts of all kinds, small changes of the best, and a proof. */
#include "mapping/synthesis.h"
#include "base/monotonic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/schedule/proof.h"
#include "mapping/synthesis_parts.h"
#include "models/predict.h"

void cpm_synthesized_clear(cpm_synthesized *s)
{
    cpm_messages_clear(&s->messages);
    *s = (cpm_synthesized){0};
}

static int prove(const synthesis *s, cpm_error *e)
{
    const cpm_algorithm row = cpm_messages_row(&s->best, "synthesized");
    cpm_collective what = s->what;
    cpm_schedule *made;
    what.algorithm = &row;
    int status = cpm_model_schedule(s->model, &what, &s->sizes, &made, e);
    if (status)
        return status;
    status = cpm_check(made, what.operation, false, e);
    cpm_schedule_free(made);
    return status == CPM_EDEADLOCK ? CPM_EWRONG : status;
}

/* ---- rows */

/* The fastest row whose schedule is a list, which is what nothing else may be slower than. */
static int begin_with_row(synthesis *s, cpm_synthesized *out, cpm_error *e)
{
    synthesis_rows *rows = &s->rows;
    int status = synthesis_find_rows(s, s->what.operation, &s->sizes, rows, e);
    if (!status && rows->count == 0)
        return cpm_fail(e, CPM_EINVAL, "no algorithm of %s applies", s->what.operation->name);
    if (status)
        return status;
    out->row_seconds = rows->at[0].seconds;
    cpm_collective_print_algorithm(&rows->at[0].what, out->row, sizeof out->row);
    bool aided = !s->unaided || s->model->n == 1;
    for (int k = 0; aided && k < rows->count && !s->best.operation && !status; k++) {
        cpm_messages list = {0};
        synthesis_score score;
        bool good;
        status = synthesis_row_messages(s, &rows->at[k], &s->sizes, &list, &good, e);
        if (!status && good)
            status = synthesis_judge(s, &list, "row", &score, e);
        cpm_messages_clear(&list);
    }
    return status;
}

/* ---- starts */

static int start_form(synthesis *s, int spreads, contacts_turn turn, synthesis_starts *all,
                      cpm_error *e)
{
    const contacts_form f = {.operation = s->what.operation,
                             .spreads = &cpm_operations[spreads],
                             .turn = turn,
                             .n = s->model->n,
                             .root = s->what.at.root,
                             .pieces = 1};
    int status = synthesis_start_greedily(s, &f, all, e);
    if (!status)
        status = synthesis_start_by_gossip(s, &f, all, e);
    return status || s->unaided ? status : synthesis_start_from_rows(s, &f, all, e);
}

/* What contacts can be for an operation, for blocks of up to so many bytes: where all contributions
 * travel whole there are soon too many of them. 0: any. */
static const struct {
    const char *operation;
    int spreads;
    contacts_turn turn;
    size_t most;
} forms[] = {{"bcast", CPM_OP_BCAST, CONTACTS_SPREAD, 0},
             {"scatter", CPM_OP_SCATTER, CONTACTS_SPREAD, 0},
             {"gather", CPM_OP_SCATTER, CONTACTS_REVERSED, 0},
             {"reduce", CPM_OP_BCAST, CONTACTS_REVERSED, 0},
             {"allgather", CPM_OP_ALLGATHER, CONTACTS_SPREAD, 0},
             {"reduce_scatter", CPM_OP_ALLGATHER, CONTACTS_REVERSED, 0},
             {"reduce_scatter", CPM_OP_ALLTOALL, CONTACTS_APART, 0},
             {"alltoall", CPM_OP_ALLTOALL, CONTACTS_SPREAD, 0},
             {"allreduce", CPM_OP_ALLGATHER, CONTACTS_COMPOSED, 0},
             {"allreduce", CPM_OP_ALLGATHER, CONTACTS_APART, 16384},
             {"allreduce", CPM_OP_ALLREDUCE, CONTACTS_COMBINED, 65536},
             {"barrier", CPM_OP_BARRIER, CONTACTS_SPREAD, 0}};

enum { FORMS = sizeof forms / sizeof *forms };

static bool serves(int form, const cpm_operation *op)
{
    return !strcmp(forms[form].operation, op->like ? op->like : op->name);
}

static int search(synthesis *s, cpm_error *e)
{
    synthesis_starts all = {0};
    int status = CPM_OK;
    for (int k = 0; k < FORMS && !status && !synthesis_out_of_time(s); k++)
        if (serves(k, s->what.operation) && (!forms[k].most || s->bytes <= forms[k].most))
            status = start_form(s, forms[k].spreads, forms[k].turn, &all, e);
    if (!status)
        status = synthesis_improve(s, &all, e);
    synthesis_starts_clear(&all);
    return status;
}

/* ---- */

static int check(const cpm_model *m, const cpm_collective *what, const cpm_mapping_effort *effort,
                 cpm_error *e)
{
    bool served = false;
    for (int k = 0; k < FORMS; k++)
        served = served || serves(k, what->operation);
    if (!served)
        return cpm_fail(e, CPM_EINVAL,
                        "no schedules of %s are searched for: take bcast, scatter, gather, reduce, "
                        "allgather, reduce_scatter, allreduce, alltoall or barrier",
                        what->operation->name);
    if (what->at.root < 0 || what->at.root >= m->n)
        return cpm_fail(e, CPM_EINVAL, "root %d is not in 0..%d", what->at.root, m->n - 1);
    if (m->type->predict)
        return cpm_fail(e, CPM_EDATA,
                        "model %s does not predict from messages and knows no other schedule",
                        m->type->name);
    if (!(effort->seconds > 0) || effort->attempts < 1)
        return cpm_fail(e, CPM_EINVAL, "a search needs time and attempts above 0");
    return CPM_OK;
}

static int open(synthesis *s, size_t **each, cpm_error *e)
{
    s->what.at.n = s->model->n;
    s->what.at.mapping = s->what.at.parent = NULL;
    if (!s->what.at.hosts && cpm_hosts_have_levels(&s->model->on))
        s->what.at.hosts = &s->model->on;
    if (!s->what.operation->rooted)
        s->what.at.root = 0;
    s->random = gsl_rng_alloc(gsl_rng_taus2);
    s->finish = malloc((size_t)s->model->n * sizeof *s->finish);
    if (!s->random || !s->finish)
        return cpm_no_memory(e);
    gsl_rng_set(s->random, s->effort->seed);
    int status = cpm_collective_sizes(&s->what, s->bytes, each, e);
    s->sizes = (cpm_block_sizes){.bytes = s->bytes, .each = status ? NULL : *each};
    return status;
}

static int synthesize(synthesis *s, cpm_synthesized *out, cpm_error *e)
{
    int status = begin_with_row(s, out, e);
    if (!status && s->model->n > 1 && s->model->n <= CPM_SYNTHESIS_PROCESSES)
        status = search(s, e);
    if (!status && !s->best.operation)
        return cpm_fail(e, CPM_EINVAL, "nothing is known to begin with for %s but algorithms",
                        s->what.operation->name);
    return status ? status : prove(s, e);
}

int cpm_synthesize(const cpm_model *m, const cpm_collective *what, size_t bytes,
                   const cpm_mapping_effort *effort, bool unaided, cpm_synthesized *out,
                   cpm_error *e)
{
    int status = check(m, what, effort, e);
    if (status)
        return status;
    synthesis s = {.model = m,
                   .what = *what,
                   .bytes = bytes,
                   .effort = effort,
                   .unaided = unaided,
                   .end = cpm_monotonic_seconds() + effort->seconds,
                   .best_seconds = INFINITY};
    cpm_synthesized found = {0};
    size_t *each = NULL;
    status = open(&s, &each, e);
    if (!status)
        status = synthesize(&s, &found, e);
    found.converged = !synthesis_out_of_time(&s);
    if (s.random)
        gsl_rng_free(s.random);
    free(s.finish);
    free(each);
    if (status) {
        cpm_messages_clear(&s.best);
        return status;
    }
    found.messages = s.best;
    found.seconds = s.best_seconds;
    found.way = s.way;
    found.tried = s.tried;
    *out = found;
    return CPM_OK;
}
