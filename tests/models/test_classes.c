/* Models of processes in classes: one value for all that are alike. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "models/draws.h"
#include "predicted.h"
#include "random_model.h"

/* Process i is in class i % g, but the last class has only the last process. */
static cpm_classes classes_of(int n, int g)
{
    static const char *const name[] = {"thin", "fat", "old", "login"};
    cpm_classes c;
    int *of = malloc((size_t)n * sizeof *of);
    for (int i = 0; i < n; i++)
        of[i] = i % (g - 1);
    of[n - 1] = g - 1;
    assert_int_equal(cpm_classes_create(n, of, g, name, &c, NULL), CPM_OK);
    free(of);
    return c;
}

static cpm_model *classed(const cpm_model_type *type, int n, int g)
{
    cpm_classes c = classes_of(n, g);
    size_t first[] = {0, 4096};
    cpm_sizes sizes = {first, cpm_model_type_sized(type) ? 2 : 0};
    cpm_model *m;
    unsigned state = 7;
    assert_int_equal(cpm_model_create_classes(type, &c, &sizes, &m, NULL), CPM_OK);
    for (int p = 0; p < type->count; p++)
        for (int v = 0; v < (int)cpm_parameter_values(m, p) * cpm_parameter_slices(m, p); v++) {
            int a = v / g % g, b = v % g;
            bool none = type->parameters[p].shape == CPM_PAIR && !cpm_classes_meet(&c, a, b);
            if (type->parameters[p].shape != CPM_SCALAR && !none)
                m->value[p][v] = random_between(&state, 1e-6, 9e-6);
        }
    cpm_classes_clear(&c);
    return m;
}

static char *packed(const cpm_model *m)
{
    char *text;
    cpm_error e = {0};
    if (cpm_model_pack(m, &text, &e))
        fail_msg("%s", e.text);
    return text;
}

static cpm_model *unpacked(const char *text)
{
    cpm_model *m;
    cpm_error e = {0};
    if (cpm_model_unpack(text, strlen(text), "x.mod", &m, &e))
        fail_msg("%s", e.text);
    return m;
}

static const cpm_model_type *const types[] = {&cpm_hockney, &cpm_lmo, &cpm_lmo2};

static void a_model_with_classes_is_the_same_after_packing_and_unpacking(void **state)
{
    (void)state;
    for (int t = 0; t < 3; t++) {
        cpm_model *m = classed(types[t], 11, 4);
        m->ci[0][1] = 1e-7;
        char *text = packed(m);
        cpm_model *back = unpacked(text);
        char *again = packed(back);
        assert_true(cpm_classes_equal(&m->classes, &back->classes));
        assert_string_equal(text, again);
        assert_true(fabs(back->ci[0][1] - 1e-7) < 1e-12);
        free(text);
        free(again);
        cpm_model_free(back);
        cpm_model_free(m);
    }
}

static void assert_same_predictions(const cpm_model *a, const cpm_model *b)
{
    const size_t sizes[] = {0, 1000, 100000};
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < a->n; j++)
            for (int s = 0; s < 3 && i != j; s++) {
                double x = cpm_model_p2p(a, i, j, sizes[s]), y = cpm_model_p2p(b, i, j, sizes[s]);
                if (fabs(x - y) > 1e-12 * x)
                    fail_msg("%s: %g is not %g from %d to %d", a->type->name, x, y, i, j);
            }
}

static double scatter(const cpm_model *m, int root)
{
    const cpm_algorithm *linear;
    assert_int_equal(cpm_algorithm_find("scatter", "linear", &linear, NULL), CPM_OK);
    return predict_plain_form(m, linear, root, 1000, NULL, NULL);
}

static void processes_of_a_class_have_its_values(void **state)
{
    (void)state;
    for (int t = 0; t < 3; t++) {
        cpm_model *m = classed(types[t], 11, 4), *all;
        assert_int_equal(cpm_model_expand(m, &all, NULL), CPM_OK);
        assert_false(cpm_model_has_classes(all));
        assert_same_predictions(m, all);
        for (int root = 0; root < m->n; root++)
            assert_true(fabs(scatter(m, root) - scatter(all, root)) <= 1e-12 * scatter(all, root));
        for (int p = 0; p < m->type->count; p++)
            if (m->type->parameters[p].shape != CPM_SCALAR && !m->type->parameters[p].optional &&
                cpm_model_has_parameter(m, p))
                assert_true(fabs(cpm_parameter_mean(m, p) / cpm_parameter_mean(all, p) - 1) <
                            1e-12);
        cpm_model_free(all);
        cpm_model_free(m);
    }
}

static void grouping_what_was_expanded_gives_the_model_back(void **state)
{
    (void)state;
    for (int t = 0; t < 3; t++) {
        cpm_model *m = classed(types[t], 11, 4), *all, *back;
        assert_int_equal(cpm_model_expand(m, &all, NULL), CPM_OK);
        assert_int_equal(cpm_model_regroup(all, &m->classes, &back, NULL), CPM_OK);
        assert_same_predictions(m, back);
        assert_true(cpm_classes_equal(&m->classes, &back->classes));
        cpm_model_free(all);
        cpm_model_free(back);
        cpm_model_free(m);
    }
}

static void the_interval_of_a_class_is_that_of_a_mean(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(5, 1), *average;
    for (int i = 0; i < 5; i++)
        m->ci[CPM_LMO_C][i] = 1e-6;
    for (int i = 0; i < 25; i++)
        m->ci[CPM_LMO_L][i] = 1e-6; /* the two ways of a pair are one measurement */
    assert_int_equal(cpm_model_average(m, &average, NULL), CPM_OK);
    assert_true(fabs(average->ci[CPM_LMO_C][0] - 1e-6 / sqrt(5)) < 1e-12);
    assert_true(fabs(average->ci[CPM_LMO_L][0] - 1e-6 / sqrt(10)) < 1e-12);
    assert_true(isnan(average->ci[CPM_LMO_T][0]));
    cpm_model_free(average);
    cpm_model_free(m);
}

