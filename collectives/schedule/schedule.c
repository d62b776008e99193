/* Steps are appended to one growing list per rank; a schedule is its build function's state. */
#include "collectives/schedule/schedule.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/vector.h"

void cpm_steps_free(cpm_steps *s)
{
    free(s->at);
    free(s->more_runs);
    *s = (cpm_steps){0};
}

/* A build function has no status to return, so running out of memory is noted in the list. */
bool cpm_steps_grow(cpm_steps *s)
{
    bool grown = cpm_vector_reserve(&s->at, &s->capacity, (int64_t)s->count + 1, sizeof *s->at);
    s->failed |= !grown;
    return grown;
}

void cpm_and(cpm_steps *s, int64_t first, int64_t count)
{
    if (s->failed || count == 0)
        return;
    cpm_step *step = &s->at[s->count - 1];
    if (step->runs++ == 0) {
        step->run = (cpm_run){first, count};
        return;
    }
    if (step->runs == 2)
        step->more = s->more_count;
    s->failed =
        !cpm_vector_reserve(&s->more_runs, &s->more_capacity, s->more_count + 1, sizeof(cpm_run));
    if (s->failed)
        step->runs--;
    else
        s->more_runs[s->more_count++] = (cpm_run){first, count};
}

void cpm_and_around(cpm_steps *s, int64_t first, int64_t count, int n)
{
    const int64_t start = (first % n + n) % n, until_end = n - start;
    cpm_and(s, start, count < until_end ? count : until_end);
    if (count > until_end)
        cpm_and(s, 0, count - until_end);
}

void cpm_next_round(cpm_steps *s)
{
    if (s->count && s->at[s->count - 1].round == s->round)
        s->round++;
}

void cpm_defer_round(cpm_steps *s)
{
    for (int k = s->count - 1; k >= 0 && s->at[k].round == s->round; k--)
        s->at[k].deferred = true;
    cpm_next_round(s);
}

void cpm_mark(cpm_steps *s, cpm_step_kind kind)
{
    cpm_next_round(s);
    cpm_steps_add(s, kind, 0, 0, 0);
    cpm_next_round(s);
}

bool cpm_step_receives(const cpm_step *step)
{
    return step->kind == CPM_RECV || step->kind == CPM_COMBINE;
}

cpm_run cpm_step_run(const cpm_steps *steps, const cpm_step *step, int k)
{
    return k == 0 ? step->run : steps->more_runs[step->more + k - 1];
}

int64_t cpm_step_positions(const cpm_steps *steps, const cpm_step *step)
{
    int64_t count = 0;
    for (int k = 0; k < step->runs; k++)
        count += cpm_step_run(steps, step, k).count;
    return count;
}

double cpm_steps_combine_apart(const cpm_schedule *s, const cpm_steps *steps, int rank,
                               const cpm_block_sizes *sizes, cpm_combine_function *combine,
                               const void *model)
{
    int64_t received = 0;
    if (!s->apart || !combine)
        return 0;
    for (int k = 0; k < steps->count; k++)
        if (cpm_step_receives(&steps->at[k]))
            received += cpm_step_positions(steps, &steps->at[k]);
    if (received < s->n - 1) /* it only passes them on */
        return 0;
    int64_t unit = cpm_schedule_units(s) == 1 ? 0 : rank;
    size_t bytes = sizes->each ? sizes->each[unit] : sizes->bytes;
    return (s->calls > 1 ? s->calls : 1) * (s->n - 1) * combine(model, rank, s->combining, bytes);
}

int cpm_steps_match(const cpm_step *send, int from, const cpm_step *recv, int to, cpm_error *e)
{
    if (send->names == recv->names)
        return CPM_OK;
    return cpm_fail(e, CPM_EWRONG,
                    "rank %d sends blocks from position %lld (%lld and %d more runs), but rank "
                    "%d expects position %lld (%lld and %d more runs)",
                    from, (long long)send->run.first, (long long)send->run.count, send->runs - 1,
                    to, (long long)recv->run.first, (long long)recv->run.count, recv->runs - 1);
}

/* Few runs have more than 2^32 positions, or begin behind so many. */
static uint64_t add_run(uint64_t names, cpm_run run)
{
    uint64_t count = (uint64_t)run.count;
    return cpm_hash_mix(names, (uint64_t)run.first ^ (count << 32 | count >> 32));
}

static uint64_t names_of(const cpm_steps *steps, const cpm_step *step)
{
    if (step->runs == 0)
        return 0;
    uint64_t names = add_run(0, step->run);
    for (int k = 1; k < step->runs; k++)
        names = add_run(names, cpm_step_run(steps, step, k));
    return names;
}

