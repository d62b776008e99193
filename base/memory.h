/* Memory that does not suffice is said before the kernel ends the process for it. */
#ifndef CPM_BASE_MEMORY_H
#define CPM_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that this process can still take: the least of what the machine has (swap included), what
 * its control groups leave, and what its own limits (RLIMIT_AS, RLIMIT_DATA) do. SIZE_MAX: nothing
 * says. */
size_t cpm_memory_left(void);

/* The same where /proc and /sys/fs/cgroup are below root (""), and without its own limits. */
size_t cpm_memory_left_below(const char *root);

/* Whether so many bytes more are left, and a little for all else. Few (below CPM_MEMORY_FEW) are
 * not asked about: getting them fails where they are not. */
bool cpm_memory_suffices(size_t bytes);

enum { CPM_MEMORY_FEW = 1 << 24 };

/* What is read here and there in many bytes is found faster in pages of 2 MB than of 4 KB: asks the
 * system for such pages wherever they fit between at and at + bytes. It may have none. */
void cpm_memory_large_pages(void *at, size_t bytes);

/* malloc(bytes) in such pages, if these are many bytes. */
void *cpm_memory_in_large_pages(size_t bytes);

#endif
