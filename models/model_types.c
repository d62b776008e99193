/* The models, one row each (doc/new-model.md). */
#include <stdio.h>
#include <string.h>

#include "base/names.h"
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

const char *cpm_model_type_named(int k)
{
    return cpm_model_types[k] ? cpm_model_types[k]->name : NULL;
}

int cpm_model_type_find(const char *name, const cpm_model_type **out, cpm_error *e)
{
    int k;
    int status = cpm_names_find(cpm_model_type_named, "model", name, &k, e);
    if (!status)
        *out = cpm_model_types[k];
    return status;
}
