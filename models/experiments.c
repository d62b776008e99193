/* Points by the walk of one schedule for all of them, collectives by their own. */
#include "models/experiments.h"

#include <stdlib.h>

static int predict_collective(const cpm_model *m, const cpm_experiment *x, double *seconds,
                              cpm_error *e)
{
    cpm_collective played = cpm_experiment_collective(x, m->n);
    const cpm_operation *o = played.operation;
    int status =
        played.algorithm ? CPM_OK : cpm_algorithm_find(o->name, o->plain, &played.algorithm, e);
    if (status)
        return status;
    double result = cpm_predict_bytes(m, &played, x->send_bytes, NULL, e);
    if (result < 0)
        return (int)result;
    *seconds = result;
    return CPM_OK;
}

static int walk_points(const cpm_model *m, const cpm_experiment *x, int count, size_t *bytes,
                       double *finish, double *seconds, cpm_error *e)
{
    cpm_schedule *schedule;
    int status = cpm_experiments_schedule(x, count, m->n, &schedule, e);
    if (status)
        return status;
    for (int q = 0; q < count; q++) {
        size_t *of_q = bytes + 2 * (size_t)q;
        of_q[0] = x[q].send_bytes;
        of_q[1] = x[q].reply_bytes;
    }
    cpm_block_sizes sizes = {.each = bytes};
    double last = cpm_model_walk(m, schedule, &sizes, finish, e);
    cpm_schedule_free(schedule);
    for (int q = 0; last >= 0 && q < count; q++)
        seconds[q] = finish[x[q].i];
    return last < 0 ? (int)last : CPM_OK;
}

static int predict_points(const cpm_model *m, const cpm_experiment *x, int count, double *seconds,
                          cpm_error *e)
{
    size_t *bytes = malloc(2 * (size_t)count * sizeof *bytes);
    double *finish = malloc((size_t)m->n * sizeof *finish);
    int status = bytes && finish ? walk_points(m, x, count, bytes, finish, seconds, e)
                                 : cpm_fail(e, CPM_ENOMEM, "no memory for a round");
    free(bytes);
    free(finish);
    return status;
}

int cpm_model_experiments(const cpm_model *m, const cpm_experiment *x, int count, double *seconds,
                          cpm_error *e)
{
    for (int q = 0; q < count; q++) {
        int status = cpm_experiment_check(&x[q], m->n, e);
        if (status)
            return status;
        if (!x[q].kind && count > 1)
            return cpm_fail(e, CPM_EINVAL, "a collective cannot share a round");
    }
    return x->kind ? predict_points(m, x, count, seconds, e) : predict_collective(m, x, seconds, e);
}
