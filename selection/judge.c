/* Two passes where a model has a costly walk: all by the plain walk, then the promising by its own.
 */
#include "selection/judge.h"

#include <math.h>
#include <stdlib.h>

#include "selection/bound.h"
#include "selection/effort.h"

/* How a candidate is walked: by the plain walk, or as the model says. */
typedef double walk_function(const cpm_model *m, const cpm_collective *c,
                             const cpm_block_sizes *sizes, double *finish, const cpm_trace *trace,
                             cpm_error *e);

static bool walks_flows(const cpm_model *m)
{
    return m->type->flow && m->type->flows(m);
}

judge judge_of(const cpm_model *m, const cpm_request *r, cpm_size_class sizes, double most)
{
    judge j = {.model = m, .request = *r, .sizes = sizes, .most = most, .within = 1};
    if (!r->operation->dataless && !r->sizes)
        j.request.bytes = sizes.most;
    j.irregular = !m->type->predict && cpm_switch_buffer_of(m, &j.buffer);
    j.traced = j.irregular || walks_flows(m);
    return j;
}

/* ---- one prediction */

static cpm_block_sizes sizes_of(const cpm_request *r)
{
    return (cpm_block_sizes){.bytes = r->bytes, .each = r->sizes};
}

static bool is_unknown(int status)
{
    return status == CPM_EINVAL || status == CPM_EDATA;
}

/* A walk that is watched: its messages, and what it takes. It ends when it takes more than most
 * seconds, or comes to a time from which on nobody wants to know it. */
typedef struct {
    cpm_timeline run; /* first: a pointer to it is one to this */
    double looks, most, until;
} watch;

/* Messages begin in the order of time. */
static bool is_late(const watch *w)
{
    return w->run.count > 0 && w->run.at[w->run.count - 1].send_begin >= w->until;
}

static int go_on(void *context, double looks, cpm_error *e)
{
    watch *w = context;
    w->looks += looks;
    if (is_late(w))
        return cpm_fail(e, CPM_EINVAL, "is slower than another");
    return cpm_flow_walk_taken(&w->run, w->looks) <= w->most
               ? CPM_OK
               : cpm_fail(e, CPM_EINVAL, "takes too long to predict");
}

/* The model without what makes messages hinder each other. */
typedef struct {
    cpm_model_type type;
    cpm_model model;
} plain_model;

static const cpm_model *plain_of(const cpm_model *m, plain_model *plain)
{
    plain->type = *m->type;
    plain->type.flow = NULL;
    plain->model = *m;
    plain->model.type = &plain->type;
    return &plain->model;
}

static double plain_walk(const cpm_model *m, const cpm_collective *c, const cpm_block_sizes *sizes,
                         double *finish, const cpm_trace *trace, cpm_error *e)
{
    plain_model plain;
    return cpm_predict_traced(plain_of(m, &plain), c, sizes, finish, trace, e);
}

/* Of a call in a batch, by that walk. */
static double walk_batch(const judge *j, const candidate *x, const cpm_block_sizes *sizes,
                         walk_function *walk, double *finish, cpm_error *e)
{
    plain_model plain;
    const cpm_model *m = walk == plain_walk ? plain_of(j->model, &plain) : j->model;
    return cpm_predict_batch(m, &x->what, sizes, j->batch, finish, e);
}

/* Of crowds, where time is short: then times are up to 0.9 % (64 hosts) or 1.6 % (160) longer than
 * the exact ones, a third of what makes a choice (0.05), and dense exchanges are predicted some ten
 * times as fast. */
static const double tolerance = 3e-3;

/* Of blocks of that many bytes. Negative seconds: it does not apply, or takes too long. What is
 * watched is an isolated call. */
static int predict(const judge *j, const candidate *x, size_t bytes, walk_function *walk,
                   double *seconds, double *finish, watch *w, cpm_error *e)
{
    cpm_error why = {0};
    cpm_trace trace = cpm_timeline_trace(&w->run);
    trace.step = go_on;
    trace.tolerance = isfinite(j->most) ? tolerance : 0;
    const cpm_block_sizes sizes = {.bytes = bytes, .each = j->request.sizes};
    *seconds = walk(j->model, &x->what, &sizes, finish, j->traced ? &trace : NULL, &why);
    if (*seconds >= 0 && j->batch != CPM_ISOLATED)
        *seconds = walk_batch(j, x, &sizes, walk, finish, &why);
    if (*seconds >= 0)
        return cpm_timeline_check(&w->run, e);
    return is_unknown(why.code) ? CPM_OK : cpm_fail(e, why.code, "%s", why.text);
}

