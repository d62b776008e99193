/* Imports: what other benchmarks printed, read as measurements (doc/import.md). One row of a table
 * per format, and a file. */
#ifndef CPM_MEASUREMENTS_IMPORT_H
#define CPM_MEASUREMENTS_IMPORT_H

#include <stdbool.h>

#include "measurements/measurements.h"

struct cpm_import_reader;

typedef struct {
    const char *name;     /* "osu" */
    const char *programs; /* "OSU Micro-Benchmarks" */
    /* Whether a line is one that only such a program prints. */
    bool (*begins)(const char *line);
    /* Takes the next line, without its end, its indentation and a launcher's label. */
    int (*read)(struct cpm_import_reader *r, char *line);
    /* Behind the last line; NULL: nothing is left to do then. */
    int (*end)(struct cpm_import_reader *r);
    const char *expected; /* what a file must have */
} cpm_import_format;

/* All formats; ends with NULL. */
extern const cpm_import_format *const cpm_import_formats[];

/* Their names, and "auto" (NULL as a format): each file is of the format that it looks like. As
 * cpm_names. */
const char *cpm_import_named(int k);

/* CPM_EUNKNOWN with the known ones. */
int cpm_import_find(const char *name, const cpm_import_format **out, cpm_error *e);

typedef struct {
    const char *path;
    int i, j; /* the pair of processes that it measured; both -1: not said, then it is 0 and 1 */
} cpm_import_file;

typedef struct {
    const cpm_import_format *format; /* NULL: that which each file looks like */
    int processes;    /* of collectives, where a file does not say it; of several tables those of so
                         many are taken. 0: not known, then those of which there are most */
    bool pairs_only;  /* collectives are left out if there is anything else */
    const char *only; /* of files with tables of several libraries or machines, the label of those
                         that are taken; NULL: files are of one */
    /* Our name ("bcast:chain") of what Open MPI's algorithm of that number does on n processes with
     * blocks of so many bytes; "OP:native": its own choice. False: CPM has none like it, or it is
     * not called so in Open MPI. NULL: numbers are not known. */
    bool (*of_openmpi)(const char *operation, long number, const char *name, int n, size_t bytes,
                       char *ours, size_t size);
} cpm_import_options;

/* Reads count >= 1 files. Several files (and several tables in a file) of the same experiment are
 * its repetitions: their median counts. A single one is a point without spread, with the
 * repetitions that the program reports, or 1. Latencies become round trips, bandwidths streams of
 * messages, collectives those of the MPI library ("native") or the algorithm that is named.
 * Processes are the highest rank and all below it; metadata say where all this is from and what it
 * is worth ("caution").
 * CPM_EIO; CPM_EPARSE "FILE:LINE: what"; CPM_EINVAL: ranks that cannot be, or a pair said of some
 * files only; CPM_EDATA: an average over several pairs given as one of them or mixed with single
 * ones, or collectives of an unknown number of processes alone; CPM_ENOMEM. */
int cpm_import(const cpm_import_options *options, const cpm_import_file *files, int count,
               cpm_measurements *out, cpm_error *e);

/* The format that a file looks like; NULL: none of them. CPM_EIO; CPM_EPARSE: broken. */
int cpm_import_recognise(const char *path, const cpm_import_format **out, cpm_error *e);

/* The best model that imported measurements bear: "lmo2" or "hockney". CPM_EDATA with a sentence
 * that says why there is none. */
int cpm_import_bears(const cpm_measurements *m, const char **model, cpm_error *e);

#endif
