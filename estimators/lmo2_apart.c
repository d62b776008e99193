#include "estimators/lmo2_apart.h"

#include "estimators/rounds.h"

/* What an experiment takes of a round: processes, trunks up, trunks down, links. */
typedef struct {
    const cpm_lmo2_inside *inside;
    int n; /* processes */
    cpm_rounds *rounds;
    cpm_error *e;
} taking;

static int switches_of(const cpm_lmo2_inside *inside)
{
    return inside->switches ? inside->switches->count : 0;
}

static int take_trunks(const taking *t, int from, int to)
{
    const cpm_hosts *on = t->inside->switches;
    if (!on || on->of[from] == on->of[to])
        return CPM_OK;
    int status = cpm_rounds_take(t->rounds, t->n + on->of[from], t->e);
    return status ? status : cpm_rounds_take(t->rounds, t->n + on->count + on->of[to], t->e);
}

static int take_links(const taking *t, int from, int to)
{
    const cpm_links *l = t->inside->links;
    const cpm_hosts *hosts = t->inside->hosts;
    int links, first = t->n + 2 * switches_of(t->inside), status = CPM_OK;
    if (!l)
        return CPM_OK;
    const int *way =
        cpm_links_way(l, hosts ? hosts->of[from] : from, hosts ? hosts->of[to] : to, &links);
    for (int u = 0; u < links && !status; u++)
        status = cpm_rounds_take(t->rounds, first + way[u], t->e);
    return status;
}

/* Bytes wait for others on a slow line, however few; rounds of short messages cost little. */
static int take_way(const taking *t, int from, int to, size_t bytes)
{
    if (bytes == 0)
        return CPM_OK;
    int status = take_trunks(t, from, to);
    return status ? status : take_links(t, from, to);
}

static int take(const taking *t, const cpm_experiment *x)
{
    int who[3], processes = cpm_experiment_ranks(x, t->n, who), status = CPM_OK;
    for (int r = 0; r < processes && !status; r++)
        status = cpm_rounds_take(t->rounds, who[r], t->e);
    for (int r = 1; r < processes && !status; r++) {
        status = take_way(t, who[0], who[r], x->send_bytes);
        if (!status)
            status = take_way(t, who[r], who[0], x->reply_bytes);
    }
    return status;
}

/* Of the processes that experiments name. */
static int processes_of(const cpm_lmo2_inside *inside)
{
    return inside->switches ? inside->switches->n
           : inside->hosts  ? inside->hosts->n
                            : inside->links->hosts;
}

/* Experiments that are of one kind and size, all in new rounds. */
static int spare(const cpm_lmo2_inside *inside, const cpm_experiment *x, int count,
                 cpm_design *next, cpm_error *e)
{
    cpm_rounds rounds = {0};
    const taking t = {inside, processes_of(inside), &rounds, e};
    rounds.wide = (size_t)t.n + 2 * (size_t)switches_of(inside) +
                  (size_t)(inside->links ? inside->links->count : 0);
    int status = CPM_OK;
    for (int q = 0; q < count && !status; q++) {
        status = take(&t, &x[q]);
        if (!status)
            status = cpm_rounds_add(&rounds, &x[q], 1, e);
    }
    if (!status)
        status = cpm_rounds_put(&rounds, next, e);
    cpm_rounds_clear(&rounds);
    return status;
}

/* Whether it may be in a round with others that it does not meet. */
static bool is_free(const cpm_experiment *x)
{
    return x->kind && !x->kind->contended && !(x->kind->processes == 2 && x->count == CPM_ALONE);
}

static bool is_alike(const cpm_experiment *a, const cpm_experiment *b)
{
    return is_free(a) && is_free(b) && a->kind == b->kind && a->send_bytes == b->send_bytes &&
           a->reply_bytes == b->reply_bytes;
}

static int copy_round(const cpm_experiment *x, int count, cpm_design *next, cpm_error *e)
{
    int status = CPM_OK;
    for (int q = 0; q < count && !status; q++)
        status = cpm_design_add(next, &x[q], e);
    return status ? status : cpm_design_close_round(next, e);
}

/* Rounds whose experiments are all alike are filled anew together. */
int cpm_lmo2_keep_apart(const cpm_lmo2_inside *inside, const cpm_design *from, cpm_design *next,
                        cpm_error *e)
{
    int status = CPM_OK;
    for (int r = 0, begin = 0; r < from->rounds && !status;) {
        const cpm_experiment *x = &from->at[begin];
        int end = from->end[r++];
        while (r < from->rounds && is_alike(x, &from->at[from->end[r] - 1]))
            end = from->end[r++];
        status = is_free(x) ? spare(inside, x, end - begin, next, e)
                            : copy_round(x, end - begin, next, e);
        begin = end;
    }
    return status;
}
