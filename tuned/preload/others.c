/* Collectives that stay with MPI: passed on, and counted for a profile. And nonblocking and
 * persistent ones, which do where nothing was chosen; those with large counts are in
 * large_counts.c. */
#include "tuned/preload/active.h"

#ifndef CPM_SMPI
#define CPM_OTHER(function, parameters, arguments) \
    int function parameters                        \
    {                                              \
        double begun = cpm_tuned_other_begin();    \
        int status = P##function arguments;        \
        cpm_tuned_other_end(#function, begun);     \
        return status;                             \
    }
#define CPM_OTHER_PERSISTENT(function, parameters, arguments)    \
    int function parameters                                      \
    {                                                            \
        double begun = cpm_tuned_other_begin();                  \
        int status = P##function arguments;                      \
        cpm_tuned_other_end(#function, begun);                   \
        return cpm_tuned_other_made(#function, status, request); \
    }
#define CPM_OTHER_LARGE_PERSISTENT CPM_OTHER_PERSISTENT
#define CPM_TAKEN(function, own, parameters, arguments)             \
    int function parameters                                         \
    {                                                               \
        return is_active() ? own arguments : P##function arguments; \
    }
#define CPM_TAKEN_LARGE(function, own, pass, counts_fit, parameters, arguments)
#include "tuned/preload/other_functions.def"
#endif
