/* More hosts than were measured: those that were are averaged, and the others are like that. What
 * is between them is what was between the measured ones. */
#include <stdio.h>
#include <stdlib.h>

#include "models/alike.h"
#include "models/allocate.h"
#include "models/extrapolation.h"
#include "models/layout.h"

/* Hosts are in groups, of which the values of the model are: the switches, or all together. Where
 * the measured hosts are on several switches, the next as many are on as many others. */
typedef struct {
    const cpm_model *m; /* as measured */
    const cpm_hosts *layout;
    int measured;    /* hosts */
    int kinds;       /* groups of the measured hosts */
    int *kind;       /* [measured] the kind of each */
    cpm_model *mean; /* whose classes are the kinds */
    cpm_model *to;
    int count;  /* groups of the layout */
    int *of;    /* [layout->n] group of each process */
    int *like;  /* [count] the kind of each */
    int *round; /* [count] in which time that the measured hosts are gone through */
} growth;

/* ---- the mean of what was measured */

static int host_of(const cpm_model *m, int i)
{
    return m->inside.count ? m->on.of[i] : i;
}

static int average(growth *g, cpm_error *e)
{
    static const char *const all[] = {"all"};
    const cpm_model *m = g->m;
    cpm_classes one = {0};
    if (g->kinds > 1)
        return cpm_model_regroup(m, &m->switches, &g->mean, e);
    int *of = calloc((size_t)m->n, sizeof *of);
    int status = of ? cpm_classes_create(m->n, of, 1, all, &one, e) : cpm_no_memory(e);
    free(of);
    if (!status)
        status = cpm_model_regroup(m, &one, &g->mean, e);
    cpm_classes_clear(&one);
    return status;
}

/* ---- groups of the layout */

/* Numbers groups as they come. number: of each kind in each round, -1: none yet. */
static void number_groups(growth *g, int *number)
{
    for (int i = 0; i < g->layout->n; i++) {
        int host = g->layout->of[i], kind = g->kind[host % g->measured];
        int round = g->kinds > 1 ? host / g->measured : 0;
        int *here = &number[round * g->kinds + kind];
        if (*here < 0) {
            g->like[g->count] = kind;
            g->round[g->count] = round;
            *here = g->count++;
        }
        g->of[i] = *here;
    }
}

static int find_groups(growth *g, cpm_error *e)
{
    size_t most = (size_t)(g->layout->count / g->measured + 1) * (size_t)g->kinds;
    int *number = malloc(most * sizeof *number);
    g->of = malloc((size_t)g->layout->n * sizeof *g->of);
    g->like = malloc(2 * most * sizeof *g->like);
    if (!number || !g->of || !g->like) {
        free(number);
        return cpm_no_memory(e);
    }
    g->round = g->like + most;
    for (size_t k = 0; k < most; k++)
        number[k] = -1;
    number_groups(g, number);
    free(number);
    return CPM_OK;
}

enum { NAME = 300 };

/* The groups with the names of what was measured, with a number after the first round. */
static int make_classes(const growth *g, const cpm_classes *kinds, cpm_classes *out, cpm_error *e)
{
    char(*text)[NAME] = calloc((size_t)g->count, sizeof *text);
    const char **name = calloc((size_t)g->count, sizeof *name);
    int status = text && name ? CPM_OK : cpm_no_memory(e);
    for (int k = 0; k < g->count && !status; k++) {
        const char *kind = kinds->name[g->like[k]];
        if (g->round[k])
            snprintf(text[k], sizeof text[k], "%.250s+%d", kind, g->round[k]);
        name[k] = g->round[k] ? text[k] : kind;
    }
    if (!status)
        status = cpm_classes_create(g->layout->n, g->of, g->count, name, out, e);
    free(text);
    free(name);
    return status;
}

/* ---- values */

static void copy_value(const growth *g, int p, size_t from, size_t to)
{
    g->to->value[p][to] = g->mean->value[p][from];
    g->to->ci[p][to] = g->mean->ci[p][from];
}

/* Two groups of one kind are as far from each other as that kind is from the next. */
static size_t pair_of_kinds(const growth *g, int a, int b)
{
    int from = g->like[a], to = g->like[b];
    if (a != b && from == to)
        to = (to + 1) % g->kinds;
    return (size_t)from * (size_t)g->kinds + (size_t)to;
}

static void copy_slice(const growth *g, int p, size_t slice)
{
    cpm_shape shape = g->m->type->parameters[p].shape;
    size_t count = (size_t)g->count, kinds = (size_t)g->kinds;
    if (shape == CPM_SCALAR)
        copy_value(g, p, slice, slice);
    for (size_t a = 0; a < count; a++) {
        if (shape == CPM_PROCESS)
            copy_value(g, p, slice * kinds + (size_t)g->like[a], slice * count + a);
        for (size_t b = 0; b < count && shape == CPM_PAIR; b++)
            copy_value(g, p, slice * kinds * kinds + pair_of_kinds(g, (int)a, (int)b),
                       (slice * count + a) * count + b);
    }
}

