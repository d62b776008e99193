/* Imports: what other benchmarks printed becomes round trips, and what is broken is named with its
 * line. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measurements/import.h"
#include "tests/folder.h"

#define SAMPLE(name) CPM_TEST_DATA "/" name

static const char path[] = "test_import.txt";

static const cpm_import_format *format(const char *name)
{
    cpm_error e = {0};
    const cpm_import_format *f = NULL;
    assert_int_equal(cpm_import_find(name, &f, &e), CPM_OK);
    return f;
}

static cpm_measurements imported(const char *name, const cpm_import_file *files, int count)
{
    cpm_error e = {0};
    cpm_measurements m = {0};
    const cpm_import_options options = {.format = format(name), .pairs_only = true};
    if (cpm_import(&options, files, count, &m, &e))
        fail_msg("%s", e.text);
    return m;
}

static cpm_measurements imported_one(const char *name, const char *file)
{
    return imported(name, &(cpm_import_file){file, -1, -1}, 1);
}

static void refused_files(const char *name, const cpm_import_file *files, int count, int code,
                          const char *sentence)
{
    cpm_error e = {0};
    cpm_measurements m = {.n = 77};
    const cpm_import_options options = {.format = format(name), .pairs_only = true};
    assert_int_equal(cpm_import(&options, files, count, &m, &e), code);
    assert_string_equal(e.text, sentence);
    assert_int_equal(m.n, 77);
}

static void write_bytes(const char *to, const char *text, size_t size)
{
    FILE *f = fopen(to, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void refused(const char *name, const char *text, const char *sentence)
{
    write_bytes(path, text, strlen(text));
    refused_files(name, &(cpm_import_file){path, -1, -1}, 1, CPM_EPARSE, sentence);
    remove(path);
}

static const cpm_measurement *at(const cpm_measurements *m, int i, int j, size_t bytes)
{
    cpm_experiment x = {.kind = &cpm_experiment_kinds[CPM_ROUNDTRIP],
                        .i = i,
                        .j = j,
                        .k = -1,
                        .count = 1,
                        .send_bytes = bytes,
                        .reply_bytes = bytes};
    int found = cpm_measurements_find(m, &x);
    assert_true(found >= 0);
    return &m->at[found];
}

/* A point: what a program's mean is, twice as long, and nothing about its spread. */
static void is_point(const cpm_measurements *m, size_t bytes, double one_way_us, int reps)
{
    const cpm_summary *s = &at(m, 0, 1, bytes)->summary;
    const double all[] = {s->mean, s->median, s->min, s->max, s->ci_low, s->ci_high};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_true(fabs(all[i] - 2e-6 * one_way_us) < 1e-15);
    assert_true(s->sd == 0);
    assert_int_equal(s->reps, reps);
    assert_null(at(m, 0, 1, bytes)->samples);
}

static void osu_latency_of_every_version_is_read(void **state)
{
    (void)state;
    cpm_measurements m = imported_one("osu", SAMPLE("osu_latency-5.3.2.txt"));
    assert_int_equal(m.n, 2);
    assert_int_equal(m.count, 24);
    is_point(&m, 0, 1.55, 1);
    is_point(&m, 4194304, 351.24, 1);
    assert_string_equal(cpm_metadata_get(&m.metadata, "benchmark"), "OSU MPI Latency Test v5.3.2");
    assert_null(cpm_metadata_get(&m.metadata, "caution"));
    cpm_measurements_clear(&m);
    m = imported_one("osu", SAMPLE("osu_latency-7.5.txt"));
    assert_int_equal(m.count, 23);
    is_point(&m, 1, 3.34, 1);
    is_point(&m, 65536, 13.68, 1);
    cpm_measurements_clear(&m);
}

static void columns_behind_the_latency_are_left_alone(void **state)
{
    (void)state;
    cpm_measurements m = imported_one("osu", SAMPLE("osu_latency-7.5-validation.txt"));
    assert_int_equal(m.count, 23);
    is_point(&m, 2, 2.99, 1);
    cpm_measurements_clear(&m);
}

