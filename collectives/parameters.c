/* One row per parameter: its name, which property of an algorithm allows it, how it is read. */
#include "collectives/parameters.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/sizes.h"
#include "collectives/algorithms/levels.h"

typedef struct {
    const char *name;
    unsigned property;
    int (*read)(const char *value, const cpm_algorithm *a, int index, cpm_parameters *out,
                cpm_error *e);
    int index;
} parameter;

static int read_segment(const char *value, const cpm_algorithm *a, int index, cpm_parameters *out,
                        cpm_error *e)
{
    (void)a, (void)index;
    size_t bytes;
    int code = cpm_size_parse(value, &bytes, e);
    if (code)
        return code;
    if (bytes == 0)
        return cpm_fail(e, CPM_EINVAL, "segment=0: a segment has at least one byte");
    out->segment = bytes;
    return CPM_OK;
}

static int read_threshold(const char *value, const cpm_algorithm *a, int index, cpm_parameters *out,
                          cpm_error *e)
{
    (void)a, (void)index;
    int code = cpm_size_parse(value, &out->threshold, e);
    if (!code && out->threshold == 0)
        out->threshold = CPM_FROM_NOTHING;
    return code;
}

/* A positive integer at the beginning of text; NULL if there is none, else what follows. */
static const char *read_positive(const char *text, int *out)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (!isdigit((unsigned char)*text) || value < 1 || value > 1 << 20)
        return NULL;
    *out = (int)value;
    return end;
}

static int read_k(const char *value, const cpm_algorithm *a, int index, cpm_parameters *out,
                  cpm_error *e)
{
    (void)a, (void)index;
    const char *end = read_positive(value, &out->k);
    if (!end || *end)
        return cpm_fail(e, CPM_EINVAL, "k=%s: is not a positive integer", value);
    return CPM_OK;
}

static int read_leaders(const char *value, const cpm_algorithm *a, int index, cpm_parameters *out,
                        cpm_error *e)
{
    (void)a, (void)index;
    const char *end = read_positive(value, &out->leaders);
    if (!end || *end)
        return cpm_fail(e, CPM_EINVAL, "leaders=%s: is not a positive integer", value);
    return CPM_OK;
}

static int read_level(const char *value, const cpm_algorithm *a, int index, cpm_parameters *out,
                      cpm_error *e)
{
    const cpm_algorithm *row;
    int code = cpm_level_find(a, index, value, &row, e);
    if (!code)
        out->level[index] = 1 + (int)(row - cpm_algorithms);
    return code;
}

static int read_mesh(const char *value, const cpm_algorithm *a, int index, cpm_parameters *out,
                     cpm_error *e)
{
    (void)a, (void)index;
    const char *at = value;
    int d = 0;
    if (strcmp(value, "hosts") == 0) {
        out->mesh[0] = CPM_MESH_OF_HOSTS;
        return CPM_OK;
    }
    for (; at && d < 3; d++) {
        at = read_positive(at, &out->mesh[d]);
        if (!at || *at != 'x')
            break;
        at++;
    }
    if (!at || *at || d < 1)
        return cpm_fail(e, CPM_EINVAL, "mesh=%s: is not like 4x4 or 4x2x2, or hosts", value);
    return CPM_OK;
}

/* The other way round: the last extent is that of a row (Hartmann, Kuehnemann, Rauber, Ruenger
 * 2006). */
static int read_rows(const char *value, const cpm_algorithm *a, int index, cpm_parameters *out,
                     cpm_error *e)
{
    int d = 2;
    memset(out->mesh, 0, sizeof out->mesh);
    if (read_mesh(value, a, index, out, NULL))
        return cpm_fail(e, CPM_EINVAL, "rows=%s: is not like 4x4 or 2x2x4, or hosts", value);
    if (out->mesh[0] == CPM_MESH_OF_HOSTS) {
        out->mesh[0] = CPM_MESH_ACROSS_HOSTS;
        return CPM_OK;
    }
    while (d > 0 && out->mesh[d] == 0)
        d--;
    const int last = out->mesh[d];
    out->mesh[d] = out->mesh[0];
    out->mesh[0] = last;
    return CPM_OK;
}

