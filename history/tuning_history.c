/* Lessons in memory: found by their kind, and made one of two. */
#include "history/tuning_history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

/* ---- ways */

void cpm_lesson_name(const cpm_collective *c, char name[CPM_LESSON_NAME])
{
    char algorithm[CPM_COLLECTIVE_NAME], map[CPM_FINGERPRINT];
    const cpm_placement at = {
        .n = c->at.n, .root = c->at.root, .mapping = c->at.mapping, .parent = c->at.parent};
    cpm_collective_print_algorithm(c, algorithm, sizeof algorithm);
    cpm_placement_fingerprint(&at, map);
    bool mapped = c->at.mapping || c->at.parent;
    snprintf(name, CPM_LESSON_NAME, "%s%s%.30s", algorithm, mapped ? " " : "", mapped ? map : "");
}

const cpm_lesson_figure *cpm_lesson_figure_of(const cpm_tuning_record *l, const char *name)
{
    for (int k = 0; k < l->count; k++)
        if (strcmp(l->figure[k].name, name) == 0)
            return &l->figure[k];
    return NULL;
}

bool cpm_lesson_praises(const cpm_lesson_figure *f)
{
    const double gain = 0.05; /* less is not worth a change */
    return !f->out && f->ratio > 0 && f->ratio < 1 - gain;
}

double cpm_lesson_at_most(const cpm_lesson_figure *f)
{
    return f->ratio + 2 * f->error;
}

const cpm_lesson_figure *cpm_lesson_best(const cpm_tuning_record *l)
{
    const cpm_lesson_figure *best = NULL;
    for (int k = 0; k < l->count; k++) {
        const cpm_lesson_figure *f = &l->figure[k];
        if (cpm_lesson_praises(f) && (!best || cpm_lesson_at_most(f) < cpm_lesson_at_most(best)))
            best = f;
    }
    return best;
}

/* ---- finding */

static uint64_t key_of(const cpm_tuning_record *l)
{
    uint64_t key = cpm_hash_mix(cpm_hash_text(l->at.hosts), cpm_hash_text(l->at.library));
    key = cpm_hash_mix(key, cpm_hash_text(l->at.version));
    key = cpm_hash_mix(key, (uint64_t)(l->operation - cpm_operations) << 1 | l->ordered);
    key = cpm_hash_mix(key, (uint64_t)(unsigned)l->n << 32 | (unsigned)l->root);
    return cpm_hash_mix(cpm_hash_mix(key, l->least), l->most) | 1;
}

static bool same_kind(const cpm_tuning_record *a, const cpm_tuning_record *b)
{
    return a->operation == b->operation && a->n == b->n && a->root == b->root &&
           a->ordered == b->ordered && a->least == b->least && a->most == b->most &&
           strcmp(a->at.hosts, b->at.hosts) == 0 && strcmp(a->at.library, b->at.library) == 0 &&
           strcmp(a->at.version, b->at.version) == 0;
}

static int find(const cpm_tuning_history *all, const cpm_tuning_record *like)
{
    const cpm_slot *slot = cpm_hash_find(&all->by_kind, key_of(like));
    while (slot && !same_kind(&all->at[slot->index], like))
        slot = cpm_hash_next(&all->by_kind, slot);
    return slot ? slot->index : -1;
}

const cpm_tuning_record *cpm_tuning_history_find(const cpm_tuning_history *all,
                                                 const cpm_tuning_record *like)
{
    int k = find(all, like);
    return k < 0 ? NULL : &all->at[k];
}

/* ---- two become one */

enum { MOST_CALLS = 1 << 30 };

static bool contradict(const cpm_lesson_figure *old, const cpm_lesson_figure *new)
{
    if (old->out != new->out)
        return true;
    if (!(old->ratio > 0) || !(new->ratio > 0))
        return false;
    double apart = fabs(old->ratio - new->ratio), e = hypot(old->error, new->error);
    return apart > fmax(3 * e, 0.05 * old->ratio);
}

