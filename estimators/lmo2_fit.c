/* The fit of extended LMO: overheads are lines through the times of sends and receives, the
 * network's times are lines through what one-way times have more, and a link end's capacity is the
 * one with which the flow walk reproduces the experiments in which two messages meet there. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "estimators/designs.h"
#include "estimators/line.h"
#include "estimators/lmo2.h"
#include "estimators/lmo2_core.h"
#include "estimators/lmo2_links.h"
#include "estimators/lmo2_trunks.h"
#include "estimators/residuals.h"
#include "models/lmo2.h"
#include "models/walking.h"

typedef struct {
    const cpm_measurements *m;
    const cpm_lmo2_data *d;
    cpm_model *model;
    int bounded, pairs_bounded; /* parameters held at 0 */
    cpm_lmo2_lack lack;
    double *work; /* [measurements] */
    cpm_error *e;
} fitting;

/* ---- lines within a regime */

static void set(cpm_model *m, int constant, size_t place, const cpm_line *l)
{
    m->value[constant][place] = l->constant;
    m->ci[constant][place] = l->constant_ci;
    m->value[constant + 1][place] = l->slope;
    m->ci[constant + 1][place] = l->slope_ci;
}

enum { MOST_SIZES = 3 }; /* of a regime */

typedef struct {
    double space[4][MOST_SIZES];
    cpm_points p;
} point_space;

static void use_space(point_space *s)
{
    s->p = (cpm_points){s->space[0], s->space[1], s->space[2], s->space[3], 0};
}

static void add_point(cpm_points *p, size_t bytes, double value, double scale, double half)
{
    p->x[p->count] = (double)bytes;
    p->y[p->count] = value;
    p->scale[p->count] = scale;
    p->half[p->count++] = half;
}

static bool is_late(const cpm_lmo2_data *d, size_t bytes)
{
    return d->late && (!d->rendezvous || bytes < d->rendezvous);
}

/* Of late messages the receiver's part cannot be told from the transfer: it is taken to be the
 * sender's at first (lmo2_late.c). */
static void fit_overheads(fitting *f, int k, int i)
{
    const cpm_lmo2_data *d = f->d;
    point_space send, recv;
    use_space(&send);
    use_space(&recv);
    for (int q = 0; q < d->count; q++) {
        const cpm_lmo2_size *s = &d->at[q];
        bool late = is_late(d, s->bytes);
        if (s->regime != k)
            continue;
        double in = late ? s->send[i] : s->recv[i];
        double scale = s->way[(size_t)i * (size_t)d->n + (size_t)(i ? 0 : 1)];
        add_point(&send.p, s->bytes, s->send[i], scale, s->send_half[i]);
        add_point(&recv.p, s->bytes, in, scale, late ? s->send_half[i] : s->recv_half[i]);
    }
    cpm_line out = cpm_line_through(&send.p), in = cpm_line_through(&recv.p);
    size_t place = (size_t)k * (size_t)d->n + (size_t)i;
    f->bounded += out.bounded + in.bounded;
    set(f->model, CPM_LMO2_CS, place, &out);
    set(f->model, CPM_LMO2_CR, place, &in);
}

/* Where it was measured: in the synchronous regimes. */
static void fit_start(fitting *f, int k, int i)
{
    const cpm_lmo2_data *d = f->d;
    point_space start;
    use_space(&start);
    for (int q = 0; q < d->count; q++) {
        const cpm_lmo2_size *s = &d->at[q];
        double scale = s->way[(size_t)i * (size_t)d->n + (size_t)(i ? 0 : 1)];
        if (s->regime == k && !isnan(s->start[i]))
            add_point(&start.p, s->bytes, s->start[i], scale, s->start_half[i]);
    }
    if (start.p.count == 0)
        return;
    cpm_line l = cpm_line_through(&start.p);
    f->bounded += l.bounded;
    set(f->model, CPM_LMO2_CN, (size_t)k * (size_t)d->n + (size_t)i, &l);
}

