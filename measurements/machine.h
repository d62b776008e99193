/* A machine: whatever can measure an experiment. An MPI communicator (mpib/mpi_machine.h) or a
 * model that simulates a cluster (models/synthetic.h). */
#ifndef CPM_MEASUREMENTS_MACHINE_H
#define CPM_MEASUREMENTS_MACHINE_H

#include "base/metadata.h"
#include "measurements/measurements.h"

/* Seconds. */
typedef struct {
    double alone, computing, with;
} cpm_overlap;

typedef struct cpm_machine cpm_machine;
struct cpm_machine {
    int n;    /* processes */
    int rank; /* of the caller */

    /* Measures a round of disjoint experiments. Collective: same arguments on every rank.
     * results[count] are set at rank 0 (summary and samples; samples are then the caller's); the
     * others get nothing. Fails on every rank or on none. */
    int (*measure)(cpm_machine *m, const cpm_experiment *x, int count, const cpm_precision *p,
                   cpm_measurement *results, cpm_error *e);

    /* Rank 0's bytes go to every rank. Collective. */
    int (*broadcast)(cpm_machine *m, void *data, size_t bytes, cpm_error *e);

    /* Every rank learns the first failure: status and e of the lowest rank that failed.
     * Collective. Returns the agreed status. */
    int (*agree)(cpm_machine *m, int status, cpm_error *e);

    /* Seconds since some fixed moment, local. */
    double (*now)(cpm_machine *m);

    /* Adds what a header should say: "machine", "mpi", "hosts" (space separated, one per rank),
     * "binding", "clock_resolution", "timing", "clock_error". Collective; set at rank 0. */
    int (*describe)(cpm_machine *m, cpm_metadata *metadata, cpm_error *e);

    /* From here on collectives begin at one moment on all processes and are timed from it, as a
     * prediction is; or, false, as the machine was made to time them. NULL: they always do. Local;
     * the same on every rank. */
    void (*together)(cpm_machine *m, bool together);

    void (*free)(cpm_machine *m);

    /* Seconds of a nonblocking call (x is a collective): begun and waited for, and the same where
     * each process computes between for so many seconds, 0: for as long as the call takes alone.
     * Set at rank 0. Collective, as above; CPM_EINVAL: it has no schedule
     * (collectives/on_groups.h). NULL: of a part of the processes. */
    int (*overlap)(cpm_machine *m, const cpm_experiment *x, double computing,
                   const cpm_precision *p, cpm_overlap *out, cpm_error *e);
};

#endif
