/* Lessons: merged, found, written and read, and what is left of files that were cut. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "history/tuning_history.h"
#include "tables/decision_table.h"
#include "tests/folder.h"

static cpm_tuning_record lesson(const char *hosts, size_t bytes, cpm_lesson_figure *figure,
                                int count)
{
    return (cpm_tuning_record){.at = {(char *)hosts, "MPICH Version: 4.0.2", "0.1.0"},
                               .operation = &cpm_operations[CPM_OP_BCAST],
                               .n = 4,
                               .least = bytes,
                               .most = bytes,
                               .date = "2026-01-31T12:00:00Z",
                               .figure = figure,
                               .count = count};
}

static void add(cpm_tuning_history *all, const char *hosts, size_t bytes, double ratio,
                double error, long calls)
{
    cpm_lesson_figure f[] = {{.name = "native", .calls = 10, .seconds = 1e-3},
                             {.name = "chain:segment=8192",
                              .calls = calls,
                              .seconds = ratio * 1e-3,
                              .ratio = ratio,
                              .error = error}};
    const cpm_tuning_record l = lesson(hosts, bytes, f, 2);
    assert_int_equal(cpm_tuning_history_add(all, &l, NULL), CPM_OK);
}

static const cpm_lesson_figure *figure(const cpm_tuning_record *l)
{
    return cpm_lesson_figure_of(l, "chain:segment=8192");
}

static void figures_are_weighted_by_their_calls(void **state)
{
    (void)state;
    cpm_tuning_history all = {0};
    add(&all, "a*4", 1024, 0.70, 0.02, 100);
    add(&all, "a*4", 1024, 0.74, 0.02, 300);
    assert_int_equal(all.count, 1);
    assert_int_equal(figure(&all.at[0])->calls, 400);
    assert_true(fabs(figure(&all.at[0])->ratio - 0.73) < 1e-12);
    assert_true(figure(&all.at[0])->error < 0.02);
    assert_int_equal(cpm_lesson_figure_of(&all.at[0], "native")->calls, 20);
    cpm_tuning_history_clear(&all);
}

static void newer_figures_win_where_they_contradict(void **state)
{
    (void)state;
    cpm_tuning_history all = {0};
    add(&all, "a*4", 1024, 0.5, 0.01, 100000);
    add(&all, "a*4", 1024, 1.5, 0.05, 10);
    assert_int_equal(figure(&all.at[0])->calls, 10);
    assert_true(figure(&all.at[0])->ratio == 1.5);
    assert_null(cpm_lesson_best(&all.at[0]));
    cpm_tuning_history_clear(&all);
}

static void what_was_given_up_is_not_praised(void **state)
{
    (void)state;
    cpm_tuning_history all = {0};
    cpm_lesson_figure f[] = {{.name = "chain:segment=8192", .calls = 5, .ratio = 0.5, .out = true}};
    add(&all, "a*4", 1024, 0.5, 0.01, 100);
    const cpm_tuning_record l = lesson("a*4", 1024, f, 1);
    assert_non_null(cpm_lesson_best(&all.at[0]));
    assert_int_equal(cpm_tuning_history_add(&all, &l, NULL), CPM_OK);
    assert_null(cpm_lesson_best(&all.at[0]));
    cpm_tuning_history_clear(&all);
}

static void other_hosts_are_other_lessons(void **state)
{
    (void)state;
    cpm_tuning_history all = {0};
    add(&all, "a*4", 1024, 0.5, 0.01, 100);
    add(&all, "a*2 b*2", 1024, 0.9, 0.01, 100);
    add(&all, "a*4", 2048, 0.8, 0.01, 100);
    assert_int_equal(all.count, 3);
    const cpm_tuning_record like = lesson("a*2 b*2", 1024, NULL, 0);
    assert_true(figure(cpm_tuning_history_find(&all, &like))->ratio == 0.9);
    const cpm_tuning_record unlike = lesson("c*4", 1024, NULL, 0);
    assert_null(cpm_tuning_history_find(&all, &unlike));
    cpm_tuning_history_clear(&all);
}

/* ---- as text */

static cpm_tuning_history many(int count)
{
    cpm_tuning_history all = {0};
    for (int k = 0; k < count; k++)
        add(&all, k % 2 ? "node1*2 node2*2" : "node1 node2 \\x01", (size_t)1 << k, 0.6 + k * 0.01,
            0.01, 50 + k);
    return all;
}

