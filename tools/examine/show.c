/* cpm show: a model for a person, or one parameter for a script. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/nearest.h"
#include "measurements/held_out.h"
#include "models/checked.h"
#include "models/lmo2.h"
#include "tools/examine/plot_data.h"
#include "tools/examine/show.h"
#include "tools/examine/show_file.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/table.h"

/* What to show. */
typedef struct {
    settings shared;
    const char *parameter;
    bool full;
} show_settings;

static show_settings *show_of(const call *c)
{
    return (show_settings *)c->set;
}

/* Up to so many processes or classes, pairs are shown one by one, and up to so many sizes,
 * processes, if they are not more than so many hosts. */
enum { FEW_PROCESSES = 8, FEW_SIZES = 4, FEW_HOSTS = 16 };

/* What a table shows: the slice of parameters for one of their sizes; sizes NULL: parameters that
 * do not depend on the message. */
typedef struct {
    const cpm_sizes *sizes;
    int slice;
} part;
static const part unsized;

/* ---- one parameter, for scripts */

static int find_parameter(const cpm_model *m, const char *name, int *out, cpm_error *e)
{
    char known[512] = "", ask[CPM_NEAREST_TEXT];
    cpm_nearest near = {.typed = name};
    *out = cpm_parameter_index(m->type, name);
    if (*out >= 0)
        return CPM_OK;
    for (int i = 0; i < m->type->count; i++) {
        strncat(known, i ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, m->type->parameters[i].name, sizeof known - strlen(known) - 1);
        cpm_nearest_try(&near, m->type->parameters[i].name);
    }
    return cpm_fail(e, CPM_EUNKNOWN, "--param: unknown parameter '%s' of %s; known are %s%s", name,
                    m->type->name, known, cpm_nearest_ask(&near, ask, sizeof ask));
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

/* Facts of every process are for other tools, if there are several on a host. */
static bool is_shown(const cpm_model *m, const char *key)
{
    bool many = strcmp(key, "binding") == 0 || strcmp(key, CPM_METADATA_OVERHEADS) == 0 ||
                strcmp(key, "sockets") == 0;
    bool said = strcmp(key, "machine") == 0 || strcmp(key, "synthetic") == 0;
    bool check = strcmp(key, CPM_METADATA_CHECK) == 0 || strcmp(key, CPM_METADATA_CHECKED) == 0;
    bool tables = strcmp(key, "hosts") == 0 || (m->links.count && strcmp(key, "links") == 0);
    return !tables && !said && !check && !(many && m->inside.count > 0);
}

/* Whatever measures, fits or imports leaves one of these. */
static bool is_by_hand(const cpm_metadata *metadata)
{
    static const char *const left[] = {"machine", "date", "command", "measurements", "benchmark"};
    for (size_t k = 0; k < sizeof left / sizeof *left; k++)
        if (cpm_metadata_get(metadata, left[k]))
            return false;
    return true;
}

const char *show_measured_by(const cpm_metadata *metadata, char *text, size_t size)
{
    const char *machine = cpm_metadata_get(metadata, "machine"),
               *simulated = cpm_metadata_get(metadata, "synthetic");
    char name[128];
    *text = '\0';
    if (is_by_hand(metadata))
        snprintf(text, size, "nobody: no measurements are named, as of what was written by hand");
    else if (machine && strcmp(machine, "mpi") == 0)
        snprintf(text, size, "processes that sent messages over MPI");
    else if (machine && strcmp(machine, "synthetic") == 0)
        snprintf(text, size, "nobody: a model simulated the cluster (%s)",
                 cpm_escape(simulated ? simulated : "unknown", name, sizeof name));
    else if (machine)
        cpm_escape(machine, text, size);
    return text;
}

/* Those of before say nothing of it. */
static void print_check(const cpm_model *m)
{
    char text[CPM_CHECKED_TEXT];
    cpm_checked c;
    if (cpm_checked_of(&m->metadata, &c))
        printf("check: %s%s\n", cpm_checked_text(&c, text),
               cpm_checked_is_bad(&c) ? ": it is not a model of its machine" : "");
    else if (cpm_metadata_get(&m->metadata, CPM_METADATA_CHECK))
        puts("check: not made, for lack of time");
}

static void print_metadata(const cpm_model *m)
{
    char by[200];
    if (*show_measured_by(&m->metadata, by, sizeof by))
        printf("measured by: %s\n", by);
    for (int i = 0; i < m->metadata.count; i++)
        if (is_shown(m, m->metadata.items[i].key))
            printf("%s: %s\n", m->metadata.items[i].key, m->metadata.items[i].value);
    print_check(m);
}

/* Classes are hosts where a model knows their inside, unless they were put together. */
static bool classes_are_hosts(const cpm_model *m)
{
    return m->inside.count > 0 && m->on.count == m->classes.count;
}

/* Whether parameter p has that shape and belongs to the table. */
static bool belongs(const cpm_model *m, int p, cpm_shape shape, part of)
{
    const cpm_parameter *parameter = &m->type->parameters[p];
    return parameter->shape == shape && cpm_model_has_parameter(m, p) &&
           of.sizes == (parameter->sized ? cpm_parameter_sizes(m, p) : NULL);
}

static bool any_of_shape(const cpm_model *m, cpm_shape shape, part of)
{
    for (int p = 0; p < m->type->count; p++)
        if (belongs(m, p, shape, of))
            return true;
    return false;
}

static void head_cells(table *t, const cpm_model *m, cpm_shape shape, part of)
{
    for (int p = 0; p < m->type->count; p++)
        if (belongs(m, p, shape, of)) {
            name_cell(t, m, p);
            t->columns++;
        }
}

static void value_cells(table *t, const cpm_model *m, cpm_shape shape, part of, size_t at)
{
    for (int p = 0; p < m->type->count; p++)
        if (belongs(m, p, shape, of)) {
            size_t place = (size_t)of.slice * cpm_parameter_values(m, p) + at;
            value_cell(t, unit_of(m, p), m->value[p][place], m->ci[p][place]);
        }
}

const char *const show_levels[] = {"between hosts", "inside a host", "between sockets of a host",
                                   "in a process"};

/* ", inside a host", where the model knows levels. */
static const char *level_behind(const cpm_model *m, const cpm_sizes *sizes)
{
    if (!m->inside.count)
        return "";
    return sizes == &m->across   ? ", between sockets of a host"
           : sizes == &m->inside ? ", inside a host"
                                 : ", between hosts";
}

static void print_size(const cpm_model *m, part of)
{
    putchar('\n');
    if (of.sizes)
        printf("  message size %zu B%s\n", of.sizes->at[of.slice], level_behind(m, of.sizes));
}

static int print_processes(const cpm_model *m, part of, cpm_error *e)
{
    bool classes = cpm_model_has_classes(m);
    table t = {0};
    table_head(&t,
               classes_are_hosts(m) ? "host"
               : classes            ? "class"
                                    : "process",
               classes ? "processes" : "host", NULL);
    head_cells(&t, m, CPM_PROCESS, of);
    for (int i = 0; i < m->classes.count; i++) {
        if (classes) {
            table_cell(&t, "%s", m->classes.name[i]);
            table_cell(&t, "%d", m->classes.members[i]);
        } else {
            table_cell(&t, "%d", i);
            table_cell(&t, "%s", m->hosts[i]);
        }
        value_cells(&t, m, CPM_PROCESS, of, (size_t)i);
    }
    print_size(m, of);
    return table_print(&t, "  ", 2, stdout, e);
}

static void pair_cell(table *t, const cpm_model *m, int i, int j)
{
    if (cpm_model_has_classes(m))
        table_cell(t, "%s -> %s", m->classes.name[i], m->classes.name[j]);
    else
        table_cell(t, "%d -> %d", i, j);
}

static int print_pairs(const cpm_model *m, part of, cpm_error *e)
{
    int g = m->classes.count;
    table t = {0};
    table_head(&t,
               classes_are_hosts(m)       ? "hosts"
               : cpm_model_has_classes(m) ? "classes"
                                          : "pair",
               NULL);
    head_cells(&t, m, CPM_PAIR, of);
    for (int i = 0; i < g; i++)
        for (int j = 0; j < g; j++) {
            if (!cpm_classes_meet(&m->classes, i, j))
                continue;
            pair_cell(&t, m, i, j);
            value_cells(&t, m, CPM_PAIR, of, (size_t)i * (size_t)g + (size_t)j);
        }
    print_size(m, of);
    return table_print(&t, "  ", 1, stdout, e);
}

static int print_switches(const cpm_model *m, cpm_error *e)
{
    table t = {0};
    table_head(&t, "switch", "processes", NULL);
    head_cells(&t, m, CPM_SWITCH, unsized);
    for (int k = 0; k < m->switches.count; k++) {
        table_cell(&t, "%s", m->switches.name[k]);
        table_cell(&t, "%d", m->switches.members[k]);
        value_cells(&t, m, CPM_SWITCH, unsized, (size_t)k);
    }
    print_size(m, unsized);
    return table_print(&t, "  ", 2, stdout, e);
}

/* Whom messages over it are of, as in the file; as much as is read at a glance. */
static int uses_cell(table *t, const cpm_links *l, int link, cpm_error *e)
{
    enum { GLANCE = 60 };
    char *uses = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&uses, &size);
    int status = text ? cpm_links_put(l, link, text, e) : cpm_no_memory(e);
    if (text && fclose(text) != 0 && !status)
        status = cpm_no_memory(e);
    if (!status)
        table_cell(t, size > GLANCE ? "%.*s ..." : "%.*s", GLANCE, uses);
    free(uses);
    return status;
}

