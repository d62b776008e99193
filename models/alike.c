#include "models/alike.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "models/extrapolation.h"

/* A host may depart by so much from the median one, and a pair of hosts from the median pair. What
 * messages share is not seen alone, and known less well. */
static const double most_of_host = 0.1, most_of_pair = 0.2, most_of_shared = 0.5;

static const char advice[] = "Name hosts of the model in a layout, or fit with --classes FILE "
                             "that has all in one class";

typedef struct {
    const cpm_model *m;
    int count;
    int *first;         /* [count] a process of each host */
    double *of, *extra; /* [count] what is compared of each host; what it may be off besides */
    double *pair;       /* [count*count] round trips over the median one of such pairs */
    double *work;       /* [count*count] */
    double spread;
    cpm_error *e;
} hosts;

static const char *name_of(const hosts *x, int host)
{
    return x->m->hosts[x->first[host]];
}

static double round_trip(const cpm_model *m, int i, int j, size_t bytes)
{
    return cpm_model_p2p(m, i, j, bytes) + cpm_model_p2p(m, j, i, bytes);
}

/* ---- one value of each host */

static double known_median(const double *values, int count, double *work)
{
    int known = 0;
    for (int k = 0; k < count; k++)
        if (!isnan(values[k]))
            work[known++] = values[k];
    return known ? cpm_median(work, known) : NAN;
}

/* As a share of the median, in which extra is taken off; 0 where nothing is known. */
static double departure(const hosts *x, int host, double median)
{
    double by = x->of[host] / median - 1, off = x->extra[host] / median;
    double left = fmax(0, fabs(by) - (isnan(off) ? 0 : off));
    return isnan(by) ? 0 : copysign(left, by);
}

static int check_hosts(hosts *x, const char *what, double most)
{
    double median = known_median(x->of, x->count, x->work);
    int worst = 0;
    for (int h = 1; h < x->count; h++)
        if (fabs(departure(x, h, median)) > fabs(departure(x, worst, median)))
            worst = h;
    double by = median > 0 ? departure(x, worst, median) : 0;
    if (most == most_of_host)
        x->spread = fmax(x->spread, fabs(by));
    if (fabs(by) > most)
        return cpm_fail(x->e, CPM_EDATA,
                        "hosts are not alike: %s of %s is %.0f %% %s than the median. %s", what,
                        name_of(x, worst), 100 * fabs(by), by > 0 ? "slower" : "faster", advice);
    return CPM_OK;
}

/* ---- between hosts */

/* Round trips of the pairs that cross switches, or of those that do not, over their median. */
static void take_pairs(hosts *x, bool crossing, size_t bytes)
{
    size_t n = (size_t)x->count;
    int met = 0;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < a; b++)
            if (cpm_model_crosses(x->m, x->first[a], x->first[b]) == crossing)
                x->work[met++] = x->pair[a * n + b] =
                    round_trip(x->m, x->first[a], x->first[b], bytes);
    double median = met ? cpm_median(x->work, met) : NAN;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < a; b++)
            if (cpm_model_crosses(x->m, x->first[a], x->first[b]) == crossing)
                x->pair[a * n + b] = x->pair[b * n + a] =
                    median > 0 ? x->pair[a * n + b] / median : 1;
}

static int check_pairs(const hosts *x, const char *what)
{
    for (int a = 0; a < x->count; a++)
        for (int b = 0; b < a; b++) {
            double by = x->pair[(size_t)a * (size_t)x->count + (size_t)b] - 1;
            if (fabs(by) > most_of_pair)
                return cpm_fail(x->e, CPM_EDATA,
                                "the network is not alike: %s from %s to %s is %.0f %% %s than the "
                                "median. %s",
                                what, name_of(x, b), name_of(x, a), 100 * fabs(by),
                                by > 0 ? "slower" : "faster", advice);
        }
    return CPM_OK;
}

