/* Choices of algorithms. */
#include "selection/choice.h"

#include <stdlib.h>

#include "collectives/on_groups.h"

void cpm_choice_clear(cpm_choice *c)
{
    free((int *)c->what.at.mapping);
    free((int *)c->what.at.parent);
    free(c->expected);
    *c = (cpm_choice){0};
}

bool cpm_choice_needs_own_sizes(const cpm_choice *c)
{
    const cpm_algorithm *a = c->what.algorithm;
    return a && a->properties & CPM_OWN_SIZE && !c->by_sizes && c->least == 0 &&
           c->most == SIZE_MAX;
}

size_t cpm_mean_bytes(const size_t *sizes, int n)
{
    size_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += sizes[i];
    return (sum + (size_t)n - 1) / (size_t)n;
}

cpm_collective cpm_request_collective(const cpm_request *r, const cpm_collective *what)
{
    cpm_collective c = *what;
    c.operation = r->operation;
    c.at.n = r->n;
    c.at.hosts = r->hosts;
    c.at.topology = r->topology;
    c.at.neighbours = r->neighbours;
    c.at.root = r->operation->rooted ? r->root : 0;
    c.combining = r->combining;
    return c;
}

int cpm_request_allows(const cpm_request *r, const cpm_collective *what, cpm_error *e)
{
    const cpm_algorithm *a = what->algorithm;
    if (!a)
        return CPM_OK;
    if (!cpm_algorithm_serves(a, r->operation))
        return cpm_fail(e, CPM_EINVAL, "%s:%s is no algorithm of %s", a->operation, a->name,
                        r->operation->name);
    const cpm_collective c = cpm_request_collective(r, what);
    if (r->ordered && !cpm_collective_keeps_order(&c))
        return cpm_fail(e, CPM_EINVAL, "%s:%s combines out of the order of ranks", a->operation,
                        a->name);
    if (cpm_is_on_groups(&c))
        return cpm_on_groups_check(&c, e);
    cpm_schedule *s = NULL;
    const cpm_block_sizes sizes = {.bytes = r->bytes, .each = r->sizes};
    int status = cpm_collective_schedule(&c, &sizes, &s, e); /* a mesh may not fit n */
    cpm_schedule_free(s);
    return status;
}

int cpm_request_asks(const cpm_request *r, const cpm_collective *what, bool *allowed, cpm_error *e)
{
    cpm_error why = {0};
    int status = cpm_request_allows(r, what, &why);
    if (status == CPM_ENOMEM)
        return cpm_fail(e, status, "%s", why.text);
    *allowed = status == CPM_OK;
    return CPM_OK;
}

int cpm_request_name(const cpm_request *r, const cpm_collective *what, cpm_choice *out, bool *runs,
                     cpm_error *e)
{
    const unsigned root_matters =
        CPM_REORDERS_UNLESS_ROOT_0 | CPM_REORDERS_UNLESS_IN_ROWS | CPM_NEEDS_ONE_ROOT;
    int status = cpm_request_asks(r, what, runs, e);
    if (status)
        return status;
    *out = (cpm_choice){.most = SIZE_MAX};
    out->any_root = !what->algorithm || !(what->algorithm->properties & root_matters);
    if (*runs)
        out->what = *what;
    return CPM_OK;
}
