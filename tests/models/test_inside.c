/* Models that know the inside of hosts: what their processes share, their file, other layouts. */
#include "hosts_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/experiments.h"
#include "models/extrapolation.h"
#include "models/mod_values.h"
#include "models/predict.h"
#include "models/simgrid.h"
#include "together.h"

static const int block[] = {0, 0, 0, 1, 1, 1, 2, 2, 2};

static double predict(const cpm_model *m, const char *name, size_t bytes)
{
    cpm_collective c;
    assert_int_equal(cpm_collective_parse(name, &c, NULL), CPM_OK);
    double seconds = cpm_predict_bytes(m, &c, bytes, NULL, NULL, NULL);
    assert_true(seconds > 0);
    return seconds;
}

static void expect_same_predictions(const cpm_model *a, const cpm_model *b)
{
    static const char *const names[] = {"scatter:linear", "bcast:binomial", "alltoall:ring",
                                        "allgather:bruck"};
    for (size_t q = 0; q < sizeof names / sizeof *names; q++)
        for (size_t bytes = 1; bytes < 200000; bytes *= 30)
            assert_true(fabs(predict(a, names[q], bytes) / predict(b, names[q], bytes) - 1) < 1e-9);
}

/* The walk of all processes, most of which do nothing. */
static double whole(const cpm_model *m, const cpm_experiment *x, double *finish)
{
    cpm_schedule *s;
    size_t bytes[CPM_EXPERIMENT_BLOCKS];
    cpm_experiment_blocks(x, bytes);
    assert_int_equal(cpm_experiments_schedule(x, 1, m->n, &s, NULL), CPM_OK);
    double last = cpm_model_walk(m, s, &(cpm_block_sizes){.each = bytes}, NULL, finish, NULL);
    cpm_schedule_free(s);
    assert_true(last > 0);
    return finish[x->i];
}

static void an_experiment_costs_what_it_does_among_all_processes(void **state)
{
    (void)state;
    cpm_model *m = hosts_model(block, 9, 1);
    double finish[9], seconds;
    for (int h = 0; h < m->classes.count; h++)
        m->value[CPM_LMO2_OC][h] = m->value[CPM_LMO2_CB][h] = 1e-9;
    for (int kind = 0; cpm_experiment_kinds[kind].name; kind++)
        for (int i = 0; i < 9; i++)
            for (int j = 0; j < 9; j++)
                for (int k = 0; k < 9 && i != j; k++) {
                    int processes = cpm_experiment_kinds[kind].processes;
                    bool three = processes > 2;
                    cpm_experiment x = cpm_experiment_pair(kind, i, processes > 1 ? j : -1, 70000,
                                                           processes > 1 ? 20000 : 1600);
                    x.k = three ? k : -1;
                    if (three && (k == i || k == j))
                        continue;
                    assert_int_equal(cpm_model_experiments(m, &x, 1, &seconds, NULL), CPM_OK);
                    assert_true(fabs(seconds / whole(m, &x, finish) - 1) < 1e-12);
                }
    cpm_model_free(m);
}

static void messages_inside_a_host_cost_what_they_do_there(void **state)
{
    (void)state;
    cpm_model *m = hosts_model(block, 9, 1);
    double overheads = m->value[CPM_LMO2_INSIDE_CS][1] + m->value[CPM_LMO2_INSIDE_CR][1];
    double per_byte = m->value[CPM_LMO2_INSIDE_TS][1] + m->value[CPM_LMO2_INSIDE_TR][1] +
                      m->value[CPM_LMO2_INSIDE_INVBETA][1];
    double expected = overheads + m->value[CPM_LMO2_INSIDE_L][1] + 1000 * per_byte;
    assert_true(fabs(cpm_model_p2p(m, 3, 5, 1000) / expected - 1) < 1e-12);
    assert_true(cpm_model_p2p(m, 2, 3, 1000) > 10 * expected);
    cpm_model_free(m);
}

/* The processes of a host divide its link end, whichever of them send. */
static void processes_of_a_host_share_its_link_ends(void **state)
{
    (void)state;
    const size_t bytes = 60000;
    cpm_model *m = hosts_model(block, 9, 2);
    static const int one[][2] = {{0, 3}}, same[][2] = {{0, 3}, {1, 6}},
                     other[][2] = {{0, 3}, {7, 4}};
    for (int h = 0; h < 3; h++)
        m->value[CPM_LMO2_GO][h] = m->value[CPM_LMO2_GI][h] = 14e-9; /* no message is slower */
    double alone = together(m, one, 1, bytes);
    assert_true(together(m, same, 2, bytes) > alone + 0.4 * (double)bytes * 14e-9);
    m->value[CPM_LMO2_GO][0] = NAN; /* two senders at one host's incoming end share that one */
    assert_true(together(m, other, 2, bytes) > alone + 0.4 * (double)bytes * 14e-9);
    assert_true(together(m, (const int[][2]){{0, 3}, {1, 6}}, 2, bytes) < 1.3 * alone);
    cpm_model_free(m);
}

