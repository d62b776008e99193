/* Reductions. A rank accumulates in its receive buffer if it gets the whole result, else in space,
 * and not at all if it only sends: then its contribution goes from where the user has it. Its
 * contribution is copied to where it accumulates, unless what comes first can be combined with it
 * where the user has it (collectives/schedule/from_input.h). With
 * contributions apart each has its own place, and they are combined at the end, the last first. */
#include <stdlib.h>

#include "collectives/schedule/from_input.h"
#include "executor/combining.h"
#include "executor/layout.h"

typedef struct {
    const cpm_schedule *s;
    int rank;
    MPI_Datatype type;
    size_t size, extent, true_extent;
    bool dense;
    ptrdiff_t lower; /* of the type: where an element's first byte lies */
    mpib_place input, accumulated;
    ptrdiff_t slots;  /* in space: of contributions apart */
    size_t slot;      /* bytes of one */
    int64_t only;     /* the unit that a slot has, -1: all */
    ptrdiff_t unit[]; /* [units + 1] offset of a unit in the vector, in bytes as it lies */
} context;

static mpib_place at(mpib_place base, ptrdiff_t offset)
{
    return (mpib_place){base.base, base.offset + offset};
}

static mpib_place slot_of(const context *c, int process, int64_t unit)
{
    ptrdiff_t within = c->only < 0 ? c->unit[unit] : 0;
    return (mpib_place){MPIB_SPACE, c->slots + process * (ptrdiff_t)c->slot + within};
}

static mpib_place place(const void *x, int64_t unit, int piece)
{
    const context *c = x;
    if (!c->s->apart)
        return at(c->accumulated, c->unit[unit]);
    return piece == c->rank ? at(c->input, c->unit[unit]) : slot_of(c, piece, unit);
}

/* Space for count bytes of elements; the offset is that of the first element. */
static ptrdiff_t take_space(const context *c, size_t bytes, size_t *space)
{
    ptrdiff_t begin = (ptrdiff_t)*space - c->lower;
    *space += (bytes + c->true_extent + 127) / 64 * 64;
    return begin;
}

typedef struct {
    bool receives, forwards; /* forwards: units of others that it does not get */
    bool from_input;
} role;

/* All of MPI's own operations commute. One of the user's may use up what it is given. */
static bool may_read_input(const mpib_arguments *a)
{
    return mpib_op_is_predefined(a->op) && !a->in_place;
}

static int find_role(const mpib_arguments *a, const cpm_schedule *s, int rank, role *out,
                     cpm_error *e)
{
    cpm_steps steps = {0};
    role r = {0};
    int status = cpm_schedule_rank(s, rank, &steps, e);
    for (int i = 0; i < steps.count && status == CPM_OK; i++) {
        const cpm_step *step = &steps.at[i];
        r.receives = r.receives || cpm_step_receives(step);
        for (int k = 0; k < step->runs && cpm_step_receives(step); k++) {
            cpm_run run = cpm_step_run(&steps, step, k);
            for (int64_t p = run.first; p < run.first + run.count; p++)
                r.forwards = r.forwards ||
                             !a->operation->after(s->n, s->root, rank, cpm_unit_at(s, p), NULL);
        }
    }
    if (status == CPM_OK && may_read_input(a))
        status = cpm_take_from_input(s, &steps, rank, NULL, &r.from_input, e);
    cpm_steps_free(&steps);
    *out = r;
    return status;
}

static mpib_move move_of(const context *c, mpib_move_kind kind, mpib_place from, mpib_place to,
                         size_t bytes, MPI_Op op)
{
    return (mpib_move){.kind = kind,
                       .from = from,
                       .to = to,
                       .elements = c->extent ? bytes / c->extent : 0,
                       .type = c->type,
                       .dense = c->dense,
                       .op = op,
                       .size = c->size,
                       .extent = c->extent};
}

static bool same(mpib_place a, mpib_place b)
{
    return a.base == b.base && a.offset == b.offset;
}

static int copy(const context *c, mpib_place from, mpib_place to, size_t bytes, mpib_moves *moves,
                cpm_error *e)
{
    mpib_move move = move_of(c, MPIB_COPY, from, to, bytes, MPI_OP_NULL);
    return same(from, to) || move.elements == 0 ? CPM_OK : mpib_moves_add(moves, &move, e);
}

/* To where a copy of it is to begin. */
static mpib_move whole_input(const context *c)
{
    const size_t all = (size_t)c->unit[cpm_schedule_units(c->s)];
    return move_of(c, MPIB_COPY, c->input, at(c->input, -c->lower), all, MPI_OP_NULL);
}

/* ---- accumulating ---- */

