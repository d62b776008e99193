#include "measurements/held_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/numbers.h"

/* The names of all its lines: a campaign that was resumed may have several. */
static const char *next_list(const cpm_metadata *header, int *at)
{
    while (*at < header->count) {
        const cpm_fact *f = &header->items[(*at)++];
        if (cpm_metadata_belongs(f->key, CPM_METADATA_CHECK))
            return f->value;
    }
    return NULL;
}

static bool parse(const char *word, size_t length, cpm_experiment *out)
{
    char name[CPM_EXPERIMENT_NAME + 24];
    long bytes;
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    char *number = strrchr(name, '@');
    if (!number)
        return false;
    *number++ = '\0';
    cpm_experiment x = {0};
    if (!cpm_integer_parse(number, 0, 1L << 40, &bytes) || cpm_experiment_parse(name, &x, NULL) ||
        x.kind)
        return false;
    *out = cpm_experiment_of(&x.collective, (size_t)bytes);
    return true;
}

bool cpm_held_out_at(const cpm_metadata *header, int index, cpm_experiment *out)
{
    int at = 0;
    for (const char *list; (list = next_list(header, &at));)
        for (const char *word = list; *word; word += strspn(word, " ")) {
            size_t length = strcspn(word, " ");
            if (index-- == 0)
                return parse(word, length, out);
            word += length;
        }
    return false;
}

int cpm_held_out_check(const cpm_metadata *header, cpm_error *e)
{
    int at = 0;
    char shown[60];
    cpm_experiment x;
    for (const char *list; (list = next_list(header, &at));) {
        const char *word = list + strspn(list, " ");
        do {
            size_t length = strcspn(word, " ");
            if (!parse(word, length, &x))
                return cpm_fail(e, CPM_EDATA,
                                "the header's check is wrong: expected 'ALGORITHM@BYTES ...', "
                                "found '%s'",
                                cpm_escape(word, shown, sizeof shown));
            word += length;
            word += strspn(word, " ");
        } while (*word);
    }
    return CPM_OK;
}

bool cpm_is_held_out(const cpm_measurements *m, const cpm_experiment *x)
{
    cpm_experiment held;
    for (int k = 0; !x->kind && cpm_held_out_at(&m->metadata, k, &held); k++)
        if (cpm_experiment_equal(&held, x))
            return true;
    return false;
}

const cpm_measurements *cpm_without_held_out(const cpm_measurements *m, cpm_measurements *own,
                                             cpm_error *e)
{
    *own = (cpm_measurements){0};
    if (!cpm_metadata_get(&m->metadata, CPM_METADATA_CHECK))
        return m;
    *own = *m;
    own->at = NULL;
    own->count = 0;
    own->by_experiment = (cpm_hash){0};
    for (int q = 0; q < m->count; q++)
        if (!cpm_is_held_out(m, &m->at[q].what) && cpm_measurements_add(own, &m->at[q], e))
            return NULL;
    return own;
}

void cpm_without_held_out_clear(cpm_measurements *own)
{
    free(own->at);
    cpm_hash_free(&own->by_experiment);
    *own = (cpm_measurements){0};
}
