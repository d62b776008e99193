/* A run: the user's blocks are found, then each round's messages are given what they carry. What
 * fails is noted, and the run goes on: where there is no memory for what a message carries it goes,
 * or comes, without, so that nobody waits and nothing is left for a later call. */
#include <stdlib.h>
#include <string.h>

#include "executor/any_sizes.h"
#include "executor/emergency.h"
#include "executor/unit_sizes.h"

typedef struct {
    mpib_any_sizes *x;
    const mpib_arguments *a;
    MPI_Comm comm;
    int tag, failed;
    bool too_long; /* a block is longer than its buffer: the others are served all the same */
    const mpib_side *side; /* of the units that this rank knows */
    char *user;            /* its buffer */
    char *other;           /* at the root: where its own block comes from or goes to */
    bool dense;            /* the elements of side lie as their bytes do */
    mpib_unit *own;
    bool late; /* something is sent after its round */
} run;

static void note(run *r, int failed)
{
    r->failed = r->failed ? r->failed : failed;
}

static char *grow(run *r, mpib_buffer *b, size_t bytes)
{
    if (bytes <= b->room && b->at)
        return b->at;
    free(b->at);
    b->at = mpib_emergency_malloc(bytes + 1);
    b->room = b->at ? bytes : 0;
    note(r, b->at ? MPI_SUCCESS : MPI_ERR_NO_MEM);
    return b->at;
}

/* A unit that this rank knows; NULL: it does not. */
static mpib_unit *known(const run *r, int unit)
{
    if (r->x->rank == r->x->root)
        return &r->x->units[unit];
    return unit == r->x->rank ? r->own : NULL;
}

/* Where a piece of a unit begins, and how long it is. */
static size_t piece_of(const mpib_any_sizes *x, const mpib_unit *u, int piece, size_t *bytes)
{
    const cpm_schedule shape = {.pieces = x->pieces};
    size_t from = cpm_piece_offset(&shape, u->bytes, 0, piece);
    *bytes = cpm_piece_offset(&shape, u->bytes, 0, piece + 1) - from;
    return from;
}

/* Elements of the user's into bytes, one after the other, and back. */
static void convert(run *r, mpib_move_kind kind, const mpib_side *s, char *from, char *to,
                    size_t elements)
{
    const mpib_move m = {.kind = kind,
                         .elements = elements,
                         .type = s->type,
                         .dense = mpib_type_is_dense(s->type),
                         .size = mpib_type_size(s->type),
                         .extent = mpib_type_extent(s->type)};
    if (elements > 0 && m.size > 0)
        note(r, mpib_move_run(&m, from, to, r->comm, r->tag));
}

/* ---- the user's blocks ---- */

static void find_units(run *r)
{
    const mpib_side *s = r->side;
    ptrdiff_t extent = (ptrdiff_t)mpib_type_extent(s->type), next = 0;
    size_t size = mpib_type_size(s->type);
    for (int k = 0; k < r->x->known; k++) {
        mpib_unit *u = &r->x->units[k];
        u->elements = s->counts ? s->counts[k] : s->count;
        u->bytes = u->elements * size;
        u->user = u->at = r->user + (s->displacements ? s->displacements[k] : next) * extent;
        next += (ptrdiff_t)u->elements;
    }
}

static void make_empty(mpib_unit *units, int count)
{
    for (int k = 0; k < count; k++)
        units[k].elements = units[k].bytes = 0;
}

/* Makes them bytes, one after the other. */
static void flatten(run *r)
{
    mpib_any_sizes *x = r->x;
    size_t all = 0;
    for (int k = 0; k < x->known; k++)
        all += x->units[k].bytes;
    char *next = grow(r, &x->flat, all);
    if (!next)
        make_empty(x->units, x->known);
    for (int k = 0; next && k < x->known; next += x->units[k++].bytes) {
        x->units[k].at = next;
        if (r->side == &r->a->send)
            convert(r, MPIB_PACK, r->side, x->units[k].user, next, x->units[k].elements);
    }
}

static void unflatten(run *r)
{
    for (int k = 0; k < r->x->known; k++) {
        const mpib_unit *u = &r->x->units[k];
        bool stayed = u == r->own && r->a->in_place;
        if (!stayed)
            convert(r, MPIB_UNPACK, r->side, u->at, u->user, u->elements);
    }
}

/* The own block at the end of the space for it, named: there it touches what comes from the first
 * child. Whether it fits. */
static bool put_before(run *r)
{
    mpib_word bytes = r->own->bytes;
    if (r->x->before < sizeof bytes || bytes > r->x->before - sizeof bytes)
        return false;
    char *at = r->x->space + r->x->before - bytes;
    memcpy(at - sizeof bytes, &bytes, sizeof bytes);
    memcpy(at, r->own->at, bytes);
    r->own->at = at;
    return true;
}

