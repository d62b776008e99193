/* cpm tune: a decision table of what a model predicts to be the fastest. */
#include <stdlib.h>

#include "base/text_file.h"
#include "selection/tabulate.h"
#include "tools/choices.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/placement.h"

typedef struct {
    call *c;
    const cpm_model *model; /* of all processes */
    cpm_target target;      /* whose algorithms it may be; CPM_LIBRARY_OTHER: any */
    choices only;           /* the operands; empty: everything */
    cpm_selector_options options;
    cpm_table *table;
} tuning;

/* ---- one number of processes */

static int tune_model(const tuning *t, const cpm_model *m, cpm_error *e)
{
    int status = CPM_OK;
    for (const cpm_operation *o = cpm_operations; o->name && !status; o++)
        if (!o->like)
            status = cpm_tabulate(t->table, m, &t->options, o, t->c->set.root, &t->c->set.sizes, e);
    return status;
}

/* The first n processes of the model. */
static int tune_processes(const tuning *t, int n, cpm_error *e)
{
    cpm_model *part = NULL;
    int *process = malloc((size_t)n * sizeof *process);
    if (!process)
        return cpm_fail(e, CPM_ENOMEM, "no memory for %d processes", n);
    for (int i = 0; i < n; i++)
        process[i] = i;
    int status = cpm_model_subset(t->model, process, n, &part, e);
    if (!status)
        status = tune_model(t, part, e);
    cpm_model_free(part);
    free(process);
    return status;
}

/* ---- all of them */

/* 2, 4, 8, ... and the model's. */
static int default_processes(int n, cpm_sizes *out, cpm_error *e)
{
    int status = CPM_OK;
    for (size_t k = 2; k < (size_t)n && !status; k *= 2)
        status = cpm_sizes_add(out, k, e);
    return status ? status : cpm_sizes_add(out, (size_t)n, e);
}

static int check_processes(const cpm_sizes *all, int n, int root, cpm_error *e)
{
    for (int i = 0; i < all->count; i++)
        if (all->at[i] < 2 || all->at[i] > (size_t)n || (size_t)root >= all->at[i])
            return cpm_fail(e, CPM_EINVAL,
                            "--processes: %zu is not in 2..%d, the processes of the model%s",
                            all->at[i], n, root ? ", or has not the root" : "");
    return CPM_OK;
}

static int describe(const tuning *t, cpm_error *e)
{
    cpm_facts *f = &t->table->facts;
    char checksum[65];
    const char *path = t->c->operand[0];
    int status = cpm_text_checksum(path, checksum, e);
    if (!status)
        status = cpm_facts_set(f, e, "model", "%s", path);
    if (!status)
        status = cpm_facts_set(f, e, "model_sha256", "%s", checksum);
    if (!status)
        status = cpm_facts_set(f, e, "method", "walk through %s, root %d", t->model->type->name,
                               t->c->set.root);
    const cpm_placement in_order = {0};
    char where[CPM_FINGERPRINT];
    cpm_placement_fingerprint(&in_order, where);
    if (!status)
        status = cpm_facts_set(f, e, "placement", "%s", where);
    if (!status)
        status = cpm_facts_date(f, e);
    return status ? status : call_describe(t->c, f, e);
}

static int fill_settings(settings *s, const cpm_model *m, cpm_error *e)
{
    int status = CPM_OK;
    if (!s->all_processes.count)
        status = default_processes(m->n, &s->all_processes, e);
    if (!status && !s->sizes.count)
        status = cpm_sizes_parse("0:4M", &s->sizes, e);
    return status ? status : check_processes(&s->all_processes, m->n, s->root, e);
}

