/* A session: MPI is started and ended here, and nowhere else in the command. */
#include "tools/measure/session.h"

#include <mpi.h>
#include <stdlib.h>

#include "hosts/launcher.h"
#include "hosts/load.h"
#include "measurements/noise.h"
#include "models/synthetic.h"
#include "mpib/steady.h"
#include "mpib/warm_up.h"
#include "mpib/yield.h"
#include "tools/frame/batch.h"
#include "tools/frame/placement.h"
#include "tools/measure/last_words.h"

#ifdef CPM_SMPI
static const bool simulated = true;
#else
static const bool simulated = false;
#endif

bool session_is_first(void)
{
    return mpib_launched_first();
}

/* A launcher ends all processes when it sees one fail. The wrong options of one are those of all,
 * so all come here, unless they belong to another MPI: then each is alone. */
void session_let_first_speak(void)
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
void session_abort(void)
{
    int level;
    fflush(stderr);
    if (mpib_launched() > 1 &&
        MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) == MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A rank that polls while it waits takes the processor from those it waits for. */
static int mind_oversubscription(call *c, cpm_error *e)
{
    char host[256] = "";
    int ranks = 0, cores = 0;
    int status = mpib_oversubscription(MPI_COMM_WORLD, &ranks, &cores, host, sizeof host, e);
    if (status)
        return status;
    mpib_yield_when_idle(ranks > cores);
    if (ranks > cores)
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
    int status = mpib_steady_create(inner, MPI_COMM_WORLD, mpib_shortest_trip, &c->steady, e);
    c->machine = c->steady;
    return status;
}

static int start_mpi(call *c, cpm_error *e)
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
    status = mpib_machine_create(MPI_COMM_WORLD, c->set.timing, &machine, e);
    if (!status)
        mpib_machine_set_batch(machine, batch_of(&c->set));
    if (!status && c->set.patience > 0)
        status = mpib_machine_watch(machine, c->set.patience, last_words_lost, NULL, e);
    c->machine = machine;
    if (!status)
        status = keep_steady(c, e);
    if (status || !(c->set.noise > 0))
        return status;
    machine = c->machine; /* taken, also where it fails */
    c->machine = NULL;
    status = cpm_noisy_create(machine, c->set.noise, c->set.seed, &c->machine, e);
    if (status)
        c->steady = NULL;
    return status;
}

static int start_synthetic(call *c, cpm_error *e)
{
    int status = cpm_model_read(c->set.machine, &c->played, e);
    if (!status)
        status = placement_lay_out(&c->set, &c->played, e);
    if (status)
        return status;
    status = cpm_synthetic_create(c->played, c->set.noise, c->set.seed, &c->machine, e);
    if (!status)
        cpm_synthetic_set_batch(c->machine, batch_of(&c->set));
    return status;
}

int session_start(call *c, cpm_error *e)
{
    last_words_begin(c);
    int status = c->set.machine ? start_synthetic(c, e) : start_mpi(c, e);
    if (!status)
        last_words_listen(c);
    return status;
}

void session_end(call *c)
{
    if (c->machine)
        c->machine->free(c->machine);
    cpm_model_free(c->played);
    c->machine = NULL;
    c->played = NULL;
    if (c->mpi)
        MPI_Finalize();
    c->mpi = false;
}

int session_agree(call *c, int status, cpm_error *e)
{
    return c->machine->agree(c->machine, status, e);
}

int session_needs(const call *c, int least, cpm_error *e)
{
    if (c->machine->n >= least)
        return CPM_OK;
    if (c->set.machine)
        return cpm_fail(e, CPM_EPROCESS, "%s: needs at least %d processes, got a model of %d",
                        c->set.machine, least, c->machine->n);
    if (c->machine->n == 2) /* least is that of a model */
        return cpm_fail(e, CPM_EPROCESS,
                        "needs at least %d processes, got %d. Two on one host take -M lmo2, two "
                        "hosts -M hockney; or start it as %s -n %d cpm %s ...",
                        least, c->machine->n, mpib_launcher, least > 4 ? least : 4,
                        c->command->name);
    return cpm_fail(e, CPM_EPROCESS,
                    "needs at least %d processes, got %d: start it as %s -n %d cpm %s ..., or "
                    "try --machine FILE.mod",
                    least, c->machine->n, mpib_launcher, least > 4 ? least : 4, c->command->name);
}