static void set_blocks(run *r, bool named)
{
    for (int k = 0; k < r->x->count; k++) {
        mpib_block *b = &r->x->blocks[k];
        const mpib_unit *u = known(r, b->unit);
        *b = (mpib_block){.unit = b->unit, .piece = b->piece, .named = u && named};
        if (u)
            b->at = u->at + piece_of(r->x, u, b->piece, &b->bytes);
    }
}

/* The root's own block goes from its one buffer to its other one. Elements without bytes always
 * fit. */
static void move_own(run *r, cpm_side when)
{
    cpm_side which = r->x->op->in_place;
    const mpib_side *s = mpib_side_of(r->a, which);
    if (r->x->rank != r->x->root || r->a->in_place || which != when)
        return;
    size_t size = mpib_type_size(s->type), fitting = size ? r->own->bytes / size : s->count;
    size_t elements = s->count < fitting ? s->count : fitting;
    if (which == CPM_SEND_SIDE) {
        r->too_long = r->too_long || s->count > fitting;
        convert(r, MPIB_PACK, s, r->other, r->own->at, elements);
    } else {
        r->too_long = r->too_long || r->own->bytes > s->count * size;
        convert(r, MPIB_UNPACK, s, r->own->at, r->other, elements);
    }
}

static void begin(run *r)
{
    find_units(r);
    r->dense = mpib_type_is_dense(r->side->type);
    if (!r->dense)
        flatten(r);
    move_own(r, CPM_SEND_SIDE);
    set_blocks(r, put_before(r));
}

static void end(run *r)
{
    if (!r->dense && r->side == &r->a->recv)
        unflatten(r);
    move_own(r, CPM_RECV_SIDE);
}

/* ---- messages ---- */

static void set_message(run *r, mpib_message *m, const void *at, size_t bytes)
{
    m->at = (mpib_place){MPIB_MEMORY, (ptrdiff_t)(uintptr_t)at};
    note(r, mpib_message_size(m, bytes, NULL) == CPM_OK ? MPI_SUCCESS : MPI_ERR_NO_MEM);
}

static size_t message_bytes(const mpib_any_sizes *x, const mpib_message *m, bool named)
{
    size_t bytes = named ? (size_t)m->pieces * sizeof(mpib_word) : 0;
    for (int k = 0; k < m->pieces; k++)
        bytes += mpib_block_at(x, m, k)->bytes;
    return bytes;
}

/* Where the blocks of a message begin if they lie one after the other; else NULL. */
static char *lying(const mpib_any_sizes *x, const mpib_message *m, bool named)
{
    size_t head = named ? sizeof(mpib_word) : 0;
    char *first = NULL, *next = NULL;
    for (int k = 0; k < m->pieces; k++) {
        const mpib_block *b = mpib_block_at(x, m, k);
        if (named ? !b->named : b->bytes == 0) {
            if (named)
                return NULL;
            continue;
        }
        if (first && b->at - head != next)
            return NULL;
        first = first ? first : b->at - head;
        next = b->at + b->bytes;
    }
    return first;
}

static char *pack(run *r, const mpib_message *m, const mpib_parcel *c, char *to)
{
    char *next = to;
    for (int k = 0; k < m->pieces; k++) {
        const mpib_block *b = mpib_block_at(r->x, m, k);
        mpib_word bytes = b->bytes;
        if (c->named) {
            memcpy(next, &bytes, sizeof bytes);
            next += sizeof bytes;
        }
        memcpy(next, b->at, bytes);
        next += bytes;
    }
    return to;
}

/* The message that follows an announcement. */
static mpib_message whole_message(run *r, mpib_word announced)
{
    mpib_message whole = {.type = MPI_BYTE};
    set_message(r, &whole, NULL, announced & ~MPIB_LATER);
    return whole;
}

static void free_type(mpib_message *m)
{
    if (m->type != MPI_BYTE)
        PMPI_Type_free(&m->type);
}

static void prepare_send(run *r, mpib_message *m, mpib_parcel *c)
{
    size_t bytes = message_bytes(r->x, m, c->named);
    char *at = lying(r->x, m, c->named);
    if (!at && (at = grow(r, &c->own, bytes)))
        pack(r, m, c, at);
    bytes = at ? bytes : 0;
    c->announced = c->named && bytes > c->capacity ? MPIB_LATER | bytes : 0;
    c->late = at;
    if (c->announced)
        set_message(r, m, &c->announced, sizeof c->announced);
    else
        set_message(r, m, at, bytes);
}

static void prepare_receive(run *r, mpib_message *m, mpib_parcel *c)
{
    size_t bytes = c->named ? c->capacity : message_bytes(r->x, m, false);
    char *at = c->named ? c->landing : lying(r->x, m, false);
    c->announced = 0;
    if (c->named) /* one without blocks says so */
        memset(at, 0, (size_t)m->pieces * sizeof(mpib_word));
    c->packed = !at && (at = grow(r, &c->own, bytes));
    set_message(r, m, at, at ? bytes : 0);
}

