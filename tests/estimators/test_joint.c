/* The robust least-squares problem, against the same problem solved without elimination. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../models/random_model.h"
#include "estimators/joint.h"

enum { N = 5, PAIRS = N * (N - 1) / 2, UNKNOWNS = 2 * N + 2 * PAIRS, MOST = 200 };

/* Constants and slopes of the processes, then of the pairs in the order (0,1), (0,2), ... */
static double truth_of(int unknown)
{
    return 1 + unknown % 7 + 0.3 * (unknown % 3);
}

static int pair_index(int i, int j)
{
    return i * N - i * (i + 1) / 2 + j - i - 1;
}

static void row_of(const cpm_equation *q, double row[UNKNOWNS])
{
    memset(row, 0, UNKNOWNS * sizeof *row);
    row[q->i] = q->node[0];
    row[q->j] = q->node[1];
    row[N + q->i] = q->node[2];
    row[N + q->j] = q->node[3];
    row[2 * N + pair_index(q->i, q->j)] = q->link[0];
    row[2 * N + PAIRS + pair_index(q->i, q->j)] = q->link[1];
}

static double time_of(const cpm_equation *q)
{
    double row[UNKNOWNS], sum = 0;
    row_of(q, row);
    for (int u = 0; u < UNKNOWNS; u++)
        sum += row[u] * truth_of(u);
    return sum;
}

/* Round trips of two sizes and, with either process as root, trains of two sizes. */
static int make_equations(cpm_equation *q, double noise)
{
    unsigned random = 5;
    int count = 0;
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++)
            for (int kind = 0; kind < 6; kind++) {
                double slope = kind % 2 ? 3 : 0;
                cpm_equation x = {i, j, {2, 2, slope, slope}, {2, slope}, 0, 0};
                if (kind >= 2) {
                    x.node[kind / 4] += 8;
                    x.node[kind / 4 + 2] += 4 * slope;
                }
                x.time = time_of(&x) * (1 + random_between(&random, -noise, noise));
                q[count++] = x;
            }
    return count;
}

static cpm_joint *solved(const cpm_equation *q, int count)
{
    cpm_joint *j = NULL;
    cpm_error e = {0};
    if (cpm_joint_solve(q, count, N, NULL, 0.95, &j, &e))
        fail_msg("%s", e.text);
    return j;
}

/* Estimate or half width of one unknown. */
static double of(const double *node, const double *link, int unknown)
{
    if (unknown < 2 * N)
        return node[unknown];
    int slope = unknown >= 2 * N + PAIRS, pair = (unknown - 2 * N) % PAIRS;
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++)
            if (pair_index(i, j) == pair)
                return link[slope * N * N + i * N + j];
    return NAN;
}

static double worst_error(const cpm_joint *j)
{
    double worst = 0;
    for (int u = 0; u < UNKNOWNS; u++)
        worst = fmax(worst, fabs(of(j->node, j->link, u) / truth_of(u) - 1));
    return worst;
}

static void exact_equations_are_solved_to_rounding(void **state)
{
    (void)state;
    cpm_equation q[MOST];
    cpm_joint *j = solved(q, make_equations(q, 0));
    assert_true(worst_error(j) < 1e-9);
    assert_int_equal(j->bounded, 0);
    cpm_joint_free(j);
}

/* Gauss and Jordan, for a positive definite matrix. */
static void invert(double m[UNKNOWNS][UNKNOWNS])
{
    for (int p = 0; p < UNKNOWNS; p++) {
        double pivot = m[p][p];
        m[p][p] = 1;
        for (int b = 0; b < UNKNOWNS; b++)
            m[p][b] /= pivot;
        for (int a = 0; a < UNKNOWNS; a++) {
            double share = m[a][p];
            if (a == p)
                continue;
            m[a][p] = 0;
            for (int b = 0; b < UNKNOWNS; b++)
                m[a][b] -= share * m[p][b];
        }
    }
}

/* The half widths must be one factor (quantile times standard deviation) times the square roots of
 * the diagonal of the whole inverse, for processes and for pairs. */
