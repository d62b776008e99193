/* The checker runs a schedule with the strictest messages: a send completes only with its receive,
 * and both only once their two ranks are in those rounds. What finishes here finishes under every
 * MPI. What a rank sends is what it held when the round began. */
#include "collectives/schedule/proof.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vector.h"
#include "collectives/schedule/ownership.h"
#include "collectives/schedule/pairs.h"

typedef struct {
    cpm_steps steps;
    uint64_t **content; /* [steps] what a message carries, if its positions do not say it */
    int from, to;       /* steps of the current round: [from, to) */
    int open;           /* of them not yet matched, but for those of deferred rounds */
} rank_state;

/* A posted step that waits for its other end. */
typedef struct {
    int step; /* of the rank that posted it */
    int next; /* in the queue, -1: last */
} post;

typedef struct {
    const cpm_schedule *s;
    const cpm_operation *op;
    rank_state *rank;
    cpm_hash sends, recvs; /* what waits for its other end, by sender and receiver */
    post *posts;           /* one per step, so none is ever reused */
    int posted;
    int *ready, ready_count; /* ranks whose round is complete */
    cpm_ownership *ownership;
    cpm_error *e;
} check;

/* ---- deferred rounds ---- */

static bool touch(const cpm_steps *steps, const cpm_step *a, const cpm_step *b)
{
    for (int i = 0; i < a->runs; i++)
        for (int j = 0; j < b->runs; j++) {
            cpm_run x = cpm_step_run(steps, a, i), y = cpm_step_run(steps, b, j);
            if (x.first < y.first + y.count && y.first < x.first + x.count)
                return true;
        }
    return false;
}

/* A deferred message and another of its round or after it. */
static bool disturbs(const cpm_steps *steps, const cpm_step *deferred, const cpm_step *other)
{
    bool sends = deferred->kind == CPM_SEND, both_send = sends && other->kind == CPM_SEND;
    bool same_way = sends == (other->kind == CPM_SEND);
    return (same_way && other->peer == deferred->peer) ||
           (!both_send && touch(steps, deferred, other));
}

/* What schedule.h demands of deferred rounds. */
static int check_deferred(check *c, int rank)
{
    const cpm_steps *steps = &c->rank[rank].steps;
    for (int k = 0; k < steps->count; k++) {
        const cpm_step *step = &steps->at[k];
        if (step->deferred && step->kind == CPM_COMBINE)
            return cpm_fail(c->e, CPM_EWRONG, "rank %d combines in a deferred round", rank);
        for (int j = k + 1; step->deferred && j < steps->count; j++)
            if (disturbs(steps, step, &steps->at[j]))
                return cpm_fail(c->e, CPM_EWRONG,
                                "rank %d has a deferred message with rank %d, and one with rank "
                                "%d behind it that may not be there",
                                rank, step->peer, steps->at[j].peer);
    }
    return CPM_OK;
}

/* ---- one step by itself ---- */

static int check_range(check *c, int rank, const cpm_step *step, cpm_run run)
{
    int64_t blocks = c->s->blocks;
    if (run.count < 1 || run.first < 0 || run.count > blocks || run.first > blocks - run.count)
        return cpm_fail(c->e, CPM_EWRONG,
                        "rank %d has a message with rank %d of positions %lld to %lld out of %lld",
                        rank, step->peer, (long long)run.first,
                        (long long)(run.first + run.count - 1), (long long)blocks);
    return CPM_OK;
}

static int begin_step(check *c, int rank, int k)
{
    rank_state *r = &c->rank[rank];
    const cpm_step *step = &r->steps.at[k];
    int code = CPM_OK;
    if (!cpm_step_is_message(step))
        code = cpm_fail(c->e, CPM_EWRONG, "rank %d has a step of an experiment", rank);
    for (int q = 0; q < step->runs && !code; q++)
        code = check_range(c, rank, step, cpm_step_run(&r->steps, step, q));
    if (!code && step->kind == CPM_SEND)
        code = cpm_ownership_send(c->ownership, rank, &r->steps, step, &r->content[k], c->e);
    return code;
}

/* ---- the two ends of a message ---- */

static void complete(check *c, int rank, const cpm_step *step)
{
    if (!step->deferred && --c->rank[rank].open == 0)
        c->ready[c->ready_count++] = rank;
}

static int enqueue(check *c, cpm_hash *queues, int from, int to, int step)
{
    cpm_slot *pair = cpm_pairs_at(queues, from, to);
    if (!pair || !cpm_vector_extend(&c->posts, c->posted, sizeof *c->posts))
        return cpm_no_memory(c->e);
    c->posts[c->posted] = (post){step, -1};
    if (pair->head < 0)
        pair->head = c->posted;
    else
        c->posts[pair->tail].next = c->posted;
    pair->tail = c->posted++;
    return CPM_OK;
}

