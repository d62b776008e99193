/* S, M1 and M2 out of sweeps in which they are known, measured on a machine that is made to leap
 * and to escalate. Without R or strucchange these tests are skipped. */
#include "measured.h"

#include <locale.h>

#include "estimators/strucchange.h"
#include "estimators/sweep.h"
#include "estimators/thresholds.h"

enum { KIB = 1024, N = 5 };

/* ---- structural change */

/* First of all tests: R is not started yet. */
static void a_wrong_home_of_R_is_an_error_and_not_the_end(void **state)
{
    (void)state;
    double x[20], y[20];
    int at[3], breaks = -1;
    cpm_error e = {0};
    const char *home = getenv("R_HOME");
    char *before = home ? strdup(home) : NULL;
    for (int i = 0; i < 20; i++)
        x[i] = y[i] = i + 1;
    setenv("R_HOME", "/nonexistent", 1);
    assert_int_equal(cpm_breakpoints(x, y, 20, 3, at, &breaks, &e), CPM_ER);
    assert_non_null(strstr(e.text, "--no-thresholds"));
    assert_int_equal(breaks, -1);
    if (before)
        setenv("R_HOME", before, 1);
    else
        unsetenv("R_HOME");
    free(before);
}

static void a_missing_module_is_an_error_that_says_what_to_install(void **state)
{
    (void)state;
    double x[20] = {0};
    int at[3], breaks;
    cpm_error e = {0};
    const char *module = getenv("CPM_R_MODULE");
    char *before = module ? strdup(module) : NULL;
    setenv("CPM_R_MODULE", "/nonexistent/cpm-r.so", 1);
    assert_int_equal(cpm_breakpoints(x, x, 20, 3, at, &breaks, &e), CPM_ER);
    assert_non_null(strstr(e.text, "r-cran-strucchange"));
    if (before)
        setenv("CPM_R_MODULE", before, 1);
    else
        unsetenv("CPM_R_MODULE");
    free(before);
}

static void few_points_have_no_structure(void **state)
{
    (void)state;
    double x[9] = {0};
    int at[3], breaks;
    assert_int_equal(cpm_breakpoints(x, x, 9, 3, at, &breaks, NULL), CPM_EDATA);
}

/* AddressSanitizer takes over xdrmem_create but finds none to call: libtirpc comes with libR, long
 * after the program's start. R would jump to address 0. */
#ifdef __SANITIZE_ADDRESS__
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

static void skip_without_R(void)
{
    if (sanitized && !getenv("CPM_TEST_R")) {
        print_message("skipped: R does not run under AddressSanitizer\n");
        skip();
    }
    double x[20], y[20];
    int at[3], breaks;
    cpm_error e = {0};
    for (int i = 0; i < 20; i++) {
        x[i] = i + 1;
        y[i] = 5 + i + 0.01 * (i % 3);
    }
    if (cpm_breakpoints(x, y, 20, 3, at, &breaks, &e) != CPM_ER)
        return;
    print_message("skipped: %s\n", e.text);
    skip();
}

static void breaks_are_found_where_the_line_breaks(void **state)
{
    (void)state;
    skip_without_R();
    double x[60], y[60];
    int at[4], breaks;
    unsigned random = 1;
    for (int i = 0; i < 60; i++) {
        x[i] = 100 * (i + 1);
        y[i] = (i < 20   ? 10 + x[i] / 100
                : i < 45 ? 60 + x[i] / 100
                         : 20 + x[i] / 20) *
               random_between(&random, 0.99, 1.01);
    }
    assert_int_equal(cpm_breakpoints(x, y, 60, 4, at, &breaks, NULL), CPM_OK);
    assert_int_equal(breaks, 2);
    assert_int_equal(at[0], 19);
    assert_int_equal(at[1], 44);
}

/* R would set the user's locale for the whole process: sorting, messages and characters of its
 * caller are not its business. Must come before the other tests that need R: it starts only once.
 */
static void starting_R_leaves_the_locale_alone(void **state)
{
    (void)state;
    const char *user = getenv("LC_ALL");
    char *before = user ? strdup(user) : NULL;
    setenv("LC_ALL", "C.UTF-8", 1);
    skip_without_R();
    assert_string_equal(setlocale(LC_ALL, NULL), "C");
    if (before)
        setenv("LC_ALL", before, 1);
    else
        unsetenv("LC_ALL");
    free(before);
}

/* ---- a machine that leaps and escalates */

typedef struct {
    double leap;        /* scatter takes that many times as long from leap_from on */
    size_t leap_from;   /* bytes */
    double escalation;  /* one in four of gather's times, in [from, until) */
    size_t from, until; /* bytes */
} irregular;

