/* A file that was cut anywhere is read as what is left of it, or refused in one sentence that names
 * it; and what is left of a campaign goes on to the same campaign, or is refused. */
#include "measured.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text_file.h"
#include "cpm/cpm.h"
#include "estimators/class_rules.h"
#include "tables/decision_table.h"

static char path[] = "/tmp/cpm-cut.XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

/* Between the cuts of a campaign, each of which is measured again: 1 with CPM_TEST_LENGTH=10. */
static size_t step(void)
{
    const char *length = getenv("CPM_TEST_LENGTH");
    int times = length ? atoi(length) : 1;
    return times >= 10 ? 1 : times > 1 ? (size_t)(40 / times) : 40;
}

static void write_file(const char *text, size_t size)
{
    assert_int_equal(unlink(path),
                     0); /* some file systems wait for the disk where one is replaced */
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void expect_one_sentence(const cpm_error *e)
{
    assert_int_not_equal(e->code, CPM_OK);
    assert_non_null(strstr(e->text, path));
    assert_null(strchr(e->text, '\n'));
}

/* ---- files that are read whole or not at all */

typedef int read_and_free(cpm_error *e);

static int read_model(cpm_error *e)
{
    cpm_model *m = NULL;
    int status = cpm_model_read(path, &m, e);
    cpm_model_free(m);
    return status;
}

static int read_table(cpm_error *e)
{
    cpm_table *t = NULL;
    int status = cpm_table_read(path, &t, e);
    cpm_table_free(t);
    return status;
}

static int read_map(cpm_error *e)
{
    cpm_map *m = NULL;
    int status = cpm_map_read(path, &m, e);
    cpm_map_free(m);
    return status;
}

static int read_topology(cpm_error *e)
{
    cpm_topology *t = NULL;
    int status = cpm_topology_read(path, &t, e);
    cpm_topology_free(t);
    return status;
}

static int read_rules(cpm_error *e)
{
    cpm_class_rules *r = NULL;
    int status = cpm_class_rules_read(path, &r, e);
    cpm_class_rules_free(r);
    return status;
}

/* Cuts text everywhere. Returns how many of the cuts were read; with the last mark characters cut
 * it is whole. */
static int cut_everywhere(read_and_free *read, const char *text)
{
    int good = 0;
    for (size_t size = 0; size <= strlen(text); size++) {
        cpm_error e = {0};
        write_file(text, size);
        if (read(&e))
            expect_one_sentence(&e);
        else
            good++;
    }
    return good;
}

static void cut_models_are_refused(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(3, 1);
    char *text;
    size_t size;
    assert_int_equal(cpm_model_write(m, path, NULL), CPM_OK);
    assert_int_equal(cpm_text_read(path, &text, &size, NULL), CPM_OK);
    assert_int_equal(cut_everywhere(read_model, text), 2); /* all, and all but the last newline */
    free(text);
    cpm_model_free(m);
}

static void cut_decision_tables_are_refused(void **state)
{
    (void)state;
    const char text[] =
        "{\"format\": \"cpm table\", \"version\": 1, \"operations\": {\"bcast\": {\"4\": "
        "[{\"from\": 0, "
        "\"algorithm\": \"binomial\", \"seconds\": 0.125}, {\"from\": 1024, \"algorithm\": "
        "\"chain:segment=8K\"}]}}}";
    assert_int_equal(cut_everywhere(read_table, text), 1);
}

static void cut_maps_are_refused(void **state)
{
    (void)state;
    const char text[] = "algorithm bcast:binomial\nsize 16384\nnode 0 process 3  # a\n"
                        "node 1 process 1\nnode 2 process 0\nnode 3 process 2\n";
    assert_int_equal(cut_everywhere(read_map, text), 2);
}

/* They have no end that could be missing. */
static void what_is_left_of_rules_and_topologies_is_read_or_refused(void **state)
{
    (void)state;
    const char topology[] = "switch left\nswitch right\nlink left right\nhost 0 left\n"
                            "host 1 right\nhost 2 left\n";
    assert_int_equal(cut_everywhere(read_topology, topology) > 0, true);
    assert_int_equal(
        cut_everywhere(read_rules, "# who\nthin* thin\nfat? fat\nranks 0-3 login\n") > 0, true);
}

/* ---- measurements */

static int campaign_to(const cpm_model *truth, bool resume, cpm_measurements *m, cpm_error *e)
{
    cpm_machine *machine;
    cpm_estimation options = without_thresholds();
    cpm_estimator_context context = {estimator_of("hockney", NULL), &options};
    cpm_campaign campaign = {
        .path = path, .resume = resume, .precision = {3, 3, 0.95, 0.025, CPM_MEDIAN, 0}};
    assert_int_equal(cpm_synthetic_create(truth, 0, 1, &machine, NULL), CPM_OK);
    int status = cpm_campaign_run(machine, cpm_estimator_planner, &context, &campaign, m, e);
    machine->free(machine);
    return status;
}

/* The text of a whole campaign, and its results. */
static char *whole_campaign(const cpm_model *truth, cpm_measurements *m)
{
    char *text;
    size_t size;
    write_file("", 0);
    assert_int_equal(campaign_to(truth, false, m, NULL), CPM_OK);
    assert_int_equal(cpm_text_read(path, &text, &size, NULL), CPM_OK);
    assert_true(m->count > 3);
    return text;
}

/* They are the same as in the whole campaign. */
static void expect_part_of(const cpm_measurements *all, const cpm_measurements *m)
{
    for (int i = 0; i < m->count; i++) {
        int k = cpm_measurements_find(all, &m->at[i].what);
        assert_true(k >= 0);
        assert_true(fabs(m->at[i].summary.median - all->at[k].summary.median) <=
                    1e-11 * all->at[k].summary.median);
    }
}

static void cut_measurements_are_those_before_the_cut(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo(3, 1);
    cpm_measurements all = {0};
    char *text = whole_campaign(truth, &all);
    int before = 0;
    for (size_t size = 0; size <= strlen(text); size++) {
        cpm_measurements m = {0};
        cpm_error e = {0};
        write_file(text, size);
        if (cpm_measurements_read(path, &m, NULL, &e)) {
            expect_one_sentence(&e);
            assert_int_equal(before, 0); /* cut in its header */
            continue;
        }
        expect_part_of(&all, &m);
        assert_true(m.count == before || m.count == before + 1);
        before = m.count;
        cpm_measurements_clear(&m);
    }
    assert_int_equal(before, all.count);
    free(text);
    cpm_measurements_clear(&all);
    cpm_model_free(truth);
}

static void cut_campaigns_go_on_to_the_same_or_are_refused(void **state)
{
    (void)state;
    cpm_model *truth = random_lmo(3, 1);
    cpm_measurements all = {0};
    char *text = whole_campaign(truth, &all);
    int completed = 0;
    for (size_t size = 0; size <= strlen(text); size += step()) {
        cpm_measurements m = {0};
        cpm_error e = {0};
        write_file(text, size);
        if (campaign_to(truth, true, &m, &e)) {
            expect_one_sentence(&e);
        } else {
            assert_int_equal(m.count, all.count);
            expect_part_of(&all, &m);
            completed++;
        }
        cpm_measurements_clear(&m);
    }
    assert_true(completed > 1);
    free(text);
    cpm_measurements_clear(&all);
    cpm_model_free(truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_models_are_refused),
        cmocka_unit_test(cut_decision_tables_are_refused),
        cmocka_unit_test(cut_maps_are_refused),
        cmocka_unit_test(what_is_left_of_rules_and_topologies_is_read_or_refused),
        cmocka_unit_test(cut_measurements_are_those_before_the_cut),
        cmocka_unit_test(cut_campaigns_go_on_to_the_same_or_are_refused),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
