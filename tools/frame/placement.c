/* --map FILE, --blocks LIST|FILE, --graph GRAPH, --topology FILE and --layout HOSTSxEACH|FILE. */
#include "tools/frame/placement.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sizes.h"
#include "base/text_file.h"
#include "collectives/network_shapes.h"
#include "models/model_topology.h"
#include "tools/frame/options.h"

/* ---- blocks */

static int wrong_count(const settings *s, int n, cpm_error *e)
{
    return cpm_fail(e, CPM_EPROCESS, "--blocks: %s does not have %d sizes, one for each process",
                    s->where.blocks, n);
}

/* Sizes between blanks and commas; changes text. */
static int parse_blocks(const settings *s, char *text, int n, size_t *out, cpm_error *e)
{
    static const char separators[] = ", \t\r\n";
    int count = 0, status = CPM_OK;
    cpm_error why = {0};
    for (char *word; !status && (word = strsep(&text, separators));) {
        if (!*word)
            continue;
        if (count == n)
            return wrong_count(s, n, e);
        status = cpm_size_parse(word, &out[count++], &why);
    }
    if (status)
        return cpm_fail(e, status, "--blocks: %s", why.text);
    return count == n ? CPM_OK : wrong_count(s, n, e);
}

/* A list begins with a digit; anything else is the name of a file with one. The caller frees it. */
static int read_list(const char *text, char **out, cpm_error *e)
{
    size_t size = 0;
    *out = NULL;
    if (isdigit((unsigned char)*text)) {
        *out = strdup(text);
        return *out ? CPM_OK : cpm_no_memory(e);
    }
    int status = cpm_text_read(text, out, &size, e);
    if (!status && strlen(*out) < size)
        status = cpm_fail(e, CPM_EPARSE, "--blocks: %s: not text: there is a zero byte", text);
    return status;
}

static int weigh(const size_t *blocks, placement *p, cpm_error *e)
{
    double sum = 0;
    p->weights = malloc((size_t)p->n * sizeof *p->weights);
    if (!p->weights)
        return cpm_no_memory(e);
    for (int i = 0; i < p->n; i++)
        sum += (double)blocks[i];
    if (!(sum > 0))
        return cpm_fail(e, CPM_EINVAL, "all blocks are empty; at least one needs bytes");
    for (int i = 0; i < p->n; i++)
        p->weights[i] = (double)blocks[i] * p->n / sum;
    p->known.weights = p->weights;
    p->mean = (size_t)(sum / p->n + 0.5);
    return CPM_OK;
}

static int read_blocks(const settings *s, placement *p, cpm_error *e)
{
    char *text = NULL;
    int status = read_list(s->where.blocks, &text, e);
    size_t *blocks = malloc((size_t)p->n * sizeof *blocks);
    if (!status && !blocks)
        status = cpm_no_memory(e);
    if (!status)
        status = parse_blocks(s, text, p->n, blocks, e);
    if (!status)
        status = weigh(blocks, p, e);
    free(text);
    free(blocks);
    return status;
}

/* ---- the map */

static int take_map(settings *s, placement *p, cpm_error *e)
{
    int status = cpm_map_read(s->where.map, &p->map, e);
    if (status)
        return status;
    const cpm_mapping *m = &p->map->mapping;
    if (p->n < 0)
        p->n = m->n;
    if (m->n != p->n)
        return cpm_fail(e, CPM_EPROCESS, "%s: is a map of %d processes, not of %d", s->where.map,
                        m->n, p->n);
    if (s->calls.root && s->calls.root != m->process[0])
        return cpm_fail(e, CPM_EINVAL, "--root: %d, but the root in %s is %d", s->calls.root,
                        s->where.map, m->process[0]);
    s->calls.root = m->process[0];
    p->mean = p->map->bytes;
    p->known.root = s->calls.root;
    p->known.mapping = m->process;
    p->known.parent = m->parent;
    return CPM_OK;
}

int placement_read_topology(const char *file, cpm_topology **out, cpm_error *e)
{
    if (cpm_network_shape_named(file) && access(file, F_OK) != 0)
        return cpm_fail(e, CPM_EINVAL,
                        "--topology: '%s' is a shape, which only cpm model and cpm measure take; "
                        "here expected a file of switches",
                        file);
    return cpm_topology_read(file, out, e);
}

static int read_topology(const settings *s, placement *p, cpm_error *e)
{
    int status = placement_read_topology(s->where.topology, &p->topology, e);
    p->known.topology = p->topology;
    return status ? status : cpm_topology_holds(p->topology, p->n, e);
}

