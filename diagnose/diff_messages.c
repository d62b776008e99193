/* What changed, seen by messages: their times are known better than the parts they consist of. */
#include <math.h>
#include <stdlib.h>

#include "base/rank_tests.h"
#include "base/statistics.h"
#include "base/vector.h"
#include "diagnose/diff_parts.h"
#include "estimators/outliers.h"

enum {
    DRAWS = 40,          /* of each model, for the intervals of times */
    ALL_PAIRS = 64,      /* of so many classes all pairs are tested, of more those whose distance is
                            a power of two */
    MOST_PROCESSES = 512 /* models of more take too long to draw */
};

/* ---- sizes */

size_t cpm_diff_first_size(const cpm_model *m, int p, int slice)
{
    return m->type->parameters[p].sized ? cpm_parameter_sizes(m, p)->at[slice] : 0;
}

size_t cpm_diff_last_size(const cpm_model *m, int p, int slice)
{
    enum { LONG = 1 << 20 };
    const cpm_sizes *sizes = cpm_parameter_sizes(m, p);
    bool sized = m->type->parameters[p].sized;
    if (sized && slice + 1 < sizes->count)
        return sizes->at[slice + 1] - 1;
    return sized && sizes->at[slice] > LONG / 16 ? 16 * sizes->at[slice] : LONG;
}

/* Where slices begin and end. */
static int add_sizes(const cpm_model *m, cpm_sizes *sizes, cpm_error *e)
{
    int status = CPM_OK;
    for (int p = 0; p < m->type->count && !status; p++)
        for (int k = 0; k < cpm_parameter_slices(m, p) && cpm_model_has_parameter(m, p) && !status;
             k++) {
            status = cpm_sizes_note(sizes, cpm_diff_first_size(m, p, k), e);
            if (!status)
                status = cpm_sizes_note(sizes, cpm_diff_last_size(m, p, k), e);
        }
    return status;
}

static int find_sizes(const cpm_diff_work *c, cpm_sizes *out, cpm_error *e)
{
    int status = cpm_sizes_parse("0,1K,64K,1M", out, e);
    if (!status)
        status = add_sizes(c->a, out, e);
    if (!status)
        status = add_sizes(c->b, out, e);
    if (!status)
        cpm_sizes_sort(out);
    return status;
}

/* ---- pairs */

static bool is_tested(int classes, int i, int j)
{
    int apart = j > i ? j - i : i - j;
    return classes <= ALL_PAIRS || (apart & (apart - 1)) == 0;
}

/* The first process of class k that is no other than that one, at that level from it; -1: none. */
static int member(const cpm_model *m, int k, int other, int level)
{
    for (int i = 0; i < m->n; i++)
        if (m->classes.of[i] == k && i != other &&
            (other < 0 || (int)cpm_model_level(m, other, i) == level))
            return i;
    return -1;
}

typedef struct {
    const cpm_diff_work *c;
    const cpm_sizes *sizes;
    cpm_diff_result *r;
} trips;

static int add_pair(const trips *t, int i, int j, cpm_error *e)
{
    for (int s = 0; s < t->sizes->count; s++) {
        const cpm_message of = {i, j, t->sizes->at[s]};
        if (!cpm_vector_extend(&t->r->trips, t->r->trip_count, sizeof *t->r->trips))
            return cpm_no_memory(e);
        t->r->trips[t->r->trip_count++] =
            (cpm_diff_trip){.of = of,
                            .from = cpm_model_p2p(t->c->a, i, j, of.bytes),
                            .to = cpm_model_p2p(t->c->b, i, j, of.bytes)};
    }
    return CPM_OK;
}

/* From class k to class l, one of each level that there is. */
static int add_pairs(const trips *t, int k, int l, cpm_error *e)
{
    const cpm_model *m = t->c->a;
    int status = CPM_OK, i = member(m, k, -1, 0);
    for (int level = CPM_BETWEEN; level < CPM_LEVELS && i >= 0 && !status; level++) {
        int j = member(m, l, i, level);
        if (j >= 0)
            status = add_pair(t, i, j, e);
    }
    return status;
}

static int list_trips(const trips *t, cpm_error *e)
{
    const cpm_classes *classes = &t->c->a->classes;
    int status = CPM_OK;
    for (int k = 0; k < classes->count && !status; k++)
        for (int l = 0; l < classes->count && !status; l++)
            if (cpm_classes_meet(classes, k, l) && is_tested(classes->count, k, l))
                status = add_pairs(t, k, l, e);
    return status;
}

/* ---- tests */

static int add_errors(const cpm_diff_work *c, cpm_error *e)
{
    int count = c->r->trip_count, status;
    double *half = malloc(2 * ((size_t)count + 1) * sizeof *half);
    cpm_message *at = malloc(((size_t)count + 1) * sizeof *at);
    for (int q = 0; at && q < count; q++)
        at[q] = c->r->trips[q].of;
    status = half && at ? cpm_draws_messages(c->a, DRAWS, at, count, half, e) : cpm_no_memory(e);
    if (!status)
        status = cpm_draws_messages(c->b, DRAWS, at, count, half + count, e);
    for (int q = 0; q < count && !status; q++)
        c->r->trips[q].error = cpm_diff_error(c, half[q], half[count + q]);
    free(half);
    free(at);
    return status;
}

