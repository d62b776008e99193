/* Open MPI's dynamic rules in JSON, as its development version reads them
 * (docs/tuning-apps/tuned_dynamic_file_schema.json), as rules.
 *
 * Of communicators and messages the first entry that matches holds, so entries may overlap in any
 * order. Here they are cut into ranges, each with its first entry. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "libraries/openmpi_rows.h"

enum { MOST_ENTRIES = 256, MOST_ROWS = 1024 }; /* of a collective, of an entry */

/* A message rule: what runs from least to most bytes, both included. */
typedef struct {
    int64_t least, most;
    cpm_openmpi_row row;
    bool known; /* Open MPI leaves out what it does not know */
    bool lives;
} message_rule;

/* Message rules for communicators of least to most processes. */
typedef struct {
    int64_t least, most;
    cpm_openmpi_distribution where;
    int line;
    message_rule *rule;
    cpm_openmpi_rows rows; /* the rules by size, ascending */
    int rules;
} entry;

typedef struct {
    cpm_openmpi_target to;
    cpm_json_text text;
    cpm_openmpi_distribution where; /* of entries that do not say */
    char left_out[256];             /* collectives that CPM does not choose */
    bool any;
} reading;

static int line_of(const cpm_json *at)
{
    return cpm_json_line(at->of->text, at->step, at->steps);
}

/* ---- fields ---- */

/* Open MPI looks at no others. */
static int note_others(const reading *r, const cpm_json *object, const char *const *fields)
{
    const char *key;
    json_t *value;
    int status = CPM_OK;
    json_object_foreach(object->value, key, value)
    {
        int k = 0;
        while (fields[k] && strcmp(fields[k], key) != 0)
            k++;
        const cpm_json at = cpm_json_member(object, key);
        if (!fields[k] && !status)
            status = cpm_openmpi_note(&r->to, line_of(&at),
                                      "Open MPI ignores \"%s\": it is none of its fields", key);
    }
    return status;
}

static bool is_endless(const json_t *value)
{
    const char *text = json_string_value(value);
    return text && (strncmp(text, "inf", 3) == 0 || strncmp(text, "Inf", 3) == 0 ||
                    strncmp(text, "INF", 3) == 0);
}

/* From 0 on; "inf" is INT64_MAX. */
static int read_number(const cpm_json *object, const char *key, int64_t otherwise, int64_t most,
                       int64_t *out)
{
    const cpm_json at = cpm_json_member(object, key);
    *out = otherwise;
    if (!at.value)
        return CPM_OK;
    *out = is_endless(at.value) ? INT64_MAX : json_integer_value(at.value);
    if (most == INT64_MAX && is_endless(at.value))
        return CPM_OK;
    if (!json_is_integer(at.value) || *out < 0)
        return cpm_json_expected(&at, most == INT64_MAX ? "a number from 0 on or \"inf\""
                                                        : "a number from 0 on");
    return *out <= most ? CPM_OK
                        : cpm_json_complain(&at, "\"%s\" is more than it can be in Open MPI (%d)",
                                            key, INT_MAX);
}

static int read_distribution(const reading *r, const cpm_json *object,
                             cpm_openmpi_distribution otherwise, cpm_openmpi_distribution *out)
{
    static const char *const names[] = {[CPM_OPENMPI_ANYWHERE] = "any",
                                        [CPM_OPENMPI_ONE_HOST] = "single-node",
                                        [CPM_OPENMPI_HOST_EACH] = "one-per-node"};
    const cpm_json at = cpm_json_member(object, "comm_rank_distribution");
    *out = otherwise;
    if (!at.value)
        return CPM_OK;
    if (!json_is_string(at.value))
        return cpm_json_expected(&at, "a string");
    for (int k = 0; k < CPM_OPENMPI_DISTRIBUTIONS; k++)
        if (strcmp(names[k], json_string_value(at.value)) == 0) {
            *out = (cpm_openmpi_distribution)k;
            return CPM_OK;
        }
    *out = CPM_OPENMPI_ANYWHERE;
    return cpm_openmpi_note(&r->to, line_of(&at),
                            "Open MPI takes \"comm_rank_distribution\" for \"any\": it knows "
                            "\"any\", \"single-node\" and \"one-per-node\"");
}

/* ---- message rules ---- */

