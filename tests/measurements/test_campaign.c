/* Campaigns on a machine in memory: nothing measured twice, everything measured on disk. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "measurements/campaign.h"
#include "tests/folder.h"

static const char path[] = "test_campaign.meas";

/* One process that plays n; its clock counts experiments. */
typedef struct {
    cpm_machine base;
    int rounds, experiments; /* measured */
    int largest;             /* experiments in a round */
    int fail_at;             /* this round fails; -1: none */
    int repetitions[8];      /* at most, of each of the first rounds */
    const char *hosts;
} fake;

static int measure(cpm_machine *m, const cpm_experiment *x, int count, const cpm_precision *p,
                   cpm_measurement *results, cpm_error *e)
{
    fake *f = (fake *)m;
    if (f->rounds < 8)
        f->repetitions[f->rounds] = p->max_reps;
    if (f->rounds == f->fail_at)
        return cpm_fail(e, CPM_EMPI, "the power failed");
    for (int i = 0; i < count; i++) {
        double seconds = 1 + x[i].i + 10 * x[i].j;
        results[i] = (cpm_measurement){
            .what = x[i], .summary = {seconds, seconds, seconds, seconds, 0, seconds, seconds, 1}};
        results[i].samples = malloc(sizeof seconds);
        assert_non_null(results[i].samples);
        results[i].samples[0] = seconds;
    }
    f->rounds++;
    f->experiments += count;
    f->largest = count > f->largest ? count : f->largest;
    return CPM_OK;
}

static int broadcast(cpm_machine *m, void *data, size_t bytes, cpm_error *e)
{
    (void)m, (void)data, (void)bytes, (void)e;
    return CPM_OK;
}

static int agree(cpm_machine *m, int status, cpm_error *e)
{
    (void)m, (void)e;
    return status;
}

static double now(cpm_machine *m)
{
    return ((fake *)m)->experiments;
}

static int describe(cpm_machine *m, cpm_metadata *metadata, cpm_error *e)
{
    return cpm_metadata_set(metadata, e, "hosts", "%s", ((fake *)m)->hosts);
}

static fake machine(int n)
{
    return (fake){.base = {.n = n,
                           .measure = measure,
                           .broadcast = broadcast,
                           .agree = agree,
                           .now = now,
                           .describe = describe},
                  .fail_at = -1,
                  .hosts = "somewhere"};
}

static cpm_design tournament(int n)
{
    cpm_error e = {0};
    cpm_design d = {0};
    assert_int_equal(cpm_design_tournament(&d, n, 64, &e), CPM_OK);
    return d;
}

static cpm_campaign options(const char *to)
{
    return (cpm_campaign){.path = to, .precision = CPM_PRECISION_DEFAULT};
}

static int run(fake *f, const cpm_campaign *o, cpm_measurements *out, cpm_error *e)
{
    cpm_design d = tournament(f->base.n);
    int status = cpm_campaign_run(&f->base, cpm_plan_fixed, &d, o, out, e);
    cpm_design_clear(&d);
    return status;
}

static int results_on_disk(void)
{
    cpm_error e = {0};
    cpm_measurements m = {0};
    if (cpm_measurements_read(path, &m, NULL, &e))
        fail_msg("%s", e.text);
    int count = m.count;
    cpm_measurements_clear(&m);
    return count;
}

static void a_campaign_measures_its_design_once(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_measurements out = {0};
    fake f = machine(6);
    cpm_campaign o = options(path);
    assert_int_equal(run(&f, &o, &out, &e), CPM_OK);
    assert_int_equal(f.experiments, 15);
    assert_int_equal(f.rounds, 5);
    assert_int_equal(f.largest, 3);
    assert_int_equal(out.count, 15);
    assert_true(fabs(out.duration - 15) < 1e-9);
    assert_int_equal(results_on_disk(), 15);
    cpm_measurements_clear(&out);
}

