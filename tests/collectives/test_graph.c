/* The graph of a schedule has every message once, in rounds of processes that wait for each other;
 * its picture has an arrow for each edge. */
#include "collectives/schedule/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/algorithm.h"
#include "collectives/schedule/draw.h"

enum { MOST = 64 };

/* ---- schedules */

static void build_ring(const cpm_schedule *s, int rank, cpm_steps *out)
{
    int n = s->n;
    for (int k = 0; k < n - 1; k++) {
        cpm_send(out, (rank + 1) % n, (rank - k + n) % n, 1);
        cpm_recv(out, (rank - 1 + n) % n, (rank - 1 - k + 2 * n) % n, 1);
        cpm_next_round(out);
    }
}

static void build_doubling(const cpm_schedule *s, int rank, cpm_steps *out)
{
    for (int k = 1; k < s->n; k *= 2) {
        int peer = rank ^ k;
        cpm_send(out, peer, rank & ~(k - 1), k);
        cpm_recv(out, peer, peer & ~(k - 1), k);
        cpm_next_round(out);
    }
}

/* Rank 0 sends one block after the other to rank 1, which passes them on to rank 2. */
static void build_pipeline(const cpm_schedule *s, int rank, cpm_steps *out)
{
    for (int k = 0; k < s->blocks; k++) {
        if (rank > 0)
            cpm_recv(out, rank - 1, k, 1);
        cpm_next_round(out);
        if (rank < s->n - 1)
            cpm_send(out, rank + 1, k, 1);
        cpm_next_round(out);
    }
}

static cpm_graph graph_of(void (*build)(const cpm_schedule *s, int rank, cpm_steps *out), int n,
                          int blocks)
{
    cpm_error e = {0};
    cpm_graph g;
    cpm_schedule s = {.n = n, .root = -1, .blocks = blocks, .build = build};
    assert_int_equal(cpm_graph_create(&s, &g, &e), CPM_OK);
    return g;
}

static cpm_graph graph_of_algorithm(const char *operation, const char *name, int n, int root)
{
    cpm_error e = {0};
    cpm_graph g;
    cpm_schedule *s;
    const cpm_algorithm *a;
    assert_int_equal(cpm_algorithm_find(operation, name, &a, &e), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = n, .root = root}, &s, &e), CPM_OK);
    assert_int_equal(cpm_graph_create(s, &g, &e), CPM_OK);
    cpm_schedule_free(s);
    return g;
}

static cpm_graph without_rounds(cpm_graph *g)
{
    cpm_error e = {0};
    cpm_graph edges;
    assert_int_equal(cpm_graph_without_rounds(g, &edges, &e), CPM_OK);
    cpm_graph_free(g);
    return edges;
}

/* ---- trees */

static int64_t processes_below(const int *parent, int n, int rank)
{
    int64_t count = 0;
    for (int r = 0; r < n; r++)
        for (int at = r; at >= 0; at = parent[at])
            count += at == rank;
    return count;
}

static void try_tree(const char *operation, const char *name, int n, int root, bool gathers)
{
    cpm_graph all = graph_of_algorithm(operation, name, n, root), g = without_rounds(&all);
    int parent[MOST];
    bool upwards;
    assert_true(cpm_graph_is_tree(&g, parent, &upwards));
    assert_int_equal(parent[root], -1);
    assert_true(upwards == gathers || n == 1);
    for (int k = 0; k < g.count; k++) {
        int child = upwards ? g.at[k].from : g.at[k].to;
        assert_int_equal(g.at[k].messages, 1);
        assert_int_equal(g.at[k].positions, processes_below(parent, n, child));
    }
    cpm_graph_free(&g);
}

static void a_tree_has_as_many_blocks_on_an_edge_as_processes_below(void **state)
{
    (void)state;
    static const char *const names[] = {"linear", "binomial", "chain"};
    for (int k = 0; k < 3; k++)
        for (int n = 1; n <= 17; n++)
            for (int root = 0; root < n; root += 5) {
                try_tree("scatter", names[k], n, root, false);
                try_tree("gather", names[k], n, root, true);
            }
}

static void children_come_in_the_order_of_their_rounds(void **state)
{
    (void)state;
    cpm_graph all = graph_of_algorithm("bcast", "binomial", 16, 0), g = without_rounds(&all);
    int last = -1;
    for (int k = 0; k < g.count; k++)
        if (g.at[k].from == 0) {
            assert_true(g.at[k].round > last);
            last = g.at[k].round;
        }
    assert_int_equal(last, 3);
    cpm_graph_free(&g);
}

