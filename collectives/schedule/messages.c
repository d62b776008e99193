/* Lists of messages, and the rows that are made of them. */
#include "collectives/schedule/messages.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

void cpm_messages_clear(cpm_messages *m)
{
    free(m->host);
    free(m->at);
    free(m->run);
    *m = (cpm_messages){0};
}

int cpm_messages_add(cpm_messages *m, int from, int to, int round, bool combines, cpm_error *e)
{
    if (!cpm_vector_reserve(&m->at, &m->capacity, m->count + 1, sizeof *m->at))
        return cpm_no_memory(e);
    m->at[m->count++] = (cpm_message){.from = from,
                                      .to = to,
                                      .round = {round, round},
                                      .combines = combines,
                                      .first_run = m->run_count};
    return CPM_OK;
}

int cpm_messages_and(cpm_messages *m, int64_t first, int64_t count, cpm_error *e)
{
    cpm_message *last = &m->at[m->count - 1];
    cpm_run *before = last->runs ? &m->run[m->run_count - 1] : NULL;
    if (before && before->first + before->count == first) {
        before->count += count;
        return CPM_OK;
    }
    if (!cpm_vector_reserve(&m->run, &m->run_capacity, m->run_count + 1, sizeof *m->run))
        return cpm_no_memory(e);
    m->run[m->run_count++] = (cpm_run){first, count};
    last->runs++;
    return CPM_OK;
}

int cpm_messages_set_hosts(cpm_messages *m, const cpm_hosts *hosts, cpm_error *e)
{
    free(m->host);
    m->host = malloc((size_t)m->n * sizeof *m->host);
    if (!m->host)
        return cpm_no_memory(e);
    memcpy(m->host, hosts->of, (size_t)m->n * sizeof *m->host);
    return CPM_OK;
}

/* ---- a row */

/* The ends of messages, rank by rank: message and side. */
typedef struct {
    const cpm_messages *of;
    int64_t *first; /* [n + 1] */
    int64_t *end;   /* [2 * count] 2 * message + side */
} ends;

static void free_ends(void *state)
{
    ends *x = state;
    free(x->first);
    free(x->end);
    free(x);
}

static int rank_of(const cpm_messages *m, int64_t end)
{
    const cpm_message *x = &m->at[end / 2];
    return end % 2 == CPM_AT_SENDER ? x->from : x->to;
}

static int round_of(const cpm_messages *m, int64_t end)
{
    return m->at[end / 2].round[end % 2];
}

/* An end with its round; ends count as the list does. */
typedef struct {
    int round;
    int64_t end;
} timed;

static int compare_rounds(const void *a, const void *b)
{
    const timed *x = a, *y = b;
    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    return x->end < y->end ? -1 : 1;
}

/* Of one rank; most lists are in the order of rounds. */
static int sort_by_round(const cpm_messages *m, int64_t *end, int64_t count, cpm_error *e)
{
    int64_t sorted = 1;
    while (sorted < count && round_of(m, end[sorted - 1]) <= round_of(m, end[sorted]))
        sorted++;
    if (sorted >= count)
        return CPM_OK;
    timed *at = malloc((size_t)count * sizeof *at);
    if (!at)
        return cpm_no_memory(e);
    for (int64_t k = 0; k < count; k++)
        at[k] = (timed){round_of(m, end[k]), end[k]};
    qsort(at, (size_t)count, sizeof *at, compare_rounds);
    for (int64_t k = 0; k < count; k++)
        end[k] = at[k].end;
    free(at);
    return CPM_OK;
}

static int sort_ends(const cpm_messages *m, ends *out, cpm_error *e)
{
    out->of = m;
    out->first = calloc((size_t)m->n + 2, sizeof *out->first);
    out->end = malloc((size_t)(2 * m->count + 1) * sizeof *out->end);
    if (!out->first || !out->end)
        return cpm_no_memory(e);
    for (int64_t x = 0; x < 2 * m->count; x++)
        out->first[rank_of(m, x) + 2]++;
    for (int r = 0; r < m->n; r++)
        out->first[r + 2] += out->first[r + 1];
    for (int64_t x = 0; x < 2 * m->count; x++)
        out->end[out->first[rank_of(m, x) + 1]++] = x;
    int status = CPM_OK;
    for (int r = 0; r < m->n && !status; r++)
        status = sort_by_round(m, out->end + out->first[r], out->first[r + 1] - out->first[r], e);
    return status;
}

