/* Weighted least squares in closed form: both parameters are sums of the times with known
 * coefficients, so the times' intervals carry over. */
#include "estimators/line.h"

#include <math.h>
#include <stdbool.h>

typedef struct {
    double w, x, xx; /* sums of weights, weighted sizes and their squares */
} sums;

static double weight(const cpm_points *p, int q)
{
    return 1 / (p->scale[q] * p->scale[q]);
}

static sums add_up(const cpm_points *p)
{
    sums s = {0};
    for (int q = 0; q < p->count; q++) {
        double w = weight(p, q);
        s.w += w;
        s.x += w * p->x[q];
        s.xx += w * p->x[q] * p->x[q];
    }
    return s;
}

static bool one_size(const cpm_points *p)
{
    for (int q = 1; q < p->count; q++)
        if (p->x[q] != p->x[0])
            return false;
    return true;
}

static double certainly_negative(const cpm_line *l)
{
    return l->slope + l->slope_ci < 0 ? l->slope : 0;
}

static cpm_line only_constant(const cpm_points *p, const sums *s)
{
    cpm_line l = {0};
    for (int q = 0; q < p->count; q++) {
        double share = weight(p, q) / s->w;
        l.constant += share * p->y[q];
        l.constant_ci = hypot(l.constant_ci, share * p->half[q]);
    }
    l.constant = fmax(0, l.constant);
    return l;
}

static cpm_line only_slope(const cpm_points *p, const sums *s)
{
    cpm_line l = {0};
    for (int q = 0; q < p->count; q++) {
        double share = weight(p, q) * p->x[q] / s->xx;
        l.slope += share * p->y[q];
        l.slope_ci = hypot(l.slope_ci, share * p->half[q]);
    }
    l.negative = certainly_negative(&l);
    l.slope = fmax(0, l.slope);
    return l;
}

static cpm_line both(const cpm_points *p, const sums *s)
{
    double det = s->w * s->xx - s->x * s->x;
    cpm_line l = {0};
    for (int q = 0; q < p->count; q++) {
        double w = weight(p, q);
        double constant = w * (s->xx - p->x[q] * s->x) / det;
        double slope = w * (p->x[q] * s->w - s->x) / det;
        l.constant += constant * p->y[q];
        l.slope += slope * p->y[q];
        l.constant_ci = hypot(l.constant_ci, constant * p->half[q]);
        l.slope_ci = hypot(l.slope_ci, slope * p->half[q]);
    }
    return l;
}

/* A rounding error below 0 is 0. */
static bool is_negative(double value, double of)
{
    return value < -1e-9 * of;
}

cpm_line cpm_line_through(const cpm_points *p)
{
    sums s = add_up(p);
    if (one_size(p))
        return p->x[0] > 0 ? only_slope(p, &s) : only_constant(p, &s);
    cpm_line l = both(p, &s), bound = l;
    if (l.constant < 0)
        bound = only_slope(p, &s);
    else if (l.slope < 0)
        bound = only_constant(p, &s);
    double typical = only_constant(p, &s).constant;
    bound.bounded =
        is_negative(l.constant, typical) || is_negative(l.slope * p->x[p->count - 1], typical);
    bound.negative = bound.bounded ? certainly_negative(&l) : 0;
    return bound;
}
