#include "estimators/lmo2_core.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimators/lmo2.h"
#include "estimators/lmo2_bursts.h"
#include "models/lmo2.h"

/* ---- who meets: the first half of the hosts, switch by switch, and the second */

typedef struct {
    const cpm_hosts *on; /* NULL: all are at one switch */
    int n;
    int *order, *first; /* as cpm_hosts_sort gives them */
    int *second;        /* [n] the second half, as it is dealt */
    gsl_rng *random;
    int *from, *to; /* [pairs] */
    int pairs, dealing;
} meeting;

/* In each of these the second half is in another order: on static routes orders that are regular
 * may meet on one of several links. */
enum { DEALINGS = 4 };
/* Bursts are known by their answers: those over trunks have shorter ones, those over links longer.
 */
enum { FIRST = 8 };

static int open_meeting(const cpm_hosts *on, int n, meeting *x, cpm_error *e)
{
    size_t room = (size_t)n + 2;
    *x = (meeting){.on = on,
                   .n = n,
                   .order = malloc(room * sizeof *x->order),
                   .first = malloc(room * sizeof *x->first),
                   .second = malloc(room * sizeof *x->second),
                   .random = gsl_rng_alloc(gsl_rng_mt19937),
                   .from = malloc(room * sizeof *x->from),
                   .to = malloc(room * sizeof *x->to)};
    if (!x->order || !x->first || !x->second || !x->random || !x->from || !x->to)
        return cpm_no_memory(e);
    for (int i = 0; i < n && !on; i++)
        x->order[i] = i;
    if (on)
        cpm_hosts_sort(on, x->order, x->first);
    return CPM_OK;
}

static void close_meeting(meeting *x)
{
    free(x->order);
    free(x->first);
    free(x->second);
    if (x->random)
        gsl_rng_free(x->random);
    free(x->from);
    free(x->to);
}

/* Every second pair sends the other way. */
static void deal(meeting *x, int dealing)
{
    int half = x->n / 2;
    x->dealing = dealing;
    x->pairs = 0;
    memcpy(x->second, x->order + half, (size_t)half * sizeof *x->second);
    gsl_rng_set(x->random, (unsigned long)dealing + 1); /* the same whenever it is asked for */
    gsl_ran_shuffle(x->random, x->second, (size_t)half, sizeof *x->second);
    for (int q = 0; q < half; q++) {
        int a = x->order[q], b = x->second[q];
        if (x->on && cpm_hosts_share(x->on, a, b))
            continue;
        x->from[x->pairs] = x->pairs % 2 ? b : a;
        x->to[x->pairs] = x->pairs % 2 ? a : b;
        x->pairs++;
    }
}

static cpm_experiment pair_of(const meeting *x, int q, size_t bytes)
{
    return cpm_lmo2_burst_pair(x->from[q], x->to[q], bytes, FIRST + (size_t)x->dealing);
}

static bool is_measured(const meeting *x, size_t bytes, const cpm_measurements *m)
{
    bool all = x->pairs > 1;
    for (int q = 0; q < x->pairs && all; q++) {
        cpm_experiment b = pair_of(x, q, bytes);
        all = cpm_measurements_find(m, &b) >= 0;
    }
    return all;
}

/* ---- planning */

int cpm_lmo2_core_plan(const cpm_hosts *on, int n, size_t bytes, cpm_design *next, cpm_error *e)
{
    meeting x;
    int status = open_meeting(on, n, &x, e);
    for (int dealing = 0; dealing < DEALINGS && !status && bytes >= CPM_LMO2_LEAST_SHARED;
         dealing++) {
        deal(&x, dealing);
        for (int q = 0; q < x.pairs && x.pairs > 1 && !status; q++) {
            cpm_experiment b = pair_of(&x, q, bytes);
            status = cpm_design_add(next, &b, e);
        }
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    close_meeting(&x);
    return status;
}

int cpm_lmo2_core_measured(const cpm_hosts *on, const cpm_measurements *m, size_t bytes,
                           bool *measured, cpm_error *e)
{
    meeting x;
    int status = open_meeting(on, m->n, &x, e);
    *measured = false;
    for (int dealing = 0; dealing < DEALINGS && !status; dealing++) {
        deal(&x, dealing);
        *measured = *measured || is_measured(&x, bytes, m);
    }
    close_meeting(&x);
    return status;
}

/* ---- fitting */

int cpm_lmo2_core_open(const cpm_hosts *on, cpm_model *m, cpm_error *e)
{
    cpm_links_draft d = {.hosts = m->n};
    cpm_links links = {0};
    int link = cpm_links_draft_name(&d, on ? "core" : "fabric", e);
    int status = link < 0 ? link : CPM_OK;
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n && !status; j++)
            if (i != j && !(on && cpm_hosts_share(on, i, j)))
                status = cpm_links_draft_use(&d, i, j, link, e);
    if (status)
        cpm_links_draft_clear(&d);
    else
        status = cpm_links_draft_end(&d, &links, e);
    if (!status)
        status = cpm_model_set_links(m, &links, e);
    cpm_links_clear(&links);
    return status;
}

