/* Rows of the table of algorithms, with their parameters, as what is to be beaten and as starts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/tries.h"
#include "mapping/synthesis_parts.h"
#include "models/predict.h"

static double threshold_of(const void *model, const char *name)
{
    const cpm_model *m = model;
    int p = cpm_parameter_index(m->type, name);
    return p >= 0 && m->type->parameters[p].shape == CPM_SCALAR ? m->value[p][0] : NAN;
}

/* Keeps the rows sorted; of an algorithm at most TWINS stay. */
static void keep_row(synthesis_rows *r, const synthesis_row *x)
{
    enum { TWINS = 3 };
    int at = r->count, twins = 0, last = -1;
    for (int k = r->count - 1; k >= 0; k--) {
        if (r->at[k].what.algorithm == x->what.algorithm && twins++ == 0)
            last = k;
        if (x->seconds < r->at[k].seconds)
            at = k;
    }
    int end = twins < TWINS ? r->count : last;
    if (twins < TWINS && r->count < SYNTHESIS_ROWS)
        r->count++;
    else if (twins < TWINS)
        end = r->count - 1;
    if (at > end || at == SYNTHESIS_ROWS)
        return;
    memmove(&r->at[at + 1], &r->at[at], (size_t)(end - at) * sizeof *r->at);
    r->at[at] = *x;
}

static int try_row(synthesis *s, synthesis_row *x, const cpm_block_sizes *sizes,
                   synthesis_rows *out, cpm_error *e)
{
    if (cpm_collective_applies(&x->what, NULL))
        return CPM_OK;
    cpm_error why = {0};
    x->seconds = cpm_predict_collective(s->model, &x->what, sizes, NULL, NULL, &why);
    s->tried++;
    if (x->seconds == CPM_ENOMEM)
        return cpm_no_memory(e);
    if (x->seconds >= 0) /* else its parameters do not fit */
        keep_row(out, x);
    return CPM_OK;
}

static size_t largest_of(const cpm_block_sizes *sizes, int64_t units)
{
    size_t largest = sizes->bytes;
    for (int64_t u = 0; u < units && sizes->each; u++)
        largest = sizes->each[u] > largest || !u ? sizes->each[u] : largest;
    return largest;
}

/* With every set of parameters worth trying, and segments twice as large as these. */
static int try_algorithm(synthesis *s, const cpm_collective *plain, const cpm_block_sizes *sizes,
                         synthesis_rows *out, cpm_error *e)
{
    cpm_parameters with[CPM_MOST_TRIES];
    const cpm_thresholds thresholds = {threshold_of, s->model};
    const int n = s->model->n;
    const size_t largest = largest_of(sizes, plain->operation->units(n, NULL));
    int count =
        cpm_algorithm_tries(plain->algorithm, n, largest, &thresholds, with, CPM_MOST_TRIES);
    int status = CPM_OK;
    for (int k = 0; k < count && !status; k++) {
        if (out->count && synthesis_out_of_time(s))
            break;
        synthesis_row x = {*plain, 0};
        x.what.with = with[k];
        status = try_row(s, &x, sizes, out, e);
        x.what.with.segment *= 2;
        if (!status && with[k].segment && 2 * with[k].segment < largest)
            status = try_row(s, &x, sizes, out, e);
    }
    return status;
}

int synthesis_find_rows(synthesis *s, const cpm_operation *op, const cpm_block_sizes *sizes,
                        synthesis_rows *out, cpm_error *e)
{
    int status = CPM_OK;
    out->count = 0;
    for (const cpm_algorithm *a = cpm_algorithms; a->name && !status; a++) {
        cpm_collective plain = s->what;
        plain.operation = op;
        plain.algorithm = a;
        if (!op->rooted)
            plain.at.root = 0;
        if (!cpm_algorithm_serves(a, op) || a->theirs || cpm_collective_applies(&plain, NULL))
            continue;
        status = try_algorithm(s, &plain, sizes, out, e);
    }
    return status;
}

int synthesis_row_messages(const synthesis *s, const synthesis_row *row,
                           const cpm_block_sizes *sizes, cpm_messages *out, bool *good,
                           cpm_error *e)
{
    cpm_schedule *made;
    int status = cpm_model_schedule(s->model, &row->what, sizes, &made, e);
    if (status)
        return status;
    cpm_error why = {0};
    status = cpm_messages_of(made, out, &why);
    cpm_schedule_free(made);
    *good = !status;
    return status == CPM_ENOMEM ? cpm_no_memory(e) : CPM_OK;
}

/* ---- starts */

static int start_from(synthesis *s, const contacts_form *f, const synthesis_row *row,
                      const cpm_block_sizes *sizes, synthesis_starts *all, cpm_error *e)
{
    cpm_messages list = {0};
    bool good;
    int status = synthesis_row_messages(s, row, sizes, &list, &good, e);
    for (int single = 0; single < 2 && good && !status; single++) {
        contacts c = {0};
        contacts_form form = *f;
        bool fits;
        form.pieces = list.pieces > 1 ? list.pieces : 1;
        if (form.pieces > 1 && (f->turn == CONTACTS_APART || f->turn == CONTACTS_COMBINED))
            break;
        status = contacts_of(&list, &form, single, &c, &fits, e);
        if (!status && fits)
            status = synthesis_add_start(s, all, &form, &c, "rows", e);
        contacts_clear(&c);
    }
    cpm_messages_clear(&list);
    return status;
}

int synthesis_start_from_rows(synthesis *s, const contacts_form *f, synthesis_starts *all,
                              cpm_error *e)
{
    enum { STARTS = 6 };
    const cpm_operation *of = f->turn == CONTACTS_COMBINED ? f->operation : f->spreads;
    const cpm_block_sizes same = {.bytes = synthesis_spread_bytes(s, f)};
    const cpm_block_sizes *sizes =
        f->operation == of || f->turn == CONTACTS_REVERSED ? &s->sizes : &same;
    synthesis_rows rows = s->rows;
    int status = CPM_OK;
    if (of != s->what.operation)
        status = synthesis_find_rows(s, of, sizes, &rows, e);
    for (int k = 0; k < rows.count && k < STARTS && !status && !synthesis_out_of_time(s); k++)
        status = start_from(s, f, &rows.at[k], sizes, all, e);
    return status;
}
