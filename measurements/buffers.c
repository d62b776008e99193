#include "measurements/buffers.h"

#include "base/names.h"

const char *mpib_buffers_named(int k)
{
    static const char *const names[] = {[MPIB_BUFFERS_FRESH] = "fresh",
                                        [MPIB_BUFFERS_SAME] = "same",
                                        [MPIB_BUFFERS_COLD] = "cold",
                                        NULL};
    return names[k];
}

int mpib_buffers_parse(const char *text, mpib_buffers *b, cpm_error *e)
{
    int k;
    int status = cpm_names_find(mpib_buffers_named, "state of buffers", text, &k, e);
    if (!status)
        *b = (mpib_buffers)k;
    return status;
}
