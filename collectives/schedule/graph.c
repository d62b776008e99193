/* Both ends of every message and its time are found apart: steps of senders, steps of receivers,
 * and a walk. Sorted by sender, receiver and number within this pair, they are the same list. */
#include "collectives/schedule/graph.h"

#include <math.h>
#include <stdlib.h>

#include "base/vector.h"
#include "collectives/schedule/flow_walk.h"
#include "collectives/schedule/timeline.h"

/* One message at one of its ends. */
typedef struct {
    int from, to, order;
    int64_t positions;
    bool combined;
} end;

typedef struct {
    end *at;
    int count;
} ends;

/* ---- the ends */

static int add_end(ends *list, const end *x, cpm_error *e)
{
    if (!cpm_vector_extend(&list->at, list->count, sizeof *list->at))
        return cpm_no_memory(e);
    list->at[list->count++] = *x;
    return CPM_OK;
}

static int add_step(ends *sends, ends *receives, int rank, const cpm_steps *steps,
                    const cpm_step *step, cpm_error *e)
{
    end x = {.positions = cpm_step_positions(steps, step), .combined = step->kind == CPM_COMBINE};
    if (!cpm_step_is_message(step))
        return CPM_OK;
    bool is_send = step->kind == CPM_SEND;
    ends *list = is_send ? sends : receives;
    x.from = is_send ? rank : step->peer;
    x.to = is_send ? step->peer : rank;
    x.order = list->count;
    return add_end(list, &x, e);
}

static int collect_ends(const cpm_schedule *s, ends *sends, ends *receives, cpm_error *e)
{
    cpm_steps steps = {0};
    int code = CPM_OK;
    for (int r = 0; r < s->n && !code; r++) {
        code = cpm_schedule_rank(s, r, &steps, e);
        for (int k = 0; k < steps.count && !code; k++)
            code = add_step(sends, receives, r, &steps, &steps.at[k], e);
    }
    cpm_steps_free(&steps);
    return code;
}

/* ---- the rounds */

static void one_round(const void *model, int from, int to, size_t bytes, cpm_flow *flow)
{
    (void)model, (void)from, (void)to, (void)bytes;
    *flow = (cpm_flow){.latency = 1, .cap = 1, .weight = 1, .synchronous = true};
}

static int walk_rounds(const cpm_schedule *s, cpm_timeline *t, cpm_error *e)
{
    cpm_trace trace = cpm_timeline_trace(t);
    double rounds = cpm_flow_walk(s, &(cpm_block_sizes){0}, one_round, NULL,
                                  &(cpm_flow_walking){.trace = &trace}, NULL, e);
    return rounds < 0 ? (int)rounds : cpm_timeline_check(t, e);
}

/* ---- the messages */

static int compare(int a, int b)
{
    return (a > b) - (a < b);
}

static int by_pair(const void *a, const void *b)
{
    const end *x = a, *y = b;
    int order = compare(x->from, y->from);
    order = order ? order : compare(x->to, y->to);
    return order ? order : compare(x->order, y->order);
}

static int by_ends(const void *a, const void *b)
{
    const cpm_edge *x = a, *y = b;
    int order = compare(x->from, y->from);
    order = order ? order : compare(x->to, y->to);
    return order ? order : compare(x->round, y->round);
}

static int by_round(const void *a, const void *b)
{
    const cpm_edge *x = a, *y = b;
    int order = compare(x->round, y->round);
    order = order ? order : compare(x->from, y->from);
    return order ? order : compare(x->to, y->to);
}

/* The walk's messages as ends; what they carry is the number of the message in the time line. */
static int timed_ends(const cpm_timeline *t, ends *out, cpm_error *e)
{
    int code = CPM_OK;
    for (int k = 0; k < t->count && !code; k++) {
        end x = {.from = t->at[k].from, .to = t->at[k].to, .order = k};
        code = add_end(out, &x, e);
    }
    return code;
}

static void join(const ends *sends, const ends *receives, const ends *timed, const cpm_timeline *t,
                 cpm_graph *g)
{
    qsort(sends->at, (size_t)sends->count, sizeof *sends->at, by_pair);
    qsort(receives->at, (size_t)receives->count, sizeof *receives->at, by_pair);
    qsort(timed->at, (size_t)timed->count, sizeof *timed->at, by_pair);
    for (int k = 0; k < sends->count; k++) {
        int round = (int)lround(t->at[timed->at[k].order].arrival) - 1;
        g->at[k] = (cpm_edge){.from = sends->at[k].from,
                              .to = sends->at[k].to,
                              .round = round,
                              .messages = 1,
                              .positions = sends->at[k].positions,
                              .combined = receives->at[k].combined};
        g->rounds = round < g->rounds ? g->rounds : round + 1;
    }
    g->count = sends->count;
}

