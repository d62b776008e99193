#include "tuned/adapt/saved.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

static const double errors = 1.96; /* half an interval of 95 % */
static const double tolerated = 0.01;

/* ---- parts ---- */

static void see_part(tuned_part *p, double calls, double part, double error)
{
    const double kept = 0.9; /* the last ten stretches or so */
    p->weight = kept * p->weight + calls;
    p->weights = kept * kept * p->weights + calls * calls;
    p->errors = kept * kept * p->errors + calls * calls * error * error;
    p->sum = kept * p->sum + calls * part;
    p->squares = kept * p->squares + calls * part * part;
}

/* Its mean, with the error that the calls of stretches show, or these among themselves. */
static double mean_part(const tuned_part *p, double *error)
{
    const double mean = p->sum / p->weight, count = p->weight * p->weight / p->weights;
    const double variance = fmax(0, p->squares / p->weight - mean * mean);
    *error = sqrt(p->errors) / p->weight;
    if (count > 1.5)
        *error = fmax(*error, sqrt(variance / (count - 1)));
    return mean;
}

/* Square of the error of the mean of the calls that were kept, as a share of it; of one call that
 * is as large. */
static double relative_square(const cpm_adapt_figures *f)
{
    double sum = 0, squares = 0, n = f->kept;
    for (int k = 0; k < f->kept; k++) {
        sum += f->seconds[k];
        squares += f->seconds[k] * f->seconds[k];
    }
    double mean = sum / n, variance = fmax(0, squares / n - mean * mean);
    return f->kept < 2 || !(mean > 0) ? 1 : variance / (n - 1) / (mean * mean);
}

/* Of a part of two means, with Student's factor: calls of a stretch are few. */
static double error_of_part(double part, const cpm_adapt_figures *x, const cpm_adapt_figures *y)
{
    const double freedom = fmax(1, x->kept + y->kept - 2);
    return part * (1 - part) * sqrt(relative_square(x) + relative_square(y)) *
           gsl_cdf_tdist_Pinv(0.975, freedom) / errors;
}

/* ---- counting ---- */

static double mean_of(const cpm_adapt_figures *f)
{
    return f->sum / (double)f->calls;
}

/* As many calls of each, but for those that came while ranks met: these are not in turns with the
 * next period's. */
static bool are_in_turns(const cpm_adapt_figures *x, const cpm_adapt_figures *y)
{
    return x && x->who != y->who && labs(x->calls - y->calls) <= CPM_ADAPT_MEANWHILE + 1;
}

static const cpm_adapt_figures *find(const cpm_adapt_figures *f, int count, int who)
{
    for (int k = 0; k < count; k++)
        if (f[k].who == who && f[k].calls > 0)
            return &f[k];
    return NULL;
}

/* Calls alone, when what came next has shown what part they take: they are no longer alone. */
static void settle(tuned_saved *s)
{
    double error, part = mean_part(&s->part, &error);
    s->saved += s->alone * ((1 - part) / part - 1);
    s->error += s->alone * error / (part * part);
    s->spent += s->alone;
    s->alone = 0;
}

void tuned_saved_rest(tuned_saved *s, double spent)
{
    s->alone += spent;
}

/* In turns with others, by which a call by native takes so long. */
static void count_stretch(tuned_saved *s, const cpm_adapt_figures *f,
                          const cpm_adapt_figures *others, double spent, double native)
{
    const double own = mean_of(f), saved = spent * (native / own - 1), part = own / (own + native);
    s->spent += spent;
    s->saved += saved;
    s->squares += saved * saved;
    see_part(&s->part, (double)f->calls, part, error_of_part(part, f, others));
    settle(s);
}

/* A call by native, as one by what was chosen shows; not known: 0. */
static double native_by(const tuned_saved *s, const cpm_adapt_figures *chosen)
{
    double error, part = s->part.weight > 0 ? mean_part(&s->part, &error) : 1;
    return mean_of(chosen) * (1 - part) / part;
}

static void feed_one(tuned_saved *each, const cpm_adapt_figures *f, const cpm_adapt_figures *native,
                     const cpm_adapt_figures *chosen)
{
    const double spent = f->spent > 0 ? f->spent : f->sum;
    const cpm_adapt_figures *others = are_in_turns(native, f) ? native : chosen;
    double beside = 0;
    if (f->who && are_in_turns(others, f))
        beside = others->who ? native_by(&each[others->who], others) : mean_of(others);
    if (beside > 0 && f->sum > 0)
        count_stretch(&each[f->who], f, others, spent, beside);
    else
        tuned_saved_rest(&each[f->who], spent);
}

void tuned_saved_feed(tuned_saved *each, int chosen, const cpm_adapt_figures *f, int count)
{
    for (int k = 0; k < count; k++)
        if (f[k].calls > 0)
            feed_one(each, &f[k], find(f, count, 0), find(f, count, chosen));
}

/* ---- sums ---- */

void tuned_saved_add(tuned_saved_sum *to, const tuned_saved *of, bool native)
{
    tuned_saved s = *of;
    if (s.part.weight > 0)
        settle(&s);
    to->spent += s.spent + s.alone;
    to->unknown += native ? 0 : s.alone;
    to->gained += fmax(0, s.saved);
    to->lost += fmax(0, -s.saved);
    to->error = hypot(to->error, hypot(s.error, sqrt(s.squares)));
}

void tuned_saved_join(tuned_saved_sum *to, const tuned_saved_sum *more)
{
    to->spent += more->spent;
    to->unknown += more->unknown;
    to->met += more->met;
    to->gained += more->gained;
    to->lost += more->lost;
    to->error = hypot(to->error, more->error);
}

double tuned_saved_interval(const tuned_saved_sum *s)
{
    double half = errors * s->error + s->unknown, native = s->spent + s->gained - s->lost;
    bool known = s->unknown <= tolerated * s->spent && (half == 0 || half < native);
    return known ? half : NAN;
}
