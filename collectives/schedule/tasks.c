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

/* The system is asked whenever so much more is kept; REST: for all else. */
enum { OFTEN = 1 << 26, REST = 1 << 25 };

double cpm_tasks_of_all(int n, int begun, double sum, double most)
{
    enum { FEW = 256 };
    if (begun < 2 || begun < n / FEW)
        return sum;
    return sum + (sum - most) / (begun - 1) * (n - begun);
}

/* bytes: of kept, those that are to be taken now. */
static int check(cpm_task_memory *m, size_t bytes, cpm_error *e)
{
    if (m->kept + m->besides < m->asked + OFTEN)
        return CPM_OK;
    double all = cpm_tasks_of_all(m->n, m->begun, (double)m->kept, (double)m->most) +
                 (double)m->besides + REST;
    double has = (double)(m->kept - bytes) + (double)m->taken, left = (double)cpm_memory_left();
    m->asked = m->kept + m->besides;
    if (all - has <= 0.9 * left)
        return CPM_OK;
    return cpm_fail(e, CPM_ENOMEM,
                    "out of memory: walking the messages of %d ranks takes about %.3g GB, of which "
                    "%.3g GB are left",
                    m->n, 1e-9 * all, 1e-9 * (has + left));
}

int cpm_tasks_suffice(cpm_task_memory *m, cpm_error *e)
{
    return check(m, 0, e);
}

/* ---- chunks: what many ranks have under way lies close together, in large pages */

struct cpm_task_chunk {
    size_t places, taken; /* in tasks */
    size_t users;         /* ranks with tasks in it, and the memory while it takes more from it */
    cpm_task task[];
};

/* The task before a rank's first one says whose it is. */
typedef union {
    struct cpm_task_chunk *chunk;
    cpm_task task;
} owner;

static void leave(struct cpm_task_chunk *chunk)
{
    if (chunk && --chunk->users == 0)
        free(chunk);
}

/* As much again as there is, so that few ranks take little. */
static struct cpm_task_chunk *new_chunk(const cpm_task_memory *m, size_t places)
{
    const size_t most = (size_t)1 << 25;
    struct cpm_task_chunk *chunk;
    size_t again = (m->kept < most ? m->kept : most) / sizeof *chunk->task;
    if (places < again)
        places = again;
    size_t bytes = sizeof *chunk + places * sizeof *chunk->task;
    chunk = cpm_memory_in_large_pages(bytes);
    if (chunk)
        *chunk = (struct cpm_task_chunk){.places = places, .users = 1};
    return chunk;
}

/* NULL: out of memory. */
static cpm_task *take(cpm_task_memory *m, size_t places)
{
    if (!m->chunk || m->chunk->places - m->chunk->taken < places) {
        leave(m->chunk);
        m->chunk = new_chunk(m, places);
    }
    if (!m->chunk)
        return NULL;
    owner *o = (owner *)&m->chunk->task[m->chunk->taken];
    o->chunk = m->chunk;
    m->chunk->taken += places;
    m->chunk->users++;
    return &o->task + 1;
}

int cpm_tasks_create(cpm_task_memory *m, int count, cpm_task **out, cpm_error *e)
{
    size_t places = (size_t)count + 1, bytes = places * sizeof **out;
    m->begun++;
    m->kept += bytes;
    m->most = bytes > m->most ? bytes : m->most;
    int status = check(m, bytes, e);
    *out = status ? NULL : take(m, places);
    if (!status && !*out)
        status = cpm_no_memory(e);
    return status;
}

void cpm_tasks_free(cpm_task_memory *m, cpm_task *tasks, int count)
{
    if (!tasks)
        return;
    m->kept -= ((size_t)count + 1) * sizeof *tasks;
    leave(((owner *)(tasks - 1))->chunk);
}

void cpm_tasks_close(cpm_task_memory *m)
{
    leave(m->chunk);
    m->chunk = NULL;
}