/* Matches a step with the oldest that waits at the other end, or lets it wait. */
static int post_step(check *c, int rank, int k)
{
    const cpm_step *step = &c->rank[rank].steps.at[k];
    bool sends = step->kind == CPM_SEND;
    int from = sends ? rank : step->peer, to = sends ? step->peer : rank;
    cpm_slot *pair = cpm_hash_find(sends ? &c->recvs : &c->sends, cpm_pair_key(from, to));
    if (!pair || pair->head < 0)
        return enqueue(c, sends ? &c->sends : &c->recvs, from, to, k);
    int j = c->posts[pair->head].step;
    rank_state *own = &c->rank[rank], *peer = &c->rank[step->peer];
    const cpm_step *other = &peer->steps.at[j];
    pair->head = c->posts[pair->head].next;
    uint64_t **sent = sends ? &own->content[k] : &peer->content[j];
    *(sends ? &peer->content[j] : &own->content[k]) = *sent;
    *sent = NULL;
    complete(c, rank, step);
    complete(c, step->peer, other);
    return cpm_steps_match(sends ? step : other, from, sends ? other : step, to, c->e);
}

/* ---- rounds ---- */

/* Steps [from, to), if they are of deferred rounds, or if they are not. */
static int receive(check *c, int rank, int from, int to, bool deferred)
{
    rank_state *r = &c->rank[rank];
    int code = CPM_OK;
    for (int k = from; k < to && !code; k++) {
        const cpm_step *step = &r->steps.at[k];
        if (step->deferred != deferred)
            continue;
        if (cpm_step_receives(step))
            code = cpm_ownership_receive(c->ownership, rank, &r->steps, step, r->content[k], c->e);
        free(r->content[k]);
        r->content[k] = NULL;
    }
    return code;
}

static int begin_round(check *c, int rank)
{
    rank_state *r = &c->rank[rank];
    int code = CPM_OK;
    r->from = r->to;
    while (r->to < r->steps.count && r->steps.at[r->to].round == r->steps.at[r->from].round)
        r->to++;
    bool deferred = r->from < r->to && r->steps.at[r->from].deferred;
    r->open = deferred ? 0 : r->to - r->from;
    for (int k = r->from; k < r->to && !code; k++)
        code = begin_step(c, rank, k);
    for (int k = r->from; k < r->to && !code; k++)
        code = post_step(c, rank, k);
    if (deferred)
        c->ready[c->ready_count++] = rank;
    return code;
}

static int run(check *c)
{
    int code = CPM_OK;
    while (!code && c->ready_count) {
        int rank = c->ready[--c->ready_count];
        code = receive(c, rank, c->rank[rank].from, c->rank[rank].to, false);
        if (!code)
            code = begin_round(c, rank);
    }
    return code;
}

/* ---- the end ---- */

static bool finished(const rank_state *r)
{
    return r->open == 0;
}

static bool waits(const cpm_slot *pair)
{
    return pair->key && pair->head >= 0;
}

/* A rank that waits, and for what: the other end of a step that was posted. */
typedef struct {
    int rank, peer;
    bool sends;
    const cpm_step *step;
} wait;

static wait wait_of(const check *c, const cpm_slot *pair, bool sends)
{
    int from = cpm_pair_from(pair), to = cpm_pair_to(pair), rank = sends ? from : to;
    return (wait){rank, sends ? to : from, sends,
                  &c->rank[rank].steps.at[c->posts[pair->head].step]};
}

static void name_message(const check *c, const wait *w, char text[CPM_POSITION_NAME])
{
    if (w->step->runs)
        cpm_position_name(c->s, w->step->run.first, text);
    else
        snprintf(text, CPM_POSITION_NAME, "a message without data");
}

static bool is_before(const wait *a, const wait *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->peer < b->peer;
}

/* Of those who wait and are sought the lowest rank, in whatever order they lie, receiving before
 * sending; false if nobody is. */
static bool find_wait(const check *c, bool (*sought)(const check *c, const wait *w, int rank),
                      int rank, wait *out)
{
    bool found = false;
    for (int side = 0; side < 2; side++) {
        const cpm_hash *queues = side ? &c->sends : &c->recvs;
        for (size_t k = 0; k < queues->capacity; k++) {
            if (!waits(&queues->slot[k]))
                continue;
            wait w = wait_of(c, &queues->slot[k], side == 1);
            if (!sought(c, &w, rank) || (found && !is_before(&w, out)))
                continue;
            *out = w;
            found = true;
        }
    }
    return found;
}

static bool is_in_vain(const check *c, const wait *w, int rank)
{
    (void)rank;
    return finished(&c->rank[w->peer]);
}

/* Nobody waits for what is deferred before all else is done. */
static bool is_of(const check *c, const wait *w, int rank)
{
    (void)c;
    return w->rank == rank && !w->step->deferred;
}

static int refuse_lone_end(check *c, const wait *w)
{
    char message[CPM_POSITION_NAME];
    name_message(c, w, message);
    return cpm_fail(c->e, CPM_EWRONG,
                    w->sends ? "left over: rank %d sends %s to rank %d, which never receives it"
                             : "rank %d expects %s from rank %d, which never sends it",
                    w->rank, message, w->peer);
}

