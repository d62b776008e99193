/* The switches that cpm tune --measure knows. */
#ifndef CPM_TOOLS_CHOOSE_TUNE_TOPOLOGY_H
#define CPM_TOOLS_CHOOSE_TUNE_TOPOLOGY_H

#include "tools/frame/placement.h"

/* Puts them into p, the same tree on every rank: those of --topology, where processes are on the
 * hosts that are called as theirs, as in cpm run; where none is called so they are its hosts in
 * order. Or those that the model knows (m: rank 0's; NULL: there is none). Nothing is put where
 * nobody knows any. Same status on every rank: CPM_EIO, CPM_EPARSE, CPM_EINVAL (a host that is not
 * there, or too few), CPM_ENOMEM. Collective. */
int tune_topology_share(call *c, const cpm_model *m, placement *p, cpm_error *e);

#endif
