/* The flow walk: events in the order of time. A rank's processor does one thing after the other; a
 * message goes through send, start, latency, flow, arrival and receive, and whatever it must wait
 * for (its receive to be posted, its share of a link end) is what makes the next event.
 *
 * All events of a moment are handled before rates are computed anew, so messages that begin or end
 * together cost one computation. Of every group of messages that share resources the queue holds
 * when the first will end; whatever changes the rates of the group makes that void.
 *
 * Where ranks are alike a message stands for all that it is moved to: it is the one whose sender is
 * walked, and its receiver, whichever rank that is, stands for its like. */
#include "collectives/schedule/flow_walk.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/vector.h"
#include "collectives/schedule/events.h"
#include "collectives/schedule/memory_estimate.h"
#include "collectives/schedule/pairs.h"
#include "collectives/schedule/seen_runs.h"
#include "collectives/schedule/tasks.h"

/* What every event looks at, and all that is kept of a receive that waits: short, as millions are
 * under way. */
typedef struct {
    uint32_t from : 24;
    uint32_t synchronous : 1, late : 1;         /* as in cpm_flow */
    uint32_t sent : 1, posted : 1, arrived : 1; /* the sender's part is done; the receiver waits; it
                                                   is there */
    uint32_t send_deferred : 1;                 /* its sender waits for it after its last round */
    uint32_t deferred : 1;                      /* its receiver takes it then */
    uint32_t fetched : 1;                       /* as in cpm_flow */
    uint32_t to : 24;
    uint32_t overwrites : 1; /* as in cpm_task */
    int next; /* in the queue of its pair, the arrivals of its receiver or the free list; -1: last
               */
    uint32_t names; /* of what is in it, or expected */
    double recv;    /* as in cpm_flow */
    union {
        int way;        /* until its bytes are under way */
        double arrival; /* when it arrived */
    };
} message;

static_assert(CPM_MOST_PROCESSES <= 1 << 24, "ranks of a message");

typedef struct {
    const cpm_task *task; /* its own, or its like's in the schedule */
    int count;            /* of tasks */
    int at, end;          /* tasks of the round; at: the next one where there is no round */
    int round;            /* the number of that round */
    int sending;          /* next task of the round that may be a send */
    int pending;          /* messages of the round that are not complete */
    int deferred;         /* the same of deferred rounds, until the last one is over */
    int head, tail;
    int kept_head, kept_tail;   /* arrivals that are deferred */
    bool in_round, busy, ended; /* busy: its processor is, until an event */
    bool computed;              /* what its program computes meanwhile */
    bool in_last;               /* round, which is that of all that was deferred */
    bool works;                 /* combines or unpacks something of this round */
    double start, stop;         /* of its time; stop is negative until it is known */
    double finish;
    double at_end; /* seconds of own work behind all rounds */
} rank_state;

/* Tasks of all ranks that are alike in the schedule, whatever the model says of them. */
typedef struct {
    cpm_task *task; /* NULL: none of them has begun */
    int count;
    int largest;      /* first task of the round that has most receives */
    int received;     /* in that round, and in all that are deferred */
    cpm_own_work own; /* of that rank */
} shared_tasks;

typedef struct {
    const cpm_schedule *s;
    const cpm_block_sizes *sizes;
    cpm_flow_function *flow;
    const void *model;
    const cpm_symmetry *alike; /* NULL: every rank is walked */
    double now;
    int ranks;            /* that are walked: the others are like these */
    rank_state *rank;     /* [ranks] */
    shared_tasks *shared; /* [period of the schedule's symmetry]; NULL: it has none */
    cpm_steps steps;      /* of the rank that begins */
    cpm_seen_runs seen;   /* likewise */
    cpm_task_memory memory;
    cpm_memory_estimate under_way; /* what they will have */
    cpm_hash pairs;                /* messages without a receive, or receives without a message */
    message *messages;
    cpm_flow *ways; /* of messages that are sent or wait to start */
    int64_t capacity, way_capacity;
    int used, unused;           /* unused: free list */
    int ways_used, ways_unused; /* the same, which goes on in uses */
    cpm_events events;
    cpm_sharing sharing; /* of messages whose bytes are under way */
    double wake;         /* the event of a crowd that waits; 0: there is none */
    const cpm_flow_walking *how;
    cpm_error *e;
} walk;

