#include "estimators/lmo2_told.h"

#include <string.h>

#include "estimators/switches_find.h"
#include "models/lmo2.h"

typedef struct {
    int one, other; /* hosts; -1: there are none */
} pair;

/* The first two hosts that share a switch of a, but not of b. */
static pair together_only(const int *a, const int *b, int hosts)
{
    for (int i = 0; i < hosts; i++)
        for (int j = i + 1; j < hosts; j++)
            if (a[i] == a[j] && b[i] != b[j])
                return (pair){i, j};
    return (pair){-1, -1};
}

/* The name of the host of a process; its length. */
static int name_of(const cpm_measurements *m, int process, const char **name)
{
    const char *at = cpm_metadata_get(&m->metadata, "hosts");
    for (; at && process > 0; process--) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    *name = at ? at : "";
    return (int)strcspn(*name, " ");
}

static int note(const cpm_lmo2_levels *l, pair told, pair seen, const cpm_measurements *measured,
                cpm_model *m, cpm_error *e)
{
    const int *process = l->between.process;
    const char *a, *b, *c, *d;
    int of_a = name_of(measured, process[told.one], &a);
    int of_b = name_of(measured, process[told.other], &b);
    int of_c = name_of(measured, process[seen.one], &c);
    int of_d = name_of(measured, process[seen.other], &d);
    return cpm_note(&m->notes, e,
                    CPM_LMO2_CONTRADICTED
                    ": '%.*s' and '%.*s' are at one switch there, and '%.*s' and '%.*s' at two; "
                    "round trips show the opposite. Look at the order of hosts; --discover "
                    "writes a topology as round trips show it",
                    of_a, a, of_b, b, of_c, c, of_d, d);
}

static int compare(const cpm_lmo2_levels *l, const cpm_hosts *found,
                   const cpm_measurements *measured, cpm_model *m, cpm_error *e)
{
    cpm_hosts seen = {0};
    int status = cpm_hosts_of(found, l->between.process, l->between.n, &seen, e);
    if (status)
        return status;
    pair told = together_only(l->crossing.of, seen.of, l->between.n);
    pair met = together_only(seen.of, l->crossing.of, l->between.n);
    if (told.one >= 0 && met.one >= 0)
        status = note(l, told, met, measured, m, e);
    cpm_hosts_clear(&seen);
    return status;
}

int cpm_lmo2_told_note(const cpm_lmo2_levels *l, const cpm_measurements *measured, cpm_model *m,
                       cpm_error *e)
{
    cpm_hosts found = {0};
    cpm_switches_signs signs;
    if (!l->given || l->crossing.count < 2)
        return CPM_OK;
    int status = cpm_switches_find(measured, measured, &found, &signs, NULL);
    if (status) /* too few hosts, or round trips, to tell */
        return status == CPM_ENOMEM ? cpm_no_memory(e) : CPM_OK;
    status = compare(l, &found, measured, m, e);
    cpm_hosts_clear(&found);
    return status;
}
