/* The open collective benchmark: one loop for every operation and every timing method. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "executor/agree.h"
#include "mpib/timing.h"

/* Rank 0's account of the repetitions. */
typedef struct {
    const cpm_precision *p;
    double *samples; /* [max_reps] */
    int reps;
    int discarded; /* repetitions whose start came too early for somebody */
    int overslept; /* repetitions whose start somebody noticed too late */
    double since;  /* by its clock */
    bool warm;     /* the first repetition, which sets up connections, is over */
    cpm_summary summary;
    int status;
} account;

/* More time to get ready would not help a rank that lost its processor. Where that happens all the
 * time it is what is measured. */
static bool discard_overslept(account *a, const mpib_mark *mark)
{
    if (mark->overslept == 0 || a->overslept > a->reps)
        return false;
    a->overslept++;
    return true;
}

/* A rank that was late for the start spoils a repetition, so it is repeated. On an oversubscribed
 * machine somebody may always be late: patience ends. */
static bool discard(account *a, mpi_machine *m, const mpib_mark *mark)
{
    if (m->timing == MPIB_TIMING_GLOBAL)
        m->slack = mpib_next_slack(m->slack, mark->late);
    if (mark->late <= 0 || a->discarded >= a->p->max_reps + 20)
        return false;
    a->discarded++;
    return true;
}

/* A reading of the clock is part of what lies between two; no time is below its resolution. */
static double time_of(const mpib_mark *mark, const mpib_clock *clock)
{
    return fmax(mark->end - mark->start - clock->reading, clock->resolution);
}

/* Rank 0: enters a repetition and says whether to go on. */
static int enter(account *a, mpi_machine *m, const mpib_mark *mark, cpm_error *e)
{
    if (mark->failed > 0)
        return 0;
    if (discard(a, m, mark) || discard_overslept(a, mark))
        return 1;
    if (!a->warm)
        return a->warm = true;
    a->samples[a->reps++] = time_of(mark, &m->clock);
    if (a->reps < a->p->min_reps)
        return 1;
    a->status = cpm_summarize(a->samples, a->reps, a->p, &a->summary, e);
    return a->status == CPM_OK &&
           !cpm_enough(&a->summary, m->clock.now(&m->clock) - a->since, a->p);
}

enum { MARKS = sizeof(mpib_mark) / sizeof(double) };

/* The same on all ranks: rank 0 decides. */
static void repeat(mpib_timed *c, account *a, cpm_error *e)
{
    for (int go = 1; go;) {
        mpib_mark own = mpib_timing_repetition(c), all = own;
        PMPI_Reduce(&own, &all, MARKS, MPI_DOUBLE, MPI_MAX, 0, c->m->control);
        if (c->m->base.rank == 0)
            go = enter(a, c->m, &all, e);
        PMPI_Bcast(&go, 1, MPI_INT, 0, c->m->control);
    }
}

static int prepare(const mpib_timed *c, account *a, cpm_error *e)
{
    int status = cpm_precision_check(a->p, e), n = c->m->base.n;
    if (status == CPM_OK && (c->root < 0 || c->root >= n))
        status = cpm_fail(e, CPM_EINVAL, "root %d is out of range (%d processes)", c->root, n);
    if (status != CPM_OK)
        return status;
    a->samples = malloc((size_t)a->p->max_reps * sizeof *a->samples);
    return a->samples ? CPM_OK : cpm_no_memory(e);
}

/* All ranks come here or none: operations may communicate already. */
static int initialize(mpib_timed *c, bool *initialized, cpm_error *e)
{
    int status = c->op->initialize(c->op, c->m->work, c->root, c->bytes, e);
    *initialized = status == CPM_OK;
    return mpib_agree(c->m->control, status, e);
}

static void hand_over(const account *a, cpm_summary *result, double *samples)
{
    if (result)
        *result = a->summary;
    if (samples)
        memcpy(samples, a->samples, (size_t)a->reps * sizeof *samples);
}

int mpib_measure_coll(cpm_machine *machine, mpib_coll_operation *op, int root, size_t bytes,
                      const cpm_precision *p, cpm_summary *result, double *samples, cpm_error *e)
{
    mpib_timed c = {.m = (mpi_machine *)machine, .op = op, .root = root, .bytes = bytes, .e = e};
    account a = {.p = p};
    bool initialized = false;
    int status = mpib_agree(c.m->control, prepare(&c, &a, e), e);
    if (status == CPM_OK)
        status = initialize(&c, &initialized, e);
    if (status == CPM_OK)
        status = mpib_agree(c.m->control, mpib_timing_prepare(&c, e), e);
    if (status == CPM_OK) {
        a.since = c.m->clock.now(&c.m->clock);
        repeat(&c, &a, e);
        status = mpib_agree(c.m->control, c.status ? c.status : a.status, e);
    }
    if (status == CPM_OK && machine->rank == 0)
        hand_over(&a, result, samples);
    if (initialized)
        op->finalize(op);
    free(a.samples);
    return status;
}
