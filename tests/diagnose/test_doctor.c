/* The doctor on clusters with faults that were planted, over many seeds. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/network_shapes.h"
#include "diagnose/doctor.h"
#include "estimators/estimator.h"
#include "models/experiments.h"
#include "models/hockney.h"
#include "models/lmo.h"
#include "models/synthetic.h"

#include "tests/models/hosts_model.h"

#ifndef TRIALS
#define TRIALS 60 /* of parameters that are drawn */
#endif
#ifndef CAMPAIGNS
#define CAMPAIGNS 6 /* of measuring and fitting */
#endif

/* ---- clusters */

static size_t pair(const cpm_model *m, int i, int j)
{
    return (size_t)i * (size_t)m->n + (size_t)j;
}

static void set_both(cpm_model *m, int p, int i, int j, double value)
{
    m->value[p][pair(m, i, j)] = m->value[p][pair(m, j, i)] = value;
}

static cpm_model *lmo_of(int n)
{
    cpm_model *m;
    assert_int_equal(cpm_model_create(&cpm_lmo, n, &m, NULL), CPM_OK);
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(cpm_model_set_host(m, i, name, NULL), CPM_OK);
    }
    return m;
}

/* Like hosts: every parameter departs by a few per cent. */
static cpm_model *like_hosts(int n, double spread, gsl_rng *random)
{
    cpm_model *m = lmo_of(n);
    for (int i = 0; i < n; i++) {
        m->value[CPM_LMO_C][i] = 30e-6 * exp(gsl_ran_gaussian(random, spread));
        m->value[CPM_LMO_T][i] = 5e-9 * exp(gsl_ran_gaussian(random, spread));
        for (int j = 0; j < i; j++) {
            set_both(m, CPM_LMO_L, i, j, 25e-6 * exp(gsl_ran_gaussian(random, spread)));
            set_both(m, CPM_LMO_INVBETA, i, j, 10e-9 * exp(gsl_ran_gaussian(random, spread)));
        }
    }
    return m;
}

/* Unlike hosts and links, as in the simulated laboratory: a factor of three and more is nature. */
static cpm_model *unlike_hosts(int n, gsl_rng *random)
{
    cpm_model *m = lmo_of(n);
    for (int i = 0; i < n; i++) {
        m->value[CPM_LMO_C][i] = gsl_ran_flat(random, 20e-6, 60e-6);
        m->value[CPM_LMO_T][i] = gsl_ran_flat(random, 2e-9, 10e-9);
        for (int j = 0; j < i; j++) {
            set_both(m, CPM_LMO_L, i, j, gsl_ran_flat(random, 10e-6, 40e-6));
            set_both(m, CPM_LMO_INVBETA, i, j, gsl_ran_flat(random, 8e-9, 14e-9));
        }
    }
    return m;
}

/* A host 3 times as far away, one with doubled overhead, and one link of half the bandwidth. */
typedef struct {
    int far, busy, from, to;
} plan;

static plan plant(cpm_model *m, gsl_rng *random)
{
    int who[4], all[64];
    for (int i = 0; i < m->n; i++)
        all[i] = i;
    gsl_ran_choose(random, who, 4, all, (size_t)m->n, sizeof *all);
    gsl_ran_shuffle(random, who, 4, sizeof *who);
    plan f = {who[0], who[1], who[2] < who[3] ? who[2] : who[3], who[2] < who[3] ? who[3] : who[2]};
    for (int j = 0; j < m->n; j++)
        if (j != f.far)
            set_both(m, CPM_LMO_L, f.far, j, 3 * m->value[CPM_LMO_L][pair(m, f.far, j)]);
    m->value[CPM_LMO_C][f.busy] *= 2;
    m->value[CPM_LMO_T][f.busy] *= 2;
    set_both(m, CPM_LMO_INVBETA, f.from, f.to,
             2 * m->value[CPM_LMO_INVBETA][pair(m, f.from, f.to)]);
    return f;
}

static void disturb_one(cpm_model *m, int p, size_t at, double error, gsl_rng *random)
{
    m->ci[p][at] = 1.96 * error * m->value[p][at];
    m->value[p][at] *= 1 + gsl_ran_gaussian(random, error);
}

/* What a fit would give: values with errors, and intervals. */
static void disturb(cpm_model *m, gsl_rng *random)
{
    for (int i = 0; i < m->n; i++) {
        disturb_one(m, CPM_LMO_C, (size_t)i, 0.01, random);
        disturb_one(m, CPM_LMO_T, (size_t)i, 0.02, random);
        for (int j = i + 1; j < m->n; j++)
            for (int p = CPM_LMO_L; p <= CPM_LMO_INVBETA; p++) {
                disturb_one(m, p, pair(m, i, j), p == CPM_LMO_L ? 0.06 : 0.03, random);
                m->value[p][pair(m, j, i)] = m->value[p][pair(m, i, j)];
                m->ci[p][pair(m, j, i)] = m->ci[p][pair(m, i, j)];
            }
    }
}

/* ---- diagnoses */

static cpm_diagnosis diagnose(const cpm_model *m)
{
    cpm_diagnosis d;
    cpm_error e = {0};
    cpm_doctor_options o = CPM_DOCTOR_DEFAULT;
    if (cpm_diagnose(m, NULL, &o, &d, &e))
        fail_msg("%s", e.text);
    return d;
}

static bool names_process(const cpm_diagnosis *d, cpm_symptom_kind kind, int p, int i, double times)
{
    for (int q = 0; q < d->count; q++)
        if (d->at[q].kind == kind && d->at[q].parameter == p && d->at[q].i == i &&
            fabs(d->at[q].times / times - 1) < 0.25)
            return true;
    return false;
}

static bool names_link(const cpm_diagnosis *d, int p, int i, int j, double times)
{
    for (int q = 0; q < d->count; q++)
        if (d->at[q].kind == CPM_LINK && d->at[q].parameter == p && d->at[q].i == i &&
            d->at[q].j == j && fabs(d->at[q].times / times - 1) < 0.25)
            return true;
    return false;
}

typedef struct {
    int far, busy, link, exact, healthy, trials;
} tally;

/* Found all three, and exactly these: the busy one by both of its parameters. */
static void count_found(tally *t, const cpm_diagnosis *d, const plan *f)
{
    bool far = names_process(d, CPM_LINKS, CPM_LMO_L, f->far, 3);
    bool c = names_process(d, CPM_OWN, CPM_LMO_C, f->busy, 2);
    bool both = c && names_process(d, CPM_OWN, CPM_LMO_T, f->busy, 2);
    bool link = names_link(d, CPM_LMO_INVBETA, f->from, f->to, 2);
    t->trials++;
    t->far += far;
    t->busy += c;
    t->link += link;
    t->exact += far && c && link && d->count == 3 + both;
}

static void print_tally(const char *what, const tally *t)
{
    print_message("%s: %d trials; far %d, busy %d, link %d, exactly these %d; healthy ones left "
                  "alone %d\n",
                  what, t->trials, t->far, t->busy, t->link, t->exact, t->healthy);
}