/* Those that messages share, or all. */
static int print_links(const cpm_model *m, bool full, cpm_error *e)
{
    table t = {0};
    int status = CPM_OK, left_out = 0;
    table_head(&t, "link", "hosts whose messages use it", NULL);
    head_cells(&t, m, CPM_INNER_LINK, unsized);
    for (int k = 0; k < m->links.count && !status; k++) {
        if (!full && isnan(m->value[CPM_LMO2_LINK][k])) {
            left_out++;
            continue;
        }
        table_cell(&t, "%s", m->links.name[k]);
        status = uses_cell(&t, &m->links, k, e);
        value_cells(&t, m, CPM_INNER_LINK, unsized, (size_t)k);
    }
    print_size(m, unsized);
    if (!status && left_out < m->links.count)
        status = table_print(&t, "  ", 2, stdout, e);
    else
        table_clear(&t);
    if (!status && left_out)
        printf("  %d link%s that no messages are known to share: --full\n", left_out,
               left_out == 1 ? "" : "s");
    return status;
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
    size_t count = cpm_parameter_values(m, p), used = 0;
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
    double *values = calloc(cpm_parameter_values(m, p), sizeof *values);
    if (!values)
        return cpm_no_memory(e);
    for (int k = 0; k < cpm_parameter_slices(m, p) && cpm_model_has_parameter(m, p); k++) {
        name_cell(t, m, p);
        table_cell(t, "%s", m->type->parameters[p].meaning);
        if (m->sizes.count > 0 && m->type->parameters[p].sized)
            table_cell(t, "%zu", cpm_parameter_sizes(m, p)->at[k]);
        else if (m->sizes.count > 0)
            table_cell(t, "all");
        summary_cells(t, u, values, sorted_values(m, p, k, values));
    }
    free(values);
    return CPM_OK;
}

