/* What changed between two models, and what did not. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/diff.h"
#include "estimators/estimator.h"
#include "models/synthetic.h"
#include "tests/models/hosts_model.h"

#ifndef TRIALS
#define TRIALS 8
#endif

static cpm_diff_result diff(const cpm_model *a, const cpm_model *b)
{
    cpm_diff_options o = CPM_DIFF_DEFAULT;
    cpm_diff_result r;
    cpm_error e = {0};
    if (cpm_diff_models(a, b, &o, &r, &e))
        fail_msg("%s", e.text);
    return r;
}

static void models_without_intervals_are_exact(void **state)
{
    (void)state;
    cpm_model *a = random_lmo(6, 1), *b = random_lmo(6, 1);
    cpm_diff_result r = diff(a, b);
    assert_int_equal(r.count, 0);
    cpm_diff_clear(&r);
    b->value[CPM_LMO_C][2] *= 1.001;
    b->value[CPM_LMO_S][0] = 65536;
    r = diff(a, b);
    assert_int_equal(r.count, 2);
    assert_int_equal(r.of[CPM_LMO_C].changed, 1);
    assert_int_equal(r.of[CPM_LMO_C].compared, 6);
    assert_int_equal(r.of[CPM_LMO_S].changed, 1);
    assert_int_equal(r.of[CPM_LMO_L].changed, 0);
    cpm_diff_clear(&r);
    cpm_model_free(a);
    cpm_model_free(b);
}

/* Link ends of one model are not known; a threshold of which nobody asked is not, either. */
static void what_was_not_measured_is_not_compared(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 1, 1, 2, 2};
    cpm_model *a = hosts_model(host, 6, 1), *b = hosts_model(host, 6, 1);
    b->value[CPM_LMO2_GO][1] = NAN;
    a->value[CPM_LMO2_M1][0] = NAN;
    b->value[CPM_LMO2_M1][0] = 4096;
    cpm_diff_result r = diff(a, b);
    assert_int_equal(r.of[CPM_LMO2_GO].unmeasured, 1);
    assert_int_equal(r.of[CPM_LMO2_GO].compared, 2);
    assert_int_equal(r.count, 1); /* the threshold was sought */
    cpm_diff_clear(&r);
    assert_int_equal(cpm_metadata_set(&a->metadata, NULL, "design", "lmo2, joint, no thresholds"),
                     CPM_OK);
    r = diff(a, b);
    assert_int_equal(r.count, 0);
    assert_int_equal(r.of[CPM_LMO2_M1].unmeasured, 1);
    cpm_diff_clear(&r);
    cpm_model_free(a);
    cpm_model_free(b);
}

static void all_regimes_are_compared(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 1, 1, 2, 2};
    cpm_model *a = hosts_model(host, 6, 1), *b = hosts_model(host, 6, 1);
    b->value[CPM_LMO2_INSIDE_INVBETA][3 + 2] *= 2;
    cpm_diff_result r = diff(a, b);
    assert_int_equal(r.count, 1);
    assert_int_equal(r.at[0].parameter, CPM_LMO2_INSIDE_INVBETA);
    assert_int_equal(r.at[0].slice, 1);
    assert_int_equal(r.at[0].i, 2);
    cpm_diff_clear(&r);
    cpm_model_free(a);
    cpm_model_free(b);
}

static void a_pair_counts_once_if_both_ways_are_alike(void **state)
{
    (void)state;
    cpm_model *a = random_lmo(5, 1), *b;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < i; j++)
            a->value[CPM_LMO_L][i * 5 + j] = a->value[CPM_LMO_L][j * 5 + i];
    assert_int_equal(cpm_model_average(a, &b, NULL), CPM_OK);
    cpm_diff_result r = diff(a, b);
    assert_int_equal(r.of[CPM_LMO_L].compared, 10);
    assert_int_equal(r.of[CPM_LMO_INVBETA].compared, 20);
    cpm_diff_clear(&r);
    cpm_model_free(a);
    cpm_model_free(b);
}

