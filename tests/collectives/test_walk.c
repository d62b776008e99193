/* The walk equals closed formulas on every root, and says what is wrong with what cannot finish. */
#include "collectives/schedule/walk.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/algorithms/tree.h"
#include "costs.h"
#include "measurements/experiment.h"

static double walk_of(const char *operation, const char *name, int n, int root, size_t bytes,
                      cpm_cost_function *cost, const parameters *p)
{
    cpm_error e = {0};
    const cpm_algorithm *a = NULL;
    cpm_schedule *s = NULL;
    assert_int_equal(cpm_algorithm_find(operation, name, &a, &e), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = n, .root = root}, &s, &e), CPM_OK);
    double seconds = cpm_walk(s, &(cpm_block_sizes){.bytes = bytes}, cost, p, NULL, &e);
    assert_string_equal(e.text, "");
    cpm_schedule_free(s);
    return seconds;
}

static double walk_experiment(const char *name, int i, int j, int k, int count, size_t M, size_t N,
                              const parameters *p)
{
    cpm_error e = {0};
    cpm_experiment x = {.i = i, .j = j, .k = k, .count = count, .send_bytes = M, .reply_bytes = N};
    cpm_schedule *s = NULL;
    assert_int_equal(cpm_experiment_parse(name, &x, &e), CPM_OK);
    assert_int_equal(cpm_experiments_schedule(&x, 1, 8, &s, &e), CPM_OK);
    size_t each[CPM_EXPERIMENT_BLOCKS];
    cpm_experiment_blocks(&x, each);
    double finish[8];
    double last = cpm_walk(s, &(cpm_block_sizes){.each = each}, lmo, p, finish, &e);
    assert_string_equal(e.text, "");
    assert_true(last >= finish[i]);
    cpm_schedule_free(s);
    return finish[i];
}

static double roundtrip_formula(const parameters *p, int i, int j, double M, double N)
{
    return 2 * (p->C[i] + p->L[i][j] + p->C[j]) + (M + N) * (p->t[i] + p->t[j] + p->b[i][j]);
}

static void a_round_trip_costs_both_ways(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        parameters p;
        randomize(&p, seed);
        size_t M = 1000 * seed, N = 7777 - 100 * seed;
        assert_true(close_to(walk_experiment("roundtrip", 5, 2, -1, 1, M, N, &p),
                             roundtrip_formula(&p, 5, 2, (double)M, (double)N)));
    }
}

static void a_send_and_a_late_receive_take_the_overhead_alone(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        parameters p;
        randomize(&p, seed);
        size_t M = 1000 * seed, N = 100 * seed;
        assert_true(close_to(walk_experiment("send-time", 5, 2, -1, 1, M, 0, &p),
                             p.C[5] + (double)M * p.t[5]));
        assert_true(close_to(walk_experiment("late-receive", 5, 2, -1, 1, 0, N, &p),
                             p.C[5] + (double)N * p.t[5]));
    }
}

/* The receiver computes first, so that what has arrived meanwhile costs its overhead alone; the
 * root never waits, and computes at its end. */
static void computing_hides_what_arrives_meanwhile(void **state)
{
    (void)state;
    const double computing = 3;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        parameters p;
        cpm_error e = {0};
        const cpm_algorithm *a = NULL;
        cpm_schedule *s = NULL;
        const double M = 1000 * (double)seed;
        double finish[2];
        randomize(&p, seed);
        assert_int_equal(cpm_algorithm_find("bcast", "linear", &a, &e), CPM_OK);
        assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = 2}, &s, &e), CPM_OK);
        cpm_plain_walk(s, &(cpm_block_sizes){.bytes = 1000 * seed}, lmo, &p,
                       &(cpm_plain_walking){.computing = computing}, finish, &e);
        assert_true(close_to(finish[0], p.C[0] + M * p.t[0] + computing));
        assert_true(close_to(finish[1], computing + p.C[1] + M * p.t[1]));
        cpm_schedule_free(s);
    }
}

/* Replies leave one root overhead apart; where that is less than what their ways differ by, the
 * second waits for the root's processor, which has the first. */
static void two_replies_are_received_in_the_order_of_their_arrival(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        parameters p;
        randomize(&p, seed);
        double arrival[2];
        for (int x = 0; x < 2; x++)
            arrival[x] = (x + 1) * p.C[0] + 2 * (p.L[0][x + 1] + p.C[x + 1]);
        double first = fmin(arrival[0], arrival[1]), second = fmax(arrival[0], arrival[1]);
        double expected = fmax(fmax(first, 2 * p.C[0]) + p.C[0], second) + p.C[0];
        assert_true(close_to(walk_experiment("two-to-one", 0, 1, 2, 1, 0, 0, &p), expected));
    }
}

