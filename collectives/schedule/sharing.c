/* Max-min fair rates by progressive filling: all rates grow together, in proportion to their
 * weights; whoever reaches its cap, or
 * whose link end is full, stops there, and the others grow on. */
#include "collectives/schedule/sharing.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Rates that differ by less are equal. */
static const double slightly_more = 1 + 1e-12;

typedef struct {
    cpm_active *flow;
    int count, n;
    cpm_link_end *ends;
} shares;

static cpm_link_end *out_of(const shares *s, const cpm_active *f)
{
    return f->out > 0 ? &s->ends[f->from] : NULL;
}

static cpm_link_end *into(const shares *s, const cpm_active *f)
{
    return f->in > 0 ? &s->ends[s->n + f->to] : NULL;
}

static void prepare(const shares *s)
{
    for (int k = 0; k < s->count; k++) {
        const cpm_active *f = &s->flow[k];
        if (f->out > 0)
            *out_of(s, f) = (cpm_link_end){1 / f->out, 0};
        if (f->in > 0)
            *into(s, f) = (cpm_link_end){1 / f->in, 0};
        s->flow[k].rate = -1;
    }
    for (int k = 0; k < s->count; k++) {
        if (s->flow[k].out > 0)
            out_of(s, &s->flow[k])->weight += s->flow[k].weight;
        if (s->flow[k].in > 0)
            into(s, &s->flow[k])->weight += s->flow[k].weight;
    }
}

/* Bytes per second and weight that the remaining users of an end could get; no end: as much as they
 * like. */
static double share_of(const cpm_link_end *end)
{
    return end ? end->left / end->weight : INFINITY;
}

static double fair_share(const shares *s, const cpm_active *f)
{
    return fmin(share_of(out_of(s, f)), share_of(into(s, f)));
}

static void take_from(cpm_link_end *end, const cpm_active *f, double bytes_per_second)
{
    if (!end)
        return;
    end->left = fmax(0, end->left - bytes_per_second);
    end->weight -= f->weight;
}

static void settle(const shares *s, cpm_active *f, double bytes_per_second)
{
    f->rate = fmin(1, bytes_per_second * f->cap);
    take_from(out_of(s, f), f, bytes_per_second);
    take_from(into(s, f), f, bytes_per_second);
}

/* Where all that still grow have come to. */
static double level_of(const shares *s)
{
    double level = INFINITY;
    for (int k = 0; k < s->count; k++)
        if (s->flow[k].rate < 0)
            level = fmin(level, fair_share(s, &s->flow[k]));
    return level;
}

static int settle_capped(const shares *s, double level)
{
    int settled = 0;
    for (int k = 0; k < s->count; k++) {
        cpm_active *f = &s->flow[k];
        if (f->rate >= 0 || 1 / f->cap > level * f->weight * slightly_more)
            continue;
        settle(s, f, 1 / f->cap);
        settled++;
    }
    return settled;
}

/* An end that is full stays so while its flows are settled at the level. */
static int settle_full(const shares *s, double level)
{
    int settled = 0;
    for (int k = 0; k < s->count; k++) {
        cpm_active *f = &s->flow[k];
        if (f->rate >= 0 || fair_share(s, f) > level * slightly_more)
            continue;
        settle(s, f, level * f->weight);
        settled++;
    }
    return settled;
}

double cpm_share(cpm_active *flow, int count, int n, cpm_link_end *ends)
{
    shares s = {flow, count, n, ends};
    double looks = 2.0 * count;
    prepare(&s);
    for (int left = count; left > 0; looks += 3.0 * count) {
        double level = level_of(&s);
        int settled = settle_capped(&s, level);
        left -= settled ? settled : settle_full(&s, level);
    }
    return looks;
}