static void planted_faults_are_named_and_nothing_else(void **state)
{
    (void)state;
    tally t = {0};
    for (unsigned long seed = 1; seed <= TRIALS; seed++) {
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
        gsl_rng_set(random, seed);
        cpm_model *m = like_hosts(16, 0.03, random);
        plan f = plant(m, random);
        disturb(m, random);
        cpm_diagnosis d = diagnose(m);
        count_found(&t, &d, &f);
        cpm_diagnosis_clear(&d);
        cpm_model_free(m);
        gsl_rng_free(random);
    }
    print_tally("like hosts with faults", &t);
    assert_true(t.exact >= TRIALS * 95 / 100);
}

static int healthy_ones(cpm_model *(*make)(int n, gsl_rng *random), int n)
{
    int healthy = 0;
    for (unsigned long seed = 1; seed <= TRIALS; seed++) {
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
        gsl_rng_set(random, seed);
        cpm_model *m = make(n, random);
        disturb(m, random);
        cpm_diagnosis d = diagnose(m);
        healthy += d.count == 0;
        cpm_diagnosis_clear(&d);
        cpm_model_free(m);
        gsl_rng_free(random);
    }
    print_message("%d hosts: %d of %d healthy clusters left alone\n", n, healthy, TRIALS);
    return healthy;
}

static cpm_model *make_like(int n, gsl_rng *random)
{
    return like_hosts(n, 0.03, random);
}

static cpm_model *make_less_like(int n, gsl_rng *random)
{
    return like_hosts(n, 0.15, random);
}

static int min_of(int a, int b)
{
    return a < b ? a : b;
}

static void healthy_clusters_are_left_alone(void **state)
{
    (void)state;
    int worst = TRIALS;
    static const int sizes[] = {3, 4, 5, 6, 8, 16, 24};
    for (int q = 0; q < (int)(sizeof sizes / sizeof *sizes); q++) {
        worst = min_of(worst, healthy_ones(make_like, sizes[q]));
        worst = min_of(worst, healthy_ones(make_less_like, sizes[q]));
        worst = min_of(worst, healthy_ones(unlike_hosts, sizes[q]));
    }
    assert_true(worst >= TRIALS * 97 / 100);
}

/* ---- whole campaigns, with the laboratory's noise */

static int measure_into(const cpm_model *truth, unsigned long seed, const cpm_estimation *options,
                        cpm_measurements *out)
{
    cpm_machine *machine;
    const cpm_estimator *estimator;
    cpm_error e = {0};
    assert_int_equal(cpm_estimator_find("lmo", "joint", &estimator, &e), CPM_OK);
    assert_int_equal(cpm_synthetic_create(truth, 0.05, seed, &machine, &e), CPM_OK);
    cpm_estimator_context context = {estimator, options};
    cpm_campaign campaign = {.precision = CPM_PRECISION_DEFAULT};
    campaign.precision.min_reps = campaign.precision.max_reps = 20;
    int status = cpm_campaign_run(machine, cpm_estimator_planner, &context, &campaign, out, &e);
    machine->free(machine);
    return status;
}

/* Measures, fits and diagnoses. */
static cpm_diagnosis examine_cluster(const cpm_model *truth, unsigned long seed, cpm_model **fitted,
                                     cpm_measurements *results)
{
    const cpm_estimator *estimator;
    cpm_estimation options = CPM_ESTIMATION_DEFAULT;
    cpm_doctor_options o = CPM_DOCTOR_DEFAULT;
    cpm_diagnosis d;
    cpm_error e = {0};
    options.thresholds = false;
    assert_int_equal(cpm_estimator_find("lmo", "joint", &estimator, &e), CPM_OK);
    assert_int_equal(measure_into(truth, seed, &options, results), CPM_OK);
    if (cpm_estimate(estimator, &options, results, NULL, NULL, fitted, &e) ||
        cpm_diagnose(*fitted, results, &o, &d, &e))
        fail_msg("%s", e.text);
    return d;
}

static void planted_faults_are_found_through_noisy_measurements(void **state)
{
    (void)state;
    tally t = {0};
    for (unsigned long seed = 1; seed <= CAMPAIGNS; seed++) {
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
        gsl_rng_set(random, seed);
        for (int faulty = 0; faulty < 2; faulty++) {
            cpm_model *truth = like_hosts(16, 0.03, random), *fitted;
            plan f = {0};
            if (faulty)
                f = plant(truth, random);
            cpm_measurements results = {0};
            cpm_diagnosis d = examine_cluster(truth, seed, &fitted, &results);
            if (faulty)
                count_found(&t, &d, &f);
            else
                t.healthy += d.count == 0;
            cpm_diagnosis_clear(&d);
            cpm_measurements_clear(&results);
            cpm_model_free(fitted);
            cpm_model_free(truth);
        }
        gsl_rng_free(random);
    }
    print_tally("campaigns of 20 repetitions", &t);
    assert_true(t.exact >= CAMPAIGNS * 95 / 100);
    assert_true(t.healthy >= CAMPAIGNS * 95 / 100);
}

/* One experiment that went wrong from the first repetition to the last. */
static void an_experiment_that_does_not_fit_is_named(void **state)
{
    (void)state;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    cpm_model *truth = like_hosts(8, 0.03, random), *fitted;
    cpm_measurements results = {0};
    cpm_diagnosis d = examine_cluster(truth, 5, &fitted, &results);
    assert_int_equal(d.count, 0);
    cpm_diagnosis_clear(&d);
    int q = 0;
    while (results.at[q].what.kind != &cpm_experiment_kinds[CPM_TRAIN])
        q++;
    results.at[q].summary.median *= 3;
    results.at[q].summary.huber *= 3;
    cpm_doctor_options o = CPM_DOCTOR_DEFAULT;
    cpm_error e = {0};
    assert_int_equal(cpm_diagnose(fitted, &results, &o, &d, &e), CPM_OK);
    assert_int_equal(d.count, 1);
    assert_int_equal(d.at[0].kind, CPM_EXPERIMENT);
    assert_int_equal(d.at[0].i, q);
    assert_true(fabs(d.at[0].times / 3 - 1) < 0.1);
    cpm_diagnosis_clear(&d);
    cpm_measurements_clear(&results);
    cpm_model_free(fitted);
    cpm_model_free(truth);
    gsl_rng_free(random);
}

/* ---- shapes of clusters */

static void two_kinds_of_hosts_are_no_fault(void **state)
{
    (void)state;
    for (int slow = 5; slow <= 8; slow++) {
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
        cpm_model *m = like_hosts(16, 0.02, random);
        for (int i = 0; i < slow; i++)
            m->value[CPM_LMO_C][i] *= 2;
        disturb(m, random);
        cpm_diagnosis d = diagnose(m);
        assert_int_equal(d.count, 0);
        if (slow == 5)
            assert_non_null(strstr(
                d.notes, "processes are of 2 kinds in C: 11 of about 30 us, 5 of about 60 us"));
        cpm_diagnosis_clear(&d);
        cpm_model_free(m);
        gsl_rng_free(random);
    }
}

