#include "tools/choose/verify_rows.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/text_file.h"
#include "libraries/rules_file.h"
#include "tables/ruleset_lines.h"
#include "tools/choose/mpich_library.h"
#include "tools/frame/output.h"

enum { SIZE_FROM_0 = 1024 }; /* at which a rule from 0 bytes on is tried, if it holds there */

/* ---- a table of what rules say */

static int add_rule(cpm_table *t, const cpm_request *r, const cpm_ruleset *rules, int k,
                    cpm_error *e)
{
    cpm_rule rule = {.from = r->bytes, .what = {.operation = r->operation}, .seconds = NAN};
    bool names = k != CPM_NO_RULE && rules->rule[k].what.algorithm;
    if (names && rules->rule[k].what.operation != r->operation)
        return CPM_OK; /* of the operation that has the rules of this one */
    if (names)
        rule.what = rules->rule[k].what;
    const cpm_rules *before = cpm_table_find(t, r->operation, r->n);
    bool first = !before || before->operation != r->operation;
    if (first ? !names : cpm_collective_same(&before->at[before->count - 1].what, &rule.what))
        return CPM_OK;
    return cpm_table_add(t, r->operation, r->n, &rule, e);
}

/* From 0 bytes on as far as the same tests lead to the same rule, and so on. */
static int add_operation(cpm_table *t, cpm_request r, const cpm_ruleset *rules, cpm_error *e)
{
    int status = CPM_OK;
    for (r.bytes = 0; !status;) {
        cpm_region within;
        const cpm_situation now = cpm_situation_of(&r);
        int k = cpm_ruleset_find(rules, &now, &within);
        int64_t last = within.most.of[CPM_ASKS_BYTES];
        int64_t total = within.most.of[CPM_ASKS_TOTAL] / r.n;
        last = total < last ? total : last;
        status = add_rule(t, &r, rules, k, e);
        if (!cpm_rules_see_bytes(r.operation) || last >= INT_MAX)
            break;
        r.bytes = (size_t)last + 1;
    }
    return status;
}

static int table_of_rules(const cpm_ruleset *rules, const cpm_request *any, cpm_table **out,
                          cpm_error *e)
{
    int status = (*out = calloc(1, sizeof **out)) ? CPM_OK : cpm_no_memory(e);
    for (const cpm_operation *o = cpm_operations; o->name && !status; o++) {
        cpm_request r = *any;
        r.operation = o;
        r.root = o->rooted ? any->root : 0;
        if (!cpm_operation_is_of_neighbours(o))
            status = add_operation(*out, r, rules, e);
    }
    return status;
}

/* ---- rows */

static size_t size_of_row(const cpm_rules *r, int k)
{
    size_t last = k + 1 < r->count ? r->at[k + 1].from - 1 : SIZE_MAX;
    if (r->operation->dataless)
        return 0;
    return r->at[k].from ? r->at[k].from : last < SIZE_FROM_0 ? last : SIZE_FROM_0;
}

static int add_row(verify_rows *rows, cpm_rules *r, int k, const cpm_request *any, int most,
                   cpm_error *e)
{
    cpm_request request = *any;
    request.operation = r->operation;
    request.root = r->operation->rooted ? any->root : 0;
    request.bytes = size_of_row(r, k);
    request.combining = CPM_COMBINING_USUAL;
    const cpm_collective own = {.operation = r->operation};
    verify_row row = {.rule = &r->at[k], .n = r->n, .bytes = request.bytes};
    if (cpm_request_allows(&request, &r->at[k].what, &row.cannot) == CPM_ENOMEM)
        return cpm_no_memory(e);
    row.what = cpm_request_collective(&request, &r->at[k].what);
    row.native = cpm_request_collective(&request, &own);
    for (int side = 0; side < 2; side++)
        row.seconds[side] = calloc((size_t)most, sizeof **row.seconds);
    rows->at[rows->count++] = row;
    return row.seconds[0] && row.seconds[1] ? CPM_OK : cpm_no_memory(e);
}

static int add_rows(verify_rows *rows, const cpm_request *any, int most, cpm_error *e)
{
    int all = 0, status = CPM_OK;
    for (int i = 0; i < rows->table->count; i++)
        all += rows->table->at[i].count;
    if (!(rows->at = calloc((size_t)all + 1, sizeof *rows->at)))
        return cpm_no_memory(e);
    for (int i = 0; i < rows->table->count && !status; i++) {
        cpm_rules *r = &rows->table->at[i];
        bool used = cpm_table_find(rows->table, r->operation, any->n) == r;
        for (int k = 0; k < r->count && used && !status; k++)
            if (r->at[k].what.algorithm && r->operation->sizes != CPM_KNOWN_TO_NOBODY)
                status = add_row(rows, r, k, any, most, e);
    }
    return status;
}

