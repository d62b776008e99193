/* Meshes in some dimension of which the MPI library's own routine runs, on the processes of each
 * line: "bcast:2d:mesh=4x4:x=native:y=native". They have no schedule: they can be run and measured,
 * but not predicted. */
#ifndef CPM_COLLECTIVES_ON_GROUPS_H
#define CPM_COLLECTIVES_ON_GROUPS_H

#include "collectives/collective.h"

bool cpm_is_on_groups(const cpm_collective *c);

/* The same mesh with the library's own in all dimensions: false if c is no mesh. */
bool cpm_on_groups_of(const cpm_collective *c, cpm_collective *out);

/* Whether it can be run. CPM_EINVAL: blocks may differ in size; the mesh does not fit, or its ranks
 * do not follow each other where each has a block of its own; segments, where nothing is left to
 * cut. CPM_ENOMEM. */
int cpm_on_groups_check(const cpm_collective *c, cpm_error *e);

#endif
