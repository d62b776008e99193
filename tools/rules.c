/* cpm rules: reads, checks and prints rules, and says what they make of a call. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/numbers.h"
#include "base/shown.h"
#include "selection/lessons.h"
#include "selection/ruleset.h"
#include "tools/options.h"
#include "tools/output.h"

/* ---- why a rule holds ---- */

/* A quantity that was asked for, between the values that would have made no difference. */
static void put_range(const char *name, long value, long least, long most, bool low, bool high)
{
    if (low && high && least == most)
        printf("%s = %ld", name, value);
    else if (low && high)
        printf("%s %ld is from %ld to %ld", name, value, least, most);
    else if (low)
        printf("%s %ld >= %ld", name, value, least);
    else
        printf("%s %ld < %ld", name, value, most + 1);
}

static void put_quantity(const cpm_ruleset *r, const cpm_situation *s, const cpm_region *g, int k)
{
    const cpm_region all = cpm_region_of_all();
    bool low = g->least.of[k] > all.least.of[k], high = g->most.of[k] < all.most.of[k];
    const char *name = cpm_ruleset_quantity(r, k);
    if (k == CPM_ASKS_OPERATION)
        printf("operation = %s", cpm_operations[s->of[k]].name);
    else if (k == CPM_ASKS_POWER_OF_TWO || k == CPM_ASKS_COMMUTING)
        printf("%s%s", s->of[k] ? "" : "not ", name);
    else
        put_range(name, s->of[k], g->least.of[k], g->most.of[k], low, high);
}

static bool was_asked(const cpm_region *g, int k)
{
    const cpm_region all = cpm_region_of_all();
    return g->least.of[k] > all.least.of[k] || g->most.of[k] < all.most.of[k];
}

static void put_reasons(const cpm_ruleset *r, const cpm_situation *s, const cpm_region *g)
{
    bool any = false;
    for (int k = 0; k < CPM_ASKS_NAMED + r->names; k++)
        if (was_asked(g, k)) {
            fputs(any ? " and " : ", because ", stdout);
            put_quantity(r, s, g, k);
            any = true;
        }
}

/* ---- one call ---- */

static void put_call(const cpm_request *r)
{
    static const char letters[] = "KMG";
    size_t bytes = r->bytes;
    int k = 0;
    for (; k < 3 && bytes && bytes % 1024 == 0; k++)
        bytes /= 1024;
    printf("%s of %zu%.*s on %d processes", r->operation->name, bytes, k > 0, &letters[k - (k > 0)],
           r->n);
    if (r->hosts)
        printf(" of %d hosts", r->hosts->count);
}

static int put_answer(const cpm_written_rule *rule, const cpm_request *r, cpm_error *e)
{
    char name[CPM_COLLECTIVE_NAME];
    cpm_error why = {0};
    int status = cpm_request_allows(r, &rule->what, &why);
    if (status == CPM_ENOMEM)
        return cpm_fail(e, status, "%s", why.text);
    cpm_collective_print_algorithm(&rule->what, name, sizeof name);
    printf(": %s\n", name);
    if (status)
        printf("MPI's own routine does it, as that cannot: %s\n", why.text);
    return CPM_OK;
}

static int explain(const cpm_ruleset *rules, const cpm_request *r, const cpm_situation *s,
                   cpm_error *e)
{
    cpm_region within;
    int k = cpm_ruleset_find(rules, s, &within);
    put_call(r);
    if (k == CPM_NO_RULE)
        fputs(": no rule", stdout);
    else
        printf(": rule %d (line %d)", k + 1, rules->rule[k].line);
    put_reasons(rules, s, &within);
    if (k != CPM_NO_RULE)
        return put_answer(&rules->rule[k], r, e);
    puts(": as a table or model says, else MPI's own routine");
    return CPM_OK;
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
    int status = copy ? CPM_OK : cpm_fail(e, CPM_ENOMEM, "no memory for '%s'", list);
    while (!status && (one = strsep(&rest, ",")))
        status = set_value(r, s, one, e);
    free(copy);
    return status;
}

/* ---- the command ---- */

static int lay_out(const settings *s, cpm_hosts *out, cpm_error *e)
{
    if (!s->hosts)
        return CPM_OK;
    if (s->processes % s->hosts != 0)
        return cpm_fail(e, CPM_EINVAL, "--hosts: %d processes cannot be dealt to %d hosts equally",
                        s->processes, s->hosts);
    return cpm_hosts_regular(s->hosts, s->processes / s->hosts, false, out, e);
}

