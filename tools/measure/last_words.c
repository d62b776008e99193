/* The sentence is made before it is needed: a signal handler may hardly do more than write it. */
#include "tools/measure/last_words.h"
#include "base/escape.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- state of the process by nature: a signal handler has no argument to carry it, and it is also
 * read by the thread that watches */

static char command_name[32];
static char own_name[24]; /* "rank 2: "; empty at the first */
static bool first;
static char kept[512] = "nothing is measured yet";
static volatile sig_atomic_t measuring, has_file, over;
static bool hangup_ignored, pipe_ignored;

static void say(const char *who, const char *what)
{
    char text[1200];
    size_t used = 0;
    const char *parts[] = {"cpm ", command_name, ": ", who, what, "; ", kept, "\n"};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (const char *at = parts[p]; *at && used < sizeof text; at++)
            text[used++] = *at;
    if (write(STDERR_FILENO, text, used) < 0)
        return; /* nobody listens */
}

/* ---- signals */

static const char *reason(int number)
{
    return number == SIGINT    ? "interrupted"
           : number == SIGHUP  ? "ended by SIGHUP (nohup keeps it alive)"
           : number == SIGPIPE ? "nobody reads what it prints any more (SIGPIPE)"
                               : "ended by SIGTERM";
}

/* The first process speaks for all; another one only where somebody meant it alone: not a terminal,
 * nor its launcher, which end all. When all is measured, who has read enough of a table ends the
 * command as any other in a pipe. */
static bool is_to_speak(int number, const siginfo_t *from)
{
    if (over)
        return false;
    if (number == SIGPIPE)
        return measuring;
    return first || (from->si_code <= 0 && from->si_pid != getppid());
}

/* The other processes are the launcher's to end: MPI may not be called here. Ended as if nobody had
 * handled it: who started this, a launcher or a shell, is to know that. */
static void end_by_signal(int number, siginfo_t *from, void *context)
{
    (void)context;
    if (is_to_speak(number, from))
        say(own_name, reason(number));
    signal(number, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
    _exit(1);
}

/* UCX, on which MPI may be built, handles SIGHUP as soon as it is loaded, before main: only what an
 * executable asks for in this way is called earlier. Simulated processes are no executables. */
#ifndef CPM_SMPI
static bool is_ignored(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static void note_ignored(void)
{
    hangup_ignored = is_ignored(SIGHUP);
    pipe_ignored = is_ignored(SIGPIPE);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const before_libraries)(void) = note_ignored;
#endif

void last_words_begin(const call *c)
{
    snprintf(command_name, sizeof command_name, "%s", c->command->name);
}

static void handle(int number, bool ignored)
{
    struct sigaction action = {.sa_sigaction = end_by_signal, .sa_flags = SA_SIGINFO};
    sigfillset(&action.sa_mask);
    if (ignored)
        action = (struct sigaction){.sa_handler = SIG_IGN};
    sigaction(number, &action, NULL);
}

void last_words_listen(const call *c)
{
    first = c->speaks;
    if (!first)
        snprintf(own_name, sizeof own_name, "rank %d: ", c->machine->rank);
    handle(SIGTERM, false);
    handle(SIGINT, false);
    handle(SIGHUP, hangup_ignored);
    handle(SIGPIPE, pipe_ignored);
}

/* ---- what is kept */

/* What is no file ("-", a pipe, a device) has gone where it was sent. */
static bool is_file(const char *path)
{
    struct stat s;
    return strcmp(path, "-") != 0 && (stat(path, &s) != 0 || S_ISREG(s.st_mode));
}

void last_words_prepare(const char *path)
{
    char file[PATH_MAX];
    has_file = path && is_file(path);
    if (!path)
        snprintf(kept, sizeof kept, "nothing was kept, as no file was named for it");
    else if (!has_file)
        snprintf(kept, sizeof kept, "what was measured until then was written to %.200s",
                 strcmp(path, "-") == 0 ? "standard output" : cpm_escape(path, file, sizeof file));
    else
        snprintf(kept, sizeof kept,
                 "what was measured until then is in %.200s, and the same command with --resume "
                 "goes on",
                 cpm_escape(path, file, sizeof file));
    measuring = true;
}

void last_words_measured(void)
{
    measuring = false;
}

void last_words_over(void)
{
    over = true;
}

const char *last_words_kept(void)
{
    return has_file ? kept : NULL;
}

void last_words_lost(void *context, const char *who)
{
    (void)context;
    say(who, " does not answer any more: it has died or hangs");
    _exit(1);
}
