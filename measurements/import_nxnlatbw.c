/* nxnlatbw: latency and bandwidth of all pairs of processes, one after the other. The lines come in
 * any order.
 *
 *   src,dst,lat(us),bandwidth((Mbytes/sec)
 *   0,1,1.04,12015.953042
 *
 * The latency is half an empty round trip; the bandwidth that of 10 messages of 4 MiB and an empty
 * answer, in 10^6 bytes. */
#include <limits.h>
#include <string.h>

#include "base/numbers.h"
#include "measurements/import_reader.h"

enum { COLUMNS = 4, MESSAGES = 10, BYTES = 4 << 20 };

static const char row_expected[] =
    "two ranks, a latency in microseconds and a bandwidth in Mbytes/sec, with commas";

static bool begins(const char *line)
{
    return strncmp(line, "src,dst,lat", 11) == 0;
}

static bool read_rank(const char *word, int *rank)
{
    size_t value;
    bool good = cpm_import_bytes(word, &value) && value < CPM_MOST_PROCESSES;
    *rank = good ? (int)value : -1;
    return good;
}

static int read_line(cpm_import_reader *r, char *line)
{
    char *word[COLUMNS];
    double seconds, rate;
    if (begins(line)) {
        cpm_import_title(r, "nxnlatbw");
        return CPM_OK;
    }
    if (cpm_import_fields(line, word, COLUMNS) != COLUMNS || !read_rank(word[0], &r->i) ||
        !read_rank(word[1], &r->j))
        return CPM_OK; /* text */
    if (r->i == r->j || !cpm_import_microseconds(word[2], &seconds) ||
        !cpm_import_number(word[3], &rate))
        return cpm_import_wrong(r, row_expected);
    int status = cpm_import_latency(r, 0, seconds, 1);
    return status ? status : cpm_import_stream(r, BYTES, MESSAGES, rate * 1e6);
}

const cpm_import_format cpm_import_nxnlatbw = {
    .name = "nxnlatbw",
    .programs = "nxnlatbw",
    .begins = begins,
    .read = read_line,
    .expected = "the columns 'src,dst,lat(us),bandwidth((Mbytes/sec)' and a row of each pair",
};
