/* PLogP: L + g(M). The sender's processor is busy for the first os(M), the receiver's for the last
 * or(M) of that time, and the next message starts g(M) later. */
#include "models/plogp.h"

#include "models/curve.h"
#include "models/tree_times.h"

/* Overheads of large messages may overlap, so that the wire's share can be negative: the first
 * bytes are received while the last are still being sent. */
static void plogp_cost(const void *model, int from, int to, size_t bytes, cpm_cost *cost)
{
    const cpm_model *m = model;
    size_t pair = cpm_pair_place(m, 0, from, to);
    double gap = cpm_curve_at(m, CPM_PLOGP_G, pair, bytes);
    double send = cpm_curve_at(m, CPM_PLOGP_OS, cpm_place(m, 0, from), bytes);
    double recv = cpm_curve_at(m, CPM_PLOGP_OR, cpm_place(m, 0, to), bytes);
    *cost = (cpm_cost){.send = send,
                       .gap = gap,
                       .wire = m->value[CPM_PLOGP_L][pair] + gap - send - recv,
                       .recv = recv};
}

/* ---- homogeneous formulas, with the averages of the parameters */

static double mean_gap(const cpm_model *m, size_t bytes)
{
    double sum = 0;
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n; j++)
            if (i != j)
                sum += cpm_curve_at(m, CPM_PLOGP_G, cpm_pair_place(m, 0, i, j), bytes);
    return sum / ((double)m->n * (m->n - 1));
}

double cpm_plogp_linear_hom(const cpm_model *m, const cpm_formula_call *c)
{
    return cpm_parameter_mean(m, CPM_PLOGP_L) + (m->n - 1) * mean_gap(m, c->bytes);
}

static double mean_message(const cpm_model *m, size_t bytes)
{
    return cpm_parameter_mean(m, CPM_PLOGP_L) + mean_gap(m, bytes);
}

static double binomial_bcast_hom(const cpm_model *m, const cpm_formula_call *c)
{
    return cpm_binomial_levels(m->n) * mean_message(m, c->bytes);
}

static double binomial_hom(const cpm_model *m, const cpm_formula_call *c)
{
    return cpm_binomial_way(m, c->bytes, mean_message);
}

/* clang-format off */
static const cpm_parameter parameters[] = {
    [CPM_PLOGP_L]  = {"L", CPM_PAIR, false, false, "s", "latency", false},
    [CPM_PLOGP_OS] = {"os", CPM_PROCESS, false, false, "s", "overhead of sending", true},
    [CPM_PLOGP_OR] = {"or", CPM_PROCESS, false, false, "s", "overhead of receiving", true},
    [CPM_PLOGP_G]  = {"g", CPM_PAIR, false, false, "s", "gap between messages", true},
};

static const cpm_formula formulas[] = {
    {"scatter", "linear", "recursion", "Kielmann et al. 2000", true, cpm_linear_scatter_time, 0, 0},
    {"scatter", "linear", "hom", "thesis table 5.2", false, cpm_plogp_linear_hom, 0, 0},
    {"scatter", "binomial", "recursion", "as thesis (5.1)", true, cpm_binomial_scatter_time, 0, 0},
    {"scatter", "binomial", "hom", "levels of L + g(M)", false, binomial_hom,
     CPM_FORMULA_POWER_OF_2, 0},
    {"gather", "linear", "recursion", "Kielmann et al. 2000", true, cpm_linear_gather_time, 0, 0},
    {"gather", "linear", "hom", "thesis table 5.2", false, cpm_plogp_linear_hom, 0, 0},
    {"gather", "binomial", "recursion", "as thesis (5.1)", true, cpm_binomial_gather_time, 0, 0},
    {"gather", "binomial", "hom", "levels of L + g(M)", false, binomial_hom,
     CPM_FORMULA_POWER_OF_2, 0},
    {"bcast", "linear", "recursion", "Kielmann et al. 2000", true, cpm_linear_scatter_time, 0, 0},
    {"bcast", "linear", "hom", "thesis table 5.2", false, cpm_plogp_linear_hom, 0, 0},
    {"bcast", "binomial", "recursion", "as thesis (5.1)", true, cpm_binomial_bcast_time, 0, 0},
    {"bcast", "binomial", "hom", "Pjesivac-Grbovic et al. 2005", false, binomial_bcast_hom,
     CPM_FORMULA_POWER_OF_2, 0},
    {0},
};
/* clang-format on */

const cpm_model_type cpm_plogp = {
    .name = "plogp",
    .title = "PLogP (heterogeneous)",
    .source = "Kielmann, Bal, Verstoep, IPDPS workshops 2000; thesis 2.2.4, 5.2",
    .min_processes = 2,
    .parameters = parameters,
    .count = sizeof parameters / sizeof parameters[0],
    .formulas = formulas,
    .cost = plogp_cost,
};
