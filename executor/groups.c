/* A list: programs use few meshes. */
#include "executor/groups.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "executor/agree.h"

/* Programs need some of MPI's communicators, too. Where processes are simulated they share the
 * number. */
#ifdef CPM_SMPI
enum { MOST_LINES = INT_MAX };
#else
enum { MOST_LINES = 256 };
#endif
static atomic_int lines_now;

static void free_comm(MPI_Comm *comm)
{
    if (*comm == MPI_COMM_NULL)
        return;
    PMPI_Comm_free(comm);
    atomic_fetch_sub(&lines_now, 1);
}

static void free_lines(mpib_lines *l)
{
    for (int d = 0; d < 3; d++)
        free_comm(&l->comm[d]);
    free(l);
}

static mpib_lines *find(const mpib_groups *g, const int key[3])
{
    for (mpib_lines *l = g->first; l; l = l->next)
        if (memcmp(l->key, key, sizeof l->key) == 0)
            return l;
    return NULL;
}

/* Ranks of a line have all coordinates but one in common. */
static int split(MPI_Comm comm, int number, const int extent[3], int d, MPI_Comm *out)
{
    const int stride = cpm_mesh_stride(extent, d), place = number / stride % extent[d];
    if (extent[d] == 1)
        return MPI_SUCCESS;
    int failed = PMPI_Comm_split(comm, number - place * stride, place, out);
    if (failed)
        *out = MPI_COMM_NULL;
    else
        atomic_fetch_add(&lines_now, 1);
    return failed;
}

static int make(MPI_Comm comm, int number, const int key[3], const int extent[3], mpib_lines **out,
                cpm_error *e)
{
    mpib_lines *l = malloc(sizeof *l);
    int failed = MPI_SUCCESS, status = l ? CPM_OK : cpm_no_memory(e);
    status = mpib_agree(comm, status, e);
    if (status) {
        free(l);
        return status;
    }
    *l = (mpib_lines){.comm = {MPI_COMM_NULL, MPI_COMM_NULL, MPI_COMM_NULL}};
    memcpy(l->key, key, sizeof l->key);
    const bool room = atomic_load(&lines_now) < MOST_LINES;
    l->missing = mpib_agree(comm, room ? CPM_OK : CPM_EMPI, NULL) != CPM_OK;
    for (int d = 0; d < 3 && !failed && !l->missing; d++)
        failed = split(comm, number, extent, d, &l->comm[d]);
    l->missing = l->missing || mpib_agree(comm, failed ? CPM_EMPI : CPM_OK, NULL) != CPM_OK;
    *out = l;
    return CPM_OK;
}

int mpib_groups_get(mpib_groups *g, MPI_Comm comm, const cpm_parameters *with,
                    const cpm_mesh_places *places, const mpib_lines **out, cpm_error *e)
{
    const int of_hosts[3] = {with->mesh[0]};
    const int *key = with->mesh[0] < 0 ? of_hosts : places->extent;
    mpib_lines *l = find(g, key);
    int rank, status = CPM_OK;
    PMPI_Comm_rank(comm, &rank);
    if (!l) {
        const int number = places->number_of ? places->number_of[rank] : rank;
        status = make(comm, number, key, places->extent, &l, e);
        if (!status) {
            l->next = g->first;
            g->first = l;
        }
    }
    *out = l;
    return status;
}

void mpib_groups_clear(mpib_groups *g)
{
    for (mpib_lines *l = g->first, *next; l; l = next) {
        next = l->next;
        free_lines(l);
    }
    g->first = NULL;
}
