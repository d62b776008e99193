#include "estimators/lmo2_trunks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "estimators/lmo2.h"
#include "models/experiments.h"
#include "models/lmo2.h"

/* ---- who meets whom */

/* Processes by switch, and who contends: those of one switch and their partners at the others. */
typedef struct {
    const cpm_hosts *on;
    int *rank_of, *first; /* as cpm_hosts_sort gives them */
    int *partner;         /* [pairs] */
    bool *taken;          /* [n] while partners are chosen */
    int of, pairs;
    bool down;   /* messages come from the others */
    int dealing; /* how partners are dealt */
} contention;

/* Where a switch has several links and static routes, partners may meet on one of them. So each
 * contention is made with partners dealt in several ways, and a trunk is no slower than in the
 * fastest: in turn from the other switches, the same with a next place at each; all from the next
 * switch, or from the one behind it. */
enum { IN_TURN, ASKEW, FROM_NEXT, FROM_BEHIND, DEALINGS };

static int open_contention(const cpm_hosts *on, contention *out, cpm_error *e)
{
    *out = (contention){.on = on,
                        .rank_of = malloc((size_t)on->n * sizeof *out->rank_of),
                        .first = malloc(((size_t)on->count + 1) * sizeof *out->first),
                        .partner = malloc((size_t)on->n * sizeof *out->partner),
                        .taken = malloc((size_t)on->n * sizeof *out->taken)};
    if (!out->rank_of || !out->first || !out->partner || !out->taken)
        return cpm_no_memory(e);
    cpm_hosts_sort(on, out->rank_of, out->first);
    return CPM_OK;
}

static void close_contention(contention *c)
{
    free(c->rank_of);
    free(c->first);
    free(c->partner);
    free(c->taken);
}

static int members(const contention *c, int u)
{
    return c->first[u + 1] - c->first[u];
}

/* The member of switch v that is dealt as the q-th of all, from the d-th switch behind the one at
 * hand; one that is not there, or dealt already, is -1. */
static int dealt(const contention *c, int v, int d, int q)
{
    int others = c->on->count - 1, place = q / others;
    if (c->dealing == ASKEW)
        place = q % members(c, v);
    else if (c->dealing != IN_TURN)
        place = d == (c->dealing == FROM_NEXT ? 1 : others) ? place : -1;
    int process = place < 0 || place >= members(c, v) ? -1 : c->rank_of[c->first[v] + place];
    return process < 0 || c->taken[process] ? -1 : process;
}

static void gather_contention(contention *c, int u, bool down, int dealing)
{
    int switches = c->on->count, most = members(c, u), found = 0;
    c->of = u;
    c->down = down;
    c->dealing = dealing;
    c->pairs = most < c->on->n - most ? most : c->on->n - most;
    memset(c->taken, 0, (size_t)c->on->n * sizeof *c->taken);
    for (int q = 0; found < c->pairs && q < c->on->n * (switches - 1); q++) {
        int d = 1 + q % (switches - 1), process = dealt(c, (u + d) % switches, d, q);
        if (process >= 0) {
            c->taken[process] = true;
            c->partner[found++] = process;
        }
    }
    c->pairs = found;
}

/* So many bytes at least fill the trunk for much longer than the first message of a process takes
 * to reach it. */
enum { BURST = 1 << 20, FEWEST = 4 };

/* Pair q. other: each with the next one's partner. */
static cpm_experiment pair_of(const contention *c, int q, bool other, size_t bytes)
{
    int process = c->rank_of[c->first[c->of] + q], partner = c->partner[(q + other) % c->pairs];
    size_t way = 2 * (size_t)c->dealing + c->down; /* by which it is known */
    cpm_experiment x = cpm_experiment_pair(CPM_CROWDED_BURST, c->down ? partner : process,
                                           c->down ? process : partner, bytes, way);
    x.count = bytes < BURST / FEWEST ? (int)(BURST / bytes) : FEWEST;
    return x;
}

static int measured_pairs(const contention *c, bool other, size_t bytes, const cpm_measurements *m)
{
    int count = 0;
    for (int q = 0; q < c->pairs; q++) {
        cpm_experiment x = pair_of(c, q, other, bytes);
        count += cpm_measurements_find(m, &x) >= 0;
    }
    return count;
}

