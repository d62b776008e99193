/* cpm algorithms: the repository of algorithms, as a table, or whole as JSON. */
#include "collectives/algorithm.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/table.h"

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

/* ---- the same for spreadsheets */

static int print_tsv(const cpm_operation *only, cpm_error *e)
{
    static const cpm_sheet_column columns[] = {{"operation", 0}, {"algorithm", 0},  {"spares", 0},
                                               {"needs", 0},     {"parameters", 0}, {"source", 0},
                                               {NULL, 0}};
    static const cpm_sheet algorithms = {"algorithms", NULL, columns};
    cpm_sheets all = {.title = "algorithms"};
    words w;
    const char *r[6];
    cpm_sheets_begin(&all, &algorithms);
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        if (is_wanted(only, a)) {
            row_of(a, &w, r);
            cpm_sheets_row(&all, "ssssss", r[0], r[1], r[2], r[3], r[4], r[5]);
        }
    return output_sheets(&all, CPM_FORMAT_TSV, e);
}

/* ---- for programs */

typedef struct {
    unsigned property;
    const char *name;
} property_name;

static const property_name needs[] = {
    {CPM_NEEDS_POWER_OF_2, "power of two"},
    {CPM_NEEDS_EVEN, "even"},
    {CPM_NEEDS_TOPOLOGY, "topology"},
    {CPM_NEEDS_TREE, "tree"},
    {CPM_NEEDS_HOSTS, "layout"},
    {0, NULL},
};

static const property_name takes[] = {
    {CPM_TAKES_SEGMENT, "segment"}, {CPM_TAKES_K, "k"},
    {CPM_TAKES_MESH, "mesh"},       {CPM_TAKES_INNER, "x"},
    {CPM_TAKES_INNER, "y"},         {CPM_TAKES_INNER, "z"},
    {CPM_TAKES_LEVELS, "inner"},    {CPM_TAKES_LEVELS, "outer"},
    {CPM_TAKES_LEADERS, "leaders"}, {CPM_TAKES_THRESHOLD, "threshold"},
    {CPM_TAKES_MAPPING, "map"},     {0, NULL},
};

static json_t *names_of(unsigned properties, const property_name *all)
{
    json_t *names = json_array();
    for (; all->name; all++)
        if (properties & all->property)
            json_array_append_new(names, json_string(all->name));
    return names;
}

static json_t *size_or_null(size_t bytes)
{
    return bytes ? json_integer((json_int_t)bytes) : json_null();
}

static json_t *values_of_k(const cpm_tries *t)
{
    json_t *values = json_array();
    for (size_t i = 0; i < sizeof t->k / sizeof *t->k && t->k[i]; i++)
        json_array_append_new(values, json_integer(t->k[i]));
    return values;
}

static json_t *values_of_threshold(const cpm_tries *t)
{
    json_t *values = json_array();
    for (size_t i = 0; i < sizeof t->thresholds / sizeof *t->thresholds && t->thresholds[i]; i++) {
        const cpm_parameters with = {.threshold = t->thresholds[i]};
        json_array_append_new(values, json_integer((json_int_t)cpm_threshold(&with, 0)));
    }
    return values;
}

static json_t *numbers_of_leaders(const cpm_tries *t)
{
    json_t *values = json_array();
    for (size_t i = 0; i < sizeof t->leaders / sizeof *t->leaders && t->leaders[i]; i++)
        json_array_append_new(values, json_integer(t->leaders[i]));
    return values;
}

/* Of a level: CPM_WITHIN_HOSTS, CPM_BETWEEN_HOSTS. */
static json_t *names_of_level(const cpm_tries *t, int level)
{
    json_t *names = json_array();
    for (size_t i = 0; i < sizeof t->level[0] / sizeof *t->level[0] && t->level[level][i]; i++)
        json_array_append_new(names, json_string(t->level[level][i]));
    return names;
}

