#include "tools/choose/tune_topology.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "collectives/topology_place.h"
#include "models/model_topology.h"
#include "tools/frame/placement.h"
#include "tools/measure/session.h"

/* ---- a file's, by the names of hosts */

/* Of the processes in order, as pointers into words, a copy of names. NULL: no memory. */
static const char **split(char *words, int n)
{
    const char **host = calloc((size_t)n, sizeof *host);
    char *rest = words;
    for (int i = 0; host && i < n; i++)
        host[i] = strsep(&rest, " ");
    return host;
}

static bool knows_one(const cpm_topology *t, const char *const *host, int n)
{
    for (int i = 0; i < n; i++)
        if (host[i] && cpm_topology_host(t, host[i]) >= 0)
            return true;
    return false;
}

/* Processes are on the hosts that are called as theirs; where none is, they are the hosts in order,
 * which is said where it may be an oversight. */
static int place(const call *c, const cpm_topology *network, const char *names, cpm_topology **out,
                 cpm_error *e)
{
    int n = c->machine->n, status = CPM_OK;
    char *words = strdup(names ? names : ""), file[PATH_MAX];
    const char **host = words ? split(words, n) : NULL;
    if (!host)
        status = cpm_no_memory(e);
    else if (host[n - 1] && knows_one(network, host, n))
        status = cpm_topology_of_processes(network, c->set->where.topology, host, n, out, e);
    else {
        status = cpm_topology_holds(network, n, e);
        if (!status && !c->simulated && !c->set->out.quiet)
            fprintf(stderr,
                    "cpm: warning: none of the hosts of %s is called '%s': they are taken to be "
                    "the processes in order\n",
                    cpm_escape(c->set->where.topology, file, sizeof file), host[0]);
    }
    free(host);
    free(words);
    return status;
}

static int read_network(const call *c, const cpm_metadata *metadata, cpm_topology **out,
                        cpm_error *e)
{
    cpm_topology *network = NULL;
    int status = placement_read_topology(c->set->where.topology, &network, e);
    if (!status)
        status = place(c, network, cpm_metadata_get(metadata, "hosts"), out, e);
    if (!status && !*out)
        *out = network;
    else
        cpm_topology_free(network);
    return status;
}

/* ---- all ranks */

/* Rank 0's; NULL: nothing is known. Collective: all tell their hosts. */
static int find(const call *c, const cpm_model *m, cpm_topology **out, cpm_error *e)
{
    cpm_metadata metadata = {0};
    if (!c->set->where.topology)
        return c->speaks && m ? cpm_model_topology(m, out, e) : CPM_OK;
    int status = c->machine->describe(c->machine, &metadata, e);
    if (!status && c->speaks)
        status = read_network(c, &metadata, out, e);
    cpm_metadata_clear(&metadata);
    return status;
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
    int status = session_agree(c, up ? CPM_OK : cpm_no_memory(e), e);
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
    int status = session_agree(c, find(c, m, &own, e), e);
    int size[2] = {own ? own->hosts : 0, own ? own->nodes : 0};
    if (!status)
        status = c->machine->broadcast(c->machine, size, sizeof size, e);
    if (!status && size[0])
        status = share(c, own, size, p, e);
    cpm_topology_free(own);
    return status;
}
