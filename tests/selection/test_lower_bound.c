/* No schedule ends below the bound, whatever it is; and the bound says something. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../models/hosts_model.h"
#include "models/hockney.h"
#include "models/interp.h"
#include "models/walking.h"
#include "selection/lower_bound.h"

enum { MOST = 17 };

/* A random permutation that begins with the root. */
static void shuffle(int n, int root, unsigned *seed, int *mapping)
{
    for (int v = 0; v < n; v++)
        mapping[v] = (v + root) % n;
    for (int v = n - 1; v > 1; v--) {
        const int other = 1 + (int)random_between(seed, 0, v), moved = mapping[v];
        mapping[v] = mapping[other];
        mapping[other] = moved;
    }
}

/* Seconds of the walk, or infinite where there is none. */
static double walk(const cpm_model *m, const cpm_collective *c, size_t bytes)
{
    const cpm_block_sizes sizes = {.bytes = bytes};
    cpm_schedule *s;
    if (cpm_collective_schedule(c, &sizes, &s, NULL))
        return INFINITY;
    const cpm_walking exact = {.exact = true};
    const double seconds = cpm_model_walk(m, s, &sizes, &exact, NULL, NULL);
    cpm_schedule_free(s);
    assert_true(seconds >= 0);
    return seconds;
}

/* The same in segments, where it has them. */
static cpm_collective in_segments(const cpm_collective *c)
{
    char name[CPM_COLLECTIVE_NAME + 16];
    cpm_collective cut;
    snprintf(name, sizeof name, "%s:%s:segment=1000", c->operation->name, c->algorithm->name);
    if (cpm_collective_parse(name, &cut, NULL))
        return *c;
    cut.at = c->at;
    return cut;
}

/* By an algorithm as it is, and with its processes in random places, also in segments. */
static double compare(const cpm_model *m, const cpm_algorithm *a, size_t bytes, unsigned *seed)
{
    cpm_collective c;
    cpm_lower_bound bound;
    int mapping[MOST], parent[MOST];
    double best = INFINITY;
    const int root = (int)(bytes % (size_t)m->n);
    assert_int_equal(cpm_collective_of(a, &c, NULL), CPM_OK);
    c.at = (cpm_placement){.n = m->n, .root = c.operation->rooted ? root : 0, .hosts = &m->on};
    if (m->inside.count == 0)
        c.at.hosts = NULL;
    if (cpm_operation_is_of_neighbours(c.operation))
        return INFINITY;
    bytes = c.operation->dataless ? 0 : bytes;
    assert_int_equal(cpm_lower_bound_of(m, &c, bytes, &bound, NULL), CPM_OK);
    assert_true(bound.seconds > 0);
    for (int turn = 0; turn < 3; turn++) {
        shuffle(m->n, c.at.root, seed, mapping);
        for (int v = 0; v < m->n; v++)
            parent[v] = v ? (int)random_between(seed, 0, v) : -1;
        c.at.parent = strcmp(a->name, "tree") ? NULL : parent;
        c.at.mapping = turn && c.operation->rooted ? mapping : NULL;
        const cpm_collective cut = in_segments(&c);
        const double seconds = walk(m, turn == 2 ? &cut : &c, bytes);
        if (bound.seconds > seconds * (1 + 1e-9))
            fail_msg("%s, %s:%s, %d processes, %zu bytes: at least %g s (%s), but %g",
                     m->type->name, c.operation->name, a->name, m->n, bytes, bound.seconds,
                     bound.limit, seconds);
        best = fmin(best, seconds / bound.seconds);
    }
    return best;
}

/* The least factor over a bound of which there is one. */
static double compare_all(cpm_model *m, unsigned seed)
{
    const size_t bytes[] = {0, 1, 100, 5000, 8192, 200000};
    double best = INFINITY;
    for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++)
        for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
            best = fmin(best, compare(m, a, bytes[k], &seed));
    cpm_model_free(m);
    return best;
}

static cpm_model *with_link_ends(int n, unsigned *seed)
{
    cpm_model *m = random_lmo2(n, *seed);
    for (int i = 0; i < n; i++) {
        m->value[CPM_LMO2_GO][i] = random_between(seed, 8e-9, 30e-9);
        m->value[CPM_LMO2_GI][i] = random_between(seed, 8e-9, 30e-9);
    }
    return m;
}

static void no_walk_ends_below_the_bound(void **state)
{
    (void)state;
    for (int n = 2; n <= 17; n += 5) {
        unsigned seed = (unsigned)n;
        cpm_model *m = with_link_ends(n, &seed);
        assert_true(compare_all(m, seed) < (n == 2 ? 1 + 1e-6 : 2));
    }
}

