/* Names, equality, fingerprints and the wire form of collectives, and the way to their schedules.
 */
#include "collectives/collective.h"

#include <math.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "collectives/algorithms/levels.h"
#include "collectives/parameters.h"
#include "collectives/schedule_file.h"
#include "collectives/topology_tree.h"

/* ---- names */

static const char native[] = "native";

/* A copy of text up to the colon that ends its first word; *rest is behind it, NULL: there is none.
 */
static char *first_word(const char *text, const char **rest)
{
    size_t length = strcspn(text, ":");
    *rest = text[length] ? text + length + 1 : NULL;
    return strndup(text, length);
}

int cpm_collective_parse_algorithm(const cpm_operation *operation, const char *text,
                                   cpm_collective *out, cpm_error *e)
{
    cpm_collective c = {.operation = operation};
    const char *parameters;
    char *name = first_word(text, &parameters);
    if (!name)
        return cpm_no_memory(e);
    int status = CPM_OK;
    if (!*name)
        status = cpm_fail(e, CPM_EINVAL,
                          "%s: no algorithm is named (%s:NAME; 'cpm algorithms %s' lists them)",
                          operation->name, operation->name, operation->name);
    else if (*name == CPM_SCHEDULE_FILE)
        status = cpm_schedule_file_find(operation, name + 1, &c.algorithm, e);
    else if (strcmp(text, native) != 0)
        status = cpm_algorithm_find(operation->name, name, &c.algorithm, e);
    if (!status && c.algorithm)
        status = cpm_parameters_parse(parameters, c.algorithm, &c.with, e);
    free(name);
    if (!status)
        *out = c;
    return status;
}

int cpm_collective_parse(const char *text, cpm_collective *out, cpm_error *e)
{
    const cpm_operation *operation;
    const char *algorithm;
    char *name = first_word(text, &algorithm);
    if (!name)
        return cpm_no_memory(e);
    int status = cpm_operation_find(name, &operation, e);
    free(name);
    return status ? status
                  : cpm_collective_parse_algorithm(operation, algorithm ? algorithm : "", out, e);
}

int cpm_collective_of(const cpm_algorithm *a, cpm_collective *out, cpm_error *e)
{
    cpm_collective c = {.algorithm = a};
    int status = cpm_operation_find(a->operation, &c.operation, e);
    if (!status)
        *out = c;
    return status;
}

const char *cpm_collective_algorithm(const cpm_collective *c)
{
    return c->algorithm ? c->algorithm->name : native;
}

void cpm_collective_print_algorithm(const cpm_collective *c, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", cpm_collective_algorithm(c));
    if (used < size)
        cpm_parameters_print(&c->with, text + used, size - used);
}

void cpm_collective_print(const cpm_collective *c, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s:", c->operation->name);
    if (used < size)
        cpm_collective_print_algorithm(c, text + used, size - used);
}

/* ---- equality */

bool cpm_collective_same(const cpm_collective *a, const cpm_collective *b)
{
    return a->operation == b->operation && a->algorithm == b->algorithm &&
           cpm_parameters_equal(&a->with, &b->with);
}

static bool same_array(const void *a, const void *b, size_t bytes)
{
    return a == b || (a && b && memcmp(a, b, bytes) == 0);
}

static bool same_topology(const cpm_topology *a, const cpm_topology *b)
{
    if (a == b || !a || !b)
        return a == b;
    cpm_placement one = {.topology = a}, other = {.topology = b};
    char first[CPM_FINGERPRINT], second[CPM_FINGERPRINT];
    cpm_placement_fingerprint(&one, first);
    cpm_placement_fingerprint(&other, second);
    return strcmp(first, second) == 0;
}

static bool same_hosts(const cpm_hosts *a, const cpm_hosts *b)
{
    if (a == b || !a || !b)
        return a == b;
    return a->n == b->n && same_array(a->of, b->of, (size_t)a->n * sizeof *a->of);
}

static bool same_placement(const cpm_placement *a, const cpm_placement *b)
{
    size_t n = (size_t)a->n;
    return a->n == b->n && a->root == b->root &&
           same_array(a->mapping, b->mapping, n * sizeof *a->mapping) &&
           same_array(a->parent, b->parent, n * sizeof *a->parent) &&
           same_array(a->weights, b->weights, n * sizeof *a->weights) &&
           same_topology(a->topology, b->topology) && same_hosts(a->hosts, b->hosts);
}

bool cpm_collective_equal(const cpm_collective *a, const cpm_collective *b)
{
    return cpm_collective_same(a, b) && same_placement(&a->at, &b->at);
}

