/* One function says the peers of a phase, one per operation the blocks, and one what separates two
 * phases. */
#include "collectives/algorithms/phased.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/algorithms/pieces.h"
#include "collectives/tries.h"

cpm_create cpm_phased_alltoall, cpm_paced_alltoall, cpm_phased_allgather, cpm_phased_reduce_scatter,
    cpm_simple_alltoall, cpm_simple_allgather, cpm_switched_alltoall;

typedef void exchange(const cpm_schedule *s, int rank, int to, int from, cpm_steps *out);

typedef struct {
    cpm_phases phases;
    exchange *exchange;
    int barriers;
    bool spread;
    size_t threshold, bytes;
    size_t *sizes; /* [n * n] or NULL */
} state;

static void state_free(void *x)
{
    state *y = x;
    free(y->sizes);
    free(y);
}

/* ---- what goes over in one phase ---- */

static void exchange_alltoall(const cpm_schedule *s, int rank, int to, int from, cpm_steps *out)
{
    cpm_recv(out, from, (int64_t)from * s->n + rank, 1);
    cpm_send(out, to, (int64_t)rank * s->n + to, 1);
}

static void exchange_allgather(const cpm_schedule *s, int rank, int to, int from, cpm_steps *out)
{
    (void)s;
    cpm_recv(out, from, from, 1);
    cpm_send(out, to, rank, 1);
}

static void exchange_reduce_scatter(const cpm_schedule *s, int rank, int to, int from,
                                    cpm_steps *out)
{
    (void)s;
    cpm_combine(out, from, rank, 1);
    cpm_send(out, to, to, 1);
}

/* ---- phases ---- */

static void peers(const state *x, int n, int rank, int phase, int *to, int *from)
{
    *to = x->phases.pair ? rank ^ phase : (int)(((long)rank + phase) % n);
    *from = x->phases.pair ? rank ^ phase : (int)(((long)rank - phase + n) % n);
}

void cpm_empty_barrier(int n, int rank, cpm_steps *out)
{
    for (long d = 1; d < n; d *= 2) {
        cpm_recv(out, (int)((rank - d + n) % n), 0, 0);
        cpm_send(out, (int)((rank + d) % n), 0, 0);
        cpm_next_round(out);
    }
}

/* The barriers divide the n - 1 phases into x->barriers + 1 parts. */
static bool has_barrier(const state *x, int n, int phase)
{
    long parts = x->barriers + 1, phases = n - 1;
    return phase * parts / phases != (phase - 1) * parts / phases;
}

static void synchronize(const state *x, int n, int rank, int phase, cpm_steps *out)
{
    if (x->phases.synchronization == CPM_LIGHT_BARRIER) {
        int to, from;
        peers(x, n, rank, phase + 1, &to, &from);
        cpm_recv(out, to, 0, 0);
        cpm_send(out, from, 0, 0);
        cpm_next_round(out);
    }
    if (x->barriers && has_barrier(x, n, phase))
        cpm_empty_barrier(n, rank, out);
}

static void build(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const state *x = s->state;
    for (int phase = 1; phase < s->n; phase++) {
        int to, from;
        peers(x, s->n, rank, phase, &to, &from);
        x->exchange(s, rank, to, from, out);
        cpm_next_round(out);
        if (phase < s->n - 1)
            synchronize(x, s->n, rank, phase, out);
    }
}

/* Who is sent to and who sends in a round, of which a phase has as many as a block pieces. */
static void peers_of_round(const cpm_schedule *s, int rank, int64_t round, int *to, int *from)
{
    peers(s->state, s->n, rank, 1 + (int)(round / s->pieces), to, from);
}

/* An alltoall; pieces are numbered as in split.c. What is told is for the next round. */
static void build_paced(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const int64_t rounds = (int64_t)(s->n - 1) * s->pieces, units = (int64_t)s->n * s->n;
    for (int64_t round = 0; round < rounds; round++) {
        int to, from;
        if (round + 1 < rounds) {
            peers_of_round(s, rank, round + 1, &to, &from);
            cpm_recv(out, to, 0, 0);
            cpm_send(out, from, 0, 0);
        }
        int64_t piece = round % s->pieces * units;
        peers_of_round(s, rank, round, &to, &from);
        cpm_recv(out, from, piece + (int64_t)from * s->n + rank, 1);
        cpm_send(out, to, piece + (int64_t)rank * s->n + to, 1);
        cpm_next_round(out);
    }
}

static int create(const state *x, int64_t blocks,
                  void (*how)(const cpm_schedule *, int, cpm_steps *), cpm_schedule *s,
                  cpm_error *e)
{
    state *own = malloc(sizeof *own);
    if (!own)
        return cpm_no_memory(e);
    *own = *x;
    s->blocks = blocks;
    s->build = how;
    s->state = own;
    s->free_state = state_free;
    return CPM_OK;
}

