/* A mapping as applications see it: a file that is read (doc/map.md). */
#ifndef CPM_MAPPING_MAP_HANDLE_H
#define CPM_MAPPING_MAP_HANDLE_H

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which process sits where in the tree of an algorithm, as cpm map has found it. */
typedef struct cpm_map cpm_map;

/* CPM_EIO, CPM_ENOMEM; CPM_EPARSE: "FILE:LINE: what", also where nodes do not make a tree or
 * processes are missing. */
CPM_API int cpm_map_read(const char *path, cpm_map **out, cpm_error *e);
CPM_API void cpm_map_free(cpm_map *m);

#ifdef __cplusplus
}
#endif
#endif
