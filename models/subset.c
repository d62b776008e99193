/* Fewer processes, or the same in another order: what is known of each and of each pair stays. */
#include <stdlib.h>

#include "models/allocate.h"

/* Process i of to is process[i] of from. */
typedef struct {
    const cpm_model *from;
    cpm_model *to;
    const int *process;
} selection;

static int check_processes(const cpm_model *m, const int *process, int n, cpm_error *e)
{
    bool *taken = calloc((size_t)m->n, sizeof *taken);
    if (!taken)
        return cpm_fail(e, CPM_ENOMEM, "no memory for part of a model");
    int status = n > 0 ? CPM_OK : cpm_fail(e, CPM_EINVAL, "part of a model without processes");
    for (int i = 0; i < n && status == CPM_OK; i++) {
        if (process[i] < 0 || process[i] >= m->n)
            status = cpm_fail(e, CPM_EINVAL, "process %d is not in 0..%d", process[i], m->n - 1);
        else if (taken[process[i]])
            status = cpm_fail(e, CPM_EINVAL, "process %d is named twice", process[i]);
        else
            taken[process[i]] = true;
    }
    free(taken);
    return status;
}

/* What was measured of algorithms was measured of all processes, with ranks in order. */
static int check_whole(const cpm_model *m, const int *process, int n, cpm_error *e)
{
    bool same = n == m->n;
    for (int i = 0; i < n && same; i++)
        same = process[i] == i;
    return same || !m->type->predict
               ? CPM_OK
               : cpm_fail(e, CPM_EDATA, "model %s knows its %d processes only as a whole, in order",
                          m->type->name, m->n);
}

static void copy_value(const selection *s, int p, size_t from, size_t to)
{
    s->to->value[p][to] = s->from->value[p][from];
    s->to->ci[p][to] = s->from->ci[p][from];
}

static void copy_pairs(const selection *s, int p, int slice, int i)
{
    for (int j = 0; j < s->to->n; j++)
        if (i != j)
            copy_value(s, p, cpm_pair_place(s->from, slice, s->process[i], s->process[j]),
                       cpm_pair_place(s->to, slice, i, j));
}

static void copy_slice(const selection *s, int p, int slice)
{
    cpm_shape shape = s->from->type->parameters[p].shape;
    if (shape == CPM_SCALAR)
        copy_value(s, p, (size_t)slice, (size_t)slice);
    for (int i = 0; i < s->to->n && shape == CPM_PROCESS; i++)
        copy_value(s, p, cpm_place(s->from, slice, s->process[i]), cpm_place(s->to, slice, i));
    for (int i = 0; i < s->to->n && shape == CPM_PAIR; i++)
        copy_pairs(s, p, slice, i);
}

static int fill(const selection *s, cpm_error *e)
{
    for (int p = 0; p < s->from->type->count; p++)
        for (int slice = 0; slice < cpm_parameter_slices(s->from, p); slice++)
            copy_slice(s, p, slice);
    s->to->whole = s->from->whole;
    int status = CPM_OK;
    for (int i = 0; i < s->to->n && status == CPM_OK; i++)
        status = cpm_model_set_host(s->to, i, s->from->hosts[s->process[i]], e);
    return status ? status : cpm_model_copy_provenance(s->from, s->to, e);
}

int cpm_model_subset(const cpm_model *m, const int *process, int n, cpm_model **out, cpm_error *e)
{
    cpm_classes alone = {0};
    selection s = {.from = m, .process = process};
    int status = check_processes(m, process, n, e);
    if (status == CPM_OK)
        status = check_whole(m, process, n, e);
    if (status == CPM_OK)
        status = cpm_classes_create(n, NULL, 0, NULL, &alone, e);
    if (status == CPM_OK)
        status = cpm_model_allocate(m->type, &alone, &m->sizes, &s.to, e);
    if (status == CPM_OK)
        status = fill(&s, e);
    cpm_classes_clear(&alone);
    return cpm_model_hand_over(status, s.to, out);
}

int cpm_model_expand(const cpm_model *m, cpm_model **out, cpm_error *e)
{
    int *all = malloc((size_t)m->n * sizeof *all);
    if (!all)
        return cpm_fail(e, CPM_ENOMEM, "no memory for a model");
    for (int i = 0; i < m->n; i++)
        all[i] = i;
    int status = cpm_model_subset(m, all, m->n, out, e);
    free(all);
    return status;
}
