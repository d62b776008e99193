/* What applications include: models, algorithms, predicting and choosing by name. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../models/hosts_model.h"
#include "collectives/collective.h"
#include "cpm/cpm.h"
#include "models/predict.h"
#include "models/tree_times.h"
#include "tests/folder.h"

enum { N = 6 };

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

/* ---- models ---- */

static void parameters_are_listed_with_their_values(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(N, 1);
    cpm_parameter_info info;
    int count = 0;
    while (cpm_model_parameter(m, count, &info)) {
        int i = info.processes > 0 ? N - 1 : -1, j = info.processes > 1 ? 0 : -1;
        double half, value = cpm_model_value(m, info.name, i, j, info.slices - 1, &half);
        const double *all = m->value[count];
        size_t place = info.processes == 0 ? 0 : info.processes == 1 ? N - 1 : (N - 1) * N;
        assert_true(value == all[place] || (isnan(value) && isnan(all[place])));
        assert_true(isnan(cpm_model_value(m, info.name, i, j, info.slices, &half)) && isnan(half));
        count++;
    }
    assert_int_equal(count, m->type->count);
    assert_false(cpm_model_parameter(m, -1, &info));
    cpm_model_free(m);
}

static void what_a_model_does_not_have_is_unknown(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(N, 1);
    assert_true(isnan(cpm_model_value(m, "magic", 0, 1, 0, NULL)));
    assert_true(isnan(cpm_model_value(m, "C", N, 0, 0, NULL)));
    assert_true(isnan(cpm_model_value(m, "C", -1, 0, 0, NULL)));
    assert_true(isnan(cpm_model_value(m, "L", 2, 2, 0, NULL)));
    assert_true(isnan(cpm_model_value(m, "L", 2, N, 0, NULL)));
    assert_null(cpm_model_host(m, N));
    assert_non_null(cpm_model_host(m, N - 1));
    assert_int_equal(cpm_model_processes(m), N);
    assert_string_equal(cpm_model_type_name(m), "lmo");
    cpm_model_free(m);
}

static void slices_say_their_message_sizes(void **state)
{
    (void)state;
    cpm_model *m = random_plogp(4, 3);
    cpm_parameter_info info;
    int sized = 0;
    for (int k = 0; cpm_model_parameter(m, k, &info); k++)
        if (info.slices > 1) {
            sized++;
            assert_int_equal(info.slices, m->sizes.count);
            for (int s = 1; s < info.slices; s++)
                assert_true(cpm_model_slice_bytes(m, s) > cpm_model_slice_bytes(m, s - 1));
        }
    assert_true(sized > 0);
    assert_int_equal(cpm_model_slice_bytes(m, m->sizes.count), 0);
    cpm_model_free(m);
}

static void types_are_those_that_files_name(void **state)
{
    (void)state;
    const cpm_model_type *type;
    int count = 0;
    for (; cpm_type_name(count); count++)
        assert_int_equal(cpm_model_type_find(cpm_type_name(count), &type, NULL), CPM_OK);
    assert_true(count > 5);
    assert_null(cpm_type_name(count + 1));
    assert_null(cpm_type_name(-1));
}

/* ---- fitting ---- */

/* Round trips of 0 and 1000 bytes between 2 processes. */
static void write_measurements(const char *path, const char *end)
{
    static const double zero = 4e-5, more = 6e-5;
    FILE *f = fopen(path, "w");
    fputs("# cpm measurements 1\n# processes: 2\n# hosts: a b\nexperiment i j k count send_bytes "
          "reply_bytes round mean median huber min max sd ci_low ci_high reps\n",
          f);
    for (int k = 0; k < 2; k++) {
        double t = k ? more : zero;
        fprintf(f, "roundtrip 0 1 -1 1 %d %d %d %g %g %g %g %g 0 %g %g 9\n", 1000 * k, 1000 * k, k,
                t, t, t, t, t, t, t);
    }
    fputs(end, f);
    assert_int_equal(fclose(f), 0);
}

