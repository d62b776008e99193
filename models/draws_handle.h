/* The uncertainty of a model as applications see it. */
#ifndef CPM_MODELS_DRAWS_HANDLE_H
#define CPM_MODELS_DRAWS_HANDLE_H

#include "models/model_handle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Models that could be the true one, as far as the intervals of m let one know. */
typedef struct cpm_draws cpm_draws;

/* Draws count models; same seed, same draws. *out is NULL if no parameter of m has an interval. The
 * caller frees it. CPM_ENOMEM. */
CPM_API int cpm_draws_create(const cpm_model *m, int count, unsigned long seed, cpm_draws **out,
                             cpm_error *e);
CPM_API void cpm_draws_free(cpm_draws *d);

#ifdef __cplusplus
}
#endif
#endif
