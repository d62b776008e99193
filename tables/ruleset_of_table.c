/* A decision table, as rules. */
#include <stdlib.h>

#include "tables/ruleset_lines.h"

/* A name is asked for with what it belongs to: v-operations come before the operations whose rules
 * would serve them, too. */
static bool has_own(const cpm_table *t, const cpm_operation *o)
{
    for (int i = 0; i < t->count; i++)
        if (t->at[i].operation == o)
            return true;
    return false;
}

/* Of an operation whose bytes are always 0 what the table says of 0 is all that ever holds. */
static void put_sizeless(const cpm_rules *r, FILE *out)
{
    char name[CPM_COLLECTIVE_NAME];
    cpm_collective what = {.operation = r->operation};
    if (r->at[0].from == 0)
        what = r->at[0].what;
    what.operation = r->operation;
    cpm_collective_print(&what, name, sizeof name);
    fprintf(out, "%s\n", name);
}

static void put_sizes(const cpm_rules *r, FILE *out)
{
    for (int k = r->count - 1; k >= 0; k--) {
        char name[CPM_COLLECTIVE_NAME];
        cpm_collective what = r->at[k].what;
        what.operation = r->operation;
        cpm_collective_print(&what, name, sizeof name);
        bool last = k == 0 && r->at[k].from == 0, only = last && r->count == 1;
        if (!last)
            fprintf(out, "%s bytes >= %zu\n", k == r->count - 1 ? "if" : "else if", r->at[k].from);
        else if (!only)
            fputs("else\n", out);
        fprintf(out, "%s\n%s", name, k == 0 && !only ? "end\n" : "");
    }
}

/* Its rules, those of most processes first; where they end the library decides. */
static void put_operation(const cpm_table *t, const cpm_operation *o, FILE *out)
{
    bool any = false, all = true, sized = cpm_rules_see_bytes(o);
    int least = 0;
    for (int i = t->count - 1; i >= 0; i--)
        if (t->at[i].operation == o && t->at[i].count > 0) {
            fprintf(out, "%s processes >= %d\n", any ? "else if" : "if", t->at[i].n);
            if (sized)
                put_sizes(&t->at[i], out);
            else
                put_sizeless(&t->at[i], out);
            any = true;
            all = all && (!sized || t->at[i].at[0].from == 0);
            least = t->at[i].n;
        }
    fputs(any ? "end\n" : "", out);
    if (!all || least != 1)
        fprintf(out, "%s:native\n", o->name);
}

int cpm_rules_of_table(const cpm_table *t, char **text, cpm_error *e)
{
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    if (!out)
        return cpm_no_memory(e);
    for (int like = 1; like >= 0; like--)
        for (const cpm_operation *o = cpm_operations; o->name; o++)
            if ((o->like != NULL) == like && has_own(t, o))
                put_operation(t, o, out);
    bool ok = !ferror(out);
    if (fclose(out) == 0 && ok)
        return CPM_OK;
    free(*text);
    *text = NULL;
    return cpm_no_memory(e);
}
