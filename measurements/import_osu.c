/* OSU Micro-Benchmarks: osu_latency and osu_multi_lat, versions 3 to 7.
 *
 *   # OSU MPI Latency Test v7.5           or "MPI-CUDA", "Multi Latency Test"
 *   # Datatype: MPI_CHAR.                 since 7; up to 7.3 behind the next line
 *   # Size       Avg Latency(us)          before 7.4 "Latency (us)"
 *   1                       3.34          more columns (validation, percentiles) may follow */
#include <string.h>

#include "measurements/import_reader.h"

enum { BEFORE, TITLE, TABLE };

static const char test_expected[] = "'# OSU MPI Latency Test' or '# OSU MPI Multi Latency Test'";
static const char columns_expected[] =
    "the columns '# Size' and 'Latency (us)' or 'Avg Latency(us)'";
static const char row_expected[] = "a size in bytes and a latency in microseconds";

static const char mark[] = "# OSU MPI";

static bool begins(const char *line)
{
    return strncmp(line, mark, sizeof mark - 1) == 0;
}

/* Behind "# OSU MPI" or "# OSU MPI-CUDA". */
static const char *test_name(const char *line)
{
    line += sizeof mark - 1;
    line += strcspn(line, " ");
    return *line ? line + 1 : line;
}

static bool names(const char *line, const char *test)
{
    return strncmp(test_name(line), test, strlen(test)) == 0;
}

static int read_title(cpm_import_reader *r, const char *line)
{
    bool averaged = names(line, "Multi Latency Test");
    if (!averaged && !names(line, "Latency Test"))
        return cpm_import_wrong(r, test_expected);
    if (r->part != BEFORE && r->averaged != averaged)
        return cpm_import_wrong(r, "one kind of test in a file");
    r->averaged = averaged;
    r->part = TITLE;
    cpm_import_title(r, line);
    return CPM_OK;
}

static int read_columns(cpm_import_reader *r, const char *line)
{
    static const char size[] = "# Size";
    if (strncmp(line, size, sizeof size - 1) != 0)
        return CPM_OK; /* a remark */
    const char *column = line + sizeof size - 1;
    column += strspn(column, " \t");
    if (strncmp(column, "Latency (us)", 12) != 0 && strncmp(column, "Avg Latency(us)", 15) != 0)
        return cpm_import_wrong(r, columns_expected);
    r->part = TABLE;
    return CPM_OK;
}

static int read_row(cpm_import_reader *r, char *line)
{
    enum { MOST = 16 };
    char *word[MOST];
    size_t bytes;
    double seconds;
    int words = cpm_words(line, word, MOST);
    if (words < 2 || words > MOST || !cpm_import_bytes(word[0], &bytes) ||
        !cpm_import_microseconds(word[1], &seconds))
        return cpm_import_wrong(r, row_expected);
    for (int i = 2; i < words; i++)
        if (strcmp(word[i], "Fail") == 0)
            return cpm_import_wrong(r, "a latency whose data the program found right");
    return cpm_import_add(r, bytes, seconds, 1);
}

static int read_line(cpm_import_reader *r, char *line)
{
    if (begins(line))
        return read_title(r, line);
    if (r->part == BEFORE || line[strspn(line, " \t")] == '\0')
        return CPM_OK; /* what the launcher says */
    if (line[0] == '#')
        return read_columns(r, line);
    return r->part == TABLE ? read_row(r, line) : cpm_import_wrong(r, columns_expected);
}

const cpm_import_format cpm_import_osu = {
    .name = "osu",
    .programs = "osu_latency, osu_multi_lat",
    .begins = begins,
    .read = read_line,
    .expected = "'# OSU MPI Latency Test' or '# OSU MPI Multi Latency Test' and its table",
};
