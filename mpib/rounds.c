/* A round: disjoint point-to-point experiments measured at once.
 *
 * Inside a round nothing keeps the experiments together, and no barrier disturbs them, unless they
 * are contended: these begin each repetition together. Rounds are
 * kept apart by the agreements at their beginning and end: no rank can send a message of the next
 * round before all have finished this one. An experiment that needs fewer repetitions than others
 * ends early; the others then go on with less company, which can only matter where link ends are
 * shared, and there the design must not put them into one round. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "executor/agree.h"
#include "executor/combining.h"
#include "mpib/machine_mpi.h"
#include "mpib/repeat.h"
#include "mpib/stopwatch.h"

enum { TAG_DATA = 21, TAG_RUNS = 22, TAG_SAMPLES = 23 };

/* Sent as two MPI_INT. */
typedef struct {
    int experiment; /* index */
    int reps;
} run_of;

/* What this rank and those that send to it have measured: the samples of one run after those of the
 * other. There is space for all of the round. */
typedef struct {
    run_of *runs; /* [most] */
    int count, most;
    double *samples; /* [used] */
    int used;
} harvest;

typedef struct {
    const cpm_experiment *x;
    int count;
    int rank;
    int own; /* index of the experiment this rank is part of, -1: none */
    mpib_exchange exchange;
    mpib_plan *plan;
    MPI_Comm work;
    int failed; /* MPI's code of the first repetition that failed */
    const mpib_clock *clock;
    char *buffer;
    bool fresh;      /* what is sent is written before each repetition */
    char written;    /* the last value */
    double *samples; /* [max_reps] of the own experiment, at its measurer */
    int reps;
    harvest gathered;
    cpm_measurement *results; /* rank 0: [count] with space for max_reps samples each */
} round_state;

static int find_own(round_state *r, const cpm_machine *m, cpm_error *e)
{
    r->own = -1;
    for (int q = 0; q < r->count; q++) {
        int who[3], status = cpm_experiment_check(&r->x[q], m->n, e);
        if (status != CPM_OK)
            return status;
        if (!r->x[q].kind)
            return cpm_fail(e, CPM_EINVAL, "a collective cannot share a round");
        int members = cpm_experiment_ranks(&r->x[q], m->n, who);
        for (int i = 0; i < members; i++)
            if (who[i] == m->rank)
                r->own = q;
    }
    return CPM_OK;
}

static void set_exchange(round_state *r, int n)
{
    int who[3], members = cpm_experiment_ranks(&r->x[r->own], n, who);
    r->exchange = (mpib_exchange){.measurer = who[0], .helpers = members - 1};
    for (int i = 1; i < members; i++)
        r->exchange.helper[i - 1] = who[i];
}

/* Sizes of all blocks, and places such that every experiment uses the same buffer: a rank takes
 * part in one only. */
static size_t lay_out(const round_state *r, size_t *bytes, size_t *displacement)
{
    size_t largest = 0;
    for (int q = 0; q < r->count; q++) {
        size_t used = 0;
        cpm_experiment_blocks(&r->x[q], bytes);
        for (int b = 0; b < CPM_EXPERIMENT_BLOCKS; b++, used += *bytes++)
            *displacement++ = used;
        if (q == r->own)
            largest = used;
    }
    return largest;
}

static mpib_place place_in_buffer(const void *context, int64_t unit, int piece)
{
    (void)piece;
    return (mpib_place){MPIB_SPACE, (ptrdiff_t)((const size_t *)context)[unit]};
}

/* bytes[] and places[]: space for one entry per block. */
static int plan_in(round_state *r, const cpm_schedule *s, int rank, size_t *bytes, size_t *places,
                   cpm_error *e)
{
    size_t space = lay_out(r, bytes, places);
    const mpib_combined combined = mpib_combined_of(s->combining);
    cpm_block_sizes sizes = {.each = bytes, .grain = (size_t)combined.bytes};
    mpib_layout layout = {.schedule = s,
                          .sizes = &sizes,
                          .place = place_in_buffer,
                          .context = places,
                          .op = combined.op,
                          .type = combined.type,
                          .extent = (size_t)combined.bytes,
                          .commutes = true};
    r->buffer = malloc(space + 1);
    if (!r->buffer)
        return cpm_no_memory(e);
    memset(r->buffer, 1, space + 1); /* pages that were never written are slower to send */
    return mpib_plan_create(&layout, rank, &r->plan, e);
}

static int make_plan(round_state *r, const cpm_machine *m, cpm_error *e)
{
    cpm_schedule *s = NULL;
    size_t blocks = CPM_EXPERIMENT_BLOCKS * (size_t)r->count;
    size_t *bytes = malloc(blocks * sizeof *bytes), *places = malloc(blocks * sizeof *places);
    int status =
        bytes && places ? cpm_experiments_schedule(r->x, r->count, m->n, &s, e) : cpm_no_memory(e);
    if (status == CPM_OK)
        status = plan_in(r, s, m->rank, bytes, places, e);
    cpm_schedule_free(s);
    free(bytes);
    free(places);
    return status;
}

