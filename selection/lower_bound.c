/* A message's costs are affine between a model's knots, so what is least per byte, or at all, is so
 * at one of them. */
#include "selection/lower_bound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "selection/carried.h"

enum { MOST_KNOTS = 256 };

typedef struct crossed crossed;

typedef struct {
    const cpm_model *m;
    const cpm_collective *what;
    const cpm_operation *base; /* of a v-operation the one that it is like */
    double bytes;              /* of a block */
    int n;
    bool flows;
    size_t knot[MOST_KNOTS]; /* ascending */
    int knots;
    size_t least, most; /* bytes of a message that is of use */
    int largest;        /* processes of the largest host */
    int few;            /* of a side of a cut that is looked at more closely */
    crossed *crossed;   /* [crossings] by resource */
    int64_t room;       /* for them */
    int crossings;
    cpm_lower_bound *out;
} task;

static void raise_to(task *x, double seconds, const char *limit, const char *of)
{
    if (!(seconds > x->out->seconds))
        return;
    x->out->seconds = seconds;
    snprintf(x->out->limit, sizeof x->out->limit, "%s%.*s", limit, CPM_LIMIT - 32, of);
}

/* What passes takes so long, besides what one message of no bytes takes. */
static void raise_by_bytes(task *x, double one, double passing, const char *limit, const char *of)
{
    const bool few = passing < one;
    raise_to(x, one + passing, few ? "start-ups" : limit, few ? "" : of);
}

/* Several hosts, of which the inside is known, with several processes on one. */
static bool has_levels(const cpm_model *m)
{
    return m->inside.count > 0 && cpm_hosts_have_levels(&m->on);
}

/* ---- sizes */

static void add_knot(task *x, double at)
{
    if (x->knots < MOST_KNOTS && at >= 1 && at <= (double)x->most)
        x->knot[x->knots++] = (size_t)at;
}

static int ascending(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Where costs bend or jump: the first and the last size of each piece. False: there are too many.
 */
static bool find_knots(task *x)
{
    const cpm_sizes *of[] = {&x->m->sizes, &x->m->inside, &x->m->across};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < of[k]->count; i++) {
            add_knot(x, (double)of[k]->at[i] - 1);
            add_knot(x, (double)of[k]->at[i]);
        }
    for (int p = 0; p < x->m->type->count; p++)
        if (x->m->type->parameters[p].shape == CPM_SCALAR &&
            strcmp(x->m->type->parameters[p].unit, "B") == 0) {
            add_knot(x, ceil(x->m->value[p][0]) - 1);
            add_knot(x, ceil(x->m->value[p][0]));
        }
    qsort(x->knot, (size_t)x->knots, sizeof *x->knot, ascending);
    return x->knots < MOST_KNOTS;
}

/* The sizes from low to high at which something can be least: their count, in *at. */
static int sizes_from(const task *x, size_t low, size_t high, size_t at[MOST_KNOTS + 2])
{
    int count = 0;
    at[count++] = low;
    for (int k = 0; k < x->knots; k++)
        if (x->knot[k] > at[count - 1] && x->knot[k] < high)
            at[count++] = x->knot[k];
    if (high > at[count - 1])
        at[count++] = high;
    return count;
}

/* ---- messages */

/* Seconds of one message that has everything for itself. */
typedef struct {
    double send, recv; /* its ends' processors are busy */
    double gap;        /* between starts, and between arrivals */
    double way;        /* until the receiver's processor begins, from the start on */
    double lead;       /* until its bytes flow */
    cpm_flow flow;     /* its uses */
} message;

static void ask(const task *x, int from, int to, size_t bytes, message *s)
{
    if (!x->flows) {
        cpm_cost c;
        x->m->type->cost(x->m, from, to, bytes, &c);
        *s = (message){.send = c.send, .recv = c.recv, .gap = c.gap, .way = c.send + c.wire};
        return;
    }
    cpm_flow *f = &s->flow;
    x->m->type->flow(x->m, from, to, bytes, f);
    s->send = f->start < f->send ? f->start : f->send; /* of both ways of sending the shorter */
    s->recv = f->fetched ? f->recv + f->flow : f->recv;
    s->gap = 0;
    s->lead = s->send + f->latency;
    s->way = f->fetched ? s->lead : s->lead + f->flow;
}

/* Seconds per byte that a message is on one of its uses. */
static double per_byte(const message *s, int use, size_t bytes)
{
    const cpm_flow *f = &s->flow;
    return f->flow > 0 && bytes ? f->flow / f->cap * f->use[use].seconds / (double)bytes : 0;
}

static double combining(const task *x, int rank, size_t bytes)
{
    const bool combines = x->base->combines && x->m->type->combine;
    return combines ? x->m->type->combine(x->m, rank, x->what->combining, bytes) : 0;
}

/* ---- what an operation demands */

/* How many of the processes that are in send to one that is not. */
static double senders_out(const cpm_neighbours *g, const bool *in)
{
    double senders = 0;
    for (int k = 0, last = -1; k < g->edges; k++)
        if (g->from[k] != last && in[g->from[k]] && !in[g->to[k]]) {
            last = g->from[k];
            senders++;
        }
    return senders;
}

