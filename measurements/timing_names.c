#include "measurements/timing_names.h"

#include "base/names.h"

const char *mpib_timing_named(int k)
{
    static const char *const names[] = {[MPIB_TIMING_ROOT] = "root",
                                        [MPIB_TIMING_MAX] = "max",
                                        [MPIB_TIMING_GLOBAL] = "global",
                                        [MPIB_TIMING_BATCH] = "batch",
                                        NULL};
    return names[k];
}

int mpib_timing_parse(const char *text, mpib_timing *t, cpm_error *e)
{
    int k;
    int status = cpm_names_find(mpib_timing_named, "timing", text, &k, e);
    if (!status)
        *t = (mpib_timing)k;
    return status;
}
