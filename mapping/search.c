/* Iterated local search with the model's prediction as its measure. Every descent has random
 * numbers of its own, by its number, so that it finds the same in any thread. */
#include "mapping/search.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>

#include "base/monotonic.h"
#include "base/parallel.h"

/* What one descent needs. */
typedef struct {
    const search *s;
    gsl_rng *random;
    double *finish; /* [n] of the last prediction */
    int *places;    /* [n] in the order in which they are tried */
    layout trial;
    long tried;
} descent;

struct search {
    const cpm_mapping_problem *p;
    const cpm_mapping_effort *effort;
    double end; /* of the time, seconds of the monotonic clock */
    descent own;
    int begun; /* descents */
    long tried;
};

/* ---- what a descent needs */

static void close_descent(descent *d)
{
    if (d->random)
        gsl_rng_free(d->random);
    free(d->finish);
    free(d->places);
    layout_clear(&d->trial);
}

/* number: of all that the search makes; its random numbers follow from it. */
static int open_descent(const search *s, int number, descent *d, cpm_error *e)
{
    size_t n = (size_t)s->p->model->n;
    *d = (descent){.s = s,
                   .random = gsl_rng_alloc(gsl_rng_taus2),
                   .finish = malloc(n * sizeof *d->finish),
                   .places = malloc(n * sizeof *d->places)};
    int status = layout_create(s->p->model->n, cpm_mapping_is_free(s->p), &d->trial, e);
    if (!status && (!d->random || !d->finish || !d->places))
        status = cpm_no_memory(e);
    if (status) {
        close_descent(d);
        return status;
    }
    gsl_rng_set(d->random, s->effort->seed + 2654435761UL * (unsigned long)number);
    for (int v = 0; v < s->p->model->n; v++)
        d->places[v] = v;
    return CPM_OK;
}

int search_open(const cpm_mapping_problem *p, const cpm_mapping_effort *effort, search **out,
                cpm_error *e)
{
    search *s = calloc(1, sizeof *s);
    if (!s)
        return cpm_no_memory(e);
    s->p = p;
    s->effort = effort;
    s->end = cpm_monotonic_seconds() + effort->seconds;
    int status = open_descent(s, s->begun++, &s->own, e);
    if (status)
        free(s);
    else
        *out = s;
    return status;
}

void search_close(search *s)
{
    if (s)
        close_descent(&s->own);
    free(s);
}

long search_tried(const search *s)
{
    return s->tried + s->own.tried;
}

bool search_out_of_time(const search *s)
{
    return cpm_monotonic_seconds() >= s->end;
}

static int score_of(descent *d, layout *l, layout_score *score, cpm_error *e)
{
    if (l->depth)
        layout_set_parents(l);
    cpm_mapping m = {l->n, l->process, l->parent};
    double seconds = cpm_mapping_predict(d->s->p, &m, d->finish, e), total = 0;
    if (seconds < 0)
        return (int)seconds;
    for (int r = 0; r < l->n; r++)
        total += d->finish[r];
    *score = (layout_score){seconds, total};
    d->tried++;
    return CPM_OK;
}

int search_score(search *s, layout *l, layout_score *score, cpm_error *e)
{
    return score_of(&s->own, l, score, e);
}

/* ---- small steps */

/* Scores the trial and keeps it in l if it is better. */
static int consider(descent *d, layout *l, layout_score *score, bool *better, cpm_error *e)
{
    layout_score found;
    int status = score_of(d, &d->trial, &found, e);
    *better = !status && layout_better(found, *score);
    if (*better) {
        layout_copy(&d->trial, l);
        *score = found;
    }
    return status;
}

/* The process at place u with every other. */
static int try_swaps(descent *d, layout *l, int u, layout_score *score, bool *gained, cpm_error *e)
{
    int status = CPM_OK;
    for (int v = 1; v < l->n && !status && !search_out_of_time(d->s); v++) {
        bool better = false;
        if (v == u)
            continue;
        layout_copy(l, &d->trial);
        layout_swap(&d->trial, u, v);
        status = consider(d, l, score, &better, e);
        *gained = *gained || better;
    }
    return status;
}

/* The least depth at which a subtree can stand before place to without taking over what is there.
 */
static int least_depth(const layout *l, int to)
{
    return to < l->n ? l->depth[to] : 1;
}

/* A subtree of size places at u, without which the tree has the places 0..u-1 and u+size..n-1. */
typedef struct {
    int u, size;
} cut;

static int place_without(cut c, int to)
{
    return to < c.u ? to : to + c.size;
}

static int try_depths(descent *d, layout *l, cut c, int to, layout_score *score, bool *gained,
                      cpm_error *e)
{
    int status = CPM_OK, deepest = l->depth[place_without(c, to - 1)] + 1;
    int depth = least_depth(l, place_without(c, to));
    for (; depth <= deepest && !status && !*gained; depth++) {
        if (to == c.u && depth == l->depth[c.u])
            continue;
        layout_copy(l, &d->trial);
        layout_move(&d->trial, c.u, to, depth);
        status = consider(d, l, score, gained, e);
    }
    return status;
}

/* The subtree at place u under every other parent and between all its children; ends with the first
 * gain, which changes what is at u. */