static void end_round(const cpm_messages *m, int64_t end, cpm_steps *out)
{
    if (m->at[end / 2].deferred[end % 2])
        cpm_defer_round(out);
    else
        cpm_next_round(out);
}

static void build_messages(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const ends *x = s->state;
    const cpm_messages *m = x->of;
    for (int64_t k = x->first[rank]; k < x->first[rank + 1]; k++) {
        const cpm_message *one = &m->at[x->end[k] / 2];
        bool sends = x->end[k] % 2 == CPM_AT_SENDER;
        cpm_steps_add(out,
                      sends           ? CPM_SEND
                      : one->combines ? CPM_COMBINE
                                      : CPM_RECV,
                      sends ? one->to : one->from, 0, 0);
        for (int64_t r = one->first_run; r < one->first_run + one->runs; r++)
            cpm_and(out, m->run[r].first, m->run[r].count);
        if (k + 1 == x->first[rank + 1] || round_of(m, x->end[k + 1]) != round_of(m, x->end[k]))
            end_round(m, x->end[k], out);
    }
}

static int create_messages(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                           cpm_error *e)
{
    (void)call;
    const cpm_messages *m = a->variant;
    ends *x = calloc(1, sizeof *x);
    if (!x)
        return cpm_no_memory(e);
    s->state = x;
    s->free_state = free_ends;
    s->build = build_messages;
    s->pieces = m->pieces > 1 ? m->pieces : 1;
    s->apart = m->apart;
    s->blocks = m->operation->units(m->n, NULL) * s->pieces;
    return sort_ends(m, x, e);
}

cpm_algorithm cpm_messages_row(const cpm_messages *m, const char *name)
{
    const unsigned reorders = m->operation->combines ? CPM_REORDERS : 0;
    return (cpm_algorithm){.operation = m->operation->name,
                           .name = name,
                           .source = "its file",
                           .properties = reorders | (m->operation->rooted ? CPM_NEEDS_ONE_ROOT : 0),
                           .create = create_messages,
                           .variant = m,
                           .messages = m};
}

/* ---- where it may be called */

static bool same_hosts(const cpm_messages *m, const cpm_hosts *h)
{
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < i; j++)
            if ((m->host[i] == m->host[j]) != (h->of[i] == h->of[j]))
                return false;
    return true;
}

int cpm_messages_apply(const cpm_messages *m, const cpm_call *call, cpm_error *e)
{
    if (!m->n)
        return cpm_fail(e, CPM_EINVAL, "not all processes have it");
    if (call->n != m->n)
        return cpm_fail(e, CPM_EINVAL, "it is a schedule of %d processes, not of %d", m->n,
                        call->n);
    if (m->operation->rooted && call->root != m->root)
        return cpm_fail(e, CPM_EINVAL, "it is a schedule from root %d, not from %d", m->root,
                        call->root);
    if (m->host && call->hosts && !same_hosts(m, call->hosts))
        return cpm_fail(e, CPM_EINVAL, "it was made for processes that share hosts in another way");
    return CPM_OK;
}

/* ---- of a schedule */

/* A step of a rank that is one end of a message. */
typedef struct {
    int rank, peer, step;
    int64_t message;
} end;

typedef struct {
    const cpm_schedule *s;
    cpm_steps *of; /* [n] */
    end *side[2];  /* [count] in the order of senders, receivers and steps */
    int64_t count, capacity[2], ends[2];
    int *label;       /* of round k of rank r at place first[r] + k */
    int64_t *first;   /* [n + 1] */
    end *own[2];      /* [count] the same in the order of ranks and steps */
    int64_t *next[2]; /* [n + 1] the first of a rank that the list does not have */
    cpm_error *e;
} listing;

