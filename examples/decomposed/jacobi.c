/* Jacobi's iteration for a dense system of linear equations, as Hartmann, Kuehnemann, Rauber and
 * Ruenger (2006) use it, 4.2: whose collective operations depend on how the matrix is divided.
 *
 *   mpiexec -n 4 ./jacobi rows 1024 100
 *
 * rows            each process has rows of the matrix: allgather of the new solution
 * columns         columns: allreduce of the sums, then allgather of the new solution
 * columns-bcast   columns: reduce of the sums, then bcast of the new solution
 *
 * N unknowns, a multiple of the number of processes, and so many steps (50). Needs MPI only: run it
 * as it is, and under "cpm run" with a model, a table or --adapt. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int n, own, first;     /* unknowns, of this process, from here on */
    double *matrix;        /* [own][n]: rows, or columns */
    double *x, *sums, *at; /* [n]; at: [own], new ones of this process */
    MPI_Comm comm;
} jacobi;

/* The system: a matrix whose diagonal outweighs the rest; the solution is 1 everywhere. */
static double element(int n, int i, int j)
{
    return i == j ? 2.0 * n : 1.0 + (double)((i + 2 * j) % 7) / 7;
}

static double right_side(int n, int i)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += element(n, i, j);
    return sum;
}

/* ---- a step */

/* x_i = (b_i - sum of a_ij x_j without j = i) / a_ii, from the whole sums of this process' rows */
static void solve_own(const jacobi *w, const double *side, const double *sums)
{
    for (int k = 0; k < w->own; k++)
        w->at[k] = w->x[w->first + k] + (side[k] - sums[k]) / (2.0 * w->n);
}

static void step_by_rows(const jacobi *w, const double *side)
{
    for (int k = 0; k < w->own; k++) {
        w->sums[k] = 0;
        for (int j = 0; j < w->n; j++)
            w->sums[k] += w->matrix[(size_t)k * w->n + j] * w->x[j];
    }
    solve_own(w, side, w->sums);
    MPI_Allgather(w->at, w->own, MPI_DOUBLE, w->x, w->own, MPI_DOUBLE, w->comm);
}

/* What the columns of this process add to all sums. */
static void add_columns(const jacobi *w)
{
    memset(w->sums, 0, sizeof *w->sums * w->n);
    for (int k = 0; k < w->own; k++)
        for (int i = 0; i < w->n; i++)
            w->sums[i] += w->matrix[(size_t)k * w->n + i] * w->x[w->first + k];
}

static void step_by_columns(const jacobi *w, const double *side)
{
    add_columns(w);
    MPI_Allreduce(MPI_IN_PLACE, w->sums, w->n, MPI_DOUBLE, MPI_SUM, w->comm);
    solve_own(w, side, w->sums + w->first);
    MPI_Allgather(w->at, w->own, MPI_DOUBLE, w->x, w->own, MPI_DOUBLE, w->comm);
}

static void step_at_root(const jacobi *w, const double *all_sides)
{
    int rank;
    MPI_Comm_rank(w->comm, &rank);
    add_columns(w);
    MPI_Reduce(rank ? w->sums : MPI_IN_PLACE, w->sums, w->n, MPI_DOUBLE, MPI_SUM, 0, w->comm);
    for (int i = 0; i < w->n && rank == 0; i++)
        w->x[i] += (all_sides[i] - w->sums[i]) / (2.0 * w->n);
    MPI_Bcast(w->x, w->n, MPI_DOUBLE, 0, w->comm);
}

/* ---- the program */

static int make(jacobi *w, int n, int by_rows)
{
    int size, rank;
    MPI_Comm_size(w->comm, &size);
    MPI_Comm_rank(w->comm, &rank);
    w->n = n;
    w->own = n / size;
    w->first = rank * w->own;
    w->matrix = malloc(sizeof *w->matrix * w->own * n);
    w->x = calloc(n, sizeof *w->x);
    w->sums = calloc(n, sizeof *w->sums);
    w->at = calloc(w->own, sizeof *w->at);
    if (!w->matrix || !w->x || !w->sums || !w->at)
        return 0;
    for (int k = 0; k < w->own; k++)
        for (int j = 0; j < n; j++)
            w->matrix[(size_t)k * n + j] =
                by_rows ? element(n, w->first + k, j) : element(n, j, w->first + k);
    return 1;
}

int main(int argc, char **argv)
{
    jacobi w = {.comm = MPI_COMM_WORLD};
    int size, rank, n = argc > 2 ? atoi(argv[2]) : 0, steps = argc > 3 ? atoi(argv[3]) : 50;
    const char *by = argc > 1 ? argv[1] : "";
    int at_root = strcmp(by, "columns-bcast") == 0, columns = strcmp(by, "columns") == 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(w.comm, &size);
    MPI_Comm_rank(w.comm, &rank);
    if ((!at_root && !columns && strcmp(by, "rows") != 0) || n < size || n % size || steps < 1) {
        if (rank == 0)
            fprintf(stderr,
                    "usage: jacobi rows|columns|columns-bcast N [STEPS], N a multiple of %d\n",
                    size);
        MPI_Finalize();
        return 2;
    }
    double *side = malloc(sizeof *side * n);
    if (!make(&w, n, !at_root && !columns) || !side) {
        fprintf(stderr, "jacobi: no memory\n");
        MPI_Abort(w.comm, 1);
    }
    for (int i = 0; i < n; i++)
        side[i] = right_side(n, i);
    MPI_Barrier(w.comm);
    double start = MPI_Wtime(), worst = 0;
    for (int k = 0; k < steps; k++)
        if (at_root)
            step_at_root(&w, side);
        else
            (columns ? step_by_columns : step_by_rows)(&w, side + w.first);
    double seconds = MPI_Wtime() - start;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(w.x[i] - 1));
    if (rank == 0)
        printf("%s, %d unknowns, %d processes: %.3f us a step, off by %.1e after %d\n", by, n, size,
               seconds / steps * 1e6, worst, steps);
    free(side);
    free(w.matrix);
    free(w.x);
    free(w.sums);
    free(w.at);
    MPI_Finalize();
    return 0;
}
