/* Counts the messages of some ranks; what each costs was measured (bench/walk). */
#include "selection/effort.h"

#include "collectives/schedule/symmetry.h"

/* Seconds for each end of a message, for each of its runs, or for each of its blocks where these
 * differ; for each message in a walk without others, or in a flow walk, and each look at one that
 * is under way there. bench_walk prints how walks of all algorithms compare with the first two:
 * where the median is far from 1, multiply both by it. */
static const double an_end = 6e-8, a_run = 1e-8, a_block = 4e-9, a_lone = 6e-8, a_plain = 7e-8,
                    a_flow = 5e-7, a_look = 4e-9;
/* For each message where all ranks walk together (collectives/schedule/spmd_walk.h). */
static const double in_step = 2.5e-8;

enum { MOST_RANKS = 16 };

/* That many ranks have the same. */
static void add_ranks(double ranks, const cpm_steps *steps, bool sizes_differ, cpm_effort *sum)
{
    for (int k = 0; k < steps->count; k++) {
        const cpm_step *step = &steps->at[k];
        if (!cpm_step_is_message(step))
            continue;
        sum->messages += 0.5 * ranks;
        sum->seconds += ranks * (an_end + a_run * step->runs);
        if (sizes_differ)
            sum->seconds += ranks * a_block * (double)cpm_step_positions(steps, step);
    }
}

static bool walks_in_step(const cpm_schedule *s, const cpm_block_sizes *sizes)
{
    return s->symmetry.period == 1 && cpm_schedule_says_symmetric(s, sizes, &s->symmetry);
}

/* The root, which may have most of the work, and others at even distances. */
int cpm_walk_effort(const cpm_schedule *s, const cpm_block_sizes *sizes, cpm_effort *out,
                    cpm_error *e)
{
    int root = s->root > 0 ? s->root : 0;
    int others = s->n - 1 < MOST_RANKS ? s->n - 1 : MOST_RANKS, status = CPM_OK;
    cpm_effort sum = {0};
    cpm_steps steps = {0};
    for (int k = 0; k <= others && !status; k++) {
        long away = k ? 1 + (long)(k - 1) * (s->n - 1) / others : 0;
        status = cpm_schedule_rank(s, (int)((root + away) % s->n), &steps, e);
        add_ranks(k ? (double)(s->n - 1) / others : 1, &steps, sizes->each != NULL, &sum);
    }
    cpm_steps_free(&steps);
    if (walks_in_step(s, sizes))
        sum.seconds = in_step * sum.messages;
    if (!status)
        *out = sum;
    return status;
}

/* What many processes have does not fit into caches. */
static double crowded(int n)
{
    return 1 + n / 1024.0;
}

double cpm_lone_walk_taken(int n, double messages, double runs)
{
    return crowded(n) * a_lone * messages + a_run * runs;
}

double cpm_flow_walk_taken(int n, double messages, double runs, double looks)
{
    return crowded(n) * (a_flow * messages + a_look * looks) + a_run * runs;
}

double cpm_plain_walk_taken(const cpm_schedule *s, const cpm_block_sizes *sizes, double messages,
                            double runs)
{
    return walks_in_step(s, sizes) ? in_step * messages : a_plain * messages + a_run * runs;
}
