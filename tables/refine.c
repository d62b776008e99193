/* Samples of the times of some algorithms; where the fastest changes is searched for. */
#include "tables/refine.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/vector.h"
#include "collectives/parameters.h"
#include "models/predict.h"
#include "selection/evaluate.h"

/* What less is lost by is left as it is. */
static const double worth = 0.007;

/* What takes as long to this share is the same. */
static const double as_good = 0.002;

enum { MOST_PIECES = 512, LEAST_SEGMENT = 1024, NARROW = 512 };

/* More than any time is longer than another. */
static const double escalated = 1e200;

/* A size, and what is taken there. */
typedef struct {
    size_t bytes;
    int choice; /* -1: not looked at yet */
} sample;

typedef struct {
    const cpm_model *model;
    const cpm_selector_options *options;
    cpm_request request;
    cpm_rules *rules;
    cpm_collective *who;
    int contenders;
    int named;  /* of them, by rules: they come first */
    int *which; /* [contenders] of the candidates of a sample */
    bool cuts;  /* there are some with segments */
    sample *at;
    int64_t samples;
    cpm_error *e;
} refinement;

/* ---- contenders */

static int find(const refinement *r, const cpm_collective *what)
{
    for (int k = 0; k < r->contenders; k++)
        if (cpm_collective_same(&r->who[k], what))
            return k;
    return -1;
}

static int add_contender(refinement *r, const cpm_collective *what)
{
    if (find(r, what) >= 0)
        return CPM_OK;
    if (!cpm_vector_extend(&r->who, r->contenders, sizeof *r->who))
        return cpm_no_memory(r->e);
    r->who[r->contenders++] = *what;
    r->cuts = r->cuts || what->with.segment;
    return CPM_OK;
}

/* Who is named with parameters is to run with these. */
static bool may_vary(const refinement *r, const cpm_collective *what)
{
    for (int k = 0; k < r->options->only_count; k++)
        if (r->options->only[k].algorithm == what->algorithm &&
            cpm_parameters_given(&r->options->only[k].with))
            return false;
    return true;
}

/* Whether the library that the table is for, if it is for one, has it at that size. */
static bool is_theirs(const refinement *r, const cpm_collective *what, size_t bytes)
{
    const cpm_target *t = r->options->theirs;
    return !t || !what->algorithm ||
           cpm_their_algorithm_of(t, what->operation->name, what->at.n, what, bytes);
}

/* With the segments that are tried of its row for blocks of so many bytes, or, of a row without
 * segments, the values of k. */
static int add_variants(refinement *r, const cpm_collective *what, size_t bytes)
{
    candidates all = {0};
    cpm_request there = r->request;
    there.bytes = bytes;
    int status = candidates_list(r->model, r->options, &there, &all, r->e);
    for (int k = 0; k < all.count && !status; k++) {
        cpm_collective variant = *what;
        bool allowed = false;
        variant.with.segment = all.at[k].what.with.segment;
        if (all.at[k].what.algorithm == what->algorithm &&
            !(what->algorithm->properties & CPM_TAKES_SEGMENT))
            variant.with.k = all.at[k].what.with.k;
        if (all.at[k].what.algorithm == what->algorithm && is_theirs(r, &variant, bytes))
            status = cpm_request_asks(&there, &variant, &allowed, r->e);
        if (!status && allowed)
            status = add_contender(r, &variant);
    }
    candidates_clear(&all);
    return status;
}

static int list_contenders(refinement *r)
{
    const cpm_rules *x = r->rules;
    const size_t last = x->at[x->count - 1].from, some = (size_t)1 << 16;
    int status = CPM_OK;
    for (int k = 0; k < x->count && !status; k++) {
        const cpm_collective what = cpm_request_collective(&r->request, &x->at[k].what);
        status = add_contender(r, &what);
    }
    r->named = r->contenders;
    for (int k = 0; k < r->named && !status; k++) {
        const cpm_collective what = r->who[k];
        if (!what.algorithm || !may_vary(r, &what))
            continue;
        status = add_variants(r, &what, last);
        if (!status && last > some)
            status = add_variants(r, &what, some);
    }
    if (!status && !(r->which = malloc((size_t)r->contenders * sizeof *r->which)))
        status = cpm_no_memory(r->e);
    return status;
}

