#include "collectives/schedule/from_input.h"

#include <stdlib.h>

enum { BITS = 64, FEW = 16 };

typedef struct {
    const cpm_schedule *s;
    const cpm_steps *steps;
    uint64_t *came;    /* [blocks] bits: something came to that position */
    uint64_t few[FEW]; /* its memory, if that suffices */
} positions;

/* The next part of a run that is in one word. */
static cpm_run part_of(cpm_run left)
{
    const int64_t room = BITS - left.first % BITS;
    return (cpm_run){left.first, left.count < room ? left.count : room};
}

static uint64_t mask_of(cpm_run part)
{
    return (~UINT64_C(0) >> (BITS - part.count)) << (part.first % BITS);
}

static int64_t count_that_came(const positions *p, cpm_run left)
{
    int64_t count = 0;
    while (left.count > 0) {
        const cpm_run part = part_of(left);
        count += __builtin_popcountll(p->came[part.first / BITS] & mask_of(part));
        left = (cpm_run){left.first + part.count, left.count - part.count};
    }
    return count;
}

static void note_run(positions *p, cpm_run left)
{
    while (left.count > 0) {
        const cpm_run part = part_of(left);
        p->came[part.first / BITS] |= mask_of(part);
        left = (cpm_run){left.first + part.count, left.count - part.count};
    }
}

static void note(positions *p, const cpm_step *step)
{
    for (int k = 0; k < step->runs; k++)
        note_run(p, cpm_step_run(p->steps, step, k));
}

/* What comes in several pieces comes through packed space, and is copied from there. */
static bool is_one_piece(const positions *p, const cpm_step *step)
{
    const bool as_they_lie = !p->s->order && (p->s->pieces <= 1 || p->s->blocks == p->s->pieces);
    return step->runs <= 1 && (step->run.count <= 1 || as_they_lie);
}

/* Whether nothing came to any position of a message, or something to all. */
static bool is_in_one_place(const positions *p, const cpm_step *step, bool *taken)
{
    int64_t came = 0;
    for (int k = 0; k < step->runs; k++)
        came += count_that_came(p, cpm_step_run(p->steps, step, k));
    *taken = came == 0 && step->runs > 0;
    if (*taken && step->kind == CPM_COMBINE && !is_one_piece(p, step))
        return false;
    return came == 0 || came == cpm_step_positions(p->steps, step);
}

/* What is sent is what was there before the round; what is only received comes before what is
 * combined. */
static bool look_at_round(positions *p, int begin, int end, bool *taken)
{
    static const cpm_step_kind order[] = {CPM_SEND, CPM_RECV, CPM_COMBINE};
    bool one = true;
    for (int o = 0; o < 3; o++)
        for (int k = begin; k < end; k++) {
            const cpm_step *step = &p->steps->at[k];
            bool input = false;
            if (step->kind != order[o])
                continue;
            if (step->kind != CPM_RECV)
                one = is_in_one_place(p, step, &input) && one;
            if (step->kind != CPM_SEND)
                note(p, step);
            if (taken)
                taken[k] = input;
        }
    return one;
}

static int64_t position_of_unit(const cpm_schedule *s, int64_t unit)
{
    int64_t at = 0;
    if (!s->order)
        return unit;
    while (s->order[at] != unit)
        at++;
    return at;
}

/* Whether something came to all positions of the result. */
static bool gets_result(const positions *p, int rank)
{
    const cpm_schedule *s = p->s;
    const bool whole = cpm_operation_is_whole(s->operation);
    const int64_t unit = whole ? 0 : rank, units = cpm_schedule_units(s);
    if (s->operation->leaves_own_out || !s->operation->after(s->n, s->root, rank, unit, NULL))
        return true;
    if (whole)
        return count_that_came(p, (cpm_run){0, s->blocks}) == s->blocks;
    for (int64_t at = position_of_unit(s, unit); at < s->blocks; at += units)
        if (!count_that_came(p, (cpm_run){at, 1}))
            return false;
    return true;
}

static bool look(positions *p, int rank, bool *taken)
{
    const cpm_steps *steps = p->steps;
    const int count = steps->count / (p->s->calls > 1 ? p->s->calls : 1);
    for (int begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && steps->at[end].round == steps->at[begin].round)
            end++;
        if (!cpm_step_is_message(&steps->at[begin]) || !look_at_round(p, begin, end, taken))
            return false;
    }
    return gets_result(p, rank);
}

int cpm_take_from_input(const cpm_schedule *s, const cpm_steps *steps, int rank, bool *taken,
                        bool *takes, cpm_error *e)
{
    positions p = {.s = s, .steps = steps};
    const size_t words = (size_t)(s->blocks / BITS + 1);
    const bool takes_none = s->apart || s->by_library || s->combining == CPM_COMBINING_OTHER;
    *takes = false;
    if (!s->operation || !s->operation->combines || takes_none)
        return CPM_OK;
    p.came = words <= FEW ? p.few : calloc(words, sizeof *p.came);
    if (!p.came)
        return cpm_no_memory(e);
    *takes = look(&p, rank, taken);
    if (p.came != p.few)
        free(p.came);
    return CPM_OK;
}
