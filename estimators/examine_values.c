/* The doctor's look at the parameters of a model: processes, and links without what the processes
 * at their ends explain. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "estimators/examiner.h"
#include "estimators/outliers.h"

/* ---- logarithms */

static double error_of(const cpm_examiner *x, int p, size_t at)
{
    double half = x->m->ci[p][at];
    return isfinite(half) ? cpm_standard_error(half, x->o->confidence) : 0;
}

/* No pair, or one of a host whose inside has parameters of its own. */
static bool on_diagonal(const cpm_examiner *x, int p, size_t at)
{
    int n = x->m->n, i = (int)(at / (size_t)n), j = (int)(at % (size_t)n);
    return x->m->type->parameters[p].shape == CPM_PAIR && (i == j || cpm_model_inside(x->m, i, j));
}

static double middle_size(const cpm_examiner *x, int p, double *work)
{
    size_t count = cpm_parameter_values(x->m, p);
    int used = 0;
    for (size_t at = 0; at < count; at++)
        if (!on_diagonal(x, p, at) && isfinite(x->m->value[p][at]))
            work[used++] = fabs(x->m->value[p][at]);
    return used ? cpm_median(work, used) : 0;
}

/* Logarithms of a parameter's values and their standard errors. A value that is not above half its
 * standard error counts as that half. *resolved: false if there are too many of these to compare, a
 * note says so. */
static int take_logs(cpm_examiner *x, int p, double *logs, double *se, bool *resolved)
{
    size_t count = cpm_parameter_values(x->m, p), all = 0, raised = 0;
    double least = 1e-3 * middle_size(x, p, logs);
    for (size_t at = 0; at < count; at++) {
        double value = x->m->value[p][at], error = error_of(x, p, at);
        logs[at] = se[at] = NAN;
        if (on_diagonal(x, p, at) || isnan(value))
            continue;
        double size = fmax(value, fmax(error / 2, least));
        all++;
        raised += value < size;
        logs[at] = log(size);
        se[at] = error / size;
    }
    *resolved = least > 0 && 4 * raised <= all;
    if (*resolved)
        return CPM_OK;
    return cpm_note(&x->d->notes, x->e,
                    "%s is not compared: %zu of %zu values cannot be told from 0",
                    x->m->type->parameters[p].name, least > 0 ? raised : all, all);
}

/* ---- processes */

static int compare_processes(cpm_examiner *x, int p, double *logs, double *se,
                             cpm_symptom *symptoms, double *work)
{
    int n = x->m->n;
    bool resolved;
    int status = take_logs(x, p, logs, se, &resolved);
    if (status || !resolved)
        return status;
    memcpy(work, logs, (size_t)n * sizeof *work);
    double middle = cpm_median(work, n);
    for (int i = 0; i < n; i++) {
        x->d->times[p][i] = exp(logs[i] - middle);
        symptoms[i] = (cpm_symptom){
            .kind = CPM_OWN, .parameter = p, .i = i, .j = -1, .value = x->m->value[p][i]};
    }
    return cpm_examine(x, logs, se, n, 0, symptoms, exp(middle));
}

static int make_times(cpm_examiner *x, int p)
{
    size_t count = cpm_parameter_values(x->m, p);
    x->d->times[p] = malloc(count * sizeof **x->d->times);
    if (!x->d->times[p])
        return cpm_fail(x->e, CPM_ENOMEM, "no memory for a diagnosis");
    for (size_t at = 0; at < count; at++)
        x->d->times[p][at] = NAN;
    return CPM_OK;
}

int cpm_examine_processes(cpm_examiner *x, int p)
{
    size_t n = (size_t)x->m->n;
    double *work = malloc(3 * n * sizeof *work);
    cpm_symptom *symptoms = malloc(n * sizeof *symptoms);
    int status = work && symptoms ? make_times(x, p)
                                  : cpm_fail(x->e, CPM_ENOMEM, "no memory to compare processes");
    if (!status)
        status = compare_processes(x, p, work, work + n, symptoms, work + 2 * n);
    free(work);
    free(symptoms);
    return status;
}

/* ---- pairs */

/* Everything of one pair parameter; all tables [n*n]. */
typedef struct {
    cpm_examiner *x;
    int p, n;
    double *logs, *se;
    double *rest, *work;   /* of the polish */
    double *effect;        /* [n] */
    double *value, *error; /* [n*n] of a comparison */
    cpm_symptom *symptoms; /* [n*n] of a comparison */
    bool inside;           /* pairs on one host, or on two */
} pairs;

static size_t at_of(const pairs *g, int i, int j)
{
    return (size_t)i * (size_t)g->n + (size_t)j;
}

/* Links inside a host are of another kind than those between hosts. */
static bool is_member(const pairs *g, int i, int j)
{
    const char *a = g->x->m->hosts[i], *b = g->x->m->hosts[j];
    bool same = *a && strcmp(a, b) == 0;
    return i != j && same == g->inside && !isnan(g->logs[at_of(g, i, j)]) &&
           !isnan(g->logs[at_of(g, j, i)]);
}

static int partners(const pairs *g, int i)
{
    int count = 0;
    for (int j = 0; j < g->n; j++)
        count += is_member(g, i, j);
    return count;
}

