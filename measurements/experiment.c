/* Experiments: the table of point-to-point kinds, names, and the schedules of both sorts. */
#include "measurements/experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void round_send(cpm_steps *out, int role, int block)
{
    cpm_next_round(out);
    cpm_send(out, role, block, 1);
}

static void round_recv(cpm_steps *out, int role, int block)
{
    cpm_next_round(out);
    cpm_recv(out, role, block, 1);
}

/* What a mirror does: it takes the message of i and answers. */
static void reply(cpm_steps *out)
{
    round_recv(out, 0, 0);
    round_send(out, 0, 1);
}

static void build_roundtrip(int count, int role, cpm_steps *out)
{
    (void)count;
    if (role != 0) {
        reply(out);
        return;
    }
    round_send(out, 1, 0);
    round_recv(out, 1, 1);
}

/* Given back behind a message, for the next one. */
static void build_fresh_trip(int count, int role, cpm_steps *out)
{
    if (role == 0) {
        build_roundtrip(count, role, out);
        return;
    }
    round_recv(out, 0, 0);
    if (count == 1) {
        cpm_next_round(out);
        cpm_steps_add(out, CPM_RENEW, role, 0, 1);
    }
    round_send(out, 0, 1);
}

static void build_posted_trip(int count, int role, cpm_steps *out)
{
    (void)count;
    if (role != 0) {
        reply(out);
        return;
    }
    cpm_recv(out, 1, 1, 1);
    cpm_send(out, 1, 0, 1);
}

static void build_one_to_two(int count, int role, cpm_steps *out)
{
    (void)count;
    if (role != 0) {
        reply(out);
        return;
    }
    round_send(out, 1, 0);
    round_send(out, 2, 0);
    round_recv(out, 1, 1);
    round_recv(out, 2, 1);
}

static void build_train(int count, int role, cpm_steps *out)
{
    if (role == 2) {
        reply(out);
        return;
    }
    for (int m = 0; m < count; m++)
        role == 0 ? round_send(out, 1, 0) : round_recv(out, 0, 0);
    if (role != 0)
        return;
    round_send(out, 2, 0);
    round_recv(out, 2, 1);
}

static void build_send_time(int count, int role, cpm_steps *out)
{
    (void)count;
    if (role != 0) {
        reply(out);
        return;
    }
    round_send(out, 1, 0);
    cpm_mark(out, CPM_STOP);
    round_recv(out, 1, 1);
}

static void build_late(int role, bool combined, cpm_steps *out)
{
    if (role != 0) {
        reply(out);
        cpm_mark(out, CPM_REWRITE);
        reply(out);
        return;
    }
    round_send(out, 1, 0);
    round_recv(out, 1, 1);
    round_send(out, 1, 0);
    cpm_mark(out, CPM_WAIT);
    cpm_mark(out, CPM_START);
    cpm_next_round(out);
    combined ? cpm_combine(out, 1, 1, 1) : cpm_recv(out, 1, 1, 1);
}

static void build_late_receive(int count, int role, cpm_steps *out)
{
    (void)count;
    build_late(role, false, out);
}

static void build_late_combine(int count, int role, cpm_steps *out)
{
    (void)count;
    build_late(role, true, out);
}

static void build_combine(int count, int role, cpm_steps *out)
{
    for (int times = 0; times < count; times++) {
        cpm_next_round(out);
        cpm_steps_add(out, CPM_MERGE, role, 1, 1);
    }
}

/* Two blocks in reverse order. */
static void both(cpm_step_kind kind, int peer, cpm_steps *out)
{
    cpm_next_round(out);
    cpm_steps_add(out, kind, peer, 1, 1);
    cpm_and(out, 0, 1);
}

static void build_late_unpack(int count, int role, cpm_steps *out)
{
    (void)count;
    for (int times = 0; times < 2; times++) {
        if (times == 1 && role != 0)
            cpm_mark(out, CPM_REWRITE);
        cpm_next_round(out);
        role == 0 ? cpm_send(out, 1, 0, 0) : cpm_recv(out, 0, 0, 0);
        if (role == 0 && times == 1) {
            cpm_mark(out, CPM_WAIT);
            cpm_mark(out, CPM_START);
        }
        both(role == 0 ? CPM_RECV : CPM_SEND, 1 - role, out);
    }
}

static void build_absent_sender(int count, int role, cpm_steps *out)
{
    (void)count;
    if (role == 0) {
        round_send(out, 1, 0);
        round_recv(out, 1, 1);
        cpm_mark(out, CPM_WAIT); /* until it is written anew */
        cpm_mark(out, CPM_START);
        round_send(out, 1, 0);
        round_recv(out, 1, 1);
        return;
    }
    reply(out);
    cpm_mark(out, CPM_REWRITE);
    round_recv(out, 0, 0);
    cpm_next_round(out);
    cpm_send(out, 0, 1, 1);
    cpm_defer_round(out);
    cpm_mark(out, CPM_WAIT);
}