static void a_thousand_processes_in_four_classes_are_a_small_file(void **state)
{
    (void)state;
    cpm_model *m = classed(&cpm_lmo, 1024, 4);
    char host[32];
    for (int i = 0; i < m->n; i++) {
        snprintf(host, sizeof host, "node%04d.cluster", i);
        assert_int_equal(cpm_model_set_host(m, i, host, NULL), CPM_OK);
    }
    char *text = packed(m);
    assert_in_range(strlen(text), 1, 100000);
    free(text);
    cpm_model_free(m);
}

static void a_full_model_of_256_processes_is_below_10_megabytes(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(256, 1);
    for (int p = CPM_LMO_C; p <= CPM_LMO_INVBETA; p++)
        for (size_t v = 0; v < cpm_parameter_values(m, p); v++)
            m->ci[p][v] = 0.037 * m->value[p][v];
    char *text = packed(m);
    assert_in_range(strlen(text), 1, 10000000);
    free(text);
    cpm_model_free(m);
}

static void draws_of_a_model_with_classes_have_its_classes(void **state)
{
    (void)state;
    for (int t = 0; t < 3; t++) {
        cpm_model *m = classed(types[t], 11, 4);
        cpm_collective what;
        cpm_draws *draws;
        for (int p = 0; p < m->type->count; p++)
            for (int v = 0; v < (int)cpm_parameter_values(m, p) * cpm_parameter_slices(m, p); v++)
                m->ci[p][v] = 0.1 * m->value[p][v];
        assert_int_equal(cpm_collective_parse("scatter:linear", &what, NULL), CPM_OK);
        assert_int_equal(cpm_draws_create(m, 50, 1, &draws, NULL), CPM_OK);
        double half = cpm_draws_half(draws, &what, 1000, CPM_ISOLATED, NULL);
        assert_true(half > 0 && half < 0.2 * scatter(m, 0));
        cpm_draws_free(draws);
        cpm_model_free(m);
    }
}

/* ---- what is refused */

static void refused(const cpm_model *m, const char *from, const char *to, const char *says)
{
    char *text = packed(m), *at = strstr(text, from), *edited;
    cpm_model *none = NULL;
    cpm_error e = {0};
    assert_non_null(at);
    assert_true(asprintf(&edited, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
    assert_int_equal(cpm_model_unpack(edited, strlen(edited), "x.mod", &none, &e), CPM_EPARSE);
    if (!strstr(e.text, says))
        fail_msg("expected \"%s\", found \"%s\"", says, e.text);
    free(edited);
    free(text);
}

static void wrong_classes_are_refused_with_their_place(void **state)
{
    (void)state;
    cpm_model *m = classed(&cpm_lmo, 5, 3);
    refused(m, "[0, 2]", "[0]", "x.mod:7: process 2 is in none of the classes");
    refused(m, "[0, 2]", "[0, 2, 3]", "x.mod:9: class 'fat': process 3 has a class already");
    refused(m, "[0, 2]", "[0, 2, 5]", "x.mod:8: class 'thin': expected a process, 0 to 4");
    refused(m, "[0, 2]", "7",
            "x.mod:8: class 'thin': expected a list of processes, found a number");
    refused(m, "[0, 2]", "[]", "found an empty one");
    refused(m, "\"old\": [4]", "\"old\": [4], \"new\": [4]", "process 4 has a class already");
    refused(m, "\"fat\": [1, 3],", "", "process 1 is in none of the classes");
    cpm_model_free(m);
}

static void a_flaw_is_named_with_its_class(void **state)
{
    (void)state;
    cpm_model *m = classed(&cpm_hockney, 5, 3);
    cpm_flaw flaw;
    assert_true(cpm_model_check(m, &flaw));
    m->value[CPM_HOCKNEY_ALPHA][1] = -1;
    assert_false(cpm_model_check(m, &flaw));
    assert_non_null(strstr(flaw.text, "from class 'thin' to 'fat'"));
    m->value[CPM_HOCKNEY_ALPHA][1] = 0;
    m->value[CPM_HOCKNEY_ALPHA][8] = 1; /* the class of one process */
    assert_false(cpm_model_check(m, &flaw));
    assert_non_null(strstr(flaw.text, "must be 0"));
    cpm_model_free(m);
}

static void a_class_without_processes_is_refused(void **state)
{
    (void)state;
    static const char *const name[] = {"a", "b"};
    cpm_classes c;
    cpm_error e = {0};
    assert_int_equal(cpm_classes_create(2, (int[]){0, 0}, 2, name, &c, &e), CPM_EINVAL);
    assert_string_equal(e.text, "class 'b' has no process");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_with_classes_is_the_same_after_packing_and_unpacking),
        cmocka_unit_test(processes_of_a_class_have_its_values),
        cmocka_unit_test(grouping_what_was_expanded_gives_the_model_back),
        cmocka_unit_test(the_interval_of_a_class_is_that_of_a_mean),
        cmocka_unit_test(a_thousand_processes_in_four_classes_are_a_small_file),
        cmocka_unit_test(a_full_model_of_256_processes_is_below_10_megabytes),
        cmocka_unit_test(draws_of_a_model_with_classes_have_its_classes),
        cmocka_unit_test(wrong_classes_are_refused_with_their_place),
        cmocka_unit_test(a_flaw_is_named_with_its_class),
        cmocka_unit_test(a_class_without_processes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