static double on_line(const cpm_model *m, int constant, int k, int i, double bytes, double *half)
{
    size_t place = (size_t)k * (size_t)m->n + (size_t)i;
    *half = hypot(m->ci[constant][place], bytes * m->ci[constant + 1][place]);
    return m->value[constant][place] + bytes * m->value[constant + 1][place];
}

/* negative: of the regime. */
static void fit_way(fitting *f, int k, int i, int j, cpm_lmo2_lack *negative)
{
    const cpm_lmo2_data *d = f->d;
    size_t pair = (size_t)i * (size_t)d->n + (size_t)j, pairs = (size_t)d->n * (size_t)d->n;
    point_space s;
    use_space(&s);
    for (int q = 0; q < d->count; q++) {
        double bytes = (double)d->at[q].bytes, way = d->at[q].way[pair], out_half, in_half;
        if (d->at[q].regime != k || isnan(d->at[q].way_half[pair]))
            continue;
        double out = on_line(f->model, CPM_LMO2_CS, k, i, bytes, &out_half);
        double in = on_line(f->model, CPM_LMO2_CR, k, j, bytes, &in_half);
        add_point(&s.p, d->at[q].bytes, way - out - in, way,
                  hypot(d->at[q].way_half[pair], hypot(out_half, in_half)));
    }
    cpm_line l = cpm_line_through(&s.p);
    f->pairs_bounded += l.bounded;
    negative->of++;
    negative->links += l.negative < 0;
    negative->seconds_per_byte += l.negative;
    set(f->model, CPM_LMO2_L, (size_t)k * pairs + pair, &l);
}

void cpm_lmo2_worse_lack(const cpm_lmo2_lack *other, cpm_lmo2_lack *lack)
{
    if (other->seconds_per_byte < lack->seconds_per_byte)
        *lack = *other;
}

static void fit_ways(fitting *f, int k)
{
    cpm_lmo2_lack negative = {.from = f->d->regimes.at[k].first};
    for (int i = 0; i < f->d->n; i++)
        for (int j = 0; j < f->d->n; j++)
            if (i != j)
                fit_way(f, k, i, j, &negative);
    if (2 * negative.links <= negative.of) /* of a few links it may be noise */
        return;
    negative.seconds_per_byte /= negative.links;
    cpm_lmo2_worse_lack(&negative, &f->lack);
}

static int fit_lines(fitting *f)
{
    int status = CPM_OK;
    for (int k = 0; k < f->d->regimes.count && !status; k++) {
        for (int i = 0; i < f->d->n; i++) {
            fit_overheads(f, k, i);
            fit_start(f, k, i);
        }
        fit_ways(f, k);
        if (is_late(f->d, f->d->regimes.at[k].first))
            status = cpm_lmo2_share_late(f->model, k, f->e);
    }
    return status;
}

/* ---- link ends */

/* Two times that differ by less than this share and the measurement's interval are the same. */
static const double same = 0.005;

/* Seconds that the model gives experiment x if link end `end` of process i takes that long. */
static double with_capacity(fitting *f, const cpm_experiment *x, int end, double seconds_per_byte,
                            double *finish)
{
    cpm_schedule *s;
    size_t each[CPM_EXPERIMENT_BLOCKS];
    cpm_experiment_blocks(x, each);
    if (cpm_experiments_schedule(x, 1, f->d->n, &s, f->e))
        return -1;
    f->model->value[end][x->i] = seconds_per_byte;
    double last = cpm_model_walk(f->model, s, &(cpm_block_sizes){.each = each}, NULL, finish, f->e);
    f->model->value[end][x->i] = NAN;
    cpm_schedule_free(s);
    return last < 0 ? -1 : finish[x->i];
}

/* Whether the model explains how long r took if the end takes that long; *off: by how much, as a
 * share of what is tolerated, positive if r took longer. Negative status: failed. */
static int explains(fitting *f, const cpm_measurement *r, int end, double seconds_per_byte,
                    double *finish, double *off)
{
    double measured = cpm_measurement_value(r, f->m->statistic);
    double half = cpm_measurement_half(r, f->m->statistic);
    double seconds = with_capacity(f, &r->what, end, seconds_per_byte, finish);
    *off = (measured - seconds) / (same * measured + half);
    return seconds < 0 ? CPM_ENOMEM : CPM_OK;
}

