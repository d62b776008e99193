/* Neither a processor nor a resource does more than one thing at a time, and no message is faster
 * for having company: a walk in which all have their ways for themselves ends earlier, as whoever
 * does the same things later in it is never earlier. Where messages do not hinder each other the
 * resources are the ends of ranks' links, which the last message may leave before its gap is over.
 */
#include "selection/bound.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/vector.h"
#include "collectives/schedule/flow_walk.h"

/* Messages between two ranks of one size, as rings and pipelines have many. */
typedef struct {
    int from, to; /* from -1: nothing is here */
    size_t bytes;
    double sent, received, carried; /* how many of them their ends, and their ways, are busy with */
    cpm_flow flow;
} alike;

enum { PLACES = 256 }; /* of those that are counted at a time */

typedef struct {
    const cpm_model *m;
    bool flows;      /* the model's messages share resources */
    double *busy;    /* [n] seconds of each process's processor */
    double *carried; /* [resources] seconds that each is full */
    int64_t room;
    int resources;
    double last;    /* seconds of a resource that a walk need not wait for, at most */
    bool failed;    /* no memory */
    alike *counted; /* [PLACES] */
} sums;

static bool reserve(sums *x, int resource)
{
    if (!cpm_vector_reserve(&x->carried, &x->room, resource + 1, sizeof *x->carried))
        return false;
    while (x->resources <= resource)
        x->carried[x->resources++] = 0;
    return true;
}

static void carry(sums *x, const cpm_flow *f, double messages)
{
    double bytes = f->flow > 0 ? messages * f->flow / f->cap : 0;
    for (int u = 0; u < f->uses && bytes > 0; u++) {
        int at = f->use[u].resource;
        if (at < x->resources || reserve(x, at))
            x->carried[at] += bytes * f->use[u].seconds;
        else
            x->failed = true;
    }
}

/* Of the two ways of sending the one that takes less. */
static double least_of_send(const cpm_flow *f)
{
    return f->start < f->send ? f->start : f->send;
}

static double least_of_receive(const cpm_flow *f)
{
    return f->fetched ? f->recv + f->flow : f->recv;
}

static void add_up(sums *x, const alike *a)
{
    if (a->from < 0)
        return;
    x->busy[a->from] += a->sent * least_of_send(&a->flow);
    x->busy[a->to] += a->received * least_of_receive(&a->flow);
    carry(x, &a->flow, a->carried);
}

/* What a message costs where the model knows no flows: each end of its way is one of its rank's. */
static void ask_cost(sums *x, int from, int to, size_t bytes, cpm_flow *f)
{
    cpm_cost c;
    x->m->type->cost(x->m, from, to, bytes, &c);
    *f = (cpm_flow){.send = c.send, .start = c.send, .recv = c.recv, .flow = 1, .cap = 1};
    cpm_flow_use(f, 2 * from, c.gap);
    cpm_flow_use(f, 2 * to + 1, c.gap);
    x->last = fmax(x->last, c.gap);
}

/* Who was counted at this place before is added up. */
static alike *count(sums *x, int from, int to, size_t bytes)
{
    uint64_t mixed = cpm_hash_mix((uint64_t)(unsigned)from << 32 | (unsigned)to, bytes);
    alike *a = &x->counted[mixed % PLACES];
    if (a->from == from && a->to == to && a->bytes == bytes)
        return a;
    add_up(x, a);
    a->from = from;
    a->to = to;
    a->bytes = bytes;
    a->sent = a->received = a->carried = 0;
    if (x->flows)
        x->m->type->flow(x->m, from, to, bytes, &a->flow);
    else
        ask_cost(x, from, to, bytes, &a->flow);
    return a;
}

static double largest(const double *at, int count)
{
    double most = 0;
    for (int k = 0; k < count; k++) /* as fmax, which is a call, it passes over what is no number */
        most = at[k] > most ? at[k] : most;
    return most;
}

static bool open_sums(sums *x, const cpm_model *m, int n)
{
    *x = (sums){.m = m,
                .flows = cpm_model_flows(m),
                .busy = calloc((size_t)n, sizeof *x->busy),
                .counted = malloc(PLACES * sizeof *x->counted)};
    for (int k = 0; k < PLACES && x->counted; k++)
        x->counted[k].from = -1;
    return x->busy && x->counted;
}

/* Sums in another order may differ in their last digits. */
static const double rounding = 1 - 1e-9;

