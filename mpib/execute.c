/* The executor: one rank's steps become messages with addresses and lengths, made once and run
 * many times. */
#include "mpib/execute.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *at;
    size_t bytes;
} piece; /* a contiguous part of the user's buffer */

typedef struct {
    cpm_step_kind kind;
    int peer, round, bytes;
    char *at;     /* what MPI gets: the user's bytes, or packed space */
    bool packed;  /* at is packed space */
    bool dropped; /* a second receive into the same bytes: MPI forbids the overlap */
    int first_piece, pieces;
} message;

struct mpib_plan {
    message *messages;
    int count;
    piece *pieces;
    size_t piece_count;
    char *space;
    MPI_Request *requests;
};

/* What creating needs and running does not. */
typedef struct {
    const cpm_schedule *schedule;
    const cpm_block_sizes *sizes;
    char *buffer;
    const size_t *displacement;
    size_t *prefix; /* displacements of unequal blocks that lie one after the other */
} layout;

static size_t block_bytes(const layout *l, int64_t block)
{
    return l->sizes->each ? l->sizes->each[block] : l->sizes->bytes;
}

static char *block_at(const layout *l, int64_t block)
{
    if (l->displacement)
        return l->buffer + l->displacement[block];
    if (l->prefix)
        return l->buffer + l->prefix[block];
    return l->buffer + (size_t)block * l->sizes->bytes;
}

static int make_prefix(layout *l, cpm_error *e)
{
    if (l->displacement || !l->sizes->each)
        return CPM_OK;
    int64_t blocks = l->schedule->blocks;
    l->prefix = malloc(((size_t)blocks + 1) * sizeof *l->prefix);
    if (!l->prefix)
        return cpm_fail(e, CPM_ENOMEM, "no memory for the places of %lld blocks",
                        (long long)blocks);
    l->prefix[0] = 0;
    for (int64_t b = 0; b < blocks; b++)
        l->prefix[b + 1] = l->prefix[b] + l->sizes->each[b];
    return CPM_OK;
}

/* Appends a block to the pieces of the last message, growing the last piece where it can. */
static void add_block(mpib_plan *p, message *m, const layout *l, int64_t block)
{
    piece next = {block_at(l, block), block_bytes(l, block)};
    piece *last = m->pieces > 0 ? &p->pieces[m->first_piece + m->pieces - 1] : NULL;
    if (next.bytes == 0)
        return;
    if (last && last->at + last->bytes == next.at) {
        last->bytes += next.bytes;
        return;
    }
    p->pieces[p->piece_count++] = next;
    m->pieces++;
}

static void add_pieces(mpib_plan *p, message *m, const layout *l, const cpm_step *step)
{
    const int *order = l->schedule->order;
    for (int t = 0; t < step->times; t++)
        for (int64_t b = 0; b < step->count; b++) {
            int64_t position = step->first + t * step->stride + b;
            add_block(p, m, l, order ? order[position] : position);
        }
}

static int message_bytes(const cpm_schedule *s, const cpm_step *step, const cpm_block_sizes *sizes,
                         int *bytes, cpm_error *e)
{
    size_t long_bytes = cpm_step_bytes(s, step, sizes);
    if (long_bytes > INT_MAX)
        return cpm_fail(e, CPM_EINVAL, "a message of %zu bytes to or from rank %d is above 2 GiB",
                        long_bytes, step->peer);
    *bytes = (int)long_bytes;
    return CPM_OK;
}

static int add_message(mpib_plan *p, const layout *l, const cpm_step *step, cpm_error *e)
{
    int bytes = 0, status = message_bytes(l->schedule, step, l->sizes, &bytes, e);
    if (status != CPM_OK)
        return status;
    message *m = &p->messages[p->count++];
    *m = (message){.kind = step->kind,
                   .peer = step->peer,
                   .round = step->round,
                   .bytes = bytes,
                   .first_piece = (int)p->piece_count};
    add_pieces(p, m, l, step);
    m->packed = m->pieces > 1;
    m->at = m->pieces > 0 ? p->pieces[m->first_piece].at : l->buffer;
    return CPM_OK;
}

