/* Sums over all messages: neither a processor nor a resource does more than one thing at a time. */
#include "selection/bound.h"

#include <math.h>
#include <stdlib.h>

#include "base/vector.h"
#include "collectives/schedule/flow_walk.h"

typedef struct {
    const cpm_model *m;
    double *busy;    /* [n] seconds of each process's processor */
    double *carried; /* [resources] seconds that each is full */
    int64_t room;
    int resources;
    cpm_steps steps;
} sums;

static bool carry(sums *x, const cpm_flow *f)
{
    for (int u = 0; u < f->uses && f->flow > 0; u++) {
        int needed = f->use[u].resource + 1;
        if (!cpm_vector_reserve(&x->carried, &x->room, needed, sizeof *x->carried))
            return false;
        while (x->resources < needed)
            x->carried[x->resources++] = 0;
        x->carried[needed - 1] += f->flow / f->cap * f->use[u].seconds;
    }
    return true;
}

/* Of the two ways of sending the one that takes less. */
static bool add_sends(sums *x, const cpm_schedule *s, const cpm_block_sizes *sizes, int rank)
{
    cpm_flow f;
    bool room = true;
    for (const cpm_step *step = x->steps.at; step < x->steps.at + x->steps.count && room; step++) {
        if (step->kind != CPM_SEND)
            continue;
        x->m->type->flow(x->m, rank, step->peer, cpm_step_bytes(s, &x->steps, step, sizes), &f);
        x->busy[rank] += fmin(f.send, f.start);
        x->busy[step->peer] += f.recv;
        room = carry(x, &f);
    }
    return room;
}

static double largest(const double *at, int count)
{
    double most = 0;
    for (int k = 0; k < count; k++)
        most = fmax(most, at[k]);
    return most;
}

/* Sums in another order may differ in their last digits. */
static const double rounding = 1 - 1e-9;

int cpm_least_time(const cpm_model *m, const cpm_schedule *s, const cpm_block_sizes *sizes,
                   double *seconds, cpm_error *e)
{
    sums x = {.m = m, .busy = calloc((size_t)s->n, sizeof *x.busy)};
    bool room = x.busy;
    int status = CPM_OK;
    for (int r = 0; r < s->n && room && !status; r++) {
        status = cpm_schedule_rank(s, r, &x.steps, e);
        room = status || add_sends(&x, s, sizes, r);
    }
    if (!room)
        status = cpm_fail(e, CPM_ENOMEM, "no memory to bound the time of %d processes", s->n);
    if (!status)
        *seconds = rounding * fmax(largest(x.busy, s->n), largest(x.carried, x.resources));
    cpm_steps_free(&x.steps);
    free(x.busy);
    free(x.carried);
    return status;
}
