/* Running programs that draw. */
#ifndef CPM_TOOLS_FRAME_PROGRAM_H
#define CPM_TOOLS_FRAME_PROGRAM_H

#include <stddef.h>

#include "base/error.h"

/* A picture that a program draws. */
typedef struct {
    char **argv; /* a list that ends with NULL; argv[place] becomes the file to write to */
    int place;
    const char *package; /* Debian's, which has the program */
    const char *output;
    int (*check)(void *context, cpm_error *e); /* of what was drawn, before it is the output; or
                                                  NULL */
    void *context;
} program_picture;

/* Runs it and waits for it. The picture gets its name when it is whole; if it does not, an earlier
 * one of that name stays (base/new_file.h). CPM_EUNKNOWN: the program is not installed. CPM_EIO: it
 * does not start, failed (and said why), was killed or left no whole picture, or the output cannot
 * be written. What check says. */
int program_draw(const program_picture *p, cpm_error *e);

enum { GNUPLOT_ARGUMENTS = 9 };

/* A file's name as such programs may be given it: gnuplot runs what follows a '|' or '<' at the
 * beginning of a name, and knows others ($, +) as its own, dot takes '-' for an option; behind "./"
 * they do not. */
const char *program_file(const char *path, char *name, size_t size);

/* Runs script.gp of CPM's plot scripts with arguments, a list that ends with NULL, the
 * first of them the output; names of other files are to be program_file's. As program_draw; CPM_EIO
 * also if there is no such script. */
int gnuplot_run(const char *script, const char *const *arguments, cpm_error *e);

#endif
