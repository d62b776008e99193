/* Options by table: the rows of a subcommand parse its arguments and print its help. */
#include "tools/frame/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "collectives/operation.h"
#include "tools/frame/output.h"

#define FORCE "force"

enum { MOST_OPTIONS = 50, NUMBERED = 256, WIDTH = 80 };

static const option help_option = {"help", 'h', NULL, "print this help", 0, NULL};

void options_each(const command *c, void (*each)(void *context, const option *o), void *context)
{
    for (const option *const *table = c->options; *table; table++)
        for (const option *o = *table; o->name; o++)
            each(context, o);
    each(context, &help_option);
}

/* ---- parsing */

/* getopt's form of the tables; an option without a letter has its number + NUMBERED as value. */
typedef struct {
    const option *row[MOST_OPTIONS];
    struct option at[MOST_OPTIONS + 1];
    char letters[3 * MOST_OPTIONS + 3];
    int count;
} getopt_table;

static bool may_be_left_out(const option *o)
{
    return o->argument && o->argument[0] == '[';
}

static void add_row(void *context, const option *o)
{
    getopt_table *t = context;
    if (t->count == MOST_OPTIONS)
        return;
    t->row[t->count] = o;
    int argument = !o->argument         ? no_argument
                   : may_be_left_out(o) ? optional_argument
                                        : required_argument;
    t->at[t->count] = (struct option){o->name, argument, NULL, NUMBERED + t->count};
    t->count++;
    if (o->letter) {
        char text[3] = {o->letter, o->argument ? ':' : '\0', '\0'};
        strcat(t->letters, text);
    }
}

static const option *find_row(const getopt_table *t, int found)
{
    if (found >= NUMBERED)
        return t->row[found - NUMBERED];
    for (int i = 0; i < t->count; i++)
        if (t->row[i]->letter && t->row[i]->letter == found)
            return t->row[i];
    return NULL;
}

static int refuse_name(const command *c, const getopt_table *t, const char *typed, cpm_error *e)
{
    char names[MOST_OPTIONS][40], ask[CPM_NEAREST_TEXT], name[40];
    cpm_nearest near = {.typed = name};
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "="), typed);
    for (int i = 0; i < t->count; i++) {
        snprintf(names[i], sizeof names[i], "--%s", t->row[i]->name);
        cpm_nearest_try(&near, names[i]);
    }
    return cpm_fail(e, CPM_EINVAL, "unknown option '%s' (see cpm %s --help)%s", typed, c->name,
                    cpm_nearest_ask(&near, ask, sizeof ask));
}

static int refuse(const command *c, const getopt_table *t, int found, char **argv, cpm_error *e)
{
    const option *o = optopt ? find_row(t, optopt) : NULL;
    if (found == ':' && o)
        return cpm_fail(e, CPM_EINVAL, "option --%s needs a value: %s", o->name, o->argument);
    if (o)
        return cpm_fail(e, CPM_EINVAL, "option --%s takes no value", o->name);
    if (optopt)
        return cpm_fail(e, CPM_EINVAL, "unknown option '-%c' (see cpm %s --help)", optopt, c->name);
    return refuse_name(c, t, argv[optind - 1], e);
}

static int set_value(settings *s, const option *o, const char *text, cpm_error *e)
{
    char *value = (char *)s + o->offset;
    if (!o->set) {
        *(bool *)value = true;
        return CPM_OK;
    }
    cpm_error why = {0};
    int status = o->set(value, text, &why);
    return status ? cpm_fail(e, status, "--%s: %s", o->name, why.text) : CPM_OK;
}

static int count_operands(const call *c, cpm_error *e)
{
    const command *k = c->command;
    if (c->operands < k->min_operands)
        return cpm_fail(e, CPM_EINVAL, "an argument is missing (usage: cpm %s [OPTIONS] %s)",
                        k->name, k->operands);
    if (c->operands > k->max_operands)
        return cpm_fail(e, CPM_EINVAL, "unexpected argument '%s' (usage: cpm %s [OPTIONS] %s)",
                        c->operand[k->max_operands], k->name, k->operands);
    return CPM_OK;
}

/* Whether the first operand is a model's file, and operations follow. */
static bool begins_with_model(const command *k)
{
    return strncmp(k->operands, "FILE.mod ", 9) == 0 && strstr(k->operands, "OP");
}

static bool may_be_operation(const char *operand)
{
    char name[64];
    const cpm_operation *operation;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(operand, ":"), operand);
    return strlen(name) < sizeof name - 1 && !cpm_operation_find(name, &operation, NULL) &&
           access(operand, F_OK) != 0;
}

