/* The first sizes of an operation have a context each; programs with many have one for a class of
 * sizes. */
#include "tuned/adapt/context.h"

#include <stdlib.h>
#include <string.h>

#include "selection/size_class.h"

enum { MOST_EXACT = 16, MOST_CONTEXTS = 256 };

/* ---- finding ---- */

static uint64_t key_of(const tuned_kind *k)
{
    uint64_t operation = (uint64_t)(k->operation - cpm_operations);
    uint64_t place = (uint64_t)(unsigned)k->persistent << 56 | operation << 48 |
                     (uint64_t)k->ordered << 40 | (uint64_t)k->begun << 41 |
                     (uint64_t)(unsigned)k->root;
    return cpm_hash_mix(cpm_hash_mix(cpm_hash_mix(0, place), k->least), k->most) | 1;
}

static bool same_kind(const tuned_kind *a, const tuned_kind *b)
{
    return a->operation == b->operation && a->root == b->root && a->ordered == b->ordered &&
           a->least == b->least && a->most == b->most && a->begun == b->begun &&
           a->persistent == b->persistent;
}

static tuned_context *look_at(const tuned_contexts *all, const tuned_kind *k)
{
    const cpm_slot *slot = cpm_hash_find(&all->by_kind, key_of(k));
    while (slot && !same_kind(&((tuned_context *)slot->pointer)->kind, k))
        slot = cpm_hash_next(&all->by_kind, slot);
    return slot ? slot->pointer : NULL;
}

static tuned_kind exactly(const cpm_request *r)
{
    return (tuned_kind){r->operation, r->root,  r->ordered,   r->bytes,
                        r->bytes,     r->begun, r->persistent};
}

static tuned_kind of_class(const cpm_request *r)
{
    cpm_size_class c = cpm_size_class_plain(r->bytes);
    return (tuned_kind){r->operation, r->root,  r->ordered,   c.least,
                        c.most,       r->begun, r->persistent};
}

/* That all ranks know of, at the same call. */
static bool has_engine(const tuned_context *x)
{
    return x->engine && !x->held;
}

/* One with an engine goes before one without: only rank 0 knows of all those. */
static tuned_context *narrowest(const tuned_contexts *all, const cpm_request *r)
{
    tuned_kind exact = exactly(r), class = of_class(r);
    tuned_context *x = look_at(all, &exact);
    if (x && has_engine(x))
        return x;
    tuned_context *wide = look_at(all, &class);
    return wide && (!x || has_engine(wide)) ? wide : x;
}

static tuned_recent *recent_of(tuned_contexts *all, const cpm_request *r)
{
    size_t place = r->bytes ^ r->bytes >> 6 ^ r->bytes >> 12;
    place += (size_t)(r->operation - cpm_operations) * 8 + (size_t)r->root + (r->begun ? 4 : 0) +
             16 * (size_t)r->persistent;
    return &all->recent[place % TUNED_RECENT];
}

static bool is_of(const tuned_recent *x, const cpm_request *r)
{
    return x->context && x->operation == r->operation && x->bytes == r->bytes &&
           x->root == r->root && x->ordered == r->ordered && x->begun == r->begun &&
           x->persistent == r->persistent;
}

tuned_context *tuned_contexts_find(tuned_contexts *all, const cpm_request *r)
{
    tuned_recent *x = recent_of(all, r);
    if (!is_of(x, r))
        *x = (tuned_recent){r->operation, r->bytes,      r->root,          r->ordered,
                            r->begun,     r->persistent, narrowest(all, r)};
    return x->context;
}

void tuned_contexts_decided(tuned_contexts *all, const tuned_context *x)
{
    for (int k = 0; k < TUNED_RECENT; k++)
        if (all->recent[k].operation == x->kind.operation)
            all->recent[k].context = NULL;
}

tuned_kind tuned_contexts_kind(const tuned_contexts *all, const cpm_request *r)
{
    const bool exact = r->persistent || all->exact[r->operation - cpm_operations] < MOST_EXACT;
    return exact ? exactly(r) : of_class(r);
}

/* ---- entering ---- */

