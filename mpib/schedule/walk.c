/* The walk: every rank runs until it needs a message that was not sent yet; whoever sends that
 * message wakes it. Every message is sent once, handed over once and received once, so the walk is
 * linear in messages (but for the sorting of a round's receives).
 *
 * Sends do not wait for their receiver here; that a schedule survives synchronous sends is the
 * business of the checker. The result does not depend on the order in which ranks are run: a rank's
 * clocks change only by its own steps, in their order. */
#include "mpib/schedule/walk.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "mpib/schedule/pairs.h"

typedef struct {
    double arrival; /* of the last byte if the receiver's link end is free */
    double gap, recv;
    cpm_step step; /* the sender's */
    int next; /* in the queue of its pair, the round of its receiver or the free list; -1: last */
} message;

typedef struct {
    double processor, out, in; /* free from then on */
    double start, stop;        /* of its time; stop is negative until it is known */
    cpm_steps steps;
    int at;     /* next step */
    int awaits; /* rank whose message it needs to go on, -1: none */
    int taken;  /* received messages of the current round, -1: none */
    int taken_last;
    bool built;
    bool in_round; /* the sends of round are started and it is not complete */
    int round;
} rank_state;

typedef struct {
    const cpm_schedule *s;
    const cpm_block_sizes *sizes;
    cpm_cost_function *cost;
    const void *model;
    rank_state *rank; /* [n] */
    cpm_pairs pairs;  /* queues of messages nobody waited for */
    message *messages;
    int capacity, used, unused; /* unused: free list */
    int *ready, ready_count;    /* ranks that can go on */
    int64_t left_over;          /* messages in queues */
    cpm_steps spare;            /* memory of a rank that has finished */
    struct arrived *sorted;     /* scratch of one round */
    int sorted_capacity;
    const cpm_trace *trace; /* may be NULL */
    cpm_error *e;
} walk;

struct arrived {
    double time;
    int order, message;
};

static int no_memory(walk *w)
{
    return cpm_fail(w->e, CPM_ENOMEM, "out of memory while walking a schedule of %d ranks",
                    w->s->n);
}

static int message_new(walk *w, int *index)
{
    if (w->unused >= 0) {
        *index = w->unused;
        w->unused = w->messages[*index].next;
        return CPM_OK;
    }
    if (w->used == w->capacity) {
        int capacity = w->capacity ? 2 * w->capacity : 256;
        message *more = realloc(w->messages, (size_t)capacity * sizeof *more);
        if (!more)
            return no_memory(w);
        w->messages = more;
        w->capacity = capacity;
    }
    *index = w->used++;
    return CPM_OK;
}

/* The next step of to receives m; it is kept until the round is complete. */
static int take(walk *w, int from, int to, int m)
{
    rank_state *r = &w->rank[to];
    int code = cpm_steps_match(&w->messages[m].step, from, &r->steps.at[r->at], to, w->e);
    if (code)
        return code;
    if (r->taken < 0)
        r->taken = m;
    else
        w->messages[r->taken_last].next = m;
    r->taken_last = m;
    w->messages[m].next = -1;
    r->at++;
    return CPM_OK;
}

static int enqueue(walk *w, int from, int to, int m)
{
    cpm_pair *pair = cpm_pairs_at(&w->pairs, from, to);
    if (!pair)
        return no_memory(w);
    if (pair->head < 0)
        pair->head = m;
    else
        w->messages[pair->tail].next = m;
    pair->tail = m;
    w->messages[m].next = -1;
    w->left_over++;
    return CPM_OK;
}

static int deliver(walk *w, int from, int to, int m)
{
    rank_state *r = &w->rank[to];
    if (r->awaits != from)
        return enqueue(w, from, to, m);
    r->awaits = -1;
    w->ready[w->ready_count++] = to;
    return take(w, from, to, m);
}

