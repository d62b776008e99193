/* Rules as text, in one form: four blanks for each block, bytes as plain numbers. */
#include <string.h>

#include "tables/ruleset_lines.h"

const char *cpm_ruleset_quantity(const cpm_ruleset *r, int quantity)
{
    return quantity < CPM_ASKS_NAMED ? cpm_rule_quantities[quantity].name
                                     : r->named[quantity - CPM_ASKS_NAMED];
}

int cpm_ruleset_named(const cpm_ruleset *r, const char *name)
{
    for (int k = 0; k < r->names; k++)
        if (strcmp(r->named[k] + strlen(cpm_rule_named), name) == 0)
            return CPM_ASKS_NAMED + k;
    return CPM_NO_RULE;
}

void cpm_rule_condition_print(const cpm_ruleset *r, const cpm_rule_condition *c, char *text,
                              size_t size)
{
    const char *name = cpm_ruleset_quantity(r, c->quantity);
    const char *comparison = cpm_rule_comparisons[c->comparison];
    bool named = c->quantity >= CPM_ASKS_NAMED;
    if (c->quantity == CPM_ASKS_OPERATION)
        snprintf(text, size, "%s %s %s", name, comparison, cpm_operations[c->value].name);
    else if (!named && cpm_rule_quantities[c->quantity].truth)
        snprintf(text, size, "%s%s", c->value ? "" : "not ", name);
    else
        snprintf(text, size, "%s %s %ld", name, comparison, (long)c->value);
}

static void put_conditions(const cpm_ruleset *r, const cpm_rule_line *line, FILE *out)
{
    char text[512];
    for (int k = 0; k < line->count; k++) {
        cpm_rule_condition_print(r, &r->condition[line->first + k], text, sizeof text);
        fprintf(out, "%s%s", k ? " and " : " ", text);
    }
    fputc('\n', out);
}

static void put_rule(const cpm_ruleset *r, int k, FILE *out)
{
    char name[CPM_COLLECTIVE_NAME] = "native";
    if (r->rule[k].what.operation)
        cpm_collective_print(&r->rule[k].what, name, sizeof name);
    fprintf(out, "%s # rule %d\n", name, k + 1);
}

void cpm_ruleset_print(const cpm_ruleset *r, FILE *out)
{
    static const char *const words[] = {"if", "else if", "else\n", "end\n"};
    int depth = 0;
    for (int k = 0; k < r->lines; k++) {
        const cpm_rule_line *line = &r->line[k];
        bool inner = line->word == CPM_RULE_USE || line->word == CPM_RULE_IF;
        fprintf(out, "%*s", 4 * (depth - !inner), "");
        if (line->word == CPM_RULE_USE) {
            put_rule(r, line->first, out);
            continue;
        }
        fputs(words[line->word], out);
        if (line->count)
            put_conditions(r, line, out);
        depth += (line->word == CPM_RULE_IF) - (line->word == CPM_RULE_END);
    }
}
