/* One bit per rank and position says that a block is there; a reduction needs one per contributing
 * rank as well. A combination never loses or doubles a contribution, so a full set is exactly one
 * contribution of each process. */
#include "collectives/schedule/ownership.h"

#include <stdlib.h>
#include <string.h>

struct cpm_ownership {
    const cpm_schedule *s;
    const cpm_operation *op;
    bool ordered;
    size_t words;   /* of one set of contributions, 0: blocks are held or not */
    uint64_t *held; /* [n][blocks] bits, or [n][blocks][words] */
};

static bool bit(const uint64_t *bits, size_t k)
{
    return bits[k / 64] >> (k % 64) & 1;
}

static void set_bit(uint64_t *bits, size_t k)
{
    bits[k / 64] |= UINT64_C(1) << (k % 64);
}

static size_t words_per_rank(const cpm_ownership *h)
{
    size_t blocks = (size_t)h->s->blocks;
    return h->words ? blocks * h->words : (blocks + 63) / 64;
}

static uint64_t *of_rank(const cpm_ownership *h, int rank)
{
    return h->held + (size_t)rank * words_per_rank(h);
}

static uint64_t *set_of(const cpm_ownership *h, int rank, int64_t position)
{
    return of_rank(h, rank) + (size_t)position * h->words;
}

static void begin(cpm_ownership *h, int rank)
{
    const cpm_schedule *s = h->s;
    for (int64_t p = 0; p < s->blocks; p++) {
        bool before = h->op->before(s->n, s->root, rank, cpm_unit_at(s, p), s->neighbours);
        if (!before || (s->apart && cpm_piece_at(s, p) != rank))
            continue;
        if (h->words)
            set_bit(set_of(h, rank, p), (size_t)rank);
        else
            set_bit(of_rank(h, rank), (size_t)p);
    }
}

int cpm_ownership_create(const cpm_schedule *s, const cpm_operation *op, bool ordered,
                         cpm_ownership **out, cpm_error *e)
{
    cpm_ownership *h = calloc(1, sizeof *h);
    if (!h)
        return cpm_no_memory(e);
    *h = (cpm_ownership){.s = s, .op = op, .ordered = ordered};
    h->words = op->combines && !s->apart ? ((size_t)s->n + 63) / 64 : 0;
    h->held = calloc((size_t)s->n * words_per_rank(h) + 1, sizeof *h->held);
    if (!h->held) {
        cpm_ownership_free(h);
        return cpm_no_memory(e);
    }
    for (int rank = 0; rank < s->n; rank++)
        begin(h, rank);
    *out = h;
    return CPM_OK;
}

void cpm_ownership_free(cpm_ownership *h)
{
    if (!h)
        return;
    free(h->held);
    free(h);
}

typedef struct {
    char text[CPM_POSITION_NAME];
} position_name;

static position_name name_of(const cpm_ownership *h, int64_t position)
{
    position_name name;
    cpm_position_name(h->s, position, name.text);
    return name;
}

static int check_held(const cpm_ownership *h, int rank, const cpm_step *step, cpm_run run,
                      cpm_error *e)
{
    for (int64_t p = run.first; p < run.first + run.count; p++)
        if (!bit(of_rank(h, rank), (size_t)p))
            return cpm_fail(e, CPM_EWRONG, "rank %d sends %s to rank %d without holding it", rank,
                            name_of(h, p).text, step->peer);
    return CPM_OK;
}

static int copy(const cpm_ownership *h, int rank, const cpm_steps *steps, const cpm_step *step,
                uint64_t **content, cpm_error *e)
{
    size_t size = h->words * sizeof(uint64_t);
    uint64_t *to = malloc((size_t)cpm_step_positions(steps, step) * size + 1);
    if (!to)
        return cpm_no_memory(e);
    *content = to;
    for (int k = 0; k < step->runs; k++) {
        cpm_run run = cpm_step_run(steps, step, k);
        memcpy(to, set_of(h, rank, run.first), (size_t)run.count * size);
        to += (size_t)run.count * h->words;
    }
    return CPM_OK;
}

int cpm_ownership_send(const cpm_ownership *h, int rank, const cpm_steps *steps,
                       const cpm_step *step, uint64_t **content, cpm_error *e)
{
    *content = NULL;
    if (h->words)
        return copy(h, rank, steps, step, content, e);
    int code = CPM_OK;
    for (int k = 0; k < step->runs && !code; k++)
        code = check_held(h, rank, step, cpm_step_run(steps, step, k), e);
    return code;
}

