#include "models/model_topology.h"

#include <stdlib.h>

/* Where nothing is known of hosts every process is alone on its own. */
static cpm_topology_places describe(const cpm_model *m, int *host, int *at, int *up)
{
    int switches = m->switches.count;
    bool known = m->on.n == m->n;
    for (int i = 0; i < m->n; i++) {
        host[i] = known ? m->on.of[i] : i;
        at[host[i]] = m->switches.of[i];
    }
    for (int s = 0; s < switches; s++)
        up[s] = switches;
    up[switches] = -1;
    return (cpm_topology_places){.processes = m->n,
                                 .hosts = known ? m->on.count : m->n,
                                 .switches = switches + 1,
                                 .host = host,
                                 .at = at,
                                 .up = up};
}

int cpm_model_topology(const cpm_model *m, cpm_topology **out, cpm_error *e)
{
    *out = NULL;
    if (!cpm_model_has_topology(m))
        return CPM_OK;
    size_t n = (size_t)m->n;
    int *room = malloc((2 * n + (size_t)m->switches.count + 1) * sizeof *room);
    if (!room)
        return cpm_no_memory(e);
    const cpm_topology_places p = describe(m, room, room + n, room + 2 * n);
    int status = cpm_topology_place(&p, out, e);
    free(room);
    return status;
}
