/* What a random model of hosts measures is fitted back, for any layout. */
#include "estimators/lmo2.h"
#include "fitted_levels.h"
#include "models/experiments.h"

static void models_of_hosts_are_found_again_whatever_the_layout(void **state)
{
    (void)state;
    static const struct {
        int n, host[16];
    } layouts[] = {
        {16, {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}},
        {12, {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}},
        {13, {0, 1, 1, 2, 3, 2, 0, 0, 1, 0, 3, 3, 3}},
    };
    for (size_t q = 0; q < sizeof layouts / sizeof *layouts; q++) {
        cpm_model *truth = hosts_model(layouts[q].host, layouts[q].n, 1 + (unsigned)q);
        cpm_model *fit = estimated("lmo2", NULL, truth, 0, 2, 1);
        assert_int_equal(fit->inside.count, 2);
        assert_memory_equal(fit->inside.at, truth->inside.at, 2 * sizeof(size_t));
        expect_close(truth, fit, CPM_LMO2_CS, CPM_LMO2_INVBETA);
        expect_close(truth, fit, CPM_LMO2_INSIDE_CS, CPM_LMO2_INSIDE_INVBETA);
        expect_close(truth, fit, CPM_LMO2_INSIDE_RENDEZVOUS, CPM_LMO2_INSIDE_RENDEZVOUS);
        expect_same_predictions(truth, fit, 0.02);
        cpm_model_free(truth);
        cpm_model_free(fit);
    }
}

static void two_processes_are_enough_for_a_host(void **state)
{
    (void)state;
    cpm_model *truth = hosts_model((const int[]){0, 0}, 2, 4);
    truth->value[CPM_LMO2_MEMORY][0] = NAN; /* two do not show it */
    cpm_model *fit = estimated("lmo2", NULL, truth, 0, 2, 1);
    expect_close(truth, fit, CPM_LMO2_INSIDE_CS, CPM_LMO2_INSIDE_INVBETA);
    expect_same_predictions(truth, fit, 1e-6);
    assert_non_null(strstr(fit->notes, "all processes are on one host"));
    assert_non_null(strstr(fit->notes, "share its memory is not known"));
    cpm_model_free(truth);
    cpm_model_free(fit);
}

static void a_lone_process_has_the_mean_inside_of_the_others(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 1, 1, 2};
    cpm_model *truth = hosts_model(host, 5, 5), *fit = estimated("lmo2", NULL, truth, 0, 2, 1);
    const double *value = fit->value[CPM_LMO2_INSIDE_INVBETA];
    assert_true(fabs(value[2] / (value[0] + value[1]) - 0.5) < 1e-12);
    assert_true(isnan(fit->ci[CPM_LMO2_INSIDE_INVBETA][2]));
    assert_non_null(strstr(fit->notes, "1 of 3 hosts have one process"));
    cpm_model_free(truth);
    cpm_model_free(fit);
}

/* ---- like hosts */

/* Six hosts of two processes; those with odd numbers are of another class, by what is inside them
 * only if the network is the same. */
static cpm_model *two_kinds(bool same_network, cpm_classes *classes)
{
    static const int host[] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
    static const int kind[] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
    static const char *const name[] = {"class1", "class2"};
    cpm_model *each = hosts_model(host, 12, 9), *m = NULL;
    assert_int_equal(cpm_classes_create(12, kind, 2, name, classes, NULL), CPM_OK);
    assert_int_equal(cpm_model_regroup(each, classes, &m, NULL), CPM_OK);
    for (int p = CPM_LMO2_CS; same_network && p <= CPM_LMO2_GI; p++) {
        size_t count = cpm_parameter_values(m, p), all = cpm_parameter_all_values(m, p);
        for (size_t at = 0; count > 1 && at < all; at++)
            m->value[p][at] = m->value[p][at / count * count];
    }
    cpm_model_free(each);
    return m;
}

