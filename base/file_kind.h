/* What a file is, by its content, whatever its name: what is written asks that of what it would
 * replace. */
#ifndef CPM_BASE_FILE_KIND_H
#define CPM_BASE_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    CPM_FILE_UNKNOWN,
    CPM_FILE_MODEL,
    CPM_FILE_MEASUREMENTS,
    CPM_FILE_HISTORY, /* of tuning: lessons */
    CPM_FILE_TABLE,
    CPM_FILE_RULES,
    CPM_FILE_MAP,
    CPM_FILE_SCHEDULE,
    CPM_FILE_TOPOLOGY,
    CPM_FILE_PROFILE,
    CPM_FILE_REPORT, /* of cpm run */
    CPM_FILE_VALIDATION,
    CPM_FILE_COMPARISON, /* of models */
    CPM_FILE_RUNS,       /* a comparison of two runs */
    CPM_FILE_PREDICTION,
    CPM_FILE_PICTURE,
    CPM_FILE_GRAPH,
    CPM_FILE_PAGE,
    CPM_FILE_OPENMPI,
    CPM_FILE_UCC,
    CPM_FILE_MPICH,
    CPM_FILE_SIMGRID,
    CPM_FILE_HWLOC,
    CPM_FILE_GOAL,
    CPM_FILE_ROUTINES,
    CPM_FILE_JUNIT,      /* of cpm health */
    CPM_FILE_PROMETHEUS, /* the same */
    CPM_FILE_MANUAL,
    CPM_FILE_COMPLETION
} cpm_file_kind;

/* Of a regular file with something in it, opened to be read; its place in the file is lost.
 * Unknown: it has none of the marks, or cannot be read. */
cpm_file_kind cpm_file_kind_of(int file);

/* Of a text of that many bytes that is no JSON. */
cpm_file_kind cpm_file_kind_of_text(const char *text, size_t size);

/* "a model". */
const char *cpm_file_kind_named(cpm_file_kind kind);

/* Whether a command makes it from other files, so that the older one is not missed. Models and
 * measurements take a cluster; rules and topologies may be written by hand. */
bool cpm_file_kind_is_made_again(cpm_file_kind kind);

#endif
