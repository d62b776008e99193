#include "tools/measure/self_check.h"

#include <stdio.h>
#include <string.h>

#include "collectives/hosts.h"
#include "estimators/company.h"
#include "measurements/held_out.h"
#include "measurements/switches.h"
#include "models/checked.h"
#include "models/lmo2.h"

static void tell_bad(const cpm_model *m, const char *how)
{
    fprintf(stderr,
            "cpm: warning: in its own check the model is %s. It is not one of this machine\n", how);
    if (m->on.count == 1)
        fputs("cpm: try --serial, more repetitions (--min-reps), or processes that are bound to "
              "cores\n",
              stderr);
    else
        fputs("cpm: try --topology FILE, or a shape such as --topology 'torus 4x4': messages may "
              "share links that the model does not know\n",
              stderr);
}

void self_check_repeat(const cpm_model *m, const char *as, const char *beginning)
{
    const char *note = m->notes ? strstr(m->notes, beginning) : NULL;
    if (note)
        fprintf(stderr, "cpm: %s: %.*s\n", as, (int)strcspn(note, "\n"), note);
}

void self_check_tell(const cpm_model *m, bool quiet)
{
    char text[CPM_CHECKED_TEXT];
    cpm_checked c;
    self_check_repeat(m, "warning", CPM_LMO2_CONTRADICTED);
    if (!quiet) /* what the campaign went on for by itself */
        self_check_repeat(m, "note", CPM_LMO2_SHARED);
    if (!cpm_checked_of(&m->metadata, &c))
        return;
    cpm_checked_text(&c, text);
    if (cpm_checked_is_bad(&c))
        tell_bad(m, text);
    else if (!quiet)
        fprintf(stderr, "cpm: check of the model: predictions of %d collective%s are %s\n", c.count,
                c.count == 1 ? "" : "s", text);
}

/* What the time was too short for besides, in a campaign that looks for links by itself; NULL:
 * nothing. Of several processes on a host it cannot be told from here. */
static const char *not_found(const cpm_measurements *m)
{
    enum { LEAST_HOSTS = 4 };
    cpm_hosts hosts = {0};
    bool shares = false, asked = false;
    bool apart = !cpm_metadata_names_topology(&m->metadata) &&
                 !cpm_measurements_hosts(m, m->n, &hosts, NULL) && hosts.count == m->n &&
                 m->n >= LEAST_HOSTS;
    cpm_hosts_clear(&hosts);
    if (!apart || cpm_company_asked(m->n, m, &asked, NULL) ||
        cpm_company_shares(m->n, 1, m, &shares, NULL))
        return NULL;
    return shares   ? "nor to find the links inside the network that hosts share"
           : !asked ? "nor to ask whether hosts share links inside the network"
                    : NULL;
}

void self_check_warn_not_made(const cpm_measurements *m)
{
    cpm_experiment x;
    bool planned = cpm_held_out_at(&m->metadata, 0, &x);
    for (int q = 0; q < m->count; q++)
        if (planned && cpm_is_held_out(m, &m->at[q].what))
            return;
    const char *besides = planned ? not_found(m) : NULL;
    if (besides)
        fprintf(stderr,
                "cpm: warning: the budget left no time to check the model, %s. Without --budget "
                "both are done\n",
                besides);
    else if (planned)
        fputs("cpm: warning: the budget left no time to check the model. Without --budget it is "
              "checked\n",
              stderr);
}
