#include "collectives/fabric.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "collectives/topology_place.h"

/* ---- what there is */

static int add_node(cpm_fabric_node **list, int *count, cpm_fabric_node node, cpm_error *e)
{
    if (!cpm_vector_extend(list, *count, sizeof **list) || !(node.name = strdup(node.name)))
        return cpm_no_memory(e);
    (*list)[(*count)++] = node;
    return CPM_OK;
}

/* Headers of measurements have names between blanks, and links between bars. */
int cpm_fabric_add_switch(cpm_fabric *f, const char *name, int line, cpm_error *e)
{
    int status = add_node(&f->at, &f->switches, (cpm_fabric_node){(char *)name, line, -1, 0}, e);
    for (char *at = status ? NULL : f->at[f->switches - 1].name; at && *at; at++)
        if (isspace((unsigned char)*at) || *at == '|')
            *at = '_';
    return status;
}

/* A switch's place is where its next host comes. */
int cpm_fabric_add_host(cpm_fabric *f, const char *name, int line, int at, cpm_error *e)
{
    int place = f->at[at].place++;
    return add_node(&f->host, &f->hosts, (cpm_fabric_node){(char *)name, line, at, place}, e);
}

int cpm_fabric_add_cable(cpm_fabric *f, int a, int b, int line, cpm_error *e)
{
    if (!cpm_vector_extend(&f->cable, f->cables, sizeof *f->cable))
        return cpm_no_memory(e);
    f->cable[f->cables++] = (cpm_cable){a, b, line, 0};
    return CPM_OK;
}

/* Parts that are joined point to one of their own. */
static int part_of(int *part, int s)
{
    while (part[s] != s)
        s = part[s] = part[part[s]];
    return s;
}

int cpm_fabric_parts(const cpm_fabric *f, int *part)
{
    int parts = f->switches;
    for (int s = 0; s < f->switches; s++)
        part[s] = s;
    for (int k = 0; k < f->cables; k++) {
        int a = part_of(part, f->cable[k].a), b = part_of(part, f->cable[k].b);
        parts -= a != b;
        part[a] = b;
    }
    for (int s = 0; s < f->switches; s++)
        part[s] = part_of(part, s);
    return parts;
}

int cpm_fabric_far_end(const cpm_fabric *f, int cable, int s)
{
    return f->cable[cable].a == s ? f->cable[cable].b : f->cable[cable].a;
}

static void number_parallel_cables(cpm_fabric *f)
{
    for (int k = 0; k < f->cables; k++) {
        cpm_cable *c = &f->cable[k];
        for (int q = f->first[c->a]; f->end[q] != k; q++)
            c->nth += cpm_fabric_far_end(f, f->end[q], c->a) == c->b;
    }
}

typedef struct {
    const cpm_fabric *f;
    int at;
} at_switch;

static int by_turn(const void *a, const void *b, void *where)
{
    const at_switch *w = where;
    int k = *(const int *)a, l = *(const int *)b;
    int sooner = w->f->cable[k].nth - w->f->cable[l].nth;
    return sooner ? sooner
                  : cpm_fabric_far_end(w->f, k, w->at) - cpm_fabric_far_end(w->f, l, w->at);
}

/* Counts cables at both ends, then fills from the back: those of a switch are in their order at
 * first. */
static int list_cables(cpm_fabric *f, cpm_error *e)
{
    f->first = calloc((size_t)f->switches + 1, sizeof *f->first);
    f->end = calloc(2 * (size_t)f->cables + 1, sizeof *f->end);
    if (!f->first || !f->end)
        return cpm_no_memory(e);
    for (int k = 0; k < f->cables; k++) {
        f->first[f->cable[k].a]++;
        f->first[f->cable[k].b]++;
    }
    for (int s = 1; s <= f->switches; s++)
        f->first[s] += f->first[s - 1];
    for (int k = f->cables - 1; k >= 0; k--) {
        f->end[--f->first[f->cable[k].a]] = k;
        f->end[--f->first[f->cable[k].b]] = k;
    }
    number_parallel_cables(f);
    for (int s = 0; s < f->switches; s++)
        qsort_r(f->end + f->first[s], (size_t)(f->first[s + 1] - f->first[s]), sizeof *f->end,
                by_turn, &(at_switch){f, s});
    return CPM_OK;
}