/* The capacity with which the model gives r the time that it took. */
static int invert(fitting *f, const cpm_measurement *r, int end, double high, double *finish,
                  double *out)
{
    enum { HALVINGS = 40 };
    double low = 0, off;
    for (int step = 0; step < HALVINGS; step++) {
        double middle = (low + high) / 2;
        int status = explains(f, r, end, middle, finish, &off);
        if (status)
            return status;
        *(off > 0 ? &low : &high) = middle;
    }
    *out = (low + high) / 2;
    return CPM_OK;
}

/* Of short ways, as errors grow with these. */
static double quantile_of_messages(fitting *f, int end, int i, bool at_home)
{
    size_t n = (size_t)f->d->n, last = (size_t)(f->d->regimes.count - 1) * n * n, count = 0;
    for (size_t j = 0; j < n; j++)
        if (j != (size_t)i && cpm_lmo2_is_near(f->d, i, (int)j) &&
            !(at_home && cpm_model_crosses(f->model, i, (int)j)))
            f->work[count++] =
                f->model->value[CPM_LMO2_INVBETA][last + (end == CPM_LMO2_GO ? (size_t)i * n + j
                                                                             : j * n + (size_t)i)];
    gsl_sort(f->work, 1, count);
    return count ? gsl_stats_quantile_from_sorted_data(f->work, 1, count, 0.1) : INFINITY;
}

/* What a message takes per byte when it is alone on that link end: no end is slower than the
 * fastest of its messages, as far as noise lets one see. Where most cross slow trunks it is among
 * the few that do not. */
static double fastest_message(fitting *f, int end, int i)
{
    return fmin(quantile_of_messages(f, end, i, false), quantile_of_messages(f, end, i, true));
}

static bool meets_at(const cpm_measurement *r, int end, int i)
{
    int kind = end == CPM_LMO2_GO ? CPM_TRAIN : CPM_TWO_TO_ONE;
    return r->what.kind == &cpm_experiment_kinds[kind] && r->what.i == i && r->what.count == 1 &&
           r->summary.min > 0;
}

/* What the meetings at an end say: they are explained without sharing, by an end as fast as its
 * fastest message, by both (they do not tell), or by a capacity of its own; or there are none. */
typedef enum { NOT_SHARED, SHARED, EITHER, OWN, NOT_MEASURED } verdict;

static int judge_meetings(fitting *f, int end, int i, double cap, double *finish, verdict *out)
{
    int meetings = 0, alone = 0, shared = 0, status = CPM_OK;
    double off;
    for (int q = 0; q < f->m->count && !status; q++) {
        if (!meets_at(&f->m->at[q], end, i))
            continue;
        meetings++;
        status = explains(f, &f->m->at[q], end, NAN, finish, &off);
        alone += fabs(off) <= 1;
        if (!status)
            status = explains(f, &f->m->at[q], end, cap, finish, &off);
        shared += fabs(off) <= 1;
    }
    bool explains_alone = 2 * alone >= meetings, explains_shared = 2 * shared >= meetings;
    *out = !meetings        ? NOT_MEASURED
           : explains_alone ? explains_shared ? EITHER : NOT_SHARED
                            : (explains_shared ? SHARED : OWN);
    return status;
}

/* Median over the meetings; an end that is slower than its fastest message is none. */
static int own_capacity(fitting *f, int end, int i, double cap, double *finish, double *value)
{
    int count = 0, status = CPM_OK;
    for (int q = 0; q < f->m->count && !status; q++)
        if (meets_at(&f->m->at[q], end, i))
            status = invert(f, &f->m->at[q], end, 2 * cap, finish, &f->work[count++]);
    if (status)
        return status;
    *value = fmin(cpm_median(f->work, count), cap);
    return CPM_OK;
}

/* An end that is so much faster than a message is never full. */
static const double nothing = 0.01;