static void a_model_is_fitted_to_a_file(void **state)
{
    (void)state;
    char path[] = "cpm_fit_XXXXXX";
    close(mkstemp(path));
    cpm_model *m = NULL;
    cpm_error e = {0};
    write_measurements(path, "# duration: 1\n");
    assert_int_equal(cpm_model_fit(path, "hockney", NULL, &m, &e), CPM_OK);
    assert_true(is_near(cpm_model_value(m, "alpha", 0, 1, 0, NULL), 2e-5));
    assert_true(is_near(cpm_model_p2p(m, 0, 1, 1000), 3e-5));
    cpm_model_free(m);
    m = NULL;
    assert_int_equal(cpm_model_fit(path, "magic", NULL, &m, &e), CPM_EUNKNOWN);
    cpm_error_clear(&e);
    write_measurements(path, "");
    assert_int_equal(cpm_model_fit(path, "hockney", NULL, &m, &e), CPM_EDATA);
    assert_non_null(strstr(e.text, path));
    assert_null(m);
    unlink(path);
}

/* ---- bulk, metadata, measurements, tables ---- */

static void values_in_bulk_are_those_one_by_one(void **state)
{
    (void)state;
    cpm_model *m = random_plogp(N, 3);
    cpm_parameter_info info;
    for (int k = 0; cpm_model_parameter(m, k, &info); k++) {
        size_t rows = info.processes > 0 ? N : 1, columns = info.processes > 1 ? N : 1;
        double *all = calloc((size_t)info.slices * rows * columns, sizeof *all), half;
        assert_int_equal(cpm_model_values(m, info.name, all, NULL, NULL), CPM_OK);
        for (size_t s = 0; s < (size_t)info.slices; s++)
            for (size_t i = 0; i < rows; i++)
                for (size_t j = 0; j < columns; j++) {
                    double one = cpm_model_value(m, info.name, (int)i, (int)j, (int)s, &half);
                    double other = all[(s * rows + i) * columns + j];
                    assert_true(one == other || (isnan(one) && isnan(other)));
                }
        if (info.slices > 1)
            assert_int_equal(cpm_model_parameter_bytes(m, info.name, 1),
                             cpm_model_slice_bytes(m, 1));
        free(all);
    }
    cpm_error e = {0};
    assert_int_equal(cpm_model_values(m, "magic", NULL, NULL, &e), CPM_EUNKNOWN);
    assert_int_equal(cpm_model_parameter_bytes(m, "magic", 0), 0);
    cpm_model_free(m);
}

static void intervals_of_predictions_grow_with_those_of_parameters(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(N, 1);
    cpm_draws *none = NULL, *draws = NULL;
    const cpm_case c = {.bytes = 1000};
    const size_t blocks[N] = {0};
    cpm_error e = {0};
    assert_int_equal(cpm_draws_create(m, 40, 1, &none, NULL), CPM_OK);
    assert_null(none);
    for (size_t k = 0; k < cpm_parameter_all_values(m, 0); k++)
        m->ci[0][k] = m->value[0][k] / 10;
    assert_int_equal(cpm_draws_create(m, 40, 1, &draws, NULL), CPM_OK);
    double half = cpm_predict_half(m, draws, "bcast:chain", &c, NULL);
    assert_true(half > 0 && half < cpm_predict(m, "bcast:chain", &c, NULL, NULL));
    assert_true(cpm_predict_half(m, draws, "bcast:magic", &c, NULL) < 0);
    assert_true(cpm_predict_half(m, draws, "scatterv:linear", &(cpm_case){.blocks = blocks}, &e) <
                0);
    assert_int_equal(e.code, CPM_EINVAL);
    cpm_draws_free(draws);
    cpm_model_free(m);
}

