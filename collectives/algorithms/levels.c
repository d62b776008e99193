/* Two levels as phases: each is a smaller schedule for every group of processes, and what a unit of
 * that one stands for follows from who its processes are.
 *
 * Units of the operation lie team by team, lane by lane, so that what a team or a lane has is one
 * run of positions wherever its processes are. One unit for all (of a bcast) is cut into a piece
 * for each lane; pairs (of an alltoall) lie as the operation numbers them. */
#include "collectives/algorithms/levels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/algorithms/compose.h"
#include "collectives/algorithms/pieces.h"

typedef struct {
    const cpm_operation *operation;
    cpm_level level;
    int groups;
    cpm_schedule **of; /* [groups] NULL: the group is one process, or has nothing to do */
} phase;

/* The team of host h in lane k is number k * hosts + h. */
typedef struct {
    const cpm_operation *operation;
    int n, hosts, lanes, root;
    int *by_host, *by_team; /* [n] ranks */
    int *seat;              /* [n] where a rank is in by_team */
    int *team_of;           /* [n] */
    int *host_first;        /* [hosts + 1] in by_host */
    int *team_first;        /* [lanes * hosts + 1] in by_team */
    int *leader;            /* [lanes * hosts] */
    int segments;           /* which go through all phases one after the other */
    int pieces;             /* of a segment */
    int phases;
    phase at[CPM_MOST_LEVEL_PHASES];
} levels;

static void free_phase(phase *p)
{
    for (int g = 0; p->of && g < p->groups; g++)
        cpm_schedule_free(p->of[g]);
    free(p->of);
}

static void levels_free(void *state)
{
    levels *x = state;
    for (int k = 0; k < x->phases; k++)
        free_phase(&x->at[k]);
    int *all[] = {x->by_host,    x->by_team,    x->seat,  x->team_of,
                  x->host_first, x->team_first, x->leader};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    free(x);
}

/* One unit for all processes: lanes have pieces of it. */
static bool is_of_one(const cpm_operation *o)
{
    return cpm_operation_is_whole(o);
}

/* ---- what a unit of a phase stands for ---- */

/* A unit of a group's schedule in one of the segments. */
typedef struct {
    const levels *x;
    const phase *phase;
    int group, segment;
} place;

/* Some ranks; at NULL: those from 0 on. */
typedef struct {
    const int *at;
    int count;
} ranks;

static ranks team(const levels *x, int lane, int host)
{
    const int *first = &x->team_first[lane * x->hosts + host];
    return (ranks){x->by_team + first[0], first[1] - first[0]};
}

static ranks lane(const levels *x, int number)
{
    const int *first = x->team_first + (ptrdiff_t)number * x->hosts;
    return (ranks){x->by_team + first[0], first[x->hosts] - first[0]};
}

static ranks host(const levels *x, int number)
{
    const int *first = x->host_first + number;
    return (ranks){x->by_host + first[0], first[1] - first[0]};
}

/* Whose blocks a unit has. Of pairs: those who get them. */
static ranks receivers(const place *p, int64_t unit)
{
    const levels *x = p->x;
    const cpm_operation *o = p->phase->operation;
    bool pairs = cpm_operation_is_of_pairs(x->operation);
    if (p->phase->level == CPM_OF_LANES)
        return team(x, p->group, (int)unit % x->hosts);
    if (p->phase->level == CPM_OF_LEADERS)
        return lane(x, (int)unit % x->lanes);
    if (is_of_one(o) || (pairs && o == &cpm_operations[CPM_OP_GATHER]))
        return (ranks){pairs ? NULL : x->by_team, x->n};
    return (ranks){x->by_team + x->team_first[p->group] + unit, 1};
}

static ranks senders(const place *p, int64_t unit)
{
    const levels *x = p->x;
    if (p->phase->level == CPM_OF_LANES)
        return host(x, (int)(unit / x->hosts));
    if (p->phase->level == CPM_OF_LEADERS)
        return team(x, (int)(unit / x->lanes), p->group);
    if (p->phase->operation == &cpm_operations[CPM_OP_SCATTER])
        return (ranks){NULL, x->n};
    return (ranks){x->by_team + x->team_first[p->group] + unit, 1};
}

