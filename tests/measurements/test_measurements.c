/* .meas files: what is written is read, what is broken is named with its line. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text_file.h"
#include "measurements/meas_format.h"
#include "measurements/measurements.h"
#include "measurements/resume.h"
#include "measurements/switches.h"
#include "tests/folder.h"

static const char path[] = "test_measurements.meas";

#define ROW  "roundtrip 0 1 -1 1 8 8 0 2e-05 2e-05 2e-05 1e-05 3e-05 1e-06 1e-05 3e-05 3 0\n"
#define HEAD CPM_MEAS_TITLE " 1\n# processes: 3\n# statistic: median\n" CPM_MEAS_COLUMNS "\n"

static void write_text(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void append_text(const char *text)
{
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* Of earlier tests. */
static void forget_kept_files(void)
{
    char kept[64];
    for (int k = 1; k < 100; k++) {
        snprintf(kept, sizeof kept, "test_measurements.meas.~%d~", k);
        unlink(kept);
    }
}

static char *read_text(void)
{
    static char text[8192];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

static cpm_measurement round_trip(int i, int j)
{
    return (cpm_measurement){.what = {.kind = &cpm_experiment_kinds[CPM_ROUNDTRIP],
                                      .i = i,
                                      .j = j,
                                      .k = -1,
                                      .count = 1,
                                      .send_bytes = 8,
                                      .reply_bytes = 8},
                             .summary = {1.0 / 3e5, 1.0 / 7e5, 1e-9, 123.456789012, 0, 1e-7,
                                         1.0 / 3, 2, 1.0 / 9e5, 1.0 / 7e6},
                             .round = 5};
}

static cpm_measurements header(void)
{
    cpm_error e = {0};
    cpm_measurements m = {.n = 3, .duration = -1};
    assert_int_equal(cpm_metadata_set(&m.metadata, &e, "processes", "3"), CPM_OK);
    assert_int_equal(cpm_metadata_set(&m.metadata, &e, "hosts", "a b c"), CPM_OK);
    assert_int_equal(cpm_metadata_set(&m.metadata, &e, "statistic", "mean"), CPM_OK);
    return m;
}

static cpm_meas_file *opened(cpm_measurements *m, bool resume, bool raw)
{
    cpm_error e = {0};
    cpm_meas_file *f = NULL;
    if (cpm_meas_open(path, resume, raw, m, &f, &e))
        fail_msg("%s", e.text);
    return f;
}

static cpm_measurements reading(char checksum[65])
{
    cpm_error e = {0};
    cpm_measurements m = {0};
    if (cpm_measurements_read(path, &m, checksum, &e))
        fail_msg("%s", e.text);
    return m;
}

static void close_to(double a, double b)
{
    if (!(fabs(a - b) <= 1e-11 * fabs(b)))
        fail_msg("%.17g is not %.17g", a, b);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_measurements m = header();
    cpm_meas_file *f = opened(&m, false, false);
    cpm_measurement a = round_trip(0, 2), c = round_trip(1, -1);
    assert_int_equal(cpm_experiment_parse("gather:native", &c.what, &e), CPM_OK);
    c.what.reply_bytes = 0;
    assert_int_equal(cpm_meas_append(f, &a, &e), CPM_OK);
    assert_int_equal(cpm_meas_append(f, &c, &e), CPM_OK);
    assert_int_equal(cpm_meas_complete(f, 12.5, &e), CPM_OK);
    cpm_meas_close(f);
    cpm_measurements_clear(&m);

    m = reading(NULL);
    assert_int_equal(m.count, 2);
    assert_int_equal(m.n, 3);
    assert_int_equal(m.statistic, CPM_MEAN);
    assert_string_equal(cpm_metadata_get(&m.metadata, "hosts"), "a b c");
    close_to(m.duration, 12.5);
    assert_true(cpm_experiment_equal(&m.at[0].what, &a.what));
    assert_true(cpm_experiment_equal(&m.at[1].what, &c.what));
    assert_int_equal(cpm_measurements_find(&m, &c.what), 1);
    assert_int_equal(m.at[0].round, 5);
    close_to(m.at[0].summary.mean, a.summary.mean);
    close_to(m.at[0].summary.median, a.summary.median);
    close_to(m.at[0].summary.huber, a.summary.huber);
    close_to(m.at[0].summary.min, a.summary.min);
    close_to(m.at[0].summary.max, a.summary.max);
    close_to(m.at[0].summary.ci_low, a.summary.ci_low);
    close_to(m.at[0].summary.ci_high, a.summary.ci_high);
    close_to(m.at[0].summary.huber_half, a.summary.huber_half);
    assert_int_equal(m.at[0].summary.reps, 2);
    cpm_measurements_clear(&m);
}

static void raw_samples_come_back_and_a_fit_uses_their_location(void **state)
{
    (void)state;
    cpm_error e = {0};
    double samples[] = {1.0 / 3, 2.0 / 3};
    cpm_measurements m = header();
    cpm_meas_file *f = opened(&m, false, true);
    cpm_measurement a = round_trip(0, 1);
    a.samples = samples;
    assert_int_equal(cpm_meas_append(f, &a, &e), CPM_OK);
    cpm_meas_close(f);
    cpm_measurements_clear(&m);
    m = reading(NULL);
    assert_true(m.duration < 0);
    close_to(m.at[0].samples[0], samples[0]);
    close_to(m.at[0].samples[1], samples[1]);
    close_to(cpm_measurement_value(&m.at[0], CPM_MEDIAN), a.summary.huber);
    m.at[0].summary.huber = 0;
    close_to(cpm_measurement_value(&m.at[0], CPM_MEDIAN), a.summary.median);
    close_to(cpm_measurement_value(&m.at[0], CPM_MEAN), m.at[0].summary.mean); /* as asked for */
    cpm_measurements_clear(&m);
}

static void the_interval_of_the_value_is_that_of_the_location_where_it_is_known(void **state)
{
    (void)state;
    cpm_measurement r = {.summary = {.huber = 2, .huber_half = 0.25, .ci_low = 1, .ci_high = 9}};
    close_to(cpm_measurement_half(&r, CPM_MEDIAN), 0.25);
    close_to(cpm_measurement_half(&r, CPM_MEAN), 4); /* as asked for */
    r.summary.huber_half = 0;
    close_to(cpm_measurement_half(&r, CPM_MEDIAN), 4);
}

/* Without the column of the location's interval; a campaign goes on in the same columns. */
static void files_of_before_are_read_and_resumed(void **state)
{
    (void)state;
    static const char before[] =
        CPM_MEAS_TITLE " 1\n# processes: 3\n# hosts: a b c\n# statistic: mean\n" CPM_MEAS_EARLIER
                       "\nroundtrip 0 1 -1 1 8 8 0 2 2 2 1 3 1 1 3 3\n";
    write_text(before);
    cpm_measurements m = reading(NULL);
    assert_int_equal(m.count, 1);
    assert_true(m.at[0].summary.huber_half == 0);
    cpm_measurements_clear(&m);
    m = header();
    cpm_meas_file *f = opened(&m, true, false);
    cpm_measurement more = round_trip(0, 2);
    assert_int_equal(cpm_meas_append(f, &more, NULL), CPM_OK);
    cpm_meas_close(f);
    cpm_measurements_clear(&m);
    m = reading(NULL);
    assert_int_equal(m.count, 2);
    close_to(m.at[1].summary.huber, more.summary.huber);
    cpm_measurements_clear(&m);
}

/* Of many experiments each is found, and none that is not there. */
static void every_one_of_many_experiments_is_found(void **state)
{
    (void)state;
    enum { N = 120 };
    cpm_error e = {0};
    cpm_measurements m = {0};
    cpm_measurement r = round_trip(0, 1);
    assert_int_equal(cpm_measurements_find(&m, &r.what), -1);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            r = round_trip(i, j);
            assert_int_equal(cpm_measurements_add(&m, &r, &e), CPM_OK);
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            r = round_trip(i, j);
            assert_int_equal(cpm_measurements_find(&m, &r.what), i * N + j);
        }
    r.what.send_bytes++;
    assert_int_equal(cpm_measurements_find(&m, &r.what), -1);
    cpm_measurements_clear(&m);
}

