/* The difference of two models: every value tested, and slices as a whole, corrected for all tests.
 */
#include "diagnose/diff.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rank_tests.h"
#include "base/statistics.h"
#include "diagnose/diff_parts.h"
#include "estimators/outliers.h"
#include "measurements/resume.h"

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

/* But for rounding in files. */
static bool is_equal(double from, double to)
{
    if (isnan(from) || isnan(to))
        return isnan(from) && isnan(to);
    return fabs(to - from) <= equal_share * fmax(fabs(from), fabs(to));
}

double cpm_diff_chance(double from, double to, double error)
{
    if (is_equal(from, to))
        return 1;
    return error > 0 ? 2 * gsl_cdf_tdist_Q(fabs(to - from) / error, tail_freedom) : 0;
}

double cpm_diff_error(const cpm_diff_work *c, double half_a, double half_b)
{
    return hypot(cpm_standard_error(half_a, c->confidence_a),
                 cpm_standard_error(half_b, c->confidence_b));
}

double cpm_diff_visible(const cpm_diff_options *o, int tests, double error)
{
    double level = o->alpha / CPM_DIFF_FAMILIES / (tests > 0 ? tests : 1);
    return (gsl_cdf_tdist_Qinv(level / 2, tail_freedom) + gsl_cdf_ugaussian_Pinv(0.9)) * error;
}

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

/* A slice of a parameter. */
typedef struct {
    int p, slice;
    const double *from, *to;
    size_t first; /* place of its values in the parameter */
} part;

/* Thresholds are unknown where they were sought and not found, too. */
static bool sought(const cpm_model *m)
{
    const char *design = cpm_metadata_get(&m->metadata, "design");
    return !design || !strstr(design, CPM_DESIGN_WITHOUT);
}

static bool is_unmeasured(const cpm_diff_work *c, const part *of, size_t at)
{
    bool scalar = c->a->type->parameters[of->p].shape == CPM_SCALAR;
    return isnan(of->from[at]) != isnan(of->to[at]) &&
           !(scalar && sought(isnan(of->from[at]) ? c->a : c->b));
}

/* A single value far off shall not speak for all of its slice. */
static const double most_score = 2;

static void count_score(cpm_diff_work *c, double from, double to, double error)
{
    double score = is_equal(from, to) ? 0 : error > 0 ? (to - from) / error : 0;
    c->sum += fmax(-most_score, fmin(score, most_score));
    c->from[c->judged] = from;
    c->to[c->judged++] = to;
}

static void add_test(cpm_diff_work *c, const cpm_change *change, double error, double tripled)
{
    /* What one of them looked for and did not find is a change. */
    bool found = isnan(change->from) != isnan(change->to);
    c->p[c->count] = c->exact || found
                         ? (is_equal(change->from, change->to) ? 1 : 0)
                         : cpm_diff_chance(change->from, change->to, isnan(error) ? 0 : error);
    c->error[c->count] = error;
    c->tripled[c->count] = tripled;
    c->at[c->count++] = *change;
}

static void test_value(cpm_diff_work *c, const part *of, size_t at, int i, int j)
{
    double from = of->from[at], to = of->to[at];
    double half = cpm_model_half(c->a, of->p, of->first + at);
    double to_half = cpm_model_half(c->b, of->p, of->first + at);
    double error = cpm_diff_error(c, half, to_half);
    double tripled = cpm_diff_error(c, half, CPM_DIFF_LARGE * to_half);
    cpm_diff_count *count = &c->r->of[of->p];
    if (is_unmeasured(c, of, at)) {
        count->unmeasured++;
        return;
    }
    count->compared++;
    bool known = !isnan(from) && !isnan(to);
    if (known && isnan(error)) {
        c->blind |= !c->a->type->parameters[of->p].optional;
        if (!c->exact && !is_equal(from, to)) {
            count->unjudged++;
            return;
        }
    } else if (known) {
        count_score(c, from, to, error);
    }
    add_test(c,
             &(cpm_change){
                 .parameter = of->p, .slice = of->slice, .i = i, .j = j, .from = from, .to = to},
             error, tripled);
}

static void test_pairs(cpm_diff_work *c, const part *of)
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

/* All if they are of the same sizes; else the first, if that begins at the same size. */
static int compared_slices(const cpm_diff_work *c, int p)
{
    const cpm_sizes *a = cpm_parameter_sizes(c->a, p), *b = cpm_parameter_sizes(c->b, p);
    if (!c->a->type->parameters[p].sized || same_sizes(a, b))
        return cpm_parameter_slices(c->a, p);
    return a->count && b->count && a->at[0] == b->at[0];
}

