/* The first processes of the machine that a subcommand works on, as a machine of their own. */
#ifndef CPM_TOOLS_MEASURE_SUB_CLUSTER_H
#define CPM_TOOLS_MEASURE_SUB_CLUSTER_H

#include "tools/frame/command.h"
#include "tools/frame/placement.h"

typedef struct {
    cpm_machine *machine;
    cpm_placement at; /* of its processes, with their hosts where these are known */
    cpm_machine *own; /* what is freed with it; NULL: the machine is the whole one */
    cpm_model *model; /* that simulates it */
    cpm_hosts hosts;
} first_part;

/* The first n, or all, of c->machine, which is placed as known says; anew: timed as c->set says by
 * now. Same status on every rank; part_close is due also after a failure. Collective. */
int part_open(call *c, const cpm_placement *known, int n, bool anew, first_part *out, cpm_error *e);
void part_close(first_part *p);

/* The model of the first n processes of m. CPM_ENOMEM, and as of cpm_model_subset. */
int part_model(const cpm_model *m, int n, cpm_model **out, cpm_error *e);

#endif
