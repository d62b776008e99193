/* cpm diff: what changed between two models beyond their uncertainty. */
#include <math.h>
#include <stdlib.h>

#include "estimators/diff.h"
#include "tools/conditions.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/table.h"

enum { FEW_CHANGES = 20 };

/* A model as it is compared. If both know the inside of hosts, whatever processes are on them: with
 * two processes on each, and if both tell its sockets apart a third on another one. */
typedef struct {
    cpm_model *a, *b;
    bool hosts, sockets;
} pair;

static bool has_level(const pair *of, cpm_level level)
{
    if (level == CPM_BETWEEN)
        return !of->hosts || of->a->on.count > 1;
    return level == CPM_INSIDE ? of->hosts : of->sockets;
}

/* ---- counts */

static void add_count(table *t, const cpm_model *m, int p, const cpm_diff_count *k)
{
    table_cell(t, "%s", m->type->parameters[p].name);
    table_cell(t, "%s", m->type->parameters[p].meaning);
    table_cell(t, "%d", k->compared);
    table_cell(t, "%d", k->changed);
}

/* The parameters of a level. */
static int print_level(const cpm_model *m, const cpm_diff_result *r, cpm_level level, cpm_error *e)
{
    table t = {0};
    table_head(&t, "parameter", "meaning", "values", "changed", NULL);
    for (int p = 0; p < m->type->count; p++)
        if (cpm_model_has_parameter(m, p) && m->type->parameters[p].level == level)
            add_count(&t, m, p, &r->of[p]);
    return table_print(&t, "  ", 2, stdout, e);
}

static void print_notes(const cpm_model *m, const cpm_diff_result *r)
{
    for (int p = 0; p < m->type->count; p++) {
        const char *name = m->type->parameters[p].name;
        if (r->of[p].unjudged)
            printf("note: %d values of %s differ but have no interval: not judged\n",
                   r->of[p].unjudged, name);
        if (r->of[p].unmeasured)
            printf("note: %d values of %s were measured of one model only: not compared\n",
                   r->of[p].unmeasured, name);
    }
}

static int print_counts(const pair *of, const cpm_diff_result *r, cpm_error *e)
{
    static const char *const heads[] = {NULL, "\n  inside a host", "\n  between sockets of a host"};
    int status = CPM_OK;
    for (cpm_level level = CPM_BETWEEN; level < CPM_LEVELS && !status; level++) {
        if (!has_level(of, level))
            continue;
        if (heads[level])
            puts(heads[level]);
        status = print_level(of->a, r, level, e);
    }
    if (!status)
        print_notes(of->a, r);
    return status;
}

/* ---- changes, by name */

/* Of classes; of hosts, which are classes, too. */
static void add_class(table *t, const cpm_model *m, const char *name, bool hosts,
                      const cpm_change *c)
{
    char *const *class = m->classes.name;
    if (c->j < 0)
        table_cell(t, "%s of %s %s", name, hosts ? "host" : "class", class[c->i]);
    else
        table_cell(t, "%s of %s %s, %s", name, hosts ? "hosts" : "classes", class[c->i],
                   class[c->j]);
}

static void add_process(table *t, const cpm_model *m, const char *name, const cpm_change *c)
{
    const char *host = m->hosts[c->i];
    if (c->j < 0)
        table_cell(t, "%s of process %d%s%s%s", name, c->i, *host ? " (" : "", host,
                   *host ? ")" : "");
    else
        table_cell(t, "%s of pair %d, %d%s%s%s%s%s", name, c->i, c->j, *host ? " (" : "", host,
                   *host ? ", " : "", m->hosts[c->j], *host ? ")" : "");
}

static void add_place(table *t, const pair *of, bool by_class, const cpm_change *c)
{
    const cpm_parameter *p = &of->a->type->parameters[c->parameter];
    char name[80];
    if (c->slice)
        snprintf(name, sizeof name, "%s from %zu B on", p->name,
                 cpm_parameter_sizes(of->a, c->parameter)->at[c->slice]);
    else
        snprintf(name, sizeof name, "%s", p->name);
    if (c->i < 0)
        table_cell(t, "%s", name);
    else if (p->shape == CPM_SWITCH)
        table_cell(t, "%s of switch %s", name, of->a->switches.name[c->i]);
    else if (by_class)
        add_class(t, of->a, name, of->hosts, c);
    else
        add_process(t, of->a, name, c);
}

