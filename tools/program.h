/* Running programs that draw. */
#ifndef CPM_TOOLS_PROGRAM_H
#define CPM_TOOLS_PROGRAM_H

#include <stddef.h>

#include "base/error.h"

/* Runs argv[0], a list of arguments that ends with NULL, and waits for it. CPM_EIO: it is not
 * installed (Debian's package has it) or does not start; CPM_EINVAL: it failed (and said why), and
 * half of its output is removed. */
int program_run(char **argv, const char *package, const char *output, cpm_error *e);

enum { GNUPLOT_ARGUMENTS = 9 };

/* A file's name as such programs may be given it: gnuplot runs what follows a '|' or '<' at the
 * beginning of a name, and knows others ($, +) as its own, dot takes '-' for an option; behind "./"
 * they do not. */
const char *program_file(const char *path, char *name, size_t size);

/* Runs script.gp of CPM's plot scripts with arguments, a list that ends with NULL, the
 * first of them the output; names of other files are to be program_file's. CPM_EIO: there is no
 * gnuplot or no such script; CPM_EINVAL: gnuplot refused it (and said why), and half a picture is
 * removed. */
int gnuplot_run(const char *script, const char *const *arguments, cpm_error *e);

#endif
