/* Into how many pieces a call cuts its units. */
#ifndef CPM_COLLECTIVES_ALGORITHMS_PIECES_H
#define CPM_COLLECTIVES_ALGORITHMS_PIECES_H

#include "collectives/algorithm.h"

/* The largest unit of a call in bytes (of one with equal units if there are no sizes). */
size_t cpm_largest_unit(const cpm_call *call, int64_t units);

/* Segments of at most call->segment bytes that make call->bytes; 1 without a segment size. */
int cpm_segments(const cpm_call *call);

/* The same of count bytes. */
int cpm_segments_of(size_t bytes, size_t segment);

#endif