/* What goes down from one of two switches went up to the other. */
static int directions(const cpm_hosts *on)
{
    return on->count > 2 ? 2 : 1;
}

/* From one other switch its members come in turn in any case. */
static int dealings(const cpm_hosts *on)
{
    return on->count > 2 ? DEALINGS : IN_TURN + 1;
}

/* ---- planning */

static int add_contention(const contention *c, size_t bytes, const cpm_measurements *so_far,
                          cpm_design *next, cpm_error *e)
{
    int status = CPM_OK, straight = measured_pairs(c, false, bytes, so_far);
    if (c->pairs < 2 || bytes < CPM_LMO2_LEAST_SHARED || straight == c->pairs ||
        measured_pairs(c, true, bytes, so_far) == c->pairs)
        return CPM_OK;
    for (int q = 0; q < c->pairs && !status; q++) {
        cpm_experiment x = pair_of(c, q, straight > 0, bytes);
        status = cpm_design_add(next, &x, e);
    }
    return status ? status : cpm_design_close_round(next, e);
}

int cpm_lmo2_trunks_plan(const cpm_hosts *on, size_t bytes, const cpm_measurements *so_far,
                         cpm_design *next, cpm_error *e)
{
    contention c;
    int status = open_contention(on, &c, e);
    for (int dealing = 0; dealing < dealings(on); dealing++)
        for (int u = 0; u < on->count; u++)
            for (int down = 0; down < directions(on) && !status; down++) {
                gather_contention(&c, u, down, dealing);
                status = add_contention(&c, bytes, so_far, next, e);
            }
    close_contention(&c);
    return status;
}

/* ---- fitting */

/* Contention that was measured. */
typedef struct {
    int of;
    bool down, other;
    int dealing, pairs;
    double slowest, mean, half; /* seconds; of its pairs' mean */
} met;

typedef struct {
    const cpm_hosts *on;
    const cpm_measurements *measured;
    size_t bytes;
    cpm_model *m;
    contention contention;
    cpm_experiment *pair;
    double *seconds; /* [pairs] */
    cpm_error *e;
} fitting;

/* Two means that differ by less than this share and the measurement's interval are the same: a
 * burst fills the link ends of its own hosts, too, which are not known better. */
static const double same = 0.05;

/* Of the contention at hand; false: it was not measured. */
static bool take_contention(fitting *f, met *out)
{
    const contention *c = &f->contention;
    *out = (met){.of = c->of, .down = c->down, .dealing = c->dealing, .pairs = c->pairs};
    out->other = measured_pairs(c, false, f->bytes, f->measured) < c->pairs;
    if (c->pairs < 2 || measured_pairs(c, out->other, f->bytes, f->measured) < c->pairs)
        return false;
    for (int q = 0; q < c->pairs; q++) {
        cpm_experiment x = pair_of(c, q, out->other, f->bytes);
        const cpm_measurement *r = &f->measured->at[cpm_measurements_find(f->measured, &x)];
        double seconds = cpm_measurement_value(r, f->measured->statistic);
        out->slowest = fmax(out->slowest, seconds);
        out->mean += seconds / c->pairs;
        out->half = hypot(out->half, cpm_measurement_half(r, f->measured->statistic) / c->pairs);
    }
    return out->mean > 0;
}

/* Per pair: a switch may have found fewer partners in one way than in another. */
static int by_speed(const void *a, const void *b)
{
    const met *x = a, *y = b;
    double one = x->mean / x->pairs, other = y->mean / y->pairs;
    return one != other ? (one > other) - (one < other) : x->dealing - y->dealing;
}

/* In all ways that were measured, the fastest first. Returns how many. */
static int take_ways(fitting *f, int u, bool down, met *way)
{
    int count = 0;
    for (int dealing = 0; dealing < dealings(f->on); dealing++) {
        gather_contention(&f->contention, u, down, dealing);
        count += take_contention(f, &way[count]);
    }
    qsort(way, (size_t)count, sizeof *way, by_speed);
    return count;
}

