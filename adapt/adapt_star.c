/* STAR-MPI's procedure (Faraj, Yuan, Lowenthal: STAR-MPI, ICS 2006, sections 3.2 and 3.3), with its
 * constants. Its algorithms are the candidates without the library's own routine. What differs:
 * ranks meet after each algorithm instead of once after all, and the sums that figure 2 of the
 * paper forgets to divide and to use are means over ranks here. */
#include <math.h>

#include "adapt/adapt_inside.h"

enum { ITERATIONS = 10, FACTOR = 2, MOST = 1 << 20 };
static const double epsilon = 0.1;

/* Of a candidate. */
typedef struct {
    double best; /* seconds: the least mean over ranks of a call, or the mean of a period */
    bool probed; /* it was measured, or is being */
} star_one;

typedef struct {
    int measuring; /* -1: monitors */
    int factor;    /* of ITERATIONS: the calls of a period of monitoring */
    bool grouped;
} star_state;

static star_one *ones(const cpm_adapt *a)
{
    return a->each;
}

/* ---- Measure_Select */

static bool group_is_probed(const cpm_adapt *a, int group)
{
    for (int k = 1; k < a->count; k++)
        if (a->as[k].group == group && ones(a)[k].probed)
            return true;
    return false;
}

/* The first of its group; without groups any. -1: all were. */
static int unprobed_leader(const cpm_adapt *a)
{
    const star_state *s = a->whole;
    for (int k = 1; k < a->count; k++)
        if (!ones(a)[k].probed && !(s->grouped && group_is_probed(a, a->as[k].group)))
            return k;
    return -1;
}

static int unprobed_member(const cpm_adapt *a, int group)
{
    for (int k = 1; k < a->count; k++)
        if (a->as[k].group == group && !ones(a)[k].probed)
            return k;
    return -1;
}

static int fastest(const cpm_adapt *a, int but)
{
    int best = 0;
    for (int k = 1; k < a->count; k++)
        if (ones(a)[k].probed && k != but && (best == 0 || ones(a)[k].best < ones(a)[best].best))
            best = k;
    return best;
}

/* One of each group, then the others of the best; all of them have been when it monitors. */
static void select_next(cpm_adapt *a)
{
    star_state *s = a->whole;
    s->measuring = unprobed_leader(a);
    a->incumbent = fastest(a, -1);
    if (s->measuring < 0 && a->incumbent > 0)
        s->measuring = unprobed_member(a, a->as[a->incumbent].group);
    if (s->measuring >= 0) {
        ones(a)[s->measuring].probed = true;
        return;
    }
    s->factor = FACTOR;
    adapt_note_choice(a);
}

static void measured(star_one *one, const cpm_adapt_figures *f)
{
    for (int k = 0; k < f->kept; k++)
        one->best = fmin(one->best, f->seconds[k]);
}

/* ---- Monitor_Adapt */

static double mean_of_last(const cpm_adapt_figures *f)
{
    double sum = 0;
    int from = f->kept > ITERATIONS ? f->kept - ITERATIONS : 0;
    for (int k = from; k < f->kept; k++)
        sum += f->seconds[k];
    return sum / (f->kept - from);
}

static void monitored(cpm_adapt *a, const cpm_adapt_figures *f)
{
    star_state *s = a->whole;
    int second = fastest(a, a->incumbent);
    double most = second ? (1 + epsilon) * ones(a)[second].best : INFINITY;
    double mean = f->sum / (double)f->calls;
    if (mean < most) {
        s->factor = s->factor < MOST ? 2 * s->factor : MOST;
        return;
    }
    s->factor = FACTOR;
    if (f->kept > 0 && mean_of_last(f) >= most) {
        ones(a)[a->incumbent].best = mean;
        select_next(a);
    }
}

/* ---- the policy */

static void begin(cpm_adapt *a)
{
    for (int k = 0; k < a->count; k++)
        ones(a)[k].best = INFINITY;
    select_next(a);
}

static void begin_grouped(cpm_adapt *a)
{
    ((star_state *)a->whole)->grouped = true;
    begin(a);
}

static void judge(cpm_adapt *a, const cpm_adapt_figures *f, int count)
{
    star_state *s = a->whole;
    const cpm_adapt_figures *now;
    adapt_note_native(a);
    if (s->measuring < 0) {
        now = adapt_figures_of(f, count, a->incumbent);
        if (now)
            monitored(a, now);
        return;
    }
    for (int k = 0; k < count; k++) /* with those that ran while ranks met */
        if (f[k].calls > 0)
            measured(&ones(a)[f[k].who], &f[k]);
    select_next(a);
}

/* Calls while the ranks meet count as well. */
static cpm_adapt_period next(cpm_adapt *a)
{
    const star_state *s = a->whole;
    int who = s->measuring < 0 ? a->incumbent : s->measuring;
    int calls = s->measuring < 0 ? s->factor * ITERATIONS : ITERATIONS;
    return (cpm_adapt_period){who, who, calls - CPM_ADAPT_MEANWHILE};
}

static void look(const cpm_adapt *a, int who, cpm_adapt_seen *seen)
{
    seen->out = ones(a)[who].probed && who != a->incumbent;
}

const adapt_type adapt_star = {.each = sizeof(star_one),
                               .whole = sizeof(star_state),
                               .begin = begin_grouped,
                               .judge = judge,
                               .next = next,
                               .look = look};
const adapt_type adapt_star_basic = {.each = sizeof(star_one),
                                     .whole = sizeof(star_state),
                                     .begin = begin,
                                     .judge = judge,
                                     .next = next,
                                     .look = look};
