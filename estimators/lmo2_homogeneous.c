#include "estimators/lmo2_homogeneous.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "collectives/temporaries.h"
#include "estimators/asked.h"
#include "estimators/lmo2_collectives.h"
#include "estimators/walk_fit.h"
#include "models/allocate.h"
#include "models/lmo2.h"

/* ---- unknowns */

enum { C, T, L, B, C_LONG, L_LONG, G, UNCHANGED, OC, CB, CM, CF, START, LEAVING, MOST };

typedef struct {
    const char *name;
    bool per_byte;
    double usual; /* of fast networks: where the first guess begins */
} unknown;

static const unknown unknowns[MOST] = {
    [C] = {"C", false, 3e-7},
    [T] = {"t", true, 5e-11},
    [L] = {"L", false, 1.5e-6},
    [B] = {"invbeta", true, 1e-10},
    [C_LONG] = {"C of long messages", false, 5e-7},
    [L_LONG] = {"L of long messages", false, 3e-6},
    [G] = {"what messages of a process share", true, 1e-10},
    [UNCHANGED] = {"tu_in", true, 3e-11},
    [OC] = {"Oc", false, 1e-7},
    [CB] = {"cb", true, 3e-10},
    [CM] = {"cm", true, 5e-11},
    [CF] = {"cf", true, 3e-10},
    [START] = {"start", false, 1e-6},
    [LEAVING] = {"leaving", false, 1e-7},
};

/* Which parameters of the model they are, of messages between hosts or inside one. */
typedef struct {
    int send, recv, latency, rate, rendezvous;
} places;

static const places between = {CPM_LMO2_CS, CPM_LMO2_CR, CPM_LMO2_L, CPM_LMO2_INVBETA,
                               CPM_LMO2_RENDEZVOUS};
static const places inside = {CPM_LMO2_INSIDE_CS, CPM_LMO2_INSIDE_CR, CPM_LMO2_INSIDE_L,
                              CPM_LMO2_INSIDE_INVBETA, CPM_LMO2_INSIDE_RENDEZVOUS};

/* A form of the model, and what was found with it. */
typedef struct {
    size_t rendezvous; /* 0: none */
    bool fetched;      /* inside a host, long messages are moved by their receivers */
    bool shares;       /* G is a value of its own; else invbeta between hosts, unknown inside */
    bool left[MOST];   /* what the data do not show is left out */
    double value[MOST], cost;
    int free[MOST], count;
} form;

enum { MOST_TRIES = 12 }; /* six sizes, in two ways */

typedef struct {
    cpm_walk_fit walk;
    const cpm_hosts *hosts;
    const places *at;
    form now;
    struct {
        size_t rendezvous;
        double price;
    } tried[MOST_TRIES]; /* of forms with one */
    int tries;
    double scale[MOST];                         /* no value is larger */
    double half[MOST], covariance[MOST * MOST]; /* of those that are free */
    cpm_error *e;
} fitting;

static void set_slice(cpm_model *m, int p, int slice, double value, double *const *to)
{
    size_t values = cpm_parameter_values(m, p);
    for (size_t k = 0; k < values; k++)
        to[p][(size_t)slice * values + k] = value;
}