static void clear_listing(listing *l)
{
    for (int r = 0; l->of && r < l->s->n; r++)
        cpm_steps_free(&l->of[r]);
    free(l->of);
    free(l->label);
    free(l->first);
    for (int k = 0; k < 2; k++) {
        free(l->side[k]);
        free(l->own[k]);
        free(l->next[k]);
    }
}

static int compare_ends(const void *a, const void *b)
{
    const end *x = a, *y = b;
    int from = x->rank - y->rank, to = x->peer - y->peer;
    return from ? from : to ? to : x->step - y->step;
}

/* Receives are sorted as what their senders call them. */
static int compare_receives(const void *a, const void *b)
{
    const end *x = a, *y = b;
    const end one = {x->peer, x->rank, x->step, 0}, other = {y->peer, y->rank, y->step, 0};
    return compare_ends(&one, &other);
}

static int read_steps(listing *l)
{
    int n = l->s->n, status = CPM_OK;
    l->of = calloc((size_t)n, sizeof *l->of);
    l->first = calloc((size_t)n + 1, sizeof *l->first);
    if (!l->of || !l->first)
        return cpm_no_memory(l->e);
    for (int r = 0; r < n && !status; r++) {
        status = cpm_schedule_rank(l->s, r, &l->of[r], l->e);
        l->first[r + 1] = l->first[r] + (status ? 0 : l->of[r].round + 1);
        for (int k = 0; k < l->of[r].count && !status; k++) {
            const cpm_step *step = &l->of[r].at[k];
            int side = step->kind == CPM_SEND ? CPM_AT_SENDER : CPM_AT_RECEIVER;
            if (!cpm_step_is_message(step))
                return cpm_fail(l->e, CPM_EINVAL, "an experiment is no list of messages");
            if (!cpm_vector_reserve(&l->side[side], &l->capacity[side], l->ends[side] + 1,
                                    sizeof(end)))
                return cpm_no_memory(l->e);
            l->side[side][l->ends[side]++] = (end){r, step->peer, k, 0};
        }
    }
    return status;
}

/* Messages between two ranks match in their order. */
static int match_ends(listing *l)
{
    static int (*const compare[])(const void *, const void *) = {compare_ends, compare_receives};
    for (int side = 0; side < 2; side++)
        if (l->ends[side])
            qsort(l->side[side], (size_t)l->ends[side], sizeof(end), compare[side]);
    l->count = l->ends[CPM_AT_SENDER];
    bool match = l->count == l->ends[CPM_AT_RECEIVER];
    for (int64_t k = 0; k < l->count && match; k++) {
        const end *x = &l->side[CPM_AT_SENDER][k], *y = &l->side[CPM_AT_RECEIVER][k];
        match = x->rank == y->peer && x->peer == y->rank;
    }
    return match ? CPM_OK : cpm_fail(l->e, CPM_EWRONG, "a message has one end only");
}

static const cpm_step *step_of(const listing *l, int64_t message, int side)
{
    const end *x = &l->side[side][message];
    return &l->of[x->rank].at[x->step];
}

static int *label_of(const listing *l, int64_t message, int side)
{
    int rank = l->side[side][message].rank;
    return &l->label[l->first[rank] + step_of(l, message, side)->round];
}

static void number_by_themselves(listing *l)
{
    for (int r = 0; r < l->s->n; r++)
        for (int64_t k = l->first[r]; k < l->first[r + 1]; k++)
            l->label[k] = (int)(k - l->first[r]);
}

/* Raises both ends to the later one, and what follows; whether something changed. */
static bool raise_labels(listing *l)
{
    bool changed = false;
    for (int64_t k = 0; k < l->count; k++) {
        int *x = label_of(l, k, CPM_AT_SENDER), *y = label_of(l, k, CPM_AT_RECEIVER);
        changed |= *x != *y;
        *x = *y = *x > *y ? *x : *y;
    }
    for (int r = 0; r < l->s->n; r++)
        for (int64_t k = l->first[r] + 1; k < l->first[r + 1]; k++)
            if (l->label[k] <= l->label[k - 1]) {
                l->label[k] = l->label[k - 1] + 1;
                changed = true;
            }
    return changed;
}