/* "predict bcast cluster.mod" is as clear. */
static void put_model_first(call *c)
{
    int model = 0;
    if (!begins_with_model(c->command))
        return;
    while (model < c->operands && may_be_operation(c->operand[model]))
        model++;
    if (model == c->operands)
        return;
    char *file = c->operand[model];
    memmove(c->operand + 1, c->operand, (size_t)model * sizeof *c->operand);
    c->operand[0] = file;
}

int options_parse(call *c, int argc, char **argv, bool *help, cpm_error *e)
{
    getopt_table t = {0};
    strcpy(t.letters, c->command->passes_on ? "+:" : ":");
    options_each(c->command, add_row, &t);
    int found, status = CPM_OK;
    *help = false;
    opterr = 0;
    optind = 0; /* GNU: begin afresh */
    while (!status && !*help && (found = getopt_long(argc, argv, t.letters, t.at, NULL)) != -1) {
        const option *o = found == '?' || found == ':' ? NULL : find_row(&t, found);
        if (!o)
            status = refuse(c->command, &t, found, argv, e);
        else if (o == &help_option)
            *help = true;
        else
            status = set_value(c->set, o, optarg, e);
    }
    if (status || *help)
        return status;
    c->operand = argv + optind;
    c->operands = argc - optind;
    put_model_first(c);
    return count_operands(c, e);
}

static bool has_table(const command *c, const option *table)
{
    const option *const *k = c->options;
    while (*k && *k != table)
        k++;
    return *k;
}

void options_apply(const call *c)
{
    bool may = has_table(c->command, force_options);
    cpm_new_file_force(c->set->out.overwrite, may ? "--" FORCE : NULL);
}

static void free_sizes(void *set, const option *o)
{
    if (o->set == set_sizes)
        cpm_sizes_free((cpm_sizes *)((char *)set + o->offset));
}

int settings_create(call *c, cpm_error *e)
{
    const command *k = c->command;
    c->set = calloc(1, k->settings ? k->settings : sizeof *c->set);
    if (!c->set)
        return cpm_no_memory(e);
    if (k->defaults)
        k->defaults(c->set);
    return CPM_OK;
}

void settings_free(call *c)
{
    if (c->set) {
        options_each(c->command, free_sizes, c->set);
        cpm_sizes_free(&c->set->calls.sizes); /* by default, without an option */
        cpm_sizes_free(&c->set->calls.processes);
    }
    free(c->set);
    c->set = NULL;
}

/* ---- options of several subcommands */

const option predicting_options[] = {
    {"threads", 0, "N", "number of threads that predict (default: one per processor)",
     offsetof(settings, predicting.threads), set_integer},
    {"budget", 0, "SECONDS", "give up after SECONDS of predicting (default 0: no limit)",
     offsetof(settings, predicting.budget), set_seconds},
    {NULL, 0, NULL, NULL, 0, NULL},
};

/* Not of cpm run, whose --force is another: what it writes is not forced. */
const option force_options[] = {
    {FORCE, 0, NULL, "overwrite a file of another kind, and keep it as FILE.~1~",
     offsetof(settings, out.overwrite), NULL},
    {NULL, 0, NULL, NULL, 0, NULL},
};

const option format_options[] = {
    {"format", 0, "FORMAT", "text (default), tsv or json", offsetof(settings, out.format),
     set_format},
    {NULL, 0, NULL, NULL, 0, NULL},
};

/* ---- help */

static void print_wrapped(FILE *out, const char *text, int indent, int column)
{
    while (*text) {
        int length = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + length > WIDTH)
            column = fprintf(out, "\n%*s", indent, "") - 1;
        else if (column > indent)
            column += fprintf(out, " ");
        column += fprintf(out, "%.*s", length, text);
        text += length;
        if (*text == '\n')
            column = fprintf(out, "\n%*s", indent, "") - 1;
        text += *text != '\0';
    }
    fputc('\n', out);
}

static void print_option(void *context, const option *o)
{
    enum { COLUMN = 26 };
    FILE *out = context;
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    int column =
        fprintf(out, "  %s--%s%s%s", letter, o->name, o->argument && !may_be_left_out(o) ? " " : "",
                o->argument ? o->argument : "");
    if (column < COLUMN - 1)
        fprintf(out, "%*s", COLUMN - column, "");
    else
        fprintf(out, "\n%*s", COLUMN, "");
    print_wrapped(out, o->help, COLUMN, COLUMN);
}

void options_help(const command *c, FILE *out)
{
    fprintf(out, "usage: %scpm %s [OPTIONS]%s%s\n\n", c->measures ? "mpiexec -n N " : "", c->name,
            *c->operands ? " " : "", c->operands);
    print_wrapped(out, c->description, 0, 0);
    fputs("\noptions:\n", out);
    options_each(c, print_option, out);
    fputs("\nexample:\n", out);
    output_lines("  ", c->example, out);
}
