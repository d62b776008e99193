/* The checker runs a schedule with the strictest messages: a send completes only with its receive,
 * and both only once their two ranks are in those rounds. What finishes here finishes under every
 * MPI. What a rank may send is what it held when the round began.
 *
 * Blocks are kept by position, one bit per rank and position. */
#include "mpib/schedule/check.h"

#include <stdbool.h>
#include <stdlib.h>

#include "mpib/schedule/pairs.h"

typedef struct {
    cpm_steps steps;
    int from, to; /* steps of the current round: [from, to) */
    int open;     /* of them not yet matched */
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
    cpm_pairs sends, recvs; /* what waits for its other end, by sender and receiver */
    post *posts;            /* one per step, so none is ever reused */
    int posted, capacity;
    int *ready, ready_count; /* ranks whose round is complete */
    uint64_t *held;          /* [n * words] */
    size_t words;
    cpm_error *e;
} check;

static int no_memory(check *c)
{
    return cpm_fail(c->e, CPM_ENOMEM, "out of memory while checking a schedule of %d ranks",
                    c->s->n);
}

static int64_t block_at(const cpm_schedule *s, int64_t position)
{
    return s->order ? s->order[position] : position;
}

static bool holds(const check *c, int rank, int64_t position)
{
    return c->held[(size_t)rank * c->words + (size_t)position / 64] >> (position % 64) & 1;
}

static void hold(check *c, int rank, int64_t position)
{
    c->held[(size_t)rank * c->words + (size_t)position / 64] |= UINT64_C(1) << (position % 64);
}

/* ---- one step by itself ---- */

static int check_range(check *c, int rank, const cpm_step *step)
{
    int64_t low = step->first, high = step->first + step->count;
    if (step->times > 1 && step->stride > 0)
        high += (step->times - 1) * step->stride;
    if (step->times > 1 && step->stride < 0)
        low += (step->times - 1) * step->stride;
    if (step->times < 1 || step->count < 1 || low < 0 || high > c->s->blocks)
        return cpm_fail(c->e, CPM_EWRONG,
                        "rank %d has a message with rank %d of positions %lld to %lld out of %lld",
                        rank, step->peer, (long long)low, (long long)high - 1,
                        (long long)c->s->blocks);
    return CPM_OK;
}

static int check_held(check *c, int rank, const cpm_step *step)
{
    for (int t = 0; t < step->times; t++)
        for (int64_t k = 0; k < step->count; k++) {
            int64_t position = step->first + t * step->stride + k;
            if (!holds(c, rank, position))
                return cpm_fail(c->e, CPM_EWRONG,
                                "rank %d sends block %lld to rank %d without holding it", rank,
                                (long long)block_at(c->s, position), step->peer);
        }
    return CPM_OK;
}

static void hold_received(check *c, int rank, const cpm_step *step)
{
    for (int t = 0; t < step->times; t++)
        for (int64_t k = 0; k < step->count; k++)
            hold(c, rank, step->first + t * step->stride + k);
}

/* ---- the two ends of a message ---- */

static void complete(check *c, int rank)
{
    if (--c->rank[rank].open == 0)
        c->ready[c->ready_count++] = rank;
}

static int enqueue(check *c, cpm_pairs *queues, int from, int to, int step)
{
    if (c->posted == c->capacity) {
        int capacity = c->capacity ? 2 * c->capacity : 256;
        post *more = realloc(c->posts, (size_t)capacity * sizeof *more);
        if (!more)
            return no_memory(c);
        c->posts = more;
        c->capacity = capacity;
    }
    cpm_pair *pair = cpm_pairs_at(queues, from, to);
    if (!pair)
        return no_memory(c);
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
    cpm_pair *pair = cpm_pairs_find(sends ? &c->recvs : &c->sends, from, to);
    if (!pair || pair->head < 0)
        return enqueue(c, sends ? &c->sends : &c->recvs, from, to, k);
    const cpm_step *other = &c->rank[step->peer].steps.at[c->posts[pair->head].step];
    pair->head = c->posts[pair->head].next;
    complete(c, rank);
    complete(c, step->peer);
    return cpm_steps_match(sends ? step : other, from, sends ? other : step, to, c->e);
}

/* ---- rounds ---- */

static void end_round(check *c, int rank)
{
    const rank_state *r = &c->rank[rank];
    for (int k = r->from; k < r->to; k++)
        if (r->steps.at[k].kind == CPM_RECV)
            hold_received(c, rank, &r->steps.at[k]);
}

static int begin_round(check *c, int rank)
{
    rank_state *r = &c->rank[rank];
    int code = CPM_OK;
    r->from = r->to;
    while (r->to < r->steps.count && r->steps.at[r->to].round == r->steps.at[r->from].round)
        r->to++;
    r->open = r->to - r->from;
    for (int k = r->from; k < r->to && !code; k++) {
        code = check_range(c, rank, &r->steps.at[k]);
        if (!code && r->steps.at[k].kind == CPM_SEND)
            code = check_held(c, rank, &r->steps.at[k]);
    }
    for (int k = r->from; k < r->to && !code; k++)
        code = post_step(c, rank, k);
    return code;
}

