/* Max-min fair rates by progressive filling: the rates of a group grow together, in proportion to
 * their weights; whoever reaches its cap, or uses a resource that is full, stops there, and the
 * others grow on. All flows of a bundle make the same progress, so that each is known to end at
 * some progress from its beginning on, whatever rates there will be. */
#include "collectives/schedule/sharing.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/vector.h"

/* Rates that differ by less are equal. */
static const double slightly_more = 1 + 1e-12;

typedef struct {
    int bundle; /* place */
    int first;  /* of its resources, by which it is known to a group */
} user;

struct cpm_shared {
    user *user;
    int64_t user_room;
    int users;
    int unused; /* places of its own, as in cpm_sharing */
    bool changed, waits, in_group;
    double seconds; /* per byte, of all its capacity */
    double due;     /* not before are its users' rates found again */
    /* While rates are found: */
    double left;   /* bytes per second that are not given away */
    double weight; /* of the users that have no rate yet */
    int waiting;   /* their number */
    double share;  /* bytes per second and weight that these could get */
};

static inline double least(double a, double b)
{
    return a < b ? a : b;
}

static inline double most(double a, double b)
{
    return a > b ? a : b;
}

/* ---- who uses what ---- */

static bool make_resources(cpm_sharing *s, const cpm_starting *f)
{
    for (int u = 0; u < f->uses; u++) {
        int needed = f->use[u].resource + 1;
        if (!cpm_vector_reserve(&s->resource, &s->resource_room, needed, sizeof *s->resource))
            return false;
        while (s->resources < needed)
            s->resource[s->resources++] = (cpm_shared){0};
    }
    return true;
}

/* Bundles of a crowd with the same first resource, which are looked at together, lie together: of
 * one that has many users the unused places are its own, and it gets as many new ones as it has
 * users. */
static cpm_shared *owner_of_places(cpm_sharing *s, int uses, int first)
{
    enum { MANY = 8 };
    return uses && s->resource[first].users >= MANY ? &s->resource[first] : NULL;
}

static int new_places(const cpm_shared *owner)
{
    return owner ? owner->users + 1 : 1; /* a power of two would fill few sets of a cache */
}

/* All memory that a bundle may need later, in settling too. */
static bool make_room(cpm_sharing *s, const cpm_starting *f)
{
    if (!make_resources(s, f))
        return false;
    const cpm_shared *owner = owner_of_places(s, f->uses, f->use[0].resource);
    int64_t bundles = (int64_t)s->bundles + new_places(owner), resources = s->resources;
    bool good = bundles < INT_MAX &&
                cpm_vector_reserve(&s->bundle, &s->bundle_room, bundles, sizeof *s->bundle) &&
                cpm_vector_reserve(&s->end, &s->end_room, bundles, sizeof *s->end) &&
                cpm_vector_reserve(&s->settled, &s->settled_room, bundles, sizeof *s->settled) &&
                cpm_vector_reserve(&s->group, &s->group_room, bundles, sizeof *s->group) &&
                cpm_vector_reserve(&s->changed, &s->changed_room, resources, sizeof *s->changed) &&
                cpm_vector_reserve(&s->later, &s->later_room, resources, sizeof *s->later) &&
                cpm_vector_reserve(&s->meets, &s->meets_room, resources, sizeof *s->meets);
    for (int u = 0; u < f->uses && good; u++) {
        cpm_shared *r = &s->resource[f->use[u].resource];
        good = cpm_vector_reserve(&r->user, &r->user_room, (int64_t)r->users + f->uses,
                                  sizeof *r->user);
    }
    return good;
}

static void leave_place(cpm_sharing *s, int place)
{
    cpm_bundle *b = &s->bundle[place];
    cpm_shared *owner = owner_of_places(s, b->uses, b->resource[0]);
    int *unused = owner ? &owner->unused : &s->unused;
    b->message = *unused;
    *unused = place + 1;
}

