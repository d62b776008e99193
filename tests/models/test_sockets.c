/* Models that tell the sockets of hosts apart: what their messages cost and share, their file,
 * other layouts. */
#include "hosts_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/experiments.h"
#include "together.h"

enum { N = 8 };
static const int host[N] = {0, 0, 0, 0, 1, 1, 1, 1}, socket_of[N] = {0, 0, 1, 1, 0, 1, 0, 1};

static double line(const cpm_model *m, int l, int at, double bytes)
{
    static const int parts[][3] = {
        [CPM_INSIDE] = {CPM_LMO2_INSIDE_CS, CPM_LMO2_INSIDE_CR, CPM_LMO2_INSIDE_L},
        [CPM_ACROSS] = {CPM_LMO2_ACROSS_CS, CPM_LMO2_ACROSS_CR, CPM_LMO2_ACROSS_L}};
    double sum = 0;
    for (int p = 0; p < 3; p++) /* a slope follows its constant */
        sum += m->value[parts[l][p]][at] + bytes * m->value[parts[l][p] + 1][at];
    return sum;
}

static void messages_between_sockets_cost_what_they_do_there(void **state)
{
    (void)state;
    cpm_model *m = sockets_model(host, socket_of, N, 1);
    for (int j = 1; j < 4; j++) /* 10000 bytes: the first regime inside, the second across */
        assert_true(fabs(cpm_model_p2p(m, 0, j, 10000) / (j == 1 ? line(m, CPM_INSIDE, 0, 10000)
                                                                 : line(m, CPM_ACROSS, 2, 10000)) -
                         1) < 1e-12);
    assert_true(fabs(cpm_model_p2p(m, 4, 6, 100) / line(m, CPM_INSIDE, 1, 100) - 1) < 1e-12);
    assert_true(fabs(cpm_model_p2p(m, 4, 5, 100) / line(m, CPM_ACROSS, 1, 100) - 1) < 1e-12);
    assert_true(cpm_model_p2p(m, 3, 4, 100) > 10 * cpm_model_p2p(m, 0, 3, 100));
    cpm_model_free(m);
}

/* Who is not bound is taken to be near everybody of his host. */
static void processes_whose_socket_is_unknown_are_near(void **state)
{
    (void)state;
    static const int some[N] = {0, -1, 1, 1, -1, -1, -1, -1};
    cpm_model *m = sockets_model(host, some, N, 1);
    assert_int_equal(cpm_model_level(m, 0, 1), CPM_INSIDE);
    assert_int_equal(cpm_model_level(m, 1, 2), CPM_INSIDE);
    assert_int_equal(cpm_model_level(m, 0, 2), CPM_ACROSS);
    assert_int_equal(cpm_model_level(m, 4, 7), CPM_INSIDE);
    assert_int_equal(cpm_model_level(m, 0, 7), CPM_BETWEEN);
    cpm_model_free(m);
}

static void each_socket_has_its_memory_and_a_host_one_link_between_them(void **state)
{
    (void)state;
    static const int of[N] = {0, 0, 0, 0, 0, 0, 0, 0}, on[N] = {0, 0, 0, 0, 1, 1, 1, 1};
    static const int same[][2] = {{0, 1}, {2, 3}}, apart[][2] = {{0, 1}, {4, 5}},
                     link[][2] = {{0, 4}, {1, 5}}, mixed[][2] = {{0, 4}, {2, 3}};
    const size_t bytes = 1000000;
    cpm_model *m = sockets_model(of, on, N, 3);
    double memory = (double)bytes * m->value[CPM_LMO2_MEMORY][0];
    double between = (double)bytes * m->value[CPM_LMO2_SOCKETS][0];
    double near = together(m, same, 1, bytes), far = together(m, link, 1, bytes);
    assert_true(fabs((together(m, same, 2, bytes) - near) / memory - 1) < 0.01);
    assert_true(fabs(together(m, apart, 2, bytes) / near - 1) < 1e-9);
    assert_true(fabs((together(m, link, 2, bytes) - far) / between - 1) < 0.01);
    assert_true(fabs(together(m, mixed, 2, bytes) / far - 1) < 1e-9);
    cpm_model_free(m);
}

/* Long messages that are fetched, on one socket or two. */
static void fetched_messages_share_a_memory_of_their_own(void **state)
{
    (void)state;
    static const int of[N] = {0, 0, 0, 0, 0, 0, 0, 0}, on[N] = {0, 0, 0, 0, 1, 1, 1, 1};
    static const int same[][2] = {{0, 1}, {2, 3}}, apart[][2] = {{0, 1}, {4, 5}};
    const size_t bytes = 1000000;
    for (int sockets = 0; sockets < 2; sockets++) {
        cpm_model *m = sockets ? sockets_model(of, on, N, 3) : hosts_model(of, N, 3);
        m->value[CPM_LMO2_FETCHED][0] = m->value[CPM_LMO2_INSIDE_RENDEZVOUS][0];
        double alone = together(m, same, 1, bytes);
        assert_true(fabs(together(m, same, 2, bytes) / alone - 1) < 1e-9);
        double way = m->value[CPM_LMO2_INSIDE_INVBETA][1], more = 0.8 * (double)bytes * way;
        m->value[CPM_LMO2_FETCHING][0] = 0.9 * way;
        assert_true(fabs(together(m, same, 1, bytes) / alone - 1) < 1e-9);
        assert_true(fabs((together(m, same, 2, bytes) - alone) / more - 1) < 0.01);
        double both = together(m, apart, 2, bytes) - alone;
        assert_true(sockets ? fabs(both) < 1e-9 * alone : fabs(both / more - 1) < 0.01);
        cpm_model_free(m);
    }
}

