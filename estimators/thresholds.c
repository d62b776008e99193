/* S, M1 and M2 (thesis 4.4.1): S is where linear scatter leaps, M1 to M2 is where linear gather
 * escalates at random. Breaks are found by Bai and Perron's method; a break counts only where the
 * data around it show what the threshold means, so noise on a straight line gives none.
 *
 * Medians hide escalations, so gather is judged by its means. */
#include "estimators/thresholds.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "estimators/strucchange.h"
#include "estimators/sweep.h"

enum {
    SWEEP_MOST = 256 * 1024, /* bytes */
    SWEEP_POINTS = 24,
    SWEEP_LEAST = 12, /* which breaks can be looked for among */
    SWEEP_BEHIND = 3, /* sizes from a rendezvous on, to see where a region ends */
    MOST_BREAKS = 3,
    KIB = 1024
};

static void set(cpm_model *m, const char *name, double value)
{
    m->value[cpm_parameter_index(m->type, name)][0] = value;
}

bool cpm_thresholds_apply(const cpm_model_type *type)
{
    return cpm_parameter_index(type, "S") >= 0 && cpm_parameter_index(type, "M1") >= 0 &&
           cpm_parameter_index(type, "M2") >= 0;
}

/* ---- sweeps */

static int add_collective(cpm_design *d, const char *name, size_t bytes, cpm_error *e)
{
    cpm_collective c;
    int status = cpm_collective_parse(name, &c, e);
    if (status)
        return status;
    const cpm_experiment x = cpm_experiment_of(&c, bytes);
    status = cpm_design_add(d, &x, e);
    return status ? status : cpm_design_close_round(d, e);
}

/* Sizes grow as squares: protocols change at a few KiB as well as at 64 KiB, and a break needs
 * points on both of its sides. (The thesis takes equal steps.) */
static int add_sweep(const char *name, size_t rendezvous, cpm_design *next, cpm_error *e)
{
    int status = CPM_OK, behind = 0;
    for (int i = 1; i <= SWEEP_POINTS && !status; i++) {
        double share = (double)i / SWEEP_POINTS;
        size_t bytes = (size_t)ceil(SWEEP_MOST * share * share);
        if (i > SWEEP_LEAST && behind >= SWEEP_BEHIND)
            break;
        behind += rendezvous && bytes >= rendezvous;
        status = add_collective(next, name, bytes, e);
    }
    return status;
}

/* The middle between size i and the one before it, until these are so few bytes apart. */
static int halve(const cpm_sweep *s, const char *name, int i, size_t apart, cpm_design *next,
                 cpm_error *e)
{
    if (i >= s->count)
        return CPM_OK;
    size_t high = (size_t)s->bytes[i], low = i ? (size_t)s->bytes[i - 1] : 0;
    return high - low <= apart ? CPM_OK : add_collective(next, name, low + (high - low) / 2, e);
}

/* How exactly a threshold of that size is found. */
static size_t step_at(double bytes)
{
    return bytes > 16 * KIB ? (size_t)bytes / 16 : KIB;
}

/* ---- leaps of scatter */

/* A leap that matters, as a share of the time; and the probability that noise alone leaves one at a
 * given break. It is small because R puts the breaks where the noise looks most like one. To look
 * closer costs little: where that is decided it may be larger. */
static const double least_leap = 0.02, by_chance = 1e-6, worth_a_look = 1e-3;

/* A straight line through points [begin, end) by relative errors, like the breaks. */
typedef struct {
    double at0, slope;
    double v00, v01, v11; /* covariance for relative errors of 1 */
    double squares;       /* of the relative residuals */
    int count;
} line;

static line line_through(const cpm_sweep *s, int begin, int end, double *work)
{
    line l = {.count = end - begin};
    for (int i = begin; i < end; i++)
        work[i] = 1 / (s->median[i] * s->median[i]);
    gsl_fit_wlinear(s->bytes + begin, 1, work + begin, 1, s->median + begin, 1, (size_t)l.count,
                    &l.at0, &l.slope, &l.v00, &l.v01, &l.v11, &l.squares);
    return l;
}

static double height(const line *l, double bytes, double *variance)
{
    double at, deviation;
    gsl_fit_linear_est(bytes, l->at0, l->slope, l->v00, l->v01, l->v11, &at, &deviation);
    *variance = deviation * deviation;
    return at;
}

/* The leap behind point last, as a share of the time there, if it stands out of the noise, which
 * leaves one with probability by; else 0. The noise is judged from both sides together, and with
 * Student's t: three points near the end of a sweep may lie on a line by chance. */
