/* Rules: what they say is what is chosen, whatever they were made of; what can never hold, or names
 * what does not exist, is refused with its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_rng.h>

#include "libraries/export.h"
#include "libraries/rules_file.h"
#include "tables/force.h"
#include "tables/ruleset_lines.h"
#include "tables/ruleset_selector.h"
#include "tables/table_selector.h"

static cpm_ruleset *unpacked(const char *text, char **notes)
{
    cpm_ruleset *r = NULL;
    cpm_error e = {0};
    int status = cpm_ruleset_unpack(text, "x.rules", &r, notes, &e);
    assert_string_equal(e.text, "");
    assert_int_equal(status, CPM_OK);
    return r;
}

static void expect_error(const char *text, const char *said)
{
    cpm_ruleset *r = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_ruleset_unpack(text, "x.rules", &r, NULL, &e), CPM_EPARSE);
    assert_null(r);
    if (!strstr(e.text, said))
        fail_msg("'%s' is not in '%s'", said, e.text);
}

static cpm_request asked(const char *operation, int n, size_t bytes)
{
    cpm_request r = {.n = n, .bytes = bytes};
    assert_int_equal(cpm_operation_find(operation, &r.operation, NULL), CPM_OK);
    return r;
}

static cpm_choice chosen(const cpm_ruleset *rules, const cpm_request *r)
{
    cpm_selector *s;
    cpm_choice c;
    assert_int_equal(cpm_selector_of_rules(rules, NULL, &s, NULL), CPM_OK);
    assert_int_equal(s->choose(s, r, &c, NULL), CPM_OK);
    s->free(s);
    assert_in_range(r->bytes, c.least, c.most);
    return c;
}

static void expect(const cpm_ruleset *rules, const cpm_request *r, const char *name)
{
    char said[CPM_COLLECTIVE_NAME];
    cpm_choice c = chosen(rules, r);
    cpm_collective_print_algorithm(&c.what, said, sizeof said);
    assert_string_equal(said, name);
    cpm_choice_clear(&c);
}

static const char example[] = "# an example\n"
                              "if operation = bcast and bytes>=8K\n"
                              "  if processes >= 16 and hosts = 2\n"
                              "    bcast:chain:segment=8K\n"
                              "  else if root != 0\n"
                              "    bcast:binomial\n"
                              "  else\n"
                              "    native\n"
                              "  end\n"
                              "else if value:phase > 2\n"
                              "  bcast:linear\n"
                              "end\n"
                              "if not commuting\n"
                              "  reduce:linear\n"
                              "end\n"
                              "scatter:binomial\n"
                              "if power-of-two\n"
                              "  allgather:recursive-doubling\n"
                              "end\n";

static void the_first_rule_that_holds_decides(void **state)
{
    (void)state;
    cpm_ruleset *rules = unpacked(example, NULL);
    cpm_hosts two = {0};
    assert_int_equal(cpm_hosts_regular(2, 8, false, &two, NULL), CPM_OK);
    cpm_request r = asked("bcast", 16, 8192);
    expect(rules, &r, "native"); /* 16 hosts */
    r.root = 3;
    expect(rules, &r, "binomial");
    r.hosts = &two;
    expect(rules, &r, "chain:segment=8192");
    r.bytes = 8191;
    expect(rules, &r, "native");
    r.named = &(cpm_named_value){(char *)"phase", 3};
    r.named_count = 1;
    expect(rules, &r, "linear");
    r = asked("reduce", 5, 8);
    expect(rules, &r, "native");
    r.ordered = true;
    expect(rules, &r, "linear");
    r = asked("scatterv", 5, 8);
    expect(rules, &r, "binomial");
    r = asked("allgather", 8, 8);
    expect(rules, &r, "recursive-doubling");
    r = asked("allgather", 6, 8);
    expect(rules, &r, "native");
    cpm_hosts_clear(&two);
    cpm_ruleset_free(rules);
}

static void an_answer_holds_as_far_as_its_tests(void **state)
{
    (void)state;
    cpm_ruleset *rules = unpacked("if total-bytes >= 100\n"
                                  "  if total-bytes < 200\n    bcast:chain\n  end\n"
                                  "end\n"
                                  "if root = 2\n  bcast:linear\nelse\n  bcast:binomial\nend\n",
                                  NULL);
    cpm_request r = asked("bcast", 8, 20);
    cpm_choice c = chosen(rules, &r);
    assert_string_equal(c.what.algorithm->name, "chain");
    assert_int_equal(c.least, 13);
    assert_int_equal(c.most, 24);
    assert_true(c.any_root);
    r.bytes = 12;
    c = chosen(rules, &r);
    assert_string_equal(c.what.algorithm->name, "binomial");
    assert_int_equal(c.least, 0);
    assert_int_equal(c.most, 12);
    assert_false(c.any_root);
    r.bytes = 25;
    c = chosen(rules, &r);
    assert_int_equal(c.least, 25);
    assert_true(c.most == SIZE_MAX);
    cpm_ruleset_free(rules);
}

/* Some selector to which rules leave a call. */
static int choose_linear(cpm_selector *s, const cpm_request *r, cpm_choice *out, cpm_error *e)
{
    (void)s;
    *out = (cpm_choice){.least = 50, .most = 5000, .any_root = true};
    return cpm_collective_parse("bcast:linear", &out->what, e) || r->n < 0;
}

static int freed;

static void count_freed(cpm_selector *s)
{
    (void)s;
    freed++;
}

static void what_no_rule_says_others_say(void **state)
{
    (void)state;
    cpm_ruleset *rules = unpacked("if bytes >= 1000\n  bcast:chain\nend\n", NULL);
    cpm_selector others = {.choose = choose_linear, .free = count_freed}, *s;
    cpm_request r = asked("bcast", 8, 100);
    cpm_choice c;
    assert_int_equal(cpm_selector_of_rules(rules, &others, &s, NULL), CPM_OK);
    assert_int_equal(s->choose(s, &r, &c, NULL), CPM_OK);
    assert_string_equal(c.what.algorithm->name, "linear");
    assert_int_equal(c.least, 50);
    assert_int_equal(c.most, 999);
    r.bytes = 2000;
    assert_int_equal(s->choose(s, &r, &c, NULL), CPM_OK);
    assert_string_equal(c.what.algorithm->name, "chain");
    s->free(s);
    assert_int_equal(freed, 1);
    cpm_ruleset_free(rules);
}

