/* LogP: a large message is a series of short ones of w bytes, each of which keeps the processors
 * busy for o and starts no earlier than g after the one before. */
#include "models/logp.h"

#include <math.h>
#include <stdio.h>

#include "models/tree_times.h"

/* How many messages of size w carry that many bytes; an empty message is one, too. */
static double packets_of(const cpm_model *m, size_t bytes)
{
    return fmax(1, ceil((double)bytes / m->value[CPM_LOGP_W][0]));
}

static void logp_cost(const void *model, int from, int to, size_t bytes, cpm_cost *cost)
{
    const cpm_model *m = model;
    size_t pair = cpm_pair_place(m, 0, from, to);
    double o = m->value[CPM_LOGP_O][cpm_place(m, 0, from)],
           step = fmax(o, m->value[CPM_LOGP_G][pair]);
    double packets = packets_of(m, bytes);
    *cost = (cpm_cost){.send = (packets - 1) * step + o,
                       .gap = packets * step,
                       .wire = m->value[CPM_LOGP_L][pair],
                       .recv = m->value[CPM_LOGP_O][cpm_place(m, 0, to)]};
}

static bool logp_check(const cpm_model *m, cpm_flaw *flaw)
{
    double w = m->value[CPM_LOGP_W][0];
    if (w >= 1)
        return true;
    *flaw = (cpm_flaw){.parameter = CPM_LOGP_W, .size = -1, .i = -1, .j = -1};
    snprintf(flaw->text, sizeof flaw->text,
             "parameter 'w' must be the size of a message, at least 1 B: %g B", w);
    return false;
}

/* ---- homogeneous formulas, with the averages of the parameters */

static double series(const cpm_model *m, double messages)
{
    double o = cpm_parameter_mean(m, CPM_LOGP_O), g = cpm_parameter_mean(m, CPM_LOGP_G);
    return cpm_parameter_mean(m, CPM_LOGP_L) + 2 * o + (messages - 1) * fmax(o, g);
}

static double linear_hom(const cpm_model *m, const cpm_formula_call *c)
{
    return series(m, (m->n - 1) * packets_of(m, c->bytes));
}

static double mean_message(const cpm_model *m, size_t bytes)
{
    return series(m, packets_of(m, bytes));
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
    [CPM_LOGP_L] = {"L", CPM_PAIR, false, false, "s", "latency of the network", false},
    [CPM_LOGP_O] = {"o", CPM_PROCESS, false, false, "s", "overhead of sending or receiving", false},
    [CPM_LOGP_G] = {"g", CPM_PAIR, false, false, "s", "gap between messages", false},
    [CPM_LOGP_W] = {"w", CPM_SCALAR, false, false, "B", "size of the messages", false},
};

static const cpm_formula formulas[] = {
    {"scatter", "linear", "recursion", "Culler et al. 1993", true, cpm_linear_scatter_time, 0, 0},
    {"scatter", "linear", "hom", "thesis 2.2.2", false, linear_hom, 0, 0},
    {"scatter", "binomial", "recursion", "as thesis (5.1)", true, cpm_binomial_scatter_time, 0, 0},
    {"scatter", "binomial", "hom", "levels of L + 2o + (k-1) g", false, binomial_hom,
     CPM_FORMULA_POWER_OF_2, 0},
    {"gather", "linear", "recursion", "Culler et al. 1993", true, cpm_linear_gather_time, 0, 0},
    {"gather", "linear", "hom", "thesis 2.2.2", false, linear_hom, 0, 0},
    {"gather", "binomial", "recursion", "as thesis (5.1)", true, cpm_binomial_gather_time, 0, 0},
    {"gather", "binomial", "hom", "levels of L + 2o + (k-1) g", false, binomial_hom,
     CPM_FORMULA_POWER_OF_2, 0},
    {"bcast", "linear", "recursion", "Culler et al. 1993", true, cpm_linear_scatter_time, 0, 0},
    {"bcast", "linear", "hom", "thesis 2.2.2", false, linear_hom, 0, 0},
    {"bcast", "binomial", "recursion", "as thesis (5.1)", true, cpm_binomial_bcast_time, 0, 0},
    {"bcast", "binomial", "hom", "Pjesivac-Grbovic et al. 2005", false, binomial_bcast_hom,
     CPM_FORMULA_POWER_OF_2, 0},
    {0},
};
/* clang-format on */

const cpm_model_type cpm_logp = {
    .name = "logp",
    .title = "LogP (heterogeneous)",
    .source = "Culler et al., PPoPP 1993; thesis 2.2.2",
    .min_processes = 2,
    .parameters = parameters,
    .count = sizeof parameters / sizeof parameters[0],
    .formulas = formulas,
    .cost = logp_cost,
    .check = logp_check,
};