static int parameter_of(const met *t)
{
    return t->down ? CPM_LMO2_DOWN : CPM_LMO2_UP;
}

static void set_pairs(fitting *f, const met *t)
{
    gather_contention(&f->contention, t->of, t->down, t->dealing);
    for (int q = 0; q < f->contention.pairs; q++)
        f->pair[q] = pair_of(&f->contention, q, t->other, f->bytes);
}

/* By how much the pairs are above the model's on average if the trunk takes so long per byte, as a
 * share of what is tolerated. */
static int misses(fitting *f, const met *t, double seconds_per_byte, double *off)
{
    double sum = 0;
    f->m->value[parameter_of(t)][t->of] = seconds_per_byte;
    set_pairs(f, t);
    int status = cpm_model_experiments(f->m, f->pair, t->pairs, f->seconds, f->e);
    for (int q = 0; q < t->pairs && !status; q++)
        sum += f->seconds[q];
    *off = (t->mean - sum / t->pairs) / (same * t->mean + t->half);
    return status;
}

/* The capacity with which the model gives the measured time. */
static int invert(fitting *f, const met *t)
{
    enum { HALVINGS = 40 };
    double low = 0, off;
    set_pairs(f, t);
    double high =
        t->slowest / (double)f->bytes / f->pair[0].count; /* one pair alone takes longer */
    int status = CPM_OK;
    for (int step = 0; step < HALVINGS && !status; step++) {
        double middle = (low + high) / 2;
        status = misses(f, t, middle, &off);
        *(off > 0 ? &low : &high) = middle;
    }
    f->m->value[parameter_of(t)][t->of] = (low + high) / 2;
    f->m->ci[parameter_of(t)][t->of] = (low + high) / 2 * t->half / t->mean;
    return status;
}

/* Whether ways that were faster would then be slower than they were. */
static int contradict(fitting *f, const met *faster, int count, double seconds_per_byte, bool *out)
{
    int status = CPM_OK;
    *out = false;
    for (int q = 0; q < count && !status; q++) {
        double off;
        status = misses(f, &faster[q], seconds_per_byte, &off);
        *out = *out || off < -1;
    }
    return status;
}

/* Trunks that are slower are known already: what these do not explain is this one's, unless its
 * messages were faster in another way. */
static int fit_trunk(fitting *f, const met *t)
{
    met way[DEALINGS];
    int count = take_ways(f, t->of, t->down, way), q = 0, p = parameter_of(t);
    double apart = 0;
    bool contradicted = false;
    int status = misses(f, &way[q], NAN, &apart);
    while (!status && apart <= 1 && ++q < count)
        status = misses(f, &way[q], NAN, &apart);
    if (status || apart <= 1)
        return status;
    status = invert(f, &way[q]);
    double found = f->m->value[p][t->of];
    if (!status)
        status = contradict(f, way, q, found, &contradicted);
    f->m->value[p][t->of] = contradicted ? NAN : found;
    f->m->ci[p][t->of] = contradicted ? NAN : f->m->ci[p][t->of];
    return status;
}

/* Whose messages took longest met the slowest trunk, which is that of no others: there fewer
 * would have met at it. */
static int by_slowness(const void *a, const void *b)
{
    const met *x = a, *y = b;
    return (x->slowest < y->slowest) - (x->slowest > y->slowest);
}

int cpm_lmo2_trunks_note(cpm_model *m, cpm_error *e)
{
    int up = 0, down = 0, count = m->switches.count;
    for (int u = 0; u < count; u++) {
        up += !isnan(m->value[CPM_LMO2_UP][u]);
        down += !isnan(m->value[CPM_LMO2_DOWN][u]);
    }
    return cpm_note(
        &m->notes, e, "switches: messages share the trunks up of %d and down of %d of %d%s", up,
        down, count, count == 2 && up ? "; which of the two is the slower cannot be told" : "");
}

