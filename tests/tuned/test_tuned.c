/* Collectives by a model that the application gives to a communicator. */
#include "tests/mpi_test.h"

#include <string.h>

#include "cpm/cpm_mpi.h"
#include "executor/combining.h"
#include "models/lmo.h"
#include "models/lmo2.h"
#include "tuned/adapt/adapt.h"
#include "tuned/attribute.h"
#include "tuned/comm/state.h"

enum { MOST = 64, FEW = 40, INTS = 3000 };

/* Processors and links unlike each other, so that trees are worth mapping. */
static cpm_model *heterogeneous(int processes)
{
    const int first[MOST] = {0, 1};
    int n = processes < 3 ? 3 : processes;
    cpm_model *m = NULL, *two = NULL;
    assert_int_equal(cpm_model_create(&cpm_lmo, n, &m, NULL), CPM_OK);
    for (int p = 0; p < m->type->count; p++) {
        const cpm_parameter *parameter = &m->type->parameters[p];
        size_t values = cpm_parameter_values(m, p);
        bool per_byte = strcmp(parameter->unit, "s/B") == 0;
        for (size_t k = 0; k < values && !parameter->optional; k++) {
            bool diagonal = parameter->shape == CPM_PAIR && k % (size_t)(n + 1) == 0;
            double factor = (double)(1 + (k * 7 + (size_t)p) % 5);
            m->value[p][k] = diagonal ? 0 : factor * (per_byte ? 1e-8 : 1e-5);
        }
    }
    if (processes == n)
        return m;
    assert_int_equal(cpm_model_subset(m, first, processes, &two, NULL), CPM_OK);
    cpm_model_free(m);
    return two;
}

static int numbers[INTS * MOST], result[INTS * MOST], expected[INTS * MOST];

static void fill(int seed)
{
    for (int i = 0; i < INTS * MOST; i++) {
        numbers[i] = (i * 31 + seed * 57) % 1009;
        result[i] = expected[i] = (i * 17 + seed * 91) % 1009;
    }
}

static bool same(void)
{
    return memcmp(result, expected, sizeof result) == 0;
}

static bool try_sizes(MPI_Comm comm, int count)
{
    int n, rank, counts[MOST], places[MOST];
    bool right = true;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &rank);
    for (int p = 0, at = 0; p < n; p++) {
        counts[p] = count * (p + 1) / n;
        places[p] = at;
        at += counts[p] + 1;
    }
    for (int root = 0; root < n && right; root += n > 3 ? n - 2 : 1) {
        fill(rank + root);
        cpm_bcast(result, count, MPI_INT, root, comm);
        PMPI_Bcast(expected, count, MPI_INT, root, comm);
        right = right && same();
        cpm_scatterv(numbers, counts, places, MPI_INT, result, counts[rank], MPI_INT, root, comm);
        PMPI_Scatterv(numbers, counts, places, MPI_INT, expected, counts[rank], MPI_INT, root,
                      comm);
        right = right && same();
        cpm_gatherv(numbers, counts[rank], MPI_INT, result, counts, places, MPI_INT, root, comm);
        PMPI_Gatherv(numbers, counts[rank], MPI_INT, expected, counts, places, MPI_INT, root, comm);
        right = right && same();
        cpm_reduce(numbers, result, count, MPI_INT, MPI_SUM, root, comm);
        PMPI_Reduce(numbers, expected, count, MPI_INT, MPI_SUM, root, comm);
        right = right && same();
    }
    cpm_allreduce(numbers, result, count, MPI_INT, MPI_SUM, comm);
    PMPI_Allreduce(numbers, expected, count, MPI_INT, MPI_SUM, comm);
    cpm_barrier(comm);
    return right && same();
}

static void use(MPI_Comm comm)
{
    cpm_error e = {0};
    int n;
    MPI_Comm_size(comm, &n);
    cpm_model *m = heterogeneous(n);
    assert_everywhere(cpm_use_model(comm, m, &e) == CPM_OK);
    cpm_model_free(m); /* it was copied */
}

static void results_are_those_of_mpi(void **state)
{
    (void)state;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm);
    for (int count = 0; count <= INTS / 4; count = 3 * count + 1)
        assert_everywhere(try_sizes(comm, count));
    MPI_Comm_free(&comm);
}

/* Sizes that are new in every call, more of them than are decided on. */
static void sizes_may_be_new_in_every_call(void **state)
{
    (void)state;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm);
    for (int count = 1; count <= 20; count++)
        assert_everywhere(try_sizes(comm, count));
    MPI_Comm_free(&comm);
}

