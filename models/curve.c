/* Piecewise linear functions of the message size. */
#include "models/curve.h"

#include <math.h>

/* The last size that is at most bytes; the first one if there is none. */
static int interval_of(const cpm_sizes *s, size_t bytes)
{
    int low = 0, high = s->count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (s->at[middle] <= bytes)
            low = middle;
        else
            high = middle;
    }
    return low;
}

typedef struct {
    const cpm_sizes *sizes;
    const double *value; /* of the first size */
    size_t stride;       /* from one size to the next */
} curve;

static double line(const curve *c, int a, int b, size_t bytes)
{
    double xa = (double)c->sizes->at[a], xb = (double)c->sizes->at[b];
    double ya = c->value[(size_t)a * c->stride], yb = c->value[(size_t)b * c->stride];
    return ya + (yb - ya) * ((double)bytes - xa) / (xb - xa);
}

double cpm_curve_at(const cpm_model *m, int p, size_t place, size_t bytes)
{
    curve c = {&m->sizes, m->value[p] + place, cpm_parameter_values(m, p)};
    int last = m->sizes.count - 1, k = interval_of(&m->sizes, bytes);
    if (last == 0 || bytes <= m->sizes.at[0])
        return c.value[0];
    if (k < last)
        return line(&c, k, k + 1, bytes);
    int base = interval_of(&m->sizes, m->sizes.at[last] / 2);
    return fmax(0, line(&c, base < last ? base : last - 1, last, bytes));
}