static void segments_are_counted_on_one_edge(void **state)
{
    (void)state;
    cpm_graph all = graph_of(build_pipeline, 3, 8);
    int parent[3];
    bool upwards;
    assert_int_equal(all.count, 16);
    assert_int_equal(all.rounds, 16); /* rank 1 has a block in hand while the next one waits */
    cpm_graph g = without_rounds(&all);
    assert_true(cpm_graph_is_tree(&g, parent, &upwards));
    assert_int_equal(g.count, 2);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(g.at[k].messages, 8);
        assert_int_equal(g.at[k].positions, 8);
    }
    cpm_graph_free(&g);
}

/* ---- rounds */

static void a_ring_is_no_tree_and_has_like_rounds(void **state)
{
    (void)state;
    for (int n = 2; n <= 17; n++) {
        int parent[MOST];
        bool upwards;
        cpm_graph all = graph_of(build_ring, n, n);
        assert_int_equal(all.rounds, n - 1);
        assert_int_equal(all.count, n * (n - 1));
        for (int k = 0; k < all.count; k++) {
            assert_int_equal(all.at[k].round, k / n);
            assert_int_equal(all.at[k].from, k % n);
            assert_int_equal(all.at[k].to, (k + 1) % n);
        }
        cpm_graph g = without_rounds(&all);
        assert_false(cpm_graph_is_tree(&g, parent, &upwards));
        cpm_graph_free(&g);
    }
}

static void recursive_doubling_sends_twice_as_much_in_every_round(void **state)
{
    (void)state;
    cpm_graph g = graph_of(build_doubling, 16, 16);
    assert_int_equal(g.rounds, 4);
    for (int k = 0; k < g.count; k++) {
        assert_int_equal(g.at[k].positions, 1 << g.at[k].round);
        assert_int_equal(g.at[k].from ^ g.at[k].to, 1 << g.at[k].round);
    }
    cpm_graph_free(&g);
}

/* Blocks of whole sizes, in positions. */
static int64_t positions_of_round(const cpm_graph *g, int round, bool combined)
{
    int64_t sum = 0;
    for (int k = 0; k < g->count; k++)
        if (g->at[k].round == round && g->at[k].combined == combined)
            sum += g->at[k].positions;
    return sum;
}

static void a_reduction_combines_before_it_gathers(void **state)
{
    (void)state;
    cpm_graph g = graph_of_algorithm("reduce", "rabenseifner", 8, 0);
    assert_int_equal(g.rounds, 6);
    assert_int_equal(g.pieces, 8);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(positions_of_round(&g, round, true), 8 * (4 >> round));
        assert_int_equal(positions_of_round(&g, round, false), 0);
        assert_int_equal(positions_of_round(&g, 3 + round, true), 0);
        assert_int_equal(positions_of_round(&g, 3 + round, false), 4);
    }
    cpm_graph_free(&g);
}

/* What the ranks' steps say, counted without the graph. */
static void count_steps(const cpm_schedule *s, int *messages, int64_t *positions)
{
    cpm_error e = {0};
    cpm_steps steps = {0};
    for (int r = 0; r < s->n; r++) {
        assert_int_equal(cpm_schedule_rank(s, r, &steps, &e), CPM_OK);
        for (int k = 0; k < steps.count; k++)
            if (steps.at[k].kind == CPM_SEND) {
                *positions += cpm_step_positions(&steps, &steps.at[k]);
                ++*messages;
            }
    }
    cpm_steps_free(&steps);
}

static void try_count(const cpm_schedule *s)
{
    cpm_error e = {0};
    cpm_graph g;
    int messages = 0;
    int64_t positions = 0;
    count_steps(s, &messages, &positions);
    assert_int_equal(cpm_graph_create(s, &g, &e), CPM_OK);
    for (int k = 0; k < g.count; k++) {
        assert_true(g.at[k].round >= 0 && g.at[k].round < g.rounds);
        messages -= g.at[k].messages;
        positions -= g.at[k].positions;
    }
    assert_int_equal(messages, 0);
    assert_int_equal(positions, 0);
    cpm_graph_free(&g);
}

