/* Block sizes: what --blocks names, as a list or as a file with one. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "tools/frame/options.h"
#include "tools/frame/placement.h"

static void check(const placement *p)
{
    double sum = 0;
    fuzz_require(p->n > 0 && p->weights, "each process has a weight");
    for (int i = 0; i < p->n; i++) {
        fuzz_require(isfinite(p->weights[i]) && p->weights[i] >= 0,
                     "weights are numbers from 0 on");
        sum += p->weights[i];
    }
    fuzz_require(fabs(sum - p->n) < 1e-9 * p->n, "their mean is 1");
}

static int count_words(const char *text)
{
    static const char separators[] = ", \t\r\n";
    int words = 0;
    for (text += strspn(text, separators); *text; text += strspn(text, separators)) {
        text += strcspn(text, separators);
        words++;
    }
    return words;
}

static int open_blocks(const char *blocks, int n, placement *p)
{
    settings s = {.where.blocks = blocks};
    cpm_error e = {0};
    int status = placement_open(&s, n, p, &e);
    if (status)
        fuzz_require_sentence(status, &e);
    else
        check(p);
    cpm_sizes_free(&s.calls.sizes);
    return status;
}

/* What begins with a digit is a list by itself. */
static void check_text(const char *text, int n)
{
    placement of_file = {0}, of_text = {0};
    int status = open_blocks(fuzz_file(text, strlen(text)), n, &of_file);
    fuzz_require(open_blocks(text, n, &of_text) == status, "a file reads as its text");
    fuzz_require(of_file.mean == of_text.mean, "and has the same blocks");
    placement_close(&of_file);
    placement_close(&of_text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    placement p = {0};
    int words = count_words(text), n = words ? words : 1 + fuzz_pick(data, size, 4);
    const char *path = fuzz_file(data, size);
    fuzz_require(open_blocks(path, n + 1, &p) != CPM_OK, "there is a block for each process");
    int status = open_blocks(path, n, &p);
    fuzz_require(status || strlen(text) == size, "all of a file is read");
    placement_close(&p);
    if (isdigit((unsigned char)*text))
        check_text(text, n);
    free(text);
    return 0;
}