static void build_overwriting(int count, int role, cpm_steps *out)
{
    (void)count;
    if (role == 0) {
        round_recv(out, 2, 1);
        cpm_mark(out, CPM_START);
        round_send(out, 1, 0);
        round_recv(out, 1, 1);
    } else if (role == 1) {
        round_send(out, 2, 0);
        reply(out);
    } else {
        round_recv(out, 1, 0);
        round_send(out, 0, 1);
    }
}

static void build_sent_back(int count, int role, cpm_steps *out)
{
    (void)count;
    if (role != 0) {
        round_send(out, 0, 0);
        reply(out);
        return;
    }
    round_recv(out, 1, 0);
    cpm_mark(out, CPM_START);
    round_send(out, 1, 0);
    round_recv(out, 1, 1);
}

static void build_two_to_one(int count, int role, cpm_steps *out)
{
    (void)count;
    if (role != 0) {
        reply(out);
        return;
    }
    for (int helper = 1; helper <= 2; helper++) {
        cpm_send(out, helper, 0, 1);
        cpm_recv(out, helper, 1, 1);
    }
}

static void build_saturation(int count, int role, cpm_steps *out)
{
    for (int m = 0; m < count; m++)
        role == 0 ? round_send(out, 1, 0) : round_recv(out, 0, 0);
    role == 0 ? round_recv(out, 1, 1) : round_send(out, 0, 1);
}

static void build_exchange(int count, int role, cpm_steps *out)
{
    for (int m = 0; m < count; m++) {
        if (m == 0 || m == count - 1) /* the last one says that all others have arrived */
            cpm_next_round(out);
        cpm_send(out, 1 - role, role, 1);
        cpm_recv(out, 1 - role, 1 - role, 1);
    }
}

/* To the next of the circle first, so that all of them send and receive at once. */
static void build_triple(int count, int role, cpm_steps *out)
{
    (void)count;
    for (int k = 1; k <= 2; k++) {
        cpm_send(out, (role + k) % 3, role, 1);
        cpm_recv(out, (role + 3 - k) % 3, (role + 3 - k) % 3, 1);
    }
}

/* clang-format off */
const cpm_experiment_kind cpm_experiment_kinds[] = {
    {"roundtrip",  "i sends M to j, j replies N", 2, build_roundtrip, false, true, false, 0},
    {"one-to-two", "i sends M to j and k, which reply N one after the other", 3, build_one_to_two, false, false, false, 0},
    {"train",      "i sends count messages of M to j, then M to k, which replies N", 3, build_train, false, true, false, 0},
    {"send-time",    "i sends M to j, which waits for it; the duration of the send", 2, build_send_time, false, false, false, 0},
    {"late-receive", "the duration of a receive of N bytes that arrived long before", 2, build_late_receive, false, false, false, 0},
    {"late-combine", "the same, where i combines them with its own", 2, build_late_combine, false, false, false, 0},
    {"combine-bytes",   "i combines N bytes with its own, count times: by exclusive or", 1, build_combine, false, false, false, CPM_COMBINING_BYTES},
    {"combine-floats",  "the same: floats", 1, build_combine, false, false, false, CPM_COMBINING_FLOATS},
    {"combine-doubles", "the same: doubles", 1, build_combine, false, false, false, CPM_COMBINING_DOUBLES},
    {"late-unpack",  "late-receive of N bytes and M that belong before them, which i copies to their places", 2, build_late_unpack, false, false, false, 0},
    {"fresh-trip",   "a round trip whose M go to memory that j has to ask the system for", 2, build_fresh_trip, false, false, false, 0},
    {"absent-sender", "N bytes to i from j, which has begun to send them and is busy with other things", 2, build_absent_sender, false, false, false, 0},
    {"overwriting",  "a round trip of M from i to j, to where k has just read from j", 3, build_overwriting, false, false, false, 0},
    {"sent-back",    "a round trip of M from i to j, to where i has just read from j", 2, build_sent_back, false, false, false, 0},
    {"two-to-one",   "i sends M to j and k and receives N from both as they arrive", 3, build_two_to_one, false, false, false, 0},
    {"saturation",   "i sends count messages of M to j, which replies N after the last", 2, build_saturation, false, true, false, 0},
    {"posted-trip",  "i waits for N from j at once and sends M, which does not block; j replies", 2, build_posted_trip, false, true, false, 0},
    {"crowded-trip", "a round trip while count - 1 like it are made by others of these hosts", 2, build_roundtrip, true, false, false, 0},
    {"crowded-burst", "a saturation while others between these switches make the same", 2, build_saturation, true, false, false, 0},
    {"crowded-exchange", "count messages of i and j to each other while other pairs make the same", 2, build_exchange, true, false, false, 0},
    {"crowded-triple", "i, j and k send M to each other while others of other hosts make the same", 3, build_triple, true, false, true, 0},
    {0},
};
/* clang-format on */

