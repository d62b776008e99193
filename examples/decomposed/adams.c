/* A parallel Adams-Bashforth method for ordinary differential equations, as Hartmann, Kuehnemann,
 * Rauber and Ruenger (2006) use it, 4.2: the stages of a step do not depend on each other, and an
 * allgather brings them together.
 *
 *   mpiexec -n 4 ./adams 4096 200
 *
 * N equations, a multiple of the number of processes, and so many steps (100). Each process has its
 * part of the components of all stages. The equations are those of a heated rod, y' = A y with
 * second differences, whose solution is known. Needs MPI only: run it as it is, and under "cpm
 * run". */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { STAGES = 4, POINTS = 4 }; /* POINTS of Gauss integrate the method's polynomials exactly */

/* Stages are at t + (c - 1) h, c in (0, 1]: equally far apart. */
static double abscissa(int k)
{
    return (double)(k + 1) / STAGES;
}

/* Lagrange's polynomial that is 1 at stage j of the last step, which ended at 0. */
static double lagrange(int j, double x)
{
    double product = 1;
    for (int k = 0; k < STAGES; k++)
        if (k != j)
            product *= (x - (abscissa(k) - 1)) / (abscissa(j) - abscissa(k));
    return product;
}

/* Weights: of f at stage j for the new stage i, the integral of its polynomial from 0 to there. */
static void weigh(double b[STAGES][STAGES])
{
    static const double at[POINTS] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                      0.8611363115940526};
    static const double of[POINTS] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                      0.3478548451374538};
    for (int i = 0; i < STAGES; i++)
        for (int j = 0; j < STAGES; j++) {
            b[i][j] = 0;
            for (int q = 0; q < POINTS; q++)
                b[i][j] += of[q] / 2 * abscissa(i) * lagrange(j, abscissa(i) * (1 + at[q]) / 2);
        }
}

/* The rod's component i: n inner points, its ends are cold. */
static double change(const double *y, int n, int i)
{
    double left = i ? y[i - 1] : 0, right = i + 1 < n ? y[i + 1] : 0;
    return (left - 2 * y[i] + right) / 4;
}

static double exact(int n, int i, double t)
{
    double half = acos(-1.0) * (n / 4 + 1) / (2 * (n + 1)), rate = sin(half) * sin(half);
    return sin(2 * half * (i + 1)) * exp(-rate * t);
}

typedef struct {
    int n, own, first;
    double h, *y, *f, *at; /* y: [STAGES][n], f and at: [STAGES][own] */
} adams;

static void step(const adams *w, double b[STAGES][STAGES])
{
    const double *last = w->y + (size_t)(STAGES - 1) * w->n;
    for (int s = 0; s < STAGES; s++)
        for (int k = 0; k < w->own; k++)
            w->f[s * w->own + k] = change(w->y + (size_t)s * w->n, w->n, w->first + k);
    for (int s = 0; s < STAGES; s++)
        for (int k = 0; k < w->own; k++) {
            double sum = 0;
            for (int j = 0; j < STAGES; j++)
                sum += b[s][j] * w->f[j * w->own + k];
            w->at[s * w->own + k] = last[w->first + k] + w->h * sum;
        }
    for (int s = 0; s < STAGES; s++)
        MPI_Allgather(w->at + (size_t)s * w->own, w->own, MPI_DOUBLE, w->y + (size_t)s * w->n,
                      w->own, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void run(const adams *w, int steps)
{
    double b[STAGES][STAGES], worst = 0;
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    weigh(b);
    for (int s = 0; s < STAGES; s++)
        for (int i = 0; i < w->n; i++)
            w->y[(size_t)s * w->n + i] = exact(w->n, i, abscissa(s) * w->h);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int k = 1; k < steps; k++)
        step(w, b);
    double seconds = MPI_Wtime() - start;
    for (int i = 0; i < w->n; i++)
        worst =
            fmax(worst, fabs(w->y[(size_t)(STAGES - 1) * w->n + i] - exact(w->n, i, steps * w->h)));
    if (rank == 0)
        printf("%d equations, %d stages, %d processes: %.3f us a step, off by %.1e after %d\n",
               w->n, STAGES, size, seconds / steps * 1e6, worst, steps);
}

int main(int argc, char **argv)
{
    int size, rank, n = argc > 1 ? atoi(argv[1]) : 0, steps = argc > 2 ? atoi(argv[2]) : 100;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (n < size || n % size || steps < 1) {
        if (rank == 0)
            fprintf(stderr, "usage: adams N [STEPS], N a multiple of %d\n", size);
        MPI_Finalize();
        return 2;
    }
    adams w = {.n = n, .own = n / size, .first = rank * (n / size), .h = 0.2};
    w.y = calloc((size_t)STAGES * n, sizeof *w.y);
    w.f = calloc((size_t)STAGES * w.own, sizeof *w.f);
    w.at = calloc((size_t)STAGES * w.own, sizeof *w.at);
    if (!w.y || !w.f || !w.at) {
        fprintf(stderr, "adams: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    run(&w, steps);
    free(w.y);
    free(w.f);
    free(w.at);
    MPI_Finalize();
    return 0;
}
