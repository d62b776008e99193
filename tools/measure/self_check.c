#include "tools/measure/self_check.h"

#include <stdio.h>
#include <string.h>

#include "measurements/held_out.h"
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

/* What the campaign went on for by itself. */
static void tell_shared(const cpm_model *m)
{
    const char *note = m->notes ? strstr(m->notes, CPM_LMO2_SHARED) : NULL;
    if (note)
        fprintf(stderr, "cpm: note: %.*s\n", (int)strcspn(note, "\n"), note);
}

void self_check_tell(const cpm_model *m, bool quiet)
{
    char text[CPM_CHECKED_TEXT];
    cpm_checked c;
    if (!quiet)
        tell_shared(m);
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
