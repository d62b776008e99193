/* Operations whose sizes only the root knows: scatterv and gatherv.
 *
 * The root tells all sizes, and rank 0 decides by them, when a root's first call comes, and again
 * after one call, two, four and so on, so that asking costs next to nothing; what is counted is
 * calls of any collective on the communicator, of which all ranks have the same number. A rank that
 * took no part in such a call hears of it at the next. What was decided holds in between: its
 * schedule is that of the sizes that were told last, and carries blocks of any sizes
 * (executor/any_sizes.h). An algorithm in which a process needs to know its own size only
 * (CPM_OWN_SIZE) and that was chosen for all sizes is never asked for again, and has the schedule
 * of the sizes at hand. */
#ifndef CPM_TUNED_COMM_ANNOUNCED_H
#define CPM_TUNED_COMM_ANNOUNCED_H

#include "executor/collective.h"
#include "tuned/comm/decisions.h"

typedef struct tuned_announced {
    const cpm_operation *operation;
    int root;
    long heard, next_asked;   /* numbers of calls; next_asked -1: never again */
    long pause;               /* calls until it is asked, the next time */
    int decisions;            /* for different sizes */
    void *message;            /* room for what the root tells */
    bool possible;            /* the root took part when it was asked last */
    bool known;               /* sizes were told */
    size_t *sizes;            /* [n] bytes as they were told last */
    tuned_decision *decision; /* NULL or without an algorithm: MPI's own routine */
    mpib_collective *plan;    /* for any sizes; NULL: MPI's own, or with the sizes at hand */
    struct tuned_announced *next;
} tuned_announced;

/* What holds for a call of scatterv or gatherv; r gets the sizes as they were told last. *out NULL:
 * MPI's own routine, as the root takes no part. CPM_ENOMEM. */
int tuned_announced_sizes(tuned_state *t, const mpib_arguments *a, cpm_request *r,
                          tuned_announced **out);

/* MPI refuses the call at this rank: if it is the root it says so, as others may wait for its sizes
 * in a call that they make now. If they make none, the next call, if it is of the same operation
 * and root, is MPI's own routine. */
void tuned_announce_nothing(tuned_state *t, const mpib_arguments *a);

void tuned_announced_clear(tuned_announced **all);

#endif
