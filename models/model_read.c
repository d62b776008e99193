/* Reading a .mod file: JSON, then every value against what the model's table says. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "models/allocate.h"
#include "models/checked.h"
#include "models/mod_values.h"
#include "models/walking.h"

/* ---- header */

static int read_type(const cpm_json *root, const cpm_model_type **type)
{
    const char *name;
    const cpm_json_field fields[] = {{"model", CPM_JSON_STRING, .out = &name}, {0}};
    cpm_error unknown = {0};
    int status = cpm_json_fields(root, fields);
    if (status || cpm_model_type_find(name, type, &unknown) == CPM_OK)
        return status;
    cpm_json at = cpm_json_member(root, "model");
    return cpm_json_complain(&at, "%s", unknown.text);
}

static int read_processes(const cpm_json *root, const cpm_model_type *type, int *n)
{
    long count;
    const cpm_json_field fields[] = {
        {"processes", CPM_JSON_LONG, &count, .least = LONG_MIN, .most = LONG_MAX}, {0}};
    int status = cpm_json_fields(root, fields);
    if (status)
        return status;
    cpm_json at = cpm_json_member(root, "processes");
    if (count < type->min_processes || count > CPM_MOST_PROCESSES)
        return cpm_json_complain(&at,
                                 "model %s cannot have %ld processes (at least %d, at most %d)",
                                 type->name, count, type->min_processes, CPM_MOST_PROCESSES);
    *n = (int)count;
    return CPM_OK;
}

/* Bytes, ascending. */
static int read_list(const cpm_json *all, cpm_sizes *out)
{
    size_t count = json_array_size(all->value);
    if (count == 0)
        return cpm_json_complain(all, "expected a list of message sizes as \"%s\"",
                                 all->step[0].key);
    out->at = malloc(count * sizeof *out->at);
    if (!out->at)
        return cpm_no_memory(all->of->e);
    for (size_t k = 0; k < count; k++) {
        cpm_json size = cpm_json_element(all, (int)k);
        json_int_t bytes = json_is_integer(size.value) ? json_integer_value(size.value) : -1;
        if (bytes < 0 || (k > 0 && (size_t)bytes <= out->at[k - 1]))
            return cpm_json_complain(&size,
                                     "message size %zu: expected bytes above those before it", k);
        out->at[out->count++] = (size_t)bytes;
    }
    return CPM_OK;
}

/* A model has them exactly if one of its parameters is sized. */
static int read_sizes(const cpm_json *root, const cpm_model_type *type, cpm_sizes *out)
{
    cpm_json all = cpm_json_member(root, "sizes");
    bool sized = cpm_model_type_sized(type);
    if (!sized && !all.value)
        return CPM_OK;
    if (!sized)
        return cpm_json_complain(&all, "model %s has no \"sizes\"", type->name);
    if (!all.value)
        return cpm_json_complain(&all, "model %s needs a list of message sizes as \"sizes\"",
                                 type->name);
    return read_list(&all, out);
}

/* Where the model knows the inside of hosts. */
static int read_inside(const cpm_json *root, const cpm_model_type *type, cpm_sizes *out)
{
    cpm_json all = cpm_json_member(root, "inside");
    if (!all.value)
        return CPM_OK;
    if (!cpm_model_type_knows_inside(type))
        return cpm_json_complain(&all, "model %s has no parameters of messages inside a host",
                                 type->name);
    return read_list(&all, out);
}

/* Where it tells sockets apart, too. */
static int read_across(const cpm_json *root, int inside, cpm_sizes *out)
{
    cpm_json all = cpm_json_member(root, "across");
    if (!all.value)
        return CPM_OK;
    if (!inside)
        return cpm_json_complain(
            &all, "message sizes between sockets need those inside one (\"inside\")");
    return read_list(&all, out);
}

/* ---- processes: hosts and classes */

static int read_hosts(const cpm_json *root, cpm_model *m)
{
    const cpm_json hosts = cpm_json_member(root, "hosts");
    int status = CPM_OK;
    for (int i = 0; !status && i < m->n; i++) {
        cpm_json host = cpm_json_element(&hosts, i);
        status = json_is_string(host.value)
                     ? cpm_model_set_host(m, i, json_string_value(host.value), root->of->e)
                     : cpm_json_complain(&host, "host %d: expected a name, found %s", i,
                                         cpm_json_kind(host.value));
    }
    return status;
}

