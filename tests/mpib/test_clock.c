/* Clocks: wrong ones are brought together within the bound that is reported. */
#include "tests/mpi_test.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>

#include "mpib/clock.h"

/* Played time, so that what is tested does not depend on what else the machine does: nanoseconds
 * that all ranks share. Each reading of a clock takes some of them, and only who sleeps takes many.
 */
static atomic_llong *played;

static void play_time(void)
{
    MPI_Win window; /* lives as long as the program */
    MPI_Aint size;
    int unit;
    void *base;
    if (played)
        return;
    MPI_Win_allocate_shared(test_rank() == 0 ? sizeof *played : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                            &base, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &base);
    played = base;
    if (test_rank() == 0)
        atomic_init(played, 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

static double true_time(void)
{
    return 1e-9 * (double)atomic_load(played);
}

/* Between 1 and 8 microseconds, so that some round trips are better than others. */
static double time_of_reading(void)
{
    static unsigned readings;
    long long duration = 1000 * (1 + readings++ * 5 % 8);
    return 1e-9 * (double)atomic_fetch_add(played, duration);
}

static void sleep_all(double seconds)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (test_rank() == 0)
        atomic_fetch_add(played, (long long)(seconds * 1e9));
    MPI_Barrier(MPI_COMM_WORLD);
}

typedef struct {
    double offset, drift, origin;
} fault;

static double faulty(const fault *f, double t)
{
    return t + f->offset + f->drift * (t - f->origin);
}

static double faulty_now(const mpib_clock *self)
{
    return faulty(self->context, time_of_reading());
}

/* Seconds of offset and up to 20 microseconds of drift in a second, different on each rank. */
static fault fault_of(int rank, double origin)
{
    return (fault){.offset = 3.7 * rank - 5, .drift = 1e-5 * (rank % 4 - 1), .origin = origin};
}

/* How far the synchronised time is from rank 0's clock now. */
static double departure(const mpib_sync *sync, const fault *own, const fault *rank_0)
{
    double t = true_time();
    return fabs(mpib_global_time(sync, faulty(own, t)) - faulty(rank_0, t));
}

static const double largest_drift = 4e-5; /* between two clocks of fault_of, generously */
static const double longest_sync = 0.02;  /* all readings of a synchronisation of 9 ranks */

static void wrong_clocks_agree_within_the_reported_bound(void **state)
{
    (void)state;
    double worst = 0;
    play_time();
    fault own = fault_of(test_rank(), 0), rank_0 = fault_of(0, 0);
    mpib_clock clock = {.now = faulty_now, .resolution = 1e-9, .context = &own};
    mpib_sync sync = {0};
    int status = mpib_synchronize(MPI_COMM_WORLD, &clock, MPIB_SYNC_TRIPS, &sync, &worst, NULL);
    double away = departure(&sync, &own, &rank_0);
    assert_everywhere(status == CPM_OK);
    assert_everywhere(sync.error > 0 && worst >= sync.error);
    assert_everywhere(sync.error < 3e-5); /* of the best round trips, not of any */
    assert_everywhere(away <= sync.error + largest_drift * longest_sync);
}

/* Synchronises twice, with that many seconds between; returns the sum of both errors. */
static double synchronize_twice(const fault *own, double between, mpib_sync *sync)
{
    mpib_clock clock = {.now = faulty_now, .resolution = 1e-9, .context = (void *)own};
    mpib_synchronize(MPI_COMM_WORLD, &clock, MPIB_SYNC_TRIPS, sync, NULL, NULL);
    double first = sync->error;
    sleep_all(between);
    mpib_synchronize(MPI_COMM_WORLD, &clock, MPIB_SYNC_TRIPS, sync, NULL, NULL);
    return first + sync->error;
}

static void the_drift_is_found_by_synchronising_again(void **state)
{
    (void)state;
    const double between = 100, after = 20;
    play_time();
    fault own = fault_of(test_rank(), true_time()), rank_0 = fault_of(0, true_time());
    mpib_sync sync = {0};
    double errors = synchronize_twice(&own, between, &sync);
    double uncertain = errors / between + 1e-9, drift = rank_0.drift - own.drift;
    assert_everywhere(fabs(sync.drift - drift) <= uncertain);
    assert_everywhere((sync.drift != 0) == (drift != 0));
    sleep_all(after);
    double away = departure(&sync, &own, &rank_0);
    assert_everywhere(away <= sync.error + uncertain * (after + longest_sync));
}

/* What could be the errors of both measurements is not taken for a drift. */
static void a_drift_that_cannot_be_told_from_the_errors_is_none(void **state)
{
    (void)state;
    play_time();
    fault own = fault_of(test_rank(), true_time());
    mpib_sync sync = {0};
    synchronize_twice(&own, 0.01, &sync);
    assert_everywhere(sync.drift == 0);
}

static void a_clock_shared_on_the_host_has_no_offset(void **state)
{
    (void)state;
    play_time();
    fault right = {0};
    mpib_clock clock = {
        .now = faulty_now, .resolution = 1e-8, .context = &right, .shared_on_host = true};
    mpib_sync sync = {0};
    mpib_synchronize(MPI_COMM_WORLD, &clock, MPIB_SYNC_TRIPS, &sync, NULL, NULL);
    assert_everywhere(sync.offset == 0 && sync.drift == 0);
    assert_everywhere(sync.error <= 2 * clock.resolution);
}

static void a_false_claim_of_a_shared_clock_is_not_believed(void **state)
{
    (void)state;
    play_time();
    fault own = {.offset = 2.0 * test_rank()}, rank_0 = {0};
    mpib_clock clock = {.now = faulty_now,
                        .resolution = 1e-9,
                        .context = &own,
                        .shared_on_host = true,
                        .shared_anywhere = true};
    mpib_sync sync = {0};
    mpib_synchronize(MPI_COMM_WORLD, &clock, MPIB_SYNC_TRIPS, &sync, NULL, NULL);
    assert_everywhere(departure(&sync, &own, &rank_0) <= sync.error + 1e-9);
}

static void waiting_ends_at_the_named_moment_and_not_before(void **state)
{
    (void)state;
    mpib_clock clock = mpib_clock_wtime();
    mpib_sync sync = {.offset = 100};
    double start = mpib_global_time(&sync, clock.now(&clock)) + 0.01;
    double noticed = mpib_wait_until(&clock, &sync, start);
    bool later = mpib_global_time(&sync, clock.now(&clock)) >= noticed;
    assert_everywhere(noticed >= start && later);
    assert_everywhere(clock.resolution > 0 && clock.resolution < 1e-3);
}

/* Stands before the system's. */
static int yielded;

int sched_yield(void)
{
    yielded++;
    return 0;
}

static void who_shares_a_processor_gives_it_away_while_waiting(void **state)
{
    (void)state;
    mpib_clock clock = mpib_clock_wtime();
    mpib_sync sync = {0};
    for (int yields = 0; yields < 2; yields++) {
        clock.yields = yields;
        yielded = 0;
        mpib_wait_until(&clock, &sync, clock.now(&clock) + 1e-4);
        assert_everywhere((yielded > 0) == yields);
    }
}

static double stuck_now(const mpib_clock *self)
{
    (void)self;
    return floor(MPI_Wtime() * 50) / 50;
}

static void a_clock_that_hardly_ever_moves_is_waited_for(void **state)
{
    (void)state;
    mpib_clock clock = {.now = stuck_now, .resolution = 0.02};
    mpib_sync sync = {0};
    double start = clock.now(&clock) + 0.05;
    double noticed = mpib_wait_until(&clock, &sync, start);
    assert_everywhere(noticed >= start);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_clocks_agree_within_the_reported_bound),
        cmocka_unit_test(the_drift_is_found_by_synchronising_again),
        cmocka_unit_test(a_drift_that_cannot_be_told_from_the_errors_is_none),
        cmocka_unit_test(a_clock_shared_on_the_host_has_no_offset),
        cmocka_unit_test(a_false_claim_of_a_shared_clock_is_not_believed),
        cmocka_unit_test(waiting_ends_at_the_named_moment_and_not_before),
        cmocka_unit_test(who_shares_a_processor_gives_it_away_while_waiting),
        cmocka_unit_test(a_clock_that_hardly_ever_moves_is_waited_for),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
