#include "estimators/lmo2_copies.h"

#include <math.h>
#include <stdlib.h>

#include "base/metadata.h"
#include "base/statistics.h"
#include "models/experiments.h"
#include "models/lmo2.h"

/* The first processes of a host; false: it has fewer. */
static bool first_of(const cpm_hosts *hosts, int host, int wanted, int who[3])
{
    int count = 0;
    for (int i = 0; i < hosts->n && count < wanted; i++)
        if (hosts->of[i] == host)
            who[count++] = i;
    return count == wanted;
}

/* To where others have read; of two processes, to where the sender has. */
static cpm_experiment overwriting(const int who[3], size_t bytes)
{
    if (who[2] < 0)
        return cpm_experiment_pair(CPM_SENT_BACK, who[0], who[1], bytes / 4, 0);
    cpm_experiment x = cpm_experiment_pair(CPM_OVERWRITING, who[0], who[1], bytes / 4, 0);
    x.k = who[2];
    return x;
}

/* The same to where nobody has read. */
static cpm_experiment alone(const int who[3], size_t bytes)
{
    return cpm_experiment_pair(CPM_ROUNDTRIP, who[0], who[2] < 0 ? who[1] : who[2], bytes / 4, 0);
}

static cpm_experiment meeting(const int who[3], size_t out, size_t back)
{
    cpm_experiment x = cpm_experiment_pair(CPM_TWO_TO_ONE, who[0], who[1], out, back);
    x.k = who[2];
    return x;
}

static cpm_experiment absent_sender(const int who[3], size_t bytes)
{
    return cpm_experiment_pair(CPM_ABSENT_SENDER, who[0], who[1], 0, bytes);
}

static int plan_absent_senders(const cpm_hosts *hosts, size_t bytes, cpm_design *next, cpm_error *e)
{
    int status = CPM_OK, who[3];
    for (int h = 0; h < hosts->count && !status; h++)
        if (first_of(hosts, h, 2, who)) {
            cpm_experiment x = absent_sender(who, bytes);
            status = cpm_design_add(next, &x, e);
        }
    return status ? status : cpm_design_close_round(next, e);
}

/* The first three processes of a host, or both (who[2] is -1 then). */
static bool three_or_two(const cpm_hosts *hosts, int host, int who[3])
{
    who[2] = -1;
    return first_of(hosts, host, 3, who) || first_of(hosts, host, 2, who);
}

/* False: there is no such experiment of so few processes. */
static bool experiment_of(int turn, const int who[3], size_t bytes, cpm_experiment *x)
{
    if (turn < 2 && who[2] < 0)
        return false;
    *x = turn == 0   ? meeting(who, bytes, 0)
         : turn == 1 ? meeting(who, 0, bytes)
         : turn == 2 ? overwriting(who, bytes)
                     : alone(who, bytes);
    return true;
}

