/* Lists of messages: of all rows they do and take what the rows do; turned round they collect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/schedule/messages.h"
#include "collectives/schedule/proof.h"
#include "costs.h"

enum { MOST = 13, BYTES = 3000 };

static cpm_schedule *schedule_of_list(const cpm_messages *m, const cpm_call *call)
{
    const cpm_algorithm row = cpm_messages_row(m, "list");
    cpm_schedule *s = NULL;
    cpm_error e = {0};
    if (cpm_schedule_create(&row, call, &s, &e))
        fail_msg("%s", e.text);
    return s;
}

static double walk(const cpm_schedule *s)
{
    static const cpm_block_sizes sizes = {.bytes = BYTES};
    static const cpm_plain_walking how = {.combine = combine_slowly};
    parameters p;
    randomize(&p, 101);
    double seconds = cpm_plain_walk(s, &sizes, lmo, &p, &how, NULL, NULL);
    assert_true(seconds >= 0);
    return seconds;
}

static bool is_ordered(const cpm_schedule *s)
{
    return cpm_check(s, s->operation, true, NULL) == CPM_OK;
}

/* Returns whether the row has a schedule there. */
static bool expect_the_same(const cpm_algorithm *a, const cpm_call *call)
{
    cpm_schedule *s = NULL;
    cpm_messages m = {0};
    cpm_error e = {0};
    if (cpm_schedule_create(a, call, &s, &e))
        return false;
    if (cpm_messages_of(s, &m, &e))
        fail_msg("%s:%s n %d: %s", a->operation, a->name, call->n, e.text);
    cpm_schedule *list = schedule_of_list(&m, call);
    if (cpm_check(list, list->operation, false, &e))
        fail_msg("%s:%s n %d: %s", a->operation, a->name, call->n, e.text);
    if (is_ordered(s) != is_ordered(list))
        fail_msg("%s:%s n %d: order", a->operation, a->name, call->n);
    double row = walk(s), listed = walk(list);
    if (!close_to(row, listed))
        fail_msg("%s:%s n %d: %g and %g s", a->operation, a->name, call->n, row, listed);
    cpm_schedule_free(list);
    cpm_messages_clear(&m);
    cpm_schedule_free(s);
    return true;
}

static void a_list_does_what_its_row_does(void **state)
{
    (void)state;
    int tried = 0;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int n = 1; n <= MOST; n += 1 + (n > 5)) {
            cpm_call call = {.n = n, .root = n / 3, .bytes = BYTES};
            cpm_hosts hosts = {0};
            if (n % 2 == 0)
                assert_int_equal(cpm_hosts_regular(n / 2, 2, n % 4, &hosts, NULL), CPM_OK);
            if (n % 2 == 0)
                call.hosts = &hosts;
            if (a->properties & CPM_TAKES_SEGMENT)
                call.with.segment = 700;
            tried += expect_the_same(a, &call);
            cpm_hosts_clear(&hosts);
        }
    assert_true(tried > 800);
}

/* Tidied it does the same, and a second time nothing changes. */
static bool expect_tidy(const cpm_algorithm *a, const cpm_call *call)
{
    cpm_schedule *s = NULL;
    cpm_messages m = {0}, once = {0}, twice = {0};
    cpm_error e = {0};
    if (cpm_schedule_create(a, call, &s, &e))
        return false;
    assert_int_equal(cpm_messages_of(s, &m, NULL), CPM_OK);
    assert_int_equal(cpm_messages_tidy(&m, &once, NULL), CPM_OK);
    assert_int_equal(cpm_messages_tidy(&once, &twice, NULL), CPM_OK);
    assert_int_equal(once.count, m.count);
    assert_int_equal(twice.run_count, once.run_count);
    assert_true(once.pieces <= m.pieces);
    assert_memory_equal(once.run, twice.run, (size_t)once.run_count * sizeof *once.run);
    cpm_schedule *list = schedule_of_list(&once, call);
    if (cpm_check(list, list->operation, false, &e))
        fail_msg("%s:%s n %d: %s", a->operation, a->name, call->n, e.text);
    assert_int_equal(is_ordered(s), is_ordered(list));
    cpm_schedule_free(list);
    cpm_messages_clear(&m);
    cpm_messages_clear(&once);
    cpm_messages_clear(&twice);
    cpm_schedule_free(s);
    return true;
}

static void tidied_it_does_the_same(void **state)
{
    (void)state;
    int tried = 0;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int n = 2; n <= 8; n += 3) {
            cpm_call call = {.n = n, .root = n - 1, .bytes = BYTES};
            if (a->properties & CPM_TAKES_SEGMENT)
                call.with.segment = 700;
            tried += expect_tidy(a, &call);
        }
    assert_true(tried > 250);
}

