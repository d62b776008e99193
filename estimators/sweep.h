/* A sweep: the times of one collective over message sizes, taken out of measurements. */
#ifndef CPM_ESTIMATORS_SWEEP_H
#define CPM_ESTIMATORS_SWEEP_H

#include "measurements/measurements.h"

typedef struct {
    double *bytes;                     /* [count] ascending */
    double *median, *mean, *min, *max; /* [count] seconds */
    int *reps;                         /* [count] repetitions */
    int count;
} cpm_sweep;

/* All sizes above 0 at which the collective of that name was measured from root 0. CPM_EUNKNOWN,
 * CPM_ENOMEM. */
int cpm_sweep_take(const cpm_measurements *m, const char *name, cpm_sweep *out, cpm_error *e);
void cpm_sweep_clear(cpm_sweep *s);

/* The first and last point of the region of escalations: sizes at which some repetitions, and more
 * than one, took at least CPM_ESCALATION times as long as the fastest. A region begins where
 * CPM_ESCALATING of CPM_ESCALATING + 1 neighbours escalate, so that single outliers of a busy
 * machine make none; sizes next to it where one repetition took that long belong to it, too. False:
 * no region. */
enum { CPM_ESCALATION = 10, CPM_ESCALATING = 3 };
bool cpm_sweep_escalates(const cpm_sweep *s, int i);
bool cpm_sweep_region(const cpm_sweep *s, int *first, int *last);

#endif
