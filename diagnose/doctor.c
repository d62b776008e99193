/* The doctor: gathers candidates from all parts and judges them together. */
#include "diagnose/doctor.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rank_tests.h"
#include "base/statistics.h"
#include "diagnose/examiner.h"
#include "estimators/lmo2_homogeneous.h"
#include "estimators/outliers.h"
#include "estimators/residuals.h"
#include "models/checked.h"

/* Standard deviations that a value exceeds in one of 20. */
static const double seldom = 1.645;

/* ---- judging */

typedef struct {
    int tests[CPM_FAMILIES], families;
} test_count;

static test_count count_tests(const cpm_examiner *x)
{
    test_count t = {0};
    for (int q = 0; q < x->count; q++)
        t.families += t.tests[cpm_examine_family(x->at[q].symptom.kind)]++ == 0;
    return t;
}

/* Holm within a family, times the number of families. */
static int correct_family(cpm_examiner *x, cpm_family family, const test_count *t)
{
    int count = 0;
    double *p = malloc(((size_t)t->tests[family] + 1) * sizeof *p);
    if (!p)
        return cpm_no_memory(x->e);
    for (int q = 0; q < x->count; q++)
        if (cpm_examine_family(x->at[q].symptom.kind) == family)
            p[count++] = x->at[q].symptom.p;
    int status = cpm_holm(p, count, x->e);
    count = 0;
    for (int q = 0; !status && q < x->count; q++)
        if (cpm_examine_family(x->at[q].symptom.kind) == family)
            x->at[q].symptom.p = fmin(1, t->families * p[count++]);
    free(p);
    return status;
}

double cpm_examine_least_alone(int count, int slow)
{
    return 1 + 3 * exp2(4 - (double)count / slow);
}

/* Of links there are many, of the processes of a host and of trunks no kinds; an experiment may be
 * too fast. */
static double least_alone(const cpm_comparison *k, int slow)
{
    bool asks = cpm_examine_family(k->kind) == CPM_OF_PROCESSES || k->kind == CPM_LINK;
    return asks ? cpm_examine_least_alone(k->tests, slow) : 0;
}

/* How far off a single value must be in each comparison: at a bound its chance is one half,
 * and 1.645 standard deviations on it is 19 of 20. */
static void set_least(cpm_examiner *x, const test_count *t)
{
    for (int c = 0; c < x->d->comparisons; c++) {
        cpm_comparison *k = &x->d->compared[c];
        double alpha = x->o->alpha / t->families / t->tests[cpm_examine_family(k->kind)];
        double deviation = sqrt(k->spread * k->spread * (1 + 1.0 / k->others) + k->excess);
        double bound = deviation * gsl_cdf_tdist_Qinv(alpha / 2, x->freedom[c]);
        bound = fmax(bound, log(1 + x->o->least_effect) + seldom * deviation);
        bound = fmax(bound, log(least_alone(k, 1)));
        k->least = fmax(exp(bound + seldom * deviation), k->hidden);
        if (k->tests < 3 && cpm_examine_family(k->kind) <= CPM_OF_PAIRS)
            k->least = INFINITY; /* which of two is the odd one? */
    }
}

/* Of an experiment, and of what goes out of a process against what comes in, either way is odd;
 * else what is fast is no fault. */
static bool either_way(const cpm_symptom *s)
{
    return s->kind == CPM_EXPERIMENT || s->kind == CPM_WAYS;
}

/* By how much it is slower, but for what it may be by chance, in 19 of 20. */
static bool is_large(const cpm_examiner *x, const cpm_candidate *c)
{
    double distance = log(c->symptom.times), surely = 1 - seldom / fabs(c->score);
    if (either_way(&c->symptom))
        distance = fabs(distance);
    return surely > 0 && exp(distance * surely) >= 1 + x->o->least_effect;
}

static bool is_fast(const cpm_examiner *x, const cpm_candidate *c)
{
    bool compared = c->symptom.kind == CPM_OWN || c->symptom.kind == CPM_LINKS;
    return compared && c->p <= x->o->alpha && c->symptom.times * (1 + x->o->least_effect) <= 1;
}