/* The lowest and the highest member of a set that is not empty. */
static void ends_of(const cpm_ownership *h, const uint64_t *set, int *low, int *high)
{
    *low = h->s->n;
    *high = -1;
    for (int k = 0; k < h->s->n; k++)
        if (bit(set, (size_t)k)) {
            *low = k < *low ? k : *low;
            *high = k;
        }
}

static bool follows(const cpm_ownership *h, const uint64_t *before, const uint64_t *after)
{
    int low, high, next, last;
    ends_of(h, before, &low, &high);
    ends_of(h, after, &next, &last);
    return high + 1 == next;
}

static int combine(cpm_ownership *h, int rank, int peer, int64_t position, const uint64_t *incoming,
                   cpm_error *e)
{
    uint64_t *own = set_of(h, rank, position);
    bool in_order = peer < rank ? follows(h, incoming, own) : follows(h, own, incoming);
    if (h->ordered && !in_order)
        return cpm_fail(e, CPM_EWRONG, "rank %d combines %s of rank %d out of the order of ranks",
                        rank, name_of(h, position).text, peer);
    for (size_t w = 0; w < h->words; w++) {
        if (own[w] & incoming[w])
            return cpm_fail(e, CPM_EWRONG,
                            "rank %d gets a contribution to %s from rank %d a second time", rank,
                            name_of(h, position).text, peer);
        own[w] |= incoming[w];
    }
    return CPM_OK;
}

static int receive_run(cpm_ownership *h, int rank, const cpm_step *step, cpm_run run,
                       const uint64_t *content, cpm_error *e)
{
    int code = CPM_OK;
    for (int64_t k = 0; k < run.count && !code; k++) {
        int64_t p = run.first + k;
        const uint64_t *incoming = content + (size_t)k * h->words;
        if (!h->words)
            set_bit(of_rank(h, rank), (size_t)p);
        else if (step->kind == CPM_COMBINE)
            code = combine(h, rank, step->peer, p, incoming, e);
        else
            memcpy(set_of(h, rank, p), incoming, h->words * sizeof *incoming);
    }
    return code;
}

int cpm_ownership_receive(cpm_ownership *h, int rank, const cpm_steps *steps, const cpm_step *step,
                          const uint64_t *content, cpm_error *e)
{
    if (step->kind == CPM_COMBINE && !h->words)
        return cpm_fail(e, CPM_EWRONG,
                        "rank %d combines what rank %d sends, but %s combines nothing", rank,
                        step->peer, h->op->name);
    if (step->kind == CPM_RECV && h->op->leaves_own_out)
        return cpm_fail(e, CPM_EWRONG,
                        "rank %d takes what rank %d sends as it is, but %s wants it combined", rank,
                        step->peer, h->op->name);
    int code = CPM_OK;
    for (int k = 0; k < step->runs && !code; k++) {
        cpm_run run = cpm_step_run(steps, step, k);
        code = receive_run(h, rank, step, run, content, e);
        content += (size_t)run.count * h->words;
    }
    return code;
}

static int check_set(const cpm_ownership *h, int rank, int64_t position, cpm_error *e)
{
    for (int k = 0; k < h->s->n; k++) {
        bool there = bit(set_of(h, rank, position), (size_t)k);
        bool demanded = !h->op->contributes || h->op->contributes(k, rank);
        if (there != demanded)
            return cpm_fail(e, CPM_EWRONG, "rank %d ends with%s the contribution of rank %d to %s",
                            rank, there ? "" : "out", k, name_of(h, position).text);
    }
    return CPM_OK;
}

static int check_end(const cpm_ownership *h, int rank, int64_t p, cpm_error *e)
{
    const cpm_schedule *s = h->s;
    if (!h->op->after(s->n, s->root, rank, cpm_unit_at(s, p), s->neighbours))
        return CPM_OK;
    if (h->words)
        return check_set(h, rank, p, e);
    if (!bit(of_rank(h, rank), (size_t)p))
        return cpm_fail(e, CPM_EWRONG, "rank %d ends without %s", rank, name_of(h, p).text);
    return CPM_OK;
}

int cpm_ownership_check_end(const cpm_ownership *h, cpm_error *e)
{
    int code = CPM_OK;
    for (int rank = 0; rank < h->s->n && !code; rank++)
        for (int64_t p = 0; p < h->s->blocks && !code; p++)
            code = check_end(h, rank, p, e);
    return code;
}
