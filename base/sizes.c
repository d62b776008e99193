/* Sizes, lists and ranges of sizes, and where a curve needs more points. */
#include "base/sizes.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vector.h"

enum { MOST_SIZES = 100000 };

/* Bits to shift for a unit letter, -1 if it is none. */
static int unit_shift(char unit)
{
    switch (toupper((unsigned char)unit)) {
    case 'K':
        return 10;
    case 'M':
        return 20;
    case 'G':
        return 30;
    default:
        return -1;
    }
}

/* A block for each of a million processes is a number of bytes, too. */
#define MOST_BYTES ((size_t)((SIZE_MAX >> 1) >> 21))

int cpm_size_parse(const char *text, size_t *bytes, cpm_error *e)
{
    if (!isdigit((unsigned char)text[0]))
        return cpm_fail(e, CPM_EPARSE,
                        "size '%s': expected a number of bytes like 64, 1K or 2M, not negative",
                        text);
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    int shift = unit_shift(*end);
    if (shift >= 0)
        end++;
    if (toupper((unsigned char)*end) == 'B')
        end++;
    if (*end)
        return cpm_fail(e, CPM_EPARSE, "size '%s': '%s' is not a unit (K, M or G)", text, end);
    if (shift < 0)
        shift = 0;
    if (errno == ERANGE || value > MOST_BYTES >> shift)
        return cpm_fail(e, CPM_EPARSE, "size '%s' is too large (at most %zuG)", text,
                        MOST_BYTES >> 30);
    *bytes = (size_t)value << shift;
    return CPM_OK;
}

void cpm_sizes_free(cpm_sizes *s)
{
    free(s->at);
    *s = (cpm_sizes){0};
}

static bool contains(const cpm_sizes *s, size_t bytes)
{
    for (int i = s->count - 1; i >= 0; i--)
        if (s->at[i] == bytes)
            return true;
    return false;
}

static int too_many(cpm_error *e)
{
    return cpm_fail(e, CPM_EPARSE, "more than %d sizes", MOST_SIZES);
}

static int push(cpm_sizes *s, size_t bytes, cpm_error *e)
{
    if (!cpm_vector_extend(&s->at, s->count, sizeof *s->at))
        return cpm_no_memory(e);
    s->at[s->count++] = bytes;
    return CPM_OK;
}

static int append(cpm_sizes *s, size_t bytes, cpm_error *e)
{
    return s->count == MOST_SIZES ? too_many(e) : push(s, bytes, e);
}

int cpm_sizes_add(cpm_sizes *s, size_t bytes, cpm_error *e)
{
    return contains(s, bytes) ? CPM_OK : append(s, bytes, e);
}

