/* Running programs without a shell in between: names need no quoting. A plot script lies beside the
 * installed command or in the sources. */
#include "tools/program.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int program_run(char **argv, const char *package, const char *output, cpm_error *e)
{
    pid_t child;
    int reason = posix_spawnp(&child, argv[0], NULL, NULL, argv, environ), code = 0;
    if (reason == ENOENT)
        return cpm_fail(e, CPM_EIO, "%s is not installed (Debian: apt install %s)", argv[0],
                        package);
    if (reason)
        return cpm_fail(e, CPM_EIO, "%s does not start: %s", argv[0], strerror(reason));
    while (waitpid(child, &code, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(code) && WEXITSTATUS(code) == 0)
        return CPM_OK;
    remove(output);
    return cpm_fail(e, CPM_EINVAL, "%s failed on %s", argv[0], output);
}

/* ---- gnuplot */

static int is_script(const char *folder, const char *script, char *path, size_t size)
{
    int length = snprintf(path, size, "%s/%s.gp", folder, script);
    return length < (int)size && access(path, R_OK) == 0;
}

/* Beside an installed command, bin/cpm and share/cpm/gnuplot have the same parent. */
static int is_installed(const char *script, char *path, size_t size)
{
    char self[PATH_MAX], folder[PATH_MAX + 32];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return 0;
    self[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(self, '/');
        if (!slash)
            return 0;
        *slash = '\0';
    }
    snprintf(folder, sizeof folder, "%s/share/cpm/gnuplot", self);
    return is_script(folder, script, path, size);
}

static int find_script(const char *script, char *path, size_t size, cpm_error *e)
{
    const char *chosen = getenv("CPM_GNUPLOT_DIR");
    if (chosen && is_script(chosen, script, path, size))
        return CPM_OK;
    if (chosen)
        return cpm_fail(e, CPM_EIO, "CPM_GNUPLOT_DIR: there is no %s.gp in '%s'", script, chosen);
    if (is_installed(script, path, size) || is_script(CPM_SOURCE_GNUPLOT, script, path, size))
        return CPM_OK;
    return cpm_fail(e, CPM_EIO, "no plot script %s.gp is installed (set CPM_GNUPLOT_DIR)", script);
}

const char *program_file(const char *path, char *name, size_t size)
{
    snprintf(name, size, "%s%s", path[0] == '/' ? "" : "./", path);
    return name;
}

int gnuplot_run(const char *script, const char *const *arguments, cpm_error *e)
{
    char path[2 * PATH_MAX], output[PATH_MAX + 2];
    char *argv[GNUPLOT_ARGUMENTS + 4] = {"gnuplot", "-c", path};
    int status = find_script(script, path, sizeof path, e);
    if (status)
        return status;
    argv[3] = (char *)program_file(arguments[0], output, sizeof output);
    for (int i = 1; arguments[i] && i < GNUPLOT_ARGUMENTS; i++)
        argv[3 + i] = (char *)arguments[i];
    return program_run(argv, "gnuplot-nox", arguments[0], e);
}
