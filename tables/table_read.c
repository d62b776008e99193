/* Reading a decision table: JSON by jansson, then every rule against the table of algorithms. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/text_file.h"
#include "models/mod_source.h"
#include "tables/decision_table.h"

typedef struct {
    const mod_source *source;
    mod_place place; /* of what is read */
    const cpm_operation *operation;
    int n;
    cpm_table *table;
} reader;

/* ---- rules */

static int read_name(const reader *r, const json_t *object, cpm_rule *rule)
{
    const json_t *name = json_object_get(object, "algorithm");
    mod_place p = mod_inside(r->place, "algorithm", 0);
    if (!json_is_string(name))
        return mod_complain(r->source, &p, "expected a name as \"algorithm\", found %s",
                            mod_kind(name));
    cpm_error why = {0};
    int status =
        cpm_collective_parse_algorithm(r->operation, json_string_value(name), &rule->what, &why);
    return status ? mod_complain(r->source, &p, "%s", why.text) : CPM_OK;
}

static int read_numbers(const reader *r, const json_t *object, cpm_rule *rule)
{
    const json_t *from = json_object_get(object, "from");
    mod_place p = mod_inside(r->place, "from", 0);
    if (!json_is_integer(from) || json_integer_value(from) < 0)
        return mod_complain(r->source, &p, "expected bytes as \"from\", found %s", mod_kind(from));
    rule->from = (size_t)json_integer_value(from);
    const json_t *seconds = json_object_get(object, "seconds");
    p = mod_inside(r->place, "seconds", 0);
    if (seconds && !json_is_null(seconds) && !json_is_number(seconds))
        return mod_complain(r->source, &p, "expected a number or null as \"seconds\", found %s",
                            mod_kind(seconds));
    rule->seconds = json_is_number(seconds) ? json_number_value(seconds) + 0.0 : NAN; /* no -0 */
    const char *flaw = isnan(rule->seconds) ? NULL : cpm_number_flaw(rule->seconds);
    if (rule->seconds < 0)
        flaw = "is negative";
    return flaw ? mod_complain(r->source, &p, "\"seconds\": %g %s", rule->seconds, flaw) : CPM_OK;
}

/* May be left out. */
static int read_figure(const reader *r, const json_t *object, const char *key, double *out)
{
    const json_t *value = json_object_get(object, key);
    mod_place p = mod_inside(r->place, key, 0);
    if (value && !json_is_number(value))
        return mod_complain(r->source, &p, "expected a number as \"%s\", found %s", key,
                            mod_kind(value));
    *out = value ? json_number_value(value) : 0;
    const char *flaw = cpm_number_flaw(*out);
    return flaw ? mod_complain(r->source, &p, "\"%s\": %g %s", key, *out, flaw) : CPM_OK;
}

static int read_figures(const reader *r, const json_t *object, cpm_rule_figures *out)
{
    double measured = 0;
    mod_place p = mod_inside(r->place, "measured", 0);
    int status = read_figure(r, object, "measured", &measured);
    if (!status)
        status = read_figure(r, object, "native", &out->native);
    if (!status)
        status = read_figure(r, object, "lead", &out->lead);
    if (!status && out->native < 0)
        return mod_complain(r->source, &p, "\"native\": %g is negative", out->native);
    if (!status && !(measured >= 0 && measured <= INT_MAX))
        return mod_complain(r->source, &p, "\"measured\": %g is not a number of algorithms",
                            measured);
    out->measured = status ? 0 : (int)measured;
    return status;
}

/* "isolated" if it is left out. */
static int read_timing(const reader *r, const json_t *object, bool *batch)
{
    static const char *const known[] = {"isolated", "batch"};
    const json_t *value = json_object_get(object, "timing");
    const char *text = value ? json_string_value(value) : known[0];
    mod_place p = mod_inside(r->place, "timing", 0);
    *batch = text && strcmp(text, known[1]) == 0;
    if (text && (*batch || strcmp(text, known[0]) == 0))
        return CPM_OK;
    return mod_complain(r->source, &p, "expected \"isolated\" or \"batch\" as \"timing\", found %s",
                        text ? text : mod_kind(value));
}

static int read_rule(const reader *r, const json_t *object)
{
    cpm_rule rule = {0};
    if (!json_is_object(object))
        return mod_complain(r->source, &r->place, "expected a rule, found %s", mod_kind(object));
    int status = read_name(r, object, &rule);
    if (!status)
        status = read_numbers(r, object, &rule);
    if (!status)
        status = read_timing(r, object, &rule.batch);
    if (!status)
        status = read_figures(r, object, &rule.figures);
    if (status)
        return status;
    cpm_error why = {0};
    status = cpm_table_add(r->table, r->operation, r->n, &rule, &why);
    return status ? mod_complain(r->source, &r->place, "%s", why.text) : CPM_OK;
}

/* The key of an object, and the number that it is. */
typedef struct {
    const char *key;
    int n;
} number_key;

