/* Steps are appended to one growing list per rank; a schedule is its build function's state. */
#include "mpib/schedule/schedule.h"

#include <stdlib.h>

void cpm_steps_free(cpm_steps *s)
{
    free(s->at);
    *s = (cpm_steps){0};
}

/* A build function has no status to return, so running out of memory is noted in the list. */
static int reserve(cpm_steps *s)
{
    if (s->failed)
        return 0;
    if (s->count < s->capacity)
        return 1;
    int capacity = s->capacity ? 2 * s->capacity : 8;
    cpm_step *at = realloc(s->at, (size_t)capacity * sizeof *at);
    if (!at) {
        s->failed = 1;
        return 0;
    }
    s->at = at;
    s->capacity = capacity;
    return 1;
}

static void append(cpm_steps *s, cpm_step_kind kind, int peer, int64_t first, int64_t count)
{
    if (!reserve(s))
        return;
    s->at[s->count++] = (cpm_step){
        .kind = kind, .peer = peer, .round = s->round, .times = 1, .first = first, .count = count};
}

void cpm_send(cpm_steps *s, int peer, int64_t first, int64_t count)
{
    append(s, CPM_SEND, peer, first, count);
}

void cpm_recv(cpm_steps *s, int peer, int64_t first, int64_t count)
{
    append(s, CPM_RECV, peer, first, count);
}

void cpm_next_round(cpm_steps *s)
{
    if (s->count && s->at[s->count - 1].round == s->round)
        s->round++;
}

void cpm_mark(cpm_steps *s, cpm_step_kind kind)
{
    cpm_next_round(s);
    append(s, kind, 0, 0, 0);
    cpm_next_round(s);
}

bool cpm_step_is_message(const cpm_step *step)
{
    return step->kind == CPM_SEND || step->kind == CPM_RECV;
}

int cpm_steps_match(const cpm_step *send, int from, const cpm_step *recv, int to, cpm_error *e)
{
    if (send->first == recv->first && send->count == recv->count && send->times == recv->times &&
        (send->times == 1 || send->stride == recv->stride))
        return CPM_OK;
    return cpm_fail(e, CPM_EWRONG,
                    "rank %d sends blocks from position %lld (%lld) to rank %d, which expects them "
                    "from position %lld (%lld)",
                    from, (long long)send->first, (long long)send->count * send->times, to,
                    (long long)recv->first, (long long)recv->count * recv->times);
}

static int check_peers(const cpm_schedule *s, int rank, const cpm_steps *steps, cpm_error *e)
{
    for (int k = 0; k < steps->count; k++)
        if (steps->at[k].peer < 0 || steps->at[k].peer >= s->n)
            return cpm_fail(e, CPM_EWRONG, "rank %d has a message with rank %d of %d", rank,
                            steps->at[k].peer, s->n);
    return CPM_OK;
}

int cpm_schedule_rank(const cpm_schedule *s, int rank, cpm_steps *out, cpm_error *e)
{
    if (rank < 0 || rank >= s->n)
        return cpm_fail(e, CPM_EINVAL, "rank %d is not one of the schedule's %d", rank, s->n);
    out->count = out->round = out->failed = 0;
    s->build(s, rank, out);
    if (out->failed)
        return cpm_fail(e, CPM_ENOMEM, "out of memory for the steps of rank %d", rank);
    return check_peers(s, rank, out, e);
}

void cpm_schedule_free(cpm_schedule *s)
{
    if (!s)
        return;
    if (s->free_state)
        s->free_state(s->state);
    free(s);
}

static int64_t block_at(const cpm_schedule *s, int64_t position)
{
    return s->order ? s->order[position] : position;
}

size_t cpm_step_bytes(const cpm_schedule *s, const cpm_step *step, const cpm_block_sizes *sizes)
{
    if (!sizes->each)
        return (size_t)step->times * (size_t)step->count * sizes->bytes;
    size_t bytes = 0;
    for (int t = 0; t < step->times; t++)
        for (int64_t k = 0; k < step->count; k++)
            bytes += sizes->each[block_at(s, step->first + t * step->stride + k)];
    return bytes;
}
