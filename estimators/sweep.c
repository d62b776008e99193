/* Sweeps in ascending order, and where their times escalate. */
#include "estimators/sweep.h"

#include <stdlib.h>

static bool belongs(const cpm_measurement *r, const cpm_collective *c)
{
    const cpm_experiment *x = &r->what;
    return !x->kind && cpm_collective_same(&x->collective, c) && x->i == 0 && x->send_bytes > 0 &&
           r->summary.min > 0;
}

static int by_bytes(const void *a, const void *b)
{
    size_t x = (*(const cpm_measurement *const *)a)->what.send_bytes;
    size_t y = (*(const cpm_measurement *const *)b)->what.send_bytes;
    return (x > y) - (x < y);
}

void cpm_sweep_clear(cpm_sweep *s)
{
    free(s->bytes);
    free(s->median);
    free(s->mean);
    free(s->min);
    free(s->max);
    free(s->reps);
    *s = (cpm_sweep){0};
}

static bool allocate(cpm_sweep *s, size_t count)
{
    s->bytes = malloc(count * sizeof *s->bytes);
    s->median = malloc(count * sizeof *s->median);
    s->mean = malloc(count * sizeof *s->mean);
    s->min = malloc(count * sizeof *s->min);
    s->max = malloc(count * sizeof *s->max);
    s->reps = malloc(count * sizeof *s->reps);
    return s->bytes && s->median && s->mean && s->min && s->max && s->reps;
}

int cpm_sweep_take(const cpm_measurements *m, const char *name, cpm_sweep *out, cpm_error *e)
{
    cpm_collective c;
    int status = cpm_collective_parse(name, &c, e);
    if (status)
        return status;
    size_t room = (size_t)m->count + 1;
    const cpm_measurement **row = malloc(room * sizeof *row);
    cpm_sweep s = {0};
    if (!row || !allocate(&s, room)) {
        free(row);
        cpm_sweep_clear(&s);
        return cpm_no_memory(e);
    }
    for (int q = 0; q < m->count; q++)
        if (belongs(&m->at[q], &c))
            row[s.count++] = &m->at[q];
    qsort(row, (size_t)s.count, sizeof *row, by_bytes);
    for (int i = 0; i < s.count; i++) {
        s.bytes[i] = (double)row[i]->what.send_bytes;
        s.median[i] = row[i]->summary.median;
        s.mean[i] = row[i]->summary.mean;
        s.min[i] = row[i]->summary.min;
        s.max[i] = row[i]->summary.max;
        s.reps[i] = row[i]->summary.reps;
    }
    free(row);
    *out = s;
    return CPM_OK;
}

static bool is_tenfold(const cpm_sweep *s, int i)
{
    return s->max[i] >= CPM_ESCALATION * s->min[i];
}

/* More than one: the mean says how many are about as long as the longest. */
bool cpm_sweep_escalates(const cpm_sweep *s, int i)
{
    double all = s->reps[i] * (s->mean[i] - s->min[i]);
    return is_tenfold(s, i) && all >= 1.5 * (s->max[i] - s->min[i]);
}

static bool begins_at(const cpm_sweep *s, int i)
{
    int escalating = 0;
    for (int k = i; k <= i + CPM_ESCALATING && k < s->count; k++)
        escalating += cpm_sweep_escalates(s, k);
    return cpm_sweep_escalates(s, i) && escalating >= CPM_ESCALATING;
}

/* Near M1 few gathers escalate, and not always for as long as others: a size belongs to the region
 * if one of its gathers did, and it, or the next size, is next to the region. Where gathers take
 * long anyway an escalation is less than ten times that. step: -1 or 1. */
static int with_rare_ones(const cpm_sweep *s, int end, int step)
{
    double lasting = s->max[end] - s->min[end];
    for (int i = end + step; i >= 0 && i < s->count && abs(i - end) <= 2; i += step) {
        double longest = s->max[i] - s->min[i];
        if (longest >= lasting / 2 || (longest >= lasting / 8 && is_tenfold(s, i)))
            end = i;
    }
    return end;
}

bool cpm_sweep_region(const cpm_sweep *s, int *first, int *last)
{
    for (*first = 0; *first < s->count; ++*first)
        if (begins_at(s, *first))
            break;
    if (*first == s->count)
        return false;
    for (*last = s->count - 1; !cpm_sweep_escalates(s, *last); --*last)
        ;
    /* a single outlier far behind the region does not belong to it */
    while (*last > *first && *last + 1 < s->count && !cpm_sweep_escalates(s, *last - 1) &&
           !(*last > 1 && cpm_sweep_escalates(s, *last - 2)))
        for (--*last; !cpm_sweep_escalates(s, *last); --*last)
            ;
    *first = with_rare_ones(s, *first, -1);
    *last = with_rare_ones(s, *last, 1);
    return true;
}
