/* cpm completion: what a shell completes, of the same rows as the help. Used by the build. */
#include <string.h>

#include "adapt/policy.h"
#include "base/names.h"
#include "collectives/algorithm.h"
#include "estimators/estimator.h"
#include "measurements/import.h"
#include "measurements/timing_names.h"
#include "selection/libraries.h"
#include "tools/frame/batch.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/measure/estimation.h"
#include "tools/predict/method.h"

/* ---- what there is to choose from */

/* What an option's argument is called, and the names that it can have. */
typedef struct {
    const char *argument;
    cpm_names *names;
} choice;

static const choice choices[] = {
    {"BENCHMARK", cpm_import_named},       {"CALLS", calls_named},
    {"ESTIMATOR", cpm_estimator_named},    {"FORMAT", cpm_format_named},
    {"LIBRARY", cpm_library_named},        {"METHOD", method_named},
    {"MODEL", cpm_model_type_named},       {"OP", cpm_operation_named},
    {"PLACEMENT", cpm_placement_named},    {"STATISTIC", cpm_statistic_named},
    {"TIMING", mpib_timing_named},         {"WAY", gap_named},
    {"[=POLICY]", cpm_adapt_policy_named}, {NULL, NULL}};

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

/* Calls put with each operation and its algorithms, and with MPI's own, which most commands know.
 */
static void each_operation(void (*put)(FILE *out, const cpm_operation *o), FILE *out)
{
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        put(out, o);
}

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

static void bash_algorithms(FILE *out, const cpm_operation *o)
{
    fprintf(out, "    %s:*) printf '%s:%%s ' ", o->name, o->name);
    put_algorithms(out, o);
    fputs(" ;;\n", out);
}

static void bash_word(FILE *out, const char *word, const command *k)
{
    (void)k;
    fprintf(out, "%s ", word);
}

/* Words that the shell has cut at ':' and '=' are put together again, and of what is offered it
 * gets the part behind its cut. Of a list the last member is completed. */
