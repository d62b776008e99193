/* Whether every rule can hold for some call.
 *
 * Calls that reach a test are a set of boxes, ranges of all quantities; a test splits each in those
 * for which it holds and those for which it does not. Where there are too many boxes some become
 * one that has them all: then a rule that never holds may be missed, but none is accused wrongly.
 */
#include <stdlib.h>

#include "tables/ruleset_lines.h"

enum { MOST_BOXES = 64 };

typedef struct {
    int count;
    cpm_region box[MOST_BOXES];
} boxes;

typedef struct {
    const cpm_ruleset *rules;
    boxes **reach;   /* [tests] calls that come to each; NULL: none */
    bool *rule_held; /* [rules] */
} checker;

/* ---- sets of boxes ---- */

static void hull(cpm_region *into, const cpm_region *g)
{
    for (int k = 0; k < CPM_ASKS; k++) {
        if (g->least.of[k] < into->least.of[k])
            into->least.of[k] = g->least.of[k];
        if (g->most.of[k] > into->most.of[k])
            into->most.of[k] = g->most.of[k];
    }
}

static void add_box(boxes *b, const cpm_region *g)
{
    if (b->count < MOST_BOXES)
        b->box[b->count++] = *g;
    else
        hull(&b->box[MOST_BOXES - 1], g);
}

/* The part of a box in which a quantity is from low to high; false: there is none. */
static bool cut(cpm_region *g, int quantity, int64_t low, int64_t high)
{
    int64_t *least = &g->least.of[quantity], *most = &g->most.of[quantity];
    if (low <= *least && *most <= high)
        return true;
    *least = low > *least ? low : *least;
    *most = high < *most ? high : *most;
    return cpm_region_narrow(g);
}

/* ---- one test ---- */

/* The parts of all boxes with that range of a quantity come to at, too. */
static bool send_range(const checker *c, const boxes *from, const cpm_rule_test *t, int64_t low,
                       int64_t high, int32_t at)
{
    if (at >= 0 && !c->reach[at])
        c->reach[at] = calloc(1, sizeof(boxes));
    if (at >= 0 && !c->reach[at])
        return false;
    for (int k = 0; k < from->count; k++) {
        cpm_region part = from->box[k];
        if (!cut(&part, t->quantity, low, high))
            continue;
        if (at >= 0)
            add_box(c->reach[at], &part);
        else if (at != CPM_NO_RULE)
            c->rule_held[-2 - at] = true;
    }
    return true;
}

static bool send_on(const checker *c, int k)
{
    const cpm_rule_test *t = &c->rules->test[k];
    const boxes *from = c->reach[k];
    int64_t low = t->low, high = (int64_t)((uint64_t)low + t->span);
    bool ok = send_range(c, from, t, low, high, t->holds);
    if (ok && low > INT64_MIN)
        ok = send_range(c, from, t, INT64_MIN, low - 1, t->fails);
    if (ok && high < INT64_MAX)
        ok = send_range(c, from, t, high + 1, INT64_MAX, t->fails);
    return ok;
}

/* ---- what never holds ---- */

static bool is_possible(const boxes *from, int quantity, int64_t low, int64_t high)
{
    for (int k = 0; from && k < from->count; k++) {
        cpm_region part = from->box[k];
        if (cut(&part, quantity, low, high))
            return true;
    }
    return false;
}

/* What calls that come here are, of which there are some. */
static void describe_operation(const cpm_region *all, char *text, size_t size)
{
    int64_t least = all->least.of[CPM_ASKS_OPERATION], most = all->most.of[CPM_ASKS_OPERATION];
    if (least == most)
        snprintf(text, size, "the operation is %s there", cpm_operations[least].name);
    else if (!all->most.of[CPM_ASKS_COMMUTING])
        snprintf(text, size, "the operation is one that combines there");
    else if (all->least.of[CPM_ASKS_ROOT] > 0)
        snprintf(text, size, "the operation is one with a root there");
    else if (all->least.of[CPM_ASKS_BYTES] > 0)
        snprintf(text, size, "the operation is one whose bytes are known there");
    else
        snprintf(text, size,
                 "the operation is %s or another one that was not asked for before there",
                 cpm_operations[least].name);
}

static void describe_range(const char *name, const cpm_region *all, int quantity, char *text,
                           size_t size)
{
    const cpm_region any = cpm_region_of_all();
    long least = (long)all->least.of[quantity], most = (long)all->most.of[quantity];
    const char *are = quantity == CPM_ASKS_ROOT || quantity >= CPM_ASKS_NAMED ? "is" : "are";
    if (least == most)
        snprintf(text, size, "%s %s %ld there", name, are, least);
    else if (most == any.most.of[quantity])
        snprintf(text, size, "%s %s at least %ld there", name, are, least);
    else if (least == INT64_MIN)
        snprintf(text, size, "%s %s at most %ld there", name, are, most);
    else
        snprintf(text, size, "%s %s %ld to %ld there", name, are, least, most);
}

