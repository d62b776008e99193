#include "mpib/cold.h"

#include <stdlib.h>

#include "hosts/inside.h"

/* Times what the caches hold: they do not evict strictly what is oldest. Lines of less than 64 B
 * are rare, and every second of them is enough then. */
enum { TIMES = 2, LINE = 64 };

int mpib_cold_prepare(mpi_machine *m, cpm_error *e)
{
    if (m->buffers != MPIB_BUFFERS_COLD || m->evicting)
        return CPM_OK;
    size_t cached = mpib_cached_here();
    if (!cached)
        return cpm_fail(e, CPM_EUNKNOWN,
                        "cold buffers: hwloc does not tell how large this host's caches are");
    m->evicting = calloc(TIMES, cached);
    m->evicting_bytes = TIMES * cached;
    return m->evicting ? CPM_OK : cpm_no_memory(e);
}

/* Not by memset, which may write large buffers past the caches. */
void mpib_cold_make(mpi_machine *m)
{
    volatile char *at = m->evicting;
    if (m->buffers != MPIB_BUFFERS_COLD)
        return;
    for (size_t k = 0; k < m->evicting_bytes; k += LINE)
        at[k]++;
}
