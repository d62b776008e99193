/* Intel MPI Benchmarks: the tables of PingPong; those of all other benchmarks are skipped.
 *
 *   #    Intel(R) MPI Benchmarks 2018, MPI-1 part
 *   # Benchmarking PingPong
 *   # #processes = 2
 *          #bytes #repetitions      t[usec]   Mbytes/sec
 *               0         1000         0.26         0.00
 *                                              a table ends at an empty line or a remark */
#include <string.h>

#include "measurements/import_reader.h"

enum { ELSEWHERE, HEAD, COLUMNS_SEEN, TABLE };
enum { COLUMNS = 4 };

static const char *const columns[COLUMNS] = {"#bytes", "#repetitions", "t[usec]", "Mbytes/sec"};
static const char columns_expected[] = "the columns '#bytes #repetitions t[usec] Mbytes/sec' of a "
                                       "single pair";
static const char row_expected[] = "bytes, repetitions, microseconds and Mbytes/sec";

static const char mark[] = "# Benchmarking ";

static bool is_suite(const char *line)
{
    return line[0] == '#' && strstr(line, "Intel") && strstr(line, "MPI Benchmark");
}

static bool is_benchmark(const char *line)
{
    return strncmp(line, mark, sizeof mark - 1) == 0;
}

static bool begins(const char *line)
{
    return is_suite(line) || is_benchmark(line);
}

/* Its name is followed by a space or nothing: PingPongSpecificSource is another one. */
static bool is_pingpong(const char *line)
{
    static const char name[] = "PingPong";
    const char *found = line + sizeof mark - 1, *end = found + sizeof name - 1;
    return strncmp(found, name, sizeof name - 1) == 0 && end[strspn(end, " \t")] == '\0';
}

static int read_columns(cpm_import_reader *r, char *line)
{
    char *word[COLUMNS];
    int words = cpm_words(line, word, COLUMNS);
    bool same = words == COLUMNS;
    for (int i = 0; i < COLUMNS && same; i++)
        same = strcmp(word[i], columns[i]) == 0;
    r->part = COLUMNS_SEEN;
    return same ? CPM_OK : cpm_import_wrong(r, columns_expected);
}

static int read_row(cpm_import_reader *r, char *line)
{
    char *word[COLUMNS];
    size_t bytes;
    int reps;
    double seconds;
    if (cpm_words(line, word, COLUMNS) != COLUMNS || !cpm_import_bytes(word[0], &bytes) ||
        !cpm_import_reps(word[1], &reps) || !cpm_import_microseconds(word[2], &seconds))
        return cpm_import_wrong(r, row_expected);
    r->part = TABLE;
    return cpm_import_add(r, bytes, seconds, reps);
}

static int read_line(cpm_import_reader *r, char *line)
{
    const char *text = line + strspn(line, " \t");
    if (is_suite(line))
        cpm_import_title(r, line);
    if (is_benchmark(line)) {
        r->part = is_pingpong(line) ? HEAD : ELSEWHERE;
        return CPM_OK;
    }
    if (r->part == HEAD && strncmp(text, columns[0], strlen(columns[0])) == 0)
        return read_columns(r, line);
    if (r->part == TABLE && (*text == '\0' || *text == '#'))
        r->part = ELSEWHERE;
    if (r->part == ELSEWHERE || *text == '\0' || *text == '#')
        return CPM_OK;
    return r->part == HEAD ? cpm_import_wrong(r, columns_expected) : read_row(r, line);
}

const cpm_import_format cpm_import_imb = {
    .name = "imb",
    .programs = "PingPong of IMB-MPI1",
    .begins = begins,
    .read = read_line,
    .expected = "a table of '# Benchmarking PingPong'",
};
