/* Collective operations as rows: who holds which block before and after.
 *
 * From its row alone the checker knows what right means and the executor lays out buffers. */
#ifndef CPM_ALGORITHMS_OPERATION_H
#define CPM_ALGORITHMS_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "mpib/base/error.h"

typedef struct {
    const char *name; /* "scatter" */
    bool rooted;
    int64_t (*blocks)(int n); /* blocks of the operation: 1 for bcast, n for scatter and gather */
    bool (*before)(int n, int root, int rank, int64_t block);
    bool (*after)(int n, int root, int rank, int64_t block);
} cpm_operation;

/* All operations; ends with a row whose name is NULL. */
extern const cpm_operation cpm_operations[];

/* The row of that name. CPM_EUNKNOWN, with the list of known ones. */
int cpm_operation_find(const char *name, const cpm_operation **out, cpm_error *e);

#endif