/* Of the experiment of processes 1 and 4 all, of others a tenth. */
static int most_of_one(void *context, const cpm_experiment *x, int most)
{
    (void)context;
    return x->i == 1 && x->j == 4 ? most : most / 10;
}

static void a_round_is_repeated_as_often_as_its_worthiest_experiment(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_measurements out = {0};
    fake f = machine(6);
    cpm_campaign o = options(NULL);
    o.precision.min_reps = 5;
    o.precision.max_reps = 200;
    o.repetitions = most_of_one;
    assert_int_equal(run(&f, &o, &out, &e), CPM_OK);
    for (int i = 0; i < out.count; i++) {
        const cpm_measurement *r = &out.at[i];
        if (r->what.i == 1 && r->what.j == 4)
            assert_int_equal(f.repetitions[r->round], 200);
    }
    int sum = 0;
    for (int r = 0; r < f.rounds; r++)
        sum += f.repetitions[r];
    assert_int_equal(sum, 200 + 4 * 20);
    cpm_measurements_clear(&out);
}

static void an_experiment_is_never_worth_less_than_the_least_repetitions(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_measurements out = {0};
    fake f = machine(2);
    cpm_campaign o = options(NULL);
    o.precision.min_reps = o.precision.max_reps = 30;
    o.repetitions = most_of_one;
    assert_int_equal(run(&f, &o, &out, &e), CPM_OK);
    assert_int_equal(f.repetitions[0], 30);
    cpm_measurements_clear(&out);
}

static void the_header_says_what_was_asked_and_where(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_measurements out = {0}, m = {0};
    fake f = machine(4);
    cpm_campaign o = options(path);
    assert_int_equal(cpm_metadata_set(&o.metadata, &e, "command", "cpm measure"), CPM_OK);
    assert_int_equal(run(&f, &o, &out, &e), CPM_OK);
    cpm_metadata_clear(&o.metadata);
    assert_int_equal(cpm_measurements_read(path, &m, NULL, &e), CPM_OK);
    assert_string_equal(cpm_metadata_get(&m.metadata, "command"), "cpm measure");
    assert_string_equal(cpm_metadata_get(&m.metadata, "hosts"), "somewhere");
    assert_string_equal(cpm_metadata_get(&m.metadata, "processes"), "4");
    assert_string_equal(cpm_metadata_get(&m.metadata, "statistic"), "median");
    assert_non_null(strstr(cpm_metadata_get(&m.metadata, "precision"), "0.025"));
    assert_non_null(cpm_metadata_get(&m.metadata, "date"));
    cpm_measurements_clear(&m);
    cpm_measurements_clear(&out);
}

static void a_serial_campaign_measures_one_at_a_time(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_measurements out = {0};
    fake f = machine(6);
    cpm_campaign o = options(NULL);
    o.serial = true;
    assert_int_equal(run(&f, &o, &out, &e), CPM_OK);
    assert_int_equal(f.rounds, 15);
    assert_int_equal(f.largest, 1);
    cpm_measurements_clear(&out);
}

/* Whichever round fails, the ones before are in memory and on disk, and only the rest is measured
 * on resuming. */
static void a_campaign_killed_in_any_round_resumes(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++) {
        cpm_error e = {0};
        cpm_measurements out = {0};
        fake f = machine(6);
        cpm_campaign o = options(path);
        f.fail_at = k;
        assert_int_equal(run(&f, &o, &out, &e), CPM_EMPI);
        assert_string_equal(e.text, "the power failed");
        assert_int_equal(out.count, 3 * k);
        assert_true(out.duration < 0);
        assert_int_equal(results_on_disk(), 3 * k);
        cpm_measurements_clear(&out);

        cpm_error_clear(&e);
        fake again = machine(6);
        o.resume = true;
        assert_int_equal(run(&again, &o, &out, &e), CPM_OK);
        assert_int_equal(again.experiments, 15 - 3 * k);
        assert_int_equal(out.count, 15);
        assert_int_equal(out.at[14].round, 4);
        assert_int_equal(results_on_disk(), 15);
        cpm_measurements_clear(&out);
    }
}

