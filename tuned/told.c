/* Whoever asks for sizes in every call loses more than a good tree gains: telling 16 processes
 * their sizes takes as long as scattering a kilobyte to each. */
#include "tuned/told.h"

#include <stdlib.h>
#include <string.h>

#include "mpib/layout.h"
#include "mpib/unit_sizes.h"
#include "tuned/state.h"

enum { MOST_SIZES = 16, LONGEST_PAUSE = 1024 };

/* ---- one for each operation and root ---- */

static tuned_told *create(const tuned_state *t, const mpib_arguments *a)
{
    tuned_told *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->sizes = calloc((size_t)t->n, sizeof *x->sizes);
    if (!x->sizes) {
        free(x);
        return NULL;
    }
    x->operation = a->operation;
    x->root = a->root;
    x->pause = 1;
    return x;
}

static tuned_told *find(tuned_state *t, const mpib_arguments *a)
{
    tuned_told *x = t->decisions.told;
    while (x && (x->operation != a->operation || x->root != a->root))
        x = x->next;
    if (x)
        return x;
    x = create(t, a);
    if (!tuned_all(t->comm, x)) {
        tuned_told_clear(x);
        return NULL;
    }
    x->next = t->decisions.told;
    t->decisions.told = x;
    return x;
}

void tuned_told_clear(tuned_told *all)
{
    for (tuned_told *next; all; all = next) {
        next = all->next;
        mpib_collective_free(all->plan);
        free(all->sizes);
        free(all);
    }
}

/* ---- asking ---- */

/* Makes t->sizes known; whether they are others than before. */
static bool hear_sizes(tuned_state *t, tuned_told *x, const mpib_arguments *a)
{
    size_t bytes = (size_t)t->n * sizeof *t->sizes;
    if (t->rank == a->root)
        mpib_side_bytes(mpib_significant_side(a, t->rank), t->n, t->sizes);
    PMPI_Bcast(t->sizes, (int)bytes, MPI_BYTE, a->root, t->comm);
    bool changed = x->calls == 0 || memcmp(x->sizes, t->sizes, bytes) != 0;
    memcpy(x->sizes, t->sizes, bytes);
    return changed;
}

/* Whether an algorithm holds for all sizes and each process knows what it needs of them. */
static bool needs_no_telling(const tuned_told *x)
{
    const cpm_choice *c = x->decision ? &x->decision->choice : NULL;
    return c && c->what.algorithm && c->what.algorithm->properties & CPM_OWN_SIZE && !c->by_sizes &&
           c->least == 0 && c->most == SIZE_MAX;
}

/* Collective: MPI's own routine for lack of memory on one rank. */
static void renew_plan(const tuned_state *t, tuned_told *x)
{
    const cpm_choice *c = x->decision ? &x->decision->choice : NULL;
    mpib_collective_free(x->plan);
    x->plan = NULL;
    if (!c || !c->what.algorithm || needs_no_telling(x))
        return;
    const mpib_arguments a = {.operation = x->operation, .root = x->root, .comm = t->inside};
    int status = mpib_collective_create_any_sizes(&c->what, &a, x->sizes, &x->plan, NULL);
    if (tuned_all(t->comm, status == CPM_OK))
        return;
    mpib_collective_free(x->plan);
    x->plan = NULL;
    x->decision = NULL;
}

/* Sizes that are new whenever they are asked for are not worth deciding on each time. */
static void decide(tuned_state *t, tuned_told *x, const cpm_request *r)
{
    uint64_t hash = tuned_hash(x->sizes, t->n);
    x->decision = tuned_find(&t->decisions, r, hash);
    if (!x->decision && x->decisions++ < MOST_SIZES)
        x->decision = tuned_decide(t, r, hash);
    renew_plan(t, x);
}

/* The root knows all sizes, the others their own. */
static void know_own(tuned_state *t, const mpib_arguments *a)
{
    const mpib_side *side = mpib_significant_side(a, t->rank);
    bool root = t->rank == a->root;
    memset(t->sizes, 0, (size_t)t->n * sizeof *t->sizes);
    mpib_side_bytes(side, root ? t->n : 1, root ? t->sizes : &t->sizes[t->rank]);
}

static void plan_asking(tuned_told *x)
{
    const cpm_choice *c = x->decision ? &x->decision->choice : NULL;
    bool never = x->decisions > MOST_SIZES || needs_no_telling(x) ||
                 (c && !c->what.algorithm && c->least == 0 && c->most == SIZE_MAX);
    x->next_asked = never ? -1 : x->calls + 1 + x->pause;
    if (x->pause < LONGEST_PAUSE)
        x->pause *= 2;
}

tuned_told *tuned_told_of(tuned_state *t, const mpib_arguments *a, cpm_request *r)
{
    tuned_told *x = find(t, a);
    if (!x)
        return NULL;
    bool asked = x->calls == x->next_asked;
    bool changed = asked && hear_sizes(t, x, a);
    r->sizes = x->sizes;
    r->bytes = cpm_mean_bytes(x->sizes, t->n);
    if (changed)
        decide(t, x, r);
    if (asked)
        plan_asking(x);
    if (needs_no_telling(x))
        know_own(t, a);
    x->calls++;
    return x;
}
