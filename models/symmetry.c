/* Periods are tried from the smallest on: the model's values are compared first, as most models
 * differ in the first of them, then the schedule's steps. */
#include "models/symmetry.h"

#include <math.h>
#include <stdlib.h>

/* ---- what a move does to numbered groups of ranks (hosts, switches, classes) */

typedef struct {
    cpm_moves by;
    int g; /* r becomes r + g, or r xor g */
} move;

static int moved(const move *v, int n, int r)
{
    if (v->by == CPM_TWISTS)
        return r ^ v->g;
    return r < n - v->g ? r + v->g : r - (n - v->g);
}

/* Where the groups come to; false if the ranks of one come to several. */
static bool move_groups(const int *of, int n, const move *v, int count, int *to)
{
    for (int k = 0; k < count; k++)
        to[k] = -1;
    for (int r = 0; r < n; r++) {
        int from = of[r], at = of[moved(v, n, r)];
        if (to[from] >= 0 && to[from] != at)
            return false;
        to[from] = at;
    }
    return true;
}

/* ---- values */

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_pairs(const double *value, int count, const int *to)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            if (!same(value[(size_t)i * (size_t)count + (size_t)j],
                      value[(size_t)to[i] * (size_t)count + (size_t)to[j]]))
                return false;
    return true;
}

static bool same_ones(const double *value, int count, const int *to)
{
    for (int i = 0; i < count; i++)
        if (!same(value[i], value[to[i]]))
            return false;
    return true;
}

static bool same_slice(const cpm_model *m, int p, const double *value, const int *classes,
                       const int *switches)
{
    switch (m->type->parameters[p].shape) {
    case CPM_PROCESS:
        return same_ones(value, m->classes.count, classes);
    case CPM_PAIR:
        return same_pairs(value, m->classes.count, classes);
    case CPM_SWITCH:
        return same_ones(value, m->switches.count, switches);
    default:
        return true;
    }
}

static bool same_values(const cpm_model *m, const int *classes, const int *switches)
{
    for (int p = 0; p < m->type->count; p++)
        for (int k = 0; k < cpm_parameter_slices(m, p); k++)
            if (!same_slice(m, p, m->value[p] + (size_t)k * cpm_parameter_values(m, p), classes,
                            switches))
                return false;
    return true;
}

/* ---- a period */

/* A model's ranks in groups of several kinds. */
enum { CLASSES, HOSTS, SOCKETS, SWITCHES, KINDS };

typedef struct {
    const int *of; /* [n] */
    int count;     /* 0: nothing is known of them */
    int *to;       /* [count] where a move takes each; owned */
} groups;

typedef struct {
    const cpm_model *m;
    groups in[KINDS];
    int *alone; /* [n] the host of each rank where every one has its own; owned */
} ranks;

/* Messages of processes of which the socket is not known are between none. */
static bool same_knowledge(const cpm_model *m, const move *v)
{
    const int *socket = m->across.count > 0 ? m->on.socket : NULL;
    for (int r = 0; r < m->n && socket; r++)
        if ((socket[r] < 0) != (socket[moved(v, m->n, r)] < 0))
            return false;
    return true;
}

static bool is_move_of_model(const ranks *x, const move *v)
{
    for (int k = 0; k < KINDS; k++)
        if (!move_groups(x->in[k].of, x->in[k].count ? x->m->n : 0, v, x->in[k].count, x->in[k].to))
            return false;
    return same_knowledge(x->m, v) && same_values(x->m, x->in[CLASSES].to, x->in[SWITCHES].to);
}

/* Shifts are all made of the first, twists of those by powers of two. */
static bool is_of_model(const ranks *x, const cpm_symmetry *y)
{
    int n = x->m->n, last = y->by == CPM_SHIFTS ? y->period : n / 2;
    bool power_of_2 = (n & (n - 1)) == 0;
    if (y->by == CPM_TWISTS && !power_of_2)
        return false;
    for (int g = y->period; g <= last; g *= 2)
        if (!is_move_of_model(x, &(move){y->by, g}))
            return false;
    return true;
}

static int try_period(const ranks *x, const cpm_schedule *s, const cpm_block_sizes *sizes,
                      int period, cpm_symmetry *out, bool *found, cpm_error *e)
{
    static const cpm_moves all[] = {CPM_SHIFTS, CPM_TWISTS};
    int status = CPM_OK;
    *found = false;
    for (size_t k = 0; k < sizeof all / sizeof *all && !status && !*found; k++) {
        *out = (cpm_symmetry){all[k], period};
        if (is_of_model(x, out))
            status = cpm_schedule_is_symmetric(s, sizes, out, found, e);
    }
    return status;
}

