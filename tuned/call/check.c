/* All ranks hear what all say, so all find the same difference; sizes are compared as they are for
 * plans (executor/unit_sizes.h). */
#include "tuned/call/check.h"

#include <stdio.h>
#include <stdlib.h>

#include "executor/agree.h"
#include "executor/combining.h"
#include "executor/layout.h"
#include "executor/unit_sizes.h"
#include "tuned/comm/plans.h"

/* Operations of the program are alike if they commute alike. */
static int number_of(MPI_Op op)
{
    int commutes = 0, number = mpib_op_number(op);
    if (number < 0)
        PMPI_Op_commutative(op, &commutes);
    return number < 0 ? -1 - commutes : number;
}

static void say_sizes(const mpib_arguments *a, int rank, tuned_said *own)
{
    bool at_root = rank == a->root;
    if (a->in_place || cpm_operation_ends_know_sizes(a->operation) ||
        !cpm_operation_blocks(a->operation, CPM_SEND_SIDE, at_root) ||
        !cpm_operation_blocks(a->operation, CPM_RECV_SIDE, at_root))
        return;
    own->sent = mpib_block_bytes(&a->send, rank);
    own->received = mpib_block_bytes(&a->recv, rank);
}

tuned_said tuned_say(const mpib_arguments *a, int rank, tuned_form form, bool sound)
{
    tuned_said own = {
        .sound = sound, .form = form, .operation = (int)(a->operation - cpm_operations)};
    if (!sound)
        return own;
    own.root = a->root;
    if (a->operation->combines)
        own.op = number_of(a->op);
    say_sizes(a, rank, &own);
    return own;
}

const char *tuned_said_call(const tuned_said *s, char name[TUNED_CALL_NAME])
{
    snprintf(name, TUNED_CALL_NAME, "%s%s%s", s->form == TUNED_NONBLOCKING ? "i" : "",
             cpm_operations[s->operation].name, s->form == TUNED_PERSISTENT ? "_init" : "");
    return name;
}

bool tuned_calls_differ(const tuned_said *s, const tuned_said *t)
{
    return s->operation != t->operation || s->form != t->form;
}

bool tuned_said_differ(const tuned_said *s, int a, const tuned_said *t, int b,
                       char why[TUNED_DIFFERENCE])
{
    char one[TUNED_CALL_NAME], other[TUNED_CALL_NAME];
    if (tuned_calls_differ(s, t))
        snprintf(why, TUNED_DIFFERENCE, "rank %d calls %s, rank %d %s", a, tuned_said_call(s, one),
                 b, tuned_said_call(t, other));
    else if (s->begun != t->begun)
        snprintf(why, TUNED_DIFFERENCE,
                 "rank %d has made %ld nonblocking calls on this communicator before, rank %d %ld",
                 a, s->begun, b, t->begun);
    else if (s->sound != t->sound)
        snprintf(why, TUNED_DIFFERENCE, "rank %d has arguments that MPI does not take",
                 s->sound ? b : a);
    else if (s->root != t->root)
        snprintf(why, TUNED_DIFFERENCE, "rank %d has root %d, rank %d root %d", a, s->root, b,
                 t->root);
    else if (s->op != t->op)
        snprintf(why, TUNED_DIFFERENCE, "rank %d has another MPI_Op than rank %d", a, b);
    else
        return false;
    return true;
}

bool tuned_said_differs_itself(const tuned_said *s, int rank, char why[TUNED_DIFFERENCE])
{
    if (s->sent == s->received)
        return false;
    snprintf(why, TUNED_DIFFERENCE, "rank %d sends itself %zu bytes and receives %zu", rank,
             s->sent, s->received);
    return true;
}

/* The first rank with other arguments than rank 0, or with sides that differ. */
static int compare_all(const tuned_said *all, int n, const char *name, cpm_error *e)
{
    char why[TUNED_DIFFERENCE];
    for (int r = 1; r < n; r++)
        if (tuned_said_differ(&all[r], r, &all[0], 0, why)) {
            const bool other = tuned_calls_differ(&all[r], &all[0]);
            return cpm_fail(e, CPM_EINVAL, "%s%s%s (CPM_CHECK)", other ? "" : name,
                            other ? "" : ": ", why);
        }
    for (int r = 0; r < n; r++)
        if (tuned_said_differs_itself(&all[r], r, why))
            return cpm_fail(e, CPM_EINVAL, "%s: %s (CPM_CHECK)", name, why);
    return CPM_OK;
}

int tuned_check(const mpib_arguments *a, tuned_form form, bool sound, long begun, cpm_error *e)
{
    int n, rank;
    PMPI_Comm_size(a->comm, &n);
    PMPI_Comm_rank(a->comm, &rank);
    tuned_said own = tuned_say(a, rank, form, sound);
    own.begun = begun;
    tuned_said *all = malloc((size_t)n * sizeof *all);
    int status = all ? CPM_OK : cpm_no_memory(e);
    status = mpib_agree(a->comm, status, e);
    if (status == CPM_OK) {
        PMPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, a->comm);
        status = compare_all(all, n, a->operation->name, e);
    }
    free(all);
    return status == CPM_OK && sound ? mpib_unit_sizes_check(a, e) : status;
}
