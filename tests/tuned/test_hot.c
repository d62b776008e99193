/* Calls that are passed on are reckoned later, in an order of each rank's own. */
#include "tests/mpi_test.h"

#include <string.h>

#include "tuned/call/hot.h"
#include "tuned/call/sides.h"

enum { BROADCAST, ALL_REDUCE, KINDS };

/* A communicator whose calls are passed on. */
typedef struct {
    tuned_state state;
    uint16_t runs[CPM_OPERATIONS];
    tuned_signature kind[KINDS];
} played;

static void begin(played *p, MPI_Comm comm)
{
    memset(p, 0, sizeof *p);
    p->kind[BROADCAST] =
        (tuned_signature){.operation = CPM_OP_BCAST, .recv_count = 1, .recv_type = MPI_INT};
    p->kind[ALL_REDUCE] = tuned_reduction_signature(CPM_OP_ALLREDUCE, 0, NULL, 1, MPI_INT, MPI_SUM);
    p->state = (tuned_state){.comm = comm, .n = 1, .call = 100, .runs = p->runs};
    p->state.inside = p->state.aside = MPI_COMM_NULL;
    p->state.adapt = tuned_adapt_create(comm, CPM_ADAPT_BUDGET, false);
    assert_non_null(p->state.adapt);
    for (int watched = 0; watched < 8; watched++)
        for (int kind = 0; kind < KINDS; kind++)
            tuned_hot_learn(&p->kind[kind], &(tuned_watched){.state = &p->state, .seconds = 1e-6});
}

static void end(played *p)
{
    tuned_hot_leave(&p->state);
    tuned_adapt_stop(&p->state);
}

static void pass(played *p, int kind)
{
    p->state.adapt->next_epoch = 1000000; /* no call is due to be watched */
    assert_non_null(tuned_hot_begin(p->state.comm, &p->kind[kind], NULL, NULL));
}

/* Duplicates the world until one has a place of its own: where handles are addresses, as in Open
 * MPI, chance decides. */
static int dup_apart(MPI_Comm made[], int most)
{
    int count = 0;
    do
        MPI_Comm_dup(MPI_COMM_WORLD, &made[count]);
    while (tuned_hot_comm_of(made[count++]) == tuned_hot_comm_of(MPI_COMM_WORLD) && count < most);
    return count;
}

/* By that ranks decide whether to wait for each other; which kind and which communicator is
 * reckoned first is another matter. */
static void each_communicators_last_call_is_known(void **state)
{
    (void)state;
    static played one, other;
    enum { MOST = 100 };
    MPI_Comm made[MOST];
    const int count = dup_apart(made, MOST);
    const MPI_Comm comm = made[count - 1];
    tuned_hot_watched(PMPI_Wtime()); /* what can be watched may be passed on */
    begin(&one, MPI_COMM_WORLD);
    begin(&other, comm);
    for (int last = 0; last < KINDS; last++)
        for (int first = 0; first < KINDS; first++) {
            tuned_hot_here.left = 100;
            pass(&one, first);
            pass(&one, !last);
            pass(&one, last);
            pass(&other, first);
            pass(&other, !last);
            tuned_hot_settle();
            assert_int_equal(one.state.adapt->alike.together, last == ALL_REDUCE);
            assert_int_equal(other.state.adapt->alike.together, last == BROADCAST);
        }
    end(&one);
    end(&other);
    for (int k = 0; k < count; k++)
        MPI_Comm_free(&made[k]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_communicators_last_call_is_known),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
