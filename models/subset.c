/* Other processes on the same hosts: fewer, in another order, or more of them. What is known of
 * each and of each pair stays. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "models/allocate.h"
#include "models/extrapolation.h"

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

static int make(const cpm_model *m, const int *process, int n, bool alone, cpm_model **out,
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
    return status ? status : make(m, process, n, alone, out, e);
}

/* Where several processes share a host, each alone would be many that are the same. */
static bool has_host_classes(const cpm_model *m)
{
    return m->inside.count > 0 && cpm_model_has_classes(m);
}

int cpm_model_subset(const cpm_model *m, const int *process, int n, cpm_model **out, cpm_error *e)
{
    return select_processes(m, process, n, !has_host_classes(m), out, e);
}

/* ---- layouts */

/* The processes of the model host by host, as cpm_hosts_sort gives them, and of the layout how many
 * are on each host and how many of these were met so far. */
typedef struct {
    const cpm_model *m;
    int *rank_of, *first;
    int *count, *met;
} seats;

static int count_processes(seats *s, const int *host, int n, cpm_error *e)
{
    for (int i = 0; i < n; i++) {
        if (host[i] < 0 || host[i] >= s->m->on.count)
            return cpm_fail(e, CPM_EINVAL,
                            "process %d of the layout is on host %d, but the model has %d hosts", i,
                            host[i], s->m->on.count);
        s->count[host[i]]++;
    }
    return CPM_OK;
}

/* Whether the processes of a host come back to the socket of the first one. */
static bool is_cyclic(const seats *s, int host)
{
    const int *socket = s->m->on.socket;
    bool left = false;
    for (int q = s->first[host]; q < s->first[host + 1]; q++) {
        bool home = socket[s->rank_of[q]] == socket[s->rank_of[s->first[host]]];
        if (home && left)
            return true;
        left |= !home;
    }
    return false;
}

/* The model's process like the k-th of the layout on a host. */
static int like_measured(const seats *s, int host, int k)
{
    const int *rank = s->rank_of + s->first[host];
    int64_t processes = s->first[host + 1] - s->first[host];
    if (!s->m->on.socket)
        return rank[0];
    return rank[is_cyclic(s, host) ? k % processes : k * processes / s->count[host]];
}

/* A process of the model on that socket of a host; -1: it has none there. */
static int on_socket(const seats *s, int host, int socket)
{
    for (int q = s->first[host]; socket >= 0 && s->m->on.socket && q < s->first[host + 1]; q++)
        if (s->m->on.socket[s->rank_of[q]] == socket)
            return s->rank_of[q];
    return -1;
}

static int take_seats(seats *s, const int *host, const int *socket, int n, int *process,
                      cpm_error *e)
{
    int status = count_processes(s, host, n, e);
    for (int i = 0; i < n && !status; i++) {
        int known = socket ? on_socket(s, host[i], socket[i]) : -1, k = s->met[host[i]]++;
        process[i] = known >= 0 ? known : like_measured(s, host[i], k);
    }
    return status;
}

/* A process of the model for each of the layout: on its host, and on its socket. */
static int find_processes(const cpm_model *m, const int *host, const int *socket, int n,
                          int *process, cpm_error *e)
{
    size_t hosts = (size_t)m->on.count;
    int *space = calloc(3 * hosts + 1 + (size_t)m->n, sizeof *space);
    if (!space)
        return cpm_no_memory(e);
    seats s = {m, space + 3 * hosts + 1, space, space + hosts + 1, space + 2 * hosts + 1};
    cpm_hosts_sort(&m->on, s.rank_of, s.first);
    int status = take_seats(&s, host, socket, n, process, e);
    free(space);
    return status;
}

static int knows_no_inside(cpm_error *e)
{
    return cpm_fail(
        e, CPM_EDATA,
        "the model knows nothing of messages inside a host, so not what other processes "
        "on its hosts would take: measure with several on a host");
}

int cpm_model_place(const cpm_model *m, const int *host, const int *socket, int n, cpm_model **out,
                    cpm_error *e)
{
    if (m->inside.count == 0)
        return knows_no_inside(e);
    cpm_model *placed = NULL;
    int *process = malloc((size_t)n * sizeof *process);
    int status = process ? find_processes(m, host, socket, n, process, e) : cpm_no_memory(e);
    if (!status)
        status = make(m, process, n, !has_host_classes(m), &placed, e);
    if (!status)
        status = cpm_model_note_layout(m, placed, e);
    free(process);
    return cpm_model_hand_over(status, placed, out);
}

int cpm_model_of_hosts(const cpm_model *m, cpm_model **out, cpm_error *e)
{
    int *host = malloc(((size_t)m->on.count + 1) * sizeof *host);
    if (!host)
        return cpm_no_memory(e);
    for (int h = 0; h < m->on.count; h++)
        host[h] = h;
    int status = cpm_model_place(m, host, NULL, m->on.count, out, e);
    free(host);
    return status;
}

/* The model's host of that name; -1: it has none. */
static int find_host(const cpm_model *m, const char *name)
{
    for (int i = 0; i < m->n; i++)
        if (strcmp(m->hosts[i], name) == 0)
            return m->on.of[i];
    return -1;
}

/* The model's host for each process of the layout. */
static int find_hosts(const cpm_model *m, const cpm_hosts *layout, int *host, cpm_error *e)
{
    for (int i = 0; i < layout->n; i++) {
        const char *name = layout->name ? layout->name[layout->of[i]] : NULL;
        host[i] = name ? find_host(m, name) : layout->of[i];
        if (name && host[i] < 0)
            return cpm_fail(e, CPM_EINVAL,
                            "process %d is on host %s, which the model does not know", i, name);
    }
    return CPM_OK;
}

int cpm_model_lay_out(const cpm_model *m, const cpm_hosts *layout, cpm_model **out, cpm_error *e)
{
    if (m->inside.count == 0)
        return knows_no_inside(e);
    if (layout->count > m->on.count)
        return cpm_fail(e, CPM_EINVAL, "a layout of %d hosts, but the model has %d", layout->count,
                        m->on.count);
    int *host = malloc((size_t)layout->n * sizeof *host);
    int status = host ? find_hosts(m, layout, host, e) : cpm_no_memory(e);
    if (!status)
        status = cpm_model_place(m, host, layout->socket, layout->n, out, e);
    free(host);
    return status;
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