static int fit_link_end(fitting *f, int end, int i, double *finish, double *value, verdict *out)
{
    double cap = fastest_message(f, end, i);
    *value = cap;
    int status = judge_meetings(f, end, i, cap, finish, out);
    if (!status && *out == OWN)
        status = own_capacity(f, end, i, cap, finish, value);
    if (!status && *out == OWN && *value < nothing * cap)
        *out = NOT_SHARED;
    return status;
}

/* Ends, outgoing or incoming, that messages share, and those where this was measured. */
typedef struct {
    int shared, measured;
} sharing;

/* Ends whose meetings do not tell, or which have none, are like most of the others. Values are set
 * only when all are known: an experiment is explained by its own root. */
static int fit_link_ends(fitting *f, int end, double *finish, double *values, verdict *verdicts,
                         sharing *out)
{
    int status = CPM_OK, shared = 0, not_shared = 0;
    *out = (sharing){0};
    for (int i = 0; i < f->d->n && !status; i++) {
        status = fit_link_end(f, end, i, finish, &values[i], &verdicts[i]);
        not_shared += verdicts[i] == NOT_SHARED;
        shared += verdicts[i] == SHARED || verdicts[i] == OWN;
        out->measured += verdicts[i] != NOT_MEASURED;
    }
    bool most = shared > not_shared;
    for (int i = 0; i < f->d->n && !status; i++) {
        bool open = verdicts[i] == EITHER || verdicts[i] == NOT_MEASURED;
        bool is_shared = open ? most : verdicts[i] != NOT_SHARED;
        f->model->value[end][i] = is_shared ? values[i] : NAN;
        out->shared += is_shared;
    }
    return status;
}

/* Those that were not measured are told apart from those that are not shared. */
static int note_sharing(const sharing *outgoing, const sharing *incoming, fitting *f)
{
    char **notes = &f->model->notes, some[100] = "";
    int n = f->d->n, out = outgoing->measured, in = incoming->measured;
    const sharing *one = out ? outgoing : incoming;
    if (!out && !in)
        return cpm_note(notes, f->e, "link ends: whether messages share them was not measured");
    if (out < n || in < n)
        snprintf(some, sizeof some, "; %d and %d were measured, and others are taken to be alike",
                 out, in);
    if (out && in)
        return cpm_note(notes, f->e,
                        "link ends: messages share %d of %d outgoing and %d of %d incoming ones%s",
                        outgoing->shared, n, incoming->shared, n, some);
    return cpm_note(notes, f->e,
                    "link ends: messages share %d of %d %s ones; whether they share %s ones was "
                    "not measured",
                    one->shared, n, out ? "outgoing" : "incoming", out ? "incoming" : "outgoing");
}

static int fit_sharing(fitting *f, cpm_error *e)
{
    size_t n = (size_t)f->d->n;
    double *finish = malloc(n * sizeof *finish), *values = malloc(n * sizeof *values);
    verdict *verdicts = malloc(n * sizeof *verdicts);
    sharing outgoing = {0}, incoming = {0};
    int status = CPM_OK;
    if (!finish || !values || !verdicts)
        status = cpm_no_memory(e);
    if (!status)
        status = fit_link_ends(f, CPM_LMO2_GO, finish, values, verdicts, &outgoing);
    if (!status)
        status = fit_link_ends(f, CPM_LMO2_GI, finish, values, verdicts, &incoming);
    if (!status)
        status = note_sharing(&outgoing, &incoming, f);
    free(finish);
    free(values);
    free(verdicts);
    return status;
}

/* ---- all of it */

static void set_protocol(fitting *f)
{
    const cpm_lmo2_data *d = f->d;
    f->model->value[CPM_LMO2_LATE][0] = d->late;
    if (d->rendezvous)
        f->model->value[CPM_LMO2_RENDEZVOUS][0] = (double)d->rendezvous;
}

