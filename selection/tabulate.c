/* Finds where answers change between the sizes, until it makes no difference. */
#include "selection/tabulate.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/vector.h"
#include "selection/refine.h"
#include "selection/size_class.h"

typedef struct {
    cpm_rules rules; /* so far; owned */
    const cpm_model *model;
    const cpm_selector_options *options;
    cpm_selector *selector;
    cpm_request request;
    cpm_collective last; /* of the last rule */
    size_t from;         /* where it begins */
    size_t last_size;
    bool any; /* there is one */
    cpm_error *e;
} tabulation;

/* What is best at the largest size of a class. */
typedef struct {
    cpm_collective what;
    size_t least, at;
} answer;

int64_t cpm_decision_effort(int n, size_t bytes)
{
    return llround(n * sqrt(n) * cbrt(1 + (double)bytes / 4096));
}

static int ask(tabulation *t, size_t bytes, answer *out)
{
    cpm_choice c = {0};
    t->request.bytes = bytes;
    int status = t->selector->choose(t->selector, &t->request, &c, t->e);
    if (!status) /* without a mapping, it owns nothing */
        *out = (answer){cpm_request_collective(&t->request, &c.what), c.least,
                        c.most < t->last_size ? c.most : t->last_size};
    cpm_choice_clear(&c);
    if (t->options->decided)
        atomic_fetch_add_explicit(t->options->decided, cpm_decision_effort(t->request.n, bytes),
                                  memory_order_relaxed);
    return status;
}

/* Without a rule the library decides, too. */
static int add_rule(tabulation *t, const cpm_collective *what, size_t from)
{
    if (!what->algorithm && !t->any)
        return CPM_OK;
    double seconds =
        what->algorithm ? cpm_predict_timed(t->model, what, from, t->options->batch, t->e) : NAN;
    if (seconds < 0)
        return (int)seconds;
    const cpm_rule rule = {.from = from,
                           .what = *what,
                           .seconds = seconds,
                           .batch = t->options->batch != CPM_ISOLATED};
    t->last = *what;
    t->from = from;
    t->any = true;
    if (!cpm_vector_extend(&t->rules.at, t->rules.count, sizeof rule))
        return cpm_fail(t->e, CPM_ENOMEM, "no memory for rules");
    t->rules.at[t->rules.count++] = rule;
    return CPM_OK;
}

/* ---- between two sizes */

/* What is as good as the best to this share of the time is not told from it. */
static const double as_good = 0.002;

/* Of sizes that are closer together than this what is best at both is best between them. */
static const double close_by = 1.34;

/* As two take the same time at a border, a third may be better near it. */
static const double close_to_border = 1.05;

/* Seconds of an answer's algorithm at another size; infinite if it does not apply there. */
static int time_of(const tabulation *t, const answer *a, size_t bytes, double *seconds)
{
    cpm_error why = {0};
    *seconds = INFINITY;
    if (!a->what.algorithm)
        return CPM_OK;
    *seconds = cpm_predict_timed(t->model, &a->what, bytes, t->options->batch, &why);
    if (*seconds >= 0)
        return CPM_OK;
    int status = (int)*seconds;
    *seconds = INFINITY;
    return status == CPM_ENOMEM ? cpm_fail(t->e, status, "%s", why.text) : CPM_OK;
}

/* How much longer a takes than b at a size, as a share of the shorter time. */
static int lead(const tabulation *t, const answer *a, const answer *b, size_t bytes, double *share)
{
    double first, second;
    int status = time_of(t, a, bytes, &first);
    if (!status)
        status = time_of(t, b, bytes, &second);
    if (!status)
        *share = isinf(first) && isinf(second) ? 0 : (first - second) / fmin(first, second);
    return status;
}

/* Where b becomes better than a, between a, where it is worse, and b: to where it makes no
 * difference, or to the byte. Others are not asked for, so that this takes little. 0: their times
 * are not why they are the answers. */
static int find_border(const tabulation *t, const answer *a, const answer *b, size_t *border)
{
    size_t low = a->at, high = b->at;
    double at_low, at_high, share;
    int status = lead(t, a, b, low, &at_low);
    if (!status)
        status = lead(t, a, b, high, &at_high);
    bool contradicts = !status && (at_low > as_good || at_high < -as_good);
    while (!status && !contradicts && high - low > 1 && (at_low < -as_good || at_high > as_good)) {
        size_t middle = low + (high - low) / 2;
        status = lead(t, a, b, middle, &share);
        if (share > 0)
            high = middle, at_high = share;
        else
            low = middle, at_low = share;
    }
    *border = contradicts ? 0 : high;
    return status;
}

/* Whether a is as good as what was found to be best where b is. If it is faster there, that was not
 * why another was taken: gathers escalate. */
