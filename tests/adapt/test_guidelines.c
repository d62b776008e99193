/* Guidelines: which there are, and which are violated by given times. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adapt/guidelines.h"

enum { N = 8, TURNS = 12 };

static cpm_guidelines guidelines(size_t *bytes, int count, const bool *only)
{
    const cpm_sizes sizes = {bytes, count};
    const cpm_guideline_field f = {.n = N, .root = 3, .sizes = &sizes, .only = only};
    cpm_guidelines g;
    assert_int_equal(cpm_guidelines_create(&f, &g, NULL), CPM_OK);
    return g;
}

/* ---- which there are */

static void patterns_name_what_there_is(void **state)
{
    (void)state;
    char name[CPM_COLLECTIVE_NAME];
    cpm_collective c;
    const cpm_operation *o;
    for (const cpm_guideline_pattern *p = cpm_guideline_patterns; p->left; p++) {
        assert_int_equal(cpm_operation_find(p->left, &o, NULL), CPM_OK);
        for (int k = 0; k < 2 && p->right[k]; k++)
            assert_int_equal(cpm_operation_find(p->right[k], &o, NULL), CPM_OK);
        assert_non_null(p->mends[0]);
        for (int k = 0; k < 2 && p->mends[k]; k++) {
            snprintf(name, sizeof name, "%s:%s", p->left, p->mends[k]);
            assert_int_equal(cpm_collective_parse(name, &c, NULL), CPM_OK);
            assert_non_null(cpm_guideline_mended_by(&c));
            assert_false(c.algorithm->theirs); /* cpm tune measures it */
            c.algorithm = NULL;
            assert_null(cpm_guideline_mended_by(&c));
        }
    }
}

/* All processes have one message of a bcast, and a block each of a scatter. */
static void both_sides_are_of_the_same_data(void **state)
{
    (void)state;
    size_t bytes[] = {64};
    bool only[CPM_OPERATIONS] = {[CPM_OP_BCAST] = true, [CPM_OP_GATHER] = true};
    cpm_guidelines g = guidelines(bytes, 1, only);
    assert_int_equal(g.count, 4);
    assert_string_equal(g.at[0].text, "bcast <= scatter + allgather");
    assert_int_equal(g.at[0].left.send_bytes, N * 64);
    assert_int_equal(g.at[0].left.i, 3);
    assert_int_equal(g.at[0].rights, 2);
    assert_int_equal(g.at[0].right[0].send_bytes, 64);
    assert_int_equal(g.at[0].right[1].send_bytes, 64);
    assert_int_equal(g.at[0].mend_count, 2);
    assert_int_equal(g.at[0].mends[0].send_bytes, N * 64);
    assert_string_equal(g.at[2].text, "gather <= reduce");
    assert_int_equal(g.at[2].left.send_bytes, 64);
    assert_int_equal(g.at[2].right[0].send_bytes, N * 64);
    cpm_guidelines_clear(&g);
}

static void larger_calls_take_no_less_and_no_more_than_several(void **state)
{
    (void)state;
    size_t bytes[] = {0, 100, 250};
    bool only[CPM_OPERATIONS] = {[CPM_OP_ALLTOALL] = true};
    cpm_guidelines g = guidelines(bytes, 3, only);
    assert_int_equal(g.count, 2 + 2); /* nothing is said of calls without data */
    assert_string_equal(g.at[2].text, "alltoall <= alltoall of 250 B");
    assert_int_equal(g.at[2].left.send_bytes, 100);
    assert_true(g.at[2].times == 1);
    assert_string_equal(g.at[3].text, "alltoall <= 3 alltoall of 100 B");
    assert_int_equal(g.at[3].left.send_bytes, 250);
    assert_true(g.at[3].times == 3);
    cpm_guidelines_clear(&g);
}

static void a_turn_asks_for_everything_and_every_second_one_backwards(void **state)
{
    (void)state;
    size_t bytes[] = {64, 1024};
    cpm_guidelines g = guidelines(bytes, 2, NULL);
    for (int turn = 0; turn < 2; turn++) {
        cpm_design d = {0};
        assert_int_equal(cpm_guidelines_ask(&g, turn, &d, NULL), CPM_OK);
        assert_int_equal(d.rounds, d.count);
        assert_true(cpm_experiment_equal(&d.at[0], &g.at[turn ? g.count - 1 : 0].left));
        for (int q = 0; q < g.count; q++) {
            int found = 0;
            for (int x = 0; x < d.count; x++)
                found |= cpm_experiment_equal(&d.at[x], &g.at[q].right[g.at[q].rights - 1]);
            assert_true(found);
        }
        cpm_design_clear(&d);
    }
    cpm_guidelines_clear(&g);
}

/* ---- which are violated */

/* Samples of x: seconds, up to 1 % off in ways that no two experiments share. */
static void add(cpm_measurements *m, const cpm_experiment *x, double seconds, int count)
{
    cpm_measurement r = {.what = *x, .summary.reps = count};
    r.samples = malloc((size_t)count * sizeof *r.samples);
    for (int k = 0; k < count; k++)
        r.samples[k] = seconds * (1 + 0.01 * sin(1 + 37 * k * (m->count + 1) + m->count));
    assert_int_equal(cpm_measurements_add(m, &r, NULL), CPM_OK);
}

/* bcast <= scatter + allgather: the left one takes so long, the right ones 10 us each, and its
 * menders what is said, 0: they were not measured. */
