/* Tables of cpm validate and cpm compare: the words that become gnuplot's arguments. */
#include <string.h>

#include "fuzz/fuzz.h"
#include "tools/examine/plot_words.h"

/* "a" "b" : quoted, apart, printable, and each once. */
static void check_list(const char *list)
{
    size_t length = strlen(list);
    fuzz_require(length && length < PLOT_LIST, "a list has words and its room");
    for (const char *at = list; *at;) {
        const char *end = *at == '"' ? strchr(at + 1, '"') : NULL;
        fuzz_require(end && end[1] == ' ', "each word stands between quotes");
        size_t quoted = (size_t)(end - at) + 1;
        for (const char *c = at; c < end; c++)
            fuzz_require((unsigned char)*c >= ' ' && *c != 127, "words are shown");
        for (const char *other = list; other < at; other = strchr(other + 1, '"') + 2)
            fuzz_require(strncmp(other, at, quoted) != 0, "no word stands twice");
        at = end + 2;
    }
}

static void read_as(const char *path, const char *writer, int columns)
{
    char words[3][PLOT_LIST];
    cpm_error e = {0};
    int status = plot_words_read(path, writer, columns, words, &e);
    if (status)
        fuzz_require_sentence(status, &e);
    for (int k = 0; !status && k < columns; k++)
        check_list(words[k]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    read_as(path, "cpm validate", 1);
    read_as(path, "cpm compare", 3);
    return 0;
}
