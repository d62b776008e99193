/* Operations that move blocks. Where a unit lies collectives/schedule/placing.h says. Where the
 * elements of a user's type do not lie as their bytes do, packed space stands for the buffer. */
#include <stdlib.h>

#include "collectives/schedule/placing.h"

#include "executor/layout.h"

/* What is known of elements. */
typedef struct {
    MPI_Datatype of;
    size_t size; /* bytes */
    bool dense;
} type;

/* One block of a buffer. */
typedef struct {
    type type;
    size_t count;   /* elements */
    ptrdiff_t user; /* offset in the user's buffer */
    mpib_place at;  /* where the schedule finds it */
    size_t room;    /* bytes at that place */
    bool packed;    /* which is not in the buffer */
} block;

/* One buffer of the user. */
typedef struct {
    bool present;
    int base;
    block *blocks;
} side;

enum { SEND, RECV };

static const cpm_side side_named[] = {[SEND] = CPM_SEND_SIDE, [RECV] = CPM_RECV_SIDE};

typedef struct {
    const cpm_operation *op;
    int n, root, rank;
    bool pairs; /* units are pairs of processes */
    cpm_placing placing;
    const cpm_block_sizes *sizes;
    side side[2];
    ptrdiff_t *passing; /* [units] offset in space of what passes through, or NULL */
} context;

/* How many blocks a side has at this rank. */
static int blocks_of(const context *c, int which)
{
    return cpm_placing_blocks(&c->placing, side_named[which]);
}

/* Which block of a side a unit is. */
static int block_of(const context *c, int which, int64_t unit)
{
    return (int)cpm_placing_block(&c->placing, side_named[which], unit);
}

/* And back. */
static int64_t unit_of(const context *c, int which, int number)
{
    return cpm_placing_unit(&c->placing, side_named[which], number);
}

static size_t unit_bytes(const context *c, int64_t unit)
{
    return c->sizes->each ? c->sizes->each[unit] : c->sizes->bytes;
}

static bool gives(const context *c, int64_t unit)
{
    return c->op->before(c->n, c->root, c->rank, unit, c->placing.s->neighbours);
}

static bool gets(const context *c, int64_t unit)
{
    return c->op->after(c->n, c->root, c->rank, unit, c->placing.s->neighbours);
}

/* The side in which the schedule finds a unit, -1: in space. */
static int side_of(const context *c, int64_t unit)
{
    cpm_side found = cpm_placing_side(&c->placing, unit);
    return found == CPM_RECV_SIDE ? RECV : found == CPM_SEND_SIDE ? SEND : -1;
}

static mpib_place place(const void *x, int64_t unit, int piece)
{
    const context *c = x;
    (void)piece;
    int which = side_of(c, unit);
    if (which < 0)
        return (mpib_place){MPIB_SPACE, c->passing[unit]};
    return c->side[which].blocks[block_of(c, which, unit)].at;
}

static type look_at(MPI_Datatype of)
{
    return (type){of, mpib_type_size(of), mpib_type_is_dense(of)};
}

static void set_block(block *b, const type *t, size_t count, mpib_place user)
{
    *b = (block){
        .type = *t, .count = count, .user = user.offset, .at = user, .room = count * t->size};
}

/* Blocks with a type of each; their displacements are bytes. */
static void set_typed_side(side *s, const mpib_side *from, int blocks)
{
    for (int b = 0; b < blocks; b++) {
        const type t = look_at(from->types[b]);
        set_block(&s->blocks[b], &t, mpib_count_of_block(from, b),
                  (mpib_place){s->base, from->displacements[b]});
    }
}

static void set_side(side *s, const mpib_side *from, int blocks)
{
    if (from->types) {
        set_typed_side(s, from, blocks);
        return;
    }
    const type t = look_at(from->type);
    const ptrdiff_t extent = (ptrdiff_t)mpib_type_extent(from->type);
    ptrdiff_t next = 0;
    for (int b = 0; b < blocks; b++) {
        const ptrdiff_t at = from->displacements ? from->displacements[b] : next;
        const size_t count = mpib_count_of_block(from, b);
        set_block(&s->blocks[b], &t, count, (mpib_place){s->base, at * extent});
        next += (ptrdiff_t)count;
    }
}

/* Packed space instead of the user's buffer: for all blocks, or for those whose elements do not lie
 * as their bytes do, or that are longer than the user has them, as in wrong calls. */
