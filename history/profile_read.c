/* Reading a profile: JSON by jansson, then every number against what it may be. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/text_file.h"
#include "history/profile.h"
#include "models/mod_source.h"

typedef struct {
    const mod_source *source;
    cpm_profile *p;
} reader;

/* The member key of an object that stands at place. */
typedef struct {
    const reader *r;
    const json_t *object;
    mod_place place;
} member_of;

static int read_integer(const member_of *m, const char *key, long least, long most, long *out)
{
    const json_t *value = json_object_get(m->object, key);
    mod_place p = mod_inside(m->place, key, 0);
    if (!json_is_integer(value))
        return mod_complain(m->r->source, &p, "expected a whole number as \"%s\", found %s", key,
                            mod_kind(value));
    *out = (long)json_integer_value(value);
    return *out >= least && *out <= most
               ? CPM_OK
               : mod_complain(m->r->source, &p, "\"%s\": %ld is not in %ld..%ld", key, *out, least,
                              most);
}

static int read_number(const member_of *m, const char *key, double *out)
{
    const json_t *value = json_object_get(m->object, key);
    mod_place p = mod_inside(m->place, key, 0);
    if (!json_is_number(value))
        return mod_complain(m->r->source, &p, "expected a number as \"%s\", found %s", key,
                            mod_kind(value));
    *out = json_number_value(value) + 0.0; /* no -0 */
    const char *flaw = *out < 0 ? "is negative" : cpm_number_flaw(*out);
    return flaw ? mod_complain(m->r->source, &p, "\"%s\": %g %s", key, *out, flaw) : CPM_OK;
}

static int read_list(const member_of *m, const char *key, const json_t **out)
{
    *out = json_object_get(m->object, key);
    mod_place p = mod_inside(m->place, key, 0);
    return json_is_array(*out)
               ? CPM_OK
               : mod_complain(m->r->source, &p, "expected a list as \"%s\", found %s", key,
                              mod_kind(*out));
}

/* A zero one of count elements, at least one of which is there. */
static int have(const reader *r, void *out, size_t count, size_t each)
{
    *(void **)out = calloc(count + 1, each);
    return *(void **)out ? CPM_OK : cpm_no_memory(r->source->e);
}

/* ---- the head */

static int read_library(const reader *r)
{
    cpm_error why = {0};
    const char *name = cpm_facts_get(&r->p->facts, "library");
    mod_place p = mod_inside(mod_top("provenance"), "library", 0);
    if (!name || strcmp(name, "other") == 0)
        return CPM_OK;
    return cpm_library_find(name, &r->p->library, &why)
               ? mod_complain(r->source, &p, "%s", why.text)
               : CPM_OK;
}

static int read_hosts(const member_of *m)
{
    cpm_profile *p = m->r->p;
    const json_t *list;
    mod_place place = mod_top("hosts");
    int status = read_list(m, "hosts", &list);
    if (!status)
        status = mod_check_length(m->r->source, &place, "hosts", list, p->n);
    if (!status)
        status = have(m->r, &p->hosts, (size_t)p->n, sizeof *p->hosts);
    for (int i = 0; i < p->n && !status; i++) {
        const json_t *name = json_array_get(list, (size_t)i);
        mod_place at = mod_inside(place, NULL, i);
        if (!json_is_string(name))
            return mod_complain(m->r->source, &at, "expected a host's name, found %s",
                                mod_kind(name));
        if (!(p->hosts[i] = strdup(json_string_value(name))))
            status = cpm_no_memory(m->r->source->e);
    }
    return status;
}

static int read_head(const member_of *m)
{
    cpm_profile *p = m->r->p;
    long n = 0;
    int status = read_integer(m, "processes", 1, CPM_MOST_PROCESSES, &n);
    p->n = status ? 0 : (int)n;
    if (!status)
        status = read_hosts(m);
    if (!status)
        status = read_number(m, "seconds", &p->seconds);
    if (!status)
        status = read_number(m, "collectives", &p->collectives);
    return status ? status : read_integer(m, "left_out", 0, LONG_MAX, &p->left_out);
}

/* ---- communicators */

static int read_process(const reader *r, const json_t *value, const mod_place *place, bool *taken,
                        int *out)
{
    json_int_t process = json_integer_value(value);
    if (!json_is_integer(value) || process < 0 || process >= r->p->n)
        return mod_complain(r->source, place, "expected a process from 0 to %d", r->p->n - 1);
    if (taken[process])
        return mod_complain(r->source, place, "process %d is there twice", (int)process);
    taken[process] = true;
    *out = (int)process;
    return CPM_OK;
}

static int read_communicator(const member_of *m, cpm_profile_communicator *c)
{
    const json_t *list;
    bool *taken = NULL;
    long size;
    mod_place place = mod_inside(m->place, "processes", 0);
    if (!json_is_object(m->object))
        return mod_complain(m->r->source, &m->place, "expected a communicator, found %s",
                            mod_kind(m->object));
    int status = read_integer(m, "size", 1, m->r->p->n, &size);
    if (!status)
        status = read_list(m, "processes", &list);
    if (!status)
        status = mod_check_length(m->r->source, &place, "processes", list, (int)size);
    if (!status)
        status = have(m->r, &c->process, (size_t)size, sizeof *c->process);
    if (!status)
        status = have(m->r, &taken, (size_t)m->r->p->n, sizeof *taken);
    for (c->n = 0; !status && c->n < size; c->n++) {
        mod_place at = mod_inside(place, NULL, c->n);
        status =
            read_process(m->r, json_array_get(list, (size_t)c->n), &at, taken, &c->process[c->n]);
    }
    free(taken);
    return status;
}

