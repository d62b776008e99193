/* mpiGraph: bandwidths of all pairs, while each process sends to one and receives from another.
 *
 *   START mpiGraph v1.5
 *   MsgSize  1048576
 *   Times    100
 *   Window   100
 *   Procs    3
 *
 *   Send        node1:0     node2:1     node3:2
 *   node1:0 to  0.000       3123.400    3110.100     MiB/s from the row's process to the column's
 *
 * The matrix of receives says the same from the other end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "measurements/import_reader.h"

enum { BEFORE, HEAD, MATRIX, BEHIND };

static const char mark[] = "START mpiGraph";
static const double mebi = 1048576;

static bool begins(const char *line)
{
    return strncmp(line, mark, sizeof mark - 1) == 0;
}

/* The number at the end of "Window Size: 64", "Window  64". */
static int last_number(const char *line)
{
    const char *digit = strpbrk(line, "0123456789");
    long value = digit ? strtol(digit, NULL, 10) : 0;
    return value > 0 && value < 1 << 30 ? (int)value : 0;
}

static bool is_about(const char *line, const char *what)
{
    return strncmp(line, what, strlen(what)) == 0;
}

static int read_head(cpm_import_reader *r, const char *line)
{
    if (is_about(line, "MsgSize") || is_about(line, "Msg Size"))
        r->bytes = (size_t)last_number(line);
    else if (is_about(line, "Window"))
        r->window = last_number(line);
    else if (is_about(line, "Procs"))
        r->processes = last_number(line);
    else if ((is_about(line, "Send\t") || is_about(line, "Send ")) && strstr(line, ":0"))
        r->part = MATRIX;
    if (r->part == MATRIX &&
        (!r->bytes || !r->window || r->processes < 2 || r->processes > CPM_MOST_PROCESSES))
        return cpm_import_wrong(r, "'MsgSize', 'Window' and 'Procs' before the matrix");
    return CPM_OK;
}

/* "node1:0": its name behind those before. */
static int add_host(cpm_import_reader *r, const char *word)
{
    char *all = NULL;
    const char *colon = strrchr(word, ':');
    int length = colon ? (int)(colon - word) : (int)strlen(word);
    const char *before = r->rows->hosts ? r->rows->hosts : "";
    if (asprintf(&all, "%s%s%.*s", before, *before ? " " : "", length, word) < 0)
        return cpm_no_memory(r->lines.e);
    free(r->rows->hosts);
    r->rows->hosts = all;
    return CPM_OK;
}

static int add_value(cpm_import_reader *r, const char *word)
{
    double rate;
    cpm_experiment what = cpm_experiment_pair(CPM_CROWDED_BURST, r->i, r->j, r->bytes, 8);
    if (!cpm_import_number(word, &rate) || rate < 0)
        return cpm_import_wrong(r, "a rate in MiB/s for each process");
    if (r->i == r->j || !(rate > 0))
        return CPM_OK;
    what.count = r->window;
    return cpm_import_add(r, &what, (double)r->window * (double)r->bytes / (rate * mebi), 1);
}

static int read_row(cpm_import_reader *r, char *line)
{
    char *host = strsep(&line, " \t"), *word;
    int status = CPM_OK;
    r->j = 0;
    while (!status && (word = strsep(&line, " \t")))
        if (*word && strcmp(word, "to") != 0) {
            status = add_value(r, word);
            r->j++;
        }
    if (!status && r->j != r->processes)
        status = cpm_import_wrong(r, "a rate in MiB/s for each process");
    if (!status)
        status = add_host(r, host);
    r->i++;
    return status;
}

static int read_line(cpm_import_reader *r, char *line)
{
    if (begins(line)) {
        r->part = HEAD;
        cpm_import_title(r, line + sizeof "START");
        return CPM_OK;
    }
    if (r->part == HEAD) {
        r->i = 0;
        return read_head(r, line);
    }
    if (r->part != MATRIX)
        return CPM_OK;
    int status = read_row(r, line);
    if (r->i == r->processes)
        r->part = BEHIND;
    return status;
}

const cpm_import_format cpm_import_mpigraph = {
    .name = "mpigraph",
    .programs = "mpiGraph",
    .begins = begins,
    .read = read_line,
    .expected = "'START mpiGraph' and its matrix 'Send'",
};
