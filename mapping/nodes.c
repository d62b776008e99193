/* Nodes in the order of their work. It is read from the schedule, so that it is known for every
 * algorithm. */
#include "mapping/nodes.h"

#include <stdlib.h>

typedef struct {
    int node, messages;
    double time; /* when it has finished, or before the end where data move towards the root */
} worker;

/* Every message keeps its sender busy for a second. */
static void one_second(const void *model, int from, int to, size_t bytes, cpm_cost *cost)
{
    (void)model, (void)from, (void)to, (void)bytes;
    *cost = (cpm_cost){.send = 1, .gap = 1};
}

static int by_work(const void *a, const void *b)
{
    const worker *x = a, *y = b;
    if ((x->node == 0) != (y->node == 0))
        return x->node == 0 ? -1 : 1;
    if (x->messages != y->messages)
        return x->messages > y->messages ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static int set_messages(const cpm_schedule *s, worker *w, cpm_error *e)
{
    cpm_steps steps = {0};
    int status = CPM_OK;
    for (int v = 0; v < s->n && !status; v++) {
        status = cpm_schedule_rank(s, v, &steps, e);
        w[v].node = v;
        w[v].messages = steps.count;
    }
    cpm_steps_free(&steps);
    return status;
}

static int set_times(const cpm_schedule *s, bool collects, double *finish, worker *w, cpm_error *e)
{
    cpm_block_sizes sizes = {0};
    double seconds = cpm_walk(s, &sizes, one_second, NULL, finish, e);
    for (int v = 0; v < s->n && seconds >= 0; v++)
        w[v].time = collects ? seconds - finish[v] : finish[v];
    return seconds < 0 ? (int)seconds : CPM_OK;
}

/* A process is its own node where the root is process 0 and ranks are in order. */
static int create_schedule(const cpm_mapping_problem *p, cpm_schedule **out, cpm_error *e)
{
    cpm_collective in_order = p->what;
    in_order.at.n = p->model->n;
    in_order.at.root = 0;
    in_order.at.mapping = NULL;
    return cpm_collective_schedule(&in_order, &p->sizes, out, e);
}

int cpm_nodes_by_work(const cpm_mapping_problem *p, bool collects, int *nodes, cpm_error *e)
{
    size_t n = (size_t)p->model->n;
    cpm_schedule *s = NULL;
    worker *w = calloc(n, sizeof *w);
    double *finish = malloc(n * sizeof *finish);
    int status = w && finish ? CPM_OK : cpm_no_memory(e);
    if (!status)
        status = create_schedule(p, &s, e);
    if (!status)
        status = set_messages(s, w, e);
    if (!status)
        status = set_times(s, collects, finish, w, e);
    if (!status)
        qsort(w, n, sizeof *w, by_work);
    for (size_t k = 0; k < n && !status; k++)
        nodes[k] = w[k].node;
    cpm_schedule_free(s);
    free(finish);
    free(w);
    return status;
}
