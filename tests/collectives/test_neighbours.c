/* Graphs of neighbours as people write them, the grids under them, and the algorithms on them:
 * proved for grids, tori and graphs without any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collectives/algorithm.h"
#include "collectives/schedule/proof.h"
#include "costs.h"

enum { MOST_EDGES = 400 };

static cpm_neighbours *graph_of(const char *text, int n)
{
    cpm_neighbours *g = NULL;
    cpm_error e = {0};
    if (cpm_neighbours_read(text, n, &g, &e))
        fail_msg("%s: %s", text, e.text);
    return g;
}

/* As a file that says so. CPM_... */
static int read_lines(const char *lines, int n, cpm_neighbours **out, cpm_error *e)
{
    char path[] = "/tmp/neighbours-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, lines, strlen(lines)), strlen(lines));
    close(file);
    int status = cpm_neighbours_read(path, n, out, e);
    unlink(path);
    return status;
}

static cpm_neighbours *random_graph(int n, uint64_t seed, bool simple)
{
    int from[MOST_EDGES], to[MOST_EDGES], count = 0;
    cpm_neighbours *g;
    for (int k = 0; k < 4 * n && count < MOST_EDGES; k++) {
        from[count] = (int)(uniform(&seed) * n) % n;
        to[count] = (int)(uniform(&seed) * n) % n;
        bool there = false;
        for (int i = 0; i < count; i++)
            there = there || (from[i] == from[count] && to[i] == to[count]);
        count += !simple || !there;
    }
    assert_int_equal(cpm_neighbours_create(n, count, from, to, &g, NULL), CPM_OK);
    assert_false(simple && g->parallel);
    return g;
}

/* ---- graphs */

/* By process: 4 -> 1, 3, 5, 7 in the middle of 3 x 3, in the order of dimensions, and a corner. */
static void cells_have_the_next_ones(void **state)
{
    (void)state;
    static const int next[] = {1, 7, 3, 5}, around[] = {0, 1, 2, 3, 5, 6, 7, 8};
    cpm_neighbours *g = graph_of("grid:3x3", 9), *all = graph_of("grid:3x3:corners", 9),
                   *round = graph_of("torus:3x3", 9);
    assert_int_equal(g->edges, 24);
    assert_int_equal(g->first_out[5] - g->first_out[4], 4);
    assert_memory_equal(g->to + g->first_out[4], next, sizeof next);
    assert_int_equal(all->edges, 40);
    assert_memory_equal(all->to + all->first_out[4], around, sizeof around);
    assert_int_equal(round->edges, 36);
    assert_false(round->parallel);
    assert_int_equal(round->to[0], 6); /* of process 0: over the edge, before 3 */
    assert_int_equal(round->to[1], 3);
    assert_int_equal(cpm_neighbours_edge(g, 4, 7), g->first_out[4] + 1);
    assert_int_equal(cpm_neighbours_edge(g, 0, 8), -1);
    cpm_neighbours_free(g);
    cpm_neighbours_free(all);
    cpm_neighbours_free(round);
}

/* Each edge is at one place of its receiver, and comes from there. */
static void both_ends_know_an_edge(void **state)
{
    (void)state;
    for (int n = 1; n < 30; n++) {
        cpm_neighbours *g = random_graph(n, (uint64_t)n, false);
        assert_int_equal(g->first_out[n], g->edges);
        assert_int_equal(g->first_in[n], g->edges);
        for (int k = 0; k < g->edges; k++) {
            assert_int_equal(g->in[g->first_in[g->to[k]] + g->place[k]], k);
            assert_true(g->first_out[g->from[k]] <= k && k < g->first_out[g->from[k] + 1]);
        }
        cpm_neighbours_free(g);
    }
}

static void files_have_a_line_for_an_edge(void **state)
{
    (void)state;
    static const char *const lines = "# who sends to whom\n0 2\n\n0 1 # and this\n2 0\n0 2\n";
    cpm_neighbours *g;
    assert_int_equal(read_lines(lines, 3, &g, NULL), CPM_OK);
    static const int to[] = {2, 1, 2, 0};
    assert_int_equal(g->edges, 4);
    assert_memory_equal(g->to, to, sizeof to);
    assert_true(g->parallel);
    cpm_neighbours_free(g);
}