static int find_period(const ranks *x, const cpm_schedule *s, const cpm_block_sizes *sizes,
                       cpm_symmetry *out, bool *found, cpm_error *e)
{
    int n = x->m->n, status = CPM_OK;
    *found = false;
    for (int period = 1; period <= n / 2 && !status && !*found; period++)
        if (n % period == 0)
            status = try_period(x, s, sizes, period, out, found, e);
    return status;
}

/* ---- orbits */

static int first_of(const int *like, int k)
{
    while (like[k] != k)
        k = like[k];
    return k;
}

static void unite(int *like, int a, int b)
{
    a = first_of(like, a);
    b = first_of(like, b);
    like[a > b ? a : b] = a > b ? b : a;
}

/* Groups of ranks that are moved to each other are. */
static int find_orbits(const groups *g, int n, int period, cpm_orbits *out, cpm_error *e)
{
    if (g->count == 0)
        return CPM_OK;
    out->like = malloc((size_t)g->count * sizeof *out->like);
    out->moves = calloc((size_t)g->count, sizeof *out->moves);
    if (!out->like || !out->moves)
        return cpm_no_memory(e);
    for (int k = 0; k < g->count; k++)
        out->like[k] = k;
    for (int r = 0; r < n; r++)
        unite(out->like, g->of[r], g->of[r % period]);
    for (int k = 0; k < g->count; k++)
        out->moves[out->like[k] = first_of(out->like, k)]++;
    for (int k = g->count - 1; k >= 0; k--)
        out->moves[k] = n / period / out->moves[out->like[k]];
    return CPM_OK;
}

/* ---- the whole */

static int open_groups(ranks *x, int kind, const int *of, int count, cpm_error *e)
{
    x->in[kind] = (groups){of, count, malloc((size_t)count * sizeof(int) + 1)};
    return x->in[kind].to ? CPM_OK : cpm_no_memory(e);
}

static int open_hosts(ranks *x, cpm_error *e)
{
    const cpm_model *m = x->m;
    if (m->inside.count > 0)
        return open_groups(x, HOSTS, m->on.of, m->on.count, e);
    x->alone = malloc((size_t)m->n * sizeof *x->alone);
    if (!x->alone)
        return cpm_no_memory(e);
    for (int r = 0; r < m->n; r++)
        x->alone[r] = r;
    return open_groups(x, HOSTS, x->alone, m->n, e);
}

static int open_ranks(const cpm_model *m, ranks *x, cpm_error *e)
{
    *x = (ranks){.m = m};
    int status = open_groups(x, CLASSES, m->classes.of, m->classes.count, e);
    if (!status)
        status = open_hosts(x, e);
    if (!status)
        status = open_groups(x, SOCKETS, m->near.of, m->across.count ? m->near.count : 0, e);
    if (!status)
        status = open_groups(x, SWITCHES, m->switches.of, m->switches.count, e);
    return status;
}

static int find(const ranks *x, const cpm_schedule *s, const cpm_block_sizes *sizes,
                cpm_model_symmetry *out, bool *found, cpm_error *e)
{
    int n = x->m->n, status = find_period(x, s, sizes, &out->ranks, found, e);
    if (status || !*found)
        return status;
    status = find_orbits(&x->in[HOSTS], n, out->ranks.period, &out->hosts, e);
    if (!status)
        status = find_orbits(&x->in[SOCKETS], n, out->ranks.period, &out->sockets, e);
    if (!status)
        status = find_orbits(&x->in[SWITCHES], n, out->ranks.period, &out->switches, e);
    if (status)
        cpm_model_symmetry_clear(out);
    return status;
}

int cpm_model_find_symmetry(const cpm_model *m, const cpm_schedule *s, const cpm_block_sizes *sizes,
                            cpm_model_symmetry *out, bool *found, cpm_error *e)
{
    ranks x;
    *out = (cpm_model_symmetry){0};
    *found = false;
    if (m->links.count > 0) /* which ranks they make alike is not looked for */
        return CPM_OK;
    int status = open_ranks(m, &x, e);
    if (!status)
        status = find(&x, s, sizes, out, found, e);
    for (int k = 0; k < KINDS; k++)
        free(x.in[k].to);
    free(x.alone);
    return status;
}

static void clear_orbits(cpm_orbits *o)
{
    free(o->like);
    free(o->moves);
}

void cpm_model_symmetry_clear(cpm_model_symmetry *y)
{
    clear_orbits(&y->hosts);
    clear_orbits(&y->sockets);
    clear_orbits(&y->switches);
    *y = (cpm_model_symmetry){0};
}
