/* Timing methods of collectives: where one repetition is timed (thesis 2.1.1, 3.3.1). */
#include "mpib/timing.h"

#include <math.h>
#include <string.h>

#include "executor/agree.h"
#include "mpib/cold.h"

enum { TAG_CONFIRM = 51 };

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

/* The root has a message from everybody else. */
static void confirm(const mpib_timed *c)
{
    if (c->m->base.rank != c->root)
        PMPI_Send(NULL, 0, MPI_BYTE, c->root, TAG_CONFIRM, c->m->control);
    else
        for (int peer = 0; peer < c->m->base.n; peer++)
            if (peer != c->root)
                PMPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_CONFIRM, c->m->control, MPI_STATUS_IGNORE);
}

/* Ranks leave the barriers one after the other, so what the last confirmation takes may be less
 * than it was found to: the collective still lasted as long as the root's own part in it. */
static mpib_mark repetition_root(mpib_timed *c)
{
    isolate(c->m);
    double start = now(c->m);
    execute(c);
    double own = now(c->m) - start;
    confirm(c);
    if (c->m->base.rank != c->root)
        return (mpib_mark){.end = -INFINITY, .start = -INFINITY};
    double all = now(c->m) - start - c->m->clock.reading;
    return (mpib_mark){.end = fmax(own, all - c->confirmation)};
}

double mpib_next_slack(double slack, double late)
{
    double needed = 2 * (slack + late);
    return fmax(MPIB_LEAST_SLACK, fmin(needed, fmin(2 * slack, MPIB_MOST_SLACK)));
}

/* Barriers leave the ranks skewed by up to their own time. So after them all wait for a moment that
 * rank 0 names, and start together (the window of Hunold and Carpen-Amarie 2016). The time begins
 * at that moment, not when the root noticed it: others have begun. */
static mpib_mark repetition_global(mpib_timed *c)
{
    const double noticing = 1e-6; /* what a rank that has its processor needs for it, and more */
    isolate(c->m);
    double begin =
        global_now(c->m) + c->m->slack; /* rank 0's counts: its clock is the global one */
    PMPI_Bcast(&begin, 1, MPI_DOUBLE, 0, c->m->control);
    mpib_mark mark = {.late = global_now(c->m) - begin, .start = begin};
    double noticed = mpib_wait_until(&c->m->clock, &c->m->sync, begin);
    mark.overslept = noticed - begin > noticing + c->m->clock.resolution;
    execute(c);
    mark.end = global_now(c->m);
    return mark;
}

/* Calls one after the other (Faraj and Yuan 2005, figure 1). That of this rank is one of them, and
 * all say the mean. */
static mpib_mark repetition_batch(mpib_timed *c)
{
    int calls = cpm_batch_calls(c->m->batch, c->bytes);
    isolate(c->m);
    double start = now(c->m), sum = 0;
    for (int k = 0; k < calls; k++)
        execute(c);
    double own = (now(c->m) - start - c->m->clock.reading) / calls;
    PMPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, c->m->control);
    return (mpib_mark){.end = sum / c->m->base.n + c->m->clock.reading};
}

enum { TRIPS = 11 };

static void answer(MPI_Comm comm, int root)
{
    for (int i = 0; i < TRIPS; i++) {
        PMPI_Recv(NULL, 0, MPI_BYTE, root, TAG_CONFIRM, comm, MPI_STATUS_IGNORE);
        PMPI_Send(NULL, 0, MPI_BYTE, root, TAG_CONFIRM, comm);
    }
}

/* Half the shortest round trip of an empty message. Barriers would contain what ranks leave them
 * apart. */
static double one_way(const mpi_machine *m, int peer)
{
    double shortest = INFINITY;
    for (int i = 0; i < TRIPS; i++) {
        double start = now(m);
        PMPI_Send(NULL, 0, MPI_BYTE, peer, TAG_CONFIRM, m->control);
        PMPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_CONFIRM, m->control, MPI_STATUS_IGNORE);
        shortest = fmin(shortest, now(m) - start - m->clock.reading);
    }
    return shortest / 2;
}

/* At the root: what a confirmation takes, the mean over the others. */
static double confirmation_time(const mpib_timed *c)
{
    double sum = 0;
    int n = c->m->base.n;
    if (c->m->base.rank != c->root)
        answer(c->m->control, c->root);
    else
        for (int peer = 0; peer < n; peer++)
            sum += peer == c->root ? 0 : one_way(c->m, peer);
    return n > 1 ? sum / (n - 1) : 0;
}

static int prepare_nothing(mpib_timed *c, cpm_error *e)
{
    (void)c;
    (void)e;
    return CPM_OK;
}

static int prepare_root(mpib_timed *c, cpm_error *e)
{
    (void)e;
    c->confirmation = confirmation_time(c);
    return CPM_OK;
}

static int prepare_global(mpib_timed *c, cpm_error *e)
{
    return mpib_machine_refresh(c->m, e);
}

typedef struct {
    int (*prepare)(mpib_timed *c, cpm_error *e);
    mpib_mark (*repetition)(mpib_timed *c);
} timing_method;

static const timing_method methods[] = {
    [MPIB_TIMING_ROOT] = {prepare_root, repetition_root},
    [MPIB_TIMING_MAX] = {prepare_nothing, repetition_max},
    [MPIB_TIMING_GLOBAL] = {prepare_global, repetition_global},
    [MPIB_TIMING_BATCH] = {prepare_nothing, repetition_batch},
};

int mpib_timing_prepare(mpib_timed *c, cpm_error *e)
{
    int status = mpib_agree(c->m->control, mpib_cold_prepare(c->m, e), e);
    return status ? status : methods[c->m->timing].prepare(c, e);
}

mpib_mark mpib_timing_repetition(mpib_timed *c)
{
    if (c->op->refresh && c->m->buffers != MPIB_BUFFERS_SAME)
        c->op->refresh(c->op);
    mpib_cold_make(c->m);
    mpib_mark mark = methods[c->m->timing].repetition(c);
    mark.failed = c->status != CPM_OK;
    return mark;
}
