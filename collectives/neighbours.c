#include "collectives/neighbours.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/lines.h"
#include "base/numbers.h"
#include "base/vector.h"

/* ---- a graph of edges */

static int allocate(int n, int count, cpm_neighbours **out, cpm_error *e)
{
    cpm_neighbours *g = calloc(1, sizeof *g);
    if (!g)
        return cpm_no_memory(e);
    *g = (cpm_neighbours){.n = n, .edges = count};
    g->first_out = calloc((size_t)n + 1, sizeof(int));
    g->first_in = calloc((size_t)n + 1, sizeof(int));
    g->from = malloc((size_t)count * sizeof(int) + 1);
    g->to = malloc((size_t)count * sizeof(int) + 1);
    g->in = malloc((size_t)count * sizeof(int) + 1);
    g->place = malloc((size_t)count * sizeof(int) + 1);
    *out = g;
    if (g->first_out && g->first_in && g->from && g->to && g->in && g->place)
        return CPM_OK;
    cpm_neighbours_free(g);
    return cpm_no_memory(e);
}

void cpm_neighbours_free(cpm_neighbours *g)
{
    if (!g)
        return;
    free(g->first_out);
    free(g->first_in);
    free(g->from);
    free(g->to);
    free(g->in);
    free(g->place);
    free(g);
}

/* Where the edges of each process begin. */
static void add_up(int *first, int n)
{
    for (int i = 0; i < n; i++)
        first[i + 1] += first[i];
}

/* number: [count] gets the edge that k became. next: [n]. */
static void number_edges(cpm_neighbours *g, const int *from, const int *to, int *number, int *next)
{
    for (int k = 0; k < g->edges; k++)
        g->first_out[from[k] + 1]++, g->first_in[to[k] + 1]++;
    add_up(g->first_out, g->n);
    add_up(g->first_in, g->n);
    memcpy(next, g->first_out, (size_t)g->n * sizeof *next);
    for (int k = 0; k < g->edges; k++) {
        number[k] = next[from[k]]++;
        g->from[number[k]] = from[k];
        g->to[number[k]] = to[k];
    }
    memcpy(next, g->first_in, (size_t)g->n * sizeof *next);
    for (int k = 0; k < g->edges; k++) {
        g->place[number[k]] = next[to[k]] - g->first_in[to[k]];
        g->in[next[to[k]]++] = number[k];
    }
}

/* last: [n] of who sent there last, -1. */
static void find_parallel(cpm_neighbours *g, int *last)
{
    for (int i = 0; i < g->n; i++)
        last[i] = -1;
    for (int k = 0; k < g->edges; k++) {
        g->parallel = g->parallel || last[g->to[k]] == g->from[k];
        last[g->to[k]] = g->from[k];
    }
}

int cpm_neighbours_most(const cpm_neighbours *g)
{
    int most = 0;
    for (int i = 0; i < g->n; i++) {
        int out = g->first_out[i + 1] - g->first_out[i], in = g->first_in[i + 1] - g->first_in[i];
        most = out > most ? out : most;
        most = in > most ? in : most;
    }
    return most;
}

int cpm_neighbours_edge(const cpm_neighbours *g, int from, int to)
{
    for (int k = g->first_out[from]; k < g->first_out[from + 1]; k++)
        if (g->to[k] == to)
            return k;
    return -1;
}

/* ---- the grid under it */

int cpm_grid_cell(const cpm_neighbours *g, int process, int dimension)
{
    for (int d = g->dimensions - 1; d > dimension; d--)
        process /= g->size[d];
    return process % g->size[dimension];
}

/* How many distances along each dimension lead from processes to their neighbours, counted round;
 * least, if not fewer. seen: [n]. The edges of few processes show of most grids that they have too
 * many. */
static int distances(const cpm_neighbours *g, const int *size, int dimensions, int least,
                     bool *seen)
{
    int count = 0;
    memset(seen, 0, (size_t)g->n);
    for (int k = 0; k < g->edges && count < least; k++) {
        int from = g->from[k], to = g->to[k], before = 0;
        for (int d = dimensions - 1; d >= 0; before += size[d--]) {
            int far = to % size[d] - from % size[d];
            bool *known = &seen[before + (far < 0 ? far + size[d] : far)];
            count += far && !*known;
            *known = *known || far;
            from /= size[d];
            to /= size[d];
        }
    }
    return count < least ? count : least;
}