/* ---- slices as a whole */

/* So many of a slice's values are independent: pairs of processes share these, and with them their
 * errors, so as many count as can be paired without any process twice. */
static double independent(const cpm_diff_work *c, int p)
{
    int pairs = c->a->classes.count / 2;
    return c->a->type->parameters[p].shape == CPM_PAIR ? fmin(c->judged, pairs) : c->judged;
}

/* Stouffer's test: the sum of scores, which are cut off. */
static void test_together(cpm_diff_work *c, int p, int slice)
{
    double count = independent(c, p);
    if (c->judged < 2 || count < 1)
        return;
    double score = c->sum / c->judged * sqrt(count);
    c->kind_p[c->kind_count] = 2 * gsl_cdf_ugaussian_Q(fabs(score));
    c->kinds[c->kind_count++] = (cpm_change){.parameter = p,
                                             .slice = slice,
                                             .i = -1,
                                             .j = -1,
                                             .together = c->judged,
                                             .from = cpm_median(c->from, c->judged),
                                             .to = cpm_median(c->to, c->judged)};
}

static void test_slice(cpm_diff_work *c, int p, int slice)
{
    cpm_shape shape = c->a->type->parameters[p].shape;
    size_t first = (size_t)slice * cpm_parameter_values(c->a, p);
    part of = {p, slice, c->a->value[p] + first, c->b->value[p] + first, first};
    c->sum = c->judged = 0;
    if (shape == CPM_SCALAR)
        test_value(c, &of, 0, -1, -1);
    for (int i = 0; shape == CPM_PROCESS && i < c->a->classes.count; i++)
        test_value(c, &of, (size_t)i, i, -1);
    if (shape == CPM_PAIR)
        test_pairs(c, &of);
    for (int k = 0; k < cpm_model_things(c->a, shape); k++)
        test_value(c, &of, (size_t)k, k, -1);
    test_together(c, p, slice);
}

static int known_values(const cpm_model *m, int p)
{
    int known = 0;
    for (size_t at = 0; cpm_model_has_parameter(m, p) && at < cpm_parameter_all_values(m, p); at++)
        known += !isnan(m->value[p][at]);
    return known;
}

/* Of regimes from that one on. */
static bool lacks_intervals(const cpm_model *m, int p, int slice)
{
    size_t g = (size_t)m->classes.count, values = cpm_parameter_values(m, p);
    bool pair = m->type->parameters[p].shape == CPM_PAIR;
    for (size_t at = (size_t)slice * values; at < cpm_parameter_all_values(m, p); at++) {
        int i = (int)(at % values / g), j = (int)(at % values % g);
        bool used = !isnan(m->value[p][at]) && (!pair || cpm_classes_meet(&m->classes, i, j));
        if (used && isnan(cpm_model_half(m, p, at)))
            return true;
    }
    return false;
}

