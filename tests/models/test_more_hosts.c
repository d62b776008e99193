/* Layouts with more hosts than were measured. */
#include "hosts_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/extrapolation.h"
#include "models/layout.h"
#include "models/symmetry.h"
#include "models/walking.h"
#include "together.h"

static const int block[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
enum { N = 12, HOSTS = 4 };

static cpm_model *alike(void)
{
    cpm_model *m = hosts_model(block, N, 7);
    make_alike(m);
    return m;
}

static cpm_model *laid_out(const cpm_model *m, int hosts, int each, bool cyclic)
{
    cpm_hosts layout;
    cpm_model *out;
    cpm_error e = {0};
    assert_int_equal(cpm_hosts_regular(hosts, each, cyclic, &layout, NULL), CPM_OK);
    if (cpm_model_lay_out(m, &layout, &out, &e))
        fail_msg("%s", e.text);
    cpm_hosts_clear(&layout);
    return out;
}

static void expect_refused(const cpm_model *m, int hosts, int each, const char *why)
{
    cpm_hosts layout;
    cpm_model *out = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_hosts_regular(hosts, each, false, &layout, NULL), CPM_OK);
    assert_int_equal(cpm_model_lay_out(m, &layout, &out, &e), CPM_EDATA);
    if (!strstr(e.text, why))
        fail_msg("'%s' does not say '%s'", e.text, why);
    assert_null(out);
    cpm_hosts_clear(&layout);
}

static void expect_near(double a, double b)
{
    assert_true(fabs(a / b - 1) < 1e-12);
}

static void further_hosts_are_like_the_measured_ones(void **state)
{
    (void)state;
    cpm_model *m = alike();
    for (int cyclic = 0; cyclic < 2; cyclic++) {
        cpm_model *more = laid_out(m, 7, 5, cyclic);
        assert_int_equal(more->n, 35);
        assert_int_equal(more->on.count, 7);
        for (size_t bytes = 0; bytes < 200000; bytes = 30 * bytes + 1)
            for (int i = 0; i < 35; i++)
                for (int j = 0; j < 35; j++)
                    if (i != j)
                        expect_near(
                            cpm_model_p2p(more, i, j, bytes),
                            cpm_model_p2p(m, 0, cpm_hosts_share(&more->on, i, j) ? 1 : 3, bytes));
        assert_string_equal(more->hosts[cyclic ? 3 : 15], "h3");
        assert_string_equal(more->hosts[34], "unmeasured-7");
        cpm_model_free(more);
    }
    cpm_model_free(m);
}

/* Two messages of a host meet there, those of two hosts do not. */
static void further_hosts_share_what_the_measured_ones_do(void **state)
{
    (void)state;
    static const int measured[][2] = {{0, 3}, {1, 6}}, further[][2] = {{12, 18}, {13, 15}};
    static const int apart[][2] = {{12, 18}, {15, 0}};
    cpm_model *m = alike(), *more = laid_out(m, 7, 3, false);
    expect_near(together(more, further, 2, 60000), together(m, measured, 2, 60000));
    assert_true(together(more, apart, 2, 60000) < 0.9 * together(more, further, 2, 60000));
    cpm_model_free(more);
    cpm_model_free(m);
}

static void what_is_assumed_is_noted(void **state)
{
    (void)state;
    cpm_model *m = alike(), *more = laid_out(m, 9, 5, false), *same = laid_out(m, 4, 2, false);
    assert_string_equal(cpm_metadata_get(&more->metadata, CPM_METADATA_EXTRAPOLATED),
                        "5 processes on a host, of which at most 3 were measured; 9 hosts, all "
                        "taken to be like the 4 that were measured, sharing nothing more");
    assert_true(cpm_model_spread(more) < 1e-9);
    assert_null(cpm_metadata_get(&same->metadata, CPM_METADATA_EXTRAPOLATED));
    assert_null(cpm_metadata_get(&same->metadata, CPM_METADATA_SPREAD));
    cpm_model_free(same);
    cpm_model_free(more);
    cpm_model_free(m);
}