/* False: it was not measured. */
static bool take_dealing(meeting *x, int dealing, size_t bytes, cpm_lmo2_burst *b)
{
    deal(x, dealing);
    b->pairs = x->pairs;
    for (int q = 0; q < x->pairs; q++)
        b->pair[q] = pair_of(x, q, bytes);
    return cpm_lmo2_burst_take(b);
}

/* That with most pairs, and of several the one that met least besides; -1: none was measured. */
static int choose_dealing(meeting *x, size_t bytes, cpm_lmo2_burst *b)
{
    int chosen = -1, most = 0;
    double fastest = INFINITY;
    for (int dealing = 0; dealing < DEALINGS; dealing++) {
        if (!take_dealing(x, dealing, bytes, b) || b->pairs < most ||
            (b->pairs == most && b->time >= fastest))
            continue;
        chosen = dealing;
        most = b->pairs;
        fastest = b->time;
    }
    return chosen;
}

/* What all share slows all: where it does not explain most pairs of all dealings, as on a torus,
 * these met elsewhere. */
static int is_for_all(meeting *x, size_t bytes, cpm_lmo2_burst *b, bool *all, cpm_error *e)
{
    int pairs = 0, explained = 0, status = CPM_OK;
    for (int dealing = 0; dealing < DEALINGS && !status; dealing++) {
        int these = 0;
        if (!take_dealing(x, dealing, bytes, b))
            continue;
        status = cpm_lmo2_burst_explained(b, &these, e);
        pairs += b->pairs;
        explained += these;
    }
    *all = 2 * explained > pairs;
    return status;
}

static int fit_core(meeting *x, size_t bytes, cpm_lmo2_burst *b, cpm_error *e)
{
    double apart, *value = b->m->value[CPM_LMO2_LINK], *half = b->m->ci[CPM_LMO2_LINK];
    int dealing = choose_dealing(x, bytes, b);
    if (dealing < 0)
        return CPM_OK;
    take_dealing(x, dealing, bytes, b);
    int status = cpm_lmo2_burst_misses(b, value, NAN, &apart, e);
    *half = NAN;
    if (status || apart <= 1)
        return status;
    bool all = false;
    status = cpm_lmo2_burst_invert(b, value, half, e);
    if (!status)
        status = is_for_all(x, bytes, b, &all, e);
    *value = all ? *value : NAN;
    *half = all ? *half : NAN;
    return status;
}

int cpm_lmo2_core_fit(const cpm_hosts *on, size_t bytes, const cpm_measurements *measured,
                      cpm_model *m, cpm_error *e)
{
    meeting x;
    cpm_lmo2_burst b = {.measured = measured, .m = m, .by_fastest = true};
    int status = open_meeting(on, m->n, &x, e);
    if (!status)
        status = cpm_lmo2_burst_open(&b, m->n, e);
    if (!status)
        status = fit_core(&x, bytes, &b, e);
    cpm_lmo2_burst_close(&b);
    close_meeting(&x);
    return status;
}

int cpm_lmo2_core_close(cpm_model *m, cpm_error *e)
{
    if (isnan(m->value[CPM_LMO2_LINK][0]))
        return cpm_model_set_links(m, &(cpm_links){0}, e);
    return cpm_note(&m->notes, e, "network: all messages %s share one link, the %s",
                    m->switches.count ? "between switches" : "between hosts", m->links.name[0]);
}
