/* Classes of like processes: who is in them, what is measured, what is fitted, who is odd. */
#include "measured.h"

#include <stdio.h>
#include <unistd.h>

#include "diagnose/doctor.h"
#include "estimators/classes.h"
#include "estimators/designs.h"
#include "tests/folder.h"

static const char *const names[] = {"thin", "fat", "old", "new", "odd"};

/* Process i is in class i % g; one, if not -1, is alone in the last class of g + 1. */
static cpm_classes classes_of(int n, int g, int one)
{
    cpm_classes c;
    int *of = malloc((size_t)n * sizeof *of);
    for (int i = 0; i < n; i++)
        of[i] = i == one ? g : i % g;
    assert_int_equal(cpm_classes_create(n, of, g + (one >= 0), names, &c, NULL), CPM_OK);
    free(of);
    return c;
}

/* A cluster of g classes. One process, if not -1, is of class one % g, but with a C of more. */
static cpm_model *cluster(int n, int g, int one, double more)
{
    cpm_classes c = classes_of(n, g, one);
    cpm_sizes none = {0};
    unsigned state = 5;
    cpm_model *m;
    assert_int_equal(cpm_model_create_classes(&cpm_lmo, &c, &none, &m, NULL), CPM_OK);
    for (int a = 0; a < c.count; a++) {
        int like = a == g ? one % g : a;
        m->value[CPM_LMO_C][a] = (30e-6 + 8e-6 * like) * (a == g ? more : 1);
        m->value[CPM_LMO_T][a] = 4e-9 + 1.5e-9 * like;
    }
    for (int a = 0; a < g; a++)
        for (int b = a; b < g; b++) {
            m->value[CPM_LMO_L][a * c.count + b] = random_between(&state, 10e-6, 40e-6);
            m->value[CPM_LMO_INVBETA][a * c.count + b] = random_between(&state, 8e-9, 14e-9);
        }
    for (int p = CPM_LMO_L; p <= CPM_LMO_INVBETA; p++)
        for (int a = 0; a < c.count; a++)
            for (int b = 0; b < c.count; b++) {
                int x = a == g ? one % g : a, y = b == g ? one % g : b;
                m->value[p][a * c.count + b] =
                    m->value[p][(x < y ? x : y) * c.count + (x < y ? y : x)];
            }
    if (one >= 0)
        for (int p = CPM_LMO_L; p <= CPM_LMO_INVBETA; p++)
            m->value[p][c.count * c.count - 1] = 0;
    for (int i = 0; i < n; i++) {
        char host[16];
        snprintf(host, sizeof host, "n%03d", i);
        assert_int_equal(cpm_model_set_host(m, i, host, NULL), CPM_OK);
    }
    cpm_classes_clear(&c);
    return m;
}

static cpm_class_rules *rules_of(const char *text)
{
    FILE *f = fopen("classes.txt", "w");
    cpm_class_rules *r = NULL;
    cpm_error e = {0};
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    if (cpm_class_rules_read("classes.txt", &r, &e))
        fail_msg("%s", e.text);
    unlink("classes.txt");
    return r;
}