/* Changes one value of a host; that by less than a tenth is the spread. */
static void expect_unlike(int p, size_t at, double factor, const char *why)
{
    cpm_model *m = alike();
    m->value[p][at] *= factor;
    expect_refused(m, 6, 3, why);
    m->value[p][at] *= 1 + 0.04 / factor - (factor - 1) / factor; /* 4 % more than at first */
    cpm_model *more = laid_out(m, 6, 3, false);
    assert_true(cpm_model_spread(more) > 0 && cpm_model_spread(more) < 0.05);
    cpm_model_free(more);
    cpm_model_free(m);
}

static void unlike_hosts_are_named_with_what_differs(void **state)
{
    (void)state;
    expect_unlike(CPM_LMO2_CS, 2, 4, "hosts are not alike: the round trip of 1 bytes of h2 is ");
    expect_unlike(CPM_LMO2_INSIDE_L, 1, 3, "the round trip of 1 bytes inside of h1 is ");
    expect_unlike(CPM_LMO2_INSIDE_INVBETA, HOSTS + 3, 3,
                  "the round trip of 65536 bytes inside of h3 is ");
}

static void unlike_capacities_are_named(void **state)
{
    (void)state;
    cpm_model *m = alike();
    m->value[CPM_LMO2_MEMORY][2] *= 1.8;
    for (int h = 0; h < HOSTS; h++)
        m->ci[CPM_LMO2_MEMORY][h] = 0.1 * m->value[CPM_LMO2_MEMORY][0];
    expect_refused(m, 6, 3, "hosts are not alike: G_in of h2 is 70 % slower than the median");
    for (int h = 0; h < HOSTS; h++) /* who is so uncertain may be like the others */
        m->ci[CPM_LMO2_MEMORY][h] *= 4.5;
    cpm_model_free(laid_out(m, 6, 3, false));
    cpm_model_free(m);
}