/* Blocks that must go from the processes that are in to the others at least once. */
static double blocks_between(const task *x, const bool *in)
{
    const cpm_neighbours *g = x->what->at.neighbours;
    const int root = x->what->at.root;
    double p = 0, crossing = 0;
    int first = x->n, last = -1;
    for (int i = 0; i < x->n; i++) {
        p += in[i];
        first = in[i] && i < first ? i : first;
        last = in[i] ? last : i;
    }
    const double q = x->n - p;
    switch (x->base - cpm_operations) {
    case CPM_OP_BCAST:
        return in[root];
    case CPM_OP_SCATTER:
        return in[root] ? q : 0;
    case CPM_OP_GATHER:
        return in[root] ? 0 : p;
    case CPM_OP_REDUCE:
        return !in[root];
    case CPM_OP_REDUCE_SCATTER:
        return q;
    case CPM_OP_ALLGATHER:
        return p;
    case CPM_OP_ALLTOALL:
        return p * q;
    case CPM_OP_ALLREDUCE:
        return 1;
    case CPM_OP_SCAN:
    case CPM_OP_EXSCAN:
        return first < last;
    case CPM_OP_NEIGHBOR_ALLTOALL:
        for (int k = 0; k < g->edges; k++)
            crossing += in[g->from[k]] && !in[g->to[k]];
        return crossing;
    case CPM_OP_NEIGHBOR_ALLGATHER:
        return senders_out(g, in);
    default: /* a barrier has no bytes */
        return 0;
    }
}

/* Blocks that must go from part to part at least, all together; size[parts]: processes of each;
 * NULL: one. */
static double blocks_among(const task *x, int parts, const int *size)
{
    double crossing = 0;
    switch (x->base - cpm_operations) {
    case CPM_OP_BCAST:
    case CPM_OP_REDUCE:
    case CPM_OP_SCAN:
    case CPM_OP_EXSCAN:
        return parts - 1;
    case CPM_OP_ALLREDUCE: /* each element is combined, and then known everywhere */
        return 2.0 * (parts - 1);
    case CPM_OP_ALLGATHER:
    case CPM_OP_REDUCE_SCATTER:
        return (double)x->n * (parts - 1);
    case CPM_OP_ALLTOALL:
        for (int k = 0; k < parts; k++) {
            const double own = size ? size[k] : 1;
            crossing += own * (x->n - own);
        }
        return crossing;
    case CPM_OP_SCATTER:
    case CPM_OP_GATHER:
        return size ? 0 : parts - 1;
    default:
        return 0;
    }
}

/* Blocks that are combined with others, by all processes together. */
static double blocks_combined(const task *x)
{
    const bool each = x->base == &cpm_operations[CPM_OP_REDUCE_SCATTER];
    return x->base->combines ? (each ? x->n : 1.0) * (x->n - 1) : 0;
}

/* Whether all hear of someone, and whether someone hears of all. */
static bool spreads(const task *x)
{
    const long o = x->base - cpm_operations;
    return o == CPM_OP_BCAST || o == CPM_OP_SCATTER || o == CPM_OP_SCAN || o == CPM_OP_EXSCAN ||
           (!x->base->rooted && !cpm_operation_is_of_neighbours(x->base));
}

static bool collects(const task *x)
{
    const long o = x->base - cpm_operations;
    return o == CPM_OP_GATHER || o == CPM_OP_REDUCE ||
           (!x->base->rooted && !cpm_operation_is_of_neighbours(x->base));
}

/* ---- processors */

/* One end of messages of a process: where it sends, or where it receives. */
typedef struct {
    bool sends;
    int process;
} side;

static void ask_side(const task *x, side s, int other, size_t bytes, message *out)
{
    ask(x, s.sends ? s.process : other, s.sends ? other : s.process, bytes, out);
}

/* Of the processes that the side has messages with, perhaps only those on other hosts, for sizes
 * from low to high: the least per byte and the least at all of what keeps its processor and its
 * link end busy, and of the whole way. */
typedef struct {
    double busy_rate, gap_rate, busy, gap, whole;
} leasts;

static leasts leasts_with(const task *x, side s, bool outside, size_t low, size_t high)
{
    leasts l = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    size_t at[MOST_KNOTS + 2];
    const int count = sizes_from(x, low, high, at);
    message d;
    for (int other = 0; other < x->n; other++)
        for (int k = 0; k < count && other != s.process; k++) {
            if (outside && cpm_model_inside(x->m, s.process, other))
                break;
            ask_side(x, s, other, at[k], &d);
            const double busy = s.sends ? d.send : d.recv, bytes = at[k] ? (double)at[k] : 1;
            l.busy_rate = fmin(l.busy_rate, busy / bytes);
            l.gap_rate = fmin(l.gap_rate, d.gap / bytes);
            l.busy = fmin(l.busy, busy);
            l.gap = fmin(l.gap, d.gap);
            l.whole = fmin(l.whole, d.way + d.recv);
        }
    return l;
}

static leasts leasts_of(const task *x, side s, size_t low, size_t high)
{
    return leasts_with(x, s, false, low, high);
}

/* Seconds that a processor is busy for so many bytes at one side: in messages of no more bytes, or
 * in one that has them all. */
