/* logp_mpi (Kielmann, Bal, Verstoep 2000): the file of parameters that logp_test -o writes.
 * Seconds.
 *
 *   # LogP network performance data: logp_test.Send.Recv
 *   # Latency = 0.0000211
 *   # time      bytes os        os_min    os_cnfint or        or_min    or_cnfint g
 *   1093616400       0 0.0000041 ...
 *
 * By the model's definition a message of M bytes takes L + g(M). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "base/numbers.h"
#include "measurements/import_reader.h"

enum { BEFORE, TITLE, LATENCY, TABLE };
enum { COLUMNS = 9, BYTES = 1, GAP = 8 };

static const char mark[] = "# LogP network performance data:";
static const char latency_mark[] = "# Latency =";
static const char latency_expected[] = "'# Latency = ' and seconds";
static const char columns_expected[] =
    "the columns '# time bytes os os_min os_cnfint or or_min or_cnfint g'";
static const char row_expected[] = "a time, bytes, and os, or (each with its minimum and interval) "
                                   "and g in seconds";

static bool begins(const char *line)
{
    return strncmp(line, mark, sizeof mark - 1) == 0;
}

static bool read_seconds(const char *word, double *seconds)
{
    char *end;
    *seconds = cpm_number(word, &end);
    return end != word && end[strspn(end, " \t")] == '\0' && !strpbrk(word, "xX") &&
           !cpm_number_flaw(*seconds) && *seconds >= 0;
}

static int read_latency(cpm_import_reader *r, const char *line)
{
    if (strncmp(line, latency_mark, sizeof latency_mark - 1) != 0 ||
        !read_seconds(line + sizeof latency_mark - 1, &r->latency))
        return cpm_import_wrong(r, latency_expected);
    r->part = LATENCY;
    return CPM_OK;
}

static int read_columns(cpm_import_reader *r, char *line)
{
    static const char *const name[COLUMNS] = {"time", "bytes",  "os",        "os_min", "os_cnfint",
                                              "or",   "or_min", "or_cnfint", "g"};
    char *word[COLUMNS + 1];
    bool same = cpm_words(line, word, COLUMNS + 1) == COLUMNS + 1 && !strcmp(word[0], "#");
    for (int i = 0; i < COLUMNS && same; i++)
        same = strcmp(word[i + 1], name[i]) == 0;
    r->part = TABLE;
    return same ? CPM_OK : cpm_import_wrong(r, columns_expected);
}

static int read_row(cpm_import_reader *r, char *line)
{
    char *word[COLUMNS];
    size_t bytes;
    double seconds[COLUMNS];
    bool good = cpm_words(line, word, COLUMNS) == COLUMNS && cpm_import_bytes(word[BYTES], &bytes);
    for (int i = BYTES + 1; i < COLUMNS && good; i++)
        good = read_seconds(word[i], &seconds[i]);
    if (!good || !(r->latency + seconds[GAP] > 0))
        return cpm_import_wrong(r, row_expected);
    return cpm_import_latency(r, bytes, r->latency + seconds[GAP], 1);
}

static int read_line(cpm_import_reader *r, char *line)
{
    if (begins(line)) {
        cpm_import_title(r, line);
        r->part = TITLE;
        return CPM_OK;
    }
    if (r->part == BEFORE || line[strspn(line, " \t")] == '\0')
        return CPM_OK;
    if (r->part == TITLE)
        return read_latency(r, line);
    return r->part == LATENCY ? read_columns(r, line) : read_row(r, line);
}

const cpm_import_format cpm_import_logp_mpi = {
    .name = "logp_mpi",
    .programs = "logp_mpi",
    .begins = begins,
    .read = read_line,
    .expected = "'# LogP network performance data:' and its table",
};
