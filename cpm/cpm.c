/* Predicting and selecting by name, over the table of algorithms. */
#include "cpm/cpm.h"

#include <string.h>

double cpm_predict(const cpm_model *m, const char *operation, const char *algorithm, size_t bytes,
                   int root, cpm_error *e)
{
    const cpm_algorithm *found;
    int status = cpm_algorithm_find(operation, algorithm, &found, e);
    if (status)
        return status;
    return cpm_predict_walk(m, found, root, bytes, NULL, e);
}

/* The fastest so far. */
typedef struct {
    const cpm_algorithm *algorithm;
    double seconds;
} choice;

/* An algorithm that does not apply to this number of processes (CPM_EINVAL) is passed over. */
static int consider(const cpm_model *m, const cpm_algorithm *a, size_t bytes, int root,
                    choice *best, cpm_error *e)
{
    cpm_error failure = {0};
    double seconds = cpm_predict_walk(m, a, root, bytes, NULL, &failure);
    if (seconds < 0)
        return failure.code == CPM_EINVAL ? CPM_OK : cpm_fail(e, failure.code, "%s", failure.text);
    if (!best->algorithm || seconds < best->seconds)
        *best = (choice){a, seconds};
    return CPM_OK;
}

const cpm_algorithm *cpm_select(const cpm_model *m, const char *operation, size_t bytes, int root,
                                double *seconds, cpm_error *e)
{
    const cpm_operation *known;
    choice best = {NULL, 0};
    if (cpm_operation_find(operation, &known, e))
        return NULL;
    if (root < 0 || root >= m->n) {
        cpm_fail(e, CPM_EINVAL, "root %d is not in 0..%d", root, m->n - 1);
        return NULL;
    }
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        if (strcmp(a->operation, operation) == 0 && consider(m, a, bytes, root, &best, e))
            return NULL;
    if (!best.algorithm)
        cpm_fail(e, CPM_EINVAL, "no algorithm of %s applies to %d processes", operation, m->n);
    else if (seconds)
        *seconds = best.seconds;
    return best.algorithm;
}
