/* Tables with tabulators between their columns. */
#include "tools/examine/plot_words.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/lines.h"

/* Appends the word to a list of quoted words unless it is there. */
static void add_quoted(char *list, const char *word)
{
    char quoted[256];
    char shown[sizeof quoted - 4];
    for (char *c = cpm_escape(word, shown, sizeof shown); *c; c++)
        *c = *c == '"' ? '\'' : *c;
    snprintf(quoted, sizeof quoted, "\"%s\" ", shown);
    if (!strstr(list, quoted) && strlen(list) + strlen(quoted) < PLOT_LIST)
        strcat(list, quoted);
}

static int read_columns(cpm_lines *l, const char *writer, int columns, char (*words)[PLOT_LIST])
{
    int status = CPM_OK;
    bool head = true;
    for (int k = 0; k < columns; k++)
        *words[k] = '\0';
    for (char *line; (line = cpm_lines_next(l, &status));) {
        char *word, *rest = line;
        if (*line == '#')
            continue;
        for (int k = 0; !head && k < columns && (word = strsep(&rest, "\t")); k++)
            add_quoted(words[k], word);
        head = false;
    }
    if (!status && !*words[columns - 1])
        status = cpm_fail(l->e, CPM_EPARSE, "%s: holds no rows of %s", l->name, writer);
    return status;
}

int plot_words_read(const char *path, const char *writer, int columns, char (*words)[PLOT_LIST],
                    cpm_error *e)
{
    cpm_lines l;
    int status = cpm_lines_open(&l, path, e);
    if (!status)
        status = read_columns(&l, writer, columns, words);
    cpm_lines_close(&l);
    return status;
}
