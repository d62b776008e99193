/* GOAL text, read back by a parser of its own: every message has two ends with the same bytes,
 * every operation can be done, and the longest way through it takes as long as the walk. */
#include "collectives/schedule/goal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/algorithm.h"
#include "costs.h"

enum { BYTES = 3000, MOST_OPERATIONS = 20000, MOST_REQUIRED = 100000 };

typedef struct {
    int rank, label, peer, tag;
    char kind; /* s, r, c */
    size_t bytes;
    int other;         /* end of the message, -1 */
    double begin, end; /* end < 0: not done yet */
} operation;

typedef struct {
    int of, on; /* operations */
    bool begun; /* of may begin when on has begun, not only when it has ended */
} required;

typedef struct {
    int ranks, count, edges;
    operation at[MOST_OPERATIONS];
    required edge[MOST_REQUIRED];
} program;

/* ---- reading, strictly */

static int find_label(const program *p, int rank, int label)
{
    for (int k = p->count - 1; k >= 0 && p->at[k].rank == rank; k--)
        if (p->at[k].label == label)
            return k;
    fail_msg("rank %d has no l%d yet", rank, label);
    return -1;
}

static void read_operation(program *p, int rank, const char *line)
{
    operation x = {.rank = rank, .other = -1, .end = -1};
    char word[8], to[8];
    int length = 0;
    assert_true(p->count < MOST_OPERATIONS);
    assert_int_equal(sscanf(line, "l%d: %7[a-z] %n", &x.label, word, &length), 2);
    x.kind = word[0];
    if (strcmp(word, "calc") == 0) {
        assert_string_equal(line + length, "0\n");
    } else {
        int end = 0;
        assert_int_equal(
            sscanf(line + length, "%zub %7s %d tag %d\n%n", &x.bytes, to, &x.peer, &x.tag, &end),
            4);
        assert_int_equal(line[length + end], '\0');
        assert_string_equal(to, x.kind == 's' ? "to" : "from");
        assert_true(x.bytes > 0 && x.peer >= 0 && x.peer < p->ranks);
    }
    p->at[p->count++] = x;
}

static void read_required(program *p, int rank, const char *line)
{
    int of, on, end = 0;
    char word[16];
    assert_true(p->edges < MOST_REQUIRED);
    assert_int_equal(sscanf(line, "l%d %15s l%d\n%n", &of, word, &on, &end), 3);
    assert_int_equal(line[end], '\0');
    bool begun = strcmp(word, "irequires") == 0;
    assert_true(begun || strcmp(word, "requires") == 0);
    p->edge[p->edges++] = (required){find_label(p, rank, of), find_label(p, rank, on), begun};
}

static void read_program(program *p, FILE *in)
{
    char line[128];
    int rank = -1, next = 0;
    p->count = p->edges = 0;
    assert_non_null(fgets(line, sizeof line, in));
    assert_int_equal(sscanf(line, "num_ranks %d\n", &p->ranks), 1);
    while (fgets(line, sizeof line, in)) {
        if (sscanf(line, "rank %d {", &rank) == 1)
            assert_int_equal(rank, next++);
        else if (strchr(line, ':'))
            read_operation(p, rank, line);
        else if (line[0] == 'l')
            read_required(p, rank, line);
        else
            assert_true(strcmp(line, "}\n") == 0 || strcmp(line, "\n") == 0);
    }
    assert_int_equal(next, p->ranks);
}

static void match_ends(program *p)
{
    for (int s = 0; s < p->count; s++)
        for (int r = 0; r < p->count && p->at[s].kind == 's'; r++)
            if (p->at[r].kind == 'r' && p->at[r].peer == p->at[s].rank &&
                p->at[s].peer == p->at[r].rank && p->at[r].tag == p->at[s].tag) {
                assert_int_equal(p->at[s].other, -1);
                assert_int_equal(p->at[r].other, -1);
                assert_int_equal(p->at[s].bytes, p->at[r].bytes);
                p->at[s].other = r;
                p->at[r].other = s;
            }
    for (int k = 0; k < p->count; k++)
        assert_true(p->at[k].kind == 'c' || p->at[k].other >= 0);
}

/* ---- walking: a message takes its way alone, processors cost nothing */

static bool is_ready(const program *p, int k, double *begin)
{
    *begin = 0;
    for (int d = 0; d < p->edges; d++) {
        if (p->edge[d].of != k)
            continue;
        const operation *on = &p->at[p->edge[d].on];
        if (on->end < 0)
            return false;
        *begin = fmax(*begin, p->edge[d].begun ? on->begin : on->end);
    }
    return p->at[k].kind != 'r' || p->at[p->at[k].other].end >= 0;
}

static double way(const parameters *c, const operation *send)
{
    return hockney_p2p(c, send->rank, send->peer, (double)send->bytes);
}

static bool do_one_pass(program *p, const parameters *c)
{
    bool done = false;
    for (int k = 0; k < p->count; k++) {
        operation *x = &p->at[k];
        if (x->end >= 0 || !is_ready(p, k, &x->begin))
            continue;
        x->end = x->begin;
        if (x->kind == 'r')
            x->end = fmax(x->begin, p->at[x->other].begin + way(c, &p->at[x->other]));
        done = true;
    }
    return done;
}

static double walk_program(program *p, const parameters *c)
{
    double last = 0;
    while (do_one_pass(p, c))
        ;
    for (int k = 0; k < p->count; k++) {
        assert_true(p->at[k].end >= 0);
        last = fmax(last, p->at[k].end);
    }
    return last;
}

