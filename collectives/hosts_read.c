/* Layouts as people write them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/numbers.h"
#include "base/text_file.h"
#include "base/vector.h"
#include "collectives/hosts.h"

static int not_regular(const char *text, cpm_error *e)
{
    return cpm_fail(e, CPM_EINVAL, "%s: is not like 4x8 (hosts x processes of each)", text);
}

/* "4x8" */
static int read_regular(const char *text, bool cyclic, cpm_hosts *out, cpm_error *e)
{
    char *end;
    long hosts = strtol(text, &end, 10), each = 0;
    if (*end != 'x' || !isdigit((unsigned char)end[1]))
        return not_regular(text, e);
    each = strtol(end + 1, &end, 10);
    if (*end)
        return not_regular(text, e);
    if (hosts > CPM_MOST_PROCESSES || each > CPM_MOST_PROCESSES)
        return cpm_fail(e, CPM_EINVAL, "%s: at most %d processes together", text,
                        CPM_MOST_PROCESSES);
    return cpm_hosts_regular((int)hosts, (int)each, cyclic, out, e);
}

/* A name for each process, between blanks; changes text. */
static int split_names(char *text, const char ***names, int *count, cpm_error *e)
{
    int64_t capacity = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " \t\r\n", &rest); word;
         word = strtok_r(NULL, " \t\r\n", &rest)) {
        if (!cpm_vector_reserve((void **)names, &capacity, *count + 1, sizeof **names))
            return cpm_fail(e, CPM_ENOMEM, "no memory for the hosts of %d processes", *count);
        (*names)[(*count)++] = word;
    }
    return CPM_OK;
}

static int keep_names(const char *const *names, cpm_hosts *h, cpm_error *e)
{
    h->name = calloc((size_t)h->count, sizeof *h->name);
    bool ok = h->name != NULL;
    for (int i = 0; i < h->n && ok; i++)
        if (!h->name[h->of[i]])
            ok = (h->name[h->of[i]] = strdup(names[i])) != NULL;
    return ok ? CPM_OK : cpm_fail(e, CPM_ENOMEM, "no memory for the names of %d hosts", h->count);
}

/* Changes text. */
static int take_names(char *text, cpm_hosts *out, cpm_error *e)
{
    const char **names = NULL;
    int count = 0, status = split_names(text, &names, &count, e);
    if (!status && !count)
        status = cpm_fail(e, CPM_EPARSE, "has no names of hosts, one for each process");
    if (!status)
        status = cpm_hosts_named(names, count, out, e);
    if (!status && (status = keep_names(names, out, e)))
        cpm_hosts_clear(out);
    free(names);
    return status;
}

static int read_names(const char *path, cpm_hosts *out, cpm_error *e)
{
    char *text = NULL;
    size_t size;
    cpm_error why = {0};
    int status = cpm_text_read(path, &text, &size, e);
    if (status)
        return status;
    status = take_names(text, out, &why);
    free(text);
    return status ? cpm_fail(e, status, "%s: %s", path, why.text) : CPM_OK;
}

int cpm_hosts_of_line(const char *line, cpm_hosts *out, cpm_error *e)
{
    char *copy = strdup(line);
    int status = copy ? take_names(copy, out, e) : cpm_fail(e, CPM_ENOMEM, "no memory for hosts");
    free(copy);
    return status;
}

const char *cpm_placement_named(int k)
{
    static const char *const names[] = {"block", "cyclic", NULL};
    return names[k];
}

int cpm_hosts_read(const char *layout, const char *placement, cpm_hosts *out, cpm_error *e)
{
    int cyclic = 0;
    int status = placement ? cpm_names_find(cpm_placement_named, "placement", placement, &cyclic, e)
                           : CPM_OK;
    if (status)
        return status;
    if (isdigit((unsigned char)*layout))
        return read_regular(layout, cyclic, out, e);
    if (placement)
        return cpm_fail(e, CPM_EINVAL, "%s: says itself where each process is, not %s", layout,
                        placement);
    return read_names(layout, out, e);
}
