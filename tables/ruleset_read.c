/* Reading rules line by line: "if CONDITION [and CONDITION]...", "else if ...", "else", "end"
 * around lines with a collective. What they make of a call is for ruleset_code.c. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/numbers.h"
#include "base/size.h"
#include "base/vector.h"
#include "tables/force.h"
#include "tables/ruleset_lines.h"

enum { MOST_WORDS = 256, MOST_VALUE_BITS = 62 };
static const int64_t most_value = INT64_C(1) << MOST_VALUE_BITS;

const char *const cpm_rule_comparisons[] = {"=", "!=", "<", "<=", ">", ">="};

const cpm_rule_quantity cpm_rule_quantities[] = {
    [CPM_ASKS_OPERATION] = {"operation", 0, CPM_OPERATIONS - 1, false, false},
    [CPM_ASKS_PROCESSES] = {"processes", 1, INT32_MAX, false, false},
    [CPM_ASKS_HOSTS] = {"hosts", 1, INT32_MAX, false, false},
    [CPM_ASKS_PER_HOST] = {"processes-per-host", 1, INT32_MAX, false, false},
    [CPM_ASKS_POWER_OF_TWO] = {"power-of-two", 0, 1, false, true},
    [CPM_ASKS_TOTAL] = {"total-bytes", 0, INT64_MAX, true, false},
    [CPM_ASKS_BYTES] = {"bytes", 0, INT64_MAX, true, false},
    [CPM_ASKS_ROOT] = {"root", 0, INT32_MAX - 1, false, false},
    [CPM_ASKS_COMMUTING] = {"commuting", 0, 1, false, true},
};

const char cpm_rule_named[] = "value:";

static const char known_quantities[] =
    "operation, processes, hosts, processes-per-host, power-of-two, total-bytes, bytes, root, "
    "commuting, value:NAME";

/* A block that is open. */
typedef struct {
    int number; /* of the line with its if */
    bool has_else, empty;
} block;

typedef struct {
    cpm_lines *lines;
    cpm_ruleset *rules;
    block *open;
    int depth;
    int64_t line_room, condition_room, rule_room, open_room;
} reader;

/* ---- conditions ---- */

bool cpm_rules_can_name(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return *name && !name[strspn(name, letters)];
}

/* A value of the application's: what it is called is known to rules and the application only. */
static int read_named(const reader *r, const char *word, int *quantity)
{
    cpm_ruleset *rules = r->rules;
    const char *name = word + strlen(cpm_rule_named);
    if (!cpm_rules_can_name(name))
        return cpm_lines_wrong(r->lines,
                               "%s: a value of the application is called value:NAME, of letters, "
                               "digits, '.', '_' and '-'",
                               word);
    *quantity = cpm_ruleset_named(rules, name);
    if (*quantity != CPM_NO_RULE)
        return CPM_OK;
    if (rules->names == CPM_MOST_NAMED)
        return cpm_lines_wrong(r->lines, "%s: there may be at most %d values of the application",
                               word, CPM_MOST_NAMED);
    *quantity = CPM_ASKS_NAMED + rules->names;
    rules->named[rules->names] = strdup(word);
    rules->names += rules->named[rules->names] != NULL;
    return rules->names > *quantity - CPM_ASKS_NAMED ? CPM_OK : cpm_no_memory(r->lines->e);
}

static int read_quantity(const reader *r, const char *word, int *quantity)
{
    if (strncmp(word, cpm_rule_named, strlen(cpm_rule_named)) == 0)
        return read_named(r, word, quantity);
    for (int k = 0; k < CPM_ASKS_NAMED; k++)
        if (strcmp(word, cpm_rule_quantities[k].name) == 0) {
            *quantity = k;
            return CPM_OK;
        }
    return cpm_lines_wrong(r->lines, "unknown quantity '%s' (known: %s)", word, known_quantities);
}

static int read_comparison(const reader *r, const char *word, cpm_rule_condition *c)
{
    for (int k = 0; k < CPM_COMPARISONS; k++)
        if (strcmp(word, cpm_rule_comparisons[k]) == 0) {
            c->comparison = k;
            if (c->quantity == CPM_ASKS_OPERATION && k != CPM_EQUAL && k != CPM_UNEQUAL)
                return cpm_lines_wrong(r->lines,
                                       "operation %s: operations have no order, only = "
                                       "and !=",
                                       word);
            return CPM_OK;
        }
    return cpm_lines_wrong(r->lines, "unknown comparison '%s' (known: =, !=, <, <=, >, >=)", word);
}

static int read_size(const reader *r, const char *word, int64_t *out)
{
    size_t bytes = 0;
    cpm_error why = {0};
    if (cpm_size_parse(word, &bytes, &why))
        return cpm_lines_wrong(r->lines, "%s", why.text);
    if (bytes > (size_t)most_value)
        return cpm_lines_wrong(r->lines, "size '%s' is too large", word);
    *out = (int64_t)bytes;
    return CPM_OK;
}