static void every_message_of_every_algorithm_is_counted_once(void **state)
{
    (void)state;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int n = 1; n <= 9; n++) {
            cpm_error e = {0};
            cpm_schedule *s = NULL;
            if (cpm_schedule_create(a, &(cpm_call){.n = n, .root = n / 2}, &s, &e))
                continue;
            try_count(s);
            cpm_schedule_free(s);
        }
}

static void build_deadlock(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    cpm_send(out, 1 - rank, rank, 1);
    cpm_next_round(out);
    cpm_recv(out, 1 - rank, 1 - rank, 1);
}

static void what_cannot_finish_has_no_graph(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_graph g = {.count = 7};
    cpm_schedule s = {.n = 2, .root = -1, .blocks = 2, .build = build_deadlock};
    assert_int_equal(cpm_graph_create(&s, &g, &e), CPM_EDEADLOCK);
    assert_int_equal(g.count, 7);
}

/* ---- pictures */

static char *picture_of(cpm_graph *g, const char *title)
{
    cpm_error e = {0};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(cpm_draw_graph(g, NULL, title, out, &e), CPM_OK);
    assert_int_equal(fclose(out), 0);
    cpm_graph_free(g);
    return text;
}

static int count_in(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        count++;
    return count;
}

static void a_picture_of_a_tree_has_an_arrow_for_each_edge(void **state)
{
    (void)state;
    cpm_graph g = graph_of_algorithm("gather", "binomial", 16, 3);
    char *text = picture_of(&g, "a \"title\"");
    assert_non_null(strstr(text, "a \\\"title\\\""));
    assert_int_equal(count_in(text, " -> "), 15);
    assert_int_equal(count_in(text, "dir=back"), 15);
    assert_int_equal(count_in(text, "label=\" 1\""), 8);
    assert_int_equal(count_in(text, "label=\" 8\""), 1);
    free(text);
}

static void what_has_no_data_is_dashed(void **state)
{
    (void)state;
    cpm_graph g = graph_of(build_ring, 4, 4);
    cpm_graph_empty(&g);
    char *text = picture_of(&g, "signals");
    assert_int_equal(count_in(text, "style=dashed"), 4);
    assert_int_equal(count_in(text, "block\""), 0);
    free(text);
}

static void messages_of_a_round_that_differ_have_labels(void **state)
{
    (void)state;
    cpm_graph g = graph_of_algorithm("allreduce", "rab1-doubling", 7, 0);
    char *text = picture_of(&g, "allreduce");
    assert_true(count_in(text, "label=\"3/7\"") > 0);
    assert_true(count_in(text, "label=\"4/7\"") > 0);
    assert_int_equal(count_in(text, ": 1/7 block\""), 2);
    free(text);
}

static void like_rounds_share_a_circle(void **state)
{
    (void)state;
    cpm_graph g = graph_of(build_ring, 8, 8);
    char *text = picture_of(&g, "ring");
    assert_int_equal(count_in(text, " -> "), 8);
    assert_int_equal(count_in(text, "rounds 1 to 7: 1 block\""), 1);
    free(text);
}

static void messages_both_ways_share_an_arrow(void **state)
{
    (void)state;
    cpm_graph g = graph_of(build_doubling, 8, 8);
    char *text = picture_of(&g, "doubling");
    assert_int_equal(count_in(text, " -> "), 3 * 4);
    assert_int_equal(count_in(text, "dir=both"), 3 * 4);
    assert_int_equal(count_in(text, "round 3: 4 blocks\""), 1);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_has_as_many_blocks_on_an_edge_as_processes_below),
        cmocka_unit_test(children_come_in_the_order_of_their_rounds),
        cmocka_unit_test(segments_are_counted_on_one_edge),
        cmocka_unit_test(a_ring_is_no_tree_and_has_like_rounds),
        cmocka_unit_test(recursive_doubling_sends_twice_as_much_in_every_round),
        cmocka_unit_test(a_reduction_combines_before_it_gathers),
        cmocka_unit_test(every_message_of_every_algorithm_is_counted_once),
        cmocka_unit_test(what_has_no_data_is_dashed),
        cmocka_unit_test(messages_of_a_round_that_differ_have_labels),
        cmocka_unit_test(what_cannot_finish_has_no_graph),
        cmocka_unit_test(a_picture_of_a_tree_has_an_arrow_for_each_edge),
        cmocka_unit_test(like_rounds_share_a_circle),
        cmocka_unit_test(messages_both_ways_share_an_arrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
