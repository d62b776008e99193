/* cpm run: a program whose collectives are chosen. It only sets the environment: what is wrong with
 * a model or a name is the library's to say, once, and no reason not to run the program. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adapt/policy.h"
#include "base/installed.h"
#include "base/new_file.h"
#include "hosts/launcher.h"
#include "tools/frame/options.h"
#include "tools/frame/placement.h"
#include "tools/mpi/processes.h"

/* What chooses the program's collectives, and what is said of it. */
typedef struct {
    settings shared;
    const char *model, *table, *rules, *force, *adapt, *learn, *report_to, *report_format;
    bool trust, verbose, turns, yield, reproducible, early, progress;
} run_settings;

static run_settings *run_of(const call *c)
{
    return (run_settings *)c->set;
}

/* The loader ends a name in LD_PRELOAD at a blank or a colon and replaces what follows a dollar. A
 * folder with such a name is opened, and stays open while the program runs: its number stands for
 * it, and nothing has to be removed. Libraries that are looked for beside this one are found. */
static int make_plain(char *path, size_t size, const char *name, cpm_error *e)
{
    if (!strpbrk(path, " :$"))
        return CPM_OK;
    char plain[64];
    *strrchr(path, '/') = '\0';
    int folder = open(path, O_PATH | O_DIRECTORY);
    snprintf(plain, sizeof plain, "/proc/self/fd/%d/%s", folder, name);
    if (folder < 0 || access(plain, R_OK) != 0)
        return cpm_fail(e, CPM_EIO,
                        "%s/%s cannot be preloaded, as its path has a blank, colon or dollar: "
                        "install CPM elsewhere",
                        path, name);
    snprintf(path, size, "%s", plain);
    return CPM_OK;
}

/* Puts a library in front of those that are preloaded already. */
static int preload(const char *name, cpm_error *e)
{
    char path[4096], all[2 * sizeof path];
    if (!cpm_installed(name, path, sizeof path))
        return cpm_fail(e, CPM_EIO, "%s is not where CPM's libraries are: install CPM again", name);
    int status = make_plain(path, sizeof path, name, e);
    if (status)
        return status;
    const char *others = getenv("LD_PRELOAD");
    int length = snprintf(all, sizeof all, "%s%s%s", path, others && *others ? ":" : "",
                          others ? others : "");
    if (length >= (int)sizeof all)
        return cpm_fail(e, CPM_EINVAL, "LD_PRELOAD is too long");
    return setenv("LD_PRELOAD", all, 1) ? cpm_no_memory(e) : CPM_OK;
}

/* Without a name: within a budget. */
static int set_policy(void *value, const char *text, cpm_error *e)
{
    cpm_adapt_policy known;
    *(const char **)value = text ? text : "budget";
    return cpm_adapt_policy_parse(*(const char **)value, &known, e);
}

/* A file is meant by its place from here on: the program may go elsewhere before it is opened. */
static int set_file(const char *name, const char *path)
{
    char *here = *path == '/' || strcmp(path, "-") == 0 ? NULL : getcwd(NULL, 0), *whole = NULL;
    if (here && asprintf(&whole, "%s/%s", here, path) < 0)
        whole = NULL;
    int failed = setenv(name, whole ? whole : path, 1);
    free(here);
    free(whole);
    return failed;
}