/* Of blocks of the largest size, whose messages are synchronous first. */
static int find_long_together(const judge *j, candidate *x, cpm_error *e)
{
    cpm_schedule *s;
    bool together = false;
    const cpm_block_sizes sizes = sizes_of(&j->request);
    int status = cpm_collective_schedule(&x->what, &sizes, &s, e);
    if (status)
        return status;
    status = cpm_receives_long_together(&j->buffer, s, &sizes, &together, e);
    cpm_schedule_free(s);
    x->at_risk = x->at_risk || together;
    return status;
}

static int find_risk(const judge *j, candidate *x, const cpm_timeline *run, cpm_error *e)
{
    bool escalates = false;
    if (!j->irregular)
        return CPM_OK;
    int status = cpm_escalates(&j->buffer, run, j->request.n, &escalates, e);
    x->at_risk = x->at_risk || escalates;
    return status || x->at_risk ? status : find_long_together(j, x, e);
}

/* At the other end of the class another set of messages may be synchronous. */
static int find_risk_of_least(const judge *j, candidate *x, walk_function *walk, cpm_error *e)
{
    double seconds;
    watch w = {.most = INFINITY, .until = INFINITY};
    if (!j->irregular || j->request.sizes || j->sizes.least >= j->request.bytes)
        return CPM_OK;
    int status = predict(j, x, j->sizes.least, walk, &seconds, NULL, &w, e);
    if (!status && seconds >= 0)
        status = find_risk(j, x, &w.run, e);
    cpm_timeline_free(&w.run);
    return status;
}

/* In at most so many seconds; taken says in how many. Not known if it lasts longer than until. */
static int walk_candidate(const judge *j, candidate *x, walk_function *walk, double most,
                          double until, double *taken, cpm_error *e)
{
    watch w = {.most = most, .until = until};
    if (!x->finish && !(x->finish = malloc((size_t)j->request.n * sizeof *x->finish)))
        return cpm_fail(e, CPM_ENOMEM, "no memory for a prediction of %d processes", j->request.n);
    x->at_risk = false;
    int status = predict(j, x, j->request.bytes, walk, &x->seconds, x->finish, &w, e);
    *taken = cpm_flow_walk_taken(&w.run, w.looks);
    if (!status && x->seconds >= 0 && walks_flows(j->model))
        x->effort = *taken;
    if (!status && x->seconds >= 0)
        status = find_risk(j, x, &w.run, e);
    cpm_timeline_free(&w.run);
    if (!status && x->seconds >= 0)
        status = find_risk_of_least(j, x, walk, e);
    return status;
}

int judge_one(const judge *j, candidate *x, cpm_error *e)
{
    double taken;
    return walk_candidate(j, x, cpm_predict_traced, j->most, INFINITY, &taken, e);
}

/* ---- all of them */

/* Models that predict whole algorithms do not walk at all. */
static int set_effort(const judge *j, candidate *x, cpm_error *e)
{
    x->effort = 0;
    if (j->model->type->predict)
        return CPM_OK;
    cpm_schedule *s;
    const cpm_block_sizes sizes = sizes_of(&j->request);
    cpm_error why = {0};
    if (cpm_collective_schedule(&x->what, &sizes, &s, &why))
        return is_unknown(why.code) ? CPM_OK : cpm_fail(e, why.code, "%s", why.text);
    int status = cpm_walk_effort(s, &sizes, &x->effort, e);
    cpm_schedule_free(s);
    return status;
}

/* What is usual has to be known in any case; then the cheapest. */
static int by_effort(const void *a, const void *b)
{
    const candidate *x = *(candidate *const *)a, *y = *(candidate *const *)b;
    if (x->usual != y->usual)
        return x->usual ? -1 : 1;
    return (x->effort > y->effort) - (x->effort < y->effort);
}

/* ... then what may be the fastest. */
static int by_plain_time(const void *a, const void *b)
{
    const candidate *x = *(candidate *const *)a, *y = *(candidate *const *)b;
    if (x->usual != y->usual)
        return x->usual ? -1 : 1;
    return (x->plain > y->plain) - (x->plain < y->plain);
}

