/* Sums over calls and processes become means. */
#include "tuned/report/profile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "history/profile.h"
#include "tuned/comm/selectors.h"
#include "tuned/library_version.h"

static int describe(cpm_metadata *f, cpm_error *e)
{
    int status = cpm_metadata_set(f, e, "program", "%s", program_invocation_name);
    if (!status)
        status = cpm_metadata_set(f, e, "library", "%s", cpm_library_name(tuned_library()));
    if (!status)
        status = cpm_metadata_set(f, e, "mpi", "%s", tuned_library_version());
    return status ? status : cpm_metadata_date(f, e);
}

static bool name_hosts(const tuned_account *a, cpm_profile *p)
{
    p->hosts = calloc((size_t)a->n, sizeof *p->hosts);
    bool good = p->hosts != NULL;
    for (int i = 0; i < a->n && good; i++) {
        char name[4 * MPI_MAX_PROCESSOR_NAME]; /* as models have it */
        cpm_escape_word(a->hosts + (size_t)i * MPI_MAX_PROCESSOR_NAME, name, sizeof name);
        good = (p->hosts[i] = strdup(name)) != NULL;
    }
    return good;
}

static bool list_communicators(const tuned_account *a, cpm_profile *p)
{
    p->communicators = calloc((size_t)a->group_count + 1, sizeof *p->communicators);
    for (int i = 0; i < a->group_count && p->communicators; i++) {
        const tuned_group *g = &a->groups[i];
        size_t bytes = (size_t)g->n * sizeof *g->process;
        cpm_profile_communicator *c = &p->communicators[p->communicator_count++];
        *c = (cpm_profile_communicator){g->n, malloc(bytes)};
        if (!c->process)
            return false;
        memcpy(c->process, g->process, bytes);
    }
    return p->communicators != NULL;
}

/* Of all processes: calls of a mean length are the measure, as a root's own may be short. Within
 * 2 us, of which counting takes a part, nothing is computed, however short calls are. */
static double back_to_back(const tuned_observed *o)
{
    const double soon = fmax(0.1 * o->seconds / (double)o->all, 2.048e-6);
    double count = 0;
    for (int k = 0; k < TUNED_GAPS && ldexp(1e-9, k) <= soon; k++)
        count += (double)o->gaps[k];
    return count;
}

static cpm_profile_calls calls_of(const tuned_observed *o)
{
    double all = (double)o->all;
    return (cpm_profile_calls){.communicator = (int)o->group,
                               .operation = &cpm_operations[o->operation],
                               .root = o->root,
                               .bytes = o->bytes / all,
                               .calls = (long)o->calls,
                               .timed = (long)(o->calls - (o->all - o->timed) / o->processes),
                               .back_to_back = (long)(back_to_back(o) / o->processes),
                               .mean = o->seconds / all,
                               .between = o->between / all,
                               .least = o->least,
                               .most = o->most,
                               .least_at = o->least_at,
                               .most_at = o->most_at};
}

static bool list_calls(const tuned_account *a, cpm_profile *p)
{
    p->at = calloc((size_t)a->count + 1, sizeof *p->at);
    for (int i = 0; i < a->count && p->at; i++)
        p->at[p->count++] = calls_of(&a->at[i]);
    return p->at != NULL;
}

static bool list_others(const tuned_account *a, cpm_profile *p)
{
    bool good = true;
    p->others = calloc((size_t)a->other_count + 1, sizeof *p->others);
    for (int i = 0; i < a->other_count && p->others && good; i++) {
        const tuned_other *o = &a->others[i];
        p->others[p->other_count++] =
            (cpm_profile_other){strdup(o->function), (long)o->calls, o->seconds / a->n};
        good = p->others[i].function != NULL;
    }
    return p->others && good;
}

int tuned_profile_write(const tuned_account *a, const char *path, cpm_error *e)
{
    cpm_profile *p = calloc(1, sizeof *p);
    int status = CPM_OK;
    if (p)
        *p = (cpm_profile){.n = a->n,
                           .seconds = a->seconds,
                           .collectives = a->collectives,
                           .left_out = (long)a->left_out};
    if (!p || !name_hosts(a, p) || !list_communicators(a, p) || !list_calls(a, p) ||
        !list_others(a, p))
        status = cpm_no_memory(e);
    if (!status)
        status = describe(&p->metadata, e);
    if (!status)
        status = cpm_profile_write(p, path, e);
    cpm_profile_free(p);
    return status;
}