void cpm_experiment_name(const cpm_experiment *x, char *name, size_t size)
{
    if (x->kind)
        snprintf(name, size, "%s", x->kind->name);
    else
        cpm_collective_print(&x->collective, name, size);
}

static int unknown_kind(const char *name, cpm_error *e)
{
    char known[384] = "";
    size_t used = 0;
    for (const cpm_experiment_kind *k = cpm_experiment_kinds; k->name; k++)
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s, ", k->name);
    return cpm_fail(e, CPM_EUNKNOWN,
                    "unknown experiment '%s' (known: %sOPERATION:ALGORITHM, OPERATION:native)",
                    name, known);
}

static int parse_kind(const char *name, cpm_experiment *x, cpm_error *e)
{
    for (const cpm_experiment_kind *k = cpm_experiment_kinds; k->name; k++)
        if (strcmp(k->name, name) == 0) {
            x->kind = k;
            x->collective = (cpm_collective){0};
            return CPM_OK;
        }
    return unknown_kind(name, e);
}

int cpm_experiment_parse(const char *name, cpm_experiment *x, cpm_error *e)
{
    if (!strchr(name, ':'))
        return parse_kind(name, x, e);
    int status = cpm_collective_parse(name, &x->collective, e);
    if (!status)
        x->kind = NULL;
    return status;
}

/* Ranks that a kind does not have are -1, so that equal experiments compare equal. */
static int check_ranks(const int *ranks, int used, int n, const char *name, cpm_error *e)
{
    for (int r = 0; r < 3; r++) {
        int rank = ranks[r];
        if (r >= used && rank != -1)
            return cpm_fail(e, CPM_EINVAL, "%s has no process %c, but rank %d is given", name,
                            "ijk"[r], rank);
        if (r < used && (rank < 0 || rank >= n))
            return cpm_fail(e, CPM_EINVAL, "%s: rank %d is not one of the %d processes", name, rank,
                            n);
        for (int q = 0; q < r && r < used; q++)
            if (ranks[q] == rank)
                return cpm_fail(e, CPM_EINVAL, "%s: rank %d takes part twice", name, rank);
    }
    return CPM_OK;
}

int cpm_experiment_check(const cpm_experiment *x, int n, cpm_error *e)
{
    if (!x->kind && !x->collective.operation)
        return cpm_fail(e, CPM_EINVAL, "an experiment has neither a kind nor an operation");
    char name[CPM_EXPERIMENT_NAME];
    cpm_experiment_name(x, name, sizeof name);
    if (x->count < 1 || x->count > CPM_EXPERIMENT_MOST)
        return cpm_fail(e, CPM_EINVAL, "%s: count %d is not in 1..%d", name, x->count,
                        CPM_EXPERIMENT_MOST);
    return check_ranks((int[]){x->i, x->j, x->k}, x->kind ? x->kind->processes : 1, n, name, e);
}

/* Of a whole campaign placements are the same. */
bool cpm_experiment_equal(const cpm_experiment *a, const cpm_experiment *b)
{
    return a->kind == b->kind && cpm_collective_same(&a->collective, &b->collective) &&
           a->i == b->i && a->j == b->j && a->k == b->k && a->count == b->count &&
           a->send_bytes == b->send_bytes && a->reply_bytes == b->reply_bytes;
}

cpm_collective cpm_experiment_collective(const cpm_experiment *x, int n)
{
    cpm_collective c = x->collective;
    c.at.n = n;
    c.at.root = x->i;
    return c;
}

cpm_experiment cpm_experiment_of(const cpm_collective *c, size_t bytes)
{
    return (cpm_experiment){.collective = *c,
                            .i = c->operation->rooted ? c->at.root : 0,
                            .j = -1,
                            .k = -1,
                            .count = 1,
                            .send_bytes = bytes};
}

cpm_experiment cpm_experiment_pair(int kind, int i, int j, size_t send_bytes, size_t reply_bytes)
{
    return (cpm_experiment){.kind = &cpm_experiment_kinds[kind],
                            .i = i,
                            .j = j,
                            .k = -1,
                            .count = 1,
                            .send_bytes = send_bytes,
                            .reply_bytes = reply_bytes};
}

cpm_experiment cpm_experiment_combine(int kind, int i, int count, size_t bytes)
{
    return (cpm_experiment){.kind = &cpm_experiment_kinds[kind],
                            .i = i,
                            .j = -1,
                            .k = -1,
                            .count = count,
                            .reply_bytes = bytes};
}

