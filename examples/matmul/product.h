/* The parallel product C = A x B: A and C in slices of rows, B everywhere. */
#ifndef MATMUL_PRODUCT_H
#define MATMUL_PRODUCT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* The three collectives that it is made of: MPI's, or others with the same arguments. */
typedef struct {
    const char *name;
    int (*scatterv)(const void *, const int *, const int *, MPI_Datatype, void *, int, MPI_Datatype,
                    int, MPI_Comm);
    int (*bcast)(void *, int, MPI_Datatype, int, MPI_Comm);
    int (*gatherv)(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype,
                   int, MPI_Comm);
} collectives;

typedef struct {
    int N, n, rank;
    int *counts, *places;  /* [n] elements of each process's slice, and where it begins */
    double *A, *C;         /* N x N, rank 0 */
    double *B;             /* N x N */
    double *slice, *share; /* the own rows of A and of C */
} product;

typedef struct {
    double communication, total; /* seconds, at rank 0 */
} seconds;

/* Zeroes; ends the program if there is no memory: one process alone cannot give up, the others
 * would wait for it. */
void *room(size_t elements, size_t size);

/* rows[n]: of each process. Collective. */
product product_create(int N, const int *rows, MPI_Comm comm);
void product_free(product *p);

/* Scatters A, broadcasts B, multiplies, gathers C, with a barrier after each part, so that waiting
 * for a slower process to compute does not count as communication. Collective. */
seconds product_run(product *p, const collectives *with, MPI_Comm comm);

/* Rank 0: whether C (A x) = (A B) x for a random x (Freivalds 1977), within what rounding can do.
 */
bool product_is_right(const product *p);

#endif