static char *printed(const cpm_ruleset *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    cpm_ruleset_print(r, f);
    assert_int_equal(fclose(f), 0);
    return text;
}

static void what_is_printed_is_read_back(void **state)
{
    (void)state;
    cpm_ruleset *once = unpacked(example, NULL);
    char *text = printed(once);
    cpm_ruleset *twice = unpacked(text, NULL);
    char *again = printed(twice);
    assert_string_equal(text, again);
    assert_non_null(strstr(text, "        bcast:chain:segment=8192 # rule 1\n"));
    assert_non_null(strstr(text, "else if value:phase > 2\n"));
    free(text);
    free(again);
    cpm_ruleset_free(once);
    cpm_ruleset_free(twice);
}

/* Compiled for a communicator or not, all tests lead to the same rule. */
static void compiled_rules_say_the_same(void **state)
{
    (void)state;
    cpm_ruleset *rules = unpacked(example, NULL);
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        for (int n = 1; n <= 17; n++)
            for (size_t bytes = 0; bytes < 20000; bytes += 1021) {
                cpm_request r = {.operation = o, .n = n, .bytes = bytes, .root = (int)bytes % n};
                r.ordered = bytes % 2;
                cpm_situation s = cpm_situation_of(&r);
                s.of[CPM_ASKS_NAMED] = (int64_t)bytes % 5;
                cpm_compiled_rules c;
                assert_int_equal(cpm_ruleset_compile(rules, &s, &c, NULL), CPM_OK);
                assert_int_equal(cpm_compiled_rules_find(&c, &s, NULL),
                                 cpm_ruleset_find(rules, &s, NULL));
                free(c.test);
            }
    cpm_ruleset_free(rules);
}

static void what_never_holds_is_an_error(void **state)
{
    (void)state;
    expect_error("if bytes < 8K and bytes > 16K\nbcast:chain\nend\n",
                 "x.rules:1: 'bytes > 16384' never holds: bytes are 0 to 8191 there");
    expect_error("bcast:chain\n\nbcast:linear\n", "x.rules:3: bcast:linear is never chosen");
    expect_error("native\nbcast:chain\n", "x.rules:2: bcast:chain is never chosen");
    expect_error("if operation = reduce\nbcast:chain\nend\n", "x.rules:2: bcast:chain is never");
    expect_error("if root = 1\nnative\nelse if root != 1\nbcast:chain\nelse\nnative\nend\n",
                 "x.rules:6: native is never chosen");
    expect_error("if operation = bcast and bytes >= 8K\nbcast:chain\nend\n"
                 "if operation = bcast and bytes >= 64K\nbcast:linear\nend\n",
                 "x.rules:5: bcast:linear is never chosen");
    expect_error("if bytes < 8K\nnative\nelse\nnative\nend\nbcast:chain\n",
                 "x.rules:6: bcast:chain is never chosen");
    expect_error("if bytes >= 8K\nnative\nelse if bytes >= 64K\nnative\nend\n",
                 "x.rules:3: 'bytes >= 65536' never holds: bytes are 0 to 8191 there");
    expect_error("if power-of-two and not power-of-two\nnative\nend\n", "x.rules:1: 'not power");
    expect_error("if value:a < 3\nif value:a = 3\nnative\nend\nend\n", "x.rules:2: 'value:a = 3'");
    expect_error("if bytes < 0\nnative\nend\n", "x.rules:1: 'bytes < 0' never holds");
}

static void what_quantities_say_of_each_other_is_known(void **state)
{
    (void)state;
    expect_error("if processes = 4 and not power-of-two\nnative\nend\n",
                 "x.rules:1: 'not power-of-two' never holds: it is power-of-two there");
    expect_error("if power-of-two and processes = 6\nnative\nend\n",
                 "x.rules:1: 'processes = 6' never holds");
    expect_error("if processes > 4 and processes < 8 and power-of-two\nnative\nend\n",
                 "x.rules:1: 'power-of-two' never holds: it is not power-of-two there");
    expect_error("if processes < 4\nif hosts >= 4\nnative\nend\nend\n",
                 "x.rules:2: 'hosts >= 4' never holds: hosts are 1 to 3 there");
    expect_error("if processes-per-host = 1 and processes = 8 and hosts < 8\nnative\nend\n",
                 "x.rules:1: 'hosts < 8' never holds: processes are 8 there");
    expect_error("if processes-per-host > 4 and processes < 5\nnative\nend\n",
                 "x.rules:1: 'processes < 5' never holds: processes are at least 5 there");
    expect_error("if root >= 4 and processes <= 4\nnative\nend\n",
                 "x.rules:1: 'processes <= 4' never holds: processes are at least 5 there");
    expect_error("if bytes >= 1K and processes >= 4 and total-bytes < 4K\nnative\nend\n",
                 "x.rules:1: 'total-bytes < 4096' never holds: total-bytes are at least 4096");
    expect_error("if total-bytes <= 100 and bytes = 50 and processes >= 3\nnative\nend\n",
                 "x.rules:1: 'processes >= 3' never holds: total-bytes are 50 to 100 there");
}

