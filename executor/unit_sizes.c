/* Scatterv and gatherv: the root tells all. Alltoallv: every rank tells what it sends. Where a rank
 * needs no sizes but those of the blocks that it gives or gets, as it always does among neighbours,
 * nobody tells anything. The others
 * have all sizes, or one size, at every rank.
 *
 * Checked, every rank compares what it was told with what it expects. */
#include "executor/unit_sizes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor/agree.h"
#include "executor/emergency.h"
#include "executor/layout.h"

const mpib_side *mpib_significant_side(const mpib_arguments *a, int rank)
{
    return mpib_side_of(a, cpm_operation_significant(a->operation, rank == a->root));
}

size_t mpib_block_bytes(const mpib_side *s, int block)
{
    return mpib_count_of_block(s, block) * mpib_type_size(mpib_type_of_block(s, block));
}

void mpib_side_bytes(const mpib_side *s, int n, size_t *bytes)
{
    const size_t element = s->types ? 0 : mpib_type_size(s->type);
    for (int i = 0; i < n; i++)
        bytes[i] = s->types ? mpib_block_bytes(s, i) : mpib_count_of_block(s, i) * element;
}

typedef struct {
    const mpib_arguments *a;
    const cpm_neighbours *g;
    int n, rank;
    mpib_unit_sizes *out;
    cpm_error *e;
} finding;

/* ---- sizes that differ ---- */

static int allocate(finding *f, size_t units)
{
    f->out->each = mpib_emergency_calloc(units + 1, sizeof *f->out->each);
    if (!f->out->each)
        return cpm_no_memory(f->e);
    f->out->sizes.each = f->out->each;
    return CPM_OK;
}

static int tell_all(finding *f)
{
    int status = mpib_agree(f->a->comm, allocate(f, (size_t)f->n), f->e);
    if (status != CPM_OK)
        return status;
    if (f->rank == f->a->root)
        mpib_side_bytes(mpib_significant_side(f->a, f->rank), f->n, f->out->each);
    PMPI_Bcast(f->out->each, f->n * (int)sizeof(size_t), MPI_BYTE, f->a->root, f->a->comm);
    return CPM_OK;
}

static int tell_each_other(finding *f)
{
    size_t n = (size_t)f->n;
    int row = f->n * (int)sizeof(size_t);
    int status = mpib_agree(f->a->comm, allocate(f, n * n), f->e);
    if (status != CPM_OK)
        return status;
    mpib_side_bytes(f->a->in_place ? &f->a->recv : &f->a->send, f->n,
                    f->out->each + (size_t)f->rank * n);
    PMPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, f->out->each, row, MPI_BYTE, f->a->comm);
    return CPM_OK;
}

static int know(finding *f)
{
    const mpib_side *side = mpib_significant_side(f->a, f->rank);
    int status = CPM_OK;
    if (!side->counts)
        f->out->sizes.bytes = f->a->operation->dataless ? 0 : mpib_block_bytes(side, 0);
    else if ((status = allocate(f, (size_t)f->n)) == CPM_OK)
        mpib_side_bytes(side, f->n, f->out->each);
    return status;
}

static int know_own_of_each(finding *f)
{
    const mpib_side *side = mpib_significant_side(f->a, f->rank);
    const bool root = f->rank == f->a->root;
    const int status = allocate(f, (size_t)f->n);
    if (status == CPM_OK)
        mpib_side_bytes(side, root ? f->n : 1, f->out->each + (root ? 0 : f->rank));
    return status;
}

