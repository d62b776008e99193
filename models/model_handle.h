/* A model as applications see it: a file that is read and written (doc/mod.md). */
#ifndef CPM_MODELS_MODEL_HANDLE_H
#define CPM_MODELS_MODEL_HANDLE_H

#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The parameters of a communication performance model for some processes. */
typedef struct cpm_model cpm_model;

/* Reads a .mod file (JSON). The caller frees *out with cpm_model_free. CPM_EIO, CPM_EPARSE:
 * "FILE:LINE: what", naming the parameter and the process or pair of a wrong value; "FILE: what"
 * where no line is to blame. */
CPM_API int cpm_model_read(const char *path, cpm_model **out, cpm_error *e);
/* Writes to a temporary file in the same folder and renames it: there is either the old file or
 * the whole new one. An earlier model is kept as PATH.~1~, or the first such number that is free,
 * unless it is the same; a file of another kind is not overwritten: CPM_EIO. What is not a regular
 * file (/dev/stdout) is written directly; path "-": standard output. CPM_EIO; CPM_EDATA if a
 * parameter cannot be what it is. */
CPM_API int cpm_model_write(const cpm_model *m, const char *path, cpm_error *e);
CPM_API void cpm_model_free(cpm_model *m);

/* The model of n of the processes, all different, in that order: every one alone, of classes each
 * with the values of its class; if it knows the inside of hosts in the same classes. Thresholds are
 * still those of all processes together. n may be less than the type's least number, so that it
 * cannot be read again once written. The caller frees *out. CPM_EINVAL: a process that is not
 * there, or twice; CPM_EDATA: the model predicts whole algorithms (interp), which says nothing of
 * fewer or other processes. CPM_ENOMEM. */
CPM_API int cpm_model_subset(const cpm_model *m, const int *process, int n, cpm_model **out,
                             cpm_error *e);

/* Seconds of one message of that many bytes between two different processes. */
CPM_API double cpm_model_p2p(const cpm_model *m, int from, int to, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
