/* What is offered to try can be run, is what may win, and is offered in the order of promise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../models/hosts_model.h"
#include "adapt/offer.h"
#include "collectives/topology_tree.h"
#include "models/predict.h"
#include "selection/library_defaults.h"
#include "selection/size_class.h"
#include "tests/near_graph.h"
#include "tests/refusing.h"

/* ---- offers */

static const cpm_operation *operation(const char *name)
{
    const cpm_operation *o;
    assert_int_equal(cpm_operation_find(name, &o, NULL), CPM_OK);
    return o;
}

static cpm_selector_options options_of(cpm_library library)
{
    cpm_selector_options o = CPM_SELECTOR_DEFAULT;
    o.library = library;
    o.seconds = 0;
    return o;
}

static const char *name_of(const cpm_offer_one *x, char text[CPM_COLLECTIVE_NAME])
{
    cpm_collective_print(&x->what, text, CPM_COLLECTIVE_NAME);
    return text;
}

static int of_algorithm(const cpm_offer *o, const cpm_algorithm *a)
{
    int count = 0;
    for (int k = 1; k < o->count; k++)
        count += o->at[k].what.algorithm == a;
    return count;
}

/* Of its algorithm and threshold. */
static int variants_of(const cpm_offer *o, const cpm_collective *what)
{
    int count = 0;
    for (int k = 1; k < o->count; k++)
        count += o->at[k].what.algorithm == what->algorithm &&
                 o->at[k].what.with.threshold == what->with.threshold;
    return count;
}

static bool comes_after(const cpm_adapt_candidate *x, const cpm_adapt_candidate *y)
{
    if (x->at_risk != y->at_risk)
        return x->at_risk;
    return x->predicted >= y->predicted || isnan(x->predicted) || isnan(y->predicted);
}

/* What holds for every offer. */
static void assert_good(const cpm_offer *o, const cpm_request *r)
{
    char text[CPM_COLLECTIVE_NAME];
    assert_in_range(o->count, 1, CPM_MOST_OFFERED + 1);
    assert_null(o->at[0].what.algorithm);
    for (int k = 0; k < o->count; k++) {
        const cpm_offer_one *x = &o->at[k];
        cpm_error e = {0};
        assert_ptr_equal(x->what.operation, r->operation);
        assert_int_equal(x->what.at.n, r->n);
        if (cpm_request_allows(r, &x->what, &e))
            fail_msg("%s of %d: %s", name_of(x, text), r->n, e.text);
        assert_true(k == 0 || x->as.group > 0);
        assert_true(k < 2 || comes_after(&x->as, &o->at[k - 1].as));
        assert_true(k == 0 || variants_of(o, &x->what) <= 2);
        for (int i = 0; i < k; i++)
            if (cpm_collective_equal(&x->what, &o->at[i].what))
                fail_msg("%s of %d twice", name_of(x, text), r->n);
    }
}

static const size_t sizes[] = {0, 1, 200, 5000, 300000};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef void asker(const void *context, const cpm_request *r);

/* All operations, sizes, orders, and v-operations with known and unknown sizes. */
static void ask_all(int n, const cpm_hosts *hosts, asker *ask, const void *context)
{
    size_t each[17 * 17];
    cpm_neighbours *g = near_graph(n);
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        for (int k = 0; k < SIZES; k++) {
            cpm_request r = {.operation = o,
                             .n = n,
                             .root = o->rooted ? n / 2 : 0,
                             .bytes = sizes[k],
                             .hosts = hosts,
                             .neighbours = g};
            ask(context, &r);
            r.ordered = true;
            if (o->combines)
                ask(context, &r);
            r.ordered = false;
            r.sizes = each;
            for (int i = 0; i < (int)o->units(n, NULL); i++)
                each[i] = sizes[k] / (size_t)(i % 3 + 1);
            if (o->like)
                ask(context, &r);
        }
    cpm_neighbours_free(g);
}

static bool is_idle(const cpm_request *r)
{
    return r->bytes == 0 && !r->operation->dataless && !r->operation->like;
}