static void an_average_over_pairs_comes_with_a_caution(void **state)
{
    (void)state;
    cpm_measurements m = imported_one("osu", SAMPLE("osu_multi_lat-7.1.txt"));
    assert_int_equal(m.n, 2);
    is_point(&m, 1, 4.35, 1);
    assert_non_null(strstr(cpm_metadata_get(&m.metadata, "caution"), "averages over all pairs"));
    cpm_measurements_clear(&m);
}

static void imb_gives_its_repetitions(void **state)
{
    (void)state;
    cpm_measurements m = imported_one("imb", SAMPLE("imb-2018.txt"));
    assert_int_equal(m.count, 24);
    is_point(&m, 0, 0.26, 1000);
    is_point(&m, 65536, 5.27, 640);
    is_point(&m, 4194304, 403.60, 10);
    assert_string_equal(cpm_metadata_get(&m.metadata, "benchmark"),
                        "Intel(R) MPI Benchmarks 2018, MPI-1 part");
    cpm_measurements_clear(&m);
}

/* PingPong, PingPing (both at once), and a barrier of other processes. */
static void of_several_tables_each_is_what_it_is(void **state)
{
    (void)state;
    cpm_measurements m = imported_one("imb", SAMPLE("imb-tables.txt"));
    assert_int_equal(m.n, 2);
    assert_int_equal(m.count, 24 + 23);
    is_point(&m, 0, 1.06, 1000);
    is_point(&m, 4194304, 666.09, 10);
    assert_string_equal(cpm_metadata_get(&m.metadata, "caution"),
                        "Collectives are left out: compare them with the model.");
    cpm_measurements_clear(&m);
}

static void what_the_launcher_says_before_is_skipped(void **state)
{
    (void)state;
    static const char text[] = "Warning: 1 2.5\r\n\r\n# OSU MPI-CUDA Latency Test v7.5\r\n"
                               "# Datatype: MPI_CHAR.\r\n# Size       Avg Latency(us)\r\n"
                               "8   19.79\r\n\r\n";
    write_bytes(path, text, sizeof text - 1);
    cpm_measurements m = imported_one("osu", path);
    assert_int_equal(m.count, 1);
    is_point(&m, 8, 19.79, 1);
    cpm_measurements_clear(&m);
    remove(path);
}

static void several_files_of_a_pair_are_repetitions(void **state)
{
    (void)state;
    const cpm_import_file files[] = {{SAMPLE("osu_latency-7.5.txt"), -1, -1},
                                     {SAMPLE("osu_latency-5.3.2.txt"), -1, -1},
                                     {SAMPLE("osu_latency-7.5-validation.txt"), -1, -1}};
    cpm_measurements m = imported("osu", files, 3);
    const cpm_measurement *r = at(&m, 0, 1, 8192);
    assert_int_equal(m.count, 24);
    assert_int_equal(r->summary.reps, 3);
    assert_true(fabs(r->summary.min - 2 * 5.00e-6) < 1e-15);
    assert_true(fabs(r->summary.median - 2 * 7.92e-6) < 1e-15);
    assert_true(fabs(r->summary.max - 2 * 10.90e-6) < 1e-15);
    assert_true(r->summary.sd > 0 && r->samples);
    is_point(&m, 0, 1.55, 1); /* in one of them only */
    const char *sums = cpm_metadata_get(&m.metadata, "measurements_sha256");
    assert_int_equal(strlen(sums), 3 * 64 + 2);
    cpm_measurements_clear(&m);
}

static void named_pairs_make_a_cluster(void **state)
{
    (void)state;
    const cpm_import_file files[] = {{SAMPLE("osu_latency-7.5.txt"), 0, 2},
                                     {SAMPLE("osu_latency-5.3.2.txt"), 1, 0},
                                     {SAMPLE("osu_latency-7.5-validation.txt"), 2, 1}};
    cpm_measurements m = imported("osu", files, 3);
    assert_int_equal(m.n, 3);
    assert_string_equal(cpm_metadata_get(&m.metadata, "processes"), "3");
    assert_true(fabs(at(&m, 0, 2, 8192)->summary.mean - 2 * 10.90e-6) < 1e-15);
    assert_true(fabs(at(&m, 0, 1, 8192)->summary.mean - 2 * 5.00e-6) < 1e-15);
    assert_true(fabs(at(&m, 1, 2, 8192)->summary.mean - 2 * 7.92e-6) < 1e-15);
    cpm_measurements_clear(&m);
}