static void nothing_is_faster_than_the_best_possible(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(N, 1);
    const cpm_case c = {.bytes = 100000, .root = 1};
    const size_t blocks[N] = {0};
    cpm_selection best;
    cpm_bound bound;
    cpm_error e = {0};
    assert_int_equal(cpm_select(m, "gather", &c, &best, NULL), CPM_OK);
    assert_int_equal(cpm_bound_of(m, "gather", &c, &bound, NULL), CPM_OK);
    assert_true(bound.seconds > 0 && bound.seconds <= best.seconds);
    assert_string_equal(bound.limit, "processor of process 1");
    assert_int_equal(cpm_bound_of(m, "gathering", &c, &bound, NULL), CPM_EUNKNOWN);
    assert_int_equal(cpm_bound_of(m, "gatherv", &(cpm_case){.blocks = blocks}, &bound, NULL),
                     CPM_EINVAL);
    assert_int_equal(cpm_bound_of(m, "neighbor_alltoall", &c, &bound, &e), CPM_EINVAL);
    assert_string_equal(e.text, "neighbor_alltoall needs a graph");
    cpm_model_free(m);
}

static void measurements_are_read_one_by_one(void **state)
{
    (void)state;
    char path[] = "cpm_meas_XXXXXX";
    close(mkstemp(path));
    cpm_measurements *m = NULL;
    cpm_measurement_info row;
    const char *key, *value;
    write_measurements(path, "# duration: 2\n");
    assert_int_equal(cpm_measurements_load(path, &m, NULL), CPM_OK);
    assert_int_equal(cpm_measurements_processes(m), 2);
    assert_true(cpm_measurements_seconds(m) == 2);
    assert_true(cpm_measurements_get(m, 1, &row));
    assert_string_equal(row.experiment, "roundtrip");
    assert_true(row.j == 1 && row.send_bytes == 1000 && row.summary.reps == 9 && !row.samples);
    assert_true(row.value == 6e-5);
    assert_false(cpm_measurements_get(m, 2, &row) || cpm_measurements_get(m, -1, &row));
    assert_true(cpm_measurements_fact(m, 1, &key, &value));
    assert_string_equal(key, "hosts");
    assert_string_equal(value, "a b");
    assert_false(cpm_measurements_fact(m, 99, &key, &value));
    cpm_measurements_free(m);
    cpm_measurements_free(NULL);
    unlink(path);
    assert_int_equal(cpm_measurements_load(path, &m, NULL), CPM_EIO);
}

static void a_table_of_a_model_says_what_it_selects(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(N, 5), *few = NULL;
    const int first[3] = {0, 1, 2};
    const size_t sizes[] = {0, 1024, 98304}, wrong[] = {2, 1};
    cpm_table *t = NULL;
    cpm_selection in_table, best;
    cpm_rule_info rule;
    cpm_error e = {0};
    assert_int_equal(cpm_model_subset(m, first, 3, &few, NULL), CPM_OK);
    assert_int_equal(cpm_table_create(&t, NULL), CPM_OK);
    assert_int_equal(cpm_table_tune(t, m, "bcast", 1, sizes, 3, NULL), CPM_OK);
    assert_int_equal(cpm_table_tune(t, few, "bcast", 1, sizes, 3, NULL), CPM_OK);
    assert_int_equal(cpm_table_tune(t, m, "bcast", 1, sizes, 3, &e), CPM_EINVAL);
    assert_int_equal(cpm_table_tune(t, m, "reduce", 1, wrong, 2, NULL), CPM_EINVAL);
    assert_int_equal(cpm_table_tune(t, m, "reduce", N, sizes, 3, NULL), CPM_EINVAL);
    assert_int_equal(cpm_table_tune(t, m, "reduce", 0, sizes, 0, NULL), CPM_EINVAL);
    assert_int_equal(cpm_table_tune(t, m, "smatter", 0, sizes, 3, NULL), CPM_EUNKNOWN);
    for (int k = 0; k < 3; k++) {
        const cpm_case c = {.root = 1, .bytes = sizes[k]};
        assert_int_equal(cpm_select(m, "bcast", &c, &best, NULL), CPM_OK);
        assert_int_equal(cpm_table_select(t, "bcast", N, sizes[k], &in_table, NULL), CPM_OK);
        assert_string_equal(in_table.collective, best.collective);
    }
    assert_true(cpm_table_rule(t, 0, &rule) && rule.processes == 3 && rule.from == 0);
    assert_true(isnan(rule.native) && isnan(rule.lead) && rule.measured == 0 && rule.seconds > 0);
    assert_false(cpm_table_rule(t, -1, &rule) || cpm_table_rule(t, 999, &rule));
    assert_int_equal(cpm_table_select(t, "reduce", N, 1, &in_table, NULL), CPM_OK);
    assert_string_equal(in_table.collective, "reduce:native");
    assert_true(isnan(in_table.seconds));
    cpm_table_free(t);
    cpm_model_free(few);
    cpm_model_free(m);
}

