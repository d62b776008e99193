/* The least time that any schedule of a collective can take by a model: how far the best known
 * algorithm may be from the best possible one. */
#ifndef CPM_SELECTION_LOWER_BOUND_H
#define CPM_SELECTION_LOWER_BOUND_H

#include "models/model.h"

enum { CPM_LIMIT = 320 };

typedef struct {
    double seconds;
    char limit[CPM_LIMIT]; /* what no schedule gets around: "start-ups", "processor of h3",
                              "processors", "what leaves h3", "what leaves all hosts" */
} cpm_lower_bound;

/* Of operation, root, neighbours and combining of what, with blocks of so many bytes; algorithm and
 * mapping do not count. No walk of a schedule that does what the operation says ends earlier: each
 * part is a necessity whatever the messages are, and the bound is the largest of them. It is not
 * always reached: start-ups and bytes cannot both be at their least.
 *   start-ups: all processes hear of the root, or it of them, where each informs others as often as
 *     the fastest can, over the shortest ways (R. Karp et al., Optimal broadcast and summation in
 *     the LogP model, SPAA 1993);
 *   a processor: what a process must at least send, receive and combine;
 *   processors: the same of all together (E. Chan et al., Collective communication: theory,
 *     practice, and experience, Concurrency and Computation 19, 2007, 4);
 *   what leaves or enters a host, a socket, a switch, or who uses a link: bytes over the capacity
 *     that all messages on that way share.
 * Takes time in proportion to n^2. CPM_EINVAL: the model predicts without messages (interp), or
 * blocks differ; CPM_ENOMEM. */
int cpm_lower_bound_of(const cpm_model *m, const cpm_collective *what, size_t bytes,
                       cpm_lower_bound *out, cpm_error *e);

#endif