/* v[MOST] become values, or halves of their intervals. */
static void set_all(const fitting *f, const double *v, double *const *to)
{
    cpm_model *m = f->walk.m;
    const places *at = f->at;
    for (int slice = 0; slice < cpm_parameter_slices(m, at->send); slice++) {
        bool is_long = slice > 0, copied = f->now.fetched && !is_long;
        set_slice(m, at->send, slice, v[is_long ? C_LONG : C], to);
        set_slice(m, at->recv, slice, v[is_long ? C_LONG : C], to);
        set_slice(m, at->send + 1, slice, is_long ? 0 : v[T], to);
        set_slice(m, at->recv + 1, slice, is_long ? 0 : v[T], to);
        set_slice(m, at->latency, slice, v[is_long ? L_LONG : L], to);
        set_slice(m, at->rate, slice, copied ? 0 : v[B], to);
    }
    if (at == &inside) {
        set_slice(m, f->now.fetched ? CPM_LMO2_SOURCE : CPM_LMO2_MEMORY, 0, v[G], to);
        set_slice(m, CPM_LMO2_UNCHANGED, 0, v[UNCHANGED], to);
    } else {
        set_slice(m, CPM_LMO2_GO, 0, v[G], to);
        set_slice(m, CPM_LMO2_GI, 0, v[G], to);
    }
    cpm_combining what;
    cpm_walk_fit_combines(&f->walk, &what);
    set_slice(m, cpm_lmo2_combining[what], 0, v[OC], to);
    set_slice(m, cpm_lmo2_combining[what] + 1, 0, v[CB], to);
    set_slice(m, CPM_LMO2_CM, 0, v[CM], to);
    set_slice(m, CPM_LMO2_CF, 0, v[CF], to);
}

static bool combines(const fitting *f)
{
    return cpm_walk_fit_combines(&f->walk, &(cpm_combining){0});
}

/* Whether any was run by routines that take memory anew. */
static bool takes_memory(const fitting *f)
{
    for (int q = 0; q < f->walk.rows; q++) {
        const cpm_experiment *x = &f->walk.row[q]->what;
        const cpm_collective c = cpm_experiment_collective(x, f->hosts->n);
        if (c.by_library && cpm_temporaries(&c, (double)x->send_bytes) > 0)
            return true;
    }
    return false;
}

static bool has(const fitting *f, int k)
{
    if (f->now.left[k])
        return false;
    if (k == LEAVING)
        return f->at == &inside && f->walk.taken.apart;
    if (k == CF)
        return takes_memory(f);
    if (k == C_LONG || k == L_LONG)
        return f->now.rendezvous > 0;
    if (k == UNCHANGED)
        return f->now.fetched && f->walk.taken.same;
    if (k == OC || k == CB)
        return combines(f);
    return k != G || f->now.shares;
}

static void set_values(fitting *f)
{
    form *now = &f->now;
    if (!now->shares)
        now->value[G] = f->at == &inside ? NAN : now->value[B];
    set_all(f, now->value, f->walk.m->value);
    f->walk.start = now->value[START];
    f->walk.leaving = has(f, LEAVING) ? now->value[LEAVING] : 0;
}

static void set_free(void *context, const double *value)
{
    fitting *f = context;
    for (int k = 0; k < f->now.count; k++)
        f->now.value[f->now.free[k]] = value[k];
    set_values(f);
}

/* ---- the model of a form */

static int create(fitting *f)
{
    size_t first[2] = {0, f->now.rendezvous};
    bool is_inside = f->at == &inside;
    cpm_sizes sizes = {first, f->now.rendezvous ? 2 : 1}, zero = {first, 1};
    cpm_sizes regimes[CPM_LEVELS] = {is_inside ? zero : sizes, is_inside ? sizes : (cpm_sizes){0}};
    cpm_classes classes = {0};
    const char *name = "all";
    int *of = calloc((size_t)f->hosts->n, sizeof *of);
    int status =
        of ? cpm_classes_create(f->hosts->n, of, 1, &name, &classes, f->e) : cpm_no_memory(f->e);
    cpm_model_free(f->walk.m);
    f->walk.m = NULL;
    if (!status)
        status = cpm_model_allocate(&cpm_lmo2, &classes, regimes, &f->walk.m, f->e);
    for (int i = 0; i < f->hosts->n && !status && is_inside; i++)
        status = cpm_model_set_host(f->walk.m, i, name, f->e);
    if (!status && is_inside)
        status = cpm_model_settle_hosts(f->walk.m, f->e);
    if (!status && f->now.rendezvous)
        f->walk.m->value[f->at->rendezvous][0] = (double)f->now.rendezvous;
    if (!status && f->now.fetched)
        f->walk.m->value[CPM_LMO2_FETCHED][0] = (double)f->now.rendezvous;
    cpm_classes_clear(&classes);
    free(of);
    return status;
}