/* What was announced in this round goes now. */
static void send_late(run *r, const mpib_message *m, mpib_parcel *c)
{
    mpib_message whole = whole_message(r, c->announced);
    note(r,
         PMPI_Isend(c->late, whole.count, whole.type, m->peer, r->tag + 1, r->comm, &c->request));
    free_type(&whole);
    r->late = true;
}

/* Where a named message lies; what was announced is received first. */
static char *named_message(run *r, const mpib_message *m, mpib_parcel *c)
{
    mpib_word first;
    memcpy(&first, c->landing, sizeof first);
    if (!(first & MPIB_LATER))
        return c->landing;
    char *at = grow(r, &c->own, first & ~MPIB_LATER);
    mpib_message whole = whole_message(r, at ? first : MPIB_LATER);
    int failed =
        PMPI_Recv(at, whole.count, whole.type, m->peer, r->tag + 1, r->comm, MPI_STATUS_IGNORE);
    note(r, failed);
    free_type(&whole);
    return failed ? NULL : at;
}

/* A block that came with others, into the user's buffer. */
static void take(run *r, const mpib_block *b)
{
    const mpib_unit *u = known(r, b->unit);
    size_t room;
    if (!u || !r->x->op->after(r->x->n, r->x->root, r->x->rank, b->unit, NULL))
        return;
    char *to = u->at + piece_of(r->x, u, b->piece, &room);
    if (b->bytes > room)
        r->too_long = true;
    else
        memcpy(to, b->at, b->bytes);
}

/* Without the message its blocks are empty. */
static void read_named(run *r, const mpib_message *m, mpib_parcel *c)
{
    char *message = named_message(r, m, c), *next = message;
    if (!message)
        next = memset(c->landing, 0, (size_t)m->pieces * sizeof(mpib_word));
    for (int k = 0; k < m->pieces; k++) {
        mpib_block *b = mpib_block_at(r->x, m, k);
        mpib_word bytes;
        memcpy(&bytes, next, sizeof bytes);
        b->at = next + sizeof bytes;
        b->bytes = bytes;
        b->named = true;
        take(r, b);
        next = b->at + bytes;
    }
}

static void unpack(const run *r, const mpib_message *m, const mpib_parcel *c)
{
    const char *next = c->own.at;
    for (int k = 0; k < m->pieces; k++) {
        const mpib_block *b = mpib_block_at(r->x, m, k);
        memcpy(b->at, next, b->bytes);
        next += b->bytes;
    }
}

/* ---- rounds ---- */

static void prepare_round(run *r, const mpib_round *round)
{
    for (int i = round->begin; i < round->end; i++) {
        mpib_message *m = &r->x->plan->messages[i];
        mpib_parcel *c = &r->x->parcels[i];
        if (mpib_message_receives(m))
            prepare_receive(r, m, c);
        else
            prepare_send(r, m, c);
    }
}

static void finish_round(run *r, const mpib_round *round)
{
    for (int i = round->begin; i < round->end; i++)
        if (r->x->parcels[i].announced)
            send_late(r, &r->x->plan->messages[i], &r->x->parcels[i]);
    for (int i = round->begin; i < round->end; i++) {
        const mpib_message *m = &r->x->plan->messages[i];
        mpib_parcel *c = &r->x->parcels[i];
        if (mpib_message_receives(m) && c->named)
            read_named(r, m, c);
        else if (mpib_message_receives(m) && c->packed)
            unpack(r, m, c);
    }
}

static void run_round(run *r, const mpib_round *round)
{
    char *const bases[MPIB_ALL_BASES] = {NULL};
    prepare_round(r, round);
    note(r, mpib_round_run(r->x->plan, round, bases, r->comm, r->tag));
    finish_round(r, round);
}

static void wait_late(run *r)
{
    for (int i = 0; r->late && i < r->x->plan->count; i++)
        if (r->x->parcels[i].announced)
            note(r, PMPI_Wait(&r->x->parcels[i].request, MPI_STATUS_IGNORE));
}

int mpib_any_sizes_run(mpib_any_sizes *x, const mpib_arguments *a, MPI_Comm comm, const void *send,
                       void *recv, int tag)
{
    run r = {.x = x, .a = a, .comm = comm, .tag = tag, .failed = MPI_SUCCESS};
    char *buffers[] = {(char *)send, recv}; /* nothing is written to the send buffer */
    r.side = mpib_significant_side(a, x->rank);
    r.user = buffers[r.side == &a->recv];
    r.other = buffers[r.side == &a->send];
    r.own = &x->units[x->rank == x->root ? x->rank : 0];
    begin(&r);
    for (int k = 0; k < x->plan->round_count; k++)
        run_round(&r, &x->plan->rounds[k]);
    wait_late(&r);
    end(&r);
    return r.failed || !r.too_long ? r.failed : MPI_ERR_TRUNCATE;
}
