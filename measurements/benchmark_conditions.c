#include "measurements/benchmark_conditions.h"

#include <string.h>

static bool says(const cpm_metadata *metadata, const char *key, const char *value)
{
    const char *text = cpm_metadata_get(metadata, key);
    return text && strcmp(text, value) == 0;
}

static bool says_nothing(const cpm_metadata *metadata, const char *key)
{
    return !cpm_metadata_get(metadata, key);
}

cpm_benchmark_conditions cpm_benchmark_conditions_of(const cpm_metadata *metadata)
{
    cpm_benchmark_conditions c = {.mean = says(metadata, "timing", "mean")};
    if (says(metadata, "machine", "synthetic"))
        return c;
    c.same = says_nothing(metadata, "buffers") || says(metadata, "buffers", "same");
    c.apart = c.mean || says_nothing(metadata, "timing") || says(metadata, "timing", "max");
    return c;
}
