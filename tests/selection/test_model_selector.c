/* A model chooses what it predicts to be the fastest, and leaves the library's own routine only for
 * a gain. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../models/hosts_model.h"
#include "models/interp.h"
#include "models/lmo2.h"
#include "models/predict.h"
#include "selection/library_defaults.h"
#include "selection/model_selector.h"
#include "tests/near_graph.h"

static const cpm_operation *operation(const char *name)
{
    const cpm_operation *o;
    assert_int_equal(cpm_operation_find(name, &o, NULL), CPM_OK);
    return o;
}

static const cpm_algorithm *algorithm(const char *operation, const char *name)
{
    const cpm_algorithm *a;
    assert_int_equal(cpm_algorithm_find(operation, name, &a, NULL), CPM_OK);
    return a;
}

static cpm_selector_options options_of(cpm_library library, double gain, double seconds)
{
    cpm_selector_options o = CPM_SELECTOR_DEFAULT;
    o.library = library;
    o.gain = gain;
    o.seconds = seconds;
    return o;
}

static cpm_choice choose(const cpm_model *m, cpm_selector_options options, const cpm_request *r)
{
    cpm_selector *s;
    cpm_choice c = {0};
    cpm_error e = {0};
    assert_int_equal(cpm_selector_of_model(m, &options, &s, NULL), CPM_OK);
    if (s->choose(s, r, &c, &e))
        fail_msg("%s", e.text);
    s->free(s);
    assert_int_equal(cpm_request_allows(r, &c.what, NULL), CPM_OK);
    return c;
}

static double last(const cpm_choice *c, int n)
{
    double seconds = 0;
    for (int i = 0; i < n; i++)
        seconds = fmax(seconds, c->expected[i]);
    return seconds;
}

static double predict(const cpm_model *m, const cpm_algorithm *a, const cpm_request *r,
                      const cpm_choice *c)
{
    const cpm_collective plain = {.algorithm = a};
    const cpm_collective what =
        cpm_request_collective(r, a == c->what.algorithm ? &c->what : &plain);
    const cpm_block_sizes sizes = {.bytes = r->sizes || r->operation->dataless ? r->bytes : c->most,
                                   .each = r->sizes};
    return cpm_predict_collective(m, &what, &sizes, NULL, NULL, NULL);
}

/* ---- the fastest */

static double fastest_row(const cpm_model *m, const cpm_request *r, const cpm_choice *c)
{
    double best = INFINITY;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        bool tried = cpm_algorithm_serves(a, r->operation) && !a->theirs;
        double seconds = tried ? predict(m, a, r, c) : -1;
        best = seconds >= 0 ? fmin(best, seconds) : best;
    }
    return best;
}

static void assert_fastest(const cpm_model *m, const cpm_request *r)
{
    cpm_choice c = choose(m, options_of(CPM_LIBRARY_MPICH, 0, 0), r);
    const cpm_algorithm *a = c.what.algorithm;
    cpm_collective usual[CPM_MOST_USUAL];
    if (!a && cpm_library_default(CPM_LIBRARY_MPICH, r, usual) == 1)
        a = usual[0].algorithm;
    assert_non_null(a);
    assert_non_null(c.expected);
    double seconds = last(&c, r->n);
    assert_true(fabs(seconds - predict(m, a, r, &c)) <= 1e-12 * seconds);
    if (seconds > fastest_row(m, r, &c) * (1 + 1e-12))
        fail_msg("%s:%s, %d processes, %zu bytes: %g, but %g is possible", r->operation->name,
                 a->name, r->n, r->bytes, seconds, fastest_row(m, r, &c));
    cpm_choice_clear(&c);
}

static void nothing_in_the_table_is_faster_than_what_is_chosen(void **state)
{
    (void)state;
    static const cpm_model_type *const types[] = {&cpm_hockney, &cpm_lmo, &cpm_plogp};
    static const int ns[] = {3, 4, 13};
    static const size_t sizes[] = {8, 3000, 200000};
    for (int k = 0; k < 9; k++) {
        cpm_model *m = random_model(types[k % 3], ns[k / 3], (unsigned)k + 1);
        cpm_neighbours *g = near_graph(m->n);
        for (const cpm_operation *o = cpm_operations; o->name; o++)
            for (int s = 0; s < 3 && !o->like; s++)
                assert_fastest(m, &(cpm_request){.operation = o,
                                                 .n = m->n,
                                                 .root = o->rooted ? m->n / 2 : 0,
                                                 .bytes = sizes[s],
                                                 .neighbours = g});
        cpm_neighbours_free(g);
        cpm_model_free(m);
    }
}

