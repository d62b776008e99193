#include "estimators/lmo2_trunks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimators/lmo2.h"
#include "estimators/lmo2_bursts.h"
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

/* Pair q. other: each with the next one's partner. */
static cpm_experiment pair_of(const contention *c, int q, bool other, size_t bytes)
{
    int process = c->rank_of[c->first[c->of] + q], partner = c->partner[(q + other) % c->pairs];
    size_t way = 2 * (size_t)c->dealing + c->down; /* by which it is known */
    return cpm_lmo2_burst_pair(c->down ? partner : process, c->down ? process : partner, bytes,
                               way);
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
    double slowest, each; /* seconds; of its pairs' mean, per pair */
} met;

typedef struct {
    const cpm_hosts *on;
    size_t bytes;
    contention contention;
    cpm_lmo2_burst took;
    cpm_error *e;
} fitting;

/* False: it was not measured. */
static bool take_dealing(fitting *f, const met *t, bool other)
{
    gather_contention(&f->contention, t->of, t->down, t->dealing);
    f->took.pairs = f->contention.pairs;
    for (int q = 0; q < f->contention.pairs; q++)
        f->took.pair[q] = pair_of(&f->contention, q, other, f->bytes);
    return cpm_lmo2_burst_take(&f->took);
}

/* Of a campaign that was stopped amid a round pairs are others. */
static bool take_contention(fitting *f, int u, bool down, int dealing, met *out)
{
    *out = (met){.of = u, .down = down, .dealing = dealing};
    out->other = !take_dealing(f, out, false);
    if (out->other && !take_dealing(f, out, true))
        return false;
    out->pairs = f->took.pairs;
    out->slowest = f->took.slowest;
    out->each = f->took.time / f->took.pairs;
    return true;
}

/* Per pair: a switch may have found fewer partners in one way than in another. */
static int by_speed(const void *a, const void *b)
{
    const met *x = a, *y = b;
    return x->each != y->each ? (x->each > y->each) - (x->each < y->each) : x->dealing - y->dealing;
}

/* In all ways that were measured, the fastest first. Returns how many. */
static int take_ways(fitting *f, int u, bool down, met *way)
{
    int count = 0;
    for (int dealing = 0; dealing < dealings(f->on); dealing++)
        count += take_contention(f, u, down, dealing, &way[count]);
    qsort(way, (size_t)count, sizeof *way, by_speed);
    return count;
}

/* By more than this share. */
static const double different = 0.2;

static bool differ_in(fitting *f, int u, bool down)
{
    met way[DEALINGS];
    int count = take_ways(f, u, down, way);
    for (int q = 1; q < count; q++)
        if (way[q].pairs == way[0].pairs && way[q].each > (1 + different) * way[0].each)
            return true;
    return false;
}

static int open_fitting(const cpm_hosts *on, fitting *f)
{
    f->on = on;
    int status = open_contention(on, &f->contention, f->e);
    return status ? status : cpm_lmo2_burst_open(&f->took, on->n, f->e);
}

static void close_fitting(fitting *f)
{
    close_contention(&f->contention);
    cpm_lmo2_burst_close(&f->took);
}

int cpm_lmo2_trunks_differ(const cpm_hosts *on, size_t bytes, const cpm_measurements *measured,
                           bool *differ, cpm_error *e)
{
    fitting f = {.bytes = bytes, .took = {.measured = measured}, .e = e};
    int status = open_fitting(on, &f);
    *differ = false;
    for (int u = 0; u < on->count && !status; u++)
        for (int down = 0; down < directions(on); down++)
            *differ = *differ || differ_in(&f, u, down);
    close_fitting(&f);
    return status;
}

/* Adds those of a switch. */
static int unexplained(fitting *f, int u, bool down, int *pairs)
{
    met way[DEALINGS];
    int count = take_ways(f, u, down, way), explained, status = CPM_OK;
    for (int q = 0; q < count && !status; q++) {
        take_dealing(f, &way[q], way[q].other);
        status = cpm_lmo2_burst_explained(&f->took, &explained, f->e);
        *pairs += status ? 0 : f->took.pairs - explained;
    }
    return status;
}

int cpm_lmo2_trunks_unexplained(const cpm_hosts *on, size_t bytes, const cpm_measurements *measured,
                                cpm_model *m, int *pairs, cpm_error *e)
{
    fitting f = {.bytes = bytes, .took = {.measured = measured, .m = m}, .e = e};
    int status = open_fitting(on, &f);
    *pairs = 0;
    for (int u = 0; u < on->count && !status; u++)
        for (int down = 0; down < directions(on) && !status; down++)
            status = unexplained(&f, u, down, pairs);
    close_fitting(&f);
    return status;
}