/* What is not asked for keeps its value. A layout and a placement may be files. */
static int set_variables(const run_settings *s, cpm_error *e)
{
    const struct {
        const char *name, *value;
        bool file;
    } all[] = {{"CPM_MODEL", s->model, true},
               {"CPM_TABLE", s->table, true},
               {"CPM_RULES", s->rules, true},
               {"CPM_FORCE", s->force, false},
               {"CPM_TRUST", s->trust ? "1" : NULL, false},
               {"CPM_TOPOLOGY", s->shared.where.topology, true},
               {"CPM_LAYOUT", s->shared.where.layout,
                s->shared.where.layout && !access(s->shared.where.layout, F_OK)},
               {"CPM_PLACEMENT", s->shared.where.placement,
                s->shared.where.placement && !access(s->shared.where.placement, F_OK)},
               {"CPM_VERBOSE", s->verbose ? "1" : NULL, false},
               {"CPM_REPORT", s->report_to, true},
               {"CPM_FORMAT", s->report_format, false},
               {"CPM_PROFILE", s->shared.calls.profile, true},
               {"CPM_COMPARE", s->turns ? "1" : NULL, false},
               {"CPM_ADAPT", s->adapt, false},
               {"CPM_LEARN", s->learn, true},
               {"CPM_REPRODUCIBLE", s->reproducible ? "1" : NULL, false},
               {"CPM_EARLY", s->early ? "1" : NULL, false},
               {"CPM_PROGRESS", s->progress ? "1" : NULL, false}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].value && (all[k].file ? set_file(all[k].name, all[k].value)
                                         : setenv(all[k].name, all[k].value, 1)))
            return cpm_no_memory(e);
    return CPM_OK;
}

/* What names the choices; NULL: nothing does. */
static const char *who_chooses(const run_settings *s)
{
    return s->model   ? "--model"
           : s->table ? "--table"
           : s->rules ? "--rules"
           : s->force ? "--force"
                      : NULL;
}

/* What fixes choices, but for a model or table. */
static const char *what_fixes(const run_settings *s)
{
    return s->force ? "--force" : s->rules ? "--rules" : NULL;
}

/* Whether the program's calls decide, as the library sees it (tuned/environment.c). */
static bool calls_decide(const run_settings *s)
{
    bool named = s->model || s->table;
    return s->adapt || (named && !s->trust && !s->turns && !what_fixes(s));
}

static int check_trust(const run_settings *s, cpm_error *e)
{
    if (s->trust && !s->model && !s->table)
        return cpm_fail(e, CPM_EINVAL, "--trust needs --model or --table: it trusts what they say");
    if (s->trust && s->adapt)
        return cpm_fail(e, CPM_EINVAL,
                        "--adapt and --trust exclude each other: the program's calls decide, or "
                        "nothing but the file does");
    if (s->trust && (s->learn || s->reproducible))
        return cpm_fail(e, CPM_EINVAL, "--trust: omit %s, which needs calls that decide",
                        s->learn ? "--learn" : "--reproducible");
    return CPM_OK;
}

static int check_learning(const run_settings *s, cpm_error *e)
{
    if (s->learn && (!calls_decide(s) || (s->adapt && strcmp(s->adapt, "budget") != 0)))
        return cpm_fail(e, CPM_EINVAL, "--learn needs --adapt, with a budget");
    return CPM_OK;
}

/* What runs collectives in ways that exclude each other. */
static int check_ways(const run_settings *s, const char *chooses, cpm_error *e)
{
    const char *fixes = what_fixes(s);
    if (s->shared.calls.profile && (s->adapt || s->turns))
        return cpm_fail(e, CPM_EINVAL,
                        "--profile watches MPI's own collectives and chooses none: omit %s",
                        s->adapt ? "--adapt" : "--compare");
    if (s->adapt && s->turns)
        return cpm_fail(e, CPM_EINVAL,
                        "--adapt and --compare exclude each other: choices that change cannot be "
                        "compared; what --adapt saves is in its own report (--verbose)");
    if (s->turns && !chooses)
        return cpm_fail(e, CPM_EINVAL, "--compare needs --model, --table, --rules or --force");
    if (s->shared.calls.profile && chooses)
        return cpm_fail(e, CPM_EINVAL,
                        "--profile watches MPI's own collectives and chooses none: omit %s",
                        chooses);
    if (s->adapt && fixes)
        return cpm_fail(e, CPM_EINVAL, "--adapt: omit %s, with which choices do not change", fixes);
    return CPM_OK;
}

