/* Where several hosts have as many of several processes each, Open MPI 5 (coll/han) goes in two
 * levels in seven operations. Within hosts, and in a bcast also between them, it decides as among
 * as many processes without hosts. Between them the nearest stands for what coll/libnbc does.
 *
 * The decisions of 5.0.7, compared with the library's own messages
 * (tests/libraries/library_defaults.c): a bcast up to 64 KiB is exactly that. Longer blocks go in
 * segments, of which several are under way in another order than the repository's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selection/library_defaults_rules.h"

enum { SEGMENT = 1 << 16, MOST_TEXT = 200 };

/* Whose decision a level's is, and for how much: NULL: as algorithm says. */
typedef struct {
    const char *operation;
    enum { OF_BLOCK, OF_HOST, OF_ALL } bytes;
} level;

static const struct {
    const char *operation, *algorithm;
    level inner, outer;
    bool segmented;
} by_levels[] = {
    {"bcast", "hosts", {"bcast", OF_BLOCK}, {"bcast", OF_BLOCK}, true},
    {"reduce", "hosts", {"reduce", OF_BLOCK}, {0}, true},
    {"allreduce", "hosts:outer=reduce-bcast", {"reduce", OF_BLOCK}, {0}, true},
    {"gather", "hosts", {"gather", OF_BLOCK}, {"gather", OF_HOST}, false},
    {"scatter", "hosts", {"scatter", OF_BLOCK}, {"scatter", OF_HOST}, false},
    {"allgather", "hosts", {"bcast", OF_ALL}, {"allgather", OF_HOST}, false},
    {"barrier", "hosts-barrier", {0}, {0}, false},
};

/* Of each host; 0: they differ, or there is no memory to know it. */
static int processes_of_each(const cpm_hosts *h)
{
    int each = h->n / h->count, alike = 0;
    int *seen = calloc((size_t)h->count, sizeof *seen);
    for (int i = 0; seen && i < h->n; i++)
        alike += ++seen[h->of[i]] == each;
    free(seen);
    return alike == h->count && each * h->count == h->n ? each : 0;
}

/* ":inner=binary"; nothing if it has its own, or nothing of the repository is like it. */
static void add_level(const char *name, const level *l, int n, const size_t bytes[3], char *text)
{
    cpm_collective usual[CPM_MOST_USUAL];
    cpm_request part = {.n = n, .bytes = bytes[l->bytes]};
    size_t used = strlen(text);
    if (l->operation && !cpm_operation_find(l->operation, &part.operation, NULL) &&
        cpm_library_default(CPM_LIBRARY_OPENMPI, &part, usual) == 1)
        snprintf(text + used, MOST_TEXT - used, ":%s=%s", name, usual[0].algorithm->name);
}

bool cpm_library_default_by_levels(const cpm_request *r, cpm_collective *out)
{
    int each = cpm_hosts_have_levels(r->hosts) ? processes_of_each(r->hosts) : 0;
    char text[MOST_TEXT];
    size_t k = 0, count = sizeof by_levels / sizeof *by_levels;
    while (k < count && strcmp(by_levels[k].operation, r->operation->name) != 0)
        k++;
    if (!each || k == count || (r->operation->combines && r->ordered))
        return false;
    bool cut = by_levels[k].segmented && r->bytes > SEGMENT;
    const size_t bytes[] = {cut ? SEGMENT : r->bytes, r->bytes * (size_t)each,
                            r->bytes * (size_t)r->n};
    snprintf(text, sizeof text, "%s%s", by_levels[k].algorithm, cut ? ":segment=64K" : "");
    add_level("inner", &by_levels[k].inner, each, bytes, text);
    add_level("outer", &by_levels[k].outer, r->hosts->count, bytes, text);
    return !cpm_collective_parse_algorithm(r->operation, text, out, NULL);
}