static void like_hosts_are_found(void **state)
{
    (void)state;
    for (int same_network = 0; same_network < 2; same_network++) {
        cpm_classes classes = {0};
        cpm_model *truth = two_kinds(same_network, &classes);
        cpm_estimation options = without_thresholds();
        options.find_classes = true;
        cpm_measurements m = measured(estimator_of("lmo2", NULL), &options, truth, 0.02, 20, 1);
        cpm_model *fit = fitted(estimator_of("lmo2", NULL), &options, &m);
        assert_true(cpm_classes_equal(&fit->classes, &classes));
        expect_same_predictions(truth, fit, 0.1);
        cpm_model_free(fit);
        cpm_model_free(truth);
        cpm_measurements_clear(&m);
        cpm_classes_clear(&classes);
    }
}

/* As no two messages of one process of each host can meet at a link end. */
static void link_ends_of_two_hosts_are_found(void **state)
{
    (void)state;
    static const int host[] = {0, 1, 0, 1, 0, 0};
    cpm_model *truth = hosts_model(host, 6, 8), *fit = estimated("lmo2", NULL, truth, 0, 2, 1);
    for (int h = 0; h < 2; h++) {
        double slower = fmax(truth->value[CPM_LMO2_GO][h], truth->value[CPM_LMO2_GI][1 - h]);
        assert_true(fabs(fit->value[CPM_LMO2_GO][h] / slower - 1) < 0.01);
        assert_true(fabs(fit->value[CPM_LMO2_GI][1 - h] / slower - 1) < 0.01);
    }
    expect_same_predictions(truth, fit, 0.02);
    cpm_model_free(truth);
    cpm_model_free(fit);
}

static void the_capacity_of_memory_is_found(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 0, 0, 0, 0};
    cpm_model *truth = hosts_model(host, 6, 6);
    expect_capacity_found(truth, CPM_LMO2_MEMORY, CPM_LMO2_INSIDE_INVBETA);
    cpm_model_free(truth);
}

/* Receivers copy long messages one after the other, or nobody waits for them; several that read
 * from one process hinder each other, or not. */
static void who_copies_long_messages_is_found(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 0, 0};
    cpm_model *truth = hosts_model(host, 4, 6);
    int last = truth->inside.count - 1;
    truth->value[CPM_LMO2_MEMORY][0] = NAN; /* else it keeps them apart, too */
    double alone = truth->value[CPM_LMO2_INSIDE_INVBETA][last];
    double from = truth->value[CPM_LMO2_INSIDE_RENDEZVOUS][0];
    assert_true(isnan(fitted_value(truth, CPM_LMO2_FETCHED, 0.02)));
    truth->value[CPM_LMO2_FETCHED][0] = from;
    assert_true(fitted_value(truth, CPM_LMO2_FETCHED, 0.02) == from);
    assert_true(isnan(fitted_value(truth, CPM_LMO2_SOURCE, 0)));
    truth->value[CPM_LMO2_SOURCE][0] = 0.8 * alone;
    assert_true(fabs(fitted_value(truth, CPM_LMO2_SOURCE, 0) / (0.8 * alone) - 1) < 1e-3);
    assert_true(fabs(fitted_value(truth, CPM_LMO2_SOURCE, 0.02) / (0.8 * alone) - 1) < 0.1);
    cpm_model_free(truth);
}

/* Seconds of absent senders times so much, in a campaign of two processes. */
static void expect_senders_noted(double times, const char *note)
{
    static const int host[] = {0, 0};
    cpm_model *truth = hosts_model(host, 2, 6);
    cpm_estimation options = without_thresholds();
    cpm_measurements m = measured(estimator_of("lmo2", NULL), &options, truth, 0, 2, 1);
    int found = 0;
    for (int q = 0; q < m.count; q++)
        if (m.at[q].what.kind == &cpm_experiment_kinds[CPM_ABSENT_SENDER]) {
            m.at[q].summary.mean *= times;
            m.at[q].summary.median *= times;
            m.at[q].summary.huber *= times;
            found++;
        }
    assert_int_equal(found, 1);
    cpm_model *fit = fitted(estimator_of("lmo2", NULL), &options, &m);
    assert_non_null(strstr(fit->notes, note));
    cpm_model_free(fit);
    cpm_model_free(truth);
    cpm_measurements_clear(&m);
}