static int send(walk *w, int rank, const cpm_step *step)
{
    rank_state *r = &w->rank[rank];
    cpm_cost c;
    w->cost(w->model, rank, step->peer, cpm_step_bytes(w->s, &r->steps, step, w->sizes), &c);
    double start = r->processor > r->out ? r->processor : r->out;
    r->processor = start + c.send;
    r->out = start + c.gap;
    int m = -1;
    int code = message_new(w, &m);
    if (code)
        return code;
    w->messages[m] =
        (message){.arrival = start + c.send + c.wire, .gap = c.gap, .recv = c.recv, .step = *step};
    if (w->trace) {
        w->trace->send(w->trace->context, m, rank, step->peer, step->round, start, start + c.send);
        w->trace->leave(w->trace->context, m, start + c.send);
    }
    return deliver(w, rank, step->peer, m);
}

/* Takes the message of the next step if it is there, else notes whom the rank waits for. */
static int receive(walk *w, int rank, int from)
{
    cpm_pair *pair = cpm_pairs_find(&w->pairs, from, rank);
    if (!pair || pair->head < 0) {
        w->rank[rank].awaits = from;
        return CPM_OK;
    }
    int m = pair->head;
    pair->head = w->messages[m].next;
    w->left_over--;
    return take(w, from, rank, m);
}

