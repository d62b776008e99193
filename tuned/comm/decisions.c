/* Decisions are found by operation, root and class of size; an answer may hold for many classes. */
#include "tuned/comm/decisions.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selection/size_class.h"
#include "tables/force.h"
#include "tuned/comm/state.h"
#include "tuned/environment.h"

/* ---- keys ---- */

uint64_t tuned_hash(const size_t *sizes, int n)
{
    uint64_t hash = (uint64_t)n;
    for (int i = 0; i < n; i++)
        hash = cpm_hash_mix(hash, sizes[i]);
    return hash | 1; /* 0 stands for none */
}

static uint64_t key_of(const cpm_request *r, uint64_t sizes)
{
    uint64_t operation = (uint64_t)(r->operation - cpm_operations);
    uint64_t place = (uint64_t)r->begun << 56 | operation << 48 | (uint64_t)r->combining << 41 |
                     (uint64_t)r->ordered << 40 | (uint64_t)(unsigned)r->root;
    return cpm_hash_mix(cpm_hash_mix(0, place),
                        sizes ? sizes : cpm_size_class_plain(r->bytes).most) |
           1;
}

static bool covers(const tuned_decision *d, const cpm_request *r, uint64_t sizes)
{
    return d->operation == r->operation && (d->root < 0 || d->root == r->root) &&
           d->ordered == r->ordered && d->combining == r->combining && d->nonblocking == r->begun &&
           (d->sizes ? d->sizes == sizes
                     : d->choice.least <= r->bytes && r->bytes <= d->choice.most);
}

/* ---- the index ---- */

/* What a call may go by: who waits for all that was told up to it knows that, too, which others may
 * have begun without. */
typedef enum { HOLDS, TOLD } answer;

static bool is_answer(const tuned_decision *d, const cpm_request *r, uint64_t sizes, long call,
                      answer which)
{
    return (which == HOLDS ? d->from : d->call) <= call && covers(d, r, sizes);
}

static tuned_decision *look_at(const tuned_decisions *d, uint64_t key, const cpm_request *r,
                               uint64_t sizes, long call, answer which)
{
    const cpm_slot *slot = cpm_hash_find(&d->by_call, key);
    while (slot && !is_answer(slot->pointer, r, sizes, call, which))
        slot = cpm_hash_next(&d->by_call, slot);
    return slot ? slot->pointer : NULL;
}

/* Without memory the decision is looked for in the list of all next time. */
static void add(tuned_decisions *d, uint64_t key, tuned_decision *decision)
{
    cpm_slot *slot = cpm_hash_add(&d->by_call, key);
    if (slot)
        slot->pointer = decision;
}

static tuned_decision *find_in_all(const tuned_decisions *d, const cpm_request *r, uint64_t sizes,
                                   long call, answer which)
{
    tuned_decision *at = d->all;
    while (at && !is_answer(at, r, sizes, call, which))
        at = at->next;
    return at;
}

static tuned_decision *find(const tuned_decisions *d, const cpm_request *r, uint64_t sizes,
                            long call, answer which)
{
    tuned_decision *found = sizes ? look_at(d, key_of(r, sizes), r, sizes, call, which) : NULL;
    if (!found)
        found = look_at(d, key_of(r, 0), r, sizes, call, which);
    return found ? found : find_in_all(d, r, sizes, call, which);
}

/* ---- deciding: rank 0 tells all ---- */

/* What is told, in one message: this, then the collective, then expected, whether there or not. */
typedef struct {
    long call;
    uint64_t stream;
    int operation; /* -1 - operation: nothing is decided in this call if it is one of these */
    int root;
    uint64_t sizes;
    size_t bytes, least, most;
    cpm_combining combining;
    bool ordered, begun, any_root, by_sizes, expected, later;
} told;

/* Of many communicators alike one has process 0 of the program. */
static bool has_process_0(const tuned_state *t)
{
    MPI_Group all, own;
    int first = 0, place = MPI_UNDEFINED;
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Comm_group(t->comm, &own);
    PMPI_Group_translate_ranks(all, 1, &first, own, &place);
    PMPI_Group_free(&all);
    PMPI_Group_free(&own);
    return place != MPI_UNDEFINED;
}