static void metadata_of_a_table_outlive_a_file(void **state)
{
    (void)state;
    char path[] = "cpm_table_XXXXXX";
    close(mkstemp(path));
    cpm_table *t = NULL, *again = NULL;
    const char *key, *value;
    assert_int_equal(cpm_table_create(&t, NULL), CPM_OK);
    assert_int_equal(cpm_table_set_fact(t, "made", "by a test", NULL), CPM_OK);
    assert_int_equal(cpm_table_write(t, path, NULL), CPM_OK);
    assert_int_equal(cpm_table_read(path, &again, NULL), CPM_OK);
    assert_true(cpm_table_fact(again, 0, &key, &value));
    assert_string_equal(key, "made");
    assert_string_equal(value, "by a test");
    assert_false(cpm_table_fact(again, 1, &key, &value));
    cpm_table_free(again);
    cpm_table_free(t);
    unlink(path);
}

/* ---- listing ---- */

static void all_algorithms_of_all_operations_are_listed(void **state)
{
    (void)state;
    cpm_algorithm_info info;
    const cpm_algorithm *found;
    int rows = 0, own = 0;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        rows++;
    for (int o = 0; cpm_operation_name(o); o++)
        for (int k = 0; cpm_algorithm_get(cpm_operation_name(o), k, &info); k++) {
            assert_string_equal(info.operation, cpm_operation_name(o));
            assert_int_equal(cpm_algorithm_find(info.operation, info.name, &found, NULL), CPM_OK);
            assert_true(info.needs[0] && info.takes[0] && info.source[0] && info.group[0]);
            own += strcmp(found->operation, info.operation) == 0;
        }
    assert_int_equal(own, rows);
    assert_false(cpm_algorithm_get("smatter", 0, &info));
    assert_false(cpm_algorithm_get("scatter", -1, &info));
    assert_null(cpm_operation_name(-1));
}

/* ---- predicting ---- */

static void a_prediction_by_name_is_the_walk(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(7, 1);
    double finish[7], last = 0;
    double seconds =
        cpm_predict(m, "scatter:linear", &(cpm_case){.root = 2, .bytes = 1000}, finish, NULL);
    for (int i = 0; i < 7; i++)
        last = fmax(last, finish[i]);
    assert_true(is_near(seconds, formula_of(cpm_linear_scatter_time, m, 2, 1000)));
    assert_true(seconds == last);
    cpm_model_free(m);
}

static void parameters_are_part_of_the_name(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(N, 2);
    cpm_collective chain;
    assert_int_equal(cpm_collective_parse("bcast:chain", &chain, NULL), CPM_OK);
    chain.with.segment = 8192;
    assert_true(cpm_predict(m, "bcast:chain:segment=8K", &(cpm_case){.bytes = 1 << 20}, NULL,
                            NULL) == cpm_predict_bytes(m, &chain, 1 << 20, NULL, NULL, NULL));
    cpm_model_free(m);
}

/* Unequal blocks by the flat algorithm: the root's messages one after the other. */
static void each_process_may_have_its_own_block(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(N, 4);
    const size_t blocks[N] = {7, 10000, 0, 300, 123456, 1};
    double sum = 0;
    for (int i = 1; i < N; i++)
        sum += cpm_model_p2p(m, 0, i, blocks[i]);
    const cpm_case c = {.blocks = blocks};
    assert_true(is_near(cpm_predict(m, "scatterv:linear", &c, NULL, NULL), sum));
    cpm_error e = {0};
    assert_true(cpm_predict(m, "bcast:linear", &c, NULL, &e) < 0);
    assert_int_equal(e.code, CPM_EINVAL);
    cpm_model_free(m);
}

