/* What a call comes to is found twice, in the file and among the library's own decisions: only
 * where these differ the file says something. */
#include "libraries/mpich_file.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_kind.h"
#include "libraries/mpich_walk.h"
#include "selection/libraries.h"

struct cpm_mpich_file {
    json_t *tree;
    cpm_mpich_library library;
    char *name; /* for messages */
    int n;
    bool levels;
};

bool cpm_mpich_file_is(const char *text)
{
    return cpm_file_kind_of_text(text, strlen(text)) == CPM_FILE_MPICH;
}

void cpm_mpich_file_free(cpm_mpich_file *f)
{
    if (!f)
        return;
    json_decref(f->tree);
    cpm_mpich_library_close(&f->library);
    free(f->name);
    free(f);
}

int cpm_mpich_file_read(const char *text, const char *where, const char *library, int n,
                        bool levels, cpm_mpich_file **out, cpm_error *e)
{
    json_error_t wrong;
    json_t *tree = json_loads(text, JSON_REJECT_DUPLICATES, &wrong);
    if (!tree && json_error_code(&wrong) == json_error_out_of_memory)
        return cpm_no_memory(e);
    if (!tree)
        return cpm_fail(e, CPM_EPARSE, "%s:%d: not a selection file of MPICH: %s", where,
                        wrong.line, wrong.text);
    cpm_mpich_file *f = calloc(1, sizeof *f);
    char *name = strdup(where);
    int status = f && name ? cpm_mpich_library_read(library, &f->library, e) : cpm_no_memory(e);
    if (status) {
        json_decref(tree);
        free(name);
        free(f);
        return status;
    }
    f->tree = tree;
    f->name = name;
    f->n = n;
    f->levels = levels;
    *out = f;
    return CPM_OK;
}

/* ---- algorithms */

/* What it is called here on n processes; false: there is nothing like it. */
static bool ours_of(const cpm_mpich_collective *c, int n, const char *name, cpm_collective *out)
{
    static const cpm_target target = {.library = CPM_LIBRARY_MPICH};
    bool power = (n & (n - 1)) == 0;
    for (const cpm_their_algorithm *t = cpm_their_algorithms; t->collective; t++) {
        char text[CPM_COLLECTIVE_NAME];
        if (!t->name || strcmp(t->name, name) != 0 || strcmp(t->collective, c->name) != 0)
            continue;
        snprintf(text, sizeof text, "%s:%s", c->operation, t->algorithm);
        if (cpm_collective_parse(text, out, NULL) == CPM_OK &&
            (power || !(out->algorithm->properties & CPM_NEEDS_POWER_OF_2)) &&
            cpm_their_algorithm_of(&target, c->name, n, out, 0) == t)
            return true;
    }
    return false;
}

/* ---- rules */

/* What is looked at: one collective, whose sizes ascend. */
typedef struct {
    const cpm_mpich_file *f;
    cpm_mpich_call call;
    json_t *own; /* the library's decision */
    cpm_table *t;
    const cpm_operation *operation;
    char **notes;
    const char *missing; /* the last algorithm that was said to have no counterpart */
} reading;

static int note(const reading *r, cpm_error *e, const char *name, const char *what)
{
    return cpm_note(r->notes, e, "%s: %s: %s %s", r->f->name, r->call.collective->name, name, what);
}

/* Native from the beginning is no rule, nor is the same again. */
static int add_rule(const reading *r, size_t from, const cpm_collective *what, cpm_error *e)
{
    const cpm_rule rule = {.from = from, .what = *what, .seconds = NAN};
    const cpm_rules *before = cpm_table_find(r->t, r->operation, r->f->n);
    bool first = !before || before->operation != r->operation;
    if (first ? !what->algorithm : cpm_collective_same(&before->at[before->count - 1].what, what))
        return CPM_OK;
    return cpm_table_add(r->t, r->operation, r->f->n, &rule, e);
}

/* From the call's size on. */
static int read_size(reading *r, const char *theirs, const char *own, cpm_error *e)
{
    cpm_collective what = {.operation = r->operation};
    bool same = own && strcmp(theirs, own) == 0;
    bool known = same || ours_of(r->call.collective, r->f->n, theirs, &what);
    if (!known && (!r->missing || strcmp(r->missing, theirs) != 0)) {
        int status = note(r, e, theirs, "has no counterpart in cpm: it is not tried");
        r->missing = theirs;
        if (status)
            return status;
    }
    if (same || !known)
        what = (cpm_collective){.operation = r->operation};
    return add_rule(r, r->call.bytes, &what, e);
}

/* From the call's size on nobody knows. */
static int end_at(const reading *r, const char *unknown, cpm_error *e)
{
    const cpm_collective native = {.operation = r->operation};
    int status =
        note(r, e, unknown, "depends on what cpm does not know: what follows is not tried");
    return status ? status : add_rule(r, r->call.bytes, &native, e);
}