/* Tries all grids of that many dimensions, of which so many are set, and left processes are for the
 * others. */
static void find_grid(cpm_neighbours *g, int *size, int set, int dimensions, int left, int *least,
                      bool *seen)
{
    if (set == dimensions && left == 1) {
        int count = distances(g, size, dimensions, *least, seen);
        if (count < *least) {
            *least = count;
            g->dimensions = dimensions;
            memcpy(g->size, size, CPM_GRID_DIMENSIONS * sizeof *size);
        }
    }
    for (int s = 2; s <= left && set < dimensions; s++)
        if (left % s == 0) {
            size[set] = s;
            find_grid(g, size, set + 1, dimensions, left / s, least, seen);
        }
}

int cpm_neighbours_create(int n, int count, const int *from, const int *to, cpm_neighbours **out,
                          cpm_error *e)
{
    cpm_neighbours *g = NULL;
    int size[CPM_GRID_DIMENSIONS] = {0};
    for (int k = 0; k < count; k++)
        if (from[k] < 0 || from[k] >= n || to[k] < 0 || to[k] >= n)
            return cpm_fail(e, CPM_EINVAL, "%d -> %d: a process is none of the %d", from[k], to[k],
                            n);
    int status = allocate(n, count, &g, e);
    if (status)
        return status;
    int *number = malloc(((size_t)count + (size_t)n) * sizeof *number + 1);
    bool *seen = malloc((size_t)n + 1); /* sizes of a grid add up to no more */
    if (number && seen) {
        number_edges(g, from, to, number, number + count);
        find_parallel(g, number);
        int least = cpm_neighbours_most(g);
        for (int dimensions = 2; dimensions <= CPM_GRID_DIMENSIONS; dimensions++)
            find_grid(g, size, 0, dimensions, n, &least, seen);
        *out = g;
    } else {
        cpm_neighbours_free(g);
        status = cpm_no_memory(e);
    }
    free(number);
    free(seen);
    return status;
}

/* ---- as people write it */

typedef struct {
    int n, count;
    int *from, *to;
} edges;

enum { MOST_EDGES = 1 << 26 };

static int add(edges *all, int from, int to, cpm_error *e)
{
    if (all->count == MOST_EDGES)
        return cpm_fail(e, CPM_EINVAL, "a graph of more than %d pairs", MOST_EDGES);
    if (!cpm_vector_extend(&all->from, all->count, sizeof *all->from) ||
        !cpm_vector_extend(&all->to, all->count, sizeof *all->to))
        return cpm_no_memory(e);
    all->from[all->count] = from;
    all->to[all->count++] = to;
    return CPM_OK;
}

enum { MOST_DIMENSIONS = 8, MOST_PROCESSES = 1 << 20 };
typedef struct {
    bool round, corners;
    int dimensions, size[MOST_DIMENSIONS];
    edges all;
} grid;

/* Which process lies so far away along each dimension; -1: none. */
static int at_distance(const grid *g, int process, const int *far)
{
    int there = 0, unit = 1;
    for (int d = g->dimensions - 1; d >= 0; unit *= g->size[d--]) {
        int place = process / unit % g->size[d] + far[d], size = g->size[d];
        if (!g->round && (place < 0 || place >= size))
            return -1;
        there += (place + size) % size * unit;
    }
    return there;
}

static int link_to(grid *g, int process, const int *far, cpm_error *e)
{
    int other = at_distance(g, process, far);
    return other < 0 ? CPM_OK : add(&g->all, process, other, e);
}

static int link_next(grid *g, int process, cpm_error *e)
{
    int status = CPM_OK;
    for (int d = 0; d < g->dimensions; d++)
        for (int step = -1; step <= 1 && !status; step += 2) {
            int far[MOST_DIMENSIONS] = {0};
            far[d] = step;
            status = link_to(g, process, far, e);
        }
    return status;
}

