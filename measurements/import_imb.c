/* Intel MPI Benchmarks: the tables of all benchmarks that CPM has an experiment for.
 *
 *   #    Intel(R) MPI Benchmarks 2018, MPI-1 part
 *   # MPI_Datatype for reductions    :   MPI_FLOAT
 *   # Benchmarking PingPong
 *   # #processes = 2
 *          #bytes #repetitions      t[usec]   Mbytes/sec
 *               0         1000         0.26         0.00
 *                                              a table ends at an empty line or a remark
 *   # Benchmarking Allreduce
 *   # ( #processes = 4 )
 *   # ( 12 additional processes waiting in MPI_Barrier)
 *          #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
 *   # Benchmarking Ibcast
 *          #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]
 *   # Benchmarking Uniband
 *          #bytes #repetitions   Mbytes/sec      Msg/sec */
#include <stdlib.h>
#include <string.h>

#include "measurements/import_reader.h"

enum { ELSEWHERE, HEAD, TABLE };
enum { OTHER, PINGPONG, LIKE_PINGPONG, BOTH_WAYS, UNIBAND, BIBAND, COLLECTIVE };
enum { MOST = 10, WINDOW = 64 };

static const char columns_expected[] = "the columns '#bytes #repetitions' and a time or a rate";
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

/* ---- heads */

/* Its name, up to the next blank. */
static void benchmark_name(const char *line, char *name, size_t size)
{
    line += sizeof mark - 1;
    size_t length = strcspn(line, " \t");
    if (length >= size)
        length = size - 1;
    memcpy(name, line, length);
    name[length] = '\0';
}

/* "Ibcast_pure" is timed as Ibcast is. */
static const char *collective(char *name)
{
    size_t length = strlen(name);
    if (length > 5 && strcmp(name + length - 5, "_pure") == 0)
        name[length - 5] = '\0';
    return cpm_import_operation(name);
}

static int kind_of(const char *name)
{
    static const struct {
        const char *name;
        int kind;
    } benchmarks[] = {{"PingPong", PINGPONG},
                      {"PingPongSpecificSource", LIKE_PINGPONG},
                      {"PingPongAnySource", LIKE_PINGPONG},
                      {"PingPing", BOTH_WAYS},
                      {"PingPingSpecificSource", BOTH_WAYS},
                      {"PingPingAnySource", BOTH_WAYS},
                      {"Sendrecv", BOTH_WAYS},
                      {"Uniband", UNIBAND},
                      {"Biband", BIBAND}};
    for (size_t k = 0; k < sizeof benchmarks / sizeof *benchmarks; k++)
        if (strcmp(name, benchmarks[k].name) == 0)
            return benchmarks[k].kind;
    return OTHER;
}

/* A ping-pong of another kind of receive is read where the usual one is not there. */
static int read_benchmark(cpm_import_reader *r, const char *line)
{
    char name[64];
    benchmark_name(line, name, sizeof name);
    r->kind = kind_of(name);
    r->operation = r->kind == OTHER ? collective(name) : NULL;
    if (r->operation)
        r->kind = COLLECTIVE;
    r->pairs = r->pairs || r->kind == PINGPONG; /* whether the usual one was there */
    if (r->kind == LIKE_PINGPONG && r->pairs)
        r->kind = OTHER;
    r->part = r->kind == OTHER ? ELSEWHERE : HEAD;
    r->averaging = false;
    cpm_import_begin(r);
    if (r->kind == OTHER)
        cpm_import_leave_out(r, line + sizeof mark - 1);
    return CPM_OK;
}

static void read_remark(cpm_import_reader *r, const char *line)
{
    static const char processes[] = "#processes =", groups[] = "groups of ";
    const char *found = strstr(line, processes);
    if (found)
        r->processes = (int)strtol(found + sizeof processes - 1, NULL, 10);
    if (strstr(line, groups) && strstr(line, "simultaneous"))
        r->part = ELSEWHERE; /* groups disturb each other */
    if (strstr(line, "for reductions"))
        r->combining = cpm_import_combining(line);
}

/* ---- columns */

static int find(char *const *word, int words, const char *name)
{
    for (int k = 0; k < words; k++)
        if (strcmp(word[k], name) == 0)
            return k;
    return -1;
}

