/* The doctor's look at the parameters of a model: processes, and links without what the processes
 * at their ends explain. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "diagnose/examiner.h"
#include "diagnose/kinds.h"
#include "estimators/outliers.h"
#include "models/lmo2.h"

/* ---- logarithms */

/* A slice of a parameter. */
typedef struct {
    int p, slice;
    size_t count;               /* values */
    const double *value, *half; /* [count] */
    double *times;              /* [count] of the diagnosis */
} part;

static part part_of(const cpm_examiner *x, int p, int slice)
{
    size_t count = cpm_parameter_values(x->m, p), first = (size_t)slice * count;
    return (part){
        p, slice, count, x->m->value[p] + first, x->m->ci[p] + first, x->d->times[p] + first};
}

static double error_of(const cpm_examiner *x, const part *of, size_t at)
{
    double half = of->half[at];
    return isfinite(half) ? cpm_standard_error(half, x->confidence) : 0;
}

/* No pair, or one of a host whose inside has parameters of its own. */
static bool on_diagonal(const cpm_examiner *x, int p, size_t at)
{
    int n = x->m->n, i = (int)(at / (size_t)n), j = (int)(at % (size_t)n);
    return x->m->type->parameters[p].shape == CPM_PAIR && (i == j || cpm_model_inside(x->m, i, j));
}

static double middle_size(const cpm_examiner *x, const part *of, double *work)
{
    int used = 0;
    for (size_t at = 0; at < of->count; at++)
        if (!on_diagonal(x, of->p, at) && isfinite(of->value[at]))
            work[used++] = fabs(of->value[at]);
    return used ? cpm_median(work, used) : 0;
}

/* Lines of large messages are often known so little that only a note says it, of all together. */
static void add_uncertain(cpm_examiner *x, const part *of)
{
    size_t used = strlen(x->uncertain), room = sizeof x->uncertain - used;
    const char *name = x->m->type->parameters[of->p].name;
    if (room > strlen(name) + 40)
        snprintf(x->uncertain + used, room, "%s%s from %zu B on", used ? ", " : "", name,
                 cpm_parameter_sizes(x->m, of->p)->at[of->slice]);
}

static int note_unresolved(cpm_examiner *x, const part *of, size_t raised, size_t all)
{
    if (of->slice == 0)
        return cpm_note(&x->d->notes, x->e,
                        "%s is not compared: %zu of %zu values cannot be told from 0",
                        x->m->type->parameters[of->p].name, raised, all);
    add_uncertain(x, of);
    return CPM_OK;
}

static double usual_error(const cpm_examiner *x, const part *of, double *work)
{
    int used = 0;
    for (size_t at = 0; at < of->count; at++)
        if (!on_diagonal(x, of->p, at) && of->value[at] > 0)
            work[used++] = error_of(x, of, at) / of->value[at];
    return used ? cpm_median(work, used) : 0;
}

/* The largest that a value may be: what is above that is seen. */
static double at_most(const cpm_examiner *x, const part *of, size_t at)
{
    return isnan(of->value[at]) ? INFINITY : fmax(of->value[at], 0) + 2 * error_of(x, of, at);
}

/* Logarithms of a parameter's values and their standard errors. A value that is not above its
 * standard error, or is no part of what the others are, cannot be told from 0: nobody knows how
 * many times less than the others it is. It is not compared, but it is not slow, either, unless it
 * may be (examiner's hidden). *resolved: false if there are too many of these to compare, or, of
 * larger messages, if errors are usually above a tenth; a note says so. */
static int take_logs(cpm_examiner *x, const part *of, double *logs, double *se, bool *resolved)
{
    size_t all = 0, zero = 0;
    double usual = middle_size(x, of, logs), least = 1e-3 * usual;
    bool vague = of->slice > 0 && usual_error(x, of, logs) > 0.1;
    bool optional = x->m->type->parameters[of->p].optional;
    x->hidden = 0;
    for (size_t at = 0; at < of->count; at++) {
        double value = of->value[at], error = error_of(x, of, at);
        logs[at] = se[at] = NAN;
        if (on_diagonal(x, of->p, at))
            continue;
        bool known = value > fmax(error, least);
        all += !isnan(value);
        zero += !isnan(value) && !known;
        if (!known && !(optional && isnan(value)))
            x->hidden = fmax(x->hidden, at_most(x, of, at) / usual);
        if (!known)
            continue;
        logs[at] = log(value);
        if (of->count == (size_t)x->m->n)
            logs[at] -= cpm_examine_speaker(x, of->p, (int)at);
        se[at] = error / value;
    }
    *resolved = least > 0 && 4 * zero <= all && !vague;
    return *resolved ? CPM_OK : note_unresolved(x, of, least > 0 ? zero : all, all);
}