static int link_all_around(grid *g, int process, cpm_error *e)
{
    int status = CPM_OK, ways = 1;
    for (int d = 0; d < g->dimensions; d++)
        ways *= 3;
    for (int way = 0; way < ways && !status; way++) {
        int far[MOST_DIMENSIONS], rest = way;
        for (int d = g->dimensions - 1; d >= 0; d--, rest /= 3)
            far[d] = rest % 3 - 1;
        if (way != ways / 2)
            status = link_to(g, process, far, e);
    }
    return status;
}

static int wrong(const char *text, cpm_error *e)
{
    char shown[80];
    return cpm_fail(e, CPM_EINVAL,
                    "'%s' is no graph (expected: grid:4x4x2, torus:4x4x2, grid:4x4x2:corners, or a "
                    "file with lines FROM TO)",
                    cpm_escape(text, shown, sizeof shown));
}

/* "4x4x2" of n processes. */
static int take_sizes(grid *g, const char *text, char *sizes, cpm_error *e)
{
    long product = 1;
    for (char *word; (word = strsep(&sizes, "x"));) {
        long size;
        if (g->dimensions == MOST_DIMENSIONS || !cpm_integer_parse(word, 1, MOST_PROCESSES, &size))
            return wrong(text, e);
        g->size[g->dimensions++] = (int)size;
        product = product > MOST_PROCESSES ? product : product * size;
    }
    if (g->all.n < 0 && product <= MOST_PROCESSES)
        g->all.n = (int)product;
    if (product == g->all.n)
        return CPM_OK;
    return g->all.n < 0
               ? cpm_fail(e, CPM_EPROCESS, "'%s' are more than %d processes", text, MOST_PROCESSES)
               : cpm_fail(e, CPM_EPROCESS, "'%s' are not %d processes", text, g->all.n);
}

static int link_cells(grid *g, const char *text, cpm_error *e)
{
    char copy[100], *rest = copy;
    snprintf(copy, sizeof copy, "%s", text);
    g->round = strcmp(strsep(&rest, ":"), "torus") == 0;
    char *sizes = strsep(&rest, ":");
    g->corners = rest && strcmp(rest, "corners") == 0;
    if (!sizes || (rest && !g->corners))
        return wrong(text, e);
    int status = take_sizes(g, text, sizes, e);
    for (int i = 0; i < g->all.n && !status; i++)
        status = g->corners ? link_all_around(g, i, e) : link_next(g, i, e);
    return status;
}

static bool is_grid(const char *text)
{
    size_t length = strcspn(text, ":");
    return (length == 4 && strncmp(text, "grid", length) == 0) ||
           (length == 5 && strncmp(text, "torus", length) == 0);
}

static int read_lines(cpm_lines *l, edges *all, cpm_error *e)
{
    const int ranks = all->n < 0 ? MOST_PROCESSES : all->n;
    int status = CPM_OK, highest = 0;
    for (char *line; !status && (line = cpm_lines_next(l, &status));) {
        char *word[3];
        long from, to;
        int words = cpm_words_before_remark(line, word, 3);
        if (!words)
            continue;
        if (words != 2 || !cpm_integer_parse(word[0], 0, ranks - 1, &from) ||
            !cpm_integer_parse(word[1], 0, ranks - 1, &to))
            return cpm_lines_wrong(l, "expected 'FROM TO', ranks below %d", ranks);
        status = add(all, (int)from, (int)to, e);
        highest = from > highest ? (int)from : highest;
        highest = to > highest ? (int)to : highest;
    }
    all->n = all->n < 0 ? highest + 1 : all->n;
    return status;
}

int cpm_neighbours_read(const char *text, int n, cpm_neighbours **out, cpm_error *e)
{
    grid g = {.all = {.n = n}};
    cpm_lines l;
    int status;
    if (is_grid(text)) {
        status = link_cells(&g, text, e);
    } else {
        status = cpm_lines_open(&l, text, e);
        if (!status)
            status = read_lines(&l, &g.all, e);
        cpm_lines_close(&l);
    }
    if (!status)
        status = cpm_neighbours_create(g.all.n, g.all.count, g.all.from, g.all.to, out, e);
    free(g.all.from);
    free(g.all.to);
    return status;
}