/* ---- fingerprints */

static void take_text(SHA2_CTX *hash, const char *text)
{
    SHA256Update(hash, (const uint8_t *)text, strlen(text) + 1);
}

static void take_numbers(SHA2_CTX *hash, const int *at, int count)
{
    char text[16];
    for (int i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%d", at[i]);
        take_text(hash, text);
    }
}

static void take_map(SHA2_CTX *hash, const cpm_placement *at)
{
    if (at->mapping)
        take_numbers(hash, at->mapping, at->n);
    if (at->parent) {
        take_text(hash, "tree");
        take_numbers(hash, at->parent + 1, at->n - 1); /* the root has none */
    }
}

static void take_blocks(SHA2_CTX *hash, const cpm_placement *at)
{
    char text[32];
    locale_t before = cpm_locale_plain();
    for (int i = 0; i < at->n; i++) {
        snprintf(text, sizeof text, "%.6g", at->weights[i]);
        take_text(hash, text);
    }
    cpm_locale_restore(before);
}

static void take_topology(SHA2_CTX *hash, const cpm_placement *at)
{
    const cpm_topology *t = at->topology;
    take_numbers(hash, &t->hosts, 1);
    for (int v = 0; t->name && v < t->nodes; v++)
        take_text(hash, t->name[v]);
    take_numbers(hash, t->first, t->nodes + 1);
    take_numbers(hash, t->neighbour, t->first[t->nodes]);
}

static void take_hosts(SHA2_CTX *hash, const cpm_placement *at)
{
    take_numbers(hash, at->hosts->of, at->hosts->n);
}

static void take_graph(SHA2_CTX *hash, const cpm_placement *at)
{
    const cpm_neighbours *g = at->neighbours;
    take_numbers(hash, g->first_out, g->n + 1);
    take_numbers(hash, g->to, g->edges);
    take_numbers(hash, g->place, g->edges);
}

typedef struct {
    const char *name;
    bool there;
    void (*take)(SHA2_CTX *hash, const cpm_placement *at);
} fingerprint_part;

static size_t add_part(const fingerprint_part *part, const cpm_placement *at, char *text,
                       size_t used)
{
    enum { DIGITS = 12 };
    char digits[SHA256_DIGEST_STRING_LENGTH];
    SHA2_CTX hash;
    SHA256Init(&hash);
    part->take(&hash, at);
    SHA256End(&hash, digits);
    return used + (size_t)snprintf(text + used, CPM_FINGERPRINT - used, "%s%s=%.*s",
                                   used ? " " : "", part->name, DIGITS, digits);
}

void cpm_placement_fingerprint(const cpm_placement *at, char text[CPM_FINGERPRINT])
{
    const fingerprint_part part[] = {
        {"map", at->mapping || at->parent, take_map},
        {"blocks", at->weights, take_blocks},
        {"topology", at->topology, take_topology},
        {"hosts", cpm_hosts_have_levels(at->hosts), take_hosts},
        {"graph", at->neighbours, take_graph},
    };
    size_t used = 0;
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        if (part[k].there)
            used = add_part(&part[k], at, text, used);
    if (!used)
        snprintf(text, CPM_FINGERPRINT, "plain");
}

/* ---- travelling */

/* What arrays follow, in this order. */
typedef struct {
    int operation, algorithm; /* rows, those of schedule files behind the others; -1: native */
    cpm_parameters with;
    int n, root;
    cpm_combining combining;
    bool weights, mapping, parent;
} packed_head;

_Static_assert(sizeof(packed_head) <= CPM_PACKED_HEAD, "arrays begin behind the head");

size_t cpm_collective_packed_bytes(int n)
{
    return CPM_PACKED_HEAD + (size_t)n * (sizeof(double) + 2 * sizeof(int));
}

/* Where arrays of n begin. */
typedef struct {
    double *weights;
    int *mapping, *parent;
} packed_arrays;

static packed_arrays arrays_in(void *bytes, int n)
{
    double *weights = (double *)((char *)bytes + CPM_PACKED_HEAD);
    int *mapping = (int *)(weights + n);
    return (packed_arrays){weights, mapping, mapping + n};
}

static void copy(void *to, const void *from, size_t bytes)
{
    if (from)
        memcpy(to, from, bytes);
}

/* Behind the last row. */
static int rows(void)
{
    int count = 0;
    while (cpm_algorithms[count].name)
        count++;
    return count;
}

