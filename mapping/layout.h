/* A candidate of the search: processes at nodes, and for a tree that is free its shape.
 *
 * A free tree is written as its preorder with depths: the subtree of a node is a run of places,
 * children stand in the order in which their parent serves them, and every way to hang a subtree
 * elsewhere is one place and one depth. */
#ifndef CPM_MAPPING_LAYOUT_H
#define CPM_MAPPING_LAYOUT_H

#include <stdbool.h>

#include "base/error.h"

typedef struct {
    int n;        /* places in use */
    int *process; /* [n] at a place; the root's is the first */
    int *depth;   /* [n] 0 for the root only; NULL: the tree is not free, places are its nodes */
    int *parent;  /* [n] place of the parent, -1 for the root, by layout_set_parents; NULL likewise
                   */
} layout;

/* Space for n processes; none is placed yet. CPM_ENOMEM. */
int layout_create(int n, bool is_free, layout *out, cpm_error *e);
void layout_clear(layout *l);
void layout_copy(const layout *from, layout *to);

void layout_swap(layout *l, int u, int v);

/* ---- of free trees */

/* Behind the last place of the subtree at u. */
int layout_end(const layout *l, int u);
/* Adds a process as first or last child of the one at place u; u -1: as root. */
void layout_add(layout *l, int u, bool first, int process);
/* Cuts the subtree at place u > 0 out, and puts it before what is at place to then, at that depth:
 * at least the depth of that place, and at most 1 more than that of the place before. */
void layout_move(layout *l, int u, int to, int depth);
void layout_set_parents(layout *l);

#endif
