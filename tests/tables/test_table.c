/* Decision tables: what is written is read back, what is wrong is refused with its place, and what
 * they say is what is chosen. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text_file.h"
#include "tables/gains.h"
#include "tables/table_selector.h"
#include "tests/folder.h"

static const char example[] =
    "{\n"
    "  \"format\": \"cpm table\",\n"
    "  \"version\": 1,\n"
    "  \"provenance\": {\n"
    "    \"model\": \"some \\\"cluster\\\".mod\"\n"
    "  },\n"
    "  \"operations\": {\n"
    "    \"bcast\": {\n"
    "      \"4\": [\n"
    "        {\"from\": 0, \"algorithm\": \"binomial\", \"seconds\": 1e-05},\n"
    "        {\"from\": 8192, \"algorithm\": \"scatter-doubling\", \"seconds\": 5e-05},\n"
    "        {\"from\": 65536, \"algorithm\": \"chain:segment=8192\"}\n"
    "      ],\n"
    "      \"9\": [\n"
    "        {\"from\": 100, \"algorithm\": \"native\"}\n"
    "      ]\n"
    "    },\n"
    "    \"scatter\": {\n"
    "      \"2\": [\n"
    "        {\"from\": 0, \"algorithm\": \"linear\"}\n"
    "      ]\n"
    "    },\n"
    "    \"reduce\": {\n"
    "      \"2\": [\n"
    "        {\"from\": 0, \"algorithm\": \"binomial\"},\n"
    "        {\"from\": 1024, \"algorithm\": \"rabenseifner\"}\n"
    "      ]\n"
    "    }\n"
    "  }\n"
    "}\n";

static cpm_table *unpacked(const char *text)
{
    cpm_table *t = NULL;
    cpm_error e = {0};
    int status = cpm_table_unpack(text, strlen(text), "t.json", &t, &e);
    assert_string_equal(e.text, "");
    assert_int_equal(status, CPM_OK);
    return t;
}

static cpm_choice chosen(const cpm_table *t, cpm_request r, const char *operation)
{
    cpm_selector *s;
    cpm_choice c;
    assert_int_equal(cpm_operation_find(operation, &r.operation, NULL), CPM_OK);
    assert_int_equal(cpm_selector_of_table(t, &s, NULL), CPM_OK);
    assert_int_equal(s->choose(s, &r, &c, NULL), CPM_OK);
    s->free(s);
    return c;
}

/* Operation on n processes, blocks of bytes: the name, "native" for the library's. */
static void expect(const cpm_table *t, const char *operation, int n, size_t bytes, const char *name)
{
    cpm_choice c = chosen(t, (cpm_request){.n = n, .bytes = bytes}, operation);
    assert_string_equal(c.what.algorithm ? c.what.algorithm->name : "native", name);
    assert_in_range(bytes, c.least, c.most);
    cpm_choice_clear(&c);
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    cpm_table *t = unpacked(example);
    char *text;
    size_t size;
    assert_int_equal(cpm_table_write(t, "test_table.json", NULL), CPM_OK);
    assert_int_equal(cpm_text_read("test_table.json", &text, &size, NULL), CPM_OK);
    assert_string_equal(text, example);
    free(text);
    cpm_table_free(t);
}

static void figures_of_what_was_measured_are_kept(void **state)
{
    (void)state;
    char text[600], *again;
    size_t size;
    snprintf(
        text, sizeof text,
        "{\n  \"format\": \"cpm table\",\n  \"version\": 1,\n  \"provenance\": {\n    \"a\": "
        "\"b\"\n  },\n  \"operations\": {\n    \"bcast\": {\n      \"4\": [\n        %s,\n        "
        "%s\n      ]\n    }\n  }\n}\n",
        "{\"from\": 1, \"algorithm\": \"linear\", \"seconds\": 1e-05, \"native\": 2e-05, "
        "\"lead\": 0.25, \"least_gain\": 0.4, \"measured\": 7}",
        "{\"from\": 2, \"algorithm\": \"native\", \"seconds\": 1e-05, \"lead\": -0.01, "
        "\"measured\": 2}");
    cpm_table *t = unpacked(text);
    assert_int_equal(t->at[0].at[0].figures.measured, 7);
    assert_true(t->at[0].at[0].figures.native == 2e-05);
    assert_true(t->at[0].at[0].figures.least_gain == 0.4);
    assert_true(t->at[0].at[1].figures.native == 0);
    assert_true(t->at[0].at[1].figures.lead == -0.01);
    assert_int_equal(cpm_table_write(t, "test_table.json", NULL), CPM_OK);
    assert_int_equal(cpm_text_read("test_table.json", &again, &size, NULL), CPM_OK);
    assert_string_equal(again, text);
    free(again);
    cpm_table_free(t);
}

