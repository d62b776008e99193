/* What disturbs measurements on a host: processes of others that want its processors, and processes
 * of its own that are moved from one processor to another. */
#ifndef CPM_HOSTS_LOAD_H
#define CPM_HOSTS_LOAD_H

#include <mpi.h>
#include <stdbool.h>

#include "base/error.h"
#include "hosts/usage.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The host that is disturbed most. */
typedef struct {
    char name[256];
    int ranks, processors;
    double others; /* processors that others use */
    double moves;  /* a second, of the rank of all hosts that was moved most */
} mpib_load;

/* Now: others are the processes that could run while all ranks sleep, which takes 0.03 s; moves 0.
 * Collective, as the next. CPM_EMPI. */
int mpib_load_now(MPI_Comm comm, mpib_load *out, cpm_error *e);

/* Since a moment: others are what the host's processors did but for the ranks. */
int mpib_load_since(MPI_Comm comm, const mpib_usage *since, mpib_load *out, cpm_error *e);

/* Seconds of the shortest of so many empty messages from rank 0 to rank 1 and back: the same later,
 * unless the machine has changed; 0 if there is one rank. Collective. */
double mpib_shortest_trip(MPI_Comm comm, int trips);

/* Processors that a machine uses for itself at times, over a while. */
extern const double mpib_tolerated_use;

/* Whether others use more than what the ranks leave them, by more than so many processors. */
bool mpib_load_disturbs(const mpib_load *l, double tolerance);

#ifdef __cplusplus
}
#endif

#endif
