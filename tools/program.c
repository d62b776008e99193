/* Running programs without a shell in between: names need no quoting. A plot script lies beside the
 * installed command or in the sources. */
#include "tools/program.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/unfinished.h"

static int run(char **argv, const char *package, const char *output, cpm_error *e)
{
    int code = 0, reason = unfinished_run(argv, &code);
    if (reason == ENOENT)
        return cpm_fail(e, CPM_EUNKNOWN, "%s is not installed (Debian: apt install %s)", argv[0],
                        package);
    if (reason)
        return cpm_fail(e, CPM_EIO, "%s does not start: %s", argv[0], strerror(reason));
    if (WIFEXITED(code) && WEXITSTATUS(code) == 0)
        return CPM_OK;
    if (WIFSIGNALED(code))
        return cpm_fail(e, CPM_EIO, "%s: %s was ended by signal %d (%s)", output, argv[0],
                        WTERMSIG(code), strsignal(WTERMSIG(code)));
    return cpm_fail(e, CPM_EIO, "%s: %s failed with exit code %d; standard error has what it said",
                    output, argv[0], WEXITSTATUS(code));
}

/* ---- pictures */

/* How files of a format end, by their names. */
typedef struct {
    const char *suffix, *end;
} picture_end;

static const picture_end ends[] = {
    {".png", "IEND"}, {".pdf", "%%EOF"}, {".svg", "</svg>"}, {NULL, NULL}};

static bool has_end(const char *path, const char *end)
{
    char tail[64];
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    if (fseek(f, -(long)sizeof tail, SEEK_END) != 0)
        rewind(f);
    size_t length = fread(tail, 1, sizeof tail, f);
    fclose(f);
    return memmem(tail, length, end, strlen(end)) != NULL;
}

/* A plotter that writes nothing, or whose disk was full, may say that all is well. */
static int check_whole(const char *program, const cpm_new_file *picture, cpm_error *e)
{
    const char *suffix = strrchr(picture->path, '.');
    for (const picture_end *k = ends; suffix && k->suffix; k++)
        if (strcmp(suffix, k->suffix) == 0 && !has_end(picture->temporary, k->end))
            return cpm_fail(e, CPM_EIO, "%s: %s wrote no whole picture (is the disk full?)",
                            picture->path, program);
    return CPM_OK;
}

/* A link to it is removed, not where it leads to. */
void program_forget(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
        unlink(path);
}

int program_draw(char **argv, int place, const char *package, const char *output, cpm_error *e)
{
    char name[PATH_MAX + 2];
    cpm_new_file picture;
    int status = unfinished_file_open(&picture, output, e);
    if (status)
        return status;
    argv[place] =
        (char *)program_file(picture.temporary ? picture.temporary : output, name, sizeof name);
    status = run(argv, package, output, e);
    if (!status && picture.temporary)
        status = check_whole(argv[0], &picture, e);
    status = unfinished_file_close(&picture, status, e);
    if (status)
        program_forget(output);
    return status;
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
    if (is_installed(script, path, size) ||
        (*CPM_SOURCE_GNUPLOT && is_script(CPM_SOURCE_GNUPLOT, script, path, size)))
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
    enum { OUTPUT = 3 };
    char path[2 * PATH_MAX];
    char *argv[GNUPLOT_ARGUMENTS + 4] = {"gnuplot", "-c", path};
    int status = find_script(script, path, sizeof path, e);
    if (status)
        return status;
    for (int i = 1; arguments[i] && i < GNUPLOT_ARGUMENTS; i++)
        argv[OUTPUT + i] = (char *)arguments[i];
    setenv("LC_ALL", "C.UTF-8", 1); /* in the locale "C" gnuplot complains about its own signs */
    return program_draw(argv, OUTPUT, "gnuplot-nox", arguments[0], e);
}
