#include "estimators/lmo2_contention.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "estimators/lmo2_crowds.h"
#include "models/experiments.h"
#include "models/lmo2.h"

/* ---- what is shared, and what shows it */

static const cpm_crowd memory_of_two = {.kind = CPM_CROWDED_EXCHANGE,
                                        .both = true,
                                        .level = CPM_INSIDE,
                                        .capacity = CPM_LMO2_MEMORY,
                                        .alone = CPM_LMO2_INSIDE_INVBETA,
                                        .most = 1};
static const cpm_crowd memory_of_three = {.kind = CPM_CROWDED_TRIPLE,
                                          .both = true,
                                          .level = CPM_INSIDE,
                                          .capacity = CPM_LMO2_MEMORY,
                                          .alone = CPM_LMO2_INSIDE_INVBETA,
                                          .most = 1};
static const cpm_crowd memory = {.kind = CPM_CROWDED_TRIP,
                                 .level = CPM_INSIDE,
                                 .capacity = CPM_LMO2_MEMORY,
                                 .alone = CPM_LMO2_INSIDE_INVBETA,
                                 .most = 1,
                                 .of_two = &memory_of_two,
                                 .of_three = &memory_of_three};
static const cpm_crowd between_sockets = {.kind = CPM_CROWDED_TRIP,
                                          .level = CPM_ACROSS,
                                          .capacity = CPM_LMO2_SOCKETS,
                                          .alone = CPM_LMO2_ACROSS_INVBETA,
                                          .most = 1};
static const cpm_crowd link_ends = {.kind = CPM_CROWDED_TRIP,
                                    .level = CPM_BETWEEN,
                                    .capacity = CPM_LMO2_GO,
                                    .alone = CPM_LMO2_INVBETA,
                                    .most = 1};
static const cpm_crowd fetching_out = {.kind = CPM_CROWDED_TRIP,
                                       .level = CPM_INSIDE,
                                       .capacity = CPM_LMO2_FETCHING,
                                       .alone = CPM_LMO2_INSIDE_INVBETA,
                                       .most = 1};
static const cpm_crowd fetching_by_three = {.kind = CPM_CROWDED_TRIPLE,
                                            .both = true,
                                            .level = CPM_INSIDE,
                                            .capacity = CPM_LMO2_FETCHING,
                                            .alone = CPM_LMO2_INSIDE_INVBETA,
                                            .most = 1};
static const cpm_crowd fetching = {.kind = CPM_CROWDED_TRIP,
                                   .both = true,
                                   .level = CPM_INSIDE,
                                   .capacity = CPM_LMO2_FETCHING,
                                   .alone = CPM_LMO2_INSIDE_INVBETA,
                                   .most = 1,
                                   .less = &fetching_out,
                                   .of_three = &fetching_by_three};
static const cpm_crowd copying_of_few = {.kind = CPM_CROWDED_EXCHANGE,
                                         .both = true,
                                         .level = CPM_INSIDE,
                                         .capacity = CPM_LMO2_COPYING,
                                         .alone = CPM_LMO2_INSIDE_INVBETA,
                                         .most = 4};
static const cpm_crowd copying = {.kind = CPM_CROWDED_EXCHANGE,
                                  .both = true,
                                  .level = CPM_INSIDE,
                                  .capacity = CPM_LMO2_COPYING,
                                  .alone = CPM_LMO2_INSIDE_INVBETA,
                                  .most = 4,
                                  .of_two = &copying_of_few,
                                  .of_three = &copying_of_few};

/* ---- planning */

static int add_contention(const cpm_crowd_pairs *p, size_t bytes, const cpm_measurements *so_far,
                          cpm_design *next, cpm_error *e)
{
    int status = CPM_OK;
    if (p->pairs == 0 || cpm_crowd_is_measured(p, false, bytes, so_far) ||
        cpm_crowd_is_measured(p, true, bytes, so_far))
        return CPM_OK;
    bool other = cpm_crowd_measured(p, false, bytes, so_far) > 0;
    for (int q = 0; q < p->pairs && !status; q++) {
        cpm_experiment x = cpm_crowd_experiment(p, q, other, bytes);
        status = cpm_design_add(next, &x, e);
    }
    return status;
}

