/* Reading a decision table: JSON, then every rule against the table of algorithms. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/numbers.h"
#include "tables/decision_table.h"

/* Whose rules are read. */
typedef struct {
    const cpm_operation *operation;
    int n;
    cpm_table *table;
} reader;

/* ---- rules */

static int read_fields(const cpm_json *at, const cpm_operation *o, cpm_rule *rule)
{
    const char *name, *timing = "isolated";
    const cpm_json_field fields[] = {
        {"algorithm", CPM_JSON_STRING, .out = &name},
        {"from", CPM_JSON_SIZE, &rule->from, .most = LONG_MAX},
        {"seconds", CPM_JSON_REAL, &rule->seconds, .optional = true},
        {"timing", CPM_JSON_STRING, &timing, .optional = true},
        {"measured", CPM_JSON_INT, &rule->figures.measured, .most = INT_MAX, .optional = true},
        {"native", CPM_JSON_REAL, &rule->figures.native, .optional = true},
        {"lead", CPM_JSON_SIGNED, &rule->figures.lead, .optional = true},
        {"least_gain", CPM_JSON_SIGNED, &rule->figures.least_gain, .optional = true},
        {0}};
    const cpm_json algorithm = cpm_json_member(at, "algorithm");
    cpm_error why = {0};
    int status = cpm_json_fields(at, fields);
    if (status)
        return status;
    if (cpm_collective_parse_algorithm(o, name, &rule->what, &why))
        return cpm_json_complain(&algorithm, "%s", why.text);
    rule->batch = strcmp(timing, "batch") == 0;
    if (rule->batch || strcmp(timing, "isolated") == 0)
        return CPM_OK;
    const cpm_json wrong = cpm_json_member(at, "timing");
    return cpm_json_complain(&wrong, "expected \"isolated\" or \"batch\" as \"timing\", found %s",
                             timing);
}

static int read_rule(const reader *r, const cpm_json *at)
{
    cpm_rule rule = {.seconds = NAN};
    cpm_error why = {0};
    if (!json_is_object(at->value))
        return cpm_json_expected(at, "a rule");
    int status = read_fields(at, r->operation, &rule);
    if (status)
        return status;
    status = cpm_table_add(r->table, r->operation, r->n, &rule, &why);
    return status ? cpm_json_complain(at, "%s", why.text) : CPM_OK;
}

/* The key of an object, and the number that it is. */
typedef struct {
    const char *key;
    int n;
} number_key;

static int read_processes(const cpm_json *at, const char *key, int *out)
{
    long n;
    if (!cpm_integer_parse(key, 1, INT_MAX, &n))
        return cpm_json_complain(
            at, "'%s' is not a number of processes, which is written like \"16\"", key);
    *out = (int)n;
    return CPM_OK;
}

static int read_rules(const reader *r, const cpm_json *list)
{
    if (!json_is_array(list->value))
        return cpm_json_expected(list, "a list of rules");
    int status = CPM_OK;
    for (size_t i = 0; !status && i < json_array_size(list->value); i++) {
        cpm_json rule = cpm_json_element(list, (int)i);
        status = read_rule(r, &rule);
    }
    return status;
}

static int ascending(const void *a, const void *b)
{
    const number_key *x = a, *y = b;
    return (x->n > y->n) - (x->n < y->n);
}

/* Rules are added in the order of the table, whatever that of the file. */
static int read_sorted(reader *r, const cpm_json *all, number_key *keys)
{
    int count = 0, status = CPM_OK;
    const char *key;
    json_t *value;
    json_object_foreach(all->value, key, value)
    {
        cpm_json at = cpm_json_member(all, key);
        keys[count].key = key;
        if (!status)
            status = read_processes(&at, key, &keys[count++].n);
    }
    qsort(keys, (size_t)count, sizeof *keys, ascending);
    for (int k = 0; k < count && !status; k++) {
        cpm_json list = cpm_json_member(all, keys[k].key);
        r->n = keys[k].n;
        status = read_rules(r, &list);
    }
    return status;
}

static int read_operation(reader *r, const cpm_json *all)
{
    if (!json_is_object(all->value))
        return cpm_json_expected(all, "lists of rules by number of processes");
    number_key *keys = malloc((json_object_size(all->value) + 1) * sizeof *keys);
    int status = keys ? read_sorted(r, all, keys) : cpm_no_memory(all->of->e);
    free(keys);
    return status;
}

static int check_names(const cpm_json *all)
{
    const char *name;
    json_t *one;
    const cpm_operation *o;
    cpm_error why = {0};
    json_object_foreach(all->value, name, one)
    {
        cpm_json at = cpm_json_member(all, name);
        if (cpm_operation_find(name, &o, &why))
            return cpm_json_complain(&at, "%s", why.text);
    }
    return CPM_OK;
}

static int read_operations(const cpm_json *root, cpm_table *t)
{
    const cpm_json all = cpm_json_member(root, "operations");
    if (!json_is_object(all.value))
        return cpm_json_expected(&all, "an object");
    int status = check_names(&all);
    for (const cpm_operation *o = cpm_operations; o->name && !status; o++) {
        cpm_json one = cpm_json_member(&all, o->name);
        if (one.value)
            status = read_operation(&(reader){o, 0, t}, &one);
    }
    return status;
}

/* ---- the whole */

/* Rules are followed by ranks in order; a table of another placement would be of another thing. */
static int check_placement(const cpm_json *root, const cpm_metadata *metadata)
{
    const cpm_placement plain = {0};
    const char *said = cpm_metadata_get(metadata, "placement");
    char here[CPM_FINGERPRINT];
    cpm_placement_fingerprint(&plain, here);
    if (!said || strcmp(said, here) == 0)
        return CPM_OK;
    const cpm_json provenance = cpm_json_member(root, "provenance"),
                   at = cpm_json_member(&provenance, "placement");
    return cpm_json_complain(&at, "the table is one of the placement '%s', and programs have '%s'",
                             said, here);
}

static int read_table(const cpm_json *root, void *out)
{
    cpm_table *t = calloc(1, sizeof *t);
    int status = t ? cpm_json_provenance(root, &t->metadata) : cpm_no_memory(root->of->e);
    if (!status)
        status = check_placement(root, &t->metadata);
    if (!status)
        status = read_operations(root, t);
    if (status)
        cpm_table_free(t);
    else
        *(cpm_table **)out = t;
    return status;
}

static const cpm_json_form form = {"decision table", "cpm table", read_table};

int cpm_table_unpack(const char *text, size_t size, const char *where, cpm_table **out,
                     cpm_error *e)
{
    return cpm_json_unpack(text, size, where, &form, out, e);
}

int cpm_table_read(const char *path, cpm_table **out, cpm_error *e)
{
    return cpm_json_read(path, &form, out, e);
}
