/* The first failure is kept; metadata are an ordered list without line breaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/metadata.h"

static void the_first_failure_is_kept(void **state)
{
    (void)state;
    cpm_error e = {0};
    assert_int_equal(cpm_fail(&e, CPM_EIO, "%s:%d: first", "x.meas", 7), CPM_EIO);
    assert_int_equal(cpm_fail(&e, CPM_EPARSE, "second"), CPM_EPARSE);
    assert_int_equal(e.code, CPM_EIO);
    assert_string_equal(e.text, "x.meas:7: first");
    cpm_error_clear(&e);
    assert_int_equal(e.code, CPM_OK);
    assert_string_equal(e.text, "");
}

static void a_long_sentence_is_cut_within_its_room(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_fail(&e, CPM_EIO, "%01000d", 0);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    assert_int_equal(cpm_fail(NULL, CPM_EIO, "nobody listens"), CPM_EIO);
}

static void what_a_terminal_would_obey_is_shown(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_fail(&e, CPM_EPARSE, "%s", "a\x1b[2J\nb\t\x7f \xc2\x9b \xc2\xb5s \xc3\xa9");
    assert_string_equal(e.text, "a\\x1b[2J\\nb\\t\\x7f \\xc2\\x9b \xc2\xb5s \xc3\xa9");
    cpm_error_clear(&e);
    cpm_fail(&e, CPM_EPARSE, "%0507d\x1b\x1b", 0); /* of two that need 4 bytes each one has room */
    assert_int_equal(strlen(e.text), 511);
    assert_string_equal(e.text + 507, "\\x1b");
}

static void every_status_has_its_own_sentence(void **state)
{
    (void)state;
    for (int a = CPM_ER; a <= CPM_OK; a++)
        for (int b = CPM_ER; b < a; b++)
            assert_string_not_equal(cpm_status_text(a), cpm_status_text(b));
    assert_string_equal(cpm_status_text(1), cpm_status_text(CPM_ER - 1));
}

static void a_fact_set_again_stays_in_its_place(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_metadata f = {0};
    assert_int_equal(cpm_metadata_set(&f, &e, "processes", "%d", 4), CPM_OK);
    assert_int_equal(cpm_metadata_set(&f, &e, "mpi", "one\ntwo\rthree"), CPM_OK);
    assert_int_equal(cpm_metadata_set(&f, &e, "processes", "%d", 5), CPM_OK);
    assert_int_equal(f.count, 2);
    assert_string_equal(f.items[0].key, "processes");
    assert_string_equal(f.items[0].value, "5");
    assert_string_equal(cpm_metadata_get(&f, "mpi"), "one two three");
    assert_null(cpm_metadata_get(&f, "hosts"));
    cpm_metadata_clear(&f);
    assert_int_equal(f.count, 0);
}

static void a_copy_replaces_equal_keys_and_keeps_percent_signs(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_metadata from = {0}, to = {0};
    assert_int_equal(cpm_metadata_set(&from, &e, "command", "%s", "cpm -o 100%s.meas"), CPM_OK);
    assert_int_equal(cpm_metadata_set(&to, &e, "command", "old"), CPM_OK);
    assert_int_equal(cpm_metadata_copy(&to, &from, &e), CPM_OK);
    cpm_metadata_clear(&from);
    assert_int_equal(to.count, 1);
    assert_string_equal(cpm_metadata_get(&to, "command"), "cpm -o 100%s.meas");
    cpm_metadata_clear(&to);
}

static void a_key_stays_on_one_line_and_is_found_again(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_metadata f = {0};
    assert_int_equal(cpm_metadata_set(&f, &e, "mpi\nlibrary", "one"), CPM_OK);
    assert_int_equal(cpm_metadata_set(&f, &e, "mpi\nlibrary", "two"), CPM_OK);
    assert_int_equal(f.count, 1);
    assert_string_equal(f.items[0].key, "mpi library");
    assert_string_equal(cpm_metadata_get(&f, "mpi library"), "two");
    assert_null(cpm_metadata_get(&f, "mpi"));
    assert_null(cpm_metadata_get(&f, "mpi library "));
    cpm_metadata_clear(&f);
}

static void several_values_of_a_key_are_numbered_and_each_is_kept_once(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_metadata f = {0};
    static const char *const said[] = {"busy", "moved\nabout", "busy", "moved\nabout", "100 %s"};
    for (size_t k = 0; k < sizeof said / sizeof *said; k++)
        assert_int_equal(cpm_metadata_append(&f, &e, "warning", "%s", said[k]), CPM_OK);
    assert_int_equal(f.count, 3);
    assert_string_equal(cpm_metadata_get(&f, "warning"), "busy");
    assert_string_equal(cpm_metadata_get(&f, "warning_2"), "moved about");
    assert_string_equal(cpm_metadata_get(&f, "warning_3"), "100 %s");
    assert_true(cpm_metadata_belongs("warning", "warning"));
    assert_true(cpm_metadata_belongs("warning_12", "warning"));
    cpm_metadata more = {0};
    assert_int_equal(cpm_metadata_set(&more, &e, "warnings", "no"), CPM_OK);
    assert_int_equal(cpm_metadata_set(&more, &e, "warning", "100 %%s"), CPM_OK);
    assert_int_equal(cpm_metadata_set(&more, &e, "warning_2", "late"), CPM_OK);
    assert_int_equal(cpm_metadata_append_all(&f, &more, "warning", &e), CPM_OK);
    assert_int_equal(f.count, 4);
    assert_string_equal(cpm_metadata_get(&f, "warning_4"), "late");
    cpm_metadata_clear(&more);
    static const char *const others[] = {"warn", "warning_", "warning_x", "warning_2x", "warnings"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        assert_false(cpm_metadata_belongs(others[k], "warning"));
    cpm_metadata_clear(&f);
}

static void a_value_may_be_made_of_the_one_it_replaces(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_metadata f = {0};
    assert_int_equal(cpm_metadata_set(&f, &e, "a", "1"), CPM_OK);
    assert_int_equal(cpm_metadata_set(&f, &e, "a", "%s, 2", cpm_metadata_get(&f, "a")), CPM_OK);
    assert_string_equal(cpm_metadata_get(&f, "a"), "1, 2");
    cpm_metadata_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_failure_is_kept),
        cmocka_unit_test(a_long_sentence_is_cut_within_its_room),
        cmocka_unit_test(what_a_terminal_would_obey_is_shown),
        cmocka_unit_test(every_status_has_its_own_sentence),
        cmocka_unit_test(a_fact_set_again_stays_in_its_place),
        cmocka_unit_test(a_copy_replaces_equal_keys_and_keeps_percent_signs),
        cmocka_unit_test(a_key_stays_on_one_line_and_is_found_again),
        cmocka_unit_test(several_values_of_a_key_are_numbered_and_each_is_kept_once),
        cmocka_unit_test(a_value_may_be_made_of_the_one_it_replaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