static void reading_fails(const char *text, int line, const char *says)
{
    cpm_error e = {0};
    cpm_measurements m = {.count = -7};
    char place[64];
    snprintf(place, sizeof place, "%s:%d: ", path, line);
    write_text(text);
    assert_int_equal(cpm_measurements_read(path, &m, NULL, &e), CPM_EPARSE);
    assert_int_equal(m.count, -7); /* untouched */
    if (strncmp(e.text, place, strlen(place)) != 0 || !strstr(e.text, says))
        fail_msg("'%s' and '%s' are not in '%s'", place, says, e.text);
}

static void a_broken_row_is_named_with_its_line(void **state)
{
    (void)state;
    const struct {
        const char *row, *says;
    } bad[] = {
        {"roundtrip 0 1 -1 1 8 8 0 nan 2 2 1 3 1 1 3 3 0\n", "not a number"},
        {"roundtrip 0 1 -1 1 8 8 0 2 1e999 2 1 3 1 1 3 3 0\n", "infinite"},
        {"roundtrip 0 1 -1 1 8 8 0 2 1e308 2 1 3 1 1 3 3 0\n", "too large"},
        {"roundtrip 0 1 -1 1 8 8 0 2 1e-320 2 1 3 1 1 3 3 0\n", "too small"},
        {"roundtrip 0 1 -1 1 8 +8 0 2 1 2 1 3 1 1 3 3 0\n", "not a whole number"},
        {"roundtrip 0 1 -1 1 8 8 0 2 inf 2 1 3 1 1 3 3 0\n", "not a number"},
        {"roundtrip 0 1 -1 1 8 8 0 2 2 2 -1 3 1 1 3 3 0\n", "negative"},
        {"roundtrip 0 1 -1 1 8 8 0 2 2 2 1 3 1 1 3 3\n", "found 17"},
        {"roundtrip 0 1 -1 1 8 8 0 2 2 2 1 3 1 1 3 3 0 4\n", "found 19"},
        {"roundtrip 0 1 -1 1 8 8 0 2x 2 2 1 3 1 1 3 3 0\n", "'2x'"},
        {"roundtrip 0 1 -1 1 -8 8 0 2 2 2 1 3 1 1 3 3 0\n", "send_bytes"},
        {"roundtrip 0 1 -1 1 99999999999999999999 8 0 2 2 2 1 3 1 1 3 3 0\n", "send_bytes"},
        {"roundtrip 0 1 -1 1 8 8 0 2 2 2 1 3 1 1 3 0 0\n", "reps"},
        {"roundtrip 0 3 -1 1 8 8 0 2 2 2 1 3 1 1 3 3 0\n", ""},
        {"roundtrip 1 1 -1 1 8 8 0 2 2 2 1 3 1 1 3 3 0\n", ""},
        {"roundtrip 0 1 2 1 8 8 0 2 2 2 1 3 1 1 3 3 0\n", ""},
        {"pingpong 0 1 -1 1 8 8 0 2 2 2 1 3 1 1 3 3 0\n", "'pingpong' (known: "},
        {"scatter:linear 3 -1 -1 1 8 0 0 2 2 2 1 3 1 1 3 3 0\n", ""},
        {ROW, "already"},
        {"# duration: soon\n", "duration"},
        {"# duration: -1\n", "duration"},
        {"# processes: 4\n", "3 processes before"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[1024];
        snprintf(text, sizeof text, HEAD ROW "%s" ROW, bad[i].row);
        reading_fails(text, 6, bad[i].says);
    }
}

static void a_broken_header_is_named_with_its_line(void **state)
{
    (void)state;
    reading_fails("", 1, "no complete line");
    reading_fails("hello\n", 1, "not a file of measurements");
    reading_fails(CPM_MEAS_TITLE " 2\n" HEAD, 1, "version '2'");
    reading_fails(CPM_MEAS_TITLE " 1\n# processes: 3\n", 2, "ends within its header");
    reading_fails(CPM_MEAS_TITLE " 1\n# processes: 3\n" ROW, 3, "column names");
    reading_fails(CPM_MEAS_TITLE " 1\n" CPM_MEAS_COLUMNS "\n", 2, "how many processes");
    reading_fails(CPM_MEAS_TITLE " 1\n# processes: few\n" CPM_MEAS_COLUMNS "\n", 2, "'few'");
    reading_fails(CPM_MEAS_TITLE " 1\n# statistic: mode\n" CPM_MEAS_COLUMNS "\n", 2, "'mode'");
    reading_fails(CPM_MEAS_TITLE " 1\n# routines: mine\n" CPM_MEAS_COLUMNS "\n", 2, "'mine'");
    reading_fails(CPM_MEAS_TITLE " 1\n# combining: words\n" CPM_MEAS_COLUMNS "\n", 2, "'words'");
}

/* Files of before do not say it. */
static void a_file_says_what_its_reductions_combine(void **state)
{
    (void)state;
    static const struct {
        const char *says;
        cpm_combining is;
    } files[] = {{"", CPM_COMBINING_BYTES}, {"# combining: doubles\n", CPM_COMBINING_DOUBLES}};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char text[1024];
        cpm_measurements m;
        snprintf(text, sizeof text,
                 CPM_MEAS_TITLE " 1\n# processes: 3\n%s" CPM_MEAS_COLUMNS
                                "\nreduce:binomial 0 -1 -1 1 8 0 0 2 2 2 1 3 1 1 3 3 0\n"
                                "combine-floats 1 -1 -1 4 0 64 0 2 2 2 1 3 1 1 3 3 0\n",
                 files[k].says);
        write_text(text);
        assert_int_equal(cpm_measurements_read(path, &m, NULL, NULL), CPM_OK);
        assert_int_equal(m.at[0].what.collective.combining, files[k].is);
        assert_int_equal(m.at[1].what.kind->combining, CPM_COMBINING_FLOATS);
        cpm_measurements_clear(&m);
    }
}

