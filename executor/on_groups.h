/* An operation in the lines of a mesh, one dimension after the other, by the MPI library's own
 * routines on groups of processes or by algorithms of the repository (Hartmann, Kuehnemann, Rauber,
 * Ruenger 2006, 2). */
#ifndef CPM_EXECUTOR_ON_GROUPS_H
#define CPM_EXECUTOR_ON_GROUPS_H

#include "executor/collective.h"
#include "executor/groups.h"

typedef struct mpib_on_groups mpib_on_groups;

/* Plans a call of what (cpm_is_on_groups), its n and root as in the arguments, for units of these
 * sizes. Collective where arguments->groups has not the lines of the mesh yet, or is NULL: then
 * they are owned by what is planned. Where MPI has no more communicators its own routine runs on
 * all processes. CPM_EINVAL, CPM_ENOMEM. */
int mpib_on_groups_create(const cpm_collective *what, const mpib_arguments *arguments,
                          const cpm_block_sizes *sizes, mpib_on_groups **out, cpm_error *e);

/* As mpib_collective_run. */
int mpib_on_groups_run(mpib_on_groups *g, const void *send, void *recv, int tag);

/* Collective if it owns lines. */
void mpib_on_groups_free(mpib_on_groups *g);

#endif
