/* Open MPI's rules in JSON as rules: the first entries that match, as its development version reads
 * them. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_rng.h>

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

#define FILE_OF(collectives) \
    "{\"rule_file_version\": 3, \"module\": \"tuned\",\n\"collectives\": {\n" collectives "}}"

static void entries_become_ranges(void **state)
{
    (void)state;
    said_of(FILE_OF("\"allreduce\": [{\"comm_size_min\": 4, \"comm_size_max\": 8, \"rules\": [\n"
                    "{\"msg_size_max\": 4096, \"alg\": \"recursive_doubling\"},\n"
                    "{\"msg_size_min\": 8192, \"msg_size_max\": \"inf\", \"alg\": 4}]}]"),
            "",
            "if operation = allreduce\n"
            "    if processes >= 9\n"
            "        allreduce:native # rule 1\n"
            "    else if processes >= 4\n"
            "        if bytes >= 8192\n"
            "            allreduce:logical-ring # rule 2\n"
            "        else if bytes >= 4097\n"
            "            allreduce:native # rule 3\n"
            "        else\n"
            "            allreduce:recursive-doubling # rule 4\n"
            "        end\n"
            "    else\n"
            "        allreduce:native # rule 5\n"
            "    end\n"
            "end\n");
}

static void places_of_processes_become_hosts(void **state)
{
    (void)state;
    said_of(FILE_OF("\"bcast\": [\n"
                    "{\"comm_rank_distribution\": \"single-node\", \"rules\": [{\"alg\": 1}]},\n"
                    "{\"comm_rank_distribution\": \"one-per-node\", \"rules\": [{\"alg\": 3}]},\n"
                    "{\"rules\": [{\"alg\": \"knomial\"}]}]"),
            "",
            "if operation = bcast\n"
            "    if hosts = 1\n"
            "        bcast:star # rule 1\n"
            "    else if processes-per-host = 1\n"
            "        bcast:chain # rule 2\n"
            "    else\n"
            "        bcast:knomial-at-once # rule 3\n"
            "    end\n"
            "end\n");
    said_of("{\"collectives\": {\"bcast\": [{\"comm_size_max\": 2, \"rules\": [{\"alg\": 1}]},\n"
            "{\"comm_rank_distribution\": \"any\", \"rules\": [{\"alg\": 3}]}]},\n"
            "\"comm_rank_distribution\": \"one-per-node\"}",
            "",
            "if operation = bcast\n"
            "    if processes >= 3\n"
            "        bcast:chain # rule 1\n"
            "    else\n"
            "        if processes-per-host = 1\n"
            "            bcast:star # rule 2\n"
            "        else\n"
            "            bcast:chain # rule 3\n"
            "        end\n"
            "    end\n"
            "end\n");
}

static void what_has_no_effect_is_said_once(void **state)
{
    (void)state;
    said_of(FILE_OF("\"bcast\": [{\"rules\": [\n"
                    "{\"alg\": \"quick\"},\n"
                    "{\"msg_size_max\": 99, \"alg\": 99},\n"
                    "{\"msg_size_max\": 999, \"alg\": 6, \"segsize\": 8},\n"
                    "{\"msg_size_min\": 500, \"msg_size_max\": 600, \"alg\": 1},\n"
                    "{\"msg_size_min\": 1000, \"alg\": 6, \"seg_size\": 12}]},\n"
                    "{\"comm_size_min\": 5, \"rules\": [{\"alg\": 1}]}],\n"
                    "\"scan\": []"),
            "x.json:4: Open MPI knows no algorithm \"quick\" of bcast and ignores this rule\n"
            "x.json:5: Open MPI knows no algorithm \"99\" of bcast and ignores this rule\n"
            "x.json:6: Open MPI ignores \"segsize\": it is none of its fields\n"
            "x.json:8: segments of 12 bytes are whole elements: 8 bytes are taken, for elements of "
            "8 bytes\n"
            "x.json:7: no call matches the row of bcast for 500 bytes: left out\n"
            "x.json:9: no call matches the row of bcast for 5 processes: left out\n"
            "x.json:10: scan is none that CPM chooses: its rules are left out",
            "if operation = bcast\n"
            "    if bytes >= 1000\n"
            "        bcast:binomial-at-once:segment=8 # rule 1\n"
            "    else\n"
            "        bcast:binomial-at-once # rule 2\n"
            "    end\n"
            "end\n");
}

static void what_openmpi_would_ignore_is_refused(void **state)
{
    (void)state;
    expect_error(FILE_OF("\"reducescatter\": []"),
                 "x.json:3: Open MPI has no collective \"reducescatter\", and ignores the file");
    expect_error(FILE_OF("\"bcast\": {}"), "x.json:3: expected a list of rules for communicators "
                                           "as \"bcast\", found an object");
    expect_error(FILE_OF("\"bcast\": [\n{}]"),
                 "x.json:4: expected a list of rules for messages as \"rules\", found nothing");
    expect_error(FILE_OF("\"bcast\": [{\"rules\": [\n{\"alg\": true}]}]"),
                 "x.json:4: expected the name or number of an algorithm as \"alg\", found true");
    expect_error(FILE_OF("\"bcast\": [{\"rules\": [{\"alg\": 1,\n\"msg_size_min\": -1}]}]"),
                 "x.json:4: expected a number from 0 on or \"inf\" as \"msg_size_min\", found a "
                 "number");
    expect_error(FILE_OF("\"bcast\": [{\"rules\": [{\"alg\": 1,\n\"seg_size\": 3000000000}]}]"),
                 "x.json:4: \"seg_size\" is more than it can be in Open MPI (2147483647)");
    expect_error(FILE_OF("\"scan\": [], \"exscan\": []"),
                 "x.json:2: there are rules for scan, exscan only, which CPM does not choose: "
                 "nothing is left to use");
    expect_error(FILE_OF("\"bcast\": []"), "x.json:2: there are no rules for any collective");
    expect_error("{\"rule_file_version\": 3}",
                 "x.json:1: expected an object of collectives as \"collectives\", found nothing");
}

/* ---- chance ---- */

