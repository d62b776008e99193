/* The search against all mappings, where there are few. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../models/random_model.h"
#include "collectives/schedule/proof.h"
#include "mapping/mapping.h"

enum { MOST = 16 };

static const cpm_mapping_effort enough = {60, 1, 20, 0};

typedef struct {
    cpm_model *model;
    cpm_mapping_problem p;
    size_t sizes[MOST];
} problem;

static void open_problem(problem *x, int n, unsigned seed, const char *operation,
                         const char *algorithm, bool irregular)
{
    x->model = seed % 2 && n > 2 ? random_lmo(n, seed) : random_hockney(n, seed);
    char name[CPM_COLLECTIVE_NAME];
    int root = (int)seed % n;
    x->p = (cpm_mapping_problem){.model = x->model, .sizes.bytes = 8000};
    snprintf(name, sizeof name, "%s:%s", operation, algorithm);
    assert_int_equal(cpm_collective_parse(name, &x->p.what, NULL), CPM_OK);
    x->p.what.at.root = root;
    for (int i = 0; i < n; i++)
        x->sizes[i] = (size_t)random_between(&seed, 0, 50000);
    if (irregular)
        x->p.sizes.each = x->sizes;
}

static cpm_mapping_found find(const problem *x, cpm_mapping_effort effort)
{
    cpm_mapping_found f = {0};
    cpm_error e = {0};
    assert_int_equal(cpm_mapping_find(&x->p, &effort, &f, &e), CPM_OK);
    return f;
}

/* The least time over all mappings whose first nodes are placed, and all trees over them. */
static double best_of_all(const problem *x, cpm_mapping *m, int placed)
{
    int n = x->model->n;
    if (placed == n)
        return cpm_mapping_predict(&x->p, m, NULL, NULL);
    double best = INFINITY;
    for (int process = 0; process < n; process++) {
        bool used = false;
        for (int v = 0; v < placed; v++)
            used = used || m->process[v] == process;
        for (int parent = 0; !used && parent < (m->parent ? placed : 1); parent++) {
            m->process[placed] = process;
            if (m->parent)
                m->parent[placed] = parent;
            best = fmin(best, best_of_all(x, m, placed + 1));
        }
    }
    return best;
}

static double exhaustive(const problem *x)
{
    int process[MOST] = {x->p.what.at.root}, parent[MOST] = {-1};
    cpm_mapping m = {x->model->n, process, cpm_mapping_is_free(&x->p) ? parent : NULL};
    return best_of_all(x, &m, 1);
}

static const struct {
    const char *operation, *algorithm;
    bool irregular;
} cases[] = {
    {"bcast", "binomial", false},  {"bcast", "chain", false},    {"scatter", "binomial", false},
    {"scatter", "binomial", true}, {"gather", "binomial", true}, {"gather", "linear", true},
    {"bcast", "tree", false},      {"scatter", "tree", true},    {"gather", "tree", true},
    {"reduce", "binomial", false}, {"reduce", "tree", false}};

static void a_small_cluster_gets_the_best_of_all_mappings(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (unsigned seed = 1; seed <= 4; seed++) {
            problem x;
            bool is_free = strcmp(cases[k].algorithm, "tree") == 0;
            open_problem(&x, is_free ? 5 : 6, seed, cases[k].operation, cases[k].algorithm,
                         cases[k].irregular);
            cpm_mapping_found f = find(&x, enough);
            assert_true(f.converged);
            assert_true(fabs(f.seconds - exhaustive(&x)) < 1e-12);
            cpm_mapping_found_clear(&f);
            cpm_model_free(x.model);
        }
}

static void what_is_found_is_what_it_says_and_does_the_operation(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        problem x;
        cpm_schedule *s;
        const cpm_operation *operation;
        cpm_error e = {0};
        open_problem(&x, 11, 3, cases[k].operation, cases[k].algorithm, cases[k].irregular);
        cpm_mapping_found f = find(&x, (cpm_mapping_effort){60, 1, 2, 0});
        assert_true(f.seconds == cpm_mapping_predict(&x.p, &f.mapping, NULL, NULL));
        assert_true(f.seconds <= f.started);
        assert_true(f.started <= f.in_order);
        assert_true(cpm_mapping_is_free(&x.p) ||
                    f.in_order == cpm_mapping_predict(&x.p, NULL, NULL, NULL));
        cpm_collective what = x.p.what;
        what.at.n = f.mapping.n;
        what.at.mapping = f.mapping.process;
        what.at.parent = f.mapping.parent;
        assert_int_equal(cpm_collective_schedule(&what, &x.p.sizes, &s, &e), CPM_OK);
        assert_int_equal(cpm_operation_find(cases[k].operation, &operation, &e), CPM_OK);
        assert_int_equal(cpm_check(s, operation, false, &e), CPM_OK);
        cpm_schedule_free(s);
        cpm_mapping_found_clear(&f);
        cpm_model_free(x.model);
    }
}

