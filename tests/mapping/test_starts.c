/* Heuristics that the search starts from. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../models/random_model.h"
#include "mapping/graph.h"
#include "mapping/starts.h"

enum { N = 12 };

static void random_weights(unsigned seed, bool symmetric, double w[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            w[i][j] = i == j ? 0 : random_between(&seed, 1, 9);
    for (int i = 0; symmetric && i < N; i++)
        for (int j = 0; j < i; j++)
            w[i][j] = w[j][i];
}

static double path_length(double w[N][N], const int *parent, int v)
{
    return parent[v] < 0 ? 0 : w[parent[v]][v] + path_length(w, parent, parent[v]);
}

static double longest_edge(double w[N][N], const int *parent, int v)
{
    return parent[v] < 0 ? 0 : fmax(w[parent[v]][v], longest_edge(w, parent, parent[v]));
}

static void no_edge_shortens_a_shortest_path(void **state)
{
    (void)state;
    double w[N][N];
    int parent[N], order[N];
    for (unsigned seed = 1; seed <= 20; seed++) {
        random_weights(seed, false, w);
        assert_int_equal(cpm_graph_shortest_paths(N, 3, &w[0][0], parent, order, NULL), CPM_OK);
        assert_int_equal(order[0], 3);
        assert_int_equal(parent[3], -1);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                assert_true(path_length(w, parent, j) <=
                            path_length(w, parent, i) + w[i][j] + 1e-12);
        for (int k = 1; k < N; k++)
            assert_true(path_length(w, parent, order[k - 1]) <= path_length(w, parent, order[k]));
    }
}

/* Of a tree rooted at 0: the path from i to 0 meets that of j; an edge between them is at least as
 * long as all on the paths to the root up to there. Rooted at i the path to j has them all. */
static void no_edge_makes_a_spanning_tree_shorter(void **state)
{
    (void)state;
    double w[N][N], total[N] = {0};
    int parent[N], order[N];
    random_weights(7, true, w);
    for (int root = 0; root < N; root++) {
        assert_int_equal(cpm_graph_spanning_tree(N, root, &w[0][0], parent, order, NULL), CPM_OK);
        assert_int_equal(order[0], root);
        for (int j = 0; j < N; j++) {
            total[root] += parent[j] < 0 ? 0 : w[parent[j]][j];
            assert_true(j == root || longest_edge(w, parent, j) <= w[root][j]);
        }
        assert_true(fabs(total[root] - total[0]) < 1e-9);
    }
}

/* ---- the table */

typedef struct {
    cpm_model *model;
    cpm_edges edges;
    cpm_growth growth;
    int order[N], parent[N];
} growing;

static void open_growing(growing *g, const char *operation, const char *algorithm,
                         const size_t *sizes)
{
    char name[CPM_COLLECTIVE_NAME];
    cpm_mapping_problem p = {.sizes = {.bytes = 4000, .each = sizes}};
    snprintf(name, sizeof name, "%s:%s", operation, algorithm);
    assert_int_equal(cpm_collective_parse(name, &p.what, NULL), CPM_OK);
    p.what.at.root = 4;
    g->model = random_lmo(N, 3);
    g->growth = (cpm_growth){g->order, g->parent};
    p.model = g->model;
    assert_int_equal(cpm_edges_create(&p, &g->edges, NULL), CPM_OK);
}

static void close_growing(growing *g)
{
    cpm_edges_clear(&g->edges);
    cpm_model_free(g->model);
}

static const cpm_start *start_called(const char *name)
{
    const cpm_start *s = cpm_starts;
    while (strcmp(s->name, name) != 0)
        s++;
    return s;
}

static void every_process_joins_once_and_after_its_parent(void **state)
{
    (void)state;
    const char *const operations[] = {"bcast", "gather"};
    for (int q = 0; q < 2; q++) {
        growing g;
        open_growing(&g, operations[q], "binomial", NULL);
        for (const cpm_start *s = cpm_starts; s->name; s++) {
            int joined[N] = {0};
            assert_int_equal(s->grow(&g.edges, &g.growth, NULL), CPM_OK);
            assert_int_equal(g.order[0], 4);
            for (int k = 0; k < N; k++) {
                int process = g.order[k];
                assert_int_equal(joined[process], 0);
                assert_true(!s->has_tree || k == 0 || joined[g.parent[process]]);
                joined[process] = 1;
            }
        }
        close_growing(&g);
    }
}

