/* Recursive doubling and halving: partners at distances 1, 2, 4, ...
 *
 * Where n is no power of two, processes are folded in pairs first: of the first 2 (n - 2^m) the odd
 * ones stay and speak for both. Numbers of those that stay keep the order of ranks, so recursive
 * doubling combines in that order: two rounds more (Thakur, Rabenseifner, Gropp 2005, 4.4). */
#include "collectives/algorithm.h"

typedef struct {
    int power;  /* processes that stay: the largest power of two up to n */
    int folded; /* n - power: so many pairs */
} fold;

static fold fold_of(int n)
{
    fold f = {.power = 1};
    while (f.power <= n / 2)
        f.power *= 2;
    f.folded = n - f.power;
    return f;
}

/* The number of rank among those that stay, -1: it is folded away. */
static int number_of(const fold *f, int rank)
{
    if (rank >= 2 * f->folded)
        return rank - f->folded;
    return rank % 2 ? rank / 2 : -1;
}

static int rank_of(const fold *f, int number)
{
    return number < f->folded ? 2 * number + 1 : number + f->folded;
}

/* The first rank for which a number speaks; of number == power: n. */
static int first_of(const fold *f, int number)
{
    return number < f->folded ? 2 * number : number + f->folded;
}

static bool speaks_for_two(const fold *f, int rank)
{
    return rank < 2 * f->folded && rank % 2;
}

/* ---- allgather and barrier ---- */

/* Who was folded away has its own block. */
static void name_others(int rank, int n, cpm_steps *out)
{
    cpm_and(out, 0, rank);
    cpm_and(out, rank + 1, n - rank - 1);
}

static void build_allgather(const cpm_schedule *s, int rank, cpm_steps *out)
{
    fold f = fold_of(s->n);
    int own = number_of(&f, rank);
    if (own < 0)
        cpm_send(out, rank + 1, rank, 1);
    if (speaks_for_two(&f, rank))
        cpm_recv(out, rank - 1, rank - 1, 1);
    cpm_next_round(out);
    for (int d = 1; own >= 0 && d < f.power; d *= 2) {
        int low = own & ~(d - 1), other = low ^ d, peer = rank_of(&f, own ^ d);
        cpm_recv(out, peer, first_of(&f, other), first_of(&f, other + d) - first_of(&f, other));
        cpm_send(out, peer, first_of(&f, low), first_of(&f, low + d) - first_of(&f, low));
        cpm_next_round(out);
    }
    if (own < 0) {
        cpm_recv(out, rank + 1, 0, 0);
        name_others(rank, s->n, out);
    }
    if (speaks_for_two(&f, rank)) {
        cpm_send(out, rank - 1, 0, 0);
        name_others(rank - 1, s->n, out);
    }
}

/* ---- allreduce ---- */

static void build_allreduce(const cpm_schedule *s, int rank, cpm_steps *out)
{
    fold f = fold_of(s->n);
    int own = number_of(&f, rank);
    int64_t all = s->blocks;
    if (own < 0)
        cpm_send(out, rank + 1, 0, all);
    if (speaks_for_two(&f, rank))
        cpm_combine(out, rank - 1, 0, all);
    cpm_next_round(out);
    for (int d = 1; own >= 0 && d < f.power; d *= 2) {
        int peer = rank_of(&f, own ^ d);
        cpm_combine(out, peer, 0, all);
        cpm_send(out, peer, 0, all);
        cpm_next_round(out);
    }
    if (own < 0)
        cpm_recv(out, rank + 1, 0, all);
    if (speaks_for_two(&f, rank))
        cpm_send(out, rank - 1, 0, all);
}

/* ---- reduce_scatter ---- */

/* Halves what is kept: partners at distance power / 2 first, each keeps the half with its own. */
static void build_halving(const cpm_schedule *s, int rank, cpm_steps *out)
{
    fold f = fold_of(s->n);
    int own = number_of(&f, rank);
    if (own < 0)
        cpm_send(out, rank + 1, 0, s->n);
    if (speaks_for_two(&f, rank))
        cpm_combine(out, rank - 1, 0, s->n);
    cpm_next_round(out);
    for (int d = f.power / 2; own >= 0 && d >= 1; d /= 2) {
        int keep = own & ~(d - 1), give = keep ^ d, peer = rank_of(&f, own ^ d);
        cpm_combine(out, peer, first_of(&f, keep), first_of(&f, keep + d) - first_of(&f, keep));
        cpm_send(out, peer, first_of(&f, give), first_of(&f, give + d) - first_of(&f, give));
        cpm_next_round(out);
    }
    if (own < 0)
        cpm_recv(out, rank + 1, rank, 1);
    if (speaks_for_two(&f, rank))
        cpm_send(out, rank - 1, rank - 1, 1);
}

/* ---- reduce ---- */

/* The rank of number among those that stay: of a pair the root, or the odd one. */
static int staying(const fold *f, int number, int root)
{
    if (number >= f->folded)
        return number + f->folded;
    return root == 2 * number ? root : 2 * number + 1;
}

/* Halves what is kept, as reduce_scatter does, but into as many pieces as processes stay; then
 * these are gathered by a binomial tree: at distance d its leaves have d pieces. */
static void build_reduce(const cpm_schedule *s, int rank, cpm_steps *out)
{
    fold f = fold_of(s->n);
    bool in_pair = rank < 2 * f.folded;
    int own = in_pair ? rank / 2 : rank - f.folded;
    int root = s->root < 2 * f.folded ? s->root / 2 : s->root - f.folded;
    if (staying(&f, own, s->root) != rank) {
        cpm_send(out, rank ^ 1, 0, f.power);
        return;
    }
    if (in_pair)
        cpm_combine(out, rank ^ 1, 0, f.power);
    cpm_next_round(out);
    for (int d = f.power / 2; d >= 1; d /= 2) {
        int keep = own & ~(d - 1), peer = staying(&f, own ^ d, s->root);
        cpm_combine(out, peer, keep, d);
        cpm_send(out, peer, keep ^ d, d);
        cpm_next_round(out);
    }
    for (int d = 1; d < f.power; d *= 2) {
        int low = own & ~(d - 1), peer = staying(&f, own ^ d, s->root);
        if ((own ^ root) & d) {
            cpm_send(out, peer, low, d);
            return;
        }
        cpm_recv(out, peer, low ^ d, d);
        cpm_next_round(out);
    }
}

cpm_create cpm_doubling_allgather, cpm_doubling_allreduce, cpm_halving_reduce_scatter,
    cpm_halving_reduce;

static void set(cpm_schedule *s, int64_t blocks,
                void (*build)(const cpm_schedule *, int, cpm_steps *))
{
    s->blocks = blocks;
    s->build = build;
}

int cpm_doubling_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                           cpm_error *e)
{
    (void)a, (void)e;
    set(s, call->n, build_allgather);
    return CPM_OK;
}

int cpm_doubling_allreduce(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                           cpm_error *e)
{
    (void)a, (void)e, (void)call;
    set(s, 1, build_allreduce);
    return CPM_OK;
}

int cpm_halving_reduce_scatter(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                               cpm_error *e)
{
    (void)a, (void)e;
    set(s, call->n, build_halving);
    return CPM_OK;
}

/* The pieces are those of the processes that stay: a reduce_scatter among all, and a gather, would
 * give a piece back to each that was folded away, and collect it there again. */
int cpm_halving_reduce(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)e;
    set(s, fold_of(call->n).power, build_reduce);
    s->pieces = (int)s->blocks;
    return CPM_OK;
}