typedef struct {
    cpm_machine machine; /* first, so that a pointer to it is one to this */
    cpm_machine *regular;
    irregular is;
} irregular_machine;

static bool is_operation(const cpm_experiment *x, const char *name)
{
    return x->collective.operation && strcmp(x->collective.operation->name, name) == 0;
}

static void disturb(const irregular *is, cpm_measurement *r, const cpm_precision *p)
{
    size_t bytes = r->what.send_bytes;
    for (int s = 0; s < r->summary.reps; s++) {
        if (is_operation(&r->what, "scatter") && is->leap > 0 && bytes >= is->leap_from)
            r->samples[s] *= is->leap;
        if (is_operation(&r->what, "gather") && bytes >= is->from && bytes < is->until &&
            s % 4 == 0)
            r->samples[s] *= is->escalation;
    }
    assert_int_equal(cpm_summarize(r->samples, r->summary.reps, p, &r->summary, NULL), CPM_OK);
}

static int measure_irregular(cpm_machine *m, const cpm_experiment *x, int count,
                             const cpm_precision *p, cpm_measurement *results, cpm_error *e)
{
    irregular_machine *self = (irregular_machine *)m;
    int status = self->regular->measure(self->regular, x, count, p, results, e);
    for (int q = 0; q < count && !status; q++)
        disturb(&self->is, &results[q], p);
    return status;
}

static int broadcast_nothing(cpm_machine *m, void *data, size_t bytes, cpm_error *e)
{
    (void)m, (void)data, (void)bytes, (void)e;
    return CPM_OK;
}

static int agree_with_oneself(cpm_machine *m, int status, cpm_error *e)
{
    (void)m, (void)e;
    return status;
}

static double regular_now(cpm_machine *m)
{
    irregular_machine *self = (irregular_machine *)m;
    return self->regular->now(self->regular);
}

static int describe_regular(cpm_machine *m, cpm_metadata *metadata, cpm_error *e)
{
    irregular_machine *self = (irregular_machine *)m;
    return self->regular->describe(self->regular, metadata, e);
}

static int describe_one_host(cpm_machine *m, cpm_metadata *metadata, cpm_error *e)
{
    (void)m;
    int status = cpm_metadata_set(metadata, e, "layout", "%s", "hosts");
    return status ? status : cpm_metadata_set(metadata, e, "hosts", "%s", "h h h h h");
}

/* The thresholds that are found on a random machine, and how many experiments that took. */
static cpm_model *found_on(unsigned machine_seed, unsigned long noise_seed, irregular is,
                           double noise, bool one_host, int *experiments)
{
    cpm_model *truth = random_lmo(N, machine_seed);
    cpm_estimation options = CPM_ESTIMATION_DEFAULT;
    const cpm_estimator *estimator = estimator_of("lmo", "joint");
    cpm_estimator_context context = {estimator, &options};
    cpm_campaign campaign = {.precision = {20, 20, 0.95, 0.025, CPM_MEDIAN, 0}};
    irregular_machine machine = {{N, 0, measure_irregular, broadcast_nothing, agree_with_oneself,
                                  regular_now, one_host ? describe_one_host : describe_regular,
                                  NULL, NULL, NULL},
                                 NULL,
                                 is};
    cpm_measurements m = {0};
    cpm_error e = {0};
    assert_int_equal(cpm_synthetic_create(truth, noise, noise_seed, &machine.regular, NULL),
                     CPM_OK);
    if (cpm_campaign_run(&machine.machine, cpm_estimator_planner, &context, &campaign, &m, &e))
        fail_msg("%s", e.text);
    *experiments = m.count;
    cpm_model *model = fitted(estimator, &options, &m);
    cpm_measurements_clear(&m);
    machine.regular->free(machine.regular);
    cpm_model_free(truth);
    return model;
}

static cpm_model *found(irregular is, double noise, int *experiments)
{
    return found_on(3, 2, is, noise, false, experiments);
}

static cpm_model *found_in_draw(irregular is, double noise, unsigned draw)
{
    int experiments;
    return found_on(draw + 3, 1000 + draw, is, noise, false, &experiments);
}

static double threshold(const cpm_model *m, int p)
{
    return m->value[p][0];
}

/* S is the first size that leaps, refined to a sixteenth. */
static void a_leap_of_scatter_is_S(void **state)
{
    (void)state;
    skip_without_R();
    for (int noisy = 0; noisy < 2; noisy++) {
        int experiments;
        cpm_model *m =
            found((irregular){.leap = 1.4, .leap_from = 64 * KIB}, noisy ? 0.05 : 0, &experiments);
        double S = threshold(m, CPM_LMO_S);
        if (!(S >= 64 * KIB && S <= 69 * KIB))
            fail_msg("S = %g bytes:\n%s", S, m->notes);
        assert_true(isnan(threshold(m, CPM_LMO_M1)) && isnan(threshold(m, CPM_LMO_M2)));
        assert_non_null(strstr(m->notes, "leaps by"));
        cpm_model_free(m);
    }
}