/* index: of the message; of ENDED the place of its bundle; of WAITED and COMBINED the rank; of
 * WOKEN nothing */
enum { SENT, STARTED, FETCHING, ENDED, RECEIVED, WAITED, COMBINED, WOKEN };

/* Ends that differ by less are at once. */
static const double slightly_later = 1 + 1e-12;

static int add_event(walk *w, double after, unsigned kind, int index)
{
    return cpm_events_add(&w->events, w->now + after, kind, index) ? CPM_OK : cpm_no_memory(w->e);
}

/* ---- messages */

static int message_new(walk *w, const cpm_task *task, int *index)
{
    if (w->unused >= 0) {
        *index = w->unused;
        w->unused = w->messages[*index].next;
    } else if (w->used < INT_MAX &&
               cpm_vector_reserve(&w->messages, &w->capacity, w->used + 1, sizeof *w->messages)) {
        *index = w->used++;
    } else {
        return cpm_no_memory(w->e);
    }
    message *x = &w->messages[*index]; /* the rest is set when it is sent */
    x->sent = x->posted = x->arrived = x->send_deferred = x->deferred = x->fetched = false;
    x->overwrites = false;
    x->names = task->names;
    x->next = -1;
    return CPM_OK;
}

static void message_free(walk *w, int m)
{
    w->messages[m].next = w->unused;
    w->unused = m;
}

/* Ways are long, and few messages have one at a time. */
static int way_new(walk *w, int *index)
{
    if (w->ways_unused >= 0) {
        *index = w->ways_unused;
        w->ways_unused = w->ways[*index].uses;
    } else if (cpm_vector_reserve(&w->ways, &w->way_capacity, w->ways_used + 1, sizeof *w->ways)) {
        *index = w->ways_used++;
    } else {
        return cpm_no_memory(w->e);
    }
    return CPM_OK;
}

static void way_free(walk *w, int way)
{
    w->ways[way].uses = w->ways_unused;
    w->ways_unused = way;
}

/* ---- ranks that are walked for others */

/* Whom a message of rank from goes to if its sender is the like of from. */
static int moved(const walk *w, int from, int to)
{
    return w->alike ? cpm_symmetry_move(w->alike, w->s->n, from, to) : to;
}

/* Blocks have other names where other ranks are spoken of. */
static int check_match(walk *w, int from, uint32_t sent, int to, uint32_t expected)
{
    return w->alike || w->shared || sent == expected
               ? CPM_OK
               : cpm_tasks_mismatch(w->s, from, sent, to, expected, w->e);
}

static int peer_of(const walk *w, int rank, const cpm_task *task)
{
    return w->shared ? cpm_symmetry_back(&w->s->symmetry, w->s->n, rank, task->peer) : task->peer;
}

/* Takes the first of the pair's queue if it is a message (sent) or a receive (not sent); -1. Pairs
 * whose queue is empty are forgotten: those of dense patterns are many, but few at a time. */
static int dequeue(walk *w, int from, int to, bool sent)
{
    cpm_slot *pair = cpm_hash_find(&w->pairs, cpm_pair_key(from, to));
    if (!pair || w->messages[pair->head].sent != sent)
        return -1;
    int m = pair->head;
    pair->head = w->messages[m].next;
    w->messages[m].next = -1;
    if (pair->head < 0)
        cpm_hash_remove(&w->pairs, pair);
    return m;
}

static int enqueue(walk *w, int from, int to, int m)
{
    cpm_slot *pair = cpm_pairs_at(&w->pairs, from, to);
    if (!pair)
        return cpm_no_memory(w->e);
    if (pair->head < 0)
        pair->head = m;
    else
        w->messages[pair->tail].next = m;
    pair->tail = m;
    return CPM_OK;
}

/* ---- the way of a message */

static int go_on(walk *w, int rank);

static int start(walk *w, int m)
{
    if (w->how->trace)
        w->how->trace->leave(w->how->trace->context, m, w->now);
    return add_event(w, w->ways[w->messages[m].way].latency, STARTED, m);
}

