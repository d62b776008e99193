/* Where a curve of times over message sizes bends: the pieces with the least sum of squared
 * relative deviations, by dynamic programming (Bellman 1961). */
#include <math.h>
#include <stdlib.h>

#include "estimators/lmo2_imported.h"

enum { LEAST = 3, MOST_PIECES = 8 };

/* Deviations below this share are not looked at: times are printed with two decimals. */
static const double indifference = 0.01;

/* Sums of a piece, of weights 1/y^2. */
typedef struct {
    double w, wx, wy, wxx, wxy, wyy;
} sums;

static void add_point(sums *s, double x, double y)
{
    double w = 1 / (y * y);
    s->w += w;
    s->wx += w * x;
    s->wy += w * y;
    s->wxx += w * x * x;
    s->wxy += w * x * y;
    s->wyy += w * y * y;
}

/* The squared relative deviations from the best line. */
static double deviation(const sums *s)
{
    double xx = s->wxx - s->wx * s->wx / s->w, xy = s->wxy - s->wx * s->wy / s->w;
    double yy = s->wyy - s->wy * s->wy / s->w;
    return fmax(0, xx > 0 ? yy - xy * xy / xx : yy);
}

/* cost[i*count+j]: of the piece of points i to j. */
static void find_costs(const double *x, const double *y, int count, double *cost)
{
    for (int i = 0; i < count; i++) {
        sums s = {0};
        for (int j = i; j < count; j++) {
            add_point(&s, x[j], y[j]);
            cost[(size_t)i * (size_t)count + (size_t)j] =
                j - i + 1 < LEAST ? INFINITY : deviation(&s);
        }
    }
}

/* best[p*count+j]: of points 0 to j in p+1 pieces, the last of which begins at begin[p*count+j]. */
static void find_best(const double *cost, int count, int most, double *best, int *begin)
{
    for (int p = 0; p < most; p++)
        for (int j = 0; j < count; j++) {
            size_t at = (size_t)p * (size_t)count + (size_t)j;
            best[at] = p ? INFINITY : cost[j];
            begin[at] = 0;
            for (int i = 1; p && i <= j; i++) {
                double sum = best[at - (size_t)count - (size_t)(j - i) - 1] +
                             cost[(size_t)i * (size_t)count + (size_t)j];
                if (sum < best[at]) {
                    best[at] = sum;
                    begin[at] = i;
                }
            }
        }
}

static int choose(const double *best, int count, int most)
{
    double least = INFINITY;
    int pieces = 1;
    for (int p = 0; p < most; p++) {
        double sum = best[(size_t)p * (size_t)count + (size_t)(count - 1)];
        double n = count, unexplained = sum / n + indifference * indifference;
        double price = n * log(unexplained) + 3 * (p + 1) * log(n);
        if (sum < INFINITY && price < least) {
            least = price;
            pieces = p + 1;
        }
    }
    return pieces;
}

int cpm_curve_pieces(const double *x, const double *y, int count, int most, int *first)
{
    size_t n = (size_t)count;
    first[0] = 0;
    if (count < 2 * LEAST)
        return 1;
    most = most < MOST_PIECES ? most : MOST_PIECES;
    double *cost = malloc(n * n * sizeof *cost), *best = malloc(MOST_PIECES * n * sizeof *best);
    int *begin = malloc(MOST_PIECES * n * sizeof *begin), pieces = 0;
    if (cost && best && begin) {
        find_costs(x, y, count, cost);
        find_best(cost, count, most, best, begin);
        pieces = choose(best, count, most);
        for (int p = pieces - 1, j = count - 1; p >= 0; p--) {
            first[p] = begin[(size_t)p * n + (size_t)j];
            j = first[p] - 1;
        }
    }
    free(cost);
    free(best);
    free(begin);
    return pieces;
}