/* ---- a first guess: usual values, times what makes the smallest and the largest blocks right */

static size_t block(const fitting *f, int row)
{
    return f->walk.row[row]->what.send_bytes;
}

static void find_sizes(const fitting *f, size_t extreme[2])
{
    extreme[0] = extreme[1] = block(f, 0);
    for (int q = 0; q < f->walk.rows; q++) {
        extreme[0] = block(f, q) < extreme[0] ? block(f, q) : extreme[0];
        extreme[1] = block(f, q) > extreme[1] ? block(f, q) : extreme[1];
    }
}

/* Median of predicted over observed at a size. */
static double middle(const fitting *f, size_t bytes, double *work)
{
    int count = 0;
    for (int q = 0; q < f->walk.rows; q++) {
        double off = block(f, q) == bytes ? cpm_walk_fit_off(&f->walk, q) : NAN;
        if (!isnan(off))
            work[count++] = off;
    }
    return count ? exp(cpm_median(work, count)) : 1;
}

static int guess(fitting *f)
{
    enum { TURNS = 6 };
    size_t extreme[2];
    double *work = malloc((size_t)f->walk.rows * sizeof *work);
    if (!work)
        return cpm_no_memory(f->e);
    find_sizes(f, extreme);
    for (int k = 0; k < MOST; k++)
        f->now.value[k] = unknowns[k].usual;
    for (int turn = 0; turn < TURNS; turn++) {
        set_values(f);
        double times = middle(f, extreme[turn % 2], work);
        for (int k = 0; k < MOST; k++)
            if (unknowns[k].per_byte == turn % 2)
                f->now.value[k] /= times;
    }
    free(work);
    return CPM_OK;
}

/* No value is larger than what takes least, of all or of a byte. */
static void find_scales(fitting *f)
{
    double least[2] = {INFINITY, INFINITY};
    for (int q = 0; q < f->walk.rows; q++) {
        double seconds = cpm_measurement_value(f->walk.row[q], f->walk.measured->statistic);
        least[0] = fmin(least[0], seconds);
        if (block(f, q))
            least[1] = fmin(least[1], seconds / (double)block(f, q));
    }
    for (int k = 0; k < MOST; k++)
        f->scale[k] = least[unknowns[k].per_byte];
}

/* ---- one form */

/* One of combining's two is 0 if the other is known. */
static bool is_unknown_without(const fitting *f, int k)
{
    return k == G || k == UNCHANGED || k == CM || k == CF ||
           ((k == OC || k == CB) && !has(f, OC) && !has(f, CB));
}

/* The values of now are where it begins; those that it does not have are 0, or unknown. */
static int fit_form(fitting *f, int steps)
{
    form *now = &f->now;
    now->count = 0;
    for (int k = 0; k < MOST; k++) {
        if (has(f, k))
            now->free[now->count++] = k;
        else
            now->value[k] = is_unknown_without(f, k) ? NAN : 0;
    }
    if (now->count > f->walk.rows) { /* which tell nothing of it */
        now->cost = INFINITY;
        return create(f);
    }
    f->walk.count = now->count;
    for (int k = 0; k < now->count; k++) {
        f->walk.value[k] = now->value[now->free[k]];
        f->walk.scale[k] = f->scale[now->free[k]];
    }
    int status = create(f);
    return status ? status : cpm_walk_fit_run(&f->walk, steps, &now->cost, f->e);
}

static double price(const fitting *f, const form *a)
{
    return cpm_walk_fit_price(&f->walk, a->cost, a->count + (a->rendezvous > 0));
}

enum { ROUGHLY = 12 }; /* steps tell which form is the best */

/* Of Schwarz's criterion: less is no evidence (Kass and Raftery 1995). */
static const double no_evidence = 2;

/* Tries a form that begins with the values of best, which it becomes if it costs less than that and
 * more. */
