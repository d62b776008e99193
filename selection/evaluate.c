/* By the plain walk, where that is the model's; where its own is costly, best first, or (batches)
 * all by the plain walk and then the promising by its own. */
#include "selection/evaluate.h"

#include <math.h>
#include <stdlib.h>

#include "models/predict.h"
#include "selection/bound.h"
#include "selection/effort.h"

/* How a candidate is walked: by the model's own walk, or by the plain one. */
enum { AS_MODEL_SAYS = false, PLAINLY = true };

evaluation evaluation_of(const cpm_model *m, const cpm_request *r, cpm_size_class sizes,
                         double most)
{
    evaluation v = {.model = m,
                    .request = *r,
                    .sizes = sizes,
                    .most = most,
                    .most_of_search = most,
                    .most_of_usual = 2 * most,
                    .within = 1,
                    .share_of_usual = INFINITY};
    if (!r->operation->dataless && !r->sizes)
        v.request.bytes = sizes.most;
    v.irregular = !m->type->predict && cpm_switch_buffer_of(m, &v.buffer);
    v.traced = v.irregular || cpm_model_flows(m);
    return v;
}

/* ---- one prediction */

static cpm_block_sizes sizes_of(const cpm_request *r)
{
    return (cpm_block_sizes){.bytes = r->operation->dataless ? 0 : r->bytes, .each = r->sizes};
}

static bool is_unknown(int status)
{
    return status == CPM_EINVAL || status == CPM_EDATA;
}

/* A walk that is watched: its messages, and what it takes. It ends when it takes more than most
 * seconds, or comes to a time from which on nobody wants to know it. */
typedef struct {
    const evaluation *by;
    cpm_timeline run;             /* where the model has an irregular region */
    cpm_trace line;               /* that appends to it */
    double messages, last, looks; /* last: when the last one began */
    double most, until;
} watch;

static watch watch_until(const evaluation *v, double most, double until)
{
    return (watch){.by = v, .most = most, .until = until};
}

static double taken(const watch *w)
{
    return cpm_flow_walk_taken(w->by->request.n, w->messages, 0, w->looks);
}

static void sent(void *context, int message, int from, int to, size_t bytes, int round,
                 double begin, double end)
{
    watch *w = context;
    w->messages++;
    w->last = begin;
    if (w->by->irregular)
        w->line.send(w->line.context, message, from, to, bytes, round, begin, end);
}

static void left(void *context, int message, double time)
{
    watch *w = context;
    if (w->by->irregular)
        w->line.leave(w->line.context, message, time);
}

static void received(void *context, int message, double arrival, double begin, double end)
{
    watch *w = context;
    if (w->by->irregular)
        w->line.recv(w->line.context, message, arrival, begin, end);
}

/* In a flow walk messages begin in the order of time. */
static int go_on(void *context, double looks, cpm_error *e)
{
    watch *w = context;
    w->looks += looks;
    if (w->last >= w->until)
        return cpm_fail(e, CPM_EINVAL, "is slower than another");
    return taken(w) <= w->most ? CPM_OK : cpm_fail(e, CPM_EINVAL, "takes too long to predict");
}

/* Of crowds, where time is short: then times are up to 0.9 % (64 hosts) or 1.6 % (160) longer than
 * the exact ones, a third of what makes a choice (0.05), and dense exchanges are predicted some ten
 * times as fast. */
static const double tolerance = 3e-3;

static bool is_hurried(const evaluation *v)
{
    return isfinite(v->most);
}

/* Of blocks of that many bytes, plainly or as the model says. Negative seconds: it does not apply,
 * or takes too long. What is watched is an isolated call. */