static void raw_rows_must_have_as_many_samples_as_repetitions(void **state)
{
    (void)state;
    const char *bad[] = {"1,2", "1,2,3,4", "1,2,", "1,nan,3", "1,-2,3"};
    for (int i = 0; i < 5; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 CPM_MEAS_TITLE " 1\n# processes: 3\n" CPM_MEAS_COLUMNS CPM_MEAS_SAMPLES
                                "\nroundtrip 0 1 -1 1 8 8 0 2 2 2 1 3 1 1 3 3 0 %s\n",
                 bad[i]);
        reading_fails(text, 4, "samples");
    }
}

static void a_file_that_is_missing_is_named(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_measurements m = {0};
    assert_int_equal(cpm_measurements_read("no/such.meas", &m, NULL, &e), CPM_EIO);
    assert_non_null(strstr(e.text, "no/such.meas"));
}

/* FIPS 180-2 gives the digest of "abc"; here the reader's is compared with sha256sum's. */
static void the_checksum_is_the_one_of_sha256sum(void **state)
{
    (void)state;
    char checksum[65], expected[65] = "";
    write_text(HEAD ROW);
    cpm_measurements m = reading(checksum);
    cpm_measurements_clear(&m);
    FILE *f = popen("sha256sum test_measurements.meas", "r");
    assert_non_null(f);
    assert_int_equal(fread(expected, 1, 64, f), 64);
    pclose(f);
    assert_string_equal(checksum, expected);
}

