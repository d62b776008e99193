/* Models that know switches: what messages between these share, their file, other layouts. */
#include "hosts_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/experiments.h"
#include "models/mod_values.h"
#include "together.h"

static const double slow = 40e-9; /* seconds per byte of a trunk: no host is that slow */

/* Process i is on switch[i] of count. */
static void put_on_switches(cpm_model *m, const int *on, int count)
{
    static const char *const name[] = {"left", "right", "top"};
    cpm_classes switches;
    assert_int_equal(cpm_classes_create(m->n, on, count, name, &switches, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_switches(m, &switches, NULL), CPM_OK);
    cpm_classes_clear(&switches);
}

/* Six hosts of one process, three on each switch; the left one's trunk up is slow. */
static cpm_model *switched(void)
{
    static const int on[] = {0, 1, 0, 1, 0, 1};
    cpm_model *m = random_lmo2(6, 4);
    put_on_switches(m, on, 2);
    m->value[CPM_LMO2_UP][0] = slow;
    return m;
}

static void messages_between_switches_share_the_trunk(void **state)
{
    (void)state;
    static const int up[][2] = {{0, 1}, {2, 3}, {4, 5}}, down[][2] = {{1, 0}, {3, 2}, {5, 4}};
    static const int inside[][2] = {{0, 2}, {1, 3}};
    cpm_model *m = switched();
    double three = together(m, up, 3, 60000);
    assert_true(three > 3 * 60000 * slow && three < 3 * 60000 * slow + 2e-3);
    double back = together(m, down, 3, 60000), within = together(m, inside, 2, 60000);
    m->value[CPM_LMO2_UP][0] = NAN;
    assert_true(together(m, up, 3, 60000) < 60000 * slow);
    assert_true(back == together(m, down, 3, 60000) && within == together(m, inside, 2, 60000));
    m->value[CPM_LMO2_DOWN][1] = slow;
    assert_true(fabs(together(m, up, 3, 60000) / three - 1) < 1e-12);
    cpm_model_free(m);
}

/* Who is on which switch, and the trunks. */
static void expect_same_switches(const cpm_model *a, const cpm_model *b)
{
    assert_true(cpm_classes_equal(&a->switches, &b->switches));
    for (int p = CPM_LMO2_UP; p <= CPM_LMO2_DOWN; p++)
        for (int k = 0; k < a->switches.count; k++) {
            double x = a->value[p][k], y = b->value[p][k];
            assert_true(x == y || (isnan(x) && isnan(y)));
        }
}

static int read_back(const cpm_model *m, cpm_model **out)
{
    char *text = NULL;
    assert_int_equal(cpm_model_pack(m, &text, NULL), CPM_OK);
    int status = cpm_model_unpack(text, strlen(text), "x.mod", out, NULL);
    free(text);
    return status;
}

static void a_file_keeps_switches(void **state)
{
    (void)state;
    cpm_model *m = switched(), *back;
    assert_int_equal(read_back(m, &back), CPM_OK);
    expect_same_switches(m, back);
    cpm_model_free(back);
    cpm_model_free(m);
}

static void a_model_without_switches_is_written_as_before(void **state)
{
    (void)state;
    cpm_model *m = random_lmo2(6, 4);
    char *text = NULL;
    assert_int_equal(cpm_model_pack(m, &text, NULL), CPM_OK);
    assert_null(strstr(text, "switches"));
    assert_null(strstr(text, "\"Gu\""));
    free(text);
    cpm_model_free(m);
}

/* The text of a model with one place changed is refused with that sentence. */
static void refused(const cpm_model *m, const char *old, const char *new, const char *sentence)
{
    char *text = NULL, *changed = NULL;
    cpm_model *back = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_model_pack(m, &text, NULL), CPM_OK);
    char *place = strstr(text, old);
    assert_non_null(place);
    assert_true(
        asprintf(&changed, "%.*s%s%s", (int)(place - text), text, new, place + strlen(old)) > 0);
    assert_int_equal(cpm_model_unpack(changed, strlen(changed), "x.mod", &back, &e), CPM_EPARSE);
    assert_int_equal(strncmp(e.text, "x.mod:", 6), 0);
    assert_non_null(strstr(e.text, sentence));
    free(text);
    free(changed);
}

