/* Imports: what each format has becomes the experiments that it is, whatever stands around it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "collectives/temporaries.h"
#include "measurements/import_reader.h"
#include "tests/folder.h"

static const char path[] = "formats.txt";

/* ---- what a text becomes */

static void write_text(const char *to, const char *text)
{
    FILE *f = fopen(to, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static cpm_measurements read_file(const char *file, int processes)
{
    const cpm_import_file files[] = {{file, -1, -1}};
    const cpm_import_options options = {.processes = processes};
    cpm_measurements m = {0};
    cpm_error e = {0};
    if (cpm_import(&options, files, 1, &m, &e))
        fail_msg("%s", e.text);
    return m;
}

/* As what it looks like. */
static cpm_measurements read_text(const char *text, int processes)
{
    write_text(path, text);
    cpm_measurements m = read_file(path, processes);
    remove(path);
    return m;
}

static void refused(const char *text, int processes, const char *sentence)
{
    write_text(path, text);
    const cpm_import_file files[] = {{path, -1, -1}};
    const cpm_import_options options = {.processes = processes};
    cpm_measurements m = {0};
    cpm_error e = {0};
    assert_int_not_equal(cpm_import(&options, files, 1, &m, &e), CPM_OK);
    assert_string_equal(e.text, sentence);
    remove(path);
}

static double microseconds(const cpm_measurements *m, const cpm_experiment *x)
{
    int found = cpm_measurements_find(m, x);
    assert_true(found >= 0);
    return 1e6 * m->at[found].summary.median;
}

static void is_about(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.12g is not %.12g", value, expected);
}

static double trip(const cpm_measurements *m, int i, int j, size_t bytes)
{
    const cpm_experiment x = cpm_experiment_pair(CPM_ROUNDTRIP, i, j, bytes, bytes);
    return microseconds(m, &x);
}

static double messages(const cpm_measurements *m, int kind, int count, size_t bytes, size_t reply)
{
    cpm_experiment x = cpm_experiment_pair(kind, 0, 1, bytes, reply);
    x.count = count;
    return microseconds(m, &x);
}

static double collective(const cpm_measurements *m, const char *name, size_t bytes)
{
    cpm_experiment x = {0};
    cpm_error e = {0};
    assert_int_equal(cpm_experiment_parse(name, &x, &e), CPM_OK);
    x.j = x.k = -1;
    x.count = 1;
    x.send_bytes = bytes;
    return microseconds(m, &x);
}

static const char *fact(const cpm_measurements *m, const char *key)
{
    const char *value = cpm_metadata_get(&m->metadata, key);
    return value ? value : "";
}

/* ---- text around tables */

#define LATENCY "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n"

static void is_the_latency(const char *text)
{
    cpm_measurements m = read_text(text, 0);
    assert_int_equal(m.count, 3);
    is_about(trip(&m, 0, 1, 1), 2 * 15.55);
    is_about(trip(&m, 0, 1, 65536), 2 * 25.88);
    cpm_measurements_clear(&m);
}

static void labels_of_launchers_are_left_out(void **state)
{
    (void)state;
    static const char *const labels[] = {"0: ",
                                         " 0: ",
                                         "[1,0]<stdout>:",
                                         "[1,0]<stdout>: ",
                                         "[prterun-node1-17@1,0]<stdout>: ",
                                         "Fri Nov 27 20:42:10 2026[1,0]<stdout>:",
                                         "[0] ",
                                         "[node1:4711] ",
                                         "node1: ",
                                         "node1 0: ",
                                         "20:42:10 node1 job[7] ",
                                         "2026-11-27T20:42:10.123456Z ",
                                         "Nov  7 20:42:10 ",
                                         "    ",
                                         "\t",
                                         "\x1b[1m\x1b[34m",
                                         "\xef\xbb\xbf"};
    static const char *const lines[] = {"# OSU MPI Latency Test v5.8", "# Size   Latency (us)",
                                        "1     15.55", "1024  16.59", "65536 25.88"};
    for (size_t k = 0; k < sizeof labels / sizeof *labels; k++)
        for (int crlf = 0; crlf < 2; crlf++) {
            char text[1000] = "";
            size_t used = 0;
            for (size_t l = 0; l < sizeof lines / sizeof *lines; l++)
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s", labels[k],
                                         lines[l], crlf ? "\r\n" : "\n");
            is_the_latency(text);
        }
}

static void text_before_behind_and_within_a_table_is_skipped(void **state)
{
    (void)state;
    is_the_latency("Loading modules\n1 2\n" LATENCY "1 15.55\n1024 16.59\n65536 25.88\n\n"
                   "real    0m5.711s\n3 processes\n12 13.5 of 14\n");
    is_the_latency(LATENCY "1 15.55\nslurmstepd: error: *** STEP 1.0 ***\n1024 16.59\n65536 25.88\n"
                           "2026-11-27 20:42:10 done\nSTART OF JOBSPEC\n{\"tasks\": []}\n");
    is_the_latency(LATENCY "1 15.55\n1024 16.59\n65536 25.88"); /* only the end is missing */
}

static void several_tables_are_what_they_are(void **state)
{
    (void)state;
    cpm_measurements m =
        read_text("# OSU MPI Bandwidth Test v5.8\n# Size      Bandwidth (MB/s)\n"
                  "1 0.50\n65536 2000.00\n" LATENCY "1 15.55\n1024 16.59\nend\n"
                  "# OSU MPI Bi-Directional Bandwidth Test v5.8\n"
                  "# Size      Bandwidth (MB/s)\n4096 4000.00\n"
                  "# OSU MPI Allreduce Latency Test v5.8\n"
                  "# Size       Avg Latency(us)   Min Latency(us)\n4 21.50 20.00\n",
                  8);
    assert_int_equal(m.n, 8);
    assert_int_equal(m.count, 6);
    is_about(messages(&m, CPM_SATURATION, 64, 1, 0), 64 / 0.5);
    is_about(messages(&m, CPM_SATURATION, 64, 65536, 0), 64 * 65536 / 2000.);
    is_about(trip(&m, 0, 1, 1024), 2 * 16.59);
    is_about(messages(&m, CPM_CROWDED_EXCHANGE, 64, 4096, 4096), 64 * 4096 / 2000.);
    is_about(collective(&m, "allreduce:native", 4), 21.5);
    assert_string_equal(fact(&m, "timing"), "mean");
    assert_string_equal(fact(&m, "combining"), "floats");
    cpm_measurements_clear(&m);
}

static void compressed_and_wide_files_are_read_as_they_are(void **state)
{
    (void)state;
    static const char text[] = LATENCY "1 15.55\n1024 16.59\n";
    gzFile z = gzopen("a.txt.gz", "wb");
    assert_int_equal(gzputs(z, text), (int)strlen(text));
    assert_int_equal(gzclose(z), Z_OK);
    cpm_measurements m = read_file("a.txt.gz", 0);
    is_about(trip(&m, 0, 1, 1024), 2 * 16.59);
    cpm_measurements_clear(&m);
    FILE *f = fopen("wide.txt", "wb");
    assert_non_null(f);
    fwrite("\xff\xfe", 1, 2, f);
    for (const char *c = text; *c; c++)
        fwrite((const char[]){*c, 0}, 1, 2, f);
    fclose(f);
    m = read_file("wide.txt", 0);
    is_about(trip(&m, 0, 1, 1), 2 * 15.55);
    cpm_measurements_clear(&m);
    remove("wide.txt");
    /* cut short */
    struct stat s;
    assert_int_equal(stat("a.txt.gz", &s), 0);
    assert_int_equal(truncate("a.txt.gz", s.st_size - 12), 0);
    const cpm_import_file file = {"a.txt.gz", -1, -1};
    cpm_error e = {0};
    assert_int_equal(cpm_import(&(cpm_import_options){0}, &file, 1, &m, &e), CPM_EPARSE);
    assert_string_equal(e.text, "a.txt.gz: the compressed data are broken or cut short: copy the "
                                "file again");
    remove("a.txt.gz");
}

/* ---- OSU */

static void osu_programs_of_all_kinds_are_read(void **state)
{
    (void)state;
    cpm_measurements m =
        read_text("# OSU MPI Multiple Bandwidth / Message Rate Test v5.8\n"
                  "# [ pairs: 4 ] [ window size: 32 ]\n"
                  "# Size                  MB/s        Messages/s\n1024 4000.00 3906250.00\n",
                  0);
    cpm_experiment x = cpm_experiment_pair(CPM_CROWDED_BURST, 3, 7, 1024, 8);
    x.count = 32;
    assert_int_equal(m.n, 8);
    is_about(microseconds(&m, &x), 32 * 1024 / 1000.);
    cpm_measurements_clear(&m);
    m = read_text("# OSU MPI-CUDA Non-blocking All-to-All Personalized Exchange Latency Test v7.0\n"
                  "# Size           Overall(us)       Compute(us)    Pure Comm.(us)  Overlap(%)\n"
                  "8 30.00 15.00 14.00 95.00\n"
                  "# OSU MPI Barrier Latency Test v7.0\n# Avg Latency(us)\n        3.25\n"
                  "# OSU MPI Reduce_scatter Latency Test v7.0\n# Datatype: MPI_DOUBLE.\n"
                  "# Size       Avg Latency(us)\n1024 9.00\n"
                  "# OSU MPI_Get latency Test v7.0\n# Size Latency (us)\n8 1.00\n",
                  16);
    assert_int_equal(m.count, 3);
    is_about(collective(&m, "alltoall:native", 8), 14);
    is_about(collective(&m, "barrier:native", 1), 3.25);
    is_about(collective(&m, "reduce_scatter:native", 1024 / 16), 9);
    assert_string_equal(fact(&m, "combining"), "doubles");
    cpm_measurements_clear(&m);
    m = read_text("# OSU MPI Latency Test (Version 2.2)\n# Size\t\tLatency (us)\n0\t\t2.50\n", 0);
    is_about(trip(&m, 0, 1, 0), 5);
    cpm_measurements_clear(&m);
    m = read_text("# OMB-Py MPI Latency Test\n# Size (B)   Latency (us)\n8 2.50\n", 0);
    is_about(trip(&m, 0, 1, 8), 5);
    cpm_measurements_clear(&m);
}

static void collectives_of_unknown_processes_are_not_taken_alone(void **state)
{
    (void)state;
    refused("# OSU MPI Broadcast Latency Test v5.8\n# Size  Avg Latency(us)\n1 2.00\n", 0,
            "the files do not say how many processes ran their collectives: add --processes N");
    refused("# OSU MPI Broadcast Latency Test v5.8\n# Size  Avg Latency(us)\n1 2.00\n4 x\n", 4,
            "formats.txt:4: expected a size in bytes and a latency in microseconds, found '4 x'");
    refused("1 2\n3 4\n", 0,
            "formats.txt: is not the output of a benchmark that CPM knows (OSU Micro-Benchmarks, "
            "Intel MPI Benchmarks, logp_mpi, nxnlatbw, mpiGraph, mpiBench, Netgauge, SKaMPI, "
            "ReproMPI, PICO, SimGrid's calibration, data frames that pandas prints): give the "
            "benchmark's own output");
}

/* ---- IMB */

#define IMB "#    Intel(R) MPI Benchmarks 2019 Update 6, MPI-1 part\n"

static void imb_of_all_kinds_is_read(void **state)
{
    (void)state;
    static const char text[] = IMB
        "# MPI_Datatype for reductions    :   MPI_DOUBLE\n"
        "# Benchmarking PingPong\n# #processes = 2\n# ( 6 additional processes waiting in "
        "MPI_Barrier)\n"
        "#bytes #repetitions      t[usec]   Mbytes/sec\n0 1000 1.00 0.00\n8 1000 2.00 4.00\n"
        "4096 time-out.; Time limit is over\n\n"
        "# Benchmarking PingPongAnySource\n# #processes = 2\n"
        "#bytes #repetitions      t[usec]   Mbytes/sec\n0 1000 9.00 0.00\n\n"
        "# Benchmarking PingPing\n# #processes = 2\n"
        "#bytes #repetitions      t[usec]   Mbytes/sec\n8 1000 3.00 4.00\n\n"
        "# Benchmarking Uniband\n# #processes = 2\n"
        "#bytes #repetitions   Mbytes/sec      Msg/sec\n0 10 0.00 100\n1024 10 512.00 500000\n\n"
        "# Benchmarking Allreduce\n# ( #processes = 4 )\n"
        "#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n0 100 0.02 0.02 0.02\n"
        "8 100 5.00 7.00 6.00\n\n"
        "# Benchmarking Allreduce\n# #processes = 8\n"
        "#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n0 100 0.02 0.02 0.02\n"
        "8 100 8.00 9.00 8.50\n\n"
        "# Benchmarking Ibcast\n# #processes = 8\n"
        "#bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]\n"
        "64 100 30.00 11.00 15.00 90.00\n\n"
        "# Benchmarking Barrier\n# #processes = 8\n"
        "#repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n1000 2.00 2.50 2.25\n"
        "# All processes entering MPI_Finalize\n";
    cpm_measurements m = read_text(text, 0);
    assert_int_equal(m.n, 8);
    assert_int_equal(m.count, 7);
    is_about(trip(&m, 0, 1, 0), 2);
    is_about(trip(&m, 0, 1, 8), 4);
    is_about(messages(&m, CPM_CROWDED_EXCHANGE, 1, 8, 8), 3);
    is_about(messages(&m, CPM_SATURATION, 64, 1024, 0), 128);
    is_about(collective(&m, "allreduce:native", 8), 9);
    is_about(collective(&m, "bcast:native", 64), 11);
    is_about(collective(&m, "barrier:native", 1), 2.5);
    assert_string_equal(fact(&m, "timing"), "max");
    assert_string_equal(fact(&m, "combining"), "doubles");
    assert_string_equal(fact(&m, "caution"), "Collectives of other than 8 processes are left out.");
    cpm_measurements_clear(&m);
    m = read_text(text, 4);
    assert_int_equal(m.n, 4);
    is_about(collective(&m, "allreduce:native", 8), 7);
    cpm_measurements_clear(&m);
    m = read_text("# Benchmarking PingPong\n# #processes = 4\n#bytes #repetitions t[usec] "
                  "Mbytes/sec Msg/sec\n1 100000 24.50 0.08 81627\n",
                  0);
    is_about(trip(&m, 0, 1, 1), 49);
    assert_string_equal(fact(&m, "caution"), cpm_import_averaged);
    cpm_measurements_clear(&m);
}

static void repetitions_that_are_far_apart_are_pointed_at(void **state)
{
    (void)state;
    static const char table[] = "# OSU MPI Allreduce Latency Test v6.2\n"
                                "# Size       Avg Latency(us)\n100000 %s\n200000 1500.00\n";
    static const struct {
        const char *second, *caution;
    } cases[] = {{"3900.00", NULL},
                 {"17000.00",
                  "Repetitions are up to 17.0 times apart (allreduce:native, 100000 bytes): import "
                  "tables of different machines, libraries or algorithms apart."}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[500];
        int first = snprintf(text, sizeof text, table, "1000.00");
        snprintf(text + first, sizeof text - (size_t)first, table, cases[k].second);
        cpm_measurements m = read_text(text, 8);
        const char *said = cpm_metadata_get(&m.metadata, "caution");
        assert_int_equal(!said, !cases[k].caution);
        if (said)
            assert_string_equal(said, cases[k].caution);
        cpm_measurements_clear(&m);
    }
}

/* ---- others */

static void nxnlatbw_has_all_pairs(void **state)
{
    (void)state;
    cpm_measurements m = read_text("1,0,2.00,4000.000000 \nMPI startup(): hello, world\n"
                                   "src,dst,lat(us),bandwidth((Mbytes/sec)\n0,1,1.00,2000.000000 \n"
                                   "0,2,3.00,1000.000000 \n2,1,4.00,1000.000000 \n",
                                   0);
    assert_int_equal(m.n, 3);
    is_about(trip(&m, 0, 1, 0), 2);
    is_about(trip(&m, 1, 0, 0), 4);
    is_about(trip(&m, 2, 1, 0), 8);
    is_about(messages(&m, CPM_SATURATION, 10, 4 << 20, 0), 10 * 4194304 / 2000.);
    cpm_measurements_clear(&m);
    refused("src,dst,lat(us),bandwidth((Mbytes/sec)\n0,1,fast,2000.0\n", 0,
            "formats.txt:2: expected two ranks, a latency in microseconds and a bandwidth in "
            "Mbytes/sec, with commas, found '0,1,fast,2000.0'");
}

static void mpigraph_has_bandwidths_under_load(void **state)
{
    (void)state;
    cpm_measurements m = read_text("START mpiGraph v1.5\nMsgSize\t1048576\nTimes\t10\nWindow\t20\n"
                                   "Procs\t2\n\n1 of 2 (50.0%)\nGathering results\n\n"
                                   "Send max\t200.0\nSend avg\t150.0\n\nSend\tn1:0\tn2:1\t\n"
                                   "n1:0 to\t0.000\t100.000\t\nn2:1 to\t200.000\t0.000\t\n\n"
                                   "Recv\tn1:0\tn2:1\t\nn1:0 from\t0.000\t7.000\t\nEND mpiGraph\n",
                                   0);
    cpm_experiment x = cpm_experiment_pair(CPM_CROWDED_BURST, 1, 0, 1048576, 8);
    x.count = 20;
    assert_int_equal(m.count, 2);
    is_about(microseconds(&m, &x), 20 / 200. * 1e6);
    assert_string_equal(fact(&m, "hosts"), "n1 n2");
    cpm_measurements_clear(&m);
    refused("START mpiGraph v1.5\nProcs\t2\nSend\tn1:0\tn2:1\n", 0,
            "formats.txt:3: expected 'MsgSize', 'Window' and 'Procs' before the matrix, found "
            "'Send\\tn1:0\\tn2:1'");
}

static void mpibench_has_collectives(void **state)
{
    (void)state;
    cpm_measurements m =
        read_text("START mpiBench v1.5\n"
                  "Barrier\t\tBytes:\t0\tIters:\t1000\tAvg:\t1.5\tMin:\t1.0\tMax:\t2.0\tComm: "
                  "MPI_COMM_WORLD\tRanks: 4\n"
                  "Allreduce\tBytes:\t8192\tIters:\t50\tAvg:\t2.5\tMin:\t2.0\tMax:\t3.0\tComm: "
                  "MPI_COMM_WORLD\tRanks: 4\nEND mpiBench\n",
                  0);
    assert_int_equal(m.n, 4);
    is_about(collective(&m, "barrier:native", 1), 1.5);
    is_about(collective(&m, "allreduce:native", 8192), 2.5);
    cpm_measurements_clear(&m);
}

static void netgauge_is_read_as_printed_and_as_written(void **state)
{
    (void)state;
    cpm_measurements m = read_text("# Info:  (0): Netgauge v2.4.6 MPI enabled\n"
                                   "1 bytes \t -> 1.25 us \t == 6.40 Mbit/s\n"
                                   "1024 bytes \t -> 2.50 us \t == 3276.80 Mbit/s\n",
                                   0);
    is_about(trip(&m, 0, 1, 1024), 5);
    cpm_measurements_clear(&m);
    m = read_text("## Netgauge v2.4.6\n"
                  "8 - 0.10 0.20 0.30 0.40 (0.10 2) - 1.10 1.20 1.30 1.40 (0.10 3) - 1 2 3 4\n",
                  0);
    is_about(trip(&m, 0, 1, 8), 2.6);
    cpm_measurements_clear(&m);
}

static void skampi_tells_the_processes_by_their_times(void **state)
{
    (void)state;
    cpm_measurements m =
        read_text("# SKaMPI Version 5.0 rev. 191\n"
                  "# begin result \"MPI_Bcast-nodes-length\"\n"
                  "nodes= 3 count= 1 4 6.6 0.1 54 3.1 6.6 5.0\n"
                  "# end result \"MPI_Bcast-nodes-length\"\n"
                  "# begin result \"MPI_Scan-length\"\ncount= 1 4 9.9 0.1 8 1 2 3\n"
                  "# end result \"MPI_Scan-length\"\n"
                  "# begin result \"Pingpong_Send_Recv\"\ncount= 8 8 3.0 0.1 8 3.0\n"
                  "# end result \"Pingpong_Send_Recv\"\n",
                  0);
    assert_int_equal(m.n, 3);
    assert_int_equal(m.count, 3);
    is_about(collective(&m, "bcast:native", 4), 6.6);
    is_about(collective(&m, "scan:native", 4), 9.9);
    is_about(trip(&m, 0, 1, 8), 3);
    cpm_measurements_clear(&m);
    m = read_text("   begin result \"Pingpong_Send_Recv\"\n"
                  "   iterations= 1        4       6.0       0.0      160       5.7       5.7\n"
                  "   end result \"Pingpong_Send_Recv\"\n",
                  0);
    is_about(trip(&m, 0, 1, 4), 6);
    cpm_measurements_clear(&m);
    refused("# begin result \"MPI_Bcast\"\ncount= 1 4 fast 0.1 5 1\n", 0,
            "formats.txt:2: expected variables, bytes, a time in microseconds, its error, "
            "repetitions and a time of each process, found 'count= 1 4 fast 0.1 5 1'");
}

static void reprompi_has_repetitions_or_their_summary(void **state)
{
    (void)state;
    cpm_measurements m = read_text("#@reproMPIcommitSHA1=0\n#@nprocs=4\n#@datatype=MPI_INT\n"
                                   "#@datatype_extent_bytes=4\n"
                                   "          test       nrep        count    runtime_sec\n"
                                   " MPI_Allreduce          0            2   0.0000030000\n"
                                   " MPI_Allreduce          1            2   0.0000050000\n"
                                   " MPI_Allreduce          2            2   0.0000040000\n"
                                   "# Execution time: 0s\n",
                                   0);
    assert_int_equal(m.n, 4);
    assert_int_equal(m.at[0].summary.reps, 3);
    is_about(collective(&m, "allreduce:native", 8), 4);
    cpm_measurements_clear(&m);
    m = read_text("#@nprocs=4\n test count total_nrep valid_nrep mean_sec median_sec min_sec\n"
                  " MPI_Bcast 16 10 9 0.000009 0.000007 0.000001\n",
                  0);
    assert_int_equal(m.at[0].summary.reps, 9);
    is_about(collective(&m, "bcast:native", 16), 7);
    cpm_measurements_clear(&m);
}

static void pico_tables_have_algorithms(void **state)
{
    (void)state;
    cpm_measurements m =
        read_text("timestamp\tcollective\tnodes\tppn\talgorithm\tbytes\tn\tmedian_us\n"
                  "x\tbcast\t4\t2\tbinomial_ompi\t1024\t20\t5.0\n"
                  "x\tallgather\t4\t2\tdefault_ompi\t1024\t20\t6.0\n"
                  "x\tbcast\t4\t2\tbine_lat_over\t1024\t20\t7.0\n",
                  0);
    assert_int_equal(m.n, 8);
    assert_int_equal(m.count, 2);
    assert_string_equal(fact(&m, CPM_METADATA_ROUTINES), CPM_ROUTINES_LIBRARY);
    assert_true(m.at[0].what.collective.by_library);
    is_about(collective(&m, "bcast:binomial-at-once", 1024), 5);
    is_about(collective(&m, "allgather:native", 128), 6);
    assert_string_equal(
        fact(&m, "caution"),
        "Times of bcast by 'bine_lat_over' are left out: CPM has no such algorithm.");
    assert_int_equal(m.at[0].summary.reps, 20);
    cpm_measurements_clear(&m);
    m = read_text("collective_type,array_dim,buffer_size,algo_name,datatype,mean,median,nnodes,"
                  "tasks_per_node,n_iter\nALLREDUCE,16,64,ring_ompi,int32,9000.5,8000.0,8,1,5\n",
                  0);
    is_about(collective(&m, "allreduce:logical-ring", 64), 8);
    cpm_measurements_clear(&m);
}

static void a_test_of_pico_is_named_by_its_folder(void **state)
{
    (void)state;
    static const char *const folders[] = {"sys", "sys/2026", "sys/2026/0"};
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(mkdir(folders[k], 0777), 0);
    write_text("sys_metadata.csv",
               "timestamp,test_id,nnodes,tasks_per_node,collective_type,mpi_lib\n"
               "2026,1,4,1,BCAST,OMPI\n2026,0,8,2,GATHER,OMPI\n");
    write_text("sys/2026/0/256_binomial_ompi_double.csv",
               "highest,rank0,rank1\n5000,1,2\n7000,3,4\n"
               "6000,5,6\n");
    cpm_measurements m = read_file("sys/2026/0/256_binomial_ompi_double.csv", 0);
    assert_int_equal(m.n, 16);
    is_about(collective(&m, "gather:binomial", 256 * 8 / 16), 6);
    cpm_measurements_clear(&m);
    remove("sys/2026/0/256_binomial_ompi_double.csv");
    remove("sys_metadata.csv");
    for (size_t k = 3; k-- > 0;)
        remove(folders[k]);
    refused("highest\n5000\n", 0,
            "formats.txt:1: which collective this is is said by its name and folder in PICO's "
            "results: SYSTEM_metadata.csv beside SYSTEM/TIMESTAMP/TEST/"
            "COUNT_ALGORITHM_DATATYPE.csv");
}

static void calls_of_simgrid_are_trips_sends_and_receives(void **state)
{
    (void)state;
    cpm_measurements m = read_text("MPI_Send,64,1.0,2.0e-06\nMPI_Recv,64,1.0,4.0e-06\n"
                                   "MPI_Send,64,2.0,3.0e-06\nMPI_Recv,64,2.0,5.0e-06\n",
                                   0);
    assert_int_equal(m.count, 1);
    is_about(trip(&m, 0, 1, 64), 7);
    cpm_measurements_clear(&m);
    m = read_text("MPI_Isend,64,1.0,2.0e-06\nMPI_Recv,32,1.0,4.0e-06\n", 0);
    cpm_experiment send = cpm_experiment_pair(CPM_SEND_TIME, 0, 1, 64, 0),
                   receive = cpm_experiment_pair(CPM_LATE_RECEIVE, 0, 1, 0, 32);
    is_about(microseconds(&m, &send), 2);
    is_about(microseconds(&m, &receive), 4);
    cpm_measurements_clear(&m);
    refused("MPI_Send,64,1.0,nothing\n", 0,
            "formats.txt:1: expected a call, bytes, when it began and seconds, with commas, found "
            "'MPI_Send,64,1.0,nothing'");
}

/* Lines of Python's logging; a page that took the '#' for its own. */
static void titles_of_osu_are_known_without_their_surroundings(void **state)
{
    (void)state;
    cpm_measurements m = read_text(
        "[2023-06-13 09:16:21,301] {commons.py:109} INFO - World size: 2\n"
        "[2023-06-13 09:16:21,301] {osu_util.py:32} INFO - # OMB Python MPI Latency Test\n"
        "[2023-06-13 09:16:21,302] {osu_util.py:33} INFO - # Size (B)      Latency (us)\n"
        "[2023-06-13 09:16:21,773] {osu_latency.py:64} INFO - 1024                   21.50\n",
        0);
    is_about(trip(&m, 0, 1, 1024), 43);
    cpm_measurements_clear(&m);
    m = read_text("OSU MPI Latency Test v5.9\n  Size          Latency (us)\n0    6.5\n64   6.75\n\n"
                  "OSU MPI Broadcast Latency Test v5.9\n  Size       Avg Latency(us)\n1    7.5\n",
                  4);
    is_about(trip(&m, 0, 1, 64), 13.5);
    is_about(collective(&m, "bcast:native", 1), 7.5);
    cpm_measurements_clear(&m);
    m = read_text("# OMB Python MPI Iallreduce Latency Test\n"
                  "# Size  Overall(us)  Compute(us)  Pure Comm.(us)  Overlap(%)  Wait avg(us)\n"
                  "1024    65.5         28.5         25.25           0.00        1.00\n",
                  4);
    is_about(collective(&m, "allreduce:native", 1024), 25.25);
    cpm_measurements_clear(&m);
}

/* Two phases of one call, of two and of four processes. */
static void a_collective_of_simgrids_load_test_ends_with_its_slowest(void **state)
{
    (void)state;
    const char *text = "0,MPI_Alltoall,400,1.0,5.0e+00\n0,MPI_Alltoall,400,6.0,8.0e+00\n"
                       "1,MPI_Alltoall,400,1.0,6.0e+00\n1,MPI_Alltoall,400,7.0,7.0e+00\n"
                       "2,MPI_Alltoall,400,6.0,9.5e+00\n3,MPI_Alltoall,400,6.5,7.5e+00\n";
    cpm_measurements m = read_text(text, 2);
    assert_int_equal(m.n, 2);
    is_about(collective(&m, "alltoall:native", 400), 6000);
    cpm_measurements_clear(&m);
    m = read_text(text, 0);
    assert_int_equal(m.n, 4);
    assert_int_equal(m.count, 1);
    assert_string_equal(cpm_metadata_get(&m.metadata, "caution"),
                        "Collectives of other than 4 processes are left out.");
    is_about(collective(&m, "alltoall:native", 400), 9500);
    cpm_measurements_clear(&m);
    refused(text, 3, "no collectives of 3 processes, but of 2, 4");
}

static void pairs_of_simgrids_load_test_are_those_of_its_last_phase(void **state)
{
    (void)state;
    cpm_measurements m = read_text("0,MPI_Sendrecv,400,1.0,5.0e+00\n0,MPI_Sendrecv,400,6.0,8.0\n"
                                   "1,MPI_Sendrecv,400,1.0,6.0e+00\n"
                                   "2,MPI_Sendrecv,400,1.0,5.5e+00\n2,MPI_Sendrecv,400,6.0,8.5\n"
                                   "3,MPI_Sendrecv,400,1.0,6.5e+00\n",
                                   0);
    cpm_experiment both[] = {cpm_experiment_pair(CPM_CROWDED_EXCHANGE, 0, 2, 400, 400),
                             cpm_experiment_pair(CPM_CROWDED_EXCHANGE, 1, 3, 400, 400)};
    assert_int_equal(m.count, 2);
    is_about(microseconds(&m, &both[0]), 8500);
    is_about(microseconds(&m, &both[1]), 6500);
    assert_int_equal(m.at[0].round, m.at[1].round);
    cpm_measurements_clear(&m);
    m = read_text("0,MPI_Send,400,1.0,5.0e+00\n0,MPI_Send,400,6.0,8.0\n1,MPI_Send,400,1.0,6.0\n"
                  "2,MPI_Send,400,1.0,5.5e+00\n2,MPI_Send,400,6.0,8.5\n3,MPI_Send,400,1.0,6.5\n",
                  0);
    both[1] = cpm_experiment_pair(CPM_CROWDED_BURST, 1, 3, 400, 8);
    is_about(microseconds(&m, &both[1]), 6500);
    cpm_measurements_clear(&m);
}

static void a_load_test_that_is_not_whole_is_refused(void **state)
{
    (void)state;
    refused("0,MPI_Sendrecv,400,1.0,5.0\n0,MPI_Sendrecv,400,6.0,8.0\n1,MPI_Sendrecv,400,1.0,6.0\n"
            "2,MPI_Sendrecv,400,1.0,5.5\n3,MPI_Sendrecv,400,1.0,6.5\n",
            0,
            "formats.txt:5: expected as many calls of each phase, found 2 of rank 0 and 1 of rank "
            "3, the last one: the file is not whole");
    refused("0,MPI_Sendrecv,400,1.0,5.0\n1,MPI_Sendrecv,400,1.0,6.0\n"
            "2,MPI_Sendrecv,400,1.0,5.5\n3,MPI_Sendrecv,400,1.0,6.5\n",
            0,
            "formats.txt:4: expected calls of MPI_Send, MPI_Recv or MPI_Isend, or those of its "
            "load test; found 'messages to one process and from another' only, which CPM cannot "
            "use");
    refused("0,MPI_Alltoall,400,1.0,5.0\n2,MPI_Alltoall,400,1.0,6.0\n", 0,
            "formats.txt:2: expected a call of rank 0 or 1, found "
            "'2,MPI_Alltoall,400,1.0,6.0'");
    refused("0,MPI_Alltoall,400,1.0,5.0\n1,MPI_Alltoall,800,1.0,6.0\n", 0,
            "formats.txt:2: expected MPI_Alltoall of 400 bytes as before, found "
            "'1,MPI_Alltoall,800,1.0,6.0'");
    refused("0,MPI_Alltoall,400,1.0,soon\n", 0,
            "formats.txt:1: expected a rank, a call, bytes, when it began and milliseconds, with "
            "commas, found '0,MPI_Alltoall,400,1.0,soon'");
}

/* ---- the model that they bear */

static void bears(const char *text, int processes, const char *expected)
{
    cpm_measurements m = read_text(text, processes);
    const char *model = NULL;
    cpm_error e = {0};
    int status = cpm_import_bears(&m, &model, &e);
    assert_string_equal(status ? e.text : model, expected);
    cpm_measurements_clear(&m);
}

static void the_best_model_is_what_the_data_bear(void **state)
{
    (void)state;
#define BANDWIDTH "# OSU MPI Bandwidth Test v5.8\n# Size  Bandwidth (MB/s)\n1 1.00\n65536 3000.00\n"
    bears(LATENCY "1 15.55\n1024 16.59\n", 0, "hockney");
    bears(LATENCY "1 15.55\n1024 16.59\n" BANDWIDTH, 0, "lmo2");
    bears(BANDWIDTH, 0, "hockney");
    bears(LATENCY "1 15.55\n", 0,
          "no model: there are latencies of one message size only; add a file with other sizes or "
          "bandwidths");
    bears("# OSU MPI Broadcast Latency Test v5.8\n# Size  Avg Latency(us)\n1 2.00\n", 4,
          "no model: there are collectives by the MPI library's own choice only. Add latencies, or "
          "compare them with a model (-o FILE.meas, then cpm compare)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_of_launchers_are_left_out),
        cmocka_unit_test(text_before_behind_and_within_a_table_is_skipped),
        cmocka_unit_test(several_tables_are_what_they_are),
        cmocka_unit_test(compressed_and_wide_files_are_read_as_they_are),
        cmocka_unit_test(osu_programs_of_all_kinds_are_read),
        cmocka_unit_test(collectives_of_unknown_processes_are_not_taken_alone),
        cmocka_unit_test(imb_of_all_kinds_is_read),
        cmocka_unit_test(repetitions_that_are_far_apart_are_pointed_at),
        cmocka_unit_test(nxnlatbw_has_all_pairs),
        cmocka_unit_test(mpigraph_has_bandwidths_under_load),
        cmocka_unit_test(mpibench_has_collectives),
        cmocka_unit_test(netgauge_is_read_as_printed_and_as_written),
        cmocka_unit_test(skampi_tells_the_processes_by_their_times),
        cmocka_unit_test(reprompi_has_repetitions_or_their_summary),
        cmocka_unit_test(pico_tables_have_algorithms),
        cmocka_unit_test(a_test_of_pico_is_named_by_its_folder),
        cmocka_unit_test(calls_of_simgrid_are_trips_sends_and_receives),
        cmocka_unit_test(titles_of_osu_are_known_without_their_surroundings),
        cmocka_unit_test(a_collective_of_simgrids_load_test_ends_with_its_slowest),
        cmocka_unit_test(pairs_of_simgrids_load_test_are_those_of_its_last_phase),
        cmocka_unit_test(a_load_test_that_is_not_whole_is_refused),
        cmocka_unit_test(the_best_model_is_what_the_data_bear),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
