/* cpm map: which process sits where in an algorithm's tree, by a model. */
#include <limits.h>
#include <stdlib.h>

#include "base/escape.h"
#include "mapping/mapping.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/placement.h"
#include "tools/predict/beyond.h"

/* How long to search. */
typedef struct {
    settings shared;
    int attempts;
    double budget;
} map_settings;

static map_settings *map_of(const call *c)
{
    return (map_settings *)c->set;
}

typedef struct {
    const call *c;
    placement placed; /* block sizes */
    size_t *sizes;    /* [n] bytes; NULL: all the same */
    cpm_mapping_problem problem;
    cpm_mapping_found found;
} task;

/* ---- output */

static void print_head(const task *t, const char *name, FILE *out)
{
    const cpm_mapping_found *f = &t->found;
    char model[PATH_MAX];
    fprintf(out, "# cpm map: %s, %s, %s, %d processes, root %d, %zu bytes%s\n", name,
            cpm_escape(t->c->operand[0], model, sizeof model), t->problem.model->type->name,
            t->problem.model->n, t->problem.what.at.root, t->problem.sizes.bytes,
            t->sizes ? " on average" : "");
    fprintf(out, "# predicted: ranks in order %.2f us%s, mapped %.2f us, %.1f %% less\n",
            f->in_order * 1e6,
            cpm_mapping_is_free(&t->problem) ? " (the best of binomial, linear and chain)" : "",
            f->seconds * 1e6, f->in_order > 0 ? 100 * (1 - f->seconds / f->in_order) : 0);
    fprintf(out, "# from %s, best of %ld predictions; %s\n", f->start, f->tried,
            f->converged ? "no small change gains more" : "time was over, more may gain more");
}

static int write_map(const task *t, char *name, cpm_error *e)
{
    const char *path = t->c->set->out.path;
    cpm_new_file out;
    cpm_map map = {name, t->problem.sizes.bytes, t->sizes, t->found.mapping};
    int status = output_open(path, CPM_FILE_MAP, &out, e);
    if (status)
        return status;
    print_head(t, name, out.stream);
    cpm_map_print(&map, t->problem.model->hosts, out.stream);
    if (out.stream != stdout && t->c->set->out.format == CPM_FORMAT_TEXT)
        print_head(t, name, stdout);
    return cpm_new_file_close(&out, CPM_OK, e);
}

static void add_nodes(const task *t, cpm_report_tables *all)
{
    static const cpm_report_table_column columns[] = {{"node", 0},   {"process", 0}, {"host", 0},
                                                      {"parent", 0}, {"bytes", 0},   {NULL, 0}};
    static const cpm_report_table nodes = {"nodes", NULL, columns};
    const cpm_mapping *m = &t->found.mapping;
    cpm_report_tables_begin(all, &nodes);
    for (int v = 0; v < m->n; v++) {
        int process = m->process[v], parent = m->parent ? m->parent[v] : -1;
        size_t bytes = t->sizes ? t->sizes[process] : t->problem.sizes.bytes;
        cpm_report_tables_row(all, parent < 0 ? "nns-n" : "nnsnn", (long)v, (long)process,
                              t->problem.model->hosts[process],
                              parent < 0 ? (long)bytes : (long)parent, (long)bytes);
    }
}

/* The map and its head, for programs. */
static int print_report_tables(const task *t, const char *name, cpm_error *e)
{
    const cpm_mapping_found *f = &t->found;
    cpm_report_tables all = {.title = "map"};
    cpm_report_tables_metadata(&all, "algorithm", "s", name);
    cpm_report_tables_metadata(&all, "model", "s", t->problem.model->type->name);
    cpm_report_tables_metadata(&all, "processes", "n", (long)t->problem.model->n);
    cpm_report_tables_metadata(&all, "root", "n", (long)t->problem.what.at.root);
    cpm_report_tables_metadata(&all, "size", "n", (long)t->problem.sizes.bytes);
    cpm_report_tables_metadata(&all, "in_order_us", "r", f->in_order * 1e6);
    cpm_report_tables_metadata(&all, "mapped_us", "r", f->seconds * 1e6);
    cpm_report_tables_metadata(&all, "start", "s", f->start);
    cpm_report_tables_metadata(&all, "predictions", "n", f->tried);
    cpm_report_tables_metadata(&all, "converged", "b", f->converged);
    add_nodes(t, &all);
    return output_sheets(&all, t->c->set->out.format, e);
}

/* For programs on standard output, unless the map itself goes there. */
static int give(const task *t, char *name, cpm_error *e)
{
    bool text = t->c->set->out.format == CPM_FORMAT_TEXT;
    int status = text || t->c->set->out.path ? write_map(t, name, e) : CPM_OK;
    return status || text ? status : print_report_tables(t, name, e);
}

/* ---- the task */