static int fit_trunks(fitting *f, met *t)
{
    met way[DEALINGS];
    int known = 0, status = CPM_OK;
    for (int u = 0; u < f->on->count; u++)
        for (int p = CPM_LMO2_UP; p <= CPM_LMO2_DOWN; p++)
            f->m->value[p][u] = f->m->ci[p][u] = NAN;
    for (int u = 0; u < f->on->count; u++)
        for (int down = 0; down < directions(f->on); down++)
            if (take_ways(f, u, down, way) > 0)
                t[known++] = way[0];
    qsort(t, (size_t)known, sizeof *t, by_slowness);
    for (int q = 0; q < known && !status; q++)
        status = fit_trunk(f, &t[q]);
    for (int u = 0; u < 2 && f->on->count == 2; u++) {
        f->m->value[CPM_LMO2_DOWN][1 - u] = f->m->value[CPM_LMO2_UP][u];
        f->m->ci[CPM_LMO2_DOWN][1 - u] = f->m->ci[CPM_LMO2_UP][u];
    }
    return status;
}

int cpm_lmo2_trunks_fit(const cpm_hosts *on, size_t bytes, const cpm_measurements *measured,
                        cpm_model *m, cpm_error *e)
{
    size_t n = (size_t)on->n;
    fitting f = {.on = on, .measured = measured, .bytes = bytes, .m = m, .e = e};
    met *t = malloc(2 * (size_t)on->count * sizeof *t);
    f.pair = malloc(n * sizeof *f.pair);
    f.seconds = malloc(n * sizeof *f.seconds);
    int status = open_contention(on, &f.contention, e);
    if (!status)
        status = t && f.pair && f.seconds ? fit_trunks(&f, t) : cpm_no_memory(e);
    close_contention(&f.contention);
    free(f.seconds);
    free(f.pair);
    free(t);
    return status;
}

/* ---- rounds in which messages do not meet at a trunk, or on a link */

/* Rounds that are filled. */
typedef struct {
    const cpm_lmo2_inside *inside;
    int n;
    size_t wide; /* who has something to do: processes, trunks up, trunks down, links */
    char *busy;  /* [rounds][wide] */
    int *round;  /* [experiments] */
    int *taken;  /* by an experiment */
    int64_t room, taken_room;
    int rounds;
} filling;

static int switches_of(const cpm_lmo2_inside *inside)
{
    return inside->switches ? inside->switches->count : 0;
}

/* What an experiment takes, one after the other. There is room for processes. */
static bool take(filling *f, int *count, int what)
{
    bool room = cpm_vector_reserve(&f->taken, &f->taken_room, *count + 1, sizeof *f->taken);
    if (room)
        f->taken[(*count)++] = what;
    return room;
}

static bool take_trunks(filling *f, int from, int to, int *count)
{
    const cpm_hosts *on = f->inside->switches;
    return !on || on->of[from] == on->of[to] ||
           (take(f, count, f->n + on->of[from]) && take(f, count, f->n + on->count + on->of[to]));
}

static bool take_links(filling *f, int from, int to, int *count)
{
    const cpm_links *l = f->inside->links;
    const cpm_hosts *hosts = f->inside->hosts;
    int links, first = f->n + 2 * switches_of(f->inside);
    if (!l)
        return true;
    const int *way =
        cpm_links_way(l, hosts ? hosts->of[from] : from, hosts ? hosts->of[to] : to, &links);
    bool good = true;
    for (int u = 0; u < links && good; u++)
        good = take(f, count, first + way[u]);
    return good;
}

static bool take_way(filling *f, int from, int to, size_t bytes, int *count)
{
    return bytes < CPM_LMO2_LEAST_SHARED ||
           (take_trunks(f, from, to, count) && take_links(f, from, to, count));
}

/* What the experiment takes of a round: processes, and trunks and links for its long messages. */
static bool takes(filling *f, const cpm_experiment *x, int *count)
{
    int who[3], processes = cpm_experiment_ranks(x, f->n, who);
    bool good = true;
    *count = 0;
    for (int r = 0; r < processes && good; r++)
        good = take(f, count, who[r]);
    for (int r = 1; r < processes && good; r++)
        good = take_way(f, who[0], who[r], x->send_bytes, count) &&
               take_way(f, who[r], who[0], x->reply_bytes, count);
    return good;
}

static bool fits(const char *busy, const int *taken, int count)
{
    for (int q = 0; q < count; q++)
        if (busy[taken[q]])
            return false;
    return true;
}

