/* The walk: every rank runs until it needs a message that was not sent yet; whoever sends that
 * message wakes it. Every message is sent once and received once, so the walk is linear in
 * messages.
 *
 * Sends do not wait for their receiver here; that a schedule survives synchronous sends is the
 * business of the checker. The result does not depend on the order in which ranks are run: a rank's
 * clocks change only by its own steps, in their order. */
#include "collectives/schedule/walk.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "collectives/schedule/arrivals.h"
#include "collectives/schedule/clocks.h"
#include "collectives/schedule/inbox.h"
#include "collectives/schedule/spmd_walk.h"
#include "collectives/schedule/tasks.h"

/* value of what is received: index of the message */
typedef cpm_task move;

static bool is_message(const move *m)
{
    return m->kind <= CPM_COMBINE;
}

typedef struct {
    cpm_clocks clocks;
    double start, stop; /* of its time; stop is negative until it is known */
    move *moves;
    int first, at, end;     /* moves: the first of this round, the next one, behind its last */
    int count;              /* of all moves */
    int receives, received; /* of this round: how many are there, and the move of the last */
    int round;
    double combining; /* seconds of what this round has received so far */
    double at_end;    /* seconds of combining behind all rounds */
    int awaits;       /* rank whose message it needs to go on, -1: none ... */
    int given;        /* ... that message, which does not go through the inbox, -1 */
    bool begun;
    bool in_round; /* its sends are started and it is not complete */
    cpm_inbox inbox;
} rank_state;

typedef struct {
    const cpm_schedule *s;
    const cpm_block_sizes *sizes;
    cpm_cost_function *cost;
    const void *model;
    rank_state *rank; /* [n] */
    int *ready;       /* [n] ranks that can go on, in a circle */
    int ready_first, ready_count;
    cpm_steps steps;            /* of the rank that begins */
    const cpm_placing *placing; /* its own; NULL: what it copies takes no time */
    cpm_task_memory memory;
    double sent, most_sent; /* at once: of all ranks that have begun, of the one that sent most */
    cpm_arrivals arrivals;  /* of the round that ends */
    cpm_mails mails;
    const cpm_plain_walking *how;
    cpm_error *e;
} walk;

/* ---- the ranks that can go on: each is there once at most */

static void make_ready(walk *w, int rank)
{
    int place = w->ready_first + w->ready_count++;
    w->ready[place < w->s->n ? place : place - w->s->n] = rank;
}

/* A rank that will soon go on: where its moves are far away, they are brought near meanwhile. */
static const rank_state *soon_ready(const walk *w)
{
    enum { OTHERS_BEFORE = 2 };
    int place = w->ready_first + OTHERS_BEFORE;
    return &w->rank[w->ready[place < w->s->n ? place : 0]];
}

static int next_ready(walk *w)
{
    const rank_state *soon = soon_ready(w);
    if (soon->moves)
        __builtin_prefetch(&soon->moves[soon->at]);
    int rank = w->ready[w->ready_first++];
    if (w->ready_first == w->s->n)
        w->ready_first = 0;
    w->ready_count--;
    return rank;
}

/* ---- messages */

static int send(walk *w, int rank, int peer, uint32_t names, size_t bytes, int pieces,
                bool deferred)
{
    rank_state *r = &w->rank[rank], *to = &w->rank[peer];
    cpm_cost c;
    w->cost(w->model, rank, peer, bytes, &c);
    if (pieces)
        r->clocks.processor += w->how->copy(w->model, rank, pieces, bytes);
    double start = cpm_clocks_next_start(&r->clocks);
    cpm_incoming way = cpm_clocks_send(&r->clocks, &c, deferred);
    int m = cpm_mails_new(&w->mails);
    if (m < 0)
        return cpm_no_memory(w->e);
    w->mails.at[m] = (cpm_mail){.way = way, .names = names, .from = rank};
    if (w->how->trace) {
        double sent = r->clocks.processor;
        w->how->trace->send(w->how->trace->context, m, rank, peer, bytes, r->round, start, sent);
        w->how->trace->leave(w->how->trace->context, m, sent);
    }
    if (to->awaits != rank)
        return cpm_inbox_put(&to->inbox, w->mails.at, m) ? CPM_OK : cpm_no_memory(w->e);
    to->awaits = -1;
    to->given = m;
    make_ready(w, peer);
    return CPM_OK;
}