/* From 8 on winners change, and only the two were compared. */
static void what_does_not_surely_gain_is_left_to_the_library(void **state)
{
    (void)state;
    static const char *const kept[] = {NULL,    "linear", NULL, "chain",
                                       "chain", NULL,     NULL, "linear"};
    cpm_table *t = unpacked(
        "{\"format\": \"cpm table\", \"version\": 1, \"operations\": {\"bcast\": {\"4\": [\n"
        "{\"from\": 1, \"algorithm\": \"native\", \"measured\": 3},\n"
        "{\"from\": 2, \"algorithm\": \"linear\", \"native\": 2e-05, \"least_gain\": 0.1, "
        "\"measured\": 3},\n"
        "{\"from\": 4, \"algorithm\": \"linear\", \"native\": 2e-05, \"least_gain\": -0.1, "
        "\"measured\": 3},\n"
        "{\"from\": 8, \"algorithm\": \"chain\", \"measured\": 2},\n"
        "{\"from\": 16, \"algorithm\": \"chain\", \"native\": 2e-05, \"least_gain\": 0.1, "
        "\"measured\": 3},\n"
        "{\"from\": 32, \"algorithm\": \"chain\", \"native\": 2e-05, \"measured\": 3},\n"
        "{\"from\": 64, \"algorithm\": \"binomial\", \"measured\": 2},\n"
        "{\"from\": 128, \"algorithm\": \"linear\"}]}}}\n");
    cpm_gains counts = cpm_table_keep_gains(t);
    assert_int_equal(counts.rules, 7);
    assert_int_equal(counts.unsure, 3);
    assert_int_equal(counts.predicted, 1);
    for (int k = 0; k < 8; k++) {
        const cpm_algorithm *a = t->at[0].at[k].what.algorithm;
        assert_true(kept[k] ? a && strcmp(a->name, kept[k]) == 0 : !a);
    }
    cpm_table_free(t);
}

static void an_empty_table_is_written_and_read(void **state)
{
    (void)state;
    cpm_table *t, *again;
    t = unpacked("{\"format\": \"cpm table\", \"version\": 1, \"operations\": {}}");
    assert_int_equal(cpm_table_write(t, "test_table.json", NULL), CPM_OK);
    assert_int_equal(cpm_table_read("test_table.json", &again, NULL), CPM_OK);
    assert_int_equal(again->count, 0);
    cpm_table_free(again);
    cpm_table_free(t);
}

static void rules_hold_from_their_size_to_the_next(void **state)
{
    (void)state;
    cpm_table *t = unpacked(example);
    expect(t, "bcast", 4, 0, "binomial");
    expect(t, "bcast", 4, 8191, "binomial");
    expect(t, "bcast", 4, 8192, "scatter-doubling");
    expect(t, "bcast", 4, 65535, "scatter-doubling");
    expect(t, "bcast", 4, SIZE_MAX, "chain");
    cpm_choice c = chosen(t, (cpm_request){.n = 4, .bytes = 10000}, "bcast");
    assert_int_equal(c.least, 8192);
    assert_int_equal(c.most, 65535);
    assert_true(c.any_root);
    cpm_choice_clear(&c);
    c = chosen(t, (cpm_request){.n = 4, .bytes = 65536}, "bcast");
    assert_int_equal(c.what.with.segment, 8192);
    assert_int_equal(c.most, SIZE_MAX);
    assert_null(c.expected);
    cpm_choice_clear(&c);
    cpm_table_free(t);
}

static void the_largest_number_of_processes_below_counts(void **state)
{
    (void)state;
    cpm_table *t = unpacked(example);
    expect(t, "bcast", 3, 0, "native");
    expect(t, "bcast", 8, 0, "binomial");
    expect(t, "bcast", 9, 0, "native");
    expect(t, "bcast", 100, 1 << 20, "native");
    expect(t, "gather", 100, 0, "native");
    cpm_table_free(t);
}

