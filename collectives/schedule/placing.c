#include "collectives/schedule/placing.h"

#include "collectives/schedule/from_input.h"

/* Where a position lies: its place in the order of its side. */
typedef struct {
    cpm_side side;
    int64_t index;
} spot;

int cpm_placing_usual(const cpm_schedule *s, const cpm_steps *steps, int rank, cpm_placing *out,
                      cpm_error *e)
{
    cpm_placing p = {.s = s, .rank = rank, .recv = true};
    const cpm_operation *o = s->operation;
    *out = p;
    if (!o)
        return CPM_OK;
    bool at_root = rank == s->root, stays = cpm_operation_stays_in_place(o, at_root);
    p.pairs = cpm_operation_is_of_pairs(o);
    p.send = cpm_placing_blocks(&p, CPM_SEND_SIDE) > 0 && !(stays && o->in_place == CPM_SEND_SIDE);
    p.recv = cpm_placing_blocks(&p, CPM_RECV_SIDE) > 0 && !(stays && o->in_place == CPM_RECV_SIDE);
    cpm_placing_see(&p, steps);
    *out = p;
    return o->combines ? cpm_take_from_input(s, steps, rank, NULL, &out->from_input, e) : CPM_OK;
}

static int neighbours_of(const cpm_placing *p, cpm_side side)
{
    const cpm_neighbours *g = p->s->neighbours;
    const int *first = side == CPM_SEND_SIDE ? g->first_out : g->first_in;
    return first[p->rank + 1] - first[p->rank];
}

int cpm_placing_blocks(const cpm_placing *p, cpm_side side)
{
    switch (cpm_operation_blocks(p->s->operation, side, p->rank == p->s->root)) {
    case CPM_NO_BLOCK:
        return 0;
    case CPM_ONE_BLOCK:
        return 1;
    case CPM_BLOCK_OF_EACH:
        return p->s->n;
    default:
        return neighbours_of(p, side);
    }
}

/* A unit of neighbours is an edge, or what its process sends along all of its edges. */
static int64_t block_of_neighbour(const cpm_placing *p, cpm_side side, int64_t unit)
{
    const cpm_neighbours *g = p->s->neighbours;
    bool one = p->s->operation->send.elsewhere == CPM_ONE_BLOCK;
    if (side == CPM_SEND_SIDE)
        return one ? 0 : unit - g->first_out[p->rank];
    return g->place[one ? cpm_neighbours_edge(g, (int)unit, p->rank) : unit];
}

int64_t cpm_placing_unit(const cpm_placing *p, cpm_side side, int block)
{
    const cpm_neighbours *g = p->s->neighbours;
    bool sent = side == CPM_SEND_SIDE;
    if (p->pairs)
        return sent ? (int64_t)p->rank * p->s->n + block : (int64_t)block * p->s->n + p->rank;
    if (g && p->s->operation->send.elsewhere == CPM_ONE_BLOCK)
        return sent ? p->rank : g->from[g->in[g->first_in[p->rank] + block]];
    if (g)
        return sent ? g->first_out[p->rank] + block : g->in[g->first_in[p->rank] + block];
    if (cpm_placing_blocks(p, side) == p->s->n)
        return block;
    return cpm_operation_is_whole(p->s->operation) ? 0 : p->rank;
}

int64_t cpm_placing_block(const cpm_placing *p, cpm_side side, int64_t unit)
{
    if (p->s->neighbours)
        return block_of_neighbour(p, side, unit);
    if (p->pairs)
        return side == CPM_SEND_SIDE ? unit % p->s->n : unit / p->s->n;
    return cpm_placing_blocks(p, side) == p->s->n ? unit : 0;
}

static bool gives(const cpm_placing *p, int64_t unit)
{
    return p->s->operation->before(p->s->n, p->s->root, p->rank, unit, p->s->neighbours);
}

static bool gets(const cpm_placing *p, int64_t unit)
{
    return p->s->operation->after(p->s->n, p->s->root, p->rank, unit, p->s->neighbours);
}

