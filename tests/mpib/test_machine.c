/* The MPI machine: rounds, collectives, users' operations, and failures that reach every rank. */
#include "tests/mpi_test.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "measurements/timing_names.h"
#include "mpib/timing.h"

static const cpm_precision quick = {2, 4, 0.95, 0.5, CPM_MEDIAN, 0};

static cpm_machine *machine_with(mpib_timing timing, const mpib_clock *clock)
{
    cpm_machine *m = NULL;
    int status = clock ? mpib_machine_create_by(clock, MPI_COMM_WORLD, timing, &m, NULL)
                       : mpib_machine_create(MPI_COMM_WORLD, timing, &m, NULL);
    assert_everywhere(status == CPM_OK);
    return m;
}

static cpm_experiment experiment(const char *name, int i, int j, int k, int count, size_t M,
                                 size_t N)
{
    cpm_experiment x = {.i = i, .j = j, .k = k, .count = count, .send_bytes = M, .reply_bytes = N};
    cpm_error e = {0};
    if (cpm_experiment_parse(name, &x, &e) != CPM_OK)
        fail_msg("%s", e.text);
    return x;
}

static bool is_plausible(const cpm_measurement *r, const cpm_precision *p)
{
    bool fine = r->summary.reps >= p->min_reps && r->summary.reps <= p->max_reps && r->samples;
    for (int i = 0; fine && i < r->summary.reps; i++)
        fine = isfinite(r->samples[i]) && r->samples[i] > 0;
    return fine && r->summary.min <= r->summary.median && r->summary.median <= r->summary.max;
}

/* Measures a round and checks what rank 0 gets. */
static void expect_measured(cpm_machine *m, const cpm_experiment *x, int count)
{
    cpm_error e = {0};
    cpm_measurement *results = calloc((size_t)count, sizeof *results);
    int status = m->measure(m, x, count, &quick, results, &e);
    bool fine = true;
    for (int q = 0; q < count; q++) {
        if (m->rank == 0)
            fine = fine && is_plausible(&results[q], &quick) &&
                   cpm_experiment_equal(&results[q].what, &x[q]);
        else
            fine = fine && !results[q].samples;
        free(results[q].samples);
    }
    free(results);
    if (status != CPM_OK)
        fprintf(stderr, "rank %d: %s\n", m->rank, e.text);
    assert_everywhere(status == CPM_OK);
    assert_everywhere(fine);
}

/* Measures a round that must fail in the same way everywhere. */
static void expect_refused(cpm_machine *m, const cpm_experiment *x, int count, int code,
                           const char *word)
{
    cpm_error e = {0};
    cpm_measurement results[4] = {0};
    int status = m->measure(m, x, count, &quick, results, &e);
    assert_everywhere(status == code && e.code == code && strstr(e.text, word));
}

static void all_pairs_are_measured_in_rounds(void **state)
{
    (void)state;
    cpm_machine *m = machine_with(MPIB_TIMING_MAX, NULL);
    cpm_design d = {0};
    assert_everywhere(cpm_design_tournament(&d, m->n, 1000, NULL) == CPM_OK);
    for (int r = 0, begin = 0; r < d.rounds; begin = d.end[r++])
        expect_measured(m, d.at + begin, d.end[r] - begin);
    cpm_design_clear(&d);
    m->free(m);
}

static void every_kind_of_experiment_is_measured(void **state)
{
    (void)state;
    cpm_machine *m = machine_with(MPIB_TIMING_MAX, NULL);
    const char *of_two[] = {"roundtrip", "send-time", "late-receive", "saturation", "posted-trip"};
    for (int q = 0; q < 4; q++) {
        cpm_experiment small = experiment(of_two[q], 1, 0, -1, q == 3 ? 5 : 1, 1000, 3000);
        expect_measured(m, &small, 1);
    }
    cpm_experiment pair = experiment("roundtrip", 1, 0, -1, 1, 0, 70000);
    expect_measured(m, &pair, 1);
    if (m->n >= 3) {
        cpm_experiment x[2] = {experiment("one-to-two", 1, 2, 0, 1, 100, 200),
                               experiment("train", 2, 0, 1, 8, 70000, 0)};
        cpm_experiment in = experiment("two-to-one", 1, 2, 0, 1, 100, 20000);
        expect_measured(m, &in, 1);
        expect_measured(m, &x[0], 1);
        expect_measured(m, &x[1], 1);
    }
    if (m->n >= 5) {
        cpm_experiment both[2] = {experiment("train", 4, 3, 1, 3, 10, 20),
                                  experiment("roundtrip", 0, 2, -1, 1, 0, 0)};
        expect_measured(m, both, 2);
    }
    m->free(m);
}