static void a_slow_host_among_two_kinds_is_named(void **state)
{
    (void)state;
    for (int others = 3; others <= 8; others++) {
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
        cpm_model *m = like_hosts(16, 0.02, random);
        for (int i = 0; i < others; i++)
            m->value[CPM_LMO_C][i] *= 1.5;
        m->value[CPM_LMO_C][11] *= 4;
        disturb(m, random);
        cpm_diagnosis d = diagnose(m);
        assert_int_equal(d.count, 1);
        assert_true(names_process(&d, CPM_OWN, CPM_LMO_C, 11, 4 / 1.5)); /* of the nearest kind */
        cpm_diagnosis_clear(&d);
        cpm_model_free(m);
        gsl_rng_free(random);
    }
}

/* 1.15 times one kind, 1.7 times the other: whether that is a fault depends on what it should be.
 */
static void of_a_host_between_two_kinds_health_cannot_be_told(void **state)
{
    (void)state;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    cpm_model *m = like_hosts(16, 0.002, random);
    for (int i = 0; i < 8; i++)
        m->value[CPM_LMO_C][i] *= 1.5;
    m->value[CPM_LMO_C][11] *= 1.5 * 1.15;
    cpm_diagnosis d = diagnose(m);
    assert_int_equal(d.count, 0);
    assert_int_equal(d.apart, 1);
    assert_false(cpm_diagnosis_could_tell(&d));
    assert_non_null(strstr(d.notes, ", process 11 of none (5"));
    cpm_diagnosis_clear(&d);
    cpm_model_free(m);
    gsl_rng_free(random);
}

static void two_racks_are_no_fault(void **state)
{
    (void)state;
    for (int first = 4; first <= 8; first++) {
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
        cpm_model *m = like_hosts(16, 0.02, random);
        for (int i = 0; i < first; i++)
            for (int j = first; j < 16; j++)
                set_both(m, CPM_LMO_L, i, j, 2 * m->value[CPM_LMO_L][pair(m, i, j)]);
        disturb(m, random);
        cpm_diagnosis d = diagnose(m);
        if (d.count)
            fail_msg("%d and %d hosts: %d symptoms", first, 16 - first, d.count);
        cpm_diagnosis_clear(&d);
        cpm_model_free(m);
        gsl_rng_free(random);
    }
}

/* Links inside a host are ten times as fast; a slow one between hosts is still seen. */
static void links_inside_a_host_are_compared_with_each_other(void **state)
{
    (void)state;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    cpm_model *m = like_hosts(16, 0.02, random);
    for (int i = 0; i < 16; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i / 2);
        assert_int_equal(cpm_model_set_host(m, i, name, NULL), CPM_OK);
        set_both(m, CPM_LMO_L, i, i ^ 1, 2.5e-6);
    }
    set_both(m, CPM_LMO_L, 3, 9, 75e-6);
    disturb(m, random);
    cpm_diagnosis d = diagnose(m);
    assert_int_equal(d.count, 1);
    assert_true(names_link(&d, CPM_LMO_L, 3, 9, 3));
    cpm_diagnosis_clear(&d);
    cpm_model_free(m);
    gsl_rng_free(random);
}

static void a_link_that_is_slow_one_way_is_asymmetric(void **state)
{
    (void)state;
    cpm_model *m;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    assert_int_equal(cpm_model_create(&cpm_hockney, 12, &m, NULL), CPM_OK);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            if (i != j) {
                m->value[CPM_HOCKNEY_ALPHA][pair(m, i, j)] =
                    50e-6 * exp(gsl_ran_gaussian(random, 0.03));
                m->value[CPM_HOCKNEY_BETA][pair(m, i, j)] =
                    10e-9 * exp(gsl_ran_gaussian(random, 0.03));
            }
    m->value[CPM_HOCKNEY_BETA][pair(m, 7, 2)] *= 2;
    cpm_diagnosis d = diagnose(m);
    int asymmetric = 0;
    for (int q = 0; q < d.count; q++) {
        assert_int_equal(d.at[q].parameter, CPM_HOCKNEY_BETA);
        if (d.at[q].kind != CPM_ASYMMETRY) {
            assert_int_equal(d.at[q].kind, CPM_LINK);
            continue;
        }
        asymmetric++;
        assert_int_equal(d.at[q].i, 7);
        assert_int_equal(d.at[q].j, 2);
        assert_true(d.at[q].times > 1.5);
    }
    assert_int_equal(asymmetric, 1);
    cpm_diagnosis_clear(&d);
    cpm_model_free(m);
    gsl_rng_free(random);
}

/* Hosts on a torus: one way of many links shares a wire with another pair of hosts. A link that is
 * slow both ways may do so, too. */
static void links_that_share_wires_are_no_fault(void **state)
{
    (void)state;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    cpm_model *m;
    assert_int_equal(cpm_model_create(&cpm_hockney, 12, &m, NULL), CPM_OK);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            if (i != j) {
                m->value[CPM_HOCKNEY_ALPHA][pair(m, i, j)] =
                    50e-6 * exp(gsl_ran_gaussian(random, 0.03));
                m->value[CPM_HOCKNEY_BETA][pair(m, i, j)] =
                    10e-9 * exp(gsl_ran_gaussian(random, 0.03));
            }
    set_both(m, CPM_HOCKNEY_BETA, 7, 2, 20e-9);
    cpm_diagnosis d = diagnose(m);
    assert_int_equal(d.count, 1);
    assert_true(names_link(&d, CPM_HOCKNEY_BETA, 2, 7, 2));
    cpm_diagnosis_clear(&d);
    for (int i = 0; i < 12; i++) {
        m->value[CPM_HOCKNEY_BETA][pair(m, i, (i + 1) % 12)] *= 1.4;
        m->value[CPM_HOCKNEY_BETA][pair(m, (i + 1) % 12, i)] /= 1.4;
    }
    d = diagnose(m);
    assert_int_equal(d.count, 0);
    assert_int_equal(d.withdrawn, 1);
    assert_false(cpm_diagnosis_could_tell(&d));
    cpm_diagnosis_clear(&d);
    cpm_model_free(m);
    gsl_rng_free(random);
}

/* ---- links inside the network */

/* Whether messages from i to j cross the link in question. */
typedef bool crossing(int i, int j);

/* Four switches of four hosts with two ways up, chosen by the destination: one of those of n4 to
 * n7. */
static bool crosses_tree(int i, int j)
{
    bool up = i / 4 == 1 && j / 4 != 1, down = i / 4 != 1 && j / 4 == 1;
    return (up || down) && j % 2 == 1;
}

static int steps(int from, int to, int *first)
{
    int ahead = (to - from + 4) % 4;
    *first = ahead <= 2 ? from : (from + 3) % 4;
    return ahead <= 2 ? ahead : 4 - ahead;
}

