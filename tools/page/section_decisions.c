/* Which algorithm the model takes to be the fastest: for each operation over the size, as the
 * processes are on the hosts; and the decision tables that were given. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "models/model_topology.h"
#include "models/predict.h"
#include "selection/model_selector.h"
#include "tools/page/sections.h"
#include "tools/predict/draw.h"

/* More processes are left to cpm tune, which takes its time; processor seconds of a decision. */
enum { MOST_PROCESSES = 64, SIZES = 7 };
static const size_t sizes[SIZES] = {1, 64, 1024, 8192, 65536, 262144, 1048576};
static const double effort = 0.02;

/* Of one operation and size. */
typedef struct {
    char algorithm[CPM_COLLECTIVE_NAME]; /* "": there is none */
    double seconds;
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
                               .bytes = sizes[i],
                               .hosts = hosts_of(g->m),
                               .topology = g->topology};
        status = decide(g, s, &r, &g->at[k][i], e);
    }
    if (s)
        s->free(s);
    return status;
}

static int fill(grid *g, const cpm_model *m, cpm_error *e)
{
    *g = (grid){.m = m};
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        if (!o->like)
            g->operation[g->operations++] = o;
    int status = cpm_model_topology(m, &g->topology, e);
    if (!status)
        status = cpm_parallel(g->operations, 0, decide_operation, g, e);
    cpm_topology_free(g->topology);
    return status;
}

/* ---- the grid */

/* An algorithm has the same colour wherever it is in a row; its name is there, too. */
static int colour_of(const decision *row, int i)
{
    int colour = 0;
    for (int j = 0; j < i; j++) {
        bool first = true;
        if (strcmp(row[j].algorithm, row[i].algorithm) == 0)
            return colour_of(row, j);
        for (int q = 0; q < j; q++)
            first = first && strcmp(row[q].algorithm, row[j].algorithm) != 0;
        colour += first;
    }
    return colour;
}

static void write_time(FILE *out, double seconds)
{
    if (seconds < 1e-2)
        fprintf(out, "<small>%.1f us</small>", seconds * 1e6);
    else
        fprintf(out, "<small>%.1f ms</small>", seconds * 1e3);
}

static void write_decision(FILE *out, const decision *row, int i)
{
    static const char *const colours[] = {"blue",  "orange", "green", "purple",
                                          "amber", "sky",    "grey"};
    const size_t count = sizeof colours / sizeof *colours;
    if (!*row[i].algorithm) {
        fputs("<td>-</td>", out);
        return;
    }
    fprintf(out, "<td class=\"choice\" style=\"border-left-color:var(--%s)\">",
            colours[(size_t)colour_of(row, i) % count]);
    html_text(out, row[i].algorithm);
    write_time(out, row[i].seconds);
    fputs("</td>", out);
}

static void write_size(FILE *out, size_t bytes)
{
    fprintf(out, "<th scope=\"col\">%zu %s</th>", bytes >= 1024 ? bytes / 1024 : bytes,
            bytes >= 1024 ? "KB" : "B");
}

static void write_row(FILE *out, const grid *g, int k)
{
    const cpm_operation *o = g->operation[k];
    fputs("<tr><th scope=\"row\">", out);
    html_text(out, o->name);
    fputs("</th>", out);
    for (int i = 0; i < SIZES; i++)
        if (o->dataless && i > 0)
            fputs("<td></td>", out);
        else
            write_decision(out, g->at[k], i);
    fputs("</tr>\n", out);
}

static void write_grid(FILE *out, const grid *g, const char *caption)
{
    fputs("<div class=\"scroll\" tabindex=\"0\"><table>\n", out);
    html_caption(out, caption);
    fputs("<thead><tr><th scope=\"col\">operation</th>", out);
    for (int i = 0; i < SIZES; i++)
        write_size(out, sizes[i]);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int k = 0; k < g->operations; k++)
        write_row(out, g, k);
    fputs("</tbody></table></div>\n", out);
}

/* ---- pictures */

/* Larger trees are no help. */
enum { MOST_DRAWN = 32 };

/* "4x8" where cpm draw takes it for these hosts, else a file's name. */
static void print_layout(const cpm_hosts *h, char *text, size_t size)
{
    int each = h->n / h->count;
    bool regular = each * h->count == h->n;
    for (int i = 0; i < h->n && regular; i++)
        regular = h->of[i] == i / each;
    if (regular)
        snprintf(text, size, "%dx%d", h->count, each);
    else
        snprintf(text, size, "hosts.txt");
}

