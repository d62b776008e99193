/* A model simulates the cluster: every measurement is the walk's prediction, disturbed at will. */
#include "models/synthetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measurements/batch_calls.h"
#include "measurements/noise.h"
#include "models/experiments.h"
#include "models/fingerprint.h"

typedef struct {
    cpm_machine machine; /* first, so that a pointer to it is one to this */
    const cpm_model *model;
    double relative;
    unsigned long seed;
    int batch; /* of its collectives */
    cpm_noise *noise;
    double now; /* seconds: all that was measured so far */
} synthetic;

/* ---- repetitions */

/* As on a real machine all experiments of a round are repeated until the last one is precise; the
 * round lasts as long as its longest. */
static void repeat(synthetic *s, const double *seconds, int count, int rep,
                   cpm_measurement *results)
{
    double longest = 0;
    for (int q = 0; q < count; q++) {
        results[q].samples[rep] = cpm_noise_disturb(s->noise, seconds[q]);
        longest = fmax(longest, results[q].samples[rep]);
    }
    s->now += longest;
}

/* Moves *precise on to the first experiment that is not precise enough after reps repetitions,
 * which took so many seconds; those
 * before it are so already. */
static int advance_precise(int reps, double seconds, int count, const cpm_precision *p,
                           cpm_measurement *results, int *precise, cpm_error *e)
{
    while (*precise < count) {
        cpm_measurement *r = &results[*precise];
        int status = cpm_summarize(r->samples, reps, p, &r->summary, e);
        if (status)
            return status;
        if (!cpm_enough(&r->summary, seconds, p))
            return CPM_OK;
        ++*precise;
    }
    return CPM_OK;
}

static int repeat_until_precise(synthetic *s, const double *seconds, int count,
                                const cpm_precision *p, cpm_measurement *results, cpm_error *e)
{
    const double begin = s->now;
    int reps = 0, precise = 0, status = CPM_OK;
    while (!status && precise < count && reps < p->max_reps) {
        repeat(s, seconds, count, reps++, results);
        if (reps >= p->min_reps)
            status = advance_precise(reps, s->now - begin, count, p, results, &precise, e);
    }
    for (int q = 0; !status && q < count; q++)
        status = cpm_summarize(results[q].samples, reps, p, &results[q].summary, e);
    return status;
}

static int allocate_samples(const cpm_experiment *x, int count, int reps, cpm_measurement *results,
                            cpm_error *e)
{
    int status = CPM_OK;
    for (int q = 0; q < count; q++) {
        results[q] = (cpm_measurement){.what = x[q]};
        results[q].samples = malloc((size_t)reps * sizeof *results[q].samples);
        if (!results[q].samples)
            status = cpm_no_memory(e);
    }
    return status;
}

static int measure_round(synthetic *s, const cpm_experiment *x, int count, const cpm_precision *p,
                         double *seconds, cpm_measurement *results, cpm_error *e)
{
    int status = cpm_model_experiments(s->model, x, count, seconds, e);
    if (!status && !x->kind && s->batch != CPM_ISOLATED)
        status = cpm_model_experiment(s->model, x, &(cpm_walking){.batch = s->batch}, seconds, e);
    if (status)
        return status;
    status = allocate_samples(x, count, p->max_reps, results, e);
    if (!status)
        status = repeat_until_precise(s, seconds, count, p, results, e);
    for (int q = 0; status && q < count; q++) {
        free(results[q].samples);
        results[q].samples = NULL;
    }
    return status;
}

static int synthetic_measure(cpm_machine *m, const cpm_experiment *x, int count,
                             const cpm_precision *p, cpm_measurement *results, cpm_error *e)
{
    if (count < 1)
        return CPM_OK;
    int status = cpm_precision_check(p, e);
    if (status)
        return status;
    double *seconds = malloc((size_t)count * sizeof *seconds);
    if (!seconds)
        return cpm_no_memory(e);
    status = measure_round((synthetic *)m, x, count, p, seconds, results, e);
    free(seconds);
    return status;
}

static int synthetic_overlap(cpm_machine *m, const cpm_experiment *x, double computing,
                             const cpm_precision *p, cpm_overlap *out, cpm_error *e)
{
    const synthetic *s = (synthetic *)m;
    (void)p;
    int status = cpm_model_overlap(s->model, x, computing, out, e);
    out->alone = cpm_noise_disturb(s->noise, out->alone);
    out->with = cpm_noise_disturb(s->noise, out->with);
    return status;
}

