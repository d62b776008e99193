/* Tables that are printed as text, TSV and JSON. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/report_table.h"

static const cpm_report_table_column columns[] = {
    {"name", 0}, {"count", 0}, {"mean_us", 2}, {"good", 0}, {NULL, 0}};
static const cpm_report_table first = {"first", NULL, columns};
static const cpm_report_table_column others[] = {{"count", 0}, {"share", 1}, {NULL, 0}};
static const cpm_report_table second = {"second", NULL, others};

static void assert_prints(const cpm_report_tables *s, cpm_format format, const char *expected)
{
    char *text = NULL;
    size_t size;
    cpm_error e = {0};
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(cpm_report_tables_print(s, format, "", out, &e), CPM_OK);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void one_table_has_the_same_in_all_forms(void **state)
{
    (void)state;
    cpm_report_tables s = {.title = "test"};
    cpm_report_tables_metadata(&s, "where", "s", "here");
    cpm_report_tables_begin(&s, &first);
    cpm_report_tables_row(&s, "snrb", "a", 3L, 1.25, true);
    cpm_report_tables_row(&s, "-nr-", 4L, (double)NAN);
    assert_prints(&s, CPM_FORMAT_TEXT,
                  "# name  count  mean_us  good\na           3     1.25   yes\n"
                  "-           4        -     -\n");
    assert_prints(&s, CPM_FORMAT_TSV,
                  "# cpm test 1\n# where: here\nname\tcount\tmean_us\tgood\n"
                  "a\t3\t1.25\t1\n\t4\t\t\n");
    assert_prints(
        &s, CPM_FORMAT_JSON,
        "{\n  \"format\": \"cpm test\",\n  \"version\": 1,\n  \"where\": \"here\",\n"
        "  \"first\": [\n"
        "    {\"name\": \"a\", \"count\": 3, \"mean_us\": 1.25, \"good\": true},\n"
        "    {\"name\": null, \"count\": 4, \"mean_us\": null, \"good\": null}\n  ]\n}\n");
    cpm_report_tables_clear(&s);
}

static void several_tables_are_one_in_tsv(void **state)
{
    (void)state;
    cpm_report_tables s = {.title = "test"};
    cpm_report_tables_begin(&s, &first);
    cpm_report_tables_row(&s, "snrb", "a", 3L, 1.25, false);
    cpm_report_tables_begin(&s, &second);
    cpm_report_tables_row(&s, "nr", 7L, 0.5);
    assert_prints(&s, CPM_FORMAT_TSV,
                  "# cpm test 1\nname\tcount\tmean_us\tgood\tshare\ttable\n"
                  "a\t3\t1.25\t0\t\tfirst\n\t7\t\t\t0.5\tsecond\n");
    cpm_report_tables_clear(&s);
}

static void texts_break_no_line_and_no_quotation(void **state)
{
    (void)state;
    static const cpm_report_table_column note[] = {{"note", 0}, {NULL, 0}};
    static const cpm_report_table notes = {"notes", NULL, note};
    cpm_report_tables s = {.title = "test"};
    cpm_report_tables_begin(&s, &notes);
    cpm_report_tables_row(&s, "s", "a \"b\"\tc");
    cpm_report_tables_row(&s, "s", "# \\ \x1b");
    cpm_report_tables_row(&s, "s", "\xff");
    cpm_report_tables_row(&s, "s", "<é>");
    assert_prints(&s, CPM_FORMAT_TSV,
                  "# cpm test 1\nnote\n\"a \"\"b\"\"\\tc\"\n\"# \\ \\x1b\"\n\\xff\n<é>\n");
    assert_prints(&s, CPM_FORMAT_JSON,
                  "{\n  \"format\": \"cpm test\",\n  \"version\": 1,\n  \"notes\": [\n"
                  "    {\"note\": \"a \\\"b\\\"\\u0009c\"},\n    {\"note\": \"# \\\\ \\u001b\"},\n"
                  "    {\"note\": \"\\\\xff\"},\n    {\"note\": \"<é>\"}\n  ]\n}\n");
    cpm_report_tables_clear(&s);
}

static void notes_are_a_row_each_and_none_is_an_empty_list(void **state)
{
    (void)state;
    cpm_report_tables s = {.title = "test"};
    cpm_report_tables_notes(&s, "one\ntwo\n");
    assert_prints(&s, CPM_FORMAT_TSV, "# cpm test 1\nnote\none\ntwo\n");
    cpm_report_tables_clear(&s);
    s = (cpm_report_tables){.title = "test"};
    cpm_report_tables_notes(&s, NULL);
    assert_prints(&s, CPM_FORMAT_JSON,
                  "{\n  \"format\": \"cpm test\",\n  \"version\": 1,\n  \"notes\": []\n}\n");
    cpm_report_tables_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_table_has_the_same_in_all_forms),
        cmocka_unit_test(several_tables_are_one_in_tsv),
        cmocka_unit_test(texts_break_no_line_and_no_quotation),
        cmocka_unit_test(notes_are_a_row_each_and_none_is_an_empty_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
