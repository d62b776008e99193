/* A straight line through times over message sizes, with what its parameters' intervals are. */
#ifndef CPM_ESTIMATORS_LINE_H
#define CPM_ESTIMATORS_LINE_H

/* Points: times y[count] at sizes x[count] (bytes), each with a weight 1/scale^2 and the half width
 * of its confidence interval, in seconds. */
typedef struct {
    double *x, *y, *scale, *half;
    int count;
} cpm_points;

/* constant + slope * bytes; half widths of the intervals of both. */
typedef struct {
    double constant, slope, constant_ci, slope_ci;
    int bounded;     /* 1: a parameter would have been negative and is held at 0 */
    double negative; /* the slope that would have been, if it is below 0 by more than its interval;
                        else 0 */
} cpm_line;

/* The weighted least-squares line with constant >= 0 and slope >= 0. Points all at one size give a
 * constant (at size 0) or a slope (elsewhere, through 0). count >= 1. */
cpm_line cpm_line_through(const cpm_points *p);

#endif