static int read_communicators(const member_of *m)
{
    cpm_profile *p = m->r->p;
    const json_t *list;
    int status = read_list(m, "communicators", &list);
    if (!status)
        status = have(m->r, &p->communicators, json_array_size(list), sizeof *p->communicators);
    for (size_t i = 0; !status && i < json_array_size(list); i++) {
        mod_place place = mod_inside(mod_top("communicators"), NULL, (int)i);
        p->communicator_count++;
        status = read_communicator(&(member_of){m->r, json_array_get(list, i), place},
                                   &p->communicators[i]);
    }
    return status;
}

/* ---- calls */

static int read_operation(const member_of *m, cpm_profile_calls *c)
{
    const json_t *name = json_object_get(m->object, "operation");
    mod_place p = mod_inside(m->place, "operation", 0);
    cpm_error why = {0};
    if (!json_is_string(name))
        return mod_complain(m->r->source, &p, "expected a name as \"operation\", found %s",
                            mod_kind(name));
    return cpm_operation_find(json_string_value(name), &c->operation, &why)
               ? mod_complain(m->r->source, &p, "%s", why.text)
               : CPM_OK;
}

/* Only operations that have a root have one. */
static int read_root(const member_of *m, cpm_profile_calls *c)
{
    long root = -1;
    mod_place p = mod_inside(m->place, "root", 0);
    if (c->operation->rooted) {
        int n = m->r->p->communicators[c->communicator].n;
        int status = read_integer(m, "root", 0, n - 1, &root);
        c->root = (int)root;
        return status;
    }
    c->root = -1;
    return json_object_get(m->object, "root")
               ? mod_complain(m->r->source, &p, "%s has no root", c->operation->name)
               : CPM_OK;
}

static int read_times(const member_of *m, cpm_profile_calls *c)
{
    double total;
    mod_place p = mod_inside(m->place, "bytes", 0);
    int status = read_number(m, "bytes", &c->bytes);
    if (!status && c->bytes > 0x1p62)
        status = mod_complain(m->r->source, &p, "\"bytes\": %g is too large", c->bytes);
    if (!status)
        status = read_integer(m, "calls", 1, LONG_MAX, &c->calls);
    if (!status)
        status = read_number(m, "mean", &c->mean);
    if (!status)
        status = read_number(m, "total", &total);
    if (!status)
        status = read_number(m, "between", &c->between);
    return status ? status : read_integer(m, "back_to_back", 0, c->calls, &c->back_to_back);
}

/* May be left out. */
static int read_extremes(const member_of *m, cpm_profile_calls *c)
{
    long least_at = -1, most_at = -1, last = m->r->p->n - 1;
    int status = CPM_OK;
    if (json_object_get(m->object, "least")) {
        status = read_number(m, "least", &c->least);
        if (!status)
            status = read_number(m, "most", &c->most);
        if (!status)
            status = read_integer(m, "least_at", 0, last, &least_at);
        if (!status)
            status = read_integer(m, "most_at", 0, last, &most_at);
    }
    c->least_at = (int)least_at;
    c->most_at = (int)most_at;
    return status;
}

static int read_one(const member_of *m, cpm_profile_calls *c)
{
    long communicator = 0;
    if (!json_is_object(m->object))
        return mod_complain(m->r->source, &m->place, "expected calls, found %s",
                            mod_kind(m->object));
    int status = read_integer(m, "communicator", 0, m->r->p->communicator_count - 1, &communicator);
    c->communicator = (int)communicator;
    if (!status)
        status = read_operation(m, c);
    if (!status)
        status = read_root(m, c);
    if (!status)
        status = read_times(m, c);
    return status ? status : read_extremes(m, c);
}

static int read_calls(const member_of *m)
{
    cpm_profile *p = m->r->p;
    const json_t *list;
    int status = read_list(m, "calls", &list);
    if (!status)
        status = have(m->r, &p->at, json_array_size(list), sizeof *p->at);
    for (size_t i = 0; !status && i < json_array_size(list); i++) {
        mod_place place = mod_inside(mod_top("calls"), NULL, (int)i);
        status = read_one(&(member_of){m->r, json_array_get(list, i), place}, &p->at[p->count++]);
    }
    return status;
}

/* ---- the whole */

static int read_profile(const mod_source *s, json_t *root, cpm_profile *p)
{
    const reader r = {s, p};
    const member_of m = {&r, root, {.steps = 0}};
    int status = mod_provenance(s, root, &p->facts);
    if (!status)
        status = read_library(&r);
    if (!status)
        status = read_head(&m);
    if (!status)
        status = read_communicators(&m);
    return status ? status : read_calls(&m);
}

static int unpack(const mod_source *s, size_t size, cpm_profile **out)
{
    json_t *root;
    int status = mod_load(s, size, "profile", "cpm profile", &root);
    if (status)
        return status;
    cpm_profile *p = calloc(1, sizeof *p);
    status = p ? read_profile(s, root, p) : cpm_no_memory(s->e);
    json_decref(root);
    if (status)
        cpm_profile_free(p);
    else
        *out = p;
    return status;
}

int cpm_profile_read(const char *path, cpm_profile **out, cpm_error *e)
{
    char *text;
    size_t size;
    int status = cpm_text_read(path, &text, &size, e);
    if (status)
        return status;
    status = unpack(&(mod_source){path, text, e}, size, out);
    free(text);
    return status;
}
