/* Repetitions of an experiment: what comes before each, and what is taken off. */
#include "tests/mpi_test.h"

#include "mpib/repeat.h"

/* A part that says how long it took, and when it was last there. */
typedef struct {
    double seconds;     /* what it returns */
    double last, least; /* MPI_Wtime at its end, least time from there to its next beginning */
    int runs;
} part;

static double run(void *context)
{
    part *p = context;
    double now = MPI_Wtime();
    if (p->runs++ && now - p->last < p->least)
        p->least = now - p->last;
    p->last = MPI_Wtime();
    return p->seconds;
}

enum { REPS = 7 };

/* Between rank 0, which measures, and rank 1. */
static void repeat(part *own, double pause, double answer_pause, double samples[REPS])
{
    const cpm_precision p = {REPS, REPS, 0.95, 0.5, CPM_MEDIAN, 0};
    mpib_clock clock = mpib_clock_wtime();
    int reps = 0, status = CPM_OK;
    mpib_exchange x = {.measurer = 0,
                       .helper = {1},
                       .helpers = 1,
                       .run = run,
                       .context = own,
                       .pause = pause,
                       .answer_pause = answer_pause,
                       .clock = &clock};
    if (test_rank() < 2)
        status = mpib_repeat(MPI_COMM_WORLD, &x, &p, samples, &reps, NULL);
    assert_everywhere(status == CPM_OK && (test_rank() != 0 || reps == REPS));
}

static void what_a_helper_paused_before_its_answer_is_taken_off(void **state)
{
    (void)state;
    const double measured = 5, paused = 2;
    for (int pausing = 0; pausing < 2; pausing++) {
        part own = {.seconds = test_rank() == 0 ? measured : paused};
        double samples[REPS] = {0};
        repeat(&own, 0, pausing * 1e-6, samples);
        for (int i = 0; i < REPS; i++)
            assert_everywhere(test_rank() != 0 || samples[i] == measured - pausing * paused);
    }
}

/* Nobody goes on earlier than that, however fast the machine is. */
static void all_compute_before_each_repetition(void **state)
{
    (void)state;
    const double pause = 1e-3;
    part own = {.seconds = 1, .least = 3600};
    double samples[REPS];
    repeat(&own, pause, 0, samples);
    assert_everywhere(test_rank() > 1 || (own.runs == REPS + 1 && own.least >= pause));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_helper_paused_before_its_answer_is_taken_off),
        cmocka_unit_test(all_compute_before_each_repetition),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
