/* Parameters from collectives: nonlinear least squares with the walk as the function. */
#ifndef CPM_ESTIMATORS_WALK_FIT_H
#define CPM_ESTIMATORS_WALK_FIT_H

#include "measurements/benchmark_conditions.h"
#include "measurements/measurements.h"
#include "models/walking.h"

enum { CPM_WALK_FIT_MOST = 16 }; /* unknowns */

/* Unknown k stands for one positive value. set puts all of them into the model. */
typedef struct {
    const cpm_measurements *measured;
    const cpm_measurement **row; /* [rows] collectives with an algorithm; owned */
    int rows;
    cpm_model *m; /* borrowed */
    int count;    /* unknowns */
    void (*set)(void *context, const double *value);
    void *context;
    double start;                   /* seconds that all observed times contain besides */
    cpm_benchmark_conditions taken; /* how they were */
    double leaving; /* if apart: seconds by which they begin apart (models/walking.h) */
    double scale[CPM_WALK_FIT_MOST]; /* no value is much larger */
    double value[CPM_WALK_FIT_MOST]; /* a first guess, then what was found; above 0 */
    double first[CPM_WALK_FIT_MOST]; /* where the search began */
} cpm_walk_fit;

/* Sets row to the collectives of measured that wanted accepts (NULL: all), of isolated calls, with
 * an algorithm and a time above 0; and taken. CPM_ENOMEM. */
int cpm_walk_fit_take(cpm_walk_fit *f, bool (*wanted)(const cpm_measurement *r), cpm_error *e);
void cpm_walk_fit_clear(cpm_walk_fit *f);

/* Whether there are reductions among the rows; *what is what they combine. */
bool cpm_walk_fit_combines(const cpm_walk_fit *f, cpm_combining *what);

/* Logarithm of predicted over observed with what is in the model now; NaN: it cannot be predicted,
 * whatever the values. */
double cpm_walk_fit_off(const cpm_walk_fit *f, int row);

/* How far the model is off as it is: exp of the mean of |log(predicted / observed)|. */
double cpm_walk_fit_factor(const cpm_walk_fit *f);

/* Values, at most as many as there are rows, whose logarithms minimise the sum of squared
 * logarithms of predicted over observed, where large ones count less than squared
 * (Levenberg-Marquardt, GSL), after so many steps at most. They are in the model afterwards. *cost,
 * if not NULL: that sum. CPM_ENOMEM. */
enum { CPM_WALK_FIT_STEPS = 60 }; /* are enough */
int cpm_walk_fit_run(cpm_walk_fit *f, int steps, double *cost, cpm_error *e);

/* Schwarz's criterion of so many values with that cost: less is better. Walks are taken to be no
 * more exact than a thousandth. */
double cpm_walk_fit_price(const cpm_walk_fit *f, double cost, int values);

/* covariance[count * count] of the values (not of their logarithms): the residuals' variance by the
 * curvature, where those of one algorithm stray together (Moulton 1986), but no parameter is taken
 * to be less known than within its scale. CPM_ENOMEM. */
int cpm_walk_fit_covariance(cpm_walk_fit *f, double *covariance, cpm_error *e);

#endif
