#include "tuned/adapt/flood.h"

#include <limits.h>
#include <math.h>

#include "tuned/adapt/adapt.h"

/* Bytes of a block: what is longer is mostly not sent before its receiver asks for it. */
static const size_t longest = 8192;

/* Calls when a verdict is needed, times those when it was asked for, where senders are free: the
 * root has work until it has come. So many later at most, where calls are short and where they take
 * the root long. */
enum { PATIENCE = 4, MOST_CALM = 4096, MOST_TRIED = 1024 };

/* Bytes that those who are held back may send to a root together, between hosts: some switches have
 * that much room for a port. */
static const size_t most_together = 32768;

/* It is worth holding senders back if calls become shorter by this factor. It is tried again when
 * calls are longer than before the last time, by that factor, or are so many times as many. */
static const double gained = 0.7, longer = 1.5;
enum { TRIED_AGAIN = 16 };

/* What calls take longer than the shortest so far by this factor is the flood's doing; what that
 * shortest grows by with each verdict, as times change. */
static const double grown = 1.3, aging = 1.05;

static bool may_flood(const cpm_operation *o, size_t bytes)
{
    return tuned_waiting(o) == CPM_ROOT_WAITS && o->sizes == CPM_KNOWN_TO_ALL && bytes > 0 &&
           bytes <= longest;
}

static bool may_hold(const tuned_floods *all, size_t bytes)
{
    const size_t together = (size_t)(all->n - 1) * TUNED_FLOOD_NEEDED * bytes;
    return all->on_one_host || together <= most_together;
}

static bool is_of(const tuned_flood *f, const cpm_operation *o, int root, size_t bytes)
{
    return f->operation == o && f->root == root && f->bytes == bytes;
}

tuned_flood *tuned_flood_of(tuned_floods *all, const cpm_operation *o, int root, size_t bytes)
{
    int k = all->last;
    if (!may_flood(o, bytes))
        return NULL;
    if (k == all->count || !is_of(&all->at[k], o, root, bytes))
        for (k = 0; k < all->count && !is_of(&all->at[k], o, root, bytes);)
            k++;
    if (k == TUNED_FLOODS)
        return NULL;
    if (k == all->count)
        all->at[all->count++] = (tuned_flood){.operation = o,
                                              .root = root,
                                              .bytes = bytes,
                                              .met = -1,
                                              .may_hold = may_hold(all, bytes),
                                              .request = MPI_REQUEST_NULL};
    all->last = k;
    return &all->at[k];
}

void tuned_flood_time(tuned_flood *f, double seconds, long calls)
{
    f->timed += calls;
    f->lengthy += seconds >= tuned_worth_trying ? calls : 0;
}

static void say(tuned_flood *f, double now)
{
    const double calls = (double)(f->calls - f->since_call);
    const double mean = f->since > 0 && calls > 0 ? (now - f->since) / calls : 0;
    f->verdict = 2 * f->lengthy > f->timed ? mean : -mean;
    f->timed = f->lengthy = 0;
    tuned_flood_start(f, now);
}

static long free_window(const tuned_flood *f)
{
    const long most = f->free > 0 ? MOST_TRIED : MOST_CALM, calls = (PATIENCE - 1) * f->calls;
    return calls < most ? calls : most;
}

static void begin(tuned_flood *f, MPI_Comm comm, bool waits)
{
    const bool is_free = f->state == TUNED_FLOOD_FREE;
    f->asked = true;
    f->of = f->calls - f->judged;
    f->judged = f->calls;
    f->due = f->calls + (is_free ? free_window(f) : f->window);
    if (!waits)
        PMPI_Ibcast(&f->verdict, 1, MPI_DOUBLE, f->root, comm, &f->request);
}

/* What the root had not got by then it gets in the next calls. */
static void tighten(tuned_flood *f)
{
    f->window = TUNED_FLOOD_NEEDED;
    f->from = f->calls + f->window;
}

static void try_holding(tuned_flood *f, double now)
{
    const bool worth =
        !(f->free > 0) || now > longer * f->free || f->calls > TRIED_AGAIN * f->tried;
    if (!(f->verdict > 0) || !worth || !f->may_hold)
        return;
    f->state = TUNED_FLOOD_TRIED;
    f->free = now;
    f->tried = f->calls;
    f->widest = LONG_MAX / 4;
    tighten(f);
}

/* Senders are held back the less often the less that gains, and soon again where calls have become
 * longer. As often as that has happened is remembered, and forgotten slowly. */
static void hold(tuned_flood *f, double now)
{
    const bool worse = now > grown * f->least;
    f->least = fmin(aging * f->least, now);
    if (worse) {
        f->widest = f->window / 4 > TUNED_FLOOD_NEEDED ? f->window / 4 : TUNED_FLOOD_NEEDED;
        tighten(f);
        return;
    }
    if (f->window == f->widest)
        f->widest += f->widest / 8;
    f->window = 2 * f->window < f->widest ? 2 * f->window : f->widest;
}

/* Holding gains, or it did and has not been tightened yet. */
static void go_on(tuned_flood *f, double now)
{
    const bool gains = now < gained * f->free;
    const bool may = f->state == TUNED_FLOOD_HELD && f->window > TUNED_FLOOD_NEEDED;
    if (f->state == TUNED_FLOOD_TRIED)
        f->least = now;
    f->state = gains || may ? TUNED_FLOOD_HELD : TUNED_FLOOD_FREE;
    if (f->state == TUNED_FLOOD_HELD) {
        f->found = true;
        hold(f, now);
    }
}

static void judge(tuned_flood *f)
{
    const double now = fabs(f->verdict);
    if (!(now > 0))
        return;
    if (f->state == TUNED_FLOOD_FREE)
        try_holding(f, now);
    else if (f->judged - f->of >= f->from)
        go_on(f, now);
}

static void end(tuned_flood *f, MPI_Comm comm)
{
    if (f->request != MPI_REQUEST_NULL)
        PMPI_Wait(&f->request, MPI_STATUS_IGNORE);
    else
        PMPI_Bcast(&f->verdict, 1, MPI_DOUBLE, f->root, comm);
    f->request = MPI_REQUEST_NULL;
    f->asked = false;
    f->heard = true;
    judge(f);
    f->due = f->calls;
}

void tuned_flood_step(tuned_flood *f, MPI_Comm comm, bool waits, int rank, double now)
{
    if (f->asked) {
        end(f, comm);
        return;
    }
    if (rank == f->root)
        say(f, now);
    begin(f, comm, waits);
}

bool tuned_floods_go_on(const tuned_floods *all, long met)
{
    bool any = false;
    for (int k = 0; k < all->count; k++)
        any = any || (all->at[k].state == TUNED_FLOOD_HELD && all->at[k].met == met);
    return any;
}

bool tuned_flood_is_found(const tuned_floods *all, const cpm_operation *o, int root, size_t least,
                          size_t most)
{
    for (int k = 0; k < all->count; k++) {
        const tuned_flood *f = &all->at[k];
        if (f->found && f->operation == o && f->root == root && f->bytes >= least &&
            f->bytes <= most)
            return true;
    }
    return false;
}
