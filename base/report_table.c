/* Rows of cells with a type, from which all three forms are made. */
#include "base/report_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/locale.h"
#include "base/names.h"
#include "base/text_file.h"
#include "base/vector.h"

typedef enum { NONE, TEXT, INTEGER, REAL, FLAG } kind;

typedef struct {
    kind kind;
    union {
        char *text; /* owned */
        long integer;
        double real;
    } is;
} cell;

/* Cells fill rows from left to right. */
typedef struct cpm_report_table_rows {
    const cpm_report_table *of;
    cell *at;
    int columns;
    long count;
} cpm_report_table_rows;

typedef struct cpm_report_table_metadata {
    char *name;
    cell value;
} cpm_report_table_metadata;

static const char *const names[] = {
    [CPM_FORMAT_TEXT] = "text", [CPM_FORMAT_TSV] = "tsv", [CPM_FORMAT_JSON] = "json"};

const char *cpm_format_named(int k)
{
    return k < (int)(sizeof names / sizeof *names) ? names[k] : NULL;
}

int cpm_format_parse(const char *text, cpm_format *out, cpm_error *e)
{
    int k;
    int status = cpm_names_find(cpm_format_named, "format", text, &k, e);
    if (!status)
        *out = (cpm_format)k;
    return status;
}

/* ---- filling */

static int columns_of(const cpm_report_table *of)
{
    int count = 0;
    while (of->columns[count].name)
        count++;
    return count;
}

void cpm_report_tables_begin(cpm_report_tables *s, const cpm_report_table *of)
{
    if (cpm_vector_extend(&s->at, s->count, sizeof *s->at))
        s->at[s->count++] = (cpm_report_table_rows){.of = of, .columns = columns_of(of)};
    else
        s->failed = true;
}

/* What is no UTF-8 is shown already here, as JSON has no other texts. */
static char *copy_of(const char *text)
{
    return cpm_is_utf8(text) ? strdup(text) : cpm_escape_copy(text);
}

static cell text_cell(cpm_report_tables *s, const char *text)
{
    cell c = {TEXT, .is.text = text ? copy_of(text) : NULL};
    s->failed = s->failed || (text && !c.is.text);
    return c.is.text ? c : (cell){0};
}

static cell next_cell(cpm_report_tables *s, char type, va_list *values)
{
    cell c = {0};
    switch (type) {
    case 's':
        return text_cell(s, va_arg(*values, const char *));
    case 'n':
        return (cell){INTEGER, .is.integer = va_arg(*values, long)};
    case 'b':
        return (cell){FLAG, .is.integer = va_arg(*values, int)};
    case 'r':
        c = (cell){REAL, .is.real = va_arg(*values, double)};
        return isfinite(c.is.real) ? c : (cell){0};
    default:
        return c;
    }
}

static void clear_cell(cell *c)
{
    if (c->kind == TEXT)
        free(c->is.text);
}

void cpm_report_tables_row(cpm_report_tables *s, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    for (const char *f = format; *f && !s->failed; f++) {
        cpm_report_table_rows *r = &s->at[s->count - 1];
        cell c = next_cell(s, *f, &values);
        if (cpm_vector_extend(&r->at, r->count, sizeof *r->at)) {
            r->at[r->count++] = c;
            continue;
        }
        clear_cell(&c);
        s->failed = true;
    }
    va_end(values);
}

void cpm_report_tables_metadata(cpm_report_tables *s, const char *name, const char *format, ...)
{
    va_list value;
    va_start(value, format);
    cpm_report_table_metadata fact = {copy_of(name), next_cell(s, *format, &value)};
    va_end(value);
    if (fact.name && cpm_vector_extend(&s->metadata, s->fact_count, sizeof *s->metadata)) {
        s->metadata[s->fact_count++] = fact;
        return;
    }
    free(fact.name);
    clear_cell(&fact.value);
    s->failed = true;
}

void cpm_report_tables_notes(cpm_report_tables *s, const char *text)
{
    static const cpm_report_table_column columns[] = {{"note", 0}, {NULL, 0}};
    static const cpm_report_table notes = {"notes", NULL, columns};
    cpm_report_tables_begin(s, &notes);
    while (text && *text && !s->failed) {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        if (line)
            cpm_report_tables_row(s, "s", line);
        s->failed = s->failed || !line;
        free(line);
        text += length + (text[length] == '\n');
    }
}

void cpm_report_tables_clear(cpm_report_tables *s)
{
    for (int i = 0; i < s->count; i++) {
        for (long k = 0; k < s->at[i].count; k++)
            clear_cell(&s->at[i].at[k]);
        free(s->at[i].at);
    }
    for (int i = 0; i < s->fact_count; i++) {
        free(s->metadata[i].name);
        clear_cell(&s->metadata[i].value);
    }
    free(s->at);
    free(s->metadata);
    *s = (cpm_report_tables){0};
}

