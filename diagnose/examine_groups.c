/* The doctor's look at who is near whom: hosts whose latencies to each other are clearly below
 * those to all others are behind one switch, or at one site. That is how the network is, and no
 * fault of anybody. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/examiner.h"
#include "diagnose/kinds.h"

enum { LEAST_HOSTS = 5, MOST_HOSTS = 512, MOST_GROUPS = 64 };

static const double clearly = 1.05; /* times farther are other groups than one's own */
static const double overlap = 0.05; /* share of pairs that may be nearer or farther than that */

typedef struct {
    int n, count; /* hosts, groups */
    double *far;  /* [n*n] mean latency of two hosts, there and back */
    double *sum;  /* [n*n] of all pairs of two groups, by their first hosts */
    double *work; /* [n*n] */
    int *of,
        *best; /* [n] the first host of each one's group: now, and where groups stand apart most */
    int *size; /* [n] of a first host: hosts of its group */
    double apart;
} groups;

static size_t at_of(const groups *g, int i, int j)
{
    return (size_t)i * (size_t)g->n + (size_t)j;
}

static double between(const groups *g, int a, int b)
{
    return g->sum[at_of(g, a, b)] / ((double)g->size[a] * g->size[b]);
}

/* The two groups that are nearest; how far they are. */
static double find_nearest(const groups *g, int *one, int *other)
{
    double nearest = INFINITY;
    for (int a = 0; a < g->n; a++)
        for (int b = a + 1; b < g->n && g->of[a] == a; b++)
            if (g->of[b] == b && between(g, a, b) < nearest) {
                nearest = between(g, a, b);
                *one = a;
                *other = b;
            }
    return nearest;
}

static void join(groups *g, int one, int other)
{
    for (int k = 0; k < g->n; k++) {
        g->sum[at_of(g, one, k)] += g->sum[at_of(g, other, k)];
        g->sum[at_of(g, k, one)] = g->sum[at_of(g, one, k)];
        g->of[k] = g->of[k] == other ? one : g->of[k];
    }
    g->size[one] += g->size[other];
}

/* Average linkage; what is kept is where the next two groups are farthest apart, compared with
 * those that were joined last. */
static void link_all(groups *g)
{
    double last = 0;
    for (int left = g->n; left > 1; left--) {
        int one = 0, other = 0;
        double nearest = find_nearest(g, &one, &other);
        if (last > 0 && nearest / last > g->apart) {
            g->apart = nearest / last;
            g->count = left;
            memcpy(g->best, g->of, (size_t)g->n * sizeof *g->of);
        }
        last = fmax(last, nearest);
        join(g, one, other);
    }
}

static double quantile(groups *g, bool same, double share)
{
    size_t used = 0;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < i; j++)
            if ((g->best[i] == g->best[j]) == same)
                g->work[used++] = g->far[at_of(g, i, j)];
    gsl_sort(g->work, 1, used);
    return used ? gsl_stats_quantile_from_sorted_data(g->work, 1, used, share) : NAN;
}

/* Whether nearly everybody is nearer to all of his own than to any other, and not alone. */
static bool stand_apart(groups *g)
{
    if (g->count < 2 || g->count > MOST_GROUPS || 2 * g->count > g->n)
        return false;
    for (int i = 0; i < g->n; i++) {
        int own = 0;
        for (int j = 0; j < g->n; j++)
            own += g->best[j] == g->best[i];
        if (own < 2)
            return false;
    }
    return quantile(g, false, overlap) > quantile(g, true, 1 - overlap) &&
           quantile(g, false, 0.5) > clearly * quantile(g, true, 0.5);
}

static bool take_latencies(const cpm_examiner *x, const double *value, groups *g)
{
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++) {
            double both = (value[at_of(g, i, j)] + value[at_of(g, j, i)]) / 2;
            if (i != j && (!(both > 0) || cpm_model_inside(x->m, i, j)))
                return false;
            g->far[at_of(g, i, j)] = g->sum[at_of(g, i, j)] = i == j ? 0 : both;
        }
    for (int i = 0; i < g->n; i++) {
        g->of[i] = g->best[i] = i;
        g->size[i] = 1;
    }
    return true;
}

/* ---- what is said */

static void put_group(const cpm_examiner *x, const groups *g, int first, FILE *out)
{
    for (int i = first; i < g->n; i++)
        if (g->best[i] == first) {
            fputs(i > first ? " " : "", out);
            if (x->m->hosts[i][0])
                fputs(x->m->hosts[i], out);
            else
                fprintf(out, "%d", i);
        }
}

static int note_groups(const cpm_examiner *x, groups *g, const char *name)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return cpm_no_memory(x->e);
    for (int i = 0; i < g->n; i++)
        if (g->best[i] == i) {
            fputs(i ? "; " : "", out);
            put_group(x, g, i, out);
        }
    int status = fclose(out) ? cpm_no_memory(x->e)
                             : cpm_note(&x->d->notes, x->e,
                                        "%d groups of hosts are near each other, as behind one "
                                        "switch (%s across is %.2g times that within): %s",
                                        g->count, name,
                                        quantile(g, false, 0.5) / quantile(g, true, 0.5), text);
    free(text);
    return status;
}

/* Groups are numbered; false: too many, or too small to be compared within. */
static bool number_groups(const groups *g, int *group)
{
    int next = 0;
    for (int i = 0; i < g->n; i++) {
        int own = 0;
        for (int j = 0; j < g->n; j++)
            own += g->best[j] == g->best[i];
        if (own < 3 || (g->best[i] == i && next == CPM_MOST_KINDS))
            return false;
        group[i] = g->best[i] == i ? next++ : group[g->best[i]];
    }
    return true;
}

static int keep_groups(cpm_examiner *x, groups *g, const char *name)
{
    int *group = malloc((size_t)g->n * sizeof *group);
    if (!group)
        return cpm_no_memory(x->e);
    if (number_groups(g, group))
        x->group = group;
    else
        free(group);
    return note_groups(x, g, name);
}

int cpm_examine_groups(cpm_examiner *x, int p)
{
    const cpm_parameter *a = &x->m->type->parameters[p];
    size_t n = (size_t)x->m->n, size = n * n;
    if (strcmp(a->unit, "s") != 0 || x->m->n < LEAST_HOSTS || x->m->n > MOST_HOSTS)
        return CPM_OK;
    double *tables = malloc(3 * size * sizeof *tables);
    int *lists = malloc(3 * n * sizeof *lists);
    groups g = {.n = x->m->n};
    int status = tables && lists ? CPM_OK : cpm_no_memory(x->e);
    if (!status) {
        g.far = tables, g.sum = tables + size, g.work = tables + 2 * size;
        g.of = lists, g.best = lists + n, g.size = lists + 2 * n;
    }
    if (!status && take_latencies(x, x->m->value[p], &g)) {
        link_all(&g);
        if (stand_apart(&g))
            status = keep_groups(x, &g, a->name);
    }
    free(tables);
    free(lists);
    return status;
}
