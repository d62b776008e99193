/* What is measured of every process of a host, and what it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../models/hosts_model.h"
#include "estimators/lmo2_members.h"

enum { BYTES = 8192 };

static cpm_design planned(int hosts, int each, cpm_hosts *out)
{
    cpm_design d = {0};
    assert_int_equal(cpm_hosts_regular(hosts, each, each % 2, out, NULL), CPM_OK);
    assert_int_equal(cpm_lmo2_members_plan(out, BYTES, &d, NULL), CPM_OK);
    return d;
}

/* Every process sends and receives, in disjoint pairs on one host. */
static void expect_whole(const cpm_design *d, const cpm_hosts *hosts)
{
    int *sends = calloc((size_t)hosts->n, sizeof *sends);
    int *receives = calloc((size_t)hosts->n, sizeof *receives);
    for (int r = 0, q = 0; r < d->rounds; r++) {
        int *busy = calloc((size_t)hosts->n, sizeof *busy);
        for (; q < d->end[r]; q++) {
            const cpm_experiment *x = &d->at[q];
            assert_int_equal(cpm_experiment_check(x, hosts->n, NULL), CPM_OK);
            assert_true(cpm_hosts_share(hosts, x->i, x->j));
            assert_int_equal(busy[x->i]++ + busy[x->j]++, 0);
            *(x->send_bytes ? &sends[x->i] : &receives[x->i]) += 1;
        }
        free(busy);
    }
    for (int i = 0; i < hosts->n; i++)
        assert_true(sends[i] > 0 && receives[i] > 0);
    free(sends);
    free(receives);
}

static void rounds_do_not_grow_with_the_processes_of_a_host(void **state)
{
    (void)state;
    for (int each = 2; each <= 17; each++)
        for (int hosts = 1; hosts <= 3; hosts++) {
            cpm_hosts on;
            cpm_design d = planned(hosts, each, &on);
            assert_int_equal(d.rounds, each % 2 ? 8 : 4);
            expect_whole(&d, &on);
            cpm_design_clear(&d);
            cpm_hosts_clear(&on);
        }
}

static void a_lone_process_is_not_asked(void **state)
{
    (void)state;
    cpm_hosts on;
    cpm_design d = planned(3, 1, &on);
    assert_int_equal(d.count, 0);
    cpm_design_clear(&d);
    cpm_hosts_clear(&on);
}

/* Each experiment takes its process's seconds. */
static cpm_measurements measured(const cpm_design *d, int n, const double *seconds)
{
    cpm_measurements m = {.n = n, .statistic = CPM_MEDIAN};
    for (int q = 0; q < d->count; q++) {
        double s = seconds[d->at[q].i];
        cpm_measurement r = {.what = d->at[q],
                             .summary = {.mean = s, .median = s, .huber = s, .min = s, .max = s}};
        assert_int_equal(cpm_measurements_add(&m, &r, NULL), CPM_OK);
    }
    return m;
}

static void who_is_slow_is_told_in_units_of_its_host(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 0, 0, 1, 1, 1, 1};
    static const double seconds[] = {1e-6, 1e-6, 2e-6, 1e-6, 4e-6, 4e-6, 4e-6, 6e-6};
    cpm_hosts on;
    cpm_design d = planned(2, 4, &on);
    cpm_measurements results = measured(&d, 8, seconds), none = {.n = 8};
    cpm_model *m = hosts_model(host, 8, 1);
    assert_int_equal(cpm_lmo2_members_fit(&on, BYTES, &none, m, NULL), CPM_OK);
    assert_null(cpm_metadata_get(&m->metadata, CPM_METADATA_OVERHEADS));
    assert_int_equal(cpm_lmo2_members_fit(&on, BYTES, &results, m, NULL), CPM_OK);
    assert_string_equal(cpm_metadata_get(&m->metadata, CPM_METADATA_OVERHEADS),
                        "1 1 2 1 1 1 1 1.5");
    cpm_measurements_clear(&results);
    cpm_design_clear(&d);
    cpm_hosts_clear(&on);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_do_not_grow_with_the_processes_of_a_host),
        cmocka_unit_test(a_lone_process_is_not_asked),
        cmocka_unit_test(who_is_slow_is_told_in_units_of_its_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