/* M1 is refined to 1 KiB, M2 to a sixteenth. */
static void escalations_of_gather_lie_between_M1_and_M2(void **state)
{
    (void)state;
    skip_without_R();
    for (int noisy = 0; noisy < 2; noisy++) {
        int experiments;
        irregular is = {.escalation = 60, .from = 5 * KIB, .until = 64 * KIB};
        cpm_model *m = found(is, noisy ? 0.05 : 0, &experiments);
        double M1 = threshold(m, CPM_LMO_M1), M2 = threshold(m, CPM_LMO_M2);
        if (!(M1 >= 4 * KIB && M1 <= 6 * KIB && M2 >= 64 * KIB && M2 <= 73 * KIB))
            fail_msg("M1 = %g, M2 = %g bytes:\n%s", M1, M2, m->notes);
        assert_true(isnan(threshold(m, CPM_LMO_S)));
        cpm_model_free(m);
    }
}

/* Just above M1 one gather of twenty escalates: the mean is only four times the least. */
static void rare_escalations_belong_to_the_region(void **state)
{
    (void)state;
    double bytes[] = {1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000},
           least[] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, mean[] = {1, 1, 4, 1, 4, 30, 30, 30, 1},
           most[] = {1, 3, 60, 3, 60, 60, 60, 60, 1};
    int first, last, reps[] = {20, 20, 20, 20, 20, 20, 20, 20, 20};
    cpm_sweep s = {bytes, mean, mean, least, most, reps, 9};
    assert_true(cpm_sweep_region(&s, &first, &last));
    assert_int_equal(first, 2);
    assert_int_equal(last, 7);
    most[2] = most[4] = 3; /* noise */
    assert_true(cpm_sweep_region(&s, &first, &last));
    assert_int_equal(first, 5);
}

/* Ten repetitions of gathers over TCP, 6 hosts: in some sizes three escalate, by 45 ms or by 250,
 * in one none does, and at the end they take a tenth of an escalation anyway. */
static void few_repetitions_show_the_region(void **state)
{
    (void)state;
    double bytes[] = {7282, 11378, 13881, 16384, 17863, 22301, 36864, 55069, 62919, 65536};
    double least[] = {1.2, 1.9, 2.6, 3.1, 3.5, 4.3, 7.5, 11.3, 44.8, 14.5};
    double mean[] = {1.3, 3.0, 6.9, 44.3, 3.5, 14.0, 47.3, 96.0, 125, 14.8};
    double most[] = {1.4, 10.6, 40.2, 206.8, 3.6, 51.4, 219.2, 256.0, 261.8, 15.8};
    int first, last, reps[] = {10, 10, 9, 10, 5, 10, 10, 10, 10, 10};
    cpm_sweep s = {bytes, mean, mean, least, most, reps, 10};
    assert_true(cpm_sweep_region(&s, &first, &last));
    assert_int_equal(first, 2);
    assert_int_equal(last, 8);
}

static void a_region_that_does_not_end_has_no_M2(void **state)
{
    (void)state;
    skip_without_R();
    int experiments;
    irregular is = {.escalation = 60, .from = 30 * KIB, .until = SIZE_MAX};
    cpm_model *m = found(is, 0, &experiments);
    double M1 = threshold(m, CPM_LMO_M1);
    assert_true(M1 >= 29 * KIB && M1 <= 31 * KIB);
    assert_true(isnan(threshold(m, CPM_LMO_M2)));
    assert_non_null(strstr(m->notes, "M2 is left out"));
    cpm_model_free(m);
}

static void a_straight_line_has_no_thresholds(void **state)
{
    (void)state;
    skip_without_R();
    for (int noisy = 0; noisy < 2; noisy++) {
        int experiments;
        cpm_model *m = found((irregular){0}, noisy ? 0.05 : 0, &experiments);
        for (int p = CPM_LMO_S; p <= CPM_LMO_M2; p++)
            if (!isnan(threshold(m, p)))
                fail_msg("%s = %g:\n%s", cpm_lmo.parameters[p].name, threshold(m, p), m->notes);
        assert_non_null(strstr(m->notes, "S is left out"));
        assert_non_null(strstr(m->notes, "M1 and M2 are left out"));
        cpm_model_free(m);
    }
}

/* Noise makes breaks, most of them near an end, where few points are left to judge the noise by.
 * With 60 draws of 20 repetitions a rule that takes one in thirty of them for a leap fails. */
