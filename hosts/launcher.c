/* The environment that launchers make. CPM_LAUNCHER and CPM_OPEN_MPI say which MPI CPM was built
 * with; mpi.h is not needed. */
#include "hosts/launcher.h"

#include <stdlib.h>
#include <unistd.h>

const char mpib_launcher[] = CPM_LAUNCHER;

typedef struct {
    const char *whose, *size, *rank,
        *here; /* here: how many of them on this host; NULL: it does not say */
} launcher;

enum { BY_MPICH, BY_OPEN_MPI, BY_SLURM, LAUNCHERS };

/* Slurm tells the size of a step, which begins with srun; a job has one without it. */
static const launcher launchers[LAUNCHERS] = {
    [BY_MPICH] = {"MPICH (or another one that speaks PMI)", "PMI_SIZE", "PMI_RANK",
                  "MPI_LOCALNRANKS"},
    [BY_OPEN_MPI] = {"Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
                     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    [BY_SLURM] = {"Slurm", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", NULL},
};

#if CPM_OPEN_MPI
static const char built_with[] = "Open MPI";
enum { OWN = BY_OPEN_MPI };
#else
static const char built_with[] = "MPICH";
enum { OWN = BY_MPICH };
#endif

/* That of this MPI first: what an outer launcher said is still there. */
static const launcher *who_started(void)
{
    if (getenv(launchers[OWN].size))
        return &launchers[OWN];
    for (int k = 0; k < LAUNCHERS; k++)
        if (getenv(launchers[k].size))
            return &launchers[k];
    return NULL;
}

int mpib_launched(void)
{
    const launcher *by = who_started();
    return by ? (int)strtol(getenv(by->size), NULL, 10) : 1;
}

bool mpib_launched_on_one_host(void)
{
    const launcher *by = who_started();
    const char *here = by && by->here ? getenv(by->here) : NULL;
    return !by || (here && strtol(here, NULL, 10) == mpib_launched());
}

/* Some launchers tell a rank alone, those of PMIx under a name of its own. That goes before
 * Slurm's, which in a job without srun is the same for all. */
bool mpib_launched_first(void)
{
    const launcher *by = who_started();
    const char *rank = by ? getenv(by->rank) : NULL;
    if (!rank)
        rank = getenv("PMIX_RANK");
    for (int k = 0; k < LAUNCHERS && !rank; k++)
        rank = getenv(launchers[k].rank);
    return !rank || strtol(rank, NULL, 10) == 0;
}

bool mpib_launched_by_another(void)
{
    const launcher *by = who_started();
    return mpib_launched() > 1 && by != &launchers[OWN] && by != &launchers[BY_SLURM];
}

int mpib_launcher_check(int size, const char *what, cpm_error *e)
{
    const launcher *by = who_started();
    int started = mpib_launched();
    if (size > 1 || started <= 1)
        return CPM_OK;
    /* Launchers end the job when one process fails, and these cannot wait for each other: the
     * first, which says why, goes first. */
    if (!mpib_launched_first())
        sleep(2);
    if (by == &launchers[BY_SLURM])
        return cpm_fail(e, CPM_EMPI,
                        "srun started %d processes, but %s does not find them: start it as srun "
                        "--mpi=pmi2 or --mpi=pmix ... (srun --mpi=list), or as %s -n %d %s",
                        started, built_with, mpib_launcher, started, what);
    if (by == &launchers[OWN])
        return cpm_fail(e, CPM_EMPI,
                        "the launcher started %d processes, but they do not find each other. It "
                        "belongs to another MPI, or to another version of %s: start it as %s -n "
                        "%d %s",
                        started, built_with, mpib_launcher, started, what);
    return cpm_fail(e, CPM_EMPI,
                    "the launcher started %d processes, but they do not find each other. It "
                    "belongs to %s, and cpm was built with %s: start it as %s -n %d %s",
                    started, by->whose, built_with, mpib_launcher, started, what);
}
