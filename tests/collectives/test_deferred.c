/* Messages that are waited for at the end: what the proof demands of them, and that both walks see
 * them alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/algorithm.h"
#include "collectives/schedule/flow_walk.h"
#include "collectives/schedule/proof.h"
#include "costs.h"

enum { MOST = 17 };

static void lmo_flow(const void *model, int from, int to, size_t bytes, cpm_flow *f)
{
    const parameters *p = model;
    double M = (double)bytes, send = p->C[from] + M * p->t[from];
    *f = (cpm_flow){.send = send,
                    .start = send,
                    .latency = p->L[from][to],
                    .flow = M * p->b[from][to],
                    .cap = p->b[from][to],
                    .recv = p->C[to] + M * p->t[to]};
}

static cpm_schedule *switched(int n, const size_t *sizes, size_t threshold)
{
    const cpm_algorithm *a;
    cpm_schedule *s;
    const cpm_call call = {.n = n, .sizes = sizes, .with = {.threshold = threshold}};
    assert_int_equal(cpm_algorithm_find("alltoallv", "switched", &a, NULL), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &call, &s, NULL), CPM_OK);
    return s;
}

static void draw_sizes(int n, size_t *sizes)
{
    uint64_t seed = (uint64_t)n;
    for (int u = 0; u < n * n; u++)
        sizes[u] = uniform(&seed) < 0.1 ? 0 : (size_t)(uniform(&seed) * 10000);
}

static void try_switched(int n, const size_t *sizes, size_t threshold)
{
    const cpm_operation *o;
    const cpm_block_sizes of = {.each = sizes};
    cpm_schedule *s = switched(n, sizes, threshold);
    cpm_error e = {0};
    parameters p;
    double plain[MOST], flow[MOST];
    randomize(&p, (uint64_t)n);
    assert_int_equal(cpm_operation_find("alltoallv", &o, NULL), CPM_OK);
    if (cpm_check(s, o, false, &e))
        fail_msg("%s", e.text);
    double last = cpm_walk(s, &of, lmo, &p, plain, &e);
    assert_true(close_to(cpm_flow_walk(s, &of, lmo_flow, &p, NULL, flow, &e), last));
    for (int r = 0; r < n; r++)
        assert_true(close_to(plain[r], flow[r]));
    cpm_schedule_free(s);
}

static void switched_alltoallv_is_right_and_walks_agree(void **state)
{
    (void)state;
    static const size_t thresholds[] = {CPM_FROM_NOTHING, 1, 2000, 8000, 20000};
    size_t sizes[MOST * MOST];
    for (int n = 1; n <= MOST; n++)
        for (int k = 0; k < 5; k++) {
            draw_sizes(n, sizes);
            try_switched(n, sizes, thresholds[k]);
        }
}

/* With a threshold of nothing it is the ring, whatever the sizes. */
static void a_threshold_of_nothing_leaves_nothing_for_the_end(void **state)
{
    (void)state;
    size_t sizes[7 * 7] = {0};
    cpm_steps steps = {0};
    cpm_schedule *s = switched(7, sizes, CPM_FROM_NOTHING);
    assert_int_equal(cpm_schedule_rank(s, 3, &steps, NULL), CPM_OK);
    assert_int_equal(steps.count, 12);
    for (int k = 0; k < steps.count; k++) {
        assert_false(steps.at[k].deferred);
        assert_int_equal(steps.at[k].round, k / 2);
    }
    cpm_steps_free(&steps);
    cpm_schedule_free(s);
}

/* ---- what waits for what: 0 and 1 exchange blocks, 2 sends a block to 0 much later. */

static void build_late(const cpm_schedule *s, int rank, cpm_steps *out)
{
    bool deferred = *(const bool *)s->state;
    if (rank == 0) {
        cpm_recv(out, 2, 2, 1);
        (deferred ? cpm_defer_round : cpm_next_round)(out);
    }
    if (rank < 2) {
        cpm_send(out, 1 - rank, rank, 1);
        cpm_recv(out, 1 - rank, 1 - rank, 1);
        return;
    }
    cpm_recv(out, 3, 3, 1);
    cpm_next_round(out);
    cpm_send(out, 0, 2, 1);
}

static void build_late_of_four(const cpm_schedule *s, int rank, cpm_steps *out)
{
    if (rank == 3)
        cpm_send(out, 2, 3, 1);
    else
        build_late(s, rank, out);
}

