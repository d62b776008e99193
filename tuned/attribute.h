/* The state of a communicator hangs on it as an attribute, which ends with it; and what is to be
 * done when MPI ends hangs on MPI_COMM_SELF. */
#ifndef CPM_TUNED_ATTRIBUTE_H
#define CPM_TUNED_ATTRIBUTE_H

#include <mpi.h>
#include <stdbool.h>

typedef struct tuned_state tuned_state;

/* Whether this process has set one; it may be NULL. Local. */
bool tuned_attribute_get(MPI_Comm comm, tuned_state **out);

/* end is called with a state that is not NULL when the communicator is freed; it is the same
 * function at every call. Local. */
typedef void tuned_end(tuned_state *t);
void tuned_attribute_set(MPI_Comm comm, tuned_state *t, tuned_end *end);

/* Frees *comm by own, which is MPI's function for that. Its state ends before, and collectives that
 * the program's functions call on it meanwhile (MPI calls them, to end attributes) are MPI's own:
 * MPICH must not be asked for an attribute then, as it goes through those that it has freed.
 * (Where requests on it are under way MPICH ends attributes later, and this does not hold.)
 * Returns MPI's code. Collective over *comm. */
typedef int tuned_free(MPI_Comm *comm);
int tuned_attribute_free(MPI_Comm *comm, tuned_free *own);

/* Calls end when MPI does: MPI_COMM_SELF ends first, when everything works, and what was set last
 * comes first. Never where MPI has begun with sessions alone, which have no such communicator.
 * Local. */
void tuned_attribute_at_end(MPI_Comm_delete_attr_function *end);

#endif