static void intervals_are_those_of_the_whole_problem(void **state)
{
    (void)state;
    static double normal[UNKNOWNS][UNKNOWNS];
    cpm_equation q[MOST];
    int count = make_equations(q, 0.01);
    cpm_joint *j = solved(q, count);
    for (int x = 0; x < count; x++) {
        double row[UNKNOWNS];
        row_of(&q[x], row);
        for (int a = 0; a < UNKNOWNS; a++)
            for (int b = 0; b < UNKNOWNS; b++)
                normal[a][b] += row[a] * row[b] / (q[x].time * q[x].time);
    }
    invert(normal);
    double factor = j->node_ci[0] / sqrt(normal[0][0]);
    assert_true(factor > 0.005 && factor < 0.03); /* uniform noise of 1 %: 2 times 0.0058 */
    for (int u = 0; u < UNKNOWNS; u++) {
        double ci = of(j->node_ci, j->link_ci, u);
        assert_true(fabs(ci / (factor * sqrt(normal[u][u])) - 1) < 1e-8);
    }
    cpm_joint_free(j);
}

static void one_wild_equation_hardly_moves_the_solution(void **state)
{
    (void)state;
    cpm_equation q[MOST];
    int count = make_equations(q, 0.001);
    cpm_joint *before = solved(q, count);
    q[17].time *= 10;
    cpm_joint *after = solved(q, count);
    assert_true(worst_error(before) < 0.02);
    for (int u = 0; u < 2 * N; u++)
        assert_true(fabs(after->node[u] / before->node[u] - 1) < 0.02);
    assert_true(after->residual[17] > 0.85);
    cpm_joint_free(before);
    cpm_joint_free(after);
}

static void as_many_equations_as_unknowns_have_no_intervals(void **state)
{
    (void)state;
    cpm_equation all[MOST], q[MOST];
    int count = make_equations(all, 0.001), kept = 0;
    for (int x = 0; x < count; x++) { /* of the trains one of each size for each process */
        int kind = x % 6;
        if (kind < 2 || (kind < 4 && all[x].j == all[x].i + 1) || (kind >= 4 && all[x].i == N - 2))
            q[kept++] = all[x];
    }
    assert_int_equal(kept, UNKNOWNS);
    cpm_joint *j = solved(q, kept);
    assert_true(isnan(j->node_ci[0]) && isnan(j->link_ci[1]));
    cpm_joint_free(j);
}

static void what_is_not_determined_is_named(void **state)
{
    (void)state;
    cpm_equation all[MOST], q[MOST];
    int count = make_equations(all, 0), kept = 0;
    cpm_joint *j = NULL;
    cpm_error e = {0};
    for (int x = 0; x < count; x++)
        if (x % 6 < 2)
            q[kept++] = all[x];
    assert_int_equal(cpm_joint_solve(q, kept, N, NULL, 0.95, &j, &e), CPM_EDATA);
    assert_non_null(strstr(e.text, "trains"));
    cpm_error_clear(&e);
    assert_int_equal(cpm_joint_solve(all, count - 6, N, NULL, 0.95, &j, &e), CPM_EDATA);
    assert_non_null(strstr(e.text, "3 and 4"));
    cpm_error_clear(&e);
    assert_int_equal(cpm_joint_solve(all, 0, N, NULL, 0.95, &j, &e), CPM_EDATA);
    assert_null(j);
}

static void a_negative_overhead_is_held_at_0(void **state)
{
    (void)state;
    cpm_equation q[MOST];
    int count = make_equations(q, 0);
    for (int x = 0; x < count; x++) /* as if process 2 had a constant of -0.2 */
        q[x].time -= (q[x].i == 2   ? q[x].node[0]
                      : q[x].j == 2 ? q[x].node[1]
                                    : 0) *
                     (truth_of(2) + 0.2);
    cpm_joint *j = solved(q, count);
    assert_int_equal(j->bounded, 1);
    assert_true(j->node[2] == 0);
    for (int i = 0; i < N; i++)
        assert_true(j->node[i] >= 0 && j->node[N + i] >= 0);
    cpm_joint_free(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_equations_are_solved_to_rounding),
        cmocka_unit_test(intervals_are_those_of_the_whole_problem),
        cmocka_unit_test(one_wild_equation_hardly_moves_the_solution),
        cmocka_unit_test(as_many_equations_as_unknowns_have_no_intervals),
        cmocka_unit_test(what_is_not_determined_is_named),
        cmocka_unit_test(a_negative_overhead_is_held_at_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
