/* Classes of sizes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../models/random_model.h"
#include "selection/library_defaults.h"
#include "selection/size_class.h"
#include "tests/near_graph.h"

static cpm_request bcast(size_t bytes)
{
    cpm_request r = {.n = 16, .bytes = bytes};
    assert_int_equal(cpm_operation_find("bcast", &r.operation, NULL), CPM_OK);
    return r;
}

static cpm_size_class class_of(const cpm_model *m, cpm_library library, size_t bytes)
{
    cpm_request r = bcast(bytes);
    const cpm_selector_options o = {.native = true, .library = library};
    return cpm_size_class_of(m, &o, &r);
}

static void every_size_is_in_the_class_of_all_sizes_of_its_class(void **state)
{
    (void)state;
    cpm_model *m = random_lmo2(16, 1);
    m->value[CPM_LMO2_M1][0] = 3333;
    for (size_t bytes = 0; bytes < 70000; bytes += 1 + bytes / 50) {
        cpm_size_class c = class_of(m, CPM_LIBRARY_MPICH, bytes);
        assert_in_range(bytes, c.least, c.most);
        cpm_size_class a = class_of(m, CPM_LIBRARY_MPICH, c.least);
        cpm_size_class b = class_of(m, CPM_LIBRARY_MPICH, c.most);
        assert_true(a.least == c.least && a.most == c.most);
        assert_true(b.least == c.least && b.most == c.most);
    }
    cpm_model_free(m);
}

static void an_octave_has_eight_classes_and_a_power_of_two_ends_one(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(16, 1);
    int count = 0;
    for (size_t bytes = (1 << 20) + 1; bytes <= 1 << 21; count++) {
        cpm_size_class c = class_of(m, CPM_LIBRARY_OTHER, bytes);
        assert_true(c.least == bytes);
        bytes = c.most + 1;
    }
    assert_int_equal(count, 8);
    for (size_t bytes = 1; bytes; bytes *= 2)
        assert_true(class_of(m, CPM_LIBRARY_OTHER, bytes).most == bytes);
    assert_true(class_of(m, CPM_LIBRARY_OTHER, SIZE_MAX).least <= SIZE_MAX);
    cpm_model_free(m);
}

static void thresholds_cut_classes(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(16, 1);
    m->value[CPM_LMO_M1][0] = 5000;
    assert_true(class_of(m, CPM_LIBRARY_OTHER, 5000).least == 5000);
    assert_true(class_of(m, CPM_LIBRARY_OTHER, 4999).most == 4999);
    cpm_model_free(m);
}

static void the_library_does_the_same_throughout_a_class(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(16, 1);
    for (size_t bytes = 1; bytes < 1 << 21; bytes += 1 + bytes / 40) {
        cpm_collective first[CPM_MOST_USUAL], last[CPM_MOST_USUAL];
        cpm_size_class c = class_of(m, CPM_LIBRARY_MPICH, bytes);
        cpm_request least = bcast(c.least), most = bcast(c.most);
        assert_int_equal(cpm_library_default(CPM_LIBRARY_MPICH, &least, first), 1);
        assert_int_equal(cpm_library_default(CPM_LIBRARY_MPICH, &most, last), 1);
        assert_true(cpm_collective_same(&first[0], &last[0]));
    }
    cpm_model_free(m);
}

/* ---- what libraries do */

static const char *usual_of(cpm_library library, const char *operation, int n, size_t bytes,
                            bool ordered)
{
    cpm_collective c[CPM_MOST_USUAL];
    cpm_request r = {.n = n, .bytes = bytes, .ordered = ordered};
    assert_int_equal(cpm_operation_find(operation, &r.operation, NULL), CPM_OK);
    return cpm_library_default(library, &r, c) == 1 ? c[0].algorithm->name : NULL;
}

static const char *usual(const char *operation, int n, size_t bytes, bool ordered)
{
    return usual_of(CPM_LIBRARY_MPICH, operation, n, bytes, ordered);
}

static void assert_usual(const char *operation, int hosts, int each, size_t bytes,
                         const char *expected)
{
    cpm_collective c[CPM_MOST_USUAL];
    cpm_hosts h;
    char name[CPM_COLLECTIVE_NAME];
    assert_int_equal(cpm_hosts_regular(hosts, each, true, &h, NULL), CPM_OK);
    cpm_request r = {.n = hosts * each, .bytes = bytes, .hosts = &h};
    assert_int_equal(cpm_operation_find(operation, &r.operation, NULL), CPM_OK);
    assert_int_equal(cpm_library_default(CPM_LIBRARY_MPICH, &r, c), 1);
    cpm_collective_print_algorithm(&c[0], name, sizeof name);
    assert_string_equal(name, expected);
    const cpm_collective placed = cpm_request_collective(&r, &c[0]);
    assert_int_equal(cpm_request_allows(&r, &placed, NULL), CPM_OK);
    cpm_hosts_clear(&h);
}