/* Where no numbers are the same at both ends, or finding them takes too long, each rank counts its
 * own rounds. */
static int number_rounds(listing *l)
{
    enum { MOST_TIMES = 1000 };
    int times = 0;
    l->label = calloc((size_t)l->first[l->s->n] + 1, sizeof *l->label);
    if (!l->label)
        return cpm_no_memory(l->e);
    number_by_themselves(l);
    while (times < MOST_TIMES && raise_labels(l))
        times++;
    if (times == MOST_TIMES)
        number_by_themselves(l);
    return CPM_OK;
}

static int compare_steps(const void *a, const void *b)
{
    const end *x = a, *y = b;
    return x->rank != y->rank ? x->rank - y->rank : x->step - y->step;
}

/* The ends of a side in the order in which each rank has them. */
static int sort_own(listing *l, int side)
{
    l->own[side] = malloc((size_t)(l->count + 1) * sizeof(end));
    l->next[side] = calloc((size_t)l->s->n + 1, sizeof(int64_t));
    if (!l->own[side] || !l->next[side])
        return cpm_no_memory(l->e);
    for (int64_t k = 0; k < l->count; k++) {
        l->own[side][k] = l->side[side][k];
        l->own[side][k].message = k;
        l->next[side][l->own[side][k].rank + 1]++;
    }
    qsort(l->own[side], (size_t)l->count, sizeof(end), compare_steps);
    for (int r = 0; r < l->s->n; r++)
        l->next[side][r + 1] += l->next[side][r];
    return CPM_OK;
}

/* The next message of a rank at a side; -1: all are listed. */
static int64_t next_of(const listing *l, int rank, int side)
{
    int64_t k = l->next[side][rank];
    return k < l->count && l->own[side][k].rank == rank ? l->own[side][k].message : -1;
}

/* Of those that are next at their sender, and at their receiver too, the one of the earliest round;
 * where that is not there, one whose receiver does not mind the order. -1: none. */
static int64_t choose(const listing *l)
{
    int64_t best = -1;
    bool best_next = false;
    for (int r = 0; r < l->s->n; r++) {
        int64_t m = next_of(l, r, CPM_AT_SENDER);
        if (m < 0)
            continue;
        int to = l->side[CPM_AT_RECEIVER][m].rank;
        bool next = next_of(l, to, CPM_AT_RECEIVER) == m;
        if (!next && step_of(l, m, CPM_AT_RECEIVER)->kind == CPM_COMBINE)
            continue;
        if (best < 0 || next > best_next ||
            (next == best_next &&
             *label_of(l, m, CPM_AT_SENDER) < *label_of(l, best, CPM_AT_SENDER))) {
            best = m;
            best_next = next;
        }
    }
    return best;
}

/* Takes a message from where its rank has it. */
static void take(listing *l, int64_t message, int side)
{
    int rank = l->side[side][message].rank;
    int64_t k = l->next[side][rank]++;
    end here = l->own[side][k];
    while (here.message != message) { /* it was not the next: those before it move up */
        end following = l->own[side][++k];
        l->own[side][k] = here;
        here = following;
    }
}

static int add_runs(const listing *l, int64_t message, cpm_messages *out)
{
    const cpm_schedule *s = l->s;
    const cpm_step *step = step_of(l, message, CPM_AT_SENDER);
    int64_t units = cpm_schedule_units(s);
    int status = CPM_OK;
    for (int k = 0; k < step->runs && !status; k++) {
        cpm_run run = cpm_step_run(&l->of[l->side[CPM_AT_SENDER][message].rank], step, k);
        if (!s->order)
            status = cpm_messages_and(out, run.first, run.count, l->e);
        for (int64_t p = run.first; s->order && p < run.first + run.count && !status; p++)
            status = cpm_messages_and(out, cpm_piece_at(s, p) * units + cpm_unit_at(s, p), 1, l->e);
    }
    return status;
}