/* Says who waits for whom, all around the circle that begins and ends with rank; of a long one the
 * beginning. */
static int refuse_circle(check *c, int rank)
{
    enum { MOST = 6 };
    char text[480] = "", message[CPM_POSITION_NAME];
    size_t used = 0;
    int at = rank, count = 0;
    wait w;
    for (; (count == 0 || at != rank) && find_wait(c, is_of, at, &w); at = w.peer, count++) {
        name_message(c, &w, message);
        if (count < MOST && used < sizeof text)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%srank %d %srank %d to %s %s",
                                 count ? ", " : "", w.rank, count ? "for " : "waits for ", w.peer,
                                 w.sends ? "receive" : "send", message);
    }
    return cpm_fail(c->e, CPM_EDEADLOCK, "deadlock of %d ranks: %s%s", count, text,
                    count > MOST ? ", ..." : "");
}

/* Everybody who waits does so for one who waits: after as many steps as there are ranks the way is
 * in the circle. */
static int find_circle(const check *c, int rank)
{
    wait w;
    for (int k = 0; k < c->s->n && find_wait(c, is_of, rank, &w); k++)
        rank = w.peer;
    return rank;
}

static bool is_any(const check *c, const wait *w, int rank)
{
    (void)c, (void)rank;
    return !w->step->deferred;
}

/* The root of the trouble is a message whose other end has finished; without one it is a circle of
 * ranks that wait for each other. */
static int check_end(check *c)
{
    wait w;
    int code = CPM_OK;
    if (find_wait(c, is_in_vain, -1, &w))
        return refuse_lone_end(c, &w);
    if (find_wait(c, is_any, -1, &w))
        return refuse_circle(c, find_circle(c, w.rank));
    for (int rank = 0; rank < c->s->n && !code; rank++) /* all messages have met */
        code = receive(c, rank, 0, c->rank[rank].steps.count, true);
    return code ? code : cpm_ownership_check_end(c->ownership, c->e);
}

/* ---- set-up ---- */

static int check_order(check *c)
{
    const cpm_schedule *s = c->s;
    int64_t units = cpm_schedule_units(s), demanded = c->op->units(s->n, s->neighbours);
    if (units != demanded || units * (s->pieces > 1 ? s->pieces : 1) != s->blocks)
        return cpm_fail(c->e, CPM_EWRONG, "the schedule has %lld blocks, but %s of %d ranks %lld",
                        (long long)units, c->op->name, s->n, (long long)demanded);
    if (!s->order)
        return CPM_OK;
    char *seen = calloc((size_t)units, 1);
    int code = seen ? CPM_OK : cpm_no_memory(c->e);
    for (int64_t p = 0; p < units && !code; p++) {
        int64_t b = s->order[p];
        if (b < 0 || b >= units || seen[b])
            code = cpm_fail(c->e, CPM_EWRONG,
                            "the order of blocks has %lld at position %lld, "
                            "which is out of range or there twice",
                            (long long)b, (long long)p);
        else
            seen[b] = 1;
    }
    free(seen);
    return code;
}

static int allocate(check *c)
{
    size_t n = (size_t)c->s->n;
    c->rank = calloc(n, sizeof *c->rank);
    c->ready = malloc(n * sizeof *c->ready);
    return c->rank && c->ready ? CPM_OK : cpm_no_memory(c->e);
}

static int begin_rank(check *c, int rank)
{
    rank_state *r = &c->rank[rank];
    int code = cpm_schedule_rank(c->s, rank, &r->steps, c->e);
    if (code)
        return code;
    r->content = calloc((size_t)r->steps.count + 1, sizeof(uint64_t *));
    c->ready[c->ready_count++] = rank;
    return r->content ? check_deferred(c, rank) : cpm_no_memory(c->e);
}

static int begin(check *c, bool ordered)
{
    int code = check_order(c);
    if (!code)
        code = allocate(c);
    if (!code)
        code = cpm_ownership_create(c->s, c->op, ordered, &c->ownership, c->e);
    for (int rank = 0; rank < c->s->n && !code; rank++)
        code = begin_rank(c, rank);
    return code;
}

static void end_rank(rank_state *r)
{
    for (int k = 0; r->content && k < r->steps.count; k++)
        free(r->content[k]);
    free(r->content);
    cpm_steps_free(&r->steps);
}

static void end(check *c)
{
    for (int rank = 0; c->rank && rank < c->s->n; rank++)
        end_rank(&c->rank[rank]);
    cpm_ownership_free(c->ownership);
    cpm_hash_free(&c->sends);
    cpm_hash_free(&c->recvs);
    free(c->posts);
    free(c->rank);
    free(c->ready);
}

int cpm_check(const cpm_schedule *s, const cpm_operation *op, bool ordered, cpm_error *e)
{
    check c = {.s = s, .op = op, .e = e};
    int code = begin(&c, ordered);
    if (!code)
        code = run(&c);
    if (!code)
        code = check_end(&c);
    end(&c);
    return code;
}
