/* The MPI library's own collectives as operations of the benchmark. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mpib/machine_mpi.h"

typedef struct {
    mpib_coll_operation base;
    bool at_root; /* this rank is the root */
    char *all;    /* root: the blocks of all ranks; others: one block */
    int bytes;
} native;

/* The root's own block stays in its place, as it does in a schedule. */
static void scatter(mpib_coll_operation *self, MPI_Comm comm, int root, size_t bytes)
{
    const native *x = (const native *)self;
    (void)bytes;
    if (x->at_root)
        MPI_Scatter(x->all, x->bytes, MPI_BYTE, MPI_IN_PLACE, x->bytes, MPI_BYTE, root, comm);
    else
        MPI_Scatter(NULL, 0, MPI_BYTE, x->all, x->bytes, MPI_BYTE, root, comm);
}

static void gather(mpib_coll_operation *self, MPI_Comm comm, int root, size_t bytes)
{
    const native *x = (const native *)self;
    (void)bytes;
    if (x->at_root)
        MPI_Gather(MPI_IN_PLACE, x->bytes, MPI_BYTE, x->all, x->bytes, MPI_BYTE, root, comm);
    else
        MPI_Gather(x->all, x->bytes, MPI_BYTE, NULL, 0, MPI_BYTE, root, comm);
}

static void bcast(mpib_coll_operation *self, MPI_Comm comm, int root, size_t bytes)
{
    const native *x = (const native *)self;
    (void)bytes;
    MPI_Bcast(x->all, x->bytes, MPI_BYTE, root, comm);
}

static int initialize(mpib_coll_operation *self, MPI_Comm comm, int root, size_t bytes,
                      cpm_error *e)
{
    native *x = (native *)self;
    int rank, n;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    if (bytes > INT_MAX)
        return cpm_fail(e, CPM_EINVAL, "%s: a block of %zu bytes is above 2 GiB", self->name,
                        bytes);
    x->at_root = rank == root;
    x->bytes = (int)bytes;
    size_t space = x->at_root ? bytes * (size_t)n : bytes; /* below 2^31 * 2^31 */
    x->all = malloc(space + 1);
    if (!x->all)
        return cpm_fail(e, CPM_ENOMEM, "%s: no memory for %zu bytes", self->name, space);
    memset(x->all, 1, space + 1); /* pages that were never written are slower to send */
    return CPM_OK;
}

static void finalize(mpib_coll_operation *self)
{
    native *x = (native *)self;
    free(x->all);
    x->all = NULL;
}

static const mpib_coll_operation routines[] = {
    {"scatter", initialize, scatter, finalize},
    {"gather", initialize, gather, finalize},
    {"bcast", initialize, bcast, finalize},
};

int mpib_native_create(const cpm_operation *operation, mpib_coll_operation **out, cpm_error *e)
{
    const mpib_coll_operation *routine = NULL;
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        if (strcmp(routines[i].name, operation->name) == 0)
            routine = &routines[i];
    if (!routine)
        return cpm_fail(e, CPM_EUNKNOWN, "%s:native is not known (known: scatter, gather, bcast)",
                        operation->name);
    native *x = calloc(1, sizeof *x);
    if (!x)
        return cpm_fail(e, CPM_ENOMEM, "%s:native: no memory", operation->name);
    x->base = *routine;
    *out = &x->base;
    return CPM_OK;
}
