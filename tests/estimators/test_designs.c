/* Rounds of triplets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "estimators/designs.h"

enum { MOST = 40 };

static cpm_design trains(int n, int partners)
{
    cpm_design d = {0};
    assert_int_equal(cpm_design_trains(&d, n, 8, partners, 512, 512, NULL), CPM_OK);
    return d;
}

static void assert_disjoint_rounds(const cpm_design *d, int n)
{
    assert_true(d->rounds > 0);
    assert_int_equal(d->end[d->rounds - 1], d->count);
    for (int r = 0, x = 0; r < d->rounds; r++) {
        char busy[MOST] = {0};
        assert_true(x < d->end[r]);
        for (; x < d->end[r]; x++) {
            assert_int_equal(cpm_experiment_check(&d->at[x], n, NULL), CPM_OK);
            assert_int_equal(busy[d->at[x].i]++, 0);
            assert_int_equal(busy[d->at[x].j]++, 0);
            assert_int_equal(busy[d->at[x].k]++, 0);
        }
    }
}

static void trains_have_every_process_as_root_of_new_repliers(void **state)
{
    (void)state;
    for (int n = 3; n <= MOST; n++)
        for (int partners = 1; partners <= 7; partners += 2) {
            cpm_design d = trains(n, partners);
            int rooted[MOST] = {0}, expected = partners < n ? partners : n - 1;
            char met[MOST][MOST] = {{0}};
            assert_disjoint_rounds(&d, n);
            for (int x = 0; x < d.count; x++) {
                rooted[d.at[x].i]++;
                if (met[d.at[x].i][d.at[x].k]++)
                    fail_msg("%d processes: %d replies to %d again", n, d.at[x].k, d.at[x].i);
                assert_int_equal(d.at[x].send_bytes, d.at[x].reply_bytes);
                assert_int_equal(d.at[x].count, 8);
            }
            for (int i = 0; i < n; i++)
                assert_int_equal(rooted[i], expected);
            cpm_design_clear(&d);
        }
}

/* n / 3 triplets fit into a round; a third more rounds than that would be half idle. */
static void trains_keep_the_processes_busy(void **state)
{
    (void)state;
    for (int n = 12; n <= MOST; n++) {
        cpm_design d = trains(n, 5);
        int least = (5 * n + n / 3 - 1) / (n / 3);
        assert_in_range(d.rounds, least, least + least / 3);
        cpm_design_clear(&d);
    }
}

static void trains_are_the_same_in_every_run(void **state)
{
    (void)state;
    cpm_design a = trains(16, 5), b = trains(16, 5);
    assert_int_equal(a.count, b.count);
    for (int x = 0; x < a.count; x++)
        assert_true(cpm_experiment_equal(&a.at[x], &b.at[x]));
    cpm_design_clear(&a);
    cpm_design_clear(&b);
}

static void triplets_are_all_choices_of_a_root_and_two_others(void **state)
{
    (void)state;
    for (int n = 3; n <= 13; n++) {
        cpm_design d = {0};
        char seen[13][13][13] = {{{0}}};
        assert_int_equal(cpm_design_triplets(&d, n, 64, NULL), CPM_OK);
        assert_int_equal(d.count, n * (n - 1) * (n - 2) / 2);
        assert_disjoint_rounds(&d, n);
        for (int x = 0; x < d.count; x++) {
            assert_true(d.at[x].j < d.at[x].k);
            assert_int_equal(seen[d.at[x].i][d.at[x].j][d.at[x].k]++, 0);
            assert_int_equal(d.at[x].reply_bytes, 0);
        }
        cpm_design_clear(&d);
    }
}

static void assert_same_design(const cpm_design *a, const cpm_design *b)
{
    assert_int_equal(a->rounds, b->rounds);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->end, b->end, (size_t)a->rounds * sizeof *a->end);
    for (int x = 0; x < a->count; x++)
        assert_true(cpm_experiment_equal(&a->at[x], &b->at[x]));
}

/* All that are near, if that are not more than are wanted; where everybody is, the same pairs as of
 * a tournament. */
static void partners_are_chosen_of_those_that_are_near(void **state)
{
    (void)state;
    enum { N = 14, PARTNERS = 3 };
    static const int site[N] = {0, 1, 0, 2, 1, 0, 1, 0, 0, 1, 2, 1, 0, 3};
    bool near[N * N], all[N * N];
    cpm_design d = {0}, same = {0}, plain = {0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            near[i * N + j] = site[i] == site[j] || site[i] == 3; /* to the last all are as far */
            all[i * N + j] = true;
        }
    cpm_experiment x = cpm_experiment_pair(CPM_ROUNDTRIP, 0, 1, 8, 0);
    assert_int_equal(cpm_design_near(&d, N, PARTNERS, near, x, NULL), CPM_OK);
    int met[N] = {0};
    for (int r = 0, q = 0; r < d.rounds; r++) {
        char busy[N] = {0};
        assert_true(q < d.end[r]);
        for (; q < d.end[r]; q++) {
            int i = d.at[q].i, j = d.at[q].j;
            assert_int_equal(busy[i]++, 0);
            assert_int_equal(busy[j]++, 0);
            assert_true(near[i * N + j] || near[j * N + i]);
            met[i] += near[i * N + j];
        }
    }
    for (int i = 0; i < N; i++)
        assert_true(site[i] == 2 ? met[i] == 1 : met[i] >= PARTNERS);
    assert_int_equal(cpm_design_near(&same, N, PARTNERS, all, x, NULL), CPM_OK);
    assert_int_equal(cpm_design_both_ways(&plain, N, PARTNERS, CPM_ROUNDTRIP, 8, 0, NULL), CPM_OK);
    assert_same_design(&same, &plain);
    cpm_design_clear(&d);
    cpm_design_clear(&same);
    cpm_design_clear(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trains_have_every_process_as_root_of_new_repliers),
        cmocka_unit_test(trains_keep_the_processes_busy),
        cmocka_unit_test(trains_are_the_same_in_every_run),
        cmocka_unit_test(triplets_are_all_choices_of_a_root_and_two_others),
        cmocka_unit_test(partners_are_chosen_of_those_that_are_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
