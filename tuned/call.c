/* From MPI's arguments to a decision and a plan. */
#include "tuned/call.h"

#include <limits.h>
#include <stdio.h>

#include "mpib/layout.h"
#include "mpib/unit_sizes.h"
#include "tuned/environment.h"

enum { TAG = 1 };

/* ---- arguments ---- */

static bool convert(const tuned_state *t, int which, const int *counts, const int *displacements,
                    mpib_side *side)
{
    for (int i = 0; counts && i < t->n; i++) {
        if (counts[i] < 0)
            return false;
        t->counts[which][i] = (size_t)counts[i];
    }
    for (int i = 0; displacements && i < t->n; i++)
        t->displacements[which][i] = displacements[i];
    side->counts = counts ? t->counts[which] : NULL;
    side->displacements = displacements ? t->displacements[which] : NULL;
    return true;
}

/* Wrong arguments are left to MPI's own routine, which knows how to complain. */
static bool are_sound(const tuned_state *t, mpib_arguments *a, const tuned_arrays *x)
{
    if (a->send.type == MPI_DATATYPE_NULL || a->recv.type == MPI_DATATYPE_NULL ||
        a->send.count > INT_MAX || a->recv.count > INT_MAX || a->root < 0 || a->root >= t->n)
        return false;
    if (a->operation->combines && (a->op == MPI_OP_NULL || (tuned_op_is_predefined(a->op) &&
                                                            !tuned_type_is_named(a->recv.type))))
        return false;
    return !x || (convert(t, 0, x->send_counts, x->send_displacements, &a->send) &&
                  convert(t, 1, x->recv_counts, x->recv_displacements, &a->recv));
}

/* ---- deciding ---- */

static bool is_ordered(const mpib_arguments *a)
{
    int commutes = 1;
    if (a->operation->combines)
        PMPI_Op_commutative(a->op, &commutes);
    return !commutes;
}

/* What all ranks know of a call's size: bytes of a block, or their mean. */
static size_t known_bytes(const tuned_state *t, const mpib_arguments *a)
{
    const mpib_side *s = mpib_significant_side(a, t->rank);
    if (a->operation->sizes != CPM_KNOWN_TO_ALL || a->operation->dataless)
        return 0;
    if (!s->counts)
        return s->count * mpib_type_size(s->type);
    mpib_side_bytes(s, t->n, t->sizes);
    return cpm_mean_bytes(t->sizes, t->n);
}

/* Where nothing is sent MPI's own routine is as good as any, and blocks of more than INT_MAX bytes
 * are left to it: calls with counts that an int cannot hold go there. Nobody knows the sizes of all
 * of an alltoallv: they are no part of the decision. */
static tuned_decision *decide(tuned_call *c, const mpib_arguments *a, cpm_request *r)
{
    tuned_state *t = c->state;
    if (a->operation->sizes == CPM_KNOWN_TO_ROOT) {
        const tuned_told *told = tuned_told_of(t, a, r);
        c->collective = told ? told->plan : NULL;
        return told ? told->decision : NULL;
    }
    r->bytes = known_bytes(t, a);
    bool sized = a->operation->sizes == CPM_KNOWN_TO_ALL && !a->operation->dataless;
    return !sized || (r->bytes && r->bytes <= INT_MAX) ? tuned_decide(t, r, 0) : NULL;
}

static bool is_run(tuned_call *c, mpib_arguments *a)
{
    tuned_state *t = c->state;
    cpm_request r = {
        .operation = a->operation, .n = t->n, .root = a->root, .ordered = is_ordered(a)};
    c->decision = decide(c, a, &r);
    c->bytes = r.bytes;
    if (!c->decision || !c->decision->choice.what.algorithm)
        return false;
    c->arguments = a;
    c->for_any_sizes = c->kept = c->collective != NULL;
    if (c->for_any_sizes)
        return true;
    cpm_knowledge known = a->operation->sizes;
    bool differ = known != CPM_KNOWN_TO_ALL || a->recv.counts;
    cpm_block_sizes sizes = {.bytes = differ ? 0 : r.bytes, .each = differ ? t->sizes : NULL};
    a->comm = t->inside;
    int status = tuned_plans_get(&c->decision->plans, &c->decision->choice, a,
                                 known == CPM_KNOWN_TO_NOBODY ? NULL : &sizes, &c->collective,
                                 &c->kept, NULL);
    c->failed = status == CPM_OK       ? MPI_SUCCESS
                : status == CPM_ENOMEM ? MPI_ERR_NO_MEM
                                       : MPI_ERR_OTHER;
    return true;
}

bool tuned_call_begin(tuned_call *c, MPI_Comm comm, mpib_arguments *a, const tuned_arrays *arrays)
{
    *c = (tuned_call){.state = tuned_state_of(comm), .operation = a->operation, .start = -1};
    if (!c->state)
        return false;
    if (tuned_environment_get()->verbose)
        c->start = PMPI_Wtime();
    if (!are_sound(c->state, a, arrays))
        return false;
    if (c->state->native) {
        c->bytes = known_bytes(c->state, a);
        return false;
    }
    double deciding = c->state->decisions.deciding;
    bool runs = is_run(c, a);
    if (c->start >= 0)
        c->start += c->state->decisions.deciding - deciding; /* is no part of the call */
    return runs;
}

static void count(const tuned_call *c)
{
    tuned_decision *d = c->decision;
    if (!d) {
        d = &c->state->decisions.undecided[c->operation - cpm_operations];
        d->operation = c->operation;
        d->smallest = d->calls ? d->smallest : c->bytes;
        d->expected = -1;
    }
    d->calls++;
    d->spent += PMPI_Wtime() - c->start;
    if (d->choice.expected)
        d->expected += d->choice.expected[c->state->rank];
    d->smallest = c->bytes < d->smallest ? c->bytes : d->smallest;
    d->largest = c->bytes > d->largest ? c->bytes : d->largest;
}

/* The others cannot be told: they wait for this rank's messages. */
static void say_out_of_memory(const tuned_call *c)
{
    fprintf(stderr,
            "cpm: rank %d of %d: no memory for %s, and its reserve is too small: the call fails "
            "there, and others may wait for it\n",
            c->state->rank, c->state->n, c->operation->name);
}

int tuned_call_run(tuned_call *c, const void *send, void *recv)
{
    if (c->for_any_sizes)
        c->failed = mpib_collective_run_any_sizes(c->collective, c->arguments, send, recv, TAG);
    else if (!c->failed)
        c->failed = mpib_collective_run(c->collective, send, recv, TAG);
    if (!c->kept)
        mpib_collective_free(c->collective);
    if (c->start >= 0)
        count(c);
    if (c->failed == MPI_ERR_NO_MEM)
        say_out_of_memory(c);
    if (c->failed)
        PMPI_Comm_call_errhandler(c->state->comm, c->failed);
    return c->failed;
}

int tuned_call_native(tuned_call *c, int status)
{
    if (c->start >= 0)
        count(c);
    return status;
}
