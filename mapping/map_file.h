/* A mapping as a file that a person can read (doc/map.md). */
#ifndef CPM_MAPPING_MAP_FILE_H
#define CPM_MAPPING_MAP_FILE_H

#include <stdio.h>

#include "mapping/mapping.h"

/* What is mapped, and how. */
typedef struct {
    char *algorithm; /* "scatterv:binomial", with its parameters */
    size_t bytes;    /* of a block, their mean if they differ */
    size_t *sizes;   /* [n] bytes of the block of each process; NULL: all of them have bytes */
    cpm_mapping mapping;
} cpm_map;

void cpm_map_clear(cpm_map *m);

/* Writes the lines of a map, with the names of the hosts of processes as comments (NULL: without);
 * the caller looks at ferror. */
void cpm_map_print(const cpm_map *m, char *const *hosts, FILE *out);

/* CPM_EIO, CPM_ENOMEM; CPM_EPARSE: "FILE:LINE: what", also where nodes do not make a tree or
 * processes are missing. */
int cpm_map_read(const char *path, cpm_map *out, cpm_error *e);

#endif