static int plan_contended(const cpm_hosts *hosts, int a, int b, const cpm_crowd *what, size_t bytes,
                          const cpm_measurements *so_far, cpm_design *next, cpm_error *e)
{
    cpm_crowd_pairs p;
    int status = cpm_crowd_pair_up(hosts, a, b, what, &p, e);
    if (!status)
        status = add_contention(&p, bytes, so_far, next, e);
    free(p.process);
    return status;
}

/* All hosts at once. */
static int plan_hosts(const cpm_hosts *hosts, const cpm_crowd *what, size_t bytes,
                      const cpm_measurements *so_far, cpm_design *next, cpm_error *e)
{
    cpm_crowd_sockets s;
    int status = cpm_crowd_sockets_find(hosts, &s, e), a, b;
    for (int h = 0; h < hosts->count && !status; h++)
        if (cpm_crowd_sockets_of(&s, h, what->level, &a, &b))
            status = plan_contended(&s.of, a, b, what, bytes, so_far, next, e);
    cpm_crowd_sockets_clear(&s);
    return status ? status : cpm_design_close_round(next, e);
}

int cpm_lmo2_memory_plan(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *so_far,
                         cpm_design *next, cpm_error *e)
{
    return plan_hosts(hosts, &memory, bytes, so_far, next, e);
}

int cpm_lmo2_sockets_plan(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *so_far,
                          cpm_design *next, cpm_error *e)
{
    return plan_hosts(hosts, &between_sockets, bytes, so_far, next, e);
}

int cpm_lmo2_fetching_plan(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *so_far,
                           cpm_design *next, cpm_error *e)
{
    int status = plan_hosts(hosts, &fetching_out, bytes, so_far, next, e);
    return status ? status : plan_hosts(hosts, &fetching, bytes, so_far, next, e);
}

int cpm_lmo2_copying_plan(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *so_far,
                          cpm_design *next, cpm_error *e)
{
    return plan_hosts(hosts, &copying, bytes, so_far, next, e);
}

