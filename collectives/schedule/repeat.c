/* A rank's steps are those of the schedule, one copy behind the other, each in rounds of its own.
 */
#include "collectives/schedule/repeat.h"

#include <stdlib.h>

typedef struct {
    const cpm_schedule *once;
    int times;
} repetition;

static void build(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const repetition *r = s->state;
    for (int k = 0; k < r->times && !out->failed; k++) {
        r->once->build(r->once, rank, out);
        cpm_next_round(out);
    }
}

int cpm_schedule_repeat(const cpm_schedule *once, int times, cpm_schedule **out, cpm_error *e)
{
    cpm_schedule *s = malloc(sizeof *s);
    repetition *r = malloc(sizeof *r);
    if (!s || !r) {
        free(s);
        free(r);
        return cpm_fail(e, CPM_ENOMEM, "out of memory for a schedule of %d ranks", once->n);
    }
    *r = (repetition){once, times};
    *s = *once;
    s->build = build;
    s->state = r;
    s->free_state = free;
    *out = s;
    return CPM_OK;
}
