/* What the doctor and the difference say together, and who is compared with whom. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/health.h"
#include "tests/models/hosts_model.h"

enum { N = 6 };

static cpm_model *named(int n, const char *const *host)
{
    cpm_model *m = random_lmo(n, 1);
    for (int i = 0; i < n; i++)
        assert_int_equal(cpm_model_set_host(m, i, host[i], NULL), CPM_OK);
    return m;
}

static const char *const hosts[N] = {"a", "b", "c", "d", "e", "f"};

/* ---- who is compared with whom */

static void hosts_are_matched_by_name_in_any_order(void **state)
{
    (void)state;
    static const char *const now[] = {"f", "c", "a", "b", "d", "e"};
    static const int expected[] = {5, 2, 0, 1, 3, 4};
    cpm_model *m = named(N, hosts);
    int process[N];
    bool absent[N];
    assert_int_equal(cpm_health_match(m, now, N, process, absent, NULL), CPM_OK);
    for (int i = 0; i < N; i++) {
        assert_int_equal(process[i], expected[i]);
        assert_false(absent[i]);
    }
    cpm_model_free(m);
}

static void a_host_that_is_not_there_is_absent_once(void **state)
{
    (void)state;
    static const char *const before[] = {"a", "a", "b", "b", "c", "c"};
    static const char *const now[] = {"c", "a", "a"};
    cpm_model *m = named(N, before);
    int process[N];
    bool absent[N];
    assert_int_equal(cpm_health_match(m, now, 3, process, absent, NULL), CPM_OK);
    assert_int_equal(process[0], 4);
    assert_int_equal(process[1], 0);
    assert_int_equal(process[2], 1);
    for (int j = 0; j < N; j++)
        assert_int_equal(absent[j], j == 2);
    cpm_model_free(m);
}

static void other_hosts_and_more_processes_are_refused(void **state)
{
    (void)state;
    static const char *const other[] = {"a", "x"}, *const more[] = {"a", "a"};
    cpm_model *m = named(N, hosts);
    int process[N];
    bool absent[N];
    cpm_error e = {0};
    assert_int_equal(cpm_health_match(m, other, 2, process, absent, &e), CPM_EDATA);
    assert_non_null(strstr(e.text, "process 1 is on 'x'"));
    e = (cpm_error){0};
    assert_int_equal(cpm_health_match(m, more, 2, process, absent, &e), CPM_EDATA);
    assert_non_null(strstr(e.text, "has 1 process on host 'a', and there are more now"));
    cpm_model_free(m);
}

/* A model that knows the inside of hosts is of hosts, whatever processes are on them. */
static void more_processes_on_a_host_are_fine_where_its_inside_is_known(void **state)
{
    (void)state;
    static const int of[] = {0, 0, 1, 1, 2, 2};
    static const char *const now[] = {"h0", "h0", "h0", "h2"};
    cpm_model *m = hosts_model(of, N, 1);
    int process[N];
    bool absent[N];
    assert_int_equal(cpm_health_match(m, now, 4, process, absent, NULL), CPM_OK);
    assert_int_equal(process[0], 0);
    assert_int_equal(process[1], 1);
    assert_int_equal(process[2], 0);
    assert_int_equal(process[3], 4);
    assert_true(absent[2]);
    cpm_model_free(m);
}

static void the_reference_is_aligned_with_facts_of_its_processes(void **state)
{
    (void)state;
    static const int process[] = {4, 0, 2};
    cpm_model *m = named(N, hosts), *today = random_lmo(3, 2), *aligned;
    assert_int_equal(cpm_metadata_set(&m->metadata, NULL, "binding", "0 1 2 3 4 5"), CPM_OK);
    assert_int_equal(cpm_metadata_set(&today->metadata, NULL, "design", "lmo, no thresholds"),
                     CPM_OK);
    today->value[CPM_LMO_S][0] = NAN;
    m->value[CPM_LMO_S][0] = 4096;
    assert_int_equal(cpm_health_align(m, process, today, &aligned, NULL), CPM_OK);
    assert_int_equal(aligned->n, 3);
    assert_string_equal(cpm_metadata_get(&aligned->metadata, "binding"), "4 0 2");
    assert_true(isnan(aligned->value[CPM_LMO_S][0])); /* today nobody looked for it */
    for (int i = 0; i < 3; i++) {
        assert_string_equal(aligned->hosts[i], hosts[process[i]]);
        assert_true(aligned->value[CPM_LMO_C][i] == m->value[CPM_LMO_C][process[i]]);
        for (int j = 0; j < 3; j++)
            assert_true(i == j || aligned->value[CPM_LMO_L][3 * i + j] ==
                                      m->value[CPM_LMO_L][N * process[i] + process[j]]);
    }
    cpm_model_free(aligned);
    cpm_model_free(today);
    cpm_model_free(m);
}