/* Wherever a file is cut behind its header, what is whole is read, resumed and read again. */
static void a_file_cut_anywhere_resumes(void **state)
{
    (void)state;
    const char *whole = HEAD ROW "roundtrip 1 2 -1 1 8 8 1 2e-05 2e-05 2e-05 1e-05 3e-05 1e-06 "
                                 "1e-05 3e-05 3 0\n# duration: 2\n";
    for (size_t size = strlen(HEAD); size <= strlen(whole); size++) {
        cpm_error e = {0};
        write_text(whole);
        assert_int_equal(truncate(path, (off_t)size), 0);
        cpm_measurements m = {0};
        assert_int_equal(cpm_metadata_set(&m.metadata, &e, "processes", "3"), CPM_OK);
        cpm_meas_file *f = opened(&m, true, false);
        int there = m.count;
        assert_int_equal(there, (size >= strlen(HEAD ROW)) +
                                    (strstr(whole, "# dur") - whole <= (ptrdiff_t)size));
        cpm_measurement r = round_trip(0, 2);
        assert_int_equal(cpm_meas_append(f, &r, &e), CPM_OK);
        assert_int_equal(cpm_meas_complete(f, 3, &e), CPM_OK);
        cpm_meas_close(f);
        cpm_measurements_clear(&m);
        m = reading(NULL);
        assert_int_equal(m.count, there + 1);
        close_to(m.duration, size == strlen(whole) ? 5 : 3); /* a complete campaign's is added */
        assert_ptr_equal(strstr(strstr(read_text(), "# duration") + 1, "# duration"), NULL);
        cpm_measurements_clear(&m);
    }
}

/* Seconds that are noted once a second are all that a killed campaign says of its duration. */
static void the_time_before_a_kill_counts_after_resuming(void **state)
{
    (void)state;
    cpm_error e = {0};
    write_text(HEAD ROW);
    cpm_measurements m = {0};
    cpm_meas_file *f = opened(&m, true, false);
    assert_int_equal(cpm_meas_sync(f, 0.5, &e), CPM_OK);
    assert_null(strstr(read_text(), "# elapsed"));
    assert_int_equal(cpm_meas_sync(f, 40, &e), CPM_OK);
    cpm_meas_close(f); /* stopped here */
    cpm_measurements_clear(&m);
    f = opened(&m, true, false);
    assert_int_equal(cpm_meas_sync(f, 2, &e), CPM_OK);
    assert_non_null(strstr(read_text(), "# elapsed: 42\n"));
    assert_int_equal(cpm_meas_complete(f, 3, &e), CPM_OK);
    cpm_meas_close(f);
    cpm_measurements_clear(&m);
    m = reading(NULL);
    close_to(m.duration, 43);
    cpm_measurements_clear(&m);
}

static void an_earlier_file_is_kept_under_another_name(void **state)
{
    (void)state;
    forget_kept_files();
    write_text(HEAD ROW);
    cpm_measurements m = header();
    cpm_meas_close(opened(&m, false, false));
    assert_null(strstr(read_text(), "roundtrip"));
    assert_int_equal(rename("test_measurements.meas.~1~", path), 0);
    assert_string_equal(read_text(), HEAD ROW);
    cpm_measurements_clear(&m);
}

