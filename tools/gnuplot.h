/* Running a plot script with gnuplot. */
#ifndef CPM_TOOLS_GNUPLOT_H
#define CPM_TOOLS_GNUPLOT_H

#include "base/error.h"

enum { GNUPLOT_ARGUMENTS = 9 };

/* Runs script.gp of CPM's plot scripts with arguments, a list that ends with NULL, the
 * first of them the output. CPM_EIO: there is no gnuplot or no such script; CPM_EINVAL: gnuplot
 * refused it (and said why), and half a picture is removed. */
int gnuplot_run(const char *script, const char *const *arguments, cpm_error *e);

#endif
