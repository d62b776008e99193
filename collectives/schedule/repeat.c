/* A rank's steps are those of the schedule, one copy behind the other, each in rounds of its own.
 */
#include "collectives/schedule/repeat.h"

#include <stdlib.h>

typedef struct {
    const cpm_schedule *once;
    int times;
} repetition;

static bool is_kept_for_the_end(const cpm_step *step)
{
    return step->deferred && cpm_step_receives(step);
}

/* What the copy behind step from deferred is received in a round at its end, not at that of all. */
static void end_copy(cpm_steps *s, int from)
{
    int count = s->count, kept = from;
    for (int k = from; k < count; k++) {
        const cpm_step step = s->at[k];
        if (!is_kept_for_the_end(&step))
            continue;
        cpm_recv(s, step.peer, step.run.first, step.run.count);
        for (int i = 1; i < step.runs; i++) {
            cpm_run run = cpm_step_run(s, &step, i);
            cpm_and(s, run.first, run.count);
        }
    }
    for (int k = from; k < s->count; k++)
        if (k >= count || !is_kept_for_the_end(&s->at[k]))
            s->at[kept++] = s->at[k];
    s->count = kept;
    cpm_next_round(s);
}

static void build(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const repetition *r = s->state;
    for (int k = 0; k < r->times && !out->failed; k++) {
        int from = out->count;
        r->once->build(r->once, rank, out);
        cpm_next_round(out);
        if (k + 1 < r->times)
            end_copy(out, from);
    }
}

int cpm_schedule_repeat(const cpm_schedule *once, int times, cpm_schedule **out, cpm_error *e)
{
    cpm_schedule *s = malloc(sizeof *s);
    repetition *r = malloc(sizeof *r);
    if (!s || !r) {
        free(s);
        free(r);
        return cpm_no_memory(e);
    }
    *r = (repetition){once, times};
    *s = *once;
    s->calls = times;
    s->build = build;
    s->state = r;
    s->free_state = free;
    *out = s;
    return CPM_OK;
}