/* From M1 on blocks of a gatherv come one by one; who has a small one does not know who else does
 * not. */
static void sizes_may_be_new_where_gathers_escalate(void **state)
{
    (void)state;
    MPI_Comm comm;
    cpm_error e = {0};
    cpm_model *m = heterogeneous(test_ranks());
    m->value[CPM_LMO_M1][0] = 32;
    m->value[CPM_LMO_M2][0] = 4096;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    assert_everywhere(cpm_use_model(comm, m, &e) == CPM_OK);
    cpm_model_free(m);
    for (int count = 1; count <= INTS / 2; count = 2 * count + 1)
        assert_everywhere(try_sizes(comm, count));
    MPI_Comm_free(&comm);
}

/* MPI gives the handle of a type that was freed to the next one. */
static void a_type_that_looks_like_a_freed_one_is_planned_anew(void **state)
{
    (void)state;
    use(MPI_COMM_WORLD);
    for (int stride = 1; stride <= 4; stride++) {
        MPI_Datatype type;
        MPI_Type_vector(20, 1, stride, MPI_INT, &type);
        MPI_Type_commit(&type);
        fill(test_rank());
        cpm_bcast(result, 1, type, 0, MPI_COMM_WORLD);
        PMPI_Bcast(expected, 1, type, 0, MPI_COMM_WORLD);
        assert_everywhere(same());
        MPI_Type_free(&type);
    }
}

static void a_model_of_other_processes_is_refused(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_model *m = heterogeneous(test_ranks() + 1);
    assert_everywhere(cpm_use_model(MPI_COMM_WORLD, m, &e) == CPM_EPROCESS);
    assert_everywhere(strstr(e.text, "the communicator"));
    assert_everywhere(try_sizes(MPI_COMM_WORLD, 10)); /* by MPI's own */
    cpm_model_free(m);
}

static void what_decided_before_a_refused_model_still_does(void **state)
{
    (void)state;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm);
    tuned_state *t = NULL;
    assert_everywhere(tuned_attribute_get(comm, &t));
    const cpm_selector *before = t->selector;
    cpm_model *m = heterogeneous(test_ranks() + 1);
    assert_everywhere(cpm_use_model(comm, m, NULL) == CPM_EPROCESS);
    assert_everywhere(cpm_use_adapting(comm, m, NULL) == CPM_EPROCESS);
    cpm_model_free(m);
    assert_everywhere(!t->native && !t->adapt && t->selector == before);
    assert_everywhere(before || t->rank != 0);
    assert_everywhere(try_sizes(comm, 10));
    MPI_Comm_free(&comm);
}

/* With a model or none, until a model decides. Rank 0 notes which calls there are. */
static void the_calls_decide_if_they_are_asked(void **state)
{
    (void)state;
    cpm_model *models[] = {heterogeneous(test_ranks()), NULL};
    for (int k = 0; k < 2; k++) {
        MPI_Comm comm;
        tuned_state *t = NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        assert_everywhere(cpm_use_adapting(comm, models[k], NULL) == CPM_OK);
        assert_everywhere(tuned_attribute_get(comm, &t));
        if (test_ranks() > 1)
            assert_everywhere(t->adapt && t->adapt->open && !t->selector);
        for (int times = 0; times < 20; times++)
            assert_everywhere(try_sizes(comm, 10));
        if (test_ranks() > 1)
            assert_everywhere(t->adapt && (t->rank != 0 || t->adapt->contexts.count > 0));
        use(comm);
        assert_everywhere(!t->adapt && try_sizes(comm, 10));
        MPI_Comm_free(&comm);
    }
    cpm_model_free(models[0]);
}

/* Given at rank 0 only: the others need none. */
static void no_model_is_mpis_own_again(void **state)
{
    (void)state;
    use(MPI_COMM_WORLD);
    assert_everywhere(try_sizes(MPI_COMM_WORLD, 100));
    assert_everywhere(cpm_use_model(MPI_COMM_WORLD, NULL, NULL) == CPM_OK);
    assert_everywhere(try_sizes(MPI_COMM_WORLD, 100));
}

/* Many of them (where processes have processors: more than MPICH has), one after the other. */
static void communicators_come_and_go(void **state)
{
    (void)state;
    bool right = true;
    int times = test_ranks() < 4 ? 2200 : 60;
    for (int k = 0; k < times && right; k++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (k % 30 == 0) {
            use(comm);
            right = try_sizes(comm, 7);
        }
        MPI_Comm_free(&comm);
    }
    assert_everywhere(right);
}

