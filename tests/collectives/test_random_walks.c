/* The walk of random schedules equals, bit by bit, one that is as plain as its definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/schedule/walk.h"
#include "costs.h"

/* ---- random schedules: phases of random messages, of which a rank makes a round or a part of one.
 * A message waits for messages of earlier phases only, so all of them can finish. */

enum { POSITIONS = 5, MOST_STEPS = 4096 };

typedef struct {
    cpm_step_kind kind; /* CPM_START: a new round */
    int peer, first;
} line;

typedef struct {
    line at[MAX_PROCESSES][MOST_STEPS];
    int count[MAX_PROCESSES];
} script;

static void build_script(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const script *x = s->state;
    for (int k = 0; k < x->count[rank]; k++) {
        const line *l = &x->at[rank][k];
        if (l->kind == CPM_START)
            cpm_next_round(out);
        else if (l->kind == CPM_SEND)
            cpm_send(out, l->peer, l->first, 1);
        else
            cpm_recv(out, l->peer, l->first, 1);
    }
}

static int below(uint64_t *seed, int n)
{
    return (int)(uniform(seed) * n) % n;
}

static void add(script *x, int rank, cpm_step_kind kind, int peer, int first)
{
    assert_true(x->count[rank] < MOST_STEPS);
    x->at[rank][x->count[rank]++] = (line){kind, peer, first};
}

/* Every process to every other one, from a random one on, or random ones to random ones. */
static int draw_messages(int n, uint64_t *seed, int (*ends)[2])
{
    int count = 0, from = below(seed, n), messages = below(seed, 3 * n + 1);
    if (below(seed, 3) == 0) {
        for (int i = 0; i < n; i++)
            for (int j = 1; j < n; j++, count++)
                ends[count][0] = (i + from) % n, ends[count][1] = (i + from + j) % n;
        return count;
    }
    int only = below(seed, 2) ? below(seed, n) : -1; /* all to one */
    for (; count < messages; count++) {
        ends[count][0] = below(seed, n);
        ends[count][1] = only >= 0 ? only : below(seed, n);
        if (ends[count][0] == ends[count][1])
            ends[count][0] = (ends[count][1] + 1) % n;
    }
    return count;
}

static void add_phase(script *x, int n, uint64_t *seed)
{
    static int ends[MAX_PROCESSES * MAX_PROCESSES][2];
    int count = draw_messages(n, seed, ends), first = below(seed, POSITIONS);
    for (int k = 0; k < count; k++)
        add(x, ends[k][0], CPM_SEND, ends[k][1], (first + k) % POSITIONS);
    bool backwards = below(seed, 2);
    for (int r = 0; r < n; r++)
        for (int i = 0; i < n; i++) { /* by sender, so that they arrive in another order */
            int from = backwards ? n - 1 - i : i;
            for (int k = 0; k < count; k++)
                if (ends[k][0] == from && ends[k][1] == r)
                    add(x, r, CPM_RECV, from, (first + k) % POSITIONS);
        }
    for (int r = 0; r < n; r++)
        if (below(seed, 4))
            add(x, r, CPM_START, 0, 0);
}

/* ---- the definition */

typedef struct {
    int from, to;
    double arrival;
    cpm_cost cost;
    bool taken;
} message;

typedef struct {
    double processor, out, in;
    cpm_steps steps;
    int first, end; /* steps of the round */
    bool sent;
} process;

typedef struct {
    const cpm_schedule *s;
    const cpm_block_sizes *sizes;
    cpm_cost_function *cost;
    const parameters *p;
    process at[MAX_PROCESSES];
    message *messages;
    int count;
} simple;

static void send_all(simple *w, int rank)
{
    process *r = &w->at[rank];
    for (int k = r->first; k < r->end; k++) {
        const cpm_step *step = &r->steps.at[k];
        if (step->kind != CPM_SEND)
            continue;
        message *m = &w->messages[w->count++];
        *m = (message){.from = rank, .to = step->peer};
        w->cost(w->p, rank, step->peer, cpm_step_bytes(w->s, &r->steps, step, w->sizes), &m->cost);
        double start = fmax(r->processor, r->out);
        r->processor = start + m->cost.send;
        r->out = start + m->cost.gap;
        m->arrival = start + m->cost.send + m->cost.wire;
    }
    r->sent = true;
}