static int ascending(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

void cpm_sizes_sort(cpm_sizes *s)
{
    int kept = 0;
    if (s->count)
        qsort(s->at, (size_t)s->count, sizeof *s->at, ascending);
    for (int k = 0; k < s->count; k++)
        if (k == 0 || s->at[k] != s->at[kept - 1])
            s->at[kept++] = s->at[k];
    s->count = kept;
}

/* Rows that follow each other mostly have the same one. */
int cpm_sizes_note(cpm_sizes *s, size_t bytes, cpm_error *e)
{
    if (s->count && s->at[s->count - 1] == bytes)
        return CPM_OK;
    if (s->count < 2 * MOST_SIZES)
        return push(s, bytes, e);
    cpm_sizes_sort(s);
    return s->count > MOST_SIZES ? too_many(e) : push(s, bytes, e);
}

/* FROM:TO doubles, FROM:TO:STEP strides; both ends are included where they are reached. */
static int add_range(cpm_sizes *s, size_t from, size_t to, size_t step, cpm_error *e)
{
    for (size_t at = from; at <= to;) {
        int status = append(s, at, e);
        if (status)
            return status;
        size_t next = step ? at + step : at ? 2 * at : 1;
        if (next <= at)
            break;
        at = next;
    }
    return CPM_OK;
}

static int add_item(cpm_sizes *s, char *item, cpm_error *e)
{
    char *second = strchr(item, ':'), *third = second ? strchr(second + 1, ':') : NULL;
    if (second)
        *second++ = '\0';
    if (third)
        *third++ = '\0';
    size_t from, to, step = 0;
    int status = cpm_size_parse(item, &from, e);
    to = from;
    if (!status && second)
        status = cpm_size_parse(second, &to, e);
    if (!status && third)
        status = cpm_size_parse(third, &step, e);
    if (status)
        return status;
    if (third && step == 0)
        return cpm_fail(e, CPM_EPARSE, "size range %s:%s:%s: the stride is 0", item, second, third);
    if (to < from)
        return cpm_fail(e, CPM_EPARSE, "size range %s:%s ends before it begins", item, second);
    return add_range(s, from, to, step, e);
}

/* Sizes are below half of all numbers, so each has a key of its own. */
static int drop_repeats(cpm_sizes *s, cpm_error *e)
{
    cpm_hash seen = {0};
    int kept = 0, status = CPM_OK;
    for (int k = 0; k < s->count && !status; k++) {
        uint64_t key = 2 * (uint64_t)s->at[k] + 1;
        if (cpm_hash_find(&seen, key))
            continue;
        s->at[kept++] = s->at[k];
        if (!cpm_hash_add(&seen, key))
            status = cpm_no_memory(e);
    }
    s->count = kept;
    cpm_hash_free(&seen);
    return status;
}

int cpm_sizes_parse(const char *text, cpm_sizes *out, cpm_error *e)
{
    char *copy = strdup(text), *rest = copy, *item;
    if (!copy)
        return cpm_no_memory(e);
    cpm_sizes s = {0};
    int status = CPM_OK;
    while (!status && (item = strsep(&rest, ",")))
        status = add_item(&s, item, e);
    if (!status)
        status = drop_repeats(&s, e);
    free(copy);
    if (status)
        cpm_sizes_free(&s);
    else
        *out = s;
    return status;
}

/* A point that departs from the line through its neighbours. */
typedef struct {
    int index;
    double departure; /* relative to the point's time */
} departure;

static int by_departure(const void *a, const void *b)
{
    const departure *x = a, *y = b;
    if (x->departure != y->departure)
        return x->departure > y->departure ? -1 : 1;
    return x->index - y->index;
}

static double departs(const size_t *x, const double *y, int i)
{
    double share = (double)(x[i] - x[i - 1]) / (double)(x[i + 1] - x[i - 1]);
    double line = y[i - 1] + share * (y[i + 1] - y[i - 1]);
    return fabs(y[i] - line) / y[i];
}

static int add_middle(cpm_sizes *next, size_t low, size_t high, size_t min_step, cpm_error *e)
{
    size_t middle = low + (high - low) / 2;
    if (middle - low < min_step || high - middle < min_step || middle == low)
        return CPM_OK;
    return cpm_sizes_add(next, middle, e);
}

int cpm_sizes_bisect(const size_t *x, const double *y, int count, double tolerance, size_t min_step,
                     int max_new, cpm_sizes *next, cpm_error *e)
{
    departure *all = calloc((size_t)count + 1, sizeof *all);
    if (!all)
        return cpm_no_memory(e);
    int found = 0;
    for (int i = 1; i + 1 < count; i++) {
        double d = departs(x, y, i);
        if (d > tolerance)
            all[found++] = (departure){i, d};
    }
    qsort(all, (size_t)found, sizeof *all, by_departure);
    cpm_sizes s = {0};
    int status = CPM_OK;
    for (int k = 0; k < found && !status; k++) {
        int i = all[k].index;
        status = add_middle(&s, x[i - 1], x[i], min_step, e);
        if (!status)
            status = add_middle(&s, x[i], x[i + 1], min_step, e);
    }
    free(all);
    if (s.count > max_new)
        s.count = max_new;
    if (status)
        cpm_sizes_free(&s);
    else
        *next = s;
    return status;
}

/* ---- as they stand in headers */

int cpm_sizes_text(const cpm_sizes *s, char **out, cpm_error *e)
{
    size_t size;
    FILE *f = open_memstream(out, &size);
    for (int k = 0; f && k < s->count; k++)
        fprintf(f, "%s%zu", k ? " " : "", s->at[k]);
    return f && fclose(f) == 0 ? CPM_OK : cpm_no_memory(e);
}

int cpm_sizes_describe(const cpm_sizes *s, cpm_metadata *header, cpm_error *e)
{
    char *text = NULL;
    int status = cpm_sizes_text(s, &text, e);
    if (!status)
        status = cpm_metadata_set(header, e, "sizes", "%s", text);
    free(text);
    return status;
}

int cpm_sizes_of_text(const char *text, cpm_sizes *out, cpm_error *e)
{
    char *list = strdup(text);
    if (!list)
        return cpm_no_memory(e);
    for (char *c = list; *c; c++)
        *c = *c == ' ' ? ',' : *c;
    int status = cpm_sizes_parse(list, out, e);
    free(list);
    return status;
}
