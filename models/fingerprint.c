#include "models/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

/* Keys of texts are others in every process (base/hash.h): letters are mixed one by one. */
static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = cpm_hash_mix(hash, (unsigned char)*text);
    return cpm_hash_mix(hash, 256);
}

/* NULL: nothing is known of them. */
static uint64_t mix_numbers(uint64_t hash, const int *number, int count)
{
    hash = cpm_hash_mix(hash, number ? (uint64_t)count : UINT64_MAX);
    for (int i = 0; number && i < count; i++)
        hash = cpm_hash_mix(hash, (uint64_t)number[i]);
    return hash;
}

/* How many links all ways have together. */
static int ways_of(const cpm_links *l)
{
    return l->count ? (int)l->first[(ptrdiff_t)l->hosts * l->hosts] : 0;
}

static uint64_t mix_sizes(uint64_t hash, const cpm_sizes *sizes)
{
    hash = cpm_hash_mix(hash, (uint64_t)sizes->count);
    for (int k = 0; k < sizes->count; k++)
        hash = cpm_hash_mix(hash, sizes->at[k]);
    return hash;
}

/* The bits of a number: unknown ones, which are not equal to themselves, have one pattern here. */
static uint64_t mix_values(uint64_t hash, const cpm_model *m, int parameter)
{
    size_t count = cpm_parameter_all_values(m, parameter);
    for (size_t v = 0; v < count; v++) {
        double value = m->value[parameter][v];
        uint64_t bits = UINT64_MAX;
        if (value == value)
            memcpy(&bits, &value, sizeof bits);
        hash = cpm_hash_mix(hash, bits);
    }
    return hash;
}

void cpm_model_fingerprint(const cpm_model *m, char text[CPM_MODEL_FINGERPRINT])
{
    uint64_t hash = cpm_hash_mix(mix_text(0, m->type->name), (uint64_t)m->n);
    hash = mix_numbers(hash, m->on.of, m->on.n);
    hash = mix_numbers(hash, m->on.socket, m->on.n);
    hash = mix_numbers(hash, m->classes.of, m->classes.n);
    hash = mix_numbers(hash, m->switches.of, m->switches.n);
    hash = mix_numbers(hash, m->links.link, ways_of(&m->links));
    hash = mix_sizes(hash, &m->sizes);
    hash = mix_sizes(hash, &m->inside);
    hash = mix_sizes(hash, &m->across);
    for (int p = 0; p < m->type->count; p++)
        hash = mix_values(hash, m, p);
    snprintf(text, CPM_MODEL_FINGERPRINT, "%016" PRIx64, hash);
}