/* Takes the message of the next move if it is there, else notes whom the rank waits for. */
static int receive(walk *w, int rank)
{
    rank_state *r = &w->rank[rank];
    move *m = &r->moves[r->at];
    int index = r->given >= 0 ? r->given : cpm_inbox_take(&r->inbox, w->mails.at, m->peer);
    r->given = -1;
    if (index < 0) {
        r->awaits = m->peer;
        return CPM_OK;
    }
    if (w->mails.at[index].names != m->names)
        return cpm_tasks_mismatch(w->s, m->peer, w->mails.at[index].names, rank, m->names, w->e);
    if (m->kind == CPM_COMBINE && w->how->combine)
        r->combining += w->how->combine(w->model, rank, w->s->combining, m->value);
    if (m->pieces)
        r->combining += w->how->copy(w->model, rank, m->pieces, m->value);
    m->value = (uint64_t)index;
    r->receives++;
    r->received = r->at++;
    return CPM_OK;
}

/* ---- rounds */

static void receive_arrived(walk *w, rank_state *r, int index)
{
    const cpm_incoming *m = &w->mails.at[index].way;
    double begin = cpm_clocks_receive(&r->clocks, m);
    if (w->how->trace)
        w->how->trace->recv(w->how->trace->context, index, m->gap > 0 ? r->clocks.in : m->arrival,
                            begin, r->clocks.processor);
    cpm_mails_drop(&w->mails, index);
}

/* In the order of arrival. */
static int receive_all(walk *w, rank_state *r)
{
    cpm_arrivals *a = &w->arrivals;
    if (!cpm_arrivals_reserve(a, r->at - r->first))
        return cpm_no_memory(w->e);
    a->count = 0;
    for (const move *m = &r->moves[r->first]; m < &r->moves[r->at]; m++)
        if (m->kind != CPM_SEND)
            a->at[a->count++] =
                (cpm_arrival){.time = w->mails.at[m->value].way.arrival, .message = (int)m->value};
    cpm_arrivals_sort(a);
    for (int k = 0; k < a->count; k++)
        receive_arrived(w, r, a->at[k].message);
    return CPM_OK;
}

static int end_round(walk *w, rank_state *r)
{
    if (r->receives == 1)
        receive_arrived(w, r, (int)r->moves[r->received].value);
    else if (r->receives > 1 && receive_all(w, r))
        return CPM_ENOMEM;
    cpm_clocks_wait_for_sends(&r->clocks);
    r->clocks.processor += r->combining;
    r->combining = 0;
    r->in_round = false;
    r->receives = 0;
    r->round++;
    return CPM_OK;
}

/* A round's sends are started before it waits for any of its receives. */
static int begin_round(walk *w, int rank)
{
    rank_state *r = &w->rank[rank];
    cpm_clocks_wait_for_sends(&r->clocks); /* of a first round of nothing else */
    r->in_round = true;
    r->first = r->at;
    for (const move *m = &r->moves[r->at];; m++) {
        int code = m->kind == CPM_SEND
                       ? send(w, rank, m->peer, m->names, m->value, m->pieces, m->deferred)
                       : CPM_OK;
        if (code || m->last) {
            r->end = (int)(m - r->moves) + 1;
            return code;
        }
    }
}

static int run_round(walk *w, int rank)
{
    rank_state *r = &w->rank[rank];
    int code = r->in_round ? CPM_OK : begin_round(w, rank);
    while (!code && r->awaits < 0 && r->at < r->end) {
        if (r->moves[r->at].kind == CPM_SEND)
            r->at++;
        else
            code = receive(w, rank);
    }
    return code || r->awaits >= 0 ? code : end_round(w, r);
}

/* ---- ranks */

static inline void keep_move(walk *w, rank_state *r, const cpm_step *step, int round)
{
    int pieces = cpm_task_pieces(w->placing, &w->steps, step);
    if (r->count && r->round != round)
        r->moves[r->count - 1].last = 1;
    r->round = round;
    r->moves[r->count++] = cpm_task_of(w->s, &w->steps, step, w->sizes, pieces);
}

/* The sends of the first round are done at once and need not be kept: in a pattern of one dense
 * round they are half of all steps. Returns the number of steps of that round. */
