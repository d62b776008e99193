/* Lists of names: brackets, ranges, leading zeros, and what is none. */
#include "base/hostlist.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int append(const char *name, void *data)
{
    char *all = data;
    snprintf(all + strlen(all), 512 - strlen(all), "%s%s", *all ? " " : "", name);
    return CPM_OK;
}

static int stop_at_the_second(const char *name, void *data)
{
    (void)name;
    return ++*(int *)data == 2 ? CPM_EDATA : CPM_OK;
}

static void names_are_called_in_order(void **state)
{
    (void)state;
    static const struct {
        const char *text, *names;
    } lists[] = {
        {"", ""},
        {"tux", "tux"},
        {"a,b,,c,", "a b c"},
        {"tux[0-3,7]", "tux0 tux1 tux2 tux3 tux7"},
        {"tux[12,18-20],fs1", "tux12 tux18 tux19 tux20 fs1"},
        {"n[08-10]", "n08 n09 n10"},
        {"n[098-101]x", "n098x n099x n100x n101x"},
        {"r[1-2]n[0,3].org", "r1n0.org r1n3.org r2n0.org r2n3.org"},
    };
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        char all[512] = "";
        assert_int_equal(cpm_hostlist(lists[k].text, append, all, NULL), CPM_OK);
        assert_string_equal(all, lists[k].names);
    }
}

static void no_lists_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"tux[0-3", "expected ']' behind '[0-3'"},
        {"tux0-3]", "expected '[' before ']'"},
        {"tux[]", "expected numbers as in '[0-3,12]', found '[]'"},
        {"tux[a]", "expected numbers"},
        {"tux[3-1]", "expected numbers"},
        {"tux[1-]", "expected numbers"},
        {"tux[1,]", "expected numbers"},
        {"tux[1-2-3]", "expected numbers"},
        {"tux[1[2]]", "expected numbers"},
        {"tux[1]]", "expected '['"},
        {"tux[99999999999]", "expected numbers"},
        {"tux[0-999999999]", "more than 1048576 names"},
        {"t[0-9999]x[0-9999]", "more than 1048576 names"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char all[512] = "";
        cpm_error e = {0};
        assert_int_equal(cpm_hostlist(bad[k].text, append, all, &e), CPM_EPARSE);
        if (!strstr(e.text, bad[k].says))
            fail_msg("expected \"%s\" in \"%s\"", bad[k].says, e.text);
    }
}

static void who_is_called_may_end_it(void **state)
{
    (void)state;
    int called = 0;
    assert_int_equal(cpm_hostlist("a[0-9],b", stop_at_the_second, &called, NULL), CPM_EDATA);
    assert_int_equal(called, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_called_in_order),
        cmocka_unit_test(no_lists_are_refused),
        cmocka_unit_test(who_is_called_may_end_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
