#include "estimators/streams.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- by pair */

static bool is_of(const cpm_measurement *r, int kind)
{
    bool even = kind != CPM_ROUNDTRIP || r->what.send_bytes == r->what.reply_bytes;
    return r->what.kind == &cpm_experiment_kinds[kind] && even && r->summary.min > 0;
}

static size_t place(const cpm_by_pair *b, const cpm_measurement *r)
{
    return (size_t)r->what.i * (size_t)b->n + (size_t)r->what.j;
}

int cpm_by_pair_sort(const cpm_measurements *m, int kind, cpm_by_pair *out, cpm_error *e)
{
    size_t pairs = (size_t)m->n * (size_t)m->n;
    cpm_by_pair b = {.n = m->n,
                     .first = calloc(pairs + 2, sizeof *b.first),
                     .order = malloc(((size_t)m->count + 1) * sizeof *b.order)};
    if (!b.first || !b.order) {
        cpm_by_pair_clear(&b);
        return cpm_no_memory(e);
    }
    for (int q = 0; q < m->count; q++)
        if (is_of(&m->at[q], kind))
            b.first[place(&b, &m->at[q]) + 2]++;
    for (size_t p = 1; p < pairs + 2; p++)
        b.first[p] += b.first[p - 1];
    for (int q = 0; q < m->count; q++)
        if (is_of(&m->at[q], kind))
            b.order[b.first[place(&b, &m->at[q]) + 1]++] = q;
    *out = b;
    return CPM_OK;
}

void cpm_by_pair_clear(cpm_by_pair *b)
{
    free(b->first);
    free(b->order);
    *b = (cpm_by_pair){0};
}

/* ---- streams */

bool cpm_is_imported(const cpm_measurements *m)
{
    return cpm_metadata_get(&m->metadata, "imported_from");
}

double cpm_stream_slope(const cpm_measurement *stream, cpm_statistic statistic, double empty)
{
    double bytes = (double)stream->what.count * (double)stream->what.send_bytes;
    return fmax(0, cpm_measurement_value(stream, statistic) - 2 * empty) / bytes;
}

void cpm_missing_pairs_add(cpm_missing_pairs *p, int i, int j)
{
    enum { NAMED = 4 };
    size_t used = strlen(p->first), room = sizeof p->first - used;
    if (p->count < NAMED)
        snprintf(p->first + used, room, "%s%d,%d", used ? " " : "", i, j);
    else if (p->count == NAMED)
        snprintf(p->first + used, room, " ...");
    p->count++;
}

int cpm_missing_pairs_note(const cpm_missing_pairs *p, int n, char **notes, cpm_error *e)
{
    if (!p->count)
        return CPM_OK;
    return cpm_note(notes, e,
                    "%ld of %ld pairs were not measured (%s): they are unknown, and taken to be "
                    "like the median pair",
                    p->count, (long)n * (n - 1) / 2, p->first);
}