/* That no switches are known was said of the first that needs them (topology.c). */
static bool lacks_switches(const tuned_state *t, const cpm_request *r, const cpm_collective *what)
{
    const cpm_collective *first = tuned_hints_selector(t)->on_topology;
    return !r->topology && cpm_needs_topology(what) && first && first->operation == what->operation;
}

/* It may also be that the graph of the communicator is none that CPM takes. */
static int allows(const cpm_request *r, const cpm_collective *what, cpm_error *e)
{
    if (!cpm_operation_is_of_neighbours(r->operation) || r->neighbours)
        return cpm_request_allows(r, what, e);
    return cpm_fail(e, CPM_EINVAL,
                    "%s of %d processes: one sends nothing, or receives nothing, or has more "
                    "neighbours than there are processes, or there are too many edges%s",
                    r->operation->name, r->n,
                    cpm_operation_ends_know_sizes(r->operation)
                        ? ", or two from one process to the same other one"
                        : "");
}

/* Rank 0, once for each operation. */
static void say_refused(const tuned_state *t, const cpm_request *r, const cpm_collective *what)
{
    static atomic_bool said[CPM_OPERATIONS];
    const char *force = tuned_environment_get()->force;
    const char *name = r->operation->name;
    cpm_error why = {0};
    if (lacks_switches(t, r, what) || !has_process_0(t) || allows(r, what, &why) == CPM_OK ||
        atomic_exchange(&said[r->operation - cpm_operations], true))
        return;
    if (cpm_forced_names(force, r->operation, false))
        fprintf(stderr, "cpm: --force (CPM_FORCE): %s; MPI's own %s is used there\n", why.text,
                name);
    else
        fprintf(stderr, "cpm: info key cpm_%s: %s; MPI's own %s is used there\n", name, why.text,
                name);
}

static void choose(tuned_state *t, const cpm_request *r, cpm_choice *out)
{
    cpm_error e = {0};
    if (t->on_device) { /* only MPI's own routine can read it, or knows how to */
        *out = (cpm_choice){.least = r->bytes, .most = r->bytes};
        return;
    }
    cpm_selector *s = tuned_hints_selector(t);
    cpm_request asked = *r;
    asked.named = t->hints.named;
    asked.named_count = t->hints.named_count;
    if (s && s->choose(s, &asked, out, &e) == CPM_OK) {
        if (out->refused)
            say_refused(t, &asked, out->refused);
        out->refused = NULL;
        return;
    }
    *out = (cpm_choice){.least = r->bytes, .most = r->bytes};
    if (e.code)
        tuned_warn(e.text);
}

bool tuned_lacks_graph(const tuned_state *t, const cpm_operation *o)
{
    return cpm_operation_is_of_neighbours(o) && !t->checked &&
           (t->lonely || (!t->neighbours && !t->native));
}

void tuned_say_graph_is_lacking(tuned_state *t, const cpm_operation *o)
{
    const cpm_request r = {.operation = o, .n = t->n};
    cpm_choice unused = {0};
    if (t->rank != 0 || t->graph_is_lacking || t->adapt)
        return;
    t->graph_is_lacking = true;
    choose(t, &r, &unused);
    cpm_choice_clear(&unused);
}

/* Parts of a message to n processes. */
typedef struct {
    told *head;
    void *collective;
    double *expected; /* [n] */
} message;

static size_t message_bytes(int n)
{
    return sizeof(told) + cpm_collective_packed_bytes(n) + (size_t)n * sizeof(double);
}

static message message_in(void *bytes, int n)
{
    char *collective = (char *)bytes + sizeof(told);
    return (message){bytes, collective, (double *)(collective + cpm_collective_packed_bytes(n))};
}

static void write_message(const cpm_choice *c, const tuned_state *t, const cpm_request *r,
                          uint64_t sizes, bool later, const message *m)
{
    const cpm_collective what = cpm_request_collective(r, &c->what);
    *m->head = (told){.call = t->call,
                      .stream = t->stream,
                      .operation = (int)(r->operation - cpm_operations),
                      .root = r->root,
                      .ordered = r->ordered,
                      .begun = r->begun,
                      .combining = r->combining,
                      .sizes = sizes,
                      .bytes = r->bytes,
                      .least = c->least,
                      .most = c->most,
                      .any_root = c->any_root,
                      .by_sizes = c->by_sizes,
                      .expected = c->expected,
                      .later = later};
    cpm_collective_pack(&what, m->collective);
    if (c->expected)
        memcpy(m->expected, c->expected, (size_t)t->n * sizeof *m->expected);
}