/* In pieces that no message takes apart there are none. */
static void pieces_that_stay_together(void **state)
{
    (void)state;
    const cpm_operation *op = NULL;
    cpm_messages m = {0}, tidied = {0};
    assert_int_equal(cpm_operation_find("gather", &op, NULL), CPM_OK);
    m = (cpm_messages){.operation = op, .n = 3, .root = 0, .pieces = 2};
    assert_int_equal(cpm_messages_add(&m, 2, 1, 0, false, NULL), CPM_OK);
    assert_int_equal(cpm_messages_and(&m, 5, 1, NULL), CPM_OK);
    assert_int_equal(cpm_messages_and(&m, 2, 1, NULL), CPM_OK);
    assert_int_equal(cpm_messages_add(&m, 1, 0, 1, false, NULL), CPM_OK);
    assert_int_equal(cpm_messages_and(&m, 4, 2, NULL), CPM_OK);
    assert_int_equal(cpm_messages_and(&m, 1, 2, NULL), CPM_OK);
    assert_int_equal(cpm_messages_tidy(&m, &tidied, NULL), CPM_OK);
    assert_int_equal(tidied.pieces, 1);
    assert_int_equal(tidied.run_count, 2);
    assert_int_equal(tidied.run[1].first, 1);
    assert_int_equal(tidied.run[1].count, 2);
    cpm_messages_clear(&m);
    cpm_messages_clear(&tidied);
}

static void expect_reversed(const char *from, const char *name, const char *to)
{
    const cpm_algorithm *a = NULL;
    const cpm_operation *op = NULL;
    assert_int_equal(cpm_algorithm_find(from, name, &a, NULL), CPM_OK);
    assert_int_equal(cpm_operation_find(to, &op, NULL), CPM_OK);
    for (int n = 1; n <= MOST; n++) {
        const cpm_call call = {.n = n, .root = n / 2, .bytes = BYTES};
        cpm_schedule *s = NULL;
        cpm_messages m = {0}, back = {0};
        cpm_error e = {0};
        assert_int_equal(cpm_schedule_create(a, &call, &s, NULL), CPM_OK);
        assert_int_equal(cpm_messages_of(s, &m, NULL), CPM_OK);
        assert_int_equal(cpm_messages_reverse(&m, op, &back, NULL), CPM_OK);
        cpm_schedule *turned = schedule_of_list(&back, &call);
        if (cpm_check(turned, op, false, &e))
            fail_msg("%s of %s:%s, n %d: %s", to, from, name, n, e.text);
        cpm_schedule_free(turned);
        cpm_messages_clear(&m);
        cpm_messages_clear(&back);
        cpm_schedule_free(s);
    }
}

static void turned_round_it_collects(void **state)
{
    (void)state;
    expect_reversed("scatter", "binomial", "gather");
    expect_reversed("bcast", "binomial", "reduce");
    expect_reversed("bcast", "linear", "reduce");
    expect_reversed("allgather", "logical-ring", "reduce_scatter");
    expect_reversed("allgather", "bruck", "reduce_scatter");
    expect_reversed("alltoall", "bruck", "alltoall");
}

static void expect_refused(const cpm_algorithm *a, const cpm_call *call, const char *text)
{
    cpm_schedule *none = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_schedule_create(a, call, &none, &e), CPM_EINVAL);
    assert_string_equal(e.text, text);
}

static void a_list_is_of_its_processes(void **state)
{
    (void)state;
    const cpm_algorithm *a = NULL;
    cpm_schedule *s = NULL;
    cpm_messages m = {0};
    cpm_hosts pairs = {0}, others = {0};
    int host[6] = {0, 0, 0, 1, 1, 1};
    assert_int_equal(cpm_algorithm_find("bcast", "binomial", &a, NULL), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = 6, .root = 2}, &s, NULL), CPM_OK);
    assert_int_equal(cpm_messages_of(s, &m, NULL), CPM_OK);
    assert_int_equal(cpm_hosts_regular(2, 3, false, &pairs, NULL), CPM_OK);
    assert_int_equal(cpm_hosts_regular(3, 2, false, &others, NULL), CPM_OK);
    m.host = host;
    const cpm_algorithm row = cpm_messages_row(&m, "@x");
    cpm_error e = {0};
    assert_int_equal(cpm_algorithm_applies(&row, &(cpm_call){.n = 6, .root = 2}, &e), CPM_OK);
    assert_int_equal(
        cpm_algorithm_applies(&row, &(cpm_call){.n = 6, .root = 2, .hosts = &pairs}, &e), CPM_OK);
    expect_refused(&row, &(cpm_call){.n = 7, .root = 2},
                   "bcast:@x: it is a schedule of 6 processes, not of 7");
    expect_refused(&row, &(cpm_call){.n = 6, .root = 1},
                   "bcast:@x: it is a schedule from root 2, not from 1");
    expect_refused(&row, &(cpm_call){.n = 6, .root = 2, .hosts = &others},
                   "bcast:@x: it was made for processes that share hosts in another way");
    m.host = NULL;
    cpm_hosts_clear(&pairs);
    cpm_hosts_clear(&others);
    cpm_messages_clear(&m);
    cpm_schedule_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_does_what_its_row_does), cmocka_unit_test(tidied_it_does_the_same),
        cmocka_unit_test(pieces_that_stay_together),     cmocka_unit_test(turned_round_it_collects),
        cmocka_unit_test(a_list_is_of_its_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
