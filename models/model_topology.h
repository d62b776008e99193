/* The switches that a model knows as a topology of its processes. */
#ifndef CPM_MODELS_MODEL_TOPOLOGY_H
#define CPM_MODELS_MODEL_TOPOLOGY_H

#include "collectives/topology_place.h"
#include "models/model.h"

/* Whether it knows which switch each process is at, be it one for all. */
static inline bool cpm_model_has_topology(const cpm_model *m)
{
    return m->switches.count > 0;
}

/* One core behind these switches. *out is NULL if it knows none. CPM_ENOMEM. */
int cpm_model_topology(const cpm_model *m, cpm_topology **out, cpm_error *e);

#endif
