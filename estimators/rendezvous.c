/* Halving the distance between the largest buffered and the least synchronous size. */
#include "estimators/rendezvous.h"

#include <math.h>

#include "base/statistics.h"
#include "estimators/lmo2.h"
#include "estimators/regimes.h"

enum { LEAST = 1024 }; /* bytes: no library begins below */

typedef struct {
    const cpm_measurements *m;
    int n;
    size_t largest;
    bool later;       /* cpm_regimes_come_later */
    cpm_design *next; /* NULL: only look */
    cpm_error *e;
    int missing;
} search;

static cpm_experiment round_trip(int i, int j, size_t bytes)
{
    return cpm_experiment_pair(CPM_ROUNDTRIP, i, j, bytes, 0);
}

static cpm_experiment send_time(int i, int j, size_t bytes)
{
    return cpm_experiment_pair(CPM_SEND_TIME, i, j, bytes, 0);
}

static cpm_experiment late_receive(int i, int j, size_t bytes)
{
    return cpm_experiment_pair(CPM_LATE_RECEIVE, i, j, 0, bytes);
}

static double value(const cpm_measurements *m, cpm_experiment x)
{
    int at = cpm_measurements_find(m, &x);
    return at < 0 ? NAN : cpm_measurement_value(&m->at[at], m->statistic);
}

/* Those of one size are measured beside any others, and where that matters again. */
static double trip(const search *s, int i, size_t bytes)
{
    cpm_experiment x = round_trip(i, i + 1, bytes);
    const cpm_measurement *best = s->later && bytes == cpm_lmo2_asked(s->n, s->largest)
                                      ? cpm_measurements_best(s->m, x)
                                      : NULL;
    return best ? cpm_measurement_value(best, s->m->statistic) : value(s->m, x);
}

/* Both overheads over the one-way time, the median of the pairs; NaN: not measured. */
static double share(const search *s, size_t bytes)
{
    enum { MOST_PAIRS = 256 };
    double shares[MOST_PAIRS];
    int count = 0;
    for (int i = 0; i + 1 < s->n && count < MOST_PAIRS; i += 2) {
        double way = trip(s, i, bytes) - trip(s, i, 0) / 2;
        double both =
            value(s->m, send_time(i, i + 1, bytes)) + value(s->m, late_receive(i + 1, i, bytes));
        if (isnan(both / way))
            return NAN;
        shares[count++] = both / way;
    }
    return cpm_median(shares, count);
}

static int add_round(search *s, cpm_experiment (*make)(int, int, size_t), bool turned, size_t bytes)
{
    int status = CPM_OK;
    for (int i = 0; i + 1 < s->n && !status; i += 2) {
        cpm_experiment x = turned ? make(i + 1, i, bytes) : make(i, i + 1, bytes);
        status = cpm_design_add(s->next, &x, s->e);
    }
    return status ? status : cpm_design_close_round(s->next, s->e);
}

static int ask_for(search *s, size_t bytes)
{
    s->missing++;
    if (!s->next)
        return CPM_OK;
    int status = add_round(s, round_trip, false, bytes);
    if (!status)
        status = add_round(s, send_time, false, bytes);
    return status ? status : add_round(s, late_receive, true, bytes);
}

static size_t next_size(size_t bytes, size_t largest)
{
    return bytes < largest && 2 * bytes > largest ? largest : 2 * bytes;
}

/* Between which grid sizes it is: all larger ones are synchronous. *high 0: none is. */
static int bracket(search *s, size_t *low, size_t *high)
{
    int status = CPM_OK;
    *low = *high = 0;
    for (size_t bytes = LEAST; bytes <= s->largest && !status;
         bytes = next_size(bytes, s->largest)) {
        double found = share(s, bytes);
        if (isnan(found)) {
            status = ask_for(s, bytes);
        } else if (found <= CPM_SYNCHRONOUS) {
            *low = bytes;
            *high = 0;
        } else if (!*high) {
            *high = bytes;
        }
    }
    return status;
}

/* Most libraries begin at a power of two: so the first size to try is the one before it. Files of
 * earlier versions have the middles only. */
static size_t first_try(const search *s, size_t low, size_t high)
{
    bool only_middles = !s->next && isnan(share(s, high - 1));
    return only_middles ? low + (high - low) / 2 : high - 1;
}

static int run(search *s, size_t *from)
{
    size_t low, high, middle = 0;
    int status = bracket(s, &low, &high);
    if (!status && high > low + 1)
        middle = first_try(s, low, high);
    for (; !status && !s->missing && high > low + 1; middle = low + (high - low) / 2) {
        double found = share(s, middle);
        if (isnan(found))
            status = ask_for(s, middle);
        else
            *(found > CPM_SYNCHRONOUS ? &high : &low) = middle;
    }
    *from = high;
    return status;
}

int cpm_rendezvous_plan(const cpm_measurements *so_far, int n, size_t largest, cpm_design *next,
                        cpm_error *e)
{
    search s = {.m = so_far, .n = n, .largest = largest, .next = next, .e = e};
    s.later = cpm_regimes_come_later(so_far, n, largest);
    size_t from;
    return run(&s, &from);
}

size_t cpm_rendezvous_find(const cpm_measurements *m, int n, size_t largest)
{
    search s = {.m = m, .n = n, .largest = largest};
    s.later = cpm_regimes_come_later(m, n, largest);
    size_t from = 0;
    run(&s, &from);
    return s.missing ? 0 : from;
}
