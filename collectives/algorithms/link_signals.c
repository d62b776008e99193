/* One sweep over all messages in the order of phases, with the last users of each link at hand: as
 * many as phases go together. These are lines in which each message follows the one before it.
 *
 * If message m is to follow c on one link, and another link has both in one line but not c right
 * before m, then whoever is has followed c there: waiting for that one is enough. */
#include "collectives/algorithms/link_signals.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

typedef struct {
    int64_t phase;
    int from, to;
} message;

typedef struct {
    const int *parent;
    const cpm_link_phases *phases;
    message *message; /* [count] by phase */
    int64_t count;
    int together;
    int *depth;      /* [nodes] */
    int longest;     /* way, in links */
    int64_t *last;   /* [2 nodes * together] last messages on a link, 2v up from node v, 2v + 1 down
                        to it: the one that used it as number u at u modulo together; -1 */
    int64_t *uses;   /* [2 nodes] of a link so far */
    int64_t *use;    /* [count * longest] as which number a message uses the links of its way */
    int64_t *marked; /* [2 nodes] the message whose way was marked last; -1 */
    int *way;        /* [2 nodes] links of one message */
    int *giver;      /* [2 nodes] of the signals of one message */
    cpm_link_signals *out;
} sweep;

/* ---- messages by phase */

/* Counting sort: end[phase] counts, then is where the next one of the phase goes, from the back. */
static void sort_messages(sweep *s, int64_t *end)
{
    const cpm_link_phases *p = s->phases;
    for (int from = 0; from < p->n; from++)
        for (int to = 0; to < p->n; to++)
            if (from != to)
                end[cpm_link_phase_of(p, from, to)]++;
    for (int64_t phase = 1; phase < p->count; phase++)
        end[phase] += end[phase - 1];
    for (int from = 0; from < p->n; from++)
        for (int to = 0; to < p->n; to++)
            if (from != to) {
                int64_t phase = cpm_link_phase_of(p, from, to);
                s->message[--end[phase]] = (message){phase, from, to};
            }
}

/* ---- ways */

/* A way is walked from both ends, deeper end first, until they meet. Returns the link that this
 * step goes over. */
static int step(const sweep *s, int *from, int *to)
{
    bool up = s->depth[*from] >= s->depth[*to];
    int link = up ? 2 * *from : 2 * *to + 1;
    int *end = up ? from : to;
    *end = s->parent[*end];
    return link;
}

static int find_way(const sweep *s, const message *m, int *way)
{
    int links = 0;
    for (int from = m->from, to = m->to; from != to;)
        way[links++] = step(s, &from, &to);
    return links;
}

/* Where the message is that the next one on a link is to follow. */
static int64_t *last_on(const sweep *s, int link)
{
    return &s->last[(int64_t)link * s->together + s->uses[link] % s->together];
}

/* Whether c and m, whose way is marked, are in one line on a link, and others between them. */
static bool follows_anyway(const sweep *s, int64_t c, int64_t m)
{
    const int64_t *use = &s->use[c * s->longest];
    for (int from = s->message[c].from, to = s->message[c].to; from != to; use++) {
        int link = step(s, &from, &to);
        int64_t apart = s->uses[link] - *use;
        if (s->marked[link] == m && apart > s->together && apart % s->together == 0)
            return true;
    }
    return false;
}

static bool among(const int *list, int count, int value)
{
    while (count > 0)
        if (list[--count] == value)
            return true;
    return false;
}

/* ---- signals */

static bool add(sweep *s, int64_t phase, int giver, int taker)
{
    cpm_link_signals *out = s->out;
    if (!cpm_vector_extend(&out->at, out->count, sizeof *out->at))
        return false;
    out->at[out->count++] = (cpm_link_signal){phase, giver, taker};
    return true;
}

