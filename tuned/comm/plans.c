/* A short list, the last used first: programs repeat a few calls, or some sizes in turn. */
#include "tuned/comm/plans.h"

#include <stdlib.h>
#include <string.h>

/* So many at most; above the first few as long as their space is small together. */
enum { MOST_KEPT = 64, ALWAYS_KEPT = 8 };
static const size_t most_bytes = 1 << 20;

atomic_ulong tuned_plans_dropped;

struct tuned_plan {
    mpib_collective *collective;
    mpib_arguments a; /* arrays of both sides are owned */
    size_t bytes;     /* of every block; or */
    size_t *each;     /* [n] or NULL, owned; both are 0 where only the arguments count */
    tuned_plan *next;
};

bool tuned_type_is_named(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

/* ---- equality ---- */

static bool same_array(const void *a, const void *b, size_t bytes)
{
    return a == b || (a && b && memcmp(a, b, bytes) == 0);
}

static bool same_side(const mpib_side *a, const mpib_side *b, size_t n)
{
    return a->count == b->count && a->type == b->type &&
           same_array(a->counts, b->counts, n * sizeof *a->counts) &&
           same_array(a->displacements, b->displacements, n * sizeof *a->displacements) &&
           same_array(a->types, b->types, n * sizeof *a->types);
}

static bool same(const tuned_plan *p, const mpib_arguments *a, const cpm_block_sizes *sizes,
                 size_t n)
{
    return p->a.root == a->root && p->a.in_place == a->in_place && p->a.op == a->op &&
           same_side(&p->a.recv, &a->recv, n) && same_side(&p->a.send, &a->send, n) &&
           (!sizes ||
            (p->bytes == sizes->bytes && same_array(p->each, sizes->each, n * sizeof *p->each)));
}

/* ---- keeping ---- */

static void *copy_of(const void *array, size_t bytes, bool *failed)
{
    void *copy = array ? malloc(bytes) : NULL;
    if (copy)
        memcpy(copy, array, bytes);
    *failed = *failed || (array && !copy);
    return copy;
}

static void free_side(mpib_side *s)
{
    free((void *)s->counts);
    free((void *)s->displacements);
    free((void *)s->types);
}

static void free_plan(tuned_plan *p)
{
    mpib_collective_free(p->collective);
    free_side(&p->a.send);
    free_side(&p->a.recv);
    free(p->each);
    free(p);
}

static void drop_plan(tuned_plan *p)
{
    atomic_fetch_add(&tuned_plans_dropped, 1);
    free_plan(p);
}

static tuned_plan *make_entry(const mpib_arguments *a, const cpm_block_sizes *sizes, size_t n)
{
    bool failed = false;
    tuned_plan *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->a = *a;
    mpib_side *side[2] = {&p->a.send, &p->a.recv};
    for (int k = 0; k < 2; k++) {
        side[k]->counts = copy_of(side[k]->counts, n * sizeof(size_t), &failed);
        side[k]->displacements = copy_of(side[k]->displacements, n * sizeof(ptrdiff_t), &failed);
        side[k]->types = copy_of(side[k]->types, n * sizeof(MPI_Datatype), &failed);
    }
    if (sizes) {
        p->bytes = sizes->bytes;
        p->each = copy_of(sizes->each, n * sizeof *p->each, &failed);
    }
    if (!failed)
        return p;
    free_plan(p);
    return NULL;
}

static void drop_last(tuned_plans *plans)
{
    tuned_plan **last = &plans->kept;
    while ((*last)->next)
        last = &(*last)->next;
    plans->bytes -= mpib_collective_bytes((*last)->collective);
    plans->count--;
    drop_plan(*last);
    *last = NULL;
}

static void put_first(tuned_plans *plans, tuned_plan *p)
{
    p->next = plans->kept;
    plans->kept = p;
}

static void keep_entry(tuned_plans *plans, tuned_plan *p)
{
    plans->bytes += mpib_collective_bytes(p->collective);
    while (plans->count == MOST_KEPT || (plans->count >= ALWAYS_KEPT && plans->bytes > most_bytes))
        drop_last(plans);
    put_first(plans, p);
    plans->count++;
}

/* Without memory to keep it a plan is still good for once. */
static bool keep(tuned_plans *plans, mpib_collective *c, const mpib_arguments *a,
                 const cpm_block_sizes *sizes, size_t n)
{
    tuned_plan *p = make_entry(a, sizes, n);
    if (!p)
        return false;
    p->collective = c;
    keep_entry(plans, p);
    return true;
}

/* Takes it out of the list. */
static tuned_plan *unlink_like(tuned_plans *plans, const mpib_arguments *a,
                               const cpm_block_sizes *sizes, size_t n)
{
    tuned_plan **at = &plans->kept, *found;
    while (*at && !same(*at, a, sizes, n))
        at = &(*at)->next;
    found = *at;
    if (found)
        *at = found->next;
    return found;
}

static mpib_collective *find(tuned_plans *plans, const mpib_arguments *a,
                             const cpm_block_sizes *sizes, size_t n)
{
    tuned_plan *found = unlink_like(plans, a, sizes, n);
    if (found)
        put_first(plans, found);
    return found ? found->collective : NULL;
}

/* Then what this rank knows are its arguments. */
static bool needs_own_sizes(const cpm_choice *c)
{
    return c->what.algorithm->properties & CPM_OWN_SIZE;
}

static int create(const cpm_choice *choice, const mpib_arguments *a, const cpm_block_sizes *sizes,
                  mpib_collective **out, cpm_error *e)
{
    return sizes ? mpib_collective_create_sized(&choice->what, a, sizes, out, e)
                 : mpib_collective_create(&choice->what, a, out, e);
}

int tuned_plans_get(tuned_plans *plans, const cpm_choice *choice, const mpib_arguments *a, int n,
                    bool lasting, const cpm_block_sizes *sizes, mpib_collective **out, bool *kept,
                    cpm_error *e)
{
    lasting = lasting && (sizes || needs_own_sizes(choice));
    *kept = lasting && (*out = find(plans, a, sizes, (size_t)n));
    if (*kept)
        return CPM_OK;
    int status = create(choice, a, sizes, out, e);
    if (status == CPM_OK)
        *kept = lasting && keep(plans, *out, a, sizes, (size_t)n);
    return status;
}

/* ---- taking ---- */

int tuned_plans_take(tuned_plans *plans, const cpm_choice *choice, const mpib_arguments *a, int n,
                     const cpm_block_sizes *sizes, tuned_plan **out, cpm_error *e)
{
    tuned_plan *p = unlink_like(plans, a, sizes, (size_t)n);
    if (p) {
        plans->bytes -= mpib_collective_bytes(p->collective);
        plans->count--;
    } else {
        p = make_entry(a, sizes, (size_t)n);
    }
    int status = p ? CPM_OK : cpm_no_memory(e);
    if (p && !p->collective)
        status = create(choice, a, sizes, &p->collective, e);
    if (status && p)
        free_plan(p);
    else
        *out = p;
    return status;
}

void tuned_plans_give(tuned_plans *plans, tuned_plan *p)
{
    if (plans)
        keep_entry(plans, p);
    else
        free_plan(p);
}

tuned_plan *tuned_plan_of_arguments(const mpib_arguments *a, int n)
{
    return make_entry(a, NULL, (size_t)n);
}

mpib_collective *tuned_plan_collective(const tuned_plan *p)
{
    return p->collective;
}

const mpib_arguments *tuned_plan_arguments(const tuned_plan *p)
{
    return &p->a;
}

void tuned_plans_clear(tuned_plans *plans)
{
    for (tuned_plan *p = plans->kept, *next; p; p = next) {
        next = p->next;
        drop_plan(p);
    }
    *plans = (tuned_plans){0};
}
