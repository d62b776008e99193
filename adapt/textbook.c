/* The plain walk, or the rounds of a few ranks. */
#include "adapt/textbook.h"

#include <math.h>

#include "collectives/schedule/walk.h"
#include "selection/effort.h"

static const double alpha = 20e-6, beta = 10e-9, inside_alpha = 1e-6, inside_beta = 0.3e-9;

/* Seconds of processor time for one walk, about. */
static const double most_effort = 1e-4;

enum { LEAST_SEGMENTED = 16384, LEAST_SEGMENT = 4096, MOST_RANKS = 4 };

/* ---- a message */

static double message(const cpm_hosts *hosts, int from, int to, size_t bytes)
{
    bool inside = hosts && cpm_hosts_share(hosts, from, to);
    return inside ? inside_alpha + inside_beta * (double)bytes : alpha + beta * (double)bytes;
}

static void cost_of(const void *hosts, int from, int to, size_t bytes, cpm_cost *cost)
{
    double seconds = message(hosts, from, to, bytes);
    *cost = (cpm_cost){.gap = seconds, .wire = seconds};
}

/* ---- the rounds of a rank */

typedef struct {
    const cpm_schedule *s;
    const cpm_block_sizes *sizes;
    const cpm_hosts *hosts;
    bool ahead; /* calls overlap: all that a rank does counts */
} run;

/* What it sends and what it receives in a round go at the same time, unless a processor is busy
 * with either all the time. */
static double round_of(const run *x, double out, double in)
{
    return x->ahead ? out + in : fmax(out, in);
}

static double rounds_of(const run *x, const cpm_steps *steps, int rank)
{
    double seconds = 0, out = 0, in = 0;
    for (int k = 0; k < steps->count; k++) {
        const cpm_step *step = &steps->at[k];
        if (k > 0 && step->round != step[-1].round) {
            seconds += round_of(x, out, in);
            out = in = 0;
        }
        if (!cpm_step_is_message(step))
            continue;
        size_t bytes = cpm_step_bytes(x->s, steps, step, x->sizes);
        *(cpm_step_receives(step) ? &in : &out) += message(x->hosts, rank, step->peer, bytes);
    }
    return seconds + round_of(x, out, in);
}

/* The longest of some ranks, the root among them. */
static int of_some(const run *x, double *seconds, cpm_error *e)
{
    int root = x->s->root > 0 ? x->s->root : 0, status = CPM_OK;
    int ranks = x->s->n < MOST_RANKS ? x->s->n : MOST_RANKS;
    cpm_steps steps = {0};
    *seconds = 0;
    for (int k = 0; k < ranks && !status; k++) {
        int rank = (int)((root + (long)k * x->s->n / ranks) % x->s->n);
        status = cpm_schedule_rank(x->s, rank, &steps, e);
        if (!status)
            *seconds = fmax(*seconds, rounds_of(x, &steps, rank));
    }
    cpm_steps_free(&steps);
    return status;
}

static int of_all(const run *x, double *seconds, cpm_error *e)
{
    *seconds = cpm_walk(x->s, x->sizes, cost_of, x->hosts, NULL, e);
    return *seconds < 0 ? (int)*seconds : CPM_OK;
}

/* ---- the whole */

static int of_schedule(const run *x, double *seconds, cpm_error *e)
{
    cpm_effort effort;
    if (x->s->symmetry.period || x->ahead)
        return of_some(x, seconds, e);
    int status = cpm_walk_effort(x->s, x->sizes, &effort, e);
    if (status)
        return status;
    return effort.seconds > most_effort ? of_some(x, seconds, e) : of_all(x, seconds, e);
}

int cpm_textbook_seconds(const cpm_request *r, const cpm_collective *what, double *seconds,
                         cpm_error *e)
{
    cpm_schedule *s;
    const cpm_block_sizes sizes = {.bytes = r->operation->dataless ? 0 : r->bytes,
                                   .each = r->sizes};
    int status = cpm_collective_schedule(what, &sizes, &s, e);
    if (status)
        return status;
    const run x = {s, &sizes, r->hosts, r->ahead};
    status = of_schedule(&x, seconds, e);
    cpm_schedule_free(s);
    return status;
}

/* The pieces of b bytes in a chain of n take (b / s + n) (alpha + s beta), which is least where
 * s^2 = b alpha / (n beta). */
size_t cpm_textbook_segment(int n, size_t bytes)
{
    double best = sqrt((double)bytes * alpha / (n * beta));
    size_t segment = LEAST_SEGMENT;
    if (bytes < LEAST_SEGMENTED)
        return 0;
    while ((double)segment * 2 < best)
        segment *= 4;
    return segment < bytes ? segment : 0;
}