static void files_that_were_kept_before_are_kept_on(void **state)
{
    (void)state;
    const char *const kept[] = {"test_measurements.meas.~1~", "test_measurements.meas.~2~",
                                "test_measurements.meas.~3~"};
    forget_kept_files();
    for (int k = 0; k < 3; k++) {
        char mark[32];
        cpm_measurements m = header();
        snprintf(mark, sizeof mark, "# run: %d\n", k);
        write_text(HEAD);
        append_text(mark);
        cpm_meas_close(opened(&m, false, false));
        cpm_measurements_clear(&m);
    }
    for (int k = 0; k < 3; k++) {
        char mark[32];
        snprintf(mark, sizeof mark, "# run: %d\n", k);
        assert_int_equal(rename(kept[k], path), 0);
        assert_non_null(strstr(read_text(), mark));
    }
}

static void a_second_campaign_for_the_same_file_is_refused(void **state)
{
    (void)state;
    for (int resume = 0; resume < 2; resume++) {
        cpm_error e = {0};
        cpm_meas_file *second = NULL;
        cpm_measurements m = header(), other = header();
        unlink(path);
        cpm_meas_file *first = opened(&m, false, false);
        char before[8192];
        strcpy(before, read_text());
        assert_int_equal(cpm_meas_open(path, resume, false, &other, &second, &e), CPM_EIO);
        assert_non_null(strstr(e.text, "another campaign is writing it"));
        assert_null(second);
        assert_string_equal(read_text(), before);
        cpm_meas_close(first);
        cpm_meas_close(opened(&other, true, false));
        cpm_measurements_clear(&m);
        cpm_measurements_clear(&other);
    }
}

/* From the end of the campaign to that of the fit. */
static void a_complete_file_is_read_back_and_nobody_elses_until_it_is_closed(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_meas_file *second = NULL;
    cpm_measurements m = header(), other = header(), read = {0};
    const cpm_measurement row = round_trip(0, 1);
    char checksum[65], of_moved[65];
    unlink(path);
    cpm_meas_file *first = opened(&m, false, false);
    assert_int_equal(cpm_meas_append(first, &row, &e), CPM_OK);
    assert_int_equal(cpm_meas_complete(first, 3, &e), CPM_OK);
    assert_int_equal(cpm_meas_open(path, false, false, &other, &second, &e), CPM_EIO);
    assert_int_equal(rename(path, "test_measurements.moved"), 0);
    cpm_meas_close(opened(&other, false, false)); /* of the same name, by now another file */
    cpm_error_clear(&e);
    assert_int_equal(cpm_meas_read_back(first, &read, checksum, &e), CPM_OK);
    assert_int_equal(read.count, 1);
    close_to(read.duration, 3);
    assert_int_equal(cpm_text_checksum("test_measurements.moved", of_moved, &e), CPM_OK);
    assert_string_equal(checksum, of_moved);
    cpm_meas_close(first);
    unlink("test_measurements.moved");
    cpm_measurements_clear(&read);
    cpm_measurements_clear(&m);
    cpm_measurements_clear(&other);
}

static void resuming_with_other_metadata_names_the_key_and_both_values(void **state)
{
    (void)state;
    const char *keys[] = {"processes", "hosts", "timing", "precision", "statistic"};
    const char *olds[] = {"3", "a b c", "max", "5 to 9", "median"};
    for (int k = 0; k < 5; k++) {
        cpm_error e = {0};
        cpm_meas_file *f = NULL;
        write_text(CPM_MEAS_TITLE " 1\n# processes: 3\n# hosts: a b c\n# timing: max\n"
                                  "# precision: 5 to 9\n# statistic: median\n" CPM_MEAS_COLUMNS
                                  "\n" ROW "torn");
        char before[8192];
        strcpy(before, read_text());
        cpm_measurements m = {0};
        assert_int_equal(cpm_metadata_set(&m.metadata, &e, keys[k], "mean"), CPM_OK);
        assert_int_equal(cpm_meas_open(path, true, false, &m, &f, &e), CPM_EINVAL);
        assert_null(f);
        if (!strstr(e.text, keys[k]) || !strstr(e.text, olds[k]) || !strstr(e.text, "'mean'"))
            fail_msg("%s", e.text);
        assert_string_equal(read_text(), before);
        assert_int_equal(m.count, 0);
        cpm_measurements_clear(&m);
    }
}

