/* Which contributions of a reduction are taken from where the user has them, without a copy before.
 */
#ifndef CPM_COLLECTIVES_SCHEDULE_FROM_INPUT_H
#define CPM_COLLECTIVES_SCHEDULE_FROM_INPUT_H

#include "collectives/schedule/schedule.h"

/* *takes: whether rank needs no copy of its contribution, if the operation commutes: what comes
 * first to a position is received where the result accumulates, and combined there with the rank's
 * input; until then the input itself is sent. taken[steps->count], if not NULL: which messages of
 * steps, which are the rank's, send the input or are combined with it; of several calls that follow
 * each other, those of the first. No where a message would lie in two places, as others were
 * combined with some of its positions before, but not with all; where what comes first is of
 * several pieces, and would be copied from packed space instead; where the rank ends with what
 * nobody sends it; where the MPI library runs the algorithm, contributions are apart, or the
 * operation is a user's. Linear in runs, and in their positions over 64. CPM_ENOMEM. Local. */
int cpm_take_from_input(const cpm_schedule *s, const cpm_steps *steps, int rank, bool *taken,
                        bool *takes, cpm_error *e);

#endif
