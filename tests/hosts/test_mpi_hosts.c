/* Who shares a host, as MPI says it. */
#include "tests/mpi_test.h"

#include "hosts/hosts.h"

/* A communicator that MPI makes of those who can share memory. */
static int size_of_host(void)
{
    MPI_Comm here;
    int size;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &size);
    MPI_Comm_free(&here);
    return size;
}

static void who_can_share_memory_is_on_one_host(void **state)
{
    (void)state;
    cpm_hosts h = {0};
    assert_everywhere(mpib_hosts(MPI_COMM_WORLD, &h, NULL) == CPM_OK);
    int together = 0;
    for (int i = 0; i < h.n; i++)
        together += cpm_hosts_share(&h, test_rank(), i);
    assert_everywhere(h.n == test_ranks() && together == size_of_host());
    assert_everywhere(h.of[0] == 0 && h.count >= 1);
    cpm_hosts_clear(&h);
}

static void each_alone_is_alone(void **state)
{
    (void)state;
    cpm_hosts h = {0};
    assert_everywhere(mpib_hosts(MPI_COMM_SELF, &h, NULL) == CPM_OK);
    assert_everywhere(h.n == 1 && h.count == 1 && h.of[0] == 0);
    cpm_hosts_clear(&h);
}

/* In a communicator of the odd ranks, the last first. */
static void a_layout_holds_for_every_communicator(void **state)
{
    (void)state;
    MPI_Comm odd;
    cpm_hosts world, h = {0};
    bool right = true, odd_one = test_rank() % 2;
    MPI_Comm_split(MPI_COMM_WORLD, odd_one ? 0 : MPI_UNDEFINED, -test_rank(), &odd);
    assert_everywhere(!cpm_hosts_regular(test_ranks(), 1, false, &world, NULL));
    for (int i = 0; i < world.n; i++)
        world.of[i] = i / 3; /* three on a host */
    world.count = (world.n + 2) / 3;
    if (odd != MPI_COMM_NULL)
        right = mpib_hosts_within(odd, &world, &h, NULL) == CPM_OK && h.n == test_ranks() / 2;
    for (int i = 0; i < h.n && right; i++)
        for (int j = 0; j < i && right; j++) {
            int last = test_ranks() - 1 - (test_ranks() % 2), one = last - 2 * i,
                two = last - 2 * j;
            right = cpm_hosts_share(&h, i, j) == (one / 3 == two / 3);
        }
    assert_everywhere(right);
    cpm_hosts_clear(&h);
    cpm_hosts_clear(&world);
    if (odd != MPI_COMM_NULL)
        MPI_Comm_free(&odd);
}

static void a_layout_of_fewer_processes_is_refused(void **state)
{
    (void)state;
    cpm_hosts world, h = {0};
    cpm_error e = {0};
    assert_everywhere(!cpm_hosts_regular(1, test_ranks() - 1, false, &world, NULL));
    assert_everywhere(mpib_hosts_within(MPI_COMM_WORLD, &world, &h, &e) == CPM_EPROCESS);
    assert_everywhere(h.of == NULL && e.text[0]);
    cpm_hosts_clear(&world);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_can_share_memory_is_on_one_host),
        cmocka_unit_test(each_alone_is_alone),
        cmocka_unit_test(a_layout_holds_for_every_communicator),
        cmocka_unit_test(a_layout_of_fewer_processes_is_refused),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
