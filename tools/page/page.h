/* One page about clusters: what cpm report writes. The files it is given are told apart by the
 * cluster that they are of (files.c); each cluster has the same sections (sections.c), and each
 * section is a row of a table and a function. */
#ifndef CPM_TOOLS_PAGE_PAGE_H
#define CPM_TOOLS_PAGE_PAGE_H

#include <jansson.h>

#include "history/profile.h"
#include "history/tuning_history.h"
#include "measurements/measurements.h"
#include "models/model.h"
#include "tables/decision_table.h"
#include "tools/frame/command.h"
#include "tools/page/html.h"

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

/* ---- sections */

/* A cluster while its part of the page is written. */
typedef struct {
    const call *c;
    const page_files *files;
    int number;
    const page_file *main; /* its first model; NULL: there is none */
    FILE *out;
    const char *folder; /* for files of pictures */
    int *pictures;      /* of the whole page so far */
    cpm_error *missing; /* why the first picture that failed is missing; of programs that are not
                           installed it does not tell */
} page_cluster;

typedef struct {
    const char *id, *title;
    bool (*has)(const page_cluster *k); /* whether there is something to be said */
    int (*write)(const page_cluster *k, cpm_error *e);
} page_section;

/* In the order of the page; ends with a row whose id is NULL. */
extern const page_section page_sections[];

/* The next file of that kind (a pointer into page_kinds; NULL: any) of the cluster behind f, NULL:
 * the first. NULL: there is none. */
const page_file *page_next(const page_cluster *k, const char *kind, const page_file *f);

/* Whether page_next finds one. */
bool page_has(const page_cluster *k, const char *kind);

/* ---- pictures */

/* Puts the picture at path into a figure, with the words of its caption and those of the command
 * that makes it, which end with NULL; the first is not quoted ("cpm plot"). made_by NULL: none
 * does. */
int page_figure(const page_cluster *k, const char *path, const char *caption,
                const char *const *made_by, cpm_error *e);

/* What is to be done about a part that could not be made ("No decisions"), or a picture: says so on
 * the page and returns CPM_OK, but where there is no memory. */
int page_without(const page_cluster *k, const char *what, const cpm_error *why, cpm_error *e);
int page_without_picture(const page_cluster *k, const cpm_error *why, cpm_error *e);

/* Words of a command, quoted as a shell wants them, behind what it makes. */
void page_command(const page_cluster *k, const char *makes, const char *const *words);

/* The last part of a path. */
const char *page_base_name(const char *path);

/* Writes the page of all files to path. Errors of files are found before; those of programs that
 * draw are said on the page. CPM_EIO, also where there is the page, but programs that are installed
 * have failed to draw its pictures; CPM_ENOMEM. */
int page_write(const call *c, const page_files *files, const char *path, cpm_error *e);

#endif
