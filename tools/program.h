/* Running programs that draw. */
#ifndef CPM_TOOLS_PROGRAM_H
#define CPM_TOOLS_PROGRAM_H

#include "base/error.h"

/* Runs argv[0], a list of arguments that ends with NULL, and waits for it. CPM_EIO: it is not
 * installed (Debian's package has it) or does not start; CPM_EINVAL: it failed (and said why), and
 * half of its output is removed. */
int program_run(char **argv, const char *package, const char *output, cpm_error *e);

#endif
