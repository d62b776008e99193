/* Reading a profile: JSON, every number against what it may be. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/numbers.h"
#include "history/profile.h"

/* A zero one of count elements, at least one of which is there. */
static int have(const cpm_json *at, void *out, size_t count, size_t each)
{
    *(void **)out = calloc(count + 1, each);
    return *(void **)out ? CPM_OK : cpm_no_memory(at->of->e);
}

/* ---- the head */

static int read_library(const cpm_json *root, cpm_profile *p)
{
    cpm_error why = {0};
    const char *name = cpm_metadata_get(&p->metadata, "library");
    const cpm_json provenance = cpm_json_member(root, "provenance"),
                   at = cpm_json_member(&provenance, "library");
    if (!name || strcmp(name, "other") == 0)
        return CPM_OK;
    return cpm_library_find(name, &p->library, &why) ? cpm_json_complain(&at, "%s", why.text)
                                                     : CPM_OK;
}

static int read_hosts(const cpm_json *root, cpm_profile *p)
{
    const cpm_json list = cpm_json_member(root, "hosts");
    int status = cpm_json_check_length(&list, "hosts", p->n);
    if (!status)
        status = have(root, &p->hosts, (size_t)p->n, sizeof *p->hosts);
    for (int i = 0; i < p->n && !status; i++) {
        cpm_json host = cpm_json_element(&list, i);
        if (!json_is_string(host.value))
            return cpm_json_expected(&host, "a host's name");
        if (!(p->hosts[i] = strdup(json_string_value(host.value))))
            status = cpm_no_memory(root->of->e);
    }
    return status;
}

static int read_head(const cpm_json *root, cpm_profile *p)
{
    const cpm_json_field processes[] = {
        {"processes", CPM_JSON_INT, &p->n, .least = 1, .most = CPM_MOST_PROCESSES}, {0}};
    const cpm_json_field others[] = {{"seconds", CPM_JSON_REAL, .out = &p->seconds},
                                     {"collectives", CPM_JSON_REAL, .out = &p->collectives},
                                     {"left_out", CPM_JSON_LONG, &p->left_out, .most = LONG_MAX},
                                     {0}};
    int status = cpm_json_fields(root, processes);
    if (!status)
        status = read_hosts(root, p);
    return status ? status : cpm_json_fields(root, others);
}

/* ---- communicators */

/* taken[n]: the processes that it has already. */
static int read_process(const cpm_json *at, int n, bool *taken, int *out)
{
    json_int_t process = json_integer_value(at->value);
    if (!json_is_integer(at->value) || process < 0 || process >= n)
        return cpm_json_complain(at, "expected a process from 0 to %d", n - 1);
    if (taken[process])
        return cpm_json_complain(at, "process %d is there twice", (int)process);
    taken[process] = true;
    *out = (int)process;
    return CPM_OK;
}

static int read_communicator(const cpm_json *at, int n, cpm_profile_communicator *c)
{
    int size = 0;
    bool *taken = NULL;
    cpm_json list;
    const cpm_json_field fields[] = {{"size", CPM_JSON_INT, &size, .least = 1, .most = n},
                                     {"processes", CPM_JSON_LIST, .out = &list},
                                     {0}};
    if (!json_is_object(at->value))
        return cpm_json_expected(at, "a communicator");
    int status = cpm_json_fields(at, fields);
    if (!status)
        status = cpm_json_check_length(&list, "processes", size);
    if (!status)
        status = have(at, &c->process, (size_t)size, sizeof *c->process);
    if (!status)
        status = have(at, &taken, (size_t)n, sizeof *taken);
    for (c->n = 0; !status && c->n < size; c->n++) {
        cpm_json process = cpm_json_element(&list, c->n);
        status = read_process(&process, n, taken, &c->process[c->n]);
    }
    free(taken);
    return status;
}

static int read_communicators(const cpm_json *root, cpm_profile *p)
{
    cpm_json list;
    const cpm_json_field fields[] = {{"communicators", CPM_JSON_LIST, .out = &list}, {0}};
    int status = cpm_json_fields(root, fields);
    if (!status)
        status =
            have(root, &p->communicators, json_array_size(list.value), sizeof *p->communicators);
    for (size_t i = 0; !status && i < json_array_size(list.value); i++) {
        cpm_json one = cpm_json_element(&list, (int)i);
        status = read_communicator(&one, p->n, &p->communicators[p->communicator_count++]);
    }
    return status;
}

/* ---- calls */

static int read_operation(const cpm_json *at, const char *name, cpm_profile_calls *c)
{
    const cpm_json operation = cpm_json_member(at, "operation");
    cpm_error why = {0};
    return cpm_operation_find(name, &c->operation, &why)
               ? cpm_json_complain(&operation, "%s", why.text)
               : CPM_OK;
}

/* Only operations that have a root have one. */
static int read_root(const cpm_json *at, int n, cpm_profile_calls *c)
{
    const cpm_json_field fields[] = {{"root", CPM_JSON_INT, &c->root, .most = n - 1}, {0}};
    const cpm_json root = cpm_json_member(at, "root");
    c->root = -1;
    if (c->operation->rooted)
        return cpm_json_fields(at, fields);
    return root.value ? cpm_json_complain(&root, "%s has no root", c->operation->name) : CPM_OK;
}

