/* All ranks hear what all say, so all find the same difference; sizes are compared as they are for
 * plans (executor/unit_sizes.h). */
#include "tuned/call/check.h"

#include <stdlib.h>

#include "executor/agree.h"
#include "executor/layout.h"
#include "executor/unit_sizes.h"
#include "tuned/comm/plans.h"

/* What a rank says of its call. */
typedef struct {
    int sound, operation, root, op;
    size_t sent, received; /* bytes of its own block, where it sends and receives it */
} said;

static size_t own_bytes(const mpib_side *s, int rank)
{
    return (s->counts ? s->counts[rank] : s->count) * mpib_type_size(s->type);
}

/* Operations of the program are alike if they commute alike. */
static int number_of(MPI_Op op)
{
    int commutes = 0, number = tuned_op_number(op);
    if (number < 0)
        PMPI_Op_commutative(op, &commutes);
    return number < 0 ? -1 - commutes : number;
}

static void say_sizes(const mpib_arguments *a, int rank, said *own)
{
    bool at_root = rank == a->root;
    if (a->in_place || cpm_operation_ends_know_sizes(a->operation) ||
        !cpm_operation_blocks(a->operation, CPM_SEND_SIDE, at_root) ||
        !cpm_operation_blocks(a->operation, CPM_RECV_SIDE, at_root))
        return;
    own->sent = own_bytes(&a->send, rank);
    own->received = own_bytes(&a->recv, rank);
}

static said say(const mpib_arguments *a, int rank, bool sound)
{
    said own = {.sound = sound, .operation = (int)(a->operation - cpm_operations)};
    if (!sound)
        return own;
    own.root = a->root;
    if (a->operation->combines)
        own.op = number_of(a->op);
    say_sizes(a, rank, &own);
    return own;
}

/* The first rank with other arguments than rank 0. */
static int compare(const said *all, int r, const char *name, cpm_error *e)
{
    const said *first = &all[0], *other = &all[r];
    if (other->operation != first->operation)
        return cpm_fail(e, CPM_EINVAL, "rank %d calls %s, rank 0 %s (CPM_CHECK)", r,
                        cpm_operations[other->operation].name,
                        cpm_operations[first->operation].name);
    if (other->sound != first->sound)
        return cpm_fail(e, CPM_EINVAL,
                        "%s: rank %d has arguments that MPI does not take (CPM_CHECK)", name,
                        other->sound ? 0 : r);
    if (other->root != first->root)
        return cpm_fail(e, CPM_EINVAL, "%s: rank %d has root %d, rank 0 root %d (CPM_CHECK)", name,
                        r, other->root, first->root);
    if (other->op != first->op)
        return cpm_fail(e, CPM_EINVAL, "%s: rank %d has another MPI_Op than rank 0 (CPM_CHECK)",
                        name, r);
    return CPM_OK;
}

static int compare_own(const said *own, int r, const char *name, cpm_error *e)
{
    return own->sent == own->received
               ? CPM_OK
               : cpm_fail(e, CPM_EINVAL,
                          "%s: rank %d sends itself %zu bytes and receives %zu (CPM_CHECK)", name,
                          r, own->sent, own->received);
}

static int compare_all(const said *all, int n, const char *name, cpm_error *e)
{
    int status = CPM_OK;
    for (int r = 1; r < n && status == CPM_OK; r++)
        status = compare(all, r, name, e);
    for (int r = 0; r < n && status == CPM_OK; r++)
        status = compare_own(&all[r], r, name, e);
    return status;
}

int tuned_check(const mpib_arguments *a, bool sound, cpm_error *e)
{
    int n, rank;
    PMPI_Comm_size(a->comm, &n);
    PMPI_Comm_rank(a->comm, &rank);
    const said own = say(a, rank, sound);
    said *all = malloc((size_t)n * sizeof *all);
    int status = all ? CPM_OK : cpm_no_memory(e);
    status = mpib_agree(a->comm, status, e);
    if (status == CPM_OK) {
        PMPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, a->comm);
        status = compare_all(all, n, a->operation->name, e);
    }
    free(all);
    return status == CPM_OK && sound ? mpib_unit_sizes_check(a, e) : status;
}