static json_t *json_tries(const cpm_tries *t)
{
    json_t *below = t->below.threshold ? json_pack("{s:s, s:f}", "threshold", t->below.threshold,
                                                   "part", t->below.part)
                                       : json_null();
    return json_pack("{s:b, s:o, s:s?, s:o, s:s?, s:o, s:i, s:o, s:o, s:o}", "segments",
                     t->segments, "segments_below", below, "threshold_from", t->from, "thresholds",
                     values_of_threshold(t), "whole_until", t->until, "k", values_of_k(t),
                     "mesh_dimensions", t->meshes, "leaders", numbers_of_leaders(t), "inner",
                     names_of_level(t, CPM_WITHIN_HOSTS), "outer",
                     names_of_level(t, CPM_BETWEEN_HOSTS));
}

static json_t *json_algorithm(const cpm_algorithm *a)
{
    static const cpm_tries none;
    const char *order = cpm_algorithm_keeps_order(a, 1)               ? "always"
                        : cpm_algorithm_keeps_order(a, 0)             ? "root 0"
                        : a->properties & CPM_REORDERS_UNLESS_IN_ROWS ? "hosts of consecutive ranks"
                                                                      : "never";
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:b, s:b, s:o, s:o}", "operation", a->operation,
        "name", a->name, "source", a->source, "spares", cpm_algorithm_group(a), "needs",
        names_of(a->properties, needs), "takes", names_of(a->properties, takes), "tries",
        json_tries(a->tries ? a->tries : &none), "keeps_order", order, "calms",
        (a->properties & CPM_CALMS) != 0, "own_size", (a->properties & CPM_OWN_SIZE) != 0, "least",
        size_or_null(a->least), "most", size_or_null(a->most));
}

/* The number of blocks of an operation, as a power of the number of processes. */
static int degree_of_blocks(const cpm_operation *o)
{
    return o->units(2) == 1 ? 0 : o->units(2) == 2 ? 1 : 2;
}

/* The blocks of a side at the root and elsewhere. */
static json_t *json_side(const cpm_operation *o, cpm_side side)
{
    static const char *const blocks[] = {"none", "one", "of each"};
    return json_pack("{s:s, s:s}", "at_root", blocks[cpm_operation_blocks(o, side, true)],
                     "elsewhere", blocks[cpm_operation_blocks(o, side, false)]);
}

static json_t *json_operation(const cpm_operation *o)
{
    static const char *const blocks[] = {"1", "n", "n*n"};
    static const char *const sizes[] = {"all", "root", "nobody"};
    static const char *const sides[] = {"neither", "send", "recv"};
    return json_pack("{s:s, s:s?, s:s, s:b, s:b, s:b, s:s, s:b, s:s, s:s, s:o, s:o}", "name",
                     o->name, "like", o->like, "plain", o->plain, "rooted", o->rooted, "combines",
                     o->combines, "dataless", o->dataless, "blocks", blocks[degree_of_blocks(o)],
                     "counts", o->counts, "sizes_known_to", sizes[o->sizes], "in_place",
                     sides[o->in_place], "send", json_side(o, CPM_SEND_SIDE), "recv",
                     json_side(o, CPM_RECV_SIDE));
}

static int print_json(const cpm_operation *only, cpm_error *e)
{
    json_t *operations = json_array(), *algorithms = json_array();
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        if (!only || o == only)
            json_array_append_new(operations, json_operation(o));
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        if (is_wanted(only, a))
            json_array_append_new(algorithms, json_algorithm(a));
    return output_json(json_pack("{s:o, s:o}", "operations", operations, "algorithms", algorithms),
                       e);
}

/* ---- the subcommand */

static int run(call *c, cpm_error *e)
{
    const cpm_operation *only = NULL;
    if (c->operands && cpm_operation_find(c->operand[0], &only, e))
        return e->code;
    int (*const printers[])(const cpm_operation *, cpm_error *) = {[CPM_FORMAT_TEXT] = print_text,
                                                                   [CPM_FORMAT_TSV] = print_tsv,
                                                                   [CPM_FORMAT_JSON] = print_json};
    return printers[c->set.format](only, e);
}

/* clang-format off */
static const option own[] = {
    {"format", 0, "NAME", "text (default), tsv or json, with what is tried besides",
     offsetof(settings, format), set_format},
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
