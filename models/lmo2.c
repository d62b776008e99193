/* Extended LMO. A message occupies the sender's processor (Cs + M ts), travels (L + M/beta) over
 * link ends that it may share with others (Go, Gi), and occupies the receiver's processor
 * (Cr + M tr). All but Go and Gi depend on the regime that the message's size is in, because MPI
 * libraries change protocols; from the rendezvous threshold on a sender waits for its receiver. */
#include "models/lmo2.h"

#include <math.h>

#include "models/draws.h"

int cpm_lmo2_regime(const cpm_model *m, size_t bytes)
{
    int k = 0;
    while (k + 1 < m->sizes.count && m->sizes.at[k + 1] <= bytes)
        k++;
    return k;
}

/* constant + bytes * slope of process i in regime k; the slope's parameter follows the constant's.
 */
static double overhead(const cpm_model *m, int constant, int k, int i, size_t bytes)
{
    size_t at = cpm_place(m, k, i);
    return m->value[constant][at] + (double)bytes * m->value[constant + 1][at];
}

static double of_pair(const cpm_model *m, int parameter, int k, int i, int j)
{
    return m->value[parameter][cpm_pair_place(m, k, i, j)];
}

static double known_or_0(double value)
{
    return isnan(value) ? 0 : value;
}

static bool is_synchronous(const cpm_model *m, size_t bytes)
{
    double from = m->value[CPM_LMO2_RENDEZVOUS][0];
    return !isnan(from) && (double)bytes >= from;
}

/* Time per byte of a process's link end, 0 if it is not shared. */
static double end_of(const cpm_model *m, int link_end, int process)
{
    return known_or_0(m->value[link_end][cpm_place(m, 0, process)]);
}

/* No link that several hosts share is faster; keeps shares from depending on noise around 0. */
static const double least_latency = 1e-6;

/* The capacity that messages share is that of large ones: the last regime's. Their shares are
 * inversely proportional to their round-trip times, as TCP's are (Mathis et al. 1997). */
static void lmo2_flow(const void *model, int from, int to, size_t bytes, cpm_flow *f)
{
    const cpm_model *m = model;
    int k = cpm_lmo2_regime(m, bytes);
    double send = overhead(m, CPM_LMO2_CS, k, from, bytes);
    double start = overhead(m, CPM_LMO2_CN, k, from, bytes);
    *f = (cpm_flow){.send = send,
                    .start = isnan(start) ? send : start,
                    .recv = overhead(m, CPM_LMO2_CR, k, to, bytes),
                    .latency = of_pair(m, CPM_LMO2_L, k, from, to),
                    .flow = (double)bytes * of_pair(m, CPM_LMO2_INVBETA, k, from, to),
                    .cap = of_pair(m, CPM_LMO2_INVBETA, m->sizes.count - 1, from, to),
                    .weight = 1 / fmax(least_latency, of_pair(m, CPM_LMO2_L, 0, from, to)),
                    .synchronous = is_synchronous(m, bytes),
                    .late = known_or_0(m->value[CPM_LMO2_LATE][0]) > 0};
    double out = end_of(m, CPM_LMO2_GO, from), in = end_of(m, CPM_LMO2_GI, to);
    cpm_flow_use(f, from, out);
    cpm_flow_use(f, m->n + to, in);
    if (!(f->cap > 0)) /* nothing to share */
        f->cap = fmax(fmax(out, in), bytes ? f->flow / (double)bytes : 1);
}

/* Without neighbours and waiting: link ends only keep messages apart. */
static void lmo2_cost(const void *model, int from, int to, size_t bytes, cpm_cost *cost)
{
    const cpm_model *m = model;
    cpm_flow f;
    lmo2_flow(m, from, to, bytes, &f);
    *cost = (cpm_cost){.send = f.send,
                       .gap = (double)bytes *
                              fmax(end_of(m, CPM_LMO2_GO, from), end_of(m, CPM_LMO2_GI, to)),
                       .wire = f.latency + f.flow,
                       .recv = f.recv};
}

/* Of a process, in slice k, by any of them. */
static bool is_known(const cpm_model *m, int parameter, int k)
{
    for (int a = 0; a < m->classes.count; a++)
        if (!isnan(m->value[parameter][k * m->classes.count + a]))
            return true;
    return false;
}

static bool lmo2_flows(const cpm_model *m)
{
    return is_known(m, CPM_LMO2_GO, 0) || is_known(m, CPM_LMO2_GI, 0) ||
           !isnan(m->value[CPM_LMO2_RENDEZVOUS][0]) || known_or_0(m->value[CPM_LMO2_LATE][0]) > 0;
}