/* The first round that has room for it. */
static int find_round(filling *f, const cpm_experiment *x, int *round, cpm_error *e)
{
    int count, r = 0;
    size_t wide = f->wide;
    if (!takes(f, x, &count))
        return cpm_no_memory(e);
    while (r < f->rounds && !fits(f->busy + (size_t)r * wide, f->taken, count))
        r++;
    if (!cpm_vector_reserve(&f->busy, &f->room, (int64_t)(((size_t)r + 1) * wide), 1))
        return cpm_no_memory(e);
    if (r == f->rounds)
        memset(f->busy + (size_t)f->rounds++ * wide, 0, wide);
    for (int q = 0; q < count; q++)
        f->busy[(size_t)r * wide + (size_t)f->taken[q]] = 1;
    *round = r;
    return CPM_OK;
}

/* As cpm_hosts_sort does with processes and hosts. */
static int put_rounds(const filling *f, const cpm_experiment *x, int count, cpm_design *next,
                      cpm_error *e)
{
    const cpm_hosts rounds = {.n = count, .count = f->rounds, .of = f->round};
    int *order = malloc((size_t)count * sizeof *order), status = CPM_OK;
    int *first = malloc(((size_t)f->rounds + 1) * sizeof *first);
    if (!order || !first)
        status = cpm_no_memory(e);
    else
        cpm_hosts_sort(&rounds, order, first);
    for (int r = 0; r < f->rounds && !status; r++) {
        for (int q = first[r]; q < first[r + 1] && !status; q++)
            status = cpm_design_add(next, &x[order[q]], e);
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    free(order);
    free(first);
    return status;
}

/* Of the processes that experiments name. */
static int processes_of(const cpm_lmo2_inside *inside)
{
    return inside->switches ? inside->switches->n
           : inside->hosts  ? inside->hosts->n
                            : inside->links->hosts;
}

/* Experiments that are of one kind and size, all in new rounds. */
static int spare(const cpm_lmo2_inside *inside, const cpm_experiment *x, int count,
                 cpm_design *next, cpm_error *e)
{
    filling f = {.inside = inside,
                 .n = processes_of(inside),
                 .round = malloc((size_t)count * sizeof *f.round)};
    f.wide = (size_t)f.n + 2 * (size_t)switches_of(inside) +
             (size_t)(inside->links ? inside->links->count : 0);
    int status = f.round ? CPM_OK : cpm_no_memory(e);
    for (int q = 0; q < count && !status; q++)
        status = find_round(&f, &x[q], &f.round[q], e);
    if (!status)
        status = put_rounds(&f, x, count, next, e);
    free(f.round);
    free(f.taken);
    free(f.busy);
    return status;
}

/* Whether it may be in a round with others that it does not meet. */
static bool is_free(const cpm_experiment *x)
{
    return x->kind && !x->kind->contended && !(x->kind->processes == 2 && x->count == CPM_ALONE);
}

static bool is_alike(const cpm_experiment *a, const cpm_experiment *b)
{
    return is_free(a) && is_free(b) && a->kind == b->kind && a->send_bytes == b->send_bytes &&
           a->reply_bytes == b->reply_bytes;
}

static int copy_round(const cpm_experiment *x, int count, cpm_design *next, cpm_error *e)
{
    int status = CPM_OK;
    for (int q = 0; q < count && !status; q++)
        status = cpm_design_add(next, &x[q], e);
    return status ? status : cpm_design_close_round(next, e);
}

/* Rounds whose experiments are all alike are filled anew together. */
int cpm_lmo2_trunks_spare(const cpm_lmo2_inside *inside, const cpm_design *from, cpm_design *next,
                          cpm_error *e)
{
    int status = CPM_OK;
    for (int r = 0, begin = 0; r < from->rounds && !status;) {
        const cpm_experiment *x = &from->at[begin];
        int end = from->end[r++];
        while (r < from->rounds && is_alike(x, &from->at[from->end[r] - 1]))
            end = from->end[r++];
        status = is_free(x) ? spare(inside, x, end - begin, next, e)
                            : copy_round(x, end - begin, next, e);
        begin = end;
    }
    return status;
}
