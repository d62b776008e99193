/* Fortran's arguments in Open MPI, and what its functions are called. */
#ifndef CPM_TUNED_PRELOAD_FORTRAN_OPENMPI_H
#define CPM_TUNED_PRELOAD_FORTRAN_OPENMPI_H

#include <stdlib.h>

#include "cpm/cpm_mpi.h"

#if defined(OPEN_MPI) && defined(CPM_FORTRAN_INTEGER_IS_INT)

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* only Fortran calls these */

typedef MPI_Fint fint;

/* Fortran's MPI_IN_PLACE and MPI_BOTTOM are variables known by their addresses. */
extern int mpi_fortran_in_place_, mpi_fortran_bottom_;

static inline void *address(void *buffer)
{
    return buffer == &mpi_fortran_in_place_ ? MPI_IN_PLACE
           : buffer == &mpi_fortran_bottom_ ? MPI_BOTTOM
                                            : buffer;
}

static inline void set(fint *ierror, int status)
{
    if (ierror)
        *ierror = status;
}

static inline MPI_Comm comm_of(const fint *comm)
{
    return PMPI_Comm_f2c(*comm);
}

static inline MPI_Datatype type_of(const fint *type)
{
    return PMPI_Type_f2c(*type);
}

/* C's handles of both sides, one after the other; NULL: no memory. */
static inline MPI_Datatype *types_of(const fint *send_types, int sent, const fint *recv_types,
                                     int received)
{
    MPI_Datatype *types = malloc(((size_t)sent + (size_t)received) * sizeof(MPI_Datatype) + 1);
    for (int k = 0; types && k < sent; k++)
        types[k] = type_of(&send_types[k]);
    for (int k = 0; types && k < received; k++)
        types[sent + k] = type_of(&recv_types[k]);
    return types;
}

/* Of the other group, where there are two; 0: of no communicator. */
static inline int processes_of(const fint *comm)
{
    const MPI_Comm c = comm_of(comm);
    int inter = 0, n = 0;
    if (c == MPI_COMM_NULL)
        return 0;
    PMPI_Comm_test_inter(c, &inter);
    if (inter)
        PMPI_Comm_remote_size(c, &n);
    else
        PMPI_Comm_size(c, &n);
    return n;
}

static inline MPI_Op op_of(const fint *op)
{
    return PMPI_Op_f2c(*op);
}

#define ALSO(function, name) extern __typeof__(function) name __attribute__((alias(#function)))
#define NAMES(lower, UPPER)       \
    ALSO(lower##_, lower);        \
    ALSO(lower##_, lower##__);    \
    ALSO(lower##_, lower##_f08_); \
    ALSO(lower##_, UPPER)

#endif
#endif
