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

typedef struct {
    const char **names;
    int64_t capacity;
    int count;
} name_list;

static int append(name_list *l, const char *name, long times, cpm_error *e)
{
    if (times < 1 || times > CPM_MOST_PROCESSES - l->count)
        return cpm_fail(e, CPM_EPARSE, "%s: expected 1 to %d processes, found %ld", name,
                        CPM_MOST_PROCESSES, times);
    if (!cpm_vector_reserve((void **)&l->names, &l->capacity, l->count + times, sizeof *l->names))
        return cpm_no_memory(e);
    for (long k = 0; k < times; k++)
        l->names[l->count++] = name;
    return CPM_OK;
}

/* The number that ends the text at; 0: there is something else. */
static long number_at(const char *at)
{
    char *end;
    long number = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : 0;
    return number > 0 && *end == '\0' ? number : 0;
}

/* Of host files of MPI: "host slots=2", of which the host is there once, and "host:2". */
static int append_slots(name_list *l, char *word, cpm_error *e)
{
    static const char slots[] = "slots=";
    char *colon = strrchr(word, ':');
    if (strchr(word, '=')) {
        bool known = l->count > 0 && strncmp(word, slots, sizeof slots - 1) == 0;
        long number = known ? number_at(word + sizeof slots - 1) : 0;
        if (number == 1 || strncmp(word, "max_slots=", 10) == 0)
            return CPM_OK;
        return number ? append(l, l->names[l->count - 1], number - 1, e)
                      : cpm_fail(e, CPM_EPARSE,
                                 "expected the name of a host, HOST:N or HOST "
                                 "slots=N, found '%s'",
                                 word);
    }
    long number = colon ? number_at(colon + 1) : 0;
    if (number)
        *colon = '\0';
    return append(l, word, number ? number : 1, e);
}

/* A name for each process, between blanks, or as host files have them (files); changes text. */
static int split_names(char *text, bool files, name_list *l, cpm_error *e)
{
    int status = CPM_OK;
    char *rest = NULL;
    for (char *word = strtok_r(text, " \t\r\n", &rest); word && !status;
         word = strtok_r(NULL, " \t\r\n", &rest))
        status = files ? append_slots(l, word, e) : append(l, word, 1, e);
    return status;
}

/* Blanks for what stands behind # in each line. */
static void drop_remarks(char *text)
{
    for (char *at = strchr(text, '#'); at; at = strchr(at, '#'))
        memset(at, ' ', strcspn(at, "\n"));
}

static int keep_names(const char *const *names, cpm_hosts *h, cpm_error *e)
{
    h->name = calloc((size_t)h->count, sizeof *h->name);
    bool ok = h->name != NULL;
    for (int i = 0; i < h->n && ok; i++)
        if (!h->name[h->of[i]])
            ok = (h->name[h->of[i]] = strdup(names[i])) != NULL;
    return ok ? CPM_OK : cpm_no_memory(e);
}

/* Changes text. */
static int take_names(char *text, bool files, cpm_hosts *out, cpm_error *e)
{
    name_list l = {0};
    int status = split_names(text, files, &l, e);
    if (!status && !l.count)
        status = cpm_fail(e, CPM_EPARSE, "has no names of hosts, one for each process");
    if (!status)
        status = cpm_hosts_named(l.names, l.count, out, e);
    if (!status && (status = keep_names(l.names, out, e)))
        cpm_hosts_clear(out);
    free(l.names);
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
    drop_remarks(text);
    status = take_names(text, true, out, &why);
    free(text);
    return status ? cpm_fail(e, status, "%s: %s", path, why.text) : CPM_OK;
}

int cpm_hosts_of_line(const char *line, cpm_hosts *out, cpm_error *e)
{
    char *copy = strdup(line);
    int status = copy ? take_names(copy, false, out, e) : cpm_no_memory(e);
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
