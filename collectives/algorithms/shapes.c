/* The shapes, as functions of a node's number; those that look at block sizes sort or merge. */
#include "collectives/algorithms/shapes.h"

#include <stdlib.h>
#include <string.h>

static int linear(int n, int k, int node)
{
    (void)n, (void)k, (void)node;
    return 0;
}

static int binomial(int n, int k, int node)
{
    (void)n, (void)k;
    return node & (node - 1);
}

/* The node without its highest set bit: node 1 has half of all others below it. */
static int mirrored(int n, int k, int node)
{
    (void)n, (void)k;
    int highest = 1;
    while (highest <= node / 2)
        highest *= 2;
    return node - highest;
}

int cpm_binary_parent(int n, int k, int node)
{
    (void)n, (void)k;
    int above = 1; /* nodes of the level above */
    while (node > 4 * above - 2)
        above *= 2;
    int nth = node - (2 * above - 1);
    return above - 1 + nth % above;
}

/* As equal as can be, the longer ones first: a root that serves them one after the other begins
 * with what takes longest. */
static int chains(int n, int k, int node)
{
    if (k < 1)
        k = 1;
    if (k > n - 1)
        k = n - 1;
    int length = (n - 1) / k, longer = (n - 1) % k; /* so many have one node more */
    int in_longer = longer * (length + 1);
    int nth = node <= in_longer ? (node - 1) % (length + 1) : (node - 1 - in_longer) % length;
    return nth == 0 ? 0 : node - 1;
}

/* The node without its lowest digit in base k: its subtree is what has the other digits. */
static int knomial(int n, int k, int node)
{
    (void)n;
    long base = k < 2 ? 2 : k, digit = base;
    while (node % digit == 0)
        digit *= base;
    return (int)(node - node % digit);
}

static size_t size_of(const cpm_call *call, int process)
{
    return call->sizes ? call->sizes[process] : call->bytes;
}

/* ---- sorted by size ---- */

typedef struct {
    size_t bytes;
    int process;
} sized;

static int smaller_first(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return (x->process > y->process) - (x->process < y->process);
}

static int larger_first(const void *a, const void *b)
{
    return smaller_first(b, a);
}

/* The nodes of a binomial tree by the number of hops to the root, nodes with more children first.
 */
static int hops(int node)
{
    return __builtin_popcount((unsigned)node);
}

static int nearer_first(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    if (hops(x) != hops(y))
        return hops(x) < hops(y) ? -1 : 1;
    return (x < y) - (x > y);
}

static int sort(const cpm_call *call, int *process, int (*order)(const void *, const void *),
                cpm_error *e)
{
    int others = call->n - 1;
    sized *block = malloc(((size_t)others + 1) * sizeof *block);
    int *node = malloc(((size_t)others + 1) * sizeof *node);
    if (!block || !node) {
        free(block);
        free(node);
        return cpm_no_memory(e);
    }
    for (int v = 1; v <= others; v++) {
        block[v - 1] = (sized){size_of(call, process[v]), process[v]};
        node[v - 1] = v;
    }
    qsort(block, (size_t)others, sizeof *block, order);
    qsort(node, (size_t)others, sizeof *node, nearer_first);
    for (int k = 0; k < others; k++)
        process[node[k]] = block[k].process;
    free(block);
    free(node);
    return CPM_OK;
}

static int large_first(const cpm_call *call, int *parent, int *process, cpm_error *e)
{
    (void)parent;
    return sort(call, process, larger_first, e);
}

static int large_last(const cpm_call *call, int *parent, int *process, cpm_error *e)
{
    (void)parent;
    return sort(call, process, smaller_first, e);
}

/* ---- Traeff's tree ---- */

typedef struct {
    int root; /* process */
    size_t bytes;
} group;

/* Who of two groups receives: the one with the root of all, else the one with more data. */
static bool first_receives(const group *a, const group *b, int root)
{
    if (a->root == root || b->root == root)
        return a->root == root;
    return a->bytes >= b->bytes;
}

/* above[p]: parent of process p; joined[p]: the round in which it was merged. */
static void merge(const cpm_call *call, group *groups, int *above, int *joined)
{
    int count = call->n;
    for (int p = 0; p < count; p++)
        groups[p] = (group){p, size_of(call, p)};
    for (int round = 0; count > 1; round++) {
        int merged = 0;
        for (int g = 0; g < count; g += 2) {
            group one = groups[g];
            if (g + 1 < count) {
                group two = groups[g + 1];
                bool first = first_receives(&one, &two, call->root);
                int loser = first ? two.root : one.root;
                above[loser] = first ? one.root : two.root;
                joined[loser] = round;
                one = (group){above[loser], one.bytes + two.bytes};
            }
            groups[merged++] = one;
        }
        count = merged;
    }
}

