/* What is left out without being walked could not have been faster. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../models/hosts_model.h"
#include "collectives/schedule/flow_walk.h"
#include "models/walking.h"
#include "selection/bound.h"

enum { MOST = 17 };

static void compare(const cpm_model *m, const cpm_algorithm *a, size_t bytes)
{
    cpm_schedule *s;
    const cpm_block_sizes sizes = {.bytes = bytes};
    cpm_least few, ended_few;
    double alone, ended, finish[MOST];
    if (cpm_schedule_create(a, &(cpm_call){.n = m->n, .bytes = bytes}, &s, NULL))
        return;
    assert_int_equal(cpm_least_of_few(m, s, &sizes, INFINITY, &few, NULL), CPM_OK);
    assert_int_equal(cpm_least_of_walk(m, s, &sizes, INFINITY, finish, &alone, NULL), CPM_OK);
    double walked = cpm_flow_walk(s, &sizes, m->type->flow, m, NULL, NULL, NULL);
    if (few.seconds > walked || alone > walked)
        fail_msg("%s, %d processes, %zu bytes: at least %g or %g s, but %g", a->name, m->n, bytes,
                 few.seconds, alone, walked);
    for (int r = 0; r < m->n; r++)
        assert_true(finish[r] * (1 - 1e-9) <= walked);
    /* They end where nobody wants to know more. */
    assert_int_equal(cpm_least_of_few(m, s, &sizes, 0.5 * few.seconds, &ended_few, NULL), CPM_OK);
    assert_true(ended_few.seconds >= 0.5 * few.seconds && ended_few.seconds <= few.seconds);
    assert_true(ended_few.messages <= few.messages);
    assert_int_equal(cpm_least_of_walk(m, s, &sizes, 0.5 * alone, NULL, &ended, NULL), CPM_OK);
    assert_true(ended >= 0.5 * alone && ended <= walked);
    cpm_schedule_free(s);
}

static void compare_all(cpm_model *m)
{
    const size_t bytes[] = {0, 100, 8192, 200000};
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++)
            compare(m, a, bytes[k]);
    cpm_model_free(m);
}

static void no_walk_ends_below_the_bound(void **state)
{
    (void)state;
    for (int n = 2; n <= 17; n += 5) {
        unsigned seed = (unsigned)n;
        cpm_model *m = random_lmo2(n, seed);
        for (int i = 0; i < n; i++) {
            m->value[CPM_LMO2_GO][i] = random_between(&seed, 8e-9, 30e-9);
            m->value[CPM_LMO2_GI][i] = random_between(&seed, 8e-9, 30e-9);
        }
        compare_all(m);
    }
}

static void nor_on_hosts_of_several(void **state)
{
    (void)state;
    const int host[] = {0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3};
    compare_all(hosts_model(host, 12, 5));
}

static void compare_plainly(const cpm_model *m, const cpm_algorithm *a, size_t bytes)
{
    cpm_schedule *s;
    const cpm_block_sizes sizes = {.bytes = bytes};
    cpm_least few;
    if (cpm_schedule_create(a, &(cpm_call){.n = m->n, .bytes = bytes}, &s, NULL))
        return;
    assert_int_equal(cpm_least_of_few(m, s, &sizes, INFINITY, &few, NULL), CPM_OK);
    double walked = cpm_model_walk(m, s, &sizes, NULL, NULL, NULL);
    if (few.seconds > walked)
        fail_msg("%s by %s, %d processes, %zu bytes: at least %g s, but %g", a->name, m->type->name,
                 m->n, bytes, few.seconds, walked);
    cpm_schedule_free(s);
}

static void nor_where_messages_do_not_hinder_each_other(void **state)
{
    (void)state;
    const size_t bytes[] = {0, 100, 200000};
    for (int n = 3; n <= 17; n += 7) {
        cpm_model *models[] = {random_lmo(n, (unsigned)n), random_hockney(n, (unsigned)n),
                               random_loggp(n, (unsigned)n)};
        for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
            for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
                for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++)
                    compare_plainly(models[i], a, bytes[k]);
            cpm_model_free(models[i]);
        }
    }
}

/* Nothing but the gaps of its link end keeps such a root busy. */
static void gaps_are_bounds(void **state)
{
    (void)state;
    const cpm_algorithm *a;
    cpm_schedule *s;
    const cpm_block_sizes sizes = {.bytes = 1024};
    cpm_least few;
    cpm_model *m = random_hockney(40, 1);
    assert_int_equal(cpm_algorithm_find("scatter", "linear", &a, NULL), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = 40, .bytes = 1024}, &s, NULL), CPM_OK);
    assert_int_equal(cpm_least_of_few(m, s, &sizes, INFINITY, &few, NULL), CPM_OK);
    double walked = cpm_model_walk(m, s, &sizes, NULL, NULL, NULL);
    assert_true(few.seconds <= walked && few.seconds > 0.9 * walked);
    cpm_schedule_free(s);
    cpm_model_free(m);
}

/* A root that sends everything by itself takes nothing but that. */
static void one_sender_comes_close(void **state)
{
    (void)state;
    const cpm_algorithm *a;
    cpm_schedule *s;
    const cpm_block_sizes sizes = {.bytes = 1024};
    cpm_least few;
    double least;
    cpm_model *m = random_lmo2(40, 1);
    m->value[CPM_LMO2_GO][0] = 8e-9;
    assert_int_equal(cpm_algorithm_find("scatter", "linear", &a, NULL), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = 40, .bytes = 1024}, &s, NULL), CPM_OK);
    assert_int_equal(cpm_least_of_few(m, s, &sizes, INFINITY, &few, NULL), CPM_OK);
    assert_int_equal(cpm_least_of_walk(m, s, &sizes, INFINITY, NULL, &least, NULL), CPM_OK);
    double walked = cpm_model_walk(m, s, &sizes, NULL, NULL, NULL);
    assert_true(few.seconds <= walked && few.seconds > 0.8 * walked);
    assert_true(least <= walked && least > 0.8 * walked);
    cpm_schedule_free(s);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_walk_ends_below_the_bound),
        cmocka_unit_test(nor_on_hosts_of_several),
        cmocka_unit_test(nor_where_messages_do_not_hinder_each_other),
        cmocka_unit_test(gaps_are_bounds),
        cmocka_unit_test(one_sender_comes_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
