/* MPICH's selection file: a tree of tests in JSON, tried in order; the first that holds is followed
 * and must lead to an algorithm.
 *
 * The file replaces all decisions of the library, and nothing in it is checked: an algorithm runs
 * where it cannot, and stops the program. So the table is put into the library's own tree, and each
 * algorithm is guarded by what it needs, with the library's decision where that does not hold. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "libraries/export.h"
#include "libraries/mpich_tree.h"

static const cpm_target target = {.library = CPM_LIBRARY_MPICH};

/* Where in the tree we are. */
typedef struct {
    const bool *known; /* [cpm_their_algorithms] by the library: looking takes a while */
    const cpm_mpich_collective *collective;
    json_t *own;  /* the library's decision, as it is to be written */
    bool power;   /* all that come here are powers of two of processes */
    bool *failed; /* no memory: something is missing in the tree */
} place;

/* Takes below. */
static void set(const place *p, json_t *tree, const char *test, json_t *below)
{
    if (json_object_set_new(tree, test, below) != 0)
        *p->failed = true;
}

/* The test, and where it holds then, else otherwise and other. Both are taken. */
static json_t *branch(const place *p, const char *test, json_t *then, const char *otherwise,
                      json_t *other)
{
    json_t *tree = json_object();
    set(p, tree, test, then);
    set(p, tree, otherwise, other);
    return tree;
}

/* ---- the library's decision */

/* All share one. */
static json_t *own(const place *p)
{
    return json_incref(p->own);
}

/* ---- one rule */

static json_t *guarded(const place *p, const cpm_their_algorithm *t)
{
    char key[200];
    snprintf(key, sizeof key, "algorithm=%s", t->name);
    json_t *tree = json_object();
    set(p, tree, key, json_object());
    if (t->properties & CPM_THEIRS_NEEDS_BUILT_IN) {
        tree = branch(p, "count<pow2", own(p), "count=any", tree);
        tree = branch(p, "is_op_built_in=yes", tree, "is_op_built_in=no", own(p));
    }
    if (t->properties & CPM_THEIRS_NEEDS_COMMUTING)
        tree = branch(p, "is_commutative=yes", tree, "is_commutative=no", own(p));
    if (p->collective->in_place_is_other)
        tree = branch(p, "is_sendbuf_inplace=no", tree, "is_sendbuf_inplace=yes", own(p));
    return tree;
}

/* Whether t, which stands for ours, or ours runs on powers of two only. */
static bool is_for_powers(const cpm_their_algorithm *t, const cpm_collective *ours)
{
    return t && (t->properties & CPM_THEIRS_NEEDS_POWER_OF_2 ||
                 ours->algorithm->properties & CPM_NEEDS_POWER_OF_2);
}

/* NULL: the library decides. */
static const cpm_their_algorithm *theirs(const place *p, int n, const cpm_rule *rule)
{
    const cpm_their_algorithm *t =
        cpm_their_algorithm_of(&target, p->collective->name, n, &rule->what, rule->from);
    if (!p->power && is_for_powers(t, &rule->what))
        return NULL;
    return t && p->known[t - cpm_their_algorithms] ? t : NULL;
}

/* ---- the rules for a number of processes */

/* Adds what t, or the library, decides below that size; 0: for all that are left. */
static void add_sizes(const place *p, json_t *tree, double below, const cpm_their_algorithm *t)
{
    const char *what = p->collective->total ? "total_msg_size" : "avg_msg_size";
    char key[60];
    if (below > 0)
        snprintf(key, sizeof key, "%s<=%.0f", what, below - 1);
    else
        snprintf(key, sizeof key, "%s=any", what);
    set(p, tree, key, t ? guarded(p, t) : own(p));
}

/* Sizes that the library cannot read (they are ints) are those of the rule before. */
static json_t *by_size(const place *p, const cpm_rules *r)
{
    json_t *tree = json_object();
    const cpm_their_algorithm *now = NULL;
    for (int k = 0; k < r->count; k++) {
        const cpm_their_algorithm *t = theirs(p, r->n, &r->at[k]);
        double from = (double)r->at[k].from * (p->collective->total ? r->n : 1);
        if (from > INT_MAX)
            break;
        if (from > 0 && t != now)
            add_sizes(p, tree, from, now);
        now = t;
    }
    add_sizes(p, tree, 0, now);
    return tree;
}

