/* What the user forces: one choice for each operation that is named. */
#include <stdlib.h>
#include <string.h>

#include "collectives/parameters.h"
#include "tables/force.h"

/* An algorithm for an operation, or parameters for whatever algorithm it has ("bcast:*:k=2"). */
typedef struct {
    cpm_collective what;
    bool any;
} rule;

typedef struct {
    cpm_selector base;
    cpm_selector *otherwise;
    int count;
    rule at[];
} forced;

/* The rule of the operation itself, else of the one whose algorithms it has. */
static const cpm_collective *rule_of(const forced *f, const cpm_operation *o, bool any)
{
    const cpm_collective *like = NULL;
    for (int k = 0; k < f->count; k++) {
        const cpm_collective *what = &f->at[k].what;
        if (f->at[k].any != any)
            continue;
        if (what->operation == o)
            return what;
        if (o->like && strcmp(what->operation->name, o->like) == 0)
            like = what;
    }
    return like;
}

static int choose_algorithm(const forced *f, const cpm_request *r, cpm_choice *out, cpm_error *e)
{
    const cpm_collective *found = rule_of(f, r->operation, false);
    cpm_choice answer = {0};
    if (!found && f->otherwise)
        return f->otherwise->choose(f->otherwise, r, out, e);
    bool allowed = false;
    int status = found ? cpm_request_asks(r, found, &allowed, e) : CPM_OK;
    if (status)
        return status;
    if (allowed)
        answer.what = *found;
    else if (found && found->operation == r->operation) /* others are meant as far as it goes */
        answer.refused = found;
    answer.most = SIZE_MAX;
    bool one_root = found && found->algorithm && found->algorithm->properties & CPM_NEEDS_ONE_ROOT;
    answer.any_root = !r->operation->combines && !one_root; /* the order may depend on the root */
    *out = answer;
    return CPM_OK;
}

/* Parameters that the algorithm takes, and with which it can be run, instead of its own. */
static int choose_parameters(const forced *f, const cpm_request *r, cpm_choice *c, cpm_error *e)
{
    const cpm_collective *found = rule_of(f, r->operation, true);
    cpm_collective what = c->what;
    if (!found || !what.algorithm)
        return CPM_OK;
    cpm_parameters_replace(&what.with, &found->with, what.algorithm);
    bool allowed = false;
    int status = cpm_request_asks(r, &what, &allowed, e);
    if (status || !allowed || cpm_parameters_equal(&what.with, &c->what.with))
        return status;
    c->what = what;
    free(c->expected); /* of the others */
    c->expected = NULL;
    return CPM_OK;
}

static int choose(cpm_selector *s, const cpm_request *r, cpm_choice *out, cpm_error *e)
{
    const forced *f = (const forced *)s;
    cpm_choice answer = {0};
    int status = choose_algorithm(f, r, &answer, e);
    if (!status)
        status = choose_parameters(f, r, &answer, e);
    if (status)
        cpm_choice_clear(&answer);
    else
        *out = answer;
    return status;
}

static void finish(cpm_selector *s)
{
    forced *f = (forced *)s;
    if (f && f->otherwise)
        f->otherwise->free(f->otherwise);
    free(f);
}

/* Such a rule would never hold. */
int cpm_forced_check(const cpm_collective *c, cpm_error *e)
{
    if (!c->algorithm || !(c->algorithm->properties & CPM_NEEDS_TREE))
        return CPM_OK;
    return cpm_fail(e, CPM_EINVAL,
                    "%s:%s needs a tree, which its name does not give: name another algorithm, or "
                    "let a model choose",
                    c->operation->name, c->algorithm->name);
}

bool cpm_forced_is_of_any(const char *algorithm)
{
    return *algorithm == '*' && strchr(":,", algorithm[1]);
}

static bool begins_with(const char *word, const char *operation, bool any)
{
    size_t length = operation ? strlen(operation) : 0;
    return length && strncmp(word, operation, length) == 0 && word[length] == ':' &&
           cpm_forced_is_of_any(word + length + 1) == any;
}

bool cpm_forced_names(const char *list, const cpm_operation *o, bool any)
{
    for (const char *word = list; word && *word; word += strspn(word, ",")) {
        if (begins_with(word, o->name, any) || begins_with(word, o->like, any))
            return true;
        word += strcspn(word, ",");
    }
    return false;
}

static int parse_parameters(const cpm_operation *o, const char *star, cpm_parameters *out,
                            cpm_error *e)
{
    return cpm_parameters_parse_of_any(star[1] ? star + 2 : NULL, o->name, out, e);
}

int cpm_forced_check_value(const cpm_operation *o, const char *value, cpm_error *e)
{
    cpm_collective c = {0};
    if (cpm_forced_is_of_any(value))
        return parse_parameters(o, value, &c.with, e);
    int status = cpm_collective_parse_algorithm(o, value, &c, e);
    return status ? status : cpm_forced_check(&c, e);
}

/* OPERATION:*:PARAMETERS: as if an algorithm took them all; *any is false if it is none such. */
static int parse_any(char *word, rule *out, cpm_error *e)
{
    char *star = strstr(word, ":*");
    out->any = star && cpm_forced_is_of_any(star + 1);
    if (!out->any)
        return CPM_OK;
    *star = '\0';
    int status = cpm_operation_find(word, &out->what.operation, e);
    return status ? status : parse_parameters(out->what.operation, star + 1, &out->what.with, e);
}

static int parse_rule(char *word, rule *out, cpm_error *e)
{
    int status = parse_any(word, out, e);
    if (status || out->any)
        return status;
    status = cpm_collective_parse(word, &out->what, e);
    return status ? status : cpm_forced_check(&out->what, e);
}

/* Of two rules for the same only one could hold. */
static int add_rule(forced *f, char *word, cpm_error *e)
{
    rule *new = &f->at[f->count];
    int status = parse_rule(word, new, e);
    for (int k = 0; k < f->count && !status; k++)
        if (f->at[k].what.operation == new->what.operation && f->at[k].any == new->any)
            status = cpm_fail(e, CPM_EINVAL, "%s%s is named twice: once is enough",
                              new->what.operation->name, new->any ? ":*" : "");
    f->count++;
    return status;
}

static int parse_rules(char *text, forced *f, cpm_error *e)
{
    int status = CPM_OK;
    char *rest = NULL;
    for (char *word = strtok_r(text, ",", &rest); word && status == CPM_OK;
         word = strtok_r(NULL, ",", &rest))
        status = add_rule(f, word, e);
    return status || f->count ? status : cpm_fail(e, CPM_EINVAL, "no operation is named");
}

int cpm_selector_forced(const char *text, cpm_selector *otherwise, cpm_selector **out, cpm_error *e)
{
    size_t most = strlen(text) / 2 + 1; /* rules: a letter and a comma each */
    forced *f = calloc(1, sizeof *f + most * sizeof *f->at);
    char *copy = strdup(text);
    int status = f && copy ? CPM_OK : cpm_no_memory(e);
    if (status == CPM_OK)
        status = parse_rules(copy, f, e);
    free(copy);
    if (status != CPM_OK) {
        free(f);
        if (otherwise)
            otherwise->free(otherwise);
        return status;
    }
    f->otherwise = otherwise;
    f->base = (cpm_selector){choose, finish, otherwise ? otherwise->on_topology : NULL};
    for (int k = f->count - 1; k >= 0; k--)
        if (cpm_needs_topology(&f->at[k].what))
            f->base.on_topology = &f->at[k].what;
    *out = &f->base;
    return CPM_OK;
}