static int64_t rank_in(ranks r, int k)
{
    return r.at ? r.at[k] : k;
}

/* The pairs of a piece that begins at position base. */
static void add_pairs(const place *p, int64_t unit, int64_t base, cpm_steps *out)
{
    ranks from = senders(p, unit), to = receivers(p, unit);
    for (int i = 0; i < from.count; i++) {
        int64_t row = base + rank_in(from, i) * p->x->n;
        if (!to.at)
            cpm_add_positions(out, row, to.count);
        for (int j = 0; to.at && j < to.count; j++)
            cpm_add_positions(out, row + to.at[j], 1);
    }
}

/* Piece `piece` of `pieces` of a unit is as large a part of each block that the unit has. */
static void add_blocks(const place *p, int64_t unit, int piece, int pieces, cpm_steps *out)
{
    const levels *x = p->x;
    int each = x->pieces / pieces;
    bool pairs = cpm_operation_is_of_pairs(x->operation);
    int64_t units = x->operation->units(x->n, NULL);
    ranks r = receivers(p, unit);
    for (int k = piece * each; k < (piece + 1) * each; k++)
        if (pairs)
            add_pairs(p, unit, k * units, out);
        else
            cpm_add_positions(out, k * units + (r.at - x->by_team), r.count);
}

/* The one unit of all, or a lane's part of it. */
static void add_part(const place *p, int64_t unit, int piece, int pieces, cpm_steps *out)
{
    const levels *x = p->x;
    bool whole = p->phase->level == CPM_OF_TEAMS;
    int number = whole ? 0 : p->phase->level == CPM_OF_LEADERS ? (int)unit : p->group;
    int part = whole ? x->pieces : x->pieces / x->lanes;
    int64_t first = (int64_t)p->segment * x->pieces + (int64_t)number * part;
    cpm_add_positions(out, first + (int64_t)piece * (part / pieces), part / pieces);
}

static void add(const void *map, int64_t first, int64_t count, cpm_steps *out)
{
    const place *p = map;
    const cpm_schedule *inner = p->phase->of[p->group];
    int64_t units = cpm_schedule_units(inner);
    int pieces = inner->pieces > 1 ? inner->pieces : 1;
    for (int64_t q = first; q < first + count; q++)
        (is_of_one(p->x->operation) ? add_part : add_blocks)(p, q % units, (int)(q / units), pieces,
                                                             out);
}

/* ---- the steps of a rank ---- */

/* A rank's number in its group, and the group's; false: it is in none. */
static bool find_part(const levels *x, const phase *p, int rank, int *group, cpm_part *part)
{
    int own = x->team_of[rank];
    if (p->level == CPM_OF_TEAMS) {
        *group = own;
        part->process = x->seat[rank] - x->team_first[own];
        part->base = x->team_first[own];
        part->rank_of = x->by_team;
        part->stride = 1;
        return true;
    }
    bool of_lanes = p->level == CPM_OF_LANES;
    *group = of_lanes ? own / x->hosts : own % x->hosts;
    part->process = of_lanes ? own % x->hosts : own / x->hosts;
    part->base = of_lanes ? *group * x->hosts : *group;
    part->rank_of = x->leader;
    part->stride = of_lanes ? 1 : x->hosts;
    return x->leader[own] == rank;
}

static void build_phase(const levels *x, const phase *p, int segment, int rank, cpm_steps *out)
{
    place at = {.x = x, .phase = p, .segment = segment};
    cpm_part part = {.add = add, .map = &at};
    if (!find_part(x, p, rank, &at.group, &part) || !p->of[at.group])
        return;
    part.inner = p->of[at.group];
    cpm_part_build(&part, out);
}