static bool needs_power(const place *p, const cpm_rules *r)
{
    bool needs = false;
    for (int k = 0; k < r->count && !needs; k++) {
        const cpm_collective *ours = &r->at[k].what;
        needs = is_for_powers(
            cpm_their_algorithm_of(&target, p->collective->name, r->n, ours, r->at[k].from), ours);
    }
    return needs;
}

/* The rules r hold for their number of processes up to last. */
static json_t *by_power(place p, const cpm_rules *r, int last)
{
    p.power = r->n == last && (r->n & (r->n - 1)) == 0;
    if (r->n == last || !needs_power(&p, r))
        return by_size(&p, r);
    json_t *others = by_size(&p, r);
    p.power = true;
    return branch(&p, "comm_size=pow2", by_size(&p, r), "comm_size=any", others);
}

/* ---- a collective */

/* The index of the next rules of o from i on, t->count if there are none. */
static int next_rules(const cpm_table *t, const cpm_operation *o, int i)
{
    while (i < t->count && t->at[i].operation != o)
        i++;
    return i;
}

static void add_processes(const place *p, json_t *tree, int last, json_t *below)
{
    char key[40] = "comm_size=any";
    if (last < INT_MAX)
        snprintf(key, sizeof key, "comm_size<=%d", last);
    set(p, tree, key, below);
}

static json_t *by_processes(const place *p, const cpm_table *t, const cpm_operation *o)
{
    json_t *tree = json_object();
    int i = next_rules(t, o, 0);
    if (t->at[i].n > 1)
        add_processes(p, tree, t->at[i].n - 1, own(p));
    while (i < t->count) {
        int next = next_rules(t, o, i + 1);
        int last = next < t->count ? t->at[next].n - 1 : INT_MAX;
        add_processes(p, tree, last, by_power(*p, &t->at[i], last));
        i = next;
    }
    return tree;
}

static void put_collective(const cpm_mpich_library *l, const bool *known,
                           const cpm_mpich_collective *c, const cpm_table *t, bool *failed)
{
    char key[60];
    snprintf(key, sizeof key, "collective=%s", c->name);
    json_t *all = json_object_get(l->tree, key);
    const cpm_operation *o = cpm_table_operation(t, c->operation);
    place p = {.known = known, .collective = c, .failed = failed};
    if (!o || !json_object_get(all, "comm_type=intra"))
        return;
    p.own = cpm_mpich_decision(l, c, failed);
    set(&p, all, "comm_type=intra", by_processes(&p, t, o));
    json_decref(p.own);
}

/* ---- the whole */

static void count_left(const bool *known, const cpm_table *t, cpm_exported *counts)
{
    *counts = (cpm_exported){0};
    for (int i = 0; i < t->count; i++) {
        const cpm_rules *r = &t->at[i];
        const cpm_mpich_collective of = {.name = r->operation->name};
        const place p = {.known = known, .collective = &of, .power = (r->n & (r->n - 1)) == 0};
        for (int k = 0; k < r->count; k++) {
            counts->rules += r->at[k].what.algorithm != NULL;
            counts->left += r->at[k].what.algorithm && !theirs(&p, r->n, &r->at[k]);
        }
    }
}

/* Which algorithms the library has; the caller frees it. NULL: no memory. */
static bool *find_known(const cpm_mpich_library *l)
{
    int count = 0;
    while (cpm_their_algorithms[count].collective)
        count++;
    bool *known = calloc((size_t)count, sizeof *known);
    for (int k = 0; known && k < count; k++) {
        const cpm_their_algorithm *t = &cpm_their_algorithms[k];
        known[k] = t->library == CPM_LIBRARY_MPICH && cpm_mpich_library_has(l, t->name);
    }
    return known;
}

/* ---- named trees */

/* What release 5.1 calls tests. */
static const struct {
    const char *test, *now;
} renamed[] = {
    {"comm_size=pow2", "pof2"},
    {"is_commutative=yes", "commutative"},
    {"is_commutative=no", "!commutative"},
    {"is_op_built_in=yes", "builtin_op"},
    {"is_op_built_in=no", "!builtin_op"},
    {"is_block_regular=yes", "block_regular"},
    {"is_block_regular=no", "!block_regular"},
    {"is_sendbuf_inplace=yes", "inplace"},
    {"is_sendbuf_inplace=no", "!inplace"},
    {"count<pow2", "!count_ge_pof2"},
};

