/* A communicator's ranks are found among a model's processes by the names of their hosts. */
#include "tuned/members.h"
#include "base/escape.h"
#include "hosts/inside.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Processes are bound when they start. */
static int own_socket;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_socket(void)
{
    own_socket = mpib_socket_here();
}

static int allocate(bool sockets, tuned_members *w, cpm_error *e)
{
    w->names = malloc((size_t)w->n * MPI_MAX_PROCESSOR_NAME);
    w->sockets = sockets ? malloc((size_t)w->n * sizeof *w->sockets) : NULL;
    if (w->names && (w->sockets || !sockets))
        return CPM_OK;
    tuned_members_clear(w);
    return cpm_no_memory(e);
}

static void gather(MPI_Comm comm, bool sockets, tuned_members *w)
{
    char own[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    PMPI_Get_processor_name(own, &length);
    PMPI_Gather(own, sizeof own, MPI_CHAR, w->names, sizeof own, MPI_CHAR, 0, comm);
    if (!sockets)
        return;
    pthread_once(&once, find_socket);
    PMPI_Gather(&own_socket, 1, MPI_INT, w->sockets, 1, MPI_INT, 0, comm);
}

int tuned_members_find(MPI_Comm comm, bool sockets, tuned_members *out, cpm_error *e)
{
    int rank;
    *out = (tuned_members){0};
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &out->n);
    int status = rank == 0 ? allocate(sockets, out, e) : CPM_OK, possible = status == CPM_OK;
    PMPI_Bcast(&possible, 1, MPI_INT, 0, comm);
    if (possible)
        gather(comm, sockets, out);
    return status;
}

void tuned_members_clear(tuned_members *w)
{
    free(w->names);
    free(w->sockets);
    w->names = NULL;
    w->sockets = NULL;
}

/* A model that was not measured has no names of hosts. */
static bool has_names(const cpm_model *m)
{
    for (int i = 0; i < m->n; i++)
        if (m->hosts[i][0])
            return true;
    return false;
}

/* The first process on that host that is not taken, or -1. */
static int find_process(const cpm_model *m, const char *host, const bool *taken)
{
    for (int i = 0; i < m->n; i++)
        if (!taken[i] && strcmp(m->hosts[i], host) == 0)
            return i;
    return -1;
}

static int match(const cpm_model *m, const char *names, int n, int *process, bool *taken,
                 cpm_error *e)
{
    bool named = has_names(m);
    for (int r = 0; r < n; r++) {
        char host[4 * MPI_MAX_PROCESSOR_NAME]; /* as models have it */
        cpm_escape_word(names + (size_t)r * MPI_MAX_PROCESSOR_NAME, host, sizeof host);
        int i = named ? find_process(m, host, taken) : r < m->n ? r : -1;
        if (i < 0)
            return cpm_fail(e, CPM_EDATA,
                            "it is a model of other hosts: rank %d runs on %s, where it has no "
                            "(further) process",
                            r, host);
        taken[i] = true;
        process[r] = i;
    }
    return CPM_OK;
}

/* Processes of the program; -1: not known (without MPI_COMM_WORLD). */
static int program_size(void)
{
    int initialized = 0, n = -1;
    PMPI_Initialized(&initialized);
    if (initialized)
        PMPI_Comm_size(MPI_COMM_WORLD, &n);
    return n;
}

static bool is_first(void)
{
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

/* mpib/yield.c is in the program, or preloaded. */
static bool idle_processes_yield(void)
{
    return dlsym(RTLD_DEFAULT, "mpib_yield_when_idle") != NULL;
}

void tuned_mind_oversubscription(const char *names, int n)
{
    static atomic_bool minded;
    long here = 0, processors = sysconf(_SC_NPROCESSORS_ONLN);
    for (int r = 0; r < n; r++)
        here += strcmp(names + (size_t)r * MPI_MAX_PROCESSOR_NAME, names) == 0;
    if (here > processors && n == program_size() && is_first() && !idle_processes_yield() &&
        !atomic_exchange(&minded, true))
        fprintf(stderr,
                "cpm: %ld processes on the %ld processors of %s: every message may wait for one "
                "(cpm run --yield helps where MPI polls)\n",
                here, processors, names);
}

/* Whether several hosts of the model have that name, as those of containers may: all but the first
 * were given a number (mpib/describe.c). */
static bool is_of_several(const cpm_model *m, const char *name)
{
    size_t length = strlen(name);
    for (int i = 0; i < m->n; i++)
        if (strncmp(m->hosts[i], name, length) == 0 && m->hosts[i][length] == '#')
            return true;
    return false;
}

static int find_host(const cpm_model *m, const char *name, int rank, const bool *none, int *host,
                     cpm_error *e)
{
    int i = find_process(m, name, none);
    if (i < 0)
        return cpm_fail(e, CPM_EDATA,
                        "it is a model of other hosts: rank %d runs on %s, which it does not know",
                        rank, name);
    if (is_of_several(m, name))
        return cpm_fail(e, CPM_EDATA,
                        "several of its hosts are called %s: on which of them rank %d runs cannot "
                        "be told",
                        name, rank);
    *host = m->on.of[i];
    return CPM_OK;
}

/* Of a model of hosts: whatever processes it was measured with, others on its hosts are like them.
 */
static int place(const cpm_model *m, const tuned_members *w, cpm_model **out, cpm_error *e)
{
    int n = w->n;
    int *host = malloc((size_t)n * sizeof *host), status = CPM_OK;
    bool *none = calloc((size_t)m->n, sizeof *none);
    if (!host || !none)
        status = cpm_no_memory(e);
    for (int r = 0; r < n && !status; r++) {
        char name[4 * MPI_MAX_PROCESSOR_NAME]; /* as models have it */
        cpm_escape_word(w->names + (size_t)r * MPI_MAX_PROCESSOR_NAME, name, sizeof name);
        status = find_host(m, name, r, none, &host[r], e);
    }
    if (!status)
        status = cpm_model_place(m, host, w->sockets, n, out, e);
    free(host);
    free(none);
    return status;
}

int tuned_members_model(const cpm_model *m, const tuned_members *w, cpm_model **out, cpm_error *e)
{
    if (m->inside.count > 0)
        return place(m, w, out, e);
    int all = program_size(), n = w->n;
    if (all >= 0 && all != m->n)
        return cpm_fail(e, CPM_EPROCESS, "it is a model of %d processes, but the program has %d",
                        m->n, all);
    int *process = malloc((size_t)n * sizeof *process);
    bool *taken = calloc((size_t)m->n, sizeof *taken);
    int status = process && taken ? CPM_OK : cpm_no_memory(e);
    if (status == CPM_OK)
        status = match(m, w->names, n, process, taken, e);
    if (status == CPM_OK)
        status = cpm_model_subset(m, process, n, out, e);
    free(process);
    free(taken);
    return status;
}
