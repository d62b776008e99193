/* The phase of every message, after Faraj and Yuan.
 *
 * The subtrees of the root are numbered by size, largest first, M[0] >= M[1] >= ...; processes of a
 * subtree have places 0..M-1. The M[i]*M[j] messages from subtree i to subtree j are sent in
 * consecutive phases, so arranged over the subtrees ("extended ring") that in no phase two come
 * from one subtree or two go to one. What is left is who in i and who in j, in each of these
 * phases, and the messages within a subtree:
 *   - in subtree j > 0 the receiver in phase p is p mod M[j], always;
 *   - a sender of subtree i > 0 sends to all of j one after the other, so each pair meets once;
 *   - subtree 0 sends in every phase: p mod M[0] sends, one place further whenever the pair of
 *     places (p mod M[0], p mod M[j]) would come again;
 *   - subtree 0 receives in every phase: of block q of M[0] phases, the receiver is q places
 *     further than the sender, so in the first M[0] blocks each receiver meets each sender;
 *   - a message u -> v within a subtree goes beside messages from v to the root and from the root
 *     to u, which use the same links in the opposite direction: in subtree 0 in the phase in which
 * v sends and u receives; in subtree i > 0 while v sends to subtree i - 1, which is not smaller,
 *     for at least M[i] phases, in the one in which it is u's turn to receive. */
#include "collectives/algorithms/link_phases.h"

#include <stdbool.h>
#include <stdlib.h>

/* ---- the root and its subtrees */

/* weight[v]: processes at and below v, as order has it. */
static void weigh(const cpm_topology *t, int n, const int *parent, const int *order, int *weight)
{
    for (int v = 0; v < t->nodes; v++)
        weight[v] = v < n;
    for (int k = t->nodes - 1; k > 0; k--)
        weight[parent[order[k]]] += weight[order[k]];
}

/* Processes in the largest part that is left when v is taken out. */
static int largest_part(const cpm_topology *t, int n, const int *parent, const int *weight, int v)
{
    int most = n - weight[v];
    for (int k = t->first[v]; k < t->first[v + 1]; k++) {
        int w = t->neighbour[k];
        if (w != parent[v] && weight[w] > most)
            most = weight[w];
    }
    return most;
}

/* The switch whose subtrees are smallest; their largest has n/2 processes at most (n > 1). */
static int find_root(const cpm_topology *t, int n, const int *parent, const int *weight)
{
    int root = t->hosts, least = n + 1;
    for (int v = t->hosts; v < t->nodes; v++) {
        int most = largest_part(t, n, parent, weight, v);
        if (most < least) {
            least = most;
            root = v;
        }
    }
    return root;
}

typedef struct {
    int size, first; /* processes, and where they begin in a list of all, depth first */
} part;

static int by_size(const void *a, const void *b)
{
    const part *x = a, *y = b;
    return x->size != y->size ? y->size - x->size : x->first - y->first;
}

/* Lists processes depth first; every neighbour of the root begins a new part. Returns parts. */
static int list_parts(const cpm_link_phases *p, int nodes, const int *order, int *list, part *parts)
{
    int listed = 0, count = 0;
    for (int k = 1; k < nodes; k++) {
        int v = order[k];
        if (p->parent[v] == p->root)
            parts[count++] = (part){0, listed};
        if (v >= p->n)
            continue;
        list[listed++] = v;
        parts[count - 1].size++;
    }
    return count;
}

static void set_subtrees(cpm_link_phases *p, const int *list, const part *parts)
{
    for (int i = 0; i < p->subtrees; i++) {
        p->size[i] = parts[i].size;
        p->before[i + 1] = p->before[i] + parts[i].size;
        for (int a = 0; a < parts[i].size; a++) {
            int rank = list[parts[i].first + a];
            p->host[p->before[i] + a] = rank;
            p->subtree[rank] = i;
            p->place[rank] = a;
        }
    }
    p->count = (int64_t)p->size[0] * (p->n - p->size[0]);
}

/* room has 2 * nodes elements, parts as many as there are nodes. */
static int plan(cpm_link_phases *p, const cpm_topology *t, int *room, part *parts, cpm_error *e)
{
    int *order = room, *weight = room + t->nodes, *list = weight;
    int status = cpm_topology_orient(t, t->hosts, p->parent, order, e);
    if (status)
        return status;
    weigh(t, p->n, p->parent, order, weight);
    p->root = find_root(t, p->n, p->parent, weight);
    status = cpm_topology_orient(t, p->root, p->parent, order, e);
    if (status)
        return status;
    int count = list_parts(p, t->nodes, order, list, parts);
    qsort(parts, (size_t)count, sizeof *parts, by_size);
    while (p->subtrees < count && parts[p->subtrees].size > 0)
        p->subtrees++;
    set_subtrees(p, list, parts);
    return CPM_OK;
}

static bool allocate(cpm_link_phases *p, int nodes)
{
    size_t n = (size_t)p->n;
    p->parent = calloc((size_t)nodes, sizeof *p->parent);
    p->size = calloc(n, sizeof *p->size);
    p->before = calloc(n + 1, sizeof *p->before);
    p->host = calloc(n, sizeof *p->host);
    p->subtree = calloc(n, sizeof *p->subtree);
    p->place = calloc(n, sizeof *p->place);
    return p->parent && p->size && p->before && p->host && p->subtree && p->place;
}

