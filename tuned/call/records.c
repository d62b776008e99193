#include "tuned/call/records.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuned/attribute.h"
#include "tuned/comm/progress.h"

static const double patience = 2; /* seconds that an end waits for others */

/* A call of which not all ranks have said something. */
typedef struct open_call {
    struct open_call *next;
    long number;
    int come;
    const tuned_record *first; /* of these, that came first */
    tuned_record *of[];        /* [n] NULL: it has not come */
} open_call;

typedef struct tuned_records {
    tuned_state *state;
    uint64_t stream;
    bool told_end;
    bool left; /* its communicator has ended, but not that of all ranks */
    struct tuned_records *previous, *next; /* all of the process */
    /* At rank 0: */
    bool listens, looking;
    bool named;  /* a difference was named: what comes is of no use */
    int ends;    /* ranks that have come to the end */
    long *made;  /* [n] number of the last call that was heard of */
    bool *ended; /* [n] */
    open_call *open;
    tuned_record *coming; /* what request receives, from a rank that has sent it */
    MPI_Request request;
} tuned_records;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tuned_records *all;
static bool watching, ending;

/* ---- what is said ---- */

static void name_difference(tuned_records *x, const tuned_record *r, const tuned_record *other,
                            const char *why)
{
    char name[TUNED_CALL_NAME] = "";
    if (!tuned_calls_differ(&r->said, &other->said))
        tuned_said_call(&r->said, name);
    fprintf(stderr, "cpm: %s%snonblocking call %ld on its communicator: %s (CPM_CHECK)\n", name,
            *name ? ", " : "", r->number, why);
    x->named = true;
}

/* A rank that has come to the end makes no more calls. */
static void compare_numbers(tuned_records *x)
{
    const long own = x->made[0];
    for (int r = 1; r < x->state->n && !x->named; r++)
        if ((x->ended[r] && x->made[r] < own) || (x->ended[0] && x->made[r] > own)) {
            fprintf(stderr,
                    "cpm: rank %d has made %ld nonblocking calls on its communicator, rank 0 "
                    "%ld (CPM_CHECK)\n",
                    r, x->made[r], own);
            x->named = true;
        }
}

/* ---- comparing ---- */

static void free_call(open_call *c, int n)
{
    for (int r = 0; r < n; r++)
        free(c->of[r]);
    free(c);
}

static void forget_calls(tuned_records *x)
{
    for (open_call *c = x->open, *next; c; c = next) {
        next = c->next;
        free_call(c, x->state->n);
    }
    x->open = NULL;
}

/* NULL: no memory. */
static open_call **place_of(tuned_records *x, long number)
{
    open_call **at = &x->open;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    if (!*at)
        *at = calloc(1, sizeof **at + (size_t)x->state->n * sizeof *(*at)->of);
    if (*at)
        (*at)->number = number;
    return *at ? at : NULL;
}

static bool differs_from(const tuned_record *r, const tuned_record *other, int n,
                         char why[TUNED_DIFFERENCE])
{
    return r->rank > other->rank ? tuned_records_differ(r, other, n, why)
                                 : tuned_records_differ(other, r, n, why);
}

static void compare(tuned_records *x, const open_call *c, const tuned_record *r)
{
    char why[TUNED_DIFFERENCE];
    const bool pairs = tuned_record_is_of_pairs(c->first);
    if (r->kind == TUNED_RECORD_KNOWN && tuned_said_differs_itself(&r->said, r->rank, why))
        name_difference(x, r, r, why);
    for (int k = 0; k < x->state->n && !x->named; k++) {
        const tuned_record *other = c->of[k];
        if (other && (pairs || other == c->first) && differs_from(r, other, x->state->n, why))
            name_difference(x, r, other, why);
    }
}

static void add(tuned_records *x, tuned_record *r)
{
    open_call **at = place_of(x, r->number);
    if (!at) {
        free(r);
        return;
    }
    open_call *c = *at;
    if (!c->first)
        c->first = r;
    compare(x, c, r);
    c->of[r->rank] = r;
    if (++c->come == x->state->n) {
        *at = c->next;
        free_call(c, x->state->n);
    }
}

/* r is the caller's. */
static void hear(tuned_records *x, const tuned_record *r)
{
    if (r->stream != x->stream)
        return;
    x->made[r->rank] = r->number;
    if (r->kind == TUNED_RECORD_END) {
        x->ended[r->rank] = true;
        x->ends++;
    }
    tuned_record *copy =
        x->named || r->kind == TUNED_RECORD_END ? NULL : malloc(tuned_record_bytes(r));
    if (copy)
        add(x, memcpy(copy, r, tuned_record_bytes(r)));
    compare_numbers(x);
    if (x->named)
        forget_calls(x);
}

/* ---- messages ---- */

/* Begins to receive what is there, from whoever has sent it. */
static bool receive(tuned_records *x)
{
    const tuned_state *t = x->state;
    MPI_Status status;
    int there = 0, bytes;
    PMPI_Iprobe(MPI_ANY_SOURCE, TUNED_TAG_RECORD, t->inside, &there, &status);
    if (!there)
        return false;
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    PMPI_Irecv(x->coming, bytes, MPI_BYTE, status.MPI_SOURCE, TUNED_TAG_RECORD, t->inside,
               &x->request);
    return true;
}

