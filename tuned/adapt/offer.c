/* An offer travels as one message: who it is for, then each candidate with its collective. All
 * ranks make an engine of it, or none does. */
#include "tuned/adapt/offer.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/offer.h"
#include "collectives/on_groups.h"
#include "tuned/adapt/memory.h"
#include "tuned/adapt/rooted.h"
#include "tuned/comm/neighbours.h"
#include "tuned/comm/selectors.h"
#include "tuned/environment.h"

static _Atomic double cost = -1; /* of the last one, and of those before in decreasing parts; below
                                    0: there was none */

/* By a model: 6 ms for 64 processes, 21 ms for 256, 0.13 s for 1,024. */
double tuned_offer_cost(int n)
{
    const double guess = tuned_environment_get()->model ? 1e-3 + 1e-4 * n : 5e-4;
    double known = atomic_load(&cost);
    return known >= 0 ? known : guess;
}

static void learn_cost(double seconds)
{
    double known = atomic_load(&cost);
    atomic_store(&cost, known >= 0 ? (known + seconds) / 2 : seconds);
}

/* ---- the message ---- */

typedef struct {
    int operation, root, count, persistent;
    bool ordered, begun;
    size_t least, most;
    double native;    /* seconds of a call by MPI's own routine, as was seen; 0: not known */
    tuned_heard seen; /* calls by which it is known; no calls: none are */
} head;

typedef struct {
    cpm_adapt_candidate as;
    tuned_remembered learnt;
    size_t collective[]; /* packed */
} item;