static int number_of(const cpm_algorithm *a)
{
    if (a && a->messages)
        return rows() + cpm_schedule_file_number(a);
    return a ? (int)(a - cpm_algorithms) : -1;
}

static const cpm_algorithm *numbered(int number)
{
    if (number < 0)
        return NULL;
    return number < rows() ? &cpm_algorithms[number] : cpm_schedule_file_numbered(number - rows());
}

void cpm_collective_pack(const cpm_collective *c, void *bytes)
{
    const cpm_placement *at = &c->at;
    const packed_head head = {.operation = (int)(c->operation - cpm_operations),
                              .algorithm = number_of(c->algorithm),
                              .with = c->with,
                              .n = at->n,
                              .root = at->root,
                              .combining = c->combining,
                              .weights = at->weights,
                              .mapping = at->mapping,
                              .parent = at->parent};
    packed_arrays to = arrays_in(bytes, at->n);
    size_t n = (size_t)at->n;
    memcpy(bytes, &head, sizeof head);
    copy(to.weights, at->weights, n * sizeof *to.weights);
    copy(to.mapping, at->mapping, n * sizeof *to.mapping);
    copy(to.parent, at->parent, n * sizeof *to.parent);
}

void cpm_collective_unpack(const void *bytes, cpm_collective *out)
{
    packed_head head;
    memcpy(&head, bytes, sizeof head);
    const packed_arrays from = arrays_in((void *)bytes, head.n);
    *out = (cpm_collective){
        .operation = &cpm_operations[head.operation],
        .algorithm = numbered(head.algorithm),
        .with = head.with,
        .at = {.n = head.n,
               .root = head.root,
               .weights = head.weights ? from.weights : NULL,
               .mapping = head.mapping ? from.mapping : NULL,
               .parent = head.parent ? from.parent : NULL},
        .combining = head.combining,
    };
}

/* ---- to a schedule */

static cpm_call call_of(const cpm_collective *c, const cpm_block_sizes *sizes)
{
    return (cpm_call){.n = c->at.n,
                      .root = c->operation->rooted ? c->at.root : 0,
                      .bytes = sizes->bytes,
                      .sizes = sizes->each,
                      .with = c->with,
                      .mapping = c->at.mapping,
                      .parent = c->at.parent,
                      .topology = c->at.topology,
                      .hosts = c->at.hosts,
                      .neighbours = c->at.neighbours};
}

int cpm_collective_applies(const cpm_collective *c, cpm_error *e)
{
    const cpm_block_sizes none = {0};
    const cpm_call call = call_of(c, &none);
    return c->algorithm ? cpm_algorithm_applies(c->algorithm, &call, e) : CPM_OK;
}

/* Processes that sit elsewhere combine in another order. */
bool cpm_collective_keeps_order(const cpm_collective *c)
{
    const cpm_algorithm *a = c->algorithm;
    if (!a)
        return true;
    if (c->at.mapping && a->properties & CPM_TAKES_MAPPING)
        return false;
    if (a->properties & CPM_REORDERS_UNLESS_IN_ROWS)
        return cpm_levels_keep_order(a, &c->with, c->at.root, c->at.hosts);
    return cpm_algorithm_keeps_order(a, c->at.root);
}

int cpm_collective_sizes(const cpm_collective *c, size_t bytes, size_t **out, cpm_error *e)
{
    int64_t units = c->operation->units(c->at.n, c->at.neighbours);
    *out = NULL;
    if (!c->at.weights || !c->operation->like)
        return CPM_OK;
    size_t *sizes = malloc((size_t)units * sizeof *sizes + 1);
    if (!sizes)
        return cpm_no_memory(e);
    const int *to = c->operation->send.elsewhere == CPM_BLOCK_OF_NEIGHBOUR ? c->at.neighbours->to
                                                                           : NULL;
    for (int64_t u = 0; u < units; u++)
        sizes[u] = (size_t)llround((double)bytes * c->at.weights[to ? to[u] : u % c->at.n]);
    *out = sizes;
    return CPM_OK;
}

int cpm_collective_schedule(const cpm_collective *c, const cpm_block_sizes *sizes,
                            cpm_schedule **out, cpm_error *e)
{
    if (!c->algorithm)
        return cpm_fail(e, CPM_EINVAL, "%s:native is the MPI library's own and has no schedule",
                        c->operation->name);
    const cpm_call call = call_of(c, sizes);
    int status = cpm_schedule_create(c->algorithm, &call, out, e);
    if (!status) {
        (*out)->combining = c->combining;
        (*out)->by_library = c->by_library;
    }
    return status;
}