static int try_moves(descent *d, layout *l, int u, layout_score *score, bool *gained, cpm_error *e)
{
    cut c = {u, layout_end(l, u) - u};
    int status = CPM_OK;
    bool moved = false;
    for (int to = 1; to <= l->n - c.size && !status && !moved && !search_out_of_time(d->s); to++)
        status = try_depths(d, l, c, to, score, &moved, e);
    *gained = *gained || moved;
    return status;
}

static int descend(descent *d, layout *l, layout_score *score, cpm_error *e)
{
    int status = CPM_OK;
    bool gained = true;
    while (gained && !status && !search_out_of_time(d->s)) {
        gained = false;
        gsl_ran_shuffle(d->random, d->places, (size_t)l->n, sizeof *d->places);
        for (int k = 0; k < l->n && !status; k++) {
            if (d->places[k] == 0)
                continue;
            status = try_swaps(d, l, d->places[k], score, &gained, e);
            if (!status && l->depth)
                status = try_moves(d, l, d->places[k], score, &gained, e);
        }
    }
    return status;
}

/* ---- large steps */

static int any_place(descent *d, int from, int end)
{
    return from + (int)gsl_rng_uniform_int(d->random, (unsigned long)(end - from));
}

static void move_any(descent *d, layout *l)
{
    int u = any_place(d, 1, l->n), size = layout_end(l, u) - u;
    cut c = {u, size};
    int to = any_place(d, 1, l->n - size + 1);
    int least = least_depth(l, place_without(c, to));
    int deepest = l->depth[place_without(c, to - 1)] + 1;
    layout_move(l, u, to, any_place(d, least, deepest + 1));
}

static void shake(descent *d, layout *l)
{
    enum { LEAST = 2, MOST = 4 };
    for (int k = any_place(d, LEAST, MOST + 1); k > 0; k--) {
        if (l->depth && gsl_rng_uniform_int(d->random, 2))
            move_any(d, l);
        else
            layout_swap(l, any_place(d, 1, l->n), any_place(d, 1, l->n));
    }
}

/* ---- several at once */

typedef struct {
    const search *s;
    search_state *at;
    long *tried; /* [count] predictions */
    int first;   /* its number */
    bool shaken; /* they begin with a random change */
} descents;

static int descend_one(void *context, int k, cpm_error *e)
{
    const descents *all = context;
    search_state *x = &all->at[k];
    descent d;
    all->tried[k] = 0;
    if (search_out_of_time(all->s) && !all->shaken)
        return CPM_OK;
    int status = open_descent(all->s, all->first + k, &d, e);
    if (status)
        return status;
    if (all->shaken) {
        shake(&d, &x->at);
        status = score_of(&d, &x->at, &x->score, e);
    }
    if (!status)
        status = descend(&d, &x->at, &x->score, e);
    all->tried[k] = d.tried;
    close_descent(&d);
    return status;
}

int search_descend(search *s, search_state *at, int count, cpm_error *e)
{
    long *tried = malloc((size_t)count * sizeof *tried + 1);
    if (!tried)
        return cpm_no_memory(e);
    descents all = {s, at, tried, s->begun, false};
    s->begun += count;
    int status = cpm_parallel(count, s->effort->threads, descend_one, &all, e);
    for (int k = 0; k < count && !status; k++)
        s->tried += tried[k];
    free(tried);
    return status;
}

/* As many are tried at once as there are threads, and at most AT_ONCE: those behind the first that
 * gains something, which would have begun from there, are forgotten. */
enum { AT_ONCE = 16 };

typedef struct {
    search_state of[AT_ONCE];
    int count;
    int idle; /* in a row that gained nothing */
} attempts;

static int attempt(search *s, attempts *a, search_state *x, cpm_error *e)
{
    long tried[AT_ONCE];
    descents all = {s, a->of, tried, s->begun, true};
    int more = s->effort->attempts - a->idle, count = a->count < more ? a->count : more;
    for (int k = 0; k < count; k++)
        layout_copy(&x->at, &a->of[k].at);
    int status = cpm_parallel(count, s->effort->threads, descend_one, &all, e);
    bool gained = false;
    for (int k = 0; k < count && !status && !gained; k++) {
        gained = layout_better(a->of[k].score, x->score);
        a->idle = gained ? 0 : a->idle + 1;
        s->tried += tried[k];
        s->begun++;
        if (gained) {
            layout_copy(&a->of[k].at, &x->at);
            x->score = a->of[k].score;
        }
    }
    return status;
}

int search_shake(search *s, search_state *x, cpm_error *e)
{
    attempts a = {.count = cpm_threads(s->effort->threads)};
    int made = 0, status = CPM_OK;
    a.count = a.count < AT_ONCE ? a.count : AT_ONCE;
    while (made < a.count && !status)
        status = layout_create(s->p->model->n, x->at.depth != NULL, &a.of[made++].at, e);
    while (!status && x->at.n > 2 && a.idle < s->effort->attempts && !search_out_of_time(s))
        status = attempt(s, &a, x, e);
    for (int k = 0; k < made; k++)
        layout_clear(&a.of[k].at);
    return status;
}
