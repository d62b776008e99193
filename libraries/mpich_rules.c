/* MPICH's tests are conditions of rules: the first that holds is followed, and others are tried
 * where it does not. What a way through the tree has already decided is not asked again, as rules
 * that can never hold are errors.
 *
 * Releases from 5.1 on name tests otherwise, and trees by what calls them. */
#include "libraries/mpich_rules.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/metadata.h"
#include "base/numbers.h"
#include "libraries/mpich_tree.h"
#include "selection/libraries.h"

typedef struct {
    const char *where;
    FILE *out;
    char **notes;
    cpm_error *e;
    const cpm_mpich_collective *collective;
} reading;

/* ---- what is known on the way ---- */

typedef struct {
    int64_t least, most;
} range;

typedef enum { MAYBE, YES, NO } truth;

/* Of the calls that come to a place in the tree. */
typedef struct {
    range processes, bytes; /* bytes: of what the collective's sizes are */
    truth power, commutes, levels;
    bool in_call; /* a test was met that is no communicator's */
} place;

static bool has_power(const range *n)
{
    return cpm_has_power_of_two(n->least, n->most);
}

static bool has_other(const range *n)
{
    return cpm_has_other_than_power_of_two(n->least, n->most);
}

static truth power_at(const place *p)
{
    return p->power != MAYBE           ? p->power
           : !has_other(&p->processes) ? YES
           : !has_power(&p->processes) ? NO
                                       : MAYBE;
}

/* Two hosts, two processes on one of them. */
static truth levels_at(const place *p)
{
    return p->processes.most < 3 ? NO : p->levels;
}

/* Blocks of all processes together have no bytes, or at least one each. */
static bool has_bytes(const place *p, bool total)
{
    return p->bytes.least <= p->bytes.most &&
           (!total || p->bytes.least == 0 || p->bytes.most >= p->processes.least);
}

/* ---- tests ---- */

typedef enum {
    UNKNOWN, /* to CPM */
    ALWAYS,
    NEVER,
    PROCESSES,
    BYTES, /* at most limit */
    POWER,
    COMMUTES,
    LEVELS
} quantity;

typedef struct {
    quantity of;
    bool negated;
    int64_t limit;
} test;

/* Of the calls that are meant. */
static const struct {
    const char *name;
    quantity of;
    bool negated;
} known[] = {
    {"any", ALWAYS, false},
    {"comm_type=intra", ALWAYS, false},
    {"comm_type=inter", NEVER, false},
    {"comm_hierarchy=parent", LEVELS, false},
    {"hierarchical", LEVELS, false},
    {"!hierarchical", LEVELS, true},
    {"comm_size=pow2", POWER, false},
    {"pof2", POWER, false},
    {"!pof2", POWER, true},
    {"is_commutative=yes", COMMUTES, false},
    {"is_commutative=no", COMMUTES, true},
    {"commutative", COMMUTES, false},
    {"!commutative", COMMUTES, true},
    {"is_op_built_in=yes", ALWAYS, false},
    {"is_op_built_in=no", NEVER, false},
    {"builtin_op", ALWAYS, false},
    {"!builtin_op", NEVER, false},
    {"is_block_regular=yes", ALWAYS, false},
    {"is_block_regular=no", NEVER, false},
    {"block_regular", ALWAYS, false},
    {"!block_regular", NEVER, false},
    {"is_sendbuf_inplace=no", ALWAYS, false},
    {"is_sendbuf_inplace=yes", NEVER, false},
    {"inplace", NEVER, false},
    {"!inplace", ALWAYS, false},
    {"count<pow2", NEVER, false},
    {"count_ge_pof2", ALWAYS, false},
    {"!count_ge_pof2", NEVER, false},
};

