/* Networks of which the least time is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "selection/carried.h"

enum { N = 6 };

/* Which resources a message uses, and for how long: uses[resource], 0: not at all. */
typedef void uses_of(int i, int j, double *uses);

static void make(uses_of *of, int resources, carried_network *net)
{
    double uses[4 * N];
    int64_t count = 0;
    const size_t most = (size_t)N * N * 4 * N;
    net->n = N;
    net->resources = resources;
    net->first = calloc(N * N + 1, sizeof *net->first);
    net->resource = calloc(most, sizeof *net->resource);
    net->per_byte = calloc(most, sizeof *net->per_byte);
    assert_true(net->first && net->resource && net->per_byte);
    for (int pair = 0; pair < N * N; pair++) {
        for (int r = 0; r < resources; r++)
            uses[r] = 0;
        if (pair / N != pair % N)
            of(pair / N, pair % N, uses);
        for (int r = 0; r < resources; r++)
            if (uses[r] > 0) {
                net->resource[count] = r;
                net->per_byte[count++] = uses[r];
            }
        net->first[pair + 1] = count;
    }
}

static void assert_seconds(uses_of *of, int resources, carried_demand d, double expected)
{
    carried_network net;
    double seconds;
    make(of, resources, &net);
    assert_int_equal(carried_seconds(&net, &d, &seconds, NULL), CPM_OK);
    assert_true(seconds <= expected * (1 + 1e-9)); /* it is a bound */
    assert_true(seconds >= 0.97 * expected);
    carried_clear(&net);
}

/* Round a ring in one direction; link k is behind process k. */
static void round_ring(int i, int j, double *uses)
{
    for (; i != j; i = (i + 1) % N)
        uses[i] = 2;
}

/* The shorter way round, each direction has its links. */
static void both_ways(int i, int j, double *uses)
{
    const int ahead = (j - i + N) % N;
    for (int k = 0; k < (ahead <= N / 2 ? ahead : N - ahead); k++)
        uses[ahead <= N / 2 ? (i + k) % N : N + (i - k + N) % N] = 1;
}

/* Each host has link ends, the last one a slow outgoing one; two trunks join even and odd ones. */
static void trunks(int i, int j, double *uses)
{
    uses[i] = i == N - 1 ? 5 : 1;
    uses[N + j] = 1;
    if (i % 2 != j % 2)
        uses[2 * N + i % 2] = 4;
}

static void rings_carry(void **state)
{
    (void)state;
    const double distances = N * (N - 1) / 2.0;
    assert_seconds(round_ring, N, (carried_demand){CARRIED_PAIRS, 0, 0}, 2 * distances);
    assert_seconds(round_ring, N, (carried_demand){CARRIED_FROM, 0, 2}, 2 * (N - 1));
    assert_seconds(round_ring, N, (carried_demand){CARRIED_TO, 0, 3}, 2 * (N - 1));
    assert_seconds(round_ring, N, (carried_demand){CARRIED_TREES, N, 0}, 2 * (N - 1));
    assert_seconds(round_ring, N, (carried_demand){CARRIED_SUMS, 0, 0}, 4.0 * (N - 1) / N);
    /* half of the pairs that are opposite could go the other way round, over a process */
    assert_seconds(both_ways, 2 * N, (carried_demand){CARRIED_PAIRS, 0, 0},
                   (1 + 1 + 2 + 2 + 3) / 2.0);
    assert_seconds(both_ways, 2 * N, (carried_demand){CARRIED_TREES, N, 0}, (N - 1) / 2.0);
}

static void trunks_and_slow_ends_carry(void **state)
{
    (void)state;
    const int resources = 2 * N + 2;
    assert_seconds(trunks, resources, (carried_demand){CARRIED_PAIRS, 0, 0}, 4 * N * N / 4.0);
    assert_seconds(trunks, resources, (carried_demand){CARRIED_FROM, 0, N - 1}, 5 * (N - 1));
    assert_seconds(trunks, resources, (carried_demand){CARRIED_TREES, N, 0}, 4 * N / 2.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_carry),
        cmocka_unit_test(trunks_and_slow_ends_carry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
