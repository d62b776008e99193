/* OSU Micro-Benchmarks, versions 2 to 7, and their Python form: latencies, bandwidths and
 * collectives.
 *
 *   # OSU MPI Latency Test v7.5           or "MPI-CUDA", "Multi Latency Test"
 *   # Datatype: MPI_CHAR.                 since 7; up to 7.3 behind the next line
 *   # Size       Avg Latency(us)          before 7.4 "Latency (us)"
 *   1                       3.34          more columns (validation, percentiles) may follow
 *
 *   # OSU MPI Multiple Bandwidth / Message Rate Test v5.8
 *   # [ pairs: 2 ] [ window size: 64 ]
 *   # Size                  MB/s        Messages/s
 *
 *   # OSU MPI Non-blocking Broadcast Latency Test v5.8
 *   # Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)
 *
 *   # OSU MPI Barrier Latency Test v5.8
 *   # Avg Latency(us)                     one row without a size */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "measurements/import_reader.h"

enum { BEFORE, TITLE, TABLE };
enum { OTHER, LATENCY, AVERAGE, STREAM, EXCHANGE, MANY, COLLECTIVE }; /* tests */

static const char columns_expected[] =
    "the columns '# Size' and 'Latency (us)' or 'Avg Latency(us)'";
static const char row_expected[] = "a size in bytes and a latency in microseconds";
static const char rate_expected[] = "a size in bytes and a bandwidth in MB/s";

static const char *const marks[] = {"# OSU ", "# OMB Python ", "# OMB-Py ", "# OMB "};

/* Pages and mails lose the '#'. */
static const char *behind_mark(const char *line)
{
    if (strncmp(line, "OSU MPI", 7) == 0 && strstr(line, " Test"))
        return line + 4;
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        if (strncmp(line, marks[k], strlen(marks[k])) == 0)
            return line + strlen(marks[k]);
    return NULL;
}

static bool begins(const char *line)
{
    return behind_mark(line);
}

/* ---- titles */

/* "Latency Test v7.5" of "MPI-CUDA Latency Test v7.5"; NULL: not of messages of MPI, as of memory
 * windows ("MPI_Put Latency Test") or of other libraries. */
