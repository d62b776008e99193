/* Layouts of processes on hosts: by names, regular ones, of some of the processes. */
#include "collectives/hosts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void names_of_hosts_stay_with_them(void **state)
{
    (void)state;
    cpm_hosts all, some;
    assert_int_equal(cpm_hosts_of_line("x y x z", &all, NULL), CPM_OK);
    assert_int_equal(cpm_hosts_of(&all, (int[]){3, 2, 0}, 3, &some, NULL), CPM_OK);
    assert_hosts(&some, 3, (int[]){0, 1, 1}, 2);
    assert_string_equal(some.name[0], "z");
    assert_string_equal(some.name[1], "x");
    cpm_hosts_clear(&some);
    cpm_hosts_clear(&all);
}

static void processes_are_sorted_by_host(void **state)
{
    (void)state;
    cpm_hosts h;
    int rank_of[6], first[4];
    assert_int_equal(cpm_hosts_named((const char *[]){"b", "a", "b", "c", "a", "b"}, 6, &h, NULL),
                     CPM_OK);
    cpm_hosts_sort(&h, rank_of, first);
    assert_memory_equal(rank_of, ((int[]){0, 2, 5, 1, 4, 3}), sizeof rank_of);
    assert_memory_equal(first, ((int[]){0, 3, 5, 6}), sizeof first);
    cpm_hosts_clear(&h);
}

static void there_are_levels_if_some_share_one_of_several_hosts(void **state)
{
    (void)state;
    const int size[][3] = {{3, 1, 0}, {1, 3, 0}, {3, 2, 1}, {1, 1, 0}};
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        cpm_hosts h;
        assert_int_equal(cpm_hosts_regular(size[k][0], size[k][1], false, &h, NULL), CPM_OK);
        assert_int_equal(cpm_hosts_have_levels(&h), size[k][2]);
        cpm_hosts_clear(&h);
    }
    assert_false(cpm_hosts_have_levels(NULL));
}

static void assert_read(const char *layout, const char *placement, int n, const int *of, int count)
{
    cpm_hosts h;
    cpm_error e = {0};
    if (cpm_hosts_read(layout, placement, &h, &e))
        fail_msg("%s", e.text);
    assert_hosts(&h, n, of, count);
    cpm_hosts_clear(&h);
}

static void write_names(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void layouts_are_read(void **state)
{
    (void)state;
    char path[] = "/tmp/cpm_hosts_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    write_names(path, "b a\n\tb\r\nc a b");
    assert_read(path, NULL, 6, (int[]){0, 1, 0, 2, 1, 0}, 3);
    assert_read("2x3", NULL, 6, (int[]){0, 0, 0, 1, 1, 1}, 2);
    assert_read("2x3", "block", 6, (int[]){0, 0, 0, 1, 1, 1}, 2);
    assert_read("2x3", "cyclic", 6, (int[]){0, 1, 0, 1, 0, 1}, 2);
    unlink(path);
}

static void assert_unreadable(const char *layout, const char *placement, const char *why)
{
    cpm_hosts h;
    cpm_error e = {0};
    assert_int_not_equal(cpm_hosts_read(layout, placement, &h, &e), CPM_OK);
    if (!strstr(e.text, why))
        fail_msg("'%s' does not say '%s'", e.text, why);
}

static void what_is_no_layout_is_refused(void **state)
{
    (void)state;
    const char *const bad[] = {"4", "4x", "4x4x2", "4 x 4", "4x-1", "4xa", "4x4 "};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_unreadable(bad[k], NULL, "is not like 4x8");
    assert_unreadable("0x4", NULL, "expected at least 1");
    assert_unreadable("99999999999999999999x99999999999999999999", NULL, "at most");
    assert_unreadable("2x2", "random", "unknown placement 'random' (known: block, cyclic)");
    assert_unreadable("there_is_no_such_file", NULL, "there_is_no_such_file");
    assert_unreadable("/dev/null", NULL, "has no names of hosts");
    assert_unreadable("/dev/null", "cyclic", "says itself where each process is");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_are_numbered_as_they_come),
        cmocka_unit_test(who_has_no_name_is_alone),
        cmocka_unit_test(regular_layouts_are_block_or_cyclic),
        cmocka_unit_test(impossible_layouts_are_refused),
        cmocka_unit_test(some_of_the_processes_number_their_hosts_anew),
        cmocka_unit_test(names_of_hosts_stay_with_them),
        cmocka_unit_test(processes_are_sorted_by_host),
        cmocka_unit_test(there_are_levels_if_some_share_one_of_several_hosts),
        cmocka_unit_test(layouts_are_read),
        cmocka_unit_test(what_is_no_layout_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