static double busy_with(const task *x, side s, double bytes)
{
    if (!(bytes > 0))
        return 0;
    const size_t all = bytes < (double)x->most ? (size_t)bytes : x->most;
    const leasts small = leasts_of(x, s, 1, all), large = leasts_of(x, s, all, x->most);
    return fmin(small.busy_rate * bytes, large.busy);
}

/* Seconds until so many bytes are where they must be: all but one message keep the side busy, and
 * that one goes the whole way. */
static double through(const task *x, side s, double bytes)
{
    if (!(bytes > 0))
        return 0;
    size_t at[MOST_KNOTS + 2];
    const size_t all = bytes < (double)x->most ? (size_t)bytes : x->most;
    const leasts small = leasts_of(x, s, 1, all), large = leasts_of(x, s, all, x->most);
    const int count = sizes_from(x, 1, all, at);
    const double least = leasts_of(x, s, 1, x->most).busy;
    double seconds = large.whole, apart = large.whole;
    message d;
    for (int other = 0; other < x->n; other++)
        for (int k = 0; k < count && other != s.process; k++) {
            ask_side(x, s, other, at[k], &d);
            const double rest = bytes - (double)at[k];
            const double end = s.sends ? d.recv : least; /* another one may be the last */
            seconds = fmin(seconds, d.way + d.recv + small.busy_rate * rest);
            apart = fmin(apart, d.way + end + small.gap_rate * rest);
        }
    return fmax(seconds, apart);
}

static void alone(const task *x, int process, bool *in)
{
    memset(in, 0, (size_t)x->n * sizeof *in);
    in[process] = true;
}

static void turn_over(const task *x, bool *in)
{
    for (int i = 0; i < x->n; i++)
        in[i] = !in[i];
}

/* By its host, where that has a name and no other process. */
static void print_process(const cpm_model *m, int i, char name[CPM_LIMIT])
{
    if (*m->hosts[i] && !has_levels(m))
        snprintf(name, CPM_LIMIT, "%s", m->hosts[i]);
    else
        snprintf(name, CPM_LIMIT, "process %d", i);
}

static void bound_processors(task *x, bool *in)
{
    for (int i = 0; i < x->n; i++) {
        const side sends = {true, i}, receives = {false, i};
        alone(x, i, in);
        const double out = x->bytes * blocks_between(x, in);
        turn_over(x, in);
        const double into = x->bytes * blocks_between(x, in);
        char name[CPM_LIMIT];
        print_process(x->m, i, name);
        double most = fmax(through(x, sends, out), through(x, receives, into));
        most = fmax(most, busy_with(x, sends, out) + busy_with(x, receives, into));
        const double one = leasts_of(x, sends, x->least, x->most).whole;
        raise_by_bytes(x, one, most - one, "processor of ", name);
    }
}

/* All that must be sent, received and combined, by all processors. Any weights give a bound (they
 * are a solution of the dual linear program); these give the best one where all are alike. */
static void bound_all_processors(task *x)
{
    const double total = x->bytes * blocks_among(x, x->n, NULL);
    const double combined = x->bytes * blocks_combined(x);
    double weights = 0, send = INFINITY, recv = INFINITY, combine = INFINITY;
    size_t at[MOST_KNOTS + 2];
    if (!(total > 0))
        return;
    const int count = sizes_from(x, 1, x->most, at);
    for (int i = 0; i < x->n; i++) {
        const double s = leasts_of(x, (side){true, i}, 1, x->most).busy_rate;
        const double r = leasts_of(x, (side){false, i}, 1, x->most).busy_rate;
        double c = combined > 0 ? INFINITY : 0;
        for (int k = 0; k < count && combined > 0; k++)
            c = fmin(c, combining(x, i, at[k]) / (double)at[k]);
        const double all = s + r + c, weight = all > 0 ? 1 / all : 0;
        weights += weight;
        send = fmin(send, weight * s);
        recv = fmin(recv, weight * r);
        combine = fmin(combine, weight * c);
    }
    if (weights > 0)
        raise_to(x, (total * (send + recv) + combined * combine) / weights, "processors", "");
}

/* ---- start-ups */

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* A process that has heard, and can tell another one at this time, and again after so long. */
typedef struct {
    double at, interval;
} teller;

/* Of a binary heap with the earliest one on top. */
static void sift_down(teller *heap, int count)
{
    for (int k = 0, child; (child = 2 * k + 1) < count; k = child) {
        child += child + 1 < count && heap[child + 1].at < heap[child].at;
        if (heap[k].at <= heap[child].at)
            return;
        const teller lower = heap[k];
        heap[k] = heap[child];
        heap[child] = lower;
    }
}

static void push(teller *heap, int *count, teller t)
{
    int k = (*count)++;
    for (; k > 0 && heap[(k - 1) / 2].at > t.at; k = (k - 1) / 2)
        heap[k] = heap[(k - 1) / 2];
    heap[k] = t;
}

/* Parts, of which the first one hears of something at 0, and one more whenever someone tells it. */
typedef struct {
    int parts, members;    /* members of each part, */
    const double *heard;   /* [members] which have heard of it so long after the first of them */
    double root, interval; /* seconds between what the root tells, and another one */
    const double *ways;    /* [parts - 1] seconds from a start until a part has heard, descending:
                              who is told first has the longest */
} spreading;

