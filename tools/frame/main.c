/* The command: finds the subcommand, runs it, and prints its failure, once. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/nearest.h"
#include "base/notice.h"
#include "hosts/launched.h"
#include "tools/frame/batch.h"
#include "tools/frame/command.h"
#include "tools/frame/limit.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/overwriting.h"
#include "tools/frame/placement.h"
#include "tools/frame/standard_input.h"
#include "tools/measure/conditions.h"
#include "tools/measure/last_words.h"
#include "tools/measure/session.h"
#include "tools/mpi/processes.h"

enum { DONE, FAILED, USAGE }; /* and outcomes of subcommands */

/* clang-format off */
const command *const commands[] = {
    &cpm_model_command, &cpm_show, &cpm_predict_command, &cpm_validate, &cpm_compare, &cpm_plot,
    &cpm_doctor, &cpm_diff, &cpm_health_command, &cpm_bench_p2p, &cpm_bench_coll, &cpm_measure, &cpm_fit, &cpm_algorithms_command,
    &cpm_check_command, &cpm_draw_command, &cpm_tune_measured, &cpm_tune_verify, &cpm_tune, &cpm_export, &cpm_map_command, &cpm_synthesize_command, &cpm_run_command,
    &cpm_rules_command, &cpm_report_command, &cpm_completion, NULL,
};
/* clang-format on */

static void print_help(void)
{
    puts("usage: cpm COMMAND [OPTIONS] [ARGUMENTS]\n\n"
         "Measures MPI communication, fits performance models, predicts collectives.\n\n"
         "commands:");
    for (const command *const *k = commands; *k; k++)
        printf("  %-14s %s%s\n", (*k)->name, (*k)->summary, (*k)->measures ? " (*)" : "");
    puts("\n(*) measures: start it as mpiexec -n N cpm COMMAND ..., or simulate the\n"
         "    cluster with --machine FILE.mod\n\n"
         "cpm COMMAND --help says more; cpm version also names the mpiexec to use.\n"
         "FILE may be - : standard input where it is read, standard output where it is written.\n"
         "Exit codes: 0 done, 1 failed, 2 usage,\n"
         "3 found something, 4 cannot tell (doctor, diff, health, guidelines).\n\n"
         "example:\n"
         "  mpiexec -n 4 cpm model -o cluster.mod\n"
         "  cpm predict cluster.mod scatter:binomial -m 1K:1M");
}

static void print_version(void)
{
    char processes[512];
    processes_describe(processes, sizeof processes);
    printf("cpm " CPM_VERSION "\n%s\n", processes);
}

static bool has_option(int argc, char **argv, const char *name)
{
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return false;
}

/* How many words of argv are the name of k: 0 if they are another's. */
static int matches(const command *k, int argc, char **argv)
{
    size_t first = strcspn(k->name, " ");
    if (argc < 2 || strncmp(argv[1], k->name, first) != 0 || argv[1][first])
        return 0;
    if (!k->name[first])
        return 1;
    if (k->name[first + 1] == '-')
        return has_option(argc, argv, k->name + first + 1);
    return argc > 2 && strcmp(argv[2], k->name + first + 1) == 0 ? 2 : 0;
}

static const command *find_command(int argc, char **argv, int *words)
{
    for (const command *const *k = commands; *k; k++)
        if ((*words = matches(*k, argc, argv)))
            return *k;
    return (*words = matches(&cpm_manual, argc, argv)) ? &cpm_manual : NULL;
}

static bool is_option(const char *text, const char *name, const char *letter)
{
    return strcmp(text, name) == 0 || strcmp(text, letter) == 0;
}

/* Whether word is the first of two of its name, as "bench"; what else is there is an option. */
static bool is_group(const command *k, const char *word)
{
    size_t length = strlen(word);
    return strncmp(k->name, word, length) == 0 && k->name[length] == ' ' &&
           k->name[length + 1] != '-';
}

/* "cpm bench --help": the help of all that begin with that word. */
static bool help_of_group(int argc, char **argv)
{
    bool found = false;
    if (argc < 3 || !is_option(argv[2], "--help", "-h"))
        return false;
    for (const command *const *k = commands; *k; k++)
        if (is_group(*k, argv[1])) {
            fputs(found ? "\n" : "", stdout);
            options_help(*k, stdout);
            found = true;
        }
    return found;
}