static double leap_at(const cpm_sweep *s, int begin, int last, int end, double by, double *work)
{
    if (last + 1 - begin < 3 || end - last - 1 < 3)
        return 0;
    double middle = (s->bytes[last] + s->bytes[last + 1]) / 2, v_before, v_after;
    line before = line_through(s, begin, last + 1, work);
    line after = line_through(s, last + 1, end, work);
    double low = height(&before, middle, &v_before), high = height(&after, middle, &v_after);
    double freedom = before.count + after.count - 4;
    double sd = sqrt((before.squares + after.squares) / freedom), leap = fabs(high - low);
    double chance = gsl_cdf_tdist_Qinv(by / 2, freedom) * sd * sqrt(v_before + v_after);
    return low > 0 && leap > chance && leap > 3 * sd * low && leap > least_leap * low ? leap / low
                                                                                      : 0;
}

/* The first point behind the largest of these leaps; -1: there is none. */
static int behind_largest_leap(const cpm_sweep *s, const int *at, int breaks, double *largest,
                               double *work)
{
    int best = -1;
    *largest = 0;
    for (int b = 0; b < breaks; b++) {
        int begin = b ? at[b - 1] + 1 : 0, end = b + 1 < breaks ? at[b + 1] + 1 : s->count;
        double leap = leap_at(s, begin, at[b], end, by_chance, work);
        if (leap > *largest) {
            *largest = leap;
            best = at[b] + 1;
        }
    }
    return best;
}

/* The first point behind the largest leap that a few neighbours on both sides show; -1: there is
 * none. */
static int behind_visible_leap(const cpm_sweep *s, double by, double *largest, double *work)
{
    enum { NEIGHBOURS = 6 };
    int best = -1;
    *largest = 0;
    for (int last = 0; last + 1 < s->count; last++) {
        int begin = last + 1 > NEIGHBOURS ? last + 1 - NEIGHBOURS : 0;
        int end = last + 1 + NEIGHBOURS < s->count ? last + 1 + NEIGHBOURS : s->count;
        double leap = leap_at(s, begin, last, end, by, work);
        if (leap > *largest) {
            *largest = leap;
            best = last + 1;
        }
    }
    return best;
}

/* ---- adaptive sweeps */

static int look_closer_at_scatter(const cpm_sweep *s, cpm_design *next, cpm_error *e)
{
    double *work = malloc((size_t)(s->count + 1) * sizeof *work), leap;
    if (!work)
        return cpm_no_memory(e);
    int behind = behind_visible_leap(s, worth_a_look, &leap, work);
    free(work);
    return behind < 0 ? CPM_OK
                      : halve(s, "scatter:linear", behind, step_at(s->bytes[behind]), next, e);
}

/* A size that escalates alone may be an outlier, or all that is seen of a short region. */
static int look_around_escalations(const cpm_sweep *s, cpm_design *next, cpm_error *e)
{
    int status = CPM_OK;
    for (int i = 0; i < s->count && !status; i++) {
        size_t apart = step_at(s->bytes[i]);
        if (!cpm_sweep_escalates(s, i))
            continue;
        status = halve(s, "gather:linear", i, apart, next, e);
        if (!status)
            status = halve(s, "gather:linear", i + 1, apart, next, e);
    }
    return status;
}

/* M1 is found to 1 KiB (the thesis halves its stride from 0 each time; the sizes in between are the
 * same). */
static int look_closer_at_gather(const cpm_sweep *s, cpm_design *next, cpm_error *e)
{
    int first, last;
    if (!cpm_sweep_region(s, &first, &last))
        return look_around_escalations(s, next, e);
    int status = halve(s, "gather:linear", first, KIB, next, e);
    return status ? status : halve(s, "gather:linear", last + 1, step_at(s->bytes[last]), next, e);
}

static int plan_sweep(const char *name, size_t rendezvous,
                      int look_closer(const cpm_sweep *s, cpm_design *next, cpm_error *e),
                      const cpm_measurements *so_far, cpm_design *next, cpm_error *e)
{
    cpm_sweep s = {0};
    int status = add_sweep(name, rendezvous, next, e);
    if (!status)
        status = cpm_sweep_take(so_far, name, &s, e);
    if (!status)
        status = look_closer(&s, next, e);
    cpm_sweep_clear(&s);
    return status;
}

int cpm_thresholds_plan(const cpm_measurements *so_far, cpm_design *next, cpm_error *e)
{
    int status = plan_sweep("scatter:linear", 0, look_closer_at_scatter, so_far, next, e);
    return status ? status : plan_sweep("gather:linear", 0, look_closer_at_gather, so_far, next, e);
}

int cpm_thresholds_plan_gather(size_t rendezvous, const cpm_measurements *so_far, cpm_design *next,
                               cpm_error *e)
{
    return plan_sweep("gather:linear", rendezvous, look_closer_at_gather, so_far, next, e);
}

bool cpm_thresholds_measure(const cpm_experiment *x)
{
    const cpm_algorithm *a = x->kind ? NULL : x->collective.algorithm;
    return a && strcmp(a->name, "linear") == 0 &&
           (strcmp(a->operation, "scatter") == 0 || strcmp(a->operation, "gather") == 0);
}

/* ---- S */

