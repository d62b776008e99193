/* Which collectives, as people name them. */
#include "tools/frame/choices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "collectives/tries.h"

static bool is_there(const choices *c, const cpm_collective *x)
{
    for (int i = 0; i < c->count; i++)
        if (cpm_collective_equal(&c->at[i], x))
            return true;
    return false;
}

bool choices_combine(const choices *c, cpm_combining *what)
{
    int k = 0;
    while (k < c->count && !c->at[k].operation->combines)
        k++;
    *what = k < c->count ? c->at[k].combining : CPM_COMBINING_BYTES;
    return k < c->count;
}

int choices_add(choices *c, const cpm_collective *x, cpm_error *e)
{
    enum { MOST = 4096 };
    if (is_there(c, x))
        return CPM_OK;
    if (c->count == MOST)
        return cpm_fail(e, CPM_EINVAL, "more than %d algorithms at once, with their parameters",
                        MOST);
    if (!cpm_vector_extend(&c->at, c->count, sizeof *c->at))
        return cpm_no_memory(e);
    c->at[c->count++] = *x;
    return CPM_OK;
}

static cpm_collective placed(const choices_context *context, const cpm_operation *operation,
                             const cpm_algorithm *algorithm)
{
    cpm_collective c = {
        .operation = operation, .algorithm = algorithm, .combining = context->combining};
    if (context->placement)
        c.at = *context->placement;
    c.at.n = context->n;
    c.at.root = operation->rooted ? context->root : 0;
    return c;
}

static int check_applies(const choices_context *context, const cpm_collective *x, cpm_error *e)
{
    return context->whatever ? CPM_OK : cpm_collective_applies(x, e);
}

static int add_segmented(choices *c, cpm_collective x, const cpm_sizes *segments, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; segments && k < segments->count && !status; k++) {
        x.with.segment = segments->at[k];
        if (x.with.segment > 0)
            status = choices_add(c, &x, e);
    }
    return status;
}

static int add_operation(choices *c, const cpm_operation *operation, const choices_context *context,
                         cpm_error *e)
{
    int status = CPM_OK;
    for (const cpm_algorithm *a = cpm_algorithms; !status && a->name; a++) {
        cpm_collective x = placed(context, operation, a);
        if (!cpm_algorithm_serves(a, operation) || !cpm_algorithm_is_tried(a, context->n) ||
            (a->theirs && !context->whatever) || check_applies(context, &x, NULL))
            continue;
        status = choices_add(c, &x, e);
        if (!status && a->properties & CPM_TAKES_SEGMENT)
            status = add_segmented(c, x, context->segments, e);
    }
    if (!status && context->native) {
        cpm_collective x = placed(context, operation, NULL);
        status = choices_add(c, &x, e);
    }
    return status;
}

/* Texts that are read, and why what was left out of them does not apply: nothing, or one each. */
typedef struct {
    const choices_context *context;
    choices *c;
    cpm_error *why;
    int useless;
} reading;

/* Why all was left out, or what of it. */
static int tell_left_out(const reading *r, cpm_error *e)
{
    if (r->useless && !r->c->count)
        return cpm_fail(e, r->why[0].code, "%s", r->why[0].text);
    for (int i = 0; i < r->useless && r->context->command; i++)
        choices_tell_useless((void *)r->context->command, &r->why[i]);
    return CPM_OK;
}

static int leave_out(reading *r, const cpm_error *why, cpm_error *e)
{
    if (!cpm_vector_extend(&r->why, r->useless, sizeof *r->why))
        return cpm_no_memory(e);
    r->why[r->useless++] = *why;
    return CPM_OK;
}

/* Whether all is known that operations of neighbours need. */
static bool knows_neighbours(const choices_context *context, const cpm_operation *o)
{
    return !cpm_operation_is_of_neighbours(o) || context->whatever ||
           (context->placement && context->placement->neighbours);
}

static int check_neighbours(const choices_context *context, const cpm_operation *o, cpm_error *e)
{
    return knows_neighbours(context, o)
               ? CPM_OK
               : cpm_fail(e, CPM_EINVAL,
                          "%s: it needs a graph of neighbours (option --graph, where there is one)",
                          o->name);
}