/* A torus of 4 x 4, first along rows: the link between n5 and n6. */
static bool crosses_torus(int i, int j)
{
    int first, count = steps(i % 4, j % 4, &first);
    bool ahead = (j - i + 4) % 4 <= 2;
    for (int k = 0; k < count && i / 4 == 1; k++)
        if ((ahead ? first + k : first + 4 - k) % 4 == 1)
            return true;
    return false;
}

/* Two sites. */
static bool crosses_sites(int i, int j)
{
    return i / 4 == 1 && j / 4 != 1;
}

static int hops(int i, int j)
{
    int first;
    return steps(i % 4, j % 4, &first) + steps(i / 4, j / 4, &first);
}

static bool both_ways(crossing *crosses, int i, int j)
{
    return crosses == crosses_sites ? crosses(i, j) || crosses(j, i) : crosses(i, j);
}

/* Hosts whose pairs take times as long a byte over that link. */
static cpm_model *linked_hosts(crossing *crosses, double times, gsl_rng *random)
{
    cpm_model *m;
    assert_int_equal(cpm_model_create(&cpm_hockney, 16, &m, NULL), CPM_OK);
    for (int i = 0; i < 16; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(cpm_model_set_host(m, i, name, NULL), CPM_OK);
        for (int j = 0; j < 16; j++) {
            if (i == j)
                continue;
            double slow = both_ways(crosses, i, j) ? times : 1, far = hops(i, j);
            m->value[CPM_HOCKNEY_ALPHA][pair(m, i, j)] = (3 + far) * 1e-6;
            m->value[CPM_HOCKNEY_BETA][pair(m, i, j)] = 10e-9 * slow;
            disturb_one(m, CPM_HOCKNEY_ALPHA, pair(m, i, j), 0.01, random);
            disturb_one(m, CPM_HOCKNEY_BETA, pair(m, i, j), 0.02, random);
        }
    }
    return m;
}

/* The same, with a model that knows the link and how slow it is. */
static cpm_model *known_link(crossing *crosses, double times, gsl_rng *random)
{
    cpm_model *like = linked_hosts(crosses, times, random), *m;
    cpm_links_draft draft = {.hosts = 16};
    cpm_links links = {0};
    int link = cpm_links_draft_name(&draft, "slow", NULL);
    assert_int_equal(cpm_model_create(&cpm_lmo2, 16, &m, NULL), CPM_OK);
    for (int i = 0; i < 16; i++) {
        assert_int_equal(cpm_model_set_host(m, i, like->hosts[i], NULL), CPM_OK);
        m->value[CPM_LMO2_GO][i] = m->value[CPM_LMO2_GI][i] = 10e-9;
        for (int j = 0; j < 16; j++) {
            size_t at = pair(m, i, j);
            m->value[CPM_LMO2_L][at] = like->value[CPM_HOCKNEY_ALPHA][at];
            m->value[CPM_LMO2_INVBETA][at] = like->value[CPM_HOCKNEY_BETA][at];
            if (i != j && crosses(i, j))
                assert_int_equal(cpm_links_draft_use(&draft, i, j, link, NULL), CPM_OK);
        }
    }
    assert_int_equal(cpm_links_draft_end(&draft, &links, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_links(m, &links, NULL), CPM_OK);
    m->value[CPM_LMO2_LINK][0] = 10e-9 * times;
    cpm_links_clear(&links);
    cpm_model_free(like);
    return m;
}

typedef cpm_model *maker(crossing *crosses, double times, gsl_rng *random);

/* In how many clusters exactly that link is named; hosts NULL: nothing. */
static int times_named(maker *make, crossing *crosses, double times, const char *hosts)
{
    int exact = 0;
    for (unsigned long seed = 1; seed <= TRIALS; seed++) {
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
        gsl_rng_set(random, seed);
        cpm_model *m = make(crosses, times, random);
        cpm_diagnosis d = diagnose(m);
        exact += hosts ? d.count == 1 && d.at[0].kind == CPM_INNER &&
                             fabs(d.at[0].times / times - 1) < 0.1 &&
                             strcmp(d.inner[d.at[0].i], hosts) == 0
                       : d.count == 0;
        cpm_diagnosis_clear(&d);
        cpm_model_free(m);
        gsl_rng_free(random);
    }
    return exact;
}

static void a_slow_link_inside_the_network_is_named_not_its_hosts(void **state)
{
    (void)state;
    assert_true(times_named(linked_hosts, crosses_tree, 3, "n4, n5, n6, n7") >= TRIALS * 95 / 100);
    assert_true(times_named(linked_hosts, crosses_torus, 3, "n5, n6") >= TRIALS * 95 / 100);
    assert_true(times_named(known_link, crosses_tree, 3, "n4, n5, n6, n7") >= TRIALS * 95 / 100);
    assert_true(times_named(known_link, crosses_torus, 3, "n5, n6") >= TRIALS * 95 / 100);
    assert_true(times_named(linked_hosts, crosses_tree, 1, NULL) >= TRIALS * 97 / 100);
    assert_true(times_named(linked_hosts, crosses_torus, 1, NULL) >= TRIALS * 97 / 100);
}

/* A site that all others reach more slowly, and that reaches them so, may be far away. */
static void sites_are_no_fault(void **state)
{
    (void)state;
    assert_true(times_named(linked_hosts, crosses_sites, 4, NULL) >= TRIALS * 97 / 100);
}

/* Hosts of a network of that shape, all of whose links are known: a message is later by each that
 * it crosses. */
static cpm_model *shaped_hosts(const char *shape, int n, gsl_rng *random)
{
    cpm_links links = {0};
    cpm_model *m;
    assert_int_equal(cpm_links_of_shape(shape, n, &links, NULL), CPM_OK);
    assert_int_equal(cpm_model_create(&cpm_lmo2, n, &m, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_links(m, &links, NULL), CPM_OK);
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(cpm_model_set_host(m, i, name, NULL), CPM_OK);
        m->value[CPM_LMO2_GO][i] = m->value[CPM_LMO2_GI][i] = 0.8e-9;
        for (int j = 0; j < i; j++) {
            int count;
            cpm_links_way(&links, i, j, &count);
            double late = (1 + count) * 1e-6 * exp(gsl_ran_gaussian(random, 0.01));
            set_both(m, CPM_LMO2_L, i, j, late);
            set_both(m, CPM_LMO2_INVBETA, i, j, 0.8e-9);
        }
    }
    for (int k = 0; k < links.count; k++)
        m->value[CPM_LMO2_LINK][k] = 0.8e-9;
    cpm_links_clear(&links);
    return m;
}

/* Hosts at the rim of a network are far from most others. */
static void a_place_in_a_network_is_no_fault(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        int hosts;
    } of[] = {{"dragonfly 5,1 1,1 4,1 1", 20}, {"dragonfly 3,1 1,1 4,1 2", 24}, {"torus 4x4", 16}};
    enum { SHAPES = sizeof of / sizeof *of };
    int healthy = 0, named = 0;
    for (unsigned long seed = 1; seed <= TRIALS; seed++) {
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
        gsl_rng_set(random, seed);
        int n = of[seed % SHAPES].hosts, far = (int)gsl_rng_uniform_int(random, (unsigned long)n);
        cpm_model *m = shaped_hosts(of[seed % SHAPES].shape, n, random);
        cpm_diagnosis d = diagnose(m);
        const cpm_comparison *latency = NULL;
        for (int c = 0; c < d.comparisons; c++)
            if (d.compared[c].kind == CPM_LINK && d.compared[c].parameter == CPM_LMO2_L)
                latency = &d.compared[c];
        healthy += d.count == 0 && latency && latency->spread < 0.05;
        cpm_diagnosis_clear(&d);
        for (int j = 0; j < n; j++)
            if (j != far)
                set_both(m, CPM_LMO2_L, far, j, 1.5 * m->value[CPM_LMO2_L][pair(m, far, j)]);
        d = diagnose(m);
        named += d.count == 1 && d.at[0].kind == CPM_LINKS && d.at[0].i == far;
        cpm_diagnosis_clear(&d);
        cpm_model_free(m);
        gsl_rng_free(random);
    }
    assert_true(healthy >= TRIALS * 97 / 100);
    assert_true(named >= TRIALS * 95 / 100);
}