static int check_between(hosts *x, size_t bytes)
{
    char what[64];
    snprintf(what, sizeof what, "the round trip of %zu bytes", bytes);
    take_pairs(x, false, bytes);
    take_pairs(x, true, bytes);
    for (int a = 0; a < x->count; a++) {
        double sum = 0;
        for (int b = 0; b < x->count; b++)
            sum += a == b ? 0 : x->pair[(size_t)a * (size_t)x->count + (size_t)b];
        x->of[a] = x->count > 1 ? sum / (x->count - 1) : NAN;
        x->extra[a] = 0;
    }
    int status = check_hosts(x, what, most_of_host);
    return status ? status : check_pairs(x, what);
}

/* ---- inside hosts */

/* The round trip of the host's first process with one that far away; NaN: there is none. */
static double trip_inside(const cpm_model *m, int first, cpm_level how_far, size_t bytes)
{
    for (int j = 0; j < m->n; j++)
        if (j != first && cpm_model_level(m, first, j) == how_far)
            return round_trip(m, first, j, bytes);
    return NAN;
}

static int check_inside(hosts *x, cpm_level how_far, size_t bytes)
{
    char what[96];
    snprintf(what, sizeof what, "the round trip of %zu bytes %s", bytes,
             how_far == CPM_ACROSS ? "between the sockets" : "inside");
    for (int h = 0; h < x->count; h++) {
        x->of[h] = trip_inside(x->m, x->first[h], how_far, bytes);
        x->extra[h] = 0;
    }
    return check_hosts(x, what, most_of_host);
}

/* ---- what messages share, and what processors do besides sending */

static int check_parameter(hosts *x, int p)
{
    char what[64];
    snprintf(what, sizeof what, "%s", x->m->type->parameters[p].name);
    for (int h = 0; h < x->count; h++) {
        size_t at = cpm_place(x->m, 0, x->first[h]);
        x->of[h] = x->m->value[p][at];
        x->extra[h] = cpm_model_half(x->m, p, at);
    }
    return check_hosts(x, what, most_of_shared);
}

/* Those that a message alone shows are in its round trips. */
static int check_shared(hosts *x)
{
    int status = CPM_OK;
    for (int p = 0; p < x->m->type->count && !status; p++) {
        const cpm_parameter *of = &x->m->type->parameters[p];
        if (of->shape == CPM_PROCESS && of->optional && !of->sized &&
            cpm_model_has_parameter(x->m, p))
            status = check_parameter(x, p);
    }
    return status;
}

/* ---- the whole */

static int check(hosts *x)
{
    static const size_t usual = 65536;
    size_t largest = cpm_model_largest(x->m), sizes[] = {1, largest > 1 ? largest : usual};
    int status = CPM_OK;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        if (!status)
            status = check_between(x, sizes[k]);
        for (cpm_level how_far = CPM_INSIDE; how_far < CPM_LEVELS && !status; how_far++)
            status = check_inside(x, how_far, sizes[k]);
    }
    return status ? status : check_shared(x);
}

int cpm_model_hosts_alike(const cpm_model *m, double *spread, cpm_error *e)
{
    bool inside = m->inside.count > 0;
    size_t count = inside ? (size_t)m->on.count : (size_t)m->n;
    hosts x = {.m = m, .count = (int)count, .e = e};
    x.first = malloc(count * sizeof *x.first);
    x.of = malloc(2 * count * sizeof *x.of);
    x.pair = calloc(2 * count * count, sizeof *x.pair);
    int status = x.first && x.of && x.pair ? CPM_OK : cpm_no_memory(e);
    if (!status) {
        x.extra = x.of + count;
        x.work = x.pair + count * count;
        for (int i = m->n - 1; i >= 0; i--)
            x.first[inside ? m->on.of[i] : i] = i;
        status = check(&x);
    }
    if (!status)
        *spread = x.spread;
    free(x.first);
    free(x.of);
    free(x.pair);
    return status;
}