typedef struct {
    size_t bytes;
    cpm_level level;
} kind;

/* Drawn times take for granted that the parts of a message make up for each other's errors, as they
 * do in fits, but not in every file. So no error is smaller than what the times of most messages of
 * that kind differ by, as shares of these. */
static void widen(cpm_diff_work *c, const kind *k, double *work)
{
    static const double usual = 0.6745; /* the median of a normal score's absolute value */
    int count = 0;
    for (int q = 0; q < c->r->trip_count; q++)
        if (cpm_diff_is_of(c, &c->r->trips[q], k->bytes, k->level) && c->r->trips[q].from > 0)
            work[count++] = fabs(c->r->trips[q].to / c->r->trips[q].from - 1);
    double least = count ? cpm_median(work, count) / usual : 0;
    for (int q = 0; q < c->r->trip_count; q++)
        if (cpm_diff_is_of(c, &c->r->trips[q], k->bytes, k->level))
            c->r->trips[q].error = fmax(c->r->trips[q].error, least * c->r->trips[q].from);
}

static int widen_all(cpm_diff_work *c, const cpm_sizes *sizes, cpm_error *e)
{
    double *work = malloc(((size_t)c->r->trip_count + 1) * sizeof *work);
    if (!work)
        return cpm_no_memory(e);
    for (int s = 0; s < sizes->count; s++)
        for (cpm_level level = CPM_BETWEEN; level < CPM_LEVELS; level++)
            widen(c, &(kind){sizes->at[s], level}, work);
    free(work);
    return CPM_OK;
}

static void judge_trip(cpm_diff_work *c, cpm_diff_trip *t, double p)
{
    t->p = fmin(1, CPM_DIFF_FAMILIES * p);
    t->changed = t->p <= c->o->alpha && fabs(t->to / t->from - 1) >= c->o->least_effect;
    c->r->trips_unseen +=
        cpm_diff_visible(c->o, cpm_diff_trip_tests(c), t->error) > CPM_DIFF_LONGER * t->from;
}

/* Those that depart as most of their kind do. */
static void judge_common(cpm_diff_work *c, const cpm_diff_common *k, double p)
{
    p = fmin(1, CPM_DIFF_FAMILIES * p);
    for (int q = 0; q < c->r->trip_count && p <= c->o->alpha; q++) {
        cpm_diff_trip *t = &c->r->trips[q];
        if (!cpm_diff_is_of(c, t, k->bytes, k->level))
            continue;
        double departs = cpm_diff_departure(c, t);
        if ((k->longer ? departs : -departs) < log1p(CPM_DIFF_LONGER) ||
            fabs(t->to / t->from - 1) < c->o->least_effect)
            continue;
        t->p = fmin(t->p, p);
        t->changed = true;
    }
}

static int judge(cpm_diff_work *c, cpm_error *e)
{
    cpm_diff_result *r = c->r;
    double *p = malloc(((size_t)cpm_diff_trip_tests(c) + 1) * sizeof *p);
    if (!p)
        return cpm_no_memory(e);
    for (int q = 0; q < r->trip_count; q++)
        p[q] = cpm_diff_chance(r->trips[q].from, r->trips[q].to, r->trips[q].error);
    for (int k = 0; k < c->common_count; k++)
        p[r->trip_count + k] = c->common[k].p;
    int status = cpm_holm(p, cpm_diff_trip_tests(c), e);
    for (int q = 0; q < r->trip_count && !status; q++)
        judge_trip(c, &r->trips[q], p[q]);
    for (int k = 0; k < c->common_count && !status; k++)
        judge_common(c, &c->common[k], p[r->trip_count + k]);
    for (int q = 0; q < r->trip_count && !status; q++)
        r->trips_changed += r->trips[q].changed;
    free(p);
    return status;
}

int cpm_diff_test_trips(cpm_diff_work *c, cpm_error *e)
{
    cpm_sizes sizes = {0};
    if (c->exact || c->blind || c->a->n > MOST_PROCESSES || c->a->type->predict)
        return CPM_OK;
    int status = find_sizes(c, &sizes, e);
    if (!status)
        status = list_trips(&(trips){c, &sizes, c->r}, e);
    if (!status)
        status = add_errors(c, e);
    if (!status)
        status = cpm_diff_test_common(c, &sizes, e);
    if (!status)
        status = widen_all(c, &sizes, e);
    if (!status)
        status = judge(c, e);
    cpm_sizes_free(&sizes);
    return status;
}

/* ---- what a change does to messages */

int cpm_diff_message(const cpm_model *a, const cpm_model *b, size_t bytes, cpm_level level,
                     cpm_diff_effect *out, cpm_error *e)
{
    int used = 0;
    cpm_diff_effect effect = {.median = 1, .most = 1, .i = -1, .j = -1};
    double *ratio = malloc((size_t)a->n * (size_t)a->n * sizeof *ratio);
    if (!ratio)
        return cpm_no_memory(e);
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
