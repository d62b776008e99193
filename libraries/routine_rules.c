/* From rules to tables. A rule's schedule may depend on the size: by segments, of which there is a
 * program that grows, or at some sizes, between which there is one program each. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "libraries/routine.h"

/* So many plans for single numbers of segments come before the one that grows; where none grows, so
 * many are there at most. So many sizes may change the schedule of a rule. */
enum { SINGLE = 4, MOST_SINGLE = 32, MOST_CHANGES = 8 };

void cpm_routines_clear(cpm_routines *r)
{
    for (int k = 0; k < r->note_count; k++)
        free(r->notes[k]);
    free(r->notes);
    free(r->rules);
    free(r->plans);
    cpm_numbers_clear(&r->starts);
    cpm_numbers_clear(&r->programs);
    cpm_hash_free(&r->known);
    *r = (cpm_routines){0};
}

/* ---- notes and rules */

int cpm_routines_note(cpm_routines *r, const cpm_collective *c, size_t from, const char *why,
                      cpm_error *e)
{
    char name[CPM_COLLECTIVE_NAME], *note = malloc(strlen(why) + 256);
    if (!note || !cpm_vector_extend(&r->notes, r->note_count, sizeof *r->notes)) {
        free(note);
        return cpm_no_memory(e);
    }
    cpm_collective_print(c, name, sizeof name);
    sprintf(note, "%s, %d processes, from %zu bytes: %s", name, c->at.n, from, why);
    r->notes[r->note_count++] = note;
    return CPM_OK;
}

static int add_rule(cpm_routines *r, const cpm_collective *c, size_t from, size_t segment,
                    int first, int plans, cpm_error *e)
{
    if (!cpm_vector_extend(&r->rules, r->rule_count, sizeof *r->rules))
        return cpm_no_memory(e);
    r->rules[r->rule_count++] =
        (cpm_routine_rule){.operation = (int)(c->operation - cpm_operations),
                           .processes = c->at.n,
                           .from = (int)from,
                           .segment = (int)segment,
                           .first = first,
                           .plans = plans,
                           .what = *c};
    return CPM_OK;
}

int cpm_routines_leave(cpm_routines *r, const cpm_collective *c, size_t from, cpm_error *e)
{
    return add_rule(r, c, from, 0, -1, 0, e);
}

/* ---- what a schedule is like */

/* A hash of all steps, whatever they are called; 0: there is no schedule. */
static uint64_t fingerprint(const cpm_collective *c, size_t bytes)
{
    const cpm_block_sizes sizes = {.bytes = bytes};
    cpm_schedule *s = NULL;
    cpm_steps steps = {0};
    uint64_t hash = 0;
    if (cpm_collective_schedule(c, &sizes, &s, NULL) != CPM_OK)
        return 0;
    hash = cpm_hash_mix(1, (uint64_t)s->blocks);
    for (int rank = 0; rank < s->n; rank++) {
        if (cpm_schedule_rank(s, rank, &steps, NULL) != CPM_OK)
            break;
        for (int k = 0; k < steps.count; k++) {
            const cpm_step *x = &steps.at[k];
            hash = cpm_hash_mix(hash, x->names);
            hash = cpm_hash_mix(hash, (uint64_t)x->kind << 32 | (unsigned)x->peer);
            hash = cpm_hash_mix(hash, (uint64_t)x->deferred << 32 | (unsigned)x->round);
        }
    }
    cpm_steps_free(&steps);
    cpm_schedule_free(s);
    return hash;
}