static void collectives_are_measured_by_every_timing_method(void **state)
{
    (void)state;
    const char *const names[] = {"scatter:native",  "gather:native",   "bcast:native",
                                 "scatter:linear",  "gather:binomial", "bcast:chain",
                                 "scatter:binomial"};
    for (mpib_timing t = MPIB_TIMING_ROOT; t <= MPIB_TIMING_BATCH; t++) {
        cpm_machine *m = machine_with(t, NULL);
        mpib_machine_set_batch(m, 3);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            int root = (int)i % m->n;
            cpm_experiment x = experiment(names[i], root, -1, -1, 1, i % 2 ? 5000 : 0, 0);
            expect_measured(m, &x, 1);
        }
        m->free(m);
    }
}

/* Stands before MPI's routine: which buffers it was called with at the root last. */
static const void *gathered_from;

int MPI_Gather(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
               MPI_Datatype recv_type, int root, MPI_Comm comm)
{
    if (test_rank() == root)
        gathered_from = send;
    return PMPI_Gather(send, send_count, send_type, recv, recv_count, recv_type, root, comm);
}

/* Copying it is no message: a model of messages cannot be compared with what contains it. */
static void the_roots_own_block_is_not_copied(void **state)
{
    (void)state;
    cpm_machine *m = machine_with(MPIB_TIMING_GLOBAL, NULL);
    cpm_experiment x = experiment("gather:native", m->n - 1, -1, -1, 1, 1000, 0);
    expect_measured(m, &x, 1);
    assert_everywhere(m->rank != m->n - 1 || gathered_from == MPI_IN_PLACE);
    m->free(m);
}

static void bad_experiments_are_refused_on_every_rank(void **state)
{
    (void)state;
    cpm_machine *m = machine_with(MPIB_TIMING_MAX, NULL);
    cpm_experiment shared[2] = {experiment("roundtrip", 0, 1, -1, 1, 0, 0),
                                experiment("roundtrip", 1, 0, -1, 1, 0, 0)};
    expect_refused(m, shared, 2, CPM_EINVAL, "");
    cpm_experiment root = experiment("bcast:native", m->n, -1, -1, 1, 0, 0);
    expect_refused(m, &root, 1, CPM_EINVAL, "");
    cpm_experiment peer = experiment("roundtrip", 0, m->n, -1, 1, 0, 0);
    expect_refused(m, &peer, 1, CPM_EINVAL, "");
    expect_measured(m, shared, 1); /* the machine still works */
    m->free(m);
}

/* MPI's own counts are int; schedules send larger blocks too. */
static void native_blocks_above_2_gib_are_refused_on_every_rank(void **state)
{
    (void)state;
    cpm_machine *m = machine_with(MPIB_TIMING_MAX, NULL);
    const size_t huge = (size_t)3 << 30;
    cpm_experiment x[2] = {experiment("bcast:native", 0, -1, -1, 1, huge, 0),
                           experiment("scatter:native", 0, -1, -1, 1, huge, 0)};
    for (int i = 0; i < 2; i++)
        expect_refused(m, &x[i], 1, CPM_EINVAL, "2 GiB");
    m->free(m);
}

/* A clock of a test: every other reading adds the next of two durations, so what a measurement
 * sees is known. */
typedef struct {
    double t, durations[2];
    int readings;
} script;

static double scripted_now(const mpib_clock *self)
{
    script *s = self->context;
    if (s->readings++ % 2)
        s->t += s->durations[s->readings / 2 % 2];
    return s->t;
}

