/* Communicators of the lines of meshes: made when a mesh is first run, and kept. */
#ifndef CPM_EXECUTOR_GROUPS_H
#define CPM_EXECUTOR_GROUPS_H

#include <mpi.h>

#include "collectives/algorithms/mesh.h"

/* The lines of one mesh that this rank is in. */
typedef struct mpib_lines mpib_lines;
struct mpib_lines {
    int key[3];       /* extents, or what stands for a mesh of hosts */
    MPI_Comm comm[3]; /* of each dimension; MPI_COMM_NULL where its extent is 1 */
    bool missing;     /* MPI had no communicators left: there are none */
    mpib_lines *next;
};

/* All that were asked for of one communicator. Zeroed: none. */
typedef struct {
    mpib_lines *first;
} mpib_groups;

/* Those of a mesh, of whose places these are; with: its parameters. Collective over comm where they
 * are not there yet, so all ranks ask for the same meshes in the same order; otherwise local. *out
 * is owned by g. CPM_ENOMEM, on all ranks or none. */
int mpib_groups_get(mpib_groups *g, MPI_Comm comm, const cpm_parameters *with,
                    const cpm_mesh_places *places, const mpib_lines **out, cpm_error *e);

/* Collective over all their lines. */
void mpib_groups_clear(mpib_groups *g);

#endif
