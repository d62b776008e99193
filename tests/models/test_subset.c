/* Part of a model says of its processes what the whole says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../models/random_model.h"
#include "models/interp.h"

static const cpm_model_type *const types[] = {&cpm_hockney, &cpm_logp, &cpm_loggp,
                                              &cpm_plogp,   &cpm_lmo,  &cpm_lmo2};
enum { TYPES = sizeof types / sizeof *types };

static const int chosen[] = {6, 0, 3, 7};
enum { CHOSEN = sizeof chosen / sizeof *chosen };

static cpm_model *subset(const cpm_model *m, const int *process, int n)
{
    cpm_model *part;
    cpm_error e = {0};
    if (cpm_model_subset(m, process, n, &part, &e))
        fail_msg("%s", e.text);
    return part;
}

static void assert_same_messages(const cpm_model *m, const cpm_model *part, const int *process)
{
    static const size_t sizes[] = {0, 1000, 5000, 100000};
    for (int i = 0; i < part->n; i++)
        for (int j = 0; j < part->n; j++)
            for (int s = 0; s < 4 && i != j; s++)
                assert_true(cpm_model_p2p(part, i, j, sizes[s]) ==
                            cpm_model_p2p(m, process[i], process[j], sizes[s]));
}

static void messages_between_chosen_processes_take_as_long(void **state)
{
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        cpm_model *m = random_model(types[t], 8, 3), *part = subset(m, chosen, CHOSEN);
        assert_int_equal(part->n, CHOSEN);
        assert_same_messages(m, part, chosen);
        cpm_model_free(part);
        cpm_model_free(m);
    }
}

static void fewer_processes_than_an_estimation_needs_can_be_left(void **state)
{
    (void)state;
    for (int t = 0; t < TYPES; t++)
        for (int n = 1; n <= 2; n++) {
            cpm_model *m = random_model(types[t], 8, 3), *part = subset(m, chosen, n);
            assert_same_messages(m, part, chosen);
            cpm_model_free(part);
            cpm_model_free(m);
        }
}

static void hosts_thresholds_and_intervals_are_kept(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(8, 1);
    m->value[CPM_LMO_M1][0] = 5000;
    m->ci[CPM_LMO_M1][0] = 10;
    m->ci[CPM_LMO_C][7] = 1e-6;
    m->ci[CPM_LMO_L][6 * 8 + 3] = 2e-6;
    assert_int_equal(cpm_model_set_host(m, 7, "seven", NULL), CPM_OK);
    cpm_model *part = subset(m, chosen, CHOSEN);
    assert_int_equal(part->whole, 8); /* whose thresholds they are */
    assert_string_equal(part->hosts[3], "seven");
    assert_true(part->value[CPM_LMO_M1][0] == 5000 && part->ci[CPM_LMO_M1][0] == 10);
    assert_true(part->ci[CPM_LMO_C][3] == 1e-6);
    assert_true(part->ci[CPM_LMO_L][0 * CHOSEN + 2] == 2e-6);
    assert_true(isnan(part->ci[CPM_LMO_L][2 * CHOSEN]));
    assert_true(cpm_model_check(part, &(cpm_flaw){0}));
    cpm_model_free(part);
    cpm_model_free(m);
}

static void processes_of_classes_stand_alone_then(void **state)
{
    (void)state;
    static const int of[] = {0, 0, 1, 1, 0, 1, 0, 1};
    static const char *const names[] = {"slow", "fast"};
    cpm_classes classes;
    cpm_model *full = random_lmo(8, 2), *m;
    assert_int_equal(cpm_classes_create(8, of, 2, names, &classes, NULL), CPM_OK);
    assert_int_equal(cpm_model_regroup(full, &classes, &m, NULL), CPM_OK);
    cpm_model *part = subset(m, chosen, CHOSEN);
    assert_false(cpm_model_has_classes(part));
    assert_same_messages(m, part, chosen);
    cpm_model_free(part);
    cpm_model_free(m);
    cpm_model_free(full);
    cpm_classes_clear(&classes);
}

static void processes_that_are_not_there_or_twice_are_refused(void **state)
{
    (void)state;
    static const int wrong[][2] = {{0, 8}, {-1, 0}, {3, 3}};
    cpm_model *m = random_lmo(8, 1), *part = NULL;
    cpm_error e = {0};
    for (int k = 0; k < 3; k++)
        assert_int_equal(cpm_model_subset(m, wrong[k], 2, &part, &e), CPM_EINVAL);
    assert_int_equal(cpm_model_subset(m, wrong[0], 0, &part, &e), CPM_EINVAL);
    assert_null(part);
    cpm_model_free(m);
}

static void curves_of_algorithms_are_of_all_processes(void **state)
{
    (void)state;
    static const int order[] = {0, 1, 2}, other[] = {1, 0, 2};
    cpm_model *m, *part = NULL;
    assert_int_equal(cpm_model_create(&cpm_interp, 3, &m, NULL), CPM_OK);
    assert_int_equal(cpm_model_subset(m, order, 2, &part, NULL), CPM_EDATA);
    assert_int_equal(cpm_model_subset(m, other, 3, &part, NULL), CPM_EDATA);
    assert_null(part);
    cpm_model_free(subset(m, order, 3));
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_between_chosen_processes_take_as_long),
        cmocka_unit_test(fewer_processes_than_an_estimation_needs_can_be_left),
        cmocka_unit_test(hosts_thresholds_and_intervals_are_kept),
        cmocka_unit_test(processes_of_classes_stand_alone_then),
        cmocka_unit_test(processes_that_are_not_there_or_twice_are_refused),
        cmocka_unit_test(curves_of_algorithms_are_of_all_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
