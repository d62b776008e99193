/* Classes of like processes in memory. */
#include "models/classes.h"

#include <stdlib.h>
#include <string.h>

static bool copy_names(const char *const *name, cpm_classes *c)
{
    c->name = calloc((size_t)c->count, sizeof *c->name);
    for (int k = 0; c->name && k < c->count; k++)
        if (!(c->name[k] = strdup(name[k])))
            return false;
    return c->name != NULL;
}

static bool fill(const int *of, const char *const *name, cpm_classes *c)
{
    c->of = malloc((size_t)c->n * sizeof *c->of);
    c->members = calloc((size_t)c->count, sizeof *c->members);
    if (!c->of || !c->members)
        return false;
    for (int i = 0; i < c->n; i++) {
        c->of[i] = of ? of[i] : i;
        c->members[c->of[i]]++;
    }
    return !name || copy_names(name, c);
}

int cpm_classes_create(int n, const int *of, int count, const char *const *name, cpm_classes *out,
                       cpm_error *e)
{
    cpm_classes c = {.n = n, .count = of ? count : n};
    if (!fill(of, name, &c)) {
        cpm_classes_clear(&c);
        return cpm_no_memory(e);
    }
    for (int k = 0; k < c.count; k++)
        if (c.members[k] == 0) {
            cpm_classes_clear(&c);
            return cpm_fail(e, CPM_EINVAL, "class '%s' has no process", name ? name[k] : "");
        }
    *out = c;
    return CPM_OK;
}

int cpm_classes_copy(const cpm_classes *from, cpm_classes *out, cpm_error *e)
{
    return cpm_classes_create(from->n, from->of, from->count, (const char *const *)from->name, out,
                              e);
}

void cpm_classes_clear(cpm_classes *c)
{
    for (int k = 0; c->name && k < c->count; k++)
        free(c->name[k]);
    free(c->name);
    free(c->of);
    free(c->members);
    free(c->together);
    *c = (cpm_classes){0};
}

bool cpm_classes_equal(const cpm_classes *a, const cpm_classes *b)
{
    if (a->n != b->n || a->count != b->count || !a->name != !b->name)
        return false;
    for (int k = 0; a->name && k < a->count; k++)
        if (strcmp(a->name[k], b->name[k]) != 0)
            return false;
    return memcmp(a->of, b->of, (size_t)a->n * sizeof *a->of) == 0;
}

/* The processes of each class, one after the other: class k begins at first[k]. */
static void sort_by_class(const cpm_classes *c, int *first, int *sorted)
{
    first[0] = 0;
    for (int k = 0; k < c->count; k++)
        first[k + 1] = first[k] + c->members[k];
    for (int i = c->n - 1; i >= 0; i--)
        sorted[--first[c->of[i] + 1]] = i;
    for (int k = 0; k < c->count; k++)
        first[k] = first[k + 1];
}

/* there[hosts] is zero, before and after. */
static double pairs_together(const cpm_hosts *hosts, const int *process, int count, int *there)
{
    double pairs = 0;
    for (int i = 0; i < count; i++)
        pairs += 2 * there[hosts->of[process[i]]]++;
    for (int i = 0; i < count; i++)
        there[hosts->of[process[i]]] = 0;
    return pairs;
}

int cpm_classes_set_hosts(cpm_classes *c, const cpm_hosts *hosts, cpm_error *e)
{
    int *first = malloc((size_t)(c->count + 1) * sizeof *first);
    int *sorted = malloc((size_t)c->n * sizeof *sorted);
    int *there = calloc((size_t)hosts->count, sizeof *there);
    free(c->together);
    c->together = calloc((size_t)c->count, sizeof *c->together);
    bool ok = first && sorted && there && c->together;
    if (ok) {
        sort_by_class(c, first, sorted);
        for (int k = 0; k < c->count; k++)
            c->together[k] = pairs_together(hosts, sorted + first[k], c->members[k], there);
    }
    free(first);
    free(sorted);
    free(there);
    return ok ? CPM_OK : cpm_no_memory(e);
}

double cpm_classes_pairs(const cpm_classes *c, int a, int b)
{
    double pairs = (double)c->members[a] * (c->members[b] - (a == b));
    return a == b && c->together ? pairs - c->together[a] : pairs;
}

bool cpm_classes_meet(const cpm_classes *c, int a, int b)
{
    return cpm_classes_pairs(c, a, b) > 0;
}
