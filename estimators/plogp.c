/* PLogP after Kielmann et al. (2000; thesis 2.2.4): g(0) by saturation, everything else from two
 * round trips per message size, with sizes chosen by consistency. */
#include "models/plogp.h"

#include <math.h>
#include <stdlib.h>

#include "estimators/designs.h"
#include "estimators/interrupted.h"
#include "estimators/logp_family.h"

cpm_plan_function cpm_plogp_plan;

enum { FINEST = 256 /* parts of the largest size */ };

/* A gap that differs from the extrapolated one by this share is not consistent with it. */
static const double inconsistent = 0.05;

/* ---- sizes */

/* Empty messages, one byte, and twice as many until the largest. */
static int first_sizes(size_t largest, cpm_sizes *out, cpm_error *e)
{
    int status = cpm_sizes_add(out, 0, e);
    for (size_t bytes = 1; bytes < largest && !status; bytes *= 2)
        status = cpm_sizes_add(out, bytes, e);
    return status ? status : cpm_sizes_add(out, largest, e);
}

/* The sizes of the round trips with empty replies, ascending. */
static int measured_sizes(const cpm_measurements *m, cpm_sizes *out, cpm_error *e)
{
    int status = CPM_OK;
    for (int q = 0; q < m->count && !status; q++) {
        const cpm_experiment *x = &m->at[q].what;
        if (x->kind == &cpm_experiment_kinds[CPM_ROUNDTRIP] && x->reply_bytes == 0)
            status = cpm_sizes_note(out, x->send_bytes, e);
    }
    cpm_sizes_sort(out);
    return status;
}

/* g(0) of i and j, which is at most half of their round trip: RT(0) = 2L + g_ij(0) + g_ji(0), and L
 * is not negative. Where sends wait for each other, or their receiver is kept from its processor, a
 * flood of messages takes many times as long as they do one by one, and says nothing of these. */
static int take_empty_gap(const cpm_measurements *m, int i, int j, cpm_time *gap, cpm_error *e)
{
    cpm_time trip;
    int status = cpm_take_gap(m, i, j, 0, gap, e);
    if (!status)
        status = cpm_take_roundtrip(m, i, j, 0, 0, &trip, e);
    if (!status && gap->value > trip.value / 2)
        *gap = (cpm_time){trip.value / 2, trip.half / 2};
    return status;
}

/* g(M) = RT(M) - RT(0) + g(0), and no less than g(0), or by saturation with messages of M bytes. */
static int take_gap(const cpm_estimation *options, const cpm_measurements *m, int i, int j,
                    size_t bytes, cpm_time *gap, cpm_error *e)
{
    if (bytes == 0)
        return take_empty_gap(m, i, j, gap, e);
    if (options->gap_saturation)
        return cpm_take_gap(m, i, j, bytes, gap, e);
    cpm_time empty, trip;
    int status = take_empty_gap(m, i, j, gap, e);
    if (!status)
        status = cpm_take_roundtrip(m, i, j, 0, 0, &empty, e);
    if (!status)
        status = cpm_take_roundtrip(m, i, j, bytes, 0, &trip, e);
    if (status)
        return status;
    *gap = (cpm_time){fmax(0, trip.value - empty.value) + gap->value,
                      hypot(gap->half, hypot(empty.half, trip.half))};
    return CPM_OK;
}

/* The mean over all pairs: sizes are chosen for all of them at once. */
static int mean_gaps(const cpm_estimation *options, const cpm_measurements *m,
                     const cpm_sizes *sizes, cpm_time *gap, cpm_error *e)
{
    int status = CPM_OK;
    double pairs = (double)m->n * (m->n - 1);
    for (int k = 0; k < sizes->count; k++) {
        gap[k] = (cpm_time){0, 0};
        for (int i = 0; i < m->n; i++)
            for (int j = 0; j < m->n && !status; j++) {
                cpm_time t = {0, 0};
                if (i != j)
                    status = take_gap(options, m, i, j, sizes->at[k], &t, e);
                gap[k].value += t.value / pairs;
                gap[k].half = hypot(gap[k].half, t.half / pairs);
            }
    }
    return status;
}

/* Whether the gap at size k is what the two sizes before let expect, or noise hides that it is not.
 */