static void put_bash(FILE *out)
{
    fputs(
        "# bash completion of cpm; written by cpm completion bash\n"
        "_cpm_values() { # [-f: files, too] WORDS\n"
        "    local with_files= list=\n"
        "    [ \"$1\" != -f ] || { with_files=yes; shift; }\n"
        "    [[ $current != *,* ]] || list=${current%,*},\n"
        "    mapfile -t COMPREPLY < <(compgen -P \"$list\" -W \"$1\" -- \"${current#\"$list\"}\"\n"
        "        [ -z \"$with_files\" ] || compgen -f -- \"$current\")\n"
        "    COMPREPLY=(\"${COMPREPLY[@]/#/$option}\")\n"
        "    COMPREPLY=(\"${COMPREPLY[@]#\"$before\"}\")\n"
        "    complete=yes\n"
        "}\n\n"
        "_cpm_collectives() {\n"
        "    case ${current##*,} in\n",
        out);
    each_operation(bash_algorithms, out);
    fputs("    *) echo ", out);
    put_names(out, cpm_operation_named);
    fputs(" ;;\n"
          "    esac\n"
          "}\n\n"
          "_cpm() {\n"
          "    local words=() word cut= option= before current previous\n"
          "    for word in \"${COMP_WORDS[@]:0:COMP_CWORD+1}\"; do\n"
          "        if [[ ${#words[@]} -gt 0 && ( $word == [:=]* || ( -n $cut && -n $word ) ) ]]; "
          "then\n"
          "            words[-1]+=$word\n"
          "        else\n"
          "            words+=(\"$word\")\n"
          "        fi\n"
          "        cut=\n"
          "        [[ $word != *[:=] ]] || cut=yes\n"
          "    done\n"
          "    word=${COMP_WORDS[COMP_CWORD]}\n"
          "    [[ $word != [:=]* ]] || word=\n"
          "    current=${words[-1]} previous=${words[-2]}\n"
          "    before=${current%\"$word\"}\n"
          "    [[ $current != --*=* ]] || option=${current%%=*}=\n"
          "    current=${current#\"$option\"}\n"
          "    previous=${option:-$previous}\n"
          "    local at=$((${#words[@]} - 1)) command=${words[1]} complete= options= operands= "
          "files=\n"
          "    COMPREPLY=()\n"
          "    [ \"$at\" -gt 1 ] || { _cpm_values \"",
          out);
    each_word(bash_word, out);
    fputs("help --help --version\"; return; }\n"
          "    if [ \"$command\" = help ]; then\n"
          "        case $at:$previous in\n"
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
          "    [ \"$command\" != bench ] || command=\"bench ${words[2]}\"\n"
          "    [ \"$command\" != \"bench $current\" ] || [ \"$at\" != 2 ] ||\n"
          "        { _cpm_values \"",
          out);
    put_members(out, "bench");
    fputs(" --help\"; return; }\n"
          "    for word in \"${words[@]}\"; do\n"
          "        [ \"$command $word\" != 'tune --measure' ] || command='tune --measure'\n"
          "    done\n"
          "    case $command in\n",
          out);
    for (const command *const *k = commands; *k; k++)
        bash_command(out, *k);
    fputs("    esac\n"
          "    [ -z \"$complete$option\" ] || return 0\n"
          "    case $current in\n"
          "    -*) _cpm_values \"$options\" ;;\n"
          "    *) _cpm_values $files \"$operands\" ;;\n"
          "    esac\n"
          "}\n"
          "complete -o filenames -F _cpm cpm\n\n"
          "# Behind a launcher; before cpm is there it is completed as without this file.\n"
          "declare -gA _cpm_earlier # also where a function loads this file\n"
          "_cpm_keep_earlier() {\n"
          "    [[ ! $(complete -p \"$1\" 2>/dev/null) =~ ' -F '([^ ]+) || ${BASH_REMATCH[1]} == "
          "_cpm_launched ]] ||\n"
          "        _cpm_earlier[$1]=${BASH_REMATCH[1]}\n"
          "    complete -o default -o bashdefault -F _cpm_launched \"$1\"\n"
          "}\n"
          "_cpm_launched() {\n"
          "    local i launcher=${1##*/}\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        [[ ${COMP_WORDS[i]} == cpm || ${COMP_WORDS[i]} == */cpm ]] || continue\n"
          "        COMP_WORDS=(\"${COMP_WORDS[@]:i}\") COMP_CWORD=$((COMP_CWORD - i))\n"
          "        compopt -o filenames +o default +o bashdefault 2>/dev/null\n"
          "        _cpm\n"
          "        return\n"
          "    done\n"
          "    COMPREPLY=()\n"
          "    if [[ ! -v _cpm_earlier[$launcher] ]] && declare -F _completion_loader >/dev/null; "
          "then\n"
          "        _cpm_earlier[$launcher]=\n"
          "        _completion_loader \"$launcher\"\n"
          "        _cpm_keep_earlier \"$launcher\"\n"
          "    fi\n"
          "    [[ -z ${_cpm_earlier[$launcher]} ]] || \"${_cpm_earlier[$launcher]}\" \"$@\"\n"
          "}\n"
          "for _cpm_launcher in ",
          out);
    put_names(out, launcher_named);
    fputs("; do _cpm_keep_earlier $_cpm_launcher; done\n", out);
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

static void zsh_algorithms(FILE *out, const cpm_operation *o)
{
    fprintf(out, "    %s) compadd \"$@\" ", o->name);
    put_algorithms(out, o);
    fputs(" ;;\n", out);
}

static void put_zsh(FILE *out)
{
    fputs("#compdef cpm ", out);
    put_names(out, launcher_named);
    fputs("\n# zsh completion of cpm; written by cpm completion zsh\n"
          "_cpm_collectives() {\n"
          "    compset -P '*,'\n"
          "    [[ $PREFIX == *:* ]] || { compadd -S '' \"$@\" ",
          out);
    put_names(out, cpm_operation_named);
    fputs("; return }\n"
          "    [[ $PREFIX != *:*:* ]] || return 1\n"
          "    local operation=${PREFIX%%:*}\n"
          "    compset -P '*:'\n"
          "    case $operation in\n",
          out);
    each_operation(zsh_algorithms, out);
    fputs("    esac\n"
          "}\n\n"
          "_cpm() {\n"
          "    local at=${words[(i)(*/|)cpm]}\n"
          "    ((at < CURRENT)) || { _default; return }\n" /* of a launcher's */
          "    shift $((at - 1)) words\n"
          "    ((CURRENT -= at - 1))\n"
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
          "    compdef _cpm cpm ",
          out);
    put_names(out, launcher_named);
    fputs("\nfi\n", out);
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

static void fish_algorithms(FILE *out, const cpm_operation *o)
{
    fprintf(out, "    printf '%%s\\n' {$list}%s:{", o->name);
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        if (cpm_algorithm_serves(a, o))
            fprintf(out, "%s,", a->name);
    fputs("native}\n", out);
}

static void fish_launcher(FILE *out, const char *launcher)
{
    fprintf(
        out,
        "complete -c %s -n '__cpm_launched >/dev/null' -f -k -a '(complete -C (__cpm_launched))'\n",
        launcher);
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
          "function __cpm_collectives\n"
          "    set -l list (string replace -r '[^,]*$' '' -- (commandline -ct))\n"
          "    printf '%s\\n' $list{",
          out);
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        fprintf(out, "%s%s", o == cpm_operations ? "" : ",", o->name);
    fputs("}\n"
          "    string match -qr ':[^,]*$' -- (commandline -ct); or return\n",
          out);
    each_operation(fish_algorithms, out);
    fputs("end\n"
          "function __cpm_launched\n" /* the command line from cpm on */
          "    set -l typed (commandline -opc)\n"
          "    for i in (seq 2 (count $typed))\n"
          "        if string match -qr '(^|/)cpm$' -- $typed[$i]\n"
          "            set -e typed[1..$i]\n"
          "            echo (string join ' ' -- cpm (string escape -- $typed) (commandline -ct))\n"
          "            return\n"
          "        end\n"
          "    end\n"
          "    return 1\n"
          "end\n",
          out);
    for (int k = 0; launchers[k]; k++)
        fish_launcher(out, launchers[k]);
    fputs("complete -c cpm -n '__cpm_begins' -f -a help -d 'say what a command does'\n"
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
    shells[k].put(out.stream);
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
