#include "tools/predict/native.h"

#include <stdlib.h>
#include <string.h>

#include "selection/library_defaults.h"

int native_resolve(cpm_library library, const char *name, size_t bytes, cpm_collective *c,
                   cpm_error *e)
{
    if (c->algorithm)
        return CPM_OK;
    const cpm_request r = {.operation = c->operation,
                           .n = c->at.n,
                           .root = c->at.root,
                           .bytes = bytes,
                           .hosts = c->at.hosts};
    cpm_collective usual[CPM_MOST_USUAL];
    if (cpm_library_default(library, &r, usual) != 1)
        return cpm_fail(e, CPM_EUNKNOWN,
                        "%s:native: what %s does with %zu bytes on %d processes is none of CPM's "
                        "algorithms, and cannot be predicted",
                        c->operation->name, name, bytes, r.n);
    c->algorithm = usual[0].algorithm;
    c->with = usual[0].with;
    c->by_library = true;
    return cpm_collective_applies(c, e);
}

cpm_library native_library_of(const char *version)
{
    static const char open_mpi[] = "Open MPI v";
    const char *found = version ? strstr(version, open_mpi) : NULL;
    if (found)
        return strtol(found + sizeof open_mpi - 1, NULL, 10) >= 5 ? CPM_LIBRARY_OPENMPI5
                                                                  : CPM_LIBRARY_OPENMPI;
    return version && strncmp(version, "MPICH Version", 13) == 0 ? CPM_LIBRARY_MPICH
                                                                 : CPM_LIBRARY_OTHER;
}
