/* Writing HTML: whatever a text holds, it is shown as text. */
#ifndef CPM_TOOLS_PAGE_HTML_H
#define CPM_TOOLS_PAGE_HTML_H

#include <stdio.h>

#include "tools/frame/table.h"

/* Writes a text as base/escape.h shows it, with what means something in HTML escaped; it may stand
 * in an element or between quotes. */
void html_text(FILE *out, const char *text);

/* The same of what printf would write. */
void html_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "<tag>text</tag>" and a newline. */
void html_element(FILE *out, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Each line of text (NULL: none) as an item of a list. */
void html_items(FILE *out, const char *text);

/* A word of a command line, quoted where a shell would take it for more than a word. */
void html_shell_word(FILE *out, const char *word);

/* The caption of a table, which stays in sight while the table is scrolled. */
void html_caption(FILE *out, const char *text);

/* Writes a table whose first row is its head, in a box of its own that scrolls, and frees its
 * cells. Columns of numbers are flush right. One without rows says so. CPM_ENOMEM if a cell could
 * not be added. */
int html_table(FILE *out, table *t, const char *caption, cpm_error *e);

/* Writes a picture of gnuplot or Graphviz (all of an SVG file) as a part of the page: without its
 * prologue and titles, and its ids made different from those of other pictures by number. label
 * says what it shows to who cannot see it. CPM_EPARSE: it is no SVG; CPM_EIO, CPM_ENOMEM. */
int html_picture(FILE *out, const char *path, int number, const char *label, cpm_error *e);

#endif