static void append(walk *w, int *head, int *tail, int m)
{
    if (*head < 0)
        *head = m;
    else
        w->messages[*tail].next = m;
    *tail = m;
}

/* The receiver's processor gets it when it has time, or when it wants it. */
static int hand_over(walk *w, int m)
{
    rank_state *r = &w->rank[w->messages[m].to % w->ranks];
    if (w->messages[m].deferred && !r->in_last) {
        append(w, &r->kept_head, &r->kept_tail, m);
        return CPM_OK;
    }
    append(w, &r->head, &r->tail, m);
    return go_on(w, w->messages[m].to % w->ranks);
}

/* What a message of a round, or of a deferred one, is counted by. */
static int *pending_of(rank_state *r, bool deferred)
{
    return deferred && !r->in_last ? &r->deferred : &r->pending;
}

static int arrive(walk *w, int m)
{
    message *x = &w->messages[m];
    x->arrived = true;
    x->arrival = w->now;
    bool free_sender = x->synchronous, posted = x->posted, deferred = x->send_deferred;
    int from = x->from;
    int code = posted ? hand_over(w, m) : CPM_OK;
    if (code || !free_sender)
        return code;
    --*pending_of(&w->rank[from], deferred);
    return go_on(w, from);
}

/* What is fetched is there: its receiver's processor, which was busy with it, takes it. */
static int fetch_ended(walk *w, int m)
{
    message *x = &w->messages[m];
    rank_state *sender = &w->rank[x->from];
    int from = x->from;
    double end = w->now + x->recv;
    x->arrived = true;
    if (w->how->trace)
        w->how->trace->recv(w->how->trace->context, m, w->now, w->now, end);
    int code = add_event(w, x->recv, RECEIVED, m);
    --*pending_of(sender, x->send_deferred);
    return code ? code : go_on(w, from);
}

static int bytes_arrived(walk *w, int m)
{
    return w->messages[m].fetched ? fetch_ended(w, m) : arrive(w, m);
}

static int add_end(walk *w, int place)
{
    return cpm_events_add(&w->events, w->sharing.end[place], ENDED, place) ? CPM_OK
                                                                           : cpm_no_memory(w->e);
}

static int begin_flow(walk *w, int m)
{
    const int way = w->messages[m].way;
    const cpm_flow *f = &w->ways[way];
    cpm_starting active = {
        .cap = f->cap, .uses = f->uses, .weight = f->weight, .left = f->flow, .message = m};
    if (w->messages[m].overwrites)
        active.left += f->overwriting;
    memcpy(active.use, f->use, sizeof active.use);
    way_free(w, way);
    if (!(active.left > 0))
        return bytes_arrived(w, m);
    int place;
    if (!cpm_sharing_begin(&w->sharing, &active, w->now, &place))
        return cpm_no_memory(w->e);
    return active.uses ? CPM_OK : add_end(w, place);
}

/* An end that was foreseen, unless the rate has become another since. If changes wait the next one
 * of the bundle ends before it is looked at again. */
static int end_flow(walk *w, const cpm_event *event)
{
    const cpm_bundle *b = &w->sharing.bundle[event->index];
    if (!b->count || w->sharing.end[event->index] != event->time)
        return CPM_OK;
    int m = cpm_sharing_end(&w->sharing, event->index);
    int code = b->count ? add_end(w, event->index) : CPM_OK;
    return code ? code : bytes_arrived(w, m);
}

/* The first byte can be under way. */
static int started(walk *w, int m)
{
    return w->messages[m].fetched ? hand_over(w, m) : begin_flow(w, m);
}

static bool waits_for_receive(const message *x)
{
    return x->synchronous || x->late;
}

static int post(walk *w, int rank, const cpm_task *task)
{
    int expected, code = message_new(w, task, &expected);
    if (code)
        return code;
    ++*pending_of(&w->rank[rank], task->deferred);
    w->messages[expected].deferred = task->deferred;
    w->messages[expected].overwrites = task->overwrites;
    int peer = peer_of(w, rank, task);
    int from = peer % w->ranks, to = moved(w, peer, rank);
    int m = dequeue(w, from, to, true);
    if (m < 0)
        return enqueue(w, from, to, expected);
    code = check_match(w, peer, w->messages[m].names, rank, task->names);
    message_free(w, expected);
    w->messages[m].posted = true;
    w->messages[m].deferred = task->deferred;
    w->messages[m].overwrites = task->overwrites;
    if (code)
        return code;
    if (w->messages[m].arrived)
        return hand_over(w, m);
    return waits_for_receive(&w->messages[m]) ? start(w, m) : CPM_OK;
}

