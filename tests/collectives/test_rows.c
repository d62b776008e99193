/* Rows of the table do not contradict themselves, and what they say is worth trying is right. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/parameters.h"
#include "collectives/schedule/proof.h"
#include "collectives/tries.h"
#include "tests/collectives/random_topology.h"

/* ---- contradictions ---- */

static const cpm_tries none;

static const cpm_tries *tries_of(const cpm_algorithm *a)
{
    return a->tries ? a->tries : &none;
}

static bool takes(const cpm_algorithm *a, unsigned property)
{
    return a->properties & property;
}

static const char *contradiction_of_tries(const cpm_algorithm *a)
{
    const cpm_tries *t = tries_of(a);
    bool segments = t->segments || t->segment[0] || t->below.threshold;
    if (segments && !takes(a, CPM_TAKES_SEGMENT))
        return "tries segments but takes none";
    if (takes(a, CPM_TAKES_SEGMENT) && !segments && !t->until)
        return "takes segments but tries none";
    if (t->segments && t->segment[0])
        return "tries all segments, and some only";
    if (t->below.threshold && !(t->below.part > 0 && t->below.part <= 1))
        return "tries segments below no part of a threshold";
    if ((t->k[0] != 0) != takes(a, CPM_TAKES_K))
        return "takes k and has no usual one, or tries k but takes none";
    if ((t->meshes != 0) != takes(a, CPM_TAKES_MESH))
        return "takes a mesh but tries none, or tries meshes but takes none";
    if ((t->leaders[0] != 0) != takes(a, CPM_TAKES_LEADERS))
        return "takes leaders but tries none, or tries leaders but takes none";
    if ((t->level[0][0] || t->level[1][0]) && !takes(a, CPM_TAKES_LEVELS))
        return "tries algorithms of levels but takes none";
    if (t->thresholds[0] && !takes(a, CPM_TAKES_THRESHOLD))
        return "tries thresholds but takes none";
    if ((t->from != NULL) != takes(a, CPM_TAKES_THRESHOLD))
        return "takes a threshold but tries none, or tries one but takes none";
    return NULL;
}

static const char *contradiction(const cpm_algorithm *a)
{
    if (cpm_operation_find(a->operation, &(const cpm_operation *){NULL}, NULL))
        return "its operation does not exist";
    if (!a->source || !a->source[0] || !a->create)
        return "has no source or no build function";
    if (a->most && a->least > a->most)
        return "makes sense for no size";
    if (a->group > CPM_SPARES_CONTENTION)
        return "belongs to no group";
    if (takes(a, CPM_NEEDS_TREE) && !takes(a, CPM_TAKES_MAPPING))
        return "needs a tree but takes no mapping of processes to its nodes";
    if (takes(a, CPM_TAKES_INNER) && !takes(a, CPM_TAKES_MESH))
        return "takes algorithms for the dimensions of a mesh but no mesh";
    if (takes(a, CPM_TAKES_LEVELS) && !takes(a, CPM_NEEDS_HOSTS))
        return "takes algorithms for the levels of hosts but needs no hosts";
    if (takes(a, CPM_REORDERS) && takes(a, CPM_REORDERS_UNLESS_ROOT_0))
        return "reorders always, and unless the root is 0";
    return contradiction_of_tries(a);
}

/* The row of a table that another one repeats, NULL: none. */
static const cpm_algorithm *repeated(const cpm_algorithm *all)
{
    for (const cpm_algorithm *a = all; a->name; a++)
        for (const cpm_algorithm *b = all; b < a; b++)
            if (strcmp(a->name, b->name) == 0 && strcmp(a->operation, b->operation) == 0)
                return a;
    return NULL;
}

static void no_row_contradicts_itself(void **state)
{
    (void)state;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        if (contradiction(a))
            fail_msg("%s:%s %s", a->operation, a->name, contradiction(a));
}

static void no_two_rows_have_one_name(void **state)
{
    (void)state;
    const cpm_algorithm *a = repeated(cpm_algorithms);
    if (a)
        fail_msg("there are two rows %s:%s", a->operation, a->name);
    const cpm_algorithm twice[] = {cpm_algorithms[1], cpm_algorithms[0], cpm_algorithms[1], {0}};
    assert_ptr_equal(repeated(twice), &twice[2]);
}

/* A sound row with one thing changed. */
static cpm_algorithm changed(unsigned properties, const cpm_tries *tries)
{
    cpm_algorithm a = cpm_algorithms[0];
    a.properties = properties;
    a.tries = tries;
    return a;
}

