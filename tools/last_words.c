/* The sentence is made before it is needed: a signal handler may hardly do more than write it. */
#include "tools/last_words.h"
#include "base/shown.h"

#include <limits.h>
#include <signal.h>
#include <unistd.h>

/* State of the process by nature: a signal handler has no argument to carry it, and it is also
 * read by the thread that watches. */
static char command_name[32];
static char kept[512] = "nothing was kept";

static void say(const char *what, const char *more)
{
    char text[1200];
    size_t used = 0;
    const char *parts[] = {"cpm ", command_name, ": ", what, more, "; ", kept, "\n"};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (const char *at = parts[p]; *at && used < sizeof text; at++)
            text[used++] = *at;
    if (write(STDERR_FILENO, text, used) < 0)
        return; /* nobody listens */
}

/* The other processes are the launcher's to end: MPI may not be called here. Ended as if nobody had
 * handled it: who started this, a launcher or a shell, is to know that. */
static void end_by_signal(int number)
{
    say(number == SIGINT ? "interrupted" : "ended by SIGTERM", "");
    signal(number, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
    _exit(1);
}

static void handle(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
}

void last_words_prepare(const call *c, const char *path)
{
    snprintf(command_name, sizeof command_name, "%s", c->command->name);
    char file[PATH_MAX];
    if (path)
        snprintf(kept, sizeof kept,
                 "what was measured until then is in %.200s, and the same command with --resume "
                 "goes on",
                 cpm_shown(path, file, sizeof file));
    if (c->speaks)
        handle(end_by_signal);
}

void last_words_forget(void)
{
    handle(SIG_DFL);
}

void last_words_lost(void *context, const char *who)
{
    (void)context;
    say(who, " does not answer any more: it has died or hangs");
    _exit(1);
}
