/* A batch is predicted by walks through its first calls, until one more is like the one before. */
#include "models/batch_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/schedule/repeat.h"

/* A steady increment is known to this part of itself; walks end at MOST_WALKED calls. */
static const double tolerance = 1e-3;
enum { ALL_WALKED = 8, MOST_WALKED = 32 };

typedef struct {
    const cpm_model *m;
    const cpm_schedule *once;
    const cpm_block_sizes *sizes;
    const cpm_walking *how;
    int calls;       /* of the batch */
    int walked;      /* of these */
    double *finish;  /* [n] seconds when each process has finished what was walked */
    double *before;  /* [n] the same of the walk before it */
    double *call;    /* [n] seconds that a further call adds */
    double *earlier; /* [n] the same of the walk before it */
    cpm_error *e;
} batch_walk;

static int walk(batch_walk *b, int calls)
{
    cpm_schedule *all;
    int status = cpm_schedule_repeat(b->once, calls, &all, b->e);
    if (status)
        return status;
    double last = cpm_model_walk(b->m, all, b->sizes, b->how, b->finish, b->e);
    cpm_schedule_free(all);
    return last < 0 ? (int)last : CPM_OK;
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

/* Walks through so many calls. */
static int go_on(batch_walk *b, int calls)
{
    swap(&b->finish, &b->before);
    swap(&b->call, &b->earlier);
    int status = walk(b, calls);
    for (int i = 0; i < b->m->n; i++)
        b->call[i] = (b->finish[i] - b->before[i]) / (calls - b->walked);
    b->walked = calls;
    return status;
}

static bool is_steady(const batch_walk *b)
{
    double sum = 0, change = 0;
    for (int i = 0; i < b->m->n; i++) {
        sum += b->call[i];
        change += fabs(b->call[i] - b->earlier[i]);
    }
    return change <= tolerance * sum;
}

/* Nothing is compared before there are two increments: those of the second call, and of the third
 * and fourth. */
static int walk_until_steady(batch_walk *b)
{
    bool steady = false;
    int status = go_on(b, 1);
    for (int calls = 2; calls < b->calls && !steady && !status; calls *= 2) {
        status = go_on(b, calls);
        steady = calls == MOST_WALKED || (calls > 2 && is_steady(b));
    }
    return status || steady ? status : go_on(b, b->calls);
}

/* Of each process, per call; returns their mean. */
static double times_per_call(const batch_walk *b, double *finish)
{
    double sum = 0;
    for (int i = 0; i < b->m->n; i++) {
        double all = b->finish[i] + (b->calls - b->walked) * b->call[i];
        sum += all / b->calls;
        if (finish)
            finish[i] = all / b->calls;
    }
    return sum / b->m->n;
}

double cpm_model_walk_batch(const cpm_model *m, const cpm_schedule *once,
                            const cpm_block_sizes *sizes, const cpm_walking *how, double *finish,
                            cpm_error *e)
{
    size_t n = (size_t)m->n;
    double *times = calloc(4 * n, sizeof *times);
    if (!times)
        return cpm_no_memory(e);
    batch_walk b = {.m = m,
                    .once = once,
                    .sizes = sizes,
                    .how = how,
                    .calls = cpm_batch_calls(how->batch, sizes->bytes),
                    .finish = times,
                    .before = times + n,
                    .call = times + 2 * n,
                    .earlier = times + 3 * n,
                    .e = e};
    int status = b.calls <= ALL_WALKED ? go_on(&b, b.calls) : walk_until_steady(&b);
    double seconds = status ? status : times_per_call(&b, finish);
    free(times);
    return seconds;
}