static void ask_groups(const void *context, const cpm_request *r)
{
    (void)context;
    cpm_offer o;
    cpm_error e = {0};
    if (cpm_offer_of_groups(r, &o, &e))
        fail_msg("%s", e.text);
    assert_good(&o, r);
    assert_int_equal(o.count > 1, !is_idle(r));
    for (int k = 0; k < o.count; k++)
        assert_true(isnan(o.at[k].as.predicted));
    cpm_offer_clear(&o);
    assert_int_equal(cpm_offer_of_star(r, &o, &e), CPM_OK);
    for (int k = 0; k < o.count; k++)
        assert_int_equal(cpm_request_allows(r, &o.at[k].what, NULL), CPM_OK);
    assert_int_equal(o.count > 1, !is_idle(r));
    cpm_offer_clear(&o);
}

static void an_alltoallv_of_unknown_sizes_is_tried_with_all_thresholds(void **state)
{
    (void)state;
    const cpm_algorithm *switched;
    assert_int_equal(cpm_algorithm_find("alltoallv", "switched", &switched, NULL), CPM_OK);
    for (int n = 2; n <= 17; n++) {
        const cpm_request r = {.operation = operation("alltoallv"), .n = n};
        cpm_offer o;
        assert_int_equal(cpm_offer_of_groups(&r, &o, NULL), CPM_OK);
        assert_int_equal(of_algorithm(&o, switched), 4);
        cpm_offer_clear(&o);
    }
}

static void thresholds_ascend_and_other_operations_have_none(void **state)
{
    (void)state;
    const cpm_request r = {.operation = operation("alltoallv"), .n = 5},
                      other = {.operation = operation("alltoall"), .n = 5, .bytes = 64};
    cpm_offer o;
    assert_int_equal(cpm_offer_of_thresholds(&r, &o, NULL), CPM_OK);
    assert_int_equal(o.count, 36);
    assert_null(o.at[0].what.algorithm);
    assert_int_equal(cpm_threshold(&o.at[1].what.with, 1), 0);
    for (int k = 2; k < o.count; k++) {
        assert_true(cpm_threshold(&o.at[k].what.with, 0) >
                    cpm_threshold(&o.at[k - 1].what.with, 0));
        assert_int_equal(cpm_request_allows(&r, &o.at[k].what, NULL), CPM_OK);
    }
    cpm_offer_clear(&o);
    assert_int_equal(cpm_offer_of_thresholds(&other, &o, NULL), CPM_OK);
    assert_int_equal(o.count, 1);
    cpm_offer_clear(&o);
}

static void every_request_has_something_to_try_without_a_model(void **state)
{
    (void)state;
    for (int n = 2; n <= 17; n++)
        ask_all(n, NULL, ask_groups, NULL);
}

static void hosts_are_tried_where_they_are_known(void **state)
{
    (void)state;
    cpm_hosts hosts;
    const cpm_request r = {.operation = operation("allreduce"), .n = 12, .bytes = 64};
    assert_int_equal(cpm_hosts_regular(3, 4, false, &hosts, NULL), CPM_OK);
    ask_all(12, &hosts, ask_groups, NULL);
    cpm_request known = r;
    known.hosts = &hosts;
    cpm_offer with, without;
    assert_int_equal(cpm_offer_of_groups(&r, &without, NULL), CPM_OK);
    assert_int_equal(cpm_offer_of_groups(&known, &with, NULL), CPM_OK);
    const cpm_algorithm *levels;
    assert_int_equal(cpm_algorithm_find("allreduce", "hosts", &levels, NULL), CPM_OK);
    assert_int_equal(of_algorithm(&without, levels), 0);
    assert_int_not_equal(of_algorithm(&with, levels), 0);
    cpm_offer_clear(&with);
    cpm_offer_clear(&without);
    cpm_hosts_clear(&hosts);
}

/* ---- by a model */

/* The fastest row in its plain form. */
static double fastest_row(const cpm_model *m, const cpm_request *r, size_t bytes)
{
    double best = INFINITY;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        const cpm_collective row = {.algorithm = a}, what = cpm_request_collective(r, &row);
        const cpm_block_sizes of = {.bytes = bytes, .each = r->sizes};
        if (!cpm_algorithm_serves(a, r->operation) || a->theirs ||
            cpm_request_allows(r, &what, NULL))
            continue;
        double seconds = cpm_predict_collective(m, &what, &of, NULL, NULL, NULL);
        best = seconds >= 0 ? fmin(best, seconds) : best;
    }
    return best;
}

