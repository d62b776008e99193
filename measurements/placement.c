/* Where processes are. Times of another placement are times of another thing. */
#include <stdlib.h>
#include <string.h>

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
    const char *command = cpm_facts_get(&m->facts, "command");
    return command && !strstr(command, " --map") && !strstr(command, " --blocks") &&
           !strstr(command, " --topology");
}

const char *cpm_measurements_placement(const cpm_measurements *m)
{
    const char *said = cpm_facts_get(&m->facts, "placement");
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

int cpm_measurements_hosts(const cpm_measurements *m, int n, cpm_hosts *out, cpm_error *e)
{
    const char *hosts = cpm_facts_get(&m->facts, "hosts");
    if (!cpm_facts_get(&m->facts, "layout") || !hosts)
        return cpm_hosts_regular(n, 1, false, out, e);
    char *line = strdup(hosts);
    const char **name = malloc((size_t)n * sizeof *name);
    int status;
    if (!line || !name)
        status = cpm_fail(e, CPM_ENOMEM, "no memory for the hosts of %d processes", n);
    else if (!split(line, name, n))
        status =
            cpm_fail(e, CPM_EDATA, "the header does not name one host for each of %d processes", n);
    else
        status = cpm_hosts_named(name, n, out, e);
    free(line);
    free(name);
    return status;
}
