/* Models whose hosts are alike: what is walked for its likes takes as long as walking everybody. */
#include "hosts_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/symmetry.h"
#include "models/walking.h"

static int host_in(bool cyclic, int process, int hosts, int each)
{
    return cyclic ? process % hosts : process / each;
}

static cpm_model *alike(int hosts, int each, bool cyclic)
{
    int host[256];
    for (int i = 0; i < hosts * each; i++)
        host[i] = host_in(cyclic, i, hosts, each);
    cpm_model *m = hosts_model(host, hosts * each, 3);
    make_alike(m);
    return m;
}

/* Two sockets on each host. */
static cpm_model *alike_on_sockets(int hosts, int each, bool cyclic)
{
    int host[256], socket[256];
    for (int i = 0; i < hosts * each; i++) {
        host[i] = i / each;
        socket[i] = cyclic ? i % 2 : i % each / ((each + 1) / 2);
    }
    cpm_model *m = sockets_model(host, socket, hosts * each, 3);
    make_alike(m);
    return m;
}

/* The switches are alike, too. */
static void put_on_switches(cpm_model *m, int hosts_each, int count)
{
    static const char *const name[] = {"a", "b", "c", "d"};
    int on[256];
    cpm_classes switches;
    for (int i = 0; i < m->n; i++)
        on[i] = m->on.of[i] / hosts_each;
    assert_int_equal(cpm_classes_create(m->n, on, count, name, &switches, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_switches(m, &switches, NULL), CPM_OK);
    cpm_classes_clear(&switches);
    for (int k = 0; k < count; k++)
        m->value[CPM_LMO2_UP][k] = m->value[CPM_LMO2_DOWN][k] = m->value[CPM_LMO2_GO][0] / 2;
}

static cpm_schedule *schedule_of(const cpm_model *m, const cpm_algorithm *a)
{
    cpm_error e = {0};
    cpm_schedule *s = NULL;
    const cpm_call call = {.n = m->n, .root = 0, .bytes = 100, .hosts = &m->on};
    return cpm_schedule_create(a, &call, &s, &e) ? NULL : s;
}

static bool close_to(double a, double b, double part)
{
    return fabs(a - b) <= part * b;
}

/* Whether a rank receives several messages in a round. Of those that arrive at the same moment one
 * is taken first, another one by ranks that are alike where all are walked. */
static bool takes_one_first(const cpm_schedule *s)
{
    cpm_steps steps = {0};
    bool several = false;
    for (int r = 0; r < s->n; r++) {
        int received = 0, round = -1;
        assert_int_equal(cpm_schedule_rank(s, r, &steps, NULL), CPM_OK);
        for (int k = 0; k < steps.count; k++) {
            if (steps.at[k].round != round)
                received = 0;
            round = steps.at[k].round;
            several = several || (cpm_step_receives(&steps.at[k]) && ++received > 1);
        }
    }
    cpm_steps_free(&steps);
    return several;
}

/* Whether ranks are alike in some way: *period is n if they are not. */
static void expect_as_everybody(const cpm_model *m, const cpm_algorithm *a, size_t bytes,
                                int *period)
{
    cpm_schedule *s = schedule_of(m, a);
    const cpm_block_sizes sizes = {.bytes = bytes};
    cpm_model_symmetry y;
    cpm_error e = {0};
    bool found;
    double one[256], all[256];
    *period = m->n;
    if (!s)
        return;
    assert_int_equal(cpm_model_find_symmetry(m, s, &sizes, &y, &found, &e), CPM_OK);
    if (found)
        *period = y.ranks.period;
    double kinds = cpm_model_walk(m, s, &sizes, NULL, one, &e);
    double everybody = cpm_flow_walk(s, &sizes, m->type->flow, m, NULL, all, &e);
    assert_string_equal(e.text, "");
    double part = takes_one_first(s) ? 0.005 : 1e-9;
    if (!close_to(kinds, everybody, part))
        fail_msg("%s:%s, %d processes, %zu bytes: %.9g s by kind, %.9g s by all", a->operation,
                 a->name, m->n, bytes, kinds, everybody);
    for (int r = 0; r < m->n && part < 0.001; r++)
        assert_true(close_to(one[r], all[r], part));
    cpm_model_symmetry_clear(&y);
    cpm_schedule_free(s);
}

/* Algorithms whose ranks are alike. */
static int expect_all_as_everybody(const cpm_model *m, size_t bytes)
{
    int found = 0, period;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        expect_as_everybody(m, a, bytes, &period);
        found += period < m->n;
    }
    return found;
}

static void kinds_take_as_long_as_everybody(void **state)
{
    (void)state;
    static const int layouts[][2] = {{4, 1}, {6, 1}, {9, 1}, {16, 1},
                                     {3, 2}, {4, 4}, {5, 3}, {8, 8}};
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++)
        for (int cyclic = 0; cyclic < 2; cyclic++)
            for (size_t bytes = 1; bytes < 200000; bytes = 150 * bytes + 50) {
                cpm_model *m = alike(layouts[k][0], layouts[k][1], cyclic);
                assert_true(expect_all_as_everybody(m, bytes) >= 20);
                cpm_model_free(m);
            }
}

static void kinds_behind_switches_take_as_long_as_everybody(void **state)
{
    (void)state;
    for (int cyclic = 0; cyclic < 2; cyclic++) {
        cpm_model *m = alike(8, 2, cyclic);
        put_on_switches(m, 2, 4);
        assert_true(expect_all_as_everybody(m, 20000) >= 15);
        cpm_model_free(m);
    }
}

