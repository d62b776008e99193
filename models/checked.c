#include "models/checked.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"

void cpm_checked_add(cpm_checked *c, const char *name, size_t bytes, double error, double half)
{
    double n = c->count, off = fabs(error), beyond = fmax(0, off - half);
    c->mean = (n * c->mean + off) / (n + 1);
    c->square = sqrt((n * c->square * c->square + off * off) / (n + 1));
    c->beyond_mean = (n * c->beyond_mean + beyond) / (n + 1);
    c->beyond_worst = fmax(c->beyond_worst, beyond);
    c->count++;
    if (c->count > 1 && off <= fabs(c->worst))
        return;
    c->worst = error;
    c->bytes = bytes;
    snprintf(c->of, sizeof c->of, "%s", name);
}

static bool is_number(const char *text, double *out)
{
    return cpm_number_parse(text + (*text == '+'), out) && !cpm_number_flaw(*out);
}

/* "allgather:bruck@65536 +0.431 0.002" */
static bool add_word(const char *from, size_t length, cpm_checked *out)
{
    char text[CPM_EXPERIMENT_NAME + 80], error[32], half[32];
    double off, wide;
    long bytes;
    if (length >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)length, from);
    size_t name = strcspn(text, " ");
    if (sscanf(text + name, " %31s %31s", error, half) != 2)
        return false;
    text[name] = '\0';
    char *number = strrchr(text, '@');
    if (!number || !is_number(error, &off) || !is_number(half, &wide) || off < -1 || wide < 0)
        return false;
    *number++ = '\0';
    if (strlen(text) >= sizeof out->of || !cpm_integer_parse(number, 0, 1L << 40, &bytes))
        return false;
    cpm_checked_add(out, text, (size_t)bytes, off, wide);
    return true;
}

bool cpm_checked_of(const cpm_metadata *facts, cpm_checked *out)
{
    const char *at = cpm_metadata_get(facts, CPM_METADATA_CHECKED);
    *out = (cpm_checked){0};
    for (; at && *at; at += strspn(at, ", ")) {
        size_t length = strcspn(at, ",");
        if (!add_word(at, length, out))
            return false;
        at += length;
    }
    return out->count > 0;
}

bool cpm_checked_makes_sense(const cpm_metadata *facts)
{
    cpm_checked c;
    return !cpm_metadata_get(facts, CPM_METADATA_CHECKED) || cpm_checked_of(facts, &c);
}

bool cpm_checked_is_bad(const cpm_checked *c)
{
    return c->beyond_mean > CPM_CHECK_MEAN || c->beyond_worst > CPM_CHECK_WORST;
}

bool cpm_check_contradicts(const cpm_metadata *facts)
{
    cpm_checked c;
    return cpm_checked_of(facts, &c) && cpm_checked_is_bad(&c);
}

/* In tenths of a percent, none of them "-0.0". */
static double percent(double share)
{
    return round(1000 * share) / 10 + 0.0;
}

const char *cpm_checked_text(const cpm_checked *c, char text[CPM_CHECKED_TEXT])
{
    snprintf(text, CPM_CHECKED_TEXT, "off by %.1f %% on average, at worst %+.1f %% (%s, %zu bytes)",
             percent(c->mean), percent(c->worst), c->of, c->bytes);
    return text;
}
