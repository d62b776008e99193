/* cpm show: a model for a person, or one parameter for a script. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/options.h"
#include "tools/output.h"
#include "tools/plot_data.h"
#include "tools/table.h"

/* Up to so many processes or classes, pairs are shown one by one, and up to so many sizes,
 * processes. */
enum { FEW_PROCESSES = 8, FEW_SIZES = 4 };

/* What does not depend on the message size, instead of the index of a size. */
enum { UNSIZED = -1 };

/* ---- one parameter, for scripts */

static int print_parameter(const cpm_model *m, const char *name, cpm_error *e)
{
    char known[256] = "";
    int p = cpm_parameter_index(m->type, name);
    if (p >= 0) {
        plot_print_parameter(m, p, stdout);
        return CPM_OK;
    }
    for (int i = 0; i < m->type->count; i++) {
        strncat(known, i ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, m->type->parameters[i].name, sizeof known - strlen(known) - 1);
    }
    return cpm_fail(e, CPM_EUNKNOWN, "--param: unknown parameter '%s' of %s; known are %s", name,
                    m->type->name, known);
}

/* ---- for people */

static const unit *unit_of(const cpm_model *m, int p)
{
    return unit_named(m->type->parameters[p].unit);
}

static void name_cell(table *t, const cpm_model *m, int p)
{
    const char *name = m->type->parameters[p].name, *shown = unit_of(m, p)->shown;
    table_cell(t, *shown ? "%s [%s]" : "%s", name, shown);
}

static void value_cell(table *t, const unit *u, double value, double ci)
{
    if (isnan(value))
        table_cell(t, "unknown");
    else if (isnan(ci))
        table_cell(t, "%.*f", u->digits, value * u->factor);
    else
        table_cell(t, "%.*f +- %.*f", u->digits, value * u->factor, u->digits, ci * u->factor);
}

static void print_facts(const cpm_model *m)
{
    for (int i = 0; i < m->facts.count; i++)
        if (strcmp(m->facts.items[i].key, "hosts") != 0)
            printf("%s: %s\n", m->facts.items[i].key, m->facts.items[i].value);
}

/* Whether parameter p has that shape and belongs to the table of that size. */
static bool belongs(const cpm_model *m, int p, cpm_shape shape, int size)
{
    const cpm_parameter *parameter = &m->type->parameters[p];
    return parameter->shape == shape && parameter->sized == (size != UNSIZED);
}

static bool any_of_shape(const cpm_model *m, cpm_shape shape, int size)
{
    for (int p = 0; p < m->type->count; p++)
        if (belongs(m, p, shape, size))
            return true;
    return false;
}

static void head_cells(table *t, const cpm_model *m, cpm_shape shape, int size)
{
    for (int p = 0; p < m->type->count; p++)
        if (belongs(m, p, shape, size)) {
            name_cell(t, m, p);
            t->columns++;
        }
}

static void value_cells(table *t, const cpm_model *m, cpm_shape shape, int size, size_t at)
{
    for (int p = 0; p < m->type->count; p++)
        if (belongs(m, p, shape, size)) {
            size_t slice = size == UNSIZED ? 0 : (size_t)size;
            size_t place = slice * cpm_parameter_values(m->type, p, m->classes.count) + at;
            value_cell(t, unit_of(m, p), m->value[p][place], m->ci[p][place]);
        }
}

static void print_size(const cpm_model *m, int size)
{
    putchar('\n');
    if (size != UNSIZED)
        printf("  message size %zu B\n", m->sizes.at[size]);
}

static int print_processes(const cpm_model *m, int size, cpm_error *e)
{
    bool classes = cpm_model_has_classes(m);
    table t = {0};
    table_head(&t, classes ? "class" : "process", classes ? "processes" : "host", NULL);
    head_cells(&t, m, CPM_PROCESS, size);
    for (int i = 0; i < m->classes.count; i++) {
        if (classes) {
            table_cell(&t, "%s", m->classes.name[i]);
            table_cell(&t, "%d", m->classes.members[i]);
        } else {
            table_cell(&t, "%d", i);
            table_cell(&t, "%s", m->hosts[i]);
        }
        value_cells(&t, m, CPM_PROCESS, size, (size_t)i);
    }
    print_size(m, size);
    return table_print(&t, "  ", 2, stdout, e);
}

static void pair_cell(table *t, const cpm_model *m, int i, int j)
{
    if (cpm_model_has_classes(m))
        table_cell(t, "%s -> %s", m->classes.name[i], m->classes.name[j]);
    else
        table_cell(t, "%d -> %d", i, j);
}