static void nor_behind_switches_and_links(void **state)
{
    (void)state;
    const int n = 12, of[] = {0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2};
    const char *const name[] = {"a", "b", "c"};
    unsigned seed = 7;
    cpm_classes switches;
    cpm_model *m = with_link_ends(n, &seed);
    assert_int_equal(cpm_classes_create(n, of, 3, name, &switches, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_switches(m, &switches, NULL), CPM_OK);
    cpm_classes_clear(&switches);
    for (int k = 0; k < 3; k++) {
        m->value[CPM_LMO2_UP][k] = random_between(&seed, 10e-9, 60e-9);
        m->value[CPM_LMO2_DOWN][k] = random_between(&seed, 10e-9, 60e-9);
    }
    compare_all(m, seed);

    cpm_links_draft draft = {.hosts = n};
    cpm_links links;
    m = with_link_ends(n, &seed);
    const int core = cpm_links_draft_name(&draft, "core", NULL);
    assert_int_equal(cpm_links_draft_read(&draft, core, "0-5 <> 6-11", NULL), CPM_OK);
    const int port = cpm_links_draft_name(&draft, "port", NULL);
    assert_int_equal(cpm_links_draft_read(&draft, port, "3 > 0-11", NULL), CPM_OK);
    assert_int_equal(cpm_links_draft_end(&draft, &links, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_links(m, &links, NULL), CPM_OK);
    cpm_links_clear(&links);
    m->value[CPM_LMO2_LINK][core] = 40e-9;
    m->value[CPM_LMO2_LINK][port] = 50e-9;
    compare_all(m, seed);
}

/* Each link of a ring is passed by all messages whose shorter way it is on. */
static void nor_on_a_ring(void **state)
{
    (void)state;
    const int n = 9;
    unsigned seed = 11;
    cpm_links_draft draft = {.hosts = n};
    cpm_links links;
    cpm_model *m = with_link_ends(n, &seed);
    for (int k = 0; k < 2 * n; k++) { /* to the next one, and back */
        char name[16], pair[32];
        const int at = k % n, step = k < n ? 1 : n - 1;
        snprintf(name, sizeof name, "%d", k);
        const int link = cpm_links_draft_name(&draft, name, NULL);
        for (int from = 0; from < n; from++)
            for (int far = 1; far <= n / 2; far++)
                if ((at - from + n) * step % n < far) {
                    snprintf(pair, sizeof pair, "%d > %d", from, (from + far * step) % n);
                    assert_int_equal(cpm_links_draft_read(&draft, link, pair, NULL), CPM_OK);
                }
    }
    assert_int_equal(cpm_links_draft_end(&draft, &links, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_links(m, &links, NULL), CPM_OK);
    cpm_links_clear(&links);
    for (int k = 0; k < 2 * n; k++)
        m->value[CPM_LMO2_LINK][k] = random_between(&seed, 20e-9, 40e-9);
    cpm_collective c;
    cpm_lower_bound bound;
    assert_int_equal(cpm_collective_parse("alltoall:simple", &c, NULL), CPM_OK);
    c.at = (cpm_placement){.n = n};
    assert_int_equal(cpm_lower_bound_of(m, &c, 200000, &bound, NULL), CPM_OK);
    assert_string_equal(bound.limit, "all links together");
    assert_true(compare_all(m, seed) < 1.5);
}

static void nor_on_hosts_of_several(void **state)
{
    (void)state;
    const int host[] = {0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3};
    const int large[] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1};
    compare_all(hosts_model(host, 12, 5), 1);
    compare_all(hosts_model(large, 14, 6), 2);
    compare_all(hosts_model((const int[]){0, 0, 0, 0, 0}, 5, 7), 3);
}

static void nor_where_messages_do_not_hinder_each_other(void **state)
{
    (void)state;
    for (int n = 3; n <= 17; n += 7) {
        compare_all(random_lmo(n, (unsigned)n), 2);
        compare_all(random_hockney(n, (unsigned)n), 3);
        compare_all(random_loggp(n, (unsigned)n), 4);
    }
}

/* What Karp et al. say of alike processes is what the trees reach. */
static void binomial_trees_reach_it(void **state)
{
    (void)state;
    const char *const trees[] = {"bcast:binomial", "reduce:binomial"};
    cpm_model *m;
    assert_int_equal(cpm_model_create(&cpm_hockney, 16, &m, NULL), CPM_OK);
    for (int k = 0; k < 16 * 16; k++)
        if (k / 16 != k % 16) {
            m->value[CPM_HOCKNEY_ALPHA][k] = 50e-6;
            m->value[CPM_HOCKNEY_BETA][k] = 1e-9;
        }
    for (int k = 0; k < 2; k++) {
        cpm_collective c;
        cpm_lower_bound bound;
        assert_int_equal(cpm_collective_parse(trees[k], &c, NULL), CPM_OK);
        c.at = (cpm_placement){.n = 16};
        assert_int_equal(cpm_lower_bound_of(m, &c, 1, &bound, NULL), CPM_OK);
        const double seconds = walk(m, &c, 1);
        assert_true(bound.seconds <= seconds && bound.seconds > (1 - 1e-9) * seconds);
        assert_string_equal(bound.limit, "start-ups");
    }
    cpm_model_free(m);
}

static void there_is_none_without_messages(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1000};
    const double weights[] = {1, 1, 1};
    cpm_collective c;
    cpm_lower_bound bound;
    cpm_error e = {0};
    cpm_model *m;
    assert_int_equal(cpm_collective_parse("scatterv:linear", &c, NULL), CPM_OK);
    assert_int_equal(
        cpm_model_create_sized(&cpm_interp, 3, &(cpm_sizes){(size_t *)sizes, 2}, &m, NULL), CPM_OK);
    assert_int_equal(cpm_lower_bound_of(m, &c, 1, &bound, &e), CPM_EINVAL);
    assert_string_equal(e.text,
                        "model interp knows no messages: it has no bound; take another model");
    cpm_model_free(m);
    m = random_lmo(3, 1);
    c.at.weights = weights;
    assert_int_equal(cpm_lower_bound_of(m, &c, 1, &bound, NULL), CPM_EINVAL);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_walk_ends_below_the_bound),
        cmocka_unit_test(nor_behind_switches_and_links),
        cmocka_unit_test(nor_on_a_ring),
        cmocka_unit_test(nor_on_hosts_of_several),
        cmocka_unit_test(nor_where_messages_do_not_hinder_each_other),
        cmocka_unit_test(binomial_trees_reach_it),
        cmocka_unit_test(there_is_none_without_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