/* Seconds until all have heard. told[parts - 1] (or NULL): when one more has, at least. */
static double spread(const spreading *p, teller *heap, double *told)
{
    const double shortest = p->ways[p->parts - 2];
    double last = 0;
    int count = 0;
    for (int k = 0; k < p->members; k++)
        push(heap, &count, (teller){p->heard[k], k ? p->interval : p->root});
    for (int part = 1; part < p->parts; part++) {
        const double start = heap[0].at;
        last = fmax(last, start + p->ways[part - 1]);
        heap[0].at += heap[0].interval;
        sift_down(heap, count);
        for (int k = 0; k < p->members; k++)
            push(heap, &count, (teller){start + shortest + p->heard[k], p->interval});
        if (told)
            told[part - 1] = start + shortest;
    }
    return last;
}

/* What spreading in one direction is made of. In the other one, where someone hears of all, time
 * runs backwards: who receives is who tells. */
typedef struct {
    double *interval; /* [n] seconds between what a process tells, */
    double *outer;    /* [n] and where it tells other hosts; infinite: there is none */
    double *way;      /* [n] the shortest one to it, from another host */
    double *near;     /* [n] and inside its host; infinite: there is none */
} network;

/* Two messages that a process receives end, as far as its processor's least part of each is
 * concerned, no sooner after each other than its link end or its processor allows. */
static void find_ways(const task *x, bool forward, const network *w, double *taking)
{
    size_t at[MOST_KNOTS + 2];
    const int count = sizes_from(x, x->least, x->most, at);
    message d;
    for (int i = 0; i < x->n; i++) {
        const leasts any = leasts_of(x, (side){forward, i}, x->least, x->most);
        const leasts outer = leasts_with(x, (side){forward, i}, true, x->least, x->most);
        w->interval[i] = fmax(any.busy, any.gap);
        w->outer[i] = fmax(outer.busy, outer.gap);
        taking[i] = leasts_of(x, (side){false, i}, x->least, x->most).busy;
    }
    for (int i = 0; i < x->n; i++) {
        w->way[i] = w->near[i] = INFINITY;
        for (int other = 0; other < x->n; other++)
            for (int k = 0; k < count && other != i; k++) {
                double *to = cpm_model_inside(x->m, i, other) ? &w->near[i] : &w->way[i];
                ask_side(x, (side){!forward, i}, other, at[k], &d);
                *to = fmin(*to, d.way + taking[forward ? i : other]);
            }
    }
}

static double least_of(const double *at, int n)
{
    double least = INFINITY;
    for (int i = 0; i < n; i++)
        least = fmin(least, at[i]);
    return least;
}

/* What there is room for while start-ups are worked out. */
typedef struct {
    network w;
    double *taking, *ways, *heard; /* [n] each */
    teller *heap;                  /* [n], or for each host as many as the largest has */
} room;

/* Of processes, whatever host they are on. */
static void bound_spread(task *x, const room *r, int root)
{
    const double nobody = 0;
    int count = 0;
    for (int i = 0; i < x->n; i++)
        if (i != root)
            r->ways[count++] = fmin(r->w.way[i], r->w.near[i]);
    qsort(r->ways, (size_t)count, sizeof *r->ways, descending);
    const spreading all = {.parts = x->n,
                           .members = 1,
                           .heard = &nobody,
                           .root = r->w.interval[root],
                           .interval = least_of(r->w.interval, x->n),
                           .ways = r->ways};
    raise_to(x, spread(&all, r->heap, NULL), "start-ups", "");
}

/* Of hosts, whose processes all tell others as soon as they can have heard. */
static void bound_spread_of_hosts(task *x, const room *r, int root)
{
    const cpm_hosts *on = &x->m->on;
    const int members = x->largest;
    const double interval = least_of(r->w.interval, x->n), nobody = 0;
    r->heard[0] = 0;
    for (int k = 0; k < members - 1; k++)
        r->ways[k] = least_of(r->w.near, x->n);
    const spreading inside = {.parts = members,
                              .members = 1,
                              .heard = &nobody,
                              .root = interval,
                              .interval = interval,
                              .ways = r->ways};
    if (members > 1)
        spread(&inside, r->heap, r->heard + 1);
    for (int h = 0; h < on->count; h++)
        r->ways[h] = INFINITY;
    for (int i = 0; i < x->n; i++)
        r->ways[on->of[i]] = fmin(r->ways[on->of[i]], r->w.way[i]);
    r->ways[on->of[root]] = r->ways[on->count - 1];
    qsort(r->ways, (size_t)on->count - 1, sizeof *r->ways, descending);
    const spreading hosts = {.parts = on->count,
                             .members = members,
                             .heard = r->heard,
                             .root = r->w.outer[root],
                             .interval = least_of(r->w.outer, x->n),
                             .ways = r->ways};
    raise_to(x, spread(&hosts, r->heap, NULL), "start-ups", "");
}

