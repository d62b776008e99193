/* Which processes of a model a program's are. */
#include <stdlib.h>
#include <string.h>

#include "tools/predict/profile_prediction.h"

/* The first process on that host that is not taken, or -1. */
static int find_process(const cpm_model *m, const char *host, const bool *taken)
{
    for (int i = 0; i < m->n; i++)
        if (!taken[i] && strcmp(m->hosts[i], host) == 0)
            return i;
    return -1;
}

/* Whether several hosts of the model have that name, as those of containers may: all but the first
 * were given a number (mpib/describe.c). */
static bool is_of_several(const cpm_model *m, const char *host)
{
    size_t length = strlen(host);
    for (int i = 0; i < m->n; i++)
        if (strncmp(m->hosts[i], host, length) == 0 && m->hosts[i][length] == '#')
            return true;
    return false;
}

/* found[n]: a process of the model for each, or, where it knows the inside of hosts and so any
 * number of processes on them, its host. False: of one it does not know the host, or which of
 * several, or has no further process there. */
static bool find_all(const cpm_model *m, const cpm_profile *p, bool *taken, int *found)
{
    for (int i = 0; i < p->n; i++) {
        int process = find_process(m, p->hosts[i], taken);
        if (process < 0 || (m->inside.count && is_of_several(m, p->hosts[i])))
            return false;
        taken[process] = m->inside.count == 0;
        found[i] = m->inside.count ? m->on.of[process] : process;
    }
    return true;
}

static int take(const cpm_model *m, const cpm_profile *p, bool by_name, int *found, cpm_model **out,
                cpm_error *e)
{
    if (by_name && m->inside.count)
        return cpm_model_place(m, found, NULL, p->n, out, e);
    for (int i = 0; i < p->n && !by_name; i++)
        found[i] = i;
    return cpm_model_subset(m, found, p->n, out, e);
}

int profile_model(const cpm_model *m, const cpm_profile *p, const char *name, cpm_model **out,
                  cpm_error *e)
{
    bool *taken = calloc((size_t)m->n, sizeof *taken);
    int *found = malloc((size_t)p->n * sizeof *found), status;
    if (!taken || !found) {
        status = cpm_no_memory(e);
    } else {
        bool by_name = find_all(m, p, taken, found);
        status = by_name || m->n == p->n
                     ? take(m, p, by_name, found, out, e)
                     : cpm_fail(e, CPM_EPROCESS,
                                "%s: has %d processes, some on hosts that the model of %d "
                                "processes lacks (process 0 ran on %s). Lay the model out "
                                "(--layout), or measure those hosts",
                                name, p->n, m->n, p->hosts[0]);
    }
    free(taken);
    free(found);
    return status;
}
