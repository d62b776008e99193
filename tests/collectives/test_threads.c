/* A schedule that is const is const: any number of threads read and walk the same one at once. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "collectives/algorithm.h"
#include "collectives/schedule/flow_walk.h"
#include "costs.h"
#include "random_topology.h"

enum { THREADS = 4, TIMES = 5, N = 16 }; /* a power of two, which some algorithms need */

static void share_link_ends(const void *model, int from, int to, size_t bytes, cpm_flow *f)
{
    const parameters *p = model;
    *f = (cpm_flow){.send = p->C[from],
                    .start = p->C[from],
                    .recv = p->C[to],
                    .latency = p->L[from][to],
                    .flow = (double)bytes,
                    .cap = p->b[from][to],
                    .weight = 1};
    cpm_flow_use(f, from, p->t[from]);
    cpm_flow_use(f, N + to, p->t[to]);
}

/* What readers of a schedule find out. */
typedef struct {
    uint64_t steps; /* a hash of all of them */
    double walk[N], flow_walk[N];
    int status;
} reading;

static uint64_t hash_step(uint64_t hash, const cpm_steps *steps, const cpm_step *step)
{
    hash = cpm_hash_mix(hash, (uint64_t)step->kind);
    hash = cpm_hash_mix(hash, (uint64_t)step->peer);
    hash = cpm_hash_mix(hash, (uint64_t)step->round);
    for (int k = 0; k < step->runs; k++) {
        cpm_run run = cpm_step_run(steps, step, k);
        hash = cpm_hash_mix(cpm_hash_mix(hash, (uint64_t)run.first), (uint64_t)run.count);
    }
    return hash;
}

static reading read_schedule(const cpm_schedule *s, const parameters *p)
{
    reading r = {0};
    const cpm_block_sizes sizes = {.bytes = 1000};
    cpm_steps steps = {0};
    for (int rank = 0; rank < s->n && !r.status; rank++) {
        r.status = cpm_schedule_rank(s, rank, &steps, NULL);
        for (int k = 0; k < steps.count; k++)
            r.steps = hash_step(r.steps, &steps, &steps.at[k]);
    }
    cpm_steps_free(&steps);
    if (!r.status && (cpm_walk(s, &sizes, lmo, p, r.walk, NULL) < 0 ||
                      cpm_flow_walk(s, &sizes, share_link_ends, p, NULL, r.flow_walk, NULL) < 0))
        r.status = CPM_EWRONG;
    return r;
}

static bool same(const reading *a, const reading *b)
{
    return a->steps == b->steps && a->status == b->status &&
           memcmp(a->walk, b->walk, sizeof a->walk) == 0 &&
           memcmp(a->flow_walk, b->flow_walk, sizeof a->flow_walk) == 0;
}

typedef struct {
    const cpm_schedule *s;
    const parameters *p;
    const reading *alone;
    pthread_barrier_t *together;
} task;

/* NULL unless it reads something else than a thread that is alone. */
static void *read_often(void *argument)
{
    task *t = argument;
    pthread_barrier_wait(t->together);
    for (int k = 0; k < TIMES; k++) {
        reading r = read_schedule(t->s, t->p);
        if (!same(&r, t->alone))
            return argument;
    }
    return NULL;
}

static bool threads_agree(const cpm_schedule *s, const parameters *p)
{
    pthread_barrier_t together;
    pthread_t thread[THREADS];
    reading alone = read_schedule(s, p);
    task t = {s, p, &alone, &together};
    bool agree = alone.status == CPM_OK;
    assert_int_equal(pthread_barrier_init(&together, NULL, THREADS), 0);
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, read_often, &t), 0);
    for (int k = 0; k < THREADS; k++) {
        void *wrong;
        pthread_join(thread[k], &wrong);
        agree = agree && !wrong;
    }
    pthread_barrier_destroy(&together);
    return agree;
}

static void threads_read_and_walk_one_schedule_of_every_algorithm_at_once(void **state)
{
    (void)state;
    static const int parent[N] = {-1, 0, 1, 1, 0, 4, 5, 4, 2, 2, 9, 10, 0, 12, 3, 3};
    parameters p;
    randomize(&p, 1);
    cpm_topology *t = random_tree_of_switches(3, 5, N);
    cpm_hosts hosts, rows;
    assert_int_equal(cpm_hosts_regular(4, N / 4, true, &hosts, NULL), CPM_OK);
    assert_int_equal(cpm_hosts_regular(4, N / 4, false, &rows, NULL), CPM_OK);
    cpm_neighbours *grid;
    assert_int_equal(cpm_neighbours_read("torus:4x4:corners", N, &grid, NULL), CPM_OK);
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        const cpm_operation *op = NULL;
        cpm_schedule *s = NULL;
        cpm_call call = {.n = N,
                         .bytes = 1000,
                         .parent = parent,
                         .topology = t,
                         .hosts = &hosts,
                         .neighbours = grid};
        if (a->properties & CPM_NEEDS_ROWS)
            call.hosts = &rows;
        assert_int_equal(cpm_operation_find(a->operation, &op, NULL), CPM_OK);
        call.root = op->rooted ? 3 : 0;
        if (a->properties & CPM_TAKES_SEGMENT)
            call.with.segment = 300;
        assert_int_equal(cpm_schedule_create(a, &call, &s, NULL), CPM_OK);
        if (!threads_agree(s, &p))
            fail_msg("%s:%s", a->operation, a->name);
        cpm_schedule_free(s);
    }
    cpm_topology_free(t);
    cpm_neighbours_free(grid);
    cpm_hosts_clear(&hosts);
    cpm_hosts_clear(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_read_and_walk_one_schedule_of_every_algorithm_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
