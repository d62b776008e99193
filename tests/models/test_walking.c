/* The ways to walk through a schedule with one and the same model. */
#include "hosts_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/predict.h"

enum { HOSTS = 12, EACH = 2, N = HOSTS * EACH };

static cpm_model *model(void)
{
    int host[N];
    for (int i = 0; i < N; i++)
        host[i] = i / EACH;
    return hosts_model(host, N, 5);
}

static cpm_collective collective(const char *name)
{
    cpm_collective c;
    cpm_error e = {0};
    if (cpm_collective_parse(name, &c, &e))
        fail_msg("%s", e.text);
    return c;
}

/* An exchange of all with all, which is crowded. */
static cpm_schedule *exchange(const cpm_model *m, const cpm_block_sizes *sizes)
{
    const cpm_collective c = collective("alltoall:simple");
    cpm_schedule *s;
    assert_int_equal(cpm_model_schedule(m, &c, sizes, &s, NULL), CPM_OK);
    return s;
}

static const cpm_block_sizes large = {.bytes = 16384};

static void a_plain_walk_knows_nobody_who_hinders(void **state)
{
    (void)state;
    cpm_model *m = model();
    cpm_schedule *s = exchange(m, &large);
    double plain = cpm_model_walk(m, s, &large, &(cpm_walking){.plain = true}, NULL, NULL);
    assert_true(plain > 0);
    assert_true(plain == cpm_walk(s, &large, m->type->cost, m, NULL, NULL));
    assert_true(plain < 0.9 * cpm_model_walk(m, s, &large, NULL, NULL, NULL));
    cpm_schedule_free(s);
    cpm_model_free(m);
}

static double tolerated(const cpm_model *m, const cpm_schedule *s, double tolerance)
{
    return cpm_flow_walk(s, &large, m->type->flow, m, &(cpm_flow_walking){.tolerance = tolerance},
                         NULL, NULL);
}

static void walks_are_as_tolerant_as_they_are_asked(void **state)
{
    (void)state;
    cpm_model *m = model();
    cpm_schedule *s = exchange(m, &large);
    double exact = cpm_model_walk(m, s, &large, &(cpm_walking){.exact = true}, NULL, NULL);
    double usual = cpm_model_walk(m, s, &large, NULL, NULL, NULL);
    double loose = cpm_model_walk(m, s, &large, &(cpm_walking){.tolerance = 0.01}, NULL, NULL);
    assert_true(exact == tolerated(m, s, 0));
    assert_true(usual == tolerated(m, s, CPM_CROWD_TOLERANCE));
    assert_true(loose == tolerated(m, s, 0.01));
    assert_true(exact != loose);
    cpm_schedule_free(s);
    cpm_model_free(m);
}

/* Of a batch all of its calls. The flow walk asks about a few messages twice: some stand for all
 * when it looks how much memory they will take. */
static void assert_count(int64_t through, int calls, bool plain)
{
    int64_t messages = (int64_t)calls * N * (N - 1);
    assert_true(through >= messages && through <= (plain ? messages : messages + calls * N));
}

static void messages_are_counted(void **state)
{
    enum { CALLS = 3 };
    (void)state;
    cpm_model *m = model();
    const cpm_collective c = collective("alltoall:simple");
    for (int plain = 0; plain < 2; plain++) {
        _Atomic int64_t through = 0;
        cpm_walking how = {.plain = plain, .through = &through};
        double alone = cpm_predict_bytes(m, &c, 1000, &how, NULL, NULL);
        assert_count(through, 1, plain);
        how.through = NULL;
        assert_true(alone == cpm_predict_bytes(m, &c, 1000, &how, NULL, NULL));
        through = 0;
        how.through = &through;
        how.batch = CALLS;
        assert_true(cpm_predict_bytes(m, &c, 1000, &how, NULL, NULL) > 0);
        assert_count(through, CALLS, plain);
    }
    cpm_model_free(m);
}

/* The ranks of a small schedule may be any processes: as in the model of these alone. */
static void ranks_may_be_some_of_the_processes(void **state)
{
    static const int some[] = {22, 1, 2, 17, 4};
    enum { COUNT = sizeof some / sizeof *some };
    (void)state;
    cpm_model *m = model(), *part;
    assert_int_equal(cpm_model_subset(m, some, COUNT, &part, NULL), CPM_OK);
    cpm_schedule *s = exchange(part, &large);
    for (int plain = 0; plain < 2; plain++) {
        double all[COUNT], few[COUNT];
        const cpm_walking among = {.plain = plain, .process = some}, alone = {.plain = plain};
        assert_true(cpm_model_walk(m, s, &large, &among, all, NULL) > 0);
        assert_true(cpm_model_walk(part, s, &large, &alone, few, NULL) > 0);
        for (int i = 0; i < COUNT; i++)
            assert_true(fabs(all[i] - few[i]) <= 1e-12 * few[i]);
    }
    cpm_schedule_free(s);
    cpm_model_free(part);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_walk_knows_nobody_who_hinders),
        cmocka_unit_test(walks_are_as_tolerant_as_they_are_asked),
        cmocka_unit_test(messages_are_counted),
        cmocka_unit_test(ranks_may_be_some_of_the_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