static void what_operations_never_have_is_known(void **state)
{
    (void)state;
    expect_error("if operation = bcast and not commuting\nnative\nend\n",
                 "x.rules:1: 'not commuting' never holds: it is commuting there");
    expect_error("if not commuting and operation = bcast\nnative\nend\n",
                 "x.rules:1: 'operation = bcast' never holds: it is not commuting there");
    expect_error("if not commuting\nbcast:linear\nend\n",
                 "x.rules:2: bcast:linear is never chosen");
    expect_error("if operation = barrier and bytes > 4\nnative\nend\n",
                 "x.rules:1: 'bytes > 4' never holds: barrier carries no data, so bytes is 0");
    expect_error("if operation = alltoallv and total-bytes > 4\nnative\nend\n",
                 "'total-bytes > 4' never holds: rules do not see the sizes of alltoallv, so "
                 "total-bytes is 0");
    expect_error("if bytes > 4\nalltoallv:switched\nend\n", "x.rules:2: alltoallv:switched is");
    expect_error("if operation = allreduce and root = 2\nnative\nend\n",
                 "x.rules:1: 'root = 2' never holds: root is 0 there");
    expect_error("if root = 2 and operation = allreduce\nnative\nend\n",
                 "'operation = allreduce' never holds: root is 2 there");
    cpm_ruleset_free(unpacked("if operation = alltoall and bytes > 4\nnative\nend\n", NULL));
    cpm_ruleset_free(unpacked("if not commuting\nreduce:linear\nallreduce:2d\nend\n", NULL));
}

static int next_number(unsigned *seed, int below)
{
    *seed = *seed * 1103515245u + 12345u;
    return (int)(*seed >> 16) % below;
}

/* A box around a call, closed at about half of its sides. */
static cpm_region around(const cpm_situation *s, unsigned *seed)
{
    cpm_region g = cpm_region_of_all();
    for (int k = 0; k < CPM_ASKS_NAMED; k++) {
        if (next_number(seed, 2))
            g.least.of[k] = s->of[k];
        if (next_number(seed, 2))
            g.most.of[k] = s->of[k];
    }
    return g;
}

static void no_call_is_taken_for_impossible(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (int k = 0; k < 200000; k++) {
        int hosts = 1 + next_number(&seed, 5), each = 1 + next_number(&seed, 5);
        cpm_hosts laid_out = {0};
        assert_int_equal(cpm_hosts_regular(hosts, each, false, &laid_out, NULL), CPM_OK);
        cpm_request r = {.operation = &cpm_operations[next_number(&seed, CPM_OPERATIONS)],
                         .n = hosts * each - next_number(&seed, each),
                         .hosts = next_number(&seed, 2) ? &laid_out : NULL};
        r.root = next_number(&seed, r.n);
        r.ordered = r.operation->combines && next_number(&seed, 2);
        r.bytes = cpm_rules_see_bytes(r.operation) ? (size_t)next_number(&seed, 40) : 0;
        const cpm_situation s = cpm_situation_of(&r);
        cpm_region g = around(&s, &seed);
        assert_true(cpm_region_narrow(&g));
        for (int q = 0; q < CPM_ASKS_NAMED; q++)
            assert_true(g.least.of[q] <= s.of[q] && s.of[q] <= g.most.of[q]);
        cpm_hosts_clear(&laid_out);
    }
}

/* Blocks of parts "if A [and B]", "else if", "else" with a rule each, of three quantities. */
enum { MOST_ASKED = 2, MOST_LINES = 40, LARGEST = 4 };
typedef struct {
    char opens; /* 'i'f, 'e'lse if or else, 'n' for end; 0: a rule */
    int asked;
    int quantity[MOST_ASKED], comparison[MOST_ASKED], value[MOST_ASKED];
} random_line;

static random_line part_of(unsigned *seed, char opens, int asked)
{
    random_line l = {.opens = opens, .asked = asked};
    for (int k = 0; k < asked; k++) {
        l.quantity[k] = next_number(seed, 3);
        l.comparison[k] = next_number(seed, CPM_COMPARISONS);
        l.value[k] = next_number(seed, LARGEST + 1);
    }
    return l;
}

static int random_lines(unsigned *seed, random_line *l)
{
    int count = 0;
    for (int blocks = 1 + next_number(seed, 3); blocks > 0; blocks--) {
        int parts = 1 + next_number(seed, 3);
        for (int k = 0; k < parts; k++) {
            bool last = k > 0 && k + 1 == parts && next_number(seed, 2);
            l[count++] = part_of(seed, k ? 'e' : 'i', last ? 0 : 1 + next_number(seed, MOST_ASKED));
            l[count++] = (random_line){0};
        }
        l[count++] = (random_line){.opens = 'n'};
    }
    return count;
}

static void print_lines(const random_line *l, int count, FILE *out)
{
    static const char *const names[] = {"bytes", "root", "value:a"};
    for (int k = 0; k < count; k++) {
        const char *word = l[k].opens == 'i' ? "if" : l[k].asked ? "else if" : "else";
        fputs(l[k].opens == 0 ? "bcast:linear" : l[k].opens == 'n' ? "end" : word, out);
        for (int q = 0; q < l[k].asked; q++)
            fprintf(out, "%s %s %s %d", q ? " and" : "", names[l[k].quantity[q]],
                    cpm_rule_comparisons[l[k].comparison[q]], l[k].value[q]);
        fputc('\n', out);
    }
}

static bool is_fulfilled(const random_line *l, const int *call)
{
    bool all = true;
    for (int q = 0; q < l->asked; q++) {
        int is = call[l->quantity[q]], value = l->value[q];
        const bool holds[] = {is == value, is != value, is<value, is <= value, is> value,
                              is >= value};
        all = all && holds[l->comparison[q]];
    }
    return all;
}

/* The rule that a call comes to, that of the first part whose conditions hold; -1: none. */
static int line_for(const random_line *l, int count, const int *call)
{
    for (int k = 0; k < count; k++)
        if ((l[k].opens == 'i' || l[k].opens == 'e') && is_fulfilled(&l[k], call))
            return k + 1;
    return -1;
}

