/* Text files as a whole: read, and replaced. */
#ifndef CPM_BASE_TEXT_FILE_H
#define CPM_BASE_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/file_kind.h"

/* All of a file, or of a pipe (pipe.h), with a zero behind its size bytes; the caller frees it.
 * CPM_EIO, CPM_ENOMEM. */
int cpm_text_read(const char *path, char **text, size_t *size, cpm_error *e);

/* The same of an open file, whatever its name leads to by now, from its beginning; name is for
 * messages. CPM_EIO, CPM_ENOMEM. */
int cpm_text_read_open(int file, const char *name, char **text, size_t *size, cpm_error *e);

/* The SHA-256 of a file as 64 hex digits. CPM_EIO, CPM_ENOMEM. */
int cpm_text_checksum(const char *path, char checksum[65], cpm_error *e);

/* What put writes of it, in the locale "C"; NULL: no memory, or put says false. The caller frees
 * it. */
char *cpm_text_by(bool (*put)(FILE *f, const void *what), const void *what);

/* By a new file of that kind (base/new_file.h): there is either the old file or the whole new one.
 * CPM_EIO. */
int cpm_text_write(const char *path, const char *text, cpm_file_kind kind, cpm_error *e);

#endif