static void missing_pairs_are_no_reason_to_refuse(void **state)
{
    (void)state;
    const char *file = SAMPLE("osu_latency-7.5.txt");
    const cpm_import_file few[] = {{file, 0, 1}, {file, 3, 1}, {file, 2, 3}};
    cpm_measurements m = imported("osu", few, 3);
    assert_int_equal(m.n, 4);
    assert_int_equal(m.count, 3 * 23);
    cpm_measurements_clear(&m);
}

static void pairs_that_cannot_be_are_refused(void **state)
{
    (void)state;
    const char *file = SAMPLE("osu_latency-7.5.txt");
    const cpm_import_file self[] = {{"a.txt", 1, 1}}, half[] = {{"a.txt", 1, -1}},
                          some[] = {{file, 0, 1}, {"b.txt", -1, -1}};
    refused_files("osu", self, 1, CPM_EINVAL, "a.txt: 1 and 1 are not a pair of processes");
    refused_files("osu", half, 1, CPM_EINVAL, "a.txt: 1 and -1 are not a pair of processes");
    refused_files("osu", some, 2, CPM_EINVAL,
                  "b.txt: the pair of processes must be said of all files (I,J=FILE) or of none");
}

static void averages_are_not_taken_for_a_pair(void **state)
{
    (void)state;
    char sentence[512];
    const char *average = SAMPLE("osu_multi_lat-7.1.txt"), *single = SAMPLE("osu_latency-7.5.txt");
    const cpm_import_file named[] = {{average, 0, 1}},
                          mixed[] = {{average, -1, -1}, {single, -1, -1}};
    snprintf(sentence, sizeof sentence,
             "%s: is an average over all pairs that ran at once, which cannot be given as the time "
             "of processes 0 and 1",
             average);
    refused_files("osu", named, 1, CPM_EDATA, sentence);
    cpm_measurements m = imported("osu", mixed, 2);
    is_point(&m, 1, 3.34, 1); /* of the single one */
    assert_string_equal(cpm_metadata_get(&m.metadata, "caution"),
                        "Averages over many pairs are left out.");
    cpm_measurements_clear(&m);
}

static void broken_osu_is_named_with_its_line(void **state)
{
    (void)state;
#define OSU "# OSU MPI Latency Test v7.5\n# Size       Avg Latency(us)\n"
    static const char row[] = "expected a size in bytes and a latency in microseconds";
    static const char *const rows[] = {"8 abc",
                                       "8",
                                       "-8 1.5",
                                       "8K 1.5",
                                       "8 -1.5",
                                       "8 0.00",
                                       "8 nan",
                                       "8 inf",
                                       "8 0x1p3",
                                       "8 1e999",
                                       "99999999999999999999 1"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200], sentence[200];
        snprintf(text, sizeof text, OSU "1 1.5\n%s\n", rows[i]);
        snprintf(sentence, sizeof sentence, "%s:4: %s, found '%s'", path, row, rows[i]);
        refused("osu", text, sentence);
    }
    refused("osu", OSU "1 1.5\n2 1.",
            "test_import.txt:4: expected the end of the line: the file was cut short within it");
    refused("osu", OSU "1 1.5 Pass\n2 1.5 Fail\n",
            "test_import.txt:4: expected a time whose data the program found right, found '2 1.5 "
            "Fail'");
    refused("osu", "# OSU MPI_Put Latency Test v7.5\n# Size Latency (us)\n1 1.5\n",
            "test_import.txt:3: expected '# OSU MPI Latency Test' or another of its tests, and its "
            "table; found 'OSU MPI_Put Latency Test v7.5' only, which CPM cannot use");
    refused("osu", "# OSU MPI Latency Test v7.5\n1 1.5\n",
            "test_import.txt:2: expected the columns '# Size' and 'Latency (us)' or 'Avg "
            "Latency(us)', found '1 1.5'");
    refused("osu", "# OSU MPI Latency Test v7.5\n# Size  Bandwidth (MB/s)\n1 1.5\n",
            "test_import.txt:2: expected the columns '# Size' and 'Latency (us)' or 'Avg "
            "Latency(us)', found '# Size  Bandwidth (MB/s)'");
    refused("osu", OSU,
            "test_import.txt:2: expected '# OSU MPI Latency Test' or another of its tests, and its "
            "table before the end of the file");
    refused("osu", "",
            "test_import.txt:1: expected '# OSU MPI Latency Test' or another of its tests, and its "
            "table before the end of the file");
}

