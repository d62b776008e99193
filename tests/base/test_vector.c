/* Arrays that grow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vector.h"

typedef struct {
    char at[3];
} three_bytes;

static three_bytes element(int k)
{
    return (three_bytes){{(char)k, (char)(k >> 8), (char)(k >> 16)}};
}

static void elements_stay_as_they_are_while_an_array_grows(void **state)
{
    (void)state;
    three_bytes *reserved = NULL, *extended = NULL;
    int64_t capacity = 0;
    for (int k = 0; k < 5000; k++) {
        assert_true(cpm_vector_reserve(&reserved, &capacity, k + 1, sizeof *reserved));
        assert_true(cpm_vector_extend(&extended, k, sizeof *extended));
        reserved[k] = extended[k] = element(k);
    }
    for (int k = 0; k < 5000; k++) {
        three_bytes expected = element(k);
        assert_memory_equal(&reserved[k], &expected, sizeof expected);
        assert_memory_equal(&extended[k], &expected, sizeof expected);
    }
    free(reserved);
    free(extended);
}

static void room_doubles_or_is_what_was_asked_for(void **state)
{
    (void)state;
    int *at = NULL;
    int64_t capacity = 0;
    assert_true(cpm_vector_reserve(&at, &capacity, 1, sizeof *at));
    int64_t first = capacity;
    assert_true(first >= 1);
    assert_true(cpm_vector_reserve(&at, &capacity, first, sizeof *at));
    assert_int_equal(capacity, first);
    assert_true(cpm_vector_reserve(&at, &capacity, first + 1, sizeof *at));
    assert_int_equal(capacity, 2 * first);
    assert_true(cpm_vector_reserve(&at, &capacity, 1000, sizeof *at));
    assert_int_equal(capacity, 1000);
    free(at);
}

static void what_shrank_grows_again_without_a_capacity(void **state)
{
    (void)state;
    int *at = NULL;
    for (int from = 0; from < 40; from++)
        for (int k = from; k < 40; k++) {
            assert_true(cpm_vector_extend(&at, k, sizeof *at));
            at[k] = k;
        }
    for (int k = 0; k < 40; k++)
        assert_int_equal(at[k], k);
    free(at);
}

static void without_memory_all_stays_as_it_was(void **state)
{
    (void)state;
    int *at = NULL;
    int64_t capacity = 0;
    assert_true(cpm_vector_reserve(&at, &capacity, 1, sizeof *at));
    int *before = at;
    int64_t had = capacity;
    at[0] = 42;
    assert_false(cpm_vector_reserve(&at, &capacity, INT64_MAX / 2, sizeof *at));
    assert_false(cpm_vector_extend(&at, INT64_C(1) << 61, sizeof *at));
    assert_ptr_equal(at, before);
    assert_int_equal(capacity, had);
    assert_int_equal(at[0], 42);
    free(at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_stay_as_they_are_while_an_array_grows),
        cmocka_unit_test(room_doubles_or_is_what_was_asked_for),
        cmocka_unit_test(what_shrank_grows_again_without_a_capacity),
        cmocka_unit_test(without_memory_all_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
