/* Residuals: how far measured times are from what a model says, by kind of experiment. */
#ifndef CPM_ESTIMATORS_RESIDUALS_H
#define CPM_ESTIMATORS_RESIDUALS_H

#include "estimators/estimator.h"

enum { CPM_WORST_PROCESSES = 3 };

/* Shares of the measured time. Empty experiments and those with messages are counted apart. */
typedef struct {
    cpm_experiment example; /* the first of them */
    int count;
    double offset;                  /* median of (measured - model) / measured */
    double median, p95, largest;    /* of its absolute value */
    double noise;                   /* median of half the intervals of the measured times */
    int worst[CPM_WORST_PROCESSES]; /* with the largest mean absolute residual, falling; -1: none */
} cpm_residual;

/* The MPI library's own collectives and the sweeps for thresholds (many sizes of one root) are no
 * experiments of a fit; they are left out unless with_collectives. *out has *count rows; the caller
 * frees it. CPM_EINVAL if the numbers of processes differ, CPM_ENOMEM. */
int cpm_residuals(const cpm_model *model, const cpm_measurements *m, bool with_collectives,
                  cpm_residual **out, int *count, cpm_error *e);

/* Whether such residuals are far beyond the noise of what was measured: the model is not one of
 * this machine. */
bool cpm_residual_contradicts(const cpm_residual *r);

/* Whether notes say that point-to-point experiments with more processes contradict round trips, or
 * that a mechanism is missing in the model (CPM_MISSING_MECHANISM): then parameters are not those
 * of single processes and links. Times of round trips that are no straight line in the message size
 * are so for all pairs. NULL: there are none. */
bool cpm_notes_contradict(const char *notes);

#define CPM_MISSING_MECHANISM "a mechanism is missing in the model"

/* Adds a note to the model for every kind that contradicts it, also of collectives where there is
 * advice for these, with the estimator's advice. */
int cpm_note_contradictions(const cpm_measurements *m, const cpm_advice *known, cpm_model *model,
                            cpm_error *e);

#endif