static const char *test_name(const char *title)
{
    if (strncmp(title, "MPI", 3) != 0 || title[3] == '_')
        return NULL;
    title += strcspn(title, " ");
    return title + strspn(title, " ");
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* "Allreduce" of "Non-blocking Allreduce Latency Test v5.8". */
static const char *collective(const char *name)
{
    static const char *const kinds[] = {"Non-blocking ", "Nonblocking ", "Persistent ", "MPI_"};
    char text[80];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (starts(name, kinds[k]))
            name += strlen(kinds[k]);
    const char *end = strstr(name, " Latency");
    if (!end)
        end = strstr(name, " Test");
    if (!end || (size_t)(end - name) >= sizeof text)
        return NULL;
    memcpy(text, name, (size_t)(end - name));
    text[end - name] = '\0';
    return cpm_import_operation(text);
}

static int kind_of(const char *name)
{
    static const struct {
        const char *begin;
        int kind;
    } tests[] = {{"Multi Latency", AVERAGE},
                 {"Multi-threaded Latency", OTHER},
                 {"Latency Test", LATENCY},
                 {"Multi-process Latency", AVERAGE},
                 {"Multiple Bandwidth", MANY},
                 {"Bandwidth Test", STREAM},
                 {"Bi-Directional Bandwidth", EXCHANGE},
                 {"Bidirectional Bandwidth", EXCHANGE}};
    for (size_t k = 0; k < sizeof tests / sizeof *tests; k++)
        if (starts(name, tests[k].begin))
            return tests[k].kind;
    return collective(name) ? COLLECTIVE : OTHER;
}

static int read_title(cpm_import_reader *r, const char *line)
{
    const char *name = test_name(behind_mark(line));
    r->kind = name ? kind_of(name) : OTHER;
    r->operation = r->kind == COLLECTIVE ? collective(name) : NULL;
    r->part = TITLE;
    r->value = 1;
    r->pairs = 1;
    r->window = CPM_IMPORT_WINDOW;
    r->averaging = r->kind == AVERAGE;
    cpm_import_begin(r);
    if (r->kind == OTHER)
        cpm_import_leave_out(r, line);
    else
        cpm_import_title(r, line);
    return CPM_OK;
}

/* ---- remarks and columns */

static int number_behind(const char *line, const char *mark, int otherwise)
{
    const char *found = strstr(line, mark);
    long value = found ? strtol(found + strlen(mark), NULL, 10) : 0;
    return value > 0 && value < CPM_MOST_PROCESSES / 2 ? (int)value : otherwise;
}

/* The column of what counts: behind as many units as stand before it. */
static int column_of(const char *columns, const char *name)
{
    const char *found = strstr(columns, name);
    int column = 1;
    for (const char *at = columns; found && at < found; at++)
        column += *at == ')';
    return found ? column : 1;
}

static int read_remark(cpm_import_reader *r, const char *line)
{
    const char *text = line + strspn(line, "# \t");
    bool sized = starts(text, "Size");
    if (starts(text, "Datatype:"))
        r->combining = cpm_import_combining(text);
    r->pairs = number_behind(line, "pairs:", r->pairs);
    r->window = number_behind(line, "window size:", r->window);
    if (sized)
        text += strcspn(text, " \t");
    text += strspn(text, " \t");
    if (starts(text, "(B)") || starts(text, "(bytes)"))
        text += strcspn(text, " \t"), text += strspn(text, " \t");
    bool times = strstr(text, "us)") || strstr(text, "atency"),
         rates = strstr(text, "MB/s") || starts(text, "Bandwidth");
    if (!sized && !(r->kind == COLLECTIVE && times && r->part == TITLE))
        return CPM_OK;
    bool fits = r->kind == OTHER ||
                (r->kind == STREAM || r->kind == EXCHANGE || r->kind == MANY ? rates : times);
    if (!fits)
        return cpm_import_wrong(r, columns_expected);
    r->value = column_of(text, "Pure") - !sized;
    r->part = TABLE;
    return CPM_OK;
}

/* ---- rows */

static int add_time(cpm_import_reader *r, size_t bytes, double seconds)
{
    if (r->kind == COLLECTIVE)
        return cpm_import_collective(r, NULL, cpm_import_block(r, bytes), seconds, 1,
                                     CPM_IMPORT_MEAN);
    return cpm_import_latency(r, bytes, seconds, 1);
}

static int add_rate(cpm_import_reader *r, size_t bytes, double rate)
{
    if (r->kind == MANY)
        return cpm_import_many(r, bytes, r->window, rate);
    return (r->kind == STREAM ? cpm_import_stream : cpm_import_exchange)(r, bytes, r->window, rate);
}

static int read_values(cpm_import_reader *r, char *const *word, int words)
{
    bool rates = r->kind == STREAM || r->kind == EXCHANGE || r->kind == MANY;
    size_t bytes;
    double value;
    bool good = words > r->value && cpm_import_bytes(word[0], &bytes);
    if (good && rates)
        good = cpm_import_number(word[r->value], &value) && value >= 0;
    else if (good)
        good = cpm_import_microseconds(word[r->value], &value);
    if (!good)
        return cpm_import_wrong(r, rates ? rate_expected : row_expected);
    for (int i = 2; i < words; i++)
        if (strcmp(word[i], "Fail") == 0)
            return cpm_import_wrong(r, "a time whose data the program found right");
    return rates ? add_rate(r, bytes, value * 1e6) : add_time(r, bytes, value);
}

/* The one row of a barrier. */
static int read_barrier(cpm_import_reader *r, char *const *word, int words)
{
    double seconds;
    if (r->table.columns || words <= r->value || !cpm_import_microseconds(word[r->value], &seconds))
        return CPM_OK;
    r->table.columns = words;
    return add_time(r, 1, seconds);
}

static int read_row(cpm_import_reader *r, char *line)
{
    enum { MOST = 24 };
    char *word[MOST];
    int words = cpm_words(line, word, MOST);
    if (words > MOST)
        words = MOST;
    if (r->kind == OTHER)
        return CPM_OK;
    if (r->operation && strcmp(r->operation, "barrier") == 0)
        return read_barrier(r, word, words);
    if (!cpm_import_is_row(r, word, words, r->value))
        return CPM_OK;
    return r->part == TABLE ? read_values(r, word, words) : cpm_import_wrong(r, columns_expected);
}

static int read_line(cpm_import_reader *r, char *line)
{
    if (begins(line))
        return read_title(r, line);
    if (r->part == BEFORE)
        return CPM_OK; /* what the launcher says */
    if ((line[0] == '#' || starts(line, "Size ")) && r->table.columns == 0)
        return read_remark(r, line);
    if (line[0] == '#') {
        r->table.broken = true;
        return CPM_OK;
    }
    return read_row(r, line);
}

const cpm_import_format cpm_import_osu = {
    .name = "osu",
    .programs = "OSU Micro-Benchmarks",
    .begins = begins,
    .read = read_line,
    .expected = "'# OSU MPI Latency Test' or another of its tests, and its table",
};