enum { MOST_ENTRIES = 4, MOST_RULES = 5, DISTRIBUTIONS = 3, ENDLESS = INT_MAX };
static const char *const distribution[] = {"any", "single-node", "one-per-node"};

typedef struct {
    int least, most, value;
} range;
typedef struct {
    int entries, rules[MOST_ENTRIES];
    range communicator[MOST_ENTRIES], message[MOST_ENTRIES][MOST_RULES];
} their_rules;

static range random_range(gsl_rng *random, int most, int values)
{
    range r = {(int)gsl_rng_uniform_int(random, (unsigned long)most), ENDLESS,
               (int)gsl_rng_uniform_int(random, (unsigned long)values)};
    if (gsl_rng_uniform_int(random, 4))
        r.most = (int)gsl_rng_uniform_int(random, (unsigned long)most);
    return r;
}

static void put_range(FILE *out, const char *what, const range *r)
{
    fprintf(out, "\"%s_min\": %d, ", what, r->least);
    if (r->most == ENDLESS)
        fprintf(out, "\"%s_max\": \"INF\", ", what);
    else
        fprintf(out, "\"%s_max\": %d, ", what, r->most);
}

static void make_rules(gsl_rng *random, their_rules *t, FILE *out)
{
    t->entries = 1 + (int)gsl_rng_uniform_int(random, MOST_ENTRIES);
    fputs("{\"collectives\": {\"alltoall\": [", out);
    for (int i = 0; i < t->entries; i++) {
        range *c = &t->communicator[i];
        *c = random_range(random, 9, DISTRIBUTIONS);
        fputs(i ? ",\n{" : "{", out);
        put_range(out, "comm_size", c);
        fprintf(out, "\"comm_rank_distribution\": \"%s\", \"rules\": [", distribution[c->value]);
        t->rules[i] = (int)gsl_rng_uniform_int(random, MOST_RULES + 1);
        for (int k = 0; k < t->rules[i]; k++) {
            t->message[i][k] = random_range(random, 60, 4);
            fputs(k ? ",\n{" : "{", out);
            put_range(out, "msg_size", &t->message[i][k]);
            fprintf(out, "\"alg\": %d}", t->message[i][k].value);
        }
        fputs("]}", out);
    }
    fputs("]}}", out);
}

static bool is_in(const range *r, int value)
{
    return r->least <= value && value <= r->most;
}

/* 0: the library decides. */
static int algorithm_of(const their_rules *t, const cpm_hosts *hosts, int total)
{
    for (int i = 0; i < t->entries; i++) {
        const range *c = &t->communicator[i];
        bool there = c->value == 0 || (c->value == 1 && hosts->count == 1) ||
                     (c->value == 2 && hosts->count == hosts->n);
        if (!there || !is_in(c, hosts->n))
            continue;
        for (int k = 0; k < t->rules[i]; k++)
            if (is_in(&t->message[i][k], total))
                return t->message[i][k].value;
        return 0;
    }
    return 0;
}

static void compare(const cpm_ruleset *rules, const their_rules *t, int count, int each)
{
    static const char *const names[] = {"native", "spreading-simple", "ring", "bruck"};
    cpm_hosts hosts = {0};
    assert_int_equal(cpm_hosts_regular(count, each, false, &hosts, NULL), CPM_OK);
    cpm_request r = {.n = count * each, .hosts = &hosts};
    assert_int_equal(cpm_operation_find("alltoall", &r.operation, NULL), CPM_OK);
    for (r.bytes = 0; r.bytes < 40; r.bytes++) {
        const cpm_situation now = cpm_situation_of(&r);
        int k = cpm_ruleset_find(rules, &now, NULL);
        const char *name = "native";
        assert_true(k >= 0);
        if (rules->rule[k].what.algorithm)
            name = rules->rule[k].what.algorithm->name;
        assert_string_equal(name, names[algorithm_of(t, &hosts, (int)r.bytes * r.n)]);
    }
    cpm_hosts_clear(&hosts);
}

static void calls_get_the_first_rule_that_matches(void **state)
{
    (void)state;
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, 20261127);
    for (int round = 0; round < 300; round++) {
        char *text = NULL, *notes = NULL;
        size_t size = 0;
        their_rules t;
        cpm_ruleset *rules = NULL;
        cpm_error e = {0};
        FILE *out = open_memstream(&text, &size);
        make_rules(random, &t, out);
        assert_int_equal(fclose(out), 0);
        if (cpm_ruleset_unpack(text, "x.json", &rules, &notes, &e))
            fail_msg("%s\n%s", e.text, text);
        for (int count = 1; count < 5; count++)
            for (int each = 1; each < 4; each++)
                compare(rules, &t, count, each);
        compare(rules, &t, 1, 9);
        free(text);
        free(notes);
        cpm_ruleset_free(rules);
    }
    gsl_rng_free(random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_become_ranges),
        cmocka_unit_test(places_of_processes_become_hosts),
        cmocka_unit_test(what_has_no_effect_is_said_once),
        cmocka_unit_test(what_openmpi_would_ignore_is_refused),
        cmocka_unit_test(calls_get_the_first_rule_that_matches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
