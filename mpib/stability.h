/* A machine that measures while messages take what they took at the beginning. Processors of a
 * virtual machine are moved: for seconds a message through memory takes 0.2 us, then 0.6 us, and
 * what was measured at one moment does not hold at the other. */
#ifndef CPM_MPIB_STABILITY_H
#define CPM_MPIB_STABILITY_H

#include <mpi.h>
#include <stdbool.h>

#include "measurements/machine.h"

enum { MPIB_TRIPS = 100 }; /* that show a state */

/* Seconds of the shortest of so many trips (mpib_shortest_trip). Collective. */
typedef double mpib_trip(MPI_Comm comm, int trips);

/* What inner, whose processes are those of comm (borrowed), measures. All are on one host. Takes
 * inner, also where it fails; *out is freed with mpib_machine_free. CPM_ENOMEM. Collective. */
int mpib_stability_create(cpm_machine *inner, MPI_Comm comm, mpib_trip *shortest, cpm_machine **out,
                          cpm_error *e);

/* From now on what was measured while the shortest round trip was not about `trip` seconds is
 * measured again, at most five times. Waits until it is; for that, and for later times, there are a
 * few seconds in all.
 * When these are over everything counts. 0: everything counts at once. Returns the shortest round
 * trip now. Collective. */
double mpib_stability_keep(cpm_machine *machine, double trip);

/* How that went. */
typedef struct {
    int repeated;  /* rounds that were measured again */
    double waited; /* seconds, for the state to come back */
    double other;  /* seconds of the last trip that was not of it; 0: there was none */
    bool lost;     /* it did not come back in time */
} mpib_stability;

/* At rank 0. Local. */
mpib_stability mpib_stability_so_far(const cpm_machine *machine);

#endif