/* The rules of classes_of(n, g, -1), by rank. */
static cpm_class_rules *rules_for(int n, int g)
{
    char text[8192];
    int used = 0;
    for (int i = 0; i < n; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%d %s\n", i, names[i % g]);
    return rules_of(text);
}

/* ---- rules */

static void hosts_patterns_and_ranks_have_classes(void **state)
{
    (void)state;
    cpm_class_rules *r = rules_of("# rack one\nthin0* thin\n\n2-3 fat # ranks\nlast thin\n");
    cpm_classes c;
    cpm_error e = {0};
    assert_int_equal(cpm_class_rules_apply(r, 5, "thin01 thin02 a b last", &c, &e), CPM_OK);
    assert_int_equal(c.count, 2);
    assert_string_equal(c.name[0], "thin");
    assert_string_equal(c.name[1], "fat");
    assert_memory_equal(c.of, ((int[]){0, 0, 1, 1, 0}), sizeof(int[5]));
    cpm_classes_clear(&c);
    cpm_class_rules_free(r);
}

static void unreadable(const char *text, const char *says)
{
    FILE *f = fopen("classes.txt", "w");
    cpm_class_rules *r = NULL;
    cpm_error e = {0};
    fputs(text, f);
    fclose(f);
    assert_int_equal(cpm_class_rules_read("classes.txt", &r, &e), CPM_EPARSE);
    assert_null(r);
    assert_string_equal(e.text, says);
    unlink("classes.txt");
}

static void lines_that_are_no_rules_are_refused(void **state)
{
    (void)state;
    unreadable("a b\nc\n",
               "classes.txt:2: expected a host (or ranks) and its class, found one word");
    unreadable("a b c\n",
               "classes.txt:1: expected a host (or ranks) and its class, found more words");
    unreadable("# nothing\n", "classes.txt:1: there are no classes in it");
}

static void inapplicable(const char *text, const char *says)
{
    cpm_class_rules *r = rules_of(text);
    cpm_classes c;
    cpm_error e = {0};
    assert_int_equal(cpm_class_rules_apply(r, 3, "a b c", &c, &e), CPM_EDATA);
    assert_string_equal(e.text, says);
    cpm_class_rules_free(r);
}

static void classes_that_do_not_cover_all_hosts_once_are_refused(void **state)
{
    (void)state;
    inapplicable("a x\nb x\n", "classes.txt: process 2 on host c has no class");
    inapplicable("a x\nb x\nc x\nd x\n", "classes.txt:4: no process is on host 'd'");
    inapplicable("* x\nb y\n", "classes.txt:2: process 1 on host b has class 'x' from line 1");
    inapplicable("0-3 x\n", "classes.txt:1: there is no process 3, only 0 to 2");
}

/* ---- design */

static void the_rounds_of_four_classes_do_not_depend_on_the_processes(void **state)
{
    (void)state;
    const int sizes[] = {64, 256, 512};
    for (int q = 0; q < 3; q++) {
        cpm_classes c = classes_of(sizes[q], 4, -1);
        cpm_design d = {0};
        assert_int_equal(cpm_class_design(&c, 8, 4, 32768, &d, NULL), CPM_OK);
        assert_in_range(d.rounds, 4, 20);
        for (int r = 0, x = 0; r < d.rounds; r++) {
            cpm_schedule *s; /* refuses experiments that are not disjoint */
            assert_int_equal(cpm_experiments_schedule(d.at + x, d.end[r] - x, c.n, &s, NULL),
                             CPM_OK);
            assert_true(4 * (d.end[r] - x) >= c.n); /* nearly everybody works */
            cpm_schedule_free(s);
            x = d.end[r];
        }
        cpm_design_clear(&d);
        cpm_classes_clear(&c);
    }
}

/* ---- fit */

static cpm_model *fit_classes(const cpm_model *truth, const cpm_class_rules *rules, double noise,
                              int reps)
{
    cpm_estimation options = without_thresholds();
    options.class_rules = rules;
    options.find_classes = !rules;
    cpm_measurements m = measured(estimator_of("lmo", NULL), &options, truth, noise, reps, 1);
    cpm_model *fit = fitted(estimator_of("lmo", NULL), &options, &m);
    cpm_measurements_clear(&m);
    return fit;
}

static void without_noise_the_parameters_of_classes_come_back(void **state)
{
    (void)state;
    const int n[] = {3, 7, 16, 64}, g[] = {1, 2, 4, 4};
    for (int q = 0; q < 4; q++) {
        cpm_class_rules *rules = rules_for(n[q], g[q]);
        cpm_model *truth = cluster(n[q], g[q], -1, 1), *m = fit_classes(truth, rules, 0, 1);
        assert_true(cpm_classes_equal(&m->classes, &truth->classes));
        assert_same_parameters(m, truth, 1e-7);
        assert_null(strstr(m->notes, "does not belong"));
        cpm_model_free(m);
        cpm_model_free(truth);
        cpm_class_rules_free(rules);
    }
}

static void with_noise_four_classes_of_256_hosts_are_known_within_2_percent(void **state)
{
    (void)state;
    cpm_class_rules *rules = rules_for(256, 4);
    cpm_model *truth = cluster(256, 4, -1, 1), *m = fit_classes(truth, rules, 0.05, 10);
    for (int p = CPM_LMO_C; p <= CPM_LMO_T; p++)
        assert_true(error_quantile(m, truth, p, 1) <= 0.02);
    cpm_model_free(m);
    cpm_model_free(truth);
    cpm_class_rules_free(rules);
}

static int times_in(const char *text, const char *what)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        count++;
    return count;
}

