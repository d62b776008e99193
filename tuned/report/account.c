/* All that was observed comes to process 0, from one process after the other: that needs memory for
 * one of them, and for what is different. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "tuned/members.h"
#include "tuned/report/observed_parts.h"

enum { TAG = 1 };

static tuned_observations *const here = &tuned_observations_here;

/* A message: this, the kinds of calls, what CPM does not take, then each group of which the sender
 * is rank 0: id, n, and n processes. */
typedef struct {
    int64_t good, count, others, groups, left_out;
    double seconds, collectives;
} head;

typedef struct {
    char *at;
    size_t size, next; /* bytes, and those that are written or read */
} buffer;

static void put(buffer *b, const void *from, size_t bytes)
{
    if (bytes)
        memcpy(b->at + b->next, from, bytes);
    b->next += bytes;
}

static void take(buffer *b, void *to, size_t bytes)
{
    if (bytes)
        memcpy(to, b->at + b->next, bytes);
    b->next += bytes;
}

/* ---- what a process says */

static size_t bytes_of_group(const tuned_group *g)
{
    return sizeof g->id + sizeof g->n + (size_t)g->n * sizeof *g->process;
}

/* Calls each with the groups that this process tells. */
static void each_own_group(void (*each)(void *context, const tuned_group *g), void *context)
{
    for (size_t k = 0; k < here->groups.capacity; k++) {
        const tuned_group *g = here->groups.slot[k].key ? here->groups.slot[k].pointer : NULL;
        if (g && g->mine)
            each(context, g);
    }
}

static void count_group(void *context, const tuned_group *g)
{
    *(size_t *)context += bytes_of_group(g);
}

static void put_group(void *context, const tuned_group *g)
{
    buffer *b = context;
    head *h = (head *)(void *)b->at;
    h->groups++;
    put(b, &g->id, sizeof g->id);
    put(b, &g->n, sizeof g->n);
    put(b, g->process, (size_t)g->n * sizeof *g->process);
}

static size_t bytes_to_say(void)
{
    size_t bytes = sizeof(head) + (size_t)here->count * sizeof *here->at +
                   (size_t)here->other_count * sizeof *here->other_functions;
    each_own_group(count_group, &bytes);
    return bytes;
}

/* Sums of one process become its part of those of all. */
static tuned_observed part_of(const tuned_observed *o, int process)
{
    tuned_observed part = *o;
    double n = (double)o->calls;
    part.processes = 1;
    part.all = o->calls;
    part.least = part.most = o->seconds / n;
    part.least_at = part.most_at = process;
    if (o->calls > 1)
        part.variance = (o->squares - o->seconds * o->seconds / n) / (n - 1);
    part.variance = part.variance > 0 ? part.variance : 0;
    return part;
}

static void say(buffer *b)
{
    int process;
    PMPI_Comm_rank(here->inside, &process);
    const head h = {.good = 1,
                    .count = here->count,
                    .others = here->other_count,
                    .left_out = here->left_out,
                    .seconds = PMPI_Wtime() - here->begin,
                    .collectives = here->collectives};
    put(b, &h, sizeof h);
    for (int i = 0; i < here->count; i++) {
        const tuned_observed part = part_of(&here->at[i], process);
        put(b, &part, sizeof part);
    }
    put(b, here->other_functions, (size_t)here->other_count * sizeof *here->other_functions);
    each_own_group(put_group, b);
}

/* ---- what process 0 hears */

typedef struct {
    tuned_account *out;
    cpm_hash by_kind;
    bool failed;
} hearing;

static void hear_kind(hearing *x, const tuned_observed *o)
{
    tuned_account *a = x->out;
    tuned_observed *sum = tuned_observed_find(&x->by_kind, a->at, o);
    if (!sum) {
        x->failed = x->failed || !tuned_observed_add(&x->by_kind, &a->at, &a->count, o);
        return;
    }
    sum->processes += o->processes;
    sum->calls = o->calls > sum->calls ? o->calls : sum->calls;
    sum->all += o->all;
    sum->timed += o->timed;
    for (int k = 0; k < TUNED_GAPS; k++)
        sum->gaps[k] += o->gaps[k];
    sum->bytes += o->bytes;
    sum->seconds += o->seconds;
    sum->squares += o->squares;
    sum->between += o->between;
    sum->variance += o->variance;
    if (o->least < sum->least) {
        sum->least = o->least;
        sum->least_at = o->least_at;
    }
    if (o->most > sum->most) {
        sum->most = o->most;
        sum->most_at = o->most_at;
    }
}

static void hear_group(hearing *x, buffer *b)
{
    tuned_account *a = x->out;
    tuned_group g = {0};
    take(b, &g.id, sizeof g.id);
    take(b, &g.n, sizeof g.n);
    size_t bytes = (size_t)g.n * sizeof *g.process;
    g.process = malloc(bytes);
    if (!g.process || !cpm_vector_extend(&a->groups, a->group_count, sizeof *a->groups)) {
        free(g.process);
        b->next += bytes;
        x->failed = true;
        return;
    }
    take(b, g.process, bytes);
    a->groups[a->group_count++] = g;
}

static void hear_one(hearing *x, buffer *b)
{
    head h;
    tuned_observed o;
    b->next = 0;
    take(b, &h, sizeof h);
    x->failed = x->failed || !h.good;
    x->out->left_out = h.left_out > x->out->left_out ? h.left_out : x->out->left_out;
    x->out->seconds += h.seconds / x->out->n;
    x->out->collectives += h.collectives / x->out->n;
    for (int64_t i = 0; i < h.count; i++) {
        take(b, &o, sizeof o);
        hear_kind(x, &o);
    }
    for (int64_t i = 0; i < h.others; i++) {
        tuned_other other;
        take(b, &other, sizeof other);
        x->failed = !tuned_other_add(&x->out->others, &x->out->other_count, &other) || x->failed;
    }
    for (int64_t i = 0; i < h.groups; i++)
        hear_group(x, b);
}

