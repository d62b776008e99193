/* Measures an operation of one's own between all pairs of processes: here a message that is sent
 * in pieces, each piece acknowledged. Precision, pairs in parallel and statistics are CPM's.
 *
 *   mpiexec -n 4 ./measure_custom 64K                                                          */
#include <cpm/cpm_mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* The operation: the container that CPM knows, and what is ours behind it. */
typedef struct {
    mpib_p2p_operation base;
    int pieces;
    char *buffer;
} pieces_operation;

static int initialize(mpib_p2p_operation *base, MPI_Comm comm, size_t bytes, cpm_error *e)
{
    (void)comm;
    pieces_operation *self = (pieces_operation *)base;
    self->buffer = calloc(bytes + 1, 1);
    return self->buffer ? CPM_OK : cpm_fail(e, CPM_ENOMEM, "no memory for %zu bytes", bytes);
}

static void measure(mpib_p2p_operation *base, MPI_Comm comm, size_t bytes, int mirror)
{
    pieces_operation *self = (pieces_operation *)base;
    int piece = (int)(bytes / self->pieces);
    for (int k = 0; k < self->pieces; k++) {
        MPI_Send(self->buffer, piece, MPI_BYTE, mirror, 0, comm);
        MPI_Recv(NULL, 0, MPI_BYTE, mirror, 0, comm, MPI_STATUS_IGNORE);
    }
}

static void mirror(mpib_p2p_operation *base, MPI_Comm comm, size_t bytes, int measure_rank)
{
    pieces_operation *self = (pieces_operation *)base;
    int piece = (int)(bytes / self->pieces);
    for (int k = 0; k < self->pieces; k++) {
        MPI_Recv(self->buffer, piece, MPI_BYTE, measure_rank, 0, comm, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_BYTE, measure_rank, 0, comm);
    }
}

static void finalize(mpib_p2p_operation *base)
{
    free(((pieces_operation *)base)->buffer);
}

static void print(const cpm_summary *results, int n)
{
    printf("# pair     median_us  ci_low_us ci_high_us  reps\n");
    for (int i = 0, pair = 0; i < n; i++)
        for (int j = i + 1; j < n; j++, pair++) {
            const cpm_summary *r = &results[pair];
            printf("%3d %3d %12.2f %10.2f %10.2f %5d\n", i, j, r->median * 1e6, r->ci_low * 1e6,
                   r->ci_high * 1e6, r->reps);
        }
}

static int run(cpm_machine *machine, size_t bytes, cpm_error *e)
{
    int rank, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    pieces_operation pieces = {.base = {"pieces", initialize, measure, mirror, finalize},
                               .pieces = 4};
    cpm_precision precision = CPM_PRECISION_DEFAULT;
    int pairs = n * (n - 1) / 2;
    cpm_summary *results = calloc((size_t)pairs + 1, sizeof *results);
    if (!results) /* one rank alone cannot go on: the others would wait for it */
        MPI_Abort(MPI_COMM_WORLD, 1);
    int status = mpib_measure_p2p(machine, &pieces.base, bytes, true, &precision, results, e);
    if (!status && rank == 0)
        print(results, n);
    free(results);
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    cpm_error e = {0};
    cpm_machine *machine = NULL;
    size_t bytes = 0;
    /* Every rank parses the same text, so all fail here or none. */
    if (!cpm_size_parse(argc > 1 ? argv[1] : "64K", &bytes, &e) &&
        !mpib_machine_create(MPI_COMM_WORLD, MPIB_TIMING_MAX, &machine, &e))
        run(machine, bytes, &e);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (e.code && rank == 0)
        fprintf(stderr, "measure_custom: %s\n", e.text);
    mpib_machine_free(machine);
    MPI_Finalize();
    return e.code ? 1 : 0;
}