static int read_processes(const reader *r, const char *key, int *out)
{
    long n;
    mod_place p = mod_inside(r->place, key, 0);
    if (!cpm_integer_parse(key, 1, INT_MAX, &n))
        return mod_complain(r->source, &p,
                            "'%s' is not a number of processes, which is written like \"16\"", key);
    *out = (int)n;
    return CPM_OK;
}

static int read_rules(reader r, const number_key *processes, const json_t *list)
{
    r.place = mod_inside(r.place, processes->key, 0);
    if (!json_is_array(list))
        return mod_complain(r.source, &r.place, "expected a list of rules, found %s",
                            mod_kind(list));
    r.n = processes->n;
    int status = CPM_OK;
    mod_place place = r.place;
    for (size_t i = 0; !status && i < json_array_size(list); i++) {
        r.place = mod_inside(place, NULL, (int)i);
        status = read_rule(&r, json_array_get(list, i));
    }
    return status;
}

static int ascending(const void *a, const void *b)
{
    const number_key *x = a, *y = b;
    return (x->n > y->n) - (x->n < y->n);
}

/* Rules are added in the order of the table, whatever that of the file. */
static int read_sorted(const reader *r, json_t *all, number_key *keys)
{
    int count = 0, status = CPM_OK;
    const char *key;
    json_t *list;
    json_object_foreach(all, key, list)
    {
        keys[count].key = key;
        if (!status)
            status = read_processes(r, key, &keys[count++].n);
    }
    qsort(keys, (size_t)count, sizeof *keys, ascending);
    for (int k = 0; k < count && !status; k++)
        status = read_rules(*r, &keys[k], json_object_get(all, keys[k].key));
    return status;
}

static int read_operation(reader r, const cpm_operation *o, json_t *all)
{
    r.operation = o;
    r.place = mod_inside(mod_top("operations"), o->name, 0);
    if (!json_is_object(all))
        return mod_complain(r.source, &r.place,
                            "expected lists of rules by number of processes, found %s",
                            mod_kind(all));
    number_key *keys = malloc((json_object_size(all) + 1) * sizeof *keys);
    int status = keys ? read_sorted(&r, all, keys) : cpm_no_memory(r.source->e);
    free(keys);
    return status;
}

static int check_names(const reader *r, json_t *all)
{
    const char *name;
    json_t *one;
    const cpm_operation *o;
    cpm_error why = {0};
    json_object_foreach(all, name, one)
    {
        mod_place p = mod_inside(mod_top("operations"), name, 0);
        if (cpm_operation_find(name, &o, &why))
            return mod_complain(r->source, &p, "%s", why.text);
    }
    return CPM_OK;
}

static int read_operations(const reader *r, json_t *root)
{
    json_t *all = json_object_get(root, "operations"), *one;
    mod_place p = mod_top("operations");
    if (!json_is_object(all))
        return mod_complain(r->source, &p, "expected an object as \"operations\", found %s",
                            mod_kind(all));
    int status = check_names(r, all);
    for (const cpm_operation *o = cpm_operations; o->name && !status; o++)
        if ((one = json_object_get(all, o->name)))
            status = read_operation(*r, o, one);
    return status;
}

/* ---- the whole */

/* Rules are followed by ranks in order; a table of another placement would be of another thing. */
static int check_placement(const mod_source *s, const cpm_facts *facts)
{
    const cpm_placement plain = {0};
    const char *said = cpm_facts_get(facts, "placement");
    char here[CPM_FINGERPRINT];
    cpm_placement_fingerprint(&plain, here);
    mod_place p = mod_inside(mod_top("provenance"), "placement", 0);
    if (!said || strcmp(said, here) == 0)
        return CPM_OK;
    return mod_complain(s, &p, "the table is one of the placement '%s', and programs have '%s'",
                        said, here);
}

static int read_table(const mod_source *s, json_t *root, cpm_table *t)
{
    int status = mod_provenance(s, root, &t->facts);
    if (!status)
        status = check_placement(s, &t->facts);
    return status ? status : read_operations(&(reader){.source = s, .table = t}, root);
}

int cpm_table_unpack(const char *text, size_t size, const char *where, cpm_table **out,
                     cpm_error *e)
{
    const mod_source s = {where, text, e};
    json_t *root;
    int status = mod_load(&s, size, "decision table", "cpm table", &root);
    if (status)
        return status;
    cpm_table *t = calloc(1, sizeof *t);
    status = t ? read_table(&s, root, t) : cpm_no_memory(e);
    json_decref(root);
    if (status)
        cpm_table_free(t);
    else
        *out = t;
    return status;
}

int cpm_table_read(const char *path, cpm_table **out, cpm_error *e)
{
    char *text;
    size_t size;
    int status = cpm_text_read(path, &text, &size, e);
    if (status)
        return status;
    status = cpm_table_unpack(text, size, path, out, e);
    free(text);
    return status;
}