static int predict(const evaluation *v, const candidate *x, size_t bytes, bool plain,
                   double *seconds, double *finish, watch *w, cpm_error *e)
{
    cpm_error why = {0};
    w->line = cpm_timeline_trace(&w->run);
    const cpm_trace trace = {
        .context = w, .send = sent, .leave = left, .recv = received, .step = go_on};
    const cpm_walking alone = {.plain = plain,
                               .tolerance = is_hurried(v) ? tolerance : 0,
                               .computing = v->computing,
                               .trace = v->traced ? &trace : NULL},
                      batch = {.plain = plain, .batch = v->batch};
    const cpm_block_sizes sizes = {.bytes = bytes, .each = v->request.sizes};
    *seconds = cpm_predict_collective(v->model, &x->what, &sizes, &alone, finish, &why);
    if (*seconds >= 0 && v->batch != CPM_ISOLATED)
        *seconds = cpm_predict_collective(v->model, &x->what, &sizes, &batch, finish, &why);
    if (*seconds >= 0)
        return cpm_timeline_check(&w->run, e);
    return is_unknown(why.code) ? CPM_OK : cpm_fail(e, why.code, "%s", why.text);
}

/* Of blocks of the largest size, whose messages are synchronous first. */
static int find_long_together(const evaluation *v, candidate *x, cpm_error *e)
{
    cpm_schedule *s;
    bool together = false;
    const cpm_block_sizes sizes = sizes_of(&v->request);
    int status = cpm_collective_schedule(&x->what, &sizes, &s, e);
    if (status)
        return status;
    status = cpm_receives_long_together(&v->buffer, s, &sizes, &together, e);
    cpm_schedule_free(s);
    x->at_risk = x->at_risk || together;
    return status;
}

static int find_risk(const evaluation *v, candidate *x, const cpm_timeline *run, cpm_error *e)
{
    bool escalates = false;
    if (!v->irregular)
        return CPM_OK;
    int status = cpm_escalates(&v->buffer, run, v->request.n, &escalates, e);
    x->at_risk = x->at_risk || escalates;
    return status || x->at_risk ? status : find_long_together(v, x, e);
}

/* At the other end of the class another set of messages may be synchronous. */
static int find_risk_of_least(const evaluation *v, candidate *x, bool plain, cpm_error *e)
{
    double seconds;
    watch w = watch_until(v, INFINITY, INFINITY);
    if (!v->irregular || v->request.sizes || v->sizes.least >= v->request.bytes)
        return CPM_OK;
    int status = predict(v, x, v->sizes.least, plain, &seconds, NULL, &w, e);
    if (!status && seconds >= 0)
        status = find_risk(v, x, &w.run, e);
    cpm_timeline_free(&w.run);
    return status;
}

static int make_finish(const evaluation *v, candidate *x, cpm_error *e)
{
    if (!x->finish && !(x->finish = malloc((size_t)v->request.n * sizeof *x->finish)))
        return cpm_no_memory(e);
    return CPM_OK;
}

/* In at most so many seconds; spent says in how many. Not known if it lasts longer than until. */
static int walk_candidate(const evaluation *v, candidate *x, bool plain, double most, double until,
                          double *spent, cpm_error *e)
{
    watch w = watch_until(v, most, until);
    int status = make_finish(v, x, e);
    x->at_risk = false;
    if (!status)
        status = predict(v, x, v->request.bytes, plain, &x->seconds, x->finish, &w, e);
    *spent = taken(&w);
    if (!status && x->seconds >= 0 && cpm_model_flows(v->model))
        x->effort = *spent;
    if (!status && x->seconds >= 0)
        status = find_risk(v, x, &w.run, e);
    cpm_timeline_free(&w.run);
    if (!status && x->seconds >= 0)
        status = find_risk_of_least(v, x, plain, e);
    return status;
}

int evaluate_one(const evaluation *v, candidate *x, cpm_error *e)
{
    double spent;
    return walk_candidate(v, x, AS_MODEL_SAYS, v->most, INFINITY, &spent, e);
}

/* ---- all of them */

