/* Which algorithm the model takes to be the fastest: for each operation over the size, as the
 * processes are on the hosts; and the decision tables that were given. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "collectives/schedule/graph.h"
#include "models/interp.h"
#include "models/model_topology.h"
#include "models/predict.h"
#include "selection/lower_bound.h"
#include "selection/model_selector.h"
#include "tools/page/sections.h"

/* More processes are left to cpm tune, which takes its time; processor seconds of a decision. */
enum { MOST_PROCESSES = 64, SIZES = 12 };
/* Of every so manieth size the best possible is worked out. */
enum { SHOWN = 3 };
static const double effort = 0.02;

/* 1 B to 4 MB, four times as many each. */
static size_t size_of(int i)
{
    return (size_t)1 << 2 * i;
}

/* Of one operation and size. */
typedef struct {
    char algorithm[CPM_COLLECTIVE_NAME]; /* "": there is none */
    double seconds;
    cpm_lower_bound bound; /* no schedule takes less; limit "": it is not known */
} decision;

typedef struct {
    const cpm_model *m;
    cpm_topology *topology;
    const cpm_operation *operation[CPM_OPERATIONS];
    int operations;
    decision at[CPM_OPERATIONS][SIZES];
} grid;

/* ---- deciding */

static const cpm_hosts *hosts_of(const cpm_model *m)
{
    return cpm_hosts_have_levels(&m->on) ? &m->on : NULL;
}

static int decide(const grid *g, cpm_selector *s, const cpm_request *r, decision *out, cpm_error *e)
{
    cpm_choice choice = {0};
    int status = s->choose(s, r, &choice, e);
    if (status)
        return status;
    if (choice.what.algorithm) {
        const cpm_collective c = cpm_request_collective(r, &choice.what);
        cpm_collective_print_algorithm(&choice.what, out->algorithm, sizeof out->algorithm);
        out->seconds = cpm_predict_bytes(g->m, &c, r->bytes, NULL, NULL, e);
    }
    cpm_choice_clear(&choice);
    return out->seconds < 0 ? (int)out->seconds : CPM_OK;
}

/* The best possible; a model that knows no messages has none. */
static int bound(const grid *g, const cpm_request *r, cpm_lower_bound *out)
{
    const cpm_collective any = {
        .operation = r->operation, .at = {.n = r->n, .root = r->root}, .combining = r->combining};
    const int status = cpm_lower_bound_of(g->m, &any, r->bytes, out, NULL);
    return status == CPM_EINVAL ? CPM_OK : status;
}

static int decide_operation(void *context, int k, cpm_error *e)
{
    grid *g = context;
    cpm_selector *s = NULL;
    cpm_selector_options options = CPM_SELECTOR_OWN;
    options.effort = effort;
    options.topology = g->topology;
    int status = cpm_selector_of_model(g->m, &options, &s, e);
    for (int i = 0; i < SIZES && !status; i++) {
        const cpm_request r = {.operation = g->operation[k],
                               .combining = CPM_COMBINING_USUAL,
                               .n = g->m->n,
                               .bytes = size_of(i),
                               .hosts = hosts_of(g->m),
                               .topology = g->topology};
        status = decide(g, s, &r, &g->at[k][i], e);
        if (!status && i % SHOWN == 0)
            status = bound(g, &r, &g->at[k][i].bound);
    }
    if (s)
        s->free(s);
    return status;
}

static int fill(grid *g, const cpm_model *m, cpm_error *e)
{
    *g = (grid){.m = m};
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        if (!o->like && !cpm_operation_is_of_neighbours(o))
            g->operation[g->operations++] = o;
    int status = cpm_model_topology(m, &g->topology, e);
    if (!status)
        status = cpm_parallel(g->operations, 0, decide_operation, g, e);
    cpm_topology_free(g->topology);
    return status;
}

/* ---- trees: who sends how many blocks to whom in what is chosen for two operations */

/* Larger ones are no help; the second size is small. */
enum { MOST_DRAWN = 32, DRAWN_SIZE = 3 };

/* [from, to, round, blocks] of each message. */
static void set_edges(const page_cluster *k, json_t *block, const cpm_graph *graph)
{
    json_t *edges = block_set_list(&k->to, block, "edges");
    for (int i = 0; i < graph->count; i++) {
        const cpm_edge *edge = &graph->at[i];
        json_t *one = block_append_list(&k->to, edges);
        block_append(&k->to, one, json_integer(edge->from));
        block_append(&k->to, one, json_integer(edge->to));
        block_append(&k->to, one, json_integer(edge->round));
        block_append(&k->to, one, block_number((double)edge->positions / graph->pieces, 3));
    }
}