static int leave(walk *w, int m)
{
    message *x = &w->messages[m];
    int code = CPM_OK, expected = dequeue(w, x->from, x->to, false);
    x->sent = true;
    x->posted = expected >= 0;
    if (x->posted) {
        code = check_match(w, x->from, x->names, x->to, w->messages[expected].names);
        x->deferred = w->messages[expected].deferred;
        x->overwrites = w->messages[expected].overwrites;
        message_free(w, expected);
    } else {
        code = enqueue(w, x->from, x->to, m);
    }
    if (!code && (x->posted || !waits_for_receive(x)))
        code = start(w, m);
    return code;
}

static int sent(walk *w, int m)
{
    int from = w->messages[m].from;
    w->rank[from].busy = false;
    if (!w->messages[m].synchronous)
        --*pending_of(&w->rank[from], w->messages[m].send_deferred);
    int code = leave(w, m);
    return code ? code : go_on(w, from);
}

static int received(walk *w, int m)
{
    int to = w->messages[m].to % w->ranks;
    w->rank[to].busy = false;
    w->rank[to].pending--;
    message_free(w, m);
    return go_on(w, to);
}

/* ---- ranks */

/* The executor blocks in the only message of a round that is not deferred. */
static bool blocks(const rank_state *r)
{
    return r->end - r->at == 1 && !r->task[r->at].deferred;
}

/* Alone it takes less, but as much as others of what it shares. */
static void take_as_unchanged(cpm_flow *way)
{
    const double changed = way->flow;
    way->flow = fmax(0, changed - way->unchanged);
    for (int u = 0; u < way->uses && way->flow > 0; u++)
        way->use[u].seconds *= changed / way->flow;
}

static int begin_send(walk *w, int rank, const cpm_task *task)
{
    int m, code = message_new(w, task, &m);
    if (code)
        return code;
    message *x = &w->messages[m];
    int place = -1, to = peer_of(w, rank, task);
    code = way_new(w, &place);
    if (code)
        return code;
    x->from = (uint32_t)rank & 0xffffff;
    x->to = (uint32_t)to & 0xffffff;
    x->send_deferred = task->deferred;
    x->way = place;
    size_t bytes = task->value;
    cpm_flow *way = &w->ways[place];
    w->flow(w->model, rank, to, bytes, way);
    if (task->own)
        take_as_unchanged(way);
    x->recv = way->recv;
    x->synchronous = way->synchronous;
    x->late = way->late;
    x->fetched = way->fetched;
    double busy = blocks(&w->rank[rank]) ? way->send : way->start;
    if (task->pieces)
        busy += w->how->copy(w->model, rank, task->pieces, bytes);
    w->rank[rank].busy = true;
    ++*pending_of(&w->rank[rank], x->send_deferred);
    if (w->how->trace)
        w->how->trace->send(w->how->trace->context, m, rank, to, bytes, w->rank[rank].round, w->now,
                            w->now + busy);
    return add_event(w, busy, SENT, m);
}

static int begin_receive(walk *w, rank_state *r)
{
    int m = r->head;
    r->head = w->messages[m].next;
    w->messages[m].next = -1;
    r->busy = true;
    if (w->messages[m].fetched)
        return add_event(w, w->ways[w->messages[m].way].starting, FETCHING, m);
    double end = w->now + w->messages[m].recv;
    if (w->how->trace)
        w->how->trace->recv(w->how->trace->context, m, w->messages[m].arrival, w->now, end);
    return add_event(w, w->messages[m].recv, RECEIVED, m);
}

/* Receives are posted before anything else is done; in_round is set last, so that what they hand
 * over does not go on with a round that has only begun. */