static void pack_side(context *c, int which, bool all, size_t *space)
{
    for (int b = 0; b < blocks_of(c, which); b++) {
        const size_t bytes = unit_bytes(c, unit_of(c, which, b));
        block *here = &c->side[which].blocks[b];
        here->packed = all || !here->type.dense || bytes > here->room;
        if (!here->packed)
            continue;
        here->at = (mpib_place){MPIB_SPACE, (ptrdiff_t)*space};
        here->room = bytes > here->room ? bytes : here->room;
        *space += here->room;
    }
}

static void set_sides(context *c, const mpib_arguments *a, size_t *space)
{
    const mpib_side *given[2] = {&a->send, &a->recv};
    for (int which = 0; which < 2; which++) {
        side *s = &c->side[which];
        int blocks = blocks_of(c, which);
        bool missing = a->in_place && given[which] == mpib_side_of(a, c->op->in_place);
        s->base = which == SEND ? MPIB_SEND_BUFFER : MPIB_RECV_BUFFER;
        s->present = blocks > 0 && !missing;
        if (s->present) {
            set_side(s, given[which], blocks);
            pack_side(c, which, false, space);
        }
    }
    if (a->in_place && c->pairs) { /* what is to be sent is saved from what arrives */
        side *s = &c->side[SEND];
        s->present = true;
        s->base = MPIB_RECV_BUFFER;
        set_side(s, &a->recv, c->n);
        pack_side(c, SEND, true, space);
    }
}

/* ---- what lies in space ---- */

/* Marks the units of a run that lie there. */
static int mark(context *c, cpm_run run, cpm_error *e)
{
    const cpm_schedule *s = c->placing.s;
    size_t units = (size_t)cpm_schedule_units(s);
    for (int64_t p = run.first; p < run.first + run.count; p++) {
        int64_t unit = cpm_unit_at(s, p);
        if (side_of(c, unit) >= 0)
            continue;
        if (!c->passing) {
            c->passing = malloc(units * sizeof *c->passing);
            for (size_t u = 0; c->passing && u < units; u++)
                c->passing[u] = -1;
        }
        if (!c->passing)
            return cpm_no_memory(e);
        c->passing[unit] = 0;
    }
    return CPM_OK;
}

/* In the order of positions, so that a run of them is one message. */
static void give_places(context *c, size_t *space)
{
    int64_t units = cpm_schedule_units(c->placing.s);
    for (int64_t p = 0; c->passing && p < units; p++) {
        int64_t unit = cpm_unit_at(c->placing.s, p);
        if (c->passing[unit] < 0)
            continue;
        c->passing[unit] = (ptrdiff_t)*space;
        *space += unit_bytes(c, unit);
    }
}

static int find_passing(context *c, size_t *space, cpm_error *e)
{
    cpm_steps steps = {0};
    int status = cpm_schedule_rank(c->placing.s, c->rank, &steps, e);
    c->placing.send = c->side[SEND].present;
    c->placing.recv = c->side[RECV].present;
    if (status == CPM_OK)
        cpm_placing_see(&c->placing, &steps);
    for (int i = 0; i < steps.count && status == CPM_OK; i++)
        for (int k = 0; k < steps.at[i].runs && status == CPM_OK; k++)
            status = mark(c, cpm_step_run(&steps, &steps.at[i], k), e);
    cpm_steps_free(&steps);
    if (status == CPM_OK)
        give_places(c, space);
    return status;
}

/* ---- what is moved within the rank ---- */

/* As many of a block's elements as there is room for; truncated is set if that is not all. */
static size_t fitting(const block *b, size_t room, bool *truncated)
{
    size_t most = b->type.size ? room / b->type.size : b->count;
    *truncated = *truncated || b->count > most;
    return b->count < most ? b->count : most;
}

/* Whether a unit that is not in the user's buffers has a place. */
static bool is_in_space(const context *c, int64_t unit)
{
    return side_of(c, unit) < 0 && c->passing && c->passing[unit] >= 0;
}

/* Where the rank gets what it gives, there may be less room for it. */
static size_t room_for(const context *c, int64_t unit)
{
    int which = side_of(c, unit);
    return which < 0 ? unit_bytes(c, unit) : c->side[which].blocks[block_of(c, which, unit)].room;
}

