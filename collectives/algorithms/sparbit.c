/* Loch, Koslovski 2021: an allgather by binomial trees from all processes at once, the farthest
 * first, so that what is sent last, which is most, goes to neighbours. */
#include "collectives/algorithm.h"

/* Whether the last of the blocks that a process has would come there twice in the step of that
 * distance, as n is no power of two. */
static bool leaves_one_out(int n, int distance)
{
    const unsigned lowest = (unsigned)n & -(unsigned)n;
    const unsigned odd = (unsigned)n / lowest;
    const unsigned out = (~odd | 1) * lowest;
    return ((unsigned)distance & out) == (unsigned)distance;
}

/* Of every second process at that distance, so many, from first on downwards. */
static void name(int n, int first, int distance, int count, cpm_steps *out)
{
    for (int k = 0; k < count; k++) {
        const int64_t block = first - 2 * (int64_t)k * distance;
        cpm_and(out, (block % n + n) % n, 1);
    }
}

static void build(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const int n = s->n;
    int distance = 1, blocks = 1;
    while (distance < (n + 1) / 2)
        distance *= 2;
    for (; distance >= 1 && n > 1; distance /= 2) {
        const bool less = leaves_one_out(n, distance);
        const int from = (rank - distance % n + n) % n;
        cpm_recv(out, from, 0, 0);
        name(n, from, distance, blocks - less, out);
        cpm_send(out, (rank + distance) % n, 0, 0);
        name(n, rank, distance, blocks - less, out);
        cpm_next_round(out);
        blocks = 2 * blocks - less;
    }
}

cpm_create cpm_sparbit_allgather;

int cpm_sparbit_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                          cpm_error *e)
{
    (void)a, (void)e;
    s->blocks = call->n;
    s->symmetry = (cpm_symmetry){CPM_SHIFTS, 1};
    s->build = build;
    return CPM_OK;
}