static int try(fitting *f, const form *changed, double more, form *best)
{
    f->now = *changed;
    for (int k = 0; k < MOST; k++)
        if (!(f->now.value[k] > 1e-3 * f->scale[k])) /* it would not move from there */
            f->now.value[k] = fmin(unknowns[k].usual, f->scale[k] / 2);
    int status = fit_form(f, ROUGHLY);
    if (!status && price(f, &f->now) < price(f, best) + more)
        *best = f->now;
    return status;
}

static int try_to_wait(fitting *f, const form *changed, form *best)
{
    int status = try(f, changed, 0, best);
    f->tried[f->tries].rendezvous = f->now.rendezvous;
    f->tried[f->tries++].price = price(f, &f->now);
    return status;
}

static int try_rendezvous(fitting *f, size_t bytes, form *best)
{
    form changed = *best;
    changed.rendezvous = bytes;
    if (!best->rendezvous) {
        changed.value[C_LONG] = best->value[C];
        changed.value[L_LONG] = 2 * best->value[L];
    }
    int status = try_to_wait(f, &changed, best);
    if (status || f->at != &inside)
        return status;
    changed.fetched = true;
    return try_to_wait(f, &changed, best);
}

/* Where sends begin to wait, if they do: by fours, then the neighbours of the best. */
static int find_rendezvous(fitting *f, form *best)
{
    int status = CPM_OK;
    for (size_t bytes = 2048; bytes <= 131072 && !status; bytes *= 4)
        status = try_rendezvous(f, bytes, best);
    size_t found = best->rendezvous;
    if (!status && found)
        status = try_rendezvous(f, found / 2, best);
    if (!status && found)
        status = try_rendezvous(f, found * 2, best);
    return status;
}

static int find_form(fitting *f, form *best)
{
    int status = create(f);
    if (!status)
        status = guess(f);
    if (!status)
        status = fit_form(f, CPM_WALK_FIT_STEPS);
    *best = f->now;
    if (!status)
        status = find_rendezvous(f, best);
    if (status)
        return status;
    form changed = *best;
    changed.shares = true;
    changed.value[G] = best->value[B];
    status = try(f, &changed, 0, best);
    for (int k = UNCHANGED; k <= LEAVING && !status; k++) { /* what the data do not need */
        changed = *best;
        changed.left[k] = true;
        status = try(f, &changed, no_evidence, best);
    }
    return status;
}

/* ---- intervals */

/* t: half an interval in standard errors. */
static int find_intervals(fitting *f, double t)
{
    int n = f->now.count;
    int status = cpm_walk_fit_covariance(&f->walk, f->covariance, f->e);
    for (int k = 0; k < MOST; k++)
        f->half[k] = NAN;
    for (int k = 0; k < n && !status; k++)
        f->half[f->now.free[k]] = t * sqrt(f->covariance[k * n + k]);
    return status;
}

/* ---- notes */

static double shown(int k, double value)
{
    return value * (unknowns[k].per_byte ? 1e9 : 1e6);
}

static const char *unit(int k)
{
    return unknowns[k].per_byte ? "ns/B" : "us";
}

/* The one of the same unit that has to be smaller where that of place k is larger; -1: none. */
static int partner_of(const fitting *f, int k)
{
    int n = f->now.count, found = -1;
    const double *cov = f->covariance;
    double closest = 0.9; /* of a correlation: less tells little */
    for (int q = 0; q < n; q++) {
        double r = -cov[k * n + q] / sqrt(cov[k * n + k] * cov[q * n + q]);
        bool alike = unknowns[f->now.free[q]].per_byte == unknowns[f->now.free[k]].per_byte;
        if (q != k && alike && r > closest) {
            closest = r;
            found = q;
        }
    }
    return found;
}

