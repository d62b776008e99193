/* Rules as tests: made of lines, compiled for a communicator, and followed.
 *
 * Tests are made from the last line to the first, so that each knows where it leads: what holds
 * next if nothing here does is the line behind the block. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "tables/ruleset_lines.h"

/* ---- from lines to tests ---- */

/* A block whose end was seen: where the line behind it leads, and the part before this one. */
typedef struct {
    int32_t after, otherwise;
} block;

typedef struct {
    cpm_ruleset *rules;
    int64_t room, open_room;
    block *open;
    int depth;
    int32_t target; /* where the line that follows begins */
} translator;

/* The range of an operation has the v-operation that shares its algorithms, too. */
bool cpm_rule_condition_range(const cpm_rule_condition *c, int64_t *low, int64_t *high)
{
    bool up = c->comparison == CPM_ABOVE || c->comparison == CPM_AT_LEAST;
    bool down = c->comparison == CPM_BELOW || c->comparison == CPM_AT_MOST;
    *low = down ? INT64_MIN : c->value + (c->comparison == CPM_ABOVE);
    *high = up ? INT64_MAX : c->value - (c->comparison == CPM_BELOW);
    if (c->quantity == CPM_ASKS_OPERATION) {
        const cpm_operation *o = &cpm_operations[c->value], *next = o + 1;
        *high += next->like && strcmp(next->like, o->name) == 0;
    }
    return c->comparison != CPM_UNEQUAL;
}

static bool add_test(translator *t, const cpm_rule_test *test)
{
    cpm_ruleset *r = t->rules;
    if (!cpm_vector_reserve(&r->test, &t->room, r->tests + 1, sizeof *r->test))
        return false;
    r->test[r->tests++] = *test;
    return true;
}

static bool add_condition(translator *t, const cpm_rule_condition *c, int line, int32_t *holds,
                          int32_t fails)
{
    int64_t low = 0, high = 0;
    bool inside = cpm_rule_condition_range(c, &low, &high);
    cpm_rule_test test = {.low = low,
                          .span = (uint64_t)high - (uint64_t)low,
                          .quantity = c->quantity,
                          .holds = inside ? *holds : fails,
                          .fails = inside ? fails : *holds,
                          .line = line};
    *holds = t->rules->tests;
    return add_test(t, &test);
}

/* Conditions that lead to *holds if all hold; *holds becomes the first. */
static bool add_conditions(translator *t, const cpm_rule_line *line, int32_t *holds, int32_t fails)
{
    bool ok = true;
    for (int k = line->count - 1; k >= 0 && ok; k--)
        ok = add_condition(t, &t->rules->condition[line->first + k], line->number, holds, fails);
    return ok;
}

static bool add_use(translator *t, const cpm_rule_line *line)
{
    const cpm_operation *o = t->rules->rule[line->first].what.operation;
    int32_t rule = -2 - line->first;
    cpm_rule_condition c = {.quantity = CPM_ASKS_OPERATION,
                            .comparison = CPM_EQUAL,
                            .value = o ? o - cpm_operations : 0};
    bool ok = !o || add_condition(t, &c, line->number, &rule, t->target);
    t->target = rule;
    return ok;
}

static bool add_end(translator *t)
{
    if (!cpm_vector_reserve(&t->open, &t->open_room, t->depth + 1, sizeof *t->open))
        return false;
    t->open[t->depth++] = (block){t->target, t->target};
    return true;
}

static bool add_line(translator *t, const cpm_rule_line *line)
{
    if (line->word == CPM_RULE_USE)
        return add_use(t, line);
    if (line->word == CPM_RULE_END)
        return add_end(t);
    block *b = &t->open[t->depth - 1];
    int32_t part = t->target;
    bool ok = line->word == CPM_RULE_ELSE || add_conditions(t, line, &part, b->otherwise);
    b->otherwise = part;
    t->target = b->after;
    if (line->word == CPM_RULE_IF) {
        t->target = part;
        t->depth--;
    }
    return ok;
}

int cpm_ruleset_translate(cpm_ruleset *r, cpm_error *e)
{
    translator t = {.rules = r, .target = CPM_NO_RULE};
    bool ok = r->lines < INT_MAX / 2;
    for (int k = r->lines - 1; k >= 0 && ok; k--)
        ok = add_line(&t, &r->line[k]);
    free(t.open);
    r->first = t.target;
    return ok ? CPM_OK : cpm_no_memory(e);
}

/* ---- following tests ---- */

static bool holds(const cpm_rule_test *t, int64_t value)
{
    return (uint64_t)value - (uint64_t)t->low <= t->span;
}

static int32_t follow(const cpm_rule_test *test, int32_t at, const cpm_situation *s)
{
    while (at >= 0) {
        const cpm_rule_test *t = &test[at];
        at = holds(t, s->of[t->quantity]) ? t->holds : t->fails;
    }
    return at;
}

/* All values that are on the same side of a test. */
static void narrow(cpm_region *g, const cpm_rule_test *t, int64_t value)
{
    int64_t *least = &g->least.of[t->quantity], *most = &g->most.of[t->quantity];
    int64_t high = (int64_t)((uint64_t)t->low + t->span);
    int64_t from = INT64_MIN, to = INT64_MAX;
    if (holds(t, value)) {
        from = t->low;
        to = high;
    } else if (value < t->low)
        to = t->low - 1;
    else
        from = high + 1;
    *least = from > *least ? from : *least;
    *most = to < *most ? to : *most;
}

