/* A program whose collectives are chosen by a model of the processes it runs on (thesis 6.3). The
 * model is read from a file, or estimated here and now within a few seconds.
 *
 *   mpiexec -n 4 ./tuned 64K cluster.mod
 *   mpiexec -n 4 ./tuned 64K
 *
 * CPM_VERBOSE=1 in the environment shows at the end all that was chosen, and what it cost. */
#include <cpm/cpm_mpi.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* What the model says of a broadcast, in microseconds. */
static int print_choice(const cpm_model *m, size_t bytes, cpm_error *e)
{
    const cpm_case c = {.root = 0, .bytes = bytes};
    cpm_selection best;
    int status = cpm_select(m, "bcast", &c, &best, e);
    double binomial = status ? status : cpm_predict(m, "bcast:binomial", &c, NULL, e);
    if (binomial < 0)
        return e->code;
    printf("model %s of %d processes: bcast of %zu bytes as %s takes %.1f us, binomial %.1f us\n",
           cpm_model_type_name(m), cpm_model_processes(m), bytes, best.collective,
           best.seconds * 1e6, binomial * 1e6);
    return CPM_OK;
}

/* Process i gets i + 1 parts of the buffer. */
static void scatter_unequal_parts(char *buffer, int bytes, int rank, int n)
{
    int part = bytes / (n * (n + 1) / 2);
    int *counts = calloc((size_t)n, sizeof *counts), *places = calloc((size_t)n, sizeof *places);
    char *own = malloc((size_t)part * (size_t)n + 1);
    if (!counts || !places || !own)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < n; i++) {
        counts[i] = part * (i + 1);
        places[i] = part * (i * (i + 1) / 2);
    }
    cpm_scatterv(buffer, counts, places, MPI_BYTE, own, counts[rank], MPI_BYTE, 0, MPI_COMM_WORLD);
    free(counts);
    free(places);
    free(own);
}

static void communicate(size_t bytes, int rank, int n)
{
    char *buffer = calloc(bytes + 1, 1);
    if (!buffer) /* one rank alone cannot go on: the others would wait for it */
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    cpm_bcast(buffer, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("the first bcast took %.1f us, with two barriers and making the choice\n",
               (MPI_Wtime() - start) * 1e6);
    scatter_unequal_parts(buffer, (int)bytes, rank, n);
    free(buffer);
}

static int run(size_t bytes, const char *path, cpm_error *e)
{
    int rank, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    cpm_model *model = NULL;
    int status = path ? cpm_model_load(path, MPI_COMM_WORLD, &model, e)
                      : cpm_model_estimate("lmo", 5, MPI_COMM_WORLD, &model, e);
    if (!status)
        status = cpm_use_model(MPI_COMM_WORLD, model, e);
    if (!status && rank == 0)
        print_choice(model, bytes, e);
    if (!status)
        communicate(bytes, rank, n);
    cpm_model_free(model);
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    cpm_error e = {0};
    size_t bytes = 0;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* Every rank parses the same text, so all fail here or none. */
    if (argc > 3 || (argc > 1 && cpm_size_parse(argv[1], &bytes, &e)) || bytes > INT_MAX)
        cpm_fail(&e, CPM_EINVAL, "usage: tuned SIZE [MODEL.mod]");
    else
        run(argc > 1 ? bytes : 65536, argc > 2 ? argv[2] : NULL, &e);
    if (e.code && rank == 0)
        fprintf(stderr, "tuned: %s\n", e.text);
    MPI_Finalize();
    return e.code ? 1 : 0;
}
