/* Whether a row of sizes, for some numbers of processes, holds for any call. */
#include <stdio.h>

#include "base/size.h"
#include "tables/ruleset_lines.h"

enum { MOST_TRIED = 1 << 20 };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A multiple of some n of least to most in from to to, 0 < from. n that go into to equally often
 * are tried at once: the largest of them has the largest multiple. */
static bool is_multiple(int64_t least, int64_t most, int64_t from, int64_t to)
{
    if (to - from >= least - 1 || (least <= to && to <= most))
        return true;
    most = smaller(most, to);
    int tried = 0;
    for (int64_t n = least; n <= most; n++, tried++) {
        int64_t times = to / n;
        n = smaller(to / times, most);
        if (n * times >= from || tried == MOST_TRIED)
            return true;
    }
    return false;
}

bool cpm_rules_can_reach(int64_t least, int64_t most, bool total, int64_t from, int64_t to)
{
    char text[24];
    size_t bytes;
    if (least > most || from > to)
        return false;
    snprintf(text, sizeof text, "%lld", (long long)from);
    if (cpm_size_parse(text, &bytes, NULL) != CPM_OK)
        return false;
    return from == 0 || !total || is_multiple(least, most, from, to);
}