/* ---- text */

enum { NUMBER = 340 }; /* characters of any number */

static long rows_of(const cpm_report_table_rows *r)
{
    return r->columns ? r->count / r->columns : 0;
}

static const cell *cell_at(const cpm_report_table_rows *r, long row, int column)
{
    return &r->at[row * r->columns + column];
}

/* digits: of numbers, after the point; negative: as many as tell them apart. */
static const char *number_of(const cell *c, int digits, char text[NUMBER])
{
    if (c->kind == REAL && digits < 0)
        snprintf(text, NUMBER, "%.9g", c->is.real);
    else if (c->kind == REAL)
        snprintf(text, NUMBER, "%.*f", digits, c->is.real);
    else
        snprintf(text, NUMBER, "%ld", c->is.integer);
    return text;
}

static const char *shown(const cpm_report_table_rows *r, long row, int column, char text[NUMBER])
{
    const cell *c = cell_at(r, row, column);
    if (c->kind == NONE)
        return "-";
    if (c->kind == FLAG)
        return c->is.integer ? "yes" : "no";
    return c->kind == TEXT ? cpm_escape(c->is.text, text, NUMBER)
                           : number_of(c, r->of->columns[column].digits, text);
}

/* The first name stands behind "# ". */
static int width_of(const cpm_report_table_rows *r, int column)
{
    char text[NUMBER];
    size_t width = strlen(r->of->columns[column].name) + (column ? 0 : 2);
    for (long row = 0; row < rows_of(r); row++) {
        size_t length = strlen(shown(r, row, column, text));
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_cell(const cpm_report_table_rows *r, int column, int width, const char *text,
                       FILE *out)
{
    bool last = column + 1 == r->columns;
    if (column)
        fputs("  ", out);
    if (cell_at(r, 0, column)->kind != TEXT && column)
        fprintf(out, "%*s", width, text);
    else
        fprintf(out, "%-*s", last ? 0 : width, text);
    if (last)
        fputc('\n', out);
}

static void print_names(const cpm_report_table_rows *r, const int *width, FILE *out)
{
    for (int k = 0; k < r->columns; k++) {
        char name[NUMBER];
        snprintf(name, sizeof name, "%s%s", k ? "" : "# ", r->of->columns[k].name);
        print_cell(r, k, width[k], name, out);
    }
}

static int print_aligned(const cpm_report_table_rows *r, const char *prefix, FILE *out,
                         cpm_error *e)
{
    int *width = malloc((size_t)r->columns * sizeof *width);
    char text[NUMBER];
    if (!width)
        return cpm_no_memory(e);
    for (int k = 0; k < r->columns; k++)
        width[k] = width_of(r, k);
    if (r->of->explained)
        fprintf(out, "%s%s\n", prefix, r->of->explained);
    fputs(prefix, out);
    print_names(r, width, out);
    for (long row = 0; row < rows_of(r); row++) {
        fputs(prefix, out);
        for (int k = 0; k < r->columns; k++)
            print_cell(r, k, width[k], shown(r, row, k, text), out);
    }
    free(width);
    return CPM_OK;
}

static int print_text(const cpm_report_tables *s, const char *prefix, FILE *out, cpm_error *e)
{
    int status = CPM_OK;
    for (int i = 0; i < s->count && !status; i++)
        if (rows_of(&s->at[i]) > 0)
            status = print_aligned(&s->at[i], prefix, out, e);
    return status;
}

/* ---- TSV */

static void put_tsv(FILE *out, const cell *c)
{
    char text[NUMBER];
    if (c->kind == TEXT) /* where pandas would see a remark or a quotation, the cell is one */
        (strpbrk(c->is.text, "\"#") ? cpm_put_quoted : cpm_put_shown)(out, c->is.text);
    else if (c->kind != NONE)
        fputs(number_of(c, -1, text), out);
}

static int column_named(const cpm_report_table_rows *r, const char *name)
{
    for (int k = 0; k < r->columns; k++)
        if (strcmp(r->of->columns[k].name, name) == 0)
            return k;
    return -1;
}

/* Whether a table before the one numbered i has a column of that name. */
static bool is_known(const cpm_report_tables *s, int i, const char *name)
{
    while (--i >= 0)
        if (column_named(&s->at[i], name) >= 0)
            return true;
    return false;
}

/* Calls put for every column that is in any table, each once. */
static void for_columns(const cpm_report_tables *s, void (*put)(void *context, const char *name),
                        void *context)
{
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->at[i].columns; k++)
            if (!is_known(s, i, s->at[i].of->columns[k].name))
                put(context, s->at[i].of->columns[k].name);
}

typedef struct {
    const cpm_report_table_rows *rows; /* NULL: the head */
    long row;
    bool any;
    FILE *out;
} tsv_line;

static void put_column(void *context, const char *name)
{
    tsv_line *line = context;
    if (line->any)
        fputc('\t', line->out);
    line->any = true;
    int column = line->rows ? column_named(line->rows, name) : -1;
    if (!line->rows)
        fputs(name, line->out);
    else if (column >= 0)
        put_tsv(line->out, cell_at(line->rows, line->row, column));
}

static void put_line(const cpm_report_tables *s, const cpm_report_table_rows *r, long row,
                     FILE *out)
{
    tsv_line line = {r, row, false, out};
    for_columns(s, put_column, &line);
    if (s->count > 1)
        fprintf(out, "\t%s", r ? r->of->name : "table");
    fputc('\n', out);
}

static int print_tsv(const cpm_report_tables *s, const char *prefix, FILE *out, cpm_error *e)
{
    (void)e;
    fprintf(out, "%s# cpm %s 1\n", prefix, s->title);
    for (int i = 0; i < s->fact_count; i++) {
        fprintf(out, "%s# ", prefix);
        cpm_put_shown(out, s->metadata[i].name);
        fputs(": ", out);
        if (s->metadata[i].value.kind == TEXT)
            cpm_put_shown(out, s->metadata[i].value.is.text);
        else
            put_tsv(out, &s->metadata[i].value);
        fputc('\n', out);
    }
    fputs(prefix, out);
    put_line(s, NULL, 0, out);
    for (int i = 0; i < s->count; i++)
        for (long row = 0; row < rows_of(&s->at[i]); row++) {
            fputs(prefix, out);
            put_line(s, &s->at[i], row, out);
        }
    return CPM_OK;
}

/* ---- JSON */

static void put_json(FILE *out, const cell *c)
{
    char text[NUMBER];
    if (c->kind == TEXT)
        cpm_json_put_text(out, c->is.text);
    else if (c->kind == FLAG)
        fputs(c->is.integer ? "true" : "false", out);
    else
        fputs(c->kind == NONE ? "null" : number_of(c, -1, text), out);
}

static void put_object(const cpm_report_table_rows *r, long row, FILE *out)
{
    fputc('{', out);
    for (int k = 0; k < r->columns; k++) {
        fprintf(out, "%s\"%s\": ", k ? ", " : "", r->of->columns[k].name);
        put_json(out, cell_at(r, row, k));
    }
    fputc('}', out);
}

static void put_list(const cpm_report_table_rows *r, FILE *out)
{
    fprintf(out, "  \"%s\": [", r->of->name);
    for (long row = 0; row < rows_of(r); row++) {
        fputs(row ? ",\n    " : "\n    ", out);
        put_object(r, row, out);
    }
    fputs(rows_of(r) ? "\n  ]" : "]", out);
}

static int print_json(const cpm_report_tables *s, const char *prefix, FILE *out, cpm_error *e)
{
    (void)prefix;
    (void)e;
    cpm_json_put_head(out, s->title);
    for (int i = 0; i < s->fact_count; i++) {
        fputs(",\n  ", out);
        cpm_json_put_text(out, s->metadata[i].name);
        fputs(": ", out);
        put_json(out, &s->metadata[i].value);
    }
    for (int i = 0; i < s->count; i++) {
        fputs(",\n", out);
        put_list(&s->at[i], out);
    }
    fputs("\n}\n", out);
    return CPM_OK;
}

/* ---- all */

int cpm_report_tables_print(const cpm_report_tables *s, cpm_format format, const char *prefix,
                            FILE *out, cpm_error *e)
{
    int (*const printers[])(const cpm_report_tables *, const char *, FILE *,
                            cpm_error *) = {[CPM_FORMAT_TEXT] = print_text,
                                            [CPM_FORMAT_TSV] = print_tsv,
                                            [CPM_FORMAT_JSON] = print_json};
    if (s->failed)
        return cpm_no_memory(e);
    locale_t before = cpm_locale_plain();
    int status = printers[format](s, prefix, out, e);
    cpm_locale_restore(before);
    return status;
}

int cpm_report_tables_write(const cpm_report_tables *s, cpm_format format, const char *path,
                            cpm_file_kind of, cpm_error *e)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return cpm_no_memory(e);
    if (format == CPM_FORMAT_TEXT) /* the others have it anyway */
        fprintf(f, "# cpm %s\n", s->title);
    int status = cpm_report_tables_print(s, format, "", f, e);
    bool whole = !ferror(f);
    if ((fclose(f) || !whole) && !status)
        status = cpm_no_memory(e);
    if (!status)
        status = cpm_text_write(path, text, of, e);
    free(text);
    return status;
}
