/* Running programs that draw. */
#ifndef CPM_TOOLS_PROGRAM_H
#define CPM_TOOLS_PROGRAM_H

#include <stddef.h>

#include "base/error.h"

/* Runs argv[0], a list of arguments that ends with NULL (argv[place] becomes the file to write to),
 * and waits for it. The picture gets its name when it is whole; if it does not, an earlier one of
 * that name is removed, so that nobody takes it for the new one. CPM_EUNKNOWN: the program is not
 * installed (Debian's package has it). CPM_EIO: it does not start, failed (and said why), was
 * killed or left no whole picture, or the output cannot be written. */
int program_draw(char **argv, int place, const char *package, const char *output, cpm_error *e);

/* Removes a picture, if there is one: an earlier one would look like the new one that was not made.
 */
void program_forget(const char *path);

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
