/* What takes memory besides the messages is their bundles, which those between the same two hosts
 * share: so the hosts are counted. */
#include "collectives/schedule/memory_estimate.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/vector.h"
#include "collectives/schedule/tasks.h"

enum { FIRST = 1, LAST = 2, ONLY = 4 };

void cpm_memory_estimate_begin(cpm_memory_estimate *u, int messages)
{
    u->begun++;
    u->messages += messages;
    u->most = fmax(u->most, messages);
}

static bool has_room(cpm_memory_estimate *u, int resource)
{
    int64_t before = u->room;
    if (!cpm_vector_reserve(&u->part, &u->room, (int64_t)resource + 1, sizeof *u->part))
        return false;
    for (int64_t k = before; k < u->room; k++)
        u->part[k] = 0;
    return true;
}

/* One that is not counted for want of memory makes the sum a little too small. */
static void count(cpm_memory_estimate *u, int resource, unsigned char part, double *sum)
{
    if (!has_room(u, resource) || (u->part[resource] & part))
        return;
    u->part[resource] |= part;
    ++*sum;
}

void cpm_memory_estimate_see(cpm_memory_estimate *u, const cpm_flow *way)
{
    u->seen++;
    if (!(way->flow > 0))
        return;
    if (way->uses == 0)
        u->lone++;
    else if (way->uses == 1)
        count(u, way->use[0].resource, ONLY, &u->only);
    else {
        count(u, way->use[0].resource, FIRST, &u->firsts);
        count(u, way->use[way->uses - 1].resource, LAST, &u->lasts);
    }
}

static double bundles(const cpm_memory_estimate *u, double messages)
{
    if (u->seen == 0)
        return messages;
    double hosts = fmax(u->firsts, u->lasts); /* not all have begun to send */
    return fmin(messages, hosts * hosts + u->only + messages * u->lone / u->seen);
}

static double power_of_two(double least)
{
    return exp2(ceil(log2(fmax(least, 1))));
}

/* Bundles leave places between them, and twice as many are made when they are full. */
static double bytes_of_bundles(double count)
{
    const double besides = sizeof(double) + sizeof(bool) + sizeof(int) /* end, settled, group */
                           + 8 * sizeof(int); /* users of two resources, in part empty */
    return power_of_two(1.125 * count) * sizeof(cpm_bundle) + count * besides;
}

/* At most half of a hash is used. */
static double bytes_of_pairs(double count)
{
    return power_of_two(2 * count) * sizeof(cpm_slot);
}

double cpm_memory_estimate_bytes(const cpm_memory_estimate *u, size_t each)
{
    double messages = cpm_tasks_of_all(u->n, u->begun, u->messages, u->most);
    double count = bundles(u, messages);
    return messages * (double)each + (messages - count) * sizeof(cpm_bundled) +
           bytes_of_pairs(messages) + bytes_of_bundles(count);
}

void cpm_memory_estimate_free(cpm_memory_estimate *u)
{
    free(u->part);
    u->part = NULL;
}