static double finish_of_1(bool deferred, double *finish_of_0)
{
    parameters p;
    double finish[4];
    cpm_error e = {0};
    cpm_schedule s = {
        .n = 4, .root = -1, .blocks = 4, .build = build_late_of_four, .state = &deferred};
    randomize(&p, 1);
    p.L[3][2] = 1; /* seconds */
    const cpm_block_sizes sizes = {.bytes = 1000};
    double last = cpm_walk(&s, &sizes, lmo, &p, finish, &e);
    assert_true(close_to(cpm_flow_walk(&s, &sizes, lmo_flow, &p, NULL, NULL, &e), last));
    *finish_of_0 = finish[0];
    return finish[1];
}

static void others_do_not_wait_for_what_is_deferred(void **state)
{
    (void)state;
    double of_0, of_0_deferred;
    assert_true(finish_of_1(false, &of_0) > 1);
    assert_true(finish_of_1(true, &of_0_deferred) < 0.01);
    assert_true(of_0 > 1 && of_0_deferred > 1);
}

/* ---- what the proof refuses, of a scatter among four */

static void refuses(void (*build)(const cpm_schedule *, int, cpm_steps *), const char *operation,
                    int code, const char *says)
{
    const cpm_operation *o;
    cpm_error e = {0};
    cpm_schedule s = {.n = 4, .root = 0, .blocks = 4, .build = build};
    assert_int_equal(cpm_operation_find(operation, &o, NULL), CPM_OK);
    if (strcmp(operation, "reduce") == 0)
        s.blocks = 1;
    assert_int_equal(cpm_check(&s, o, false, &e), code);
    if (!strstr(e.text, says))
        fail_msg("'%s' is not in '%s'", says, e.text);
}

static void build_right(const cpm_schedule *s, int rank, cpm_steps *out)
{
    for (int r = 1; r < s->n; r++)
        if (rank == 0)
            cpm_send(out, r, r, 1);
        else if (rank == r)
            cpm_recv(out, 0, r, 1);
    cpm_defer_round(out);
}

static void build_never_sent(const cpm_schedule *s, int rank, cpm_steps *out)
{
    if (rank != 0)
        build_right(s, rank, out);
}

/* Block 1 arrives at the end, and cannot be passed on before. */
static void build_passed_on(const cpm_schedule *s, int rank, cpm_steps *out)
{
    build_right(s, rank, out);
    if (rank == 1)
        cpm_send(out, 2, 1, 1);
    if (rank == 2)
        cpm_recv(out, 1, 1, 1);
}

static void build_followed(const cpm_schedule *s, int rank, cpm_steps *out)
{
    build_right(s, rank, out);
    if (rank == 0)
        cpm_send(out, 1, 0, 0);
    if (rank == 1)
        cpm_recv(out, 0, 0, 0);
}

static void build_combined(const cpm_schedule *s, int rank, cpm_steps *out)
{
    for (int r = 1; r < s->n; r++)
        if (rank == 0)
            cpm_combine(out, r, 0, 1);
        else if (rank == r)
            cpm_send(out, 0, 0, 1);
    cpm_defer_round(out);
}

/* Ranks 1 and 2 wait for each other; 3 for 1, but at the end only. */
static void build_deadlock(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    if (rank == 1 || rank == 2) {
        cpm_recv(out, 3 - rank, 0, 0);
        cpm_next_round(out);
        cpm_send(out, 3 - rank, 0, 0);
    } else if (rank == 3) {
        cpm_recv(out, 1, 3, 1);
        cpm_defer_round(out);
    }
}

static void the_proof_knows_what_is_there_at_the_end_only(void **state)
{
    (void)state;
    refuses(build_right, "scatter", CPM_OK, "");
    refuses(build_never_sent, "scatter", CPM_EWRONG,
            "rank 1 expects block 1 from rank 0, which never sends it");
    refuses(build_passed_on, "scatter", CPM_EWRONG, "rank 1 has a deferred message with rank 0");
    refuses(build_followed, "scatter", CPM_EWRONG, "rank 0 has a deferred message with rank 1");
    refuses(build_combined, "reduce", CPM_EWRONG, "rank 0 combines in a deferred round");
    refuses(build_deadlock, "scatter", CPM_EDEADLOCK,
            "deadlock of 2 ranks: rank 1 waits for rank 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switched_alltoallv_is_right_and_walks_agree),
        cmocka_unit_test(a_threshold_of_nothing_leaves_nothing_for_the_end),
        cmocka_unit_test(others_do_not_wait_for_what_is_deferred),
        cmocka_unit_test(the_proof_knows_what_is_there_at_the_end_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
