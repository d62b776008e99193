/* The kernel promises more than it has, and ends a process that takes it at its word: so what it
 * says of itself in /proc and /sys/fs/cgroup is read before. */
#include "base/memory.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* What other things of the process, and other processes, need meanwhile. */
enum { REST = 1 << 26 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t less(size_t a, size_t b)
{
    return a > b ? a - b : 0;
}

/* ---- the machine */

/* The number behind name in a file of "NAME NUMBER" or "NAME: NUMBER kB" lines, times unit;
 * otherwise: it is not there. */
static size_t number_of(const char *path, const char *name, size_t unit, size_t otherwise)
{
    FILE *in = fopen(path, "r");
    char line[256];
    size_t length = strlen(name), found = otherwise;
    while (in && found == otherwise && fgets(line, sizeof line, in))
        if (strncmp(line, name, length) == 0 && (line[length] == ' ' || line[length] == ':'))
            found = unit * (size_t)strtoull(line + length + 1, NULL, 10);
    if (in)
        fclose(in);
    return found;
}

static size_t left_on_machine(const char *root)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    size_t available = number_of(path, "MemAvailable", 1024, SIZE_MAX);
    return available == SIZE_MAX ? SIZE_MAX : available + number_of(path, "SwapFree", 1024, 0);
}

/* ---- control groups */

/* The number that a file consists of; SIZE_MAX: none ("max"), or there is no such file. */
static size_t number_in(const char *folder, const char *name)
{
    char path[PATH_MAX], text[32] = "", *end = text;
    size_t number = SIZE_MAX;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return SIZE_MAX;
    FILE *in = fopen(path, "r");
    if (!in)
        return SIZE_MAX;
    if (fgets(text, sizeof text, in))
        number = (size_t)strtoull(text, &end, 10);
    fclose(in);
    return end == text ? SIZE_MAX : number;
}

/* What a group and those in it keep of files, which is given back when it is needed. In version 1
 * the plain names are of the group alone, though what is used is of all. */
static size_t kept_of_files(const char *stat)
{
    size_t inactive = number_of(stat, "total_inactive_file", 1, SIZE_MAX);
    if (inactive == SIZE_MAX)
        return number_of(stat, "inactive_file", 1, 0) + number_of(stat, "active_file", 1, 0);
    return inactive + number_of(stat, "total_active_file", 1, 0);
}

static size_t left_in_group(const char *folder, const char *most, const char *now)
{
    char path[PATH_MAX];
    size_t limit = number_in(folder, most), used = number_in(folder, now);
    if (limit == SIZE_MAX || used == SIZE_MAX ||
        snprintf(path, sizeof path, "%s/memory.stat", folder) >= (int)sizeof path)
        return SIZE_MAX;
    return less(limit, less(used, kept_of_files(path)));
}

/* In a container a path may be that of the host, of which only the end is there, or nothing. */
static size_t left_in_groups(const char *top, char *path, const char *most, const char *now)
{
    size_t left = SIZE_MAX;
    for (char *end = path + strlen(path); end; end = strrchr(path, '/')) {
        char folder[PATH_MAX];
        *end = '\0';
        if (snprintf(folder, sizeof folder, "%s%s", top, path) < (int)sizeof folder)
            left = least(left, left_in_group(folder, most, now));
    }
    return left;
}

/* A line of /proc/self/cgroup: "0::/path", or "NUMBER:memory:/path" of version 1. */
static size_t left_by_line(const char *root, char *line)
{
    char top[PATH_MAX], *kind = strchr(line, ':'), *path = kind ? strchr(kind + 1, ':') : NULL;
    if (!path)
        return SIZE_MAX;
    path++;
    path[strcspn(path, "\n")] = '\0';
    bool second = kind[1] == ':';
    if (!second && strncmp(kind + 1, "memory:", 7) != 0)
        return SIZE_MAX;
    snprintf(top, sizeof top, "%s/sys/fs/cgroup%s", root, second ? "" : "/memory");
    return second ? left_in_groups(top, path, "memory.max", "memory.current")
                  : left_in_groups(top, path, "memory.limit_in_bytes", "memory.usage_in_bytes");
}

static size_t left_by_groups(const char *root)
{
    char path[PATH_MAX], line[PATH_MAX];
    size_t left = SIZE_MAX;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *in = fopen(path, "r");
    while (in && fgets(line, sizeof line, in))
        left = least(left, left_by_line(root, line));
    if (in)
        fclose(in);
    return left;
}

size_t cpm_memory_left_below(const char *root)
{
    return least(left_on_machine(root), left_by_groups(root));
}

/* ---- the process */

static size_t left_by_limit(int resource, size_t used)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return SIZE_MAX;
    return less((size_t)limit.rlim_cur, used);
}

/* /proc/self/statm: size, resident, shared, text, 0, data; all in pages. */
static size_t left_by_limits(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 0, data = 0;
    FILE *in = fopen("/proc/self/statm", "r");
    bool known = in && fscanf(in, "%zu %*u %*u %*u %*u %zu", &size, &data) == 2; /* NOLINT */
    if (in)
        fclose(in);
    if (!known)
        return SIZE_MAX;
    return least(left_by_limit(RLIMIT_AS, size * page), left_by_limit(RLIMIT_DATA, data * page));
}

size_t cpm_memory_left(void)
{
    return least(cpm_memory_left_below(""), left_by_limits());
}

bool cpm_memory_suffices(size_t bytes)
{
    return bytes < CPM_MEMORY_FEW || bytes <= less(cpm_memory_left(), REST);
}

/* ---- pages */

static const size_t large_page = (size_t)1 << 21;

static size_t up_to_large_page(uintptr_t bytes)
{
    return -bytes & (large_page - 1);
}

void cpm_memory_large_pages(void *at, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    size_t before = up_to_large_page((uintptr_t)at);
    if (bytes >= before + large_page)
        (void)madvise((char *)at + before, (bytes - before) & ~(large_page - 1), MADV_HUGEPAGE);
#else
    (void)at;
    (void)bytes;
#endif
}

void *cpm_memory_in_large_pages(size_t bytes)
{
    if (bytes < large_page)
        return malloc(bytes);
    bytes += up_to_large_page(bytes);
    void *at = aligned_alloc(large_page, bytes);
    if (at)
        cpm_memory_large_pages(at, bytes);
    return at;
}
