/* The checks of MPICH and Open MPI. Where MPI can be asked it is: a send to nobody says whether it
 * takes a type, a reduction of no elements whether it takes an operation; neither sends anything.
 * What is MPI's own and was taken once is remembered. */
#include "tuned/call/arguments.h"

#include <limits.h>
#include <stdint.h>

#include "executor/combining.h"
#include "executor/unit_sizes.h"
#include "tuned/comm/inside.h"
#include "tuned/comm/neighbours.h"

#ifdef OPEN_MPI
enum { OPENMPI = 1 };
#else
enum { OPENMPI = 0 };
#endif

/* ---- types and operations ---- */

static size_t place_of(uintptr_t handle)
{
    return (handle ^ handle >> 4 ^ handle >> 8) % TUNED_REMEMBERED;
}

static bool is_remembered(const tuned_state *t, MPI_Datatype type)
{
    return t->named[place_of((uintptr_t)type)] == type;
}

/* Whether it is one of MPI's own, which mean the same for ever. */
static bool is_named(tuned_state *t, MPI_Datatype type)
{
    if (is_remembered(t, type))
        return true;
    bool named = tuned_type_is_named(type);
    if (named)
        t->named[place_of((uintptr_t)type)] = type;
    return named;
}

/* Open MPI looks at some types that are received when it comes to it only. */
static bool is_checked(const mpib_arguments *a, const mpib_side *s)
{
    return !OPENMPI || s == &a->send || a->operation->combines ||
           cpm_operation_is_of_pairs(a->operation) || cpm_operation_is_whole(a->operation) ||
           cpm_operation_is_of_neighbours(a->operation);
}

static bool sends_well(const tuned_state *t, MPI_Datatype type)
{
    const char nothing = 0;
    const MPI_Comm asked = tuned_inside_ask(t);
    const bool well = asked == MPI_COMM_NULL ||
                      PMPI_Send(&nothing, 1, type, MPI_PROC_NULL, 0, asked) == MPI_SUCCESS;
    tuned_inside_asked(t);
    return well;
}

/* *lasting: no more if the type is not one of MPI's own. */
static bool takes_new_type(tuned_state *t, MPI_Datatype type, bool checked, bool *lasting)
{
    if (checked && !sends_well(t, type))
        return false;
    *lasting = is_named(t, type) && *lasting; /* and remembers it */
    return true;
}

/* The arrays of a side whose blocks have a type of each; NULL: they have one type. */
static const tuned_side_arrays *typed(const tuned_arrays *arrays, cpm_side which)
{
    const tuned_side_arrays *x = NULL;
    if (arrays)
        x = which == CPM_SEND_SIDE ? &arrays->send : &arrays->recv;
    return x && x->types ? x : NULL;
}

static int listed_blocks(const tuned_state *t, const mpib_arguments *a, cpm_side which)
{
    return cpm_operation_is_of_neighbours(a->operation) ? tuned_listed_blocks(t->comm, which)
                                                        : t->n;
}

/* MPICH does not look at those of empty blocks. */
static bool takes_types_of_blocks(tuned_state *t, const tuned_side_arrays *x, int blocks,
                                  bool *lasting)
{
    for (int k = 0; k < blocks; k++) {
        const MPI_Datatype type = x->types[k];
        if (!OPENMPI && !x->counts[k])
            continue;
        if (!tuned_is_type(type) ||
            (!is_remembered(t, type) && !takes_new_type(t, type, true, lasting)))
            return false;
    }
    return true;
}

static inline bool takes_types(tuned_state *t, const mpib_arguments *a, cpm_side which,
                               const tuned_arrays *arrays, bool *lasting)
{
    const mpib_side *s = mpib_side_of(a, which);
    const tuned_side_arrays *x = typed(arrays, which);
    if (x)
        return takes_types_of_blocks(t, x, listed_blocks(t, a, which), lasting);
    return is_remembered(t, s->type) || takes_new_type(t, s->type, is_checked(a, s), lasting);
}