static bool overlap(const message *a, const message *b)
{
    return a->bytes > 0 && b->bytes > 0 && a->at < b->at + b->bytes && b->at < a->at + a->bytes;
}

/* A round may receive the same block twice (two replies of an experiment): the first is kept. */
static void drop_second_receives(mpib_plan *p)
{
    for (int i = 0; i < p->count; i++) {
        message *m = &p->messages[i];
        if (m->kind != CPM_RECV || m->packed)
            continue;
        for (int j = i - 1; j >= 0 && p->messages[j].round == m->round && !m->dropped; j--)
            m->dropped = p->messages[j].kind == CPM_RECV && !p->messages[j].packed &&
                         overlap(m, &p->messages[j]);
    }
}

static int give_space(mpib_plan *p, cpm_error *e)
{
    size_t total = 0;
    for (int i = 0; i < p->count; i++)
        total += p->messages[i].packed || p->messages[i].dropped ? (size_t)p->messages[i].bytes : 0;
    p->space = malloc(total + 1);
    if (!p->space)
        return cpm_fail(e, CPM_ENOMEM, "no memory for %zu bytes of packed messages", total);
    memset(p->space, 0, total + 1);
    total = 0;
    for (int i = 0; i < p->count; i++)
        if (p->messages[i].packed || p->messages[i].dropped) {
            p->messages[i].at = p->space + total;
            total += (size_t)p->messages[i].bytes;
        }
    return CPM_OK;
}

static int allocate(mpib_plan *p, const cpm_steps *steps, cpm_error *e)
{
    size_t pieces = 1, messages = (size_t)steps->count + 1;
    for (int i = 0; i < steps->count; i++)
        pieces += (size_t)(steps->at[i].times * steps->at[i].count);
    p->messages = calloc(messages, sizeof *p->messages);
    p->requests = malloc(messages * sizeof(MPI_Request));
    p->pieces = pieces <= INT_MAX ? calloc(pieces, sizeof *p->pieces) : NULL;
    if (!p->messages || !p->requests || !p->pieces)
        return cpm_fail(e, CPM_ENOMEM, "no memory for a plan of %d messages", steps->count);
    return CPM_OK;
}

static int fill(mpib_plan *p, const layout *l, const cpm_steps *steps, cpm_error *e)
{
    int status = allocate(p, steps, e);
    for (int i = 0; i < steps->count && status == CPM_OK; i++)
        status = add_message(p, l, &steps->at[i], e);
    if (status != CPM_OK)
        return status;
    drop_second_receives(p);
    return give_space(p, e);
}

int mpib_plan_check(const cpm_schedule *s, int rank, const cpm_block_sizes *sizes, cpm_error *e)
{
    cpm_steps steps = {0};
    int bytes, status = cpm_schedule_rank(s, rank, &steps, e);
    for (int i = 0; i < steps.count && status == CPM_OK; i++)
        status = message_bytes(s, &steps.at[i], sizes, &bytes, e);
    cpm_steps_free(&steps);
    return status;
}

int mpib_plan_create(const cpm_schedule *s, int rank, const cpm_block_sizes *sizes, void *buffer,
                     const size_t *displacement, mpib_plan **out, cpm_error *e)
{
    cpm_steps steps = {0};
    layout l = {.schedule = s, .sizes = sizes, .buffer = buffer, .displacement = displacement};
    mpib_plan *p = calloc(1, sizeof *p);
    int status = p ? CPM_OK : cpm_fail(e, CPM_ENOMEM, "no memory for a plan");
    if (status == CPM_OK)
        status = cpm_schedule_rank(s, rank, &steps, e);
    if (status == CPM_OK)
        status = make_prefix(&l, e);
    if (status == CPM_OK)
        status = fill(p, &l, &steps, e);
    free(l.prefix);
    cpm_steps_free(&steps);
    if (status == CPM_OK)
        *out = p;
    else
        mpib_plan_free(p);
    return status;
}

