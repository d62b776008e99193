/* From imported rows to measurements: the rows of one pair and size are repetitions of one round
 * trip. */
#include <stdio.h>
#include <stdlib.h>

#include "measurements/import_reader.h"

const char cpm_import_caution[] =
    "The times are averages over all pairs that ran at once; the program does not print how "
    "many. They stand for one homogeneous pair, with what the pairs took from each other.";

static int compare_rows(const void *left, const void *right)
{
    const cpm_import_row *a = left, *b = right;
    if (a->i != b->i)
        return a->i < b->i ? -1 : 1;
    if (a->j != b->j)
        return a->j < b->j ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

static bool same_pair(const cpm_import_row *a, const cpm_import_row *b)
{
    return a->i == b->i && a->j == b->j;
}

/* ---- pairs */

static int processes(const cpm_import_rows *rows)
{
    int highest = 0;
    for (int q = 0; q < rows->count; q++)
        if (rows->at[q].j > highest)
            highest = rows->at[q].j;
    return highest + 1;
}

static long long count_pairs(const cpm_import_rows *rows)
{
    long long pairs = 1;
    for (int q = 1; q < rows->count; q++)
        pairs += !same_pair(&rows->at[q - 1], &rows->at[q]);
    return pairs;
}

/* The row behind those of pair i, j, if row q is its first; else q. */
static int behind_pair(const cpm_import_rows *rows, int q, int i, int j)
{
    while (q < rows->count && rows->at[q].i == i && rows->at[q].j == j)
        q++;
    return q;
}

/* Names the first of the missing pairs: walks all pairs and the sorted rows side by side. */
static void name_missing(const cpm_import_rows *rows, int n, long long missing, char *text,
                         size_t size)
{
    enum { NAMED = 8 };
    size_t used = 0;
    int named = 0, q = 0;
    for (int i = 0; i < n && named < NAMED; i++)
        for (int j = i + 1; j < n && named < NAMED; j++) {
            int next = behind_pair(rows, q, i, j);
            if (next == q)
                used +=
                    (size_t)snprintf(text + used, size - used, "%s%d,%d", named++ ? " " : "", i, j);
            q = next;
        }
    if (named < missing)
        snprintf(text + used, size - used, " and %lld more", missing - named);
}

static int require_all_pairs(const cpm_import_rows *rows, int n, cpm_error *e)
{
    char text[256];
    long long missing = (long long)n * (n - 1) / 2 - count_pairs(rows);
    if (!missing)
        return CPM_OK;
    name_missing(rows, n, missing, text, sizeof text);
    return cpm_fail(e, CPM_EDATA,
                    "of %d processes every pair must have a file; without one: %s (give each as "
                    "I,J=FILE)",
                    n, text);
}

/* ---- results */

static cpm_summary point(const cpm_import_row *row)
{
    double t = 2 * row->seconds;
    return (cpm_summary){.mean = t,
                         .median = t,
                         .min = t,
                         .max = t,
                         .sd = 0,
                         .ci_low = t,
                         .ci_high = t,
                         .reps = row->reps};
}

/* Several repetitions keep their samples; a single one has nothing behind its mean. */
static int summarize(const cpm_import_row *row, int count, cpm_measurement *r, cpm_error *e)
{
    if (count == 1) {
        r->summary = point(row);
        return CPM_OK;
    }
    r->samples = malloc((size_t)count * sizeof *r->samples);
    if (!r->samples)
        return cpm_no_memory(e);
    for (int q = 0; q < count; q++)
        r->samples[q] = 2 * row[q].seconds;
    return cpm_summarize(r->samples, count, &(cpm_precision)CPM_PRECISION_DEFAULT, &r->summary, e);
}

static int add_group(const cpm_import_row *row, int count, cpm_measurements *m, cpm_error *e)
{
    cpm_measurement r = {
        .what = cpm_experiment_pair(CPM_ROUNDTRIP, row->i, row->j, row->bytes, row->bytes),
        .round = m->count};
    int status = summarize(row, count, &r, e);
    if (!status)
        status = cpm_measurements_add(m, &r, e);
    if (status)
        free(r.samples);
    return status;
}

int cpm_import_measurements(cpm_import_rows *rows, cpm_measurements *m, cpm_error *e)
{
    qsort(rows->at, (size_t)rows->count, sizeof *rows->at, compare_rows);
    int n = processes(rows), status = require_all_pairs(rows, n, e);
    if (!status)
        status = cpm_metadata_set(&m->metadata, e, "processes", "%d", n);
    if (!status)
        status =
            cpm_metadata_set(&m->metadata, e, "statistic", "%s", cpm_statistic_named(m->statistic));
    m->n = n;
    for (int from = 0, to; from < rows->count && !status; from = to) {
        const cpm_import_row *row = &rows->at[from];
        for (to = from + 1; to < rows->count && same_pair(row, &rows->at[to]); to++)
            if (rows->at[to].bytes != row->bytes)
                break;
        status = add_group(row, to - from, m, e);
    }
    return status;
}
