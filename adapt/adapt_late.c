/* A ring of the last calls, statistics by GSL. */
#include "adapt/adapt_late.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <string.h>

static const double most_calls = 2048; /* then all counts are halved */
static const double odd = 2;           /* times the median */
static const double gone = 0.5;        /* a time-out that was halved twice is none */

static void keep(adapt_late *l, double seconds)
{
    l->at[l->next] = seconds;
    l->next = (l->next + 1) % ADAPT_LATE;
    if (l->count < ADAPT_LATE)
        l->count++;
}

static void time_out(adapt_late *l, double count, double seconds)
{
    l->timeouts += count;
    l->lost += seconds;
}

/* Calls that were not kept, by what their sum is above the usual, which those that were kept show,
 * too: as many as time-outs of the kind that is known explain, or one. */
static void add_unseen(adapt_late *l, double calls, double seconds, double usual, double limit)
{
    double above = seconds - 1.2 * calls * fmax(l->raw, usual);
    if (!(above > limit))
        return;
    double each = l->timeouts > 0 ? l->lost / l->timeouts : above;
    time_out(l, fmin(calls, fmax(1, round(above / each))), above);
}

static void summarize(adapt_late *l)
{
    double values[ADAPT_LATE];
    size_t count = (size_t)l->count;
    if (!count)
        return;
    memcpy(values, l->at, sizeof values);
    gsl_sort(values, 1, count);
    l->quarter = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.25);
    l->median = gsl_stats_median_from_sorted_data(values, 1, count);
    l->raw = gsl_stats_mean(values, 1, count);
    for (size_t k = 0; k < count; k++)
        values[k] = fmin(values[k], odd * l->median);
    l->mean = gsl_stats_mean(values, 1, count);
    l->spread = count > 1 ? gsl_stats_sd_m(values, 1, count, l->mean) : 0;
}

void adapt_late_add(adapt_late *l, const cpm_adapt_figures *f, double limit)
{
    double unseen = f->sum, calm = 0;
    int count = 0;
    l->calls += (double)f->calls;
    for (int k = 0; k < f->kept; k++) {
        unseen -= f->seconds[k];
        if (f->seconds[k] > limit) {
            time_out(l, 1, f->seconds[k]);
            continue;
        }
        keep(l, f->seconds[k]);
        calm += f->seconds[k];
        count++;
    }
    summarize(l);
    if (f->calls > f->kept && l->count)
        add_unseen(l, (double)(f->calls - f->kept), unseen, count ? calm / count : 0, limit);
    if (l->calls > most_calls) {
        l->calls /= 2;
        l->timeouts /= 2;
        l->lost /= 2;
        if (l->timeouts < gone)
            l->timeouts = l->lost = 0;
    }
}

void adapt_late_trim(adapt_late *l, int count)
{
    double last[ADAPT_LATE];
    int kept = l->count < count ? l->count : count;
    for (int k = 0; k < kept; k++)
        last[k] = l->at[(l->next + ADAPT_LATE - kept + k) % ADAPT_LATE];
    *l = (adapt_late){.calls = l->calls, .timeouts = l->timeouts, .lost = l->lost};
    for (int k = 0; k < kept; k++)
        keep(l, last[k]);
    summarize(l);
}