/* ---- sizes */

static int add_sample(refinement *r, double bytes)
{
    const cpm_rules *x = r->rules;
    if (bytes < (double)x->at[0].from || bytes > (double)x->at[x->count - 1].from)
        return CPM_OK;
    if (!cpm_vector_extend(&r->at, r->samples, sizeof *r->at))
        return cpm_no_memory(r->e);
    r->at[r->samples++] = (sample){.bytes = (size_t)bytes, .choice = -1};
    return CPM_OK;
}

/* At a border and before it. */
static int add_border(refinement *r, double from)
{
    int status = add_sample(r, ceil(from));
    return status ? status : add_sample(r, ceil(from) - 1);
}

/* Of blocks some parts are sent, or some blocks together. */
static int add_threshold(refinement *r, double from)
{
    int status = CPM_OK;
    for (int k = 1; k <= r->request.n && !status; k *= 2) {
        status = add_border(r, from * k);
        if (!status)
            status = add_border(r, from / k);
    }
    return status;
}

/* From a size on twice that: a power of two, which programs like, behind it, where a piece is added
 * to those of segments that are powers of two, and parts that are no powers of two. */
static int add_octave(refinement *r, double bytes)
{
    static const double between = 0.618;
    const int parts = bytes < LEAST_SEGMENT ? 1 : r->cuts ? 4 : 3;
    int status = r->cuts && parts > 1 ? add_sample(r, bytes) : CPM_OK;
    if (!status && r->cuts && parts > 1)
        status = add_sample(r, bytes + 1);
    for (int k = 0; k < parts && !status; k++)
        status = add_sample(r, bytes + (k + between) * bytes / parts);
    return status;
}

static int by_size(const void *a, const void *b)
{
    const sample *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return y->choice - x->choice; /* what was looked at stays */
}

static void sort_samples(refinement *r)
{
    int64_t count = 0;
    qsort(r->at, (size_t)r->samples, sizeof *r->at, by_size);
    for (int64_t k = 0; k < r->samples; k++)
        if (!count || r->at[count - 1].bytes != r->at[k].bytes)
            r->at[count++] = r->at[k];
    r->samples = count;
}

static int list_samples(refinement *r)
{
    const cpm_rules *x = r->rules;
    const double last = (double)x->at[x->count - 1].from;
    int status = CPM_OK;
    for (int k = 0; k < x->count && !status; k++)
        status = add_border(r, (double)x->at[k].from);
    for (int octave = 0; ldexp(1, octave) <= last && !status; octave++)
        status = add_octave(r, ldexp(1, octave));
    for (int k = 0; k < cpm_size_thresholds(r->model) && !status; k++) {
        double from = cpm_size_threshold(r->model, k);
        status = from > 1 && from <= last ? add_threshold(r, from) : CPM_OK;
    }
    if (!status)
        sort_samples(r);
    return status;
}

/* ---- times */

/* Walks end early that are too slow: of messages that do not hinder each other, if there is a bound
 * of their time, which is none here. */
static evaluation evaluation_at(const refinement *r, size_t bytes)
{
    const double most = cpm_model_flows(r->model) ? INFINITY : DBL_MAX;
    cpm_request there = r->request;
    there.bytes = bytes;
    evaluation v = evaluation_of(r->model, &there, (cpm_size_class){bytes, bytes}, most);
    v.batch = r->options->batch;
    v.share_of_usual = 1 - worth;
    return v;
}

/* Infinite if it does not apply, or the library lacks it. What escalates takes longer than what
 * does not, and MPI's own routine is the last resort. */