/* Rules that are refused because one never holds: no call comes to that one. */
static void no_rule_is_accused_wrongly(void **state)
{
    (void)state;
    unsigned seed = 7;
    int refused = 0;
    for (int round = 0; round < 3000; round++) {
        random_line l[MOST_LINES];
        char text[2048];
        cpm_ruleset *rules = NULL;
        cpm_error e = {0};
        int line = 0, call[3], count = random_lines(&seed, l);
        FILE *out = fmemopen(text, sizeof text, "w");
        print_lines(l, count, out);
        fclose(out);
        if (cpm_ruleset_parse(text, "x", &rules, &e) == CPM_OK) {
            cpm_ruleset_free(rules);
            continue;
        }
        refused++;
        assert_int_equal(sscanf(e.text, "x:%d:", &line), 1);
        line += l[line - 1].opens != 0; /* of a condition: the rule that asks for it */
        for (call[0] = 0; call[0] <= LARGEST + 1; call[0]++)
            for (call[1] = 0; call[1] <= LARGEST + 1; call[1]++)
                for (call[2] = -1; call[2] <= LARGEST + 1; call[2]++)
                    if (line_for(l, count, call) == line - 1)
                        fail_msg("%s accused wrongly in:\n%s", e.text, text);
    }
    assert_in_range(refused, 500, 2900);
}

static void wrong_words_are_named_with_their_line(void **state)
{
    (void)state;
    expect_error("", "x.rules:1: there are no rules");
    expect_error("\nfoo\n", "x.rules:2: unknown word 'foo' (known: if, else, end, native");
    expect_error("bcast:foo\n", "x.rules:1: unknown algorithm 'foo' of bcast (known: linear");
    expect_error("bcost:foo\n", "x.rules:1: unknown operation 'bcost' (known: bcast");
    expect_error("bcast:chain:k=3\n", "x.rules:1: bcast:chain does not take the parameter");
    expect_error("bcast:tree\n", "x.rules:1: bcast:tree needs a tree");
    expect_error("if\nend\n", "x.rules:1: a condition is missing");
    expect_error("if bytes\nnative\nend\n",
                 "x.rules:1: bytes: a comparison and a value are missing");
    expect_error("if bytes >= 1 and\nnative\nend\n", "x.rules:1: a condition is missing");
    expect_error("if byte > 1\nnative\nend\n", "unknown quantity 'byte' (known: operation, ");
    expect_error("if bytes => 1\nnative\nend\n", "unknown comparison '=>' (known: =, !=,");
    expect_error("if bytes > x\nnative\nend\n", "x.rules:1: size 'x'");
    expect_error("if bytes > 9000000000G\nnative\nend\n", "x.rules:1: size '9000000000G'");
    expect_error("if root > 1K\nnative\nend\n", "x.rules:1: '1K' is not a whole number");
    expect_error("if operation > bcast\nnative\nend\n", "operations have no order");
    expect_error("if not root\nnative\nend\n", "only power-of-two and commuting are yes or no");
    expect_error("if value: = 1\nnative\nend\n", "is called value:NAME");
    expect_error("if bytes > 1 native\nend\n", "expected 'and' or the end of the line");
    expect_error("if bytes > 1\nend\n", "x.rules:2: nothing stands before this 'end'");
    expect_error("if bytes > 1\nnative\n", "x.rules:2: the if of line 1 has no end");
    expect_error("end\n", "x.rules:1: 'end' without an if");
    expect_error("else\n", "x.rules:1: 'else' without an if");
    expect_error("if bytes > 1\nnative\nelse\nnative\nelse\nnative\nend\n", "has its last else");
    expect_error("native native\n", "x.rules:1: expected the end of the line, found 'native'");
}

/* ---- made of other files ---- */

static const char table_text[] =
    "{\"format\": \"cpm table\", \"version\": 1, \"provenance\": {}, \"operations\": {\n"
    "\"bcast\": {\"4\": [{\"from\": 0, \"algorithm\": \"binomial-at-once\"},\n"
    "  {\"from\": 8192, \"algorithm\": \"chain:segment=8192\"}],\n"
    " \"9\": [{\"from\": 100, \"algorithm\": \"star\"}, {\"from\": 200, \"algorithm\": "
    "\"native\"}]},\n"
    "\"scatter\": {\"1\": [{\"from\": 0, \"algorithm\": \"linear\"}]},\n"
    "\"allgather\": {\"2\": [{\"from\": 0, \"algorithm\": \"bruck\"},\n"
    "  {\"from\": 1000, \"algorithm\": \"logical-ring\"}]},\n"
    "\"allgatherv\": {\"5\": [{\"from\": 7, \"algorithm\": \"logical-ring\"}]},\n"
    "\"reduce\": {\"2\": [{\"from\": 0, \"algorithm\": \"binomial\"}]}\n"
    "}}\n";

/* Calls each with requests of all operations on 1 to 12 processes, and a name of what is chosen. */
static void compare(const cpm_ruleset *rules, cpm_selector *other, const char *only)
{
    static const size_t sizes[] = {1,   6,    7,    99,   100,  199,    200,
                                   999, 1000, 1001, 8191, 8192, 1 << 20};
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        for (int n = 1; n <= 12 && (!only || strcmp(only, o->name) == 0); n++)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                const cpm_request r = {.operation = o, .n = n, .bytes = sizes[k]};
                cpm_choice theirs, ours = chosen(rules, &r);
                assert_int_equal(other->choose(other, &r, &theirs, NULL), CPM_OK);
                assert_true(ours.what.algorithm == theirs.what.algorithm);
                assert_int_equal(ours.what.with.segment, theirs.what.with.segment);
                cpm_choice_clear(&ours);
                cpm_choice_clear(&theirs);
            }
}

static void a_table_says_the_same_as_rules(void **state)
{
    (void)state;
    cpm_table *t = NULL;
    cpm_selector *s;
    cpm_ruleset *rules = unpacked(table_text, NULL);
    assert_int_equal(cpm_table_unpack(table_text, strlen(table_text), "t", &t, NULL), CPM_OK);
    assert_int_equal(cpm_selector_of_table(t, &s, NULL), CPM_OK);
    compare(rules, s, NULL);
    char *text = printed(rules);
    cpm_ruleset *again = unpacked(text, NULL);
    compare(again, s, NULL);
    free(text);
    s->free(s);
    cpm_ruleset_free(again);
    cpm_ruleset_free(rules);
    cpm_table_free(t);
}

