#include "tools/measure/conditions.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "measurements/machine_state.h"

enum { WORD = 40 };

void conditions_repeat(const char *path, const cpm_metadata *metadata)
{
    char file[PATH_MAX];
    for (int k = 0; k < metadata->count; k++)
        if (cpm_metadata_belongs(metadata->items[k].key, "warning"))
            fprintf(stderr, "cpm: warning: %s: when it was measured: %s\n",
                    cpm_escape(path, file, sizeof file), metadata->items[k].value);
}

int conditions_describe(const conditions *begin, cpm_metadata *metadata, cpm_error *e)
{
    return begin->trip > 0 ? cpm_metadata_set(metadata, e, "trip", "%.3g", begin->trip) : CPM_OK;
}

void conditions_compare_buffers(const cpm_metadata *model, const char *observed)
{
    const char *then = cpm_metadata_get(model, "buffers");
    char first[WORD], second[WORD];
    if (then && observed && strcmp(then, observed) != 0)
        fprintf(stderr,
                "cpm: warning: the model was measured with %s buffers, and these collectives with "
                "%s ones. Errors contain the difference\n",
                cpm_escape(then, first, WORD), cpm_escape(observed, second, WORD));
}

void conditions_compare(const cpm_metadata *model, const cpm_metadata *observed)
{
    conditions_compare_buffers(model, cpm_metadata_get(observed, "buffers"));
    const char *then = cpm_metadata_get(model, "trip"), *now = cpm_metadata_get(observed, "trip");
    if (!then || !now || cpm_same_state(strtod(then, NULL), strtod(now, NULL)))
        return;
    fprintf(stderr,
            "cpm: warning: the empty round trip between ranks 0 and 1 took %.2f us when the "
            "model was measured and takes %.2f us now. The model is not of these conditions: "
            "measure it again\n",
            1e6 * strtod(then, NULL), 1e6 * strtod(now, NULL));
}
