#include "tools/beyond.h"

#include <stdio.h>

#include "models/extrapolation.h"

/* Beyond so many times the largest message that was measured other mechanisms may be at work. */
enum { FAR = 8 };

const char *beyond_what(const cpm_model *m, size_t bytes, char text[BEYOND_TEXT])
{
    const char *layout = cpm_facts_get(&m->facts, CPM_FACT_EXTRAPOLATED);
    bool shared = cpm_model_may_share(m);
    size_t largest = cpm_model_largest(m), used = 0;
    text[0] = '\0';
    if (layout)
        used += (size_t)snprintf(text + used, BEYOND_TEXT - used, "%.100s", layout);
    if (shared)
        used += (size_t)snprintf(text + used, BEYOND_TEXT - used,
                                 "%swhether their messages share what they use is not known",
                                 used ? ", and " : "");
    if (largest && bytes / FAR > largest)
        snprintf(text + used, BEYOND_TEXT - used,
                 "%sblocks of %zu bytes, and messages were measured up to %zu", used ? "; " : "",
                 bytes, largest);
    return text[0] ? text : NULL;
}

void beyond_warn(const cpm_model *m, size_t bytes)
{
    char text[BEYOND_TEXT];
    if (beyond_what(m, bytes, text))
        fprintf(stderr, "cpm: warning: predictions go beyond what was measured: %s\n", text);
}

size_t beyond_largest(const cpm_sizes *sizes)
{
    size_t largest = 0;
    for (int k = 0; k < sizes->count; k++)
        largest = sizes->at[k] > largest ? sizes->at[k] : largest;
    return largest;
}