static int run(check *c)
{
    int code = CPM_OK;
    while (!code && c->ready_count) {
        int rank = c->ready[--c->ready_count];
        end_round(c, rank);
        code = begin_round(c, rank);
    }
    return code;
}

/* ---- the end ---- */

static bool finished(const rank_state *r)
{
    return r->open == 0;
}

static bool waits(const cpm_pair *pair)
{
    return pair->from >= 0 && pair->head >= 0;
}

/* The root of the trouble is a message whose other end has finished; without one it is a circle of
 * ranks that wait for each other. */
static int blame(check *c, const cpm_pair *pair, bool sends, bool circle)
{
    int waiting = sends ? pair->from : pair->to, peer = sends ? pair->to : pair->from;
    if (circle)
        return cpm_fail(c->e, CPM_EDEADLOCK,
                        "deadlock: rank %d waits for rank %d to %s, and none of them can go on",
                        waiting, peer, sends ? "receive" : "send");
    if (!finished(&c->rank[peer]))
        return CPM_OK;
    const cpm_step *step = &c->rank[waiting].steps.at[c->posts[pair->head].step];
    return cpm_fail(c->e, CPM_EWRONG,
                    sends
                        ? "left over: rank %d sends block %lld to rank %d, which never receives it"
                        : "rank %d expects block %lld from rank %d, which never sends it",
                    waiting, (long long)block_at(c->s, step->first), peer);
}

static int check_waiting(check *c, bool circle)
{
    for (int side = 0; side < 2; side++) {
        const cpm_pairs *queues = side ? &c->sends : &c->recvs;
        for (size_t k = 0; k < queues->capacity; k++) {
            int code =
                waits(&queues->slot[k]) ? blame(c, &queues->slot[k], side == 1, circle) : CPM_OK;
            if (code)
                return code;
        }
    }
    return CPM_OK;
}

static int check_result(check *c)
{
    for (int rank = 0; rank < c->s->n; rank++)
        for (int64_t p = 0; p < c->s->blocks; p++)
            if (!holds(c, rank, p) && c->op->after(c->s->n, c->s->root, rank, block_at(c->s, p)))
                return cpm_fail(c->e, CPM_EWRONG, "rank %d ends without block %lld", rank,
                                (long long)block_at(c->s, p));
    return CPM_OK;
}

static int check_end(check *c)
{
    int code = check_waiting(c, false);
    if (!code)
        code = check_waiting(c, true);
    return code ? code : check_result(c);
}

/* ---- set-up ---- */

static int check_order(check *c)
{
    const cpm_schedule *s = c->s;
    if (s->blocks != c->op->blocks(s->n))
        return cpm_fail(c->e, CPM_EWRONG, "the schedule has %lld blocks, but %s of %d ranks %lld",
                        (long long)s->blocks, c->op->name, s->n, (long long)c->op->blocks(s->n));
    if (!s->order)
        return CPM_OK;
    char *seen = calloc((size_t)s->blocks, 1);
    int code = seen ? CPM_OK : no_memory(c);
    for (int64_t p = 0; p < s->blocks && !code; p++) {
        int64_t b = s->order[p];
        if (b < 0 || b >= s->blocks || seen[b])
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
    c->words = ((size_t)c->s->blocks + 63) / 64;
    c->rank = calloc(n, sizeof *c->rank);
    c->ready = malloc(n * sizeof *c->ready);
    c->held = calloc(n * c->words, sizeof *c->held);
    return c->rank && c->ready && c->held ? CPM_OK : no_memory(c);
}

static int begin(check *c)
{
    int code = check_order(c);
    if (!code)
        code = allocate(c);
    for (int rank = 0; rank < c->s->n && !code; rank++) {
        code = cpm_schedule_rank(c->s, rank, &c->rank[rank].steps, c->e);
        for (int64_t p = 0; p < c->s->blocks; p++)
            if (c->op->before(c->s->n, c->s->root, rank, block_at(c->s, p)))
                hold(c, rank, p);
        c->ready[c->ready_count++] = rank;
    }
    return code;
}

static void end(check *c)
{
    for (int rank = 0; c->rank && rank < c->s->n; rank++)
        cpm_steps_free(&c->rank[rank].steps);
    cpm_pairs_free(&c->sends);
    cpm_pairs_free(&c->recvs);
    free(c->posts);
    free(c->rank);
    free(c->ready);
    free(c->held);
}

int cpm_check(const cpm_schedule *s, const cpm_operation *op, cpm_error *e)
{
    check c = {.s = s, .op = op, .e = e};
    int code = begin(&c);
    if (!code)
        code = run(&c);
    if (!code)
        code = check_end(&c);
    end(&c);
    return code;
}
