/* What a command or a report says, as tables that text, TSV and JSON share (doc/formats.md). To put
 * a table more into it: describe its columns, begin it, add rows (tuned/report/report.c does so):
 *
 *     static const cpm_report_table_column columns[] = {{"operation"}, {"calls"}, {"mean_us", 2},
 * {NULL}}; static const cpm_report_table contexts = {"contexts", "what was learnt", columns};
 *     cpm_report_tables_begin(&all, &contexts);
 *     cpm_report_tables_row(&all, "snr", name, calls, mean * 1e6);
 */
#ifndef CPM_BASE_REPORT_TABLE_H
#define CPM_BASE_REPORT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/file_kind.h"

typedef enum { CPM_FORMAT_TEXT, CPM_FORMAT_TSV, CPM_FORMAT_JSON } cpm_format;

/* "text", "tsv", "json", in the order of cpm_format. As cpm_names. */
const char *cpm_format_named(int k);

/* CPM_EUNKNOWN with the known ones. */
int cpm_format_parse(const char *text, cpm_format *out, cpm_error *e);

typedef struct {
    const char *name; /* with its unit: "mean_us"; NULL ends the columns */
    int digits;       /* of numbers in text, after the point; files have all */
} cpm_report_table_column;

typedef struct {
    const char *name; /* "operations": JSON's key, in TSV the last column where there are several */
    const char *explained; /* a sentence for people; NULL: the columns say it */
    const cpm_report_table_column *columns;
} cpm_report_table;

/* Zero is an empty one. */
typedef struct {
    const char *title; /* "report" of "cpm report": what programs know it by; borrowed */
    struct cpm_report_table_rows *at;           /* owned, as what follows */
    struct cpm_report_table_metadata *metadata; /* what is said once, in TSV as remarks */
    int count, fact_count;
    bool failed; /* no memory */
} cpm_report_tables;

/* Begins a table, which is borrowed: the rows that are added from now on are its. */
void cpm_report_tables_begin(cpm_report_tables *s, const cpm_report_table *of);

/* A row: a letter for each column and its value: s a text (NULL: none; copied), n a long, r a
 * double (not finite: unknown), b a bool, - none, which takes no value. */
void cpm_report_tables_row(cpm_report_tables *s, const char *format, ...);

/* What is said once: the name is copied, the value as in a row. */
void cpm_report_tables_metadata(cpm_report_tables *s, const char *name, const char *format, ...);

/* All sentences of a text, one a line (NULL: none), as the table "notes", which is begun. */
void cpm_report_tables_notes(cpm_report_tables *s, const char *text);

/* Prints it. Text: all tables that have rows, in aligned columns, every line behind prefix. TSV:
 * one table, whose columns are all that occur in any of several, which are told apart by the last
 * one; remarks begin with '#', and a cell with '#' or '"' in it is quoted as in CSV. JSON: one
 * object, metadata and a list of objects for each table, empty ones too; unknown numbers are null.
 * Texts are shown as shown.h does; JSON has them as they are, unless they are not UTF-8.
 * CPM_ENOMEM. */
int cpm_report_tables_print(const cpm_report_tables *s, cpm_format format, const char *prefix,
                            FILE *out, cpm_error *e);

/* The same as a file of that kind that is there as a whole, or not at all (new_file.h); what is for
 * people begins with its title, too. CPM_EIO. */
int cpm_report_tables_write(const cpm_report_tables *s, cpm_format format, const char *path,
                            cpm_file_kind of, cpm_error *e);

void cpm_report_tables_clear(cpm_report_tables *s);

#endif
