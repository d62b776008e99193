/* Hockney: a message occupies both link ends for alpha + beta M (Hockney 1994; thesis 5.1). */
#include "models/hockney.h"

#include <math.h>

#include "collectives/algorithms/pieces.h"
#include "models/alpha_beta.h"

static double message(const cpm_model *m, int from, int to, double bytes)
{
    size_t at = cpm_pair_place(m, 0, from, to);
    return m->value[CPM_HOCKNEY_ALPHA][at] + bytes * m->value[CPM_HOCKNEY_BETA][at];
}

/* The model knows no processors: messages wait for link ends only, so a flat tree takes the sum of
 * its messages and a binomial one the recursion (5.1). */
static void hockney_cost(const void *model, int from, int to, size_t bytes, cpm_cost *cost)
{
    double seconds = message(model, from, to, (double)bytes);
    *cost = (cpm_cost){.send = 0, .gap = seconds, .wire = seconds, .recv = 0};
}

/* Gather's messages are those of scatter with sender and receiver swapped. */
typedef enum { DOWN, UP } direction;

static double edge(const cpm_model *m, direction d, int parent, int child, double bytes)
{
    return d == DOWN ? message(m, parent, child, bytes) : message(m, child, parent, bytes);
}

static double flat_serial(const cpm_model *m, direction d, int root, size_t bytes)
{
    double sum = 0;
    for (int i = 0; i < m->n; i++)
        if (i != root)
            sum += edge(m, d, root, i, (double)bytes);
    return sum;
}

static double flat_parallel(const cpm_model *m, direction d, int root, size_t bytes)
{
    double max = 0;
    for (int i = 0; i < m->n; i++)
        if (i != root)
            max = fmax(max, edge(m, d, root, i, (double)bytes));
    return max;
}

/* (5.1) for the subtree of the nodes [v, v + nodes). The largest message goes first (scatter) or
 * comes last (gather). The thesis has n = 2^k; otherwise subtrees end at the last node, as in
 * MPICH, and a message carries as many blocks as its subtree has nodes; in bcast it is the one
 * block. */
typedef struct {
    const cpm_model *m;
    direction d;
    int root;
    double bytes;
    bool one_block;
} binomial;

static double subtree(const binomial *b, int v, int nodes)
{
    if (nodes <= 1)
        return 0;
    int half = 1;
    while (2 * half < nodes)
        half *= 2;
    int n = b->m->n, rest = nodes - half;
    double blocks = b->one_block ? 1 : rest;
    double largest =
        edge(b->m, b->d, (v + b->root) % n, (v + half + b->root) % n, blocks * b->bytes);
    return largest + fmax(subtree(b, v, half), subtree(b, v + half, rest));
}

static double tree(const cpm_model *m, direction d, int root, size_t bytes, bool one_block)
{
    binomial b = {m, d, root, (double)bytes, one_block};
    return subtree(&b, 0, m->n);
}

static double mean_message(const cpm_model *m, double messages, double bytes)
{
    return messages * cpm_parameter_mean(m, CPM_HOCKNEY_ALPHA) +
           bytes * cpm_parameter_mean(m, CPM_HOCKNEY_BETA);
}

static int log2_up(int n)
{
    int k = 0;
    while (k < 31 && (1L << k) < n)
        k++;
    return k;
}

double cpm_hockney_flat_serial(const cpm_model *m, const cpm_formula_call *c)
{
    return flat_serial(m, DOWN, c->root, c->bytes);
}

double cpm_hockney_flat_parallel(const cpm_model *m, const cpm_formula_call *c)
{
    return flat_parallel(m, DOWN, c->root, c->bytes);
}

double cpm_hockney_binomial(const cpm_model *m, const cpm_formula_call *c)
{
    return tree(m, DOWN, c->root, c->bytes, false);
}

double cpm_hockney_flat_serial_hom(const cpm_model *m, const cpm_formula_call *c)
{
    return mean_message(m, m->n - 1, (m->n - 1) * (double)c->bytes);
}

double cpm_hockney_flat_parallel_hom(const cpm_model *m, const cpm_formula_call *c)
{
    return mean_message(m, 1, (double)c->bytes);
}

double cpm_hockney_binomial_hom(const cpm_model *m, const cpm_formula_call *c)
{
    return mean_message(m, log2_up(m->n), (m->n - 1) * (double)c->bytes);
}

static double gather_serial(const cpm_model *m, const cpm_formula_call *c)
{
    return flat_serial(m, UP, c->root, c->bytes);
}

