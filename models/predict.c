/* A collective is predicted by a walk through its schedule, unless the model knows better. */
#include "models/predict.h"

#include <math.h>
#include <stdlib.h>

#include "collectives/temporaries.h"
#include "models/batch_walk.h"

static double check_finite(const cpm_model *m, const cpm_collective *c, double seconds,
                           cpm_error *e)
{
    if (isfinite(seconds))
        return seconds;
    return cpm_fail(e, CPM_EDATA, "the %s model's time of %s:%s is no finite number of seconds",
                    m->type->name, c->operation->name, cpm_collective_algorithm(c));
}

/* The collective on the model's processes. */
static int place(const cpm_model *m, const cpm_collective *c, cpm_collective *out, cpm_error *e)
{
    *out = *c;
    out->at.n = m->n;
    if (!out->at.hosts && cpm_hosts_have_levels(&m->on))
        out->at.hosts = &m->on;
    if (c->at.root < 0 || c->at.root >= m->n)
        return cpm_fail(e, CPM_EINVAL, "root %d is not in 0..%d", c->at.root, m->n - 1);
    return CPM_OK;
}

int cpm_model_schedule(const cpm_model *m, const cpm_collective *c, const cpm_block_sizes *sizes,
                       cpm_schedule **out, cpm_error *e)
{
    cpm_collective whole;
    int status = place(m, c, &whole, e);
    return status ? status : cpm_collective_schedule(&whole, sizes, out, e);
}

/* By the model's own knowledge of whole algorithms. */
static double predict_whole(const cpm_model *m, const cpm_collective *c,
                            const cpm_block_sizes *sizes, double *finish, cpm_error *e)
{
    cpm_collective whole;
    int status = place(m, c, &whole, e);
    double seconds = status ? status : m->type->predict(m, &whole, sizes, e);
    for (int i = 0; i < m->n && finish && seconds >= 0; i++)
        finish[i] = seconds;
    return seconds;
}

/* What the MPI library's own routine takes besides, as its processes all do it at once. */
static double add_temporaries(const cpm_model *m, const cpm_collective *c, size_t bytes,
                              double seconds, double *finish)
{
    cpm_collective whole;
    if (seconds < 0 || !c->by_library || !m->type->fresh || place(m, c, &whole, NULL))
        return seconds;
    const double fresh = cpm_temporaries(&whole, (double)bytes);
    double most = 0;
    for (int i = 0; i < m->n && fresh > 0; i++)
        most = fmax(most, m->type->fresh(m, i, fresh));
    for (int i = 0; i < m->n && finish; i++)
        finish[i] += most;
    return seconds + most;
}

static double predict_by_walk(const cpm_model *m, const cpm_collective *c,
                              const cpm_block_sizes *sizes, const cpm_walking *how, double *finish,
                              cpm_error *e)
{
    const cpm_block_sizes nothing = {0}, *of = c->operation->dataless ? &nothing : sizes;
    cpm_schedule *s;
    int status = cpm_model_schedule(m, c, sizes, &s, e);
    if (status)
        return status;
    double seconds = how && how->batch != CPM_ISOLATED
                         ? cpm_model_walk_batch(m, s, of, how, finish, e)
                         : cpm_model_walk(m, s, of, how, finish, e);
    cpm_schedule_free(s);
    seconds = add_temporaries(m, c, of->bytes, seconds, finish);
    return check_finite(m, c, seconds, e);
}

double cpm_predict_collective(const cpm_model *m, const cpm_collective *c,
                              const cpm_block_sizes *sizes, const cpm_walking *how, double *finish,
                              cpm_error *e)
{
    if (m->type->predict && how && (how->batch != CPM_ISOLATED || how->computing > 0))
        return cpm_fail(
            e, CPM_EDATA, "a model of type %s knows isolated calls, not %s", m->type->name,
            how->computing > 0 ? "what computing hides of them" : "those that follow each other");
    return m->type->predict && c->algorithm ? predict_whole(m, c, sizes, finish, e)
                                            : predict_by_walk(m, c, sizes, how, finish, e);
}

double cpm_predict_bytes(const cpm_model *m, const cpm_collective *c, size_t bytes,
                         const cpm_walking *how, double *finish, cpm_error *e)
{
    cpm_collective whole = *c;
    size_t *each;
    whole.at.n = m->n;
    int status = cpm_collective_sizes(&whole, bytes, &each, e);
    if (status)
        return status;
    const cpm_block_sizes sizes = {.bytes = bytes, .each = each};
    double seconds = cpm_predict_collective(m, &whole, &sizes, how, finish, e);
    free(each);
    return seconds;
}
