/* Tables for people: every column as wide as its widest cell, if there is room. */
#include "tools/frame/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    t->headed = true;
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

/* ---- printing: what is wider than a terminal mostly is gets its long texts wrapped, and then its
 * columns in blocks, each behind the first ones */

enum { WIDEST = 100, GAP = 2, SHORTEST_TEXT = 16 };

/* A little more is better than a row in pieces, and many rows are read in one piece or not at all.
 */
enum { WIDEST_ROW = 124, MOST_ROWS = 40 };

typedef struct {
    const table *t;
    const char *prefix;
    int left; /* columns that are flush left: texts */
    int *width;
    FILE *out;
} printing;

static const char *cell_of(const printing *p, int row, int column)
{
    int at = row * p->t->columns + column;
    return at < p->t->count ? p->t->cell[at] : "";
}

static int rows_of(const table *t)
{
    return (t->count + t->columns - 1) / t->columns;
}

static int longest_word(const char *text)
{
    int longest = 0;
    while (*text) {
        int length = (int)strcspn(text, " ");
        longest = length > longest ? length : longest;
        text += length + (text[length] == ' ');
    }
    return longest;
}

/* The least width of a text column: its longest word fits. */
static int least_width(const printing *p, int column)
{
    int least = SHORTEST_TEXT;
    for (int row = 0; row < rows_of(p->t); row++) {
        int longest = longest_word(cell_of(p, row, column));
        least = longest > least ? longest : least;
    }
    return least;
}

static void set_widths(printing *p)
{
    for (int column = 0; column < p->t->columns; column++)
        for (int row = 0; row < rows_of(p->t); row++) {
            int length = (int)strlen(cell_of(p, row, column));
            p->width[column] = length > p->width[column] ? length : p->width[column];
        }
}

static int room(const printing *p)
{
    return WIDEST - (int)strlen(p->prefix);
}

/* Of columns from first to before end, and the gaps between them. */
static int width_of(const printing *p, int first, int end)
{
    int width = 0;
    for (int column = first; column < end; column++)
        width += p->width[column] + (column > first ? GAP : 0);
    return width;
}

/* Narrows the widest text again and again; the first column names the row and stays whole. */
static void narrow_texts(printing *p)
{
    for (int over; (over = width_of(p, 0, p->t->columns) - room(p)) > 0;) {
        int widest = 0, spare = 0;
        for (int column = 1; column < p->left; column++) {
            int more = p->width[column] - least_width(p, column);
            if (more > 0 && (!widest || p->width[column] > p->width[widest])) {
                widest = column;
                spare = more;
            }
        }
        if (!widest)
            return;
        int second = SHORTEST_TEXT;
        for (int column = 1; column < p->left; column++)
            if (column != widest && p->width[column] < p->width[widest] &&
                p->width[column] > second)
                second = p->width[column];
        int step = p->width[widest] - second;
        step = step < 1 ? 1 : step;
        step = step > over ? over : step;
        p->width[widest] -= step > spare ? spare : step;
    }
}

/* How many characters of text fit into a line of a column; what is behind a space goes on. */
static int piece_of(const char *text, int width)
{
    int length = (int)strlen(text), end = length;
    if (length > width)
        for (end = width; end > 0 && text[end] != ' ';)
            end--;
    return end > 0 ? end : length;
}

static void print_piece(const printing *p, int column, const char *text, int length, bool last)
{
    if (column >= p->left)
        fprintf(p->out, "%*.*s", p->width[column], length, text);
    else if (last)
        fprintf(p->out, "%.*s", length, text);
    else
        fprintf(p->out, "%-*.*s", p->width[column], length, text);
}

/* The columns of a block are the first keys ones, and those from first to before end. */
typedef struct {
    int keys, first, end;
} block;

static int next_column(block b, int column)
{
    return column + 1 == b.keys ? b.first : column + 1;
}

/* A line of a row: of each cell the next piece; whether there is more. */
static bool print_line(const printing *p, block b, const char **rest)
{
    bool more = false;
    fputs(p->prefix, p->out);
    int last = -1;
    for (int column = b.keys ? 0 : b.first; column < b.end; column = next_column(b, column))
        if (*rest[column])
            last = column;
    for (int column = b.keys ? 0 : b.first; column <= last; column = next_column(b, column)) {
        const char *text = rest[column];
        int length = piece_of(text, p->width[column]);
        fprintf(p->out, "%*s", column ? GAP : 0, "");
        print_piece(p, column, text, length, column == last);
        rest[column] = text + length + (text[length] == ' ');
        more = more || *rest[column];
    }
    fputc('\n', p->out);
    return more;
}

static void print_block(const printing *p, block b, const char **rest)
{
    for (int row = 0; row < rows_of(p->t); row++) {
        for (int column = 0; column < p->t->columns; column++)
            rest[column] = cell_of(p, row, column);
        while (print_line(p, b, rest))
            ;
    }
}

static void print_blocks(const printing *p, const char **rest)
{
    int columns = p->t->columns, keys = p->left > 0 && p->left < columns ? p->left : 1;
    if (width_of(p, 0, columns) <= WIDEST_ROW || p->left == columns || rows_of(p->t) > MOST_ROWS) {
        print_block(p, (block){0, 0, columns}, rest);
        return;
    }
    int taken = width_of(p, 0, keys);
    for (int first = keys, end; first < columns; first = end) {
        for (end = first + 1; end < columns; end++)
            if (taken + GAP + width_of(p, first, end + 1) > room(p))
                break;
        if (first > keys)
            fputc('\n', p->out);
        print_block(p, (block){keys, first, end}, rest);
    }
}

void table_clear(table *t)
{
    for (int i = 0; i < t->count; i++)
        free(t->cell[i]);
    free(t->cell);
    *t = (table){.columns = t->columns};
}

/* A header is a comment to gnuplot and to those who filter lines. */
static void mark_header(table *t, const char *prefix)
{
    char *marked = NULL;
    if (t->failed || !t->headed || strchr(prefix, '#'))
        return;
    if (asprintf(&marked, "# %s", t->cell[0]) < 0) {
        t->failed = 1;
        return;
    }
    free(t->cell[0]);
    t->cell[0] = marked;
}

int table_print(table *t, const char *prefix, int left_columns, FILE *out, cpm_error *e)
{
    mark_header(t, prefix);
    size_t columns = (size_t)t->columns;
    printing p = {.t = t, .prefix = prefix, .left = left_columns, .out = out};
    const char **rest = t->failed ? NULL : calloc(columns, sizeof *rest);
    p.width = rest ? calloc(columns, sizeof *p.width) : NULL;
    if (p.width) {
        set_widths(&p);
        if (left_columns < t->columns || isatty(fileno(out))) /* lists are searched by line */
            narrow_texts(&p);
        print_blocks(&p, rest);
    }
    int status = p.width ? CPM_OK : cpm_no_memory(e);
    free(p.width);
    free(rest);
    table_clear(t);
    return status;
}
