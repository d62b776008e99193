/* Recursive doubling and halving: partners at distances 1, 2, 4, ...
 *
 * Where n is no power of two, processes are folded in pairs first: of the first 2 (n - 2^m) the odd
 * ones stay and speak for both. Numbers of those that stay keep the order of ranks, so recursive
 * doubling combines in that order: two rounds more (Thakur, Rabenseifner, Gropp 2005, 4.4). */
#include "collectives/algorithm.h"

typedef struct {
    int power;  /* processes that stay: the largest power of two up to n */
    int folded; /* n - power: so many pairs */
    bool whole; /* of the nearest first: even processes give all to odd ones, which stay */
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

/* ---- allgather ---- */

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

/* ---- barrier ---- */

/* Here those beyond the power are folded away, each to the one so far before it, as in Open MPI: of
 * its partner's whole group everybody knows. */
static void name_group(int first, int count, int power, int n, cpm_steps *out)
{
    int beyond = n - power - first;
    cpm_and(out, first, count);
    if (beyond > 0)
        cpm_and(out, first + power, beyond < count ? beyond : count);
}

static void build_barrier(const cpm_schedule *s, int rank, cpm_steps *out)
{
    int power = fold_of(s->n).power, twin = rank ^ power;
    if (rank >= power) {
        cpm_send(out, rank - power, rank, 1);
        cpm_recv(out, rank - power, 0, 0);
        name_others(rank, s->n, out);
        return;
    }
    if (twin < s->n)
        cpm_recv(out, twin, twin, 1);
    cpm_next_round(out);
    for (int d = 1; d < power; d *= 2) {
        int low = rank & ~(d - 1);
        cpm_recv(out, rank ^ d, 0, 0);
        name_group(low ^ d, d, power, s->n, out);
        cpm_send(out, rank ^ d, 0, 0);
        name_group(low, d, power, s->n, out);
        cpm_next_round(out);
    }
    if (twin < s->n) {
        cpm_send(out, twin, 0, 0);
        name_others(twin, s->n, out);
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

/* ---- reduce and allreduce, the nearest first ---- */

/* Rabenseifner's algorithm as in Open MPI: the largest halves go to the nearest process. Pairs are
 * folded by exchanging halves, and the even process stays; in MPICH the odd one does, and gets all.
 * Pieces are as many as processes stay. */

static int near_rank(const fold *f, int number)
{
    return number < f->folded ? 2 * number + f->whole : number + f->folded;
}

/* The number of rank among those that stay, -1: it is folded away. */
static int near_number(const fold *f, int rank)
{
    if (rank >= 2 * f->folded)
        return rank - f->folded;
    return rank % 2 == f->whole ? rank / 2 : -1;
}

/* Where the pieces begin of which number keeps count after exchanging at all distances below
 * power / count: at each it keeps the left or the right half. */
static int kept(const fold *f, int number, int count)
{
    int first = 0;
    for (int d = 1; d < f->power / count; d *= 2)
        first += number & d ? f->power / (2 * d) : 0;
    return first;
}

static void fold_whole(const fold *f, int rank, cpm_steps *out)
{
    if (rank >= 2 * f->folded)
        return;
    if (rank % 2)
        cpm_combine(out, rank - 1, 0, f->power);
    else
        cpm_send(out, rank + 1, 0, f->power);
    cpm_next_round(out);
}

static void fold_halves(const fold *f, int rank, cpm_steps *out)
{
    int half = f->power / 2, own = rank % 2 ? half : 0;
    if (rank >= 2 * f->folded)
        return;
    cpm_combine(out, rank ^ 1, own, half);
    cpm_send(out, rank ^ 1, half - own, half);
    cpm_next_round(out);
    if (rank % 2)
        cpm_send(out, rank - 1, half, half);
    else
        cpm_recv(out, rank + 1, half, half);
    cpm_next_round(out);
}

static void halve_nearest_first(const fold *f, int own, cpm_steps *out)
{
    for (int d = 1; d < f->power; d *= 2) {
        int half = f->power / (2 * d), peer = near_rank(f, own ^ d);
        cpm_combine(out, peer, kept(f, own, half), half);
        cpm_send(out, peer, kept(f, own ^ d, half), half);
        cpm_next_round(out);
    }
}

static void build_near(const cpm_schedule *s, int rank, bool whole, cpm_steps *out)
{
    fold f = fold_of(s->n);
    f.whole = whole;
    int own = near_number(&f, rank);
    (whole ? fold_whole : fold_halves)(&f, rank, out);
    if (own < 0) {
        cpm_recv(out, rank ^ 1, 0, f.power);
        return;
    }
    halve_nearest_first(&f, own, out);
    for (int d = f.power / 2; d >= 1; d /= 2) {
        int half = f.power / (2 * d), peer = near_rank(&f, own ^ d);
        cpm_recv(out, peer, kept(&f, own ^ d, half), half);
        cpm_send(out, peer, kept(&f, own, half), half);
        cpm_next_round(out);
    }
    if (rank < 2 * f.folded)
        cpm_send(out, rank ^ 1, 0, f.power);
}

static void build_near_allreduce(const cpm_schedule *s, int rank, cpm_steps *out)
{
    build_near(s, rank, false, out);
}

static void build_near_whole(const cpm_schedule *s, int rank, cpm_steps *out)
{
    build_near(s, rank, true, out);
}

/* A root that was folded away takes the place of process 0, which gives it its piece. */
static int take_place(const cpm_schedule *s, const fold *f, int rank, int own, cpm_steps *out)
{
    if (near_number(f, s->root) >= 0 || (rank != 0 && rank != s->root))
        return own;
    if (rank == 0)
        cpm_send(out, s->root, 0, 1);
    else
        cpm_recv(out, 0, 0, 1);
    cpm_next_round(out);
    return rank == 0 ? -1 : 0;
}

static void build_near_reduce(const cpm_schedule *s, int rank, cpm_steps *out)
{
    fold f = fold_of(s->n);
    int own = near_number(&f, rank), root = near_number(&f, s->root);
    fold_halves(&f, rank, out);
    if (own >= 0)
        halve_nearest_first(&f, own, out);
    own = take_place(s, &f, rank, own, out);
    for (int d = f.power / 2; own >= 0 && d >= 1; d /= 2) {
        int half = f.power / (2 * d), number = own ^ d;
        int peer = number == 0 && root < 0 ? s->root : near_rank(&f, number);
        if ((own ^ (root < 0 ? 0 : root)) & d) {
            cpm_send(out, peer, kept(&f, own, half), half);
            return;
        }
        cpm_recv(out, peer, kept(&f, number, half), half);
        cpm_next_round(out);
    }
}

cpm_create cpm_doubling_allgather, cpm_doubling_allreduce, cpm_doubling_barrier,
    cpm_halving_reduce_scatter, cpm_halving_reduce, cpm_near_reduce, cpm_near_allreduce;

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

int cpm_doubling_barrier(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                         cpm_error *e)
{
    (void)a, (void)e;
    set(s, call->n, build_barrier);
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

int cpm_near_reduce(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)e;
    set(s, fold_of(call->n).power, build_near_reduce);
    s->pieces = (int)s->blocks;
    return CPM_OK;
}

int cpm_near_allreduce(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)e;
    set(s, fold_of(call->n).power,
        *(const bool *)a->variant ? build_near_whole : build_near_allreduce);
    s->pieces = (int)s->blocks;
    return CPM_OK;
}
