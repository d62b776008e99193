/* What every part of the search does with a list: it is walked, kept if it is the best, and a start
 * if it is complete. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/monotonic.h"
#include "base/vector.h"
#include "mapping/synthesis_parts.h"
#include "models/predict.h"

bool synthesis_out_of_time(const synthesis *s)
{
    return cpm_monotonic_seconds() >= s->end;
}

static int copy_messages(const cpm_messages *m, cpm_messages *out, cpm_error *e)
{
    if (!cpm_vector_reserve(&out->at, &out->capacity, m->count, sizeof *m->at) ||
        !cpm_vector_reserve(&out->run, &out->run_capacity, m->run_count, sizeof *m->run))
        return cpm_no_memory(e);
    if (m->count)
        memcpy(out->at, m->at, (size_t)m->count * sizeof *m->at);
    if (m->run_count)
        memcpy(out->run, m->run, (size_t)m->run_count * sizeof *m->run);
    out->operation = m->operation;
    out->n = m->n;
    out->root = m->root;
    out->pieces = m->pieces;
    out->apart = m->apart;
    out->count = m->count;
    out->run_count = m->run_count;
    return CPM_OK;
}

int synthesis_judge(synthesis *s, const cpm_messages *m, const char *way, synthesis_score *score,
                    cpm_error *e)
{
    const cpm_algorithm row = cpm_messages_row(m, "synthesized");
    cpm_collective what = s->what;
    what.algorithm = &row;
    double seconds = cpm_predict_collective(s->model, &what, &s->sizes, NULL, s->finish, e);
    double total = 0;
    if (seconds < 0)
        return (int)seconds;
    for (int r = 0; r < s->model->n; r++)
        total += s->finish[r];
    s->tried++;
    *score = (synthesis_score){seconds, seconds + 0.05 * total / s->model->n};
    if (seconds >= s->best_seconds)
        return CPM_OK;
    s->best_seconds = seconds;
    s->way = way;
    return copy_messages(m, &s->best, e);
}

/* ---- starts */

size_t synthesis_spread_bytes(const synthesis *s, const contacts_form *f)
{
    size_t owners = f->turn == CONTACTS_COMPOSED ? (size_t)f->n : 1;
    return (s->bytes + owners - 1) / owners;
}

void synthesis_starts_clear(synthesis_starts *all)
{
    for (int k = 0; k < all->count; k++) {
        contacts_maker_close(all->at[k].maker);
        contacts_clear(&all->at[k].at);
    }
    free(all->at);
    *all = (synthesis_starts){0};
}

static int score_start(synthesis *s, synthesis_start *x, cpm_error *e)
{
    const cpm_messages *list;
    int status = contacts_make(x->maker, &x->at, &list, e);
    x->score.seconds = INFINITY;
    return status || !list ? status : synthesis_judge(s, list, x->way, &x->score, e);
}

/* Keeps the better one of x and of its contacts in rounds of at most so many. */
static int try_rounds(synthesis *s, synthesis_start *x, int most, cpm_error *e)
{
    synthesis_start other = *x;
    other.at = (contacts){0};
    int status = contacts_copy(&x->at, &other.at, e);
    if (!status)
        status = contacts_set_rounds(x->maker, &other.at, most, e);
    if (!status)
        status = score_start(s, &other, e);
    if (!status && other.score.seconds < x->score.seconds) {
        contacts swap = x->at;
        *x = other;
        other.at = swap;
    }
    contacts_clear(&other.at);
    return status;
}

int synthesis_add_start(synthesis *s, synthesis_starts *all, const contacts_form *f, contacts *c,
                        const char *way, cpm_error *e)
{
    static const int most[] = {1 << 30, 16, 6, 4, 2, 1};
    const double far = 1.6; /* from the best: then other rounds do not help enough */
    synthesis_start x = {.form = *f, .at = *c, .way = way};
    *c = (contacts){0};
    int status = contacts_maker_open(f, &x.maker, e);
    if (!status)
        status = score_start(s, &x, e);
    for (size_t k = 0; k < sizeof most / sizeof *most && !status; k++) {
        if (synthesis_out_of_time(s) || (k > 0 && x.score.seconds > far * s->best_seconds))
            break;
        status = try_rounds(s, &x, most[k], e);
    }
    bool keep = !status && isfinite(x.score.seconds);
    if (keep && !cpm_vector_extend(&all->at, all->count, sizeof *all->at))
        status = cpm_no_memory(e);
    if (keep && !status) {
        all->at[all->count++] = x;
    } else {
        contacts_maker_close(x.maker);
        contacts_clear(&x.at);
    }
    return status;
}