static void blocks_of_one_size_are_no_blocks(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(N, 4);
    const size_t blocks[N] = {5000, 5000, 5000, 5000, 5000, 5000};
    static const char *const all[] = {"scatterv:binomial", "gatherv:linear", "allgatherv:ring",
                                      "alltoallv:ring", "reduce_scatter:pairwise"};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        double same = cpm_predict(m, all[k], &(cpm_case){.bytes = 5000}, NULL, NULL);
        assert_true(same > 0);
        assert_true(
            is_near(cpm_predict(m, all[k], &(cpm_case){.blocks = blocks}, NULL, NULL), same));
    }
    cpm_model_free(m);
}

static int code_of(const cpm_model *m, const char *collective, const cpm_case *c, const char *word)
{
    cpm_error e = {0};
    assert_true(cpm_predict(m, collective, c, NULL, &e) < 0);
    assert_non_null(strstr(e.text, word));
    return e.code;
}

static void what_cannot_be_predicted_is_refused(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(3, 1);
    const cpm_case none = {0}, far = {.root = 3}, before = {.root = -1};
    assert_int_equal(code_of(m, "scatter:magic", &none, "binomial"), CPM_EUNKNOWN);
    assert_int_equal(code_of(m, "smatter:linear", &none, "scatter"), CPM_EUNKNOWN);
    assert_int_equal(code_of(m, "scatter", &none, "scatter"), CPM_EINVAL);
    assert_int_equal(code_of(m, "roundtrip", &none, "roundtrip"), CPM_EUNKNOWN);
    assert_int_equal(code_of(m, "scatter:native", &none, "native"), CPM_EINVAL);
    assert_int_equal(code_of(m, "bcast:linear", &far, "root 3"), CPM_EINVAL);
    assert_int_equal(code_of(m, "bcast:linear", &before, "root -1"), CPM_EINVAL);
    cpm_model_free(m);
}

/* ---- maps and topologies ---- */

static void write_text(char *path, const char *text)
{
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
}

static void a_map_says_where_processes_sit(void **state)
{
    (void)state;
    char path[] = "cpm_map_XXXXXX";
    write_text(path, "algorithm bcast:chain\nsize 100\nnode 0 process 2\nnode 1 process 0\n"
                     "node 2 process 1\n");
    cpm_model *m = random_hockney(3, 5), *other = random_hockney(4, 5);
    cpm_map *map = NULL;
    assert_int_equal(cpm_map_read(path, &map, NULL), CPM_OK);
    const cpm_case c = {.root = 2, .bytes = 100, .map = map}, wrong = {.root = 1, .map = map};
    double chain = cpm_model_p2p(m, 2, 0, 100) + cpm_model_p2p(m, 0, 1, 100);
    assert_true(is_near(cpm_predict(m, "bcast:chain", &c, NULL, NULL), chain));
    assert_int_equal(code_of(m, "bcast:binomial", &c, "bcast:chain"), CPM_EINVAL);
    assert_int_equal(code_of(m, "bcast:chain", &wrong, "root"), CPM_EINVAL);
    assert_int_equal(code_of(other, "bcast:chain", &c, "3 processes"), CPM_EPROCESS);
    cpm_map_free(map);
    cpm_model_free(m);
    cpm_model_free(other);
    unlink(path);
}

static void a_topology_lets_algorithms_apply(void **state)
{
    (void)state;
    char path[] = "cpm_topology_XXXXXX";
    write_text(path, "switch s\nhost h0 s\nhost h1 s\nhost h2 s\nhost h3 s\n");
    cpm_model *m = random_hockney(4, 5), *more = random_hockney(5, 5);
    cpm_topology *t = NULL;
    assert_int_equal(cpm_topology_read(path, &t, NULL), CPM_OK);
    const cpm_case without = {.bytes = 100}, with = {.bytes = 100, .topology = t};
    assert_int_equal(code_of(m, "alltoall:topology", &without, "a topology"), CPM_EINVAL);
    assert_true(cpm_predict(m, "alltoall:topology", &with, NULL, NULL) > 0);
    assert_int_equal(code_of(more, "alltoall:topology", &with, "5"), CPM_EINVAL);
    cpm_topology_free(t);
    cpm_model_free(m);
    cpm_model_free(more);
    unlink(path);
}