/* ---- order */

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_size(const void *x, const void *y)
{
    const tuned_group *a = x, *b = y;
    int order = compare(b->n, a->n);
    for (int i = 0; i < a->n && !order; i++)
        order = compare(a->process[i], b->process[i]);
    return order;
}

static int by_kind(const void *x, const void *y)
{
    const tuned_observed *a = x, *b = y;
    int order = compare((int64_t)a->group, (int64_t)b->group);
    if (!order)
        order = compare(a->operation, b->operation);
    if (!order)
        order = compare(a->root, b->root);
    if (!order)
        order = compare(a->size, b->size);
    return order ? order : compare(a->by, b->by);
}

static int by_function(const void *x, const void *y)
{
    return strcmp(((const tuned_other *)x)->function, ((const tuned_other *)y)->function);
}

/* Groups get numbers in place of their hashes; what belongs to none, as process 0 of it had no room
 * for it, is left out. */
static bool number_groups(tuned_account *a)
{
    cpm_hash numbers = {0};
    bool good = true;
    if (a->group_count)
        qsort(a->groups, (size_t)a->group_count, sizeof *a->groups, by_size);
    for (int i = 0; i < a->group_count && good; i++) {
        cpm_slot *slot = cpm_hash_add(&numbers, a->groups[i].id);
        good = slot != NULL;
        if (slot)
            slot->index = i;
    }
    int kept = 0;
    for (int i = 0; i < a->count && good; i++) {
        const cpm_slot *slot = cpm_hash_find(&numbers, a->at[i].group);
        if (!slot) {
            a->left_out += a->at[i].calls;
            continue;
        }
        a->at[kept] = a->at[i];
        a->at[kept++].group = (uint64_t)slot->index;
    }
    a->count = kept;
    if (kept)
        qsort(a->at, (size_t)kept, sizeof *a->at, by_kind);
    cpm_hash_free(&numbers);
    return good;
}

/* ---- all */

static void hear_all(hearing *x, const buffer *own, buffer *b)
{
    b->at = memcpy(b->at, own->at, own->size);
    hear_one(x, b);
    for (int r = 1; r < x->out->n; r++) {
        PMPI_Recv(b->at, (int)b->size, MPI_BYTE, r, TAG, here->inside, MPI_STATUS_IGNORE);
        hear_one(x, b);
    }
}

/* Every process has something to say, if only that it has no memory. */
static bool have_said(buffer *own, head *nothing)
{
    own->size = bytes_to_say();
    own->at = own->size <= INT_MAX ? malloc(own->size) : NULL;
    if (own->at) {
        say(own);
        return true;
    }
    *own = (buffer){(char *)nothing, sizeof *nothing, 0};
    return false;
}

/* Process 0 makes room for the longest message; collective. */
static bool make_room(const buffer *own, int rank, buffer *b)
{
    int bytes = (int)own->size, most = 0;
    PMPI_Reduce(&bytes, &most, 1, MPI_INT, MPI_MAX, 0, here->inside);
    b->size = (size_t)most;
    b->at = rank == 0 ? malloc(b->size) : NULL;
    int good = b->at != NULL;
    PMPI_Bcast(&good, 1, MPI_INT, 0, here->inside);
    return good;
}

static bool exchange(tuned_account *out, int rank)
{
    head nothing = {0};
    buffer own = {0}, b = {0};
    hearing x = {.out = out};
    bool said = have_said(&own, &nothing), room = make_room(&own, rank, &b);
    if (room && rank == 0)
        hear_all(&x, &own, &b);
    else if (room)
        PMPI_Send(own.at, (int)own.size, MPI_BYTE, 0, TAG, here->inside);
    cpm_hash_free(&x.by_kind);
    free(b.at);
    if (said)
        free(own.at);
    return room && !x.failed;
}

static void forget(void)
{
    for (size_t k = 0; k < here->groups.capacity; k++)
        if (here->groups.slot[k].key) {
            tuned_group *g = here->groups.slot[k].pointer;
            free(g->process);
            free(g);
        }
    cpm_hash_free(&here->groups);
    cpm_hash_free(&here->by_kind);
    free(here->at);
    free(here->other_functions);
    here->other_functions = NULL;
    here->other_count = 0;
    PMPI_Comm_free(&here->inside);
}

int tuned_account_make(tuned_account *out, cpm_error *e)
{
    int rank;
    tuned_members who = {0};
    *out = (tuned_account){0};
    PMPI_Comm_rank(here->inside, &rank);
    PMPI_Comm_size(here->inside, &out->n);
    bool good = tuned_members_find(here->inside, false, &who, NULL) == CPM_OK;
    out->hosts = who.names;
    good = exchange(out, rank) && good;
    if (good && rank == 0)
        good = number_groups(out);
    if (good && out->other_count)
        qsort(out->others, (size_t)out->other_count, sizeof *out->others, by_function);
    forget();
    if (good || rank != 0)
        return CPM_OK;
    tuned_account_clear(out);
    return cpm_no_memory(e);
}

void tuned_account_clear(tuned_account *a)
{
    for (int i = 0; i < a->group_count; i++)
        free(a->groups[i].process);
    free(a->groups);
    free(a->at);
    free(a->others);
    free(a->hosts);
    *a = (tuned_account){.n = a->n};
}
