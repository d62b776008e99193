/* Kinds of values, by gaps between them. */
#include "diagnose/kinds.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "diagnose/examiner.h"

enum {
    MOST_CUTS = 16,
    LEAST_OF_A_KIND = 3,
    FAR_APART = 5, /* a gap within a kind is that many standard deviations once in 30 kinds of eight
                      values, and hardly ever in larger ones */
    MEANS_APART = 6,
    LEAST_GAP = 2 /* both of two kinds, in standard deviations */
};

static const double least_gap = 0.095; /* 10 %: nearer ones may as well be one kind */

/* A kind: where it begins among the sorted values. */
typedef struct {
    int first, count;
} segment;

typedef struct {
    const double *at; /* [count], sorted */
    int count, least, faults;
    size_t gap[MOST_CUTS]; /* value before it, the widest gap first */
    int gaps;
} values;

typedef struct {
    segment kind[CPM_MOST_KINDS];
    int count;
} cutting;

static double width(const values *v, int g)
{
    return v->at[v->gap[g] + 1] - v->at[v->gap[g]];
}

/* The widest gaps, by insertion: there are few. */
static void find_gaps(values *v)
{
    for (int i = 0; i + 1 < v->count; i++) {
        double wide = v->at[i + 1] - v->at[i];
        int q = v->gaps < MOST_CUTS ? v->gaps++ : MOST_CUTS;
        for (; q > 0 && wide > width(v, q - 1); q--)
            if (q < MOST_CUTS)
                v->gap[q] = v->gap[q - 1];
        if (q < MOST_CUTS)
            v->gap[q] = (size_t)i;
    }
}

/* Where the next cut is, behind value i. */
static int next_cut(const values *v, int cuts, int i)
{
    int next = v->count - 1;
    for (int g = 0; g < cuts; g++)
        if ((int)v->gap[g] >= i && (int)v->gap[g] < next)
            next = (int)v->gap[g];
    return next;
}

static cutting cut(const values *v, int cuts)
{
    cutting c = {.count = 0};
    for (int first = 0, last; first < v->count; first = last + 1) {
        last = next_cut(v, cuts, first);
        if (last - first + 1 >= v->least)
            c.kind[c.count++] = (segment){first, last - first + 1};
    }
    return c;
}

static double mean_of(const values *v, const segment *s)
{
    double mean = 0;
    for (int i = 0; i < s->count; i++)
        mean += v->at[s->first + i] / s->count;
    return mean;
}

static double spread_within(const values *v, const cutting *c)
{
    double squares = 0;
    int freedom = 0;
    for (int k = 0; k < c->count; k++) {
        const double *x = v->at + c->kind[k].first;
        double mean = mean_of(v, &c->kind[k]);
        for (int i = 0; i < c->kind[k].count; i++)
            squares += (x[i] - mean) * (x[i] - mean);
        freedom += c->kind[k].count - 1;
    }
    return fmax(sqrt(squares / freedom), cpm_least_spread);
}

/* Distance of the nearest kinds. */
static double distance(const values *v, const cutting *c)
{
    double least = INFINITY;
    for (int k = 0; k + 1 < c->count; k++)
        least = fmin(least, mean_of(v, &c->kind[k + 1]) - mean_of(v, &c->kind[k]));
    return least;
}

/* Whether there are no more of none than could be faults, and too many of other kinds. */
static bool are_kinds(const values *v, const cutting *c)
{
    int inside = 0, largest = 0;
    for (int k = 0; k < c->count; k++) {
        inside += c->kind[k].count;
        largest = c->kind[k].count > largest ? c->kind[k].count : largest;
    }
    return c->count > 1 && v->count - inside <= v->faults && v->count - largest > v->faults;
}

static bool stand_apart(const values *v, const cutting *c, int cuts)
{
    double gap = width(v, cuts - 1);
    return are_kinds(v, c) && gap >= fmax(FAR_APART * spread_within(v, c), least_gap);
}

static bool are_two(const values *v, const cutting *c, int cuts)
{
    double gap = width(v, cuts - 1);
    return c->count == 2 && are_kinds(v, c) &&
           gap >= fmax(LEAST_GAP * spread_within(v, c), least_gap) &&
           distance(v, c) >= MEANS_APART * spread_within(v, c);
}

/* Median of a segment without its value i, -1: of all. */
static double median_without(const values *v, const segment *s, int i)
{
    int left = s->count - (i >= 0), low = (left - 1) / 2, high = left / 2;
    low += i >= 0 && low >= i;
    high += i >= 0 && high >= i;
    return (v->at[s->first + low] + v->at[s->first + high]) / 2;
}

