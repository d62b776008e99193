/* Timing methods of collectives: where one repetition is timed (thesis 2.1.1, 3.3.1). */
#include "mpib/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The second barrier meets ranks that the first has already brought close together. */
static void isolate(const mpi_machine *m)
{
    PMPI_Barrier(m->control);
    PMPI_Barrier(m->control);
}

static double now(const mpi_machine *m)
{
    return m->clock.now(&m->clock);
}

static double global_now(const mpi_machine *m)
{
    return mpib_global_time(&m->sync, now(m));
}

static void execute(mpib_timed *c)
{
    int status = c->op->execute(c->op, c->m->work, c->root, c->bytes, c->e);
    c->status = c->status ? c->status : status;
}

static mpib_mark repetition_max(mpib_timed *c)
{
    isolate(c->m);
    double start = now(c->m);
    execute(c);
    return (mpib_mark){.end = now(c->m) - start};
}

static mpib_mark repetition_root(mpib_timed *c)
{
    isolate(c->m);
    double start = now(c->m);
    execute(c);
    PMPI_Barrier(c->m->control);
    if (c->m->base.rank != c->root)
        return (mpib_mark){.end = -INFINITY, .start = -INFINITY};
    return (mpib_mark){.end = now(c->m) - start, .start = c->confirmation};
}

/* Barriers leave the ranks skewed by up to their own time. So after them all wait for a moment that
 * rank 0 names, and start together (the window of Hunold and Carpen-Amarie 2016). */
static mpib_mark repetition_global(mpib_timed *c)
{
    isolate(c->m);
    double begin =
        global_now(c->m) + c->m->slack; /* rank 0's counts: its clock is the global one */
    PMPI_Bcast(&begin, 1, MPI_DOUBLE, 0, c->m->control);
    mpib_mark mark = {.late = global_now(c->m) > begin, .start = -INFINITY};
    double start = mpib_wait_until(&c->m->clock, &c->m->sync, begin);
    execute(c);
    mark.end = global_now(c->m);
    if (c->m->base.rank == c->root)
        mark.start = start;
    return mark;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Median of a few barriers, each isolated like a repetition. */
static double confirmation_time(const mpi_machine *m)
{
    enum { BARRIERS = 11 };
    double seconds[BARRIERS];
    for (int i = 0; i < BARRIERS; i++) {
        isolate(m);
        double start = now(m);
        PMPI_Barrier(m->control);
        seconds[i] = now(m) - start;
    }
    qsort(seconds, BARRIERS, sizeof *seconds, ascending);
    return seconds[BARRIERS / 2];
}

static int prepare_max(mpib_timed *c, cpm_error *e)
{
    (void)c;
    (void)e;
    return CPM_OK;
}

static int prepare_root(mpib_timed *c, cpm_error *e)
{
    (void)e;
    c->confirmation = confirmation_time(c->m);
    return CPM_OK;
}

static int prepare_global(mpib_timed *c, cpm_error *e)
{
    return mpib_machine_refresh(c->m, e);
}

typedef struct {
    const char *name;
    int (*prepare)(mpib_timed *c, cpm_error *e);
    mpib_mark (*repetition)(mpib_timed *c);
} timing_method;

/* In the order of mpib_timing. */
static const timing_method methods[] = {
    {"root", prepare_root, repetition_root},
    {"max", prepare_max, repetition_max},
    {"global", prepare_global, repetition_global},
};
enum { METHODS = sizeof methods / sizeof *methods };

const char *mpib_timing_name(mpib_timing t)
{
    return methods[t].name;
}

int mpib_timing_parse(const char *text, mpib_timing *t, cpm_error *e)
{
    for (int i = 0; i < METHODS; i++)
        if (strcmp(text, methods[i].name) == 0) {
            *t = (mpib_timing)i;
            return CPM_OK;
        }
    return cpm_fail(e, CPM_EUNKNOWN, "unknown timing method '%s' (known: root, max, global)", text);
}

int mpib_timing_prepare(mpib_timed *c, cpm_error *e)
{
    return methods[c->m->timing].prepare(c, e);
}

mpib_mark mpib_timing_repetition(mpib_timed *c)
{
    mpib_mark mark = methods[c->m->timing].repetition(c);
    mark.failed = c->status != CPM_OK;
    return mark;
}
