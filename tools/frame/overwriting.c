/* Files are compared by what they are, so that links and other ways to write a name do not hide
 * one; those that are not there yet by their names. Devices may be both read and written. */
#include "tools/frame/overwriting.h"

#include <string.h>
#include <sys/stat.h>

#include "tools/frame/options.h"
#include "tools/frame/output.h"

enum { MOST = 48 };

/* The files that options name. */
typedef struct {
    const call *c;
    int count;
    struct {
        const option *by;
        const char *path;
        bool written;
    } at[MOST];
} named;

/* Whether it is, or is going to be; that of "-" is no file. */
static bool will_be_same_file(const char *a, const char *b)
{
    struct stat there;
    bool new = stat(a, &there) != 0 && strcmp(a, "-") != 0;
    return file_is_same(a, b) || (new &&strcmp(a, b) == 0);
}

static void add(void *context, const option *o)
{
    named *all = context;
    bool text = o->set == set_text || o->set == set_new_file;
    if (!text || !o->argument || !strstr(o->argument, "FILE") || all->count == MOST)
        return;
    const char *path = *(const char *const *)((const char *)all->c->set + o->offset);
    if (path) {
        all->at[all->count].by = o;
        all->at[all->count].path = path;
        all->at[all->count++].written = o->set == set_new_file;
    }
}

/* "0,1=FILE" is that file. */
static const char *file_of(const char *operand)
{
    size_t processes = strspn(operand, "0123456789,-");
    return processes && operand[processes] == '=' ? operand + processes + 1 : operand;
}

static int check_operands(const call *c, const char *path, const option *by, cpm_error *e)
{
    int count = c->command->passes_on ? 1 : c->operands;
    for (int i = 0; i < count; i++)
        if (file_is_same(file_of(c->operand[i]), path))
            return cpm_fail(e, CPM_EINVAL,
                            "%s: is one of the files that are read: name another with --%s", path,
                            by->name);
    return CPM_OK;
}

static int check_options(const named *all, int written, cpm_error *e)
{
    const char *path = all->at[written].path;
    for (int i = 0; i < all->count; i++)
        if (i != written && will_be_same_file(all->at[i].path, path))
            return cpm_fail(e, CPM_EINVAL, "%s: --%s and --%s name the same file: name another",
                            path, all->at[i].by->name, all->at[written].by->name);
    return CPM_OK;
}

int overwriting_check(const call *c, cpm_error *e)
{
    named all = {.c = c};
    int status = CPM_OK;
    options_each(c->command, add, &all);
    bool files = c->command->passes_on || strstr(c->command->operands, "FILE") != NULL;
    for (int i = 0; i < all.count && !status; i++)
        if (all.at[i].written) {
            status = check_options(&all, i, e);
            if (!status && files)
                status = check_operands(c, all.at[i].path, all.at[i].by, e);
        }
    return status;
}