static void switches_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 1, 1}, on[] = {0, 0, 1, 1};
    cpm_model *m = switched();
    refused(m, "\"right\": [1, 3, 5]", "\"right\": [1, 3]", "process 5 is in none of the switches");
    refused(m, "\"right\": [1, 3, 5]", "\"right\": [1, 3, 4]",
            "switch 'right': process 4 has a switch already");
    refused(m, "[4e-8,null]", "[4e-8]", "parameter 'Gu': expected 2 values, found 1");
    refused(m, "[4e-8,null]", "[-4e-8,null]",
            "parameter 'Gu' of switch 'left' is negative: -4e-08 s/B");
    refused(m, "\"switches\": {\n    \"left\": [0, 2, 4],\n    \"right\": [1, 3, 5]\n  },\n", "",
            "parameter 'Gu' is of switches, which (\"switches\") are missing");
    cpm_model_free(m);
    m = hosts_model(host, 4, 1);
    put_on_switches(m, on, 2);
    refused(m, "\"left\": [0, 1],\n    \"right\": [2, 3]",
            "\"left\": [0, 2],\n    \"right\": [1, 3]",
            "processes 0 and 1 are on different switches, but both on host 'h0'");
    cpm_model_free(m);
}

static void part_of_a_model_keeps_the_switches_of_its_processes(void **state)
{
    (void)state;
    static const int on[] = {0, 1, 0, 2, 0, 2}, some[] = {5, 0, 3};
    cpm_model *m = random_lmo2(6, 4), *part;
    put_on_switches(m, on, 3);
    m->value[CPM_LMO2_UP][0] = 1e-9;
    m->value[CPM_LMO2_UP][1] = 2e-9;
    m->value[CPM_LMO2_DOWN][2] = 3e-9;
    assert_int_equal(cpm_model_subset(m, some, 3, &part, NULL), CPM_OK);
    assert_int_equal(part->switches.count, 2);
    assert_string_equal(part->switches.name[0], "top");
    assert_string_equal(part->switches.name[1], "left");
    assert_int_equal(part->switches.of[1], 1);
    assert_true(isnan(part->value[CPM_LMO2_UP][0]) && part->value[CPM_LMO2_UP][1] == 1e-9);
    assert_true(part->value[CPM_LMO2_DOWN][0] == 3e-9);
    cpm_model_free(part);
    cpm_model_free(m);
}

static void more_processes_of_a_host_are_on_its_switch(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 1, 1, 2, 2}, on[] = {0, 0, 1, 1, 0, 0};
    cpm_model *m = hosts_model(host, 6, 1), *placed;
    cpm_hosts layout;
    put_on_switches(m, on, 2);
    m->value[CPM_LMO2_DOWN][0] = slow;
    assert_int_equal(cpm_hosts_regular(3, 4, true, &layout, NULL), CPM_OK);
    assert_int_equal(cpm_model_lay_out(m, &layout, &placed, NULL), CPM_OK);
    for (int i = 0; i < 12; i++)
        assert_int_equal(placed->switches.of[i], i % 3 == 1);
    assert_true(placed->value[CPM_LMO2_DOWN][0] == slow);
    cpm_hosts_clear(&layout);
    cpm_model_free(placed);
    cpm_model_free(m);
}

static void means_over_processes_keep_switches(void **state)
{
    (void)state;
    cpm_model *m = switched(), *average;
    assert_int_equal(cpm_model_average(m, &average, NULL), CPM_OK);
    expect_same_switches(m, average);
    cpm_model_free(average);
    cpm_model_free(m);
}

static void switches_are_of_all_processes(void **state)
{
    (void)state;
    static const int on[] = {0, 0, 0};
    static const char *const name[] = {"left"};
    cpm_classes switches;
    cpm_model *m = switched();
    assert_int_equal(cpm_classes_create(3, on, 1, name, &switches, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_switches(m, &switches, NULL), CPM_EINVAL);
    cpm_classes_clear(&switches);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_between_switches_share_the_trunk),
        cmocka_unit_test(a_file_keeps_switches),
        cmocka_unit_test(a_model_without_switches_is_written_as_before),
        cmocka_unit_test(switches_that_cannot_be_are_refused),
        cmocka_unit_test(part_of_a_model_keeps_the_switches_of_its_processes),
        cmocka_unit_test(more_processes_of_a_host_are_on_its_switch),
        cmocka_unit_test(means_over_processes_keep_switches),
        cmocka_unit_test(switches_are_of_all_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
