/* A group of tests that write files: they run in a new folder, which is removed with all that they
 * leave. For cmocka_run_group_tests. */
#ifndef CPM_TESTS_FOLDER_H
#define CPM_TESTS_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char tests_folder[] = "/tmp/cpm-test.XXXXXX";

static int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(tests_folder) ? chdir(tests_folder) : -1;
}

static int remove_entry(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s;
    (void)kind;
    (void)at;
    return remove(path);
}

static int leave_folder(void **state)
{
    (void)state;
    return chdir("/") ? -1 : nftw(tests_folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