/* What follows the edge that is completed first, among those to one that waits. */
static double look_ahead(const growing *g, const bool *joined, int process)
{
    double fastest = INFINITY;
    for (int k = 0; k < N; k++)
        if (!joined[k] && k != process)
            fastest = fmin(fastest, g->edges.takes[process * N + k]);
    return isinf(fastest) ? 0 : fastest;
}

/* Plays the tree's edges in the order in which processes joined, and compares each with all that
 * could have been taken instead. */
static void assert_earliest_edges(const growing *g, bool ahead)
{
    double ready[N] = {0};
    bool joined[N] = {[4] = true};
    for (int k = 1; k < N; k++) {
        int to = g->order[k], from = g->parent[to];
        double taken =
            ready[from] + g->edges.takes[from * N + to] + (ahead ? look_ahead(g, joined, to) : 0);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                assert_true(!joined[i] || joined[j] ||
                            taken <= 1e-12 + ready[i] + g->edges.takes[i * N + j] +
                                         (ahead ? look_ahead(g, joined, j) : 0));
        ready[to] = ready[from] + g->edges.takes[from * N + to];
        ready[from] += g->edges.busy[from * N + to];
        joined[to] = true;
    }
}

static void the_edge_that_completes_earliest_is_taken(void **state)
{
    (void)state;
    const char *const operations[] = {"bcast", "gather"};
    for (int q = 0; q < 2; q++) {
        growing g;
        open_growing(&g, operations[q], "binomial", NULL);
        assert_int_equal(start_called("earliest-edge")->grow(&g.edges, &g.growth, NULL), CPM_OK);
        assert_earliest_edges(&g, false);
        assert_int_equal(start_called("look-ahead")->grow(&g.edges, &g.growth, NULL), CPM_OK);
        assert_earliest_edges(&g, true);
        close_growing(&g);
    }
}

static void blocks_are_sorted_by_size(void **state)
{
    (void)state;
    growing g;
    size_t sizes[N] = {5, 9, 1, 7, 2, 2, 8, 3, 3, 3, 6, 4};
    open_growing(&g, "scatter", "binomial", sizes);
    assert_int_equal(start_called("large-first")->grow(&g.edges, &g.growth, NULL), CPM_OK);
    for (int k = 2; k < N; k++)
        assert_true(sizes[g.order[k - 1]] >= sizes[g.order[k]]);
    assert_int_equal(start_called("large-last")->grow(&g.edges, &g.growth, NULL), CPM_OK);
    for (int k = 2; k < N; k++)
        assert_true(sizes[g.order[k - 1]] <= sizes[g.order[k]]);
    close_growing(&g);
}

static void what_is_collected_costs_as_much_as_it_does_on_its_way(void **state)
{
    (void)state;
    growing g;
    open_growing(&g, "gather", "binomial", NULL);
    assert_true(fabs(g.edges.takes[2 * N + 5] - cpm_model_p2p(g.model, 5, 2, 4000)) < 1e-15);
    close_growing(&g);
    open_growing(&g, "scatter", "binomial", NULL);
    assert_true(fabs(g.edges.takes[2 * N + 5] - cpm_model_p2p(g.model, 2, 5, 4000)) < 1e-15);
    close_growing(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_edge_shortens_a_shortest_path),
        cmocka_unit_test(no_edge_makes_a_spanning_tree_shorter),
        cmocka_unit_test(every_process_joins_once_and_after_its_parent),
        cmocka_unit_test(the_edge_that_completes_earliest_is_taken),
        cmocka_unit_test(blocks_are_sorted_by_size),
        cmocka_unit_test(what_is_collected_costs_as_much_as_it_does_on_its_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