static void build(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const levels *x = s->state;
    for (int segment = 0; segment < x->segments; segment++)
        for (int k = 0; k < x->phases && !out->failed; k++)
            build_phase(x, &x->at[k], segment, rank, out);
}

/* ---- the layout ---- */

static int allocate(levels *x, cpm_error *e)
{
    size_t n = (size_t)x->n, teams = (size_t)x->lanes * (size_t)x->hosts;
    x->by_host = malloc(n * sizeof(int));
    x->by_team = malloc(n * sizeof(int));
    x->seat = malloc(n * sizeof(int));
    x->team_of = malloc(n * sizeof(int));
    x->host_first = malloc(((size_t)x->hosts + 1) * sizeof(int));
    x->team_first = malloc((teams + 1) * sizeof(int));
    x->leader = malloc(teams * sizeof(int));
    if (x->by_host && x->by_team && x->seat && x->team_of && x->host_first && x->team_first &&
        x->leader)
        return CPM_OK;
    return cpm_no_memory(e);
}

/* Seats the team of a lane on a host from seat on; returns where the next one begins. */
static int seat_team(levels *x, int number, int seat)
{
    int lane_of_it = number / x->hosts, on = number % x->hosts;
    ranks all = host(x, on);
    int begin = (int)((long)all.count * lane_of_it / x->lanes);
    int end = (int)((long)all.count * (lane_of_it + 1) / x->lanes);
    x->team_first[number] = seat;
    x->leader[number] = all.at[begin];
    for (int i = begin; i < end; i++, seat++) {
        x->by_team[seat] = all.at[i];
        x->seat[all.at[i]] = seat;
        x->team_of[all.at[i]] = number;
    }
    return seat;
}

/* As many leaders as the host with the fewest processes can have; a root leads its team. */
static int arrange(const cpm_call *call, levels *x, cpm_error *e)
{
    int seat = 0, teams = x->lanes * x->hosts;
    cpm_hosts_sort(call->hosts, x->by_host, x->host_first);
    for (int h = 0; h < x->hosts; h++)
        if (host(x, h).count < x->lanes)
            return cpm_fail(e, CPM_EINVAL,
                            "leaders=%d: the host of process %d has only %d of the processes",
                            x->lanes, host(x, h).at[0], host(x, h).count);
    for (int k = 0; k < teams; k++)
        seat = seat_team(x, k, seat);
    x->team_first[teams] = seat;
    if (x->operation->rooted)
        x->leader[x->team_of[x->root]] = x->root;
    return CPM_OK;
}

/* ---- phases ---- */

static int level_of(cpm_level level)
{
    return level == CPM_OF_LANES ? CPM_BETWEEN_HOSTS : CPM_WITHIN_HOSTS;
}

/* The operation that a phase's usual algorithm is of. */
static const cpm_operation *operation_of(const cpm_level_phase *p)
{
    size_t length = strcspn(p->usual, ":");
    const cpm_operation *o = cpm_operations;
    while (o->name && (strlen(o->name) != length || strncmp(o->name, p->usual, length) != 0))
        o++;
    return o;
}

static const cpm_algorithm *find_row(const cpm_operation *o, const char *name)
{
    const cpm_algorithm *found = NULL;
    return cpm_algorithm_find(o->name, name, &found, NULL) ? NULL : found;
}

int cpm_level_find(const cpm_algorithm *a, int level, const char *name, const cpm_algorithm **out,
                   cpm_error *e)
{
    char tried[120] = "";
    size_t used = 0;
    for (const cpm_level_phase *p = a->variant; p->level != CPM_END_OF_LEVELS; p++) {
        const cpm_operation *o = operation_of(p);
        const cpm_algorithm *found = level_of(p->level) == level ? find_row(o, name) : NULL;
        if (found) {
            *out = found;
            return CPM_OK;
        }
        if (level_of(p->level) == level && used < sizeof tried)
            used += (size_t)snprintf(tried + used, sizeof tried - used, "%s%s", used ? ", " : "",
                                     o->name);
    }
    return cpm_fail(e, CPM_EUNKNOWN, "%s=%s: is no algorithm of %s ('cpm algorithms' lists them)",
                    level == CPM_BETWEEN_HOSTS ? "outer" : "inner", name, tried);
}