/* An error within a collective is the application's to handle. */
static void errors_return_where_they_should(void **state)
{
    (void)state;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    assert_everywhere(cpm_bcast(result, -1, MPI_INT, 0, comm) != MPI_SUCCESS);
    assert_everywhere(cpm_bcast(result, 1, MPI_INT, test_ranks(), comm) != MPI_SUCCESS);
    assert_everywhere(cpm_bcast(result, 1, MPI_INT, 0, comm) == MPI_SUCCESS);
    MPI_Comm_free(&comm);
}

/* An error of the program that MPI's own broadcast survives: the last rank has room for more than
 * comes. Nothing was decided for its size, so that it would wait for a decision. */
static void a_rank_that_asks_for_more_than_others_is_not_left_waiting(void **state)
{
    (void)state;
    MPI_Comm comm;
    if (test_ranks() < 3)
        return; /* MPI's own broadcast is as good as any there, and is chosen */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int last = test_rank() == test_ranks() - 1, few = 4, many = 4 * INTS;
    assert_everywhere(cpm_bcast(result, few, MPI_INT, 0, comm) == MPI_SUCCESS);
    cpm_bcast(result, last ? many : few, MPI_INT, 0, comm);
    fill(3);
    for (int count = few; count <= many; count *= 5) {
        for (int i = 0; i < count && test_rank() == 0; i++)
            result[i] = i + count;
        assert_everywhere(cpm_bcast(result, count, MPI_INT, 0, comm) == MPI_SUCCESS);
        assert_everywhere(result[0] == count && result[count - 1] == 2 * count - 1);
    }
    MPI_Comm_free(&comm);
}

typedef int collective(int send_count, int recv_count, int root, MPI_Comm comm);

static int scatter(int send_count, int recv_count, int root, MPI_Comm comm)
{
    return cpm_scatter(numbers, send_count, MPI_INT, result, recv_count, MPI_INT, root, comm);
}

static int gather(int send_count, int recv_count, int root, MPI_Comm comm)
{
    return cpm_gather(numbers, send_count, MPI_INT, result, recv_count, MPI_INT, root, comm);
}

/* One side of the root's is of another size than all others: what was decided for them holds there,
 * nothing is written behind the buffer's end, and it says so if something does not fit. */
static void try_other_side(collective *run, int send_count, int recv_count, MPI_Comm comm)
{
    int root = test_ranks() - 1, at_root = test_rank() == root, failed;
    fill(3);
    assert_everywhere(run(FEW, FEW, root, comm) == MPI_SUCCESS);
    fill(4);
    failed = run(at_root ? send_count : FEW, at_root ? recv_count : FEW, root, comm);
    int blocks = run == scatter ? 1 : test_ranks(), room = recv_count * blocks;
    size_t rest = sizeof result - sizeof result[0] * (size_t)room;
    assert_everywhere(!at_root || memcmp(result + room, expected + room, rest) == 0);
    assert_everywhere(!at_root || (failed == MPI_SUCCESS) == (send_count <= recv_count));
    assert_everywhere(run(FEW, FEW, root, comm) == MPI_SUCCESS);
}

static void a_side_that_differs_is_not_what_is_decided_by(void **state)
{
    (void)state;
    MPI_Comm comm;
    if (test_ranks() < 3)
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    try_other_side(scatter, 4, FEW, comm);
    try_other_side(scatter, INTS, FEW, comm);
    try_other_side(gather, FEW, 4, comm);
    try_other_side(gather, FEW, INTS, comm);
    MPI_Comm_free(&comm);
}

/* Latencies are long, bytes are combined slowly, doubles at once. */
static cpm_model *slow_with_bytes(int n)
{
    const cpm_sizes sizes = {.at = (size_t[]){0}, .count = 1};
    cpm_model *m = NULL;
    assert_int_equal(cpm_model_create_sized(&cpm_lmo2, n, &sizes, &m, NULL), CPM_OK);
    for (int i = 0; i < n; i++) {
        m->value[CPM_LMO2_CS][i] = m->value[CPM_LMO2_CR][i] = 1e-6;
        m->value[CPM_LMO2_OC][i] = m->value[CPM_LMO2_DOUBLES_OC][i] = 0;
        m->value[CPM_LMO2_CB][i] = 1e-7;
        m->value[CPM_LMO2_DOUBLES_CB][i] = 0;
        for (int j = 0; j < n; j++)
            m->value[CPM_LMO2_L][i * n + j] = i == j ? 0 : 1e-5;
    }
    return m;
}