/* No more than a file may say. */
static cpm_lesson_figure capped(const cpm_lesson_figure *f)
{
    cpm_lesson_figure out = *f;
    out.calls = f->calls < MOST_CALLS ? f->calls : MOST_CALLS;
    return out;
}

static double weighted(double old, double new, double weight)
{
    return old + (new - old) * weight;
}

/* What one of them does not know is the other's. */
static void merge_ratio(cpm_lesson_figure *old, const cpm_lesson_figure *new, double weight)
{
    if (!(new->ratio > 0))
        return;
    if (!(old->ratio > 0))
        weight = 1;
    old->ratio = weighted(old->ratio, new->ratio, weight);
    old->error = hypot((1 - weight) * old->error, weight * new->error);
}

/* Native's own time says how fast the network is: it contradicts nothing. */
static void merge_figure(cpm_lesson_figure *old, const cpm_lesson_figure *new)
{
    if (contradict(old, new)) {
        *old = capped(new);
        return;
    }
    double weight = (double)new->calls / fmax(1, (double)old->calls + (double)new->calls);
    merge_ratio(old, new, weight);
    old->seconds = weighted(old->seconds, new->seconds, weight);
    long room = MOST_CALLS - old->calls;
    old->calls += new->calls < room ? new->calls : room;
}

static int merge(cpm_tuning_record *old, const cpm_tuning_record *new, cpm_error *e)
{
    for (int k = 0; k < new->count; k++) {
        const cpm_lesson_figure *one = &new->figure[k];
        cpm_lesson_figure *same = (cpm_lesson_figure *)cpm_lesson_figure_of(old, one->name);
        if (same) {
            merge_figure(same, one);
            continue;
        }
        if (!cpm_vector_extend(&old->figure, old->count, sizeof *old->figure))
            return cpm_no_memory(e);
        old->figure[old->count++] = capped(one);
    }
    if (strcmp(new->date, old->date) > 0)
        memcpy(old->date, new->date, sizeof old->date);
    return CPM_OK;
}

/* ---- adding */

static void clear_one(cpm_tuning_record *l)
{
    free(l->at.hosts);
    free(l->at.library);
    free(l->at.version);
    free(l->figure);
}

static bool copy_of(const cpm_tuning_record *from, cpm_tuning_record *out)
{
    *out = *from;
    out->at.hosts = strdup(from->at.hosts);
    out->at.library = strdup(from->at.library);
    out->at.version = strdup(from->at.version);
    out->figure = NULL;
    out->count = 0;
    if (out->at.hosts && out->at.library && out->at.version && merge(out, from, NULL) == CPM_OK)
        return true;
    clear_one(out);
    return false;
}

static int append(cpm_tuning_history *all, const cpm_tuning_record *new, cpm_error *e)
{
    cpm_tuning_record copy;
    if (all->count == CPM_MOST_LESSONS)
        return cpm_fail(e, CPM_EINVAL, "more than %d lessons are not kept", CPM_MOST_LESSONS);
    bool room = cpm_vector_extend(&all->at, all->count, sizeof *all->at);
    if (!room || !copy_of(new, &copy))
        return cpm_no_memory(e);
    cpm_slot *slot = cpm_hash_add(&all->by_kind, key_of(new));
    if (!slot) {
        clear_one(&copy);
        return cpm_no_memory(e);
    }
    slot->index = all->count;
    all->at[all->count++] = copy;
    return CPM_OK;
}

int cpm_tuning_history_add(cpm_tuning_history *all, const cpm_tuning_record *newer, cpm_error *e)
{
    int k = find(all, newer);
    return k < 0 ? append(all, newer, e) : merge(&all->at[k], newer, e);
}

int cpm_tuning_history_add_all(cpm_tuning_history *all, const cpm_tuning_history *newer,
                               cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < newer->count && !status; k++)
        status = cpm_tuning_history_add(all, &newer->at[k], e);
    return status;
}

void cpm_tuning_history_clear(cpm_tuning_history *all)
{
    for (int k = 0; k < all->count; k++)
        clear_one(&all->at[k]);
    free(all->at);
    cpm_hash_free(&all->by_kind);
    *all = (cpm_tuning_history){0};
}
