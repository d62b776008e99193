/* Running programs that draw. */
#ifndef CPM_TOOLS_PROGRAM_H
#define CPM_TOOLS_PROGRAM_H

#include "base/error.h"

/* Runs argv[0], a list of arguments that ends with NULL, and waits for it. CPM_EIO: it is not
 * installed (Debian's package has it) or does not start; CPM_EINVAL: it failed (and said why), and
 * half of its output is removed. */
int program_run(char **argv, const char *package, const char *output, cpm_error *e);

enum { GNUPLOT_ARGUMENTS = 9 };

/* Runs script.gp of CPM's plot scripts with arguments, a list that ends with NULL, the
 * first of them the output. CPM_EIO: there is no gnuplot or no such script; CPM_EINVAL: gnuplot
 * refused it (and said why), and half a picture is removed. */
int gnuplot_run(const char *script, const char *const *arguments, cpm_error *e);

#endif
