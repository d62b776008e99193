#include "mapping/synthesis_parts.h"
int synthesis_start_greedily(synthesis *s, const contacts_form *f, synthesis_starts *all,
                             cpm_error *e)
{
    (void)s, (void)f, (void)all, (void)e;
    return CPM_OK;
}