/* ---- what matters */

/* Typical time per byte of what else messages of that level and size need, at least. */
static double other_times(const cpm_examiner *x, const part *of, double *work)
{
    const cpm_parameter *a = &x->m->type->parameters[of->p];
    double most = 0;
    for (int p = 0; p < x->m->type->count; p++) {
        const cpm_parameter *b = &x->m->type->parameters[p];
        if (p == of->p || b->level != a->level || strcmp(b->unit, "s/B") != 0 ||
            !cpm_model_has_parameter(x->m, p) || cpm_parameter_slices(x->m, p) <= of->slice)
            continue;
        part other = part_of(x, p, of->slice);
        most = fmax(most, middle_size(x, &other, work));
    }
    return most;
}

/* Whether messages would take less than the least effect longer if a process took the fault's size
 * times what it may take per byte: network cards that fetch what they send leave little of that.
 * Only where that is known. work[n*n]. */
static void set_minor(cpm_examiner *x, const part *of, double *work)
{
    double most = 0;
    if (strcmp(x->m->type->parameters[of->p].unit, "s/B") != 0)
        return;
    for (size_t at = 0; at < of->count; at++)
        most = fmax(most, error_of(x, of, at) > 0 ? at_most(x, of, at) : INFINITY);
    double others = other_times(x, of, work);
    if (most * (x->o->fault - 1) < x->o->least_effect * others)
        x->d->minor[of->p] = true;
}

/* ---- processes */

/* Moves those that are known to the front; returns how many. */
static int gather_known(const part *of, double *logs, double *se, cpm_symptom *symptoms)
{
    int known = 0;
    for (int i = 0; i < (int)of->count; i++) {
        if (isnan(logs[i]))
            continue;
        symptoms[known] = (cpm_symptom){.kind = CPM_OWN,
                                        .parameter = of->p,
                                        .slice = of->slice,
                                        .i = i,
                                        .j = -1,
                                        .value = of->value[i]};
        logs[known] = logs[i];
        se[known++] = se[i];
    }
    return known;
}

/* Where only some hosts' messages were seen to share a link end: no fault, but a doubt. */
static int note_ports(const cpm_examiner *x, const part *of)
{
    int unknown = 0, all = (int)of->count;
    for (int i = 0; i < all; i++)
        unknown += isnan(of->value[i]);
    if (x->m->type != &cpm_lmo2 || (of->p != CPM_LMO2_GO && of->p != CPM_LMO2_GI) || !unknown ||
        unknown == all)
        return CPM_OK;
    return cpm_note(&x->d->notes, x->e,
                    "messages share the link end (%s) of %d of %d %s, and not that of %d: these "
                    "may have several ports. That is no fault",
                    x->m->type->parameters[of->p].name, all - unknown, all,
                    cpm_diagnosis_of_hosts(x->d) ? "hosts" : "processes", unknown);
}

static int compare_processes(cpm_examiner *x, const part *of, double *logs, double *se,
                             cpm_symptom *symptoms, double *work)
{
    bool resolved;
    int status = note_ports(x, of);
    if (!status)
        status = take_logs(x, of, logs, se, &resolved);
    if (status || !resolved)
        return status;
    int known = gather_known(of, logs, se, symptoms);
    memcpy(work, logs, (size_t)known * sizeof *work);
    double middle = cpm_median(work, known);
    for (int q = 0; q < known; q++)
        of->times[symptoms[q].i] = exp(logs[q] - middle);
    return cpm_examine(x, logs, se, known, 0, symptoms, exp(middle));
}

