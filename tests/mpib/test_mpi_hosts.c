/* Who shares a host, as MPI says it. */
#include "mpi_test.h"

#include "mpib/hosts.h"

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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_can_share_memory_is_on_one_host),
        cmocka_unit_test(each_alone_is_alone),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
