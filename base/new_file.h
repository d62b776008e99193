/* A file that takes its name when all of it is written: until then there is the old one, or none.
 */
#ifndef CPM_BASE_NEW_FILE_H
#define CPM_BASE_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

typedef struct {
    FILE *stream;
    const char *path; /* as it was given, for messages; borrowed */
    char *target;     /* path, or where it leads to if it is a link; owned */
    char *temporary; /* beside target, with the same suffix; owned. NULL: no regular file (a device,
                        a pipe), which is written directly */
} cpm_new_file;

/* CPM_EIO if path is a symbolic link that leads nowhere: who wrote it meant an existing file. */
int cpm_link_check(const char *path, cpm_error *e);

/* What is no regular file is written directly; path "-": standard output. CPM_EIO, nothing to be
 * closed: it cannot be written, or is a link that leads nowhere. CPM_ENOMEM. */
int cpm_new_file_open(cpm_new_file *f, const char *path, cpm_error *e);

/* If status is CPM_OK and all that was written is on the disk, the file gets its name; else there
 * is nothing new. Returns status, or CPM_EIO. */
int cpm_new_file_close(cpm_new_file *f, int status, cpm_error *e);

#endif
