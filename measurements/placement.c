/* Where processes are. Times of another placement are times of another thing. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "measurements/measurements.h"

static const char plain[] = "plain";

static bool has_collectives(const cpm_measurements *m)
{
    for (int q = 0; q < m->count; q++)
        if (!m->at[q].what.kind)
            return true;
    return false;
}

/* Files of before do not say it, but which command made them. */
static bool was_plain(const cpm_measurements *m)
{
    const char *command = cpm_metadata_get(&m->metadata, "command");
    return command && !strstr(command, " --map") && !strstr(command, " --blocks") &&
           !strstr(command, " --topology");
}

const char *cpm_measurements_placement(const cpm_measurements *m)
{
    const char *said = cpm_metadata_get(&m->metadata, "placement");
    if (said)
        return said;
    return !has_collectives(m) || was_plain(m) ? plain : NULL;
}

int cpm_measurements_check_placement(const cpm_measurements *m, const char *path,
                                     const cpm_placement *at, cpm_error *e)
{
    char here[CPM_FINGERPRINT];
    const char *there = cpm_measurements_placement(m);
    cpm_placement known = *at;
    if (there && !strstr(there, "hosts=")) /* who wrote it did not know them */
        known.hosts = NULL;
    cpm_placement_fingerprint(&known, here);
    if (!there)
        return cpm_fail(e, CPM_EINVAL,
                        "%s: does not say with which --map, --blocks, --topology and --layout "
                        "collectives were measured; if with these, add the line "
                        "'# placement: %s' to its header",
                        path, here);
    if (strcmp(there, here) == 0)
        return CPM_OK;
    return cpm_fail(e, CPM_EINVAL,
                    "%s: its collectives were measured with the placement '%s', and here it is "
                    "'%s'; give the same --map, --blocks, --topology and --layout",
                    path, there, here);
}

/* ---- hosts */

/* Cuts the line into n words; false: there are fewer, or more. */
static bool split(char *line, const char **word, int n)
{
    char *rest = line;
    for (int i = 0; i < n; i++)
        if (!(word[i] = strsep(&rest, " ")) || !*word[i])
            return false;
    return rest == NULL;
}

/* "2", or "-" where it is not known; -2: neither. */
static int number_of(const char *word)
{
    long number;
    if (strcmp(word, "-") == 0)
        return -1;
    return cpm_integer_parse(word, 0, INT_MAX, &number) ? (int)number : -2;
}

static int read_sockets(const cpm_measurements *m, const char **word, int *socket, cpm_hosts *out,
                        cpm_error *e)
{
    char *line = strdup(cpm_metadata_get(&m->metadata, "sockets"));
    int status = line ? CPM_OK : cpm_no_memory(e);
    bool whole = line && split(line, word, out->n);
    for (int i = 0; i < out->n && whole; i++)
        whole = (socket[i] = number_of(word[i])) >= -1;
    if (!status && !whole)
        status = cpm_fail(e, CPM_EDATA,
                          "the header's 'sockets' are not a number or - for each of %d processes",
                          out->n);
    free(line);
    return status ? status : cpm_hosts_set_sockets(out, socket, e);
}

/* Who is on which socket, if the header says it. word[n] is space. */
static int take_sockets(const cpm_measurements *m, const char **word, cpm_hosts *out, cpm_error *e)
{
    if (!cpm_metadata_get(&m->metadata, "sockets"))
        return CPM_OK;
    int *socket = malloc((size_t)out->n * sizeof *socket);
    int status = socket ? read_sockets(m, word, socket, out, e) : cpm_no_memory(e);
    free(socket);
    return status;
}

int cpm_measurements_hosts(const cpm_measurements *m, int n, cpm_hosts *out, cpm_error *e)
{
    const char *hosts = cpm_metadata_get(&m->metadata, "hosts");
    if (!cpm_metadata_get(&m->metadata, "layout") || !hosts)
        return cpm_hosts_regular(n, 1, false, out, e);
    char *line = strdup(hosts);
    const char **name = malloc((size_t)n * sizeof *name);
    int status;
    if (!line || !name)
        status = cpm_no_memory(e);
    else if (!split(line, name, n))
        status =
            cpm_fail(e, CPM_EDATA, "the header does not name one host for each of %d processes", n);
    else
        status = cpm_hosts_named(name, n, out, e);
    if (!status && (status = take_sockets(m, name, out, e)))
        cpm_hosts_clear(out);
    free(line);
    free(name);
    return status;
}

/* ---- sockets */

/* Whether two processes are on different sockets of a host. socket[hosts] is space. */
static bool any_apart(const cpm_hosts *hosts, int *socket)
{
    for (int h = 0; h < hosts->count; h++)
        socket[h] = -1;
    for (int i = 0; i < hosts->n; i++) {
        int *first = &socket[hosts->of[i]], own = hosts->socket[i];
        if (own >= 0 && *first >= 0 && own != *first)
            return true;
        *first = *first < 0 ? own : *first;
    }
    return false;
}

static int put_sockets(const cpm_hosts *hosts, cpm_metadata *metadata, cpm_error *e)
{
    char *line = NULL;
    size_t size;
    FILE *f = open_memstream(&line, &size);
    for (int i = 0; f && i < hosts->n; i++)
        if (hosts->socket[i] < 0)
            fputs(i ? " -" : "-", f);
        else
            fprintf(f, i ? " %d" : "%d", hosts->socket[i]);
    int status = f && fclose(f) == 0 ? cpm_metadata_set(metadata, e, "sockets", "%s", line)
                                     : cpm_no_memory(e);
    free(line);
    return status;
}

int cpm_measurements_set_sockets(const cpm_hosts *hosts, cpm_metadata *metadata, cpm_error *e)
{
    if (!hosts->socket)
        return CPM_OK;
    int *space = malloc((size_t)hosts->count * sizeof *space);
    if (!space)
        return cpm_no_memory(e);
    int status = any_apart(hosts, space) ? put_sockets(hosts, metadata, e) : CPM_OK;
    free(space);
    return status;
}