/* Where nobody else says it. */
static void a_graph_says_how_many_processes_there_are(void **state)
{
    (void)state;
    cpm_neighbours *grid = graph_of("grid:3x4", -1), *file, *none;
    cpm_error e = {0};
    assert_int_equal(grid->n, 12);
    assert_int_equal(read_lines("0 7\n3 2\n", -1, &file, NULL), CPM_OK);
    assert_int_equal(file->n, 8);
    assert_int_equal(cpm_neighbours_read("grid:2000x2000", -1, &none, &e), CPM_EPROCESS);
    assert_string_equal(e.text, "'grid:2000x2000' are more than 1048576 processes");
    cpm_neighbours_free(grid);
    cpm_neighbours_free(file);
}

static void what_is_no_graph_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
        int status;
    } bad[] = {
        {"grid", "'grid' is no graph (expected: grid:4x4x2", CPM_EINVAL},
        {"grid:", "is no graph", CPM_EINVAL},
        {"grid:3x", "is no graph", CPM_EINVAL},
        {"grid:3x0", "is no graph", CPM_EINVAL},
        {"torus:3x3:edges", "is no graph", CPM_EINVAL},
        {"torus:1x1x1x1x1x1x1x1x9", "is no graph", CPM_EINVAL},
        {"torus:3x2", "'torus:3x2' are not 9 processes", CPM_EPROCESS},
        {"torus:1048576x1048576x1048576x1048576x9", "are not 9 processes", CPM_EPROCESS},
        {"torus:1048577", "is no graph", CPM_EINVAL},
        {"/nowhere/graph", "/nowhere/graph", CPM_EIO},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        cpm_neighbours *g;
        cpm_error e = {0};
        assert_int_equal(cpm_neighbours_read(bad[k].text, 9, &g, &e), bad[k].status);
        if (!strstr(e.text, bad[k].why))
            fail_msg("%s: %s", bad[k].text, e.text);
    }
    static const char *const lines[] = {"0\n", "0 1 2\n", "0 9\n", "0 -1\n", "a b\n"};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        cpm_neighbours *g;
        cpm_error e = {0};
        assert_int_equal(read_lines(lines[k], 9, &g, &e), CPM_EPARSE);
        assert_non_null(strstr(e.text, ":1: expected 'FROM TO', ranks below 9"));
    }
}

/* ---- grids */

/* Also where rows of the grid are not as the text has them: what counts is who is next to whom. */
static void grids_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int n, dimensions, size[CPM_GRID_DIMENSIONS];
    } found[] = {
        {"torus:4x5:corners", 20, 2, {4, 5}},
        {"grid:3x4:corners", 12, 2, {3, 4}},
        {"torus:4x3x5:corners", 60, 3, {4, 3, 5}},
        {"grid:4x3x5:corners", 60, 3, {4, 3, 5}},
        {"grid:3x3x3x3:corners", 81, 4, {3, 3, 3, 3}},
        {"torus:4x5", 20, 0, {0}},
        {"grid:24", 24, 0, {0}},
    };
    for (size_t k = 0; k < sizeof found / sizeof *found; k++) {
        cpm_neighbours *g = graph_of(found[k].text, found[k].n);
        assert_int_equal(g->dimensions, found[k].dimensions);
        for (int d = 0; d < g->dimensions; d++)
            assert_int_equal(g->size[d], found[k].size[d]);
        cpm_neighbours_free(g);
    }
}

static const cpm_algorithm *row(const char *operation, const char *name)
{
    const cpm_algorithm *a;
    assert_int_equal(cpm_algorithm_find(operation, name, &a, NULL), CPM_OK);
    return a;
}

static int messages_of(const cpm_algorithm *a, const cpm_neighbours *g, int rank)
{
    cpm_schedule *s;
    cpm_steps steps = {0};
    int sent = 0;
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = g->n, .neighbours = g}, &s, NULL),
                     CPM_OK);
    assert_int_equal(cpm_schedule_rank(s, rank, &steps, NULL), CPM_OK);
    for (int k = 0; k < steps.count; k++)
        sent += steps.at[k].kind == CPM_SEND;
    cpm_steps_free(&steps);
    cpm_schedule_free(s);
    return sent;
}

/* 26 neighbours by two messages along each of three dimensions. */
static void dimensions_take_few_messages(void **state)
{
    (void)state;
    cpm_neighbours *g = graph_of("torus:3x4x5:corners", 60);
    static const char *const operations[] = {"neighbor_alltoall", "neighbor_allgather"};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(messages_of(row(operations[k], "direct"), g, 17), 26);
        assert_int_equal(messages_of(row(operations[k], "dimensions"), g, 17), 6);
    }
    cpm_neighbours_free(g);
}

/* ---- algorithms */