static int read_inner(const char *value, const cpm_algorithm *a, int index, cpm_parameters *out,
                      cpm_error *e)
{
    const cpm_algorithm *inner;
    if (strcmp(value, "native") == 0) {
        out->inner[index] = CPM_INNER_NATIVE;
        return CPM_OK;
    }
    int code = cpm_algorithm_find(a->operation, value, &inner, e);
    if (!code)
        out->inner[index] = 1 + (int)(inner - cpm_algorithms);
    return code;
}

static const parameter parameters[] = {
    {"segment", CPM_TAKES_SEGMENT, read_segment, 0},
    {"k", CPM_TAKES_K, read_k, 0},
    {"threshold", CPM_TAKES_THRESHOLD, read_threshold, 0},
    {"mesh", CPM_TAKES_MESH, read_mesh, 0},
    {"rows", CPM_TAKES_MESH, read_rows, 0},
    {"x", CPM_TAKES_INNER, read_inner, 0},
    {"y", CPM_TAKES_INNER, read_inner, 1},
    {"z", CPM_TAKES_INNER, read_inner, 2},
    {"inner", CPM_TAKES_LEVELS, read_level, CPM_WITHIN_HOSTS},
    {"outer", CPM_TAKES_LEVELS, read_level, CPM_BETWEEN_HOSTS},
    {"leaders", CPM_TAKES_LEADERS, read_leaders, 0},
    {NULL, 0, NULL, 0},
};

/* The row that says first what p says: rows are a mesh, too. */
static const parameter *first_like(const parameter *p)
{
    const parameter *first = parameters;
    while (first->property != p->property || first->index != p->index)
        first++;
    return first;
}

/* given: a bit for each parameter that was, of the row that says it first. */
static int parse_one(const char *text, const cpm_algorithm *a, unsigned *given, cpm_parameters *out,
                     cpm_error *e)
{
    size_t length = strcspn(text, "=");
    for (const parameter *p = parameters; p->name && text[length]; p++) {
        const unsigned bit = 1u << (first_like(p) - parameters);
        if (strlen(p->name) != length || strncmp(text, p->name, length) != 0 ||
            !(a->properties & p->property))
            continue;
        if (*given & bit)
            return cpm_fail(e, CPM_EINVAL, "%s:%s: %s is given twice%s", a->operation, a->name,
                            p->name,
                            p->property == CPM_TAKES_MESH ? " (mesh and rows say the same)" : "");
        *given |= bit;
        return p->read(text + length + 1, a, p->index, out, e);
    }
    char takes[80];
    cpm_algorithm_takes(a, takes, sizeof takes);
    return cpm_fail(e, CPM_EUNKNOWN,
                    "%s:%s does not take the parameter '%s' (parameters: %s; written NAME=VALUE)",
                    a->operation, a->name, text, takes);
}

/* Of a threshold it is a value. */
static bool is_nothing(const char *text)
{
    const char *value = strchr(text, '=');
    return value && strcmp(value, "=0") == 0 && strcmp(text, "threshold=0") != 0;
}

/* zeros: are left out, where they say nothing. */
static int parse_all(const char *text, const cpm_algorithm *a, bool zeros, cpm_parameters *out,
                     cpm_error *e)
{
    cpm_parameters all = {0};
    unsigned given = 0;
    int code = CPM_OK;
    char *copy = strdup(text ? text : ""), *rest = copy, *one;
    if (!copy)
        return cpm_no_memory(e);
    while (!code && rest && *rest && (one = strsep(&rest, ":")))
        if (!zeros || !is_nothing(one))
            code = parse_one(one, a, &given, &all, e);
    free(copy);
    if (!code)
        *out = all;
    return code;
}

int cpm_parameters_parse(const char *text, const cpm_algorithm *a, cpm_parameters *out,
                         cpm_error *e)
{
    return parse_all(text, a, false, out, e);
}

/* ---- of any algorithm ---- */

int cpm_parameters_parse_of_any(const char *text, const char *operation, cpm_parameters *out,
                                cpm_error *e)
{
    const cpm_algorithm any = {.operation = operation,
                               .name = "*",
                               .properties = CPM_TAKES_SEGMENT | CPM_TAKES_K | CPM_TAKES_THRESHOLD |
                                             CPM_TAKES_MESH | CPM_TAKES_LEADERS};
    return parse_all(text, &any, true, out, e);
}