static int send_first(walk *w, int rank, int *count, int *code)
{
    const cpm_step *step = w->steps.at, *end = step + w->steps.count;
    for (; step < end && step->round == w->steps.at->round && !*code; step++)
        if (step->kind == CPM_SEND) {
            *code = send(w, rank, step->peer, cpm_task_names(step),
                         cpm_step_bytes(w->s, &w->steps, step, w->sizes),
                         cpm_task_pieces(w->placing, &w->steps, step), step->deferred);
            --*count;
        }
    return (int)(step - w->steps.at);
}

/* What is received then is a round behind all others. */
static bool is_for_the_end(const cpm_step *step)
{
    return step->deferred && step->kind != CPM_SEND;
}

static void keep_deferred(walk *w, rank_state *r)
{
    for (int k = 0; k < w->steps.count; k++)
        if (is_for_the_end(&w->steps.at[k]))
            keep_move(w, r, &w->steps.at[k], INT_MAX);
}

static int keep_moves(walk *w, rank_state *r, int first, int count)
{
    const cpm_steps *steps = &w->steps;
    if (count == 0)
        return CPM_OK;
    int code = cpm_tasks_create(&w->memory, count, &r->moves, w->e);
    if (code)
        return code;
    for (int k = 0; k < first; k++)
        if (steps->at[k].kind != CPM_SEND && !is_for_the_end(&steps->at[k]))
            keep_move(w, r, &steps->at[k], steps->at[k].round);
    int round = r->count || first == steps->count ? steps->at[0].round : steps->at[first].round;
    r->in_round = r->count && is_message(&r->moves[0]);
    r->end = r->count;
    for (int k = first; k < steps->count; k++)
        if (!is_for_the_end(&steps->at[k]))
            keep_move(w, r, &steps->at[k], steps->at[k].round);
    if (r->count < count)
        keep_deferred(w, r);
    r->moves[count - 1].last = 1;
    r->round = round;
    return CPM_OK;
}

/* Messages of a first round wait for receivers that have not begun. */
static void expect(walk *w, int sent)
{
    const double each = sizeof(cpm_mail) + 2 * sizeof(int); /* in an inbox, half of it empty */
    int begun = w->memory.begun + 1;
    w->sent += sent;
    w->most_sent = fmax(w->most_sent, sent);
    w->memory.besides = (size_t)(each * cpm_tasks_of_all(w->s->n, begun, w->sent, w->most_sent));
    w->memory.taken = (size_t)(each * w->mails.used);
}

static int begin(walk *w, int rank)
{
    w->rank[rank].begun = true;
    int code = cpm_schedule_rank(w->s, rank, &w->steps, w->e);
    if (code)
        return code;
    cpm_placing placing;
    if (w->how->copy || w->s->apart) {
        code = cpm_placing_usual(w->s, &w->steps, rank, &placing, w->e);
        if (code)
            return code;
        cpm_own_work own = cpm_placing_work(&placing, &w->steps, w->sizes, w->how->combine,
                                            w->how->copy, w->model);
        w->placing = w->how->copy ? &placing : NULL;
        w->rank[rank].clocks.processor += own.before;
        w->rank[rank].at_end = own.after;
    }
    int count = w->steps.count, first = send_first(w, rank, &count, &code);
    expect(w, w->steps.count - count);
    if (!code)
        code = keep_moves(w, &w->rank[rank], first, count);
    w->placing = NULL;
    return code;
}

static void finish(walk *w, rank_state *r)
{
    cpm_clocks_wait_for_sends(&r->clocks);
    r->clocks.processor += r->at_end + r->clocks.computing;
    cpm_tasks_free(&w->memory, r->moves, r->count);
    r->moves = NULL;
    if (r->inbox.waiting == 0)
        cpm_inbox_close(&r->inbox);
}

static void pass_mark(walk *w, int rank)
{
    rank_state *r = &w->rank[rank];
    const move *m = &r->moves[r->at++];
    cpm_step_kind kind = m->kind;
    cpm_clocks_wait_for_sends(&r->clocks);
    r->round++;
    if (kind == CPM_START)
        r->start = r->clocks.processor;
    else if (kind == CPM_STOP)
        r->stop = r->clocks.processor;
    else if (kind == CPM_WAIT)
        r->clocks.processor *= 3;
    else if (kind == CPM_MERGE && w->how->combine)
        r->clocks.processor += w->how->combine(w->model, rank, w->s->combining, m->value);
    else if (kind == CPM_RENEW && w->how->fresh)
        r->clocks.processor += w->how->fresh(w->model, rank, (double)m->value);
}