/* A level of messages: between hosts, inside them, or between their sockets (or all processes, if
 * nothing is known of hosts). Sized parameters have a row for each size. */
int show_level(const cpm_model *m, cpm_level level, table *t, cpm_error *e)
{
    int status = CPM_OK;
    if (m->sizes.count)
        table_head(t, "parameter", "meaning", "size [B]", "min", "median", "max", NULL);
    else
        table_head(t, "parameter", "meaning", "min", "median", "max", NULL);
    for (int p = 0; !status && p < m->type->count; p++)
        if (m->type->parameters[p].shape != CPM_SCALAR && m->type->parameters[p].level == level)
            status = add_summary(t, m, p, e);
    return status;
}

/* What a parameter means is said once, not for each size. */
static void blank_repeated(table *t)
{
    for (int at = t->count - t->columns; at >= t->columns; at -= t->columns)
        if (strcmp(t->cell[at], t->cell[at - t->columns]) == 0)
            *t->cell[at + 1] = '\0';
}

static int print_level(const cpm_model *m, cpm_level level, cpm_error *e)
{
    table t = {0};
    int status = show_level(m, level, &t, e);
    if (!t.failed)
        blank_repeated(&t);
    putchar('\n');
    if (m->inside.count)
        printf("  %s\n", show_levels[level]);
    int printed = table_print(&t, "  ", 2, stdout, e);
    return status ? status : printed;
}