void cpm_parameters_replace(cpm_parameters *p, const cpm_parameters *from, const cpm_algorithm *a)
{
    unsigned taken = cpm_parameters_given(from) & a->properties;
    if (taken & CPM_TAKES_SEGMENT)
        p->segment = from->segment;
    if (taken & CPM_TAKES_K)
        p->k = from->k;
    if (taken & CPM_TAKES_THRESHOLD)
        p->threshold = from->threshold;
    if (taken & CPM_TAKES_MESH)
        memcpy(p->mesh, from->mesh, sizeof p->mesh);
    if (taken & CPM_TAKES_LEADERS)
        p->leaders = from->leaders;
}

/* ---- printing ---- */

static size_t add(char *text, size_t size, size_t used, const char *name, size_t value)
{
    if (value && used < size)
        used += (size_t)snprintf(text + used, size - used, ":%s=%zu", name, value);
    return used;
}

static size_t add_mesh(const cpm_parameters *p, char *text, size_t size, size_t used)
{
    if (p->mesh[0] < 0)
        used += (size_t)snprintf(text + used, size - used, ":%s=hosts",
                                 p->mesh[0] == CPM_MESH_OF_HOSTS ? "mesh" : "rows");
    for (int d = 0; d < 3 && p->mesh[d] > 0 && used < size; d++)
        used += (size_t)snprintf(text + used, size - used, "%s%d", d ? "x" : ":mesh=", p->mesh[d]);
    for (int d = 0; d < 3 && used < size; d++)
        if (p->inner[d])
            used += (size_t)snprintf(text + used, size - used, ":%c=%s", "xyz"[d],
                                     p -> inner[d] == CPM_INNER_NATIVE
                                              ? "native"
                                              : cpm_algorithms[p->inner[d] - 1].name);
    return used;
}

static size_t add_levels(const cpm_parameters *p, char *text, size_t size, size_t used)
{
    static const char *const names[] = {"inner", "outer"};
    for (int k = 0; k < 2 && used < size; k++)
        if (p->level[k])
            used += (size_t)snprintf(text + used, size - used, ":%s=%s", names[k],
                                     cpm_algorithms[p->level[k] - 1].name);
    return used;
}

void cpm_parameters_print(const cpm_parameters *p, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    used = add(text, size, used, "segment", p->segment);
    used = add(text, size, used, "k", (size_t)p->k);
    if (p->threshold && used < size)
        used += (size_t)snprintf(text + used, size - used, ":threshold=%zu", cpm_threshold(p, 0));
    used = add_mesh(p, text, size, used);
    used = add_levels(p, text, size, used);
    add(text, size, used, "leaders", (size_t)p->leaders);
}

unsigned cpm_parameters_given(const cpm_parameters *p)
{
    bool inner = p->inner[0] || p->inner[1] || p->inner[2];
    return (p->segment ? CPM_TAKES_SEGMENT : 0u) | (p->k ? CPM_TAKES_K : 0u) |
           (p->threshold ? CPM_TAKES_THRESHOLD : 0u) | (p->mesh[0] ? CPM_TAKES_MESH : 0u) |
           (inner ? CPM_TAKES_INNER : 0u) | (p->level[0] || p->level[1] ? CPM_TAKES_LEVELS : 0u) |
           (p->leaders ? CPM_TAKES_LEADERS : 0u);
}

uint64_t cpm_parameters_hash(const cpm_parameters *p)
{
    uint64_t hash = cpm_hash_mix(0, p->segment);
    hash = cpm_hash_mix(cpm_hash_mix(hash, p->threshold), (uint64_t)p->k);
    for (int d = 0; d < 3; d++)
        hash = cpm_hash_mix(cpm_hash_mix(hash, (uint64_t)p->mesh[d]), (uint64_t)p->inner[d]);
    for (int k = 0; k < 2; k++)
        hash = cpm_hash_mix(hash, (uint64_t)p->level[k]);
    return cpm_hash_mix(hash, (uint64_t)p->leaders);
}

bool cpm_parameters_equal(const cpm_parameters *a, const cpm_parameters *b)
{
    return a->segment == b->segment && a->threshold == b->threshold && a->k == b->k &&
           memcmp(a->mesh, b->mesh, sizeof a->mesh) == 0 &&
           memcmp(a->inner, b->inner, sizeof a->inner) == 0 && a->leaders == b->leaders &&
           memcmp(a->level, b->level, sizeof a->level) == 0;
}
