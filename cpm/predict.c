/* Predicting a collective that is named, and choosing one, in an application's case. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/collective.h"
#include "collectives/topology_tree.h"
#include "cpm/cpm.h"
#include "mapping/map_file.h"
#include "models/draws.h"
#include "models/model.h"
#include "models/predict.h"
#include "selection/lower_bound.h"
#include "selection/model_selector.h"

/* ---- the case ---- */

/* Unit i*n + j goes from i to j and is j's block; the caller frees the result. */
static size_t *for_each_sender(const size_t *blocks, int n)
{
    size_t row = (size_t)n, *all = malloc(row * row * sizeof *all);
    for (size_t i = 0; all && i < row; i++)
        memcpy(all + i * row, blocks, row * sizeof *all);
    return all;
}

static size_t *for_each_edge(const size_t *blocks, const cpm_neighbours *g)
{
    size_t *all = malloc((size_t)g->edges * sizeof *all + 1);
    for (int k = 0; all && k < g->edges; k++)
        all[k] = blocks[g->to[k]];
    return all;
}

/* Sizes of units; the caller frees *owned. Without their graph nothing is known of neighbours. */
static int set_blocks(const cpm_operation *op, const size_t *blocks, int n, const cpm_neighbours *g,
                      cpm_block_sizes *sizes, size_t **owned, cpm_error *e)
{
    const bool near = cpm_operation_is_of_neighbours(op);
    const bool edges = op->send.elsewhere == CPM_BLOCK_OF_NEIGHBOUR;
    if (op->dataless || cpm_operation_is_whole(op) || (near && !op->counts))
        return cpm_fail(e, CPM_EINVAL, "%s has no blocks that differ", op->name);
    if (near && !g)
        return CPM_OK;
    *sizes = (cpm_block_sizes){.bytes = cpm_mean_bytes(blocks, n), .each = blocks};
    if (!edges && !cpm_operation_is_of_pairs(op))
        return CPM_OK;
    sizes->each = *owned = edges ? for_each_edge(blocks, g) : for_each_sender(blocks, n);
    return *owned ? CPM_OK : cpm_no_memory(e);
}

static int seat(const cpm_map *map, cpm_placement *at, cpm_error *e)
{
    if (map->mapping.n != at->n)
        return cpm_fail(e, CPM_EPROCESS, "the map is one of %d processes, the model of %d",
                        map->mapping.n, at->n);
    at->mapping = map->mapping.process;
    at->parent = map->mapping.parent;
    return CPM_OK;
}

/* To be left, also after a failure. */
typedef struct {
    size_t *blocks;
    cpm_neighbours *graph;
} owned_parts;

static void leave(owned_parts *owned)
{
    free(owned->blocks);
    cpm_neighbours_free(owned->graph);
}

static int take_graph(const char *graph, const cpm_operation *op, int n, owned_parts *owned,
                      cpm_error *e)
{
    if (!cpm_operation_is_of_neighbours(op))
        return cpm_fail(e, CPM_EINVAL, "a graph is for operations of neighbours, not for %s",
                        op->name);
    return cpm_neighbours_read(graph, n, &owned->graph, e);
}

/* Where c's operation takes place, and how large its units are. */
static int enter(const cpm_case *from, int n, cpm_collective *c, cpm_block_sizes *sizes,
                 owned_parts *owned, cpm_error *e)
{
    const size_t *blocks = from->blocks || !from->map ? from->blocks : from->map->sizes;
    c->at = (cpm_placement){.n = n, .root = from->root, .topology = from->topology};
    *sizes = (cpm_block_sizes){.bytes = from->bytes};
    c->combining = CPM_COMBINING_USUAL;
    if (from->root < 0 || from->root >= n)
        return cpm_fail(e, CPM_EINVAL, "root %d is not in 0..%d", from->root, n - 1);
    int status = from->topology ? cpm_topology_holds(from->topology, n, e) : CPM_OK;
    if (!status && from->combining)
        status = cpm_combining_find(from->combining, &c->combining, e);
    if (!status && from->map)
        status = seat(from->map, &c->at, e);
    if (!status && from->graph)
        status = take_graph(from->graph, c->operation, n, owned, e);
    if (!status && blocks)
        status = set_blocks(c->operation, blocks, n, owned->graph, sizes, &owned->blocks, e);
    c->at.neighbours = owned->graph;
    return status;
}

/* ---- predicting ---- */

static int parse(const char *text, cpm_collective *c, cpm_error *e)
{
    int status = cpm_collective_parse(text, c, e);
    if (!status && !c->algorithm)
        status = cpm_fail(e, CPM_EINVAL, "%s: a model knows no routine of an MPI library", text);
    return status;
}

