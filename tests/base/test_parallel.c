/* Things done in threads: each once, and failing as if they had been done in order. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/parallel.h"

enum { MOST = 1000 };

static int done[MOST];

static int count_one(void *context, int k, cpm_error *e)
{
    (void)context, (void)e;
    done[k]++;
    return CPM_OK;
}

static void each_is_done_once(void **state)
{
    (void)state;
    const int threads[] = {0, 1, 2, 7, 10000};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        for (int count = 0; count <= MOST; count = 3 * count + 1) {
            cpm_error e = {0};
            memset(done, 0, sizeof done);
            assert_int_equal(cpm_parallel(count, threads[t], count_one, NULL, &e), CPM_OK);
            for (int k = 0; k < MOST; k++)
                assert_int_equal(done[k], k < count);
        }
}

/* The second of two that fail is the first that ends. */
static int fail_late(void *context, int k, cpm_error *e)
{
    pthread_barrier_t *both = context;
    if (k > 1)
        return CPM_OK;
    pthread_barrier_wait(both);
    for (volatile long wait = 0; k == 0 && wait < 10000000; wait++)
        ;
    return cpm_fail(e, k == 0 ? CPM_EDATA : CPM_EINVAL, "the one numbered %d", k);
}

static void the_failure_is_that_of_the_least(void **state)
{
    (void)state;
    cpm_error e = {0};
    pthread_barrier_t both;
    pthread_barrier_init(&both, NULL, 2);
    assert_int_equal(cpm_parallel(MOST, 2, fail_late, &both, &e), CPM_EDATA);
    assert_string_equal(e.text, "the one numbered 0");
    pthread_barrier_destroy(&both);
}

static int fail_at(void *context, int k, cpm_error *e)
{
    done[k]++;
    return k == *(int *)context ? cpm_fail(e, CPM_ENOMEM, "no memory") : CPM_OK;
}

static void what_comes_before_a_failure_is_done(void **state)
{
    (void)state;
    int at = MOST / 2;
    cpm_error e = {0};
    memset(done, 0, sizeof done);
    assert_int_equal(cpm_parallel(MOST, 3, fail_at, &at, &e), CPM_ENOMEM);
    for (int k = 0; k <= at; k++)
        assert_int_equal(done[k], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_done_once),
        cmocka_unit_test(the_failure_is_that_of_the_least),
        cmocka_unit_test(what_comes_before_a_failure_is_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