static void broken_imb_is_named_with_its_line(void **state)
{
    (void)state;
#define IMB "# Benchmarking PingPong \n#bytes #repetitions t[usec] Mbytes/sec\n"
    static const char row[] = "expected bytes, repetitions, microseconds and Mbytes/sec";
    static const char *const rows[] = {"8 1000 1.5", "8 1000 1.5 2.5 3.5", "8 0 1.5 2.5",
                                       "8 1000 x 2.5"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200], sentence[200];
        snprintf(text, sizeof text, IMB "0 1000 1.5 0.00\n%s\n", rows[i]);
        snprintf(sentence, sizeof sentence, "%s:4: %s, found '%s'", path, row, rows[i]);
        refused("imb", text, sentence);
    }
    refused("imb", "# Benchmarking PingPong\n#bytes #repetitions Mbytes\n",
            "test_import.txt:2: expected the columns '#bytes #repetitions' and a time or a rate, "
            "found '#bytes #repetitions Mbytes'");
    refused("imb", "# Benchmarking PingPong\n0 1000 1.5 0.00\n",
            "test_import.txt:2: expected the columns '#bytes #repetitions' and a time or a rate, "
            "found '0 1000 1.5 0.00'");
    refused("imb", "# Benchmarking Exchange\n#bytes #repetitions t[usec] Mbytes/sec\n0 9 1 0\n",
            "test_import.txt:3: expected a table of '# Benchmarking PingPong' or another of its "
            "benchmarks; found 'Exchange' only, which CPM cannot use");
    refused("imb", IMB "0 1000 1.5 0.",
            "test_import.txt:3: expected the end of the line: the file was cut short within it");
}

static void another_format_is_recognised(void **state)
{
    (void)state;
    refused("imb", OSU "1 1.5\n",
            "test_import.txt:3: expected a table of '# Benchmarking PingPong' or another of its "
            "benchmarks; it looks like OSU Micro-Benchmarks: --from osu");
    refused("osu", IMB "0 1000 1.5 0.00\n",
            "test_import.txt:3: expected '# OSU MPI Latency Test' or another of its tests, and its "
            "table; it looks like Intel MPI Benchmarks: --from imb");
}

static void files_that_are_no_text_or_not_there_are_refused(void **state)
{
    (void)state;
    static const char zero[] = "# OSU MPI Latency Test\n\0x\n";
    write_bytes(path, zero, sizeof zero - 1);
    const cpm_import_file one = {path, -1, -1}, none = {"no.txt", -1, -1}, folder = {".", -1, -1};
    refused_files("osu", &one, 1, CPM_EPARSE, "test_import.txt:2: not text: there is a zero byte");
    refused_files("osu", &none, 1, CPM_EIO, "no.txt: cannot be read: No such file or directory");
    refused_files("osu", &folder, 1, CPM_EIO, ".: cannot be read: Is a directory");
    remove(path);
}

static void unknown_formats_come_with_the_known_ones(void **state)
{
    (void)state;
    cpm_error e = {0};
    const cpm_import_format *f = NULL;
    assert_int_equal(cpm_import_find("logp", &f, &e), CPM_EUNKNOWN);
    assert_string_equal(e.text,
                        "unknown format 'logp' (known: osu, imb, logp_mpi, nxnlatbw, mpigraph, "
                        "mpibench, netgauge, skampi, reprompi, pico, simgrid, pandas, auto)");
    assert_null(f);
}

