/* Asks at enough sizes to find who may be the fastest; between them rules are refined. */
#include "tables/tabulate.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/vector.h"
#include "models/predict.h"
#include "selection/escalation.h"
#include "selection/model_selector.h"
#include "selection/size_class.h"
#include "tables/refine.h"

/* Sizes that are asked for are no farther apart than this; closer where algorithms may escalate at
 * some of them: what does not is slower otherwise, so that no rule names it yet. */
static const double close_by = 2.01, close_with_escalations = 1.34;

/* What is as good as the best to this share of the time is not told from it. */
static const double as_good = 0.002;

typedef struct {
    cpm_rules rules; /* so far; owned */
    const cpm_model *model;
    const cpm_selector_options *options;
    cpm_selector *selector;
    cpm_request request;
    size_t *at; /* [count] sizes to ask for; owned */
    int64_t count;
    cpm_error *e;
} tabulation;

int64_t cpm_decision_effort(int n, size_t bytes)
{
    return llround(n * sqrt(n) * cbrt(1 + (double)bytes / 4096));
}

/* ---- sizes */

static int add_size(tabulation *t, double bytes)
{
    if (!cpm_vector_extend(&t->at, t->count, sizeof *t->at))
        return cpm_no_memory(t->e);
    t->at[t->count++] = (size_t)bytes;
    return CPM_OK;
}

