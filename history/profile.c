/* What a program's calls have in common. */
#include "history/profile.h"

#include <math.h>
#include <stdlib.h>

void cpm_profile_free(cpm_profile *p)
{
    if (!p)
        return;
    for (int i = 0; p->hosts && i < p->n; i++)
        free(p->hosts[i]);
    for (int i = 0; i < p->communicator_count; i++)
        free(p->communicators[i].process);
    free(p->hosts);
    free(p->communicators);
    free(p->at);
    for (int i = 0; i < p->other_count; i++)
        free(p->others[i].function);
    free(p->others);
    cpm_metadata_clear(&p->metadata);
    free(p);
}

size_t cpm_profile_bytes(const cpm_profile_calls *c)
{
    return c->operation->dataless ? 0 : (size_t)llround(c->bytes);
}

bool cpm_profile_carries(const cpm_profile_calls *c)
{
    return c->operation->dataless || cpm_profile_bytes(c) > 0;
}

bool cpm_profile_follows(const cpm_profile_calls *c)
{
    return 2 * c->back_to_back > c->calls;
}

static bool is_of(const cpm_profile *p, const cpm_profile_calls *c, const cpm_operation *o, int n)
{
    return c->operation == o && p->communicators[c->communicator].n == n && cpm_profile_carries(c);
}

bool cpm_profile_batched(const cpm_profile *p, const cpm_operation *o, int n)
{
    double sign = 0;
    for (int k = 0; k < p->count; k++) {
        const cpm_profile_calls *c = &p->at[k];
        double seconds = (double)c->calls * c->mean;
        if (is_of(p, c, o, n))
            sign += cpm_profile_follows(c) ? seconds : -seconds;
    }
    return sign > 0;
}

int cpm_profile_sizes(const cpm_profile *p, const cpm_operation *o, int n, cpm_sizes *out,
                      cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < p->count && !status; k++)
        if (is_of(p, &p->at[k], o, n))
            status = cpm_sizes_note(out, cpm_profile_bytes(&p->at[k]), e);
    cpm_sizes_sort(out);
    return status;
}

double cpm_profile_seconds(const cpm_profile *p, const cpm_operation *o, int n, size_t bytes)
{
    double sum = 0;
    for (int k = 0; k < p->count; k++) {
        const cpm_profile_calls *c = &p->at[k];
        if (is_of(p, c, o, n) && cpm_profile_bytes(c) == bytes)
            sum += (double)c->calls * c->mean;
    }
    return sum;
}