/* The room for an array becomes the choice's own, filled, or stays. */
static void *take(void **room, const void *from, size_t bytes)
{
    void *taken = from ? *room : NULL;
    if (taken) {
        memcpy(taken, from, bytes);
        *room = NULL;
    }
    return taken;
}

static void read_message(const message *m, tuned_room *room, size_t n, cpm_choice *c)
{
    const told *head = m->head;
    cpm_collective_unpack(m->collective, &c->what);
    c->what.at.mapping = take(&room->mapping, c->what.at.mapping, n * sizeof(int));
    c->what.at.parent = take(&room->parent, c->what.at.parent, n * sizeof(int));
    c->expected =
        take(&room->expected, head->expected ? m->expected : NULL, n * sizeof *c->expected);
    c->least = head->least;
    c->most = head->most;
    c->any_root = head->any_root;
    c->by_sizes = head->by_sizes;
}

/* ---- room ---- */

static bool have(void **at, size_t bytes)
{
    if (!*at)
        *at = calloc(1, bytes);
    return *at;
}

/* What was used is replaced, now or, without memory, the next time. */
static bool renew_room(tuned_room *room, int n)
{
    size_t ranks = (size_t)n;
    void *decision = room->decision;
    bool all = have(&decision, sizeof(tuned_decision));
    room->decision = decision;
    all = have(&room->mapping, ranks * sizeof(int)) && all;
    all = have(&room->parent, ranks * sizeof(int)) && all;
    all = have(&room->expected, ranks * sizeof(double)) && all;
    return have(&room->message, message_bytes(n)) && all;
}

bool tuned_decisions_prepare(tuned_decisions *d, int n)
{
    return renew_room(&d->room, n);
}

static void free_room(tuned_room *room)
{
    free(room->decision);
    free(room->mapping);
    free(room->parent);
    free(room->expected);
    free(room->message);
}

/* ---- what was decided ---- */

static void remember(tuned_state *t, const cpm_request *r, uint64_t sizes, tuned_decision *d)
{
    d->operation = r->operation;
    d->choice.what.at.hosts = tuned_state_hosts(t);
    d->choice.what.at.topology = t->topology;
    d->choice.what.at.neighbours = t->neighbours;
    d->sizes = d->choice.by_sizes ? sizes : 0;
    d->root = d->choice.any_root && !d->sizes ? -1 : r->root;
    d->ordered = r->ordered;
    d->nonblocking = r->begun;
    d->combining = r->combining;
    d->next = t->decisions.all;
    t->decisions.all = d;
    t->decisions.made++;
    add(&t->decisions, key_of(r, d->sizes), d);
}

/* Rank 0, once for a call: what it is not able to decide. */
static void tell_nothing(tuned_state *t, const cpm_operation *o, long call)
{
    const int which = (int)(o - cpm_operations);
    const told nothing = {.call = call, .operation = -1 - which};
    if (t->nothing[which] == call)
        return;
    t->nothing[which] = call;
    tuned_notify(t, TUNED_TAG_DECISION, &nothing, sizeof nothing);
}

/* Rank 0 decides and tells all. */
static tuned_decision *decide(tuned_state *t, const cpm_request *r, uint64_t sizes, bool later)
{
    tuned_room *room = &t->decisions.room;
    tuned_decision *d = room->decision;
    if (!d) {
        tell_nothing(t, r->operation, t->call);
        return NULL;
    }
    const message m = message_in(room->message, t->n);
    choose(t, r, &d->choice);
    write_message(&d->choice, t, r, sizes, later, &m);
    tuned_notify(t, TUNED_TAG_DECISION, room->message, message_bytes(t->n));
    room->decision = NULL;
    d->call = t->call;
    d->from = later ? LONG_MAX : t->call;
    d->stream = t->stream;
    remember(t, r, sizes, d);
    return d;
}

/* That rank 0 decides nothing in a call: what it tells in that call may follow. */
static void hear_nothing(tuned_state *t, const told *head)
{
    if (head->call <= t->since)
        return;
    t->nothing[-1 - head->operation] = head->call;
    if (t->decisions.heard < head->call - 1)
        t->decisions.heard = head->call - 1;
}

