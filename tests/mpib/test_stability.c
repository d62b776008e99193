/* What is measured while a machine is in another state is measured again, for so long. */
#include "tests/mpi_test.h"

#include "measurements/machine_state.h"
#include "mpib/stability.h"

/* A machine that remembers what it was asked for. Its k-th measurement takes seconds[k], the last
 * of these from then on. */
typedef struct {
    cpm_machine machine;
    const double *seconds;
    int count, measured;
    int failing; /* number of the measurement that fails; 0: none */
    double t;
} scripted;

static int scripted_measure(cpm_machine *m, const cpm_experiment *x, int count,
                            const cpm_precision *p, cpm_measurement *results, cpm_error *e)
{
    scripted *s = (scripted *)m;
    int k = s->measured < s->count ? s->measured : s->count - 1;
    (void)p;
    if (++s->measured == s->failing)
        return cpm_fail(e, CPM_ENOMEM, "no memory for a measurement");
    for (int q = 0; q < count && m->rank == 0; q++) {
        results[q] = (cpm_measurement){.what = x[q], .samples = calloc(1, sizeof(double))};
        results[q].samples[0] = results[q].summary.median = (q + 1) * s->seconds[k];
    }
    return CPM_OK;
}

static int scripted_broadcast(cpm_machine *m, void *data, size_t bytes, cpm_error *e)
{
    (void)m, (void)e;
    MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    return CPM_OK;
}

static int scripted_agree(cpm_machine *m, int status, cpm_error *e)
{
    (void)m, (void)e;
    return status;
}

/* A second passes between two looks at it. */
static double scripted_now(cpm_machine *m)
{
    return ((scripted *)m)->t += 1;
}

static void leave(cpm_machine *m)
{
    (void)m;
}

static scripted machine_of(const double *seconds, int count)
{
    return (scripted){.machine = {.n = test_ranks(),
                                  .rank = test_rank(),
                                  .measure = scripted_measure,
                                  .broadcast = scripted_broadcast,
                                  .agree = scripted_agree,
                                  .now = scripted_now,
                                  .free = leave},
                      .seconds = seconds,
                      .count = count};
}

/* Trips that are seen one after the other; the last from then on. A test's own, as a function of
 * mpib_trip's kind has no context. */
static const double *trips;
static int trip_count, trips_seen;

static double scripted_trip(MPI_Comm comm, int count)
{
    (void)comm, (void)count;
    int k = trips_seen < trip_count ? trips_seen : trip_count - 1;
    trips_seen++;
    return trips[k];
}

static cpm_machine *stable_machine_of(scripted *inner, const double *seen, int count)
{
    cpm_machine *m = NULL;
    trips = seen;
    trip_count = count;
    trips_seen = 0;
    assert_everywhere(
        mpib_stability_create(&inner->machine, MPI_COMM_WORLD, scripted_trip, &m, NULL) == CPM_OK);
    return m;
}

/* The median that m gives experiment q of two. */
static double measured(cpm_machine *m, int q)
{
    const cpm_precision p = {1, 1, 0.95, 0.5, CPM_MEDIAN, 0};
    const cpm_experiment x[2] = {{.i = 0, .j = 1}, {.i = 1, .j = 0}};
    cpm_measurement results[2] = {0};
    assert_everywhere(m->measure(m, x, 2, &p, results, NULL) == CPM_OK);
    assert_everywhere(m->rank != 0 || results[0].what.i == 0);
    double median = results[q].summary.median;
    assert_everywhere(m->rank != 0 || results[q].samples[0] == median);
    free(results[0].samples);
    free(results[1].samples);
    return median;
}

static void the_middle_one_of_three_series_counts(void **state)
{
    (void)state;
    const double orders[][3] = {{1, 2, 9}, {1, 9, 2}, {2, 1, 9}, {2, 9, 1}, {9, 1, 2}, {9, 2, 1}};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
        for (int q = 0; q < 2; q++) {
            scripted inner = machine_of(orders[k], 3);
            cpm_machine *m = stable_machine_of(&inner, (double[]){1}, 1);
            double median = measured(m, q);
            assert_everywhere(m->rank != 0 || median == (q + 1) * 2);
            assert_everywhere(inner.measured == 3);
            m->free(m);
        }
}

