/* Sizes are alike if what a comparison of a few calls says holds for both. */
#include "tuned/adapt/rooted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "executor/emergency.h"
#include "executor/layout.h"
#include "executor/unit_sizes.h"

/* What may differ in calls that are alike: all bytes, and the longest block. */
static const double alike_total = 1.2, alike_longest = 1.5;

/* A call of a root that waits for a switch's losses to be repaired takes so much longer than the
 * shortest: times, and seconds. */
static const double late_times = 5, late_seconds = 5e-3;

/* ---- at the root ---- */

static tuned_rooted *of(tuned_adapt *a, const cpm_operation *o)
{
    return &a->rooted[o == &cpm_operations[CPM_OP_GATHERV]];
}

typedef struct {
    double total, longest;
} extent;

static extent extent_of(const size_t *sizes, int n)
{
    extent x = {0};
    for (int k = 0; k < n; k++) {
        x.total += (double)sizes[k];
        x.longest = fmax(x.longest, (double)sizes[k]);
    }
    return x;
}

static bool within(double a, double b, double times)
{
    return a <= times * b && b <= times * a;
}

static bool are_alike(extent a, extent b)
{
    return within(a.total, b.total, alike_total) && within(a.longest, b.longest, alike_longest);
}

/* Those of calls without data are of no use to anybody, and of what calls of other sizes took
 * neither is anything. */
static void keep(tuned_rooted *r, const size_t *sizes, int n, extent now)
{
    if (r->sizes && !(now.total > 0))
        return;
    if (r->sizes && !are_alike(now, extent_of(r->sizes, n)))
        *r = (tuned_rooted){.sizes = r->sizes};
    if (!r->sizes)
        r->sizes = malloc((size_t)n * sizeof *r->sizes);
    if (r->sizes)
        memcpy(r->sizes, sizes, (size_t)n * sizeof *r->sizes);
}

void tuned_rooted_note(tuned_state *t, tuned_context *x, const mpib_arguments *a)
{
    if (t->rank != a->root)
        return;
    mpib_side_bytes(mpib_significant_side(a, t->rank), t->n, t->sizes);
    const extent now = extent_of(t->sizes, t->n);
    keep(of(t->adapt, a->operation), t->sizes, t->n, now);
    if (x && x->announced)
        x->changed = x->changed || !are_alike(now, extent_of(x->announced, t->n));
}

void tuned_rooted_count(tuned_adapt *a, const cpm_operation *o, double seconds)
{
    tuned_rooted *r = of(a, o);
    r->last[r->calls % CPM_ADAPT_KEPT] = seconds;
    r->shortest = r->calls++ ? fmin(r->shortest, seconds) : seconds;
    r->seconds += seconds;
    r->late += seconds > late_times * r->shortest && seconds > r->shortest + late_seconds;
}

/* ---- telling ---- */

static const double one_by_one = 2; /* times the shortest call: what it may take */

static tuned_heard what_is_known(const tuned_rooted *r)
{
    tuned_heard h = {.known = r->sizes != NULL, .calls = r->calls, .seconds = r->seconds};
    memcpy(h.last, r->last, sizeof h.last);
    if (r->late) {
        h.native = r->seconds / (double)r->calls;
        h.calm = one_by_one * r->shortest;
    }
    return h;
}

tuned_heard tuned_rooted_tell(const tuned_state *t, const cpm_operation *o, int root)
{
    const tuned_rooted *r = of(t->adapt, o);
    tuned_heard h = what_is_known(r);
    PMPI_Bcast(&h, sizeof h, MPI_BYTE, root, t->inside);
    if (!h.known)
        return h;
    if (t->rank == root)
        memcpy(t->sizes, r->sizes, (size_t)t->n * sizeof *t->sizes);
    PMPI_Bcast(t->sizes, (int)((size_t)t->n * sizeof *t->sizes), MPI_BYTE, root, t->inside);
    return h;
}

bool tuned_rooted_enter(const tuned_state *t, tuned_context *x)
{
    x->announced = malloc((size_t)t->n * sizeof *x->announced);
    x->plans = calloc((size_t)x->count, sizeof *x->plans);
    if (x->announced)
        memcpy(x->announced, t->sizes, (size_t)t->n * sizeof *x->announced);
    return x->announced && x->plans;
}

/* ---- plans ---- */

/* Somewhat longer blocks than were told come without being announced. */
static void expect(const tuned_state *t, const tuned_context *x)
{
    for (int k = 0; k < t->n; k++)
        t->sizes[k] = x->announced[k] + x->announced[k] / 4;
}

int tuned_rooted_plan(const tuned_state *t, const tuned_context *x, int who,
                      const mpib_arguments *a, mpib_collective **out)
{
    const cpm_collective *what = &x->candidates[who]->choice.what;
    const mpib_arguments any = {.operation = a->operation, .root = a->root, .comm = t->inside};
    int status = CPM_OK;
    *out = NULL;
    if (!what->algorithm || what->algorithm->properties & CPM_OWN_SIZE)
        return CPM_OK;
    if (!x->plans[who]) {
        expect(t, x);
        status = mpib_collective_create_any_sizes(what, &any, t->sizes, &x->plans[who], NULL);
    }
    *out = x->plans[who];
    return status;
}