static bool is_unknown(const cpm_request *r)
{
    return r->operation->like && !r->sizes && r->bytes == 0;
}

static void ask_model(const void *context, const cpm_request *r)
{
    const cpm_model *m = context;
    const cpm_selector_options options = options_of(CPM_LIBRARY_MPICH);
    cpm_offer o;
    cpm_error e = {0};
    if (cpm_offer_of_model(m, &options, r, &o, &e))
        fail_msg("%s", e.text);
    assert_good(&o, r);
    size_t most = r->sizes ? r->bytes : cpm_size_class_of(m, &options, r).most;
    double fastest = fastest_row(m, r, r->operation->dataless ? 0 : most) * (1 + 1e-9);
    double native = o.at[0].as.predicted, first = o.count > 1 ? o.at[1].as.predicted : NAN;
    assert_true(isnan(native) || !(is_idle(r) || is_unknown(r)));
    assert_true(isnan(native) || !(first > fastest) || fastest > 2 * native);
    for (int k = 1; k < o.count; k++)
        assert_false(o.at[k].as.predicted > fmin(3 * first, 2 * native));
    cpm_offer_clear(&o);
}

static void what_a_model_offers_first_is_what_it_predicts_to_be_the_fastest(void **state)
{
    (void)state;
    static const int ns[] = {2, 3, 8, 13};
    for (int k = 0; k < 4; k++) {
        cpm_model *m = k % 2 ? random_lmo(ns[k], (unsigned)k) : random_hockney(ns[k], (unsigned)k);
        ask_all(ns[k], NULL, ask_model, m);
        cpm_model_free(m);
    }
}

static void a_model_of_hosts_offers_what_goes_by_hosts(void **state)
{
    (void)state;
    static const int host[8] = {0, 0, 0, 1, 1, 1, 2, 2};
    cpm_model *m = hosts_model(host, 8, 1);
    const cpm_selector_options options = options_of(CPM_LIBRARY_MPICH);
    const cpm_request r = {.operation = operation("barrier"), .n = 8};
    cpm_offer o;
    assert_int_equal(cpm_offer_of_model(m, &options, &r, &o, NULL), CPM_OK);
    assert_true(o.at[1].what.algorithm->properties & CPM_NEEDS_HOSTS);
    assert_ptr_equal(o.at[1].what.at.hosts, &m->on);
    assert_int_equal(o.at[1].as.group, 7);
    cpm_offer_clear(&o);
    cpm_model_free(m);
}

/* The library's own routine is as fast as the one of the repository that it is. */
static void the_librarys_own_is_predicted_as_what_it_is(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(8, 5);
    const cpm_selector_options options = options_of(CPM_LIBRARY_MPICH);
    const cpm_request r = {.operation = operation("bcast"), .n = 8, .bytes = 1 << 16};
    cpm_collective usual[CPM_MOST_USUAL];
    cpm_offer o;
    assert_int_equal(cpm_library_default(CPM_LIBRARY_MPICH, &r, usual), 1);
    assert_int_equal(cpm_offer_of_model(m, &options, &r, &o, NULL), CPM_OK);
    const cpm_collective what = cpm_request_collective(&r, &usual[0]);
    const cpm_block_sizes of = {.bytes = 1 << 16};
    double seconds = cpm_predict_collective(m, &what, &of, NULL, NULL, NULL);
    assert_true(fabs(o.at[0].as.predicted - seconds) <= 1e-9 * seconds);
    cpm_offer_clear(&o);
    cpm_model_free(m);
}

static void trees_are_mapped_where_there_is_time(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(8, 3);
    cpm_selector_options options = options_of(CPM_LIBRARY_MPICH);
    const cpm_request r = {.operation = operation("scatter"), .n = 8, .root = 2, .bytes = 2000};
    cpm_offer o;
    int mapped = 0;
    options.seconds = 0.5;
    assert_int_equal(cpm_offer_of_model(m, &options, &r, &o, NULL), CPM_OK);
    assert_good(&o, &r);
    for (int k = 1; k < o.count; k++)
        mapped += o.at[k].what.at.mapping != NULL;
    assert_int_not_equal(mapped, 0);
    cpm_offer_clear(&o);
    cpm_model_free(m);
}

