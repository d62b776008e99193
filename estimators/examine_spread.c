/* The doctor's look at spreads: what a few hosts show of one parameter's spread is uncertain, so it
 * is moved towards what all parameters show (Smyth 2004): as far as their spreads are alike, each
 * counts as if it had been seen at more hosts. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_psi.h>
#include <math.h>

#include "estimators/examiner.h"

enum {
    LEAST_POOL = 5,   /* fewer spreads do not show how alike they are */
    MOST_FREEDOM = 20 /* so many degrees of freedom are lent to a spread at most */
};

/* Degrees of freedom of the logarithm of a robust spread of normal values, about: its variance is
 * trigamma of half of them. Those for tails of scores are fewer. */
static double freedom_of(const cpm_comparison *c)
{
    return 0.6 * (c->tests - 1);
}

/* Spreads of hosts, not of errors. */
static bool is_pooled(const cpm_comparison *c, double spread)
{
    return c->kind == CPM_OWN && c->tests > 3 && 2 * c->error < spread;
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

/* What is known of a spread before it is seen. */
typedef struct {
    double variance, freedom; /* 0: nothing */
} expectation;

/* By the moments of logarithms of variances: within kinds of hosts, or among all. */
static expectation expect(const cpm_diagnosis *d, bool within)
{
    double sum = 0, squares = 0, of_errors = 0;
    int count = 0;
    for (int c = 0; c < d->comparisons; c++) {
        const cpm_comparison *k = &d->compared[c];
        double spread = within ? k->spread : k->among_all;
        if (!is_pooled(k, spread))
            continue;
        double half = freedom_of(k) / 2, seen = 2 * log(spread) - gsl_sf_psi(half) + log(half);
        sum += seen;
        squares += seen * seen;
        of_errors += gsl_sf_psi_1(half);
        count++;
    }
    if (count < LEAST_POOL)
        return (expectation){0};
    double mean = sum / count;
    double differ = (squares - mean * sum) / (count - 1) - of_errors / count;
    double freedom = differ > 0 ? 2 * invert_trigamma(differ) : MOST_FREEDOM;
    freedom = fmin(freedom, MOST_FREEDOM);
    return (expectation){exp(mean + gsl_sf_psi(freedom / 2) - log(freedom / 2)), freedom};
}

double cpm_examine_few_others(int others)
{
    return sqrt(1 + M_PI_2 / others);
}

/* What is known of the spread of its scores. */
static double expected_spread(const cpm_comparison *c, const expectation *known)
{
    double few = c->kind == CPM_TRUNK ? cpm_examine_few_others(c->tests / 2 - 1) : 1;
    return few * sqrt(known->variance);
}

/* What all links of a host have in common, and trunks, are of other kinds, whose spreads need not
 * be like the others': where one is not much larger it counts as if it had been seen at more hosts,
 * too, and is taken to be at least theirs. Three trunks show little of it: 8 times the variance is
 * seen by chance once in a thousand clusters. */
static bool is_lent(const cpm_comparison *c, const expectation *known, double spread)
{
    bool links = c->kind == CPM_LINKS || c->kind == CPM_WAYS, trunk = c->kind == CPM_TRUNK;
    double expected = expected_spread(c, known);
    return (links || trunk) && spread * spread <= (trunk ? 8 : 2) * expected * expected;
}

/* False: stays as it is. */
static bool moderate(const cpm_comparison *c, const expectation *known, double *spread,
                     double freedom)
{
    if (is_lent(c, known, *spread))
        *spread = fmax(*spread, expected_spread(c, known));
    else if (is_pooled(c, c->spread))
        *spread = sqrt((known->freedom * known->variance + freedom * *spread * *spread) /
                       (known->freedom + freedom));
    else
        return false;
    return true;
}

static void moderate_candidate(cpm_examiner *x, cpm_candidate *a, const expectation *known)
{
    double freedom = x->freedom[a->comparison], distance = fabs(log(a->symptom.times));
    double spread = distance / fabs(a->score);
    if (a->score == 0 || !moderate(&x->d->compared[a->comparison], known, &spread, freedom))
        return;
    a->p = fmin(1, 2 * gsl_cdf_tdist_Q(distance / spread, freedom + known->freedom));
    a->symptom.p = a->p;
}

/* Links are compared with those of all hosts, of whatever kinds. */
void cpm_examine_moderate(cpm_examiner *x)
{
    const expectation within = expect(x->d, true), all = expect(x->d, false);
    for (int q = 0; q < x->count; q++) {
        const cpm_comparison *k = &x->d->compared[x->at[q].comparison];
        const expectation *known = k->kind == CPM_OWN ? &within : &all;
        if (known->freedom > 0)
            moderate_candidate(x, &x->at[q], known);
    }
    for (int c = 0; c < x->d->comparisons; c++) {
        cpm_comparison *k = &x->d->compared[c];
        const expectation *known = k->kind == CPM_OWN ? &within : &all;
        if (known->freedom > 0 && moderate(k, known, &k->spread, x->freedom[c]))
            x->freedom[c] += known->freedom;
    }
}
