/* Lognormal noise with outliers, and a machine that adds it to another's results. */
#include "measurements/noise.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>

struct cpm_noise {
    gsl_rng *random;
    double relative;
};

/* Now and then a repetition is far off. */
static const double outlier_share = 0.01, outlier_least = 2, outlier_most = 20;

int cpm_noise_create(double relative, unsigned long seed, cpm_noise **out, cpm_error *e)
{
    if (!(relative >= 0 && relative < 10))
        return cpm_fail(e, CPM_EINVAL, "noise %g is not in 0..10", relative);
    cpm_noise *n = calloc(1, sizeof *n);
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    if (!n || !random) {
        free(n);
        if (random)
            gsl_rng_free(random);
        return cpm_no_memory(e);
    }
    gsl_rng_set(random, seed);
    *n = (cpm_noise){random, relative};
    *out = n;
    return CPM_OK;
}

double cpm_noise_disturb(cpm_noise *n, double seconds)
{
    if (n->relative <= 0)
        return seconds;
    seconds *= gsl_ran_lognormal(n->random, 0, n->relative);
    if (gsl_rng_uniform(n->random) < outlier_share)
        seconds *= gsl_ran_flat(n->random, outlier_least, outlier_most);
    return seconds;
}

void cpm_noise_free(cpm_noise *n)
{
    if (!n)
        return;
    gsl_rng_free(n->random);
    free(n);
}

/* ---- the machine */

typedef struct {
    cpm_machine machine; /* first, so that a pointer to it is one to this */
    cpm_machine *inner;
    cpm_noise *noise;
    double relative;
    unsigned long seed;
} noisy;

static int disturb(noisy *y, int count, const cpm_precision *p, cpm_measurement *results,
                   cpm_error *e)
{
    int status = CPM_OK;
    for (int q = 0; q < count && !status; q++) {
        cpm_measurement *r = &results[q];
        for (int s = 0; s < r->summary.reps; s++)
            r->samples[s] = cpm_noise_disturb(y->noise, r->samples[s]);
        status = cpm_summarize(r->samples, r->summary.reps, p, &r->summary, e);
    }
    for (int q = 0; q < count && status; q++) {
        free(results[q].samples);
        results[q].samples = NULL;
    }
    return status;
}

static int noisy_measure(cpm_machine *m, const cpm_experiment *x, int count, const cpm_precision *p,
                         cpm_measurement *results, cpm_error *e)
{
    noisy *y = (noisy *)m;
    int status = y->inner->measure(y->inner, x, count, p, results, e);
    if (status)
        return status;
    return y->inner->agree(y->inner, m->rank == 0 ? disturb(y, count, p, results, e) : CPM_OK, e);
}

static int noisy_broadcast(cpm_machine *m, void *data, size_t bytes, cpm_error *e)
{
    noisy *y = (noisy *)m;
    return y->inner->broadcast(y->inner, data, bytes, e);
}

static int noisy_agree(cpm_machine *m, int status, cpm_error *e)
{
    noisy *y = (noisy *)m;
    return y->inner->agree(y->inner, status, e);
}

static int noisy_overlap(cpm_machine *m, const cpm_experiment *x, double computing,
                         const cpm_precision *p, cpm_overlap *out, cpm_error *e)
{
    noisy *y = (noisy *)m;
    int status = y->inner->overlap(y->inner, x, computing, p, out, e);
    if (status || m->rank != 0)
        return status;
    out->alone = cpm_noise_disturb(y->noise, out->alone);
    out->with = cpm_noise_disturb(y->noise, out->with);
    return CPM_OK;
}

static double noisy_now(cpm_machine *m)
{
    noisy *y = (noisy *)m;
    return y->inner->now(y->inner);
}

static int noisy_describe(cpm_machine *m, cpm_metadata *metadata, cpm_error *e)
{
    noisy *y = (noisy *)m;
    int status = y->inner->describe(y->inner, metadata, e);
    if (status || m->rank != 0)
        return status;
    return cpm_metadata_set(metadata, e, "noise", "%g, seed %lu", y->relative, y->seed);
}

static void noisy_together(cpm_machine *m, bool together)
{
    noisy *y = (noisy *)m;
    if (y->inner->together)
        y->inner->together(y->inner, together);
}

static void noisy_free(cpm_machine *m)
{
    noisy *y = (noisy *)m;
    if (!y)
        return;
    y->inner->free(y->inner);
    cpm_noise_free(y->noise);
    free(y);
}

static const cpm_machine noisy_machine = {
    .measure = noisy_measure,
    .overlap = noisy_overlap,
    .broadcast = noisy_broadcast,
    .agree = noisy_agree,
    .now = noisy_now,
    .describe = noisy_describe,
    .together = noisy_together,
    .free = noisy_free,
};

int cpm_noisy_create(cpm_machine *inner, double relative, unsigned long seed, cpm_machine **out,
                     cpm_error *e)
{
    cpm_noise *noise = NULL;
    noisy *y = calloc(1, sizeof *y);
    int status = y ? CPM_OK : cpm_no_memory(e);
    if (!status)
        status = cpm_noise_create(relative, seed, &noise, e);
    status = inner->agree(inner, status, e);
    if (status) {
        cpm_noise_free(noise);
        free(y);
        inner->free(inner);
        return status;
    }
    *y = (noisy){noisy_machine, inner, noise, relative, seed};
    y->machine.n = inner->n;
    y->machine.rank = inner->rank;
    *out = &y->machine;
    return CPM_OK;
}