static int read_algorithm(const reading *r, const cpm_openmpi_collective *c, const cpm_json *at,
                          message_rule *rule)
{
    const char *name = json_string_value(at->value);
    if (!name && !json_is_integer(at->value))
        return cpm_json_expected(at, "the name or number of an algorithm");
    char text[80];
    long number =
        name ? cpm_openmpi_algorithm_find(c->name, name) : (long)json_integer_value(at->value);
    rule->row.algorithm = number;
    rule->known = cpm_openmpi_algorithm_named(c->name, number);
    if (rule->known)
        return CPM_OK;
    snprintf(text, sizeof text, "%s", name ? name : "");
    if (!name)
        snprintf(text, sizeof text, "%ld", number);
    return cpm_openmpi_note(&r->to, rule->row.line,
                            "Open MPI knows no algorithm \"%s\" of %s and ignores this rule", text,
                            c->name);
}

static int read_rule(const reading *r, const cpm_openmpi_collective *c, const cpm_json *at,
                     message_rule *rule)
{
    static const char *const fields[] = {"msg_size_min", "msg_size_max", "alg",      "reqs",
                                         "faninout",     "seg_size",     "bine_imp", NULL};
    if (!json_is_object(at->value))
        return cpm_json_expected(at, "a rule for messages");
    int64_t fan = 0, segment = 0, requests = 0;
    const cpm_json algorithm = cpm_json_member(at, "alg");
    *rule = (message_rule){.row = {.line = line_of(at), .radix = true}};
    int status = read_number(at, "msg_size_min", 0, INT64_MAX, &rule->least);
    if (!status)
        status = read_number(at, "msg_size_max", INT64_MAX, INT64_MAX, &rule->most);
    if (!status)
        status = read_number(at, "faninout", 0, INT_MAX, &fan);
    if (!status)
        status = read_number(at, "seg_size", 0, INT_MAX, &segment);
    if (!status)
        status = read_number(at, "reqs", 0, INT_MAX, &requests);
    if (!status)
        status = read_algorithm(r, c, &algorithm, rule);
    rule->row.fan = (long)fan;
    rule->row.segment = (long)segment;
    rule->row.requests = (long)requests;
    return status ? status : note_others(r, at, fields);
}

/* ---- ranges ---- */

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Adds where a range begins and where it has ended. */
static int add_range(int64_t *at, int count, int64_t least, int64_t most)
{
    at[count++] = least;
    if (most < INT64_MAX)
        at[count++] = most + 1;
    return count;
}

/* The first rule for so many bytes; NULL: there is none. */
static message_rule *rule_for(const entry *n, int64_t bytes)
{
    for (int k = 0; k < n->rules; k++)
        if (n->rule[k].known && n->rule[k].least <= bytes && bytes <= n->rule[k].most)
            return &n->rule[k];
    return NULL;
}

/* The library decides on what no rule is for. */
static int sort_rules(entry *n, cpm_error *e)
{
    int64_t from[2 * MOST_ROWS + 1];
    int count = 1;
    from[0] = 0;
    for (int k = 0; k < n->rules; k++)
        count = add_range(from, count, n->rule[k].least, n->rule[k].most);
    qsort(from, (size_t)count, sizeof *from, compare);
    n->rows.row = calloc((size_t)count, sizeof *n->rows.row);
    if (!n->rows.row)
        return cpm_no_memory(e);
    const message_rule *before = NULL;
    for (int k = 0; k < count; k++) {
        message_rule *rule = rule_for(n, from[k]);
        if (k && (rule == before || from[k] == from[k - 1]))
            continue;
        cpm_openmpi_row *row = &n->rows.row[n->rows.count++];
        *row = rule ? rule->row : (cpm_openmpi_row){0};
        row->from = from[k];
        row->lives = rule ? &rule->lives : NULL;
        before = rule;
    }
    return CPM_OK;
}

/* ---- entries ---- */

static int check_list(const cpm_json *list, const char *what, int most)
{
    if (!json_is_array(list->value))
        return cpm_json_expected(list, what);
    return json_array_size(list->value) <= (size_t)most
               ? CPM_OK
               : cpm_json_complain(list, "%zu are more than cpm reads (%d)",
                                   json_array_size(list->value), most);
}

static int read_rules(const reading *r, const cpm_openmpi_collective *c, const cpm_json *list,
                      entry *n)
{
    int status = check_list(list, "a list of rules for messages", MOST_ROWS);
    if (status)
        return status;
    int count = (int)json_array_size(list->value);
    n->rule = calloc((size_t)count + 1, sizeof *n->rule);
    if (!n->rule)
        return cpm_no_memory(r->to.e);
    for (; n->rules < count && !status; n->rules++) {
        const cpm_json at = cpm_json_element(list, n->rules);
        status = read_rule(r, c, &at, &n->rule[n->rules]);
    }
    return status ? status : sort_rules(n, r->to.e);
}

