/* Memory for when there is none.
 *
 * Plans are made locally, by different ranks in different calls. A rank that could not make one
 * would leave the others waiting, and to agree before every call would cost more than tuning gains.
 * So a process keeps emergency memory: a step that fails for lack of memory is done once more
 * without it, which is taken again before the next such step. */
#ifndef CPM_EXECUTOR_EMERGENCY_H
#define CPM_EXECUTOR_EMERGENCY_H

#include <stdbool.h>
#include <stddef.h>

enum { MPIB_EMERGENCY = 1 << 20 }; /* bytes: plans are some hundred to some hundred thousand */

/* From now on this process keeps emergency memory. False: there is no memory for it. Thread-safe,
 * as all of these. */
bool mpib_emergency_keep(void);

/* Before a step that allocates: it is taken again if it was given away. Nothing in
 * processes that keep none. */
void mpib_emergency_renew(void);

/* After a step that failed for lack of memory: gives it away. Whether the step is to be
 * done once more; false in processes that keep none. */
bool mpib_emergency_spend(void);

/* malloc and calloc as such steps. */
void *mpib_emergency_malloc(size_t bytes);
void *mpib_emergency_calloc(size_t count, size_t bytes);

#endif