static int begin_round(walk *w, int rank)
{
    rank_state *r = &w->rank[rank];
    int code = CPM_OK;
    r->sending = r->end = r->at;
    while (!r->task[r->end++].last)
        ;
    r->busy = true;
    r->works = false;
    for (int k = r->at; k < r->end && !code; k++)
        if (r->task[k].kind != CPM_SEND) {
            r->works = r->works || r->task[k].kind == CPM_COMBINE || r->task[k].pieces;
            code = post(w, rank, &r->task[k]);
        }
    r->busy = false;
    r->in_round = true;
    return code;
}

static void end_round(rank_state *r)
{
    r->at = r->end;
    r->round++;
    r->in_round = false;
}

/* Seconds for what the round that is complete has received to be combined or unpacked. */
static double work_of_round(const walk *w, int rank)
{
    const rank_state *r = &w->rank[rank];
    double seconds = 0;
    for (int k = r->at; r->works && k < r->end; k++) {
        const cpm_task *task = &r->task[k];
        if (task->kind == CPM_COMBINE && w->how->combine)
            seconds += w->how->combine(w->model, rank, w->s->combining, task->value);
        else if (task->kind == CPM_RECV && task->pieces && !task->deferred)
            seconds += w->how->copy(w->model, rank, task->pieces, task->value);
    }
    return seconds;
}

static int complete_round(walk *w, int rank)
{
    double seconds = work_of_round(w, rank);
    w->rank[rank].busy = seconds > 0;
    if (seconds > 0)
        return add_event(w, seconds, COMBINED, rank);
    end_round(&w->rank[rank]);
    return CPM_OK;
}

static int combined(walk *w, int rank)
{
    w->rank[rank].busy = false;
    end_round(&w->rank[rank]);
    return go_on(w, rank);
}

/* What was deferred is waited for; who deferred nothing has nothing to wait for. */
static void begin_last_round(rank_state *r)
{
    r->in_last = r->in_round = true;
    r->pending = r->deferred;
    r->head = r->kept_head;
    r->tail = r->kept_tail;
    r->kept_head = -1;
    r->sending = r->end = r->at; /* behind marks, if these come last */
}

/* What is shared is kept for those that begin later. */
static void free_tasks(walk *w, rank_state *r)
{
    if (!w->shared)
        cpm_tasks_free(&w->memory, (cpm_task *)r->task, r->count);
    r->task = NULL;
}

static void finish(walk *w, rank_state *r)
{
    r->ended = true;
    r->finish = w->now + r->at_end;
    if (r->stop < 0)
        r->stop = r->finish;
    free_tasks(w, r);
}

static int pass_mark(walk *w, int rank)
{
    rank_state *r = &w->rank[rank];
    const cpm_task *task = &r->task[r->at++];
    double busy = task->kind == CPM_WAIT ? 2 * w->now : 0;
    r->round++;
    if (task->kind == CPM_START)
        r->start = w->now;
    else if (task->kind == CPM_STOP)
        r->stop = w->now;
    else if (task->kind == CPM_MERGE && w->how->combine)
        busy = w->how->combine(w->model, rank, w->s->combining, task->value);
    else if (task->kind == CPM_RENEW && w->how->fresh)
        busy = w->how->fresh(w->model, rank, (double)task->value);
    r->busy = busy > 0;
    return r->busy ? add_event(w, busy, WAITED, rank) : CPM_OK;
}

static int waited(walk *w, int rank)
{
    w->rank[rank].busy = false;
    return go_on(w, rank);
}

/* The next thing that the processor of a round does. */
static int work(walk *w, int rank)
{
    rank_state *r = &w->rank[rank];
    while (r->sending < r->end && r->task[r->sending].kind != CPM_SEND)
        r->sending++;
    if (r->sending < r->end)
        return begin_send(w, rank, &r->task[r->sending++]);
    if (r->head >= 0)
        return begin_receive(w, r);
    return r->pending == 0 ? complete_round(w, rank) : CPM_OK;
}

static int compute(walk *w, int rank)
{
    w->rank[rank].computed = w->rank[rank].busy = true;
    return add_event(w, w->how->computing, WAITED, rank);
}

