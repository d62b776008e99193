/* What is said of calls in turns: gains with intervals that follow from how calls vary, and nothing
 * on a host whose processors others use. */
#include "tests/mpi_test.h"

#include <math.h>
#include <string.h>

#include "tuned/report/ab_comparison.h"
#include "tuned/report/summary.h"

/* 100 calls of each of 4 processes, of so many seconds. */
static tuned_observed observed(tuned_by by, double seconds)
{
    tuned_observed o = {.operation = CPM_OP_BCAST,
                        .size = 1000,
                        .by = (int32_t)by,
                        .processes = 4,
                        .calls = 100,
                        .all = 400,
                        .bytes = 400 * 1000,
                        .seconds = 400 * seconds,
                        .variance = 4 * 0.01 * seconds * seconds};
    snprintf(o.algorithm, sizeof o.algorithm, "%s", by == TUNED_BY_AB_CHOSEN ? "chain" : "");
    return o;
}

/* The report of native calls of 1 s and chosen ones of so many seconds; freed by the caller. */
static char *told(double chosen, bool busy)
{
    tuned_observed at[] = {observed(TUNED_BY_AB_LIBRARY, 1), observed(TUNED_BY_AB_CHOSEN, chosen)};
    tuned_group group = {.n = 4};
    const tuned_account a = {.at = at,
                             .count = 2,
                             .groups = &group,
                             .group_count = 1,
                             .seconds = 1000,
                             .collectives = 100 * (1 + chosen),
                             .n = 4,
                             .busy = busy};
    cpm_report_tables all = {.title = "report"};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    tuned_summary_begin(&all);
    tuned_ab_summary(&all, &a);
    tuned_ab_report(&all, &a);
    assert_int_equal(cpm_report_tables_print(&all, CPM_FORMAT_JSON, "", out, NULL), CPM_OK);
    fclose(out);
    cpm_report_tables_clear(&all);
    return text;
}

static void says(double chosen, bool busy, const char *first, const char *second)
{
    char *text = told(chosen, busy);
    bool both = strstr(text, first) && strstr(text, second);
    if (!both)
        fprintf(stderr, "%s", text);
    free(text);
    assert_true(both);
}

static void gains_and_losses_come_with_their_interval(void **state)
{
    (void)state;
    says(0.5, false, "by the chosen algorithms alone: 50 % of the time in collectives saved (48 to",
         "bcast of 1000 B: chain: 50 % of MPI's time saved (49 to 51 %)");
    says(2, false, "of the time in collectives lost (",
         "bcast of 1000 B: chain: 100 % of MPI's time lost (");
    says(1, false,
         "cannot tell whether the time in collectives was saved: ", "\"gain_percent\": 0,");
}

static void on_a_busy_host_nothing_is_told(void **state)
{
    (void)state;
    says(0.5, true, "cannot tell how much of the time in collectives was saved",
         "\"gain_percent\": null, \"low_percent\": null, \"high_percent\": null}");
    says(0.5, true, "\"saved_s\": null, \"saved_percent\": null", "\"native_us\": 1000000,");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gains_and_losses_come_with_their_interval),
        cmocka_unit_test(on_a_busy_host_nothing_is_told),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