/* Levels apart; between hosts there is nothing if all processes are on one. */
bool show_has_level(const cpm_model *m, cpm_level level)
{
    if (level == CPM_BETWEEN)
        return !m->inside.count || m->on.count > 1;
    if (level == CPM_LOCAL)
        return m->type->combine != NULL;
    return cpm_model_regimes(m, level)->count > 0;
}

static int print_summary(const cpm_model *m, cpm_error *e)
{
    int status = CPM_OK;
    for (cpm_level level = CPM_BETWEEN; level <= CPM_LOCAL && !status; level++)
        if (show_has_level(m, level))
            status = print_level(m, level, e);
    return status;
}

static int print_scalars(const cpm_model *m, cpm_error *e)
{
    table t = {.columns = 3};
    for (int p = 0; p < m->type->count; p++) {
        if (m->type->parameters[p].shape != CPM_SCALAR || !cpm_model_has_parameter(m, p))
            continue;
        name_cell(&t, m, p);
        table_cell(&t, "%s", m->type->parameters[p].meaning);
        value_cell(&t, unit_of(m, p), m->value[p][0], m->ci[p][0]);
    }
    putchar('\n');
    return table_print(&t, "  ", 2, stdout, e);
}

static int print_values(const cpm_model *m, part of, bool full, cpm_error *e)
{
    bool processes = any_of_shape(m, CPM_PROCESS, of), pairs = any_of_shape(m, CPM_PAIR, of);
    int status = CPM_OK;
    if (processes || !of.sizes) /* hosts are shown in any case */
        status = print_processes(m, of, e);
    if (!status && pairs && (full || m->classes.count <= FEW_PROCESSES))
        status = print_pairs(m, of, e);
    return status;
}

static int print_sizes(const cpm_model *m, const cpm_sizes *sizes, bool full, cpm_error *e)
{
    int status = CPM_OK;
    bool few = sizes->count <= FEW_SIZES && (!m->inside.count || m->classes.count <= FEW_HOSTS);
    for (int k = 0; !status && k < sizes->count && (full || few); k++)
        status = print_values(m, (part){sizes, k}, full, e);
    return status;
}

/* ", 4 on each", or ", 1 to 4 on each". */
static void print_each(const cpm_model *m)
{
    int least = m->n, most = 0, *on = calloc((size_t)m->on.count, sizeof *on);
    for (int i = 0; on && i < m->n; i++)
        on[m->on.of[i]]++;
    for (int h = 0; on && h < m->on.count; h++) {
        least = on[h] < least ? on[h] : least;
        most = on[h] > most ? on[h] : most;
    }
    if (on && m->on.count > 1 && least == most)
        printf(", %d on each", most);
    else if (on && m->on.count > 1)
        printf(", %d to %d on each", least, most);
    free(on);
}

