#include "mpib/stability.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "measurements/machine_state.h"

enum {
    SERIES = 3,
    FEW_TRIPS = 10,
    MOST_AGAIN = 5 /* times that one series is measured again */
};

static const double patience = 6;   /* seconds */
static const double between = 5e-3; /* seconds from one look at the machine to the next */

typedef struct {
    cpm_machine machine; /* first, so that a pointer to it is one to this */
    cpm_machine *inner;
    MPI_Comm comm;
    mpib_trip *shortest;
    double trip; /* seconds; 0: everything counts */
    mpib_stability so_far;
} stability;

static bool is_steady(const stability *s)
{
    return !(s->trip > 0) || cpm_same_state(s->trip, s->shortest(s->comm, FEW_TRIPS));
}

/* Rank 0's clock says when patience ends. */
static bool goes_on(stability *s, double begin, cpm_error *e)
{
    int go = s->so_far.waited + s->inner->now(s->inner) - begin < patience;
    s->inner->broadcast(s->inner, &go, sizeof go, e);
    return go;
}

/* False: the machine did not come back, and is not waited for any more. */
static bool wait_for_state(stability *s, cpm_error *e)
{
    double begin = s->inner->now(s->inner), trip = s->shortest(s->comm, MPIB_TRIPS);
    while (!cpm_same_state(s->trip, trip) && goes_on(s, begin, e)) {
        s->so_far.other = trip;
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * between)}, NULL);
        trip = s->shortest(s->comm, MPIB_TRIPS);
    }
    s->so_far.waited += s->inner->now(s->inner) - begin;
    if (cpm_same_state(s->trip, trip))
        return true;
    s->so_far.lost = true;
    s->trip = 0;
    return false;
}

static void forget(cpm_measurement *results, int count)
{
    for (int q = 0; q < count; q++) {
        free(results[q].samples); /* NULL but at rank 0 */
        results[q].samples = NULL;
    }
}

static int measure_in_state(stability *s, const cpm_experiment *x, int count,
                            const cpm_precision *p, cpm_measurement *results, cpm_error *e)
{
    int status = s->inner->measure(s->inner, x, count, p, results, e);
    for (int again = 0; again < MOST_AGAIN && !status && !is_steady(s) && wait_for_state(s, e);
         again++) {
        forget(results, count);
        s->so_far.repeated++;
        status = s->inner->measure(s->inner, x, count, p, results, e);
    }
    return status;
}

/* Of three series of repetitions the one whose median is between those of the others. */
static int middle_of(const cpm_measurement *results, int count, int q)
{
    double a = results[q].summary.median, b = results[count + q].summary.median;
    double c = results[2 * count + q].summary.median;
    if (fmin(a, b) <= c && c <= fmax(a, b))
        return 2;
    return fmin(b, c) <= a && a <= fmax(b, c) ? 0 : 1;
}

static void hand_over(cpm_measurement *series, int count, cpm_measurement *results)
{
    for (int q = 0; q < count; q++) {
        cpm_measurement *middle = &series[middle_of(series, count, q) * count + q];
        results[q] = *middle;
        middle->samples = NULL;
    }
}

/* What interrupts a processor often lasts for as long as all repetitions of an experiment do, some
 * milliseconds, and no statistic of these shows it. */
static int stability_measure(cpm_machine *m, const cpm_experiment *x, int count,
                             const cpm_precision *p, cpm_measurement *results, cpm_error *e)
{
    stability *s = (stability *)m;
    cpm_measurement *series = calloc(SERIES * (size_t)count, sizeof *series);
    int status = series ? CPM_OK : cpm_no_memory(e);
    status = s->inner->agree(s->inner, status, e);
    for (int k = 0; k < SERIES && !status; k++)
        status = measure_in_state(s, x, count, p, series + (ptrdiff_t)k * count, e);
    if (!status && m->rank == 0)
        hand_over(series, count, results);
    if (series)
        forget(series, SERIES * count);
    free(series);
    return status;
}

static int stability_overlap(cpm_machine *m, const cpm_experiment *x, double computing,
                             const cpm_precision *p, cpm_overlap *out, cpm_error *e)
{
    const stability *s = (const stability *)m;
    return s->inner->overlap(s->inner, x, computing, p, out, e);
}

static int stability_broadcast(cpm_machine *m, void *data, size_t bytes, cpm_error *e)
{
    const stability *s = (const stability *)m;
    return s->inner->broadcast(s->inner, data, bytes, e);
}

static int stability_agree(cpm_machine *m, int status, cpm_error *e)
{
    const stability *s = (const stability *)m;
    return s->inner->agree(s->inner, status, e);
}

static double stability_now(cpm_machine *m)
{
    const stability *s = (const stability *)m;
    return s->inner->now(s->inner);
}

static int stability_describe(cpm_machine *m, cpm_metadata *metadata, cpm_error *e)
{
    const stability *s = (const stability *)m;
    return s->inner->describe(s->inner, metadata, e);
}

static void stability_together(cpm_machine *m, bool together)
{
    const stability *s = (const stability *)m;
    if (s->inner->together)
        s->inner->together(s->inner, together);
}

static void stability_free(cpm_machine *m)
{
    stability *s = (stability *)m;
    if (!s)
        return;
    s->inner->free(s->inner);
    free(s);
}

static const cpm_machine stability_machine = {
    .measure = stability_measure,
    .overlap = stability_overlap,
    .broadcast = stability_broadcast,
    .agree = stability_agree,
    .now = stability_now,
    .describe = stability_describe,
    .together = stability_together,
    .free = stability_free,
};

int mpib_stability_create(cpm_machine *inner, MPI_Comm comm, mpib_trip *shortest, cpm_machine **out,
                          cpm_error *e)
{
    stability *s = calloc(1, sizeof *s);
    int status = s ? CPM_OK : cpm_no_memory(e);
    status = inner->agree(inner, status, e);
    if (status) {
        free(s);
        inner->free(inner);
        return status;
    }
    *s = (stability){
        .machine = stability_machine, .inner = inner, .comm = comm, .shortest = shortest};
    s->machine.n = inner->n;
    s->machine.rank = inner->rank;
    *out = &s->machine;
    return CPM_OK;
}

double mpib_stability_keep(cpm_machine *machine, double trip)
{
    stability *s = (stability *)machine;
    cpm_error ignored = {0};
    s->trip = trip;
    if (trip > 0)
        wait_for_state(s, &ignored);
    return s->shortest(s->comm, MPIB_TRIPS);
}

mpib_stability mpib_stability_so_far(const cpm_machine *machine)
{
    return ((const stability *)machine)->so_far;
}
