#include "selection/carried.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void carried_clear(carried_network *net)
{
    free(net->first);
    free(net->resource);
    free(net->per_byte);
    *net = (carried_network){0};
}

/* While weights are looked for. */
typedef struct {
    const carried_network *net;
    const carried_demand *of;
    double *weight, *load; /* [resources] */
    double *far;           /* [n * n] from process to process, by weights */
    double *near;          /* [n] */
    int *by;               /* [n] who is the nearest; or [n * n]: the first step on the way */
    bool *in;              /* [n] */
} search;

static double *far(const search *s, int i, int j)
{
    return &s->far[(int64_t)i * s->net->n + j];
}

static void weigh(search *s)
{
    const carried_network *net = s->net;
    for (int64_t pair = 0; pair < (int64_t)net->n * net->n; pair++) {
        s->far[pair] = 0;
        for (int64_t k = net->first[pair]; k < net->first[pair + 1]; k++)
            s->far[pair] += s->weight[net->resource[k]] * net->per_byte[k];
    }
}

static void carry(search *s, int i, int j, double blocks)
{
    const carried_network *net = s->net;
    const int64_t pair = (int64_t)i * net->n + j;
    for (int64_t k = net->first[pair]; k < net->first[pair + 1]; k++)
        s->load[net->resource[k]] += blocks * net->per_byte[k];
}

/* ---- what it costs, and whom it loads */

/* Whichever way it is shorter. */
static double either(const search *s, int i, int j)
{
    return fmin(*far(s, i, j), *far(s, j, i));
}

/* The shortest spanning tree (R. C. Prim, 1957). */
static double tree(search *s, double blocks)
{
    const int n = s->net->n;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        s->in[i] = i == 0;
        s->by[i] = 0;
        s->near[i] = either(s, 0, i);
    }
    for (int step = 1; step < n; step++) {
        int next = -1;
        for (int i = 0; i < n; i++)
            if (!s->in[i] && (next < 0 || s->near[i] < s->near[next]))
                next = i;
        const int from = s->by[next];
        const bool forward = *far(s, from, next) <= *far(s, next, from);
        carry(s, forward ? from : next, forward ? next : from, blocks);
        sum += s->near[next] * blocks;
        s->in[next] = true;
        for (int i = 0; i < n; i++)
            if (!s->in[i] && either(s, next, i) < s->near[i]) {
                s->near[i] = either(s, next, i);
                s->by[i] = next;
            }
    }
    return sum;
}

/* To each process but the one that is the farthest from all others. */
static double once_each(search *s)
{
    const int n = s->net->n;
    double sum = 0, most = 0;
    for (int j = 0; j < n; j++) {
        int from = j ? 0 : 1;
        for (int i = 0; i < n; i++)
            if (i != j && *far(s, i, j) < *far(s, from, j))
                from = i;
        carry(s, from, j, 1);
        sum += *far(s, from, j);
        most = fmax(most, *far(s, from, j));
    }
    return sum - most;
}

/* The shortest ways from the root, or to it (E. W. Dijkstra, 1959). */
static double ways(search *s, bool from)
{
    const int n = s->net->n, root = s->of->root;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        s->in[i] = false;
        s->by[i] = root;
        s->near[i] = i == root ? 0 : INFINITY;
    }
    for (int step = 0; step < n; step++) {
        int next = -1;
        for (int i = 0; i < n; i++)
            if (!s->in[i] && (next < 0 || s->near[i] < s->near[next]))
                next = i;
        s->in[next] = true;
        sum += s->near[next];
        for (int at = next; at != root; at = s->by[at])
            carry(s, from ? s->by[at] : at, from ? at : s->by[at], 1);
        for (int i = 0; i < n; i++) {
            const double way = s->near[next] + (from ? *far(s, next, i) : *far(s, i, next));
            if (!s->in[i] && way < s->near[i]) {
                s->near[i] = way;
                s->by[i] = next;
            }
        }
    }
    return sum;
}

/* Of all pairs (R. W. Floyd, 1962). */
static double pairs(search *s)
{
    const int n = s->net->n;
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s->by[i * n + j] = j;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (*far(s, i, k) + *far(s, k, j) < *far(s, i, j)) {
                    *far(s, i, j) = *far(s, i, k) + *far(s, k, j);
                    s->by[i * n + j] = s->by[i * n + k];
                }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            sum += i == j ? 0 : *far(s, i, j);
            for (int at = i, next; at != j; at = next) {
                next = s->by[at * n + j];
                carry(s, at, next, 1);
            }
        }
    return sum;
}

static double cost(search *s)
{
    switch (s->of->kind) {
    case CARRIED_TREES:
        return tree(s, s->of->blocks);
    case CARRIED_SUMS:
        return tree(s, 1) + once_each(s);
    case CARRIED_PAIRS:
        return pairs(s);
    default:
        return ways(s, s->of->kind == CARRIED_FROM);
    }
}

/* ---- weights */

static double sum_of(const double *x, int count)
{
    double sum = 0;
    for (int k = 0; k < count; k++)
        sum += x[k];
    return sum;
}

/* What was loaded most counts for more. */
static void reweigh(search *s, double rate)
{
    const int resources = s->net->resources;
    double most = 0, sum;
    for (int k = 0; k < resources; k++)
        most = fmax(most, s->load[k]);
    for (int k = 0; k < resources && most > 0; k++)
        s->weight[k] *= exp(rate * s->load[k] / most);
    sum = sum_of(s->weight, resources);
    for (int k = 0; k < resources; k++)
        s->weight[k] /= sum;
}

static double find_weights(search *s)
{
    enum { MOST_ROUNDS = 200 };
    const double work = 4e7, n = s->net->n, first = 1;
    const double each = s->of->kind == CARRIED_PAIRS ? n * n * n : 8 * n * n;
    const int rounds = (int)fmin(MOST_ROUNDS, work / each);
    double best = 0;
    for (int k = 0; k < s->net->resources; k++)
        s->weight[k] = 1.0 / s->net->resources;
    for (int round = 0; round < rounds; round++) {
        memset(s->load, 0, (size_t)s->net->resources * sizeof *s->load);
        weigh(s);
        best = fmax(best, cost(s) / sum_of(s->weight, s->net->resources));
        reweigh(s, first / (1 + 0.1 * round));
    }
    return best;
}

int carried_seconds(const carried_network *net, const carried_demand *d, double *seconds,
                    cpm_error *e)
{
    const size_t n = (size_t)net->n, resources = (size_t)net->resources + 1;
    search s = {.net = net,
                .of = d,
                .weight = malloc(resources * sizeof *s.weight),
                .load = malloc(resources * sizeof *s.load),
                .far = malloc(n * n * sizeof *s.far),
                .near = malloc(n * sizeof *s.near),
                .by = malloc((d->kind == CARRIED_PAIRS ? n * n : n) * sizeof *s.by),
                .in = malloc(n * sizeof *s.in)};
    const bool room = s.weight && s.load && s.far && s.near && s.by && s.in;
    *seconds = room && net->resources > 0 ? find_weights(&s) : 0;
    free(s.weight);
    free(s.load);
    free(s.far);
    free(s.near);
    free(s.by);
    free(s.in);
    return room ? CPM_OK : cpm_no_memory(e);
}