/* The algorithm that was named for the level, if the phase's operation has it. */
static const cpm_algorithm *row_of(const cpm_level_phase *p, const cpm_operation *o,
                                   const cpm_parameters *with)
{
    int named = with->level[level_of(p->level)];
    const cpm_algorithm *a = named ? find_row(o, cpm_algorithms[named - 1].name) : NULL;
    return a ? a : find_row(o, strchr(p->usual, ':') + 1);
}

/* ---- the order of contributions ---- */

/* Its root's number, within its group, of a phase that has one leader of each host. */
static int root_of_phase(const cpm_level_phase *p, int root, const cpm_hosts *hosts)
{
    if (p->level == CPM_OF_LANES)
        return hosts->of[root];
    return root > 0 && hosts->of[root - 1] == hosts->of[root]; /* the first one, or another */
}

bool cpm_levels_keep_order(const cpm_algorithm *a, const cpm_parameters *with, int root,
                           const cpm_hosts *hosts)
{
    if (with->leaders > 1 || !cpm_hosts_have_levels(hosts) || !cpm_hosts_are_in_rows(hosts))
        return false;
    for (const cpm_level_phase *p = a->variant; p->level != CPM_END_OF_LEVELS; p++) {
        const cpm_operation *o = operation_of(p);
        int from = root_of_phase(p, root, hosts);
        if (p->level != CPM_OF_LEADERS && o->combines &&
            !cpm_algorithm_keeps_order(row_of(p, o, with), from))
            return false;
    }
    return true;
}

/* ---- groups ---- */

/* The root's number in a group. */
static int root_of(const levels *x, const phase *p, int group)
{
    int own = x->operation->rooted ? x->team_of[x->root] : 0;
    if (p->level == CPM_OF_TEAMS)
        return x->seat[x->leader[group]] - x->team_first[group];
    return p->level == CPM_OF_LANES ? own % x->hosts : own / x->hosts;
}

static int processes_of(const levels *x, const phase *p, int group)
{
    if (p->level == CPM_OF_TEAMS)
        return x->team_first[group + 1] - x->team_first[group];
    return p->level == CPM_OF_LANES ? x->hosts : x->lanes;
}

static bool has_work(const levels *x, const phase *p, int group)
{
    bool elsewhere = p->level == CPM_OF_LEADERS && p->operation->rooted &&
                     group != x->team_of[x->root] % x->hosts;
    return processes_of(x, p, group) > 1 && !elsewhere;
}

static size_t bytes_of(const cpm_call *call, ranks r)
{
    size_t sum = 0;
    if (!call->sizes)
        return call->bytes * (size_t)r.count;
    for (int k = 0; k < r.count; k++)
        sum += call->sizes[rank_in(r, k)];
    return sum;
}

/* Bytes of a group's units, for algorithms that look at them. */
static void set_sizes(const place *p, const cpm_call *call, cpm_call *group, size_t *sizes)
{
    const levels *x = p->x;
    int64_t units = p->phase->operation->units(group->n, NULL);
    size_t sum = 0;
    if (is_of_one(x->operation)) {
        int parts = x->segments * (p->phase->level == CPM_OF_TEAMS ? 1 : x->lanes);
        group->bytes = call->bytes / (size_t)parts;
    } else if (cpm_operation_is_of_pairs(x->operation)) {
        group->bytes = call->bytes * (size_t)senders(p, 0).count * (size_t)receivers(p, 0).count;
    } else {
        for (int64_t u = 0; u < units; u++)
            sum += sizes[u] = bytes_of(call, receivers(p, u));
        group->bytes = sum / (size_t)units;
        group->sizes = units > 1 ? sizes : NULL;
    }
}

