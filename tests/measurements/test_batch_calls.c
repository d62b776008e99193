/* How many calls a batch has, and what files say of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measurements/batch_calls.h"

static void short_blocks_make_long_batches(void **state)
{
    (void)state;
    const struct {
        size_t bytes;
        int calls;
    } expected[] = {{0, 100},    {3072, 100}, {3073, 50},   {12288, 50}, {12289, 20},
                    {98304, 20}, {98305, 10}, {393216, 10}, {393217, 5}, {SIZE_MAX, 5}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(cpm_batch_calls(CPM_BATCH_BY_SIZE, expected[i].bytes), expected[i].calls);
        assert_int_equal(cpm_batch_calls(7, expected[i].bytes), 7);
    }
}

static int read_back(const char *timing, int *batch)
{
    cpm_metadata metadata = {0};
    assert_int_equal(cpm_metadata_set(&metadata, NULL, "timing", "%s", timing), CPM_OK);
    int status = cpm_batch_of_metadata(&metadata, batch, NULL);
    cpm_metadata_clear(&metadata);
    return status;
}

static void names_are_read_back(void **state)
{
    (void)state;
    const int all[] = {CPM_ISOLATED, CPM_BATCH_BY_SIZE, 1, 20, CPM_BATCH_MOST};
    char name[CPM_BATCH_NAME];
    int batch;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        cpm_batch_name(all[i], name);
        assert_int_equal(read_back(name, &batch), CPM_OK);
        assert_int_equal(batch, all[i]);
    }
}

static void other_timings_are_of_isolated_calls(void **state)
{
    (void)state;
    int batch = 1;
    assert_int_equal(read_back("global", &batch), CPM_OK);
    assert_int_equal(batch, CPM_ISOLATED);
    batch = 1;
    assert_int_equal(cpm_batch_of_metadata(&(cpm_metadata){0}, &batch, NULL), CPM_OK);
    assert_int_equal(batch, CPM_ISOLATED);
}

static void impossible_batches_are_refused(void **state)
{
    (void)state;
    const char *const all[] = {"batch of 0", "batch of -3", "batch of ", "batch of 20 x",
                               "batch of 99999999999999999999"};
    int batch;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_int_equal(read_back(all[i], &batch), CPM_EDATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_blocks_make_long_batches),
        cmocka_unit_test(names_are_read_back),
        cmocka_unit_test(other_timings_are_of_isolated_calls),
        cmocka_unit_test(impossible_batches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