static int time_of(const refinement *r, int k, size_t bytes, double *seconds)
{
    candidate x = {.what = r->who[k], .seconds = -1};
    const evaluation v = evaluation_at(r, bytes);
    *seconds = DBL_MAX;
    if (!x.what.algorithm)
        return CPM_OK;
    int status = is_theirs(r, &x.what, bytes) ? evaluate_one(&v, &x, r->e) : CPM_OK;
    *seconds = status || x.seconds < 0 ? INFINITY : x.seconds * (x.at_risk ? escalated : 1);
    free(x.finish);
    return status;
}

/* The longest piece of a block, about. */
static double piece(const refinement *r, int k, size_t bytes)
{
    size_t segment = r->who[k].with.segment;
    return (double)(segment && segment < bytes ? segment : bytes);
}

/* Whether k may be better than the rule: other rules' algorithms, and those whose segments are not
 * that much shorter or longer than the rule's. More pieces than that are a pipeline's overhead
 * only; and of less than a segment there is one. */
static bool has_chance(const refinement *r, int k, int rule, size_t bytes)
{
    static const double apart = 8;
    const size_t segment = r->who[k].with.segment;
    const double ratio = piece(r, k, bytes) / piece(r, rule, bytes);
    const bool cut_well = !segment || (segment < bytes && bytes / segment <= MOST_PIECES);
    const bool alike = !r->who[rule].with.segment || (ratio < apart && ratio > 1 / apart);
    return cut_well && (k < r->named || alike);
}

/* Those that have a chance, and those two, which are known then, while others are no better; which
 * of the contenders each is. */
static int list_candidates(const refinement *r, size_t bytes, int rule, int last, candidates *all)
{
    int status = CPM_OK;
    for (int k = 0; k < r->contenders && !status; k++) {
        const bool taken = k == rule || k == last;
        candidate x = {.what = r->who[k], .usual = taken, .allowed = true, .seconds = -1};
        if (!x.what.algorithm || !is_theirs(r, &x.what, bytes) ||
            (!taken && !has_chance(r, k, rule, bytes)))
            continue;
        r->which[all->count] = k;
        status = candidates_add(all, &x, r->e);
    }
    return status;
}

/* Whether contender k takes no longer than what is worth a rule. */
static bool is_good(const refinement *r, const candidates *all, int k, const candidate *best)
{
    for (int i = 0; i < all->count; i++)
        if (r->which[i] == k)
            return all->at[i].seconds >= 0 && all->at[i].at_risk <= best->at_risk &&
                   all->at[i].seconds <= (1 + worth) * best->seconds;
    return false;
}

/* What is left where no algorithm applies: MPI's own routine, if there is a rule for it. */
static int without_any(const refinement *r, int rule)
{
    for (int k = 0; k < r->named; k++)
        if (!r->who[k].algorithm)
            return k;
    return rule;
}

/* The rule's if that is as good as the best, else that of the last sample, else the best. */
static int choose(refinement *r, int64_t i)
{
    candidates all = {0};
    const cpm_rule *of_size = &r->rules->at[cpm_rules_find(r->rules, r->at[i].bytes)];
    const int rule = find(r, &of_size->what), last = i ? r->at[i - 1].choice : rule;
    const evaluation v = evaluation_at(r, r->at[i].bytes);
    int status = list_candidates(r, r->at[i].bytes, rule, last, &all);
    if (!status)
        status = evaluate_all(&v, &all, r->e);
    const candidate *best = status ? NULL : candidates_best(&all);
    r->at[i].choice = !best                          ? without_any(r, rule)
                      : is_good(r, &all, rule, best) ? rule
                      : is_good(r, &all, last, best) ? last
                                                     : r->which[best - all.at];
    candidates_clear(&all);
    return status;
}

static int choose_all(refinement *r)
{
    int status = CPM_OK;
    for (int64_t i = 0; i < r->samples && !status; i++)
        if (r->at[i].choice < 0)
            status = choose(r, i);
    return status;
}

