/* What the parts of observed.h share; not for others. */
#ifndef CPM_TUNED_REPORT_OBSERVED_PARTS_H
#define CPM_TUNED_REPORT_OBSERVED_PARTS_H

#include <pthread.h>

#include "base/hash.h"
#include "tuned/report/observed.h"

/* Of this process. */
typedef struct {
    pthread_mutex_t lock;
    MPI_Comm inside; /* of all processes, made by MPI_Init; MPI_COMM_NULL: nothing is observed */
    bool spawned;    /* by a program that is observed itself: these have another MPI_COMM_WORLD */
    cpm_hash groups; /* pointers to them, by id */
    tuned_group others;
    tuned_observed *at; /* [count] */
    int count;
    cpm_hash by_kind;             /* indices into at */
    tuned_other *other_functions; /* [other_count] */
    int other_count;
    int64_t left_out;
    double begin, collectives; /* seconds */
} tuned_observations;

extern tuned_observations tuned_observations_here;

/* The one of the same kind; NULL: there is none. */
tuned_observed *tuned_observed_find(const cpm_hash *h, tuned_observed *all,
                                    const tuned_observed *o);
/* Adds to those of the same function. False: no memory. */
bool tuned_other_add(tuned_other **all, int *count, const tuned_other *o);
/* Appends it. NULL: no memory. */
tuned_observed *tuned_observed_add(cpm_hash *h, tuned_observed **all, int *count,
                                   const tuned_observed *o);

#endif
