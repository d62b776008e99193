/* Profiles: what is written is read back, and no part of one is taken for a whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text_file.h"
#include "history/profile.h"
#include "tests/folder.h"

static const char example[] =
    "{\n"
    "  \"format\": \"cpm profile\",\n"
    "  \"version\": 1,\n"
    "  \"provenance\": {\n"
    "    \"program\": \"a \\\"program\\\"\",\n"
    "    \"library\": \"openmpi\"\n"
    "  },\n"
    "  \"processes\": 3,\n"
    "  \"hosts\": [\"b\", \"a\", \"b\"],\n"
    "  \"seconds\": 2.5,\n"
    "  \"collectives\": 0.125,\n"
    "  \"left_out\": 7,\n"
    "  \"communicators\": [\n"
    "    {\"size\": 3, \"processes\": [0, 1, 2]},\n"
    "    {\"size\": 2, \"processes\": [2, 0]}\n"
    "  ],\n"
    "  \"calls\": [\n"
    "    {\"communicator\": 0, \"operation\": \"bcast\", \"root\": 2, \"bytes\": 4, \"calls\": 10, "
    "\"mean\": 0.00025, \"total\": 0.0025, \"between\": 0.0134009, \"back_to_back\": 9, "
    "\"timed\": 7, \"least\": 2e-06, \"least_at\": 2, \"most\": 0.0004, \"most_at\": 0},\n"
    "    {\"communicator\": 1, \"operation\": \"alltoallv\", \"bytes\": 107.5, \"calls\": 1, "
    "\"mean\": 1e-06, \"total\": 1e-06, \"between\": 0, \"back_to_back\": 0}\n"
    "  ]\n"
    "}\n";

static void write_part(const char *name, size_t bytes)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(example, 1, bytes, f), bytes);
    assert_int_equal(fclose(f), 0);
}

static cpm_profile *example_read(void)
{
    cpm_profile *p = NULL;
    cpm_error e = {0};
    write_part("test_profile.json", sizeof example - 1);
    assert_int_equal(cpm_profile_read("test_profile.json", &p, &e), CPM_OK);
    assert_string_equal(e.text, "");
    return p;
}

static void what_is_read_is_what_it_says(void **state)
{
    (void)state;
    cpm_profile *p = example_read();
    assert_int_equal(p->library, CPM_LIBRARY_OPENMPI);
    assert_int_equal(p->n, 3);
    assert_string_equal(p->hosts[1], "a");
    assert_int_equal(p->left_out, 7);
    assert_int_equal(p->communicators[1].process[0], 2);
    assert_int_equal(p->count, 2);
    assert_ptr_equal(p->at[1].operation, &cpm_operations[CPM_OP_ALLTOALLV]);
    assert_int_equal(p->at[0].root, 2);
    assert_int_equal(p->at[1].root, -1);
    assert_int_equal(p->at[0].back_to_back, 9);
    assert_int_equal(p->at[0].timed, 7);
    assert_int_equal(p->at[1].timed, p->at[1].calls);
    assert_true(p->at[0].least == 2e-6 && p->at[0].least_at == 2);
    assert_true(p->at[0].most == 4e-4 && p->at[0].most_at == 0);
    assert_int_equal(p->at[1].least_at, -1);
    assert_true(p->at[1].bytes == 107.5);
    cpm_profile_free(p);
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    cpm_profile *p = example_read();
    char *text;
    size_t size;
    assert_int_equal(cpm_profile_write(p, "test_profile_again.json", NULL), CPM_OK);
    assert_int_equal(cpm_text_read("test_profile_again.json", &text, &size, NULL), CPM_OK);
    assert_string_equal(text, example);
    free(text);
    cpm_profile_free(p);
}

static void no_part_is_taken_for_a_whole(void **state)
{
    (void)state;
    for (size_t bytes = 0; bytes < sizeof example - 2; bytes++) {
        cpm_profile *p = NULL;
        cpm_error e = {0};
        write_part("test_profile_cut.json", bytes);
        assert_int_equal(cpm_profile_read("test_profile_cut.json", &p, &e), CPM_EPARSE);
        assert_non_null(strstr(e.text, "test_profile_cut.json:"));
        assert_null(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_is_what_it_says),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(no_part_is_taken_for_a_whole),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
