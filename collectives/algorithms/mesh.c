/* Extents and places of meshes. */
#include "collectives/algorithms/mesh.h"

#include <stdlib.h>
#include <string.h>

/* ---- extents */

/* The largest divisor of n that is at most its root of that degree. */
static int divisor_near_root(int n, int degree)
{
    int best = 1;
    for (int d = 1; degree == 2 ? (long)d * d <= n : (long)d * d * d <= n; d++)
        best = n % d == 0 ? d : best;
    return best;
}

int cpm_mesh_extents(const cpm_call *call, int dimensions, int extent[3], cpm_error *e)
{
    const int *given = call->with.mesh;
    int n = call->n;
    if (given[0] || given[1] || given[2]) {
        long product = 1;
        for (int d = 0; d < 3; d++) {
            extent[d] = d < dimensions ? given[d] : 1;
            product *= extent[d];
        }
        if (product != n || (dimensions == 2 && given[2] > 1))
            return cpm_fail(e, CPM_EINVAL,
                            "a mesh of %dx%d%s%.0d does not make %d processes in %d dimensions",
                            given[0], given[1], given[2] ? "x" : "", given[2], n, dimensions);
        return CPM_OK;
    }
    extent[2] = dimensions == 3 ? divisor_near_root(n, 3) : 1;
    extent[1] = divisor_near_root(n / extent[2], 2);
    extent[0] = n / extent[1] / extent[2];
    return CPM_OK;
}

int cpm_mesh_stride(const int extent[3], int dimension)
{
    int stride = 1;
    for (int d = 0; d < dimension; d++)
        stride *= extent[d];
    return stride;
}

/* ---- meshes of hosts */

static int check_hosts(const cpm_hosts *hosts, const int *rank_of, const int *first, cpm_error *e)
{
    for (int h = 1; h < hosts->count; h++)
        if (first[h + 1] - first[h] != first[1])
            return cpm_fail(e, CPM_EINVAL,
                            "a mesh of hosts needs as many processes on every host: that of "
                            "process 0 has %d, that of process %d has %d",
                            first[1], rank_of[first[h]], first[h + 1] - first[h]);
    return CPM_OK;
}

/* Numbers processes host by host, or, across hosts, the first ones of all hosts first. */
static int number(const cpm_hosts *hosts, bool across, int *sorted, int *first,
                  cpm_mesh_places *out, cpm_error *e)
{
    cpm_hosts_sort(hosts, sorted, first);
    int code = check_hosts(hosts, sorted, first, e);
    if (code)
        return code;
    const int each = first[1], count = hosts->count;
    for (int v = 0; v < hosts->n; v++) {
        int place = across ? v % each * count + v / each : v;
        out->rank_of[place] = sorted[v];
        out->number_of[sorted[v]] = place;
    }
    out->extent[0] = across ? count : each;
    out->extent[1] = across ? each : count;
    out->extent[2] = 1;
    return CPM_OK;
}

static int places_of_hosts(const cpm_call *call, int dimensions, cpm_mesh_places *out, cpm_error *e)
{
    const bool across = call->with.mesh[0] == CPM_MESH_ACROSS_HOSTS;
    if (!call->hosts)
        return cpm_fail(e, CPM_EINVAL, "mesh=hosts: needs a layout (which processes share a host)");
    if (dimensions != 2)
        return cpm_fail(e, CPM_EINVAL, "mesh=hosts: has two dimensions, not %d", dimensions);
    size_t n = (size_t)call->n;
    int *first = malloc(((size_t)call->hosts->count + 1) * sizeof *first);
    int *sorted = malloc(n * sizeof *sorted);
    out->rank_of = malloc(n * sizeof *out->rank_of);
    out->number_of = malloc(n * sizeof *out->number_of);
    int code = first && sorted && out->rank_of && out->number_of
                   ? number(call->hosts, across, sorted, first, out, e)
                   : cpm_no_memory(e);
    free(first);
    free(sorted);
    return code;
}

int cpm_mesh_places_of(const cpm_algorithm *a, const cpm_call *call, cpm_mesh_places *out,
                       cpm_error *e)
{
    const cpm_mesh *mesh = a->variant;
    cpm_mesh_places places = {.number_of = NULL};
    int code = call->with.mesh[0] < 0 ? places_of_hosts(call, mesh->dimensions, &places, e)
                                      : cpm_mesh_extents(call, mesh->dimensions, places.extent, e);
    if (code)
        cpm_mesh_places_clear(&places);
    else
        *out = places;
    return code;
}

void cpm_mesh_places_clear(cpm_mesh_places *p)
{
    free(p->number_of);
    free(p->rank_of);
    *p = (cpm_mesh_places){.number_of = NULL};
}

/* ---- phases */

static bool is_one_of(const char *operation, const char *const names[])
{
    for (; *names; names++)
        if (strcmp(operation, *names) == 0)
            return true;
    return false;
}

int cpm_mesh_phase(const cpm_algorithm *a, int k)
{
    static const char *const outward[] = {"bcast", "scatter", "reduce_scatter", NULL};
    const cpm_mesh *mesh = a->variant;
    return is_one_of(a->operation, outward) ? mesh->dimensions - 1 - k : k;
}

bool cpm_mesh_counts_blocks(const cpm_algorithm *a)
{
    static const char *const names[] = {"scatter", "gather", "allgather", "reduce_scatter", NULL};
    return is_one_of(a->operation, names);
}

int cpm_mesh_inner(const cpm_algorithm *a, const cpm_parameters *with, int dimension,
                   const cpm_algorithm **out, cpm_error *e)
{
    const cpm_mesh *mesh = a->variant;
    const int given = with->inner[dimension];
    *out = NULL;
    if (given == CPM_INNER_NATIVE)
        return CPM_OK;
    if (!given)
        return cpm_algorithm_find(a->operation, mesh->inner, out, e);
    *out = &cpm_algorithms[given - 1];
    return strcmp((*out)->operation, a->operation) == 0
               ? CPM_OK
               : cpm_fail(e, CPM_EINVAL, "%s:%s is no algorithm of %s", (*out)->operation,
                          (*out)->name, a->operation);
}