static bool begins_group(const char *word)
{
    for (const command *const *k = commands; *k; k++)
        if (is_group(*k, word))
            return true;
    return false;
}

/* Those that begin with that word. */
static void list_commands(const char *group, const char *behind)
{
    const char *between = " known are ";
    fputs(behind, stderr);
    for (const command *const *k = commands; *k; k++)
        if (is_group(*k, group)) {
            fprintf(stderr, "%s%s", between, (*k)->name);
            between = ", ";
        }
    fputc('\n', stderr);
}

/* What was meant by the first two words, where names have two, or by the first, which may be that
 * of a group unless it is one already. */
static const char *guess(int argc, char **argv, char *ask, size_t size)
{
    bool group = begins_group(argv[1]);
    char both[64] = "", word[64];
    cpm_nearest one = {.typed = group ? "" : argv[1]}, two = {.typed = both};
    if (argc > 2)
        snprintf(both, sizeof both, "%s %s", argv[1], argv[2]);
    for (const command *const *k = commands; *k; k++) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn((*k)->name, " "), (*k)->name);
        cpm_nearest_try(&one, word);
        if (strchr((*k)->name, ' '))
            cpm_nearest_try(&two, (*k)->name);
    }
    return cpm_nearest_ask(two.word[0] ? &two : &one, ask, size);
}

/* A word that is no subcommand. */
static int refuse(int argc, char **argv)
{
    if (!mpib_launched_first())
        return USAGE;
    char ask[CPM_NEAREST_TEXT] = "";
    bool group = argc > 1 && begins_group(argv[1]), two = group && argc > 2;
    fputs("cpm: ", stderr);
    cpm_put_shown(stderr, argc < 2 ? "what to do?" : argv[1]);
    fputs(two ? " " : "", stderr);
    cpm_put_shown(stderr, two ? argv[2] : "");
    bool unknown = argc > 1 && (two || !group);
    fputs(unknown ? ": unknown command" : argc > 1 ? ": which one?" : "", stderr);
    fputs(unknown ? guess(argc, argv, ask, sizeof ask) : "", stderr);
    if (group)
        list_commands(argv[1], unknown && !*ask ? ";" : "");
    else
        fputs(unknown && *ask ? " ('cpm help' lists all)\n" : " ('cpm help' lists the commands)\n",
              stderr);
    return USAGE;
}

/* Of a help or a version, which may be what a script reads. */
static int end_words(const char *name)
{
    cpm_error e = {0};
    if (output_end(&e) == CPM_OK)
        return DONE;
    fprintf(stderr, "cpm%s%s: %s\n", name ? " " : "", name ? name : "", e.text);
    return FAILED;
}

static int words_of(const char *name)
{
    int count = 1;
    for (; *name; name++)
        count += *name == ' ';
    return count;
}

/* "cpm help predict", "cpm help bench": as with --help behind it. */
static int help_about(int argc, char **argv)
{
    int words;
    char *asked[] = {argv[1], argv[2], "--help"};
    const command *k = find_command(argc - 1, argv + 1, &words);
    if (argc == 3 && strcmp(argv[2], "help") == 0)
        print_help();
    else if (k && argc - 2 == words_of(k->name))
        options_help(k, stdout);
    else if (argc != 3 || !help_of_group(3, asked))
        return refuse(argc - 1, argv + 1);
    return end_words(NULL);
}