static message *oldest(simple *w, int from, int to)
{
    for (int k = 0; k < w->count; k++)
        if (!w->messages[k].taken && w->messages[k].from == from && w->messages[k].to == to)
            return &w->messages[k];
    return NULL;
}

/* The messages of the round in the order of its receives; -1: not all are there. */
static int collect(simple *w, int rank, message **round)
{
    const process *r = &w->at[rank];
    int count = 0;
    bool all = true;
    for (int k = r->first; k < r->end && all; k++) {
        message *m = r->steps.at[k].kind == CPM_SEND ? NULL : oldest(w, r->steps.at[k].peer, rank);
        if (m)
            m->taken = true, round[count++] = m;
        all = m || r->steps.at[k].kind == CPM_SEND;
    }
    for (int k = 0; k < count && !all; k++)
        round[k]->taken = false;
    return all ? count : -1;
}

static void receive_all(process *r, message **round, int count)
{
    for (; count > 0; count--) {
        int first = 0;
        for (int k = 1; k < count; k++)
            if (round[k]->arrival < round[first]->arrival)
                first = k;
        const message *m = round[first];
        memmove(round + first, round + first + 1, (size_t)(count - 1 - first) * sizeof *round);
        r->in = fmax(m->arrival, r->in + m->cost.gap);
        r->processor = fmax(r->processor, r->in) + m->cost.recv;
    }
}

/* Whether the rank got on. */
static bool try_round(simple *w, int rank)
{
    static message *round[MOST_STEPS];
    process *r = &w->at[rank];
    if (r->first == r->steps.count)
        return false;
    r->end = r->first;
    while (r->end < r->steps.count && r->steps.at[r->end].round == r->steps.at[r->first].round)
        r->end++;
    bool first_time = !r->sent;
    if (first_time)
        send_all(w, rank);
    int count = collect(w, rank, round);
    if (count < 0)
        return first_time;
    receive_all(r, round, count);
    r->first = r->end;
    r->sent = false;
    return true;
}

static void walk_simply(simple *w, double *finish)
{
    int most = 0;
    for (int r = 0; r < w->s->n; r++) {
        w->at[r].in = -INFINITY;
        assert_int_equal(cpm_schedule_rank(w->s, r, &w->at[r].steps, NULL), CPM_OK);
        most += w->at[r].steps.count;
    }
    w->messages = calloc((size_t)most + 1, sizeof *w->messages);
    assert_non_null(w->messages);
    for (bool on = true; on;) {
        on = false;
        for (int r = 0; r < w->s->n; r++)
            on = try_round(w, r) || on;
    }
    for (int r = 0; r < w->s->n; r++) {
        assert_int_equal(w->at[r].first, w->at[r].steps.count);
        finish[r] = w->at[r].processor;
        cpm_steps_free(&w->at[r].steps);
    }
    free(w->messages);
}

/* ---- the comparison */

static void walks_agree(const cpm_schedule *s, cpm_cost_function *cost, const parameters *p)
{
    size_t each[POSITIONS] = {1, 20000, 300, 0, 4000};
    cpm_block_sizes sizes = {.each = each};
    double finish[MAX_PROCESSES], expected[MAX_PROCESSES], last = 0;
    simple w = {.s = s, .sizes = &sizes, .cost = cost, .p = p};
    walk_simply(&w, expected);
    cpm_error e = {0};
    double seconds = cpm_walk(s, &sizes, cost, p, finish, &e);
    assert_string_equal(e.text, "");
    for (int r = 0; r < s->n; r++) {
        assert_true(finish[r] == expected[r]);
        last = fmax(last, expected[r]);
    }
    assert_true(seconds == last);
}

static void random_schedules_take_what_the_definition_says(void **state)
{
    (void)state;
    script *x = malloc(sizeof *x);
    assert_non_null(x);
    for (uint64_t trial = 1; trial <= 60; trial++) {
        uint64_t seed = trial;
        parameters p;
        randomize(&p, trial);
        memset(x->count, 0, sizeof x->count);
        int n = trial % 3 ? 2 + below(&seed, 12) : MAX_PROCESSES, phases = 1 + below(&seed, 12);
        for (int k = 0; k < phases; k++)
            add_phase(x, n, &seed);
        cpm_schedule s = {
            .n = n, .root = -1, .blocks = POSITIONS, .build = build_script, .state = x};
        walks_agree(&s, lmo, &p);
        walks_agree(&s, hockney, &p);
    }
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_schedules_take_what_the_definition_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