static int note_regimes(fitting *f)
{
    const cpm_model *m = f->model;
    int status =
        cpm_note(&f->model->notes, f->e, "%d regimes of message sizes, the last from %zu bytes on",
                 m->sizes.count, m->sizes.at[m->sizes.count - 1]);
    double from = m->value[CPM_LMO2_RENDEZVOUS][0];
    if (!status && isnan(from))
        status = cpm_note(&f->model->notes, f->e,
                          "no size up to %zu bytes at which a send waits for its receiver",
                          f->d->at[f->d->count - 1].bytes);
    else if (!status)
        status = cpm_note(&f->model->notes, f->e,
                          "sends wait for their receivers from %.0f bytes on", from);
    if (!status && f->d->late)
        status = cpm_note(&f->model->notes, f->e,
                          "buffered messages start when their receive is posted: receive "
                          "overheads are not measured, but taken to be about the send overheads. "
                          "Where many short messages meet predictions may be off by a fifth");
    return status;
}

static int note_bounds(fitting *f)
{
    int status = CPM_OK;
    if (f->bounded)
        status = cpm_note(&f->model->notes, f->e,
                          "%d overheads came out negative and are held at 0", f->bounded);
    if (!status && f->pairs_bounded)
        status = cpm_note(&f->model->notes, f->e,
                          "%d times of links came out negative and are held at 0: their messages "
                          "take no longer than the processors' own times",
                          f->pairs_bounded);
    return status;
}

int cpm_lmo2_note_lack(const char *where, const cpm_lmo2_lack *lack, cpm_model *m, cpm_error *e)
{
    if (!lack->links)
        return CPM_OK;
    return cpm_note(&m->notes, e,
                    "%smessages from %zu bytes on would need a negative time per byte on their way "
                    "(%.3g ns, %d of %d links): " CPM_MISSING_MECHANISM ", as where what "
                    "the sender and the receiver need overlaps; it is held at 0, and they are "
                    "predicted too slow",
                    where, lack->from, 1e9 * lack->seconds_per_byte, lack->links, lack->of);
}

int cpm_lmo2_set_switches(cpm_model *m, const cpm_hosts *switches, cpm_error *e)
{
    cpm_classes named = {0};
    int status = cpm_classes_create(m->n, switches->of, switches->count,
                                    (const char *const *)switches->name, &named, e);
    if (!status)
        status = cpm_model_set_switches(m, &named, e);
    cpm_classes_clear(&named);
    return status;
}

/* Until link ends are known each is as fast as its fastest message. */
static void assume_ends(fitting *f, bool known)
{
    for (int i = 0; i < f->d->n; i++) {
        f->model->value[CPM_LMO2_GO][i] = known ? fastest_message(f, CPM_LMO2_GO, i) : NAN;
        f->model->value[CPM_LMO2_GI][i] = known ? fastest_message(f, CPM_LMO2_GI, i) : NAN;
    }
}

static bool has_trunks(const cpm_lmo2_inside *inside)
{
    return inside->switches && inside->switches->count > 1 && !inside->many;
}

static int fit_inside(fitting *f, const cpm_lmo2_inside *inside)
{
    size_t bytes = cpm_lmo2_crossing(&f->d->regimes, f->d->rendezvous);
    bool core = inside->core && f->model->links.count > 0;
    int status = CPM_OK;
    if (core)
        status = cpm_lmo2_core_fit(inside->switches, bytes, f->m, f->model, f->e);
    if (!status && has_trunks(inside))
        status = cpm_lmo2_trunks_fit(inside->switches, bytes, f->m, f->model, f->e);
    if (!status && core)
        status = cpm_lmo2_core_fit(inside->switches, bytes, f->m, f->model, f->e);
    if (!status && inside->links)
        status = cpm_lmo2_links_fit(bytes, f->m, f->model, f->e);
    return status;
}

static int note_inside(fitting *f, const cpm_lmo2_inside *inside)
{
    size_t bytes = cpm_lmo2_crossing(&f->d->regimes, f->d->rendezvous);
    int status = CPM_OK;
    if (has_trunks(inside))
        status = cpm_lmo2_trunks_note(inside->switches, bytes, f->m, f->model, f->e);
    if (!status && inside->core && f->model->links.count > 0)
        status = cpm_lmo2_core_close(f->model, f->e);
    return !status && inside->links ? cpm_lmo2_links_note(bytes, f->m, f->model, f->e) : status;
}

