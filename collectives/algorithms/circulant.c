/* Circulant graphs: partners at distances n, halved and rounded up, again and again. As many rounds
 * as the logarithm says, and no more than n - 1 blocks through a process, for any n. */
#include "collectives/algorithm.h"

/* Of the blocks for the `before` processes from its own on that a rank collects, it gives away
 * those from the half on, and gets as many contributions to its first ones. */
static void build_reduce_scatter(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const int n = s->n;
    for (int before = n, half; before > 1; before = half) {
        half = (before + 1) / 2;
        cpm_combine(out, (rank - half + n) % n, 0, 0);
        cpm_and_around(out, rank, before - half, n);
        cpm_send(out, (rank + half) % n, 0, 0);
        cpm_and_around(out, rank + half, before - half, n);
        cpm_next_round(out);
    }
}

/* The same backwards: whoever has the half gets the rest. */
static void build_allgather(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const int n = s->n;
    int halves[32], count = 0;
    for (int before = n; before > 1; before = (before + 1) / 2)
        halves[count++] = before;
    while (count-- > 0) {
        const int after = halves[count], half = (after + 1) / 2;
        cpm_recv(out, (rank + half) % n, 0, 0);
        cpm_and_around(out, rank + half, after - half, n);
        cpm_send(out, (rank - half + n) % n, 0, 0);
        cpm_and_around(out, rank, after - half, n);
        cpm_next_round(out);
    }
}

cpm_create cpm_circulant_reduce_scatter, cpm_circulant_allgather;

static int set(cpm_schedule *s, int n, void (*build)(const cpm_schedule *, int, cpm_steps *))
{
    s->blocks = n;
    s->symmetry = (cpm_symmetry){CPM_SHIFTS, 1};
    s->build = build;
    return CPM_OK;
}

int cpm_circulant_reduce_scatter(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                                 cpm_error *e)
{
    (void)a, (void)e;
    return set(s, call->n, build_reduce_scatter);
}

int cpm_circulant_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                            cpm_error *e)
{
    (void)a, (void)e;
    return set(s, call->n, build_allgather);
}
