/* What is asked of a mesh whose lines are done by the MPI library. */
#include "collectives/on_groups.h"

#include "collectives/algorithms/mesh.h"

static int native_dimensions(const cpm_collective *c)
{
    int count = 0;
    if (!c->algorithm || !(c->algorithm->properties & CPM_TAKES_INNER))
        return 0;
    for (int d = 0; d < 3; d++)
        count += c->with.inner[d] == CPM_INNER_NATIVE;
    return count;
}

bool cpm_is_on_groups(const cpm_collective *c)
{
    return native_dimensions(c) > 0;
}

bool cpm_on_groups_of(const cpm_collective *c, cpm_collective *out)
{
    if (!c->algorithm || !(c->algorithm->properties & CPM_TAKES_INNER))
        return false;
    const cpm_mesh *mesh = c->algorithm->variant;
    *out = *c;
    out->with.segment = 0;
    for (int d = 0; d < mesh->dimensions; d++)
        out->with.inner[d] = CPM_INNER_NATIVE;
    return true;
}

/* Blocks lie in the order of ranks, and each line gets its own as they lie. */
static int check_order(const cpm_collective *c, cpm_error *e)
{
    cpm_mesh_places at;
    const cpm_call call = {.n = c->at.n, .with = c->with, .hosts = c->at.hosts};
    int status = cpm_mesh_places_of(c->algorithm, &call, &at, e);
    if (status)
        return status;
    for (int v = 0; v < c->at.n && at.rank_of && !status; v++)
        if (at.rank_of[v] != v && cpm_mesh_counts_blocks(c->algorithm))
            status = cpm_fail(e, CPM_EINVAL,
                              "%s:%s: the MPI library's own routine needs consecutive ranks in "
                              "each line, which these hosts do not have",
                              c->algorithm->operation, c->algorithm->name);
    cpm_mesh_places_clear(&at);
    return status;
}

/* The other dimensions are as in the mesh without the library's routines. */
static int check_rest(const cpm_collective *c, cpm_error *e)
{
    cpm_collective plain = *c;
    cpm_schedule *s = NULL;
    const cpm_block_sizes sizes = {.bytes = c->with.segment};
    for (int d = 0; d < 3; d++)
        if (plain.with.inner[d] == CPM_INNER_NATIVE)
            plain.with.inner[d] = 0;
    int status = cpm_collective_schedule(&plain, &sizes, &s, e);
    cpm_schedule_free(s);
    return status;
}

int cpm_on_groups_check(const cpm_collective *c, cpm_error *e)
{
    const cpm_mesh *mesh = c->algorithm->variant;
    if (c->operation->like)
        return cpm_fail(
            e, CPM_EINVAL,
            "%s:%s: blocks of %s may differ in size, and lines of the MPI library's own "
            "routines (native) are for blocks of one size",
            c->operation->name, c->algorithm->name, c->operation->name);
    if (c->with.segment && native_dimensions(c) >= mesh->dimensions)
        return cpm_fail(e, CPM_EINVAL,
                        "%s:%s: segment: the MPI library's own routines are in all dimensions, and "
                        "cut their data themselves",
                        c->operation->name, c->algorithm->name);
    int status = check_rest(c, e);
    return status ? status : check_order(c, e);
}
