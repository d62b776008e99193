/* ReproMPI: collectives, each repetition or their summary. Seconds until the last process has
 * finished.
 *
 *   #@nprocs=4
 *   #@datatype=MPI_BYTE
 *   #@datatype_extent_bytes=1
 *                 test       nrep        count    runtime_sec
 *        MPI_Allreduce          0            1   0.0000109819
 *
 *                 test        count total_nrep valid_nrep       mean_sec     median_sec ... */
#include <stdlib.h>
#include <string.h>

#include "measurements/import_reader.h"

enum { BEFORE, TABLE };
enum { MOST = 24 };
enum { COUNT, TIME, REPS, ERROR, COLUMNS };

static const char columns_expected[] =
    "the columns 'test', 'count' and 'runtime_sec' or 'median_sec'";
static const char row_expected[] = "a call, its count and its time in seconds";

static bool begins(const char *line)
{
    return strncmp(line, "#@reproMPI", 10) == 0 ||
           (strncmp(line, "test", 4) == 0 && strstr(line, "count") &&
            (strstr(line, "runtime_sec") || strstr(line, "median_sec") ||
             strstr(line, "mean_sec")));
}

static int find(char *const *word, int words, const char *name)
{
    for (int k = 0; k < words; k++)
        if (strcmp(word[k], name) == 0)
            return k;
    return -1;
}

static void read_fact(cpm_import_reader *r, const char *line)
{
    static const char extent[] = "#@datatype_extent_bytes=", processes[] = "#@nprocs=",
                      datatype[] = "#@datatype=";
    if (strncmp(line, extent, sizeof extent - 1) == 0)
        cpm_import_bytes(line + sizeof extent - 1, &r->bytes);
    else if (strncmp(line, processes, sizeof processes - 1) == 0)
        r->processes = (int)strtol(line + sizeof processes - 1, NULL, 10);
    else if (strncmp(line, datatype, sizeof datatype - 1) == 0)
        r->combining = cpm_import_combining(line + sizeof datatype - 1);
    else if (strncmp(line, "#@reproMPI", 10) == 0)
        cpm_import_title(r, "ReproMPI");
}

/* The median of a summary, or what each repetition took. */
static int read_columns(cpm_import_reader *r, char *line)
{
    static const char *const times[] = {"runtime_sec", "median_sec", "mean_sec"};
    char *word[MOST];
    int words = cpm_words(line, word, MOST);
    if (words > MOST)
        words = MOST;
    r->value = -1;
    for (size_t k = 0; k < sizeof times / sizeof *times && r->value < 0; k++)
        r->value = find(word, words, times[k]);
    r->column[COUNT] = find(word, words, "count");
    r->column[REPS] = find(word, words, "valid_nrep");
    r->column[ERROR] = find(word, words, "errorcode");
    r->table.columns = words;
    r->part = TABLE;
    return r->value < 0 || r->column[COUNT] < 0 ? cpm_import_wrong(r, columns_expected) : CPM_OK;
}

static int read_row(cpm_import_reader *r, char *line)
{
    char *word[MOST];
    size_t count;
    int words = cpm_words(line, word, MOST), reps = 1;
    double seconds;
    if (words != r->table.columns)
        return CPM_OK; /* text */
    r->operation = cpm_import_operation(word[0]);
    if (!r->operation) {
        cpm_import_leave_out(r, word[0]);
        return CPM_OK;
    }
    if (r->column[ERROR] >= 0 && strcmp(word[r->column[ERROR]], "0") != 0)
        return CPM_OK; /* invalid */
    if (!cpm_import_bytes(word[r->column[COUNT]], &count) ||
        !cpm_import_seconds(word[r->value], 1, &seconds) ||
        (r->column[REPS] >= 0 && !cpm_import_reps(word[r->column[REPS]], &reps)))
        return cpm_import_wrong(r, row_expected);
    size_t bytes = count * (r->bytes ? r->bytes : 1);
    return cpm_import_collective(r, NULL, bytes, seconds, reps, CPM_IMPORT_MAX);
}

static int read_line(cpm_import_reader *r, char *line)
{
    if (line[0] == '#')
        read_fact(r, line);
    else if (begins(line))
        return read_columns(r, line);
    else if (r->part == TABLE)
        return read_row(r, line);
    return CPM_OK;
}

const cpm_import_format cpm_import_repro = {
    .name = "reprompi",
    .programs = "ReproMPI",
    .begins = begins,
    .read = read_line,
    .expected = "the columns 'test', 'count' and 'runtime_sec' or 'median_sec', and a collective",
};
