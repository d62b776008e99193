/* The doctor's look at the processes of a host: which one is slower than its host's others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/examiner.h"
#include "models/lmo2.h"

/* Overheads of the processes in units of their host's median one, NaN: unknown. False: the model
 * does not tell them. */
static bool read_overheads(const cpm_model *m, double *times)
{
    const char *word = cpm_metadata_get(&m->metadata, CPM_METADATA_OVERHEADS);
    for (int i = 0; word && i < m->n; i++) {
        char *end;
        times[i] = strtod(word, &end);
        if (end == word || !(times[i] > 0 && times[i] < 1e30)) {
            times[i] = NAN;
            end = (char *)word + strcspn(word, " ");
        }
        word = end + strspn(end, " ");
        if (i + 1 < m->n && !*word)
            return false;
    }
    return word && !*word;
}

/* But for the one of each host, or socket where these are told apart, that is the unit. */
static int gather(const cpm_model *m, const double *times, bool *has_unit, double *logs,
                  cpm_symptom *symptoms)
{
    int count = 0;
    const cpm_hosts *together = m->near.count > 0 ? &m->near : &m->on;
    for (int i = 0; i < m->n; i++) {
        bool unit = !has_unit[together->of[i]] && times[i] == 1;
        has_unit[together->of[i]] |= unit;
        if (unit || isnan(times[i]))
            continue;
        logs[count] = log(times[i]);
        symptoms[count++] =
            (cpm_symptom){.kind = CPM_UNLIKE, .parameter = -1, .i = i, .j = -1, .value = times[i]};
    }
    return count;
}

/* ---- who speaks for a host */

/* Host h is measured by its first process. */
static int speaker_of(const cpm_model *whole, const char *host)
{
    int i = 0;
    while (i < whole->n && strcmp(whole->hosts[i], host) != 0)
        i++;
    return i;
}

int cpm_examine_speakers(cpm_examiner *x)
{
    const cpm_model *m = x->whole;
    if (m->inside.count == 0 || m->on.count == m->n)
        return CPM_OK;
    double *times = malloc((size_t)m->n * sizeof *times);
    double *speakers = calloc((size_t)x->m->n, sizeof *speakers);
    if (!times || !speakers) {
        free(times);
        free(speakers);
        return cpm_no_memory(x->e);
    }
    const bool known = read_overheads(m, times);
    for (int h = 0; h < x->m->n && known; h++) {
        const int i = speaker_of(m, x->m->hosts[h]);
        speakers[h] = i < m->n && !isnan(times[i]) ? log(times[i]) : 0;
    }
    free(times);
    x->speakers = speakers;
    return CPM_OK;
}

double cpm_examine_speaker(const cpm_examiner *x, int parameter, int h)
{
    static const int spoken[] = {CPM_LMO2_CS, CPM_LMO2_TS, CPM_LMO2_CR,
                                 CPM_LMO2_TR, CPM_LMO2_CN, CPM_LMO2_TN};
    for (size_t k = 0; x->speakers && k < sizeof spoken / sizeof *spoken; k++)
        if (x->m->type == &cpm_lmo2 && spoken[k] == parameter)
            return x->speakers[h];
    return 0;
}

/* ---- comparing */

int cpm_examine_members(cpm_examiner *x)
{
    const cpm_model *m = x->whole;
    size_t n = (size_t)m->n;
    if (m->inside.count == 0 || m->on.count == m->n)
        return CPM_OK;
    double *times = malloc(2 * n * sizeof *times);
    bool *has_unit = calloc(n, sizeof *has_unit);
    cpm_symptom *symptoms = malloc(n * sizeof *symptoms);
    int status = CPM_OK;
    if (!times || !has_unit || !symptoms)
        status = cpm_no_memory(x->e);
    else if (read_overheads(m, times))
        status = cpm_examine(x, times + n, NULL, gather(m, times, has_unit, times + n, symptoms), 0,
                             symptoms, 1);
    else
        status = cpm_note(&x->d->notes, x->e,
                          "processes are not compared with the others on their hosts: their "
                          "overheads were not measured");
    free(times);
    free(has_unit);
    free(symptoms);
    return status;
}

/* ---- what they explain */

/* Whether a process of that host, h of what was compared, is slower than the others there. */
static bool has_odd_process(const cpm_diagnosis *d, int h)
{
    for (int q = 0; q < d->count; q++)
        if (d->at[q].kind == CPM_UNLIKE &&
            strcmp(d->whole->hosts[d->at[q].i], d->model->hosts[h]) == 0)
            return true;
    return false;
}

static bool is_of_processor(const cpm_model_type *type, int parameter)
{
    for (const int *p = type->of_processors; p && *p >= 0; p++)
        if (*p == parameter)
            return true;
    return false;
}

bool cpm_examine_is_of_process(const cpm_examiner *x, const cpm_symptom *s)
{
    return s->kind == CPM_OWN && is_of_processor(x->m->type, s->parameter) &&
           has_odd_process(x->d, s->i);
}