/* name<number or name<=number; less: whether < counts as such. */
static bool is_limit(const char *key, const char *name, bool less, int64_t *limit)
{
    size_t length = strlen(name);
    if (strncmp(key, name, length) != 0 || key[length] != '<')
        return false;
    bool equal = key[length + 1] == '=';
    char *end;
    const char *number = key + length + 1 + equal;
    errno = 0;
    long value = strtol(number, &end, 10);
    *limit = value - (less && !equal);
    return end != number && !*end && !errno && value >= 0 && value <= INT_MAX;
}

/* MPICH takes < for <= of a communicator's size once it is in a call. */
static test test_of(const reading *r, const place *p, const char *key)
{
    test t = {0};
    size_t length = strlen(key);
    if (length > 4 && strcmp(key + length - 4, "=any") == 0)
        t.of = ALWAYS;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(known[k].name, key) == 0)
            t = (test){known[k].of, known[k].negated, 0};
    if (is_limit(key, "comm_size", !p->in_call, &t.limit))
        t.of = PROCESSES;
    else if (is_limit(key, r->collective->total ? "total_msg_size" : "avg_msg_size", true,
                      &t.limit))
        t.of = BYTES;
    return t;
}

/* The place where it holds, or does not. */
static place behind(place p, const test *t, bool holds)
{
    truth is = holds != t->negated ? YES : NO;
    range *r = t->of == PROCESSES ? &p.processes : t->of == BYTES ? &p.bytes : NULL;
    if (r && holds && t->limit < r->most)
        r->most = t->limit;
    else if (r && !holds && t->limit >= r->least)
        r->least = t->limit + 1;
    p.power = t->of == POWER ? is : p.power;
    p.commutes = t->of == COMMUTES ? is : p.commutes;
    p.levels = t->of == LEVELS ? is : p.levels;
    return p;
}

/* Whether calls come to that place. */
static bool is_possible(const reading *r, const place *p)
{
    return p->processes.least <= p->processes.most && has_bytes(p, r->collective->total) &&
           !(p->power == YES && !has_power(&p->processes)) &&
           !(p->power == NO && !has_other(&p->processes)) &&
           !(p->levels == YES && p->processes.most < 3);
}

/* What is known of the test there. */
static truth answer(const reading *r, const place *p, const test *t)
{
    const truth now[] = {[POWER] = power_at(p), [COMMUTES] = p->commutes, [LEVELS] = levels_at(p)};
    if (t->of == ALWAYS || t->of == NEVER)
        return t->of == ALWAYS ? YES : NO;
    if (t->of >= POWER && now[t->of] != MAYBE)
        return (now[t->of] == YES) != t->negated ? YES : NO;
    const place yes = behind(*p, t, true), no = behind(*p, t, false);
    return !is_possible(r, &yes) ? NO : !is_possible(r, &no) ? YES : MAYBE;
}

static void put_condition(const reading *r, const test *t)
{
    const char *bytes = r->collective->total ? "total-bytes" : "bytes";
    switch (t->of) {
    case PROCESSES:
    case BYTES:
        fprintf(r->out, "%s <= %lld", t->of == BYTES ? bytes : "processes", (long long)t->limit);
        break;
    case LEVELS:
        fputs("hosts > 1 and processes-per-host > 1", r->out);
        break;
    default:
        fprintf(r->out, "%s%s", t->negated ? "not " : "",
                t->of == POWER ? "power-of-two" : "commuting");
    }
}

/* ---- algorithms ---- */

static int note(const reading *r, const char *name, const char *what)
{
    char *line = NULL;
    if (!r->notes)
        return CPM_OK;
    if (asprintf(&line, "%s: %s: %s %s", r->where, r->collective->name, name, what) < 0)
        return cpm_no_memory(r->e);
    bool said = *r->notes && strstr(*r->notes, line);
    int status = said ? CPM_OK : cpm_note(r->notes, r->e, "%s", line);
    free(line);
    return status;
}

/* What MPICH's algorithm is called here on numbers of processes that are a power of two, or none;
 * NULL: there is nothing like it. */