static int read_graph(const settings *s, placement *p, cpm_error *e)
{
    cpm_error why = {0};
    int status = cpm_neighbours_read(s->where.graph, p->n, &p->neighbours, &why);
    if (!status)
        p->n = p->neighbours->n;
    p->known.neighbours = p->neighbours;
    return status ? cpm_fail(e, status, "--graph: %s", why.text) : CPM_OK;
}

static int read_layout(const settings *s, placement *p, cpm_error *e)
{
    cpm_hosts hosts;
    cpm_error why = {0};
    int status = cpm_hosts_read(s->where.layout, s->where.placement, &hosts, &why);
    if (status)
        return cpm_fail(e, status, "--layout: %s", why.text);
    if (p->n < 0)
        p->n = hosts.n;
    placement_take_hosts(p, &hosts);
    if (p->hosts.n != p->n)
        return cpm_fail(e, CPM_EPROCESS, "--layout: %s are %d processes, not %d", s->where.layout,
                        p->hosts.n, p->n);
    return CPM_OK;
}

/* Refuses a layout in which process j is on i's host where it was measured on another one, or the
 * other way round. Processes without a host's name may be anywhere. */
static int as_apart(const settings *s, const cpm_model *m, const cpm_hosts *layout, int i, int j,
                    cpm_error *e)
{
    const char *a = m->hosts[i], *b = m->hosts[j];
    bool together = cpm_hosts_share(layout, i, j);
    if (!*a || !*b || together == (strcmp(a, b) == 0))
        return CPM_OK;
    if (together)
        return cpm_fail(e, CPM_EPROCESS,
                        "%s puts processes %d and %d on one host, but they were measured on %s "
                        "and %s. The model knows nothing of messages inside a host: measure lmo2 "
                        "with several processes on a host",
                        s->where.layout, i, j, a, b);
    return cpm_fail(e, CPM_EPROCESS,
                    "%s puts processes %d and %d on two hosts, but they were measured on one, "
                    "%s. The model does not tell messages inside a host from others: measure lmo2",
                    s->where.layout, i, j, a);
}

/* A model without levels is one of its processes where they were. */
static int as_measured(const settings *s, const cpm_model *m, const cpm_hosts *layout, cpm_error *e)
{
    int status = CPM_OK;
    if (layout->n != m->n)
        return cpm_fail(e, CPM_EPROCESS,
                        "%s are %d processes, not %d, and the model knows nothing of messages "
                        "inside a host: measure lmo2 with several processes on a host",
                        s->where.layout, layout->n, m->n);
    for (int i = 0; i < m->n && !status; i++)
        for (int j = i + 1; j < m->n && !status; j++)
            status = as_apart(s, m, layout, i, j, e);
    return status;
}

/* Other hosts than were measured: fewer, or more. */
static bool is_one_on_each(const cpm_model *m, const cpm_hosts *layout)
{
    return layout->count == layout->n && !layout->name && layout->n != m->n;
}

int placement_lay_out(const settings *s, cpm_model **m, cpm_error *e)
{
    cpm_hosts layout = {0};
    cpm_model *placed = NULL;
    cpm_error why = {0};
    if (!s->where.layout)
        return CPM_OK;
    int status = cpm_hosts_read(s->where.layout, s->where.placement, &layout, &why);
    if (!status && ((*m)->inside.count > 0 || is_one_on_each(*m, &layout)))
        status = cpm_model_lay_out(*m, &layout, &placed, &why);
    else if (!status)
        status = as_measured(s, *m, &layout, &why);
    cpm_hosts_clear(&layout);
    if (status)
        return cpm_fail(e, status, "--layout: %s", why.text);
    if (placed) {
        cpm_model_free(*m);
        *m = placed;
    }
    return CPM_OK;
}

int placement_check_simulated(const settings *s, cpm_error *e)
{
    return s->where.layout && !s->machine.model
               ? cpm_fail(
                     e, CPM_EINVAL,
                     "--layout: is for --machine; of real processes MPI says which share a host")
               : CPM_OK;
}

void placement_of_model(placement *p, const cpm_model *m)
{
    if (!p->known.hosts && cpm_hosts_have_levels(&m->on))
        p->known.hosts = &m->on;
}

int placement_at_switches(placement *p, const cpm_model *m, cpm_error *e)
{
    if (p->topology)
        return CPM_OK;
    int status = cpm_model_topology(m, &p->topology, e);
    p->known.topology = p->topology;
    return status;
}

