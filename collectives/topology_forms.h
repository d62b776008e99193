/* Files of other programs that say how hosts are connected. */
#ifndef CPM_COLLECTIVES_TOPOLOGY_FORMS_H
#define CPM_COLLECTIVES_TOPOLOGY_FORMS_H

#include <stdbool.h>

#include "base/lines.h"
#include "collectives/topology_handle.h"

typedef struct {
    const char *name;
    bool (*begins)(const char *line); /* whether a file does so, after empty lines and remarks */
    /* Of lines that were opened. CPM_EPARSE, with file and line; CPM_ENOMEM. */
    int (*read)(cpm_lines *lines, cpm_topology **out);
} cpm_topology_form;

/* NULL: the file is in CPM's own form, or in none. */
const cpm_topology_form *cpm_topology_form_of(const cpm_lines *lines);

/* Slurm's topology.conf: "SwitchName=s0 Nodes=tux[0-3]", "SwitchName=s2 Switches=s[0-1]". */
bool cpm_topology_slurm_begins(const char *line);
int cpm_topology_slurm_read(cpm_lines *lines, cpm_topology **out);

/* What ibnetdiscover of InfiniBand prints. */
bool cpm_topology_ib_begins(const char *line);
int cpm_topology_ib_read(cpm_lines *lines, cpm_topology **out);

#endif