/* ---- layouts ---- */

static const int on_two_hosts[4] = {0, 0, 1, 1};

/* A message to each other process, one after the other. */
static void a_model_of_hosts_is_laid_out_for_other_processes(void **state)
{
    (void)state;
    cpm_model *m = hosts_model(on_two_hosts, 4, 1), *block = NULL, *cyclic = NULL;
    assert_int_equal(cpm_model_for_layout(m, "2x8", NULL, &block, NULL), CPM_OK);
    assert_int_equal(cpm_model_for_layout(m, "2x8", "cyclic", &cyclic, NULL), CPM_OK);
    assert_int_equal(cpm_model_processes(block), 16);
    for (int i = 1; i < 16; i++) {
        assert_string_equal(cpm_model_host(block, i), cpm_model_host(m, i < 8 ? 0 : 2));
        assert_string_equal(cpm_model_host(cyclic, i), cpm_model_host(m, i % 2 ? 2 : 0));
        assert_true(cpm_model_p2p(block, 0, i, 1000) == cpm_model_p2p(m, 0, i < 8 ? 1 : 2, 1000));
    }
    cpm_model_free(cyclic);
    cpm_model_free(block);
    cpm_model_free(m);
}

static void a_model_of_hosts_knows_who_shares_one(void **state)
{
    (void)state;
    cpm_model *m = hosts_model(on_two_hosts, 4, 1), *wide = NULL;
    cpm_selection best;
    assert_int_equal(cpm_model_for_layout(m, "2x16", "cyclic", &wide, NULL), CPM_OK);
    const cpm_case c = {.bytes = 64}; /* 10 us and more between hosts, 1 us inside */
    assert_true(cpm_predict(wide, "allreduce:hosts", &c, NULL, NULL) > 0);
    assert_true(cpm_predict(wide, "alltoall:2d:mesh=hosts", &c, NULL, NULL) > 0);
    assert_int_equal(cpm_select(wide, "allreduce", &c, &best, NULL), CPM_OK);
    assert_true(strncmp(best.collective, "allreduce:hosts", strlen("allreduce:hosts")) == 0);
    assert_true(is_near(best.seconds, cpm_predict(wide, best.collective, &c, NULL, NULL)));
    cpm_model_free(wide);
    cpm_model_free(m);
}

static void what_is_no_layout_of_a_model_is_refused(void **state)
{
    (void)state;
    cpm_model *m = hosts_model(on_two_hosts, 4, 1), *flat = random_lmo(4, 1), *out = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_model_for_layout(m, "4x", NULL, &out, &e), CPM_EINVAL);
    cpm_error_clear(&e);
    assert_int_equal(cpm_model_for_layout(m, "3x4", NULL, &out, &e), CPM_EDATA);
    assert_non_null(strstr(e.text, "not alike"));
    cpm_error_clear(&e);
    assert_int_equal(cpm_model_for_layout(m, "2x4", "random", &out, &e), CPM_EUNKNOWN);
    cpm_error_clear(&e);
    assert_int_equal(cpm_model_for_layout(flat, "2x4", NULL, &out, &e), CPM_EDATA);
    assert_null(out);
    cpm_model_free(flat);
    cpm_model_free(m);
}

/* ---- choosing ---- */

/* Whatever the operation, also those that have the algorithms of another one; of algorithms that
 * make sense for the size. */
