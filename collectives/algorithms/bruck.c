/* Bruck, Ho, Kipnis, Upfal, Weathersby 1997: the concatenation and index algorithms, and the
 * dissemination that they share. Distances are digits of a base times its powers: in the step of a
 * digit all its values are messages of their own, under way together, so that what is known grows
 * as many times. The plain rows have base 2. */
#include <stdlib.h>

#include "collectives/algorithm.h"

enum { PLAIN_BASE = 2, USUAL_BASE = 4 };

static int base_of(const cpm_schedule *s)
{
    return *(const int *)s->state;
}

/* Before the step of distance d a process has the d blocks from its own on. */
static void build_allgather(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const int n = s->n, base = base_of(s);
    for (int64_t d = 1; d < n; d *= base) {
        for (int64_t far = d; far < n && far < base * d; far += d) {
            cpm_recv(out, (int)((rank + far) % n), 0, 0);
            cpm_and_around(out, rank + far, d < n - far ? d : n - far, n);
        }
        for (int64_t far = d; far < n && far < base * d; far += d) {
            cpm_send(out, (int)((rank - far + n) % n), 0, 0);
            cpm_and_around(out, rank, d < n - far ? d : n - far, n);
        }
        cpm_next_round(out);
    }
}

/* Before the step of distance d a process knows of the d processes up to itself. */
static void build_barrier(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const int n = s->n, base = base_of(s);
    for (int64_t d = 1; d < n; d *= base) {
        for (int64_t far = d; far < n && far < base * d; far += d) {
            cpm_recv(out, (int)((rank - far + n) % n), 0, 0);
            cpm_and_around(out, rank - far - d + 1, d, n);
        }
        for (int64_t far = d; far < n && far < base * d; far += d) {
            cpm_send(out, (int)((rank + far) % n), 0, 0);
            cpm_and_around(out, rank - d + 1, d, n);
        }
        cpm_next_round(out);
    }
}

/* A block that must go a distance of j goes the part of it that is digit * unit in the step of that
 * digit; at rank it has come j mod unit from where it began. */
static void name_digit(int n, int rank, int64_t unit, int base, int digit, cpm_steps *out)
{
    for (int64_t j = digit * unit; j < n; j++)
        if (j / unit % base == digit) {
            int64_t from = (rank - j % unit + n) % n, to = (from + j) % n;
            cpm_and(out, from * n + to, 1);
        }
}

static void build_alltoall(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const int n = s->n, base = base_of(s);
    for (int64_t unit = 1; unit < n; unit *= base) {
        for (int digit = 1; digit < base && digit * unit < n; digit++) {
            int from = (int)((rank - digit * unit + n) % n);
            cpm_recv(out, from, 0, 0);
            name_digit(n, from, unit, base, digit, out);
        }
        for (int digit = 1; digit < base && digit * unit < n; digit++) {
            cpm_send(out, (int)((rank + digit * unit) % n), 0, 0);
            name_digit(n, rank, unit, base, digit, out);
        }
        cpm_next_round(out);
    }
}

static int create(const cpm_algorithm *a, const cpm_call *call, int64_t blocks, cpm_schedule *s,
                  cpm_error *e)
{
    const int wide = call->with.k > 1 ? call->with.k : USUAL_BASE;
    int *base = malloc(sizeof *base);
    if (!base)
        return cpm_no_memory(e);
    *base = a->properties & CPM_TAKES_K ? wide : PLAIN_BASE;
    s->state = base;
    s->free_state = free;
    s->blocks = blocks;
    s->symmetry = (cpm_symmetry){CPM_SHIFTS, 1};
    return CPM_OK;
}

cpm_create cpm_bruck_allgather, cpm_bruck_alltoall, cpm_dissemination_barrier;

int cpm_bruck_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    s->build = build_allgather;
    return create(a, call, call->n, s, e);
}

int cpm_bruck_alltoall(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    s->build = build_alltoall;
    return create(a, call, (int64_t)call->n * call->n, s, e);
}

int cpm_dissemination_barrier(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                              cpm_error *e)
{
    s->build = build_barrier;
    return create(a, call, call->n, s, e);
}
