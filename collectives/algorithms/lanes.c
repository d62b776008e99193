/* Small blocks between hosts in one step (k-lane; Traeff 2020): each host divides the other hosts
 * among k of its processes, which send to them all at once what their host has for these. Before,
 * the processes of a host give these what they have; behind, who has received from other hosts
 * tells the others of its own. */
#include <stdlib.h>

#include "collectives/algorithm.h"

enum { USUAL_LANES = 4 };

typedef struct {
    int hosts, lanes;
    int *rank_of,
        *first;   /* [n] of host h from first[h] to first[h + 1] - 1, which is [hosts + 1] */
    int *host_of; /* [n] */
    bool pairs;   /* units are pairs of processes */
} lanes;

static void free_lanes(void *state)
{
    lanes *x = state;
    free(x->rank_of);
    free(x->first);
    free(x->host_of);
    free(x);
}

/* ---- who sends to whom */

static int size_of(const lanes *x, int host)
{
    return x->first[host + 1] - x->first[host];
}

/* The process of host own that has to do with what goes between it and another one; distance: from
 * the sender to the receiver, from 1 on. */
static int lane_of(const lanes *x, int own, int distance)
{
    const int count = size_of(x, own) < x->lanes ? size_of(x, own) : x->lanes;
    return x->rank_of[x->first[own] + (distance - 1) % count];
}

static int distance(const lanes *x, int from, int to)
{
    return (to - from + x->hosts) % x->hosts;
}

static int sender(const lanes *x, int from, int to)
{
    return lane_of(x, from, distance(x, from, to));
}

static int receiver(const lanes *x, int from, int to)
{
    return lane_of(x, to, distance(x, from, to));
}

/* ---- blocks */

/* Those of processes of one host for those of another; where units are no pairs all of the first.
 */
static void name_between(const lanes *x, int n, int from, int to, cpm_steps *out)
{
    for (int i = x->first[from]; i < x->first[from + 1]; i++)
        for (int j = x->first[to]; j < (x->pairs ? x->first[to + 1] : x->first[to] + 1); j++)
            cpm_and(out, x->pairs ? (int64_t)x->rank_of[i] * n + x->rank_of[j] : x->rank_of[i], 1);
}

/* What a process gives another one of its host at first: the block for it, or its own, and those
 * for the hosts to which that one sends. */
static void name_given(const lanes *x, int n, int from, int to, cpm_steps *out)
{
    const int own = x->host_of[from];
    cpm_and(out, x->pairs ? (int64_t)from * n + to : from, 1);
    for (int h = 0; h < x->hosts && x->pairs; h++)
        for (int j = x->first[h]; h != own && sender(x, own, h) == to && j < x->first[h + 1]; j++)
            cpm_and(out, (int64_t)from * n + x->rank_of[j], 1);
}

/* Whether a process receives from other hosts. */
static bool receives(const lanes *x, int by)
{
    const int own = x->host_of[by];
    bool any = false;
    for (int h = 0; h < x->hosts && !any; h++)
        any = h != own && receiver(x, h, own) == by;
    return any;
}

/* What has come to it, for another one of its host. */
static void name_come(const lanes *x, int n, int by, int to, cpm_steps *out)
{
    const int own = x->host_of[by];
    for (int h = 0; h < x->hosts; h++)
        for (int i = x->first[h]; h != own && receiver(x, h, own) == by && i < x->first[h + 1]; i++)
            cpm_and(out, x->pairs ? (int64_t)x->rank_of[i] * n + to : x->rank_of[i], 1);
}

/* ---- the steps */

static void give(const lanes *x, int n, int rank, cpm_steps *out)
{
    const int own = x->host_of[rank];
    for (int sends = 0; sends < 2; sends++)
        for (int i = x->first[own]; i < x->first[own + 1]; i++) {
            const int mate = x->rank_of[i];
            if (mate == rank)
                continue;
            (sends ? cpm_send : cpm_recv)(out, mate, 0, 0);
            name_given(x, n, sends ? rank : mate, sends ? mate : rank, out);
        }
    cpm_next_round(out);
}

static void cross(const lanes *x, int n, int rank, cpm_steps *out)
{
    const int own = x->host_of[rank];
    for (int d = 1; d < x->hosts; d++) {
        const int from = (own - d + x->hosts) % x->hosts;
        if (receiver(x, from, own) != rank)
            continue;
        cpm_recv(out, sender(x, from, own), 0, 0);
        name_between(x, n, from, own, out);
    }
    for (int d = 1; d < x->hosts; d++) {
        const int to = (own + d) % x->hosts;
        if (sender(x, own, to) != rank)
            continue;
        cpm_send(out, receiver(x, own, to), 0, 0);
        name_between(x, n, own, to, out);
    }
    cpm_next_round(out);
}

static void tell(const lanes *x, int n, int rank, cpm_steps *out)
{
    const int own = x->host_of[rank];
    for (int sends = 0; sends < 2; sends++)
        for (int i = x->first[own]; i < x->first[own + 1]; i++) {
            const int mate = x->rank_of[i], by = sends ? rank : mate, to = sends ? mate : rank;
            if (mate == rank || !receives(x, by))
                continue;
            (sends ? cpm_send : cpm_recv)(out, mate, 0, 0);
            name_come(x, n, by, to, out);
        }
    cpm_next_round(out);
}

static void build(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const lanes *x = s->state;
    give(x, s->n, rank, out);
    cross(x, s->n, rank, out);
    tell(x, s->n, rank, out);
}

/* ---- creating */

static int create(const cpm_call *call, bool pairs, cpm_schedule *s, cpm_error *e)
{
    const size_t n = (size_t)call->n, hosts = (size_t)call->hosts->count;
    lanes *x = calloc(1, sizeof *x);
    if (!x)
        return cpm_no_memory(e);
    *x = (lanes){.hosts = call->hosts->count,
                 .lanes = call->with.k > 0 ? call->with.k : USUAL_LANES,
                 .rank_of = malloc(n * sizeof(int)),
                 .first = malloc((hosts + 1) * sizeof(int)),
                 .host_of = malloc(n * sizeof(int)),
                 .pairs = pairs};
    if (!x->rank_of || !x->first || !x->host_of) {
        free_lanes(x);
        return cpm_no_memory(e);
    }
    cpm_hosts_sort(call->hosts, x->rank_of, x->first);
    for (int rank = 0; rank < call->n; rank++)
        x->host_of[rank] = call->hosts->of[rank];
    s->blocks = (int64_t)call->n * (pairs ? call->n : 1);
    s->state = x;
    s->free_state = free_lanes;
    s->build = build;
    return CPM_OK;
}

cpm_create cpm_lanes_of_all, cpm_lanes_of_pairs;

int cpm_lanes_of_all(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a;
    return create(call, false, s, e);
}

int cpm_lanes_of_pairs(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a;
    return create(call, true, s, e);
}