/* As the messages of each process tell that MPICH 4.0.2 sends where it plays hosts itself. */
static void mpich_goes_in_two_levels_on_hosts_with_several_processes(void **state)
{
    (void)state;
    assert_usual("bcast", 2, 4, 65536, "hosts");
    assert_usual("bcast", 2, 4, 1 << 19, "scatter-doubling");
    assert_usual("bcast", 3, 2, 1 << 19, "hosts");
    assert_usual("bcast", 8, 2, 12288, "hosts");
    assert_usual("bcast", 8, 2, 16384, "hosts:outer=scatter-doubling");
    assert_usual("bcast", 8, 1, 8, "binomial");
    assert_usual("reduce", 2, 4, 4096, "hosts:inner=rabenseifner-near:outer=rabenseifner-near");
    assert_usual("allreduce", 2, 4, 8, "hosts");
    assert_usual("allreduce", 2, 4, 1024, "hosts:outer=rabenseifner-folded");
    assert_usual("allreduce", 2, 3, 4096,
                 "hosts:inner=rabenseifner-near:outer=rabenseifner-folded");
    assert_usual("allreduce", 2, 4, 16, "hosts:outer=rabenseifner-folded");
    assert_usual("barrier", 2, 4, 8, "hosts-barrier");
    assert_usual("gather", 2, 4, 8, "binomial");
}

/* From 8 processes on within a host as between hosts. */
static void mpich_cuts_long_messages_on_wide_hosts_too(void **state)
{
    (void)state;
    assert_usual("bcast", 2, 8, 12288, "hosts");
    assert_usual("bcast", 2, 8, 65536, "hosts:inner=scatter-doubling");
    assert_usual("bcast", 8, 8, 65536, "hosts:inner=scatter-doubling:outer=scatter-doubling");
    assert_usual("bcast", 2, 12, 16384, "scatter-ring");
    assert_usual("bcast", 2, 8, 1 << 20, "scatter-ring");
    assert_usual("reduce", 4, 8, 65536, "hosts:inner=rabenseifner-near:outer=rabenseifner-near");
    assert_usual("allreduce", 4, 8, 12288,
                 "hosts:inner=rabenseifner-near:outer=rabenseifner-folded");
    assert_usual("allreduce", 4, 8, 65536, "hosts-long");
    assert_usual("allreduce", 2, 12, 65536, "hosts-long:inner=scatter-ring");
    assert_usual("allreduce", 2, 8, 1 << 20, "hosts-long:inner=scatter-ring");
}

static void mpich_decides_as_its_built_in_rules_say(void **state)
{
    (void)state;
    assert_string_equal(usual("bcast", 7, 1 << 20, false), "binomial");
    assert_string_equal(usual("bcast", 8, 12288, false), "binomial");
    assert_string_equal(usual("bcast", 8, 12289, false), "scatter-doubling");
    assert_string_equal(usual("bcast", 9, 12289, false), "scatter-ring");
    assert_string_equal(usual("allgather", 8, 65535, false), "recursive-doubling");
    assert_string_equal(usual("allgather", 8, 65536, false), "logical-ring");
    assert_string_equal(usual("allgather", 10, 8191, false), "bruck");
    assert_string_equal(usual("alltoall", 7, 8, false), "spreading-simple");
    assert_string_equal(usual("alltoall", 9, 256, false), "bruck");
    assert_string_equal(usual("alltoall", 9, 32769, false), "ring");
    assert_string_equal(usual("reduce", 8, 4096, false), "rabenseifner-near");
    assert_string_equal(usual("reduce", 8, 4096, true), "binomial");
    assert_string_equal(usual("allreduce", 16, 4096, true), "recursive-doubling");
    assert_string_equal(usual("allreduce", 24, 120, false), "recursive-doubling");
    assert_string_equal(usual("allreduce", 24, 128, false), "rabenseifner-folded");
    assert_string_equal(usual("allreduce", 16, 128, false), "rabenseifner-folded");
    assert_null(usual("reduce_scatter", 8, 64, true)); /* recursive doubling, which is not ours */
}