static void contradicts(cpm_algorithm a, const char *says)
{
    const char *text = contradiction(&a);
    if (!text || !strstr(text, says))
        fail_msg("'%s' is not in '%s'", says, text ? text : "(sound)");
}

static void contradictions_are_found(void **state)
{
    (void)state;
    const cpm_tries segments = {.segments = true}, k = {.k = {2}}, meshes = {.meshes = 2},
                    from = {.from = "M1"}, leaders = {.leaders = {2}},
                    names = {.level = {{"linear"}}}, below = {.segments = true, .below = {"S", 2}};
    cpm_algorithm a = changed(0, NULL);
    assert_null(contradiction(&a));
    contradicts(changed(0, &segments), "tries segments but takes none");
    contradicts(changed(CPM_TAKES_SEGMENT, NULL), "takes segments but tries none");
    contradicts(changed(CPM_TAKES_SEGMENT, &below), "no part of a threshold");
    contradicts(changed(0, &k), "tries k but takes none");
    contradicts(changed(CPM_TAKES_K, NULL), "takes k and has no usual one");
    contradicts(changed(0, &meshes), "tries meshes but takes none");
    contradicts(changed(CPM_TAKES_MESH, NULL), "takes a mesh but tries none");
    contradicts(changed(0, &from), "tries one but takes none");
    contradicts(changed(CPM_TAKES_THRESHOLD, NULL), "takes a threshold but tries none");
    contradicts(changed(0, &leaders), "tries leaders but takes none");
    contradicts(changed(CPM_TAKES_LEADERS, NULL), "takes leaders but tries none");
    contradicts(changed(0, &names), "tries algorithms of levels");
    contradicts(changed(CPM_TAKES_LEVELS, NULL), "but needs no hosts");
    contradicts(changed(CPM_NEEDS_TREE, NULL), "needs a tree but takes no mapping");
    contradicts(changed(CPM_TAKES_INNER, NULL), "but no mesh");
    contradicts(changed(CPM_REORDERS | CPM_REORDERS_UNLESS_ROOT_0, NULL), "reorders always");
    a.operation = "gossip";
    contradicts(a, "operation does not exist");
    a = changed(0, NULL);
    a.source = "";
    contradicts(a, "no source");
    a = changed(0, NULL);
    a.least = 2, a.most = 1;
    contradicts(a, "no size");
    a = changed(0, NULL);
    a.group = CPM_SPARES_CONTENTION + 1;
    contradicts(a, "no group");
}

/* ---- what is worth trying ---- */

enum { S = 4000, M1 = 10000 };

static double threshold(const void *model, const char *name)
{
    (void)model;
    return strcmp(name, "S") == 0 ? S : strcmp(name, "M1") == 0 ? M1 : (double)NAN;
}

static const cpm_thresholds thresholds = {threshold, NULL};

static void prove(const cpm_algorithm *a, const cpm_call *call)
{
    const cpm_operation *op = NULL;
    cpm_schedule *s = NULL;
    cpm_error e = {0};
    char text[200];
    cpm_parameters_print(&call->with, text, sizeof text);
    assert_int_equal(cpm_operation_find(a->operation, &op, NULL), CPM_OK);
    bool ordered = cpm_algorithm_keeps_order(a, call->root);
    if (cpm_schedule_create(a, call, &s, &e) || cpm_check(s, op, ordered, &e))
        fail_msg("%s:%s%s of %d processes: %s", a->operation, a->name, text, call->n, e.text);
    cpm_schedule_free(s);
}

/* Two hosts of several processes each, if there can be. */
static cpm_hosts hosts_of(int n)
{
    cpm_hosts h;
    int hosts = n >= 4 && n % 2 == 0 ? 2 : n;
    assert_int_equal(cpm_hosts_regular(hosts, n / hosts, false, &h, NULL), CPM_OK);
    return h;
}

/* A line of processes, each of which is its own neighbour, too. */
static cpm_neighbours *neighbours_of(int n)
{
    int from[3 * 64], to[3 * 64], count = 0;
    cpm_neighbours *g = NULL;
    assert_in_range(n, 1, 64);
    for (int i = 0; i < n; i++)
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < n) {
                from[count] = i;
                to[count++] = j;
            }
    assert_int_equal(cpm_neighbours_create(n, count, from, to, &g, NULL), CPM_OK);
    return g;
}

