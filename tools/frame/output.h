/* Files that are given and written, and text in lines. */
#ifndef CPM_TOOLS_FRAME_OUTPUT_H
#define CPM_TOOLS_FRAME_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/new_file.h"
#include "base/report_table.h"

/* Whether there is such a file, and text is its beginning: at most 31 characters. */
bool file_begins(const char *path, const char *text);

/* What is at path; CPM_FILE_UNKNOWN, too, if it is a pipe or cannot be read. */
cpm_file_kind file_kind(const char *path);

/* CPM_EINVAL if path is a pipe: what is read more than once must be a file. */
int file_refuse_pipe(const char *path, cpm_error *e);

/* Whether both are one file, however they are named; devices are not. */
bool file_is_same(const char *a, const char *b);

/* CPM_EIO unless a file of that kind can be put at path ("-" and NULL are fine); leaves no trace.
 * Local. */
int output_check(const char *path, cpm_file_kind kind, cpm_error *e);
/* CPM_EINVAL if a table for programs and what goes to path would both be written to standard
 * output. */
int output_check_format(const char *path, cpm_format format, cpm_error *e);
/* Whether an output is a file: neither NULL nor "-", which is standard output. */
bool output_is_file(const char *path);
/* A new file, or standard output if path is NULL or "-"; cpm_new_file_close ends it. CPM_EIO. */
int output_open(const char *path, cpm_file_kind kind, cpm_new_file *out, cpm_error *e);

/* Standard output of a command, kept for a file meanwhile. */
typedef struct {
    cpm_new_file file;
    int standard; /* where it is kept; -1: it is not moved */
} output_move;

/* What is printed from now on goes into a new file of that kind, if path is one: it is there as a
 * whole when output_end_move ends it without a failure, or not at all. CPM_EIO. */
int output_move_to(const char *path, cpm_file_kind kind, output_move *m, cpm_error *e);
/* Returns status, or CPM_EIO. */
int output_end_move(output_move *m, int status, cpm_error *e);

/* Each line of text (NULL: none) behind the prefix. */
void output_lines(const char *prefix, const char *text, FILE *out);

/* Prints tables, which are cleared, on standard output. CPM_ENOMEM. */
int output_sheets(cpm_report_tables *s, cpm_format format, cpm_error *e);

/* The same as TSV in a file of that kind, or on standard output if path is "-"; they are not
 * cleared. CPM_EIO. */
int output_sheets_to(const cpm_report_tables *s, const char *path, cpm_file_kind kind,
                     cpm_error *e);

/* Everything printed is where it should be. CPM_EIO: the disk is full, the stream is closed. */
int output_end(cpm_error *e);

#endif
