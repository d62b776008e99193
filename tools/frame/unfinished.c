/* A list of them, and a handler of signals that removes what is listed. */
#include "tools/frame/unfinished.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- state of the process by nature: a signal handler has no argument to carry it */

enum { MOST = 4 };              /* a page and its folder, another folder, a picture */
static const char *paths[MOST]; /* NULL: a free place */
static pid_t child;             /* 0: none */

/* ---- removal, by what a handler may call */

/* Returns whether there were some; what is removed while it is read may hide others. */
static bool remove_some(int folder)
{
    bool some = false;
    _Alignas(struct dirent64) char entries[4096];
    ssize_t size;
    lseek(folder, 0, SEEK_SET);
    while ((size = getdents64(folder, entries, sizeof entries)) > 0)
        for (char *at = entries; at < entries + size; at += ((struct dirent64 *)at)->d_reclen)
            some = unlinkat(folder, ((struct dirent64 *)at)->d_name, 0) == 0 || some;
    return some;
}

static void remove_path(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) {
        unlink(path);
        return;
    }
    while (remove_some(folder))
        ;
    close(folder);
    rmdir(path);
}

/* The program is ended first: it might write once more. The signal comes again when this returns,
 * and then nothing handles it. */
static void end(int number)
{
    if (child) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    for (int k = 0; k < MOST; k++)
        if (paths[k])
            remove_path(paths[k]);
    raise(number);
}

/* ---- the list */

static const int signals[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM, 0};

/* None of the signals comes until they are as before. */
static void hold(sigset_t *before)
{
    sigset_t held;
    sigemptyset(&held);
    for (int k = 0; signals[k]; k++)
        sigaddset(&held, signals[k]);
    sigprocmask(SIG_BLOCK, &held, before);
}

static void release(const sigset_t *before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
}

/* What is ignored, as SIGHUP below nohup, stays so. UCX, on which MPI may be built, handles SIGHUP
 * and lets the command go on; here it does not. */
static void handle_signals(void)
{
    struct sigaction action = {.sa_handler = end, .sa_flags = (int)SA_RESETHAND}, now;
    sigfillset(&action.sa_mask);
    for (int k = 0; signals[k]; k++)
        if (sigaction(signals[k], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(signals[k], &action, NULL);
}

static void replace(const char *old, const char *new)
{
    int k = 0;
    while (k < MOST && paths[k] != old)
        k++;
    if (k < MOST)
        paths[k] = new;
}

/* While signals are held. */
static void list(const char *path)
{
    handle_signals();
    replace(NULL, path);
}

/* ---- folders */

int unfinished_folder_create(char *path, size_t size, cpm_error *e)
{
    const char *parent = getenv("TMPDIR");
    sigset_t before;
    snprintf(path, size, "%s/cpm-plot.XXXXXX", parent && *parent ? parent : "/tmp");
    hold(&before);
    bool made = mkdtemp(path) != NULL;
    int reason = errno;
    if (made)
        list(path);
    release(&before);
    return made ? CPM_OK
                : cpm_fail(e, CPM_EIO, "%s: no folder for plot data: %s", path, strerror(reason));
}

void unfinished_folder_remove(const char *path)
{
    sigset_t before;
    hold(&before);
    remove_path(path);
    replace(path, NULL);
    release(&before);
}

/* ---- files */

int unfinished_file_open(cpm_new_file *f, const char *path, cpm_file_kind kind, cpm_error *e)
{
    sigset_t before;
    struct stat now;
    if (stat(path, &now) == 0 && !S_ISREG(now.st_mode)) /* a pipe waits for its reader */
        return cpm_new_file_open(f, path, kind, e);
    hold(&before);
    int status = cpm_new_file_open(f, path, kind, e);
    if (!status && f->temporary)
        list(f->temporary);
    release(&before);
    return status;
}

int unfinished_file_close(cpm_new_file *f, int status, cpm_error *e)
{
    sigset_t before;
    if (!f->temporary)
        return cpm_new_file_close(f, status, e);
    hold(&before);
    replace(f->temporary, NULL);
    status = cpm_new_file_close(f, status, e);
    release(&before);
    return status;
}

/* ---- programs */

/* The signals mean to the program what they meant to the command. */
static int start(char *const *argv)
{
    posix_spawnattr_t attributes;
    sigset_t before;
    int reason = posix_spawnattr_init(&attributes);
    if (reason)
        return reason;
    hold(&before);
    posix_spawnattr_setsigmask(&attributes, &before);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    reason = posix_spawnp(&child, argv[0], NULL, &attributes, argv, environ);
    if (reason)
        child = 0;
    release(&before);
    posix_spawnattr_destroy(&attributes);
    return reason;
}

/* Its number is another's as soon as it is waited for, so that it is forgotten before. */
int unfinished_run(char *const *argv, int *code)
{
    siginfo_t ended;
    int reason = start(argv);
    if (reason)
        return reason;
    pid_t own = child;
    while (waitid(P_PID, (id_t)own, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    child = 0;
    while (waitpid(own, code, 0) < 0 && errno == EINTR)
        ;
    return 0;
}
