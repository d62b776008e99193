/* SKaMPI 5: collectives, and ping-pongs of a pair. Microseconds.
 *
 *   # SKaMPI Version 5.0 rev. 191
 *   # begin result "MPI_Bcast-nodes-length"
 *   nodes= 2 count= 1        1       6.6       0.1       54       3.1       6.6
 *   # end result "MPI_Bcast-nodes-length"
 *
 * Behind the variables: bytes (not of a barrier), the time until the last process has finished, its
 * standard error, repetitions, and the time of each process. */
#include <string.h>

#include "measurements/import_reader.h"

enum { ELSEWHERE, TABLE };
enum { COLLECTIVE, PINGPONG };

/* What is behind mark at the line's beginning, or NULL. Older versions have no "# " before it. */
static const char *behind(const char *line, const char *mark)
{
    size_t length = strlen(mark);
    if (strncmp(line, "# ", 2) == 0)
        line += 2;
    return strncmp(line, mark, length) == 0 ? line + length : NULL;
}

static bool begins(const char *line)
{
    return behind(line, "SKaMPI Version") || behind(line, "begin result \"");
}

/* "MPI_Bcast" of "MPI_Bcast-nodes-length"; Pingpong_Send_Recv. */
static void read_title(cpm_import_reader *r, const char *name)
{
    char operation[64];
    size_t length = strcspn(name, "-\" ,");
    r->operation = NULL;
    if (length < sizeof operation) {
        memcpy(operation, name, length);
        operation[length] = '\0';
        r->operation = cpm_import_operation(operation);
    }
    r->kind = r->operation ? COLLECTIVE : PINGPONG;
    r->part =
        r->operation || strstr(name, "ingpong") || strstr(name, "ingPong") ? TABLE : ELSEWHERE;
    if (r->part == ELSEWHERE)
        cpm_import_leave_out(r, name);
}

/* The index behind the last variable: "count= 1". */
static int behind_variables(char *const *word, int words)
{
    int at = 0;
    for (int k = 0; k < words; k++)
        if (word[k][strlen(word[k]) - 1] == '=')
            at = k + 2;
        else if (strchr(word[k], '='))
            at = k + 1;
    return at;
}

static int read_row(cpm_import_reader *r, char *line)
{
    enum { MOST = 4096 };
    static const char expected[] = "variables, bytes, a time in microseconds, its error, "
                                   "repetitions and a time of each process";
    char *word[MOST];
    int words = cpm_words(line, word, MOST), reps;
    size_t bytes = 1;
    double seconds;
    bool barrier = r->operation && strcmp(r->operation, "barrier") == 0;
    if (words > MOST)
        words = MOST;
    int at = behind_variables(word, words);
    if (at == 0 && !barrier)
        return CPM_OK; /* text */
    if (at >= words || (!barrier && !cpm_import_bytes(word[at++], &bytes)) || at + 3 >= words ||
        !cpm_import_microseconds(word[at], &seconds) || !cpm_import_reps(word[at + 2], &reps))
        return cpm_import_wrong(r, expected);
    if (r->kind == PINGPONG)
        return cpm_import_latency(r, bytes, seconds / 2, reps);
    r->processes = words - (at + 3);
    return cpm_import_collective(r, NULL, cpm_import_block(r, bytes), seconds, reps,
                                 CPM_IMPORT_MAX);
}

static int read_line(cpm_import_reader *r, char *line)
{
    const char *title = behind(line, "begin result \"");
    if (title)
        read_title(r, title);
    else if (behind(line, "end result"))
        r->part = ELSEWHERE;
    else if (begins(line))
        cpm_import_title(r, line);
    bool row = !title && r->part == TABLE && *line != '#' && *line != '\0';
    return row ? read_row(r, line) : CPM_OK;
}

const cpm_import_format cpm_import_skampi = {
    .name = "skampi",
    .programs = "SKaMPI",
    .begins = begins,
    .read = read_line,
    .expected = "'begin result' of a collective or a ping-pong",
};
