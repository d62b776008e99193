/* Names, equality, fingerprints and the wire form of collectives, over all rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/collective.h"
#include "collectives/topology_tree.h"

static const int backwards[] = {3, 2, 1, 0}, chain[] = {-1, 0, 1, 2};
static const double halves[] = {0.5, 1.5, 0.5, 1.5};

static void assert_round_trip(const char *name)
{
    cpm_collective c, again;
    char text[CPM_COLLECTIVE_NAME];
    cpm_error e = {0};
    if (cpm_collective_parse(name, &c, &e))
        fail_msg("%s: %s", name, e.text);
    cpm_collective_print(&c, text, sizeof text);
    assert_int_equal(cpm_collective_parse(text, &again, NULL), CPM_OK);
    assert_true(cpm_collective_equal(&c, &again));
}

static void a_printed_name_is_read_as_the_same_collective(void **state)
{
    (void)state;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        char name[CPM_COLLECTIVE_NAME];
        const char *with = a->properties & CPM_TAKES_SEGMENT ? ":segment=8K" : "";
        const char *fan = a->properties & CPM_TAKES_K ? ":k=3" : "";
        snprintf(name, sizeof name, "%s:%s%s%s", a->operation, a->name, with, fan);
        assert_round_trip(name);
    }
    for (const cpm_operation *o = cpm_operations; o->name; o++) {
        char name[CPM_COLLECTIVE_NAME];
        snprintf(name, sizeof name, "%s:native", o->name);
        assert_round_trip(name);
    }
    assert_round_trip("bcast:2d:mesh=2x3:x=chain:y=linear");
    assert_round_trip("gather:2d:rows=hosts:x=native:y=linear");
}

static void rows_are_a_mesh_the_other_way_round(void **state)
{
    (void)state;
    static const char *const same[][2] = {{"bcast:2d:rows=3x2", "bcast:2d:mesh=2x3"},
                                          {"gather:3d:rows=2x3x4", "gather:3d:mesh=4x3x2"}};
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        cpm_collective rows, mesh;
        assert_int_equal(cpm_collective_parse(same[k][0], &rows, NULL), CPM_OK);
        assert_int_equal(cpm_collective_parse(same[k][1], &mesh, NULL), CPM_OK);
        assert_true(cpm_collective_same(&rows, &mesh));
    }
}

static void assert_refused(const char *name, int code, const char *says)
{
    cpm_collective c;
    cpm_error e = {0};
    assert_int_equal(cpm_collective_parse(name, &c, &e), code);
    if (!strstr(e.text, says))
        fail_msg("%s: '%s' does not say '%s'", name, e.text, says);
}

static void wrong_names_are_refused_with_what_is_known(void **state)
{
    (void)state;
    assert_refused("broadcast:binomial", CPM_EUNKNOWN, "unknown operation 'broadcast'");
    assert_refused("bcast:binomal", CPM_EUNKNOWN, "unknown algorithm 'binomal' of bcast");
    assert_refused("bcast", CPM_EINVAL, "no algorithm is named");
    assert_refused("bcast:", CPM_EINVAL, "no algorithm is named");
    assert_refused("bcast:binomial:k=2", CPM_EUNKNOWN, "does not take the parameter 'k=2'");
    assert_refused("bcast:chain:segment=0", CPM_EINVAL, "at least one byte");
    assert_refused("bcast:chain:segment=8:segment=8", CPM_EINVAL, "segment is given twice");
    assert_refused("allgather:2d:mesh=4x4:rows=2x8", CPM_EINVAL, "rows is given twice (mesh and");
    assert_refused("allgather:3d:rows=2x2x4:mesh=4x4", CPM_EINVAL, "mesh is given twice (mesh and");
    assert_refused("bcast:2d:rows=racks", CPM_EINVAL, "rows=racks: is not like 4x4 or 2x2x4");
}

static void classes_of_combining_are_found_by_their_names(void **state)
{
    (void)state;
    cpm_combining found = CPM_COMBININGS;
    cpm_error e = {0};
    for (cpm_combining what = 0; what < CPM_COMBINING_OTHER; what++) {
        assert_int_equal(cpm_combining_find(cpm_combinings[what].name, &found, NULL), CPM_OK);
        assert_int_equal(found, what);
        assert_non_null(cpm_combinings[what].stands_for);
    }
    assert_null(cpm_combining_named(CPM_COMBINING_OTHER));
    assert_int_equal(cpm_combining_find("double", &found, &e), CPM_EUNKNOWN);
    assert_non_null(strstr(e.text, "doubles"));
}

static void a_schedule_combines_what_its_collective_does(void **state)
{
    (void)state;
    cpm_collective c;
    cpm_schedule *s;
    assert_int_equal(cpm_collective_parse("reduce:binomial", &c, NULL), CPM_OK);
    c.at.n = 5;
    c.combining = CPM_COMBINING_DOUBLES;
    assert_int_equal(cpm_collective_schedule(&c, &(cpm_block_sizes){.bytes = 8}, &s, NULL), CPM_OK);
    assert_int_equal(s->combining, CPM_COMBINING_DOUBLES);
    cpm_schedule_free(s);
}

/* All that travels: everything but the topology. */
static void a_collective_is_the_same_after_it_has_travelled(void **state)
{
    (void)state;
    const cpm_placement places[] = {{0},
                                    {.n = 4, .root = 3, .mapping = backwards},
                                    {.n = 4, .root = 3, .mapping = backwards, .parent = chain},
                                    {.n = 4, .weights = halves, .parent = chain}};
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            cpm_collective c, got;
            void *bytes = malloc(cpm_collective_packed_bytes(4));
            assert_int_equal(cpm_collective_of(a, &c, NULL), CPM_OK);
            c.at = places[k];
            c.with.segment = 77;
            c.combining = CPM_COMBINING_FLOATS;
            cpm_collective_pack(&c, bytes);
            cpm_collective_unpack(bytes, &got);
            assert_true(cpm_collective_equal(&c, &got) && got.combining == c.combining);
            free(bytes);
        }
}