/* Numbers, or null: -1. */
static int read_socket_list(const cpm_json *all, int n, int *socket)
{
    int status = cpm_json_check_length(all, "\"sockets\"", n);
    for (int i = 0; i < n && !status; i++) {
        cpm_json at = cpm_json_element(all, i);
        json_int_t number = json_is_integer(at.value) ? json_integer_value(at.value) : -1;
        socket[i] = number <= INT_MAX ? (int)number : -1;
        if (socket[i] < 0 && !json_is_null(at.value))
            status = cpm_json_complain(&at,
                                       "socket of process %d: expected a number from 0 on, or "
                                       "null, found %s",
                                       i, cpm_json_kind(at.value));
    }
    return status;
}

/* Exactly the models that have a level between sockets say who sits where. */
static int read_sockets(const cpm_json *root, cpm_model *m)
{
    const cpm_json all = cpm_json_member(root, "sockets"), across = cpm_json_member(root, "across");
    if (!all.value && !m->across.count)
        return CPM_OK;
    if (!all.value || !m->across.count)
        return cpm_json_complain(all.value ? &all : &across,
                                 "\"sockets\" and \"across\" belong together: \"%s\" is missing",
                                 all.value ? "across" : "sockets");
    int *socket = malloc((size_t)m->n * sizeof *socket);
    int status = socket ? read_socket_list(&all, m->n, socket) : cpm_no_memory(root->of->e);
    if (!status)
        status = cpm_model_set_sockets(m, socket, root->of->e);
    free(socket);
    return status;
}

/* Processes in groups: the member of the file, and what one of them is called. */
typedef struct {
    const char *key, *one;
} grouping;
static const grouping in_classes = {"classes", "class"}, on_switches = {"switches", "switch"};

/* Enters the processes of group k; of[n] is -1 where there is none yet. */
static int read_group(const grouping *g, const cpm_json *list, const char *name, int k, int n,
                      int *of)
{
    if (json_array_size(list->value) == 0)
        return cpm_json_complain(
            list, "%s '%s': expected a list of processes, found %s", g->one, name,
            json_is_array(list->value) ? "an empty one" : cpm_json_kind(list->value));
    for (size_t q = 0; q < json_array_size(list->value); q++) {
        cpm_json at = cpm_json_element(list, (int)q);
        json_int_t i = json_is_integer(at.value) ? json_integer_value(at.value) : -1;
        if (i < 0 || i >= n)
            return cpm_json_complain(&at, "%s '%s': expected a process, 0 to %d", g->one, name,
                                     n - 1);
        if (of[i] >= 0)
            return cpm_json_complain(&at, "%s '%s': process %d has a %s already", g->one, name,
                                     (int)i, g->one);
        of[i] = k;
    }
    return CPM_OK;
}

static int read_group_lists(const grouping *g, const cpm_json *all, int n, int *of,
                            const char **name)
{
    int k = 0, status = CPM_OK;
    json_t *value;
    const char *key;
    json_object_foreach(all->value, key, value)
    {
        cpm_json list = cpm_json_member(all, key);
        name[k] = key;
        if (!status)
            status = read_group(g, &list, key, k++, n, of);
    }
    for (int i = 0; !status && i < n; i++)
        if (of[i] < 0)
            status = cpm_json_complain(all, "process %d is in none of the %s", i, g->key);
    return status;
}

static int read_groups(const grouping *g, const cpm_json *all, int n, cpm_classes *out)
{
    size_t count = json_object_size(all->value);
    if (count == 0)
        return cpm_json_complain(all, "expected an object of lists of processes as \"%s\"", g->key);
    int *of = malloc((size_t)n * sizeof *of);
    const char **name = malloc(count * sizeof *name);
    int status = of && name ? CPM_OK : cpm_no_memory(all->of->e);
    for (int i = 0; of && i < n; i++)
        of[i] = -1;
    if (!status)
        status = read_group_lists(g, all, n, of, name);
    if (!status)
        status = cpm_classes_create(n, of, (int)count, name, out, all->of->e);
    free(of);
    free(name);
    return status;
}

