/* A ring of the last calls, statistics by GSL. */
#include "selection/adapt_late.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <string.h>

static const double most_calls = 2048; /* then all counts are halved */

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

/* Calls that were not kept, by what their sum is above the usual: as many as time-outs of the kind
 * that is known explain, or one. */
static void add_unseen(adapt_late *l, double calls, double seconds, double limit)
{
    double above = seconds - 1.2 * calls * adapt_late_mean(l);
    if (!(above > limit))
        return;
    double each = l->timeouts > 0 ? l->lost / l->timeouts : above;
    time_out(l, fmin(calls, fmax(1, round(above / each))), above);
}

void adapt_late_add(adapt_late *l, const cpm_adapt_figures *f, double limit)
{
    double unseen = f->sum;
    l->calls += (double)f->calls;
    for (int k = 0; k < f->kept; k++) {
        unseen -= f->seconds[k];
        if (f->seconds[k] > limit)
            time_out(l, 1, f->seconds[k]);
        else
            keep(l, f->seconds[k]);
    }
    if (f->calls > f->kept && l->count)
        add_unseen(l, (double)(f->calls - f->kept), unseen, limit);
    if (l->calls > most_calls) {
        l->calls /= 2;
        l->timeouts /= 2;
        l->lost /= 2;
    }
}

void adapt_late_clear(adapt_late *l)
{
    *l = (adapt_late){.count = 0};
}

double adapt_late_mean(const adapt_late *l)
{
    return l->count ? gsl_stats_mean(l->at, 1, (size_t)l->count) : 0;
}

double adapt_late_spread(const adapt_late *l)
{
    return l->count > 1 ? gsl_stats_sd(l->at, 1, (size_t)l->count) : 0;
}

static double quantile(const adapt_late *l, double share)
{
    double sorted[ADAPT_LATE];
    if (!l->count)
        return 0;
    memcpy(sorted, l->at, sizeof sorted);
    gsl_sort(sorted, 1, (size_t)l->count);
    return gsl_stats_quantile_from_sorted_data(sorted, 1, (size_t)l->count, share);
}

double adapt_late_quarter(const adapt_late *l)
{
    return quantile(l, 0.25);
}

double adapt_late_median(const adapt_late *l)
{
    return quantile(l, 0.5);
}

double adapt_late_rate(const adapt_late *l)
{
    return l->calls > 0 ? l->timeouts / l->calls : 0;
}
