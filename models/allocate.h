/* A model in memory before anybody has said what it is for. */
#ifndef CPM_MODELS_ALLOCATE_H
#define CPM_MODELS_ALLOCATE_H

#include "models/model.h"

/* As cpm_model_create_classes, but of any number of processes: part of a model can have fewer than
 * it takes to find its parameters; regimes: the sizes of each level. */
int cpm_model_allocate(const cpm_model_type *type, const cpm_classes *classes,
                       const cpm_sizes regimes[CPM_LEVELS], cpm_model **out, cpm_error *e);

/* Hosts, and their sockets, of another model of as many processes. CPM_ENOMEM. */
int cpm_model_copy_hosts(const cpm_model *from, cpm_model *to, cpm_error *e);

/* Facts and notes of another model. CPM_ENOMEM. */
int cpm_model_copy_provenance(const cpm_model *from, cpm_model *to, cpm_error *e);

#endif
