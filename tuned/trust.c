/* State of the process by nature: MPI_Init fills it, and communicators come and go. */
#include "tuned/trust.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "tuned/environment.h"
#include "tuned/library_version.h"
#include "tuned/members.h"

static char *trusted; /* [most + 1] whether the table is, by the first so many processes */
static int most;

/* ---- process 0 ---- */

/* Behind a comma it may say more. */
static bool is_fact(const cpm_table *t, const char *key, const char *value)
{
    const char *fact = cpm_metadata_get(&t->metadata, key);
    return fact && strncmp(fact, value, strlen(value)) == 0 && strchr(",", fact[strlen(value)]);
}

/* How many processes, the first ones, are on the hosts where it was measured: all hosts that are
 * named there, or none. */
static int on_its_hosts(const char *hosts, const char *names, int n)
{
    int r = 0;
    for (; *hosts; hosts += strcspn(hosts, " "), hosts += strspn(hosts, " ")) {
        char name[4 * MPI_MAX_PROCESSOR_NAME]; /* as measurements have it */
        if (r == n)
            return n;
        cpm_escape_word(names + (size_t)r * MPI_MAX_PROCESSOR_NAME, name, sizeof name);
        if (strcspn(hosts, " ") != strlen(name) || strncmp(hosts, name, strlen(name)) != 0)
            return r;
        r++;
    }
    return r;
}

void tuned_trust_look(const cpm_table *t, const char *library, const char *names, int n,
                      char *measured, char *why, size_t size)
{
    const char *hosts = cpm_metadata_get(&t->metadata, "hosts");
    *why = '\0';
    if (!is_fact(t, "method", "measured") || !is_fact(t, "machine", "mpi") || !hosts)
        return;
    if (!is_fact(t, "mpi", library)) {
        snprintf(why, size, "it was measured with another MPI library");
        return;
    }
    int here = on_its_hosts(hosts, names, n);
    for (int k = 0; k < t->count; k++)
        if (t->at[k].n <= here)
            measured[t->at[k].n] = 1;
    if (here < n) {
        char name[4 * MPI_MAX_PROCESSOR_NAME];
        cpm_escape_word(names + (size_t)here * MPI_MAX_PROCESSOR_NAME, name, sizeof name);
        snprintf(why, size, "it was not measured with process %d on %s", here, name);
    } else if (!measured[n]) {
        snprintf(why, size, "it was not measured with %d processes", n);
    }
}

/* What it says of a table that cannot be read others say. */
static void look(const tuned_members *world, char *measured)
{
    const cpm_table *t;
    char why[4 * MPI_MAX_PROCESSOR_NAME + 80];
    if (tuned_environment_table(&t, NULL) != CPM_OK)
        return;
    tuned_trust_look(t, tuned_library_version(), world->names, world->n, measured, why, sizeof why);
    if (*why)
        fprintf(stderr, "cpm: note: %s: %s, so the program's calls try its choices\n",
                tuned_environment_get()->table, why);
}

/* ---- all ---- */

void tuned_trust_begin(void)
{
    tuned_members world = {0};
    if (!tuned_environment_get()->asks_table)
        return;
    tuned_members_find(MPI_COMM_WORLD, false, &world, NULL);
    char *told = calloc((size_t)world.n + 1, 1);
    int good = told != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (good && world.names)
        look(&world, told);
    if (good)
        PMPI_Bcast(told, world.n + 1, MPI_CHAR, 0, MPI_COMM_WORLD);
    tuned_members_clear(&world);
    if (!good) {
        free(told);
        return;
    }
    most = world.n;
    trusted = told;
}

/* Whether its ranks are the first n processes of the program, in their order. */
static bool is_first(MPI_Comm comm, int n)
{
    int range[1][3] = {{0, n - 1, 1}}, order = MPI_UNEQUAL;
    MPI_Group all, first, own;
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Comm_group(comm, &own);
    PMPI_Group_range_incl(all, 1, range, &first);
    PMPI_Group_compare(own, first, &order);
    PMPI_Group_free(&first);
    PMPI_Group_free(&own);
    PMPI_Group_free(&all);
    return order == MPI_IDENT;
}

bool tuned_adapts(MPI_Comm comm)
{
    int n;
    if (!tuned_environment_adapts())
        return false;
    PMPI_Comm_size(comm, &n);
    return !(n <= most && trusted[n] && is_first(comm, n));
}
