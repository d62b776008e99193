/* Clocks: wrong ones are brought together within the bound that is reported. */
#include "mpi_test.h"

#include <math.h>
#include <time.h>

#include "mpib/clock.h"

/* The ranks of a test share one machine, so this is the true time. */
static double true_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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
    return faulty(self->context, true_time());
}

static double common_origin(void)
{
    double origin = true_time();
    MPI_Bcast(&origin, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return origin;
}

/* Seconds of offset and up to 20 microseconds of drift in a second, different on each rank. */
static fault fault_of(int rank, double origin)
{
    return (fault){.offset = 3.7 * rank - 5, .drift = 1e-5 * (rank % 4 - 1), .origin = origin};
}

static void sleep_seconds(double seconds)
{
    struct timespec t = {.tv_nsec = (long)(seconds * 1e9)};
    nanosleep(&t, NULL);
}

/* How far the synchronised time is from rank 0's clock now. */
static double departure(const mpib_sync *sync, const fault *own, const fault *rank_0)
{
    double t = true_time();
    return fabs(mpib_global_time(sync, faulty(own, t)) - faulty(rank_0, t));
}

static const double largest_drift = 4e-5; /* between two clocks of fault_of, generously */

static void wrong_clocks_agree_within_the_reported_bound(void **state)
{
    (void)state;
    double origin = common_origin(), worst = 0;
    fault own = fault_of(test_rank(), origin), rank_0 = fault_of(0, origin);
    mpib_clock clock = {.now = faulty_now, .resolution = 1e-9, .context = &own};
    mpib_sync sync = {0};
    int status = mpib_synchronize(MPI_COMM_WORLD, &clock, &sync, &worst, NULL);
    double away = departure(&sync, &own, &rank_0);
    double elapsed = faulty(&own, true_time()) - sync.since; /* the drift is not known yet */
    assert_everywhere(status == CPM_OK);
    assert_everywhere(sync.error > 0 && worst >= sync.error);
    assert_everywhere(away <= sync.error + largest_drift * elapsed + 1e-9);
}

static void the_drift_is_found_by_synchronising_again(void **state)
{
    (void)state;
    double origin = common_origin();
    fault own = fault_of(test_rank(), origin), rank_0 = fault_of(0, origin);
    mpib_clock clock = {.now = faulty_now, .resolution = 1e-9, .context = &own};
    mpib_sync sync = {0};
    mpib_synchronize(MPI_COMM_WORLD, &clock, &sync, NULL, NULL);
    double first = sync.error, since = sync.since;
    sleep_seconds(0.5);
    mpib_synchronize(MPI_COMM_WORLD, &clock, &sync, NULL, NULL);
    double baseline = faulty(&own, true_time()) - since;
    sleep_seconds(0.1);
    double away = departure(&sync, &own, &rank_0);
    double uncertain = (first + sync.error) / baseline; /* of the drift */
    double unnoticed = sync.drift == 0 ? uncertain + largest_drift * 0.02 : 0;
    double after = faulty(&own, true_time()) - since - baseline + 0.02;
    assert_everywhere(fabs(sync.drift) < largest_drift + uncertain);
    assert_everywhere(away <= sync.error + (uncertain + unnoticed) * after + 1e-9);
}

static void a_clock_shared_on_the_host_has_no_offset(void **state)
{
    (void)state;
    fault right = {0};
    mpib_clock clock = {
        .now = faulty_now, .resolution = 1e-8, .context = &right, .shared_on_host = true};
    mpib_sync sync = {0};
    mpib_synchronize(MPI_COMM_WORLD, &clock, &sync, NULL, NULL);
    assert_everywhere(sync.offset == 0 && sync.drift == 0);
    assert_everywhere(sync.error <= 2 * clock.resolution);
}

static void a_false_claim_of_a_shared_clock_is_not_believed(void **state)
{
    (void)state;
    fault own = {.offset = 2.0 * test_rank()}, rank_0 = {0};
    mpib_clock clock = {.now = faulty_now,
                        .resolution = 1e-9,
                        .context = &own,
                        .shared_on_host = true,
                        .shared_anywhere = true};
    mpib_sync sync = {0};
    mpib_synchronize(MPI_COMM_WORLD, &clock, &sync, NULL, NULL);
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

static double stuck_now(const mpib_clock *self)
{
    (void)self;
    return floor(true_time() * 50) / 50;
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
        cmocka_unit_test(a_clock_shared_on_the_host_has_no_offset),
        cmocka_unit_test(a_false_claim_of_a_shared_clock_is_not_believed),
        cmocka_unit_test(waiting_ends_at_the_named_moment_and_not_before),
        cmocka_unit_test(a_clock_that_hardly_ever_moves_is_waited_for),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
