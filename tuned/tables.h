/* A report as tables, which text, TSV and JSON share. To put a table more into it: describe its
 * columns, begin it, add rows (tuned/report.c does so):
 *
 *     static const tuned_column columns[] = {{"operation"}, {"calls"}, {"mean_us", 2}, {NULL}};
 *     static const tuned_table contexts = {"contexts", "what was learnt", columns};
 *     tuned_tables_begin(&all, &contexts);
 *     tuned_tables_row(&all, "snr", name, calls, mean * 1e6);
 */
#ifndef CPM_TUNED_TABLES_H
#define CPM_TUNED_TABLES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

typedef enum { TUNED_TEXT, TUNED_TSV, TUNED_JSON } tuned_format;

/* "text", "tsv", "json". CPM_EUNKNOWN with the known ones. */
int tuned_format_parse(const char *text, tuned_format *out, cpm_error *e);

typedef struct {
    const char *name; /* with its unit: "mean_us"; NULL ends the columns */
    int digits;       /* of numbers in text, after the point; files have all */
} tuned_column;

typedef struct {
    const char *name;      /* "operations": JSON's key, the title in TSV */
    const char *explained; /* a sentence for people; NULL: the columns say it */
    const tuned_column *columns;
} tuned_table;

/* Zero is an empty one. */
typedef struct {
    struct tuned_rows *at; /* owned */
    int count;
    bool failed; /* no memory, or a text that is not UTF-8 */
} tuned_tables;

/* Begins a table, which is borrowed: the rows that are added from now on are its. */
void tuned_tables_begin(tuned_tables *t, const tuned_table *of);

/* A row: a letter for each column and its value: s a text (NULL: none), n a long, r a double (NaN:
 * unknown). */
void tuned_tables_row(tuned_tables *t, const char *format, ...);

/* Prints all tables that have rows, every line behind prefix: text in aligned columns, TSV with a
 * line "# NAME" and one of columns before the rows; JSON: one object, a list of objects for each
 * table, empty ones too. CPM_ENOMEM. */
int tuned_tables_print(const tuned_tables *t, tuned_format format, const char *prefix, FILE *out,
                       cpm_error *e);

/* The same as a file that is there as a whole, or not at all. CPM_EIO. */
int tuned_tables_write(const tuned_tables *t, tuned_format format, const char *path, cpm_error *e);

void tuned_tables_clear(tuned_tables *t);

#endif
