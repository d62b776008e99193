/* LMO: processors and network contribute apart (Lastovetsky, Mkwawa, O'Flynn; thesis chapter 4). */
#include "models/lmo.h"

#include <math.h>
#include <stdio.h>

#include "models/draws.h"
#include "models/tree_times.h"

static double pair(const cpm_model *m, int parameter, int i, int j)
{
    return m->value[parameter][cpm_pair_place(m, 0, i, j)];
}

/* Seconds that a message keeps the processor of i busy, sending or receiving. */
static double processor(const cpm_model *m, int i, size_t bytes)
{
    size_t at = cpm_place(m, 0, i);
    return m->value[CPM_LMO_C][at] + (double)bytes * m->value[CPM_LMO_T][at];
}

static double wire(const cpm_model *m, int from, int to, size_t bytes)
{
    return pair(m, CPM_LMO_L, from, to) + (double)bytes * pair(m, CPM_LMO_INVBETA, from, to);
}

static void lmo_cost(const void *model, int from, int to, size_t bytes, cpm_cost *cost)
{
    const cpm_model *m = model;
    *cost = (cpm_cost){.send = processor(m, from, bytes),
                       .gap = 0,
                       .wire = wire(m, from, to, bytes),
                       .recv = processor(m, to, bytes)};
}

/* On shared link ends t absorbs part of the network's time and L or 1/beta come out slightly
 * negative; that is accepted while no message takes less than no time. */
static bool message_takes_time(const cpm_model *m, int network, int node, cpm_flaw *flaw)
{
    const cpm_parameter *p = m->type->parameters;
    int g = m->classes.count;
    for (int a = 0; a < g; a++)
        for (int b = 0; b < g; b++) {
            double of_network = m->value[network][(size_t)a * (size_t)g + (size_t)b];
            double nodes = m->value[node][a] + m->value[node][b], sum = nodes + of_network;
            if (!cpm_classes_meet(&m->classes, a, b) ||
                sum >= -1e-9 * nodes) /* files round values */
                continue;
            *flaw = (cpm_flaw){.parameter = network, .size = -1, .i = a, .j = b};
            snprintf(flaw->text, sizeof flaw->text,
                     "parameter '%s' from %d to %d is so negative (%g %s) that a message would "
                     "take negative time: %s_%d + %s + %s_%d = %g",
                     p[network].name, a, b, of_network, p[network].unit, p[node].name, a,
                     p[network].name, p[node].name, b, sum);
            return false;
        }
    return true;
}

static bool lmo_check(const cpm_model *m, cpm_flaw *flaw)
{
    return message_takes_time(m, CPM_LMO_L, CPM_LMO_C, flaw) &&
           message_takes_time(m, CPM_LMO_INVBETA, CPM_LMO_T, flaw);
}

/* Errors of a network parameter and of its processes' cancel in a message's time. */
static void draw_part(const cpm_model *m, int node, int link, cpm_random *random, cpm_model *out)
{
    size_t n = (size_t)m->classes.count;
    for (size_t i = 0; i < n; i++)
        out->value[node][i] = fmax(0, m->value[node][i] + cpm_draw_error(random, m->ci[node][i]));
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++) {
            if (!cpm_classes_meet(&m->classes, (int)i, (int)j))
                continue;
            double half = cpm_half_without(m->ci[link][i * n + j], m->ci[node][i], m->ci[node][j]);
            double nodes = out->value[node][i] + out->value[node][j];
            double off =
                cpm_draw_error(random, half) + m->value[node][i] + m->value[node][j] - nodes;
            out->value[link][i * n + j] = fmax(-nodes, m->value[link][i * n + j] + off);
            out->value[link][j * n + i] = fmax(-nodes, m->value[link][j * n + i] + off);
        }
}

static void lmo_draw(const cpm_model *m, cpm_random *random, cpm_model *out)
{
    draw_part(m, CPM_LMO_C, CPM_LMO_L, random, out);
    draw_part(m, CPM_LMO_T, CPM_LMO_INVBETA, random, out);
}

/* What is left of scatter's message to i when the root has sent it: wire and receiver. */
static double rest_of_scatter(const cpm_model *m, int root, int i, size_t bytes)
{
    return wire(m, root, i, bytes) + processor(m, i, bytes);
}

/* What comes of gather's message from i before the root receives it: sender and wire. */
static double start_of_gather(const cpm_model *m, int root, int i, size_t bytes)
{
    return wire(m, i, root, bytes) + processor(m, i, bytes);
}

typedef double part_function(const cpm_model *m, int root, int i, size_t bytes);

