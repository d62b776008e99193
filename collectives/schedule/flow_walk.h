/* The flow walk: predicts a schedule where messages share resources and wait for each other.
 *
 * The plain walk (walk.h) needs four times of a message. Here a message is a flow: its bytes take
 * as long as the resources on its way (link ends, memory, trunks) let them, which depends on who
 * else is using these at that moment, and it may have to wait for its receiver. */
#ifndef CPM_COLLECTIVES_SCHEDULE_FLOW_WALK_H
#define CPM_COLLECTIVES_SCHEDULE_FLOW_WALK_H

#include <stdbool.h>

#include "collectives/schedule/schedule.h"
#include "collectives/schedule/sharing.h"
#include "collectives/schedule/symmetry.h"
#include "collectives/schedule/trace.h"

/* What a message of some bytes from one rank to another is like; seconds, or seconds per byte. */
typedef struct {
    double send;    /* the sender's processor is busy, before the message leaves */
    double start;   /* the same if its round has other messages, so that the send does not block */
    double recv;    /* the receiver's processor is busy, from the arrival (or later) on */
    double latency; /* from its start to its first byte under way */
    double flow;    /* what its bytes take when nothing is shared with another message */
    double cap;     /* per byte: what its bytes take alone; above 0 where flow is */
    cpm_use use[CPM_MOST_USES]; /* what it shares on its way (sharing.h) */
    int uses;
    double weight;    /* its share of a full resource is in proportion to it, above 0 */
    bool synchronous; /* rendezvous: starts when both are ready, the sender waits for its arrival */
    bool late;        /* buffered, but starts only when its receive is posted */
    bool fetched; /* synchronous, and the receiver's processor moves its bytes: it is busy as long
                     as they flow, with one message after the other */
    double starting;    /* then: what its receiver's processor takes before they flow */
    double overwriting; /* then: what its bytes take more if they go to where others have read */
    double unchanged;   /* then: what they take less, alone, if they are the sender's own, as they
                           were */
} cpm_flow;

/* Adds a resource to its way; seconds 0: it is not shared. */
static inline void cpm_flow_use(cpm_flow *f, int resource, double seconds)
{
    if (seconds > 0 && f->uses < CPM_MOST_USES)
        f->use[f->uses++] = (cpm_use){resource, seconds};
}

/* Sets all of flow but uses that it does not have. */
typedef void cpm_flow_function(const void *model, int from, int to, size_t bytes, cpm_flow *flow);

/* Share of a crowd's shortest message for which changes wait (sharing.h). With it the times of
 * dense exchanges differ by less than 0.1 % from the exact ones (at most 0.06 % where it was tried;
 * with 1e-4 0.13 %), and where fewer than CPM_CROWD bundles are connected not at all. */
#define CPM_CROWD_TOLERANCE 6e-5

/* How to walk; NULL and {0}: exactly, rank by rank. Everything is borrowed. */
typedef struct {
    double tolerance; /* of crowds; 0: exact */
    /* Only ranks below its period are walked. It must be a symmetry of s with these sizes. flow is
     * asked about messages of these ranks; the resources that it names stand for all that they are
     * moved to, and their seconds are for all messages that are moved on to one such resource
     * together. NULL: all ranks are walked. */
    const cpm_symmetry *alike;
    const cpm_trace *trace;        /* watches; NULL: nobody does */
    cpm_combine_function *combine; /* NULL: it takes no time */
    cpm_copy_function *copy;       /* likewise: what is packed, unpacked, or copied besides */
    cpm_fresh_function *fresh;     /* likewise: memory that is asked for anew */
    double computing;              /* seconds, as in cpm_plain_walking */
    const double *leave;           /* [n] likewise; not with alike */
    bool same; /* what ranks have from the beginning is what they had in the call before */
} cpm_flow_walking;

/* Seconds until the last rank has finished s, every rank starting at 0 or as how->leave says.
 *   The sends of a round keep its rank's processor busy one after the other. A message starts when
 *   its send is over; a synchronous or late one not before its receive is posted, which is at the
 *   beginning of the receive's round. After its latency its bytes flow at rates that are max-min
 *   fair among all messages under way (sharing.h), computed anew whenever one begins or ends. When
 *   the last byte has arrived a synchronous sender is free, and the receiver's processor takes it,
 *   in the order of arrival. Bytes that are fetched flow when the receiver's processor has time for
 *   them and has started, longer if it sends from the same place, too (seen_runs.h; with copy
 * only), in the order in which their latencies end. What a round has received to be combined or
 * unpacked is so when all of its messages are complete; of a deferred round at the end of all.
 * Where nothing is shared and messages are neither synchronous nor late it equals cpm_walk with gap
 * 0. finish[n], status and errors as for cpm_walk; where the family says that ranks are alike
 * blocks are not compared. Every beginning or end of a flow costs time linear in the bundles that
 * it is connected with through resources in use, in crowds much less. */
double cpm_flow_walk(const cpm_schedule *s, const cpm_block_sizes *sizes, cpm_flow_function *flow,
                     const void *model, const cpm_flow_walking *how, double *finish, cpm_error *e);

#endif