static void print_head(const cpm_model *m)
{
    int classes = m->classes.count;
    printf("%s, %d processes", m->type->title, m->n);
    if (m->inside.count) {
        printf(" on %d host%s", m->on.count, m->on.count == 1 ? "" : "s");
        print_each(m);
    }
    if (cpm_model_has_classes(m) && !classes_are_hosts(m))
        printf(" in %d class%s", classes, classes == 1 ? "" : "es");
    putchar('\n');
}

static int print_model(const cpm_model *m, bool full, cpm_error *e)
{
    print_head(m);
    print_metadata(m);
    int status = print_summary(m, e);
    if (!status)
        status = print_values(m, unsized, full, e);
    if (!status && m->switches.count)
        status = print_switches(m, e);
    if (!status && m->links.count)
        status = print_links(m, full, e);
    if (!status)
        status = print_sizes(m, &m->sizes, full, e);
    if (!status)
        status = print_sizes(m, &m->inside, full, e);
    if (!status)
        status = print_sizes(m, &m->across, full, e);
    if (!full && m->inside.count && m->classes.count > FEW_HOSTS)
        printf("\n  %d hosts are too many for a table at each message size: --full, or --param\n",
               m->classes.count);
    if (!status && any_of_shape(m, CPM_SCALAR, unsized))
        status = print_scalars(m, e);
    if (m->notes && *m->notes)
        puts("\nnotes:");
    output_lines("  ", m->notes, stdout);
    return status;
}

/* ---- the same for programs */

static void add_metadata(cpm_report_tables *all, const cpm_model *m)
{
    static const cpm_report_table_column columns[] = {{"fact", 0}, {"says", 0}, {NULL, 0}};
    static const cpm_report_table metadata = {"facts", NULL, columns};
    cpm_report_tables_begin(all, &metadata);
    for (int i = 0; i < m->metadata.count; i++)
        cpm_report_tables_row(all, "ss", m->metadata.items[i].key, m->metadata.items[i].value);
}

static void add_ranks(cpm_report_tables *all, const cpm_model *m)
{
    static const cpm_report_table_column columns[] = {
        {"process", 0}, {"host", 0}, {"class", 0}, {"switch", 0}, {NULL, 0}};
    static const cpm_report_table ranks = {"ranks", NULL, columns};
    bool classes = cpm_model_has_classes(m);
    cpm_report_tables_begin(all, &ranks);
    for (int i = 0; i < m->n; i++)
        cpm_report_tables_row(all, "nsss", (long)i, m->hosts[i],
                              classes ? m->classes.name[m->classes.of[i]] : NULL,
                              m->switches.count ? m->switches.name[m->switches.of[i]] : NULL);
}

/* Process, class or switch number i; NULL: there is none. */
static const char *member_name(const cpm_model *m, cpm_shape shape, int i)
{
    if (i < 0)
        return NULL;
    if (cpm_shape_thing(shape))
        return cpm_model_thing(m, shape, i);
    return cpm_model_has_classes(m) ? m->classes.name[i] : m->hosts[i];
}

static void add_value(cpm_report_tables *all, const cpm_model *m, int p, int slice, size_t at)
{
    static const char *const levels[] = {[CPM_BETWEEN] = "between",
                                         [CPM_INSIDE] = "inside",
                                         [CPM_ACROSS] = "across",
                                         [CPM_LOCAL] = "local"};
    const cpm_parameter *of = &m->type->parameters[p];
    int g = m->classes.count, i = -1, j = -1;
    if (of->shape == CPM_PAIR) {
        i = (int)at / g;
        j = (int)at % g;
        if (!cpm_classes_meet(&m->classes, i, j))
            return;
    } else if (of->shape != CPM_SCALAR) {
        i = (int)at;
    }
    size_t place = (size_t)slice * cpm_parameter_values(m, p) + at;
    cpm_report_tables_row(all, "ssnnnssrrs", of->name, levels[of->level],
                          of->sized ? (long)cpm_parameter_sizes(m, p)->at[slice] : 0L, (long)i,
                          (long)j, member_name(m, of->shape, i), member_name(m, of->shape, j),
                          m->value[p][place], m->ci[p][place], of->unit);
}