/* Round trips of 64 KB of many pairs, eight at once, as long as the model says of all eight. */
static void measure_together(const cpm_model *m, gsl_rng *random, cpm_measurements *results)
{
    enum { N = 16, ROUNDS = 10 };
    results->n = N;
    for (int round = 1; round < ROUNDS; round++) {
        cpm_experiment x[N / 2];
        double seconds[N / 2];
        int count = 0;
        for (int i = 0; i < N; i++)
            if (i < (i ^ round))
                x[count++] = cpm_experiment_pair(CPM_ROUNDTRIP, i, i ^ round, 65536, 0);
        assert_int_equal(cpm_model_experiments(m, x, count, seconds, NULL), CPM_OK);
        for (int k = 0; k < count; k++) {
            double t = seconds[k] * exp(gsl_ran_gaussian(random, 0.01)), half = 0.01 * t;
            cpm_measurement r = {.what = x[k], .round = round};
            r.summary = (cpm_summary){.mean = t,
                                      .median = t,
                                      .min = t,
                                      .max = t,
                                      .ci_low = t - half,
                                      .ci_high = t + half,
                                      .reps = 10,
                                      .huber = t};
            assert_int_equal(cpm_measurements_add(results, &r, NULL), CPM_OK);
        }
    }
}

static int experiments_named(const cpm_model *m, const cpm_measurements *results)
{
    cpm_doctor_options o = CPM_DOCTOR_DEFAULT;
    cpm_diagnosis d;
    int named = 0;
    assert_int_equal(cpm_diagnose(m, results, &o, &d, NULL), CPM_OK);
    for (int q = 0; q < d.count; q++)
        named += d.at[q].kind == CPM_EXPERIMENT;
    cpm_diagnosis_clear(&d);
    return named;
}

/* Few messages of a round meet in the one link that is shared. */
static void what_company_slows_is_no_fault(void **state)
{
    (void)state;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    cpm_model *m = known_link(crosses_torus, 1, random);
    cpm_measurements results = {0};
    measure_together(m, random, &results);
    double alone;
    int slowed = 0;
    for (int k = 0; k < results.count; k++) {
        assert_int_equal(cpm_model_experiments(m, &results.at[k].what, 1, &alone, NULL), CPM_OK);
        slowed += results.at[k].summary.median > 1.5 * alone;
    }
    assert_true(slowed > 0);
    assert_int_equal(experiments_named(m, &results), 0);
    cpm_summary *slow = &results.at[5].summary;
    slow->min = slow->max = slow->mean = slow->median = slow->huber = 3 * slow->median;
    assert_int_equal(experiments_named(m, &results), 1);
    cpm_measurement again = results.at[5]; /* of another size, but alone */
    again.what.send_bytes = 1024;
    again.what.count = CPM_ALONE;
    assert_int_equal(cpm_measurements_add(&results, &again, NULL), CPM_OK);
    assert_int_equal(experiments_named(m, &results), 0);
    cpm_measurements_clear(&results);
    cpm_model_free(m);
    gsl_rng_free(random);
}

/* In how many of many clusters hosts i % groups are named as groups; latencies between them are so
 * many times those within. */
static int times_grouped(int groups, double across, const char *expected)
{
    int right = 0;
    for (unsigned long seed = 1; seed <= TRIALS; seed++) {
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
        gsl_rng_set(random, seed);
        cpm_model *m = like_hosts(16, 0.03, random);
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < i; j++)
                if (i % groups != j % groups)
                    set_both(m, CPM_LMO_L, i, j, across * m->value[CPM_LMO_L][pair(m, i, j)]);
        disturb(m, random);
        cpm_diagnosis d = diagnose(m);
        const char *said = d.notes ? strstr(d.notes, "groups of hosts") : NULL;
        right += d.count == 0 && (expected ? said && strstr(said, expected) : !said);
        cpm_diagnosis_clear(&d);
        cpm_model_free(m);
        gsl_rng_free(random);
    }
    return right;
}

static void groups_of_near_hosts_are_named(void **state)
{
    (void)state;
    const char *three = ": n0 n3 n6 n9 n12 n15; n1 n4 n7 n10 n13; n2 n5 n8 n11 n14";
    assert_true(times_grouped(3, 1.6, three) >= TRIALS * 95 / 100);
    assert_true(times_grouped(3, 50, three) >= TRIALS * 95 / 100);
    assert_true(times_grouped(2, 1, NULL) >= TRIALS * 97 / 100);
}

/* Many links are a little slower; one that is far slower than these stands out. */
static void a_link_stands_out_of_many(void **state)
{
    (void)state;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    cpm_model *m = like_hosts(16, 0.01, random);
    for (int i = 0; i < 12; i++)
        set_both(m, CPM_LMO_INVBETA, i, i + 2, 12.5e-9);
    set_both(m, CPM_LMO_INVBETA, 3, 9, 40e-9);
    cpm_diagnosis d = diagnose(m);
    assert_int_equal(d.withdrawn, 0);
    assert_int_equal(d.count, 1);
    assert_true(names_link(&d, CPM_LMO_INVBETA, 3, 9, 4));
    cpm_diagnosis_clear(&d);
    cpm_model_free(m);
    gsl_rng_free(random);
}

static void crowded_hosts_are_named(void **state)
{
    (void)state;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    cpm_model *m = like_hosts(6, 0.02, random);
    const char *const hosts[] = {"a", "a", "a", "b", "b", "c"};
    for (int i = 0; i < 6; i++)
        assert_int_equal(cpm_model_set_host(m, i, hosts[i], NULL), CPM_OK);
    assert_int_equal(
        cpm_metadata_set(&m->metadata, NULL, "binding", "%s", "0-1 0 1 0,4-5 0 unknown"), 0);
    cpm_diagnosis d = diagnose(m);
    assert_int_equal(d.count, 1);
    assert_int_equal(d.at[0].kind, CPM_CROWDED);
    assert_int_equal(d.at[0].i, 0);
    assert_int_equal(d.at[0].j, 3);
    assert_true(d.at[0].value == 2);
    cpm_diagnosis_clear(&d);
    cpm_model_free(m);
    gsl_rng_free(random);
}

