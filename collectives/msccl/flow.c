/* Data through copies, scratch buffers and sums. A process of a schedule has one sum of each block,
 * to which messages add; a gpu may keep what it received apart for some time, and add it later. */
#include "collectives/msccl/flow.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/vector.h"

enum { MOST_MOVED = 1 << 22 };

/* What a cell holds: nothing (position -1), a version of its gpu, or what messages brought and
 * nothing has been done with (version -1): the sum of some receipts. */
typedef struct {
    int64_t position, version;
    int64_t receipts; /* the last link; -1: none */
} value;

/* A chunk that a message brought. */
typedef struct {
    int64_t step;    /* that received it */
    int64_t version; /* that it became; -1: none yet */
} receipt;

typedef struct {
    int64_t receipt, before;
    int length; /* of the chain until here */
} chain_link;

typedef struct {
    const cpm_msccl_layout *l;
    const cpm_msccl *x;
    cpm_msccl_flow *out;
    value *cell;
    int64_t *latest; /* [n * positions] version of each gpu's position; -1: none */
    receipt *receipt;
    int64_t receipts, receipt_capacity;
    chain_link *link;
    int64_t links, link_capacity;
    cpm_error *e;
} flow;

static const value nothing = {-1, -1, -1};

static const char *name_of(const flow *f, int64_t position, char text[64])
{
    long long unit = position % f->l->units, piece = position / f->l->units, n = f->x->n;
    int length = cpm_operation_is_of_pairs(f->l->operation)
                     ? snprintf(text, 64, "block %lld>%lld", unit / n, unit % n)
                     : snprintf(text, 64, "block %lld", unit);
    if (f->l->pieces > 1)
        snprintf(text + length, 64 - (size_t)length, ".%lld", piece);
    return text;
}

static int64_t *latest_of(const flow *f, int gpu, int64_t position)
{
    return &f->latest[gpu * f->l->positions + position];
}

static int add_version(flow *f, int gpu, int64_t position, int64_t by, bool combined, int64_t *out)
{
    cpm_msccl_flow *o = f->out;
    if (!cpm_vector_reserve(&o->version, &o->version_capacity, o->versions + 1, sizeof *o->version))
        return cpm_no_memory(f->e);
    int64_t *latest = latest_of(f, gpu, position);
    if (*latest >= 0)
        o->version[*latest].next = o->versions;
    o->version[o->versions] = (cpm_msccl_version){by, -1, combined};
    *out = *latest = o->versions++;
    return CPM_OK;
}

/* ---- what was received */

static int add_link(flow *f, int64_t of, int64_t before, int64_t *out)
{
    if (f->links == MOST_MOVED)
        return cpm_fail(f->e, CPM_EPARSE, "%s: sums of more than %d chunks", f->x->name,
                        MOST_MOVED);
    if (!cpm_vector_reserve(&f->link, &f->link_capacity, f->links + 1, sizeof *f->link))
        return cpm_no_memory(f->e);
    int length = before < 0 ? 1 : f->link[before].length + 1;
    f->link[f->links] = (chain_link){of, before, length};
    *out = f->links++;
    return CPM_OK;
}

static int receive(flow *f, int64_t step, int64_t position, value *out)
{
    if (!cpm_vector_reserve(&f->receipt, &f->receipt_capacity, f->receipts + 1, sizeof(receipt)))
        return cpm_no_memory(f->e);
    f->receipt[f->receipts] = (receipt){step, -1};
    *out = (value){position, -1, -1};
    return add_link(f, f->receipts++, -1, &out->receipts);
}

static int use(flow *f, int64_t by, int64_t received, unsigned char how)
{
    unsigned char *now = &f->out->use[received];
    char text[64];
    if (*now == CPM_MSCCL_UNUSED || *now == how) {
        *now = how;
        return CPM_OK;
    }
    const cpm_msccl_item *item = &f->out->item[f->out->first[f->x->at[received].come]];
    return cpm_msccl_wrong(f->x, by, CPM_EPARSE, f->e,
                           "of what step %d of tb %d received (%s ...) some is added to what the "
                           "gpu has, and some is not; a schedule's message does one of both",
                           f->x->at[received].step, f->x->at[received].tb,
                           name_of(f, item->position, text));
}