static void whether_senders_are_needed_is_noted(void **state)
{
    (void)state;
    expect_senders_noted(1, "long messages do not need their sender's processor (1 of 1 hosts)");
    expect_senders_noted(2.5, "long messages need their sender's processor, too");
}

/* A process that copies while another copies from it: as fast as alone, slower, or as if both
 * processors moved all bytes. */
static void what_copying_both_ways_takes_is_found(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 0, 0, 0};
    for (int n = 4; n <= 5; n++) {
        cpm_model *truth = hosts_model(host, n, 6);
        double alone = truth->value[CPM_LMO2_INSIDE_INVBETA][truth->inside.count - 1];
        truth->value[CPM_LMO2_MEMORY][0] = NAN;
        truth->value[CPM_LMO2_FETCHED][0] = truth->value[CPM_LMO2_INSIDE_RENDEZVOUS][0];
        assert_true(isnan(fitted_value(truth, CPM_LMO2_COPYING, 0.01)));
        for (double share = 0.7; share < 2; share += 0.3) {
            truth->value[CPM_LMO2_COPYING][0] = share * alone;
            assert_true(fabs(fitted_value(truth, CPM_LMO2_COPYING, 0) / (share * alone) - 1) <
                        1e-3);
        }
        assert_true(fitted_value(truth, CPM_LMO2_FETCHED, 0) == truth->value[CPM_LMO2_FETCHED][0]);
        cpm_model_free(truth);
    }
}

static double reduction_of(const cpm_model *m, cpm_combining what)
{
    cpm_collective c;
    assert_int_equal(cpm_collective_parse("reduce:binomial", &c, NULL), CPM_OK);
    c.combining = what;
    return cpm_predict_bytes(m, &c, 65536, NULL, NULL, NULL);
}

/* Each class at two sizes, all processes at once. */
static void combining_is_measured_by_all_at_once(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 1, 1},
                     kinds[] = {CPM_COMBINE_BYTES, CPM_COMBINE_FLOATS, CPM_COMBINE_DOUBLES};
    cpm_model *truth = hosts_model(host, 4, 6);
    cpm_estimation options = without_thresholds();
    cpm_measurements m = measured(estimator_of("lmo2", NULL), &options, truth, 0, 2, 1);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++) {
            cpm_experiment least = cpm_experiment_combine(kinds[k], i, 64, CPM_LMO2_LEAST_COMBINED);
            cpm_experiment most = cpm_experiment_combine(kinds[k], i, 4, CPM_LMO2_MOST_COMBINED);
            int first = cpm_measurements_find(&m, &least), last = cpm_measurements_find(&m, &most);
            assert_true(first >= 0 && last >= 0 && m.at[first].round != m.at[last].round);
            least.i = most.i = 1 - i % 2 + (i & 2); /* of its host */
            assert_int_equal(m.at[first].round, m.at[cpm_measurements_find(&m, &least)].round);
        }
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

static void what_combining_takes_is_found(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 1, 1};
    cpm_model *truth = hosts_model(host, 4, 6);
    for (int h = 0; h < 2; h++) {
        truth->value[CPM_LMO2_OC][h] = (1 + h) * 1e-7;
        truth->value[CPM_LMO2_CB][h] = (2 - h) * 1e-9;
        truth->value[CPM_LMO2_FLOATS_OC][h] = (3 + h) * 1e-8;
        truth->value[CPM_LMO2_FLOATS_CB][h] = (5 - h) * 1e-11;
        truth->value[CPM_LMO2_DOUBLES_OC][h] = (2 + h) * 1e-8;
        truth->value[CPM_LMO2_DOUBLES_CB][h] = (4 - h) * 1e-11;
        truth->value[CPM_LMO2_CF][h] = (1 + h) * 2e-10;
    }
    cpm_model *fit = estimated("lmo2", NULL, truth, 0, 2, 1);
    expect_close(truth, fit, CPM_LMO2_OC, CPM_LMO2_CB);
    expect_close(truth, fit, CPM_LMO2_FLOATS_OC, CPM_LMO2_CF);
    for (cpm_combining what = 0; what < CPM_COMBININGS; what++) {
        double real = reduction_of(truth, what), seen = reduction_of(fit, what);
        assert_true(fabs(seen / real - 1) < 1e-6);
    }
    cpm_model_free(truth);
    cpm_model_free(fit);
}