/* ---- the whole */

const char *placement_sets_processes(const settings *s)
{
    return s->where.map      ? "--map"
           : s->where.layout ? "--layout"
           : s->where.graph  ? "--graph"
                             : NULL;
}

void placement_take_hosts(placement *p, cpm_hosts *hosts)
{
    p->hosts = *hosts;
    p->known.hosts = &p->hosts;
}

int placement_open(settings *s, int n, placement *out, cpm_error *e)
{
    placement p = {.n = n};
    int status = s->where.map ? take_map(s, &p, e) : CPM_OK;
    if (!status && s->where.placement && !s->where.layout)
        status = cpm_fail(e, CPM_EINVAL, "--placement needs --layout");
    if (!status && s->where.layout)
        status = read_layout(s, &p, e);
    if (!status && s->where.graph)
        status = read_graph(s, &p, e);
    p.known.n = p.n;
    if (!status && s->where.blocks)
        status = read_blocks(s, &p, e);
    else if (!status && p.map && p.map->sizes)
        status = weigh(p.map->sizes, &p, e);
    if (!status && s->where.topology)
        status = read_topology(s, &p, e);
    if (!status && p.mean && !s->calls.sizes.count)
        status = cpm_sizes_add(&s->calls.sizes, p.mean, e);
    if (status) {
        placement_close(&p);
        return status;
    }
    *out = p;
    if (p.known.hosts)
        out->known.hosts = &out->hosts;
    return CPM_OK;
}

void placement_close(placement *p)
{
    cpm_map_free(p->map);
    cpm_topology_free(p->topology);
    cpm_neighbours_free(p->neighbours);
    cpm_hosts_clear(&p->hosts);
    free(p->weights);
    *p = (placement){0};
}

/* Parameters may be others than those that were mapped. */
static bool is_mapped(const cpm_map *m, const cpm_collective *c)
{
    cpm_collective of;
    return !cpm_collective_parse(m->algorithm, &of, NULL) && of.operation == c->operation &&
           of.algorithm == c->algorithm;
}

int placement_check(const placement *p, const settings *s, const choices *which, cpm_error *e)
{
    for (int k = 0; p->map && k < which->count; k++)
        if (!is_mapped(p->map, &which->at[k]))
            return cpm_fail(e, CPM_EINVAL, "--map: %s is a map of %s, not of %s:%s", s->where.map,
                            p->map->algorithm, which->at[k].operation->name,
                            cpm_collective_algorithm(&which->at[k]));
    return CPM_OK;
}

/* clang-format off */
const option placement_options[] = {
    {"map", 0, "FILE", "place the processes as cpm map did. This sets the root, and the size "
     "unless it is given", offsetof(settings, where.map), set_text},
    {"blocks", 0, "LIST|FILE", "block size of each process in v-operations, scaled to a mean of "
     "the given size", offsetof(settings, where.blocks), set_text},
    {NULL, 0, NULL, NULL, 0, NULL},
};
const option graph_options[] = {
    {"graph", 0, "GRAPH", "who sends to whom, for operations of neighbours: grid:4x4x2, torus:4x4x2, "
     "both also with :corners, or a file of lines FROM TO", offsetof(settings, where.graph), set_text},
    {NULL, 0, NULL, NULL, 0, NULL},
};
const option topology_options[] = {
    {"topology", 0, "FILE", "switches and hosts of the network, for algorithms that need them",
     offsetof(settings, where.topology), set_text},
    {NULL, 0, NULL, NULL, 0, NULL},
};
#define PLACEMENT                                                                                  \
    {"placement", 0, "PLACEMENT", "with --layout HOSTSxEACH: block (default) fills one host after the other, cyclic " \
     "deals the processes to the hosts in turn", offsetof(settings, where.placement), set_text}
const option layout_options[] = {
    {"layout", 0, "HOSTSxEACH|FILE", "which processes share a host: 4x8, or a file with the host "
     "name of each process", offsetof(settings, where.layout), set_text},
    PLACEMENT,
    {NULL, 0, NULL, NULL, 0, NULL},
};
const option simulated_layout_options[] = {
    {"layout", 0, "HOSTSxEACH|FILE", "with --machine: lay out processes on the model's hosts: "
     "4x8, or a file with the host name of each process", offsetof(settings, where.layout), set_text},
    PLACEMENT,
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */
