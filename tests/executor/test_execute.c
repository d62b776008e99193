/* Plans: blocks in their places, several in one message, messages above 2 GiB; made by threads. */
#include "tests/mpi_test.h"

#include <pthread.h>
#include <string.h>

#include "collectives/algorithm.h"
#include "executor/execute.h"
#include "mpib/stopwatch.h"

enum { TAG = 7 };

/* Three blocks of different sizes, the middle one empty, from rank 0 to rank 1; one block comes
 * twice in a round. */
static void build_unequal(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    if (rank == 0) {
        cpm_send(out, 1, 0, 3);
        cpm_next_round(out);
        cpm_send(out, 1, 2, 1);
        cpm_send(out, 1, 2, 1);
    }
    if (rank == 1) {
        cpm_recv(out, 0, 0, 3);
        cpm_next_round(out);
        cpm_recv(out, 0, 2, 1);
        cpm_recv(out, 0, 2, 1);
    }
}

static mpib_place in_order(const void *context, int64_t unit, int piece)
{
    const size_t *place = context;
    (void)piece;
    return (mpib_place){MPIB_SPACE, (ptrdiff_t)place[unit]};
}

static int create(const cpm_schedule *s, const size_t *each, const size_t *places, mpib_plan **out)
{
    cpm_block_sizes sizes = {.each = each};
    mpib_layout layout = {
        .schedule = s, .sizes = &sizes, .place = in_order, .context = places, .op = MPI_OP_NULL};
    return mpib_plan_create(&layout, test_rank(), out, NULL);
}

static void unequal_blocks_arrive_in_their_places(void **state)
{
    (void)state;
    const size_t each[] = {2, 0, 5}, places[] = {0, 2, 2};
    char buffer[8] = "", *const bases[MPIB_BASES] = {[MPIB_SPACE] = buffer};
    cpm_schedule s = {.n = test_ranks(), .root = 0, .blocks = 3, .build = build_unequal};
    mpib_plan *plan = NULL;
    if (test_rank() == 0)
        memcpy(buffer, "abvwxyz", 8);
    assert_everywhere(create(&s, each, places, &plan) == CPM_OK);
    mpib_plan_run(plan, bases, MPI_COMM_WORLD, TAG);
    mpib_plan_free(plan);
    assert_everywhere(test_rank() > 1 || strcmp(buffer, "abvwxyz") == 0);
}

static void build_one(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    if (rank == 0)
        cpm_send(out, 1, 0, 1);
    if (rank == 1)
        cpm_recv(out, 0, 0, 1);
}

/* Rank 0's memory is touched at both ends only; so is rank 1's by the message. */
static void a_message_above_2_gib_arrives(void **state)
{
    (void)state;
    const size_t bytes = ((size_t)1 << 31) + 5, place = 0;
    bool takes_part = test_rank() < 2 && test_ranks() == 2;
    cpm_schedule s = {.n = test_ranks(), .root = 0, .blocks = 1, .build = build_one};
    char *buffer = takes_part ? calloc(bytes, 1) : NULL;
    char *const bases[MPIB_BASES] = {[MPIB_SPACE] = buffer};
    mpib_plan *plan = NULL;
    if (test_ranks() != 2)
        return;
    if (test_rank() == 0) {
        buffer[0] = 'a';
        buffer[bytes - 1] = 'z';
    }
    assert_everywhere(buffer && create(&s, &bytes, &place, &plan) == CPM_OK);
    mpib_plan_run(plan, bases, MPI_COMM_WORLD, TAG);
    assert_everywhere(buffer[0] == 'a' && buffer[bytes - 1] == 'z');
    mpib_plan_free(plan);
    free(buffer);
}

