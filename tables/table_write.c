/* Writing a decision table: one rule per line, for people and diff. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/text_file.h"
#include "tables/decision_table.h"

static void put_figures(FILE *f, const cpm_rule_figures *x)
{
    if (x->measured == 0)
        return;
    if (x->native > 0)
        fprintf(f, ", \"native\": %.6g", x->native);
    if (x->measured > 1)
        fprintf(f, ", \"lead\": %.3g", x->lead);
    if (x->least_gain != 0)
        fprintf(f, ", \"least_gain\": %.3g", x->least_gain);
    fprintf(f, ", \"measured\": %d", x->measured);
}

static void put_rule(FILE *f, const cpm_rule *r)
{
    char name[CPM_COLLECTIVE_NAME];
    cpm_collective_print_algorithm(&r->what, name, sizeof name);
    fprintf(f, "\n        {\"from\": %zu, \"algorithm\": \"%s\"", r->from, name);
    if (!isnan(r->seconds))
        fprintf(f, ", \"seconds\": %.6g", r->seconds);
    if (r->batch)
        fputs(", \"timing\": \"batch\"", f);
    put_figures(f, &r->figures);
    putc('}', f);
}

static void put_rules(FILE *f, const cpm_rules *r, bool first)
{
    fprintf(f, "%s\n      \"%d\": [", first ? "" : ",", r->n);
    for (int k = 0; k < r->count; k++) {
        fputs(k ? "," : "", f);
        put_rule(f, &r->at[k]);
    }
    fputs("\n      ]", f);
}

static void put_operations(FILE *f, const cpm_table *t)
{
    fputs("  \"operations\": {", f);
    const cpm_operation *before = NULL;
    for (int i = 0; i < t->count; i++) {
        const cpm_rules *r = &t->at[i];
        bool first = r->operation != before;
        if (first)
            fprintf(f, "%s\n    \"%s\": {", before ? "\n    }," : "", r->operation->name);
        put_rules(f, r, first);
        before = r->operation;
    }
    fputs(before ? "\n    }\n  }\n}\n" : "}\n}\n", f);
}

bool cpm_table_put(const cpm_table *t, FILE *f)
{
    bool ok = cpm_json_put_provenance(f, &t->metadata);
    put_operations(f, t);
    return ok;
}

static bool put_file(FILE *f, const void *table)
{
    cpm_json_put_head(f, "table");
    fputs(",\n", f);
    return cpm_table_put(table, f);
}

int cpm_table_write(const cpm_table *t, const char *path, cpm_error *e)
{
    char *text = cpm_text_by(put_file, t);
    int status = text ? cpm_text_write(path, text, CPM_FILE_TABLE, e) : cpm_no_memory(e);
    free(text);
    return status;
}
