/* Who sends to whom on a communicator, for its neighbourhood collectives. */
#ifndef CPM_TUNED_COMM_NEIGHBOURS_H
#define CPM_TUNED_COMM_NEIGHBOURS_H

#include <stdint.h>

#include "tuned/comm/listed.h"
#include "tuned/comm/state.h"

/* MPI's arrays of a side; NULL where it has none. */
typedef struct {
    const int *counts, *displacements;
    const MPI_Aint *addresses; /* displacements in bytes that are no int */
    const MPI_Datatype *types; /* then displacements of int are bytes, too */
} tuned_side_arrays;

static inline ptrdiff_t tuned_displacement(const tuned_side_arrays *x, int block)
{
    return x->addresses ? x->addresses[block] : x->displacements[block];
}

static inline bool tuned_is_type(MPI_Datatype type)
{
    return type != MPI_DATATYPE_NULL && (uintptr_t)type != 0;
}

/* MPICH takes anything for the type of an empty block. */
static inline MPI_Datatype tuned_type_of_block(const tuned_side_arrays *x, int block)
{
    return x->counts[block] ? x->types[block] : MPI_BYTE;
}

/* The graph of its processes, and where this one's blocks lie, if it has one. What CPM's algorithms
 * do not serve is as if MPI had no graph there: a process that sends or receives nothing, or more
 * blocks than there are processes; more than 2^18 messages. False: this rank has none, and should
 * have one. Collective. */
bool tuned_neighbours_find(tuned_state *t);
void tuned_neighbours_clear(tuned_state *t);

/* Whether MPI has a graph there. Local. */
bool tuned_neighbours_are_known(MPI_Comm comm);

/* Whether it has one that is no grid, and some process sends or receives nothing there: programs
 * leave its calls out. Collective. */
bool tuned_neighbours_are_lonely(MPI_Comm comm);

/* How many it sends to, or receives from; the state has the graph. */
int tuned_neighbours_count(const tuned_state *t, cpm_side side);

/* The graph for an operation of it; NULL: none that CPM's algorithms serve. Where two edges lead
 * from one process to the same other one, MPICH matches blocks of counts of their own in another
 * order than those of one count, of which it was asked. */
const cpm_neighbours *tuned_neighbours_for(const tuned_state *t, const cpm_operation *o);

/* Where blocks of a side lie that have one count, if the program leaves gaps between them. */
void tuned_neighbours_place(const tuned_state *t, mpib_arguments *a);

/* MPI's arrays of a side, which has a block for each of its neighbours, as the state's of those
 * that are processes; without the state's graph the mean count alone, of bytes if there are types.
 * has_types: of the operation. False: MPI does not take them. Local. */
bool tuned_neighbours_convert(const tuned_state *t, cpm_side which, bool has_types,
                              const tuned_side_arrays *x, mpib_side *side);

#endif
