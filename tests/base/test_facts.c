/* Ordered pairs of a header. */
#include "mpib/base/facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void set(cpm_facts *f, const char *key, const char *value)
{
    cpm_error e = {0};
    assert_int_equal(cpm_facts_set(f, &e, key, "%s", value), CPM_OK);
}

static void pairs_keep_the_order_they_were_set_in(void **state)
{
    (void)state;
    const char *keys[] = {"hosts", "date", "mpi", "binding", "a"};
    cpm_facts f = {0};
    for (int i = 0; i < 5; i++)
        set(&f, keys[i], "v");
    assert_int_equal(f.count, 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(f.items[i].key, keys[i]);
    cpm_facts_clear(&f);
}

static void a_value_is_formatted(void **state)
{
    (void)state;
    cpm_facts f = {0};
    assert_int_equal(cpm_facts_set(&f, NULL, "processes", "%d of %s", 4, "all"), CPM_OK);
    assert_string_equal(cpm_facts_get(&f, "processes"), "4 of all");
    cpm_facts_clear(&f);
}

static void an_equal_key_gets_the_new_value_in_its_place(void **state)
{
    (void)state;
    cpm_facts f = {0};
    set(&f, "a", "1");
    set(&f, "b", "2");
    set(&f, "a", "3");
    assert_int_equal(f.count, 2);
    assert_string_equal(f.items[0].key, "a");
    assert_string_equal(f.items[0].value, "3");
    cpm_facts_clear(&f);
}

static void a_value_may_be_made_of_the_one_it_replaces(void **state)
{
    (void)state;
    cpm_facts f = {0};
    set(&f, "a", "1");
    assert_int_equal(cpm_facts_set(&f, NULL, "a", "%s, 2", cpm_facts_get(&f, "a")), CPM_OK);
    assert_string_equal(cpm_facts_get(&f, "a"), "1, 2");
    cpm_facts_clear(&f);
}

static void a_pair_stays_on_one_line(void **state)
{
    (void)state;
    cpm_facts f = {0};
    set(&f, "mpi\nlibrary", "MPICH\r\n4.0\n");
    set(&f, "mpi\nlibrary", "Open MPI\n4.1");
    assert_int_equal(f.count, 1);
    assert_string_equal(f.items[0].key, "mpi library");
    assert_string_equal(f.items[0].value, "Open MPI 4.1");
    assert_null(cpm_facts_get(&f, "mpi"));
    assert_null(cpm_facts_get(&f, "mpi library "));
    cpm_facts_clear(&f);
}

static void an_unknown_key_has_no_value(void **state)
{
    (void)state;
    cpm_facts f = {0};
    assert_null(cpm_facts_get(&f, "hosts"));
    set(&f, "hosts", "");
    assert_string_equal(cpm_facts_get(&f, "hosts"), "");
    assert_null(cpm_facts_get(&f, "host"));
    cpm_facts_clear(&f);
}

static void a_copy_replaces_equal_keys_and_owns_its_text(void **state)
{
    (void)state;
    cpm_facts from = {0}, to = {0};
    set(&to, "a", "old");
    set(&from, "a", "100 %d");
    set(&from, "b", "2");
    assert_int_equal(cpm_facts_copy(&to, &from, NULL), CPM_OK);
    cpm_facts_clear(&from);
    assert_int_equal(from.count, 0);
    assert_int_equal(to.count, 2);
    assert_string_equal(cpm_facts_get(&to, "a"), "100 %d");
    assert_string_equal(cpm_facts_get(&to, "b"), "2");
    cpm_facts_clear(&to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_keep_the_order_they_were_set_in),
        cmocka_unit_test(a_value_is_formatted),
        cmocka_unit_test(an_equal_key_gets_the_new_value_in_its_place),
        cmocka_unit_test(a_value_may_be_made_of_the_one_it_replaces),
        cmocka_unit_test(a_pair_stays_on_one_line),
        cmocka_unit_test(an_unknown_key_has_no_value),
        cmocka_unit_test(a_copy_replaces_equal_keys_and_owns_its_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