static cpm_model *escalating(int n)
{
    cpm_model *m = random_lmo(n, 7);
    m->value[cpm_parameter_index(m->type, "M1")][0] = 4096;
    m->value[cpm_parameter_index(m->type, "M2")][0] = 65536;
    return m;
}

static void what_loses_messages_comes_last(void **state)
{
    (void)state;
    cpm_model *m = escalating(8);
    const cpm_selector_options options = options_of(CPM_LIBRARY_MPICH);
    const cpm_request r = {.operation = operation("gatherv"), .n = 8, .bytes = 16384};
    cpm_offer o;
    assert_int_equal(cpm_offer_of_model(m, &options, &r, &o, NULL), CPM_OK);
    assert_good(&o, &r);
    assert_true(o.at[0].as.at_risk);
    assert_false(o.at[1].as.at_risk);
    cpm_offer_clear(&o);
    cpm_model_free(m);
}

static void a_gatherv_of_unknown_sizes_comes_one_by_one_where_gathers_escalate(void **state)
{
    (void)state;
    cpm_model *m = escalating(8);
    const cpm_selector_options options = options_of(CPM_LIBRARY_MPICH);
    const cpm_request r = {.operation = operation("gatherv"), .n = 8};
    cpm_offer o;
    assert_int_equal(cpm_offer_of_model(m, &options, &r, &o, NULL), CPM_OK);
    assert_string_equal(o.at[1].what.algorithm->name, "linear-sync");
    assert_true(o.at[1].what.with.threshold > 0);
    assert_true(o.count > 2);
    cpm_offer_clear(&o);
    cpm_model_free(m);
}

static void who_keeps_senders_apart_is_expected_to_be_calm(void **state)
{
    const size_t blocks[6] = {16384, 16384, 20000, 12000, 16384, 0};
    const cpm_request r = {.operation = &cpm_operations[CPM_OP_GATHERV],
                           .n = 6,
                           .bytes = cpm_mean_bytes(blocks, 6),
                           .sizes = blocks};
    cpm_offer o;
    int calm = 0;
    (void)state;
    assert_int_equal(cpm_offer_of_groups(&r, &o, NULL), CPM_OK);
    cpm_offer_expect_calm(&o, 40e-3, 8e-3);
    assert_true(o.at[0].as.predicted == 40e-3 && !o.at[0].as.calm);
    for (int k = 1; k < o.count; k++) {
        bool is = strcmp(o.at[k].what.algorithm->name, "linear-sync") == 0;
        assert_true(o.at[k].as.calm == is &&
                    (is ? o.at[k].as.predicted == 8e-3 : isnan(o.at[k].as.predicted)));
        if (is) /* blocks that are much shorter do not wait */
            assert_int_equal(o.at[k].what.with.threshold, r.bytes / 4);
        calm += is;
    }
    assert_int_equal(calm, 1);
    cpm_offer_clear(&o);
}

static void a_model_of_others_offers_nothing(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(8, 3);
    const cpm_selector_options options = options_of(CPM_LIBRARY_MPICH);
    const cpm_request r = {.operation = operation("bcast"), .n = 7, .bytes = 2000};
    cpm_offer o;
    assert_int_equal(cpm_offer_of_model(m, &options, &r, &o, NULL), CPM_EPROCESS);
    cpm_model_free(m);
}

/* ---- STAR-MPI's own lists: table 1 of the paper has 9, 12 and 20 algorithms, ten calls of each */

static void assert_star(const char *name, size_t bytes, int count, int groups,
                        const cpm_topology *topology)
{
    const cpm_request r = {
        .operation = operation(name), .n = 16, .bytes = bytes, .topology = topology};
    cpm_offer o;
    int last = 0, different = 0;
    assert_int_equal(cpm_offer_of_star(&r, &o, NULL), CPM_OK);
    assert_int_equal(o.count, count + 1);
    for (int k = 1; k < o.count; k++) {
        assert_true(o.at[k].as.group >= last);
        different += o.at[k].as.group != last;
        last = o.at[k].as.group;
    }
    assert_int_equal(different, groups);
    cpm_offer_clear(&o);
}

