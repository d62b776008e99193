/* One rank's steps as numbers. A position becomes the buffer and the block in it where the executor
 * finds it, so that the executor knows nothing of units. */
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "libraries/routine.h"

/* ---- numbers */

bool cpm_numbers_add(cpm_numbers *n, const int *values, int64_t count)
{
    if (!cpm_vector_reserve(&n->at, &n->capacity, n->count + count, sizeof *n->at))
        return false;
    for (int64_t k = 0; k < count; k++)
        n->at[n->count++] = values[k];
    return true;
}

bool cpm_numbers_equal(const cpm_numbers *a, const cpm_numbers *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->at, b->at, (size_t)a->count * sizeof *a->at) == 0);
}

void cpm_numbers_clear(cpm_numbers *n)
{
    free(n->at);
    *n = (cpm_numbers){0};
}

void cpm_program_clear(cpm_program *p)
{
    cpm_numbers_clear(&p->code);
    cpm_numbers_clear(&p->rounds);
    *p = (cpm_program){0};
}

/* ---- where a position is */

typedef struct {
    const cpm_operation *o;
    const cpm_schedule *s;
    const cpm_steps *steps;
    int rank;
    cpm_frame frame;
    int *passing; /* [units] which of those that pass through, -1: none; NULL: not needed yet */
    cpm_program *out;
} writer;

typedef struct {
    int base, block, piece;
    bool turns_block, turns_piece;
} spot;

static int blocks_of(const writer *w, cpm_side side)
{
    const int count[] = {[CPM_NO_BLOCK] = 0, [CPM_ONE_BLOCK] = 1, [CPM_BLOCK_OF_EACH] = w->s->n};
    return count[cpm_operation_blocks(w->o, side, w->rank == w->s->root)];
}

static spot in_side(const writer *w, cpm_side side, int64_t unit)
{
    int n = w->s->n, blocks = blocks_of(w, side);
    spot x = {.base = side == CPM_SEND_SIDE ? CPM_BASE_SEND : CPM_BASE_RECV};
    x.turns_block = blocks == n && n > 1;
    if (cpm_operation_is_of_pairs(w->o))
        x.block = (int)(side == CPM_SEND_SIDE ? unit % n : unit / n);
    else if (blocks == n)
        x.block = (int)unit;
    return x;
}

static int pass(writer *w, int64_t unit, spot *out, cpm_error *e)
{
    int64_t units = cpm_schedule_units(w->s);
    if (w->o->sizes != CPM_KNOWN_TO_ALL)
        return cpm_fail(e, CPM_EINVAL, "it passes on blocks whose sizes not all processes know");
    if (w->o->counts)
        return cpm_fail(e, CPM_EINVAL, "it passes on blocks of different sizes");
    if (!w->passing) {
        w->passing = malloc((size_t)units * sizeof *w->passing);
        if (!w->passing)
            return cpm_no_memory(e);
        memset(w->passing, -1, (size_t)units * sizeof *w->passing);
    }
    if (w->passing[unit] < 0)
        w->passing[unit] = w->out->passing++;
    *out = (spot){.base = CPM_BASE_PASSING, .block = w->passing[unit]};
    return CPM_OK;
}

static int moved_spot(writer *w, int64_t unit, spot *out, cpm_error *e)
{
    const cpm_schedule *s = w->s;
    if (w->o->rooted && !cpm_operation_is_whole(w->o) && w->rank == s->root && unit == s->root)
        return cpm_fail(e, CPM_EINVAL, "the root sends its own block");
    if (blocks_of(w, CPM_RECV_SIDE) && w->o->after(s->n, s->root, w->rank, unit, s->neighbours))
        *out = in_side(w, CPM_RECV_SIDE, unit);
    else if (blocks_of(w, CPM_SEND_SIDE) &&
             w->o->before(s->n, s->root, w->rank, unit, s->neighbours))
        *out = in_side(w, CPM_SEND_SIDE, unit);
    else
        return pass(w, unit, out, e);
    return CPM_OK;
}

/* Of a reduction: what the rank accumulates, or contributions that lie apart, by process. */
static int combined_spot(const writer *w, int64_t unit, int piece, spot *out, cpm_error *e)
{
    bool several = !cpm_operation_is_whole(w->o);
    *out = (spot){.base = CPM_BASE_SEND,
                  .block = (int)unit,
                  .piece = w->s->apart ? 0 : piece,
                  .turns_block = several};
    if (!w->s->apart || piece == w->rank)
        return CPM_OK;
    if (several && unit != w->rank)
        return cpm_fail(e, CPM_EINVAL, "it passes on contributions of others");
    *out = (spot){.base = CPM_BASE_RECV, .block = piece, .turns_block = true};
    return CPM_OK;
}

/* The number that the executor turns into this one. */
static int turned_back(const writer *w, int number)
{
    int n = w->s->n, origin = w->frame.from == CPM_FROM_ROOT ? w->s->root : w->rank;
    if (w->frame.from == CPM_AS_THEY_ARE)
        return number;
    return w->frame.from == CPM_XOR_RANK ? number ^ origin : (number - origin + n) % n;
}