/* The library's form of an algorithm asks for memory in each call; CPM's own is the same without.
 */
static void what_the_library_asks_memory_for_is_run_without(void **state)
{
    (void)state;
    static const int host[] = {0, 1, 2, 3, 4, 5, 6, 7};
    cpm_model *m = hosts_model(host, 8, 3);
    const cpm_request r = {.operation = operation("reduce"), .n = 8, .bytes = 1 << 20};
    cpm_selector_options o = options_of(CPM_LIBRARY_MPICH, 0.05, 0);
    cpm_collective usual[CPM_MOST_USUAL];
    assert_int_equal(cpm_library_default(CPM_LIBRARY_MPICH, &r, usual), 1);
    o.only = usual;
    o.only_count = 1;
    for (int k = 0; k < 2; k++) {
        m->value[CPM_LMO2_CF][0] = k ? 1e-7 : 0;
        cpm_choice c = choose(m, o, &r);
        assert_ptr_equal(c.what.algorithm, k ? usual[0].algorithm : NULL);
        cpm_choice_clear(&c);
    }
    const cpm_target mpich = {.library = CPM_LIBRARY_MPICH};
    o.theirs = &mpich; /* who would run it, too */
    cpm_choice c = choose(m, o, &r);
    assert_null(c.what.algorithm);
    cpm_choice_clear(&c);
    cpm_model_free(m);
}

/* Messages that share the link ends of hosts take several times as long as alone: what is fast
 * where they do not hinder each other must not keep others from being looked at. */
