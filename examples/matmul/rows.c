/* How many rows of a matrix each process gets: in proportion to its speed. */
#include "rows.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 256, TRIALS = 3 };

/* Seconds of the fastest trial: what disturbs only adds. */
static double serial_seconds(int K, const double *a, const double *b, double *c)
{
    double least = INFINITY;
    for (int trial = 0; trial <= TRIALS; trial++) { /* the first one warms up */
        double start = MPI_Wtime();
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, K, K, K, 1, a, K, b, K, 0, c, K);
        if (trial > 0)
            least = fmin(least, MPI_Wtime() - start);
    }
    return least;
}

static int own_speed(int K, double *speed, cpm_error *e)
{
    size_t elements = (size_t)K * (size_t)K;
    double *all = malloc(3 * elements * sizeof *all);
    if (!all)
        return cpm_fail(e, CPM_ENOMEM, "no memory for matrices of %d x %d", K, K);
    for (size_t i = 0; i < 3 * elements; i++)
        all[i] = 1 + (double)i / (double)elements;
    double seconds = serial_seconds(K, all, all + elements, all + 2 * elements);
    free(all);
    if (!(seconds > 0))
        return cpm_fail(e, CPM_EDATA, "a product of %d x %d takes no time here: give --speeds", K,
                        K);
    *speed = 2.0 * K * K * K / seconds;
    return CPM_OK;
}

int speeds_measure(int N, double *speed, MPI_Comm comm, cpm_error *e)
{
    double own = 0;
    MPI_Barrier(comm);
    int status = mpib_agree(comm, own_speed(N < LARGEST ? N : LARGEST, &own, e), e);
    if (!status)
        MPI_Allgather(&own, 1, MPI_DOUBLE, speed, 1, MPI_DOUBLE, comm);
    return status;
}

static int read_numbers(const char *path, int n, double *speed, cpm_error *e)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return cpm_fail(e, CPM_EIO, "%s: cannot be read", path);
    double sum = 0, next;
    int count = 0;
    while (count < n && fscanf(f, "%lf", &speed[count]) == 1 && speed[count] >= 0)
        sum += speed[count++];
    bool complete = count == n && fscanf(f, "%lf", &next) != 1 && feof(f);
    fclose(f);
    if (complete && sum > 0 && isfinite(sum))
        return CPM_OK;
    return cpm_fail(e, CPM_EPARSE, "%s: expected the speeds of %d processes, one number each", path,
                    n);
}

int speeds_read(const char *path, double *speed, MPI_Comm comm, cpm_error *e)
{
    int rank, n;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    int status = mpib_agree(comm, rank == 0 ? read_numbers(path, n, speed, e) : CPM_OK, e);
    if (!status)
        MPI_Bcast(speed, n, MPI_DOUBLE, 0, comm);
    return status;
}

static int largest_remainder(int N, const double *speed, double sum, int n, const int *rows)
{
    int best = 0;
    double most = -INFINITY;
    for (int i = 0; i < n; i++) {
        double remainder = N * speed[i] / sum - rows[i]; /* negative where a row was added */
        if (remainder > most) {
            most = remainder;
            best = i;
        }
    }
    return best;
}

void rows_share(int N, const double *speed, int n, int *rows)
{
    double sum = 0;
    int left = N;
    for (int i = 0; i < n; i++)
        sum += speed[i];
    for (int i = 0; i < n; i++)
        left -= rows[i] = (int)(N * speed[i] / sum);
    for (; left > 0; left--)
        rows[largest_remainder(N, speed, sum, n, rows)]++;
}
