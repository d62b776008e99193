/* Ranks that all do the same, walked together, take what they take one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/algorithm.h"
#include "collectives/schedule/spmd_walk.h"
#include "costs.h"

static const cpm_block_sizes sizes = {.bytes = 3000};

/* Links have gaps and rounds are held, so that every rule of the walk has a say. */
static void all_rules(const void *model, int from, int to, size_t bytes, cpm_cost *c)
{
    const parameters *p = model;
    lmo(model, from, to, bytes, c);
    c->gap = p->t[from] * (double)bytes + p->C[to];
    c->hold = from % 3 ? 0 : 4 * c->wire;
}

static double rank_by_rank(cpm_schedule *s, cpm_cost_function *cost, const parameters *p,
                           double until, double *finish)
{
    const cpm_symmetry known = s->symmetry;
    s->symmetry.period = 0; /* nothing is said of it */
    double seconds = cpm_plain_walk(s, &sizes, cost, p,
                                    &(cpm_plain_walking){.combine = combine_slowly, .until = until},
                                    finish, NULL);
    s->symmetry = known;
    return seconds;
}

static bool walks_agree(cpm_schedule *s, cpm_cost_function *cost, const parameters *p)
{
    double finish[MAX_PROCESSES], expected[MAX_PROCESSES];
    bool walked;
    cpm_error e = {0};
    double seconds = cpm_walk_spmd(
        s, &sizes, cost, p, &(cpm_plain_walking){.combine = combine_slowly}, finish, &walked, &e);
    assert_string_equal(e.text, "");
    if (!walked)
        return false;
    double last = rank_by_rank(s, cost, p, INFINITY, expected);
    assert_true(seconds == last);
    assert_memory_equal(finish, expected, (size_t)s->n * sizeof *finish);
    for (int k = 1; k < 4; k++) {
        double until = 0.3 * k * last;
        assert_true(cpm_walk_spmd(s, &sizes, cost, p,
                                  &(cpm_plain_walking){.combine = combine_slowly, .until = until},
                                  NULL, &walked, &e) == rank_by_rank(s, cost, p, until, NULL));
    }
    return true;
}

static void all_algorithms_take_the_same_together(void **state)
{
    (void)state;
    parameters p;
    randomize(&p, 7);
    int walked = 0, dense = 0;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int n = 1; n <= MAX_PROCESSES; n++) {
            cpm_schedule *s;
            if (cpm_schedule_create(a, &(cpm_call){.n = n, .bytes = sizes.bytes}, &s, NULL))
                continue;
            s->combining = CPM_COMBINING_FLOATS;
            bool is = walks_agree(s, lmo, &p) && walks_agree(s, hockney, &p) &&
                      walks_agree(s, all_rules, &p);
            if (is != (s->symmetry.period == 1 && s->pieces <= 1))
                fail_msg("%s:%s of %d: %s", a->operation, a->name, n,
                         is ? "walked in step" : "not walked in step");
            walked += is;
            dense += is && strcmp(a->name, "spreading-simple") == 0;
            cpm_schedule_free(s);
        }
    assert_true(walked > 15 * MAX_PROCESSES && dense == MAX_PROCESSES);
}

/* ---- what cannot be walked so */

/* Of one message to the next rank, in which it is sent and in which it is received. */
typedef struct {
    int sent, received, times;
    bool deferred;
} script;

static void build(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const script *x = s->state;
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < x->times && round == x->received; k++)
            cpm_recv(out, (rank + s->n - 1) % s->n, 0, 1);
        for (int k = 0; k < x->times && round == x->sent; k++)
            cpm_send(out, (rank + 1) % s->n, 0, 1);
        if (x->deferred && round == x->sent)
            cpm_defer_round(out);
        else
            cpm_next_round(out);
    }
}

static bool is_walked(script x)
{
    cpm_schedule s = {
        .n = 5, .root = -1, .blocks = 1, .symmetry = {CPM_SHIFTS, 1}, .build = build, .state = &x};
    parameters p;
    randomize(&p, 3);
    double expected = rank_by_rank(&s, lmo, &p, INFINITY, NULL);
    assert_true(cpm_walk(&s, &sizes, lmo, &p, NULL, NULL) == expected);
    return walks_agree(&s, lmo, &p);
}

static void messages_between_rounds_are_walked_rank_by_rank(void **state)
{
    (void)state;
    assert_true(is_walked((script){.times = 1}));
    assert_true(is_walked((script){.times = 3}));
    assert_false(is_walked((script){.received = 1, .times = 1}));
    assert_false(is_walked((script){.received = 2, .times = 2}));
    assert_false(is_walked((script){.times = 1, .deferred = true}));
    assert_false(is_walked((script){.sent = 1, .times = 1})); /* and a deadlock stays one */
}

static void unequal_blocks_are_not_alike(void **state)
{
    (void)state;
    const cpm_algorithm *a;
    cpm_schedule *s;
    size_t each[36];
    for (size_t k = 0; k < 36; k++)
        each[k] = 100 * k;
    bool walked = true;
    assert_int_equal(cpm_algorithm_find("alltoall", "ring", &a, NULL), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = 6}, &s, NULL), CPM_OK);
    cpm_walk_spmd(s, &(cpm_block_sizes){.each = each}, lmo, NULL, &(cpm_plain_walking){0}, NULL,
                  &walked, NULL);
    assert_false(walked);
    cpm_schedule_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_algorithms_take_the_same_together),
        cmocka_unit_test(messages_between_rounds_are_walked_rank_by_rank),
        cmocka_unit_test(unequal_blocks_are_not_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