/* The first look at a parameter: who is of which kind, and what matters. */
static int look_at_processes(cpm_examiner *x, const part *of, double *logs, double *se, int *who,
                             double *work)
{
    bool resolved;
    char *notes = x->d->notes, uncertain[sizeof x->uncertain];
    int known = 0;
    memcpy(uncertain, x->uncertain, sizeof uncertain);
    x->d->notes = NULL; /* it is all said at the second look */
    set_minor(x, of, work);
    int status = take_logs(x, of, logs, se, &resolved);
    for (int i = 0; !status && resolved && i < (int)of->count; i++)
        if (!isnan(logs[i])) {
            logs[known] = logs[i];
            who[known++] = i;
        }
    if (known > 0)
        status = cpm_examine_find_kinds(x, logs, known, who);
    free(x->d->notes);
    x->d->notes = notes;
    memcpy(x->uncertain, uncertain, sizeof uncertain);
    return status;
}

int cpm_examine_first(cpm_examiner *x, int p, int slice)
{
    part of = part_of(x, p, slice);
    size_t n = (size_t)x->m->n;
    double *work = malloc((2 * of.count + n * n) * sizeof *work);
    int *who = malloc(of.count * sizeof *who);
    int status = work && who
                     ? look_at_processes(x, &of, work, work + of.count, who, work + 2 * of.count)
                     : cpm_no_memory(x->e);
    free(work);
    free(who);
    return status;
}

int cpm_examine_processes(cpm_examiner *x, int p, int slice)
{
    part of = part_of(x, p, slice);
    double *work = malloc(3 * of.count * sizeof *work);
    cpm_symptom *symptoms = malloc(of.count * sizeof *symptoms);
    int status = work && symptoms ? compare_processes(x, &of, work, work + of.count, symptoms,
                                                      work + 2 * of.count)
                                  : cpm_no_memory(x->e);
    free(work);
    free(symptoms);
    return status;
}

/* ---- pairs */

enum { LARGE = 1 << 20 }; /* bytes of a message whose way is asked for */

/* Everything of one pair parameter; all tables [n*n]. */
typedef struct {
    cpm_examiner *x;
    part of;
    int n;
    double *logs, *se;
    double *rest, *work;   /* of the polish */
    double *effect;        /* [n] */
    double *value, *error; /* [n*n] of a comparison */
    cpm_symptom *symptoms; /* [n*n] of a comparison */
    bool inside;           /* pairs on one host, or on two */
    const int *kind;       /* [n] of hosts whose links are alike; NULL: all are */
    int blocks;            /* medians that were taken off between kinds, but for one */
    double ends;           /* by how much links' ends vary, if they are known; else 0 */
} pairs;

static size_t at_of(const pairs *g, int i, int j)
{
    return (size_t)i * (size_t)g->n + (size_t)j;
}

/* Links inside a host are of another kind than those between hosts. */
static bool is_member(const pairs *g, int i, int j)
{
    const char *a = g->x->m->hosts[i], *b = g->x->m->hosts[j];
    bool same = *a && strcmp(a, b) == 0;
    return i != j && same == g->inside && !isnan(g->logs[at_of(g, i, j)]) &&
           !isnan(g->logs[at_of(g, j, i)]);
}

static int partners(const pairs *g, int i)
{
    int count = 0;
    for (int j = 0; j < g->n; j++)
        count += is_member(g, i, j);
    return count;
}

/* rest: half the sum of both ways, or their difference. */
static void fill_rest(pairs *g, int sign)
{
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++) {
            double there = g->logs[at_of(g, i, j)], back = g->logs[at_of(g, j, i)];
            double both = sign > 0 ? (there + back) / 2 : there - back;
            g->rest[at_of(g, i, j)] = is_member(g, i, j) ? both : NAN;
        }
}

/* Ways of a fit that assumes symmetry share one error; the difference of two ways has both. */
static double pair_error(const pairs *g, int i, int j, int sign)
{
    double there = g->se[at_of(g, i, j)], back = g->se[at_of(g, j, i)];
    return sign > 0 ? fmax(there, back) : hypot(there, back);
}

static double row_median(const pairs *g, const double *table, int i, double *work)
{
    int used = 0;
    for (int j = 0; j < g->n; j++)
        if (is_member(g, i, j))
            work[used++] = table[at_of(g, i, j)];
    return cpm_median(work, used);
}

