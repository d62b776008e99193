/* Scatterv and gatherv: the root tells all. Alltoallv: every rank tells what it sends. The others
 * have all sizes, or one size, at every rank.
 *
 * Checked, every rank compares what it was told with what it expects. */
#include "mpib/unit_sizes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpib/agree.h"
#include "mpib/layout.h"

typedef struct {
    const mpib_arguments *a;
    int n, rank;
    mpib_unit_sizes *out;
    cpm_error *e;
} finding;

static bool is(const finding *f, const char *operation)
{
    return strcmp(f->a->operation->name, operation) == 0;
}

static size_t block_bytes(const mpib_side *s, int block)
{
    return (s->counts ? s->counts[block] : s->count) * mpib_type_size(s->type);
}

/* ---- equal sizes ---- */

/* The side that says the size of a unit at this rank. */
static const mpib_side *speaking_side(const finding *f)
{
    const mpib_arguments *a = f->a;
    bool at_root = f->rank == a->root;
    if (is(f, "scatter"))
        return at_root ? &a->send : &a->recv;
    if (is(f, "gather"))
        return at_root ? &a->recv : &a->send;
    return &a->recv;
}

/* ---- sizes that differ ---- */

static int allocate(finding *f, size_t units)
{
    f->out->each = malloc((units + 1) * sizeof *f->out->each);
    if (!f->out->each)
        return cpm_fail(f->e, CPM_ENOMEM, "no memory for the sizes of %zu blocks", units);
    f->out->sizes.each = f->out->each;
    return CPM_OK;
}

static void fill_from(finding *f, const mpib_side *s, size_t *each)
{
    for (int b = 0; b < f->n; b++)
        each[b] = block_bytes(s, b);
}

static int tell_all(finding *f, const mpib_side *root_side)
{
    int status = mpib_agree(f->a->comm, allocate(f, (size_t)f->n), f->e);
    if (status != CPM_OK)
        return status;
    if (f->rank == f->a->root)
        fill_from(f, root_side, f->out->each);
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
    size_t *own = f->out->each + (size_t)f->rank * n;
    fill_from(f, f->a->in_place ? &f->a->recv : &f->a->send, own);
    PMPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, f->out->each, row, MPI_BYTE, f->a->comm);
    return CPM_OK;
}

static int know(finding *f)
{
    int status = allocate(f, (size_t)f->n);
    if (status == CPM_OK)
        fill_from(f, &f->a->recv, f->out->each);
    return status;
}

static int find(finding *f)
{
    if (is(f, "barrier"))
        return CPM_OK;
    if (is(f, "scatterv"))
        return tell_all(f, &f->a->send);
    if (is(f, "gatherv"))
        return tell_all(f, &f->a->recv);
    if (is(f, "alltoallv"))
        return tell_each_other(f);
    if (f->a->recv.counts && (is(f, "allgatherv") || is(f, "reduce_scatter")))
        return know(f);
    f->out->sizes.bytes = block_bytes(speaking_side(f), 0);
    return CPM_OK;
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
    const size_t *each = f->out->each;
    char what[60] = "its block";
    if (is(f, "scatterv"))
        return a->in_place && f->rank == a->root
                   ? CPM_OK
                   : differ(f, block_bytes(&a->recv, 0), each[f->rank], a->root, what);
    if (is(f, "gatherv"))
        return a->in_place && f->rank == a->root
                   ? CPM_OK
                   : differ(f, block_bytes(&a->send, 0), each[f->rank], a->root, what);
    int status = CPM_OK;
    for (int i = 0; i < f->n && status == CPM_OK; i++) {
        snprintf(what, sizeof what, "the block from rank %d to rank %d", i, f->rank);
        status = differ(f, block_bytes(&a->recv, i),
                        each[(size_t)i * (size_t)f->n + (size_t)f->rank], i, what);
    }
    return status;
}

static int check(const finding *f)
{
    if (is(f, "barrier"))
        return CPM_OK;
    bool told = is(f, "scatterv") || is(f, "gatherv") || is(f, "alltoallv");
    return mpib_agree(f->a->comm, told ? check_own(f) : check_known(f), f->e);
}

int mpib_unit_sizes_find(const mpib_arguments *arguments, mpib_unit_sizes *out, cpm_error *e)
{
    finding f = {.a = arguments, .out = out, .e = e};
    const char *checked = getenv("CPM_CHECK");
    PMPI_Comm_size(arguments->comm, &f.n);
    PMPI_Comm_rank(arguments->comm, &f.rank);
    int status = find(&f);
    if (checked && strcmp(checked, "1") == 0) {
        status = mpib_agree(arguments->comm, status, e);
        if (status == CPM_OK)
            status = check(&f);
    }
    if (status != CPM_OK)
        mpib_unit_sizes_clear(out);
    return status;
}

void mpib_unit_sizes_clear(mpib_unit_sizes *s)
{
    free(s->each);
    *s = (mpib_unit_sizes){0};
}