static void copy_trunks(const growth *g)
{
    for (int p = 0; p < g->m->type->count; p++)
        for (int k = 0; k < g->to->switches.count; k++)
            if (g->m->type->parameters[p].shape == CPM_SWITCH)
                copy_value(g, p, (size_t)g->like[k], (size_t)k);
}

/* ---- hosts, sockets and switches */

/* Measured hosts keep their names. */
static int name_hosts(const growth *g, const int *first, cpm_error *e)
{
    int status = CPM_OK;
    for (int i = 0; i < g->layout->n && !status; i++) {
        int host = g->layout->of[i];
        char other[32];
        snprintf(other, sizeof other, "unmeasured-%d", host + 1);
        status =
            cpm_model_set_host(g->to, i, host < g->measured ? g->m->hosts[first[host]] : other, e);
    }
    return status ? status : cpm_model_settle_hosts(g->to, e);
}

static int set_sockets(const growth *g, cpm_error *e)
{
    const int *known = g->m->on.socket;
    if (!known)
        return CPM_OK;
    int n = g->layout->n, *like = malloc((size_t)n * sizeof *like);
    int status = like ? cpm_layout_seats(g->m, g->layout->of, g->layout->count, g->layout->socket,
                                         n, like, e)
                      : cpm_no_memory(e);
    for (int i = 0; i < n && !status; i++)
        like[i] = known[like[i]];
    if (!status)
        status = cpm_model_set_sockets(g->to, like, e);
    free(like);
    return status;
}

static int set_switches(const growth *g, cpm_error *e)
{
    cpm_classes switches = {0};
    if (g->m->switches.count == 0)
        return CPM_OK;
    int status = make_classes(g, &g->m->switches, &switches, e);
    if (!status)
        status = cpm_model_set_switches(g->to, &switches, e);
    if (!status)
        copy_trunks(g);
    cpm_classes_clear(&switches);
    return status;
}

/* ---- the whole */

static int fill(const growth *g, const int *first, cpm_error *e)
{
    for (int p = 0; p < g->m->type->count; p++)
        for (int slice = 0; slice < cpm_parameter_slices(g->m, p); slice++)
            copy_slice(g, p, (size_t)slice);
    int status = name_hosts(g, first, e);
    if (!status)
        status = set_sockets(g, e);
    if (!status)
        status = set_switches(g, e);
    return status ? status : cpm_model_copy_provenance(g->m, g->to, e);
}

static int grow(growth *g, const int *first, cpm_error *e)
{
    double spread;
    cpm_classes classes = {0};
    int status = cpm_model_hosts_alike(g->m, &spread, e);
    if (!status)
        status = average(g, e);
    if (!status)
        status = find_groups(g, e);
    if (!status)
        status = make_classes(g, &g->mean->classes, &classes, e);
    if (!status)
        status = cpm_model_create_like(g->m, &classes, &g->to, e);
    if (!status)
        status = fill(g, first, e);
    if (!status)
        status = cpm_model_note_layout(g->m, g->to, e);
    if (!status)
        status = cpm_metadata_set(&g->to->metadata, e, CPM_METADATA_SPREAD, "%.3g", spread);
    cpm_classes_clear(&classes);
    return status;
}

static int check_network(const growth *g, cpm_error *e)
{
    if (g->m->type->predict)
        return cpm_fail(e, CPM_EDATA, "model %s knows its %d processes only as a whole, in order",
                        g->m->type->name, g->m->n);
    if (g->m->links.count > 0)
        return cpm_fail(e, CPM_EDATA,
                        "a layout of %d hosts, but the model knows which links its %d hosts share, "
                        "and not which ones others would",
                        g->layout->count, g->measured);
    return g->measured > 1 ? CPM_OK
                           : cpm_fail(e, CPM_EDATA,
                                      "a layout of %d hosts, but the model has one and knows no "
                                      "network: measure several hosts",
                                      g->layout->count);
}

int cpm_model_more_hosts(const cpm_model *m, const cpm_hosts *layout, cpm_model **out, cpm_error *e)
{
    growth g = {.m = m, .layout = layout};
    g.measured = m->inside.count ? m->on.count : m->n;
    g.kinds = m->switches.count > 1 ? m->switches.count : 1;
    int status = check_network(&g, e);
    if (status)
        return status;
    int *first = malloc((size_t)g.measured * sizeof *first);
    g.kind = calloc((size_t)g.measured, sizeof *g.kind);
    if (!first || !g.kind)
        status = cpm_no_memory(e);
    for (int i = m->n - 1; i >= 0 && !status; i--) {
        first[host_of(m, i)] = i;
        g.kind[host_of(m, i)] = g.kinds > 1 ? m->switches.of[i] : 0;
    }
    if (!status)
        status = grow(&g, first, e);
    cpm_model_free(g.mean);
    free(first);
    free(g.kind);
    free(g.of);
    free(g.like);
    return cpm_model_hand_over(status, g.to, out);
}
