/* Communication trees (Boost Graph behind a C interface). */
#ifndef CPM_COLLECTIVES_ALGORITHMS_TREE_H
#define CPM_COLLECTIVES_ALGORITHMS_TREE_H

#include <stdbool.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A tree over nodes 0..n-1, node 0 the root. All arrays are owned by the tree. */
typedef struct {
    int n;
    int *parent;      /* [n] parent of a node, -1 for the root */
    int *first_child; /* [n + 1] children of v are child[first_child[v] .. first_child[v + 1]) */
    int *child;       /* [n - 1] in the order in which a parent sends to them */
    int *position;    /* [n] place of a node in depth-first preorder, lower children first */
    int *node;        /* [n] the inverse: node at a place */
    int *size;        /* [n] nodes in the subtree: it is the places [position, position + size) */
} cpm_tree;

/* The tree in which parent[v] is the parent of node v > 0 (parent[0] is ignored). highest_first: a
 * parent sends to its highest child first, else to its lowest. CPM_EINVAL if n < 1 or the parents
 * do not make a tree; CPM_ENOMEM. */
int cpm_tree_create(int n, const int *parent, bool highest_first, cpm_tree **out, cpm_error *e);
void cpm_tree_free(cpm_tree *t);

#ifdef __cplusplus
}
#endif
#endif