static int by_arrival(const void *a, const void *b)
{
    const struct arrived *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Lists the received messages of a round in the order of their arrival; returns how many. */
static int sort_round(walk *w, const rank_state *r, int *count)
{
    int k = 0;
    bool sorted = true;
    for (int m = r->taken; m >= 0; m = w->messages[m].next, k++) {
        if (k == w->sorted_capacity) {
            int capacity = k ? 2 * k : 64;
            struct arrived *more = realloc(w->sorted, (size_t)capacity * sizeof *more);
            if (!more)
                return no_memory(w);
            w->sorted = more;
            w->sorted_capacity = capacity;
        }
        w->sorted[k] = (struct arrived){w->messages[m].arrival, k, m};
        sorted = sorted && (k == 0 || w->sorted[k - 1].time <= w->sorted[k].time);
    }
    if (!sorted)
        qsort(w->sorted, (size_t)k, sizeof *w->sorted, by_arrival);
    *count = k;
    return CPM_OK;
}

static int end_round(walk *w, rank_state *r)
{
    int count = 0;
    int code = sort_round(w, r, &count);
    for (int k = 0; k < count && !code; k++) {
        message *m = &w->messages[w->sorted[k].message];
        double link = r->in + m->gap;
        r->in = m->arrival > link ? m->arrival : link;
        double begin = r->processor > r->in ? r->processor : r->in;
        r->processor = begin + m->recv;
        if (w->trace)
            w->trace->recv(w->trace->context, w->sorted[k].message, m->gap > 0 ? r->in : m->arrival,
                           begin, r->processor);
        m->next = w->unused;
        w->unused = w->sorted[k].message;
    }
    r->taken = -1;
    return code;
}

static int begin(walk *w, int rank)
{
    rank_state *r = &w->rank[rank];
    r->steps = w->spare;
    w->spare = (cpm_steps){0};
    int code = cpm_schedule_rank(w->s, rank, &r->steps, w->e);
    r->built = true;
    return code;
}

static void finish(walk *w, rank_state *r)
{
    if (w->spare.at)
        cpm_steps_free(&r->steps);
    else
        w->spare = r->steps;
    r->steps = (cpm_steps){0};
    r->at = 0;
}

static bool of_round(const rank_state *r, int k)
{
    return k < r->steps.count && r->steps.at[k].round == r->round;
}

/* A round's sends are started before it waits for any of its receives. */
static int begin_round(walk *w, int rank)
{
    rank_state *r = &w->rank[rank];
    int code = CPM_OK;
    r->in_round = true;
    r->round = r->steps.at[r->at].round;
    for (int k = r->at; of_round(r, k) && !code; k++)
        if (r->steps.at[k].kind == CPM_SEND)
            code = send(w, rank, &r->steps.at[k]);
    return code;
}

static void pass_mark(rank_state *r)
{
    cpm_step_kind kind = r->steps.at[r->at++].kind;
    if (kind == CPM_START)
        r->start = r->processor;
    else if (kind == CPM_STOP)
        r->stop = r->processor;
    else
        r->processor *= 3;
}

static int run_round(walk *w, int rank)
{
    rank_state *r = &w->rank[rank];
    int code = r->in_round ? CPM_OK : begin_round(w, rank);
    while (!code && r->awaits < 0 && of_round(r, r->at)) {
        if (r->steps.at[r->at].kind == CPM_SEND)
            r->at++;
        else
            code = receive(w, rank, r->steps.at[r->at].peer);
    }
    if (code || r->awaits >= 0)
        return code;
    r->in_round = false;
    return r->taken < 0 ? CPM_OK : end_round(w, r);
}

static int run(walk *w, int rank)
{
    rank_state *r = &w->rank[rank];
    int code = r->built ? CPM_OK : begin(w, rank);
    while (!code && r->awaits < 0 && (r->in_round || r->at < r->steps.count))
        if (r->in_round || cpm_step_is_message(&r->steps.at[r->at]))
            code = run_round(w, rank);
        else
            pass_mark(r);
    if (!code && r->awaits < 0)
        finish(w, r);
    return code;
}

static int check_end(walk *w)
{
    for (int r = 0; r < w->s->n; r++)
        if (w->rank[r].awaits >= 0)
            return cpm_fail(w->e, CPM_EDEADLOCK,
                            "rank %d waits for ever for a message from rank %d", r,
                            w->rank[r].awaits);
    for (size_t k = 0; w->left_over && k < w->pairs.capacity; k++)
        if (w->pairs.slot[k].from >= 0 && w->pairs.slot[k].head >= 0)
            return cpm_fail(w->e, CPM_EWRONG, "rank %d never receives a message of rank %d",
                            w->pairs.slot[k].to, w->pairs.slot[k].from);
    return CPM_OK;
}

static int open_walk(walk *w)
{
    size_t n = (size_t)w->s->n;
    w->unused = -1;
    w->rank = calloc(n, sizeof *w->rank);
    w->ready = malloc(n * sizeof *w->ready);
    if (!w->rank || !w->ready)
        return no_memory(w);
    for (int r = 0; r < w->s->n; r++) {
        w->rank[r].awaits = w->rank[r].taken = -1;
        w->rank[r].stop = -1;
        w->rank[r].in = -INFINITY;
        w->ready[w->s->n - 1 - r] = r;
    }
    w->ready_count = w->s->n;
    return CPM_OK;
}

static void close_walk(walk *w)
{
    for (int r = 0; w->rank && r < w->s->n; r++)
        cpm_steps_free(&w->rank[r].steps);
    cpm_steps_free(&w->spare);
    cpm_pairs_free(&w->pairs);
    free(w->rank);
    free(w->ready);
    free(w->messages);
    free(w->sorted);
}

static double last_finish(const walk *w, double *finish_times)
{
    double last = 0;
    for (int r = 0; r < w->s->n; r++) {
        const rank_state *x = &w->rank[r];
        if (finish_times)
            finish_times[r] = (x->stop < 0 ? x->processor : x->stop) - x->start;
        last = x->processor > last ? x->processor : last;
    }
    return last;
}

double cpm_walk_traced(const cpm_schedule *s, const cpm_block_sizes *sizes, cpm_cost_function *cost,
                       const void *model, double *finish_times, const cpm_trace *trace,
                       cpm_error *e)
{
    walk w = {.s = s, .sizes = sizes, .cost = cost, .model = model, .trace = trace, .e = e};
    int code = open_walk(&w);
    while (!code && w.ready_count)
        code = run(&w, w.ready[--w.ready_count]);
    if (!code)
        code = check_end(&w);
    double seconds = code ? code : last_finish(&w, finish_times);
    close_walk(&w);
    return seconds;
}

double cpm_walk(const cpm_schedule *s, const cpm_block_sizes *sizes, cpm_cost_function *cost,
                const void *model, double *finish_times, cpm_error *e)
{
    return cpm_walk_traced(s, sizes, cost, model, finish_times, NULL, e);
}
