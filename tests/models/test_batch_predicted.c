/* Predictions of calls that follow each other at once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/schedule/repeat.h"
#include "models/interp.h"
#include "models/predict.h"
#include "random_model.h"

static cpm_collective collective(const char *name)
{
    cpm_collective c;
    assert_int_equal(cpm_collective_parse(name, &c, NULL), CPM_OK);
    return c;
}

static void assert_close(const char *what, double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance * fabs(b)))
        fail_msg("%s: %.12g is not %.12g", what, a, b);
}

static double in_batch(const cpm_model *m, const char *name, size_t bytes, int batch)
{
    const cpm_collective c = collective(name);
    cpm_error e = {0};
    double seconds = cpm_predict_bytes(m, &c, bytes, &(cpm_walking){.batch = batch}, NULL, &e);
    if (seconds < 0)
        fail_msg("%s: %s", name, e.text);
    return seconds;
}

/* Walks through all calls; the mean over the processes, of a call. */
static double walked(const cpm_model *m, const char *name, size_t bytes, int calls)
{
    const cpm_collective c = collective(name);
    const cpm_block_sizes sizes = {.bytes = bytes};
    double finish[16], sum = 0;
    cpm_schedule *once, *all;
    assert_true(m->n <= 16);
    assert_int_equal(cpm_model_schedule(m, &c, &sizes, &once, NULL), CPM_OK);
    assert_int_equal(cpm_schedule_repeat(once, calls, &all, NULL), CPM_OK);
    assert_true(cpm_model_walk(m, all, &sizes, NULL, finish, NULL) > 0);
    for (int i = 0; i < m->n; i++)
        sum += finish[i];
    cpm_schedule_free(all);
    cpm_schedule_free(once);
    return sum / m->n / calls;
}

static const char *const names[] = {
    "bcast:linear",    "bcast:binomial",         "bcast:chain:segment=1K", "scatter:binomial",
    "gather:binomial", "allgather:logical-ring", "allreduce:rab1-ring",    "alltoall:simple",
    "alltoall:ring",   "reduce:binomial"};
enum { NAMES = sizeof names / sizeof *names };

static void short_batches_are_walked_through(void **state)
{
    (void)state;
    cpm_model *models[] = {random_lmo(7, 3), random_lmo2(7, 3)};
    for (size_t k = 0; k < 2; k++) {
        for (int i = 0; i < NAMES; i++)
            for (int calls = 1; calls <= 8; calls++)
                assert_close(names[i], in_batch(models[k], names[i], 5000, calls),
                             walked(models[k], names[i], 5000, calls), 1e-12);
        cpm_model_free(models[k]);
    }
}

static void long_batches_are_as_if_they_were_walked_through(void **state)
{
    (void)state;
    const size_t sizes[] = {1, 5000, 100000};
    cpm_model *models[] = {random_lmo(7, 5), random_lmo2(7, 5)};
    for (size_t k = 0; k < 2; k++) {
        for (int i = 0; i < NAMES; i++)
            for (size_t s = 0; s < 3; s++)
                assert_close(names[i], in_batch(models[k], names[i], sizes[s], 50),
                             walked(models[k], names[i], sizes[s], 50), 0.005);
        cpm_model_free(models[k]);
    }
}

/* The root sends to all, call after call; the others have always been waiting for long. */
static void the_root_of_a_linear_bcast_is_its_pace(void **state)
{
    (void)state;
    enum { N = 6, CALLS = 1000 };
    const size_t bytes = 4000;
    const cpm_collective c = collective("bcast:linear");
    cpm_model *m = random_lmo(N, 9);
    double first[N], pace = (N - 1) * (m->value[CPM_LMO_C][0] + 4000 * m->value[CPM_LMO_T][0]);
    double sum = 0;
    assert_true(cpm_predict_bytes(m, &c, bytes, NULL, first, NULL) > 0);
    for (int i = 0; i < N; i++)
        sum += (first[i] + (CALLS - 1) * pace) / CALLS;
    assert_close("bcast:linear", in_batch(m, "bcast:linear", bytes, CALLS), sum / N, 1e-9);
    cpm_model_free(m);
}

static void a_process_has_its_own_time(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(5, 2);
    const cpm_collective c = collective("bcast:chain");
    const cpm_block_sizes sizes = {.bytes = 3000};
    double finish[5], sum = 0;
    double mean = cpm_predict_collective(m, &c, &sizes, &(cpm_walking){.batch = 30}, finish, NULL);
    for (int i = 0; i < 5; i++)
        sum += finish[i];
    assert_close("mean", sum / 5, mean, 1e-12);
    assert_true(finish[0] < finish[4]);
    cpm_model_free(m);
}

static void the_calls_of_a_batch_follow_the_size(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(5, 2);
    assert_close("5 calls", in_batch(m, "gather:linear", 1 << 20, CPM_BATCH_BY_SIZE),
                 in_batch(m, "gather:linear", 1 << 20, 5), 1e-12);
    assert_close("barriers", in_batch(m, "barrier:tree", 1 << 20, CPM_BATCH_BY_SIZE),
                 in_batch(m, "barrier:tree", 0, 100), 1e-12);
    assert_close(
        "isolated", in_batch(m, "gather:linear", 1 << 20, CPM_ISOLATED),
        cpm_predict_bytes(m,
                          &(cpm_collective){.operation = collective("gather:linear").operation,
                                            .algorithm = collective("gather:linear").algorithm},
                          1 << 20, NULL, NULL, NULL),
        1e-12);
    cpm_model_free(m);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    cpm_model *m, *whole;
    cpm_error e = {0};
    cpm_collective c = collective("bcast:linear");
    m = random_lmo(4, 1);
    c.at.root = 4;
    assert_int_equal((int)cpm_predict_bytes(m, &c, 1, &(cpm_walking){.batch = 10}, NULL, &e),
                     CPM_EINVAL);
    c.at.root = 0;
    m->value[CPM_LMO_C][0] = INFINITY;
    assert_int_equal((int)cpm_predict_bytes(m, &c, 1, &(cpm_walking){.batch = 10}, NULL, &e),
                     CPM_EDATA);
    cpm_sizes knots = {0};
    assert_int_equal(cpm_sizes_add(&knots, 0, NULL), CPM_OK);
    assert_int_equal(cpm_model_create_sized(&cpm_interp, 4, &knots, &whole, NULL), CPM_OK);
    e = (cpm_error){0};
    assert_int_equal((int)cpm_predict_bytes(whole, &c, 1, &(cpm_walking){.batch = 10}, NULL, &e),
                     CPM_EDATA);
    assert_non_null(strstr(e.text, "interp"));
    cpm_sizes_free(&knots);
    cpm_model_free(whole);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_batches_are_walked_through),
        cmocka_unit_test(long_batches_are_as_if_they_were_walked_through),
        cmocka_unit_test(the_root_of_a_linear_bcast_is_its_pace),
        cmocka_unit_test(a_process_has_its_own_time),
        cmocka_unit_test(the_calls_of_a_batch_follow_the_size),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