static int make_results(round_state *r, int max_reps, cpm_error *e)
{
    r->results = calloc((size_t)(unsigned)r->count, sizeof *r->results);
    for (int q = 0; r->results && q < r->count; q++) {
        r->results[q].what = r->x[q];
        r->results[q].samples = malloc((size_t)max_reps * sizeof(double));
        if (!r->results[q].samples)
            return cpm_no_memory(e);
    }
    return r->results ? CPM_OK : cpm_no_memory(e);
}

/* For all samples of the round, on every rank: nothing can fail once it runs. */
static int make_room(round_state *r, int max_reps, cpm_error *e)
{
    harvest *h = &r->gathered;
    size_t most = (size_t)r->count, samples = most * (size_t)max_reps;
    if (samples <= INT_MAX && 2 * most <= INT_MAX) {
        h->runs = malloc(most * sizeof *h->runs);
        h->samples = malloc(samples * sizeof *h->samples);
    }
    if (!h->runs || !h->samples)
        return cpm_no_memory(e);
    h->most = r->count;
    return CPM_OK;
}

static int prepare(round_state *r, const mpi_machine *m, const cpm_precision *p, cpm_error *e)
{
    int status = cpm_precision_check(p, e);
    if (status == CPM_OK && r->count < 1)
        status = cpm_fail(e, CPM_EINVAL, "a round of %d experiments", r->count);
    if (status == CPM_OK)
        status = find_own(r, &m->base, e);
    if (status == CPM_OK && m->base.rank == 0)
        status = make_results(r, p->max_reps, e);
    if (status == CPM_OK)
        status = make_room(r, p->max_reps, e);
    if (status != CPM_OK || r->own < 0)
        return status;
    set_exchange(r, m->base.n);
    r->samples = malloc((size_t)p->max_reps * sizeof *r->samples);
    if (!r->samples)
        return cpm_no_memory(e);
    return make_plan(r, &m->base, e);
}

/* The measurer begins the repetition. So it writes twice where it receives, and by then the others
 * have written what they send. */
static void refresh(round_state *r, char *const bases[MPIB_BASES], bool measuring)
{
    size_t bytes[CPM_EXPERIMENT_BLOCKS];
    cpm_experiment_blocks(&r->x[r->own], bytes);
    mpib_plan_write_sent(r->plan, bases, ++r->written);
    for (int times = 0; measuring && times < 2; times++)
        memset(r->buffer + bytes[0], r->written, bytes[1] + bytes[2]);
}

static double run_plan(void *context)
{
    round_state *r = context;
    char *const bases[MPIB_BASES] = {[MPIB_SPACE] = r->buffer};
    double seconds = 0;
    bool measuring = r->exchange.measurer == r->rank;
    if (r->fresh)
        refresh(r, bases, measuring);
    mpib_stopwatch watch = {.clock = r->clock,
                            .pause = measuring ? 0 : r->exchange.answer_pause,
                            .written = r->fresh ? &r->written : NULL};
    int failed = mpib_plan_time(r->plan, bases, &watch, r->work, TAG_DATA, &seconds);
    r->failed = r->failed ? r->failed : failed;
    return measuring ? seconds : watch.paused;
}

static int run(round_state *r, const mpi_machine *m, const cpm_precision *p, cpm_error *e)
{
    bool takes_part = r->own >= 0, contended = r->x[0].kind->contended;
    r->exchange.run = run_plan;
    r->exchange.context = r;
    r->exchange.clock = &m->clock;
    r->exchange.pause = takes_part ? mpib_pause_of(m, &r->exchange) : 0;
    r->exchange.answer_pause = takes_part && r->x[r->own].kind->answered ? r->exchange.pause : 0;
    r->rank = m->base.rank;
    r->work = m->work;
    r->clock = &m->clock;
    int status = CPM_OK;
    if (contended)
        status = mpib_repeat_together(m->control, m->here, takes_part ? &r->exchange : NULL, p,
                                      r->samples, &r->reps, e);
    else if (takes_part)
        status = mpib_repeat(m->control, &r->exchange, p, r->samples, &r->reps, e);
    return status || !takes_part ? status : mpib_status_of(r->failed, r->x[r->own].kind->name, e);
}

static void add_own(round_state *r)
{
    harvest *h = &r->gathered;
    h->runs[h->count++] = (run_of){r->own, r->reps};
    memcpy(h->samples + h->used, r->samples, (size_t)r->reps * sizeof *h->samples);
    h->used += r->reps;
}

/* Appends what rank has. The runs say how many samples follow. */
static void add_from(harvest *h, int rank, MPI_Comm comm)
{
    MPI_Status status;
    int ints, samples = 0;
    MPI_Recv(h->runs + h->count, 2 * (h->most - h->count), MPI_INT, rank, TAG_RUNS, comm, &status);
    MPI_Get_count(&status, MPI_INT, &ints);
    for (int more = ints / 2; more > 0; more--)
        samples += h->runs[h->count++].reps;
    MPI_Recv(h->samples + h->used, samples, MPI_DOUBLE, rank, TAG_SAMPLES, comm, MPI_STATUS_IGNORE);
    h->used += samples;
}

