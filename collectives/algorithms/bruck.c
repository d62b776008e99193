/* Bruck, Ho, Kipnis, Upfal, Weathersby 1997: the concatenation and index algorithms, and the
 * dissemination that they share. */
#include <stdlib.h>

#include "collectives/algorithm.h"

/* Before the step of distance d a process has the d blocks from its own on. */
static void build_allgather(const cpm_schedule *s, int rank, cpm_steps *out)
{
    int n = s->n;
    for (long d = 1; d < n; d *= 2) {
        int64_t count = d < n - d ? d : n - d;
        cpm_recv(out, (int)((rank + d) % n), 0, 0);
        cpm_and_around(out, rank + d, count, n);
        cpm_send(out, (int)((rank - d + n) % n), 0, 0);
        cpm_and_around(out, rank, count, n);
        cpm_next_round(out);
    }
}

/* Before the step of distance d a process knows of the d processes up to itself. */
static void build_barrier(const cpm_schedule *s, int rank, cpm_steps *out)
{
    int n = s->n;
    for (long d = 1; d < n; d *= 2) {
        cpm_recv(out, (int)((rank - d + n) % n), 0, 0);
        cpm_and_around(out, rank - 2 * d + 1, d, n);
        cpm_send(out, (int)((rank + d) % n), 0, 0);
        cpm_and_around(out, rank - d + 1, d, n);
        cpm_next_round(out);
    }
}

/* A block that must go a distance of j goes the part of it that is d in the step of distance d; at
 * rank it has come j mod d from where it began. */
static void name_blocks(int n, int rank, int d, cpm_steps *out)
{
    for (int j = d; j < n; j++)
        if (j & d) {
            int64_t from = (rank - j % d + n) % n, to = (from + j) % n;
            cpm_and(out, from * n + to, 1);
        }
}

static void build_alltoall(const cpm_schedule *s, int rank, cpm_steps *out)
{
    int n = s->n;
    for (long d = 1; d < n; d *= 2) {
        int from = (int)((rank - d + n) % n), to = (int)((rank + d) % n);
        cpm_recv(out, from, 0, 0);
        name_blocks(n, from, (int)d, out);
        cpm_send(out, to, 0, 0);
        name_blocks(n, rank, (int)d, out);
        cpm_next_round(out);
    }
}

/* ---- digits of another base ---- */

/* A block's distance in digits of base k: in the step of a digit all its values are messages of
 * their own, under way together. */
static void name_digit(int n, int rank, int64_t unit, int k, int digit, cpm_steps *out)
{
    for (int64_t j = digit * unit; j < n; j++)
        if (j / unit % k == digit) {
            int64_t from = (rank - j % unit + n) % n, to = (from + j) % n;
            cpm_and(out, from * n + to, 1);
        }
}

static void build_radix_alltoall(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const int n = s->n, k = *(const int *)s->state;
    for (int64_t unit = 1; unit < n; unit *= k) {
        for (int digit = 1; digit < k && digit * unit < n; digit++) {
            int from = (int)((rank - digit * unit + n) % n);
            cpm_recv(out, from, 0, 0);
            name_digit(n, from, unit, k, digit, out);
        }
        for (int digit = 1; digit < k && digit * unit < n; digit++) {
            cpm_send(out, (int)((rank + digit * unit) % n), 0, 0);
            name_digit(n, rank, unit, k, digit, out);
        }
        cpm_next_round(out);
    }
}

cpm_create cpm_radix_alltoall;

int cpm_radix_alltoall(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    int *k = malloc(sizeof *k);
    (void)a;
    if (!k)
        return cpm_no_memory(e);
    *k = call->with.k > 1 ? call->with.k : 4;
    s->state = k;
    s->free_state = free;
    s->blocks = (int64_t)call->n * call->n;
    s->symmetry = (cpm_symmetry){CPM_SHIFTS, 1};
    s->build = build_radix_alltoall;
    return CPM_OK;
}

cpm_create cpm_bruck_allgather, cpm_bruck_alltoall, cpm_dissemination_barrier;

int cpm_bruck_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)e;
    s->blocks = call->n;
    s->symmetry = (cpm_symmetry){CPM_SHIFTS, 1};
    s->build = build_allgather;
    return CPM_OK;
}

int cpm_bruck_alltoall(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)e;
    s->blocks = (int64_t)call->n * call->n;
    s->symmetry = (cpm_symmetry){CPM_SHIFTS, 1};
    s->build = build_alltoall;
    return CPM_OK;
}

int cpm_dissemination_barrier(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                              cpm_error *e)
{
    (void)a, (void)e;
    s->blocks = call->n;
    s->symmetry = (cpm_symmetry){CPM_SHIFTS, 1};
    s->build = build_barrier;
    return CPM_OK;
}