static void values_of_0_are_not_compared(void **state)
{
    (void)state;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    cpm_model *m = like_hosts(8, 0.02, random);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++)
            set_both(m, CPM_LMO_INVBETA, i, j, i % 2 ? 0 : -1e-10);
    cpm_diagnosis d = diagnose(m);
    assert_int_equal(d.count, 0);
    assert_non_null(strstr(d.notes, "invbeta is not compared"));
    cpm_diagnosis_clear(&d);
    cpm_model_free(m);
    gsl_rng_free(random);
}

/* ---- what a fault of twice would be */

/* C and t of host 1 take so many times as long, of like hosts. */
static cpm_diagnosis diagnose_slow(int n, double times, unsigned long seed, cpm_model **m)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, seed);
    *m = like_hosts(n, 0.03, random);
    (*m)->value[CPM_LMO_C][1] *= times;
    (*m)->value[CPM_LMO_T][1] *= times;
    disturb(*m, random);
    gsl_rng_free(random);
    return diagnose(*m);
}

/* Of n hosts: how often exactly the slow one is named; never healthy. */
static int named_of_few(int n, double times)
{
    int exact = 0;
    for (unsigned long seed = 1; seed <= TRIALS; seed++) {
        cpm_model *m;
        cpm_diagnosis d = diagnose_slow(n, times, seed, &m);
        bool all = d.count > 0;
        for (int q = 0; q < d.count; q++)
            all &= d.at[q].kind == CPM_OWN && d.at[q].i == 1;
        exact += all;
        assert_true(all || (d.count == 0 && !cpm_diagnosis_could_tell(&d)));
        cpm_diagnosis_clear(&d);
        cpm_model_free(m);
    }
    print_message("%d hosts, one %g times as slow: named exactly %d of %d\n", n, times, exact,
                  TRIALS);
    return exact;
}

static void a_slow_host_of_few_is_named(void **state)
{
    (void)state;
    assert_true(named_of_few(4, 10) >= TRIALS * 95 / 100);
    assert_true(named_of_few(6, 3) >= TRIALS * 90 / 100);
    assert_true(named_of_few(16, 2) >= TRIALS * 95 / 100);
    assert_int_equal(named_of_few(4, 1.35), 0); /* may be another kind */
}

static void health_is_told_where_twice_would_be_found(void **state)
{
    (void)state;
    for (unsigned long seed = 1; seed <= TRIALS; seed++)
        for (int n = 4; n <= 16; n += 12) {
            cpm_model *m;
            cpm_diagnosis d = diagnose_slow(n, 1, seed, &m);
            assert_int_equal(d.count, 0);
            assert_int_equal(cpm_diagnosis_could_tell(&d), n == 16);
            cpm_diagnosis_clear(&d);
            cpm_model_free(m);
        }
}

static void assert_cannot_tell(cpm_model *m)
{
    cpm_diagnosis d = diagnose(m);
    assert_int_equal(d.count, 0);
    assert_false(cpm_diagnosis_could_tell(&d));
    cpm_diagnosis_clear(&d);
    cpm_model_free(m);
}

static cpm_model *sixteen(void)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    cpm_model *m = like_hosts(16, 0.03, random);
    disturb(m, random);
    gsl_rng_free(random);
    return m;
}

/* Wider intervals of a higher level say the same. */
static void intervals_are_of_the_level_that_the_model_says(void **state)
{
    (void)state;
    cpm_model *m = sixteen();
    cpm_diagnosis usual = diagnose(m);
    double wider = gsl_cdf_ugaussian_Pinv(0.995) / gsl_cdf_ugaussian_Pinv(0.975);
    for (int p = 0; p < m->type->count; p++)
        for (size_t at = 0; at < cpm_parameter_all_values(m, p); at++)
            m->ci[p][at] *= wider;
    cpm_diagnosis unsaid = diagnose(m);
    assert_int_equal(cpm_metadata_set(&m->metadata, NULL, CPM_METADATA_CONFIDENCE, "0.99"), CPM_OK);
    cpm_diagnosis said = diagnose(m);
    assert_int_equal(said.comparisons, usual.comparisons);
    for (int c = 0; c < said.comparisons; c++)
        assert_true(fabs(said.compared[c].error / usual.compared[c].error - 1) < 1e-9);
    assert_true(unsaid.compared[0].error > 1.3 * usual.compared[0].error);
    cpm_diagnosis_clear(&usual);
    cpm_diagnosis_clear(&unsaid);
    cpm_diagnosis_clear(&said);
    cpm_model_free(m);
}

static void what_is_not_known_is_not_healthy(void **state)
{
    (void)state;
    cpm_model *m = sixteen();
    for (int i = 0; i < 16; i++)
        m->value[CPM_LMO_C][i] = 0;
    assert_cannot_tell(m);
    m = sixteen();
    m->ci[CPM_LMO_C][3] = 1e30;
    assert_cannot_tell(m);
    m = sixteen();
    for (int i = 0; i < 16; i++)
        m->ci[CPM_LMO_T][i] = m->value[CPM_LMO_T][i];
    assert_cannot_tell(m);
    m = sixteen();
    for (int i = 0; i < 16; i++) {
        m->value[CPM_LMO_C][i] = 3e-5;
        m->ci[CPM_LMO_C][i] = NAN;
    }
    assert_cannot_tell(m);
}

/* Ends that explain nearly nothing explain no multiple of it, and who does not know the machine
 * blames nobody. */
static void a_model_that_is_contradicted_blames_nobody(void **state)
{
    (void)state;
    cpm_model *m = sixteen();
    set_both(m, CPM_LMO_L, 2, 7, 1e-4);
    cpm_diagnosis d = diagnose(m);
    assert_int_equal(d.count, 1);
    cpm_diagnosis_clear(&d);
    assert_int_equal(cpm_note(&m->notes, NULL,
                              "empty one-to-two experiments disagree with round trips by 9 %%: the "
                              "model is not one of this machine"),
                     CPM_OK);
    assert_cannot_tell(m);
    m = sixteen();
    for (int i = 0; i < 6; i++) /* zero, and known to be */
        for (int j = 0; j < i; j++) {
            set_both(m, CPM_LMO_L, i, j, 1e-15);
            m->ci[CPM_LMO_L][pair(m, i, j)] = m->ci[CPM_LMO_L][pair(m, j, i)] = 1e-18;
        }
    d = diagnose(m);
    assert_int_equal(d.count, 0);
    cpm_diagnosis_clear(&d);
    cpm_model_free(m);
}

static void what_is_fast_is_no_fault(void **state)
{
    (void)state;
    cpm_model *m;
    cpm_diagnosis d = diagnose_slow(16, 0.5, 1, &m);
    assert_int_equal(d.count, 0);
    assert_true(cpm_diagnosis_could_tell(&d));
    assert_non_null(strstr(d.notes, "1 of 16 processes is faster than the others in C ("));
    cpm_diagnosis_clear(&d);
    cpm_model_free(m);
}