static int find_spot(writer *w, int64_t position, spot *out, cpm_error *e)
{
    int64_t unit = cpm_unit_at(w->s, position);
    int piece = cpm_piece_at(w->s, position), n = w->s->n;
    int status =
        w->o->combines ? combined_spot(w, unit, piece, out, e) : moved_spot(w, unit, out, e);
    if (status)
        return status;
    if (!w->s->apart)
        out->piece = piece;
    out->turns_block = out->turns_block && w->frame.from != CPM_AS_THEY_ARE;
    out->turns_piece = w->frame.pieces && !w->s->apart;
    if (out->turns_block)
        out->block = turned_back(w, out->block);
    if (out->turns_piece)
        out->piece += turned_back(w, out->piece % n) - out->piece % n;
    return CPM_OK;
}

/* ---- runs */

static int bits_of(const spot *x)
{
    return x->base | (x->turns_block ? CPM_RUN_TURNS_BLOCK : 0) |
           (x->turns_piece ? CPM_RUN_TURNS_PIECE : 0);
}

/* Makes a run longer, if the spot is its next one. */
static bool extend(const writer *w, int *run, const spot *x)
{
    int count = run[CPM_RUN_COUNT], bits = bits_of(x), block = run[CPM_RUN_BLOCK];
    bool of_pieces = run[CPM_RUN_BITS] & CPM_RUN_OF_PIECES;
    if ((run[CPM_RUN_BITS] & ~CPM_RUN_OF_PIECES) != bits)
        return false;
    if (x->block == block && x->piece == run[CPM_RUN_PIECE] + count && (of_pieces || count == 1)) {
        run[CPM_RUN_BITS] |= CPM_RUN_OF_PIECES;
    } else {
        int next = x->turns_block ? (block + count) % w->s->n : block + count;
        if (of_pieces || x->block != next || x->piece != run[CPM_RUN_PIECE])
            return false;
    }
    run[CPM_RUN_COUNT]++;
    return true;
}

/* message: where it begins in the code. */
static int add_spot(const writer *w, int64_t message, const spot *x, cpm_error *e)
{
    cpm_numbers *code = &w->out->code;
    int *runs = &code->at[message + CPM_MESSAGE_RUNS];
    if (*runs && extend(w, &code->at[code->count - CPM_RUN_NUMBERS], x))
        return CPM_OK;
    (*runs)++;
    const int run[CPM_RUN_NUMBERS] = {bits_of(x), x->block, x->piece, 1};
    return cpm_numbers_add(code, run, CPM_RUN_NUMBERS) ? CPM_OK : cpm_no_memory(e);
}

/* ---- messages and rounds */

static int chunks_of(const int *message)
{
    int chunks = 0;
    const int *run = message + CPM_MESSAGE_NUMBERS;
    for (int k = 0; k < message[CPM_MESSAGE_RUNS]; k++, run += CPM_RUN_NUMBERS) {
        bool together =
            run[CPM_RUN_BITS] & CPM_RUN_OF_PIECES && !(run[CPM_RUN_BITS] & CPM_RUN_TURNS_PIECE);
        chunks += together ? 1 : run[CPM_RUN_COUNT];
    }
    return chunks;
}

static int add_message(writer *w, const cpm_step *step, int *chunks, cpm_error *e)
{
    cpm_numbers *code = &w->out->code;
    int64_t at = code->count;
    int status = CPM_OK;
    const int head[CPM_MESSAGE_NUMBERS] = {step->kind, turned_back(w, step->peer), 0};
    if (!cpm_step_is_message(step) || step->deferred)
        return cpm_fail(e, CPM_EINVAL, "it waits for messages only at its end");
    if (!cpm_numbers_add(code, head, CPM_MESSAGE_NUMBERS))
        return cpm_no_memory(e);
    for (int k = 0; k < step->runs && !w->o->dataless; k++) {
        cpm_run run = cpm_step_run(w->steps, step, k);
        for (int64_t p = run.first; p < run.first + run.count && !status; p++) {
            spot x = {0};
            status = find_spot(w, p, &x, e);
            status = status ? status : add_spot(w, at, &x, e);
        }
    }
    w->out->receives = w->out->receives || cpm_step_receives(step);
    if (!status)
        *chunks += chunks_of(&code->at[at]);
    return status;
}

/* The steps of one round, from k on; sets the one behind it. */
static int add_round(writer *w, int k, int *behind, cpm_error *e)
{
    cpm_program *p = w->out;
    int end = k, chunks = 0, status = CPM_OK;
    while (end < w->steps->count && w->steps->at[end].round == w->steps->at[k].round)
        end++;
    const int at = (int)p->code.count, count = end - k;
    if (!cpm_numbers_add(&p->rounds, &at, 1) || !cpm_numbers_add(&p->code, &count, 1))
        return cpm_no_memory(e);
    for (; k < end && !status; k++)
        status = add_message(w, &w->steps->at[k], &chunks, e);
    p->messages = count > p->messages ? count : p->messages;
    p->chunks = chunks > p->chunks ? chunks : p->chunks;
    *behind = end;
    return status;
}

int cpm_program_of(const cpm_operation *o, const cpm_schedule *s, int rank, cpm_frame frame,
                   cpm_program *out, cpm_error *e)
{
    cpm_steps steps = {0};
    writer w = {.o = o, .s = s, .steps = &steps, .rank = rank, .frame = frame, .out = out};
    int status = cpm_schedule_rank(s, rank, &steps, e);
    for (int k = 0; k < steps.count && !status;)
        status = add_round(&w, k, &k, e);
    free(w.passing);
    cpm_steps_free(&steps);
    if (status)
        cpm_program_clear(out);
    return status;
}