static void another_state_is_waited_out_and_what_it_gave_is_forgotten(void **state)
{
    (void)state;
    const double seconds[] = {5, 7, 5}, seen[] = {1, 1, 1.1, 3, 3, 1, 0.9};
    scripted inner = machine_of(seconds, 3); /* the second is of the other state */
    cpm_machine *m = stable_machine_of(&inner, seen, 7);
    assert_everywhere(mpib_stability_keep(m, 1) == 1);
    double median = measured(m, 0);
    mpib_stability s = mpib_stability_so_far(m);
    assert_everywhere(m->rank != 0 || median == 5);
    assert_everywhere(inner.measured == 4 && s.repeated == 1 && !s.lost);
    assert_everywhere(s.other == 3 && s.waited > 0);
    m->free(m);
}

static void a_state_that_does_not_come_back_is_not_waited_for_any_more(void **state)
{
    (void)state;
    const double seconds[] = {5}, seen[] = {1, 1, 3};
    scripted inner = machine_of(seconds, 1);
    cpm_machine *m = stable_machine_of(&inner, seen, 3);
    mpib_stability_keep(m, 1);
    double median = measured(m, 0);
    mpib_stability s = mpib_stability_so_far(m);
    assert_everywhere(m->rank != 0 || median == 5);
    assert_everywhere(s.lost && s.repeated == 0 && inner.measured == 3);
    int looks = trips_seen;
    measured(m, 1);
    assert_everywhere(trips_seen == looks);
    m->free(m);
}

/* A few trips see another state than many do. */
static double unlike_trip(MPI_Comm comm, int count)
{
    (void)comm;
    return count < MPIB_TRIPS ? 1.35 : 1.25;
}

static void what_few_and_many_trips_judge_otherwise_is_not_repeated_for_ever(void **state)
{
    (void)state;
    scripted inner = machine_of((double[]){5}, 1);
    cpm_machine *m = NULL;
    assert_everywhere(
        mpib_stability_create(&inner.machine, MPI_COMM_WORLD, unlike_trip, &m, NULL) == CPM_OK);
    mpib_stability_keep(m, 1);
    measured(m, 0);
    assert_everywhere(inner.measured <= 3 * 6);
    m->free(m);
}

static void a_repetition_that_fails_is_an_error(void **state)
{
    (void)state;
    const double seen[] = {1, 1, 3, 1};
    const cpm_precision p = {1, 1, 0.95, 0.5, CPM_MEDIAN, 0};
    const cpm_experiment x = {.i = 0, .j = 1};
    cpm_measurement result = {0};
    cpm_error e = {0};
    scripted inner = machine_of((double[]){5}, 1);
    inner.failing = 3; /* the second, again */
    cpm_machine *m = stable_machine_of(&inner, seen, 4);
    mpib_stability_keep(m, 1);
    assert_everywhere(m->measure(m, &x, 1, &p, &result, &e) == CPM_ENOMEM);
    assert_everywhere(inner.measured == 3 && !result.samples);
    m->free(m);
}

static void where_no_state_is_to_be_kept_none_is_looked_at(void **state)
{
    (void)state;
    scripted inner = machine_of((double[]){5}, 1);
    cpm_machine *m = stable_machine_of(&inner, (double[]){1, 3}, 2);
    measured(m, 0);
    assert_everywhere(inner.measured == 3 && trips_seen == 0);
    m->free(m);
}

static void states_differ_by_more_than_a_machine_does_by_itself(void **state)
{
    (void)state;
    assert_true(cpm_same_state(1, 1.2) && cpm_same_state(1.2, 1));
    assert_false(cpm_same_state(0.2, 0.6) || cpm_same_state(0.6, 0.2));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_middle_one_of_three_series_counts),
        cmocka_unit_test(another_state_is_waited_out_and_what_it_gave_is_forgotten),
        cmocka_unit_test(a_state_that_does_not_come_back_is_not_waited_for_any_more),
        cmocka_unit_test(what_few_and_many_trips_judge_otherwise_is_not_repeated_for_ever),
        cmocka_unit_test(a_repetition_that_fails_is_an_error),
        cmocka_unit_test(where_no_state_is_to_be_kept_none_is_looked_at),
        cmocka_unit_test(states_differ_by_more_than_a_machine_does_by_itself),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
