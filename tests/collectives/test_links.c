/* Links and who uses them: as text, and of other hosts. */
#include "collectives/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static cpm_links links_of(const char *line, int hosts)
{
    cpm_links l;
    cpm_error e = {0};
    if (cpm_links_of_line(line, hosts, &l, &e))
        fail_msg("%s", e.text);
    return l;
}

static void expect_line(const cpm_links *l, const char *line)
{
    char *text;
    assert_int_equal(cpm_links_line(l, &text, NULL), CPM_OK);
    assert_string_equal(text, line);
    free(text);
}

/* Of all pairs of hosts: 1 where they use the link, one row after the other. */
static void expect_uses(const cpm_links *l, int link, const char *uses)
{
    for (int i = 0; i < l->hosts; i++)
        for (int j = 0; j < l->hosts; j++) {
            int count, used = 0;
            const int *way = cpm_links_way(l, i, j, &count);
            for (int u = 0; u < count; u++)
                used += way[u] == link;
            assert_int_equal(used, uses[i * l->hosts + j] - '0');
        }
}

static void uses_are_read(void **state)
{
    (void)state;
    cpm_links l = links_of("a 0-1 > 2-3 | b 0<>3; 1 , 2>0", 4);
    assert_int_equal(l.count, 2);
    assert_string_equal(l.name[0], "a");
    assert_string_equal(l.name[1], "b");
    expect_uses(&l, 0,
                "0011"
                "0011"
                "0000"
                "0000");
    expect_uses(&l, 1,
                "0001"
                "1000"
                "1000"
                "1000");
    cpm_links_clear(&l);
}

static void nobody_sends_to_himself_and_nobody_twice(void **state)
{
    (void)state;
    cpm_links l = links_of("x 0-2 <> 0-2; 1 > 2", 3);
    expect_uses(&l, 0,
                "011"
                "101"
                "110");
    expect_line(&l, "x 0-2 > 0-2");
    cpm_links_clear(&l);
}

static void uses_are_written_in_few_words(void **state)
{
    (void)state;
    static const char *const line[] = {
        "a 0-3 > 4-7; 4-7 > 0-3 | b 1,3,5-7 > 0,2",
        "wan 0 > 1; 1 > 2; 2 > 0",
        "x 0-7 > 0-7",
    };
    for (size_t k = 0; k < sizeof line / sizeof *line; k++) {
        cpm_links l = links_of(line[k], 8);
        expect_line(&l, line[k]);
        cpm_links_clear(&l);
    }
}

/* Any set of pairs is read as it was written. */
static void any_uses_come_back(void **state)
{
    (void)state;
    enum { HOSTS = 7, TRIALS = 300 };
    unsigned seed = 1;
    for (int trial = 0; trial < TRIALS; trial++) {
        cpm_links_draft d = {.hosts = HOSTS};
        cpm_links l, again;
        char *line, uses[HOSTS * HOSTS + 1] = {0};
        assert_int_equal(cpm_links_draft_name(&d, "x", NULL), 0);
        assert_int_equal(cpm_links_draft_use(&d, 0, 1, 0, NULL), CPM_OK);
        for (int p = 0; p < HOSTS * HOSTS; p++) {
            seed = seed * 1664525u + 1013904223u;
            bool used = p / HOSTS != p % HOSTS && (p == 1 || seed >> 30 == 0);
            uses[p] = used ? '1' : '0';
            if (used)
                assert_int_equal(cpm_links_draft_use(&d, p / HOSTS, p % HOSTS, 0, NULL), CPM_OK);
        }
        assert_int_equal(cpm_links_draft_end(&d, &l, NULL), CPM_OK);
        assert_int_equal(cpm_links_line(&l, &line, NULL), CPM_OK);
        again = links_of(line, HOSTS);
        expect_uses(&again, 0, uses);
        free(line);
        cpm_links_clear(&again);
        cpm_links_clear(&l);
    }
}