static int read_operation(const reader *r, const char *word, int64_t *out)
{
    const cpm_operation *o = NULL;
    cpm_error why = {0};
    if (cpm_operation_find(word, &o, &why))
        return cpm_lines_wrong(r->lines, "%s", why.text);
    *out = o - cpm_operations;
    return CPM_OK;
}

static int read_value(const reader *r, const char *word, cpm_rule_condition *c)
{
    long value = 0;
    if (c->quantity == CPM_ASKS_OPERATION)
        return read_operation(r, word, &c->value);
    if (c->quantity < CPM_ASKS_NAMED && cpm_rule_quantities[c->quantity].size)
        return read_size(r, word, &c->value);
    if (!cpm_integer_parse(word, -most_value, most_value, &value))
        return cpm_lines_wrong(r->lines, "'%s' is not a whole number", word);
    c->value = value;
    return CPM_OK;
}

/* One condition from word[*at] on, which moves behind it; word ends with NULL. */
static int read_condition(const reader *r, char **word, int *at, cpm_rule_condition *c)
{
    bool negated = word[*at] && strcmp(word[*at], "not") == 0;
    const char *name = word[*at + negated];
    if (!name)
        return cpm_lines_wrong(r->lines, "a condition is missing: QUANTITY COMPARISON VALUE");
    int status = read_quantity(r, name, &c->quantity);
    if (status)
        return status;
    *at += 1 + negated;
    if (c->quantity < CPM_ASKS_NAMED && cpm_rule_quantities[c->quantity].truth) {
        c->comparison = CPM_EQUAL;
        c->value = !negated;
        return CPM_OK;
    }
    if (negated)
        return cpm_lines_wrong(r->lines, "not %s: only power-of-two and commuting are yes or no",
                               name);
    if (!word[*at] || !word[*at + 1])
        return cpm_lines_wrong(r->lines, "%s: a comparison and a value are missing, as in %s >= 8",
                               name, name);
    status = read_comparison(r, word[*at], c);
    if (!status)
        status = read_value(r, word[*at + 1], c);
    *at += 2;
    return status;
}

static int read_conditions(reader *r, char **word, cpm_rule_line *line)
{
    cpm_ruleset *rules = r->rules;
    int at = 0, status = CPM_OK;
    line->first = rules->conditions;
    do {
        if (!cpm_vector_reserve(&rules->condition, &r->condition_room, rules->conditions + 1,
                                sizeof *rules->condition))
            return cpm_no_memory(r->lines->e);
        status = read_condition(r, word, &at, &rules->condition[rules->conditions]);
        if (status)
            return status;
        rules->conditions++;
        line->count++;
        if (word[at] && strcmp(word[at], "and") != 0)
            return cpm_lines_wrong(r->lines, "expected 'and' or the end of the line, found '%s'",
                                   word[at]);
    } while (word[at++]);
    return CPM_OK;
}

/* ---- blocks ---- */

static int open_block(reader *r)
{
    if (!cpm_vector_reserve(&r->open, &r->open_room, r->depth + 1, sizeof *r->open))
        return cpm_no_memory(r->lines->e);
    r->open[r->depth++] = (block){.number = r->lines->number, .empty = true};
    return CPM_OK;
}

/* The block that an else or end belongs to, which had something in it. */
static int end_part(const reader *r, const char *word, block **out)
{
    if (!r->depth)
        return cpm_lines_wrong(r->lines, "'%s' without an if before it", word);
    *out = &r->open[r->depth - 1];
    if ((*out)->empty)
        return cpm_lines_wrong(r->lines, "nothing stands before this '%s': name a collective",
                               word);
    return CPM_OK;
}

static int read_else(reader *r, char **word, cpm_rule_line *line)
{
    block *b = NULL;
    int status = end_part(r, "else", &b);
    if (status)
        return status;
    if (b->has_else)
        return cpm_lines_wrong(r->lines, "the if of line %d has its last else already", b->number);
    b->empty = true;
    b->has_else = !word[1];
    line->word = word[1] ? CPM_RULE_ELSE_IF : CPM_RULE_ELSE;
    if (!word[1])
        return CPM_OK;
    if (strcmp(word[1], "if") != 0)
        return cpm_lines_wrong(r->lines, "expected 'if' or the end of the line, found '%s'",
                               word[1]);
    return read_conditions(r, word + 2, line);
}

static int read_end(reader *r, char **word, cpm_rule_line *line)
{
    block *b = NULL;
    int status = end_part(r, "end", &b);
    if (status)
        return status;
    line->word = CPM_RULE_END;
    r->depth--;
    return word[1] ? cpm_lines_wrong(r->lines, "expected the end of the line, found '%s'", word[1])
                   : CPM_OK;
}

/* ---- collectives ---- */

static int parse_collective(const reader *r, const char *word, cpm_collective *out)
{
    cpm_error why = {0};
    if (strcmp(word, "native") == 0)
        return CPM_OK;
    if (!strchr(word, ':'))
        return cpm_lines_wrong(r->lines,
                               "unknown word '%s' (known: if, else, end, native, "
                               "OPERATION:ALGORITHM as in bcast:chain:segment=8K)",
                               word);
    int status = cpm_collective_parse(word, out, &why);
    if (!status)
        status = cpm_forced_check(out, &why);
    return status ? cpm_lines_wrong(r->lines, "%s", why.text) : CPM_OK;
}

