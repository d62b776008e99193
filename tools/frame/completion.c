/* cpm completion: what a shell completes, of the same rows as the help. Used by the build. */
#include <string.h>

#include "adapt/policy.h"
#include "base/names.h"
#include "collectives/algorithm.h"
#include "estimators/estimator.h"
#include "measurements/buffers.h"
#include "measurements/import.h"
#include "measurements/timing_names.h"
#include "selection/libraries.h"
#include "tools/frame/batch.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/template.h"
#include "tools/measure/estimation.h"
#include "tools/predict/method.h"

/* ---- what there is to choose from */

/* What an option's argument is called, and the names that it can have. */
typedef struct {
    const char *argument;
    cpm_names *names;
} choice;

static const choice choices[] = {{"BENCHMARK", cpm_import_named},
                                 {"CALLS", calls_named},
                                 {"CLASS", cpm_combining_named},
                                 {"ESTIMATOR", cpm_estimator_named},
                                 {"FORMAT", cpm_format_named},
                                 {"LIBRARY", cpm_library_named},
                                 {"METHOD", method_named},
                                 {"MODEL", cpm_model_type_named},
                                 {"OP", cpm_operation_named},
                                 {"PLACEMENT", cpm_placement_named},
                                 {"STATE", mpib_buffers_named},
                                 {"STATISTIC", cpm_statistic_named},
                                 {"TIMING", mpib_timing_named},
                                 {"WAY", gap_named},
                                 {"[=POLICY]", cpm_adapt_policy_named},
                                 {NULL, NULL}};

static void put_names(FILE *out, cpm_names *names)
{
    for (int k = 0; names(k); k++)
        fprintf(out, "%s%s", k ? " " : "", names(k));
}

/* NULL: the values of an option are not known. */
static cpm_names *names_of(const option *o)
{
    const choice *c = choices;
    while (c->argument && (!o->argument || strcmp(c->argument, o->argument) != 0))
        c++;
    return c->names;
}

static bool is_collective(const char *argument)
{
    return argument && strstr(argument, ":ALGORITHM") != NULL;
}

static bool is_file(const option *o)
{
    return o->argument && strstr(o->argument, "FILE");
}

/* It may be left out: then it is behind a '='. */
static bool has_optional_value(const option *o)
{
    return o->argument && o->argument[0] == '[';
}

static bool has_value(const option *o)
{
    return o->argument && !has_optional_value(o);
}

static void put_operations(FILE *out)
{
    put_names(out, cpm_operation_named);
}

/* With MPI's own, which most commands know. */
static void put_algorithms(FILE *out, const cpm_operation *o)
{
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        if (cpm_algorithm_serves(a, o))
            fprintf(out, "%s ", a->name);
    fputs("native", out);
}

/* Behind which of a command line's words a command is completed, too. */
static const char *const launchers[] = {"mpiexec", "mpiexec.hydra", "mpiexec.openmpi",
                                        "mpirun",  "srun",          NULL};

static const char *launcher_named(int k)
{
    return launchers[k];
}

static void put_launchers(FILE *out)
{
    put_names(out, launcher_named);
}

/* Whether a command's operands can be files, or operations. */
static bool takes_files(const command *k)
{
    return strstr(k->operands, "FILE") || strstr(k->operands, ".mod") || k->passes_on;
}

static bool takes_operations(const command *k)
{
    return strstr(k->operands, "OP") != NULL && !is_collective(k->operands);
}

/* "tune --measure" is tune, with an option more. */
static bool is_variant(const command *k)
{
    return strstr(k->name, " --") != NULL;
}

/* Calls put for each variant of k with its option's name. */
static void each_variant(const command *k,
                         void (*put)(FILE *out, const command *k, const char *name), FILE *out)
{
    size_t length = strlen(k->name);
    for (const command *const *v = commands; *v; v++)
        if (is_variant(*v) && strncmp((*v)->name, k->name, length) == 0 &&
            (*v)->name[length] == ' ')
            put(out, k, (*v)->name + length + 3);
}