/* ---- uncertainty */

/* A line of a regime known by its errors at two sizes, which are independent: those of its constant
 * and slope are not. */
typedef struct {
    double x[2], half[2]; /* bytes; seconds */
} known_line;

/* Where a regime's line was measured, about: its first size and its end. */
static known_line line_of(const cpm_model *m, int k, double constant_half, double slope_half)
{
    double x1 = (double)m->sizes.at[k];
    double x2 = k + 1 < m->sizes.count ? (double)m->sizes.at[k + 1] : fmax(4 * x1, 65536);
    double d = x2 - x1, vc = constant_half * constant_half, vs = slope_half * slope_half;
    double first = d * d * fmax(0, vc - x1 * x1 * vs) / (x2 * x2 - x1 * x1);
    return (known_line){{x1, x2}, {sqrt(first), sqrt(fmax(0, vs * d * d - first))}};
}

/* Moves a line by errors at its two sizes. */
static void move_line(const known_line *l, const double error[2], double *constant, double *slope)
{
    double turn = (error[1] - error[0]) / (l->x[1] - l->x[0]);
    *slope = fmax(0, *slope + turn);
    *constant = fmax(0, *constant + error[0] - turn * l->x[0]);
}

static void draw_overheads(const cpm_model *m, int k, int constant, cpm_random *random,
                           cpm_model *out)
{
    size_t n = (size_t)m->classes.count;
    for (size_t at = (size_t)k * n; at < ((size_t)k + 1) * n; at++) {
        known_line l = line_of(m, k, m->ci[constant][at], m->ci[constant + 1][at]);
        double error[2] = {cpm_draw_error(random, l.half[0]), cpm_draw_error(random, l.half[1])};
        move_line(&l, error, &out->value[constant][at], &out->value[constant + 1][at]);
    }
}

/* How far a drawn overhead is from the fitted one. */
static double moved(const cpm_model *m, const cpm_model *out, int constant, size_t at, double bytes)
{
    return out->value[constant][at] - m->value[constant][at] +
           bytes * (out->value[constant + 1][at] - m->value[constant + 1][at]);
}

static void draw_link(const cpm_model *m, int k, size_t i, size_t j, cpm_random *random,
                      cpm_model *out)
{
    size_t n = (size_t)m->classes.count, at = ((size_t)k * n + i) * n + j, from = (size_t)k * n + i,
           to = (size_t)k * n + j;
    known_line l = line_of(m, k, m->ci[CPM_LMO2_L][at], m->ci[CPM_LMO2_INVBETA][at]);
    known_line s = line_of(m, k, m->ci[CPM_LMO2_CS][from], m->ci[CPM_LMO2_TS][from]);
    known_line r = line_of(m, k, m->ci[CPM_LMO2_CR][to], m->ci[CPM_LMO2_TR][to]);
    double error[2];
    for (int q = 0; q < 2; q++)
        error[q] = cpm_draw_error(random, cpm_half_without(l.half[q], s.half[q], r.half[q])) -
                   moved(m, out, CPM_LMO2_CS, from, l.x[q]) -
                   moved(m, out, CPM_LMO2_CR, to, l.x[q]);
    move_line(&l, error, &out->value[CPM_LMO2_L][at], &out->value[CPM_LMO2_INVBETA][at]);
}

static void lmo2_draw(const cpm_model *m, cpm_random *random, cpm_model *out)
{
    for (int k = 0; k < m->sizes.count; k++) {
        draw_overheads(m, k, CPM_LMO2_CS, random, out);
        draw_overheads(m, k, CPM_LMO2_CR, random, out);
        if (is_known(m, CPM_LMO2_CN, k))
            draw_overheads(m, k, CPM_LMO2_CN, random, out);
        for (int i = 0; i < m->classes.count; i++)
            for (int j = 0; j < m->classes.count; j++)
                if (cpm_classes_meet(&m->classes, i, j))
                    draw_link(m, k, (size_t)i, (size_t)j, random, out);
    }
}

/* ---- formulas */

/* Interval between messages of one process over one link end. */
static double interval(const cpm_model *m, int link_end, double processor, int i, size_t bytes)
{
    return fmax(processor, (double)bytes * end_of(m, link_end, i));
}

static double sum_of_messages(const cpm_model *m, int root, size_t bytes, bool gather)
{
    double sum = 0;
    for (int i = 0; i < m->n; i++)
        if (i != root)
            sum += gather ? cpm_model_p2p(m, i, root, bytes) : cpm_model_p2p(m, root, i, bytes);
    return sum;
}

