/* What computing hides of nonblocking collectives, by a model. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/parallel.h"
#include "models/predict.h"
#include "tools/frame/overlap.h"
#include "tools/predict/prediction.h"

typedef struct {
    const prediction *p;
    overlap_time *at; /* [sizes * choices] */
} overlaps;

static int predict_one(void *context, int k, cpm_error *e)
{
    overlaps *o = context;
    const prediction *p = o->p;
    cpm_walking how = p->by.walking;
    overlap_time *x = &o->at[k];
    x->what = p->which.at[k % p->which.count];
    x->bytes = p->c->set->calls.sizes.at[k / p->which.count];
    x->alone = cpm_predict_bytes(p->model, &x->what, x->bytes, &how, NULL, e);
    if (x->alone < 0)
        return (int)x->alone;
    how.computing = x->computing =
        predict_of(p->c)->computing > 0 ? predict_of(p->c)->computing : x->alone;
    x->with = cpm_predict_bytes(p->model, &x->what, x->bytes, &how, NULL, e);
    return x->with < 0 ? (int)x->with : CPM_OK;
}

int overlap_predict(const prediction *p, cpm_error *e)
{
    const call *c = p->c;
    const int count = c->set->calls.sizes.count * p->which.count;
    char header[PATH_MAX + 400], model[PATH_MAX];
    overlaps o = {.p = p, .at = calloc((size_t)count + 1, sizeof *o.at)};
    cpm_report_tables all = {.title = "predict"};
    int status = o.at ? cpm_parallel(count, c->set->predicting.threads, predict_one, &o, e)
                      : cpm_no_memory(e);
    if (!status) {
        cpm_report_tables_metadata(&all, "model", "s", p->model->type->name);
        cpm_report_tables_metadata(&all, "processes", "n", (long)p->model->n);
        snprintf(header, sizeof header,
                 "# cpm predict: %s, %s, %d processes: nonblocking calls\n%s",
                 cpm_escape(c->operand[0], model, sizeof model), p->model->type->name, p->model->n,
                 overlap_explained);
        status = overlap_print(c, o.at, count, header, &all, e);
    }
    free(o.at);
    return status;
}
