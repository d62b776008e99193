/* Extended LMO. A message occupies the sender's processor (Cs + M ts), travels (L + M/beta) over
 * link ends, and trunks between switches, that it may share with others (Go, Gi, Gu, Gd), and
 * occupies the receiver's processor (Cr + M tr). All but these depend on the regime that the
 * message's size is in, because MPI libraries change protocols; from the rendezvous threshold on a
 * sender waits for its receiver. */
#include "models/lmo2.h"

#include <math.h>

#include "models/draws.h"
#include "models/tree_times.h"

/* ---- levels: between hosts, inside one, and between its sockets */

/* Which parameters describe the messages of a level. */
typedef struct {
    int cs, cr, cn; /* constants of overheads; slopes follow */
    int l, invbeta; /* of pairs between hosts, of the host inside */
    int rendezvous;
    cpm_level of;
    bool inside; /* of a host */
} level;

static const level levels[CPM_LEVELS] = {
    [CPM_BETWEEN] = {CPM_LMO2_CS, CPM_LMO2_CR, CPM_LMO2_CN, CPM_LMO2_L, CPM_LMO2_INVBETA,
                     CPM_LMO2_RENDEZVOUS, CPM_BETWEEN, false},
    [CPM_INSIDE] = {CPM_LMO2_INSIDE_CS, CPM_LMO2_INSIDE_CR, CPM_LMO2_INSIDE_CN, CPM_LMO2_INSIDE_L,
                    CPM_LMO2_INSIDE_INVBETA, CPM_LMO2_INSIDE_RENDEZVOUS, CPM_INSIDE, true},
    [CPM_ACROSS] = {CPM_LMO2_ACROSS_CS, CPM_LMO2_ACROSS_CR, CPM_LMO2_ACROSS_CN, CPM_LMO2_ACROSS_L,
                    CPM_LMO2_ACROSS_INVBETA, CPM_LMO2_ACROSS_RENDEZVOUS, CPM_ACROSS, true},
};

static const level *level_of(const cpm_model *m, int from, int to)
{
    return &levels[cpm_model_level(m, from, to)];
}

static const cpm_sizes *regimes_of(const cpm_model *m, const level *v)
{
    return v->of == CPM_BETWEEN ? &m->sizes : cpm_model_regimes(m, v->of);
}

static int regime(const cpm_sizes *first, size_t bytes)
{
    int k = 0;
    while (k + 1 < first->count && first->at[k + 1] <= bytes)
        k++;
    return k;
}

/* constant + bytes * slope at a place; the slope's parameter follows the constant's. */
static inline double overhead_at(const cpm_model *m, int constant, size_t at, size_t bytes)
{
    return m->value[constant][at] + (double)bytes * m->value[constant + 1][at];
}

/* Of process i in regime k. */
static inline double overhead(const cpm_model *m, int constant, int k, int i, size_t bytes)
{
    return overhead_at(m, constant, cpm_place(m, k, i), bytes);
}

/* Inside a host the receiver fetches a buffered message: what comes late there is its overhead. */
static bool is_late(const cpm_model *m, const level *v)
{
    double late = m->value[CPM_LMO2_LATE][0];
    return !v->inside && late > 0; /* NaN: it is not known to be */
}

static double known_or_0(double value)
{
    return isnan(value) ? 0 : value;
}

static bool is_synchronous(const cpm_model *m, const level *v, size_t bytes)
{
    double from = m->value[v->rendezvous][0];
    return !isnan(from) && (double)bytes >= from;
}

/* Processors move what is sent inside a host: long messages are moved by their receivers. */
static bool is_fetched(const cpm_model *m, const level *v, size_t bytes)
{
    return v->inside &&
           (double)bytes >= m->value[CPM_LMO2_FETCHED][0]; /* NaN: none is known to be */
}

/* fmax, which is a call, of numbers. */
static inline double larger(double a, double b)
{
    return b > a ? b : a;
}

/* ---- what messages share */

/* Time per byte of what the messages of a process's host share, 0 if they do not. */
static inline double end_of(const cpm_model *m, int link_end, int process)
{
    return known_or_0(m->value[link_end][cpm_place(m, 0, process)]);
}