static void add_change(table *t, const pair *of, bool by_class, const cpm_change *c)
{
    const unit *u = unit_named(of->a->type->parameters[c->parameter].unit);
    double share = c->to / c->from - 1;
    add_place(t, of, by_class, c);
    table_value(t, u, c->from);
    table_value(t, u, c->to);
    if (isfinite(share))
        table_cell(t, "%+.1f %%", 100 * share);
    else
        table_cell(t, "-");
    if (c->p == 0)
        table_cell(t, "exact");
    else if (c->p < 1e-9)
        table_cell(t, "< 1e-9");
    else
        table_cell(t, "%.1g", c->p);
}

static int print_changes(const pair *of, const cpm_diff_result *r, bool full, cpm_error *e)
{
    table t = {0};
    int shown = full || r->count < FEW_CHANGES ? r->count : FEW_CHANGES;
    table_head(&t, "changed", "from", "to", "by", "p", NULL);
    for (int q = 0; q < shown; q++)
        add_change(&t, of, r->by_class, &r->at[q]);
    putchar('\n');
    int status = table_print(&t, "  ", 1, stdout, e);
    if (!status && shown < r->count)
        printf("  and %d more (--full)\n", r->count - shown);
    return status;
}

/* ---- messages */

static int add_message(table *t, const pair *of, size_t bytes, cpm_level level, cpm_error *e)
{
    cpm_diff_effect effect;
    int status = cpm_diff_message(of->a, of->b, bytes, level, &effect, e);
    if (status)
        return status;
    table_cell(t, "%zu", bytes);
    table_cell(t, "%+.1f %%", 100 * (effect.median - 1));
    table_cell(t, "%+.1f %%", 100 * (effect.most - 1));
    if (effect.i < 0)
        table_cell(t, "-");
    else if (level != CPM_BETWEEN)
        table_cell(t, "%s", of->a->hosts[effect.i]);
    else if (of->hosts)
        table_cell(t, "%s -> %s", of->a->hosts[effect.i], of->a->hosts[effect.j]);
    else
        table_cell(t, "%d -> %d", effect.i, effect.j);
    return CPM_OK;
}

static int print_level_messages(const pair *of, const cpm_sizes *sizes, cpm_level level,
                                cpm_error *e)
{
    static const char *const where[] = {" between hosts", " inside a host",
                                        " between sockets of a host"};
    table t = {0};
    int status = CPM_OK;
    table_head(&t, "message [B]", "median", "most", level == CPM_BETWEEN ? "from -> to" : "host",
               NULL);
    for (int s = 0; !status && s < sizes->count; s++)
        status = add_message(&t, of, sizes->at[s], level, e);
    printf("\nmessages%s take longer by\n", of->hosts ? where[level] : "");
    int printed = table_print(&t, "  ", 0, stdout, e);
    return status ? status : printed;
}

static int print_messages(const pair *of, const cpm_sizes *sizes, cpm_error *e)
{
    int status = CPM_OK;
    for (cpm_level level = CPM_BETWEEN; level < CPM_LEVELS && !status; level++)
        if (has_level(of, level))
            status = print_level_messages(of, sizes, level, e);
    return status;
}

/* ---- the same for programs */

static const char *const levels[] = {
    [CPM_BETWEEN] = "between", [CPM_INSIDE] = "inside", [CPM_ACROSS] = "across"};

static void add_counts(cpm_sheets *all, const pair *of, const cpm_diff_result *r)
{
    static const cpm_sheet_column columns[] = {{"parameter", 0}, {"level", 0},    {"values", 0},
                                               {"changed", 0},   {"unjudged", 0}, {"unmeasured", 0},
                                               {NULL, 0}};
    static const cpm_sheet counts = {"parameters", NULL, columns};
    cpm_sheets_begin(all, &counts);
    for (int p = 0; p < of->a->type->count; p++) {
        const cpm_diff_count *k = &r->of[p];
        cpm_level level = of->a->type->parameters[p].level;
        if (cpm_model_has_parameter(of->a, p) && has_level(of, level))
            cpm_sheets_row(all, "ssnnnn", of->a->type->parameters[p].name, levels[level],
                           (long)k->compared, (long)k->changed, (long)k->unjudged,
                           (long)k->unmeasured);
    }
}