/* rest: half the sum of both ways, or their difference. */
static void fill_rest(pairs *g, int sign)
{
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++) {
            double there = g->logs[at_of(g, i, j)], back = g->logs[at_of(g, j, i)];
            double both = sign > 0 ? (there + back) / 2 : there - back;
            g->rest[at_of(g, i, j)] = is_member(g, i, j) ? both : NAN;
        }
}

/* Ways of a fit that assumes symmetry share one error; the difference of two ways has both. */
static double pair_error(const pairs *g, int i, int j, int sign)
{
    double there = g->se[at_of(g, i, j)], back = g->se[at_of(g, j, i)];
    return sign > 0 ? fmax(there, back) : hypot(there, back);
}

static double row_median(const pairs *g, const double *table, int i, double *work)
{
    int used = 0;
    for (int j = 0; j < g->n; j++)
        if (is_member(g, i, j))
            work[used++] = table[at_of(g, i, j)];
    return cpm_median(work, used);
}

/* A median's error is 1.25 times a mean's. Returns the processes whose links determine an effect.
 */
static int gather_effects(pairs *g, cpm_symptom_kind kind)
{
    int count = 0;
    for (int i = 0; i < g->n; i++) {
        int links = partners(g, i);
        if (links < 3)
            continue;
        g->value[count] = g->effect[i];
        g->error[count] = 1.2533 * row_median(g, g->se, i, g->work) / sqrt(links);
        g->symptoms[count++] =
            (cpm_symptom){.kind = kind,
                          .parameter = g->p,
                          .i = i,
                          .j = -1,
                          .value = row_median(g, g->x->m->value[g->p], i, g->work)};
    }
    return count;
}

static cpm_symptom symptom_of_pair(const pairs *g, int i, int j, int sign)
{
    const double *value = g->x->m->value[g->p];
    bool turned = sign < 0 && g->rest[at_of(g, i, j)] < 0;
    int from = turned ? j : i, to = turned ? i : j;
    return (cpm_symptom){.kind = sign > 0 ? CPM_LINK : CPM_ASYMMETRY,
                         .parameter = g->p,
                         .i = from,
                         .j = to,
                         .value = sign > 0 ? (value[at_of(g, i, j)] + value[at_of(g, j, i)]) / 2
                                           : value[at_of(g, from, to)]};
}

static int gather_rests(pairs *g, int sign)
{
    int count = 0;
    for (int i = 0; i < g->n; i++)
        for (int j = i + 1; j < g->n; j++) {
            if (!is_member(g, i, j))
                continue;
            g->symptoms[count] = symptom_of_pair(g, i, j, sign);
            g->value[count] = g->rest[at_of(g, i, j)];
            g->error[count++] = pair_error(g, i, j, sign);
        }
    return count;
}

/* sign 1: both ways together; -1: one way against the other. */
static int compare_ways(pairs *g, int sign, double typical)
{
    fill_rest(g, sign);
    cpm_polish(g->rest, g->n, sign, g->effect, g->work);
    int processes = gather_effects(g, sign > 0 ? CPM_LINKS : CPM_WAYS);
    int effects = g->n >= 5 ? processes : 0;
    int status = CPM_OK;
    if (effects >= 5)
        status = cpm_examine(g->x, g->value, g->error, effects, 0, g->symptoms, typical);
    int count = gather_rests(g, sign);
    if (!status)
        status = cpm_examine(g->x, g->value, g->error, count, effects, g->symptoms, typical);
    return status;
}

static bool is_symmetric(const pairs *g)
{
    for (int i = 0; i < g->n; i++)
        for (int j = i + 1; j < g->n; j++)
            if (is_member(g, i, j) &&
                fabs(g->logs[at_of(g, i, j)] - g->logs[at_of(g, j, i)]) > 1e-9)
                return false;
    return true;
}

static double set_times(pairs *g)
{
    int used = 0;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            if (is_member(g, i, j))
                g->work[used++] = g->logs[at_of(g, i, j)];
    double middle = cpm_median(g->work, used);
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            if (is_member(g, i, j))
                g->x->d->times[g->p][at_of(g, i, j)] = exp(g->logs[at_of(g, i, j)] - middle);
    return exp(middle);
}

static int compare_pairs(pairs *g)
{
    bool resolved;
    int status = take_logs(g->x, g->p, g->logs, g->se, &resolved);
    for (int inside = 0; resolved && !status && inside < 2; inside++) {
        g->inside = inside;
        double typical = set_times(g);
        status = compare_ways(g, 1, typical);
        if (!status && !is_symmetric(g))
            status = compare_ways(g, -1, typical);
    }
    return status;
}

int cpm_examine_pairs(cpm_examiner *x, int p)
{
    size_t n = (size_t)x->m->n, size = n * n;
    double *tables = malloc((6 * size + n) * sizeof *tables);
    cpm_symptom *symptoms = malloc(size * sizeof *symptoms);
    int status = tables && symptoms ? make_times(x, p)
                                    : cpm_fail(x->e, CPM_ENOMEM, "no memory to compare pairs");
    if (!status) {
        pairs g = {.x = x, .p = p, .n = x->m->n, .symptoms = symptoms};
        g.logs = tables, g.se = tables + size, g.rest = tables + 2 * size;
        g.work = tables + 3 * size, g.value = tables + 4 * size, g.error = tables + 5 * size;
        g.effect = tables + 6 * size;
        status = compare_pairs(&g);
    }
    free(tables);
    free(symptoms);
    return status;
}
