/* cpm fit: from measurements to a model. */
#include <stdlib.h>

#include "tools/estimation.h"
#include "tools/measuring.h"
#include "tools/options.h"

static int fit_to(call *c, const char *mod, cpm_error *e)
{
    const cpm_estimator *estimator;
    cpm_estimation estimation;
    int status = estimation_find(c, &estimator, &estimation, e);
    if (!status)
        status = output_check(mod, e);
    if (!status)
        status = estimation_fit(estimator, &estimation, c->operand[0], mod, e);
    if (!status)
        fprintf(stderr, "cpm: wrote %s\n", mod);
    return status;
}

static int run(call *c, cpm_error *e)
{
    if (c->set.output)
        return fit_to(c, c->set.output, e);
    char *mod = with_suffix(c->operand[0], ".meas", ".mod");
    int status = mod ? fit_to(c, mod, e) : cpm_fail(e, CPM_ENOMEM, "no memory");
    free(mod);
    return status;
}

/* clang-format off */
static const option own[] = {
    {"output", 'o', "FILE.mod", "where the model goes (default: the measurements' name with .mod)",
     offsetof(settings, output), set_text},
    {"confidence", 0, "X", "level of the parameters' intervals (default 0.95)",
     offsetof(settings, precision.confidence), set_number},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */
static const option *const options[] = {own, estimation_options, NULL};

const command cpm_fit = {
    .name = "fit",
    .operands = "FILE.meas",
    .summary = "estimate a model's parameters from measurements",
    .description = "Estimates the parameters of a model from a file of measurements and writes "
                   "the model. Needs no MPI.",
    .example = "cpm fit --model lmo cluster.meas -o cluster.mod",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .run = run,
};
