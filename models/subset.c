/* Some processes of a model, in another order, or one several times. What is known of each and of
 * each pair stays. */
#include "models/subset.h"

#include <stdlib.h>
#include <string.h>

#include "models/allocate.h"

/* Process i of to is process[i] of from, and class k is that of process like[k]. */
typedef struct {
    const cpm_model *from;
    cpm_model *to;
    const int *process;
    int *like;
} selection;

static int check_processes(const cpm_model *m, const int *process, int n, cpm_error *e)
{
    bool *taken = calloc((size_t)m->n, sizeof *taken);
    if (!taken)
        return cpm_no_memory(e);
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

static void copy_pairs(const selection *s, int p, int slice, int k)
{
    size_t g = (size_t)s->to->classes.count;
    bool alone = !cpm_model_has_classes(s->to); /* then nobody sends to his own class */
    for (size_t l = 0; l < g; l++)
        if (!alone || (size_t)k != l)
            copy_value(s, p, cpm_pair_place(s->from, slice, s->like[k], s->like[l]),
                       ((size_t)slice * g + (size_t)k) * g + l);
}

static void copy_slice(const selection *s, int p, int slice)
{
    cpm_shape shape = s->from->type->parameters[p].shape;
    int g = s->to->classes.count;
    if (shape == CPM_SCALAR)
        copy_value(s, p, (size_t)slice, (size_t)slice);
    for (int k = 0; k < g && shape == CPM_PROCESS; k++)
        copy_value(s, p, cpm_place(s->from, slice, s->like[k]),
                   (size_t)slice * (size_t)g + (size_t)k);
    for (int k = 0; k < g && shape == CPM_PAIR; k++)
        copy_pairs(s, p, slice, k);
}

/* The switches that its processes are on, in the order of the first ones: number[k] here is that of
 * switch k there; -1: none. */
static int select_switches(const selection *s, int *number, cpm_error *e)
{
    const cpm_classes *old = &s->from->switches;
    int *of = malloc((size_t)s->to->n * sizeof *of), count = 0;
    const char **name = malloc((size_t)old->count * sizeof *name);
    cpm_classes new = {0};
    int status = of && name ? CPM_OK : cpm_no_memory(e);
    for (int i = 0; i < s->to->n && !status; i++) {
        int k = old->of[s->process[i]];
        if (number[k] < 0) {
            name[count] = old->name[k];
            number[k] = count++;
        }
        of[i] = number[k];
    }
    if (!status)
        status = cpm_classes_create(s->to->n, of, count, name, &new, e);
    if (!status)
        status = cpm_model_set_switches(s->to, &new, e);
    cpm_classes_clear(&new);
    free(of);
    free(name);
    return status;
}

static void copy_trunks(const selection *s, const int *number)
{
    for (int p = 0; p < s->from->type->count; p++)
        for (int k = 0; k < s->from->switches.count; k++)
            if (s->from->type->parameters[p].shape == CPM_SWITCH && number[k] >= 0)
                copy_value(s, p, (size_t)k, (size_t)number[k]);
}

static int copy_switches(const selection *s, cpm_error *e)
{
    int count = s->from->switches.count, status;
    if (count == 0)
        return CPM_OK;
    int *number = malloc((size_t)count * sizeof *number);
    for (int k = 0; number && k < count; k++)
        number[k] = -1;
    status = number ? select_switches(s, number, e) : cpm_no_memory(e);
    if (!status)
        copy_trunks(s, number);
    free(number);
    return status;
}

/* Host h of to is like host like[h] of from. */
static int select_links(const selection *s, int *like, int *number, cpm_error *e)
{
    const cpm_links *old = &s->from->links;
    cpm_links new = {0};
    for (int i = 0; i < s->to->n; i++)
        like[cpm_model_host_of(s->to, i)] = cpm_model_host_of(s->from, s->process[i]);
    int status = cpm_links_of(old, like, cpm_model_hosts(s->to), number, &new, e);
    if (!status)
        status = cpm_model_set_links(s->to, &new, e);
    cpm_links_clear(&new);
    for (int p = 0; p < s->from->type->count && !status; p++)
        for (int k = 0; k < old->count; k++)
            if (s->from->type->parameters[p].shape == CPM_INNER_LINK && number[k] >= 0)
                copy_value(s, p, (size_t)k, (size_t)number[k]);
    return status;
}

static int copy_links(const selection *s, cpm_error *e)
{
    if (s->from->links.count == 0)
        return CPM_OK;
    int *like = malloc((size_t)cpm_model_hosts(s->to) * sizeof *like);
    int *number = malloc((size_t)s->from->links.count * sizeof *number);
    int status = like && number ? select_links(s, like, number, e) : cpm_no_memory(e);
    free(like);
    free(number);
    return status;
}

static int copy_hosts(const selection *s, cpm_error *e)
{
    const int *old = s->from->on.socket;
    int status = CPM_OK;
    for (int i = 0; i < s->to->n && status == CPM_OK; i++)
        status = cpm_model_set_host(s->to, i, s->from->hosts[s->process[i]], e);
    if (status == CPM_OK)
        status = cpm_model_settle_hosts(s->to, e);
    if (status || !old)
        return status;
    int *socket = malloc((size_t)s->to->n * sizeof *socket);
    if (!socket)
        return cpm_no_memory(e);
    for (int i = 0; i < s->to->n; i++)
        socket[i] = old[s->process[i]];
    status = cpm_model_set_sockets(s->to, socket, e);
    free(socket);
    return status;
}

static int fill(const selection *s, cpm_error *e)
{
    for (int p = 0; p < s->from->type->count; p++)
        for (int slice = 0; slice < cpm_parameter_slices(s->from, p); slice++)
            copy_slice(s, p, slice);
    s->to->whole = s->from->whole;
    int status = copy_hosts(s, e);
    if (status == CPM_OK)
        status = copy_switches(s, e);
    if (status == CPM_OK)
        status = copy_links(s, e);
    return status ? status : cpm_model_copy_provenance(s->from, s->to, e);
}

/* ---- classes */

/* The classes of from that the processes are in, in the order of their first ones. */
static int keep_classes(selection *s, int n, cpm_classes *out, cpm_error *e)
{
    const cpm_classes *old = &s->from->classes;
    int *number = malloc((size_t)old->count * sizeof *number); /* here of a class there; -1: none */
    int *of = malloc((size_t)n * sizeof *of), count = 0;
    const char **name = malloc((size_t)old->count * sizeof *name);
    int status = number && of && name ? CPM_OK : cpm_no_memory(e);
    for (int k = 0; k < old->count && !status; k++)
        number[k] = -1;
    for (int i = 0; i < n && !status; i++) {
        int k = old->of[s->process[i]];
        if (number[k] < 0) {
            s->like[count] = s->process[i];
            name[count] = old->name[k];
            number[k] = count++;
        }
        of[i] = number[k];
    }
    if (!status)
        status = cpm_classes_create(n, of, count, name, out, e);
    free(number);
    free(of);
    free(name);
    return status;
}

static int make_classes(selection *s, int n, bool alone, cpm_classes *out, cpm_error *e)
{
    s->like = malloc((size_t)n * sizeof *s->like);
    if (!s->like)
        return cpm_no_memory(e);
    if (!alone)
        return keep_classes(s, n, out, e);
    memcpy(s->like, s->process, (size_t)n * sizeof *s->like);
    return cpm_classes_create(n, NULL, 0, NULL, out, e);
}

/* ---- the model */

int cpm_model_select(const cpm_model *m, const int *process, int n, bool alone, cpm_model **out,
                     cpm_error *e)
{
    cpm_classes classes = {0};
    selection s = {.from = m, .process = process};
    int status = make_classes(&s, n, alone, &classes, e);
    if (status == CPM_OK)
        status = cpm_model_create_like(m, &classes, &s.to, e);
    if (status == CPM_OK)
        status = fill(&s, e);
    cpm_classes_clear(&classes);
    free(s.like);
    return cpm_model_hand_over(status, s.to, out);
}

static int select_processes(const cpm_model *m, const int *process, int n, bool alone,
                            cpm_model **out, cpm_error *e)
{
    int status = check_processes(m, process, n, e);
    if (status == CPM_OK)
        status = check_whole(m, process, n, e);
    return status ? status : cpm_model_select(m, process, n, alone, out, e);
}

bool cpm_model_has_host_classes(const cpm_model *m)
{
    return m->inside.count > 0 && cpm_model_has_classes(m);
}

int cpm_model_subset(const cpm_model *m, const int *process, int n, cpm_model **out, cpm_error *e)
{
    return select_processes(m, process, n, !cpm_model_has_host_classes(m), out, e);
}

int cpm_model_expand(const cpm_model *m, cpm_model **out, cpm_error *e)
{
    int *all = malloc((size_t)m->n * sizeof *all);
    if (!all)
        return cpm_no_memory(e);
    for (int i = 0; i < m->n; i++)
        all[i] = i;
    int status = select_processes(m, all, m->n, true, out, e);
    free(all);
    return status;
}