static int print_pairs(const cpm_model *m, int size, cpm_error *e)
{
    int g = m->classes.count;
    table t = {0};
    table_head(&t, cpm_model_has_classes(m) ? "classes" : "pair", NULL);
    head_cells(&t, m, CPM_PAIR, size);
    for (int i = 0; i < g; i++)
        for (int j = 0; j < g; j++) {
            if (!cpm_classes_meet(&m->classes, i, j))
                continue;
            pair_cell(&t, m, i, j);
            value_cells(&t, m, CPM_PAIR, size, (size_t)i * (size_t)g + (size_t)j);
        }
    print_size(m, size);
    return table_print(&t, "  ", 1, stdout, e);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The known values of a slice of p, without pairs that are none, ascending; returns how many. */
static size_t sorted_values(const cpm_model *m, int p, int slice, double *out)
{
    int g = m->classes.count;
    size_t count = cpm_parameter_values(m->type, p, g), used = 0;
    const double *value = m->value[p] + (size_t)slice * count;
    bool pair = m->type->parameters[p].shape == CPM_PAIR;
    for (int at = 0; at < (int)count; at++)
        if ((!pair || cpm_classes_meet(&m->classes, at / g, at % g)) && !isnan(value[at]))
            out[used++] = value[at];
    qsort(out, used, sizeof *out, ascending);
    return used;
}

static void summary_cells(table *t, const unit *u, const double *values, size_t count)
{
    double middle = count ? (values[(count - 1) / 2] + values[count / 2]) / 2 : NAN;
    value_cell(t, u, count ? values[0] : NAN, NAN);
    value_cell(t, u, middle, NAN);
    value_cell(t, u, count ? values[count - 1] : NAN, NAN);
}

static int add_summary(table *t, const cpm_model *m, int p, cpm_error *e)
{
    const unit *u = unit_of(m, p);
    double *values = calloc(cpm_parameter_values(m->type, p, m->classes.count), sizeof *values);
    if (!values)
        return cpm_fail(e, CPM_ENOMEM, "no memory for a table");
    for (int k = 0; k < cpm_parameter_slices(m, p); k++) {
        name_cell(t, m, p);
        table_cell(t, "%s", m->type->parameters[p].meaning);
        if (m->sizes.count > 0 && m->type->parameters[p].sized)
            table_cell(t, "%zu", m->sizes.at[k]);
        else if (m->sizes.count > 0)
            table_cell(t, "all");
        summary_cells(t, u, values, sorted_values(m, p, k, values));
    }
    free(values);
    return CPM_OK;
}

/* Sized parameters have a row for each size. */
static int print_summary(const cpm_model *m, cpm_error *e)
{
    table t = {0};
    int status = CPM_OK;
    if (m->sizes.count)
        table_head(&t, "parameter", "meaning", "size [B]", "min", "median", "max", NULL);
    else
        table_head(&t, "parameter", "meaning", "min", "median", "max", NULL);
    for (int p = 0; !status && p < m->type->count; p++)
        if (m->type->parameters[p].shape != CPM_SCALAR)
            status = add_summary(&t, m, p, e);
    putchar('\n');
    int printed = table_print(&t, "  ", 2, stdout, e);
    return status ? status : printed;
}

static int print_scalars(const cpm_model *m, cpm_error *e)
{
    table t = {.columns = 3};
    for (int p = 0; p < m->type->count; p++) {
        if (m->type->parameters[p].shape != CPM_SCALAR)
            continue;
        name_cell(&t, m, p);
        table_cell(&t, "%s", m->type->parameters[p].meaning);
        value_cell(&t, unit_of(m, p), m->value[p][0], m->ci[p][0]);
    }
    putchar('\n');
    return table_print(&t, "  ", 2, stdout, e);
}

static int print_values(const cpm_model *m, int size, bool full, cpm_error *e)
{
    bool processes = any_of_shape(m, CPM_PROCESS, size), pairs = any_of_shape(m, CPM_PAIR, size);
    int status = CPM_OK;
    if (processes || size == UNSIZED) /* hosts are shown in any case */
        status = print_processes(m, size, e);
    if (!status && pairs && (full || m->classes.count <= FEW_PROCESSES))
        status = print_pairs(m, size, e);
    return status;
}

static int print_model(const cpm_model *m, bool full, cpm_error *e)
{
    printf("%s, %d processes", m->type->title, m->n);
    if (cpm_model_has_classes(m))
        printf(" in %d classes", m->classes.count);
    putchar('\n');
    print_facts(m);
    int status = print_summary(m, e);
    if (!status)
        status = print_values(m, UNSIZED, full, e);
    for (int k = 0; !status && k < m->sizes.count && (full || m->sizes.count <= FEW_SIZES); k++)
        status = print_values(m, k, full, e);
    if (!status && any_of_shape(m, CPM_SCALAR, UNSIZED))
        status = print_scalars(m, e);
    if (m->notes && *m->notes)
        puts("\nnotes:");
    output_lines("  ", m->notes, stdout);
    return status;
}

static int run_with(call *c, const cpm_model *m, cpm_error *e)
{
    return c->set.parameter ? print_parameter(m, c->set.parameter, e)
                            : print_model(m, c->set.full, e);
}

/* clang-format off */
static const option own[] = {
    {"param", 'p', "NAME", "only this parameter, for scripts: lines \"i value ci\" or "
     "\"i j value ci\" (\"value ci\" of a threshold), \"size\" first where it depends on the "
     "message size, in seconds, seconds per byte and bytes",
     offsetof(settings, parameter), set_text},
    {"full", 0, NULL, "all pairs and sizes, however many processes", offsetof(settings, full), NULL},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_show = {
    .name = "show",
    .operands = "FILE.mod",
    .summary = "print a model",
    .description = "Prints a model: where it comes from, its parameters with the half widths of "
                   "their confidence intervals (+-), thresholds, and what the fit noted.",
    .example = "cpm show cluster.mod\ncpm show cluster.mod --param C",
    .min_operands = 1,
    .max_operands = 1,
    .options = {own},
    .run_with = run_with,
};