/* Hears what rank 0 tells next, and in which call; NULL: no decision. */
static tuned_decision *hear(tuned_state *t, long *call)
{
    tuned_room *room = &t->decisions.room;
    const message m = message_in(room->message, t->n);
    bool possible = renew_room(room, t->n);
    tuned_take_notice(t, 0, TUNED_TAG_DECISION, room->message, message_bytes(t->n));
    *call = m.head->call;
    if (m.head->operation < 0) {
        hear_nothing(t, m.head);
        return NULL;
    }
    t->decisions.heard = m.head->call;
    if (m.head->call <= t->since || !possible)
        return NULL;
    const cpm_request asked = {.operation = &cpm_operations[m.head->operation],
                               .n = t->n,
                               .root = m.head->root,
                               .bytes = m.head->bytes,
                               .ordered = m.head->ordered,
                               .begun = m.head->begun,
                               .combining = m.head->combining};
    tuned_decision *d = room->decision;
    room->decision = NULL;
    read_message(&m, room, (size_t)t->n, &d->choice);
    d->call = m.head->call;
    d->from = m.head->later ? LONG_MAX : m.head->call;
    d->stream = m.head->stream;
    remember(t, &asked, m.head->sizes, d);
    renew_room(room, t->n);
    return d;
}

/* Ranks that differ in what they ask for, which is an error of the program, do what rank 0 asked
 * for, if it is of the same kind. */
static bool serves(const tuned_decision *d, const cpm_request *r)
{
    return d && d->operation == r->operation && d->ordered == r->ordered &&
           d->nonblocking == r->begun && (d->root < 0 || d->root == r->root);
}

/* How far the sizes of a decision are from that of a call; infinite: it is not of its kind. */
static double distance(const tuned_decision *d, const cpm_request *r)
{
    if (d->sizes || !serves(d, r))
        return INFINITY;
    if (r->bytes < d->choice.least)
        return (double)(d->choice.least - r->bytes);
    return r->bytes > d->choice.most ? (double)(r->bytes - d->choice.most) : 0;
}

/* native: it may be for MPI's own routine. */
static tuned_decision *nearest(const tuned_decisions *all, const cpm_request *r, bool native)
{
    tuned_decision *best = NULL;
    for (tuned_decision *d = all->all; d; d = d->next)
        if ((native || d->choice.what.algorithm) &&
            distance(d, r) < (best ? distance(best, r) : INFINITY))
            best = d;
    return best;
}

/* Whether a rank makes this call by a decision that was told before, though this one knows of none
 * and has heard all: they differ in what they ask for. */
static bool others_differ(const tuned_state *t)
{
    return (!t->refused || t->decisions.heard > t->refused) &&
           tuned_has_notice(t, MPI_ANY_SOURCE, tuned_tag(t, false));
}

/* Waits for what rank 0 tells next; false: nothing, as others differ. */
static bool is_told(const tuned_state *t)
{
    bool differ = false;
    while (!tuned_has_notice(t, 0, TUNED_TAG_DECISION)) {
        if (differ)
            return false;
        differ = others_differ(t);
        sched_yield();
    }
    return true;
}

/* A rank that refused a call which others made is behind by one: what rank 0 tells in its number is
 * of that call, or what serves it has a later number. From then on it counts as rank 0 does. */
static void catch_up(tuned_state *t, const tuned_decision *d, const cpm_request *r, uint64_t sizes)
{
    if (!t->behind || d->call < t->call)
        return;
    if (covers(d, r, sizes))
        t->call = d->call;
    else if (!serves(d, r))
        t->call = d->call + 1;
}

/* Rank 0 told nothing in this call if what comes next is of a later one: it knew a decision. */
static tuned_decision *hear_up_to(tuned_state *t, const cpm_request *r, uint64_t sizes, long call,
                                  tuned_decision *near)
{
    const bool now = call == t->call;
    const long *nothing = &t->nothing[r->operation - cpm_operations];
    tuned_decision *d = NULL;
    long of = 0;
    while (t->decisions.heard < call && *nothing != call) {
        if (near && !is_told(t))
            return near;
        d = hear(t, &of);
        if (d && now)
            catch_up(t, d, r, sizes);
        call = now ? t->call : call;
        if (d && d->call <= call && covers(d, r, sizes))
            return d;
    }
    if (*nothing == call)
        return NULL;
    if ((t->decisions.heard > call || of > call) && near)
        return nearest(&t->decisions, r, true);
    return d && d->call == call && serves(d, r) ? d : NULL;
}

