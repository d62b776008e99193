/* cpm diff: what changed between two models beyond their uncertainty. */
#include <math.h>

#include "estimators/diff.h"
#include "tools/options.h"
#include "tools/table.h"

enum { FEW_CHANGES = 20 };

/* ---- counts */

static void add_count(table *t, const cpm_model *m, int p, const cpm_diff_count *k)
{
    table_cell(t, "%s", m->type->parameters[p].name);
    table_cell(t, "%s", m->type->parameters[p].meaning);
    table_cell(t, "%d", k->compared);
    table_cell(t, "%d", k->changed);
}

static int print_counts(const cpm_model *m, const cpm_diff_result *r, cpm_error *e)
{
    table t = {0};
    table_head(&t, "parameter", "meaning", "values", "changed", NULL);
    for (int p = 0; p < m->type->count; p++)
        if (cpm_model_has_parameter(m, p))
            add_count(&t, m, p, &r->of[p]);
    int status = table_print(&t, "  ", 2, stdout, e);
    for (int p = 0; !status && p < m->type->count; p++)
        if (r->of[p].unjudged)
            printf("note: %d values of %s differ but have no interval: not judged\n",
                   r->of[p].unjudged, m->type->parameters[p].name);
    return status;
}

/* ---- changes, by name */

static void add_place(table *t, const cpm_model *m, bool by_class, const cpm_change *c)
{
    const char *name = m->type->parameters[c->parameter].name;
    char *const *class = m->classes.name;
    if (c->i < 0)
        table_cell(t, "%s", name);
    else if (m->type->parameters[c->parameter].shape == CPM_SWITCH)
        table_cell(t, "%s of switch %s", name, m->switches.name[c->i]);
    else if (by_class && c->j < 0)
        table_cell(t, "%s of class %s", name, class[c->i]);
    else if (by_class)
        table_cell(t, "%s of classes %s, %s", name, class[c->i], class[c->j]);
    else if (c->j < 0)
        table_cell(t, "%s of process %d%s%s%s", name, c->i, *m->hosts[c->i] ? " (" : "",
                   m->hosts[c->i], *m->hosts[c->i] ? ")" : "");
    else
        table_cell(t, "%s of pair %d, %d%s%s%s%s%s", name, c->i, c->j, *m->hosts[c->i] ? " (" : "",
                   m->hosts[c->i], *m->hosts[c->i] ? ", " : "", m->hosts[c->j],
                   *m->hosts[c->i] ? ")" : "");
}

static void add_change(table *t, const cpm_model *m, bool by_class, const cpm_change *c)
{
    const unit *u = unit_named(m->type->parameters[c->parameter].unit);
    double share = c->to / c->from - 1;
    add_place(t, m, by_class, c);
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

static int print_changes(const cpm_model *m, const cpm_diff_result *r, bool full, cpm_error *e)
{
    table t = {0};
    int shown = full || r->count < FEW_CHANGES ? r->count : FEW_CHANGES;
    table_head(&t, "changed", "from", "to", "by", "p", NULL);
    for (int q = 0; q < shown; q++)
        add_change(&t, m, r->by_class, &r->at[q]);
    putchar('\n');
    int status = table_print(&t, "  ", 1, stdout, e);
    if (!status && shown < r->count)
        printf("  and %d more (--full)\n", r->count - shown);
    return status;
}

/* ---- messages */

static int add_message(table *t, const cpm_model *a, const cpm_model *b, size_t bytes, cpm_error *e)
{
    cpm_diff_effect effect;
    int status = cpm_diff_message(a, b, bytes, &effect, e);
    if (status)
        return status;
    table_cell(t, "%zu", bytes);
    table_cell(t, "%+.1f %%", 100 * (effect.median - 1));
    table_cell(t, "%+.1f %%", 100 * (effect.most - 1));
    if (effect.i < 0)
        table_cell(t, "-");
    else
        table_cell(t, "%d -> %d", effect.i, effect.j);
    return CPM_OK;
}

static int print_messages(const cpm_model *a, const cpm_model *b, const cpm_sizes *sizes,
                          cpm_error *e)
{
    table t = {0};
    int status = CPM_OK;
    table_head(&t, "message [B]", "median", "most", "from -> to", NULL);
    for (int s = 0; !status && s < sizes->count; s++)
        status = add_message(&t, a, b, sizes->at[s], e);
    puts("\nmessages take longer by");
    int printed = table_print(&t, "  ", 0, stdout, e);
    return status ? status : printed;
}

/* ---- the subcommand */

static int report(call *c, const cpm_model *a, const cpm_model *b, cpm_error *e)
{
    cpm_diff_options o = CPM_DIFF_DEFAULT;
    cpm_diff_result r;
    o.alpha = c->set.alpha;
    o.least_effect = c->set.min_effect;
    if (c->set.precision.confidence > 0)
        o.confidence = c->set.precision.confidence;
    int status = cpm_diff_models(a, b, &o, &r, e);
    if (status)
        return status;
    if (r.count)
        printf("%d value%s changed beyond their uncertainty\n\n", r.count, r.count == 1 ? "" : "s");
    else
        puts("the same: nothing changed beyond its uncertainty\n");
    status = print_counts(a, &r, e);
    if (!status && r.count)
        status = print_changes(a, &r, c->set.full, e);
    if (!status && r.count)
        status = print_messages(a, b, &c->set.sizes, e);
    if (!status && r.count > 0)
        c->outcome = OUTCOME_FOUND;
    cpm_diff_clear(&r);
    return status;
}

static int run(call *c, cpm_error *e)
{
    cpm_model *a = NULL, *b = NULL;
    cpm_error why = {0};
    int status = c->set.sizes.count ? CPM_OK : cpm_sizes_parse("0,1K,64K,1M", &c->set.sizes, e);
    if (!status)
        status = cpm_model_read(c->operand[0], &a, e);
    if (!status)
        status = cpm_model_read(c->operand[1], &b, e);
    if (!status && (status = report(c, a, b, &why)))
        cpm_fail(e, status, "%s and %s: %s", c->operand[0], c->operand[1], why.text);
    cpm_model_free(a);
    cpm_model_free(b);
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
        "significantly, and what that does to messages. Exit code 3: something changed.",
    .example = "mpiexec -n 4 cpm model -o today.mod\ncpm diff cluster.mod today.mod",
    .min_operands = 2,
    .max_operands = 2,
    .options = {own},
    .defaults = defaults,
    .run = run,
};
