/* Names, checks and schedules of experiments. */
#include "measurements/experiment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/schedule/walk.h"

static cpm_experiment experiment(const char *name, int i, int j, int k)
{
    cpm_error e = {0};
    cpm_experiment x = {.i = i, .j = j, .k = k, .count = 1};
    assert_int_equal(cpm_experiment_parse(name, &x, &e), CPM_OK);
    return x;
}

static void a_name_parses_to_what_it_was_written_from(void **state)
{
    (void)state;
    const char *names[] = {"roundtrip",    "one-to-two",     "train",          "send-time",
                           "late-receive", "two-to-one",     "saturation",     "posted-trip",
                           "sent-back",    "crowded-triple", "scatter:native", "bcast:chain"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        cpm_experiment x = experiment(names[k], 0, 1, 2);
        char name[64];
        cpm_experiment_name(&x, name, sizeof name);
        assert_string_equal(name, names[k]);
    }
}

static void parse_fails_with(int code, const char *name, const char *says)
{
    cpm_error e = {0};
    cpm_experiment x = {.i = 4};
    assert_int_equal(cpm_experiment_parse(name, &x, &e), code);
    assert_null(x.kind);
    assert_null(x.collective.operation);
    if (!strstr(e.text, says))
        fail_msg("'%s' is not in '%s'", says, e.text);
}

static void parse_fails(const char *name, const char *says)
{
    parse_fails_with(CPM_EUNKNOWN, name, says);
}

static void an_unknown_name_lists_the_known_ones(void **state)
{
    (void)state;
    parse_fails("pingpong", "'pingpong' (known: roundtrip, one-to-two, train");
    parse_fails("", "known: roundtrip");
    parse_fails("gossip:linear", "known: bcast, scatter, ");
    parse_fails("scatter:ring", "known: linear, star, binomial, ");
    parse_fails("scatter:binomial:k=4", "does not take the parameter 'k=4' (parameters: map");
    parse_fails("alltoall:2d:x=bruck", "does not take the parameter 'x=bruck' (parameters: mesh");
    parse_fails_with(CPM_EINVAL, "bcast:chain:segment=0", "a segment has at least one byte");
    parse_fails_with(CPM_EINVAL, "bcast:2d:mesh=4y4", "is not like 4x4");
    parse_fails(":linear", "unknown operation ''");
}

static void check_fails(cpm_experiment x, const char *says)
{
    cpm_error e = {0};
    assert_int_equal(cpm_experiment_check(&x, 4, &e), CPM_EINVAL);
    if (!strstr(e.text, says))
        fail_msg("'%s' is not in '%s'", says, e.text);
}

static void ranks_must_fit_the_kind(void **state)
{
    (void)state;
    check_fails(experiment("roundtrip", 0, 4, -1), "rank 4 is not one of the 4");
    check_fails(experiment("roundtrip", 2, 2, -1), "rank 2 takes part twice");
    check_fails(experiment("roundtrip", 0, 1, 2), "no process k");
    check_fails(experiment("train", 0, 1, -1), "rank -1");
    check_fails(experiment("one-to-two", 0, 1, 0), "rank 0 takes part twice");
    check_fails(experiment("scatter:linear", 4, -1, -1), "rank 4");
    check_fails((cpm_experiment){.count = 1}, "neither");
    cpm_experiment x = experiment("train", 0, 1, 2);
    x.count = 0;
    check_fails(x, "count 0");
}

static void good_experiments_pass_the_check(void **state)
{
    (void)state;
    cpm_experiment good[] = {experiment("roundtrip", 3, 0, -1), experiment("train", 0, 1, 2),
                             experiment("one-to-two", 2, 3, 1),
                             experiment("gather:native", 3, -1, -1)};
    for (int k = 0; k < 4; k++)
        assert_int_equal(cpm_experiment_check(&good[k], 4, NULL), CPM_OK);
}

static void experiments_differ_in_any_member(void **state)
{
    (void)state;
    cpm_experiment x = experiment("train", 0, 1, 2), y = x;
    assert_true(cpm_experiment_equal(&x, &y));
    y.count = 2;
    assert_false(cpm_experiment_equal(&x, &y));
    y = x;
    y.reply_bytes = 1;
    assert_false(cpm_experiment_equal(&x, &y));
    y = experiment("one-to-two", 0, 1, 2);
    assert_false(cpm_experiment_equal(&x, &y));
}

/* A message occupies its sender for as many seconds as it has bytes. */
static void byte_cost(const void *model, int from, int to, size_t bytes, cpm_cost *c)
{
    (void)model, (void)from, (void)to;
    *c = (cpm_cost){.send = (double)bytes};
}