/* Calls put for each word that a command line can begin with, and the first command of it. */
static void each_word(void (*put)(FILE *out, const char *word, const command *k), FILE *out)
{
    char last[64] = "";
    for (const command *const *k = commands; *k; k++) {
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)strcspn((*k)->name, " "), (*k)->name);
        if (is_variant(*k) || strcmp(word, last) == 0)
            continue;
        put(out, word, *k);
        strcpy(last, word);
    }
}

static bool is_group(const command *k)
{
    return !is_variant(k) && strchr(k->name, ' ') != NULL;
}

/* What is behind the word of a group: "p2p coll" of bench. */
static void put_members(FILE *out, const char *group)
{
    size_t length = strlen(group);
    bool any = false;
    for (const command *const *k = commands; *k; k++)
        if (is_group(*k) && strncmp((*k)->name, group, length) == 0 && (*k)->name[length] == ' ') {
            fprintf(out, "%s%s", any ? " " : "", (*k)->name + length + 1);
            any = true;
        }
}

/* ---- bash */

static void bash_variant(FILE *out, const command *k, const char *name)
{
    (void)k;
    fprintf(out, " --%s", name);
}

static void bash_option(void *context, const option *o)
{
    FILE *out = context;
    fprintf(out, " --%s", o->name);
    if (o->letter)
        fprintf(out, " -%c", o->letter);
}

static void bash_value(void *context, const option *o)
{
    FILE *out = context;
    cpm_names *names = names_of(o);
    if (!o->argument)
        return;
    fputs("    ", out);
    if (o->letter && has_value(o))
        fprintf(out, "-%c | ", o->letter);
    if (has_value(o))
        fprintf(out, "--%s | ", o->name);
    fprintf(out, "--%s=) _cpm_values %s\"", o->name, is_file(o) ? "-f " : "");
    if (names)
        put_names(out, names);
    fputs(is_collective(o->argument) ? "$(_cpm_collectives)\" ;;\n" : "\" ;;\n", out);
}

static void bash_command(FILE *out, const command *k)
{
    fprintf(out, "'%s')\n    options=\"", k->name);
    options_each(k, bash_option, out);
    each_variant(k, bash_variant, out);
    fputs("\"\n    operands=\"", out);
    if (takes_operations(k))
        put_names(out, cpm_operation_named);
    fputs(is_collective(k->operands) ? "$(_cpm_collectives)" : "", out);
    fprintf(out, "\"\n    %s\n    case $previous in\n", takes_files(k) ? "files=-f" : "files=");
    options_each(k, bash_value, out);
    fputs("    esac\n    ;;\n", out);
}

static void bash_algorithms(FILE *out)
{
    for (const cpm_operation *o = cpm_operations; o->name; o++) {
        fprintf(out, "    %s:*) printf '%s:%%s ' ", o->name, o->name);
        put_algorithms(out, o);
        fputs(" ;;\n", out);
    }
}

static void bash_word(FILE *out, const char *word, const command *k)
{
    (void)k;
    fprintf(out, "%s ", word);
}

static void put_benches(FILE *out)
{
    put_members(out, "bench");
}

static void bash_words(FILE *out)
{
    each_word(bash_word, out);
}

static void bash_commands(FILE *out)
{
    for (const command *const *k = commands; *k; k++)
        bash_command(out, *k);
}

/* Words that the shell has cut at ':' and '=' are put together again, and of what is offered it
 * gets the part behind its cut. Of a list the last member is completed. */
static const char *const bash_lines[] = {
#include "completion_bash.inc"
    NULL,
};

static const template_place bash_places[] = {{"@algorithms@", bash_algorithms},
                                             {"@words@", bash_words},
                                             {"@commands@", bash_commands},
                                             {"@operations@", put_operations},
                                             {"@launchers@", put_launchers},
                                             {"@benches@", put_benches},
                                             {NULL, NULL}};

/* ---- zsh */

/* As it stands between quotation marks in a specification of _arguments. */
static void zsh_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text == '\n' ? ' ' : *text, out);
    }
}

