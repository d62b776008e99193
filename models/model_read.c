/* Reading a .mod file: JSON by jansson, then every value against what the model's table says. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/text_file.h"
#include "models/allocate.h"
#include "models/mod_source.h"

/* ---- header */

static int read_type(const mod_source *s, const json_t *root, const cpm_model_type **type)
{
    const json_t *model = json_object_get(root, "model");
    mod_place p = mod_top("model");
    if (!json_is_string(model))
        return mod_complain(s, &p, "expected a name as \"model\", found %s", mod_kind(model));
    cpm_error unknown = {0};
    if (cpm_model_type_find(json_string_value(model), type, &unknown))
        return mod_complain(s, &p, "%s", unknown.text);
    return CPM_OK;
}

static int read_processes(const mod_source *s, const json_t *root, const cpm_model_type *type,
                          int *n)
{
    const json_t *processes = json_object_get(root, "processes");
    mod_place p = mod_top("processes");
    if (!json_is_integer(processes))
        return mod_complain(s, &p, "expected a whole number as \"processes\", found %s",
                            json_is_real(processes) ? "a fraction" : mod_kind(processes));
    json_int_t count = json_integer_value(processes);
    if (count < type->min_processes || count > CPM_MOST_PROCESSES)
        return mod_complain(s, &p, "model %s cannot have %lld processes (at least %d, at most %d)",
                            type->name, (long long)count, type->min_processes, CPM_MOST_PROCESSES);
    *n = (int)count;
    return CPM_OK;
}

/* Bytes, ascending: the member of that name. */
static int read_list(const mod_source *s, const char *name, const json_t *all, cpm_sizes *out)
{
    mod_place p = mod_top(name);
    if (!json_is_array(all) || json_array_size(all) == 0)
        return mod_complain(s, &p, "expected a list of message sizes as \"%s\"", name);
    out->at = malloc(json_array_size(all) * sizeof *out->at);
    if (!out->at)
        return cpm_no_memory(s->e);
    for (size_t k = 0; k < json_array_size(all); k++) {
        const json_t *size = json_array_get(all, k);
        mod_place at = mod_inside(p, NULL, (int)k);
        json_int_t bytes = json_is_integer(size) ? json_integer_value(size) : -1;
        if (bytes < 0 || (k > 0 && (size_t)bytes <= out->at[k - 1]))
            return mod_complain(s, &at, "message size %zu: expected bytes above those before it",
                                k);
        out->at[out->count++] = (size_t)bytes;
    }
    return CPM_OK;
}

/* A model has them exactly if one of its parameters is sized. */
static int read_sizes(const mod_source *s, const json_t *root, const cpm_model_type *type,
                      cpm_sizes *out)
{
    const json_t *all = json_object_get(root, "sizes");
    mod_place p = mod_top("sizes");
    if (!cpm_model_type_sized(type) && !all)
        return CPM_OK;
    if (!cpm_model_type_sized(type))
        return mod_complain(s, &p, "model %s has no \"sizes\"", type->name);
    if (!all)
        return mod_complain(s, &p, "model %s needs a list of message sizes as \"sizes\"",
                            type->name);
    return read_list(s, "sizes", all, out);
}

/* Where the model knows the inside of hosts. */
static int read_inside(const mod_source *s, const json_t *root, const cpm_model_type *type,
                       cpm_sizes *out)
{
    const json_t *all = json_object_get(root, "inside");
    mod_place p = mod_top("inside");
    if (!all)
        return CPM_OK;
    if (!cpm_model_type_knows_inside(type))
        return mod_complain(s, &p, "model %s has no parameters of messages inside a host",
                            type->name);
    return read_list(s, "inside", all, out);
}

/* Where it tells sockets apart, too. */
static int read_across(const mod_source *s, const json_t *root, int inside, cpm_sizes *out)
{
    const json_t *all = json_object_get(root, "across");
    mod_place p = mod_top("across");
    if (!all)
        return CPM_OK;
    if (!inside)
        return mod_complain(s, &p,
                            "message sizes between sockets need those inside one (\"inside\")");
    return read_list(s, "across", all, out);
}

/* ---- processes: hosts and classes */

/* Comes before anything of that length is allocated. */
static int check_hosts(const mod_source *s, const json_t *root, int n)
{
    mod_place p = mod_top("hosts");
    return mod_check_length(s, &p, "\"hosts\"", json_object_get(root, "hosts"), n);
}

static int read_hosts(const mod_source *s, const json_t *root, cpm_model *m)
{
    int status = CPM_OK;
    for (int i = 0; !status && i < m->n; i++) {
        const json_t *host = json_array_get(json_object_get(root, "hosts"), (size_t)i);
        mod_place p = mod_inside(mod_top("hosts"), NULL, i);
        status = json_is_string(host)
                     ? cpm_model_set_host(m, i, json_string_value(host), s->e)
                     : mod_complain(s, &p, "host %d: expected a name, found %s", i, mod_kind(host));
    }
    return status;
}