static size_t rounded(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

static size_t item_bytes(int n)
{
    return rounded(sizeof(item) + cpm_collective_packed_bytes(n));
}

static size_t message_bytes(int n, int count)
{
    return rounded(sizeof(head)) + (size_t)count * item_bytes(n);
}

static item *item_of(void *message, int n, int k)
{
    return (item *)((char *)message + message_bytes(n, k));
}

/* ---- rank 0 ---- */

/* As programs run, by a model: as its selector would. */
static int ask_model(const tuned_state *t, const cpm_request *r, double seconds, cpm_offer *out,
                     cpm_error *e)
{
    cpm_selector_options options = tuned_selector_options();
    options.effort = fmin(options.effort, seconds / 2);
    options.seconds = fmin(options.seconds, seconds / 4);
    return cpm_offer_of_model(t->model, &options, r, out, e);
}

static bool floods(const tuned_state *t, const tuned_kind *k)
{
    return !k->begun &&
           tuned_flood_is_found(&t->adapt->floods, k->operation, k->root, k->least, k->most);
}

static int ask(const tuned_state *t, const cpm_request *r, double seconds, cpm_offer *out,
               cpm_error *e)
{
    const cpm_table *table;
    if (t->adapt->policy == CPM_ADAPT_THRESHOLD)
        return cpm_offer_of_thresholds(r, out, e);
    if (t->adapt->policy != CPM_ADAPT_BUDGET)
        return cpm_offer_of_star(r, out, e);
    if (r->ahead || cpm_operation_ends_know_sizes(r->operation))
        return cpm_offer_of_groups(r, out, e);
    if (!t->adapt->asked && tuned_environment_get()->table &&
        tuned_environment_table(&table, e) == CPM_OK)
        return cpm_offer_of_table(table, r, out, e);
    return t->model ? ask_model(t, r, seconds, out, e) : cpm_offer_of_groups(r, out, e);
}

static int work_out(const tuned_state *t, const cpm_request *r, double seconds, cpm_offer *out)
{
    double start = PMPI_Wtime();
    cpm_error e = {0};
    int status = ask(t, r, seconds, out, &e);
    learn_cost(PMPI_Wtime() - start);
    return status;
}

/* Seconds of a call by MPI's own routine, where a rank sees what all do; 0: not known. */
static double seen_of(const tuned_state *t, const tuned_kind *kind)
{
    const tuned_context *x = tuned_contexts_enter(&t->adapt->contexts, kind);
    return x && x->noted && !kind->operation->rooted ? x->spent / (double)x->noted : 0;
}

/* NULL: no memory. */
static void *write_message(const tuned_state *t, const cpm_request *r, const tuned_kind *kind,
                           const tuned_heard *told, const cpm_offer *o)
{
    bool seen = told && tuned_is_of_root(kind->operation);
    const tuned_kind shown = r->sizes ? tuned_memory_kind(kind, r->bytes) : *kind;
    head *message = calloc(1, message_bytes(t->n, o->count));
    if (!message)
        return NULL;
    *message = (head){.operation = (int)(kind->operation - cpm_operations),
                      .root = kind->root,
                      .count = o->count,
                      .ordered = kind->ordered,
                      .begun = kind->begun,
                      .persistent = kind->persistent,
                      .least = kind->least,
                      .most = kind->most,
                      .native = seen ? told->native : seen_of(t, kind)};
    if (seen)
        message->seen = *told;
    for (int k = 0; k < o->count; k++) {
        const cpm_collective what = cpm_request_collective(r, &o->at[k].what);
        item *to = item_of(message, t->n, k);
        to->as = o->at[k].as;
        if (t->adapt->hosts)
            to->learnt = tuned_memory_recall(t->adapt->hosts, t->n, &shown, &what);
        cpm_collective_pack(&what, to->collective);
    }
    return message;
}

/* Nonblocking calls cannot wait until ranks have told each other what they know. */
static bool goes_by_steps(const cpm_collective *c)
{
    const bool known = c->operation->sizes == CPM_KNOWN_TO_ALL;
    return !c->algorithm ||
           (!cpm_is_on_groups(c) && (known || c->algorithm->properties & CPM_OWN_SIZE));
}

static void keep_those_by_steps(cpm_offer *o)
{
    int kept = 0;
    for (int k = 0; k < o->count; k++) {
        const cpm_offer_one one = o->at[k];
        if (!goes_by_steps(&one.what)) {
            free((void *)one.what.at.mapping);
            free((void *)one.what.at.parent);
        } else {
            o->at[kept++] = one;
        }
    }
    o->count = kept;
}

/* told: by the root, with t->sizes, if it alone knows them. NULL: nothing can be offered. */
static void *make_message(const tuned_state *t, const tuned_kind *kind, const tuned_heard *told,
                          double seconds)
{
    const cpm_request r = {.operation = kind->operation,
                           .n = t->n,
                           .root = kind->root,
                           .bytes = told ? cpm_mean_bytes(t->sizes, t->n) : kind->most,
                           .sizes = told ? t->sizes : NULL,
                           .hosts = tuned_state_hosts(t),
                           .topology = t->topology,
                           .neighbours = tuned_neighbours_for(t, kind->operation),
                           .ordered = kind->ordered,
                           .begun = kind->begun,
                           .ahead = floods(t, kind)};
    cpm_offer offer = {0};
    if (kind->begun && !t->progresses)
        return NULL;
    if (work_out(t, &r, seconds, &offer) != CPM_OK)
        return NULL;
    if (kind->begun)
        keep_those_by_steps(&offer);
    else if (t->model && !r.ahead && tuned_selector_options().library == CPM_LIBRARY_OTHER)
        cpm_offer_expect_native(&offer, seen_of(t, kind));
    if (told && told->calm > 0 && !t->model)
        cpm_offer_expect_calm(&offer, told->native, told->calm);
    void *message = write_message(t, &r, kind, told, &offer);
    cpm_offer_clear(&offer);
    return message;
}

/* ---- all ranks ---- */

/* What rank 0 says before: how long its message is, 0: there is none; whether a root is to tell
 * sizes before, and which. */
typedef struct {
    uint64_t bytes;
    int operation, root; /* -1: none is */
} announcement;

static announcement announce(const tuned_state *t, const void *message, const tuned_kind *asked)
{
    announcement a = {.bytes = message ? message_bytes(t->n, ((const head *)message)->count) : 0,
                      .operation = asked ? (int)(asked->operation - cpm_operations) : -1,
                      .root = asked ? asked->root : -1};
    PMPI_Bcast(&a, sizeof a, MPI_BYTE, 0, t->inside);
    return a;
}

/* Everybody gets rank 0's message, or nobody; the caller frees it. */
static void *share(const tuned_state *t, void *message, uint64_t bytes)
{
    if (!bytes)
        return NULL;
    if (!message)
        message = malloc(bytes);
    if (!tuned_all(t->inside, message != NULL)) {
        free(message);
        return NULL;
    }
    PMPI_Bcast(message, (int)bytes, MPI_BYTE, 0, t->inside);
    return message;
}

/* The offer of rank 0, after the root has told the sizes if it alone knows them. */
static void *exchange(const tuned_state *t, const tuned_kind *kind, double seconds)
{
    bool asked = kind && tuned_is_told_by_root(kind);
    void *message = kind && !asked ? make_message(t, kind, NULL, seconds) : NULL;
    announcement a = announce(t, message, asked ? kind : NULL);
    if (a.root >= 0) {
        const tuned_heard h = tuned_rooted_tell(t, &cpm_operations[a.operation], a.root);
        if (h.known && kind)
            message = make_message(t, kind, &h, seconds);
        a = announce(t, message, NULL);
    }
    return share(t, message, a.bytes);
}

/* An array of the message becomes one of its own. */
static const int *own(const int *array, int n, bool *failed)
{
    int *copy = array ? malloc((size_t)n * sizeof *copy) : NULL;
    if (copy)
        memcpy(copy, array, (size_t)n * sizeof *copy);
    *failed = *failed || (array && !copy);
    return copy;
}

static tuned_decision *decision_of(const tuned_state *t, const tuned_kind *kind, const item *from)
{
    bool failed = false;
    tuned_decision *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    cpm_collective *what = &d->choice.what;
    cpm_collective_unpack(from->collective, what);
    what->at.mapping = own(what->at.mapping, t->n, &failed);
    what->at.parent = own(what->at.parent, t->n, &failed);
    what->at.hosts = tuned_state_hosts(t);
    what->at.topology = t->topology;
    what->at.neighbours = t->neighbours;
    const bool any = kind->begun && kind->operation->sizes != CPM_KNOWN_TO_ALL;
    d->choice.least = any ? 0 : kind->least;
    d->choice.most = any ? SIZE_MAX : kind->most;
    d->operation = kind->operation;
    d->root = kind->root;
    d->ordered = kind->ordered;
    d->nonblocking = kind->begun;
    if (!failed)
        return d;
    cpm_choice_clear(&d->choice);
    free(d);
    return NULL;
}

static void free_candidates(tuned_context *x)
{
    for (int k = 0; k < x->count; k++)
        if (x->candidates[k]) {
            cpm_choice_clear(&x->candidates[k]->choice);
            free(x->candidates[k]);
        }
}

static bool make_candidates(const tuned_state *t, tuned_context *x, void *message)
{
    bool all = true;
    int count = ((head *)message)->count;
    x->candidates = calloc((size_t)count, sizeof(tuned_decision *));
    x->saved = calloc((size_t)count, sizeof *x->saved);
    if (!x->candidates || !x->saved)
        return false;
    x->count = count;
    for (int k = 0; k < count; k++) {
        x->candidates[k] = decision_of(t, &x->kind, item_of(message, t->n, k));
        all = all && x->candidates[k];
    }
    return all;
}

/* The best of what rank 0 remembers is begun with; what is no better may wait. */
static void start(const tuned_state *t, const tuned_context *x, void *message)
{
    const tuned_remembered *best = NULL;
    int who = 0;
    for (int k = 1; k < x->count; k++) {
        const tuned_remembered *one = &item_of(message, t->n, k)->learnt;
        if (one->calls)
            cpm_adapt_start_without(x->engine, k, one->ratio, one->calls);
        if (one->praised && (!best || one->most < best->most)) {
            best = one;
            who = k;
        }
    }
    if (best)
        cpm_adapt_start_from(x->engine, who, best->ratio, best->calls);
}

/* What the root has seen before, so that nobody needs to see it again. */
static void recall(const tuned_context *x, const tuned_heard *seen)
{
    double seconds[CPM_ADAPT_KEPT];
    int kept = seen->calls < CPM_ADAPT_KEPT ? (int)seen->calls : CPM_ADAPT_KEPT;
    for (int k = 0; k < kept; k++)
        seconds[k] = seen->last[(seen->calls - kept + k) % CPM_ADAPT_KEPT];
    const cpm_adapt_figures f = {
        .calls = seen->calls, .sum = seen->seconds, .kept = kept, .seconds = seconds};
    if (kept)
        cpm_adapt_recall(x->engine, &f);
}

static cpm_ledger *ledger_of(const tuned_state *t, const tuned_context *x)
{
    return x->kind.persistent ? &t->adapt->started.ledger : &t->adapt->ledger;
}

static bool make_engine(const tuned_state *t, tuned_context *x, void *message)
{
    cpm_error e = {0};
    cpm_adapt_candidate *as = malloc((size_t)x->count * sizeof *as);
    for (int k = 0; as && k < x->count; k++)
        as[k] = item_of(message, t->n, k)->as;
    int status =
        as ? cpm_adapt_create(t->adapt->policy, as, x->count, ledger_of(t, x), &x->engine, &e)
           : CPM_ENOMEM;
    free(as);
    if (status == CPM_OK) {
        x->of_root = !x->kind.begun && (tuned_is_of_root(x->kind.operation) || floods(t, &x->kind));
        x->each = ((const head *)message)->native;
        cpm_adapt_expect(x->engine, x->each);
        recall(x, &((const head *)message)->seen);
        start(t, x, message);
    }
    return status == CPM_OK;
}

/* What all have is the state's from now on. */
static void begin(tuned_state *t, tuned_context *x)
{
    for (int k = 0; k < x->count; k++) {
        x->candidates[k]->call = t->call;
        x->candidates[k]->next = t->decisions.all;
        t->decisions.all = x->candidates[k];
    }
    t->decisions.made++;
    x->calls = 0;
    x->spare = 0;
    x->period = cpm_adapt_next(x->engine);
    tuned_contexts_decided(&t->adapt->contexts, x);
}

static void give_up(tuned_context *x)
{
    free_candidates(x);
    tuned_context_stop(x);
    x->ended = true;
}

static tuned_kind kind_of(const head *h)
{
    return (tuned_kind){&cpm_operations[h->operation],
                        h->root,
                        h->ordered,
                        h->least,
                        h->most,
                        h->begun,
                        h->persistent};
}

/* NULL: no memory, as where *made is false. */
static tuned_context *make(tuned_state *t, void *message, bool *made)
{
    const tuned_kind kind = kind_of(message);
    tuned_context *x = tuned_contexts_enter(&t->adapt->contexts, &kind);
    *made = x && make_candidates(t, x, message) && make_engine(t, x, message) &&
            (!tuned_is_told_by_root(&kind) || tuned_rooted_enter(t, x));
    return x;
}

static bool enter(tuned_state *t, void *message)
{
    bool made = false;
    tuned_context *x = make(t, message, &made);
    if (tuned_all(t->inside, made)) {
        begin(t, x);
        return true;
    }
    if (x)
        give_up(x);
    return false;
}

/* It is not asked for again. */
static void ask_no_more(tuned_state *t, const tuned_kind *kind)
{
    tuned_context *x = tuned_contexts_enter(&t->adapt->contexts, kind);
    if (x)
        x->ended = true;
}

bool tuned_offer_make(tuned_state *t, const tuned_kind *kind, double seconds)
{
    void *message = exchange(t, kind, seconds);
    bool entered = message && enter(t, message);
    if (kind && !entered)
        ask_no_more(t, kind);
    free(message);
    return entered;
}

/* ---- in steps ---- */

void tuned_offer_begin(tuned_state *t, tuned_offering *o, MPI_Comm comm, const tuned_kind *kind,
                       double seconds)
{
    *o = (tuned_offering){.comm = comm,
                          .message = kind ? make_message(t, kind, NULL, seconds) : NULL};
    if (o->message)
        o->bytes = message_bytes(t->n, ((const head *)o->message)->count);
    else if (kind)
        ask_no_more(t, kind);
    PMPI_Ibcast(&o->bytes, 1, MPI_UINT64_T, 0, comm, &o->request);
}

static void make_room(tuned_offering *o)
{
    if (!o->message)
        o->message = malloc(o->bytes);
    o->room = o->message != NULL;
    o->stage = TUNED_MAKING_ROOM;
    PMPI_Iallreduce(MPI_IN_PLACE, &o->room, 1, MPI_INT, MPI_MIN, o->comm, &o->request);
}

static void spread(tuned_offering *o)
{
    o->stage = TUNED_SPREADING;
    PMPI_Ibcast(o->message, (int)o->bytes, MPI_BYTE, 0, o->comm, &o->request);
}

static void hold(tuned_state *t, tuned_offering *o)
{
    bool made = false;
    tuned_context *x = make(t, o->message, &made);
    if (x)
        x->held = true;
    o->failed = !made;
}

static void end(tuned_state *t, tuned_offering *o)
{
    if (o->stage == TUNED_SPREADING) {
        hold(t, o);
    } else if (t->rank == 0 && o->message) {
        const tuned_kind kind = kind_of(o->message);
        ask_no_more(t, &kind);
    }
    free(o->message);
    o->message = NULL;
}

bool tuned_offer_has_ended(tuned_state *t, tuned_offering *o)
{
    int ended = 0;
    PMPI_Test(&o->request, &ended, MPI_STATUS_IGNORE);
    if (!ended)
        return false;
    if (o->stage == TUNED_ANNOUNCED && o->bytes) {
        make_room(o);
        return false;
    }
    if (o->stage == TUNED_MAKING_ROOM && o->room) {
        spread(o);
        return false;
    }
    end(t, o);
    return true;
}

void tuned_offer_let_go(tuned_state *t, tuned_context *x, bool failed)
{
    x->held = false;
    if (failed)
        give_up(x);
    else
        begin(t, x);
}
