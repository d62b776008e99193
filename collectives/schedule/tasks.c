/* Walks keep a hash of the positions of each message only. */
#include "collectives/schedule/tasks.h"

static const cpm_step *find_step(const cpm_steps *steps, bool sends, int peer, uint32_t names)
{
    const cpm_step *step = steps->at;
    while ((step->kind == CPM_SEND) != sends || step->peer != peer || cpm_task_names(step) != names)
        step++;
    return step;
}

int cpm_tasks_mismatch(const cpm_schedule *s, int from, uint32_t sent, int to, uint32_t expected,
                       cpm_error *e)
{
    cpm_steps sends = {0}, receives = {0};
    int code = cpm_schedule_rank(s, from, &sends, e);
    if (!code)
        code = cpm_schedule_rank(s, to, &receives, e);
    if (!code)
        code = cpm_steps_match(find_step(&sends, true, to, sent), from,
                               find_step(&receives, false, from, expected), to, e);
    cpm_steps_free(&sends);
    cpm_steps_free(&receives);
    return code;
}
