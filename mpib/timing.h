/* Timing methods of collectives: where one repetition is timed (thesis 2.1.1, 3.3.1). */
#ifndef CPM_MPIB_TIMING_H
#define CPM_MPIB_TIMING_H

#include "mpib/machine_mpi.h"

/* A collective that is being measured. */
typedef struct {
    mpi_machine *m;
    mpib_coll_operation *op;
    int root;
    size_t bytes;
    double confirmation; /* at the root: seconds that a message from another takes */
    int status;          /* of this rank's executions: the first failure, in e */
    cpm_error *e;
} mpib_timed;

/* What a rank adds to a repetition: its time is the largest end minus the largest start. */
typedef struct {
    double end, start; /* seconds */
    double late;       /* seconds from the start to when this rank was ready for it: above 0 it was
                          too late */
    double overslept;  /* 1: it was, but noticed that moment too late: others had its processor */
    double failed;     /* 1: so it did */
} mpib_mark;

/* Slack for the next repetition, after one with this slack in which the last rank was so late:
 * twice what it would have taken, within the bounds of machine_mpi.h. So waiting stays short, and
 * caches warm; and what held a rank up once at most doubles the slack of one repetition. */
double mpib_next_slack(double slack, double late);

/* Before the repetitions of c. Collective. */
int mpib_timing_prepare(mpib_timed *c, cpm_error *e);

/* One repetition. Collective. */
mpib_mark mpib_timing_repetition(mpib_timed *c);

#endif