static int finish(const cpm_schedule *s, int rank, const cpm_steps *steps, cpm_error *e)
{
    for (int k = 0; k < steps->count; k++) {
        cpm_step *step = &steps->at[k];
        if (step->peer < 0 || step->peer >= s->n)
            return cpm_fail(e, CPM_EWRONG, "rank %d has a message with rank %d of %d", rank,
                            step->peer, s->n);
        step->names = names_of(steps, step);
    }
    return CPM_OK;
}

int cpm_schedule_rank(const cpm_schedule *s, int rank, cpm_steps *out, cpm_error *e)
{
    if (rank < 0 || rank >= s->n)
        return cpm_fail(e, CPM_EINVAL, "rank %d is not one of the schedule's %d", rank, s->n);
    out->count = out->round = out->failed = 0;
    out->more_count = 0;
    s->build(s, rank, out);
    if (out->failed)
        return cpm_no_memory(e);
    return finish(s, rank, out, e);
}

void cpm_schedule_free(cpm_schedule *s)
{
    if (!s)
        return;
    if (s->free_state)
        s->free_state(s->state);
    free(s);
}

/* ---- positions and bytes ---- */

static int pieces_of(const cpm_schedule *s)
{
    return s->pieces > 1 ? s->pieces : 1;
}

int64_t cpm_schedule_units(const cpm_schedule *s)
{
    return s->blocks / pieces_of(s);
}

int64_t cpm_unit_at(const cpm_schedule *s, int64_t position)
{
    int64_t unit = s->pieces > 1 ? position % cpm_schedule_units(s) : position;
    return s->order ? s->order[unit] : unit;
}

int cpm_piece_at(const cpm_schedule *s, int64_t position)
{
    return s->pieces > 1 ? (int)(position / cpm_schedule_units(s)) : 0;
}

void cpm_position_name(const cpm_schedule *s, int64_t position, char text[CPM_POSITION_NAME])
{
    char part[32] = "";
    if (s->apart)
        snprintf(part, sizeof part, "the contribution of rank %d to ", cpm_piece_at(s, position));
    else if (s->pieces > 1)
        snprintf(part, sizeof part, "piece %d of ", cpm_piece_at(s, position));
    snprintf(text, CPM_POSITION_NAME, "%sblock %lld", part, (long long)cpm_unit_at(s, position));
}

size_t cpm_piece_offset(const cpm_schedule *s, size_t bytes, size_t grain, int piece)
{
    size_t pieces = (size_t)pieces_of(s), k = (size_t)piece;
    if (s->apart || pieces == 1)
        return s->apart ? k * bytes : k ? bytes : 0;
    if (grain < 1)
        grain = 1;
    /* k of pieces parts of the elements, without overflow; divisions take long */
    size_t elements = grain > 1 ? bytes / grain : bytes, rest = elements % pieces;
    return (elements / pieces * k + (rest ? rest * k / pieces : 0)) * grain;
}

static size_t position_bytes(const cpm_schedule *s, int64_t position, const cpm_block_sizes *sizes)
{
    size_t bytes = sizes->each ? sizes->each[cpm_unit_at(s, position)] : sizes->bytes;
    int piece = cpm_piece_at(s, position);
    return cpm_piece_offset(s, bytes, sizes->grain, piece + 1) -
           cpm_piece_offset(s, bytes, sizes->grain, piece);
}

static size_t run_bytes(const cpm_schedule *s, cpm_run run, const cpm_block_sizes *sizes)
{
    if (!sizes->each && (s->pieces <= 1 || s->apart))
        return (size_t)run.count * sizes->bytes;
    if (!sizes->each && s->blocks == s->pieces)
        return cpm_piece_offset(s, sizes->bytes, sizes->grain, (int)(run.first + run.count)) -
               cpm_piece_offset(s, sizes->bytes, sizes->grain, (int)run.first);
    size_t bytes = 0;
    for (int64_t k = 0; k < run.count; k++)
        bytes += position_bytes(s, run.first + k, sizes);
    return bytes;
}

size_t cpm_runs_bytes(const cpm_schedule *s, const cpm_steps *steps, const cpm_step *step,
                      const cpm_block_sizes *sizes)
{
    size_t bytes = step->runs ? run_bytes(s, step->run, sizes) : 0;
    for (int k = 1; k < step->runs; k++)
        bytes += run_bytes(s, cpm_step_run(steps, step, k), sizes);
    return bytes;
}
