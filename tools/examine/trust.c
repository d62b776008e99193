#include "tools/examine/trust.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

static bool is_same_choice(const trust_pair *a, const trust_pair *b)
{
    return a->operation == b->operation && a->bytes == b->bytes;
}

/* What the choice that at[k] is the first candidate of costs over the best; NaN: it is not the
 * first, or the only one. */
static double cost_of_choice(const trust_pair *at, int count, int k)
{
    const trust_pair *chosen = &at[k];
    double best = chosen->observed;
    int candidates = 0;
    for (int i = 0; i < count; i++) {
        if (!is_same_choice(&at[i], &at[k]))
            continue;
        if (i < k)
            return NAN;
        candidates++;
        best = fmin(best, at[i].observed);
        chosen = at[i].predicted < chosen->predicted ? &at[i] : chosen;
    }
    return candidates > 1 ? chosen->observed / best : NAN;
}

static int describe_errors(const trust_pair *at, int count, char text[TRUST_TEXT])
{
    double off = 0;
    int within = 0;
    for (int k = 0; k < count; k++) {
        double ratio = at[k].predicted / at[k].observed;
        off += fabs(log(ratio));
        within += ratio >= 0.8 && ratio <= 1.25;
    }
    return snprintf(text, TRUST_TEXT,
                    "predictions are off by a factor %.2f (%.0f %% within 0.8 to 1.25)",
                    exp(off / count), 100.0 * within / count);
}

void trust_describe(const trust_pair *at, int count, int algorithms, char text[TRUST_TEXT])
{
    double sum = 0, worst = 1;
    int choices = 0, used = describe_errors(at, count, text);
    for (int k = 0; k < count; k++) {
        double cost = cost_of_choice(at, count, k);
        if (isnan(cost))
            continue;
        choices++;
        sum += log(cost);
        worst = fmax(worst, cost);
    }
    if (choices)
        used += snprintf(text + used, TRUST_TEXT - (size_t)used,
                         "; choices cost %.2f times the best, at worst %.2f", exp(sum / choices),
                         worst);
    snprintf(text + used, TRUST_TEXT - (size_t)used, " (%d algorithm%s)", algorithms,
             algorithms == 1 ? "" : "s");
}