/* Without a root there is a bound for each that is one: the one that tells least often is taken. */
static void bound_start_ups(task *x, const room *r, bool forward)
{
    int root = x->what->at.root;
    find_ways(x, forward, &r->w, r->taking);
    for (int i = 0; i < x->n && !x->base->rooted; i++)
        root = i == 0 || r->w.interval[i] > r->w.interval[root] ? i : root;
    if (x->base->contributes) /* of a scan the ends of the line */
        root = forward ? 0 : x->n - 1;
    bound_spread(x, r, root);
    if (has_levels(x->m))
        bound_spread_of_hosts(x, r, root);
}

/* ---- what messages share */

/* A resource on the way of all messages from the processes that are in to others. */
typedef struct {
    int resource;
    double per_byte; /* least seconds */
} shared;

/* Keeps those that this message uses, too. */
static int keep_common(shared *common, int count, const message *s, size_t bytes)
{
    int kept = 0;
    for (int k = 0; k < count; k++)
        for (int u = 0; u < s->flow.uses; u++)
            if (s->flow.use[u].resource == common[k].resource) {
                common[kept] = common[k];
                common[kept].per_byte = fmin(common[kept].per_byte, per_byte(s, u, bytes));
                kept++;
                break;
            }
    return kept;
}

/* What messages of a cut use that have nothing in common, as those of a host with several links. */
struct crossed {
    double per_byte; /* least seconds */
    int users;       /* messages that use it */
    bool chosen;
};

/* False: out of memory. */
static bool count_users(task *x, const message *s, size_t bytes)
{
    for (int u = 0; u < s->flow.uses; u++) {
        int resource = s->flow.use[u].resource;
        if (!(per_byte(s, u, bytes) > 0))
            continue;
        if (!cpm_vector_reserve(&x->crossed, &x->room, resource + 1, sizeof *x->crossed))
            return false;
        for (; x->crossings <= resource; x->crossings++)
            x->crossed[x->crossings] = (crossed){.per_byte = INFINITY};
        x->crossed[resource].users++;
    }
    return true;
}

/* Of what a message uses that which most do, so that few are chosen. False: it uses none. */
static bool choose_use(task *x, const message *s, size_t bytes)
{
    int best = -1, most = 0;
    for (int u = 0; u < s->flow.uses; u++) {
        int resource = s->flow.use[u].resource;
        if (resource < x->crossings && x->crossed[resource].users > most) {
            most = x->crossed[resource].users;
            best = u;
        }
    }
    if (best < 0)
        return false;
    crossed *one = &x->crossed[s->flow.use[best].resource];
    one->chosen = true;
    one->per_byte = fmin(one->per_byte, per_byte(s, best, bytes));
    return true;
}

/* Seconds per byte if all that was chosen works all the time; 0: nobody knows. */
static double all_at_once(const task *x)
{
    double rate = 0;
    for (int k = 0; k < x->crossings; k++)
        rate += x->crossed[k].chosen ? 1 / x->crossed[k].per_byte : 0;
    return isfinite(rate) && rate > 0 ? 1 / rate : 0;
}

/* Of the messages between those that are in and all others, of which few are on one side: each byte
 * passes one of those that are chosen. As narrowest. */
static double together(task *x, const bool *in, double *others)
{
    size_t at[MOST_KNOTS + 2];
    const int sizes = sizes_from(x, x->least, x->most, at);
    double lead = INFINITY, recv = INFINITY;
    message s;
    x->crossings = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < x->n; i++)
            for (int j = 0; j < x->n && in[i]; j++)
                for (int k = pass ? 0 : sizes - 1; k < sizes && !in[j]; k++) {
                    ask(x, i, j, at[k], &s);
                    if (pass ? !choose_use(x, &s, at[k]) : !count_users(x, &s, at[k]))
                        return 0;
                    lead = fmin(lead, s.lead);
                    recv = fmin(recv, s.flow.recv);
                }
    *others = lead + recv;
    return all_at_once(x);
}

/* As looking at what they use together takes time in proportion to both sides. */
static bool has_few_on_one_side(const task *x, const bool *in)
{
    int count = 0;
    for (int i = 0; i < x->n; i++)
        count += in[i];
    return count <= x->few || x->n - count <= x->few;
}

/* What messages that leave the processes that are in have in common: the longest per byte; if that
 * is nothing what they use together, 0 if there is nothing; *others: seconds besides of one of
 * them.
 */
static double narrowest(task *x, const bool *in, double *others)
{
    shared common[CPM_MOST_USES];
    size_t at[MOST_KNOTS + 2];
    const int sizes = sizes_from(x, x->least, x->most, at);
    double lead = INFINITY, recv = INFINITY, seconds = 0;
    int count = -1; /* nothing was asked yet */
    message s;
    for (int i = 0; i < x->n && count; i++)
        for (int j = 0; j < x->n && in[i] && count; j++)
            for (int k = 0; k < sizes && !in[j] && count; k++) {
                ask(x, i, j, at[k], &s);
                for (int u = 0; u < s.flow.uses && count < 0; u++)
                    common[u] = (shared){s.flow.use[u].resource, INFINITY};
                count = keep_common(common, count < 0 ? s.flow.uses : count, &s, at[k]);
                lead = fmin(lead, s.lead);
                recv = fmin(recv, s.flow.recv);
            }
    for (int k = 0; k < count; k++)
        seconds = fmax(seconds, common[k].per_byte);
    *others = lead + recv;
    if (seconds > 0)
        return seconds;
    return has_few_on_one_side(x, in) ? together(x, in, others) : 0;
}

