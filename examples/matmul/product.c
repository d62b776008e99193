/* The parallel product C = A x B: A and C in slices of rows, B everywhere. */
#include "product.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void *room(size_t elements, size_t size)
{
    void *p = calloc(elements + 1, size);
    if (!p) {
        fprintf(stderr, "matmul: no memory for %zu elements\n", elements);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return p;
}

static double *matrix(int rows, int columns)
{
    return room((size_t)rows * (size_t)columns, sizeof(double));
}

static void fill(double *at, int rows, int columns)
{
    for (size_t i = 0; i < (size_t)rows * (size_t)columns; i++)
        at[i] = 2.0 * rand() / RAND_MAX - 1;
}

product product_create(int N, const int *rows, MPI_Comm comm)
{
    product p = {.N = N};
    MPI_Comm_rank(comm, &p.rank);
    MPI_Comm_size(comm, &p.n);
    p.counts = room((size_t)p.n, sizeof *p.counts);
    p.places = room((size_t)p.n, sizeof *p.places);
    for (int i = 0; i < p.n; i++) {
        p.counts[i] = rows[i] * N;
        p.places[i] = i ? p.places[i - 1] + p.counts[i - 1] : 0;
    }
    p.B = matrix(N, N);
    p.slice = matrix(rows[p.rank], N);
    p.share = matrix(rows[p.rank], N);
    if (p.rank > 0)
        return p;
    p.A = matrix(N, N);
    p.C = matrix(N, N);
    fill(p.A, N, N);
    fill(p.B, N, N);
    return p;
}

void product_free(product *p)
{
    free(p->counts);
    free(p->places);
    free(p->A);
    free(p->B);
    free(p->C);
    free(p->slice);
    free(p->share);
}

/* What is left of an earlier run must not pass for a result of this one. */
static void forget(product *p)
{
    size_t all = (size_t)p->N * (size_t)p->N;
    for (size_t i = 0; i < all && p->rank == 0; i++)
        p->C[i] = NAN;
    for (size_t i = 0; i < all && p->rank > 0; i++)
        p->B[i] = NAN;
    for (int i = 0; i < p->counts[p->rank]; i++)
        p->slice[i] = NAN;
}

static void multiply(product *p)
{
    int N = p->N, rows = p->counts[p->rank] / N;
    if (rows > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, N, N, 1, p->slice, N, p->B, N,
                    0, p->share, N);
}

static double moment(MPI_Comm comm)
{
    MPI_Barrier(comm);
    return MPI_Wtime();
}

seconds product_run(product *p, const collectives *with, MPI_Comm comm)
{
    int own = p->counts[p->rank];
    forget(p);
    double begin = moment(comm);
    with->scatterv(p->A, p->counts, p->places, MPI_DOUBLE, p->slice, own, MPI_DOUBLE, 0, comm);
    with->bcast(p->B, p->N * p->N, MPI_DOUBLE, 0, comm);
    double distributed = moment(comm);
    multiply(p);
    double computed = moment(comm);
    with->gatherv(p->share, own, MPI_DOUBLE, p->C, p->counts, p->places, MPI_DOUBLE, 0, comm);
    double end = moment(comm);
    return (seconds){distributed - begin + end - computed, end - begin};
}

/* y = M x, and what its terms add up to without their signs. */
static void apply(const double *M, const double *x, const double *x_size, int N, double *y,
                  double *y_size)
{
    for (int i = 0; i < N; i++) {
        y[i] = y_size[i] = 0;
        for (int j = 0; j < N; j++) {
            y[i] += M[(size_t)i * N + j] * x[j];
            y_size[i] += fabs(M[(size_t)i * N + j]) * x_size[j];
        }
    }
}

/* The rounding errors of C, C x, B x and A (B x) are each at most about N epsilon |A| |B| |x|
 * (Higham, Accuracy and Stability of Numerical Algorithms, 3.5). */
bool product_is_right(const product *p)
{
    int N = p->N;
    double *x = matrix(8, N), *x_size = x + N, *Bx = x + 2 * N, *Bx_size = x + 3 * N;
    double *ABx = x + 4 * N, *bound = x + 5 * N, *Cx = x + 6 * N, *Cx_size = x + 7 * N;
    fill(x, 1, N);
    for (int i = 0; i < N; i++)
        x_size[i] = fabs(x[i]);
    apply(p->B, x, x_size, N, Bx, Bx_size);
    apply(p->A, Bx, Bx_size, N, ABx, bound);
    apply(p->C, x, x_size, N, Cx, Cx_size);
    bool right = true; /* and not, if C is NaN */
    for (int i = 0; i < N; i++)
        right = right && fabs(ABx[i] - Cx[i]) <= 4 * (N + 1) * DBL_EPSILON * bound[i];
    free(x);
    return right;
}
