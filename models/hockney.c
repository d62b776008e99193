/* Hockney: a message occupies both link ends for alpha + beta M (Hockney 1994; thesis 5.1). */
#include "models/hockney.h"

#include <math.h>

#include "collectives/algorithms/pieces.h"
#include "models/alpha_beta.h"
#include "models/tree_times.h"

static double message(const cpm_model *m, int from, int to, double bytes)
{
    size_t at = cpm_pair_place(m, 0, from, to);
    return m->value[CPM_HOCKNEY_ALPHA][at] + bytes * m->value[CPM_HOCKNEY_BETA][at];
}

/* The model knows no processors: messages wait for link ends only, so a flat tree takes the sum of
 * its messages and a binomial one the recursion (5.1), with the factor M that is missing there. */
static void hockney_cost(const void *model, int from, int to, size_t bytes, cpm_cost *cost)
{
    double seconds = message(model, from, to, (double)bytes);
    *cost = (cpm_cost){.send = 0, .gap = seconds, .wire = seconds, .recv = 0};
}

/* With the link ends of the root as parallel as they could be: the longest of its messages. */
static double longest_scatter(const cpm_model *m, const cpm_formula_call *c)
{
    double max = 0;
    for (int i = 0; i < m->n; i++)
        if (i != c->root)
            max = fmax(max, message(m, c->root, i, (double)c->bytes));
    return max;
}

static double longest_gather(const cpm_model *m, const cpm_formula_call *c)
{
    double max = 0;
    for (int i = 0; i < m->n; i++)
        if (i != c->root)
            max = fmax(max, message(m, i, c->root, (double)c->bytes));
    return max;
}

static double mean_message(const cpm_model *m, double messages, double bytes)
{
    return messages * cpm_parameter_mean(m, CPM_HOCKNEY_ALPHA) +
           bytes * cpm_parameter_mean(m, CPM_HOCKNEY_BETA);
}

static double serial_hom(const cpm_model *m, const cpm_formula_call *c)
{
    return mean_message(m, m->n - 1, (m->n - 1) * (double)c->bytes);
}

static double parallel_hom(const cpm_model *m, const cpm_formula_call *c)
{
    return mean_message(m, 1, (double)c->bytes);
}

static double binomial_hom(const cpm_model *m, const cpm_formula_call *c)
{
    return mean_message(m, cpm_binomial_levels(m->n), (m->n - 1) * (double)c->bytes);
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
    return mean_message(m, cpm_binomial_levels(m->n), cpm_binomial_levels(m->n) * (double)c->bytes);
}

/* clang-format off */
static const cpm_parameter parameters[] = {
    [CPM_HOCKNEY_ALPHA] = {"alpha", CPM_PAIR, false, false, "s", "latency"},
    [CPM_HOCKNEY_BETA]  = {"beta", CPM_PAIR, false, false, "s/B",
                           "time per byte, the inverse of the bandwidth"},
};

static const cpm_formula formulas[] = {
    {"scatter", "linear", "serial", "thesis 5.1", true, cpm_linear_scatter_time, 0, 0},
    {"scatter", "linear", "parallel", "thesis 5.1", false, longest_scatter, 0, 0},
    {"scatter", "linear", "serial-hom", "thesis 5.1", false, serial_hom, 0, 0},
    {"scatter", "linear", "parallel-hom", "thesis 5.1", false, parallel_hom, 0, 0},
    {"scatter", "binomial", "recursion", "thesis (5.1)", true, cpm_binomial_scatter_time, 0, 0},
    {"scatter", "binomial", "hom", "thesis (5.3)", false, binomial_hom, 0, 0},
    {"gather", "linear", "serial", "thesis 5.1", true, cpm_linear_gather_time, 0, 0},
    {"gather", "linear", "parallel", "thesis 5.1", false, longest_gather, 0, 0},
    {"gather", "linear", "serial-hom", "thesis 5.1", false, serial_hom, 0, 0},
    {"gather", "linear", "parallel-hom", "thesis 5.1", false, parallel_hom, 0, 0},
    {"gather", "binomial", "recursion", "thesis (5.1)", true, cpm_binomial_gather_time, 0, 0},
    {"gather", "binomial", "hom", "thesis (5.3)", false, binomial_hom, 0, 0},
    {"bcast", "linear", "serial", "thesis 5.1", true, cpm_linear_scatter_time, 0, 0},
    {"bcast", "linear", "serial-hom", "thesis 5.1", false, serial_hom, 0, 0},
    {"bcast", "binomial", "recursion", "as thesis (5.1)", true, cpm_binomial_bcast_time, 0, 0},
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
