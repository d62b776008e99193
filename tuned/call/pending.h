/* Requests of nonblocking calls by CPM's algorithms that the program has not completed yet, in the
 * checked mode (CPM_CHECK=1): those that are left when MPI ends are named by a line of each
 * process. Only one thread is in MPI at a time. */
#ifndef CPM_TUNED_CALL_PENDING_H
#define CPM_TUNED_CALL_PENDING_H

#include "collectives/operation.h"

typedef struct tuned_pending {
    struct tuned_pending *previous, *next;
    const cpm_operation *operation; /* NULL: it is not there */
} tuned_pending;

void tuned_pending_enter(tuned_pending *p, const cpm_operation *o);

/* Nothing if it is not there. */
void tuned_pending_leave(tuned_pending *p);

#endif