/* Models that predict whole algorithms do not walk at all. */
static int set_effort(const evaluation *v, candidate *x, cpm_error *e)
{
    x->effort = 0;
    if (v->model->type->predict)
        return CPM_OK;
    cpm_schedule *s;
    const cpm_block_sizes sizes = sizes_of(&v->request);
    cpm_error why = {0};
    if (cpm_collective_schedule(&x->what, &sizes, &s, &why))
        return is_unknown(why.code) ? CPM_OK : cpm_fail(e, why.code, "%s", why.text);
    cpm_effort effort = {0};
    int status = cpm_walk_effort(s, &sizes, &effort, e);
    cpm_schedule_free(s);
    x->effort = effort.seconds;
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

/* Those that fit into the bound, one after the other; the others are not known. */
static int walk_in_order(const evaluation *v, candidate **order, int count, cpm_error *e)
{
    double room = v->most, spent;
    int status = CPM_OK;
    qsort(order, (size_t)count, sizeof *order, by_effort);
    for (int k = 0; k < count && !status; k++) {
        double effort = order[k]->effort;
        order[k]->seconds = -1;
        if (effort > room)
            continue;
        status = walk_candidate(v, order[k], PLAINLY, room, INFINITY, &spent, e);
        room -= effort;
    }
    return status;
}

/* ---- batches by flows: as a call may take longer alone, and be the faster in a batch, nothing is
 * known of those that are not walked */

/* ... then what may be the fastest. */
static int by_plain_time(const void *a, const void *b)
{
    const candidate *x = *(candidate *const *)a, *y = *(candidate *const *)b;
    if (x->usual != y->usual)
        return x->usual ? -1 : 1;
    return (x->plain > y->plain) - (x->plain < y->plain);
}

/* From when on nobody wants to know x: one that is known is as little at risk, and has finished so
 * long ago. What is usual is wanted whatever it takes. */
static double end_of_interest(const evaluation *v, const candidates *c, const candidate *x)
{
    const candidate *best = candidates_best(c);
    if (!best || x->usual || best->at_risk > x->at_risk)
        return INFINITY;
    return best->at_risk == x->at_risk ? v->within * best->seconds : 0;
}

/* The plain walk knows little of how messages hinder each other: what looks fast there may take
 * several times as long. It is too slow only where messages of one process overlap. */
static int evaluate_batches(const evaluation *v, const candidates *c, candidate **order, int count,
                            cpm_error *e)
{
    double room = v->most, spent;
    int status = CPM_OK;
    qsort(order, (size_t)count, sizeof *order, by_plain_time);
    for (int k = 0; k < count && !status; k++) {
        candidate *x = order[k];
        if (x->effort > room || x->plain > 2 * end_of_interest(v, c, x))
            continue;
        status = walk_candidate(v, x, AS_MODEL_SAYS, room, INFINITY, &spent, e);
        room -= spent;
    }
    return status;
}

/* ---- isolated calls: best first. What is the least that any may still take is looked at more
 * closely: by a look at a few ranks, then, where messages hinder each other, by a walk in which
 * nobody does, then by the model's own walk. When that is no less than the best is known to take,
 * the search is over. */

typedef enum { NOTHING, A_FEW, ALONE, ESTIMATED } knowledge;

typedef struct {
    const evaluation *v;
    const candidates *all;
    candidate **open; /* those that may still be looked at more closely */
    int count;
    double room; /* seconds of predicting */
} search;

/* What a search is over for: differences that decide nothing are not looked for in a hurry, where
 * walks are costly. */
static const double not_worth = 0.01;

/* By so much do flows take longer than messages with ways for themselves: of candidates on 64
 * unlike hosts half take up to 1.05 times as long, nine tenths up to 1.26 times. */
static const double usually_hindered = 1.1;

static double end_of_search(const search *f, const candidate *x)
{
    const evaluation *v = f->v;
    double usual = INFINITY;
    for (int k = 0; k < f->all->count; k++) {
        const candidate *u = &f->all->at[k];
        if (u->usual && (u->at_risk || u->seconds < 0))
            usual = NAN;
        else if (u->usual && u->seconds < usual) /* none stays none */
            usual = u->seconds;
    }
    bool decides = cpm_model_flows(v->model) && is_hurried(v);
    double end = end_of_interest(v, f->all, x) * (decides ? 1 - not_worth : 1);
    return x->usual ? end : fmin(end, v->share_of_usual * usual); /* of NaN: the other */
}

static void close_candidate(search *f, int k)
{
    f->open[k] = f->open[--f->count];
}

/* What is usual first, as it is wanted anyway; of equals that which was listed first. */
static int next_open(const search *f)
{
    int best = 0;
    for (int k = 1; k < f->count; k++) {
        const candidate *x = f->open[k], *y = f->open[best];
        if (x->usual != y->usual ? x->usual : x->least != y->least ? x->least < y->least : x < y)
            best = k;
    }
    return best;
}

static int make_schedule(const evaluation *v, const candidate *x, cpm_schedule **out, cpm_error *e)
{
    const cpm_block_sizes sizes = sizes_of(&v->request);
    return cpm_collective_schedule(&x->what, &sizes, out, e);
}

/* *known: whether the algorithm applies. */
static int look_at_few(const search *f, candidate *x, bool *known, cpm_error *e)
{
    cpm_schedule *s;
    cpm_error why = {0};
    cpm_least least;
    const cpm_block_sizes sizes = sizes_of(&f->v->request);
    int status = make_schedule(f->v, x, &s, &why);
    *known = !status;
    if (status)
        return is_unknown(status) ? CPM_OK : cpm_fail(e, status, "%s", why.text);
    status = cpm_least_of_few(f->v->model, s, &sizes, end_of_search(f, x), &least, e);
    double plain = status ? 0 : cpm_plain_walk_taken(s, &sizes, least.messages, least.runs);
    cpm_schedule_free(s);
    if (status)
        return status;
    x->least = least.seconds;
    x->messages = least.messages;
    x->runs = least.runs;
    x->effort = plain;
    x->known = A_FEW;
    return CPM_OK;
}

/* Something is left for others than what is usual. */
static void charge(search *f, const candidate *x, double spent)
{
    f->room -= x->usual ? fmin(spent, 0.5 * f->room) : spent;
}

static int walk_alone(search *f, candidate *x, double until, cpm_error *e)
{
    cpm_schedule *s;
    double least;
    const cpm_block_sizes sizes = sizes_of(&f->v->request);
    int n = f->v->request.n, status = make_finish(f->v, x, e);
    if (!status)
        status = make_schedule(f->v, x, &s, e);
    if (status)
        return status;
    status = cpm_least_of_walk(f->v->model, s, &sizes, until, x->finish, &least, e);
    cpm_schedule_free(s);
    if (status)
        return status;
    double spent = cpm_lone_walk_taken(n, x->messages, x->runs);
    charge(f, x, spent);
    x->least = fmax(x->least, least);
    x->effort = cpm_flow_walk_taken(n, x->messages, x->runs, 0);
    x->known = ALONE;
    return CPM_OK;
}

/* What there is no time to walk with the others is taken to be hindered as usual. */
static void estimate(const evaluation *v, candidate *x)
{
    double last = 0;
    x->known = ESTIMATED;
    x->seconds = usually_hindered * x->least;
    for (int r = 0; r < v->request.n; r++)
        last = fmax(last, x->finish[r]);
    for (int r = 0; r < v->request.n; r++)
        x->finish[r] = last > 0 ? x->finish[r] * (x->seconds / last) : x->seconds;
}

/* Counts the messages of a walk, which end where it ends. */
typedef struct {
    const cpm_model *model;
    double *messages;
} counter;

static void count_cost(const void *context, int from, int to, size_t bytes, cpm_cost *cost)
{
    const counter *c = context;
    ++*c->messages;
    c->model->type->cost(c->model, from, to, bytes, cost);
}

static double combine_of(const void *context, int rank, cpm_combining what, size_t bytes)
{
    const counter *c = context;
    return c->model->type->combine(c->model, rank, what, bytes);
}

/* By the plain walk, which ends at until; messages are those that it has gone through. */
static int walk_until(const evaluation *v, candidate *x, double until, double *messages,
                      cpm_error *e)
{
    cpm_schedule *s;
    cpm_error why = {0};
    const counter c = {v->model, messages};
    const cpm_block_sizes sizes = sizes_of(&v->request);
    int status = make_finish(v, x, e);
    if (!status)
        status = make_schedule(v, x, &s, e);
    if (status)
        return status;
    const cpm_plain_walking how = {.combine = v->model->type->combine ? combine_of : NULL,
                                   .until = until};
    double seconds = cpm_plain_walk(s, &sizes, count_cost, &c, &how, x->finish, &why);
    cpm_schedule_free(s);
    if (seconds < 0)
        return is_unknown(why.code) ? CPM_OK : cpm_fail(e, why.code, "%s", why.text);
    if (seconds < until)
        x->seconds = seconds;
    return CPM_OK;
}

static int walk_plainly(search *f, candidate *x, double until, cpm_error *e)
{
    double messages = 0, unused;
    int status = CPM_OK;
    if (f->v->irregular) {
        messages = x->messages;
        status = walk_candidate(f->v, x, AS_MODEL_SAYS, INFINITY, INFINITY, &unused, e);
    } else {
        status = walk_until(f->v, x, until, &messages, e);
    }
    double spent = x->messages > 0 ? x->effort * messages / x->messages : 0;
    charge(f, x, spent);
    if (status || x->seconds >= 0)
        return status;
    x->least = fmax(x->least, until);
    x->known = ALONE;
    return CPM_OK;
}

static int walk_flows(search *f, candidate *x, double until, cpm_error *e)
{
    const double room = f->room;
    double spent = 0;
    bool at_risk = x->at_risk, fits = x->effort < room;
    int status = CPM_OK;
    if (fits)
        status = walk_candidate(f->v, x, AS_MODEL_SAYS, room, until, &spent, e);
    charge(f, x, spent);
    if (status || (fits && spent < room))
        return status;
    x->at_risk = at_risk;
    if (x->seconds < 0)
        estimate(f->v, x);
    return CPM_OK;
}

/* Looks at open candidate k more closely, or closes it. */
static int look_closer(search *f, int k, cpm_error *e)
{
    candidate *x = f->open[k];
    double until = end_of_search(f, x);
    int n = f->v->request.n, status = CPM_OK;
    double room = x->usual ? f->v->most_of_usual : f->room; /* without it nothing is known */
    if (x->known == ALONE) {
        status = walk_flows(f, x, until, e);
        close_candidate(f, k);
    } else if (!cpm_model_flows(f->v->model)) {
        if (x->effort <= room)
            status = walk_plainly(f, x, until, e);
        close_candidate(f, k);
    } else if (cpm_lone_walk_taken(n, x->messages, x->runs) > room) {
        close_candidate(f, k);
    } else {
        status = walk_alone(f, x, until, e);
    }
    return status;
}

/* Those that are open, until none may be faster than the best. */
static int search_open(search *f, cpm_error *e)
{
    int status = CPM_OK;
    while (f->count > 0 && !status) {
        int k = next_open(f);
        if (f->open[k]->least >= end_of_search(f, f->open[k]))
            close_candidate(f, k);
        else
            status = look_closer(f, k, e);
    }
    return status;
}

/* Messages hinder each other more than usual where several processes share a host, or hosts a link:
 * what is estimated there may take 2.5 times as long. */
static bool estimates_hold(const cpm_model *m)
{
    return !cpm_hosts_have_levels(&m->on) && m->switches.count == 0 && m->links.count == 0;
}

/* Whether anything is no estimate, or is usual. */
static bool is_known_of_any(const candidates *c)
{
    for (int k = 0; k < c->count; k++)
        if (c->at[k].allowed && c->at[k].seconds >= 0 &&
            (c->at[k].usual || c->at[k].known != ESTIMATED))
            return true;
    return false;
}

/* Nobody leaves what is known for an estimate that may be so wrong. Walks the best while it is an
 * estimated one, in three times the time of the search; what there is no time for stays unknown. */
static int confirm_best(search *f, candidates *c, cpm_error *e)
{
    int status = CPM_OK;
    const candidate *best;
    if (estimates_hold(f->v->model) || !is_known_of_any(c))
        return CPM_OK;
    f->room = 3 * f->v->most_of_search;
    while (!status && (best = candidates_best(c)) && best->known == ESTIMATED && !best->usual) {
        candidate *x = &c->at[best - c->at];
        double spent = 0;
        x->seconds = -1;
        x->known = ALONE;
        if (x->effort < f->room)
            status =
                walk_candidate(f->v, x, AS_MODEL_SAYS, f->room, end_of_search(f, x), &spent, e);
        f->room -= spent;
    }
    return status;
}

/* What is usual, which is listed first and wanted anyway, is known before the others are looked at:
 * most of these are then found hopeless early. */
static int search_best(const evaluation *v, candidates *c, candidate **open, int count,
                       cpm_error *e)
{
    search f = {v, c, open, 0, v->most_of_search};
    int status = CPM_OK;
    for (int k = 0; k < count && !status; k++) {
        candidate *x = open[k];
        bool known = false;
        if (!x->usual && f.count > 0 && f.open[0]->usual)
            status = search_open(&f, e);
        if (!status)
            status = look_at_few(&f, x, &known, e);
        if (known)
            f.open[f.count++] = x;
    }
    if (!status)
        status = search_open(&f, e);
    return status ? status : confirm_best(&f, c, e);
}

/* ---- the whole */

static int evaluate_plainly(const evaluation *v, candidate **order, int count, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < count && !status; k++)
        status = set_effort(v, order[k], e);
    return status ? status : walk_in_order(v, order, count, e);
}