static void a_posted_trip_takes_as_long_as_a_round_trip(void **state)
{
    (void)state;
    parameters p;
    randomize(&p, 11);
    assert_true(close_to(walk_experiment("posted-trip", 0, 1, -1, 1, 5000, 200, &p),
                         walk_experiment("roundtrip", 0, 1, -1, 1, 5000, 200, &p)));
}

static void saturation_takes_the_slower_of_the_two_processors(void **state)
{
    (void)state;
    parameters p;
    randomize(&p, 3);
    p.C[1] = 2 * p.C[0];
    for (int m = 1; m < 100; m *= 3)
        assert_true(close_to(walk_experiment("saturation", 0, 1, -1, m, 0, 0, &p),
                             2 * (p.C[0] + p.L[0][1] + p.C[1]) + (m - 1) * p.C[1]));
    for (int m = 1; m < 100; m *= 3)
        assert_true(close_to(walk_experiment("saturation", 1, 0, -1, m, 0, 0, &p),
                             2 * (p.C[0] + p.L[0][1] + p.C[1]) + (m - 1) * p.C[1]));
}

static void each_message_of_a_train_costs_the_sender_alone(void **state)
{
    (void)state;
    for (int m = 1; m <= 50; m++) {
        parameters p;
        randomize(&p, (uint64_t)m);
        double M = 1000. * m, N = 32;
        double expected = roundtrip_formula(&p, 3, 6, M, N) + m * (p.C[3] + M * p.t[3]);
        assert_true(
            close_to(walk_experiment("train", 3, 1, 6, m, (size_t)M, (size_t)N, &p), expected));
    }
}

static double lmo_scatter_formula(const parameters *p, int n, int root, double M)
{
    double busy = 0, last = 0;
    for (int v = 1; v < n; v++) {
        int i = v <= root ? v - 1 : v; /* by rank */
        busy += p->C[root] + M * p->t[root];
        last = fmax(last, busy + p->L[root][i] + M * p->b[root][i] + p->C[i] + M * p->t[i]);
    }
    return fmax(last, busy);
}

static void linear_scatter_equals_lmo_with_its_order_of_sends(void **state)
{
    (void)state;
    for (int n = 1; n <= 33; n++)
        for (int root = 0; root < n; root++) {
            parameters p;
            randomize(&p, (uint64_t)(n * 100 + root));
            assert_true(close_to(walk_of("scatter", "linear", n, root, 4096, lmo, &p),
                                 lmo_scatter_formula(&p, n, root, 4096)));
        }
}

static double hockney_sum(const parameters *p, int n, int root, double M)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += i == root ? 0 : hockney_p2p(p, root, i, M);
    return sum;
}

static void hockney_makes_flat_trees_serial(void **state)
{
    (void)state;
    for (int n = 1; n <= 33; n++)
        for (int root = 0; root < n; root++) {
            parameters p;
            randomize(&p, (uint64_t)(n * 100 + root));
            double sum = hockney_sum(&p, n, root, 4096);
            assert_true(close_to(walk_of("scatter", "linear", n, root, 4096, hockney, &p), sum));
            assert_true(close_to(walk_of("gather", "linear", n, root, 4096, hockney, &p), sum));
        }
}

/* The largest power of two below n: the root's first child splits off the upper part. */
static int upper_half(int n)
{
    int half = 1;
    while (2 * half < n)
        half *= 2;
    return half;
}

/* Thesis (5.1) for nodes [v, v + n): one transfer, then both parts at the same time. */
static double binomial_formula(const parameters *p, int v, int n, int root, int all, double M)
{
    if (n == 1)
        return 0;
    int half = upper_half(n);
    double transfer = hockney_p2p(p, (v + root) % all, (v + half + root) % all, M * (n - half));
    return transfer + fmax(binomial_formula(p, v, half, root, all, M),
                           binomial_formula(p, v + half, n - half, root, all, M));
}

static void hockney_makes_binomial_trees_recursive(void **state)
{
    (void)state;
    for (int n = 1; n <= 33; n++)
        for (int root = 0; root < n; root++) {
            parameters p;
            randomize(&p, (uint64_t)(n * 100 + root));
            double expected = binomial_formula(&p, 0, n, root, n, 4096);
            assert_true(
                close_to(walk_of("scatter", "binomial", n, root, 4096, hockney, &p), expected));
            assert_true(
                close_to(walk_of("gather", "binomial", n, root, 4096, hockney, &p), expected));
        }
}

