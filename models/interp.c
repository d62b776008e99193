/* Measured curves. The reference for models: on its grid it is as good as the measurement, and
 * between its sizes any model worth its name should beat it. It cannot predict what was not
 * measured. */
#include "models/interp.h"

#include <math.h>

#include "collectives/parameters.h"
#include "models/curve.h"

static void interp_cost(const void *model, int from, int to, size_t bytes, cpm_cost *cost)
{
    const cpm_model *m = model;
    double seconds = cpm_curve_at(m, CPM_INTERP_P2P, cpm_pair_place(m, 0, from, to), bytes);
    *cost = (cpm_cost){.gap = seconds, .wire = seconds};
}

static double interp_predict(const cpm_model *m, const cpm_collective *c,
                             const cpm_block_sizes *sizes, cpm_error *e)
{
    int root = c->at.root;
    const cpm_parameters usual = {0};
    double seconds = NAN;
    if (!c->algorithm->messages)
        seconds = cpm_curve_at(m, CPM_INTERP_ALGORITHMS + (int)(c->algorithm - cpm_algorithms),
                               cpm_place(m, 0, root), sizes->bytes);
    if (isnan(seconds) || c->at.mapping || c->at.parent || sizes->each ||
        !cpm_parameters_equal(&c->with, &usual))
        return cpm_fail(
            e, CPM_EDATA,
            "%s:%s from root %d was not measured in this form, and model interp knows nothing else",
            c->operation->name, c->algorithm->name, root);
    return seconds;
}

/* clang-format off */
static const cpm_parameter parameters[] = {
    {"p2p", CPM_PAIR, false, false, "s", "half of a round trip", true, false},
#define ROW(operation, name, ...)                                                                  \
    {operation ":" name, CPM_PROCESS, true, false, "s", "time from that root", true, false},
#define TREE ROW
#include "collectives/algorithms/rows.def"
};
/* clang-format on */

const cpm_model_type cpm_interp = {
    .name = "interp",
    .title = "measured curves",
    .source = "linear interpolation",
    .min_processes = 2,
    .parameters = parameters,
    .count = sizeof parameters / sizeof *parameters,
    .cost = interp_cost,
    .predict = interp_predict,
};
