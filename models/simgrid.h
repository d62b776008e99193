/* A model as a platform of SimGrid: SMPI then simulates the processes that were measured. */
#ifndef CPM_MODELS_SIMGRID_H
#define CPM_MODELS_SIMGRID_H

#include <stdio.h>

#include "models/model.h"

/* Writes a platform file of SimGrid 3.32: a host for each process, or for each host whose
 * inside the model knows; overheads as properties of hosts, links of each pair, memory, trunks of
 * switches, and the options that SMPI needs (doc/export.md). The caller looks at
 * ferror. CPM_EINVAL unless the model is lmo or lmo2; CPM_ENOMEM. */
int cpm_model_write_simgrid(const cpm_model *m, FILE *out, cpm_error *e);

#endif
