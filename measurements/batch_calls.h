/* Calls in a batch: one after the other, nobody waiting for the others in between, as an
 * application that calls in a loop does; the opposite of isolated calls, each of which all
 * processes begin together. */
#ifndef CPM_MEASUREMENTS_BATCH_CALLS_H
#define CPM_MEASUREMENTS_BATCH_CALLS_H

#include <stddef.h>

#include "base/error.h"
#include "base/metadata.h"

/* A batch is an int: of how many calls; CPM_BATCH_BY_SIZE: of as many as cpm_batch_calls says;
 * CPM_ISOLATED: there is none. */
enum { CPM_ISOLATED = 0, CPM_BATCH_BY_SIZE = -1, CPM_BATCH_MOST = 1000000 };

/* The calls of a batch with blocks of so many bytes. By size: 100, 50, 20, 10 up to 3, 12, 96 and
 * 384 KiB, else 5 (A. Faraj, X. Yuan: An Empirical Approach for Efficient All-to-All Personalized
 * Communication on Ethernet Switched Clusters, ICPP 2005, section 3). */
int cpm_batch_calls(int batch, size_t bytes);

enum { CPM_BATCH_NAME = 32 };
/* "isolated", "batch" (by size) or "batch of 20". */
void cpm_batch_name(int batch, char text[CPM_BATCH_NAME]);

/* The batch that the fact "timing" names; without it, and of every other name, isolated.
 * CPM_EDATA: a number of calls that cannot be. */
int cpm_batch_of_metadata(const cpm_metadata *metadata, int *batch, cpm_error *e);

#endif
