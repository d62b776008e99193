/* The open point-to-point benchmark: a user's own operation between all pairs (thesis 3.2.1). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "executor/agree.h"
#include "mpib/machine_mpi.h"
#include "mpib/repeat.h"

enum { TAG_RESULT = 31 };

/* One rank's part in a benchmark. */
typedef struct {
    mpi_machine *m;
    mpib_p2p_operation *op;
    size_t bytes;
    const cpm_precision *p;
    double *samples; /* [max_reps] */
    int reps;
    int peer;
    bool measuring;
    cpm_summary *results; /* rank 0: [n(n-1)/2] */
    cpm_design pairs;
} benchmark;

static double run(void *context)
{
    benchmark *b = context;
    const mpib_clock *clock = &b->m->clock;
    double start = clock->now(clock);
    if (b->measuring)
        b->op->measure(b->op, b->m->work, b->bytes, b->peer);
    else
        b->op->mirror(b->op, b->m->work, b->bytes, b->peer);
    return fmax(0, clock->now(clock) - start - clock->reading);
}

/* Index of pair i < j in the order (0,1), (0,2), ... */
static int pair_index(int i, int j, int n)
{
    return i * (2 * n - i - 1) / 2 + j - i - 1;
}

static int exchange(benchmark *b, const cpm_experiment *pair, cpm_error *e)
{
    mpib_exchange x = {.measurer = pair->i,
                       .helper = {pair->j},
                       .helpers = 1,
                       .run = run,
                       .context = b,
                       .clock = &b->m->clock};
    x.pause = mpib_pause_of(b->m, &x);
    b->measuring = b->m->base.rank == pair->i;
    b->peer = b->measuring ? pair->j : pair->i;
    int status = mpib_repeat(b->m->control, &x, b->p, b->samples, &b->reps, e);
    if (b->measuring && pair->i != 0)
        MPI_Send(b->samples, b->reps, MPI_DOUBLE, 0, TAG_RESULT, b->m->control);
    return status;
}

static int take(benchmark *b, const cpm_experiment *pair, cpm_error *e)
{
    int reps = b->reps;
    MPI_Status s;
    if (pair->i != 0) {
        MPI_Recv(b->samples, b->p->max_reps, MPI_DOUBLE, pair->i, TAG_RESULT, b->m->control, &s);
        MPI_Get_count(&s, MPI_DOUBLE, &reps);
    }
    int at = pair_index(pair->i, pair->j, b->m->base.n);
    return cpm_summarize(b->samples, reps, b->p, &b->results[at], e);
}

/* Rank 0's own pair is first taken, before its samples are overwritten by the others'. */
static int measure_round(benchmark *b, int begin, int end, cpm_error *e)
{
    const cpm_experiment *x = b->pairs.at;
    int rank = b->m->base.rank, status = CPM_OK;
    for (int q = begin; q < end; q++)
        if (x[q].i == rank || x[q].j == rank)
            status = exchange(b, &x[q], e);
    for (int own = 1; own >= 0 && rank == 0; own--)
        for (int q = begin; q < end; q++)
            if ((x[q].i == 0) == own) {
                int taken = take(b, &x[q], e);
                status = status ? status : taken;
            }
    return mpib_agree(b->m->control, status, e);
}

static int prepare(benchmark *b, bool parallel, bool *initialized, cpm_error *e)
{
    int n = b->m->base.n, status = cpm_precision_check(b->p, e);
    if (status == CPM_OK && n < 2)
        status = cpm_fail(e, CPM_EPROCESS, "a point-to-point benchmark needs 2 processes");
    if (status == CPM_OK)
        status = cpm_design_tournament(&b->pairs, n, b->bytes, e);
    if (status == CPM_OK && !parallel)
        status = cpm_design_serial(&b->pairs, e);
    if (status != CPM_OK)
        return status;
    b->samples = malloc((size_t)b->p->max_reps * sizeof *b->samples);
    b->results = calloc((size_t)n * (size_t)(n - 1) / 2, sizeof *b->results);
    if (!b->samples || !b->results)
        return cpm_no_memory(e);
    status = b->op->initialize(b->op, b->m->work, b->bytes, e);
    *initialized = status == CPM_OK;
    return status;
}

int mpib_measure_p2p(cpm_machine *machine, mpib_p2p_operation *op, size_t bytes, bool parallel,
                     const cpm_precision *p, cpm_summary *results, cpm_error *e)
{
    benchmark b = {.m = (mpi_machine *)machine, .op = op, .bytes = bytes, .p = p};
    bool initialized = false;
    int status = mpib_agree(b.m->control, prepare(&b, parallel, &initialized, e), e);
    for (int r = 0, begin = 0; status == CPM_OK && r < b.pairs.rounds; begin = b.pairs.end[r++])
        status = measure_round(&b, begin, b.pairs.end[r], e);
    if (status == CPM_OK && machine->rank == 0)
        memcpy(results, b.results, (size_t)b.pairs.count * sizeof *results);
    if (initialized)
        op->finalize(op);
    free(b.samples);
    free(b.results);
    cpm_design_clear(&b.pairs);
    return status;
}
