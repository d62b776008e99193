/* One page about clusters: what cpm report writes. The files it is given are told apart by the
 * cluster that they are of (files.c); each cluster has the same sections (sections.c), and each
 * section is a row of a table and a function that makes blocks of data (block.h). The page is a
 * template with these data in it (page.html.in), which a script shows in the browser (page.js.in).
 */
#ifndef CPM_TOOLS_PAGE_PAGE_H
#define CPM_TOOLS_PAGE_PAGE_H

#include "diagnose/doctor.h"
#include "history/profile.h"
#include "history/tuning_history.h"
#include "measurements/measurements.h"
#include "models/model.h"
#include "tables/decision_table.h"
#include "tools/examine/compare.h"
#include "tools/examine/diff.h"
#include "tools/frame/command.h"
#include "tools/page/block.h"

/* ---- files */

typedef struct page_kind page_kind;

/* What was read of a file; of its kind one pointer is set. Everything is owned but the path. */
typedef struct {
    const char *path;
    const page_kind *kind;
    int cluster;  /* its number */
    char *apart;  /* why it is of no cluster of those before it; NULL: it is */
    int n;        /* processes; 0: it does not say */
    cpm_hosts on; /* who shares a host, with names; empty: it does not say */
    cpm_metadata metadata;
    cpm_model *model;
    cpm_measurements *measurements;
    cpm_table *table;
    cpm_profile *profile;
    cpm_tuning_history *lessons;
    json_t *run; /* a report of cpm run */
} page_file;

struct page_kind {
    const char *name;   /* for people */
    const char *begins; /* the file's first characters; NULL: it is JSON ... */
    const char *format; /* ... and this is its member "format" */
    int (*read)(page_file *f, cpm_error *e);
};

/* All kinds; ends with a row whose name is NULL. */
extern const page_kind page_kinds[];

typedef struct {
    page_file *at;
    int count, clusters;
} page_files;

/* Reads them in that order, and finds the cluster of each: that of the first file with the same
 * hosts (or some of them) and the same MPI library; a file that says neither is of the cluster of
 * the model that it was made of, or else of that of the one before it. CPM_EINVAL: one is given
 * twice. CPM_EIO; CPM_EPARSE, also of a file that is none of these; CPM_ENOMEM. out is freed in any
 * case. */
int page_files_read(char *const *path, int count, page_files *out, cpm_error *e);
void page_files_free(page_files *files);

/* ---- what is found out about a cluster, before anything is written of it */

typedef struct {
    /* By doctor; why not, if undiagnosed is set, or nothing was asked. */
    cpm_diagnosis diagnosis;
    bool diagnosed;
    cpm_error undiagnosed;
    table findings, examined;
    char *health; /* the verdict in a sentence */

    /* Comparable files against each other. */
    call compare;
    compare_settings compare_set;
    const char **operand; /* "cpm compare", models, observations, NULL */
    comparison x;
    bool compared;
    cpm_error uncompared;

    /* Models of the same kind, the oldest first: more than one, or none; step[i]: from i to i + 1,
       unless error[i] is set. */
    const page_file **model;
    int models;
    diff_said *step;
    cpm_error *error;
} page_findings;

/* ---- sections */

/* A cluster while its part of the page is made. */
typedef struct {
    const call *c;
    const page_files *files;
    int number;
    const page_file *main; /* its first model, or the newest of these; NULL: there is none */
    page_findings *found;
    json_t *data;  /* of the cluster */
    block_list to; /* of the section */
} page_cluster;

/* Finds out everything. out is to be cleared in any case. Only memory can fail: CPM_ENOMEM. */
int page_find(page_cluster *k, page_findings *out, cpm_error *e);
void page_findings_clear(page_findings *found);

typedef struct {
    const char *id, *title;
    bool (*has)(const page_cluster *k); /* whether there is something to be said */
    int (*make)(const page_cluster *k, cpm_error *e);
} page_section;

/* In the order of the page; ends with a row whose id is NULL. */
extern const page_section page_sections[];

/* The next file of that kind (a pointer into page_kinds; NULL: any) of the cluster behind f, NULL:
 * the first. NULL: there is none. */
const page_file *page_next(const page_cluster *k, const char *kind, const page_file *f);

/* Whether page_next finds one. */
bool page_has(const page_cluster *k, const char *kind);

/* What is to be done about a part that could not be made ("No decisions"): says so on the page and
 * returns CPM_OK, but where there is no memory. */
int page_without(const page_cluster *k, const char *what, const cpm_error *why, cpm_error *e);

/* The last part of a path. */
const char *page_base_name(const char *path);

/* Writes the page of all files to path. CPM_EINVAL: the library of charts that the environment
 * names is none. CPM_EIO; CPM_ENOMEM. */
int page_write(const call *c, const page_files *files, const char *path, cpm_error *e);

#endif
