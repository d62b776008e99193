/* A file that takes its name when all of it is written: until then there is the old one, or none.
 *
 * What is there is lost only if it is of the same kind as the new one, and of a kind that is made
 * again (file_kind.h). A model, measurements, and whatever else is not made again, is kept as
 * NAME.~1~, or the first such number that is free; one of another kind is left alone, and the
 * output refused, unless this is forced: then it is kept, too. */
#ifndef CPM_BASE_NEW_FILE_H
#define CPM_BASE_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/file_kind.h"

typedef struct {
    FILE *stream;
    const char *path; /* as it was given, for messages; borrowed */
    char *target;     /* path, or where it leads to if it is a link; owned */
    char *temporary;  /* beside target, with the suffix of path; owned. NULL: no regular file (a
                         device, a pipe), which is written directly */
    bool keeps;       /* what is there is not made again */
} cpm_new_file;

/* ---- what is there */

/* What a command lets its outputs do, from here on; else nothing is forced. option: what people say
 * for it; NULL: there is nothing of the kind. Called once, while the process has one thread. */
void cpm_new_file_force(bool forced, const char *option);

/* CPM_EIO if path is a symbolic link that leads nowhere: who wrote it meant an existing file. */
int cpm_link_check(const char *path, cpm_error *e);

/* path, or where it leads to if it is a link; the caller frees it. NULL with errno. */
char *cpm_link_target(const char *path);

/* Whether a file of that kind may be put at path. CPM_EIO: there is a regular file that nobody may
 * write, whoever asks, or one of another kind, which path's message names. *keeps, if not NULL: it
 * may, and there is something that is to be kept. */
int cpm_old_file_check(const char *path, cpm_file_kind kind, bool *keeps, cpm_error *e);

/* The same, and whether it can be put there as a new file. CPM_EIO, too: path is a folder, a link
 * that leads nowhere, or in a folder that is not there or where nothing can be made. */
int cpm_new_file_check(const char *path, cpm_file_kind kind, bool *keeps, cpm_error *e);

/* Gives the file of that name, which is no link, the first name of NAME.~1~, NAME.~2~, ... that is
 * free, and says so (notice.h). path: as it was given. CPM_EIO, CPM_ENOMEM. */
int cpm_old_file_keep(const char *target, const char *path, cpm_error *e);

/* ---- what is new */

/* What is no regular file is written directly (pipe.h); path "-": standard output. CPM_EIO, nothing
 * to be closed: it cannot be written, or cpm_new_file_check() says so. CPM_ENOMEM. */
int cpm_new_file_open(cpm_new_file *f, const char *path, cpm_file_kind kind, cpm_error *e);

/* If status is CPM_OK and all that was written is on the disk, the file gets its name; else there
 * is nothing new. What is kept gets another name before, unless it is the same byte by byte.
 * Returns status, or CPM_EIO. */
int cpm_new_file_close(cpm_new_file *f, int status, cpm_error *e);

#endif