/* A number, or null; -1: neither. */
static int read_socket(const json_t *json, int *out)
{
    json_int_t number = json_is_integer(json) ? json_integer_value(json) : -1;
    *out = number <= INT_MAX ? (int)number : -1;
    return *out >= 0 || json_is_null(json) ? CPM_OK : -1;
}

static int read_socket_list(const mod_source *s, const json_t *all, int n, int *socket)
{
    mod_place p = mod_top("sockets");
    int status = mod_check_length(s, &p, "\"sockets\"", all, n);
    for (int i = 0; i < n && !status; i++) {
        const json_t *json = json_array_get(all, (size_t)i);
        mod_place at = mod_inside(p, NULL, i);
        if (read_socket(json, &socket[i]))
            status = mod_complain(s, &at,
                                  "socket of process %d: expected a number from 0 on, or null, "
                                  "found %s",
                                  i, mod_kind(json));
    }
    return status;
}

/* Exactly the models that have a level between sockets say who sits where. */
static int read_sockets(const mod_source *s, const json_t *root, cpm_model *m)
{
    const json_t *all = json_object_get(root, "sockets");
    mod_place p = mod_top(all ? "sockets" : "across");
    if (!all && !m->across.count)
        return CPM_OK;
    if (!all || !m->across.count)
        return mod_complain(s, &p, "\"sockets\" and \"across\" belong together: \"%s\" is missing",
                            all ? "across" : "sockets");
    int *socket = malloc((size_t)m->n * sizeof *socket);
    int status = socket ? read_socket_list(s, all, m->n, socket) : cpm_no_memory(s->e);
    if (!status)
        status = cpm_model_set_sockets(m, socket, s->e);
    free(socket);
    return status;
}

/* Processes in groups: the member of the file, and what one of them is called. */
typedef struct {
    const char *key, *one;
} grouping;
static const grouping in_classes = {"classes", "class"}, on_switches = {"switches", "switch"};

/* Enters the processes of group k; of[n] is -1 where there is none yet. */
static int read_group(const mod_source *s, const grouping *g, const mod_place *p, const char *name,
                      const json_t *list, int k, int n, int *of)
{
    if (!json_is_array(list) || json_array_size(list) == 0)
        return mod_complain(s, p, "%s '%s': expected a list of processes, found %s", g->one, name,
                            json_is_array(list) ? "an empty one" : mod_kind(list));
    for (size_t q = 0; q < json_array_size(list); q++) {
        const json_t *json = json_array_get(list, q);
        mod_place at = mod_inside(*p, NULL, (int)q);
        json_int_t i = json_is_integer(json) ? json_integer_value(json) : -1;
        if (i < 0 || i >= n)
            return mod_complain(s, &at, "%s '%s': expected a process, 0 to %d", g->one, name,
                                n - 1);
        if (of[i] >= 0)
            return mod_complain(s, &at, "%s '%s': process %d has a %s already", g->one, name,
                                (int)i, g->one);
        of[i] = k;
    }
    return CPM_OK;
}

static int read_group_lists(const mod_source *s, const grouping *g, json_t *all, int n, int *of,
                            const char **name)
{
    int k = 0, status = CPM_OK;
    json_t *list;
    const char *key;
    json_object_foreach(all, key, list)
    {
        mod_place p = mod_inside(mod_top(g->key), key, 0);
        name[k] = key;
        if (!status)
            status = read_group(s, g, &p, key, list, k++, n, of);
    }
    mod_place p = mod_top(g->key);
    for (int i = 0; !status && i < n; i++)
        if (of[i] < 0)
            status = mod_complain(s, &p, "process %d is in none of the %s", i, g->key);
    return status;
}

static int read_groups(const mod_source *s, const grouping *g, json_t *all, int n, cpm_classes *out)
{
    mod_place p = mod_top(g->key);
    if (!json_is_object(all) || json_object_size(all) == 0)
        return mod_complain(s, &p, "expected an object of lists of processes as \"%s\"", g->key);
    int *of = malloc((size_t)n * sizeof *of);
    const char **name = malloc(json_object_size(all) * sizeof *name);
    int status = of && name ? CPM_OK : cpm_no_memory(s->e);
    for (int i = 0; of && i < n; i++)
        of[i] = -1;
    if (!status)
        status = read_group_lists(s, g, all, n, of, name);
    if (!status)
        status = cpm_classes_create(n, of, (int)json_object_size(all), name, out, s->e);
    free(of);
    free(name);
    return status;
}

/* Without "classes" every process stands alone. */
static int read_classes(const mod_source *s, const json_t *root, int n, cpm_classes *out)
{
    json_t *all = json_object_get(root, in_classes.key);
    return all ? read_groups(s, &in_classes, all, n, out)
               : cpm_classes_create(n, NULL, 0, NULL, out, s->e);
}

/* Without "switches" nothing is known of these. */
static int read_switches(const mod_source *s, const json_t *root, const cpm_model_type *type, int n,
                         cpm_classes *out)
{
    json_t *all = json_object_get(root, on_switches.key);
    mod_place p = mod_top(on_switches.key);
    if (!all)
        return CPM_OK;
    if (!cpm_model_type_knows_switches(type))
        return mod_complain(s, &p, "model %s has no parameters of switches", type->name);
    return read_groups(s, &on_switches, all, n, out);
}

