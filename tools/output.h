/* Files that are given and written, and text in lines. */
#ifndef CPM_TOOLS_OUTPUT_H
#define CPM_TOOLS_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* Whether there is such a file, and text is its beginning: at most 31 characters. */
bool file_begins(const char *path, const char *text);

/* CPM_EIO unless a file can be put at path ("-" and NULL are fine); leaves no trace. Local. */
int output_check(const char *path, cpm_error *e);
/* Text on its way to a file or to standard output. */
typedef struct {
    FILE *stream;     /* to write to */
    const char *path; /* borrowed; NULL: standard output */
    char *text;       /* of a file, which is written when all of it is known */
    size_t size;
} output_file;

/* Begins what goes to path, or to standard output if it is NULL or "-". CPM_ENOMEM. */
int output_open(const char *path, output_file *o, cpm_error *e);
/* Ends it. If status, which is returned then, is an error, or the disk is full, the file stays what
 * it was. CPM_EIO, CPM_ENOMEM. */
int output_close(output_file *o, int status, cpm_error *e);

/* Each line of text (NULL: none) behind the prefix. */
void output_lines(const char *prefix, const char *text, FILE *out);

/* Prints all, which is freed, on standard output. CPM_ENOMEM: it is NULL. */
int output_json(json_t *all, cpm_error *e);

#endif
