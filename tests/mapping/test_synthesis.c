/* What is searched for is proved, never slower than rows, and the same with the same seed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../models/random_model.h"
#include "../quick.h"
#include "collectives/schedule/proof.h"
#include "mapping/contacts.h"
#include "mapping/synthesis.h"
#include "models/predict.h"

static const char *const operations[] = {"bcast",          "scatter",   "gather",
                                         "reduce",         "allgather", "alltoall",
                                         "reduce_scatter", "allreduce", "barrier"};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Time that does not run out before the attempts do. */
static const cpm_mapping_effort enough = {600, 1, 1, 1};

static cpm_collective collective_of(const char *operation, int root)
{
    cpm_collective what = {.at.root = root};
    assert_int_equal(cpm_operation_find(operation, &what.operation, NULL), CPM_OK);
    return what;
}

static void assert_proved(const cpm_model *m, const cpm_collective *what, size_t bytes,
                          const cpm_synthesized *s)
{
    const cpm_algorithm row = cpm_messages_row(&s->messages, "found");
    cpm_collective found = *what;
    found.algorithm = &row;
    cpm_schedule *made;
    const cpm_block_sizes sizes = {.bytes = bytes};
    cpm_error e = {0};
    assert_int_equal(cpm_model_schedule(m, &found, &sizes, &made, &e), CPM_OK);
    assert_int_equal(cpm_check(made, what->operation, false, &e), CPM_OK);
    cpm_schedule_free(made);
    double seconds = cpm_predict_bytes(m, &found, bytes, NULL, NULL, &e);
    assert_true(fabs(seconds - s->seconds) <= 1e-9 * seconds);
}

static cpm_synthesized find(const cpm_model *m, const cpm_collective *what, size_t bytes,
                            cpm_mapping_effort effort)
{
    cpm_synthesized s = {0};
    cpm_error e = {0};
    assert_int_equal(cpm_synthesize(m, what, bytes, &effort, false, &s, &e), CPM_OK);
    assert_proved(m, what, bytes, &s);
    /* a list is walked rank by rank, which rounds otherwise than like ranks at once do */
    assert_true(s.seconds <= s.row_seconds * (1 + 1e-3));
    return s;
}

static void what_is_found_is_right_and_no_slower_than_rows(void **state)
{
    (void)state;
    for (int k = 0; k < OPERATIONS; k++)
        for (int n = 2; n <= CPM_TEST_CASES(6, 4); n++) {
            cpm_model *m = random_lmo2(n, (unsigned)(7 * n + k));
            const cpm_collective what = collective_of(operations[k], k < 4 ? m->n - 1 : 0);
            const size_t bytes = n % 2 ? 200 : 30000;
            cpm_synthesized s = find(m, &what, bytes, (cpm_mapping_effort){0.05, 1, 1, 1});
            cpm_synthesized_clear(&s);
            cpm_model_free(m);
        }
}

static bool same_messages(const cpm_messages *a, const cpm_messages *b)
{
    if (a->count != b->count || a->run_count != b->run_count)
        return false;
    for (int64_t k = 0; k < a->count; k++)
        if (a->at[k].from != b->at[k].from || a->at[k].to != b->at[k].to ||
            a->at[k].round[0] != b->at[k].round[0] || a->at[k].round[1] != b->at[k].round[1])
            return false;
    return !a->run_count || !memcmp(a->run, b->run, (size_t)a->run_count * sizeof *a->run);
}

static void the_same_seed_finds_the_same(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(5, 3);
    const cpm_collective what = collective_of("bcast", 1);
    cpm_synthesized first = find(m, &what, 100, enough), again = find(m, &what, 100, enough);
    assert_true(first.converged && again.converged);
    assert_true(first.seconds == again.seconds);
    assert_int_equal(first.tried, again.tried);
    assert_true(same_messages(&first.messages, &again.messages));
    cpm_synthesized_clear(&first);
    cpm_synthesized_clear(&again);
    cpm_model_free(m);
}