static double chain_formula(const parameters *p, int n, int root, double M)
{
    double sum = 0;
    for (int v = 0; v + 1 < n; v++)
        sum += hockney_p2p(p, (v + root) % n, (v + 1 + root) % n, M * (n - 1 - v));
    return sum;
}

static void hockney_makes_chains_a_sum_of_shrinking_messages(void **state)
{
    (void)state;
    for (int n = 1; n <= 33; n++)
        for (int root = 0; root < n; root++) {
            parameters p;
            randomize(&p, (uint64_t)(n * 100 + root));
            double expected = chain_formula(&p, n, root, 512);
            assert_true(close_to(walk_of("scatter", "chain", n, root, 512, hockney, &p), expected));
            assert_true(close_to(walk_of("gather", "chain", n, root, 512, hockney, &p), expected));
        }
}

/* A chain of three: each combines what it has received before it sends it on. */
static void a_contribution_is_combined_before_it_is_sent_on(void **state)
{
    (void)state;
    parameters p;
    const cpm_algorithm *a = NULL;
    cpm_schedule *s = NULL;
    cpm_error e = {0};
    const cpm_block_sizes sizes = {.bytes = 1000};
    randomize(&p, 7);
    assert_int_equal(cpm_algorithm_find("reduce", "chain", &a, &e), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = 3, .root = 0}, &s, &e), CPM_OK);
    s->combining = CPM_COMBINING_DOUBLES;
    double without = cpm_walk(s, &sizes, lmo, &p, NULL, &e);
    double with = cpm_plain_walk(s, &sizes, lmo, &p,
                                 &(cpm_plain_walking){.combine = combine_slowly}, NULL, &e);
    double both = combine_slowly(&p, 1, CPM_COMBINING_DOUBLES, 1000) +
                  combine_slowly(&p, 0, CPM_COMBINING_DOUBLES, 1000);
    assert_true(close_to(with - without, both));
    cpm_schedule_free(s);
}

/* Every process gets all contributions, and combines those of the others with its own at the end.
 */
static void contributions_apart_are_combined_at_the_end(void **state)
{
    (void)state;
    enum { N = 5 };
    parameters p;
    cpm_error e = {0};
    const cpm_algorithm *a = NULL;
    cpm_schedule *s = NULL;
    const cpm_block_sizes sizes = {.bytes = 1000};
    double with[N], without[N];
    randomize(&p, 9);
    assert_int_equal(cpm_algorithm_find("allreduce", "allgather-bruck", &a, &e), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = N}, &s, &e), CPM_OK);
    assert_true(s->apart);
    s->combining = CPM_COMBINING_FLOATS;
    assert_true(cpm_walk(s, &sizes, lmo, &p, without, &e) > 0);
    assert_true(cpm_plain_walk(s, &sizes, lmo, &p, &(cpm_plain_walking){.combine = combine_slowly},
                               with, &e) > 0);
    for (int r = 0; r < N; r++)
        assert_true(close_to(with[r] - without[r],
                             (N - 1) * combine_slowly(&p, r, CPM_COMBINING_FLOATS, 1000)));
    cpm_schedule_free(s);
}

/* Counts cost evaluations: one per message. */
typedef struct {
    int64_t calls;
    size_t bytes;
} counter;

static void counting_cost(const void *model, int from, int to, size_t bytes, cpm_cost *c)
{
    counter *count = *(counter *const *)model;
    (void)from, (void)to;
    count->calls++;
    count->bytes += bytes;
    *c = (cpm_cost){.send = 1};
}

static void a_walk_over_4096_processes_prices_each_message_once(void **state)
{
    (void)state;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        cpm_error e = {0};
        cpm_schedule *s = NULL;
        counter count = {0};
        const counter *model = &count;
        if (strcmp(a->name, "linear") != 0 && strcmp(a->name, "binomial") != 0)
            continue;
        if (strcmp(a->operation, "barrier") == 0)
            continue; /* two messages per process */
        assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = 4096, .root = 4000}, &s, &e),
                         CPM_OK);
        assert_true(cpm_walk(s, &(cpm_block_sizes){.bytes = 1}, counting_cost, &model, NULL, &e) >
                    0);
        assert_int_equal(count.calls, 4095);
        cpm_schedule_free(s);
    }
}

static void bytes_alone(const void *model, int from, int to, size_t bytes, cpm_cost *c)
{
    (void)model, (void)from, (void)to;
    *c = (cpm_cost){.wire = 1e-9 * (double)bytes};
}