static void messages_inside_a_host_share_its_memory(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 0, 0, 1, 1};
    static const int pairs[][2] = {{0, 1}, {2, 3}, {4, 5}};
    const size_t bytes = 1000000;
    cpm_model *m = hosts_model(host, 6, 3);
    double flow = (double)bytes * m->value[CPM_LMO2_MEMORY][0];
    double alone = together(m, pairs, 1, bytes), both = together(m, pairs, 2, bytes);
    assert_true(fabs((both - alone) / flow - 1) < 0.01);
    assert_true(fabs(together(m, pairs, 3, bytes) / both - 1) < 1e-9);
    cpm_model_free(m);
}

static void a_file_keeps_what_is_inside(void **state)
{
    (void)state;
    cpm_model *m = hosts_model(block, 9, 4), *read;
    char *text;
    assert_int_equal(cpm_model_pack(m, &text, NULL), CPM_OK);
    assert_non_null(strstr(text, "\"inside\": [0, 16384]"));
    assert_int_equal(cpm_model_unpack(text, strlen(text), "file", &read, NULL), CPM_OK);
    assert_int_equal(read->on.count, 3);
    expect_same_predictions(m, read);
    free(text);
    cpm_model_free(read);
    cpm_model_free(m);
}

static void a_model_without_inside_is_written_as_before(void **state)
{
    (void)state;
    cpm_model *m = random_lmo2(3, 1);
    char *text;
    assert_int_equal(cpm_model_pack(m, &text, NULL), CPM_OK);
    assert_null(strstr(text, "inside"));
    assert_null(strstr(text, "_in"));
    free(text);
    cpm_model_free(m);
}

static void a_model_of_one_host_knows_no_network(void **state)
{
    (void)state;
    cpm_model *m = hosts_model((const int[]){0, 0, 0}, 3, 6), *read;
    char *text;
    assert_int_equal(cpm_model_pack(m, &text, NULL), CPM_OK);
    assert_null(strstr(text, "\"L\""));
    assert_int_equal(cpm_model_unpack(text, strlen(text), "file", &read, NULL), CPM_OK);
    assert_false(cpm_model_has_parameter(read, CPM_LMO2_L));
    expect_same_predictions(m, read);
    free(text);
    cpm_model_free(read);
    cpm_model_free(m);
}

/* Between several hosts it must not be missing. */
static void a_network_that_is_missing_is_named(void **state)
{
    (void)state;
    cpm_model *m = hosts_model(block, 9, 6), *read = NULL;
    cpm_error e = {0};
    char *text, *name;
    assert_int_equal(cpm_model_pack(m, &text, NULL), CPM_OK);
    name = strstr(text, "\"L\":");
    name[1] = 'X';
    assert_int_equal(cpm_model_unpack(text, strlen(text), "file", &read, &e), CPM_EPARSE);
    assert_non_null(strstr(e.text, "parameter 'L'"));
    free(text);
    cpm_model_free(m);
}

static void a_parameter_inside_needs_its_sizes(void **state)
{
    (void)state;
    cpm_model *m = hosts_model(block, 9, 5), *read = NULL;
    cpm_error e = {0};
    char *text, *list;
    assert_int_equal(cpm_model_pack(m, &text, NULL), CPM_OK);
    list = strstr(text, "\"inside\": [0, 16384],");
    memset(list, ' ', strlen("\"inside\": [0, 16384],"));
    assert_int_equal(cpm_model_unpack(text, strlen(text), "file", &read, &e), CPM_EPARSE);
    assert_non_null(strstr(e.text, "parameter 'Cs_in' is of messages inside a host, whose sizes "
                                   "(\"inside\") are missing"));
    free(text);
    cpm_model_free(m);
}