static void no_algorithm_is_faster_than_the_selected_one(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1024, 98304}; /* the last ones of classes: these are compared */
    for (int n = 3; n <= 20; n += 17)
        for (int o = 0; cpm_operation_name(o); o++)
            for (int s = 0; s < 3; s++) {
                cpm_model *m = random_lmo(n, 5);
                cpm_case c = {.root = 1, .bytes = sizes[s]};
                cpm_selection best;
                cpm_algorithm_info a;
                const char *graph = n == 3 ? "torus:3" : "grid:4x5:corners";
                if (strncmp(cpm_operation_name(o), "neighbor_", 9) == 0) {
                    assert_int_equal(cpm_select(m, cpm_operation_name(o), &c, &best, NULL),
                                     CPM_EINVAL);
                    c.graph = graph;
                }
                assert_int_equal(cpm_select(m, cpm_operation_name(o), &c, &best, NULL), CPM_OK);
                assert_true(best.seconds == cpm_predict(m, best.collective, &c, NULL, NULL));
                for (int k = 0; cpm_algorithm_get(cpm_operation_name(o), k, &a); k++) {
                    char name[128];
                    snprintf(name, sizeof name, "%s:%s", a.operation, a.name);
                    double seconds = cpm_predict(m, name, &c, NULL, NULL);
                    if (seconds >= 0 && seconds < best.seconds)
                        fail_msg("%s of %zu bytes on %d is slower than %s", best.collective,
                                 sizes[s], n, name);
                }
                cpm_model_free(m);
            }
}

static void graphs_are_of_the_processes_and_for_neighbours(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(20, 5);
    cpm_error e = {0};
    const cpm_case of_others = {.bytes = 100, .graph = "grid:4x4"},
                   none = {.bytes = 100, .graph = "no/such/file"},
                   right = {.bytes = 100, .graph = "grid:4x5"};
    assert_int_equal(cpm_predict(m, "neighbor_alltoall:direct", &of_others, NULL, NULL),
                     CPM_EPROCESS);
    assert_int_equal(cpm_predict(m, "neighbor_alltoall:direct", &none, NULL, NULL), CPM_EIO);
    assert_int_equal(cpm_predict(m, "alltoall:simple", &right, NULL, &e), CPM_EINVAL);
    assert_string_equal(e.text, "a graph is for operations of neighbours, not for alltoall");
    assert_true(cpm_predict(m, "neighbor_alltoall:direct", &right, NULL, &e) > 0);
    cpm_model_free(m);
}

static void blocks_of_neighbours_may_differ(void **state)
{
    (void)state;
    static const char *const collectives[] = {"neighbor_alltoallv:direct",
                                              "neighbor_allgatherv:direct"};
    enum { CELLS = 20 };
    cpm_model *m = random_lmo(CELLS, 5);
    cpm_error e = {0};
    size_t blocks[CELLS];
    const cpm_case same = {.bytes = 100, .graph = "grid:4x5"},
                   each = {.blocks = blocks, .graph = "grid:4x5"}, without = {.blocks = blocks};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < CELLS; i++)
            blocks[i] = 100;
        const double seconds = cpm_predict(m, collectives[k], &same, NULL, NULL);
        assert_true(seconds > 0);
        assert_true(cpm_predict(m, collectives[k], &each, NULL, NULL) == seconds);
        blocks[7] = 100000;
        assert_true(cpm_predict(m, collectives[k], &each, NULL, NULL) > 2 * seconds);
        assert_int_equal(cpm_predict(m, collectives[k], &without, NULL, NULL), CPM_EINVAL);
    }
    assert_int_equal(cpm_predict(m, "neighbor_alltoall:direct", &each, NULL, &e), CPM_EINVAL);
    assert_string_equal(e.text, "neighbor_alltoall has no blocks that differ");
    cpm_model_free(m);
}

static void unequal_blocks_are_chosen_for(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(N, 6);
    const size_t blocks[N] = {1, 200000, 0, 3, 5, 70000};
    const cpm_case c = {.root = 4, .blocks = blocks};
    static const char *const operations[] = {"scatterv", "gatherv", "allgatherv", "alltoallv"};
    for (int o = 0; o < 4; o++) {
        cpm_selection best;
        cpm_algorithm_info a;
        assert_int_equal(cpm_select(m, operations[o], &c, &best, NULL), CPM_OK);
        assert_true(best.seconds == cpm_predict(m, best.collective, &c, NULL, NULL));
        for (int k = 0; cpm_algorithm_get(operations[o], k, &a); k++) {
            char name[128];
            snprintf(name, sizeof name, "%s:%s", a.operation, a.name);
            double seconds = cpm_predict(m, name, &c, NULL, NULL);
            assert_true(a.least || a.most || seconds < 0 || best.seconds <= seconds);
        }
    }
    cpm_model_free(m);
}

