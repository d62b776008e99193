/* cpm algorithms: the repository of algorithms, for people, and whole for programs. */
#include <math.h>

#include "collectives/algorithm.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/table.h"

static bool is_wanted(const cpm_operation *only, const cpm_algorithm *a)
{
    return !only || cpm_algorithm_serves(a, only);
}

/* ---- for people */

typedef struct {
    char needs[120], takes[120];
} words;

static const char *const *row_of(const cpm_algorithm *a, words *w, const char *row[6])
{
    cpm_algorithm_needs(a, w->needs, sizeof w->needs);
    cpm_algorithm_takes(a, w->takes, sizeof w->takes);
    row[0] = a->operation;
    row[1] = a->name;
    row[2] = cpm_algorithm_group(a);
    row[3] = w->needs;
    row[4] = w->takes;
    row[5] = a->source;
    return row;
}

static int print_text(const cpm_operation *only, cpm_error *e)
{
    table t = {0};
    words w;
    const char *row[6];
    table_head(&t, "operation", "algorithm", "spares", "needs", "parameters", "source", NULL);
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int k = 0; is_wanted(only, a) && k < t.columns; k++)
            table_cell(&t, "%s", row_of(a, &w, row)[k]);
    return table_print(&t, "", t.columns, stdout, e);
}

/* ---- for programs */

/* Of a side at the root or elsewhere. */
static const char *blocks_of(const cpm_operation *o, cpm_side side, bool at_root)
{
    static const char *const blocks[] = {"none", "one", "of each", "of neighbours"};
    return blocks[cpm_operation_blocks(o, side, at_root)];
}

/* The number of blocks of all. */
static const char *units_of(const cpm_operation *o)
{
    if (o->send.elsewhere == CPM_BLOCK_OF_NEIGHBOUR)
        return "edges";
    return cpm_operation_is_whole(o) ? "1" : cpm_operation_is_of_pairs(o) ? "n*n" : "n";
}

static void add_operations(cpm_report_tables *all, const cpm_operation *only)
{
    static const cpm_report_table_column columns[] = {
        {"operation", 0},    {"like", 0},           {"plain", 0},
        {"rooted", 0},       {"combines", 0},       {"dataless", 0},
        {"blocks", 0},       {"counts", 0},         {"sizes_known_to", 0},
        {"in_place", 0},     {"send_at_root", 0},   {"send_elsewhere", 0},
        {"recv_at_root", 0}, {"recv_elsewhere", 0}, {NULL, 0}};
    static const cpm_report_table operations = {"operations", NULL, columns};
    static const char *const sizes[] = {"all", "root", "nobody"};
    static const char *const sides[] = {"neither", "send", "recv"};
    cpm_report_tables_begin(all, &operations);
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        if (!only || o == only)
            cpm_report_tables_row(
                all, "sssbbbsbssssss", o->name, o->like, o->plain, o->rooted, o->combines,
                o->dataless, units_of(o), o->counts, sizes[o->sizes], sides[o->in_place],
                blocks_of(o, CPM_SEND_SIDE, true), blocks_of(o, CPM_SEND_SIDE, false),
                blocks_of(o, CPM_RECV_SIDE, true), blocks_of(o, CPM_RECV_SIDE, false));
}

static const char *order_of(const cpm_algorithm *a)
{
    return cpm_algorithm_keeps_order(a, 1)               ? "always"
           : cpm_algorithm_keeps_order(a, 0)             ? "root 0"
           : a->properties & CPM_REORDERS_UNLESS_IN_ROWS ? "hosts of consecutive ranks"
                                                         : "never";
}

static void add_size(cpm_report_tables *all, size_t bytes)
{
    cpm_report_tables_row(all, bytes ? "n" : "-", (long)bytes);
}

/* A list in one cell. */
typedef struct {
    char text[120];
    size_t length;
} list;

static void list_add(list *l, const char *word)
{
    if (l->length < sizeof l->text)
        l->length += (size_t)snprintf(l->text + l->length, sizeof l->text - l->length, "%s%s",
                                      l->length ? ", " : "", word);
}

static void list_add_number(list *l, size_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", number);
    list_add(l, text);
}

static void add_list(cpm_report_tables *all, const list *l)
{
    cpm_report_tables_row(all, l->length ? "s" : "-", l->text);
}

/* Up to the first 0. */
static void add_numbers(cpm_report_tables *all, const int *numbers, size_t most)
{
    list l = {0};
    for (size_t i = 0; i < most && numbers[i]; i++)
        list_add_number(&l, (size_t)numbers[i]);
    add_list(all, &l);
}

