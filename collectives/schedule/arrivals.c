/* Few messages are inserted one by one. Many are sorted by where they lie between the first and the
 * last, in two bytes, after which few are out of order, and these are inserted. Where they crowd,
 * they are sorted by the bits of the times, byte by byte from the lowest; bytes that all times
 * share are passed over. All of that is linear and stable. */
#include "collectives/schedule/arrivals.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 32, BYTES = 8, VALUES = 256 };

bool cpm_arrivals_reserve(cpm_arrivals *a, int count)
{
    if (count <= a->capacity)
        return true;
    cpm_arrivals more = {.capacity = 2 * count};
    more.at = malloc((size_t)more.capacity * sizeof *more.at);
    more.spare = malloc((size_t)more.capacity * sizeof *more.spare);
    if (!more.at || !more.spare) {
        cpm_arrivals_free(&more);
        return false;
    }
    cpm_arrivals_free(a);
    *a = more;
    return true;
}

static bool is_sorted(const cpm_arrivals *a)
{
    int k = 1;
    while (k < a->count && a->at[k - 1].time <= a->at[k].time)
        k++;
    return k >= a->count;
}

/* False: that would move others more often than moves; some are sorted then. */
static bool insert_each(cpm_arrival *at, int count, int moves)
{
    for (int k = 1; k < count; k++) {
        cpm_arrival x = at[k];
        int to = k;
        for (; to > 0 && at[to - 1].time > x.time; to--)
            at[to] = at[to - 1];
        at[to] = x;
        moves -= k - to;
        if (moves < 0)
            return false;
    }
    return true;
}

/* As unsigned numbers, the bits of non-negative doubles are in the order of the doubles; those of
 * negative ones come before them, reversed. Adding 0 makes -0 equal to it. */
static uint64_t key_of(double time)
{
    double t = time + 0.0;
    uint64_t bits;
    memcpy(&bits, &t, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* Sets the keys and counts the values of each of their bytes. */
static void count_bytes(cpm_arrivals *a, int (*count)[VALUES])
{
    memset(count, 0, BYTES * sizeof *count);
    for (int k = 0; k < a->count; k++) {
        uint64_t key = key_of(a->at[k].time);
        a->at[k].key = key;
        for (int byte = 0; byte < BYTES; byte++)
            count[byte][key >> (8 * byte) & 255]++;
    }
}

/* Where those with each value begin, instead of how many there are. */
static void add_up(int *count)
{
    int place = 0;
    for (int v = 0; v < VALUES; v++) {
        int next = place + count[v];
        count[v] = place;
        place = next;
    }
}

static void sort_by_byte(cpm_arrivals *a, int byte, int *count)
{
    int shift = 8 * byte;
    add_up(count);
    cpm_arrival *sorted = a->spare, *end = a->at + a->count;
    for (const cpm_arrival *x = a->at; x < end; x++)
        sorted[count[x->key >> shift & 255]++] = *x;
    a->spare = a->at;
    a->at = sorted;
}

static void sort_by_bytes(cpm_arrivals *a)
{
    int count[BYTES][VALUES];
    count_bytes(a, count);
    uint64_t any = a->at[0].key;
    for (int byte = 0; byte < BYTES; byte++)
        if (count[byte][any >> (8 * byte) & 255] < a->count)
            sort_by_byte(a, byte, count[byte]);
}

/* ---- by place */

/* The first time, and how many places there are to a second; false if that is no number. */
static bool measure(const cpm_arrivals *a, double *first, double *places)
{
    double least = a->at[0].time, most = least, sum = 0;
    for (int k = 0; k < a->count; k++) {
        double t = a->at[k].time;
        least = t < least ? t : least;
        most = t > most ? t : most;
        sum += t;
    }
    *first = least;
    *places = (VALUES * VALUES - 1) / (most - least);
    return isfinite(sum) && isfinite(*places);
}

/* Later times have no lower places. */
static void sort_by_places(cpm_arrivals *a, double first, double places)
{
    int low[VALUES] = {0}, high[VALUES] = {0};
    cpm_arrival *at = a->at, *sorted = a->spare;
    for (int k = 0; k < a->count; k++) {
        unsigned place = (unsigned)((at[k].time - first) * places);
        at[k].place = place;
        low[place & 255]++;
        high[place >> 8]++;
    }
    add_up(low);
    add_up(high);
    for (int k = 0; k < a->count; k++)
        sorted[low[at[k].place & 255]++] = at[k];
    for (int k = 0; k < a->count; k++)
        at[high[sorted[k].place >> 8]++] = sorted[k];
}

void cpm_arrivals_sort(cpm_arrivals *a)
{
    double first, places;
    if (is_sorted(a))
        return;
    if (a->count <= FEW) {
        insert_each(a->at, a->count, INT_MAX);
        return;
    }
    bool spread = measure(a, &first, &places);
    if (spread)
        sort_by_places(a, first, places);
    if (!spread || !insert_each(a->at, a->count, a->count))
        sort_by_bytes(a);
}

void cpm_arrivals_free(cpm_arrivals *a)
{
    free(a->at);
    free(a->spare);
    *a = (cpm_arrivals){0};
}
