/* From a collective to a plan: the programs of all ranks and roots, of which most are the same when
 * ranks are counted from the root or from the rank itself. */
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "collectives/schedule/messages.h"
#include "libraries/routine.h"

/* The programs of one schedule: of all ranks, from all roots, as a frame tells them apart. */
typedef struct {
    cpm_program *at;
    int count;
    int pieces;
    bool apart;
    int64_t numbers; /* in all of them */
} programs;

static void clear(programs *p)
{
    for (int k = 0; k < p->count; k++)
        cpm_program_clear(&p->at[k]);
    free(p->at);
    *p = (programs){0};
}

int cpm_routines_check_size(const cpm_collective *c, int64_t numbers, cpm_error *e)
{
    enum { MOST_NUMBERS = 3 << 20 };
    char name[CPM_COLLECTIVE_NAME];
    if (numbers <= MOST_NUMBERS)
        return CPM_OK;
    cpm_collective_print(c, name, sizeof name);
    return cpm_fail(e, CPM_ENOMEM,
                    "with %s on %d processes the file would be larger than 16 MiB; -n exports the "
                    "rules of fewer numbers of processes",
                    name, c->at.n);
}

int cpm_routines_root(const cpm_collective *c)
{
    return c->algorithm->properties & CPM_NEEDS_ONE_ROOT ? c->algorithm->messages->root : -1;
}

static int roots_of(const cpm_collective *c)
{
    return c->operation->rooted ? c->at.n : 1;
}

static int programs_of(const cpm_collective *c, cpm_frame frame)
{
    switch (frame.from) {
    case CPM_FROM_ROOT:
        return c->at.n;
    case CPM_AS_THEY_ARE:
        return roots_of(c) * c->at.n;
    default:
        return 1;
    }
}

static int index_of(const cpm_collective *c, cpm_frame frame, int root, int rank)
{
    switch (frame.from) {
    case CPM_FROM_ROOT:
        return (rank - root + c->at.n) % c->at.n;
    case CPM_AS_THEY_ARE:
        return root * c->at.n + rank;
    default:
        return 0;
    }
}

/* Puts a program where the frame says; another one that is there must be like it. */
static int put(programs *p, int k, cpm_program *made, cpm_error *e)
{
    cpm_program *there = &p->at[k];
    if (there->rounds.count == 0 && there->code.count == 0) {
        *there = *made;
        p->numbers += made->code.count + 4;
        *made = (cpm_program){0};
        return CPM_OK;
    }
    bool same = cpm_numbers_equal(&there->code, &made->code) && there->receives == made->receives;
    cpm_program_clear(made);
    return same ? CPM_OK : cpm_fail(e, CPM_EINVAL, "ranks differ");
}

static int add_root(programs *p, const cpm_collective *c, cpm_frame frame, size_t bytes, int root,
                    cpm_error *e)
{
    cpm_collective x = *c;
    cpm_schedule *s = NULL;
    const cpm_block_sizes sizes = {.bytes = bytes};
    x.at.root = root;
    int status = cpm_collective_schedule(&x, &sizes, &s, e);
    if (!status) {
        p->pieces = s->pieces > 1 && !s->apart ? s->pieces : 1;
        p->apart = s->apart;
        if (frame.pieces && (p->pieces == 1 || p->pieces % s->n))
            status = cpm_fail(e, CPM_EINVAL, "pieces are not those of processes");
    }
    for (int rank = 0; rank < c->at.n && !status; rank++) {
        cpm_program made = {0};
        status = cpm_program_of(c->operation, s, rank, frame, &made, e);
        if (!status)
            status = put(p, index_of(c, frame, root, rank), &made, e);
        if (!status)
            status = cpm_routines_check_size(c, p->numbers, e);
    }
    cpm_schedule_free(s);
    return status;
}

