/* State of the process by nature, like what it counts. One thread of the program is in MPI at a
 * time, and a thread of CPM's combines by MPI's own operations only. */
#include "tuned/call/held_ops.h"

#include <stdlib.h>

#include "cpm/cpm_mpi.h"

typedef struct held_op {
    MPI_Op op;
    int holders;
    bool freed; /* by the program */
    struct held_op *next;
} held_op;

static held_op *all;

/* Where it hangs; its end: it is not held. */
static held_op **place_of(MPI_Op op)
{
    held_op **at = &all;
    while (*at && (*at)->op != op)
        at = &(*at)->next;
    return at;
}

bool tuned_op_hold(MPI_Op op)
{
    held_op **at = place_of(op);
    if (!*at) {
        *at = calloc(1, sizeof **at);
        if (!*at)
            return false;
        (*at)->op = op;
    }
    (*at)->holders++;
    return true;
}

void tuned_op_let_go(MPI_Op op)
{
    held_op **at = place_of(op), *h = *at;
    if (--h->holders)
        return;
    *at = h->next;
    if (h->freed)
        PMPI_Op_free(&h->op);
    free(h);
}

int cpm_op_free(MPI_Op *op)
{
    held_op *h = op ? *place_of(*op) : NULL;
    if (!h)
        return PMPI_Op_free(op);
    h->freed = true;
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}
