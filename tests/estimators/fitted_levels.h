/* What tests of lmo2's levels share: whether a fit has the parameters that were played. */
#ifndef CPM_TESTS_FITTED_LEVELS_H
#define CPM_TESTS_FITTED_LEVELS_H

#include <stdlib.h>

#include "../models/hosts_model.h"
#include "measured.h"
#include "models/predict.h"

static inline double walk_of(const cpm_model *m, const char *name, size_t bytes)
{
    cpm_collective c;
    assert_int_equal(cpm_collective_parse(name, &c, NULL), CPM_OK);
    return cpm_predict_bytes(m, &c, bytes, NULL, NULL, NULL);
}

static inline void expect_same_predictions(const cpm_model *truth, const cpm_model *fit,
                                           double tolerance)
{
    static const char *const names[] = {"scatter:linear", "gather:linear", "bcast:binomial",
                                        "alltoall:ring"};
    for (size_t q = 0; q < sizeof names / sizeof *names; q++)
        for (size_t bytes = 1; bytes < 200000; bytes *= 9) {
            double real = walk_of(truth, names[q], bytes), seen = walk_of(fit, names[q], bytes);
            if (!(fabs(seen / real - 1) < tolerance))
                fail_msg("%s of %zu bytes: %g instead of %g", names[q], bytes, seen, real);
        }
}

static inline void expect_close(const cpm_model *truth, const cpm_model *fit, int from, int to)
{
    for (int p = from; p <= to; p++)
        for (size_t q = 0; q < cpm_parameter_all_values(truth, p); q++) {
            double x = truth->value[p][q], y = fit->value[p][q];
            if (isnan(x) != isnan(y) || fabs(x - y) > 1e-6 * fabs(x) + 1e-18)
                fail_msg("%s [%zu]: %g instead of %g", truth->type->parameters[p].name, q, y, x);
        }
}

/* Of the first host. */
static inline double fitted_value(const cpm_model *truth, int p, double noise)
{
    cpm_model *fit = estimated("lmo2", NULL, truth, noise, 20, 1);
    double value = fit->value[p][0];
    cpm_model_free(fit);
    return value;
}

/* What the messages of one host share is as fast as one of them, slower, or not shared at all. */
static inline void expect_capacity_found(cpm_model *truth, int capacity, int invbeta)
{
    double alone = truth->value[invbeta][1];
    /* the largest buffered messages show it: those of the first regime */
    truth->value[invbeta][0] = alone;
    assert_true(fabs(fitted_value(truth, capacity, 0) / alone - 1) < 1e-6);
    truth->value[capacity][0] = 0.6 * alone;
    assert_true(fabs(fitted_value(truth, capacity, 0) / (0.6 * alone) - 1) < 1e-3);
    assert_true(fabs(fitted_value(truth, capacity, 0.02) / (0.6 * alone) - 1) < 0.1);
    truth->value[capacity][0] = NAN;
    assert_true(isnan(fitted_value(truth, capacity, 0)));
}

#endif