static int run(walk *w, int rank)
{
    rank_state *r = &w->rank[rank];
    int code = r->begun ? CPM_OK : begin(w, rank);
    while (!code && r->awaits < 0 && (r->in_round || r->at < r->count))
        if (r->in_round || is_message(&r->moves[r->at]))
            code = run_round(w, rank);
        else
            pass_mark(w, rank);
    if (!code && r->awaits < 0)
        finish(w, r);
    return code;
}

/* ---- the whole */

static int check_end(walk *w)
{
    for (int r = 0; r < w->s->n; r++)
        if (w->rank[r].awaits >= 0)
            return cpm_fail(w->e, CPM_EDEADLOCK,
                            "rank %d waits for ever for a message from rank %d", r,
                            w->rank[r].awaits);
    for (int r = 0; r < w->s->n; r++)
        if (w->rank[r].inbox.waiting)
            return cpm_fail(w->e, CPM_EWRONG, "rank %d never receives a message of rank %d", r,
                            w->mails.at[cpm_inbox_any(&w->rank[r].inbox)].from);
    return CPM_OK;
}

static int open_walk(walk *w)
{
    size_t n = (size_t)w->s->n;
    cpm_mails_open(&w->mails);
    w->memory.n = w->s->n;
    w->rank = calloc(n, sizeof *w->rank);
    w->ready = malloc(n * sizeof *w->ready);
    if (!w->rank || !w->ready)
        return cpm_no_memory(w->e);
    for (int r = 0; r < w->s->n; r++) {
        w->rank[r].awaits = w->rank[r].given = -1;
        w->rank[r].stop = -1;
        w->rank[r].clocks = cpm_clocks_at_zero;
        w->rank[r].clocks.computing = w->how->computing;
        w->rank[r].start = w->rank[r].clocks.processor = w->how->leave ? w->how->leave[r] : 0;
        cpm_inbox_open(&w->rank[r].inbox);
        make_ready(w, r);
    }
    return CPM_OK;
}

static void close_walk(walk *w)
{
    for (int r = 0; w->rank && r < w->s->n; r++) {
        cpm_tasks_free(&w->memory, w->rank[r].moves, w->rank[r].count);
        cpm_inbox_close(&w->rank[r].inbox);
    }
    cpm_tasks_close(&w->memory);
    cpm_mails_free(&w->mails);
    cpm_steps_free(&w->steps);
    cpm_arrivals_free(&w->arrivals);
    free(w->rank);
    free(w->ready);
}

static double last_finish(const walk *w, double *finish_times)
{
    double last = 0;
    for (int r = 0; r < w->s->n; r++) {
        const rank_state *x = &w->rank[r];
        if (finish_times)
            finish_times[r] = (x->stop < 0 ? x->clocks.processor : x->stop) - x->start;
        last = x->clocks.processor > last ? x->clocks.processor : last;
    }
    return last;
}

/* False: a rank has come to the time from which on nobody wants to know more. */
static bool run_all(walk *w, int *code)
{
    while (!*code && w->ready_count) {
        int rank = next_ready(w);
        *code = run(w, rank);
        if (!*code && w->how->until > 0 && w->rank[rank].clocks.processor >= w->how->until)
            return false;
    }
    return true;
}

static double walk_all(walk *w, double *finish_times)
{
    int code = open_walk(w);
    bool whole = run_all(w, &code);
    if (!code && whole)
        code = check_end(w);
    double seconds = code ? code : whole ? last_finish(w, finish_times) : w->how->until;
    close_walk(w);
    return seconds;
}

double cpm_plain_walk(const cpm_schedule *s, const cpm_block_sizes *sizes, cpm_cost_function *cost,
                      const void *model, const cpm_plain_walking *how, double *finish_times,
                      cpm_error *e)
{
    static const cpm_plain_walking to_the_end = {0};
    walk w = {.s = s, .sizes = sizes, .cost = cost, .model = model, .e = e};
    w.how = how ? how : &to_the_end;
    bool walked = false;
    double seconds = w.how->trace || w.how->leave
                         ? 0
                         : cpm_walk_spmd(s, sizes, cost, model, w.how, finish_times, &walked, e);
    return walked || seconds < 0 ? seconds : walk_all(&w, finish_times);
}

double cpm_walk(const cpm_schedule *s, const cpm_block_sizes *sizes, cpm_cost_function *cost,
                const void *model, double *finish_times, cpm_error *e)
{
    return cpm_plain_walk(s, sizes, cost, model, NULL, finish_times, e);
}