static void a_change_within_the_intervals_is_none(void **state)
{
    (void)state;
    cpm_model *a = random_lmo(6, 1), *b = random_lmo(6, 1);
    for (int i = 0; i < 6; i++)
        a->ci[CPM_LMO_C][i] = b->ci[CPM_LMO_C][i] = 0.02 * a->value[CPM_LMO_C][i];
    b->value[CPM_LMO_C][1] *= 1.03; /* two standard errors of the difference */
    b->value[CPM_LMO_C][4] *= 1.20;
    b->value[CPM_LMO_T][3] *= 2; /* has no interval */
    cpm_diff_result r = diff(a, b);
    assert_int_equal(r.count, 1);
    assert_int_equal(r.at[0].parameter, CPM_LMO_C);
    assert_int_equal(r.at[0].i, 4);
    assert_true(r.at[0].p > 0 && r.at[0].p < 0.01);
    assert_int_equal(r.of[CPM_LMO_T].unjudged, 1);
    assert_int_equal(r.verdict, CPM_DIFF_CHANGED);
    cpm_diff_clear(&r);
    cpm_model_free(a);
    cpm_model_free(b);
}

/* Intervals of that share of each value; the values themselves are the model's. */
static void set_intervals(cpm_model *m, double share)
{
    for (int p = CPM_LMO_C; p <= CPM_LMO_INVBETA; p++)
        for (size_t at = 0; at < cpm_parameter_all_values(m, p); at++)
            m->ci[p][at] = share * fabs(m->value[p][at]);
}

/* Values and their intervals. */
static void scale(cpm_model *m, int p, int only, double by)
{
    for (size_t at = 0; at < cpm_parameter_all_values(m, p); at++)
        if (only < 0 || (size_t)only == at) {
            m->value[p][at] *= by;
            m->ci[p][at] *= by;
        }
}

static cpm_diff_verdict verdict(const cpm_model *a, const cpm_model *b)
{
    cpm_diff_result r = diff(a, b);
    cpm_diff_verdict v = r.verdict;
    cpm_diff_clear(&r);
    return v;
}

/* The other values have intervals; these tripled, and nobody knows how certain they are. */
static void what_has_no_interval_cannot_be_judged(void **state)
{
    (void)state;
    cpm_model *a = random_lmo(6, 1), *b = random_lmo(6, 1);
    set_intervals(a, 0.02);
    set_intervals(b, 0.02);
    assert_int_equal(verdict(a, b), CPM_DIFF_SAME);
    scale(b, CPM_LMO_C, -1, 3);
    for (int i = 0; i < 6; i++)
        a->ci[CPM_LMO_C][i] = b->ci[CPM_LMO_C][i] = NAN;
    cpm_diff_result r = diff(a, b);
    assert_int_equal(r.verdict, CPM_DIFF_CANNOT_TELL);
    assert_int_equal(r.of[CPM_LMO_C].unjudged, 6);
    cpm_diff_clear(&r);
    cpm_model_free(a);
    cpm_model_free(b);
}

static void a_model_without_intervals_cannot_be_compared_with_one_that_has_some(void **state)
{
    (void)state;
    cpm_model *a = random_lmo(6, 1), *b = random_lmo(6, 1);
    set_intervals(a, 0.02);
    assert_int_equal(verdict(a, b), CPM_DIFF_SAME); /* all are equal */
    scale(b, CPM_LMO_C, 2, 1.01);
    assert_int_equal(verdict(a, b), CPM_DIFF_CANNOT_TELL);
    assert_int_equal(verdict(b, a), CPM_DIFF_CANNOT_TELL);
    set_intervals(a, 0); /* exact, but the other is not known to be */
    assert_int_equal(verdict(a, b), CPM_DIFF_CANNOT_TELL);
    set_intervals(b, 0);
    assert_int_equal(verdict(a, b), CPM_DIFF_CHANGED);
    cpm_model_free(a);
    cpm_model_free(b);
}

