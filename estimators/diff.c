/* The difference of two models: every value tested, corrected for all tests. */
#include "estimators/diff.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rank_tests.h"
#include "base/statistics.h"
#include "estimators/outliers.h"

/* Rounding in files. */
static const double equal_share = 1e-9;

/* ---- the same cluster */

static int check_same(const cpm_model *a, const cpm_model *b, cpm_error *e)
{
    if (a->type != b->type)
        return cpm_fail(e, CPM_EDATA, "models of two kinds, %s and %s, cannot be compared",
                        a->type->name, b->type->name);
    if (a->inside.count > 0 && b->inside.count > 0 && a->on.count != b->on.count)
        return cpm_fail(e, CPM_EDATA, "models of %d and of %d hosts cannot be compared",
                        a->on.count, b->on.count);
    if (a->n != b->n)
        return cpm_fail(e, CPM_EDATA, "models of %d and of %d processes cannot be compared", a->n,
                        b->n);
    for (int i = 0; i < a->n; i++)
        if (strcmp(a->hosts[i], b->hosts[i]) != 0)
            return cpm_fail(e, CPM_EDATA,
                            "models of other hosts cannot be compared: process %d is on '%s' in "
                            "one and on '%s' in the other",
                            i, a->hosts[i], b->hosts[i]);
    return CPM_OK;
}

/* ---- tests */

/* A fit of few dozen equations knows its own error roughly, so far tails are Student's, not normal:
 * with normal ones one pair of campaigns in seven would differ where one in a hundred should. */
static const double tail_freedom = 12;

typedef struct {
    const cpm_model *a, *b;
    const cpm_diff_options *o;
    cpm_diff_result *r;
    cpm_change *at; /* all that is tested */
    double *p;      /* [count] */
    int count;
    bool exact; /* neither model has an interval */
} comparison;

static bool has_intervals(const cpm_model *m)
{
    for (int p = 0; p < m->type->count; p++)
        for (size_t at = 0; cpm_model_has_parameter(m, p) && at < cpm_parameter_all_values(m, p);
             at++)
            if (isfinite(m->ci[p][at]))
                return true;
    return false;
}

static bool is_symmetric(const double *value, int g)
{
    size_t n = (size_t)g;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (value[i * n + j] != value[j * n + i])
                return false;
    return true;
}

static bool are_equal(double from, double to)
{
    if (isnan(from) || isnan(to))
        return isnan(from) && isnan(to);
    return fabs(to - from) <= equal_share * fmax(fabs(from), fabs(to));
}

/* A slice of a parameter. */
typedef struct {
    int p, slice;
    const double *from, *to, *from_half, *to_half;
} part;

static part part_of(const comparison *c, int p, int slice)
{
    size_t first = (size_t)slice * cpm_parameter_values(c->a, p);
    return (part){p,
                  slice,
                  c->a->value[p] + first,
                  c->b->value[p] + first,
                  c->a->ci[p] + first,
                  c->b->ci[p] + first};
}

/* Chance of the difference; NaN: it cannot be judged. */
static double chance(const comparison *c, const part *of, size_t at)
{
    double from = of->from[at], to = of->to[at];
    if (are_equal(from, to))
        return 1;
    if (c->exact || isnan(from) || isnan(to))
        return 0;
    double error = cpm_standard_error(hypot(of->from_half[at], of->to_half[at]), c->o->confidence);
    if (isnan(error))
        return NAN;
    return error > 0 ? 2 * gsl_cdf_tdist_Q(fabs(to - from) / error, tail_freedom) : 0;
}

/* Thresholds are unknown where they were sought and not found, too. */
static bool sought(const cpm_model *m)
{
    const char *design = cpm_facts_get(&m->facts, "design");
    return !design || !strstr(design, "no thresholds");
}