#ifdef CPM_SMPI
static bool reduces_well(const tuned_state *t, MPI_Datatype type, MPI_Op op)
{
    (void)t, (void)type, (void)op;
    return true;
}
#else
static bool reduces_well(const tuned_state *t, MPI_Datatype type, MPI_Op op)
{
    double given = 0, got = 0;
    const MPI_Comm asked = tuned_inside_ask(t);
    const bool well =
        asked == MPI_COMM_NULL || PMPI_Reduce(&given, &got, 0, type, op, 0, asked) == MPI_SUCCESS;
    tuned_inside_asked(t);
    return well;
}
#endif

/* The same. */
static bool takes_operation(tuned_state *t, MPI_Datatype type, MPI_Op op, bool *lasting)
{
    if (op == MPI_OP_NULL || !(uintptr_t)op || op == MPI_REPLACE || op == MPI_NO_OP)
        return false;
    tuned_pair *known = &t->fitting[place_of((uintptr_t)op ^ (uintptr_t)type)];
    if (known->op == op && known->type == type)
        return true;
    const bool own = mpib_op_is_predefined(op);
    if (!reduces_well(t, type, op) || (own && !is_named(t, type)))
        return false;
    if (own)
        *known = (tuned_pair){op, type};
    *lasting = own && *lasting;
    return true;
}

/* ---- counts ---- */

static bool convert(const tuned_state *t, int which, const tuned_side_arrays *x, mpib_side *side)
{
    for (int i = 0; x->counts && i < t->n; i++) {
        if (x->counts[i] < 0 || (x->types && x->counts[i] && !tuned_is_type(x->types[i])))
            return false;
        t->counts[which][i] = (size_t)x->counts[i];
    }
    for (int i = 0; x->displacements && i < t->n; i++)
        t->displacements[which][i] = x->displacements[i];
    for (int i = 0; x->types && x->counts && i < t->n; i++)
        t->types[which][i] = tuned_type_of_block(x, i);
    side->counts = x->counts ? t->counts[which] : NULL;
    side->displacements = x->displacements ? t->displacements[which] : NULL;
    side->types = x->types ? t->types[which] : NULL;
    return true;
}

static bool convert_side(const tuned_state *t, const mpib_arguments *a, cpm_side which,
                         const tuned_side_arrays *x, mpib_side *side)
{
    return cpm_operation_blocks(a->operation, which, false) == CPM_BLOCK_OF_NEIGHBOUR
               ? tuned_neighbours_convert(t, which, a->operation->types, x, side)
               : convert(t, which == CPM_RECV_SIDE, x, side);
}

static bool is_in_place(const mpib_arguments *a, const mpib_side *s)
{
    return a->in_place && s == mpib_side_of(a, a->operation->in_place);
}

/* How many blocks a side has here that the caller gave arguments for. */
static cpm_blocks blocks_of(const tuned_state *t, const mpib_arguments *a, const mpib_side *s)
{
    cpm_side which = s == &a->send ? CPM_SEND_SIDE : CPM_RECV_SIDE;
    bool left_out = is_in_place(a, s) && !a->operation->combines;
    return left_out ? CPM_NO_BLOCK : cpm_operation_blocks(a->operation, which, t->rank == a->root);
}

static bool has_arrays(const tuned_state *t, const mpib_arguments *a, const mpib_side *s)
{
    return blocks_of(t, a, s) != CPM_BLOCK_OF_EACH || a->operation->combines ||
           (s->counts && s->displacements && (s->types || !a->operation->types));
}

bool tuned_counts_are_right(const tuned_state *t, mpib_arguments *a, const tuned_arrays *x)
{
    if (a->root < 0 || a->root >= t->n || a->send.count > INT_MAX || a->recv.count > INT_MAX ||
        !tuned_is_type(a->send.type) || !tuned_is_type(a->recv.type))
        return false;
    if (!x)
        return true;
    return convert_side(t, a, CPM_SEND_SIDE, &x->send, &a->send) &&
           convert_side(t, a, CPM_RECV_SIDE, &x->recv, &a->recv) && has_arrays(t, a, &a->send) &&
           has_arrays(t, a, &a->recv) && (!a->operation->combines || a->recv.counts);
}

