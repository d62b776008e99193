/* The models, one row each (doc/new-model.md). */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "models/model.h"

/* clang-format off */
#define MODELS(ROW)  \
    ROW(cpm_hockney) \
    ROW(cpm_logp)    \
    ROW(cpm_loggp)   \
    ROW(cpm_plogp)   \
    ROW(cpm_lmo)     \
    ROW(cpm_lmo2)    \
    ROW(cpm_interp)

#define ROW(type) extern const cpm_model_type type;
MODELS(ROW)
#undef ROW

#define ROW(type) &(type),
const cpm_model_type *const cpm_model_types[] = {MODELS(ROW) NULL};
#undef ROW
/* clang-format on */

static void list_names(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; cpm_model_types[i] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
                                 cpm_model_types[i]->name);
}

int cpm_model_type_find(const char *name, const cpm_model_type **out, cpm_error *e)
{
    for (int i = 0; cpm_model_types[i]; i++)
        if (strcmp(cpm_model_types[i]->name, name) == 0) {
            *out = cpm_model_types[i];
            return CPM_OK;
        }
    char known[256], ask[CPM_NEAREST_TEXT];
    cpm_nearest near = {.typed = name};
    for (int i = 0; cpm_model_types[i]; i++)
        cpm_nearest_try(&near, cpm_model_types[i]->name);
    list_names(known, sizeof known);
    return cpm_fail(e, CPM_EUNKNOWN, "unknown model '%s' (known: %s)%s", name, known,
                    cpm_nearest_ask(&near, ask, sizeof ask));
}