/* A median's error is 1.25 times a mean's. Returns the processes whose links determine an effect.
 */
static int gather_effects(pairs *g, cpm_symptom_kind kind)
{
    int count = 0;
    for (int i = 0; i < g->n; i++) {
        int links = partners(g, i);
        if (links < 3)
            continue;
        g->value[count] = g->effect[i];
        g->error[count] = 1.2533 * row_median(g, g->se, i, g->work) / sqrt(links);
        g->symptoms[count++] = (cpm_symptom){.kind = kind,
                                             .parameter = g->of.p,
                                             .slice = g->of.slice,
                                             .i = i,
                                             .j = -1,
                                             .value = row_median(g, g->of.value, i, g->work)};
    }
    return count;
}

static cpm_symptom symptom_of_pair(const pairs *g, int i, int j, int sign)
{
    const double *value = g->of.value;
    bool turned = sign < 0 && g->rest[at_of(g, i, j)] < 0;
    int from = turned ? j : i, to = turned ? i : j;
    return (cpm_symptom){.kind = sign > 0 ? CPM_LINK : CPM_ASYMMETRY,
                         .parameter = g->of.p,
                         .slice = g->of.slice,
                         .i = from,
                         .j = to,
                         .value = sign > 0 ? (value[at_of(g, i, j)] + value[at_of(g, j, i)]) / 2
                                           : value[at_of(g, from, to)]};
}

static int gather_rests(pairs *g, int sign)
{
    int count = 0;
    for (int i = 0; i < g->n; i++)
        for (int j = i + 1; j < g->n; j++) {
            if (!is_member(g, i, j))
                continue;
            g->symptoms[count] = symptom_of_pair(g, i, j, sign);
            g->value[count] = g->rest[at_of(g, i, j)];
            g->error[count++] = pair_error(g, i, j, sign);
        }
    return count;
}

/* sign 1: both ways together; -1: one way against the other. */
static int compare_ways(pairs *g, int sign, double typical)
{
    fill_rest(g, sign);
    cpm_polish(g->rest, g->n, sign, g->effect, g->work);
    int processes = gather_effects(g, sign > 0 ? CPM_LINKS : CPM_WAYS);
    int effects = g->n >= 5 ? processes : 0;
    int status = CPM_OK;
    if (effects >= 5)
        status = cpm_examine(g->x, g->value, g->error, effects, 0, g->symptoms, typical);
    int count = gather_rests(g, sign);
    g->x->least = sign > 0 ? g->ends : M_SQRT2 * g->ends;
    if (!status)
        status =
            cpm_examine(g->x, g->value, g->error, count, effects + g->blocks, g->symptoms, typical);
    g->x->least = 0;
    return status;
}

/* ---- what links share */

/* Time per byte of the narrowest resource that a message from i to j shares with others, with or
 * without links inside the network; not above 0: none is known. */
static double narrowest(const cpm_model *m, int i, int j, bool links)
{
    cpm_flow f = {0};
    double seconds = 0;
    if (!links && m->links.count > 0)
        return fmax(m->value[CPM_LMO2_GO][i], m->value[CPM_LMO2_GI][j]);
    m->type->flow(m, i, j, LARGE, &f);
    for (int u = 0; u < f.uses; u++)
        seconds = fmax(seconds, f.use[u].seconds);
    return seconds;
}

/* Median of all members' logarithms. */
static double middle_of(pairs *g)
{
    int used = 0;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            if (is_member(g, i, j))
                g->work[used++] = g->logs[at_of(g, i, j)];
    return used ? cpm_median(g->work, used) : 0;
}

/* logs without what these explain: a message is no faster than the slower of two link ends, which
 * effects of its ends that add up do not say. False: not of this parameter, or not known. */
static bool without_resources(pairs *g, bool links, double *out)
{
    const cpm_model *m = g->x->m;
    if (!m->type->flow || strcmp(m->type->parameters[g->of.p].unit, "s/B") != 0)
        return false;
    double usual = exp(middle_of(g));
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++) {
            double seconds = is_member(g, i, j) ? narrowest(m, i, j, links) : 1;
            if (!(seconds > 1e-3 * (is_member(g, i, j) ? usual : 1)))
                return false;
            out[at_of(g, i, j)] = g->logs[at_of(g, i, j)] - log(seconds);
        }
    return true;
}

