/* Decisions are found by operation, root and class of size; an answer may hold for many classes. */
#include "tuned/decisions.h"

#include <stdlib.h>
#include <string.h>

#include "selection/size_class.h"
#include "tuned/environment.h"
#include "tuned/state.h"
#include "tuned/told.h"

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
    uint64_t place = operation << 48 | (uint64_t)r->ordered << 40 | (uint64_t)(unsigned)r->root;
    return cpm_hash_mix(cpm_hash_mix(0, place),
                        sizes ? sizes : cpm_size_class_plain(r->bytes).most) |
           1;
}

static bool covers(const tuned_decision *d, const cpm_request *r, uint64_t sizes)
{
    return d->operation == r->operation && (d->root < 0 || d->root == r->root) &&
           d->ordered == r->ordered &&
           (d->sizes ? d->sizes == sizes
                     : d->choice.least <= r->bytes && r->bytes <= d->choice.most);
}

/* ---- the index ---- */

static tuned_decision *look_at(const tuned_decisions *d, uint64_t key, const cpm_request *r,
                               uint64_t sizes)
{
    const cpm_slot *slot = cpm_hash_find(&d->by_call, key);
    while (slot && !covers(slot->pointer, r, sizes))
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

static tuned_decision *find_in_all(const tuned_decisions *d, const cpm_request *r, uint64_t sizes)
{
    tuned_decision *at = d->all;
    while (at && !covers(at, r, sizes))
        at = at->next;
    return at;
}

/* ---- deciding: rank 0 tells all ---- */

/* What is told, in one message: this, then the collective, then expected, whether there or not. */
typedef struct {
    size_t least, most;
    bool any_root, by_sizes, expected;
} told;

static void choose(tuned_state *t, const cpm_request *r, cpm_choice *out)
{
    cpm_error e = {0};
    if (t->selector && t->selector->choose(t->selector, r, out, &e) == CPM_OK)
        return;
    *out = (cpm_choice){.least = r->bytes, .most = r->bytes};
    if (e.code)
        tuned_warn(e.text);
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
                          const message *m)
{
    const cpm_collective what = cpm_request_collective(r, &c->what);
    *m->head = (told){.least = c->least,
                      .most = c->most,
                      .any_root = c->any_root,
                      .by_sizes = c->by_sizes,
                      .expected = c->expected};
    cpm_collective_pack(&what, m->collective);
    if (c->expected)
        memcpy(m->expected, c->expected, (size_t)t->n * sizeof *m->expected);
}

/* The array is the choice's own from now on: c keeps it, filled, or frees it. */
static void take(void **own, const void *from, size_t bytes)
{
    if (from)
        memcpy(*own, from, bytes);
    else {
        free(*own);
        *own = NULL;
    }
}

/* Arrays that rank 0 may fill. */
typedef struct {
    void *mapping, *parent, *expected;
} arrays;

static void read_message(const message *m, arrays own, size_t n, cpm_choice *c)
{
    const told *head = m->head;
    cpm_collective_unpack(m->collective, &c->what);
    take(&own.mapping, c->what.at.mapping, n * sizeof(int));
    take(&own.parent, c->what.at.parent, n * sizeof(int));
    take(&own.expected, head->expected ? m->expected : NULL, n * sizeof(double));
    c->what.at.mapping = own.mapping;
    c->what.at.parent = own.parent;
    c->expected = own.expected;
    c->least = head->least;
    c->most = head->most;
    c->any_root = head->any_root;
    c->by_sizes = head->by_sizes;
}

/* Rank 0 has decided, the others hear it. */
static void tell(const tuned_state *t, const cpm_request *r, void *bytes, arrays own, cpm_choice *c)
{
    const message m = message_in(bytes, t->n);
    if (t->rank == 0)
        write_message(c, t, r, &m);
    PMPI_Bcast(bytes, (int)message_bytes(t->n), MPI_BYTE, 0, t->comm);
    if (t->rank != 0)
        read_message(&m, own, (size_t)t->n, c);
}

/* Space for what rank 0 may say. */
static bool allocate(const tuned_state *t, arrays *own)
{
    size_t n = (size_t)t->n;
    if (t->rank == 0)
        return true;
    own->mapping = malloc(n * sizeof(int));
    own->parent = malloc(n * sizeof(int));
    own->expected = malloc(n * sizeof(double));
    return own->mapping && own->parent && own->expected;
}

static void free_arrays(arrays *own)
{
    free(own->mapping);
    free(own->parent);
    free(own->expected);
}

static tuned_decision *decide(tuned_state *t, const cpm_request *r, uint64_t sizes)
{
    double start = PMPI_Wtime();
    tuned_decision *d = calloc(1, sizeof *d);
    arrays own = {0};
    void *bytes = malloc(message_bytes(t->n));
    if (!tuned_all(t->comm, d && bytes && allocate(t, &own))) {
        free_arrays(&own);
        free(d);
        free(bytes);
        return NULL;
    }
    if (t->rank == 0)
        choose(t, r, &d->choice);
    tell(t, r, bytes, own, &d->choice);
    free(bytes);
    if (d->choice.what.algorithm && !tuned_state_open_inside(t))
        d->choice.what.algorithm = NULL;
    d->operation = r->operation;
    d->sizes = d->choice.by_sizes ? sizes : 0;
    d->root = d->choice.any_root && !d->sizes ? -1 : r->root;
    d->ordered = r->ordered;
    d->smallest = SIZE_MAX;
    d->expected = d->choice.expected ? 0 : -1;
    d->next = t->decisions.all;
    t->decisions.all = d;
    t->decisions.made++;
    t->decisions.deciding += PMPI_Wtime() - start;
    return d;
}

tuned_decision *tuned_find(const tuned_decisions *d, const cpm_request *r, uint64_t sizes)
{
    tuned_decision *found = sizes ? look_at(d, key_of(r, sizes), r, sizes) : NULL;
    if (!found)
        found = look_at(d, key_of(r, 0), r, sizes);
    return found ? found : find_in_all(d, r, sizes);
}

static tuned_decision *look_up(tuned_state *t, const cpm_request *r, uint64_t sizes)
{
    tuned_decision *d = look_at(&t->decisions, key_of(r, sizes), r, sizes);
    if (d)
        return d;
    d = tuned_find(&t->decisions, r, sizes);
    if (!d)
        d = decide(t, r, sizes);
    if (d && !look_at(&t->decisions, key_of(r, d->sizes), r, sizes))
        add(&t->decisions, key_of(r, d->sizes), d);
    return d;
}

tuned_decision *tuned_decide(tuned_state *t, const cpm_request *r, uint64_t sizes_hash)
{
    size_t operation = (size_t)(r->operation - cpm_operations);
    tuned_decisions *all = &t->decisions;
    if (all->last[operation].decision && all->last[operation].bytes == r->bytes &&
        all->last[operation].root == r->root && all->last[operation].ordered == r->ordered &&
        !sizes_hash)
        return all->last[operation].decision;
    tuned_decision *d = look_up(t, r, sizes_hash);
    if (d && !sizes_hash) {
        all->last[operation].bytes = r->bytes;
        all->last[operation].root = r->root;
        all->last[operation].ordered = r->ordered;
        all->last[operation].decision = d;
    }
    return d;
}

void tuned_decisions_clear(tuned_decisions *d)
{
    for (tuned_decision *at = d->all, *next; at; at = next) {
        next = at->next;
        tuned_plans_clear(&at->plans);
        cpm_choice_clear(&at->choice);
        free(at);
    }
    tuned_told_clear(d->told);
    cpm_hash_free(&d->by_call);
    *d = (tuned_decisions){0};
}
