/* Pairs of processes that share a link are slowed by their company; others are not. */
#include "measured.h"

#include "estimators/company.h"
#include "estimators/lmo2.h"

enum { N = 12, BYTES = 100000, REPS = 10 };

/* Messages between the two halves of the processes share one link. */
static bool crosses(const cpm_experiment *x)
{
    return (x->i < N / 2) != (x->j < N / 2);
}

static double slowed(const cpm_design *d, int begin, int end, int q, double shared)
{
    int meet = 0;
    for (int r = begin; r < end; r++)
        meet += crosses(&d->at[r]);
    return crosses(&d->at[q]) ? fmax(1, meet * shared) : 1;
}

static void add(cpm_measurements *out, const cpm_experiment *what, int round, double seconds,
                double noise, unsigned *seed)
{
    const cpm_precision precision = {REPS, REPS, 0.95, 0.025, CPM_MEDIAN, 0};
    double samples[REPS];
    cpm_measurement one = {.what = *what, .round = round};
    for (int s = 0; s < REPS; s++)
        samples[s] = seconds * (1 + noise * random_between(seed, -1, 1));
    assert_int_equal(cpm_summarize(samples, REPS, &precision, &one.summary, NULL), CPM_OK);
    assert_int_equal(cpm_measurements_add(out, &one, NULL), CPM_OK);
}

static double away; /* seconds that every round trip takes besides its bytes */

/* A design as a network would measure it whose link carries 1/shared messages at full speed. */
static void measure(const cpm_design *d, double shared, double noise, unsigned *seed,
                    cpm_measurements *out)
{
    for (int r = 0, begin = 0; r < d->rounds; begin = d->end[r++])
        for (int q = begin; q < d->end[r]; q++)
            add(out, &d->at[q], r, away + 1e-3 * slowed(d, begin, d->end[r], q, shared), noise,
                seed);
}

static void measure_empty(int n, double noise, unsigned *seed, cpm_measurements *out)
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            const cpm_experiment empty = cpm_experiment_pair(CPM_ROUNDTRIP, i, j, 0, 0);
            add(out, &empty, 0, away, noise, seed);
        }
}

/* Asks, measures, and asks whether links are shared; again: how many were asked for. */
static bool finds(int n, double shared, double noise, unsigned seed, int *again)
{
    cpm_design first = {0}, alone = {0};
    cpm_measurements m = {.n = n, .statistic = CPM_MEDIAN};
    bool shares = true;
    assert_int_equal(cpm_company_roundtrips(n, BYTES, &first, NULL), CPM_OK);
    assert_int_equal(first.count, n * (n - 1));
    if (away > 0)
        measure_empty(n, noise, &seed, &m);
    measure(&first, shared, noise, &seed, &m);
    assert_int_equal(cpm_company_plan(n, BYTES, 1, &m, &alone, NULL), CPM_OK);
    assert_int_equal(alone.rounds, alone.count);
    measure(&alone, shared, noise, &seed, &m);
    assert_int_equal(cpm_company_shares(n, 1, &m, &shares, NULL), CPM_OK);
    *again = alone.count;
    cpm_design_clear(&alone);
    cpm_design_clear(&first);
    cpm_measurements_clear(&m);
    return shares;
}

/* Whether all was asked where so many of the pairs that are asked for alone were measured. */
static bool is_asked(int n, int fewer)
{
    cpm_design first = {0}, alone = {0};
    cpm_measurements m = {.n = n, .statistic = CPM_MEDIAN};
    unsigned seed = 1;
    bool asked = false;
    assert_int_equal(cpm_company_roundtrips(n, BYTES, &first, NULL), CPM_OK);
    measure(&first, 1, 0, &seed, &m);
    assert_int_equal(cpm_company_plan(n, BYTES, 1, &m, &alone, NULL), CPM_OK);
    alone.rounds -= fewer < alone.rounds ? fewer : alone.rounds;
    measure(&alone, 1, 0, &seed, &m);
    assert_int_equal(cpm_company_asked(n, &m, &asked, NULL), CPM_OK);
    cpm_design_clear(&alone);
    cpm_design_clear(&first);
    cpm_measurements_clear(&m);
    return asked;
}

static void what_is_asked_in_part_is_not_asked(void **state)
{
    (void)state;
    assert_true(is_asked(8, 0));
    assert_false(is_asked(8, 1));
    assert_false(is_asked(8, 100));
}

static void pairs_that_share_a_link_are_found(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 50; seed++) {
        int again;
        assert_true(finds(N, 0.5, seed % 2 * 0.05, seed, &again));
        assert_in_range(again, 2, 6);
    }
}

static void pairs_that_share_none_are_not(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 50; seed++) {
        int again;
        assert_false(finds(N, 0, seed % 2 * 0.05, seed, &again));
        assert_true(seed % 2 || again == 2); /* any two pairs, which all may be slowed alike */
    }
}

/* Sites: what bytes take is a thousandth of the time, and more than the noise. */
static void far_pairs_that_share_a_link_are_found(void **state)
{
    (void)state;
    away = 1;
    for (unsigned seed = 0; seed < 50; seed++) {
        int again;
        assert_true(finds(N, 1, seed % 2 * 1e-4, seed, &again));
        assert_false(finds(N, 0, seed % 2 * 1e-4, seed, &again));
    }
    away = 0;
}

/* Fewer have one pair at once, which meets nobody. */
static void three_processes_meet_nobody(void **state)
{
    (void)state;
    int again;
    assert_false(finds(3, 0.5, 0.05, 1, &again));
    assert_int_equal(again, 0);
}

/* Each pair once each way, and where there are several pairs at once in other company. */
static void ways_of_a_pair_have_other_company(void **state)
{
    (void)state;
    cpm_design d = {0};
    int way[N][N] = {{0}}, company[N][N] = {{0}}, differ = 0;
    assert_int_equal(cpm_company_roundtrips(N, BYTES, &d, NULL), CPM_OK);
    for (int r = 0, begin = 0; r < d.rounds; begin = d.end[r++]) {
        int who = 0; /* by the partner of process 0 */
        for (int q = begin; q < d.end[r]; q++)
            who = d.at[q].i == 0 ? d.at[q].j : d.at[q].j == 0 ? d.at[q].i : who;
        for (int q = begin; q < d.end[r]; q++) {
            way[d.at[q].i][d.at[q].j]++;
            company[d.at[q].i][d.at[q].j] = who;
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            assert_int_equal(way[i][j], i != j);
            differ += i > 0 && i < j && company[i][j] != company[j][i];
        }
    assert_true(differ > N);
    cpm_design_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_asked_in_part_is_not_asked),
        cmocka_unit_test(pairs_that_share_a_link_are_found),
        cmocka_unit_test(pairs_that_share_none_are_not),
        cmocka_unit_test(far_pairs_that_share_a_link_are_found),
        cmocka_unit_test(three_processes_meet_nobody),
        cmocka_unit_test(ways_of_a_pair_have_other_company),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