static int add_message(listing *l, int64_t message, cpm_messages *out)
{
    const end *from = &l->side[CPM_AT_SENDER][message], *to = &l->side[CPM_AT_RECEIVER][message];
    const cpm_step *received = step_of(l, message, CPM_AT_RECEIVER);
    int status =
        cpm_steps_match(step_of(l, message, CPM_AT_SENDER), from->rank, received, to->rank, l->e);
    if (!status)
        status =
            cpm_messages_add(out, from->rank, to->rank, 0, received->kind == CPM_COMBINE, l->e);
    if (status)
        return status;
    cpm_message *x = &out->at[out->count - 1];
    for (int side = 0; side < 2; side++) {
        x->round[side] = *label_of(l, message, side);
        x->deferred[side] = step_of(l, message, side)->deferred;
        take(l, message, side);
    }
    return add_runs(l, message, out);
}

static int list_all(listing *l, cpm_messages *out)
{
    int status = CPM_OK;
    for (int64_t k = 0; k < l->count && !status; k++) {
        int64_t m = choose(l);
        if (m < 0)
            return cpm_fail(l->e, CPM_EINVAL, "no list has the order in which all ranks combine");
        status = add_message(l, m, out);
    }
    return status;
}

int cpm_messages_of(const cpm_schedule *s, cpm_messages *out, cpm_error *e)
{
    if (!s->operation || s->neighbours || s->calls > 1)
        return cpm_fail(e, CPM_EINVAL, "it is no list of messages of one collective");
    listing l = {.s = s, .e = e};
    int status = read_steps(&l);
    if (!status)
        status = match_ends(&l);
    if (!status)
        status = number_rounds(&l);
    for (int side = 0; side < 2 && !status; side++)
        status = sort_own(&l, side);
    *out = (cpm_messages){.operation = s->operation,
                          .n = s->n,
                          .root = s->root > 0 ? s->root : 0,
                          .pieces = s->pieces > 1 ? s->pieces : 1,
                          .apart = s->apart};
    if (!status)
        status = list_all(&l, out);
    clear_listing(&l);
    if (status)
        cpm_messages_clear(out);
    return status;
}

/* ---- the other way round */

/* The position of what goes from j to i, where first is of what goes from i to j. */
static int64_t turned(const cpm_messages *m, int64_t position)
{
    int64_t units = m->operation->units(m->n, NULL), unit = position % units;
    return position - unit + unit % m->n * m->n + unit / m->n;
}

static int turn_runs(const cpm_messages *m, const cpm_message *x, cpm_messages *out, cpm_error *e)
{
    int status = CPM_OK;
    bool pairs = cpm_operation_is_of_pairs(m->operation);
    for (int64_t r = x->first_run; r < x->first_run + x->runs && !status; r++) {
        if (!pairs)
            status = cpm_messages_and(out, m->run[r].first, m->run[r].count, e);
        for (int64_t k = 0; pairs && k < m->run[r].count && !status; k++)
            status = cpm_messages_and(out, turned(m, m->run[r].first + k), 1, e);
    }
    return status;
}

int cpm_messages_reverse(const cpm_messages *m, const cpm_operation *op, cpm_messages *out,
                         cpm_error *e)
{
    int last = 0, status = CPM_OK;
    for (int64_t k = 0; k < m->count; k++)
        for (int side = 0; side < 2; side++)
            last = m->at[k].round[side] > last ? m->at[k].round[side] : last;
    *out = (cpm_messages){.operation = op, .n = m->n, .root = m->root, .pieces = m->pieces};
    for (int64_t k = m->count - 1; k >= 0 && !status; k--) {
        const cpm_message *x = &m->at[k];
        status = cpm_messages_add(out, x->to, x->from, 0, op->combines, e);
        if (status)
            break;
        cpm_message *now = &out->at[out->count - 1];
        for (int side = 0; side < 2; side++)
            now->round[side] = last - x->round[1 - side];
        status = turn_runs(m, x, out, e);
    }
    if (status)
        cpm_messages_clear(out);
    return status;
}