int cpm_lmo2_copies_plan(const cpm_hosts *hosts, size_t bytes, cpm_design *next, cpm_error *e)
{
    cpm_experiment x;
    int status = plan_absent_senders(hosts, bytes, next, e), who[3];
    for (int turn = 0; turn < 4 && !status; turn++) {
        for (int h = 0; h < hosts->count && !status; h++)
            if (three_or_two(hosts, h, who) && experiment_of(turn, who, bytes, &x))
                status = cpm_design_add(next, &x, e);
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    return status;
}

/* ---- fitting */

/* Two times that differ by less than this share and the measurement's interval are the same. */
static const double same = 0.05;

typedef struct {
    cpm_model *m;
    cpm_experiment x;
    double seconds, half; /* that it took */
    cpm_error *e;
} observed;

static bool observe(const cpm_measurements *measured, cpm_experiment x, observed *o)
{
    o->x = x;
    int at = cpm_measurements_find(measured, &o->x);
    if (at < 0)
        return false;
    o->seconds = cpm_measurement_value(&measured->at[at], measured->statistic);
    o->half = cpm_measurement_half(&measured->at[at], measured->statistic);
    return o->seconds > 0;
}

/* By how much it is above the model's time, as a share of what is tolerated. */
static int misses(const observed *o, double *off)
{
    double seconds;
    int status = cpm_model_experiments(o->m, &o->x, 1, &seconds, o->e);
    *off = status ? 0 : (o->seconds - seconds) / (same * o->seconds + o->half);
    return status;
}

/* What shows who moves the bytes of a host's long messages. */
typedef struct {
    observed at[8]; /* the first: two messages of one receiver, where there are three processes */
    int count;
    bool two;           /* there are not */
    double overwriting; /* more time per byte to where others have read: only who copies feels it */
    bool overwrites;    /* it takes clearly more */
} evidence;
enum { MOST_EVIDENCE = sizeof((evidence *)NULL)->at / sizeof(observed) };

static bool is_exchange(const cpm_experiment *x, const int who[3])
{
    bool triple = x->kind == &cpm_experiment_kinds[CPM_CROWDED_TRIPLE];
    return (triple || x->kind == &cpm_experiment_kinds[CPM_CROWDED_EXCHANGE]) && x->i == who[0] &&
           x->j == who[1] && (!triple || x->k == who[2]);
}

/* What two or three processes exchange is of a host that has no more: buffered messages, too, which
 * share what others do if none are fetched. */
static void add_exchanges(const cpm_measurements *measured, const int who[3], const observed *of,
                          evidence *out)
{
    for (int q = 0; q < measured->count && out->count < MOST_EVIDENCE; q++) {
        observed *o = &out->at[out->count];
        *o = *of;
        if (is_exchange(&measured->at[q].what, who))
            out->count += observe(measured, measured->at[q].what, o);
    }
}

/* By how much the model is off at worst, as a share of what is tolerated. */
static int misses_most(const evidence *v, double *off)
{
    int status = CPM_OK;
    *off = 0;
    for (int k = 0; k < v->count && !status; k++) {
        double one;
        status = misses(&v->at[k], &one);
        *off = fmax(*off, fabs(one));
    }
    return status;
}

/* Whether the processor of the receiver explains its two messages better than the memory of its
 * host explains all, which all messages share if they are not fetched. Of two processes it is what
 * is left. */
static int judge_receiver(const evidence *v, cpm_model *m, int host, double from, bool *fetches)
{
    double alone, fetched = 0, *value = &m->value[CPM_LMO2_FETCHED][0], before = *value;
    double *memory = &m->value[CPM_LMO2_MEMORY][host], buffered = *memory;
    if (isnan(buffered))
        *memory = m->value[CPM_LMO2_FETCHING][host];
    *value = NAN;
    int status = misses_most(v, &alone);
    *memory = buffered;
    *value = from;
    if (!status && !v->two)
        status = misses(&v->at[0], &fetched);
    *value = before;
    if (v->overwrites)
        alone = fmax(alone, 1);
    *fetches = !status && (alone > 1 || v->overwrites) && fabs(fetched) < alone;
    return status;
}

/* The time per byte with which the model gives the time of two messages of one source; NaN: they do
 * not hinder each other. */
static int find_source(const observed *o, int host, double *out)
{
    enum { HALVINGS = 40 };
    double *value = &o->m->value[CPM_LMO2_SOURCE][host], off, low = 0;
    int last = o->m->inside.count - 1, g = o->m->classes.count;
    double high = o->m->value[CPM_LMO2_INSIDE_INVBETA][last * g + host];
    *value = NAN;
    int status = misses(o, &off);
    bool hindered = !status && off > 1;
    for (int step = 0; step < HALVINGS && hindered && !status; step++) {
        *value = (low + high) / 2;
        status = misses(o, &off);
        *(off > 0 ? &low : &high) = *value;
    }
    *out = hindered ? high : NAN;
    *value = NAN;
    return status;
}

/* Seconds per byte that a round trip takes more to where others have read; NaN: not measured.
 * clearly: it does. */
static double find_overwriting(const cpm_measurements *measured, const int who[3], size_t bytes,
                               bool *clearly)
{
    const double least = 0.01; /* of what it takes */
    observed with = {0}, without = {0};
    *clearly = false;
    if (!observe(measured, overwriting(who, bytes), &with) ||
        !observe(measured, alone(who, bytes), &without))
        return NAN;
    double more = with.seconds - without.seconds;
    *clearly = more > least * without.seconds + hypot(with.half, without.half);
    return fmax(0, more) / (double)with.x.send_bytes;
}

/* What was found of hosts: value[hosts], NaN where they do not share or were not measured. */
typedef struct {
    int measured, fetching, hindered; /* of those with three processes and more */
    int pairs, apart; /* of those with two: all, and where long messages are unlike buffered ones */
    double *value, *known; /* known: of those that are hindered, for their median */
    bool *fetches;         /* [hosts] as it seems */
} findings;

/* Who copies cannot be told of two processes, and makes no difference to them: if their long
 * messages are not like the others, receivers may. */
static int judge_two(const cpm_measurements *measured, int h, const int who[3], size_t bytes,
                     cpm_model *m, findings *f, cpm_error *e)
{
    evidence v = {.two = true};
    bool unlike = false;
    add_exchanges(measured, who, &(observed){.m = m, .e = e}, &v);
    m->value[CPM_LMO2_OVERWRITING][h] = find_overwriting(measured, who, bytes, &v.overwrites);
    int status = judge_receiver(&v, m, h, m->value[CPM_LMO2_INSIDE_RENDEZVOUS][0], &unlike);
    f->pairs += v.count > 0;
    f->apart += v.count > 0 && unlike;
    return status;
}

/* What shows who copies, of three processes or more; false: it was not measured. */
static bool find_evidence(const cpm_hosts *hosts, int h, const int who[3], size_t bytes,
                          const cpm_measurements *measured, const observed *of, evidence *v)
{
    *v = (evidence){{*of}, .count = 1};
    if (!observe(measured, meeting(who, 0, bytes), &v->at[0]))
        return false;
    v->overwriting = find_overwriting(measured, who, bytes, &v->overwrites);
    if (cpm_hosts_processes(hosts, h) == 3)
        add_exchanges(measured, who, of, v);
    else
        v->overwrites = false; /* who copies is told without */
    return true;
}

static int judge_more(const cpm_hosts *hosts, int h, const int who[3], size_t bytes,
                      const cpm_measurements *measured, cpm_model *m, findings *f, cpm_error *e)
{
    evidence v;
    observed out = {.m = m, .e = e};
    double from = m->value[CPM_LMO2_INSIDE_RENDEZVOUS][0];
    if (!find_evidence(hosts, h, who, bytes, measured, &out, &v) ||
        !observe(measured, meeting(who, bytes, 0), &out))
        return CPM_OK;
    f->measured++;
    int status = judge_receiver(&v, m, h, from, &f->fetches[h]);
    f->fetching += f->fetches[h];
    if (status || !f->fetches[h])
        return status;
    m->value[CPM_LMO2_FETCHED][0] = from;
    status = find_source(&out, h, &f->value[h]);
    m->value[CPM_LMO2_FETCHED][0] = NAN;
    m->value[CPM_LMO2_OVERWRITING][h] = v.overwriting;
    if (!status && !isnan(f->value[h]))
        f->known[f->hindered++] = f->value[h];
    return status;
}

static int judge_host(const cpm_hosts *hosts, int h, size_t bytes, const cpm_measurements *measured,
                      cpm_model *m, findings *f, cpm_error *e)
{
    int who[3];
    if (!three_or_two(hosts, h, who))
        return CPM_OK;
    return who[2] < 0 ? judge_two(measured, h, who, bytes, m, f, e)
                      : judge_more(hosts, h, who, bytes, measured, m, f, e);
}

/* Messages that are not fetched share one memory, whatever their size: what long ones show is true
 * of those that are too short to show it. A host where two messages of one receiver wait for each
 * other is like most others, though its pairs began too far apart to meet. */
static void share_memory(int hosts, const findings *f, cpm_model *m)
{
    double *memory = m->value[CPM_LMO2_MEMORY], *fetching = m->value[CPM_LMO2_FETCHING];
    const double *alone =
        m->value[CPM_LMO2_INSIDE_INVBETA] + (ptrdiff_t)(m->inside.count - 1) * hosts;
    int known = 0;
    for (int h = 0; h < hosts; h++) {
        if (isnan(memory[h]))
            memory[h] = fetching[h];
        known += !isnan(memory[h]);
        fetching[h] = m->value[CPM_LMO2_OVERWRITING][h] = NAN;
    }
    for (int h = 0; h < hosts && 2 * known >= hosts; h++)
        if (f->fetches[h] && isnan(memory[h]))
            memory[h] = alone[h];
}

static int set_copies(const cpm_hosts *hosts, findings *f, cpm_model *m, cpm_error *e)
{
    bool fetched = f->measured ? 2 * f->fetching > f->measured : 2 * f->apart > f->pairs;
    if (!fetched)
        share_memory(hosts->count, f, m);
    if (!fetched)
        return f->measured == 0
                   ? CPM_OK
                   : cpm_note(&m->notes, e,
                              "inside hosts: long messages of one receiver do not wait "
                              "for each other");
    m->value[CPM_LMO2_FETCHED][0] = m->value[CPM_LMO2_INSIDE_RENDEZVOUS][0];
    if (f->measured == 0)
        return cpm_note(&m->notes, e,
                        "inside hosts: long messages do not share what the others share (%d of %d "
                        "hosts). Their receivers are taken to copy them, which two processes "
                        "cannot tell",
                        f->apart, f->pairs);
    bool most = 2 * f->hindered > f->fetching;
    double usual = most ? cpm_median(f->known, f->hindered) : NAN;
    for (int h = 0; h < hosts->count; h++)
        m->value[CPM_LMO2_SOURCE][h] = isnan(f->value[h]) && most ? usual : f->value[h];
    return cpm_note(&m->notes, e,
                    "inside hosts: receivers' processors copy long messages one after the other "
                    "(%d of %d hosts), and several from one sender hinder each other on %d",
                    f->fetching, f->measured, f->hindered);
}

/* Where messages wait until their sender is back, its processor moves a part of them. */
static int note_senders(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                        cpm_model *m, cpm_error *e)
{
    const double clearly = 1.5; /* it is away for twice as long as a message takes */
    int known = 0, needed = 0, status = CPM_OK, who[3];
    observed o = {.m = m, .e = e};
    for (int h = 0; h < hosts->count && !status; h++) {
        double seconds;
        if (!first_of(hosts, h, 2, who) || !observe(measured, absent_sender(who, bytes), &o))
            continue;
        status = cpm_model_experiments(m, &o.x, 1, &seconds, e);
        known++;
        needed += !status && o.seconds > clearly * seconds;
    }
    if (status || !known)
        return status;
    return cpm_note(&m->notes, e,
                    "inside hosts: long messages %s their sender's processor%s (%d of %d hosts)",
                    2 * needed > known ? "need" : "do not need",
                    2 * needed > known ? ", too: they are copied in and out" : "",
                    2 * needed > known ? needed : known - needed, known);
}

int cpm_lmo2_copies_fit(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                        cpm_model *m, cpm_error *e)
{
    size_t room = (size_t)hosts->count * sizeof(double);
    findings f = {.value = malloc(room),
                  .known = malloc(room),
                  .fetches = calloc((size_t)hosts->count, sizeof *f.fetches)};
    int status = f.value && f.known && f.fetches ? CPM_OK : cpm_no_memory(e);
    for (int h = 0; h < hosts->count && !status; h++)
        f.value[h] = NAN;
    for (int h = 0; h < hosts->count && !status; h++)
        status = judge_host(hosts, h, bytes, measured, m, &f, e);
    if (!status)
        status = set_copies(hosts, &f, m, e);
    if (!status)
        status = note_senders(hosts, bytes, measured, m, e);
    free(f.value);
    free(f.known);
    free(f.fetches);
    return status;
}
