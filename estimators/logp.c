/* LogP at one message size (Culler et al. 1996; thesis 2.2.2): overheads from a send and a late
 * receive, the gap by saturation, and what a round trip has more is latency. */
#include "models/logp.h"

#include <math.h>

#include "estimators/designs.h"
#include "estimators/logp_family.h"

cpm_plan_function cpm_logp_plan;
cpm_fit_function cpm_logp_fit;

enum { DEFAULT_SIZE = 1024 /* bytes: a small message */ };

static size_t message_size(const cpm_estimation *options)
{
    bool given = options->message || options->sizes.count;
    return given ? cpm_design_message(options) : DEFAULT_SIZE;
}

int cpm_logp_plan(const cpm_estimation *options, int n, const cpm_measurements *so_far,
                  cpm_design *next, cpm_error *e)
{
    size_t w = message_size(options);
    int status = cpm_design_logp_size(next, n, w, e);
    if (!status)
        status = cpm_design_tournament(next, n, w, e);
    return status ? status : cpm_design_saturation(next, n, so_far, w, e);
}

/* The size of the saturations: a fit need not be told what the campaign was. */
static size_t measured_size(const cpm_estimation *options, const cpm_measurements *m)
{
    for (int q = 0; q < m->count; q++)
        if (m->at[q].what.kind == &cpm_experiment_kinds[CPM_SATURATION])
            return m->at[q].what.send_bytes;
    return message_size(options);
}

/* RT = 2L + 2 o_i + 2 o_j */
static int fit_pair(const cpm_measurements *m, int i, int j, size_t w, cpm_model *model,
                    cpm_error *e)
{
    cpm_time trip = {0, 0}, gap = {0, 0};
    int status = cpm_take_roundtrip(m, i < j ? i : j, i < j ? j : i, w, w, &trip, e);
    if (!status)
        status = cpm_take_gap(m, i, j, w, &gap, e);
    const double *o = model->value[CPM_LOGP_O], *half = model->ci[CPM_LOGP_O];
    size_t at = cpm_pair_place(model, 0, i, j);
    model->value[CPM_LOGP_L][at] = trip.value / 2 - o[i] - o[j];
    model->ci[CPM_LOGP_L][at] = hypot(trip.half / 2, hypot(half[i], half[j]));
    model->value[CPM_LOGP_G][at] = gap.value;
    model->ci[CPM_LOGP_G][at] = gap.half;
    return status;
}

int cpm_logp_fit(const cpm_estimation *options, const cpm_measurements *m, cpm_model **out,
                 cpm_error *e)
{
    size_t w = measured_size(options, m);
    cpm_model *model = NULL;
    int status = cpm_model_create(&cpm_logp, m->n, &model, e);
    if (status)
        return status;
    model->value[CPM_LOGP_W][0] = (double)w;
    status = cpm_set_overheads(m, w, model, CPM_LOGP_O, e);
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n && !status; j++)
            if (i != j)
                status = fit_pair(m, i, j, w, model, e);
    return cpm_model_hand_over(status, model, out);
}
