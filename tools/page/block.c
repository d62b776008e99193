/* Blocks of a page, as JSON. */
#include "tools/page/block.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

/* ---- values */

json_t *block_text_of(const char *text)
{
    char *shown = cpm_escape_copy(text);
    json_t *value = shown ? json_string(shown) : NULL;
    free(shown);
    return value;
}

static json_t *print_list(const char *format, va_list list)
{
    char *text = NULL;
    if (vasprintf(&text, format, list) < 0)
        return NULL;
    json_t *value = block_text_of(text);
    free(text);
    return value;
}

json_t *block_print(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    json_t *value = print_list(format, list);
    va_end(list);
    return value;
}

/* Whole ones without ".0", which is a third of a map. */
json_t *block_number(double value, int digits)
{
    char text[32];
    if (!isfinite(value))
        return json_null();
    snprintf(text, sizeof text, "%.*g", digits, value);
    value = strtod(text, NULL);
    return value == trunc(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value)
                                                       : json_real(value);
}

/* ---- members */

void block_append(const block_list *to, json_t *list, json_t *value)
{
    if (json_array_append_new(list, value) != 0)
        *to->failed = true;
}

void block_set(const block_list *to, json_t *block, const char *key, json_t *value)
{
    if (json_object_set_new(block, key, value) != 0)
        *to->failed = true;
}

void block_set_text(const block_list *to, json_t *block, const char *key, const char *text)
{
    block_set(to, block, key, block_text_of(text));
}

json_t *block_append_list(const block_list *to, json_t *list)
{
    size_t count = json_array_size(list);
    block_append(to, list, json_array());
    return json_array_get(list, count);
}

json_t *block_set_list(const block_list *to, json_t *block, const char *key)
{
    block_set(to, block, key, json_array());
    return json_object_get(block, key);
}

json_t *block_add(const block_list *to, const char *is)
{
    size_t count = json_array_size(to->list);
    block_append(to, to->list, json_object());
    json_t *block = json_array_get(to->list, count);
    block_set(to, block, "is", json_string(is));
    return block;
}

/* ---- blocks */

void block_text(const block_list *to, const char *class, const char *format, ...)
{
    json_t *block = block_add(to, "text");
    va_list list;
    va_start(list, format);
    block_set(to, block, "text", print_list(format, list));
    va_end(list);
    if (class)
        block_set_text(to, block, "class", class);
}

void block_heading(const block_list *to, const char *format, ...)
{
    json_t *block = block_add(to, "heading");
    va_list list;
    va_start(list, format);
    block_set(to, block, "text", print_list(format, list));
    va_end(list);
}

json_t *block_items(const block_list *to)
{
    return block_set_list(to, block_add(to, "list"), "items");
}

void block_item(const block_list *to, json_t *items, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    block_append(to, items, print_list(format, list));
    va_end(list);
}

void block_lines(const block_list *to, json_t *items, const char *text)
{
    while (text && *text) {
        int length = (int)strcspn(text, "\n");
        block_item(to, items, "%.*s", length, text);
        text += length + (text[length] == '\n');
    }
}

void block_set_table(const block_list *to, json_t *block, table *t)
{
    json_t *head = block_set_list(to, block, "head"), *rows = block_set_list(to, block, "rows");
    json_t *row = NULL;
    *to->failed = *to->failed || t->failed;
    for (int at = 0; at < t->count && !*to->failed; at++) {
        if (at >= t->columns && at % t->columns == 0)
            row = block_append_list(to, rows);
        block_append(to, at < t->columns ? head : row, block_text_of(t->cell[at]));
    }
    table_clear(t);
}

void block_table(const block_list *to, table *t, const char *caption, const char *folded)
{
    json_t *block = block_add(to, "table");
    block_set_text(to, block, "caption", caption);
    if (folded)
        block_set_text(to, block, "folded", folded);
    block_set_table(to, block, t);
}

/* A word, quoted where a shell would take it for more than a word. */
static void put_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._-/+:,=@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
    fputc('\'', out);
}

void block_command(const block_list *to, const char *makes, const char *const *words)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; out && words[i]; i++) {
        fputs(i ? " " : words[0], out);
        if (i)
            put_word(out, words[i]);
    }
    if (!out || fclose(out) != 0) {
        *to->failed = true;
    } else {
        json_t *block = block_add(to, "command");
        block_set_text(to, block, "makes", makes);
        block_set_text(to, block, "text", text);
    }
    free(text);
}