static int reps_with(double one, double other)
{
    script s = {.durations = {one, other}};
    mpib_clock clock = {.now = scripted_now, .resolution = 1e-9, .context = &s};
    cpm_machine *m = machine_with(MPIB_TIMING_MAX, &clock);
    cpm_experiment x = experiment("roundtrip", 0, 1, -1, 1, 0, 0);
    cpm_measurement result = {0};
    cpm_precision p = {6, 33, 0.95, 0.025, CPM_MEDIAN, 0};
    assert_everywhere(m->measure(m, &x, 1, &p, &result, NULL) == CPM_OK);
    free(result.samples);
    m->free(m);
    int reps = result.summary.reps;
    MPI_Bcast(&reps, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return reps;
}

static void repetitions_end_when_they_are_precise_or_too_many(void **state)
{
    (void)state;
    int steady = reps_with(1e-3, 1e-3), restless = reps_with(1e-3, 2e-3);
    assert_everywhere(steady == 6);
    assert_everywhere(restless == 33);
}

/* Between any two of its readings a millisecond passes. */
static double ticking_now(const mpib_clock *self)
{
    double *t = self->context;
    return *t += 1e-3;
}

/* A confirmation may take less behind a collective than alone, which is no reason to say that the
 * collective took no time. */
static void no_collective_takes_less_than_the_roots_part_in_it(void **state)
{
    (void)state;
    double t = 0;
    mpib_clock clock = {.now = ticking_now, .resolution = 1e-9, .context = &t};
    cpm_machine *m = machine_with(MPIB_TIMING_ROOT, &clock);
    cpm_experiment x = experiment("scatter:linear", 0, -1, -1, 1, 1, 0);
    cpm_measurement result = {0};
    assert_everywhere(m->measure(m, &x, 1, &quick, &result, NULL) == CPM_OK);
    assert_everywhere(m->rank != 0 || result.summary.min >= 0.999e-3);
    free(result.samples);
    m->free(m);
}

/* A user's round trip of one byte that counts its calls. */
typedef struct {
    mpib_p2p_operation base;
    int fails_at; /* rank whose initialize fails, or -1 */
    int measured, mirrored, initialized;
} counted_p2p;

static int counted_initialize(mpib_p2p_operation *self, MPI_Comm comm, size_t bytes, cpm_error *e)
{
    counted_p2p *x = (counted_p2p *)self;
    (void)comm;
    (void)bytes;
    if (test_rank() == x->fails_at)
        return cpm_fail(e, CPM_ENOMEM, "the user's buffer does not fit");
    x->initialized++;
    return CPM_OK;
}

static void counted_measure(mpib_p2p_operation *self, MPI_Comm comm, size_t bytes, int mirror)
{
    char c = 'a';
    (void)bytes;
    ((counted_p2p *)self)->measured++;
    MPI_Sendrecv_replace(&c, 1, MPI_CHAR, mirror, 0, mirror, 0, comm, MPI_STATUS_IGNORE);
}

static void counted_mirror(mpib_p2p_operation *self, MPI_Comm comm, size_t bytes, int measure)
{
    char c = 'b';
    (void)bytes;
    ((counted_p2p *)self)->mirrored++;
    MPI_Sendrecv_replace(&c, 1, MPI_CHAR, measure, 0, measure, 0, comm, MPI_STATUS_IGNORE);
}

static void counted_finalize(mpib_p2p_operation *self)
{
    ((counted_p2p *)self)->initialized--;
}

static const mpib_p2p_operation counted_row = {"counted", counted_initialize, counted_measure,
                                               counted_mirror, counted_finalize};

static void a_users_exchange_is_measured_between_all_pairs(void **state)
{
    (void)state;
    cpm_machine *m = machine_with(MPIB_TIMING_MAX, NULL);
    int pairs = m->n * (m->n - 1) / 2;
    for (int parallel = 0; parallel < 2; parallel++) {
        counted_p2p op = {.base = counted_row, .fails_at = -1};
        cpm_summary *results = calloc((size_t)pairs, sizeof *results);
        int status = mpib_measure_p2p(m, &op.base, 1, parallel, &quick, results, NULL), calls = 0;
        assert_everywhere(status == CPM_OK && op.initialized == 0);
        for (int i = 0; i < pairs && m->rank == 0; i++)
            calls += results[i].reps + 1; /* one of each pair is not timed */
        MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
        int own[2] = {op.measured, op.mirrored}, all[2];
        MPI_Allreduce(own, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        assert_everywhere(all[0] == calls && all[1] == calls);
        assert_everywhere(m->rank > 0 || op.mirrored == 0);
        free(results);
    }
    m->free(m);
}

static void a_users_exchange_that_fails_on_one_rank_fails_on_all(void **state)
{
    (void)state;
    cpm_machine *m = machine_with(MPIB_TIMING_MAX, NULL);
    for (int failing = 0; failing < m->n; failing++) {
        counted_p2p op = {.base = counted_row, .fails_at = failing};
        cpm_error e = {0};
        int status = mpib_measure_p2p(m, &op.base, 1, true, &quick, NULL, &e);
        assert_everywhere(status == CPM_ENOMEM && strstr(e.text, "user's buffer"));
        assert_everywhere(op.initialized == 0 && op.measured == 0);
    }
    m->free(m);
}

typedef struct {
    mpib_coll_operation base;
    int fails_at, breaks_at, executed, initialized; /* breaks_at: rank whose second call fails */
} counted_coll;

static int coll_initialize(mpib_coll_operation *self, MPI_Comm comm, int root, size_t bytes,
                           cpm_error *e)
{
    counted_coll *x = (counted_coll *)self;
    (void)comm;
    (void)root;
    (void)bytes;
    if (test_rank() == x->fails_at)
        return cpm_fail(e, CPM_EIO, "the user's file is missing");
    x->initialized++;
    return CPM_OK;
}

static int coll_execute(mpib_coll_operation *self, MPI_Comm comm, int root, size_t bytes,
                        cpm_error *e)
{
    counted_coll *x = (counted_coll *)self;
    int value = 1, sum = 0;
    (void)bytes;
    x->executed++;
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, root, comm);
    if (x->executed == 2 && test_rank() == x->breaks_at)
        return cpm_fail(e, CPM_EIO, "the user's cable is broken");
    return CPM_OK;
}

static void coll_finalize(mpib_coll_operation *self)
{
    ((counted_coll *)self)->initialized--;
}

static const mpib_coll_operation coll_row = {"counted", coll_initialize, coll_execute,
                                             coll_finalize, NULL};

static void a_users_collective_is_measured(void **state)
{
    (void)state;
    cpm_machine *m = machine_with(MPIB_TIMING_MAX, NULL);
    counted_coll op = {.base = coll_row, .fails_at = -1, .breaks_at = -1};
    cpm_summary result = {0};
    double samples[4] = {0};
    int status = mpib_measure_coll(m, &op.base, m->n - 1, 4, &quick, &result, samples, NULL);
    assert_everywhere(status == CPM_OK && op.initialized == 0);
    int reps = result.reps;
    MPI_Bcast(&reps, 1, MPI_INT, 0, MPI_COMM_WORLD);
    assert_everywhere(reps >= 2 && reps <= 4 && op.executed == reps + 1);
    assert_everywhere(m->rank != 0 || (samples[0] > 0 && result.min > 0));
    m->free(m);
}

/* Counts how often what it sends is written. */
typedef struct {
    counted_coll counted;
    int refreshed;
} refreshed_coll;

static void coll_refresh(mpib_coll_operation *self)
{
    ((refreshed_coll *)self)->refreshed++;
}

static void buffers_are_made_what_they_shall_be_before_each_repetition(void **state)
{
    (void)state;
    enum { SPACE = 100, LINE = 64 };
    for (mpib_buffers b = MPIB_BUFFERS_FRESH; b <= MPIB_BUFFERS_COLD; b++) {
        mpi_machine *m = (mpi_machine *)machine_with(MPIB_TIMING_GLOBAL, NULL);
        refreshed_coll op = {{.base = coll_row, .fails_at = -1, .breaks_at = -1}, 0};
        op.counted.base.refresh = coll_refresh;
        char *written = m->evicting = calloc(1, SPACE); /* caches that hold little */
        m->evicting_bytes = SPACE;
        mpib_machine_set_buffers(&m->base, b);
        int status = mpib_measure_coll(&m->base, &op.counted.base, 0, 4, &quick, NULL, NULL, NULL);
        int evicted = b == MPIB_BUFFERS_COLD ? op.counted.executed : 0;
        assert_everywhere(status == CPM_OK && op.counted.executed > 2);
        assert_everywhere(op.refreshed == (b == MPIB_BUFFERS_SAME ? 0 : op.counted.executed));
        for (int k = 0; k < SPACE; k += LINE)
            assert_everywhere(written[k] == evicted);
        m->base.free(&m->base);
    }
}

static void a_batch_has_as_many_calls_as_it_is_told(void **state)
{
    (void)state;
    const int told[] = {7, CPM_BATCH_BY_SIZE}, expected[] = {7, 50};
    for (int k = 0; k < 2; k++) {
        cpm_machine *m = machine_with(MPIB_TIMING_BATCH, NULL);
        counted_coll op = {.base = coll_row, .fails_at = -1, .breaks_at = -1};
        cpm_summary result = {0};
        mpib_machine_set_batch(m, told[k]);
        assert_everywhere(mpib_measure_coll(m, &op.base, 0, 4 << 10, &quick, &result, NULL, NULL) ==
                          CPM_OK);
        int reps = result.reps;
        MPI_Bcast(&reps, 1, MPI_INT, 0, MPI_COMM_WORLD);
        assert_everywhere(op.executed == expected[k] * (reps + 1));
        m->free(m);
    }
}

/* Between two readings there are as many milliseconds as ranks up to this one. */
static double slower_ticking_now(const mpib_clock *self)
{
    double *t = self->context;
    return *t += 1e-3 * (test_rank() + 1);
}

static void a_batch_takes_the_mean_of_all_ranks_for_each_call(void **state)
{
    (void)state;
    double t = 0;
    mpib_clock clock = {.now = slower_ticking_now, .resolution = 1e-9, .context = &t};
    cpm_machine *m = machine_with(MPIB_TIMING_BATCH, &clock);
    cpm_experiment x = experiment("bcast:binomial", 0, -1, -1, 1, 1, 0);
    cpm_measurement result = {0};
    mpib_machine_set_batch(m, 10);
    assert_everywhere(m->measure(m, &x, 1, &quick, &result, NULL) == CPM_OK);
    double mean = 1e-4 * (m->n + 1) / 2;
    assert_everywhere(m->rank != 0 || fabs(result.summary.median - mean) < 1e-9 * mean);
    free(result.samples);
    m->free(m);
}

/* As of a process that loses its processor and comes back a millisecond later. */
static double dozing_now(const mpib_clock *self)
{
    const counted_coll *op = self->context;
    double t = MPI_Wtime();
    return op->executed > 0 && test_rank() > 0 ? floor(1000 * t) / 1000 : t;
}

static void starts_that_were_noticed_late_are_repeated(void **state)
{
    (void)state;
    counted_coll op = {.base = coll_row, .fails_at = -1, .breaks_at = -1};
    mpib_clock clock = {
        .now = dozing_now, .resolution = 1e-9, .context = &op, .shared_on_host = true};
    cpm_machine *m = machine_with(MPIB_TIMING_GLOBAL, &clock);
    cpm_summary result = {0};
    assert_everywhere(mpib_measure_coll(m, &op.base, 0, 4, &quick, &result, NULL, NULL) == CPM_OK);
    int reps = result.reps;
    MPI_Bcast(&reps, 1, MPI_INT, 0, MPI_COMM_WORLD);
    assert_everywhere(reps >= 2 && op.executed > reps + 1);
    m->free(m);
}

/* The last rank is held up for a millisecond before its first starts. */
static double held_up_now(const mpib_clock *self)
{
    const counted_coll *op = self->context;
    if (op->executed < 4 && test_rank() == test_ranks() - 1)
        usleep(1000);
    return MPI_Wtime();
}

static void starts_that_came_too_early_for_a_rank_are_repeated(void **state)
{
    (void)state;
    counted_coll op = {.base = coll_row, .fails_at = -1, .breaks_at = -1};
    mpib_clock clock = {
        .now = held_up_now, .resolution = 1e-9, .context = &op, .shared_on_host = true};
    cpm_machine *m = machine_with(MPIB_TIMING_GLOBAL, &clock);
    cpm_summary result = {0};
    op.executed = 4; /* while the clocks are synchronised */
    assert_everywhere(mpib_machine_refresh((mpi_machine *)m, NULL) == CPM_OK);
    op.executed = 0;
    assert_everywhere(mpib_measure_coll(m, &op.base, 0, 4, &quick, &result, NULL, NULL) == CPM_OK);
    int reps = result.reps;
    MPI_Bcast(&reps, 1, MPI_INT, 0, MPI_COMM_WORLD);
    assert_everywhere(reps >= 2 && (m->n == 1 || op.executed >= reps + 1 + 4));
    m->free(m);
}

static void slack_is_what_the_last_start_needed_and_grows_slowly(void **state)
{
    (void)state;
    double least = MPIB_LEAST_SLACK, most = MPIB_MOST_SLACK;
    assert_true(mpib_next_slack(least, 0.3) == 2 * least); /* held up by something else */
    assert_true(mpib_next_slack(2 * least, -1.9 * least) == least);
    assert_true(fabs(mpib_next_slack(100 * least, -99 * least) - 2 * least) < 1e-9);
    assert_true(mpib_next_slack(most, 1) == most);
    double slack = least;
    for (int k = 0; k < 20; k++) /* a start that needs a millisecond */
        slack = mpib_next_slack(slack, 1e-3 - slack);
    assert_true(fabs(slack - 2e-3) < 1e-9);
}

/* Whoever notices the common start first, the time begins with it. */
static void a_global_time_begins_at_the_common_start(void **state)
{
    (void)state;
    double t = 1e-3 * test_rank();
    counted_coll op = {.base = coll_row, .fails_at = -1, .breaks_at = -1};
    mpib_clock clock = {.now = ticking_now, .resolution = 1e-9, .context = &t};
    mpi_machine *m = (mpi_machine *)machine_with(MPIB_TIMING_GLOBAL, &clock);
    mpib_timed c = {.m = m, .op = &op.base, .root = m->base.n - 1};
    double begin = t + 1e-3 + m->slack; /* rank 0's next reading */
    MPI_Bcast(&begin, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    mpib_mark mark = mpib_timing_repetition(&c);
    assert_everywhere(mark.start == begin);
    assert_everywhere(mark.end == t && mark.end > begin);
    m->base.free(&m->base);
}

/* Stands before MPI's routine: as if every rank had a host of its own. */
static bool apart;

int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
    return apart ? MPI_Comm_dup(MPI_COMM_SELF, out)
                 : MPI_Comm_split_type(comm, type, key, info, out);
}

static void the_default_is_the_common_start_on_one_host_only(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        apart = k;
        const char *expected = apart && test_ranks() > 1 ? "max" : "global";
        cpm_machine *m = machine_with(MPIB_TIMING_DEFAULT, NULL);
        cpm_metadata f = {0};
        assert_everywhere(m->describe(m, &f, NULL) == CPM_OK);
        assert_everywhere(m->rank > 0 || strcmp(cpm_metadata_get(&f, "timing"), expected) == 0);
        cpm_metadata_clear(&f);
        m->free(m);
    }
    apart = false;
}