static int without_command(int argc, char **argv)
{
    if (argc < 2)
        return refuse(argc, argv);
    if (strcmp(argv[1], "help") == 0 && argc > 2)
        return help_about(argc, argv);
    if (is_option(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0)
        print_help();
    else if (is_option(argv[1], "--version", "-V") || strcmp(argv[1], "version") == 0)
        print_version();
    else if (!help_of_group(argc, argv))
        return refuse(argc, argv);
    return end_words(NULL);
}

static void complain(const call *c, const cpm_error *e)
{
    if (c->speaks)
        fprintf(stderr, "cpm %s: %s\n", c->command->name, e->text);
}

static int run_with_model(call *c, cpm_error *e)
{
    cpm_model *m = NULL;
    cpm_file_kind kind = c->command->run_other ? file_kind(c->operand[0]) : CPM_FILE_MODEL;
    if (kind != CPM_FILE_MODEL && kind != CPM_FILE_UNKNOWN)
        return c->command->run_other(c, kind, e);
    int status = c->command->rereads ? file_refuse_pipe(c->operand[0], e) : CPM_OK;
    if (!status)
        status = cpm_model_read(c->operand[0], &m, e);
    if (!status && c->command != &cpm_show) /* which shows them among all that it shows */
        conditions_repeat(c->operand[0], &m->metadata);
    if (!status)
        status = placement_lay_out(c->set, &m, e);
    if (!status)
        status = c->command->run_with(c, m, e);
    cpm_model_free(m);
    return status;
}

static bool is_over_mpi(const call *c)
{
    return c->command->measures && !(c->set && c->set->machine.model);
}

/* Files are those of the first process, which writes them: others may have none of these names. */
static int start(call *c, cpm_error *e)
{
    int status = c->command->measures ? session_start(c, e) : CPM_OK;
    if (!status && is_over_mpi(c))
        status = session_agree(c, c->speaks ? overwriting_check(c, e) : CPM_OK, e);
    return status;
}

/* What cannot be printed was measured nevertheless. */
static int end_output(cpm_error *e)
{
    cpm_error why = {0};
    int status = output_end(&why);
    const char *kept = status ? last_words_kept() : NULL;
    return status ? cpm_fail(e, status, "%s%s%s", why.text, kept ? "; " : "", kept ? kept : "")
                  : CPM_OK;
}

/* Names that nothing has, and arguments that do not fit what they are for, are found late, too. */
static bool is_usage(int status)
{
    return status == CPM_EINVAL || status == CPM_EUNKNOWN;
}

static int run(call *c)
{
    cpm_error e = {0};
    int status = start(c, &e);
    limit_begin(c);
    if (!status)
        status = c->command->run ? c->command->run(c, &e) : run_with_model(c, &e);
    if (!status)
        status = end_output(&e);
    last_words_over();
    if (status)
        complain(c, &e);
    session_end(c);
    return is_usage(status) ? USAGE : status ? FAILED : (int)c->outcome;
}

/* Options that are right one by one, but may not go together; the same on all ranks. */
static int check(const call *c, cpm_error *e)
{
    int status = c->command->measures ? cpm_precision_check(&c->set->how.precision, e) : CPM_OK;
    if (!status)
        status = batch_check(c, e);
    if (!status && c->command->check)
        status = c->command->check(c, e);
    return status || is_over_mpi(c) ? status : overwriting_check(c, e);
}

/* Wrong options are those of all ranks; that there is no memory is known here only. */
static int fail_alone(call *c, const cpm_error *e)
{
    c->speaks = true;
    complain(c, e);
    if (is_over_mpi(c))
        processes_abort();
    return FAILED;
}

static int dispatch(call *c, int argc, char **argv)
{
    cpm_error e = {0};
    bool help;
    int status = options_parse(c, argc, argv, &help, &e);
    if (!status && help) {
        if (c->speaks)
            options_help(c->command, stdout);
        return end_words(c->command->name);
    }
    options_apply(c);
    if (!status && c->command->settle)
        c->command->settle(c->set);
    if (!status)
        status = standard_input_take(c, &e);
    if (!status)
        status = check(c, &e);
    if (!status)
        return run(c);
    if (status == CPM_ENOMEM)
        return fail_alone(c, &e);
    complain(c, &e);
    processes_let_first_speak();
    return USAGE;
}

/* Where a standard stream is closed, the next file that is opened would take its place, and what is
 * said there would end in measurements. What is opened here instead cannot be used: writing to it
 * fails and is noticed. Which place it takes is open, as libraries have threads that open files. */
static void hold_standard_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            open("/dev/null", O_PATH);
}

static int with_command(const command *k, int words, int argc, char **argv)
{
    call c = {.command = k, .argv = argv, .argc = argc, .speaks = mpib_launched_first()};
    cpm_error e = {0};
    int code =
        settings_create(&c, &e) ? fail_alone(&c, &e) : dispatch(&c, argc - words, argv + words);
    settings_free(&c);
    return code;
}

static void say_note(const char *text)
{
    if (mpib_launched_first())
        fprintf(stderr, "cpm: note: %s\n", text);
}

int main(int argc, char **argv)
{
    int words;
    hold_standard_streams();
    cpm_notice_to(say_note);
    const command *k = find_command(argc, argv, &words);
    int code = k ? with_command(k, words, argc, argv) : without_command(argc, argv);
    if (!k && code == USAGE)
        processes_let_first_speak();
    return code;
}
