/* Selection files of MPICH as rules: calls get what MPICH's tests lead them to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_rng.h>

#include "libraries/mpich_walk.h"
#include "libraries/rules_file.h"

static void said_of(const char *text, const char *notes, const char *rules)
{
    char *found = NULL, *printed = NULL;
    size_t size = 0;
    cpm_ruleset *r = NULL;
    cpm_error e = {0};
    if (cpm_ruleset_unpack(text, "x.json", &r, &found, &e))
        fail_msg("%s", e.text);
    FILE *out = open_memstream(&printed, &size);
    cpm_ruleset_print(r, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(printed, rules);
    assert_string_equal(found ? found : "", notes);
    free(printed);
    free(found);
    cpm_ruleset_free(r);
}

static void expect_error(const char *text, const char *said)
{
    cpm_ruleset *r = NULL;
    char *notes = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_ruleset_unpack(text, "x.json", &r, &notes, &e), CPM_EPARSE);
    assert_null(notes);
    assert_string_equal(e.text, said);
}

/* A test behind one that says the same, or the contrary, is none. */
static void tests_become_conditions(void **state)
{
    (void)state;
    said_of(
        "{\"collective=bcast\": {\"comm_type=inter\": {\"algorithm=X\": {}}, \"comm_type=intra\": "
        "{\"comm_size<4\": {\"comm_size<=7\": {\"algorithm=MPIR_Bcast_intra_binomial\": {}}},"
        "\"avg_msg_size<100\": {\"comm_size<9\": {\"algorithm=MPIR_Bcast_intra_binomial\": {}},"
        "\"comm_size=any\": {\"algorithm=MPIR_Bcast_intra_tree\": {\"k=2\": {}}}},"
        "\"avg_msg_size = any\": {\"avg_msg_size<=50\": {\"algorithm=X\": {}}, \"any\": "
        "{\"algorithm=MPIR_Bcast_intra_scatter_recursive_doubling_allgather\": {}}}}}}",
        "x.json: bcast: MPIR_Bcast_intra_tree has no counterpart in cpm: left to the library\n"
        "x.json: bcast: MPIR_Bcast_intra_scatter_recursive_doubling_allgather is known for "
        "powers of two only: other numbers of processes are left to the library",
        "if operation = bcast\n"
        "    if processes <= 3\n"
        "        bcast:binomial # rule 1\n"
        "    else if bytes <= 99\n"
        "        if processes <= 9\n"
        "            bcast:binomial # rule 2\n"
        "        else\n"
        "            bcast:native # rule 3\n"
        "        end\n"
        "    else\n"
        "        if power-of-two\n"
        "            bcast:scatter-doubling # rule 4\n"
        "        else\n"
        "            bcast:native # rule 5\n"
        "        end\n"
        "    end\n"
        "end\n");
}

/* As MPICH 5.1 writes them. */
static void named_trees_are_read(void **state)
{
    (void)state;
    said_of(
        "{\"name=alltoall-intra-auto\": {\"inplace\": {\"algorithm=X\": {}}, \"any\": "
        "{\"comm_size<=8\": {\"algorithm=MPIR_Alltoall_intra_pairwise\": {}}, \"any\": "
        "{\"algorithm=MPIR_Alltoall_intra_brucks\": {}}}},"
        "\"name=reduce_scatter-intra-auto\": {\"!commutative\": {\"algorithm=Y\": {}}, "
        "\"total_msg_size<1024\": {\"algorithm=MPIR_Reduce_scatter_intra_pairwise\": {}}, "
        "\"!pof2\": {\"hierarchical\": {\"algorithm=Z\": {}}, \"any\": {\"algorithm="
        "MPIR_Reduce_scatter_intra_recursive_halving\": {}}}, \"moon\": {\"algorithm=W\": {}}}}",
        "x.json: reduce_scatter: Y has no counterpart in cpm: left to the library\n"
        "x.json: reduce_scatter: Z has no counterpart in cpm: left to the library\n"
        "x.json: reduce_scatter: moon is a test that cpm does not know: left to the library "
        "from there on",
        "if operation = alltoall and operation != alltoallv and operation != alltoallw\n"
        "    if processes <= 8\n"
        "        if power-of-two\n"
        "            alltoall:pair # rule 1\n"
        "        else\n"
        "            alltoall:ring # rule 2\n"
        "        end\n"
        "    else\n"
        "        alltoall:bruck # rule 3\n"
        "    end\n"
        "end\n"
        "if operation = reduce_scatter\n"
        "    if not commuting\n"
        "        reduce_scatter:native # rule 4\n"
        "    else if total-bytes <= 1023\n"
        "        reduce_scatter:pairwise # rule 5\n"
        "    else if not power-of-two\n"
        "        if hosts > 1 and processes-per-host > 1\n"
        "            reduce_scatter:native # rule 6\n"
        "        else\n"
        "            reduce_scatter:halving # rule 7\n"
        "        end\n"
        "    else\n"
        "        reduce_scatter:native # rule 8\n"
        "    end\n"
        "end\n");
}