/* Returns seconds per byte that leaves them, 0: nothing is shared. */
static double bound_cut(task *x, const bool *in, const char *limit, const char *name,
                        double *others)
{
    const double bytes = x->bytes * blocks_between(x, in);
    if (!(bytes > 0))
        return 0;
    const double each = narrowest(x, in, others);
    if (each > 0)
        raise_by_bytes(x, *others, each * bytes, limit, name);
    return each;
}

/* Processes in parts. */
typedef struct {
    const char *kind; /* "hosts" */
    int count;
    const int *of;     /* [n] which one a process is in */
    char *const *name; /* [count]; NULL: that of its first process */
} parts;

static void print_part(const cpm_model *m, const parts *p, int k, char name[CPM_LIMIT])
{
    int first = 0;
    while (p->of[first] != k)
        first++;
    if (p->count == m->n)
        print_process(m, first, name);
    else
        snprintf(name, CPM_LIMIT, "%s", p->name ? p->name[k] : m->hosts[first]);
}

/* Resources of which each message inside a host uses one. */
typedef struct {
    shared at[MOST_KNOTS + 2];
    int count;
    double others; /* least seconds besides of one message */
} memories;

static void enter(memories *m, const shared *s)
{
    for (int k = 0; k < m->count; k++)
        if (m->at[k].resource == s->resource) {
            m->at[k].per_byte = fmin(m->at[k].per_byte, s->per_byte);
            return;
        }
    m->at[m->count++] = *s;
}

/* What all messages of that size inside a host share: the longest per byte. False: nothing. */
static bool shared_inside(const task *x, int host, size_t bytes, memories *to)
{
    shared common[CPM_MOST_USES], longest = {.per_byte = 0};
    int count = -1; /* nothing was asked yet */
    message s;
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < x->n && x->m->on.of[i] == host; j++) {
            if (j == i || x->m->on.of[j] != host)
                continue;
            ask(x, i, j, bytes, &s);
            for (int u = 0; u < s.flow.uses && count < 0; u++)
                common[u] = (shared){s.flow.use[u].resource, INFINITY};
            count = keep_common(common, count < 0 ? s.flow.uses : count, &s, bytes);
            to->others = fmin(to->others, s.lead + s.flow.recv);
        }
    for (int k = 0; k < count; k++)
        longest = common[k].per_byte > longest.per_byte ? common[k] : longest;
    if (longest.per_byte > 0)
        enter(to, &longest);
    return longest.per_byte > 0;
}

/* What the processes of a host receive comes from other hosts, or passes its memory. */
static void bound_memory(task *x, const parts *hosts, int host, bool *in)
{
    char name[CPM_LIMIT];
    size_t at[MOST_KNOTS + 2];
    const int count = sizes_from(x, x->least, x->most, at);
    memories passed = {.others = INFINITY};
    double bytes = 0, rate = 0;
    int members = 0;
    for (int i = 0; i < x->n; i++) {
        if (x->m->on.of[i] != host)
            continue;
        alone(x, i, in);
        turn_over(x, in);
        bytes += x->bytes * blocks_between(x, in);
        members++;
    }
    for (int k = 0; k < count && members > 1; k++)
        if (!shared_inside(x, host, at[k], &passed))
            return;
    for (int i = 0; i < x->n; i++)
        in[i] = x->m->on.of[i] != host;
    if (members < x->n) {
        double others = INFINITY;
        const double each = narrowest(x, in, &others);
        if (!(each > 0))
            return;
        rate = 1 / each;
        passed.others = fmin(passed.others, others);
    }
    for (int k = 0; k < passed.count; k++)
        rate += 1 / passed.at[k].per_byte;
    print_part(x->m, hosts, host, name);
    if (bytes > 0 && members > 1)
        raise_by_bytes(x, passed.others, bytes / rate, "memory of ", name);
}

/* What leaves parts, and what enters them. */
static void bound_parts(task *x, const parts *p, bool *in, int *size)
{
    const int count = p->count;
    double both[2] = {0, 0}, least[2] = {INFINITY, INFINITY};
    bool all[2] = {true, true};
    memset(size, 0, (size_t)x->n * sizeof *size);
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < x->n; i++) {
            in[i] = p->of[i] == k;
            size[k] += in[i];
        }
        char name[CPM_LIMIT];
        print_part(x->m, p, k, name);
        for (int enters = 0; enters < 2; enters++) {
            double others = INFINITY;
            const double each =
                bound_cut(x, in, enters ? "what enters " : "what leaves ", name, &others);
            all[enters] = all[enters] && each > 0;
            both[enters] += each > 0 ? 1 / each : 0;
            least[enters] = fmin(least[enters], others);
            turn_over(x, in);
        }
    }
    const double bytes = x->bytes * blocks_among(x, count, size);
    for (int enters = 0; enters < 2; enters++) {
        if (all[enters])
            raise_by_bytes(x, least[enters], bytes / both[enters],
                           enters ? "what enters all " : "what leaves all ", p->kind);
    }
}