/* ---- the verdict */

/* A diagnosis that could tell, or not: it does not where values are alike. */
typedef struct {
    cpm_model *m;
    cpm_diagnosis today, before;
    cpm_diff_result diff;
    int absent;
} given;

static given all_is_well(cpm_diff_verdict verdict, bool told)
{
    given g = {.m = random_lmo(N, 1), .diff = {.verdict = verdict}};
    const cpm_doctor_options o = CPM_DOCTOR_DEFAULT;
    assert_int_equal(cpm_diagnose(g.m, NULL, &o, &g.today, NULL), CPM_OK);
    assert_int_equal(cpm_diagnose(g.m, NULL, &o, &g.before, NULL), CPM_OK);
    g.today.count = g.before.count = 0;
    g.today.alike = !told;
    return g;
}

static cpm_health judge(const given *g)
{
    cpm_health h;
    assert_int_equal(
        cpm_health_judge(&cpm_lmo, &g->today, &g->before, &g->diff, g->absent, &h, NULL), CPM_OK);
    return h;
}

static void given_clear(given *g)
{
    cpm_diagnosis_clear(&g->today);
    cpm_diagnosis_clear(&g->before);
    cpm_model_free(g->m);
}

static void what_nobody_would_have_found_is_no_health(void **state)
{
    (void)state;
    static const cpm_diff_verdict verdicts[] = {CPM_DIFF_SAME, CPM_DIFF_CHANGED,
                                                CPM_DIFF_CANNOT_TELL};
    for (int v = 0; v < 3; v++) {
        given g = all_is_well(verdicts[v], false);
        cpm_health h = judge(&g);
        assert_false(cpm_diagnosis_could_tell(&g.today));
        assert_int_equal(h.verdict, v == 0 ? CPM_HEALTHY : CPM_HEALTH_UNKNOWN);
        cpm_health_clear(&h);
        g.absent = 1;
        h = judge(&g);
        assert_int_equal(h.verdict, CPM_UNHEALTHY);
        cpm_health_clear(&h);
        given_clear(&g);
    }
}

/* The slower ones are found, and headed by what is of one process. */
static void only_slower_changes_are_findings(void **state)
{
    (void)state;
    cpm_change at[] = {
        {.parameter = CPM_LMO_L, .i = 1, .j = 2, .from = 2e-5, .to = 1e-5, .p = 1e-9},
        {.parameter = CPM_LMO_S, .i = -1, .j = -1, .from = 1024, .to = 4096, .p = 1e-9},
        {.parameter = CPM_LMO_L, .i = 3, .j = 4, .from = 1e-5, .to = 2e-5, .p = 1e-8},
        {.parameter = CPM_LMO_L, .i = -1, .j = -1, .together = 30, .from = 1e-5, .to = 2e-5},
        {.parameter = CPM_LMO_C, .i = 3, .j = -1, .from = 1e-5, .to = 2e-5, .p = 1e-7},
        {.parameter = CPM_LMO_T, .i = 4, .j = -1, .from = 1e-9, .to = 2e-9, .p = 1e-6},
    };
    static const struct {
        int count, slower, worst;
    } expected[] = {{1, 0, -1}, {2, 0, -1}, {3, 1, 2}, {4, 2, 3}, {5, 3, 4}, {6, 4, 4}};
    given g = all_is_well(CPM_DIFF_CHANGED, false);
    g.diff.at = at;
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        g.diff.count = expected[k].count;
        cpm_health h = judge(&g);
        /* The doctor cannot tell, and what is faster is no health, either. */
        assert_int_equal(h.verdict, expected[k].slower ? CPM_UNHEALTHY : CPM_HEALTH_UNKNOWN);
        assert_int_equal(h.slower, expected[k].slower);
        assert_int_equal(h.worst ? (int)(h.worst - at) : -1, expected[k].worst);
        assert_int_equal(h.faster, 1);
        assert_int_equal(h.other, expected[k].count > 1);
        cpm_health_clear(&h);
    }
    g.diff.verdict = CPM_DIFF_CANNOT_TELL; /* neither has intervals: these may be errors */
    cpm_health h = judge(&g);
    assert_int_equal(h.verdict, CPM_HEALTH_UNKNOWN);
    assert_null(h.worst);
    cpm_health_clear(&h);
    given_clear(&g);
}

