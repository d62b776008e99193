/* Segment sizes become numbers of pieces here, and only here. */
#include "collectives/algorithms/pieces.h"

/* So many pieces of one unit are more than any pipeline is good for; positions stay small. */
enum { MOST_PIECES = 1 << 20 };

size_t cpm_largest_unit(const cpm_call *call, int64_t units)
{
    size_t largest = call->sizes ? 0 : call->bytes;
    for (int64_t u = 0; call->sizes && u < units; u++)
        largest = call->sizes[u] > largest ? call->sizes[u] : largest;
    return largest;
}

int cpm_segments_of(size_t bytes, size_t segment)
{
    if (segment == 0 || bytes <= segment)
        return 1;
    size_t pieces = (bytes - 1) / segment + 1;
    return pieces < MOST_PIECES ? (int)pieces : MOST_PIECES;
}

int cpm_segments(const cpm_call *call)
{
    return cpm_segments_of(call->bytes, call->with.segment);
}