/* How many rows apply. */
static int prove(const cpm_neighbours *g, const cpm_hosts *hosts)
{
    int count = 0;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        const cpm_call call = {.n = g->n, .bytes = 100, .neighbours = g, .hosts = hosts};
        const cpm_operation *o;
        cpm_schedule *s = NULL;
        cpm_error e = {0};
        assert_int_equal(cpm_operation_find(a->operation, &o, NULL), CPM_OK);
        if (!cpm_operation_is_of_neighbours(o) || cpm_algorithm_applies(a, &call, NULL))
            continue;
        if (cpm_schedule_create(a, &call, &s, &e) || cpm_check(s, o, false, &e))
            fail_msg("%s:%s n=%d: %s", a->operation, a->name, g->n, e.text);
        cpm_schedule_free(s);
        count++;
    }
    return count;
}

static void algorithms_are_right_on_grids(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int n, rows; /* of one host */
    } grids[] = {
        {"grid:1", 1, 2},
        {"torus:1", 1, 1},   /* twice its own neighbour */
        {"torus:2x2", 4, 2}, /* for neighbours that are there twice */
        {"torus:2x3x2:corners", 12, 2},
        {"grid:7", 7, 2},
        {"torus:5x7", 35, 2},
        {"grid:5x7:corners", 35, 4},
        {"torus:5x7:corners", 35, 4},
        {"grid:2x3x4:corners", 24, 4},
        {"torus:3x4x3:corners", 36, 4},
        {"torus:3x3x3x3:corners", 81, 4},
    };
    for (size_t k = 0; k < sizeof grids / sizeof *grids; k++) {
        cpm_neighbours *g = graph_of(grids[k].text, grids[k].n);
        if (prove(g, NULL) != grids[k].rows)
            fail_msg("%s: not %d rows", grids[k].text, grids[k].rows);
        cpm_neighbours_free(g);
    }
}

/* Also without an edge, and by processes that are their own neighbours. */
static void algorithms_are_right_on_any_graph_and_layout(void **state)
{
    (void)state;
    for (int n = 1; n <= 33; n++)
        for (int each = 1; each <= 5; each++) {
            cpm_hosts hosts;
            int host[33];
            char name[33][8];
            const char *names[33];
            uint64_t seed = (uint64_t)(n * 10 + each);
            for (int i = 0; i < n; i++) {
                host[i] = (int)(uniform(&seed) * n / each);
                snprintf(name[i], sizeof name[i], "h%d", host[i]);
                names[i] = name[i];
            }
            assert_int_equal(cpm_hosts_named(names, n, &hosts, NULL), CPM_OK);
            cpm_neighbours *g = random_graph(n, seed, each % 2);
            assert_int_equal(prove(g, &hosts) >= 1 + each % 2 + cpm_hosts_have_levels(&hosts), 1);
            cpm_neighbours_free(g);
            cpm_hosts_clear(&hosts);
        }
    cpm_neighbours *none;
    assert_int_equal(cpm_neighbours_create(3, 0, NULL, NULL, &none, NULL), CPM_OK);
    assert_int_equal(prove(none, NULL), 2);
    cpm_neighbours_free(none);
}

static void without_a_graph_no_row_applies(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_schedule *s;
    cpm_neighbours *g = graph_of("grid:2x2", 4);
    const cpm_algorithm *direct = row("neighbor_alltoall", "direct");
    assert_int_equal(cpm_schedule_create(direct, &(cpm_call){.n = 4}, &s, &e), CPM_EINVAL);
    assert_non_null(strstr(e.text, "it needs a graph of neighbours (those that do: none)"));
    e = (cpm_error){0};
    assert_int_equal(cpm_schedule_create(direct, &(cpm_call){.n = 5, .neighbours = g}, &s, &e),
                     CPM_EINVAL);
    assert_non_null(strstr(e.text, "a graph of 4 processes is none of 5"));
    cpm_neighbours_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_have_the_next_ones),
        cmocka_unit_test(both_ends_know_an_edge),
        cmocka_unit_test(files_have_a_line_for_an_edge),
        cmocka_unit_test(a_graph_says_how_many_processes_there_are),
        cmocka_unit_test(what_is_no_graph_is_refused),
        cmocka_unit_test(grids_are_found),
        cmocka_unit_test(dimensions_take_few_messages),
        cmocka_unit_test(algorithms_are_right_on_grids),
        cmocka_unit_test(algorithms_are_right_on_any_graph_and_layout),
        cmocka_unit_test(without_a_graph_no_row_applies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
