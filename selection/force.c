/* What the user forces: one choice for each operation that is named. */
#include <stdlib.h>
#include <string.h>

#include "selection/selector.h"

typedef struct {
    cpm_selector base;
    cpm_selector *otherwise;
    int count;
    cpm_collective at[];
} forced;

/* The rule of the operation itself, else of the one whose algorithms it has. */
static const cpm_collective *rule_of(const forced *f, const cpm_operation *o)
{
    const cpm_collective *like = NULL;
    for (int k = 0; k < f->count; k++) {
        if (f->at[k].operation == o)
            return &f->at[k];
        if (o->like && strcmp(f->at[k].operation->name, o->like) == 0)
            like = &f->at[k];
    }
    return like;
}

static int choose(cpm_selector *s, const cpm_request *r, cpm_choice *out, cpm_error *e)
{
    const forced *f = (const forced *)s;
    const cpm_collective *found = rule_of(f, r->operation);
    cpm_choice answer = {0};
    if (!found && f->otherwise)
        return f->otherwise->choose(f->otherwise, r, out, e);
    bool allowed = false;
    int status = found ? cpm_request_asks(r, found, &allowed, e) : CPM_OK;
    if (status)
        return status;
    if (allowed)
        answer.what = *found;
    answer.most = SIZE_MAX;
    answer.any_root = !r->operation->combines; /* the order may depend on the root */
    *out = answer;
    return CPM_OK;
}

static void finish(cpm_selector *s)
{
    forced *f = (forced *)s;
    if (f && f->otherwise)
        f->otherwise->free(f->otherwise);
    free(f);
}

/* A name has no tree and no topology: such a rule would never hold. */
static int check_rule(const cpm_collective *c, cpm_error *e)
{
    unsigned needs = c->algorithm ? c->algorithm->properties : 0;
    if (!(needs & (CPM_NEEDS_TREE | CPM_NEEDS_TOPOLOGY)))
        return CPM_OK;
    return cpm_fail(
        e, CPM_EINVAL,
        "%s:%s needs a %s, which its name does not give: name another algorithm, or let "
        "a model choose",
        c->operation->name, c->algorithm->name, needs & CPM_NEEDS_TREE ? "tree" : "topology");
}

static int parse_rules(char *text, forced *f, cpm_error *e)
{
    int status = CPM_OK;
    char *rest = NULL;
    for (char *word = strtok_r(text, ",", &rest); word && status == CPM_OK;
         word = strtok_r(NULL, ",", &rest)) {
        cpm_collective *rule = &f->at[f->count++];
        status = cpm_collective_parse(word, rule, e);
        if (status == CPM_OK)
            status = check_rule(rule, e);
    }
    return status;
}

int cpm_selector_forced(const char *text, cpm_selector *otherwise, cpm_selector **out, cpm_error *e)
{
    size_t most = strlen(text) / 2 + 1; /* rules: a letter and a comma each */
    forced *f = calloc(1, sizeof *f + most * sizeof *f->at);
    char *copy = strdup(text);
    int status = f && copy ? CPM_OK : cpm_fail(e, CPM_ENOMEM, "no memory for '%s'", text);
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
    f->base = (cpm_selector){choose, finish};
    *out = &f->base;
    return CPM_OK;
}