/* Until the processor is busy or has to wait. */
static int go_on(walk *w, int rank)
{
    rank_state *r = &w->rank[rank];
    int code = CPM_OK;
    while (!code && !r->busy && !r->ended) {
        bool computes = w->how->computing > 0 && !r->computed;
        bool waits = r->in_round && r->pending > 0 && r->head < 0 && r->sending == r->end;
        bool ends = !r->in_round && r->at == r->count && r->in_last;
        if (waits && !computes)
            return CPM_OK;
        if (computes && (waits || ends))
            code = compute(w, rank);
        else if (r->in_round)
            code = work(w, rank);
        else if (r->at < r->count)
            code = r->task[r->at].kind <= CPM_COMBINE ? begin_round(w, rank) : pass_mark(w, rank);
        else if (!r->in_last)
            begin_last_round(r);
        else
            finish(w, r);
    }
    return code;
}

/* Of ranks that share their steps the last one stands for all: where blocks are counted from one's
 * own on, most of them lie on both sides of the end of the buffer, which those of the first do not.
 */
static int add_own_work(walk *w, int rank, shared_tasks *x)
{
    cpm_steps *steps = &w->steps;
    int of = w->shared ? w->s->n - w->s->symmetry.period + rank : rank;
    int code = of == rank ? CPM_OK : cpm_schedule_rank(w->s, of, steps, w->e);
    if (code)
        return code;
    cpm_placing placing;
    code = cpm_placing_usual(w->s, steps, of, &placing, w->e);
    if (code)
        return code;
    x->own = cpm_placing_work(&placing, steps, w->sizes, w->how->combine, w->how->copy, w->model);
    code = w->how->copy ? cpm_seen_runs_see(&w->seen, true, steps, w->e) : CPM_OK;
    for (int k = 0; !code && w->how->copy && k < steps->count; k++) {
        x->task[k].overwrites =
            steps->at[k].kind == CPM_RECV && cpm_seen_runs_hold(&w->seen, steps, &steps->at[k]);
        int pieces = cpm_task_pieces(&placing, steps, &steps->at[k]);
        if (!pieces)
            continue;
        size_t bytes = cpm_step_bytes(w->s, steps, &steps->at[k], w->sizes);
        x->task[k].pieces = pieces;
        x->task[k].value = bytes;
        if (x->task[k].kind == CPM_RECV && x->task[k].deferred)
            x->own.after += w->how->copy(w->model, of, pieces, bytes);
    }
    return code;
}

static int mark_own(walk *w, shared_tasks *x)
{
    const cpm_steps *steps = &w->steps;
    int code = cpm_seen_runs_see(&w->seen, false, steps, w->e);
    for (int k = 0; !code && k < steps->count; k++)
        x->task[k].own =
            steps->at[k].kind == CPM_SEND && !cpm_seen_runs_hold(&w->seen, steps, &steps->at[k]);
    return code;
}

static int make_tasks(walk *w, int rank, shared_tasks *x)
{
    const cpm_steps *steps = &w->steps;
    int code = cpm_schedule_rank(w->s, rank, &w->steps, w->e);
    if (!code)
        code = cpm_tasks_create(&w->memory, steps->count, &x->task, w->e);
    if (code)
        return code;
    for (int k = 0; k < steps->count; k++) {
        const cpm_step *step = &steps->at[k];
        x->task[k] = cpm_task_of(w->s, steps, step, w->sizes, 0);
        x->task[k].last = k + 1 == steps->count || step[1].round != step->round;
    }
    x->count = steps->count;
    code = w->how->same ? mark_own(w, x) : CPM_OK;
    return code ? code : w->how->copy || w->s->apart ? add_own_work(w, rank, x) : CPM_OK;
}

static void find_largest_round(shared_tasks *x)
{
    int most = 0, deferred = 0, first = 0, received = 0;
    for (int k = 0; k < x->count; k++) {
        bool receives = x->task[k].kind == CPM_RECV || x->task[k].kind == CPM_COMBINE;
        received += receives && !x->task[k].deferred;
        deferred += receives && x->task[k].deferred;
        if (!x->task[k].last)
            continue;
        x->largest = received > most ? first : x->largest;
        most = received > most ? received : most;
        first = k + 1;
        received = 0;
    }
    x->received = most + deferred;
}

/* Receives are posted when a round begins, and the messages of a dense one soon after it are all
 * under way: some of them stand for all. */
