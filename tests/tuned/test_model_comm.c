/* Models of a communicator: read, broadcast and estimated by all of its ranks, or by none. */
#include "tests/mpi_test.h"

#include <string.h>
#include <unistd.h>

#include "cpm/cpm_mpi.h"
#include "tests/models/random_model.h"

enum { PROCESSES = 5 }; /* of models that come from elsewhere */

static void name_file(char *path, size_t size)
{
    snprintf(path, size, "test_model_comm_%ld.mod", (long)getpid());
}

/* Whether the model has the same text as one that everybody can make. */
static bool is_same(const cpm_model *m, const cpm_model *expected)
{
    char *own = NULL, *other = NULL;
    bool same = m && cpm_model_pack(m, &own, NULL) == CPM_OK &&
                cpm_model_pack(expected, &other, NULL) == CPM_OK && strcmp(own, other) == 0;
    free(own);
    free(other);
    return same;
}

static void every_rank_gets_the_model_of_the_root(void **state)
{
    (void)state;
    for (int root = 0; root < test_ranks(); root++) {
        cpm_model *expected = random_lmo(PROCESSES, 7u + (unsigned)root), *m = NULL;
        cpm_error e = {0};
        if (test_rank() == root)
            m = expected;
        assert_everywhere(cpm_model_bcast(&m, root, MPI_COMM_WORLD, &e) == CPM_OK);
        assert_everywhere(is_same(m, expected));
        assert_everywhere((m == expected) == (test_rank() == root));
        if (m != expected)
            cpm_model_free(m);
        cpm_model_free(expected);
    }
}

static void a_model_that_cannot_be_written_is_broadcast_to_none(void **state)
{
    (void)state;
    int root = test_ranks() - 1;
    cpm_model *wrong = random_lmo(PROCESSES, 3), *m = NULL;
    wrong->value[0][0] = NAN;
    if (test_rank() == root)
        m = wrong;
    cpm_error e = {0};
    assert_everywhere(cpm_model_bcast(&m, root, MPI_COMM_WORLD, &e) == CPM_EDATA && e.text[0]);
    assert_everywhere(m == (test_rank() == root ? wrong : NULL));
    cpm_model_free(wrong);
}

static void a_broadcast_without_a_model_or_a_root_is_refused(void **state)
{
    (void)state;
    cpm_model *m = NULL;
    cpm_error e = {0}, wrong = {0}, nobody = {0};
    assert_everywhere(cpm_model_bcast(&m, 0, MPI_COMM_WORLD, &e) == CPM_EINVAL);
    assert_everywhere(strstr(e.text, "no model") && !m);
    assert_everywhere(cpm_model_bcast(&m, test_ranks(), MPI_COMM_WORLD, &wrong) == CPM_EINVAL);
    assert_everywhere(strstr(wrong.text, "root") && !m);
    assert_everywhere(cpm_model_bcast(&m, 0, MPI_COMM_NULL, &nobody) == CPM_EINVAL);
}