static void resuming_raw_and_not_raw_do_not_mix(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_meas_file *f = NULL;
    cpm_measurements m = {0};
    write_text(HEAD ROW);
    assert_int_equal(cpm_meas_open(path, true, true, &m, &f, &e), CPM_EINVAL);
    assert_non_null(strstr(e.text, "raw"));
    assert_string_equal(read_text(), HEAD ROW);
}

static void an_output_that_cannot_be_written_is_refused_at_once(void **state)
{
    (void)state;
    const char *bad[] = {"no/such/folder.meas", "/dev/full", "."};
    for (int i = 0; i < 3; i++) {
        cpm_error e = {0};
        cpm_meas_file *f = NULL;
        cpm_measurements m = header();
        assert_int_equal(cpm_meas_open(bad[i], false, false, &m, &f, &e), CPM_EIO);
        assert_null(f);
        assert_memory_equal(e.text, bad[i], strlen(bad[i]));
        cpm_measurements_clear(&m);
    }
}

static void write_bytes(const char *text, size_t size)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void a_full_disk_is_called_so(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_meas_file *f = NULL;
    cpm_measurements m = header();
    assert_int_equal(cpm_meas_open("/dev/full", false, false, &m, &f, &e), CPM_EIO);
    assert_non_null(strstr(e.text, strerror(ENOSPC)));
    cpm_measurements_clear(&m);
}

static void a_row_without_its_samples_is_not_written_to_a_raw_file(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_measurements m = header();
    cpm_meas_file *f = opened(&m, false, true);
    cpm_measurement r = round_trip(0, 1);
    assert_int_equal(cpm_meas_append(f, &r, &e), CPM_EINVAL);
    assert_int_equal(cpm_meas_complete(f, 1, NULL), CPM_OK);
    cpm_meas_close(f);
    cpm_measurements_clear(&m);
    m = reading(NULL);
    assert_int_equal(m.count, 0);
    cpm_measurements_clear(&m);
}

static void a_zero_byte_is_named_with_its_line(void **state)
{
    (void)state;
    static const char text[] = HEAD "round\0trip 0 1\n" ROW;
    cpm_error e = {0};
    cpm_measurements m = {0};
    write_bytes(text, sizeof text - 1);
    assert_int_equal(cpm_measurements_read(path, &m, NULL, &e), CPM_EPARSE);
    if (!strstr(e.text, ".meas:5: ") || !strstr(e.text, "zero byte"))
        fail_msg("%s", e.text);
}

/* File systems may have the length of a file on disk before its last bytes. */
static void a_tail_of_zeros_after_a_power_cut_is_a_torn_line(void **state)
{
    (void)state;
    static const char text[] = HEAD ROW "round\0\0\0\0";
    cpm_error e = {0};
    write_bytes(text, sizeof text - 1);
    cpm_measurements m = {0};
    assert_int_equal(cpm_metadata_set(&m.metadata, &e, "processes", "3"), CPM_OK);
    cpm_meas_file *f = opened(&m, true, false);
    assert_int_equal(m.count, 1);
    cpm_measurement r = round_trip(0, 2);
    assert_int_equal(cpm_meas_append(f, &r, &e), CPM_OK);
    assert_int_equal(cpm_meas_complete(f, 1, &e), CPM_OK);
    cpm_meas_close(f);
    cpm_measurements_clear(&m);
    m = reading(NULL);
    assert_int_equal(m.count, 2);
    cpm_measurements_clear(&m);
}

/* "a campaign of 3 processes", with metadata "key: value", a NULL at the end. */
static cpm_measurements asked(const char *const *metadata)
{
    cpm_measurements m = header();
    for (; *metadata; metadata += 2)
        assert_int_equal(cpm_metadata_set(&m.metadata, NULL, metadata[0], "%s", metadata[1]),
                         CPM_OK);
    return m;
}

/* What to make of a file of old when a campaign of now is to go on in it. */
static int check(const char *const *old, const char *const *now, cpm_error *e)
{
    cpm_measurements a = asked(old), b = asked(now);
    int status = cpm_resume_check("x.meas", &a, &b.metadata, e);
    cpm_measurements_clear(&a);
    cpm_measurements_clear(&b);
    return status;
}

