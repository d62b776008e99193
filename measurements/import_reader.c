/* Words, numbers and rows of foreign files. */
#include "measurements/import_reader.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/vector.h"

int cpm_import_wrong(const cpm_import_reader *r, const char *expected)
{
    return cpm_lines_wrong(&r->lines, "expected %s, found '%s'", expected, r->shown);
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

/* strtoull would take signs, hexadecimal numbers and names as well. */
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
    double microseconds;
    if (!cpm_number_parse(word, &microseconds))
        return false;
    *seconds = microseconds * 1e-6;
    return *seconds > 0 && !cpm_number_flaw(*seconds);
}

int cpm_import_add(cpm_import_reader *r, size_t bytes, double seconds, int reps)
{
    cpm_import_rows *rows = r->rows;
    if (!r->lines.whole)
        return cpm_lines_wrong(&r->lines,
                               "expected the end of the line: the file was cut short within it");
    if (!cpm_vector_extend(&rows->at, rows->count, sizeof *rows->at))
        return cpm_no_memory(r->lines.e);
    rows->at[rows->count++] = (cpm_import_row){r->i, r->j, bytes, seconds, reps};
    return CPM_OK;
}
