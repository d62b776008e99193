/* LogGP: L + 2o + (M - 1) G. The sender's processor is busy for o; the bytes behind the first leave
 * at G each, and the next message starts g after the last of them. */
#include "models/loggp.h"

#include <math.h>

#include "models/tree_times.h"

static double behind_the_first(double bytes)
{
    return fmax(0, bytes - 1);
}

static void loggp_cost(const void *model, int from, int to, size_t bytes, cpm_cost *cost)
{
    const cpm_model *m = model;
    size_t pair = cpm_pair_place(m, 0, from, to);
    double stream = behind_the_first((double)bytes) * m->value[CPM_LOGGP_G][pair];
    *cost = (cpm_cost){.send = m->value[CPM_LOGGP_O][cpm_place(m, 0, from)],
                       .gap = m->value[CPM_LOGGP_SMALL_G][pair] + stream,
                       .wire = m->value[CPM_LOGGP_L][pair] + stream,
                       .recv = m->value[CPM_LOGGP_O][cpm_place(m, 0, to)]};
}

/* ---- homogeneous formulas, with the averages of the parameters */

/* A message of one byte, or none. */
static double first_byte(const cpm_model *m)
{
    return cpm_parameter_mean(m, CPM_LOGGP_L) + 2 * cpm_parameter_mean(m, CPM_LOGGP_O);
}

double cpm_loggp_linear_hom(const cpm_model *m, const cpm_formula_call *c)
{
    double G = cpm_parameter_mean(m, CPM_LOGGP_G), g = cpm_parameter_mean(m, CPM_LOGGP_SMALL_G);
    return first_byte(m) + (m->n - 1) * behind_the_first((double)c->bytes) * G + (m->n - 2) * g;
}

static double mean_message(const cpm_model *m, size_t bytes)
{
    return first_byte(m) + behind_the_first((double)bytes) * cpm_parameter_mean(m, CPM_LOGGP_G);
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
    [CPM_LOGGP_L] = {"L", CPM_PAIR, false, false, "s", "latency of the network", false},
    [CPM_LOGGP_O] = {"o", CPM_PROCESS, false, false, "s", "overhead of sending or receiving", false},
    [CPM_LOGGP_SMALL_G] = {"g", CPM_PAIR, false, false, "s", "gap between messages", false},
    [CPM_LOGGP_G] = {"G", CPM_PAIR, false, false, "s/B", "gap per byte", false},
};

static const cpm_formula formulas[] = {
    {"scatter", "linear", "recursion", "Alexandrov et al. 1995", true, cpm_linear_scatter_time, 0, 0},
    {"scatter", "linear", "hom", "thesis table 5.2", false, cpm_loggp_linear_hom, 0, 0},
    {"scatter", "binomial", "recursion", "as thesis (5.1)", true, cpm_binomial_scatter_time, 0, 0},
    {"scatter", "binomial", "hom", "levels of L + 2o + (M-1) G", false, binomial_hom,
     CPM_FORMULA_POWER_OF_2, 0},
    {"gather", "linear", "recursion", "Alexandrov et al. 1995", true, cpm_linear_gather_time, 0, 0},
    {"gather", "linear", "hom", "thesis table 5.2", false, cpm_loggp_linear_hom, 0, 0},
    {"gather", "binomial", "recursion", "as thesis (5.1)", true, cpm_binomial_gather_time, 0, 0},
    {"gather", "binomial", "hom", "levels of L + 2o + (M-1) G", false, binomial_hom,
     CPM_FORMULA_POWER_OF_2, 0},
    {"bcast", "linear", "recursion", "Alexandrov et al. 1995", true, cpm_linear_scatter_time, 0, 0},
    {"bcast", "linear", "hom", "thesis table 5.2", false, cpm_loggp_linear_hom, 0, 0},
    {"bcast", "binomial", "recursion", "as thesis (5.1)", true, cpm_binomial_bcast_time, 0, 0},
    {"bcast", "binomial", "hom", "Pjesivac-Grbovic et al. 2005", false, binomial_bcast_hom,
     CPM_FORMULA_POWER_OF_2, 0},
    {0},
};
/* clang-format on */

const cpm_model_type cpm_loggp = {
    .name = "loggp",
    .title = "LogGP (heterogeneous)",
    .source = "Alexandrov et al., SPAA 1995; thesis 2.2.3",
    .min_processes = 2,
    .parameters = parameters,
    .count = sizeof parameters / sizeof parameters[0],
    .formulas = formulas,
    .cost = loggp_cost,
};