/* name: with what is between it and its value. */
static void zsh_form(FILE *out, const option *o, const char *name)
{
    cpm_names *names = names_of(o);
    fprintf(out, " \\\n            '%s[", name);
    zsh_text(out, o->help);
    fputc(']', out);
    if (o->argument) {
        fputs(has_value(o) ? ":" : "::", out);
        zsh_text(out, o->argument);
        fputs(is_file(o)                   ? ":_files"
              : is_collective(o->argument) ? ":_cpm_collectives"
              : names                      ? ":("
                                           : ":",
              out);
        if (names && !is_file(o))
            put_names(out, names);
        fputs(names && !is_file(o) ? ")" : "", out);
    }
    fputc('\'', out);
}

static void zsh_option(void *context, const option *o)
{
    char name[64];
    snprintf(name, sizeof name, "--%s%s", o->name, has_value(o) ? "=" : o->argument ? "=-" : "");
    zsh_form(context, o, name);
    snprintf(name, sizeof name, "-%c", o->letter);
    if (o->letter)
        zsh_form(context, o, name);
}

static void zsh_variant(FILE *out, const command *k, const char *name)
{
    fprintf(out, " \\\n            '--%s[see cpm %s --%s --help]'", name, k->name, name);
}

/* _arguments takes one specification of them only. */
static void zsh_operands(FILE *out, const command *k)
{
    bool files = takes_files(k), collectives = is_collective(k->operands);
    bool operations = takes_operations(k) || collectives;
    if (files || operations)
        fputs(" \\\n            '*:operand:{_alternative", out);
    if (files)
        fputs(" files\\:file\\:_files", out);
    if (collectives)
        fputs(" \"collectives\\:collective\\:_cpm_collectives\"", out);
    else if (operations) {
        fputs(" \"operations\\:operation\\:(", out);
        put_names(out, cpm_operation_named);
        fputs(")\"", out);
    }
    fputs(files || operations ? "}'" : "", out);
}

static void zsh_command(FILE *out, const command *k)
{
    fprintf(out, "        '%s')\n            _arguments -s", k->name);
    options_each(k, zsh_option, out);
    each_variant(k, zsh_variant, out);
    zsh_operands(out, k);
    fputs("\n            ;;\n", out);
}

static void zsh_word(FILE *out, const char *word, const command *k)
{
    fprintf(out, "        '%s:", word);
    if (is_group(k))
        put_members(out, word);
    else
        zsh_text(out, k->summary);
    fputs("'\n", out);
}

static void zsh_algorithms(FILE *out)
{
    for (const cpm_operation *o = cpm_operations; o->name; o++) {
        fprintf(out, "    %s) compadd \"$@\" ", o->name);
        put_algorithms(out, o);
        fputs(" ;;\n", out);
    }
}

static void zsh_words(FILE *out)
{
    each_word(zsh_word, out);
}

static void zsh_commands(FILE *out)
{
    for (const command *const *k = commands; *k; k++)
        zsh_command(out, *k);
}

static const char *const zsh_lines[] = {
#include "completion_zsh.inc"
    NULL,
};

static const template_place zsh_places[] = {
    {"@algorithms@", zsh_algorithms}, {"@words@", zsh_words},         {"@commands@", zsh_commands},
    {"@operations@", put_operations}, {"@launchers@", put_launchers}, {NULL, NULL}};

/* ---- fish */