/* How far links are from what their ends explain: three of four are nearer. Half of them may be
 * explained where others are not. */
static double usual_rest(pairs *g)
{
    int used = 0;
    fill_rest(g, 1);
    cpm_polish(g->rest, g->n, 1, g->effect, g->work);
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < i; j++)
            if (is_member(g, i, j))
                g->work[used++] = fabs(g->rest[at_of(g, i, j)]);
    if (!used)
        return 0;
    gsl_sort(g->work, 1, (size_t)used);
    return gsl_stats_quantile_from_sorted_data(g->work, 1, (size_t)used, 0.75);
}

/* ---- links of kinds */

/* Median of x of the links between hosts of kinds a and b, there and back. */
static double middle_between(const pairs *g, const double *x, int a, int b)
{
    const int *kind = g->kind;
    int used = 0;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            if (is_member(g, i, j) &&
                ((kind[i] == a && kind[j] == b) || (kind[i] == b && kind[j] == a)))
                g->work[used++] = x[at_of(g, i, j)];
    return used ? cpm_median(g->work, used) : 0;
}

/* x without what kinds of hosts explain; they are known. */
static void subtract_kinds(pairs *g, const double *x, double *out)
{
    const int *kind = g->kind;
    double middle[CPM_MOST_KINDS][CPM_MOST_KINDS];
    for (int a = 0; a < CPM_MOST_KINDS; a++)
        for (int b = a; b < CPM_MOST_KINDS; b++)
            middle[a][b] = middle[b][a] = middle_between(g, x, a, b);
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            out[at_of(g, i, j)] = x[at_of(g, i, j)] - middle[kind[i]][kind[j]];
}

static int count_blocks(const pairs *g)
{
    int kinds = 0;
    for (int i = 0; i < g->n; i++)
        kinds = g->kind[i] >= kinds ? g->kind[i] + 1 : kinds;
    return kinds * (kinds + 1) / 2 - 1;
}

/* Takes off what g->value is without, if links are clearly more alike then. */
static bool take_off(pairs *g, double clearly)
{
    size_t size = (size_t)g->n * (size_t)g->n * sizeof *g->logs;
    double before = usual_rest(g);
    memcpy(g->error, g->logs, size);
    memcpy(g->logs, g->value, size);
    bool better = usual_rest(g) < clearly * before;
    if (!better)
        memcpy(g->logs, g->error, size);
    return better;
}

/* Takes off what kinds of hosts explain, or else groups: two kinds may be at two switches. */
static void take_off_kinds(pairs *g)
{
    const int *const of[] = {g->x->kind, g->x->group};
    for (int k = 0, found = 0; k < 2 && !found; k++) {
        if (!of[k])
            continue;
        g->kind = of[k];
        subtract_kinds(g, g->logs, g->value);
        found = take_off(g, k ? 1 : 0.5) ? count_blocks(g) : 0; /* groups do stand apart */
        g->blocks += found;
    }
}

/* ---- links of ways that are as long */

static int length_of(const pairs *g, int i, int j)
{
    const cpm_model *m = g->x->m;
    int links;
    cpm_links_way(&m->links, cpm_model_host_of(m, i), cpm_model_host_of(m, j), &links);
    return links;
}

/* x without the median of all ways of so many links; returns whether there are such. */
static bool subtract_length(pairs *g, const double *x, int length, double *out)
{
    int used = 0;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            if (is_member(g, i, j) && length_of(g, i, j) == length)
                g->work[used++] = x[at_of(g, i, j)];
    double middle = used ? cpm_median(g->work, used) : 0;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            if (is_member(g, i, j) && length_of(g, i, j) == length)
                out[at_of(g, i, j)] = x[at_of(g, i, j)] - middle;
    return used > 0;
}

/* Takes off what the lengths of ways through a network explain: a host in a corner is not slow. */
static void take_off_lengths(pairs *g)
{
    const cpm_links *l = &g->x->m->links;
    int lengths = 0;
    if (g->inside || l->count == 0)
        return;
    for (int length = 0; length <= l->count; length++)
        lengths += subtract_length(g, g->logs, length, g->value);
    if (lengths > 1 && take_off(g, 0.5))
        g->blocks += lengths - 1;
}