/* As an older campaign, without experiments for combining and copies. */
static cpm_measurements without_local_experiments(const cpm_model *truth)
{
    cpm_estimation options = without_thresholds();
    cpm_measurements m = measured(estimator_of("lmo2", NULL), &options, truth, 0, 2, 1);
    cpm_measurements older = {.n = truth->n, .duration = 1};
    cpm_metadata_copy(&older.metadata, &m.metadata, NULL);
    for (int q = 0; q < m.count; q++) {
        const cpm_experiment_kind *kind = m.at[q].what.kind;
        bool local =
            (kind && kind->processes == 1) || kind == &cpm_experiment_kinds[CPM_TWO_TO_ONE];
        free(m.at[q].samples);
        m.at[q].samples = NULL;
        if (!local)
            assert_int_equal(cpm_measurements_add(&older, &m.at[q], NULL), CPM_OK);
    }
    cpm_measurements_clear(&m);
    return older;
}

static void add_collective(cpm_measurements *m, const cpm_model *truth, const char *name,
                           size_t bytes)
{
    cpm_collective c;
    cpm_machine *machine;
    cpm_measurement r;
    const cpm_precision exact = {2, 2, 0.95, 0.025, CPM_MEDIAN, 0};
    assert_int_equal(cpm_collective_parse(name, &c, NULL), CPM_OK);
    cpm_experiment x = cpm_experiment_of(&c, bytes);
    assert_int_equal(cpm_synthetic_create(truth, 0, 1, &machine, NULL), CPM_OK);
    assert_int_equal(machine->measure(machine, &x, 1, &exact, &r, NULL), CPM_OK);
    assert_int_equal(cpm_measurements_add(m, &r, NULL), CPM_OK);
    machine->free(machine);
}

/* As a benchmark measures that sends the same again and again, and times processes that leave a
 * barrier one after the other. */
static void measure_repeated(cpm_measurement *r, const cpm_model *truth, double leaving)
{
    double seconds;
    const cpm_walking how = {.leaving = leaving, .same = true};
    assert_int_equal(cpm_model_experiment(truth, &r->what, &how, &seconds, NULL), CPM_OK);
    r->summary = (cpm_summary){.mean = seconds,
                               .median = seconds,
                               .min = seconds,
                               .max = seconds,
                               .ci_low = seconds,
                               .ci_high = seconds,
                               .reps = 2};
}

static void add_repeated(cpm_measurements *m, const cpm_model *truth, const char *name,
                         size_t bytes, double leaving)
{
    cpm_collective c;
    cpm_measurement r = {0};
    assert_int_equal(cpm_collective_parse(name, &c, NULL), CPM_OK);
    r.what = cpm_experiment_of(&c, bytes);
    measure_repeated(&r, truth, leaving);
    assert_int_equal(cpm_measurements_add(m, &r, NULL), CPM_OK);
}