static int set_sizes_of_blocks(task *t, cpm_error *e)
{
    cpm_mapping_problem *p = &t->problem;
    if (t->placed.weights && !p->what.operation->like)
        return cpm_fail(e, CPM_EINVAL, "--blocks: the blocks of %s are all of one size",
                        p->what.operation->name);
    p->sizes.bytes = t->c->set->calls.sizes.at[0];
    int status = cpm_collective_sizes(&p->what, p->sizes.bytes, &t->sizes, e);
    p->sizes.each = t->sizes;
    return status;
}

/* An algorithm that needs a tree applies, as it will get one. */
static int choose(task *t, cpm_error *e)
{
    int n = t->problem.model->n;
    int *any = calloc((size_t)n, sizeof *any);
    if (!any)
        return cpm_no_memory(e);
    cpm_placement known = {.parent = any, .weights = t->placed.weights};
    choices_context context = {.n = n,
                               .root = t->c->set->calls.root,
                               .placement = &known,
                               .combining = CPM_COMBINING_USUAL};
    int status = choices_one(t->c->operand[1], &context, &t->problem.what, e);
    t->problem.what.at.parent = NULL;
    free(any);
    return status;
}

static int find(task *t, cpm_error *e)
{
    const map_settings *s = map_of(t->c);
    char name[CPM_EXPERIMENT_NAME];
    cpm_mapping_effort effort = {s->budget, s->shared.machine.seed, s->attempts,
                                 s->shared.predicting.threads};
    cpm_collective_print(&t->problem.what, name, sizeof name);
    int status = cpm_mapping_find(&t->problem, &effort, &t->found, e);
    return status ? status : give(t, name, e);
}

static int run_with(call *c, const cpm_model *m, cpm_error *e)
{
    task t = {.c = c, .problem.model = m};
    int status = output_check(c->set->out.path, CPM_FILE_MAP, e);
    if (!status && c->set->calls.root >= m->n)
        status =
            cpm_fail(e, CPM_EINVAL, "--root: %d is not in 0..%d", c->set->calls.root, m->n - 1);
    if (!status)
        status = placement_open(c->set, m->n, &t.placed, e);
    if (!status)
        placement_of_model(&t.placed, m);
    if (!status && !c->set->calls.sizes.count)
        status = cpm_fail(e, CPM_EINVAL, "a size is missing: -m SIZE, or --blocks");
    if (!status)
        status = beyond_warn(m, beyond_largest(&c->set->calls.sizes), e);
    if (!status)
        status = choose(&t, e);
    if (!status)
        status = set_sizes_of_blocks(&t, e);
    if (!status)
        status = find(&t, e);
    cpm_mapping_found_clear(&t.found);
    placement_close(&t.placed);
    free(t.sizes);
    return status;
}

static int check(const call *c, cpm_error *e)
{
    if (c->set->calls.sizes.count > 1)
        return cpm_fail(e, CPM_EINVAL, "--size: a map is for one size, not for %d",
                        c->set->calls.sizes.count);
    return output_check_format(c->set->out.path, c->set->out.format, e);
}

static void defaults(void *set)
{
    map_settings *s = set;
    s->budget = 10;
    s->attempts = 30;
    s->shared.machine.seed = 1;
}

/* clang-format off */
static const option own[] = {
    {"size", 'm', "SIZE", "block size", offsetof(settings, calls.sizes), set_sizes},
    {"blocks", 0, "LIST|FILE", "block size of each process in v-operations (with -m: scaled to "
     "that mean)", offsetof(settings, where.blocks), set_text},
    {"root", 0, "R", "root process (default 0)", offsetof(settings, calls.root), set_integer},
    {"budget", 0, "SECONDS", "time limit of the search (default 10)",
     offsetof(map_settings, budget), set_seconds},
    {"attempts", 0, "N", "end the search after N random changes without a gain (default 30)",
     offsetof(map_settings, attempts), set_integer},
    {"seed", 0, "N", "seed of the random changes (default 1)", offsetof(settings, machine.seed), set_unsigned},
    {"threads", 0, "N", "number of threads that search (default: one per processor)",
     offsetof(settings, predicting.threads), set_integer},
    {"output", 'o', "FILE", "write the map to FILE (default: standard output)", offsetof(settings, out.path),
     set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_map_command = {
    .name = "map",
    .operands = "FILE.mod OP:ALGORITHM",
    .summary = "map the processes of a tree to the cluster",
    .description = "Finds which process should sit where in the tree of an algorithm, so that "
                   "the model predicts the least time. For the algorithm tree, it also finds the "
                   "tree. Starts from known heuristics and improves them by local search. Pass "
                   "the map to predict, bench coll and draw as --map FILE. Needs no MPI.",
    .example = "cpm map cluster.mod bcast:binomial -m 16K -o bcast.map\n"
               "cpm map cluster.mod scatterv:tree --blocks 1K,64K,2K,2K",
    .min_operands = 2,
    .max_operands = 2,
    .check = check,
    .defaults = defaults,
    .settings = sizeof(map_settings),
    .options = {own, format_options, layout_options, force_options},
    .run_with = run_with,
};
