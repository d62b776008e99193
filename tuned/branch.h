/* Scatterv and gatherv along a tree, at one process: its branch.
 *
 * All processes know the tree, and which sizes the blocks had when it was chosen; of this call they
 * know their own block, and the root all. Blocks that still have that size go along the tree, in
 * messages that begin with a byte for each process of the branch: whether its block is there. The
 * others go between the root and their process directly. So nothing has to be agreed on before. */
#ifndef CPM_TUNED_BRANCH_H
#define CPM_TUNED_BRANCH_H

#include "mpib/collective.h"
#include "selection/choice.h"

/* Messages begin with so many bytes, or a multiple of that. */
#define TUNED_ALIGNMENT 16

/* A child's members are members [first, end) of the branch. */
typedef struct {
    int first, end;
} tuned_child;

/* A part of a message. */
typedef struct {
    int *length;
    MPI_Aint *place; /* relative to present, which is where all messages begin */
    MPI_Datatype *type;
    int count;
} tuned_parts;

typedef struct {
    int rank, root, parent; /* parent: its rank, -1: this is the root */
    bool together;          /* all children are served at once */
    int members, children;
    int *member; /* [members] ranks of the subtree in preorder, this one first */
    tuned_child *child;
    const size_t *sizes;    /* [n] bytes; borrowed */
    unsigned char *present; /* [members] whether the block of a member goes along the tree; then
                               [members][TUNED_ALIGNMENT], what fills up the messages of each */
    char *space;            /* of blocks that pass through */
    size_t *offset;         /* [members] of a block in space */
    tuned_parts parts;      /* space for one message */
    MPI_Request *request;   /* [2 * members] of children, then of single blocks */
} tuned_branch;

/* Whether a choice for scatterv or gatherv is a tree whose messages are whole subtrees. */
bool tuned_is_tree(const cpm_choice *c);

/* The branch of rank in the tree of choice. sizes: [n] bytes of each process's block, borrowed.
 * CPM_ENOMEM and the like; CPM_EINVAL: it would carry more than 2 GiB. Local. */
int tuned_branch_create(const cpm_choice *choice, const size_t *sizes, int n, int root, int rank,
                        tuned_branch **out, cpm_error *e);
void tuned_branch_free(tuned_branch *b);

/* Runs a call of scatterv or gatherv on comm, where failures are returned. Returns MPI's error. */
int tuned_branch_run(tuned_branch *b, const mpib_arguments *a, MPI_Comm comm, const void *send,
                     void *recv);

#endif