static void disjoint_experiments_do_not_disturb_each_other(void **state)
{
    (void)state;
    cpm_experiment x[3] = {experiment("roundtrip", 7, 0, -1), experiment("one-to-two", 5, 1, 3),
                           experiment("train", 4, 6, 2)};
    x[2].count = 10;
    const size_t each[] = {1, 2, 0, 30, 40, 0, 500, 600, 0};
    double finish[9];
    cpm_schedule *s = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_experiments_schedule(x, 3, 9, &s, &e), CPM_OK);
    assert_int_equal(s->blocks, 9);
    assert_true(cpm_walk(s, &(cpm_block_sizes){.each = each}, byte_cost, NULL, finish, &e) > 0);
    assert_true(finish[7] == 1 + 2);
    assert_true(finish[5] == 30 + 30 + 40);
    assert_true(finish[4] == 11 * 500 + 600);
    assert_true(finish[8] == 0);
    cpm_schedule_free(s);
}

/* Each sends to both others what is its own. */
static void three_exchange_at_once(void **state)
{
    (void)state;
    cpm_experiment x[2] = {experiment("crowded-triple", 2, 4, 0),
                           experiment("crowded-triple", 1, 5, 3)};
    size_t each[2 * CPM_EXPERIMENT_BLOCKS];
    double finish[6];
    cpm_schedule *s = NULL;
    for (int q = 0; q < 2; q++) {
        x[q].send_bytes = x[q].reply_bytes = q ? 30 : 7;
        cpm_experiment_blocks(&x[q], each + CPM_EXPERIMENT_BLOCKS * q);
    }
    assert_int_equal(cpm_experiments_schedule(x, 2, 6, &s, NULL), CPM_OK);
    assert_true(cpm_walk(s, &(cpm_block_sizes){.each = each}, byte_cost, NULL, finish, NULL) > 0);
    for (int i = 0; i < 6; i++)
        assert_true(finish[i] == (i % 2 ? 2 * 30 : 2 * 7));
    cpm_schedule_free(s);
}

/* What i receives first is not in its time. */
static void what_is_sent_back_was_received_before(void **state)
{
    (void)state;
    cpm_experiment x = experiment("sent-back", 1, 0, -1);
    size_t each[CPM_EXPERIMENT_BLOCKS];
    double finish[2];
    cpm_schedule *s = NULL;
    x.send_bytes = 100;
    cpm_experiment_blocks(&x, each);
    assert_int_equal(each[2], 0);
    assert_int_equal(cpm_experiments_schedule(&x, 1, 2, &s, NULL), CPM_OK);
    assert_true(cpm_walk(s, &(cpm_block_sizes){.each = each}, byte_cost, NULL, finish, NULL) > 0);
    assert_true(finish[1] == 100);
    cpm_schedule_free(s);
}

static void schedule_fails(const cpm_experiment *x, int count, int n, const char *says)
{
    cpm_schedule *s = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_experiments_schedule(x, count, n, &s, &e), CPM_EINVAL);
    assert_null(s);
    if (!strstr(e.text, says))
        fail_msg("'%s' is not in '%s'", says, e.text);
}

static void what_has_no_schedule_is_refused(void **state)
{
    (void)state;
    cpm_experiment shared[] = {experiment("roundtrip", 0, 1, -1),
                               experiment("roundtrip", 2, 1, -1)};
    schedule_fails(shared, 2, 4, "rank 1 takes part in two experiments");
    cpm_experiment native = experiment("bcast:native", 0, -1, -1);
    schedule_fails(&native, 1, 4, "bcast:native");
    cpm_experiment mixed[] = {experiment("roundtrip", 0, 1, -1),
                              experiment("bcast:linear", 0, -1, -1)};
    schedule_fails(mixed, 2, 4, "measured alone");
    schedule_fails(shared, 0, 4, "nothing to schedule");
}

static void a_collective_is_scheduled_from_its_root(void **state)
{
    (void)state;
    cpm_experiment x = experiment("scatter:linear", 2, -1, -1);
    cpm_schedule *s = NULL;
    int who[3];
    assert_int_equal(cpm_experiments_schedule(&x, 1, 5, &s, NULL), CPM_OK);
    assert_int_equal(s->root, 2);
    assert_int_equal(s->blocks, 5);
    assert_int_equal(cpm_experiment_ranks(&x, 5, who), 5);
    cpm_schedule_free(s);
}

static void the_measuring_process_comes_first(void **state)
{
    (void)state;
    cpm_experiment x = experiment("train", 4, 0, 3);
    int who[3];
    assert_int_equal(cpm_experiment_ranks(&x, 5, who), 3);
    assert_int_equal(who[0], 4);
    assert_int_equal(who[1], 0);
    assert_int_equal(who[2], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_parses_to_what_it_was_written_from),
        cmocka_unit_test(an_unknown_name_lists_the_known_ones),
        cmocka_unit_test(ranks_must_fit_the_kind),
        cmocka_unit_test(good_experiments_pass_the_check),
        cmocka_unit_test(experiments_differ_in_any_member),
        cmocka_unit_test(disjoint_experiments_do_not_disturb_each_other),
        cmocka_unit_test(three_exchange_at_once),
        cmocka_unit_test(what_is_sent_back_was_received_before),
        cmocka_unit_test(what_has_no_schedule_is_refused),
        cmocka_unit_test(a_collective_is_scheduled_from_its_root),
        cmocka_unit_test(the_measuring_process_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
