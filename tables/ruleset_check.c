/* Whether every condition and rule can hold for some call.
 *
 * Lines are read in the order in which calls pass them. Calls that come to a line are a box, ranges
 * of all quantities, and so are those that a rule has chosen for. What is no box is taken to be the
 * smallest that has it all (calls), or is forgotten (what was chosen for): then a rule that never
 * holds may be missed, but none is accused wrongly. */
#include <stdlib.h>

#include "base/vector.h"
#include "tables/ruleset_lines.h"

enum { MOST_CHOSEN = 256 };

/* Calls that come to a place: all of the box, or some of it. */
typedef struct {
    cpm_region box;
    bool all;
} calls;

/* An open block: what comes to its part, and to the part behind that. */
typedef struct {
    calls here, rest;
} block;

typedef struct {
    const cpm_ruleset *rules;
    const char *where;
    cpm_error *e;
    block *open; /* [depth + 1] the first is the whole file */
    int depth;
    cpm_region chosen[MOST_CHOSEN];
    int count;
} checker;

/* ---- boxes ---- */

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Leaves those for which the condition holds, or does not. False: what is left is no box. */
static bool cut(cpm_region *g, const cpm_rule_condition *c, bool holds)
{
    int64_t *least = &g->least.of[c->quantity], *most = &g->most.of[c->quantity], low, high;
    if (cpm_rule_condition_range(c, &low, &high) == holds) {
        *least = larger(*least, low);
        *most = smaller(*most, high);
    } else if (low <= *least && *most <= high)
        *least = 1, *most = 0;
    else if (low <= *least && *least <= high)
        *least = high + 1;
    else if (low <= *most && *most <= high)
        *most = low - 1;
    else
        return high < *least || *most < low;
    return true;
}

/* A quantity of which no value is left; -1: there is none. */
static int empty_quantity(const cpm_region *g)
{
    for (int k = 0; k < CPM_ASKS; k++)
        if (g->least.of[k] > g->most.of[k])
            return k;
    return -1;
}

static bool is_inside(const cpm_region *g, const cpm_region *of)
{
    for (int k = 0; k < CPM_ASKS; k++)
        if (g->least.of[k] < of->least.of[k] || g->most.of[k] > of->most.of[k])
            return false;
    return true;
}

/* Two boxes that differ in one quantity, and touch there, are one. */
static bool join(cpm_region *g, const cpm_region *with)
{
    int differs = -1;
    for (int k = 0; k < CPM_ASKS; k++)
        if (g->least.of[k] != with->least.of[k] || g->most.of[k] != with->most.of[k]) {
            if (differs >= 0)
                return false;
            differs = k;
        }
    if (differs < 0)
        return true;
    int64_t *least = &g->least.of[differs], *most = &g->most.of[differs];
    int64_t from = larger(*least, with->least.of[differs]);
    int64_t to = smaller(*most, with->most.of[differs]);
    if (from > to && from - 1 > to)
        return false;
    *least = smaller(*least, with->least.of[differs]);
    *most = larger(*most, with->most.of[differs]);
    return true;
}

static void add_chosen(checker *c, cpm_region g)
{
    for (int k = 0; k < c->count; k++)
        if (join(&g, &c->chosen[k])) {
            c->chosen[k] = c->chosen[--c->count];
            k = -1; /* it may touch others now */
        }
    if (c->count < MOST_CHOSEN)
        c->chosen[c->count++] = g;
}

/* ---- what quantities say of each other ---- */

static void raise(cpm_region *g, int quantity, int64_t least)
{
    g->least.of[quantity] = larger(g->least.of[quantity], least);
}

static void lower(cpm_region *g, int quantity, int64_t most)
{
    g->most.of[quantity] = smaller(g->most.of[quantity], most);
}

/* As cpm_situation_of has it where it is too large. */
static int64_t product(int64_t a, int64_t b)
{
    int64_t c;
    return __builtin_mul_overflow(a, b, &c) ? INT64_MAX : c;
}

bool cpm_rules_see_bytes(const cpm_operation *o)
{
    return !o->dataless && o->sizes != CPM_KNOWN_TO_NOBODY;
}

static void narrow_by_operation(cpm_region *g)
{
    bool sized = false, rooted = false, combines = false;
    for (int64_t k = g->least.of[CPM_ASKS_OPERATION]; k <= g->most.of[CPM_ASKS_OPERATION]; k++) {
        const cpm_operation *o = &cpm_operations[k];
        sized = sized || cpm_rules_see_bytes(o);
        rooted = rooted || o->rooted;
        combines = combines || o->combines;
    }
    if (!sized)
        lower(g, CPM_ASKS_TOTAL, 0);
    if (!rooted)
        lower(g, CPM_ASKS_ROOT, 0);
    if (!combines)
        raise(g, CPM_ASKS_COMMUTING, 1);
}

/* Powers of two of which there is none, or nothing else. */
static void narrow_power_of_two(cpm_region *g)
{
    int64_t least = g->least.of[CPM_ASKS_PROCESSES], most = g->most.of[CPM_ASKS_PROCESSES];
    int64_t next = 1;
    while (next < least)
        next *= 2;
    if (next > most)
        lower(g, CPM_ASKS_POWER_OF_TWO, 0);
    else if (least == most)
        raise(g, CPM_ASKS_POWER_OF_TWO, 1);
}

