/* Models of some processes of a model. */
#ifndef CPM_MODELS_SUBSET_H
#define CPM_MODELS_SUBSET_H

#include "models/model.h"

/* The model of n processes, each like process[i] of m, on its host; one may be named several times.
 * alone: every one stands alone; else they are in the classes of m. CPM_ENOMEM. */
int cpm_model_select(const cpm_model *m, const int *process, int n, bool alone, cpm_model **out,
                     cpm_error *e);

/* Whether m's classes are of hosts: where several processes share a host, each alone would be many
 * that are the same. */
bool cpm_model_has_host_classes(const cpm_model *m);

#endif
