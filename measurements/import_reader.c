/* Words, numbers and rows of foreign files. */
#include "measurements/import_reader.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int cpm_import_wrong(const cpm_import_reader *r, const char *expected)
{
    return cpm_fail(r->e, CPM_EPARSE, "%s:%d: expected %s, found '%s'", r->path, r->line, expected,
                    r->shown);
}

void cpm_import_title(cpm_import_reader *r, const char *line)
{
    line += strspn(line, "# \t");
    size_t length = strlen(line);
    while (length && strchr(" \t", line[length - 1]))
        length--;
    if (length >= sizeof r->title)
        length = sizeof r->title - 1;
    memcpy(r->title, line, length);
    r->title[length] = '\0';
}

int cpm_import_words(char *line, char **word, int most)
{
    int words = 0;
    for (char *next; (next = strsep(&line, " \t"));)
        if (*next && words++ < most)
            word[words - 1] = next;
    return words;
}

/* strtoull and strtod would take signs, hexadecimal numbers and names as well. */
static bool made_of(const char *word, const char *characters)
{
    return *word && word[strspn(word, characters)] == '\0';
}

bool cpm_import_bytes(const char *word, size_t *bytes)
{
    if (!made_of(word, "0123456789"))
        return false;
    errno = 0;
    unsigned long long value = strtoull(word, NULL, 10);
    *bytes = (size_t)value;
    return errno == 0 && value <= PTRDIFF_MAX;
}

bool cpm_import_reps(const char *word, int *reps)
{
    size_t value;
    if (!cpm_import_bytes(word, &value) || value < 1 || value > INT_MAX)
        return false;
    *reps = (int)value;
    return true;
}

bool cpm_import_microseconds(const char *word, double *seconds)
{
    char *end;
    if (!made_of(word, "0123456789.eE+-"))
        return false;
    *seconds = strtod(word, &end) * 1e-6;
    return *end == '\0' && isfinite(*seconds) && *seconds > 0;
}

static int make_room(cpm_import_reader *r)
{
    cpm_import_rows *rows = r->rows;
    if (rows->count < rows->room)
        return CPM_OK;
    int room = rows->room ? 2 * rows->room : 64;
    cpm_import_row *at = realloc(rows->at, (size_t)room * sizeof *at);
    if (!at)
        return cpm_fail(r->e, CPM_ENOMEM, "%s:%d: no memory for %d latencies", r->path, r->line,
                        room);
    rows->at = at;
    rows->room = room;
    return CPM_OK;
}

int cpm_import_add(cpm_import_reader *r, size_t bytes, double seconds, int reps)
{
    if (!r->whole)
        return cpm_fail(r->e, CPM_EPARSE,
                        "%s:%d: expected the end of the line: the file was cut short within it",
                        r->path, r->line);
    int status = make_room(r);
    if (!status)
        r->rows->at[r->rows->count++] = (cpm_import_row){r->i, r->j, bytes, seconds, reps};
    return status;
}
