/* What a command makes on its way and must not leave behind: folders of data for programs that
 * draw, files that have not got their names yet, and these programs. SIGHUP, SIGINT, SIGPIPE and
 * SIGTERM end the command as ever, but remove all of it first. */
#ifndef CPM_TOOLS_FRAME_UNFINISHED_H
#define CPM_TOOLS_FRAME_UNFINISHED_H

#include <stddef.h>

#include "base/new_file.h"

/* A new empty folder in the one for temporary files, for files only; path has room for PATH_MAX and
 * stays where it is until the folder is removed with them. CPM_EIO. */
int unfinished_folder_create(char *path, size_t size, cpm_error *e);
void unfinished_folder_remove(const char *path);

/* As cpm_new_file_open and cpm_new_file_close. */
int unfinished_file_open(cpm_new_file *f, const char *path, cpm_file_kind kind, cpm_error *e);
int unfinished_file_close(cpm_new_file *f, int status, cpm_error *e);

/* Starts argv[0], as PATH finds it, and waits for it; one at a time. *code: as of waitpid. Returns
 * 0, or why it does not start (errno). */
int unfinished_run(char *const *argv, int *code);

#endif