/* Rank 1 expects less than it is sent. */
static void a_failure_of_mpi_is_returned_and_has_no_time(void **state)
{
    (void)state;
    const size_t bytes = test_rank() == 0 ? 8 : 1, place = 0;
    char buffer[8] = "", *const bases[MPIB_BASES] = {[MPIB_SPACE] = buffer};
    cpm_schedule s = {.n = test_ranks(), .root = 0, .blocks = 1, .build = build_one};
    const mpib_clock clock = mpib_clock_wtime();
    double seconds = -5;
    mpib_plan *plan = NULL;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    assert_everywhere(create(&s, &bytes, &place, &plan) == CPM_OK);
    int failed = mpib_plan_run(plan, bases, comm, TAG);
    assert_everywhere((failed != MPI_SUCCESS) == (test_rank() == 1));
    failed = mpib_plan_time(plan, bases, &(mpib_stopwatch){.clock = &clock}, comm, TAG, &seconds);
    assert_everywhere((failed != MPI_SUCCESS) == (test_rank() == 1));
    assert_everywhere(failed ? seconds == -5 : seconds >= 0);
    mpib_plan_free(plan);
    MPI_Comm_free(&comm);
}

/* Rank 1 answers. */
static void build_answered(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    if (rank > 1)
        return;
    for (int k = 0; k < 2; k++) {
        if (rank == k)
            cpm_send(out, 1 - rank, 0, 1);
        else
            cpm_recv(out, 1 - rank, 0, 1);
        cpm_next_round(out);
    }
}

static void who_answers_pauses_before_and_says_for_how_long(void **state)
{
    (void)state;
    const size_t bytes = 8, place = 0;
    const double pause = 1e-3;
    char buffer[8] = "", *const bases[MPIB_BASES] = {[MPIB_SPACE] = buffer};
    cpm_schedule s = {.n = test_ranks(), .root = 0, .blocks = 1, .build = build_answered};
    const mpib_clock clock = mpib_clock_wtime();
    mpib_plan *plan = NULL;
    assert_everywhere(create(&s, &bytes, &place, &plan) == CPM_OK);
    for (int pausing = 0; pausing < 2; pausing++) {
        mpib_stopwatch watch = {.clock = &clock, .pause = pausing * pause, .paused = -1};
        double seconds = -5;
        mpib_plan_time(plan, bases, &watch, MPI_COMM_WORLD, TAG, &seconds);
        bool pauses = pausing && test_rank() == 1;
        assert_everywhere(pauses ? watch.paused >= pause : watch.paused == 0);
        assert_everywhere(!pauses || seconds >= pause);
    }
    mpib_plan_free(plan);
}

static void build_renewed(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    cpm_steps_add(out, CPM_RENEW, rank, 0, 1);
}

/* Whole pages of the block are the system's again, which gives others; what is beside stays. */
static void memory_is_asked_for_anew(void **state)
{
    (void)state;
    enum { BEFORE = 100, BLOCK = 1 << 20, ALL = BLOCK + 200 };
    const size_t bytes = BLOCK, place = BEFORE;
    char *buffer = malloc(ALL), *const bases[MPIB_BASES] = {[MPIB_SPACE] = buffer};
    cpm_schedule s = {.n = test_ranks(), .root = 0, .blocks = 1, .build = build_renewed};
    mpib_plan *plan = NULL;
    int emptied = 0, lost = 0;
    assert_non_null(buffer);
    memset(buffer, 1, ALL);
    assert_everywhere(create(&s, &bytes, &place, &plan) == CPM_OK);
    assert_everywhere(mpib_plan_run(plan, bases, MPI_COMM_WORLD, TAG) == MPI_SUCCESS);
    for (int k = 0; k < ALL; k++) {
        const bool inside = k >= BEFORE && k < BEFORE + BLOCK;
        emptied += inside && buffer[k] == 0;
        lost += !inside && buffer[k] != 1;
    }
    assert_everywhere(lost == 0 && emptied > BLOCK * 3 / 4);
    mpib_plan_free(plan);
    free(buffer);
}

/* Rank 1 expects less than comes in two receives of a round, while errors on MPI_COMM_WORLD end the
 * program. */
