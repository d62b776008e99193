/* Rows are JSON's lists of values, from which all three forms are made. */
#include "tuned/tables.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "base/text_file.h"
#include "base/vector.h"

typedef struct tuned_rows {
    const tuned_table *of;
    json_t *rows;
} tuned_rows;

static const char *const names[] = {
    [TUNED_TEXT] = "text", [TUNED_TSV] = "tsv", [TUNED_JSON] = "json"};

int tuned_format_parse(const char *text, tuned_format *out, cpm_error *e)
{
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (tuned_format)i;
            return CPM_OK;
        }
    return cpm_fail(e, CPM_EUNKNOWN, "unknown format '%s' (known: text, tsv, json)", text);
}

/* ---- filling */

void tuned_tables_begin(tuned_tables *t, const tuned_table *of)
{
    json_t *rows = json_array();
    if (rows && cpm_vector_extend(&t->at, t->count, sizeof *t->at)) {
        t->at[t->count++] = (tuned_rows){of, rows};
        return;
    }
    json_decref(rows);
    t->failed = true;
}

static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

/* json_array_append_new takes NULL for a failure. */
void tuned_tables_row(tuned_tables *t, const char *format, ...)
{
    json_t *row = json_array();
    bool good = row != NULL && !t->failed;
    va_list values;
    va_start(values, format);
    for (const char *f = format; *f && good; f++) {
        json_t *value = *f == 's'   ? text_or_null(va_arg(values, const char *))
                        : *f == 'n' ? json_integer(va_arg(values, long))
                                    : real(va_arg(values, double));
        good = json_array_append_new(row, value) == 0;
    }
    va_end(values);
    if (good)
        good = json_array_append(t->at[t->count - 1].rows, row) == 0;
    json_decref(row);
    t->failed = t->failed || !good;
}

void tuned_tables_clear(tuned_tables *t)
{
    for (int i = 0; i < t->count; i++)
        json_decref(t->at[i].rows);
    free(t->at);
    *t = (tuned_tables){0};
}

/* ---- text and TSV */

enum { CELL = 256 };

/* digits: of numbers, after the point; negative: as many as tell them apart. */
static const char *cell(const json_t *value, int digits, const char *unknown, char text[CELL])
{
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_integer(value))
        snprintf(text, CELL, "%lld", (long long)json_integer_value(value));
    else if (!json_is_real(value))
        return unknown;
    else if (digits < 0)
        snprintf(text, CELL, "%.9g", json_real_value(value));
    else
        snprintf(text, CELL, "%.*f", digits, json_real_value(value));
    return text;
}

static int columns_of(const tuned_table *t)
{
    int count = 0;
    while (t->columns[count].name)
        count++;
    return count;
}

static const char *text_cell(const tuned_rows *t, const json_t *row, int column, char text[CELL])
{
    return cell(json_array_get(row, (size_t)column), t->of->columns[column].digits, "-", text);
}

static bool is_text(const tuned_rows *t, int column)
{
    return json_is_string(json_array_get(json_array_get(t->rows, 0), (size_t)column));
}