static int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t x = a, y = b;
    while (y) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

/* Pieces of the whole that every phase's pieces are made of. */
static int cut(levels *x, const phase *p, const cpm_schedule *inner, cpm_error *e)
{
    enum { MOST = 1 << 20 };
    int pieces = inner->pieces > 1 ? inner->pieces : 1;
    bool of_lane = is_of_one(x->operation) && p->level != CPM_OF_TEAMS;
    int64_t all = common_multiple(x->pieces, (int64_t)pieces * (of_lane ? x->lanes : 1));
    if (all * x->segments > MOST)
        return cpm_fail(e, CPM_EINVAL,
                        "algorithms on hosts of so many different sizes cut the data into more "
                        "than %d pieces: name others with inner= and outer=",
                        MOST);
    x->pieces = (int)all;
    return CPM_OK;
}

static int create_group(levels *x, phase *p, int group, const cpm_algorithm *a,
                        const cpm_call *call, size_t *sizes, cpm_error *e)
{
    const place at = {.x = x, .phase = p, .group = group};
    cpm_call of = {.n = processes_of(x, p, group)};
    of.root = p->operation->rooted ? root_of(x, p, group) : 0;
    set_sizes(&at, call, &of, sizes);
    int code = cpm_schedule_create(a, &of, &p->of[group], e);
    if (!code)
        code = cpm_can_be_phase(a, p->of[group], e);
    return code ? code : cut(x, p, p->of[group], e);
}

static int create_phase(levels *x, const cpm_level_phase *how, const cpm_call *call, size_t *sizes,
                        cpm_error *e)
{
    phase *p = &x->at[x->phases];
    p->operation = operation_of(how);
    p->level = how->level;
    p->groups = how->level == CPM_OF_TEAMS   ? x->lanes * x->hosts
                : how->level == CPM_OF_LANES ? x->lanes
                                             : x->hosts;
    p->of = calloc((size_t)p->groups, sizeof *p->of);
    if (!p->of)
        return cpm_no_memory(e);
    x->phases++;
    const cpm_algorithm *a = row_of(how, p->operation, &call->with);
    int code = CPM_OK;
    for (int g = 0; g < p->groups && !code; g++)
        if (has_work(x, p, g))
            code = create_group(x, p, g, a, call, sizes, e);
    return code;
}

static int create_phases(const cpm_algorithm *a, const cpm_call *call, levels *x, cpm_error *e)
{
    size_t *sizes = malloc((size_t)call->n * sizeof *sizes); /* no group has more units */
    int code = sizes ? CPM_OK : cpm_no_memory(e);
    for (const cpm_level_phase *p = a->variant; p->level != CPM_END_OF_LEVELS && !code; p++)
        code = create_phase(x, p, call, sizes, e);
    free(sizes);
    return code;
}

static bool is_in_order(const levels *x)
{
    for (int v = 0; v < x->n; v++)
        if (x->by_team[v] != v)
            return false;
    return true;
}

cpm_create cpm_levels_create;

int cpm_levels_create(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    levels *x = calloc(1, sizeof *x);
    if (!x)
        return cpm_no_memory(e);
    s->state = x;
    s->free_state = levels_free;
    s->build = build;
    *x = (levels){.n = call->n, .hosts = call->hosts->count, .root = call->root, .pieces = 1};
    x->lanes = call->with.leaders ? call->with.leaders : 1;
    x->segments = cpm_segments(call);
    int code = cpm_operation_find(a->operation, &x->operation, e);
    if (!code)
        code = allocate(x, e);
    if (!code)
        code = arrange(call, x, e);
    if (!code)
        code = create_phases(a, call, x, e);
    if (code)
        return code;
    int64_t units = x->operation->units(call->n, NULL);
    s->pieces = x->segments * x->pieces;
    s->blocks = units * s->pieces;
    s->order = units == call->n && !is_in_order(x) ? x->by_team : NULL;
    return CPM_OK;
}
