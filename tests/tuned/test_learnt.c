/* What a communicator's calls have shown is begun with in those that come after it, by all of its
 * ranks alike, whatever each of them has seen. The seconds of calls are played. */
#include "tests/mpi_test.h"

#include <math.h>

#include "cpm/cpm_mpi.h"
#include "tests/adapt/played.h"
#include "tuned/adapt/adapt.h"
#include "tuned/adapt/offer.h"

enum { BYTES = 400 };

typedef struct {
    int fast;  /* who takes half of native's time, others take twice as long; 0: all are alike */
    int first; /* who was tried first; 0: nobody yet */
} world;

static double call(void *any, int who)
{
    world *w = any;
    w->first = w->first ? w->first : who;
    if (!who || !w->fast)
        return 2e-4;
    return who == w->fast ? 1e-4 : 4e-4;
}

/* The context of broadcasts in a communicator that is opened at its first call, and that may try
 * what it likes. */
static tuned_context *context_of(MPI_Comm comm)
{
    char buffer[BYTES] = "";
    const tuned_kind kind = {
        .operation = &cpm_operations[CPM_OP_BCAST], .least = BYTES, .most = BYTES};
    tuned_state *t = tuned_state_of(comm);
    const cpm_request r = {.operation = kind.operation, .n = t->n, .bytes = BYTES};
    t->adapt->open_now = true;
    t->adapt->next_epoch = 1;
    cpm_bcast(buffer, BYTES, MPI_CHAR, 0, comm);
    assert_true(t->adapt && t->adapt->open);
    t->adapt->ledger.constant = 1;
    assert_true(tuned_offer_make(t, t->rank == 0 ? &kind : NULL, INFINITY));
    return tuned_contexts_find(&t->adapt->contexts, &r);
}

/* Who is tried first there, and who is chosen in the end. Frees it. */
static world play(MPI_Comm comm, int fast, int *chosen)
{
    world w = {.fast = fast};
    played p;
    tuned_context *x = context_of(comm);
    assert_true(x && x->count > 2);
    played_begin(&p, x->engine, 1e-6);
    for (int k = 0; k < 3000; k++)
        played_step(&p, call, &w);
    *chosen = cpm_adapt_incumbent(x->engine);
    MPI_Comm_free(&comm);
    return w;
}

static bool same_on_all(MPI_Comm comm, int value)
{
    int both[2] = {value, -value};
    PMPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_MAX, comm);
    return both[0] == -both[1];
}

static MPI_Comm split(int color)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, color, test_rank(), &comm);
    return comm;
}

static void a_duplicate_begins_with_what_the_first_has_shown(void **state)
{
    (void)state;
    int chosen;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    play(comm, 2, &chosen);
    assert_everywhere(chosen == 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    assert_everywhere(play(comm, 2, &chosen).first == 2);
    assert_everywhere(chosen == 2);
}

/* Now another way is the fast one. */
static void what_is_no_longer_true_is_noticed(void **state)
{
    (void)state;
    int chosen;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    assert_everywhere(play(comm, 1, &chosen).first == 2);
    assert_everywhere(chosen == 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    assert_everywhere(play(comm, 1, &chosen).first == 1);
}

/* Pairs of neighbours find out that different ways are fast; then there are pairs of others. */
static void ranks_that_saw_different_things_agree(void **state)
{
    (void)state;
    int rank = test_rank(), n = test_ranks(), pairs = n / 2, chosen;
    if (n < 4)
        return;
    MPI_Comm comm = split(rank / 2 < pairs ? rank / 2 : MPI_UNDEFINED);
    if (comm != MPI_COMM_NULL)
        play(comm, 1 + rank / 2 % 2, &chosen);
    comm = split(rank < 2 * pairs ? rank % pairs : MPI_UNDEFINED);
    bool same = true;
    if (comm != MPI_COMM_NULL) {
        MPI_Comm copy;
        PMPI_Comm_dup(comm, &copy);
        int first = play(comm, 0, &chosen).first;
        same = same_on_all(copy, first) && same_on_all(copy, chosen);
        PMPI_Comm_free(&copy);
    }
    assert_everywhere(same);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_duplicate_begins_with_what_the_first_has_shown),
        cmocka_unit_test(what_is_no_longer_true_is_noticed),
        cmocka_unit_test(ranks_that_saw_different_things_agree),
    };
    setenv("CPM_ADAPT", "1", 1);
    return RUN_MPI_TESTS(argc, argv, tests);
}