static int read_use(reader *r, char **word, cpm_rule_line *line)
{
    cpm_ruleset *rules = r->rules;
    cpm_written_rule rule = {.line = r->lines->number};
    int status = parse_collective(r, word[0], &rule.what);
    if (status)
        return status;
    if (word[1])
        return cpm_lines_wrong(r->lines, "expected the end of the line, found '%s'", word[1]);
    if (!cpm_vector_reserve(&rules->rule, &r->rule_room, rules->rules + 1, sizeof *rules->rule))
        return cpm_no_memory(r->lines->e);
    line->word = CPM_RULE_USE;
    line->first = rules->rules;
    rules->rule[rules->rules++] = rule;
    return CPM_OK;
}

/* ---- lines ---- */

/* A copy with blanks around comparisons, which may be written without; NULL: no memory. */
static char *spread(const char *text)
{
    static const char comparing[] = "<>=!";
    char *copy = malloc(3 * strlen(text) + 1), *to = copy;
    for (const char *c = text; copy && *c; c++) {
        bool own = strchr(comparing, *c) != NULL;
        if (own && (c == text || !strchr(comparing, c[-1])))
            *to++ = ' ';
        *to++ = *c;
        if (own && (!c[1] || !strchr(comparing, c[1])))
            *to++ = ' ';
    }
    if (copy)
        *to = '\0';
    return copy;
}

static bool begins_with(const char *line, const char *word)
{
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 &&
           (!line[length] || isspace((unsigned char)line[length]));
}

static int read_words(reader *r, char **word, cpm_rule_line *line)
{
    bool opens = strcmp(word[0], "if") == 0;
    bool ends = strcmp(word[0], "else") == 0 || strcmp(word[0], "end") == 0;
    if (r->depth && !ends)
        r->open[r->depth - 1].empty = false;
    if (strcmp(word[0], "else") == 0)
        return read_else(r, word, line);
    if (strcmp(word[0], "end") == 0)
        return read_end(r, word, line);
    if (!opens)
        return read_use(r, word, line);
    line->word = CPM_RULE_IF;
    int status = open_block(r);
    return status ? status : read_conditions(r, word + 1, line);
}

static int add_line(reader *r, char **word)
{
    cpm_ruleset *rules = r->rules;
    if (!cpm_vector_reserve(&rules->line, &r->line_room, rules->lines + 1, sizeof *rules->line))
        return cpm_no_memory(r->lines->e);
    rules->line[rules->lines] = (cpm_rule_line){.number = r->lines->number};
    int status = read_words(r, word, &rules->line[rules->lines]);
    rules->lines += !status;
    return status;
}

static int read_line(reader *r, char *text)
{
    char *word[MOST_WORDS + 1];
    text += strspn(text, " \t");
    text[strcspn(text, "#")] = '\0';
    bool compares = begins_with(text, "if") || begins_with(text, "else");
    char *line = compares ? spread(text) : strdup(text);
    if (!line)
        return cpm_no_memory(r->lines->e);
    int words = cpm_words(line, word, MOST_WORDS), status = CPM_OK;
    if (words > MOST_WORDS)
        status = cpm_lines_wrong(r->lines, "there are more than %d words in the line", MOST_WORDS);
    else if (words > 0) {
        word[words] = NULL;
        status = add_line(r, word);
    }
    free(line);
    return status;
}

/* ---- the whole ---- */

static int read_lines(reader *r)
{
    int status = CPM_OK;
    for (char *text; (text = cpm_lines_next(r->lines, &status)) && !status;)
        status = read_line(r, text);
    if (!status && r->depth)
        status =
            cpm_lines_wrong(r->lines, "the if of line %d has no end", r->open[r->depth - 1].number);
    if (!status && !r->rules->rules)
        status = cpm_lines_wrong(r->lines, "there are no rules");
    return status;
}

static int read_rules(const char *text, const char *where, cpm_ruleset *rules, cpm_error *e)
{
    cpm_lines lines;
    int status = cpm_lines_open_text(&lines, where, text, e);
    if (status)
        return status;
    reader r = {.lines = &lines, .rules = rules};
    status = read_lines(&r);
    free(r.open);
    cpm_lines_close(&lines);
    if (!status)
        status = cpm_ruleset_translate(rules, e);
    return status ? status : cpm_ruleset_check(rules, where, e);
}

int cpm_ruleset_parse(const char *text, const char *where, cpm_ruleset **out, cpm_error *e)
{
    cpm_ruleset *rules = calloc(1, sizeof *rules);
    if (!rules)
        return cpm_no_memory(e);
    int status = read_rules(text, where, rules, e);
    if (status)
        cpm_ruleset_free(rules);
    else
        *out = rules;
    return status;
}

void cpm_ruleset_free(cpm_ruleset *r)
{
    if (!r)
        return;
    for (int k = 0; k < r->names; k++)
        free(r->named[k]);
    free(r->rule);
    free(r->test);
    free(r->line);
    free(r->condition);
    free(r);
}
