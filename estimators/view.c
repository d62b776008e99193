#include "estimators/view.h"

#include <stdlib.h>

void cpm_view_clear(cpm_view *v)
{
    free(v->process);
    *v = (cpm_view){0};
}

/* Renames the processes of an experiment: number[p] is that of p, -1: it has none. False: one of
 * them has none. */
static bool rename_processes(const cpm_experiment *x, const int *number, cpm_experiment *out)
{
    *out = *x;
    int *rank[] = {&out->i, &out->j, &out->k};
    for (int r = 0; r < 3; r++) {
        if (*rank[r] < 0)
            continue;
        *rank[r] = number[*rank[r]];
        if (*rank[r] < 0)
            return false;
    }
    return x->kind != NULL;
}

static int copy_seen(const cpm_measurements *all, const int *number, cpm_measurements *out,
                     cpm_error *e)
{
    int status = CPM_OK;
    for (int q = 0; q < all->count && !status; q++) {
        cpm_measurement m = all->at[q];
        m.samples = NULL;
        if (rename_processes(&all->at[q].what, number, &m.what))
            status = cpm_measurements_add(out, &m, e);
    }
    return status;
}

int cpm_view_measurements(const cpm_view *v, const cpm_measurements *all, cpm_measurements *out,
                          cpm_error *e)
{
    int *number = malloc((size_t)all->n * sizeof *number);
    if (!number)
        return cpm_no_memory(e);
    for (int p = 0; p < all->n; p++)
        number[p] = -1;
    for (int i = 0; i < v->n; i++)
        number[v->process[i]] = i;
    *out = (cpm_measurements){.n = v->n, .statistic = all->statistic, .duration = all->duration};
    int status = copy_seen(all, number, out, e);
    free(number);
    if (status)
        cpm_measurements_clear(out);
    return status;
}

int cpm_view_design(const cpm_view *v, const cpm_design *theirs, cpm_design *next, cpm_error *e)
{
    int status = CPM_OK;
    for (int r = 0, q = 0; r < theirs->rounds && !status; r++) {
        for (; q < theirs->end[r] && !status; q++) {
            cpm_experiment x;
            rename_processes(&theirs->at[q], v->process, &x);
            status = cpm_design_add(next, &x, e);
        }
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    return status;
}
