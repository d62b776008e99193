/* What quantities of a call say of each other: which calls there can be.
 *
 * Ranges are made as narrow as these say, one after the other, until nothing changes. Where that
 * takes long they may stay too wide: then a rule that never holds may be missed. */
#include <string.h>

#include "tables/ruleset_lines.h"

static void raise(cpm_region *g, int quantity, int64_t least)
{
    if (least > g->least.of[quantity])
        g->least.of[quantity] = least;
}

static void lower(cpm_region *g, int quantity, int64_t most)
{
    if (most < g->most.of[quantity])
        g->most.of[quantity] = most;
}

/* As cpm_situation_of has it where it is too large. */
static int64_t product(int64_t a, int64_t b)
{
    int64_t c;
    return __builtin_mul_overflow(a, b, &c) ? INT64_MAX : c;
}

static int64_t quotient_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* ---- what belongs together ---- */

/* Every host has a process, and the one that has most has no fewer than the mean. */
static void narrow_hosts(cpm_region *g)
{
    const cpm_situation low = g->least, high = g->most;
    int64_t n = high.of[CPM_ASKS_PROCESSES];
    lower(g, CPM_ASKS_HOSTS, n - low.of[CPM_ASKS_PER_HOST] + 1);
    lower(g, CPM_ASKS_PER_HOST, n - low.of[CPM_ASKS_HOSTS] + 1);
    lower(g, CPM_ASKS_PROCESSES, product(high.of[CPM_ASKS_HOSTS], high.of[CPM_ASKS_PER_HOST]));
    n = low.of[CPM_ASKS_PROCESSES];
    raise(g, CPM_ASKS_HOSTS, quotient_up(n, high.of[CPM_ASKS_PER_HOST]));
    raise(g, CPM_ASKS_PER_HOST, quotient_up(n, high.of[CPM_ASKS_HOSTS]));
    raise(g, CPM_ASKS_PROCESSES, low.of[CPM_ASKS_HOSTS] + low.of[CPM_ASKS_PER_HOST] - 1);
}

static void narrow_root(cpm_region *g)
{
    lower(g, CPM_ASKS_ROOT, g->most.of[CPM_ASKS_PROCESSES] - 1);
    raise(g, CPM_ASKS_PROCESSES, g->least.of[CPM_ASKS_ROOT] + 1);
}

static bool is_power(int64_t n)
{
    return (n & (n - 1)) == 0;
}

static void narrow_power_of_two(cpm_region *g)
{
    int64_t least = g->least.of[CPM_ASKS_PROCESSES], most = g->most.of[CPM_ASKS_PROCESSES];
    int64_t next = 1;
    while (next < least)
        next *= 2;
    if (next > most)
        lower(g, CPM_ASKS_POWER_OF_TWO, 0);
    if (is_power(least) && (most == least || (least == 1 && most == 2)))
        raise(g, CPM_ASKS_POWER_OF_TWO, 1);
    if (g->least.of[CPM_ASKS_POWER_OF_TWO])
        raise(g, CPM_ASKS_PROCESSES, next);
    if (g->most.of[CPM_ASKS_POWER_OF_TWO])
        return;
    raise(g, CPM_ASKS_PROCESSES, least + is_power(least));
    lower(g, CPM_ASKS_PROCESSES, most - is_power(most));
}

/* Total-bytes are bytes times processes; too large ones stand for all that are larger. */
static void narrow_bytes(cpm_region *g)
{
    cpm_situation *low = &g->least, *high = &g->most;
    raise(g, CPM_ASKS_TOTAL, product(low->of[CPM_ASKS_BYTES], low->of[CPM_ASKS_PROCESSES]));
    lower(g, CPM_ASKS_TOTAL, product(high->of[CPM_ASKS_BYTES], high->of[CPM_ASKS_PROCESSES]));
    int64_t least = low->of[CPM_ASKS_TOTAL], most = high->of[CPM_ASKS_TOTAL];
    raise(g, CPM_ASKS_BYTES, quotient_up(least, high->of[CPM_ASKS_PROCESSES]));
    if (most < INT64_MAX)
        lower(g, CPM_ASKS_BYTES, most / low->of[CPM_ASKS_PROCESSES]);
    if (high->of[CPM_ASKS_BYTES] > 0)
        raise(g, CPM_ASKS_PROCESSES, quotient_up(least, high->of[CPM_ASKS_BYTES]));
    if (most < INT64_MAX && low->of[CPM_ASKS_BYTES] > 0)
        lower(g, CPM_ASKS_PROCESSES, most / low->of[CPM_ASKS_BYTES]);
}

/* ---- operations ---- */

bool cpm_rules_see_bytes(const cpm_operation *o)
{
    return !o->dataless && o->sizes != CPM_KNOWN_TO_NOBODY;
}

/* Whether some of these calls can be of the operation. */
static bool fits(const cpm_region *g, const cpm_operation *o)
{
    return (cpm_rules_see_bytes(o) || g->least.of[CPM_ASKS_BYTES] == 0) &&
           (o->rooted || g->least.of[CPM_ASKS_ROOT] == 0) &&
           (o->combines || g->most.of[CPM_ASKS_COMMUTING] == 1);
}

/* What no operation has that there is. */
static void narrow_by_operation(cpm_region *g)
{
    bool sized = false, rooted = false, combines = false;
    int64_t *first = &g->least.of[CPM_ASKS_OPERATION], *last = &g->most.of[CPM_ASKS_OPERATION];
    while (*first <= *last && !fits(g, &cpm_operations[*first]))
        ++*first;
    while (*first <= *last && !fits(g, &cpm_operations[*last]))
        --*last;
    for (int64_t k = *first; k <= *last; k++) {
        const cpm_operation *o = &cpm_operations[k];
        bool is = fits(g, o);
        sized = sized || (is && cpm_rules_see_bytes(o));
        rooted = rooted || (is && o->rooted);
        combines = combines || (is && o->combines);
    }
    if (!sized)
        lower(g, CPM_ASKS_BYTES, 0);
    if (!rooted)
        lower(g, CPM_ASKS_ROOT, 0);
    if (!combines)
        raise(g, CPM_ASKS_COMMUTING, 1);
}

/* ---- all together ---- */

static bool is_empty(const cpm_region *g)
{
    for (int k = 0; k < CPM_ASKS; k++)
        if (g->least.of[k] > g->most.of[k])
            return true;
    return false;
}

bool cpm_region_narrow(cpm_region *g)
{
    static void (*const narrow[])(cpm_region *) = {narrow_hosts, narrow_root, narrow_power_of_two,
                                                   narrow_bytes, narrow_by_operation};
    enum { WAYS = sizeof narrow / sizeof *narrow, MOST_ROUNDS = 16 };
    cpm_region before;
    int rounds = 0;
    if (is_empty(g)) /* ranges are divided by each other's ends */
        return false;
    do {
        before = *g;
        for (int k = 0; k < WAYS; k++) {
            narrow[k](g);
            if (is_empty(g))
                return false;
        }
    } while (memcmp(&before, g, sizeof before) != 0 && ++rounds < MOST_ROUNDS);
    return true;
}
