/* Whoever asks for sizes in every call loses more than a good tree gains: telling 16 processes
 * their sizes takes as long as scattering a kilobyte to each. */
#include "tuned/comm/announced.h"

#include <stdlib.h>
#include <string.h>

#include "executor/emergency.h"
#include "executor/layout.h"
#include "executor/unit_sizes.h"
#include "tuned/comm/state.h"

enum { MOST_SIZES = 16, LONGEST_PAUSE = 1024 };

/* ---- one for each operation and root ---- */

/* What is told, in one message: this and, unless the root takes no part, the sizes of all. */
typedef struct {
    uint64_t call, possible;
} told;

static size_t message_bytes(int n)
{
    return sizeof(told) + (size_t)n * sizeof(size_t);
}

static tuned_announced *create(const tuned_state *t, const mpib_arguments *a)
{
    tuned_announced *x = calloc(1, sizeof *x);
    void *message = calloc(1, message_bytes(t->n));
    size_t *sizes = calloc((size_t)t->n, sizeof *sizes);
    if (!x || !message || !sizes) {
        free(x);
        free(message);
        free(sizes);
        return NULL;
    }
    *x = (tuned_announced){
        .operation = a->operation, .root = a->root, .pause = 1, .message = message, .sizes = sizes};
    return x;
}

static tuned_announced *look_for(const tuned_state *t, const mpib_arguments *a)
{
    tuned_announced *x = t->announced;
    while (x && (x->operation != a->operation || x->root != a->root))
        x = x->next;
    return x;
}

static tuned_announced *find(tuned_state *t, const mpib_arguments *a)
{
    tuned_announced *x = look_for(t, a);
    if (x)
        return x;
    mpib_emergency_renew();
    x = create(t, a);
    if (!x && mpib_emergency_spend())
        x = create(t, a);
    if (!x)
        return NULL;
    x->next = t->announced;
    t->announced = x;
    return x;
}

void tuned_announced_clear(tuned_announced **all)
{
    for (tuned_announced *x = *all, *next; x; x = next) {
        next = x->next;
        mpib_collective_free(x->plan);
        free(x->message);
        free(x->sizes);
        free(x);
    }
    *all = NULL;
}

/* ---- asking ---- */

static bool needs_no_telling(const tuned_announced *x)
{
    return x->decision && cpm_choice_needs_own_sizes(&x->decision->choice);
}

/* Makes the plan if there is none, and should be. */
static int have_plan(const tuned_state *t, tuned_announced *x)
{
    const cpm_choice *c = x->decision ? &x->decision->choice : NULL;
    if (x->plan || !c || !c->what.algorithm || needs_no_telling(x))
        return CPM_OK;
    const mpib_arguments a = {.operation = x->operation, .root = x->root, .comm = t->inside};
    return mpib_collective_create_any_sizes(&c->what, &a, x->sizes, &x->plan, NULL);
}

/* Sizes that are new whenever they are asked for are not worth deciding on each time. call: in
 * which they were told. */
static void decide(tuned_state *t, tuned_announced *x, const cpm_request *r, long call)
{
    uint64_t hash = tuned_hash(x->sizes, t->n);
    x->decision = tuned_find(&t->decisions, r, hash, call);
    if (!x->decision && x->decisions++ < MOST_SIZES)
        x->decision = tuned_decide(t, r, hash, call);
    mpib_collective_free(x->plan);
    x->plan = NULL;
}

static void plan_asking(tuned_announced *x)
{
    const cpm_choice *c = x->decision ? &x->decision->choice : NULL;
    bool never = x->decisions > MOST_SIZES || needs_no_telling(x) ||
                 (c && !c->what.algorithm && c->least == 0 && c->most == SIZE_MAX);
    x->next_asked = never ? -1 : x->heard + 1 + x->pause;
    if (x->pause < LONGEST_PAUSE)
        x->pause *= 2;
}

static void set_sizes(const tuned_state *t, const tuned_announced *x, cpm_request *r)
{
    r->sizes = x->sizes;
    r->bytes = cpm_mean_bytes(x->sizes, t->n);
}

/* What the root said. */
static void take(tuned_state *t, tuned_announced *x, cpm_request *r)
{
    const told *head = x->message;
    size_t bytes = (size_t)t->n * sizeof *x->sizes;
    x->heard = (long)head->call;
    x->possible = head->possible;
    if (!x->possible)
        return;
    bool changed = !x->known || !x->decision || memcmp(x->sizes, head + 1, bytes) != 0;
    memcpy(x->sizes, head + 1, bytes);
    x->known = true;
    set_sizes(t, x, r);
    if (changed)
        decide(t, x, r, x->heard);
    plan_asking(x);
}

static int tag_of(const cpm_operation *o)
{
    return o == &cpm_operations[CPM_OP_SCATTERV] ? TUNED_TAG_SCATTERV : TUNED_TAG_GATHERV;
}

static void tell_sizes(tuned_state *t, const tuned_announced *x, const mpib_arguments *a)
{
    told *head = x->message;
    *head = (told){(uint64_t)t->call, true};
    mpib_side_bytes(mpib_significant_side(a, t->rank), t->n, (size_t *)(head + 1));
    tuned_notify(t, tag_of(x->operation), head, message_bytes(t->n));
}

static void hear_sizes(const tuned_state *t, const tuned_announced *x)
{
    const told *head = x->message;
    do
        tuned_take_notice(t, x->root, tag_of(x->operation), x->message, message_bytes(t->n));
    while ((long)head->call <= t->since);
}

static bool is_asked(const tuned_announced *x, long call)
{
    return x->heard < call && x->next_asked >= 0 && x->next_asked <= call;
}

int tuned_announced_sizes(tuned_state *t, const mpib_arguments *a, cpm_request *r,
                          tuned_announced **out)
{
    tuned_announced *x = find(t, a);
    if (!x)
        return CPM_ENOMEM;
    while (is_asked(x, t->call)) {
        if (t->rank == x->root)
            tell_sizes(t, x, a);
        else
            hear_sizes(t, x);
        take(t, x, r);
    }
    set_sizes(t, x, r);
    *out = x->heard == t->call && !x->possible ? NULL : x;
    return have_plan(t, x);
}

void tuned_announce_nothing(tuned_state *t, const mpib_arguments *a)
{
    const told nothing = {.call = (uint64_t)t->call + 1};
    bool tells = a->operation->sizes == CPM_KNOWN_TO_ROOT && t->rank == a->root;
    tuned_announced *x = tells ? find(t, a) : NULL;
    if (!x || !is_asked(x, t->call + 1))
        return;
    tuned_notify(t, tag_of(a->operation), &nothing, sizeof nothing);
    x->heard = t->call + 1;
    x->possible = false;
}