static void star_has_as_many_algorithms_and_groups_as_in_its_paper(void **state)
{
    (void)state;
    char text[1024] = "switch s\n";
    for (int i = 0; i < 16; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "host h%d s\n", i);
    cpm_topology *topology;
    cpm_error e = {0};
    if (cpm_topology_parse(text, "star", &topology, &e))
        fail_msg("%s", e.text);
    assert_star("alltoall", 256, 13, 6, topology);
    assert_star("alltoall", 2048, 9, 5, topology);
    assert_star("allgather", 2048, 12, 6, topology);
    assert_star("allreduce", 2048, 20, 3, topology);
    assert_star("alltoall", 2048, 7, 4, NULL);
    assert_star("allreduce", 2048, 16, 3, NULL);
    cpm_topology_free(topology);
}

/* ---- algorithms that follow switches */

static bool has_some_on_topology(const cpm_offer *o)
{
    bool found = false;
    for (int k = 0; k < o->count; k++)
        found = found || cpm_needs_topology(&o->at[k].what);
    return found;
}

static void what_follows_switches_is_offered_where_they_are_known(void **state)
{
    (void)state;
    cpm_topology *topology;
    assert_int_equal(cpm_topology_parse("switch s\nswitch t\nlink s t\nhost a s\nhost b t\n"
                                        "host c s\nhost d t\nhost e s\nhost f t\n",
                                        "six", &topology, NULL),
                     CPM_OK);
    static const char *names[] = {"alltoall", "alltoallv", "allgather", "allgatherv"};
    cpm_model *m = random_hockney(6, 7);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        cpm_request r = {.operation = operation(names[k]), .n = 6, .bytes = 20000};
        cpm_offer o;
        for (int known = 0; known < 2; known++) {
            r.topology = known ? topology : NULL;
            assert_int_equal(cpm_offer_of_groups(&r, &o, NULL), CPM_OK);
            assert_int_equal(has_some_on_topology(&o), known);
            assert_good(&o, &r);
            cpm_offer_clear(&o);
            assert_int_equal(cpm_offer_of_model(m, &CPM_SELECTOR_DEFAULT, &r, &o, NULL), CPM_OK);
            assert_true(known || !has_some_on_topology(&o));
            assert_good(&o, &r);
            cpm_offer_clear(&o);
        }
    }
    cpm_model_free(m);
    cpm_topology_free(topology);
}

/* ---- by a table */

static cpm_table *table_of(const char *name, int n)
{
    cpm_table *t = calloc(1, sizeof *t);
    cpm_rule rule = {.seconds = NAN};
    assert_non_null(t);
    assert_int_equal(cpm_collective_parse(name, &rule.what, NULL), CPM_OK);
    assert_int_equal(cpm_table_add(t, rule.what.operation, n, &rule, NULL), CPM_OK);
    return t;
}

static void what_a_table_says_comes_first(void **state)
{
    (void)state;
    cpm_table *t = table_of("bcast:chain:segment=2K", 2);
    const cpm_request r = {.operation = operation("bcast"), .n = 9, .root = 4, .bytes = 100000};
    char text[CPM_COLLECTIVE_NAME];
    cpm_offer o;
    assert_int_equal(cpm_offer_of_table(t, &r, &o, NULL), CPM_OK);
    assert_string_equal(name_of(&o.at[1], text), "bcast:chain:segment=2048");
    assert_true(o.count > 2);
    for (int k = 0; k < o.count; k++) {
        assert_int_equal(cpm_request_allows(&r, &o.at[k].what, NULL), CPM_OK);
        assert_true(isnan(o.at[k].as.predicted));
        assert_true(k < 2 || !cpm_collective_equal(&o.at[1].what, &o.at[k].what));
    }
    cpm_offer_clear(&o);
    cpm_table_free(t);
}

static void what_a_table_leaves_to_the_library_is_tried_all_the_same(void **state)
{
    (void)state;
    cpm_table *t = table_of("bcast:native", 2);
    const cpm_request r = {.operation = operation("bcast"), .n = 9, .bytes = 100000};
    cpm_offer o;
    assert_int_equal(cpm_offer_of_table(t, &r, &o, NULL), CPM_OK);
    assert_good(&o, &r);
    assert_true(o.count > 2);
    cpm_offer_clear(&o);
    cpm_table_free(t);
}

/* ---- memory */

typedef int offering(const cpm_request *r, const void *from, cpm_offer *out, cpm_error *e);

static int offer_of_groups(const cpm_request *r, const void *from, cpm_offer *out, cpm_error *e)
{
    (void)from;
    return cpm_offer_of_groups(r, out, e);
}

