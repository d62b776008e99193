#include "mapping/host_order.h"

#include <stdbool.h>
#include <stdlib.h>

#include "mapping/tour.h"

typedef struct {
    int hosts;
    double *far; /* [hosts * hosts] from host to host */
} distances;

static double distance(const distances *d, int from, int to)
{
    return d->far[(size_t)from * (size_t)d->hosts + (size_t)to];
}

/* Times are far below a second, so they only decide between ways that share as much. */
static double between(const cpm_model *m, int from, int to, size_t bytes)
{
    if (!cpm_model_flows(m)) {
        cpm_cost c;
        m->type->cost(m, from, to, bytes, &c);
        return c.send + c.wire + c.recv;
    }
    cpm_flow f;
    m->type->flow(m, from, to, bytes, &f);
    return f.uses + f.send + f.latency + f.flow + f.recv;
}

static void measure(const cpm_model *m, const cpm_hosts *h, size_t bytes, const int *process,
                    distances *d)
{
    for (int a = 0; a < h->count; a++)
        for (int b = 0; b < h->count; b++)
            d->far[(size_t)a * (size_t)h->count + (size_t)b] =
                a == b ? 0 : between(m, process[a], process[b], bytes);
}

/* The nearest host next. */
static void begin(const distances *d, int first, int *order)
{
    for (int k = 0; k < d->hosts; k++)
        order[k] = (first + k) % d->hosts;
    for (int k = 1; k < d->hosts; k++) {
        int best = k;
        for (int j = k + 1; j < d->hosts; j++)
            if (distance(d, order[k - 1], order[j]) < distance(d, order[k - 1], order[best]))
                best = j;
        const int next = order[best];
        for (int j = best; j > k; j--) /* the others keep their order */
            order[j] = order[j - 1];
        order[k] = next;
    }
}

/* Of the way round a part of the tour, in its direction. */
static double length(const distances *d, const int *order, int from, int to)
{
    double sum = 0;
    for (int k = from; k < to; k++)
        sum += distance(d, order[k], order[k + 1]);
    return sum;
}

/* Whether the tour is shorter with the part from i to k turned round. */
static bool is_shorter_turned(const distances *d, int *order, int i, int k)
{
    const int after = order[(k + 1) % d->hosts], before = order[i - 1];
    const double was =
        distance(d, before, order[i]) + length(d, order, i, k) + distance(d, order[k], after);
    turn_round(order, i, k);
    const double is =
        distance(d, before, order[i]) + length(d, order, i, k) + distance(d, order[k], after);
    if (is < was * (1 - 1e-9))
        return true;
    turn_round(order, i, k);
    return false;
}

static void shorten(const distances *d, int *order)
{
    enum { MOST_ROUNDS = 20 };
    bool shorter = true;
    for (int round = 0; round < MOST_ROUNDS && shorter; round++) {
        shorter = false;
        for (int i = 1; i < d->hosts; i++)
            for (int k = i + 1; k < d->hosts; k++)
                shorter = is_shorter_turned(d, order, i, k) || shorter;
    }
}

int host_order(const cpm_model *m, const cpm_hosts *h, int first, size_t bytes, int *order,
               cpm_error *e)
{
    const size_t hosts = (size_t)h->count;
    distances d = {h->count, malloc(hosts * hosts * sizeof *d.far)};
    int *process = malloc(hosts * sizeof *process);
    const int status = d.far && process ? CPM_OK : cpm_no_memory(e);
    for (int r = h->n - 1; r >= 0 && !status; r--)
        process[h->of[r]] = r;
    if (!status) {
        measure(m, h, bytes, process, &d);
        begin(&d, first, order);
        shorten(&d, order);
    }
    free(d.far);
    free(process);
    return status;
}
