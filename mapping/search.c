/* Iterated local search with the model's prediction as its measure. */
#include "mapping/search.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>
#include <time.h>

struct search {
    const cpm_mapping_problem *p;
    const cpm_mapping_effort *effort;
    double end; /* of the time, seconds of the monotonic clock */
    gsl_rng *random;
    double *finish; /* [n] of the last prediction */
    int *places;    /* [n] in the order in which they are tried */
    layout trial;
    long tried;
};

static double now(void)
{
    struct timespec t;
    (clock_gettime)(CLOCK_MONOTONIC, &t); /* not a simulated clock: SMPI has a macro of that name */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int search_open(const cpm_mapping_problem *p, const cpm_mapping_effort *effort, search **out,
                cpm_error *e)
{
    size_t n = (size_t)p->model->n;
    search *s = calloc(1, sizeof *s);
    if (!s)
        return cpm_fail(e, CPM_ENOMEM, "no memory for a search");
    s->p = p;
    s->effort = effort;
    s->end = now() + effort->seconds;
    s->random = gsl_rng_alloc(gsl_rng_taus2);
    s->finish = malloc(n * sizeof *s->finish);
    s->places = malloc(n * sizeof *s->places);
    int status = layout_create(p->model->n, cpm_mapping_is_free(p), &s->trial, e);
    if (!status && (!s->random || !s->finish || !s->places))
        status = cpm_fail(e, CPM_ENOMEM, "no memory for a search among %zu processes", n);
    if (status) {
        search_close(s);
        return status;
    }
    gsl_rng_set(s->random, effort->seed);
    for (int v = 0; v < p->model->n; v++)
        s->places[v] = v;
    *out = s;
    return CPM_OK;
}

void search_close(search *s)
{
    if (!s)
        return;
    if (s->random)
        gsl_rng_free(s->random);
    free(s->finish);
    free(s->places);
    layout_clear(&s->trial);
    free(s);
}

long search_tried(const search *s)
{
    return s->tried;
}

bool search_out_of_time(const search *s)
{
    return now() >= s->end;
}

int search_score(search *s, layout *l, layout_score *score, cpm_error *e)
{
    if (l->depth)
        layout_set_parents(l);
    cpm_mapping m = {l->n, l->process, l->parent};
    double seconds = cpm_mapping_predict(s->p, &m, s->finish, e), total = 0;
    if (seconds < 0)
        return (int)seconds;
    for (int r = 0; r < l->n; r++)
        total += s->finish[r];
    *score = (layout_score){seconds, total};
    s->tried++;
    return CPM_OK;
}

/* ---- small steps */

/* Scores the trial and keeps it in l if it is better. */
static int consider(search *s, layout *l, layout_score *score, bool *better, cpm_error *e)
{
    layout_score found;
    int status = search_score(s, &s->trial, &found, e);
    *better = !status && layout_better(found, *score);
    if (*better) {
        layout_copy(&s->trial, l);
        *score = found;
    }
    return status;
}

/* The process at place u with every other. */
static int try_swaps(search *s, layout *l, int u, layout_score *score, bool *gained, cpm_error *e)
{
    int status = CPM_OK;
    for (int v = 1; v < l->n && !status && !search_out_of_time(s); v++) {
        bool better = false;
        if (v == u)
            continue;
        layout_copy(l, &s->trial);
        layout_swap(&s->trial, u, v);
        status = consider(s, l, score, &better, e);
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

static int try_depths(search *s, layout *l, cut c, int to, layout_score *score, bool *gained,
                      cpm_error *e)
{
    int status = CPM_OK, deepest = l->depth[place_without(c, to - 1)] + 1;
    int depth = least_depth(l, place_without(c, to));
    for (; depth <= deepest && !status && !*gained; depth++) {
        if (to == c.u && depth == l->depth[c.u])
            continue;
        layout_copy(l, &s->trial);
        layout_move(&s->trial, c.u, to, depth);
        status = consider(s, l, score, gained, e);
    }
    return status;
}

/* The subtree at place u under every other parent and between all its children; ends with the first
 * gain, which changes what is at u. */
static int try_moves(search *s, layout *l, int u, layout_score *score, bool *gained, cpm_error *e)
{
    cut c = {u, layout_end(l, u) - u};
    int status = CPM_OK;
    bool moved = false;
    for (int to = 1; to <= l->n - c.size && !status && !moved && !search_out_of_time(s); to++)
        status = try_depths(s, l, c, to, score, &moved, e);
    *gained = *gained || moved;
    return status;
}

int search_descend(search *s, layout *l, layout_score *score, cpm_error *e)
{
    int status = CPM_OK;
    bool gained = true;
    while (gained && !status && !search_out_of_time(s)) {
        gained = false;
        gsl_ran_shuffle(s->random, s->places, (size_t)l->n, sizeof *s->places);
        for (int k = 0; k < l->n && !status; k++) {
            if (s->places[k] == 0)
                continue;
            status = try_swaps(s, l, s->places[k], score, &gained, e);
            if (!status && l->depth)
                status = try_moves(s, l, s->places[k], score, &gained, e);
        }
    }
    return status;
}

/* ---- large steps */

static int any_place(search *s, int from, int end)
{
    return from + (int)gsl_rng_uniform_int(s->random, (unsigned long)(end - from));
}

static void move_any(search *s, layout *l)
{
    int u = any_place(s, 1, l->n), size = layout_end(l, u) - u;
    cut c = {u, size};
    int to = any_place(s, 1, l->n - size + 1);
    int least = least_depth(l, place_without(c, to));
    int deepest = l->depth[place_without(c, to - 1)] + 1;
    layout_move(l, u, to, any_place(s, least, deepest + 1));
}

static void shake(search *s, layout *l)
{
    enum { LEAST = 2, MOST = 4 };
    for (int k = any_place(s, LEAST, MOST + 1); k > 0; k--) {
        if (l->depth && gsl_rng_uniform_int(s->random, 2))
            move_any(s, l);
        else
            layout_swap(l, any_place(s, 1, l->n), any_place(s, 1, l->n));
    }
}

static int attempt(search *s, layout *l, layout *other, layout_score *score, int *idle,
                   cpm_error *e)
{
    layout_score found;
    layout_copy(l, other);
    shake(s, other);
    int status = search_score(s, other, &found, e);
    if (!status)
        status = search_descend(s, other, &found, e);
    *idle = !status && layout_better(found, *score) ? 0 : *idle + 1;
    if (!*idle) {
        layout_copy(other, l);
        *score = found;
    }
    return status;
}

int search_shake(search *s, layout *l, layout_score *score, cpm_error *e)
{
    layout other = {0};
    int idle = 0, status = layout_create(s->p->model->n, l->depth != NULL, &other, e);
    while (!status && l->n > 2 && idle < s->effort->attempts && !search_out_of_time(s))
        status = attempt(s, l, &other, score, &idle, e);
    layout_clear(&other);
    return status;
}