static void more_of_the_same_goes_on_and_less_or_other_does_not(void **state)
{
    (void)state;
    static const struct {
        const char *key, *old, *now;
        bool goes_on;
    } cases[] = {
        {"sizes", "1 2", "1 2", true},
        {"sizes", "1 2", "4 2 1", true},
        {"sizes", "1 2", "2", false},
        {"sizes", "1 2", "11 22", false},
        {"sizes", "usual", "1", false},
        {"sizes", "1", "all", true},
        {"collectives", "bcast:chain", "bcast:chain:segment=8192", false},
        {"collectives", "bcast:chain", "bcast:linear bcast:chain", true},
        {"collectives", "bcast:chain scatter:chain", "bcast:chain", false},
        {"root", "0", "1", false},
        {"mpi", "MPICH 4", "MPICH 5", false},
        {"binding", "0 1 2", "0-2 0-2 0-2", false},
        {"synthetic", "lmo noise 0 seed 1", "lmo noise 0 seed 2", false},
        {"played", "00", "01", false},
        {"design", "lmo, joint, no thresholds", "lmo, joint", true},
        {"design", "lmo, joint", "lmo, joint, no thresholds", false},
        {"design", "lmo, joint", "lmo2, joint", false},
        {"design", "lmo, joint", "lmo, joint, classes", false},
        {"date", "yesterday", "today", true},
        {"budget", "1", "2", true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cpm_error e = {0};
        const char *old[] = {cases[k].key, cases[k].old, NULL};
        const char *now[] = {cases[k].key, cases[k].now, NULL};
        int status = check(old, now, &e);
        if (status != (cases[k].goes_on ? CPM_OK : CPM_EINVAL))
            fail_msg("%s: '%s', then '%s': %s", cases[k].key, cases[k].old, cases[k].now, e.text);
        if (status && (!strstr(e.text, cases[k].old) || !strstr(e.text, cases[k].now)))
            fail_msg("both are to be shown: %s", e.text);
    }
}

/* What is missing of a file that is complete cannot be forgotten. */
static void a_complete_file_may_get_other_collectives(void **state)
{
    (void)state;
    static const char *const old[] = {"collectives", "bcast:chain scatter:chain", NULL},
                             *const now[] = {"collectives", "scatter:chain gather:chain", NULL};
    char *written = NULL;
    size_t size;
    cpm_measurements a = asked(old), b = asked(now);
    a.duration = 1;
    assert_int_equal(cpm_resume_check("x.meas", &a, &b.metadata, NULL), CPM_OK);
    FILE *f = open_memstream(&written, &size);
    assert_int_equal(cpm_resume_merge("x.meas", &a.metadata, &b.metadata, f, NULL), CPM_OK);
    fclose(f);
    assert_string_equal(written, "# collectives: bcast:chain scatter:chain gather:chain\n");
    free(written);
    cpm_measurements_clear(&a);
    cpm_measurements_clear(&b);
}

static void what_says_nothing_of_noise_has_none_and_what_says_no_root_is_unknown(void **state)
{
    (void)state;
    cpm_error e = {0};
    static const char *const none[] = {NULL}, *const noisy[] = {"noise", "0.1, seed 1", NULL},
                             *const rooted[] = {"root", "1", NULL};
    assert_int_equal(check(none, noisy, &e), CPM_EINVAL);
    assert_non_null(strstr(e.text, "noise is 'none', now it is '0.1, seed 1'"));
    cpm_error_clear(&e);
    assert_int_equal(check(noisy, none, &e), CPM_EINVAL);
    assert_int_equal(check(none, rooted, NULL), CPM_OK);
}

/* Two values that differ far behind are shown where they differ. */
static void of_long_values_is_shown_where_they_differ(void **state)
{
    (void)state;
    cpm_error e = {0};
    char old[4000] = "", now[4000] = "";
    for (int k = 0; k < 300; k++) {
        snprintf(old + strlen(old), sizeof old - strlen(old), "0-%d ", k);
        snprintf(now + strlen(now), sizeof now - strlen(now), "0-%d ", k == 200 ? 7 : k);
    }
    const char *const a[] = {"binding", old, NULL}, *const b[] = {"binding", now, NULL};
    assert_int_equal(check(a, b, &e), CPM_EINVAL);
    assert_non_null(strstr(e.text, " 0-200 "));
    assert_non_null(strstr(e.text, " 0-7 "));
    assert_non_null(strstr(e.text, "use another file"));
}

/* Warnings of two parts, commands and sizes: all of them are in the file, in memory and when it is
 * read again. */
static void each_part_says_what_it_was(void **state)
{
    (void)state;
    static const char *const one[] = {"command", "cpm a", "sizes", "1", "warning", "busy", NULL},
                             *const two[] = {"command", "cpm b", "sizes",     "1 2",
                                             "warning", "busy",  "warning_2", "moved",
                                             "root",    "0",     NULL};
    unlink(path);
    cpm_measurements m = asked(one), late = {0};
    cpm_meas_file *f = opened(&m, false, false);
    cpm_measurement r = round_trip(0, 2);
    assert_int_equal(cpm_meas_append(f, &r, NULL), CPM_OK);
    assert_int_equal(cpm_meas_complete(f, 1, NULL), CPM_OK);
    cpm_meas_close(f);
    cpm_measurements_clear(&m);

    m = asked(two);
    f = opened(&m, true, false);
    assert_int_equal(cpm_metadata_append(&late.metadata, NULL, "warning", "late"), CPM_OK);
    assert_int_equal(cpm_meas_add(f, &m.metadata, "warning", &late.metadata, NULL), CPM_OK);
    assert_int_equal(cpm_meas_complete(f, 1, NULL), CPM_OK);
    cpm_meas_close(f);
    cpm_measurements again = reading(NULL);
    static const char *const all[][2] = {{"command", "cpm a"},     {"command_2", "cpm b"},
                                         {"sizes", "1 2"},         {"warning", "busy"},
                                         {"warning_2", "moved"},   {"warning_3", "late"},
                                         {"not_compared", "root"}, {"root", "0"}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        assert_string_equal(cpm_metadata_get(&m.metadata, all[k][0]), all[k][1]);
        assert_string_equal(cpm_metadata_get(&again.metadata, all[k][0]), all[k][1]);
    }
    assert_null(cpm_metadata_get(&again.metadata, "warning_4"));
    assert_int_equal(again.count, 1);
    cpm_metadata_clear(&late.metadata);
    cpm_measurements_clear(&again);
    cpm_measurements_clear(&m);
}

static void links_of_the_header_are_those_of_its_hosts(void **state)
{
    (void)state;
    cpm_measurements m = {.n = 4};
    cpm_links l;
    cpm_error e = {0};
    assert_int_equal(cpm_measurements_links(&m, 4, &l, NULL), CPM_OK);
    assert_int_equal(l.count, 0);
    assert_int_equal(
        cpm_metadata_set(&m.metadata, NULL, CPM_METADATA_LINKS, "%s", "wan 0-1 > 2-3 | x 3 > 0"),
        CPM_OK);
    assert_int_equal(cpm_measurements_links(&m, 4, &l, NULL), CPM_OK);
    assert_int_equal(l.count, 2);
    assert_string_equal(l.name[1], "x");
    cpm_links_clear(&l);
    assert_int_equal(cpm_measurements_links(&m, 3, &l, &e), CPM_EDATA);
    assert_non_null(strstr(e.text, "the header's links are wrong: link 'wan': expected"));
    cpm_error_clear(&e);
    cpm_measurements_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(raw_samples_come_back_and_a_fit_uses_their_location),
        cmocka_unit_test(the_interval_of_the_value_is_that_of_the_location_where_it_is_known),
        cmocka_unit_test(files_of_before_are_read_and_resumed),
        cmocka_unit_test(every_one_of_many_experiments_is_found),
        cmocka_unit_test(a_broken_row_is_named_with_its_line),
        cmocka_unit_test(a_broken_header_is_named_with_its_line),
        cmocka_unit_test(a_file_says_what_its_reductions_combine),
        cmocka_unit_test(raw_rows_must_have_as_many_samples_as_repetitions),
        cmocka_unit_test(a_file_that_is_missing_is_named),
        cmocka_unit_test(the_checksum_is_the_one_of_sha256sum),
        cmocka_unit_test(a_file_cut_anywhere_resumes),
        cmocka_unit_test(the_time_before_a_kill_counts_after_resuming),
        cmocka_unit_test(an_earlier_file_is_kept_under_another_name),
        cmocka_unit_test(files_that_were_kept_before_are_kept_on),
        cmocka_unit_test(a_second_campaign_for_the_same_file_is_refused),
        cmocka_unit_test(a_complete_file_is_read_back_and_nobody_elses_until_it_is_closed),
        cmocka_unit_test(resuming_with_other_metadata_names_the_key_and_both_values),
        cmocka_unit_test(more_of_the_same_goes_on_and_less_or_other_does_not),
        cmocka_unit_test(a_complete_file_may_get_other_collectives),
        cmocka_unit_test(what_says_nothing_of_noise_has_none_and_what_says_no_root_is_unknown),
        cmocka_unit_test(of_long_values_is_shown_where_they_differ),
        cmocka_unit_test(each_part_says_what_it_was),
        cmocka_unit_test(resuming_raw_and_not_raw_do_not_mix),
        cmocka_unit_test(an_output_that_cannot_be_written_is_refused_at_once),
        cmocka_unit_test(a_full_disk_is_called_so),
        cmocka_unit_test(a_row_without_its_samples_is_not_written_to_a_raw_file),
        cmocka_unit_test(a_zero_byte_is_named_with_its_line),
        cmocka_unit_test(a_tail_of_zeros_after_a_power_cut_is_a_torn_line),
        cmocka_unit_test(links_of_the_header_are_those_of_its_hosts),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
