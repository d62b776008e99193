/* Netgauge, pattern one_one: latencies of a pair.
 *
 *   1024 bytes      -> 2.31 us      == 3546.32 Mbit/s         what it prints: half the round trip
 *   1024 - 0.2 0.3 0.3 0.9 (0.1 2) - 2.2 2.4 2.3 5.1 (0.2 3) - ...     what it writes (-o):
 *       send: minimum, mean, median, maximum (deviation, outliers) - half the round trip - Mbit/s
 */
#include <string.h>

#include "measurements/import_reader.h"

enum { MOST = 40 };

static bool is_printed(char *const *word, int words)
{
    return words >= 8 && !strcmp(word[1], "bytes") && !strcmp(word[2], "->") &&
           !strcmp(word[4], "us") && !strcmp(word[5], "==") && !strncmp(word[7], "Mbit/s", 6);
}

/* The index behind the second '-'; 0: there is none. */
static int behind_second(char *const *word, int words)
{
    int dashes = 0;
    for (int k = 1; k < words; k++) {
        dashes += strcmp(word[k], "-") == 0;
        if (dashes == 2)
            return k + 1;
    }
    return 0;
}

static bool begins(const char *line)
{
    char copy[200], *word[MOST];
    if (line[0] == '#')
        return strstr(line, "Netgauge") || strstr(line, "netgauge");
    if (!strstr(line, "bytes") || strlen(line) >= sizeof copy)
        return false;
    strcpy(copy, line);
    return is_printed(word, cpm_words(copy, word, MOST));
}

static int read_line(cpm_import_reader *r, char *line)
{
    char *word[MOST];
    size_t bytes;
    double seconds;
    if (line[0] == '#') {
        if (begins(line) && !*r->title)
            cpm_import_title(r, line);
        return CPM_OK;
    }
    int words = cpm_words(line, word, MOST), at;
    if (words > MOST || words < 8 || !cpm_import_bytes(word[0], &bytes))
        return CPM_OK;
    bool written = strcmp(word[1], "-") == 0;
    if (!written && !is_printed(word, words))
        return CPM_OK;
    at = written ? behind_second(word, words) + 2 : 3;
    if (at < 3 || at >= words || !cpm_import_microseconds(word[at], &seconds))
        return cpm_import_wrong(r, "a size in bytes and half a round trip in microseconds");
    return cpm_import_latency(r, bytes, seconds, 1);
}

const cpm_import_format cpm_import_netgauge = {
    .name = "netgauge",
    .programs = "Netgauge",
    .begins = begins,
    .read = read_line,
    .expected = "lines 'N bytes -> T us == R Mbit/s' of pattern one_one, or its file",
};
