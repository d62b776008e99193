/* Walks keep a hash of the positions of each message only. */
#include "collectives/schedule/tasks.h"

#include <stdlib.h>

#include "base/memory.h"

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

/* ---- memory */

/* The system is asked whenever so much more is kept. */
enum { OFTEN = 1 << 26 };

/* What the ranks that have not begun will need, as these look: the one that has most may be a root.
 * 0 while there are few of them. */
static size_t rest_of(const cpm_task_memory *m)
{
    enum { FEW = 256 };
    if (m->begun < 2 || m->begun < m->n / FEW)
        return 0;
    return (size_t)((double)(m->kept - m->most) / (m->begun - 1) * (m->n - m->begun));
}

/* bytes: of kept, those that are to be taken now. */
static int check(cpm_task_memory *m, size_t bytes, cpm_error *e)
{
    if (m->kept < m->asked + OFTEN)
        return CPM_OK;
    size_t rest = rest_of(m), left = cpm_memory_left();
    m->asked = m->kept;
    if (bytes + rest + OFTEN <= left / 10 * 9)
        return CPM_OK;
    return cpm_fail(e, CPM_ENOMEM,
                    "out of memory: walking the messages of %d ranks takes about %.3g GB, of which "
                    "%.3g GB are left",
                    m->n, 1e-9 * (double)(m->kept + rest + OFTEN),
                    1e-9 * (double)(m->kept - bytes + left));
}

int cpm_tasks_create(cpm_task_memory *m, int count, cpm_task **out, cpm_error *e)
{
    size_t bytes = (size_t)count * sizeof **out;
    m->begun++;
    m->kept += bytes;
    m->most = bytes > m->most ? bytes : m->most;
    int status = check(m, bytes, e);
    *out = status ? NULL : malloc(bytes + 1);
    if (!status && !*out)
        status =
            cpm_fail(e, CPM_ENOMEM, "out of memory while walking a schedule of %d ranks", m->n);
    return status;
}

void cpm_tasks_free(cpm_task_memory *m, cpm_task *tasks, int count)
{
    m->kept -= tasks ? (size_t)count * sizeof *tasks : 0;
    free(tasks);
}
