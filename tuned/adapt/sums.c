#include "tuned/adapt/sums.h"

#include <stddef.h>

enum { EPOCH_WORDS = sizeof(tuned_epoch_sums) / sizeof(int64_t) };

/* The type is that of all numbers together: libraries reduce its elements whole, so each function
 * of an operation knows what a number is. */
static void combine_epochs(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    const tuned_epoch_sums *from = in;
    tuned_epoch_sums *to = inout;
    for (int k = 0; k < *count; k++) {
        const int64_t longest = from[k].longest > to[k].longest ? from[k].longest : to[k].longest;
        for (int i = 0; i < EPOCH_WORDS; i++)
            ((int64_t *)&to[k])[i] += ((const int64_t *)&from[k])[i];
        to[k].longest = longest;
    }
}

static int reduce(void *words, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                  MPI_Request *request)
{
    return request ? PMPI_Iallreduce(MPI_IN_PLACE, words, count, type, op, comm, request)
                   : PMPI_Allreduce(MPI_IN_PLACE, words, count, type, op, comm);
}

int tuned_sum_epoch(tuned_epoch_sums *s, MPI_Comm comm, MPI_Op *combine, MPI_Request *request)
{
    MPI_Datatype all;
    PMPI_Op_create(combine_epochs, 1, combine);
    PMPI_Type_contiguous(EPOCH_WORDS, MPI_INT64_T, &all);
    PMPI_Type_commit(&all);
    int failed = reduce(s, 1, all, *combine, comm, request);
    PMPI_Type_free(&all); /* when nothing is under way with it */
    return failed;
}

int tuned_sum_exchange(tuned_exchange_sums *s, int last, MPI_Comm comm, MPI_Request *request)
{
    const int count = (int)(offsetof(tuned_exchange_sums, last) / sizeof(int64_t)) + last;
    return reduce(s, count, MPI_INT64_T, MPI_SUM, comm, request);
}