static int draw_decision(const page_cluster *k, const grid *g, const char *operation, int size,
                         cpm_error *e)
{
    char name[CPM_COLLECTIVE_NAME * 2], where[32], output[PATH_MAX + 16], caption[400];
    const cpm_hosts *hosts = hosts_of(g->m);
    cpm_collective c;
    int row = 0, status;
    while (row < g->operations && strcmp(g->operation[row]->name, operation) != 0)
        row++;
    if (row == g->operations || !*g->at[row][size].algorithm)
        return CPM_OK;
    snprintf(name, sizeof name, "%s:%s", operation, g->at[row][size].algorithm);
    if (hosts)
        print_layout(hosts, where, sizeof where);
    else
        snprintf(where, sizeof where, "%d", g->m->n);
    snprintf(output, sizeof output, "%s/picture.svg", k->folder);
    snprintf(caption, sizeof caption,
             "Who sends how many blocks to whom in %s, chosen for %zu bytes", name, sizes[size]);
    status = cpm_collective_parse(name, &c, e);
    c.at.n = g->m->n;
    c.at.hosts = hosts;
    if (!status)
        status = draw_collective(&c, sizes[size], name, output, e);
    return status ? status
                  : page_figure(k, output, caption,
                                (const char *const[]){"cpm draw", name, hosts ? "--layout" : "-n",
                                                      where, "-o", "tree.svg", NULL},
                                e);
}

/* What is chosen for two operations whose algorithms mostly are trees. */
static int draw_decisions(const page_cluster *k, const grid *g, cpm_error *e)
{
    cpm_error why = {0};
    if (g->m->n > MOST_DRAWN)
        return CPM_OK;
    fputs("<div class=\"figures\">\n", k->out);
    int status = draw_decision(k, g, "bcast", 1, &why);
    if (!status)
        status = draw_decision(k, g, "scatter", 1, &why);
    fputs("</div>\n", k->out);
    return status ? page_without_picture(k, &why, e) : CPM_OK;
}

/* ---- layouts */

static int write_layout(const page_cluster *k, const cpm_model *m, const char *caption,
                        cpm_error *e)
{
    cpm_error why = {0};
    grid *g = malloc(sizeof *g);
    if (!g)
        return cpm_no_memory(e);
    int status = fill(g, m, &why);
    if (!status) {
        write_grid(k->out, g, caption);
        status = draw_decisions(k, g, e);
    } else {
        status = page_without(k, "No decisions", &why, e);
    }
    free(g);
    return status;
}

/* The first processes of a large model. */
static int first_ones(const cpm_model *m, cpm_model **out, cpm_error *e)
{
    int process[MOST_PROCESSES];
    for (int i = 0; i < MOST_PROCESSES; i++)
        process[i] = i;
    return cpm_model_subset(m, process, MOST_PROCESSES, out, e);
}

static int write_first_ones(const page_cluster *k, const cpm_model *m, const char *of, cpm_error *e)
{
    char caption[200];
    cpm_model *few = NULL;
    bool many = m->n > MOST_PROCESSES;
    int status = many ? first_ones(m, &few, e) : CPM_OK;
    if (many)
        snprintf(caption, sizeof caption, "The first %d of %d %s", few ? few->n : 0, m->n, of);
    else
        snprintf(caption, sizeof caption, "%d %s", m->n, of);
    if (!status)
        status = write_layout(k, few ? few : m, caption, e);
    cpm_model_free(few);
    return status;
}

static int write_layouts(const page_cluster *k, cpm_error *e)
{
    const cpm_model *m = k->main->model;
    cpm_model *hosts = NULL;
    bool levels = m->inside.count && m->on.count > 1 && m->on.count < m->n;
    int status =
        write_first_ones(k, m, levels ? "processes, as they are on their hosts" : "processes", e);
    if (!status && levels)
        status = cpm_model_of_hosts(m, &hosts, e);
    if (!status && levels)
        status = write_first_ones(k, hosts, "processes, one on each host", e);
    cpm_model_free(hosts);
    html_element(k->out, "p",
                 "Sizes are bytes of a block, or of the whole message of a broadcast, a reduce "
                 "or an allreduce. The root is process 0. Times are predicted until the last "
                 "process has finished. This page compares only algorithms that can be chosen in "
                 "a short time. cpm tune looks longer, and for the sizes at which the fastest "
                 "changes.");
    page_command(k, "All decisions: ",
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

static int write_table(const page_cluster *k, const page_file *f, cpm_error *e)
{
    table t = {0};
    table_head(&t, "operation", "processes", "from [B]", "algorithm", "expected [us]",
               "MPI's own, measured [us]", NULL);
    for (int i = 0; i < f->table->count; i++)
        for (int q = 0; q < f->table->at[i].count; q++)
            add_rule(&t, &f->table->at[i], &f->table->at[i].at[q]);
    return html_table(k->out, &t, f->path, e);
}

int page_decisions(const page_cluster *k, cpm_error *e)
{
    int status = k->main && k->main->model->n > 1 ? write_layouts(k, e) : CPM_OK;
    for (const page_file *f = NULL; !status && (f = page_next(k, "decision table", f));)
        status = write_table(k, f, e);
    return status;
}
