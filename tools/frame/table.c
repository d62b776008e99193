/* Tables for people: every column as wide as its widest cell. */
#include "tools/frame/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/vector.h"

static const unit units[] = {
    {"s", "us", 1e6, 2}, {"s/B", "ns/B", 1e9, 3}, {"B", "B", 1, 0}, {NULL, "", 1, 3}};

const unit *unit_named(const char *si)
{
    const unit *u = units;
    while (u->si && strcmp(u->si, si) != 0)
        u++;
    return u;
}

void table_cell(table *t, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    bool written = vasprintf(&text, format, arguments) >= 0;
    va_end(arguments);
    char *shown = written ? cpm_escape_copy(text) : NULL;
    if (written)
        free(text);
    if (shown && cpm_vector_extend(&t->cell, t->count, sizeof *t->cell)) {
        t->cell[t->count++] = shown;
        return;
    }
    free(shown);
    t->failed = 1;
}

void table_head(table *t, const char *name, ...)
{
    va_list names;
    va_start(names, name);
    for (; name; name = va_arg(names, const char *)) {
        table_cell(t, "%s", name);
        t->columns++;
    }
    va_end(names);
}

void table_us(table *t, double seconds)
{
    table_cell(t, "%.2f", seconds * 1e6);
}

void table_value(table *t, const unit *u, double value)
{
    if (isnan(value))
        table_cell(t, "unknown");
    else
        table_cell(t, "%.*f %s", u->digits, value * u->factor, u->shown);
}

static int width_of(const table *t, int column)
{
    int width = 0;
    for (int i = column; i < t->count; i += t->columns) {
        int length = (int)strlen(t->cell[i]);
        width = length > width ? length : width;
    }
    return width;
}

static void print_row(const table *t, int row, const int *width, int left_columns, FILE *out)
{
    for (int i = 0; i < t->columns; i++) {
        int at = row * t->columns + i;
        const char *text = at < t->count ? t->cell[at] : "";
        if (i >= left_columns)
            fprintf(out, "%s%*s", i ? "  " : "", width[i], text);
        else if (i + 1 < t->columns)
            fprintf(out, "%s%-*s", i ? "  " : "", width[i], text);
        else
            fprintf(out, "%s%s", i ? "  " : "", text);
    }
    fputc('\n', out);
}

static void print_rows(const table *t, const char *prefix, int left_columns, const int *width,
                       FILE *out)
{
    for (int row = 0; row * t->columns < t->count; row++) {
        fputs(prefix, out);
        print_row(t, row, width, left_columns, out);
    }
}

void table_clear(table *t)
{
    for (int i = 0; i < t->count; i++)
        free(t->cell[i]);
    free(t->cell);
    *t = (table){.columns = t->columns};
}

int table_print(table *t, const char *prefix, int left_columns, FILE *out, cpm_error *e)
{
    int *width = t->failed ? NULL : calloc((size_t)t->columns, sizeof *width);
    if (width) {
        for (int i = 0; i < t->columns; i++)
            width[i] = width_of(t, i);
        print_rows(t, prefix, left_columns, width, out);
    }
    int status = width ? CPM_OK : cpm_no_memory(e);
    free(width);
    table_clear(t);
    return status;
}
