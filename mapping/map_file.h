/* A mapping as a file that a person can read (doc/map.md). */
#ifndef CPM_MAPPING_MAP_FILE_H
#define CPM_MAPPING_MAP_FILE_H

#include <stdio.h>

#include "mapping/map_handle.h"
#include "mapping/mapping.h"

/* What is mapped, and how. */
struct cpm_map {
    char *algorithm; /* "scatterv:binomial", with its parameters */
    size_t bytes;    /* of a block, their mean if they differ */
    size_t *sizes;   /* [n] bytes of the block of each process; NULL: all of them have bytes */
    cpm_mapping mapping;
};

/* Writes the lines of a map, with the names of the hosts of processes as comments (NULL: without);
 * the caller looks at ferror. */
void cpm_map_print(const cpm_map *m, char *const *hosts, FILE *out);

#endif
