/* What the chunks of MSCCL's buffers are: which blocks of which operation. */
#ifndef CPM_COLLECTIVES_MSCCL_LAYOUT_H
#define CPM_COLLECTIVES_MSCCL_LAYOUT_H

#include "collectives/msccl/parts.h"
#include "collectives/operation.h"

/* Cells are the chunks of all buffers of all gpus; a chunk that two buffers have in common is one
 * cell. A position is piece * units + unit. */
typedef struct {
    const cpm_msccl *of;
    const cpm_operation *operation;
    int root;   /* 0 if the operation has none */
    int pieces; /* chunks of a block */
    int64_t units, positions;
    int chunks[2]; /* of CPM_MSCCL_INPUT and CPM_MSCCL_OUTPUT */
    int64_t *base; /* [n + 1] first cell of each gpu */
} cpm_msccl_layout;

/* Ends are matched. CPM_EPARSE: no such collective, no root is clear, or it is too large;
 * CPM_ENOMEM. */
int cpm_msccl_layout_create(const cpm_msccl *x, cpm_msccl_layout *out, cpm_error *e);
void cpm_msccl_layout_clear(cpm_msccl_layout *l);

int64_t cpm_msccl_cell(const cpm_msccl_layout *l, int gpu, int buffer, int offset);

/* Chunks of a buffer at a gpu. */
int cpm_msccl_chunks(const cpm_msccl_layout *l, int gpu, int buffer);

/* The position that a chunk of the input or the output has in the beginning, or must have in the
 * end; -1: none. */
int64_t cpm_msccl_position(const cpm_msccl_layout *l, int gpu, int buffer, int offset);

#endif
