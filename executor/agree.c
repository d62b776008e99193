/* Agreement: who failed first is spread by dissemination (Hensgen, Finkel, Manber 1988), which
 * takes log2 n steps with any MPI library; a broadcast says why. Agreements keep rounds of
 * experiments apart, so with many ranks a reduction that some libraries do one rank after the other
 * would take longer than what is measured. */
#include "executor/agree.h"

static cpm_error own_failure(int status, const cpm_error *e)
{
    cpm_error own = {0};
    if (e && e->text[0])
        own = *e;
    else
        cpm_fail(&own, status, "%s", cpm_status_text(status));
    own.code = status;
    return own;
}

enum { TAG = 71 };

/* The least of all ranks' values. Hearing of a value twice does no harm to a minimum, so it works
 * for any number of ranks. */
static int least(MPI_Comm comm, int rank, int n, int value)
{
    for (int distance = 1; distance < n; distance *= 2) {
        int heard = value;
        PMPI_Sendrecv(&value, 1, MPI_INT, (rank + distance) % n, TAG, &heard, 1, MPI_INT,
                      (rank - distance + n) % n, TAG, comm, MPI_STATUS_IGNORE);
        value = heard < value ? heard : value;
    }
    return value;
}

int mpib_agree(MPI_Comm comm, int status, cpm_error *e)
{
    int rank, n;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &n);
    int first = least(comm, rank, n, status == CPM_OK ? n : rank);
    if (first == n)
        return CPM_OK;
    cpm_error report = own_failure(status, e);
    PMPI_Bcast(&report.code, 1, MPI_INT, first, comm);
    PMPI_Bcast(report.text, sizeof report.text, MPI_CHAR, first, comm);
    if (e)
        *e = report;
    return report.code;
}