static double gather_parallel(const cpm_model *m, const cpm_formula_call *c)
{
    return flat_parallel(m, UP, c->root, c->bytes);
}

static double gather_binomial(const cpm_model *m, const cpm_formula_call *c)
{
    return tree(m, UP, c->root, c->bytes, false);
}

static double bcast_binomial(const cpm_model *m, const cpm_formula_call *c)
{
    return tree(m, DOWN, c->root, c->bytes, true);
}

/* Every segment but the last keeps all others waiting at the slowest link. */
static double bcast_chain(const cpm_model *m, const cpm_formula_call *c)
{
    int segments = cpm_segments_of(c->bytes, c->with.segment);
    double sum = 0, slowest = 0;
    for (int v = 1; v < m->n; v++) {
        int from = (v - 1 + c->root) % m->n, to = (v + c->root) % m->n;
        double seconds = message(m, from, to, (double)c->bytes / segments);
        sum += seconds;
        slowest = fmax(slowest, seconds);
    }
    return sum + (segments - 1) * slowest;
}

static double bcast_binomial_hom(const cpm_model *m, const cpm_formula_call *c)
{
    return mean_message(m, log2_up(m->n), log2_up(m->n) * (double)c->bytes);
}

/* clang-format off */
static const cpm_parameter parameters[] = {
    [CPM_HOCKNEY_ALPHA] = {"alpha", CPM_PAIR, false, false, "s", "latency"},
    [CPM_HOCKNEY_BETA]  = {"beta", CPM_PAIR, false, false, "s/B",
                           "time per byte, the inverse of the bandwidth"},
};

static const cpm_formula formulas[] = {
    {"scatter", "linear", "serial", "thesis 5.1", true, cpm_hockney_flat_serial, 0, 0},
    {"scatter", "linear", "parallel", "thesis 5.1", false, cpm_hockney_flat_parallel, 0, 0},
    {"scatter", "linear", "serial-hom", "thesis 5.1", false, cpm_hockney_flat_serial_hom, 0, 0},
    {"scatter", "linear", "parallel-hom", "thesis 5.1", false, cpm_hockney_flat_parallel_hom, 0, 0},
    {"scatter", "binomial", "recursion", "thesis (5.1)", true, cpm_hockney_binomial, 0, 0},
    {"scatter", "binomial", "hom", "thesis (5.3)", false, cpm_hockney_binomial_hom, 0, 0},
    {"gather", "linear", "serial", "thesis 5.1", true, gather_serial, 0, 0},
    {"gather", "linear", "parallel", "thesis 5.1", false, gather_parallel, 0, 0},
    {"gather", "linear", "serial-hom", "thesis 5.1", false, cpm_hockney_flat_serial_hom, 0, 0},
    {"gather", "linear", "parallel-hom", "thesis 5.1", false, cpm_hockney_flat_parallel_hom, 0, 0},
    {"gather", "binomial", "recursion", "thesis (5.1)", true, gather_binomial, 0, 0},
    {"gather", "binomial", "hom", "thesis (5.3)", false, cpm_hockney_binomial_hom, 0, 0},
    {"bcast", "linear", "serial", "thesis 5.1", true, cpm_hockney_flat_serial, 0, 0},
    {"bcast", "linear", "serial-hom", "thesis 5.1", false, cpm_hockney_flat_serial_hom, 0, 0},
    {"bcast", "binomial", "recursion", "as thesis (5.1)", true, bcast_binomial, 0, 0},
    {"bcast", "binomial", "hom", "as thesis (5.3)", false, bcast_binomial_hom, 0, 0},
    {"bcast", "chain", "serial", "as Pjesivac-Grbovic et al. 2005 (pipeline)", true, bcast_chain,
     CPM_FORMULA_EQUAL_SEGMENTS, CPM_TAKES_SEGMENT},
#define X(operation, algorithm, name, source, messages, blocks, domain, takes) \
    {operation, algorithm, "alpha-beta", source, false, cpm_alpha_beta_##name, domain, takes},
    CPM_ALPHA_BETA(X)
#undef X
    {0},
};
/* clang-format on */

const cpm_model_type cpm_hockney = {
    .name = "hockney",
    .title = "Hockney (heterogeneous)",
    .source = "Hockney, Parallel Computing 20 (1994); thesis 5.1",
    .min_processes = 2,
    .parameters = parameters,
    .count = sizeof parameters / sizeof parameters[0],
    .formulas = formulas,
    .cost = hockney_cost,
};