/* Of a table the rules themselves, as they are written back. */
static int read_table(const char *path, const cpm_ruleset *rules, const cpm_request *any,
                      cpm_table **out, cpm_error *e)
{
    cpm_error other = {0};
    int status = cpm_table_read(path, out, &other);
    return status ? table_of_rules(rules, any, out, e) : CPM_OK;
}

static int read_rules(const char *path, const cpm_request *any, verify_rows *out, char **notes,
                      cpm_error *e)
{
    cpm_ruleset *rules = NULL;
    int status = cpm_ruleset_read(path, &rules, notes, e);
    if (!status)
        status = read_table(path, rules, any, &out->table, e);
    cpm_ruleset_free(rules);
    return status;
}

static int read_mpich(const char *text, const char *path, const char *named, const cpm_request *any,
                      verify_rows *out, char **notes, cpm_error *e)
{
    const char *library;
    int status = mpich_library(named, &library, e);
    if (!status && !(out->table = calloc(1, sizeof *out->table)))
        status = cpm_no_memory(e);
    if (!status)
        status = cpm_mpich_file_read(text, path, library, any->n, cpm_hosts_have_levels(any->hosts),
                                     &out->mpich, e);
    return status ? status : cpm_mpich_file_rules(out->mpich, out->table, notes, e);
}

static int read_file(const char *path, const char *library, const cpm_request *any,
                     verify_rows *out, char **notes, cpm_error *e)
{
    char *text = NULL;
    size_t size;
    int status = file_refuse_pipe(path, e);
    if (!status)
        status = cpm_text_read(path, &text, &size, e);
    if (!status && cpm_mpich_file_is(text))
        status = read_mpich(text, path, library, any, out, notes, e);
    else if (!status)
        status = read_rules(path, any, out, notes, e);
    free(text);
    return status;
}

int verify_rows_read(const char *path, const char *library, const cpm_request *any, int most,
                     verify_rows *out, cpm_error *e)
{
    char *notes = NULL;
    int status = read_file(path, library, any, out, &notes, e);
    if (!status)
        output_lines("cpm tune --verify: ", notes, stderr);
    if (!status)
        status = add_rows(out, any, most, e);
    if (!status && !out->count)
        status = cpm_fail(e, CPM_EDATA, "%s: it names no algorithm for %d processes", path, any->n);
    free(notes);
    return status;
}

void verify_rows_clear(verify_rows *r)
{
    for (int k = 0; k < r->count; k++) {
        free(r->at[k].seconds[0]);
        free(r->at[k].seconds[1]);
    }
    free(r->at);
    cpm_table_free(r->table);
    cpm_mpich_file_free(r->mpich);
}

/* ---- afterwards */

static double mean_of(const verify_row *row, int side)
{
    double sum = 0;
    for (int k = 0; k < row->turns; k++)
        sum += row->seconds[side][k];
    return sum / row->turns;
}

static void note_figures(const verify_row *row)
{
    cpm_rule *rule = row->rule;
    rule->seconds = rule->from == row->bytes ? mean_of(row, 1) : NAN;
    rule->figures = (cpm_rule_figures){.measured = 2,
                                       .native = mean_of(row, 0),
                                       .lead = 1 - mean_of(row, 1) / mean_of(row, 0),
                                       .least_gain = row->outcome.gain.low};
    if (row->outcome.verdict == CPM_CANNOT_TELL)
        rule->figures.least_gain = fmin(rule->figures.least_gain, 0);
}

/* Up to the size before the next rule's. */
static int drop(verify_rows *r, const verify_row *row, cpm_error *e)
{
    cpm_rule *rule = row->rule;
    const cpm_rules *all = cpm_table_find(r->table, rule->what.operation, row->n);
    size_t last = rule + 1 < all->at + all->count ? rule[1].from - 1 : SIZE_MAX;
    int status = r->mpich ? cpm_mpich_file_drop(r->mpich, rule, last, e) : CPM_OK;
    *rule = (cpm_rule){.from = rule->from,
                       .what = {.operation = rule->what.operation},
                       .seconds = NAN,
                       .batch = rule->batch};
    return status;
}

int verify_rows_keep(verify_rows *r, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < r->count && !status; k++) {
        const verify_row *row = &r->at[k];
        if (row->turns >= CPM_LEAST_TURNS)
            note_figures(row);
        if (row->outcome.verdict == CPM_LOSES)
            status = drop(r, row, e);
    }
    return status;
}