/* The first size of (low, high] whose schedule is not that of low; that of high is not. */
static size_t change_between(const cpm_collective *c, size_t low, size_t high)
{
    uint64_t as = fingerprint(c, low);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (fingerprint(c, middle) == as)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The first size above from and below before at which the schedule changes; before: there is none.
 * Sizes that double are looked at. */
static size_t next_change(const cpm_collective *c, size_t from, size_t before)
{
    uint64_t as = fingerprint(c, from);
    for (size_t low = from, high; low + 1 < before; low = high) {
        high = low > (before - 1) / 2 ? before - 1 : low ? 2 * low : 1;
        if (fingerprint(c, high) != as)
            return change_between(c, low, high);
    }
    return before;
}

/* The bytes by which one segment more is there; 0: the schedule has none. */
static size_t step_of(const cpm_collective *c)
{
    size_t segment = c->with.segment;
    for (size_t step = segment; segment && step <= 2 * segment && step < INT_MAX / 16;
         step += segment)
        if (fingerprint(c, 1) == fingerprint(c, step) &&
            fingerprint(c, step) != fingerprint(c, step + 1) &&
            fingerprint(c, step + 1) == fingerprint(c, 2 * step))
            return step;
    return 0;
}

/* ---- plans of a rule */

/* The same plans may be there already, with the same programs. */
static bool same_plan(const cpm_routines *r, const cpm_routine_plan *a, const cpm_routine_plan *b,
                      int64_t starts)
{
    cpm_routine_plan x = *b;
    x.starts = a->starts;
    return memcmp(a, &x, sizeof x) == 0 && a->starts + starts <= b->starts &&
           memcmp(r->starts.at + a->starts, r->starts.at + b->starts,
                  (size_t)starts * sizeof *r->starts.at) == 0;
}

/* Of count plans from first on, the last of them all: those that are like them, or themselves. */
static int share_plans(cpm_routines *r, int first, int count)
{
    for (int k = 0; k + count <= first; k++) {
        bool same = true;
        for (int i = 0; i < count && same; i++) {
            const cpm_routine_plan *x = &r->plans[first + i];
            int64_t end = i + 1 < count ? x[1].starts : r->starts.count;
            same = same_plan(r, &r->plans[k + i], x, end - x->starts);
        }
        if (same) {
            r->starts.count = r->plans[first].starts;
            r->plan_count = first;
            return k;
        }
    }
    return first;
}

static int segments_of(size_t bytes, size_t step)
{
    return bytes <= step ? 1 : (int)((bytes - 1) / step + 1);
}

static int add_segmented(cpm_routines *r, const cpm_collective *c, size_t from, size_t before,
                         size_t step, cpm_error *e)
{
    int low = segments_of(from, step), high = segments_of(before - 1, step);
    int first = r->plan_count, status = CPM_OK, s = low;
    for (; s <= high && s <= SINGLE && !status; s++)
        status = cpm_routines_plan(r, c, step * (size_t)s, s, e);
    if (!status && s <= high) {
        cpm_error why = {0};
        int grows = cpm_routines_plan_growing(r, c, step, SINGLE + 1, &why);
        if (grows && (grows != CPM_EINVAL || high - low >= MOST_SINGLE))
            status = cpm_fail(e, grows, "%s", why.text);
        for (; grows && s <= high && !status; s++)
            status = cpm_routines_plan(r, c, step * (size_t)s, s, e);
    }
    if (status)
        return status;
    int count = r->plan_count - first;
    return add_rule(r, c, from, step, share_plans(r, first, count), count, e);
}

/* Between sizes at which the schedule changes. */
static int add_changing(cpm_routines *r, const cpm_collective *c, size_t from, size_t before,
                        cpm_error *e)
{
    int status = CPM_OK, changes = 0;
    for (size_t next; from < before && !status; from = next) {
        int first = r->plan_count;
        next = next_change(c, from, before);
        if (changes++ > MOST_CHANGES)
            return cpm_fail(e, CPM_EINVAL, "its messages depend on the size in too many ways");
        status = cpm_routines_plan(r, c, from, 1, e);
        if (!status)
            status = add_rule(r, c, from, 0, share_plans(r, first, 1), 1, e);
    }
    return status;
}

static int add(cpm_routines *r, const cpm_collective *of, size_t from, size_t before, cpm_error *e)
{
    cpm_collective called = *of, *c = &called;
    if (cpm_routines_root(c) >= 0)
        c->at.root = cpm_routines_root(c);
    size_t step = step_of(c);
    int status = cpm_collective_applies(c, e);
    if (!status && c->operation->types)
        status = cpm_fail(e, CPM_EINVAL, "its blocks have types of their own");
    if (!status && c->operation->sizes != CPM_KNOWN_TO_ALL &&
        next_change(c, 1, (size_t)INT_MAX) != INT_MAX)
        status =
            cpm_fail(e, CPM_EINVAL, "its messages depend on sizes that not all processes know");
    if (status)
        return status;
    return step ? add_segmented(r, c, from, before, step, e) : add_changing(r, c, from, before, e);
}

int cpm_routines_add(cpm_routines *r, const cpm_collective *c, size_t from, size_t before,
                     cpm_error *e)
{
    int rules = r->rule_count, plans = r->plan_count;
    int64_t starts = r->starts.count;
    cpm_error why = {0};
    int status = add(r, c, from, before, &why);
    if (status == CPM_ENOMEM)
        return cpm_fail(e, status, "%s", why.text);
    if (status == CPM_OK)
        return cpm_routines_check_size(c, r->programs.count + r->starts.count, e);
    r->rule_count = rules;
    r->plan_count = plans;
    r->starts.count = starts;
    char *others = strstr(why.text, " (those that do");
    if (others)
        *others = '\0';
    status = cpm_routines_note(r, c, from, why.text, e);
    return status ? status : cpm_routines_leave(r, c, from, e);
}