/* Sizes of what has none are no contradiction of the user's. */
static void a_table_of_an_operation_without_bytes_is_read(void **state)
{
    (void)state;
    static const char table[] =
        "{\"format\": \"cpm table\", \"version\": 1, \"provenance\": {}, \"operations\": {\n"
        "\"alltoallv\": {\"1\": [{\"from\": 64, \"algorithm\": \"switched\"}],\n"
        " \"6\": [{\"from\": 0, \"algorithm\": \"ring\"},\n"
        "  {\"from\": 64, \"algorithm\": \"switched\"}]}}}\n";
    cpm_ruleset *rules = unpacked(table, NULL);
    cpm_request r = asked("alltoallv", 6, 0);
    expect(rules, &r, "ring");
    r.n = 5;
    expect(rules, &r, "native");
    cpm_ruleset_free(rules);
    rules = unpacked("1\n6\n1\n2\n2\n0 2 0 0\n64 4 0 0\n", NULL);
    cpm_ruleset_free(rules);
}

/* A table that was exported for Open MPI is what is imported, for operations whose sizes it knows.
 */
static void rules_of_openmpi_are_those_that_were_exported(void **state)
{
    (void)state;
    static const char *const known[] = {"bcast", "allgatherv", "reduce"};
    cpm_table *t = NULL;
    cpm_selector *s;
    cpm_exported counts;
    char *text = NULL, *notes = NULL;
    size_t size = 0;
    assert_int_equal(cpm_table_unpack(table_text, strlen(table_text), "t", &t, NULL), CPM_OK);
    FILE *f = open_memstream(&text, &size);
    cpm_export_openmpi(t, true, f, &counts);
    assert_int_equal(fclose(f), 0);
    cpm_ruleset *rules = unpacked(text, &notes);
    assert_null(notes);
    assert_int_equal(cpm_selector_of_table(t, &s, NULL), CPM_OK);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        compare(rules, s, known[k]);
    cpm_request r = asked("allgather", 2, 999); /* sizes there are of all blocks of 2 */
    expect(rules, &r, "bruck");
    r.bytes = 1000;
    expect(rules, &r, "logical-ring");
    s->free(s);
    free(text);
    cpm_ruleset_free(rules);
    cpm_table_free(t);
}

static void rules_of_openmpi_are_read_as_it_reads_them(void **state)
{
    (void)state;
    char *notes = NULL;
    cpm_ruleset *rules = unpacked("rule-file-version-2\n2 # collectives\n"
                                  "3 # alltoall\n2\n0\n1\n0 0 0 0\n8\n2\n0 3 0 0\n"
                                  "800 2 0 0 64 # at most 64 requests\n"
                                  "7\n1\n4\n2\n0 5 0 0\n0x400 77 0 0\n",
                                  &notes);
    cpm_request r = asked("alltoall", 7, 1);
    expect(rules, &r, "native");
    r = asked("alltoall", 8, 99);
    expect(rules, &r, "bruck");
    r = asked("alltoall", 8, 100);
    expect(rules, &r, "ring");
    r = asked("alltoallv", 8, 100);
    expect(rules, &r, "native");
    r = asked("bcast", 2, 1023); /* the first rule holds for fewer processes */
    expect(rules, &r, "binary-at-once");
    r = asked("bcast", 4, 1024);
    expect(rules, &r, "native");
    assert_string_equal(notes, "x.rules:1: Open MPI before 5.0.7 ignores a file with this line\n"
                               "x.rules:17: bcast by algorithm 77 of Open MPI does not exist, so "
                               "that calls fail there: left to the library");
    free(notes);
    cpm_ruleset_free(rules);
    expect_error("2\n7\n0\n", "x.rules:3: the file ends where a collective should be");
    expect_error("1\n7\n1\n2\n3\n0 1 0 0\n8 1 0 0\n4 2 0 0\n",
                 "x.rules:8: 4 does not ascend after 8: fewer than the 3 message sizes that line 5 "
                 "announces, or in another order");
    expect_error("1\n7\n1\n2\n1\n0 1 0 0\n4 2\n", "x.rules:7: there is more than the counts");
    expect_error("1\n7\n99\n", "x.rules:3: 99 communicator sizes are announced, more than there "
                               "are numbers in the file");
    expect_error("1\n7\nbcast\n", "x.rules:3: 'bcast' is not a number");
    expect_error("rule-file-version-3\n1\n", "x.rules:1: this version of the format is not known");
    expect_error("2\n7\n0\n7\n0\n",
                 "x.rules:4: bcast has rules already, which Open MPI would forget");
}

/* ---- Open MPI's rows to which no call comes ---- */

static void expect_notes(const char *text, const char *said)
{
    char *notes = NULL;
    cpm_ruleset *rules = unpacked(text, &notes);
    assert_string_equal(notes ? notes : "", said);
    free(notes);
    cpm_ruleset_free(rules);
}

static void a_dead_row_of_openmpi_is_left_out_and_named(void **state)
{
    (void)state;
    expect_notes("1\n3\n2\n2\n1\n0 3 0 0\n8\n3\n0 3 0 0\n4 2 0 0\n8 2 0 0\n",
                 "x.rules:10: no call matches the row of alltoall for 4 bytes: left out");
    expect_notes("1\n7\n1\n8\n2\n0 1 0 0\n0 3 0 0\n",
                 "x.rules:6: no call matches the row of bcast for 0 bytes: left out");
    expect_notes("1\n6\n1\n8\n2\n0 1 0 0\n8 3 0 0\n",
                 "x.rules:7: no call matches the row of barrier for 8 bytes: left out");
    expect_notes("1\n7\n2\n8\n1\n0 1 0 0\n9999999999\n1\n0 3 0 0\n",
                 "x.rules:7: no call matches the row of bcast for 9999999999 processes: left "
                 "out");
    expect_notes("1\n7\n1\n8\n2\n0 1 0 0\n999999999999999999 3 0 0\n",
                 "x.rules:7: no call matches the row of bcast for 999999999999999999 bytes: "
                 "left out");
    expect_notes("1\n7\n2\n0\n1\n0 0 0 0\n1\n1\n0 1 0 0\n", ""); /* as files begin */
}

