/* The doctor's look at spreads: what a few hosts show of one parameter's spread is uncertain, so it
 * is moved towards what all parameters show (Smyth 2004): as far as their spreads are alike, each
 * counts as if it had been seen at more hosts. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_psi.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "diagnose/examiner.h"

enum {
    LEAST_POOL = 5,   /* fewer spreads do not show how alike they are */
    MOST_FREEDOM = 20 /* so many degrees of freedom are lent to a spread at most */
};

/* What is known of a spread before it is seen. */
typedef struct {
    double variance, freedom; /* 0: nothing */
} expectation;

/* Of hosts where that shows less: they differ by a tenth, and that counts as much as four hosts. It
 * keeps few hosts that are alike by chance from accusing another; that few unlike hosts accuse one
 * that is none of them is kept by what is asked of a lone host (cpm_examine_least_alone). */
static const expectation usual = {0.1 * 0.1, 4};

/* Spreads of hosts, not of errors. */
static bool is_pooled(const cpm_comparison *c)
{
    return c->kind == CPM_OWN && c->tests > 3 && 2 * c->error < c->spread;
}

/* The x with trigamma(x) = y. */
static double invert_trigamma(double y)
{
    double low = -10, high = 10; /* logarithms */
    for (int step = 0; step < 60; step++) {
        double middle = (low + high) / 2;
        *(gsl_sf_psi_1(exp(middle)) > y ? &low : &high) = middle;
    }
    return exp(low);
}

/* Parameters of a host are not independent of each other: what slows its processor shows in all of
 * its overheads, so that many of them say little more than one does. */
static double most_lent(const cpm_examiner *x)
{
    return 2 * (x->m->n - 2);
}

/* What the logarithms of variances say, seen[count]; of_errors: what varies in them by chance.
 * Medians, as a comparison may hold a fault, or be alike by chance. */
static expectation expect_of(const cpm_examiner *x, double *seen, int count, double of_errors)
{
    double middle = cpm_median(seen, count);
    for (int q = 0; q < count; q++)
        seen[q] = fabs(seen[q] - middle);
    double deviation = 1.4826 * cpm_median(seen, count);
    double differ = deviation * deviation - of_errors / count;
    double freedom = differ > 0 ? 2 * invert_trigamma(differ) : MOST_FREEDOM;
    freedom = fmax(usual.freedom, fmin(freedom, fmin(MOST_FREEDOM, most_lent(x))));
    return (expectation){exp(middle + gsl_sf_psi(freedom / 2) - log(freedom / 2)), freedom};
}

/* Within kinds of hosts where there are such; nothing of few. */
static int expect(cpm_examiner *x, expectation *out)
{
    const cpm_diagnosis *d = x->d;
    double of_errors = 0, *seen = malloc(((size_t)d->comparisons + 1) * sizeof *seen);
    int count = 0;
    if (!seen)
        return cpm_no_memory(x->e);
    for (int c = 0; c < d->comparisons; c++) {
        const cpm_comparison *k = &d->compared[c];
        if (!is_pooled(k))
            continue;
        double half = x->freedom[c] / 2;
        seen[count++] = 2 * log(k->spread) - gsl_sf_psi(half) + log(half);
        of_errors += gsl_sf_psi_1(half);
    }
    *out = count < LEAST_POOL ? (expectation){0} : expect_of(x, seen, count, of_errors);
    free(seen);
    return CPM_OK;
}

/* What all links of a host have in common, and trunks, are of other kinds, whose spreads need not
 * be like the others': where one is not much larger it counts as if it had been seen at more hosts,
 * too, and is taken to be at least theirs. Three trunks show little of it: 8 times the variance is
 * seen by chance once in a thousand clusters. */
static bool is_lent(const cpm_comparison *c, const expectation *known, double spread)
{
    bool links = c->kind == CPM_LINKS || c->kind == CPM_WAYS, trunk = c->kind == CPM_TRUNK;
    return (links || trunk) && spread * spread <= (trunk ? 8 : 2) * known->variance;
}

/* False: stays as it is. */
static bool moderate(const cpm_comparison *c, const expectation *known, double *spread,
                     double freedom)
{
    if (is_lent(c, known, *spread))
        *spread = fmax(*spread, sqrt(known->variance));
    else if (c->kind == CPM_OWN && c->tests > 2)
        *spread = sqrt((known->freedom * known->variance + freedom * *spread * *spread) /
                       (known->freedom + freedom));
    else
        return false;
    return true;
}

static void moderate_candidate(cpm_examiner *x, cpm_candidate *a, const expectation *known)
{
    const cpm_comparison *k = &x->d->compared[a->comparison];
    double freedom = x->freedom[a->comparison], distance = fabs(log(a->symptom.times));
    double few = sqrt(1 + 1.0 / k->others), spread = distance / fabs(a->score) / few;
    if (!(fabs(a->score) > 0) || !moderate(k, known, &spread, freedom))
        return;
    a->score = copysign(distance / (few * spread), a->score);
    a->p = fmin(1, 2 * gsl_cdf_tdist_Q(fabs(a->score), freedom + known->freedom));
    a->symptom.p = a->p;
}

/* Of so few hosts that a fault may be in all spreads: what is usual at most. */
static expectation known_of(const cpm_comparison *c, const expectation *within)
{
    enum { FEW = 5 };
    if (c->kind != CPM_OWN)
        return *within;
    expectation known = within->freedom > 0 ? *within : usual;
    if (c->tests <= FEW)
        known.variance = fmin(known.variance, usual.variance);
    if (!is_pooled(c)) /* its values vary by their errors, too */
        known.variance += c->error * c->error;
    return known;
}

int cpm_examine_moderate(cpm_examiner *x)
{
    expectation within = {0};
    int status = expect(x, &within);
    if (status)
        return status;
    for (int q = 0; q < x->count; q++) {
        expectation known = known_of(&x->d->compared[x->at[q].comparison], &within);
        if (known.freedom > 0)
            moderate_candidate(x, &x->at[q], &known);
    }
    for (int c = 0; c < x->d->comparisons; c++) {
        cpm_comparison *k = &x->d->compared[c];
        expectation known = known_of(k, &within);
        if (known.freedom > 0 && moderate(k, &known, &k->spread, x->freedom[c]))
            x->freedom[c] += known.freedom;
    }
    return CPM_OK;
}
