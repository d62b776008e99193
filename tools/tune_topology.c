#include "tools/tune_topology.h"

#include <stdlib.h>

#include "collectives/topology_place.h"
#include "models/topology.h"
#include "tools/session.h"

/* Rank 0's; NULL: nothing is known. */
static int find(const call *c, const cpm_model *m, cpm_topology **out, cpm_error *e)
{
    const char *file = c->set.topology;
    if (!file)
        return m ? cpm_model_topology(m, out, e) : CPM_OK;
    int status = cpm_topology_read(file, out, e);
    return status ? status : cpm_topology_holds(*out, c->machine->n, e);
}

/* The node above each but the first switch, as rank 0 has it. */
static int *parents_of(const cpm_topology *t, int nodes)
{
    int *up = calloc((size_t)nodes, sizeof *up);
    if (up && t && cpm_topology_orient(t, t->hosts, up, NULL, NULL)) {
        free(up);
        return NULL;
    }
    return up;
}

static int share(call *c, const cpm_topology *own, const int size[2], placement *p, cpm_error *e)
{
    int *up = parents_of(own, size[1]);
    int status = session_agree(
        c, up ? CPM_OK : cpm_fail(e, CPM_ENOMEM, "no memory for %d switches and hosts", size[1]),
        e);
    if (!status)
        status = c->machine->broadcast(c->machine, up, (size_t)size[1] * sizeof *up, e);
    if (!status)
        status = cpm_topology_of_tree(size[0], size[1], up, &p->topology, e);
    free(up);
    p->known.topology = p->topology;
    return session_agree(c, status, e);
}

int tune_topology_share(call *c, const cpm_model *m, placement *p, cpm_error *e)
{
    cpm_topology *own = NULL;
    int status = session_agree(c, c->speaks ? find(c, m, &own, e) : CPM_OK, e);
    int size[2] = {own ? own->hosts : 0, own ? own->nodes : 0};
    if (!status)
        status = c->machine->broadcast(c->machine, size, sizeof size, e);
    if (!status && size[0])
        status = share(c, own, size, p, e);
    cpm_topology_free(own);
    return status;
}
