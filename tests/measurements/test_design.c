/* Designs: rounds, and the tournament of all pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "measurements/experiment.h"

static cpm_design tournament(int n)
{
    cpm_error e = {0};
    cpm_design d = {0};
    assert_int_equal(cpm_design_tournament(&d, n, 1024, &e), CPM_OK);
    return d;
}

static void a_tournament_has_every_pair_once_in_the_fewest_rounds(void **state)
{
    (void)state;
    for (int n = 2; n <= 33; n++) {
        cpm_error e = {0};
        cpm_design d = tournament(n);
        int *met = calloc((size_t)(n * n), sizeof *met);
        assert_non_null(met);
        assert_int_equal(d.count, n * (n - 1) / 2);
        assert_int_equal(d.rounds, n % 2 ? n : n - 1);
        for (int x = 0; x < d.count; x++) {
            assert_int_equal(cpm_experiment_check(&d.at[x], n, &e), CPM_OK);
            assert_true(d.at[x].i < d.at[x].j);
            assert_int_equal(met[d.at[x].i * n + d.at[x].j]++, 0);
            assert_int_equal(d.at[x].send_bytes, 1024);
            assert_int_equal(d.at[x].reply_bytes, 1024);
        }
        free(met);
        cpm_design_clear(&d);
    }
}

static void nobody_plays_twice_in_a_round(void **state)
{
    (void)state;
    for (int n = 2; n <= 33; n++) {
        cpm_design d = tournament(n);
        for (int r = 0, x = 0; r < d.rounds; r++) {
            int busy[33] = {0};
            assert_true(x < d.end[r]);
            for (; x < d.end[r]; x++) {
                assert_int_equal(busy[d.at[x].i]++, 0);
                assert_int_equal(busy[d.at[x].j]++, 0);
            }
        }
        assert_int_equal(d.end[d.rounds - 1], d.count);
        cpm_design_clear(&d);
    }
}

static void one_process_has_nobody_to_play(void **state)
{
    (void)state;
    cpm_design d = tournament(1);
    assert_int_equal(d.count, 0);
    assert_int_equal(d.rounds, 0);
    cpm_design_clear(&d);
}

static void a_serial_design_has_one_experiment_a_round_and_grows_on(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_design d = tournament(6);
    assert_int_equal(cpm_design_serial(&d, &e), CPM_OK);
    assert_int_equal(d.rounds, 15);
    for (int r = 0; r < d.rounds; r++)
        assert_int_equal(d.end[r], r + 1);
    assert_int_equal(cpm_design_tournament(&d, 40, 0, &e), CPM_OK); /* room for 39 more rounds */
    assert_int_equal(d.rounds, 15 + 39);
    assert_int_equal(d.end[d.rounds - 1], 15 + 40 * 39 / 2);
    cpm_design_clear(&d);
}

static void an_empty_round_is_left_out(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_design d = {0};
    cpm_experiment x = {.kind = cpm_experiment_kinds, .j = 1, .k = -1, .count = 1};
    assert_int_equal(cpm_design_close_round(&d, &e), CPM_OK);
    assert_int_equal(d.rounds, 0);
    assert_int_equal(cpm_design_add(&d, &x, &e), CPM_OK);
    assert_int_equal(cpm_design_close_round(&d, &e), CPM_OK);
    assert_int_equal(cpm_design_close_round(&d, &e), CPM_OK);
    assert_int_equal(d.rounds, 1);
    cpm_design_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tournament_has_every_pair_once_in_the_fewest_rounds),
        cmocka_unit_test(nobody_plays_twice_in_a_round),
        cmocka_unit_test(one_process_has_nobody_to_play),
        cmocka_unit_test(a_serial_design_has_one_experiment_a_round_and_grows_on),
        cmocka_unit_test(an_empty_round_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