static void an_intercommunicator_has_no_model(void **state)
{
    (void)state;
    MPI_Comm half, between;
    int upper = test_rank() >= test_ranks() / 2;
    MPI_Comm_split(MPI_COMM_WORLD, upper, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : test_ranks() / 2, 5, &between);
    cpm_model *m = NULL;
    cpm_error e = {0};
    assert_everywhere(cpm_model_estimate("hockney", 1, between, &m, &e) == CPM_EINVAL && !m);
    assert_everywhere(strstr(e.text, "inter-communicator"));
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

/* Only rank 0 has the file: the others name one that is not there. */
static void a_file_that_only_rank_0_sees_is_read_for_all(void **state)
{
    (void)state;
    char path[64] = "not there either";
    cpm_model *expected = random_lmo(PROCESSES, 11), *m = NULL;
    cpm_error e = {0};
    int written = CPM_OK;
    if (test_rank() == 0) {
        name_file(path, sizeof path);
        written = cpm_model_write(expected, path, &e);
    }
    assert_everywhere(written == CPM_OK);
    int status = cpm_model_load(path, MPI_COMM_WORLD, &m, &e);
    if (test_rank() == 0)
        unlink(path);
    assert_everywhere(status == CPM_OK);
    assert_everywhere(is_same(m, expected));
    cpm_model_free(m);
    cpm_model_free(expected);
}

static void a_missing_file_is_missing_on_every_rank(void **state)
{
    (void)state;
    cpm_model *m = NULL;
    cpm_error e = {0};
    assert_everywhere(cpm_model_load("not_there.mod", MPI_COMM_WORLD, &m, &e) == CPM_EIO && !m);
    assert_everywhere(e.code == CPM_EIO && strstr(e.text, "not_there.mod"));
}

static void a_broken_file_is_broken_on_every_rank(void **state)
{
    (void)state;
    char path[64] = "";
    if (test_rank() == 0) {
        name_file(path, sizeof path);
        FILE *f = fopen(path, "w");
        if (f) {
            fputs("{\"format\": \"cpm model\",\n\"version\": \"one\"}\n", f);
            fclose(f);
        }
    }
    cpm_model *m = NULL;
    cpm_error e = {0};
    int status = cpm_model_load(path, MPI_COMM_WORLD, &m, &e);
    if (test_rank() == 0)
        unlink(path);
    assert_everywhere(status == CPM_EPARSE && e.code == CPM_EPARSE && !m);
    assert_everywhere(strstr(e.text, "version"));
}

/* How long is enough depends on the machine that the test runs on. */
static int estimate_patiently(const char *type, MPI_Comm comm, cpm_model **m, cpm_error *e)
{
    int status = CPM_EDATA;
    for (double seconds = 1; seconds < 30 && status == CPM_EDATA; seconds *= 3) {
        cpm_error_clear(e);
        status = cpm_model_estimate(type, seconds, comm, m, e);
    }
    return status;
}

static bool knows_its_hosts(const cpm_model *m)
{
    bool known = true;
    for (int i = 0; i < m->n; i++)
        known = known && m->hosts[i] && m->hosts[i][0];
    return known;
}

static const char *model_for(int n)
{
    return n < 3 ? "hockney" : "lmo";
}

static void a_running_application_can_estimate_its_model(void **state)
{
    (void)state;
    cpm_model *m = NULL, *of_root = NULL;
    cpm_error e = {0};
    int status = estimate_patiently(model_for(test_ranks()), MPI_COMM_WORLD, &m, &e);
    if (status && test_rank() == 0)
        fprintf(stderr, "%s\n", e.text);
    assert_everywhere(status == CPM_OK);
    assert_everywhere(m->n == test_ranks() && knows_its_hosts(m));
    assert_everywhere(cpm_model_p2p(m, 0, 1, 1000) > 0);
    if (test_rank() == 0)
        of_root = m;
    assert_everywhere(cpm_model_bcast(&of_root, 0, MPI_COMM_WORLD, &e) == CPM_OK);
    assert_everywhere(is_same(m, of_root)); /* everybody has what rank 0 has */
    if (of_root != m)
        cpm_model_free(of_root);
    cpm_model_free(m);
}

static void a_part_of_the_processes_can_estimate_its_own_model(void **state)
{
    (void)state;
    MPI_Comm part;
    cpm_model *m = NULL;
    cpm_error e = {0};
    bool inside = test_rank() >= test_ranks() - 2; /* the last two */
    MPI_Comm_split(MPI_COMM_WORLD, inside ? 0 : MPI_UNDEFINED, 0, &part);
    int status = inside ? estimate_patiently("hockney", part, &m, &e) : CPM_OK;
    if (inside)
        MPI_Comm_free(&part);
    assert_everywhere(status == CPM_OK && (!inside || m->n == 2));
    cpm_model_free(m);
}

static void what_cannot_be_estimated_is_refused_on_every_rank(void **state)
{
    (void)state;
    const double no_time[] = {0, -1, NAN, INFINITY};
    cpm_model *m = NULL;
    for (size_t i = 0; i < sizeof no_time / sizeof *no_time; i++) {
        cpm_error e = {0};
        int status = cpm_model_estimate("hockney", no_time[i], MPI_COMM_WORLD, &m, &e);
        assert_everywhere(status == CPM_EINVAL && strstr(e.text, "time") && !m);
    }
    cpm_error unknown = {0}, alone = {0};
    assert_everywhere(cpm_model_estimate("nothing", 1, MPI_COMM_WORLD, &m, &unknown) ==
                      CPM_EUNKNOWN);
    assert_everywhere(cpm_model_estimate("lmo", 1, MPI_COMM_SELF, &m, &alone) == CPM_EPROCESS);
    assert_everywhere(strstr(unknown.text, "lmo") && strstr(alone.text, "processes") && !m);
}

/* One rank asks for another model than the others do. */
static void a_request_that_is_wrong_on_one_rank_is_refused_on_all(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < test_ranks(); wrong++) {
        cpm_model *m = NULL;
        cpm_error e = {0};
        int status = cpm_model_estimate(test_rank() == wrong ? "nothing" : "hockney", 1,
                                        MPI_COMM_WORLD, &m, &e);
        assert_everywhere(status == CPM_EUNKNOWN && strstr(e.text, "nothing") && !m);
    }
}

