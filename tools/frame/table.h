/* Tables for people: cells of text, printed in aligned columns. */
#ifndef CPM_TOOLS_FRAME_TABLE_H
#define CPM_TOOLS_FRAME_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

typedef struct {
    char **cell;
    int columns, count;
    int failed; /* out of memory while adding */
    bool headed;
} table;

/* Begins a table with a column for each name; the last argument is NULL. */
void table_head(table *t, const char *name, ...) __attribute__((sentinel));

/* Units for people: microseconds and nanoseconds per byte. */
typedef struct {
    const char *si, *shown;
    double factor;
    int digits;
} unit;

/* Of a unit in files ("s/B"); anything else is shown as it is. Never NULL. */
const unit *unit_named(const char *si);

/* Appends one cell; rows fill from left to right. */
void table_cell(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A time in microseconds. */
void table_us(table *t, double seconds);
/* A value with its unit; NaN: "unknown". */
void table_value(table *t, const unit *u, double value);

/* Prints all rows, a header behind "# ", columns from left_columns on flush right, each line
 * after prefix; frees the cells. What is wider than 100 characters has long texts in left columns
 * wrapped (where all are left, only on a terminal: each line of a list is whole for others). What
 * is far wider then, and has at most 40 rows, is printed in blocks of columns, each behind the
 * first left_columns (at least one). CPM_ENOMEM if a cell could not be added. */
int table_print(table *t, const char *prefix, int left_columns, FILE *out, cpm_error *e);
/* Frees the cells of a table that is not printed. */
void table_clear(table *t);

#endif
