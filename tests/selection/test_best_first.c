/* The search for the best finds what walking all candidates finds, and in a hurry comes near to it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "../models/hosts_model.h"
#include "selection/evaluate.h"

static cpm_model *model_of(int n, unsigned seed)
{
    cpm_model *m = random_lmo2(n, seed);
    for (int i = 0; i < n; i++) {
        m->value[CPM_LMO2_GO][i] = random_between(&seed, 8e-9, 30e-9);
        m->value[CPM_LMO2_GI][i] = random_between(&seed, 8e-9, 30e-9);
    }
    return m;
}

typedef struct {
    const cpm_model *m;
    cpm_selector_options options;
    cpm_request request;
    cpm_size_class sizes;
} question;

static question ask(const cpm_model *m, const char *operation, size_t bytes)
{
    question q = {.m = m, .options = CPM_SELECTOR_DEFAULT};
    q.options.library = CPM_LIBRARY_MPICH;
    assert_int_equal(cpm_operation_find(operation, &q.request.operation, NULL), CPM_OK);
    q.request.n = m->n;
    q.request.bytes = bytes;
    q.sizes = (cpm_size_class){bytes, bytes};
    return q;
}

static candidates list(const question *q)
{
    candidates c;
    assert_int_equal(candidates_list(q->m, &q->options, &q->request, &c, NULL), CPM_OK);
    return c;
}

/* Of all of them, each walked to its end. */
static double walk_all(const question *q)
{
    const evaluation v = evaluation_of(q->m, &q->request, q->sizes, INFINITY);
    candidates c = list(q);
    for (int k = 0; k < c.count; k++)
        assert_int_equal(evaluate_one(&v, &c.at[k], NULL), CPM_OK);
    double seconds = candidates_best(&c)->seconds;
    candidates_clear(&c);
    return seconds;
}

/* What the best that is found within so many seconds of predicting takes. */
static double search(const question *q, double most)
{
    const evaluation v = evaluation_of(q->m, &q->request, q->sizes, most);
    const evaluation exact = evaluation_of(q->m, &q->request, q->sizes, INFINITY);
    candidates c = list(q);
    assert_int_equal(evaluate_all(&v, &c, NULL), CPM_OK);
    for (int k = 0; k < c.count; k++)
        if (c.at[k].usual)
            assert_true(c.at[k].seconds >= 0);
    candidate *best = &c.at[candidates_best(&c) - c.at];
    assert_int_equal(evaluate_one(&exact, best, NULL), CPM_OK);
    double seconds = best->seconds;
    candidates_clear(&c);
    return seconds;
}

static const char *const operations[] = {"bcast",    "gather",    "allgather",
                                         "alltoall", "allreduce", "barrier"};

enum { OPERATIONS = sizeof operations / sizeof *operations };

static void the_search_finds_what_walking_all_finds(void **state)
{
    (void)state;
    cpm_model *m = model_of(12, 3);
    for (int o = 0; o < OPERATIONS; o++)
        for (size_t bytes = 64; bytes <= 65536; bytes *= 32) {
            const question q = ask(m, operations[o], bytes);
            assert_true(search(&q, INFINITY) == walk_all(&q));
        }
    cpm_model_free(m);
}

/* Within the per cent that it does not look for, and the coarser walk. */
static void and_in_a_hurry_comes_near_to_it(void **state)
{
    (void)state;
    cpm_model *m = model_of(12, 4);
    for (int o = 0; o < OPERATIONS; o++)
        for (size_t bytes = 64; bytes <= 65536; bytes *= 32) {
            const question q = ask(m, operations[o], bytes);
            assert_true(search(&q, 0.15) <= 1.05 * walk_all(&q));
        }
    cpm_model_free(m);
}

/* However short the time is: what is named instead of what is usual is no estimate, where processes
 * share hosts. */
static void nothing_is_named_that_was_not_walked(void **state)
{
    (void)state;
    int host[40];
    for (int i = 0; i < 40; i++)
        host[i] = i / 5;
    cpm_model *m = hosts_model(host, 40, 6);
    for (int o = 0; o < OPERATIONS; o++)
        for (double most = 1e-4; most < 0.02; most *= 3) {
            const question q = ask(m, operations[o], 16384);
            const evaluation v = evaluation_of(m, &q.request, q.sizes, most);
            const evaluation exact = evaluation_of(m, &q.request, q.sizes, INFINITY);
            candidates c = list(&q);
            assert_int_equal(evaluate_all(&v, &c, NULL), CPM_OK);
            candidate *best = &c.at[candidates_best(&c) - c.at];
            const double seconds = best->seconds;
            assert_int_equal(evaluate_one(&exact, best, NULL), CPM_OK);
            if (!best->usual)
                assert_true(fabs(seconds / best->seconds - 1) < 0.02);
            candidates_clear(&c);
        }
    cpm_model_free(m);
}

/* What there is no time to walk is estimated: from what it takes at least. */
static void what_is_not_walked_is_estimated(void **state)
{
    (void)state;
    cpm_model *m = model_of(100, 5);
    const question q = ask(m, "alltoall", 16384);
    const evaluation v = evaluation_of(m, &q.request, q.sizes, 0.006);
    candidates c = list(&q);
    assert_int_equal(evaluate_all(&v, &c, NULL), CPM_OK);
    for (int k = 0; k < c.count; k++) {
        const candidate *x = &c.at[k];
        double last = 0;
        if (!x->usual)
            continue;
        assert_true(x->seconds >= x->least && x->seconds < 1.5 * x->least);
        for (int r = 0; r < m->n; r++)
            last = fmax(last, x->finish[r]);
        assert_true(fabs(last / x->seconds - 1) < 1e-9);
    }
    candidates_clear(&c);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_search_finds_what_walking_all_finds),
        cmocka_unit_test(and_in_a_hurry_comes_near_to_it),
        cmocka_unit_test(nothing_is_named_that_was_not_walked),
        cmocka_unit_test(what_is_not_walked_is_estimated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
