/* Rings in all dimensions of the same length at once: every message goes to a neighbour in the
 * torus, and in no round do two messages leave a process along the same dimension in the same
 * direction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collectives/algorithm.h"
#include "collectives/algorithms/mesh.h"

typedef struct {
    int dimensions, extent[3];
} shape;

static const shape shapes[] = {{2, {4, 4, 1}}, {2, {5, 5, 1}}, {3, {3, 3, 3}}, {3, {4, 4, 4}}};
static const char *const operations[] = {"allgather", "reduce_scatter", "allreduce"};

static cpm_schedule *schedule_of(const char *operation, const shape *t)
{
    const cpm_algorithm *a = NULL;
    cpm_schedule *s = NULL;
    cpm_call call = {.n = 1, .bytes = 1000};
    for (int d = 0; d < t->dimensions; d++) {
        call.n *= t->extent[d];
        call.with.mesh[d] = t->extent[d];
    }
    const char *name = t->dimensions == 2 ? "buckets" : "buckets-3d";
    assert_int_equal(cpm_algorithm_find(operation, name, &a, NULL), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &call, &s, NULL), CPM_OK);
    return s;
}

/* Which of the links of a process that is: -1: the other one is no neighbour. Extents are above 2,
 * so there is one way to each. */
static int link_to(const shape *t, int from, int to)
{
    int found = -1, different = 0;
    for (int d = 0; d < t->dimensions; d++) {
        const int stride = cpm_mesh_stride(t->extent, d), e = t->extent[d];
        const int ahead = (to / stride % e - from / stride % e + e) % e;
        different += ahead != 0;
        if (ahead == 1 || ahead == e - 1)
            found = 2 * d + (ahead == 1);
    }
    return different == 1 ? found : -1;
}

static void check_sends(const shape *t, const cpm_steps *steps, int rank)
{
    int round = -1, busy[6];
    for (int k = 0; k < steps->count; k++) {
        const cpm_step *step = &steps->at[k];
        if (step->round != round)
            for (int l = 0; l < 6; l++)
                busy[l] = 0;
        round = step->round;
        const int link = link_to(t, rank, step->peer);
        assert_in_range(link, 0, 5);
        assert_true(step->kind != CPM_SEND || ++busy[link] == 1);
    }
}

static void messages_go_to_neighbours_each_by_another_link(void **state)
{
    (void)state;
    cpm_steps steps = {0};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int o = 0; o < 3; o++) {
            cpm_schedule *s = schedule_of(operations[o], &shapes[k]);
            for (int rank = 0; rank < s->n; rank++) {
                assert_int_equal(cpm_schedule_rank(s, rank, &steps, NULL), CPM_OK);
                assert_in_range(steps.count, 1, 10000);
                check_sends(&shapes[k], &steps, rank);
            }
            cpm_schedule_free(s);
        }
    cpm_steps_free(&steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_go_to_neighbours_each_by_another_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
