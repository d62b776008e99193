/* Points by the walk of one schedule for all of them, collectives by their own. */
#include "models/experiments.h"

#include <stdlib.h>

#include "measurements/benchmark_conditions.h"
#include "models/predict.h"

/* What stands for the MPI library's own routine is what it is played by. */
static int predict_collective(const cpm_model *m, const cpm_experiment *x, const cpm_walking *how,
                              double *seconds, cpm_error *e)
{
    cpm_collective what = cpm_experiment_collective(x, m->n);
    const cpm_operation *o = what.operation;
    int status =
        what.algorithm ? CPM_OK : cpm_algorithm_find(o->name, o->plain, &what.algorithm, e);
    if (status)
        return status;
    double result = cpm_predict_bytes(m, &what, x->send_bytes, how, NULL, e);
    if (result < 0)
        return (int)result;
    *seconds = result;
    return CPM_OK;
}

/* Experiments among the processes that take part in them, and in nothing else. */
typedef struct {
    cpm_experiment *x; /* [count] ranks are places in process */
    int *process;      /* [n] */
    size_t *bytes;     /* [CPM_EXPERIMENT_BLOCKS count] */
    double *finish;    /* [n] */
    int n;
} part;

static int allocate_part(int count, part *p, cpm_error *e)
{
    size_t most = 3 * (size_t)count;
    *p = (part){.x = malloc((size_t)count * sizeof *p->x),
                .process = malloc(most * sizeof *p->process),
                .bytes = malloc(CPM_EXPERIMENT_BLOCKS * (size_t)count * sizeof *p->bytes),
                .finish = malloc(most * sizeof *p->finish)};
    return p->x && p->process && p->bytes && p->finish ? CPM_OK : cpm_no_memory(e);
}

static void take_part(const cpm_experiment *x, int count, int n, part *p)
{
    for (int q = 0; q < count; q++) {
        int first = p->n, members = cpm_experiment_ranks(&x[q], n, p->process + first);
        p->n += members;
        p->x[q] = x[q];
        p->x[q].i = first;
        p->x[q].j = members > 1 ? first + 1 : -1;
        p->x[q].k = members > 2 ? first + 2 : -1;
        cpm_experiment_blocks(&x[q], p->bytes + CPM_EXPERIMENT_BLOCKS * (ptrdiff_t)q);
    }
}

static int walk_part(const cpm_model *m, const part *p, int count, const cpm_walking *how,
                     double *seconds, cpm_error *e)
{
    cpm_schedule *schedule;
    int status = cpm_experiments_schedule(p->x, count, p->n, &schedule, e);
    if (status)
        return status;
    cpm_block_sizes sizes = {.each = p->bytes};
    cpm_walking those = how ? *how : (cpm_walking){0};
    those.process = p->process;
    those.leaving = 0; /* no barrier comes before them */
    double last = cpm_model_walk(m, schedule, &sizes, &those, p->finish, e);
    cpm_schedule_free(schedule);
    for (int q = 0; last >= 0 && q < count; q++)
        seconds[q] = p->finish[p->x[q].i];
    return last < 0 ? (int)last : CPM_OK;
}

static int check_disjoint(const cpm_model *m, const part *p, cpm_error *e)
{
    int status = CPM_OK;
    char *taken = calloc((size_t)m->n, 1);
    if (!taken)
        return cpm_no_memory(e);
    for (int i = 0; i < p->n && !status; i++) {
        if (taken[p->process[i]])
            status = cpm_fail(e, CPM_EINVAL, "rank %d takes part in two experiments of a round",
                              p->process[i]);
        taken[p->process[i]] = 1;
    }
    free(taken);
    return status;
}

static int predict_points(const cpm_model *m, const cpm_experiment *x, int count,
                          const cpm_walking *how, double *seconds, cpm_error *e)
{
    part p;
    int status = allocate_part(count, &p, e);
    if (!status) {
        take_part(x, count, m->n, &p);
        status = count > 1 ? check_disjoint(m, &p, e) : CPM_OK;
    }
    if (!status)
        status = walk_part(m, &p, count, how, seconds, e);
    free(p.x);
    free(p.process);
    free(p.bytes);
    free(p.finish);
    return status;
}

static int predict_all(const cpm_model *m, const cpm_experiment *x, int count,
                       const cpm_walking *how, double *seconds, cpm_error *e)
{
    for (int q = 0; q < count; q++) {
        int status = cpm_experiment_check(&x[q], m->n, e);
        if (status)
            return status;
        if (!x[q].kind && count > 1)
            return cpm_fail(e, CPM_EINVAL, "a collective cannot share a round");
    }
    return x->kind ? predict_points(m, x, count, how, seconds, e)
                   : predict_collective(m, x, how, seconds, e);
}

int cpm_model_experiments(const cpm_model *m, const cpm_experiment *x, int count, double *seconds,
                          cpm_error *e)
{
    return predict_all(m, x, count, NULL, seconds, e);
}

int cpm_model_experiment(const cpm_model *m, const cpm_experiment *x, const cpm_walking *how,
                         double *seconds, cpm_error *e)
{
    return predict_all(m, x, 1, how, seconds, e);
}

int cpm_model_overlap(const cpm_model *m, const cpm_experiment *x, double computing,
                      cpm_overlap *out, cpm_error *e)
{
    *out = (cpm_overlap){0};
    int status = cpm_model_experiment(m, x, NULL, &out->alone, e);
    out->computing = computing > 0 ? computing : out->alone;
    const cpm_walking how = {.computing = out->computing};
    return status ? status : cpm_model_experiment(m, x, &how, &out->with, e);
}

cpm_walking cpm_walking_as_measured(const cpm_model *m, const cpm_metadata *measured)
{
    const cpm_benchmark_conditions taken = cpm_benchmark_conditions_of(measured);
    return (cpm_walking){
        .same = taken.same, .mean = taken.mean, .leaving = taken.apart ? cpm_model_leaving(m) : 0};
}
