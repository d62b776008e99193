/* The switches between the ranks of a communicator. */
#ifndef CPM_TUNED_COMM_TOPOLOGY_H
#define CPM_TUNED_COMM_TOPOLOGY_H

#include "tuned/comm/state.h"

/* Where rank 0 knows them from. */
enum {
    TUNED_TOPOLOGY_UNKNOWN,
    TUNED_TOPOLOGY_OF_FILE,
    TUNED_TOPOLOGY_OF_MODEL,
    TUNED_TOPOLOGY_MISSING /* who decides names an algorithm that needs one */
};

/* At rank 0, for it to tell; elsewhere anything. Local. */
int tuned_topology_from(const tuned_state *t);

/* Makes t->topology, unless it is there: hosts by their names as CPM_LAYOUT's file or MPI has them.
 * A missing one is no error, but said once. Errors are everybody's, their text rank 0's: those of
 * the file, CPM_EINVAL: it lacks the host of a rank; CPM_ENOMEM. Collective. */
int tuned_topology_find(tuned_state *t, int from, cpm_error *e);

#endif
