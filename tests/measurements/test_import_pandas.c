/* Imports of printed data frames: what is said of them is taken, and nothing else. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "libraries/openmpi_rule.h"
#include "measurements/import.h"
#include "tests/folder.h"

static const char path[] = "frames.txt";

static int import(const char *text, int processes, const char *only, cpm_measurements *m,
                  cpm_error *e)
{
    const cpm_import_format *pandas;
    const cpm_import_file files[] = {{path, -1, -1}};
    assert_int_equal(cpm_import_find("pandas", &pandas, e), CPM_OK);
    const cpm_import_options options = {.format = pandas,
                                        .processes = processes,
                                        .only = only,
                                        .of_openmpi = cpm_openmpi_algorithm_ours};
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    int status = cpm_import(&options, files, 1, m, e);
    remove(path);
    return status;
}

static cpm_measurements read_text(const char *text, int processes, const char *only)
{
    cpm_measurements m = {0};
    cpm_error e = {0};
    if (import(text, processes, only, &m, &e))
        fail_msg("%s", e.text);
    return m;
}

static void refused(const char *text, const char *only, const char *sentence)
{
    cpm_measurements m = {0};
    cpm_error e = {0};
    assert_int_not_equal(import(text, 0, only, &m, &e), CPM_OK);
    assert_string_equal(e.text, sentence);
}

/* Microseconds; reps: of so many. */
static void is_time(const cpm_measurements *m, const cpm_experiment *x, double us, int reps)
{
    int found = cpm_measurements_find(m, x);
    assert_true(found >= 0);
    assert_true(fabs(1e6 * m->at[found].summary.median - us) <= 1e-9 * us);
    assert_int_equal(m->at[found].summary.reps, reps);
}

static void is_trip(const cpm_measurements *m, size_t bytes, double us)
{
    const cpm_experiment x = cpm_experiment_pair(CPM_ROUNDTRIP, 0, 1, bytes, bytes);
    is_time(m, &x, us, 1);
}

static cpm_experiment collective(const char *name, size_t bytes)
{
    cpm_experiment x = {0};
    cpm_error e = {0};
    assert_int_equal(cpm_experiment_parse(name, &x, &e), CPM_OK);
    x.j = x.k = -1;
    x.count = 1;
    x.send_bytes = bytes;
    return x;
}

static void is_collective(const cpm_measurements *m, const char *name, size_t bytes, double us,
                          int reps)
{
    const cpm_experiment x = collective(name, bytes);
    is_time(m, &x, us, reps);
}

static void sizes_are_an_index_or_a_column(void **state)
{
    (void)state;
    static const char *const frames[] = {
        "     latency\n1        1.5\n64      20.0\n",
        "      latency\nSize         \n1         1.5\n64       20.0\n",
        "      latency\nsize         \n1.0       1.5\n64.0     20.0\n",
        "   Size  latency\n0   1.0      1.5\n1  64.0     20.0\n",
        " Size  latency\n    1      1.5\n   64     20.0\n",
        "     latency  count\n1        1.5      8\n...      ...    ...\n64      20.0      8\n",
        "    latency\nsize\n1       1.5\n2       NaN\n64     20.0\n\n[3 rows x 1 columns]\n"};
    for (size_t k = 0; k < sizeof frames / sizeof *frames; k++) {
        char text[400];
        snprintf(text, sizeof text, ">>> df\n%s", frames[k]);
        cpm_measurements m = read_text(text, 0, NULL);
        assert_int_equal(m.count, 2);
        is_trip(&m, 1, 3);
        is_trip(&m, 64, 40);
        cpm_measurements_clear(&m);
    }
}

static void the_median_counts_and_no_extreme(void **state)
{
    (void)state;
    cpm_measurements m =
        read_text("# # Latency\n## IN: df = lat('/run/mine/latency.log') | df\n"
                  "     mean   std   min   \\\n1     9.0   0.1   8.0\n64   30.0   "
                  "1.0  28.0\n\n     median   max\n1       1.5  12.0\n64     20.0  "
                  "40.0\n\n## IN: all = lat.std(axis=1) | lat_std\n"
                  "      mine\nsize      \n1      0.1\n64     1.0\n",
                  0, NULL);
    assert_int_equal(m.count, 2);
    is_trip(&m, 1, 3);
    is_trip(&m, 64, 40);
    assert_string_equal(cpm_metadata_get(&m.metadata, "caution"),
                        "Line 4: a frame of latencies of mine, by its columns and the text in "
                        "front. Left out: 'std', 'min', 'mean', 'max'.");
    cpm_measurements_clear(&m);
}

#define NUMBERED                                                                                  \
    "# bcast\nls = ['a/N6n6/ompi/bcast.log']\ndf\n"                                               \
    "      default  0. ignore  1. basic linear  2. chain  \\\nsize\n1         1.0        3.0    " \
    "          5.0       6.0\n64       11.0       13.0             15.0      16.0\n\n"            \
    "      4. split binary tree  8. scatter_allgather  7. Topology\nsize\n1                     " \
    "   7.0                    8.0          9.0\n64                      17.0                   " \
    "18.0         19.0\n"

static void numbers_are_algorithms_of_open_mpi(void **state)
{
    (void)state;
    cpm_measurements m = read_text(NUMBERED, 0, NULL);
    assert_int_equal(m.n, 6);
    is_collective(&m, "bcast:native", 64, 12, 2);
    is_collective(&m, "bcast:star", 64, 15, 1);
    is_collective(&m, "bcast:chains-at-once:k=4", 64, 16, 1);
    is_collective(&m, "bcast:split-binary", 64, 17, 1);
    is_collective(&m, "bcast:chain", 1, 7, 1); /* a byte has no halves */
    assert_int_equal(m.count, 8);
    assert_non_null(strstr(cpm_metadata_get(&m.metadata, "caution"),
                           "Left out: '8. scatter_allgather', '7. Topology'."));
    cpm_measurements_clear(&m);
}

