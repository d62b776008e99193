/* Watching over the processes of a machine: one that died or hangs is named, so that a campaign
 * ends with a sentence instead of waiting for ever.
 *
 * A blocked MPI call cannot say whom it waits for, so the processes answer liveness probes by
 * datagrams (UDP, IPv4), each in a thread of its own that sleeps until it is probed. Nobody probes
 * while rounds come and go. Processes of one host listen on its loopback interface only; what
 * strangers can do elsewhere is in doc/security.md. */
#ifndef CPM_MPIB_WATCH_H
#define CPM_MPIB_WATCH_H

#include <mpi.h>

#include "base/error.h"

typedef struct mpib_watch mpib_watch;

/* who: "rank 2 (node3)", several with commas. Called once, in the watching thread. */
typedef void mpib_lost(void *context, const char *who);

/* Where nothing has moved on for that many seconds, rank 0 probes the others; where rank 0 itself
 * is lost, the others notice one after the other (rank r after 1 + r times as long). Processes that
 * datagrams never reached (a firewall) are not watched. Collective. CPM_ENOMEM, CPM_EMPI. */
int mpib_watch_start(MPI_Comm comm, double patience, mpib_lost *lost, void *context,
                     mpib_watch **out, cpm_error *e);

/* Something has moved on. watch may be NULL. */
void mpib_watch_tick(mpib_watch *watch);

/* Collective in so far as nobody should be probed after its end. watch may be NULL. */
void mpib_watch_stop(mpib_watch *watch);

#endif
