/* What is done with all pairs takes time and memory by the square of their ends. */
#include "tools/frame/pairs.h"

int pairs_ends(const cpm_model *m)
{
    return m->inside.count > 0 ? m->on.count : m->n;
}

int pairs_check(const cpm_model *m, const char *path, const char *what, int most, cpm_error *e)
{
    int ends = pairs_ends(m);
    if (ends <= most)
        return CPM_OK;
    return cpm_fail(
        e, CPM_EINVAL,
        "%s: %d %s are too many for all pairs of them to be %s (at most %d): cpm report "
        "sums them up",
        path, ends, m->inside.count > 0 ? "hosts" : "processes", what, most);
}