/* In the formats of the program's own writer ("%9ld %7d %9.7f ..."). */
static const char logp_mpi[] =
    "# LogP network performance data: logp_test.Send.Recv\n"
    "# Latency = 0.0000200\n"
    "# time      bytes os        os_min    os_cnfint or        or_min    or_cnfint g\n"
    "1093616400       0 0.0000041 0.0000039 0.0000001 0.0000052 0.0000050 0.0000001 0.0000062\n"
    "1093616401    1024 0.0000062 0.0000060 0.0000002 0.0000083 0.0000080 0.0000002 0.0001100\n";

static void a_message_of_logp_mpi_takes_latency_and_gap(void **state)
{
    (void)state;
    write_bytes("logp.txt", logp_mpi, sizeof logp_mpi - 1);
    cpm_measurements m = imported_one("logp_mpi", "logp.txt");
    assert_int_equal(m.count, 2);
    is_point(&m, 0, 26.2, 1);
    is_point(&m, 1024, 130, 1);
    assert_string_equal(cpm_metadata_get(&m.metadata, "benchmark"),
                        "LogP network performance data: logp_test.Send.Recv");
    cpm_measurements_clear(&m);
    remove("logp.txt");
}

/* A copy of the sample in which the first `what` is `by`, of the same length. */
static void broken_logp_mpi(const char *what, const char *by, const char *sentence)
{
    char text[sizeof logp_mpi];
    memcpy(text, logp_mpi, sizeof text);
    memcpy(strstr(text, what), by, strlen(by));
    write_bytes(path, text, sizeof text - 1);
    cpm_error e = {0};
    cpm_measurements m = {0};
    cpm_import_file file = {path, -1, -1};
    const cpm_import_options options = {.format = format("logp_mpi")};
    assert_int_equal(cpm_import(&options, &file, 1, &m, &e), CPM_EPARSE);
    if (!strstr(e.text, sentence))
        fail_msg("'%s' is not in '%s'", sentence, e.text);
    remove(path);
}

static void what_logp_mpi_does_not_write_is_refused_with_its_line(void **state)
{
    (void)state;
    broken_logp_mpi("# Latency", "# Lateness", ":2: expected '# Latency = ' and seconds");
    broken_logp_mpi("0.0000200", "-0.000020", ":2: expected '# Latency = ' and seconds");
    broken_logp_mpi("os_cnfint", "os_confin", ":3: expected the columns '# time bytes os");
    broken_logp_mpi("0.0001100", "infinite!", ":5: expected a time, bytes, and os");
    broken_logp_mpi("# LogP", "# PLog", "expected '# LogP network performance data:'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(osu_latency_of_every_version_is_read),
        cmocka_unit_test(a_message_of_logp_mpi_takes_latency_and_gap),
        cmocka_unit_test(what_logp_mpi_does_not_write_is_refused_with_its_line),
        cmocka_unit_test(columns_behind_the_latency_are_left_alone),
        cmocka_unit_test(an_average_over_pairs_comes_with_a_caution),
        cmocka_unit_test(imb_gives_its_repetitions),
        cmocka_unit_test(of_several_tables_each_is_what_it_is),
        cmocka_unit_test(what_the_launcher_says_before_is_skipped),
        cmocka_unit_test(several_files_of_a_pair_are_repetitions),
        cmocka_unit_test(named_pairs_make_a_cluster),
        cmocka_unit_test(missing_pairs_are_no_reason_to_refuse),
        cmocka_unit_test(pairs_that_cannot_be_are_refused),
        cmocka_unit_test(averages_are_not_taken_for_a_pair),
        cmocka_unit_test(broken_osu_is_named_with_its_line),
        cmocka_unit_test(broken_imb_is_named_with_its_line),
        cmocka_unit_test(another_format_is_recognised),
        cmocka_unit_test(files_that_are_no_text_or_not_there_are_refused),
        cmocka_unit_test(unknown_formats_come_with_the_known_ones),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
