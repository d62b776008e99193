/* cpm rules: reads, checks and prints rules, and says what they make of a call. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/numbers.h"
#include "history/tuning_history.h"
#include "libraries/rules_file.h"
#include "tables/ruleset_lines.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"

/* What is asked of rules. */
typedef struct {
    settings shared;
    const char *explain, *values;
    size_t message;
    int hosts, processes;
    bool ordered;
} rules_settings;

static rules_settings *rules_of(const call *c)
{
    return (rules_settings *)c->set;
}

/* ---- why a rule holds ---- */

/* A quantity that was asked for, between the values that would have made no difference. */
static void put_range(FILE *out, const char *name, long value, long least, long most, bool low,
                      bool high)
{
    if (low && high && least == most)
        fprintf(out, "%s = %ld", name, value);
    else if (low && high)
        fprintf(out, "%s %ld is from %ld to %ld", name, value, least, most);
    else if (low)
        fprintf(out, "%s %ld >= %ld", name, value, least);
    else
        fprintf(out, "%s %ld < %ld", name, value, most + 1);
}

static void put_quantity(FILE *out, const cpm_ruleset *r, const cpm_situation *s,
                         const cpm_region *g, int k)
{
    const cpm_region all = cpm_region_of_all();
    bool low = g->least.of[k] > all.least.of[k], high = g->most.of[k] < all.most.of[k];
    const char *name = cpm_ruleset_quantity(r, k);
    if (k == CPM_ASKS_OPERATION)
        fprintf(out, "operation = %s", cpm_operations[s->of[k]].name);
    else if (k == CPM_ASKS_POWER_OF_TWO || k == CPM_ASKS_COMMUTING)
        fprintf(out, "%s%s", s->of[k] ? "" : "not ", name);
    else
        put_range(out, name, s->of[k], g->least.of[k], g->most.of[k], low, high);
}

static bool was_asked(const cpm_region *g, int k)
{
    const cpm_region all = cpm_region_of_all();
    return g->least.of[k] > all.least.of[k] || g->most.of[k] < all.most.of[k];
}

