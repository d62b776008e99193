/* What is left of memory, as the kernel says it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"

static const size_t kib = 1024, mib = 1 << 20;

/* The folder that stands for /, whose files are in memory. */
typedef struct {
    char at[64];
} root;

static root make_root(void)
{
    root r = {"/tmp/test-memory-XXXXXX"};
    assert_non_null(mkdtemp(r.at));
    return r;
}

/* With the folders that it is in. */
static void put(const root *r, const char *path, const char *text)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s%s", r->at, path);
    for (char *slash = strchr(whole + strlen(r->at) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *out = fopen(whole, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void remove_root(const root *r)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", r->at);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
}

static void a_machine_has_what_is_available_and_swap(void **state)
{
    (void)state;
    root r = make_root();
    assert_true(cpm_memory_left_below(r.at) == SIZE_MAX);
    put(&r, "/proc/meminfo",
        "MemTotal:  8000 kB\nMemFree: 1 kB\nMemAvailable:    5000 kB\nSwapFree: 300 kB\n");
    assert_int_equal(cpm_memory_left_below(r.at), 5300 * kib);
    remove_root(&r);
}

static void a_group_leaves_its_limit_less_what_it_uses_but_for_files(void **state)
{
    (void)state;
    root r = make_root();
    put(&r, "/proc/meminfo", "MemAvailable: 9000000 kB\n");
    put(&r, "/proc/self/cgroup", "0::/jobs/mine\n");
    put(&r, "/sys/fs/cgroup/jobs/mine/memory.max", "max\n");
    put(&r, "/sys/fs/cgroup/jobs/mine/memory.current", "1000\n");
    assert_int_equal(cpm_memory_left_below(r.at), 9000000 * kib);
    put(&r, "/sys/fs/cgroup/jobs/memory.max", "104857600\n"); /* the group that it is in */
    put(&r, "/sys/fs/cgroup/jobs/memory.current", "73400320\n");
    put(&r, "/sys/fs/cgroup/jobs/memory.stat",
        "anon 5\ninactive_file 20971520\n"
        "active_file 10485760\n");
    assert_int_equal(cpm_memory_left_below(r.at), (100 - (70 - 20 - 10)) * mib);
    put(&r, "/sys/fs/cgroup/memory.max", "104857600\n"); /* in a container that is all there is */
    put(&r, "/sys/fs/cgroup/memory.current", "204857600\n");
    assert_int_equal(cpm_memory_left_below(r.at), 0);
    remove_root(&r);
}

static void the_first_version_of_groups_is_known(void **state)
{
    (void)state;
    root r = make_root();
    put(&r, "/proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a\n");
    put(&r, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "52428800\n");
    put(&r, "/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "10485760\n");
    assert_int_equal(cpm_memory_left_below(r.at), 40 * mib);
    put(&r, "/sys/fs/cgroup/memory/a/memory.stat", /* its groups have what is kept of files */
        "inactive_file 0\nactive_file 0\ntotal_inactive_file 2097152\n"
        "total_active_file 1048576\n");
    assert_int_equal(cpm_memory_left_below(r.at), 43 * mib);
    remove_root(&r);
}

static void little_is_not_asked_about_and_too_much_is_not_left(void **state)
{
    (void)state;
    assert_true(cpm_memory_suffices(CPM_MEMORY_FEW - 1));
    assert_false(cpm_memory_suffices(SIZE_MAX / 2));
}

static void large_pages_change_nothing_in_what_lies_there(void **state)
{
    (void)state;
    char *small = cpm_memory_in_large_pages(1000), *large = cpm_memory_in_large_pages(5 * mib + 1);
    assert_non_null(small);
    assert_non_null(large);
    assert_int_equal((uintptr_t)large % (2 * mib), 0);
    memset(small, 1, 1000);
    memset(large, 2, 5 * mib + 1);
    cpm_memory_large_pages(small + 1, 999);
    cpm_memory_large_pages(large + 1, 5 * mib);
    assert_int_equal(small[999], 1);
    for (size_t k = 0; k <= 5 * mib; k++)
        assert_int_equal(large[k], 2);
    free(small);
    free(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_has_what_is_available_and_swap),
        cmocka_unit_test(a_group_leaves_its_limit_less_what_it_uses_but_for_files),
        cmocka_unit_test(the_first_version_of_groups_is_known),
        cmocka_unit_test(little_is_not_asked_about_and_too_much_is_not_left),
        cmocka_unit_test(large_pages_change_nothing_in_what_lies_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