static void what_benchmarks_repeat_is_told_from_what_programs_do(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 0, 0};
    static const char *const measured_ones[] = {"bcast:star",    "bcast:chain",    "gather:linear",
                                                "gather:chain",  "scatter:linear", "scatter:chain",
                                                "reduce:linear", "reduce:star"};
    const double leaving = 1e-6;
    cpm_model *truth = hosts_model(host, 4, 6);
    double alone = truth->value[CPM_LMO2_INSIDE_INVBETA][truth->inside.count - 1];
    truth->value[CPM_LMO2_MEMORY][0] = NAN;
    truth->value[CPM_LMO2_OC][0] = 3e-7;
    truth->value[CPM_LMO2_CB][0] = 1e-9;
    truth->value[CPM_LMO2_FETCHED][0] = truth->value[CPM_LMO2_INSIDE_RENDEZVOUS][0];
    truth->value[CPM_LMO2_SOURCE][0] = 0.6 * alone;
    truth->value[CPM_LMO2_UNCHANGED][0] = 0.4 * alone;
    cpm_estimation options = without_thresholds();
    cpm_measurements m = without_local_experiments(truth);
    for (int q = 0; q < m.count; q++)
        if (!m.at[q].what.kind->contended)
            measure_repeated(&m.at[q], truth, 0);
    for (size_t q = 0; q < sizeof measured_ones / sizeof *measured_ones; q++)
        for (size_t bytes = 64; bytes <= 262144; bytes *= 16)
            add_repeated(&m, truth, measured_ones[q], bytes, leaving);
    cpm_metadata_set(&m.metadata, NULL, "machine", "mpi");
    cpm_model *fit = fitted(estimator_of("lmo2", NULL), &options, &m);
    const double found = fit->value[CPM_LMO2_UNCHANGED][0] / truth->value[CPM_LMO2_UNCHANGED][0];
    assert_true(fabs(found - 1) < 0.05);
    assert_true(fabs(cpm_model_leaving(fit) / leaving - 1) < 0.05);
    assert_non_null(strstr(fit->notes, "processes leave a barrier 1 us one after the other"));
    assert_null(strstr(fit->notes, "disagree with round trips"));
    double real = walk_of(truth, "bcast:star", 262144), seen = walk_of(fit, "bcast:star", 262144);
    assert_true(fabs(seen / real - 1) < 0.02); /* as programs call it */
    cpm_model_free(fit);
    cpm_model_free(truth);
    cpm_measurements_clear(&m);
}

/* Fewer collectives than there would be values tell some of them, or none. */
static void few_collectives_tell_what_they_can(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 0, 0};
    static const char *const names[] = {"reduce:linear", "bcast:chain", "bcast:star"};
    cpm_model *truth = hosts_model(host, 4, 6);
    truth->value[CPM_LMO2_MEMORY][0] = NAN;
    truth->value[CPM_LMO2_FETCHED][0] = truth->value[CPM_LMO2_INSIDE_RENDEZVOUS][0];
    cpm_estimation options = without_thresholds();
    for (int count = 1; count <= 8; count++) {
        cpm_measurements m = without_local_experiments(truth);
        for (int q = 0; q < count; q++)
            add_repeated(&m, truth, names[q % 3], (size_t)64 << 6 * (q / 3), 1e-6);
        cpm_metadata_set(&m.metadata, NULL, "machine", "mpi");
        cpm_model *fit = fitted(estimator_of("lmo2", NULL), &options, &m);
        assert_true(walk_of(fit, "bcast:binomial", 64) > 0);
        cpm_model_free(fit);
        cpm_measurements_clear(&m);
    }
    cpm_model_free(truth);
}

static void expect_found_in_collectives(const cpm_model *truth, double tolerance)
{
    static const char *const measured_ones[] = {"bcast:star", "gather:linear", "scatter:linear",
                                                "reduce:linear", "reduce:star"};
    static const char *const others[] = {"reduce:binomial", "bcast:binomial", "alltoall:ring",
                                         "allreduce:recursive-doubling"};
    cpm_estimation options = without_thresholds();
    cpm_measurements m = without_local_experiments(truth);
    for (int q = 0; q < m.count; q++)
        if (!m.at[q].what.kind->contended)
            measure_repeated(&m.at[q], truth, 0);
    for (size_t q = 0; q < sizeof measured_ones / sizeof *measured_ones; q++)
        for (size_t bytes = 64; bytes <= 262144; bytes *= 16)
            add_collective(&m, truth, measured_ones[q], bytes);
    cpm_model *fit = fitted(estimator_of("lmo2", NULL), &options, &m);
    assert_true(isnan(fit->value[CPM_LMO2_FETCHED][0]) == isnan(truth->value[CPM_LMO2_FETCHED][0]));
    for (size_t q = 0; q < sizeof others / sizeof *others; q++)
        for (size_t bytes = 1024; bytes <= 262144; bytes *= 16) {
            double real = walk_of(truth, others[q], bytes), seen = walk_of(fit, others[q], bytes);
            if (!(fabs(seen / real - 1) < tolerance))
                fail_msg("%s of %zu bytes: %g instead of %g", others[q], bytes, seen, real);
        }
    assert_non_null(strstr(fit->notes, "fitted to 20 collectives of the file"));
    cpm_model_free(fit);
    cpm_measurements_clear(&m);
}

