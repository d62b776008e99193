/* Lines with their numbers, whatever ends them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/lines.h"
#include "tests/folder.h"

static const char path[] = "test_lines.txt";

static void write_bytes(const char *bytes, size_t size)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void lines_come_without_their_ends_and_with_their_numbers(void **state)
{
    (void)state;
    static const char *const expected[] = {"one", "", "three", "", "cut short"};
    write_bytes("one\n\nthree\r\n\r\ncut short", 23);
    cpm_lines l;
    int status = CPM_OK, count = 0;
    assert_int_equal(cpm_lines_open(&l, path, NULL), CPM_OK);
    for (const char *line; (line = cpm_lines_next(&l, &status)); count++) {
        assert_string_equal(line, expected[count]);
        assert_int_equal(l.number, count + 1);
        assert_int_equal(l.whole, count < 4);
    }
    assert_int_equal(count, 5);
    assert_int_equal(status, CPM_OK);
    assert_int_equal(l.next, 23);
    cpm_lines_close(&l);
    remove(path);
}

static void a_text_is_read_as_a_file_is(void **state)
{
    (void)state;
    cpm_lines l;
    int status = CPM_OK;
    assert_int_equal(cpm_lines_open_text(&l, "text", "", NULL), CPM_OK);
    assert_null(cpm_lines_next(&l, &status));
    assert_int_equal(status, CPM_OK);
    cpm_lines_close(&l);
    assert_int_equal(cpm_lines_open_text(&l, "text", "a\nb", NULL), CPM_OK);
    assert_string_equal(cpm_lines_next(&l, &status), "a");
    assert_string_equal(cpm_lines_next(&l, &status), "b");
    assert_null(cpm_lines_next(&l, &status));
    cpm_lines_close(&l);
}

static void long_files_are_read_whole(void **state)
{
    (void)state;
    enum { LINES = 40000 };
    FILE *f = fopen(path, "w");
    for (int k = 0; k < LINES; k++)
        fprintf(f, "line %d\n", k);
    fclose(f);
    cpm_lines l;
    char expected[32];
    int status = CPM_OK;
    assert_int_equal(cpm_lines_open(&l, path, NULL), CPM_OK);
    for (int k = 0; k < LINES; k++) {
        snprintf(expected, sizeof expected, "line %d", k);
        assert_string_equal(cpm_lines_next(&l, &status), expected);
    }
    assert_null(cpm_lines_next(&l, &status));
    cpm_lines_close(&l);
    remove(path);
}

static void a_torn_line_is_forgotten(void **state)
{
    (void)state;
    write_bytes("whole\nto\0n", 10);
    cpm_lines l;
    int status = CPM_OK;
    assert_int_equal(cpm_lines_open(&l, path, NULL), CPM_OK);
    cpm_lines_drop_torn(&l);
    assert_string_equal(cpm_lines_next(&l, &status), "whole");
    assert_null(cpm_lines_next(&l, &status));
    assert_int_equal(status, CPM_OK);
    cpm_lines_close(&l);
    remove(path);
}

static void a_zero_byte_has_its_line(void **state)
{
    (void)state;
    write_bytes("text\nno\0ne\n", 11);
    cpm_lines l;
    cpm_error e = {0};
    int status = CPM_OK;
    assert_int_equal(cpm_lines_open(&l, path, &e), CPM_OK);
    assert_non_null(cpm_lines_next(&l, &status));
    assert_null(cpm_lines_next(&l, &status));
    assert_int_equal(status, CPM_EPARSE);
    assert_string_equal(e.text, "test_lines.txt:2: not text: there is a zero byte");
    cpm_lines_close(&l);
    remove(path);
}

static void after_an_error_there_is_no_line(void **state)
{
    (void)state;
    cpm_lines l;
    int status = CPM_EINVAL;
    assert_int_equal(cpm_lines_open_text(&l, "text", "a\n", NULL), CPM_OK);
    assert_null(cpm_lines_next(&l, &status));
    assert_int_equal(status, CPM_EINVAL);
    cpm_lines_close(&l);
}

static void what_is_wrong_comes_with_its_place(void **state)
{
    (void)state;
    cpm_lines l;
    cpm_error e = {0};
    int status = CPM_OK;
    assert_int_equal(cpm_lines_open_text(&l, "net", "a\nb\n", &e), CPM_OK);
    assert_int_equal(cpm_lines_wrong(&l, "empty"), CPM_EPARSE);
    assert_string_equal(e.text, "net:1: empty");
    cpm_error_clear(&e);
    cpm_lines_next(&l, &status);
    cpm_lines_next(&l, &status);
    assert_int_equal(cpm_lines_wrong(&l, "%d words", 7), CPM_EPARSE);
    assert_string_equal(e.text, "net:2: 7 words");
    cpm_lines_close(&l);
}

static void files_that_are_not_there_say_why(void **state)
{
    (void)state;
    cpm_lines l;
    cpm_error e = {0};
    assert_int_equal(cpm_lines_open(&l, "no-such.txt", &e), CPM_EIO);
    assert_string_equal(e.text, "no-such.txt: cannot be read: No such file or directory");
    cpm_lines_close(&l);
    cpm_error_clear(&e);
    assert_int_equal(cpm_lines_open(&l, ".", &e), CPM_EIO);
    cpm_lines_close(&l);
}

static void words_are_cut_at_blanks_and_counted(void **state)
{
    (void)state;
    char line[] = "\t one  two\tthree four ", empty[] = " \t", remark[] = "one # two";
    char *word[2];
    assert_int_equal(cpm_words(line, word, 2), 4);
    assert_string_equal(word[0], "one");
    assert_string_equal(word[1], "two");
    assert_int_equal(cpm_words(empty, word, 2), 0);
    assert_int_equal(cpm_words_before_remark(remark, word, 2), 1);
    assert_string_equal(word[0], "one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_without_their_ends_and_with_their_numbers),
        cmocka_unit_test(a_text_is_read_as_a_file_is),
        cmocka_unit_test(long_files_are_read_whole),
        cmocka_unit_test(a_torn_line_is_forgotten),
        cmocka_unit_test(a_zero_byte_has_its_line),
        cmocka_unit_test(after_an_error_there_is_no_line),
        cmocka_unit_test(what_is_wrong_comes_with_its_place),
        cmocka_unit_test(files_that_are_not_there_say_why),
        cmocka_unit_test(words_are_cut_at_blanks_and_counted),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
