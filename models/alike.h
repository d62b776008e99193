/* Whether the hosts of a model are alike. */
#ifndef CPM_MODELS_ALIKE_H
#define CPM_MODELS_ALIKE_H

#include "models/model.h"

/* CPM_EDATA, with who differs in what, unless m's hosts are alike: round trips of each host, short
 * and long ones, inside it and on average with the others, and what its messages share, are within
 * a tenth of the median host's; what is shared also within its interval. Round trips of two hosts
 * are within a fifth of the median pair's; those between switches are looked at apart. *spread: the
 * largest departure of a host, as a share. Without the inside of hosts every process is one.
 * CPM_ENOMEM. */
int cpm_model_hosts_alike(const cpm_model *m, double *spread, cpm_error *e);

#endif
