#include "estimators/lmo2_imported.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "estimators/line.h"
#include "models/lmo2.h"

enum { MOST_REGIMES = 4, MOST_POINTS = 240, SHORT = 256, LONG = 4096 };

/* Half a round trip, and whose. */
typedef struct {
    int i, j; /* i < j */
    double bytes, seconds, half;
} point;

typedef struct {
    const cpm_measurements *m;
    point *at; /* [count] by pair and size */
    int count;
    double *x, *y; /* [points] the curve of the median pair */
    int points;
    int first[MOST_REGIMES], regimes; /* indices into x and y */
    double *work, *scale, *half;      /* [count + measurements] */
    double send, recv;                /* overheads of short messages */
    double slope[2];                  /* per byte, of sending and receiving */
    double end;                       /* time per byte of the fastest stream; NaN: unknown */
    bool measured;                    /* overheads themselves were */
    int bounded;                      /* values held at 0 */
    cpm_missing_pairs missing;
    cpm_model *model;
    cpm_error *e;
} fitting;

/* ---- points */

static int by_pair(const void *left, const void *right)
{
    const point *a = left, *b = right;
    if (a->i != b->i)
        return a->i < b->i ? -1 : 1;
    if (a->j != b->j)
        return a->j < b->j ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static int by_size(const void *left, const void *right)
{
    const point *a = left, *b = right;
    return a->bytes != b->bytes ? (a->bytes > b->bytes) - (a->bytes < b->bytes)
                                : (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

static void add_point(fitting *f, const cpm_measurement *r, double bytes, double seconds)
{
    int i = r->what.i, j = r->what.j;
    f->at[f->count++] = (point){.i = i < j ? i : j,
                                .j = i < j ? j : i,
                                .bytes = bytes,
                                .seconds = seconds,
                                .half = cpm_measurement_half(r, f->m->statistic) / 2};
}

static bool is(const cpm_measurement *r, int kind)
{
    return r->what.kind == &cpm_experiment_kinds[kind] && r->summary.min > 0;
}

static void take_points(fitting *f)
{
    for (int q = 0; q < f->m->count; q++) {
        const cpm_measurement *r = &f->m->at[q];
        if (is(r, CPM_ROUNDTRIP) && r->what.send_bytes == r->what.reply_bytes)
            add_point(f, r, (double)r->what.send_bytes,
                      cpm_measurement_value(r, f->m->statistic) / 2);
    }
}

/* Whether all latencies are of one size. */
static bool has_one_size(const fitting *f)
{
    for (int k = 1; k < f->count; k++)
        if (f->at[k].bytes != f->at[0].bytes)
            return false;
    return true;
}

/* What a long message takes is then what streams say. */
static void add_stream_points(fitting *f)
{
    double empty = f->at[0].seconds;
    for (int q = 0; q < f->m->count; q++) {
        const cpm_measurement *r = &f->m->at[q];
        double bytes = (double)r->what.send_bytes;
        if (is(r, CPM_SATURATION) && r->what.send_bytes > LONG)
            add_point(f, r, bytes, empty + bytes * cpm_stream_slope(r, f->m->statistic, empty));
    }
}

/* ---- the curve of the median pair */

static void add_to_curve(fitting *f, int from, int to)
{
    double bytes = 0;
    for (int k = from; k < to; k++) {
        bytes += f->at[k].bytes / (to - from);
        f->work[k - from] = f->at[k].seconds;
    }
    f->x[f->points] = bytes;
    f->y[f->points++] = cpm_median(f->work, to - from);
}

/* Of many sizes those next to each other are one. Leaves the points sorted by pair. */
static void find_curve(fitting *f)
{
    int sizes = 0;
    qsort(f->at, (size_t)f->count, sizeof *f->at, by_size);
    for (int k = 0; k < f->count; k++)
        sizes += k == 0 || f->at[k].bytes != f->at[k - 1].bytes;
    int each = (sizes + MOST_POINTS - 1) / MOST_POINTS, seen = 0;
    for (int from = 0, k = 1; k <= f->count; k++) {
        bool next = k == f->count || f->at[k].bytes != f->at[k - 1].bytes;
        seen += next;
        if (!next || (seen < each && k < f->count))
            continue;
        add_to_curve(f, from, k);
        from = k;
        seen = 0;
    }
    qsort(f->at, (size_t)f->count, sizeof *f->at, by_pair);
}

static double first_size(const fitting *f, int k)
{
    return k ? f->x[f->first[k]] : 0;
}

static int create(fitting *f)
{
    size_t sizes[MOST_REGIMES];
    for (int k = 0; k < f->regimes; k++)
        sizes[k] = (size_t)first_size(f, k);
    return cpm_model_create_sized(&cpm_lmo2, f->m->n, &(cpm_sizes){sizes, f->regimes}, &f->model,
                                  f->e);
}

/* ---- lines of pairs */

/* The points of a pair (or, of the median pair, of the curve) within a regime. */
static cpm_line line_of(fitting *f, const point *at, int count, int k)
{
    double to = k + 1 < f->regimes ? first_size(f, k + 1) : INFINITY;
    double *x = f->work, *y = f->scale;
    cpm_points p = {x, y, y, f->half, 0};
    for (int q = 0; q < count; q++) {
        if (at[q].bytes < first_size(f, k) || at[q].bytes >= to)
            continue;
        x[p.count] = at[q].bytes;
        y[p.count] = at[q].seconds;
        f->half[p.count++] = at[q].half;
    }
    return p.count > 1 && x[0] != x[p.count - 1] ? cpm_line_through(&p)
                                                 : (cpm_line){.constant = NAN};
}

static cpm_line line_of_curve(fitting *f, int k)
{
    int to = k + 1 < f->regimes ? f->first[k + 1] : f->points;
    cpm_points p = {f->x + f->first[k], f->y + f->first[k], f->y + f->first[k], f->half,
                    to - f->first[k]};
    memset(f->half, 0, (size_t)p.count * sizeof *f->half);
    return cpm_line_through(&p);
}

/* How much longer a pair's messages take than the median pair's. */
static double ratio_of(fitting *f, const point *at, int count)
{
    int used = 0;
    for (int q = 0; q < count; q++)
        for (int s = 0; s < f->points; s++)
            if (f->x[s] == at[q].bytes) {
                f->work[used++] = at[q].seconds / f->y[s];
                break;
            }
    return used ? cpm_median(f->work, used) : 1;
}

static double at_least_0(fitting *f, double value)
{
    f->bounded += value < 0;
    return fmax(0, value);
}

static void set_way(fitting *f, int k, int i, int j, const cpm_line *l, bool known)
{
    size_t n = (size_t)f->m->n, slice = (size_t)k * n * n;
    const size_t places[] = {slice + (size_t)i * n + (size_t)j, slice + (size_t)j * n + (size_t)i};
    double latency = at_least_0(f, l->constant - f->send - f->recv);
    double rate = at_least_0(f, l->slope - f->slope[0] - f->slope[1]);
    for (int turn = 0; turn < 2; turn++) {
        f->model->value[CPM_LMO2_L][places[turn]] = latency;
        f->model->value[CPM_LMO2_INVBETA][places[turn]] = rate;
        f->model->ci[CPM_LMO2_L][places[turn]] = known && l->constant_ci > 0 ? l->constant_ci : NAN;
        f->model->ci[CPM_LMO2_INVBETA][places[turn]] = known && l->slope_ci > 0 ? l->slope_ci : NAN;
    }
}

static void fit_pair(fitting *f, const point *at, int count, int i, int j)
{
    double ratio = count ? ratio_of(f, at, count) : 1;
    for (int k = 0; k < f->regimes; k++) {
        cpm_line own = line_of(f, at, count, k), curve = line_of_curve(f, k);
        bool known = count && !isnan(own.constant);
        if (!known) {
            curve.constant *= ratio;
            curve.slope *= ratio;
        }
        set_way(f, k, i, j, known ? &own : &curve, known);
    }
}

static void fit_pairs(fitting *f)
{
    int at = 0;
    for (int i = 0; i < f->m->n; i++)
        for (int j = i + 1; j < f->m->n; j++) {
            int from = at;
            while (at < f->count && f->at[at].i == i && f->at[at].j == j)
                at++;
            if (at == from)
                cpm_missing_pairs_add(&f->missing, i, j);
            fit_pair(f, f->at + from, at - from, i, j);
        }
}

/* ---- overheads */

static double stream_message(const fitting *f, const cpm_measurement *r)
{
    return cpm_measurement_value(r, f->m->statistic) / r->what.count;
}

/* The median over pairs of what a short message takes in a stream: its sender or receiver is busy
 * with it so long. */
static double short_message(fitting *f)
{
    size_t shortest = SHORT + 1;
    int used = 0;
    for (int q = 0; q < f->m->count; q++) {
        const cpm_measurement *r = &f->m->at[q];
        if (!is(r, CPM_SATURATION) || r->what.send_bytes > shortest)
            continue;
        if (r->what.send_bytes < shortest)
            used = 0;
        shortest = r->what.send_bytes;
        f->work[used++] = stream_message(f, r);
    }
    return used ? cpm_median(f->work, used) : NAN;
}

/* The line through measured overheads, where there are any. */
static bool measured_overhead(fitting *f, int kind, double *constant, double *slope)
{
    cpm_points p = {f->work, f->scale, f->scale, f->half, 0};
    double largest = f->x[f->first[f->regimes > 1 ? 1 : 0]];
    for (int q = 0; q < f->m->count; q++) {
        const cpm_measurement *r = &f->m->at[q];
        double bytes = (double)(r->what.send_bytes + r->what.reply_bytes);
        if (!is(r, kind) || (f->regimes > 1 && bytes >= largest))
            continue;
        p.x[p.count] = bytes;
        p.y[p.count] = cpm_measurement_value(r, f->m->statistic);
        p.half[p.count++] = 0;
    }
    if (p.count == 0)
        return false;
    cpm_line l = cpm_line_through(&p);
    *constant = l.constant;
    *slope = l.slope;
    return true;
}

/* No overheads of both ends are more than the message takes. */
static int find_overheads(fitting *f)
{
    cpm_line all = line_of_curve(f, 0);
    bool sends = measured_overhead(f, CPM_SEND_TIME, &f->send, &f->slope[0]);
    bool receives = measured_overhead(f, CPM_LATE_RECEIVE, &f->recv, &f->slope[1]);
    double busy = short_message(f);
    f->measured = sends || receives;
    if (!f->measured && isnan(busy))
        return cpm_fail(f->e, CPM_EDATA,
                        "there are no bandwidths of short messages, which model lmo2 needs: add a "
                        "bandwidth test, or use --model hockney");
    if (!sends)
        f->send = receives ? f->recv : busy;
    if (!receives)
        f->recv = sends ? f->send : busy;
    double share = fmin(1, all.constant / (f->send + f->recv));
    f->send *= share;
    f->recv *= share;
    return CPM_OK;
}

static void set_overheads(fitting *f)
{
    for (int k = 0; k < f->regimes; k++)
        for (int i = 0; i < f->m->n; i++) {
            size_t at = (size_t)k * (size_t)f->m->n + (size_t)i;
            f->model->value[CPM_LMO2_CS][at] = f->send;
            f->model->value[CPM_LMO2_CR][at] = f->recv;
            f->model->value[CPM_LMO2_TS][at] = f->slope[0];
            f->model->value[CPM_LMO2_TR][at] = f->slope[1];
        }
}

/* ---- link ends */

/* What the stream takes per byte that is fastest: all that a link end can do. */
static void find_end(fitting *f)
{
    f->end = NAN;
    for (int q = 0; q < f->m->count; q++) {
        const cpm_measurement *r = &f->m->at[q];
        double per_byte = stream_message(f, r) / (double)r->what.send_bytes;
        if (is(r, CPM_SATURATION) && r->what.send_bytes > LONG && !(per_byte >= f->end))
            f->end = per_byte;
    }
    for (int i = 0; i < f->m->n; i++)
        f->model->value[CPM_LMO2_GO][i] = f->model->value[CPM_LMO2_GI][i] = f->end;
}

/* No message is faster than the link ends that it uses. */
static void bound_ways(fitting *f)
{
    size_t n = (size_t)f->m->n, all = (size_t)f->regimes * n * n;
    double *rate = f->model->value[CPM_LMO2_INVBETA];
    for (size_t k = all - n * n; k < all && !isnan(f->end); k++)
        if ((k % (n * n)) / n != k % n)
            rate[k] = fmax(rate[k], f->end);
}

/* ---- all of it */

static int note(fitting *f)
{
    char **notes = &f->model->notes;
    int status =
        cpm_note(notes, f->e, "imported: %d regime%s of message sizes, as the latencies bend",
                 f->regimes, f->regimes == 1 ? "" : "s");
    if (!status)
        status = cpm_note(notes, f->e, "%s",
                          f->measured
                              ? "overheads are those of sends and receives that were timed"
                              : "overheads are what each short message of a stream takes, on both "
                                "sides alike, as no test measures them apart");
    if (!status)
        status =
            cpm_note(notes, f->e, "%s",
                     isnan(f->end) ? "link ends: whether messages share them was not measured"
                                   : "link ends: taken to be as fast as the fastest stream of long "
                                     "messages, and shared by all messages of a process");
    if (!status)
        status = cpm_note(notes, f->e,
                          "not known from such tests: the size from which sends wait for their "
                          "receivers, and what combining and copying take");
    if (!status && f->bounded)
        status = cpm_note(notes, f->e, "%d times of links came out negative and are held at 0",
                          f->bounded);
    return status ? status : cpm_missing_pairs_note(&f->missing, f->m->n, notes, f->e);
}

static int fit(fitting *f)
{
    take_points(f);
    if (f->count == 0)
        return cpm_fail(f->e, CPM_EDATA, "there are no latencies: add the file of a latency test");
    if (has_one_size(f))
        add_stream_points(f);
    if (has_one_size(f))
        return cpm_fail(f->e, CPM_EDATA, "there are latencies of one message size only");
    find_curve(f);
    f->regimes = cpm_curve_pieces(f->x, f->y, f->points, MOST_REGIMES, f->first);
    int status = f->regimes ? find_overheads(f) : cpm_no_memory(f->e);
    if (!status)
        status = create(f);
    if (status)
        return status;
    set_overheads(f);
    fit_pairs(f);
    find_end(f);
    bound_ways(f);
    f->model->value[CPM_LMO2_LATE][0] = 0;
    return note(f);
}

int cpm_lmo2_fit_imported(const cpm_measurements *m, cpm_model **out, cpm_error *e)
{
    size_t room = 2 * (size_t)m->count + MOST_POINTS + 2;
    double *space = malloc(5 * room * sizeof *space);
    fitting f = {.m = m, .e = e, .at = malloc(room * sizeof *f.at)};
    int status = space && f.at ? CPM_OK : cpm_no_memory(e);
    if (!status) {
        f.x = space;
        f.y = space + room;
        f.work = space + 2 * room;
        f.scale = space + 3 * room;
        f.half = space + 4 * room;
        status = fit(&f);
    }
    free(space);
    free(f.at);
    return cpm_model_hand_over(status, f.model, out);
}