static void fish_text(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            fputc('\\', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
    fputc('\'', out);
}

typedef struct {
    const command *k;
    FILE *out;
} fish_row;

/* Where the command's words are on the line. */
static void fish_condition(FILE *out, const command *k)
{
    char words[64];
    snprintf(words, sizeof words, "%s", k->name);
    fputs("complete -c cpm -n '__cpm_is", out);
    for (char *rest = words, *word; (word = strsep(&rest, " "));)
        fprintf(out, " %s", word);
    fputc('\'', out);
}

static void fish_option(void *context, const option *o)
{
    const fish_row *row = context;
    fish_condition(row->out, row->k);
    fprintf(row->out, " -l %s", o->name);
    if (o->letter)
        fprintf(row->out, " -s %c", o->letter);
    cpm_names *names = names_of(o);
    fputs(!has_value(o) ? "" : is_file(o) ? " -r -F" : " -x", row->out);
    fputs(is_collective(o->argument) ? " -a '(__cpm_collectives)'"
          : names                    ? " -a '"
                                     : "",
          row->out);
    if (names)
        put_names(row->out, names);
    fputs(names ? "'" : "", row->out);
    fputs(" -d ", row->out);
    fish_text(row->out, o->help);
    fputc('\n', row->out);
}

static void fish_variant(FILE *out, const command *k, const char *name)
{
    fish_condition(out, k);
    fprintf(out, " -l %s -d 'see cpm %s --%s --help'\n", name, k->name, name);
}

static void fish_command(FILE *out, const command *k)
{
    options_each(k, fish_option, &(fish_row){k, out});
    each_variant(k, fish_variant, out);
    fish_condition(out, k);
    fputs(takes_files(k) ? " -F" : " -f", out);
    if (takes_operations(k)) {
        fputs(" -a '", out);
        put_names(out, cpm_operation_named);
        fputc('\'', out);
    }
    fputs(is_collective(k->operands) ? " -a '(__cpm_collectives)'\n" : "\n", out);
}

/* At the beginning of the line, and behind help. */
static void fish_word(FILE *out, const char *word, const command *k)
{
    fprintf(out, "complete -c cpm -n '__cpm_begins' -f -a %s -d ", word);
    if (is_group(k)) {
        fputc('\'', out);
        put_members(out, word);
        fputc('\'', out);
    } else {
        fish_text(out, k->summary);
    }
    fputc('\n', out);
}

static void fish_algorithms(FILE *out)
{
    for (const cpm_operation *o = cpm_operations; o->name; o++) {
        fprintf(out, "    printf '%%s\\n' {$list}%s:{", o->name);
        for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
            if (cpm_algorithm_serves(a, o))
                fprintf(out, "%s,", a->name);
        fputs("native}\n", out);
    }
}

static void fish_launchers(FILE *out)
{
    for (int k = 0; launchers[k]; k++)
        fprintf(out,
                "complete -c %s -n '__cpm_launched >/dev/null' -f -k -a '(complete -C "
                "(__cpm_launched))'\n",
                launchers[k]);
}

static void fish_list(FILE *out)
{
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        fprintf(out, "%s%s", o == cpm_operations ? "" : ",", o->name);
}

static void fish_words(FILE *out)
{
    each_word(fish_word, out);
}

static void fish_commands(FILE *out)
{
    for (const command *const *k = commands; *k; k++)
        fish_command(out, *k);
}

static const char *const fish_lines[] = {
#include "completion_fish.inc"
    NULL,
};

static const template_place fish_places[] = {
    {"@algorithms@", fish_algorithms}, {"@words@", fish_words},
    {"@commands@", fish_commands},     {"@list@", fish_list},
    {"@launchers@", fish_launchers},   {NULL, NULL}};

/* ---- the subcommand */

typedef struct {
    const char *name;
    const char *const *text;
    const template_place *places;
} shell;

static const shell shells[] = {{"bash", bash_lines, bash_places},
                               {"zsh", zsh_lines, zsh_places},
                               {"fish", fish_lines, fish_places},
                               {NULL, NULL, NULL}};

static const char *shell_named(int k)
{
    return shells[k].name;
}

static int run(call *c, cpm_error *e)
{
    cpm_new_file out;
    int k;
    int status = cpm_names_find(shell_named, "shell", c->operand[0], &k, e);
    if (!status)
        status = output_open(c->set->out.path, CPM_FILE_COMPLETION, &out, e);
    if (status)
        return status;
    template_put(shells[k].text, shells[k].places, out.stream);
    return cpm_new_file_close(&out, CPM_OK, e);
}

/* clang-format off */
static const option own[] = {
    {"output", 'o', "FILE", "where it goes (default: standard output)", offsetof(settings, out.path),
     set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .summary = "write completions for bash, zsh or fish",
    .description =
        "Writes completions for bash, zsh or fish: commands, options, their values, operations "
        "and algorithms. They also work behind mpiexec and mpirun, and behind srun once cpm was "
        "completed. They are installed with the command. Without installing: source <(cpm "
        "completion bash).",
    .example = "cpm completion bash",
    .min_operands = 1,
    .max_operands = 1,
    .options = {own, force_options},
    .run = run,
};