/* Those that fit into the bound, one after the other; the others are not known. */
static int walk_plainly(const judge *j, candidate **order, int count, cpm_error *e)
{
    double left = j->most, taken;
    int status = CPM_OK;
    qsort(order, (size_t)count, sizeof *order, by_effort);
    for (int k = 0; k < count && !status; k++) {
        double effort = order[k]->effort;
        order[k]->seconds = -1;
        if (effort > left)
            continue;
        status = walk_candidate(j, order[k], plain_walk, left, INFINITY, &taken, e);
        left -= effort;
    }
    return status;
}

/* From when on nobody wants to know x: one that is known is as little at risk, and has finished so
 * long ago. What is usual is wanted whatever it takes. */
static double end_of_interest(const judge *j, const candidates *c, const candidate *x)
{
    const candidate *best = judge_best(c);
    if (!best || x->usual || best->at_risk > x->at_risk)
        return INFINITY;
    return best->at_risk == x->at_risk ? j->within * best->seconds : 0;
}

/* Whether nothing but what x has to send, receive and carry takes that long. */
static int is_too_slow(const judge *j, const candidate *x, double until, bool *too_slow,
                       cpm_error *e)
{
    cpm_schedule *s;
    double least = 0;
    const cpm_block_sizes sizes = sizes_of(&j->request);
    *too_slow = false;
    if (isinf(until))
        return CPM_OK;
    int status = cpm_collective_schedule(&x->what, &sizes, &s, e);
    if (status)
        return status;
    status = cpm_least_time(j->model, s, &sizes, &least, e);
    cpm_schedule_free(s);
    *too_slow = least >= until;
    return status;
}

/* The others stay not known. */
static int walk_by_flows(const judge *j, const candidates *c, candidate *x, double *left,
                         cpm_error *e)
{
    double taken, until = end_of_interest(j, c, x);
    bool too_slow = x->plain > 2 * until;
    if (x->effort > *left || too_slow)
        return CPM_OK;
    if (j->batch !=
        CPM_ISOLATED) /* an isolated call may take longer, and be the faster in a batch */
        until = INFINITY;
    int status = is_too_slow(j, x, until, &too_slow, e);
    if (status || too_slow)
        return status;
    status = walk_candidate(j, x, cpm_predict_traced, *left, until, &taken, e);
    *left -= taken;
    return status;
}

/* The plain walk knows little of how messages hinder each other: what looks fast there may take
 * several times as long. It is too slow only where messages of one process overlap. */
static int judge_by_flows(const judge *j, candidates *c, candidate **order, cpm_error *e)
{
    int count = 0, status = CPM_OK;
    double left = j->most;
    for (int k = 0; k < c->count; k++) {
        candidate *x = &c->at[k];
        x->plain = x->seconds;
        x->seconds = -1;
        if (x->plain >= 0)
            order[count++] = x;
    }
    qsort(order, (size_t)count, sizeof *order, by_plain_time);
    for (int k = 0; k < count && !status; k++)
        status = walk_by_flows(j, c, order[k], &left, e);
    return status;
}

static int judge_in(const judge *j, candidates *c, candidate **order, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < c->count && !status; k++) {
        order[k] = &c->at[k];
        status = set_effort(j, order[k], e);
    }
    if (!status)
        status = walk_plainly(j, order, c->count, e);
    return status || !walks_flows(j->model) ? status : judge_by_flows(j, c, order, e);
}

int judge_all(const judge *j, candidates *c, cpm_error *e)
{
    candidate **order = malloc((size_t)c->count * sizeof *order + 1);
    if (!order)
        return cpm_fail(e, CPM_ENOMEM, "no memory for %d candidates", c->count);
    int status = judge_in(j, c, order, e);
    free(order);
    return status;
}

/* ---- comparing them */

static bool better(const candidate *x, const candidate *y)
{
    return x->at_risk != y->at_risk ? y->at_risk : x->seconds < y->seconds;
}

const candidate *judge_best(const candidates *c)
{
    const candidate *best = NULL;
    for (int k = 0; k < c->count; k++)
        if (c->at[k].allowed && c->at[k].seconds >= 0 && (!best || better(&c->at[k], best)))
            best = &c->at[k];
    return best;
}

bool judge_promising(const candidate *x, const candidate *best)
{
    return x->seconds >= 0 && x->at_risk <= best->at_risk && x->seconds <= 2 * best->seconds;
}