int cpm_link_phases_create(const cpm_topology *t, int n, cpm_link_phases **out, cpm_error *e)
{
    int status = cpm_topology_holds(t, n, e);
    if (status)
        return status;
    cpm_link_phases *p = calloc(1, sizeof *p);
    int *room = malloc(2 * (size_t)t->nodes * sizeof *room);
    part *parts = malloc((size_t)t->nodes * sizeof *parts);
    if (p)
        p->n = n;
    status =
        p && room && parts && allocate(p, t->nodes) ? plan(p, t, room, parts, e) : cpm_no_memory(e);
    free(room);
    free(parts);
    if (status)
        cpm_link_phases_free(p);
    else
        *out = p;
    return status;
}

void cpm_link_phases_free(cpm_link_phases *p)
{
    if (!p)
        return;
    free(p->parent);
    free(p->size);
    free(p->before);
    free(p->host);
    free(p->subtree);
    free(p->place);
    free(p);
}

/* ---- phases */

static int64_t mod(int64_t a, int64_t m)
{
    return a % m < 0 ? a % m + m : a % m;
}

/* The greatest common divisor g of a and b, and *x with a*x = g modulo b (Euclid). */
static int64_t gcd_extended(int64_t a, int64_t b, int64_t *x)
{
    int64_t before = 1, now = 0, r = b;
    while (r) {
        int64_t quotient = a / r, next = before - quotient * now, rest = a % r;
        before = now;
        now = next;
        a = r;
        r = rest;
    }
    *x = before;
    return a;
}

/* The first of the phases from subtree i to subtree j. */
static int64_t first_phase(const cpm_link_phases *p, int i, int j)
{
    if (i < j)
        return (int64_t)p->size[i] * (p->before[j] - p->before[i + 1]);
    return p->count - (int64_t)p->size[j] * (p->before[i + 1] - p->before[j + 1]);
}

/* From place a of subtree 0 to place b of subtree j. With t phases gone, t = c * lcm + r, the
 * sender is t + c modulo M[0] and the receiver start + t modulo M[j]: the Chinese remainder
 * theorem gives c and r. */
static int64_t from_largest(const cpm_link_phases *p, int a, int j, int b)
{
    int64_t start = first_phase(p, 0, j), largest = p->size[0], size = p->size[j], inverse;
    int64_t g = gcd_extended(size, largest, &inverse), lcm = largest / g * size;
    int64_t c = mod(a - b + start, g), r = mod(b - start, size);
    r += size * mod((a - c - r) / g * inverse, largest / g);
    return start + c * lcm + r;
}

/* The phase within block q, of M[0] phases, in which place a of subtree 0 sends. Block q is for the
 * q-th process outside of subtree 0. */
static int64_t turn_in_block(const cpm_link_phases *p, int64_t q, int64_t a)
{
    int64_t largest = p->size[0], x;
    int j = p->subtree[p->host[largest + q]];
    int64_t lcm = largest / gcd_extended(p->size[j], largest, &x) * p->size[j];
    int64_t c = (q * largest - first_phase(p, 0, j)) / lcm;
    return q * largest + mod(a - c, largest);
}

static int64_t to_largest(const cpm_link_phases *p, int i, int a, int b)
{
    int64_t q = first_phase(p, i, 0) / p->size[0] + a;
    return turn_in_block(p, q, b - q);
}

static int64_t within(const cpm_link_phases *p, int i, int a, int b)
{
    if (i == 0)
        return turn_in_block(p, mod(a - b, p->size[0]), b);
    int64_t start = first_phase(p, i, i - 1) + (int64_t)b * p->size[i - 1];
    return start + mod(a - start, p->size[i]);
}

int64_t cpm_link_phase_of(const cpm_link_phases *p, int from, int to)
{
    int i = p->subtree[from], j = p->subtree[to], a = p->place[from], b = p->place[to];
    if (i == j)
        return within(p, i, a, b);
    if (i == 0)
        return from_largest(p, a, j, b);
    if (j == 0)
        return to_largest(p, i, a, b);
    int64_t start = first_phase(p, i, j) + (int64_t)a * p->size[j];
    return start + mod(b - start, p->size[j]);
}

static int by_phase(const void *a, const void *b)
{
    const cpm_link_phase *x = a, *y = b;
    return (x->phase > y->phase) - (x->phase < y->phase);
}

int cpm_link_phases_of_rank(const cpm_link_phases *p, int rank, cpm_link_phase *out)
{
    int all = 0, count = 0;
    for (int peer = 0; peer < p->n; peer++) {
        if (peer == rank)
            continue;
        out[all++] = (cpm_link_phase){cpm_link_phase_of(p, rank, peer), peer, -1};
        out[all++] = (cpm_link_phase){cpm_link_phase_of(p, peer, rank), -1, peer};
    }
    qsort(out, (size_t)all, sizeof *out, by_phase);
    for (int k = 0; k < all; k++) {
        cpm_link_phase next = out[k];
        if (count == 0 || out[count - 1].phase != next.phase)
            out[count++] = next;
        else if (next.to >= 0)
            out[count - 1].to = next.to;
        else
            out[count - 1].from = next.from;
    }
    return count;
}
