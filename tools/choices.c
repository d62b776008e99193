/* Which collectives, as people name them. */
#include "tools/choices.h"

#include <stdlib.h>
#include <string.h>

static bool is_there(const choices *c, const cpm_experiment *x)
{
    for (int i = 0; i < c->count; i++)
        if (cpm_experiment_equal(&c->at[i], x))
            return true;
    return false;
}

static int add(choices *c, const cpm_experiment *x, cpm_error *e)
{
    if (is_there(c, x))
        return CPM_OK;
    cpm_experiment *at = realloc(c->at, (size_t)(c->count + 1) * sizeof *at);
    if (!at)
        return cpm_fail(e, CPM_ENOMEM, "no memory for a list of algorithms");
    c->at = at;
    c->at[c->count++] = *x;
    return CPM_OK;
}

static cpm_experiment collective(int root, const cpm_operation *operation,
                                 const cpm_algorithm *algorithm)
{
    return (cpm_experiment){
        .operation = operation, .algorithm = algorithm, .i = root, .j = -1, .k = -1, .count = 1};
}

static int add_operation(choices *c, const char *name, bool native, int root, cpm_error *e)
{
    const cpm_operation *operation;
    int status = cpm_operation_find(name, &operation, e);
    for (const cpm_algorithm *a = cpm_algorithms; !status && a->name; a++)
        if (strcmp(a->operation, name) == 0) {
            cpm_experiment x = collective(root, operation, a);
            status = add(c, &x, e);
        }
    if (!status && native) {
        cpm_experiment x = collective(root, operation, NULL);
        status = add(c, &x, e);
    }
    return status;
}

static int add_algorithm(choices *c, const char *name, bool native, int root, cpm_error *e)
{
    cpm_experiment x = {0};
    int status = cpm_experiment_parse(name, &x, e);
    if (status)
        return status;
    if (!x.algorithm && !native)
        return cpm_fail(e, CPM_EINVAL, "%s: the MPI library's own routine cannot be predicted",
                        name);
    x = collective(root, x.operation, x.algorithm);
    return add(c, &x, e);
}

static int add_list(choices *c, const char *list, bool native, int root, cpm_error *e)
{
    int status = CPM_OK;
    char *copy = strdup(list), *rest = copy, *name;
    if (!copy)
        return cpm_fail(e, CPM_ENOMEM, "no memory for a list of algorithms");
    while (!status && (name = strsep(&rest, ",")))
        status = (strchr(name, ':') ? add_algorithm : add_operation)(c, name, native, root, e);
    free(copy);
    return status;
}

int choices_parse(char **text, int count, bool native, int root, choices *out, cpm_error *e)
{
    choices c = {0};
    int status = CPM_OK;
    for (int i = 0; !status && i < count; i++)
        status = add_list(&c, text[i], native, root, e);
    for (const cpm_operation *o = cpm_operations; !status && count == 0 && o->name; o++)
        status = add_operation(&c, o->name, native, root, e);
    if (status)
        choices_clear(&c);
    else
        *out = c;
    return status;
}

void choices_clear(choices *c)
{
    free(c->at);
    *c = (choices){0};
}

int choices_one(char *text, int root, cpm_experiment *out, cpm_error *e)
{
    choices c = {0};
    int status = choices_parse(&text, 1, false, root, &c, e);
    if (!status && c.count != 1)
        status = cpm_fail(e, CPM_EINVAL, "%s: name one algorithm, as in %s:%s", text,
                          c.at[0].operation->name, choice_algorithm(&c.at[0]));
    if (!status)
        *out = c.at[0];
    choices_clear(&c);
    return status;
}

const char *choice_algorithm(const cpm_experiment *x)
{
    return x->algorithm ? x->algorithm->name : "native";
}