static bool is_found(const cpm_examiner *x, const cpm_candidate *c)
{
    return c->symptom.p <= x->o->alpha && is_large(x, c);
}

/* Would be found if it were alone: of a group some members are, some just not. */
static bool is_suspect(const cpm_examiner *x, const cpm_candidate *c)
{
    return c->p <= x->o->alpha && is_large(x, c);
}

static bool is_of_link(cpm_symptom_kind kind)
{
    return kind == CPM_LINK || kind == CPM_ASYMMETRY;
}

/* Is process i odd in that parameter by all its links? */
static bool has_odd_links(const cpm_examiner *x, int parameter, int i)
{
    for (int q = 0; q < x->count; q++) {
        const cpm_symptom *s = &x->at[q].symptom;
        if ((s->kind == CPM_LINKS || s->kind == CPM_WAYS) && s->parameter == parameter &&
            s->i == i && is_found(x, &x->at[q]))
            return true;
    }
    return false;
}

static bool is_explained(const cpm_examiner *x, const cpm_symptom *s)
{
    return cpm_examine_is_of_process(x, s) || cpm_examine_is_of_trunk(x, s) ||
           cpm_examine_is_of_inner(x, s);
}

/* A link of two odd processes says nothing by itself: what two odd ends make together is unknown
 * (3 times the latency at both is 3 times, or 9), and in a small rack they are neighbours. */
static bool counts(const cpm_examiner *x, const cpm_candidate *c, int comparison)
{
    const cpm_symptom *s = &c->symptom;
    if (c->comparison != comparison || !is_suspect(x, c) || is_explained(x, s))
        return false;
    return !is_of_link(s->kind) || !has_odd_links(x, s->parameter, s->i) ||
           !has_odd_links(x, s->parameter, s->j);
}

/* "processes", or "hosts". */
static const char *those(const cpm_examiner *x, const cpm_comparison *k)
{
    static const char *const of[] = {[CPM_OF_PROCESSES] = "processes",
                                     [CPM_OF_PAIRS] = "links",
                                     [CPM_OF_EXPERIMENTS] = "experiments",
                                     [CPM_OF_MEMBERS] = "processes",
                                     [CPM_OF_TRUNKS] = "trunks, up and down,"};
    cpm_family family = cpm_examine_family(k->kind);
    return family == CPM_OF_PROCESSES && cpm_diagnosis_of_hosts(x->d) ? "hosts" : of[family];
}

/* Values of one comparison that are unlike the others. */
typedef struct {
    int found, slow, fast; /* significant ones; slow and fast suspects */
    double least, most;    /* times the others' */
} unlike;

/* One that is slow among them is not told from them. */
static int note_group(cpm_examiner *x, int comparison, const unlike *u)
{
    cpm_comparison *k = &x->d->compared[comparison];
    char name[80];
    x->d->groups += k->kind == CPM_OWN;
    k->least *= fmax(u->most, 1);
    cpm_examine_put_name(x, k->parameter, k->slice, name, sizeof name);
    return cpm_note(&x->d->notes, x->e,
                    "%d of %d %s are unlike %s in %s (%.2g to %.2g times): too many to be faults, "
                    "%s",
                    u->slow + u->fast, k->tests, those(x, k),
                    k->kinds > 1 ? "their kind" : "the others", name, u->least, u->most,
                    k->kind == CPM_OWN ? "and slow ones among them cannot be told"
                                       : "so there are several kinds");
}

static int note_lone(cpm_examiner *x, int comparison, const unlike *u)
{
    cpm_comparison *k = &x->d->compared[comparison];
    char name[80];
    x->d->lone++;
    cpm_examine_put_name(x, k->parameter, k->slice, name, sizeof name);
    return cpm_note(&x->d->notes, x->e,
                    "%d of %d %s %s slower in %s (%.2g times), but may be of another kind. Among "
                    "so few, a fault is what is %.2g times as slow",
                    u->slow, k->tests, those(x, k), u->slow == 1 ? "is" : "are", name, u->most,
                    least_alone(k, u->slow));
}

