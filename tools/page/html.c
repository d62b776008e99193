/* HTML from texts, tables and pictures. */
#include "tools/page/html.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/text_file.h"

/* ---- texts */

static const char *entity(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static void put_escaped(FILE *out, char c)
{
    const char *escaped = entity(c);
    if (escaped)
        fputs(escaped, out);
    else
        fputc(c, out);
}

void html_text(FILE *out, const char *text)
{
    char piece[CPM_SHOWN_PIECE];
    while (*text) {
        text += cpm_escape_next(text, piece);
        for (const char *c = piece; *c; c++)
            put_escaped(out, *c);
    }
}

/* Without memory the stream has failed, as on a full disk, and whoever closes it says so: reading
 * what is open for writing is an error of it. */
static void print_list(FILE *out, const char *format, va_list list)
{
    char *text = NULL;
    if (vasprintf(&text, format, list) < 0) {
        fgetc(out);
        return;
    }
    html_text(out, text);
    free(text);
}

void html_print(FILE *out, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_list(out, format, list);
    va_end(list);
}

void html_element(FILE *out, const char *tag, const char *format, ...)
{
    va_list list;
    fprintf(out, "<%s>", tag);
    va_start(list, format);
    print_list(out, format, list);
    va_end(list);
    fprintf(out, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

void html_items(FILE *out, const char *text)
{
    while (text && *text) {
        int length = (int)strcspn(text, "\n");
        html_element(out, "li", "%.*s", length, text);
        text += length + (text[length] == '\n');
    }
}

void html_shell_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._-/+:,=@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        html_text(out, word);
        return;
    }
    fputs("&#39;", out);
    for (; *word; word += strcspn(word, "'") ? strcspn(word, "'") : 1) {
        if (*word == '\'')
            html_text(out, "'\\''");
        else
            html_print(out, "%.*s", (int)strcspn(word, "'"), word);
    }
    fputs("&#39;", out);
}

/* ---- tables */

enum { LONG = 40 }; /* characters: what is longer is broken into lines */

/* "12", "-3.5 %", "* 12.5 +- 0.3", "-". */
static bool is_number(const char *cell)
{
    while (*cell && strchr("*(~+- ", *cell))
        cell++;
    return !*cell || isdigit((unsigned char)*cell);
}

static bool is_of_numbers(const table *t, int column)
{
    for (int at = t->columns + column; at < t->count; at += t->columns)
        if (!is_number(t->cell[at]) && strcmp(t->cell[at], "unknown") != 0)
            return false;
    return t->count > t->columns;
}

static void write_row(FILE *out, const table *t, int row, const bool *right)
{
    fputs("<tr>", out);
    for (int i = 0; i < t->columns && row * t->columns + i < t->count; i++) {
        bool is_long = strlen(t->cell[row * t->columns + i]) > LONG;
        fputs(row == 0 && right[i] ? "<th scope=\"col\" class=\"number\">"
              : row == 0           ? "<th scope=\"col\">"
              : right[i]           ? "<td class=\"number\">"
              : is_long            ? "<td class=\"long\">"
                                   : "<td>",
              out);
        html_text(out, t->cell[row * t->columns + i]);
        fputs(row == 0 ? "</th>" : "</td>", out);
    }
    fputs("</tr>\n", out);
}

void html_caption(FILE *out, const char *text)
{
    fputs("<caption><span>", out);
    html_text(out, text);
    fputs("</span></caption>\n", out);
}

static void write_rows(FILE *out, const table *t, const char *caption, const bool *right)
{
    fputs("<div class=\"scroll\" tabindex=\"0\"><table>\n", out);
    html_caption(out, caption);
    fputs("<thead>", out);
    write_row(out, t, 0, right);
    fputs("</thead>\n<tbody>\n", out);
    for (int row = 1; row * t->columns < t->count; row++)
        write_row(out, t, row, right);
    fputs("</tbody>\n</table></div>\n", out);
}

int html_table(FILE *out, table *t, const char *caption, cpm_error *e)
{
    bool *right = t->failed ? NULL : calloc((size_t)t->columns + 1, sizeof *right);
    for (int i = 0; right && i < t->columns; i++)
        right[i] = is_of_numbers(t, i);
    if (right && t->count > t->columns)
        write_rows(out, t, caption, right);
    else if (right)
        html_element(out, "p", "%s: none.", caption);
    int status = right ? CPM_OK : cpm_no_memory(e);
    free(right);
    table_clear(t);
    return status;
}

/* ---- pictures */

/* Copies text up to where an element <name ...>...</name> begins that is left out, and returns what
 * is behind it; NULL: there is none. */
static const char *find_element(const char *text, const char *name, const char **behind)
{
    char begin[16], end[16];
    snprintf(begin, sizeof begin, "<%s>", name);
    snprintf(end, sizeof end, "</%s>", name);
    const char *at = strstr(text, begin), *last = at ? strstr(at, end) : NULL;
    *behind = last ? last + strlen(end) : NULL;
    return last ? at : NULL;
}

/* The next title or description, which browsers would show under the pointer. */
static const char *next_words(const char *text, const char **behind)
{
    const char *behind_title, *behind_words;
    const char *title = find_element(text, "title", &behind_title);
    const char *words = find_element(text, "desc", &behind_words);
    bool first = title && (!words || title < words);
    *behind = first ? behind_title : behind_words;
    return first ? title : words;
}

/* What is before an id, or a reference to one. */
static size_t names_id(const char *text)
{
    static const char *const before[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#", NULL};
    for (int i = 0; before[i]; i++)
        if (strncmp(text, before[i], strlen(before[i])) == 0)
            return strlen(before[i]);
    return 0;
}

static void write_part(FILE *out, const char *text, const char *end, int number)
{
    while (text < end) {
        size_t length = names_id(text);
        if (length)
            fprintf(out, "%.*sf%d-", (int)length, text, number);
        else
            fputc(*text, out);
        text += length ? length : 1;
    }
}

static void write_picture(FILE *out, const char *svg, int number, const char *label)
{
    fputs("<svg role=\"img\" aria-label=\"", out);
    html_text(out, label);
    fputc('"', out);
    svg += strlen("<svg");
    for (const char *at, *behind; (at = next_words(svg, &behind)); svg = behind)
        write_part(out, svg, at, number);
    write_part(out, svg, svg + strlen(svg), number);
    fputc('\n', out);
}

int html_picture(FILE *out, const char *path, int number, const char *label, cpm_error *e)
{
    char *text;
    size_t size;
    int status = cpm_text_read(path, &text, &size, e);
    if (status)
        return status;
    const char *svg = strstr(text, "<svg");
    if (svg)
        write_picture(out, svg, number, label);
    else
        status = cpm_fail(e, CPM_EPARSE, "%s: is no SVG", path);
    free(text);
    return status;
}
