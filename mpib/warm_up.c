#include "mpib/warm_up.h"

#include <stdlib.h>

#include "executor/agree.h"

enum { TURNS = 96, BYTES = 8000, TAG = 71 };

static void exchange(MPI_Comm host, char *out, char *in)
{
    int rank, n;
    MPI_Comm_rank(host, &rank);
    MPI_Comm_size(host, &n);
    for (int distance = 1; distance < n; distance++)
        for (int turn = 0; turn < TURNS; turn++)
            PMPI_Sendrecv(out, BYTES, MPI_BYTE, (rank + distance) % n, TAG, in, BYTES, MPI_BYTE,
                          (rank + n - distance) % n, TAG, host, MPI_STATUS_IGNORE);
}

int mpib_warm_up(MPI_Comm comm, cpm_error *e)
{
    MPI_Comm host;
    int rank;
    char *space = calloc(2, BYTES);
    int status = space ? CPM_OK : cpm_no_memory(e);
    status = mpib_agree(comm, status, e);
    MPI_Comm_rank(comm, &rank);
    if (!status &&
        MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host) != MPI_SUCCESS)
        status = cpm_fail(e, CPM_EMPI, "MPI cannot tell which ranks share a host");
    if (!status) {
        exchange(host, space, space + BYTES);
        MPI_Comm_free(&host);
    }
    free(space);
    return status;
}
