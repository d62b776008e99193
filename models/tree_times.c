/* What a process has done so far is three times; a message moves those of its two ends on. */
#include "models/tree_times.h"

#include <math.h>

typedef struct {
    double processor, out, in; /* free from then on; link ends out and in */
} ends;

static const ends idle = {.in = -INFINITY}; /* the first message finds the link end free */

/* Returns when the last byte arrives if the receiver's link end is free. */
static double send(ends *from, const cpm_cost *c)
{
    double start = fmax(from->processor, from->out);
    from->processor = start + c->send;
    from->out = start + c->gap;
    return start + c->send + c->wire;
}

static void receive(ends *to, double arrival, const cpm_cost *c)
{
    to->in = fmax(arrival, to->in + c->gap);
    to->processor = fmax(to->processor, to->in) + c->recv;
}

static void message(const cpm_model *m, int from, int to, size_t bytes, ends *sender,
                    ends *receiver)
{
    cpm_cost c;
    m->type->cost(m, from, to, bytes, &c);
    receive(receiver, send(sender, &c), &c);
}

int cpm_linear_child(int root, int x)
{
    return x <= root ? x - 1 : x;
}

double cpm_linear_scatter_time(const cpm_model *m, const cpm_formula_call *c)
{
    ends at_root = idle;
    double last = 0;
    for (int x = 1; x < m->n; x++) {
        ends leaf = idle;
        message(m, c->root, cpm_linear_child(c->root, x), c->bytes, &at_root, &leaf);
        last = fmax(last, leaf.processor);
    }
    return fmax(last, at_root.processor);
}

double cpm_linear_gather_time(const cpm_model *m, const cpm_formula_call *c)
{
    ends at_root = idle;
    double last = 0;
    for (int x = 1; x < m->n; x++) {
        ends leaf = idle;
        message(m, cpm_linear_child(c->root, x), c->root, c->bytes, &leaf, &at_root);
        last = fmax(last, leaf.processor);
    }
    return fmax(last, at_root.processor);
}

/* Node v stands for process v + root; a message carries the blocks of its subtree, or one. */
typedef struct {
    const cpm_model *m;
    int root;
    size_t bytes;
    bool one_block;
    double last; /* end of everything so far */
} binomial;

static void edge(binomial *b, int from, int to, int blocks, ends *sender, ends *receiver)
{
    int n = b->m->n;
    size_t bytes = (b->one_block ? 1 : (size_t)blocks) * b->bytes;
    message(b->m, (from + b->root) % n, (to + b->root) % n, bytes, sender, receiver);
    b->last = fmax(b->last, fmax(sender->processor, receiver->processor));
}

/* From v, which has its data at the times of its ends, to the nodes [v, v + nodes). */
static void down(binomial *b, int v, int nodes, ends at_v)
{
    while (nodes > 1) {
        int half = 1;
        while (2 * half < nodes)
            half *= 2;
        ends child = idle;
        edge(b, v, v + half, nodes - half, &at_v, &child);
        down(b, v + half, nodes - half, child);
        nodes = half;
    }
}

/* The ends of v when it has received from the nodes [v, v + nodes). */
static ends up(binomial *b, int v, int nodes)
{
    ends at_v = idle;
    for (int have = 1; have < nodes; have *= 2) {
        int more = have < nodes - have ? have : nodes - have;
        ends child = up(b, v + have, more);
        edge(b, v + have, v, more, &child, &at_v);
    }
    return at_v;
}

static double time_down(const cpm_model *m, int root, size_t bytes, bool one_block)
{
    binomial b = {m, root, bytes, one_block, 0};
    down(&b, 0, m->n, idle);
    return b.last;
}

double cpm_binomial_scatter_time(const cpm_model *m, const cpm_formula_call *c)
{
    return time_down(m, c->root, c->bytes, false);
}

double cpm_binomial_bcast_time(const cpm_model *m, const cpm_formula_call *c)
{
    return time_down(m, c->root, c->bytes, true);
}

double cpm_binomial_gather_time(const cpm_model *m, const cpm_formula_call *c)
{
    binomial b = {m, c->root, c->bytes, false, 0};
    up(&b, 0, m->n);
    return b.last;
}

double cpm_binomial_way(const cpm_model *m, size_t block_bytes,
                        double (*seconds_of)(const cpm_model *m, size_t bytes))
{
    double sum = 0;
    for (int have = 1; have < m->n; have *= 2) {
        int blocks = have < m->n - have ? have : m->n - have;
        sum += seconds_of(m, (size_t)blocks * block_bytes);
    }
    return sum;
}

int cpm_binomial_levels(int n)
{
    int levels = 0;
    while (levels < 31 && (1L << levels) < n)
        levels++;
    return levels;
}
