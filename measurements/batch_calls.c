/* How many calls a batch has, and its name in files. */
#include "measurements/batch_calls.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cpm_batch_calls(int batch, size_t bytes)
{
    static const struct {
        size_t most; /* bytes */
        int calls;
    } steps[] = {{3 << 10, 100}, {12 << 10, 50}, {96 << 10, 20}, {384 << 10, 10}, {SIZE_MAX, 5}};
    int k = 0;
    if (batch != CPM_BATCH_BY_SIZE)
        return batch;
    while (bytes > steps[k].most)
        k++;
    return steps[k].calls;
}

static const char prefix[] = "batch of ";

void cpm_batch_name(int batch, char text[CPM_BATCH_NAME])
{
    if (batch > 0)
        snprintf(text, CPM_BATCH_NAME, "%s%d", prefix, batch);
    else
        snprintf(text, CPM_BATCH_NAME, "%s", batch == CPM_ISOLATED ? "isolated" : "batch");
}

int cpm_batch_of_metadata(const cpm_metadata *metadata, int *batch, cpm_error *e)
{
    const char *timing = cpm_metadata_get(metadata, "timing");
    char *end;
    *batch = timing && strcmp(timing, "batch") == 0 ? CPM_BATCH_BY_SIZE : CPM_ISOLATED;
    if (!timing || strncmp(timing, prefix, strlen(prefix)) != 0)
        return CPM_OK;
    long calls = strtol(timing + strlen(prefix), &end, 10);
    if (*end || calls < 1 || calls > CPM_BATCH_MOST)
        return cpm_fail(e, CPM_EDATA, "the timing '%s' does not name 1 to %d calls", timing,
                        CPM_BATCH_MOST);
    *batch = (int)calls;
    return CPM_OK;
}