/* "2x3", or the numbers of processes of unlike hosts. */
static int read_layout(const char *layout, cpm_hosts *out)
{
    static const char *const unlike[] = {"a", "a", "b", "b", "b", "b"};
    return strchr(layout, ':') ? cpm_hosts_named(unlike, 6, out, NULL)
                               : cpm_hosts_read(layout, NULL, out, NULL);
}

static const char *openmpi(const char *operation, int n, size_t bytes, bool ordered)
{
    return usual_of(CPM_LIBRARY_OPENMPI, operation, n, bytes, ordered);
}

static void openmpi_decides_as_its_fixed_rules_say(void **state)
{
    (void)state;
    assert_string_equal(openmpi("bcast", 3, 31, false), "chain");
    assert_string_equal(openmpi("bcast", 3, 32, false), "binary-at-once");
    assert_string_equal(openmpi("bcast", 15, 4095, false), "knomial-at-once");
    assert_string_equal(openmpi("bcast", 31, 1 << 20, false), "scatter-doubling");
    assert_string_equal(openmpi("bcast", 100, 1 << 20, false), "knomial-at-once");
    assert_string_equal(openmpi("allgather", 16, 1 << 20, false), "recursive-doubling");
    assert_string_equal(openmpi("allgather", 24, 1 << 20, false), "bruck");
    assert_string_equal(openmpi("allgather", 40, 1024, false), "neighbor");
    assert_string_equal(openmpi("allgather", 41, 1024, false), "logical-ring");
    assert_string_equal(openmpi("alltoall", 16, 511, false), "bruck");
    assert_string_equal(openmpi("alltoall", 16, 512, false), "spreading-simple");
    assert_string_equal(openmpi("alltoall", 64, 1 << 18, false), "ring");
    assert_string_equal(openmpi("reduce", 8, 8191, false), "binary");
    assert_string_equal(openmpi("reduce", 8, 8192, false), "binomial");
    assert_string_equal(openmpi("reduce", 7, 8192, true), "linear-backwards");
    assert_string_equal(openmpi("allreduce", 16, 4096, false), "rabenseifner-near");
    assert_string_equal(openmpi("allreduce", 16, 4096, true), "recursive-doubling");
    assert_string_equal(openmpi("reduce_scatter", 8, 32767, false), "halving");
    assert_string_equal(openmpi("reduce_scatter", 8, 32768, false), "ring");
    assert_null(openmpi("reduce_scatter", 8, 64, true)); /* a reduce and a scatterv */
    assert_string_equal(openmpi("gather", 7, 8191, false), "linear");
    assert_string_equal(openmpi("scatter", 64, 512, false), "star");
    assert_string_equal(openmpi("barrier", 64, 0, false), "dissemination");
}