static bool is_unmeasured(const comparison *c, const part *of, size_t at)
{
    bool scalar = c->a->type->parameters[of->p].shape == CPM_SCALAR;
    return isnan(of->from[at]) != isnan(of->to[at]) &&
           !(scalar && sought(isnan(of->from[at]) ? c->a : c->b));
}

static void test_value(comparison *c, const part *of, size_t at, int i, int j)
{
    double p_value = chance(c, of, at);
    if (is_unmeasured(c, of, at)) {
        c->r->of[of->p].unmeasured++;
        return;
    }
    c->r->of[of->p].compared++;
    if (isnan(p_value)) {
        c->r->of[of->p].unjudged++;
        return;
    }
    c->p[c->count] = p_value;
    c->at[c->count++] = (cpm_change){.parameter = of->p,
                                     .slice = of->slice,
                                     .i = i,
                                     .j = j,
                                     .from = of->from[at],
                                     .to = of->to[at]};
}

static void test_pairs(comparison *c, const part *of)
{
    int g = c->a->classes.count;
    bool half = is_symmetric(of->from, g) && is_symmetric(of->to, g);
    for (int i = 0; i < g; i++)
        for (int j = half ? i : 0; j < g; j++)
            if (cpm_classes_meet(&c->a->classes, i, j))
                test_value(c, of, (size_t)i * (size_t)g + (size_t)j, i, j);
}

static bool same_sizes(const cpm_sizes *a, const cpm_sizes *b)
{
    bool same = a->count == b->count;
    for (int k = 0; k < a->count && same; k++)
        same = a->at[k] == b->at[k];
    return same;
}

static int compared_slices(const comparison *c, int p)
{
    bool all = c->a->type->parameters[p].sized &&
               same_sizes(cpm_parameter_sizes(c->a, p), cpm_parameter_sizes(c->b, p));
    return all ? cpm_parameter_slices(c->a, p) : 1;
}

static void test_slice(comparison *c, int p, int slice)
{
    cpm_shape shape = c->a->type->parameters[p].shape;
    part of = part_of(c, p, slice);
    if (shape == CPM_SCALAR)
        test_value(c, &of, 0, -1, -1);
    for (int i = 0; shape == CPM_PROCESS && i < c->a->classes.count; i++)
        test_value(c, &of, (size_t)i, i, -1);
    if (shape == CPM_PAIR)
        test_pairs(c, &of);
    for (int k = 0; shape == CPM_SWITCH && k < c->a->switches.count; k++)
        test_value(c, &of, (size_t)k, k, -1);
}

static void test_parameter(comparison *c, int p)
{
    if (!cpm_model_has_parameter(c->a, p) || !cpm_model_has_parameter(c->b, p))
        return; /* what was not measured is no difference */
    if (c->a->type->parameters[p].shape == CPM_SWITCH &&
        !cpm_classes_equal(&c->a->switches, &c->b->switches))
        return; /* of other switches */
    for (int k = 0; k < compared_slices(c, p); k++)
        test_slice(c, p, k);
}

/* ---- changes */

static double size_of(const cpm_change *c)
{
    if (isnan(c->from) || isnan(c->to) || c->from == 0)
        return INFINITY;
    return fabs(c->to / c->from - 1);
}

static int by_significance(const void *left, const void *right)
{
    const cpm_change *a = left, *b = right;
    /* What rounds to the same size is in the order of the model. */
    double size_a = round(1000 * size_of(a)), size_b = round(1000 * size_of(b));
    if (a->p != b->p)
        return a->p < b->p ? -1 : 1;
    if (size_a != size_b)
        return size_a > size_b ? -1 : 1;
    if (a->parameter != b->parameter)
        return a->parameter - b->parameter;
    if (a->slice != b->slice)
        return a->slice - b->slice;
    return a->i != b->i ? a->i - b->i : a->j - b->j;
}

