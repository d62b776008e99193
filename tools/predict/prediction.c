/* What is predicted, and one of its times. */
#include "tools/predict/prediction.h"

#include "tools/predict/native.h"

int prediction_what(const prediction *p, int choice, size_t bytes, cpm_collective *out,
                    cpm_error *e)
{
    *out = p->which.at[choice];
    return native_resolve(p->library, predict_of(p->c)->library, bytes, out, e);
}

int prediction_time(const prediction *p, int choice, size_t bytes, predicted *out, cpm_error *e)
{
    cpm_collective what;
    int status = prediction_what(p, choice, bytes, &what, e);
    return status ? status : method_predict(&p->by, p->model, &what, bytes, out, e);
}