/* Numbers the processes so that parents come before children and of two children the one that
 * merged earlier has the lower number: round by round from the last. */
static int number(const cpm_call *call, const int *above, const int *joined, int *parent,
                  int *process, int *node)
{
    int next = 1, last = 0;
    for (int p = 0; p < call->n; p++)
        last = p != call->root && joined[p] > last ? joined[p] : last;
    process[0] = call->root;
    for (int round = 0; round <= last; round++)
        for (int p = 0; p < call->n; p++)
            if (p != call->root && joined[p] == round)
                process[next++] = p;
    for (int v = 0; v < call->n; v++)
        node[process[v]] = v;
    for (int v = 1; v < call->n; v++)
        parent[v] = node[above[process[v]]];
    return next;
}

static int traeff(const cpm_call *call, int *parent, int *process, cpm_error *e)
{
    size_t n = (size_t)call->n;
    group *groups = malloc(n * sizeof *groups);
    int *work = malloc(3 * n * sizeof *work);
    if (groups && work) {
        merge(call, groups, work, work + n);
        number(call, work, work + n, parent, process, work + 2 * n);
    }
    int code = groups && work ? CPM_OK : cpm_no_memory(e);
    free(groups);
    free(work);
    return code;
}

/* ---- k lanes ---- */

enum { USUAL_LANES = 4 };

/* Trees by processes, of which those that a parent sends to last come first. */
typedef struct {
    int *first, *next, *above; /* [n] child, sibling, parent; -1: none */
} family;

static void adopt(const family *f, int parent, int child)
{
    f->above[child] = parent;
    f->next[child] = f->first[parent];
    f->first[parent] = child;
}

/* The first of a host's processes has heard: it and those that it tells tell the others, each time
 * all at once. */
static void tell_host(const family *f, const int *process, int count)
{
    for (int informed = 1; informed < count; informed *= 2)
        for (int i = 0; i < informed && informed + i < count; i++)
            adopt(f, process[i], process[informed + i]);
}

/* In each round so many processes of each host that has heard tell another host. */
static void tell_hosts(const family *f, int hosts, int lanes, const int *rank_of, const int *first)
{
    for (int told = 1, next = 1; told < hosts; told = next)
        for (int h = 0; h < told; h++)
            for (int i = 0; i < lanes && i < first[h + 1] - first[h] && next < hosts; i++, next++) {
                adopt(f, rank_of[first[h] + i], rank_of[first[next]]);
                tell_host(f, rank_of + first[next], first[next + 1] - first[next]);
            }
}

/* Parents before children, what is sent last before what is sent first. */
static void number_family(const family *f, int root, int *parent, int *process, int *node)
{
    int next = 0;
    for (int p = root; p >= 0;) {
        node[p] = next;
        parent[next] = p == root ? -1 : node[f->above[p]];
        process[next++] = p;
        int down = f->first[p];
        while (down < 0 && p != root && f->next[p] < 0)
            p = f->above[p];
        p = down >= 0 ? down : p == root ? -1 : f->next[p];
    }
}

static void swap(int *a, int *b)
{
    const int was = *a;
    *a = *b;
    *b = was;
}

/* The hosts one after the other, the root's first, and there the root. */
static void sort_hosts(const cpm_call *call, int *rank_of, int *first, int *work)
{
    const int n = call->n, hosts = call->hosts->count, of = call->hosts->of[call->root];
    cpm_hosts_sort(call->hosts, work, first);
    for (int i = 0; i < n; i++)
        rank_of[i] = work[(first[of] + i) % n];
    for (int h = 0, end = 0; h < hosts; h++) {
        const int before = first[(of + h) % hosts], behind = first[(of + h) % hosts + 1];
        work[h] = end;
        end += behind - before;
    }
    memcpy(first, work, (size_t)hosts * sizeof *first);
    for (int i = 1; i < n; i++)
        if (rank_of[i] == call->root)
            swap(&rank_of[0], &rank_of[i]);
}

