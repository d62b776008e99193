/* allgather: a ring in the order of a walk over the tree of switches, in which no two messages of a
 * step share a link (TSLR, topology_tree.h). */
#include <stdlib.h>

#include "collectives/algorithm.h"
#include "collectives/topology_tree.h"

typedef struct {
    int *place;  /* [n] of a process in the ring */
    int order[]; /* [n] the process at a place */
} ring;

static void ring_free(void *x)
{
    ring *r = x;
    free(r->place);
    free(r);
}

static int at(const ring *r, int n, long place)
{
    return r->order[(place % n + n) % n];
}

static void build(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const ring *r = s->state;
    long n = s->n, place = r->place[rank];
    for (long step = 0; step < n - 1; step++) {
        cpm_recv(out, at(r, s->n, place - 1), at(r, s->n, place - 1 - step), 1);
        cpm_send(out, at(r, s->n, place + 1), at(r, s->n, place - step), 1);
        cpm_next_round(out);
    }
}

cpm_create cpm_topology_allgather;
int cpm_topology_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                           cpm_error *e)
{
    (void)a;
    size_t n = (size_t)call->n;
    ring *r = malloc(sizeof *r + n * sizeof *r->order);
    if (!r || !(r->place = malloc(n * sizeof *r->place))) {
        free(r);
        return cpm_no_memory(e);
    }
    s->blocks = call->n;
    s->build = build;
    s->state = r;
    s->free_state = ring_free;
    int status = cpm_topology_ring(call->topology, call->n, r->order, e);
    for (int place = 0; !status && place < call->n; place++)
        r->place[r->order[place]] = place;
    return status;
}