static int make(const cpm_collective *c, cpm_frame frame, size_t bytes, programs *out, cpm_error *e)
{
    int count = programs_of(c, frame), status = CPM_OK;
    out->at = calloc((size_t)count, sizeof *out->at);
    if (!out->at)
        return cpm_no_memory(e);
    out->count = count;
    for (int root = 0; root < roots_of(c) && !status; root++)
        if (cpm_routines_root(c) < 0 || cpm_routines_root(c) == root)
            status = add_root(out, c, frame, bytes, root, e);
    if (status)
        clear(out);
    return status;
}

/* ---- frames, the one of the fewest programs first */

static const cpm_frame frames[] = {
    {CPM_FROM_RANK, false}, {CPM_FROM_RANK, true}, {CPM_XOR_RANK, false},   {CPM_XOR_RANK, true},
    {CPM_FROM_ROOT, false}, {CPM_FROM_ROOT, true}, {CPM_AS_THEY_ARE, false}};
enum { FRAMES = sizeof frames / sizeof *frames };

static bool may_be(const cpm_collective *c, cpm_frame frame)
{
    switch (frame.from) {
    case CPM_FROM_ROOT:
        return c->operation->rooted;
    case CPM_XOR_RANK:
        return !c->operation->rooted && (c->at.n & (c->at.n - 1)) == 0;
    case CPM_FROM_RANK:
        return !c->operation->rooted;
    case CPM_AS_THEY_ARE:
        break;
    }
    return true;
}

/* ---- writing */

static uint64_t key_of(const cpm_numbers *n)
{
    uint64_t key = cpm_hash_seed();
    for (int64_t k = 0; k < n->count; k++)
        key = cpm_hash_mix(key, (uint64_t)n->at[k]);
    return key | 1;
}

static bool is_at(const cpm_routines *r, int start, const cpm_numbers *program)
{
    return start + program->count <= r->programs.count &&
           memcmp(r->programs.at + start, program->at,
                  (size_t)program->count * sizeof *program->at) == 0;
}

/* Where a program begins: the same one is there once. */
static int add_program(cpm_routines *r, const cpm_numbers *program, cpm_error *e)
{
    uint64_t key = key_of(program);
    int start = (int)r->programs.count;
    const cpm_slot *there = cpm_hash_find(&r->known, key);
    while (there && !is_at(r, there->index, program))
        there = cpm_hash_next(&r->known, there);
    if (there)
        start = there->index;
    cpm_slot *slot = there ? NULL : cpm_hash_add(&r->known, key);
    if (!there && (!slot || !cpm_numbers_add(&r->programs, program->at, program->count)))
        return cpm_no_memory(e);
    if (slot)
        slot->index = start;
    return cpm_numbers_add(&r->starts, &start, 1) ? CPM_OK : cpm_no_memory(e);
}

/* Whether contributions are combined in the order of ranks: never, from all roots, from root 0. */
static int order_of(const cpm_collective *c)
{
    cpm_collective x = *c;
    bool all = true;
    if (cpm_routines_root(c) >= 0)
        return cpm_collective_keeps_order(c);
    x.at.root = 0;
    if (!cpm_collective_keeps_order(&x))
        return 0;
    for (x.at.root = 1; x.at.root < roots_of(c) && all; x.at.root++)
        all = cpm_collective_keeps_order(&x);
    return all ? 1 : 2;
}

static int add_plan(cpm_routines *r, const cpm_collective *c, cpm_frame frame, const programs *p,
                    int segments, int more, int64_t starts, cpm_error *e)
{
    cpm_routine_plan plan = {.segments = segments,
                             .pieces = p->pieces,
                             .more = more,
                             .from = (int)frame.from,
                             .order = order_of(c),
                             .apart = p->apart,
                             .starts = (int)starts,
                             .root = cpm_routines_root(c)};
    for (int k = 0; k < p->count; k++) {
        const cpm_program *x = &p->at[k];
        plan.passing = x->passing > plan.passing ? x->passing : plan.passing;
        r->messages = x->messages > r->messages ? x->messages : r->messages;
        r->chunks = x->chunks > r->chunks ? x->chunks : r->chunks;
    }
    if (!cpm_vector_extend(&r->plans, r->plan_count, sizeof *r->plans))
        return cpm_no_memory(e);
    r->plans[r->plan_count++] = plan;
    return CPM_OK;
}