/* Without one MPI has no neighbours of a process. */
static bool has_graph(const tuned_state *t, const mpib_arguments *a)
{
    return !cpm_operation_is_of_neighbours(a->operation) || t->neighbours ||
           tuned_neighbours_are_known(t->comm);
}

/* ---- buffers ---- */

/* NULL is MPI_BOTTOM to types with addresses in them. */
static bool means_nothing(tuned_state *t, const void *buffer, MPI_Datatype type)
{
    MPI_Aint lower, extent;
    if (buffer)
        return false;
    if (is_named(t, type))
        return true;
    PMPI_Type_get_true_extent(type, &lower, &extent);
    return lower == 0 && mpib_type_size(type) > 0;
}

static bool begins_with_elements(const tuned_state *t, const mpib_side *s)
{
    bool begins = !s->counts && s->count > 0;
    for (int i = 0; s->counts && i < t->n && !begins; i++)
        begins = s->counts[i] > 0 && (!s->displacements || s->displacements[i] == 0);
    return begins;
}

/* Whether elements of a side would lie at NULL itself. */
static bool begins_nowhere(tuned_state *t, const mpib_arguments *a, cpm_side which,
                           const tuned_arrays *arrays)
{
    const mpib_side *s = mpib_side_of(a, which);
    const tuned_side_arrays *x = typed(arrays, which);
    if (!x)
        return begins_with_elements(t, s) && means_nothing(t, NULL, s->type);
    const int blocks = listed_blocks(t, a, which);
    int k = 0;
    while (k < blocks &&
           !(x->counts[k] && tuned_displacement(x, k) == 0 && means_nothing(t, NULL, x->types[k])))
        k++;
    return k < blocks;
}

static bool buffer_is_right(tuned_state *t, const mpib_arguments *a, cpm_side which,
                            const tuned_arrays *arrays, const void *buffer)
{
    const mpib_side *s = mpib_side_of(a, which);
    if (blocks_of(t, a, s) == CPM_NO_BLOCK)
        return !is_in_place(a, s) || !a->operation->rooted || t->rank == a->root;
    return buffer != MPI_IN_PLACE && (buffer || !begins_nowhere(t, a, which, arrays));
}

/* The own block of a side with one block of each process. */
static const char *own_block(const tuned_state *t, const mpib_side *s, const void *buffer)
{
    ptrdiff_t before = s->displacements ? s->displacements[t->rank]
                                        : t->rank * (ptrdiff_t)(s->counts ? 0 : s->count);
    return (const char *)buffer + before * (ptrdiff_t)mpib_type_size(s->type);
}

static bool are_same_counts(const tuned_state *t, const mpib_side *one, const mpib_side *each)
{
    return each->counts ? one->count != 0 && each->counts[t->rank] != 0
                        : one->count != 0 && one->count == each->count;
}

/* MPICH looks for buffers that are the same: of one block and its place among all, or of all. */
static bool are_same(const tuned_state *t, const mpib_arguments *a, const tuned_arrays *x,
                     const void *send, const void *recv)
{
    cpm_blocks given = blocks_of(t, a, &a->send), got = blocks_of(t, a, &a->recv);
    if (OPENMPI || cpm_operation_is_of_neighbours(a->operation) || a->in_place ||
        given == CPM_NO_BLOCK || got == CPM_NO_BLOCK || a->send.type != a->recv.type)
        return false;
    if (given == CPM_BLOCK_OF_EACH && got == CPM_BLOCK_OF_EACH)
        return send == recv &&
               (x ? x->send.counts == x->recv.counts && x->send.types == x->recv.types
                  : are_same_counts(t, &a->send, &a->recv));
    return given == CPM_BLOCK_OF_EACH
               ? are_same_counts(t, &a->recv, &a->send) && recv == own_block(t, &a->send, send)
               : are_same_counts(t, &a->send, &a->recv) && send == own_block(t, &a->recv, recv);
}

/* Open MPI compares the sizes of what a rank sends itself. */
static bool differs_from_own(const tuned_state *t, const mpib_arguments *a)
{
    const mpib_side *s = &a->send, *r = &a->recv;
    if (!OPENMPI || a->in_place || !cpm_operation_is_of_pairs(a->operation))
        return false;
    return mpib_block_bytes(s, t->rank) != mpib_block_bytes(r, t->rank);
}

