/* Every measurement against the walk of its experiment: the same for all models and methods. */
#include "estimators/residuals.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimators/streams.h"
#include "models/experiments.h"

typedef struct {
    const cpm_measurement *of;
    double value, noise; /* shares of the measured time */
} residual;

typedef struct {
    residual *at;
    int count;
    double *work;       /* [count] */
    double *sum;        /* [n] absolute residuals of each process */
    int *times;         /* [n] */
    bool *taken;        /* [count] belongs to a row that was made */
    cpm_residual *rows; /* [count] at most */
    int made;
} residuals;

/* Whether it was measured again, apart from what disturbed it. */
static bool is_outdated(const cpm_measurements *m, const cpm_experiment *x)
{
    bool found = false;
    for (int again = x->count + 1; x->kind && again <= CPM_ALONE && !found; again++) {
        cpm_experiment other = *x;
        other.count = again;
        found = cpm_measurements_find(m, &other) >= 0;
    }
    return found;
}

/* What was measured together with others (contended) says nothing alone. */
static bool counts(const cpm_measurements *m, const cpm_measurement *r, bool with_collectives)
{
    return r->summary.min > 0 && !is_outdated(m, &r->what) &&
           ((r->what.kind && !r->what.kind->contended) ||
            (with_collectives && r->what.collective.algorithm));
}

static int compute(const cpm_model *model, const cpm_measurements *m, bool with_collectives,
                   residuals *out, cpm_error *e)
{
    const cpm_walking how = cpm_walking_as_measured(model, &m->metadata);
    for (int q = 0; q < m->count; q++) {
        const cpm_measurement *r = &m->at[q];
        double seconds, measured = cpm_measurement_value(r, m->statistic);
        if (!counts(m, r, with_collectives))
            continue;
        int status = cpm_model_experiment(model, &r->what, &how, &seconds, e);
        if (status)
            return status;
        out->at[out->count++] = (residual){r, (measured - seconds) / measured,
                                           cpm_measurement_half(r, m->statistic) / measured};
    }
    return CPM_OK;
}

static bool alike(const cpm_experiment *a, const cpm_experiment *b)
{
    return a->kind == b->kind && a->collective.operation == b->collective.operation &&
           a->collective.algorithm == b->collective.algorithm &&
           (a->send_bytes == 0) == (b->send_bytes == 0);
}

/* The processes with the largest mean; those that took part in nothing have none. */
static void name_worst(const residuals *r, int n, cpm_residual *row)
{
    for (int w = 0; w < CPM_WORST_PROCESSES; w++) {
        row->worst[w] = -1;
        for (int i = 0; i < n; i++) {
            bool named = false;
            for (int v = 0; v < w; v++)
                named = named || row->worst[v] == i;
            if (named || r->times[i] == 0)
                continue;
            int best = row->worst[w];
            if (best < 0 || r->sum[i] / r->times[i] > r->sum[best] / r->times[best])
                row->worst[w] = i;
        }
    }
}

static void account(const residuals *r, const residual *one, int n)
{
    int who[3], members = cpm_experiment_ranks(&one->of->what, n, who);
    for (int i = 0; one->of->what.kind && i < members; i++) {
        r->sum[who[i]] += fabs(one->value);
        r->times[who[i]]++;
    }
}

enum { SIGNED, ABSOLUTE, NOISE };

static void collect(residuals *r, const cpm_experiment *example, int what, size_t *count)
{
    *count = 0;
    for (int q = 0; q < r->count; q++) {
        if (!alike(&r->at[q].of->what, example))
            continue;
        r->work[(*count)++] = what == NOISE      ? r->at[q].noise
                              : what == ABSOLUTE ? fabs(r->at[q].value)
                                                 : r->at[q].value;
    }
    gsl_sort(r->work, 1, *count);
}

static void make_row(residuals *r, int first, int n)
{
    cpm_residual *row = &r->rows[r->made++];
    size_t count;
    *row = (cpm_residual){.example = r->at[first].of->what};
    memset(r->sum, 0, (size_t)n * sizeof *r->sum);
    memset(r->times, 0, (size_t)n * sizeof *r->times);
    for (int q = first; q < r->count; q++)
        if (alike(&r->at[q].of->what, &row->example)) {
            r->taken[q] = true;
            account(r, &r->at[q], n);
        }
    name_worst(r, n, row);
    collect(r, &row->example, SIGNED, &count);
    row->offset = gsl_stats_median_from_sorted_data(r->work, 1, count);
    collect(r, &row->example, NOISE, &count);
    row->noise = gsl_stats_median_from_sorted_data(r->work, 1, count);
    collect(r, &row->example, ABSOLUTE, &count);
    row->median = gsl_stats_median_from_sorted_data(r->work, 1, count);
    row->p95 = gsl_stats_quantile_from_sorted_data(r->work, 1, count, 0.95);
    row->largest = r->work[count - 1];
    row->count = (int)count;
}