/* Rows for an alltoall by numbers of processes, in an order that does not descend. */
enum { MOST_PARTS = 4, MOST_ROWS = 5 };
typedef struct {
    int parts, n[MOST_PARTS], rows[MOST_PARTS], from[MOST_PARTS][MOST_ROWS];
    int algorithm[MOST_PARTS][MOST_ROWS];
} their_rows;

static void random_rows(gsl_rng *random, their_rows *t)
{
    t->parts = 1 + (int)gsl_rng_uniform_int(random, MOST_PARTS);
    for (int i = 0; i < t->parts; i++) {
        t->n[i] = (i ? t->n[i - 1] : 0) + (int)gsl_rng_uniform_int(random, 6);
        t->rows[i] = 1 + (int)gsl_rng_uniform_int(random, MOST_ROWS);
        for (int k = 0; k < t->rows[i]; k++) {
            t->from[i][k] = k ? t->from[i][k - 1] + (int)gsl_rng_uniform_int(random, 9) : 0;
            t->algorithm[i][k] = (int)gsl_rng_uniform_int(random, 4);
        }
    }
}

static void print_rows(const their_rows *t, FILE *out)
{
    fprintf(out, "1\n3\n%d\n", t->parts);
    for (int i = 0; i < t->parts; i++) {
        fprintf(out, "%d\n%d\n", t->n[i], t->rows[i]);
        for (int k = 0; k < t->rows[i]; k++)
            fprintf(out, "%d %d 0 0\n", t->from[i][k], t->algorithm[i][k]);
    }
}

/* The last row before the first that is too large for a call; the first if that is too large. */
static int last_not_above(const int *at, int count, size_t value)
{
    int k = 0;
    while (k + 1 < count && (size_t)at[k + 1] <= value)
        k++;
    return k;
}

/* Whatever the rows are, none is said to contradict others, and calls get those that Open MPI
 * finds. */
static void rows_of_openmpi_decide_as_it_does(void **state)
{
    (void)state;
    static const char *const names[] = {"native", "spreading-simple", "ring", "bruck"};
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, 20261126);
    for (int round = 0; round < 300; round++) {
        char text[1024], *notes = NULL;
        their_rows t;
        random_rows(random, &t);
        FILE *out = fmemopen(text, sizeof text, "w");
        print_rows(&t, out);
        fclose(out);
        cpm_ruleset *rules = unpacked(text, &notes);
        for (int n = 1; n < 24; n++)
            for (size_t bytes = 0; bytes < 40; bytes += bytes < 9 ? 1 : 10) {
                int i = last_not_above(t.n, t.parts, (size_t)n);
                int k = last_not_above(t.from[i], t.rows[i], bytes * (size_t)n);
                cpm_request r = asked("alltoall", n, bytes);
                expect(rules, &r, names[t.algorithm[i][k]]);
            }
        free(notes);
        cpm_ruleset_free(rules);
    }
    gsl_rng_free(random);
}

static void what_is_wrong_with_a_file_of_openmpi_is_said(void **state)
{
    (void)state;
    expect_error("1\n4\n1\n8\n1\n0 1 0 0\n",
                 "x.rules: there are rules for alltoallv only, which CPM does not choose");
    expect_error("2\n4\n1\n8\n1\n0 1 0 0\n13\n1\n8\n1\n0 1 0 0\n",
                 "x.rules: there are rules for alltoallv, reduce_scatter_block only");
    expect_error("1\n99\n1\n8\n1\n0 1 0 0\n",
                 "x.rules:2: Open MPI has no collective 99, and ignores the file");
    expect_error("1\n7\n1\n8\n1\n1 1 0 0\n", "x.rules:6: the first message size must be 0, not 1: "
                                             "Open MPI ignores the file");
    expect_error("1\n7\n1\n8\n1\n0 3 0 99999999999999\n",
                 "x.rules:6: 99999999999999 is more than a segment size can be in Open MPI "
                 "(2147483647)");
    expect_error("0\n", "x.rules:1: there are no rules for any collective");
    expect_error("\n1\n7\n0\n", "x.rules:2: there are no rules for any collective");
    static const char more[] = "x.rules:5: 2 message sizes are announced, but there are more lines";
    expect_error("1\n7\n1\n8\n2\n0 1 0 0\n32768 3 0 0\n65536 3 0 0\n", more);
    expect_error("1\n7\n2\n8\n2\n0 1 0 0\n32768 3 0 0\n65536 3 0 0\n16\n1\n0 1 0 0\n", more);
    static const char fewer[] =
        "x.rules:5: 3 message sizes are announced, but there are fewer lines";
    expect_error("1\n7\n1\n8\n3\n0 1 0 0\n32768 3 0 0\n", fewer);
    expect_error("1\n7\n2\n8\n3\n0 1 0 0\n32768 3 0 0\n16\n1\n0 1 0 0\n", fewer);
    expect_error("2\n7\n1\n8\n3\n0 1 0 0\n32768 3 0 0\n4\n1\n8\n1\n0 1 0 0\n", fewer);
    /* These could be read, as something else. */
    expect_error("1\n7\n2\n2\n1\n0 1 0 0\n32768 1 0 0\n4\n1\n0 1 0 0\n65536 1 4 4096\n",
                 "x.rules:5: 1 message sizes are announced, but there are more lines");
    expect_error("2\n7\n1\n2\n1\n0 1 0 0\n4\n2\n0 1 0 0\n8 1 0 0\n",
                 "x.rules:9: a number of processes should be here, but 4 numbers are: a count "
                 "before it is wrong");
    expect_error("1\n7\n3\n2\n1\n0 1 0 0\n4\n1\n0 1 0 0\n3\n1\n0 1 0 0\n",
                 "x.rules:10: 3 does not ascend after 4: fewer than the 3 communicator sizes that "
                 "line 3 announces, or in another order");
}

