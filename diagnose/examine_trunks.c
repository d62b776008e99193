/* The doctor's look at the trunks of switches: which one is slower than the others', or, of two
 * switches, than the same trunk the other way. A trunk that was seen not to be shared is at least
 * as fast as the messages that were tried on it, which the others are compared with. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "diagnose/examiner.h"
#include "estimators/outliers.h"
#include "models/lmo2.h"

/* A capacity is known to so much at best (lmo2_trunks.c). */
static const double least_error = 0.05;

enum { LEAST_PAIRS = 2, LEAST_COMPARED = 3, LARGE = 1 << 20 };

typedef struct {
    cpm_examiner *x;
    int *members;             /* [switches] hosts */
    double *work;             /* [hosts * hosts], or of values */
    double *logs, *se;        /* [2 * switches] */
    cpm_score *scores, *room; /* likewise */
    cpm_symptom *symptoms;    /* likewise */
    int count, known;
} trunks;

static void count_members(const cpm_model *m, int *members)
{
    for (int u = 0; u < m->switches.count; u++)
        members[u] = 0;
    for (int i = 0; i < m->n; i++)
        members[m->switches.of[i]]++;
}

/* So many pairs of hosts can use its trunk at once. */
static int most_pairs(const trunks *t, int u)
{
    int hosts = t->members[u], others = t->x->m->n - hosts;
    return hosts < others ? hosts : others;
}

/* ---- how fast a trunk is */

/* Seconds per byte at which nobody would have to wait for the trunk: those of a message alone,
 * divided among the pairs. */
static double fast_enough(const trunks *t, int u, bool down)
{
    const cpm_model *m = t->x->m;
    int used = 0;
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n; j++) {
            cpm_flow f = {0};
            if (m->switches.of[i] != u || m->switches.of[j] == u)
                continue;
            m->type->flow(m, down ? j : i, down ? i : j, LARGE, &f);
            t->work[used++] = f.cap;
        }
    return cpm_median(t->work, used) / most_pairs(t, u);
}

/* What a parameter says of switch u, and its standard error as a share. */
typedef struct {
    double seconds, error; /* per byte */
    bool known;            /* else it is at most so slow */
} capacity;

static capacity capacity_of(const trunks *t, int u, bool down)
{
    const cpm_model *m = t->x->m;
    int p = down ? CPM_LMO2_DOWN : CPM_LMO2_UP;
    double value = m->value[p][u], half = m->ci[p][u];
    if (!(value > 0))
        return (capacity){.seconds = fast_enough(t, u, down)};
    double error = half > 0 ? cpm_standard_error(half, t->x->confidence) / value : 0;
    return (capacity){value, error, true};
}

/* ---- three switches and more */

static void add_trunk(trunks *t, int u, bool down)
{
    capacity c = capacity_of(t, u, down);
    if (!(c.seconds > 0))
        return;
    t->logs[t->count] = log(c.seconds);
    t->se[t->count] = c.error;
    t->symptoms[t->count++] = (cpm_symptom){.kind = CPM_TRUNK,
                                            .parameter = down ? CPM_LMO2_DOWN : CPM_LMO2_UP,
                                            .i = u,
                                            .j = -1,
                                            .value = c.known ? c.seconds : NAN};
    t->known += c.known;
}

/* Value q against those of the other switches: one that is slow is often so up and down. Both are
 * seldom apart, so that there are as many others as switches. */
static int score_trunk(trunks *t, int q, cpm_score_basis *basis)
{
    double *logs = t->work, *se = logs + t->count;
    cpm_score *scores = t->room;
    int used = 0;
    for (int r = 0; r < t->count; r++) {
        if (r != q && t->symptoms[r].i == t->symptoms[q].i)
            continue;
        int at = r == q ? 0 : ++used;
        logs[at] = t->logs[r];
        se[at] = t->se[r];
    }
    int status = cpm_scores(logs, se, used + 1, 0, 1, cpm_least_spread, scores, basis, t->x->e);
    t->scores[q] = scores[0];
    return status;
}

static int compare_trunks(trunks *t)
{
    cpm_score_basis basis = {0};
    int status = CPM_OK;
    for (int u = 0; u < t->x->m->switches.count; u++)
        for (int down = 0; down < 2 && most_pairs(t, u) >= LEAST_PAIRS; down++)
            add_trunk(t, u, down);
    if (t->known && t->count < 2 * LEAST_COMPARED)
        return cpm_note(&t->x->d->notes, t->x->e,
                        "trunks are not compared with each other: %d of %d switches have hosts "
                        "enough to fill theirs, it takes %d",
                        t->count / 2, t->x->m->switches.count, LEAST_COMPARED);
    if (!t->known)
        return CPM_OK;
    for (int q = 0; q < t->count && !status; q++)
        status = score_trunk(t, q, &basis);
    for (int q = 0; q < t->count; q++)
        t->work[q] = t->logs[q];
    double typical = exp(cpm_median(t->work, t->count));
    return status ? status
                  : cpm_examine_scores(t->x, t->scores, &basis, t->count, t->symptoms, typical);
}

/* As fast for each of its hosts as the others' are is what a switch of few hosts needs. */
static bool is_slow_for_its_hosts(const trunks *t, const cpm_symptom *s)
{
    int switches = t->x->m->switches.count;
    for (int u = 0; u < switches; u++)
        t->work[u] = t->members[u];
    double usual = cpm_median(t->work, switches);
    return s->times * t->members[s->i] / usual >= 1 + t->x->o->least_effect;
}

