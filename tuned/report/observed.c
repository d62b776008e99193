/* One table for the process, under one lock. */
#include "tuned/report/observed.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vector.h"
#include "selection/size_class.h"
#include "tuned/report/observed_parts.h"

/* Of one process. A program of many sizes has its first ones, then classes of them. */
enum { MOST_GROUPS = 1024, MOST_SIZES = 512, MOST_KINDS = 4096 };

tuned_observations tuned_observations_here = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                              .inside = MPI_COMM_NULL};
static tuned_observations *const here = &tuned_observations_here;

/* The end of this thread's last call. */
static _Thread_local double last_end;

void tuned_observe_begin(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Group all;
    PMPI_Comm_get_parent(&parent);
    here->spawned = parent != MPI_COMM_NULL;
    if (here->spawned)
        return;
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Comm_create(MPI_COMM_WORLD, all, &here->inside);
    PMPI_Group_free(&all);
    here->begin = last_end = PMPI_Wtime();
}

bool tuned_observes(void)
{
    return here->inside != MPI_COMM_NULL;
}

void tuned_observe_check(void)
{
    static atomic_bool said;
    int rank = -1, initialized = 0;
    PMPI_Initialized(&initialized); /* there is no world in a session */
    if (initialized)
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!tuned_observes() && !here->spawned && rank == 0 && !atomic_exchange(&said, true))
        fprintf(stderr, "cpm: MPI_Init was not that of libcpm-tuned.so: nothing is observed\n");
}

/* ---- groups */

static bool find_processes(MPI_Comm comm, tuned_group *g)
{
    MPI_Group own, all;
    bool good = true;
    PMPI_Comm_size(comm, &g->n);
    int *rank = malloc((size_t)g->n * sizeof *rank);
    g->process = malloc((size_t)g->n * sizeof *g->process);
    if (!rank || !g->process) {
        free(rank);
        return false;
    }
    for (int i = 0; i < g->n; i++)
        rank[i] = i;
    PMPI_Comm_group(comm, &own);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Group_translate_ranks(own, g->n, rank, all, g->process);
    PMPI_Group_free(&own);
    PMPI_Group_free(&all);
    free(rank);
    for (int i = 0; i < g->n; i++)
        good = good && g->process[i] != MPI_UNDEFINED;
    return good;
}

static uint64_t id_of(const tuned_group *g)
{
    uint64_t id = cpm_hash_mix(0, (uint64_t)g->n);
    for (int i = 0; i < g->n; i++)
        id = cpm_hash_mix(id, (uint64_t)g->process[i]);
    return id | 1;
}

static tuned_group *add_group(const tuned_group *g)
{
    if (here->groups.count >= MOST_GROUPS)
        return &here->others;
    tuned_group *kept = malloc(sizeof *kept);
    cpm_slot *slot = kept ? cpm_hash_add(&here->groups, g->id) : NULL;
    if (!slot) {
        free(kept);
        return NULL;
    }
    *kept = *g;
    slot->pointer = kept;
    return kept;
}

tuned_group *tuned_group_of(MPI_Comm comm)
{
    tuned_group g = {0}, *found = NULL;
    int rank;
    if (find_processes(comm, &g)) {
        PMPI_Comm_rank(comm, &rank);
        g.mine = rank == 0;
        g.id = id_of(&g);
        pthread_mutex_lock(&here->lock);
        cpm_slot *slot = cpm_hash_find(&here->groups, g.id);
        here->others.left_out = true;
        found = slot ? slot->pointer : add_group(&g);
        pthread_mutex_unlock(&here->lock);
    }
    if (!found || found->process != g.process)
        free(g.process);
    return found;
}

/* ---- calls */

static uint64_t key_of(const tuned_observed *o)
{
    uint64_t key = cpm_hash_mix(o->group, (uint64_t)o->size);
    key = cpm_hash_mix(key, (uint64_t)o->operation << 32 | (uint32_t)o->root);
    return cpm_hash_mix(key, (uint64_t)o->by) | 1;
}

static bool is_same(const tuned_observed *a, const tuned_observed *b)
{
    return a->group == b->group && a->size == b->size && a->operation == b->operation &&
           a->root == b->root && a->by == b->by;
}

tuned_observed *tuned_observed_find(const cpm_hash *h, tuned_observed *all, const tuned_observed *o)
{
    cpm_slot *slot = cpm_hash_find(h, key_of(o));
    while (slot && !is_same(&all[slot->index], o))
        slot = cpm_hash_next(h, slot);
    return slot ? &all[slot->index] : NULL;
}