static int explain_call(const call *c, const cpm_ruleset *rules, cpm_error *e)
{
    const settings *s = &c->set;
    cpm_hosts hosts = {0};
    cpm_request r = {
        .n = s->processes, .root = s->root, .bytes = s->message, .ordered = s->ordered};
    int status = cpm_operation_find(s->explain, &r.operation, e);
    if (!status)
        status = lay_out(s, &hosts, e);
    if (status)
        return status;
    r.hosts = s->hosts ? &hosts : NULL;
    r.bytes = r.operation->dataless ? 0 : r.bytes;
    cpm_situation now = cpm_situation_of(&r);
    status = s->values ? set_values(rules, s->values, &now, e) : CPM_OK;
    if (!status)
        status = explain(rules, &r, &now, e);
    cpm_hosts_clear(&hosts);
    return status;
}

/* ---- lessons ---- */

/* As remarks: what programs have shown, of which a table's rules were made. */
static void put_lesson(const cpm_lesson *l, FILE *out)
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
static int put_lessons(const char *file, FILE *out, cpm_error *e)
{
    cpm_lessons all = {0};
    cpm_error why = {0};
    struct stat s;
    if (stat(file, &s) != 0 || !S_ISREG(s.st_mode))
        return CPM_OK;
    int status = cpm_lessons_read(file, &all, &why);
    for (int k = 0; k < all.count && !status; k++)
        put_lesson(&all.at[k], out);
    cpm_lessons_clear(&all);
    return status == CPM_EPARSE || status == CPM_ENOMEM ? cpm_fail(e, status, "%s", why.text)
                                                        : CPM_OK;
}

static int write_rules(const cpm_ruleset *rules, const call *c, cpm_error *e)
{
    cpm_new_file out;
    int status = output_open(c->set.output, &out, e);
    if (status)
        return status;
    cpm_ruleset_print(rules, out.stream);
    return cpm_new_file_close(&out, put_lessons(c->operand[0], out.stream, e), e);
}

static int run(call *c, cpm_error *e)
{
    cpm_ruleset *rules = NULL;
    char *notes = NULL;
    int status = output_check(c->set.output, e);
    if (!status)
        status = cpm_ruleset_read(c->operand[0], &rules, &notes, e);
    if (!status)
        output_lines("cpm rules: ", notes, stderr);
    if (!status && (c->set.output || !c->set.explain))
        status = write_rules(rules, c, e);
    if (!status && c->set.explain)
        status = explain_call(c, rules, e);
    free(notes);
    cpm_ruleset_free(rules);
    return status;
}

static int check(const call *c, cpm_error *e)
{
    const settings *s = &c->set;
    if (s->processes < 1 || s->processes > CPM_MOST_PROCESSES)
        return cpm_fail(e, CPM_EINVAL, "--processes: %d is not in 1..%d", s->processes,
                        CPM_MOST_PROCESSES);
    if (s->hosts < 0 || s->hosts > s->processes)
        return cpm_fail(e, CPM_EINVAL, "--hosts: %d is not in 1..%d", s->hosts, s->processes);
    if (s->root < 0 || s->root >= s->processes)
        return cpm_fail(e, CPM_EINVAL, "--root: %d is not in 0..%d", s->root, s->processes - 1);
    if (!s->explain && (s->values || s->ordered || s->hosts || s->root))
        return cpm_fail(e, CPM_EINVAL, "--%s: is of a call: add --explain OP",
                        s->values    ? "values"
                        : s->ordered ? "ordered"
                        : s->hosts   ? "hosts"
                                     : "root");
    return CPM_OK;
}

static void defaults(settings *s)
{
    s->message = 1024;
    s->processes = 16;
}

/* clang-format off */
static const option own[] = {
    {"explain", 0, "OP", "say which rule such a call comes to, and why", offsetof(settings, explain), set_text},
    {"size", 'm', "SIZE", "with --explain: block size (default 1K)", offsetof(settings, message), set_size},
    {"processes", 'n', "N", "with --explain: number of processes (default 16)", offsetof(settings, processes), set_integer},
    {"hosts", 0, "N", "with --explain: hosts that they are dealt to (default: one each)", offsetof(settings, hosts), set_integer},
    {"root", 0, "R", "with --explain: root process (default 0)", offsetof(settings, root), set_integer},
    {"ordered", 0, NULL, "with --explain: an operation of MPI that does not commute", offsetof(settings, ordered), NULL},
    {"values", 0, "LIST", "with --explain: the application's values: phase=2,level=0", offsetof(settings, values), set_text},
    {"output", 'o', "FILE", "where the rules go (default: standard output)", offsetof(settings, output), set_text},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_rules_command = {
    .name = "rules",
    .operands = "FILE",
    .summary = "check, print and explain rules for cpm run --rules",
    .description =
        "Reads rules, a decision table of cpm tune or a dynamic rules file of Open MPI, checks "
        "that every rule can hold for some call, and prints them as rules, in one form, each with "
        "its number (doc/rules.md). Needs no MPI.",
    .example = "cpm rules table.json -o cluster.rules\n"
               "cpm rules cluster.rules --explain allreduce -m 16K -n 32 --hosts 4",
    .min_operands = 1,
    .max_operands = 1,
    .defaults = defaults,
    .check = check,
    .options = {own},
    .run = run,
};
