/* Memory for when there is none.
 *
 * Plans are made locally, by different ranks in different calls. A rank that could not make one
 * would leave the others waiting, and to agree before every call would cost more than tuning gains.
 * So a process keeps memory in reserve: a step that fails for lack of memory is done once more
 * without the reserve, which is taken again before the next such step. */
#ifndef CPM_EXECUTOR_RESERVE_H
#define CPM_EXECUTOR_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

enum { MPIB_RESERVE = 1 << 20 }; /* bytes: plans are some hundred to some hundred thousand */

/* From now on this process keeps a reserve. False: there is no memory for it. Thread-safe, as all
 * of these. */
bool mpib_reserve_keep(void);

/* Before a step that allocates: the reserve is taken again if it was given away. Nothing in
 * processes that keep none. */
void mpib_reserve_renew(void);

/* After a step that failed for lack of memory: gives the reserve away. Whether the step is to be
 * done once more; false in processes that keep none. */
bool mpib_reserve_spend(void);

/* malloc as such a step. */
void *mpib_reserve_malloc(size_t bytes);

#endif