static const char *ours_of(const reading *r, const char *name, bool power)
{
    static const unsigned excluded[] = {CPM_THEIRS_NEEDS_POWER_OF_2,
                                        CPM_THEIRS_NEEDS_NO_POWER_OF_2};
    for (const cpm_their_algorithm *t = cpm_their_algorithms; t->collective; t++) {
        char text[CPM_COLLECTIVE_NAME];
        cpm_collective what;
        if (!t->name || strcmp(t->name, name) != 0 ||
            strcmp(t->collective, r->collective->name) != 0 || t->properties & excluded[power])
            continue;
        snprintf(text, sizeof text, "%s:%s", r->collective->operation, t->algorithm);
        if (cpm_collective_parse(text, &what, NULL) == CPM_OK &&
            (power || !(what.algorithm->properties & CPM_NEEDS_POWER_OF_2)))
            return t->algorithm;
    }
    return NULL;
}

static void put_ours(const reading *r, const char *algorithm)
{
    fprintf(r->out, "%s:%s\n", r->collective->operation, algorithm ? algorithm : "native");
}

static int put_algorithm(const reading *r, const place *p, const char *name)
{
    const char *power = ours_of(r, name, true), *other = ours_of(r, name, false);
    truth is = power_at(p);
    bool same = power == other || (power && other && strcmp(power, other) == 0);
    if (same || is != MAYBE) {
        put_ours(r, is == NO ? other : power);
        return (is == NO ? other : power)
                   ? CPM_OK
                   : note(r, name, "has no counterpart in cpm: left to the library");
    }
    fputs("if power-of-two\n", r->out);
    put_ours(r, power);
    fputs("else\n", r->out);
    put_ours(r, other);
    fputs("end\n", r->out);
    return other && power ? CPM_OK
                          : note(r, name,
                                 power ? "is known for powers of two only: other numbers of "
                                         "processes are left to the library"
                                       : "has no counterpart in cpm on powers of two: left to the "
                                         "library");
}

/* ---- the tree ---- */

static const char *algorithm_of(const char *key)
{
    static const char *const words[] = {"algorithm=", "composition="};
    for (int k = 0; k < 2; k++)
        if (strncmp(key, words[k], strlen(words[k])) == 0)
            return key + strlen(words[k]);
    return NULL;
}

/* MPICH ignores blanks in a test. */
static void copy_test(const char *key, char *out, size_t size)
{
    size_t used = 0;
    for (; *key && used + 1 < size; key++)
        if (*key != ' ')
            out[used++] = *key;
    out[used] = '\0';
}

static int put_tree(const reading *r, json_t *tree, place p, int depth);

/* What cpm cannot answer, and what is tried behind it. */
static int leave(const reading *r, const char *key)
{
    put_ours(r, NULL);
    return note(r, key, "is a test that cpm does not know: left to the library from there on");
}

static int put_tests(const reading *r, json_t *tree, place p, int depth)
{
    const char *key, *last = "";
    json_t *below;
    int status = CPM_OK, asked = 0;
    bool ends = false;
    json_object_foreach(tree, key, below)
    {
        char name[200];
        copy_test(key, name, sizeof name);
        const test t = test_of(r, &p, name);
        p.in_call = p.in_call || strncmp(name, "com", 3) != 0;
        truth is = t.of == UNKNOWN ? YES : answer(r, &p, &t);
        last = key;
        if (status || ends || is == NO)
            continue;
        if (is == YES)
            fputs(asked ? "else\n" : "", r->out);
        else {
            fputs(asked++ ? "else if " : "if ", r->out);
            put_condition(r, &t);
            fputc('\n', r->out);
        }
        status =
            t.of == UNKNOWN ? leave(r, key) : put_tree(r, below, behind(p, &t, true), depth + 1);
        ends = is == YES;
        p = behind(p, &t, false);
    }
    fputs(asked ? "end\n" : "", r->out);
    if (!status && !ends)
        status = cpm_fail(r->e, CPM_EPARSE,
                          "%s: %s: calls come to no algorithm behind \"%s\": MPICH would stop the "
                          "program",
                          r->where, r->collective->name, last);
    return status;
}