static int read_times(const cpm_json *at, cpm_profile_calls *c)
{
    double total;
    const cpm_json_field fields[] = {
        {"bytes", CPM_JSON_REAL, .out = &c->bytes},
        {"calls", CPM_JSON_LONG, &c->calls, .least = 1, .most = LONG_MAX},
        {"mean", CPM_JSON_REAL, .out = &c->mean},
        {"total", CPM_JSON_REAL, .out = &total},
        {"between", CPM_JSON_REAL, .out = &c->between},
        {0}};
    int status = cpm_json_fields(at, fields);
    const cpm_json_field of_calls[] = {
        {"back_to_back", CPM_JSON_LONG, &c->back_to_back, .most = c->calls}, {0}};
    const cpm_json bytes = cpm_json_member(at, "bytes");
    if (!status && c->bytes > 0x1p62)
        return cpm_json_complain(&bytes, "\"bytes\": %g is too large", c->bytes);
    return status ? status : cpm_json_fields(at, of_calls);
}

/* Left out where all were. */
static int read_timed(const cpm_json *at, cpm_profile_calls *c)
{
    const cpm_json_field fields[] = {{"timed", CPM_JSON_LONG, &c->timed, .most = c->calls}, {0}};
    c->timed = c->calls;
    return json_object_get(at->value, "timed") ? cpm_json_fields(at, fields) : CPM_OK;
}

/* May be left out, all of them. */
static int read_extremes(const cpm_json *at, int n, cpm_profile_calls *c)
{
    const cpm_json_field fields[] = {{"least", CPM_JSON_REAL, .out = &c->least},
                                     {"most", CPM_JSON_REAL, .out = &c->most},
                                     {"least_at", CPM_JSON_INT, &c->least_at, .most = n - 1},
                                     {"most_at", CPM_JSON_INT, &c->most_at, .most = n - 1},
                                     {0}};
    c->least_at = c->most_at = -1;
    return json_object_get(at->value, "least") ? cpm_json_fields(at, fields) : CPM_OK;
}

static int read_one(const cpm_json *at, const cpm_profile *p, cpm_profile_calls *c)
{
    const char *name;
    const cpm_json_field fields[] = {
        {"communicator", CPM_JSON_INT, &c->communicator, .most = p->communicator_count - 1},
        {"operation", CPM_JSON_STRING, .out = &name},
        {0}};
    if (!json_is_object(at->value))
        return cpm_json_expected(at, "calls");
    int status = cpm_json_fields(at, fields);
    if (!status)
        status = read_operation(at, name, c);
    if (!status)
        status = read_root(at, p->communicators[c->communicator].n, c);
    if (!status)
        status = read_times(at, c);
    if (!status)
        status = read_timed(at, c);
    return status ? status : read_extremes(at, p->n, c);
}

static int read_calls(const cpm_json *root, cpm_profile *p)
{
    cpm_json list;
    const cpm_json_field fields[] = {{"calls", CPM_JSON_LIST, .out = &list}, {0}};
    int status = cpm_json_fields(root, fields);
    if (!status)
        status = have(root, &p->at, json_array_size(list.value), sizeof *p->at);
    for (size_t i = 0; !status && i < json_array_size(list.value); i++) {
        cpm_json one = cpm_json_element(&list, (int)i);
        status = read_one(&one, p, &p->at[p->count++]);
    }
    return status;
}

/* ---- what CPM does not take */

/* Left out where there was nothing else. */
static int read_others(const cpm_json *root, cpm_profile *p)
{
    cpm_json list;
    const cpm_json_field fields[] = {{"others", CPM_JSON_LIST, .out = &list}, {0}};
    int status = json_object_get(root->value, "others") ? cpm_json_fields(root, fields) : CPM_OK;
    if (status || !json_object_get(root->value, "others"))
        return status;
    status = have(root, &p->others, json_array_size(list.value), sizeof *p->others);
    for (size_t i = 0; !status && i < json_array_size(list.value); i++) {
        const char *function;
        cpm_profile_other *o = &p->others[i];
        const cpm_json one = cpm_json_element(&list, (int)i);
        const cpm_json_field of_one[] = {
            {"function", CPM_JSON_STRING, .out = &function},
            {"calls", CPM_JSON_LONG, &o->calls, .least = 1, .most = LONG_MAX},
            {"seconds", CPM_JSON_REAL, .out = &o->seconds},
            {0}};
        if (!json_is_object(one.value))
            return cpm_json_expected(&one, "calls of a function");
        status = cpm_json_fields(&one, of_one);
        if (!status && !(o->function = strdup(function)))
            status = cpm_no_memory(root->of->e);
        p->other_count++;
    }
    return status;
}

/* ---- the whole */

static int read_profile(const cpm_json *root, void *out)
{
    cpm_profile *p = calloc(1, sizeof *p);
    int status = p ? cpm_json_provenance(root, &p->metadata) : cpm_no_memory(root->of->e);
    if (!status)
        status = read_library(root, p);
    if (!status)
        status = read_head(root, p);
    if (!status)
        status = read_communicators(root, p);
    if (!status)
        status = read_calls(root, p);
    if (!status)
        status = read_others(root, p);
    if (status)
        cpm_profile_free(p);
    else
        *(cpm_profile **)out = p;
    return status;
}

int cpm_profile_read(const char *path, cpm_profile **out, cpm_error *e)
{
    static const cpm_json_form form = {"profile", "cpm profile", read_profile};
    return cpm_json_read(path, &form, out, e);
}
