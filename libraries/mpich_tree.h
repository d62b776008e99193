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

/* A collective with several algorithms. */
typedef struct {
    const char *name, *operation; /* MPICH's, and ours */
    bool total;                   /* its sizes are those of all blocks together, else of a block */
    bool in_place_is_other;       /* in place it is another algorithm, which the library decides */
} cpm_mpich_collective;

/* Ends with a row without a name. */
extern const cpm_mpich_collective cpm_mpich_collectives[];

/* CPM_EIO; CPM_EPARSE: there is no such tree in the file. CPM_ENOMEM. */
int cpm_mpich_library_read(const char *path, cpm_mpich_library *out, cpm_error *e);
void cpm_mpich_library_close(cpm_mpich_library *l);

/* Whether the library knows an algorithm of that name: it refuses to start if it does not. */
bool cpm_mpich_library_has(const cpm_mpich_library *l, const char *name);

/* What the library decides on a collective inside a communicator, as a file is to say it; the
 * caller releases it. NULL: it has none. *failed: no memory, something is missing. */
json_t *cpm_mpich_decision(const cpm_mpich_library *l, const cpm_mpich_collective *c, bool *failed);

#endif
