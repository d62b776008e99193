/* Sorting by the bits of the times, byte by byte from the lowest: linear and stable. Bytes that all
 * times share are passed over. Few messages are inserted one by one. */
#include "collectives/schedule/arrivals.h"

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

static void insert_each(cpm_arrival *at, int count)
{
    for (int k = 1; k < count; k++) {
        cpm_arrival x = at[k];
        int to = k;
        for (; to > 0 && at[to - 1].time > x.time; to--)
            at[to] = at[to - 1];
        at[to] = x;
    }
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

static void sort_by_byte(cpm_arrivals *a, int byte, int *count)
{
    int place = 0, shift = 8 * byte;
    for (int v = 0; v < VALUES; v++) {
        int next = place + count[v];
        count[v] = place;
        place = next;
    }
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

void cpm_arrivals_sort(cpm_arrivals *a)
{
    if (is_sorted(a))
        return;
    if (a->count <= FEW)
        insert_each(a->at, a->count);
    else
        sort_by_bytes(a);
}

void cpm_arrivals_free(cpm_arrivals *a)
{
    free(a->at);
    free(a->spare);
    *a = (cpm_arrivals){0};
}
