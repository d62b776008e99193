#include "tuned/comm/topology.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "collectives/topology_place.h"
#include "models/model_topology.h"
#include "tuned/environment.h"
#include "tuned/members.h"

int tuned_topology_from(const tuned_state *t)
{
    const cpm_selector *s = tuned_hints_selector(t);
    if (tuned_environment_get()->topology)
        return TUNED_TOPOLOGY_OF_FILE;
    if (t->model && cpm_model_has_topology(t->model))
        return TUNED_TOPOLOGY_OF_MODEL;
    return s && s->on_topology ? TUNED_TOPOLOGY_MISSING : TUNED_TOPOLOGY_UNKNOWN;
}

/* ---- rank 0 ---- */

enum { NAME = 4 * MPI_MAX_PROCESSOR_NAME }; /* as topologies have it */

/* Pointers to the names of the ranks' hosts, and what MPI calls them. */
static const char **allocate_names(int n)
{
    return malloc((size_t)n * (sizeof(char *) + NAME));
}

static void name_hosts(const tuned_state *t, const tuned_members *who, const char **name)
{
    char *room = (char *)(name + t->n);
    for (int r = 0; r < t->n; r++, room += NAME) {
        cpm_escape_word(who->names + (size_t)r * MPI_MAX_PROCESSOR_NAME, room, NAME);
        name[r] = t->hosts.name ? t->hosts.name[t->hosts.of[r]] : room;
    }
}

static int place(const tuned_state *t, const tuned_members *who, cpm_topology **out, cpm_error *e)
{
    const char *file = tuned_environment_get()->topology, **name = allocate_names(t->n);
    const cpm_topology *network;
    int status = name ? tuned_environment_topology(&network, e) : cpm_no_memory(e);
    if (!status) {
        name_hosts(t, who, name);
        status = cpm_topology_of_processes(network, file, name, t->n, out, e);
    }
    free(name);
    return status;
}

/* ---- all ranks ---- */

/* At rank 0; other ranks only say where they are. */
static int make(const tuned_state *t, int from, cpm_topology **out, cpm_error *e)
{
    tuned_members who = {0};
    int status = CPM_OK;
    if (from == TUNED_TOPOLOGY_OF_FILE)
        status = tuned_members_find(t->inside, false, &who, e);
    if (!status && t->rank == 0)
        status = from == TUNED_TOPOLOGY_OF_FILE ? place(t, &who, out, e)
                                                : cpm_model_topology(t->model, out, e);
    tuned_members_clear(&who);
    return status;
}

/* Of rank 0's tree on every rank, or on none. */
static bool grow(tuned_state *t, int *up, int nodes)
{
    PMPI_Bcast(up, nodes, MPI_INT, 0, t->inside);
    int status = cpm_topology_of_tree(t->n, nodes, up, &t->topology, NULL);
    if (tuned_all(t->inside, status == CPM_OK))
        return true;
    cpm_topology_free(t->topology);
    t->topology = NULL;
    return false;
}

/* Rank 0's as every rank's own, with the same order of neighbours. */
static int share(tuned_state *t, const cpm_topology *own, int status, cpm_error *e)
{
    int told[2] = {status, own ? own->nodes : 0};
    PMPI_Bcast(told, 2, MPI_INT, 0, t->inside);
    if (told[0])
        return told[0];
    int *up = malloc((size_t)told[1] * sizeof *up);
    bool good = up && (!own || cpm_topology_orient(own, own->hosts, up, NULL, NULL) == CPM_OK);
    good = tuned_all(t->inside, good) && grow(t, up, told[1]);
    free(up);
    return good ? CPM_OK : cpm_no_memory(e);
}

static int say_missing(const tuned_state *t)
{
    char name[CPM_COLLECTIVE_NAME], text[2 * CPM_COLLECTIVE_NAME];
    if (t->rank != 0) {
        tuned_warning_heard();
        return CPM_OK;
    }
    const cpm_collective *first = tuned_hints_selector(t)->on_topology;
    cpm_collective_print(first, name, sizeof name);
    snprintf(text, sizeof text,
             "%s needs to know the switches: name them with --topology FILE (CPM_TOPOLOGY)", name);
    tuned_warn_of(text, first->operation->name);
    return CPM_OK;
}

int tuned_topology_find(tuned_state *t, int from, cpm_error *e)
{
    cpm_topology *own = NULL;
    if (t->topology || from == TUNED_TOPOLOGY_UNKNOWN)
        return CPM_OK;
    if (from == TUNED_TOPOLOGY_MISSING)
        return say_missing(t);
    int status = make(t, from, &own, e);
    status = share(t, own, status, e);
    cpm_topology_free(own);
    return status;
}
