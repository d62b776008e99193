/* The topology of a network as applications see it: a file that is read (doc/topology.md). */
#ifndef CPM_COLLECTIVES_TOPOLOGY_HANDLE_H
#define CPM_COLLECTIVES_TOPOLOGY_HANDLE_H

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Switches and hosts of a network; process i is on the i-th host. */
typedef struct cpm_topology cpm_topology;

/* Reads a file: CPM's own, Slurm's topology.conf, or what ibnetdiscover prints. CPM_EIO;
 * CPM_EPARSE, with file and line: a line that says nothing known, a name that is unknown or given
 * twice, a cycle, two links between the same switches, parts that are not connected, no hosts.
 * CPM_ENOMEM. */
CPM_API int cpm_topology_read(const char *path, cpm_topology **out, cpm_error *e);
CPM_API void cpm_topology_free(cpm_topology *t);

#ifdef __cplusplus
}
#endif
#endif