static void a_users_collective_that_fails_on_one_rank_fails_on_all(void **state)
{
    (void)state;
    cpm_machine *m = machine_with(MPIB_TIMING_GLOBAL, NULL);
    for (int failing = 0; failing < m->n; failing++) {
        counted_coll op = {.base = coll_row, .fails_at = failing, .breaks_at = -1};
        cpm_error e = {0};
        int status = mpib_measure_coll(m, &op.base, 0, 4, &quick, NULL, NULL, &e);
        assert_everywhere(status == CPM_EIO && strstr(e.text, "user's file"));
        assert_everywhere(op.initialized == 0 && op.executed == 0);
    }
    m->free(m);
}

static void a_users_collective_that_breaks_on_one_rank_has_no_time(void **state)
{
    (void)state;
    for (mpib_timing t = MPIB_TIMING_ROOT; t <= MPIB_TIMING_BATCH; t++) {
        cpm_machine *m = machine_with(t, NULL);
        mpib_machine_set_batch(m, 1);
        for (int breaking = 0; breaking < m->n; breaking++) {
            counted_coll op = {.base = coll_row, .fails_at = -1, .breaks_at = breaking};
            cpm_error e = {0};
            int status = mpib_measure_coll(m, &op.base, 0, 4, &quick, NULL, NULL, &e);
            assert_everywhere(status == CPM_EIO && strstr(e.text, "user's cable"));
            assert_everywhere(op.initialized == 0 && op.executed == 2);
        }
        m->free(m);
    }
}