static void what_one_model_does_not_know_cannot_be_judged(void **state)
{
    (void)state;
    cpm_model *a = random_lmo(6, 1), *b = random_lmo(6, 1);
    a->value[CPM_LMO_S][0] = NAN;
    b->value[CPM_LMO_S][0] = 4096;
    assert_int_equal(cpm_metadata_set(&a->metadata, NULL, "design", "lmo, joint, no thresholds"),
                     CPM_OK);
    assert_int_equal(verdict(a, b), CPM_DIFF_CANNOT_TELL);
    cpm_model_free(a);
    cpm_model_free(b);
}

static void add_noise(cpm_model *m, double share, gsl_rng *random)
{
    for (int p = CPM_LMO_C; p <= CPM_LMO_INVBETA; p++)
        for (size_t at = 0; at < cpm_parameter_all_values(m, p); at++)
            m->value[p][at] =
                fmax(0, m->value[p][at] * (1 + gsl_ran_gaussian(random, share / 1.96)));
}

/* A model of 8 processes whose C is `by` times as large (of one process, or all), known to that
 * share. */
static cpm_model *known_to(double share, int only, double by, gsl_rng *random)
{
    cpm_model *m = random_lmo(8, 1);
    scale(m, CPM_LMO_C, only, by);
    set_intervals(m, share);
    add_noise(m, share, random);
    return m;
}

static void count_verdicts(double share, int only, double by, int *count)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, 1001);
    count[CPM_DIFF_SAME] = count[CPM_DIFF_CHANGED] = count[CPM_DIFF_CANNOT_TELL] = 0;
    for (int k = 0; k < 4 * TRIALS; k++) {
        cpm_model *a = known_to(share, only, 1, random), *b = known_to(share, only, by, random);
        count[verdict(a, b)]++;
        cpm_model_free(a);
        cpm_model_free(b);
    }
    gsl_rng_free(random);
}

/* However wide the intervals are, nothing that tripled is "the same". */
static void wide_intervals_hide_nothing(void **state)
{
    (void)state;
    for (int half = 0; half < 2; half++) {
        double share = half ? 0.5 : 0.2;
        int all[3], one[3], none[3];
        count_verdicts(share, -1, 3, all);
        count_verdicts(share, 3, 3, one);
        count_verdicts(share, -1, 1, none);
        print_message("intervals of %g %%: all tripled: same %d, changed %d, cannot tell %d; one: "
                      "%d, %d, %d; none: %d, %d, %d\n",
                      100 * share, all[0], all[1], all[2], one[0], one[1], one[2], none[0], none[1],
                      none[2]);
        assert_int_equal(all[CPM_DIFF_SAME], 0);
        assert_true(all[CPM_DIFF_CHANGED] >= 4 * TRIALS * 95 / 100);
        assert_int_equal(one[CPM_DIFF_SAME], 0);
        assert_true(none[CPM_DIFF_CHANGED] <= 1);
    }
}

/* ---- regimes that do not match */

/* Extended LMO of 8 processes, of which that share of each value is its interval and the noise in
 * it. Regimes begin at first[]; what of[] says is that of random_lmo2 whose values each has. From
 * 64 KB on messages take `by` times as long. */
static cpm_model *with_regimes(const size_t *first, const int *of, int count, double by,
                               double share, gsl_rng *random)
{
    enum { N = 8 };
    cpm_model *like = random_lmo2(N, 1), *m;
    assert_int_equal(
        cpm_model_create_sized(&cpm_lmo2, N, &(cpm_sizes){(size_t *)first, count}, &m, NULL),
        CPM_OK);
    for (int p = CPM_LMO2_CS; p <= CPM_LMO2_INVBETA; p++) {
        size_t slice = cpm_parameter_values(m, p);
        for (size_t at = 0; at < slice * (size_t)count; at++) {
            int k = of[at / slice];
            double value = like->value[p][(size_t)k * slice + at % slice] * (k == 2 ? by : 1);
            m->value[p][at] = value * (1 + gsl_ran_gaussian(random, share / 1.96));
            m->ci[p][at] = share * value;
        }
    }
    for (int i = 0; i < N; i++)
        m->ci[CPM_LMO2_GO][i] = m->ci[CPM_LMO2_GI][i] = 0; /* link ends are not shared */
    m->value[CPM_LMO2_RENDEZVOUS][0] = 65536;
    cpm_model_free(like);
    return m;
}