static void what_a_campaign_lacks_is_found_in_collectives(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 0, 0};
    cpm_model *truth = hosts_model(host, 4, 6);
    double alone = truth->value[CPM_LMO2_INSIDE_INVBETA][truth->inside.count - 1];
    truth->value[CPM_LMO2_MEMORY][0] = NAN;
    truth->value[CPM_LMO2_OC][0] = 3e-7;
    truth->value[CPM_LMO2_CB][0] = 1e-9;
    expect_found_in_collectives(truth, 0.02);
    truth->value[CPM_LMO2_FETCHED][0] = truth->value[CPM_LMO2_INSIDE_RENDEZVOUS][0];
    truth->value[CPM_LMO2_SOURCE][0] = 0.8 * alone;
    expect_found_in_collectives(truth, 0.02);
    cpm_model_free(truth);
}

/* What a campaign has lost of a round that means something only as a whole it asks for anew, the
 * other way round. */
static void a_crowd_that_was_torn_is_asked_for_turned(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 0, 0};
    cpm_model *truth = hosts_model(host, 4, 7);
    cpm_estimation options = without_thresholds();
    const cpm_estimator *lmo2 = estimator_of("lmo2", NULL);
    cpm_measurements m = measured(lmo2, &options, truth, 0, 2, 1), torn = {.n = 4, .duration = 1};
    cpm_metadata_copy(&torn.metadata, &m.metadata, NULL);
    int crowds = 0;
    for (int q = 0; q < m.count; q++) {
        free(m.at[q].samples);
        m.at[q].samples = NULL;
        crowds += m.at[q].what.kind->contended;
        if (!m.at[q].what.kind->contended || crowds == 1)
            cpm_measurements_add(&torn, &m.at[q], NULL);
    }
    assert_int_equal(crowds, 8); /* three sorts of trips and exchanges, two pairs of each */
    cpm_design next = {0};
    cpm_estimator_context context = {lmo2, &options};
    assert_int_equal(cpm_estimator_planner(&context, 4, &torn, &next, NULL), CPM_OK);
    int asked = 0;
    for (int q = 0; q < next.count; q++)
        if (next.at[q].kind->contended) {
            bool torn_one = next.at[q].kind == &cpm_experiment_kinds[CPM_CROWDED_TRIP] &&
                            next.at[q].send_bytes < 16384; /* the buffered ones come first */
            asked++;
            assert_true(next.at[q].i == next.at[q].j + (torn_one ? 1 : -1));
        }
    assert_int_equal(asked, 8);
    cpm_design_clear(&next);
    cpm_measurements_clear(&torn);
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

static void expect_inside_note(cpm_measurements *m, const char *inside, const char *note)
{
    cpm_estimation options = without_thresholds();
    assert_int_equal(cpm_metadata_set(&m->metadata, NULL, "inside", "%s", inside), CPM_OK);
    cpm_model *fit = fitted(estimator_of("lmo2", NULL), &options, m);
    assert_true((strstr(fit->notes, "treats messages inside a host alike") != NULL) ==
                (note != NULL));
    assert_true(!note || strstr(fit->notes, note));
    cpm_model_free(fit);
}

static void more_levels_inside_a_host_are_noted(void **state)
{
    (void)state;
    cpm_model *truth = hosts_model((const int[]){0, 0}, 2, 4);
    cpm_estimation options = without_thresholds();
    cpm_measurements m = measured(estimator_of("lmo2", NULL), &options, truth, 0, 2, 1);
    expect_inside_note(&m, "sockets 1, last-level caches 1", NULL);
    expect_inside_note(&m, "sockets 2, last-level caches 4", "2 sockets and 4 last-level caches");
    expect_inside_note(&m, "sockets 0, last-level caches 0", "does not tell");
    cpm_measurements_clear(&m);
    cpm_model_free(truth);
}