/* All signals for message m, then m is the last on its way. */
static bool signal_for(sweep *s, int64_t m)
{
    const message *new = &s->message[m];
    int links = find_way(s, new, s->way), givers = 0;
    for (int k = 0; k < links; k++)
        s->marked[s->way[k]] = m;
    for (int k = 0; k < links; k++) {
        int64_t c = *last_on(s, s->way[k]);
        if (c < 0 || s->message[c].from == new->from || s->message[c].to == new->from)
            continue;
        int giver = s->message[c].to;
        if (among(s->giver, givers, giver) || follows_anyway(s, c, m))
            continue;
        s->giver[givers++] = giver;
        if (!add(s, new->phase, giver, new->from))
            return false;
    }
    for (int k = 0; k < links; k++) {
        *last_on(s, s->way[k]) = m;
        s->use[m * s->longest + k] = s->uses[s->way[k]]++;
    }
    return true;
}

static bool run(sweep *s)
{
    for (int64_t m = 0; m < s->count; m++)
        if (!signal_for(s, m))
            return false;
    return true;
}

/* Each signal is listed with both its ranks. */
static bool list_by_rank(cpm_link_signals *s, int n)
{
    s->first = calloc((size_t)n + 1, sizeof *s->first);
    s->of = malloc((2 * (size_t)s->count + 1) * sizeof *s->of);
    if (!s->first || !s->of)
        return false;
    for (int64_t k = 0; k < s->count; k++) {
        s->first[s->at[k].giver]++;
        s->first[s->at[k].taker]++;
    }
    for (int rank = 1; rank <= n; rank++)
        s->first[rank] += s->first[rank - 1];
    for (int64_t k = s->count - 1; k >= 0; k--) {
        s->of[--s->first[s->at[k].giver]] = k;
        s->of[--s->first[s->at[k].taker]] = k;
    }
    return true;
}

/* ---- room */

static bool set_depths(sweep *s, const cpm_topology *t, int root, cpm_error *e)
{
    int *order = s->way; /* not in use yet */
    if (cpm_topology_orient(t, root, NULL, order, e))
        return false;
    for (int k = 1; k < t->nodes; k++) {
        s->depth[order[k]] = s->depth[s->parent[order[k]]] + 1;
        if (2 * s->depth[order[k]] > s->longest)
            s->longest = 2 * s->depth[order[k]];
    }
    s->use = malloc(((size_t)s->count * (size_t)s->longest + 1) * sizeof *s->use);
    return s->use;
}

static bool allocate(sweep *s, int nodes)
{
    size_t links = 2 * (size_t)nodes, lasting = links * (size_t)s->together;
    s->message = malloc(((size_t)s->count + 1) * sizeof *s->message);
    s->depth = calloc((size_t)nodes, sizeof *s->depth);
    s->last = malloc(lasting * sizeof *s->last);
    s->uses = calloc(links, sizeof *s->uses);
    s->marked = malloc(links * sizeof *s->marked);
    s->way = malloc(links * sizeof *s->way);
    s->giver = malloc(links * sizeof *s->giver);
    s->out = calloc(1, sizeof *s->out);
    if (!s->message || !s->depth || !s->last || !s->uses || !s->marked || !s->way || !s->giver ||
        !s->out)
        return false;
    memset(s->last, -1, lasting * sizeof *s->last);
    memset(s->marked, -1, links * sizeof *s->marked);
    return true;
}

static void sweep_free(sweep *s)
{
    free(s->message);
    free(s->depth);
    free(s->last);
    free(s->uses);
    free(s->use);
    free(s->marked);
    free(s->way);
    free(s->giver);
    cpm_link_signals_free(s->out);
}

int cpm_link_signals_create(const cpm_topology *t, const cpm_link_phases *p, int together,
                            cpm_link_signals **out, cpm_error *e)
{
    sweep s = {.parent = p->parent,
               .phases = p,
               .count = (int64_t)p->n * (p->n - 1),
               .together = together};
    int64_t *end = calloc((size_t)p->count + 1, sizeof *end);
    bool right = end && allocate(&s, t->nodes) && set_depths(&s, t, p->root, e);
    if (right)
        sort_messages(&s, end);
    right = right && run(&s) && list_by_rank(s.out, p->n);
    if (right) {
        *out = s.out;
        s.out = NULL;
    }
    free(end);
    sweep_free(&s);
    return right ? CPM_OK : cpm_no_memory(e);
}

void cpm_link_signals_free(cpm_link_signals *s)
{
    if (!s)
        return;
    free(s->at);
    free(s->first);
    free(s->of);
    free(s);
}