static const size_t regimes[] = {0, 4096, 65536}, more_regimes[] = {0, 4096, 32768, 65536};
static const int of_regimes[] = {0, 1, 2}, of_more[] = {0, 1, 1, 2};

static int unmatched(const cpm_diff_result *r)
{
    int sum = 0;
    for (int p = CPM_LMO2_CS; p <= CPM_LMO2_INVBETA; p++)
        sum += r->of[p].unmatched;
    return sum;
}

/* Of a machine with other regimes, all of whose long messages take `by` times as long. */
static cpm_diff_result slower(double by, double share)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, 3001);
    cpm_model *a = with_regimes(regimes, of_regimes, 3, 1, share, random);
    cpm_model *b = with_regimes(more_regimes, of_more, 4, by, share, random);
    cpm_diff_result r = diff(a, b);
    assert_true(unmatched(&r) > 0);
    cpm_model_free(a);
    cpm_model_free(b);
    gsl_rng_free(random);
    return r;
}

static void long_messages_that_are_all_slower_are_not_the_same(void **state)
{
    (void)state;
    static const double by[] = {10, 2, 1.5, 0.5}, share[] = {0, 1e-4, 0.02};
    for (int k = 0; k < 4; k++)
        for (int l = 0; l < 3; l++) {
            cpm_diff_result r = slower(by[k], share[l]);
            assert_int_not_equal(r.verdict, CPM_DIFF_SAME);
            assert_false(r.equal);
            assert_true(r.trips_unseen > 0);
            if (k == 0)
                assert_int_equal(r.verdict, CPM_DIFF_CHANGED);
            cpm_diff_clear(&r);
        }
}

static void other_regimes_with_the_same_times_are_the_same(void **state)
{
    (void)state;
    cpm_diff_result r = slower(1, 0.01);
    assert_int_equal(r.verdict, CPM_DIFF_SAME);
    assert_false(r.equal);
    assert_true(r.trip_count > 0);
    assert_int_equal(r.trips_unseen, 0);
    cpm_diff_clear(&r);
}

/* Whichever of the two has more of them. */
static void regimes_of_one_model_only_are_counted(void **state)
{
    (void)state;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    cpm_model *a = with_regimes(regimes, of_regimes, 1, 1, 0.01, random);
    cpm_model *b = with_regimes(regimes, of_regimes, 3, 1, 0.01, random);
    cpm_diff_result r = diff(a, b);
    assert_int_equal(r.of[CPM_LMO2_CS].unmatched, 2);
    cpm_diff_clear(&r);
    r = diff(b, a);
    assert_int_equal(r.of[CPM_LMO2_CS].unmatched, 2);
    cpm_diff_clear(&r);
    cpm_model_free(a);
    cpm_model_free(b);
    gsl_rng_free(random);
}

static void regimes_that_begin_elsewhere_are_not_compared(void **state)
{
    (void)state;
    size_t one[] = {1, 4096}, other[] = {1024, 4096};
    cpm_model *a, *b;
    assert_int_equal(cpm_model_create_sized(&cpm_plogp, 4, &(cpm_sizes){one, 2}, &a, NULL), CPM_OK);
    assert_int_equal(cpm_model_create_sized(&cpm_plogp, 4, &(cpm_sizes){other, 2}, &b, NULL),
                     CPM_OK);
    cpm_diff_result r = diff(a, b);
    assert_int_equal(r.of[CPM_PLOGP_G].compared, 0);
    assert_int_equal(r.of[CPM_PLOGP_G].unmatched, 2);
    assert_int_equal(r.verdict, CPM_DIFF_CANNOT_TELL);
    cpm_diff_clear(&r);
    cpm_model_free(a);
    cpm_model_free(b);
}

