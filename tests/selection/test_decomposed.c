/* Meshes whose dimensions have other algorithms: predicted where there is a model, all without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "../models/hosts_model.h"
#include "adapt/contest.h"
#include "collectives/on_groups.h"
#include "selection/decomposed.h"

static cpm_collective named(const char *name)
{
    cpm_collective c;
    assert_int_equal(cpm_collective_parse(name, &c, NULL), CPM_OK);
    return c;
}

static cpm_request request_for(const cpm_collective *c)
{
    return (cpm_request){.operation = c->operation, .n = 8, .bytes = 4096};
}

/* Only meshes are asked for, so one of them wins; what is appended is faster than as it was. */
static void a_dimension_gets_the_algorithm_that_makes_the_mesh_faster(void **state)
{
    (void)state;
    static const int host[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const char *const names[] = {"bcast:2d",  "gather:2d",    "scatter:3d",
                                        "reduce:2d", "allgather:2d", "reduce_scatter:3d"};
    cpm_model *m = hosts_model(host, 8, 3);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const cpm_collective mesh = named(names[k]);
        const cpm_request r = request_for(&mesh);
        cpm_selector_options o = CPM_SELECTOR_OWN;
        candidates all = {0};
        o.only = &mesh;
        o.only_count = 1;
        const evaluation v = evaluation_of(m, &r, (cpm_size_class){r.bytes, r.bytes}, o.effort);
        assert_int_equal(candidates_list(m, &o, &r, &all, NULL), CPM_OK);
        assert_int_equal(evaluate_all(&v, &all, NULL), CPM_OK);
        const int before = all.count;
        const double fastest = candidates_best(&all)->seconds;
        assert_int_equal(decomposed_add(&v, &o, &all, NULL), CPM_OK);
        assert_in_range(all.count, before, before + 3);
        assert_true(candidates_best(&all)->seconds <= fastest);
        for (int i = before; i < all.count; i++) {
            const int *inner = all.at[i].what.with.inner;
            assert_true(inner[0] || inner[1] || inner[2]);
            assert_true(all.at[i].allowed && all.at[i].seconds > 0);
        }
        candidates_clear(&all);
    }
    cpm_model_free(m);
}

/* What the search for the best left when it was slower than another may be the faster one then. */
static void so_does_one_that_is_not_the_best_as_it_was(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2,
                               3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5};
    cpm_model *m = hosts_model(host, 24, 1);
    const cpm_collective scatter = named("scatter:binomial");
    const cpm_request r = {.operation = scatter.operation, .n = 24, .bytes = 2048};
    const cpm_selector_options o = CPM_SELECTOR_DEFAULT;
    candidates all = {0};
    const evaluation v = evaluation_of(m, &r, (cpm_size_class){r.bytes, r.bytes}, INFINITY);
    assert_int_equal(candidates_list(m, &o, &r, &all, NULL), CPM_OK);
    assert_int_equal(evaluate_all(&v, &all, NULL), CPM_OK);
    const double fastest = candidates_best(&all)->seconds;
    assert_int_equal(decomposed_add(&v, &o, &all, NULL), CPM_OK);
    const candidate *best = candidates_best(&all);
    assert_true(best->what.with.inner[0] || best->what.with.inner[1]);
    assert_true(best->seconds < fastest);
    candidates_clear(&all);
    cpm_model_free(m);
}

static bool takes_part(const cpm_contest *x, const char *name)
{
    const cpm_collective c = named(name);
    for (int k = 0; k < x->count; k++)
        if (cpm_collective_same(&x->at[k], &c))
            return true;
    return false;
}

static void lines_by_the_library_take_part_where_they_can_be_run(void **state)
{
    (void)state;
    const cpm_collective mesh = named("gather:2d");
    const cpm_request r = request_for(&mesh);
    for (int groups = 0; groups < 2; groups++) {
        cpm_contest_field field = {.options = CPM_SELECTOR_OWN, .groups = groups};
        cpm_contests c = {0};
        field.options.only = &mesh;
        field.options.only_count = 1;
        assert_int_equal(cpm_contests_add(&c, &field, &r, 0, NULL), CPM_OK);
        assert_true(takes_part(&c.at[0], "gather:2d"));
        assert_true(takes_part(&c.at[0], "gather:2d:x=linear:y=linear"));
        assert_true(takes_part(&c.at[0], "gather:2d:mesh=2x4:x=star:y=star"));
        assert_int_equal(takes_part(&c.at[0], "gather:2d:x=native:y=native"), groups);
        assert_int_equal(takes_part(&c.at[0], "gather:2d:mesh=2x4:x=native:y=native"), groups);
        cpm_contests_clear(&c);
    }
}

static void what_was_named_with_parameters_stays_as_it_is(void **state)
{
    (void)state;
    const cpm_collective mesh = named("gather:2d:mesh=2x4");
    const cpm_request r = request_for(&mesh);
    cpm_contest_field field = {.options = CPM_SELECTOR_OWN, .groups = true};
    cpm_contests c = {0};
    field.options.only = &mesh;
    field.options.only_count = 1;
    assert_int_equal(cpm_contests_add(&c, &field, &r, 0, NULL), CPM_OK);
    assert_int_equal(c.at[0].count, 2); /* with the library's own on all processes */
    cpm_contests_clear(&c);
}

static void what_cannot_be_run_is_not_allowed(void **state)
{
    (void)state;
    static const char *const wrong[] = {"gather:2d:mesh=3x4:x=native",
                                        "bcast:2d:segment=1K:x=native:y=native",
                                        "gather:2d:mesh=hosts:x=native"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        const cpm_collective c = named(wrong[k]);
        const cpm_request r = request_for(&c);
        assert_int_equal(cpm_request_allows(&r, &c, NULL), CPM_EINVAL);
    }
    const cpm_collective c = named("scatter:2d:x=native:y=native");
    cpm_request r = request_for(&c);
    assert_int_equal(cpm_request_allows(&r, &c, NULL), CPM_OK);
    assert_int_equal(cpm_operation_find("scatterv", &r.operation, NULL), CPM_OK);
    assert_int_equal(cpm_request_allows(&r, &c, NULL), CPM_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dimension_gets_the_algorithm_that_makes_the_mesh_faster),
        cmocka_unit_test(so_does_one_that_is_not_the_best_as_it_was),
        cmocka_unit_test(lines_by_the_library_take_part_where_they_can_be_run),
        cmocka_unit_test(what_was_named_with_parameters_stays_as_it_is),
        cmocka_unit_test(what_cannot_be_run_is_not_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
