/* Repetitions of one experiment between a measuring process and its helpers.
 *
 * A repetition begins with an empty ready message from each helper: it proves that the helper has
 * finished the one before and is about to wait for the first message, so what is timed is the
 * exchange and not the helper's lateness. That is less than a barrier costs, and unlike a barrier
 * it leaves the network between the other processes alone. The pause of the measurer begins when
 * the message is there, so the helper's is over first.
 *
 * Whether to go on is decided at the measurer and sent to the helpers once per batch. */
#include "mpib/repeat.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { TAG_READY = 11, TAG_BATCH = 12, TAG_PAUSED = 13, TAG_TOGETHER = 14 };

/* A helper's part, and what it paused in it. */
static double help(MPI_Comm comm, const mpib_exchange *x)
{
    double paused = x->run(x->context);
    if (x->answer_pause > 0)
        MPI_Send(&paused, 1, MPI_DOUBLE, x->measurer, TAG_PAUSED, comm);
    return paused;
}

static double without_pauses(MPI_Comm comm, const mpib_exchange *x, double seconds)
{
    double paused;
    for (int i = 0; i < x->helpers && x->answer_pause > 0; i++) {
        MPI_Recv(&paused, 1, MPI_DOUBLE, x->helper[i], TAG_PAUSED, comm, MPI_STATUS_IGNORE);
        seconds -= paused;
    }
    return fmax(0, seconds);
}

static double repetition(MPI_Comm comm, const mpib_exchange *x, bool measuring)
{
    if (!measuring) {
        MPI_Send(NULL, 0, MPI_BYTE, x->measurer, TAG_READY, comm);
        mpib_compute_for(x->clock, x->pause);
        return help(comm, x);
    }
    for (int i = 0; i < x->helpers; i++)
        MPI_Recv(NULL, 0, MPI_BYTE, x->helper[i], TAG_READY, comm, MPI_STATUS_IGNORE);
    mpib_compute_for(x->clock, x->pause);
    return without_pauses(comm, x, x->run(x->context));
}

/* Seconds by the measurer's clock, which is only read where they count. */
static double time_of(const mpib_exchange *x, const cpm_precision *p)
{
    return p->max_seconds > 0 ? x->clock->now(x->clock) : 0;
}

/* Repetitions still to do before the next decision: a quarter of those done, 0 to stop. */
static int next_batch(const mpib_exchange *x, double since, const double *samples, int done,
                      const cpm_precision *p, int *status, cpm_error *e)
{
    cpm_summary s;
    *status = cpm_summarize(samples, done, p, &s, e);
    if (*status != CPM_OK || cpm_enough(&s, time_of(x, p) - since, p))
        return 0;
    int batch = done < 8 ? 1 : done / 4;
    return batch < p->max_reps - done ? batch : p->max_reps - done;
}

static int tell_batch(MPI_Comm comm, const mpib_exchange *x, bool measuring, int batch)
{
    if (!measuring) {
        MPI_Recv(&batch, 1, MPI_INT, x->measurer, TAG_BATCH, comm, MPI_STATUS_IGNORE);
        return batch;
    }
    for (int i = 0; i < x->helpers; i++)
        MPI_Send(&batch, 1, MPI_INT, x->helper[i], TAG_BATCH, comm);
    return batch;
}

int mpib_repeat(MPI_Comm comm, const mpib_exchange *x, const cpm_precision *p, double *samples,
                int *reps, cpm_error *e)
{
    int rank, done = 0, batch = p->min_reps, status = CPM_OK;
    MPI_Comm_rank(comm, &rank);
    bool measuring = rank == x->measurer;
    double since = time_of(x, p);
    repetition(comm, x, measuring); /* untimed: connections are set up, pages touched */
    while (batch > 0) {
        for (; batch > 0; batch--) {
            double seconds = repetition(comm, x, measuring);
            if (measuring)
                samples[done++] = seconds;
        }
        if (measuring)
            batch = next_batch(x, since, samples, done, p, &status, e);
        batch = tell_batch(comm, x, measuring, batch);
    }
    if (measuring)
        *reps = done;
    return status;
}

/* A barrier may let one rank after the other go, so that of a host the first have finished when the
 * last begin: then those of a host meet by dissemination, which they leave at the same time. Hosts
 * may be far from each other, and would not. */
static void come_together(MPI_Comm comm, MPI_Comm here)
{
    int rank, n;
    MPI_Barrier(comm);
    if (here == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(here, &rank);
    MPI_Comm_size(here, &n);
    for (int away = 1; away < n; away *= 2)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + away) % n, TAG_TOGETHER, NULL, 0, MPI_BYTE,
                     (rank - away + n) % n, TAG_TOGETHER, here, MPI_STATUS_IGNORE);
}

static double repetition_together(MPI_Comm comm, MPI_Comm here, const mpib_exchange *x)
{
    come_together(comm, here);
    return x ? x->run(x->context) : 0;
}

int mpib_repeat_together(MPI_Comm comm, MPI_Comm here, const mpib_exchange *x,
                         const cpm_precision *p, double *samples, int *reps, cpm_error *e)
{
    int rank, batch = p->min_reps, status = CPM_OK;
    MPI_Comm_rank(comm, &rank);
    bool measuring = x && rank == x->measurer;
    double since = x ? time_of(x, p) : 0;
    *reps = 0;
    repetition_together(comm, here, x); /* untimed, as above */
    while (batch > 0) {
        for (; batch > 0; batch--) {
            double seconds = repetition_together(comm, here, x);
            if (measuring)
                samples[(*reps)++] = seconds;
        }
        if (measuring)
            batch = next_batch(x, since, samples, *reps, p, &status, e);
        MPI_Allreduce(MPI_IN_PLACE, &batch, 1, MPI_INT, MPI_MAX, comm);
    }
    return status;
}