/* Empty messages cost a latency each: 5 rounds of a tree against 31 messages in a row. */
static void small_broadcasts_are_not_linear(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(32, 1);
    cpm_selection best;
    assert_int_equal(cpm_select(m, "bcast", &(cpm_case){0}, &best, NULL), CPM_OK);
    assert_string_not_equal(best.collective, "bcast:linear");
    assert_string_not_equal(best.collective, "bcast:chain");
    cpm_model_free(m);
}

static void contributions_are_combined_in_order_if_they_must_be(void **state)
{
    (void)state;
    cpm_collective chosen;
    cpm_selection best;
    for (unsigned seed = 0; seed < 10; seed++) {
        cpm_model *m = random_lmo(8, seed);
        const cpm_case c = {.root = 3, .bytes = 1000 << seed, .ordered = true};
        assert_int_equal(cpm_select(m, "reduce", &c, &best, NULL), CPM_OK);
        assert_int_equal(cpm_collective_parse(best.collective, &chosen, NULL), CPM_OK);
        chosen.at.root = 3;
        assert_true(cpm_collective_keeps_order(&chosen));
        cpm_model_free(m);
    }
}

static void a_choice_without_an_answer_is_refused(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(3, 1);
    cpm_selection best = {.seconds = 7};
    cpm_error e = {0};
    assert_int_equal(cpm_select(m, "smatter", &(cpm_case){0}, &best, &e), CPM_EUNKNOWN);
    assert_non_null(strstr(e.text, "scatter"));
    cpm_error_clear(&e);
    assert_int_equal(cpm_select(m, "bcast", &(cpm_case){.root = -1}, &best, &e), CPM_EINVAL);
    assert_true(best.seconds == 7);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_listed_with_their_values),
        cmocka_unit_test(what_a_model_does_not_have_is_unknown),
        cmocka_unit_test(slices_say_their_message_sizes),
        cmocka_unit_test(types_are_those_that_files_name),
        cmocka_unit_test(a_model_is_fitted_to_a_file),
        cmocka_unit_test(all_algorithms_of_all_operations_are_listed),
        cmocka_unit_test(a_prediction_by_name_is_the_walk),
        cmocka_unit_test(parameters_are_part_of_the_name),
        cmocka_unit_test(each_process_may_have_its_own_block),
        cmocka_unit_test(blocks_of_one_size_are_no_blocks),
        cmocka_unit_test(what_cannot_be_predicted_is_refused),
        cmocka_unit_test(a_map_says_where_processes_sit),
        cmocka_unit_test(a_topology_lets_algorithms_apply),
        cmocka_unit_test(a_model_of_hosts_is_laid_out_for_other_processes),
        cmocka_unit_test(a_model_of_hosts_knows_who_shares_one),
        cmocka_unit_test(what_is_no_layout_of_a_model_is_refused),
        cmocka_unit_test(no_algorithm_is_faster_than_the_selected_one),
        cmocka_unit_test(graphs_are_of_the_processes_and_for_neighbours),
        cmocka_unit_test(blocks_of_neighbours_may_differ),
        cmocka_unit_test(unequal_blocks_are_chosen_for),
        cmocka_unit_test(small_broadcasts_are_not_linear),
        cmocka_unit_test(contributions_are_combined_in_order_if_they_must_be),
        cmocka_unit_test(a_choice_without_an_answer_is_refused),
        cmocka_unit_test(values_in_bulk_are_those_one_by_one),
        cmocka_unit_test(intervals_of_predictions_grow_with_those_of_parameters),
        cmocka_unit_test(nothing_is_faster_than_the_best_possible),
        cmocka_unit_test(measurements_are_read_one_by_one),
        cmocka_unit_test(a_table_of_a_model_says_what_it_selects),
        cmocka_unit_test(metadata_of_a_table_outlive_a_file),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
