/* Bursts: many messages of several pairs at once over something that they share. Its capacity is
 * that with which the flow walk gives the times that they took. */
#ifndef CPM_ESTIMATORS_LMO2_BURSTS_H
#define CPM_ESTIMATORS_LMO2_BURSTS_H

#include "measurements/measurements.h"
#include "models/model.h"

/* One pair's part of a burst of messages of so many bytes, answered with so many, by which a burst
 * is known. */
cpm_experiment cpm_lmo2_burst_pair(int from, int to, size_t bytes, size_t answer);

/* A burst, and what it took; the caller sets pair and pairs. */
typedef struct {
    const cpm_measurements *measured;
    cpm_model *m;
    bool by_fastest;      /* its fastest pair tells, as others may meet at more; not their mean */
    cpm_experiment *pair; /* [pairs] */
    double *seconds;      /* [pairs] what the model says */
    int pairs;
    double time, half; /* seconds that were measured: of the mean or the fastest; half its interval
                        */
    double slowest;
} cpm_lmo2_burst;

/* Of up to so many pairs. CPM_ENOMEM. */
int cpm_lmo2_burst_open(cpm_lmo2_burst *b, int most, cpm_error *e);
void cpm_lmo2_burst_close(cpm_lmo2_burst *b);

/* Sets what it took. False: it has not two pairs, or was not measured. */
bool cpm_lmo2_burst_take(cpm_lmo2_burst *b);

/* By how much it took longer than the model says if *capacity, one of the model's values, is so
 * many seconds per byte, as a share of what is tolerated; *capacity is that then. CPM_ENOMEM. */
int cpm_lmo2_burst_misses(cpm_lmo2_burst *b, double *capacity, double seconds_per_byte, double *off,
                          cpm_error *e);

/* How many of its pairs took as long as the model says. CPM_ENOMEM. */
int cpm_lmo2_burst_explained(cpm_lmo2_burst *b, int *pairs, cpm_error *e);

/* Sets *capacity to that with which the model gives what it took, and half its interval.
 * CPM_ENOMEM. */
int cpm_lmo2_burst_invert(cpm_lmo2_burst *b, double *capacity, double *half, cpm_error *e);

#endif