/* A message of half of 1,024 blocks of 16 TiB has 2^53 bytes. */
static void the_longest_messages_are_as_long_as_they_are(void **state)
{
    (void)state;
    const char *const names[] = {"gather", "scatter"};
    for (int k = 0; k < 2; k++) {
        double small = walk_of(names[k], "binomial", 1024, 0, 1, bytes_alone, NULL);
        double large = walk_of(names[k], "binomial", 1024, 0, (size_t)1 << 44, bytes_alone, NULL);
        assert_true(close_to(large, ldexp(small, 44)));
    }
}

static void unequal_blocks_are_counted_by_their_own_sizes(void **state)
{
    (void)state;
    enum { N = 13, ROOT = 5 };
    size_t each[N], all = 0;
    for (int b = 0; b < N; b++) {
        each[b] = (size_t)1 << b;
        all += b == ROOT ? 0 : each[b];
    }
    const cpm_algorithm *a = NULL;
    cpm_schedule *s = NULL;
    cpm_error e = {0};
    counter count = {0};
    const counter *model = &count;
    assert_int_equal(cpm_algorithm_find("scatter", "linear", &a, &e), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = N, .root = ROOT}, &s, &e), CPM_OK);
    assert_true(cpm_walk(s, &(cpm_block_sizes){.each = each}, counting_cost, &model, NULL, &e) > 0);
    assert_int_equal(count.bytes, all);
    cpm_schedule_free(s);
}

static void build_ring_of_receives(const cpm_schedule *s, int rank, cpm_steps *out)
{
    cpm_recv(out, (rank + s->n - 1) % s->n, 0, 1);
    cpm_next_round(out);
    cpm_send(out, (rank + 1) % s->n, 0, 1);
}

static void build_other_blocks(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    rank == 0 ? cpm_send(out, 1, 0, 1) : cpm_recv(out, 0, 1, 1);
}

static void build_unreceived(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    if (rank == 0)
        cpm_send(out, 1, 0, 1);
}

static void build_no_such_peer(const cpm_schedule *s, int rank, cpm_steps *out)
{
    if (rank == 0)
        cpm_send(out, s->n, 0, 1);
}

static void walk_fails(void (*build)(const cpm_schedule *, int, cpm_steps *), int code,
                       const char *says)
{
    parameters p;
    randomize(&p, 1);
    cpm_error e = {0};
    cpm_schedule s = {.n = 2, .root = -1, .blocks = 2, .build = build};
    assert_true(cpm_walk(&s, &(cpm_block_sizes){.bytes = 1}, lmo, &p, NULL, &e) == code);
    assert_int_equal(e.code, code);
    if (!strstr(e.text, says))
        fail_msg("'%s' is not in '%s'", says, e.text);
}

static void what_cannot_finish_is_named(void **state)
{
    (void)state;
    walk_fails(build_ring_of_receives, CPM_EDEADLOCK, "rank 0 waits for ever");
    walk_fails(build_other_blocks, CPM_EWRONG, "but rank 1 expects position 1");
    walk_fails(build_unreceived, CPM_EWRONG, "rank 1 never receives a message of rank 0");
    walk_fails(build_no_such_peer, CPM_EWRONG, "rank 2 of 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_trip_costs_both_ways),
        cmocka_unit_test(each_message_of_a_train_costs_the_sender_alone),
        cmocka_unit_test(a_send_and_a_late_receive_take_the_overhead_alone),
        cmocka_unit_test(two_replies_are_received_in_the_order_of_their_arrival),
        cmocka_unit_test(a_posted_trip_takes_as_long_as_a_round_trip),
        cmocka_unit_test(saturation_takes_the_slower_of_the_two_processors),
        cmocka_unit_test(linear_scatter_equals_lmo_with_its_order_of_sends),
        cmocka_unit_test(hockney_makes_flat_trees_serial),
        cmocka_unit_test(hockney_makes_binomial_trees_recursive),
        cmocka_unit_test(hockney_makes_chains_a_sum_of_shrinking_messages),
        cmocka_unit_test(contributions_apart_are_combined_at_the_end),
        cmocka_unit_test(a_contribution_is_combined_before_it_is_sent_on),
        cmocka_unit_test(a_walk_over_4096_processes_prices_each_message_once),
        cmocka_unit_test(the_longest_messages_are_as_long_as_they_are),
        cmocka_unit_test(unequal_blocks_are_counted_by_their_own_sizes),
        cmocka_unit_test(what_cannot_finish_is_named),
        cmocka_unit_test(computing_hides_what_arrives_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
