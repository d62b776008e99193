#include "tuned/adapt/flood.h"

#include <limits.h>
#include <math.h>

#include "tuned/adapt/adapt.h"

/* Bytes of a block: what is longer is mostly not sent before its receiver asks for it. */
static const size_t longest = 8192;

/* Where no flood was found it is asked again when so many times as many calls were made. Where one
 * was, it is needed after so many times as many, as long as calls do not become longer. */
enum { AGAIN = 4 };

/* What calls take longer than the shortest so far by this factor is the flood's doing; what that
 * shortest grows by with each verdict, as times change. */
static const double grown = 1.3, aging = 1.05;

static bool may_flood(const cpm_operation *o, size_t bytes)
{
    return tuned_waiting(o) == CPM_ROOT_WAITS && o->sizes == CPM_KNOWN_TO_ALL && bytes <= longest;
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
                                              .window = TUNED_FLOOD_NEEDED,
                                              .widest = LONG_MAX / (2 * AGAIN),
                                              .request = MPI_REQUEST_NULL};
    all->last = k;
    return &all->at[k];
}

void tuned_flood_time(tuned_flood *f, double seconds, long calls)
{
    f->seconds += seconds * (double)calls;
    f->timed += calls;
    f->lengthy += seconds >= tuned_worth_trying ? calls : 0;
}

static void say(tuned_flood *f)
{
    const double mean = f->seconds / (double)f->timed;
    f->verdict = 2 * f->lengthy > f->timed ? mean : -mean;
    f->seconds = 0;
    f->timed = f->lengthy = 0;
}

static void begin(tuned_flood *f, MPI_Comm comm, bool waits)
{
    f->asked = true;
    f->of = f->calls - f->judged;
    f->judged = f->calls;
    f->due = f->calls + f->window;
    if (!waits)
        PMPI_Ibcast(&f->verdict, 1, MPI_DOUBLE, f->root, comm, &f->request);
}

/* Senders are held back the less often the less that gains, and soon again where calls have become
 * longer. As often as that has happened is remembered, and forgotten slowly. */
static void hold(tuned_flood *f)
{
    const double now = fabs(f->verdict);
    const bool worse = f->least > 0 && now > grown * f->least;
    f->least = f->least > 0 ? fmin(aging * f->least, now) : now;
    if (worse)
        f->widest = f->window / AGAIN > TUNED_FLOOD_NEEDED ? f->window / AGAIN : TUNED_FLOOD_NEEDED;
    else if (f->window == f->widest)
        f->widest += f->widest / 8;
    f->window = worse ? TUNED_FLOOD_NEEDED : AGAIN * f->window;
    f->window = f->window < f->widest ? f->window : f->widest;
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
    f->found = f->found || f->verdict > 0;
    if (f->found)
        hold(f);
    f->due = f->asks = f->found ? f->calls : AGAIN * f->judged;
}

double tuned_flood_step(tuned_flood *f, MPI_Comm comm, bool waits, int rank)
{
    const double start = PMPI_Wtime();
    const bool needed = f->asked;
    if (!needed && rank == f->root)
        say(f);
    if (needed)
        end(f, comm);
    else
        begin(f, comm, waits);
    return PMPI_Wtime() - start;
}

bool tuned_floods_go_on(const tuned_floods *all, long met)
{
    bool any = false;
    for (int k = 0; k < all->count; k++)
        any = any || (all->at[k].found && all->at[k].met == met);
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
