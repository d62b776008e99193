/* Running programs without a shell in between: names need no quoting. A plot script lies beside the
 * installed command or in the sources. */
#include "tools/frame/program.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/frame/unfinished.h"

static int run(char **argv, const char *package, const char *output, cpm_error *e)
{
    int code = 0, reason = unfinished_run(argv, &code);
    if (reason == ENOENT)
        return cpm_fail(e, CPM_EIO, "%s is not installed (Debian: apt install %s)", argv[0],
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
static int check_whole(const char *program, const char *drawn, const char *output, cpm_error *e)
{
    const char *suffix = strrchr(output, '.');
    for (const picture_end *k = ends; suffix && k->suffix; k++)
        if (strcmp(suffix, k->suffix) == 0 && !has_end(drawn, k->end))
            return cpm_fail(e, CPM_EIO, "%s: %s wrote no whole picture (is the disk full?)", output,
                            program);
    return CPM_OK;
}

/* Draws into that file, which is not the output yet. */
static int draw(const program_picture *p, const char *into, cpm_error *e)
{
    char name[PATH_MAX + 2];
    p->argv[p->place] = (char *)program_file(into, name, sizeof name);
    int status = run(p->argv, p->package, p->output, e);
    if (!status)
        status = check_whole(p->argv[0], into, p->output, e);
    return status || !p->check ? status : p->check(p->context, e);
}

static int copy(const char *from, FILE *to, const char *output, cpm_error *e)
{
    char piece[1 << 14];
    size_t length;
    FILE *f = fopen(from, "re");
    if (!f)
        return cpm_fail(e, CPM_EIO, "%s: the picture is gone: %s", output, strerror(errno));
    while ((length = fread(piece, 1, sizeof piece, f)) > 0)
        fwrite(piece, 1, length, to); /* what fails is noticed when it is closed */
    fclose(f);
    return CPM_OK;
}

/* A plotter does not notice that a device is full, and may open a pipe more than once. */
static int draw_to_stream(const program_picture *p, FILE *to, cpm_error *e)
{
    char folder[PATH_MAX], into[PATH_MAX + 32];
    int status = unfinished_folder_create(folder, sizeof folder, e);
    if (status)
        return status;
    const char *suffix = strrchr(p->output, '.');
    snprintf(into, sizeof into, "%s/picture%s", folder,
             suffix && !strchr(suffix, '/') ? suffix : "");
    status = draw(p, into, e);
    if (!status)
        status = copy(into, to, p->output, e);
    unfinished_folder_remove(folder);
    return status;
}

int program_draw(const program_picture *p, cpm_error *e)
{
    cpm_new_file picture;
    int status = unfinished_file_open(&picture, p->output, CPM_FILE_PICTURE, e);
    if (status)
        return status;
    status =
        picture.temporary ? draw(p, picture.temporary, e) : draw_to_stream(p, picture.stream, e);
    return unfinished_file_close(&picture, status, e);
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
    return program_draw(&(program_picture){argv, OUTPUT, "gnuplot-nox", arguments[0], NULL, NULL},
                        e);
}
