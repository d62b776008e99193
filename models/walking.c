/* A walk asks the model what each message costs; which walk that is, the model says. */
#include "models/walking.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "models/symmetry.h"

bool cpm_leaving_of(const cpm_metadata *facts, double *seconds)
{
    const char *text = cpm_metadata_get(facts, CPM_METADATA_LEAVING);
    char *end = NULL;
    *seconds = text ? strtod(text, &end) : 0;
    return !text || (end != text && !*end && isfinite(*seconds) && *seconds >= 0);
}

double cpm_model_leaving(const cpm_model *m)
{
    double seconds;
    return cpm_leaving_of(&m->metadata, &seconds) ? seconds : 0;
}

/* A model that is asked by a walk. */
typedef struct {
    const cpm_model *m;
    const cpm_walking *how;
    const cpm_model_symmetry *symmetry; /* NULL: every rank is walked */
    const double *leave;                /* [n] as in cpm_plain_walking */
    int64_t stands_for;                 /* so many messages, each that is walked */
    int combinings;                     /* of each contribution */
    int *count;                         /* of walked ones that are not told yet */
} asked;

static void tell(const asked *a)
{
    if (a->how->through)
        atomic_fetch_add_explicit(a->how->through, *a->count * a->stands_for, memory_order_relaxed);
    *a->count = 0;
}

/* Now and then, as other threads tell, too. */
static void count(const asked *a)
{
    enum { OFTEN = 1000 };
    if (++*a->count == OFTEN)
        tell(a);
}

static int process_of(const asked *a, int rank)
{
    return a->how->process ? a->how->process[rank] : rank;
}

static void cost_of(const void *context, int from, int to, size_t bytes, cpm_cost *cost)
{
    const asked *a = context;
    a->m->type->cost(a->m, process_of(a, from), process_of(a, to), bytes, cost);
    count(a);
}

static void flow_of(const void *context, int from, int to, size_t bytes, cpm_flow *flow)
{
    const asked *a = context;
    a->m->type->flow(a->m, process_of(a, from), process_of(a, to), bytes, flow);
    if (a->symmetry)
        a->m->type->stand_for(a->m, a->symmetry, flow);
    count(a);
}

static double combine_of(const void *context, int rank, cpm_combining what, size_t bytes)
{
    const asked *a = context;
    return a->combinings * a->m->type->combine(a->m, process_of(a, rank), what, bytes);
}

static double copy_of(const void *context, int rank, int64_t pieces, size_t bytes)
{
    const asked *a = context;
    return a->m->type->copy(a->m, process_of(a, rank), pieces, bytes);
}

static double fresh_of(const void *context, int rank, double bytes)
{
    const asked *a = context;
    return a->m->type->fresh(a->m, process_of(a, rank), bytes);
}

/* What a walk is given of a, which asks the model directly or through a. */
static cpm_combine_function *combining(const asked *a, bool direct)
{
    return !a->m->type->combine ? NULL : direct ? a->m->type->combine : combine_of;
}

static cpm_copy_function *copying(const asked *a, bool direct)
{
    bool copies = a->m->type->copy && a->m->type->copies(a->m);
    return !copies ? NULL : direct ? a->m->type->copy : copy_of;
}

static cpm_fresh_function *renewing(const asked *a, bool direct)
{
    return !a->m->type->fresh ? NULL : direct ? a->m->type->fresh : fresh_of;
}

/* The model itself is asked where nothing else is to be done at a message. */
static bool asks_model(const asked *a)
{
    return !a->how->through && !a->how->process && !a->symmetry && a->combinings == 1;
}

/* Who watches wants to see every message; who leaves later is not like the others. */
static int find_symmetry(const asked *a, const cpm_schedule *s, const cpm_block_sizes *sizes,
                         cpm_model_symmetry *out, bool *found, cpm_error *e)
{
    *found = false;
    return a->how->trace || a->how->process || a->leave
               ? CPM_OK
               : cpm_model_find_symmetry(a->m, s, sizes, out, found, e);
}