static void what_is_written_reads_the_same(void **state)
{
    (void)state;
    cpm_tuning_history all = many(9), again = {0};
    cpm_error e = {0};
    char *text = cpm_tuning_history_text(&all);
    assert_int_equal(cpm_tuning_history_unpack(text, strlen(text), "file", &again, &e), CPM_OK);
    assert_int_equal(again.count, 9);
    char *second = cpm_tuning_history_text(&again);
    assert_string_equal(text, second);
    free(text);
    free(second);
    cpm_tuning_history_clear(&all);
    cpm_tuning_history_clear(&again);
}

static void a_file_of_lessons_is_a_decision_table(void **state)
{
    (void)state;
    cpm_tuning_history all = many(5);
    cpm_table *t = NULL;
    cpm_error e = {0};
    char *text = cpm_tuning_history_text(&all);
    assert_int_equal(cpm_table_unpack(text, strlen(text), "file", &t, &e), CPM_OK);
    const cpm_rules *r = cpm_table_find(t, &cpm_operations[CPM_OP_BCAST], 4);
    assert_int_equal(r->count, 5);
    assert_string_equal(r->at[4].what.algorithm->name, "chain");
    assert_int_equal(r->at[4].what.with.segment, 8192);
    cpm_table_free(t);
    free(text);
    cpm_tuning_history_clear(&all);
}

/* Wherever it was cut: each lesson whose line is there is read. */
static void of_a_file_that_was_cut_all_whole_lines_are_read(void **state)
{
    (void)state;
    cpm_tuning_history all = many(4);
    char *text = cpm_tuning_history_text(&all);
    for (size_t size = 0; size < strlen(text); size++) {
        cpm_tuning_history left = {0};
        cpm_error e = {0};
        char *cut = strndup(text, size);
        int whole = 0, status = cpm_tuning_history_unpack(cut, size, "file", &left, &e);
        for (const char *at = cut; (at = strstr(at, "]}")); at++)
            whole++;
        assert_int_equal(left.count, whole);
        assert_int_equal(status, size == 0 || size == strlen(text) - 1 ? CPM_OK : CPM_EPARSE);
        assert_int_equal(status ? strncmp(e.text, "file:", 5) : 0, 0);
        free(cut);
        cpm_tuning_history_clear(&left);
    }
    free(text);
    cpm_tuning_history_clear(&all);
}

static int unpack(const char *text, cpm_tuning_history *all, cpm_error *e)
{
    return cpm_tuning_history_unpack(text, strlen(text), "file", all, e);
}

static void a_lesson_that_is_wrong_is_named_and_others_are_read(void **state)
{
    (void)state;
    cpm_tuning_history all = many(3), left = {0};
    cpm_error e = {0};
    char *text = cpm_tuning_history_text(&all),
         *second = strstr(strstr(text, "bcast") + 5, "bcast");
    memcpy(second, "bcost", 5);
    assert_int_equal(unpack(text, &left, &e), CPM_EPARSE);
    assert_int_equal(left.count, 2);
    assert_int_equal(strncmp(e.text, "file:6: ", 8), 0);
    free(text);
    cpm_tuning_history_clear(&all);
    cpm_tuning_history_clear(&left);
}

static void other_files_are_known_as_such(void **state)
{
    (void)state;
    static const char *const others[] = {
        "int main(void)",
        "{}",
        "[]",
        "\n",
        "{\"format\": \"cpm table\", \"version\": 1}",
        "{\"format\": \"cpm table\", \"version\": 2, \"lessons\": []}",
        "{\n  \"format\": \"cpm table\",\n  \"version\": 1,\n  \"provenance\": {"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        cpm_tuning_history all = {0};
        cpm_error e = {0};
        assert_int_equal(unpack(others[k], &all, &e), CPM_EINVAL);
        assert_int_equal(all.count, 0);
    }
}

static void another_version_is_named(void **state)
{
    (void)state;
    cpm_tuning_history all = {0};
    cpm_error e = {0};
    assert_int_equal(
        unpack("{\"format\": \"cpm table\", \"version\": 99, \"lessons\": []}", &all, &e),
        CPM_EINVAL);
    assert_non_null(strstr(e.text, "version 99 of this format is not known, only 1"));
}