static int check_map(const cpm_map *map, const cpm_collective *c, cpm_error *e)
{
    cpm_collective of;
    int status = map ? cpm_collective_parse(map->algorithm, &of, e) : CPM_OK;
    if (map && !status && (of.operation != c->operation || of.algorithm != c->algorithm))
        status = cpm_fail(e, CPM_EINVAL, "the map is one of %s, not of %s:%s", map->algorithm,
                          c->operation->name, c->algorithm->name);
    return status;
}

/* What is asked of n processes. */
static int read_case(const cpm_case *c, int n, const char *collective, cpm_collective *named,
                     cpm_block_sizes *sizes, owned_parts *owned, cpm_error *e)
{
    int status = parse(collective, named, e);
    if (!status)
        status = check_map(c->map, named, e);
    return status ? status : enter(c, n, named, sizes, owned, e);
}

double cpm_predict(const cpm_model *m, const char *collective, const cpm_case *c, double *finish,
                   cpm_error *e)
{
    cpm_collective named = {0};
    cpm_block_sizes sizes;
    owned_parts owned = {0};
    int status = read_case(c, m->n, collective, &named, &sizes, &owned, e);
    double seconds = status ? status : cpm_predict_collective(m, &named, &sizes, NULL, finish, e);
    leave(&owned);
    return seconds;
}

double cpm_predict_half(const cpm_model *m, const cpm_draws *draws, const char *collective,
                        const cpm_case *c, cpm_error *e)
{
    cpm_collective named = {0};
    cpm_block_sizes sizes;
    owned_parts owned = {0};
    int status = read_case(c, m->n, collective, &named, &sizes, &owned, e);
    if (!status && sizes.each)
        status = cpm_fail(e, CPM_EINVAL, "intervals are those of blocks of one size");
    double half = status ? status : cpm_draws_half(draws, &named, sizes.bytes, NULL, e);
    leave(&owned);
    return half;
}

int cpm_bound_of(const cpm_model *m, const char *operation, const cpm_case *c, cpm_bound *out,
                 cpm_error *e)
{
    cpm_collective of = {0};
    cpm_block_sizes sizes;
    cpm_lower_bound bound = {0};
    owned_parts owned = {0};
    int status = cpm_operation_find(operation, &of.operation, e);
    if (!status)
        status = enter(c, m->n, &of, &sizes, &owned, e);
    if (!status && sizes.each)
        status = cpm_fail(e, CPM_EINVAL, "bounds are those of blocks of one size");
    if (!status && cpm_operation_is_of_neighbours(of.operation) && !owned.graph)
        status = cpm_fail(e, CPM_EINVAL, "%s needs a graph", operation);
    if (!status)
        status = cpm_lower_bound_of(m, &of, sizes.bytes, &bound, e);
    leave(&owned);
    if (status)
        return status;
    out->seconds = bound.seconds;
    snprintf(out->limit, sizeof out->limit, "%s", bound.limit);
    return CPM_OK;
}

/* ---- choosing ---- */

static int choose(const cpm_model *m, const cpm_request *r, cpm_choice *out, cpm_error *e)
{
    cpm_selector *s;
    int status = cpm_selector_of_model(m, &CPM_SELECTOR_OWN, &s, e);
    if (status)
        return status;
    status = s->choose(s, r, out, e);
    s->free(s);
    if (!status && !out->what.algorithm)
        status = cpm_fail(e, CPM_EINVAL, "no algorithm of %s applies to %d processes",
                          r->operation->name, m->n);
    return status;
}

static int ask(const cpm_model *m, const cpm_request *r, const cpm_block_sizes *sizes,
               cpm_selection *out, cpm_error *e)
{
    cpm_choice chosen = {0};
    int status = choose(m, r, &chosen, e);
    if (!status) {
        const cpm_collective what = cpm_request_collective(r, &chosen.what);
        out->seconds = cpm_predict_collective(m, &what, sizes, NULL, NULL, e);
        cpm_collective_print(&what, out->collective, sizeof out->collective);
        status = out->seconds < 0 ? (int)out->seconds : CPM_OK;
    }
    cpm_choice_clear(&chosen);
    return status;
}

int cpm_select(const cpm_model *m, const char *operation, const cpm_case *c, cpm_selection *out,
               cpm_error *e)
{
    cpm_collective of = {0};
    cpm_block_sizes sizes;
    cpm_selection best;
    owned_parts owned = {0};
    int status = cpm_operation_find(operation, &of.operation, e);
    if (!status && c->map)
        status = cpm_fail(e, CPM_EINVAL, "maps are for predicting");
    if (!status)
        status = enter(c, m->n, &of, &sizes, &owned, e);
    if (!status) {
        const cpm_request r = {.operation = of.operation,
                               .n = m->n,
                               .root = c->root,
                               .bytes = sizes.bytes,
                               .sizes = sizes.each,
                               .topology = c->topology,
                               .neighbours = of.at.neighbours,
                               .ordered = c->ordered,
                               .combining = of.combining};
        status = ask(m, &r, &sizes, &best, e);
    }
    leave(&owned);
    if (!status)
        *out = best;
    return status;
}