static void noise_is_not_taken_for_a_leap_in_any_of_60_draws(void **state)
{
    (void)state;
    skip_without_R();
    for (unsigned draw = 0; draw < 60; draw++) {
        cpm_model *m = found_in_draw((irregular){0}, 0.05, draw);
        if (!isnan(threshold(m, CPM_LMO_S)))
            fail_msg("draw %u:\n%s", draw, m->notes);
        cpm_model_free(m);
    }
}

/* The median of 20 repetitions scatters by 1.4 %: a leap of 12 % must not be lost in that. Sizes
 * are a sixteenth apart there; noise may move the break by one. */
static void a_leap_eight_times_the_noise_is_found_in_all_of_20_draws(void **state)
{
    (void)state;
    skip_without_R();
    irregular is = {.leap = 1.12, .leap_from = 64 * KIB};
    for (unsigned draw = 0; draw < 20; draw++) {
        cpm_model *m = found_in_draw(is, 0.05, draw);
        double S = threshold(m, CPM_LMO_S);
        if (!(S >= 60 * KIB && S <= 74 * KIB))
            fail_msg("draw %u: S = %g bytes:\n%s", draw, S, m->notes);
        cpm_model_free(m);
    }
}

/* 37 to 45 KiB lie between two sizes of the first sweep but for one. */
static void a_short_region_is_seen(void **state)
{
    (void)state;
    skip_without_R();
    int experiments;
    irregular is = {.escalation = 60, .from = 37 * KIB, .until = 47 * KIB};
    cpm_model *m = found(is, 0, &experiments);
    double M1 = threshold(m, CPM_LMO_M1), M2 = threshold(m, CPM_LMO_M2);
    if (!(M1 >= 36 * KIB && M1 <= 38 * KIB && M2 >= 47 * KIB && M2 <= 50 * KIB))
        fail_msg("M1 = %g, M2 = %g bytes:\n%s", M1, M2, m->notes);
    cpm_model_free(m);
}

static void only_escalations_are_refined(void **state)
{
    (void)state;
    skip_without_R();
    int straight, escalating;
    cpm_model_free(found((irregular){0}, 0, &straight));
    irregular is = {.escalation = 60, .from = 100 * KIB, .until = 200 * KIB};
    cpm_model_free(found(is, 0, &escalating));
    /* 13 KiB are halved down to 1 below M1, and 18 to a sixteenth of M2 below that. */
    assert_int_equal(escalating, straight + 5);
}

static void nothing_is_looked_for_among_processes_of_one_host(void **state)
{
    (void)state;
    int experiments;
    irregular is = {.escalation = 60, .from = 5 * KIB, .until = 64 * KIB};
    cpm_model *m = found_on(3, 2, is, 0, true, &experiments);
    assert_in_range(experiments, 1, 100);
    assert_true(isnan(threshold(m, CPM_LMO_M1)));
    assert_non_null(strstr(m->notes, "on one host"));
    cpm_model_free(m);
}

static void without_sweeps_thresholds_are_left_out(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo(3, 3);
    cpm_estimation options = without_thresholds();
    const cpm_estimator *estimator = estimator_of("lmo", NULL);
    cpm_measurements m = measured(estimator, &options, truth, 0, 1, 1);
    options.thresholds = true;
    cpm_model *model = fitted(estimator, &options, &m);
    assert_true(isnan(threshold(model, CPM_LMO_S)));
    assert_non_null(strstr(model->notes, "no sweeps"));
    cpm_model_free(model);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_home_of_R_is_an_error_and_not_the_end),
        cmocka_unit_test(a_missing_module_is_an_error_that_says_what_to_install),
        cmocka_unit_test(few_points_have_no_structure),
        cmocka_unit_test(starting_R_leaves_the_locale_alone),
        cmocka_unit_test(breaks_are_found_where_the_line_breaks),
        cmocka_unit_test(a_leap_of_scatter_is_S),
        cmocka_unit_test(escalations_of_gather_lie_between_M1_and_M2),
        cmocka_unit_test(rare_escalations_belong_to_the_region),
        cmocka_unit_test(few_repetitions_show_the_region),
        cmocka_unit_test(a_region_that_does_not_end_has_no_M2),
        cmocka_unit_test(a_straight_line_has_no_thresholds),
        cmocka_unit_test(noise_is_not_taken_for_a_leap_in_any_of_60_draws),
        cmocka_unit_test(a_leap_eight_times_the_noise_is_found_in_all_of_20_draws),
        cmocka_unit_test(a_short_region_is_seen),
        cmocka_unit_test(only_escalations_are_refined),
        cmocka_unit_test(nothing_is_looked_for_among_processes_of_one_host),
        cmocka_unit_test(without_sweeps_thresholds_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