static void describe(const cpm_ruleset *r, const boxes *from, int quantity, char *text, size_t size)
{
    cpm_region all = from->box[0];
    for (int k = 1; k < from->count; k++)
        hull(&all, &from->box[k]);
    const cpm_operation *o = &cpm_operations[all.least.of[CPM_ASKS_OPERATION]];
    const char *name = cpm_ruleset_quantity(r, quantity);
    bool one = all.least.of[CPM_ASKS_OPERATION] == all.most.of[CPM_ASKS_OPERATION];
    bool bytes = quantity == CPM_ASKS_BYTES || quantity == CPM_ASKS_TOTAL;
    if (quantity == CPM_ASKS_OPERATION)
        describe_operation(&all, text, size);
    else if (quantity < CPM_ASKS_NAMED && cpm_rule_quantities[quantity].truth)
        snprintf(text, size, "it is %s%s there", all.least.of[quantity] ? "" : "not ", name);
    else if (bytes && one && !cpm_rules_see_bytes(o))
        snprintf(text, size,
                 o->dataless ? "%s carries no data, so %s is 0"
                             : "rules do not see the sizes of %s, so %s is 0",
                 o->name, name);
    else
        describe_range(name, &all, quantity, text, size);
}

/* Whether condition what, which is test k, holds for some of the calls that come to it. */
static int check_condition(const checker *c, const cpm_rule_condition *what, int k,
                           const char *where, cpm_error *e)
{
    const cpm_rule_test *t = &c->rules->test[k];
    const boxes *from = c->reach[k];
    int64_t high = (int64_t)((uint64_t)t->low + t->span);
    bool possible = what->comparison == CPM_UNEQUAL
                        ? is_possible(from, t->quantity, INT64_MIN, t->low - 1) ||
                              is_possible(from, t->quantity, high + 1, INT64_MAX)
                        : is_possible(from, t->quantity, t->low, high);
    if (possible || !from || !from->count) /* what does not come here is the rule's to say */
        return CPM_OK;
    char said[256], why[256];
    cpm_rule_condition_print(c->rules, what, said, sizeof said);
    describe(c->rules, from, t->quantity, why, sizeof why);
    return cpm_fail(e, CPM_EPARSE, "%s:%d: '%s' never holds: %s", where, t->line, said, why);
}

static int check_rule(const checker *c, int k, const char *where, cpm_error *e)
{
    const cpm_written_rule *rule = &c->rules->rule[k];
    char name[CPM_COLLECTIVE_NAME] = "native";
    if (c->rule_held[k])
        return CPM_OK;
    if (rule->what.operation)
        cpm_collective_print(&rule->what, name, sizeof name);
    return cpm_fail(e, CPM_EPARSE,
                    "%s:%d: %s is never chosen: what is asked for and chosen before it leaves no "
                    "call for it",
                    where, rule->line, name);
}

/* Sends what came to test k on, after its condition, if it is one, was found possible. */
static int pass(const checker *c, const cpm_rule_condition *what, int k, const char *where,
                cpm_error *e)
{
    int status = what ? check_condition(c, what, k, where, e) : CPM_OK;
    if (!status && c->reach[k] && !send_on(c, k))
        status = cpm_no_memory(e);
    free(c->reach[k]);
    c->reach[k] = NULL;
    return status;
}

/* The tests of a line, the last of which is behind test; a rule has one if it names its operation.
 */
static int pass_line(const checker *c, const cpm_rule_line *line, int test, const char *where,
                     cpm_error *e)
{
    int status = CPM_OK;
    bool asks = line->word == CPM_RULE_IF || line->word == CPM_RULE_ELSE_IF;
    for (int i = 0; asks && i < line->count && !status; i++)
        status = pass(c, &c->rules->condition[line->first + i], test - 1 - i, where, e);
    if (line->word == CPM_RULE_USE && c->rules->rule[line->first].what.operation)
        status = pass(c, NULL, test - 1, where, e);
    return status;
}

static int tests_of(const checker *c, const cpm_rule_line *line)
{
    if (line->word == CPM_RULE_USE)
        return c->rules->rule[line->first].what.operation != NULL;
    return line->count;
}

/* Lines stand in the order in which calls pass them, which is that of tests from the last on. */
static int pass_all(const checker *c, const char *where, cpm_error *e)
{
    const cpm_ruleset *r = c->rules;
    int test = r->tests, status = CPM_OK;
    for (int k = 0; k < r->lines && !status; k++) {
        status = pass_line(c, &r->line[k], test, where, e);
        test -= tests_of(c, &r->line[k]);
    }
    for (int k = 0; k < r->rules && !status; k++)
        status = check_rule(c, k, where, e);
    return status;
}

/* ---- the whole ---- */

static int check(const checker *c, const char *where, cpm_error *e)
{
    const cpm_ruleset *r = c->rules;
    boxes *all = calloc(1, sizeof *all);
    if (!c->reach || !c->rule_held || !all) {
        free(all);
        return cpm_no_memory(e);
    }
    cpm_region any = cpm_region_of_all();
    cpm_region_narrow(&any);
    add_box(all, &any);
    if (r->first >= 0)
        c->reach[r->first] = all;
    else
        free(all);
    if (r->first < CPM_NO_RULE)
        c->rule_held[-2 - r->first] = true;
    return pass_all(c, where, e);
}

int cpm_ruleset_check(const cpm_ruleset *r, const char *where, cpm_error *e)
{
    checker c = {.rules = r,
                 .reach = calloc((size_t)r->tests + 1, sizeof(boxes *)),
                 .rule_held = calloc((size_t)r->rules + 1, sizeof(bool))};
    int status = check(&c, where, e);
    for (int k = 0; c.reach && k < r->tests; k++)
        free(c.reach[k]);
    free(c.reach);
    free(c.rule_held);
    return status;
}