static double serial_at_root(const cpm_model *m, int root, size_t bytes)
{
    return (m->n - 1) * processor(m, root, bytes);
}

static double largest(const cpm_model *m, int root, size_t bytes, part_function *part)
{
    double max = -INFINITY;
    for (int i = 0; i < m->n; i++)
        if (i != root)
            max = fmax(max, part(m, root, i, bytes));
    return max;
}

double cpm_lmo_linear_scatter(const cpm_model *m, const cpm_formula_call *c)
{
    return serial_at_root(m, c->root, c->bytes) + largest(m, c->root, c->bytes, rest_of_scatter);
}

double cpm_lmo_linear_gather_small(const cpm_model *m, const cpm_formula_call *c)
{
    return serial_at_root(m, c->root, c->bytes) + largest(m, c->root, c->bytes, start_of_gather);
}

double cpm_lmo_linear_gather_large(const cpm_model *m, const cpm_formula_call *c)
{
    double sum = serial_at_root(m, c->root, c->bytes);
    for (int i = 0; i < m->n; i++)
        if (i != c->root)
            sum += start_of_gather(m, c->root, i, c->bytes);
    return sum;
}

double cpm_lmo_linear_gather(const cpm_model *m, const cpm_formula_call *c)
{
    double m2 = m->value[CPM_LMO_M2][0];
    bool large = !isnan(m2) && (double)c->bytes >= m2;
    return large ? cpm_lmo_linear_gather_large(m, c) : cpm_lmo_linear_gather_small(m, c);
}

/* clang-format off */
static const cpm_parameter parameters[] = {
    [CPM_LMO_C]       = {"C", CPM_PROCESS, false, false, "s", "fixed processing delay of a process"},
    [CPM_LMO_T]       = {"t", CPM_PROCESS, false, false, "s/B", "processing delay per byte"},
    [CPM_LMO_L]       = {"L", CPM_PAIR, false, true, "s", "latency of the network"},
    [CPM_LMO_INVBETA] = {"invbeta", CPM_PAIR, false, true, "s/B",
                         "time per byte of the network: 1/beta, the inverse of the bandwidth"},
    [CPM_LMO_S]       = {"S", CPM_SCALAR, true, false, "B", "size at which linear scatter leaps"},
    [CPM_LMO_M1]      = {"M1", CPM_SCALAR, true, false, "B", "gather escalates from this size"},
    [CPM_LMO_M2]      = {"M2", CPM_SCALAR, true, false, "B", "gather is linear again from this size"},
};

/* The linear ones take the slowest destination as if it were served last. (4.2) is printed for
 * M < M1 and (4.3) for M > M2, here from M2 on: M2 is the first size that is linear again. Both are
 * printed with 1/beta, and it is 1/beta that is averaged, over triplets as over processes; (4.10)
 * prints the average of beta, of which the fastest links have the most. */
static const cpm_formula formulas[] = {
    {"scatter", "linear", "parallel", "thesis (4.1)", false, cpm_lmo_linear_scatter, 0, 0},
    {"bcast", "linear", "parallel", "thesis (4.1)", false, cpm_lmo_linear_scatter, 0, 0},
    {"gather", "linear", "thresholds", "thesis (4.2), (4.3) from M2", false, cpm_lmo_linear_gather,
     CPM_FORMULA_UNESCALATED, 0},
    {"gather", "linear", "small", "thesis (4.2)", false, cpm_lmo_linear_gather_small,
     CPM_FORMULA_BELOW_M1, 0},
    {"gather", "linear", "large", "thesis (4.3)", false, cpm_lmo_linear_gather_large,
     CPM_FORMULA_FROM_M2, 0},
    {"scatter", "binomial", "recursion", "as thesis (5.1)", true, cpm_binomial_scatter_time, 0, 0},
    {"gather", "binomial", "recursion", "as thesis (5.1)", true, cpm_binomial_gather_time, 0, 0},
    {"bcast", "binomial", "recursion", "as thesis (5.1)", true, cpm_binomial_bcast_time, 0, 0},
    {0},
};
/* clang-format on */

const cpm_model_type cpm_lmo = {
    .name = "lmo",
    .title = "LMO (heterogeneous)",
    .source = "O'Flynn, PhD thesis, University College Dublin (2009), chapter 4",
    .min_processes = 3,
    .parameters = parameters,
    .count = sizeof parameters / sizeof parameters[0],
    .formulas = formulas,
    .cost = lmo_cost,
    .check = lmo_check,
    .draw = lmo_draw,
};