cpm_region cpm_region_of_all(void)
{
    cpm_region g;
    for (int k = 0; k < CPM_ASKS; k++) {
        bool named = k >= CPM_ASKS_NAMED;
        g.least.of[k] = named ? INT64_MIN : cpm_rule_quantities[k].least;
        g.most.of[k] = named ? INT64_MAX : cpm_rule_quantities[k].most;
    }
    return g;
}

static int find(const cpm_rule_test *test, int32_t first, const cpm_situation *s,
                cpm_region *within)
{
    int32_t end = follow(test, first, s);
    if (within)
        *within = cpm_region_of_all();
    for (int32_t at = first; within && at >= 0;) {
        int64_t value = s->of[test[at].quantity];
        narrow(within, &test[at], value);
        at = holds(&test[at], value) ? test[at].holds : test[at].fails;
    }
    return end == CPM_NO_RULE ? end : -2 - end;
}

int cpm_ruleset_find(const cpm_ruleset *r, const cpm_situation *s, cpm_region *within)
{
    return find(r->test, r->first, s, within);
}

int cpm_compiled_rules_find(const cpm_compiled_rules *c, const cpm_situation *s, cpm_region *within)
{
    return find(c->test, c->first, s, within);
}

/* ---- situations ---- */

static int64_t most_on_a_host(const cpm_hosts *h, int n)
{
    int64_t most = 1;
    int *count = h ? calloc((size_t)h->count, sizeof *count) : NULL;
    for (int i = 0; count && i < n; i++) {
        int here = ++count[h->of[i]];
        most = here > most ? here : most;
    }
    free(count);
    return most;
}

cpm_situation cpm_situation_of(const cpm_request *r)
{
    cpm_situation s = {{0}};
    int64_t bytes = r->bytes < INT64_MAX ? (int64_t)r->bytes : INT64_MAX, total;
    if (__builtin_mul_overflow(bytes, (int64_t)r->n, &total))
        total = INT64_MAX;
    s.of[CPM_ASKS_OPERATION] = r->operation - cpm_operations;
    s.of[CPM_ASKS_PROCESSES] = r->n;
    s.of[CPM_ASKS_HOSTS] = r->hosts ? r->hosts->count : r->n;
    s.of[CPM_ASKS_PER_HOST] = most_on_a_host(r->hosts, r->n);
    s.of[CPM_ASKS_POWER_OF_TWO] = (r->n & (r->n - 1)) == 0;
    s.of[CPM_ASKS_TOTAL] = total;
    s.of[CPM_ASKS_BYTES] = bytes;
    s.of[CPM_ASKS_ROOT] = r->operation->rooted ? r->root : 0;
    s.of[CPM_ASKS_COMMUTING] = !r->ordered;
    return s;
}

/* ---- compiling ---- */

/* Bytes of all blocks as bytes of one, of n processes. False: no block fulfils it. */
static bool by_block(cpm_rule_test *t, int64_t n)
{
    int64_t high = (int64_t)((uint64_t)t->low + t->span), low = t->low < 0 ? 0 : t->low;
    if (high < 0)
        return false;
    low = low / n + (low % n != 0);
    high = high == INT64_MAX ? high : high / n;
    t->quantity = CPM_ASKS_BYTES;
    t->low = low;
    t->span = (uint64_t)high - (uint64_t)low;
    return low <= high;
}

static int32_t moved(const int32_t *to, int32_t at)
{
    return at >= 0 ? to[at] : at;
}

/* Where test k leads, or is from now on: count tests are there. */
static int32_t compile_test(cpm_rule_test t, const cpm_situation *s, cpm_rule_test *out,
                            int32_t *count)
{
    const cpm_operation *o = &cpm_operations[s->of[CPM_ASKS_OPERATION]];
    bool constant =
        t.quantity <= CPM_ASKS_POWER_OF_TWO || (t.quantity == CPM_ASKS_ROOT && !o->rooted);
    if (constant)
        return holds(&t, s->of[t.quantity]) ? t.holds : t.fails;
    if (t.quantity == CPM_ASKS_TOTAL && !by_block(&t, s->of[CPM_ASKS_PROCESSES]))
        return t.fails;
    if (t.holds == t.fails)
        return t.holds;
    out[*count] = t;
    return (*count)++;
}

int cpm_ruleset_compile(const cpm_ruleset *r, const cpm_situation *s, cpm_compiled_rules *out,
                        cpm_error *e)
{
    size_t tests = (size_t)r->tests + 1; /* none is no failure */
    int32_t count = 0, *to = malloc(tests * sizeof *to);
    cpm_rule_test *test = malloc(tests * sizeof *test);
    if (!to || !test) {
        free(to);
        free(test);
        return cpm_no_memory(e);
    }
    for (int k = 0; k < r->tests; k++) {
        cpm_rule_test t = r->test[k];
        t.holds = moved(to, t.holds);
        t.fails = moved(to, t.fails);
        to[k] = compile_test(t, s, test, &count);
    }
    *out = (cpm_compiled_rules){test, moved(to, r->first)};
    free(to);
    return CPM_OK;
}