static int expect(walk *w, int rank, const shared_tasks *x)
{
    enum { OF = 32 };
    cpm_flow way;
    cpm_memory_estimate *u = &w->under_way;
    cpm_memory_estimate_begin(u, x->received);
    for (int k = x->largest + rank % OF; k < x->count; k += OF) {
        const cpm_task *task = &x->task[k];
        if (task->kind != CPM_SEND)
            continue;
        w->flow(w->model, rank, peer_of(w, rank, task), task->value, &way);
        cpm_memory_estimate_see(u, &way);
    }
    w->memory.besides = (size_t)cpm_memory_estimate_bytes(u, sizeof *w->messages);
    w->memory.taken = (size_t)w->used * sizeof *w->messages + w->pairs.capacity * sizeof(cpm_slot);
    return cpm_tasks_suffice(&w->memory, w->e);
}

static int begin(walk *w, int rank)
{
    shared_tasks own = {0}, *x = &own;
    int code = CPM_OK, like = rank;
    if (w->shared) {
        like = rank % w->s->symmetry.period;
        x = &w->shared[like];
    }
    if (!x->task) {
        code = make_tasks(w, like, x);
        if (!code)
            find_largest_round(x);
    }
    w->rank[rank].task = x->task;
    w->rank[rank].count = x->count;
    w->rank[rank].at_end = x->own.after;
    if (!code)
        code = expect(w, rank, x);
    const double leave = w->how->leave ? w->how->leave[rank] : 0;
    w->rank[rank].start = leave;
    if (!code && leave + x->own.before > 0) {
        w->rank[rank].busy = true;
        return add_event(w, leave + x->own.before, WAITED, rank);
    }
    return code ? code : go_on(w, rank);
}

/* ---- time */

static int handle(walk *w, const cpm_event *event)
{
    switch (event->kind) {
    case SENT:
        return sent(w, event->index);
    case STARTED:
        return started(w, event->index);
    case FETCHING:
        return begin_flow(w, event->index);
    case ENDED:
        return end_flow(w, event);
    case COMBINED:
        return combined(w, event->index);
    case WAITED:
        return waited(w, event->index);
    case WOKEN:
        w->wake = 0;
        return CPM_OK;
    default:
        return received(w, event->index);
    }
}

/* The ends of those of a group that end first, or before the group looks again. */
static int foresee(walk *w)
{
    const cpm_sharing *s = &w->sharing;
    double last = fmax(s->first * slightly_later, s->due);
    int code = CPM_OK;
    for (int k = 0; k < s->members && !code; k++)
        if (s->end[s->group[k]] <= last)
            code = add_end(w, s->group[k]);
    return code;
}

static int settle(walk *w)
{
    int code = CPM_OK;
    while (w->sharing.changes && !code) {
        cpm_sharing_settle(&w->sharing, w->now);
        if (w->sharing.members)
            code = foresee(w);
    }
    return code;
}

/* Crowds that are due have their turn, the others an event. */
static int share(walk *w)
{
    cpm_sharing *s = &w->sharing;
    int code = settle(w);
    while (!code && s->waiting && s->wake <= w->now) {
        cpm_sharing_wake(s);
        code = settle(w);
    }
    if (code || !s->waiting || (w->wake > 0 && w->wake <= s->wake))
        return code;
    w->wake = s->wake;
    return cpm_events_add(&w->events, w->wake, WOKEN, 0) ? CPM_OK : cpm_no_memory(w->e);
}

/* Ends that differ by a rounding error only are of the same moment. */
static bool is_now(const walk *w, const cpm_event *event)
{
    return event->time <= (event->kind == ENDED ? w->now * slightly_later : w->now);
}

/* What the event that comes next looks at is brought near. */
static inline void fetch(const walk *w, const cpm_event *next)
{
    if (next->kind == ENDED) {
        const char *b = (const char *)&w->sharing.bundle[next->index];
        __builtin_prefetch(b, 1);
        __builtin_prefetch(b + 64, 1);
        return;
    }
    if (next->kind >= WAITED)
        return;
    const message *x = &w->messages[next->index];
    __builtin_prefetch(x, 1);
}

