/* The MPI library of this process, by where its routines are. */
#include "tools/choose/mpich_library.h"

#include <dlfcn.h>
#include <stddef.h>

int mpich_library(const char *named, const char **out, cpm_error *e)
{
    Dl_info where;
    void *routine = dlsym(RTLD_DEFAULT, "PMPI_Init");
    *out = named ? named : routine && dladdr(routine, &where) ? where.dli_fname : NULL;
    return *out ? CPM_OK
                : cpm_fail(e, CPM_EIO, "--mpich-library: say which file MPICH's library is");
}
