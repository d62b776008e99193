/* Text from elsewhere, as it is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/metadata.h"

static const struct {
    const char *text, *shown;
} cases[] = {
    {"", ""},
    {"plain name.mod", "plain name.mod"},
    {"Größe, 大きさ", "Größe, 大きさ"},
    {"a\nb\tc", "a\\nb\\tc"},
    {"\033[31mred\033[0m", "\\x1b[31mred\\x1b[0m"},
    {"\r\a\b\177", "\\x0d\\x07\\x08\\x7f"},
    {"\xff\xfe", "\\xff\\xfe"},
    {"\xc3(", "\\xc3("},                 /* a character that is cut */
    {"\xc0\xaf", "\\xc0\\xaf"},          /* longer than needed */
    {"\xed\xa0\x80", "\\xed\\xa0\\x80"}, /* half of a pair */
    {"\xc2\x9b"
     "31m",
     "\\xc2\\x9b31m"}, /* a control of 8 bits */
    {"\xe2\x80\xae"
     "dom",
     "\\xe2\\x80\\xaedom"}, /* turns the direction */
    {"\\x1b", "\\x1b"},     /* was escaped before */
};
enum { CASES = sizeof cases / sizeof *cases };

static void what_is_printable_stays_and_the_rest_is_escaped(void **state)
{
    (void)state;
    char shown[100], again[100];
    for (int k = 0; k < CASES; k++) {
        assert_string_equal(cpm_escape(cases[k].text, shown, sizeof shown), cases[k].shown);
        assert_string_equal(cpm_escape(shown, again, sizeof again), shown);
        char *copy = cpm_escape_copy(cases[k].text);
        assert_string_equal(copy, cases[k].shown);
        free(copy);
    }
}

static void what_is_cut_is_cut_between_characters(void **state)
{
    (void)state;
    char shown[8];
    assert_string_equal(cpm_escape("ab\033\033", shown, sizeof shown), "ab\\x1b");
    assert_string_equal(cpm_escape("abcdefü", shown, sizeof shown), "abcdef");
    assert_string_equal(cpm_escape("abcdefg", shown, 1), "");
}

static void a_word_has_no_spaces(void **state)
{
    (void)state;
    char shown[100];
    assert_string_equal(cpm_escape_word("a b\nc\033\"#;<", shown, sizeof shown), "a-b-c\\x1b\"#;<");
}

static void errors_and_metadata_show_what_they_name(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_fail(&e, CPM_EIO, "%s: cannot be read", "x\n\033]0;title\a.mod");
    assert_string_equal(e.text, "x\\n\\x1b]0;title\\x07.mod: cannot be read");
    cpm_metadata f = {0};
    assert_int_equal(cpm_metadata_set(&f, &e, "k\033", "%s", "v\xff"), CPM_OK);
    assert_int_equal(cpm_metadata_set(&f, &e, "k\033", "%s", "w\033"), CPM_OK);
    assert_int_equal(f.count, 1);
    assert_string_equal(f.items[0].key, "k\\x1b");
    assert_string_equal(cpm_metadata_get(&f, "k\\x1b"), "w\\x1b");
    cpm_metadata_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printable_stays_and_the_rest_is_escaped),
        cmocka_unit_test(what_is_cut_is_cut_between_characters),
        cmocka_unit_test(a_word_has_no_spaces),
        cmocka_unit_test(errors_and_metadata_show_what_they_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
