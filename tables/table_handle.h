/* A decision table as applications see it: a file that is read and written (doc/tune.md). */
#ifndef CPM_TABLES_TABLE_HANDLE_H
#define CPM_TABLES_TABLE_HANDLE_H

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For operations, numbers of processes and sizes, which algorithm. */
typedef struct cpm_table cpm_table;

/* CPM_EIO; CPM_EPARSE: "FILE:LINE: what"; CPM_ENOMEM. The caller frees it. */
CPM_API int cpm_table_read(const char *path, cpm_table **out, cpm_error *e);
/* There is either the old file or the whole new one, as with cpm_model_write, but an earlier
 * decision table is not kept. CPM_EIO, also for a file of another kind; CPM_ENOMEM, also for a text
 * that is not UTF-8. */
CPM_API int cpm_table_write(const cpm_table *t, const char *path, cpm_error *e);
CPM_API void cpm_table_free(cpm_table *t);

#ifdef __cplusplus
}
#endif
#endif