static int read_sizes(reading *r, cpm_error *e)
{
    int status = CPM_OK;
    for (size_t last = 0; !status && last < INT_MAX; r->call.bytes = last + 1) {
        cpm_mpich_end end = cpm_mpich_walk(r->f->tree, &r->call);
        cpm_mpich_end own = cpm_mpich_walk(r->own, &r->call);
        if (end.unknown || own.unknown)
            return end_at(r, end.unknown ? end.unknown : own.unknown, e);
        if (!end.leaf)
            return cpm_fail(
                e, CPM_EPARSE,
                "%s: %s of %zu bytes by %d processes comes to no algorithm: MPICH would "
                "stop the program",
                r->f->name, r->call.collective->name, r->call.bytes, r->f->n);
        status = read_size(r, end.algorithm, own.algorithm, e);
        last = end.last < own.last ? end.last : own.last;
    }
    return status;
}

static bool is_in(const json_t *tree, const cpm_mpich_collective *c)
{
    char key[60];
    snprintf(key, sizeof key, "collective=%s", c->name);
    return json_object_get(tree, key) != NULL;
}

static int read_collective(reading *r, cpm_error *e)
{
    bool failed = false;
    int status = cpm_operation_find(r->call.collective->operation, &r->operation, e);
    if (status)
        return status;
    r->own = cpm_mpich_decision(&r->f->library, r->call.collective, &failed);
    status = failed ? cpm_no_memory(e) : read_sizes(r, e);
    json_decref(r->own);
    return status;
}

static bool has_rules(const cpm_table *t, const cpm_mpich_collective *c)
{
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->at[i].operation->name, c->operation) == 0)
            return true;
    return false;
}

/* MPICH has two collectives for one operation of ours: the second one's rules are those of the
 * first, or are not tried. */
int cpm_mpich_file_rules(const cpm_mpich_file *f, cpm_table *t, char **notes, cpm_error *e)
{
    int status = CPM_OK;
    for (const cpm_mpich_collective *c = cpm_mpich_collectives; c->name && !status; c++) {
        reading r = {.f = f,
                     .call = {.collective = c, .n = f->n, .levels = f->levels},
                     .t = t,
                     .notes = notes};
        if (is_in(f->tree, c) && !has_rules(t, c))
            status = read_collective(&r, e);
    }
    return status;
}

/* ---- without some */

static void set_size(json_t *tree, const cpm_mpich_call *c, double below, json_t *what,
                     bool *failed)
{
    const char *name = c->collective->total ? "total_msg_size" : "avg_msg_size";
    double factor = c->collective->total ? c->n : 1;
    char key[60] = "";
    if (below * factor <= INT_MAX)
        snprintf(key, sizeof key, "%s<=%.0f", name, below * factor - 1);
    else
        snprintf(key, sizeof key, "%s=any", name);
    if (json_object_set_new(tree, key, what) != 0)
        *failed = true;
}

/* Replaces what the leaf names by other from first to last bytes; it is come to from end.first to
 * end.last. */
static void replace(const cpm_mpich_call *c, const cpm_mpich_end *end, size_t first, size_t last,
                    json_t *other, bool *failed)
{
    json_t *tree = json_object();
    json_t *before = json_deep_copy(end->leaf);
    if (end->first < first)
        set_size(tree, c, (double)first, json_incref(before), failed);
    if (end->last > last) {
        set_size(tree, c, (double)last + 1, json_incref(other), failed);
        set_size(tree, c, INFINITY, json_incref(before), failed);
    } else if (end->first < first)
        set_size(tree, c, INFINITY, json_incref(other), failed);
    json_t *now = json_object_size(tree) ? tree : other;
    if (json_object_clear(end->leaf) != 0 || json_object_update(end->leaf, now) != 0)
        *failed = true;
    json_decref(before);
    json_decref(tree);
}

/* Of the sizes from the call's on that come to the same end; returns the last one. */
static size_t drop(cpm_mpich_file *f, const cpm_mpich_call *call, const cpm_collective *what,
                   size_t last, bool *failed)
{
    cpm_collective named;
    json_t *own = cpm_mpich_decision(&f->library, call->collective, failed);
    cpm_mpich_end at = cpm_mpich_walk(f->tree, call);
    const char *usual = own ? cpm_mpich_walk(own, call).algorithm : NULL;
    last = at.last < last ? at.last : last;
    if (at.leaf && usual && strcmp(at.algorithm, usual) != 0 &&
        ours_of(call->collective, f->n, at.algorithm, &named) && cpm_collective_same(&named, what))
        replace(call, &at, call->bytes, last, own, failed);
    json_decref(own);
    return last;
}

int cpm_mpich_file_drop(cpm_mpich_file *f, const cpm_rule *rule, size_t last, cpm_error *e)
{
    bool failed = false;
    for (const cpm_mpich_collective *c = cpm_mpich_collectives; c->name; c++) {
        cpm_mpich_call call = {c, f->n, f->levels, rule->from};
        bool more = strcmp(c->operation, rule->what.operation->name) == 0;
        for (; more && !failed; call.bytes++) {
            call.bytes = drop(f, &call, &rule->what, last, &failed);
            more = call.bytes < last;
        }
    }
    return failed ? cpm_no_memory(e) : CPM_OK;
}

int cpm_mpich_file_write(const cpm_mpich_file *f, FILE *out, cpm_error *e)
{
    if (json_dumpf(f->tree, out, JSON_INDENT(1)) != 0 && !ferror(out))
        return cpm_no_memory(e);
    putc('\n', out);
    return CPM_OK;
}