static bool allocate(residuals *r, int count, int n)
{
    size_t size = (size_t)count + 1;
    r->at = calloc(size, sizeof *r->at);
    r->work = calloc(size, sizeof *r->work);
    r->taken = calloc(size, sizeof *r->taken);
    r->rows = calloc(size, sizeof *r->rows);
    r->sum = calloc((size_t)n, sizeof *r->sum);
    r->times = calloc((size_t)n, sizeof *r->times);
    return r->at && r->work && r->taken && r->rows && r->sum && r->times;
}

int cpm_residuals(const cpm_model *model, const cpm_measurements *m, bool with_collectives,
                  cpm_residual **out, int *count, cpm_error *e)
{
    residuals r = {0};
    int status = CPM_OK;
    if (model->n != m->n)
        return cpm_fail(e, CPM_EINVAL, "a model of %d processes, but measurements of %d", model->n,
                        m->n);
    if (!allocate(&r, m->count, m->n))
        status = cpm_no_memory(e);
    if (!status)
        status = compute(model, m, with_collectives, &r, e);
    for (int q = 0; !status && q < r.count; q++)
        if (!r.taken[q])
            make_row(&r, q, m->n);
    free(r.at);
    free(r.work);
    free(r.taken);
    free(r.sum);
    free(r.times);
    if (status) {
        free(r.rows);
        return status;
    }
    *out = r.rows;
    *count = r.made;
    return CPM_OK;
}

/* ---- in words */

bool cpm_residual_contradicts(const cpm_residual *r)
{
    const double least = 0.03; /* less matters to nobody, however certain it is */
    return r->median > fmax(least, 2 * r->noise);
}

#define DISAGREE    "experiments disagree with"
#define ROUND_TRIPS "round trips"

bool cpm_notes_contradict(const char *notes)
{
    return notes &&
           (strstr(notes, DISAGREE " " ROUND_TRIPS) || strstr(notes, CPM_MISSING_MECHANISM));
}

static bool is_kind(const cpm_residual *r, int kind)
{
    return r->example.kind == &cpm_experiment_kinds[kind];
}

static const char *advice(const cpm_residual *r, const cpm_advice *a)
{
    bool others_differ = r->example.send_bytes > 0 && a->non_empty;
    const char *others = others_differ ? a->non_empty : a->others;
    if (is_kind(r, CPM_ROUNDTRIP))
        return a->roundtrips ? a->roundtrips : "times are no straight line in the message size";
    return others ? others : "the model is not one of this machine";
}

static int note_experiments(const cpm_residual *r, const cpm_advice *known, cpm_model *model,
                            cpm_error *e)
{
    return cpm_note(&model->notes, e, "%s %s " DISAGREE " %s by %.0f %%: %s",
                    r->example.send_bytes ? "non-empty" : "empty", r->example.kind->name,
                    is_kind(r, CPM_ROUNDTRIP) ? "the model" : ROUND_TRIPS, 100 * r->median,
                    advice(r, known));
}

/* Of a collective that thresholds were looked for in. */
static int note_collective(const cpm_residual *r, const cpm_advice *known, cpm_model *model,
                           cpm_error *e)
{
    char name[CPM_EXPERIMENT_NAME];
    cpm_experiment_name(&r->example, name, sizeof name);
    return cpm_note(&model->notes, e, "%s disagrees with the model by %.0f %%: %s", name,
                    100 * r->median, known->collectives);
}

/* Streams of other benchmarks overlap as they like. */
static bool is_comparable(const cpm_measurements *m, const cpm_residual *r)
{
    return !cpm_is_imported(m) || !r->example.kind ||
           r->example.kind == &cpm_experiment_kinds[CPM_ROUNDTRIP];
}

int cpm_note_contradictions(const cpm_measurements *m, const cpm_advice *known, cpm_model *model,
                            cpm_error *e)
{
    cpm_residual *rows = NULL;
    int count = 0, status = cpm_residuals(model, m, known->collectives, &rows, &count, e);
    for (int q = 0; q < count && !status; q++)
        if (cpm_residual_contradicts(&rows[q]) && is_comparable(m, &rows[q]))
            status = (rows[q].example.kind ? note_experiments : note_collective)(&rows[q], known,
                                                                                 model, e);
    free(rows);
    return status;
}