/* MPI's own routine and the messages of algorithms, where they are told to fail: every rank does
 * its part first, so nobody waits. */
static int failing_rank = -1;

static int failure_of(int status)
{
    return test_rank() == failing_rank ? MPI_ERR_OTHER : status;
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return failure_of(PMPI_Bcast(buffer, count, type, root, comm));
}

int PMPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Status *status)
{
    return failure_of(MPI_Recv(buffer, count, type, from, tag, comm, status));
}

static void what_mpi_fails_in_has_no_time(void **state)
{
    (void)state;
    cpm_machine *m = machine_with(MPIB_TIMING_MAX, NULL);
    const char *const names[] = {"bcast:native", "bcast:linear"};
    for (int k = 0; k < 2; k++)
        for (failing_rank = 1; failing_rank < m->n; failing_rank++) {
            cpm_experiment x = experiment(names[k], 0, -1, -1, 1, 100, 0);
            expect_refused(m, &x, 1, CPM_EMPI, "bcast: ");
        }
    failing_rank = -1;
    m->free(m);
}

static void a_precision_that_is_wrong_on_one_rank_is_refused_on_all(void **state)
{
    (void)state;
    cpm_machine *m = machine_with(MPIB_TIMING_MAX, NULL);
    cpm_experiment x[2] = {experiment("roundtrip", 0, 1, -1, 1, 0, 0),
                           experiment("gather:linear", 0, -1, -1, 1, 0, 0)};
    cpm_precision wrong = quick;
    wrong.max_reps = m->rank == m->n - 1 ? 1 : quick.max_reps;
    for (int i = 0; i < 2; i++) {
        cpm_measurement result = {0};
        cpm_error e = {0};
        int status = m->measure(m, &x[i], 1, &wrong, &result, &e);
        assert_everywhere(status == CPM_EINVAL && e.text[0] && !result.samples);
    }
    m->free(m);
}

