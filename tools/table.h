/* Tables for people: cells of text, printed in aligned columns. */
#ifndef CPM_TOOLS_TABLE_H
#define CPM_TOOLS_TABLE_H

#include <stdio.h>

#include "base/error.h"

typedef struct {
    char **cell;
    int columns, count;
    int failed; /* out of memory while adding */
} table;

/* Begins a table with a column for each name; the last argument is NULL. */
void table_head(table *t, const char *name, ...) __attribute__((sentinel));

/* Appends one cell; rows fill from left to right. */
void table_cell(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A time in microseconds. */
void table_us(table *t, double seconds);

/* Prints all rows, columns from left_columns on flush right, each line after prefix; frees the
 * cells. CPM_ENOMEM if a cell could not be added. */
int table_print(table *t, const char *prefix, int left_columns, FILE *out, cpm_error *e);

#endif
