/* Who sends to whom in a neighbourhood collective: a directed graph of processes (MPI 4.0, 8.2). */
#ifndef CPM_COLLECTIVES_NEIGHBOURS_H
#define CPM_COLLECTIVES_NEIGHBOURS_H

#include <stdbool.h>

#include "base/error.h"

/* Neighbours that a process sends to are numbered, and so are those that it receives from. Edges
 * are numbered process by process, in the order of those that it sends to. Parallel ones between
 * two processes are matched in the order in which both have them. */
enum { CPM_GRID_DIMENSIONS = 4 };
typedef struct {
    int n, edges;
    int *first_out; /* [n + 1] edges of process i: from first_out[i] to first_out[i + 1] - 1 */
    int *from, *to; /* [edges] */
    int *first_in;  /* [n + 1] of in: */
    int *in;        /* [edges] the edges that come to process i, in its order, are those at
                       first_in[i] to first_in[i + 1] - 1 */
    int *place;     /* [edges] which neighbour of its receiver its sender is */
    bool parallel;  /* two edges lead from one process to the same other one */
    /* Processes as cells of a grid, the last dimension next to each other, in which few distances
     * along a dimension lead to all neighbours; no dimensions: in none they are fewer than the
     * neighbours. */
    int dimensions, size[CPM_GRID_DIMENSIONS];
} cpm_neighbours;

/* Edge k leads from[k] to to[k]; each process has its neighbours in this order. CPM_EINVAL: a
 * process is none of the n; CPM_ENOMEM. */
int cpm_neighbours_create(int n, int count, const int *from, const int *to, cpm_neighbours **out,
                          cpm_error *e);
void cpm_neighbours_free(cpm_neighbours *g);

/* The graph of n processes that a text says (-1: as many as it has): "grid:4x4x2", whose cells have
 * the next ones of each dimension as neighbours, as MPI_Cart_create has them; "torus:4x4x2", whose
 * ends meet; or, with ":corners" behind it, all cells around. Who is received from is in the order
 * of ranks. Else it is the name of a file with a line "FROM TO" for each edge. CPM_EINVAL,
 * CPM_EPARSE: not like that, or too many edges; CPM_EPROCESS: a grid of another number of
 * processes; CPM_EIO; CPM_ENOMEM. */
int cpm_neighbours_read(const char *text, int n, cpm_neighbours **out, cpm_error *e);

/* The most neighbours that a process sends to, or receives from. */
int cpm_neighbours_most(const cpm_neighbours *g);

/* The first edge between two processes; -1: there is none. */
int cpm_neighbours_edge(const cpm_neighbours *g, int from, int to);

/* Where process lies along a dimension of the grid. */
int cpm_grid_cell(const cpm_neighbours *g, int process, int dimension);

#endif
