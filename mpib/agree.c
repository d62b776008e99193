/* Agreement: one reduction says who failed first, one broadcast says why. */
#include "mpib/agree.h"

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

int mpib_agree(MPI_Comm comm, int status, cpm_error *e)
{
    int rank, n;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    int failed = status == CPM_OK ? n : rank, first = n;
    MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == n)
        return CPM_OK;
    cpm_error report = own_failure(status, e);
    MPI_Bcast(&report.code, 1, MPI_INT, first, comm);
    MPI_Bcast(report.text, sizeof report.text, MPI_CHAR, first, comm);
    if (e)
        *e = report;
    return report.code;
}
