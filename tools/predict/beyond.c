#include "tools/predict/beyond.h"

#include <stdio.h>

#include "models/checked.h"
#include "models/extrapolation.h"

/* Beyond so many times the largest message that was measured other mechanisms may be at work. */
enum { FAR = 8 };

int beyond_what(const cpm_model *m, size_t bytes, char text[BEYOND_TEXT], cpm_error *e)
{
    const char *layout = cpm_metadata_get(&m->metadata, CPM_METADATA_EXTRAPOLATED);
    bool shared;
    size_t largest = cpm_model_largest(m), used = 0;
    int status = cpm_model_may_share(m, &shared, e);
    text[0] = '\0';
    if (status)
        return status;
    if (layout)
        used += (size_t)snprintf(text + used, BEYOND_TEXT - used, "%.250s", layout);
    if (shared)
        used += (size_t)snprintf(text + used, BEYOND_TEXT - used,
                                 "%swhether their messages share what they use is not known",
                                 used ? ", and " : "");
    if (largest && bytes / FAR > largest)
        snprintf(text + used, BEYOND_TEXT - used,
                 "%sblocks of %zu bytes, and messages were measured up to %zu", used ? "; " : "",
                 bytes, largest);
    return CPM_OK;
}

void beyond_tell(const char *text)
{
    if (*text)
        fprintf(stderr, "cpm: warning: predictions go beyond what was measured: %s\n", text);
}

int beyond_warn(const cpm_model *m, size_t bytes, cpm_error *e)
{
    char text[BEYOND_TEXT];
    beyond_warn_check(m);
    int status = beyond_what(m, bytes, text, e);
    if (!status)
        beyond_tell(text);
    return status;
}

void beyond_warn_combining(const cpm_model *m, bool combines, cpm_combining what)
{
    if (!combines || !cpm_model_lacks_combining(m, what))
        return;
    if (cpm_model_lacks_combining(m, CPM_COMBINING_BYTES))
        fprintf(stderr, "cpm: warning: the model does not know what combining takes, and predicts "
                        "reductions as if it took no time. Measure again (cpm model)\n");
    else
        fprintf(stderr,
                "cpm: warning: the model does not know what combining %s takes, and takes "
                "it to be as slow as bytes. Measure again (cpm model)\n",
                cpm_combinings[what].name);
}

void beyond_warn_check(const cpm_model *m)
{
    char text[CPM_CHECKED_TEXT];
    cpm_checked c;
    if (cpm_checked_of(&m->metadata, &c) && cpm_checked_is_bad(&c))
        fprintf(stderr,
                "cpm: warning: in its own check the model is %s. It is not one of its "
                "machine\n",
                cpm_checked_text(&c, text));
}

size_t beyond_largest(const cpm_sizes *sizes)
{
    size_t largest = 0;
    for (int k = 0; k < sizes->count; k++)
        largest = sizes->at[k] > largest ? sizes->at[k] : largest;
    return largest;
}
