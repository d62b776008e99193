/* MPICH's decisions, as they are built into its library. */
#ifndef CPM_LIBRARIES_MPICH_TREE_H
#define CPM_LIBRARIES_MPICH_TREE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

typedef struct {
    json_t *tree;  /* tests, in order; at its leaves names of algorithms */
    char *content; /* of the library's file */
    size_t size;
} cpm_mpich_library;

/* CPM_EIO; CPM_EPARSE: there is no such tree in the file. CPM_ENOMEM. */
int cpm_mpich_library_read(const char *path, cpm_mpich_library *out, cpm_error *e);
void cpm_mpich_library_close(cpm_mpich_library *l);

/* Whether the library knows an algorithm of that name: it refuses to start if it does not. */
bool cpm_mpich_library_has(const cpm_mpich_library *l, const char *name);

#endif