static void nothing_is_faster_where_messages_hinder_each_other_either(void **state)
{
    (void)state;
    static const int host[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    static const size_t sizes[] = {1024, 16384, 262144};
    for (unsigned seed = 1; seed <= 3; seed++) {
        cpm_model *m = hosts_model(host, 16, seed);
        cpm_neighbours *g = near_graph(16);
        for (const cpm_operation *o = cpm_operations; o->name; o++)
            for (int s = 0; s < 3 && !o->like && !o->dataless; s++) {
                const cpm_request r = {
                    .operation = o, .n = 16, .bytes = sizes[s], .hosts = &m->on, .neighbours = g};
                cpm_choice c = choose(m, CPM_SELECTOR_OWN, &r);
                double seconds = predict(m, c.what.algorithm, &r, &c);
                if (seconds > fastest_row(m, &r, &c) * (1 + 1e-12))
                    fail_msg("%s:%s, %zu bytes: %g, but %g is possible", o->name,
                             c.what.algorithm->name, r.bytes, seconds, fastest_row(m, &r, &c));
                cpm_choice_clear(&c);
            }
        cpm_neighbours_free(g);
        cpm_model_free(m);
    }
}

/* Seconds; computing 0: of a blocking call. */
static double walked(const cpm_model *m, const cpm_request *r, const cpm_collective *what,
                     size_t bytes, double computing)
{
    const cpm_collective c = cpm_request_collective(r, what);
    const cpm_walking how = {.computing = computing};
    return cpm_predict_collective(m, &c, &(cpm_block_sizes){.bytes = bytes}, &how, NULL, NULL);
}

/* Alone no slower than what the library does, and with computing faster by the gain. */
static void expect_hidden(const cpm_model *m, const cpm_request *r, const cpm_choice *c)
{
    cpm_collective usual[CPM_MOST_USUAL];
    cpm_request largest = *r;
    largest.bytes = c->most;
    assert_int_equal(cpm_library_default(CPM_LIBRARY_MPICH, &largest, usual), 1);
    const double alone = walked(m, r, usual, c->most, 0),
                 with = walked(m, r, usual, c->most, alone);
    const double tolerance = 1.01; /* of hurried walks */
    assert_true(walked(m, r, &c->what, c->most, 0) <= alone * tolerance);
    assert_true(walked(m, r, &c->what, c->most, alone) <= 0.95 * with * tolerance);
}

/* The fastest call may leave less that computing hides. */
static void nonblocking_calls_are_chosen_by_what_computing_hides(void **state)
{
    (void)state;
    static const int host[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    int chosen = 0, others = 0;
    for (unsigned seed = 1; seed <= 3; seed++) {
        cpm_model *m = hosts_model(host, 16, seed);
        for (size_t bytes = 8; bytes <= 32768; bytes *= 4) {
            cpm_request r = {
                .operation = operation("alltoall"), .n = 16, .bytes = bytes, .hosts = &m->on};
            const cpm_selector_options o = options_of(CPM_LIBRARY_MPICH, 0.05, 0);
            cpm_choice blocking = choose(m, o, &r);
            r.begun = true;
            cpm_choice c = choose(m, o, &r);
            if (c.what.algorithm) {
                expect_hidden(m, &r, &c);
                chosen++;
            }
            others += c.what.algorithm != blocking.what.algorithm;
            cpm_choice_clear(&blocking);
            cpm_choice_clear(&c);
        }
        cpm_model_free(m);
    }
    if (!chosen || !others)
        fail_msg("%d chosen, %d unlike those of blocking calls", chosen, others);
}

static void a_measured_curve_is_enough_for_a_choice(void **state)
{
    (void)state;
    cpm_model *m;
    size_t size[] = {0, 100000};
    assert_int_equal(cpm_model_create_sized(&cpm_interp, 3, &(cpm_sizes){size, 2}, &m, NULL),
                     CPM_OK);
    static const char *const measured[] = {"linear", "binomial", "binary"};
    for (int k = 0; k < 3; k++) {
        int p = CPM_INTERP_ALGORITHMS + (int)(algorithm("scatter", measured[k]) - cpm_algorithms);
        for (int i = 0; i < 6; i++)
            m->value[p][i] = (3 - k) * (i < 3 ? 1e-4 : 1e-3);
    }
    cpm_request r = {.operation = operation("scatter"), .n = 3, .bytes = 5000};
    cpm_choice c = choose(m, CPM_SELECTOR_DEFAULT, &r);
    assert_ptr_equal(c.what.algorithm, algorithm("scatter", "binary"));
    assert_non_null(c.expected);
    cpm_choice_clear(&c);
    cpm_model_free(m);
}

/* ---- hosts */

/* A message between hosts takes a hundred times as long as one within. */
static cpm_model *far_hosts(const cpm_hosts *hosts)
{
    cpm_model *m;
    int n = hosts->n;
    assert_int_equal(cpm_model_create(&cpm_hockney, n, &m, NULL), CPM_OK);
    for (int i = 0; i < n * n; i++) {
        bool near = cpm_hosts_share(hosts, i / n, i % n);
        m->value[0][i] = near ? 1e-6 : 1e-4;
        m->value[1][i] = near ? 1e-10 : 1e-8;
    }
    return m;
}

/* In two levels, or in a mesh of hosts. */
static bool goes_by_hosts(const cpm_choice *c)
{
    return c->what.algorithm && (c->what.algorithm->properties & CPM_NEEDS_HOSTS ||
                                 c->what.with.mesh[0] == CPM_MESH_OF_HOSTS);
}

static void two_levels_are_chosen_where_hosts_are_far_apart_and_known(void **state)
{
    (void)state;
    static const char *const names[] = {"barrier", "allgather", "allreduce"};
    const char *const host[] = {"a", "b", "c", "d", "b", "c", "a", "d",
                                "c", "a", "d", "b", "a", "d", "b", "c"};
    cpm_hosts hosts;
    assert_int_equal(cpm_hosts_named(host, 16, &hosts, NULL), CPM_OK);
    cpm_model *m = far_hosts(&hosts);
    for (int k = 0; k < 3; k++) {
        cpm_request r = {.operation = operation(names[k]), .n = 16, .bytes = 64};
        cpm_choice c = choose(m, CPM_SELECTOR_OWN, &r);
        assert_false(goes_by_hosts(&c));
        double unknown = last(&c, 16);
        cpm_choice_clear(&c);
        r.hosts = &hosts;
        c = choose(m, CPM_SELECTOR_OWN, &r);
        assert_true(goes_by_hosts(&c));
        assert_true(last(&c, 16) < 0.8 * unknown);
        cpm_choice_clear(&c);
    }
    cpm_model_free(m);
    cpm_hosts_clear(&hosts);
}

/* ---- the library's own */

static void the_library_keeps_what_is_not_faster_by_the_gain(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(8, 5);
    for (double gain = 0; gain < 1; gain += 0.1) {
        cpm_request r = {.operation = operation("bcast"), .n = 8, .bytes = 65536};
        cpm_choice best = choose(m, options_of(CPM_LIBRARY_MPICH, 0, 0), &r);
        cpm_choice c = choose(m, options_of(CPM_LIBRARY_MPICH, gain, 0), &r);
        double usual = predict(m, algorithm("bcast", "scatter-doubling"), &r, &c);
        bool worth = last(&best, 8) < (1 - gain) * usual;
        assert_int_equal(worth, c.what.algorithm != NULL);
        assert_true(fabs(last(&c, 8) - (worth ? last(&best, 8) : usual)) <= 1e-12 * usual);
        cpm_choice_clear(&best);
        cpm_choice_clear(&c);
    }
    cpm_model_free(m);
}

static void an_unknown_library_is_taken_for_the_best_of_the_common_ones(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(8, 5);
    cpm_request r = {.operation = operation("bcast"), .n = 8, .bytes = 1 << 20};
    cpm_choice c = choose(m, options_of(CPM_LIBRARY_OTHER, 0.999, 0), &r);
    double common = fmin(predict(m, algorithm("bcast", "scatter-ring"), &r, &c),
                         fmin(predict(m, algorithm("bcast", "scatter-doubling"), &r, &c),
                              predict(m, algorithm("bcast", "binomial"), &r, &c)));
    assert_null(c.what.algorithm);
    assert_true(fabs(last(&c, 8) - common) <= 1e-12 * common);
    cpm_choice_clear(&c);
    cpm_model_free(m);
}

static void what_nothing_is_known_of_stays_with_the_library(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(4, 1);
    cpm_request unknown = {.operation = operation("gatherv"), .n = 4, .bytes = 5000};
    cpm_choice c = choose(m, CPM_SELECTOR_DEFAULT, &unknown);
    assert_true(!c.what.algorithm && c.least == 0 && c.most == SIZE_MAX && c.any_root);
    cpm_request empty = {.operation = operation("gather"), .n = 4, .bytes = 0};
    c = choose(m, CPM_SELECTOR_DEFAULT, &empty);
    assert_true(!c.what.algorithm && c.most == 0);
    cpm_model_free(m);
}

static void a_model_of_others_is_refused(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(4, 1);
    cpm_selector *s;
    cpm_choice c = {0};
    cpm_selector_options options = CPM_SELECTOR_DEFAULT;
    cpm_request r = {.operation = operation("gather"), .n = 5, .bytes = 100};
    assert_int_equal(cpm_selector_of_model(m, &options, &s, NULL), CPM_OK);
    assert_int_equal(s->choose(s, &r, &c, NULL), CPM_EPROCESS);
    s->free(s);
    cpm_model_free(m);
}

static void contributions_in_order_stay_so(void **state)
{
    (void)state;
    static const char *const names[] = {"reduce", "allreduce", "reduce_scatter"};
    cpm_model *m = random_lmo(9, 2);
    for (int k = 0; k < 3; k++)
        for (int root = 0; root < 2; root++)
            for (size_t bytes = 8; bytes < 1 << 22; bytes *= 16) {
                cpm_request r = {.operation = operation(names[k]),
                                 .n = 9,
                                 .root = k ? 0 : root,
                                 .bytes = bytes,
                                 .ordered = true};
                /* choose asserts that the request allows it */
                cpm_choice c = choose(m, options_of(CPM_LIBRARY_MPICH, 0, 0.001), &r);
                assert_null(c.what.at.mapping);
                cpm_choice_clear(&c);
            }
    cpm_model_free(m);
}

/* ---- irregular regions */

enum { M1 = 4096, M2 = 65536 };

/* All processes and links are alike. */
static cpm_model *homogeneous(int n)
{
    cpm_model *m = random_lmo(n, 1);
    for (int i = 0; i < n; i++) {
        m->value[CPM_LMO_C][i] = 2e-6;
        m->value[CPM_LMO_T][i] = 4e-9;
        for (int j = 0; j < n; j++) {
            m->value[CPM_LMO_L][i * n + j] = i == j ? 0 : 2e-6;
            m->value[CPM_LMO_INVBETA][i * n + j] = i == j ? 0 : 1e-8;
        }
    }
    m->value[CPM_LMO_M1][0] = M1;
    m->value[CPM_LMO_M2][0] = M2;
    return m;
}

static void gather_is_split_where_it_would_escalate(void **state)
{
    (void)state;
    cpm_model *m = homogeneous(8);
    for (size_t bytes = 64; bytes <= 1 << 20; bytes *= 2) {
        cpm_request r = {.operation = operation("gather"), .n = 8, .bytes = bytes};
        cpm_choice c = choose(m, options_of(CPM_LIBRARY_OTHER, 0.05, 0), &r);
        if (bytes >= M1 && bytes < M2) {
            assert_ptr_equal(c.what.algorithm, algorithm("gather", "split-barrier"));
            assert_in_range(c.what.with.segment ? c.what.with.segment : bytes / 2, 1, M1 - 1);
        } else {
            assert_ptr_not_equal(c.what.algorithm, algorithm("gather", "split-barrier"));
        }
        cpm_choice_clear(&c);
    }
    cpm_model_free(m);
}

/* Barriers are slow, and there are a few large blocks only: these wait, what is small does not. */
static void large_blocks_of_gatherv_go_one_by_one(void **state)
{
    (void)state;
    static const size_t sizes[8] = {0, 16, 60000, 16, 60000, 16, 60000, 60000};
    cpm_model *m = homogeneous(8);
    for (int i = 0; i < 8; i++)
        m->value[CPM_LMO_C][i] = 100e-6;
    cpm_request r = {.operation = operation("gatherv"), .n = 8, .bytes = 30000, .sizes = sizes};
    cpm_choice c = choose(m, options_of(CPM_LIBRARY_MPICH, 0.05, 0), &r);
    assert_ptr_equal(c.what.algorithm, algorithm("gatherv", "linear-sync"));
    assert_in_range(c.what.with.threshold, 1, M1);
    assert_true(!c.by_sizes && c.any_root && c.least == 0 && c.most == SIZE_MAX);
    cpm_choice_clear(&c);
    cpm_model_free(m);
}

static void without_an_irregular_region_no_barriers_are_needed(void **state)
{
    (void)state;
    cpm_model *m = homogeneous(8);
    m->value[CPM_LMO_M1][0] = m->value[CPM_LMO_M2][0] = NAN;
    for (size_t bytes = 64; bytes <= 1 << 20; bytes *= 2) {
        cpm_request r = {.operation = operation("gather"), .n = 8, .bytes = bytes};
        cpm_choice c = choose(m, options_of(CPM_LIBRARY_OTHER, 0.05, 0), &r);
        assert_ptr_not_equal(c.what.algorithm, algorithm("gather", "split-barrier"));
        cpm_choice_clear(&c);
    }
    cpm_model_free(m);
}

/* From S on a byte keeps the root ten times as long. */
static void scatter_is_split_above_a_leap(void **state)
{
    (void)state;
    enum { S = 65536, N = 6 };
    size_t first[] = {0, S};
    cpm_model *m;
    unsigned seed = 1;
    assert_int_equal(cpm_model_create_sized(&cpm_lmo2, N, &(cpm_sizes){first, 2}, &m, NULL),
                     CPM_OK);
    randomize(m, CPM_LMO2_CS, &seed, 20e-6, 21e-6);
    randomize(m, CPM_LMO2_CR, &seed, 20e-6, 21e-6);
    randomize(m, CPM_LMO2_TS, &seed, 2e-9, 2.1e-9);
    randomize(m, CPM_LMO2_TR, &seed, 2e-9, 2.1e-9);
    randomize(m, CPM_LMO2_L, &seed, 20e-6, 21e-6);
    randomize(m, CPM_LMO2_INVBETA, &seed, 1e-9, 1.1e-9);
    for (int i = N; i < 2 * N; i++)
        m->value[CPM_LMO2_TS][i] *= 10;
    m->value[CPM_LMO2_S][0] = S;
    for (size_t bytes = S / 2; bytes <= 8 * S; bytes *= 2) {
        cpm_request r = {.operation = operation("scatter"), .n = N, .bytes = bytes};
        cpm_choice c = choose(m, options_of(CPM_LIBRARY_OTHER, 0.05, 0), &r);
        if (bytes < S) {
            assert_true(!c.what.algorithm || strcmp(c.what.algorithm->name, "split") != 0);
        } else {
            assert_ptr_equal(c.what.algorithm, algorithm("scatter", "split"));
            assert_in_range(c.what.with.segment ? c.what.with.segment : bytes / 2, 1, S - 1);
        }
        cpm_choice_clear(&c);
    }
    cpm_model_free(m);
}

/* ---- mapping */

/* One process is behind a slow link, and the largest block is another's. */
static void scatterv_is_mapped_where_processes_differ(void **state)
{
    (void)state;
    enum { N = 12 };
    cpm_model *m = random_lmo(N, 3);
    size_t sizes[N];
    for (int i = 0; i < N; i++) {
        sizes[i] = 1000 + 3000 * (size_t)(i % 5);
        m->value[CPM_LMO_C][i] *= i % 3 ? 1 : 20;
        for (int j = 0; j < N; j++)
            m->value[CPM_LMO_INVBETA][i * N + j] *= (i * j) % 7 ? 1 : 15;
    }
    cpm_request r = {
        .operation = operation("scatterv"), .n = N, .root = 3, .bytes = 7000, .sizes = sizes};
    cpm_choice mapped = choose(m, options_of(CPM_LIBRARY_MPICH, 0.05, 0.2), &r);
    cpm_choice plain = choose(m, options_of(CPM_LIBRARY_MPICH, 0.05, 0), &r);
    cpm_choice hasty = choose(m, options_of(CPM_LIBRARY_MPICH, 0.05, 1e-9), &r);
    assert_null(hasty.what.at.mapping); /* a search that has no time is not begun */
    assert_non_null(mapped.what.at.mapping);
    assert_int_equal(mapped.what.at.mapping[0], 3);
    assert_null(plain.what.at.mapping);
    assert_true(last(&mapped, N) < 0.8 * last(&plain, N));
    assert_false(mapped.any_root);
    cpm_choice_clear(&mapped);
    cpm_choice_clear(&plain);
    cpm_choice_clear(&hasty);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_in_the_table_is_faster_than_what_is_chosen),
        cmocka_unit_test(what_the_library_asks_memory_for_is_run_without),
        cmocka_unit_test(nothing_is_faster_where_messages_hinder_each_other_either),
        cmocka_unit_test(nonblocking_calls_are_chosen_by_what_computing_hides),
        cmocka_unit_test(a_measured_curve_is_enough_for_a_choice),
        cmocka_unit_test(two_levels_are_chosen_where_hosts_are_far_apart_and_known),
        cmocka_unit_test(the_library_keeps_what_is_not_faster_by_the_gain),
        cmocka_unit_test(an_unknown_library_is_taken_for_the_best_of_the_common_ones),
        cmocka_unit_test(what_nothing_is_known_of_stays_with_the_library),
        cmocka_unit_test(a_model_of_others_is_refused),
        cmocka_unit_test(contributions_in_order_stay_so),
        cmocka_unit_test(gather_is_split_where_it_would_escalate),
        cmocka_unit_test(large_blocks_of_gatherv_go_one_by_one),
        cmocka_unit_test(without_an_irregular_region_no_barriers_are_needed),
        cmocka_unit_test(scatter_is_split_above_a_leap),
        cmocka_unit_test(scatterv_is_mapped_where_processes_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