/* There is room. */
static int take_place(cpm_sharing *s, const cpm_starting *f)
{
    cpm_shared *owner = owner_of_places(s, f->uses, f->use[0].resource);
    int *unused = owner ? &owner->unused : &s->unused;
    if (!*unused) {
        int first = s->bundles;
        s->bundles += new_places(owner);
        for (int place = first; place < s->bundles; place++)
            s->bundle[place] = (cpm_bundle){.message = place + 2};
        s->bundle[s->bundles - 1].message = 0;
        *unused = first + 1;
    }
    int place = *unused - 1;
    *unused = s->bundle[place].message;
    return place;
}

static void change(cpm_sharing *s, int resource)
{
    if (!s->resource[resource].changed)
        s->changed[s->changes++] = resource;
    s->resource[resource].changed = true;
}

static void join(cpm_sharing *s, int place)
{
    cpm_bundle *b = &s->bundle[place];
    for (int u = 0; u < b->uses; u++) {
        cpm_shared *r = &s->resource[b->resource[u]];
        b->at[u] = r->users;
        r->user[r->users++] = (user){place, b->resource[0]};
    }
}

/* The user that comes last takes the place of one that leaves. */
static void leave(cpm_sharing *s, int resource, int at)
{
    cpm_shared *r = &s->resource[resource];
    user moved = r->user[--r->users];
    cpm_bundle *b = &s->bundle[moved.bundle];
    r->user[at] = moved;
    for (int u = 0; u < b->uses; u++)
        if (b->resource[u] == resource && b->at[u] == r->users)
            b->at[u] = at;
}

static void change_all(cpm_sharing *s, const cpm_bundle *b)
{
    for (int u = 0; u < b->uses; u++)
        change(s, b->resource[u]);
}

/* ---- bundles ---- */

static bool is_of(const cpm_bundle *b, const cpm_starting *f)
{
    if (b->cap != f->cap || b->weight != f->weight || b->uses != f->uses)
        return false;
    for (int u = 0; u < f->uses; u++)
        if (b->resource[u] != f->use[u].resource)
            return false;
    return true;
}

/* Among the users of the resource that has the fewest; -1: there is none yet. */
static int find_bundle(const cpm_sharing *s, const cpm_starting *f)
{
    const cpm_shared *fewest = NULL;
    for (int u = 0; u < f->uses; u++) {
        if (f->use[u].resource >= s->resources)
            return -1;
        const cpm_shared *r = &s->resource[f->use[u].resource];
        if (!fewest || r->users < fewest->users)
            fewest = r;
    }
    for (int k = 0; fewest && k < fewest->users; k++)
        if (is_of(&s->bundle[fewest->user[k].bundle], f))
            return fewest->user[k].bundle;
    return -1;
}

/* It keeps the memory of one that was there before. */
static bool new_bundle(cpm_sharing *s, const cpm_starting *f, double now, int *place)
{
    if (!make_room(s, f))
        return false;
    *place = take_place(s, f);
    cpm_bundle *b = &s->bundle[*place], old = *b;
    *b = (cpm_bundle){.cap = f->cap,
                      .weight = f->weight,
                      .since = now,
                      .rate = f->uses ? 0 : 1,
                      .others = old.others,
                      .room = old.room,
                      .uses = f->uses};
    for (int u = 0; u < f->uses; u++) {
        b->resource[u] = f->use[u].resource;
        s->resource[b->resource[u]].seconds = f->use[u].seconds;
    }
    join(s, *place);
    return true;
}

/* ---- the heap of a bundle: the flow at place 0 is in the bundle itself, as most have no other */

static void put(cpm_bundle *b, int k, cpm_bundled flow)
{
    if (k > 0) {
        b->others[k - 1] = flow;
        return;
    }
    b->first = flow.end;
    b->begin = flow.begin;
    b->message = flow.message;
}