static bool is_consistent(const cpm_sizes *s, const cpm_time *gap, int k)
{
    double step = (double)(s->at[k] - s->at[k - 1]);
    double ratio = step / (double)(s->at[k - 1] - s->at[k - 2]);
    double expected = gap[k - 1].value + (gap[k - 1].value - gap[k - 2].value) * ratio;
    double noise =
        hypot(gap[k].half, hypot((1 + ratio) * gap[k - 1].half, ratio * gap[k - 2].half));
    return fabs(gap[k].value - expected) <= fmax(inconsistent * fabs(gap[k].value), noise);
}

/* Middles of intervals at whose ends the gap is not what it is expected to be from the two sizes
 * before (thesis 2.2.4). */
static int choose_sizes(const cpm_sizes *s, const cpm_time *gap, cpm_sizes *next, cpm_error *e)
{
    size_t finest = s->at[s->count - 1] / FINEST;
    int status = CPM_OK;
    for (int k = 2; k < s->count && !status; k++) {
        size_t step = s->at[k] - s->at[k - 1];
        if (step > finest + 1 && !is_consistent(s, gap, k))
            status = cpm_sizes_add(next, s->at[k - 1] + step / 2, e);
    }
    return status;
}

/* ---- the plan */

static int add_sizes(const cpm_estimation *options, int n, const cpm_measurements *so_far,
                     const cpm_sizes *sizes, cpm_design *next, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < sizes->count && !status; k++) {
        status = cpm_design_logp_size(next, n, sizes->at[k], e);
        if (!status && (sizes->at[k] == 0 || options->gap_saturation))
            status = cpm_design_saturation(next, n, so_far, sizes->at[k], e);
    }
    return status;
}

static int add_chosen(const cpm_estimation *options, int n, const cpm_measurements *so_far,
                      const cpm_sizes *sizes, cpm_design *next, cpm_error *e)
{
    cpm_sizes chosen = {0};
    cpm_uninterrupted u;
    int status = cpm_uninterrupted_take(so_far, &u, e);
    if (status)
        return status;
    cpm_time *gap = malloc((size_t)sizes->count * sizeof *gap);
    status = gap ? mean_gaps(options, &u.m, sizes, gap, e) : cpm_no_memory(e);
    if (!status)
        status = choose_sizes(sizes, gap, &chosen, e);
    if (!status)
        status = add_sizes(options, n, so_far, &chosen, next, e);
    free(gap);
    cpm_uninterrupted_clear(&u);
    cpm_sizes_free(&chosen);
    return status;
}

int cpm_plogp_plan(const cpm_estimation *options, int n, const cpm_measurements *so_far,
                   cpm_design *next, cpm_error *e)
{
    cpm_sizes sizes = {0};
    int status = measured_sizes(so_far, &sizes, e);
    if (!status)
        status = first_sizes(cpm_design_largest(options), &sizes, e);
    cpm_sizes_sort(&sizes);
    if (!status)
        status = add_sizes(options, n, so_far, &sizes, next, e);
    if (!status && cpm_design_is_measured(next, so_far))
        status = add_chosen(options, n, so_far, &sizes, next, e);
    cpm_sizes_free(&sizes);
    return status;
}

/* ---- the fit */

static int fit_gaps(const cpm_estimation *options, const cpm_measurements *m, cpm_model *model,
                    cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < model->sizes.count; k++)
        for (int i = 0; i < m->n; i++)
            for (int j = 0; j < m->n && !status; j++) {
                cpm_time gap = {0, 0};
                if (i == j)
                    continue;
                status = take_gap(options, m, i, j, model->sizes.at[k], &gap, e);
                model->value[CPM_PLOGP_G][cpm_pair_place(model, k, i, j)] = gap.value;
                model->ci[CPM_PLOGP_G][cpm_pair_place(model, k, i, j)] = gap.half;
            }
    return status;
}

static int fit_overheads(const cpm_measurements *m, cpm_model *model, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < model->sizes.count; k++)
        for (int i = 0; i < m->n && !status; i++) {
            cpm_time send = {0, 0}, recv = {0, 0};
            size_t at = cpm_place(model, k, i);
            status = cpm_take_overhead(m, CPM_SEND_TIME, i, model->sizes.at[k], &send, e);
            if (!status)
                status = cpm_take_overhead(m, CPM_LATE_RECEIVE, i, model->sizes.at[k], &recv, e);
            model->value[CPM_PLOGP_OS][at] = send.value;
            model->ci[CPM_PLOGP_OS][at] = send.half;
            model->value[CPM_PLOGP_OR][at] = recv.value;
            model->ci[CPM_PLOGP_OR][at] = recv.half;
        }
    return status;
}

