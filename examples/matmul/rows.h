/* How many rows of a matrix each process gets: in proportion to its speed. */
#ifndef MATMUL_ROWS_H
#define MATMUL_ROWS_H

#include <cpm/cpm_mpi.h>

/* speed[n] of all processes in flop/s, each measured by a serial product of N x N matrices (at most
 * 256 x 256), all at the same time. Collective; CPM_EDATA where the clock shows nothing. */
int speeds_measure(int N, double *speed, MPI_Comm comm, cpm_error *e);

/* speed[n] from a file of n numbers in any unit, which rank 0 reads. Collective; CPM_EIO,
 * CPM_EPARSE. */
int speeds_read(const char *path, double *speed, MPI_Comm comm, cpm_error *e);

/* rows[n] in proportion to speeds, their sum N: rounded down, the rest to the largest remainders.
 */
void rows_share(int N, const double *speed, int n, int *rows);

#endif