static void other_processes_are_placed_on_the_hosts(void **state)
{
    (void)state;
    static const int cyclic[] = {0, 1, 2, 0, 1, 2, 0, 1, 2}, more[] = {2, 2, 2, 2, 0, 0};
    cpm_model *m = hosts_model(block, 9, 6), *same, *other, *back, *few;
    assert_int_equal(cpm_model_place(m, block, NULL, 9, &same, NULL), CPM_OK);
    expect_same_predictions(m, same);
    assert_int_equal(cpm_model_place(m, cyclic, NULL, 9, &other, NULL), CPM_OK);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            if (i != j) /* process i of the cyclic layout is on host i mod 3 */
                assert_true(fabs(cpm_model_p2p(other, i, j, 1000) /
                                     cpm_model_p2p(m, i % 3 * 3 + i / 3, j % 3 * 3 + j / 3, 1000) -
                                 1) < 1e-12);
    assert_int_equal(cpm_model_place(other, block, NULL, 9, &back, NULL), CPM_OK);
    expect_same_predictions(m, back);
    assert_int_equal(cpm_model_place(m, more, NULL, 6, &few, NULL), CPM_OK);
    assert_int_equal(few->classes.count, 2);
    assert_string_equal(few->hosts[0], "h2");
    assert_true(fabs(cpm_model_p2p(few, 0, 3, 1000) / cpm_model_p2p(m, 6, 7, 1000) - 1) < 1e-12);
    assert_true(fabs(cpm_model_p2p(few, 0, 5, 1000) / cpm_model_p2p(m, 6, 0, 1000) - 1) < 1e-12);
    cpm_model *all[] = {m, same, other, back, few};
    for (size_t q = 0; q < sizeof all / sizeof *all; q++)
        cpm_model_free(all[q]);
}

static void layouts_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const int beyond[] = {0, 3};
    cpm_model *m = hosts_model(block, 9, 7), *out = NULL, *alone = random_lmo2(3, 1);
    cpm_error e = {0};
    assert_int_equal(cpm_model_place(m, beyond, NULL, 2, &out, &e), CPM_EINVAL);
    assert_string_equal(e.text, "process 1 of the layout is on host 3, but the model has 3 hosts");
    assert_int_equal(cpm_model_place(alone, beyond, NULL, 2, &out, NULL), CPM_EDATA);
    assert_null(out);
    cpm_model_free(m);
    cpm_model_free(alone);
}

static void a_layout_names_its_hosts_or_takes_the_first(void **state)
{
    (void)state;
    static int of[] = {0, 0, 1};
    char *names[] = {"h2", "h0"}, *unknown[] = {"h2", "h7"};
    cpm_hosts by_name = {3, 2, of, names, NULL}, first = {3, 2, of, NULL, NULL},
              wrong = {3, 2, of, unknown, NULL};
    cpm_model *m = hosts_model(block, 9, 6), *named, *plain, *none = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_model_lay_out(m, &by_name, &named, NULL), CPM_OK);
    assert_string_equal(named->hosts[0], "h2");
    assert_string_equal(named->hosts[2], "h0");
    assert_int_equal(cpm_model_lay_out(m, &first, &plain, NULL), CPM_OK);
    assert_string_equal(plain->hosts[0], "h0");
    assert_string_equal(plain->hosts[2], "h1");
    assert_int_equal(cpm_model_lay_out(m, &wrong, &none, &e), CPM_EINVAL);
    assert_string_equal(e.text, "process 2 is on host h7, which the model does not know: name "
                                "only its hosts, or none (HOSTSxEACH)");
    assert_null(none);
    cpm_model_free(m);
    cpm_model_free(named);
    cpm_model_free(plain);
}

static void part_of_a_model_keeps_its_hosts(void **state)
{
    (void)state;
    static const int some[] = {8, 0, 7, 1};
    cpm_model *m = hosts_model(block, 9, 8), *part, *all, *again;
    assert_int_equal(cpm_model_subset(m, some, 4, &part, NULL), CPM_OK);
    assert_int_equal(part->on.count, 2);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (i != j)
                assert_true(fabs(cpm_model_p2p(part, i, j, 5000) /
                                     cpm_model_p2p(m, some[i], some[j], 5000) -
                                 1) < 1e-12);
    assert_int_equal(cpm_model_expand(m, &all, NULL), CPM_OK);
    assert_false(cpm_model_has_classes(all));
    expect_same_predictions(m, all);
    assert_int_equal(cpm_model_regroup(all, &m->classes, &again, NULL), CPM_OK);
    expect_same_predictions(m, again);
    cpm_model *made[] = {m, part, all, again};
    for (size_t q = 0; q < sizeof made / sizeof *made; q++)
        cpm_model_free(made[q]);
}

