/* A short list: programs repeat a few sizes. */
#include "tuned/comm/counts.h"

#include <stdlib.h>

int tuned_size_class(size_t bytes)
{
    int bits = 0;
    for (; bytes; bytes /= 2)
        bits++;
    return bits;
}

tuned_count *tuned_counts_of(tuned_count **all, int size_class)
{
    tuned_count **at = all;
    while (*at && (*at)->size_class != size_class)
        at = &(*at)->next;
    tuned_count *found = *at;
    if (found)
        *at = found->next;
    else
        found = calloc(1, sizeof *found);
    if (!found)
        return NULL;
    found->size_class = size_class;
    found->next = *all;
    return *all = found;
}

void tuned_count_add(tuned_count *c, const tuned_count *x)
{
    c->smallest = c->calls && c->smallest < x->smallest ? c->smallest : x->smallest;
    c->largest = x->largest > c->largest ? x->largest : c->largest;
    c->calls += x->calls;
    c->passed += x->passed;
    c->bytes += x->bytes;
    c->spent += x->spent;
    c->expected = c->expected < 0 || x->expected < 0 ? -1 : c->expected + x->expected;
}

void tuned_counts_clear(tuned_count **all)
{
    for (tuned_count *c = *all, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    *all = NULL;
}