static int offer_of_star(const cpm_request *r, const void *from, cpm_offer *out, cpm_error *e)
{
    (void)from;
    return cpm_offer_of_star(r, out, e);
}

static int offer_of_model(const cpm_request *r, const void *from, cpm_offer *out, cpm_error *e)
{
    const cpm_selector_options options = options_of(CPM_LIBRARY_MPICH);
    return cpm_offer_of_model(from, &options, r, out, e);
}

static int offer_of_table(const cpm_request *r, const void *from, cpm_offer *out, cpm_error *e)
{
    return cpm_offer_of_table(from, r, out, e);
}

static bool offers_the_same(const cpm_offer *a, const cpm_offer *b)
{
    bool same = a->count == b->count;
    for (int k = 0; k < a->count && same; k++)
        same = cpm_collective_equal(&a->at[k].what, &b->at[k].what);
    return same;
}

/* What is only remembered, to be faster, may go without memory. */
static void refuse_each_request(offering *offer, const void *from, const cpm_request *r)
{
    bool hit = REFUSING;
    int failed = 0;
    cpm_offer all;
    assert_int_equal(offer(r, from, &all, NULL), CPM_OK);
    for (int k = 1; hit; k++) {
        cpm_offer o = {0};
        cpm_error e = {0};
        refuse_after = k;
        int status = offer(r, from, &o, &e);
        hit = refuse_after == 0;
        refuse_after = 0;
        failed += status != CPM_OK;
        if (status == CPM_OK ? !offers_the_same(&o, &all)
                             : status != CPM_ENOMEM || !e.text[0] || o.at)
            fail_msg("request %d of %s refused: status %d, %d offered, not %d: %s", k,
                     r->operation->name, status, o.count, all.count, e.text);
        cpm_offer_clear(&o);
    }
    assert_true(failed > 0 || !REFUSING);
    cpm_offer_clear(&all);
}

static void without_memory_all_or_nothing_is_offered(void **state)
{
    (void)state;
    cpm_hosts hosts;
    assert_int_equal(cpm_hosts_regular(2, 4, false, &hosts, NULL), CPM_OK);
    const cpm_request r = {
        .operation = operation("allgather"), .n = 8, .bytes = 1000, .hosts = &hosts};
    const cpm_request rooted = {.operation = operation("bcast"), .n = 8, .bytes = 1000};
    cpm_model *m = random_lmo(8, 3);
    cpm_table *t = table_of("bcast:chain:segment=2K", 2);
    refuse_each_request(offer_of_groups, NULL, &r);
    refuse_each_request(offer_of_star, NULL, &r);
    refuse_each_request(offer_of_model, m, &r);
    refuse_each_request(offer_of_table, t, &rooted);
    cpm_table_free(t);
    cpm_model_free(m);
    cpm_hosts_clear(&hosts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thresholds_ascend_and_other_operations_have_none),
        cmocka_unit_test(every_request_has_something_to_try_without_a_model),
        cmocka_unit_test(an_alltoallv_of_unknown_sizes_is_tried_with_all_thresholds),
        cmocka_unit_test(hosts_are_tried_where_they_are_known),
        cmocka_unit_test(what_a_model_offers_first_is_what_it_predicts_to_be_the_fastest),
        cmocka_unit_test(a_model_of_hosts_offers_what_goes_by_hosts),
        cmocka_unit_test(the_librarys_own_is_predicted_as_what_it_is),
        cmocka_unit_test(trees_are_mapped_where_there_is_time),
        cmocka_unit_test(what_loses_messages_comes_last),
        cmocka_unit_test(a_gatherv_of_unknown_sizes_comes_one_by_one_where_gathers_escalate),
        cmocka_unit_test(who_keeps_senders_apart_is_expected_to_be_calm),
        cmocka_unit_test(a_model_of_others_offers_nothing),
        cmocka_unit_test(star_has_as_many_algorithms_and_groups_as_in_its_paper),
        cmocka_unit_test(what_follows_switches_is_offered_where_they_are_known),
        cmocka_unit_test(what_a_table_says_comes_first),
        cmocka_unit_test(what_a_table_leaves_to_the_library_is_tried_all_the_same),
        cmocka_unit_test(without_memory_all_or_nothing_is_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