/* Whether a process's host sends over a link, or receives from it. */
static void set_users(const task *x, int link, bool send, bool *in)
{
    const cpm_links *l = &x->m->links;
    memset(in, 0, (size_t)x->n * sizeof *in);
    for (int i = 0; i < x->n; i++)
        for (int h = 0; h < l->hosts && !in[i]; h++) {
            int count, own = cpm_model_host_of(x->m, i);
            const int *way = cpm_links_way(l, send ? own : h, send ? h : own, &count);
            for (int k = 0; k < count && own != h; k++)
                in[i] = in[i] || way[k] == link;
        }
}

static void bound_links(task *x, bool *in)
{
    for (int k = 0; k < x->m->links.count; k++)
        for (int send = 0; send < 2; send++) {
            double others;
            set_users(x, k, send, in);
            if (!send)
                turn_over(x, in);
            bound_cut(x, in, "link ", x->m->links.name[k], &others);
        }
}

/* Whether all messages of a host pass a link, or a switch. */
static bool is_at(const task *x, int host, int link)
{
    const cpm_links *l = &x->m->links;
    for (int h = 0; h < l->hosts; h++) {
        int count, k = 0;
        const int *way = cpm_links_way(l, host, h, &count);
        while (k < count && way[k] != link)
            k++;
        if (h != host && k == count)
            return false;
    }
    return true;
}

/* Processes of all hosts at a switch, several ones but not all: 0: there are no such. */
static int set_those_at(const task *x, int link, bool *in)
{
    int count = 0, hosts = 0;
    for (int h = 0; h < x->m->links.hosts; h++) {
        const bool at = is_at(x, h, link);
        hosts += at;
        for (int i = 0; i < x->n; i++)
            if (cpm_model_host_of(x->m, i) == h) {
                in[i] = at;
                count += at;
            }
    }
    return hosts > 1 && count < x->n ? count : 0;
}

/* What leaves and enters switches with hosts goes over all their cables together. */
static void bound_switches_with_hosts(task *x, bool *in)
{
    const int few = x->few;
    for (int k = 0; k < x->m->links.count; k++) {
        const int count = set_those_at(x, k, in);
        x->few = count > few ? count : few;
        for (int enters = 0; enters < 2 && count; enters++) {
            double others;
            bound_cut(x, in, enters ? "what enters " : "what leaves ", x->m->links.name[k],
                      &others);
            turn_over(x, in);
        }
    }
    x->few = few;
}

static void bound_shared(task *x, bool *in, int *of, int *size)
{
    const cpm_model *m = x->m;
    const parts processes = {"processes", m->n, of, NULL};
    const parts hosts = {"hosts", m->on.count, m->on.of, NULL};
    const parts sockets = {"sockets", m->near.count, m->near.of, NULL};
    const parts switches = {"switches", m->switches.count, m->switches.of, m->switches.name};
    for (int i = 0; i < x->n; i++)
        of[i] = i;
    bound_parts(x, &processes, in, size);
    if (has_levels(m))
        bound_parts(x, &hosts, in, size);
    for (int h = 0; m->inside.count > 0 && h < m->on.count; h++)
        bound_memory(x, &hosts, h, in);
    if (m->across.count > 0)
        bound_parts(x, &sockets, in, size);
    if (m->switches.count > 1)
        bound_parts(x, &switches, in, size);
    bound_links(x, in);
    bound_switches_with_hosts(x, in);
}

/* ---- what all resources carry together */

/* False: no such demand is known. */
static bool demand_of(const task *x, carried_demand *d)
{
    *d = (carried_demand){.root = x->what->at.root};
    switch (x->base - cpm_operations) {
    case CPM_OP_BCAST:
    case CPM_OP_REDUCE:
        d->blocks = 1;
        return true;
    case CPM_OP_ALLGATHER:
    case CPM_OP_REDUCE_SCATTER:
        d->blocks = x->n;
        return true;
    case CPM_OP_ALLREDUCE:
        d->kind = CARRIED_SUMS;
        return true;
    case CPM_OP_SCATTER:
        d->kind = CARRIED_FROM;
        return true;
    case CPM_OP_GATHER:
        d->kind = CARRIED_TO;
        return true;
    case CPM_OP_ALLTOALL:
        d->kind = CARRIED_PAIRS;
        return true;
    default:
        return false;
    }
}

/* What a message from i to j uses, whatever its size. *common is empty if nothing is. */
static int always_used(const task *x, int i, int j, shared *common, double *lead, double *recv)
{
    size_t at[MOST_KNOTS + 2];
    const int sizes = sizes_from(x, x->least, x->most, at);
    int count = -1; /* nothing was asked yet */
    message s;
    for (int k = 0; k < sizes; k++) {
        ask(x, i, j, at[k], &s);
        for (int u = 0; u < s.flow.uses && count < 0; u++)
            common[u] = (shared){s.flow.use[u].resource, INFINITY};
        count = keep_common(common, count < 0 ? s.flow.uses : count, &s, at[k]);
        *lead = fmin(*lead, s.lead);
        *recv = fmin(*recv, s.flow.recv);
    }
    return count > 0 ? count : 0;
}

