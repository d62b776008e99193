/* The proof that a schedule does what its operation demands, without MPI. */
#ifndef CPM_COLLECTIVES_SCHEDULE_PROOF_H
#define CPM_COLLECTIVES_SCHEDULE_PROOF_H

#include "collectives/operation.h"
#include "collectives/schedule/schedule.h"

/* CPM_OK if, under strictly synchronous sends, every rank finishes, never sends a block it does
 * not hold, both ends of every message name the same blocks, no message is left over, and every
 * rank ends with the blocks that op demands, of a reduction with exactly one contribution of each
 * process that it names. ordered: contributions may only be combined in the order of ranks, as an
 * MPI operation that does not commute demands. CPM_EDEADLOCK or CPM_EWRONG with the rank, the peer
 * and the block otherwise. Local. */
int cpm_check(const cpm_schedule *s, const cpm_operation *op, bool ordered, cpm_error *e);

#endif