static int host_of(const cpm_model *m, int process)
{
    return cpm_model_host_of(m, process);
}

/* Resources are numbered: outgoing link ends of all hosts, incoming ones, memories, and these as
 * fetched messages use them; the trunks of all switches, up and down; then both memories of sockets
 * where there are such, for those of hosts, which are the links between these; then those of
 * processes that several read, and those of processes that copy while others read; at last links
 * inside the network. */
static int hosts_of(const cpm_model *m)
{
    return cpm_model_hosts(m);
}

static int first_trunk(const cpm_model *m)
{
    return 4 * hosts_of(m);
}

static int first_socket(const cpm_model *m)
{
    return first_trunk(m) + 2 * m->switches.count;
}

static int memory_of(const cpm_model *m, const level *v, int process, bool fetched)
{
    return m->across.count > 0 && v->of == CPM_INSIDE
               ? first_socket(m) + (fetched ? m->near.count : 0) + m->near.of[process]
               : (fetched ? 3 : 2) * hosts_of(m) + host_of(m, process);
}

static int first_source(const cpm_model *m)
{
    return first_socket(m) + 2 * m->near.count;
}

static double trunk_of(const cpm_model *m, int trunk, int process)
{
    return known_or_0(m->value[trunk][m->switches.of[process]]);
}

/* Trunks of the switches of both, if these are two. Seconds per byte of the narrower. */
static double use_trunks(const cpm_model *m, int from, int to, cpm_flow *f)
{
    if (!cpm_model_crosses(m, from, to))
        return 0;
    double up = trunk_of(m, CPM_LMO2_UP, from), down = trunk_of(m, CPM_LMO2_DOWN, to);
    int first = first_trunk(m);
    cpm_flow_use(f, first + m->switches.of[from], up);
    cpm_flow_use(f, first + m->switches.count + m->switches.of[to], down);
    return larger(up, down);
}

/* Seconds per byte of the narrowest. */
static double use_links(const cpm_model *m, int from, int to, cpm_flow *f)
{
    double narrowest = 0;
    int count, first = first_source(m) + 2 * m->n;
    if (m->links.count == 0)
        return 0;
    const int *way = cpm_links_way(&m->links, host_of(m, from), host_of(m, to), &count);
    for (int u = 0; u < count; u++) {
        double seconds = known_or_0(m->value[CPM_LMO2_LINK][way[u]]);
        cpm_flow_use(f, first + way[u], seconds);
        narrowest = larger(narrowest, seconds);
    }
    return narrowest;
}

/* Of who sends and who fetches, and what all who fetch share. Seconds per byte of the narrowest. */
static double use_fetching(const cpm_model *m, const level *v, int from, int to, cpm_flow *f)
{
    double source = end_of(m, CPM_LMO2_SOURCE, from), copying = end_of(m, CPM_LMO2_COPYING, from);
    double memory = v->of == CPM_INSIDE ? end_of(m, CPM_LMO2_FETCHING, from) : 0;
    int first = first_source(m);
    cpm_flow_use(f, first + from, source);
    cpm_flow_use(f, first + m->n + from, copying);
    cpm_flow_use(f, first + m->n + to, copying);
    cpm_flow_use(f, memory_of(m, v, from, true), memory);
    return larger(larger(source, copying), memory);
}

/* Seconds per byte of the narrowest. */
static double use_shared(const cpm_model *m, const level *v, int from, int to, cpm_flow *f)
{
    if (v->inside) {
        /* memory was seen with buffered messages, which are copied twice, through a buffer that all
           share */
        if (f->fetched)
            return use_fetching(m, v, from, to, f);
        double seconds = end_of(m, v->of == CPM_ACROSS ? CPM_LMO2_SOCKETS : CPM_LMO2_MEMORY, from);
        cpm_flow_use(f, memory_of(m, v, from, false), seconds);
        return seconds;
    }
    double out = end_of(m, CPM_LMO2_GO, from), in = end_of(m, CPM_LMO2_GI, to);
    cpm_flow_use(f, host_of(m, from), out);
    cpm_flow_use(f, hosts_of(m) + host_of(m, to), in);
    return larger(larger(use_links(m, from, to, f), use_trunks(m, from, to, f)), larger(out, in));
}