static void keep_changes(comparison *c)
{
    int kept = 0;
    for (int q = 0; q < c->count; q++) {
        c->at[q].p = c->p[q];
        if (c->p[q] > c->o->alpha || size_of(&c->at[q]) < c->o->least_effect)
            continue;
        c->r->of[c->at[q].parameter].changed++;
        c->at[kept++] = c->at[q];
    }
    qsort(c->at, (size_t)kept, sizeof *c->at, by_significance);
    c->r->count = kept;
}

static size_t all_values(const cpm_model *m)
{
    size_t sum = 0;
    for (int p = 0; p < m->type->count; p++)
        sum += cpm_parameter_all_values(m, p);
    return sum;
}

/* Both with the same classes. */
static int compare(const cpm_model *a, const cpm_model *b, const cpm_diff_options *o,
                   cpm_diff_result *out, cpm_error *e)
{
    int status = CPM_OK;
    size_t room = all_values(a);
    cpm_diff_result r = {.of = calloc((size_t)a->type->count, sizeof *r.of),
                         .at = malloc(room * sizeof *r.at),
                         .by_class = cpm_model_has_classes(a)};
    comparison c = {.a = a, .b = b, .o = o, .r = &r, .at = r.at};
    c.p = malloc(room * sizeof *c.p);
    c.exact = !has_intervals(a) && !has_intervals(b);
    if (!r.of || !r.at || !c.p)
        status = cpm_fail(e, CPM_ENOMEM, "no memory to compare models of %d processes", a->n);
    for (int p = 0; !status && p < a->type->count; p++)
        test_parameter(&c, p);
    if (!status)
        status = cpm_holm(c.p, c.count, e);
    if (!status)
        keep_changes(&c);
    free(c.p);
    if (status)
        cpm_diff_clear(&r);
    else
        *out = r;
    return status;
}

static int compare_expanded(const cpm_model *a, const cpm_model *b, const cpm_diff_options *o,
                            cpm_diff_result *out, cpm_error *e)
{
    cpm_model *all_a = NULL, *all_b = NULL;
    int status = cpm_model_expand(a, &all_a, e);
    if (!status)
        status = cpm_model_expand(b, &all_b, e);
    if (!status)
        status = compare(all_a, all_b, o, out, e);
    cpm_model_free(all_a);
    cpm_model_free(all_b);
    return status;
}

int cpm_diff_models(const cpm_model *a, const cpm_model *b, const cpm_diff_options *o,
                    cpm_diff_result *out, cpm_error *e)
{
    int status = check_same(a, b, e);
    if (status)
        return status;
    return cpm_classes_equal(&a->classes, &b->classes) ? compare(a, b, o, out, e)
                                                       : compare_expanded(a, b, o, out, e);
}

void cpm_diff_clear(cpm_diff_result *r)
{
    free(r->at);
    free(r->of);
    *r = (cpm_diff_result){0};
}

/* ---- messages */

int cpm_diff_message(const cpm_model *a, const cpm_model *b, size_t bytes, cpm_level level,
                     cpm_diff_effect *out, cpm_error *e)
{
    int used = 0;
    cpm_diff_effect effect = {.median = 1, .most = 1, .i = -1, .j = -1};
    double *ratio = malloc((size_t)a->n * (size_t)a->n * sizeof *ratio);
    if (!ratio)
        return cpm_fail(e, CPM_ENOMEM, "no memory to compare models of %d processes", a->n);
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < a->n; j++) {
            cpm_level in_a = cpm_model_level(a, i, j), in_b = cpm_model_level(b, i, j);
            bool other = (in_a < in_b ? in_a : in_b) != level;
            double before = i == j || other ? 0 : cpm_model_p2p(a, i, j, bytes);
            if (!(before > 0))
                continue;
            ratio[used] = cpm_model_p2p(b, i, j, bytes) / before;
            if (fabs(ratio[used] - 1) > fabs(effect.most - 1))
                effect = (cpm_diff_effect){.most = ratio[used], .i = i, .j = j};
            used++;
        }
    if (used)
        effect.median = cpm_median(ratio, used);
    free(ratio);
    *out = effect;
    return CPM_OK;
}
