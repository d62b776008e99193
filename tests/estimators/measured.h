/* What tests of estimators share: measuring a model's design on the model itself. */
#ifndef CPM_TESTS_MEASURED_H
#define CPM_TESTS_MEASURED_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../models/random_model.h"
#include "estimators/estimator.h"
#include "models/synthetic.h"

static inline cpm_estimation without_thresholds(void)
{
    cpm_estimation options = CPM_ESTIMATION_DEFAULT;
    options.thresholds = false;
    return options;
}

static inline const cpm_estimator *estimator_of(const char *model, const char *method)
{
    const cpm_estimator *estimator = NULL;
    assert_int_equal(cpm_estimator_find(model, method, &estimator, NULL), CPM_OK);
    return estimator;
}

/* The estimator's design, measured where truth plays the cluster, reps repetitions each. */
static inline cpm_measurements measured(const cpm_estimator *estimator,
                                        const cpm_estimation *options, const cpm_model *truth,
                                        double noise, int reps, unsigned long seed)
{
    cpm_error e = {0};
    cpm_machine *machine;
    cpm_measurements m = {0};
    cpm_estimator_context context = {estimator, options};
    cpm_campaign campaign = {.precision = {reps, reps, 0.95, 0.025, CPM_MEDIAN, 0}};
    assert_int_equal(cpm_synthetic_create(truth, noise, seed, &machine, &e), CPM_OK);
    if (cpm_campaign_run(machine, cpm_estimator_planner, &context, &campaign, &m, &e))
        fail_msg("%s", e.text);
    machine->free(machine);
    return m;
}

static inline cpm_model *fitted(const cpm_estimator *estimator, const cpm_estimation *options,
                                const cpm_measurements *m)
{
    cpm_error e = {0};
    cpm_model *model = NULL;
    if (cpm_estimate(estimator, options, m, NULL, NULL, &model, &e))
        fail_msg("%s", e.text);
    return model;
}

/* measured and fitted, with default options but no thresholds. */
static inline cpm_model *estimated(const char *model, const char *method, const cpm_model *truth,
                                   double noise, int reps, unsigned long seed)
{
    cpm_estimation options = without_thresholds();
    const cpm_estimator *estimator = estimator_of(model, method);
    cpm_measurements m = measured(estimator, &options, truth, noise, reps, seed);
    cpm_model *result = fitted(estimator, &options, &m);
    cpm_measurements_clear(&m);
    return result;
}

/* Relative errors of the values of p that are not 0, ascending; the caller frees them. */
static inline int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double *relative_errors(const cpm_model *m, const cpm_model *truth, int p, int *count)
{
    size_t all = cpm_parameter_values(m, p);
    double *error = malloc(all * sizeof *error);
    assert_non_null(error);
    *count = 0;
    for (size_t v = 0; v < all; v++)
        if (truth->value[p][v] != 0)
            error[(*count)++] = fabs(m->value[p][v] / truth->value[p][v] - 1);
    qsort(error, (size_t)*count, sizeof *error, ascending);
    return error;
}

/* The relative error below which that share of the values of p stay; share 1: the worst. */
static inline double error_quantile(const cpm_model *m, const cpm_model *truth, int p, double share)
{
    int count;
    double *error = relative_errors(m, truth, p, &count);
    double result = error[(int)ceil(share * count) - 1];
    free(error);
    return result;
}

/* Whether messages of a host to two partners have a link in common. */
static inline bool links_meet(const cpm_links *l, int from, int one, int other)
{
    int ones, others;
    const int *a = cpm_links_way(l, from, one, &ones), *b = cpm_links_way(l, from, other, &others);
    for (int u = 0; u < ones; u++)
        for (int v = 0; v < others; v++)
            if (a[u] == b[v])
                return true;
    return false;
}

static inline void assert_near(double value, double truth, double tolerance)
{
    if (!(fabs(value - truth) <= tolerance * fabs(truth)))
        fail_msg("%.12g is not %.12g within %g", value, truth, tolerance);
}

static inline void assert_same_parameters(const cpm_model *m, const cpm_model *truth,
                                          double tolerance)
{
    for (int p = 0; p < m->type->count; p++) {
        if (m->type->parameters[p].shape == CPM_SCALAR)
            continue;
        double worst = error_quantile(m, truth, p, 1);
        if (!(worst <= tolerance))
            fail_msg("%d processes: %s is off by %g", m->n, m->type->parameters[p].name, worst);
    }
}

#endif
