/* Opening what may be a pipe. One end waits for the other: that is said, once it has taken a
 * second, so that nobody waits without knowing for what. */
#ifndef CPM_BASE_PIPE_H
#define CPM_BASE_PIPE_H

/* As open(2) to read, or to write what is there; -1 with errno. A pipe's other end is waited for,
 * to read until there is something. */
int cpm_open_to_read(const char *path);
int cpm_open_to_write(const char *path);

#endif
