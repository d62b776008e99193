/* What a model says of an algorithm in its plain form. */
#ifndef CPM_TESTS_PREDICTED_H
#define CPM_TESTS_PREDICTED_H

#include "models/predict.h"

/* As cpm_predict_bytes. */
static inline double predict_plain_form(const cpm_model *m, const cpm_algorithm *a, int root,
                                        size_t bytes, double *finish, cpm_error *e)
{
    cpm_collective c;
    int status = cpm_collective_of(a, &c, e);
    if (status)
        return status;
    c.at.root = root;
    return cpm_predict_bytes(m, &c, bytes, NULL, finish, e);
}

#endif
