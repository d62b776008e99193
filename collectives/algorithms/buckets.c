/* Rings in all dimensions and both directions of a torus at once, so that all links of a process
 * are busy (the multiport bucket algorithm: Jain, Sabharwal 2010; Sack, Gropp 2015). A block is cut
 * into as many parts as a process has links. Each part goes round one dimension after the other,
 * every part begins with another one or goes the other way, and in a ring a process passes on what
 * came last. All parts take as many steps. Blocks go through each link for as long as through one
 * of a ring, divided by the number of links. */
#include <stdlib.h>

#include "collectives/algorithms/mesh.h"

typedef struct {
    cpm_mesh_places places;
    int dimensions, steps;       /* of each part */
    int parts, start[6], way[6]; /* the first dimension that a part goes along, and how */
} torus;

/* One step of a part at one process: the line that it goes along, and how far its blocks are. */
typedef struct {
    const torus *t;
    int part, number; /* of the process in the mesh */
    int finished;     /* dimensions */
    int dimension, way, step;
} ring_step;

static int coordinate(const torus *t, int number, int dimension)
{
    return number / cpm_mesh_stride(t->places.extent, dimension) % t->places.extent[dimension];
}

/* The number of the process so far along the line. */
static int along(const ring_step *x, int distance)
{
    const int *extent = x->t->places.extent;
    const int e = extent[x->dimension], at = coordinate(x->t, x->number, x->dimension);
    const int there = ((at + x->way * distance) % e + e) % e;
    return x->number + (there - at) * cpm_mesh_stride(extent, x->dimension);
}

static int rank_at(const torus *t, int number)
{
    return t->places.rank_of ? t->places.rank_of[number] : number;
}

static int number_of(const torus *t, int rank)
{
    return t->places.number_of ? t->places.number_of[rank] : rank;
}

static int dimension_of(const torus *t, int part, int k)
{
    return (t->start[part] + k) % t->dimensions;
}

/* The step-th of all steps of a part. */
static ring_step step_of(const torus *t, int part, int number, int step)
{
    ring_step x = {.t = t,
                   .part = part,
                   .number = number,
                   .dimension = dimension_of(t, part, 0),
                   .way = t->way[part],
                   .step = step};
    while (x.step >= t->places.extent[x.dimension] - 1) {
        x.step -= t->places.extent[x.dimension] - 1;
        x.dimension = dimension_of(t, part, ++x.finished);
    }
    return x;
}

/* Whether the block of a process is among those that it has brought along finished dimensions. */
static bool is_with(const ring_step *x, int number, int of)
{
    for (int k = x->finished; k < x->t->dimensions; k++) {
        const int d = dimension_of(x->t, x->part, k);
        if (coordinate(x->t, number, d) != coordinate(x->t, of, d))
            return false;
    }
    return true;
}

/* Adds to the last message the blocks that the process of that number has brought so far. */
static void add_blocks(const ring_step *x, int of, int n, cpm_steps *out)
{
    for (int rank = 0, first; rank < n; rank++) {
        for (first = rank; rank < n && is_with(x, number_of(x->t, rank), of); rank++)
            continue;
        if (rank > first)
            cpm_and(out, (int64_t)x->part * n + first, rank - first);
    }
}

/* What comes from behind began one step further away than what is sent ahead. */
static void pass_on(const ring_step *x, int n, cpm_steps *out)
{
    cpm_recv(out, rank_at(x->t, along(x, -1)), 0, 0);
    add_blocks(x, along(x, -1 - x->step), n, out);
    cpm_send(out, rank_at(x->t, along(x, 1)), 0, 0);
    add_blocks(x, along(x, -x->step), n, out);
}

/* The same backwards. */
static void bring_together(const ring_step *x, int n, cpm_steps *out)
{
    cpm_combine(out, rank_at(x->t, along(x, 1)), 0, 0);
    add_blocks(x, along(x, -x->step), n, out);
    cpm_send(out, rank_at(x->t, along(x, -1)), 0, 0);
    add_blocks(x, along(x, -1 - x->step), n, out);
}

static void build_allgather(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const torus *t = s->state;
    for (int step = 0; step < t->steps; step++) {
        for (int part = 0; part < t->parts; part++) {
            const ring_step x = step_of(t, part, number_of(t, rank), step);
            pass_on(&x, s->n, out);
        }
        cpm_next_round(out);
    }
}

static void build_reduce_scatter(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const torus *t = s->state;
    for (int step = t->steps - 1; step >= 0; step--) {
        for (int part = 0; part < t->parts; part++) {
            const ring_step x = step_of(t, part, number_of(t, rank), step);
            bring_together(&x, s->n, out);
        }
        cpm_next_round(out);
    }
}

static void build_allreduce(const cpm_schedule *s, int rank, cpm_steps *out)
{
    build_reduce_scatter(s, rank, out);
    build_allgather(s, rank, out);
}

static void torus_free(void *x)
{
    torus *t = x;
    cpm_mesh_places_clear(&t->places);
    free(t);
}

/* Dimensions of one process, which no block goes along; one dimension stays. */
static void leave_short_ones_out(torus *t, int dimensions)
{
    int *extent = t->places.extent;
    for (int d = 0; d < dimensions; d++) {
        t->steps += extent[d] - 1;
        if (extent[d] > 1)
            extent[t->dimensions++] = extent[d];
    }
    t->dimensions += t->dimensions == 0;
}

/* Along one link each; in a line of two both directions are the same. */
static void add_parts(torus *t)
{
    for (int way = 1; way >= -1; way -= 2)
        for (int d = 0; d < t->dimensions; d++)
            if (way > 0 || t->places.extent[d] > 2) {
                t->start[t->parts] = d;
                t->way[t->parts++] = way;
            }
}

/* A part has n blocks; units: of the operation. */
static int set(const cpm_algorithm *a, const cpm_call *call, int units, cpm_schedule *s,
               void (*build)(const cpm_schedule *, int, cpm_steps *), cpm_error *e)
{
    const cpm_mesh *mesh = a->variant;
    torus *t = calloc(1, sizeof *t);
    if (!t)
        return cpm_no_memory(e);
    const int status = cpm_mesh_places_of(a, call, &t->places, e);
    if (status) {
        free(t);
        return status;
    }
    leave_short_ones_out(t, mesh->dimensions);
    add_parts(t);
    s->blocks = (int64_t)t->parts * call->n;
    s->pieces = (int)(s->blocks / units);
    s->build = build;
    s->state = t;
    s->free_state = torus_free;
    return CPM_OK;
}

cpm_create cpm_buckets_allgather, cpm_buckets_reduce_scatter, cpm_buckets_allreduce;

int cpm_buckets_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                          cpm_error *e)
{
    return set(a, call, call->n, s, build_allgather, e);
}

int cpm_buckets_reduce_scatter(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                               cpm_error *e)
{
    return set(a, call, call->n, s, build_reduce_scatter, e);
}

int cpm_buckets_allreduce(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                          cpm_error *e)
{
    return set(a, call, 1, s, build_allreduce, e);
}
