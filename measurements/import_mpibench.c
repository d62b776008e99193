/* mpiBench (LLNL): collectives of MPI_COMM_WORLD.
 *
 *   START mpiBench v1.5
 *   Bcast  Bytes:  1024  Iters:  1000  Avg:  5.1  Min:  4.8  Max:  5.6  Comm: MPI_COMM_WORLD
 *   Ranks: 64                                         (in the same line; microseconds) */
#include <string.h>

#include "measurements/import_reader.h"

enum { BEFORE, TABLE };

static const char mark[] = "START mpiBench";

static bool begins(const char *line)
{
    return strncmp(line, mark, sizeof mark - 1) == 0;
}

/* The word behind "Bytes:"; NULL: it is not there. */
static const char *value_of(char *const *word, int words, const char *key)
{
    for (int k = 0; k + 1 < words; k++)
        if (strcmp(word[k], key) == 0)
            return word[k + 1];
    return NULL;
}

static int read_line(cpm_import_reader *r, char *line)
{
    enum { MOST = 24 };
    char *word[MOST];
    if (begins(line)) {
        r->part = TABLE;
        cpm_import_title(r, line + sizeof "START");
        return CPM_OK;
    }
    int words = cpm_words(line, word, MOST), reps;
    if (r->part == BEFORE || words > MOST || words < 3 || !value_of(word, words, "Avg:"))
        return CPM_OK;
    const char *size = value_of(word, words, "Bytes:"), *count = value_of(word, words, "Iters:"),
               *ranks = value_of(word, words, "Ranks:"), *comm = value_of(word, words, "Comm:");
    double seconds;
    size_t bytes = 1;
    r->operation = cpm_import_operation(word[0]);
    if (!r->operation) {
        cpm_import_leave_out(r, word[0]);
        return CPM_OK;
    }
    if (comm && strcmp(comm, "MPI_COMM_WORLD") != 0)
        return CPM_OK;
    if ((size && !cpm_import_bytes(size, &bytes)) || !count || !cpm_import_reps(count, &reps) ||
        !ranks || !cpm_import_reps(ranks, &r->processes) ||
        !cpm_import_microseconds(value_of(word, words, "Avg:"), &seconds))
        return cpm_import_wrong(r, "Bytes, Iters, Avg and Ranks");
    return cpm_import_collective(r, NULL, cpm_import_block(r, bytes), seconds, reps,
                                 CPM_IMPORT_MEAN);
}

const cpm_import_format cpm_import_mpibench = {
    .name = "mpibench",
    .programs = "mpiBench",
    .begins = begins,
    .read = read_line,
    .expected = "'START mpiBench' and its collectives",
};
