/* Walking through calls that follow each other at once. */
#ifndef CPM_MODELS_BATCH_WALK_H
#define CPM_MODELS_BATCH_WALK_H

#include "models/walking.h"

/* Seconds of a call of once in how->batch (measurements/batch_calls.h; not CPM_ISOLATED): all
 * processes begin the first call together, each begins the next one as soon as it has finished one,
 * and the time of all calls is divided by their number; the mean over the processes, as cpm bench
 * coll
 * --timing batch has it. finish[n], if not NULL, gets that of each process.
 *
 * The model's walk goes through the schedule of all calls up to 8; beyond that of 1, 2, 4, 8, ...
 * calls, until what one more call adds to each process's time is steady: over the last doubling and
 * the one before it the same within 0.1 % (of the sum over processes), or 32 calls. The calls that
 * are left take as long as those of the last doubling.
 *
 * Nobody holds a sender back here: who needs nobody's messages runs ahead of the others as far as
 * its own sends let it.
 * Negative on failure, as cpm_model_walk. */
double cpm_model_walk_batch(const cpm_model *m, const cpm_schedule *once,
                            const cpm_block_sizes *sizes, const cpm_walking *how, double *finish,
                            cpm_error *e);

#endif