static void a_complete_campaign_resumed_measures_nothing_and_keeps_its_duration(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_measurements out = {0}, m = {0};
    fake f = machine(4), again = machine(4);
    cpm_campaign o = options(path);
    assert_int_equal(run(&f, &o, &out, &e), CPM_OK);
    cpm_measurements_clear(&out);
    o.resume = true;
    assert_int_equal(run(&again, &o, &out, &e), CPM_OK);
    assert_int_equal(again.experiments, 0);
    assert_int_equal(cpm_measurements_read(path, &m, NULL, &e), CPM_OK);
    assert_true(fabs(m.duration - 6) < 1e-9);
    assert_true(fabs(out.duration - m.duration) < 1e-9); /* memory says what the file says */
    cpm_measurements_clear(&m);
    cpm_measurements_clear(&out);
}

static void a_campaign_of_other_hosts_is_not_resumed(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_measurements out = {0};
    fake f = machine(4), other = machine(4);
    cpm_campaign o = options(path);
    assert_int_equal(run(&f, &o, &out, &e), CPM_OK);
    cpm_measurements_clear(&out);
    o.resume = true;
    other.hosts = "elsewhere";
    assert_int_equal(run(&other, &o, &out, &e), CPM_EINVAL);
    assert_non_null(strstr(e.text, "somewhere"));
    assert_non_null(strstr(e.text, "elsewhere"));
    assert_int_equal(other.experiments, 0);
    cpm_measurements_clear(&out);
}

