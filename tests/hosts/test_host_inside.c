/* What the processors of hosts share, on topologies that hwloc makes up. */
#include "tests/mpi_test.h"

#include <sched.h>
#include <string.h>

#include "hosts/hosts.h"
#include "hosts/inside.h"
#include "hosts/load.h"

#ifdef CPM_HWLOC

typedef struct {
    hwloc_topology_t topology;
    hwloc_bitmap_t used;
} machine;

static machine made_up(const char *description)
{
    machine m = {.used = hwloc_bitmap_alloc()};
    assert_int_equal(hwloc_topology_init(&m.topology), 0);
    assert_int_equal(hwloc_topology_set_synthetic(m.topology, description), 0);
    assert_int_equal(hwloc_topology_load(m.topology), 0);
    return m;
}

static void unmake(machine *m)
{
    hwloc_bitmap_free(m->used);
    hwloc_topology_destroy(m->topology);
}

static mpib_inside of(machine *m, int first, int last)
{
    hwloc_bitmap_zero(m->used);
    hwloc_bitmap_set_range(m->used, (unsigned)first, last);
    return mpib_inside_of(m->topology, m->used);
}

static void sockets_and_caches_of_the_processors_in_use_are_counted(void **state)
{
    (void)state;
    machine m = made_up("pack:2 l3:2 core:2 pu:1");
    mpib_inside all = of(&m, 0, 7), one = of(&m, 0, 1), half = of(&m, 0, 3), none = of(&m, 8, 9);
    unmake(&m);
    assert_true(all.sockets == 2 && all.caches == 4);
    assert_true(half.sockets == 1 && half.caches == 2);
    assert_true(one.sockets == 1 && one.caches == 1);
    assert_true(none.sockets == 0 && none.caches == 0);
}

static void what_all_caches_of_a_processor_hold_is_added(void **state)
{
    (void)state;
    machine m =
        made_up("pack:2 l3:1(size=1000000) l2:2(size=20000) l1d:1(size=300) l1i:1(size=7) pu:2");
    hwloc_bitmap_zero(m.used);
    size_t none = mpib_cached_of(m.topology, m.used);
    hwloc_bitmap_set_range(m.used, 0, 7);
    size_t any = mpib_cached_of(m.topology, m.used);
    unmake(&m);
    assert_true(none == 0 && any == 1020300);
}

/* The socket of a process that is bound to these processors. */
static int socket_of(machine *m, int first, int last)
{
    hwloc_bitmap_zero(m->used);
    hwloc_bitmap_set_range(m->used, (unsigned)first, last);
    return mpib_socket_of(m->topology, m->used);
}

/* 8 processors; packages, or NUMA nodes, or caches, have 4 or 2. */
static void the_largest_parts_of_a_host_are_its_sockets(void **state)
{
    (void)state;
    static const struct {
        const char *host;
        int socket_of_5;
    } hosts[] = {{"pack:2 numa:2 l3:1 core:2 pu:1", 1},
                 {"pack:1 numa:4 l3:1 core:2 pu:1", 2},
                 {"pack:1 numa:1 l3:2 core:4 pu:1", 1},
                 {"pack:1 l3:1 core:8 pu:1", 0}};
    for (size_t q = 0; q < sizeof hosts / sizeof *hosts; q++) {
        machine m = made_up(hosts[q].host);
        assert_int_equal(socket_of(&m, 0, 0), 0);
        assert_int_equal(socket_of(&m, 5, 5), hosts[q].socket_of_5);
        unmake(&m);
    }
}

static void processes_that_may_run_on_several_have_none(void **state)
{
    (void)state;
    machine m = made_up("pack:2 core:4 pu:1");
    assert_int_equal(socket_of(&m, 4, 7), 1);
    assert_int_equal(socket_of(&m, 3, 4), -1);
    assert_int_equal(socket_of(&m, 0, 7), -1);
    assert_int_equal(socket_of(&m, 8, 9), -1);
    unmake(&m);
}

#endif

static void all_ranks_are_told_what_there_is_and_the_first_who_sits_where(void **state)
{
    (void)state;
    cpm_hosts hosts;
    mpib_inside most, of_0;
    assert_everywhere(mpib_hosts(MPI_COMM_WORLD, &hosts, NULL) == CPM_OK);
    assert_everywhere(mpib_inside_find(MPI_COMM_WORLD, &hosts, &most, NULL) == CPM_OK);
    of_0 = most;
    MPI_Bcast(&of_0, sizeof of_0, MPI_BYTE, 0, MPI_COMM_WORLD);
    assert_everywhere(of_0.sockets == most.sockets && of_0.caches == most.caches);
    bool right = (test_rank() == 0) == (hosts.socket != NULL);
    for (int i = 0; hosts.socket && i < test_ranks(); i++)
        right = right && hosts.socket[i] >= -1 && hosts.socket[i] < 1024;
    cpm_hosts_clear(&hosts);
    assert_everywhere(right);
}

static void looking_at_a_host_does_not_move_the_process(void **state)
{
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    long moves = mpib_usage_now().moves;
    mpib_socket_here();
    assert_everywhere(mpib_usage_now().moves == moves);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
#ifdef CPM_HWLOC
        cmocka_unit_test(what_all_caches_of_a_processor_hold_is_added),
        cmocka_unit_test(sockets_and_caches_of_the_processors_in_use_are_counted),
        cmocka_unit_test(the_largest_parts_of_a_host_are_its_sockets),
        cmocka_unit_test(processes_that_may_run_on_several_have_none),
#endif
        cmocka_unit_test(all_ranks_are_told_what_there_is_and_the_first_who_sits_where),
        cmocka_unit_test(looking_at_a_host_does_not_move_the_process),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