static int words(const char *text)
{
    int count = 0;
    for (const char *at = text; at && *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        count += *at != '\0';
    }
    return count;
}

static void the_machine_describes_itself(void **state)
{
    (void)state;
    cpm_machine *m = machine_with(MPIB_TIMING_GLOBAL, NULL);
    cpm_metadata f = {0};
    assert_everywhere(m->describe(m, &f, NULL) == CPM_OK);
    bool first = m->rank == 0;
    assert_everywhere(!first || words(cpm_metadata_get(&f, "hosts")) == m->n);
    assert_everywhere(!first || words(cpm_metadata_get(&f, "binding")) == m->n);
    assert_everywhere(!first || words(cpm_metadata_get(&f, "mpi")) > 0);
    assert_everywhere(!first || strcmp(cpm_metadata_get(&f, "timing"), "global") == 0);
    assert_everywhere(!first || atof(cpm_metadata_get(&f, "clock_resolution")) > 0);
    assert_everywhere(!first || atof(cpm_metadata_get(&f, "clock_error")) > 0);
    cpm_metadata_clear(&f);
    m->free(m);
}

static void batches_say_how_long_they_are(void **state)
{
    (void)state;
    const int batches[] = {CPM_BATCH_BY_SIZE, 12};
    const char *const names[] = {"batch", "batch of 12"};
    for (int k = 0; k < 2; k++) {
        cpm_machine *m = machine_with(MPIB_TIMING_BATCH, NULL);
        cpm_metadata f = {0};
        mpib_machine_set_batch(m, batches[k]);
        assert_everywhere(m->describe(m, &f, NULL) == CPM_OK);
        assert_everywhere(m->rank > 0 || strcmp(cpm_metadata_get(&f, "timing"), names[k]) == 0);
        cpm_metadata_clear(&f);
        m->free(m);
    }
}