typedef void looked_at(const cpm_algorithm *a, const cpm_call *call);

/* Also what rows name (inner algorithms, parts of a sequence): an unknown one is refused. */
static void look_at_tries(const cpm_algorithm *a, int n, size_t bytes, looked_at *look)
{
    cpm_parameters with[CPM_MOST_TRIES];
    int parent[64];
    cpm_topology *t = random_tree_of_switches((unsigned)n, 1 + n / 4, n);
    cpm_hosts hosts = hosts_of(n);
    cpm_neighbours *g = neighbours_of(n);
    cpm_call call = {
        .n = n, .bytes = bytes, .topology = t, .parent = parent, .hosts = &hosts, .neighbours = g};
    for (int v = 0; v < n; v++)
        parent[v] = v / 3;
    int count = cpm_algorithm_tries(a, n, bytes, &thresholds, with, CPM_MOST_TRIES);
    assert_in_range(count, 0, CPM_MOST_TRIES);
    for (int k = 0; k < count && cpm_algorithm_applies(a, &call, NULL) == CPM_OK; k++) {
        call.with = with[k];
        look(a, &call);
        for (int j = 0; j < k; j++)
            assert_false(cpm_parameters_equal(&with[j], &with[k]));
    }
    cpm_neighbours_free(g);
    cpm_topology_free(t);
    cpm_hosts_clear(&hosts);
}

static void whatever_is_tried_is_right(void **state)
{
    (void)state;
    const int sizes[] = {1, 2, 3, 8, 12, 16, 24, 64};
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int k = 0; k < 8; k++)
            for (size_t bytes = 1000; bytes < 20000; bytes *= 4)
                look_at_tries(a, sizes[k], bytes, prove);
}

static void no_row_has_more_than_there_is_room_for(void **state)
{
    (void)state;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int n = 1; n <= 1 << 16; n *= 4)
            for (size_t bytes = 1; bytes < (size_t)1 << 40; bytes *= 8)
                assert_in_range(cpm_algorithm_tries(a, n, bytes, &thresholds, NULL, 0), 0,
                                CPM_MOST_TRIES);
}

static void tried(const char *operation, const char *name, int n, size_t bytes,
                  const cpm_thresholds *t, const char *expected)
{
    cpm_parameters with[CPM_MOST_TRIES];
    char all[1000] = "", text[100];
    const cpm_algorithm *a = NULL;
    assert_int_equal(cpm_algorithm_find(operation, name, &a, NULL), CPM_OK);
    int count = cpm_algorithm_tries(a, n, bytes, t, with, CPM_MOST_TRIES);
    for (int k = 0; k < count; k++) {
        cpm_parameters_print(&with[k], text, sizeof text);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? " " : "",
                 text[0] ? text + 1 : "-");
    }
    assert_string_equal(all, expected);
}

static void segments_are_powers_of_four_and_not_too_many(void **state)
{
    (void)state;
    tried("bcast", "chain", 8, 1024, NULL, "-");
    tried("bcast", "chain", 8, 5000, NULL, "- segment=1024 segment=4096");
    tried("bcast", "chain", 8, 1 << 20, NULL,
          "- segment=4096 segment=16384 segment=65536 segment=262144");
}

static void what_segments_make_is_not_tried_without(void **state)
{
    (void)state;
    tried("alltoall", "ring-paced", 8, 4096, NULL, "");
    tried("alltoall", "ring-paced", 8, 10000, NULL, "segment=4096");
    tried("alltoall", "pair-paced", 8, 1 << 20, NULL, "segment=4096 segment=16384");
}

static void several_chains_are_fewer_than_processes(void **state)
{
    (void)state;
    tried("bcast", "chains", 9, 1000, NULL, "- k=2 k=8");
    tried("bcast", "chains", 8, 2000, NULL, "- segment=1024 k=2 segment=1024:k=2");
}

static void meshes_have_no_short_side(void **state)
{
    (void)state;
    tried("scatter", "2d", 64, 1000, NULL,
          "- mesh=32x2 mesh=16x4 mesh=hosts mesh=2x32 mesh=4x16 rows=hosts");
    tried("scatter", "3d", 24, 1000, NULL, "- mesh=6x2x2");
    tried("alltoall", "2d", 13, 1000, NULL, "- mesh=hosts rows=hosts");
}