static int check(const call *c, cpm_error *e)
{
    const run_settings *s = run_of(c);
    const char *chooses = who_chooses(s);
    cpm_format known;
    cpm_error why = {0};
    int status = check_ways(s, chooses, e);
    if (!status)
        status = check_trust(s, e);
    if (status)
        return status;
    if (s->shared.where.topology && !chooses && !s->adapt)
        return cpm_fail(e, CPM_EINVAL,
                        "--topology needs --model, --table, --rules, --force or --adapt");
    if (s->progress && !chooses && !s->adapt)
        return cpm_fail(e, CPM_EINVAL,
                        "--progress needs --model, --table, --rules, --force or --adapt");
    if (s->reproducible && !calls_decide(s))
        return cpm_fail(e, CPM_EINVAL, "--reproducible needs --adapt, whose choices it restricts");
    if (s->early && !calls_decide(s))
        return cpm_fail(e, CPM_EINVAL, "--early needs --adapt, for which it opens communicators");
    if (s->shared.where.placement && !s->shared.where.layout)
        return cpm_fail(e, CPM_EINVAL, "--placement needs --layout");
    if (s->report_format && !s->report_to)
        return cpm_fail(e, CPM_EINVAL, "--format needs --report FILE");
    if (s->report_format && set_format(&known, s->report_format, &why))
        return cpm_fail(e, CPM_EINVAL, "--format: %s", why.text);
    if (s->adapt && strcmp(s->adapt, "threshold") == 0 && (s->model || s->table))
        return cpm_fail(e, CPM_EINVAL,
                        "--adapt=threshold: leave out %s: the program's calls alone decide",
                        chooses);
    return check_learning(s, e);
}

/* "--adapt star" takes the policy for the program. */
static int refuse_program(const call *c, int reason, cpm_error *e)
{
    const char *name = c->operand[0];
    cpm_adapt_policy known;
    bool policy = run_of(c)->adapt && cpm_adapt_policy_parse(name, &known, NULL) == CPM_OK;
    return cpm_fail(e, CPM_EIO, "%s cannot be run: %s%s%s", name, strerror(reason),
                    policy ? "; the policy is meant? --adapt=" : "", policy ? name : "");
}

/* What cannot be written at the end is said before the program runs. Where a host may lack a file
 * that another has, a process that ended alone would be waited for: there the library says it, as
 * it always does of a history. */
static int check_outputs(const run_settings *s, cpm_error *e)
{
    const struct {
        const char *path;
        cpm_file_kind kind;
    } all[] = {{s->shared.calls.profile, CPM_FILE_PROFILE}, {s->report_to, CPM_FILE_REPORT}};
    int status = CPM_OK;
    for (size_t k = 0; k < sizeof all / sizeof *all && !status; k++)
        if (all[k].path)
            status = cpm_new_file_check(all[k].path, all[k].kind, NULL, e);
    return status;
}

static int run(call *c, cpm_error *e)
{
    int status = processes_need_mpi("the program uses", e);
    if (!status && mpib_launched_on_one_host())
        status = check_outputs(run_of(c), e);
    if (!status)
        status = set_variables(run_of(c), e);
    if (!status && run_of(c)->yield)
        status = preload("libcpm-yield.so", e);
    if (!status)
        status = preload("libcpm-tuned.so", e);
    if (status)
        return status;
    execvp(c->operand[0], c->operand);
    return refuse_program(c, errno, e);
}