/* Each model's intervals are of the level that it says. */
static void levels_of_intervals_may_differ(void **state)
{
    (void)state;
    cpm_model *a = random_lmo(6, 1), *b = random_lmo(6, 1);
    double wider = gsl_cdf_ugaussian_Pinv(0.9995) / gsl_cdf_ugaussian_Pinv(0.975);
    for (int i = 0; i < 6; i++)
        a->ci[CPM_LMO_C][i] = b->ci[CPM_LMO_C][i] = 0.02 * a->value[CPM_LMO_C][i];
    b->value[CPM_LMO_C][4] *= 1.15;
    cpm_diff_result usual = diff(a, b);
    assert_int_equal(usual.count, 1);
    for (int i = 0; i < 6; i++)
        b->ci[CPM_LMO_C][i] *= wider;
    cpm_diff_result unsaid = diff(a, b);
    assert_int_equal(cpm_metadata_set(&b->metadata, NULL, CPM_METADATA_CONFIDENCE, "0.999"),
                     CPM_OK);
    cpm_diff_result said = diff(a, b);
    assert_int_equal(said.count, 1);
    assert_true(fabs(said.at[0].p / usual.at[0].p - 1) < 1e-6);
    assert_true(unsaid.count == 0 || unsaid.at[0].p > 2 * usual.at[0].p);
    cpm_diff_clear(&usual);
    cpm_diff_clear(&unsaid);
    cpm_diff_clear(&said);
    cpm_model_free(a);
    cpm_model_free(b);
}

/* What is left out as too small may as well be an error, if nobody knows how large that is. */
static void small_differences_without_intervals_are_not_the_same(void **state)
{
    (void)state;
    cpm_model *a = random_lmo(6, 1), *b = random_lmo(6, 1);
    cpm_diff_options o = CPM_DIFF_DEFAULT;
    cpm_diff_result r;
    o.least_effect = 0.1;
    assert_int_equal(cpm_diff_models(a, b, &o, &r, NULL), CPM_OK);
    assert_int_equal(r.verdict, CPM_DIFF_SAME);
    cpm_diff_clear(&r);
    b->value[CPM_LMO_C][2] *= 1.01;
    assert_int_equal(cpm_diff_models(a, b, &o, &r, NULL), CPM_OK);
    assert_int_equal(r.count, 0);
    assert_int_equal(r.of[CPM_LMO_C].small, 1);
    assert_int_equal(r.verdict, CPM_DIFF_CANNOT_TELL);
    cpm_diff_clear(&r);
    cpm_model_free(a);
    cpm_model_free(b);
}

static void refused(const cpm_model *a, const cpm_model *b, const char *why)
{
    cpm_diff_options o = CPM_DIFF_DEFAULT;
    cpm_diff_result r;
    cpm_error e = {0};
    assert_int_equal(cpm_diff_models(a, b, &o, &r, &e), CPM_EDATA);
    assert_non_null(strstr(e.text, why));
}

static void other_clusters_are_refused(void **state)
{
    (void)state;
    cpm_model *a = random_lmo(6, 1), *b = random_lmo(5, 1), *h = random_hockney(6, 1);
    cpm_model *c = random_lmo(6, 1);
    assert_int_equal(cpm_model_set_host(c, 3, "n3", NULL), CPM_OK);
    refused(a, b, "6 and of 5 processes");
    refused(a, h, "lmo and hockney");
    refused(a, c, "process 3");
    cpm_model_free(a);
    cpm_model_free(b);
    cpm_model_free(c);
    cpm_model_free(h);
}

static void messages_show_what_a_change_does(void **state)
{
    (void)state;
    cpm_model *a = random_hockney(6, 1), *b = random_hockney(6, 1);
    cpm_diff_effect effect;
    b->value[CPM_HOCKNEY_BETA][2 * 6 + 5] *= 3;
    assert_int_equal(cpm_diff_message(a, b, 1 << 30, CPM_BETWEEN, &effect, NULL), CPM_OK);
    assert_int_equal(effect.i, 2);
    assert_int_equal(effect.j, 5);
    assert_true(fabs(effect.most - 3) < 1e-4);
    assert_true(effect.median == 1);
    assert_int_equal(cpm_diff_message(a, b, 0, CPM_BETWEEN, &effect, NULL), CPM_OK);
    assert_int_equal(effect.i, -1);
    cpm_model_free(a);
    cpm_model_free(b);
}

/* ---- through campaigns with the laboratory's noise */

