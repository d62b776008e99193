/* The collectives of the laboratory's programs: each call is timed, its data are new, and what it
 * gave goes into a checksum. State of the process by nature: the programs are loops of calls. */
#ifndef CPM_LAB_CALLS_H
#define CPM_LAB_CALLS_H

#include <mpi.h>
#include <stddef.h>

enum { CALL_KINDS = 14 }; /* those of MPI */

/* The operation with that name in lower case, such as "reduce_scatter_block"; -1: there is none.
 * Behind these, "particles" is an alltoallv among 16 processes and more whose blocks have sizes
 * over four orders of magnitude; "iallgather", "ialltoall", "ibcast" are nonblocking ones, in which
 * the process computes for call_between microseconds. */
int call_kind(const char *name);
extern double call_between;

/* One call on comm. bytes: of a block (scatterv ...: their mean), at least one double is sent;
 * root: where there is one. Ends the job without memory. Collective. */
void call(int kind, size_t bytes, int root, MPI_Comm comm);

/* As call, by name. */
void call_named(const char *name, size_t bytes, int root, MPI_Comm comm);

/* Prints, on rank 0 of MPI_COMM_WORLD, mean seconds of a rank in the calls so far, by operation and
 * bytes in the order of the first calls, and in all; and the checksum of what all ranks got. All
 * ranks must have made calls of the same operations and sizes in the same order. Collective. */
void calls_report(void);

#endif