/* "operation = bcast and bytes 64 < 1024"; the caller frees it. NULL: no memory. */
static char *reasons_of(const cpm_ruleset *r, const cpm_situation *s, const cpm_region *g)
{
    char *text = NULL;
    size_t size;
    bool any = false;
    FILE *out = open_memstream(&text, &size);
    for (int k = 0; out && k < CPM_ASKS_NAMED + r->names; k++)
        if (was_asked(g, k)) {
            fputs(any ? " and " : "", out);
            put_quantity(out, r, s, g, k);
            any = true;
        }
    if (out && fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- one call ---- */

static void put_call(const cpm_request *r)
{
    static const char letters[] = "KMG";
    size_t bytes = r->bytes;
    int k = 0;
    for (; k < 3 && bytes && bytes % 1024 == 0; k++)
        bytes /= 1024;
    if (cpm_rules_see_bytes(r->operation))
        printf("%s of %zu%.*s", r->operation->name, bytes, k > 0, &letters[k - (k > 0)]);
    else
        printf("%s, of 0 bytes to rules,", r->operation->name);
    printf(" on %d processes", r->n);
    if (r->hosts)
        printf(" of %d hosts", r->hosts->count);
}

/* What a call comes to. */
typedef struct {
    int rule;      /* CPM_NO_RULE */
    char *reasons; /* owned */
    char algorithm[CPM_COLLECTIVE_NAME];
    cpm_error cannot; /* why MPI's own routine does it all the same; code 0: it does not */
} answer;

static int find_answer(const cpm_ruleset *rules, const cpm_request *r, const cpm_situation *s,
                       answer *out, cpm_error *e)
{
    cpm_region within;
    out->rule = cpm_ruleset_find(rules, s, &within);
    out->reasons = reasons_of(rules, s, &within);
    if (!out->reasons)
        return cpm_no_memory(e);
    if (out->rule == CPM_NO_RULE)
        return CPM_OK;
    const cpm_collective *what = &rules->rule[out->rule].what;
    int status = cpm_request_allows(r, what, &out->cannot);
    cpm_collective_print_algorithm(what, out->algorithm, sizeof out->algorithm);
    return status == CPM_ENOMEM ? cpm_fail(e, status, "%s", out->cannot.text) : CPM_OK;
}

static int explain_text(const cpm_ruleset *rules, const cpm_request *r, const answer *a)
{
    put_call(r);
    if (a->rule == CPM_NO_RULE)
        fputs(": no rule", stdout);
    else
        printf(": rule %d (line %d)", a->rule + 1, rules->rule[a->rule].line);
    printf("%s%s", *a->reasons ? ", because " : "", a->reasons);
    if (a->rule == CPM_NO_RULE)
        puts(": as a table or model says, else MPI's own routine");
    else
        printf(": %s\n", a->algorithm);
    if (a->cannot.code)
        printf("MPI's own routine does it, as that cannot: %s\n", a->cannot.text);
    return CPM_OK;
}

static int explain_sheets(const cpm_ruleset *rules, const cpm_request *r, const answer *a,
                          cpm_format format, cpm_error *e)
{
    static const cpm_report_table_column columns[] = {
        {"operation", 0}, {"size", 0},    {"processes", 0}, {"hosts", 0},  {"root", 0}, {"rule", 0},
        {"line", 0},      {"because", 0}, {"algorithm", 0}, {"cannot", 0}, {NULL, 0}};
    static const cpm_report_table explained = {"explained", NULL, columns};
    cpm_report_tables all = {.title = "rules"};
    long hosts = r->hosts ? r->hosts->count : r->n, bytes = (long)r->bytes;
    const char *cannot = a->cannot.code ? a->cannot.text : NULL;
    cpm_report_tables_begin(&all, &explained);
    if (a->rule == CPM_NO_RULE)
        cpm_report_tables_row(&all, "snnnn--s--", r->operation->name, bytes, (long)r->n, hosts,
                              (long)r->root, a->reasons);
    else
        cpm_report_tables_row(&all, "snnnnnnsss", r->operation->name, bytes, (long)r->n, hosts,
                              (long)r->root, (long)a->rule + 1, (long)rules->rule[a->rule].line,
                              a->reasons, a->algorithm, cannot);
    return output_sheets(&all, format, e);
}

static int explain(const cpm_ruleset *rules, const cpm_request *r, const cpm_situation *s,
                   cpm_format format, cpm_error *e)
{
    answer a = {0};
    int status = find_answer(rules, r, s, &a, e);
    if (!status)
        status = format == CPM_FORMAT_TEXT ? explain_text(rules, r, &a)
                                           : explain_sheets(rules, r, &a, format, e);
    free(a.reasons);
    return status;
}

/* ---- the application's values: NAME=VALUE,... ---- */

static int set_value(const cpm_ruleset *r, cpm_situation *s, char *text, cpm_error *e)
{
    char *value = strchr(text, '=');
    long number = 0;
    if (!value || !cpm_integer_parse(value + 1, -(1L << 62), 1L << 62, &number))
        return cpm_fail(e, CPM_EINVAL, "--values: '%s' is not like NAME=3", text);
    *value = '\0';
    int quantity = cpm_ruleset_named(r, text);
    if (quantity == CPM_NO_RULE)
        return cpm_fail(e, CPM_EUNKNOWN, "--values: no rule asks for value:%s", text);
    s->of[quantity] = number;
    return CPM_OK;
}

static int set_values(const cpm_ruleset *r, const char *list, cpm_situation *s, cpm_error *e)
{
    char *copy = strdup(list), *rest = copy, *one;
    int status = copy ? CPM_OK : cpm_no_memory(e);
    while (!status && (one = strsep(&rest, ",")))
        status = set_value(r, s, one, e);
    free(copy);
    return status;
}

/* ---- the command ---- */

/* Options that were not given, of which some values say something else. */
#define NO_SIZE SIZE_MAX
enum { NOT_GIVEN = INT_MIN };

static int or_else(int given, int otherwise)
{
    return given == NOT_GIVEN ? otherwise : given;
}

static int processes_of(const rules_settings *s)
{
    return or_else(s->processes, 16);
}

static int lay_out(const rules_settings *s, cpm_hosts *out, cpm_error *e)
{
    int n = processes_of(s);
    if (s->hosts == NOT_GIVEN)
        return CPM_OK;
    if (n % s->hosts != 0)
        return cpm_fail(e, CPM_EINVAL, "--hosts: %d processes do not divide evenly over %d hosts",
                        n, s->hosts);
    return cpm_hosts_regular(s->hosts, n / s->hosts, false, out, e);
}

static int explain_call(const call *c, const cpm_ruleset *rules, cpm_error *e)
{
    const rules_settings *s = rules_of(c);
    cpm_hosts hosts = {0};
    cpm_request r = {.n = processes_of(s),
                     .root = or_else(s->shared.calls.root, 0),
                     .bytes = s->message == NO_SIZE ? 1024 : s->message,
                     .ordered = s->ordered};
    int status = cpm_operation_find(s->explain, &r.operation, e);
    if (!status)
        status = lay_out(s, &hosts, e);
    if (status)
        return status;
    r.hosts = s->hosts == NOT_GIVEN ? NULL : &hosts;
    r.bytes = cpm_rules_see_bytes(r.operation) ? r.bytes : 0;
    cpm_situation now = cpm_situation_of(&r);
    status = s->values ? set_values(rules, s->values, &now, e) : CPM_OK;
    if (!status)
        status = explain(rules, &r, &now, s->shared.out.format, e);
    cpm_hosts_clear(&hosts);
    return status;
}

/* ---- lessons ---- */

/* As remarks: what programs have shown, of which a table's rules were made. */
static void put_lesson(const cpm_tuning_record *l, FILE *out)
{
    const cpm_lesson_figure *best = cpm_lesson_best(l), *f = best ? best : l->figure;
    fprintf(out, "# %s of %zu to %zu bytes on ", l->operation->name, l->least, l->most);
    cpm_put_shown(out, l->at.hosts);
    if (l->count) {
        fputs(": ", out);
        cpm_put_shown(out, f->name);
        fprintf(out, " in %ld calls", f->calls);
    }
    if (best)
        fprintf(out, ", %.3g of the time of MPI's own", f->ratio);
    putc('\n', out);
}

/* Those of the file, if it has any; a pipe cannot be read again. */
static int read_lessons(const char *file, cpm_tuning_history *out, cpm_error *e)
{
    cpm_error why = {0};
    struct stat s;
    if (stat(file, &s) != 0 || !S_ISREG(s.st_mode))
        return CPM_OK;
    int status = cpm_tuning_history_read(file, out, &why);
    return status == CPM_EPARSE || status == CPM_ENOMEM ? cpm_fail(e, status, "%s", why.text)
                                                        : CPM_OK;
}

static int put_lessons(const char *file, FILE *out, cpm_error *e)
{
    cpm_tuning_history all = {0};
    int status = read_lessons(file, &all, e);
    for (int k = 0; k < all.count && !status; k++)
        put_lesson(&all.at[k], out);
    cpm_tuning_history_clear(&all);
    return status;
}

static void add_lessons(cpm_report_tables *all, const cpm_tuning_history *known)
{
    static const cpm_report_table_column columns[] = {
        {"operation", 0}, {"from", 0},  {"to", 0},    {"hosts", 0},
        {"algorithm", 0}, {"calls", 0}, {"ratio", 3}, {NULL, 0}};
    static const cpm_report_table lessons = {"lessons", NULL, columns};
    cpm_report_tables_begin(all, &lessons);
    for (int k = 0; k < known->count; k++) {
        const cpm_tuning_record *l = &known->at[k];
        const cpm_lesson_figure *best = cpm_lesson_best(l), *f = best ? best : l->figure;
        cpm_report_tables_row(all, l->count ? "snnssnr" : "snns---", l->operation->name,
                              (long)l->least, (long)l->most, l->at.hosts, f ? f->name : NULL,
                              f ? f->calls : 0L, best ? best->ratio : NAN);
    }
}

/* ---- for programs ---- */

/* "allreduce:ring", or "native" of all operations. */
static const char *rule_name(const cpm_written_rule *rule, char name[CPM_COLLECTIVE_NAME])
{
    strcpy(name, "native");
    if (rule->what.operation)
        cpm_collective_print(&rule->what, name, CPM_COLLECTIVE_NAME);
    return name;
}

/* "a = 1 and b < 2"; NULL: no memory. The caller frees it. */
static char *conditions_of(const cpm_ruleset *r, const cpm_rule_line *line)
{
    char one[512], *all = strdup(""), *longer;
    for (int k = 0; k < line->count && all; k++) {
        cpm_rule_condition_print(r, &r->condition[line->first + k], one, sizeof one);
        if (asprintf(&longer, "%s%s%s", all, k ? " and " : "", one) < 0)
            longer = NULL;
        free(all);
        all = longer;
    }
    return all;
}

static void add_line(cpm_report_tables *all, const cpm_ruleset *r, const cpm_rule_line *line,
                     int depth)
{
    static const char *const words[] = {"if", "else if", "else", "end", "use"};
    char name[CPM_COLLECTIVE_NAME];
    bool uses = line->word == CPM_RULE_USE;
    char *conditions = uses ? NULL : conditions_of(r, line);
    all->failed = all->failed || (!uses && !conditions);
    if (uses)
        cpm_report_tables_row(all, "nns-ns", (long)line->number, (long)depth, words[line->word],
                              (long)line->first + 1, rule_name(&r->rule[line->first], name));
    else
        cpm_report_tables_row(all, "nnss--", (long)line->number, (long)depth, words[line->word],
                              *conditions ? conditions : NULL);
    free(conditions);
}

static void add_lines(cpm_report_tables *all, const cpm_ruleset *r)
{
    static const cpm_report_table_column columns[] = {
        {"line", 0}, {"depth", 0},     {"word", 0}, {"condition", 0},
        {"rule", 0}, {"algorithm", 0}, {NULL, 0}};
    static const cpm_report_table lines = {"lines", NULL, columns};
    int depth = 0;
    cpm_report_tables_begin(all, &lines);
    for (int k = 0; k < r->lines && !all->failed; k++) {
        cpm_rule_word word = r->line[k].word;
        add_line(all, r, &r->line[k], depth - (word != CPM_RULE_USE && word != CPM_RULE_IF));
        depth += (word == CPM_RULE_IF) - (word == CPM_RULE_END);
    }
}

static int print_rules(const cpm_ruleset *rules, const call *c, cpm_error *e)
{
    cpm_report_tables all = {.title = "rules"};
    add_lines(&all, rules);
    cpm_tuning_history known = {0};
    int status = read_lessons(c->operand[0], &known, e);
    if (!status)
        add_lessons(&all, &known);
    cpm_tuning_history_clear(&known);
    if (!status)
        return output_sheets(&all, c->set->out.format, e);
    cpm_report_tables_clear(&all);
    return status;
}

static int write_rules(const cpm_ruleset *rules, const call *c, cpm_error *e)
{
    cpm_new_file out;
    int status = output_open(c->set->out.path, CPM_FILE_RULES, &out, e);
    if (status)
        return status;
    cpm_ruleset_print(rules, out.stream);
    return cpm_new_file_close(&out, put_lessons(c->operand[0], out.stream, e), e);
}

static int run(call *c, cpm_error *e)
{
    cpm_ruleset *rules = NULL;
    char *notes = NULL;
    int status = output_check(c->set->out.path, CPM_FILE_RULES, e);
    if (!status)
        status = cpm_ruleset_read(c->operand[0], &rules, &notes, e);
    if (!status)
        output_lines("cpm rules: ", notes, stderr);
    bool text = c->set->out.format == CPM_FORMAT_TEXT;
    if (!status && (c->set->out.path || (!rules_of(c)->explain && text)))
        status = write_rules(rules, c, e);
    if (!status && !rules_of(c)->explain && !text)
        status = print_rules(rules, c, e);
    if (!status && rules_of(c)->explain)
        status = explain_call(c, rules, e);
    free(notes);
    cpm_ruleset_free(rules);
    return status;
}

/* Of a call of the operation: what calls of it never have would be ignored. */
static int check_call(const rules_settings *s, const cpm_operation *o, cpm_error *e)
{
    if (s->message != NO_SIZE && !cpm_rules_see_bytes(o))
        return cpm_fail(e, CPM_EINVAL,
                        o->dataless ? "%s carries no data: omit --size"
                                    : "rules do not see the sizes of %s: omit --size",
                        o->name);
    if (s->ordered && !o->combines)
        return cpm_fail(e, CPM_EINVAL, "%s combines nothing: omit --ordered", o->name);
    if (s->shared.calls.root != NOT_GIVEN && !o->rooted)
        return cpm_fail(e, CPM_EINVAL, "%s has no root: omit --root", o->name);
    return CPM_OK;
}

static int check_numbers(const rules_settings *s, cpm_error *e)
{
    int n = processes_of(s), root = or_else(s->shared.calls.root, 0);
    if (n < 1 || n > CPM_MOST_PROCESSES)
        return cpm_fail(e, CPM_EINVAL, "--processes: %d is not in 1..%d", n, CPM_MOST_PROCESSES);
    if (s->hosts != NOT_GIVEN && (s->hosts < 1 || s->hosts > n))
        return cpm_fail(e, CPM_EINVAL, "--hosts: %d is not in 1..%d", s->hosts, n);
    if (root < 0 || root >= n)
        return cpm_fail(e, CPM_EINVAL, "--root: %d is not in 0..%d", root, n - 1);
    return CPM_OK;
}

/* The first option of a call that was given; NULL: none was. */
static const char *says_of_a_call(const rules_settings *s)
{
    return s->values                           ? "values"
           : s->ordered                        ? "ordered"
           : s->hosts != NOT_GIVEN             ? "hosts"
           : s->shared.calls.root != NOT_GIVEN ? "root"
           : s->processes != NOT_GIVEN         ? "processes"
           : s->message != NO_SIZE             ? "size"
                                               : NULL;
}

static int check(const call *c, cpm_error *e)
{
    const rules_settings *s = rules_of(c);
    const cpm_operation *o = NULL;
    const char *said = says_of_a_call(s);
    int status = output_check_format(s->shared.out.path, s->shared.out.format, e);
    if (status)
        return status;
    if (!s->explain && said)
        return cpm_fail(e, CPM_EINVAL, "--%s needs --explain OP", said);
    status = check_numbers(s, e);
    bool known = s->explain && cpm_operation_find(s->explain, &o, NULL) == CPM_OK;
    return status || !known ? status : check_call(s, o, e);
}

static void defaults(void *set)
{
    rules_settings *s = set;
    s->message = NO_SIZE;
    s->processes = s->hosts = s->shared.calls.root = NOT_GIVEN;
}

/* clang-format off */
static const option own[] = {
    {"explain", 0, "OP", "print which rule a call of OP comes to, and why", offsetof(rules_settings, explain), set_text},
    {"size", 'm', "SIZE", "with --explain: block size (default 1K), of operations that carry "
                          "data of known size", offsetof(rules_settings, message), set_size},
    {"processes", 'n', "N", "with --explain: number of processes (default 16)", offsetof(rules_settings, processes), set_integer},
    {"hosts", 0, "N", "with --explain: number of hosts of the processes (default: one host each)", offsetof(rules_settings, hosts), set_integer},
    {"root", 0, "R", "with --explain: root process (default 0)", offsetof(settings, calls.root), set_integer},
    {"ordered", 0, NULL, "with --explain: a reduction that does not commute", offsetof(rules_settings, ordered), NULL},
    {"values", 0, "LIST", "with --explain: the application's values: phase=2,level=0", offsetof(rules_settings, values), set_text},
    {"output", 'o', "FILE", "write the rules to FILE (default: standard output)", offsetof(settings, out.path), set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_rules_command = {
    .name = "rules",
    .operands = "FILE",
    .summary = "check, print and explain rules for cpm run --rules",
    .description =
        "Reads rules, a decision table of cpm tune, a dynamic rules file of Open MPI or a "
        "selection file of MPICH. Checks "
        "that every rule can hold for some call. Prints them as rules in one form, with numbers "
        "(doc/rules.md). Needs no MPI.",
    .example = "cpm rules table.json -o cluster.rules\n"
               "cpm rules cluster.rules --explain allreduce -m 16K -n 32 --hosts 4",
    .min_operands = 1,
    .max_operands = 1,
    .defaults = defaults,
    .check = check,
    .settings = sizeof(rules_settings),
    .options = {own, format_options, force_options},
    .run = run,
};