static cpm_model *measured(const cpm_model *truth, unsigned long seed)
{
    cpm_machine *machine;
    const cpm_estimator *estimator;
    cpm_estimation options = CPM_ESTIMATION_DEFAULT;
    cpm_measurements results = {0};
    cpm_campaign campaign = {.precision = CPM_PRECISION_DEFAULT};
    cpm_model *fitted;
    cpm_error e = {0};
    options.thresholds = false;
    campaign.precision.min_reps = campaign.precision.max_reps = 20;
    assert_int_equal(cpm_estimator_find("lmo", "joint", &estimator, &e), CPM_OK);
    assert_int_equal(cpm_synthetic_create(truth, 0.05, seed, &machine, &e), CPM_OK);
    cpm_estimator_context context = {estimator, &options};
    if (cpm_campaign_run(machine, cpm_estimator_planner, &context, &campaign, &results, &e) ||
        cpm_estimate(estimator, &options, &results, NULL, NULL, &fitted, &e))
        fail_msg("%s", e.text);
    machine->free(machine);
    cpm_measurements_clear(&results);
    return fitted;
}

static cpm_model *symmetric_lmo(int n, unsigned seed)
{
    cpm_model *m = random_lmo(n, seed);
    for (int p = CPM_LMO_L; p <= CPM_LMO_INVBETA; p++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                m->value[p][i * n + j] = m->value[p][j * n + i];
    return m;
}

static bool has_change(const cpm_diff_result *r, int p, int i)
{
    for (int q = 0; q < r->count; q++)
        if (r->at[q].parameter == p && r->at[q].i == i)
            return true;
    return false;
}

static void a_slower_processor_is_found_and_an_unchanged_cluster_is_the_same(void **state)
{
    (void)state;
    int same = 0, found = 0, others = 0;
    for (unsigned seed = 1; seed <= TRIALS; seed++) {
        cpm_model *truth = symmetric_lmo(8, seed), *before = measured(truth, 2 * seed);
        cpm_model *after = measured(truth, 2 * seed + 1);
        truth->value[CPM_LMO_C][3] *= 1.3;
        cpm_model *worse = measured(truth, 2 * seed + 1);
        cpm_diff_result none = diff(before, after), some = diff(before, worse);
        same += none.verdict == CPM_DIFF_SAME;
        found += has_change(&some, CPM_LMO_C, 3);
        others += some.count > 1;
        cpm_diff_clear(&none);
        cpm_diff_clear(&some);
        cpm_model_free(truth);
        cpm_model_free(before);
        cpm_model_free(after);
        cpm_model_free(worse);
    }
    print_message("%d trials: the same %d, 30 %% slower found %d, with others beside it %d\n",
                  TRIALS, same, found, others);
    assert_true(same >= TRIALS * 85 / 100);
    assert_true(found >= TRIALS * 95 / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_without_intervals_are_exact),
        cmocka_unit_test(what_was_not_measured_is_not_compared),
        cmocka_unit_test(all_regimes_are_compared),
        cmocka_unit_test(a_pair_counts_once_if_both_ways_are_alike),
        cmocka_unit_test(a_change_within_the_intervals_is_none),
        cmocka_unit_test(what_has_no_interval_cannot_be_judged),
        cmocka_unit_test(a_model_without_intervals_cannot_be_compared_with_one_that_has_some),
        cmocka_unit_test(what_one_model_does_not_know_cannot_be_judged),
        cmocka_unit_test(wide_intervals_hide_nothing),
        cmocka_unit_test(long_messages_that_are_all_slower_are_not_the_same),
        cmocka_unit_test(other_regimes_with_the_same_times_are_the_same),
        cmocka_unit_test(regimes_of_one_model_only_are_counted),
        cmocka_unit_test(regimes_that_begin_elsewhere_are_not_compared),
        cmocka_unit_test(levels_of_intervals_may_differ),
        cmocka_unit_test(small_differences_without_intervals_are_not_the_same),
        cmocka_unit_test(other_clusters_are_refused),
        cmocka_unit_test(messages_show_what_a_change_does),
        cmocka_unit_test(a_slower_processor_is_found_and_an_unchanged_cluster_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
