#include "tools/measure/self_check.h"

#include <stdio.h>

#include "measurements/held_out.h"
#include "models/checked.h"

static void tell_bad(const cpm_model *m, const char *how)
{
    fprintf(stderr,
            "cpm: warning: in its own check the model is %s. It is not one of this machine\n", how);
    if (m->on.count == 1)
        fputs("cpm: try --serial, more repetitions (--min-reps), or processes that are bound to "
              "cores\n",
              stderr);
    else
        fputs("cpm: try --discover FILE, --serial or --topology FILE: messages may share links "
              "that the model does not know\n",
              stderr);
}

void self_check_tell(const cpm_model *m, bool quiet)
{
    char text[CPM_CHECKED_TEXT];
    cpm_checked c;
    if (!cpm_checked_of(&m->metadata, &c))
        return;
    cpm_checked_text(&c, text);
    if (cpm_checked_is_bad(&c))
        tell_bad(m, text);
    else if (!quiet)
        fprintf(stderr, "cpm: check of the model: predictions of %d collective%s are %s\n", c.count,
                c.count == 1 ? "" : "s", text);
}

void self_check_warn_not_made(const cpm_measurements *m)
{
    cpm_experiment x;
    bool planned = cpm_held_out_at(&m->metadata, 0, &x);
    for (int q = 0; q < m->count; q++)
        if (planned && cpm_is_held_out(m, &m->at[q].what))
            return;
    if (planned)
        fputs("cpm: warning: the budget left no time to check the model. Without --budget it is "
              "checked\n",
              stderr);
}
