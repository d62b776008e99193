/* What standard input holds is kept in a file without a name, which takes its place: commands look
 * more than once at what they read, and each time that "/dev/stdin" is opened it begins afresh. */
#include "tools/frame/standard_input.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/frame/options.h"

static char place[] = "/dev/stdin";

typedef struct {
    const call *c;
    const option *by; /* the first option that names it */
    int count;
} taken;

static bool is_it(const char *name)
{
    return name && strcmp(name, "-") == 0;
}

static void take_option(void *context, const option *o)
{
    taken *t = context;
    if (o->set != set_text || !o->argument || !strstr(o->argument, "FILE"))
        return;
    const char **name = (const char **)((char *)t->c->set + o->offset);
    if (!is_it(*name))
        return;
    *name = place;
    t->by = o;
    t->count++;
}

static void take_operands(taken *t)
{
    const char *operands = t->c->command->operands; /* "FILE ...", "BEFORE.mod AFTER.mod" */
    bool files = strstr(operands, "FILE") || strstr(operands, ".mod");
    for (int i = 0; files && i < t->c->operands; i++)
        if (is_it(t->c->operand[i])) {
            t->c->operand[i] = place;
            t->count++;
        }
}

static bool copy_piece(int to, const char *piece, ssize_t length)
{
    for (ssize_t written = 0; length > 0; piece += written, length -= written)
        if ((written = write(to, piece, (size_t)length)) < 0)
            return false;
    return true;
}

static bool copy_all(int to)
{
    char piece[1 << 16];
    ssize_t length;
    while ((length = read(STDIN_FILENO, piece, sizeof piece)) > 0)
        if (!copy_piece(to, piece, length))
            return false;
    return length == 0;
}

static int keep(cpm_error *e)
{
    int file = memfd_create("cpm", MFD_CLOEXEC);
    bool kept = file >= 0 && copy_all(file) && dup2(file, STDIN_FILENO) >= 0;
    int reason = errno;
    if (file >= 0)
        close(file);
    return kept ? CPM_OK
                : cpm_fail(e, CPM_EIO, "standard input cannot be read: %s", strerror(reason));
}

int standard_input_take(call *c, cpm_error *e)
{
    taken t = {.c = c};
    options_each(c->command, take_option, &t);
    take_operands(&t);
    if (!t.count)
        return CPM_OK;
    if (c->command->passes_on)
        return cpm_fail(e, CPM_EINVAL,
                        "--%s -: standard input is the program's: write this to a file first",
                        t.by->name);
    if (c->command->measures && !c->set->machine.model)
        return cpm_fail(e, CPM_EINVAL,
                        "-: not all processes of a run can read standard input: write it to a file "
                        "first");
    return keep(e);
}