static tuned_context *create(const tuned_kind *k)
{
    tuned_context *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->kind = *k;
    x->exchange.request = MPI_REQUEST_NULL;
    return x;
}

tuned_context *tuned_contexts_enter(tuned_contexts *all, const tuned_kind *k)
{
    tuned_context *x = look_at(all, k);
    if (x || all->count == MOST_CONTEXTS)
        return x;
    x = create(k);
    cpm_slot *slot = x ? cpm_hash_add(&all->by_kind, key_of(k)) : NULL;
    if (!slot) {
        free(x);
        return NULL;
    }
    slot->pointer = x;
    x->next = all->all;
    all->all = x;
    all->count++;
    all->exact[k->operation - cpm_operations] += k->least == k->most && !k->persistent;
    return x;
}

void tuned_context_stop(tuned_context *x)
{
    if (x->engine) {
        x->before = tuned_context_saved(x);
        x->calls_before += x->calls;
        x->calls = 0;
    }
    cpm_adapt_free(x->engine);
    for (int k = 0; x->plans && k < x->count; k++)
        mpib_collective_free(x->plans[k]);
    free(x->candidates);
    free(x->saved);
    free(x->plans);
    free(x->announced);
    x->engine = NULL;
    x->candidates = NULL;
    x->saved = NULL;
    x->plans = NULL;
    x->announced = NULL;
    x->count = x->made = 0;
    x->spare = 0;
    x->changed = x->of_root = false;
    memset(x->seen, 0, sizeof x->seen);
    memset(x->exchange.own, 0, sizeof x->exchange.own);
}

void tuned_contexts_clear(tuned_contexts *all)
{
    for (tuned_context *x = all->all, *next; x; x = next) {
        next = x->next;
        tuned_context_stop(x);
        free(x);
    }
    cpm_hash_free(&all->by_kind);
    *all = (tuned_contexts){0};
}

/* ---- what was saved ---- */

void tuned_context_keep_own(tuned_context *x)
{
    for (int k = 0; k < TUNED_TALLIES; k++) {
        const int who = x->exchange.who[k];
        if (x->exchange.own[k] > 0)
            tuned_saved_rest(&x->saved[who], x->exchange.own[k]);
        x->exchange.own[k] = 0;
    }
}

/* Seconds of this rank by who that were not fed. */
static double unfed(const tuned_context *x, int who)
{
    double sum = 0;
    for (int k = 0; k < TUNED_TALLIES; k++) {
        sum += x->exchange.who[k] == who ? x->exchange.own[k] : 0;
        sum += x->seen[k].calls && x->seen[k].who == who ? 1e-12 * (double)x->seen[k].spent : 0;
    }
    return sum;
}

tuned_saved_sum tuned_context_saved(const tuned_context *x)
{
    tuned_saved_sum sum = x->before;
    for (int k = 0; x->engine && k < x->count; k++) {
        tuned_saved one = x->saved[k];
        tuned_saved_rest(&one, unfed(x, k));
        tuned_saved_add(&sum, &one, k == 0);
    }
    sum.met += x->engine ? cpm_adapt_met(x->engine) : 0;
    return sum;
}

/* ---- figures ---- */

/* That of who, or a free one. */
static tuned_tally *tally_of(tuned_context *x, int who)
{
    tuned_tally *free = NULL;
    for (int k = 0; k < TUNED_TALLIES; k++)
        if (!x->seen[k].calls)
            free = free ? free : &x->seen[k];
        else if (x->seen[k].who == who)
            return &x->seen[k];
    return free;
}

void tuned_context_see(tuned_context *x, int who, int64_t spent, int64_t compared)
{
    tuned_tally *s = tally_of(x, who);
    s->who = who;
    s->last[s->calls++ % CPM_ADAPT_KEPT] = compared;
    s->sum += compared;
    s->spent += spent;
}

void tuned_context_pass(tuned_context *x, int who, long calls, int64_t spent, int64_t compared)
{
    tuned_tally *s = tally_of(x, who);
    s->who = who;
    s->calls += calls;
    s->sum += compared;
    s->spent += spent;
}
