/* Starts that keep step: pieces go down several trees (routes.h), a part of them, one piece for
 * each tree, after the other. In each step every process passes on what the step before brought.
 * The root, who receives nothing, waits until the last part has come: what it sends is buffered,
 * and would leave all at once and share its link, so that all of it would come late. */
#include <math.h>
#include <stdlib.h>

#include "mapping/routes.h"
#include "mapping/synthesis_parts.h"

typedef struct {
    const contacts_form *form;
    const routes *on;
    int parts;
    int *depth; /* [trees * n] */
    int *step;  /* [n] of a process's last contact */
    contacts out;
} pipeline;

static int depth_of(const routes *on, int tree, int process)
{
    const int *parent = on->parent + (size_t)tree * (size_t)on->n;
    int depth = 0;
    while (parent[process] >= 0) {
        process = parent[process];
        depth++;
    }
    return depth;
}

static bool is_new(pipeline *p, int process, int step)
{
    bool begins = p->step[process] != step;
    p->step[process] = step;
    return begins;
}

static int add(pipeline *p, int step, int from, int to, int what, cpm_error *e)
{
    contact c = {from, to, what, {false, false}};
    c.fresh[0] = is_new(p, from, step);
    c.fresh[1] = is_new(p, to, step);
    return contacts_add(&p->out, c, e);
}

/* All messages of a step; *last becomes who receives the root's last one, if there is any. */
static int add_step(pipeline *p, int step, int *last, cpm_error *e)
{
    const int n = p->on->n, trees = p->on->trees, sources = contacts_sources(p->form);
    const int ways = trees / sources;
    const bool rooted = p->form->spreads->rooted;
    int status = CPM_OK;
    for (int k = 0; k < trees * n && !status; k++) {
        const int tree = k / n % ways * sources + k / n / ways, to = k % n; /* ways in turns */
        const int at = tree * n + to, part = step - p->depth[at], from = p->on->parent[at];
        if (from < 0 || part < 0 || part >= p->parts)
            continue;
        status = add(p, step, from, to, part * trees + tree, e);
        *last = rooted && from == p->form->root ? to : *last;
    }
    return status;
}

static int add_steps(pipeline *p, cpm_error *e)
{
    int status = CPM_OK, deepest = 0;
    for (int k = 0; k < p->on->trees * p->on->n; k++)
        deepest = p->depth[k] > deepest ? p->depth[k] : deepest;
    for (int step = 1, told = -1; step < p->parts + deepest && !status; step++) {
        if (told >= 0 && step <= p->parts) {
            status = add(p, step, told, p->form->root, CONTACT_TOKEN, e);
            p->step[p->form->root] = 0; /* what it sends now is behind the token */
        }
        told = -1;
        if (!status)
            status = add_step(p, step, &told, e);
    }
    return status;
}

static int start(synthesis *s, const contacts_form *f, const routes *on, int pieces, int parts,
                 synthesis_starts *all, cpm_error *e)
{
    contacts_form form = *f;
    size_t n = (size_t)on->n;
    form.pieces = pieces;
    pipeline p = {.form = &form,
                  .on = on,
                  .parts = parts,
                  .depth = malloc(n * (size_t)on->trees * sizeof *p.depth),
                  .step = calloc(n, sizeof *p.step)};
    int status = p.depth && p.step ? CPM_OK : cpm_no_memory(e);
    for (int k = 0; k < on->trees * on->n && !status; k++)
        p.depth[k] = depth_of(on, k / on->n, k % on->n);
    if (!status)
        status = add_steps(&p, e);
    if (!status)
        status = synthesis_add_start(s, all, &form, &p.out, "steps", e);
    free(p.depth);
    free(p.step);
    contacts_clear(&p.out);
    return status;
}

int synthesis_start_in_steps(synthesis *s, const contacts_form *f, const routes *on,
                             synthesis_starts *all, cpm_error *e)
{
    static const int parts[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48};
    enum { LEAST_PIECE = 512, FEW = 2 };
    const int cuts = on->trees / contacts_sources(f); /* of a unit, for each part */
    const size_t bytes = synthesis_spread_bytes(s, f);
    const double most = 8000 + 1000 * s->effort->seconds; /* transfers */
    const double far = 1.3; /* more parts do not make up for that where all begin at once */
    double best = INFINITY;
    int status = CPM_OK, worse = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !status && worse < FEW; i++) {
        int pieces = parts[i] * cuts, before = all->count;
        bool small = pieces > 1 && bytes / (size_t)pieces < LEAST_PIECE;
        if (small || (double)parts[i] * on->trees * on->n > most || synthesis_out_of_time(s))
            break;
        status = start(s, f, on, pieces, parts[i], all, e);
        const double seconds = all->count > before ? all->at[before].score.seconds : INFINITY;
        worse = seconds < best ? 0 : worse + 1;
        best = fmin(best, seconds);
        if (!f->spreads->rooted && best > far * s->best_seconds)
            break;
    }
    return status;
}