cpm_side cpm_placing_side(const cpm_placing *p, int64_t unit)
{
    if (p->through)
        return CPM_NEITHER_SIDE;
    if (p->recv && gets(p, unit))
        return CPM_RECV_SIDE;
    return p->send && gives(p, unit) ? CPM_SEND_SIDE : CPM_NEITHER_SIDE;
}

/* Of a rank that is not the root all units but its own pass through. */
void cpm_placing_see(cpm_placing *p, const cpm_steps *steps)
{
    const cpm_operation *o = p->s->operation;
    p->through = false;
    if (!o->rooted || o->combines || p->rank == p->s->root || cpm_operation_is_whole(o))
        return;
    for (int k = 0; k < steps->count && !p->through; k++)
        for (int r = 0; r < steps->at[k].runs && !p->through; r++) {
            cpm_run run = cpm_step_run(steps, &steps->at[k], r);
            p->through = run.count > 1 || cpm_unit_at(p->s, run.first) != p->rank;
        }
}

static int64_t pieces_of(const cpm_schedule *s)
{
    return s->pieces > 1 ? s->pieces : 1;
}

static spot spot_of(const cpm_placing *p, int64_t position)
{
    const cpm_schedule *s = p->s;
    int64_t unit = cpm_unit_at(s, position), piece = cpm_piece_at(s, position);
    if (s->apart) /* its own contribution lies where the user has it */
        return (spot){piece == p->rank ? CPM_SEND_SIDE : CPM_NEITHER_SIDE, position};
    if (!s->operation || s->operation->combines)
        return (spot){CPM_RECV_SIDE, unit * pieces_of(s) + piece};
    cpm_side side = cpm_placing_side(p, unit);
    int64_t block = side == CPM_NEITHER_SIDE ? position % cpm_schedule_units(s)
                                             : cpm_placing_block(p, side, unit);
    return (spot){side, block * pieces_of(s) + piece};
}

static bool follows(spot a, spot b)
{
    return a.side == b.side && a.index + 1 == b.index;
}

/* Whether no position of a run lies elsewhere than between its ends, if these are as far apart as
 * the run is long: all pass through, or only one's own unit does not. */
static bool is_plain(const cpm_placing *p, cpm_run run, cpm_side side)
{
    const cpm_schedule *s = p->s;
    if (s->apart || p->pairs || s->neighbours)
        return false;
    if (!s->operation || s->operation->combines)
        return !s->order;
    if (side == CPM_NEITHER_SIDE)
        return p->through;
    return !s->order && (run.count < 3 || cpm_placing_side(p, p->rank) == side);
}

/* Pieces of a run whose first position lies at first; *last gets where its last one does. */
static int64_t pieces_of_run(const cpm_placing *p, cpm_run run, spot first, spot *last)
{
    int64_t count = 1;
    *last = spot_of(p, run.first + run.count - 1);
    if (run.count < 2 || (last->side == first.side && last->index - first.index == run.count - 1 &&
                          is_plain(p, run, first.side)))
        return 1;
    spot before = first;
    for (int64_t k = 1; k < run.count; k++) {
        spot next = spot_of(p, run.first + k);
        count += !follows(before, next);
        before = next;
    }
    return count;
}

int64_t cpm_step_pieces(const cpm_placing *p, const cpm_steps *steps, const cpm_step *step)
{
    int64_t count = 0;
    spot last = {0};
    for (int r = 0; r < step->runs; r++) {
        cpm_run run = cpm_step_run(steps, step, r);
        spot first = spot_of(p, run.first);
        bool joined = count > 0 && follows(last, first);
        count += pieces_of_run(p, run, first, &last) - joined;
    }
    return count;
}

/* ---- copies besides */

static size_t unit_bytes(const cpm_block_sizes *sizes, int64_t unit)
{
    return sizes->each ? sizes->each[unit] : sizes->bytes;
}