/* No link that several hosts share is faster; keeps shares from depending on noise around 0. */
static const double least_latency = 1e-6;

/* The capacity that messages share is that of large ones: the last regime's. Their shares are
 * inversely proportional to their round-trip times, as TCP's are (Mathis et al. 1997). Where each
 * value is is found once, and nothing is written that is not used: walks ask this of every message.
 */
static void lmo2_flow(const void *model, int from, int to, size_t bytes, cpm_flow *f)
{
    const cpm_model *m = model;
    const level *v = level_of(m, from, to);
    const cpm_sizes *regimes = regimes_of(m, v);
    size_t n = (size_t)m->classes.count, k = (size_t)regime(regimes, bytes);
    size_t i = cpm_place(m, 0, from), j = cpm_place(m, 0, to);
    size_t link = v->inside ? i : i * n + j, apart = v->inside ? n : n * n;
    const double *latency = m->value[v->l] + link, *rate = m->value[v->invbeta] + link;
    double start = overhead_at(m, v->cn, k * n + i, bytes);
    f->send = overhead_at(m, v->cs, k * n + i, bytes);
    f->start = isnan(start) ? f->send : start;
    f->recv = overhead_at(m, v->cr, k * n + j, bytes);
    f->latency = latency[k * apart];
    f->flow = (double)bytes * rate[k * apart];
    f->cap = rate[((size_t)regimes->count - 1) * apart];
    f->weight = 1 / larger(least_latency, latency[0]);
    f->synchronous = is_synchronous(m, v, bytes);
    f->late = is_late(m, v);
    f->fetched = f->synchronous && is_fetched(m, v, bytes);
    f->starting = f->fetched ? larger(0, f->latency - latency[0]) : 0;
    f->latency -= f->starting;
    f->overwriting = f->fetched ? (double)bytes * known_or_0(m->value[CPM_LMO2_OVERWRITING][j]) : 0;
    f->unchanged = f->fetched ? (double)bytes * known_or_0(m->value[CPM_LMO2_UNCHANGED][i]) : 0;
    f->uses = 0;
    double shared = use_shared(m, v, from, to, f);
    if (!(f->cap > 0)) /* nothing to share */
        f->cap = fmax(shared, bytes ? f->flow / (double)bytes : 1);
}

static void stand_for(cpm_use *use, int first, const cpm_orbits *o, int count)
{
    int kind = (use->resource - first) / count, k = (use->resource - first) % count;
    use->resource = first + kind * count + o->like[k];
    use->seconds *= o->moves[k];
}

static void stand_for_process(cpm_use *use, int first, int n, int period)
{
    int kind = (use->resource - first) / n, process = (use->resource - first) % n;
    use->resource = first + kind * n + process % period;
}

static void lmo2_stand_for(const cpm_model *m, const cpm_model_symmetry *y, cpm_flow *f)
{
    int trunks = first_trunk(m), sockets = first_socket(m);
    for (int u = 0; u < f->uses; u++)
        if (f->use[u].resource < trunks)
            stand_for(&f->use[u], 0, &y->hosts, hosts_of(m));
        else if (f->use[u].resource < sockets)
            stand_for(&f->use[u], trunks, &y->switches, m->switches.count);
        else if (f->use[u].resource < first_source(m))
            stand_for(&f->use[u], sockets, &y->sockets, m->near.count);
        else
            stand_for_process(&f->use[u], first_source(m), m->n, y->ranks.period);
}

/* Without neighbours and waiting: link ends only keep messages apart. */
static void lmo2_cost(const void *model, int from, int to, size_t bytes, cpm_cost *cost)
{
    const cpm_model *m = model;
    cpm_flow f;
    lmo2_flow(m, from, to, bytes, &f);
    double narrowest = 0;
    for (int u = 0; u < f.uses; u++)
        narrowest = fmax(narrowest, f.use[u].seconds);
    *cost = (cpm_cost){.send = f.send,
                       .gap = (double)bytes * narrowest,
                       .wire = f.fetched ? f.latency : f.latency + f.flow,
                       .recv = f.fetched ? f.starting + f.flow + f.recv : f.recv};
}