static cpm_model *read_back(const char *text, cpm_error *e)
{
    cpm_model *m = NULL;
    cpm_model_unpack(text, strlen(text), "file", &m, e);
    return m;
}

static void a_file_keeps_the_sockets(void **state)
{
    (void)state;
    static const int some[N] = {0, 0, 1, 1, -1, -1, -1, -1};
    cpm_model *m = sockets_model(host, some, N, 4), *read;
    char *text, *again;
    assert_int_equal(cpm_model_pack(m, &text, NULL), CPM_OK);
    assert_non_null(strstr(text, "\"across\": [0, 8192]"));
    assert_non_null(strstr(text, "\"sockets\": [0, 0, 1, 1, null, null, null, null]"));
    read = read_back(text, NULL);
    assert_non_null(read);
    assert_int_equal(cpm_model_pack(read, &again, NULL), CPM_OK);
    assert_string_equal(text, again);
    for (int j = 1; j < N; j++)
        assert_true(fabs(cpm_model_p2p(m, 0, j, 9000) / cpm_model_p2p(read, 0, j, 9000) - 1) <
                    1e-9);
    free(text);
    free(again);
    cpm_model_free(read);
    cpm_model_free(m);
}

static void expect_refused(char *text, const char *from, const char *to, const char *why)
{
    char *at = strstr(text, from);
    cpm_error e = {0};
    assert_non_null(at);
    assert_true(strlen(to) == strlen(from));
    memcpy(at, to, strlen(to));
    assert_null(read_back(text, &e));
    if (!strstr(e.text, why))
        fail_msg("'%s' does not say '%s'", e.text, why);
    memcpy(at, from, strlen(from));
}

static void files_that_contradict_themselves_are_refused(void **state)
{
    (void)state;
    cpm_model *m = sockets_model(host, socket_of, N, 4);
    char *text;
    assert_int_equal(cpm_model_pack(m, &text, NULL), CPM_OK);
    expect_refused(text, "\"sockets\"", "\"Sockets\"", "\"sockets\" is missing");
    expect_refused(text, "\"across\"", "\"Across\"", "(\"across\") are missing");
    expect_refused(text, "\"inside\"", "\"Inside\"", "(\"inside\")");
    expect_refused(text, "[0, 0, 1, 1, 0", "[0,-1, 1, 1, 0", "socket of process 1");
    expect_refused(text, "[0, 0, 1, 1, 0", "[0, 0, 1.1, 0 ", "\"sockets\"");
    expect_refused(text, "\"L_across\"", "\"l_across\"", "'L_across'");
    free(text);
    cpm_model_free(m);
}

/* The sockets of n processes placed on host `on`, as digits. */
static void expect_sockets(const cpm_model *m, int on, int n, const int *known,
                           const char *expected)
{
    int at[16];
    char found[17] = "";
    cpm_model *placed;
    for (int i = 0; i < n; i++)
        at[i] = on;
    assert_int_equal(cpm_model_place(m, at, known, n, &placed, NULL), CPM_OK);
    for (int i = 0; i < n; i++)
        found[i] = (char)('0' + placed->on.socket[i]);
    assert_string_equal(found, expected);
    cpm_model_free(placed);
}

/* Host 0 was measured block by block, host 1 in turn. */
static void other_processes_sit_as_the_measured_ones(void **state)
{
    (void)state;
    cpm_model *m = sockets_model(host, socket_of, N, 5);
    expect_sockets(m, 0, 4, NULL, "0011");
    expect_sockets(m, 0, 8, NULL, "00001111");
    expect_sockets(m, 0, 2, NULL, "01");
    expect_sockets(m, 0, 5, NULL, "00011");
    expect_sockets(m, 1, 4, NULL, "0101");
    expect_sockets(m, 1, 7, NULL, "0101010");
    expect_sockets(m, 1, 3, NULL, "010");
    expect_sockets(m, 0, 3, (const int[]){1, 1, 0}, "110");
    expect_sockets(m, 0, 4, (const int[]){1, -1, 7, 0}, "1010"); /* 7: not known there */
    cpm_model_free(m);
}

static void part_of_a_model_keeps_its_sockets(void **state)
{
    (void)state;
    static const int some[] = {7, 0, 2, 6, 1};
    cpm_model *m = sockets_model(host, socket_of, N, 6), *part, *all;
    assert_int_equal(cpm_model_subset(m, some, 5, &part, NULL), CPM_OK);
    assert_int_equal(cpm_model_expand(m, &all, NULL), CPM_OK);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            if (i != j) {
                double whole = cpm_model_p2p(m, some[i], some[j], 9000);
                assert_true(fabs(cpm_model_p2p(part, i, j, 9000) / whole - 1) < 1e-12);
                assert_true(fabs(cpm_model_p2p(all, some[i], some[j], 9000) / whole - 1) < 1e-12);
            }
    cpm_model_free(m);
    cpm_model_free(part);
    cpm_model_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_between_sockets_cost_what_they_do_there),
        cmocka_unit_test(processes_whose_socket_is_unknown_are_near),
        cmocka_unit_test(each_socket_has_its_memory_and_a_host_one_link_between_them),
        cmocka_unit_test(fetched_messages_share_a_memory_of_their_own),
        cmocka_unit_test(a_file_keeps_the_sockets),
        cmocka_unit_test(files_that_contradict_themselves_are_refused),
        cmocka_unit_test(other_processes_sit_as_the_measured_ones),
        cmocka_unit_test(part_of_a_model_keeps_its_sockets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
