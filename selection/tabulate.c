/* Divides the sizes until neighbouring answers are the same. */
#include "selection/tabulate.h"

#include <math.h>
#include <stdatomic.h>

typedef struct {
    cpm_table *table;
    const cpm_model *model;
    const cpm_selector_options *options;
    cpm_selector *selector;
    cpm_request request;
    cpm_collective last; /* of the last rule */
    size_t from;         /* where it begins */
    bool any;            /* there is one */
    cpm_error *e;
} tabulation;

/* An answer and the sizes for which it holds. */
typedef struct {
    cpm_collective what;
    size_t least, most;
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
        *out = (answer){cpm_request_collective(&t->request, &c.what), c.least, c.most};
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
    const cpm_rule rule = {.from = from, .what = *what, .seconds = seconds, .batch = t->options->batch != CPM_ISOLATED};
    t->last = *what;
    t->from = from;
    t->any = true;
    return cpm_table_add(t->table, t->request.operation, t->request.n, &rule, t->e);
}

/* a holds up to where b begins. */
static int meet(tabulation *t, const answer *b)
{
    bool same = t->any && cpm_collective_same(&t->last, &b->what);
    return same ? CPM_OK : add_rule(t, &b->what, b->least);
}

/* Between a, whose rule is there, and b. tried: the middle of an interval with equal ends was
 * looked at. */
static int divide(tabulation *t, const answer *a, const answer *b, bool tried)
{
    bool adjacent = a->most + 1 >= b->least, same = cpm_collective_same(&a->what, &b->what);
    if (adjacent || (same && tried))
        return meet(t, b);
    answer middle;
    int status = ask(t, a->most + 1 + (b->least - a->most - 1) / 2, &middle);
    bool same_again = same && cpm_collective_same(&a->what, &middle.what);
    if (!status)
        status = divide(t, a, &middle, same_again);
    return status ? status : divide(t, &middle, b, same_again);
}

static int tabulate(tabulation *t, const cpm_sizes *sizes)
{
    answer before, next;
    size_t last = sizes->at[sizes->count - 1];
    int status = ask(t, sizes->at[0], &before);
    if (!status)
        status = add_rule(t, &before.what, sizes->at[0]);
    for (int k = 1; k < sizes->count && !status; k++) {
        status = ask(t, sizes->at[k], &next);
        if (!status && next.least > before.most)
            status = divide(t, &before, &next, false);
        before = next;
    }
    return status || !t->any || t->from == last ? status : add_rule(t, &t->last, last);
}

int cpm_tabulate(cpm_table *t, const cpm_model *m, const cpm_selector_options *options,
                 const cpm_operation *operation, int root, const cpm_sizes *sizes, cpm_error *e)
{
    tabulation x = {
        .table = t,
        .model = m,
        .options = options,
        .request = {.operation = operation, .n = m->n, .root = root, .topology = options->topology},
        .e = e};
    if (!cpm_selector_asks_for(options, operation))
        return CPM_OK;
    int status = cpm_selector_of_model(m, options, &x.selector, e);
    if (status)
        return status;
    status = tabulate(&x, sizes);
    x.selector->free(x.selector);
    return status;
}