static void meshes_of_one_line_are_left_out(void **state)
{
    (void)state;
    tried("scatter", "2d", 13, 1000, NULL, "");
    tried("bcast", "3d", 3, 1000, NULL, "");
    tried("alltoall", "3d", 9, 1000, NULL, "");
    tried("scatter", "3d", 26, 1000, NULL, ""); /* 13 x 1 x 2 */
    tried("scatter", "3d", 268, 1000, NULL, "");
    tried("scatter", "3d", 8, 1000, NULL, "-");
}

static void leaders_are_at_most_half_of_the_processes(void **state)
{
    (void)state;
    tried("scatter", "hosts", 7, 1000, NULL,
          "- leaders=2 outer=linear outer=linear:leaders=2 outer=knomial outer=knomial:leaders=2 "
          "inner=linear inner=linear:leaders=2 "
          "inner=linear:outer=linear inner=linear:outer=linear:leaders=2 "
          "inner=linear:outer=knomial inner=linear:outer=knomial:leaders=2");
    tried("barrier", "hosts", 64, 1000, NULL, "-");
}

static void pieces_are_just_smaller_than_a_threshold_that_is_reached(void **state)
{
    (void)state;
    tried("scatter", "split", 8, S - 1, &thresholds, "- segment=1024");
    tried("scatter", "split-barrier", 8, S, &thresholds, "- segment=1024 segment=3999");
    tried("scatter", "split", 8, 1 << 20, NULL,
          "- segment=4096 segment=16384 segment=65536 segment=262144");
    tried("gather", "linear-sync", 8, M1 - 1, &thresholds, "-");
    tried("gather", "linear-sync", 8, M1, &thresholds, "- threshold=10000");
    tried("alltoallv", "switched", 8, 2 * M1, &thresholds,
          "- threshold=10000 threshold=0 threshold=2048 threshold=16384");
}

/* Without barriers senders send all pieces at once, so smaller ones help with barriers only. */
static void from_m1_on_a_gather_is_split_with_barriers_only(void **state)
{
    (void)state;
    tried("gather", "split", 8, M1 - 1, &thresholds, "-");
    tried("gather", "split-barrier", 8, M1 - 1, &thresholds, "-");
    tried("gather", "split", 8, M1, &thresholds, "");
    tried("gather", "split-barrier", 8, M1, &thresholds, "segment=4999");
}

static void everything_to_everybody_is_not_for_large_blocks(void **state)
{
    (void)state;
    tried("alltoall", "recursive-doubling", 8, 131072, NULL, "-");
    tried("alltoall", "recursive-doubling", 8, 131073, NULL, "");
}

/* ---- the usual k ---- */

static void same_steps(const cpm_schedule *x, const cpm_schedule *y, const char *name)
{
    cpm_steps a = {0}, b = {0};
    for (int rank = 0; rank < x->n; rank++) {
        assert_int_equal(cpm_schedule_rank(x, rank, &a, NULL), CPM_OK);
        assert_int_equal(cpm_schedule_rank(y, rank, &b, NULL), CPM_OK);
        bool same = a.count == b.count;
        for (int k = 0; same && k < a.count; k++)
            same = a.at[k].peer == b.at[k].peer && a.at[k].names == b.at[k].names;
        if (!same)
            fail_msg("%s: the usual k is another than the first that it tries", name);
    }
    cpm_steps_free(&a);
    cpm_steps_free(&b);
}

static void the_first_k_is_the_usual_one(void **state)
{
    (void)state;
    cpm_topology *t = random_tree_of_switches(1, 9, 32);
    cpm_hosts hosts;
    assert_int_equal(cpm_hosts_regular(4, 8, false, &hosts, NULL), CPM_OK);
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        cpm_schedule *usual = NULL, *first = NULL;
        cpm_call call = {.n = 32, .bytes = 1000, .topology = t, .hosts = &hosts};
        if (!takes(a, CPM_TAKES_K))
            continue;
        assert_int_equal(cpm_schedule_create(a, &call, &usual, NULL), CPM_OK);
        call.with.k = a->tries->k[0];
        assert_int_equal(cpm_schedule_create(a, &call, &first, NULL), CPM_OK);
        same_steps(usual, first, a->name);
        cpm_schedule_free(usual);
        cpm_schedule_free(first);
    }
    cpm_hosts_clear(&hosts);
    cpm_topology_free(t);
}

/* ---- who needs to know which sizes ---- */

static bool is_known_to(const cpm_operation *op, const cpm_schedule *s, int rank, int64_t unit)
{
    return op->before(s->n, s->root, rank, unit, s->neighbours) ||
           op->after(s->n, s->root, rank, unit, s->neighbours);
}

