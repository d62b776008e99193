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
/* Opens path for writing, or standard output if it is NULL or "-". CPM_EIO. */
int output_open(const char *path, FILE **out, cpm_error *e);
/* Flushes and closes (standard output is only flushed). CPM_EIO, if a disk is full. */
int output_close(FILE *out, const char *path, cpm_error *e);

/* Each line of text (NULL: none) behind the prefix. */
void output_lines(const char *prefix, const char *text, FILE *out);

/* Prints all, which is freed, on standard output. CPM_ENOMEM: it is NULL. */
int output_json(json_t *all, cpm_error *e);

#endif