/* Along a binomial tree: with many ranks, receiving one message after the other at rank 0 takes
 * longer than what is measured. */
static void gather(harvest *h, const mpi_machine *m)
{
    int rank = m->base.rank;
    for (int distance = 1; distance < m->base.n; distance *= 2) {
        if (rank & distance) {
            MPI_Send(h->runs, 2 * h->count, MPI_INT, rank - distance, TAG_RUNS, m->control);
            MPI_Send(h->samples, h->used, MPI_DOUBLE, rank - distance, TAG_SAMPLES, m->control);
            return;
        }
        if (rank + distance < m->base.n)
            add_from(h, rank + distance, m->control);
    }
}

static void keep_results(round_state *r)
{
    const double *samples = r->gathered.samples;
    for (int k = 0; k < r->gathered.count; k++) {
        const run_of *run = &r->gathered.runs[k];
        cpm_measurement *result = &r->results[run->experiment];
        result->summary.reps = run->reps;
        memcpy(result->samples, samples, (size_t)run->reps * sizeof *samples);
        samples += run->reps;
    }
}

static void collect(round_state *r, const mpi_machine *m)
{
    if (r->own >= 0 && r->exchange.measurer == m->base.rank)
        add_own(r);
    gather(&r->gathered, m);
    if (m->base.rank == 0)
        keep_results(r);
}

static int summarize(round_state *r, const cpm_precision *p, cpm_error *e)
{
    for (int q = 0; q < r->count && r->results; q++) {
        cpm_measurement *result = &r->results[q];
        int status = cpm_summarize(result->samples, result->summary.reps, p, &result->summary, e);
        if (status != CPM_OK)
            return status;
    }
    return CPM_OK;
}

static void clean_up(round_state *r)
{
    for (int q = 0; q < r->count && r->results; q++)
        free(r->results[q].samples);
    free(r->results);
    free(r->samples);
    free(r->gathered.runs);
    free(r->gathered.samples);
    mpib_plan_free(r->plan);
    free(r->buffer);
}

static int measure_round(mpi_machine *m, const cpm_experiment *x, int count, const cpm_precision *p,
                         cpm_measurement *results, cpm_error *e)
{
    round_state r = {.x = x, .count = count, .fresh = m->buffers != MPIB_BUFFERS_SAME};
    int status = mpib_agree(m->control, prepare(&r, m, p, e), e);
    if (status == CPM_OK) {
        int ran = run(&r, m, p, e);
        collect(&r, m);
        int summarized = ran ? ran : summarize(&r, p, e);
        status = mpib_agree(m->control, summarized, e);
    }
    if (status == CPM_OK && m->base.rank == 0) {
        memcpy(results, r.results, (size_t)count * sizeof *results);
        free(r.results);
        r.results = NULL; /* the samples are the caller's now */
    }
    clean_up(&r);
    return status;
}

static int collective_prepare(const mpi_machine *m, const cpm_experiment *x, const cpm_precision *p,
                              mpib_coll_operation **op, double **samples, cpm_error *e)
{
    int status = cpm_experiment_check(x, m->base.n, e);
    if (status == CPM_OK)
        status = cpm_precision_check(p, e);
    if (status == CPM_OK)
        status = mpib_benchmarked_create(x, op, e);
    if (status != CPM_OK)
        return status;
    *samples = malloc((size_t)p->max_reps * sizeof **samples);
    return *samples ? CPM_OK : cpm_no_memory(e);
}

static int measure_collective(mpi_machine *m, const cpm_experiment *x, const cpm_precision *p,
                              cpm_measurement *results, cpm_error *e)
{
    mpib_coll_operation *op = NULL;
    cpm_measurement result = {.what = *x};
    int status = collective_prepare(m, x, p, &op, &result.samples, e);
    status = mpib_agree(m->control, status, e);
    if (status == CPM_OK)
        status = mpib_measure_coll(&m->base, op, x->i,
                                   x->collective.operation->dataless ? 0 : x->send_bytes, p,
                                   &result.summary, result.samples, e);
    free(op);
    if (status != CPM_OK || m->base.rank != 0)
        free(result.samples);
    else
        results[0] = result;
    return status;
}

int mpib_machine_measure(cpm_machine *machine, const cpm_experiment *x, int count,
                         const cpm_precision *p, cpm_measurement *results, cpm_error *e)
{
    mpi_machine *m = (mpi_machine *)machine;
    bool collective = count == 1 && !x->kind; /* the same on every rank */
    MPI_Errhandler before;
    PMPI_Comm_get_errhandler(m->work, &before);
    PMPI_Comm_set_errhandler(m->work, MPI_ERRORS_RETURN);
    int status = collective ? measure_collective(m, x, p, results, e)
                            : measure_round(m, x, count, p, results, e);
    if (before != MPI_ERRHANDLER_NULL) { /* as a simulator may say */
        PMPI_Comm_set_errhandler(m->work, before);
        PMPI_Errhandler_free(&before);
    }
    return status;
}