const int cpm_lmo2_combining[CPM_COMBININGS] = {[CPM_COMBINING_BYTES] = CPM_LMO2_OC,
                                                [CPM_COMBINING_FLOATS] = CPM_LMO2_FLOATS_OC,
                                                [CPM_COMBINING_DOUBLES] = CPM_LMO2_DOUBLES_OC,
                                                [CPM_COMBINING_OTHER] = CPM_LMO2_OC};

/* Contributions of a reduction are combined by who has received them. */
static double lmo2_combine(const void *model, int rank, cpm_combining what, size_t bytes)
{
    const cpm_model *m = model;
    size_t at = cpm_place(m, 0, rank);
    double seconds = overhead_at(m, cpm_lmo2_combining[what], at, bytes);
    if (isnan(seconds))
        seconds = overhead_at(m, CPM_LMO2_OC, at, bytes);
    return bytes > 0 && seconds > 0 ? seconds : 0; /* NaN: it is not known */
}

/* What does not lie one after the other is copied by who sends it, and by who receives it. */
static double lmo2_copy(const void *model, int rank, int64_t pieces, size_t bytes)
{
    const cpm_model *m = model;
    size_t at = cpm_place(m, 0, rank);
    return (double)pieces * known_or_0(m->value[CPM_LMO2_OM][at]) +
           (double)bytes * known_or_0(m->value[CPM_LMO2_CM][at]);
}

static double lmo2_fresh(const void *model, int rank, double bytes)
{
    const cpm_model *m = model;
    return bytes * known_or_0(m->value[CPM_LMO2_CF][cpm_place(m, 0, rank)]);
}

/* Of a process or a switch, in slice k, by any of them. */
static bool is_known(const cpm_model *m, int parameter, int k)
{
    size_t count = cpm_parameter_values(m, parameter);
    for (size_t a = 0; a < count; a++)
        if (!isnan(m->value[parameter][(size_t)k * count + a]))
            return true;
    return false;
}

static bool lmo2_copies(const cpm_model *m)
{
    return is_known(m, CPM_LMO2_OM, 0) || is_known(m, CPM_LMO2_CM, 0) ||
           is_known(m, CPM_LMO2_OVERWRITING, 0);
}

static bool waits(const cpm_model *m, const level *v)
{
    return !isnan(m->value[v->rendezvous][0]) || is_late(m, v);
}

static bool lmo2_flows(const cpm_model *m)
{
    return is_known(m, CPM_LMO2_GO, 0) || is_known(m, CPM_LMO2_GI, 0) ||
           is_known(m, CPM_LMO2_MEMORY, 0) || is_known(m, CPM_LMO2_UP, 0) ||
           is_known(m, CPM_LMO2_DOWN, 0) || is_known(m, CPM_LMO2_LINK, 0) ||
           is_known(m, CPM_LMO2_SOCKETS, 0) || is_known(m, CPM_LMO2_SOURCE, 0) ||
           waits(m, &levels[CPM_BETWEEN]) || waits(m, &levels[CPM_INSIDE]) ||
           waits(m, &levels[CPM_ACROSS]);
}

/* ---- uncertainty */

/* A line of a regime known by its errors at two sizes, which are independent: those of its constant
 * and slope are not. */
typedef struct {
    double x[2], half[2]; /* bytes; seconds */
} known_line;