/* ---- two switches */

/* Which of the two trunks on the way is the slower nobody can tell. */
static capacity way_from(const trunks *t, int u)
{
    capacity up = capacity_of(t, u, false), down = capacity_of(t, 1 - u, true);
    if (!up.known || !down.known)
        return up.known ? up : down;
    return up.seconds > down.seconds ? up : down;
}

/* Both directions of a link are alike, so that one is enough to compare the other with. */
static int examine_ways(const trunks *t, const cpm_symptom *s, double error)
{
    enum { NORMAL = 1000 }; /* degrees of freedom of an error that is known */
    cpm_score_basis basis = {error, NORMAL, error, 0, NORMAL, true};
    double distance = log(s->times), score = distance / error;
    cpm_score one = {distance, score, 2 * gsl_cdf_ugaussian_Q(fabs(score))};
    return cpm_examine_scores(t->x, &one, &basis, 1, s, s->value / s->times);
}

static int compare_ways(trunks *t)
{
    capacity way[] = {way_from(t, 0), way_from(t, 1)};
    if (most_pairs(t, 0) < LEAST_PAIRS || (!way[0].known && !way[1].known))
        return CPM_OK;
    if (!(way[0].seconds > 0 && way[1].seconds > 0))
        return CPM_OK;
    int slow = way[0].seconds > way[1].seconds ? 0 : 1;
    cpm_symptom s = {.kind = CPM_TRUNK_WAYS,
                     .parameter = CPM_LMO2_UP,
                     .i = slow,
                     .j = 1 - slow,
                     .value = way[slow].seconds,
                     .times = way[slow].seconds / way[1 - slow].seconds};
    int status = CPM_OK;
    if (way[slow].known) /* else it is at most so slow */
        status = examine_ways(t, &s, hypot(least_error, hypot(way[0].error, way[1].error)));
    if (status)
        return status;
    return cpm_note(&t->x->d->notes, t->x->e,
                    "the trunk between two switches is compared only with its other direction. "
                    "Whether both directions are slow cannot be told (it is as fast as %.2g and "
                    "%.2g of its hosts at once)",
                    most_pairs(t, 0) * fast_enough(t, 0, false) / way[0].seconds,
                    most_pairs(t, 1) * fast_enough(t, 1, false) / way[1].seconds);
}

/* ---- the part */

static bool open_trunks(cpm_examiner *x, trunks *t)
{
    size_t n = (size_t)x->m->n, values = 2 * (size_t)x->m->switches.count;
    *t = (trunks){.x = x,
                  .members = malloc(values * sizeof *t->members),
                  .work = malloc((n * n + 2 * values) * sizeof *t->work),
                  .logs = malloc(values * sizeof *t->logs),
                  .se = malloc(values * sizeof *t->se),
                  .scores = malloc(values * sizeof *t->scores),
                  .room = malloc(values * sizeof *t->room),
                  .symptoms = malloc(values * sizeof *t->symptoms)};
    if (!t->members || !t->work || !t->logs || !t->se || !t->scores || !t->room || !t->symptoms)
        return false;
    count_members(x->m, t->members);
    return true;
}

static void close_trunks(trunks *t)
{
    free(t->members);
    free(t->work);
    free(t->logs);
    free(t->se);
    free(t->scores);
    free(t->room);
    free(t->symptoms);
}

/* Candidates that the others are compared with, but are none themselves. */
static void leave_out_usual(trunks *t)
{
    for (int q = 0; q < t->x->count; q++) {
        cpm_candidate *c = &t->x->at[q];
        if (c->symptom.kind != CPM_TRUNK)
            continue;
        if (isnan(c->symptom.value) || !is_slow_for_its_hosts(t, &c->symptom)) {
            c->score = 0;
            c->p = c->symptom.p = 1;
        }
    }
}

int cpm_examine_trunks(cpm_examiner *x)
{
    trunks t;
    if (x->m->type != &cpm_lmo2 || x->m->switches.count < 2)
        return CPM_OK;
    int status = open_trunks(x, &t) ? CPM_OK : cpm_no_memory(x->e);
    if (!status && x->m->switches.count == 2)
        status = compare_ways(&t);
    else if (!status)
        status = compare_trunks(&t);
    if (!status)
        leave_out_usual(&t);
    close_trunks(&t);
    return status;
}

/* ---- what they explain */

static bool is_slow(const cpm_diagnosis *d, int u)
{
    for (int q = 0; q < d->count; q++) {
        const cpm_symptom *s = &d->at[q];
        bool both = s->kind == CPM_TRUNK_WAYS; /* on the way are the trunks of both */
        if (both || (s->kind == CPM_TRUNK && s->i == u))
            return true;
    }
    return false;
}

bool cpm_examine_is_of_trunk(const cpm_examiner *x, const cpm_symptom *s)
{
    const cpm_model *m = x->m;
    bool links = s->kind == CPM_LINKS || s->kind == CPM_WAYS;
    bool link = s->kind == CPM_LINK || s->kind == CPM_ASYMMETRY;
    if (m->switches.count < 2 || !(links || link) ||
        strcmp(m->type->parameters[s->parameter].unit, "s/B") != 0)
        return false;
    const int *on = m->switches.of;
    return links ? is_slow(x->d, on[s->i])
                 : on[s->i] != on[s->j] && (is_slow(x->d, on[s->i]) || is_slow(x->d, on[s->j]));
}