double cpm_lmo2_linear_scatter(const cpm_model *m, const cpm_formula_call *c)
{
    if (is_synchronous(m, c->bytes))
        return sum_of_messages(m, c->root, c->bytes, false);
    double send = overhead(m, CPM_LMO2_CS, cpm_lmo2_regime(m, c->bytes), c->root, c->bytes);
    double step = interval(m, CPM_LMO2_GO, send, c->root, c->bytes), last = 0;
    for (int x = 1; x < m->n; x++)
        last =
            fmax(last, (x - 1) * step + cpm_model_p2p(m, c->root, (c->root + x) % m->n, c->bytes));
    return last;
}

double cpm_lmo2_linear_gather(const cpm_model *m, const cpm_formula_call *c)
{
    if (is_synchronous(m, c->bytes))
        return sum_of_messages(m, c->root, c->bytes, true);
    double recv = overhead(m, CPM_LMO2_CR, cpm_lmo2_regime(m, c->bytes), c->root, c->bytes);
    double in = (double)c->bytes * end_of(m, CPM_LMO2_GI, c->root);
    double processor = 0, first = INFINITY;
    for (int x = 1; x < m->n; x++) {
        double one_way = cpm_model_p2p(m, (c->root + x) % m->n, c->root, c->bytes);
        processor = fmax(processor, one_way - recv) + recv;
        first = fmin(first, one_way);
    }
    /* messages that share a link end fairly arrive together, and are received only then */
    return in > 0 ? fmax(processor, first + (m->n - 2) * (recv + in)) : processor;
}

double cpm_lmo2_linear_gather_expected(const cpm_model *m, const cpm_formula_call *c)
{
    double m1 = m->value[CPM_LMO2_M1][0], m2 = m->value[CPM_LMO2_M2][0];
    double undisturbed = cpm_lmo2_linear_gather(m, c);
    if (isnan(m1) || (double)c->bytes < m1 || (double)c->bytes >= m2)
        return undisturbed;
    return undisturbed +
           known_or_0(m->value[CPM_LMO2_PE][0]) * known_or_0(m->value[CPM_LMO2_TE][0]);
}

/* A binomial tree, one message after the other: blocks of a subtree (scatter, gather) or one. */
typedef struct {
    const cpm_model *m;
    int root;
    size_t bytes;
    bool one_block;
} binomial;

static int rank_of(const binomial *b, int v)
{
    return (v + b->root) % b->m->n;
}

static size_t message_to(const binomial *b, int half, int nodes)
{
    return b->one_block ? b->bytes : (size_t)(nodes - half) * b->bytes;
}

static int largest_half(int nodes)
{
    int half = 1;
    while (2 * half < nodes)
        half *= 2;
    return half;
}

/* When the last of the subtree [v, v + nodes) has its data, if v has it at the moment start. */
static double down(const binomial *b, int v, int nodes, double start)
{
    double last = start;
    while (nodes > 1) {
        int half = largest_half(nodes), from = rank_of(b, v), to = rank_of(b, v + half);
        size_t bytes = message_to(b, half, nodes);
        double arrived = start + cpm_model_p2p(b->m, from, to, bytes);
        last = fmax(last, down(b, v + half, nodes - half, arrived));
        double send = overhead(b->m, CPM_LMO2_CS, cpm_lmo2_regime(b->m, bytes), from, bytes);
        start = is_synchronous(b->m, bytes)
                    ? arrived
                    : start + interval(b->m, CPM_LMO2_GO, send, from, bytes);
        nodes = half;
    }
    return fmax(last, start);
}

/* When v has received from its whole subtree. */
static double up(const binomial *b, int v, int nodes)
{
    double now = 0;
    for (int have = 1; have < nodes;) {
        int more = have < nodes - have ? have : nodes - have;
        int from = rank_of(b, v + have), to = rank_of(b, v);
        size_t bytes = (size_t)more * b->bytes;
        double ready = up(b, v + have, more), one_way = cpm_model_p2p(b->m, from, to, bytes);
        double recv = overhead(b->m, CPM_LMO2_CR, cpm_lmo2_regime(b->m, bytes), to, bytes);
        now = is_synchronous(b->m, bytes) ? fmax(now, ready) + one_way
                                          : fmax(now, ready + one_way - recv) + recv;
        have += more;
    }
    return now;
}