/* As in a torus, where all hosts are alike, but not all pairs. */
static void unlike_pairs_are_named(void **state)
{
    (void)state;
    cpm_model *m = alike();
    static const int ring[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
    for (int k = 0; k < 4; k++) {
        m->value[CPM_LMO2_L][ring[k][0] * HOSTS + ring[k][1]] *= 5;
        m->value[CPM_LMO2_L][ring[k][1] * HOSTS + ring[k][0]] *= 5;
    }
    expect_refused(m, 6, 3,
                   "the network is not alike: the round trip of 1 bytes from h0 to h2 is ");
    cpm_model_free(m);
}

static void of_one_host_no_network_is_known(void **state)
{
    (void)state;
    cpm_model *m = hosts_model(block, 3, 1);
    expect_refused(m, 2, 3, "the model has one and knows no network");
    cpm_model_free(m);
}

static void put_on_switches(cpm_model *m, const int *on)
{
    static const char *const name[] = {"left", "right"};
    cpm_classes switches;
    assert_int_equal(cpm_classes_create(m->n, on, 2, name, &switches, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_switches(m, &switches, NULL), CPM_OK);
    cpm_classes_clear(&switches);
    for (int k = 0; k < 2; k++)
        m->value[CPM_LMO2_UP][k] = (k + 1) * 10e-9;
}

/* Hosts 0 and 2 are on one switch, 1 and 3 on the other, and messages between these take longer. */
static void further_hosts_are_on_further_switches(void **state)
{
    (void)state;
    static const int on[] = {0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1};
    cpm_model *m = alike();
    put_on_switches(m, on);
    for (int a = 0; a < HOSTS; a++)
        for (int b = 0; b < HOSTS; b++)
            m->value[CPM_LMO2_L][a * HOSTS + b] *= a % 2 != b % 2 ? 2 : 1;
    cpm_model *more = laid_out(m, 10, 1, false);
    assert_int_equal(more->switches.count, 6);
    assert_string_equal(more->switches.name[0], "left");
    assert_string_equal(more->switches.name[5], "right+2");
    for (int a = 0; a < 10; a++) {
        assert_int_equal(more->switches.of[a], a / 4 * 2 + a % 2);
        assert_true(more->value[CPM_LMO2_UP][more->switches.of[a]] == (a % 2 + 1) * 10e-9);
        for (int b = 0; b < 10; b++)
            if (a != b)
                expect_near(cpm_model_p2p(more, a, b, 1),
                            cpm_model_p2p(m, 0, a / 4 == b / 4 && a % 2 == b % 2 ? 6 : 3, 1));
    }
    assert_non_null(strstr(cpm_metadata_get(&more->metadata, CPM_METADATA_EXTRAPOLATED),
                           "; each further 4 are on switches of their own"));
    cpm_model_free(more);
    cpm_model_free(m);
}

/* Of 0 1 0 on each host, five are 0 1 0 1 0. */
static void further_hosts_have_the_sockets_of_the_measured_ones(void **state)
{
    (void)state;
    static const int socket[] = {0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0};
    cpm_model *m = sockets_model(block, socket, N, 5);
    make_alike(m);
    cpm_model *more = laid_out(m, 6, 5, false), *known = laid_out(m, 4, 5, false);
    for (int i = 0; i < 30; i++)
        assert_int_equal(more->on.socket[i], known->on.socket[i % 20]);
    cpm_model_free(known);
    cpm_model_free(more);
    cpm_model_free(m);
}

static void a_model_of_one_process_on_each_host_grows_too(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(5, 3);
    make_alike(m);
    cpm_model *more = laid_out(m, 11, 1, false), *few = laid_out(m, 3, 1, false);
    assert_int_equal(more->n, 11);
    assert_int_equal(few->n, 3);
    for (int i = 0; i < 11; i++)
        for (int j = 0; j < 11; j++)
            if (i != j)
                expect_near(cpm_model_p2p(more, i, j, 1000), cpm_model_p2p(m, 0, 1, 1000));
    assert_non_null(strstr(cpm_metadata_get(&more->metadata, CPM_METADATA_EXTRAPOLATED),
                           "11 hosts, all taken to be like the 5"));
    expect_refused(m, 3, 2, "knows nothing of messages inside a host");
    for (int i = 0; i < 2; i++)
        assert_int_equal(cpm_model_set_host(m, i, "same", NULL), CPM_OK);
    expect_refused(m, 11, 1, "shared hosts when they were measured");
    cpm_model_free(few);
    cpm_model_free(more);
    cpm_model_free(m);
}

/* So that thousands of them can be walked. */
static void further_hosts_are_symmetric(void **state)
{
    (void)state;
    const cpm_block_sizes sizes = {.bytes = 1000};
    cpm_model *m = alike(), *more = laid_out(m, 64, 3, false);
    cpm_collective c;
    cpm_schedule *s;
    cpm_model_symmetry y;
    bool found;
    assert_int_equal(cpm_collective_parse("alltoall:spreading-simple", &c, NULL), CPM_OK);
    c.at.n = more->n;
    assert_int_equal(cpm_collective_schedule(&c, &sizes, &s, NULL), CPM_OK);
    assert_int_equal(cpm_model_find_symmetry(more, s, &sizes, &y, &found, NULL), CPM_OK);
    assert_true(found);
    assert_int_equal(y.ranks.period, 3);
    cpm_model_symmetry_clear(&y);
    cpm_schedule_free(s);
    cpm_model_free(more);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(further_hosts_are_like_the_measured_ones),
        cmocka_unit_test(further_hosts_share_what_the_measured_ones_do),
        cmocka_unit_test(what_is_assumed_is_noted),
        cmocka_unit_test(unlike_hosts_are_named_with_what_differs),
        cmocka_unit_test(unlike_capacities_are_named),
        cmocka_unit_test(unlike_pairs_are_named),
        cmocka_unit_test(of_one_host_no_network_is_known),
        cmocka_unit_test(further_hosts_are_on_further_switches),
        cmocka_unit_test(further_hosts_have_the_sockets_of_the_measured_ones),
        cmocka_unit_test(a_model_of_one_process_on_each_host_grows_too),
        cmocka_unit_test(further_hosts_are_symmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