/* Where a regime's line was measured, about: its first size and its end. */
static known_line line_of(const cpm_sizes *regimes, int k, double constant_half, double slope_half)
{
    double x1 = (double)regimes->at[k];
    double x2 = k + 1 < regimes->count ? (double)regimes->at[k + 1] : fmax(4 * x1, 65536);
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

static void draw_overheads(const cpm_model *m, const level *v, int k, int constant,
                           cpm_random *random, cpm_model *out)
{
    size_t n = (size_t)m->classes.count;
    for (size_t at = (size_t)k * n; at < ((size_t)k + 1) * n; at++) {
        known_line l = line_of(regimes_of(m, v), k, m->ci[constant][at], m->ci[constant + 1][at]);
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

/* From class i to class j; inside a host both are its class, and link is its place. */
static void draw_link(const cpm_model *m, const level *v, int k, size_t i, size_t j,
                      cpm_random *random, cpm_model *out)
{
    size_t n = (size_t)m->classes.count, from = (size_t)k * n + i, to = (size_t)k * n + j;
    size_t at = v->inside ? from : from * n + j;
    const cpm_sizes *regimes = regimes_of(m, v);
    known_line l = line_of(regimes, k, m->ci[v->l][at], m->ci[v->invbeta][at]);
    known_line s = line_of(regimes, k, m->ci[v->cs][from], m->ci[v->cs + 1][from]);
    known_line r = line_of(regimes, k, m->ci[v->cr][to], m->ci[v->cr + 1][to]);
    double error[2];
    for (int q = 0; q < 2; q++)
        error[q] = cpm_draw_error(random, cpm_half_without(l.half[q], s.half[q], r.half[q])) -
                   moved(m, out, v->cs, from, l.x[q]) - moved(m, out, v->cr, to, l.x[q]);
    move_line(&l, error, &out->value[v->l][at], &out->value[v->invbeta][at]);
}

static void draw_links(const cpm_model *m, const level *v, int k, cpm_random *random,
                       cpm_model *out)
{
    for (int i = 0; i < m->classes.count; i++)
        for (int j = 0; j < m->classes.count; j++)
            if (v->inside ? i == j : cpm_classes_meet(&m->classes, i, j))
                draw_link(m, v, k, (size_t)i, (size_t)j, random, out);
}

static void draw_level(const cpm_model *m, const level *v, cpm_random *random, cpm_model *out)
{
    for (int k = 0; k < regimes_of(m, v)->count; k++) {
        draw_overheads(m, v, k, v->cs, random, out);
        draw_overheads(m, v, k, v->cr, random, out);
        if (is_known(m, v->cn, k))
            draw_overheads(m, v, k, v->cn, random, out);
        draw_links(m, v, k, random, out);
    }
}

/* Of combining, copying and fresh memory: a constant is measured with a small message, a slope with
 * a large one. A collective combines one class, so that all may err together. */
static void draw_local(const cpm_model *m, cpm_random *random, cpm_model *out)
{
    enum { CLASSES = 3 };
    static const int local[][CLASSES] = {
        {CPM_LMO2_OC, CPM_LMO2_FLOATS_OC, CPM_LMO2_DOUBLES_OC},
        {CPM_LMO2_CB, CPM_LMO2_FLOATS_CB, CPM_LMO2_DOUBLES_CB},
        {CPM_LMO2_OM, CPM_LMO2_OM, CPM_LMO2_OM},
        {CPM_LMO2_CM, CPM_LMO2_CM, CPM_LMO2_CM},
        {CPM_LMO2_CF, CPM_LMO2_CF, CPM_LMO2_CF},
    };
    for (size_t k = 0; k < sizeof local / sizeof local[0]; k++)
        for (int at = 0; at < m->classes.count; at++) {
            double error = NAN; /* in halves of intervals */
            for (int c = 0; c < CLASSES; c++) {
                double value = m->value[local[k][c]][at], half = m->ci[local[k][c]][at];
                if (isnan(value) || isnan(half))
                    continue;
                error = isnan(error) ? cpm_draw_error(random, 1) : error;
                out->value[local[k][c]][at] = fmax(0, value + error * half);
            }
        }
}

static void lmo2_draw(const cpm_model *m, cpm_random *random, cpm_model *out)
{
    for (int k = 0; k < CPM_LEVELS; k++)
        draw_level(m, &levels[k], random, out);
    draw_local(m, random, out);
}

/* ---- intervals of capacities */

/* Half the interval of what long messages of class k to (or from) others take per byte: the mean
 * over these. */
static double half_of_messages(const cpm_model *m, bool out, size_t k)
{
    size_t g = (size_t)m->classes.count, last = (size_t)(m->sizes.count - 1) * g * g, count = 0;
    double sum = 0;
    for (size_t l = 0; l < g; l++) {
        double half = m->ci[CPM_LMO2_INVBETA][last + (out ? k * g + l : l * g + k)];
        if (!cpm_classes_meet(&m->classes, (int)k, (int)l))
            continue;
        sum += half;
        count++;
    }
    return count ? sum / (double)count : NAN;
}

static double half_inside(const cpm_model *m, int invbeta, const cpm_sizes *regimes, size_t k)
{
    size_t last = (size_t)(regimes->count - 1) * (size_t)m->classes.count;
    return regimes->count ? m->ci[invbeta][last + k] : NAN;
}

/* Capacities are those with which the walk gives the times of messages that met; times that differ
 * by less than this share are the same there. Mostly they are as fast as one message. */
static double lmo2_half(const cpm_model *m, int p, size_t at)
{
    static const double same = 0.05;
    double half = NAN;
    if (p == CPM_LMO2_GO || p == CPM_LMO2_GI)
        half = half_of_messages(m, p == CPM_LMO2_GO, at);
    else if (p == CPM_LMO2_MEMORY || p == CPM_LMO2_FETCHING || p == CPM_LMO2_SOURCE)
        half = half_inside(m, CPM_LMO2_INSIDE_INVBETA, &m->inside, at);
    else if (p == CPM_LMO2_SOCKETS)
        half = half_inside(m, CPM_LMO2_ACROSS_INVBETA, &m->across, at);
    return hypot(half, same * m->value[p][at]);
}

/* ---- formulas */

/* What one message takes: the processors' parts, and the least interval between messages of one
 * process that it leaves to what they share. */
typedef struct {
    double send, recv, out, in;
    bool synchronous;
} parts;

static parts parts_of(const cpm_model *m, int from, int to, size_t bytes)
{
    const level *v = level_of(m, from, to);
    int k = regime(regimes_of(m, v), bytes);
    static const int out[] = {CPM_LMO2_GO, CPM_LMO2_MEMORY, CPM_LMO2_SOCKETS};
    static const int in[] = {CPM_LMO2_GI, CPM_LMO2_MEMORY, CPM_LMO2_SOCKETS};
    double size = (double)bytes;
    return (parts){overhead(m, v->cs, k, from, bytes), overhead(m, v->cr, k, to, bytes),
                   size * end_of(m, out[v->of], from), size * end_of(m, in[v->of], to),
                   is_synchronous(m, v, bytes)};
}

double cpm_lmo2_linear_scatter(const cpm_model *m, const cpm_formula_call *c)
{
    double start = 0, last = 0;
    for (int x = 1; x < m->n; x++) {
        int to = cpm_linear_child(c->root, x);
        parts p = parts_of(m, c->root, to, c->bytes);
        double one_way = cpm_model_p2p(m, c->root, to, c->bytes);
        last = fmax(last, start + one_way);
        start += p.synchronous ? one_way : fmax(p.send, p.out);
    }
    return last;
}

/* Messages that share a link end fairly arrive together, and are received only then. */
double cpm_lmo2_linear_gather(const cpm_model *m, const cpm_formula_call *c)
{
    double processor = 0, first = INFINITY, behind = 0, shared = 0;
    for (int x = 1; x < m->n; x++) {
        int from = cpm_linear_child(c->root, x);
        parts p = parts_of(m, from, c->root, c->bytes);
        double one_way = cpm_model_p2p(m, from, c->root, c->bytes);
        processor =
            p.synchronous ? processor + one_way : fmax(processor, one_way - p.recv) + p.recv;
        first = fmin(first, one_way);
        behind += x > 1 && !p.synchronous ? p.recv + p.in : 0;
        shared = fmax(shared, p.synchronous ? 0 : p.in);
    }
    return shared > 0 ? fmax(processor, first + behind) : processor;
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
        parts p = parts_of(b->m, from, to, bytes);
        start = p.synchronous ? arrived : start + fmax(p.send, p.out);
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
        parts p = parts_of(b->m, from, to, bytes);
        now = p.synchronous ? fmax(now, ready) + one_way
                            : fmax(now, ready + one_way - p.recv) + p.recv;
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
    [CPM_LMO2_INSIDE_CS] = {"Cs_in", CPM_PROCESS, false, false, "s", "send overhead inside a host",
                            true, CPM_INSIDE},
    [CPM_LMO2_INSIDE_TS] = {"ts_in", CPM_PROCESS, false, false, "s/B", "the same per byte", true,
                            CPM_INSIDE},
    [CPM_LMO2_INSIDE_CR] = {"Cr_in", CPM_PROCESS, false, false, "s", "receive overhead inside a host",
                            true, CPM_INSIDE},
    [CPM_LMO2_INSIDE_TR] = {"tr_in", CPM_PROCESS, false, false, "s/B", "the same per byte", true,
                            CPM_INSIDE},
    [CPM_LMO2_INSIDE_CN] = {"Cn_in", CPM_PROCESS, true, false, "s",
                            "overhead of a synchronous send inside a host that does not block", true,
                            CPM_INSIDE},
    [CPM_LMO2_INSIDE_TN] = {"tn_in", CPM_PROCESS, true, false, "s/B", "the same per byte", true,
                            CPM_INSIDE},
    [CPM_LMO2_INSIDE_L] = {"L_in", CPM_PROCESS, false, false, "s", "latency inside a host", true,
                           CPM_INSIDE},
    [CPM_LMO2_INSIDE_INVBETA] = {"invbeta_in", CPM_PROCESS, false, false, "s/B",
                                 "time per byte of a message alone inside a host", true, CPM_INSIDE},
    [CPM_LMO2_MEMORY] = {"G_in", CPM_PROCESS, true, false, "s/B",
                         "time per byte of a host's memory, if its messages share it", false, CPM_INSIDE},
    [CPM_LMO2_INSIDE_RENDEZVOUS] = {"rendezvous_in", CPM_SCALAR, true, false, "B",
                                    "from this size on a send inside a host waits for its receiver",
                                    false, CPM_INSIDE},
    [CPM_LMO2_UP] = {"Gu", CPM_SWITCH, true, false, "s/B",
                     "time per byte of a switch's trunk to the others, if messages share it", false},
    [CPM_LMO2_DOWN] = {"Gd", CPM_SWITCH, true, false, "s/B",
                       "time per byte of a switch's trunk from the others, if messages share it",
                       false},
    [CPM_LMO2_LINK] = {"Gl", CPM_INNER_LINK, true, false, "s/B",
                       "time per byte of a link inside the network, if messages share it", false},
    [CPM_LMO2_ACROSS_CS] = {"Cs_across", CPM_PROCESS, false, false, "s",
                            "send overhead between sockets of a host", true, CPM_ACROSS},
    [CPM_LMO2_ACROSS_TS] = {"ts_across", CPM_PROCESS, false, false, "s/B", "the same per byte", true,
                            CPM_ACROSS},
    [CPM_LMO2_ACROSS_CR] = {"Cr_across", CPM_PROCESS, false, false, "s",
                            "receive overhead between sockets of a host", true, CPM_ACROSS},
    [CPM_LMO2_ACROSS_TR] = {"tr_across", CPM_PROCESS, false, false, "s/B", "the same per byte", true,
                            CPM_ACROSS},
    [CPM_LMO2_ACROSS_CN] = {"Cn_across", CPM_PROCESS, true, false, "s",
                            "overhead of a synchronous send between sockets that does not block",
                            true, CPM_ACROSS},
    [CPM_LMO2_ACROSS_TN] = {"tn_across", CPM_PROCESS, true, false, "s/B", "the same per byte", true,
                            CPM_ACROSS},
    [CPM_LMO2_ACROSS_L] = {"L_across", CPM_PROCESS, false, false, "s",
                           "latency between sockets of a host", true, CPM_ACROSS},
    [CPM_LMO2_ACROSS_INVBETA] = {"invbeta_across", CPM_PROCESS, false, false, "s/B",
                                 "time per byte of a message alone between sockets", true,
                                 CPM_ACROSS},
    [CPM_LMO2_SOCKETS] = {"G_across", CPM_PROCESS, true, false, "s/B",
                          "time per byte of the link of a host's sockets, if messages share it",
                          false, CPM_ACROSS},
    [CPM_LMO2_ACROSS_RENDEZVOUS] = {"rendezvous_across", CPM_SCALAR, true, false, "B",
                                    "from this size on a send between sockets waits for its "
                                    "receiver", false, CPM_ACROSS},
    [CPM_LMO2_FETCHED] = {"fetched_in", CPM_SCALAR, true, false, "B",
                          "from this size on the receiver's processor moves the bytes inside a host",
                          false, CPM_INSIDE},
    [CPM_LMO2_FETCHING] = {"Gf_in", CPM_PROCESS, true, false, "s/B",
                           "time per byte of memory, if messages that are fetched share it", false,
                           CPM_INSIDE},
    [CPM_LMO2_SOURCE] = {"Gs_in", CPM_PROCESS, true, false, "s/B",
                         "time per byte of a process's memory, if several fetch from it at once",
                         false, CPM_INSIDE},
    [CPM_LMO2_COPYING] = {"Gx_in", CPM_PROCESS, true, false, "s/B",
                          "time per byte of what a process fetches and what others fetch from it at "
                          "once, together", false, CPM_INSIDE},
    [CPM_LMO2_UNCHANGED] = {"tu_in", CPM_PROCESS, true, false, "s/B",
                            "time per byte less of what is sent again", false, CPM_INSIDE},
    [CPM_LMO2_OVERWRITING] = {"tw_in", CPM_PROCESS, true, false, "s/B",
                              "time per byte more where others have read", false, CPM_INSIDE},
    [CPM_LMO2_OC] = {"Oc", CPM_PROCESS, true, false, "s", "overhead of combining bytes",
                     .level = CPM_LOCAL},
    [CPM_LMO2_CB] = {"cb", CPM_PROCESS, true, false, "s/B", "the same per byte", .level = CPM_LOCAL},
    [CPM_LMO2_OM] = {"Om", CPM_PROCESS, true, false, "s",
                     "overhead of copying inside a process", .level = CPM_LOCAL},
    [CPM_LMO2_CM] = {"cm", CPM_PROCESS, true, false, "s/B", "the same per byte", .level = CPM_LOCAL},
    [CPM_LMO2_FLOATS_OC] = {"Oc_floats", CPM_PROCESS, true, false, "s",
                            "overhead of combining floats", .level = CPM_LOCAL},
    [CPM_LMO2_FLOATS_CB] = {"cb_floats", CPM_PROCESS, true, false, "s/B", "the same per byte",
                            .level = CPM_LOCAL},
    [CPM_LMO2_DOUBLES_OC] = {"Oc_doubles", CPM_PROCESS, true, false, "s",
                             "overhead of combining doubles", .level = CPM_LOCAL},
    [CPM_LMO2_DOUBLES_CB] = {"cb_doubles", CPM_PROCESS, true, false, "s/B", "the same per byte",
                             .level = CPM_LOCAL},
    [CPM_LMO2_CF] = {"cf", CPM_PROCESS, true, false, "s/B",
                     "time per byte of memory asked for anew", .level = CPM_LOCAL},
};

/* Memory is seen from all processes of a host at once, the slowest of which tell. */
static const int of_processors[] = {
    CPM_LMO2_CS, CPM_LMO2_TS, CPM_LMO2_CR, CPM_LMO2_TR, CPM_LMO2_CN, CPM_LMO2_TN, CPM_LMO2_INSIDE_CS,
    CPM_LMO2_INSIDE_TS, CPM_LMO2_INSIDE_CR, CPM_LMO2_INSIDE_TR, CPM_LMO2_INSIDE_CN, CPM_LMO2_INSIDE_TN,
    CPM_LMO2_MEMORY, CPM_LMO2_FETCHING, CPM_LMO2_ACROSS_CS, CPM_LMO2_ACROSS_TS, CPM_LMO2_ACROSS_CR, CPM_LMO2_ACROSS_TR,
    CPM_LMO2_ACROSS_CN, CPM_LMO2_ACROSS_TN, CPM_LMO2_SOCKETS, -1};

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
    .min_processes = 2,
    .parameters = parameters,
    .of_processors = of_processors,
    .count = sizeof parameters / sizeof parameters[0],
    .formulas = formulas,
    .cost = lmo2_cost,
    .flow = lmo2_flow,
    .combine = lmo2_combine,
    .copy = lmo2_copy,
    .fresh = lmo2_fresh,
    .copies = lmo2_copies,
    .flows = lmo2_flows,
    .stand_for = lmo2_stand_for,
    .draw = lmo2_draw,
    .half = lmo2_half,
};