/* ---- plans for one number of segments */

static int add_plain(cpm_routines *r, const programs *p, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < p->count && !status; k++) {
        cpm_numbers program = {0};
        status = cpm_program_plain(&p->at[k], &program, e);
        status = status ? status : add_program(r, &program, e);
        cpm_numbers_clear(&program);
    }
    return status;
}

static int plan_in(cpm_routines *r, const cpm_collective *c, cpm_frame frame, size_t bytes,
                   int segments, cpm_error *e)
{
    programs p = {0};
    int64_t starts = r->starts.count;
    int status = make(c, frame, bytes, &p, e);
    status = status ? status : add_plain(r, &p, e);
    status = status ? status : add_plan(r, c, frame, &p, segments, 0, starts, e);
    clear(&p);
    return status;
}

/* ---- plans that grow */

static int repeat_program(cpm_routines *r, const programs all[CPM_PROGRAMS_COMPARED],
                          const int by[CPM_PROGRAMS_COMPARED], int k, cpm_error *e)
{
    const cpm_program *compared[CPM_PROGRAMS_COMPARED];
    cpm_numbers program = {0};
    for (int i = 0; i < CPM_PROGRAMS_COMPARED; i++)
        compared[i] = &all[i].at[k];
    int status = cpm_program_repeating(compared, by, &program, e);
    status = status ? status : add_program(r, &program, e);
    cpm_numbers_clear(&program);
    return status;
}

static int plan_growing_in(cpm_routines *r, const cpm_collective *c, cpm_frame frame,
                           size_t segment, int segments, cpm_error *e)
{
    static const int by[CPM_PROGRAMS_COMPARED] = {0, 1, 2, 7};
    programs all[CPM_PROGRAMS_COMPARED] = {{0}};
    int64_t starts = r->starts.count;
    int status = CPM_OK;
    for (int i = 0; i < CPM_PROGRAMS_COMPARED && !status; i++)
        status = make(c, frame, segment * (size_t)(segments + by[i]), &all[i], e);
    for (int k = 0; k < all[0].count && !status; k++)
        status = repeat_program(r, all, by, k, e);
    if (!status)
        status = add_plan(r, c, frame, &all[0], segments, all[1].pieces - all[0].pieces, starts, e);
    for (int i = 0; i < CPM_PROGRAMS_COMPARED; i++)
        clear(&all[i]);
    return status;
}

/* In the first frame in which it works; the reason why it does not is that of the last one. */
static int plan_somehow(cpm_routines *r, const cpm_collective *c, size_t bytes, int segments,
                        bool grows, cpm_error *e)
{
    int status = CPM_EINVAL;
    cpm_error why = {0};
    for (int k = 0; k < FRAMES && status == CPM_EINVAL; k++) {
        int64_t starts =
            r->starts.count; /* programs that are not used stay: they may be used yet */
        if (!may_be(c, frames[k]))
            continue;
        cpm_error_clear(&why);
        status = grows ? plan_growing_in(r, c, frames[k], bytes, segments, &why)
                       : plan_in(r, c, frames[k], bytes, segments, &why);
        if (status)
            r->starts.count = starts;
    }
    return status ? cpm_fail(e, status, "%s", why.text) : CPM_OK;
}

int cpm_routines_plan(cpm_routines *r, const cpm_collective *c, size_t bytes, int segments,
                      cpm_error *e)
{
    return plan_somehow(r, c, bytes, segments, false, e);
}

int cpm_routines_plan_growing(cpm_routines *r, const cpm_collective *c, size_t segment,
                              int segments, cpm_error *e)
{
    return plan_somehow(r, c, segment, segments, true, e);
}
