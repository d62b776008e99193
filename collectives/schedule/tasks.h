/* What a walk has to know of steps that are not done yet: an array of them for each rank that has
 * begun, so they are short. */
#ifndef CPM_COLLECTIVES_SCHEDULE_TASKS_H
#define CPM_COLLECTIVES_SCHEDULE_TASKS_H

#include "collectives/schedule/placing.h"

/* Peers fit as CPM_MOST_PROCESSES is less. */
enum { CPM_TASK_PIECES = 10 };

typedef struct {
    uint32_t peer : 24;
    uint32_t kind : 4;
    uint32_t deferred : 1;
    uint32_t last : 1;       /* of its round; the caller's to say */
    uint32_t overwrites : 1; /* it is received where others have read; the caller's to say */
    uint32_t own : 1;        /* nothing of what is sent was received; the caller's to say */
    uint32_t names;          /* of its positions: both ends of a message have the same */
    uint64_t pieces : CPM_TASK_PIECES; /* in which it lies if it is packed or unpacked, else 0 */
    uint64_t value : 64 - CPM_TASK_PIECES; /* bytes to be sent, combined or unpacked; the walk's own
                                              of what is received */
} cpm_task;

static inline uint32_t cpm_task_names(const cpm_step *step)
{
    return (uint32_t)(step->names ^ step->names >> 32);
}

/* Of a message that is copied, else 0. */
static inline int cpm_task_pieces(const cpm_placing *p, const cpm_steps *steps,
                                  const cpm_step *step)
{
    enum { MOST = (1 << CPM_TASK_PIECES) - 1 };
    if (!p || step->kind > CPM_RECV || (step->runs <= 1 && step->run.count <= 1))
        return 0;
    int64_t pieces = cpm_step_pieces(p, steps, step);
    return pieces < 2 ? 0 : pieces < MOST ? (int)pieces : MOST;
}

/* pieces: cpm_task_pieces. */
static inline cpm_task cpm_task_of(const cpm_schedule *s, const cpm_steps *steps,
                                   const cpm_step *step, const cpm_block_sizes *sizes, int pieces)
{
    bool sized = step->kind != CPM_RECV || pieces > 0;
    return (cpm_task){.peer = (uint32_t)step->peer & 0xffffff,
                      .names = cpm_task_names(step),
                      .value = sized ? cpm_step_bytes(s, steps, step, sizes) : 0,
                      .pieces = pieces,
                      .kind = step->kind,
                      .deferred = step->deferred};
}

/* Says what does not fit where rank from sends to rank to what is named sent, and the receiver
 * expects what is named otherwise: the steps of both are made again. */
int cpm_tasks_mismatch(const cpm_schedule *s, int from, uint32_t sent, int to, uint32_t expected,
                       cpm_error *e);

/* Memory of the tasks of n ranks, which begin one after the other; zero but for n is a beginning.
 */
typedef struct {
    int n, begun;                 /* ranks */
    size_t kept, most;            /* bytes: of all ranks, of the one that has most */
    size_t besides, taken;        /* the caller's: what else it will need, and has of that */
    size_t asked;                 /* both when the system was asked last whether there is enough */
    struct cpm_task_chunk *chunk; /* what the next ranks' tasks are a part of, if it suffices */
} cpm_task_memory;

/* What n ranks have together, as it looks when some have begun with a sum, of which one had most:
 * it may be a root. While these are few they are all. */
double cpm_tasks_of_all(int n, int begun, double sum, double most);

/* CPM_ENOMEM if what the ranks that will begin and the caller need, too, is more than there is. */
int cpm_tasks_suffice(cpm_task_memory *m, cpm_error *e);
/* Room for count tasks of the next rank. CPM_ENOMEM, also if what the other ranks will need as they
 * look from those that have begun is more than there is. */
int cpm_tasks_create(cpm_task_memory *m, int count, cpm_task **out, cpm_error *e);
void cpm_tasks_free(cpm_task_memory *m, cpm_task *tasks, int count);
/* When the tasks of all ranks were freed. */
void cpm_tasks_close(cpm_task_memory *m);

#endif