static void unlike_hosts_are_served_faster_than_by_rows(void **state)
{
    (void)state;
    int faster = 0;
    for (int k = 0; k < 4; k++) {
        cpm_model *m = random_lmo(7, 11 + (unsigned)k);
        const cpm_collective what = collective_of(operations[k], 0);
        cpm_synthesized s = find(m, &what, 1000, enough);
        faster += s.seconds < 0.99 * s.row_seconds;
        cpm_synthesized_clear(&s);
        cpm_model_free(m);
    }
    assert_true(faster > 0);
}

static cpm_model *alike(int n)
{
    cpm_model *m = random_hockney(n, 1);
    for (int k = 0; k < n * n; k++) {
        m->value[CPM_HOCKNEY_ALPHA][k] = k % (n + 1) ? 5e-5 : 0;
        m->value[CPM_HOCKNEY_BETA][k] = k % (n + 1) ? 1e-8 : 0;
    }
    return m;
}

/* The fastest algorithm but those on circulant graphs, in segments if it takes them. */
static double fastest_but_circulant(const cpm_model *m, const cpm_collective *what, size_t bytes)
{
    double best = INFINITY;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        const bool cut = a->properties & CPM_TAKES_SEGMENT;
        for (size_t segment = 0; segment <= (cut ? bytes / 4 : 0);
             segment = segment ? 2 * segment : 1024) {
            cpm_collective row = *what;
            const cpm_block_sizes sizes = {.bytes = bytes};
            row.algorithm = a;
            row.with.segment = segment;
            row.at.n = m->n;
            if (strcmp(a->name, "circulant") == 0 || a->theirs ||
                !cpm_algorithm_serves(a, what->operation) ||
                cpm_collective_applies(&row, NULL) != CPM_OK)
                continue;
            const double seconds = cpm_predict_collective(m, &row, &sizes, NULL, NULL, NULL);
            best = seconds >= 0 ? fmin(best, seconds) : best;
        }
    }
    return best;
}

/* On alike hosts: a binomial tree and a pipeline, recursive doubling and rings. That a circulant
 * graph needs fewer rounds than a pipeline it does not find. */
static void without_algorithms_it_finds_what_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *operation;
        size_t bytes;
    } known[] = {{"bcast", 1},     {"bcast", 1 << 20},     {"reduce", 1},  {"allgather", 1},
                 {"alltoall", 1},  {"allgather", 1 << 20}, {"barrier", 0}, {"reduce_scatter", 1},
                 {"allreduce", 1}, {"allreduce", 1 << 20}};
    cpm_model *m = alike(8);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const cpm_collective what = collective_of(known[k].operation, 0);
        cpm_synthesized s = {0};
        cpm_error e = {0};
        if (cpm_synthesize(m, &what, known[k].bytes, &enough, true, &s, &e))
            fail_msg("%s: %s", known[k].operation, e.text);
        const bool long_bcast = what.operation->rooted && known[k].bytes > 1;
        const double fastest =
            long_bcast ? fastest_but_circulant(m, &what, known[k].bytes) : s.row_seconds;
        if (s.seconds > 1.03 * fastest)
            fail_msg("%s of %zu B: %g s, %s %g s", known[k].operation, known[k].bytes, s.seconds,
                     s.row, s.row_seconds);
        assert_proved(m, &what, known[k].bytes, &s);
        assert_true(strcmp(s.way, "row") != 0 && strcmp(s.way, "rows") != 0);
        cpm_synthesized_clear(&s);
    }
    cpm_model_free(m);
}

static void assert_refused(const cpm_model *m, const cpm_collective *what,
                           cpm_mapping_effort effort, int status)
{
    cpm_synthesized s = {0};
    cpm_error e = {0};
    assert_int_equal(cpm_synthesize(m, what, 8, &effort, false, &s, &e), status);
    assert_int_equal(e.code, status);
    assert_null(s.messages.at);
}