/* ---- the file */

static void lessons_are_added_to_those_of_the_file(void **state)
{
    cpm_tuning_history first = many(3), second = {0}, all = {0};
    (void)state;
    add(&second, "other", 1, 0.5, 0.01, 100);
    assert_int_equal(cpm_tuning_history_write("learnt", &first, NULL), CPM_OK);
    assert_int_equal(cpm_tuning_history_write("learnt", &second, NULL), CPM_OK);
    assert_int_equal(cpm_tuning_history_write("learnt", &first, NULL), CPM_OK);
    assert_int_equal(cpm_tuning_history_read("learnt", &all, NULL), CPM_OK);
    assert_int_equal(all.count, 4);
    cpm_tuning_history_clear(&first);
    cpm_tuning_history_clear(&second);
    cpm_tuning_history_clear(&all);
}

static void write_one(int k)
{
    cpm_tuning_history own = {0};
    add(&own, "a*4", (size_t)k, 0.5, 0.01, 100);
    _exit(cpm_tuning_history_write("shared", &own, NULL) != CPM_OK);
}

static void what_several_write_at_once_is_all_there(void **state)
{
    enum { WRITERS = 8 };
    (void)state;
    cpm_tuning_history all = {0};
    for (int k = 0; k < WRITERS; k++)
        if (fork() == 0)
            write_one(k);
    for (int k = 0, status; k < WRITERS; k++) {
        wait(&status);
        assert_int_equal(status, 0);
    }
    assert_int_equal(cpm_tuning_history_read("shared", &all, NULL), CPM_OK);
    assert_int_equal(all.count, WRITERS);
    cpm_tuning_history_clear(&all);
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
}

static void another_file_is_left_alone(void **state)
{
    (void)state;
    cpm_tuning_history all = many(1);
    cpm_error e = {0};
    char line[32] = "";
    put("precious", "int main(void)");
    assert_int_equal(cpm_tuning_history_write("precious", &all, &e), CPM_EINVAL);
    FILE *f = fopen("precious", "r");
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    assert_string_equal(line, "int main(void)");
    assert_int_equal(cpm_tuning_history_write("/dev/null", &all, NULL), CPM_EINVAL);
    assert_int_equal(cpm_tuning_history_write("nowhere/learnt", &all, NULL), CPM_EIO);
    cpm_tuning_history_clear(&all);
}

static void what_can_be_read_of_a_damaged_file_is_kept(void **state)
{
    (void)state;
    cpm_tuning_history all = many(3), new = {0}, left = {0};
    char *text = cpm_tuning_history_text(&all);
    *strstr(strstr(text, "node1*2"), "figures") = '\0'; /* in the second */
    put("damaged", text);
    add(&new, "other", 1, 0.5, 0.01, 100);
    assert_int_equal(cpm_tuning_history_write("damaged", &new, NULL), CPM_OK);
    assert_int_equal(cpm_tuning_history_read("damaged", &left, NULL), CPM_OK);
    assert_int_equal(left.count, 2);
    free(text);
    cpm_tuning_history_clear(&all);
    cpm_tuning_history_clear(&new);
    cpm_tuning_history_clear(&left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_weighted_by_their_calls),
        cmocka_unit_test(newer_figures_win_where_they_contradict),
        cmocka_unit_test(what_was_given_up_is_not_praised),
        cmocka_unit_test(other_hosts_are_other_lessons),
        cmocka_unit_test(what_is_written_reads_the_same),
        cmocka_unit_test(a_file_of_lessons_is_a_decision_table),
        cmocka_unit_test(of_a_file_that_was_cut_all_whole_lines_are_read),
        cmocka_unit_test(a_lesson_that_is_wrong_is_named_and_others_are_read),
        cmocka_unit_test(other_files_are_known_as_such),
        cmocka_unit_test(another_version_is_named),
        cmocka_unit_test(lessons_are_added_to_those_of_the_file),
        cmocka_unit_test(what_several_write_at_once_is_all_there),
        cmocka_unit_test(another_file_is_left_alone),
        cmocka_unit_test(what_can_be_read_of_a_damaged_file_is_kept),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
