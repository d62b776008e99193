/* Rules decide. */
#include <stdlib.h>
#include <string.h>

#include "tables/ruleset_selector.h"

typedef struct {
    cpm_selector base;
    const cpm_ruleset *rules;
    cpm_selector *otherwise;
    cpm_situation compiled_for;
    cpm_compiled_rules of[CPM_OPERATIONS]; /* their tests are NULL: not compiled yet */
} ruled;

static void forget(ruled *s)
{
    for (int k = 0; k < CPM_OPERATIONS; k++) {
        free(s->of[k].test);
        s->of[k].test = NULL;
    }
}

/* What is constant in a communicator, but for the operation. */
static bool same_processes(const cpm_situation *a, const cpm_situation *b)
{
    return memcmp(&a->of[CPM_ASKS_PROCESSES], &b->of[CPM_ASKS_PROCESSES],
                  (CPM_ASKS_TOTAL - CPM_ASKS_PROCESSES) * sizeof *a->of) == 0;
}

static int compile(ruled *s, const cpm_situation *now, cpm_compiled_rules **out, cpm_error *e)
{
    *out = &s->of[now->of[CPM_ASKS_OPERATION]];
    if (!same_processes(now, &s->compiled_for))
        forget(s);
    s->compiled_for = *now;
    return (*out)->test ? CPM_OK : cpm_ruleset_compile(s->rules, now, *out, e);
}

static void set_named(const cpm_ruleset *rules, const cpm_request *r, cpm_situation *s)
{
    for (int i = 0; i < r->named_count; i++) {
        int quantity = cpm_ruleset_named(rules, r->named[i].name);
        if (quantity != CPM_NO_RULE)
            s->of[quantity] = r->named[i].value;
    }
}

/* An answer holds for the sizes and roots that come to the same rule by the same tests. */
static void restrict_to(const cpm_region *g, const cpm_operation *o, cpm_choice *c)
{
    size_t least = (size_t)g->least.of[CPM_ASKS_BYTES];
    size_t most =
        g->most.of[CPM_ASKS_BYTES] == INT64_MAX ? SIZE_MAX : (size_t)g->most.of[CPM_ASKS_BYTES];
    c->least = least > c->least ? least : c->least;
    c->most = most < c->most ? most : c->most;
    const cpm_region all = cpm_region_of_all();
    bool any = g->least.of[CPM_ASKS_ROOT] == all.least.of[CPM_ASKS_ROOT] &&
               g->most.of[CPM_ASKS_ROOT] == all.most.of[CPM_ASKS_ROOT];
    c->any_root = c->any_root && (any || !o->rooted);
}

static int choose(cpm_selector *base, const cpm_request *r, cpm_choice *out, cpm_error *e)
{
    ruled *s = (ruled *)base;
    cpm_situation now = cpm_situation_of(r);
    cpm_compiled_rules *compiled = NULL;
    cpm_region within;
    cpm_choice answer = {.most = SIZE_MAX, .any_root = true};
    bool runs = false;
    set_named(s->rules, r, &now);
    int status = compile(s, &now, &compiled, e);
    if (status)
        return status;
    int rule = cpm_compiled_rules_find(compiled, &now, &within);
    if (rule != CPM_NO_RULE)
        status = cpm_request_name(r, &s->rules->rule[rule].what, &answer, &runs, e);
    else if (s->otherwise)
        status = s->otherwise->choose(s->otherwise, r, &answer, e);
    if (status)
        return status;
    restrict_to(&within, r->operation, &answer);
    *out = answer;
    return CPM_OK;
}

static void finish(cpm_selector *base)
{
    ruled *s = (ruled *)base;
    if (s->otherwise)
        s->otherwise->free(s->otherwise);
    forget(s);
    free(s);
}

static const cpm_collective *first_on_topology(const cpm_ruleset *rules,
                                               const cpm_selector *otherwise)
{
    for (int k = 0; k < rules->rules; k++)
        if (cpm_needs_topology(&rules->rule[k].what))
            return &rules->rule[k].what;
    return otherwise ? otherwise->on_topology : NULL;
}

int cpm_selector_of_rules(const cpm_ruleset *rules, cpm_selector *otherwise, cpm_selector **out,
                          cpm_error *e)
{
    ruled *s = calloc(1, sizeof *s);
    if (!s) {
        if (otherwise)
            otherwise->free(otherwise);
        return cpm_no_memory(e);
    }
    s->base = (cpm_selector){choose, finish, first_on_topology(rules, otherwise)};
    s->rules = rules;
    s->otherwise = otherwise;
    *out = &s->base;
    return CPM_OK;
}