void cpm_fabric_clear(cpm_fabric *f)
{
    for (int h = 0; h < f->hosts; h++)
        free(f->host[h].name);
    for (int s = 0; s < f->switches; s++)
        free(f->at[s].name);
    free(f->host);
    free(f->at);
    free(f->cable);
    free(f->first);
    free(f->end);
    *f = (cpm_fabric){0};
}

void cpm_fabric_distances(const cpm_fabric *f, int from, int *distance, int *queue)
{
    int asked = 0, seen = 0;
    for (int s = 0; s < f->switches; s++)
        distance[s] = -1;
    distance[from] = 0;
    queue[seen++] = from;
    while (asked < seen) {
        int s = queue[asked++];
        for (int q = f->first[s]; q < f->first[s + 1]; q++) {
            int next = cpm_fabric_far_end(f, f->end[q], s);
            if (distance[next] >= 0)
                continue;
            distance[next] = distance[s] + 1;
            queue[seen++] = next;
        }
    }
}

/* ---- a topology */

/* node[switches]: of each in the tree, below hosts; up of all but hosts. Returns how many nodes
 * there are. */
static int hang_tree(const cpm_fabric *f, int *node, int *up)
{
    int *distance = node, *queue = up; /* their space before it is needed */
    cpm_fabric_distances(f, 0, distance, queue);
    for (int s = 0; s < f->switches; s++) {
        up[f->hosts + s] = -1;
        for (int q = f->first[s]; q < f->first[s + 1]; q++) {
            int next = cpm_fabric_far_end(f, f->end[q], s);
            if (distance[next] < distance[s])
                up[f->hosts + s] = f->hosts + next;
        }
    }
    for (int s = 0; s < f->switches; s++)
        node[s] = f->hosts + s;
    return f->hosts + f->switches;
}

/* The same, of switches with hosts, at one core; -1: another switch. */
static int hang_core(const cpm_fabric *f, int *node, int *up)
{
    int nodes = f->hosts;
    for (int s = 0; s < f->switches; s++)
        node[s] = f->at[s].place ? nodes++ : -1;
    for (int v = f->hosts; v < nodes; v++)
        up[v] = nodes;
    up[nodes] = -1;
    return nodes + 1;
}

static int name_nodes(const cpm_fabric *f, const int *node, cpm_topology *t, cpm_error *e)
{
    t->name = calloc((size_t)t->nodes, sizeof *t->name);
    t->line = calloc((size_t)t->nodes, sizeof *t->line);
    if (!t->name || !t->line)
        return cpm_no_memory(e);
    for (int h = 0; h < f->hosts; h++) {
        t->name[h] = strdup(f->host[h].name);
        t->line[h] = f->host[h].line;
    }
    for (int s = 0; s < f->switches; s++)
        if (node[s] >= 0) {
            t->name[node[s]] = strdup(f->at[s].name);
            t->line[node[s]] = f->at[s].line;
        }
    if (!t->name[t->nodes - 1])
        t->name[t->nodes - 1] = strdup("(core)");
    for (int v = 0; v < t->nodes; v++)
        if (!t->name[v])
            return cpm_no_memory(e);
    return CPM_OK;
}

/* Hands the fabric over where it says more than the tree. room: space. */
static int make_topology(cpm_fabric *f, int *node, int *up, cpm_topology **out, cpm_error *e)
{
    bool tree = f->cables == f->switches - 1;
    cpm_topology *t = NULL;
    int nodes = (tree ? hang_tree : hang_core)(f, node, up);
    for (int h = 0; h < f->hosts; h++)
        up[h] = node[f->host[h].at];
    int status = cpm_topology_of_tree(f->hosts, nodes, up, &t, e);
    if (!status)
        status = name_nodes(f, node, t, e);
    if (!status && !tree) {
        t->fabric = malloc(sizeof *t->fabric);
        status = t->fabric ? CPM_OK : cpm_no_memory(e);
    }
    if (status) {
        cpm_topology_free(t);
        return status;
    }
    if (!tree) {
        *t->fabric = *f;
        *f = (cpm_fabric){0};
    }
    *out = t;
    return CPM_OK;
}

int cpm_topology_of_fabric(cpm_fabric *f, cpm_topology **out, cpm_error *e)
{
    size_t most = (size_t)f->hosts + (size_t)f->switches + 1;
    int *node = malloc((size_t)f->switches * sizeof *node), *up = malloc(most * sizeof *up);
    int status = node && up ? list_cables(f, e) : cpm_no_memory(e);
    if (!status)
        status = make_topology(f, node, up, out, e);
    free(node);
    free(up);
    cpm_fabric_clear(f);
    return status;
}