static double narrowest_of_all(const pairs *g)
{
    double least = INFINITY;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            if (is_member(g, i, j))
                least = fmin(least, narrowest(g->x->m, i, j, true));
    return least;
}

/* Standard deviation of the narrowest ends, within kinds, of logs without which g->value is: link
 * by link they explain what messages take. Most links are as fast as these and leave nothing, so
 * that the rest of the others looks odd: they differ as ends do. */
static double spread_of_ends(pairs *g)
{
    double sum = 0, squares = 0, *ends = g->error;
    double shift = log(narrowest_of_all(g)); /* sums of squares want small numbers */
    int used = 0;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            ends[at_of(g, i, j)] = g->logs[at_of(g, i, j)] - g->value[at_of(g, i, j)] - shift;
    if (g->kind)
        subtract_kinds(g, ends, ends);
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            if (is_member(g, i, j)) {
                sum += ends[at_of(g, i, j)];
                squares += ends[at_of(g, i, j)] * ends[at_of(g, i, j)];
                used++;
            }
    return used > 1 ? sqrt(fmax(0, squares - sum * sum / used) / (used - 1)) : 0;
}

/* ---- links */

static bool is_symmetric(const pairs *g)
{
    for (int i = 0; i < g->n; i++)
        for (int j = i + 1; j < g->n; j++)
            if (is_member(g, i, j) &&
                fabs(g->logs[at_of(g, i, j)] - g->logs[at_of(g, j, i)]) > 1e-9)
                return false;
    return true;
}

static double set_times(pairs *g)
{
    double middle = middle_of(g);
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            if (is_member(g, i, j))
                g->of.times[at_of(g, i, j)] = exp(g->logs[at_of(g, i, j)] - middle);
    return exp(middle);
}

/* Of what a byte takes between hosts: what links inside the network explain is not compared. */
static int look_between(pairs *g, const double *without_ends)
{
    const char *unit = g->x->m->type->parameters[g->of.p].unit;
    if (g->inside || strcmp(unit, "s/B") != 0)
        return CPM_OK;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++) {
            size_t at = at_of(g, i, j);
            g->rest[at] = is_member(g, i, j) ? without_ends[at] : NAN;
        }
    return cpm_examine_inner(g->x, g->of.p, g->of.slice, g->rest, g->se, g->logs);
}

static int compare_pairs(pairs *g)
{
    bool resolved;
    int status = take_logs(g->x, &g->of, g->logs, g->se, &resolved);
    for (int inside = 0; resolved && !status && inside < 2; inside++) {
        g->inside = inside;
        double typical = set_times(g);
        g->x->inside = inside;
        /* a slow link inside that the model knows must not explain itself */
        status = look_between(g, without_resources(g, false, g->value) ? g->value : g->logs);
        bool shared = without_resources(g, true, g->value);
        g->kind = g->x->kind;
        g->ends = shared ? spread_of_ends(g) : 0;
        g->blocks = 0;
        if (shared)
            take_off(g, 1);
        take_off_lengths(g);
        take_off_kinds(g);
        if (!status)
            status = compare_ways(g, 1, typical);
        if (!status && !is_symmetric(g))
            status = compare_ways(g, -1, typical);
    }
    g->x->inside = false;
    return status;
}

int cpm_examine_pairs(cpm_examiner *x, int p, int slice)
{
    size_t n = (size_t)x->m->n, size = n * n;
    double *tables = malloc((6 * size + n) * sizeof *tables);
    cpm_symptom *symptoms = malloc(size * sizeof *symptoms);
    int status = CPM_OK;
    if (tables && symptoms) {
        pairs g = {.x = x, .of = part_of(x, p, slice), .n = x->m->n, .symptoms = symptoms};
        g.logs = tables, g.se = tables + size, g.rest = tables + 2 * size;
        g.work = tables + 3 * size, g.value = tables + 4 * size, g.error = tables + 5 * size;
        g.effect = tables + 6 * size;
        status = compare_pairs(&g);
    } else {
        status = cpm_no_memory(x->e);
    }
    free(tables);
    free(symptoms);
    return status;
}