static tuned_decision *learn(tuned_state *t, const cpm_request *r, uint64_t sizes, long call)
{
    double start = PMPI_Wtime();
    /* What is decided for later calls is none that others may be making already. */
    const bool made = call == t->call && !r->begun;
    tuned_decision *d = NULL, *near = made ? nearest(&t->decisions, r, false) : NULL;
    renew_room(&t->decisions.room, t->n);
    if (t->rank != 0)
        d = hear_up_to(t, r, sizes, call, near);
    else if (t->nothing[r->operation - cpm_operations] == call)
        d = NULL;
    else if (near && others_differ(t))
        d = near;
    else if (call == t->call)
        d = decide(t, r, sizes, false);
    t->decisions.deciding += PMPI_Wtime() - start;
    return d;
}

void tuned_decide_nothing(tuned_state *t, const cpm_operation *o)
{
    if (t->rank == 0)
        tell_nothing(t, o, t->call + 1);
}

void tuned_decide_for_later(tuned_state *t, const cpm_request *r)
{
    const double start = PMPI_Wtime();
    renew_room(&t->decisions.room, t->n);
    if (!find(&t->decisions, r, 0, LONG_MAX, TOLD) &&
        t->nothing[r->operation - cpm_operations] != t->call)
        decide(t, r, 0, true);
    t->decisions.deciding += PMPI_Wtime() - start;
}

tuned_decision *tuned_decided_for_later(tuned_state *t, const cpm_request *r, long call)
{
    const long *nothing = &t->nothing[r->operation - cpm_operations];
    tuned_decision *d = find(&t->decisions, r, 0, LONG_MAX, TOLD);
    while (!d && t->rank != 0 && t->decisions.heard < call && *nothing != call) {
        long of = 0;
        hear(t, &of);
        d = find(&t->decisions, r, 0, LONG_MAX, TOLD);
    }
    return d;
}

tuned_decision *tuned_find(const tuned_decisions *d, const cpm_request *r, uint64_t sizes,
                           long call)
{
    return find(d, r, sizes, call, HOLDS);
}

static tuned_decision *look_up(tuned_state *t, const cpm_request *r, uint64_t sizes, long call)
{
    tuned_decisions *all = &t->decisions;
    tuned_decision *d = look_at(all, key_of(r, sizes), r, sizes, call, TOLD);
    if (d)
        return d;
    d = find(all, r, sizes, call, TOLD);
    if (!d)
        return learn(t, r, sizes, call);
    if (!look_at(all, key_of(r, d->sizes), r, sizes, call, TOLD))
        add(all, key_of(r, d->sizes), d);
    return d;
}

tuned_decision *tuned_decide(tuned_state *t, const cpm_request *r, uint64_t sizes_hash, long call)
{
    size_t operation = (size_t)(r->operation - cpm_operations);
    tuned_decisions *all = &t->decisions;
    if (all->last[operation].decision && all->last[operation].bytes == r->bytes &&
        all->last[operation].root == r->root && all->last[operation].ordered == r->ordered &&
        all->last[operation].combining == r->combining && all->last[operation].begun == r->begun &&
        !sizes_hash)
        return all->last[operation].decision;
    tuned_decision *d = look_up(t, r, sizes_hash, call);
    if (d && !sizes_hash && covers(d, r, 0)) {
        all->last[operation].bytes = r->bytes;
        all->last[operation].root = r->root;
        all->last[operation].ordered = r->ordered;
        all->last[operation].combining = r->combining;
        all->last[operation].begun = r->begun;
        all->last[operation].decision = d;
    }
    return d;
}

void tuned_decisions_forget(tuned_decisions *d)
{
    for (int op = 0; op < CPM_OPERATIONS; op++)
        tuned_counts_clear(&d->undecided[op].counts);
    for (tuned_decision *at = d->all, *next; at; at = next) {
        next = at->next;
        tuned_counts_clear(&at->counts);
        tuned_plans_clear(&at->plans);
        cpm_choice_clear(&at->choice);
        free(at);
    }
    cpm_hash_free(&d->by_call);
    *d = (tuned_decisions){.room = d->room};
}

void tuned_decisions_clear(tuned_decisions *d)
{
    tuned_decisions_forget(d);
    free_room(&d->room);
    d->room = (tuned_room){0};
}