static int note_fast(cpm_examiner *x, int comparison, const unlike *u)
{
    const cpm_comparison *k = &x->d->compared[comparison];
    char name[80];
    cpm_examine_put_name(x, k->parameter, k->slice, name, sizeof name);
    return cpm_note(&x->d->notes, x->e,
                    "%d of %d %s %s faster than the others in %s (%.2g times "
                    "as slow): no fault",
                    u->fast, k->tests, those(x, k), u->fast == 1 ? "is" : "are", name, u->least);
}

static unlike count_unlike(const cpm_examiner *x, int comparison)
{
    unlike u = {.least = INFINITY};
    for (int q = 0; q < x->count; q++) {
        const cpm_candidate *c = &x->at[q];
        bool slow = counts(x, c, comparison), fast = c->comparison == comparison && is_fast(x, c);
        if (!slow && !fast)
            continue;
        u.slow += slow;
        u.fast += fast;
        u.found += c->symptom.p <= x->o->alpha;
        u.least = fmin(u.least, c->symptom.times);
        u.most = fmax(u.most, c->symptom.times);
    }
    return u;
}

static int keep_found(cpm_examiner *x, int comparison)
{
    int status = CPM_OK;
    for (int q = 0; !status && q < x->count; q++)
        if (counts(x, &x->at[q], comparison) && is_found(x, &x->at[q]))
            status = cpm_examine_keep(x, &x->at[q].symptom);
    return status;
}

/* How far these links are from the median one, out[]; returns how many. */
static int gather_distances(const cpm_examiner *x, int comparison, double *out, double *work)
{
    int used = 0;
    for (int q = 0; q < x->count; q++)
        if (x->at[q].comparison == comparison)
            out[used++] = copysign(fabs(log(x->at[q].symptom.times)), x->at[q].score);
    memcpy(work, out, (size_t)used * sizeof *work);
    double middle = used ? cpm_median(work, used) : 0;
    for (int q = 0; q < used; q++)
        out[q] = fabs(out[q] - middle);
    return used;
}

/* How far more links are from the others than faults could be. By the median of all, as so many may
 * hide behind the spread that they make. */
static int find_various(cpm_examiner *x, int comparison)
{
    const double far = 6; /* standard deviations, which no link is from like ones */
    const cpm_comparison *k = &x->d->compared[comparison];
    int most = cpm_examine_most_faults(x, k->kind, k->tests);
    if (!is_of_link(k->kind) || k->tests <= most)
        return CPM_OK;
    double *distance = malloc(2 * (size_t)k->tests * sizeof *distance);
    if (!distance)
        return cpm_no_memory(x->e);
    int used = gather_distances(x, comparison, distance, distance + k->tests);
    gsl_sort(distance, 1, (size_t)used);
    double usual = 1.4826 * gsl_stats_median_from_sorted_data(distance, 1, (size_t)used);
    double of_many = distance[used - 1 - most], *various = &x->various[k->parameter];
    if (of_many > fmax(log(1 + x->o->least_effect), far * usual))
        *various = fmax(*various, of_many);
    free(distance);
    return CPM_OK;
}

/* Symptoms of one comparison, or a note if they are a group, or may be of a kind. */
static int judge_comparison(cpm_examiner *x, int comparison)
{
    const cpm_comparison *k = &x->d->compared[comparison];
    unlike u = count_unlike(x, comparison);
    if (!u.found)
        return CPM_OK;
    if (u.slow + u.fast > cpm_examine_most_faults(x, k->kind, k->tests))
        return note_group(x, comparison, &u);
    int status = u.fast ? note_fast(x, comparison, &u) : CPM_OK;
    if (status || !u.slow)
        return status;
    return u.most < least_alone(k, u.slow) ? note_lone(x, comparison, &u)
                                           : keep_found(x, comparison);
}

/* Whether many links are at least half as far from the others as that one, in that parameter; of an
 * experiment in any. */
static bool is_one_of_many(const cpm_examiner *x, const cpm_symptom *s)
{
    double half = fabs(log(s->times)) / 2;
    if (!is_of_link(s->kind) && s->kind != CPM_EXPERIMENT)
        return false;
    for (int p = 0; p < x->m->type->count; p++)
        if (x->various[p] > 0 && half <= x->various[p] && (s->parameter < 0 || s->parameter == p))
            return true;
    return false;
}