/* The first name stands behind "# ". */
static int width_of(const tuned_rows *t, int column)
{
    char text[CELL];
    size_t i, width = strlen(t->of->columns[column].name) + (column ? 0 : 2);
    json_t *row;
    json_array_foreach(t->rows, i, row)
    {
        size_t length = strlen(text_cell(t, row, column, text));
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_cell(const tuned_rows *t, int column, int width, const char *text, FILE *out)
{
    bool last = !t->of->columns[column + 1].name;
    if (column)
        fputs("  ", out);
    if (!is_text(t, column) && column)
        fprintf(out, "%*s", width, text);
    else
        fprintf(out, "%-*s", last ? 0 : width, text);
    if (last)
        fputc('\n', out);
}

static void print_names(const tuned_rows *t, const int *width, FILE *out)
{
    for (int k = 0; t->of->columns[k].name; k++) {
        char name[CELL];
        snprintf(name, sizeof name, "%s%s", k ? "" : "# ", t->of->columns[k].name);
        print_cell(t, k, width[k], name, out);
    }
}

static int print_text(const tuned_rows *t, const char *prefix, FILE *out, cpm_error *e)
{
    int *width = malloc((size_t)columns_of(t->of) * sizeof *width);
    size_t i;
    json_t *row;
    char text[CELL];
    if (!width)
        return cpm_fail(e, CPM_ENOMEM, "no memory for a report");
    for (int k = 0; t->of->columns[k].name; k++)
        width[k] = width_of(t, k);
    if (t->of->explained)
        fprintf(out, "%s%s\n", prefix, t->of->explained);
    fputs(prefix, out);
    print_names(t, width, out);
    json_array_foreach(t->rows, i, row)
    {
        fputs(prefix, out);
        for (int k = 0; t->of->columns[k].name; k++)
            print_cell(t, k, width[k], text_cell(t, row, k, text), out);
    }
    free(width);
    return CPM_OK;
}

static int print_tsv(const tuned_rows *t, const char *prefix, FILE *out, cpm_error *e)
{
    size_t i;
    json_t *row;
    char text[CELL];
    const tuned_column *c = t->of->columns;
    (void)e;
    fprintf(out, "%s# %s\n%s", prefix, t->of->name, prefix);
    for (int k = 0; c[k].name; k++)
        fprintf(out, "%s%s", c[k].name, c[k + 1].name ? "\t" : "\n");
    json_array_foreach(t->rows, i, row)
    {
        fputs(prefix, out);
        for (int k = 0; c[k].name; k++)
            fprintf(out, "%s%s", cell(json_array_get(row, (size_t)k), -1, "", text),
                    c[k + 1].name ? "\t" : "\n");
    }
    return CPM_OK;
}

/* ---- JSON */

static json_t *object_of(const tuned_table *of, const json_t *row)
{
    json_t *object = json_object();
    bool good = object != NULL;
    for (int k = 0; of->columns[k].name && good; k++)
        good = json_object_set(object, of->columns[k].name, json_array_get(row, (size_t)k)) == 0;
    if (good)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *objects_of(const tuned_rows *t)
{
    json_t *all = json_array(), *row;
    size_t i;
    bool good = all != NULL;
    json_array_foreach(t->rows, i, row) good =
        good && json_array_append_new(all, object_of(t->of, row)) == 0;
    if (good)
        return all;
    json_decref(all);
    return NULL;
}

static int print_json(const tuned_tables *t, FILE *out, cpm_error *e)
{
    json_t *all = json_pack("{s:s, s:i}", "format", "cpm report", "version", 1);
    bool good = all != NULL;
    for (int i = 0; i < t->count && good; i++)
        good = json_object_set_new(all, t->at[i].of->name, objects_of(&t->at[i])) == 0;
    if (good)
        good = json_dumpf(all, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0;
    if (good)
        fputc('\n', out);
    json_decref(all);
    return good ? CPM_OK : cpm_fail(e, CPM_ENOMEM, "no memory for the JSON of a report");
}

/* ---- all */

static int print_tables(const tuned_tables *t, tuned_format format, const char *prefix, FILE *out,
                        cpm_error *e)
{
    int status = CPM_OK;
    for (int i = 0; i < t->count && !status; i++)
        if (json_array_size(t->at[i].rows) > 0)
            status = (format == TUNED_TSV ? print_tsv : print_text)(&t->at[i], prefix, out, e);
    return status;
}

int tuned_tables_print(const tuned_tables *t, tuned_format format, const char *prefix, FILE *out,
                       cpm_error *e)
{
    if (t->failed)
        return cpm_fail(e, CPM_ENOMEM, "no memory for a report");
    locale_t before = cpm_locale_plain();
    int status =
        format == TUNED_JSON ? print_json(t, out, e) : print_tables(t, format, prefix, out, e);
    cpm_locale_restore(before);
    return status;
}

int tuned_tables_write(const tuned_tables *t, tuned_format format, const char *path, cpm_error *e)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return cpm_fail(e, CPM_ENOMEM, "%s: no memory for a report", path);
    int status = tuned_tables_print(t, format, "", f, e);
    bool whole = !ferror(f);
    if ((fclose(f) || !whole) && !status)
        status = cpm_fail(e, CPM_ENOMEM, "%s: no memory for a report", path);
    if (!status)
        status = cpm_text_write(path, text, e);
    free(text);
    return status;
}