/* A unit that the rank gives goes from the user's buffer to where the schedule finds it. */
static int move_before(const context *c, int64_t unit, mpib_arrangement *out, cpm_error *e)
{
    int from = c->side[SEND].present ? SEND : RECV;
    if (!c->side[from].present || (side_of(c, unit) < 0 && !is_in_space(c, unit)))
        return CPM_OK;
    const block *b = &c->side[from].blocks[block_of(c, from, unit)];
    mpib_place user = {c->side[from].base, b->user}, to = place(c, unit, 0);
    mpib_move move = {.kind = MPIB_PACK,
                      .from = user,
                      .to = to,
                      .elements = fitting(b, room_for(c, unit), &out->truncated),
                      .type = b->type.of,
                      .dense = b->type.dense};
    bool there = user.base == to.base && user.offset == to.offset;
    return there || move.elements == 0 ? CPM_OK : mpib_moves_add(&out->before, &move, e);
}

/* What the rank gets goes from space to the user's buffer, unless it was there before. */
static int move_after(const context *c, int64_t unit, mpib_arrangement *out, cpm_error *e)
{
    const side *s = &c->side[RECV];
    bool through = is_in_space(c, unit);
    if (!s->present || (gives(c, unit) && !c->side[SEND].present))
        return CPM_OK;
    const block *b = &s->blocks[block_of(c, RECV, unit)];
    if (!b->packed && !through)
        return CPM_OK;
    bool shorter = false;
    size_t bytes = unit_bytes(c, unit);
    mpib_move move = {.kind = MPIB_UNPACK,
                      .from = through ? place(c, unit, 0) : b->at,
                      .to = {s->base, b->user},
                      .elements = fitting(b, bytes, &shorter),
                      .type = b->type.of,
                      .dense = b->type.dense};
    out->truncated = out->truncated || bytes > b->count * b->type.size;
    return move.elements == 0 ? CPM_OK : mpib_moves_add(&out->after, &move, e);
}

/* The units that a rank gives or gets: of pairs only its own row and column. */
static int add_moves(const context *c, int64_t units, mpib_arrangement *out, cpm_error *e)
{
    int status = CPM_OK;
    int64_t count = c->pairs ? 2 * (int64_t)c->n : units;
    for (int64_t k = 0; k < count && status == CPM_OK; k++) {
        int64_t unit = !c->pairs  ? k
                       : k < c->n ? c->rank * (int64_t)c->n + k
                                  : (k - c->n) * c->n + c->rank;
        if (gives(c, unit) && (!c->pairs || k < c->n))
            status = move_before(c, unit, out, e);
        if (status == CPM_OK && gets(c, unit) && (!c->pairs || k >= c->n))
            status = move_after(c, unit, out, e);
    }
    return status;
}

/* Of a side at any rank. */
static size_t most_blocks(const cpm_schedule *s)
{
    int neighbours = s->neighbours ? cpm_neighbours_most(s->neighbours) : 0;
    return (size_t)(neighbours > s->n ? neighbours : s->n);
}

/* The context and its blocks in one piece of memory. */
static context *allocate(const mpib_arguments *a, const cpm_schedule *s)
{
    size_t n = most_blocks(s);
    context *c = calloc(1, sizeof *c + 2 * n * sizeof(block));
    if (!c)
        return NULL;
    for (size_t which = 0; which < 2; which++)
        c->side[which].blocks = (block *)(c + 1) + which * n;
    c->op = a->operation;
    c->n = s->n;
    c->root = s->root;
    c->pairs = cpm_operation_is_of_pairs(c->op);
    PMPI_Comm_rank(a->comm, &c->rank);
    c->placing = (cpm_placing){.s = s, .rank = c->rank, .pairs = c->pairs};
    return c;
}

int mpib_arrange_blocks(const mpib_arguments *arguments, const cpm_schedule *s,
                        const cpm_block_sizes *sizes, mpib_arrangement *out, cpm_error *e)
{
    context *c = allocate(arguments, s);
    if (!c)
        return cpm_no_memory(e);
    out->sizes = *sizes;
    out->context = c;
    c->sizes = &out->sizes;
    set_sides(c, arguments, &out->space);
    int status = find_passing(c, &out->space, e);
    if (status == CPM_OK)
        status = add_moves(c, cpm_schedule_units(s), out, e);
    out->layout = (mpib_layout){.schedule = s,
                                .sizes = &out->sizes,
                                .place = place,
                                .context = c,
                                .op = MPI_OP_NULL,
                                .commutes = true};
    out->passing = c->passing;
    return status;
}