static void bad_text_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *line, *says;
    } bad[] = {
        {"", "links: expected 'NAME 0-3 > 4-7', found ''"},
        {"x", "links: expected 'NAME 0-3 > 4-7', found 'x'"},
        {"x 0 > 1 |", "links: expected 'NAME 0-3 > 4-7', found ''"},
        {"x 0 > 4", "link 'x': expected '0-3,8 > 4-7' or '<>' with hosts 0 to 3, found '0 > 4'"},
        {"x 0", "found '0'"},
        {"x 0 >", "found '0 >'"},
        {"x > 1", "found '> 1'"},
        {"x 0 < 1", "found '0 < 1'"},
        {"x 0 > 1 2", "found '0 > 1 2'"},
        {"x 0, > 1", "found '0, > 1'"},
        {"x 2-1 > 3", "found '2-1 > 3'"},
        {"x -1 > 3", "found '-1 > 3'"},
        {"x 0 > 1; 99999999999999999999 > 1", "found '99999999999999999999 > 1'"},
        {"x 0 > 1 | y a > 1", "link 'y': expected"},
        {"x 0 > 0", "link 'x' is used by no pair of hosts"},
        {"x 2 <> 2; 1 > 1", "link 'x' is used by no pair of hosts"},
        {"a\tb 0 > 1", "link 'a\\tb': expected a name of up to 255 bytes without blanks"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        cpm_links l;
        cpm_error e = {0};
        assert_int_equal(cpm_links_of_line(bad[k].line, 4, &l, &e), CPM_EPARSE);
        if (!strstr(e.text, bad[k].says))
            fail_msg("expected \"%s\" in \"%s\"", bad[k].says, e.text);
        cpm_error_clear(&e);
    }
}

/* A line of links could not be read again. */
static void names_that_would_end_in_a_line_are_refused(void **state)
{
    (void)state;
    char longest[CPM_LINK_NAME + 2] = "";
    memset(longest, 'x', CPM_LINK_NAME + 1);
    const char *const bad[] = {"", " ", "a b", "a|b", "|", "a\nb", "a\033[31m", longest};
    cpm_links_draft d = {.hosts = 2};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        cpm_error e = {0};
        assert_int_equal(cpm_links_draft_name(&d, bad[k], &e), CPM_EPARSE);
        assert_non_null(strstr(e.text, "': expected a name of up to 255 bytes"));
        cpm_error_clear(&e);
    }
    longest[CPM_LINK_NAME] = '\0';
    assert_int_equal(cpm_links_draft_name(&d, longest, NULL), 0);
    assert_int_equal(cpm_links_draft_name(&d, "Zürich:1;2", NULL), 1);
    cpm_links_draft_clear(&d);
}

static void links_of_a_copy_are_the_same(void **state)
{
    (void)state;
    const char *line = "a 0-1 > 2-3 | b 3 > 0-2 | c 0 > 3";
    cpm_links l = links_of(line, 4), copy;
    assert_int_equal(cpm_links_copy(&l, &copy, NULL), CPM_OK);
    cpm_links_clear(&l);
    expect_line(&copy, line);
    cpm_links_clear(&copy);
}

static void other_hosts_keep_the_links_they_use(void **state)
{
    (void)state;
    const int chosen[] = {3, 0}, turned[] = {3, 2, 1, 0}, twins[] = {0, 0, 3};
    cpm_links l = links_of("a 0-1 > 2-3 | b 1 > 2 | c 3 > 0-2", 4), of;
    int number[3];
    assert_int_equal(cpm_links_of(&l, chosen, 2, number, &of, NULL), CPM_OK);
    expect_line(&of, "c 0 > 1 | a 1 > 0");
    assert_true(number[0] == 1 && number[1] == -1 && number[2] == 0);
    cpm_links_clear(&of);
    assert_int_equal(cpm_links_of(&l, turned, 4, number, &of, NULL), CPM_OK);
    expect_line(&of, "c 0 > 1-3 | a 2-3 > 0-1 | b 2 > 1");
    cpm_links_clear(&of);
    assert_int_equal(cpm_links_of(&l, twins, 3, number, &of, NULL), CPM_OK);
    expect_line(&of, "a 0-1 > 2 | c 2 > 0-1");
    cpm_links_clear(&of);
    cpm_links_clear(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uses_are_read),
        cmocka_unit_test(nobody_sends_to_himself_and_nobody_twice),
        cmocka_unit_test(uses_are_written_in_few_words),
        cmocka_unit_test(any_uses_come_back),
        cmocka_unit_test(bad_text_is_refused),
        cmocka_unit_test(names_that_would_end_in_a_line_are_refused),
        cmocka_unit_test(links_of_a_copy_are_the_same),
        cmocka_unit_test(other_hosts_keep_the_links_they_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
