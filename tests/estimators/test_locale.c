/* An application may have set the locale of a country that writes 0,5: files, messages and
 * fingerprints are the same, in both directions. */
#include "measured.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text_file.h"
#include "collectives/collective.h"
#include "cpm/cpm.h"
#include "measurements/import_reader.h"
#include "tables/decision_table.h"

static char folder[] = "/tmp/cpm-locale.XXXXXX";

/* Needs no permission, only the sources of locales (Debian: locales). */
static int make_locale(void **state)
{
    (void)state;
    char command[200];
    if (!mkdtemp(folder))
        return -1;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8", folder);
    setenv("LOCPATH", folder, 1);
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    return system(command);
}

static int remove_locale(void **state)
{
    (void)state;
    char command[100];
    setlocale(LC_ALL, "C");
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* Whether numbers have a comma from here on. */
static void set_comma(bool comma)
{
    char text[8];
    assert_non_null(setlocale(LC_ALL, comma ? "" : "C"));
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, comma ? "0,5" : "0.5");
}

/* A file of this test, by its name. */
static const char *in_folder(const char *name)
{
    static char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* What a file says besides its date; freed by the caller. */
static char *said_by(const char *path)
{
    char *text, *date;
    size_t size;
    assert_int_equal(cpm_text_read(path, &text, &size, NULL), CPM_OK);
    date = strstr(text, "date");
    if (date)
        memset(date, '-', strcspn(date, "\n"));
    return text;
}

static void measure_to(const char *path)
{
    cpm_error e = {0};
    cpm_machine *machine;
    cpm_measurements m = {0};
    cpm_estimation options = without_thresholds();
    cpm_estimator_context context = {estimator_of("lmo", "joint"), &options};
    cpm_campaign campaign = {
        .path = path, .raw = true, .precision = {3, 5, 0.95, 0.025, CPM_MEDIAN, 0}};
    cpm_model *truth = random_lmo(3, 1);
    assert_int_equal(cpm_synthetic_create(truth, 0.1, 1, &machine, &e), CPM_OK);
    if (cpm_campaign_run(machine, cpm_estimator_planner, &context, &campaign, &m, &e))
        fail_msg("%s", e.text);
    machine->free(machine);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

/* What write makes of a name is the same with point and comma. */
static void expect_same_file(void (*write)(const char *path))
{
    set_comma(false);
    write(in_folder("file"));
    char *point = said_by(in_folder("file"));
    assert_int_equal(unlink(in_folder("file")), 0);
    set_comma(true);
    write(in_folder("file"));
    char *comma = said_by(in_folder("file"));
    assert_int_equal(unlink(in_folder("file")), 0);
    assert_string_equal(point, comma);
    assert_non_null(strchr(point, '.'));
    free(point);
    free(comma);
}

static void measurements_are_written_the_same(void **state)
{
    (void)state;
    expect_same_file(measure_to);
}

static void fit_to(const char *path)
{
    char measurements[100];
    cpm_error e = {0};
    cpm_model *m;
    snprintf(measurements, sizeof measurements, "%s/m.meas", folder);
    measure_to(measurements);
    if (cpm_model_fit(measurements, "lmo", "joint", &m, &e))
        fail_msg("%s", e.text);
    assert_int_equal(cpm_model_write(m, path, NULL), CPM_OK);
    cpm_model_free(m);
    assert_int_equal(unlink(measurements), 0);
}

static void models_are_fitted_written_and_read_the_same(void **state)
{
    (void)state;
    cpm_model *m, *again;
    set_comma(true);
    fit_to(in_folder("model"));
    assert_int_equal(cpm_model_read(in_folder("model"), &m, NULL), CPM_OK);
    set_comma(false);
    assert_int_equal(cpm_model_read(in_folder("model"), &again, NULL), CPM_OK);
    for (int i = 0; i < 3; i++)
        assert_true(cpm_model_value(m, "C", i, -1, 0, NULL) ==
                    cpm_model_value(again, "C", i, -1, 0, NULL));
    cpm_model_free(m);
    cpm_model_free(again);
}

static void write_table(const char *path)
{
    static const char text[] = "{\"format\": \"cpm table\", \"version\": 1, \"operations\": "
                               "{\"bcast\": {\"4\": [{\"from\": 0, "
                               "\"algorithm\": \"binomial\", \"seconds\": 0.125}]}}}";
    cpm_table *t;
    assert_int_equal(cpm_text_write(path, text, CPM_FILE_UNKNOWN, NULL), CPM_OK);
    assert_int_equal(cpm_table_read(path, &t, NULL), CPM_OK);
    assert_int_equal(cpm_table_write(t, path, NULL), CPM_OK);
    cpm_table_free(t);
}

static void decision_tables_are_read_and_written_the_same(void **state)
{
    (void)state;
    expect_same_file(write_table);
}

static void write_fingerprint(const char *path)
{
    const double weights[] = {1, 0.25, 1.5, 3};
    const cpm_placement at = {.weights = weights, .n = 4};
    char text[CPM_FINGERPRINT + 8];
    cpm_placement_fingerprint(&at, text);
    strcat(text, ".");
    assert_int_equal(cpm_text_write(path, text, CPM_FILE_UNKNOWN, NULL), CPM_OK);
}

static void fingerprints_are_the_same(void **state)
{
    (void)state;
    expect_same_file(write_fingerprint);
}

static void write_sentences(const char *path)
{
    cpm_error e = {0};
    char *notes = NULL, all[600];
    cpm_fail(&e, CPM_EDATA, "after %g s", 0.5);
    assert_int_equal(cpm_note(&notes, NULL, "by %.1f %%", 0.5), CPM_OK);
    snprintf(all, sizeof all, "%s %s", e.text, notes);
    assert_int_equal(cpm_text_write(path, all, CPM_FILE_UNKNOWN, NULL), CPM_OK);
    free(notes);
}

static void messages_and_notes_are_the_same(void **state)
{
    (void)state;
    expect_same_file(write_sentences);
}

static void results_of_other_benchmarks_are_read_the_same(void **state)
{
    (void)state;
    double seconds;
    for (int comma = 0; comma < 2; comma++) {
        set_comma(comma);
        assert_true(cpm_import_microseconds("2.5", &seconds));
        assert_true(fabs(seconds - 2.5e-6) < 1e-18);
        assert_false(cpm_import_microseconds("2,5", &seconds));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measurements_are_written_the_same),
        cmocka_unit_test(models_are_fitted_written_and_read_the_same),
        cmocka_unit_test(decision_tables_are_read_and_written_the_same),
        cmocka_unit_test(fingerprints_are_the_same),
        cmocka_unit_test(messages_and_notes_are_the_same),
        cmocka_unit_test(results_of_other_benchmarks_are_read_the_same),
    };
    return cmocka_run_group_tests(tests, make_locale, remove_locale);
}
