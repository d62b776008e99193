/* Finding classes: two processes are alike if their round trips with everybody else are the same
 * but for chance. Processes join the class whose mean times are nearest, or found a new one. Hosts
 * are alike if their first processes are, and if messages inside them take the same. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimators/classes.h"
#include "estimators/outliers.h"
#include "estimators/view.h"

/* Times that differ less are alike, however well they are known: nobody has two hosts closer. */
static const double least_spread = 0.01;
/* Chance that a process that is like the others is taken for odd, over all of them. */
static const double alpha = 0.01;
/* A difference of so many standard errors counts no more than that: one outlier among many. */
static const double largest_score = 4;
/* Spreads are estimates themselves. */
static const double margin = 1.25;

enum { TABLES = 2, PASSES = 10 };

typedef struct {
    int n, tables;
    double *log[TABLES];   /* [n*n] logarithms of round trips */
    double spread[TABLES]; /* standard error of one of them */
    double *inside;        /* [n] the same inside each host, NaN: none; NULL: not hosts */
    int *of, *members;     /* [n] class of each process, size of each class */
    int classes;
    double *work; /* [n*n] */
    cpm_error *e;
} finder;

/* ---- tables */

static bool is_round_trip(const cpm_measurement *m, size_t bytes)
{
    return m->what.kind == &cpm_experiment_kinds[CPM_ROUNDTRIP] && m->what.send_bytes == bytes &&
           m->summary.min > 0;
}

static double relative_error(const cpm_measurement *m)
{
    double error = cpm_standard_error(cpm_measurement_half(m, CPM_MEDIAN), 0.95);
    return error / cpm_measurement_value(m, CPM_MEDIAN);
}

/* Fills the next table with the round trips of that size, if all pairs have one. */
static void take_table(finder *f, const cpm_measurements *m, size_t bytes)
{
    size_t n = (size_t)f->n, pairs = 0;
    double *table = f->log[f->tables];
    for (size_t at = 0; at < n * n; at++)
        table[at] = NAN;
    int used = 0;
    for (int q = 0; q < m->count; q++) {
        const cpm_experiment *x = &m->at[q].what;
        if (!is_round_trip(&m->at[q], bytes))
            continue;
        size_t there = (size_t)x->i * n + (size_t)x->j, back = (size_t)x->j * n + (size_t)x->i;
        double error = relative_error(&m->at[q]);
        pairs += isnan(table[there]);
        if (isfinite(error) && used < (int)(n * n))
            f->work[used++] = error;
        table[there] = table[back] = log(cpm_measurement_value(&m->at[q], m->statistic));
    }
    double usual = used ? cpm_median(f->work, used) : 0;
    f->spread[f->tables] = fmax(least_spread, usual);
    f->tables += 2 * pairs == n * (n - 1);
}

static int missing_pairs(cpm_error *e)
{
    return cpm_fail(e, CPM_EDATA,
                    "classes cannot be found: round trips between all pairs are missing");
}