static void pack(const mpib_plan *p, const message *m)
{
    char *to = m->at;
    for (int i = 0; i < m->pieces; i++) {
        const piece *from = &p->pieces[m->first_piece + i];
        memcpy(to, from->at, from->bytes);
        to += from->bytes;
    }
}

static void unpack(const mpib_plan *p, const message *m)
{
    const char *from = m->at;
    for (int i = 0; i < m->pieces; i++) {
        const piece *to = &p->pieces[m->first_piece + i];
        memcpy(to->at, from, to->bytes);
        from += to->bytes;
    }
}

static void run_single(const mpib_plan *p, const message *m, MPI_Comm comm, int tag)
{
    if (m->kind == CPM_SEND) {
        if (m->packed)
            pack(p, m);
        MPI_Send(m->at, m->bytes, MPI_BYTE, m->peer, tag, comm);
        return;
    }
    MPI_Recv(m->at, m->bytes, MPI_BYTE, m->peer, tag, comm, MPI_STATUS_IGNORE);
    if (m->packed)
        unpack(p, m);
}

static void start_send(const mpib_plan *p, const message *m, MPI_Comm comm, int tag,
                       MPI_Request *request)
{
    if (m->packed)
        pack(p, m);
    MPI_Isend(m->at, m->bytes, MPI_BYTE, m->peer, tag, comm, request);
}

/* Messages [begin, end) of one round: receives first, so that nothing arrives unexpected. */
static void run_round(mpib_plan *p, int begin, int end, MPI_Comm comm, int tag)
{
    const message *m = p->messages;
    MPI_Request *r = p->requests;
    for (int i = begin; i < end; i++)
        if (m[i].kind == CPM_RECV)
            MPI_Irecv(m[i].at, m[i].bytes, MPI_BYTE, m[i].peer, tag, comm, &r[i - begin]);
    for (int i = begin; i < end; i++)
        if (m[i].kind == CPM_SEND)
            start_send(p, &m[i], comm, tag, &r[i - begin]);
    MPI_Waitall(end - begin, r, MPI_STATUSES_IGNORE);
    for (int i = begin; i < end; i++)
        if (m[i].kind == CPM_RECV && m[i].packed)
            unpack(p, &m[i]);
}

/* Runs the round that begins there; returns where the next one begins. */
static int run_next(mpib_plan *p, int begin, MPI_Comm comm, int tag)
{
    int end = begin + 1;
    while (end < p->count && p->messages[end].round == p->messages[begin].round)
        end++;
    if (end == begin + 1)
        run_single(p, &p->messages[begin], comm, tag);
    else
        run_round(p, begin, end, comm, tag);
    return end;
}

static bool is_message(const message *m)
{
    return m->kind == CPM_SEND || m->kind == CPM_RECV;
}

void mpib_plan_run(mpib_plan *p, MPI_Comm comm, int tag)
{
    for (int at = 0; at < p->count;)
        at = is_message(&p->messages[at]) ? run_next(p, at, comm, tag) : at + 1;
}

typedef struct {
    double begin, start, stop; /* local times; stop is negative until it is known */
} stopwatch;

static void pass_mark(cpm_step_kind kind, const mpib_clock *clock, stopwatch *w)
{
    static const mpib_sync local = {0};
    double now = clock->now(clock);
    if (kind == CPM_START)
        w->start = now;
    else if (kind == CPM_STOP)
        w->stop = now;
    else
        mpib_wait_until(clock, &local, now + 2 * (now - w->begin));
}

double mpib_plan_time(mpib_plan *p, const mpib_clock *clock, MPI_Comm comm, int tag)
{
    double begin = clock->now(clock);
    stopwatch w = {begin, begin, -1};
    for (int at = 0; at < p->count;) {
        if (is_message(&p->messages[at]))
            at = run_next(p, at, comm, tag);
        else
            pass_mark(p->messages[at++].kind, clock, &w);
    }
    return (w.stop < 0 ? clock->now(clock) : w.stop) - w.start;
}

void mpib_plan_free(mpib_plan *p)
{
    if (!p)
        return;
    free(p->messages);
    free(p->pieces);
    free(p->space);
    free(p->requests);
    free(p);
}