static int by_size(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Just below a threshold of the model: what is only good there is hardly met otherwise. */
static int add_thresholds(tabulation *t, size_t least, size_t most)
{
    int status = CPM_OK;
    for (int k = 0; k < cpm_size_thresholds(t->model) && !status; k++) {
        const double below = ceil(cpm_size_threshold(t->model, k)) - 1;
        if (below > (double)least && below < (double)most)
            status = add_size(t, below);
    }
    return status;
}

/* Equally far apart by their logarithms. */
static int fill(tabulation *t, double from, double to)
{
    cpm_switch_buffer buffer;
    const double close =
        cpm_switch_buffer_of(t->model, &buffer) ? close_with_escalations : close_by;
    const int parts = (int)ceil(log(to / fmax(from, 1)) / log(close));
    int status = CPM_OK;
    for (int k = 1; k < parts && !status; k++)
        status = add_size(t, fmax(from, 1) * pow(to / fmax(from, 1), (double)k / parts));
    return status;
}

static int list_sizes(tabulation *t, const cpm_sizes *sizes)
{
    const bool all = !t->request.operation->dataless;
    int status = CPM_OK;
    for (int k = 0; k < sizes->count && !status; k++)
        if (all || k == 0 || k == sizes->count - 1)
            status = add_size(t, (double)sizes->at[k]);
    if (!status && all)
        status = add_thresholds(t, sizes->at[0], sizes->at[sizes->count - 1]);
    if (status || !all)
        return status;
    qsort(t->at, (size_t)t->count, sizeof *t->at, by_size);
    const int64_t count = t->count;
    for (int64_t k = 1; k < count && !status; k++)
        status = fill(t, (double)t->at[k - 1], (double)t->at[k]);
    qsort(t->at, (size_t)t->count, sizeof *t->at, by_size);
    return status;
}

/* ---- answers */

static int ask(tabulation *t, size_t bytes, cpm_collective *out)
{
    cpm_choice c = {0};
    t->request.bytes = bytes;
    int status = t->selector->choose(t->selector, &t->request, &c, t->e);
    if (!status) /* without a mapping, it owns nothing */
        *out = cpm_request_collective(&t->request, &c.what);
    cpm_choice_clear(&c);
    if (t->options->decided)
        atomic_fetch_add_explicit(t->options->decided, cpm_decision_effort(t->request.n, bytes),
                                  memory_order_relaxed);
    return status;
}

/* Seconds of an algorithm at a size; infinite if it does not apply there. */
static int time_of(const tabulation *t, const cpm_collective *what, size_t bytes, double *seconds)
{
    cpm_error why = {0};
    *seconds = INFINITY;
    if (!what->algorithm)
        return CPM_OK;
    *seconds = cpm_predict_bytes(t->model, what, bytes, &(cpm_walking){.batch = t->options->batch},
                                 NULL, &why);
    if (*seconds >= 0)
        return CPM_OK;
    int status = (int)*seconds;
    *seconds = INFINITY;
    return status == CPM_ENOMEM ? cpm_fail(t->e, status, "%s", why.text) : CPM_OK;
}

/* Whether what the last rule names is as good as the best at a size. If it is faster, that was not
 * why another was taken: gathers escalate. */
static int is_as_good(const tabulation *t, const cpm_collective *best, size_t bytes, bool *is)
{
    double first, second;
    const cpm_collective *last = &t->rules.at[t->rules.count - 1].what;
    *is = cpm_collective_same(last, best);
    if (*is)
        return CPM_OK;
    int status = time_of(t, last, bytes, &first);
    if (!status)
        status = time_of(t, best, bytes, &second);
    *is = !status && isfinite(second) && fabs(first - second) <= as_good * second;
    return status;
}

/* Where no algorithm is left it is the library's own, whose time nobody knows. */
static int add_rule(tabulation *t, const cpm_collective *what, size_t from)
{
    cpm_rule rule = {
        .from = from, .what = *what, .seconds = NAN, .batch = t->options->batch != CPM_ISOLATED};
    if (what->algorithm)
        rule.seconds = cpm_predict_bytes(t->model, what, from,
                                         &(cpm_walking){.batch = t->options->batch}, NULL, t->e);
    if (rule.seconds < 0)
        return (int)rule.seconds;
    if (!cpm_vector_extend(&t->rules.at, t->rules.count, sizeof rule))
        return cpm_no_memory(t->e);
    t->rules.at[t->rules.count++] = rule;
    return CPM_OK;
}

/* How much longer the last rule's algorithm takes than another. */
static int lead(const tabulation *t, const cpm_collective *other, size_t bytes, double *seconds)
{
    double first, second;
    int status = time_of(t, &t->rules.at[t->rules.count - 1].what, bytes, &first);
    if (!status)
        status = time_of(t, other, bytes, &second);
    *seconds = status ? 0 : first - second;
    return status;
}

/* Where both take the same time, about: where lines through their times cross, some steps of that.
 * 0: nowhere between low and high. */
static int find_crossing(const tabulation *t, const cpm_collective *best, size_t low, size_t high,
                         size_t *bytes)
{
    enum { STEPS = 4 };
    double first, second, here;
    int status = lead(t, best, low, &first);
    if (!status)
        status = lead(t, best, high, &second);
    *bytes = 0;
    for (int k = 0; k < STEPS && !status && first < 0 && second > 0; k++) {
        const double share = isfinite(second - first) ? first / (first - second) : 0.5;
        const size_t middle = low + (size_t)(share * (double)(high - low));
        if (middle == low || middle == high)
            break;
        *bytes = middle;
        status = lead(t, best, middle, &here);
        if (here > 0)
            high = middle, second = here;
        else
            low = middle, first = here;
    }
    return status;
}

/* As two take the same time somewhere between the size before and this one, a third may be better
 * there. */
static int look_between(tabulation *t, const cpm_collective *best, size_t before, size_t bytes)
{
    size_t middle;
    cpm_collective third;
    bool same = true;
    int status = find_crossing(t, best, before, bytes, &middle);
    if (status || !middle)
        return status;
    status = ask(t, middle, &third);
    if (!status)
        status = is_as_good(t, &third, middle, &same);
    same = same || cpm_collective_same(&third, best);
    return status || same ? status : add_rule(t, &third, middle);
}

static int look_at(tabulation *t, size_t before, size_t bytes)
{
    cpm_collective best;
    bool same = false;
    int status = ask(t, bytes, &best);
    if (!status && t->rules.count > 0)
        status = is_as_good(t, &best, bytes, &same);
    if (!status && !same && t->rules.count > 0)
        status = look_between(t, &best, before, bytes);
    return status || same ? status : add_rule(t, &best, bytes);
}

/* The last rule is for the last size. */
static int tabulate(tabulation *t, const cpm_sizes *sizes)
{
    int status = list_sizes(t, sizes);
    for (int64_t k = 0; k < t->count && !status; k++)
        if (k == 0 || t->at[k] > t->at[k - 1])
            status = look_at(t, k ? t->at[k - 1] : 0, t->at[k]);
    if (status)
        return status;
    const cpm_rule last = t->rules.at[t->rules.count - 1];
    const size_t largest = t->at[t->count - 1];
    return last.from == largest ? CPM_OK : add_rule(t, &last.what, largest);
}

/* Without a rule the library decides, too. */
static int put_rules(const tabulation *x, cpm_table *t)
{
    int status = CPM_OK;
    bool any = false;
    for (int k = 0; k < x->rules.count && !status; k++) {
        any = any || x->rules.at[k].what.algorithm;
        if (any)
            status = cpm_table_add(t, x->rules.operation, x->rules.n, &x->rules.at[k], x->e);
    }
    return status;
}

int cpm_tabulate(cpm_table *t, const cpm_model *m, const cpm_selector_options *options,
                 const cpm_operation *operation, int root, const cpm_sizes *sizes, cpm_error *e)
{
    tabulation x = {.rules = {.operation = operation, .n = m->n},
                    .model = m,
                    .options = options,
                    .request = {.operation = operation,
                                .n = m->n,
                                .root = root,
                                .topology = options->topology,
                                .combining = options->combining,
                                .hosts = cpm_hosts_have_levels(&m->on) ? &m->on : NULL},
                    .e = e};
    cpm_selector_options exact = *options;
    exact.exact = true;
    if (!cpm_selector_asks_for(options, operation))
        return CPM_OK;
    int status = cpm_selector_of_model(m, &exact, &x.selector, e);
    if (status)
        return status;
    status = tabulate(&x, sizes);
    x.selector->free(x.selector);
    if (!status)
        status = cpm_rules_refine(&x.rules, m, options, &x.request, e);
    if (!status)
        status = put_rules(&x, t);
    free(x.at);
    free(x.rules.at);
    return status;
}