/* Where most values of a slice are slower it is none of one process. */
static void a_slice_of_which_most_are_slower_comes_first(void **state)
{
    (void)state;
    cpm_change at[N + 1];
    for (int i = 0; i < N; i++)
        at[i] = (cpm_change){.parameter = CPM_LMO_C, .i = i, .j = -1, .from = 1e-5, .to = 2e-5};
    at[N] = (cpm_change){
        .parameter = CPM_LMO_C, .i = -1, .j = -1, .together = N, .from = 1e-5, .to = 2e-5};
    given g = all_is_well(CPM_DIFF_CHANGED, true);
    g.diff.at = at;
    g.diff.count = N + 1;
    cpm_health h = judge(&g);
    assert_ptr_equal(h.worst, &at[N]);
    cpm_health_clear(&h);
    at[1] = at[N]; /* of one process, and all together */
    g.diff.count = 2;
    h = judge(&g);
    assert_ptr_equal(h.worst, &at[0]);
    cpm_health_clear(&h);
    given_clear(&g);
}

static void messages_that_take_longer_are_findings(void **state)
{
    (void)state;
    cpm_diff_trip trips[] = {{.from = 1e-5, .to = 2e-5},
                             {.from = 2e-5, .to = 1e-5, .changed = true},
                             {.from = 1e-5, .to = 2e-5, .changed = true},
                             {.from = 1e-5, .to = 3e-5, .changed = true}};
    given g = all_is_well(CPM_DIFF_CHANGED, true);
    g.diff.trips = trips;
    g.diff.trip_count = 2;
    cpm_health h = judge(&g);
    assert_int_equal(h.trips_slower, 0);
    assert_null(h.longer);
    cpm_health_clear(&h);
    g.diff.trip_count = 4;
    h = judge(&g);
    assert_int_equal(h.verdict, CPM_UNHEALTHY);
    assert_int_equal(h.trips_slower, 2);
    assert_ptr_equal(h.longer, &trips[3]);
    cpm_health_clear(&h);
    given_clear(&g);
}

static void what_the_reference_has_too_is_no_finding(void **state)
{
    (void)state;
    cpm_symptom today[] = {{.kind = CPM_OWN, .parameter = CPM_LMO_C, .i = 2, .j = -1, .times = 3},
                           {.kind = CPM_OWN, .parameter = CPM_LMO_C, .i = 4, .j = -1, .times = 3}};
    cpm_symptom before[] = {today[0]};
    given g = all_is_well(CPM_DIFF_SAME, true);
    cpm_symptom *own[] = {g.today.at, g.before.at};
    before[0].times = 2.9; /* it need not be as large, or show in the same values */
    before[0].kind = CPM_LINKS;
    before[0].parameter = CPM_LMO_L;
    g.today.at = today;
    g.before.at = before;
    g.before.count = 1;
    for (int count = 1; count <= 2; count++) {
        g.today.count = count;
        cpm_health h = judge(&g);
        assert_int_equal(h.known, 1);
        assert_int_equal(h.fresh_count, count - 1);
        assert_int_equal(h.verdict, count == 1 ? CPM_HEALTHY : CPM_UNHEALTHY);
        assert_true(count == 1 || h.fresh[0] == 1);
        cpm_health_clear(&h);
    }
    g.today.at = own[0];
    g.before.at = own[1];
    given_clear(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_are_matched_by_name_in_any_order),
        cmocka_unit_test(a_host_that_is_not_there_is_absent_once),
        cmocka_unit_test(other_hosts_and_more_processes_are_refused),
        cmocka_unit_test(more_processes_on_a_host_are_fine_where_its_inside_is_known),
        cmocka_unit_test(the_reference_is_aligned_with_facts_of_its_processes),
        cmocka_unit_test(what_nobody_would_have_found_is_no_health),
        cmocka_unit_test(only_slower_changes_are_findings),
        cmocka_unit_test(a_slice_of_which_most_are_slower_comes_first),
        cmocka_unit_test(messages_that_take_longer_are_findings),
        cmocka_unit_test(what_the_reference_has_too_is_no_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