/* The processes of a host are on one switch. */
static int check_switches(const mod_source *s, const cpm_model *m)
{
    mod_place p = mod_top(on_switches.key);
    int *first = malloc((size_t)m->n * sizeof *first),
        status = CPM_OK; /* of a host; -1: none yet */
    if (!first)
        return cpm_no_memory(s->e);
    for (int h = 0; h < m->on.count; h++)
        first[h] = -1;
    for (int i = 0; i < m->on.n && m->switches.count && !status; i++) {
        int *j = &first[m->on.of[i]];
        *j = *j < 0 ? i : *j;
        if (cpm_model_crosses(m, *j, i))
            status = mod_complain(s, &p,
                                  "processes %d and %d are on different switches, but both on host "
                                  "'%s'",
                                  *j, i, m->hosts[i]);
    }
    free(first);
    return status;
}

/* ---- words */

static int read_notes(const mod_source *s, const json_t *root, cpm_model *m)
{
    const json_t *all = json_object_get(root, "notes");
    mod_place p = mod_top("notes");
    if (all && !json_is_array(all))
        return mod_complain(s, &p, "expected a list as \"notes\", found %s", mod_kind(all));
    size_t count = json_array_size(all), size;
    FILE *joined = count ? open_memstream(&m->notes, &size) : NULL;
    int status = count && !joined ? cpm_no_memory(s->e) : CPM_OK;
    for (size_t i = 0; !status && i < count; i++) {
        const json_t *note = json_array_get(all, i);
        p = mod_inside(mod_top("notes"), NULL, (int)i);
        if (json_is_string(note))
            fprintf(joined, "%s%s", i ? "\n" : "", json_string_value(note));
        else
            status =
                mod_complain(s, &p, "note %zu: expected a string, found %s", i, mod_kind(note));
    }
    if (joined && fclose(joined) != 0 && !status)
        status = cpm_no_memory(s->e);
    return status;
}

/* ---- the whole */

static int read_content(const mod_source *s, json_t *root, cpm_model *m)
{
    int status = read_hosts(s, root, m);
    if (!status)
        status = cpm_model_settle_hosts(m, s->e);
    if (!status)
        status = read_sockets(s, root, m);
    if (!status)
        status = check_switches(s, m);
    if (!status)
        status = mod_read_values(s, root, m);
    if (!status)
        status = mod_provenance(s, root, &m->facts);
    return status ? status : read_notes(s, root, m);
}

/* What is known before there is room for parameters. */
typedef struct {
    const cpm_model_type *type;
    int n;
    cpm_sizes regimes[CPM_LEVELS];
    cpm_classes classes, switches;
} header;

static int read_header(const mod_source *s, const json_t *root, header *h)
{
    int status = read_type(s, root, &h->type);
    if (!status)
        status = read_processes(s, root, h->type, &h->n);
    if (!status)
        status = check_hosts(s, root, h->n);
    if (!status)
        status = read_sizes(s, root, h->type, &h->regimes[CPM_BETWEEN]);
    if (!status)
        status = read_inside(s, root, h->type, &h->regimes[CPM_INSIDE]);
    if (!status)
        status = read_across(s, root, h->regimes[CPM_INSIDE].count, &h->regimes[CPM_ACROSS]);
    if (!status)
        status = read_classes(s, root, h->n, &h->classes);
    if (!status)
        status = read_switches(s, root, h->type, h->n, &h->switches);
    mod_counts counts = {.classes = h->classes.count, .switches = h->switches.count};
    for (int level = 0; level < CPM_LEVELS; level++)
        counts.regimes[level] = h->regimes[level].count;
    return status ? status : mod_check_shapes(s, root, h->type, &counts);
}

static int read_model(const mod_source *s, json_t *root, cpm_model **out)
{
    header h = {0};
    cpm_model *m = NULL;
    int status = read_header(s, root, &h);
    if (!status)
        status = cpm_model_allocate(h.type, &h.classes, h.regimes, &m, s->e);
    if (!status)
        status = cpm_model_set_switches(m, &h.switches, s->e);
    for (int level = 0; level < CPM_LEVELS; level++)
        free(h.regimes[level].at);
    cpm_classes_clear(&h.classes);
    cpm_classes_clear(&h.switches);
    if (!status)
        status = read_content(s, root, m);
    return cpm_model_hand_over(status, m, out);
}

/* ---- public */

int cpm_model_unpack(const char *text, size_t size, const char *where, cpm_model **out,
                     cpm_error *e)
{
    mod_source s = {where, text, e};
    json_t *root;
    int status = mod_load(&s, size, "model file", "cpm model", &root);
    if (status)
        return status;
    status = read_model(&s, root, out);
    json_decref(root);
    return status;
}

int cpm_model_read(const char *path, cpm_model **out, cpm_error *e)
{
    size_t size;
    char *text;
    int status = cpm_text_read(path, &text, &size, e);
    if (status)
        return status;
    status = cpm_model_unpack(text, size, path, out, e);
    free(text);
    return status;
}