static int add_algorithm(reading *r, const char *name, cpm_error *e)
{
    const choices_context *context = r->context;
    cpm_collective named;
    cpm_error why = {0};
    int status = cpm_collective_parse(name, &named, e);
    if (status)
        return status;
    if (!named.algorithm && !context->native)
        return cpm_fail(e, CPM_EINVAL, "%s: the MPI library's own routine cannot be predicted%s",
                        name, context->libraries ? ": say whose, by --library" : "");
    status = check_neighbours(context, named.operation, e);
    if (status)
        return status;
    cpm_collective x = placed(context, named.operation, named.algorithm);
    x.with = named.with;
    status = check_applies(context, &x, &why);
    if (status == CPM_EINVAL && context->leave_out)
        return leave_out(r, &why, e);
    return status ? cpm_fail(e, status, "%s", why.text) : choices_add(r->c, &x, e);
}

static int add_all(choices *c, const choices_context *context, cpm_error *e)
{
    bool unequal = context->placement && context->placement->weights;
    int status = CPM_OK;
    for (const cpm_operation *o = cpm_operations; !status && o->name; o++)
        if ((!o->like || unequal) && knows_neighbours(context, o))
            status = add_operation(c, o, context, e);
    return status;
}

/* Where no row applies, the first one says why. */
static int check_any(const choices_context *context, const cpm_operation *operation, cpm_error *e)
{
    cpm_error why = {0};
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        cpm_collective x = placed(context, operation, a);
        if (cpm_algorithm_serves(a, operation) && !check_applies(context, &x, &why))
            return CPM_OK;
    }
    return cpm_fail(e, why.code, "%s", why.text);
}

static int add_name(reading *r, const char *name, cpm_error *e)
{
    const cpm_operation *operation;
    if (strchr(name, ':'))
        return add_algorithm(r, name, e);
    if (strcmp(name, "all") == 0)
        return add_all(r->c, r->context, e);
    int status = cpm_operation_find(name, &operation, e);
    if (!status)
        status = check_neighbours(r->context, operation, e);
    if (!status)
        status = check_any(r->context, operation, e);
    return status ? status : add_operation(r->c, operation, r->context, e);
}

static int add_list(reading *r, const char *list, cpm_error *e)
{
    int status = CPM_OK;
    char *copy = strdup(list), *rest = copy, *name;
    if (!copy)
        return cpm_no_memory(e);
    while (!status && (name = strsep(&rest, ",")))
        status = add_name(r, name, e);
    free(copy);
    return status;
}

int choices_parse(char **text, int count, const choices_context *context, choices *c, cpm_error *e)
{
    reading r = {.context = context, .c = c};
    int status = count ? CPM_OK : add_all(c, context, e);
    for (int i = 0; !status && i < count; i++)
        status = add_list(&r, text[i], e);
    if (!status)
        status = tell_left_out(&r, e);
    free(r.why);
    return status;
}

/* Whether to one of the numbers; why not to the first. */
static bool is_of_use(cpm_collective x, const cpm_sizes *processes, cpm_error *why)
{
    for (int i = 0; i < processes->count; i++) {
        x.at.n = (int)processes->at[i];
        if (cpm_collective_applies(&x, why) == CPM_OK)
            return true;
    }
    return false;
}

static bool is_useless(const char *name, const cpm_sizes *processes, const cpm_placement *placement,
                       cpm_error *why)
{
    cpm_collective x;
    if (!strchr(name, ':') || cpm_collective_parse(name, &x, NULL) || !x.algorithm)
        return false;
    x.at = *placement;
    return !is_of_use(x, processes, why);
}

void choices_find_useless(char **text, int count, const cpm_sizes *processes,
                          const cpm_placement *placement, void (*each)(void *, const cpm_error *),
                          void *context)
{
    for (int i = 0; i < count; i++) {
        char *copy = strdup(text[i]), *rest = copy, *name;
        while (copy && (name = strsep(&rest, ","))) {
            cpm_error why = {0};
            if (is_useless(name, processes, placement, &why))
                each(context, &why);
        }
        free(copy);
    }
}

void choices_tell_useless(void *command, const cpm_error *why)
{
    fprintf(stderr, "cpm %s: left out: %s\n", (const char *)command, why->text);
}

void choices_clear(choices *c)
{
    free(c->at);
    *c = (choices){0};
}

int choices_one(char *text, const choices_context *context, cpm_collective *out, cpm_error *e)
{
    choices c = {0};
    int status = choices_parse(&text, 1, context, &c, e);
    if (!status && c.count != 1)
        status = cpm_fail(e, CPM_EINVAL, "%s: name one algorithm, as in %s:%s", text,
                          c.at[0].operation->name, cpm_collective_algorithm(&c.at[0]));
    if (!status)
        *out = c.at[0];
    choices_clear(&c);
    return status;
}
