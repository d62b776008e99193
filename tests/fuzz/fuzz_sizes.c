/* Sizes and ranges of sizes: "64,1K:1M". */
#include <stdio.h>
#include <stdlib.h>

#include "base/sizes.h"
#include "base/statistics.h"
#include "fuzz/fuzz.h"

static void one(const char *text)
{
    size_t bytes = 0, again = 1;
    char printed[32];
    cpm_error e = {0};
    int status = cpm_size_parse(text, &bytes, &e);
    if (status) {
        fuzz_require_sentence(status, &e);
        return;
    }
    snprintf(printed, sizeof printed, "%zu", bytes);
    fuzz_require(cpm_size_parse(printed, &again, &e) == CPM_OK && again == bytes,
                 "a size that is printed reads the same");
}

static void check_differ(const cpm_sizes *s)
{
    cpm_sizes sorted = {0};
    for (int i = 0; i < s->count && i < 1000; i++)
        cpm_sizes_add(&sorted, s->at[i], NULL);
    fuzz_require(sorted.count == (s->count < 1000 ? s->count : 1000), "no size stands twice");
    cpm_sizes_sort(&sorted);
    for (int i = 1; i < sorted.count; i++)
        fuzz_require(sorted.at[i - 1] < sorted.at[i], "sorted sizes ascend");
    cpm_sizes_free(&sorted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    cpm_sizes s = {0};
    cpm_error e = {0};
    cpm_statistic statistic;
    int status = cpm_sizes_parse(text, &s, &e);
    if (status)
        fuzz_require_sentence(status, &e);
    else
        check_differ(&s);
    cpm_sizes_free(&s);
    one(text);
    if (cpm_statistic_parse(text, &statistic, NULL) == CPM_OK)
        cpm_statistic_named(statistic);
    free(text);
    return 0;
}
