/* The whole file is in memory; lines are cut out of it. */
#include "base/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "base/text_file.h"

int cpm_lines_open(cpm_lines *l, const char *path, cpm_error *e)
{
    *l = (cpm_lines){.name = path, .e = e};
    return cpm_text_read(path, &l->text, &l->size, e);
}

int cpm_lines_open_file(cpm_lines *l, int file, const char *name, cpm_error *e)
{
    *l = (cpm_lines){.name = name, .e = e};
    return cpm_text_read_open(file, name, &l->text, &l->size, e);
}

int cpm_lines_open_text(cpm_lines *l, const char *name, const char *text, cpm_error *e)
{
    *l = (cpm_lines){.name = name, .text = strdup(text), .size = strlen(text), .e = e};
    return l->text ? CPM_OK : cpm_no_memory(e);
}

void cpm_lines_close(cpm_lines *l)
{
    free(l->text);
    l->text = NULL;
}

void cpm_lines_drop_torn(cpm_lines *l)
{
    const char *last = memrchr(l->text, '\n', l->size);
    l->size = last ? (size_t)(last + 1 - l->text) : 0;
}

char *cpm_lines_next(cpm_lines *l, int *status)
{
    char *line = l->text + l->next;
    size_t left = l->size - l->next;
    if (*status || left == 0)
        return NULL;
    char *newline = memchr(line, '\n', left);
    size_t length = newline ? (size_t)(newline - line) : left;
    l->number++;
    l->whole = newline;
    l->next += length + l->whole;
    line[length] = '\0';
    if (strlen(line) < length) {
        *status = cpm_lines_wrong(l, "not text: there is a zero byte");
        return NULL;
    }
    if (length && line[length - 1] == '\r')
        line[length - 1] = '\0';
    return line;
}

int cpm_lines_wrong(const cpm_lines *l, const char *format, ...)
{
    char what[sizeof l->e->text];
    va_list list;
    va_start(list, format);
    locale_t before = cpm_locale_plain();
    vsnprintf(what, sizeof what, format, list);
    cpm_locale_restore(before);
    va_end(list);
    return cpm_fail(l->e, CPM_EPARSE, "%s:%d: %s", l->name, l->number ? l->number : 1, what);
}

int cpm_words(char *line, char **word, int most)
{
    int words = 0;
    for (char *next; (next = strsep(&line, " \t"));)
        if (*next && words++ < most)
            word[words - 1] = next;
    return words;
}

int cpm_words_before_remark(char *line, char **word, int most)
{
    line[strcspn(line, "#")] = '\0';
    return cpm_words(line, word, most);
}
