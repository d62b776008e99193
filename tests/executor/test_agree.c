/* Agreement: one rank's failure is everybody's. */
#include "tests/mpi_test.h"

#include <string.h>

#include "executor/agree.h"

static void a_failure_of_any_rank_is_returned_on_all(void **state)
{
    (void)state;
    for (int failing = 0; failing < test_ranks(); failing++) {
        cpm_error e = {0};
        int status = CPM_OK;
        if (test_rank() == failing)
            status = cpm_fail(&e, CPM_EIO, "disk of rank %d is full", failing);
        char expected[64];
        snprintf(expected, sizeof expected, "disk of rank %d is full", failing);
        assert_everywhere(mpib_agree(MPI_COMM_WORLD, status, &e) == CPM_EIO);
        assert_everywhere(e.code == CPM_EIO && strcmp(e.text, expected) == 0);
    }
}

static void the_lowest_failing_rank_is_heard(void **state)
{
    (void)state;
    cpm_error e = {0};
    int status = CPM_OK;
    if (test_rank() > 0)
        status = cpm_fail(&e, test_rank() == 1 ? CPM_EPARSE : CPM_ENOMEM, "rank %d", test_rank());
    assert_everywhere(mpib_agree(MPI_COMM_WORLD, status, &e) == CPM_EPARSE);
    assert_everywhere(strcmp(e.text, "rank 1") == 0);
}

static void agreeing_on_success_leaves_the_error_alone(void **state)
{
    (void)state;
    cpm_error e = {0};
    assert_everywhere(mpib_agree(MPI_COMM_WORLD, CPM_OK, &e) == CPM_OK);
    assert_everywhere(e.code == CPM_OK && e.text[0] == '\0');
}

static void a_failure_without_a_sentence_gets_the_general_one(void **state)
{
    (void)state;
    cpm_error e = {0};
    int status = test_rank() == test_ranks() - 1 ? CPM_ENOMEM : CPM_OK;
    assert_everywhere(mpib_agree(MPI_COMM_WORLD, status, &e) == CPM_ENOMEM);
    assert_everywhere(strcmp(e.text, cpm_status_text(CPM_ENOMEM)) == 0);
    assert_everywhere(mpib_agree(MPI_COMM_WORLD, status, NULL) == CPM_ENOMEM);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_of_any_rank_is_returned_on_all),
        cmocka_unit_test(the_lowest_failing_rank_is_heard),
        cmocka_unit_test(agreeing_on_success_leaves_the_error_alone),
        cmocka_unit_test(a_failure_without_a_sentence_gets_the_general_one),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
