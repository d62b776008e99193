/* Measured curves: every algorithm from root 0, and round trips of all pairs, over message sizes.
 */
#include "models/interp.h"

#include <math.h>

#include "collectives/parameters.h"
#include "estimators/estimator.h"

cpm_plan_function cpm_interp_plan;
cpm_fit_function cpm_interp_fit;

/* ---- which experiments */

static int add_collectives(cpm_design *next, int n, size_t bytes, cpm_error *e)
{
    int status = CPM_OK;
    for (const cpm_algorithm *a = cpm_algorithms; a->name && !status; a++) {
        cpm_collective c;
        status = cpm_collective_of(a, &c, e);
        c.at.n = n;
        if (!status && cpm_collective_applies(&c, NULL))
            continue;
        const cpm_experiment x = cpm_experiment_of(&c, bytes);
        if (!status)
            status = cpm_design_add(next, &x, e);
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    return status;
}

int cpm_interp_plan(const cpm_estimation *options, int n, const cpm_measurements *so_far,
                    cpm_design *next, cpm_error *e)
{
    (void)so_far;
    cpm_sizes usual = {0};
    int status = options->sizes.count ? CPM_OK : cpm_sizes_parse("1,1K:256K", &usual, e);
    const cpm_sizes *sizes = options->sizes.count ? &options->sizes : &usual;
    for (int k = 0; k < sizes->count && !status; k++) {
        status = cpm_design_tournament(next, n, sizes->at[k], e);
        if (!status)
            status = add_collectives(next, n, sizes->at[k], e);
    }
    cpm_sizes_free(&usual);
    return status;
}

/* ---- the fit */

/* All sizes of round trips between 0 and 1. */
static int find_sizes(const cpm_measurements *m, cpm_sizes *out, cpm_error *e)
{
    int status = CPM_OK;
    for (int q = 0; q < m->count && !status; q++) {
        const cpm_experiment *x = &m->at[q].what;
        if (x->kind == &cpm_experiment_kinds[CPM_ROUNDTRIP] && x->i == 0 && x->j == 1 &&
            x->send_bytes == x->reply_bytes)
            status = cpm_sizes_note(out, x->send_bytes, e);
    }
    if (!status && out->count == 0)
        return cpm_fail(e, CPM_EDATA,
                        "round trips of processes 0 and 1 are missing, which model interp needs");
    cpm_sizes_sort(out);
    return status;
}

static void set(cpm_model *model, int p, size_t place, const cpm_measurement *r,
                cpm_statistic statistic, double share)
{
    model->value[p][place] = share * cpm_measurement_value(r, statistic);
    model->ci[p][place] = share * cpm_measurement_half(r, statistic);
}

static int set_pairs(const cpm_measurements *m, int slice, cpm_model *model, cpm_error *e)
{
    size_t bytes = model->sizes.at[slice];
    for (int i = 0; i < m->n; i++)
        for (int j = i + 1; j < m->n; j++) {
            cpm_experiment x = cpm_experiment_pair(CPM_ROUNDTRIP, i, j, bytes, bytes);
            int at = cpm_measurements_find(m, &x);
            if (at < 0)
                return cpm_fail(e, CPM_EDATA,
                                "round trips of processes %d and %d with %zu bytes are missing", i,
                                j, bytes);
            for (int way = 0; way < 2; way++)
                set(model, CPM_INTERP_P2P, cpm_pair_place(model, slice, way ? j : i, way ? i : j),
                    &m->at[at], m->statistic, 0.5);
        }
    return CPM_OK;
}

/* Index of that size, or -1. */
static int slice_of(const cpm_model *m, size_t bytes)
{
    for (int k = 0; k < m->sizes.count; k++)
        if (m->sizes.at[k] == bytes)
            return k;
    return -1;
}

static int set_collectives(const cpm_measurements *m, cpm_model *model, cpm_error *e)
{
    int count = 0;
    for (int q = 0; q < m->count; q++) {
        const cpm_experiment *x = &m->at[q].what;
        bool usual = x->collective.algorithm && !x->collective.algorithm->messages &&
                     cpm_parameters_equal(&x->collective.with, &(cpm_parameters){0});
        int slice = usual ? slice_of(model, x->send_bytes) : -1;
        if (slice < 0)
            continue;
        int p = CPM_INTERP_ALGORITHMS + (int)(x->collective.algorithm - cpm_algorithms);
        set(model, p, cpm_place(model, slice, x->i), &m->at[q], m->statistic, 1);
        count++;
    }
    return cpm_note(&model->notes, e, "%d times of collectives at %d sizes", count,
                    model->sizes.count);
}

static int fit(const cpm_measurements *m, cpm_model *model, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < model->sizes.count && !status; k++)
        status = set_pairs(m, k, model, e);
    return status ? status : set_collectives(m, model, e);
}

int cpm_interp_fit(const cpm_estimation *options, const cpm_measurements *m, cpm_model **out,
                   cpm_error *e)
{
    cpm_sizes sizes = {0};
    cpm_model *model = NULL;
    (void)options;
    int status = find_sizes(m, &sizes, e);
    if (!status)
        status = cpm_model_create_sized(&cpm_interp, m->n, &sizes, &model, e);
    if (!status)
        status = fit(m, model, e);
    cpm_sizes_free(&sizes);
    return cpm_model_hand_over(status, model, out);
}