static void rank_0s_bytes_reach_everybody(void **state)
{
    (void)state;
    cpm_machine *m = machine_with(MPIB_TIMING_MAX, NULL);
    char text[6] = "";
    if (m->rank == 0)
        memcpy(text, "hello", 6);
    assert_everywhere(m->broadcast(m, text, sizeof text, NULL) == CPM_OK);
    assert_everywhere(strcmp(text, "hello") == 0);
    m->free(m);
}

static void oversubscription_counts_the_ranks_of_the_host(void **state)
{
    (void)state;
    int ranks = 0, cores = 0;
    char host[64] = "";
    assert_everywhere(
        mpib_oversubscription(MPI_COMM_WORLD, &ranks, &cores, host, sizeof host, NULL) == CPM_OK);
    assert_everywhere(ranks == test_ranks() && cores >= 1 && host[0]);
}

static void timing_methods_have_names(void **state)
{
    (void)state;
    mpib_timing t = MPIB_TIMING_ROOT;
    cpm_error e = {0};
    for (mpib_timing each = MPIB_TIMING_ROOT; each <= MPIB_TIMING_BATCH; each++) {
        assert_everywhere(mpib_timing_parse(mpib_timing_named(each), &t, NULL) == CPM_OK);
        assert_everywhere(t == each);
    }
    assert_everywhere(mpib_timing_parse("wall", &t, &e) == CPM_EUNKNOWN && strstr(e.text, "max"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_are_measured_in_rounds),
        cmocka_unit_test(every_kind_of_experiment_is_measured),
        cmocka_unit_test(collectives_are_measured_by_every_timing_method),
        cmocka_unit_test(the_roots_own_block_is_not_copied),
        cmocka_unit_test(no_collective_takes_less_than_the_roots_part_in_it),
        cmocka_unit_test(bad_experiments_are_refused_on_every_rank),
        cmocka_unit_test(native_blocks_above_2_gib_are_refused_on_every_rank),
        cmocka_unit_test(repetitions_end_when_they_are_precise_or_too_many),
        cmocka_unit_test(a_users_exchange_is_measured_between_all_pairs),
        cmocka_unit_test(a_users_exchange_that_fails_on_one_rank_fails_on_all),
        cmocka_unit_test(a_users_collective_is_measured),
        cmocka_unit_test(buffers_are_made_what_they_shall_be_before_each_repetition),
        cmocka_unit_test(a_batch_has_as_many_calls_as_it_is_told),
        cmocka_unit_test(a_batch_takes_the_mean_of_all_ranks_for_each_call),
        cmocka_unit_test(batches_say_how_long_they_are),
        cmocka_unit_test(starts_that_were_noticed_late_are_repeated),
        cmocka_unit_test(starts_that_came_too_early_for_a_rank_are_repeated),
        cmocka_unit_test(slack_is_what_the_last_start_needed_and_grows_slowly),
        cmocka_unit_test(a_global_time_begins_at_the_common_start),
        cmocka_unit_test(the_default_is_the_common_start_on_one_host_only),
        cmocka_unit_test(a_users_collective_that_fails_on_one_rank_fails_on_all),
        cmocka_unit_test(a_users_collective_that_breaks_on_one_rank_has_no_time),
        cmocka_unit_test(what_mpi_fails_in_has_no_time),
        cmocka_unit_test(a_precision_that_is_wrong_on_one_rank_is_refused_on_all),
        cmocka_unit_test(the_machine_describes_itself),
        cmocka_unit_test(rank_0s_bytes_reach_everybody),
        cmocka_unit_test(oversubscription_counts_the_ranks_of_the_host),
        cmocka_unit_test(timing_methods_have_names),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
