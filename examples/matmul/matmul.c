/* The matrix multiplication of thesis 7.3, C = A x B: slices of rows of A in proportion to the
 * speeds of the processes (measured by a serial product), once with MPI's own collectives and once
 * with those that a model chooses, in turns; prints the medians of both times, checks every
 * product.
 *
 *   mpiexec -n 4 ./matmul 512 cluster.mod
 *   mpiexec -n 4 ./matmul 512                 estimates a model first
 *
 * --speeds FILE gives the speeds instead, one number per process, for simulators where computing
 * takes no time; --repetitions R (5); --budget SECONDS for the estimate (5).
 * CPM_VERBOSE=1 in the environment shows what the model chose. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "product.h"
#include "rows.h"

typedef struct {
    int N, repetitions;
    double budget;
    const char *model, *speeds;
} options;

static int parse(int argc, char **argv, options *o, cpm_error *e)
{
    *o = (options){.repetitions = 5, .budget = 5};
    for (int i = 1; i < argc; i++) {
        bool named = strncmp(argv[i], "--", 2) == 0;
        const char *value = named ? argv[i + 1] : argv[i];
        if (named && value && strcmp(argv[i], "--speeds") == 0)
            o->speeds = value;
        else if (named && value && strcmp(argv[i], "--repetitions") == 0)
            o->repetitions = atoi(value);
        else if (named && value && strcmp(argv[i], "--budget") == 0)
            o->budget = atof(value);
        else if (!named && !o->N)
            o->N = atoi(value);
        else if (!named && !o->model)
            o->model = value;
        else
            return cpm_fail(e, CPM_EINVAL, "what is '%s'?", argv[i]);
        i += named;
    }
    if (o->N >= 1 && o->N <= 46340 && o->repetitions >= 1) /* N x N is an int */
        return CPM_OK;
    return cpm_fail(e, CPM_EINVAL,
                    "usage: matmul N [MODEL.mod] [--speeds FILE] [--repetitions R] [--budget S]");
}

/* From now on the collectives of CPM go by the model. */
static int use_model(const options *o, int n, MPI_Comm comm, cpm_error *e)
{
    cpm_model *m = NULL;
    int status = o->model ? cpm_model_load(o->model, comm, &m, e)
                          : cpm_model_estimate(n < 3 ? "hockney" : "lmo", o->budget, comm, &m, e);
    if (!status)
        status = cpm_use_model(comm, m, e);
    cpm_model_free(m);
    return status;
}

/* MPI's by their profiling names: also where a library that tunes them is preloaded. */
static const collectives ways[] = {{"native", PMPI_Scatterv, PMPI_Bcast, PMPI_Gatherv},
                                   {"model", cpm_scatterv, cpm_bcast, cpm_gatherv}};
enum { WAYS = 2 };

static double median(const double *samples, int count)
{
    const cpm_precision precision = CPM_PRECISION_DEFAULT;
    cpm_summary summary = {0};
    cpm_summarize(samples, count, &precision, &summary, NULL);
    return summary.median;
}

static void print_times(double *communication[], double *total[], int repetitions)
{
    double c[WAYS], t[WAYS];
    printf("# collectives  communication_s      total_s\n");
    for (int w = 0; w < WAYS; w++) {
        c[w] = median(communication[w], repetitions);
        t[w] = median(total[w], repetitions);
        printf("%-13s  %15.6f  %11.6f\n", ways[w].name, c[w], t[w]);
    }
    printf("# the model saves %.1f %% of the communication, %.1f %% of the total time\n",
           100 * (1 - c[1] / c[0]), 100 * (1 - t[1] / t[0]));
}

/* Both ways in turns, so that what changes on the cluster meanwhile meets both; the first turn, in
 * which connections open and choices are made, does not count. Rank 0 fails on a wrong product. */
static int compare(product *p, int repetitions, MPI_Comm comm, cpm_error *e)
{
    double *samples = room(2 * WAYS * (size_t)repetitions, sizeof *samples);
    double *communication[WAYS], *total[WAYS];
    for (int w = 0; w < WAYS; w++) {
        communication[w] = samples + (size_t)(2 * w) * (size_t)repetitions;
        total[w] = communication[w] + repetitions;
    }
    int status = CPM_OK;
    for (int turn = -1; turn < repetitions; turn++)
        for (int w = 0; w < WAYS; w++) {
            seconds taken = product_run(p, &ways[w], comm);
            if (p->rank == 0 && !product_is_right(p))
                status = cpm_fail(e, CPM_EWRONG, "the product with %s collectives is wrong",
                                  ways[w].name);
            communication[w][turn < 0 ? 0 : turn] = taken.communication;
            total[w][turn < 0 ? 0 : turn] = taken.total;
        }
    if (p->rank == 0 && !status)
        print_times(communication, total, repetitions);
    free(samples);
    return status;
}

static int run(const options *o, int n, MPI_Comm comm, cpm_error *e)
{
    double *speed = room((size_t)n, sizeof *speed);
    int *rows = room((size_t)n, sizeof *rows);
    int status = use_model(o, n, comm, e);
    if (!status)
        status = o->speeds ? speeds_read(o->speeds, speed, comm, e)
                           : speeds_measure(o->N, speed, comm, e);
    if (!status) {
        rows_share(o->N, speed, n, rows);
        product p = product_create(o->N, rows, comm);
        for (int i = 0; i < n && p.rank == 0; i++)
            printf("# process %d: speed %.4g, %d rows\n", i, speed[i], rows[i]);
        status = compare(&p, o->repetitions, comm, e);
        product_free(&p);
    }
    free(speed);
    free(rows);
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    options o;
    cpm_error e = {0};
    int rank, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (!parse(argc, argv, &o, &e)) /* the same on every rank */
        run(&o, n, MPI_COMM_WORLD, &e);
    if (e.code && rank == 0)
        fprintf(stderr, "matmul: %s\n", e.text);
    MPI_Finalize();
    return e.code ? 1 : 0;
}