static void numbers_alone_are_processes_or_runs(void **state)
{
    (void)state;
    static const char of_cores[] = "# osu_allreduce\n\ncores     4     8\nsize                \n"
                                   "8       1.5   2.5\n64     10.0  20.0\n";
    cpm_measurements m = read_text(of_cores, 4, NULL);
    is_collective(&m, "allreduce:native", 64, 10, 1);
    cpm_measurements_clear(&m);
    m = read_text(of_cores, 0, NULL);
    assert_int_equal(m.n, 8);
    cpm_measurements_clear(&m);
    m = read_text("# osu_allreduce, 16 processes\n\nrun     1     2\n8     1.0   3.0\n", 0, NULL);
    assert_int_equal(m.n, 16);
    is_collective(&m, "allreduce:native", 8, 2, 2);
    cpm_measurements_clear(&m);
    refused("# osu_latency\n\n       1     2\n8    1.0   3.0\n", NULL,
            "frames.txt:4: a data frame whose columns are numbers: name them, or print "
            "df.median(axis=1).to_frame('median')");
}

static void one_of_several_libraries_is_taken(void **state)
{
    (void)state;
    static const char text[] = "# Latency\n\n     Open MPI  MPICH\n1         1.5    2.5\n64       "
                               "20.0   30.0\n\n# MPICH, bandwidth\n>>> df\n    MB/s  Messages/s\n"
                               "1    8.0  1e6\n";
    refused(text, NULL,
            "frames.txt: has results of several: Open MPI, MPICH. Choose one by --only "
            "NAME");
    refused(text, "LAM", "frames.txt: has nothing of 'LAM', only of: Open MPI, MPICH");
    cpm_measurements m = read_text(text, 0, "mpich");
    assert_int_equal(m.count, 3);
    is_trip(&m, 64, 60);
    cpm_measurements_clear(&m);
    m = read_text(text, 0, "open-mpi");
    assert_int_equal(m.count, 2);
    is_trip(&m, 64, 40);
    cpm_measurements_clear(&m);
}

static void many_pairs_need_their_number(void **state)
{
    (void)state;
    static const char text[] = "# osu_mbw_mr\n\n      MB/s  Messages/s\n64   128.0         2e6\n";
    refused(
        text, NULL,
        "frames.txt: does not say how many pairs ran at once: add --processes N, twice as many");
    cpm_measurements m = read_text(text, 4, NULL);
    cpm_experiment x = cpm_experiment_pair(CPM_CROWDED_BURST, 1, 3, 64, 8);
    x.count = 64;
    is_time(&m, &x, 64, 1);
    assert_int_equal(m.count, 1);
    cpm_measurements_clear(&m);
}

static void what_is_not_printed_is_not_guessed(void **state)
{
    (void)state;
    refused(">>> df\n      mine\nsize      \n1      1.5\n", NULL,
            "frames.txt:4: a data frame has nothing in front that says what was measured: put a "
            "line before it such as '# osu_latency', '# osu_bw' or '# osu_bcast'");
    refused("latency and bw\n      mine\nsize      \n1      1.5\n", NULL,
            "frames.txt:4: a data frame has several benchmarks named in front of it: put a line "
            "before it that names its own, such as '# osu_latency'");
    refused("# osu_latency\n\n   mine\n0   1.5\n1   1.5\n2   1.5\n3   2.5\n", NULL,
            "frames.txt:7: a data frame whose rows are called 0, 1, 2: their message sizes are not "
            "printed; make these its index");
    refused("# osu_latency\n\n      mine\nnodes     \n1      1.5\n", NULL,
            "frames.txt:5: a data frame whose rows are not message sizes: make these its index, "
            "called 'size'");
    refused("# osu\n\n      latency (ms)\n1              1.5\n", NULL,
            "frames.txt:4: a data frame of other units than us and MB/s: convert it");
    refused("# osu_latency\n\n      mine\nsize      \n1      1.5\n2  1.5  2.5\n", NULL,
            "frames.txt:6: expected a row with a number in each column of its frame, found '2  1.5 "
            " 2.5'");
}

static void levels_are_refused(void **state)
{
    (void)state;
    static const char sentence[] = "a data frame with several levels of rows or columns: print one "
                                   "of them, by df.xs()";
    static const struct {
        const char *text;
        int line;
    } frames[] = {
        {"         latency\nnp size         \n2  1        1.5\n   64      20.0\n", 3},
        {"          latency\nmpi size         \nA   1        1.5\n    64      20.0\n", 4},
        {"        A       B\n  latency latency\n1     1.5     2.5\n", 3},
        {"           A       B\n     latency latency\nsize              \n1  1.5  2.5\n", 4}};
    for (size_t k = 0; k < sizeof frames / sizeof *frames; k++) {
        char text[400], whole[400];
        snprintf(text, sizeof text, "# osu\n\n%s", frames[k].text);
        snprintf(whole, sizeof whole, "frames.txt:%d: %s", frames[k].line + 2, sentence);
        refused(text, NULL, whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_an_index_or_a_column),
        cmocka_unit_test(the_median_counts_and_no_extreme),
        cmocka_unit_test(numbers_are_algorithms_of_open_mpi),
        cmocka_unit_test(numbers_alone_are_processes_or_runs),
        cmocka_unit_test(one_of_several_libraries_is_taken),
        cmocka_unit_test(many_pairs_need_their_number),
        cmocka_unit_test(what_is_not_printed_is_not_guessed),
        cmocka_unit_test(levels_are_refused),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
