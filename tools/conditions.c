#include "tools/conditions.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpib/steady.h"

/* Simulated processes have a machine of their own. */
#ifdef CPM_SMPI
static const bool simulated = true;
#else
static const bool simulated = false;
#endif

/* What a machine does for itself is less. */
static const double tolerated_processes = 0.5, tolerated_use = 0.1, tolerated_moves = 2,
                    tolerated_waiting = 0.1;

static bool is_real(const call *c)
{
    return c->mpi && !simulated;
}

static void warn_before(const mpib_load *l)
{
    fprintf(stderr,
            "cpm: warning: host %s: %.0f other process%s want%s one of its %d processors, and %d "
            "ranks need theirs: times will include waiting for one (top shows who they are; end "
            "them, or measure later)\n",
            l->name, l->others, l->others > 1 ? "es" : "", l->others > 1 ? "" : "s", l->processors,
            l->ranks);
}

int conditions_before(const call *c, conditions *begin, cpm_error *e)
{
    mpib_load load;
    *begin = (conditions){0};
    if (!is_real(c))
        return CPM_OK;
    if (*c->oversubscription) {
        if (c->speaks)
            fprintf(stderr, "cpm: warning: %s\n", c->oversubscription);
        return CPM_OK;
    }
    int status = mpib_load_now(MPI_COMM_WORLD, &load, e);
    if (!status && c->speaks && mpib_load_disturbs(&load, tolerated_processes))
        warn_before(&load);
    double trip = mpib_shortest_trip(MPI_COMM_WORLD, MPIB_TRIPS);
    if (!status && c->steady)
        trip = mpib_steady_keep(c->steady, c->state > 0 ? c->state : trip);
    *begin = (conditions){mpib_usage_now(), trip};
    return status;
}

static void warn_of_others(const mpib_load *l)
{
    fprintf(stderr,
            "cpm: warning: host %s: others used %.1f of its %d processors while %d ranks measured: "
            "times include waiting for one (top shows who they are; end them, and measure again)\n",
            l->name, l->others, l->processors, l->ranks);
}

static void warn_of_moves(const mpib_load *l)
{
    if (l->moves > tolerated_moves)
        fprintf(stderr,
                "cpm: note: processes were moved between processors %.0f times a second, and times "
                "vary with it: bind them (MPICH: mpiexec.hydra -bind-to core; Open MPI: mpiexec "
                "--bind-to core; Slurm: srun --cpu-bind=cores)\n",
                l->moves);
}

static void warn_of_change(double before, double after)
{
    if (!mpib_same_state(before, after))
        fprintf(stderr,
                "cpm: warning: an empty message and its answer between ranks 0 and 1 took %.2f us "
                "before measuring and %.2f us after it: the machine is not the same all the time "
                "(a virtual one whose processors are moved?), and what was measured at one moment "
                "does not hold at another (measure again)\n",
                1e6 * before, 1e6 * after);
}

/* What was measured again, and what that leaves out. */
static void note_steadiness(double trip, const cpm_machine *steady)
{
    mpib_steadiness s = mpib_steady_so_far(steady);
    if (s.lost)
        fprintf(stderr,
                "cpm: warning: an empty message and its answer between ranks 0 and 1 took %.2f us "
                "instead of %.2f us, also after %.1f s of waiting (a virtual machine whose "
                "processors are moved?): what was measured then is of both kinds of moments "
                "(measure again)\n",
                1e6 * s.other, 1e6 * trip, s.waited);
    else if (s.waited > tolerated_waiting)
        fprintf(stderr,
                "cpm: note: for %.1f s an empty message and its answer between ranks 0 and 1 took "
                "%.2f us instead of %.2f us (a virtual machine whose processors are moved?): these "
                "moments were left out; a program that runs then sees other times\n",
                s.waited, 1e6 * s.other, 1e6 * trip);
}

int conditions_after(const call *c, const conditions *begin, cpm_error *e)
{
    mpib_load load;
    if (!is_real(c) || *c->oversubscription)
        return CPM_OK;
    int status = mpib_load_since(MPI_COMM_WORLD, &begin->usage, &load, e);
    double trip = mpib_shortest_trip(MPI_COMM_WORLD, MPIB_TRIPS);
    if (!status && c->speaks) {
        if (c->steady)
            note_steadiness(begin->trip, c->steady);
        if (mpib_load_disturbs(&load, tolerated_use))
            warn_of_others(&load);
        else if (!c->steady || !mpib_steady_so_far(c->steady).lost)
            warn_of_change(begin->trip, trip);
        warn_of_moves(&load);
    }
    return status;
}

int conditions_describe(const conditions *begin, cpm_facts *facts, cpm_error *e)
{
    return begin->trip > 0 ? cpm_facts_set(facts, e, "trip", "%.3g", begin->trip) : CPM_OK;
}

void conditions_compare(const cpm_facts *model, const cpm_facts *observed)
{
    const char *then = cpm_facts_get(model, "trip"), *now = cpm_facts_get(observed, "trip");
    if (!then || !now || mpib_same_state(strtod(then, NULL), strtod(now, NULL)))
        return;
    fprintf(stderr,
            "cpm: warning: an empty message and its answer between ranks 0 and 1 took %.2f us when "
            "the model was measured and %.2f us now: these are not the conditions that it is a "
            "model of (measure it again)\n",
            1e6 * strtod(then, NULL), 1e6 * strtod(now, NULL));
}