static void a_host_that_does_not_belong_is_named(void **state)
{
    (void)state;
    const double noise[] = {0, 0.05};
    for (int q = 0; q < 2; q++) {
        cpm_class_rules *rules = rules_for(64, 4);
        cpm_model *truth = cluster(64, 4, 41, 1.3), *m = fit_classes(truth, rules, noise[q], 10);
        assert_non_null(strstr(m->notes, "process 41 on host n041 does not belong to class fat"));
        assert_int_equal(times_in(m->notes, "does not belong"), 1);
        cpm_model_free(m);
        cpm_model_free(truth);
        cpm_class_rules_free(rules);
    }
}

static void unknown_classes_are_found_with_the_odd_one(void **state)
{
    (void)state;
    const double noise[] = {0, 0.05};
    for (int q = 0; q < 2; q++) {
        cpm_model *truth = cluster(32, 4, 9, 1.5), *m = fit_classes(truth, NULL, noise[q], 10);
        assert_int_equal(m->classes.count, 5);
        for (int i = 0; i < 32; i++)
            for (int j = 0; j < i; j++)
                assert_int_equal(m->classes.of[i] == m->classes.of[j],
                                 truth->classes.of[i] == truth->classes.of[j]);
        assert_non_null(strstr(m->notes, "process 9 on host n009 is like no other"));
        assert_int_equal(times_in(m->notes, "like no other"), 1);
        cpm_model_free(m);
        cpm_model_free(truth);
    }
}

static void a_homogeneous_cluster_is_one_class(void **state)
{
    (void)state;
    cpm_model *truth = cluster(16, 1, -1, 1), *m = fit_classes(truth, NULL, 0.05, 10);
    assert_int_equal(m->classes.count, 1);
    assert_int_equal(m->classes.members[0], 16);
    cpm_model_free(m);
    cpm_model_free(truth);
}

static void unlike_hosts_stay_alone(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo(8, 1), *m = fit_classes(truth, NULL, 0, 1);
    assert_int_equal(m->classes.count, 8);
    cpm_model_free(m);
    cpm_model_free(truth);
}

/* 62 processes, of which one is alone, two are in another class, whose links are slow, and the rest
 * are alike. */
static cpm_model *two_of_62(void)
{
    enum { N = 62, ALONE = 9, SLOW = 2, COUNT = 3 };
    cpm_sizes none = {0};
    cpm_classes c;
    cpm_model *m;
    int of[N] = {0};
    of[ALONE] = 1;
    of[20] = of[41] = SLOW;
    assert_int_equal(cpm_classes_create(N, of, COUNT, names, &c, NULL), CPM_OK);
    assert_int_equal(cpm_model_create_classes(&cpm_lmo, &c, &none, &m, NULL), CPM_OK);
    for (int a = 0; a < COUNT; a++) {
        m->value[CPM_LMO_C][a] = a == 1 ? 90e-6 : 30e-6;
        m->value[CPM_LMO_T][a] = 4e-9;
        for (int b = 0; b < COUNT; b++)
            if (cpm_classes_meet(&c, a, b)) {
                m->value[CPM_LMO_L][a * COUNT + b] = 20e-6;
                m->value[CPM_LMO_INVBETA][a * COUNT + b] = a == SLOW || b == SLOW ? 20e-9 : 10e-9;
            }
    }
    cpm_classes_clear(&c);
    return m;
}