/* As the library's messages show where as many hosts are played (test_usual_of_openmpi.sh). */
static void openmpi_5_goes_by_levels_where_hosts_are_alike(void **state)
{
    (void)state;
    static const struct {
        const char *layout, *operation;
        size_t bytes;
        const char *library[2]; /* of 4.1, of 5.0 */
    } cases[] = {
        {"2x3", "bcast", 8, {"binary-at-once", "hosts:inner=chain:outer=chain"}},
        {"2x3", "gather", 8, {"binomial", "hosts:inner=binomial:outer=binomial"}},
        {"2x3", "alltoall", 8, {"spreading-simple", "spreading-simple"}},
        {"6x1", "bcast", 8, {"binary-at-once", "binary-at-once"}},
        {"1x6", "bcast", 8, {"binary-at-once", "binary-at-once"}},
        {"a:2 b:4", "bcast", 8, {"binary-at-once", "binary-at-once"}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int five = 0; five < 2; five++) {
            cpm_hosts hosts;
            cpm_collective c[CPM_MOST_USUAL];
            char text[CPM_COLLECTIVE_NAME];
            assert_int_equal(read_layout(cases[k].layout, &hosts), CPM_OK);
            cpm_request r = {.n = hosts.n, .bytes = cases[k].bytes, .hosts = &hosts};
            assert_int_equal(cpm_operation_find(cases[k].operation, &r.operation, NULL), CPM_OK);
            assert_int_equal(
                cpm_library_default(five ? CPM_LIBRARY_OPENMPI5 : CPM_LIBRARY_OPENMPI, &r, c), 1);
            c[0].operation = r.operation;
            cpm_collective_print(&c[0], text, sizeof text);
            assert_string_equal(strchr(text, ':') + 1, cases[k].library[five]);
            cpm_hosts_clear(&hosts);
        }
}

static void what_openmpi_does_can_be_run_on_any_number_of_processes(void **state)
{
    (void)state;
    cpm_collective a[CPM_MOST_USUAL];
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        for (int n = 2; n < 5000; n += 1 + n / 8) {
            cpm_neighbours *g = near_graph(n);
            for (size_t bytes = 64; bytes < 1 << 24; bytes *= 2) {
                cpm_request r = {.operation = o, .n = n, .bytes = bytes, .neighbours = g};
                if (cpm_library_default(CPM_LIBRARY_OPENMPI, &r, a) != 1)
                    fail_msg("%s, %d processes, %zu bytes", o->name, n, bytes);
                const cpm_collective placed = cpm_request_collective(&r, &a[0]);
                assert_int_equal(cpm_collective_applies(&placed, NULL), CPM_OK);
            }
            cpm_neighbours_free(g);
        }
}

static void every_operation_has_something_usual(void **state)
{
    (void)state;
    cpm_collective a[CPM_MOST_USUAL];
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        for (int n = 2; n < 20; n++) {
            cpm_neighbours *g = near_graph(n);
            for (size_t bytes = 1; bytes < 1 << 24; bytes *= 2) {
                cpm_request r = {.operation = o, .n = n, .bytes = bytes, .neighbours = g};
                assert_int_equal(cpm_library_default(CPM_LIBRARY_MPICH, &r, a), 1);
                assert_true(cpm_library_default(CPM_LIBRARY_OTHER, &r, a) >= 1);
            }
            cpm_neighbours_free(g);
        }
}

/* Pieces of a block differ by a byte at most. */
static bool has_piece(const cpm_size_class *c, size_t segment, size_t from, size_t to)
{
    for (size_t bytes = c->least; bytes <= c->most; bytes++) {
        size_t pieces = (bytes + segment - 1) / segment;
        size_t shortest = bytes / pieces, longest = (bytes + pieces - 1) / pieces;
        if ((shortest >= from && shortest < to) || (longest >= from && longest < to))
            return true;
    }
    return false;
}

static bool is_torn_by_any(const cpm_size_class *c, const cpm_model *m, size_t segment)
{
    size_t m1 = (size_t)m->value[CPM_LMO2_M1][0];
    bool torn = has_piece(c, segment, 0, m1) && has_piece(c, segment, m1, SIZE_MAX);
    for (int k = 0; k < m->sizes.count; k++)
        torn = torn || (has_piece(c, segment, 0, m->sizes.at[k]) &&
                        has_piece(c, segment, m->sizes.at[k], SIZE_MAX));
    return torn;
}

static void segments_are_torn_whose_pieces_are_on_both_sides_of_a_threshold(void **state)
{
    (void)state;
    static const size_t segments[] = {700, 1000, 1024, 3332, 3333, 3334, 4096, 5000};
    cpm_model *m = random_lmo2(16, 1);
    m->value[CPM_LMO2_M1][0] = 3333;
    int torn = 0, whole = 0;
    for (size_t bytes = 5100; bytes < 70000; bytes += bytes / 30)
        for (size_t k = 0; k < sizeof segments / sizeof *segments; k++) {
            cpm_size_class c = class_of(m, CPM_LIBRARY_OTHER, bytes);
            size_t at = cpm_size_class_torn_at(&c, m, segments[k]);
            bool is = at > 0;
            assert_true(is == is_torn_by_any(&c, m, segments[k]));
            assert_true(!is || (at >= c.least && at <= c.most));
            torn += is;
            whole += !is;
        }
    assert_true(torn > 50 && whole > 50);
    assert_true(!cpm_size_class_torn_at(&(cpm_size_class){9999, 9999}, m, 0));
    assert_true(!cpm_size_class_torn_at(&(cpm_size_class){9999, 9999}, m, 3333));
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_is_in_the_class_of_all_sizes_of_its_class),
        cmocka_unit_test(segments_are_torn_whose_pieces_are_on_both_sides_of_a_threshold),
        cmocka_unit_test(an_octave_has_eight_classes_and_a_power_of_two_ends_one),
        cmocka_unit_test(thresholds_cut_classes),
        cmocka_unit_test(the_library_does_the_same_throughout_a_class),
        cmocka_unit_test(mpich_decides_as_its_built_in_rules_say),
        cmocka_unit_test(mpich_goes_in_two_levels_on_hosts_with_several_processes),
        cmocka_unit_test(mpich_cuts_long_messages_on_wide_hosts_too),
        cmocka_unit_test(openmpi_decides_as_its_fixed_rules_say),
        cmocka_unit_test(openmpi_5_goes_by_levels_where_hosts_are_alike),
        cmocka_unit_test(what_openmpi_does_can_be_run_on_any_number_of_processes),
        cmocka_unit_test(every_operation_has_something_usual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
