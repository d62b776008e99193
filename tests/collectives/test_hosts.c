/* Layouts of processes on hosts: by names, regular ones, of some of the processes. */
#include "collectives/hosts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_hosts(const cpm_hosts *h, int n, const int *of, int count)
{
    assert_int_equal(h->n, n);
    assert_int_equal(h->count, count);
    for (int i = 0; i < n; i++)
        assert_int_equal(h->of[i], of[i]);
}

static void hosts_are_numbered_as_they_come(void **state)
{
    (void)state;
    cpm_hosts h;
    assert_int_equal(cpm_hosts_named((const char *[]){"b", "a", "b", "c", "a", "b"}, 6, &h, NULL),
                     CPM_OK);
    assert_hosts(&h, 6, (int[]){0, 1, 0, 2, 1, 0}, 3);
    assert_true(cpm_hosts_share(&h, 0, 5));
    assert_false(cpm_hosts_share(&h, 0, 1));
    cpm_hosts_clear(&h);
}

static void who_has_no_name_is_alone(void **state)
{
    (void)state;
    cpm_hosts h;
    assert_int_equal(cpm_hosts_named((const char *[]){"", "a", NULL, "a", ""}, 5, &h, NULL),
                     CPM_OK);
    assert_hosts(&h, 5, (int[]){0, 1, 2, 1, 3}, 4);
    cpm_hosts_clear(&h);
}

static void regular_layouts_are_block_or_cyclic(void **state)
{
    (void)state;
    cpm_hosts h;
    assert_int_equal(cpm_hosts_regular(3, 2, false, &h, NULL), CPM_OK);
    assert_hosts(&h, 6, (int[]){0, 0, 1, 1, 2, 2}, 3);
    cpm_hosts_clear(&h);
    assert_int_equal(cpm_hosts_regular(3, 2, true, &h, NULL), CPM_OK);
    assert_hosts(&h, 6, (int[]){0, 1, 2, 0, 1, 2}, 3);
    cpm_hosts_clear(&h);
}

static void impossible_layouts_are_refused(void **state)
{
    (void)state;
    static const int bad[][2] = {{0, 1}, {1, 0}, {-1, 4}, {4, -1}, {1 << 20, 2}, {2147483647, 2}};
    cpm_hosts h;
    cpm_error e = {0};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        e = (cpm_error){0};
        assert_int_equal(cpm_hosts_regular(bad[k][0], bad[k][1], false, &h, &e), CPM_EINVAL);
    }
    assert_string_equal(e.text, "2147483647 hosts with 2 processes each: expected at least 1 of "
                                "both, and at most 1048576 processes together");
}

static void some_of_the_processes_number_their_hosts_anew(void **state)
{
    (void)state;
    cpm_hosts all, some;
    assert_int_equal(cpm_hosts_regular(4, 3, false, &all, NULL), CPM_OK);
    assert_int_equal(cpm_hosts_of(&all, (int[]){11, 3, 4, 9, 3}, 5, &some, NULL), CPM_OK);
    assert_hosts(&some, 5, (int[]){0, 1, 1, 0, 1}, 2);
    cpm_hosts_clear(&some);
    cpm_hosts_clear(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_are_numbered_as_they_come),
        cmocka_unit_test(who_has_no_name_is_alone),
        cmocka_unit_test(regular_layouts_are_block_or_cyclic),
        cmocka_unit_test(impossible_layouts_are_refused),
        cmocka_unit_test(some_of_the_processes_number_their_hosts_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