static void go_up(cpm_bundle *b, int k, cpm_bundled flow)
{
    for (; k > 2 && b->others[(k - 1) / 2 - 1].end > flow.end; k = (k - 1) / 2)
        put(b, k, b->others[(k - 1) / 2 - 1]);
    if ((k == 1 || k == 2) && b->first > flow.end) {
        put(b, k, (cpm_bundled){b->first, b->begin, b->message});
        k = 0;
    }
    put(b, k, flow);
}

/* The last one takes the place of the first, and sinks to where it belongs. */
static void drop_first(cpm_bundle *b)
{
    if (--b->count == 0)
        return;
    cpm_bundled last = b->others[b->count - 1];
    int k = 0;
    for (int child = 1; child < b->count; child = 2 * k + 1) {
        if (child + 1 < b->count && b->others[child].end < b->others[child - 1].end)
            child++;
        if (b->others[child - 1].end >= last.end)
            break;
        put(b, k, b->others[child - 1]);
        k = child;
    }
    put(b, k, last);
}

/* Whenever the first flow, the rate or the progress is another. */
static double foresee_end(cpm_sharing *s, int place, double since)
{
    const cpm_bundle *b = &s->bundle[place];
    double left = b->first - b->progress;
    return s->end[place] = since + (left > 0 ? left / b->rate : 0);
}

bool cpm_sharing_begin(cpm_sharing *s, const cpm_starting *f, double now, int *place)
{
    *place = find_bundle(s, f);
    if (*place < 0 && !new_bundle(s, f, now, place))
        return false;
    cpm_bundle *b = &s->bundle[*place];
    if (!cpm_vector_reserve(&b->others, &b->room, b->count, sizeof *b->others))
        return false;
    double progress = b->progress + b->rate * (now - b->since);
    go_up(b, b->count++, (cpm_bundled){progress + f->left, now, f->message});
    foresee_end(s, *place, b->since);
    change_all(s, b);
    return true;
}

int cpm_sharing_end(cpm_sharing *s, int place)
{
    cpm_bundle *b = &s->bundle[place];
    int message = b->message;
    change_all(s, b);
    drop_first(b);
    if (b->count > 0) {
        foresee_end(s, place, b->since);
        return message;
    }
    for (int u = 0; u < b->uses; u++)
        leave(s, b->resource[u], b->at[u]);
    leave_place(s, place);
    return message;
}

/* ---- groups ---- */

static void meet_first(cpm_sharing *s, int resource)
{
    cpm_shared *r = &s->resource[resource];
    r->changed = false;
    r->in_group = true;
    r->left = 1 / r->seconds;
    r->weight = 0;
    r->waiting = r->users;
    s->meets[s->meeting++] = resource;
}

static inline void meet(cpm_sharing *s, int resource)
{
    if (!s->resource[resource].in_group)
        meet_first(s, resource);
}

static inline void catch_up(cpm_bundle *b, double now)
{
    b->progress += b->rate * (now - b->since);
    b->since = now;
}

/* Each member is taken in once: by its first resource. */
static void take_in(cpm_sharing *s, int place, double now)
{
    cpm_bundle *b = &s->bundle[place];
    s->group[s->members++] = place;
    catch_up(b, now);
    s->settled[place] = false;
    s->widest = most(s->widest, b->cap * b->weight);
    const double weight = b->count * b->weight;
    for (int u = 0; u < b->uses; u++) {
        meet(s, b->resource[u]);
        s->resource[b->resource[u]].weight += weight;
    }
}

/* Bundles of a crowd are far from each other: those that are looked at soon are brought near. */
static inline void fetch(const cpm_sharing *s, const cpm_shared *r, int u)
{
    enum { BEFORE = 8 };
    if (u + BEFORE < r->users)
        __builtin_prefetch(&s->bundle[r->user[u + BEFORE].bundle], 1);
}