/* Whether MPI looks at the receive buffer of a reduction. MPICH does so in an exscan at process 0,
 * too, which gets nothing. */
static bool is_seen(const tuned_state *t, const mpib_arguments *a)
{
    if (a->operation->rooted)
        return t->rank == a->root;
    return !OPENMPI || !a->operation->contributes || t->rank > 0 || a->operation->contributes(0, 0);
}

/* Of reductions both buffers have the type and the count of the receive side. */
static bool reduction_is_right(tuned_state *t, const mpib_arguments *a, const void *send,
                               const void *recv)
{
    const mpib_side *s = &a->recv;
    bool seen = is_seen(t, a);
    bool never =
        !cpm_operation_is_whole(a->operation) || a->operation->contributes; /* is that looked for */
    size_t all = s->counts ? 0 : s->count, own = s->counts ? s->counts[t->rank] : s->count;
    for (int i = 0; s->counts && i < t->n; i++)
        all += s->counts[i];
    size_t aliased = OPENMPI && !a->operation->rooted ? never ? SIZE_MAX : 1 : 0;
    if (seen && (recv == MPI_IN_PLACE || (own && means_nothing(t, recv, s->type))))
        return false;
    if (a->in_place)
        return seen || !OPENMPI || !a->operation->rooted;
    return !(all && means_nothing(t, send, s->type)) && !(seen && send == recv && all > aliased);
}

static bool buffers_are_right(tuned_state *t, const mpib_arguments *a, const tuned_arrays *x,
                              const void *send, const void *recv)
{
    if (a->operation->combines)
        return reduction_is_right(t, a, send, recv);
    return buffer_is_right(t, a, CPM_SEND_SIDE, x, send) &&
           buffer_is_right(t, a, CPM_RECV_SIDE, x, recv) && !are_same(t, a, x, send, recv) &&
           !differs_from_own(t, a);
}

static bool is_ordered(MPI_Op op)
{
    int commutes = 1;
    PMPI_Op_commutative(op, &commutes);
    return !commutes;
}

tuned_checked tuned_check_arguments(tuned_state *t, mpib_arguments *a, const tuned_arrays *arrays,
                                    const void *send, const void *recv)
{
    tuned_checked found = {.lasting = true};
    found.right =
        has_graph(t, a) && tuned_counts_are_right(t, a, arrays) &&
        takes_types(t, a, CPM_SEND_SIDE, arrays, &found.lasting) &&
        takes_types(t, a, CPM_RECV_SIDE, arrays, &found.lasting) &&
        (!a->operation->combines || takes_operation(t, a->recv.type, a->op, &found.lasting)) &&
        buffers_are_right(t, a, arrays, send, recv);
    /* All of MPI's own operations commute. */
    if (found.right && a->operation->combines && !found.lasting)
        found.ordered = is_ordered(a->op);
    return found;
}

/* ---- sizes ---- */

/* The side whose size is that of the other ranks' calls: where a rank gives or gets one block
 * besides those of all, it is that one. */
static const mpib_side *own_side(const mpib_arguments *a, const mpib_side *significant)
{
    const cpm_operation *o = a->operation;
    bool one = a->in_place || o->combines || o->in_place == CPM_NEITHER_SIDE;
    return one ? significant : mpib_side_of(a, o->in_place);
}

tuned_size tuned_size_of(const tuned_state *t, const mpib_arguments *a)
{
    if (a->operation->dataless)
        return (tuned_size){0};
    const mpib_side *s = mpib_significant_side(a, t->rank);
    if (!s->counts)
        return (tuned_size){.own = tuned_block_bytes(own_side(a, s))};
    const bool near = cpm_operation_is_of_neighbours(a->operation);
    const int blocks = near ? tuned_neighbours_count(t, CPM_RECV_SIDE) : t->n;
    mpib_side_bytes(s, blocks, t->sizes);
    return (tuned_size){cpm_mean_bytes(t->sizes, blocks), t->sizes};
}
