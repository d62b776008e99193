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

/* An algorithm that does not apply to this number of processes (CPM_EINVAL) is passed over. */
static double predict_candidate(const cpm_model *m, const cpm_algorithm *a, size_t bytes, int root,
                                cpm_error *e)
{
    cpm_error not_this = {0};
    double seconds = cpm_predict_walk(m, a, root, bytes, NULL, &not_this);
    if (seconds < 0 && not_this.code != CPM_EINVAL)
        cpm_fail(e, not_this.code, "%s", not_this.text);
    return seconds;
}

const cpm_algorithm *cpm_select(const cpm_model *m, const char *operation, size_t bytes, int root,
                                double *seconds, cpm_error *e)
{
    const cpm_operation *known;
    cpm_error failed = {0};
    const cpm_algorithm *best = NULL;
    double least = 0;
    if (cpm_operation_find(operation, &known, e))
        return NULL;
    if (root < 0 || root >= m->n) {
        cpm_fail(e, CPM_EINVAL, "root %d is not in 0..%d", root, m->n - 1);
        return NULL;
    }
    for (const cpm_algorithm *a = cpm_algorithms; a->name && !failed.code; a++) {
        if (strcmp(a->operation, operation) != 0)
            continue;
        double time = predict_candidate(m, a, bytes, root, &failed);
        if (time >= 0 && (!best || time < least)) {
            best = a;
            least = time;
        }
    }
    if (failed.code || !best) {
        cpm_fail(e, failed.code ? failed.code : CPM_EINVAL, "%s",
                 failed.code ? failed.text : "no algorithm of this operation applies");
        return NULL;
    }
    if (seconds)
        *seconds = least;
    return best;
}