static int arrange_accumulation(context *c, bool gets_all, bool gets_part, const role *r,
                                mpib_arrangement *out, cpm_error *e)
{
    const mpib_place result = {MPIB_RECV_BUFFER, 0};
    int64_t units = cpm_schedule_units(c->s);
    size_t all = (size_t)c->unit[units];
    c->accumulated = c->input;
    if (gets_all && !c->s->operation->leaves_own_out)
        c->accumulated = result;
    else if (r->receives)
        c->accumulated = (mpib_place){MPIB_SPACE, take_space(c, all, &out->space)};
    int status = CPM_OK;
    if (r->from_input && (gets_all || c->s->operation->leaves_own_out))
        out->input = whole_input(c);
    if (!r->from_input)
        status = copy(c, c->input, c->accumulated, all, &out->before, e);
    if (status != CPM_OK || gets_all || !gets_part)
        return status;
    ptrdiff_t own = c->unit[c->rank];
    return copy(c, at(c->accumulated, own), result, (size_t)(c->unit[c->rank + 1] - own),
                &out->after, e);
}

/* ---- contributions apart ---- */

/* The last contribution into the result, then each before it op the result. */
static int combine_slots(const context *c, int64_t unit, MPI_Op op, mpib_moves *after, cpm_error *e)
{
    mpib_place result = {MPIB_RECV_BUFFER, 0};
    size_t bytes = (size_t)(c->unit[unit + 1] - c->unit[unit]);
    int n = c->s->n, status = CPM_OK;
    for (int p = n - 1; p >= 0 && status == CPM_OK; p--) {
        mpib_move move =
            move_of(c, p == n - 1 ? MPIB_COPY : MPIB_REDUCE, place(c, unit, p), result, bytes, op);
        status = move.elements ? mpib_moves_add(after, &move, e) : CPM_OK;
    }
    return status;
}

static int arrange_apart(context *c, bool whole, bool gets, const role *r, const mpib_arguments *a,
                         mpib_arrangement *out, cpm_error *e)
{
    int64_t units = cpm_schedule_units(c->s), own = whole ? 0 : c->rank;
    size_t all = (size_t)c->unit[units];
    c->only = whole || r->forwards ? -1 : own;
    c->slot = c->only < 0 ? all : (size_t)(c->unit[own + 1] - c->unit[own]);
    c->slots = take_space(c, c->slot * (size_t)c->s->n, &out->space);
    if (!gets)
        return CPM_OK;
    if (c->input.base == MPIB_RECV_BUFFER) { /* the result goes there */
        mpib_place saved = {MPIB_SPACE, take_space(c, all, &out->space)};
        int status = copy(c, c->input, saved, all, &out->before, e);
        if (status != CPM_OK)
            return status;
        c->input = saved;
    } else
        out->input = whole_input(c);
    return combine_slots(c, own, a->op, &out->after, e);
}

/* ---- the arrangement ---- */

static context *allocate(const mpib_arguments *a, const cpm_schedule *s,
                         const cpm_block_sizes *sizes)
{
    size_t units = (size_t)cpm_schedule_units(s);
    context *c = calloc(1, sizeof *c + (units + 1) * sizeof *c->unit);
    if (!c)
        return NULL;
    MPI_Aint lower, extent;
    PMPI_Type_get_true_extent(a->recv.type, &lower, &extent);
    *c = (context){.s = s,
                   .type = a->recv.type,
                   .size = mpib_type_size(a->recv.type),
                   .extent = mpib_type_extent(a->recv.type),
                   .true_extent = (size_t)extent,
                   .dense = mpib_type_is_dense(a->recv.type),
                   .lower = lower,
                   .only = -1};
    PMPI_Comm_rank(a->comm, &c->rank);
    for (size_t u = 0; u < units; u++) {
        size_t bytes = sizes->each ? sizes->each[u] : sizes->bytes;
        c->unit[u + 1] = c->unit[u] + (ptrdiff_t)(c->size ? bytes / c->size * c->extent : 0);
    }
    return c;
}

int mpib_arrange_reduction(const mpib_arguments *arguments, const cpm_schedule *s,
                           const cpm_block_sizes *sizes, mpib_arrangement *out, cpm_error *e)
{
    context *c = allocate(arguments, s, sizes);
    if (!c)
        return cpm_no_memory(e);
    out->context = c;
    out->sizes = *sizes;
    out->sizes.grain = c->size;
    role r = {0};
    int commutes = 0, status = find_role(arguments, s, c->rank, &r, e);
    const cpm_operation *op = arguments->operation;
    bool whole = cpm_operation_is_whole(op),
         gets = op->after(s->n, s->root, c->rank, whole ? 0 : c->rank, NULL);
    c->input.base = arguments->in_place ? MPIB_RECV_BUFFER : MPIB_SEND_BUFFER;
    if (status == CPM_OK)
        status = s->apart ? arrange_apart(c, whole, gets, &r, arguments, out, e)
                          : arrange_accumulation(c, whole && gets, gets, &r, out, e);
    PMPI_Op_commutative(arguments->op, &commutes);
    out->layout = (mpib_layout){.schedule = s,
                                .sizes = &out->sizes,
                                .place = place,
                                .context = c,
                                .op = arguments->op,
                                .type = c->type,
                                .holes = !c->dense,
                                .extent = c->extent,
                                .commutes = commutes,
                                .from_input = r.from_input,
                                .leaves_own_out = op->leaves_own_out,
                                .accumulated = c->accumulated.offset};
    return status;
}