static void what_stops_programs_is_refused(void **state)
{
    (void)state;
    expect_error("{\"collective=bcast\": {\"comm_size<=8\": "
                 "{\"algorithm=MPIR_Bcast_intra_binomial\": {}}}}",
                 "x.json: bcast: calls come to no algorithm behind \"comm_size<=8\": MPICH would "
                 "stop the program");
    expect_error("{\"collective=bcast\": {}}",
                 "x.json: bcast: calls come to no algorithm behind \"\": MPICH would stop the "
                 "program");
    expect_error("{\"collective=bcast\": {\"any\": 3}}",
                 "x.json: bcast: a test leads to no object");
    expect_error("{\"collective=scan\": {}}",
                 "x.json:1: it decides on no collective that CPM chooses");
    expect_error("{\"collective=bcast\": {\n\"any\": }}",
                 "x.json:2: not a selection file of MPICH: unexpected token near '}'");
}

/* ---- chance ---- */

static const char *const names[][2] = {
    {"MPIR_Allgather_intra_brucks", "bruck"},
    {"MPIR_Allgather_intra_ring", "logical-ring"},
    {"MPIR_Allgather_intra_recursive_doubling", "recursive-doubling"},
    {"MPIR_Allgather_intra_k", "native"},
};
enum { NAMES = sizeof names / sizeof *names, DEPTH = 4 };

static json_t *random_tree(gsl_rng *random, int depth)
{
    static const char *const tests[] = {
        "comm_size<%lu",       "comm_size<=%lu",    "total_msg_size<%lu",
        "total_msg_size<=%lu", "comm_size=pow2",    "comm_hierarchy=parent",
        "is_commutative=no",   "is_op_built_in=no", "is_sendbuf_inplace=no"};
    json_t *tree = json_object();
    char key[80];
    unsigned long count = depth ? gsl_rng_uniform_int(random, 4) : 0;
    for (unsigned long k = 0; k < count; k++) {
        unsigned long t = gsl_rng_uniform_int(random, sizeof tests / sizeof *tests);
        if (t < 4)
            snprintf(key, sizeof key, tests[t], gsl_rng_uniform_int(random, t < 2 ? 12 : 90) + 1);
        else
            snprintf(key, sizeof key, "%s", tests[t]);
        json_object_set_new(tree, key, random_tree(random, depth - 1));
    }
    if (depth)
        json_object_set_new(tree, "total_msg_size=any", random_tree(random, depth - 1));
    else {
        snprintf(key, sizeof key, "algorithm=%s", names[gsl_rng_uniform_int(random, NAMES)][0]);
        json_object_set_new(tree, key, json_object());
    }
    return tree;
}

static const char *expected(json_t *tree, const cpm_mpich_collective *c, const cpm_request *r)
{
    const cpm_mpich_call call = {c, r->n, cpm_hosts_have_levels(r->hosts), r->bytes};
    const cpm_mpich_end end = cpm_mpich_walk(tree, &call);
    assert_non_null(end.algorithm);
    int k = 0;
    while (strcmp(names[k][0], end.algorithm) != 0)
        k++;
    return k == 2 && (r->n & (r->n - 1)) ? "native" : names[k][1];
}

static void compare(const cpm_ruleset *rules, json_t *tree, const cpm_mpich_collective *c,
                    int count, int each)
{
    cpm_hosts hosts = {0};
    assert_int_equal(cpm_hosts_regular(count, each, false, &hosts, NULL), CPM_OK);
    cpm_request r = {.n = count * each, .hosts = &hosts};
    assert_int_equal(cpm_operation_find("allgather", &r.operation, NULL), CPM_OK);
    for (r.bytes = 0; r.bytes < 95; r.bytes += r.bytes < 30 ? 1 : 7) {
        const cpm_situation now = cpm_situation_of(&r);
        int k = cpm_ruleset_find(rules, &now, NULL);
        assert_true(k >= 0);
        const cpm_algorithm *a = rules->rule[k].what.algorithm;
        assert_string_equal(a ? a->name : "native", expected(tree, c, &r));
    }
    cpm_hosts_clear(&hosts);
}

static void calls_come_to_what_mpich_finds(void **state)
{
    (void)state;
    const cpm_mpich_collective *c = cpm_mpich_collectives;
    while (strcmp(c->name, "allgather") != 0)
        c++;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, 20261127);
    for (int round = 0; round < 300; round++) {
        json_t *tree = json_object();
        cpm_ruleset *rules = NULL;
        char *notes = NULL;
        cpm_error e = {0};
        json_object_set_new(tree, "collective=allgather", random_tree(random, DEPTH));
        char *text = json_dumps(tree, 0);
        if (cpm_ruleset_unpack(text, "x.json", &rules, &notes, &e))
            fail_msg("%s\n%s", e.text, text);
        for (int count = 1; count < 5; count++)
            for (int each = 1; each < 5; each++)
                compare(rules, tree, c, count, each);
        free(notes);
        cpm_ruleset_free(rules);
        free(text);
        json_decref(tree);
    }
    gsl_rng_free(random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_become_conditions),
        cmocka_unit_test(named_trees_are_read),
        cmocka_unit_test(what_stops_programs_is_refused),
        cmocka_unit_test(calls_come_to_what_mpich_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
