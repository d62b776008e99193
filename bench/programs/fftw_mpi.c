/* FFTW's transform of a matrix that is spread over processes: fftw_mpi N STEPS
 *
 * Forth and back again, STEPS times. A wave and small deterministic values beside it must come back
 * as they were, and the wave must be the largest coefficient. Prints that coefficient, the largest
 * error and the sum of all moduli; exit code 1 if it is wrong. */
#include <complex.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WAVE_X = 3, WAVE_Y = 5 };
static const double pi = 3.14159265358979323846;

typedef struct {
    ptrdiff_t n, rows, first; /* this process has so many rows, from that one on */
    fftw_complex *data;
    fftw_plan forth, back;
    int rank;
} transform;

static double complex initial(const transform *t, ptrdiff_t x, ptrdiff_t y)
{
    double phase = 2 * pi * (double)(WAVE_X * x + WAVE_Y * y) / (double)t->n;
    return cexp(I * phase) + 1e-3 * (double)((x * 7919 + y * 104729) % 101);
}

static void fill(const transform *t)
{
    for (ptrdiff_t x = 0; x < t->rows; x++)
        for (ptrdiff_t y = 0; y < t->n; y++)
            t->data[x * t->n + y] = initial(t, t->first + x, y);
}

static void divide(const transform *t)
{
    for (ptrdiff_t k = 0; k < t->rows * t->n; k++)
        t->data[k] /= (double)(t->n * t->n);
}

/* Of all processes, the sum or the largest. */
static double together(double own, MPI_Op op)
{
    MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    return own;
}

static double largest_error(const transform *t)
{
    double error = 0;
    for (ptrdiff_t x = 0; x < t->rows; x++)
        for (ptrdiff_t y = 0; y < t->n; y++)
            error = fmax(error, cabs(t->data[x * t->n + y] - initial(t, t->first + x, y)));
    return together(error, MPI_MAX);
}

static double sum_of_moduli(const transform *t)
{
    double sum = 0;
    for (ptrdiff_t k = 0; k < t->rows * t->n; k++)
        sum += cabs(t->data[k]);
    return together(sum, MPI_SUM);
}

/* Its modulus, of one element of a matrix of ones. */
static double wave(const transform *t)
{
    double own = 0;
    if (WAVE_X >= t->first && WAVE_X < t->first + t->rows)
        own = cabs(t->data[(WAVE_X - t->first) * t->n + WAVE_Y]) / (double)(t->n * t->n);
    return together(own, MPI_MAX);
}

static int run(transform *t, int steps)
{
    double peak = 0, error = 0, sum = 0;
    fill(t);
    for (int k = 0; k < steps; k++) {
        fftw_execute(t->forth);
        peak = wave(t);
        divide(t);
        fftw_execute(t->back);
        error = fmax(error, largest_error(t));
        sum += sum_of_moduli(t);
    }
    if (t->rank == 0)
        printf("wave %.9f\nsum %.9e\nerror %.1e\n", peak, sum, error);
    return !(error < 1e-10 && fabs(peak - 1) < 1e-3);
}

int main(int argc, char **argv)
{
    transform t = {.n = argc > 1 ? atoi(argv[1]) : 256};
    int steps = argc > 2 ? atoi(argv[2]) : 100;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
    ptrdiff_t size = fftw_mpi_local_size_2d(t.n, t.n, MPI_COMM_WORLD, &t.rows, &t.first);
    t.data = fftw_alloc_complex((size_t)size);
    if (!t.data)
        MPI_Abort(MPI_COMM_WORLD, 1);
    t.forth =
        fftw_mpi_plan_dft_2d(t.n, t.n, t.data, t.data, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE);
    t.back =
        fftw_mpi_plan_dft_2d(t.n, t.n, t.data, t.data, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_MEASURE);
    int wrong = run(&t, steps);
    fftw_destroy_plan(t.forth);
    fftw_destroy_plan(t.back);
    fftw_free(t.data);
    MPI_Finalize();
    return wrong;
}