static void means_over_pairs_are_of_those_between_hosts(void **state)
{
    (void)state;
    cpm_model *m = hosts_model(block, 9, 9);
    double sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum += i == j ? 0 : m->value[CPM_LMO2_L][i * 3 + j] / 6;
    assert_true(fabs(cpm_parameter_mean(m, CPM_LMO2_L) / sum - 1) < 1e-12);
    cpm_model_free(m);
}

/* How often its platform has that text. */
static int in_platform(const cpm_model *m, const char *what)
{
    char *text;
    size_t size;
    int count = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(cpm_model_write_simgrid(m, out, NULL), CPM_OK);
    fclose(out);
    for (const char *at = text; (at = strstr(at, what)); at++)
        count++;
    free(text);
    return count;
}

/* Whose speed is that of the largest messages; those that are fetched share another one. */
static void a_platform_has_the_memory_that_the_largest_messages_share(void **state)
{
    (void)state;
    cpm_model *m = hosts_model(block, 9, 1);
    m->value[CPM_LMO2_MEMORY][0] = 1 / 2e9;
    m->value[CPM_LMO2_FETCHING][0] = 1 / 5e9;
    assert_int_equal(in_platform(m, "id=\"memory0\" bandwidth=\"2e+09Bps\""), 1);
    assert_int_equal(in_platform(m, "<link_ctn id=\"memory0\"/>"), 1);
    m->value[CPM_LMO2_FETCHED][0] = 16384;
    assert_int_equal(in_platform(m, "id=\"memory0\" bandwidth=\"5e+09Bps\""), 1);
    assert_int_equal(in_platform(m, "<link_ctn id=\"memory0\"/>"), 1);
    m->value[CPM_LMO2_FETCHING][0] = NAN;
    assert_int_equal(in_platform(m, "memory0"), 0);
    cpm_model_free(m);
}

static double shared_by_all(const cpm_model *m, int capacity)
{
    cpm_model *all = NULL;
    assert_int_equal(cpm_model_share_all(m, &all, NULL), CPM_OK);
    double value = all->value[capacity][0];
    cpm_model_free(all);
    return value;
}

/* Neither buffered messages nor, where there are such, fetched ones. */
static void memory_of_which_nothing_is_known_may_be_shared_by_all(void **state)
{
    (void)state;
    cpm_model *m = hosts_model(block, 9, 1);
    double alone = m->value[CPM_LMO2_INSIDE_INVBETA][m->classes.count];
    m->value[CPM_LMO2_MEMORY][0] = NAN;
    assert_int_equal(cpm_note(&m->notes, NULL, CPM_LMO2_MEMORY_UNKNOWN), CPM_OK);
    assert_true(shared_by_all(m, CPM_LMO2_MEMORY) == alone);
    assert_true(isnan(shared_by_all(m, CPM_LMO2_FETCHING)));
    m->value[CPM_LMO2_FETCHED][0] = 16384;
    assert_true(shared_by_all(m, CPM_LMO2_MEMORY) == alone);
    assert_true(shared_by_all(m, CPM_LMO2_FETCHING) == alone);
    assert_int_equal(cpm_note(&m->notes, NULL, CPM_LMO2_FETCHING_SEEN " 0 of 3 hosts"), CPM_OK);
    assert_true(isnan(shared_by_all(m, CPM_LMO2_FETCHING)));
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_inside_a_host_cost_what_they_do_there),
        cmocka_unit_test(processes_of_a_host_share_its_link_ends),
        cmocka_unit_test(messages_inside_a_host_share_its_memory),
        cmocka_unit_test(a_platform_has_the_memory_that_the_largest_messages_share),
        cmocka_unit_test(memory_of_which_nothing_is_known_may_be_shared_by_all),
        cmocka_unit_test(a_file_keeps_what_is_inside),
        cmocka_unit_test(a_model_without_inside_is_written_as_before),
        cmocka_unit_test(a_model_of_one_host_knows_no_network),
        cmocka_unit_test(a_network_that_is_missing_is_named),
        cmocka_unit_test(a_parameter_inside_needs_its_sizes),
        cmocka_unit_test(other_processes_are_placed_on_the_hosts),
        cmocka_unit_test(layouts_that_cannot_be_are_refused),
        cmocka_unit_test(a_layout_names_its_hosts_or_takes_the_first),
        cmocka_unit_test(part_of_a_model_keeps_its_hosts),
        cmocka_unit_test(means_over_pairs_are_of_those_between_hosts),
        cmocka_unit_test(an_experiment_costs_what_it_does_among_all_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
