#include "tuned/adapt/sums.h"

#include <stddef.h>

enum {
    EPOCH_WORDS = sizeof(tuned_epoch_sums) / sizeof(int64_t),
    ROUND_WORDS = sizeof(tuned_round_sums) / sizeof(int64_t)
};

/* Each word says itself what is to be done with it: libraries may combine them in parts. */
static void combine_words(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    const int64_t *from = in;
    int64_t *to = inout;
    for (int k = 0; k < *count; k++)
        to[k] = from[k] >= 0 ? to[k] + from[k] : from[k] < to[k] ? from[k] : to[k];
}

static int reduce(void *words, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                  MPI_Request *request)
{
    return request ? PMPI_Iallreduce(MPI_IN_PLACE, words, count, type, op, comm, request)
                   : PMPI_Allreduce(MPI_IN_PLACE, words, count, type, op, comm);
}

int tuned_sum_epoch(tuned_epoch_sums *s, MPI_Comm comm, MPI_Op *combine, MPI_Request *request)
{
    PMPI_Op_create(combine_words, 1, combine);
    return reduce(s, EPOCH_WORDS, MPI_INT64_T, *combine, comm, request);
}

int tuned_sum_round(tuned_round_sums *s, MPI_Comm comm, MPI_Op *combine, MPI_Request *request)
{
    PMPI_Op_create(combine_words, 1, combine);
    return reduce(s, ROUND_WORDS, MPI_INT64_T, *combine, comm, request);
}

int tuned_sum_exchange(tuned_exchange_sums *s, int last, MPI_Comm comm, MPI_Request *request)
{
    const int count = (int)(offsetof(tuned_exchange_sums, last) / sizeof(int64_t)) + last;
    return reduce(s, count, MPI_INT64_T, MPI_SUM, comm, request);
}