static void failures_of_several_receives_are_those_of_their_communicator(void **state)
{
    (void)state;
    const size_t each[] = {2, 0, test_rank() == 0 ? 5 : 1}, places[] = {0, 2, 2};
    char buffer[8] = "", *const bases[MPIB_BASES] = {[MPIB_SPACE] = buffer};
    cpm_schedule s = {.n = test_ranks(), .root = 0, .blocks = 3, .build = build_unequal};
    mpib_plan *plan = NULL;
    MPI_Comm comm;
    MPI_Errhandler before, after;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
    assert_everywhere(create(&s, each, places, &plan) == CPM_OK);
    int failed = mpib_plan_run(plan, bases, comm, TAG);
    assert_everywhere((failed != MPI_SUCCESS) == (test_rank() == 1));
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &after);
    assert_everywhere(before == MPI_ERRORS_ARE_FATAL && after == before);
    mpib_plan_free(plan);
    MPI_Comm_free(&comm);
}

/* ---- threads */

enum { THREADS = 4, PLANS = 50, BYTES = 1000 };

static mpib_place the_buffer(const void *context, int64_t unit, int piece)
{
    (void)context, (void)unit, (void)piece;
    return (mpib_place){MPIB_SPACE, 0};
}

/* Of all ranks in turn, the last one of this rank, which is given. */
static void *make_plans(void *layout)
{
    mpib_plan *plan = NULL;
    for (int k = PLANS * test_ranks(); k >= 0; k--) {
        mpib_plan_free(plan);
        plan = NULL;
        if (mpib_plan_create(layout, (test_rank() + k) % test_ranks(), &plan, NULL))
            return NULL;
    }
    return plan;
}

static bool broadcasts(mpib_plan *plan)
{
    char buffer[BYTES], *const bases[MPIB_BASES] = {[MPIB_SPACE] = buffer};
    bool right = true;
    for (int k = 0; k < BYTES; k++)
        buffer[k] = (char)(test_rank() == 0 ? k * 7 : 0);
    mpib_plan_run(plan, bases, MPI_COMM_WORLD, TAG);
    for (int k = 0; k < BYTES; k++)
        right = right && buffer[k] == (char)(k * 7);
    return right;
}

static void plans_of_threads_broadcast(const cpm_schedule *s)
{
    cpm_block_sizes sizes = {.bytes = BYTES};
    mpib_layout layout = {.schedule = s, .sizes = &sizes, .place = the_buffer, .op = MPI_OP_NULL};
    pthread_t thread[THREADS];
    void *plan[THREADS];
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, make_plans, &layout), 0);
    for (int k = 0; k < THREADS; k++)
        pthread_join(thread[k], &plan[k]);
    for (int k = 0; k < THREADS; k++) {
        assert_everywhere(plan[k] != NULL);
        assert_everywhere(broadcasts(plan[k]));
        mpib_plan_free(plan[k]);
    }
}

static void threads_plan_one_schedule_at_once(void **state)
{
    (void)state;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        cpm_schedule *s = NULL;
        cpm_call call = {.n = test_ranks(), .bytes = BYTES, .with.segment = 100};
        if (strcmp(a->operation, "bcast") != 0 || cpm_algorithm_applies(a, &call, NULL))
            continue;
        assert_everywhere(cpm_schedule_create(a, &call, &s, NULL) == CPM_OK);
        plans_of_threads_broadcast(s);
        cpm_schedule_free(s);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unequal_blocks_arrive_in_their_places),
        cmocka_unit_test(a_message_above_2_gib_arrives),
        cmocka_unit_test(a_failure_of_mpi_is_returned_and_has_no_time),
        cmocka_unit_test(who_answers_pauses_before_and_says_for_how_long),
        cmocka_unit_test(memory_is_asked_for_anew),
        cmocka_unit_test(failures_of_several_receives_are_those_of_their_communicator),
        cmocka_unit_test(threads_plan_one_schedule_at_once),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