static void way_alone(const void *model, int from, int to, size_t bytes, cpm_cost *cost)
{
    *cost = (cpm_cost){.wire = hockney_p2p(model, from, to, (double)(bytes ? bytes : 1))};
}

/* ---- tests */

static FILE *written(const cpm_schedule *s, const cpm_block_sizes *sizes)
{
    cpm_error e = {0};
    FILE *f = tmpfile();
    assert_non_null(f);
    assert_int_equal(cpm_goal_write(s, sizes, f, &e), CPM_OK);
    rewind(f);
    return f;
}

static void try_sizes(const cpm_schedule *s, const cpm_block_sizes *sizes, program *p)
{
    cpm_error e = {0};
    parameters c;
    randomize(&c, (uint64_t)s->n);
    FILE *f = written(s, sizes);
    read_program(p, f);
    fclose(f);
    match_ends(p);
    double seconds = cpm_walk(s, sizes, way_alone, &c, NULL, &e);
    assert_true(close_to(walk_program(p, &c), seconds));
}

static void try_schedule(const cpm_schedule *s, size_t bytes, program *p)
{
    try_sizes(s, &(cpm_block_sizes){.bytes = bytes}, p);
}

static void the_text_takes_as_long_as_the_walk(void **state)
{
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int n = 1; n <= 12; n++) {
            cpm_error e = {0};
            cpm_schedule *s = NULL;
            if (cpm_schedule_create(a, &(cpm_call){.n = n, .root = n / 3}, &s, &e))
                continue;
            try_schedule(s, n % 5 ? BYTES : 0, *state);
            cpm_schedule_free(s);
        }
}

/* Small blocks are started first, and nothing waits for them. */
static void nothing_waits_for_deferred_messages(void **state)
{
    program *p = *state;
    const cpm_algorithm *a;
    cpm_schedule *s;
    size_t sizes[7 * 7];
    cpm_error e = {0};
    for (int u = 0; u < 7 * 7; u++)
        sizes[u] = u % 3 ? 10 : 1000;
    assert_int_equal(cpm_algorithm_find("alltoallv", "switched", &a, &e), CPM_OK);
    const cpm_call call = {.n = 7, .sizes = sizes, .with = {.threshold = 100}};
    assert_int_equal(cpm_schedule_create(a, &call, &s, &e), CPM_OK);
    try_sizes(s, &(cpm_block_sizes){.each = sizes}, p);
    for (int d = 0; d < p->edges; d++)
        assert_true(p->edge[d].begun || p->at[p->edge[d].on].bytes == 1000);
    cpm_schedule_free(s);
}

/* Everybody with everybody, twice. */
static void build_crowd(const cpm_schedule *s, int rank, cpm_steps *out)
{
    for (int round = 0; round < 2; round++) {
        for (int peer = 0; peer < s->n; peer++)
            if (peer != rank) {
                cpm_send(out, peer, rank, 1);
                cpm_recv(out, peer, peer, 1);
            }
        cpm_next_round(out);
    }
}

static int required_of(const program *p, bool begun)
{
    int count = 0;
    for (int d = 0; d < p->edges; d++)
        count += p->edge[d].begun == begun;
    return count;
}

static void rounds_of_many_messages_have_one_operation_in_between(void **state)
{
    program *p = *state;
    cpm_schedule s = {.n = 6, .root = -1, .blocks = 6, .build = build_crowd};
    try_schedule(&s, BYTES, p);
    assert_int_equal(p->count, 6 * (2 * 10 + 1));
    assert_int_equal(required_of(p, false), 6 * (2 * 10));
}

static void sends_of_a_round_begin_in_their_order(void **state)
{
    program *p = *state;
    cpm_schedule s = {.n = 6, .root = -1, .blocks = 6, .build = build_crowd};
    try_schedule(&s, BYTES, p);
    assert_int_equal(required_of(p, true), 6 * 2 * 4);
    for (int d = 0; d < p->edges; d++)
        if (p->edge[d].begun) {
            const operation *of = &p->at[p->edge[d].of], *on = &p->at[p->edge[d].on];
            assert_true(of->kind == 's' && on->kind == 's');
            assert_true(of->peer > on->peer);
        }
}

/* Two messages to the same rank, the longer one first. */
static void build_twice(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    for (int k = 0; k < 2; k++)
        if (rank == 0)
            cpm_send(out, 1, k, 2 - k);
        else
            cpm_recv(out, 0, k, 2 - k);
}

static void messages_between_two_ranks_match_in_their_order(void **state)
{
    program *p = *state;
    cpm_schedule s = {.n = 2, .root = -1, .blocks = 2, .build = build_twice};
    try_schedule(&s, BYTES, p);
    assert_int_equal(p->at[0].bytes, 2 * BYTES);
    assert_int_equal(p->at[1].bytes, BYTES);
    assert_int_equal(p->at[0].tag, 0);
    assert_int_equal(p->at[1].tag, 1);
}

static int set_up(void **state)
{
    *state = malloc(sizeof(program));
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_takes_as_long_as_the_walk),
        cmocka_unit_test(nothing_waits_for_deferred_messages),
        cmocka_unit_test(rounds_of_many_messages_have_one_operation_in_between),
        cmocka_unit_test(sends_of_a_round_begin_in_their_order),
        cmocka_unit_test(messages_between_two_ranks_match_in_their_order),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
