/* Whether the hosts of a model are alike. */
#ifndef CPM_MODELS_ALIKE_H
#define CPM_MODELS_ALIKE_H

#include "models/model.h"

/* CPM_EDATA, with who differs in what, unless m's hosts are alike: round trips of each host, short
 * and long ones, inside it and on average with the others, are within a tenth of the median host's;
 * those of two hosts within a fifth of the median pair's, pairs between switches by themselves; and
 * what a host's messages share, and its processors take besides, is within half of the median, and
 * its own interval. *spread: the largest departure of a host in the first, as a share. Without the
 * inside of hosts every process is one. CPM_ENOMEM. */
int cpm_model_hosts_alike(const cpm_model *m, double *spread, cpm_error *e);

#endif