static void a_time_that_is_too_short_is_said_to_be_so(void **state)
{
    (void)state;
    if (test_ranks() < 3)
        return; /* one experiment of each kind determines a pair */
    cpm_model *m = NULL;
    cpm_error e = {0};
    int status = cpm_model_estimate("lmo", 1e-9, MPI_COMM_WORLD, &m, &e);
    assert_everywhere(status == CPM_EDATA && strstr(e.text, "too small") && !m);
    assert_everywhere(!strstr(e.text, "--resume")); /* there is no file to go on with */
}

/* A receive that takes any message of the application's communicator gets none of ours. */
static void the_applications_messages_are_left_alone(void **state)
{
    (void)state;
    int heard = 0, sent = 4711 + test_rank();
    MPI_Request any;
    MPI_Irecv(&heard, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any);
    cpm_model *estimated = NULL, *m = NULL, *expected = random_lmo(PROCESSES, 5);
    cpm_error e = {0};
    if (test_rank() == 0)
        m = expected;
    int status = cpm_model_bcast(&m, 0, MPI_COMM_WORLD, &e);
    if (!status)
        status = estimate_patiently("hockney", MPI_COMM_WORLD, &estimated, &e);
    MPI_Send(&sent, 1, MPI_INT, test_rank(), 1, MPI_COMM_WORLD);
    MPI_Wait(&any, MPI_STATUS_IGNORE);
    assert_everywhere(status == CPM_OK);
    assert_everywhere(heard == sent);
    if (m != expected)
        cpm_model_free(m);
    cpm_model_free(expected);
    cpm_model_free(estimated);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rank_gets_the_model_of_the_root),
        cmocka_unit_test(a_model_that_cannot_be_written_is_broadcast_to_none),
        cmocka_unit_test(a_broadcast_without_a_model_or_a_root_is_refused),
        cmocka_unit_test(an_intercommunicator_has_no_model),
        cmocka_unit_test(a_file_that_only_rank_0_sees_is_read_for_all),
        cmocka_unit_test(a_missing_file_is_missing_on_every_rank),
        cmocka_unit_test(a_broken_file_is_broken_on_every_rank),
        cmocka_unit_test(a_running_application_can_estimate_its_model),
        cmocka_unit_test(a_part_of_the_processes_can_estimate_its_own_model),
        cmocka_unit_test(what_cannot_be_estimated_is_refused_on_every_rank),
        cmocka_unit_test(a_request_that_is_wrong_on_one_rank_is_refused_on_all),
        cmocka_unit_test(a_time_that_is_too_short_is_said_to_be_so),
        cmocka_unit_test(the_applications_messages_are_left_alone),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