static int read_entry(const reading *r, const cpm_openmpi_collective *c, const cpm_json *at,
                      entry *n)
{
    static const char *const fields[] = {"comm_size_min", "comm_size_max", "comm_rank_distribution",
                                         "rules", NULL};
    if (!json_is_object(at->value))
        return cpm_json_expected(at, "rules for communicators");
    const cpm_json rules = cpm_json_member(at, "rules");
    n->line = line_of(at);
    int status = read_number(at, "comm_size_min", 0, INT64_MAX, &n->least);
    if (!status)
        status = read_number(at, "comm_size_max", INT64_MAX, INT64_MAX, &n->most);
    if (!status)
        status = read_distribution(r, at, r->where, &n->where);
    if (!status)
        status = read_rules(r, c, &rules, n);
    return status ? status : note_others(r, at, fields);
}

/* ---- parts ---- */

/* Which entries hold for so many processes: the first of each distribution, up to the first one for
 * all. */
static int find_entries(const entry *all, int entries, int64_t n, int *out)
{
    int count = 0;
    bool has[CPM_OPENMPI_DISTRIBUTIONS] = {false};
    for (int k = 0; k < entries && !has[CPM_OPENMPI_ANYWHERE]; k++) {
        if (n < all[k].least || n > all[k].most || has[all[k].where])
            continue;
        has[all[k].where] = true;
        out[count++] = k;
    }
    return count;
}

static int copy_rows(const entry *n, cpm_openmpi_rows *out, cpm_error *e)
{
    size_t bytes = (size_t)n->rows.count * sizeof *out->row;
    *out = (cpm_openmpi_rows){.where = n->where, .row = malloc(bytes), .count = n->rows.count};
    if (!out->row)
        return cpm_no_memory(e);
    memcpy(out->row, n->rows.row, bytes);
    return CPM_OK;
}

static int make_part(const entry *all, int64_t from, const int *which, int kinds,
                     cpm_openmpi_part *out, cpm_error *e)
{
    int status = CPM_OK;
    *out = (cpm_openmpi_part){.from = from};
    while (out->kinds < kinds && !status) {
        status = copy_rows(&all[which[out->kinds]], &out->of[out->kinds], e);
        out->kinds++;
    }
    return status;
}

static int make_parts(const entry *all, int entries, cpm_openmpi_part *part, long *count,
                      cpm_error *e)
{
    int64_t from[2 * MOST_ENTRIES + 1];
    int points = 1, status = CPM_OK, before[CPM_OPENMPI_DISTRIBUTIONS], kinds = -1;
    from[0] = 0;
    for (int k = 0; k < entries; k++)
        points = add_range(from, points, all[k].least, all[k].most);
    qsort(from, (size_t)points, sizeof *from, compare);
    for (int k = 0; k < points && !status; k++) {
        int which[CPM_OPENMPI_DISTRIBUTIONS];
        int now = find_entries(all, entries, from[k], which);
        if (now == kinds && memcmp(which, before, (size_t)now * sizeof *which) == 0)
            continue;
        status = make_part(all, from[k], which, now, &part[(*count)++], e);
        kinds = now;
        memcpy(before, which, (size_t)now * sizeof *which);
    }
    return status;
}

static void clear_parts(cpm_openmpi_part *part, long count)
{
    for (long k = 0; part && k < count; k++)
        for (int i = 0; i < part[k].kinds; i++)
            free(part[k].of[i].row);
    free(part);
}

/* ---- a collective ---- */

static int note_dead(const reading *r, const cpm_openmpi_collective *c, const entry *n)
{
    int living = 0, known = 0, status = CPM_OK;
    for (int k = 0; k < n->rules; k++) {
        living += n->rule[k].lives;
        known += n->rule[k].known;
    }
    if (known && !living)
        return cpm_openmpi_note_dead(&r->to, c, n->line, n->least, "processes");
    for (int k = 0; k < n->rules && !status; k++)
        if (n->rule[k].known && !n->rule[k].lives)
            status =
                cpm_openmpi_note_dead(&r->to, c, n->rule[k].row.line, n->rule[k].least, "bytes");
    return status;
}

static int put_entries(const reading *r, const cpm_openmpi_collective *c, const entry *all,
                       int entries)
{
    long count = 0;
    cpm_openmpi_part *part = calloc(2 * (size_t)entries + 1, sizeof *part);
    int status = part ? make_parts(all, entries, part, &count, r->to.e) : cpm_no_memory(r->to.e);
    if (!status)
        status = cpm_openmpi_put(&r->to, c, part, count);
    clear_parts(part, count);
    for (int k = 0; k < entries && !status; k++)
        status = note_dead(r, c, &all[k]);
    return status;
}

