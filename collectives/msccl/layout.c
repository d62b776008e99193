/* Inputs and outputs of each collective, as msccl-tools lays them out. */
#include "collectives/msccl/layout.h"

#include <stdlib.h>
#include <string.h>

static const int64_t most_cells = 1 << 22, most_held = 1 << 24;

static const struct {
    const char *name; /* MSCCL's */
    int operation;    /* ours */
    bool each[2];     /* input and output have a block of each gpu */
} collectives[] = {
    {"allgather", CPM_OP_ALLGATHER, {false, true}},
    {"allreduce", CPM_OP_ALLREDUCE, {false, false}},
    {"reduce_scatter", CPM_OP_REDUCE_SCATTER, {true, false}},
    {"reducescatter", CPM_OP_REDUCE_SCATTER, {true, false}},
    {"alltoall", CPM_OP_ALLTOALL, {true, true}},
    {"broadcast", CPM_OP_BCAST, {false, false}},
    {"reduce", CPM_OP_REDUCE, {false, false}},
    {"gather", CPM_OP_GATHER, {false, true}},
    {"scatter", CPM_OP_SCATTER, {true, false}},
};

static int set_operation(cpm_msccl_layout *l, cpm_error *e)
{
    enum { COUNT = sizeof collectives / sizeof *collectives };
    const cpm_msccl *x = l->of;
    int k = 0;
    while (k < COUNT && strcmp(collectives[k].name, x->collective) != 0)
        k++;
    if (k == COUNT)
        return cpm_fail(e, CPM_EPARSE,
                        "%s: algo: coll: '%s' is none of allgather, allreduce, reduce_scatter, "
                        "alltoall, broadcast, reduce, gather and scatter",
                        x->name, x->collective);
    bool some = collectives[k].each[CPM_MSCCL_INPUT] || collectives[k].each[CPM_MSCCL_OUTPUT];
    if (some && x->loop_chunks % x->n)
        return cpm_fail(e, CPM_EPARSE,
                        "%s: algo: nchunksperloop: %d chunks do not divide evenly over %d gpus",
                        x->name, x->loop_chunks, x->n);
    l->operation = &cpm_operations[collectives[k].operation];
    l->pieces = some ? x->loop_chunks / x->n : x->loop_chunks;
    for (int b = 0; b < 2; b++)
        l->chunks[b] = collectives[k].each[b] ? x->loop_chunks : l->pieces;
    return CPM_OK;
}

/* The only gpu that does not do so; -1: there is none, or more than one. */
static int find_without(const cpm_msccl *x, unsigned what, int *out, cpm_error *e)
{
    bool *has = calloc((size_t)x->n, sizeof *has);
    int without = 0;
    if (!has)
        return cpm_no_memory(e);
    for (int64_t k = 0; k < x->count; k++)
        has[x->at[k].gpu] |= (x->at[k].does & what) != 0;
    for (int g = 0; g < x->n; g++)
        if (!has[g]) {
            *out = g;
            without++;
        }
    free(has);
    if (without != 1)
        *out = -1;
    return CPM_OK;
}

/* Files need not say the root: a block spreads from the gpu that receives none, and ends at the one
 * that sends none. */
static int set_root(cpm_msccl_layout *l, cpm_error *e)
{
    const cpm_msccl *x = l->of;
    int op = (int)(l->operation - cpm_operations);
    bool spreads = op == CPM_OP_BCAST || op == CPM_OP_SCATTER;
    if (!l->operation->rooted)
        return CPM_OK;
    l->root = x->root;
    int status = x->root >= 0
                     ? CPM_OK
                     : find_without(x, spreads ? CPM_MSCCL_RECEIVES : CPM_MSCCL_SENDS, &l->root, e);
    if (status || l->root >= 0)
        return status;
    return cpm_fail(e, CPM_EPARSE,
                    "%s: the root is not clear, as not exactly one gpu %s nothing: say it by "
                    "root=\"GPU\" in <algo>",
                    x->name, spreads ? "receives" : "sends");
}

/* Where the smaller one of input and output begins in the larger one, if they are one. */
static int shift(const cpm_msccl_layout *l, int gpu)
{
    return l->chunks[CPM_MSCCL_INPUT] == l->chunks[CPM_MSCCL_OUTPUT] ? 0 : gpu * l->pieces;
}

static int larger(const cpm_msccl_layout *l)
{
    return l->chunks[CPM_MSCCL_OUTPUT] > l->chunks[CPM_MSCCL_INPUT] ? CPM_MSCCL_OUTPUT
                                                                    : CPM_MSCCL_INPUT;
}

static int set_cells(cpm_msccl_layout *l, cpm_error *e)
{
    const cpm_msccl *x = l->of;
    int64_t both = l->of->in_place ? l->chunks[larger(l)] : l->chunks[0] + l->chunks[1];
    l->base = calloc((size_t)x->n + 1, sizeof *l->base);
    if (!l->base)
        return cpm_no_memory(e);
    for (int g = 0; g < x->n; g++)
        l->base[g + 1] = l->base[g] + both + x->scratch[g];
    l->units = l->operation->units(x->n, NULL);
    l->positions = l->units * l->pieces;
    if (l->base[x->n] > most_cells || l->positions > most_held / x->n)
        return cpm_fail(e, CPM_EPARSE, "%s: %s of %d gpus in %d chunks is too large to be followed",
                        x->name, x->collective, x->n, x->loop_chunks);
    return CPM_OK;
}

int cpm_msccl_layout_create(const cpm_msccl *x, cpm_msccl_layout *out, cpm_error *e)
{
    *out = (cpm_msccl_layout){.of = x};
    int status = set_operation(out, e);
    if (!status)
        status = set_root(out, e);
    if (!status)
        status = set_cells(out, e);
    if (status)
        cpm_msccl_layout_clear(out);
    return status;
}

void cpm_msccl_layout_clear(cpm_msccl_layout *l)
{
    free(l->base);
    l->base = NULL;
}

int64_t cpm_msccl_cell(const cpm_msccl_layout *l, int gpu, int buffer, int offset)
{
    int64_t base = l->base[gpu], large = l->chunks[larger(l)];
    int64_t small = l->of->in_place ? 0 : l->chunks[1 - larger(l)];
    if (buffer == CPM_MSCCL_SCRATCH)
        return base + large + small + offset;
    if (buffer == larger(l))
        return base + offset;
    return base + offset + (l->of->in_place ? shift(l, gpu) : large);
}

int cpm_msccl_chunks(const cpm_msccl_layout *l, int gpu, int buffer)
{
    return buffer == CPM_MSCCL_SCRATCH ? l->of->scratch[gpu] : l->chunks[buffer];
}

/* Of a buffer with one block it is the own one, and where all are pairs, one side is its gpu. */
static int64_t unit_of(const cpm_msccl_layout *l, int gpu, int buffer, int block)
{
    int64_t n = l->of->n;
    if (cpm_operation_is_whole(l->operation))
        return 0;
    if (cpm_operation_is_of_pairs(l->operation))
        return buffer == CPM_MSCCL_INPUT ? gpu * n + block : block * n + gpu;
    return l->chunks[buffer] == l->chunks[larger(l)] ? block : gpu;
}

int64_t cpm_msccl_position(const cpm_msccl_layout *l, int gpu, int buffer, int offset)
{
    int64_t unit = unit_of(l, gpu, buffer, offset / l->pieces);
    bool is = (buffer == CPM_MSCCL_INPUT ? l->operation->before
                                         : l->operation->after)(l->of->n, l->root, gpu, unit, NULL);
    return is ? offset % l->pieces * l->units + unit : -1;
}