int cpm_lmo2_ends_plan(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *so_far,
                       cpm_design *next, cpm_error *e)
{
    int status = CPM_OK;
    for (int h = 0; h < 2 && hosts->count == 2 && !status; h++) {
        status = plan_contended(hosts, h, 1 - h, &link_ends, bytes, so_far, next, e);
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    return status;
}

/* ---- fitting */

/* What pairs of processes took at once. */
typedef struct {
    cpm_experiment *pair; /* [pairs] of these processes alone */
    /* Of the slowest pair, seconds: pairs do not begin at quite the same moment, and who is early
     * is alone for a while. */
    double measured, half;
} taken;

typedef struct {
    cpm_model *model; /* of these processes: its classes are the host, or the two */
    taken of, less;   /* less: of what->less, if there is such */
    double *seconds;  /* [pairs] */
    int pairs;
    const cpm_crowd *what;
    double measured, half; /* how much longer the slowest pair of the one took; half of both */
    cpm_error *e;
} contention;

/* Two times that differ by less than this share and the measurement's interval are the same: not
 * less, because the pairs that meet do not begin at quite the same moment. */
static const double same = 0.05;

static void set_capacity(contention *c, double seconds_per_byte)
{
    c->model->value[c->what->capacity][0] = seconds_per_byte;
    if (c->what->level == CPM_BETWEEN)
        c->model->value[CPM_LMO2_GI][1] = seconds_per_byte;
}

/* What a long message takes per byte when it is alone. */
static double alone_in(const contention *c)
{
    const cpm_model *m = c->model;
    const double *alone = m->value[c->what->alone];
    return c->what->level == CPM_BETWEEN ? alone[cpm_pair_place(m, m->sizes.count - 1, 0, 1)]
                                         : alone[cpm_model_regimes(m, c->what->level)->count - 1];
}

/* What the slowest pair takes by the model. */
static int find_slowest(const contention *c, const taken *of, double *slowest)
{
    int status = cpm_model_experiments(c->model, of->pair, c->pairs, c->seconds, c->e);
    *slowest = 0;
    for (int q = 0; q < c->pairs && !status; q++)
        *slowest = fmax(*slowest, c->seconds[q]);
    return status;
}

/* By how much the slowest pair is above the model's if what is shared takes so long per byte, as a
 * share of what is tolerated. Negative status: failed. */
static int misses(contention *c, double seconds_per_byte, double *off)
{
    double slowest, less = 0;
    set_capacity(c, seconds_per_byte);
    int status = find_slowest(c, &c->of, &slowest);
    if (!status && c->what->less)
        status = find_slowest(c, &c->less, &less);
    *off = (c->measured - (slowest - less)) / (same * c->measured + c->half);
    return status;
}

/* The capacity with which the model gives the measured time, or the least one: messages that are
 * alone have it. */
static int invert(contention *c, double high, double *out)
{
    enum { HALVINGS = 40 };
    double low = 0, off;
    int status = CPM_OK;
    for (int step = 0; step < HALVINGS && !status; step++) {
        double middle = (low + high) / 2;
        status = misses(c, middle, &off);
        *(off > 0 ? &low : &high) = middle;
    }
    *out = high;
    return status;
}

/* What is as fast as one message explains the time best; NaN: they do not share it, as also where
 * all together are faster than the model has one alone. Copying explains only what the memory
 * leaves. */
static int find_capacity(contention *c, double *out)
{
    double alone = alone_in(c), apart, together;
    int status = misses(c, NAN, &apart);
    if (!status)
        status = misses(c, alone, &together);
    if (status)
        return status;
    bool explained = fabs(apart) <= 1 && (c->what == &copying || c->what == &copying_of_few ||
                                          c->what == &fetching_by_three);
    *out = fabs(together) <= 1 && !explained ? alone : NAN;
    if (apart > 1 && fabs(together) > 1)
        status = invert(c, c->what->most * alone, out);
    return status;
}

static int take_pairs(const cpm_crowd_pairs *p, size_t bytes, const cpm_measurements *m, taken *out,
                      cpm_error *e)
{
    bool other = !cpm_crowd_is_measured(p, false, bytes, m);
    out->pair = malloc((size_t)p->pairs * sizeof *out->pair);
    if (!out->pair)
        return cpm_no_memory(e);
    for (int q = 0; q < p->pairs; q++) {
        cpm_experiment x = cpm_crowd_experiment(p, q, other, bytes);
        const cpm_measurement *r = &m->at[cpm_measurements_find(m, &x)];
        double seconds = cpm_measurement_value(r, m->statistic);
        if (seconds > out->measured) {
            out->measured = seconds;
            out->half = cpm_measurement_half(r, m->statistic);
        }
        out->pair[q] = cpm_crowd_pair(p, q, other, bytes);
    }
    return out->measured > 0 ? CPM_OK
                             : cpm_fail(e, CPM_EDATA, "%s experiments took no time",
                                        cpm_experiment_kinds[p->what->kind].name);
}

static bool is_known(const cpm_crowd_pairs *p, size_t bytes, const cpm_measurements *m)
{
    return p->pairs > 0 &&
           (cpm_crowd_is_measured(p, false, bytes, m) || cpm_crowd_is_measured(p, true, bytes, m));
}

static void close_contention(contention *c)
{
    cpm_model_free(c->model);
    free(c->of.pair);
    free(c->less.pair);
    free(c->seconds);
}

/* What was measured of pairs; *known: it was. out is to be closed. */
static int open_contention(const cpm_crowd_pairs *p, size_t bytes, const cpm_measurements *measured,
                           const cpm_model *m, bool *known, contention *out, cpm_error *e)
{
    const cpm_crowd_pairs less = {p->process, p->pairs, p->what->less};
    *out = (contention){.pairs = p->pairs, .what = p->what, .e = e};
    *known = is_known(p, bytes, measured) && (!less.what || is_known(&less, bytes, measured));
    if (!*known)
        return CPM_OK;
    out->seconds = malloc(2 * (size_t)p->pairs * sizeof *out->seconds);
    int status = out->seconds ? take_pairs(p, bytes, measured, &out->of, e) : cpm_no_memory(e);
    if (!status && less.what)
        status = take_pairs(&less, bytes, measured, &out->less, e);
    if (!status)
        status = cpm_model_subset(m, p->process, cpm_crowd_processes(p), &out->model, e);
    out->measured = out->of.measured - out->less.measured;
    out->half = hypot(out->of.half, out->less.half);
    *known = !status && out->measured > 0;
    return status;
}

static int judge_pairs(const cpm_crowd_pairs *p, size_t bytes, const cpm_measurements *measured,
                       const cpm_model *m, double *out, bool *known, cpm_error *e)
{
    contention c;
    int status = open_contention(p, bytes, measured, m, known, &c, e);
    if (!status && *known)
        status = find_capacity(&c, out);
    close_contention(&c);
    return status;
}

/* Of host a, or from host (or socket, as level says) a to b. */
static int judge_hosts(const cpm_hosts *hosts, int a, int b, const cpm_crowd *what, size_t bytes,
                       const cpm_measurements *measured, const cpm_model *m, double *out,
                       bool *known, cpm_error *e)
{
    cpm_crowd_pairs p;
    int status = cpm_crowd_pair_up(hosts, a, b, what, &p, e);
    if (!status)
        status = judge_pairs(&p, bytes, measured, m, out, known, e);
    free(p.process);
    return status;
}

/* ---- all hosts */

typedef struct {
    int known, shared;
    int of_two; /* known, from two processes only: they do not share what more may */
} verdicts;

/* By how much the slowest of hosts is hindered. */
static int note_copying(const verdicts *v, cpm_model *m, cpm_error *e)
{
    size_t hosts = (size_t)m->classes.count, last = (size_t)(m->inside.count - 1) * hosts;
    double most = 1;
    for (size_t h = 0; h < hosts; h++)
        most = fmax(most, 2 * m->value[CPM_LMO2_COPYING][h] /
                              m->value[CPM_LMO2_INSIDE_INVBETA][last + h]);
    return cpm_note(
        &m->notes, e,
        "inside hosts: two long messages that meet hinder each other on %d of %d hosts: "
        "they take up to %.2g times as long as one",
        v->shared, v->known, most);
}

/* Where a fit could not find it out. */
static int note_unknown(const char *what, const char *takes, cpm_model *m, cpm_error *e)
{
    return cpm_note(&m->notes, e,
                    "%s: that takes %s, messages that are long enough, and the time to measure "
                    "them",
                    what, takes);
}

static int note_shared(const verdicts *v, const cpm_crowd *what, int hosts, cpm_model *m,
                       cpm_error *e)
{
    char some[40] = "";
    if (v->known < hosts)
        snprintf(some, sizeof some, " (%d measured)", v->known);
    if (what == &copying)
        return v->known ? note_copying(v, m, e) : CPM_OK;
    if (what == &fetching)
        return v->known ? cpm_note(&m->notes, e, CPM_LMO2_FETCHING_SEEN " %d of %d hosts%s",
                                   v->shared, hosts, some)
                        : CPM_OK;
    if (what == &between_sockets && v->known)
        return cpm_note(&m->notes, e,
                        "sockets: messages between them share the link of %d of %d hosts%s",
                        v->shared, hosts, some);
    if (what == &between_sockets)
        return note_unknown(CPM_LMO2_SOCKETS_UNKNOWN, "two processes on both sockets of a host", m,
                            e);
    if (v->of_two > 0 && v->of_two == v->known && v->shared == 0)
        return cpm_note(&m->notes, e,
                        CPM_LMO2_MEMORY_UNKNOWN ": two processes do not, but more may");
    if (v->known)
        return cpm_note(&m->notes, e, "memory: messages inside share that of %d of %d hosts%s",
                        v->shared, hosts, some);
    return note_unknown(CPM_LMO2_MEMORY_UNKNOWN, "two processes on a host", m, e);
}

static int judge_all(const cpm_crowd_sockets *s, const cpm_crowd *what, size_t bytes,
                     const cpm_measurements *measured, cpm_model *m, bool *known, verdicts *v,
                     cpm_error *e)
{
    double *value = m->value[what->capacity];
    int status = CPM_OK, a, b;
    for (int h = 0; h < s->hosts && !status; h++) {
        if (!cpm_crowd_sockets_of(s, h, what->level, &a, &b))
            continue;
        status = judge_hosts(&s->of, a, b, what, bytes, measured, m, &value[h], &known[h], e);
        v->known += known[h];
        v->shared += known[h] && !isnan(value[h]);
        v->of_two += known[h] && what->level == CPM_INSIDE && cpm_hosts_processes(&s->of, a) == 2;
    }
    return status;
}

/* Hosts where it is not known are like most of the others. */
static void share_as_most(const bool *known, const cpm_crowd *what, cpm_model *m, verdicts *v)
{
    size_t hosts = (size_t)m->classes.count;
    size_t last = (size_t)(cpm_model_regimes(m, what->level)->count - 1) * hosts;
    bool most = 2 * v->shared > v->known;
    for (size_t h = 0; h < hosts && most; h++)
        if (!known[h]) {
            m->value[what->capacity][h] = m->value[what->alone][last + h];
            v->shared++;
        }
}

static int fit_shared(const cpm_hosts *hosts, const cpm_crowd *what, size_t bytes,
                      const cpm_measurements *measured, cpm_model *m, cpm_error *e)
{
    cpm_crowd_sockets s;
    verdicts v = {0};
    bool *known = calloc((size_t)hosts->count, sizeof *known);
    int status = cpm_crowd_sockets_find(hosts, &s, e);
    if (!status && !known)
        status = cpm_no_memory(e);
    if (!status)
        status = judge_all(&s, what, bytes, measured, m, known, &v, e);
    if (!status)
        share_as_most(known, what, m, &v);
    cpm_crowd_sockets_clear(&s);
    free(known);
    return status ? status : note_shared(&v, what, hosts->count, m, e);
}

int cpm_lmo2_memory_fit(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                        cpm_model *m, cpm_error *e)
{
    return fit_shared(hosts, &memory, bytes, measured, m, e);
}

int cpm_lmo2_sockets_fit(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                         cpm_model *m, cpm_error *e)
{
    return fit_shared(hosts, &between_sockets, bytes, measured, m, e);
}

int cpm_lmo2_fetching_fit(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                          cpm_model *m, cpm_error *e)
{
    double *fetched = m->value[CPM_LMO2_FETCHED];
    *fetched = m->value[CPM_LMO2_INSIDE_RENDEZVOUS][0];
    int status = fit_shared(hosts, &fetching, bytes, measured, m, e);
    *fetched = NAN;
    return status;
}

/* Whether exchanges of host (or socket) a are clearly faster than the memory lets them be. */
static int judge_exchanges(const cpm_hosts *hosts, int a, size_t bytes,
                           const cpm_measurements *measured, const cpm_model *m, bool *faster,
                           cpm_error *e)
{
    cpm_crowd_pairs p;
    contention c = {0};
    double off = 0;
    bool known = false;
    int status = cpm_crowd_pair_up(hosts, a, a, &copying, &p, e);
    if (!status)
        status = open_contention(&p, bytes, measured, m, &known, &c, e);
    if (!status && known)
        status = misses(&c, NAN, &off);
    *faster = off < -1;
    close_contention(&c);
    free(p.process);
    return status;
}

/* Exchanges are of twice as many messages at once. Where the memory is full without them they take
 * twice as long; where they do not, messages were slowed by something else. */
static int drop_contradicted(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                             cpm_model *m, cpm_error *e)
{
    cpm_crowd_sockets s;
    double *value = m->value[CPM_LMO2_FETCHING];
    int status = cpm_crowd_sockets_find(hosts, &s, e), a, b, dropped = 0;
    for (int h = 0; h < s.hosts && !status; h++) {
        bool faster = false;
        if (!isnan(value[h]) && cpm_crowd_sockets_of(&s, h, CPM_INSIDE, &a, &b))
            status = judge_exchanges(&s.of, a, bytes, measured, m, &faster, e);
        if (faster)
            value[h] = NAN;
        dropped += faster;
    }
    cpm_crowd_sockets_clear(&s);
    if (status || !dropped)
        return status;
    return cpm_note(&m->notes, e,
                    "memory: on %d hosts long messages both ways are faster than that allows: it "
                    "is taken not to be shared by them",
                    dropped);
}

/* Of host (or socket) a, if it has three processes. */
static int rejudge_three(const cpm_hosts *hosts, int a, size_t bytes,
                         const cpm_measurements *measured, const cpm_model *m, double *value,
                         cpm_error *e)
{
    cpm_crowd_pairs p;
    bool known;
    int status = cpm_crowd_pair_up(hosts, a, a, &fetching, &p, e);
    if (!status && p.what == &fetching_by_three)
        status = judge_pairs(&p, bytes, measured, m, value, &known, e);
    free(p.process);
    return status;
}

/* Of three processes copying both ways may be all that the memory seemed to be. */
static int refit_fetching(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                          cpm_model *m, cpm_error *e)
{
    cpm_crowd_sockets s;
    double *value = m->value[CPM_LMO2_FETCHING];
    int status = cpm_crowd_sockets_find(hosts, &s, e), a, b;
    for (int h = 0; h < s.hosts && !status; h++)
        if (!isnan(value[h]) && cpm_crowd_sockets_of(&s, h, CPM_INSIDE, &a, &b))
            status = rejudge_three(&s.of, a, bytes, measured, m, &value[h], e);
    cpm_crowd_sockets_clear(&s);
    return status;
}

int cpm_lmo2_copying_fit(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                         cpm_model *m, cpm_error *e)
{
    int status = drop_contradicted(hosts, bytes, measured, m, e);
    if (!status)
        status = fit_shared(hosts, &copying, bytes, measured, m, e);
    return status ? status : refit_fetching(hosts, bytes, measured, m, e);
}

int cpm_lmo2_ends_fit(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                      cpm_model *m, cpm_error *e)
{
    double value[2] = {NAN, NAN};
    verdicts v = {0};
    int status = CPM_OK;
    if (hosts->count != 2)
        return CPM_OK;
    for (int h = 0; h < 2 && !status; h++) {
        bool known = false;
        status = judge_hosts(hosts, h, 1 - h, &link_ends, bytes, measured, m, &value[h], &known, e);
        v.known += known;
        v.shared += known && !isnan(value[h]);
    }
    for (int h = 0; h < 2 && !status; h++)
        m->value[CPM_LMO2_GO][h] = m->value[CPM_LMO2_GI][1 - h] = value[h];
    if (status || !v.known)
        return status ? status : note_unknown(CPM_LMO2_ENDS_UNKNOWN, "two processes on both", m, e);
    return cpm_note(&m->notes, e,
                    "link ends of two hosts: messages share them in %d of %d directions%s; which "
                    "of the two ends is the slower cannot be told",
                    v.shared, v.known, v.known < 2 ? " that were measured" : "");
}
