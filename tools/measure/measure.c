/* cpm measure: what a model is estimated from, into a file. */
#include "tools/frame/options.h"
#include "tools/frame/placement.h"
#include "tools/measure/estimation.h"
#include "tools/measure/measuring.h"
#include "tools/measure/session.h"

static int run(call *c, cpm_error *e)
{
    const cpm_estimator *estimator;
    cpm_estimation estimation;
    int status = estimation_find(c, &estimator, &estimation, e);
    if (!status)
        status = session_needs(c, estimator->min_processes, e);
    if (status)
        return status;
    cpm_class_rules *rules = NULL;
    status =
        session_agree(c, c->speaks ? estimation_classes(c, &rules, &estimation, e) : CPM_OK, e);
    if (!status)
        status = estimation_measure(c, estimator, &estimation,
                                    c->set->out.path ? c->set->out.path : "cluster.meas", NULL, e);
    cpm_class_rules_free(rules);
    return status;
}

static int check(const call *c, cpm_error *e)
{
    int status = estimation_check(c, e);
    return status ? status : placement_check_simulated(c->set, e);
}

/* clang-format off */
static const option own[] = {
    {"output", 'o', "FILE.meas", "write the measurements to FILE.meas (default cluster.meas)",
     offsetof(settings, out.path), set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_measure = {
    .name = "measure",
    .operands = "",
    .summary = "measure the data that a model is fitted to",
    .description = "Measures the design of a model: the experiments from which its parameters "
                   "are estimated. The file grows with the campaign; --resume continues one that "
                   "was stopped. cpm fit turns the file into a model.",
    .example = "mpiexec -n 4 cpm measure --model lmo -o cluster.meas",
    .measures = true,
    .settings = sizeof(estimation_settings),
    .options = {own, estimation_options, switches_options, measuring_options, budget_options,
                measurements_options, simulated_layout_options, force_options},
    .check = check,
    .defaults = measuring_model_defaults,
    .run = run,
};