/* What was received is from now on what the gpu has of the position, if it was received alone. */
static int take(flow *f, int64_t by, value *v)
{
    char text[64];
    if (v->version >= 0)
        return CPM_OK;
    const chain_link *last = &f->link[v->receipts];
    receipt *r = &f->receipt[last->receipt];
    if (last->length > 1 || (r->version >= 0 && f->out->version[r->version].combined))
        return cpm_msccl_wrong(f->x, by, CPM_EPARSE, f->e,
                               "uses a sum of %s apart from the gpu's own one; in a schedule each "
                               "process has one sum of a block",
                               name_of(f, v->position, text));
    int status = CPM_OK;
    if (r->version < 0) {
        status = use(f, by, r->step, CPM_MSCCL_TAKEN);
        if (!status)
            status =
                add_version(f, f->x->at[r->step].gpu, v->position, r->step, false, &r->version);
    }
    *v = (value){v->position, r->version, -1};
    return status;
}

/* ---- sums */

/* Adds what was received to what the gpu has. */
static int add_receipts(flow *f, int64_t by, int64_t link, value *own)
{
    char text[64];
    int status = CPM_OK;
    int gpu = f->x->at[by].gpu;
    if (own->version != *latest_of(f, gpu, own->position))
        return cpm_msccl_wrong(f->x, by, CPM_EPARSE, f->e,
                               "adds to a sum of %s that is not the gpu's last one; in a schedule "
                               "each process has one sum of a block",
                               name_of(f, own->position, text));
    for (; link >= 0 && !status; link = f->link[link].before) {
        receipt *r = &f->receipt[f->link[link].receipt];
        if (r->version >= 0)
            return cpm_msccl_wrong(f->x, by, CPM_EPARSE, f->e,
                                   "adds to %s what was added or "
                                   "used before",
                                   name_of(f, own->position, text));
        status = use(f, by, r->step, CPM_MSCCL_COMBINED);
        if (!status)
            status = add_version(f, gpu, own->position, r->step, true, &r->version);
        own->version = r->version;
    }
    return status;
}

/* The sum of what was received twice. */
static int join_receipts(flow *f, int64_t by, const value *a, const value *b, value *out)
{
    char text[64];
    int status = CPM_OK;
    *out = *a;
    if (f->link[a->receipts].length + f->link[b->receipts].length >= f->x->n)
        return cpm_msccl_wrong(f->x, by, CPM_EPARSE, f->e, "adds contributions to %s twice",
                               name_of(f, a->position, text));
    for (int64_t k = b->receipts; k >= 0 && !status; k = f->link[k].before)
        status = add_link(f, f->link[k].receipt, out->receipts, &out->receipts);
    return status;
}

static int check_sum(const flow *f, int64_t by, const value *a, const value *b)
{
    char text[2][64];
    if (!f->l->operation->combines)
        return cpm_msccl_wrong(f->x, by, CPM_EPARSE, f->e, "combines, which %s does not",
                               f->x->collective);
    if (a->position < 0 || b->position < 0)
        return cpm_msccl_wrong(f->x, by, CPM_EPARSE, f->e, "adds a chunk that holds nothing");
    if (a->position != b->position)
        return cpm_msccl_wrong(f->x, by, CPM_EPARSE, f->e, "adds %s to %s",
                               name_of(f, a->position, text[0]), name_of(f, b->position, text[1]));
    if (a->version >= 0 && b->version >= 0)
        return cpm_msccl_wrong(f->x, by, CPM_EPARSE, f->e,
                               "adds %s to itself: both chunks have what the gpu has of it",
                               name_of(f, a->position, text[0]));
    return CPM_OK;
}