/* Whether what is taken changes between the i-th sample and the one before it, or next to these. */
static bool is_unsettled(const refinement *r, int64_t i, int64_t count)
{
    const int64_t first = i > 1 ? i - 1 : i, last = i + 1 < count ? i + 1 : i;
    for (int64_t k = first; k <= last; k++)
        if (r->at[k].choice != r->at[k - 1].choice)
            return true;
    return false;
}

/* More samples there: where two are faster in turns, few show some of these only. */
static int look_closer(refinement *r)
{
    enum { MORE = 3 };
    static const double apart = 1.05;
    const int64_t count = r->samples;
    int status = CPM_OK;
    for (int64_t i = 1; i < count && !status; i++) {
        const double low = (double)r->at[i - 1].bytes, high = (double)r->at[i].bytes;
        for (int k = 1; k <= MORE && !status && high > apart * low && high > LEAST_SEGMENT; k++)
            if (r->cuts && is_unsettled(r, i, count))
                status = add_sample(r, low + k * (high - low) / (MORE + 0.9));
    }
    sort_samples(r);
    return status ? status : choose_all(r);
}

/* ---- rules */

/* From where on b is taken, a at low and b at high: to where it makes no difference, or to the
 * byte. */
static int find_border(const refinement *r, int a, int b, size_t low, size_t high, size_t *border)
{
    int status = CPM_OK;
    while (high - low > 1 + low / NARROW) {
        const size_t middle = low + (high - low) / 2;
        double first, second;
        status = time_of(r, a, middle, &first);
        if (!status)
            status = time_of(r, b, middle, &second);
        if (status)
            break;
        const bool equal = fabs(first - second) <= as_good * fmin(first, second);
        if (!equal && first <= second)
            low = middle;
        else
            high = middle;
        if (equal)
            break;
    }
    *border = high;
    return status;
}

static int append(const refinement *r, cpm_rules *to, int choice, size_t from)
{
    cpm_rule rule = {
        .from = from, .what = r->who[choice], .batch = r->options->batch != CPM_ISOLATED};
    rule.seconds = rule.what.algorithm
                       ? cpm_predict_bytes(r->model, &rule.what, from,
                                           &(cpm_walking){.batch = r->options->batch}, NULL, r->e)
                       : NAN;
    if (rule.seconds < 0)
        return (int)rule.seconds;
    if (!cpm_vector_extend(&to->at, to->count, sizeof *to->at))
        return cpm_no_memory(r->e);
    to->at[to->count++] = rule;
    return CPM_OK;
}

/* One at each change, and one for the last size. */
static int make_rules(const refinement *r, cpm_rules *to)
{
    const sample *last = &r->at[r->samples - 1];
    int status = append(r, to, r->at[0].choice, r->at[0].bytes);
    for (int64_t i = 1; i < r->samples && !status; i++) {
        const sample *a = &r->at[i - 1], *b = &r->at[i];
        size_t border;
        if (a->choice == b->choice)
            continue;
        status = find_border(r, a->choice, b->choice, a->bytes, b->bytes, &border);
        if (!status)
            status = append(r, to, b->choice, border);
    }
    if (!status && to->at[to->count - 1].from != last->bytes)
        status = append(r, to, last->choice, last->bytes);
    return status;
}

int cpm_rules_refine(cpm_rules *rules, const cpm_model *m, const cpm_selector_options *options,
                     const cpm_request *request, cpm_error *e)
{
    refinement r = {.model = m, .options = options, .request = *request, .rules = rules, .e = e};
    cpm_rules made = {.operation = rules->operation, .n = rules->n};
    if (rules->count < 2 || request->operation->dataless)
        return CPM_OK;
    int status = list_contenders(&r);
    if (!status && r.contenders > 1)
        status = list_samples(&r);
    if (!status && r.contenders > 1)
        status = choose_all(&r);
    if (!status && r.contenders > 1)
        status = look_closer(&r);
    if (!status && r.contenders > 1)
        status = make_rules(&r, &made);
    free(r.at);
    free(r.who);
    free(r.which);
    if (status || r.contenders < 2) {
        free(made.at);
        return status;
    }
    free(rules->at);
    *rules = made;
    return CPM_OK;
}