/* The kind of value i, or the nearest. */
static int kind_of(const values *v, const cutting *c, int i, bool *member)
{
    int best = 0;
    double least = INFINITY;
    *member = true;
    for (int k = 0; k < c->count; k++) {
        const segment *s = &c->kind[k];
        double off = fabs(v->at[i] - median_without(v, s, -1));
        if (i >= s->first && i < s->first + s->count)
            return k;
        best = off < least ? k : best;
        least = fmin(off, least);
    }
    *member = false;
    return best;
}

static void sort_into(const values *v, const size_t *order, const cutting *c, cpm_kinds *out)
{
    out->count = c->count;
    out->apart = distance(v, c) / spread_within(v, c);
    for (int k = 0; k < c->count; k++)
        out->size[k] = c->kind[k].count;
    for (int i = 0; i < v->count; i++) {
        bool *member = &out->member[order[i]];
        int k = kind_of(v, c, i, member);
        const segment *s = &c->kind[k];
        out->of[order[i]] = k;
        out->others[order[i]] = median_without(v, s, *member ? i - s->first : -1);
    }
}

/* sorted[count], order[count]: room. */
static void find(const double *x, int count, int faults, double *sorted, size_t *order,
                 cpm_kinds *out)
{
    int eighth = (count + CPM_MOST_KINDS - 1) / CPM_MOST_KINDS;
    values v = {.at = sorted,
                .count = count,
                .least = eighth > LEAST_OF_A_KIND ? eighth : LEAST_OF_A_KIND,
                .faults = faults};
    gsl_sort_index(order, x, 1, (size_t)count);
    for (int i = 0; i < count; i++)
        sorted[i] = x[order[i]];
    find_gaps(&v);
    for (int cuts = v.gaps; cuts > 0 && out->count == 1; cuts--) {
        cutting c = cut(&v, cuts);
        if (stand_apart(&v, &c, cuts))
            sort_into(&v, order, &c, out);
    }
    for (int cuts = 1; cuts <= v.gaps && out->count == 1; cuts++) {
        cutting c = cut(&v, cuts);
        if (are_two(&v, &c, cuts))
            sort_into(&v, order, &c, out);
    }
}

int cpm_kinds_find(const double *x, int count, int faults, cpm_kinds *out, cpm_error *e)
{
    double *sorted = malloc((size_t)count * sizeof *sorted);
    size_t *order = malloc((size_t)count * sizeof *order);
    *out = (cpm_kinds){.count = 1,
                       .of = malloc((size_t)count * sizeof *out->of),
                       .member = malloc((size_t)count * sizeof *out->member),
                       .others = malloc((size_t)count * sizeof *out->others)};
    bool room = sorted && order && out->of && out->member && out->others;
    if (room)
        find(x, count, faults, sorted, order, out);
    else
        cpm_kinds_clear(out);
    free(sorted);
    free(order);
    return room ? CPM_OK : cpm_no_memory(e);
}

/* ---- kinds that are known */

/* Median of the others of i's kind; work[count]. */
static double median_of_others(const double *x, int count, const int *of, int i, double *work)
{
    int used = 0;
    for (int j = 0; j < count; j++)
        if (j != i && of[j] == of[i])
            work[used++] = x[j];
    return cpm_median(work, used);
}

int cpm_kinds_given(const double *x, int count, const int *of, cpm_kinds *out, cpm_error *e)
{
    double *work = malloc((size_t)count * sizeof *work);
    *out = (cpm_kinds){.of = malloc((size_t)count * sizeof *out->of),
                       .member = malloc((size_t)count * sizeof *out->member),
                       .others = malloc((size_t)count * sizeof *out->others)};
    bool room = work && out->of && out->member && out->others;
    for (int i = 0; room && i < count; i++) {
        out->of[i] = of[i];
        out->size[of[i]]++;
        out->count = of[i] >= out->count ? of[i] + 1 : out->count;
        out->member[i] = true;
        out->others[i] = median_of_others(x, count, of, i, work);
    }
    if (!room)
        cpm_kinds_clear(out);
    free(work);
    return room ? CPM_OK : cpm_no_memory(e);
}

double cpm_kinds_spread(const double *x, int count, const cpm_kinds *k)
{
    double sum[CPM_MOST_KINDS] = {0}, squares = 0;
    int used = 0;
    for (int i = 0; i < count; i++)
        if (k->member[i])
            sum[k->of[i]] += x[i] / k->size[k->of[i]];
    for (int i = 0; i < count; i++)
        if (k->member[i]) {
            squares += (x[i] - sum[k->of[i]]) * (x[i] - sum[k->of[i]]);
            used++;
        }
    return used > k->count ? sqrt(squares / (used - k->count)) : INFINITY;
}

void cpm_kinds_clear(cpm_kinds *k)
{
    free(k->of);
    free(k->member);
    free(k->others);
    *k = (cpm_kinds){0};
}