static int read_entries(const reading *r, const cpm_openmpi_collective *c, const cpm_json *list)
{
    int status = check_list(list, "a list of rules for communicators", MOST_ENTRIES);
    if (status)
        return status;
    int count = (int)json_array_size(list->value);
    entry *all = calloc((size_t)count + 1, sizeof *all);
    status = all ? CPM_OK : cpm_no_memory(r->to.e);
    for (int k = 0; k < count && !status; k++) {
        const cpm_json at = cpm_json_element(list, k);
        status = read_entry(r, c, &at, &all[k]);
    }
    if (!status)
        status = put_entries(r, c, all, count);
    for (int k = 0; all && k < count; k++) {
        free(all[k].rule);
        free(all[k].rows.row);
    }
    free(all);
    return status;
}

static long collective_of(const char *name)
{
    const char *theirs;
    for (long id = 0; (theirs = cpm_openmpi_collective_named(id)); id++)
        if (strcmp(theirs, name) == 0)
            return id;
    return -1;
}

static int leave_out(reading *r, const cpm_json *at, const char *name)
{
    size_t used = strlen(r->left_out);
    snprintf(r->left_out + used, sizeof r->left_out - used, "%s%s", used ? ", " : "", name);
    return cpm_openmpi_note(&r->to, line_of(at),
                            "%s is none that CPM chooses: its rules are left out", name);
}

static int read_collective(reading *r, const cpm_json *all, const char *name)
{
    const cpm_json at = cpm_json_member(all, name);
    long id = collective_of(name);
    if (id < 0)
        return cpm_json_complain(&at, "Open MPI has no collective \"%s\", and ignores the file",
                                 name);
    const cpm_openmpi_collective *c = cpm_openmpi_collective_find(id);
    if (!c)
        return leave_out(r, &at, name);
    r->any = r->any || json_array_size(at.value);
    return json_is_array(at.value) && !json_array_size(at.value) ? CPM_OK : read_entries(r, c, &at);
}

/* ---- the file ---- */

static int check_any(const reading *r, const cpm_json *all)
{
    if (r->any)
        return CPM_OK;
    return *r->left_out ? cpm_json_complain(all,
                                            "there are rules for %s only, which CPM does not "
                                            "choose: nothing is left to use",
                                            r->left_out)
                        : cpm_json_complain(all, "there are no rules for any collective");
}

static int read_all(reading *r, json_t *root)
{
    static const char *const fields[] = {"$schema",     "rule_file_version",      "module",
                                         "collectives", "comm_rank_distribution", NULL};
    const cpm_json top = {.of = &r->text, .value = root};
    const cpm_json all = cpm_json_member(&top, "collectives");
    const char *name;
    json_t *list;
    int status = json_is_object(all.value) ? read_distribution(r, &top, r->where, &r->where)
                                           : cpm_json_expected(&all, "an object of collectives");
    if (!status)
        status = note_others(r, &top, fields);
    json_object_foreach(all.value, name, list)
    {
        status = status ? status : read_collective(r, &all, name);
    }
    return status ? status : check_any(r, &all);
}

static int read_text(reading *r)
{
    json_error_t wrong;
    json_t *root = json_loads(r->text.text, JSON_REJECT_DUPLICATES, &wrong);
    if (!root && json_error_code(&wrong) == json_error_out_of_memory)
        return cpm_no_memory(r->to.e);
    if (!root)
        return cpm_fail(r->to.e, CPM_EPARSE, "%s:%d: not JSON: %s", r->to.where, wrong.line,
                        wrong.text);
    int status = read_all(r, root);
    json_decref(root);
    return status;
}

int cpm_rules_of_openmpi_json(const char *text, const char *where, char **rules, char **notes,
                              cpm_error *e)
{
    reading r = {.to = {.where = where, .notes = notes, .e = e},
                 .text = {.where = where, .text = text, .e = e}};
    size_t size = 0;
    r.to.out = open_memstream(rules, &size);
    if (!r.to.out)
        return cpm_no_memory(e);
    int status = read_text(&r);
    if (fclose(r.to.out) != 0 && !status)
        status = cpm_no_memory(e);
    if (!status)
        return CPM_OK;
    free(*rules);
    *rules = NULL;
    if (notes) { /* the failure says it all */
        free(*notes);
        *notes = NULL;
    }
    return status;
}
