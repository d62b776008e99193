/* The state of a communicator hangs on it as an attribute, which ends with it. */
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

#endif
