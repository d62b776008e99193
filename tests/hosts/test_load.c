/* What others do on a host is seen, however busy it is besides. */
#include "tests/mpi_test.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hosts/load.h"

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work_for(double seconds)
{
    double until = seconds_of(CLOCK_PROCESS_CPUTIME_ID) + seconds;
    while (seconds_of(CLOCK_PROCESS_CPUTIME_ID) < until)
        continue;
}

static void what_another_process_works_is_counted(void **state)
{
    (void)state;
    mpib_load load;
    mpib_usage begin = mpib_usage_now();
    if (test_rank() == 0) {
        pid_t child = fork();
        if (child == 0) {
            work_for(0.4);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double elapsed = mpib_usage_now().when - begin.when;
    assert_everywhere(mpib_load_since(MPI_COMM_WORLD, &begin, &load, NULL) == CPM_OK);
    assert_everywhere(load.ranks == test_ranks() && load.name[0] && load.processors > 0);
    assert_everywhere(load.others * elapsed > 0.2); /* the system counts in ticks of 0.01 s */
}

static void a_process_that_could_run_is_seen(void **state)
{
    (void)state;
    mpib_load load;
    pid_t child = test_rank() == 0 ? fork() : -1;
    if (child == 0)
        work_for(3600);
    assert_everywhere(mpib_load_now(MPI_COMM_WORLD, &load, NULL) == CPM_OK);
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    assert_everywhere(load.others >= 1 && load.moves == 0);
}

static void trips_are_known_to_all(void **state)
{
    (void)state;
    double trip = mpib_shortest_trip(MPI_COMM_WORLD, 100), of_0 = trip;
    MPI_Bcast(&of_0, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    assert_everywhere(trip == of_0 && trip > 0 && trip < 60);
    assert_everywhere(mpib_shortest_trip(MPI_COMM_SELF, 100) == 0);
}

static void only_what_the_ranks_need_disturbs(void **state)
{
    (void)state;
    mpib_load load = {.ranks = 2, .processors = 4, .others = 1.9};
    assert_false(mpib_load_disturbs(&load, 0.1));
    load.others = 2.2;
    assert_true(mpib_load_disturbs(&load, 0.1));
    load = (mpib_load){.ranks = 4, .processors = 2, .others = 0.01};
    assert_false(mpib_load_disturbs(&load, 0.1)); /* oversubscription is another matter */
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_another_process_works_is_counted),
        cmocka_unit_test(a_process_that_could_run_is_seen),
        cmocka_unit_test(trips_are_known_to_all),
        cmocka_unit_test(only_what_the_ranks_need_disturbs),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