/* Where too many links are unlike the others one way, or at one size, they share what the model
 * does not know (wires of a torus), and in another comparison a few of them, or of their
 * experiments, show it. */
static void withdraw_links(cpm_examiner *x)
{
    cpm_diagnosis *d = x->d;
    int kept = 0;
    for (int q = 0; q < d->count; q++)
        if (!is_one_of_many(x, &d->at[q]))
            d->at[kept++] = d->at[q];
    d->withdrawn = d->count - kept;
    d->count = kept;
}

static bool explains(cpm_symptom_kind kind)
{
    return kind == CPM_UNLIKE || kind == CPM_TRUNK || kind == CPM_TRUNK_WAYS;
}

static int judge(cpm_examiner *x)
{
    test_count t = count_tests(x);
    int status = cpm_examine_moderate(x);
    for (int f = 0; !status && f < CPM_FAMILIES; f++)
        status = correct_family(x, (cpm_family)f, &t);
    if (!status)
        set_least(x, &t);
    for (int rest = 0; rest < 2; rest++) /* first what explains others */
        for (int c = 0; !status && c < x->d->comparisons; c++)
            if (!explains(x->d->compared[c].kind) == rest)
                status = judge_comparison(x, c);
    for (int c = 0; !status && c < x->d->comparisons; c++)
        status = find_various(x, c);
    if (!status)
        withdraw_links(x);
    return status;
}

/* ---- examining */

static bool is_known(const cpm_model *m, int p, int slice)
{
    size_t count = cpm_parameter_values(m, p);
    for (size_t at = 0; at < count; at++) {
        bool pair = m->type->parameters[p].shape == CPM_PAIR;
        if (!isnan(m->value[p][(size_t)slice * count + at]) &&
            (!pair || at / (size_t)m->n != at % (size_t)m->n))
            return true;
    }
    return false;
}

static bool is_compared(const cpm_model *m, int p)
{
    const cpm_parameter *a = &m->type->parameters[p];
    return (a->shape == CPM_PROCESS || a->shape == CPM_PAIR) && strcmp(a->unit, "B") != 0 &&
           cpm_model_has_parameter(m, p);
}

/* Constants behind the first size are what a line, seen at larger messages only, has at size 0. */
static int compared_slices(const cpm_model *m, int p)
{
    return strcmp(m->type->parameters[p].unit, "s/B") == 0 ? cpm_parameter_slices(m, p) : 1;
}

static int make_times(cpm_examiner *x, int p)
{
    size_t count = cpm_parameter_all_values(x->m, p);
    x->d->times[p] = malloc(count * sizeof **x->d->times);
    if (!x->d->times[p])
        return cpm_no_memory(x->e);
    for (size_t at = 0; at < count; at++)
        x->d->times[p][at] = NAN;
    return CPM_OK;
}

static int examine_parameter(cpm_examiner *x, int p)
{
    const cpm_parameter *a = &x->m->type->parameters[p];
    int status = make_times(x, p);
    if (!status && a->shape == CPM_PAIR && !x->group)
        status = cpm_examine_groups(x, p);
    for (int k = 0; !status && k < compared_slices(x->m, p); k++)
        if (is_known(x->m, p, k))
            status =
                a->shape == CPM_PAIR ? cpm_examine_pairs(x, p, k) : cpm_examine_processes(x, p, k);
        else if (!a->sized)
            status = cpm_note(&x->d->notes, x->e, "%s is not compared: it is not known", a->name);
    return status;
}

static int look_first(cpm_examiner *x)
{
    int status = CPM_OK;
    for (int p = 0; !status && p < x->m->type->count; p++)
        for (int k = 0; !status && is_compared(x->m, p) && k < compared_slices(x->m, p); k++)
            if (x->m->type->parameters[p].shape == CPM_PROCESS && is_known(x->m, p, k))
                status = cpm_examine_first(x, p, k);
    return status;
}