/* What of k + w q is known best: w is where its variance is least, to two digits as it is shown. */
static int note_apart(const fitting *f, int k, int q, double t)
{
    int n = f->now.count, p = f->now.free[k], other = f->now.free[q];
    const double *cov = f->covariance;
    char weight[32];
    snprintf(weight, sizeof weight, "%.2g", -cov[k * n + q] / cov[q * n + q]);
    double w = strtod(weight, NULL);
    double left = cov[k * n + k] + 2 * w * cov[k * n + q] + w * w * cov[q * n + q];
    return cpm_note(&f->walk.m->notes, f->e,
                    "%s and %s cannot be told apart: %s + %s %s is %.3g %s, +- %.2g",
                    unknowns[p].name, unknowns[other].name, unknowns[p].name, weight,
                    unknowns[other].name, shown(p, f->now.value[p] + w * f->now.value[other]),
                    unit(p), shown(p, t * sqrt(fmax(0, left))));
}

static bool same_algorithm(const fitting *f, int q, int r)
{
    return cpm_collective_equal(&f->walk.row[q]->what.collective, &f->walk.row[r]->what.collective);
}

static bool same_block(const fitting *f, int q, int r)
{
    return block(f, q) == block(f, r);
}

/* Of the rows that differ, at most so many: in time that grows with these and the rows. */
static int distinct(const fitting *f, bool (*same)(const fitting *f, int q, int r), int most)
{
    int count = 0;
    for (int q = 0; q < f->walk.rows && count < most; q++) {
        int before = q - 1;
        while (before >= 0 && !same(f, before, q))
            before--;
        count += before < 0;
    }
    return count;
}

/* Sizes that cost about as much as the best one may be it. */
static int note_rendezvous(const fitting *f)
{
    size_t low = f->now.rendezvous, high = low;
    double best = INFINITY;
    for (int k = 0; k < f->tries; k++)
        best = fmin(best, f->tried[k].price);
    for (int k = 0; k < f->tries; k++)
        if (f->tried[k].price < best + no_evidence) {
            low = f->tried[k].rendezvous < low ? f->tried[k].rendezvous : low;
            high = f->tried[k].rendezvous > high ? f->tried[k].rendezvous : high;
        }
    if (low == high)
        return cpm_note(&f->walk.m->notes, f->e,
                        "sends wait for their receivers from about %zu bytes on", low);
    return cpm_note(&f->walk.m->notes, f->e,
                    "sends wait for their receivers from a size between %zu and %zu bytes on: "
                    "which one is not known, %zu is taken",
                    low, high, f->now.rendezvous);
}

static int note_start(const fitting *f)
{
    cpm_model *m = f->walk.m;
    int status = cpm_note(&m->notes, f->e,
                          "each time contains %.3g us, +- %.2g, in which processes start one after "
                          "the other: predictions leave it out",
                          shown(START, f->now.value[START]), shown(START, f->half[START]));
    return status ? status
                  : cpm_metadata_set(&m->metadata, f->e, CPM_METADATA_START, "%.6g",
                                     f->now.value[START]);
}

static int note_fit(const fitting *f)
{
    cpm_model *m = f->walk.m;
    int status = cpm_note(
        &m->notes, f->e,
        "fitted to %d times of %d collective algorithms, without point-to-point experiments and "
        "with all processes alike: they are off by a factor of %.2f",
        f->walk.rows, distinct(f, same_algorithm, f->walk.rows), cpm_walk_fit_factor(&f->walk));
    if (!status)
        status = cpm_metadata_set(&m->metadata, f->e, CPM_METADATA_ALIKE, "yes");
    if (!status && f->now.rendezvous)
        status = note_rendezvous(f);
    if (!status && has(f, LEAVING))
        status = cpm_lmo2_note_leaving(m, f->now.value[LEAVING], f->e);
    return status || !has(f, START) ? status : note_start(f);
}