static int ascending(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Round trips of all pairs at the smallest, or the largest, of those sizes at which there are
 * enough; taken: that size. size[count] ascending. */
static void take_end(finder *f, const cpm_measurements *m, const size_t *size, size_t count,
                     bool largest, size_t *taken)
{
    size_t pairs = (size_t)f->n * (size_t)(f->n - 1) / 2, begin, end;
    const int before = f->tables;
    for (size_t done = 0; done < count && f->tables == before; done += end - begin) {
        begin = end = largest ? count - done : done;
        size_t bytes = size[largest ? end - 1 : begin];
        while (largest && begin > 0 && size[begin - 1] == bytes)
            begin--;
        while (!largest && end < count && size[end] == bytes)
            end++;
        if (end - begin >= pairs && bytes != *taken)
            take_table(f, m, bytes);
        if (f->tables > before)
            *taken = bytes;
    }
}

/* The smallest and the largest size at which all pairs were measured. */
static int take_tables(finder *f, const cpm_measurements *m)
{
    size_t count = 0, taken = SIZE_MAX;
    size_t *size = malloc(((size_t)m->count + 1) * sizeof *size);
    if (!size)
        return cpm_no_memory(f->e);
    for (int q = 0; q < m->count; q++)
        if (m->at[q].what.kind == &cpm_experiment_kinds[CPM_ROUNDTRIP])
            size[count++] = m->at[q].what.send_bytes;
    qsort(size, count, sizeof *size, ascending);
    take_end(f, m, size, count, false, &taken);
    if (f->tables == 1)
        take_end(f, m, size, count, true, &taken);
    free(size);
    return f->tables == 0 ? missing_pairs(f->e) : CPM_OK;
}

/* ---- distances */

/* Mean of column k over the members of a class without i and k; *count of them. */
static double column_mean(const finder *f, const double *table, int class, int i, int k, int *count)
{
    double sum = 0;
    *count = 0;
    for (int a = 0; a < f->n; a++)
        if (f->of[a] == class && a != i && a != k) {
            sum += table[(size_t)a * (size_t)f->n + (size_t)k];
            ++*count;
        }
    return *count ? sum / *count : NAN;
}

/* Mean square of the standardised differences between process i and a class; INFINITY: there is
 * nobody to compare with. terms: how many there were. */
static double distance(const finder *f, int i, int class, int *terms)
{
    double sum = 0;
    *terms = 0;
    for (int t = 0; t < f->tables; t++)
        for (int k = 0; k < f->n; k++) {
            int count;
            double mean = k == i ? NAN : column_mean(f, f->log[t], class, i, k, &count);
            if (isnan(mean))
                continue;
            double off = f->log[t][(size_t)i * (size_t)f->n + (size_t)k] - mean;
            double score = off / (f->spread[t] * sqrt(1 + 1.0 / count));
            sum += fmin(score * score, largest_score * largest_score);
            ++*terms;
        }
    return *terms ? sum / *terms : INFINITY;
}

/* The same of round trips inside i and inside the hosts of a class. */
static double distance_inside(const finder *f, int i, int class, int *terms)
{
    double sum = 0;
    int count = 0;
    for (int a = 0; f->inside && a < f->n; a++)
        if (f->of[a] == class && a != i && !isnan(f->inside[a])) {
            sum += f->inside[a];
            count++;
        }
    *terms = count && !isnan(f->inside[i]);
    if (!*terms)
        return 0;
    double score = (f->inside[i] - sum / count) / (f->spread[0] * sqrt(1 + 1.0 / count));
    return score * score;
}

/* What is no further away belongs there but for chance. */
static double farthest(const finder *f, int terms)
{
    return terms ? margin * gsl_cdf_chisq_Qinv(alpha / f->n, terms) / terms : 0;
}

static bool is_like(const finder *f, int i, int class, double *how_far)
{
    int terms, terms_inside;
    double inside = distance_inside(f, i, class, &terms_inside);
    *how_far = distance(f, i, class, &terms);
    return terms > 0 && *how_far <= farthest(f, terms) && inside <= farthest(f, terms_inside);
}

/* ---- classes */

static void enter(finder *f, int i, int class)
{
    if (f->of[i] >= 0)
        f->members[f->of[i]]--;
    f->of[i] = class;
    f->members[class]++;
    f->classes = class == f->classes ? class + 1 : f->classes;
}

static int free_class(const finder *f)
{
    int c = 0;
    while (c < f->classes && f->members[c] > 0)
        c++;
    return c;
}

/* The nearest class that i is like, or an empty one. */
static int choose(const finder *f, int i)
{
    double nearest = INFINITY;
    int best = -1;
    for (int c = 0; c < f->classes; c++) {
        double how_far;
        bool only_i = f->of[i] == c && f->members[c] == 1;
        if (f->members[c] == 0 || only_i || !is_like(f, i, c, &how_far) || how_far >= nearest)
            continue;
        nearest = how_far;
        best = c;
    }
    if (best >= 0)
        return best;
    return f->of[i] >= 0 && f->members[f->of[i]] == 1 ? f->of[i] : free_class(f);
}

/* Until nobody changes: first one after the other, then each against all others. */
static void assign(finder *f)
{
    bool changed = true;
    for (int pass = 0; pass < PASSES && changed; pass++) {
        changed = false;
        for (int i = 0; i < f->n; i++) {
            int class = choose(f, i);
            changed = changed || class != f->of[i];
            if (class != f->of[i])
                enter(f, i, class);
        }
    }
}

/* Class numbers without gaps, the largest class first. */
static void number(finder *f, int *of, int *count)
{
    *count = 0;
    for (int i = 0; i < f->n; i++)
        of[i] = -1;
    for (int largest = 0; largest >= 0;) {
        largest = -1;
        for (int c = 0; c < f->classes; c++)
            if (f->members[c] > 0 && (largest < 0 || f->members[c] > f->members[largest]))
                largest = c;
        for (int i = 0; largest >= 0 && i < f->n; i++)
            if (f->of[i] == largest)
                of[i] = *count;
        if (largest >= 0) {
            f->members[largest] = 0;
            ++*count;
        }
    }
}

/* "class1" ..., who is alone "alone-RANK": of several processes on a host one may be odd. */
static int name_classes(const finder *f, const int *of, int count, cpm_classes *out)
{
    char(*text)[32] = calloc((size_t)count, sizeof *text);
    const char **name = calloc((size_t)count, sizeof *name);
    int status = text && name ? CPM_OK : cpm_no_memory(f->e);
    for (int c = 0; !status && c < count; c++) {
        int members = 0, last = -1;
        for (int i = 0; i < f->n; i++)
            if (of[i] == c) {
                members++;
                last = i;
            }
        if (members > 1)
            snprintf(text[c], sizeof text[c], "class%d", c + 1);
        else
            snprintf(text[c], sizeof text[c], "alone-%d", last);
        name[c] = text[c];
    }
    if (!status)
        status = cpm_classes_create(f->n, of, count, name, out, f->e);
    free(text);
    free(name);
    return status;
}

static int find(finder *f, const cpm_measurements *m, int *of, cpm_classes *out)
{
    int count, status = take_tables(f, m);
    if (status)
        return status;
    for (int i = 0; i < f->n; i++)
        f->of[i] = -1;
    assign(f);
    number(f, of, &count);
    return name_classes(f, of, count, out);
}

/* inside: see finder. */
static int find_like(const cpm_measurements *m, double *inside, cpm_classes *out, cpm_error *e)
{
    size_t n = (size_t)m->n;
    finder f = {.n = m->n, .inside = inside, .e = e};
    if ((size_t)m->count < n * (n - 1) / 2) /* before there is memory for all of them */
        return missing_pairs(e);
    f.of = malloc(n * sizeof *f.of);
    f.members = calloc(n + 1, sizeof *f.members);
    f.work = malloc(n * n * sizeof *f.work);
    int *of = malloc(n * sizeof *of), status = CPM_OK;
    for (int t = 0; t < TABLES; t++)
        if (!(f.log[t] = malloc(n * n * sizeof **f.log)))
            status = cpm_no_memory(e);
    if (!f.of || !f.members || !f.work || !of)
        status = cpm_no_memory(e);
    if (!status)
        status = find(&f, m, of, out);
    for (int t = 0; t < TABLES; t++)
        free(f.log[t]);
    free(f.of);
    free(f.members);
    free(f.work);
    free(of);
    return status;
}

/* ---- hosts */

/* Round trips inside each host, of the largest size that was measured inside any; apart: between
 * its sockets. False: there are none. */
static bool take_inside(const cpm_measurements *m, const cpm_hosts *hosts, bool apart,
                        double *inside)
{
    size_t largest = 0;
    bool any = false;
    for (int h = 0; h < hosts->count; h++)
        inside[h] = NAN;
    for (int q = 0; q < m->count; q++) {
        const cpm_experiment *x = &m->at[q].what;
        if (!is_round_trip(&m->at[q], x->send_bytes) || !cpm_hosts_share(hosts, x->i, x->j) ||
            cpm_hosts_apart(hosts, x->i, x->j) != apart || x->send_bytes < largest)
            continue;
        for (int h = 0; h < hosts->count && x->send_bytes > largest; h++)
            inside[h] = NAN;
        largest = x->send_bytes;
        inside[hosts->of[x->i]] = log(cpm_measurement_value(&m->at[q], m->statistic));
        any = true;
    }
    return any;
}

/* Everybody joins the class of his host. */
static int spread_out(const cpm_classes *found, const cpm_hosts *hosts, cpm_classes *out,
                      cpm_error *e)
{
    int *of = malloc((size_t)hosts->n * sizeof *of);
    if (!of)
        return cpm_no_memory(e);
    for (int i = 0; i < hosts->n; i++)
        of[i] = found->of[hosts->of[i]];
    int status =
        cpm_classes_create(hosts->n, of, found->count, (const char *const *)found->name, out, e);
    free(of);
    return status;
}

/* first[count]: those whose round trips with each other were measured. */
static int find_hosts(const cpm_measurements *m, const cpm_hosts *hosts, int *first, double *inside,
                      cpm_classes *out, cpm_error *e)
{
    const cpm_view view = {hosts->count, first};
    cpm_measurements between = {0};
    cpm_classes found = {0};
    for (int i = hosts->n - 1; i >= 0; i--)
        first[hosts->of[i]] = i;
    if (!take_inside(m, hosts, false, inside))
        take_inside(m, hosts, true, inside);
    int status = cpm_view_measurements(&view, m, &between, e);
    if (!status)
        status = find_like(&between, inside, &found, e);
    if (!status)
        status = spread_out(&found, hosts, out, e);
    cpm_classes_clear(&found);
    cpm_measurements_clear(&between);
    return status;
}

int cpm_classes_find(const cpm_measurements *m, const cpm_hosts *hosts, cpm_classes *out,
                     cpm_error *e)
{
    if (!hosts || hosts->count == hosts->n)
        return find_like(m, NULL, out, e);
    size_t count = (size_t)hosts->count;
    int *first = malloc(count * sizeof *first);
    double *inside = malloc(count * sizeof *inside);
    int status = first && inside ? find_hosts(m, hosts, first, inside, out, e) : cpm_no_memory(e);
    free(first);
    free(inside);
    return status;
}