static double walk_flows(asked *a, const cpm_schedule *s, const cpm_block_sizes *sizes,
                         double *finish, cpm_error *e)
{
    cpm_model_symmetry symmetry;
    double tolerance = a->how->tolerance > 0 ? a->how->tolerance : CPM_CROWD_TOLERANCE;
    cpm_flow_walking how = {.tolerance = a->how->exact ? 0 : tolerance,
                            .trace = a->how->trace,
                            .leave = a->leave,
                            .same = a->how->same};
    bool found;
    int status = find_symmetry(a, s, sizes, &symmetry, &found, e);
    if (status)
        return status;
    if (found) {
        a->symmetry = &symmetry;
        a->stands_for = a->m->n / symmetry.ranks.period;
        how.alike = &symmetry.ranks;
    }
    bool direct = asks_model(a);
    how.combine = combining(a, direct);
    how.copy = copying(a, direct);
    how.fresh = renewing(a, direct);
    how.computing = a->how->computing;
    double seconds = cpm_flow_walk(s, sizes, direct ? a->m->type->flow : flow_of,
                                   direct ? (const void *)a->m : a, &how, finish, e);
    if (found)
        cpm_model_symmetry_clear(&symmetry);
    return seconds;
}

static double walk_costs(const asked *a, const cpm_schedule *s, const cpm_block_sizes *sizes,
                         double *finish, cpm_error *e)
{
    bool direct = asks_model(a);
    cpm_plain_walking how = {.combine = combining(a, direct),
                             .copy = copying(a, direct),
                             .fresh = renewing(a, direct),
                             .trace = a->how->trace,
                             .computing = a->how->computing,
                             .leave = a->leave};
    return cpm_plain_walk(s, sizes, direct ? a->m->type->cost : cost_of,
                          direct ? (const void *)a->m : a, &how, finish, e);
}

static double walk(const cpm_model *m, const cpm_schedule *s, const cpm_block_sizes *sizes,
                   const cpm_walking *how, const double *leave, double *finish, cpm_error *e)
{
    int count = 0;
    bool twice = s->operation && s->operation->leaves_own_out; /* with its own, and without */
    asked a = {.m = m,
               .how = how,
               .leave = leave,
               .stands_for = 1,
               .combinings = twice ? 2 : 1,
               .count = &count};
    double seconds = !how->plain && cpm_model_flows(m) ? walk_flows(&a, s, sizes, finish, e)
                                                       : walk_costs(&a, s, sizes, finish, e);
    tell(&a);
    return seconds;
}

/* From the times that processes take themselves. */
static double sum_up(const double *own, int n, bool mean)
{
    double most = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, own[i]);
        sum += own[i];
    }
    return mean ? sum / n : most;
}

static double walk_apart(const cpm_model *m, const cpm_schedule *s, const cpm_block_sizes *sizes,
                         const cpm_walking *how, double *finish, cpm_error *e)
{
    const size_t n = (size_t)s->n;
    double *own = calloc(2 * n, sizeof *own);
    if (!own)
        return cpm_no_memory(e);
    double *leave = own + n;
    for (size_t i = 0; i < n; i++)
        leave[i] = (double)i * how->leaving;
    double seconds = walk(m, s, sizes, how, how->leaving > 0 ? leave : NULL, own, e);
    if (seconds >= 0)
        seconds = sum_up(own, s->n, how->mean);
    if (seconds >= 0 && finish)
        memcpy(finish, own, n * sizeof *own);
    free(own);
    return seconds;
}

double cpm_model_walk(const cpm_model *m, const cpm_schedule *s, const cpm_block_sizes *sizes,
                      const cpm_walking *how, double *finish, cpm_error *e)
{
    static const cpm_walking usual = {0};
    how = how ? how : &usual;
    return how->leaving > 0 || how->mean ? walk_apart(m, s, sizes, how, finish, e)
                                         : walk(m, s, sizes, how, NULL, finish, e);
}