static void add_thresholds(cpm_report_tables *all, const cpm_tries *t)
{
    list l = {0};
    for (size_t i = 0; i < sizeof t->thresholds / sizeof *t->thresholds && t->thresholds[i]; i++) {
        const cpm_parameters with = {.threshold = t->thresholds[i]};
        list_add_number(&l, cpm_threshold(&with, 0));
    }
    add_list(all, &l);
}

/* Of a level: CPM_WITHIN_HOSTS, CPM_BETWEEN_HOSTS. */
static void add_level(cpm_report_tables *all, const cpm_tries *t, int level)
{
    list l = {0};
    for (size_t i = 0; i < sizeof t->level[0] / sizeof *t->level[0] && t->level[level][i]; i++)
        list_add(&l, t->level[level][i]);
    add_list(all, &l);
}

static void add_tries(cpm_report_tables *all, const cpm_tries *t)
{
    cpm_report_tables_row(all, "bsrs", t->segments, t->below.threshold,
                          t->below.threshold ? t->below.part : NAN, t->from);
    add_thresholds(all, t);
    cpm_report_tables_row(all, "s", t->until);
    add_numbers(all, t->k, sizeof t->k / sizeof *t->k);
    cpm_report_tables_row(all, "n", (long)t->meshes);
    add_numbers(all, t->leaders, sizeof t->leaders / sizeof *t->leaders);
    add_level(all, t, CPM_WITHIN_HOSTS);
    add_level(all, t, CPM_BETWEEN_HOSTS);
}

static void add_algorithm(cpm_report_tables *all, const cpm_algorithm *a)
{
    static const cpm_tries none;
    words w;
    const char *r[6];
    row_of(a, &w, r);
    cpm_report_tables_row(all, "sssssssbb", r[0], r[1], r[2], r[3], r[4], r[5], order_of(a),
                          (a->properties & CPM_CALMS) != 0, (a->properties & CPM_OWN_SIZE) != 0);
    add_size(all, a->least);
    add_size(all, a->most);
    add_tries(all, a->tries ? a->tries : &none);
}

static int print_report_tables(const cpm_operation *only, cpm_format format, cpm_error *e)
{
    static const cpm_report_table_column columns[] = {{"operation", 0},
                                                      {"algorithm", 0},
                                                      {"spares", 0},
                                                      {"needs", 0},
                                                      {"parameters", 0},
                                                      {"source", 0},
                                                      {"keeps_order", 0},
                                                      {"calms", 0},
                                                      {"own_size", 0},
                                                      {"least", 0},
                                                      {"most", 0},
                                                      {"segments", 0},
                                                      {"segments_below", 0},
                                                      {"segments_part", 2},
                                                      {"threshold_from", 0},
                                                      {"thresholds", 0},
                                                      {"whole_until", 0},
                                                      {"k", 0},
                                                      {"mesh_dimensions", 0},
                                                      {"leaders", 0},
                                                      {"inner", 0},
                                                      {"outer", 0},
                                                      {NULL, 0}};
    static const cpm_report_table algorithms = {"algorithms", NULL, columns};
    cpm_report_tables all = {.title = "algorithms"};
    cpm_report_tables_begin(&all, &algorithms);
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        if (is_wanted(only, a))
            add_algorithm(&all, a);
    add_operations(&all, only);
    return output_sheets(&all, format, e);
}

/* ---- the subcommand */

static int run(call *c, cpm_error *e)
{
    const cpm_operation *only = NULL;
    if (c->operands && cpm_operation_find(c->operand[0], &only, e))
        return e->code;
    return c->set->out.format == CPM_FORMAT_TEXT ? print_text(only, e)
                                                 : print_report_tables(only, c->set->out.format, e);
}

/* clang-format off */
static const option own[] = {
    {"format", 0, "FORMAT", "text (default); tsv or json, with what is tried besides",
     offsetof(settings, out.format), set_format},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_algorithms_command = {
    .name = "algorithms",
    .operands = "[OP]",
    .summary = "list the algorithms of collective operations",
    .description =
        "Lists the algorithms: operation, name, what they spare, what they need (any n:\n"
        "nothing), parameters (written OP:NAME:segment=8K:k=4) and source.",
    .example = "cpm algorithms scatter\n"
               "cpm algorithms --format json",
    .max_operands = 1,
    .options = {own},
    .run = run,
};