static size_t bytes_of_all(const cpm_schedule *s, const cpm_block_sizes *sizes)
{
    size_t all = 0;
    int64_t units = cpm_schedule_units(s);
    if (!sizes->each)
        return (size_t)units * sizes->bytes;
    for (int64_t u = 0; u < units; u++)
        all += sizes->each[u];
    return all;
}

static bool receives(const cpm_steps *steps)
{
    for (int k = 0; k < steps->count; k++)
        if (cpm_step_receives(&steps->at[k]))
            return true;
    return false;
}

/* The contribution goes to where it is added to, unless it is taken from where it lies, and a part
 * of the result from there; with contributions apart the first to be combined goes to the result.
 */
static void copies_of_reduction(const cpm_placing *p, const cpm_steps *steps,
                                const cpm_block_sizes *sizes, cpm_own_copies *c)
{
    const cpm_schedule *s = p->s;
    bool whole = cpm_operation_is_whole(s->operation);
    int64_t own = whole ? 0 : p->rank;
    bool result = gets(p, own);
    if (!s->apart && !p->from_input && ((whole && result) || receives(steps))) {
        c->before = 1;
        c->bytes_before = bytes_of_all(s, sizes);
    }
    if (result && (s->apart || !whole)) {
        c->after = 1;
        c->bytes_after = unit_bytes(sizes, own);
    }
}

/* A process may be its own neighbour. */
static void copies_of_edges(const cpm_placing *p, const cpm_block_sizes *sizes, cpm_own_copies *c)
{
    const cpm_neighbours *g = p->s->neighbours;
    for (int k = g->first_out[p->rank]; k < g->first_out[p->rank + 1]; k++)
        if (g->to[k] == p->rank) {
            c->before++;
            c->bytes_before += unit_bytes(sizes, k);
        }
}

/* What a rank gives itself, and its own unit if that travels with others. */
static void copies_of_blocks(const cpm_placing *p, const cpm_block_sizes *sizes, cpm_own_copies *c)
{
    if (p->s->neighbours && p->s->operation->send.elsewhere == CPM_BLOCK_OF_NEIGHBOUR) {
        copies_of_edges(p, sizes, c);
        return;
    }
    int64_t own = p->pairs ? (int64_t)p->rank * p->s->n + p->rank : p->rank;
    bool has = !cpm_operation_is_whole(p->s->operation);
    if (has && gives(p, own) && p->send && (p->through || (p->recv && gets(p, own)))) {
        c->before = 1;
        c->bytes_before = unit_bytes(sizes, own);
    }
    if (has && gets(p, own) && p->through) {
        c->after = 1;
        c->bytes_after = unit_bytes(sizes, own);
    }
}

cpm_own_copies cpm_placing_copies(const cpm_placing *p, const cpm_steps *steps,
                                  const cpm_block_sizes *sizes)
{
    cpm_own_copies c = {0};
    if (!p->s->operation || p->s->operation->dataless)
        return c;
    if (p->s->operation->combines)
        copies_of_reduction(p, steps, sizes, &c);
    else
        copies_of_blocks(p, sizes, &c);
    if (!c.bytes_before)
        c.before = 0;
    if (!c.bytes_after)
        c.after = 0;
    return c;
}

cpm_own_work cpm_placing_work(const cpm_placing *p, const cpm_steps *steps,
                              const cpm_block_sizes *sizes, cpm_combine_function *combine,
                              cpm_copy_function *copy, const void *model)
{
    int further = p->s->calls > 1 ? p->s->calls - 1 : 0;
    cpm_own_work w = {.after =
                          cpm_steps_combine_apart(p->s, steps, p->rank, sizes, combine, model)};
    if (!copy)
        return w;
    cpm_own_copies c = cpm_placing_copies(p, steps, sizes);
    double after = c.after ? copy(model, p->rank, c.after, c.bytes_after) : 0;
    w.before = c.before ? copy(model, p->rank, c.before, c.bytes_before) : 0;
    w.after += after + further * (w.before + after);
    return w;
}