/* Asks for one pair twice at once, then again, and for a second pair once the first is there. */
static int repeat_and_refine(void *context, int n, const cpm_measurements *so_far, cpm_design *next,
                             cpm_error *e)
{
    (void)n;
    ++*(int *)context;
    cpm_experiment x = {.kind = cpm_experiment_kinds, .j = 1, .k = -1, .count = 1};
    int status = CPM_OK;
    for (int twice = 0; twice < 2 && !status; twice++) {
        status = cpm_design_add(next, &x, e);
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    x.j = 2;
    if (!status && so_far->count > 0)
        status = cpm_design_add(next, &x, e);
    return status ? status : cpm_design_close_round(next, e);
}

static void an_experiment_asked_for_twice_is_measured_once(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_measurements out = {0};
    fake f = machine(3);
    cpm_campaign o = options(path);
    int calls = 0;
    assert_int_equal(cpm_campaign_run(&f.base, repeat_and_refine, &calls, &o, &out, &e), CPM_OK);
    assert_int_equal(calls, 3);
    assert_int_equal(f.experiments, 2);
    assert_int_equal(out.count, 2);
    assert_int_equal(results_on_disk(), 2);
    cpm_measurements_clear(&out);
}

static int out_of_range(void *context, int n, const cpm_measurements *so_far, cpm_design *next,
                        cpm_error *e)
{
    (void)context, (void)so_far;
    cpm_experiment x = {.kind = cpm_experiment_kinds, .j = n, .k = -1, .count = 1};
    int status = cpm_design_add(next, &x, e);
    return status ? status : cpm_design_close_round(next, e);
}

static void a_plan_with_a_rank_out_of_range_is_not_measured(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_measurements out = {0};
    fake f = machine(3);
    cpm_campaign o = options(NULL);
    assert_int_equal(cpm_campaign_run(&f.base, out_of_range, NULL, &o, &out, &e), CPM_EINVAL);
    assert_int_equal(f.experiments, 0);
    cpm_measurements_clear(&out);
}

static void an_output_that_cannot_be_written_stops_before_measuring(void **state)
{
    (void)state;
    const char *bad[] = {"no/such/folder.meas", "/dev/full"};
    for (int i = 0; i < 2; i++) {
        cpm_error e = {0};
        cpm_measurements out = {0};
        fake f = machine(4);
        cpm_campaign o = options(bad[i]);
        assert_int_equal(run(&f, &o, &out, &e), CPM_EIO);
        assert_non_null(strstr(e.text, bad[i]));
        assert_int_equal(f.rounds, 0);
        cpm_measurements_clear(&out);
    }
}

/* A disk with room for a few rows: a limit on the size of files. */
static void a_disk_that_fills_up_keeps_the_whole_rows(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_measurements out = {0};
    fake f = machine(20);
    cpm_campaign o = options(path);
    struct rlimit old, small;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 4096;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int status = run(&f, &o, &out, &e);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(status, CPM_EIO);
    assert_non_null(strstr(e.text, path));
    assert_true(f.experiments < 190);
    assert_int_equal(out.count, f.experiments); /* memory holds all */
    cpm_measurements_clear(&out);

    cpm_error_clear(&e);
    int kept = results_on_disk();
    assert_in_range(kept, 1, f.experiments - 1);
    fake again = machine(20);
    o.resume = true;
    assert_int_equal(run(&again, &o, &out, &e), CPM_OK);
    assert_int_equal(again.experiments, 190 - kept);
    assert_int_equal(results_on_disk(), 190);
    cpm_measurements_clear(&out);
}

static void count_calls(void *context, int done, int total, double seconds)
{
    int *calls = context;
    ++*calls;
    assert_int_equal(done, *calls * 2);
    assert_int_equal(total, 6);
    assert_true(seconds >= 0);
}

static void progress_is_told_after_every_round(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_measurements out = {0};
    fake f = machine(4);
    cpm_campaign o = options(NULL);
    int calls = 0;
    o.progress = count_calls;
    o.progress_context = &calls;
    assert_int_equal(run(&f, &o, &out, &e), CPM_OK);
    assert_int_equal(calls, 3);
    cpm_measurements_clear(&out);
}

/* Forgets to close its round. */
static int one_open_round(void *context, int n, const cpm_measurements *so_far, cpm_design *next,
                          cpm_error *e)
{
    (void)context, (void)n, (void)so_far;
    cpm_experiment x = {.kind = cpm_experiment_kinds, .j = 1, .k = -1, .count = 1};
    return cpm_design_add(next, &x, e);
}

static void a_round_left_open_is_measured_too(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_measurements out = {0};
    fake f = machine(3), again = machine(3);
    cpm_campaign o = options(NULL);
    assert_int_equal(cpm_campaign_run(&f.base, one_open_round, NULL, &o, &out, &e), CPM_OK);
    assert_int_equal(out.count, 1);
    cpm_measurements_clear(&out);

    cpm_design d = {0};
    assert_int_equal(one_open_round(NULL, 3, NULL, &d, &e), CPM_OK);
    assert_int_equal(cpm_campaign_run(&again.base, cpm_plan_fixed, &d, &o, &out, &e), CPM_OK);
    assert_int_equal(out.count, 1);
    cpm_design_clear(&d);
    cpm_measurements_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_campaign_measures_its_design_once),
        cmocka_unit_test(a_round_is_repeated_as_often_as_its_worthiest_experiment),
        cmocka_unit_test(an_experiment_is_never_worth_less_than_the_least_repetitions),
        cmocka_unit_test(the_header_says_what_was_asked_and_where),
        cmocka_unit_test(a_serial_campaign_measures_one_at_a_time),
        cmocka_unit_test(a_campaign_killed_in_any_round_resumes),
        cmocka_unit_test(a_complete_campaign_resumed_measures_nothing_and_keeps_its_duration),
        cmocka_unit_test(a_campaign_of_other_hosts_is_not_resumed),
        cmocka_unit_test(an_experiment_asked_for_twice_is_measured_once),
        cmocka_unit_test(a_plan_with_a_rank_out_of_range_is_not_measured),
        cmocka_unit_test(an_output_that_cannot_be_written_stops_before_measuring),
        cmocka_unit_test(a_disk_that_fills_up_keeps_the_whole_rows),
        cmocka_unit_test(progress_is_told_after_every_round),
        cmocka_unit_test(a_round_left_open_is_measured_too),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