static void what_cannot_be_searched_for_is_refused(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(3, 1), *whole;
    static const char *const others[] = {"scan", "exscan", "neighbor_allgather",
                                         "neighbor_alltoall"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        const cpm_collective what = collective_of(others[k], 0);
        assert_refused(m, &what, enough, CPM_EINVAL);
    }
    cpm_collective what = collective_of("bcast", 3);
    assert_refused(m, &what, enough, CPM_EINVAL);
    what.at.root = 0;
    assert_refused(m, &what, (cpm_mapping_effort){0, 1, 1, 1}, CPM_EINVAL);
    assert_refused(m, &what, (cpm_mapping_effort){1, 1, 0, 1}, CPM_EINVAL);
    const cpm_model_type *interp;
    assert_int_equal(cpm_model_type_find("interp", &interp, NULL), CPM_OK);
    assert_int_equal(cpm_model_create(interp, 3, &whole, NULL), CPM_OK);
    assert_refused(whole, &what, enough, CPM_EDATA);
    cpm_model_free(whole);
    cpm_model_free(m);
}

static void v_operations_are_searched_for_too(void **state)
{
    (void)state;
    static const double weights[] = {0.5, 2, 0, 1.5};
    static const char *const some[] = {"scatterv", "gatherv", "allgatherv", "alltoallv"};
    cpm_model *m = random_hockney(4, 5);
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        cpm_collective what = collective_of(some[k], 0);
        what.at.n = m->n;
        what.at.weights = weights;
        cpm_synthesized s = find(m, &what, 1000, (cpm_mapping_effort){0.1, 1, 1, 1});
        cpm_synthesized_clear(&s);
    }
    cpm_model_free(m);
}

/* ---- contacts */

static const contacts_form spread = {.turn = CONTACTS_SPREAD, .n = 3, .root = 0, .pieces = 1};

static contacts_form form_of(int operation, int spreads, contacts_turn turn)
{
    contacts_form f = spread;
    f.operation = &cpm_operations[operation];
    f.spreads = &cpm_operations[spreads];
    f.turn = turn;
    return f;
}

static void what_came_in_a_round_is_sent_in_later_ones(void **state)
{
    (void)state;
    const contacts_form f = form_of(CPM_OP_BCAST, CPM_OP_BCAST, CONTACTS_SPREAD);
    contacts_maker *k;
    contacts c = {0};
    const cpm_messages *list;
    assert_int_equal(contacts_maker_open(&f, &k, NULL), CPM_OK);
    contacts_add(&c, (contact){0, 1, CONTACT_ALL, {false, false}}, NULL);
    contacts_add(&c, (contact){1, 2, CONTACT_ALL, {false, false}}, NULL);
    assert_int_equal(contacts_make(k, &c, &list, NULL), CPM_OK);
    assert_null(list); /* 1 has nothing yet */
    contacts_add(&c, (contact){1, 2, CONTACT_ALL, {true, false}}, NULL);
    assert_int_equal(contacts_make(k, &c, &list, NULL), CPM_OK);
    assert_int_equal(list->count, 2);
    contacts_clear(&c);
    contacts_maker_close(k);
}

static void contacts_that_give_nothing_are_removed(void **state)
{
    (void)state;
    const contacts_form f = form_of(CPM_OP_GATHER, CPM_OP_SCATTER, CONTACTS_REVERSED);
    contacts_maker *k;
    contacts c = {0};
    const cpm_messages *list;
    assert_int_equal(contacts_maker_open(&f, &k, NULL), CPM_OK);
    for (int to = 1; to < 3; to++)
        for (int twice = 0; twice < 2; twice++)
            contacts_add(&c, (contact){0, to, CONTACT_ALL, {false, false}}, NULL);
    assert_int_equal(contacts_make(k, &c, &list, NULL), CPM_OK);
    assert_int_equal(c.count, 2);
    assert_int_equal(list->count, 2);
    assert_int_equal(list->at[0].to, 0); /* it collects */
    contacts_clear(&c);
    contacts_maker_close(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_is_right_and_no_slower_than_rows),
        cmocka_unit_test(the_same_seed_finds_the_same),
        cmocka_unit_test(unlike_hosts_are_served_faster_than_by_rows),
        cmocka_unit_test(without_algorithms_it_finds_what_is_known),
        cmocka_unit_test(what_cannot_be_searched_for_is_refused),
        cmocka_unit_test(v_operations_are_searched_for_too),
        cmocka_unit_test(what_came_in_a_round_is_sent_in_later_ones),
        cmocka_unit_test(contacts_that_give_nothing_are_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
