/* What is predicted, and one of its times. */
#include "tools/predict/prediction.h"

#include "selection/library_defaults.h"

int prediction_what(const prediction *p, int choice, size_t bytes, cpm_collective *out,
                    cpm_error *e)
{
    *out = p->which.at[choice];
    if (out->algorithm)
        return CPM_OK;
    const cpm_request r = {.operation = out->operation,
                           .n = out->at.n,
                           .root = out->at.root,
                           .bytes = bytes,
                           .hosts = out->at.hosts};
    cpm_collective usual[CPM_MOST_USUAL];
    if (cpm_library_default(p->library, &r, usual) != 1)
        return cpm_fail(e, CPM_EUNKNOWN,
                        "%s:native: what %s does with %zu bytes on %d processes is none of CPM's "
                        "algorithms, and cannot be predicted",
                        out->operation->name, predict_of(p->c)->library, bytes, r.n);
    out->algorithm = usual[0].algorithm;
    out->with = usual[0].with;
    return cpm_collective_applies(out, e);
}

int prediction_time(const prediction *p, int choice, size_t bytes, predicted *out, cpm_error *e)
{
    cpm_collective what;
    int status = prediction_what(p, choice, bytes, &what, e);
    return status ? status : method_predict(&p->by, p->model, &what, bytes, out, e);
}