/* ---- hosts with several processes */

/* So many with four processes each, which differ by a few per cent. */
static cpm_model *like_hosts_of_four(int hosts, gsl_rng *random)
{
    int host[4 * MOST_HOSTS];
    for (int i = 0; i < 4 * hosts; i++)
        host[i] = i / 4;
    cpm_model *m = hosts_model(host, 4 * hosts, 1);
    for (int p = 0; p < m->type->count; p++) {
        size_t count = cpm_parameter_values(m, p);
        for (int k = 0; k < cpm_parameter_slices(m, p) && m->type->parameters[p].shape; k++) {
            double *value = m->value[p] + (size_t)k * count;
            double usual = count > 1 ? value[1] : value[0]; /* of a pair: 0 to 1 */
            for (size_t at = 0; at < count; at++)
                if (value[at] > 0)
                    value[at] = usual * exp(gsl_ran_gaussian(random, 0.03));
        }
    }
    return m;
}

static void set_overheads(cpm_model *m, int slow, gsl_rng *random)
{
    char text[1024] = "";
    for (int i = 0; i < m->n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.4g", i ? " " : "",
                 i % 4 == 0 && i != slow
                     ? 1
                     : (i == slow ? 2 : 1) * exp(gsl_ran_gaussian(random, 0.01)));
    assert_int_equal(cpm_metadata_set(&m->metadata, NULL, CPM_METADATA_OVERHEADS, "%s", text),
                     CPM_OK);
}

static bool names_host(const cpm_diagnosis *d, int p, int host)
{
    for (int q = 0; q < d->count; q++)
        if (d->at[q].kind == CPM_OWN && d->at[q].parameter == p && d->at[q].i == host)
            return true;
    return false;
}

static void a_host_whose_memory_is_slow_is_named(void **state)
{
    (void)state;
    int exact = 0, healthy = 0;
    for (unsigned long seed = 1; seed <= TRIALS; seed++) {
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
        gsl_rng_set(random, seed);
        cpm_model *m = like_hosts_of_four(8, random);
        cpm_diagnosis d = diagnose(m);
        assert_int_equal(d.model->n, 8);
        assert_true(cpm_diagnosis_of_hosts(&d) && cpm_diagnosis_could_tell(&d));
        healthy += d.count == 0;
        cpm_diagnosis_clear(&d);
        m->value[CPM_LMO2_MEMORY][5] *= 2;
        d = diagnose(m);
        exact += d.count == 1 && names_host(&d, CPM_LMO2_MEMORY, 5);
        cpm_diagnosis_clear(&d);
        cpm_model_free(m);
        gsl_rng_free(random);
    }
    print_message("8 hosts of 4: memory named exactly %d, healthy %d of %d\n", exact, healthy,
                  TRIALS);
    assert_true(exact >= TRIALS * 95 / 100);
    assert_true(healthy >= TRIALS * 97 / 100);
}

/* Its host's overheads were measured with it. Of 8 hosts one that is 1.5 times as slow could be the
 * only one of its kind; of 16 it is a fault. */
static void a_slow_process_is_named_instead_of_its_host(void **state)
{
    (void)state;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    cpm_model *m = like_hosts_of_four(16, random);
    m->value[CPM_LMO2_INSIDE_CS][3] *= 1.5;
    set_overheads(m, -1, random);
    cpm_diagnosis d = diagnose(m);
    assert_int_equal(d.count, 1);
    assert_true(names_host(&d, CPM_LMO2_INSIDE_CS, 3));
    cpm_diagnosis_clear(&d);
    set_overheads(m, 12, random);
    d = diagnose(m);
    assert_int_equal(d.count, 1);
    assert_int_equal(d.at[0].kind, CPM_UNLIKE);
    assert_int_equal(d.at[0].i, 12);
    cpm_diagnosis_clear(&d);
    cpm_model_free(m);
    gsl_rng_free(random);
}

/* Two of eight with twice the overheads: one of them because of the process that speaks for it. */
static void a_slow_host_is_named_beside_a_slow_speaker(void **state)
{
    (void)state;
    static const int overheads[] = {CPM_LMO2_CS, CPM_LMO2_TS, CPM_LMO2_CR, CPM_LMO2_TR};
    int exact = 0;
    for (unsigned long seed = 1; seed <= TRIALS; seed++) {
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
        gsl_rng_set(random, seed);
        cpm_model *m = like_hosts_of_four(8, random);
        for (size_t k = 0; k < sizeof overheads / sizeof *overheads; k++)
            for (int slice = 0; slice < cpm_parameter_slices(m, overheads[k]); slice++) {
                m->value[overheads[k]][8 * slice + 2] *= 2;
                m->value[overheads[k]][8 * slice + 5] *= 2;
            }
        set_overheads(m, 8, random);
        cpm_diagnosis d = diagnose(m);
        exact += names_host(&d, CPM_LMO2_CS, 5) && !names_host(&d, CPM_LMO2_CS, 2) &&
                 d.at[0].kind == CPM_UNLIKE && d.at[0].i == 8;
        cpm_diagnosis_clear(&d);
        cpm_model_free(m);
        gsl_rng_free(random);
    }
    assert_true(exact >= TRIALS * 95 / 100);
}

static void of_two_hosts_nothing_can_be_told(void **state)
{
    (void)state;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    cpm_model *m = like_hosts_of_four(2, random);
    m->value[CPM_LMO2_MEMORY][1] *= 5;
    cpm_diagnosis d = diagnose(m);
    assert_int_equal(d.count, 0);
    assert_false(cpm_diagnosis_could_tell(&d));
    cpm_diagnosis_clear(&d);
    cpm_model_free(m);
    gsl_rng_free(random);
}

/* A message is no faster than the slower of two link ends, so two fast hosts have a fast link. */
static void links_are_what_their_ends_let_through(void **state)
{
    (void)state;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    for (int trial = 0; trial < TRIALS; trial++) {
        cpm_model *m = like_hosts_of_four(8, random);
        for (int h = 0; h < 8; h++)
            m->value[CPM_LMO2_GO][h] = m->value[CPM_LMO2_GI][h] = gsl_ran_flat(random, 5e-9, 13e-9);
        for (int q = 0; q < 3 * 64; q++) {
            int i = q % 64 / 8, j = q % 8;
            double least = fmax(m->value[CPM_LMO2_GO][i], m->value[CPM_LMO2_GI][j]);
            if (i != j)
                m->value[CPM_LMO2_INVBETA][q] = least * exp(gsl_ran_gaussian(random, 0.01));
        }
        cpm_diagnosis d = diagnose(m);
        if (d.count)
            fail_msg("trial %d: %d found, the first of kind %d", trial, d.count, (int)d.at[0].kind);
        cpm_diagnosis_clear(&d);
        cpm_model_free(m);
    }
    gsl_rng_free(random);
}

/* ---- switches */

enum { AT_SWITCHES = 12 }; /* hosts */