tuned_observed *tuned_observed_add(cpm_hash *h, tuned_observed **all, int *count,
                                   const tuned_observed *o)
{
    cpm_slot *slot =
        cpm_vector_extend(all, *count, sizeof **all) ? cpm_hash_add(h, key_of(o)) : NULL;
    if (!slot)
        return NULL;
    slot->index = *count;
    (*all)[*count] = *o;
    return &(*all)[(*count)++];
}

static tuned_observed *find(const tuned_observed *o)
{
    return tuned_observed_find(&here->by_kind, here->at, o);
}

/* Whether these calls have a size of their own where it was the other's turn. */
static bool other_turn_has(const tuned_observed *o)
{
    tuned_observed other = *o;
    other.by = o->by == TUNED_BY_AB_LIBRARY ? TUNED_BY_AB_CHOSEN : TUNED_BY_AB_LIBRARY;
    return o->by != TUNED_BY_LIBRARY && find(&other);
}

/* A size of its own while there are few, then that of its class; in turns the same for both. */
static tuned_observed *find_or_add(tuned_group *g, tuned_observed *o)
{
    tuned_observed *found = find(o);
    if (!found && g->kinds >= MOST_SIZES && o->size > 0 && !other_turn_has(o)) {
        o->size = (int64_t)cpm_size_class_plain((size_t)o->size).most;
        found = find(o);
    }
    if (found || g->kinds >= MOST_KINDS)
        return found;
    g->kinds++;
    return tuned_observed_add(&here->by_kind, &here->at, &here->count, o);
}

static int class_of_gap(double seconds)
{
    int exponent = 0;
    frexp(seconds * 1e9, &exponent);
    return exponent < 0 ? 0 : exponent < TUNED_GAPS ? exponent : TUNED_GAPS - 1;
}

static void add_calls(tuned_observed *kind, const tuned_observation *o, long calls, bool timed,
                      double between)
{
    const bool counts = o->by == TUNED_BY_LIBRARY || kind->warm;
    const double n = (double)calls;
    kind->warm = 1;
    if (!counts)
        return;
    kind->calls += calls;
    kind->timed += timed ? calls : 0;
    kind->bytes += n * o->bytes;
    kind->seconds += n * o->seconds;
    kind->squares += n * o->seconds * o->seconds;
    kind->between += n * between;
    kind->gaps[class_of_gap(between)] += calls;
    if (*o->algorithm)
        snprintf(kind->algorithm, sizeof kind->algorithm, "%s", o->algorithm);
}

/* Not after the account was made. */
static void observe(tuned_group *g, const tuned_observation *o, long calls, bool timed,
                    double between)
{
    tuned_observed kind = {.group = g->id,
                           .size = o->size,
                           .operation = (int32_t)(o->operation - cpm_operations),
                           .root = o->operation->rooted ? o->root : -1,
                           .by = (int32_t)o->by};
    pthread_mutex_lock(&here->lock);
    tuned_observed *found = g->left_out ? NULL : find_or_add(g, &kind);
    here->collectives += (double)calls * o->seconds;
    if (found)
        add_calls(found, o, calls, timed, between > 0 ? between : 0);
    else
        here->left_out += calls;
    pthread_mutex_unlock(&here->lock);
}

void tuned_observe(tuned_group *g, const tuned_observation *o)
{
    if (!tuned_observes())
        return;
    observe(g, o, 1, true, o->start - (last_end > 0 ? last_end : here->begin));
    last_end = o->start + o->seconds;
}

void tuned_observe_passed(tuned_group *g, const tuned_observation *o, long calls, double gap)
{
    if (!tuned_observes())
        return;
    observe(g, o, calls, false, gap);
    last_end = o->start;
}

/* ---- what CPM does not take */

bool tuned_other_add(tuned_other **all, int *count, const tuned_other *o)
{
    int k = 0;
    while (k < *count && strcmp((*all)[k].function, o->function) != 0)
        k++;
    if (k == *count && !cpm_vector_extend(all, *count, sizeof **all))
        return false;
    if (k == *count) {
        (*all)[(*count)++] = *o;
        return true;
    }
    (*all)[k].calls += o->calls;
    (*all)[k].seconds += o->seconds;
    return true;
}

void tuned_observe_other(const char *function, double seconds)
{
    tuned_other o = {.calls = 1, .seconds = seconds};
    snprintf(o.function, sizeof o.function, "%s", function);
    pthread_mutex_lock(&here->lock);
    if (!tuned_other_add(&here->other_functions, &here->other_count, &o))
        here->left_out++;
    pthread_mutex_unlock(&here->lock);
}