static bool same_ends(const cpm_edge *a, const cpm_edge *b)
{
    return a->from == b->from && a->to == b->to;
}

static bool same_round(const cpm_edge *a, const cpm_edge *b)
{
    return same_ends(a, b) && a->round == b->round;
}

/* Makes one edge of neighbours that are the same; it has the round of the first. */
static void merge(cpm_graph *g, bool (*same)(const cpm_edge *a, const cpm_edge *b))
{
    int last = -1;
    for (int k = 0; k < g->count; k++) {
        if (last >= 0 && same(&g->at[last], &g->at[k])) {
            g->at[last].messages += g->at[k].messages;
            g->at[last].positions += g->at[k].positions;
            g->at[last].combined |= g->at[k].combined;
        } else {
            g->at[++last] = g->at[k];
        }
    }
    g->count = last + 1;
}

static int make_graph(ends *sends, ends *receives, ends *timed, const cpm_timeline *t, cpm_graph *g,
                      cpm_error *e)
{
    int code = timed_ends(t, timed, e);
    if (code || sends->count == 0)
        return code;
    g->at = malloc((size_t)sends->count * sizeof *g->at);
    if (!g->at)
        return cpm_no_memory(e);
    join(sends, receives, timed, t, g);
    qsort(g->at, (size_t)g->count, sizeof *g->at, by_round);
    merge(g, same_round);
    return CPM_OK;
}

/* The walk proves that sends, receives and its own messages are the same. */
int cpm_graph_create(const cpm_schedule *s, cpm_graph *out, cpm_error *e)
{
    cpm_graph g = {.n = s->n, .root = s->root, .pieces = s->apart || !s->pieces ? 1 : s->pieces};
    cpm_timeline t = {0};
    ends sends = {0}, receives = {0}, timed = {0};
    int code = walk_rounds(s, &t, e);
    if (!code)
        code = collect_ends(s, &sends, &receives, e);
    if (!code)
        code = make_graph(&sends, &receives, &timed, &t, &g, e);
    if (!code)
        *out = g;
    free(sends.at);
    free(receives.at);
    free(timed.at);
    cpm_timeline_free(&t);
    return code;
}

void cpm_graph_free(cpm_graph *g)
{
    free(g->at);
    *g = (cpm_graph){0};
}

int cpm_graph_without_rounds(const cpm_graph *g, cpm_graph *out, cpm_error *e)
{
    cpm_graph all = *g;
    all.at = malloc(((size_t)g->count + 1) * sizeof *all.at);
    if (!all.at)
        return cpm_no_memory(e);
    for (int k = 0; k < g->count; k++)
        all.at[k] = g->at[k];
    qsort(all.at, (size_t)all.count, sizeof *all.at, by_ends);
    merge(&all, same_ends);
    qsort(all.at, (size_t)all.count, sizeof *all.at, by_round);
    *out = all;
    return CPM_OK;
}

void cpm_graph_empty(cpm_graph *g)
{
    for (int k = 0; k < g->count; k++)
        g->at[k].positions = 0;
}

/* ---- trees */

/* Whether every rank but one has exactly one parent. */
static bool have_parents(const cpm_graph *g, int *parent, bool upwards)
{
    for (int r = 0; r < g->n; r++)
        parent[r] = -1;
    for (int k = 0; k < g->count; k++) {
        int child = upwards ? g->at[k].from : g->at[k].to;
        if (parent[child] >= 0)
            return false;
        parent[child] = upwards ? g->at[k].to : g->at[k].from;
    }
    return g->count == g->n - 1 && (g->root < 0 || parent[g->root] < 0);
}

/* With n - 1 parents there is one rank without; all others must lead to it. */
static bool lead_to_root(const int *parent, int n)
{
    for (int r = 0; r < n; r++) {
        int at = r, steps = 0;
        while (parent[at] >= 0 && steps++ < n)
            at = parent[at];
        if (parent[at] >= 0)
            return false;
    }
    return true;
}

bool cpm_graph_is_tree(const cpm_graph *g, int *parent, bool *upwards)
{
    *upwards = false;
    if (have_parents(g, parent, false) && lead_to_root(parent, g->n))
        return true;
    *upwards = true;
    return have_parents(g, parent, true) && lead_to_root(parent, g->n);
}