/* Without "classes" every process stands alone. */
static int read_classes(const cpm_json *root, int n, cpm_classes *out)
{
    const cpm_json all = cpm_json_member(root, in_classes.key);
    return all.value ? read_groups(&in_classes, &all, n, out)
                     : cpm_classes_create(n, NULL, 0, NULL, out, root->of->e);
}

/* Without "switches" nothing is known of these. */
static int read_switches(const cpm_json *root, const cpm_model_type *type, int n, cpm_classes *out)
{
    const cpm_json all = cpm_json_member(root, on_switches.key);
    if (!all.value)
        return CPM_OK;
    if (!cpm_model_type_knows_switches(type))
        return cpm_json_complain(&all, "model %s has no parameters of switches", type->name);
    return read_groups(&on_switches, &all, n, out);
}

static int read_link(cpm_links_draft *d, const char *name, const cpm_json *at, cpm_error *e)
{
    cpm_error why = {0};
    const char *uses = json_string_value(at->value);
    if (!uses)
        return cpm_json_expected(at, "a text like '0-3 > 4-7'");
    int link = cpm_links_draft_name(d, name, &why);
    int status = link < 0 ? link : cpm_links_draft_read(d, link, uses, &why);
    if (status)
        status = status == CPM_ENOMEM ? cpm_no_memory(e) : cpm_json_complain(at, "%s", why.text);
    cpm_error_clear(&why);
    return status;
}

/* Of so many hosts; without "links" nothing is known of these. */
static int read_links(const cpm_json *root, int hosts, cpm_links *out)
{
    const cpm_json all = cpm_json_member(root, "links");
    cpm_links_draft d = {.hosts = hosts};
    int status = CPM_OK;
    json_t *value;
    const char *key;
    if (!all.value)
        return CPM_OK;
    json_object_foreach(all.value, key, value)
    {
        cpm_json at = cpm_json_member(&all, key);
        status = status ? status : read_link(&d, key, &at, root->of->e);
    }
    if (!status)
        return cpm_links_draft_end(&d, out, root->of->e);
    cpm_links_draft_clear(&d);
    return status;
}

static int set_links(const cpm_json *root, cpm_model *m)
{
    const cpm_json all = cpm_json_member(root, "links");
    cpm_links links = {0};
    if (all.value && !cpm_model_type_knows_links(m->type))
        return cpm_json_complain(&all, "model %s has no parameters of links", m->type->name);
    int status = read_links(root, cpm_model_hosts(m), &links);
    if (!status)
        status = cpm_model_set_links(m, &links, root->of->e);
    cpm_links_clear(&links);
    return status;
}

/* The processes of a host are on one switch. */
static int check_switches(const cpm_json *root, const cpm_model *m)
{
    const cpm_json at = cpm_json_member(root, on_switches.key);
    int *first = malloc((size_t)m->n * sizeof *first),
        status = CPM_OK; /* of a host; -1: none yet */
    if (!first)
        return cpm_no_memory(root->of->e);
    for (int h = 0; h < m->on.count; h++)
        first[h] = -1;
    for (int i = 0; i < m->on.n && m->switches.count && !status; i++) {
        int *j = &first[m->on.of[i]];
        *j = *j < 0 ? i : *j;
        if (cpm_model_crosses(m, *j, i))
            status = cpm_json_complain(&at,
                                       "processes %d and %d are on different switches, but both "
                                       "on host '%s'",
                                       *j, i, m->hosts[i]);
    }
    free(first);
    return status;
}

/* ---- words */

static int read_notes(const cpm_json *root, cpm_model *m)
{
    const cpm_json all = cpm_json_member(root, "notes");
    if (all.value && !json_is_array(all.value))
        return cpm_json_expected(&all, "a list");
    size_t count = json_array_size(all.value), size;
    FILE *joined = count ? open_memstream(&m->notes, &size) : NULL;
    int status = count && !joined ? cpm_no_memory(root->of->e) : CPM_OK;
    for (size_t i = 0; !status && i < count; i++) {
        cpm_json note = cpm_json_element(&all, (int)i);
        if (json_is_string(note.value))
            fprintf(joined, "%s%s", i ? "\n" : "", json_string_value(note.value));
        else
            status = cpm_json_complain(&note, "note %zu: expected a string, found %s", i,
                                       cpm_json_kind(note.value));
    }
    if (joined && fclose(joined) != 0 && !status)
        status = cpm_no_memory(root->of->e);
    return status;
}

