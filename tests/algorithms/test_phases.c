/* All-to-all in phases: no contention, no phase too many, every message once. */
#include "mpib/algorithms/phases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_topology.h"

/* The network seen from its first switch, whatever root the phases chose. */
typedef struct {
    int nodes, *parent, *order, *depth, *below; /* below: processes at and below a node */
} view;

static view look(const cpm_topology *t, int n)
{
    size_t nodes = (size_t)t->nodes;
    view w = {t->nodes, calloc(nodes, sizeof(int)), calloc(nodes, sizeof(int)),
              calloc(nodes, sizeof(int)), calloc(nodes, sizeof(int))};
    assert_int_equal(cpm_topology_orient(t, t->hosts, w.parent, w.order, NULL), CPM_OK);
    for (int k = 1; k < t->nodes; k++)
        w.depth[w.order[k]] = w.depth[w.parent[w.order[k]]] + 1;
    for (int k = t->nodes - 1; k >= 0; k--) {
        int v = w.order[k];
        w.below[v] += v < n;
        if (k > 0)
            w.below[w.parent[v]] += w.below[v];
    }
    return w;
}

static void view_free(view *w)
{
    free(w->parent);
    free(w->order);
    free(w->depth);
    free(w->below);
}

static int64_t load_of_the_bottleneck(const view *w, int n)
{
    int64_t most = 0;
    for (int v = 0; v < w->nodes; v++) {
        int64_t load = w->parent[v] < 0 ? 0 : (int64_t)w->below[v] * (n - w->below[v]);
        most = load > most ? load : most;
    }
    return most;
}

/* used[(phase * nodes + lower end) * 2 + direction] */
static void use_links(const view *w, char *used, int64_t phase, int from, int to)
{
    char *of_phase = used + phase * w->nodes * 2;
    while (from != to)
        if (w->depth[from] >= w->depth[to]) {
            assert_int_equal(of_phase[from * 2]++, 0);
            from = w->parent[from];
        } else {
            assert_int_equal(of_phase[to * 2 + 1]++, 0);
            to = w->parent[to];
        }
}

static void check_phases(const cpm_topology *t, int n)
{
    cpm_phases *p = NULL;
    assert_int_equal(cpm_phases_create(t, n, &p, NULL), CPM_OK);
    view w = look(t, n);
    assert_int_equal(p->count, load_of_the_bottleneck(&w, n));
    char *used = calloc((size_t)p->count * (size_t)w.nodes * 2 + 1, 1);
    for (int from = 0; from < n; from++)
        for (int to = 0; to < n; to++)
            if (from != to) {
                int64_t phase = cpm_phase_of(p, from, to);
                assert_true(phase >= 0 && phase < p->count);
                use_links(&w, used, phase, from, to);
            }
    free(used);
    view_free(&w);
    cpm_phases_free(p);
}

static void phases_are_free_of_contention_and_as_few_as_possible(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 500; seed++) {
        cpm_topology *t = random_topology(seed);
        assert_non_null(t);
        check_phases(t, t->hosts);
        check_phases(t, 1 + t->hosts / 2);
        cpm_topology_free(t);
    }
}

/* Subtree sizes with and without common divisors decide how subtree 0 takes turns. */
static void subtrees_of_all_sizes_take_turns(void **state)
{
    (void)state;
    for (int a = 1; a <= 12; a++)
        for (int b = 1; b <= a; b++)
            for (int c = 0; c <= b; c++) {
                char text[2048] = "switch r\nswitch a\nswitch b\nswitch c\n"
                                  "link r a\nlink r b\nlink r c\n";
                size_t used = strlen(text);
                for (int h = 0; h < a + b + c; h++)
                    used += (size_t)snprintf(text + used, sizeof text - used, "host h%d %s\n", h,
                                             h < a       ? "a"
                                             : h < a + b ? "b"
                                                         : "c");
                cpm_topology *t = topology_of(text, NULL);
                check_phases(t, t->hosts);
                cpm_topology_free(t);
            }
}

static void check_rank(const cpm_phases *p, int rank, cpm_phase *busy)
{
    int count = cpm_phases_of_rank(p, rank, busy), messages = 0;
    for (int k = 0; k < count; k++) {
        assert_true(k == 0 || busy[k - 1].phase < busy[k].phase);
        assert_true(busy[k].to >= 0 || busy[k].from >= 0);
        if (busy[k].to >= 0)
            assert_int_equal(cpm_phase_of(p, rank, busy[k].to), busy[k].phase);
        if (busy[k].from >= 0)
            assert_int_equal(cpm_phase_of(p, busy[k].from, rank), busy[k].phase);
        messages += (busy[k].to >= 0) + (busy[k].from >= 0);
    }
    assert_int_equal(messages, 2 * (p->n - 1));
}

static void a_rank_knows_its_partners_phase_by_phase(void **state)
{
    (void)state;
    for (unsigned seed = 500; seed < 600; seed++) {
        cpm_topology *t = random_topology(seed);
        cpm_phases *p = NULL;
        assert_int_equal(cpm_phases_create(t, t->hosts, &p, NULL), CPM_OK);
        cpm_phase *busy = calloc(2 * (size_t)t->hosts, sizeof *busy);
        for (int rank = 0; rank < p->n; rank++)
            check_rank(p, rank, busy);
        free(busy);
        cpm_phases_free(p);
        cpm_topology_free(t);
    }
}

static void more_processes_than_hosts_have_no_phases(void **state)
{
    (void)state;
    cpm_topology *t = topology_of("switch s\nhost a s\n", NULL);
    cpm_phases *p = NULL;
    assert_int_equal(cpm_phases_create(t, 2, &p, NULL), CPM_EINVAL);
    assert_null(p);
    assert_int_equal(cpm_phases_create(t, 1, &p, NULL), CPM_OK);
    assert_int_equal(p->count, 0);
    cpm_phases_free(p);
    cpm_topology_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_are_free_of_contention_and_as_few_as_possible),
        cmocka_unit_test(subtrees_of_all_sizes_take_turns),
        cmocka_unit_test(a_rank_knows_its_partners_phase_by_phase),
        cmocka_unit_test(more_processes_than_hosts_have_no_phases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
