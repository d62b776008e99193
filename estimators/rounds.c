#include "estimators/rounds.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "collectives/hosts.h"

int cpm_rounds_take(cpm_rounds *r, int what, cpm_error *e)
{
    if (!cpm_vector_reserve(&r->taken, &r->taken_room, r->takes + 1, sizeof *r->taken))
        return cpm_no_memory(e);
    r->taken[r->takes++] = what;
    return CPM_OK;
}

static bool fits(const cpm_rounds *r, int round)
{
    const char *busy = r->busy + (size_t)round * r->wide;
    for (int q = 0; q < r->takes; q++)
        if (busy[r->taken[q]])
            return false;
    return true;
}

/* The first one that has room, a new one at last. */
static int take_round(cpm_rounds *r, int *round, cpm_error *e)
{
    *round = 0;
    while (*round < r->rounds && !fits(r, *round))
        ++*round;
    if (!cpm_vector_reserve(&r->busy, &r->busy_room, (*round + 1) * (int64_t)r->wide, 1))
        return cpm_no_memory(e);
    char *busy = r->busy + (size_t)*round * r->wide;
    if (*round == r->rounds)
        memset(busy, 0, r->wide);
    r->rounds += *round == r->rounds;
    for (int q = 0; q < r->takes; q++)
        busy[r->taken[q]] = 1;
    r->takes = 0;
    return CPM_OK;
}

int cpm_rounds_add(cpm_rounds *r, const cpm_experiment *x, int count, cpm_error *e)
{
    int round, status = take_round(r, &round, e);
    if (!status && !cpm_vector_reserve(&r->round, &r->round_room, r->in.count + (int64_t)count,
                                       sizeof *r->round))
        status = cpm_no_memory(e);
    for (int q = 0; q < count && !status; q++) {
        r->round[r->in.count] = round;
        status = cpm_design_add(&r->in, &x[q], e);
    }
    return status;
}

/* As cpm_hosts_sort does with processes and hosts. */
int cpm_rounds_put(const cpm_rounds *r, cpm_design *next, cpm_error *e)
{
    const cpm_hosts rounds = {.n = r->in.count, .count = r->rounds, .of = r->round};
    int *order = malloc(((size_t)r->in.count + 1) * sizeof *order), status = CPM_OK;
    int *first = malloc(((size_t)r->rounds + 1) * sizeof *first);
    if (!order || !first)
        status = cpm_no_memory(e);
    else
        cpm_hosts_sort(&rounds, order, first);
    for (int k = 0; k < r->rounds && !status; k++) {
        for (int q = first[k]; q < first[k + 1] && !status; q++)
            status = cpm_design_add(next, &r->in.at[order[q]], e);
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    free(order);
    free(first);
    return status;
}

void cpm_rounds_clear(cpm_rounds *r)
{
    cpm_design_clear(&r->in);
    free(r->round);
    free(r->busy);
    free(r->taken);
}