/* A row and a column of all pairs. */
static int know_own_of_pairs(finding *f)
{
    const size_t n = (size_t)f->n, rank = (size_t)f->rank;
    const int status = allocate(f, n * n);
    if (status != CPM_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        f->out->each[i * n + rank] = mpib_block_bytes(&f->a->recv, (int)i);
    mpib_side_bytes(f->a->in_place ? &f->a->recv : &f->a->send, f->n, f->out->each + rank * n);
    return CPM_OK;
}

/* What comes, then what goes: a process may be its own neighbour. */
static int know_own_of_neighbours(finding *f)
{
    const cpm_neighbours *g = f->g;
    const mpib_arguments *a = f->a;
    const int out = g->first_out[f->rank], in = g->first_in[f->rank];
    const bool edges = a->operation->send.elsewhere == CPM_BLOCK_OF_NEIGHBOUR;
    const int status = allocate(f, (size_t)a->operation->units(f->n, g));
    if (status != CPM_OK)
        return status;
    for (int k = in; k < g->first_in[f->rank + 1]; k++)
        f->out->each[edges ? g->in[k] : g->from[g->in[k]]] = mpib_block_bytes(&a->recv, k - in);
    mpib_side_bytes(&a->send, edges ? g->first_out[f->rank + 1] - out : 1,
                    f->out->each + (edges ? out : f->rank));
    return CPM_OK;
}

static int find(finding *f, bool own)
{
    if (cpm_operation_ends_know_sizes(f->a->operation))
        return know_own_of_neighbours(f);
    switch (f->a->operation->sizes) {
    case CPM_KNOWN_TO_ROOT:
        return own ? know_own_of_each(f) : tell_all(f);
    case CPM_KNOWN_TO_NOBODY:
        return own ? know_own_of_pairs(f) : tell_each_other(f);
    case CPM_KNOWN_TO_ALL:
        break;
    }
    return know(f);
}

/* ---- the checked mode ---- */

static int differ(const finding *f, size_t own, size_t other, int rank, const char *what)
{
    if (own == other)
        return CPM_OK;
    return cpm_fail(f->e, CPM_EINVAL,
                    "%s: rank %d says that %s has %zu bytes, rank %d says %zu (CPM_CHECK)",
                    f->a->operation->name, f->rank, what, own, rank, other);
}

/* What rank 0 or the root says of a size that all know. */
static int check_told(const finding *f, size_t own, int by, const char *what)
{
    uint64_t told = own;
    PMPI_Bcast(&told, 1, MPI_UINT64_T, by, f->a->comm);
    return differ(f, own, told, by, what);
}

static int check_known(const finding *f)
{
    int status = CPM_OK;
    char what[40];
    if (!f->out->each)
        return check_told(f, f->out->sizes.bytes, f->a->operation->rooted ? f->a->root : 0,
                          "a block");
    for (int b = 0; b < f->n; b++) {
        snprintf(what, sizeof what, "the block of rank %d", b);
        int differs = check_told(f, f->out->each[b], 0, what);
        status = status == CPM_OK ? differs : status;
    }
    return status;
}

/* The sizes that this rank expects against those that it was told. */
static int check_own(const finding *f)
{
    const mpib_arguments *a = f->a;
    const mpib_side *own = mpib_side_of(a, a->operation->in_place);
    if (a->in_place && f->rank == a->root)
        return CPM_OK;
    return differ(f, mpib_block_bytes(own, 0), f->out->each[f->rank], a->root, "its block");
}

static int check_pairs(const finding *f)
{
    int status = CPM_OK;
    char what[60];
    for (int i = 0; i < f->n && status == CPM_OK; i++) {
        snprintf(what, sizeof what, "the block from rank %d to rank %d", i, f->rank);
        status = differ(f, mpib_block_bytes(&f->a->recv, i),
                        f->out->each[(size_t)i * (size_t)f->n + (size_t)f->rank], i, what);
    }
    return status;
}

static int check(const finding *f)
{
    static int (*const checks[])(const finding *) = {[CPM_KNOWN_TO_ALL] = check_known,
                                                     [CPM_KNOWN_TO_ROOT] = check_own,
                                                     [CPM_KNOWN_TO_NOBODY] = check_pairs};
    if (f->a->operation->dataless)
        return CPM_OK;
    return mpib_agree(f->a->comm, checks[f->a->operation->sizes](f), f->e);
}

static int find_and_check(const mpib_arguments *a, const cpm_neighbours *g, bool own, bool checked,
                          mpib_unit_sizes *out, cpm_error *e)
{
    finding f = {.a = a, .g = g, .out = out, .e = e};
    PMPI_Comm_size(a->comm, &f.n);
    PMPI_Comm_rank(a->comm, &f.rank);
    int status = find(&f, own && !checked);
    if (checked) {
        status = mpib_agree(a->comm, status, e);
        if (status == CPM_OK)
            status = check(&f);
    }
    if (status != CPM_OK)
        mpib_unit_sizes_clear(out);
    return status;
}

int mpib_unit_sizes_find(const cpm_collective *what, const mpib_arguments *arguments,
                         mpib_unit_sizes *out, cpm_error *e)
{
    const bool own = what->algorithm && what->algorithm->properties & CPM_OWN_SIZE;
    const char *says = getenv("CPM_CHECK");
    const bool checked =
        says && strcmp(says, "1") == 0 && !cpm_operation_ends_know_sizes(arguments->operation);
    return find_and_check(arguments, what->at.neighbours, own, checked, out, e);
}

int mpib_unit_sizes_check(const mpib_arguments *arguments, cpm_error *e)
{
    mpib_unit_sizes sizes = {0};
    if (cpm_operation_ends_know_sizes(arguments->operation))
        return CPM_OK;
    int status = find_and_check(arguments, NULL, false, true, &sizes, e);
    mpib_unit_sizes_clear(&sizes);
    return status;
}

void mpib_unit_sizes_clear(mpib_unit_sizes *s)
{
    free(s->each);
    *s = (mpib_unit_sizes){0};
}
