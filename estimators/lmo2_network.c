/* The network between hosts: as it was told or found, and with ports, or several links of each
 * switch, where these explain better what was measured. */
#include "estimators/lmo2_levels.h"

#include <math.h>

#include "estimators/lmo2_ports.h"
#include "estimators/lmo2_routes.h"
#include "estimators/lmo2_trunks.h"
#include "models/experiments.h"
#include "models/lmo2.h"

/* How far a model is off the trains, on average, as a share of their times. */
static int miss_trains(const cpm_model *m, const cpm_measurements *seen, double *off, cpm_error *e)
{
    int count = 0, status = CPM_OK;
    double sum = 0, seconds;
    for (int q = 0; q < seen->count && !status; q++) {
        const cpm_measurement *r = &seen->at[q];
        if (r->what.kind != &cpm_experiment_kinds[CPM_TRAIN] || !(r->summary.min > 0))
            continue;
        status = cpm_model_experiments(m, &r->what, 1, &seconds, e);
        sum += fabs(seconds / cpm_measurement_value(r, seen->statistic) - 1);
        count++;
    }
    *off = count ? sum / count : 0;
    return status;
}

/* With ports, which take the place of the model without them if they explain trains far better. */
static int fit_ports(const cpm_links *ports, bool ends, const cpm_measurements *seen,
                     const cpm_lmo2_data *d, cpm_model **out, cpm_error *e)
{
    const cpm_lmo2_inside inside = {.links = ports};
    cpm_model *other = NULL;
    double off = 0, off_other = 0;
    int status = cpm_lmo2_fit_level(seen, d, ends, &inside, NULL, &other, e);
    if (!status)
        cpm_lmo2_ports_keep(other);
    if (!status)
        status = miss_trains(*out, seen, &off, e);
    if (!status)
        status = miss_trains(other, seen, &off_other, e);
    if (!status && off_other < off / 2) {
        cpm_model *worse = *out;
        *out = other;
        other = worse;
        status = cpm_note(&(*out)->notes, e,
                          CPM_LMO2_SHARED ": hosts have several ports. Which partners use the same "
                                          "one was measured");
    }
    cpm_model_free(other);
    return status;
}

/* With several links of each switch, which take the place of trunks if they explain bursts far
 * better. */
static int fit_routes(const cpm_lmo2_levels *l, const cpm_links *routes,
                      const cpm_measurements *seen, const cpm_lmo2_data *d, cpm_model **out,
                      cpm_error *e)
{
    const cpm_lmo2_inside inside = {.switches = &l->crossing, .links = routes, .many = true};
    size_t bytes = cpm_lmo2_crossing(&d->regimes, d->rendezvous);
    cpm_model *other = NULL;
    int off = 0, off_other = 0;
    int status = cpm_lmo2_fit_level(seen, d, l->between.n > 2, &inside, NULL, &other, e);
    if (!status)
        status = cpm_lmo2_trunks_unexplained(&l->crossing, bytes, seen, *out, &off, e);
    if (!status)
        status = cpm_lmo2_trunks_unexplained(&l->crossing, bytes, seen, other, &off_other, e);
    if (!status && off_other < off / 2) {
        cpm_model *worse = *out;
        *out = other;
        other = worse;
        status = cpm_note(&(*out)->notes, e,
                          "switches have several links: of each destination it was measured which "
                          "one leads to it");
    }
    cpm_model_free(other);
    return status;
}

int cpm_lmo2_network_fit(const cpm_lmo2_levels *l, bool ends, const cpm_measurements *seen,
                         const cpm_lmo2_data *d, cpm_model **out, cpm_error *e)
{
    const cpm_lmo2_inside inside = cpm_lmo2_inside_of(l);
    cpm_links ports = {0}, routes = {0};
    int at = cpm_lmo2_buffered(d), status = CPM_OK;
    if (cpm_lmo2_may_have_ports(l) && at >= 0)
        status = cpm_lmo2_ports_find(d->n, d->at[at].bytes, seen, &ports, e);
    if (!status)
        status = cpm_lmo2_fit_level(seen, d, ends, &inside, NULL, out, e);
    if (!status && ports.count)
        status = fit_ports(&ports, ends, seen, d, out, e);
    if (!status && cpm_lmo2_may_have_routes(l))
        status = cpm_lmo2_routes_find(&l->crossing, cpm_lmo2_crossing(&d->regimes, d->rendezvous),
                                      seen, &routes, e);
    if (!status && routes.count)
        status = fit_routes(l, &routes, seen, d, out, e);
    cpm_links_clear(&ports);
    cpm_links_clear(&routes);
    return status;
}