/* *others: seconds besides of one message, at least. False: out of memory. */
static bool find_network(const task *x, carried_network *net, double *others)
{
    shared common[CPM_MOST_USES];
    double lead = INFINITY, recv = INFINITY;
    int64_t capacity[2] = {0, 0}, pairs = (int64_t)x->n * x->n, count = 0;
    *net = (carried_network){.n = x->n, .first = calloc((size_t)pairs + 1, sizeof *net->first)};
    for (int64_t pair = 0; net->first && pair < pairs; pair++) {
        const int i = (int)(pair / x->n), j = (int)(pair % x->n);
        const int uses = i == j ? 0 : always_used(x, i, j, common, &lead, &recv);
        if (!cpm_vector_reserve(&net->resource, &capacity[0], count + uses,
                                sizeof *net->resource) ||
            !cpm_vector_reserve(&net->per_byte, &capacity[1], count + uses, sizeof *net->per_byte))
            return false;
        for (int u = 0; u < uses; u++, count++) {
            net->resource[count] = common[u].resource;
            net->per_byte[count] = common[u].per_byte;
            net->resources =
                common[u].resource >= net->resources ? common[u].resource + 1 : net->resources;
        }
        net->first[pair + 1] = count;
    }
    *others = lead + recv;
    return net->first;
}

static int bound_carried(task *x, cpm_error *e)
{
    carried_network net;
    carried_demand d;
    double others = 0, each = 0;
    if (!(x->bytes > 0) || !demand_of(x, &d))
        return CPM_OK;
    int status = find_network(x, &net, &others) ? CPM_OK : cpm_no_memory(e);
    if (!status)
        status = carried_seconds(&net, &d, &each, e);
    if (!status && each > 0)
        raise_by_bytes(x, others, each * x->bytes, "all links together", "");
    carried_clear(&net);
    return status;
}

/* ---- all of it */

/* No message has a use for more bytes than all blocks have together, those of all contributions. */
static size_t most_bytes(const task *x)
{
    const double units = (double)x->base->units(x->n, x->what->at.neighbours);
    const double all = units * (x->base->combines ? x->n : 1) * x->bytes;
    return all < 9e18 ? (size_t)all : (size_t)9e18;
}

static int largest_host(const cpm_hosts *on, int *size)
{
    int most = 0;
    for (int i = 0; i < on->n; i++)
        most = ++size[on->of[i]] > most ? size[on->of[i]] : most;
    return most;
}

static int work_out(task *x, const room *r, bool *in, int *numbers, cpm_error *e)
{
    bound_processors(x, in);
    bound_all_processors(x);
    if (spreads(x))
        bound_start_ups(x, r, true);
    if (collects(x))
        bound_start_ups(x, r, false);
    if (!x->flows)
        return CPM_OK;
    bound_shared(x, in, numbers, numbers + x->n);
    return bound_carried(x, e);
}

static bool open_room(const task *x, room *r)
{
    const size_t n = (size_t)x->n, hosts = (size_t)x->m->on.count * (size_t)x->largest;
    double *all = calloc(n * 7, sizeof *all);
    *r = (room){.heap = calloc(hosts > n ? hosts : n, sizeof *r->heap)};
    double **each[] = {&r->w.interval, &r->w.outer, &r->w.way, &r->w.near,
                       &r->taking,     &r->ways,    &r->heard};
    for (int k = 0; k < 7 && all; k++)
        *each[k] = all + (size_t)k * n;
    return all && r->heap;
}

int cpm_lower_bound_of(const cpm_model *m, const cpm_collective *what, size_t bytes,
                       cpm_lower_bound *out, cpm_error *e)
{
    const cpm_operation *o = what->operation;
    const size_t n = (size_t)m->n;
    task x = {.m = m, .what = what, .base = o, .n = m->n, .flows = cpm_model_flows(m), .out = out};
    room r;
    *out = (cpm_lower_bound){.limit = "nothing"};
    if (m->type->predict)
        return cpm_fail(e, CPM_EINVAL,
                        "model %s knows no messages: it has no bound; take another model",
                        m->type->name);
    if (what->at.weights)
        return cpm_fail(e, CPM_EINVAL, "bounds are those of blocks of one size");
    if (m->n < 2)
        return CPM_OK;
    if (o->like)
        cpm_operation_find(o->like, &x.base, e);
    x.bytes = o->dataless ? 0 : (double)bytes;
    x.most = most_bytes(&x);
    x.least = x.most > 0;
    bool *in = calloc(n, sizeof *in);
    int *numbers = calloc(2 * n, sizeof *numbers);
    if (numbers && has_levels(m))
        x.largest = largest_host(&m->on, numbers);
    x.few = x.largest > 1 ? x.largest : 1;
    int status = open_room(&x, &r) && in && numbers ? CPM_OK : cpm_no_memory(e);
    if (!status && !find_knots(&x))
        status = cpm_fail(e, CPM_EINVAL, "model %s has too many sizes for a bound", m->type->name);
    if (!status)
        status = work_out(&x, &r, in, numbers, e);
    free(r.w.interval);
    free(r.heap);
    free(x.crossed);
    free(in);
    free(numbers);
    return status;
}
