/* Inside of the planned collectives: where a call's blocks lie, and what is moved before and after
 * the messages. */
#ifndef CPM_EXECUTOR_LAYOUT_H
#define CPM_EXECUTOR_LAYOUT_H

#include "executor/collective.h"
#include "executor/execute.h"

typedef enum {
    MPIB_PACK,   /* elements of a user's buffer become bytes, one after the other */
    MPIB_UNPACK, /* and back */
    MPIB_COPY,   /* elements to elements */
    MPIB_REDUCE, /* elements from op elements to, into to */
} mpib_move_kind;

typedef struct {
    mpib_move_kind kind;
    mpib_place from, to;
    size_t elements;
    MPI_Datatype type;
    bool dense; /* elements are their bytes, without holes or reordering */
    MPI_Op op;
    size_t size, extent; /* of an element; mpib_moves_add sets them, too */
} mpib_move;

typedef struct {
    mpib_move *at;
    int count;
} mpib_moves;

/* What a plan needs of a call at one rank. */
typedef struct {
    mpib_layout layout;
    cpm_block_sizes sizes;
    void *context;            /* of layout.place; freed with free() */
    void *passing;            /* of the context; freed with free() */
    mpib_moves before, after; /* the messages */
    mpib_move input;          /* of the whole input, if that is read while the result is written */
    size_t space;             /* bytes of MPIB_SPACE */
    bool truncated; /* a block that the rank gets is longer than its place: the rest is dropped */
} mpib_arrangement;

/* sizes: bytes of units (borrowed). CPM_ENOMEM. Local. */
int mpib_arrange_blocks(const mpib_arguments *arguments, const cpm_schedule *s,
                        const cpm_block_sizes *sizes, mpib_arrangement *out, cpm_error *e);
int mpib_arrange_reduction(const mpib_arguments *arguments, const cpm_schedule *s,
                           const cpm_block_sizes *sizes, mpib_arrangement *out, cpm_error *e);
void mpib_arrangement_clear(mpib_arrangement *a);

int mpib_moves_add(mpib_moves *m, const mpib_move *move, cpm_error *e);
/* One move, with addresses instead of its places. comm, tag: of messages to oneself. Both return
 * MPI's error code, the first after all are made. */
int mpib_move_run(const mpib_move *m, const char *from, char *to, MPI_Comm comm, int tag);
int mpib_moves_run(const mpib_moves *m, char *const bases[MPIB_BASES], MPI_Comm comm, int tag);

/* Whether elements of a type lie as their bytes do: a basic type without holes, or copies of one.
 */
bool mpib_type_is_dense(MPI_Datatype type);
size_t mpib_type_size(MPI_Datatype type);
size_t mpib_type_extent(MPI_Datatype type);

#endif