static cpm_guideline judged(double left, double first, double second, int turns)
{
    size_t bytes[] = {64};
    bool only[CPM_OPERATIONS] = {[CPM_OP_BCAST] = true};
    cpm_guidelines g = guidelines(bytes, 1, only);
    cpm_measurements m = {0};
    add(&m, &g.at[0].left, left, turns);
    add(&m, &g.at[0].right[0], 10e-6, turns + 3); /* what others have more is not used */
    add(&m, &g.at[0].right[1], 10e-6, turns);
    if (first > 0)
        add(&m, &g.at[0].mends[0], first, turns);
    if (second > 0)
        add(&m, &g.at[0].mends[1], second, turns);
    assert_int_equal(cpm_guidelines_judge(&g, &m, 0.05, 0.05, NULL), CPM_OK);
    assert_int_equal(g.count, 1);
    cpm_guideline result = g.at[0];
    cpm_guidelines_clear(&g);
    cpm_measurements_clear(&m);
    return result;
}

static void what_takes_longer_than_the_right_is_violated(void **state)
{
    (void)state;
    cpm_guideline g = judged(40e-6, 0, 0, TURNS);
    assert_int_equal(g.verdict, CPM_GUIDELINE_VIOLATED);
    assert_true(fabs(g.ratio.value - 2) < 0.02 && g.ratio.low <= 2 && g.ratio.high >= 1.98);
    assert_true(fabs(g.left_seconds - 40e-6) < 1e-6 && fabs(g.right_seconds - 20e-6) < 0.5e-6);
    assert_true(g.p < 0.001);
    assert_int_equal(g.mended, -1);
    assert_int_equal(judged(19e-6, 0, 0, TURNS).verdict, CPM_GUIDELINE_KEPT);
    assert_int_equal(judged(20e-6, 0, 0, TURNS).verdict, CPM_GUIDELINE_KEPT); /* by tolerance */
    assert_int_equal(judged(21e-6, 0, 0, TURNS).verdict, CPM_GUIDELINE_UNKNOWN);
    assert_int_equal(judged(40e-6, 0, 0, 4).verdict, CPM_GUIDELINE_UNKNOWN); /* too few turns */
    assert_string_equal(cpm_guideline_verdict_name(CPM_GUIDELINE_UNKNOWN), "cannot tell");
}

static void the_faster_mender_is_named(void **state)
{
    (void)state;
    assert_int_equal(judged(40e-6, 30e-6, 0, TURNS).mended, 0);
    assert_int_equal(judged(40e-6, 30e-6, 25e-6, TURNS).mended, 1);
    assert_int_equal(judged(40e-6, 25e-6, 30e-6, TURNS).mended, 0);
    assert_int_equal(judged(40e-6, 0, 41e-6, TURNS).mended, -1);
    assert_int_equal(judged(19e-6, 5e-6, 5e-6, TURNS).mended, -1); /* nothing is to be mended */
    assert_true(fabs(judged(40e-6, 30e-6, 0, TURNS).mended_ratio.value - 0.75) < 0.01);
}

/* Of many guidelines some miss the level by chance; corrected for all of them none does. */
static void among_equal_times_none_is_violated(void **state)
{
    (void)state;
    size_t bytes[] = {64, 128, 256, 512, 1024, 2048};
    cpm_guidelines g = guidelines(bytes, 6, NULL);
    cpm_measurements m = {0};
    cpm_design d = {0};
    int count = g.count;
    assert_int_equal(cpm_guidelines_ask(&g, 0, &d, NULL), CPM_OK);
    for (int x = 0; x < d.count; x++)
        if (cpm_measurements_find(&m, &d.at[x]) < 0)
            add(&m, &d.at[x], 10e-6, TURNS);
    assert_int_equal(cpm_guidelines_judge(&g, &m, 0, 0.05, NULL), CPM_OK);
    assert_int_equal(g.count, count);
    for (int q = 0; q < g.count; q++)
        assert_int_not_equal(g.at[q].verdict, CPM_GUIDELINE_VIOLATED);
    cpm_design_clear(&d);
    cpm_guidelines_clear(&g);
    cpm_measurements_clear(&m);
}

static void what_was_not_measured_is_left_out(void **state)
{
    (void)state;
    size_t bytes[] = {64, 128};
    bool only[CPM_OPERATIONS] = {[CPM_OP_BCAST] = true};
    cpm_guidelines g = guidelines(bytes, 2, only);
    cpm_measurements m = {0};
    cpm_error e = {0};
    assert_int_equal(g.count, 4);
    add(&m, &g.at[0].left, 10e-6, TURNS);
    add(&m, &g.at[1].left, 20e-6, TURNS);
    assert_int_equal(cpm_guidelines_judge(&g, &m, 0.05, 0.05, NULL), CPM_OK);
    assert_int_equal(g.count, 2); /* monotony, and two of the smaller */
    assert_int_equal(g.at[0].verdict, CPM_GUIDELINE_KEPT);
    free(m.at[0].samples);
    m.at[0].samples = NULL;
    assert_int_equal(cpm_guidelines_judge(&g, &m, 0.05, 0.05, &e), CPM_EDATA);
    assert_non_null(strstr(e.text, "--raw"));
    cpm_guidelines_clear(&g);
    cpm_measurements_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_name_what_there_is),
        cmocka_unit_test(both_sides_are_of_the_same_data),
        cmocka_unit_test(larger_calls_take_no_less_and_no_more_than_several),
        cmocka_unit_test(a_turn_asks_for_everything_and_every_second_one_backwards),
        cmocka_unit_test(what_takes_longer_than_the_right_is_violated),
        cmocka_unit_test(the_faster_mender_is_named),
        cmocka_unit_test(among_equal_times_none_is_violated),
        cmocka_unit_test(what_was_not_measured_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