/* All limits as "name<=value". */
static void rename_test(const char *test, char *out, size_t size)
{
    size_t length = strlen(test), name = strcspn(test, "<");
    snprintf(out, size, "%s", length > 4 && strcmp(test + length - 4, "=any") == 0 ? "any" : test);
    for (size_t k = 0; k < sizeof renamed / sizeof *renamed; k++)
        if (strcmp(renamed[k].test, test) == 0) {
            snprintf(out, size, "%s", renamed[k].now);
            return;
        }
    if (test[name] == '<' && test[name + 1] != '=')
        snprintf(out, size, "%.*s<=%ld", (int)name, test, strtol(test + name + 1, NULL, 10) - 1);
}

/* Algorithms for hosts call these trees: they are none of theirs. */
static bool is_for_hosts(const char *test)
{
    static const char end[] = "_intra_smp";
    size_t length = strlen(test), size = sizeof end - 1;
    return strcmp(test, "comm_hierarchy=parent") == 0 ||
           (length > size && strcmp(test + length - size, end) == 0);
}

/* One that is left alone in an object needs no test. */
static json_t *without_any(json_t *tree)
{
    json_t *any = json_object_size(tree) == 1 ? json_object_get(tree, "any") : NULL;
    if (!any)
        return tree;
    json_incref(any);
    json_decref(tree);
    return any;
}

/* Where a test is left out, calls for which it holds come to the last one. */
static json_t *rename_tests(const json_t *tree, bool *failed)
{
    json_t *to = json_object(), *below;
    const char *test;
    char last[200] = "";
    bool left_out = false;
    json_object_foreach((json_t *)tree, test, below)
    {
        bool leaf = strncmp(test, "algorithm=", 10) == 0;
        json_t *now = is_for_hosts(test) ? NULL
                      : leaf             ? json_incref(below)
                                         : rename_tests(below, failed);
        left_out = left_out || !now;
        if (now) {
            rename_test(test, last, sizeof last);
            *failed = json_object_set_new(to, last, now) != 0 || *failed;
        }
    }
    if (left_out && *last && strcmp(last, "any") != 0) {
        json_t *now = json_incref(json_object_get(to, last));
        json_object_del(to, last);
        *failed = json_object_set_new(to, "any", now) != 0 || *failed;
    }
    if (*last)
        return without_any(to);
    json_decref(to);
    return NULL;
}

/* The trees of the collectives that the table decides on, by what calls them. */
static json_t *name_trees(const cpm_mpich_library *l, const cpm_table *t, bool *failed)
{
    json_t *all = json_object();
    for (const cpm_mpich_collective *c = cpm_mpich_collectives; c->name; c++) {
        char key[80];
        snprintf(key, sizeof key, "collective=%s", c->name);
        const json_t *tree = json_object_get(json_object_get(l->tree, key), "comm_type=intra");
        if (!tree || !cpm_table_operation(t, c->operation))
            continue;
        snprintf(key, sizeof key, "name=%s-intra-auto", c->name);
        json_t *now = rename_tests(tree, failed);
        *failed = (now && json_object_set_new(all, key, now) != 0) || *failed;
    }
    return all;
}

static int export(const cpm_mpich_library *l, const bool *known, const cpm_table *t, bool named,
                  FILE *out, cpm_exported *counts)
{
    bool failed = false;
    for (const cpm_mpich_collective *c = cpm_mpich_collectives; c->name; c++)
        put_collective(l, known, c, t, &failed);
    json_t *all = named ? name_trees(l, t, &failed) : json_incref(l->tree);
    failed = failed || (json_dumpf(all, out, JSON_INDENT(1)) != 0 && !ferror(out));
    json_decref(all);
    putc('\n', out);
    count_left(known, t, counts);
    return failed ? CPM_ENOMEM : CPM_OK;
}

int cpm_export_mpich(const cpm_table *t, const char *path, bool named, FILE *out,
                     cpm_exported *counts, cpm_error *e)
{
    cpm_mpich_library l;
    int status = cpm_mpich_library_read(path, &l, e);
    if (status)
        return status;
    bool *known = find_known(&l);
    if (!known || export(&l, known, t, named, out, counts))
        status = cpm_no_memory(e);
    free(known);
    cpm_mpich_library_close(&l);
    return status;
}