int cpm_experiment_ranks(const cpm_experiment *x, int n, int who[3])
{
    if (!x->kind)
        return n;
    int ranks[3] = {x->i, x->j, x->k};
    memcpy(who, ranks, (size_t)x->kind->processes * sizeof *who);
    return x->kind->processes;
}

void cpm_experiment_blocks(const cpm_experiment *x, size_t bytes[CPM_EXPERIMENT_BLOCKS])
{
    bytes[0] = x->send_bytes;
    bytes[1] = x->reply_bytes;
    bytes[2] = x->kind && x->kind->third ? x->send_bytes : 0;
}

/* Union of disjoint experiments: what a rank does in it is its role in one of them. */
typedef struct {
    const cpm_experiment *x;
    int *experiment; /* [n] index into x, -1: idle */
    int *role;       /* [n] */
} together;

static void together_free(void *state)
{
    together *u = state;
    free(u->experiment);
    free(u->role);
    free(u);
}

static void together_build(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const together *u = s->state;
    int q = u->experiment[rank];
    if (q < 0)
        return;
    const cpm_experiment *x = &u->x[q];
    int ranks[3] = {x->i, x->j, x->k};
    x->kind->build(x->count, u->role[rank], out);
    for (int k = 0; k < out->count; k++) {
        out->at[k].peer = ranks[out->at[k].peer];
        out->at[k].run.first += CPM_EXPERIMENT_BLOCKS * (int64_t)q;
    }
    for (int64_t k = 0; k < out->more_count; k++)
        out->more_runs[k].first += CPM_EXPERIMENT_BLOCKS * (int64_t)q;
}

static int assign(together *u, int q, int n, cpm_error *e)
{
    const cpm_experiment *x = &u->x[q];
    int who[3];
    int code = cpm_experiment_check(x, n, e);
    if (code)
        return code;
    if (!x->kind)
        return cpm_fail(e, CPM_EINVAL, "a collective takes all processes and is measured alone");
    if (x->kind->combining != u->x->kind->combining)
        return cpm_fail(e, CPM_EINVAL, "%s and %s combine different things, and not in one round",
                        u->x->kind->name, x->kind->name);
    int count = cpm_experiment_ranks(x, n, who);
    for (int r = 0; r < count; r++) {
        if (u->experiment[who[r]] >= 0)
            return cpm_fail(e, CPM_EINVAL, "rank %d takes part in two experiments of one round",
                            who[r]);
        u->experiment[who[r]] = q;
        u->role[who[r]] = r;
    }
    return CPM_OK;
}

static int together_create(const cpm_experiment *x, int count, int n, together **out, cpm_error *e)
{
    together *u = calloc(1, sizeof *u);
    if (!u)
        return cpm_no_memory(e);
    u->x = x;
    u->experiment = malloc((size_t)n * sizeof *u->experiment);
    u->role = malloc((size_t)n * sizeof *u->role);
    int code = CPM_OK;
    if (!u->experiment || !u->role)
        code = cpm_no_memory(e);
    for (int r = 0; r < n && !code; r++)
        u->experiment[r] = -1;
    for (int q = 0; q < count && !code; q++)
        code = assign(u, q, n, e);
    if (code)
        together_free(u);
    else
        *out = u;
    return code;
}

static int schedule_together(const cpm_experiment *x, int count, int n, cpm_schedule **out,
                             cpm_error *e)
{
    cpm_schedule *s = calloc(1, sizeof *s);
    if (!s)
        return cpm_no_memory(e);
    together *u = NULL;
    int code = together_create(x, count, n, &u, e);
    if (code) {
        free(s);
        return code;
    }
    *s = (cpm_schedule){.n = n,
                        .root = -1,
                        .blocks = CPM_EXPERIMENT_BLOCKS * (int64_t)count,
                        .combining = x->kind->combining,
                        .build = together_build,
                        .state = u,
                        .free_state = together_free};
    *out = s;
    return CPM_OK;
}

static int schedule_collective(const cpm_experiment *x, int n, cpm_schedule **out, cpm_error *e)
{
    const cpm_collective c = cpm_experiment_collective(x, n);
    const cpm_block_sizes sizes = {.bytes = x->send_bytes};
    int code = cpm_experiment_check(x, n, e);
    return code ? code : cpm_collective_schedule(&c, &sizes, out, e);
}

int cpm_experiments_schedule(const cpm_experiment *x, int count, int n, cpm_schedule **out,
                             cpm_error *e)
{
    if (n < 1 || count < 1)
        return cpm_fail(e, CPM_EINVAL, "nothing to schedule: %d experiments on %d processes", count,
                        n);
    if (count == 1 && !x->kind && x->collective.operation)
        return schedule_collective(x, n, out, e);
    return schedule_together(x, count, n, out, e);
}