static void a_time_below_zero_is_refused(void **state)
{
    (void)state;
    static const char text[] =
        "{\"format\": \"cpm table\", \"version\": 1, \"operations\": {\"gather\": "
        "{\"4\": [{\"from\": 0, \"algorithm\": \"linear\", \"seconds\": -1e-5}]}}}";
    cpm_table *t = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_table_unpack(text, strlen(text), "x.json", &t, &e), CPM_EPARSE);
    assert_non_null(strstr(e.text, "x.json:1: "));
    assert_non_null(strstr(e.text, "is negative"));
}

static void what_does_not_apply_is_left_to_the_library(void **state)
{
    (void)state;
    cpm_table *t = unpacked("{\"format\": \"cpm table\", \"version\": 1, \"operations\": {"
                            "\"alltoall\": {\"4\": [{\"from\": 0, \"algorithm\": \"pair\"}]}}}");
    expect(t, "alltoall", 4, 10000, "pair");
    expect(t, "alltoall", 6, 10000, "native");
    cpm_table_free(t);
}

static void operations_with_unequal_blocks_have_the_rules_of_equal_ones(void **state)
{
    (void)state;
    cpm_table *t = unpacked(example);
    expect(t, "scatterv", 2, 77, "linear");
    cpm_rule rule = {.seconds = NAN};
    const cpm_operation *o;
    assert_int_equal(cpm_operation_find("scatterv", &o, NULL), CPM_OK);
    assert_int_equal(cpm_table_add(t, o, 4, &rule, NULL), CPM_OK);
    expect(t, "scatterv", 2, 77, "native");
    cpm_table_free(t);
}

static void the_order_of_ranks_is_kept_where_it_must(void **state)
{
    (void)state;
    cpm_table *t = unpacked(example);
    cpm_request ordered = {.n = 4, .bytes = 8, .ordered = true};
    cpm_choice c = chosen(t, ordered, "reduce");
    assert_string_equal(c.what.algorithm->name, "binomial");
    assert_false(c.any_root);
    cpm_choice_clear(&c);
    ordered.root = 1;
    c = chosen(t, ordered, "reduce");
    assert_null(c.what.algorithm);
    assert_false(c.any_root);
    cpm_choice_clear(&c);
    ordered.bytes = 4096;
    c = chosen(t, ordered, "reduce");
    assert_null(c.what.algorithm);
    assert_true(c.any_root);
    cpm_choice_clear(&c);
    cpm_table_free(t);
}

static void times_lie_between_those_of_the_rules(void **state)
{
    (void)state;
    cpm_table *t = unpacked(example);
    cpm_choice c = chosen(t, (cpm_request){.n = 4, .bytes = 2048}, "bcast");
    for (int i = 0; i < 4; i++)
        assert_true(fabs(c.expected[i] - 2e-5) < 1e-12);
    cpm_choice_clear(&c);
    const cpm_rules *rules = cpm_table_find(t, cpm_operations, 4);
    assert_true(isnan(cpm_rules_seconds(rules, 65536)));
    cpm_table_free(t);
}

static void times_above_the_last_rule_are_extrapolated(void **state)
{
    (void)state;
    static const char text[] =
        "{\"format\": \"cpm table\", \"version\": 1, \"operations\": {\"bcast\": {\"2\": ["
        "{\"from\": 1, \"algorithm\": \"linear\", \"seconds\": 1}, "
        "{\"from\": 3, \"algorithm\": \"linear\", \"seconds\": 2}]}}}";
    cpm_table *t = unpacked(text);
    const cpm_rules *rules = cpm_table_find(t, cpm_operations, 2);
    assert_true(isnan(cpm_rules_seconds(rules, 0)));
    assert_true(cpm_rules_seconds(rules, 3) == 2);
    assert_true(cpm_rules_seconds(rules, 2) == 1.5);
    assert_true(cpm_rules_seconds(rules, 7) == 4);
    cpm_table_free(t);
}