/* What decides a call of 4,096 bytes. */
static const tuned_decision *decision_of(MPI_Comm comm, MPI_Datatype type, MPI_Op op)
{
    tuned_state *t = NULL;
    int bytes;
    MPI_Type_size(type, &bytes);
    fill(0);
    assert_everywhere(cpm_allreduce(numbers, result, 4096 / bytes, type, op, comm) == MPI_SUCCESS);
    assert_everywhere(tuned_attribute_get(comm, &t));
    return t->decisions.last[CPM_OP_ALLREDUCE].decision;
}

/* With long latencies a whole message in one round is best unless combining takes longer: then each
 * process combines a part. */
static void reductions_are_decided_by_what_they_combine(void **state)
{
    (void)state;
    MPI_Comm comm;
    cpm_model *m = slow_with_bytes(test_ranks() < 2 ? 2 : test_ranks());
    if (test_ranks() > 1) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        assert_everywhere(cpm_use_model(comm, m, NULL) == CPM_OK);
        const tuned_decision *bytes = decision_of(comm, MPI_BYTE, MPI_BXOR);
        const tuned_decision *doubles = decision_of(comm, MPI_DOUBLE, MPI_SUM);
        assert_everywhere(bytes != doubles && bytes->combining == CPM_COMBINING_BYTES &&
                          doubles->combining == CPM_COMBINING_DOUBLES);
        assert_everywhere(bytes->choice.what.algorithm != doubles->choice.what.algorithm);
        assert_everywhere(decision_of(comm, MPI_LONG, MPI_MAX) == doubles);
        assert_everywhere(decision_of(comm, MPI_BYTE, MPI_BOR) == bytes);
        MPI_Comm_free(&comm);
    }
    cpm_model_free(m);
}

static void types_have_classes_by_their_width(void **state)
{
    (void)state;
    assert_everywhere(mpib_combining_of(MPI_BYTE, true) == CPM_COMBINING_BYTES);
    assert_everywhere(mpib_combining_of(MPI_SHORT, true) == CPM_COMBINING_FLOATS);
    assert_everywhere(mpib_combining_of(MPI_INT, true) == CPM_COMBINING_FLOATS);
    assert_everywhere(mpib_combining_of(MPI_FLOAT, true) == CPM_COMBINING_FLOATS);
    assert_everywhere(mpib_combining_of(MPI_DOUBLE_INT, true) == CPM_COMBINING_DOUBLES);
    assert_everywhere(mpib_combining_of(MPI_LONG_DOUBLE, true) == CPM_COMBINING_OTHER);
    assert_everywhere(mpib_combining_of(MPI_DOUBLE, false) == CPM_COMBINING_OTHER);
    for (cpm_combining what = 0; what < CPM_COMBINING_OTHER; what++)
        assert_everywhere(mpib_combining_of(mpib_combined_of(what).type, true) == what);
}

static void names_that_no_rule_asks_for_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "value:phase", "my phase", "phase=2", "phas\xe9"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        cpm_error e = {0};
        assert_everywhere(cpm_set_value(MPI_COMM_WORLD, wrong[k], 1, &e) == CPM_EINVAL);
        assert_everywhere(strstr(e.text, "no rule could ask for it") != NULL);
    }
    assert_everywhere(cpm_set_value(MPI_COMM_WORLD, NULL, 1, NULL) == CPM_EINVAL);
    assert_everywhere(cpm_set_value(MPI_COMM_WORLD, "My-phase_2.1", 1, NULL) == CPM_OK);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_mpi),
        cmocka_unit_test(sizes_may_be_new_in_every_call),
        cmocka_unit_test(sizes_may_be_new_where_gathers_escalate),
        cmocka_unit_test(a_type_that_looks_like_a_freed_one_is_planned_anew),
        cmocka_unit_test(a_model_of_other_processes_is_refused),
        cmocka_unit_test(what_decided_before_a_refused_model_still_does),
        cmocka_unit_test(the_calls_decide_if_they_are_asked),
        cmocka_unit_test(no_model_is_mpis_own_again),
        cmocka_unit_test(communicators_come_and_go),
        cmocka_unit_test(errors_return_where_they_should),
        cmocka_unit_test(a_rank_that_asks_for_more_than_others_is_not_left_waiting),
        cmocka_unit_test(a_side_that_differs_is_not_what_is_decided_by),
        cmocka_unit_test(reductions_are_decided_by_what_they_combine),
        cmocka_unit_test(types_have_classes_by_their_width),
        cmocka_unit_test(names_that_no_rule_asks_for_are_refused),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