static int close_sums(sums *x, int n, int status, double walked, double *seconds, cpm_error *e)
{
    for (int k = 0; k < PLACES && x->busy && x->counted; k++)
        add_up(x, &x->counted[k]);
    if (!status && (!x->busy || !x->counted || x->failed))
        status = cpm_no_memory(e);
    if (!status)
        *seconds = rounding * fmax(fmax(walked, largest(x->busy, n)),
                                   largest(x->carried, x->resources) - x->last);
    free(x->busy);
    free(x->carried);
    free(x->counted);
    return status;
}

/* ---- a few ranks */

enum { FEW = 4 };

/* A message between two of the few counts once for what it uses: by its sender. Returns for how
 * long the rank's processor is busy, and looks no further where that is until. */
static double add_steps(sums *x, const cpm_schedule *s, const cpm_steps *steps,
                        const cpm_block_sizes *sizes, int rank, const bool *is_one, double until)
{
    double own = 0;
    for (const cpm_step *step = steps->at; step < steps->at + steps->count && !(own >= until);
         step++) {
        if (!cpm_step_is_message(step))
            continue;
        bool sends = step->kind == CPM_SEND;
        size_t bytes = cpm_step_bytes(s, steps, step, sizes);
        alike *a = count(x, sends ? rank : step->peer, sends ? step->peer : rank, bytes);
        if (sends)
            a->sent++;
        else
            a->received++;
        a->carried += sends || !is_one[step->peer];
        own += sends ? least_of_send(&a->flow) : a->flow.recv;
    }
    return own;
}

/* The root, which may have most of the work, and others at even distances. */
int cpm_least_of_few(const cpm_model *m, const cpm_schedule *s, const cpm_block_sizes *sizes,
                     double until, cpm_least *out, cpm_error *e)
{
    sums x;
    cpm_steps steps = {0};
    cpm_least of_all = {0};
    const double end = until / rounding / rounding; /* summed and rounded, no less than until */
    double own = 0;
    int n = s->n, others = n - 1 < FEW ? n - 1 : FEW, status = CPM_OK, rank[FEW + 1];
    bool *is_one = calloc((size_t)n, sizeof *is_one), room = open_sums(&x, m, n) && is_one;
    for (int k = 0; k <= others && room; k++) {
        long away = k ? 1 + (long)(k - 1) * (n - 1) / others : 0;
        rank[k] = (int)(((s->root > 0 ? s->root : 0) + away) % n);
        is_one[rank[k]] = true;
    }
    for (int k = 0; k <= others && room && !status && !(own >= end); k++) {
        status = cpm_schedule_rank(s, rank[k], &steps, e);
        if (!status)
            own = add_steps(&x, s, &steps, sizes, rank[k], is_one, end);
        double share = k ? 0.5 * (n - 1) / others : 0.5; /* of a message with two ends */
        of_all.messages += share * steps.count;
        of_all.runs += share * (double)steps.more_count;
    }
    x.failed = x.failed || !room;
    cpm_steps_free(&steps);
    free(is_one);
    status = close_sums(&x, n, status, 0, &of_all.seconds, e);
    if (!status)
        *out = of_all;
    return status;
}

/* ---- a walk */

/* A cost function has no status to return, and its model is constant: what it adds up is beside. */
typedef struct {
    sums *to;
} adder;

static void least_cost(const void *context, int from, int to, size_t bytes, cpm_cost *cost)
{
    alike *a = count(((const adder *)context)->to, from, to, bytes);
    const cpm_flow *f = &a->flow;
    double way = f->latency + f->flow;
    *cost = (cpm_cost){.send = least_of_send(f),
                       .wire = f->fetched ? f->latency : way,
                       .recv = least_of_receive(f),
                       .hold = f->synchronous ? way : 0};
    a->sent++;
    a->received++;
    a->carried++;
}

static double least_to_combine(const void *context, int rank, cpm_combining what, size_t bytes)
{
    sums *x = ((const adder *)context)->to;
    double seconds = x->m->type->combine(x->m, rank, what, bytes);
    x->busy[rank] += seconds;
    return seconds;
}

int cpm_least_of_walk(const cpm_model *m, const cpm_schedule *s, const cpm_block_sizes *sizes,
                      double until, double *finish, double *seconds, cpm_error *e)
{
    sums x;
    const adder a = {&x};
    const double end = until / rounding; /* rounded, no less than until */
    const cpm_plain_walking how = {.combine = m->type->combine ? least_to_combine : NULL,
                                   .until = end};
    double walked = 0;
    if (open_sums(&x, m, s->n))
        walked = cpm_plain_walk(s, sizes, least_cost, &a, &how, finish, e);
    int status = close_sums(&x, s->n, walked < 0 ? (int)walked : CPM_OK, walked, seconds, e);
    if (!status && walked >= end)
        *seconds = fmax(*seconds, until);
    return status;
}