/* RT(0) = 2L + g_ij(0) + g_ji(0); g(0) stands in the model's first slice. */
static int fit_latencies(const cpm_measurements *m, cpm_model *model, cpm_error *e)
{
    int status = CPM_OK;
    const double *gap = model->value[CPM_PLOGP_G], *half = model->ci[CPM_PLOGP_G];
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n && !status; j++) {
            cpm_time trip = {0, 0}, back = {0, 0};
            size_t at = cpm_pair_place(model, 0, i, j), other = cpm_pair_place(model, 0, j, i);
            if (i == j)
                continue;
            status = cpm_take_roundtrip(m, i, j, 0, 0, &trip, e);
            if (!status)
                status = cpm_take_roundtrip(m, j, i, 0, 0, &back, e);
            model->value[CPM_PLOGP_L][at] =
                ((trip.value + back.value) / 2 - gap[at] - gap[other]) / 2;
            model->ci[CPM_PLOGP_L][at] =
                hypot(hypot(trip.half, back.half) / 2, hypot(half[at], half[other])) / 2;
        }
    return status;
}

/* Says how many pairs' g(0) is not what saturation showed. */
static int note_floods(const cpm_measurements *m, cpm_model *model, cpm_error *e)
{
    int pairs = 0, status = CPM_OK;
    double most = 0;
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n && !status; j++) {
            cpm_time flood = {0, 0}, gap = {0, 0};
            status = i == j ? CPM_OK : cpm_take_gap(m, i, j, 0, &flood, e);
            if (!status && i != j)
                status = take_empty_gap(m, i, j, &gap, e);
            bool floods = flood.value > 1.1 * gap.value; /* else it is noise */
            pairs += floods;
            most = floods ? fmax(most, flood.value / gap.value) : most;
        }
    if (status || !pairs)
        return status;
    return cpm_note(&model->notes, e,
                    "empty messages back to back take up to %.3g times half a round trip (%d "
                    "pairs). There, g(0) is half a round trip, and L is 0",
                    most, pairs);
}

static int note_interruptions(const cpm_uninterrupted *u, cpm_model *model, cpm_error *e)
{
    if (!u->count)
        return CPM_OK;
    return cpm_note(&model->notes, e,
                    "%d of %d experiments took more than %d times as long as neighbouring sizes "
                    "suggest. They are taken to lie between these. Other programs used the "
                    "processors: measure again when nothing else runs",
                    u->count, u->of, CPM_INTERRUPTION);
}

static int fit_curves(const cpm_estimation *options, const cpm_measurements *m, cpm_model *model,
                      cpm_error *e)
{
    int status = fit_gaps(options, m, model, e);
    if (!status)
        status = fit_overheads(m, model, e);
    if (!status)
        status = fit_latencies(m, model, e);
    return status ? status : note_floods(m, model, e);
}

static int fit_all(const cpm_estimation *options, const cpm_measurements *m, cpm_model *model,
                   cpm_error *e)
{
    cpm_uninterrupted u;
    int status = cpm_uninterrupted_take(m, &u, e);
    if (status)
        return status;
    status = fit_curves(options, &u.m, model, e);
    if (!status)
        status = note_interruptions(&u, model, e);
    cpm_uninterrupted_clear(&u);
    return status;
}

int cpm_plogp_fit(const cpm_estimation *options, const cpm_measurements *m, cpm_model **out,
                  cpm_error *e)
{
    cpm_sizes sizes = {0};
    cpm_model *model = NULL;
    int status = measured_sizes(m, &sizes, e);
    if (!status && (sizes.count == 0 || sizes.at[0] != 0))
        status = cpm_fail(e, CPM_EDATA,
                          "empty roundtrip experiments are missing, which this model needs");
    if (!status)
        status = cpm_model_create_sized(&cpm_plogp, m->n, &sizes, &model, e);
    if (!status)
        status = fit_all(options, m, model, e);
    cpm_sizes_free(&sizes);
    return cpm_model_hand_over(status, model, out);
}
