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
        return cpm_fail(e, CPM_ENOMEM, "no memory for the classes of %d processes", n);
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

bool cpm_classes_meet(const cpm_classes *c, int a, int b)
{
    return a != b || c->members[a] > 1;
}

double cpm_classes_pairs(const cpm_classes *c, int a, int b)
{
    return (double)c->members[a] * (c->members[b] - (a == b));
}