/* A long message may take until its sender is in MPI again: nobody waits for it. */
static void look(tuned_records *x)
{
    int come = 1;
    if (!x->listens || x->looking)
        return;
    x->looking = true;
    while (come && (x->request != MPI_REQUEST_NULL || receive(x))) {
        PMPI_Test(&x->request, &come, MPI_STATUS_IGNORE);
        if (come)
            hear(x, x->coming);
    }
    x->looking = false;
}

void tuned_records_look(tuned_state *t)
{
    if (t->records)
        look(t->records);
}

/* MPI may be called on the way, which looks for what has come. */
static void tell(tuned_records *x, tuned_record *r)
{
    tuned_state *t = x->state;
    r->stream = x->stream;
    r->number = t->compared;
    r->rank = t->rank;
    if (t->rank != 0)
        tuned_notify_rank(t, 0, TUNED_TAG_RECORD, r, tuned_record_bytes(r));
    else if (x->listens)
        hear(x, r);
}

void tuned_records_give(tuned_state *t, tuned_record *r)
{
    tuned_record unknown = {.kind = TUNED_RECORD_UNKNOWN};
    tuned_records_begin(t);
    t->compared++;
    if (t->records) {
        tell(t->records, r ? r : &unknown);
        look(t->records);
    }
    free(r);
}

/* ---- the end ---- */

static void tell_end(tuned_records *x)
{
    tuned_record end = {.kind = TUNED_RECORD_END};
    if (!x->told_end)
        tell(x, &end);
    x->told_end = true;
}

static void wait_for_ends(tuned_records *x, double start)
{
    while (x->listens && x->ends < x->state->n && PMPI_Wtime() - start < patience) {
        look(x);
        sched_yield();
    }
}

static void stop(tuned_records *x)
{
    if (!x->listens)
        return;
    x->listens = false;
    if (x->state->progresses)
        tuned_progress_want(-1);
    PMPI_Wait(&x->request, MPI_STATUS_IGNORE);
}

static void leave(const tuned_records *x)
{
    pthread_mutex_lock(&lock);
    if (x->previous)
        x->previous->next = x->next;
    else
        all = x->next;
    if (x->next)
        x->next->previous = x->previous;
    pthread_mutex_unlock(&lock);
}

static void drop(tuned_records *x)
{
    tuned_state *t = x->state;
    const bool left = x->left;
    stop(x);
    leave(x);
    forget_calls(x);
    free(x->coming);
    free(x->made);
    free(x->ended);
    free(x);
    if (left)
        tuned_state_let_go(t);
}

void tuned_records_look_at_all(void)
{
    for (tuned_records *x = ending ? NULL : all, *next; x; x = next) {
        next = x->next;
        look(x);
        if (x->left && x->ends == x->state->n)
            drop(x);
    }
}

static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    const double start = PMPI_Wtime();
    ending = true; /* MPI may call on the way */
    for (tuned_records *x = all; x; x = x->next)
        tell_end(x);
    for (tuned_records *x = all, *next; x; x = next) {
        next = x->next;
        wait_for_ends(x, start);
        stop(x);
        if (x->left)
            drop(x);
    }
    return MPI_SUCCESS;
}

/* MPI ends a communicator when the last call on it that is its own has ended, which may be long
 * after its end at other ranks. */
void tuned_records_end(tuned_state *t)
{
    tuned_records *x = t->records;
    if (!x)
        return;
    t->records = NULL;
    tell_end(x);
    look(x);
    x->left = x->listens && t->progresses && x->ends < t->n;
    if (x->left)
        tuned_state_hold(t);
    else
        drop(x);
}

/* ---- the beginning ---- */

/* Without memory nothing is compared. */
static void listen(tuned_records *x)
{
    const size_t n = (size_t)x->state->n;
    x->made = calloc(n, sizeof *x->made);
    x->ended = calloc(n, sizeof *x->ended);
    x->coming = x->made && x->ended ? malloc(tuned_record_most_bytes((int)n)) : NULL;
    if (!x->coming)
        return;
    x->listens = true;
    if (x->state->progresses)
        tuned_progress_want(1);
}

static void enter(tuned_records *x)
{
    pthread_mutex_lock(&lock);
    if (!watching)
        tuned_attribute_at_end(at_end);
    watching = true;
    x->next = all;
    if (all)
        all->previous = x;
    all = x;
    pthread_mutex_unlock(&lock);
}

void tuned_records_begin(tuned_state *t)
{
    if (!t->checked || t->records)
        return;
    tuned_records *x = calloc(1, sizeof *x);
    if (!x)
        return;
    x->state = t;
    x->stream = (uint64_t)t->since;
    x->request = MPI_REQUEST_NULL;
    if (t->rank == 0)
        listen(x);
    enter(x);
    t->records = x;
}
