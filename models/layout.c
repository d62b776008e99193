/* Processes on a model's hosts, in other numbers than were measured. */
#include "models/layout.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "models/extrapolation.h"
#include "models/subset.h"

/* ---- who is like whom */

/* The processes of the model host by host, as cpm_hosts_sort gives them, and of the layout how many
 * are on each host and how many of these were met so far. */
typedef struct {
    const cpm_model *m;
    int *rank_of, *first;
    int *count, *met;
} seats;

/* The model's host that one of the layout is, or is like. */
static int measured(const seats *s, int host)
{
    return host % s->m->on.count;
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
    int at = measured(s, host);
    const int *rank = s->rank_of + s->first[at];
    int64_t processes = s->first[at + 1] - s->first[at];
    if (!s->m->on.socket)
        return rank[0];
    return rank[is_cyclic(s, at) ? k % processes : k * processes / s->count[host]];
}

/* A process of the model on that socket of a host; -1: it has none there. */
static int on_socket(const seats *s, int host, int socket)
{
    for (int q = s->first[host]; socket >= 0 && s->m->on.socket && q < s->first[host + 1]; q++)
        if (s->m->on.socket[s->rank_of[q]] == socket)
            return s->rank_of[q];
    return -1;
}

static void take_seats(seats *s, const int *host, const int *socket, int n, int *process)
{
    for (int i = 0; i < n; i++)
        s->count[host[i]]++;
    for (int i = 0; i < n; i++) {
        int known = socket ? on_socket(s, measured(s, host[i]), socket[i]) : -1;
        int k = s->met[host[i]]++;
        process[i] = known >= 0 ? known : like_measured(s, host[i], k);
    }
}

int cpm_layout_seats(const cpm_model *m, const int *host, int hosts, const int *socket, int n,
                     int *process, cpm_error *e)
{
    size_t known = (size_t)m->on.count + 1, all = (size_t)hosts;
    int *space = calloc(known + 2 * all + (size_t)m->n, sizeof *space);
    if (!space)
        return cpm_no_memory(e);
    seats s = {m, space + known + 2 * all, space, space + known, space + known + all};
    cpm_hosts_sort(&m->on, s.rank_of, s.first);
    take_seats(&s, host, socket, n, process);
    free(space);
    return CPM_OK;
}

/* ---- layouts of a model's hosts */

static int check_hosts(const cpm_model *m, const int *host, int n, cpm_error *e)
{
    for (int i = 0; i < n; i++)
        if (host[i] < 0 || host[i] >= m->on.count)
            return cpm_fail(e, CPM_EINVAL,
                            "process %d of the layout is on host %d, but the model has %d hosts", i,
                            host[i], m->on.count);
    return CPM_OK;
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
    int status = process ? check_hosts(m, host, n, e) : cpm_no_memory(e);
    if (!status)
        status = cpm_layout_seats(m, host, m->on.count, socket, n, process, e);
    if (!status)
        status = cpm_model_select(m, process, n, !cpm_model_has_host_classes(m), &placed, e);
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
                            "process %d is on host %s, which the model does not know: name only "
                            "its hosts, or none (HOSTSxEACH)",
                            i, name);
    }
    return CPM_OK;
}

static int on_known_hosts(const cpm_model *m, const cpm_hosts *layout, cpm_model **out,
                          cpm_error *e)
{
    int *host = malloc((size_t)layout->n * sizeof *host);
    int status = host ? find_hosts(m, layout, host, e) : cpm_no_memory(e);
    if (!status)
        status = cpm_model_place(m, host, layout->socket, layout->n, out, e);
    free(host);
    return status;
}

/* ---- of a model of one process on each host */

static int check_alone(const cpm_model *m, cpm_error *e)
{
    cpm_hosts hosts;
    int status = cpm_hosts_named((const char *const *)m->hosts, m->n, &hosts, e);
    if (status)
        return status;
    if (hosts.count < m->n)
        status = cpm_fail(e, CPM_EDATA,
                          "processes of the model shared hosts when they were measured, and it "
                          "does not tell messages inside a host from others: measure lmo2");
    cpm_hosts_clear(&hosts);
    return status;
}

/* The first ones, if there are enough. */
static int one_on_each(const cpm_model *m, const cpm_hosts *layout, cpm_model **out, cpm_error *e)
{
    int status = check_alone(m, e);
    if (status || layout->n > m->n)
        return status ? status : cpm_model_more_hosts(m, layout, out, e);
    int *first = malloc((size_t)layout->n * sizeof *first);
    if (!first)
        return cpm_no_memory(e);
    for (int i = 0; i < layout->n; i++)
        first[i] = i;
    status = cpm_model_subset(m, first, layout->n, out, e);
    free(first);
    return status;
}

int cpm_model_lay_out(const cpm_model *m, const cpm_hosts *layout, cpm_model **out, cpm_error *e)
{
    if (m->inside.count == 0)
        return layout->count == layout->n && !layout->name ? one_on_each(m, layout, out, e)
                                                           : knows_no_inside(e);
    return layout->count > m->on.count && !layout->name ? cpm_model_more_hosts(m, layout, out, e)
                                                        : on_known_hosts(m, layout, out, e);
}