static void a_free_tree_is_compared_with_the_usual_ones(void **state)
{
    (void)state;
    const char *const usual[] = {"linear", "chain", "binomial"};
    const char *const operations[] = {"bcast", "scatter", "gather"};
    for (int q = 0; q < 3; q++) {
        double best = INFINITY;
        problem x;
        for (int k = 0; k < 3; k++) {
            open_problem(&x, 13, 5, operations[q], usual[k], false);
            best = fmin(best, cpm_mapping_predict(&x.p, NULL, NULL, NULL));
            cpm_model_free(x.model);
        }
        open_problem(&x, 13, 5, operations[q], "tree", false);
        cpm_mapping_found f = find(&x, (cpm_mapping_effort){1e-9, 1, 1, 0});
        assert_true(f.in_order <= best * (1 + 1e-12));
        cpm_mapping_found_clear(&f);
        cpm_model_free(x.model);
    }
}

static void the_same_seed_finds_the_same_in_any_number_of_threads(void **state)
{
    (void)state;
    problem x;
    open_problem(&x, 10, 5, "scatter", "tree", true);
    cpm_mapping_found a = find(&x, (cpm_mapping_effort){60, 7, 5, 1});
    cpm_mapping_found b = find(&x, (cpm_mapping_effort){60, 7, 5, 3});
    assert_true(a.converged && b.converged);
    assert_int_equal(a.tried, b.tried);
    assert_memory_equal(a.mapping.process, b.mapping.process, 10 * sizeof(int));
    assert_memory_equal(a.mapping.parent, b.mapping.parent, 10 * sizeof(int));
    cpm_mapping_found_clear(&a);
    cpm_mapping_found_clear(&b);
    cpm_model_free(x.model);
}

static void a_found_tree_is_at_least_as_good_as_a_mapped_binomial_one(void **state)
{
    (void)state;
    const char *const operations[] = {"bcast", "scatter", "gather"};
    for (int k = 0; k < 3; k++) {
        problem bound, loose;
        open_problem(&bound, 8, 9, operations[k], "binomial", false);
        open_problem(&loose, 8, 9, operations[k], "tree", false);
        cpm_mapping_found a = find(&bound, enough), b = find(&loose, enough);
        assert_true(b.seconds <= a.seconds * (1 + 1e-12));
        cpm_mapping_found_clear(&a);
        cpm_mapping_found_clear(&b);
        cpm_model_free(bound.model);
        cpm_model_free(loose.model);
    }
}

static void two_processes_need_no_search(void **state)
{
    (void)state;
    const char *const algorithms[] = {"binomial", "tree"};
    for (int k = 0; k < 2; k++) {
        problem x;
        open_problem(&x, 2, 1, "bcast", algorithms[k], false);
        cpm_mapping_found f = find(&x, enough);
        assert_true(f.converged);
        assert_int_equal(f.mapping.process[0], 1);
        assert_int_equal(f.mapping.process[1], 0);
        cpm_mapping_found_clear(&f);
        cpm_model_free(x.model);
    }
}

static void time_that_is_over_still_gives_the_best_start(void **state)
{
    (void)state;
    problem x;
    open_problem(&x, MOST, 3, "bcast", "binomial", false);
    cpm_mapping_found f = find(&x, (cpm_mapping_effort){1e-9, 1, 20, 0});
    assert_false(f.converged);
    assert_true(f.seconds == f.started);
    assert_true(f.seconds <= f.in_order);
    cpm_mapping_found_clear(&f);
    cpm_model_free(x.model);
}

static void an_effort_of_nothing_is_refused(void **state)
{
    (void)state;
    problem x;
    open_problem(&x, 4, 3, "bcast", "binomial", false);
    cpm_mapping_found f = {0};
    cpm_error e = {0};
    assert_int_equal(cpm_mapping_find(&x.p, &(cpm_mapping_effort){0, 1, 5, 0}, &f, &e), CPM_EINVAL);
    cpm_error_clear(&e);
    assert_int_equal(cpm_mapping_find(&x.p, &(cpm_mapping_effort){1, 1, 0, 0}, &f, &e), CPM_EINVAL);
    assert_null(f.mapping.process);
    cpm_model_free(x.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_cluster_gets_the_best_of_all_mappings),
        cmocka_unit_test(what_is_found_is_what_it_says_and_does_the_operation),
        cmocka_unit_test(a_free_tree_is_compared_with_the_usual_ones),
        cmocka_unit_test(the_same_seed_finds_the_same_in_any_number_of_threads),
        cmocka_unit_test(a_found_tree_is_at_least_as_good_as_a_mapped_binomial_one),
        cmocka_unit_test(two_processes_need_no_search),
        cmocka_unit_test(time_that_is_over_still_gives_the_best_start),
        cmocka_unit_test(an_effort_of_nothing_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
