/* cpm completion: what a shell completes, of the same rows as the help. Used by the build. */
#include <string.h>

#include "tools/options.h"
#include "tools/output.h"

/* ---- what there is to choose from */

static void put_words(FILE *out, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? " " : "", words[i]);
}

static void put_operations(FILE *out)
{
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        fprintf(out, "%s%s", o == cpm_operations ? "" : " ", o->name);
}

static void put_models(FILE *out)
{
    for (int i = 0; cpm_model_types[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", cpm_model_types[i]->name);
}

static bool is_format(const option *o)
{
    return strcmp(o->name, "format") == 0;
}

static bool is_model(const option *o)
{
    return o->letter == 'M';
}

static bool is_operation(const option *o)
{
    return o->argument && strcmp(o->argument, "OP") == 0;
}

static bool is_file(const option *o)
{
    return o->argument && strstr(o->argument, "FILE");
}

static bool has_value(const option *o)
{
    return o->argument && o->argument[0] != '[';
}

/* The values of an option, if they are known; false: they are not. */
static bool put_values(FILE *out, const option *o)
{
    static const char *const formats[] = {"text", "tsv", "json"};
    if (is_format(o))
        put_words(out, formats, sizeof formats / sizeof *formats);
    else if (is_model(o))
        put_models(out);
    else if (is_operation(o))
        put_operations(out);
    else
        return false;
    return true;
}

/* Whether a command's operands can be files, or operations. */
static bool takes_files(const command *k)
{
    return strstr(k->operands, "FILE") || strstr(k->operands, ".mod") || k->passes_on;
}

static bool takes_operations(const command *k)
{
    return strstr(k->operands, "OP") != NULL;
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
    if (!has_value(o))
        return;
    fputs("    ", out);
    if (o->letter)
        fprintf(out, "-%c | ", o->letter);
    fprintf(out, "--%s) _cpm_values %s\"", o->name, is_file(o) ? "-f " : "");
    put_values(out, o);
    fputs("\" ;;\n", out);
}

static void bash_command(FILE *out, const command *k)
{
    fprintf(out, "'%s')\n    options=\"", k->name);
    options_each(k, bash_option, out);
    each_variant(k, bash_variant, out);
    fputs("\"\n    operands=\"", out);
    if (takes_operations(k))
        put_operations(out);
    fprintf(out, "\"\n    %s\n    case $previous in\n", takes_files(k) ? "files=-f" : "files=");
    options_each(k, bash_value, out);
    fputs("    esac\n    ;;\n", out);
}

static void bash_word(FILE *out, const char *word, const command *k)
{
    (void)k;
    fprintf(out, "%s ", word);
}

static void put_bash(FILE *out)
{
    fputs("# bash completion of cpm; written by cpm completion bash\n"
          "_cpm_values() {\n"
          "    local files=; [ \"$1\" = -f ] && { files=-f; shift; }\n"
          "    mapfile -t COMPREPLY < <(compgen $files -W \"$1\" -- \"$current\")\n"
          "    complete=yes\n"
          "}\n\n"
          "_cpm() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command=${COMP_WORDS[1]} complete= options= operands= files= word\n"
          "    COMPREPLY=()\n"
          "    [ \"$COMP_CWORD\" -gt 1 ] || { _cpm_values \"",
          out);
    each_word(bash_word, out);
    fputs("help --help --version\"; return; }\n"
          "    if [ \"$command\" = help ]; then\n"
          "        case $COMP_CWORD:$previous in\n"
          "        2:*) _cpm_values \"",
          out);
    each_word(bash_word, out);
    fputs("help\" ;;\n"
          "        3:bench) _cpm_values \"",
          out);
    put_members(out, "bench");
    fputs("\" ;;\n"
          "        3:tune) _cpm_values --measure ;;\n"
          "        esac\n"
          "        return\n"
          "    fi\n"
          "    [ \"$command\" != bench ] || command=\"bench ${COMP_WORDS[2]}\"\n"
          "    [ \"$command\" != \"bench $current\" ] || [ \"$COMP_CWORD\" != 2 ] ||\n"
          "        { _cpm_values \"",
          out);
    put_members(out, "bench");
    fputs(" --help\"; return; }\n"
          "    for word in \"${COMP_WORDS[@]}\"; do\n"
          "        [ \"$command $word\" != 'tune --measure' ] || command='tune --measure'\n"
          "    done\n"
          "    case $command in\n",
          out);
    for (const command *const *k = commands; *k; k++)
        bash_command(out, *k);
    fputs("    esac\n"
          "    [ -z \"$complete\" ] || return 0\n"
          "    case $current in\n"
          "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
          "    *) mapfile -t COMPREPLY < <(compgen $files -W \"$operands\" -- \"$current\") ;;\n"
          "    esac\n"
          "}\n"
          "complete -o filenames -F _cpm cpm\n",
          out);
}

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

static void zsh_form(FILE *out, const option *o, const char *name)
{
    fprintf(out, " \\\n            '%s[", name);
    zsh_text(out, o->help);
    fputc(']', out);
    if (has_value(o)) {
        fputc(':', out);
        zsh_text(out, o->argument);
        fputc(':', out);
        fputs(is_file(o)                                       ? "_files"
              : is_format(o) || is_model(o) || is_operation(o) ? "("
                                                               : "",
              out);
        fputs(put_values(out, o) ? ")" : "", out);
    }
    fputc('\'', out);
}

static void zsh_option(void *context, const option *o)
{
    char name[64];
    snprintf(name, sizeof name, "--%s", o->name);
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
    bool files = takes_files(k), operations = takes_operations(k);
    if (files || operations)
        fputs(" \\\n            '*:operand:{_alternative", out);
    if (files)
        fputs(" files\\:file\\:_files", out);
    if (operations) {
        fputs(" \"operations\\:operation\\:(", out);
        put_operations(out);
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

static void put_zsh(FILE *out)
{
    fputs("#compdef cpm\n# zsh completion of cpm; written by cpm completion zsh\n"
          "_cpm() {\n"
          "    local -a names\n"
          "    names=(\n",
          out);
    each_word(zsh_word, out);
    fputs("        'help:say what a command does'\n"
          "    )\n"
          "    local command=$words[2]\n"
          "    if ((CURRENT == 2)) || [[ $command == help && $CURRENT == 3 ]]; then\n"
          "        _describe 'command' names\n"
          "        return\n"
          "    fi\n"
          "    if [[ $command == help ]]; then\n"
          "        ((CURRENT == 4)) || return\n"
          "        [[ $words[3] != bench ]] || compadd p2p coll\n"
          "        [[ $words[3] != tune ]] || compadd -- --measure\n"
          "        return\n"
          "    fi\n"
          "    if [[ $command == bench ]]; then\n"
          "        ((CURRENT > 3)) || { compadd p2p coll; return }\n"
          "        command=\"bench $words[3]\"\n"
          "        shift words\n"
          "        ((CURRENT--))\n"
          "    fi\n"
          "    [[ $command != tune || ${words[(I)--measure]} == 0 ]] || command='tune --measure'\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $command in\n",
          out);
    for (const command *const *k = commands; *k; k++)
        zsh_command(out, *k);
    fputs("    esac\n"
          "}\n"
          "if [[ $funcstack[1] == _cpm ]]; then\n" /* loaded by the first completion */
          "    _cpm \"$@\"\n"
          "else\n"
          "    compdef _cpm cpm\n"
          "fi\n",
          out);
}

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
    fputs(has_value(o) ? is_file(o) ? " -r -F" : " -x -a '" : "", row->out);
    if (has_value(o) && !is_file(o)) {
        put_values(row->out, o);
        fputc('\'', row->out);
    }
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
        put_operations(out);
        fputc('\'', out);
    }
    fputc('\n', out);
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

static void put_fish(FILE *out)
{
    fputs("# fish completion of cpm; written by cpm completion fish\n"
          "function __cpm_is\n"
          "    set -l typed (commandline -opc)\n"
          "    set -l words $argv\n"
          "    test \"$typed[2]\" = \"$words[1]\"; or return 1\n"
          "    set -e words[1]\n"
          "    for word in $words\n"
          "        contains -- $word $typed; or return 1\n"
          "    end\n"
          "end\n"
          "function __cpm_begins\n"
          "    set -l typed (commandline -opc)\n"
          "    test (count $typed) -eq 1; or test \"$typed[2..]\" = help\n"
          "end\n"
          "complete -c cpm -n '__cpm_begins' -f -a help -d 'say what a command does'\n"
          "complete -c cpm -n '__cpm_is help' -f\n"
          "complete -c cpm -n '__cpm_is help bench; or __cpm_is bench' -f -a 'p2p coll'\n"
          "complete -c cpm -n '__cpm_is help tune' -f -l measure\n",
          out);
    each_word(fish_word, out);
    for (const command *const *k = commands; *k; k++)
        fish_command(out, *k);
}

/* ---- the subcommand */

typedef struct {
    const char *name;
    void (*put)(FILE *out);
} shell;

static const shell shells[] = {
    {"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}, {NULL, NULL}};

static int run(call *c, cpm_error *e)
{
    const shell *s = shells;
    cpm_new_file out;
    while (s->name && strcmp(s->name, c->operand[0]) != 0)
        s++;
    if (!s->name)
        return cpm_fail(e, CPM_EUNKNOWN, "unknown shell '%s'; known are bash, zsh, fish",
                        c->operand[0]);
    int status = output_open(c->set.output, &out, e);
    if (status)
        return status;
    s->put(out.stream);
    return cpm_new_file_close(&out, CPM_OK, e);
}

/* clang-format off */
static const option own[] = {
    {"output", 'o', "FILE", "where it goes (default: standard output)", offsetof(settings, output),
     set_text},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .summary = "write what a shell completes",
    .description = "Writes what bash, zsh or fish read to complete commands, options, their values "
                   "and operations. Installed with the command; without installing: "
                   "source <(cpm completion bash).",
    .example = "cpm completion bash",
    .min_operands = 1,
    .max_operands = 1,
    .options = {own},
    .run = run,
};