static void the_doctor_names_who_is_alone_and_no_class(void **state)
{
    (void)state;
    cpm_model *m = two_of_62(), *all;
    cpm_diagnosis d;
    int of_others = 0;
    assert_int_equal(cpm_model_expand(m, &all, NULL), CPM_OK);
    assert_int_equal(cpm_diagnose(all, NULL, &CPM_DOCTOR_DEFAULT, &d, NULL), CPM_OK);
    for (int q = 0; q < d.count; q++)
        of_others += d.at[q].i != 9 && d.at[q].j != 9;
    assert_true(of_others > 0); /* without classes theirs would be faults */
    cpm_diagnosis_clear(&d);
    cpm_model_free(all);
    assert_int_equal(cpm_diagnose(m, NULL, &CPM_DOCTOR_DEFAULT, &d, NULL), CPM_OK);
    for (int q = 0; q < d.count; q++)
        assert_true(d.at[q].i == 9 || d.at[q].j == 9);
    assert_true(d.count > 0);
    assert_non_null(strstr(d.notes, "alone in their class"));
    cpm_diagnosis_clear(&d);
    cpm_model_free(m);
}

static void a_method_that_knows_no_classes_takes_their_means(void **state)
{
    (void)state;
    cpm_estimation options = without_thresholds();
    cpm_model *truth = cluster(8, 2, -1, 1);
    options.class_rules = rules_for(8, 2);
    cpm_measurements m = measured(estimator_of("hockney", NULL), &options, truth, 0, 1, 1);
    cpm_model *fit = fitted(estimator_of("hockney", NULL), &options, &m);
    assert_int_equal(fit->classes.count, 2);
    for (int j = 1; j < 8; j++)
        assert_near(cpm_model_p2p(fit, 0, j, 1000), cpm_model_p2p(truth, 0, j, 1000), 1e-9);
    cpm_model_free(fit);
    cpm_model_free(truth);
    cpm_measurements_clear(&m);
    cpm_class_rules_free((cpm_class_rules *)options.class_rules);
}

static void missing_experiments_are_named_by_class(void **state)
{
    (void)state;
    cpm_class_rules *two = rules_for(8, 2);
    cpm_model *truth = cluster(8, 2, -1, 1), *none = NULL;
    cpm_estimation options = without_thresholds();
    cpm_error e = {0};
    options.class_rules = two;
    cpm_measurements m = measured(estimator_of("lmo", NULL), &options, truth, 0, 1, 1);
    options.find_classes = true;
    assert_int_equal(cpm_estimate(estimator_of("lmo", NULL), &options, &m, NULL, NULL, &none, &e),
                     CPM_EDATA);
    assert_non_null(strstr(e.text, "round trips between all pairs are missing"));
    int all = m.count;
    m.count = 12; /* empty messages only */
    options.find_classes = false;
    e = (cpm_error){0};
    assert_int_equal(cpm_estimate(estimator_of("lmo", NULL), &options, &m, NULL, NULL, &none, &e),
                     CPM_EDATA);
    assert_non_null(strstr(e.text, "classes 'thin' and 'thin': round trips"));
    m.count = all;
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
    cpm_class_rules_free(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_patterns_and_ranks_have_classes),
        cmocka_unit_test(lines_that_are_no_rules_are_refused),
        cmocka_unit_test(classes_that_do_not_cover_all_hosts_once_are_refused),
        cmocka_unit_test(the_rounds_of_four_classes_do_not_depend_on_the_processes),
        cmocka_unit_test(without_noise_the_parameters_of_classes_come_back),
        cmocka_unit_test(with_noise_four_classes_of_256_hosts_are_known_within_2_percent),
        cmocka_unit_test(a_host_that_does_not_belong_is_named),
        cmocka_unit_test(unknown_classes_are_found_with_the_odd_one),
        cmocka_unit_test(a_homogeneous_cluster_is_one_class),
        cmocka_unit_test(unlike_hosts_stay_alone),
        cmocka_unit_test(the_doctor_names_who_is_alone_and_no_class),
        cmocka_unit_test(a_method_that_knows_no_classes_takes_their_means),
        cmocka_unit_test(missing_experiments_are_named_by_class),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