/* Takes off so much of each byte on its way from i to j, in buffered messages of a regime. */
static void overlap(cpm_measurements *m, int i, int j, size_t below, double seconds_per_byte)
{
    for (int q = 0; q < m->count; q++) {
        cpm_measurement *r = &m->at[q];
        if (r->what.kind != &cpm_experiment_kinds[CPM_ROUNDTRIP] || r->what.i != i ||
            r->what.j != j || r->what.send_bytes >= below)
            continue;
        double less = (double)r->what.send_bytes * seconds_per_byte;
        r->summary.median -= less;
        r->summary.huber -= less;
        r->summary.ci_low -= less;
        r->summary.ci_high -= less;
    }
}

/* As where the receiver's copy goes on while the sender's does. */
static void a_negative_time_per_byte_is_a_missing_mechanism(void **state)
{
    (void)state;
    static const char say[] = "from 0 bytes on would need a negative time per byte";
    cpm_model *truth = hosts_model((const int[]){0, 0, 1, 1, 2, 2}, 6, 4);
    cpm_estimation options = without_thresholds();
    const cpm_estimator *lmo2 = estimator_of("lmo2", NULL);
    cpm_measurements m = measured(lmo2, &options, truth, 0, 2, 1);
    cpm_model *plain = fitted(lmo2, &options, &m);
    assert_null(strstr(plain->notes, "negative time per byte"));
    double way = truth->value[CPM_LMO2_INSIDE_INVBETA][1];
    overlap(&m, 2, 3, 16384, way + 0.02e-9);
    cpm_model *one = fitted(lmo2, &options, &m); /* of two ways */
    assert_null(strstr(one->notes, "negative time per byte"));
    overlap(&m, 3, 2, 16384, way + 0.02e-9);
    cpm_model *both = fitted(lmo2, &options, &m);
    const char *note = strstr(both->notes, say);
    assert_non_null(note);
    assert_int_equal(strncmp(strchr(note, '('), "(-0.02 ns, 2 of 2 links)", 24), 0);
    assert_true(strstr(both->notes, "inside hosts: messages from 0 bytes on would") != NULL);
    assert_true(both->value[CPM_LMO2_INSIDE_INVBETA][1] == 0);
    cpm_measurements_clear(&m);
    cpm_model *made[] = {truth, plain, one, both};
    for (size_t q = 0; q < sizeof made / sizeof *made; q++)
        cpm_model_free(made[q]);
}

static void no_thresholds_are_looked_for_without_a_network(void **state)
{
    (void)state;
    cpm_model *truth = hosts_model((const int[]){0, 0, 0, 0}, 4, 4);
    static const char *const names[] = {"lmo", "lmo2"};
    for (int k = 0; k < 2; k++) {
        cpm_estimation options = CPM_ESTIMATION_DEFAULT;
        cpm_measurements m = measured(estimator_of(names[k], NULL), &options, truth, 0, 2, 1);
        for (int q = 0; q < m.count; q++)
            assert_non_null(m.at[q].what.kind); /* no collective */
        cpm_measurements_clear(&m);
    }
    cpm_model_free(truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_of_hosts_are_found_again_whatever_the_layout),
        cmocka_unit_test(two_processes_are_enough_for_a_host),
        cmocka_unit_test(a_lone_process_has_the_mean_inside_of_the_others),
        cmocka_unit_test(like_hosts_are_found),
        cmocka_unit_test(link_ends_of_two_hosts_are_found),
        cmocka_unit_test(the_capacity_of_memory_is_found),
        cmocka_unit_test(who_copies_long_messages_is_found),
        cmocka_unit_test(whether_senders_are_needed_is_noted),
        cmocka_unit_test(what_copying_both_ways_takes_is_found),
        cmocka_unit_test(combining_is_measured_by_all_at_once),
        cmocka_unit_test(what_combining_takes_is_found),
        cmocka_unit_test(what_a_campaign_lacks_is_found_in_collectives),
        cmocka_unit_test(few_collectives_tell_what_they_can),
        cmocka_unit_test(what_benchmarks_repeat_is_told_from_what_programs_do),
        cmocka_unit_test(a_crowd_that_was_torn_is_asked_for_turned),
        cmocka_unit_test(more_levels_inside_a_host_are_noted),
        cmocka_unit_test(a_negative_time_per_byte_is_a_missing_mechanism),
        cmocka_unit_test(no_thresholds_are_looked_for_without_a_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