/* All that are connected with a resource. */
static void find_group(cpm_sharing *s, int resource, double now)
{
    s->members = s->meeting = 0;
    s->widest = 0;
    s->now = now;
    meet(s, resource);
    for (int k = 0; k < s->meeting; k++) {
        int met = s->meets[k], users = s->resource[met].users;
        const user *of = s->resource[met].user;
        for (int u = 0; u < users; u++)
            if (of[u].first != met) {
                meet(s, of[u].first);
            } else if (s->bundle[of[u].bundle].at[0] == u) {
                fetch(s, &s->resource[met], u);
                take_in(s, of[u].bundle, now);
            }
        s->looks += users;
    }
}

static void forget_group(cpm_sharing *s)
{
    for (int k = 0; k < s->meeting; k++)
        s->resource[s->meets[k]].in_group = false;
}

/* ---- rates ---- */

/* Each of the bundle gets so many bytes per second. */
static void set_rate(cpm_sharing *s, int place, double bytes_per_second)
{
    cpm_bundle *b = &s->bundle[place];
    b->rate = least(1, bytes_per_second * b->cap);
    double end = foresee_end(s, place, s->now);
    s->first = least(s->first, end);
    s->shortest = least(s->shortest, end - b->begin);
}

/* The same, of what its resources have left. */
static void settle(cpm_sharing *s, int place, double bytes_per_second)
{
    set_rate(s, place, bytes_per_second);
    const cpm_bundle *b = &s->bundle[place];
    const double together = b->count * bytes_per_second, weight = b->count * b->weight;
    s->settled[place] = true;
    for (int u = 0; u < b->uses; u++) {
        cpm_shared *r = &s->resource[b->resource[u]];
        r->left = r->left > together ? r->left - together : 0;
        r->weight -= weight;
        r->waiting--;
    }
}

/* Where all that still grow have come to. *open counts the resources that have waiting users; the
 * others go behind them. *full is the place of one that comes to it, *next where the others come
 * to. */
static double level_of(cpm_sharing *s, int *open, int *full, double *next)
{
    double level = INFINITY;
    *next = INFINITY;
    s->looks += *open;
    for (int k = 0; k < *open;) {
        int met = s->meets[k];
        cpm_shared *r = &s->resource[met];
        if (r->waiting == 0) {
            s->meets[k] = s->meets[--*open];
            s->meets[*open] = met;
            continue;
        }
        r->share = r->left / r->weight;
        if (r->share < level) {
            *next = level;
            level = r->share;
            *full = k;
        } else {
            *next = least(*next, r->share);
        }
        k++;
    }
    return level;
}

/* Of the first waiting members, those whose cap is below the level; the settled go behind the
 * others. *cap becomes the level at which the next of them would stop at its cap. */
static int settle_capped(cpm_sharing *s, int waiting, double level, double *cap)
{
    s->looks += waiting;
    *cap = INFINITY;
    for (int k = 0; k < waiting;) {
        int place = s->group[k];
        if (!s->settled[place]) {
            const cpm_bundle *b = &s->bundle[place];
            double own = 1 / (b->cap * b->weight);
            if (own > level * slightly_more) {
                *cap = least(*cap, own);
                k++;
                continue;
            }
            settle(s, place, 1 / b->cap);
        }
        s->group[k] = s->group[--waiting];
        s->group[waiting] = place;
    }
    return waiting;
}

/* The users of a full resource. */
static int settle_users(cpm_sharing *s, const cpm_shared *r, double level)
{
    int settled = 0;
    for (int u = 0; u < r->users; u++) {
        int place = r->user[u].bundle;
        fetch(s, r, u);
        if (s->settled[place])
            continue;
        settle(s, place, level * s->bundle[place].weight);
        settled++;
    }
    s->looks += r->users;
    return settled;
}

/* Of the resources from place first to end; one that is full stays so while its users are settled
 * at the level. Returns how many. */
static int settle_full(cpm_sharing *s, int first, int end, double level)
{
    int settled = 0;
    for (int k = first; k < end; k++) {
        const cpm_shared *r = &s->resource[s->meets[k]];
        if (r->waiting == 0 || r->share > level * slightly_more)
            continue;
        settled += settle_users(s, r, level);
    }
    return settled;
}