static int make_graph(const cpm_model *m, const char *name, cpm_graph *graph, cpm_error *e)
{
    cpm_collective c;
    cpm_schedule *schedule = NULL;
    const cpm_block_sizes sizes = {.bytes = size_of(DRAWN_SIZE)};
    int status = cpm_collective_parse(name, &c, e);
    c.at.n = m->n;
    c.at.hosts = hosts_of(m);
    if (!status)
        status = cpm_collective_schedule(&c, &sizes, &schedule, e);
    if (!status)
        status = cpm_graph_create(schedule, graph, e);
    cpm_schedule_free(schedule);
    return status;
}

static int add_tree(const page_cluster *k, const grid *g, const char *operation, cpm_error *e)
{
    char name[CPM_COLLECTIVE_NAME * 2];
    cpm_graph graph = {0};
    int row = 0;
    while (row < g->operations && strcmp(g->operation[row]->name, operation) != 0)
        row++;
    if (row == g->operations || !*g->at[row][DRAWN_SIZE].algorithm)
        return CPM_OK;
    snprintf(name, sizeof name, "%s:%s", operation, g->at[row][DRAWN_SIZE].algorithm);
    int status = make_graph(g->m, name, &graph, e);
    if (!status) {
        json_t *block = block_add(&k->to, "tree");
        block_set(&k->to, block, "title",
                  block_print("Who sends how many blocks to whom in %s, chosen for %zu bytes", name,
                              size_of(DRAWN_SIZE)));
        block_set(&k->to, block, "n", json_integer(graph.n));
        set_edges(k, block, &graph);
    }
    cpm_graph_free(&graph);
    return status;
}

static int add_trees(const page_cluster *k, const grid *g, cpm_error *e)
{
    cpm_error why = {0};
    int status = g->m->n > MOST_DRAWN ? CPM_OK : add_tree(k, g, "bcast", &why);
    if (!status && g->m->n <= MOST_DRAWN)
        status = add_tree(k, g, "scatter", &why);
    return status ? page_without(k, "Not drawn", &why, e) : CPM_OK;
}

/* ---- the table: a row for each operation of each layout */

/* [algorithm, us] of each size; null: there is none. */
static void add_row(const page_cluster *k, json_t *rows, const grid *g, int o, const char *layout)
{
    json_t *row = json_object();
    block_set_text(&k->to, row, "operation", g->operation[o]->name);
    block_set_text(&k->to, row, "layout", layout);
    json_t *at = block_set_list(&k->to, row, "at");
    for (int i = 0; i < SIZES; i++) {
        const decision *d = &g->at[o][i];
        if (!*d->algorithm || (i && g->operation[o]->dataless)) {
            block_append(&k->to, at, json_null());
            continue;
        }
        json_t *cell = block_append_list(&k->to, at);
        block_append(&k->to, cell, block_text_of(d->algorithm));
        block_append(&k->to, cell, block_number(d->seconds * 1e6, 4));
    }
    block_append(&k->to, rows, row);
}

/* ---- how much is left to gain */

static void add_bounds(const page_cluster *k, const grid *g, const char *layout)
{
    char title[200];
    table t = {0};
    table_head(&t, "operation", "size", "at least [us]", "because of", "fastest [us]", "algorithm",
               "over", NULL);
    for (int o = 0; o < g->operations; o++)
        for (int i = 0; i < SIZES; i += SHOWN) {
            const decision *d = &g->at[o][i];
            if (!(d->bound.seconds > 0) || !*d->algorithm || (i && g->operation[o]->dataless))
                continue;
            table_cell(&t, "%s", g->operation[o]->name);
            table_cell(&t, "%zu", size_of(i));
            table_us(&t, d->bound.seconds);
            table_cell(&t, "%s", d->bound.limit);
            table_us(&t, d->seconds);
            table_cell(&t, "%s", d->algorithm);
            table_cell(&t, "%.2f", d->seconds / d->bound.seconds);
        }
    snprintf(title, sizeof title, "What is left to gain: the least time of any schedule, %s",
             layout);
    if (t.count == t.columns) /* only the head */
        table_clear(&t);
    else
        block_table(&k->to, &t, title, "All rows");
}