static int fit_scatter(const cpm_sweep *s, cpm_model *model, cpm_error *e)
{
    int at[MOST_BREAKS], breaks;
    int status = cpm_breakpoints(s->bytes, s->median, s->count, MOST_BREAKS, at, &breaks, e);
    if (status)
        return status;
    double *work = malloc((size_t)s->count * sizeof *work), largest;
    if (!work)
        return cpm_no_memory(e);
    int best = behind_largest_leap(s, at, breaks, &largest, work);
    if (best < 0) /* where small messages are uneven R may cut elsewhere */
        best = behind_visible_leap(s, by_chance, &largest, work);
    free(work);
    if (best < 0)
        return cpm_note(&model->notes, e,
                        "linear scatter shows no leap up to %.0f bytes: S is left out",
                        s->bytes[s->count - 1]);
    set(model, "S", s->bytes[best]);
    return cpm_note(&model->notes, e, "linear scatter leaps by %.0f %% at S = %.0f bytes",
                    100 * largest, s->bytes[best]);
}

/* ---- M1 and M2 */

/* The first size behind the break that is nearest to the end of the region. */
static double end_of_region(const cpm_sweep *s, int last, const int *at, int breaks)
{
    int nearest = last; /* R finds no break where too few points follow */
    for (int b = 0; b < breaks; b++)
        if (at[b] >= last && (nearest == last || at[b] < nearest))
            nearest = at[b];
    return s->bytes[nearest + 1 < s->count ? nearest + 1 : nearest];
}

/* The bytes that a point of the sweep stands for: half the way to both its neighbours. */
static double width_of(const cpm_sweep *s, int i)
{
    double before = i ? s->bytes[i - 1] : 0;
    double after = i + 1 < s->count ? s->bytes[i + 1] : s->bytes[i];
    return (after - before) / 2;
}

/* Where a model has them: the share of gathers that escalate and what an escalation adds. Of each
 * size the least and the largest time are known and the mean, which says how many are large. */
static int fit_escalations(const cpm_sweep *s, int first, int last, cpm_model *model, cpm_error *e)
{
    int count = 0;
    double *added = malloc((size_t)s->count * sizeof *added), share = 0, widths = 0;
    if (!added)
        return cpm_no_memory(e);
    for (int i = first; i <= last; i++)
        added[count++] = s->max[i] - s->min[i];
    double typical = cpm_median(added, count);
    free(added);
    for (int i = first; i <= last; i++) {
        double width = width_of(s, i);
        share += width * fmin(1, (s->mean[i] - s->min[i]) / typical);
        widths += width;
    }
    share /= widths;
    set(model, "pe", share);
    set(model, "te", typical);
    return cpm_note(&model->notes, e, "in between %.0f %% of the gathers escalate, by %.3g ms",
                    100 * share, 1e3 * typical);
}

static int fit_gather(const cpm_sweep *s, cpm_model *model, cpm_error *e)
{
    int first, last, at[MOST_BREAKS], breaks;
    if (!cpm_sweep_region(s, &first, &last))
        return cpm_note(&model->notes, e,
                        "linear gather shows no escalations up to %.0f bytes: M1 and M2 are left "
                        "out",
                        s->bytes[s->count - 1]);
    int status = cpm_breakpoints(s->bytes, s->mean, s->count, MOST_BREAKS, at, &breaks, e);
    if (status)
        return status;
    double m1 = floor(s->bytes[first] / KIB) * KIB;
    set(model, "M1", m1);
    if (cpm_parameter_index(model->type, "pe") >= 0)
        status = fit_escalations(s, first, last, model, e);
    if (status)
        return status;
    if (last + 1 == s->count)
        return cpm_note(&model->notes, e,
                        "linear gather escalates from M1 = %.0f bytes up to the largest "
                        "size of the sweep: M2 is left out",
                        m1);
    double m2 = end_of_region(s, last, at, breaks);
    set(model, "M2", m2);
    return cpm_note(&model->notes, e, "linear gather escalates from M1 = %.0f to M2 = %.0f bytes",
                    m1, m2);
}

int cpm_thresholds_fit(const cpm_measurements *m, cpm_model *model, cpm_error *e)
{
    cpm_sweep scatter = {0}, gather = {0};
    int status = cpm_sweep_take(m, "scatter:linear", &scatter, e);
    if (!status)
        status = cpm_sweep_take(m, "gather:linear", &gather, e);
    if (!status && gather.count == 0 && scatter.count == 0)
        status = cpm_note(&model->notes, e, "no sweeps were measured: S, M1 and M2 are left out");
    else if (!status && gather.count == 0)
        status =
            cpm_note(&model->notes, e, "no sweep of gather was measured: M1 and M2 are left out");
    if (!status && scatter.count > 0)
        status = fit_scatter(&scatter, model, e);
    if (!status && gather.count > 0)
        status = fit_gather(&gather, model, e);
    cpm_sweep_clear(&scatter);
    cpm_sweep_clear(&gather);
    return status;
}
