/* Calls with buffers in a device's memory that are not MPI's own routine: the processor packs and
 * combines, so it gets copies. MPI makes them, by messages to oneself. */
#ifndef CPM_TUNED_CALL_STAGED_H
#define CPM_TUNED_CALL_STAGED_H

#include "executor/collective.h"
#include "tuned/comm/state.h"

/* One side of a call. */
typedef struct {
    MPI_Datatype type;
    const MPI_Datatype *types; /* [blocks] of each; NULL: all have the same */
    int blocks;
    size_t count;            /* elements of each, */
    const size_t *counts;    /* [blocks] if they differ */
    const ptrdiff_t *places; /* [blocks] in elements, or in bytes with types; NULL: one after the
                                other */
    void *room;              /* NULL: the caller's buffer is used as it is */
    char *copy;              /* stands for the buffer's address: where elements are it is in room */
} tuned_staged_side;

typedef struct {
    tuned_staged_side send, recv;
    void *received; /* the caller's buffer */
} tuned_staged;

/* Replaces what is on a device by copies. Returns MPI's error code. Local. */
int tuned_stage(tuned_staged *s, const tuned_state *t, const mpib_arguments *a, int tag,
                const void **send, void **recv);

/* Copies what was received back and frees the copies. Returns MPI's error code. Local. */
int tuned_unstage(tuned_staged *s, const tuned_state *t, int tag);

#endif
