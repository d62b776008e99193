/* Every allocation of the library may fail on one rank: all ranks get the same error, none hangs.
 */
#include "tests/mpi_test.h"

#include <string.h>

#include "executor/agree.h"
#include "executor/collective.h"
#include "hosts/hosts.h"
#include "mpib/mpi_machine.h"
#include "tests/refusing.h"

static const cpm_precision twice = {2, 2, 0.95, 0.5, CPM_MEDIAN, 0};

/* Measures x while the k-th request of rank fails. Returns whether a request was refused. */
static bool measure_refusing(cpm_machine *m, const cpm_experiment *x, int rank, int k)
{
    cpm_error e = {0};
    cpm_measurement result = {0};
    refuse_after = m->rank == rank ? k : 0;
    int status = m->measure(m, x, 1, &twice, &result, &e);
    int hit = m->rank == rank && refuse_after == 0;
    refuse_after = 0;
    free(result.samples);
    MPI_Bcast(&hit, 1, MPI_INT, rank, MPI_COMM_WORLD);
    assert_everywhere(status == (hit ? CPM_ENOMEM : CPM_OK));
    assert_everywhere(!hit || e.text[0]);
    return hit;
}

static void refuse_each_request(const char *name, int j)
{
    cpm_machine *m = NULL;
    cpm_experiment x = {.i = 0, .j = j, .k = -1, .count = 1, .send_bytes = 100};
    assert_everywhere(cpm_experiment_parse(name, &x, NULL) == CPM_OK);
    assert_everywhere(mpib_machine_create(MPI_COMM_WORLD, MPIB_TIMING_MAX, &m, NULL) == CPM_OK);
    for (int rank = 0; rank < 2; rank++) {
        int k = 1;
        while (measure_refusing(m, &x, rank, k))
            k++;
        assert_everywhere(!REFUSING || k > 2);
    }
    m->free(m);
}

static void a_round_trip_fails_everywhere_or_nowhere(void **state)
{
    (void)state;
    refuse_each_request("roundtrip", 1);
}

static void a_scheduled_collective_fails_everywhere_or_nowhere(void **state)
{
    (void)state;
    refuse_each_request("scatter:binomial", -1);
}

static void a_native_collective_fails_everywhere_or_nowhere(void **state)
{
    (void)state;
    refuse_each_request("gather:native", -1);
}

static void a_v_operation_fails_everywhere_or_nowhere(void **state)
{
    (void)state;
    refuse_each_request("alltoallv:bruck", -1);
}

/* Who knows the hosts while another does not would go on without it. */
static bool find_hosts_refusing(int rank, int k)
{
    cpm_hosts h = {0};
    cpm_error e = {0};
    refuse_after = test_rank() == rank ? k : 0;
    int status = mpib_hosts(MPI_COMM_WORLD, &h, &e);
    int hit = test_rank() == rank && refuse_after == 0;
    refuse_after = 0;
    MPI_Bcast(&hit, 1, MPI_INT, rank, MPI_COMM_WORLD);
    assert_everywhere(status == (hit ? CPM_ENOMEM : CPM_OK));
    assert_everywhere(hit ? !h.of && e.text[0] : h.of != NULL);
    cpm_hosts_clear(&h);
    return hit;
}

static void hosts_are_known_everywhere_or_nowhere(void **state)
{
    (void)state;
    for (int rank = 0; rank < test_ranks(); rank++) {
        int k = 1;
        while (find_hosts_refusing(rank, k))
            k++;
        assert_everywhere(!REFUSING || k > 2);
    }
}

/* The first request of the library would be refused, and nobody asks. */
static void a_planned_collective_runs_without_allocating(void **state)
{
    (void)state;
    int given = 3, got = 0, ranks = test_ranks();
    cpm_collective what;
    mpib_collective *c = NULL;
    assert_everywhere(cpm_collective_parse("allreduce:allgather-bruck", &what, NULL) == CPM_OK);
    mpib_arguments arguments = {.operation = what.operation,
                                .recv = {.count = 1, .type = MPI_INT},
                                .op = MPI_SUM,
                                .comm = MPI_COMM_WORLD};
    assert_everywhere(mpib_collective_create(&what, &arguments, &c, NULL) == CPM_OK);
    refuse_after = 1;
    for (int times = 0; times < 3; times++)
        mpib_collective_run(c, &given, &got, 5);
    bool asked = refuse_after != 1;
    refuse_after = 0;
    assert_everywhere(!asked && got == 3 * ranks);
    mpib_collective_free(c);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_trip_fails_everywhere_or_nowhere),
        cmocka_unit_test(a_scheduled_collective_fails_everywhere_or_nowhere),
        cmocka_unit_test(a_native_collective_fails_everywhere_or_nowhere),
        cmocka_unit_test(a_v_operation_fails_everywhere_or_nowhere),
        cmocka_unit_test(hosts_are_known_everywhere_or_nowhere),
        cmocka_unit_test(a_planned_collective_runs_without_allocating),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
