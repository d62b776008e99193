/* A plan whose messages find their blocks, and the sizes of these, in each run. */
#include "executor/any_sizes.h"

#include <limits.h>
#include <stdlib.h>

/* Gives every position of the plan a block, and its number to the pieces. */
static int number_blocks(mpib_any_sizes *x, const cpm_schedule *s, cpm_error *e)
{
    mpib_plan *p = x->plan;
    int *number = calloc((size_t)s->blocks + 1, sizeof *number);
    x->blocks = malloc(((size_t)p->piece_count + 1) * sizeof *x->blocks);
    for (int i = 0; number && x->blocks && i < p->piece_count; i++) {
        int64_t position = p->pieces[i].place.offset;
        if (number[position] == 0) {
            x->blocks[x->count] = (mpib_block){.unit = (int)cpm_unit_at(s, position),
                                               .piece = cpm_piece_at(s, position)};
            number[position] = ++x->count;
        }
        p->pieces[i].place.offset = number[position] - 1;
    }
    free(number);
    return number && x->blocks ? CPM_OK : cpm_no_memory(e);
}

static bool is_named(const mpib_any_sizes *x, const mpib_message *m)
{
    int receiver = mpib_message_receives(m) ? x->rank : m->peer;
    bool known = true;
    for (int k = 0; k < m->pieces; k++)
        known = known && mpib_block_at(x, m, k)->unit == receiver;
    return !known && receiver != x->root;
}

/* What a named message takes if it is as expected. */
static size_t capacity_of(const mpib_message *m)
{
    size_t all = m->bytes + (size_t)m->pieces * sizeof(mpib_word);
    return all < INT_MAX ? all : INT_MAX;
}

/* One landing after the other, so that what children send a parent lies as it is sent on. */
static int give_space(mpib_any_sizes *x, const size_t *expected, cpm_error *e)
{
    mpib_plan *p = x->plan;
    size_t all = 0;
    bool passes_on = false;
    for (int i = 0; i < p->count; i++) {
        mpib_parcel *c = &x->parcels[i];
        c->named = is_named(x, &p->messages[i]);
        c->capacity = capacity_of(&p->messages[i]);
        bool receives = mpib_message_receives(&p->messages[i]);
        passes_on = passes_on || (c->named && !receives);
        all += c->named && receives ? c->capacity : 0;
    }
    bool gives = x->op->before(x->n, x->root, x->rank, x->rank, NULL);
    if (passes_on && gives && x->rank != x->root && x->pieces == 1)
        x->before = expected[x->rank] + sizeof(mpib_word);
    x->space = malloc(x->before + all + 1);
    if (!x->space)
        return cpm_no_memory(e);
    char *next = x->space + x->before;
    for (int i = 0; i < p->count; i++)
        if (x->parcels[i].named && mpib_message_receives(&p->messages[i])) {
            x->parcels[i].landing = next;
            next += x->parcels[i].capacity;
        }
    return CPM_OK;
}

static int fill(mpib_any_sizes *x, const cpm_schedule *s, const size_t *expected, cpm_error *e)
{
    const cpm_block_sizes sizes = {.each = expected};
    const mpib_layout layout = {
        .schedule = s, .sizes = &sizes, .op = MPI_OP_NULL, .any_sizes = true};
    int status = mpib_plan_create(&layout, x->rank, &x->plan, e);
    if (status == CPM_OK)
        status = number_blocks(x, s, e);
    if (status != CPM_OK)
        return status;
    x->parcels = calloc((size_t)x->plan->count + 1, sizeof *x->parcels);
    x->known = x->rank == x->root ? x->n : 1;
    x->units = malloc((size_t)x->known * sizeof *x->units);
    if (!x->parcels || !x->units)
        return cpm_no_memory(e);
    return give_space(x, expected, e);
}

int mpib_any_sizes_create(const mpib_arguments *a, const cpm_schedule *s, const size_t *expected,
                          mpib_any_sizes **out, cpm_error *e)
{
    mpib_any_sizes *x = calloc(1, sizeof *x);
    if (!x)
        return cpm_no_memory(e);
    x->op = a->operation;
    x->n = s->n;
    x->root = s->root;
    x->pieces = s->pieces ? s->pieces : 1;
    PMPI_Comm_rank(a->comm, &x->rank);
    int status = fill(x, s, expected, e);
    if (status == CPM_OK)
        *out = x;
    else
        mpib_any_sizes_free(x);
    return status;
}

void mpib_any_sizes_free(mpib_any_sizes *x)
{
    if (!x)
        return;
    for (int i = 0; x->parcels && i < x->plan->count; i++)
        free(x->parcels[i].own.at);
    mpib_plan_free(x->plan);
    free(x->parcels);
    free(x->blocks);
    free(x->space);
    free(x->units);
    free(x->flat.at);
    free(x);
}