static int add_layout(const page_cluster *k, json_t *rows, const cpm_model *m, const char *layout,
                      cpm_error *e)
{
    cpm_error why = {0};
    grid *g = malloc(sizeof *g);
    if (!g)
        return cpm_no_memory(e);
    int status = fill(g, m, &why);
    const bool first = json_array_size(rows) == 0;
    for (int o = 0; o < g->operations && !status; o++)
        add_row(k, rows, g, o, layout);
    if (first && !status)
        add_bounds(k, g, layout);
    status = status                ? page_without(k, "No decisions", &why, e)
             : m == k->main->model ? add_trees(k, g, e)
                                   : CPM_OK;
    free(g);
    return status;
}

/* Of the first processes of a model. */
static int add_first_ones(const page_cluster *k, json_t *rows, const cpm_model *m, int n,
                          const char *of, cpm_error *e)
{
    char layout[100];
    int process[MOST_PROCESSES];
    cpm_model *few = NULL;
    for (int i = 0; i < n && n < m->n; i++)
        process[i] = i;
    int status = n < m->n ? cpm_model_subset(m, process, n, &few, e) : CPM_OK;
    if (n < m->n)
        snprintf(layout, sizeof layout, "first %d of %d %s", n, m->n, of);
    else
        snprintf(layout, sizeof layout, "%d %s", n, of);
    if (!status)
        status = add_layout(k, rows, few ? few : m, layout, e);
    cpm_model_free(few);
    return status;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* As the processes are; and one on each host, or half of them. */
static int add_layouts(const page_cluster *k, json_t *rows, cpm_error *e)
{
    const cpm_model *m = k->main->model;
    cpm_model *hosts = NULL;
    bool levels = m->inside.count && m->on.count > 1 && m->on.count < m->n;
    int n = smaller(m->n, MOST_PROCESSES);
    int status = add_first_ones(k, rows, m, n,
                                levels ? "processes, as they are on their hosts" : "processes", e);
    if (!status && levels) {
        status = cpm_model_of_hosts(m, &hosts, e);
        if (!status)
            status = add_first_ones(k, rows, hosts, smaller(hosts->n, MOST_PROCESSES),
                                    "processes, one on each host", e);
    } else if (!status && n > 3 && m->type != &cpm_interp) {
        status = add_first_ones(k, rows, m, n / 2, "processes", e);
    }
    cpm_model_free(hosts);
    return status;
}

static int make_decisions(const page_cluster *k, cpm_error *e)
{
    json_t *block = block_add(&k->to, "decisions");
    json_t *columns = block_set_list(&k->to, block, "sizes");
    for (int i = 0; i < SIZES; i++)
        block_append(&k->to, columns, json_integer((json_int_t)size_of(i)));
    int status = add_layouts(k, block_set_list(&k->to, block, "rows"), e);
    block_text(&k->to, NULL,
               "Sizes are bytes of a block, or of the whole message of a broadcast, a reduce "
               "or an allreduce. The root is process 0. Times are predicted until the last "
               "process has finished. This page compares only algorithms that can be chosen in "
               "a short time. cpm tune looks longer, and for the sizes at which the fastest "
               "changes.");
    block_command(&k->to, "All decisions: ",
                  (const char *const[]){"cpm tune", k->main->path, "-o", "table.json", NULL});
    return status;
}

/* ---- tables that were given */

static void time_cell(table *t, double seconds)
{
    if (seconds > 0)
        table_us(t, seconds);
    else
        table_cell(t, "-");
}

static void add_rule(table *t, const cpm_rules *r, const cpm_rule *rule)
{
    char name[CPM_COLLECTIVE_NAME];
    cpm_collective_print_algorithm(&rule->what, name, sizeof name);
    table_cell(t, "%s", r->operation->name);
    table_cell(t, "%d", r->n);
    table_cell(t, "%zu", rule->from);
    table_cell(t, "%s", name);
    time_cell(t, rule->seconds);
    time_cell(t, rule->figures.measured ? rule->figures.native : NAN);
}

static void make_table(const page_cluster *k, const page_file *f)
{
    table t = {0};
    table_head(&t, "operation", "processes", "from [B]", "algorithm", "expected [us]",
               "MPI's own, measured [us]", NULL);
    for (int i = 0; i < f->table->count; i++)
        for (int q = 0; q < f->table->at[i].count; q++)
            add_rule(&t, &f->table->at[i], &f->table->at[i].at[q]);
    block_table(&k->to, &t, f->path, NULL);
}

int page_decisions(const page_cluster *k, cpm_error *e)
{
    int status = k->main && k->main->model->n > 1 ? make_decisions(k, e) : CPM_OK;
    for (const page_file *f = NULL; !status && (f = page_next(k, "decision table", f));)
        make_table(k, f);
    return status;
}