static int examine_model(cpm_examiner *x)
{
    int compared = 0, status = CPM_OK;
    x->d->times = calloc((size_t)x->m->type->count, sizeof *x->d->times);
    x->d->minor = calloc((size_t)x->m->type->count, sizeof *x->d->minor);
    x->various = calloc((size_t)x->m->type->count, sizeof *x->various);
    x->behind = calloc((size_t)x->m->n, 1);
    if (!x->d->times || !x->d->minor || !x->various || !x->behind)
        return cpm_no_memory(x->e);
    status = look_first(x);
    for (int p = 0; !status && p < x->m->type->count; p++) {
        if (!is_compared(x->m, p))
            continue;
        compared++;
        status = examine_parameter(x, p);
    }
    if (!status && *x->uncertain)
        status = cpm_note(&x->d->notes, x->e, "too uncertain to be compared: %s", x->uncertain);
    if (!status && !compared)
        return cpm_fail(x->e, CPM_EDATA,
                        "model %s has no parameters of processes or pairs to compare",
                        x->m->type->name);
    return status;
}

/* What a model says of a machine that it does not describe is no ground to blame anybody. But round
 * trips of single pairs show a slow link inside the network, of which no model knows otherwise. */
static void leave_out_contradicted(cpm_diagnosis *d)
{
    int kept = 0;
    for (int q = 0; q < d->count; q++)
        if (d->at[q].kind == CPM_UNLIKE || d->at[q].kind == CPM_INNER)
            d->at[kept++] = d->at[q];
    d->count = kept;
}

static int times_seen(const cpm_diagnosis *d, int link)
{
    int seen = 0;
    for (int q = 0; q < d->count; q++)
        seen += d->at[q].kind == CPM_INNER && d->at[q].i == link;
    return seen;
}

/* A slow link is slow at all sizes; at one of them other messages may have been in the way. */
static void leave_out_passing(cpm_diagnosis *d, int looks)
{
    for (int link = 0; link < d->inners; link++) {
        int kept = 0;
        bool stays = times_seen(d, link) == looks;
        for (int q = 0; q < d->count; q++)
            if (stays || d->at[q].i != link)
                d->at[kept++] = d->at[q];
        d->count = kept;
    }
}

static int examine(cpm_examiner *x, const cpm_measurements *results)
{
    int status = examine_model(x);
    if (!status)
        leave_out_passing(x->d, x->looks); /* so far nothing else is found */
    if (!status)
        status = cpm_examine_members(x);
    if (!status)
        status = cpm_examine_trunks(x);
    if (!status && results)
        status = cpm_examine_experiments(x, results);
    if (!status)
        status = judge(x);
    if (!status && x->d->contradicted)
        leave_out_contradicted(x->d);
    if (!status && x->classes->name)
        status = cpm_examine_leave_out_classes(x);
    return status ? status : cpm_examine_hosts(x);
}

/* ---- processes, or one of each host */

/* *own: what to compare, in the classes that are not of one process or host; NULL: m itself. */
static int take_apart(const cpm_model *m, cpm_model **own, cpm_classes *classes, cpm_error *e)
{
    cpm_model *hosts = NULL;
    const cpm_model *given = m;
    int status = m->inside.count > 0 ? cpm_model_of_hosts(m, &hosts, e) : CPM_OK;
    if (hosts)
        given = hosts;
    if (!status && given->classes.count < given->n) {
        status = cpm_classes_copy(&given->classes, classes, e);
        if (!status)
            status = cpm_model_expand(given, own, e);
        cpm_model_free(hosts);
        return status;
    }
    *own = hosts;
    return status;
}

/* What was fitted as alike is alike in the model, whatever the machine is. */
static int leave_out_alike(cpm_examiner *x)
{
    if (!cpm_metadata_get(&x->whole->metadata, CPM_METADATA_ALIKE))
        return CPM_OK;
    x->d->count = x->d->comparisons = 0;
    return cpm_note(&x->d->notes, x->e,
                    "the model was fitted to collectives with all processes taken to be alike: "
                    "none can be compared");
}

