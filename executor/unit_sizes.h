/* The bytes of a call's units, as far as a rank needs them. */
#ifndef CPM_EXECUTOR_UNIT_SIZES_H
#define CPM_EXECUTOR_UNIT_SIZES_H

#include "executor/collective.h"

typedef struct {
    cpm_block_sizes sizes;
    size_t *each; /* owned; NULL: all equal */
} mpib_unit_sizes;

/* Local where the standard makes all ranks know the sizes (equal blocks, allgatherv,
 * reduce_scatter), or where each rank needs to know only those of the blocks that it gives or gets
 * itself (CPM_OWN_SIZE: those of others are 0); else collective for scatterv, gatherv and
 * alltoallv. With CPM_CHECK=1 in the environment collective for all but those whose sizes only the
 * ends of an edge know: CPM_EINVAL on every rank if two ranks differ in what they say of a block.
 * CPM_ENOMEM.
 */
int mpib_unit_sizes_find(const cpm_collective *what, const mpib_arguments *arguments,
                         mpib_unit_sizes *out, cpm_error *e);
void mpib_unit_sizes_clear(mpib_unit_sizes *s);

/* What CPM_CHECK=1 asks for, whatever the environment says: CPM_EINVAL on every rank if two ranks
 * differ in what they say of a block. Collective, but for sizes that only the ends of an edge know,
 * which are not compared. CPM_ENOMEM. */
int mpib_unit_sizes_check(const mpib_arguments *arguments, cpm_error *e);

/* The side whose counts this rank goes by (cpm_operation_significant). */
const mpib_side *mpib_significant_side(const mpib_arguments *a, int rank);

size_t mpib_block_bytes(const mpib_side *s, int block);

/* Bytes of the block of each of n processes. */
void mpib_side_bytes(const mpib_side *s, int n, size_t *bytes);

#endif
