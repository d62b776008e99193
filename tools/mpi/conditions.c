/* Whether its processes had their hosts for themselves, and the machine stayed as it was. */
#include "tools/measure/conditions.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "hosts/load.h"
#include "measurements/machine_state.h"
#include "mpib/stability.h"

/* Simulated processes have a machine of their own. */
#ifdef CPM_SMPI
static const bool simulated = true;
#else
static const bool simulated = false;
#endif

/* What a machine does for itself is less. */
static const double tolerated_processes = 0.5, tolerated_moves = 2, tolerated_waiting = 0.1;

static bool is_real(const call *c)
{
    return c->mpi && !simulated;
}

/* Tells people now, with what they can do, and later readers of what is measured, in the same
 * words. */
static int __attribute__((format(printf, 4, 5)))
warn(cpm_metadata *metadata, cpm_error *e, const char *advice, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(stderr, "cpm: warning: %s%s\n", text, advice);
    return cpm_metadata_append(metadata, e, "warning", "%s", text);
}

static int warn_before(const mpib_load *l, cpm_metadata *metadata, cpm_error *e)
{
    return warn(metadata, e, " (top shows who they are; end them, or measure later)",
                "host %s: %.0f other process%s want%s one of its %d processors, and %d ranks need "
                "theirs: times will include waiting for one",
                l->name, l->others, l->others > 1 ? "es" : "", l->others > 1 ? "" : "s",
                l->processors, l->ranks);
}

/* All ranks go on, whatever rank 0 could not keep. */
static int begin_state(const call *c, conditions *begin, cpm_metadata *metadata, cpm_error *e)
{
    mpib_load load;
    int status = mpib_load_now(MPI_COMM_WORLD, &load, e), told = CPM_OK;
    if (!status && c->speaks && mpib_load_disturbs(&load, tolerated_processes))
        told = warn_before(&load, metadata, e);
    double trip = mpib_shortest_trip(MPI_COMM_WORLD, MPIB_TRIPS);
    if (!status && c->steady)
        trip = mpib_stability_keep(c->steady, c->state > 0 ? c->state : trip);
    *begin = (conditions){mpib_usage_now(), trip};
    return status ? status : told;
}

int conditions_before(const call *c, conditions *begin, cpm_metadata *metadata, cpm_error *e)
{
    int status = CPM_OK;
    *begin = (conditions){0};
    if (!is_real(c))
        return CPM_OK;
    if (!*c->oversubscription)
        status = begin_state(c, begin, metadata, e);
    else if (c->speaks)
        status = warn(metadata, e, "", "%s", c->oversubscription);
    return c->machine->agree(c->machine, status, e);
}

static int warn_of_others(const mpib_load *l, cpm_metadata *metadata, cpm_error *e)
{
    return warn(metadata, e, " (top shows who they are; end them, and measure again)",
                "host %s: others used %.1f of its %d processors while %d ranks measured: times "
                "include waiting for one",
                l->name, l->others, l->processors, l->ranks);
}

static int warn_of_moves(const mpib_load *l, cpm_metadata *metadata, cpm_error *e)
{
    if (l->moves <= tolerated_moves)
        return CPM_OK;
    return warn(metadata, e,
                ": bind them (MPICH: mpiexec.hydra -bind-to core; Open MPI: mpiexec --bind-to "
                "core; Slurm: srun --cpu-bind=cores)",
                "processes were moved between processors %.0f times a second, and times vary with "
                "it",
                l->moves);
}

static int warn_of_change(double before, double after, cpm_metadata *metadata, cpm_error *e)
{
    if (cpm_same_state(before, after))
        return CPM_OK;
    return warn(metadata, e,
                " (a virtual one whose processors are moved?), and what was measured at one moment "
                "does not hold at another (measure again)",
                "the empty round trip between ranks 0 and 1 took %.2f us before measuring and "
                "%.2f us after it. Latency changed during the run; results mix two machine states",
                1e6 * before, 1e6 * after);
}

/* Of a campaign that went on: its first part was measured in another state. */
static int warn_of_earlier(const cpm_metadata *header, double trip, cpm_metadata *metadata,
                           cpm_error *e)
{
    const char *then = cpm_metadata_get(header, "trip");
    double before = then ? strtod(then, NULL) : 0;
    if (!then || cpm_same_state(before, trip))
        return CPM_OK;
    return warn(metadata, e, " (measure again)",
                "the empty round trip between ranks 0 and 1 took %.2f us when the file was begun "
                "and %.2f us when it was continued. Its results mix two machine states",
                1e6 * before, 1e6 * trip);
}

/* What was measured again, and what that leaves out. */
static int warn_of_moments(double trip, const cpm_machine *steady, cpm_metadata *metadata,
                           cpm_error *e)
{
    mpib_stability s = mpib_stability_so_far(steady);
    if (s.lost)
        return warn(metadata, e, " (measure again)",
                    "the empty round trip between ranks 0 and 1 took %.2f us instead of %.2f us, "
                    "also after %.1f s of waiting. Latency changed during the run; results mix "
                    "two machine states (a virtual machine whose processors are moved?)",
                    1e6 * s.other, 1e6 * trip, s.waited);
    if (s.waited <= tolerated_waiting)
        return CPM_OK;
    return warn(metadata, e, "",
                "for %.1f s the empty round trip between ranks 0 and 1 took %.2f us instead of "
                "%.2f us. These moments were left out (a virtual machine whose processors are "
                "moved?). A program that runs then sees other times",
                s.waited, 1e6 * s.other, 1e6 * trip);
}

/* At rank 0. */
static int tell_after(const call *c, const conditions *begin, const mpib_load *load, double trip,
                      const cpm_metadata *header, cpm_metadata *metadata, cpm_error *e)
{
    bool lost = c->steady && mpib_stability_so_far(c->steady).lost;
    int status = c->steady ? warn_of_moments(begin->trip, c->steady, metadata, e) : CPM_OK;
    if (!status && mpib_load_disturbs(load, mpib_tolerated_use))
        status = warn_of_others(load, metadata, e);
    else if (!status && !lost)
        status = warn_of_change(begin->trip, trip, metadata, e);
    if (!status)
        status = warn_of_earlier(header, begin->trip, metadata, e);
    return status ? status : warn_of_moves(load, metadata, e);
}

int conditions_after(const call *c, const conditions *begin, const cpm_metadata *header,
                     cpm_metadata *metadata, cpm_error *e)
{
    mpib_load load;
    if (!is_real(c) || *c->oversubscription)
        return CPM_OK;
    int status = mpib_load_since(MPI_COMM_WORLD, &begin->usage, &load, e);
    double trip = mpib_shortest_trip(MPI_COMM_WORLD, MPIB_TRIPS);
    if (!status && c->speaks)
        status = tell_after(c, begin, &load, trip, header, metadata, e);
    return c->machine->agree(c->machine, status, e);
}
