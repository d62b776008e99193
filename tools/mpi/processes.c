/* The command over MPI, which is started and ended here, and nowhere else in the command. */
#include "tools/mpi/processes.h"

#include <mpi.h>
#include <string.h>

#include "hosts/hosts.h"
#include "hosts/launcher.h"
#include "hosts/load.h"
#include "mpib/mpi_machine.h"
#include "mpib/stability.h"
#include "mpib/sub_cluster.h"
#include "mpib/warm_up.h"
#include "mpib/yield.h"
#include "tools/frame/batch.h"
#include "tools/measure/last_words.h"

#ifdef CPM_SMPI
static const bool simulated = true;
#else
static const bool simulated = false;
#endif

/* Of several MPIs each has its own launcher. */
void processes_describe(char *text, size_t size)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(library, &length);
    for (char *tab = library; (tab = strchr(tab, '\t'));)
        *tab = ' ';
    snprintf(text, size, "%.*s, started by %s", (int)strcspn(library, ",\n"), library,
             mpib_launcher);
}

int processes_need_mpi(const char *what, cpm_error *e)
{
    (void)what;
    (void)e;
    return CPM_OK;
}

/* A launcher ends all processes when it sees one fail. The wrong options of one are those of all,
 * so all come here, unless they belong to another MPI: then each is alone. */
void processes_let_first_speak(void)
{
    int level;
    fflush(stderr);
    if (mpib_launched() > 1 &&
        MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) == MPI_SUCCESS) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
    }
}

/* Launchers wait for the others, which wait for this process while MPI starts. */
void processes_abort(void)
{
    int level;
    fflush(stderr);
    if (mpib_launched() > 1 &&
        MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) == MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A rank that polls while it waits takes the processor from those it waits for. Simulated ones have
 * processors of their own, whatever the simulator's. */
static int mind_oversubscription(call *c, cpm_error *e)
{
    char host[256] = "";
    int ranks = 0, cores = 0;
    int status = mpib_oversubscription(MPI_COMM_WORLD, &ranks, &cores, host, sizeof host, e);
    if (status)
        return status;
    mpib_yield_when_idle(ranks > cores);
    if (ranks > cores && !simulated)
        snprintf(c->oversubscription, sizeof c->oversubscription,
                 "host %s runs %d ranks on %d cores: times include waiting for a processor", host,
                 ranks, cores);
    return CPM_OK;
}

/* Simulated memory has no pages, and on an oversubscribed host a page more does not matter. */
static int warm_up(const call *c, cpm_error *e)
{
    return simulated || *c->oversubscription ? CPM_OK : mpib_warm_up(MPI_COMM_WORLD, e);
}

/* Between hosts a trip says little of what else there is, and ranks that wait for a processor have
 * other trips all the time. */
static int keep_steady(call *c, cpm_error *e)
{
    MPI_Comm host;
    int rank, size;
    if (simulated || *c->oversubscription || c->machine->n < 2)
        return CPM_OK;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host) !=
        MPI_SUCCESS)
        return cpm_fail(e, CPM_EMPI, "MPI cannot tell which ranks share a host");
    MPI_Comm_size(host, &size);
    MPI_Comm_free(&host);
    if (size < c->machine->n)
        return CPM_OK;
    cpm_machine *inner = c->machine;
    c->machine = NULL;
    int status = mpib_stability_create(inner, MPI_COMM_WORLD, mpib_shortest_trip, &c->steady, e);
    c->machine = c->steady;
    return status;
}

int processes_start(call *c, cpm_error *e)
{
    int rank = 0, size = 1, level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return cpm_fail(e, CPM_EMPI, "MPI does not start");
    c->mpi = true;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char what[64];
    snprintf(what, sizeof what, "cpm %s ...", c->command->name);
    int status = mpib_launcher_check(size, what, e);
    if (status)
        return status;
    c->speaks = rank == 0;
    status = mind_oversubscription(c, e);
    if (status)
        return status;
    status = warm_up(c, e);
    if (status)
        return status;
    cpm_machine *machine = NULL;
    status = mpib_machine_create(MPI_COMM_WORLD, c->set->calls.timing, &machine, e);
    if (!status)
        mpib_machine_set_batch(machine, batch_of(c->set));
    if (!status)
        mpib_machine_set_buffers(machine, c->set->calls.buffers);
    if (!status && c->set->machine.patience > 0)
        status = mpib_machine_watch(machine, c->set->machine.patience, last_words_lost, NULL, e);
    c->machine = machine;
    return status ? status : keep_steady(c, e);
}

void processes_end(call *c)
{
    if (c->mpi)
        MPI_Finalize();
    c->mpi = false;
}

int processes_part(const call *c, int n, cpm_machine **out, cpm_error *e)
{
    return mpib_sub_cluster_create(c->machine, MPI_COMM_WORLD, n, c->set->calls.timing,
                                   batch_of(c->set), out, e);
}

int processes_hosts(cpm_hosts *out, cpm_error *e)
{
    return mpib_hosts(MPI_COMM_WORLD, out, e);
}