static bool same_fingerprint(const cpm_placement *a, const cpm_placement *b)
{
    char one[CPM_FINGERPRINT], other[CPM_FINGERPRINT];
    cpm_placement_fingerprint(a, one);
    cpm_placement_fingerprint(b, other);
    return strcmp(one, other) == 0;
}

static cpm_topology *topology_of(const char *text)
{
    cpm_topology *t = NULL;
    assert_int_equal(cpm_topology_parse(text, "test", &t, NULL), CPM_OK);
    return t;
}

static void placements_have_one_fingerprint_each(void **state)
{
    (void)state;
    cpm_topology *star = topology_of("switch s\nhost a s\nhost b s\nhost c s\nhost d s\n"),
                 *two = topology_of(
                     "switch s\nswitch t\nlink s t\nhost a s\nhost b s\nhost c t\nhost d t\n");
    const int copy[] = {3, 2, 1, 0};
    cpm_hosts block, cyclic, copied, alone;
    assert_int_equal(cpm_hosts_regular(2, 2, false, &block, NULL), CPM_OK);
    assert_int_equal(cpm_hosts_regular(2, 2, true, &cyclic, NULL), CPM_OK);
    assert_int_equal(cpm_hosts_regular(2, 2, true, &copied, NULL), CPM_OK);
    assert_int_equal(cpm_hosts_regular(4, 1, false, &alone, NULL), CPM_OK);
    const cpm_placement place[] = {
        {.n = 4},
        {.n = 4, .mapping = backwards},
        {.n = 4, .mapping = backwards, .parent = chain},
        {.n = 4, .weights = halves},
        {.n = 4, .weights = halves, .mapping = backwards},
        {.n = 4, .topology = star},
        {.n = 4, .topology = two},
        {.n = 4, .hosts = &block},
        {.n = 4, .hosts = &cyclic},
    };
    for (size_t i = 0; i < sizeof place / sizeof *place; i++)
        for (size_t j = 0; j < sizeof place / sizeof *place; j++)
            assert_int_equal(same_fingerprint(&place[i], &place[j]), i == j);
    assert_true(same_fingerprint(&place[1], &(cpm_placement){.n = 4, .mapping = copy, .root = 3}));
    assert_true(same_fingerprint(&place[8], &(cpm_placement){.n = 4, .hosts = &copied}));
    assert_true(same_fingerprint(&place[0], &(cpm_placement){.n = 4, .hosts = &alone}));
    char text[CPM_FINGERPRINT];
    cpm_placement_fingerprint(&(cpm_placement){0}, text);
    assert_string_equal(text, "plain");
    cpm_placement_fingerprint(&place[7], text);
    assert_memory_equal(text, "hosts=", 6);
    assert_int_equal(strlen(text), 6 + 12);
    for (int k = 0; k < 4; k++)
        cpm_hosts_clear((cpm_hosts *[]){&block, &cyclic, &copied, &alone}[k]);
    cpm_topology_free(star);
    cpm_topology_free(two);
}

static void placements_that_differ_make_collectives_differ(void **state)
{
    (void)state;
    cpm_collective a, b;
    const int copy[] = {3, 2, 1, 0};
    assert_int_equal(cpm_collective_parse("bcast:binomial", &a, NULL), CPM_OK);
    a.at = (cpm_placement){.n = 4, .root = 3, .mapping = backwards};
    b = a;
    b.at.mapping = copy;
    assert_true(cpm_collective_equal(&a, &b));
    b.at.mapping = NULL;
    assert_false(cpm_collective_equal(&a, &b));
    b = a;
    b.at.root = 0;
    assert_false(cpm_collective_equal(&a, &b));
    assert_true(cpm_collective_same(&a, &b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_printed_name_is_read_as_the_same_collective),
        cmocka_unit_test(rows_are_a_mesh_the_other_way_round),
        cmocka_unit_test(wrong_names_are_refused_with_what_is_known),
        cmocka_unit_test(a_collective_is_the_same_after_it_has_travelled),
        cmocka_unit_test(classes_of_combining_are_found_by_their_names),
        cmocka_unit_test(a_schedule_combines_what_its_collective_does),
        cmocka_unit_test(placements_have_one_fingerprint_each),
        cmocka_unit_test(placements_that_differ_make_collectives_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
