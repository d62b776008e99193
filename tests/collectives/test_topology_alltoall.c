/* In a predicted run of alltoall along a topology no two messages are on a link at once, however
 * different processes and messages are; without signals they are. */
#include "collectives/algorithm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/schedule/timeline.h"
#include "random_topology.h"
#include "tests/collectives/costs.h"

enum { MOST_NODES = 64, BYTES = 10000 };

/* As hockney, but messages with data take their sender a moment, by which they are known. */
static void cost(const void *model, int from, int to, size_t bytes, cpm_cost *c)
{
    hockney(model, from, to, bytes, c);
    c->send = 1e-15 * (double)bytes;
}

/* The links of the way from one host to another, with their directions. */
static int find_way(const cpm_topology *t, int from, int to, int *way)
{
    int parent[MOST_NODES], links = 0, at = from;
    assert_true(t->nodes <= MOST_NODES);
    assert_int_equal(cpm_topology_orient(t, to, parent, NULL, NULL), CPM_OK);
    for (; at != to; at = parent[at])
        way[links++] = at * MOST_NODES + parent[at];
    return links;
}

static int by_leaving(const void *a, const void *b)
{
    const cpm_timed_message *x = a, *y = b;
    return (x->left > y->left) - (x->left < y->left);
}

/* Messages, by the time they leave, that find another on a link of their way. */
static int count_meetings(const cpm_topology *t, const parameters *p, cpm_timeline *line)
{
    double *free_from = calloc(MOST_NODES * MOST_NODES, sizeof *free_from);
    int meetings = 0, way[MOST_NODES];
    qsort(line->at, (size_t)line->count, sizeof *line->at, by_leaving);
    for (int k = 0; k < line->count; k++) {
        const cpm_timed_message *m = &line->at[k];
        int links = m->send_end > m->send_begin ? find_way(t, m->from, m->to, way) : 0;
        bool meets = false;
        double arrival = m->left + hockney_p2p(p, m->from, m->to, BYTES);
        for (int l = 0; l < links; l++) {
            meets = meets || m->left < free_from[way[l]] - 1e-9;
            free_from[way[l]] = fmax(free_from[way[l]], arrival);
        }
        meetings += meets;
    }
    free(free_from);
    return meetings;
}

static int meetings_of(const char *name, const cpm_topology *t, unsigned seed)
{
    const cpm_algorithm *a = NULL;
    cpm_schedule *s = NULL;
    cpm_timeline line = {0};
    cpm_trace trace = cpm_timeline_trace(&line);
    parameters *p = malloc(sizeof *p);
    randomize(p, seed);
    assert_int_equal(cpm_algorithm_find("alltoall", name, &a, NULL), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = t->hosts, .topology = t}, &s, NULL),
                     CPM_OK);
    const cpm_block_sizes sizes = {.bytes = BYTES};
    assert_true(
        cpm_plain_walk(s, &sizes, cost, p, &(cpm_plain_walking){.trace = &trace}, NULL, NULL) >= 0);
    assert_int_equal(cpm_timeline_check(&line, NULL), CPM_OK);
    int meetings = count_meetings(t, p, &line);
    cpm_timeline_free(&line);
    cpm_schedule_free(s);
    free(p);
    return meetings;
}

static void no_two_messages_are_on_a_link_at_once(void **state)
{
    (void)state;
    int of_ring = 0;
    for (unsigned seed = 0; seed < 100; seed++) {
        cpm_topology *t = random_topology(seed);
        assert_non_null(t);
        assert_int_equal(meetings_of("topology", t, seed), 0);
        if (seed % 5 == 0) /* has many messages */
            assert_int_equal(meetings_of("topology-barrier", t, seed), 0);
        of_ring += meetings_of("ring", t, seed);
        cpm_topology_free(t);
    }
    assert_true(of_ring > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_two_messages_are_on_a_link_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
