/* Collectives that stay with MPI: passed on, and counted for a profile. */
#include "cpm/cpm_mpi.h"

#ifndef CPM_SMPI
#define CPM_OTHER(function, parameters, arguments) \
    int function parameters                        \
    {                                              \
        double begun = cpm_tuned_other_begin();    \
        int status = P##function arguments;        \
        cpm_tuned_other_end(#function, begun);     \
        return status;                             \
    }
#include "tuned/preload/other_functions.def"
#endif