static int note_unknown(const fitting *f, double t)
{
    char **notes = &f->walk.m->notes;
    static const double half = 0.5; /* of a value */
    bool noted[MOST] = {false};
    int status = CPM_OK;
    for (int k = 0; k < f->now.count && !status; k++) {
        int p = f->now.free[k];
        if (noted[p] || p == START || f->half[p] <= half * f->now.value[p])
            continue;
        int q = partner_of(f, k);
        if (q >= 0)
            noted[f->now.free[q]] = true;
        status = q >= 0
                     ? note_apart(f, k, q, t)
                     : cpm_note(notes, f->e, "%s is not known: it is at most %.3g %s",
                                unknowns[p].name, shown(p, f->now.value[p] + f->half[p]), unit(p));
    }
    if (!status && !combines(f))
        return cpm_note(notes, f->e, "no reduction was measured: Oc and cb are not known");
    for (int p = OC; p <= CF && !status; p++)
        if (f->now.left[p] && (p != CF || takes_memory(f)))
            status = cpm_note(notes, f->e, "%s is not known: it could be 0", unknowns[p].name);
    return status;
}

/* ---- what is enough */

static int check(const fitting *f)
{
    enum { ALGORITHMS = 3, SIZES = 4, SPAN = 64 };
    static const char *const needed =
        "collectives without point-to-point experiments need 3 algorithms and 4 sizes, the largest "
        "64 times the smallest";
    size_t extreme[2];
    if (f->hosts->count > 1 && f->hosts->count < f->hosts->n)
        return cpm_fail(f->e, CPM_EDATA,
                        "collectives of %d processes on %d hosts do not tell messages inside a "
                        "host from others: measure one process per host, or use cpm measure",
                        f->hosts->n, f->hosts->count);
    int algorithms = distinct(f, same_algorithm, ALGORITHMS);
    if (algorithms < ALGORITHMS)
        return cpm_fail(f->e, CPM_EDATA, "%s; algorithms measured: %d", needed, algorithms);
    find_sizes(f, extreme);
    bool few = distinct(f, same_block, SIZES) < SIZES;
    if (few || extreme[1] < SPAN * (extreme[0] ? extreme[0] : 1))
        return cpm_fail(f->e, CPM_EDATA, "%s; measured: %d, %zu to %zu bytes", needed,
                        distinct(f, same_block, f->walk.rows), extreme[0], extreme[1]);
    return CPM_OK;
}

/* ---- all of it */

bool cpm_lmo2_only_collectives(const cpm_measurements *m)
{
    for (int q = 0; q < m->count; q++)
        if (m->at[q].what.kind)
            return false;
    return m->count > 0;
}

static int fit(fitting *f, double confidence)
{
    form best;
    find_scales(f);
    int status = find_form(f, &best);
    if (status)
        return status;
    f->now = best;
    status = fit_form(
        f, CPM_WALK_FIT_STEPS); /* the model of the last form that was tried is another one */
    double t = gsl_cdf_tdist_Qinv((1 - confidence) / 2, fmax(1, f->walk.rows - f->now.count));
    if (!status)
        status = find_intervals(f, t);
    if (status)
        return status;
    set_values(f);
    if (!f->now.shares && f->at == &between)
        f->half[G] = f->half[B];
    set_all(f, f->half, f->walk.m->ci);
    status = note_fit(f);
    return status ? status : note_unknown(f, t);
}

int cpm_lmo2_fit_homogeneous(const cpm_estimation *options, const cpm_measurements *m,
                             cpm_model **out, cpm_error *e)
{
    (void)options;
    cpm_hosts hosts = {0};
    fitting f = {.walk = {.measured = m, .set = set_free, .context = &f},
                 .hosts = &hosts,
                 .at = &between,
                 .e = e};
    int status = cpm_measurements_hosts(m, m->n, &hosts, e);
    if (!status && hosts.count == 1)
        f.at = &inside;
    if (!status)
        status = cpm_walk_fit_take(&f.walk, NULL, e);
    if (!status)
        status = check(&f);
    if (!status)
        status = fit(&f, cpm_asked_confidence(&m->metadata));
    cpm_walk_fit_clear(&f.walk);
    cpm_hosts_clear(&hosts);
    return cpm_model_hand_over(status, f.walk.m, out);
}