static int create_phased(const cpm_algorithm *a, const cpm_call *call, exchange *what,
                         int64_t blocks, cpm_schedule *s, cpm_error *e)
{
    const cpm_phases *phases = a->variant;
    state x = {.phases = *phases, .exchange = what};
    int most = call->n > 2 ? call->n - 2 : 0;
    if (phases->synchronization == CPM_BARRIERS)
        x.barriers = most;
    if (phases->synchronization == CPM_N_BARRIERS)
        x.barriers = cpm_library_default_k(a, call);
    if (x.barriers > most)
        x.barriers = most;
    if (!phases->pair || !x.barriers) /* barriers shift */
        s->symmetry = (cpm_symmetry){phases->pair ? CPM_TWISTS : CPM_SHIFTS, 1};
    return create(&x, blocks, build, s, e);
}

int cpm_phased_alltoall(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    return create_phased(a, call, exchange_alltoall, (int64_t)call->n * call->n, s, e);
}

int cpm_paced_alltoall(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    const cpm_phases *phases = a->variant;
    state x = {.phases = *phases};
    int64_t units = (int64_t)call->n * call->n;
    s->pieces = cpm_segments_of(cpm_largest_unit(call, units), call->with.segment);
    s->symmetry = (cpm_symmetry){phases->pair ? CPM_TWISTS : CPM_SHIFTS, 1};
    return create(&x, s->pieces * units, build_paced, s, e);
}

int cpm_phased_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                         cpm_error *e)
{
    return create_phased(a, call, exchange_allgather, call->n, s, e);
}

int cpm_phased_reduce_scatter(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                              cpm_error *e)
{
    return create_phased(a, call, exchange_reduce_scatter, call->n, s, e);
}

/* ---- all at once ---- */

/* One message to each other process, all in one round: to 0, 1, ... or to rank + 1, rank + 2, ...
 * (the variant is a bool: spread). */

static void build_simple(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const state *x = s->state;
    int n = s->n;
    for (int k = 1; k < n; k++) {
        int to = x->spread ? (rank - k + n) % n : k - (k <= rank); /* as MPICH and Open MPI do */
        int from = x->spread ? (rank + k) % n : to;
        x->exchange(s, rank, to, from, out);
    }
}

static cpm_symmetry symmetry_of(const state *x)
{
    return (cpm_symmetry){CPM_SHIFTS, x->spread ? 1 : 0};
}

int cpm_simple_alltoall(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    state x = {.exchange = exchange_alltoall, .spread = *(const bool *)a->variant};
    s->symmetry = symmetry_of(&x);
    return create(&x, (int64_t)call->n * call->n, build_simple, s, e);
}

int cpm_simple_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                         cpm_error *e)
{
    state x = {.exchange = exchange_allgather, .spread = *(const bool *)a->variant};
    s->symmetry = symmetry_of(&x);
    return create(&x, call->n, build_simple, s, e);
}

/* ---- small ones at once, large ones in phases ---- */

/* Messages below the call's threshold all at once, then the others in phases; the small ones are
 * waited for at the end (Fagg, Bosilca, Pjesivac-Grbovic, Angskun, Dongarra 2006, 6). */

static bool is_small(const state *x, int64_t unit)
{
    return (x->sizes ? x->sizes[unit] : x->bytes) < x->threshold;
}

static void exchange_if(const cpm_schedule *s, int rank, int phase, bool small, cpm_steps *out)
{
    const state *x = s->state;
    int to, from;
    peers(x, s->n, rank, phase, &to, &from);
    int64_t incoming = (int64_t)from * s->n + rank, outgoing = (int64_t)rank * s->n + to;
    if (is_small(x, incoming) == small)
        cpm_recv(out, from, incoming, 1);
    if (is_small(x, outgoing) == small)
        cpm_send(out, to, outgoing, 1);
}

static void build_switched(const cpm_schedule *s, int rank, cpm_steps *out)
{
    for (int phase = 1; phase < s->n; phase++)
        exchange_if(s, rank, s->n - phase, true, out); /* in the order of spreading-simple */
    cpm_defer_round(out);
    for (int phase = 1; phase < s->n; phase++) {
        exchange_if(s, rank, phase, false, out);
        cpm_next_round(out);
    }
}

int cpm_switched_alltoall(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                          cpm_error *e)
{
    (void)a;
    size_t units = (size_t)call->n * (size_t)call->n;
    state x = {.threshold = cpm_threshold(&call->with, 32768), .bytes = call->bytes};
    if (call->sizes) {
        x.sizes = malloc(units * sizeof *x.sizes);
        if (!x.sizes)
            return cpm_no_memory(e);
        memcpy(x.sizes, call->sizes, units * sizeof *x.sizes);
    }
    int code = create(&x, (int64_t)units, build_switched, s, e);
    if (code)
        free(x.sizes);
    return code;
}
