/* What was measured, for applications. */
#include "measurements/measurements.h"

#include <stdlib.h>

#include "cpm/cpm.h"

int cpm_measurements_load(const char *path, cpm_measurements **out, cpm_error *e)
{
    cpm_measurements *m = calloc(1, sizeof *m);
    if (!m)
        return cpm_no_memory(e);
    int status = cpm_measurements_read(path, m, NULL, e);
    if (status)
        free(m);
    else
        *out = m;
    return status;
}

void cpm_measurements_free(cpm_measurements *m)
{
    if (m)
        cpm_measurements_clear(m);
    free(m);
}

int cpm_measurements_processes(const cpm_measurements *m)
{
    return m->n;
}

double cpm_measurements_seconds(const cpm_measurements *m)
{
    return m->duration;
}

bool cpm_measurements_get(const cpm_measurements *m, int index, cpm_measurement_info *out)
{
    if (index < 0 || index >= m->count)
        return false;
    const cpm_measurement *from = &m->at[index];
    const cpm_experiment *x = &from->what;
    *out = (cpm_measurement_info){.i = x->i,
                                  .j = x->j,
                                  .k = x->k,
                                  .count = x->count,
                                  .send_bytes = x->send_bytes,
                                  .reply_bytes = x->reply_bytes,
                                  .round = from->round,
                                  .summary = from->summary,
                                  .value = cpm_measurement_value(from, m->statistic),
                                  .samples = from->samples};
    cpm_experiment_name(x, out->experiment, sizeof out->experiment);
    return true;
}

bool cpm_measurements_fact(const cpm_measurements *m, int index, const char **key,
                           const char **value)
{
    return cpm_metadata_at(&m->metadata, index, key, value);
}