/* Those that the plain walk knows come first; what it says of others at risk is kept. */
static int keep_known(candidate **order, int count)
{
    int known = 0;
    for (int k = 0; k < count; k++) {
        order[k]->plain = order[k]->seconds;
        order[k]->seconds = -1;
        if (order[k]->plain >= 0)
            order[known++] = order[k];
    }
    return known;
}

/* Best first where calls are isolated. What is irregular in a model of flows, and batches, are
 * walked plainly before, which says what is at risk and where to begin; and who has time gets to
 * know all of what the plain walk predicts. */
static int evaluate_in(const evaluation *v, candidates *c, candidate **order, cpm_error *e)
{
    int count = c->count, status = CPM_OK;
    bool flows = cpm_model_flows(v->model), alone = v->batch == CPM_ISOLATED,
         plain = v->model->type->predict || (!flows && (!alone || !is_hurried(v))),
         before = plain || !alone || (flows && v->irregular);
    for (int k = 0; k < count; k++)
        order[k] = &c->at[k];
    if (before)
        status = evaluate_plainly(v, order, count, e);
    if (status || plain)
        return status;
    if (before)
        count = keep_known(order, count);
    return alone ? search_best(v, c, order, count, e) : evaluate_batches(v, c, order, count, e);
}

int evaluate_all(const evaluation *v, candidates *c, cpm_error *e)
{
    candidate **order = malloc((size_t)c->count * sizeof *order + 1);
    if (!order)
        return cpm_no_memory(e);
    int status = evaluate_in(v, c, order, e);
    free(order);
    return status;
}

/* ---- comparing them */

static bool better(const candidate *x, const candidate *y)
{
    return x->at_risk != y->at_risk ? y->at_risk : x->seconds < y->seconds;
}

const candidate *candidates_best(const candidates *c)
{
    const candidate *best = NULL;
    for (int k = 0; k < c->count; k++)
        if (c->at[k].allowed && c->at[k].seconds >= 0 && (!best || better(&c->at[k], best)))
            best = &c->at[k];
    return best;
}

double candidate_time(const candidate *x)
{
    return x->seconds < 0 && x->known == ALONE ? x->least : x->seconds;
}

bool candidate_is_promising(const candidate *x, const candidate *best)
{
    return candidate_time(x) >= 0 && x->at_risk <= best->at_risk &&
           candidate_time(x) <= 2 * best->seconds;
}