/* Of process, host, class or switch i of a parameter; NULL: there is none. */
static const char *name_at(const pair *of, const cpm_parameter *p, bool by_class, int i)
{
    if (i < 0)
        return NULL;
    if (p->shape == CPM_SWITCH)
        return of->a->switches.name[i];
    return by_class && cpm_model_has_classes(of->a) ? of->a->classes.name[i] : of->a->hosts[i];
}

static void add_changes(cpm_sheets *all, const pair *of, const cpm_diff_result *r)
{
    static const cpm_sheet_column columns[] = {
        {"parameter", 0}, {"level", 0},  {"size", 0},   {"i", 0},     {"j", 0},
        {"name_i", 0},    {"name_j", 0}, {"before", 9}, {"after", 9}, {"unit", 0},
        {"change", 4},    {"p", 9},      {NULL, 0}};
    static const cpm_sheet changes = {"changes", NULL, columns};
    cpm_sheets_begin(all, &changes);
    for (int q = 0; q < r->count; q++) {
        const cpm_change *c = &r->at[q];
        const cpm_parameter *p = &of->a->type->parameters[c->parameter];
        cpm_sheets_row(all, "ssnnnssrrsrr", p->name, levels[p->level],
                       c->slice ? (long)cpm_parameter_sizes(of->a, c->parameter)->at[c->slice] : 0L,
                       (long)c->i, (long)c->j, name_at(of, p, r->by_class, c->i),
                       name_at(of, p, r->by_class, c->j), c->from, c->to, p->unit,
                       c->to / c->from - 1, c->p);
    }
}

static int add_effects(cpm_sheets *all, const pair *of, const cpm_sizes *sizes, cpm_error *e)
{
    static const cpm_sheet_column columns[] = {
        {"level", 0}, {"size", 0}, {"median_change", 4}, {"most_change", 4}, {"i", 0},
        {"j", 0},     {NULL, 0}};
    static const cpm_sheet messages = {"messages", NULL, columns};
    int status = CPM_OK;
    cpm_sheets_begin(all, &messages);
    for (cpm_level level = CPM_BETWEEN; level < CPM_LEVELS; level++)
        for (int s = 0; has_level(of, level) && s < sizes->count && !status; s++) {
            cpm_diff_effect effect;
            status = cpm_diff_message(of->a, of->b, sizes->at[s], level, &effect, e);
            if (!status)
                cpm_sheets_row(all, "snrrnn", levels[level], (long)sizes->at[s], effect.median - 1,
                               effect.most - 1, (long)effect.i, (long)effect.j);
        }
    return status;
}

static int print_sheets(const call *c, const pair *of, const cpm_diff_result *r, cpm_error *e)
{
    cpm_sheets all = {.title = "diff"};
    cpm_sheets_fact(&all, "before", "s", c->operand[0]);
    cpm_sheets_fact(&all, "after", "s", c->operand[1]);
    cpm_sheets_fact(&all, "model", "s", of->a->type->name);
    cpm_sheets_fact(&all, "changed", "n", (long)r->count);
    add_counts(&all, of, r);
    add_changes(&all, of, r);
    int status = add_effects(&all, of, &c->set.sizes, e);
    if (!status)
        return output_sheets(&all, c->set.format, e);
    cpm_sheets_clear(&all);
    return status;
}

static int print_text(const call *c, const pair *of, const cpm_diff_result *r, cpm_error *e)
{
    if (r->count)
        printf("%d value%s changed beyond their uncertainty\n\n", r->count,
               r->count == 1 ? "" : "s");
    else
        puts("the same: nothing changed beyond its uncertainty\n");
    int status = print_counts(of, r, e);
    if (!status && r->count)
        status = print_changes(of, r, c->set.full, e);
    if (!status && r->count)
        status = print_messages(of, &c->set.sizes, e);
    return status;
}

/* ---- the subcommand */

static int report(call *c, const pair *of, cpm_error *e)
{
    cpm_diff_options o = CPM_DIFF_DEFAULT;
    cpm_diff_result r;
    o.alpha = c->set.alpha;
    o.least_effect = c->set.min_effect;
    if (c->set.precision.confidence > 0)
        o.confidence = c->set.precision.confidence;
    int status = cpm_diff_models(of->a, of->b, &o, &r, e);
    if (status)
        return status;
    status = (c->set.format == CPM_FORMAT_TEXT ? print_text : print_sheets)(c, of, &r, e);
    if (!status && r.count > 0)
        c->outcome = OUTCOME_FOUND;
    cpm_diff_clear(&r);
    return status;
}