/* Those of one parameter, or of all: only -1. */
static void add_values(cpm_report_tables *all, const cpm_model *m, int only)
{
    static const cpm_report_table_column columns[] = {
        {"parameter", 0}, {"level", 0},  {"size", 0}, {"i", 0},    {"j", 0}, {"name_i", 0},
        {"name_j", 0},    {"value", 12}, {"ci", 12},  {"unit", 0}, {NULL, 0}};
    static const cpm_report_table values = {"values", NULL, columns};
    cpm_report_tables_begin(all, &values);
    for (int p = 0; p < m->type->count; p++)
        for (int k = 0; k < cpm_parameter_slices(m, p); k++)
            for (size_t at = 0; at < cpm_parameter_values(m, p); at++)
                if ((only < 0 || p == only) && cpm_model_has_parameter(m, p))
                    add_value(all, m, p, k, at);
}

/* only: one parameter, or -1. */
static int print_report_tables(const cpm_model *m, int only, cpm_format format, cpm_error *e)
{
    cpm_report_tables all = {.title = "show"};
    cpm_report_tables_metadata(&all, "model", "s", m->type->name);
    cpm_report_tables_metadata(&all, "processes", "n", (long)m->n);
    add_values(&all, m, only);
    if (only < 0) {
        add_ranks(&all, m);
        add_metadata(&all, m);
        cpm_report_tables_notes(&all, m->notes);
    }
    return output_sheets(&all, format, e);
}

/* ---- the subcommand */

static int print_one_of(const cpm_model *m, const call *c, cpm_error *e)
{
    int p;
    int status = find_parameter(m, show_of(c)->parameter, &p, e);
    if (status)
        return status;
    if (c->set->out.format != CPM_FORMAT_TEXT)
        return print_report_tables(m, p, c->set->out.format, e);
    plot_print_parameter(m, p, stdout);
    return CPM_OK;
}

/* By hosts, if the model knows their inside. */
static int print_one(const cpm_model *m, const call *c, cpm_error *e)
{
    cpm_model *hosts = NULL;
    int status = m->inside.count ? cpm_model_of_hosts(m, &hosts, e) : CPM_OK;
    if (!status)
        status = print_one_of(hosts ? hosts : m, c, e);
    cpm_model_free(hosts);
    return status;
}

static int run_with(call *c, const cpm_model *m, cpm_error *e)
{
    if (show_of(c)->parameter)
        return print_one(m, c, e);
    return c->set->out.format == CPM_FORMAT_TEXT
               ? print_model(m, show_of(c)->full, e)
               : print_report_tables(m, -1, c->set->out.format, e);
}

/* clang-format off */
static const option own[] = {
    {"param", 'p', "NAME", "print only this parameter, for scripts: lines \"i value ci\" or \"i "
     "j value ci\". A threshold has \"value ci\". Processes that share values appear as names of "
     "hosts. \"size\" comes first where values depend on the message size. Units: seconds, "
     "seconds per byte, bytes",
     offsetof(show_settings, parameter), set_text},
    {"full", 0, NULL, "print all pairs and sizes, however many processes", offsetof(show_settings, full), NULL},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_show = {
    .name = "show",
    .operands = "FILE",
    .summary = "print a model, or what a file is",
    .description = "Prints a model: its origin, its parameters with the half widths of their "
                   "confidence intervals (+-), its thresholds, and the notes of the fit. Of any "
                   "other file of cpm it prints what it is, and which commands read it.",
    .example = "cpm show cluster.mod\ncpm show cluster.mod --param L",
    .min_operands = 1,
    .max_operands = 1,
    .settings = sizeof(show_settings),
    .options = {own, format_options},
    .run_with = run_with,
    .run_other = show_file,
};