/* One rule of Open MPI's for a collective, from so many bytes on and for least to most processes.
 */
static void theirs(int id, const char *rule, int n, size_t bytes, const char *operation,
                   const char *expected, const char *note)
{
    char text[200], *notes = NULL;
    snprintf(text, sizeof text, "1\n%d\n2\n4\n1\n%s\n12\n1\n0 0 0 0\n", id, rule);
    cpm_ruleset *rules = unpacked(text, &notes);
    const cpm_request r = asked(operation, n, bytes);
    expect(rules, &r, expected);
    if (note ? !notes || !strstr(notes, note) : notes != NULL)
        fail_msg("%s: the note is '%s', not '%s'", rule, notes ? notes : "", note ? note : "");
    free(notes);
    cpm_ruleset_free(rules);
}

/* Seven of them run a ring, which is said where nothing else can run so. */
static void openmpi_exchanges_with_neighbors_in_even_numbers(void **state)
{
    (void)state;
    char *notes = NULL;
    cpm_ruleset *rules = unpacked("1\n0\n3\n4\n1\n0 0 0 0\n7\n1\n0 5 0 0\n8\n1\n0 5 0 0\n", &notes);
    const cpm_request seven = asked("allgather", 7, 100), eight = asked("allgather", 8, 100);
    expect(rules, &seven, "logical-ring");
    expect(rules, &eight, "neighbor");
    assert_non_null(strstr(notes, "is a ring where")); /* eight and more, not seven */
    assert_null(strstr(strstr(notes, "is a ring where") + 1, "is a ring where"));
    free(notes);
    cpm_ruleset_free(rules);
}

/* Seen in its own messages (tests/libraries/library_defaults.c). */
static void what_openmpi_falls_back_to_is_what_its_rules_mean(void **state)
{
    (void)state;
    const char *powers = "powers of two only: other numbers of processes are left to the library";
    theirs(7, "0 2 0 0", 8, 100, "bcast", "chain", NULL);
    theirs(7, "0 2 1 4096", 8, 100, "bcast", "chain:segment=4096", NULL);
    theirs(7, "0 2 4 0", 8, 100, "bcast", "chains-at-once:k=4", NULL);
    theirs(7, "0 2 99 0", 8, 100, "bcast", "chains-at-once:k=32", NULL);
    theirs(11, "0 2 0 0", 8, 100, "reduce", "chain", NULL);
    theirs(7, "0 4 0 4096", 8, 8192, "bcast", "split-binary:segment=4096", NULL);
    theirs(7, "0 4 0 4096", 8, 8191, "bcast", "chain:segment=4096", NULL);
    theirs(7, "0 4 0 0", 8, 1, "bcast", "split-binary", NULL);
    theirs(7, "0 8 0 0", 8, 100, "bcast", "scatter-doubling", powers);
    theirs(7, "0 8 0 0", 6, 100, "bcast", "native", powers);
    theirs(0, "0 3 0 0", 8, 100, "allgather", "recursive-doubling", NULL);
    theirs(0, "0 3 0 0", 6, 100, "allgather", "bruck", NULL);
    theirs(0, "0 5 0 0", 6, 100, "allgather", "neighbor", "is a ring where");
    theirs(0, "0 5 0 0", 7, 100, "allgather", "native", "is a ring where");
    theirs(9, "0 3 0 0", 7, 100, "gather", "linear-sync-in-two", NULL);
    theirs(9, "0 3 0 1024", 7, 100, "gather", "native", "with a first part");
    theirs(2, "0 2 0 0", 7, 100, "allreduce", "native", "is not known here");
    theirs(0, "0 2 9 0", 7, 100, "allgather", "bruck", NULL); /* it has no fan there */
}

/* Seen likewise: numbers of processes that an algorithm is not for, and elements of 8 bytes. */
static void rows_that_cannot_run_as_they_say_are_told(void **state)
{
    (void)state;
    const char *pairs = "is for 2 processes, and fails for others: these are left to the library";
    expect_notes(
        "1\n0\n1\n0\n1\n0 6 0 0\n",
        "x.rules:6: allgather by algorithm 6 of Open MPI is for 2 processes, and fails for "
        "others: these are left to the library");
    cpm_ruleset *rules = unpacked("1\n0\n2\n2\n1\n0 6 0 0\n3\n1\n0 0 0 0\n", NULL);
    const cpm_request two = asked("allgather", 2, 100), three = asked("allgather", 3, 100);
    expect(rules, &two, "recursive-doubling");
    expect(rules, &three, "native");
    cpm_ruleset_free(rules);
    theirs(3, "0 5 0 0", 4, 100, "alltoall", "native", pairs);
    theirs(7, "0 10 0 0", 4, 100, "bcast", "native", "does not exist, so that calls fail there");
    theirs(7, "0 6 0 7", 4, 100, "bcast", "binomial-at-once",
           "segments of 7 bytes are less than an element of 8 bytes, which goes whole: no "
           "segments");
    theirs(7, "0 6 0 12", 4, 100, "bcast", "binomial-at-once:segment=8",
           "segments of 12 bytes are whole elements: 8 bytes are taken, for elements of 8 bytes");
    theirs(7, "0 6 0 13", 4, 100, "bcast", "binomial-at-once:segment=16", "16 bytes are taken");
    theirs(7, "0 1 0 12", 4, 100, "bcast", "star", NULL); /* it has no segments */
}

