/* A model's messages inside a host as distances of hwloc. */
#ifndef CPM_MODELS_HWLOC_XML_H
#define CPM_MODELS_HWLOC_XML_H

#include <stdio.h>

#include "models/model.h"

/* Writes one of the model's hosts as a topology in XML of hwloc 2: a core for each process, a
 * package and a NUMA node for each socket, and between these the latency of messages in ns and
 * their bandwidth in MiB/s (doc/export.md). host: its name, or NULL for the first one with most
 * processes. *shown gets the process from which its name can be told. The caller looks at ferror.
 * CPM_EUNKNOWN: there is no such host; CPM_EINVAL: no two processes are on it; CPM_ENOMEM. */
int cpm_model_write_hwloc(const cpm_model *m, const char *host, FILE *out, int *shown,
                          cpm_error *e);

#endif
