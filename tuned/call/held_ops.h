/* Operations of the program's own (MPI_Op_create) that collectives under way combine by. The
 * program may free them meanwhile (MPI 4.0, 6.9.5); MPI does not know that they are used. */
#ifndef CPM_TUNED_CALL_HELD_OPS_H
#define CPM_TUNED_CALL_HELD_OPS_H

#include <mpi.h>
#include <stdbool.h>

/* It is freed when nobody holds it any more. False: no memory. */
bool tuned_op_hold(MPI_Op op);
void tuned_op_let_go(MPI_Op op);

#endif