/* A fifth number of a row, and Bruck's algorithm with a radix. */
static void rows_of_version_2_have_requests(void **state)
{
    (void)state;
    const char *head = "x.rules:1: Open MPI before 5.0.7 ignores a file with this line";
    char all[400];
    snprintf(all, sizeof all,
             "%s\nx.rules:7: that a process has at most 3 segments of a reduce under way is not "
             "known here: left out",
             head);
    expect_notes("rule-file-version-2\n1\n11\n1\n0\n2\n0 5 0 4096 3\n65536 5 0 0 3\n", all);
    expect_notes("rule-file-version-2\n1\n11\n1\n0\n2\n0 5 0 4096 0\n65536 5 0 4096\n", head);
    snprintf(
        all, sizeof all,
        "%s\nx.rules:7: allgather by algorithm 2 of Open MPI with a radix above 2 is not known "
        "here: left to the library",
        head);
    expect_notes("rule-file-version-2\n1\n0\n1\n0\n2\n0 2 3 0 0\n65536 2 2 0 0\n", all);
    expect_notes("rule-file-version-1\n1\n0\n1\n0\n1\n0 2 3 0\n", head);
}

/* ---- parameters alone ---- */

static void forced(const char *text, const cpm_request *r, const char *name)
{
    char said[CPM_COLLECTIVE_NAME];
    cpm_selector *s;
    cpm_choice c;
    assert_int_equal(cpm_selector_forced(text, NULL, &s, NULL), CPM_OK);
    assert_int_equal(s->choose(s, r, &c, NULL), CPM_OK);
    cpm_collective_print_algorithm(&c.what, said, sizeof said);
    assert_string_equal(said, name);
    s->free(s);
}

static void a_parameter_is_forced_whatever_the_algorithm(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_selector *s;
    cpm_request r = asked("bcast", 6, 100000);
    forced("bcast:chain,bcast:*:segment=8K", &r, "chain:segment=8192");
    forced("bcast:chain:segment=1K,bcast:*:segment=8K:k=3", &r, "chain:segment=8192");
    forced("bcast:chain:segment=1K,bcast:*:segment=0", &r, "chain:segment=1024");
    forced("bcast:hypercube,bcast:*:k=3", &r, "hypercube");
    forced("bcast:*:segment=8K", &r, "native");
    r = asked("scatterv", 6, 100);
    forced("scatter:linear,scatter:*:segment=8", &r, "linear");
    assert_int_equal(cpm_selector_forced("bcast:*:foo=8K", NULL, &s, &e), CPM_EUNKNOWN);
    assert_non_null(strstr(e.text, "bcast:* does not take the parameter 'foo=8K' (parameters: "));
    r = asked("alltoallv", 6, 0);
    forced("alltoallv:switched,alltoallv:*:threshold=0", &r, "switched:threshold=0");
    assert_int_equal(cpm_selector_forced("bcast:*:segment=x", NULL, &s, NULL), CPM_EPARSE);
    assert_int_equal(cpm_selector_forced("bcost:*:segment=8", NULL, &s, NULL), CPM_EUNKNOWN);
}

static void what_is_forced_twice_is_refused(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_selector *s;
    assert_int_equal(cpm_selector_forced("bcast:chain,bcast:linear", NULL, &s, &e), CPM_EINVAL);
    assert_non_null(strstr(e.text, "bcast is named twice"));
    assert_int_equal(cpm_selector_forced("bcast:*:k=2,bcast:*:segment=8", NULL, &s, &e),
                     CPM_EINVAL);
    assert_int_equal(cpm_selector_forced("scatter:linear,scatterv:star", NULL, &s, NULL), CPM_OK);
    s->free(s);
}

/* Thousands of rules, which are all of use. */
static void many_rules_are_read(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    for (int k = MANY; k > 0; k--)
        fprintf(f, "if operation = bcast and bytes >= %d\nbcast:%s\nend\n", k,
                k % 2 ? "chain" : "linear");
    assert_int_equal(fclose(f), 0);
    cpm_ruleset *rules = unpacked(text, NULL);
    cpm_request r = asked("bcast", 4, 1001);
    cpm_choice c = chosen(rules, &r);
    assert_string_equal(c.what.algorithm->name, "chain");
    assert_int_equal(c.least, 1001);
    assert_int_equal(c.most, 1001);
    free(text);
    cpm_ruleset_free(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_rule_that_holds_decides),
        cmocka_unit_test(an_answer_holds_as_far_as_its_tests),
        cmocka_unit_test(what_no_rule_says_others_say),
        cmocka_unit_test(what_is_printed_is_read_back),
        cmocka_unit_test(compiled_rules_say_the_same),
        cmocka_unit_test(what_never_holds_is_an_error),
        cmocka_unit_test(what_quantities_say_of_each_other_is_known),
        cmocka_unit_test(what_operations_never_have_is_known),
        cmocka_unit_test(no_call_is_taken_for_impossible),
        cmocka_unit_test(no_rule_is_accused_wrongly),
        cmocka_unit_test(wrong_words_are_named_with_their_line),
        cmocka_unit_test(a_table_says_the_same_as_rules),
        cmocka_unit_test(a_table_of_an_operation_without_bytes_is_read),
        cmocka_unit_test(rules_of_openmpi_are_those_that_were_exported),
        cmocka_unit_test(rules_of_openmpi_are_read_as_it_reads_them),
        cmocka_unit_test(a_dead_row_of_openmpi_is_left_out_and_named),
        cmocka_unit_test(rows_of_openmpi_decide_as_it_does),
        cmocka_unit_test(what_is_wrong_with_a_file_of_openmpi_is_said),
        cmocka_unit_test(openmpi_exchanges_with_neighbors_in_even_numbers),
        cmocka_unit_test(what_openmpi_falls_back_to_is_what_its_rules_mean),
        cmocka_unit_test(rows_that_cannot_run_as_they_say_are_told),
        cmocka_unit_test(rows_of_version_2_have_requests),
        cmocka_unit_test(a_parameter_is_forced_whatever_the_algorithm),
        cmocka_unit_test(what_is_forced_twice_is_refused),
        cmocka_unit_test(many_rules_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
