/* The command without MPI: what measures real processes says so, all else never comes here. */
#include <stdio.h>

#include "tools/measure/conditions.h"
#include "tools/mpi/processes.h"

void processes_describe(char *text, size_t size)
{
    snprintf(text, size, "built without MPI: measures only clusters that --machine simulates");
}

int processes_need_mpi(const char *what, cpm_error *e)
{
    return cpm_fail(e, CPM_EMPI,
                    "this cpm was built without MPI, which %s: install an MPI, and build CPM again "
                    "(doc/install.md)",
                    what);
}

void processes_let_first_speak(void)
{
}

void processes_abort(void)
{
}

int processes_start(call *c, cpm_error *e)
{
    (void)c;
    return cpm_fail(
        e, CPM_EMPI,
        "this cpm was built without MPI: simulate a cluster with --machine FILE.mod, or "
        "install an MPI and build CPM again (doc/install.md)");
}

void processes_end(call *c)
{
    (void)c;
}

int processes_part(const call *c, int n, cpm_machine **out, cpm_error *e)
{
    (void)n;
    (void)out;
    return processes_start((call *)c, e);
}

int processes_hosts(cpm_hosts *out, cpm_error *e)
{
    *out = (cpm_hosts){0};
    return cpm_fail(e, CPM_EMPI, "without MPI no process has a host");
}

/* A simulated cluster has no other users. */
int conditions_before(const call *c, conditions *begin, cpm_metadata *metadata, cpm_error *e)
{
    (void)c;
    (void)metadata;
    (void)e;
    *begin = (conditions){0};
    return CPM_OK;
}

int conditions_after(const call *c, const conditions *begin, const cpm_metadata *header,
                     cpm_metadata *metadata, cpm_error *e)
{
    (void)c;
    (void)begin;
    (void)header;
    (void)metadata;
    (void)e;
    return CPM_OK;
}