static void kinds_on_sockets_take_as_long_as_everybody(void **state)
{
    (void)state;
    for (int cyclic = 0; cyclic < 2; cyclic++)
        for (int each = 2; each <= 6; each += 2) {
            cpm_model *m = alike_on_sockets(4, each, cyclic);
            assert_true(expect_all_as_everybody(m, 20000) >= 15);
            cpm_model_free(m);
        }
}

static void kinds_that_copy_take_as_long_as_everybody(void **state)
{
    (void)state;
    for (int cyclic = 0; cyclic < 2; cyclic++) {
        cpm_model *m = alike(2, 8, cyclic);
        double alone = m->value[CPM_LMO2_INSIDE_INVBETA][m->classes.count];
        m->value[CPM_LMO2_FETCHED][0] = m->value[CPM_LMO2_INSIDE_RENDEZVOUS][0];
        for (int h = 0; h < m->classes.count; h++) {
            m->value[CPM_LMO2_MEMORY][h] = NAN;
            m->value[CPM_LMO2_FETCHING][h] = 0.3 * alone;
            m->value[CPM_LMO2_SOURCE][h] = 0.9 * alone;
            m->value[CPM_LMO2_COPYING][h] = 0.7 * alone;
        }
        assert_true(expect_all_as_everybody(m, 20000) >= 15);
        cpm_model_free(m);
    }
}

/* The second host's processes are on one socket, as far as is known. */
static void an_unknown_socket_is_like_no_other(void **state)
{
    (void)state;
    const int host[] = {0, 0, 0, 0, 1, 1, 1, 1}, socket[] = {0, 0, 1, 1, -1, -1, 1, 1};
    cpm_model *m = sockets_model(host, socket, 8, 3);
    make_alike(m);
    expect_all_as_everybody(m, 20000);
    cpm_model_free(m);
}

static int period_of(const cpm_model *m, const char *operation, const char *algorithm)
{
    const cpm_algorithm *a = NULL;
    int period;
    assert_int_equal(cpm_algorithm_find(operation, algorithm, &a, NULL), CPM_OK);
    expect_as_everybody(m, a, 1000, &period);
    return period;
}

static void one_process_of_each_kind_is_walked(void **state)
{
    (void)state;
    cpm_model *block = alike(4, 4, false), *cyclic = alike(4, 4, true);
    assert_int_equal(period_of(block, "alltoall", "ring"), 4);
    assert_int_equal(period_of(block, "alltoall", "pair"), 1); /* within a host, too */
    assert_int_equal(period_of(block, "allgather", "neighbor"), 4);
    assert_int_equal(period_of(cyclic, "alltoall", "ring"), 1);
    assert_int_equal(period_of(cyclic, "allgather", "neighbor"), 2);
    assert_int_equal(period_of(block, "bcast", "binomial"), 16);
    put_on_switches(block, 2, 2);
    assert_int_equal(period_of(block, "alltoall", "ring"), 8);
    cpm_model *sockets = alike_on_sockets(4, 4, false);
    assert_int_equal(period_of(sockets, "alltoall", "ring"), 4);
    cpm_model_free(sockets);
    cpm_model_free(block);
    cpm_model_free(cyclic);
}

static void who_differs_is_walked(void **state)
{
    (void)state;
    cpm_model *m = alike(4, 4, false);
    m->value[CPM_LMO2_GO][3] *= 1.001;
    assert_int_equal(period_of(m, "alltoall", "ring"), 16);
    m->value[CPM_LMO2_GO][1] *= 1.001;
    assert_int_equal(period_of(m, "alltoall", "ring"), 8);
    m->value[CPM_LMO2_L][1] *= 1.001;
    assert_int_equal(period_of(m, "alltoall", "ring"), 16);
    cpm_model_free(m);
}

static void blocks_that_differ_make_ranks_differ(void **state)
{
    (void)state;
    cpm_model *m = alike(4, 1, false);
    const cpm_algorithm *a = NULL;
    assert_int_equal(cpm_algorithm_find("allgather", "logical-ring", &a, NULL), CPM_OK);
    cpm_schedule *s = schedule_of(m, a);
    cpm_model_symmetry y;
    bool found;
    const size_t each[][4] = {{5, 5, 5, 5}, {5, 6, 5, 6}, {5, 5, 5, 6}};
    const int period[] = {1, 2, 4};
    for (int k = 0; k < 3; k++) {
        const cpm_block_sizes sizes = {.each = each[k]};
        assert_int_equal(cpm_model_find_symmetry(m, s, &sizes, &y, &found, NULL), CPM_OK);
        assert_int_equal(found ? y.ranks.period : 4, period[k]);
        cpm_model_symmetry_clear(&y);
    }
    cpm_schedule_free(s);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_take_as_long_as_everybody),
        cmocka_unit_test(kinds_behind_switches_take_as_long_as_everybody),
        cmocka_unit_test(kinds_on_sockets_take_as_long_as_everybody),
        cmocka_unit_test(kinds_that_copy_take_as_long_as_everybody),
        cmocka_unit_test(an_unknown_socket_is_like_no_other),
        cmocka_unit_test(one_process_of_each_kind_is_walked),
        cmocka_unit_test(who_differs_is_walked),
        cmocka_unit_test(blocks_that_differ_make_ranks_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