static void has_own_blocks_only(const cpm_schedule *s, const cpm_operation *op, int rank,
                                const cpm_steps *steps)
{
    for (int k = 0; k < steps->count; k++)
        for (int r = 0; r < steps->at[k].runs; r++) {
            const cpm_run run = cpm_step_run(steps, &steps->at[k], r);
            for (int64_t p = run.first; p < run.first + run.count; p++)
                assert_true(is_known_to(op, s, rank, cpm_unit_at(s, p)));
        }
}

static void has_equal_steps(const cpm_steps *a, const cpm_steps *b)
{
    assert_int_equal(a->count, b->count);
    for (int k = 0; k < a->count; k++) {
        assert_int_equal(a->at[k].kind, b->at[k].kind);
        assert_int_equal(a->at[k].peer, b->at[k].peer);
        assert_int_equal(a->at[k].round, b->at[k].round);
        assert_int_equal(cpm_step_positions(a, &a->at[k]), cpm_step_positions(b, &b->at[k]));
        for (int r = 0; r < a->at[k].runs; r++)
            assert_int_equal(cpm_step_run(a, &a->at[k], r).first,
                             cpm_step_run(b, &b->at[k], r).first);
    }
}

static void is_the_same_by_own_sizes(const cpm_algorithm *a, const cpm_call *call)
{
    const cpm_operation *op = NULL;
    assert_int_equal(cpm_operation_find(a->operation, &op, NULL), CPM_OK);
    size_t all[24 * 24], own[24 * 24], units = (size_t)op->units(call->n, call->neighbours);
    assert_in_range(units, 1, 24 * 24);
    for (size_t u = 0; u < units; u++)
        all[u] = u * 7919 % 5 * 4000;
    cpm_call with_all = *call, with_own = *call;
    with_all.sizes = all;
    with_own.sizes = own;
    cpm_schedule *s = NULL, *x = NULL;
    assert_int_equal(cpm_schedule_create(a, &with_all, &s, NULL), CPM_OK);
    for (int rank = 0; rank < call->n; rank++) {
        cpm_steps steps = {0}, others = {0};
        for (size_t u = 0; u < units; u++)
            own[u] = is_known_to(op, s, rank, (int64_t)u) ? all[u] : 0;
        assert_int_equal(cpm_schedule_create(a, &with_own, &x, NULL), CPM_OK);
        assert_int_equal(cpm_schedule_rank(s, rank, &steps, NULL), CPM_OK);
        assert_int_equal(cpm_schedule_rank(x, rank, &others, NULL), CPM_OK);
        has_own_blocks_only(s, op, rank, &steps);
        has_equal_steps(&steps, &others);
        cpm_steps_free(&steps);
        cpm_steps_free(&others);
        cpm_schedule_free(x);
    }
    cpm_schedule_free(s);
}

static void who_needs_its_own_sizes_gets_no_others(void **state)
{
    (void)state;
    const int sizes[] = {2, 3, 8, 12, 24};
    int rows = 0;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        rows += takes(a, CPM_OWN_SIZE);
        for (int k = 0; k < 5 && takes(a, CPM_OWN_SIZE); k++)
            look_at_tries(a, sizes[k], 5000, is_the_same_by_own_sizes);
    }
    assert_in_range(rows, 12, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_row_contradicts_itself),
        cmocka_unit_test(no_two_rows_have_one_name),
        cmocka_unit_test(contradictions_are_found),
        cmocka_unit_test(whatever_is_tried_is_right),
        cmocka_unit_test(no_row_has_more_than_there_is_room_for),
        cmocka_unit_test(segments_are_powers_of_four_and_not_too_many),
        cmocka_unit_test(what_segments_make_is_not_tried_without),
        cmocka_unit_test(several_chains_are_fewer_than_processes),
        cmocka_unit_test(meshes_have_no_short_side),
        cmocka_unit_test(meshes_of_one_line_are_left_out),
        cmocka_unit_test(leaders_are_at_most_half_of_the_processes),
        cmocka_unit_test(pieces_are_just_smaller_than_a_threshold_that_is_reached),
        cmocka_unit_test(from_m1_on_a_gather_is_split_with_barriers_only),
        cmocka_unit_test(everything_to_everybody_is_not_for_large_blocks),
        cmocka_unit_test(the_first_k_is_the_usual_one),
        cmocka_unit_test(who_needs_its_own_sizes_gets_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