/* The slowest process's time; of what does not block that without computing. */
static int time_column(char *const *word, int words, bool rates)
{
    static const char *const names[] = {"t[usec]", "t_max[usec]", "t_pure[usec]", "t_avg[usec]"};
    if (rates)
        return find(word, words, "Mbytes/sec");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (find(word, words, names[k]) >= 0)
            return find(word, words, names[k]);
    return -1;
}

static int read_columns(cpm_import_reader *r, char *line)
{
    char *word[MOST];
    int words = cpm_words(line, word, MOST);
    bool rates = r->kind == UNIBAND || r->kind == BIBAND;
    if (words > MOST)
        words = MOST;
    r->value = time_column(word, words, rates);
    bool sized = find(word, words, "#bytes") == 0 && find(word, words, "#repetitions") == 1;
    bool barrier = find(word, words, "#repetitions") == 0;
    if (r->value < 0 || !(sized || (barrier && r->kind == COLLECTIVE)))
        return cpm_import_wrong(r, columns_expected);
    r->part = TABLE;
    r->table.columns = words;
    return CPM_OK;
}

/* ---- rows */

/* Half of the processes each send to one of the other half. */
static int add_rate(cpm_import_reader *r, size_t bytes, double rate)
{
    if (r->processes > 2)
        return CPM_OK; /* what one pair gets of it is not known */
    return (r->kind == UNIBAND ? cpm_import_stream : cpm_import_exchange)(r, bytes, WINDOW, rate);
}

static int add_time(cpm_import_reader *r, size_t bytes, double seconds, int reps)
{
    if (r->kind == COLLECTIVE)
        return cpm_import_collective(r, NULL, cpm_import_block(r, bytes), seconds, reps,
                                     CPM_IMPORT_MAX);
    if (r->kind == BOTH_WAYS)
        return r->processes > 2 ? CPM_OK
                                : cpm_import_exchange(r, bytes, 1, 2 * (double)bytes / seconds);
    r->averaging = r->processes > 2; /* of IMB-P2P, whose pairs all run at once */
    return cpm_import_latency(r, bytes, seconds, reps);
}

static bool gave_up(char *const *word, int words)
{
    return words > 1 && (strncmp(word[1], "time-out", 8) == 0 || strncmp(word[1], "int-", 4) == 0);
}

static int read_row(cpm_import_reader *r, char *line)
{
    char *word[MOST];
    size_t bytes = 1;
    int reps, words = cpm_words(line, word, MOST), at = 0;
    double value = 0;
    bool barrier = r->operation && strcmp(r->operation, "barrier") == 0;
    if (words > MOST || gave_up(word, words) || !cpm_import_is_row(r, word, words, r->value))
        return CPM_OK;
    bool good = words == r->table.columns && (barrier || cpm_import_bytes(word[at++], &bytes)) &&
                cpm_import_reps(word[at], &reps) && cpm_import_number(word[r->value], &value);
    bool rates = r->kind == UNIBAND || r->kind == BIBAND;
    if (!good || (!rates && !(value > 0) && r->kind != COLLECTIVE))
        return cpm_import_wrong(r, row_expected);
    if (rates)
        return add_rate(r, bytes, value * 1e6);
    return value > 0 ? add_time(r, bytes, value * 1e-6, reps) : CPM_OK; /* no data: 0.00 */
}

static int read_line(cpm_import_reader *r, char *line)
{
    if (is_suite(line))
        cpm_import_title(r, line);
    if (is_benchmark(line))
        return read_benchmark(r, line);
    bool heading = strncmp(line, "#bytes", 6) == 0 || strncmp(line, "#repetitions", 12) == 0;
    if (r->part == HEAD && heading)
        return read_columns(r, line);
    if (*line == '\0' || *line == '#') {
        read_remark(r, line);
        if (r->part == TABLE)
            r->part = ELSEWHERE;
    }
    if (r->part == ELSEWHERE || *line == '\0' || *line == '#')
        return CPM_OK;
    if (r->part == HEAD) /* text, but for a row */
        return strspn(line, "0123456789") && cpm_words(line, (char *[MOST]){0}, MOST) > 2
                   ? cpm_import_wrong(r, columns_expected)
                   : CPM_OK;
    return read_row(r, line);
}

const cpm_import_format cpm_import_imb = {
    .name = "imb",
    .programs = "Intel MPI Benchmarks",
    .begins = begins,
    .read = read_line,
    .expected = "a table of '# Benchmarking PingPong' or another of its benchmarks",
};
