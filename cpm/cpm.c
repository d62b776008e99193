/* Predicting and selecting by name, over the table of algorithms. */
#include "cpm/cpm.h"
#include "selection/selector.h"

double cpm_predict(const cpm_model *m, const char *operation, const char *algorithm, size_t bytes,
                   int root, cpm_error *e)
{
    const cpm_algorithm *found;
    int status = cpm_algorithm_find(operation, algorithm, &found, e);
    if (status)
        return status;
    return cpm_predict_walk(m, found, root, bytes, NULL, e);
}

const cpm_algorithm *cpm_select(const cpm_model *m, const char *operation, size_t bytes, int root,
                                double *seconds, cpm_error *e)
{
    cpm_request r = {.n = m->n, .root = root, .bytes = bytes};
    cpm_selector *s;
    cpm_choice c = {0};
    if (cpm_operation_find(operation, &r.operation, e))
        return NULL;
    if (root < 0 || root >= m->n) {
        cpm_fail(e, CPM_EINVAL, "root %d is not in 0..%d", root, m->n - 1);
        return NULL;
    }
    if (cpm_selector_of_model(m, &CPM_SELECTOR_OWN, &s, e))
        return NULL;
    if (!s->choose(s, &r, &c, e) && !c.what.algorithm)
        cpm_fail(e, CPM_EINVAL, "no algorithm of %s applies to %d processes", operation, m->n);
    s->free(s);
    const cpm_algorithm *found = c.what.algorithm;
    if (found && seconds) {
        const cpm_collective what = cpm_request_collective(&r, &c.what);
        *seconds = cpm_predict_bytes(m, &what, bytes, NULL, e);
    }
    cpm_choice_clear(&c);
    return found;
}