/* Messages that meet at a link end may have met at a trunk before, and the other way round. */
static int fit_shared(fitting *f, const cpm_lmo2_inside *inside)
{
    assume_ends(f, true);
    int status = fit_inside(f, inside);
    assume_ends(f, false);
    if (!status)
        status = fit_sharing(f, f->e);
    if (!status)
        status = fit_inside(f, inside);
    return status ? status : note_inside(f, inside);
}

static int set_inside(fitting *f, const cpm_lmo2_inside *inside)
{
    int status =
        inside->switches ? cpm_lmo2_set_switches(f->model, inside->switches, f->e) : CPM_OK;
    if (!status && inside->links)
        status = cpm_model_set_links(f->model, inside->links, f->e);
    size_t bytes = cpm_lmo2_crossing(&f->d->regimes, f->d->rendezvous);
    bool measured = false;
    if (!status && inside->core)
        status = cpm_lmo2_core_measured(inside->switches, f->m, bytes, &measured, f->e);
    return !status && measured ? cpm_lmo2_core_open(inside->switches, f->model, f->e) : status;
}

/* No long message is faster than what it shares, where it may be noise that it seems to be: shorter
 * ones, whose times are compared with its (lmo2_flow), would seem to be slower for that. */
static void bound_by_shared(fitting *f)
{
    cpm_model *m = f->model;
    size_t n = (size_t)m->n, last = (size_t)(m->sizes.count - 1) * n * n;
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n; j++) {
            size_t at = last + (size_t)i * n + (size_t)j;
            double *value = &m->value[CPM_LMO2_INVBETA][at], narrowest = *value;
            cpm_flow way;
            if (i == j)
                continue;
            m->type->flow(m, i, j, 0, &way);
            for (int u = 0; u < way.uses; u++)
                narrowest = fmax(narrowest, way.use[u].seconds);
            if (narrowest <= *value + m->ci[CPM_LMO2_INVBETA][at])
                *value = narrowest;
        }
}

/* inside NULL: nothing is known of it. */
static int fit(fitting *f, bool ends, const cpm_lmo2_inside *inside)
{
    bool shared = inside && (inside->links || inside->core ||
                             (inside->switches && inside->switches->count > 1));
    int status = fit_lines(f);
    set_protocol(f);
    if (!status)
        status = note_regimes(f);
    if (!status)
        status = note_bounds(f);
    if (!status && inside)
        status = set_inside(f, inside);
    if (status || !ends)
        return status;
    status = shared ? fit_shared(f, inside) : fit_sharing(f, f->e);
    if (!status)
        bound_by_shared(f);
    return status;
}

static int create(const cpm_lmo2_data *d, cpm_model **out, cpm_error *e)
{
    size_t *first = malloc((size_t)d->regimes.count * sizeof *first);
    if (!first)
        return cpm_no_memory(e);
    for (int k = 0; k < d->regimes.count; k++)
        first[k] = d->regimes.at[k].first;
    int status =
        cpm_model_create_sized(&cpm_lmo2, d->n, &(cpm_sizes){first, d->regimes.count}, out, e);
    free(first);
    return status;
}

int cpm_lmo2_fit_level(const cpm_measurements *m, const cpm_lmo2_data *d, bool ends,
                       const cpm_lmo2_inside *inside, cpm_lmo2_lack *lack, cpm_model **out,
                       cpm_error *e)
{
    size_t room = (size_t)m->count + (size_t)m->n;
    fitting f = {.m = m, .d = d, .e = e, .work = malloc(room * sizeof *f.work)};
    int status = f.work ? create(d, &f.model, e) : cpm_no_memory(e);
    if (!status)
        status = fit(&f, ends, inside);
    if (!status && !lack)
        status = cpm_lmo2_note_lack("", &f.lack, f.model, e);
    else if (lack)
        *lack = f.lack;
    free(f.work);
    return cpm_model_hand_over(status, f.model, out);
}