static int lanes(const cpm_call *call, int *parent, int *process, cpm_error *e)
{
    const size_t n = (size_t)call->n;
    const int all = call->with.k ? call->with.k : USUAL_LANES;
    int *work = malloc((6 * n + 1) * sizeof *work);
    if (!work)
        return cpm_no_memory(e);
    const family f = {work, work + n, work + 2 * n};
    int *rank_of = work + 3 * n, *first = work + 4 * n, *node = work + 5 * n + 1;
    sort_hosts(call, rank_of, first, node);
    for (size_t p = 0; p < n; p++)
        f.first[p] = f.next[p] = -1;
    tell_host(&f, rank_of, first[1]);
    tell_hosts(&f, call->hosts->count, all, rank_of, first);
    number_family(&f, call->root, parent, process, node);
    free(work);
    return CPM_OK;
}

/* ---- the order of ranks ---- */

/* Behind the root: all others by their ranks, as libraries count in a loop over all processes. */
static int by_rank(const cpm_call *call, int *parent, int *process, cpm_error *e)
{
    (void)parent, (void)e;
    for (int v = 1; v < call->n && !call->mapping; v++)
        process[v] = v <= call->root ? v - 1 : v;
    return CPM_OK;
}

/* The same from the last rank down. */
static int from_the_last(const cpm_call *call, int *parent, int *process, cpm_error *e)
{
    (void)parent, (void)e;
    for (int v = 1; v < call->n; v++)
        process[v] = call->n - v <= call->root ? call->n - v - 1 : call->n - v;
    return CPM_OK;
}

static int copy_parents(const cpm_call *call, int *parent, int *process, cpm_error *e)
{
    (void)process, (void)e;
    memcpy(parent, call->parent, (size_t)call->n * sizeof *parent);
    return CPM_OK;
}

/* ---- the shapes ---- */

/* All nodes are children of the root; star: all messages at once. */
const cpm_tree_shape cpm_tree_linear = {.parent = linear, .arrange = by_rank, .keeps_order = true};
const cpm_tree_shape cpm_tree_star = {
    .parent = linear, .together = true, .arrange = by_rank, .keeps_order = true};
const cpm_tree_shape cpm_tree_linear_backwards = {.parent = linear, .arrange = from_the_last};

/* The node without its lowest set bit; hypercube: all children at once. */
const cpm_tree_shape cpm_tree_binomial = {.parent = binomial, .order = CPM_HIGHEST_FIRST};
const cpm_tree_shape cpm_tree_hypercube = {
    .parent = binomial, .order = CPM_HIGHEST_FIRST, .together = true};
const cpm_tree_shape cpm_tree_binomial_at_once = {.parent = mirrored, .together = true};

const cpm_tree_shape cpm_tree_knomial = {.parent = knomial, .k = 4, .order = CPM_HIGHEST_FIRST};
const cpm_tree_shape cpm_tree_knomial_at_once = {
    .parent = knomial, .k = 4, .order = CPM_HIGHEST_DIGIT_FIRST, .together = true};

const cpm_tree_shape cpm_tree_binary = {.parent = cpm_binary_parent};
const cpm_tree_shape cpm_tree_binary_at_once = {.parent = cpm_binary_parent, .together = true};
const cpm_tree_shape cpm_tree_chain = {.parent = chains, .k = 1};
const cpm_tree_shape cpm_tree_chains = {.parent = chains, .k = 4};
const cpm_tree_shape cpm_tree_chains_at_once = {.parent = chains, .k = 4, .together = true};
const cpm_tree_shape cpm_tree_any = {.arrange = copy_parents};

/* Binomial trees of processes sorted by block size: the largest next to the root, or farthest. */
const cpm_tree_shape cpm_tree_large_first = {
    .parent = binomial, .order = CPM_HIGHEST_FIRST, .arrange = large_first};
const cpm_tree_shape cpm_tree_large_last = {
    .parent = binomial, .order = CPM_HIGHEST_FIRST, .arrange = large_last};

/* Traeff 2004: neighbouring groups merge round by round, the one with less data sends. */
const cpm_tree_shape cpm_tree_traeff = {.order = CPM_HIGHEST_FIRST, .arrange = traeff};

/* Traeff 2020: k processes of each host, and not one, send to others. */
const cpm_tree_shape cpm_tree_lanes = {.order = CPM_HIGHEST_FIRST, .arrange = lanes};

int cpm_tree_arrange(const cpm_tree_shape *shape, const cpm_call *call, int *parent, int *process,
                     cpm_error *e)
{
    parent[0] = -1;
    for (int v = 0; v < call->n; v++) {
        process[v] = call->mapping ? call->mapping[v] : (int)(((long)v + call->root) % call->n);
        if (v > 0 && shape->parent)
            parent[v] = shape->parent(call->n, call->with.k ? call->with.k : shape->k, v);
    }
    return shape->arrange ? shape->arrange(call, parent, process, e) : CPM_OK;
}
