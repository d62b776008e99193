/* Designs: rounds of disjoint experiments. */
#include <stdlib.h>

#include "base/vector.h"
#include "measurements/experiment.h"

int cpm_design_add(cpm_design *d, const cpm_experiment *x, cpm_error *e)
{
    if (!cpm_vector_extend(&d->at, d->count, sizeof *d->at))
        return cpm_no_memory(e);
    d->at[d->count++] = *x;
    return CPM_OK;
}

int cpm_design_close_round(cpm_design *d, cpm_error *e)
{
    int begin = d->rounds ? d->end[d->rounds - 1] : 0;
    if (begin == d->count)
        return CPM_OK;
    if (!cpm_vector_extend(&d->end, d->rounds, sizeof *d->end))
        return cpm_no_memory(e);
    d->end[d->rounds++] = d->count;
    return CPM_OK;
}

void cpm_design_clear(cpm_design *d)
{
    free(d->at);
    free(d->end);
    *d = (cpm_design){0};
}

static bool is_contended(const cpm_experiment *x)
{
    return x->kind && x->kind->contended;
}

int cpm_design_serial(cpm_design *d, cpm_error *e)
{
    int *end = NULL, rounds = 0;
    for (int x = 0, r = 0; x < d->count; x++) {
        bool last = x + 1 == d->count || (r < d->rounds && d->end[r] == x + 1);
        r += r < d->rounds && d->end[r] == x + 1;
        if (!last && is_contended(&d->at[x]) && is_contended(&d->at[x + 1]))
            continue;
        if (!cpm_vector_extend(&end, rounds, sizeof *end)) {
            free(end);
            return cpm_no_memory(e);
        }
        end[rounds++] = x + 1;
    }
    free(d->end);
    d->end = end;
    d->rounds = rounds;
    return CPM_OK;
}

/* Circle method: player m - 1 stays, the others turn; in round r, players a and b meet if
 * a + b = 2r (mod m - 1). With n odd one more player, who does not exist, makes m even. */
static void meeting(int m, int round, int table, int *a, int *b)
{
    if (table == 0) {
        *a = round;
        *b = m - 1;
        return;
    }
    *a = (round + table) % (m - 1);
    *b = (round - table + m - 1) % (m - 1);
}

int cpm_design_tournament(cpm_design *d, int n, size_t bytes, cpm_error *e)
{
    int m = n + n % 2, status = CPM_OK;
    for (int round = 0; round < m - 1 && !status; round++) {
        for (int table = 0; table < m / 2 && !status; table++) {
            int a, b;
            meeting(m, round, table, &a, &b);
            if (a >= n || b >= n)
                continue;
            int i = a < b ? a : b, j = a < b ? b : a;
            cpm_experiment x = cpm_experiment_pair(CPM_ROUNDTRIP, i, j, bytes, bytes);
            status = cpm_design_add(d, &x, e);
        }
        if (!status)
            status = cpm_design_close_round(d, e);
    }
    return status;
}