/* The places of a trunk's capacity and of half its interval. */
static double *capacity_of(const fitting *f, const met *t, double **half)
{
    int p = t->down ? CPM_LMO2_DOWN : CPM_LMO2_UP;
    *half = &f->took.m->ci[p][t->of];
    return &f->took.m->value[p][t->of];
}

static int misses(fitting *f, const met *t, double seconds_per_byte, double *off)
{
    double *half, *capacity = capacity_of(f, t, &half);
    take_dealing(f, t, t->other);
    return cpm_lmo2_burst_misses(&f->took, capacity, seconds_per_byte, off, f->e);
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
    int count = take_ways(f, t->of, t->down, way), q = 0;
    double apart = 0, *half, *capacity = capacity_of(f, t, &half);
    bool contradicted = false;
    int status = misses(f, &way[q], NAN, &apart);
    while (!status && apart <= 1 && ++q < count)
        status = misses(f, &way[q], NAN, &apart);
    if (status || apart <= 1)
        return status;
    status = cpm_lmo2_burst_invert(&f->took, capacity, half, f->e);
    double found = *capacity;
    if (!status)
        status = contradict(f, way, q, found, &contradicted);
    *capacity = contradicted ? NAN : found;
    *half = contradicted ? NAN : *half;
    return status;
}

/* Whose messages took longest met the slowest trunk, which is that of no others: there fewer
 * would have met at it. */
static int by_slowness(const void *a, const void *b)
{
    const met *x = a, *y = b;
    return (x->slowest < y->slowest) - (x->slowest > y->slowest);
}

/* Trunks, up and down, on which pairs can meet, and those on which they were measured. */
static void count_trunks(fitting *f, int *all, int *measured)
{
    met way[DEALINGS];
    *all = *measured = 0;
    for (int u = 0; u < f->on->count; u++)
        for (int down = 0; down < directions(f->on); down++) {
            gather_contention(&f->contention, u, down, IN_TURN);
            *all += f->contention.pairs >= 2;
            *measured += take_ways(f, u, down, way) > 0;
        }
}

static int note_trunks(cpm_model *m, int all, int measured, cpm_error *e)
{
    int up = 0, down = 0, count = m->switches.count;
    char some[60] = "";
    if (!measured)
        return cpm_note(&m->notes, e, "switches: whether messages share trunks was not measured");
    for (int u = 0; u < count; u++) {
        up += !isnan(m->value[CPM_LMO2_UP][u]);
        down += !isnan(m->value[CPM_LMO2_DOWN][u]);
    }
    if (measured < all)
        snprintf(some, sizeof some, "; %d of %d trunks were measured", measured, all);
    return cpm_note(&m->notes, e,
                    "switches: messages share the trunks up of %d and down of %d of %d%s%s", up,
                    down, count, some,
                    count == 2 && up ? "; which of the two is the slower cannot be told" : "");
}

int cpm_lmo2_trunks_note(const cpm_hosts *on, size_t bytes, const cpm_measurements *measured,
                         cpm_model *m, cpm_error *e)
{
    fitting f = {.bytes = bytes, .took = {.measured = measured, .m = m}, .e = e};
    int all = 0, seen = 0, status = open_fitting(on, &f);
    if (!status)
        count_trunks(&f, &all, &seen);
    close_fitting(&f);
    return status ? status : note_trunks(m, all, seen, e);
}

static int fit_trunks(fitting *f, met *t)
{
    met way[DEALINGS];
    int known = 0, status = CPM_OK;
    for (int u = 0; u < f->on->count; u++)
        for (int p = CPM_LMO2_UP; p <= CPM_LMO2_DOWN; p++)
            f->took.m->value[p][u] = f->took.m->ci[p][u] = NAN;
    for (int u = 0; u < f->on->count; u++)
        for (int down = 0; down < directions(f->on); down++)
            if (take_ways(f, u, down, way) > 0)
                t[known++] = way[0];
    qsort(t, (size_t)known, sizeof *t, by_slowness);
    for (int q = 0; q < known && !status; q++)
        status = fit_trunk(f, &t[q]);
    cpm_model *m = f->took.m;
    for (int u = 0; u < 2 && f->on->count == 2; u++) {
        m->value[CPM_LMO2_DOWN][1 - u] = m->value[CPM_LMO2_UP][u];
        m->ci[CPM_LMO2_DOWN][1 - u] = m->ci[CPM_LMO2_UP][u];
    }
    return status;
}

int cpm_lmo2_trunks_fit(const cpm_hosts *on, size_t bytes, const cpm_measurements *measured,
                        cpm_model *m, cpm_error *e)
{
    fitting f = {.bytes = bytes, .took = {.measured = measured, .m = m}, .e = e};
    met *t = malloc(2 * (size_t)on->count * sizeof *t);
    int status = open_fitting(on, &f);
    if (!status)
        status = t ? fit_trunks(&f, t) : cpm_no_memory(e);
    close_fitting(&f);
    free(t);
    return status;
}
