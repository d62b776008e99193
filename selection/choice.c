/* Choices of algorithms. */
#include "selection/choice.h"

#include <stdlib.h>

void cpm_choice_clear(cpm_choice *c)
{
    free(c->mapping);
    free(c->parent);
    free(c->expected);
    *c = (cpm_choice){0};
}

size_t cpm_mean_bytes(const size_t *sizes, int n)
{
    size_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += sizes[i];
    return (sum + (size_t)n - 1) / (size_t)n;
}

int cpm_request_allows(const cpm_request *r, const cpm_choice *c, cpm_error *e)
{
    const cpm_algorithm *a = c->algorithm;
    if (!a)
        return CPM_OK;
    if (!cpm_algorithm_serves(a, r->operation))
        return cpm_fail(e, CPM_EINVAL, "%s:%s is no algorithm of %s", a->operation, a->name,
                        r->operation->name);
    if (r->ordered && (c->mapping || !cpm_algorithm_keeps_order(a, r->root)))
        return cpm_fail(e, CPM_EINVAL, "%s:%s combines out of the order of ranks", a->operation,
                        a->name);
    cpm_schedule *s = NULL;
    cpm_call call = {.n = r->n,
                     .root = r->operation->rooted ? r->root : 0,
                     .bytes = r->bytes,
                     .sizes = r->sizes,
                     .with = c->with,
                     .mapping = c->mapping,
                     .parent = c->parent};
    int status = cpm_schedule_create(a, &call, &s, e); /* a mesh may not fit n */
    cpm_schedule_free(s);
    return status;
}