static int add(flow *f, int64_t by, value a, value b, value *out)
{
    int status = check_sum(f, by, &a, &b);
    if (status)
        return status;
    if (a.version < 0 && b.version < 0)
        return join_receipts(f, by, &a, &b, out);
    *out = a.version < 0 ? b : a;
    return add_receipts(f, by, (a.version < 0 ? a : b).receipts, out);
}

/* ---- steps */

static int send(flow *f, int64_t step, value *v)
{
    cpm_msccl_flow *o = f->out;
    if (v->position < 0)
        return cpm_msccl_wrong(f->x, step, CPM_EPARSE, f->e, "sends a chunk that holds nothing");
    int status = take(f, step, v);
    if (status)
        return status;
    if (!cpm_vector_reserve(&o->item, &o->item_capacity, o->items + 1, sizeof *o->item))
        return cpm_no_memory(f->e);
    o->item[o->items++] = (cpm_msccl_item){v->position, v->version};
    return CPM_OK;
}

static value *cell_of(const flow *f, const cpm_msccl_step *s, cpm_msccl_place place, int k,
                      value *none)
{
    return place.buffer == CPM_MSCCL_NOWHERE
               ? none
               : &f->cell[cpm_msccl_cell(f->l, s->gpu, place.buffer, place.offset + k)];
}

/* Of chunk k of a step. */
static int do_chunk(flow *f, int64_t step, int k)
{
    const cpm_msccl_step *s = &f->x->at[step];
    value none = nothing;
    value *src = cell_of(f, s, s->src, k, &none), *dst = cell_of(f, s, s->dst, k, &none);
    value now = *src;
    int status = CPM_OK;
    if (s->does & CPM_MSCCL_RECEIVES) {
        status = receive(f, step, f->out->item[f->out->first[s->come] + k].position, &now);
        if (!status && !f->l->operation->combines)
            status = take(f, step, &now);
        if (!status && s->does & CPM_MSCCL_COMBINES)
            status = add(f, step, now, *src, &now);
    } else if (s->does & CPM_MSCCL_COMBINES) {
        status = add(f, step, *src, *dst, &now);
    }
    if (!status && s->does & CPM_MSCCL_SENDS)
        status = send(f, step, &now);
    if (!status && s->does & CPM_MSCCL_KEEPS)
        *dst = now;
    return status;
}

static int check_place(const flow *f, int64_t step, cpm_msccl_place place)
{
    const cpm_msccl_step *s = &f->x->at[step];
    if (place.buffer == CPM_MSCCL_NOWHERE)
        return CPM_OK;
    int chunks = cpm_msccl_chunks(f->l, s->gpu, place.buffer);
    if (place.offset + s->count <= chunks)
        return CPM_OK;
    return cpm_msccl_wrong(f->x, step, CPM_EPARSE, f->e,
                           "chunks %d to %d of buffer %c, which has %d", place.offset,
                           place.offset + s->count - 1, "ios"[place.buffer], chunks);
}

static int check_places(const flow *f)
{
    int64_t moved = 0;
    int status = CPM_OK;
    for (int64_t k = 0; k < f->x->count && !status; k++) {
        moved += f->x->at[k].count;
        if (moved > MOST_MOVED)
            return cpm_fail(f->e, CPM_EPARSE, "%s: steps move more than %d chunks", f->x->name,
                            MOST_MOVED);
        status = check_place(f, k, f->x->at[k].src);
        if (!status)
            status = check_place(f, k, f->x->at[k].dst);
    }
    return status;
}

static int do_step(flow *f, int64_t step)
{
    int status = CPM_OK;
    f->out->first[step] = f->out->items;
    for (int k = 0; k < f->x->at[step].count && !status; k++)
        status = do_chunk(f, step, k);
    return status;
}

/* ---- the beginning and the end */