int cpm_diagnose(const cpm_model *m, const cpm_measurements *results, const cpm_doctor_options *o,
                 cpm_diagnosis *out, cpm_error *e)
{
    cpm_classes classes = {0};
    cpm_diagnosis d = {.whole = m,
                       .fault = o->fault,
                       .contradicted =
                           cpm_notes_contradict(m->notes) || cpm_check_contradicts(&m->metadata)};
    int status = take_apart(m, &d.own, &classes, e);
    d.model = d.own ? d.own : m;
    cpm_examiner x = {.whole = m,
                      .m = d.model,
                      .classes = &classes,
                      .o = o,
                      .confidence = cpm_model_confidence(m, o->confidence),
                      .d = &d,
                      .e = e};
    if (!status)
        status = cpm_examine_speakers(&x);
    if (!status)
        status = examine(&x, results);
    if (!status)
        status = leave_out_alike(&x);
    free(x.at);
    free(x.freedom);
    free(x.kind);
    free(x.various);
    free(x.speakers);
    free(x.behind);
    free(x.group);
    cpm_classes_clear(&classes);
    if (status)
        cpm_diagnosis_clear(&d);
    else
        *out = d;
    return status;
}

/* ---- what could be told */

const cpm_comparison *cpm_diagnosis_best(const cpm_diagnosis *d, const cpm_comparison *c)
{
    const cpm_comparison *best = c;
    for (const cpm_comparison *k = d->compared; k < d->compared + d->comparisons; k++)
        if (cpm_comparison_is_like(k, c) && k->least < best->least)
            best = k;
    return best;
}

bool cpm_diagnosis_would_find(const cpm_diagnosis *d, const cpm_comparison *c)
{
    const cpm_parameter *p = c->parameter < 0 ? NULL : &d->model->type->parameters[c->parameter];
    /* Not every model has what is optional, and of some sizes only. */
    if (p && (d->minor[c->parameter] || (p->optional && p->sized)))
        return true;
    return cpm_diagnosis_best(d, c)->least <= d->fault;
}

bool cpm_diagnosis_lacks(const cpm_diagnosis *d, int p)
{
    if (!is_compared(d->model, p) || d->model->type->parameters[p].optional || d->minor[p])
        return false;
    for (int c = 0; c < d->comparisons; c++)
        if (d->compared[c].parameter == p)
            return false;
    return true;
}

bool cpm_diagnosis_could_tell(const cpm_diagnosis *d)
{
    bool could =
        d->comparisons && !d->groups && !d->apart && !d->lone && !d->withdrawn && !d->contradicted;
    for (int c = 0; could && c < d->comparisons; c++)
        could = cpm_examine_family(d->compared[c].kind) == CPM_OF_EXPERIMENTS ||
                cpm_diagnosis_would_find(d, &d->compared[c]);
    for (int p = 0; could && p < d->model->type->count; p++)
        could = !cpm_diagnosis_lacks(d, p);
    return could;
}

bool cpm_symptoms_share_subject(const cpm_symptom *a, const cpm_symptom *b)
{
    bool process_a = a->kind <= CPM_WAYS, process_b = b->kind <= CPM_WAYS;
    bool link_a = a->kind == CPM_LINK || a->kind == CPM_ASYMMETRY;
    bool link_b = b->kind == CPM_LINK || b->kind == CPM_ASYMMETRY;
    if ((process_a && process_b) || (a->kind == CPM_TRUNK && b->kind == CPM_TRUNK))
        return a->i == b->i;
    if (a->kind == CPM_INNER && b->kind == CPM_INNER)
        return a->i == b->i;
    if (link_a && link_b)
        return (a->i == b->i && a->j == b->j) || (a->i == b->j && a->j == b->i);
    return a->kind == b->kind && a->i == b->i && a->j == b->j;
}

void cpm_diagnosis_clear(cpm_diagnosis *d)
{
    for (int p = 0; d->times && p < d->model->type->count; p++)
        free(d->times[p]);
    for (int k = 0; k < d->inners; k++)
        free(d->inner[k]);
    free(d->inner);
    free(d->times);
    free(d->at);
    free(d->compared);
    free(d->minor);
    free(d->notes);
    cpm_model_free(d->own);
    *d = (cpm_diagnosis){0};
}