static int put_tree(const reading *r, json_t *tree, place p, int depth)
{
    enum { MOST_TESTS = 100 };
    const char *key = json_object_iter_key(json_object_iter(tree));
    if (!json_is_object(tree) || depth > MOST_TESTS)
        return cpm_fail(r->e, CPM_EPARSE, "%s: %s: %s", r->where, r->collective->name,
                        depth > MOST_TESTS ? "more tests in each other than cpm reads (100)"
                                           : "a test leads to no object");
    const char *name = key ? algorithm_of(key) : NULL;
    return name ? put_algorithm(r, &p, name) : put_tests(r, tree, p, depth);
}

/* ---- the file ---- */

/* The v-operation, which rules mean too, is a collective of its own there. */
static void put_head(const reading *r)
{
    fprintf(r->out, "if operation = %s", r->collective->operation);
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        if (o->like && strcmp(o->like, r->collective->operation) == 0)
            fprintf(r->out, " and operation != %s", o->name);
    fputc('\n', r->out);
}

/* From 5.1 on trees are named, and those of communicators of one level decide. */
static json_t *tree_of(const json_t *root, const cpm_mpich_collective *c)
{
    static const char *const forms[] = {"collective=%s", "name=%s-intra-auto", "name=%s-intra",
                                        "collective=%s-intra"};
    json_t *tree = NULL;
    for (size_t k = 0; k < sizeof forms / sizeof *forms && !tree; k++) {
        char key[80];
        snprintf(key, sizeof key, forms[k], c->name);
        tree = json_object_get(root, key);
    }
    return tree;
}

/* MPICH has two collectives for our reduce_scatter: the first one's tree is taken. */
static bool is_first(const cpm_mpich_collective *c)
{
    for (const cpm_mpich_collective *b = cpm_mpich_collectives; b != c; b++)
        if (strcmp(b->operation, c->operation) == 0)
            return false;
    return true;
}

/* All calls of it: what does not combine commutes. */
static int put_collective(const reading *r, json_t *tree)
{
    place all = {.processes = {1, INT32_MAX}, .bytes = {0, INT64_MAX}};
    const cpm_operation *o = NULL;
    int status = cpm_operation_find(r->collective->operation, &o, r->e);
    if (status)
        return status;
    all.commutes = o->combines ? MAYBE : YES;
    put_head(r);
    status = put_tree(r, tree, all, 0);
    fputs("end\n", r->out);
    return status;
}

static int read_collectives(reading *r, const json_t *root)
{
    int status = CPM_OK, count = 0;
    for (const cpm_mpich_collective *c = cpm_mpich_collectives; c->name && !status; c++) {
        json_t *tree = is_first(c) ? tree_of(root, c) : NULL;
        r->collective = c;
        if (!tree)
            continue;
        count++;
        status = put_collective(r, tree);
    }
    return status || count
               ? status
               : cpm_fail(r->e, CPM_EPARSE, "%s:1: it decides on no collective that CPM chooses",
                          r->where);
}

int cpm_rules_of_mpich(const char *text, const char *where, char **rules, char **notes,
                       cpm_error *e)
{
    json_error_t wrong;
    size_t size = 0;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &wrong);
    reading r = {.where = where, .notes = notes, .e = e};
    if (!root && json_error_code(&wrong) == json_error_out_of_memory)
        return cpm_no_memory(e);
    if (!root)
        return cpm_fail(e, CPM_EPARSE, "%s:%d: not a selection file of MPICH: %s", where,
                        wrong.line, wrong.text);
    r.out = open_memstream(rules, &size);
    int status = r.out ? read_collectives(&r, root) : cpm_no_memory(e);
    if (r.out && fclose(r.out) != 0 && !status)
        status = cpm_no_memory(e);
    json_decref(root);
    if (!status)
        return CPM_OK;
    if (r.out)
        free(*rules);
    *rules = NULL;
    if (notes) { /* the failure says it all */
        free(*notes);
        *notes = NULL;
    }
    return status;
}