/* Of any number of processes. */
static int choose_candidates(tuning *t, cpm_error *e)
{
    const cpm_placement of_model = {.hosts = &t->model->on};
    const choices_context context = {.n = 0, .root = t->c->set.root, .placement = &of_model};
    int status = CPM_OK;
    if (t->c->operands > 1)
        status = choices_parse(t->c->operand + 1, t->c->operands - 1, &context, &t->only, e);
    t->options = CPM_SELECTOR_OWN;
    t->options.only = t->only.at;
    t->options.only_count = t->only.count;
    if (t->target.library != CPM_LIBRARY_OTHER)
        t->options.theirs = &t->target;
    return status;
}

static int tune(tuning *t, cpm_error *e)
{
    settings *s = &t->c->set;
    const char *path = s->output ? s->output : "-";
    if (s->layout && t->model->inside.count == 0)
        return cpm_fail(e, CPM_EDATA,
                        "--layout: the model knows nothing of messages inside a host: measure with "
                        "several processes on a host");
    int status = fill_settings(s, t->model, e);
    if (!status)
        status = choose_candidates(t, e);
    if (!status)
        status = output_check(path, e);
    if (!status)
        status = describe(t, e);
    for (int i = 0; i < s->all_processes.count && !status; i++)
        status = tune_processes(t, (int)s->all_processes.at[i], e);
    return status ? status : cpm_table_write(t->table, path, e);
}

static int run_with(call *c, const cpm_model *m, cpm_error *e)
{
    tuning t = {.c = c,
                .model = m,
                .target.commuting = c->set.commuting,
                .table = calloc(1, sizeof *t.table)};
    int status = t.table ? CPM_OK : cpm_fail(e, CPM_ENOMEM, "no memory for a decision table");
    if (!status && c->set.library)
        status = cpm_library_find(c->set.library, &t.target.library, e);
    if (!status)
        status = tune(&t, e);
    choices_clear(&t.only);
    cpm_table_free(t.table);
    return status;
}

static int check(const call *c, cpm_error *e)
{
    const cpm_sizes *sizes = &c->set.sizes;
    for (int i = 1; i < sizes->count; i++)
        if (sizes->at[i] <= sizes->at[i - 1])
            return cpm_fail(e, CPM_EINVAL, "--sizes: they must ascend, and %zu follows %zu",
                            sizes->at[i], sizes->at[i - 1]);
    return CPM_OK;
}

/* clang-format off */
static const option own[] = {
    {"processes", 'n', "NUMBERS", "numbers of processes: 4,8 or 2:16 (doubling) or 2:16:1; the first "
     "ones of the model (default: doubling up to all)", offsetof(settings, all_processes), set_sizes},
    {"sizes", 'm', "SIZES", "block sizes between which to look for changes (default 0:4M)",
     offsetof(settings, sizes), set_sizes},
    {"root", 0, "R", "root process (default 0)", offsetof(settings, root), set_integer},
    {"for", 0, "LIBRARY", "only algorithms that openmpi or mpich have too, for cpm export",
     offsetof(settings, library), set_text},
    {"commuting", 0, NULL, "with --for openmpi: also what is wrong for operations that do not "
     "commute, as Open MPI cannot be told to ask", offsetof(settings, commuting), NULL},
    {"output", 'o', "FILE", "where the table goes (default: standard output)",
     offsetof(settings, output), set_text},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_tune = {
    .name = "tune",
    .operands = "FILE.mod [OP[:ALGORITHM[:PARAMETER=VALUE]...]] ...",
    .summary = "write a decision table from a model",
    .description = "Finds the algorithm that a model predicts to be the fastest for numbers of "
                   "processes and all block sizes, and writes it as a decision table, for "
                   "CPM_TABLE or cpm export. Without OP for all operations. Algorithms compete "
                   "with the segments, fan-outs and meshes that are worth trying, those that are "
                   "named with parameters as they are. Needs no MPI.",
    .example = "cpm tune cluster.mod -n 2,3,4 -o table.json\n"
               "cpm tune cluster.mod bcast allgather --for openmpi -o table.json",
    .min_operands = 1,
    .max_operands = 1000,
    .check = check,
    .options = {own, layout_options},
    .run_with = run_with,
};
