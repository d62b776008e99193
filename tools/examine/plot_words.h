/* The words by which the rows of a table are told apart in a picture. */
#ifndef CPM_TOOLS_EXAMINE_PLOT_WORDS_H
#define CPM_TOOLS_EXAMINE_PLOT_WORDS_H

#include "base/error.h"

enum { PLOT_LIST = 4096 };

/* The words of the first columns of a table of cpm validate -o or cpm compare -o, below its head:
 * words[k] lists those of column k in order, each once, as gnuplot takes them: "a" "b ". What
 * cannot be shown is escaped, quotes become apostrophes, and words for which the list has no room
 * are left out. writer: the command that writes such tables. CPM_EIO; CPM_EPARSE: there are no
 * rows. */
int plot_words_read(const char *path, const char *writer, int columns, char (*words)[PLOT_LIST],
                    cpm_error *e);

#endif