/* The example with `from` replaced is refused, with the line of what replaces it. */
static void refuse(const char *from, const char *to, int line, const char *says)
{
    char text[2000], place[40];
    const char *at = strstr(example, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - example), example, to, at + strlen(from));
    snprintf(place, sizeof place, "t.json:%d: ", line);
    cpm_table *t = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_table_unpack(text, strlen(text), "t.json", &t, &e), CPM_EPARSE);
    assert_null(t);
    if (strncmp(e.text, place, strlen(place)) != 0 || !strstr(e.text, says))
        fail_msg("%s: not line %d, or without '%s'", e.text, line, says);
}

static void what_is_wrong_is_refused_with_its_line(void **state)
{
    (void)state;
    refuse("cpm table", "cpm model", 2, "not a decision table");
    refuse("1,", "2,", 3, "only 1");
    refuse("\"seconds\": 1e-05", "\"lead\": \"much\"", 10, "expected a number as \"lead\"");
    refuse("\"seconds\": 1e-05", "\"measured\": -1", 10, "-1 is not in 0..");
    refuse("\"seconds\": 1e-05", "\"native\": -1", 10, "-1 is negative");
    refuse("\"some \\\"cluster\\\".mod\"", "7", 5, "a string as \"model\"");
    refuse("\"model\": ", "\"placement\": ", 5, "and programs have 'plain'");
    refuse("\"bcast\"", "\"broadcast\"", 8, "unknown operation 'broadcast' (known: bcast");
    refuse("\"4\"", "\"four\"", 9, "'four' is not a number of processes");
    refuse("\"4\"", "\"0\"", 9, "number of processes");
    refuse("\"from\": 0", "\"from\": -1", 10, "\"from\": -1 is below 0");
    refuse("\"from\": 0, ", "", 10, "a whole number as \"from\", found nothing");
    refuse("\"binomial\"", "\"binomal\"", 10, "unknown algorithm 'binomal' of bcast");
    refuse("\"binomial\"", "\"binomial:k=4\"", 10, "k");
    refuse("\"binomial\"", "3", 10, "a string as \"algorithm\", found a number");
    refuse("1e-05", "\"soon\"", 10, "a number as \"seconds\", found a string");
    refuse("1e-05", "-1e-05", 10, "negative");
    refuse("8192", "0", 11, "sizes must ascend");
    refuse("{\"from\": 8192", "7, {\"from\": 8192", 11, "expected a rule");
    refuse("segment=8192\"}", "segment=8192\"", 13, "near");
}

static void a_file_that_is_not_there_is_named(void **state)
{
    (void)state;
    cpm_table *t = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_table_read("no/such.json", &t, &e), CPM_EIO);
    assert_non_null(strstr(e.text, "no/such.json"));
}

static void rules_of_other_operations_are_refused(void **state)
{
    (void)state;
    cpm_table *t = unpacked(example);
    const cpm_operation *o;
    cpm_rule rule = {.from = 1, .seconds = NAN};
    assert_int_equal(cpm_operation_find("gather", &o, NULL), CPM_OK);
    assert_int_equal(cpm_algorithm_find("bcast", "chain", &rule.what.algorithm, NULL), CPM_OK);
    assert_int_equal(cpm_table_add(t, o, 4, &rule, NULL), CPM_EINVAL);
    assert_null(cpm_table_find(t, o, 4));
    cpm_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(figures_of_what_was_measured_are_kept),
        cmocka_unit_test(what_does_not_surely_gain_is_left_to_the_library),
        cmocka_unit_test(an_empty_table_is_written_and_read),
        cmocka_unit_test(rules_hold_from_their_size_to_the_next),
        cmocka_unit_test(the_largest_number_of_processes_below_counts),
        cmocka_unit_test(a_time_below_zero_is_refused),
        cmocka_unit_test(what_does_not_apply_is_left_to_the_library),
        cmocka_unit_test(operations_with_unequal_blocks_have_the_rules_of_equal_ones),
        cmocka_unit_test(the_order_of_ranks_is_kept_where_it_must),
        cmocka_unit_test(times_lie_between_those_of_the_rules),
        cmocka_unit_test(times_above_the_last_rule_are_extrapolated),
        cmocka_unit_test(what_is_wrong_is_refused_with_its_line),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
        cmocka_unit_test(rules_of_other_operations_are_refused),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
