/* Maps as files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mapping/map_file.h"
#include "tests/folder.h"

/* Reads text as a file; the path is left out of the error's sentence. */
static int read_text(const char *text, cpm_map **out, cpm_error *e)
{
    char path[] = "mapXXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    assert_true(fputs(text, f) >= 0 && fclose(f) == 0);
    int status = cpm_map_read(path, out, e);
    unlink(path);
    if (status)
        memmove(e->text, e->text + strlen(path), strlen(e->text + strlen(path)) + 1);
    return status;
}

static char *printed(const cpm_map *m)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    cpm_map_print(m, NULL, f);
    fclose(f);
    return text;
}

static void what_is_printed_reads_the_same(void **state)
{
    (void)state;
    const char *const texts[] = {
        "algorithm bcast:binomial\nsize 4096\nnode 0 process 2\nnode 1 process 0\nnode 2 process "
        "1\n",
        "algorithm scatterv:tree\nsize 5\nblock 0 7\nblock 1 0\nblock 2 9\nnode 0 process 1\nnode "
        "1 "
        "process 2 parent 0\nnode 2 process 0 parent 1\n"};
    for (int k = 0; k < 2; k++) {
        cpm_map *m = NULL;
        cpm_error e = {0};
        assert_int_equal(read_text(texts[k], &m, &e), CPM_OK);
        char *text = printed(m);
        assert_string_equal(text, texts[k]);
        free(text);
        cpm_map_free(m);
    }
}

static void numbers_are_what_they_say(void **state)
{
    (void)state;
    cpm_map *m = NULL;
    assert_int_equal(read_text("# a map\nnode 0 process 1 # h1\n\nnode 1 process 0 parent 0\n"
                               "algorithm gather:tree\nsize 4K\n",
                               &m, NULL),
                     CPM_OK);
    assert_string_equal(m->algorithm, "gather:tree");
    assert_int_equal(m->bytes, 4096);
    assert_null(m->sizes);
    assert_int_equal(m->mapping.n, 2);
    assert_int_equal(m->mapping.process[0], 1);
    assert_int_equal(m->mapping.process[1], 0);
    assert_int_equal(m->mapping.parent[0], -1);
    assert_int_equal(m->mapping.parent[1], 0);
    cpm_map_free(m);
}

static void a_wrong_line_is_named(void **state)
{
    (void)state;
#define HEAD "algorithm bcast:tree\nsize 1\n"
    static const struct {
        const char *text, *error;
    } wrong[] = {
        {"", ":1: the file ends without a line 'algorithm'"},
        {HEAD, ":2: the file ends without a line 'node'"},
        {HEAD "nodes\n", ":3: expected 'algorithm OP:NAME'"},
        {HEAD "node 0 process 0 parent\n", ":3: expected 'algorithm OP:NAME'"},
        {HEAD "algorithm bcast:tree\n", ":3: a second algorithm"},
        {HEAD "node 1 process 0\n", ":3: expected node 0, found 1"},
        {HEAD "node 0 process x\n", ":3: 'x' is not a node or process"},
        {HEAD "node 0 process -1\n", ":3: '-1' is not a node or process"},
        {HEAD "node 0 process 0 parent 0\n", ":3: node 0 has a parent"},
        {HEAD "node 0 process 0\nnode 1 process 0\n", ":4: process 0 sits at a node already"},
        {HEAD "node 0 process 0\nnode 1 process 1 parent 1\n", ":4: the parent of node 1 must be"},
        {HEAD "node 0 process 0\nnode 1 process 1 parent 0\nnode 2 process 2\n",
         ":5: node 2 has no parent"},
        {HEAD "node 0 process 0\nnode 1 process 2\n", ":4: the file ends without a node for "
                                                      "process 1"},
        {"algorithm a\nsize 1Q\n", ":2: size '1Q'"},
        {"algorithm a\nblock 1 5\n", ":2: expected the block of process 0"},
        {"algorithm a\nsize 5\nblock 0 5\nnode 0 process 0\nnode 1 process 1\n",
         ":5: the file has 1 blocks for 2 processes"},
        {"algorithm a\nnode 0 process 0\n", ":2: the file ends without a line 'size'"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        cpm_map *m = NULL;
        cpm_error e = {0};
        assert_int_equal(read_text(wrong[k].text, &m, &e), CPM_EPARSE);
        if (strncmp(e.text, wrong[k].error, strlen(wrong[k].error)) != 0)
            fail_msg("'%s' instead of '%s'", e.text, wrong[k].error);
        assert_null(m);
    }
}

static void a_file_that_is_not_there_is_named(void **state)
{
    (void)state;
    cpm_map *m = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_map_read("no-such.map", &m, &e), CPM_EIO);
    assert_non_null(strstr(e.text, "no-such.map"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_reads_the_same),
        cmocka_unit_test(numbers_are_what_they_say),
        cmocka_unit_test(a_wrong_line_is_named),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