/* Who is capped is looked for only where a cap can be below the level: unsettled counts those
 * without a rate, of the first waiting members. When the group's first ends is found meanwhile. */
static void fill(cpm_sharing *s)
{
    double cap = 1 / s->widest;
    int open = s->meeting, full = 0;
    s->first = s->shortest = INFINITY;
    for (int unsettled = s->members, waiting = s->members; unsettled > 0;) {
        double next, level = level_of(s, &open, &full, &next);
        if (cap <= level * slightly_more) {
            waiting = settle_capped(s, waiting, level, &cap);
            if (waiting < unsettled) {
                unsettled = waiting;
                continue;
            }
        }
        bool only = next > level * slightly_more; /* full is all that is full */
        unsettled -= settle_full(s, only ? full : 0, only ? full + 1 : open, level);
    }
}

/* How long the group can wait for other changes. */
static void foresee(cpm_sharing *s, double now)
{
    s->due = now;
    if (s->members >= CPM_CROWD)
        s->due += s->tolerance * sqrt(s->members) * s->shortest;
    for (int k = 0; k < s->meeting; k++)
        s->resource[s->meets[k]].due = s->due;
}

static void wait_on(cpm_sharing *s, int resource)
{
    cpm_shared *r = &s->resource[resource];
    s->wake = s->waiting ? least(s->wake, r->due) : r->due;
    if (!r->waits)
        s->later[s->waiting++] = resource;
    r->waits = true;
}

/* Most messages meet no other on their way. */
static bool is_alone(const cpm_sharing *s, const cpm_bundle *b)
{
    for (int u = 0; u < b->uses; u++)
        if (s->resource[b->resource[u]].users > 1)
            return false;
    return true;
}

/* What filling would come to. */
static void settle_alone(cpm_sharing *s, int place, double now)
{
    cpm_bundle *b = &s->bundle[place];
    const double weight = b->count * b->weight;
    double level = INFINITY;
    catch_up(b, now);
    for (int u = 0; u < b->uses; u++) {
        cpm_shared *r = &s->resource[b->resource[u]];
        r->changed = false;
        r->due = now;
        level = least(level, 1 / r->seconds / weight);
    }
    bool capped = 1 / (b->cap * b->weight) <= level * slightly_more;
    s->group[0] = place;
    s->members = 1;
    s->now = s->due = now;
    s->first = s->shortest = INFINITY;
    s->looks += 2 * b->uses + 1;
    set_rate(s, place, capped ? 1 / b->cap : level * b->weight);
}

void cpm_sharing_settle(cpm_sharing *s, double now)
{
    int resource = s->changed[--s->changes];
    s->members = s->meeting = 0;
    if (!s->resource[resource].changed)
        return; /* in a group that was settled since */
    if (s->resource[resource].due > now) {
        wait_on(s, resource);
        return;
    }
    cpm_shared *r = &s->resource[resource];
    if (r->users == 0) {
        r->changed = false;
        r->due = now;
        return;
    }
    if (r->users == 1 && is_alone(s, &s->bundle[r->user[0].bundle])) {
        settle_alone(s, r->user[0].bundle, now);
        return;
    }
    find_group(s, resource, now);
    fill(s);
    foresee(s, now);
    forget_group(s);
}

void cpm_sharing_wake(cpm_sharing *s)
{
    while (s->waiting) {
        int resource = s->later[--s->waiting];
        s->resource[resource].waits = false;
        if (s->resource[resource].changed)
            s->changed[s->changes++] = resource;
    }
}

void cpm_sharing_free(cpm_sharing *s)
{
    for (int k = 0; k < s->resources; k++)
        free(s->resource[k].user);
    for (int k = 0; k < s->bundles; k++)
        free(s->bundle[k].others);
    free(s->resource);
    free(s->bundle);
    free(s->end);
    free(s->settled);
    free(s->changed);
    free(s->later);
    free(s->group);
    free(s->meets);
    *s = (cpm_sharing){0};
}