/* Such hosts, host h at switch on[h]; trunks take seconds[u] a byte, but for a few per cent. */
static cpm_model *hosts_at(const int *on, const double *seconds, int switches, gsl_rng *random)
{
    static const char *const name[] = {"a", "b", "c", "d"};
    int of[4 * AT_SWITCHES];
    cpm_classes classes;
    cpm_model *m = like_hosts_of_four(AT_SWITCHES, random);
    for (int i = 0; i < m->n; i++)
        of[i] = on[i / 4];
    assert_int_equal(cpm_classes_create(m->n, of, switches, name, &classes, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_switches(m, &classes, NULL), CPM_OK);
    cpm_classes_clear(&classes);
    for (int u = 0; u < switches; u++)
        m->value[CPM_LMO2_UP][u] = m->value[CPM_LMO2_DOWN][u] =
            seconds[u] * exp(gsl_ran_gaussian(random, 0.03));
    return m;
}

static bool names_trunk(const cpm_diagnosis *d, cpm_symptom_kind kind, int p, int u)
{
    for (int q = 0; q < d->count; q++)
        if (d->at[q].kind == kind && d->at[q].parameter == p && d->at[q].i == u)
            return true;
    return false;
}

/* How many of many diagnoses name so many trunks of switch u, and nothing else. */
static int named_of_switch(const int *on, const double *seconds, int switches, int slow, int ways)
{
    int exact = 0;
    for (unsigned long seed = 1; seed <= TRIALS; seed++) {
        gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
        gsl_rng_set(random, seed);
        cpm_model *m = hosts_at(on, seconds, switches, random);
        if (ways == 1)
            m->value[CPM_LMO2_DOWN][slow] /= 2;
        cpm_diagnosis d = diagnose(m);
        exact += d.count == ways && (ways < 1 || names_trunk(&d, CPM_TRUNK, CPM_LMO2_UP, slow)) &&
                 (ways < 2 || names_trunk(&d, CPM_TRUNK, CPM_LMO2_DOWN, slow));
        cpm_diagnosis_clear(&d);
        cpm_model_free(m);
        gsl_rng_free(random);
    }
    return exact;
}

static const int fours[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};

static void a_slow_trunk_is_named(void **state)
{
    (void)state;
    const double slow[] = {4e-9, 4e-9, 8e-9, 4e-9}, alike[] = {4e-9, 4e-9, 4e-9, 4e-9};
    int both = named_of_switch(fours, slow, 4, 2, 2), one = named_of_switch(fours, slow, 4, 2, 1);
    int healthy = named_of_switch(fours, alike, 4, -1, 0);
    print_message("4 switches: a trunk named exactly %d, one way %d, healthy %d of %d\n", both, one,
                  healthy, TRIALS);
    assert_true(both >= TRIALS * 95 / 100);
    assert_true(one >= TRIALS * 95 / 100);
    assert_true(healthy >= TRIALS * 97 / 100);
}

/* Three of four trunks were not seen to be shared: they carry whatever their hosts send. */
static void a_trunk_that_is_shared_where_others_are_not_is_named(void **state)
{
    (void)state;
    const double seconds[] = {NAN, NAN, 12e-9, NAN};
    assert_true(named_of_switch(fours, seconds, 4, 2, 2) >= TRIALS * 95 / 100);
}

/* Two hosts need half as much as four. Two other switches do not always show how much trunks
 * differ. */
static void a_trunk_of_few_hosts_is_no_fault(void **state)
{
    (void)state;
    const int on[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2},
              few[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2};
    const double seconds[] = {1.6e-9, 1.6e-9, 4e-9};
    assert_int_equal(named_of_switch(few, seconds, 3, 2, 0), TRIALS);
    assert_true(named_of_switch(on, seconds, 3, 2, 2) >= TRIALS * 90 / 100);
}

static void of_two_switches_the_slower_way_is_named(void **state)
{
    (void)state;
    const int on[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
    const double alike[] = {4e-9, 4e-9};
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    cpm_model *m = hosts_at(on, alike, 2, random);
    cpm_diagnosis d = diagnose(m);
    assert_int_equal(d.count, 0);
    assert_non_null(strstr(d.notes, "Whether both directions are slow cannot be told"));
    cpm_diagnosis_clear(&d);
    m->value[CPM_LMO2_DOWN][0] *= 2;
    d = diagnose(m);
    assert_int_equal(d.count, 1);
    assert_true(names_trunk(&d, CPM_TRUNK_WAYS, CPM_LMO2_UP, 1));
    cpm_diagnosis_clear(&d);
    cpm_model_free(m);
    gsl_rng_free(random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_faults_are_named_and_nothing_else),
        cmocka_unit_test(healthy_clusters_are_left_alone),
        cmocka_unit_test(planted_faults_are_found_through_noisy_measurements),
        cmocka_unit_test(an_experiment_that_does_not_fit_is_named),
        cmocka_unit_test(two_kinds_of_hosts_are_no_fault),
        cmocka_unit_test(a_slow_host_among_two_kinds_is_named),
        cmocka_unit_test(of_a_host_between_two_kinds_health_cannot_be_told),
        cmocka_unit_test(two_racks_are_no_fault),
        cmocka_unit_test(links_inside_a_host_are_compared_with_each_other),
        cmocka_unit_test(a_link_that_is_slow_one_way_is_asymmetric),
        cmocka_unit_test(links_that_share_wires_are_no_fault),
        cmocka_unit_test(a_link_stands_out_of_many),
        cmocka_unit_test(crowded_hosts_are_named),
        cmocka_unit_test(values_of_0_are_not_compared),
        cmocka_unit_test(a_slow_host_of_few_is_named),
        cmocka_unit_test(health_is_told_where_twice_would_be_found),
        cmocka_unit_test(intervals_are_of_the_level_that_the_model_says),
        cmocka_unit_test(what_is_not_known_is_not_healthy),
        cmocka_unit_test(a_model_that_is_contradicted_blames_nobody),
        cmocka_unit_test(what_is_fast_is_no_fault),
        cmocka_unit_test(a_host_whose_memory_is_slow_is_named),
        cmocka_unit_test(a_slow_process_is_named_instead_of_its_host),
        cmocka_unit_test(a_slow_host_is_named_beside_a_slow_speaker),
        cmocka_unit_test(of_two_hosts_nothing_can_be_told),
        cmocka_unit_test(links_are_what_their_ends_let_through),
        cmocka_unit_test(a_slow_link_inside_the_network_is_named_not_its_hosts),
        cmocka_unit_test(sites_are_no_fault),
        cmocka_unit_test(a_place_in_a_network_is_no_fault),
        cmocka_unit_test(what_company_slows_is_no_fault),
        cmocka_unit_test(groups_of_near_hosts_are_named),
        cmocka_unit_test(a_slow_trunk_is_named),
        cmocka_unit_test(a_trunk_that_is_shared_where_others_are_not_is_named),
        cmocka_unit_test(a_trunk_of_few_hosts_is_no_fault),
        cmocka_unit_test(of_two_switches_the_slower_way_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
