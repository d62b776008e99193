/* The models, one row each. */
#include <stdio.h>
#include <string.h>

#include "models/hockney.h"
#include "models/interp.h"
#include "models/lmo.h"
#include "models/lmo2.h"
#include "models/loggp.h"
#include "models/logp.h"
#include "models/plogp.h"

const cpm_model_type *const cpm_model_types[] = {&cpm_hockney, &cpm_logp, &cpm_loggp,  &cpm_plogp,
                                                 &cpm_lmo,     &cpm_lmo2, &cpm_interp, NULL};

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
    char known[256];
    list_names(known, sizeof known);
    return cpm_fail(e, CPM_EUNKNOWN, "unknown model '%s' (known: %s)", name, known);
}