static int is_as_good(const tabulation *t, const answer *a, const answer *b, bool *is)
{
    double share = 0;
    *is = cpm_collective_same(&a->what, &b->what);
    int status =
        *is || !a->what.algorithm || !b->what.algorithm ? CPM_OK : lead(t, a, b, b->at, &share);
    *is = *is || (a->what.algorithm && b->what.algorithm && fabs(share) <= as_good);
    return status;
}

static int divide(tabulation *t, const answer *a, const answer *b);

/* Both ends have the same answer. */
static int look_between(tabulation *t, const answer *a, const answer *b, double close)
{
    bool same;
    answer middle;
    if ((double)b->at <= close * (double)a->at || b->at - a->at <= 1)
        return CPM_OK;
    int status = ask(t, a->at + (b->at - a->at) / 2, &middle);
    if (status || middle.at >= b->at)
        return status;
    if (!status)
        status = is_as_good(t, a, &middle, &same);
    if (!status && same)
        middle.what = a->what;
    if (!status)
        status = divide(t, a, &middle);
    return status ? status : divide(t, &middle, b);
}

/* a is better just before the border, b from it on; a third may be better than both. */
static int meet(tabulation *t, const answer *a, const answer *b, size_t border)
{
    bool same = true;
    answer there = *b, before = *a;
    int status = CPM_OK;
    if (border < b->least) {
        status = ask(t, border, &there);
        if (!status)
            status = is_as_good(t, b, &there, &same);
    }
    if (status)
        return status;
    if (!same) {
        status = divide(t, a, &there);
        return status ? status : divide(t, &there, b);
    }
    there = (answer){b->what, border, border};
    before.at = border - 1;
    status = look_between(t, a, &before, close_to_border);
    if (!status)
        status = add_rule(t, &b->what, border);
    return status ? status : look_between(t, &there, b, close_to_border);
}

/* Between a, whose rule is there, and b. */
static int divide(tabulation *t, const answer *a, const answer *b)
{
    size_t border;
    if (cpm_collective_same(&a->what, &b->what))
        return look_between(t, a, b, close_by);
    if (b->at - a->at <= 1)
        return add_rule(t, &b->what, b->at);
    int status = find_border(t, a, b, &border);
    if (status || border)
        return status ? status : meet(t, a, b, border);
    if (b->least <= a->at + 1)
        return add_rule(t, &b->what, a->at + 1);
    answer middle;
    status = ask(t, a->at + (b->least - a->at) / 2, &middle);
    if (!status)
        status = divide(t, a, &middle);
    return status ? status : divide(t, &middle, b);
}

/* To a size from the last one. */
static int proceed(tabulation *t, answer *before, size_t bytes)
{
    answer next;
    if (bytes <= before->at)
        return CPM_OK;
    int status = ask(t, bytes, &next);
    if (!status && next.at > before->at)
        status = divide(t, before, &next);
    *before = next;
    return status;
}

/* Just below a threshold of the model, if it is before that size: what is only good there is
 * hardly met otherwise. */
static int stop_at_thresholds(tabulation *t, answer *before, size_t bytes)
{
    int status = CPM_OK;
    for (int k = 0; k < cpm_size_thresholds(t->model) && !status; k++) {
        const double below = ceil(cpm_size_threshold(t->model, k)) - 1;
        if (below > 0 && below < (double)bytes)
            status = proceed(t, before, (size_t)below);
    }
    return status;
}

static int tabulate(tabulation *t, const cpm_sizes *sizes)
{
    answer before;
    size_t last = t->last_size = sizes->at[sizes->count - 1];
    int status = ask(t, sizes->at[0], &before);
    if (!status)
        status = add_rule(t, &before.what, sizes->at[0]);
    for (int k = 1; k < sizes->count && !status; k++) {
        status = stop_at_thresholds(t, &before, sizes->at[k]);
        if (!status)
            status = proceed(t, &before, sizes->at[k]);
    }
    return status || !t->any || t->from == last ? status : add_rule(t, &t->last, last);
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
                                .hosts = cpm_hosts_have_levels(&m->on) ? &m->on : NULL},
                    .e = e};
    if (!cpm_selector_asks_for(options, operation))
        return CPM_OK;
    int status = cpm_selector_of_model(m, options, &x.selector, e);
    if (status)
        return status;
    status = tabulate(&x, sizes);
    x.selector->free(x.selector);
    if (!status)
        status = cpm_rules_refine(&x.rules, m, options, &x.request, e);
    for (int k = 0; k < x.rules.count && !status; k++)
        status = cpm_table_add(t, operation, m->n, &x.rules.at[k], e);
    free(x.rules.at);
    return status;
}
