/* Looking for a name among all of them. */
#include "base/names.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

static int unknown(cpm_names *names, const char *what, const char *text, cpm_error *e)
{
    char known[256] = "", ask[CPM_NEAREST_TEXT];
    cpm_nearest near = {.typed = text};
    size_t used = 0;
    const char *name;
    for (int i = 0; (name = names(i)); i++) {
        cpm_nearest_try(&near, name);
        if (used < sizeof known)
            used +=
                (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", name);
    }
    return cpm_fail(e, CPM_EUNKNOWN, "unknown %s '%s' (known: %s)%s", what, text, known,
                    cpm_nearest_ask(&near, ask, sizeof ask));
}

int cpm_names_find(cpm_names *names, const char *what, const char *text, int *k, cpm_error *e)
{
    const char *name;
    for (int i = 0; (name = names(i)); i++)
        if (strcmp(name, text) == 0) {
            *k = i;
            return CPM_OK;
        }
    return unknown(names, what, text, e);
}
