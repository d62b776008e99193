/* Classes of combining (collectives/combining.h) as MPI's operations and types. */
#ifndef CPM_EXECUTOR_COMBINING_H
#define CPM_EXECUTOR_COMBINING_H

#include <mpi.h>
#include <stdbool.h>

#include "collectives/combining.h"

/* What a class is measured by. */
typedef struct {
    MPI_Op op;
    MPI_Datatype type;
    int bytes; /* of an element */
} mpib_combined;
mpib_combined mpib_combined_of(cpm_combining c);

/* Which of MPI's own operations it is, counted from 0, the same in every process; -1: a user's. */
int mpib_op_number(MPI_Op op);

static inline bool mpib_op_is_predefined(MPI_Op op)
{
    return mpib_op_number(op) >= 0;
}

/* The class of a call with that type and operation, predefined: whether MPI has it, not a user. The
 * same on ranks whose types have the same signature. Local. */
cpm_combining mpib_combining_of(MPI_Datatype type, bool predefined);

#endif