static int advance(walk *w)
{
    int code = CPM_OK;
    double looks = w->sharing.looks;
    w->now = cpm_events_first(&w->events)->time;
    while (!code && w->events.count && is_now(w, cpm_events_first(&w->events))) {
        cpm_event next = cpm_events_take(&w->events);
        fetch(w, cpm_events_first(&w->events));
        code = handle(w, &next);
        looks--;
    }
    if (!code)
        code = share(w);
    if (!code && w->how->trace && w->how->trace->step)
        code = w->how->trace->step(w->how->trace->context, w->sharing.looks - looks, w->e);
    return code;
}

static int check_end(walk *w)
{
    for (int r = 0; r < w->ranks; r++)
        if (!w->rank[r].ended)
            return cpm_fail(w->e, CPM_EDEADLOCK, "rank %d waits for ever in its round %d", r,
                            w->rank[r].round);
    const cpm_slot *left = NULL; /* the lowest pair, in whatever order they lie */
    for (size_t k = 0; k < w->pairs.capacity; k++) {
        const cpm_slot *slot = &w->pairs.slot[k];
        if (slot->key && (!left || slot->key < left->key))
            left = slot;
    }
    return left ? cpm_fail(w->e, CPM_EWRONG, "rank %d never receives a message of rank %d",
                           cpm_pair_to(left), cpm_pair_from(left))
                : CPM_OK;
}

static int open_walk(walk *w)
{
    w->unused = w->ways_unused = -1;
    w->ranks = w->alike ? w->alike->period : w->s->n;
    w->under_way.n = w->ranks;
    bool shares = cpm_schedule_says_symmetric(w->s, w->sizes, &w->s->symmetry);
    w->memory.n = shares ? w->s->symmetry.period : w->ranks;
    w->shared = shares ? calloc((size_t)w->memory.n, sizeof *w->shared) : NULL;
    w->rank = calloc((size_t)w->ranks, sizeof *w->rank);
    if (!w->rank || (shares && !w->shared))
        return cpm_no_memory(w->e);
    for (int r = 0; r < w->ranks; r++) {
        w->rank[r].head = w->rank[r].kept_head = -1;
        w->rank[r].stop = -1;
    }
    return CPM_OK;
}

static void close_walk(walk *w)
{
    for (int r = 0; w->rank && r < w->ranks; r++)
        free_tasks(w, &w->rank[r]);
    for (int k = 0; w->shared && k < w->memory.n; k++)
        cpm_tasks_free(&w->memory, w->shared[k].task, w->shared[k].count);
    free(w->shared);
    cpm_tasks_close(&w->memory);
    cpm_memory_estimate_free(&w->under_way);
    cpm_steps_free(&w->steps);
    cpm_seen_runs_free(&w->seen);
    cpm_hash_free(&w->pairs);
    cpm_events_free(&w->events);
    cpm_sharing_free(&w->sharing);
    free(w->rank);
    free(w->messages);
    free(w->ways);
}

static double last_finish(const walk *w, double *finish_times)
{
    double last = 0;
    for (int r = 0; r < w->ranks; r++)
        last = fmax(last, w->rank[r].finish);
    for (int r = 0; finish_times && r < w->s->n; r++)
        finish_times[r] = w->rank[r % w->ranks].stop - w->rank[r % w->ranks].start;
    return last;
}

static double run(walk *w, double *finish_times)
{
    int code = open_walk(w);
    for (int r = 0; r < w->ranks && !code; r++)
        code = begin(w, r);
    while (!code && w->events.count)
        code = advance(w);
    if (!code)
        code = check_end(w);
    double seconds = code ? code : last_finish(w, finish_times);
    close_walk(w);
    return seconds;
}

double cpm_flow_walk(const cpm_schedule *s, const cpm_block_sizes *sizes, cpm_flow_function *flow,
                     const void *model, const cpm_flow_walking *how, double *finish_times,
                     cpm_error *e)
{
    static const cpm_flow_walking exactly = {0};
    how = how ? how : &exactly;
    walk w = {.s = s,
              .sizes = sizes,
              .alike = how->alike,
              .flow = flow,
              .model = model,
              .how = how,
              .e = e,
              .sharing = {.tolerance = how->tolerance}};
    return run(&w, finish_times);
}