static int fill_inputs(flow *f)
{
    int status = CPM_OK;
    for (int64_t k = 0; k < f->l->base[f->x->n]; k++)
        f->cell[k] = nothing;
    for (int64_t k = 0; k < f->x->n * f->l->positions; k++)
        f->latest[k] = -1;
    for (int g = 0; g < f->x->n; g++)
        for (int c = 0; c < f->l->chunks[CPM_MSCCL_INPUT] && !status; c++) {
            int64_t position = cpm_msccl_position(f->l, g, CPM_MSCCL_INPUT, c);
            if (position < 0)
                continue;
            value *v = &f->cell[cpm_msccl_cell(f->l, g, CPM_MSCCL_INPUT, c)];
            *v = (value){position, -1, -1};
            status = add_version(f, g, position, -1, false, &v->version);
        }
    return status;
}

/* What is missing at a gpu altogether is for the proof to say. */
static int check_output(flow *f, int gpu, int chunk)
{
    int64_t wanted = cpm_msccl_position(f->l, gpu, CPM_MSCCL_OUTPUT, chunk);
    value v = f->cell[cpm_msccl_cell(f->l, gpu, CPM_MSCCL_OUTPUT, chunk)];
    char text[2][64];
    if (wanted < 0)
        return CPM_OK;
    if (v.position == wanted && v.version < 0 && f->link[v.receipts].length == 1)
        return take(f, f->receipt[f->link[v.receipts].receipt].step, &v);
    if (v.position == wanted &&
        (v.version == *latest_of(f, gpu, wanted) || !f->l->operation->combines))
        return CPM_OK;
    if (v.position < 0 && *latest_of(f, gpu, wanted) < 0)
        return CPM_OK;
    return cpm_fail(f->e, CPM_EPARSE,
                    "%s: gpu %d: chunk %d of its output ends with %s, not with %s%s", f->x->name,
                    gpu, chunk, v.position < 0 ? "nothing" : name_of(f, v.position, text[0]),
                    v.position == wanted ? "all that it has of it" : name_of(f, wanted, text[1]),
                    v.position < 0 ? ", which it has elsewhere" : "");
}

static int check_outputs(flow *f)
{
    int status = CPM_OK;
    for (int g = 0; g < f->x->n; g++)
        for (int c = 0; c < f->l->chunks[CPM_MSCCL_OUTPUT] && !status; c++)
            status = check_output(f, g, c);
    for (int64_t k = 0; k < f->x->count && !status; k++)
        if (f->x->at[k].does & CPM_MSCCL_RECEIVES && f->out->use[k] == CPM_MSCCL_UNUSED)
            status =
                cpm_msccl_wrong(f->x, k, CPM_EPARSE, f->e,
                                "what it receives is not used; a schedule has no place for it");
    return status;
}

/* ---- the whole */

static bool create(flow *f)
{
    size_t steps = (size_t)f->x->count + 1;
    f->cell = malloc(((size_t)f->l->base[f->x->n] + 1) * sizeof *f->cell);
    f->latest = malloc((size_t)(f->x->n * f->l->positions + 1) * sizeof *f->latest);
    f->out->first = calloc(steps, sizeof *f->out->first);
    f->out->use = calloc(steps, sizeof *f->out->use);
    return f->cell && f->latest && f->out->first && f->out->use;
}

int cpm_msccl_follow(const cpm_msccl_layout *l, const int64_t *order, cpm_msccl_flow *out,
                     cpm_error *e)
{
    flow f = {.l = l, .x = l->of, .out = out, .e = e};
    *out = (cpm_msccl_flow){0};
    int status = create(&f) ? check_places(&f) : cpm_no_memory(e);
    if (!status)
        status = fill_inputs(&f);
    for (int64_t k = 0; k < l->of->count && !status; k++)
        status = do_step(&f, order[k]);
    if (!status)
        status = check_outputs(&f);
    free(f.cell);
    free(f.latest);
    free(f.receipt);
    free(f.link);
    if (status)
        cpm_msccl_flow_clear(out);
    return status;
}

void cpm_msccl_flow_clear(cpm_msccl_flow *f)
{
    free(f->version);
    free(f->item);
    free(f->first);
    free(f->use);
    *f = (cpm_msccl_flow){0};
}