/* ---- the rest of a machine; there is one rank */

static int synthetic_broadcast(cpm_machine *m, void *data, size_t bytes, cpm_error *e)
{
    (void)m, (void)data, (void)bytes, (void)e;
    return CPM_OK;
}

static int synthetic_agree(cpm_machine *m, int status, cpm_error *e)
{
    (void)m, (void)e;
    return status;
}

static double synthetic_now(cpm_machine *m)
{
    return ((synthetic *)m)->now;
}

/* Names separated by spaces, one per process, whatever the model's are. */
static char *join_hosts(const cpm_model *m)
{
    size_t size = 1;
    for (int i = 0; i < m->n; i++)
        size += strlen(m->hosts[i]) + sizeof "synthetic";
    char *joined = malloc(size), *end = joined;
    for (int i = 0; joined && i < m->n; i++) {
        const char *name = m->hosts[i][0] ? m->hosts[i] : "synthetic";
        if (i)
            *end++ = ' ';
        for (; *name; name++)
            *end++ = *name == ' ' ? '_' : *name;
    }
    if (joined)
        *end = '\0';
    return joined;
}

static int describe_timing(const synthetic *s, cpm_metadata *metadata, cpm_error *e)
{
    char batch[CPM_BATCH_NAME];
    cpm_batch_name(s->batch, batch);
    return cpm_metadata_set(metadata, e, "timing", "%s", s->batch == CPM_ISOLATED ? "max" : batch);
}

static int synthetic_describe(cpm_machine *machine, cpm_metadata *metadata, cpm_error *e)
{
    const synthetic *s = (const synthetic *)machine;
    char simulated[CPM_MODEL_FINGERPRINT];
    cpm_model_fingerprint(s->model, simulated);
    char *hosts = join_hosts(s->model);
    if (!hosts)
        return cpm_no_memory(e);
    int status = cpm_metadata_set(metadata, e, "machine", "synthetic");
    if (!status)
        status = cpm_metadata_set(metadata, e, "synthetic", "%s noise %g seed %lu",
                                  s->model->type->name, s->relative, s->seed);
    if (!status)
        status = cpm_metadata_set(metadata, e, "played", "%s", simulated);
    if (!status)
        status = cpm_metadata_set(metadata, e, "hosts", "%s", hosts);
    if (!status && s->model->inside.count > 0 && s->model->on.count < s->model->n)
        status = cpm_metadata_set(metadata, e, "layout", "%d processes on %d host%s", s->model->n,
                                  s->model->on.count, s->model->on.count == 1 ? "" : "s");
    if (!status)
        status = cpm_measurements_set_sockets(&s->model->on, metadata, e);
    if (!status)
        status = cpm_metadata_set(metadata, e, "clock_resolution", "0");
    if (!status)
        status = describe_timing(s, metadata, e);
    free(hosts);
    return status;
}

static void synthetic_free(cpm_machine *m)
{
    synthetic *s = (synthetic *)m;
    if (!s)
        return;
    cpm_noise_free(s->noise);
    free(s);
}

static const cpm_machine synthetic_machine = {
    .measure = synthetic_measure,
    .overlap = synthetic_overlap,
    .broadcast = synthetic_broadcast,
    .agree = synthetic_agree,
    .now = synthetic_now,
    .describe = synthetic_describe,
    .free = synthetic_free,
};

int cpm_synthetic_create(const cpm_model *model, double noise, unsigned long seed,
                         cpm_machine **out, cpm_error *e)
{
    cpm_noise *disturbance;
    int status = cpm_noise_create(noise, seed, &disturbance, e);
    if (status)
        return status;
    synthetic *s = calloc(1, sizeof *s);
    if (!s) {
        cpm_noise_free(disturbance);
        return cpm_no_memory(e);
    }
    *s = (synthetic){.machine = synthetic_machine,
                     .model = model,
                     .relative = noise,
                     .seed = seed,
                     .batch = CPM_ISOLATED,
                     .noise = disturbance};
    s->machine.n = model->n;
    *out = &s->machine;
    return CPM_OK;
}

void cpm_synthetic_set_batch(cpm_machine *machine, int batch)
{
    ((synthetic *)machine)->batch = batch;
}
