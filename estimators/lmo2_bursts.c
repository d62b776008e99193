#include "estimators/lmo2_bursts.h"

#include <math.h>
#include <stdlib.h>

#include "models/experiments.h"

/* So many bytes at least fill a link for much longer than the first message of a process takes to
 * reach it. */
enum { BURST = 1 << 20, FEWEST = 4 };

/* Two times that differ by less than this share and the measurement's interval are the same: a
 * burst fills the link ends of its own hosts, too, which are not known better. */
static const double same = 0.05;

cpm_experiment cpm_lmo2_burst_pair(int from, int to, size_t bytes, size_t answer)
{
    cpm_experiment x = cpm_experiment_pair(CPM_CROWDED_BURST, from, to, bytes, answer);
    x.count = bytes < BURST / FEWEST ? (int)(BURST / bytes) : FEWEST;
    return x;
}

int cpm_lmo2_burst_open(cpm_lmo2_burst *b, int most, cpm_error *e)
{
    b->pair = malloc((size_t)most * sizeof *b->pair);
    b->seconds = malloc((size_t)most * sizeof *b->seconds);
    return b->pair && b->seconds ? CPM_OK : cpm_no_memory(e);
}

void cpm_lmo2_burst_close(cpm_lmo2_burst *b)
{
    free(b->pair);
    free(b->seconds);
}

bool cpm_lmo2_burst_take(cpm_lmo2_burst *b)
{
    double fastest = INFINITY, mean = 0, half_of_fastest = 0, half_of_mean = 0;
    b->slowest = 0;
    for (int q = 0; q < b->pairs; q++) {
        int at = cpm_measurements_find(b->measured, &b->pair[q]);
        if (at < 0)
            return false;
        const cpm_measurement *r = &b->measured->at[at];
        double seconds = cpm_measurement_value(r, b->measured->statistic);
        double half = cpm_measurement_half(r, b->measured->statistic);
        if (seconds < fastest)
            half_of_fastest = half;
        fastest = fmin(fastest, seconds);
        b->slowest = fmax(b->slowest, seconds);
        mean += seconds / b->pairs;
        half_of_mean = hypot(half_of_mean, half / b->pairs);
    }
    b->time = b->by_fastest ? fastest : mean;
    b->half = b->by_fastest ? half_of_fastest : half_of_mean;
    return b->pairs > 1 && b->time > 0;
}

int cpm_lmo2_burst_misses(cpm_lmo2_burst *b, double *capacity, double seconds_per_byte, double *off,
                          cpm_error *e)
{
    double fastest = INFINITY, mean = 0;
    *capacity = seconds_per_byte;
    int status = cpm_model_experiments(b->m, b->pair, b->pairs, b->seconds, e);
    for (int q = 0; q < b->pairs && !status; q++) {
        fastest = fmin(fastest, b->seconds[q]);
        mean += b->seconds[q] / b->pairs;
    }
    *off = (b->time - (b->by_fastest ? fastest : mean)) / (same * b->time + b->half);
    return status;
}

int cpm_lmo2_burst_explained(cpm_lmo2_burst *b, int *pairs, cpm_error *e)
{
    int status = cpm_model_experiments(b->m, b->pair, b->pairs, b->seconds, e);
    *pairs = 0;
    for (int q = 0; q < b->pairs && !status; q++) {
        const cpm_measurement *r =
            &b->measured->at[cpm_measurements_find(b->measured, &b->pair[q])];
        double seconds = cpm_measurement_value(r, b->measured->statistic);
        double half = cpm_measurement_half(r, b->measured->statistic);
        *pairs += fabs(b->seconds[q] - seconds) <= same * seconds + half;
    }
    return status;
}

/* Whatever it is, the slowest pair alone would take longer with the slowest capacity tried. */
int cpm_lmo2_burst_invert(cpm_lmo2_burst *b, double *capacity, double *half, cpm_error *e)
{
    enum { HALVINGS = 40 };
    double low = 0, off;
    double high = b->slowest / (double)b->pair[0].send_bytes / b->pair[0].count;
    int status = CPM_OK;
    for (int step = 0; step < HALVINGS && !status; step++) {
        double middle = (low + high) / 2;
        status = cpm_lmo2_burst_misses(b, capacity, middle, &off, e);
        *(off > 0 ? &low : &high) = middle;
    }
    *capacity = (low + high) / 2;
    *half = *capacity * b->half / b->time;
    return status;
}