/* A check that cannot be read would pass for one that was not made, and so would other facts. */
static int read_provenance(const cpm_json *root, cpm_model *m)
{
    double seconds;
    int status = cpm_json_provenance(root, &m->metadata);
    if (status)
        return status;
    const cpm_json all = cpm_json_member(root, "provenance"),
                   check = cpm_json_member(&all, CPM_METADATA_CHECKED),
                   leaving = cpm_json_member(&all, CPM_METADATA_LEAVING);
    if (!cpm_checked_makes_sense(&m->metadata))
        return cpm_json_complain(&check, "\"" CPM_METADATA_CHECKED
                                         "\": expected 'ALGORITHM@BYTES ERROR HALF', joined by "
                                         "commas; ERROR is at least -1, HALF at least 0");
    if (!cpm_leaving_of(&m->metadata, &seconds))
        return cpm_json_complain(&leaving,
                                 "\"" CPM_METADATA_LEAVING "\": expected seconds, at least 0");
    return CPM_OK;
}

/* ---- the whole */

static int read_content(const cpm_json *root, cpm_model *m)
{
    int status = read_hosts(root, m);
    if (!status)
        status = cpm_model_settle_hosts(m, root->of->e);
    if (!status)
        status = read_sockets(root, m);
    if (!status)
        status = set_links(root, m);
    if (!status)
        status = check_switches(root, m);
    if (!status)
        status = mod_read_values(root, m);
    if (!status)
        status = read_provenance(root, m);
    return status ? status : read_notes(root, m);
}

/* What is known before there is room for parameters. */
typedef struct {
    const cpm_model_type *type;
    int n;
    cpm_sizes regimes[CPM_LEVELS];
    cpm_classes classes, switches;
} header;

static int count_links(const cpm_json *root, int *out)
{
    const cpm_json all = cpm_json_member(root, "links");
    *out = (int)json_object_size(all.value);
    return all.value && !*out
               ? cpm_json_complain(&all,
                                   "expected an object of links and who uses them as \"links\"")
               : CPM_OK;
}

static int read_header(const cpm_json *root, header *h)
{
    int status = read_type(root, &h->type);
    if (!status)
        status = read_processes(root, h->type, &h->n);
    const cpm_json hosts = cpm_json_member(root, "hosts");
    if (!status) /* before anything of that length is allocated */
        status = cpm_json_check_length(&hosts, "\"hosts\"", h->n);
    if (!status)
        status = read_sizes(root, h->type, &h->regimes[CPM_BETWEEN]);
    if (!status)
        status = read_inside(root, h->type, &h->regimes[CPM_INSIDE]);
    if (!status)
        status = read_across(root, h->regimes[CPM_INSIDE].count, &h->regimes[CPM_ACROSS]);
    if (!status)
        status = read_classes(root, h->n, &h->classes);
    if (!status)
        status = read_switches(root, h->type, h->n, &h->switches);
    mod_counts counts = {.classes = h->classes.count, .switches = h->switches.count};
    if (!status)
        status = count_links(root, &counts.links);
    for (int level = 0; level < CPM_LEVELS; level++)
        counts.regimes[level] = h->regimes[level].count;
    return status ? status : mod_check_shapes(root, h->type, &counts);
}

static int read_model(const cpm_json *root, void *out)
{
    header h = {0};
    cpm_model *m = NULL;
    int status = read_header(root, &h);
    if (!status)
        status = cpm_model_allocate(h.type, &h.classes, h.regimes, &m, root->of->e);
    if (!status)
        status = cpm_model_set_switches(m, &h.switches, root->of->e);
    for (int level = 0; level < CPM_LEVELS; level++)
        free(h.regimes[level].at);
    cpm_classes_clear(&h.classes);
    cpm_classes_clear(&h.switches);
    if (!status)
        status = read_content(root, m);
    return cpm_model_hand_over(status, m, (cpm_model **)out);
}

/* ---- public */

static const cpm_json_form form = {"model file", "cpm model", read_model};

int cpm_model_unpack(const char *text, size_t size, const char *where, cpm_model **out,
                     cpm_error *e)
{
    return cpm_json_unpack(text, size, where, &form, out, e);
}

int cpm_model_read(const char *path, cpm_model **out, cpm_error *e)
{
    return cpm_json_read(path, &form, out, e);
}