bool cpm_region_narrow(cpm_region *g)
{
    static const struct {
        int quantity, is_at_most, less;
    } order[] = {{CPM_ASKS_HOSTS, CPM_ASKS_PROCESSES, 0},
                 {CPM_ASKS_PER_HOST, CPM_ASKS_PROCESSES, 0},
                 {CPM_ASKS_ROOT, CPM_ASKS_PROCESSES, 1},
                 {CPM_ASKS_BYTES, CPM_ASKS_TOTAL, 0}};
    if (empty_quantity(g) >= 0)
        return false;
    narrow_by_operation(g);
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        lower(g, order[k].quantity, g->most.of[order[k].is_at_most] - order[k].less);
        raise(g, order[k].is_at_most, g->least.of[order[k].quantity] + order[k].less);
    }
    lower(g, CPM_ASKS_PROCESSES,
          product(g->most.of[CPM_ASKS_HOSTS], g->most.of[CPM_ASKS_PER_HOST]));
    raise(g, CPM_ASKS_TOTAL, product(g->least.of[CPM_ASKS_BYTES], g->least.of[CPM_ASKS_PROCESSES]));
    narrow_power_of_two(g);
    return empty_quantity(g) < 0;
}

/* ---- what never holds ---- */

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

/* What calls that come here are, of which there are some. */
static void describe(const cpm_ruleset *r, const cpm_region *all, int quantity, char *text,
                     size_t size)
{
    const cpm_operation *o = &cpm_operations[all->least.of[CPM_ASKS_OPERATION]];
    const char *name = cpm_ruleset_quantity(r, quantity);
    bool one = all->least.of[CPM_ASKS_OPERATION] == all->most.of[CPM_ASKS_OPERATION];
    bool bytes = quantity == CPM_ASKS_BYTES || quantity == CPM_ASKS_TOTAL;
    if (quantity == CPM_ASKS_OPERATION)
        snprintf(text, size, "the operation is %s there", one ? o->name : "another one");
    else if (quantity < CPM_ASKS_NAMED && cpm_rule_quantities[quantity].truth)
        snprintf(text, size, "it is %s%s there", all->least.of[quantity] ? "" : "not ", name);
    else if (bytes && one && !cpm_rules_see_bytes(o))
        snprintf(text, size,
                 o->dataless ? "%s carries no data, so %s is 0"
                             : "rules do not see the sizes of %s, so %s is 0",
                 o->name, name);
    else
        describe_range(name, all, quantity, text, size);
}

/* Leaves of here the calls for which the condition holds, too. Where none come it is the rule's to
 * say so. */
static int check_condition(const checker *c, int line, const cpm_rule_condition *what, calls *here)
{
    cpm_region before = here->box;
    bool some = cpm_region_narrow(&before);
    cpm_region after = before;
    cut(&after, what, true);
    here->all = cut(&here->box, what, true) && here->all;
    if (!some || cpm_region_narrow(&after))
        return CPM_OK;
    char said[256], why[256];
    cpm_rule_condition_print(c->rules, what, said, sizeof said);
    describe(c->rules, &before, empty_quantity(&after), why, sizeof why);
    return cpm_fail(c->e, CPM_EPARSE, "%s:%d: '%s' never holds: %s", c->where, line, said, why);
}

static int check_rule(checker *c, const cpm_written_rule *rule, calls here)
{
    char name[CPM_COLLECTIVE_NAME] = "native";
    const cpm_operation *o = rule->what.operation;
    if (o)
        cut(&here.box, &(cpm_rule_condition){CPM_ASKS_OPERATION, CPM_EQUAL, o - cpm_operations},
            true);
    cpm_region possible = here.box;
    bool chosen = cpm_region_narrow(&possible);
    for (int k = 0; k < c->count && chosen; k++)
        chosen = !is_inside(&possible, &c->chosen[k]);
    if (chosen && here.all)
        add_chosen(c, here.box);
    if (chosen)
        return CPM_OK;
    if (o)
        cpm_collective_print(&rule->what, name, sizeof name);
    return cpm_fail(c->e, CPM_EPARSE,
                    "%s:%d: %s is never chosen: what is asked for and chosen before it leaves no "
                    "call for it",
                    c->where, rule->line, name);
}

/* ---- lines ---- */

/* The next part of a block: what comes to it, and, if it asks one thing, what goes on behind it. */
static int begin_part(const checker *c, const cpm_rule_line *line)
{
    block *b = &c->open[c->depth];
    const cpm_rule_condition *asked = &c->rules->condition[line->first];
    int status = CPM_OK;
    b->here = b->rest;
    for (int k = 0; k < line->count && !status; k++)
        status = check_condition(c, line->number, &asked[k], &b->here);
    b->rest.all = line->count == 1 && cut(&b->rest.box, asked, false) && b->rest.all;
    return status;
}

static int check_line(checker *c, const cpm_rule_line *line)
{
    const calls here = c->open[c->depth].here;
    if (line->word == CPM_RULE_USE)
        return check_rule(c, &c->rules->rule[line->first], here);
    if (line->word == CPM_RULE_END) {
        c->depth--;
        return CPM_OK;
    }
    if (line->word == CPM_RULE_IF) {
        if (!cpm_vector_extend(&c->open, c->depth + 1, sizeof *c->open))
            return cpm_no_memory(c->e);
        c->open[++c->depth].rest = here;
    }
    return begin_part(c, line);
}

int cpm_ruleset_check(const cpm_ruleset *r, const char *where, cpm_error *e)
{
    checker c = {.rules = r, .where = where, .e = e};
    if (!cpm_vector_extend(&c.open, 0, sizeof *c.open))
        return cpm_no_memory(e);
    c.open->here = (calls){cpm_region_of_all(), true};
    int status = CPM_OK;
    for (int k = 0; k < r->lines && !status; k++)
        status = check_line(&c, &r->line[k]);
    free(c.open);
    return status;
}
