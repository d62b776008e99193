/* What combining and copying take: the receive of a message that is combined, or that is copied to
 * two places, lasts longer than that of one that is not. Both are measured when the message has
 * arrived long before, so that no network disturbs them; the difference is the processor's own.
 * Campaigns of today combine without messages, which tells small differences better. */
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "estimators/line.h"
#include "estimators/lmo2.h"
#include "models/lmo2.h"

/* What is done, with a message or without, and whose parameters it takes: times the constant, and
 * the slope times the bytes. */
typedef struct {
    int kind, constant, slope, times;
} local;

static const local all_local[] = {
    {CPM_LATE_COMBINE, CPM_LMO2_OC, CPM_LMO2_CB, 1},
    {CPM_LATE_UNPACK, CPM_LMO2_OM, CPM_LMO2_CM, 2},
    {CPM_COMBINE_BYTES, CPM_LMO2_OC, CPM_LMO2_CB, 1},
    {CPM_COMBINE_FLOATS, CPM_LMO2_FLOATS_OC, CPM_LMO2_FLOATS_CB, 1},
    {CPM_COMBINE_DOUBLES, CPM_LMO2_DOUBLES_OC, CPM_LMO2_DOUBLES_CB, 1},
};

/* Of one class: a point for each experiment, or pair of them. */
typedef struct {
    const cpm_measurements *m;
    cpm_points p; /* [measurements] */
} differences;

static bool open_differences(differences *d, const cpm_measurements *m)
{
    size_t bytes = ((size_t)m->count + 1) * sizeof(double);
    *d = (differences){m, {malloc(bytes), malloc(bytes), malloc(bytes), malloc(bytes), 0}};
    return d->p.x && d->p.y && d->p.scale && d->p.half;
}

static void close_differences(differences *d)
{
    free(d->p.x);
    free(d->p.y);
    free(d->p.scale);
    free(d->p.half);
}

/* What each time of r takes. */
static void add_alone(differences *d, const cpm_measurement *r)
{
    const double times = r->what.count, seconds = cpm_measurement_value(r, d->m->statistic) / times;
    int k = d->p.count++;
    d->p.x[k] = (double)r->what.reply_bytes;
    d->p.y[k] = seconds;
    d->p.scale[k] = seconds > 0 ? seconds : 1;
    d->p.half[k] = cpm_measurement_half(r, d->m->statistic) / times;
}

/* What r takes more than the same receive alone. */
static void add_difference(differences *d, const cpm_measurement *r)
{
    const cpm_measurements *m = d->m;
    cpm_experiment plain = r->what;
    size_t bytes = r->what.send_bytes + r->what.reply_bytes;
    plain.kind = &cpm_experiment_kinds[CPM_LATE_RECEIVE];
    plain.send_bytes = 0;
    plain.reply_bytes = bytes;
    int at = cpm_measurements_find(m, &plain), k = d->p.count;
    if (at < 0)
        return;
    double with = cpm_measurement_value(r, m->statistic);
    d->p.x[k] = (double)bytes;
    d->p.y[k] = with - cpm_measurement_value(&m->at[at], m->statistic);
    d->p.scale[k] = with > 0 ? with : 1;
    d->p.half[k] = hypot(cpm_measurement_half(r, m->statistic),
                         cpm_measurement_half(&m->at[at], m->statistic));
    d->p.count++;
}

static bool at_two_sizes(const cpm_points *p)
{
    for (int k = 1; k < p->count; k++)
        if (p->x[k] != p->x[0])
            return true;
    return false;
}

static void fit_class(differences *d, const local *what, int class, cpm_model *model)
{
    d->p.count = 0;
    for (int q = 0; q < d->m->count; q++) {
        const cpm_measurement *r = &d->m->at[q];
        if (r->what.kind == &cpm_experiment_kinds[what->kind] &&
            model->classes.of[r->what.i] == class)
            r->what.kind->processes == 1 ? add_alone(d, r) : add_difference(d, r);
    }
    if (!at_two_sizes(&d->p))
        return;
    cpm_line l = cpm_line_through(&d->p);
    model->value[what->constant][class] = l.constant / what->times;
    model->ci[what->constant][class] = l.constant_ci / what->times;
    model->value[what->slope][class] = l.slope;
    model->ci[what->slope][class] = l.slope_ci;
}

/* Memory that is asked for: what a round trip takes more whose message goes there, by byte, the
 * median of the class. Where it takes less, nothing is seen. */
static void fit_fresh(differences *d, int class, cpm_model *model)
{
    const cpm_measurements *m = d->m;
    d->p.count = 0;
    for (int q = 0; q < m->count; q++) {
        const cpm_measurement *r = &m->at[q];
        cpm_experiment plain = r->what;
        plain.count = 2;
        const int at = r->what.kind == &cpm_experiment_kinds[CPM_FRESH_TRIP] &&
                               r->what.count == 1 && model->classes.of[r->what.j] == class
                           ? cpm_measurements_find(m, &plain)
                           : -1;
        const double bytes = (double)r->what.send_bytes;
        if (at < 0)
            continue;
        d->p.y[d->p.count] = (cpm_measurement_value(r, m->statistic) -
                              cpm_measurement_value(&m->at[at], m->statistic)) /
                             bytes;
        d->p.half[d->p.count++] = hypot(cpm_measurement_half(r, m->statistic),
                                        cpm_measurement_half(&m->at[at], m->statistic)) /
                                  bytes;
    }
    if (d->p.count == 0)
        return;
    model->value[CPM_LMO2_CF][class] = fmax(0, cpm_median(d->p.y, d->p.count));
    model->ci[CPM_LMO2_CF][class] = cpm_median(d->p.half, d->p.count);
}

int cpm_lmo2_local_fit(const cpm_measurements *m, cpm_model *model, cpm_error *e)
{
    differences d;
    int status = open_differences(&d, m) ? CPM_OK : cpm_no_memory(e);
    for (size_t k = 0; k < sizeof all_local / sizeof all_local[0] && !status; k++)
        for (int class = 0; class < model->classes.count; class ++)
            fit_class(&d, &all_local[k], class, model);
    for (int class = 0; class < model->classes.count && !status; class ++)
        fit_fresh(&d, class, model);
    close_differences(&d);
    return status;
}