/* ---- tidy */

typedef struct {
    int64_t unit, piece;
} part;

static int compare_parts(const void *a, const void *b)
{
    const part *x = a, *y = b;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return x->piece < y->piece ? -1 : x->piece > y->piece;
}

/* The parts of a message in order, in *at, which has room for *room. */
static int64_t parts_of(const cpm_messages *m, const cpm_message *x, part **at, int64_t *room)
{
    int64_t units = m->operation->units(m->n, NULL), count = 0;
    for (int64_t r = x->first_run; r < x->first_run + x->runs; r++)
        for (int64_t k = 0; k < m->run[r].count; k++) {
            int64_t position = m->run[r].first + k;
            if (!cpm_vector_reserve(at, room, count + 1, sizeof **at))
                return -1;
            (*at)[count++] = (part){position % units, position / units};
        }
    if (count)
        qsort(*at, (size_t)count, sizeof **at, compare_parts);
    return count;
}

/* Whether parts are whole units. */
static bool are_whole(const part *at, int64_t count, int pieces)
{
    for (int64_t k = 0; k < count; k++)
        if (at[k].unit != at[k - k % pieces].unit || at[k].piece != k % pieces)
            return false;
    return count % pieces == 0;
}

static int copy_in_order(const cpm_messages *m, bool whole, part **at, int64_t *room,
                         cpm_messages *out, cpm_error *e)
{
    int64_t units = m->operation->units(m->n, NULL);
    int status = CPM_OK;
    for (int64_t k = 0; k < m->count && !status; k++) {
        int64_t count = parts_of(m, &m->at[k], at, room);
        status = count < 0
                     ? cpm_no_memory(e)
                     : cpm_messages_add(out, m->at[k].from, m->at[k].to, 0, m->at[k].combines, e);
        if (status)
            break;
        memcpy(out->at[k].round, m->at[k].round, sizeof out->at[k].round);
        memcpy(out->at[k].deferred, m->at[k].deferred, sizeof out->at[k].deferred);
        for (int64_t p = 0; p < count && !status; p++)
            if (!whole || (*at)[p].piece == 0)
                status = cpm_messages_and(out, (*at)[p].unit + (whole ? 0 : (*at)[p].piece * units),
                                          1, e);
    }
    return status;
}

static bool all_are_whole(const cpm_messages *m, part **at, int64_t *room)
{
    bool whole = !m->apart;
    for (int64_t k = 0; k < m->count && whole; k++) {
        int64_t count = parts_of(m, &m->at[k], at, room);
        whole = count >= 0 && are_whole(*at, count, m->pieces > 1 ? m->pieces : 1);
    }
    return whole;
}

/* By its schedule, which has the order of every rank. */
static int sort_by_rounds(cpm_messages *m, cpm_error *e)
{
    const cpm_algorithm row = cpm_messages_row(m, "tidied");
    cpm_messages sorted = {0};
    cpm_schedule *s;
    int status = cpm_schedule_create(&row, &(cpm_call){.n = m->n, .root = m->root}, &s, e);
    if (status)
        return status;
    status = cpm_messages_of(s, &sorted, NULL);
    cpm_schedule_free(s);
    if (status == CPM_OK) {
        cpm_messages_clear(m);
        *m = sorted;
    }
    return status == CPM_ENOMEM ? cpm_no_memory(e) : CPM_OK;
}

int cpm_messages_tidy(const cpm_messages *m, cpm_messages *out, cpm_error *e)
{
    part *at = NULL;
    int64_t room = 0;
    bool whole = all_are_whole(m, &at, &room);
    *out = (cpm_messages){.operation = m->operation,
                          .n = m->n,
                          .root = m->root,
                          .pieces = whole ? 1 : m->pieces,
                          .apart = m->apart};
    int status = copy_in_order(m, whole, &at, &room, out, e);
    free(at);
    if (!status)
        status = sort_by_rounds(out, e);
    if (status)
        cpm_messages_clear(out);
    return status;
}
