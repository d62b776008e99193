/* Imports: what other benchmarks printed, read as measurements (doc/import.md). One row of a table
 * per format. The programs report one-way latencies; a round trip is twice that. */
#ifndef CPM_MEASUREMENTS_IMPORT_H
#define CPM_MEASUREMENTS_IMPORT_H

#include <stdbool.h>

#include "measurements/measurements.h"

struct cpm_import_reader;

typedef struct {
    const char *name;     /* "osu" */
    const char *programs; /* "osu_latency, osu_multi_lat" */
    /* Whether a line is one of the first that such a program prints. */
    bool (*begins)(const char *line);
    /* Takes the next line, without its end. */
    int (*read)(struct cpm_import_reader *r, char *line);
    const char *expected; /* what a file must have */
} cpm_import_format;

/* All formats; ends with NULL. */
extern const cpm_import_format *const cpm_import_formats[];

/* Their names. As cpm_names. */
const char *cpm_import_named(int k);

/* CPM_EUNKNOWN with the known ones. */
int cpm_import_find(const char *name, const cpm_import_format **out, cpm_error *e);

typedef struct {
    const char *path;
    int i, j; /* the pair of processes that it measured; both -1: not said, then it is 0 and 1 */
} cpm_import_file;

/* Reads count >= 1 files as round trips with equal messages both ways. Several files of a pair (and
 * several tables in a file) are its repetitions: their median counts. A single one is a point
 * without spread, with the repetitions that the program reports, or 1. Processes are the highest
 * rank and all below it; metadata say where it is from and what it is worth.
 * CPM_EIO; CPM_EPARSE "FILE:LINE: what"; CPM_EINVAL: ranks that cannot be, or a pair said of some
 * files only; CPM_EDATA: pairs without a file (named), or an average over several pairs given as
 * one of them or mixed with single ones; CPM_ENOMEM. */
int cpm_import(const cpm_import_format *format, const cpm_import_file *files, int count,
               cpm_measurements *out, cpm_error *e);

#endif
