/* What cpm doctor says. */
#include "tools/page/sections.h"

int page_health(const page_cluster *k, cpm_error *e)
{
    page_findings *f = k->found; /* whose tables are shown here only, and freed */
    const cpm_diagnosis *d = &f->diagnosis;
    if (!f->diagnosed)
        return page_without(k, "Cannot tell", &f->undiagnosed, e);
    block_text(&k->to,
               d->count                      ? "bad"
               : cpm_diagnosis_could_tell(d) ? "good"
                                             : "note",
               "%s", f->health);
    if (d->count)
        block_table(&k->to, &f->findings, "What is unlike the rest", NULL);
    block_lines(&k->to, block_items(&k->to), d->notes);
    block_table(&k->to, &f->examined,
                "What was compared; found from: what is so many times the others' is found in "
                "19 of 20 cases",
                NULL);
    block_command(&k->to, "Made by ", (const char *const[]){"cpm doctor", k->main->path, NULL});
    return CPM_OK;
}