/* clang-format off */
static const option own[] = {
    {"model", 0, "FILE", "try first what this model (.mod) predicts to be the fastest, in the "
                         "program's calls, and keep it if it is", offsetof(run_settings, model), set_text},
    {"table", 0, "FILE", "the same with this decision table (cpm tune), which takes precedence "
                         "over --model. One that was measured is trusted where that was "
                         "done", offsetof(run_settings, table), set_text},
    {"trust", 0, NULL, "run what --model or --table says in every call, without looking whether "
                       "it is faster: for measuring. Where the prediction is wrong calls stay "
                       "slower: some took 1.9 times as long as MPI's own", offsetof(run_settings, trust), NULL},
    {"rules", 0, "FILE", "choose by these rules (cpm rules); where none holds, the table "
                         "or model is trusted", offsetof(run_settings, rules), set_text},
    {"force", 0, "OP:ALGORITHM,...", "run these operations by these algorithms: "
                                     "bcast:chain:segment=8K,gather:split; takes precedence over "
                                     "all other choices", offsetof(run_settings, force), set_text},
    {"adapt", 0, "[=POLICY]", "choose by timing the calls of the program, without a model too: "
                              "within a budget (default), as STAR-MPI does (star, star-basic), or "
                              "alltoallv's threshold (threshold)", offsetof(run_settings, adapt), set_policy},
    {"learn", 0, "FILE", "with --adapt: begin with what earlier runs have learnt, and save what "
                         "this run learns", offsetof(run_settings, learn), set_text},
    {"reproducible", 0, NULL, "with --adapt: keep MPI's own reductions, so that results do not "
                              "depend on what is tried", offsetof(run_settings, reproducible), NULL},
    {"early", 0, NULL, "with --adapt: open communicators when they are made, for loops of "
                       "nonblocking collectives in which no blocking one comes", offsetof(run_settings, early), NULL},
    {"verbose", 'v', NULL, "print at the end what was chosen, how often, and how long it took", offsetof(run_settings, verbose), NULL},
    {"report", 0, "FILE", "write the same to a file at the end", offsetof(run_settings, report_to), set_new_file},
    {"format", 0, "FORMAT", "format of the report: text (default), tsv or json", offsetof(run_settings, report_format), set_text},
    {"profile", 0, "FILE", "choose nothing; write the collectives of the program at the end: "
                           "operations, sizes, communicators, times (for cpm predict --profile)", offsetof(settings, calls.profile), set_new_file},
    {"compare", 0, NULL, "alternate MPI's own collectives with the chosen ones, and print at the "
                         "end what these gain", offsetof(run_settings, turns), NULL},
    {"progress", 0, NULL, "a thread goes on with nonblocking and persistent calls by CPM's algorithms "
                          "while the program computes: leave it a processor", offsetof(run_settings, progress), NULL},
    {"yield", 0, NULL, "idle processes yield their processor (MPICH over UCX, more processes "
                       "than processors)", offsetof(run_settings, yield), NULL},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_run_command = {
    .name = "run",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .summary = "run an MPI program with collectives that its own calls, a model or a table choose",
    .description =
        "Runs a program unchanged, in C or Fortran: preloads libcpm-tuned.so, which takes over "
        "its collectives. Options have environment variables: CPM_MODEL, CPM_TABLE, "
        "CPM_TRUST=1, CPM_RULES, CPM_FORCE, CPM_TOPOLOGY, CPM_LAYOUT, CPM_PLACEMENT, "
        "CPM_ADAPT, CPM_LEARN, CPM_REPRODUCIBLE=1, CPM_PROGRESS=1. Those of reports: "
        "CPM_VERBOSE=1, CPM_REPORT, CPM_FORMAT, CPM_PROFILE, CPM_COMPARE=1. They work without cpm "
        "run, with LD_PRELOAD. CPM_CHECK=1, only there, makes the processes compare their "
        "arguments in each call, and names a "
        "difference. MPI runs what CPM cannot choose (doc/tuned.md).",
    .example = "mpiexec -n 4 cpm run --model lmo4.mod -- true",
    .min_operands = 1,
    .max_operands = 1 << 30,
    .passes_on = true,
    .check = check,
    .settings = sizeof(run_settings),
    .options = {own, topology_options, layout_options},
    .run = run,
};
