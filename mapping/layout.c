/* Candidates: preorders with depths. */
#include "mapping/layout.h"

#include <stdlib.h>
#include <string.h>

int layout_create(int n, bool is_free, layout *out, cpm_error *e)
{
    size_t bytes = (size_t)n * sizeof(int);
    layout l = {.process = malloc(bytes)};
    if (is_free) {
        l.depth = malloc(bytes);
        l.parent = malloc(bytes);
    } else {
        l.n = n;
    }
    if (!l.process || (is_free && (!l.depth || !l.parent))) {
        layout_clear(&l);
        return cpm_no_memory(e);
    }
    *out = l;
    return CPM_OK;
}

void layout_clear(layout *l)
{
    free(l->process);
    free(l->depth);
    free(l->parent);
    *l = (layout){0};
}

void layout_copy(const layout *from, layout *to)
{
    size_t bytes = (size_t)from->n * sizeof(int);
    to->n = from->n;
    memcpy(to->process, from->process, bytes);
    if (from->depth)
        memcpy(to->depth, from->depth, bytes);
}

void layout_swap(layout *l, int u, int v)
{
    int process = l->process[u];
    l->process[u] = l->process[v];
    l->process[v] = process;
}

int layout_end(const layout *l, int u)
{
    int end = u + 1;
    while (end < l->n && l->depth[end] > l->depth[u])
        end++;
    return end;
}

void layout_add(layout *l, int u, bool first, int process)
{
    int at = u < 0 ? 0 : first ? u + 1 : layout_end(l, u);
    int depth = u < 0 ? 0 : l->depth[u] + 1;
    size_t behind = (size_t)(l->n - at) * sizeof(int);
    memmove(l->process + at + 1, l->process + at, behind);
    memmove(l->depth + at + 1, l->depth + at, behind);
    l->process[at] = process;
    l->depth[at] = depth;
    l->n++;
}

static void reverse(int *at, int from, int end)
{
    for (end--; from < end; from++, end--) {
        int x = at[from];
        at[from] = at[end];
        at[end] = x;
    }
}

/* The run [from, middle) behind the run [middle, end). */
static void exchange(int *at, int from, int middle, int end)
{
    reverse(at, from, middle);
    reverse(at, middle, end);
    reverse(at, from, end);
}

void layout_move(layout *l, int u, int to, int depth)
{
    int end = layout_end(l, u), size = end - u, deeper = depth - l->depth[u];
    int from = u < to ? u : to, middle = u < to ? end : u, last = u < to ? to + size : end;
    for (int v = u; v < end; v++)
        l->depth[v] += deeper;
    exchange(l->process, from, middle, last);
    exchange(l->depth, from, middle, last);
}

void layout_set_parents(layout *l)
{
    for (int v = 0; v < l->n; v++) {
        int u = v - 1;
        while (u >= 0 && l->depth[u] >= l->depth[v])
            u = l->parent[u];
        l->parent[v] = u;
    }
}