static void test_parameter(cpm_diff_work *c, int p)
{
    bool both = cpm_model_has_parameter(c->a, p) && cpm_model_has_parameter(c->b, p);
    if (both && c->a->type->parameters[p].shape == CPM_SWITCH)
        both = cpm_classes_equal(&c->a->switches, &c->b->switches);
    if (both && c->a->type->parameters[p].shape == CPM_INNER_LINK)
        both = cpm_links_equal(&c->a->links, &c->b->links);
    if (!both) { /* one of them knows nothing of it, or switches or links are others */
        int from = known_values(c->a, p), to = known_values(c->b, p);
        c->r->of[p].unmeasured += from > to ? from : to;
        return;
    }
    int slices = compared_slices(c, p);
    for (int k = 0; k < slices; k++)
        test_slice(c, p, k);
    int in_a = cpm_parameter_slices(c->a, p), in_b = cpm_parameter_slices(c->b, p);
    c->r->of[p].unmatched = (in_a > in_b ? in_a : in_b) - slices;
    c->blind |= !c->a->type->parameters[p].optional &&
                (lacks_intervals(c->a, p, slices) || lacks_intervals(c->b, p, slices));
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

/* Of all values first, then of slices. Holm's correction is within each family. */
static void keep_changes(cpm_diff_work *c, const cpm_change *tested, const double *p, int count)
{
    for (int q = 0; q < count; q++) {
        cpm_change change = tested[q];
        change.p = fmin(1, CPM_DIFF_FAMILIES * p[q]);
        if (change.p > c->o->alpha)
            continue;
        if (size_of(&change) < c->o->least_effect) {
            c->r->of[change.parameter].small += !change.together;
            continue;
        }
        c->r->of[change.parameter].changed += !change.together;
        c->r->at[c->r->count++] = change;
    }
}

static int keep_all_changes(cpm_diff_work *c, cpm_error *e)
{
    int status = cpm_holm(c->p, c->count, e);
    if (!status)
        status = cpm_holm(c->kind_p, c->kind_count, e);
    if (status)
        return status;
    keep_changes(c, c->at, c->p, c->count);
    keep_changes(c, c->kinds, c->kind_p, c->kind_count);
    qsort(c->r->at, (size_t)c->r->count, sizeof *c->r->at, by_significance);
    return CPM_OK;
}

/* Equal values, whatever their intervals, and all of them: one is a copy of the other. */
static bool are_all_equal(const cpm_diff_work *c)
{
    for (int p = 0; p < c->a->type->count; p++)
        if (c->r->of[p].unmatched || c->r->of[p].unjudged || c->r->of[p].unmeasured)
            return false;
    for (int q = 0; q < c->count; q++)
        if (!is_equal(c->at[q].from, c->at[q].to))
            return false;
    return true;
}

static cpm_diff_verdict verdict_of(const cpm_diff_result *r, int parameters)
{
    bool seen = true;
    for (int p = 0; p < parameters; p++)
        seen &= !(r->exact && r->of[p].small) && !r->of[p].unjudged && !r->of[p].unmeasured &&
                (r->equal || !r->of[p].unseen) &&
                (!r->of[p].unmatched || (r->trip_count && !r->trips_unseen));
    if (r->exact && r->count)
        return CPM_DIFF_CANNOT_TELL;
    if (r->count || r->trips_changed)
        return CPM_DIFF_CHANGED;
    return seen ? CPM_DIFF_SAME : CPM_DIFF_CANNOT_TELL;
}

static bool make_room(cpm_diff_work *c)
{
    size_t room = 1, slices = 1;
    for (int p = 0; p < c->a->type->count; p++) {
        room += cpm_parameter_all_values(c->a, p);
        slices += (size_t)cpm_parameter_slices(c->a, p);
    }
    c->r->of = calloc((size_t)c->a->type->count, sizeof *c->r->of);
    c->r->at = malloc((room + slices) * sizeof *c->r->at);
    c->at = malloc(room * sizeof *c->at);
    c->p = malloc(5 * room * sizeof *c->p);
    c->kinds = malloc(slices * sizeof *c->kinds);
    c->kind_p = malloc(slices * sizeof *c->kind_p);
    if (!c->r->of || !c->r->at || !c->at || !c->p || !c->kinds || !c->kind_p)
        return false;
    c->error = c->p + room;
    c->tripled = c->error + room;
    c->from = c->tripled + room;
    c->to = c->from + room;
    return true;
}

static int test_all(cpm_diff_work *c, cpm_error *e)
{
    for (int p = 0; p < c->a->type->count; p++)
        test_parameter(c, p);
    int status = cpm_diff_test_trips(c, e);
    if (!status)
        status = cpm_diff_look(c, e);
    return status ? status : keep_all_changes(c, e);
}

/* Both with the same classes. */
static int compare(const cpm_model *a, const cpm_model *b, const cpm_diff_options *o,
                   cpm_diff_result *out, cpm_error *e)
{
    cpm_diff_result r = {.by_class = cpm_model_has_classes(a),
                         .exact = !has_intervals(a) && !has_intervals(b)};
    cpm_diff_work c = {.a = a,
                       .b = b,
                       .o = o,
                       .r = &r,
                       .confidence_a = cpm_model_confidence(a, o->confidence),
                       .confidence_b = cpm_model_confidence(b, o->confidence),
                       .exact = r.exact};
    int status = make_room(&c) ? test_all(&c, e) : cpm_no_memory(e);
    r.equal = !status && are_all_equal(&c);
    free(c.at);
    free(c.p);
    free(c.kinds);
    free(c.kind_p);
    free(c.common);
    if (status) {
        cpm_diff_clear(&r);
        return status;
    }
    r.verdict = verdict_of(&r, a->type->count);
    *out = r;
    return CPM_OK;
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
    free(r->trips);
    *r = (cpm_diff_result){0};
}