static double binomial_scatter(const cpm_model *m, const cpm_formula_call *c)
{
    return down(&(binomial){m, c->root, c->bytes, false}, 0, m->n, 0);
}

static double binomial_bcast(const cpm_model *m, const cpm_formula_call *c)
{
    return down(&(binomial){m, c->root, c->bytes, true}, 0, m->n, 0);
}

static double binomial_gather(const cpm_model *m, const cpm_formula_call *c)
{
    return up(&(binomial){m, c->root, c->bytes, false}, 0, m->n);
}

/* clang-format off */
static const cpm_parameter parameters[] = {
    [CPM_LMO2_CS] = {"Cs", CPM_PROCESS, false, false, "s", "send overhead of a process", true},
    [CPM_LMO2_TS] = {"ts", CPM_PROCESS, false, false, "s/B", "send overhead per byte", true},
    [CPM_LMO2_CR] = {"Cr", CPM_PROCESS, false, false, "s", "receive overhead of a process", true},
    [CPM_LMO2_TR] = {"tr", CPM_PROCESS, false, false, "s/B", "receive overhead per byte", true},
    [CPM_LMO2_CN] = {"Cn", CPM_PROCESS, true, false, "s",
                     "overhead of a synchronous send that does not block", true},
    [CPM_LMO2_TN] = {"tn", CPM_PROCESS, true, false, "s/B", "the same per byte", true},
    [CPM_LMO2_L]  = {"L", CPM_PAIR, false, false, "s", "latency of the network", true},
    [CPM_LMO2_INVBETA] = {"invbeta", CPM_PAIR, false, false, "s/B",
                          "time per byte of a message alone: 1/beta", true},
    [CPM_LMO2_GO] = {"Go", CPM_PROCESS, true, false, "s/B",
                     "time per byte of a host's outgoing link end, if its messages share it", false},
    [CPM_LMO2_GI] = {"Gi", CPM_PROCESS, true, false, "s/B",
                     "time per byte of a host's incoming link end, if its messages share it", false},
    [CPM_LMO2_RENDEZVOUS] = {"rendezvous", CPM_SCALAR, true, false, "B",
                             "from this size on a send waits for its receiver", false},
    [CPM_LMO2_LATE] = {"late", CPM_SCALAR, true, false, "1",
                       "1: buffered messages start when their receive is posted", false},
    [CPM_LMO2_S]  = {"S", CPM_SCALAR, true, false, "B", "size at which linear scatter leaps", false},
    [CPM_LMO2_M1] = {"M1", CPM_SCALAR, true, false, "B", "gather escalates from this size", false},
    [CPM_LMO2_M2] = {"M2", CPM_SCALAR, true, false, "B", "gather is linear again from this size",
                     false},
    [CPM_LMO2_PE] = {"pe", CPM_SCALAR, true, false, "1",
                     "share of gathers between M1 and M2 that escalate", false},
    [CPM_LMO2_TE] = {"te", CPM_SCALAR, true, false, "s", "what an escalation adds", false},
};

/* None is exact: link ends are a least interval between the root's own messages here. */
static const cpm_formula formulas[] = {
    {"scatter", "linear", "intervals", "thesis (4.1) by position", false, cpm_lmo2_linear_scatter, 0, 0},
    {"bcast", "linear", "intervals", "thesis (4.1) by position", false, cpm_lmo2_linear_scatter, 0, 0},
    {"gather", "linear", "intervals", "thesis (4.2) by position", false, cpm_lmo2_linear_gather,
     CPM_FORMULA_UNESCALATED, 0},
    {"gather", "linear", "expected", "with pe and te between M1 and M2", false,
     cpm_lmo2_linear_gather_expected, 0, 0},
    {"scatter", "binomial", "recursion", "as thesis (5.1)", false, binomial_scatter, 0, 0},
    {"gather", "binomial", "recursion", "as thesis (5.1)", false, binomial_gather, 0, 0},
    {"bcast", "binomial", "recursion", "as thesis (5.1)", false, binomial_bcast, 0, 0},
    {0},
};
/* clang-format on */

const cpm_model_type cpm_lmo2 = {
    .name = "lmo2",
    .title = "LMO extended (heterogeneous)",
    .source = "doc/models/lmo2.md",
    .min_processes = 3,
    .parameters = parameters,
    .count = sizeof parameters / sizeof parameters[0],
    .formulas = formulas,
    .cost = lmo2_cost,
    .flow = lmo2_flow,
    .flows = lmo2_flows,
    .draw = lmo2_draw,
};