static int read_pair(call *c, pair *of, cpm_error *e)
{
    int status = cpm_model_read(c->operand[0], &of->a, e);
    if (!status)
        status = cpm_model_read(c->operand[1], &of->b, e);
    if (!status)
        conditions_repeat(c->operand[0], &of->a->facts);
    if (!status)
        conditions_repeat(c->operand[1], &of->b->facts);
    of->hosts = !status && of->a->inside.count > 0 && of->b->inside.count > 0;
    of->sockets = of->hosts && of->a->across.count > 0 && of->b->across.count > 0;
    return status;
}

/* Of `each` processes of every host: the first two are on one socket, a third on another. */
static void find_sockets(const cpm_model *m, int each, int *socket)
{
    for (int i = 0; i < each * m->on.count; i++)
        socket[i] = -1;
    for (int i = 0; i < m->n && m->on.socket; i++) {
        int *of = socket + (ptrdiff_t)each * m->on.of[i], own = m->on.socket[i];
        if (of[0] < 0)
            of[0] = of[1] = own;
        else if (each > 2 && own >= 0 && own != of[0])
            of[2] = own;
    }
}

/* So many processes on each host. */
static int place(cpm_model **m, int each, cpm_error *e)
{
    cpm_model *placed;
    int n = each * (*m)->on.count, *host = malloc((size_t)n * sizeof *host);
    int *socket = malloc((size_t)n * sizeof *socket), status = CPM_OK;
    if (!host || !socket)
        status = cpm_fail(e, CPM_ENOMEM, "no memory for the hosts of a model");
    for (int i = 0; i < n && !status; i++)
        host[i] = i / each;
    if (!status) {
        find_sockets(*m, each, socket);
        status = cpm_model_place(*m, host, socket, n, &placed, e);
    }
    free(host);
    free(socket);
    if (status)
        return status;
    cpm_model_free(*m);
    *m = placed;
    return CPM_OK;
}

static int run(call *c, cpm_error *e)
{
    pair of = {0};
    cpm_error why = {0};
    int status = c->set.sizes.count ? CPM_OK : cpm_sizes_parse("0,1K,64K,1M", &c->set.sizes, e);
    if (!status)
        status = read_pair(c, &of, e);
    if (!status && of.hosts)
        status = place(&of.a, of.sockets ? 3 : 2, e);
    if (!status && of.hosts)
        status = place(&of.b, of.sockets ? 3 : 2, e);
    if (!status && (status = report(c, &of, &why)))
        cpm_fail(e, status, "%s and %s: %s", c->operand[0], c->operand[1], why.text);
    cpm_model_free(of.a);
    cpm_model_free(of.b);
    return status;
}

static void defaults(settings *s)
{
    s->min_effect = CPM_DIFF_DEFAULT.least_effect;
    s->alpha = CPM_DIFF_DEFAULT.alpha;
}

/* clang-format off */
static const option own[] = {
    {"min-effect", 0, "X", "leave out what changed by less than this share (default 0)",
     offsetof(settings, min_effect), set_number},
    {"alpha", 0, "X", "chance of any change between models of an unchanged cluster "
     "(default 0.01)", offsetof(settings, alpha), set_share},
    {"confidence", 0, "X", "level of the models' intervals (default 0.95)",
     offsetof(settings, precision.confidence), set_share},
    {"sizes", 'm', "SIZES", "messages whose times are compared (default 0,1K,64K,1M)",
     offsetof(settings, sizes), set_sizes},
    {"full", 0, NULL, "all changes, however many", offsetof(settings, full), NULL},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_diff = {
    .name = "diff",
    .operands = "BEFORE.mod AFTER.mod",
    .summary = "name what changed between two models",
    .description =
        "Compares two models of the same kind, processes and hosts value by value. A value "
        "changed if its two intervals leave no other explanation (p: the chance of any such "
        "change by errors alone, corrected for all values); without intervals in both models "
        "values are exact. Says how many values of each parameter changed, which most "
        "significantly, and what that does to messages. What only one of them measured is no "
        "difference. Models that know the inside of hosts are compared by hosts, whatever "
        "processes are on them. Exit code 3: something changed.",
    .example = "mpiexec -n 4 cpm model -o today.mod\ncpm diff cluster.mod today.mod",
    .min_operands = 2,
    .max_operands = 2,
    .options = {own, format_options},
    .defaults = defaults,
    .run = run,
};
